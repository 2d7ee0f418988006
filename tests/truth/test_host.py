# SPDX-License-Identifier: MIT
"""What the whole machine did meanwhile, against readings of the same kernel files before, within and after the run: counters only grow, so a
right value lies between the growth from within to within and the growth from before to after."""
import json
import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from checks import MIB
from support import wait_for

TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")
CORES = os.sysconf("SC_NPROCESSORS_ONLN")
# The file cuts five states to a tick, and each processor's work may begin and end within one.
TICK_ERROR_SECONDS = (5 + CORES) * TICK_SECONDS
BUSY = ("user", "nice", "system", "irq", "softirq")
STATES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")

# Prints what the test reads itself, before and after the work of the job.
JOB = """
import json, subprocess, sys, time
def look():
    return {name: open(name).read() for name in sys.argv[2].split(",")}
first = look()
start = time.monotonic()
exec(sys.argv[1])
print(json.dumps({"first": first, "last": look()}))
"""


def cpu_of(text):
    numbers = [int(word) for word in text.splitlines()[0].split()[1:]]
    return {state: ticks * TICK_SECONDS for state, ticks in zip(STATES, numbers)}


def busy_of(text):
    return sum(cpu_of(text)[state] for state in BUSY)


def disks_of(text):
    """Reads and writes of the whole disks, in bytes; as diskstats and sysfs show them."""
    rows = [line.split() for line in text.splitlines()]
    disks = [row for row in rows if Path("/sys/block", row[2].replace("/", "!")).exists()
             and not row[2].startswith(("loop", "ram", "zram", "dm-", "md"))]
    return {"read": sum(int(row[5]) for row in disks) * 512, "write": sum(int(row[9]) for row in disks) * 512}


class Bracket:
    """A run between two readings of ours, with two readings of the job's own in it."""

    def __init__(self, run_assay, work, files, options=(), **start):
        before = {name: Path(name).read_text() for name in files}
        self.run = run_assay(["/usr/bin/python3", "-c", JOB, work, ",".join(files)], options, **start)
        after = {name: Path(name).read_text() for name in files}
        assert self.run.status == 0, self.run.stderr.decode()
        inner = json.loads(self.run.stdout)
        self.outer, self.inner = (before, after), (inner["first"], inner["last"])

    def growth(self, name, read):
        """The least and the most that a counter can have grown during the run."""
        return tuple(read(last[name]) - read(first[name]) for first, last in (self.inner, self.outer))

    def total(self, key):
        return self.run.info["summary"][key]["value"]


@contextmanager
def busy_loops(n):
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(n)]
    try:
        for loop in loops:
            wait_for(lambda pid=loop.pid: ran_seconds(Path(f"/proc/{pid}/schedstat").read_text()) > 0.05, "a busy loop")
        yield loops
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def ran_seconds(schedstat):
    return int(schedstat.split()[0]) / 1e9


def needs_kernels_stat():
    if Path("/proc/stat").stat().st_dev != Path("/proc/self/stat").stat().st_dev:
        pytest.skip("/proc/stat here is made up by another file system (lxcfs)")


# A job that waits: what it uses is next to nothing.
WAIT = "time.sleep(1.5)"
# Beyond what it took to get there: an interpreter's start is not short everywhere.
BURN = "end = time.process_time() + 1\nwhile time.process_time() < end: pass"
BURN_ALONE = f"import time\n{BURN}"


def test_busy_loops_outside_the_job_are_what_others_used(run_assay, user):
    needs_kernels_stat()
    with busy_loops(2) as loops:
        clocks = [f"/proc/{loop.pid}/schedstat" for loop in loops]
        bracket = Bracket(run_assay, WAIT, ["/proc/stat", *clocks], user=user, quiet=False)
    share = bracket.run.info["host_cpu"]
    of_loops = sum(bracket.growth(clock, ran_seconds)[0] for clock in clocks)
    most = bracket.growth("/proc/stat", busy_of)[1]

    assert of_loops > 0.2, "the loops were kept from running: this test would show nothing"
    assert share["view"] == "machine"
    assert share["error_seconds"] == pytest.approx(TICK_ERROR_SECONDS)
    assert of_loops - TICK_ERROR_SECONDS <= share["others_seconds"] <= most, (of_loops, share, most)
    assert share["others_mean_cores"] == pytest.approx(share["others_seconds"] / share["elapsed_seconds"], abs=0.001)
    assert b"others used " in bracket.run.stderr


def test_what_the_job_itself_burns_is_not_of_others(run_assay, user):
    needs_kernels_stat()
    bracket = Bracket(run_assay, BURN, ["/proc/stat"], user=user)
    share = bracket.run.info["host_cpu"]
    most = bracket.growth("/proc/stat", busy_of)[1]

    assert share["job_seconds"] == bracket.run.headline["cpu_seconds"]["value"] >= 1
    assert share["others_seconds"] <= most - 1 + TICK_ERROR_SECONDS, (share, most)
    rest = share["busy_seconds"] - share["job_seconds"] - share["self_seconds"]
    assert share["others_seconds"] == pytest.approx(max(rest, 0), abs=1e-6)


def test_cpu_totals_lie_between_our_own_readings_of_them(run_assay, user):
    needs_kernels_stat()
    bracket = Bracket(run_assay, BURN, ["/proc/stat"], ["--measurements", "default,host_cpu_*"], user=user)

    least, most = bracket.growth("/proc/stat", busy_of)
    assert least - 1e-6 <= bracket.total("host_cpu_seconds") <= most + 1e-6
    assert least > 0.9
    for state in ("user", "nice", "system", "softirq", "steal"):
        least, most = bracket.growth("/proc/stat", lambda text, state=state: cpu_of(text)[state])
        assert least - 1e-6 <= bracket.total(f"host_cpu_{state}_seconds") <= most + 1e-6, state


def test_cores_add_up_to_the_whole(run_assay):
    needs_kernels_stat()
    run = run_assay(["/usr/bin/python3", "-c", BURN_ALONE],
                    ["--measurements", "host_cpu_seconds,host_core_busy_seconds,host_core_busy_percent"])
    cores = {device["name"]: device["summary"] for device in run.info["devices"] if device["kind"] == "cpu"}

    assert set(cores) == {line.split()[0] for line in Path("/proc/stat").read_text().splitlines()
                          if line.startswith("cpu") and line[3].isdigit()}
    whole = sum(core["host_core_busy_seconds"]["value"] for core in cores.values())
    # Each core's five states are cut to a tick of their own, at both ends.
    assert whole == pytest.approx(run.info["summary"]["host_cpu_seconds"]["value"], abs=5 * (CORES + 1) * TICK_SECONDS)
    assert whole >= 1 - TICK_ERROR_SECONDS
    assert all(0 <= core["host_mean_core_busy_percent"]["value"] <= 110 for core in cores.values()), cores


def test_written_and_synced_bytes_reach_the_disks_of_the_machine(run_assay, user, room):
    filesystem = subprocess.run(["stat", "-f", "-c", "%T", str(room)], check=True, capture_output=True, text=True)
    if filesystem.stdout.strip() in ("tmpfs", "ramfs", "nfs", "overlayfs"):
        pytest.skip(f"{room} is on {filesystem.stdout.strip()}: nothing written there need reach a disk of this machine")
    work = f"subprocess.run(['dd', 'if=/dev/urandom', 'of={room}/written', 'bs=1M', 'count=48', 'conv=fsync'], check=True)"
    bracket = Bracket(run_assay, work, ["/proc/diskstats"], user=user)

    least, most = bracket.growth("/proc/diskstats", lambda text: disks_of(text)["write"])
    assert bracket.total("host_disk_write_bytes") >= 48 * MIB
    assert least <= bracket.total("host_disk_write_bytes") <= most
    least, most = bracket.growth("/proc/diskstats", lambda text: disks_of(text)["read"])
    assert least <= bracket.total("host_disk_read_bytes") <= most


def pressure_of(text):
    return int(text.splitlines()[0].rpartition("=")[2]) / 1e6


def test_pressure_lies_between_our_own_readings_of_it(run_assay, user):
    files = [f"/proc/pressure/{resource}" for resource in ("cpu", "memory", "io")]
    if not Path(files[0]).exists():
        pytest.skip("this kernel keeps no pressure stall information")
    # More work than processors, so that some of it waits.
    work = f"for p in [subprocess.Popen([sys.executable, '-c', {BURN_ALONE!r}]) for _ in range({CORES + 1})]: p.wait()"
    bracket = Bracket(run_assay, work, files, user=user)

    for resource, name in zip(("cpu", "memory", "io"), files):
        least, most = bracket.growth(name, pressure_of)
        assert least - 1e-6 <= bracket.total(f"host_pressure_{resource}_some_seconds") <= most + 1e-6, resource
    assert bracket.total("host_pressure_cpu_some_seconds") > 0.1


def test_memory_in_use_rises_by_what_the_job_takes_and_is_of_the_whole_machine(run_assay, user):
    run = run_assay(["/usr/bin/python3", "-c", "import time\nheld = b'x' * (256 << 20)\ntime.sleep(1)"],
                    ["--measurements", "default,host_memory_*"], user=user)
    summary = run.info["summary"]
    total = int(Path("/proc/meminfo").read_text().split()[1]) * 1024

    assert summary["host_last_memory_total_bytes"]["value"] == total
    assert summary["host_peak_memory_used_bytes"]["value"] + summary["host_min_memory_available_bytes"]["value"] == total
    assert summary["host_peak_memory_anonymous_bytes"]["value"] >= 256 * MIB
    assert run.info["host"]["memory_total_bytes"] == total


def test_nothing_of_the_machine_is_read_when_none_of_it_is_asked_for(run_assay):
    run = run_assay(["true"], ["--measurements", "minimal"])

    assert "host_cpu" not in run.info
    assert not [key for key in run.info["summary"] if key.startswith("host_")]
    assert not any(collector["reads"] for collector in run.info["collectors"] if collector["name"].startswith("host_"))


def test_pressure_and_load_are_of_the_run_and_not_of_the_time_before(run_assay):
    started = time.monotonic()
    run = run_assay(["true"])
    elapsed = time.monotonic() - started

    for key, entry in run.info["summary"].items():
        if key.startswith("host_pressure") and key.endswith("_seconds"):
            assert entry["value"] <= elapsed, (key, entry)
    assert run.info["summary"]["host_cpu_seconds"]["value"] <= CORES * (elapsed + TICK_SECONDS) + 5 * TICK_SECONDS
