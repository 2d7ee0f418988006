# SPDX-License-Identifier: MIT
"""The series and the totals are the same run told twice."""
import time

import pytest

from support import CPU_TOLERANCE_SECONDS, spent_cpu_seconds

OFTEN = ["-i", "50ms", "--report-interval", "200ms"]


@pytest.fixture
def run(run_assay):
    return run_assay.load("burnt-then-idle", 500, 700, options=OFTEN)


def check_windows(usage, interval, width):
    """Each time of the grid of windows ends one of them: the first sample that is at most a quarter of an interval early for it, or the
    one that came late for it; how many intervals late is what the window has missed."""
    whole = usage[:-1]
    ends = [int((line["end_seconds"] + interval / 4 + 1e-6) / width) for line in whole]
    assert ends == sorted(set(ends)) and 0 not in ends, [line["end_seconds"] for line in whole]
    for line in whole:
        longest = width + interval / 4 + (line["missed_ticks"] + 1) * interval
        assert line["end_seconds"] - line["start_seconds"] <= longest + 1e-6, line


def test_windows_start_at_zero_and_end_with_the_run(run_assay):
    began = time.monotonic()
    run = run_assay.load("burnt-then-idle", 500, 700, options=OFTEN)
    ended = time.monotonic()
    last = run.usage[-1]

    assert run.usage[0]["start_seconds"] == 0
    assert run.headline["wall_seconds"]["value"] <= last["end_seconds"] + 1e-6
    assert began <= last["monotonic_ns"] / 1e9 - last["end_seconds"] + 1e-6
    assert last["monotonic_ns"] / 1e9 <= ended


def test_the_asked_intervals_are_kept_and_recorded(run):
    assert run.info["options"]["sample_interval_seconds"] == 0.05
    assert run.info["options"]["report_interval_seconds"] == 0.2
    assert len(run.usage) > 1
    check_windows(run.usage, 0.05, 0.2)


def test_adaptive_intervals_are_not_recorded_as_asked(run_assay):
    run = run_assay(["true"])

    assert "sample_interval_seconds" not in run.info["options"]
    assert "report_interval_seconds" not in run.info["options"]


def test_adaptive_windows_are_a_second_wide_at_first(run_assay):
    run = run_assay(["sleep", "3.2"])

    assert len(run.usage) > 1
    check_windows(run.usage, 1, 1)


def test_deltas_of_the_series_sum_to_the_total_of_the_run(run):
    sums = {}
    for key, value in ((k, v) for line in run.usage for k, v in line["values"].items()):
        if "delta" in value:
            sums[key] = sums.get(key, 0) + value["delta"]

    assert sums, "some counter must be there"
    for key, total in sums.items():
        assert total == pytest.approx(run.info["summary"][key]["value"], abs=1e-5), key


def test_the_cpu_of_the_series_is_the_cpu_of_the_headline(run):
    key = run.headline["cpu_seconds"]["key"]
    total = sum(line["values"][key]["delta"] for line in run.usage if key in line["values"])

    assert total == pytest.approx(run.headline["cpu_seconds"]["value"], abs=0.02)


def test_the_peak_of_the_series_is_the_peak_of_the_summary(run):
    peak = max(line["values"]["proc_rss_total_bytes"]["max"] for line in run.usage
               if "proc_rss_total_bytes" in line["values"])

    assert peak == run.info["summary"]["proc_peak_rss_total_bytes"]["value"]


def test_samples_and_windows_are_accounted_for(run_assay):
    before = spent_cpu_seconds()
    run = run_assay.load("burnt-then-idle", 500, 700, options=OFTEN)
    spent = spent_cpu_seconds() - before
    own = run.info["self"]

    assert own["windows"] == own["records_written"] == len(run.usage)
    assert own["records_lost"] == own["write_failures"] == 0
    assert own["ticks"] >= sum(line["samples"] for line in run.usage) >= len(run.usage)
    # The recorder, its keeper and the job are all that there was.
    assert 0 < own["cpu_seconds"] <= spent - run.truth["cpu_seconds"] + CPU_TOLERANCE_SECONDS
    assert own["memory_peak_bytes"] < 32 << 20


def test_every_value_has_its_row(run):
    rows = {row["key"]: row for row in run.info["measurements"]}

    for line in run.usage:
        for key, value in line["values"].items():
            assert {"last", "max", "min", "mean", "delta"} & set(value) == set(rows[key]["reduces"]), key
        for process in line["processes"]:
            assert set(process["values"]) <= set(rows)


def test_selected_rows_are_there_or_absent_with_a_reason(run):
    selected = {row["key"] for row in run.info["measurements"] if row["scope"] == "single" or "_total_" in row["key"]}

    for line in run.usage:
        assert set(line["values"]) | set(line.get("absent", {})) == selected
        assert not set(line["values"]) & set(line.get("absent", {}))


def test_a_selection_records_what_was_selected_and_nothing_else(run_assay):
    run = run_assay(["LOAD", "TRUTH", "steady", "500"], ["--measurements", "proc_rss_bytes"])

    assert "proc_rss_bytes" in {row["key"] for row in run.info["measurements"]}
    assert {key for line in run.usage for p in line["processes"] for key in p["values"]} == {"proc_rss_bytes"}
