# SPDX-License-Identifier: MIT
"""Where little works (a /proc of others or none, namespaces, limits of next to nothing) the job runs all the same."""
import os
import shutil
from pathlib import Path

import pytest

from checks import check_exact_cpu

OUR_PROC_FILES = ("proc_stat", "proc_statm", "proc_status", "proc_io", "proc_fd")

needs_namespaces = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"),
                                      reason="needs root and unshare to make namespaces")


def collectors(run):
    return {collector["name"]: collector for collector in run.info["collectors"]}


def processes_in(run):
    return {p["pid"] for line in run.usage for p in line["processes"]}


def check_blind(run):
    """Nothing is said of processes that could not be looked at, and the record says why."""
    for name in OUR_PROC_FILES:
        collector = collectors(run)[name]
        assert not collector["available"] and "/proc" in collector["why"], collector
    assert processes_in(run) == set()
    assert run.headline["processes"]["quality"] == "lower_bound", run.headline["processes"]
    assert run.headline["processes"]["value"] <= run.truth["processes"]
    assert "io_write_bytes" not in run.headline
    assert "upper" not in run.headline["memory_peak_bytes"]
    assert abs(run.headline["cpu_seconds"]["value"] - run.truth["cpu_seconds"]) <= 0.02


JOB = ["sh", "-c", '"$0" "$1" children 20 10; exit 3', "LOAD", "TRUTH"]
OFTEN = ["-i", "20ms"]


@needs_namespaces
def test_the_proc_of_another_pid_namespace_is_not_believed(run_assay):
    run = run_assay(JOB, OFTEN, wrapper=["unshare", "--pid", "--fork"])

    assert run.status == 3
    assert "PID namespace" in collectors(run)["proc_stat"]["why"]
    check_blind(run)


@needs_namespaces
def test_in_a_pid_namespace_with_its_own_proc_everything_works(run_assay):
    run = run_assay(["LOAD", "TRUTH", "children", "20", "10"], OFTEN,
                    wrapper=["unshare", "--pid", "--fork", "--mount-proc"])

    assert run.status == 0
    assert all(collectors(run)[name]["available"] for name in OUR_PROC_FILES)
    assert run.info["monitor"]["job_pid"] in processes_in(run)
    assert "io_write_bytes" in run.headline
    check_exact_cpu(run)


HIDE_PROC = {"unmounted": "umount -l /proc", "an_empty_tmpfs_over_it": "mount -t tmpfs tmpfs /proc"}


@needs_namespaces
@pytest.mark.parametrize("hide", HIDE_PROC.values(), ids=HIDE_PROC.keys())
def test_without_proc_the_job_runs_and_the_record_says_what_is_missing(run_assay, assay, hide):
    if b"__asan_init" in Path(assay).read_bytes():
        pytest.skip("the address sanitizer itself needs /proc")
    run = run_assay(JOB, OFTEN, wrapper=["unshare", "--mount", "sh", "-c", f'{hide} && exec "$@"', "sh"])

    assert run.status == 3
    check_blind(run)


@needs_namespaces
def test_where_proc_shows_a_user_only_their_own_processes_nothing_is_lost(run_assay, ordinary_user):
    script = ('mount -t proc -o hidepid=2 proc /proc && '
              f'exec setpriv --reuid={ordinary_user.uid} --regid={ordinary_user.gid} --clear-groups "$@"')
    run = run_assay(["LOAD", "TRUTH", "children", "20", "10"], OFTEN,
                    wrapper=["unshare", "--mount", "sh", "-c", script, "sh"])

    assert run.status == 0
    assert run.info["user"]["uid"] == ordinary_user.uid
    assert run.info["monitor"]["job_pid"] in processes_in(run)
    check_exact_cpu(run)


def test_a_file_size_limit_of_nothing_keeps_the_exit_status(run_assay):
    run = run_assay(["sh", "-c", "sleep 0.3; exit 3"], OFTEN, wrapper=["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"],
                    quiet=False, complete=False)

    assert run.status == 3, run.stderr


@pytest.mark.parametrize("descriptors", [5, 8, 12])
def test_the_job_runs_where_there_are_hardly_any_descriptors(run_assay, descriptors):
    run = run_assay(["sh", "-c", "echo here; exit 3"], OFTEN,
                    wrapper=["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh"], quiet=False, complete=False)

    assert run.status == 3, run.stderr
    assert run.stdout == b"here\n"
