# SPDX-License-Identifier: MIT
"""What is read from a cgroup against the cgroup's own files: assay and its job run in one that the test made."""
import os
import re
import shutil
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

from checks import MIB
from support import CPU_TOLERANCE_SECONDS, wait_for

# Of the job's memory beside what it touches: libc, page tables, stacks, assay and its keeper, the binaries' page cache.
REST_BYTES = 48 * MIB


def mounted(version, controller):
    """Where the whole of a hierarchy is mounted, or None."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ")
        kind, _, options = after.split(" ", 2)
        fits = kind == "cgroup2" if version == 2 else kind == "cgroup" and controller in options.split(",")
        if fits and before.split()[3] == "/":
            return Path(before.split()[4])
    return None


class Made:
    """A directory in each of some hierarchies of version 1."""

    def __init__(self, *controllers):
        self.at = {c: mounted(1, c) / f"assay-test-{os.getpid()}" for c in controllers}
        for directory in self.at.values():
            directory.mkdir()

    def read(self, controller, name):
        return (self.at[controller] / name).read_text()

    def number(self, controller, name):
        return int(self.read(controller, name))

    def key(self, controller, name, key):
        return int(re.search(rf"^{key} (\d+)$", self.read(controller, name), re.M).group(1))

    @property
    def wrapper(self):
        enter = "".join(f"echo $$ >'{directory}/cgroup.procs' && " for directory in self.at.values())
        return ["sh", "-c", f'{enter}exec "$@"', "sh"]

    def remove(self):
        for directory in self.at.values():
            wait_for(lambda at=directory: not (at / "cgroup.procs").read_text(), "the cgroup to be empty")
            directory.rmdir()


@contextmanager
def made(*controllers):
    if os.geteuid() != 0:
        pytest.skip("needs root to make a cgroup of version 1")
    missing = [c for c in controllers if not mounted(1, c)]
    if missing:
        pytest.skip(f"needs version 1 of the {' and '.join(missing)} controller")
    cgroup = Made(*controllers)
    try:
        yield cgroup
    finally:
        cgroup.remove()


def rung(run, quantity, key):
    return next(r for r in run.info["rungs"][quantity] if r["key"] == key)


def summary(run, key):
    return run.info["summary"][key]


@pytest.mark.parametrize("arguments", [("steady", 500), ("nocldwait", 20, 20)], ids=["one_process", "auto_reaped_children"])
def test_cpu_time_is_what_the_cgroup_counted(run_assay, arguments):
    with made("cpuacct") as cgroup:
        run = run_assay.load(*arguments, wrapper=cgroup.wrapper)
        counted = cgroup.number("cpuacct", "cpuacct.usage") / 1e9

    found = rung(run, "cpu", "cgroup_cpu_seconds")
    # The cgroup held nobody else at either end, and what assay used itself is taken off; what it has more than the tree may be another's.
    assert found["quality"] == "upper_bound" if arguments[0] != "steady" else found["quality"] == "exact" or run.ends_are_dear(), found
    assert run.truth["cpu_seconds"] - CPU_TOLERANCE_SECONDS / 10 <= found["value"] <= counted, (found, run.truth)
    # The recorder was in it, too.
    assert found["value"] <= counted - run.info["self"]["cpu_seconds"] + CPU_TOLERANCE_SECONDS, (found, counted, run.info["self"])


def test_charged_memory_and_its_parts_are_those_of_the_cgroup(run_assay):
    with made("memory") as cgroup:
        run = run_assay.load("memory-steady", 128, 1000, options=["-i", "50ms"], wrapper=cgroup.wrapper)
        peak = cgroup.number("memory", "memory.max_usage_in_bytes")

    assert rung(run, "memory_charged_peak", "cgroup_memory_peak_bytes") == {
        "key": "cgroup_memory_peak_bytes", "value": peak, "quality": "upper_bound", "in_use": True}
    current = rung(run, "memory_charged_peak", "cgroup_memory_current_bytes")
    assert 128 * MIB <= current["value"] <= peak
    assert current["quality"] == "estimate"
    anon = summary(run, "cgroup_last_memory_anon_at_peak_bytes")["value"]
    assert 128 * MIB <= anon <= 128 * MIB + REST_BYTES
    parts = sum(summary(run, f"cgroup_last_memory_{part}_at_peak_bytes")["value"] for part in ("anon", "shmem", "kernel"))
    assert parts == summary(run, "cgroup_last_memory_nonreclaimable_peak_bytes")["value"]
    assert summary(run, "cgroup_peak_memory_nonreclaimable_bytes")["value"] == parts


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare to make a cgroup namespace")
def test_in_a_cgroup_namespace_under_mounts_from_outside_the_same_cgroup_is_found(run_assay):
    with made("memory") as cgroup:
        run = run_assay.load("memory-steady", 64, 300, wrapper=[*cgroup.wrapper, "unshare", "--cgroup"])
        peak = cgroup.number("memory", "memory.max_usage_in_bytes")

    assert rung(run, "memory_charged_peak", "cgroup_memory_peak_bytes")["value"] == peak


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare to make namespaces")
def test_in_a_container_that_sees_only_its_part_the_limit_above_is_known(run_assay):
    limit = 512 * MIB
    with made("memory") as cgroup:
        inner, mount = cgroup.at["memory"] / "inner", mounted(1, "memory")
        inner.mkdir()
        (cgroup.at["memory"] / "memory.limit_in_bytes").write_text(str(limit))
        enter = f'echo $$ >{inner}/cgroup.procs && mount --bind {inner} {mount} && exec unshare --cgroup "$@"'
        try:
            run = run_assay.load("memory-steady", 64, 300, wrapper=["unshare", "--mount", "sh", "-c", enter, "sh"])
            peak = int((inner / "memory.max_usage_in_bytes").read_text())
        finally:
            wait_for(lambda: not (inner / "cgroup.procs").read_text(), "the cgroup to be empty")
            inner.rmdir()

    assert rung(run, "memory_charged_peak", "cgroup_memory_peak_bytes")["value"] == peak
    assert summary(run, "cgroup_last_memory_limit_bytes") == {"value": limit, "quality": "exact"}


def test_an_ordinary_user_reads_the_same(run_assay, ordinary_user):
    drop = ["setpriv", f"--reuid={ordinary_user.uid}", f"--regid={ordinary_user.gid}", "--clear-groups"]
    with made("memory", "cpuacct", "pids") as cgroup:
        run = run_assay.load("memory-steady", 64, 300, wrapper=[*cgroup.wrapper, *drop])
        peak = cgroup.number("memory", "memory.max_usage_in_bytes")
        counted = cgroup.number("cpuacct", "cpuacct.usage") / 1e9

    assert run.info["user"]["uid"] == ordinary_user.uid
    assert rung(run, "memory_charged_peak", "cgroup_memory_peak_bytes")["value"] == peak
    assert run.truth["cpu_seconds"] - CPU_TOLERANCE_SECONDS / 10 <= rung(run, "cpu", "cgroup_cpu_seconds")["value"] <= counted
    assert summary(run, "cgroup_peak_pids_current_count")["value"] >= 3


def test_shared_memory_nobody_has_mapped_is_charged_as_such(run_assay):
    with made("memory") as cgroup:
        run = run_assay.load("memory-unmapped", 128, 1000, options=["-i", "50ms"], wrapper=cgroup.wrapper)

    shmem = summary(run, "cgroup_last_memory_shmem_at_peak_bytes")["value"]
    assert 128 * MIB <= shmem <= 129 * MIB
    assert summary(run, "cgroup_last_memory_anon_at_peak_bytes")["value"] <= REST_BYTES


def test_page_cache_is_no_part_of_what_cannot_be_reclaimed(run_assay, room):
    data = room / "cached"
    with made("memory") as cgroup:
        run = run_assay(["sh", "-c", f"head -c {128 * MIB} /dev/zero >{data}; sleep 0.3"], ["-i", "50ms"],
                        wrapper=cgroup.wrapper)
        peak = cgroup.number("memory", "memory.max_usage_in_bytes")

    assert peak >= 128 * MIB
    assert summary(run, "cgroup_peak_memory_file_bytes")["value"] >= 128 * MIB
    assert summary(run, "cgroup_last_memory_nonreclaimable_peak_bytes")["value"] <= REST_BYTES


def test_a_limit_that_was_hit_shows_with_its_kills(run_assay):
    with made("memory") as cgroup:
        limit = 96 * MIB
        (cgroup.at["memory"] / "memory.limit_in_bytes").write_text(str(limit))
        run = run_assay(["LOAD", "TRUTH", "memory-steady", "256", "1000"], ["-i", "50ms"], wrapper=cgroup.wrapper)
        failures = cgroup.number("memory", "memory.failcnt")
        kills = cgroup.key("memory", "memory.oom_control", "oom_kill")

    assert run.status == -signal.SIGKILL
    assert kills >= 1
    assert summary(run, "cgroup_last_memory_limit_bytes") == {"value": limit, "quality": "exact"}
    assert summary(run, "cgroup_oom_kills_count")["value"] == kills
    assert 0 < summary(run, "cgroup_memory_limit_hits_count")["value"] <= failures
    assert "memory.oom_control oom_kill" in run.info["outcome"]["words"], run.info["outcome"]


def test_tasks_are_counted_with_their_threads(run_assay):
    with made("pids") as cgroup:
        (cgroup.at["pids"] / "pids.max").write_text("200")
        run = run_assay.load("threads", 8, 300, options=["-i", "50ms"], wrapper=cgroup.wrapper)
        peak = cgroup.number("pids", "pids.peak") if (cgroup.at["pids"] / "pids.peak").exists() else None

    assert summary(run, "cgroup_last_pids_limit_count") == {"value": 200, "quality": "exact"}
    assert summary(run, "cgroup_peak_pids_current_count")["value"] >= 5  # the load with two threads at a time, assay, its keeper
    if peak is None:
        assert "cgroup_last_pids_peak_count" not in run.info["summary"]
    else:
        assert summary(run, "cgroup_last_pids_peak_count")["value"] == peak


def test_a_quota_shows_with_the_time_it_took_away(run_assay):
    with made("cpu", "cpuacct") as cgroup:
        (cgroup.at["cpu"] / "cpu.cfs_quota_us").write_text("20000")
        run = run_assay.load("steady", 100, wrapper=cgroup.wrapper)
        throttled = cgroup.key("cpu", "cpu.stat", "nr_throttled")

    assert summary(run, "cgroup_last_cpu_quota_percent") == {"value": 20, "quality": "exact"}
    assert 0 < summary(run, "cgroup_cpu_throttled_periods_count")["value"] <= throttled
    assert summary(run, "cgroup_cpu_throttled_seconds")["value"] > 0


def test_a_command_that_moves_elsewhere_is_told_of(run_assay):
    with made("memory", "pids") as cgroup:
        below, beside = cgroup.at["memory"] / "below", cgroup.at["pids"].with_name(f"assay-test-beside-{os.getpid()}")
        below.mkdir()
        beside.mkdir()
        try:
            run = run_assay(["sh", "-c", f"echo $$ >{below}/cgroup.procs; echo $$ >{beside}/cgroup.procs; sleep 0.5"],
                            ["-i", "50ms"], wrapper=cgroup.wrapper)
        finally:
            beside.rmdir()
            below.rmdir()

    notes = [note for note in run.info["notes"] if "moved" in note]
    assert len(notes) == 1 and str(cgroup.at["pids"]) in notes[0], run.info["notes"]
