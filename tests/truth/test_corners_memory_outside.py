# SPDX-License-Identifier: MIT
"""Memory outside of resident sets: huge pages, and what is swapped out of processes that rest meanwhile."""
import mmap
import os
import signal
import subprocess
from pathlib import Path

import pytest

from checks import MIB, check_memory, check_memory_process
from support import read_usage, skip_with_a_sanitizer, wait_for

# Huge pages and swap space are the machine's: while there are some, every other run's upper bound of memory has them in it.
pytestmark = pytest.mark.alone

OFTEN = ["-i", "0.2s"]
HUGE_PAGE = 2 * MIB
POOL = Path("/proc/sys/vm/nr_hugepages")
SIZE_MIB = 200
LEFT_MIB = 80


@pytest.fixture
def huge_pages():
    """A pool of them, for everybody; gone after the test."""
    if os.geteuid() != 0 or not POOL.exists():
        pytest.skip("needs root, and a kernel with huge pages, to make some")
    before = POOL.read_text()
    POOL.write_text("120")
    if int(POOL.read_text()) < 120:
        POOL.write_text(before)
        pytest.skip("the machine has no room for 120 huge pages")
    yield
    POOL.write_text(before)


@pytest.fixture
def swap_space(room):
    """A file to swap to; gone after the test."""
    path = room / "swap"
    with open(path, "wb") as file:
        for _ in range(256):
            file.write(bytes(MIB))
    path.chmod(0o600)
    for command in (["mkswap", str(path)], ["swapon", str(path)]):
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"needs leave to swap: {done.stderr.decode()}")
    yield
    subprocess.run(["swapoff", str(path)], check=True)


class Narrow:
    """A cgroup that a command enters, and that is narrowed then: the rest of its memory goes to swap."""

    def __init__(self, at):
        self.at = at

    def command(self, *words):
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.at / "cgroup.procs"), *words]

    def pid(self):
        return wait_for(lambda: (self.at / "cgroup.procs").read_text().split(), "a process in the cgroup")[0]

    def to(self, size):
        try:
            (self.at / "memory.limit_in_bytes").write_text(str(size))
        except OSError as error:
            pytest.skip(f"the kernel does not swap this out: {error}")


@pytest.fixture
def narrow(swap_space):
    at = Path("/sys/fs/cgroup/memory") / f"assay-corner-{os.getpid()}"
    try:
        at.mkdir()
    except OSError as error:
        pytest.skip(f"needs the memory controller of version 1: {error}")
    (at / "cgroup.procs").chmod(0o666)
    yield Narrow(at)
    for pid in (at / "cgroup.procs").read_text().split():
        os.kill(int(pid), signal.SIGKILL)
    wait_for(lambda: not (at / "cgroup.procs").read_text(), "the cgroup to be empty")
    at.rmdir()


def skip_if_refused(run):
    if run.status == 77:
        pytest.skip(run.stderr.decode())


def skip_where_the_recorder_is_large(run_assay):
    """The resident sets of these loads are small: all they have is outside."""
    skip_with_a_sanitizer(run_assay.assay, "makes the recorder so large that the largest process is the one it inherits")


def check_outside(run, total_key, part, truth):
    """The total of a measurement, and the part of the headline, have what there was."""
    total = run.info["summary"][total_key]
    assert truth * 0.95 <= total["value"] <= truth + 4 * MIB, total
    claim = run.headline[part]
    assert truth * 0.95 <= claim["value"] <= truth + 4 * MIB and claim["quality"] == "lower_bound", claim


@pytest.mark.parametrize("options", [OFTEN, ["-i", "1s"]], ids=["often", "each_second"])
def test_huge_pages_of_a_process_that_rests_are_seen_and_in_the_peak(run_assay, user, huge_pages, options):
    skip_where_the_recorder_is_large(run_assay)
    run = run_assay.load("memory-huge", 100, 1500, 3000, options=options, user=user)
    skip_if_refused(run)

    check_outside(run, "proc_peak_hugetlb_total_bytes", "memory_peak_huge_bytes", 100 * HUGE_PAGE)
    check_memory(run, held=True)
    check_memory_process(run)
    assert run.headline["memory_peak_process_bytes"]["value"] >= 100 * HUGE_PAGE


def test_huge_pages_that_are_mapped_several_times_are_in_the_peak_once(run_assay, user, huge_pages):
    skip_where_the_recorder_is_large(run_assay)
    run = run_assay.load("memory-huge-shared", 50, 3, 2000, options=OFTEN, user=user)
    skip_if_refused(run)

    check_memory(run, held=True)
    check_memory_process(run)


def test_a_peak_of_huge_pages_alone_is_below_the_upper_bound_when_no_sample_saw_it(run_assay, user, huge_pages):
    run = run_assay.load("memory-huge", 100, 0, 20, options=["-i", "10s"], user=user)
    skip_if_refused(run)

    check_memory(run, held=False)


def test_what_is_swapped_out_of_a_process_that_rests_is_seen_and_in_the_peak(run_assay, room, user, narrow):
    started = run_assay.start(narrow.command("LOAD", "TRUTH", "memory-resting", str(SIZE_MIB), "2500"), OFTEN, user=user,
                              stdin=subprocess.PIPE)
    wait_for(lambda: b"touched" in started.output("stdout"), "the load to touch its memory")
    status = Path(f"/proc/{narrow.pid()}/status")
    narrow.to(LEFT_MIB * MIB)
    swapped = int(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmSwap"))) * 1024
    assert swapped > 100 * MIB, "or nothing was tried"
    started.process.stdin.write(b"\n")
    started.process.stdin.close()
    run = started.finish()

    total = run.info["summary"]["proc_peak_swap_total_bytes"]
    assert swapped * 0.95 <= total["value"] <= SIZE_MIB * MIB, (total, swapped)
    check_memory(run, held=True)
    check_memory_process(run)
    upper = run.headline["memory_peak_bytes"].get("upper")
    assert upper is None or upper >= SIZE_MIB * MIB


@pytest.mark.parametrize("interval", ["0.1s", "0.3s"])
def test_a_mark_that_rose_just_before_a_process_came_to_rest_is_seen(run_assay, user, interval):
    run = run_assay.load("memory-spike", 48, 1, 1500, options=["-i", interval, "--report-interval", interval], user=user)

    marks = [process["values"]["proc_hwm_bytes"] for line in run.usage for process in line.get("processes", [])
             if "proc_hwm_bytes" in process["values"]]
    assert any(mark["max"] >= 48 * MIB and mark.get("quality", "exact") == "exact" for mark in marks), marks


def test_a_mark_that_is_older_than_its_sample_is_no_exact_one(run_assay, user):
    """Small and large in turn and never at rest: at a sample it is small mostly, and its mark rises between two of them."""
    run = run_assay.load("memory-rising", 40, 5, 20, options=["-i", "20ms", "--report-interval", "20ms"], user=user)
    marks = [process["values"]["proc_hwm_bytes"] for line in run.usage for process in line.get("processes", [])
             if "proc_hwm_bytes" in process["values"]]
    qualities = [mark.get("quality", "exact") for mark in marks]

    # Its file is not read at each of so many samples: what was not read in one is of an earlier one, and it works all the time.
    assert len(marks) > 20 and set(qualities) == {"exact", "lower_bound"}, marks
    assert all(mark["max"] <= 200 * MIB + 4 * MIB for mark in marks), marks


def test_a_sharer_outside_the_job_that_leaves_is_noticed_and_pss_tells_its_age(run_assay, room):
    size = 32 * MIB
    data = room / "data"
    data.write_bytes(b"x" * size)
    with open(data, "rb") as file, mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ) as shared:
        assert all(shared[at] == ord("x") for at in range(0, size, 4096))
        started = run_assay.start(["LOAD", "TRUTH", "memory-file", str(data), "32", "19000"], ["-i", "0.2s", "--report-interval", "0.2s"])
        totals = lambda: [line["values"].get("proc_pss_total_bytes", {}).get("last", 0) for line in read_usage(started.prefix, torn_end=True)]
        wait_for(lambda: any(0.45 * size <= total <= 0.6 * size for total in totals()), "half of what two have mapped")
        shared.close()
        wait_for(lambda: totals()[-1] >= 0.95 * size, "all of what one has mapped")
    started.process.send_signal(signal.SIGTERM)
    run = started.finish()

    ages = [line["values"]["proc_pss_age_seconds"]["max"] for line in run.usage if "proc_pss_age_seconds" in line["values"]]
    assert max(ages) > 1, "a round that stood for seconds said that it was new"
