# SPDX-License-Identifier: MIT
"""Processes that change parents, end while they are looked at, or have many threads: seen at once and counted once."""
import os

import pytest

from checks import check_exact_cpu, check_processes, nothing_could_tell
from support import skip_with_a_sanitizer

EACH_SAMPLE = ["-i", "0.1s", "--report-interval", "0.1s"]
WITHOUT_PROCESS_EVENTS = ["--measurements", "default,-connector_*"]
# What a load writes beside what it states: its line of truth.
TRUTH_LINE_BYTES = 1024
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("arguments", [("io-zombies", 100, 4), ("io-orphans", 200, 6)], ids=["zombies", "orphans"])
def test_io_of_children_that_are_reaped_during_a_look_is_counted_once(run_assay, arguments):
    run = run_assay.load(*arguments, options=["-i", "2ms"])
    claim, truth = run.headline["io_write_syscall_bytes"], run.truth["io_write_syscall_bytes"]

    assert claim["quality"] == "exact" or nothing_could_tell(run, claim), claim
    assert truth <= claim["value"] <= truth + TRUTH_LINE_BYTES, (claim, run.truth)
    check_processes(run)


def with_process(run, pid):
    """The windows that have a line of the process, and that line of each."""
    found = [(line, p) for line in run.usage for p in line["processes"] if p["pid"] == pid]
    assert found, f"process {pid} is in no window of the series"
    return [line for line, _ in found], [p for _, p in found]


def birth_seconds(run, process):
    """When the process was made, on the clock of the series; some ticks late, as the command was made before its start."""
    (job_start,) = {p["start_time_ticks"] for line in run.usage for p in line["processes"]
                    if p["pid"] == run.info["monitor"]["job_pid"]}
    return (process["start_time_ticks"] - job_start) / CLOCK_TICKS


@pytest.mark.parametrize("options", [[], WITHOUT_PROCESS_EVENTS], ids=["default", "without_process_events"])
@pytest.mark.parametrize("shape", ["subreaper", "clone-parent"])
def test_a_child_given_to_a_sleeping_process_is_seen_within_two_samples(run_assay, shape, options):
    run = run_assay.load(shape, 350, 300, options=[*EACH_SAMPLE, *options])
    windows, lines = with_process(run, run.truth["pid"])
    born = birth_seconds(run, lines[0])
    missed = [w for w in run.usage if w["start_seconds"] >= born and w["sequence"] < windows[0]["sequence"]]

    assert born >= 0.3
    assert len(missed) <= 1, (born, windows[0]["end_seconds"])
    # A window in which it was seen for the first time and was gone has none.
    assert sum(p["values"].get("proc_cpu_seconds", {"delta": 0})["delta"] for p in lines) >= 0.29
    assert sum(w["values"]["tree_cpu_seconds"]["delta"] for w in windows) >= 0.28, "the job's CPU stalled"
    check_exact_cpu(run)


def test_without_perf_memory_of_children_that_nobody_waits_for_has_no_upper_bound(run_assay):
    skip_with_a_sanitizer(run_assay.assay, "makes the recorder so large that the job's peak is the one it inherits")
    run = run_assay.load("nocldwait-memory", 200, options=["--measurements", "default,-perf_*"])

    assert "upper" not in run.headline["memory_peak_bytes"], run.headline["memory_peak_bytes"]
    assert run.headline["memory_peak_bytes"]["quality"] == "lower_bound"
    for quantity in ("memory_peak_process_bytes", "io_write_syscall_bytes", "cpu_seconds"):
        assert "SA_NOCLDWAIT" in run.headline[quantity].get("why", ""), run.headline[quantity]


def test_three_thousand_threads_are_one_process(run_assay, user):
    run = run_assay.load("many-threads", 3000, 2000, options=["-i", "0.1s"], user=user)

    # a window in which it was gone at each look has none
    key = "proc_threads_total_count"
    assert max(w["values"][key]["max"] for w in run.usage if key in w["values"]) >= 3001
    assert run.headline["processes"]["value"] == 1
    check_exact_cpu(run)
