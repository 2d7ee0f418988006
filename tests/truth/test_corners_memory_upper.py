# SPDX-License-Identifier: MIT
"""The upper bound of the job's peak: true whatever the processes do, and near the truth where the kernel tells of each end."""
import pytest

from checks import MIB, check_memory

SELDOM = ["-i", "1s"]

# Each: the load; whether the bound is near the truth where each process's own mark is known.
LOADS = {
    "one_of_five_is_large": (("memory-one-of", 5, 300, 10, 300), True),
    "one_of_twenty_is_large": (("memory-one-of", 20, 300, 5, 300), True),
    "one_after_the_other": (("memory-in-turn", 12, 150), True),
    "all_are_as_large": (("memory-likes", 60, 4, 300), True),
    "large_before_they_call_exec": (("memory-execs", 3, 120, 50), False),
    "shared_at_samples_and_not_between": (("memory-turned", 3, 100, 2500), False),
    "shared_by_all": (("memory-shared", 100, 4, 1500), False),
    "two_for_a_moment": (("memory-twins", 200, 20), True),
    "copied_in_part": (("memory-copied", 128, 500), False),
}


@pytest.fixture
def with_records(run_assay):
    """Options with which the kernel's records of ended tasks are read."""
    options = [*SELDOM, "--measurements", "default,taskstats_*"]
    if run_assay(["true"], options, complete=False).status != 0:
        pytest.skip("the kernel's records of ended tasks are not to be had here")
    return options


def upper_bound(run):
    claim = run.headline["memory_peak_bytes"]
    if "upper" not in claim:
        pytest.skip(f"nothing tells of every process here: {claim.get('why')}")
    return claim["upper"]


@pytest.mark.parametrize("arguments, near", LOADS.values(), ids=LOADS.keys())
def test_the_upper_bound_is_true(run_assay, user, arguments, near):
    run = run_assay.load(*arguments, options=SELDOM, user=user)

    check_memory(run, held=False)
    assert upper_bound(run) >= run.truth["memory_peak_bytes"], run.headline["memory_peak_bytes"]


@pytest.mark.alone  # the bound has in it what others put into shared memory, or had swapped out, meanwhile
@pytest.mark.parametrize("arguments, near", LOADS.values(), ids=LOADS.keys())
def test_the_upper_bound_is_near_where_the_kernel_tells_of_each_end(run_assay, with_records, arguments, near):
    run = run_assay.load(*arguments, options=with_records)

    check_memory(run, held=False)
    upper, truth = upper_bound(run), run.truth["memory_peak_bytes"]
    assert upper >= truth, run.headline["memory_peak_bytes"]
    if near:
        assert upper <= 1.5 * truth, (run.headline["memory_peak_bytes"], truth)


def test_programs_that_a_shell_starts_are_within_the_bound(run_assay, with_records):
    """A shell's child is of an unknown size until it calls exec: as large as the largest at most."""
    command = 'for i in 1 2 3 4 5; do "$0" "$1" memory-steady 20 700 & done; "$0" "$1" memory-steady 200 700 & wait'
    run = run_assay(["sh", "-c", command, "LOAD", "TRUTH"], with_records)

    assert upper_bound(run) >= 300 * MIB, run.headline["memory_peak_bytes"]
