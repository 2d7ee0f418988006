# SPDX-License-Identifier: MIT
"""What is claimed of CPU time holds however processes begin, are waited for, are lost and end; the loads know it from CPU clocks alone."""
import os
import re
import signal

import pytest

from checks import TEARDOWN_SECONDS, check_processes, nothing_could_tell, tolerance
from support import SLOWNESS

# What the first process uses after it has told its truth, beside its end.
LAST_SECONDS = 0.001 * SLOWNESS
# Of a thread's end, by KERNEL.md: no CPU clock has it.
THREAD_SECONDS = 5e-6 * SLOWNESS

WAITED = {
    "clone3": ("known-clone3", 30, 2),
    "ends_that_send_other_signals_or_none": ("known-odd-signals", 16, 5),
    "processes_that_share_memory": ("known-shared-memory", 20, 4),
    "a_storm_of_vfork_and_exec": ("known-exec-storm", 40, 1),
    "another_thread_execs": ("known-thread-execs", 60, "leader"),
    "another_thread_execs_when_the_main_one_has_ended": ("known-thread-execs", 60, "leaderless"),
    "forked_by_one_thread_and_waited_for_by_another": ("known-waits-elsewhere", 20, 4),
    "a_zombie_that_is_looked_at": ("known-looked-at", 80),
    "SIGCHLD_ignored_when_the_zombie_is_there": ("known-ignored-late", 80),
    "reaped_in_a_signal_handler": ("known-handler", 40, 2),
    "a_chain_of_a_hundred": ("known-deep", 100, 1),
    "a_tree_of_255": ("known-wide", 7, 1),
    "a_relay_of_daemons": ("known-relay", 12, 10),
    "subreapers_below_subreapers": ("known-subreapers", 3, 40),
    "brothers_of_the_command": ("known-brothers", 4, 40),
    "traced_by_a_brother": ("known-traced", 100),
    "traced_step_by_step": ("known-stepped", 1000, 50),
    "a_namespace_of_processes": ("known-namespace", 4, 20, 1),
    "zombies_left_behind": ("known-zombies", 30, 3),
    "a_group_that_is_killed": ("known-group-killed", 6, 60),
    "orphans_killed_as_the_last_act": ("known-orphans-killed", 4, 30),
    "a_core_dump": ("known-core-dump", 24),
    "ended_by_a_timer": ("known-timer", 60),
    "policies_of_all_kinds": ("known-policies", 30),
    "yields": ("known-yields", 50),
    "system_calls": ("known-system-calls", 200),
    "ends_that_cost_more_than_the_life": ("known-dear-ends", 6, 48),
    "headless_processes": ("known-headless", 10, 4),
    "another_user": ("known-other-user", 60),
    "switches": ("known-ping-pong", 3000),
}
LOST = {
    "SIGCHLD_ignored_for_a_moment": ("known-lost-quickly", 120),
    "traced_when_it_ends": ("known-lost-traced", 120),
    "a_namespace_that_ends": ("known-namespace", 3, 60, 0),
}
# Each is lost to what was waited for and to perf alike.
UNFOLLOWED = {
    "behind_other_work": ("known-lost-behind", "IMAGE", "LOAD", 200, 500, 0),
    "behind_many_switches": ("known-lost-behind", "IMAGE", "LOAD", 200, 50, 8000),
    "by_a_parent_that_perf_follows": ("known-lost-late", "IMAGE", 700, 150),
}


def high_truth(run):
    """With what nobody can read: the end of the first process, of those that nobody reads as zombies, and of threads."""
    truth, end = run.truth, max(TEARDOWN_SECONDS, run.end_seconds())
    return truth["cpu_seconds"] + LAST_SECONDS + (truth["unfolded"] + 1) * end + truth["threads"] * THREAD_SECONDS


def check(run):
    """Whatever is claimed is so, on both sides and of each bound."""
    claim, low, high = run.headline["cpu_seconds"], run.truth["cpu_seconds"], high_truth(run)
    assert run.status == 0, run.stderr
    assert claim.get("lower", claim["value"]) <= high or claim["quality"] == "exact", (claim, run.truth)
    assert claim.get("upper", low) >= low, (claim, run.truth)
    if claim["quality"] == "exact":
        assert low - tolerance(low) <= claim["value"] <= high + tolerance(high), (claim, run.truth)
    else:
        assert claim["quality"] == "lower_bound" and claim["value"] <= high and claim["why"], (claim, run.truth)
    check_processes(run)
    return claim


def check_found(run):
    """All of it was waited for: nothing is missing, and it is exact where anything here can tell."""
    claim, low = check(run), run.truth["cpu_seconds"]
    assert claim["value"] >= low - tolerance(low) / 2, (claim, run.truth)
    assert claim["quality"] == "exact" or nothing_could_tell(run, claim), claim


@pytest.mark.parametrize("arguments", WAITED.values(), ids=WAITED.keys())
def test_what_was_waited_for_is_all_there(run_assay, user, arguments):
    run = run_assay.load(*arguments, user=user)
    if run.status == 77:
        pytest.skip("may not trace, or not make a PID namespace")

    check_found(run)


@pytest.mark.parametrize("arguments", LOST.values(), ids=LOST.keys())
def test_what_was_lost_is_a_bound(run_assay, user, arguments):
    run = run_assay.load(*arguments, user=user)
    if run.status == 77:
        pytest.skip("may not trace, or not make a PID namespace")

    claim = check(run)
    assert claim["quality"] == "lower_bound" or claim["key"] == "cgroup_cpu_seconds", claim


@pytest.mark.parametrize("arguments", UNFOLLOWED.values(), ids=UNFOLLOWED.keys())
def test_what_was_lost_where_perf_does_not_follow_is_a_bound(run_assay, user, unfollowed, arguments):
    names = {"IMAGE": unfollowed, "LOAD": run_assay.load_path}
    run = run_assay.load(*(names.get(word, word) for word in arguments), options=["-i", "30s", "--cgroup=none"], user=user)

    claim = check(run)
    assert claim["quality"] == "lower_bound", (claim, run.truth)
    assert re.search("perf|samples saw", claim["why"]), claim


@pytest.mark.parametrize("stopped", [0, 1], ids=["asleep", "stopped"])
def test_what_lives_on_is_in_a_bound(run_assay, user, stopped):
    run = run_assay.load("known-left", 3, 40, stopped, user=user)
    os.killpg(run.truth["pid"], signal.SIGKILL)

    claim = check(run)
    assert claim["quality"] == "lower_bound" and "lived on" in claim["why"], claim
    assert claim["value"] >= 0.12, claim
    assert run.info["processes"]["survivors_count"] == 3
