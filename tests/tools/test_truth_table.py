# SPDX-License-Identifier: MIT
"""The truth table: what becomes of a value, and how the page is laid out. Nothing is measured here."""
import sys

import pytest

from support import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))
from truth import judging, page, recorders, workloads  # noqa: E402
from truth.judging import ABSENT, MARKED, MIB, RIGHT, WRONG, Answer, Slack  # noqa: E402
from truth.recorders import ASSAY, GNU_TIME, PERF_CLOCK, PSUTIL, TOOLS  # noqa: E402

SLACK = Slack(1, 2)

# (value, quality, lower, upper) of a truth of 100, and the verdict
JUDGED = {
    "it_is_the_truth": ((100,), RIGHT),
    "within_five_percent": ((95.1,), RIGHT),
    "below_by_more_and_no_mark": ((94.9,), WRONG),
    "above_by_more_and_no_mark": ((105.1,), WRONG),
    "exact_and_near": ((101.9, "exact"), RIGHT),
    "exact_and_above_by_more_than_the_slack": ((102.1, "exact"), WRONG),
    "exact_and_below_by_more_than_the_slack": ((98.9, "exact"), WRONG),
    "a_lower_bound_far_below": ((10, "lower_bound"), MARKED),
    "a_lower_bound_near_the_truth": ((97, "lower_bound"), RIGHT),
    "a_lower_bound_above": ((103, "lower_bound"), WRONG),
    "a_lower_bound_whose_upper_bound_is_below": ((10, "lower_bound", 10, 90), WRONG),
    "a_lower_bound_whose_upper_bound_holds": ((10, "lower_bound", 10, 300), MARKED),
    "an_upper_bound_far_above": ((300, "upper_bound"), MARKED),
    "an_upper_bound_below": ((98, "upper_bound"), WRONG),
    "an_upper_bound_whose_lower_bound_is_above": ((300, "upper_bound", 110), WRONG),
    "sampled_and_below": ((50, "sampled"), MARKED),
    "sampled_and_above": ((150, "sampled"), WRONG),
    "an_estimate_ten_percent_off": ((111, "estimate"), MARKED),
    "an_estimate_far_off": ((150, "estimate"), WRONG),
    "an_estimate_far_off_within_its_bounds": ((150, "estimate", 90, 200), MARKED),
    "an_estimate_near_and_bounds_that_exclude_the_truth": ((101, "estimate", 110, 200), WRONG),
    "no_value": ((None,), ABSENT),
}


@pytest.mark.parametrize("said, verdict", JUDGED.values(), ids=JUDGED.keys())
def test_a_value_is_right_or_marked_or_wrong_or_absent(said, verdict):
    assert judging.judge(Answer(*said), 100, SLACK) == verdict


def test_a_tool_that_does_not_tell_is_absent():
    assert judging.judge(None, 100, SLACK) == ABSENT


def test_the_slack_stands_for_five_percent_of_little():
    assert judging.cell(Answer(7 * MIB), "memory_peak_bytes", {"memory_peak_bytes": 0}).verdict == RIGHT
    assert judging.cell(Answer(9 * MIB), "memory_peak_bytes", {"memory_peak_bytes": 0}).verdict == WRONG
    assert judging.cell(Answer(1.018), "cpu_seconds", {"cpu_seconds": 1.0, "unfolded": 0}).verdict == RIGHT


def test_ends_that_no_load_can_know_are_allowed_for():
    truth = {"cpu_seconds": 0.1, "unfolded": 300}

    assert judging.cell(Answer(0.149, "exact"), "cpu_seconds", truth).verdict == RIGHT
    assert judging.cell(Answer(0.151, "exact"), "cpu_seconds", truth).verdict == WRONG


def row(text, quantity, wanted, **said):
    cells = {tool: judging.cell(said.get(tool), quantity, {quantity: wanted}) for tool in TOOLS}
    return page.Row(text, quantity, cells)


@pytest.fixture
def rows():
    return [
        row("one process", "cpu_seconds", 2.0, **{GNU_TIME: Answer(2.02), PERF_CLOCK: Answer(1.99), ASSAY: Answer(2.0, "exact")}),
        row("lost children", "cpu_seconds", 2.0, **{GNU_TIME: Answer(0.02), PSUTIL: Answer(1.0), ASSAY: Answer(0.5, "lower_bound", 0.5, 4.0)}),
        row("a file deleted", "io_write_bytes", 0, **{GNU_TIME: Answer(64 * MIB), ASSAY: Answer(64 * MIB, "upper_bound", 0)}),
    ]


def test_each_tool_is_tallied(rows):
    counts = judging.tally(rows, TOOLS)

    assert counts[GNU_TIME] == {RIGHT: 1, MARKED: 0, WRONG: 2, ABSENT: 0}
    assert counts[PSUTIL] == {RIGHT: 0, MARKED: 0, WRONG: 1, ABSENT: 2}
    assert counts[ASSAY] == {RIGHT: 1, MARKED: 2, WRONG: 0, ABSENT: 0}


def cells_of(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_section_has_the_tools_that_tell_of_it_and_marks_what_is_wrong(rows):
    lines = page.section("cpu_seconds", rows[:2])
    tables = [line for line in lines if line.startswith("|")]

    assert lines[0] == "## CPU time"
    assert "Absent in every row: perf user + sys, resource_monitor." in lines[2]
    assert cells_of(tables[0]) == ["workload", "truth", GNU_TIME, PERF_CLOCK, PSUTIL, ASSAY, "quality and bounds of assay"]
    assert cells_of(tables[2]) == ["one process", "2 s", "2.02 s, +1.0 %", "1.99 s, -0.5 %", "absent", "= 2 s, +0.0 %", "exact"]
    assert cells_of(tables[3]) == ["lost children", "2 s", "**0.02 s, -99 %**", "absent", "**1 s, -50 %**", ">= 0.5 s, -75 %",
                                   "lower bound, 0.5 s to 4 s"]
    assert len({len(line) for line in tables}) == 1, "columns stand below one another"


def test_nothing_is_a_percentage_of_no_bytes(rows):
    line = page.section("io_write_bytes", rows[2:])[-2]

    assert cells_of(line) == ["a file deleted", "0 MiB", "**64 MiB**", "<= 64 MiB", "upper bound, 0 MiB to 64 MiB"]


def test_the_page_says_how_to_make_it_again_and_what_was_left_out(rows):
    text = page.page(rows, ["Made today."], {"huge pages": "there are none"})
    lines = text.splitlines()

    assert lines[0].startswith("# ") and "`make truth-table` makes this page again" in " ".join(lines[1:6])
    assert "- Made today." in lines and lines[-1] == "- huge pages: there are none"
    assert [line for line in lines if line.startswith("## ")] == ["## CPU time", "## Bytes written to storage", "## Summary"]
    assert any(cells_of(line) == [ASSAY, "1", "2", "0", "0"] for line in lines)


def test_what_gnu_time_and_perf_print_is_understood(tmp_path):
    out = tmp_path / "out"
    out.write_text('\tCommand being timed: "a: b"\n\tUser time (seconds): 1.50\n\tSystem time (seconds): 0.25\n'
                   "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:02.00\n\tMaximum resident set size (kbytes): 2048\n"
                   "\tFile system inputs: 8\n\tFile system outputs: 16\n")
    said = recorders.gnu_time_says(out)[GNU_TIME]
    assert {name: answer.value for name, answer in said.items()} == {
        "cpu_seconds": 1.75, "memory_peak_bytes": 2 * MIB, "memory_peak_process_bytes": 2 * MIB, "io_read_bytes": 4096, "io_write_bytes": 8192}

    out.write_text("# started on Monday\n\n367.31,msec,task-clock:u,367311297,100.00,0.041,CPUs utilized\n"
                   "300000000,ns,user_time:u,300000000,100.00,,\n60000000,ns,system_time:u,60000000,100.00,,\n")
    said = recorders.perf_says(out)
    assert said[PERF_CLOCK]["cpu_seconds"].value == pytest.approx(0.36731)
    assert said[recorders.PERF_RUSAGE]["cpu_seconds"].value == pytest.approx(0.36)

    out.write_text("<not counted>,msec,task-clock,0,100.00,,\n")
    assert recorders.perf_says(out)[PERF_CLOCK]["cpu_seconds"].value is None


def test_the_workloads_differ_and_are_about_known_quantities():
    texts = [workload.text for workload in workloads.WORKLOADS]

    assert len(set(texts)) == len(texts)
    assert {quantity for workload in workloads.WORKLOADS for quantity in workload.about} == set(page.SECTIONS)


def test_words_are_wrapped_and_tables_are_not(rows):
    lines = page.page(rows, ["a long fact " * 20], {}).splitlines()

    assert max(len(line) for line in lines if not line.startswith("|")) <= page.WIDTH
    assert sum(line.startswith("- a long fact") for line in lines) == 1 and sum(line.startswith("  ") for line in lines) >= 1
