# SPDX-License-Identifier: MIT
"""With --cgroup=own the kernel's own counters of the job alone stand, and the other sources are held against them."""
import os
import shlex
from pathlib import Path

import pytest

from checks import MIB, TEARDOWN_SECONDS, check_cpu, check_processes, says
from support import CPU_TOLERANCE_SECONDS, SLOWNESS

# As tests/cli/test_cgroup_option.py, whose runs leave cgroups that the next run would remove.
pytestmark = pytest.mark.xdist_group("group:cgroups")

OWN = ["--cgroup=own"]
# Of the end of a thread or process that its parent is not told, and what two readings of a tick may lie apart: what the note allows as well.
END_SECONDS = 5e-6 * SLOWNESS
APART_SECONDS = 0.02
# The command's own fork, before it is moved, is in its exit status alone: what the program overlooks of that, and how long it takes at most.
OVERLOOKED_SECONDS = 0.002
START_SECONDS = 400e-6 * SLOWNESS
# What `cat` and the shell use to end after they have read the counter.
LAST_ACT_SECONDS = 0.02 + 2 * TEARDOWN_SECONDS

SHAPES = {
    "one_thread": ("steady", 500),
    "threads_that_come_and_go": ("threads", 200, 5),
    "many_short_children": ("children", 2000, 1),
    "a_daemon_that_ends_first": ("daemon", 300),
    "an_orphan_whose_parent_dies_first": ("orphan", 300),
    "fifty_images_of_one_process": ("exec-chain", 50, 5),
    "a_zombie_left_for_a_while": ("zombie", 200, 300),
    "vfork_and_posix_spawn": ("vforks", 50),
    "parent_ignores_SIGCHLD": ("ignored", 300, 2),
    "parent_with_SA_NOCLDWAIT": ("nocldwait", 300, 2),
    "one_level_down": ("deep-ignored", 300, 2),
}
FORGOTTEN = {"ignored", "nocldwait", "deep-ignored"}


def mount_points():
    """The hierarchies that are mounted here: by controller, "" for version 2."""
    found = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ")
        kind, _, options = after.split()[:3]
        point = before.split()[4]
        if kind == "cgroup2":
            found.setdefault("", point)
        elif kind == "cgroup":
            for name in options.split(","):
                found.setdefault(name, point)
    return found


@pytest.fixture
def as_root():
    if os.geteuid() != 0:
        pytest.skip("needs root to make a cgroup")
    if not mount_points():
        pytest.skip("no cgroup hierarchy is mounted here")


def not_counted_here():
    """The controllers of which a cgroup made in ours counts nothing: of no version 1 hierarchy, and not handed on by our cgroup of version 2."""
    points = mount_points()
    own = next((line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")), "")
    control = Path(points.get("", "/nowhere") + own, "cgroup.subtree_control")
    handed_on = control.read_text().split() if control.exists() else []
    return [name for name, in_version_2 in (("memory", "memory"), ("pids", "pids"), ("blkio", "io"))
            if name not in points and in_version_2 not in handed_on]


def notes_but_of_the_host(run):
    """The notes without perf's, without what others wrote to tmpfs meanwhile, and without the one on controllers that this host keeps from the job, which
    must be there."""
    left = [note for note in run.info["notes"] if "perf" not in note and not note.startswith("shared memory (tmpfs, memfd) of this machine grew")]
    missing = not_counted_here()
    if missing:
        said = [note for note in left if note.startswith(f"the job has no cgroup of its own that counts {', '.join(missing)}: ")]
        assert len(said) == 1, run.info["notes"]
        left.remove(said[0])
    return left


def ends_seconds(run):
    """What the ends of all its processes and threads may cost here: the cgroup counts them, their exit statuses do not."""
    return (run.truth["processes"] + run.truth["threads"]) * max(END_SECONDS, run.end_seconds())


def check_who_claims(claim, rungs):
    """The cgroup, unless the processes have more by the start of the command: then it is a lower bound, and they claim."""
    cgroup = rungs["cgroup_cpu_seconds"]
    above = rungs["tree_cpu_seconds"]["value"] - cgroup["value"]
    if OVERLOOKED_SECONDS < above <= START_SECONDS:
        assert (claim["quality"], claim["key"]) == ("exact", "keeper_cpu_seconds"), claim
        assert (cgroup["quality"], cgroup["why"]) == ("lower_bound", "the job's processes have more"), cgroup
    else:
        assert (claim["quality"], claim["key"]) == ("exact", "cgroup_cpu_seconds"), (claim, rungs)
    assert rungs[claim["key"]]["in_use"] and rungs[claim["key"]]["value"] == claim["value"], rungs


def check_what_is_said_of_the_loss(run, claim, lost):
    """Nothing, where all were waited for; but ends that take longer than the program allows for are named by their amount."""
    notes = notes_but_of_the_host(run)
    dear = lost > APART_SECONDS + claim["value"] / 100
    assert not dear or lost <= APART_SECONDS + claim["value"] / 100 + ends_seconds(run), "ends do not cost so much"
    if dear and notes:
        assert len(notes) == 1 and f"{lost:.3f} s of CPU time were counted by the job's cgroup alone" in notes[0], notes
        assert run.truth["processes"] > 1, "there was a child that may have been lost"
    else:
        assert notes == [], "nothing differs beyond its error"
    if claim["key"] == "cgroup_cpu_seconds":
        known = "counted by the job's own cgroup, children that nobody waits for included"
        # Where ends cost more than the program allows for, perf, which misses them, cannot tell that nobody moved.
        assert claim["why"] == known or (dear or run.ends_are_dear()) and claim["why"].startswith(known), claim


@pytest.mark.parametrize("arguments", SHAPES.values(), ids=SHAPES.keys())
def test_cpu_of_the_own_cgroup_is_what_the_load_burnt(run_assay, as_root, arguments):
    run = run_assay.load(*arguments, options=OWN)
    claim = run.headline["cpu_seconds"]
    rungs = {rung["key"]: rung for rung in run.info["rungs"]["cpu"]}

    ended = run.truth["processes"] + run.truth["threads"]
    check_who_claims(claim, rungs)
    check_cpu(run, ends_seconds=ends_seconds(run))
    check_processes(run)
    if arguments[0] not in FORGOTTEN:
        error = APART_SECONDS + claim["value"] / 100 + ends_seconds(run)
        for key in ("keeper_cpu_seconds", "tree_cpu_seconds"):
            assert abs(rungs[key]["value"] - claim["value"]) <= error, (key, rungs, run.info["notes"])
        check_what_is_said_of_the_loss(run, claim, claim["value"] - rungs["tree_cpu_seconds"]["value"])
    if "value" in rungs["perf_cpu_seconds"]:
        error = APART_SECONDS + claim["value"] / 50 + max(150e-6 * ended, ends_seconds(run))
        # perf counts what a hypervisor took from the job as well; where that is much, or not in /proc/stat, a note says how far the two are apart.
        apart = rungs["perf_cpu_seconds"]["value"] - claim["value"]
        assert -error <= apart <= error + 3 * run.info["host_cpu"]["steal_seconds"] or says(run, "perf"), (rungs, run.info)


@pytest.mark.parametrize("arguments", [SHAPES["parent_ignores_SIGCHLD"], SHAPES["parent_with_SA_NOCLDWAIT"]],
                         ids=["ignored", "nocldwait"])
def test_what_nobody_waited_for_is_named_by_its_amount(run_assay, as_root, arguments):
    run = run_assay.load(*arguments, options=OWN)
    rungs = {rung["key"]: rung for rung in run.info["rungs"]["cpu"]}
    lost = run.headline["cpu_seconds"]["value"] - rungs["tree_cpu_seconds"]["value"]

    assert rungs["tree_cpu_seconds"]["quality"] == "lower_bound"
    children_seconds = arguments[1] * arguments[2] / 1000
    assert lost >= 0.9 * children_seconds, "the children did the work"
    assert f"{lost:.3f} s of CPU time were counted by the job's cgroup alone" in " ".join(run.info["notes"])
    assert run.headline["io_write_bytes"]["quality"] == "lower_bound", "no cgroup brings the I/O back"


def last_act(run):
    """What may come after a file was read: the ends of two cats and of the shell, and the beginning of a cat, which costs as much as some ends."""
    return max(LAST_ACT_SECONDS, 0.02 + 6 * run.end_seconds())


def job_that_reads(files):
    """A job whose last act is to read its own cgroups' files; what follows the last word is the work it does first."""
    script = '"$@" || exit 1; read_own() { sed -n "s|^[0-9]*:$1:||p" /proc/self/cgroup; }; '
    for hierarchy, point, name in files:
        script += f'cat {shlex.quote(point)}"$(read_own {shlex.quote(hierarchy)})"/{name}; '
    return ["sh", "-c", script, "sh"]


def test_the_headline_is_what_the_cgroups_own_files_say(run_assay, as_root):
    points = mount_points()
    missing = [name for name in ("cpuacct", "memory") if name not in points]
    if missing:
        pytest.skip(f"no version 1 hierarchy of {', '.join(missing)} here")
    files = [("cpuacct", points["cpuacct"], "cpuacct.usage"), ("memory", points["memory"], "memory.max_usage_in_bytes")]
    run = run_assay([*job_that_reads(files), "LOAD", "TRUTH", "memory-steady", "64", "300"], OWN)
    usage, peak = (int(word) for word in run.stdout.split())
    headline = run.headline

    assert run.status == 0, run.stderr
    assert usage / 1e9 <= headline["cpu_seconds"]["value"] <= usage / 1e9 + last_act(run)
    assert headline["memory_peak_charged_bytes"]["value"] == peak, headline
    assert (headline["memory_peak_charged_bytes"]["quality"], headline["memory_peak_charged_bytes"]["key"]) == \
        ("exact", "cgroup_memory_peak_bytes")
    assert peak >= 64 * MIB


def test_version_2_counts_the_same_cpu_time(run_assay, as_root):
    points = mount_points()
    if "" not in points:
        pytest.skip("no cgroup of version 2 is mounted here")
    run = run_assay([*job_that_reads([("", points[""], "cpu.stat")]), "LOAD", "TRUTH", "nocldwait", "100", "3"], OWN)
    usage = next(int(line.split()[1]) for line in run.stdout.decode().splitlines() if line.startswith("usage_usec"))

    assert run.status == 0, run.stderr
    assert usage / 1e6 <= run.headline["cpu_seconds"]["value"] + 1e-6
    assert run.headline["cpu_seconds"]["value"] <= usage / 1e6 + last_act(run)


def test_the_most_threads_alive_at_once_are_counted(run_assay, as_root):
    if "pids" not in mount_points():
        pytest.skip("no pids hierarchy of version 1 here")
    run = run_assay.load("idle", 100, 300, options=OWN)

    if "tasks_peak" not in run.headline:
        pytest.skip("this kernel keeps no peak of processes")
    assert run.headline["tasks_peak"]["value"] == 101, "the load and its hundred children"


def test_the_user_and_system_parts_come_to_the_whole(run_assay, as_root):
    headline = run_assay.load("steady", 500, options=OWN).headline
    parts = headline["cpu_user_seconds"]["value"] + headline["cpu_system_seconds"]["value"]

    assert abs(parts - headline["cpu_seconds"]["value"]) <= CPU_TOLERANCE_SECONDS
    assert headline["cpu_user_seconds"]["value"] >= 0.7 * headline["cpu_seconds"]["value"]


def test_a_job_that_leaves_its_cgroup_is_found_out(run_assay, as_root):
    points = mount_points()
    counter = "cpuacct" if "cpuacct" in points else ""
    # The job, who is root here, goes back to where assay is.
    procs = Path(points[counter], "cgroup.procs")
    script = f'echo $$ >{procs} || exit 9; exec "$0" "$1" steady 300'
    run = run_assay(["sh", "-c", script, "LOAD", "TRUTH"], OWN)
    claim = run.headline["cpu_seconds"]

    assert run.status == 0, run.stderr
    assert claim["quality"] == "exact" and claim["key"] == "keeper_cpu_seconds", claim
    assert abs(claim["value"] - run.truth["cpu_seconds"]) <= TEARDOWN_SECONDS + CPU_TOLERANCE_SECONDS
    assert any("moved to another cgroup" in note for note in run.info["notes"]), run.info["notes"]


@pytest.mark.parametrize("who", ["the_command", "a_child"])
def test_memory_of_a_process_that_left_makes_the_peak_a_lower_bound(run_assay, as_root, who):
    points = mount_points()
    if "memory" not in points:
        pytest.skip("no version 1 hierarchy of memory here")
    procs = Path(points["memory"], "cgroup.procs")
    moved = f'echo $$ >{procs} || exit 9; exec "$0" "$1" memory-steady 100 1000'
    # A child that is waited for: the shell has more to do after it.
    command = moved if who == "the_command" else f"sh -c '{moved}' \"$0\" \"$1\"; status=$?; exit $status"
    run = run_assay(["sh", "-c", command, "LOAD", "TRUTH"], [*OWN, "-i", "50ms"])
    claim = run.headline["memory_peak_charged_bytes"]
    rung, = (rung for rung in run.info["rungs"]["memory_charged_peak"] if rung["key"] == "cgroup_memory_peak_bytes")

    assert run.status == 0, run.stderr
    assert claim["value"] < 100 * MIB, "what the test is about: the load was charged elsewhere"
    assert claim["quality"] == rung["quality"] == "lower_bound", (claim, rung)
    assert "not all of the job was in it" in claim["why"]
    assert any("moved out of" in note and "memory" in note for note in run.info["notes"]), run.info["notes"]
    assert run.headline["cpu_seconds"]["quality"] == "exact", "it stayed in the one that counts CPU time"
