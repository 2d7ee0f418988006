# SPDX-License-Identifier: MIT
"""What compare says of single runs, of groups that do not scatter alike, and of names that no run has."""
import itertools
import json

import pytest

from calling import Caller
from support import parse


class Records:
    """Writes info files of made-up runs that took so many seconds."""

    def __init__(self, caller):
        self.call, self.numbers = caller, itertools.count(1)

    def write(self, name, wall, **members):
        number = next(self.numbers)
        info = {"schema": "assay-run", "version": "1.0", "state": "done", "id": f"2026.11.28T14.00.00-{number}",
                "program": {"name": "assay", "version": "0.1.0"}, "command": {"text": "job", "argv": ["job"]},
                "files": {"info": "info.json", "prefix": ""}, "time": {"started": "2026-11-28T14:00:00Z"}, "host": {"hostname": "one"},
                "measurements": [], "notes": [], "headline": {"wall_seconds": {"value": wall, "quality": "exact", "key": "k"}},
                "outcome": {"exit_code": 0, "words": "exited 0", "evidence": "wait status 0"}, **members}
        self.call.write(f"{name}/info.json", json.dumps(info))
        return name

    def group(self, name, values):
        return [self.write(f"{name}{i}", value) for i, value in enumerate(values)]

    def difference(self, *words):
        called = self.call("compare", "--format", "json", *words)
        assert called.status == 0, called.err
        return parse(called.out, "assay-compare")["fields"][0]["differences"][0]

    def conditions(self, *words, status):
        called = self.call("compare", "--format", "json", *words)
        assert called.status == status, (called.status, called.out, called.err)
        return parse(called.out, "assay-compare")["conditions"]


@pytest.fixture
def records(run_assay, assay, room):
    return Records(Caller(run_assay, assay, room / "here"))


def test_a_change_between_single_runs_is_not_judged_without_a_word_on_chance(records):
    """At 10 % noise a change of more than 10 % is chance in three of ten."""
    records.write("a", 10)
    records.write("b", 12)

    for condition in ("wall_seconds > +10%", "wall_seconds < -10%", "wall_seconds > +1s"):
        [judged] = records.conditions("a", "b", "--fail-if", condition, status=2)
        assert judged["result"] == "not judged" and "noise" not in judged
        assert "one run of each does not show how much runs differ by chance" in judged["why"] and "--noise" in judged["why"]
    # What is asked of the run itself is a fact.
    assert records.conditions("a", "b", "--fail-if", "wall_seconds > 11s", status=1)[0]["result"] == "met"


@pytest.mark.parametrize("noise, condition, result", [
    ("0", "wall_seconds > +10%", "met"), ("0", "wall_seconds > +20%", "not met"), ("9%", "wall_seconds > +10%", "met"), ("11", "wall_seconds > +10%", "not judged"),
    ("9", "wall_seconds > +30%", "not met"), ("11", "wall_seconds > +30%", "not judged"), ("9", "wall_seconds > +1s", "met"), ("11", "wall_seconds > +1s", "not judged")])
def test_the_noise_that_is_given_is_allowed_for_and_said(records, noise, condition, result):
    records.write("a", 10)
    records.write("b", 12)
    [judged] = records.conditions("a", "b", "--noise", noise, "--fail-if", condition, status={"met": 1, "not met": 0, "not judged": 2}[result])

    assert judged["result"] == result
    assert judged["noise"] == pytest.approx(float(noise.rstrip("%")) / 100)
    assert (f"up to {noise.rstrip('%')} % taken for chance (--noise)" in judged["why"]) == (noise != "0")


def test_two_and_three_runs_are_judged_by_noise_as_one_is(records):
    words = [*records.group("a", [10, 10.2]), "--", *records.group("b", [13, 13.1, 12.9])]

    assert records.conditions(*words, "--fail-if", "wall_seconds > +10%", status=2)[0]["result"] == "not judged"
    assert records.conditions(*words, "--noise", "0", "--fail-if", "wall_seconds > +10%", status=2)[0]["result"] == "not judged", "they show that they differ"
    # At the least 12.9 is above 1.1 x 10.2 by 1.68 s, of which 10 % of 10.1 s are chance.
    assert records.conditions(*words, "--noise", "10", "--fail-if", "wall_seconds > +10%", status=1)[0]["result"] == "met"
    assert records.conditions(*words, "--noise", "20", "--fail-if", "wall_seconds > +10%", status=2)[0]["result"] == "not judged"


def test_enough_runs_tell_themselves_and_noise_changes_nothing(records):
    words = [*records.group("a", [100, 101, 102, 103, 104]), "--", *records.group("b", [120, 121, 122, 123, 124])]

    for noise in ([], ["--noise", "90"]):
        assert records.conditions(*words, *noise, "--fail-if", "wall_seconds > +10%", status=1)[0]["result"] == "met"


@pytest.mark.parametrize("noise", ["-1", "101", "x", "5s", "", "nan", "1e1", "5%%"])
def test_a_noise_that_is_no_percentage_is_refused(records, noise):
    records.write("a", 10)
    called = records.call("compare", "a", "a", f"--noise={noise}", "--fail-if", "wall_seconds > +10%")

    assert (called.status, called.out) == (2, "")


def test_of_few_wide_and_many_narrow_runs_the_interval_allows_for_it(records):
    """By the rank-sum test alone these five are higher, as four of them are above all thirty."""
    wide = [104.1, 101.9, 106.3, 99.2, 103.8]
    narrow = [100 + (i - 14.5) / 30 for i in range(30)]
    found = records.difference(*records.group("a", narrow), "--", *records.group("b", wide))

    assert found["verdict"] == "not_told_apart" and found["lower"] < 0 < found["upper"]
    assert "B scatters" in found["note"] and "the interval allows for it" in found["note"]
    # Welch's, for the means: 103.06 - 100, with 4 degrees of freedom 2.776 standard errors of 1.192.
    assert found["lower"] == pytest.approx(-0.249, abs=0.002)


def test_where_the_larger_group_is_wider_or_both_are_alike_it_is_the_interval_of_the_rank_sum_test(records):
    few = records.group("a", [99.9, 100, 100.1, 100.2])
    found = records.difference(*few, "--", *records.group("b", [110, 130, 120, 105, 140, 150]))

    differences = sorted(y - x for x in [99.9, 100, 100.1, 100.2] for y in [110, 130, 120, 105, 140, 150])
    # U = 2 is critical at 5 % for 4 and 6.
    assert (found["lower"], found["upper"]) == (pytest.approx(differences[2]), pytest.approx(differences[-3]))
    assert found["verdict"] == "higher" and "scatters" not in found.get("note", "")


def test_of_groups_of_one_size_that_do_not_scatter_alike_it_is_said(records):
    narrow, wide = records.group("a", [100, 100.1, 100.2, 100.3, 100.4]), records.group("b", [101, 104, 102, 107, 110])
    found = records.difference(*narrow, "--", *wide)

    assert found["verdict"] == "higher"
    assert "B scatters 23.4 times as much as A: the interval is less sure than it says" in found["note"]
    [judged] = records.conditions(*narrow, "--", *wide, "--fail-if", "wall_seconds > +0.5%", status=1)
    assert "less sure than it says" in judged["why"]


@pytest.mark.parametrize("values, says", [([103], "how B scatters one run does not show: taken to be as A does"), ([103, 103.1], "how B scatters two runs hardly show: taken to be as A does")])
def test_of_one_run_or_two_against_many_it_is_said_what_is_taken_for_granted(records, values, says):
    found = records.difference(*records.group("a", [100 + i / 20 for i in range(40)]), "--", *records.group("b", values))

    assert found["verdict"] == "higher" and says in found["note"]


@pytest.mark.parametrize("words", [("-F", "wal_seconds"), ("-F", "zz*"), ("-F", "nosuch,wall_seconds"), ("--by", "hostnam"), ("--by", "tag:brnch"),
                                   ("--fail-if", "wall_second > 3"), ("--fail-if", "wall_second > 3", "--unjudged", "pass"),
                                   ("--fail-if", "tags.brnch > 3", "--unjudged", "fail")])
def test_a_name_that_no_run_can_have_is_wrong_usage(records, words):
    records.write("a", 1, tags={"branch": "x"})
    records.write("b", 2, tags={"branch": "x"})
    called = records.call("compare", "a", "b", *words)

    assert called.status == 2 and "no run here has a field '" in called.err


@pytest.mark.parametrize("words, status", [
    (("-F", "cgroup_cpu_throttled_seconds"), 0), (("-F", "proc_peak_pss_total_bytes,wall_seconds.upper"), 0), (("-F", "cgroup_peak_*"), 0), (("-F", "signal,limit,job_id"), 0),
    (("--fail-if", "cgroup_cpu_seconds > 3s", "--unjudged", "pass"), 0), (("--fail-if", "cgroup_cpu_seconds > 3s"), 2),
    (("--fail-if", "wall_seconds > 1s", "-F", "nosuch"), 1)])
def test_a_name_that_other_runs_have_is_no_wrong_usage(records, words, status):
    records.write("a", 1)
    records.write("b", 2)

    assert records.call("compare", "a", "b", *words).status == status


@pytest.mark.parametrize("name, field", [("wall", "wall_seconds"), ("tag:n", "tags.n"), ("host", "hostname"), ("exit", "exit_code"), ("wall_clock_time", "wall_clock_time")])
def test_fields_have_the_names_that_ls_knows(records, name, field):
    records.write("a", 1, tags={"n": "x"})
    records.write("b", 2, tags={"n": "y"}, host={"hostname": "two"}, outcome={"exit_code": 0, "words": "exited 0", "evidence": "wait status 0"})
    compared = json.loads(records.call("compare", "a", "b", "--all", "--format", "json", "-F", name).out)

    assert field in [row["field"] for row in compared["fields"]] + [fact["name"] for fact in compared["circumstances"]]


def test_conditions_take_the_names_of_ls_with_their_units(records):
    records.write("a", 10)
    records.write("b", 90)

    for condition in ("wall > 1m", "wall > +1m", "wall_clock_time > 1m"):
        assert records.call("compare", "a", "b", "--noise", "0", "--fail-if", condition).status == 1
    assert records.call("compare", "a", "b", "--fail-if", "wall > 2m").status == 0


def test_jobs_that_sacct_tells_ended_badly_in_words_alone_are_left_out(records):
    """TIMEOUT, CANCELLED and NODE_FAIL come with an exit code of 0."""
    records.call.write("jobs.txt", "JobID|State|ExitCode|Start|Elapsed\n" + "".join(
        f"{number}|{state}|0:0|2026-11-0{number}T10:00:00|01:00:00\n" for number, state in enumerate(("COMPLETED", "COMPLETED", "TIMEOUT", "CANCELLED by 7", "NODE_FAIL"), 1)))
    compared = json.loads(records.call("compare", "jobs.txt", "--format", "json").out)

    assert compared["groups"][0]["outcomes"] == {"ended well": 2, "cut off by a limit": 1, "failed": 2}
