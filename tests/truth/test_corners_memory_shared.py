# SPDX-License-Identifier: MIT
"""One address space seen through several processes is counted once: in bounds, in sums, and where a limit is judged."""
import pytest

from checks import MIB, check_memory

OFTEN = ["-i", "0.2s"]
SIZE_MIB = 160
HOLD_MS = 2000
LIMIT_HIT = 124

SHARED = {
    "their_parent_has_ended": ("memory-sharers", SIZE_MIB, 3, HOLD_MS),
    "their_parent_is_never_of_the_same_size": ("memory-busy-sharers", SIZE_MIB, 2, HOLD_MS),
}


def without_kcmp(run_assay):
    return (str(run_assay.load_path), "/dev/null", "without-kcmp")


def largest_sum(run):
    return run.info["summary"]["proc_peak_pss_total_bytes"]


@pytest.mark.parametrize("arguments", SHARED.values(), ids=SHARED.keys())
def test_an_address_space_of_several_processes_is_in_the_sum_once(run_assay, user, arguments):
    run = run_assay.load(*arguments, options=OFTEN, user=user)

    check_memory(run, held=True)
    assert largest_sum(run)["value"] <= 1.15 * run.truth["memory_peak_bytes"], run.info["summary"]


@pytest.mark.parametrize("kcmp", [True, False], ids=["kcmp", "without_kcmp"])
@pytest.mark.parametrize("arguments", SHARED.values(), ids=SHARED.keys())
def test_a_job_of_several_processes_with_one_address_space_keeps_its_limit(run_assay, user, arguments, kcmp):
    run = run_assay.load(*arguments, options=[*OFTEN, "--limit", f"memory={SIZE_MIB + 60}M"], user=user,
                         wrapper=() if kcmp else without_kcmp(run_assay))

    assert run.status == 0
    assert "limit" not in run.info
    assert run.info["summary"]["proc_peak_rss_total_bytes"]["value"] > (SIZE_MIB + 60) * MIB, "or nothing was tried"


@pytest.mark.parametrize("arguments", SHARED.values(), ids=SHARED.keys())
def test_what_cannot_be_told_apart_is_in_the_bound_once_and_the_sum_is_an_estimate(run_assay, user, arguments):
    run = run_assay.load(*arguments, options=OFTEN, user=user, wrapper=without_kcmp(run_assay))

    check_memory(run, held=True)
    total = largest_sum(run)
    if total["value"] > 1.15 * run.truth["memory_peak_bytes"]:
        assert total["quality"] in ("estimate", "lower_bound"), total
        assert any("kcmp" in note for note in run.info["notes"]), run.info["notes"]


def test_forks_of_one_size_are_no_views_of_one_memory(run_assay, user):
    run = run_assay.load("memory-likes", 60, 4, HOLD_MS, options=OFTEN, user=user)

    check_memory(run, held=True)


def test_forks_of_one_size_are_beyond_a_limit_together(run_assay):
    run = run_assay(["LOAD", "TRUTH", "memory-likes", "60", "4", "60000"], [*OFTEN, "--limit", "memory=150M"])

    assert run.status == LIMIT_HIT
    # More than one of them holds, and seen as soon as it is beyond the limit.
    assert 150 * MIB < run.info["limit"]["value"] < 280 * MIB


def test_a_target_that_is_attached_to_has_a_shared_address_space_once(run_assay, stage, user):
    load = run_assay.spawn([str(run_assay.load_path), "/dev/null", "memory-sharers", str(SIZE_MIB), "3", "3000"], "load", user=user)
    watch = stage.attach(f"session:{load.pid}", f"group:{load.pid}", options=OFTEN, ready=False, user=user)
    infos = [watch.finish().info, *watch.beside()]
    load.wait(60)

    assert len(infos) == 2
    for info in infos:
        claim = info["headline"]["memory_peak_bytes"]
        assert SIZE_MIB * MIB * 0.95 <= claim["value"] <= (SIZE_MIB + 10) * MIB, claim
        assert info["summary"]["proc_peak_pss_total_bytes"]["value"] <= 1.15 * SIZE_MIB * MIB, info["summary"]
