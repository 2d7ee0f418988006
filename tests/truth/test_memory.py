# SPDX-License-Identifier: MIT
"""Peaks of memory against what was touched: sudden, shared, copied, mapped and invisible."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from checks import MIB, check_memory, check_memory_process, says
from support import SLOWNESS, skip_with_a_sanitizer

OFTEN = ["-i", "0.2s"]
HOLD_MS = 1500
# Rounds of PSS are the rarer the longer the kernel takes for one, and pages that were copied are small ones. Where it is emulated, 32 MiB of them for
# 12 seconds last two rounds, and two processes that fill 128 MiB each are not ready at the same time.
COPIED_MIB = 32
# Each of the nine touches all of it: on a crowded machine more takes longer than they wait for each other.
SHARED_MIB = 100
PATIENT_MS = 12000

HELD = {
    "steady": ("memory-steady", 256, HOLD_MS),
    "one_mapping_shared_by_nine_processes": ("memory-shared", SHARED_MIB, 9, HOLD_MS),
    "copy_on_write_halves": ("memory-copied", 256, HOLD_MS) if SLOWNESS == 1 else ("memory-copied", COPIED_MIB, PATIENT_MS),
    "a_vfork_child_that_takes_its_time": ("memory-vfork", 256, HOLD_MS),
    "a_process_whose_main_thread_has_ended": ("memory-headless", 128, HOLD_MS if SLOWNESS == 1 else PATIENT_MS // 2),
    "a_mapped_memfd": ("memory-mapped", 256, HOLD_MS),
}
SUDDEN = {
    "1_GiB_for_20_ms": ("memory-spike", 1024, 20, 300),
    "two_children_at_once_for_20_ms": ("memory-twins", 300, 20),
    "a_peak_then_exec_of_something_tiny": ("memory-then-exec", 512, 20, 300),
    "a_big_parent_that_spawns_true": ("big-parent", 512, 5),
    "an_auto_reaped_child": ("memory-forgotten", 256, 20),
}


@pytest.mark.parametrize("arguments", HELD.values(), ids=HELD.keys())
def test_a_peak_that_lasts_is_bracketed_tightly(run_assay, user, arguments):
    run = run_assay.load(*arguments, options=OFTEN, user=user)

    check_memory(run, held=True)
    check_memory_process(run)


@pytest.mark.parametrize("arguments", SUDDEN.values(), ids=SUDDEN.keys())
def test_a_peak_between_two_samples_lies_within_the_bounds(run_assay, user, arguments):
    run = run_assay.load(*arguments, options=["-i", "1s"], user=user)

    check_memory(run, held=False)
    check_memory_process(run)


def test_a_peak_of_one_process_between_two_samples_is_not_missed(run_assay, user):
    run = run_assay.load("memory-spike", 512, 20, 300, options=["-i", "1s"], user=user)

    check_memory(run, held=True)  # the kernel's own mark of the largest process raises the lower bound


def test_a_steady_peak_is_seen_at_one_sample_a_second(run_assay, user):
    size_and_time = (128, 3000) if SLOWNESS == 1 else (COPIED_MIB, PATIENT_MS)
    run = run_assay.load("memory-copied", *size_and_time, options=["-i", "1s"], user=user)

    check_memory(run, held=True)


def test_a_mapped_file_is_memory_of_the_process(run_assay, user, room):
    data = room / "data"
    data.write_bytes(b"x" * (128 * MIB))
    data.chmod(0o644)

    run = run_assay.load("memory-file", data, 128, HOLD_MS, options=OFTEN, user=user)

    check_memory(run, held=True)
    check_memory_process(run)


def test_memory_that_nobody_maps_is_marked_and_within_the_bounds(run_assay, user):
    run = run_assay.load("memory-unmapped", 256, HOLD_MS, options=OFTEN, user=user)

    check_memory(run, held=False)
    assert says(run, r"(?i)tmpfs|memfd|mapped", "memory_peak_bytes"), run.headline["memory_peak_bytes"]
    assert run.headline["memory_peak_process_bytes"]["value"] < 128 * MIB


def test_what_strangers_give_back_meanwhile_does_not_hide_memory_that_nobody_maps(run_assay, user):
    kind = subprocess.run(["stat", "-f", "-c", "%T", "/dev/shm"], check=False, capture_output=True)
    if kind.stdout != b"tmpfs\n":
        pytest.skip("/dev/shm is no memory file system here")
    theirs = Path(f"/dev/shm/assay-test-{os.getpid()}")
    theirs.write_bytes(bytes(200 * MIB))
    shutil.chown(theirs, user.uid, user.gid)
    try:
        run = run_assay(["sh", "-c", 'rm "$0"; exec "$@"', str(theirs), "LOAD", "TRUTH", "memory-unmapped", "256", str(HOLD_MS)], OFTEN, user=user)
    finally:
        theirs.unlink(missing_ok=True)

    assert run.status == 0
    check_memory(run, held=False)


def test_peaks_carry_the_size_of_a_tiny_command_when_it_is_tiny(run_assay, user):
    # The command has at least what the process was that it is forked from, and a sanitizer makes that one large.
    skip_with_a_sanitizer(run_assay.assay, "makes assay itself larger than a tiny command")
    run = run_assay.load("steady", 50, user=user)

    assert run.headline["memory_peak_process_bytes"]["value"] <= 8 * MIB, run.headline
    assert run.headline["memory_peak_process_bytes"]["value"] >= os.sysconf("SC_PAGE_SIZE")
