# SPDX-License-Identifier: MIT
"""The command line of a process is the one that it has now: also when it called exec under the same name, or wrote itself a title."""
import json
from pathlib import Path

import pytest

from stage import assert_cpu_about
from support import wait_for, windows_written

OFTEN = ("-i", "20ms", "--report-interval", "20ms")
UNTIL = "until [ -e {} ]; do sleep 0.01; done"


def commands(usage):
    """All that were written down, by process and in their order."""
    found = {}
    for line in usage:
        for process in line["processes"]:
            if "command" in process:
                found.setdefault(process["pid"], []).append(process["command"])
    return found


def wait_for_windows(started, n):
    before = windows_written(started.prefix)
    wait_for(lambda: windows_written(started.prefix) >= before + n, f"{n} windows more")


def is_written(started, seen, begin):
    """Whether a window from the byte `begin` on tells of such a command line; they are looked at once, and checked when the run has ended."""
    text = Path(f"{started.prefix}usage.jsonl").read_bytes()
    whole = text.rfind(b"\n") + 1
    lines = commands(json.loads(line) for line in text[begin[0]:whole].splitlines())
    begin[0] = whole
    return any(seen(line) for lines_of in lines.values() for line in lines_of)


@pytest.fixture
def told(run_assay, room):
    """Runs a command through its first and its second part, up to what is seen of the second; it ends in any case."""
    room.chmod(0o777)
    go, end = room / "go", room / "end"
    begun = []

    def tell(command, seen, user):
        started = run_assay.start(command, OFTEN, user=user)
        begun.append(started)
        wait_for_windows(started, 12)
        go.touch()
        begin = [0]
        wait_for(lambda: is_written(started, seen, begin), "the second command line")
        end.touch()
        run = begun.pop().finish()
        assert run.status == 0, run.stderr
        return commands(run.usage)

    yield tell, go, end
    go.touch()
    end.touch()
    for started in begun:
        started.finish()


@pytest.mark.parametrize("script", ["{first}; {exec}", "( {first}; {exec} ) & wait"], ids=["itself", "child"])
def test_an_exec_to_the_same_name_is_seen(told, script, user):
    tell, go, end = told
    replace = f"exec sh -c '{UNTIL.format(end)}' second"
    lines = tell(["sh", "-c", script.format(first=UNTIL.format(go), exec=replace)], lambda line: line[-1] == "second", user)

    # what either image forked shows its line too, until it is something else
    whose = [seen for seen in lines.values() if seen[-1][-1] == "second" and str(go) in seen[0][2]]
    # before it what it was started with, and no line twice
    assert len(whose) == 1 and len(whose[0]) >= 2, whose
    assert whose[0][-1] == ["sh", "-c", UNTIL.format(end), "second"]
    assert all(before != after for before, after in zip(whose[0], whose[0][1:])), whose


def test_a_title_is_seen_without_the_zeros_behind_it(told, user):
    tell, go, end = told
    title = "server: waiting for nobody"
    lines = tell(["LOAD", "TRUTH", "title", title, str(go), str(end)], lambda line: line[0] == title, user)

    (seen,) = (seen for seen in lines.values() if [title] in seen)
    assert seen[-1] == [title] and seen[-2][-3:] == [title, str(go), str(end)], seen


def test_dozens_of_empty_arguments_at_the_end_are_padding_and_one_is_an_argument(run_assay, user):
    run = run_assay(["sh", "-c", "sleep 0.2; :", "one", *[""] * 40], OFTEN, user=user)
    other = run_assay(["sh", "-c", "sleep 0.2; :", "", "two", ""], OFTEN, user=user)

    assert ["sh", "-c", "sleep 0.2; :", "one"] in [seen[-1] for seen in commands(run.usage).values()]
    assert ["sh", "-c", "sleep 0.2; :", "", "two", ""] in [seen[-1] for seen in commands(other.usage).values()]


def test_who_calls_exec_under_the_same_name_leaves_an_expression(stage, user):
    resident, guest = stage.begin("resident", user=user), stage.begin("guest", user=user)
    words = f"{stage.room} (resident|guest)"
    for actor in (resident, guest):
        actor.tell("exec", "inside")
        actor.entered(images=1)
    watch = stage.attach(f"match:^inside .*{words}", user=user)
    before = resident.cpu_seconds + guest.cpu_seconds
    guest.do("burn", 200)
    watch.looked()
    inside = resident.cpu_seconds + guest.cpu_seconds - before
    # either image is called "exe"
    guest.tell("exec", "outside")
    guest.entered(images=2)
    watch.looked()
    guest.do("burn", 500)
    watch.looked()
    stage.end_of(guest)
    stage.end_of(resident)
    run = watch.finish()

    assert (run.info["target"]["at_start"], run.info["target"]["left"]) == (2, 1)
    assert_cpu_about(run.info, inside, 2)
