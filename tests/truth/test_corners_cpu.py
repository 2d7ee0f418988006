# SPDX-License-Identifier: MIT
"""CPU time that one source or another does not see: it is found by the others, or the number is no more than a lower bound, for the true reason."""
import os
import re
from pathlib import Path

import pytest

from checks import check_cpu, says
from support import CPU_TOLERANCE_SECONDS, alive, read_live, wait_for

ACCUSED = r"saw CPU time of children|counted CPU time of children"


def perf_counts(run):
    """What perf counted, or None where this user has none."""
    return next((rung["value"] for rung in run.info["rungs"]["cpu"] if rung["key"] == "perf_cpu_seconds" and "value" in rung), None)


def check_bound(run):
    """No more than a lower bound, and that it is."""
    claim = run.headline["cpu_seconds"]
    check_cpu(run)
    assert claim["quality"] == "lower_bound", (claim, run.truth)
    for name in ("io_read_bytes", "memory_peak_process_bytes"):
        assert run.headline[name]["quality"] != "exact", (name, run.headline[name])
    return claim


@pytest.mark.parametrize("options", [[], ["-i", "50ms"], ["-i", "30s"]], ids=["1s", "50ms", "30s"])
def test_children_lost_by_a_program_that_perf_does_not_follow(run_assay, user, unfollowed, options):
    run = run_assay.load("unfollowed", unfollowed, "forgetful", 10, 100, user=user, options=options)

    assert run.truth["cpu_seconds"] >= 1
    assert (perf_counts(run) or 0) < 0.3, "what the test is about"
    assert re.search("perf|samples saw", check_bound(run)["why"])


def test_children_lost_behind_a_program_that_perf_does_not_follow(run_assay, user, unfollowed):
    """What that program becomes looks like any other, and perf does not follow it either."""
    run = run_assay.load("unfollowed", unfollowed, "through", run_assay.load_path, "forgetful", 10, 100, user=user, options=["-i", "30s"])

    assert run.truth["cpu_seconds"] >= 1
    check_bound(run)


def test_children_lost_by_a_command_that_perf_does_not_follow(run_assay, user, unfollowed):
    """The command itself, so short of CPU time of its own that perf's lack of it would pass for its error."""
    run = run_assay([unfollowed, "TRUTH", "nocldwait", "1", "300"], ["-i", "30s"], user=user)

    assert run.status == 0, run.stderr
    check_bound(run)


def test_what_perf_has_less_is_said_beside_its_number_alone(run_assay, user, unfollowed):
    """Nothing is wrong with such a job, and nobody need do anything: the summary after it has no note of perf."""
    run = run_assay.load("unfollowed", unfollowed, "plain-child", 400, user=user, quiet=False)
    perf = [rung for rung in run.info["rungs"]["cpu"] if rung["key"] == "perf_cpu_seconds" and "value" in rung]

    assert not [note for note in run.info["notes"] if re.search("perf[^:]|sources", note)], run.info["notes"]
    assert b"disagree" not in run.stderr
    assert all("stops at a program" in rung["why"] for rung in perf), perf
    assert run.headline["cpu_seconds"]["value"] >= 0.4 - CPU_TOLERANCE_SECONDS


BESIDE = {
    "2500_children": ("many-and-lost", 2500, 500, 100),
    "6000_threads": ("threads-and-lost", 6000, 70),
    "large_processes": ("large-and-lost", 400, 6, 200),
}


@pytest.mark.parametrize("arguments", BESIDE.values(), ids=BESIDE.keys())
def test_a_lost_child_does_not_hide_in_what_perf_misses_of_ends(run_assay, user, arguments):
    run = run_assay.load(*arguments, user=user)

    check_bound(run)


def test_many_short_children_are_not_said_to_be_lost(run_assay, user):
    run = run_assay.load("many-and-lost", 2500, 500, 0, user=user)
    claim = run.headline["cpu_seconds"]

    check_cpu(run)
    assert abs(claim["value"] - run.truth["cpu_seconds"]) <= CPU_TOLERANCE_SECONDS + run.truth["cpu_seconds"] / 100
    assert not says(run, ACCUSED, "cpu_seconds"), (claim, run.info["notes"])
    if claim["quality"] != "exact" and perf_counts(run) is not None:
        assert "perf misses the ends" in claim["why"] or run.perf_misses_ends(claim), claim


def test_what_survivors_waited_for_is_not_said_to_be_lost(run_assay, user):
    """Forty times 6 ms are cut to 0 in their cutime, and perf has them."""
    run = run_assay.load("survivors-with-children", 40, 6, 1500, user=user)
    claim = run.headline["cpu_seconds"]

    assert run.info["processes"]["survivors_count"] == 40, run.info["processes"]
    assert claim["value"] <= run.truth["cpu_seconds"] + CPU_TOLERANCE_SECONDS * 2
    assert not says(run, ACCUSED, "cpu_seconds"), (claim, run.info["notes"])
    assert claim["quality"] != "exact" or claim["value"] >= run.truth["cpu_seconds"] - CPU_TOLERANCE_SECONDS, (claim, run.truth)


@pytest.fixture
def elsewhere():
    """The cgroup.procs of the group that counts CPU time for the tests, of whichever version --cgroup=own would use."""
    if os.geteuid() != 0:
        pytest.skip("needs root to make a cgroup")
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        if kind == "cgroup" and "cpuacct" in options.split(","):
            return Path(fields.split()[4], "cgroup.procs")
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields, _, rest = line.partition(" - ")
        if rest.startswith("cgroup2 "):
            return Path(fields.split()[4], "cgroup.procs")
    pytest.skip("no cgroup hierarchy that counts CPU time is mounted here")
    return None


@pytest.mark.parametrize("options", [["--cgroup=own"], []], ids=["own", "shared"])
def test_lost_children_that_moved_to_another_cgroup(run_assay, elsewhere, options):
    run = run_assay.load("movers", elsewhere, 20, 20, 500, options=[*options, "-i", "30s"])
    claim = check_bound(run)

    if perf_counts(run) is not None:
        # What a hypervisor may have taken is taken off.
        assert claim["value"] >= 0.9 * run.truth["cpu_seconds"] - 4 * run.info["host_cpu"].get("steal_seconds", 0), (claim, run.truth)


def lowered(run):
    """Every place of a record that tells of rows that count by waiting: (where, key, quality)."""
    for key in ("tree_cpu_seconds", "tree_io_read_syscall_bytes", "tree_io_write_bytes", "tree_minor_faults_count", "keeper_cpu_seconds"):
        yield "summary", key, run.info["summary"][key]["quality"]
        yield "series", key, run.usage[-1]["values"][key]["quality"]
    for rungs in run.info["rungs"].values():
        for rung in rungs:
            if rung["key"].startswith(("tree_cpu_seconds", "tree_io", "keeper_cpu_seconds")):
                yield "rungs", rung["key"], rung["quality"]


LOSSES = {
    "ignored": (("ignored", 5, 100), []),
    "perf_saw_it": (("nocldwait", 5, 100), []),
    "nothing_could_tell": (("children", 5, 100), ["--measurements", "default,-perf_*,-connector_*,-taskstats_*", "--cgroup=none"]),
}


@pytest.mark.parametrize(["arguments", "options"], LOSSES.values(), ids=LOSSES.keys())
def test_one_record_judges_one_number_once(run_assay, user, arguments, options):
    run = run_assay.load(*arguments, user=user, options=options)

    assert run.headline["io_write_bytes"]["quality"] == "lower_bound", run.headline
    assert {place for place in lowered(run) if place[2] != "lower_bound"} == set()
    assert run.info["summary"]["tree_last_elapsed_seconds"]["quality"] == "exact", "how long it was, nobody can lose"
    assert run.info["summary"]["keeper_reaped_count"]["quality"] == "exact"


def test_of_cpu_time_nothing_tells_and_of_the_rest_the_ends_do(run_assay, user):
    """Process events show that every child was waited for; what CPU time may be missing, perf alone tells."""
    run = run_assay.load("children", 5, 100, user=user, options=["--measurements", "default,-perf_*", "--cgroup=none"])
    events = next(c for c in run.info["collectors"] if c["name"] == "connector").get("available")
    of_cpu = {quality for _, key, quality in lowered(run) if "_cpu_" in key}
    of_the_rest = {quality for _, key, quality in lowered(run) if "_cpu_" not in key}

    assert of_cpu == {run.headline["cpu_seconds"]["quality"]} == {"lower_bound"}
    assert of_the_rest == {run.headline["io_write_bytes"]["quality"]} == {"exact" if events else "lower_bound"}


def test_what_lives_on_bounds_every_place_of_the_record(run_assay, room, user):
    gate = room / "gate"
    try:
        run = run_assay.load("survivor-of-a-child", 8, gate, user=user)
    finally:
        gate.touch()

    assert run.info["processes"]["survivors_count"] == 1, run.info["processes"]
    assert {run.headline[name]["quality"] for name in ("cpu_seconds", "io_write_bytes")} == {"lower_bound"}
    assert {place for place in lowered(run) if place[2] != "lower_bound"} == set()
    wait_for(lambda: not alive(run.info["processes"]["survivors"][0]["pid"]), "the survivor to end")


def test_the_last_minutes_are_judged_as_the_series(run_assay, user):
    """The flight recorder takes single samples where windows are wide."""
    run = run_assay.load("ignored", 5, 200, user=user, options=["-i", "0.1s", "--report-interval", "10s"])
    samples = read_live(f"{run_assay.room}/run1-")

    assert run.headline["cpu_seconds"]["quality"] == "lower_bound"
    assert samples and samples[-1]["qualities"].get("tree_cpu_seconds") == "lower_bound", samples


def test_what_is_known_exactly_is_so_everywhere(run_assay, user):
    run = run_assay.load("steady", 300, user=user)
    qualities = {run.headline["cpu_seconds"]["quality"], run.info["summary"]["tree_cpu_seconds"]["quality"],
                 run.usage[-1]["values"]["tree_cpu_seconds"]["quality"]}

    assert qualities == {"exact"}
