# SPDX-License-Identifier: MIT
"""Memory of every make whose peak is known: no claim of it, in any place, is on the wrong side, and none is weaker than it has to be."""
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from checks import BASELINE_BYTES, MIB, says
from support import SLOWNESS, wait_for

SIZE_MIB = 40
HOLD_MS = 120 * SLOWNESS
# What samples alone tell apart lasts for many of them.
SEEN_MS = 2000 * SLOWNESS
# Where no sample comes meanwhile, nothing waits for one.
UNHELD_MS = 10
OFTEN = ["-i", "50ms"]
SELDOM = ["-i", "30s"]
BY_SIGNAL = {"killed": -signal.SIGKILL, "killed-with-views": -signal.SIGKILL, "broken": -signal.SIGSEGV}

# Of one resident set that holds nothing twice, which rests.
PLAIN = ["populated", "locked", "grown-by-mremap", "moved-and-kept", "free-to-take", "cold", "huge-by-advice", "closed-to-itself",
         "by-userfaultfd", "stacks-of-threads", "tables-of-pages", "limited", "one-space", "killed", "broken", "hidden-from-others", "zombie-beside"]
# No sample need see the largest moment.
PASSING = ["truncated", "punched", "given-back", "heap-that-shrinks", "in-turn", "moment-of-a-child", "before-exec"]
# Several, whose sum is known; and what the kernel may merge, if it does meanwhile.
SUMS = ["mergeable", "parts-copied", "wiped-on-fork", "mapped-by-four", "sealed-and-read-by-others", "twenty", "one-large-of-twenty", "orphan", "another-user", "namespaces"]
# What one process maps more than once, while samples see it.
VIEWS = ["memfd-five-times", "private-views-of-a-memfd", "many-small-views", "file-three-times", "remapped-views", "posix-twice", "repeated-by-four",
         "killed-with-views", "views-hidden-from-others", "views-in-namespaces"]
# Memory that is in no address space, or not of any process. It is in the upper bound as far as a sample saw it.
UNMAPPED = ["system-v-left", "allocated-only", "written-private-view", "full-pipes", "full-sockets", "on-its-way"]


def run_known(run_assay, name, options, hold_ms=HOLD_MS, **start):
    hold_ms = UNHELD_MS if options[:2] == SELDOM else hold_ms
    run = run_assay(["LOAD", "TRUTH", "memory-known", name, str(SIZE_MIB), str(hold_ms)], options, **start)
    if run.status == 77:
        pytest.skip(run.stderr.decode())
    assert run.status == BY_SIGNAL.get(name, 0), run.stderr.decode(errors="replace")
    return run


def bounds(claim):
    """What the claim says that there was at least, and at most; None where it does not say."""
    value, quality = claim["value"], claim["quality"]
    return (claim.get("lower", value if quality in ("exact", "lower_bound", "sampled") else 0),
            claim.get("upper", value if quality in ("exact", "upper_bound") else None))


def assert_holds(claim, truth, slack=BASELINE_BYTES):
    lower, upper = bounds(claim)
    assert lower <= truth + slack, (claim, truth)
    assert upper is None or upper >= truth - truth // 100, (claim, truth)


def assert_promise(info, usage, truth, unmapped=0):
    """Of the headline, the rungs and the series. `unmapped`: of the peak, what nobody mapped, which samples alone see."""
    peak, largest = truth["memory_peak_bytes"], truth["memory_peak_process_bytes"]
    lower, upper = bounds(info["headline"]["memory_peak_bytes"])
    assert lower <= peak + BASELINE_BYTES, (info["headline"], truth)
    assert upper is None or upper >= (peak - unmapped) * 99 // 100, (info["headline"], truth)
    assert_holds(info["headline"]["memory_peak_process_bytes"], largest)
    charged = info["headline"].get("memory_peak_charged_bytes")
    if charged and charged["quality"] == "exact":
        assert charged["value"] >= peak * 97 // 100, (charged, truth)
    for rung in info["rungs"].get("memory_peak", []) + info["rungs"].get("memory_process", []):
        if rung.get("quality") == "lower_bound":
            assert rung["value"] <= peak + BASELINE_BYTES, (rung, truth)
    for line in usage:
        total = line.get("totals", {}).get("proc_pss_total_bytes")
        if total and total.get("quality", "sampled") in ("exact", "sampled", "lower_bound"):
            assert total["max"] <= peak + BASELINE_BYTES, (total, truth)


def unmapped_of(name, truth):
    return truth["memory_peak_bytes"] if name in UNMAPPED else 0


@pytest.mark.parametrize("name", PLAIN)
def test_what_one_process_has_for_a_while_is_exact_and_bounded_near(run_assay, user, name):
    run = run_known(run_assay, name, OFTEN, user=user)

    assert_promise(run.info, run.usage, run.truth)
    truth = run.truth["memory_peak_process_bytes"]
    claim = run.headline["memory_peak_process_bytes"]
    # Without process events it is not known that every one was waited for.
    assert claim["quality"] == "exact" or claim["quality"] == "lower_bound" and says(run, "wait|events", "memory_peak_process_bytes"), claim
    assert run.headline["memory_peak_bytes"]["quality"] == "lower_bound", run.headline
    assert truth * 95 // 100 <= claim["value"] <= truth + BASELINE_BYTES, (claim, truth)
    assert run.headline["memory_peak_bytes"]["lower"] >= truth * 95 // 100, run.headline


@pytest.mark.parametrize("name", ["populated", "grown-by-mremap", "stacks-of-threads"])
def test_a_peak_is_no_estimate_without_perf(run_assay, user, name):
    run = run_known(run_assay, name, [*OFTEN, "--measurements", "default,-perf_*"], user=user)

    assert run.headline["memory_peak_process_bytes"]["quality"] in ("exact", "lower_bound"), run.headline
    assert run.headline["memory_peak_bytes"]["quality"] == "lower_bound", run.headline


@pytest.mark.parametrize("name", PASSING)
def test_what_lasts_no_sample_is_within_the_bounds(run_assay, user, name):
    run = run_known(run_assay, name, SELDOM, user=user)

    assert_promise(run.info, run.usage, run.truth)
    claim, truth = run.headline["memory_peak_process_bytes"], run.truth["memory_peak_process_bytes"]
    assert truth * 95 // 100 <= claim["value"] <= truth + BASELINE_BYTES, (claim, truth)
    assert claim["quality"] in ("exact", "lower_bound"), claim


@pytest.mark.parametrize("name", SUMS)
def test_what_several_have_together_is_within_the_bounds(run_assay, name):
    run = run_known(run_assay, name, OFTEN)

    assert_promise(run.info, run.usage, run.truth)


@pytest.mark.parametrize("name", VIEWS)
def test_what_is_mapped_several_times_is_in_no_bound_as_often(run_assay, user, name):
    run = run_known(run_assay, name, OFTEN, SEEN_MS, user=user)

    assert_promise(run.info, run.usage, run.truth)
    claim = run.headline["memory_peak_process_bytes"]
    assert claim["quality"] in ("lower_bound", "exact"), claim


@pytest.mark.parametrize("name", UNMAPPED)
def test_what_nobody_maps_is_in_no_lower_bound(run_assay, name):
    run = run_known(run_assay, name, OFTEN)

    assert_promise(run.info, run.usage, run.truth, unmapped_of(name, run.truth))


@pytest.mark.parametrize("name", ["truncated", "moment-of-a-child", "parts-copied"])
def test_the_kernels_own_peak_has_all_of_it(run_assay, name):
    if os.geteuid() != 0:
        pytest.skip("needs root to make a cgroup")
    run = run_known(run_assay, name, [*SELDOM, "--cgroup=own"])

    assert_promise(run.info, run.usage, run.truth)


@pytest.mark.parametrize("name", ["memfd-five-times", "remapped-views", "one-space"])
def test_a_limit_is_not_reached_by_what_is_mapped_twice(run_assay, user, name):
    run = run_known(run_assay, name, [*OFTEN, "--limit", f"memory={SIZE_MIB + 32}M"], SEEN_MS, user=user)

    assert "limit" not in run.info
    assert_promise(run.info, run.usage, run.truth)


def test_a_limit_is_reached_by_what_is_there(run_assay):
    run = run_assay(["LOAD", "TRUTH", "memory-known", "populated", "64", "60000"], [*OFTEN, "--limit", "memory=48M"])

    assert run.status == 124
    assert 48 * MIB < run.info["limit"]["value"] <= (64 * MIB) + BASELINE_BYTES


@pytest.mark.parametrize("name", ["memfd-five-times", "populated", "mapped-by-four", "hidden-from-others", "file-three-times"])
def test_the_same_is_true_of_a_target_that_is_attached_to(run_assay, stage, user, name):
    truth_path = run_assay.room / "attached.truth"
    load = run_assay.spawn([str(run_assay.load_path), str(truth_path), "memory-known", name, str(SIZE_MIB), str(SEEN_MS)], "load", user=user)
    watch = stage.attach(f"session:{load.pid}", options=OFTEN, ready=False, user=user).finish()
    assert load.wait(60) == 0
    truth = json.loads(truth_path.read_text())

    for quantity in ("memory_peak_bytes", "memory_peak_process_bytes"):
        if quantity in watch.info["headline"]:
            assert_holds(watch.info["headline"][quantity], truth[quantity])


def test_memory_that_a_stranger_maps_as_well_is_wholly_the_jobs(run_assay, user):
    shared = Path(f"/dev/shm/assay-known-{os.getpid()}")
    shared.write_bytes(bytes(SIZE_MIB * MIB))
    shared.chmod(0o666)
    stranger = run_assay.spawn([str(run_assay.load_path), "/dev/null", "memory-file", str(shared), str(SIZE_MIB), "60000"], "stranger")
    try:
        wait_for(lambda: f"{shared}" in Path(f"/proc/{stranger.pid}/maps").read_text(), "the stranger to map it")
        run = run_assay.load("memory-file", shared, SIZE_MIB, HOLD_MS, options=OFTEN, user=user)
    finally:
        stranger.kill()
        stranger.wait()
        shared.unlink()

    assert_promise(run.info, run.usage, run.truth)


def test_a_group_that_kills_itself_leaves_no_false_record(run_assay, user):
    """assay is in the group, so that its record has no end."""
    started = run_assay.start(["LOAD", "TRUTH", "memory-known", "group-killed", str(SIZE_MIB), str(HOLD_MS)], OFTEN, user=user)
    run = started.finish(complete=False)

    claims = (run.info or {}).get("headline", {})
    for quantity in ("memory_peak_bytes", "memory_peak_process_bytes"):
        if quantity in claims:
            assert_holds(claims[quantity], run.truth[quantity])


def test_the_same_is_true_where_proc_hides_others(run_assay, ordinary_user):
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("needs root, and leave to mount")
    hidden = ["unshare", "-m", "sh", "-c",
              'mount -t proc -o hidepid=2 proc /proc && u=$1 && shift && exec setpriv --reuid=$u --regid=$u --clear-groups "$@"', "sh",
              str(ordinary_user.uid)]
    run = run_known(run_assay, "populated", OFTEN, wrapper=hidden)

    assert_promise(run.info, run.usage, run.truth)
