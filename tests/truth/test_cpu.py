# SPDX-License-Identifier: MIT
"""CPU time of jobs of every shape against what they truly burnt."""
import os
import shutil

import pytest

from checks import FORGOTTEN, check_cpu, check_exact_cpu, check_processes, check_rungs, says, tolerance
from support import wait_for

WAITED = {
    "one_thread": ("steady", 500),
    "threads_that_come_and_go": ("threads", 100, 5),
    "five_thousand_children_of_1_ms": ("children", 5000, 1),
    "children_forked_by_a_worker_thread": ("worker-children", 50, 10),
    "a_daemon_that_ends_first": ("daemon", 400),
    "an_orphan_whose_parent_dies_first": ("orphan", 400),
    "burnt_then_idle": ("burnt-then-idle", 400, 600),
    "a_big_process_that_ends_within_a_window": ("exits-mid-window", 600, 500),
    "a_zombie_left_for_a_second": ("zombie", 300, 1000),
    "a_process_that_was_stopped": ("stopped", 300, 500),
    "fifty_images_of_one_process": ("exec-chain", 50, 5),
    "a_hundred_idle_children": ("idle", 100, 1000),
    "vfork_and_posix_spawn": ("vforks", 50),
}
AUTO_REAPED = {
    "parent_ignores_SIGCHLD": ("ignored", 300, 2),
    "parent_with_SA_NOCLDWAIT": ("nocldwait", 300, 2),
    "one_level_down": ("deep-ignored", 300, 2),
}


@pytest.mark.parametrize("arguments", WAITED.values(), ids=WAITED.keys())
def test_cpu_is_exact_when_every_process_is_reaped(run_assay, user, arguments):
    check_exact_cpu(run_assay.load(*arguments, user=user))


@pytest.mark.parametrize("arguments", AUTO_REAPED.values(), ids=AUTO_REAPED.keys())
def test_cpu_of_auto_reaped_children_is_found_or_marked_as_missing(run_assay, user, arguments):
    run = run_assay.load(*arguments, user=user)

    check_cpu(run)
    check_rungs(run)
    check_processes(run)
    assert run.headline["cpu_seconds"]["quality"] == "exact" or says(run, FORGOTTEN, "cpu_seconds")


def test_a_few_long_auto_reaped_children_do_not_pass_as_exact(run_assay, user):
    run = run_assay.load("nocldwait", 3, 150, user=user)

    check_cpu(run)
    check_processes(run)


@pytest.mark.parametrize("arguments", [("nocldwait", 20, 20), ("nocldwait", 300, 2)], ids=["few", "many"])
def test_without_perf_what_cannot_be_excluded_does_not_pass_as_exact(run_assay, user, arguments):
    run = run_assay.load(*arguments, options=["--measurements", "default,-perf_*"], user=user)

    check_cpu(run)


def test_spinning_is_user_time(run_assay, user):
    run = run_assay.load("steady", 500, user=user)

    # The load looks at its CPU clock between its rounds, which is a system call: up to a fifth is system time.
    assert run.headline["cpu_user_seconds"]["value"] >= 0.7 * run.truth["cpu_seconds"], run.headline


def test_mean_cores_are_cpu_by_wall(run_assay, user):
    headline = run_assay.load("burnt-then-idle", 300, 300, user=user).headline

    by_hand = headline["cpu_seconds"]["value"] / headline["wall_seconds"]["value"]
    assert abs(headline["cpu_mean_cores"]["value"] - by_hand) <= 0.002, headline


def test_peak_cores_see_that_one_thread_was_busy(run_assay, user):
    peak = run_assay.load("steady", 1000, options=["-i", "0.2s"], user=user).headline["cpu_peak_cores"]

    assert peak["value"] <= os.cpu_count()
    # One thread; but between the stamp of a reading and the reading the recorder may have waited for a processor, and two threads would be 2.
    assert peak["value"] < 1.5, peak


def test_wait_all_counts_a_daemon_that_outlives_the_command(run_assay, user):
    run = run_assay.load("daemon-outlives", 400, 50, options=["--wait-all"], user=user)

    check_exact_cpu(run)
    assert run.info["processes"].get("survivors", []) == []


def test_a_daemon_that_outlives_the_command_is_a_survivor_and_its_cpu_is_not_invented(run_assay, user):
    started = run_assay.start(["LOAD", "TRUTH", "daemon-outlives", "200", "600"], user=user)
    run = started.finish()
    truth = wait_for(started.truth, "the daemon's line of truth")

    survivors = run.info["processes"]["survivors"]
    assert [survivor["pid"] for survivor in survivors] == [truth["pid"]]
    assert survivors[0]["name"] == "load"
    assert run.info["processes"]["survivors_count"] == 1
    assert run.headline["cpu_seconds"]["value"] <= truth["cpu_seconds"] + tolerance(truth["cpu_seconds"])


def test_cpu_of_a_setuid_child_is_known_to_the_user_who_ran_it(run_assay, load, ordinary_user, room):
    if os.geteuid() != 0:
        pytest.skip("needs root to make a program of another user with the setuid bit")
    if os.statvfs(room).f_flag & os.ST_NOSUID:
        pytest.skip(f"the file system of {room} ignores the setuid bit")
    image = room / "load-setuid"
    shutil.copy(load, image)
    shutil.chown(image, "nobody")
    image.chmod(0o4755)

    run = run_assay.load("setuid-child", image, 400, user=ordinary_user)
    perf = [rung for rung in run.info["rungs"]["cpu"] if rung["key"] == "perf_cpu_seconds" and "value" in rung]

    claim = run.headline["cpu_seconds"]
    check_cpu(run)
    check_rungs(run)
    assert claim["value"] >= run.truth["cpu_seconds"] - tolerance(run.truth["cpu_seconds"]), (claim, run.truth)
    assert run.truth["cpu_seconds"] >= 0.4
    # perf stops at such a program: where this user has it at all, it says why it has less, and that it cannot tell.
    assert all(rung["value"] < 0.2 and "stops at a program that is setuid" in rung["why"] for rung in perf), perf


def test_the_mean_of_a_run_that_is_shorter_than_its_edges_is_an_estimate(run_assay):
    """CPU time of `false` may pass its wall time: 1.03 cores of one thread were told as exact."""
    run = run_assay(["false"])
    mean = run.info["headline"]["cpu_mean_cores"]

    assert run.info["time"]["wall_seconds"] >= 0.1 or mean["quality"] == "estimate", mean
