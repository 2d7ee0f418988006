# SPDX-License-Identifier: MIT
"""What a job was allowed and how often it came to that: against limits that the test sets, and the kernel's own counters."""
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

MIB = 1024 * 1024


def bounds_of(info, name, source=None):
    return [bound for bound in info["target_limits"] if bound["name"] == name and source in (None, bound["source"])]


def tightest_of(info, name):
    found = [bound for bound in bounds_of(info, name) if bound["tightest"]]
    assert len(found) == 1, bounds_of(info, name)
    return found[0]


def own_directory(controller):
    """Where our own cgroup of version 1 is, or None."""
    paths = [line.split(":", 2)[2] for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
             if controller in line.split(":", 2)[1].split(",")]
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields, _, end = line.partition(" - ")
        kind, _, options = end.split(" ")[:3]
        if kind == "cgroup" and controller in options.split(",") and fields.split()[3] == "/" and paths:
            return Path(fields.split()[4] + paths[0].rstrip("/"))
    return None


@pytest.fixture(name="cgroup_of")
def make_cgroups():
    """Makes a cgroup of version 1 for a controller, with a child in which the job will run: the limit stands above it."""
    if os.geteuid() != 0:
        pytest.skip("needs root to make cgroups")
    made = []

    def make(controller):
        top = own_directory(controller)
        if top is None:
            pytest.skip(f"no cgroup hierarchy of version 1 with {controller}")
        job = top / f"assay-test-bounds-{os.getpid()}"
        for path in (job, job / "step"):
            path.mkdir()
            made.append(path)
        return job

    yield make
    for path in reversed(made):
        path.rmdir()


def into(cgroup):
    return ["sh", "-c", 'echo $$ >"$0/step/cgroup.procs" && exec "$@"', str(cgroup)]


def test_a_memory_limit_of_an_ancestor_is_the_one_and_its_hits_are_counted(run_assay, cgroup_of, room):
    cgroup = cgroup_of("memory")
    (cgroup / "memory.limit_in_bytes").write_text(str(64 * MIB))

    # Cache of a file is charged, and given back when the limit is reached: hits without an end.
    run = run_assay(["sh", "-c", 'dd if=/dev/zero of="$1" bs=1M count=200 && cat "$2" >"$3"', "sh", str(room / "big"),
                     str(cgroup / "memory.failcnt"), str(room / "hits")], wrapper=into(cgroup), quiet=False)

    at_the_end, later = int((room / "hits").read_text()), int((cgroup / "memory.failcnt").read_text())
    bound = tightest_of(run.info, "memory")
    assert run.status == 0, run.stderr
    assert (bound["source"], bound["limit"], bound["unit"]) == ("cgroup", 64 * MIB, "bytes")
    assert bound["where"] == f"{cgroup}/memory.limit_in_bytes"
    assert bound["note"].startswith("set 1 level up")
    assert 0 < at_the_end <= bound["hits"] <= later
    assert re.search(r"of 64 MiB [a-z ]+ \(cgroup memory.limit_in_bytes\)", run.stderr.decode()), run.stderr
    assert f"limit hit {bound['hits']} time" in run.stderr.decode()
    assert not [line for line in run.stderr.decode().splitlines() if len(line) > 80 and not line.startswith("  record")]


def test_where_the_sum_with_swap_has_the_same_limit_no_zero_is_claimed(run_assay, cgroup_of, room):
    cgroup = cgroup_of("memory")
    if not (cgroup / "memory.memsw.limit_in_bytes").exists():
        pytest.skip("this kernel does not account for swap")
    (cgroup / "memory.limit_in_bytes").write_text(str(64 * MIB))
    (cgroup / "memory.memsw.limit_in_bytes").write_text(str(64 * MIB))

    run = run_assay(["dd", "if=/dev/zero", f"of={room}/big", "bs=1M", "count=200"], wrapper=into(cgroup))

    counted = max(int((cgroup / name).read_text()) for name in ("memory.failcnt", "memory.memsw.failcnt"))
    bound = tightest_of(run.info, "memory")
    assert (bound["source"], bound["limit"]) == ("cgroup", 64 * MIB)
    assert [b["limit"] for b in bounds_of(run.info, "memory_and_swap")] == [64 * MIB]
    # The limit was reached for sure; what matters is that 0 is never said.
    assert 0 < bound["hits"] <= counted if counted else "hits" not in bound


def test_a_limit_is_recorded_when_the_run_begins(run_assay, cgroup_of, room):
    cgroup = cgroup_of("memory")
    (cgroup / "memory.limit_in_bytes").write_text(str(512 * MIB))
    os.mkfifo(room / "go")

    started = run_assay.start(["sh", "-c", 'cat "$0"', str(room / "go")], wrapper=into(cgroup))
    bound = tightest_of(started.running_info(), "memory")
    (room / "go").write_text("")
    end = tightest_of(started.finish().info, "memory")

    assert (bound["limit"], bound["hits"]) == (512 * MIB, 0)
    assert end == bound


def test_a_cpu_quota_is_recorded_with_the_periods_that_were_throttled(run_assay, cgroup_of, room):
    cgroup = cgroup_of("cpu")
    if not (cgroup / "cpu.cfs_quota_us").exists():
        pytest.skip("this kernel has no CPU quota (CONFIG_CFS_BANDWIDTH)")
    (cgroup / "cpu.cfs_period_us").write_text("20000")
    (cgroup / "cpu.cfs_quota_us").write_text("5000")

    run = run_assay(["sh", "-c", 'cat "$0" >"$1"; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; cat "$0" >"$2"',
                     str(cgroup / "cpu.stat"), str(room / "first"), str(room / "last")], wrapper=into(cgroup), quiet=False)

    def counts(path):
        return {key: int(value) for key, value in (line.split() for line in path.read_text().splitlines())}

    first, last, later = counts(room / "first"), counts(room / "last"), counts(cgroup / "cpu.stat")
    bound = tightest_of(run.info, "cpu")
    assert (bound["source"], bound["limit"], bound["unit"]) == ("cgroup", 0.25, "cores")
    assert bound["where"] == f"{cgroup}/cpu.cfs_quota_us"
    # What the job itself saw is within what was counted around it.
    assert 0 < last["nr_throttled"] - first["nr_throttled"] <= bound["hits"] <= later["nr_throttled"]
    assert last["nr_periods"] - first["nr_periods"] <= bound["periods"] <= later["nr_periods"]
    assert last["throttled_time"] - first["throttled_time"] <= round(bound["throttled_seconds"] * 1e9) <= later["throttled_time"]
    text = " ".join(run.stderr.decode().split())
    assert "of 0.25 cores at peak (cgroup cpu.cfs_quota_us)" in text
    assert f"throttled in {bound['hits']} of {bound['periods']} periods" in text
    assert [note for note in run.info["notes"] if note.startswith("cpu: throttled in")]


FORKS = """
import os
reading, writing = os.pipe()
children, refused = [], 0
for _ in range(16):
    try:
        child = os.fork()
    except BlockingIOError:
        refused += 1
        continue
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    children.append(child)
os.close(writing)
for child in children:
    os.waitpid(child, 0)
print(refused)
"""


def test_forks_that_were_refused_are_counted(run_assay, cgroup_of):
    cgroup = cgroup_of("pids")
    (cgroup / "pids.max").write_text("12")

    run = run_assay(["/usr/bin/python3", "-c", FORKS], wrapper=into(cgroup), quiet=False)

    refused = int(run.stdout)
    bound = tightest_of(run.info, "processes")
    assert run.status == 0, run.stderr
    assert (bound["source"], bound["limit"], bound["unit"]) == ("cgroup", 12, "count")
    assert refused > 0
    assert bound["hits"] == refused
    assert f"limit hit {refused} time" in run.stderr.decode()
    assert [note for note in run.info["notes"] if "could not be started" in note]


@pytest.fixture(name="in_2_gb")
def limited_address_space(assay):
    """A wrapper that limits the address space."""
    wrapper = ["sh", "-c", 'ulimit -v 2000000 && exec "$0" "$@"']
    if subprocess.run([*wrapper, str(assay), "--version"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this build needs more address space than that (an address sanitizer does)")
    return wrapper


def test_an_address_space_limit_is_that_of_the_job(run_assay, user, in_2_gb):
    run = run_assay(["true"], user=user, wrapper=in_2_gb, quiet=False)

    bound = tightest_of(run.info, "memory")
    assert (bound["source"], bound["limit"]) == ("RLIMIT_AS", 2000000 * 1024)
    assert "hits" not in bound
    assert "of 1.91 GiB resident in the largest process (RLIMIT_AS)" in run.stderr.decode()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs to take one away")
def test_cpus_that_are_taken_away_by_affinity_bound_the_job(run_assay, user):
    cpu = min(os.sched_getaffinity(0))
    run = run_assay(["true"], user=user, wrapper=["taskset", "-c", str(cpu)], quiet=False)

    bound = tightest_of(run.info, "cpu")
    assert (bound["source"], bound["limit"]) == ("affinity", 1)
    assert bound["where"].endswith(f"({cpu})")
    assert "of 1 core at peak (affinity)" in run.stderr.decode()


def test_the_doctor_lists_the_same_limits_as_a_run(run_assay, user, in_2_gb):
    variables = {"SLURM_MEM_PER_NODE": "64", "SLURM_CPUS_ON_NODE": "1"}
    run = run_assay(["true"], user=user, wrapper=in_2_gb, env=run_assay.environment(variables))
    out = subprocess.run([*in_2_gb, str(run_assay.assay), "doctor", "--json"], check=True, stdout=subprocess.PIPE,
                         env=run_assay.environment(variables), **user.popen_arguments()).stdout
    listed = json.loads(out)["limits"]

    def keys(bounds):
        return {(b["name"], b["source"], b["where"], b["limit"], b["tightest"]) for b in bounds}

    assert keys(listed) == keys(run.info["target_limits"])
    assert ("memory", "slurm", "SLURM_MEM_PER_NODE", 64 * MIB, True) in keys(listed)
    assert ("memory", "RLIMIT_AS", "/proc/PID/limits", 2000000 * 1024, False) in keys(listed)


@pytest.mark.parametrize("value", ["-1", "4G", "99999999999999999999", "0x10", "garbage", b"\xff"])
def test_a_request_that_cannot_be_one_is_left_out_with_a_note(run_assay, value):
    run = run_assay(["true"], env=run_assay.environment({"SLURM_MEM_PER_NODE": value, "SLURM_CPUS_ON_NODE": "1"}))

    assert bounds_of(run.info, "memory", "slurm") == []
    assert [bound["limit"] for bound in bounds_of(run.info, "cpu", "slurm")] == [1]
    assert [note for note in run.info["notes"] if note.startswith("SLURM_MEM_PER_NODE ")]
