# SPDX-License-Identifier: MIT
"""Compares a record's headline with what its load truly used."""
import re

from support import CPU_TOLERANCE_SECONDS, SLOWNESS

MIB = 1 << 20
# What a load uses beside what it states: libc, stacks, page tables, the ledger.
BASELINE_BYTES = 8 * MIB
# Files that the loader and the kernel read to start the programs, the line of truth, allocation of the last block.
IO_SLACK_BYTES = 64 * 1024
# A process cannot read the CPU its own end costs: what may be missing from a truth booked before _exit().
TEARDOWN_SECONDS = 100e-6 * SLOWNESS
# How far perf may be from the keeper: it does not see the end of a process either.
PERF_TEARDOWN_SECONDS = 60e-6 * SLOWNESS
# What perf may miss of a process that ends, beside 2 %; no less than the program allows for: conclude_perf_deficit_ns().
PERF_MISSES_SECONDS = 150e-6
FORGOTTEN = r"(?i)reap|SIGCHLD|wait"


def tolerance(truth_seconds):
    return max(CPU_TOLERANCE_SECONDS, truth_seconds / 100)


def says(run, pattern, *quantities):
    """True when the notes, the reason of one of the quantities or of a source of CPU time match."""
    texts = [*run.info.get("notes", []), *(run.headline[q].get("why", "") for q in quantities)]
    texts += [rung.get("why", "") for rung in run.info["rungs"].get("cpu", [])]
    return any(re.search(pattern, text) for text in texts)


def check_cpu(run, why=FORGOTTEN, ends_seconds=0):
    """The claim must hold as it is made: an exact one to 1 %, a bound on its side and with its reason.

    `ends_seconds` is what its source has of ends that nobody is told of, beside those that were never waited for.
    """
    claim = run.headline["cpu_seconds"]
    low = run.truth["cpu_seconds"]
    high = low + run.truth["unfolded"] * TEARDOWN_SECONDS + ends_seconds
    if claim["value"] > high and run.truth["unfolded"]:
        high = low + run.truth["unfolded"] * max(TEARDOWN_SECONDS, run.end_seconds()) + ends_seconds
    if claim["quality"] == "exact":
        assert low - tolerance(low) <= claim["value"] <= high + tolerance(high), (claim, run.truth)
        return
    assert claim.get("lower", 0) <= high + CPU_TOLERANCE_SECONDS, (claim, run.truth)
    assert claim.get("upper", low) >= low - CPU_TOLERANCE_SECONDS, (claim, run.truth)
    assert re.search(why, claim.get("why", "")), claim
    if claim["quality"] == "lower_bound":
        assert claim["value"] <= high + CPU_TOLERANCE_SECONDS, (claim, run.truth)
    else:
        assert claim["quality"] == "estimate", claim
        assert abs(claim["value"] - low) <= low / 10 + CPU_TOLERANCE_SECONDS, (claim, run.truth)


def check_rungs(run):
    """Two ways to the same number agree, or the record says that they do not."""
    rungs = {rung["key"]: rung for rung in run.info["rungs"]["cpu"]}
    assert sum(rung["in_use"] for rung in rungs.values()) == 1, rungs
    keeper, perf = rungs.get("keeper_cpu_seconds", {}), rungs.get("perf_cpu_seconds", {})
    if "value" not in keeper or "value" not in perf:
        return
    ended = run.truth["processes"] + run.truth["threads"]
    above, below = keeper["value"] / 100 + PERF_TEARDOWN_SECONDS * ended, keeper["value"] / 50 + PERF_MISSES_SECONDS * ended
    if not -below - CPU_TOLERANCE_SECONDS <= perf["value"] - keeper["value"] <= above + CPU_TOLERANCE_SECONDS:
        assert says(run, r"(?i)perf|disagree|differ|reap", "cpu_seconds"), (keeper, perf, run.info["notes"])


def check_processes(run):
    claim = run.headline["processes"]
    if claim["quality"] == "exact":
        assert claim["value"] == run.truth["processes"], (claim, run.truth, run.info["processes"])
    else:
        assert claim["quality"] == "lower_bound", claim
        assert claim["value"] <= run.truth["processes"], (claim, run.truth)


def nothing_could_tell(run, claim):
    """True where no source of this run could show that no child was lost: then the claim says that, and is right all the same."""
    perf = [rung for rung in run.info["rungs"]["cpu"] if rung["key"] == "perf_cpu_seconds" and "value" in rung]
    if claim["quality"] != "lower_bound":
        return False
    why = claim.get("why", "")
    # Of memory and I/O: they are judged by the ends that process events show.
    events = next(c for c in run.info["collectors"] if c["name"] == "connector").get("available")
    if not events and "without process events" in why:
        return True
    if not perf:
        return "perf is not in use" in why
    # What perf may miss of so many ends is more than what does not matter; or a hypervisor took what may be a child's as well. Without process
    # events there may have been as many as the whole machine began meanwhile, strangers' among them.
    room = run.truth["processes"] * PERF_MISSES_SECONDS
    many = not events or room > max(0.05, 0.03 * run.truth["cpu_seconds"])
    # A parent that is so quick that its child is gone before the kernel tells of its end is rare, and not known from one that lost it.
    # Nor can perf where ends cost more than the program allows for: it misses them.
    return ("nothing shows a wait" in why or "nothing shows that anybody waited" in why
            or run.perf_misses_ends(claim)
            or many and "perf misses the ends" in why
            or run.info["host_cpu"].get("steal_seconds", 0) > 0 and "may be what the hypervisor" in why)


def check_exact_cpu(run):
    """For jobs in which every process is waited for: nothing less than exact will do."""
    claim, truth = run.headline["cpu_seconds"], run.truth["cpu_seconds"]
    if nothing_could_tell(run, claim):
        assert claim["value"] >= truth - tolerance(truth), (claim, run.truth)
    else:
        assert claim["quality"] == "exact", claim
    check_cpu(run)
    check_rungs(run)
    check_processes(run)


def check_memory(run, held):
    """The true peak lies between the bounds; the lower one is near it when the peak lasted two samples."""
    claim, peak = run.headline["memory_peak_bytes"], run.truth["memory_peak_bytes"]
    lower = claim.get("lower", claim["value"] if claim["quality"] != "upper_bound" else 0)
    upper = claim.get("upper", claim["value"] if claim["quality"] in ("exact", "upper_bound") else None)
    assert lower <= peak + BASELINE_BYTES, (claim, run.truth)
    assert upper is None or upper >= peak, (claim, run.truth)
    if held:
        assert lower >= peak * 95 // 100, (claim, run.truth)


def check_memory_process(run):
    """The largest process, to 1 % beside the baseline."""
    claim, peak = run.headline["memory_peak_process_bytes"], run.truth["memory_peak_process_bytes"]
    assert claim["value"] <= peak + BASELINE_BYTES, (claim, run.truth)
    if claim["quality"] == "exact":
        assert claim["value"] >= peak - peak // 100, (claim, run.truth)
    else:
        assert claim["quality"] in ("lower_bound", "sampled"), claim
        assert claim.get("why"), claim


def check_io(run, quantity, quality=None):
    claim, truth = run.headline[quantity], run.truth[quantity]
    slack = truth // 100 + IO_SLACK_BYTES
    unproven = nothing_could_tell(run, claim)
    assert quality is None or claim["quality"] == quality or unproven, claim
    assert claim["value"] <= truth + slack, (quantity, claim, truth)
    assert claim.get("upper", truth) >= truth, (quantity, claim, truth)
    if "exact" in (claim["quality"], quality):
        assert claim["value"] >= truth - slack, (quantity, claim, truth)
    else:
        assert claim["quality"] == "lower_bound", claim
        assert re.search(FORGOTTEN, claim.get("why", "")), claim
