# SPDX-License-Identifier: MIT
"""What compare says of runs, and how it ends: differences, statistics of repeated runs, conditions for CI, every format."""
import csv
import fcntl
import io
import itertools
import json
import os
import pty
import re
import socket
import statistics
import struct
import subprocess
import termios
import unicodedata

import pytest

from calling import Caller
from handmade import columns_of
from support import parse

GIB = 1 << 30
FINE = {"exit_code": 0, "words": "exited 0", "evidence": "wait status 0"}
FAILED = {"exit_code": 3, "words": "exited 3", "evidence": "wait status 3"}
CUT_OFF = {"name": "wall", "unit": "seconds", "limit": 1, "value": 1.1, "key": "tree_elapsed_seconds", "after_seconds": 1.1,
           "soft_signal": "SIGTERM", "killed": False, "emptied": True}


def exact(value, key="k"):
    return {"value": value, "quality": "exact", "key": key}


class Records:
    """Writes info files of made-up runs and calls the verb on them."""

    def __init__(self, caller):
        self.call, self.here, self.numbers = caller, caller.here, itertools.count(1)

    def write(self, name, headline, outcome=FINE, **members):
        number = next(self.numbers)
        info = {"schema": "assay-run", "version": "1.0", "state": "done", "id": f"2026.11.28T14.00.00-{number}",
                "program": {"name": "assay", "version": "0.1.0"}, "command": {"text": "job", "argv": ["job"]},
                "files": {"info": "info.json", "prefix": ""}, "time": {"started": "2026-11-28T14:00:00Z"},
                "host": {"hostname": "one"}, "measurements": [], "notes": [], "headline": headline, "outcome": outcome, **members}
        self.call.write(f"{name}/info.json", json.dumps(info))
        return name

    def group(self, name, values, field="wall_seconds", **members):
        return [self.write(f"{name}{i}", {field: exact(value)}, **members) for i, value in enumerate(values)]

    def compare(self, *words, **options):
        return self.call("compare", *words, **options)

    def json(self, *words, status=0):
        called = self.compare("--format", "json", *words)
        assert called.status == status, called.err
        return parse(called.out, "assay-compare")


@pytest.fixture
def records(run_assay, assay, room):
    return Records(Caller(run_assay, assay, room / "here"))


def field(compared, name):
    return next(row for row in compared["fields"] if row["field"] == name)


def difference(compared, name):
    return field(compared, name)["differences"][0]


def test_two_real_runs_differ_in_what_their_loads_differ_in(run_assay, records):
    run_assay.load("memory-steady", 40, 100, prefix=f"{records.here}/small/")
    run_assay.load("memory-steady", 120, 100, prefix=f"{records.here}/large/")
    compared = records.json("small", "large", "--fields", "memory_peak_process_bytes,proc_peak_rss_total_bytes")
    peak = field(compared, "memory_peak_process_bytes")

    assert peak["section"] == "memory"
    assert 79 << 20 < peak["differences"][0]["change"] < 85 << 20
    assert difference(compared, "memory_peak_process_bytes")["verdict"] == "higher"
    assert peak["groups"]["A"]["quality"] == "exact" and peak["groups"]["A"]["key"]


def test_what_is_the_same_is_left_out_unless_all_is_asked_for(records):
    records.write("a", {"wall_seconds": exact(2), "processes": exact(3)})
    records.write("b", {"wall_seconds": exact(3), "processes": exact(3)})

    assert [row["field"] for row in records.json("a", "b")["fields"]] == ["wall_seconds"]
    assert [row["field"] for row in records.json("a", "b", "--all")["fields"]] == ["wall_seconds", "processes"]
    page = records.compare("a", "b").out
    assert "1 field is the same" in page and "processes" not in page
    assert "+50.0 %" in page and "+1.00 s" in page


def test_qualities_and_sources_that_differ_are_said(records):
    records.write("a", {"cpu_seconds": {"value": 9, "quality": "lower_bound", "key": "tree_cpu_seconds"},
                        "memory_peak_bytes": {"value": GIB, "quality": "lower_bound", "key": "p", "lower": GIB, "upper": 3 * GIB}})
    records.write("b", {"cpu_seconds": exact(7, "cgroup_cpu_seconds"),
                        "memory_peak_bytes": {"value": 2 * GIB, "quality": "lower_bound", "key": "p", "lower": 2 * GIB,
                                              "upper": 4 * GIB}})
    page = " ".join(records.compare("a", "b").out.split())
    compared = records.json("a", "b")

    assert ">= 9.00 s = 7.00 s <= -2.00 s" in page
    assert "A is at least, B is exact; sources differ: A tree_cpu_seconds, B cgroup_cpu_seconds" in page
    assert "not told apart; the change is -1 GiB .. +3 GiB" in page
    assert difference(compared, "cpu_seconds")["verdict"] == "lower"
    assert "lower" not in difference(compared, "cpu_seconds") and difference(compared, "cpu_seconds")["upper"] == -2
    assert difference(compared, "memory_peak_bytes")["verdict"] == "not_told_apart"
    assert difference(compared, "memory_peak_bytes")["lower"] == -GIB


def test_what_only_one_has_is_said_and_never_a_zero(records):
    records.write("a", {"wall_seconds": exact(1)})
    records.write("b", {"processes": exact(4)})
    compared = records.json("a", "b")

    assert "B" not in field(compared, "wall_seconds")["groups"]
    assert {row["field"]: row["differences"][0]["verdict"] for row in compared["fields"]} == {
        "wall_seconds": "only_base", "processes": "only_other"}
    assert "only B has it" in records.compare("a", "b").out


def test_circumstances_that_explain_a_difference_are_listed(records):
    records.write("a", {"wall_seconds": exact(1)}, host={"hostname": "one", "kernel_release": "6.1"},
                  target_limits=[{"name": "memory", "unit": "bytes", "limit": GIB, "source": "cgroup", "where": "x", "tightest": True}])
    records.write("b", {"wall_seconds": exact(1)}, host={"hostname": "two", "kernel_release": "6.1"}, tags={"branch": "main"},
                  target_limits=[{"name": "memory", "unit": "bytes", "limit": 2 * GIB, "source": "host", "where": "x", "tightest": True}])
    circumstances = {fact["name"]: fact["groups"] for fact in records.json("a", "b")["circumstances"]}

    assert circumstances == {"host.hostname": {"A": ["one"], "B": ["two"]}, "tags.branch": {"A": [], "B": ["main"]},
                             "target_limits.memory_bytes": {"A": ["1 GiB (cgroup)"], "B": ["2 GiB (host)"]}}
    assert "host.hostname: A one; B two" in records.compare("a", "b").out


def test_statistics_are_those_of_python(records):
    values = [3.5, 1.25, 9, 4, 4.5, 2, 7.75, 6]
    of = field(records.json(*records.group("r", values)), "wall_seconds")["groups"]["A"]
    twentieths = statistics.quantiles(values, n=20, method="inclusive")
    median = statistics.median(values)

    assert (of["n"], of["median"], of["min"], of["max"]) == (8, median, 1.25, 9)
    assert [of[q] for q in ("q05", "q25", "q75", "q95")] == pytest.approx([twentieths[i] for i in (0, 4, 14, 18)], rel=1e-12)
    assert of["mad"] == pytest.approx(statistics.median(abs(v - median) for v in values), rel=1e-12)


def test_groups_are_told_apart_by_the_interval_of_their_shift(records):
    a, b = [10, 11, 12, 13, 14.5], [12.5, 13.5, 15, 16, 19, 20]
    compared = records.json(*records.group("a", a), "--", *records.group("b", b))
    differences = sorted(y - x for x in a for y in b)
    found = difference(compared, "wall_seconds")

    # Of 5 and 6 values U = 3 is the critical value at 5 %: rank 4 from either end. 7 of 462 orders have U of 3 or less.
    assert found["change"] == pytest.approx(statistics.median(differences))
    assert (found["lower"], found["upper"]) == (differences[3], differences[-4])
    assert found["confidence"] == pytest.approx(1 - 2 * 7 / 462)
    assert found["verdict"] == "higher"
    assert [group["runs"] for group in compared["groups"]] == [5, 6]


def test_too_few_runs_are_said_to_be_too_few(records):
    words = [*records.group("a", [1, 2, 1.5]), "--", *records.group("b", [9, 8, 8.5])]

    assert difference(records.json(*words), "wall_seconds")["verdict"] == "too_few_runs"
    page = " ".join(records.compare(*words).out.split())
    assert "too few runs" in page and "4 of each group would do" in page
    assert difference(records.json(*words, "--confidence", "90"), "wall_seconds")["verdict"] == "higher"


def test_a_directory_of_runs_is_a_group_of_them(records):
    for i in range(4):
        records.write(f"before/{i}", {"wall_seconds": exact(1 + i / 8)})
        records.write(f"after/{i}", {"wall_seconds": exact(2 + i / 8)})

    assert [group["runs"] for group in records.json("before", "after")["groups"]] == [4, 4]


@pytest.mark.parametrize("by, labels", [("host", ["one", "two"]), ("hostname", ["one", "two"]), ("command", ["job", "other"]),
                                        ("tag:branch", ["x", "(no tags.branch)"])])
def test_runs_are_grouped_by_a_field(records, by, labels):
    words = [*records.group("a", [1, 2, 3, 4], host={"hostname": "one"}, tags={"branch": "x"}),
             *records.group("b", [5, 6, 7], host={"hostname": "two"}, command={"text": "other", "argv": ["other"]})]
    compared = records.json("--by", by, *words)

    assert [(group["label"], group["runs"], group["base"]) for group in compared["groups"]] == [
        (labels[0], 4, True), (labels[1], 3, False)]
    assert records.json("--by", by, "--base", labels[1], *words)["groups"][1]["base"]
    assert records.compare("--by", by, "--base", "nobody", *words).status == 2


def test_runs_that_did_not_end_well_are_counted_and_left_out(records):
    fine = records.group("a", [1, 2, 3, 4])
    bad = [records.write("failed", {"wall_seconds": exact(90)}, FAILED),
           records.write("cut", {"wall_seconds": exact(91)}, FINE, limit=CUT_OFF),
           records.write("lost", {"wall_seconds": exact(92)}, state="running", host={"hostname": socket.gethostname()})]
    of = records.json(*fine, *bad)

    assert of["groups"][0]["outcomes"] == {"ended well": 4, "failed": 1, "cut off by a limit": 1, "lost": 1}
    assert field(of, "wall_seconds")["groups"]["A"]["max"] == 4
    assert "left out: 1 lost, 1 cut off by a limit, 1 failed" in " ".join(records.compare(*fine, *bad).out.split())
    assert field(records.json("--all-outcomes", *fine, *bad), "wall_seconds")["groups"]["A"]["max"] == 92


@pytest.mark.parametrize("condition, status, result", [
    ("memory_peak_bytes > +10%", 1, "met"), ("memory_peak_bytes > +12.5%", 0, "not met"), ("memory_peak_bytes > +100MiB", 1, "met"),
    ("memory_peak_bytes > +200MiB", 0, "not met"), ("memory_peak_bytes > 1GiB", 1, "met"), ("memory_peak_bytes > 2GiB", 0, "not met"),
    ("memory_peak_bytes < -5%", 0, "not met"), ("wall_seconds < -5%", 1, "met"), ("wall_seconds > +0ms", 0, "not met"),
    ("nothing > +10%", 2, "not judged"), ("nothing < 5", 2, "not judged"), ("hostname > 5", 2, "not judged"),
    ("exit_code > 0", 0, "not met"), ("logs_bytes > 1", 1, "met")])
def test_conditions_decide_the_exit_status(records, condition, status, result):
    records.write("a", {"memory_peak_bytes": exact(GIB), "wall_seconds": exact(10)})
    records.write("b", {"memory_peak_bytes": exact(GIB * 9 // 8), "wall_seconds": exact(9)})
    called = records.compare("a", "b", "--noise", "0", "--fail-if", condition)
    judged = records.json("a", "b", "--noise", "0", "--fail-if", condition, status=status)["conditions"]

    assert called.status == status
    assert f"{result}: {condition}: " in " ".join(called.out.split())
    assert [(c["condition"], c["group"], c["result"]) for c in judged] == [(condition, "B", result)]


def test_each_condition_has_a_line_with_its_figures_and_one_that_is_met_decides(records):
    records.write("a", {"wall_seconds": exact(10)})
    records.write("b", {"wall_seconds": exact(15)})
    called = records.compare("a", "b", "--format", "csv", "--fail-if", "wall_seconds > +10%", "--fail-if", "nothing > 1",
                             "--fail-if", "wall_seconds > 1h", "--noise", "0")

    assert called.status == 1
    assert called.err.splitlines() == ["assay: no run here has a field 'nothing'",
                                       "assay: met: wall_seconds > +10%: A = 10.0 s, B = 15.0 s: +5.00 s, +50.0 %",
                                       "assay: not judged: nothing > 1: B has no number nothing",
                                       "assay: not met: wall_seconds > 1h: A = 10.0 s, B = 15.0 s"]


@pytest.mark.parametrize("how, status", [("error", 2), ("fail", 1), ("pass", 0)])
def test_what_cannot_be_judged_passes_only_when_that_is_asked_for(records, how, status):
    records.write("a", {"memory_peak_bytes": {"value": 100, "quality": "lower_bound", "key": "k", "upper": 200}})
    records.write("b", {"memory_peak_bytes": {"value": 120, "quality": "lower_bound", "key": "k", "upper": 210}})
    called = records.compare("a", "b", "--noise", "0", "--unjudged", how, "--fail-if", "memory_peak_bytes > +10%")

    assert called.status == status
    assert "the true value may lie on either side of the bound" in " ".join(called.out.split())
    # The bare number can be judged: that is what .value is for.
    assert records.compare("a", "b", "--noise", "0", "--fail-if", "memory_peak_bytes.value > +10%").status == 1


@pytest.mark.parametrize("ended", [{"outcome": FAILED}, {"limit": CUT_OFF}])
def test_nothing_passes_by_a_run_that_did_not_end_well(records, ended):
    records.write("a", {"memory_peak_bytes": exact(100)})
    records.write("b", {"memory_peak_bytes": exact(10)}, **ended)
    called = records.compare("a", "b", "--fail-if", "memory_peak_bytes > +10%")

    assert called.status == 2
    assert "not judged: memory_peak_bytes > +10%: B did not end well" in called.out
    assert "nothing is judged by it" in called.out and "-90.0 %" in called.out
    assert records.compare("a", "b", "--all-outcomes", "--noise", "0", "--fail-if", "memory_peak_bytes > +10%").status == 0


LOST = {"state": "running", "host": {"hostname": socket.gethostname()}}


@pytest.mark.parametrize("condition, status", [
    ("wall_seconds > +10%", 2), ("wall_seconds > 20s", 2), ("wall_seconds > 4s", 1), ("wall_seconds < 4s", 0),
    ("wall_seconds.value > +10%", 2), ("wall_seconds < -10%", 2), ("memory_peak_bytes > +10%", 1), ("memory_peak_bytes < -10%", 0),
    ("cpu_mean_cores > +10%", 2), ("processes.seen > 9", 2), ("processes.seen > 2", 1),
    ("host.cpus_online > 4", 0)])
def test_what_a_lost_run_had_reached_is_only_a_lower_bound(records, condition, status):
    members = {"processes": {"seen": 3}}
    records.write("a", {"wall_seconds": exact(10), "memory_peak_bytes": exact(100), "cpu_mean_cores": exact(1)}, **members)
    records.write("b", {"wall_seconds": exact(5), "memory_peak_bytes": exact(300), "cpu_mean_cores": exact(1)}, **members,
                  state="running", host={"hostname": socket.gethostname(), "cpus_online": 4})
    called = records.compare("a", "b", "--all-outcomes", "--noise", "0", "--fail-if", condition)

    assert called.status == status, called.out
    # A mean so far is no bound: there is none.
    told = condition != "host.cpus_online > 4" and "cores" not in condition
    assert ("1 of B was not recorded to the end" in " ".join(called.out.split())) == told
    assert ">= 5.00 s" in called.out


def test_two_lost_runs_are_not_compared_as_measured(records):
    records.write("a", {"wall_seconds": exact(10)}, **LOST)
    records.write("b", {"wall_seconds": exact(5)}, **LOST)

    assert records.compare("a", "b", "--all-outcomes", "--noise", "0", "--fail-if", "wall_seconds > +10%").status == 2
    assert difference(records.json("a", "b"), "wall_seconds")["verdict"] == "not_told_apart"


def test_one_lost_run_among_repeated_ones_widens_the_interval_to_one_side(records):
    a = records.group("a", [10, 11, 12, 13, 14, 15])
    b = records.group("b", [20, 21, 22, 23, 24])
    lost = records.write("lost", {"wall_seconds": exact(0.001), "cpu_mean_cores": exact(0)}, **LOST)
    words = ["--all-outcomes", *a, "--", *b, lost]

    # Known to be at least 0.001 s it may have been any longer: of six values the median stays between 21.5 and 22.5.
    assert records.compare(*words, "--fail-if", "wall_seconds > 21s").status == 1
    assert records.compare(*words, "--fail-if", "wall_seconds > 22s").status == 2
    assert records.compare(*words, "--fail-if", "wall_seconds > 23s").status == 0
    found = difference(records.json(*words), "wall_seconds")
    without = difference(records.json(*a, "--", *b), "wall_seconds")
    assert found["lower"] < without["lower"] and found.get("upper", 1e9) > without["upper"]
    assert records.compare(*words, "--fail-if", "wall_seconds < -10%").status in (0, 2)


def test_the_same_run_counts_once_in_its_group_by_whatever_name(records):
    records.write("x", {"wall_seconds": exact(1)})
    records.write("y", {"wall_seconds": exact(2)})
    records.call.write("copy/info.json", (records.here / "x/info.json").read_text())
    (records.here / "link").symlink_to("x")
    called = records.compare("x", "x/info.json", "copy", "link", "--", "y", "y", "--noise", "0", "--fail-if", "wall_seconds > +10%")

    assert called.status == 1
    assert "4 runs" not in called.out and "A: x/info.json (base)" in called.out and "B: y/info.json" in called.out
    assert called.err == ("assay: x/info.json and 3 more: the same runs were named several times; each counts once\n")
    assert records.json("--by", "host", ".", "*", "x", "y", status=1)["groups"][0]["runs"] == 2
    assert records.compare("x", "y", "y").err == "assay: y/info.json: the same run was named twice; it counts once\n"


def test_repeats_of_one_id_that_are_other_runs_all_count(records):
    records.write("a", {"wall_seconds": exact(1)}, id="one")
    records.write("b", {"wall_seconds": exact(1)}, id="one", target={"text": "--user"})
    records.write("c", {"wall_seconds": exact(1)}, id="one", time={"started": "2026-11-28T14:00:01Z"})

    assert records.json("a", "b", "c")["groups"][0]["runs"] == 3


def test_a_run_is_no_different_from_itself_and_in_two_groups_that_is_said(records):
    records.write("a", {"memory_peak_bytes": {"value": GIB, "quality": "lower_bound", "key": "k", "lower": GIB, "upper": 3 * GIB}})
    called = records.compare("a", "a", "--fail-if", "memory_peak_bytes > +10%")

    assert (called.status, called.err) == (0, "assay: a/info.json: the same run is in several groups, which are not independent then\n")
    assert "nothing differs" in called.out and "not told apart" not in called.out
    assert records.compare("a", "a", "--fail-if", "memory_peak_bytes > +0%").status == 0


def test_the_value_without_its_bounds_has_the_unit_of_its_field(records):
    records.write("a", {"memory_peak_bytes": exact(GIB), "wall_seconds": exact(1)})
    records.write("b", {"memory_peak_bytes": exact(2 * GIB), "wall_seconds": exact(1)})
    called = records.compare("a", "b", "--fail-if", "memory_peak_bytes.value > 1G", "-F", "memory_peak_bytes.value")

    assert called.status == 1
    assert "met: memory_peak_bytes.value > 1G: A 1 GiB, B 2 GiB" in " ".join(called.out.split())
    assert records.compare("a", "b", "--fail-if", "wall_seconds.value > 1m").status == 0


@pytest.mark.parametrize("how, status", [("error", 2), ("fail", 1), ("pass", 2)])
def test_a_condition_that_is_not_met_by_the_runs_that_could_be_read_is_no_status_1(records, how, status):
    a, b = records.group("a", [1, 2, 3, 4, 5]), records.group("b", [1, 2, 3, 4, 5])
    records.call.write("torn/info.json", '{"schema": "assay-run", "head')
    called = records.compare(*a, "--", *b, "torn", "missing", "--unjudged", how, "--fail-if", "wall_seconds > +1000%")

    assert called.status == status
    assert "B: 5 runs, b0/info.json ...; could not be read: 2" in called.out
    assert ("no condition is met, but 2 of what was named could not be read" in called.err) == (status == 2)
    assert records.compare(*a, "--", *b, "torn", "--fail-if", "wall_seconds > 1").status == 1
    assert records.json(*a, "--", *b, "torn", status=1)["groups"][1]["unreadable"] == 1


def test_of_a_group_without_a_run_no_circumstance_differs(records):
    for i in range(3):
        records.write(f"a{i}", {"wall_seconds": exact(1)}, host={"hostname": "one", "cpu_model": "x"})
        records.write(f"b{i}", {"wall_seconds": exact(1)}, FAILED, host={"hostname": "one", "cpu_model": "x"})
    words = ["a0", "a1", "a2", "--", "b0", "b1", "b2"]
    page = records.compare(*words).out
    compared = records.json(*words)

    assert "cpu_model" not in page and "wall_seconds" not in page
    assert "B has no run to compare; left out: 3 failed (--all-outcomes takes them in)" in page
    assert compared["circumstances"] == [] and compared["fields"] == []
    assert len(records.compare(*words, "--format", "csv").out.splitlines()) == 1
    assert records.compare(*words, "--fail-if", "wall_seconds > +1%").status == 2
    assert "A has no run to compare; left out: 3 failed" in records.compare("b0", "b1", "b2").out


def test_a_directory_without_runs_is_said_to_be_the_trouble(records):
    records.write("a/1", {"wall_seconds": exact(1)})
    records.write("a/2", {"wall_seconds": exact(1)})
    (records.here / "empty").mkdir()
    called = records.compare("a", "empty", "--fail-if", "wall_seconds > +1%")

    assert called.status == 2
    assert "two groups" not in called.err and "empty" in called.err
    assert "not judged: wall_seconds > +1%: B has no run" in called.out and "B has no run to compare" in called.out


def test_a_run_that_cannot_be_read_never_passes(records):
    records.write("a", {"wall_seconds": exact(1)})
    records.write("b", {"wall_seconds": exact(1)})
    records.call.write("torn/info.json", '{"schema": "assay-run", "head')
    records.call.write("binary/info.json", b"\0\xff\x1b[2J" * 1000)
    called = records.compare("a", "torn", "binary", "b", "missing")

    assert called.status == 1
    assert len(called.err.splitlines()) == 3 and "\x1b" not in called.err and "\0" not in called.err
    assert all(name in called.err for name in ("torn", "binary", "missing"))
    assert records.compare("a", "missing", "--fail-if", "wall_seconds > +1%").status == 2
    nothing_left = records.compare("missing", "a")
    assert (nothing_left.status, nothing_left.out) == (2, "")
    assert records.compare("missing", "torn").status == 2


@pytest.mark.parametrize("words, says", [
    (("a",), "nothing to be compared with"), ((), "which runs"), (("a", "a", "--fail-if", "x"), "no condition"),
    (("a", "a", "--fail-if", "wall_seconds > 3MiB"), "not measured in MiB"), (("a", "a", "--confidence", "100"), "50 to 99.9"),
    (("a", "a", "--fields", ","), "no name"), (("a", "b", "--base", "C"), "no group 'C'"),
    (("a", "b", "c", "--fail-if", "wall_seconds > +1%"), "needs two groups")])
def test_wrong_words_are_refused_in_one_line(records, words, says):
    for name in "abc":
        records.write(name, {"wall_seconds": exact(1)})
    called = records.compare(*words)

    assert (called.status, called.out, len(called.err.splitlines())) == (2, "", 1)
    assert says in called.err


def test_fields_are_chosen_by_name_and_pattern(records):
    summary = {"proc_peak_rss_total_bytes": exact(1), "proc_peak_pss_total_bytes": exact(2), "self_cpu_seconds": exact(3)}
    for name, factor in ("a", 1), ("b", 2):
        records.write(name, {"wall_seconds": exact(factor)},
                      summary={key: exact(of["value"] * factor) for key, of in summary.items()}, processes={"seen": 4 * factor})
    names = [row["field"] for row in records.json("a", "b", "-F", "proc_*,processes.seen", "-F", "wall_seconds")["fields"]]

    assert names == ["wall_seconds", "proc_peak_rss_total_bytes", "proc_peak_pss_total_bytes", "processes.seen"]
    assert "3 further statistics" in records.compare("a", "b").out


@pytest.mark.parametrize("words, says", [
    (("-F", "wal_seconds"), "a field 'wal_seconds'; 'wall_seconds' is the nearest"), (("-F", "zz*"), "a field 'zz*'"),
    (("-F", "nosuch"), "a field 'nosuch'"), (("--by", "hostnam"), "a field 'hostnam'; 'hostname' is the nearest"),
    (("--by", "tag:brnch"), "a field 'tags.brnch'; 'tags.branch' is the nearest"), (("-F", "command,comand"), "'comand'; 'command'"),
    (("--fail-if", "wall_second > +1%", "--unjudged", "pass"), "'wall_second'; 'wall_seconds'")])
def test_a_field_that_no_run_has_is_said_with_the_nearest_name(records, words, says):
    records.write("a", {"wall_seconds": exact(1)}, tags={"branch": "x"})
    records.write("b", {"wall_seconds": exact(2)}, tags={"branch": "x"})
    called = records.compare("a", "b", *words)

    assert len(called.err.splitlines()) == 1 and called.err.startswith("assay: no run here has a field '") and says in called.err
    assert ("nothing differs" in called.out) == (words[1] == "command,comand")
    if words[1] in ("nosuch", "zz*"):
        assert "no run has a field that was asked for" in called.out
    assert records.compare("a", "b", "-F", "wall*,tags.*,command,exit_code").err == ""


def test_a_text_that_is_asked_for_is_compared(records):
    records.write("a", {"wall_seconds": exact(1)}, command={"text": "make a", "argv": ["make", "a"]}, notes=["x"])
    records.write("b", {"wall_seconds": exact(1)}, command={"text": "make b", "argv": ["make", "b"]}, notes=["x"])
    page = records.compare("a", "b", "-F", "command").out

    assert "command: A make a; B make b" in page and page.count("make a") == 1
    assert "nothing differs" not in page
    assert "nothing differs" in records.compare("a", "b", "-F", "hostname").out
    assert records.json("a", "b", "-F", "command")["circumstances"] == [{"name": "command", "groups": {"A": ["make a"], "B": ["make b"]}}]


def test_short_options_and_durations_are_those_of_ls(records):
    records.write("a", {"wall_seconds": exact(3600)})
    records.write("b", {"wall_seconds": exact(5401)})

    assert records.compare("a", "b", "-f", "csv", "-F", "wall_seconds").out.startswith("field,section,group")
    assert records.compare("a", "b", "--fail-if", "wall_seconds > 1h30m").status == 1
    assert records.compare("a", "b", "--fail-if", "wall_seconds > 01:31:00").status == 0
    assert records.compare("a", "b", "--noise", "0", "--fail-if", "wall_seconds > +30m").status == 1


def test_many_times_as_much_is_a_factor_and_what_is_near_nothing_keeps_its_digits(records):
    records.write("a", {"wall_seconds": exact(1), "cpu_mean_cores": {"value": 0.0031, "quality": "sampled", "key": "k"}})
    records.write("b", {"wall_seconds": exact(19.8), "cpu_mean_cores": {"value": 0.0001, "quality": "sampled", "key": "k"}})
    page = " ".join(records.compare("a", "b").out.split())

    assert "+18.8 s x 19.8" in page
    assert "~ 0.0031 ~ 0.0001 ~ -0.003 -96.8 %" in page


def test_nobody_is_told_of_a_mention_by_a_comparison_in_a_pull_request(records):
    text = "@torvalds x@y #1 o/r#22 GH-3 !4 https://github.com/o/r/issues/5 a-b c:d @"
    records.write("a", {"wall_seconds": exact(1)}, command={"text": text, "argv": ["a"]}, tags={"@who": "#7"})
    records.write("b", {"wall_seconds": exact(2)}, tags={"@who": "#8"})
    out = records.compare("a", "b", "-f", "markdown").out

    assert not re.search(r"@\w|[#!]\d|(?i:gh)-\d|://", out)
    assert text in re.sub(r"<!-- -->|\\", "", out)
    assert "a-b c:d @" in out


def test_csv_is_tidy_with_numbers_as_numbers(records):
    records.write("a", {"wall_seconds": exact(0.1)}, command={"text": "x", "argv": ["x"]})
    records.write("b", {"wall_seconds": exact(0.3)})
    rows = list(csv.DictReader(io.StringIO(records.compare("a", "b", "--format", "csv").out, newline="")))

    assert [(row["field"], row["group"], float(row["median"])) for row in rows] == [
        ("wall_seconds", "A", 0.1), ("wall_seconds", "B", 0.3)]
    assert (float(rows[1]["change"]), rows[1]["verdict"], rows[1]["base"]) == (pytest.approx(0.2), "higher", "A")
    assert rows[0]["change"] == "" and all(None not in row and None not in row.values() for row in rows)


def test_markdown_is_one_table_whose_cells_hold_no_pipe(records):
    records.write("a", {"wall_seconds": exact(1), "odd|name_bytes": exact(2)}, command={"text": "a | <b> *c*", "argv": ["a"]})
    records.write("b", {"wall_seconds": exact(2), "odd|name_bytes": exact(3)})
    lines = records.compare("a", "b", "--format", "markdown", "--noise", "0", "--fail-if", "wall_seconds > +50%").out.splitlines()
    table = [line for line in lines if line.startswith("|")]

    assert {line.replace("\\|", "").count("|") for line in table} == {table[0].count("|")}
    assert "| wall_seconds | = 1.00 s | = 2.00 s | +1.00 s | +100.0 % |" in table
    assert any("odd\\|name" in line for line in table)
    assert "- command.text: A a \\| \\<b> \\*c\\*; B job" in lines
    assert "- met: wall_seconds > +50%: A = 1.00 s, B = 2.00 s: +1.00 s, +100.0 %" in lines


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal_and_no_byte_moves_its_cursor(records, columns):
    odd = "測試資料 \x1b[31m\x07\u009b2J é" + "字" * 150 + " a" * 100
    for name, factor in ("a", 1), ("b", 3):
        records.write(name, {"wall_seconds": exact(factor), "memory_peak_process_and_more_bytes": exact(GIB * factor),
                             "cpu_seconds": {"value": factor, "quality": "lower_bound", "key": f"key_{name}"}},
                      command={"text": odd + name, "argv": ["x"]}, tags={"名": "\r\n\x1b]0;x\x07" * factor})
    page = records.compare("a", "b", "--noise", "0", "--fail-if", "wall_seconds > +5%", env={"COLUMNS": str(columns)})

    assert page.status == 1
    assert max(map(columns_of, page.out.splitlines())) <= columns
    assert not any(unicodedata.category(c) == "Cc" for c in page.out if c != "\n")
    assert "測試資料" in page.out and "memory_peak_process_and_more_bytes" in page.out


def on_terminal(assay, here, environment, columns, *words):
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    process = subprocess.Popen([str(assay), "compare", *words], cwd=here, stdin=subprocess.DEVNULL, stdout=other, env=environment)
    os.close(other)
    text = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(main)
    assert process.wait(60) == 0
    return text.decode()


def test_colours_are_for_terminals_that_want_them(records, assay, run_assay):
    records.write("a", {"wall_seconds": exact(1)})
    records.write("b", {"wall_seconds": exact(2)})
    environment = run_assay.environment({"TERM": "xterm"})

    assert "\x1b[1m" in on_terminal(assay, records.here, environment, 80, "a", "b")
    assert "\x1b" not in on_terminal(assay, records.here, {**environment, "NO_COLOR": "1"}, 80, "a", "b")
    assert "\x1b" not in on_terminal(assay, records.here, {**environment, "TERM": "dumb"}, 80, "a", "b")
    assert "\x1b" not in records.compare("a", "b", env={"TERM": "xterm"}).out


def test_a_reader_that_has_enough_is_no_error(records, assay, run_assay):
    words = records.group("a", [1, 2, 3, 4, 5])
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run([str(assay), "compare", *words], cwd=records.here, stdin=subprocess.DEVNULL, stdout=writing,
                             stderr=subprocess.PIPE, env=run_assay.environment(), check=False)
    os.close(writing)

    assert (process.returncode, process.stderr) == (0, b"")


def test_a_full_disk_is_an_error(records, assay, run_assay):
    records.write("a", {"wall_seconds": exact(1)})
    with open("/dev/full", "wb") as full:
        process = subprocess.run([str(assay), "compare", "a", "a"], cwd=records.here, stdin=subprocess.DEVNULL, stdout=full,
                                 stderr=subprocess.PIPE, env=run_assay.environment(), check=False)

    assert process.returncode == 1 and b"No space left on device" in process.stderr


def test_a_file_of_another_tool_that_holds_several_runs_stands_for_all_of_them(records):
    records.call.write("sacct.txt", "JobID|State|ExitCode|Start|End|ElapsedRaw|AllocCPUS|MaxRSS\n"
                       "1|COMPLETED|0:0|2026-11-01T10:00:00|2026-11-01T11:00:00|3600|2|\n"
                       "2|COMPLETED|0:0|2026-11-02T10:00:00|2026-11-02T12:00:00|7200|2|\n")
    compared = records.json("sacct.txt", "--", records.write("own", {"wall_seconds": exact(60)}))

    assert [group["runs"] for group in compared["groups"]] == [2, 1]
    assert field(compared, "wall_seconds")["groups"]["A"]["median"] == 5400
