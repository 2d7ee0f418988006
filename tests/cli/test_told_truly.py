# SPDX-License-Identifier: MIT
"""Words of a record and of a page that must not contradict what the record holds."""
import re

import pytest

from calling import Caller
from handmade import write_record


def test_a_kill_for_the_limit_of_cpu_time_is_told_with_the_limit(run_assay, user):
    run = run_assay(["sh", "-c", "ulimit -t 1; while :; do :; done"], user=user)

    assert run.info["outcome"]["signal_name"] == "SIGKILL"
    words = re.fullmatch(r"killed by SIGKILL \(most likely by the kernel: it had used (\d+\.\d+) s of CPU time, its limit, RLIMIT_CPU, was 1\.00 s\)",
                         run.info["outcome"]["words"])
    assert words, run.info["outcome"]
    assert float(words[1]) == pytest.approx(run.headline["cpu_seconds"]["value"], abs=0.03)


@pytest.mark.parametrize("limit", ["ulimit -t 1000", ":"])
def test_another_kill_is_not_laid_to_that_limit(run_assay, user, limit):
    run = run_assay(["sh", "-c", f"{limit}; kill -9 $$"], user=user)

    assert run.info["outcome"]["signal_name"] == "SIGKILL"
    assert "RLIMIT_CPU" not in run.info["outcome"]["words"]


@pytest.mark.parametrize("started, ended, words", [
    ("07:09:38", "06:09:40", "2026-11-28 07:09:38 to 06:09:40 +00:00 (the clock was set back by 1h 00m 08s meanwhile)"),
    ("07:09:38", "07:09:41", "2026-11-28 07:09:38 to 07:09:41 +00:00 (the clock was set back by 7.00 s meanwhile)"),
    # It went on all the time, or was set forth, or the machine slept.
    ("07:09:38", "07:09:48", "2026-11-28 07:09:38 to 07:09:48 +00:00"), ("07:09:38", "08:09:38", "2026-11-28 07:09:38 to 08:09:38 +00:00")])
@pytest.mark.parametrize("page", ["show", "report"])
def test_a_clock_that_was_set_back_is_told(run_assay, assay, room, page, started, ended, words):
    time = {"started": f"2026-11-28T{started}Z", "ended": f"2026-11-28T{ended}Z", "utc_offset": "+00:00", "wall_seconds": 10.0}
    headline = {"wall_seconds": {"value": 10.0, "quality": "exact", "key": "tree_elapsed_seconds"}}
    made = write_record(room / "made", None, id="an-id", time=time, headline=headline)
    called = Caller(run_assay, assay, room / "here")(page, str(made), *(["-o", str(room / "page.html")] if page == "report" else []))

    assert called.status == 0, called.err
    text = re.sub(r"\s+", " ", called.out if page == "show" else (room / "page.html").read_text(encoding="utf-8"))
    assert words in text
    assert "set back" in words or "set back" not in text
