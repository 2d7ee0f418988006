# SPDX-License-Identifier: MIT
"""Memory that one process maps several times, or that the kernel merged, is in no lower bound more than once."""
from pathlib import Path

import pytest

from checks import MIB, check_memory, check_memory_process, says

OFTEN = ["-i", "0.2s"]
SIZE_MIB = 105
HOLD_MS = 2000
KSM = Path("/sys/kernel/mm/ksm")

REPEATED = {
    "a_memfd": ("memory-mapped-often", SIZE_MIB, 5, HOLD_MS),
    "a_memfd_twice": ("memory-mapped-often", SIZE_MIB, 2, HOLD_MS),
    "a_segment_of_system_v": ("memory-attached-often", SIZE_MIB, 5, HOLD_MS),
    "a_memfd_beside_other_memory": ("memory-mapped-beside", 40, 2, 300, HOLD_MS),
}


@pytest.mark.parametrize("arguments", REPEATED.values(), ids=REPEATED.keys())
def test_memory_mapped_several_times_by_one_process_is_in_no_bound_as_often(run_assay, user, arguments):
    run = run_assay.load(*arguments, options=OFTEN, user=user)

    check_memory(run, held=True)
    check_memory_process(run)
    claim = run.headline["memory_peak_process_bytes"]
    assert claim["quality"] == "lower_bound" and claim["lower"] == claim["value"], claim
    assert claim["upper"] >= run.truth["memory_peak_process_bytes"], claim
    assert says(run, "maps more than once", "memory_peak_process_bytes")
    used, = [rung for rung in run.info["rungs"]["memory_process"] if rung["in_use"]]
    assert (used["key"], used["value"], used["quality"]) == (claim["key"], claim["value"], claim["quality"]), used
    for rung in run.info["rungs"]["memory_process"]:
        assert rung["in_use"] or rung["quality"] == "upper_bound" or rung["value"] <= claim["value"], rung


def test_without_pss_mappings_alone_tell_what_is_repeated(run_assay, user):
    run = run_assay.load(*REPEATED["a_memfd"], options=[*OFTEN, "--measurements", "proc_rss_bytes,proc_hwm_bytes,keeper_*"], user=user)

    check_memory(run, held=True)
    check_memory_process(run)


def test_a_target_that_is_attached_to_has_repeated_mappings_once(run_assay, stage, user):
    load = run_assay.spawn([str(run_assay.load_path), "/dev/null", *map(str, REPEATED["a_memfd"])], "load", user=user)
    info = stage.attach(load.pid, options=OFTEN, ready=False, user=user).finish().info
    load.wait(60)

    for quantity in ("memory_peak_bytes", "memory_peak_process_bytes"):
        claim = info["headline"][quantity]
        assert claim["quality"] == "lower_bound", claim
        assert SIZE_MIB * MIB * 0.95 <= claim["value"] <= (SIZE_MIB + 8) * MIB, (quantity, claim)


def test_memory_that_processes_share_is_still_wholly_of_each(run_assay, user):
    run = run_assay.load("memory-shared", 200, 5, HOLD_MS, options=OFTEN, user=user)

    check_memory(run, held=True)
    claim = run.headline["memory_peak_process_bytes"]
    assert claim["value"] >= 200 * MIB and "upper" not in claim, claim
    assert not says(run, "maps more than once", "memory_peak_process_bytes")


@pytest.fixture
def merging():
    """The kernel merges equal pages, and fast; as before after the test."""
    names = {"pages_to_scan": "20000", "sleep_millisecs": "1", "run": "1"}
    try:
        before = {name: (KSM / name).read_text() for name in names}
        for name, value in names.items():
            (KSM / name).write_text(value)
    except OSError as error:
        pytest.skip(f"needs leave to have pages merged: {error}")
    yield
    for name, value in before.items():
        (KSM / name).write_text(value)


def test_merged_pages_are_in_no_bound_as_often_as_they_were_written(run_assay, user, merging):
    run = run_assay.load("memory-merged", 16, 16, HOLD_MS, options=OFTEN, user=user)
    if run.status == 77:
        pytest.skip(run.stderr.decode())

    check_memory(run, held=False)
    check_memory_process(run)
    assert run.info["summary"]["proc_peak_rss_total_bytes"]["value"] > 200 * MIB, "or nothing was merged"
