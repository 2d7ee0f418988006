# SPDX-License-Identifier: MIT
"""Runs within runs: each knows the one it runs in, and nothing is counted twice."""
import json
import os
import subprocess
from pathlib import Path

import pytest

from support import CPU_TOLERANCE_SECONDS, read_info, spent_cpu_seconds, wait_for

RARELY = ["-q", "-i", "1s", "--measurements", "default,-connector_*,-perf_*"]
ID = "2026.11.27T20.52.26-"


def environment_of(run):
    return dict(line.split("=", 1) for line in run.stdout.decode().splitlines())


def notes(info):
    return [note for note in info["notes"] if note.startswith("ASSAY_RUN_ID")]


def nested(run_assay, depth, command):
    """The command line of `depth` recorders within each other, with their prefixes."""
    prefixes = [f"{run_assay.room}/level{level}-" for level in range(1, depth + 1)]
    line = []
    for prefix in prefixes:
        line += [str(run_assay.assay), "run", *RARELY, "-p", prefix, "--"]
    return [*line, *command], prefixes


def test_the_job_gains_two_variables_and_nothing_else(run_assay, user):
    bare = subprocess.run(["env"], check=True, capture_output=True, env=run_assay.environment())
    run = run_assay(["env"], user=user)
    before = dict(line.split("=", 1) for line in bare.stdout.decode().splitlines())
    after = environment_of(run)

    assert {name: after[name] for name in before} == before
    assert {name: after[name] for name in set(after) - set(before)} == {
        "ASSAY_RUN_ID": run.info["id"], "ASSAY_RUN_PREFIX": f"{run_assay.room}/run1-"}
    assert "parent" not in run.info


def test_a_relative_prefix_is_told_as_an_absolute_path(run_assay):
    run = run_assay(["env"], prefix="below/here-", complete=False)

    assert environment_of(run)["ASSAY_RUN_PREFIX"] == f"{run_assay.room}/below/here-"
    assert Path(f"{run_assay.room}/below/here-info.json").exists()


def test_a_run_without_a_record_has_no_prefix_not_even_an_outer_ones(run_assay):
    (run_assay.room / "file").write_text("")
    run = run_assay(["env"], prefix=f"{run_assay.room}/file/x/", complete=False,
                    env=run_assay.environment({"ASSAY_RUN_PREFIX": "/outer/"}))
    after = environment_of(run)

    assert "ASSAY_RUN_PREFIX" not in after
    assert after["ASSAY_RUN_ID"].startswith("20")


def test_each_run_is_linked_to_the_one_it_runs_in(run_assay, user):
    command, prefixes = nested(run_assay, 2, ["true"])
    outer = run_assay(["sh", "-c", '"$@"; exit $?', "sh", *command], user=user)
    middle, inner = (read_info(prefix) for prefix in prefixes)

    assert outer.status == 0
    assert "parent" not in outer.info
    assert middle["parent"] == {"id": outer.info["id"], "prefix": f"{run_assay.room}/run1-"}
    assert inner["parent"] == {"id": middle["id"], "prefix": prefixes[0]}
    assert not notes(outer.info) + notes(middle) + notes(inner)


def test_a_prefix_of_any_bytes_is_handed_on(run_assay):
    prefix = os.fsencode(run_assay.room) + b"/o\xffuter-"
    recorder = [str(run_assay.assay), "run", "-q", "-p"]
    subprocess.run([*recorder, prefix, "--", *recorder, f"{run_assay.room}/inner-", "--", "true"], check=True, env=run_assay.environment())
    parent = read_info(f"{run_assay.room}/inner-")["parent"]

    assert parent["prefix"] == f"{run_assay.room}/o\ufffduter-"
    assert bytes.fromhex(parent["prefix_hex"]) == prefix


@pytest.mark.parametrize("depth", [1, 2])
def test_what_the_inner_runs_job_used_is_counted_once_in_each(run_assay, depth):
    command, prefixes = nested(run_assay, depth, ["LOAD", "TRUTH", "children", "10", "50"])
    before = spent_cpu_seconds()
    outer = run_assay(command, RARELY[1:])
    spent = spent_cpu_seconds() - before - outer.info["self"]["cpu_seconds"]
    truth = outer.truth["cpu_seconds"]
    inner = read_info(prefixes[-1])["headline"]["cpu_seconds"]["value"]

    assert truth >= 0.5
    assert inner == pytest.approx(truth, abs=CPU_TOLERANCE_SECONDS)
    assert truth - CPU_TOLERANCE_SECONDS <= outer.headline["cpu_seconds"]["value"] <= spent + CPU_TOLERANCE_SECONDS
    own = sum(read_info(prefix)["self"]["cpu_seconds"] for prefix in prefixes)
    assert outer.headline["cpu_seconds"]["value"] >= truth + own - CPU_TOLERANCE_SECONDS, "the recorder is a part of the outer job"


def test_an_inner_run_that_becomes_a_daemon_stays_linked_and_counted(run_assay):
    command, prefixes = nested(run_assay, 1, ["LOAD", "TRUTH", "steady", "400"])
    script = '(setsid "$@" &) ; exit 0'
    before = spent_cpu_seconds()
    outer = run_assay(["sh", "-c", script, "sh", *command], ["--wait-all", *RARELY[1:]])
    spent = spent_cpu_seconds() - before - outer.info["self"]["cpu_seconds"]
    info = wait_for(lambda: read_info(prefixes[0]), "the inner record")
    truth = outer.truth["cpu_seconds"]

    assert info["state"] == "done"
    assert info["parent"]["id"] == outer.info["id"]
    assert truth - CPU_TOLERANCE_SECONDS <= outer.headline["cpu_seconds"]["value"] <= spent + CPU_TOLERANCE_SECONDS


def test_the_sum_of_the_runs_without_a_parent_is_the_truth(run_assay):
    command, _ = nested(run_assay, 2, ["LOAD", "TRUTH", "steady", "300"])
    before = spent_cpu_seconds()
    first = run_assay(command, RARELY[1:])
    second = run_assay(["LOAD", "TRUTH", "steady", "200"])
    spent = spent_cpu_seconds() - before - sum(run.info["self"]["cpu_seconds"] for run in (first, second))
    truth = first.truth["cpu_seconds"] + second.truth["cpu_seconds"]
    # The line of assay-run(5), EXAMPLES.
    jq = subprocess.run(["jq", "-s", "map(select(.parent | not) | .headline.cpu_seconds.value) | add",
                         *map(str, run_assay.room.glob("*info.json"))], check=True, capture_output=True)
    total = float(jq.stdout)

    assert len(list(run_assay.room.glob("*info.json"))) == 4
    assert truth - 2 * CPU_TOLERANCE_SECONDS <= total <= spent + 2 * CPU_TOLERANCE_SECONDS


def test_a_run_that_is_only_named_in_the_environment_is_no_parent(run_assay):
    gone = subprocess.Popen(["true"])
    gone.wait()
    run = run_assay(["true"], env=run_assay.environment({"ASSAY_RUN_ID": f"{ID}{gone.pid}", "ASSAY_RUN_PREFIX": "/there/"}))

    assert "parent" not in run.info
    assert [note for note in notes(run.info) if f"{ID}{gone.pid}" in note and "no ancestor" in note]


def test_a_run_that_is_over_is_no_parent_of_what_it_left_behind(run_assay):
    """A shell that was started within a run and outlives it: nobody counts what it runs later."""
    gate, prefix = run_assay.room / "gate", f"{run_assay.room}/late-"
    script = '(setsid sh -c \'while ! [ -e "$0" ]; do sleep 0.02; done; shift 0; exec "$@"\' "$@" > /dev/null 2>&1 &) ; exit 0'
    outer = run_assay(["sh", "-c", script, "sh", str(gate), str(run_assay.assay), "run", "-q", "-p", prefix, "--", "true"])
    gate.touch()
    late = wait_for(lambda: (info := read_info(prefix)) and info["state"] == "done" and info, "the late run")

    assert "parent" not in late
    assert [note for note in notes(late) if outer.info["id"] in note]


@pytest.mark.parametrize("text", ["", "x", ID, ID + "0", f"{ID}99999999999999999999", f"{ID}12 ", f"{ID}-1", f"{ID}{os.getpid()}\n",
                                  "9" * 100000, "2026.11.27T20.52.2x-1"],
                         ids=["empty", "a_word", "without_a_pid", "pid_0", "no_pid_is_so_long", "a_blank_behind", "below_0", "a_line_end", "100000_digits", "no_time"])
def test_no_text_that_is_no_id_is_taken_for_one(run_assay, text):
    run = run_assay(["true"], env=run_assay.environment({"ASSAY_RUN_ID": text}))

    assert run.status == 0
    assert "parent" not in run.info
    assert bool(notes(run.info)) == bool(text)


@pytest.mark.parametrize("pid", [1, os.getpid()], ids=["init", "ours"])
def test_an_ancestor_that_is_no_recorder_is_no_parent(run_assay, pid):
    """An id from another machine or container: the same pid is somebody else here, and 1 is above everybody."""
    run = run_assay(["true"], env=run_assay.environment({"ASSAY_RUN_ID": f"{ID}{pid}", "ASSAY_RUN_PREFIX": "/there/"}))

    assert "parent" not in run.info
    assert [note for note in run.info["notes"] if f"{ID}{pid}" in note and "no ancestor" in note]


def test_the_prefix_of_a_parent_must_be_a_path(run_assay):
    prefix = f"{run_assay.room}/in-"
    outer = run_assay(["env", "ASSAY_RUN_PREFIX=not/absolute", str(run_assay.assay), "run", "-q", "-p", prefix, "--", "true"])

    assert json.loads(Path(f"{prefix}info.json").read_text())["parent"] == {"id": outer.info["id"]}


def can_start(words, env):
    try:
        return subprocess.run(words, env=env, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def environment_of_size(n):
    whole, rest = divmod(n, 100000)
    return {**{f"V{i}": "x" * 100000 for i in range(whole)}, "REST": "x" * rest}


def test_an_environment_that_just_fits_still_fits(run_assay, assay, room):
    """execve(2) counts arguments and environment together: the two variables must not be what is too much."""
    deep = room / ("d" * 200)
    deep.mkdir()
    words = [str(assay), "run", "-q", "--"]
    low, high = 0, 8 << 20
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if can_start(["/bin/true", *words], environment_of_size(middle)) else (low, middle)
    env = environment_of_size(low - 32)
    process = run_assay.spawn([*words, "/usr/bin/env"], "large", env=env, cwd=deep)

    assert process.wait(60) == 0, (room / "large.stderr").read_bytes()
    assert dict(line.split("=", 1) for line in (room / "large.stdout").read_text().splitlines()) == env
