# SPDX-License-Identifier: MIT
"""con-duct's files of a run of ours have what con-duct's plot draws: the processes that live, from the start, in short windows too, with CPU time by age."""
import json
import time

import pytest

from calling import Caller
from test_export import made_info, made_windows, row, write_run

ROWS = [row("proc_rss_bytes", "gauge", "bytes", "process", ["max", "last"]), row("proc_vsz_bytes", "gauge", "bytes", "process", ["max", "last"]),
        row("proc_rss_total_bytes", "gauge", "bytes", "single", ["max", "mean", "last"]),
        row("proc_cpu_seconds", "counter", "seconds", "process", ["delta", "last"]),
        row("proc_cpu_percent", "gauge", "percent", "process", ["max", "mean"]),
        row("proc_elapsed_seconds", "gauge", "seconds", "process", ["last"]), row("tree_cpu_percent", "gauge", "percent", "single", ["max", "mean"])]


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def process(pid, rss, cpu, age, start=5, **more):
    return {"pid": pid, "start_time_ticks": start, "name": f"p{pid}", "states": {"S": 1},
            "values": {"proc_rss_bytes": {"max": rss + 1, "last": rss}, "proc_cpu_seconds": {"delta": 0, "last": cpu},
                       "proc_elapsed_seconds": {"last": age}, "proc_cpu_percent": {"max": 999, "mean": 999}}, **more}


def window(number, *processes, quiet=0, omitted=0, rss=7, **more):
    values = {"proc_rss_total_bytes": {"max": rss, "mean": rss, "last": rss, "quality": "exact"}} | more.pop("values", {})
    return {**made_windows()[0], "sequence": number, "start_seconds": number * 10, "end_seconds": number * 10 + 10,
            "time": f"2026-11-28T12:{number + 1:02d}:00Z", "values": values, "processes": list(processes), "quiet_processes": quiet,
            "omitted_processes": omitted, **more}


@pytest.fixture
def export(call):
    """con-duct's info and lines of such windows, the record's start left away where `start` is false."""
    def write(*windows, info=None, said=0):
        whole = made_info(measurements=ROWS, **(info or {}))
        write_run(call.here / "run", {name: member for name, member in whole.items() if member is not None}, windows)
        called = call("export", "--to", "con-duct", "-o", "a_", "run")
        assert (called.status, called.err.count("\n")) == (0, said), called.err
        lines = [json.loads(line) for line in (call.here / "a_usage.jsonl").read_text().splitlines()]
        return json.loads((call.here / "a_info.json").read_text()), lines

    return write


def test_a_process_is_in_every_window_until_it_ends(export):
    _, lines = export(
        window(0, process(1, 100, 1, 10, command=["a", "b"], born=True), process(2, 200, 5, 10, born=True, since_seconds=0.2)),
        window(1, quiet=2), window(2, process(2, 250, 10, 30), quiet=1), window(3, process(2, 250, 10, 31, ended=True), quiet=1), window(4, quiet=1),
        window(5, process(1, 110, 1, 60, ended=True)))

    assert [sorted(line["processes"]) for line in lines[1:]] == [["1", "2"], ["1", "2"], ["1", "2"], ["1", "2"], ["1"], ["1"]]
    one = [line["processes"]["1"] for line in lines[1:]]
    assert [entry["cmd"] for entry in one] == ["a b"] * 6
    assert [entry["etime"] for entry in one] == ["00:10", "00:20", "00:30", "00:40", "00:50", "01:00"]
    assert [entry["rss"] for entry in one] == [101, 100, 100, 100, 100, 111], "the most of a window that tells of it, else what was last"
    assert [entry["stat"] for entry in one] == [{"S": 1}, {}, {}, {}, {}, {"S": 1}]


def test_pcpu_is_cpu_time_by_age(export):
    info, lines = export(
        window(0, process(1, 100, 5, 10, born=True), process(2, 200, 0, 2, born=True, since_seconds=8), values={"tree_cpu_percent": {"max": 400, "mean": 300}}),
        window(1, process(1, 100, 5, 20), process(2, 200, 6, 12)), window(2, process(2, 200, 6, 15, ended=True), quiet=1))

    assert [line["processes"]["1"]["pcpu"] for line in lines[1:]] == pytest.approx([50, 25, 100 / 6], abs=0.001)
    assert [line["processes"]["2"]["pcpu"] for line in lines[1:]] == pytest.approx([0, 50, 40], abs=0.001)
    assert [line["totals"]["pcpu"] for line in lines[1:]] == pytest.approx([50, 75, 40], abs=0.001), "of those that live, and no less than the largest"
    assert info["execution_summary"]["peak_pcpu"] == pytest.approx(75, abs=0.001)
    assert info["execution_summary"]["average_pcpu"] == pytest.approx(55, abs=0.001)


def test_the_first_line_is_of_the_start(export):
    """Of the command and what it started at once; what came later is not in it."""
    info, lines = export(window(0, process(1, 100, 5, 10, born=True, command=["sleep", "9"]), process(2, 200, 0, 2, born=True, since_seconds=8)))

    assert lines[0]["timestamp"] == "2026-11-28T12:00:00.000000+00:00"
    assert lines[0]["totals"] == {"pcpu": 0, "pmem": 0, "rss": 0, "vsz": 0} and (lines[0]["num_samples"], lines[0]["averages"]) == (0, {})
    assert {pid: (entry["pcpu"], entry["etime"], entry["cmd"]) for pid, entry in lines[0]["processes"].items()} == {"1": (0, "00:00", "sleep 9")}
    assert info["execution_summary"]["num_reports"] == 2 and info["execution_summary"]["num_samples"] == 3


@pytest.mark.parametrize("info", [{"command": None, "target": {"kind": "session", "text": "session:1"}}, {"imported": {"format": "prmon", "file": "x"}}])
def test_what_was_not_started_by_us_has_no_line_of_its_start(export, call, info):
    """It used something before, and how much is not known."""
    _, lines = export(window(0, process(1, 100, 5, 10)), info=info)
    assert len(lines) == 1 and lines[0]["totals"]["rss"] == 7


def test_a_window_without_a_rate_is_not_left_out(export):
    """In less than a fifth of a second none is measured; CPU time and age are."""
    _, lines = export(window(0, process(1, 100, 0.05, 0.1, born=True), end_seconds=0.1))
    assert len(lines) == 2 and lines[1]["totals"] == {"pcpu": pytest.approx(50, abs=0.001), "pmem": None, "rss": 7, "vsz": None}


def test_a_process_whose_end_is_in_no_line_does_not_live_for_ever(export):
    """A line holds 256 processes; the window after says how many there are."""
    _, lines = export(window(0, process(1, 1, 1, 1), process(2, 1, 1, 1)), window(1, process(1, 1, 1, 11), quiet=0), window(2, quiet=1))
    assert [sorted(line["processes"]) for line in lines[1:]] == [["1", "2"], ["1"], ["1"]]


def test_what_cannot_be_told_apart_is_said(export):
    _, lines = export(window(0, process(1, 1, 1, 1), process(2, 1, 1, 1), process(3, 1, 1, 1)), window(1, process(1, 1, 1, 11), quiet=1), said=1)
    assert sorted(lines[2]["processes"]) == ["1"]


def test_a_pid_that_is_used_again_is_that_of_the_later_process(export):
    _, lines = export(window(0, process(9, 100, 1, 10, start=5, command=["old"])), window(1, process(9, 100, 1, 11, start=5, ended=True),
                                                                                         process(9, 300, 1, 2, start=77, command=["new"])), window(2, quiet=1))
    assert [line["processes"]["9"]["cmd"] for line in lines[1:]] == ["old", "new", "new"]


def test_captured_files_have_the_names_they_have(export, call):
    info, _ = export(window(0, process(1, 100, 1, 10)), info={"outputs": [
        {"name": "stdout", "file": "/logs/x_stdout", "bytes": 3, "open": False, "reader_gone": False}]})
    assert info["output_paths"] == {"stdout": "/logs/x_stdout", "stderr": "a_stderr", "usage": "a_usage.jsonl", "info": "a_info.json", "prefix": "a_"}


def test_a_run_of_half_a_second_can_be_plotted(call):
    """As con-duct's plot reads it: every line has both totals as numbers, and every process figures that are numbers."""
    call("run", "-q", "-p", "r_", "-c", "all", "sh", "-c", "echo x; sleep 30 & sleep 0.4; kill $!", timeout=60)
    called = call("export", "--to", "con-duct", "-o", "d_", "r_info.json")
    assert called.status == 0, called.err
    windows = (call.here / "r_usage.jsonl").read_text().splitlines()
    lines = [json.loads(line) for line in (call.here / "d_usage.jsonl").read_text().splitlines()]
    info = json.loads((call.here / "d_info.json").read_text())

    assert called.err == "" and len(lines) == len(windows) + 1
    for line in lines:
        assert all(isinstance(line["totals"][name], (int, float)) for name in ("pcpu", "rss", "vsz"))
        assert all(isinstance(entry[name], (int, float)) for entry in line["processes"].values() for name in ("pcpu", "rss", "vsz", "pmem") if name in entry)
    assert lines[0]["processes"] and lines[0]["totals"]["rss"] == 0
    assert (call.here / info["output_paths"]["stdout"]).read_text() == "x\n"
    assert time.strptime(lines[0]["timestamp"][:19], "%Y-%m-%dT%H:%M:%S")
