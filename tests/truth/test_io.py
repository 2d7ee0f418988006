# SPDX-License-Identifier: MIT
"""Bytes read and written, in calls and in storage, against what the loads moved."""
import os
import subprocess

import pytest

from checks import MIB, check_io


def needs_disk(room):
    kind = subprocess.run(["stat", "-f", "-c", "%T", str(room)], check=True, capture_output=True, text=True)
    if kind.stdout.strip() in ("tmpfs", "ramfs"):
        pytest.skip(f"{room} is in memory: nothing written there reaches storage")


def load_undisturbed(run_assay, *words, user):
    """Run anew, twice at most, where the claim is weaker than it need be: perf counted time that a hypervisor took for time of lost children, or the
    parent was so quick, or the kernel's word so late, that nothing shows that it waited."""
    for _ in range(3):
        # or the next turn cuts what this one has written, and the kernel counts that as cancelled
        for written in [*run_assay.room.glob("part-*"), *run_assay.room.glob("written")]:
            written.unlink()
        run = run_assay.load(*words, user=user)
        why = run.headline["io_write_syscall_bytes"].get("why", "")
        if "perf saw CPU time of children" not in why and "nothing shows that anybody waited" not in why:
            break
    return run


def made_file(room, size):
    path = room / "data"
    with open(path, "wb") as out:
        out.write(b"x" * size)
        out.flush()
        os.fsync(out.fileno())
    path.chmod(0o644)
    return path


def test_buffered_writes_are_counted_in_calls_and_in_storage(run_assay, user, room):
    needs_disk(room)
    run = run_assay.load("io-write", room / "written", 64, user=user)

    check_io(run, "io_write_syscall_bytes", "exact")
    check_io(run, "io_write_bytes", "exact")


def test_direct_writes_are_counted_in_calls_and_in_storage(run_assay, user, room):
    needs_disk(room)
    run = run_assay.load("io-write-direct", room / "written", 64, user=user)

    if run.status == 77:
        pytest.skip("this file system refuses O_DIRECT")
    check_io(run, "io_write_syscall_bytes", "exact")
    check_io(run, "io_write_bytes", "exact")


def test_writes_through_a_mapping_are_storage_and_no_calls(run_assay, user, room):
    needs_disk(room)
    run = run_assay.load("io-write-mapped", room / "written", 64, user=user)

    check_io(run, "io_write_syscall_bytes", "exact")
    check_io(run, "io_write_bytes", "exact")


def check_cancelled(run):
    """All of it became dirty, nothing of it was written."""
    claim = run.headline["io_write_bytes"]
    cancelled = run.info["summary"]["tree_io_cancelled_write_bytes"]["value"]

    assert cancelled >= 64 * MIB, "what the test is about"
    if claim["quality"] == "upper_bound":
        assert claim["lower"] == claim["value"] - cancelled <= MIB and claim["value"] >= 64 * MIB, claim
        assert f"{cancelled} bytes never reached storage" in claim["why"], claim
    else:
        assert claim["quality"] == "lower_bound" and claim["value"] <= MIB, claim


def test_what_is_deleted_before_it_is_written_is_in_no_exact_number(run_assay, user, room):
    needs_disk(room)
    run = load_undisturbed(run_assay, "io-write-cancelled", room / "written", 64, user=user)

    check_io(run, "io_write_syscall_bytes", "exact")
    assert run.headline["io_write_bytes"]["quality"] == "upper_bound", run.headline["io_write_bytes"]
    check_cancelled(run)


def test_what_is_deleted_before_it_is_written_is_in_no_lower_bound(run_assay, user, room):
    """Nothing shows that every child was waited for."""
    needs_disk(room)
    command = ["sh", "-c", '"$0" "$@"; exit $?', "LOAD", "TRUTH", "io-write-cancelled", room / "written", "64"]
    run = run_assay(command, ["--measurements", "default,-perf_*,-connector_*"], user=user)

    assert run.headline["io_write_bytes"]["quality"] == "lower_bound", run.headline["io_write_bytes"]
    check_cancelled(run)


def test_short_children_that_write_are_counted_once_each(run_assay, user, room):
    needs_disk(room)
    run = load_undisturbed(run_assay, "io-children", room, 20, 10, "waited", user=user)

    check_io(run, "io_write_syscall_bytes", "exact")
    check_io(run, "io_write_bytes", "exact")


def test_auto_reaped_children_that_write_make_a_lower_bound_with_its_reason(run_assay, user, room):
    run = run_assay.load("io-children", room, 20, 10, "ignored", user=user)

    check_io(run, "io_write_syscall_bytes")
    check_io(run, "io_write_bytes")


def test_reads_from_the_page_cache_are_calls_and_not_storage(run_assay, user, room):
    run = run_assay.load("io-read-cached", made_file(room, 64 * MIB), 64, user=user)

    check_io(run, "io_read_syscall_bytes", "exact")
    assert run.headline["io_read_bytes"]["value"] <= 4 * MIB, run.headline["io_read_bytes"]


def test_reads_from_the_device_are_storage(run_assay, user, room):
    needs_disk(room)
    run = run_assay.load("io-read-cold", made_file(room, 64 * MIB), 64, user=user)

    check_io(run, "io_read_syscall_bytes", "exact")
    check_io(run, "io_read_bytes", "exact")


def test_writes_to_memory_are_calls_and_not_storage(run_assay, user):
    run = run_assay.load("memory-unmapped", 32, 50, user=user)

    check_io(run, "io_write_syscall_bytes", "exact")
    assert run.headline["io_write_bytes"]["value"] <= MIB, run.headline["io_write_bytes"]
