# SPDX-License-Identifier: MIT
"""Bytes moved in every way the kernel has, and by families that end in unusual ways: no exact number and no bound may be false."""
import re

import pytest

from checks import IO_SLACK_BYTES, MIB, check_io, nothing_could_tell
from test_io import needs_disk

WAYS = ["positions", "vectors", "sendfile", "copy_file_range", "splice", "aio", "mapping", "truncated", "unlinked", "over", "holes", "room", "devices",
        "pipe", "socket", "terminal", "failures", "short", "limit", "memory", "counters", "cold-mapping", "cold-readahead", "cold-direct", "synced"]
WAITED = ["threads-first", "leader-first", "exec-by-a-thread", "vfork", "sibling", "killed", "many-and-short", "orphaned", "closed", "zombie-kept"]
# What they wrote may go before it is stored.
CANCELLED = {"truncated", "unlinked"}
# Of some end nothing shows that anybody waited for it, or nobody did.
PERHAPS_LOST = ["leaderless-forks", "init-ends", "forgetful-reaper", "zombie-left"]
OFTEN = ("-i", "50ms", "--report-interval", "50ms")


def check_cancelled(run):
    """All of it was given to the kernel, and next to nothing need have reached storage: a bound from each side."""
    claim, written = run.headline["io_write_bytes"], run.truth["io_write_bytes"]
    assert claim["quality"] == "upper_bound" and "storage" in claim["why"], claim
    assert written - IO_SLACK_BYTES <= claim["value"] <= written + IO_SLACK_BYTES, (claim, run.truth)
    assert claim["lower"] <= IO_SLACK_BYTES, claim


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_move_bytes_is_counted_as_the_kernel_defines_it(run_assay, user, room, way):
    needs_disk(room)
    run = run_assay.load("known-io", way, room, user=user)
    if run.status == 77:
        pytest.skip(run.stderr.decode())

    for quantity in ("io_read_syscall_bytes", "io_write_syscall_bytes", "io_read_bytes", "io_write_bytes"):
        if quantity == "io_write_bytes" and way in CANCELLED:
            check_cancelled(run)
        else:
            check_io(run, quantity, "exact")
    assert run.headline["processes"]["value"] == 1, run.headline["processes"]


def check_series(run, truth):
    """What a line of the series calls exact grew no later than the line's end; what it may lack is a lower bound."""
    values = [line["values"]["tree_io_write_syscall_bytes"] for line in run.usage]
    assert all(value["last"] <= truth + MIB // 16 for value in values), values
    return values


@pytest.mark.parametrize("family", WAITED)
def test_families_whose_every_member_is_waited_for_are_counted_whole(run_assay, user, family):
    run = run_assay.load("known-ends", family, user=user, options=OFTEN)
    claim, truth = run.headline["io_write_syscall_bytes"], run.truth["io_write_syscall_bytes"]

    # Whether one that its parent waited for at once was waited for at all may be open.
    unproven = nothing_could_tell(run, claim) or re.search("nothing shows that anybody waited|perf saw CPU time of children", claim.get("why", ""))
    assert claim["quality"] == "exact" or claim["quality"] == "lower_bound" and unproven, claim
    assert truth <= claim["value"] <= truth + MIB // 16, (claim, truth)
    if run.headline["processes"]["quality"] == "exact":
        assert run.headline["processes"]["value"] == run.truth["processes"], run.headline["processes"]
    else:
        assert run.headline["processes"]["value"] <= run.truth["processes"], run.headline["processes"]
    check_series(run, truth)


@pytest.mark.parametrize("family", PERHAPS_LOST)
def test_families_that_may_have_lost_a_member_make_a_lower_bound(run_assay, user, family):
    run = run_assay.load("known-ends", family, user=user, options=OFTEN)
    if run.status == 77:
        pytest.skip(run.stderr.decode())
    claim, truth = run.headline["io_write_syscall_bytes"], run.truth["io_write_syscall_bytes"]

    assert claim["value"] <= truth + MIB // 16, (claim, truth)
    assert claim["quality"] == "lower_bound" or claim["value"] >= truth, (claim, truth)
    assert claim["quality"] == "exact" or claim["why"], claim
    check_series(run, truth)


def test_what_a_zombie_wrote_last_is_in_the_series_before_anybody_waits_for_it(run_assay, user):
    run = run_assay.load("known-ends", "zombie-kept", user=user, options=OFTEN)

    values = check_series(run, run.truth["io_write_syscall_bytes"])
    zombies = [line["values"]["tree_zombies_count"]["last"] for line in run.usage]
    # The child may end between the look and the reading of its file: then the next line has it.
    settled = [value for value, before, now in zip(values[1:], zombies, zombies[1:]) if before and now]
    assert settled, zombies
    for value in settled:
        assert value["last"] >= 9 * MIB or value["quality"] == "lower_bound", (value, values)
