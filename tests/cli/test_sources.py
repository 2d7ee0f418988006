# SPDX-License-Identifier: MIT
"""The sources of a quantity beside the headline: one of them is in use, and both say the same of one number."""
import sys

import pytest

from support import has_a_sanitizer

HEADLINES = {
    "wall": "wall_seconds", "cpu": "cpu_seconds", "cpu_user": "cpu_user_seconds", "cpu_system": "cpu_system_seconds",
    "memory_peak": "memory_peak_bytes", "memory_process": "memory_peak_process_bytes", "processes": "processes",
    "io_read": "io_read_bytes", "io_write": "io_write_bytes",
}
# A peak of one process between two samples, and one of two processes that lasts: the job's is the largest process, and a sum.
ONE = "b'a' * (200 << 20)"
TWO = ("import os, time\nb = b''\nif os.fork() == 0:\n b = b'a' * (60 << 20); time.sleep(3); os._exit(0)\n"
       "b = b'a' * (60 << 20); os.wait()")


@pytest.mark.parametrize("program, by", ((ONE, ("keeper_max_rss_bytes", "proc_hwm_bytes")), (TWO, ("proc_pss_total_bytes",))))
def test_the_source_in_use_and_the_headline_say_the_same(run_assay, user, program, by):
    info = run_assay([sys.executable, "-c", program], options=["-i", "0.2s"], user=user).info
    claims, rungs = info["headline"], info["rungs"]

    for quantity, name in HEADLINES.items():
        used, = [rung for rung in rungs[quantity] if rung["in_use"]]
        claim = claims[name]
        assert (used["key"], used["value"], used["quality"]) == (claim["key"], claim["value"], claim["quality"]), (used, claim)
    used, = [rung for rung in rungs["memory_peak"] if rung["in_use"]]
    assert used["key"] in by, rungs["memory_peak"]
    assert used["quality"] == "lower_bound", used
    for other in rungs["memory_peak"]:
        assert other["in_use"] or other["quality"] != "lower_bound" or other["value"] <= used["value"], rungs["memory_peak"]


# A grandchild that goes on when the job has ended, and is waited for by nobody who could say how large it was.
SURVIVOR = ("import os, time\nr, w = os.pipe()\nif os.fork() == 0:\n if os.fork() == 0:\n  b = b'a' * (150 << 20)\n"
            "  time.sleep(2); os.write(w, b'x'); time.sleep(1)\n os._exit(0)\nos.wait(); os.read(r, 1)")


def test_what_makes_a_number_better_than_its_source_is_told(run_assay, assay):
    info = run_assay([sys.executable, "-c", SURVIVOR], options=["-i", "0.2s"]).info
    claim = info["headline"]["memory_peak_process_bytes"]
    rungs = {rung["key"]: rung for rung in info["rungs"]["memory_process"]}

    assert claim["key"] == "proc_hwm_bytes" and claim["value"] > 150 << 20, claim
    assert rungs["proc_hwm_bytes"]["in_use"] and rungs["proc_hwm_bytes"]["quality"] == claim["quality"], rungs
    if claim["quality"] == "exact":
        assert "by itself the source is a lower bound" in rungs["proc_hwm_bytes"]["why"], rungs
    ended = rungs["keeper_max_rss_bytes"]
    assert ended["value"] < 150 << 20, "it was not waited for"
    # A mark that may be the recorder's own is above what it is a mark of, which is below the largest: it bounds nothing.
    assert (ended["quality"], ended["in_use"]) == ("estimate" if has_a_sanitizer(assay) else "lower_bound", False), ended


def test_where_perf_saw_more_than_was_counted_the_split_has_its_source(run_assay):
    """Children that nobody waits for: perf alone sees them, and does not tell user from system time."""
    info = run_assay(["LOAD", "TRUTH", "nocldwait", "20", "50"]).info
    if info["headline"]["cpu_seconds"]["key"] != "perf_cpu_seconds":
        pytest.skip("perf is not allowed here")

    for quantity in ("cpu", "cpu_user", "cpu_system"):
        used, = [rung for rung in info["rungs"][quantity] if rung["in_use"]]
        claim = info["headline"][HEADLINES[quantity]]
        assert (used["key"], used["value"], used["quality"]) == (claim["key"], claim["value"], claim["quality"]), (used, claim)
