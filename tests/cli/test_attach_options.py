# SPDX-License-Identifier: MIT
"""What attach and snapshot may be asked: wrong command lines end in one line and status 2, and nothing is written."""
import re

import pytest

from calling import CONFIG, Caller


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def refused(called):
    """Exit status 2, one line, nothing on stdout, nothing written; returns the line."""
    assert called.status == 2, (called.status, called.err)
    assert called.err.count("\n") == 1 and called.err.startswith("assay: "), called.err
    assert called.out == "" and called.recorded() == []
    return called.err


# words: what the line says
WRONG_ATTACH = {
    "no_target": ([], "the target is missing"),
    "no_target_but_options": (["-i", "2"], "the target is missing"),
    "unknown_option": (["--every", "2", "1"], "unknown option '--every'"),
    "unknown_option_behind_the_target": (["1", "--every=2"], "unknown option '--every'"),
    "abbreviated": (["--sample-int", "2", "1"], "unknown option '--sample-int'"),
    "option_of_run": (["--limit", "wall=2h", "1"], "unknown option '--limit'"),
    "no_value": (["1", "--for"], "option '--for' needs a value: DURATION"),
    "no_duration": (["--for", "soon", "1"], '--for: "soon" is not a duration'),
    "no_time": (["--for", "0", "1"], "--for: '0' is no time at all"),
    "no_interval": (["-i", "0", "1"], "-i: '0' is no time at all"),
    "no_percentage": (["--budget", "half", "1"], '--budget: "half" is not a percentage'),
    "budget_too_small": (["--budget", "0.009%", "1"], "not between 0.01% and 100%"),
    "budget_too_large": (["--budget=100.001", "1"], "not between 0.01% and 100%"),
    "budget_none": (["--budget=0", "1"], "not between 0.01% and 100%"),
    "both_ways_with_a_record": (["--append", "--clobber", "1"], "only one of them"),
    "cgroup_own": (["--cgroup", "own", "1"], "--cgroup is 'own'; it takes auto, none"),
    "cgroup_unknown": (["--cgroup", "some", "1"], "--cgroup is 'some'; it takes auto, none"),
    "level": (["-l", "LOUD", "1"], "it takes NONE, CRITICAL"),
    "records": (["-t", "info", "1"], "it takes all, system-summary, processes-samples"),
    "tag": (["--tag", "novalue", "system"], "novalue"),
    "prefix": (["-p", "{nonsense}/", "system"], "nonsense"),
    "measurement": (["--measurements", "nonsense_key", "system"], "nonsense_key"),
    "report_shorter_than_sample": (["-i", "2", "--r-i", "1", "system"], "the report interval is shorter than the sample interval"),
}


@pytest.mark.parametrize("words, says", WRONG_ATTACH.values(), ids=WRONG_ATTACH)
def test_a_wrong_question_to_attach_is_one_line_and_nothing_is_written(call, words, says):
    assert says in refused(call("attach", *words))


WRONG_SNAPSHOT = {
    "no_target": ([], "the target is missing"),
    "two_targets": (["1", "2"], "a snapshot is of one target"),
    "unknown_option": (["1", "--jsn"], "unknown option '--jsn'"),
    "option_of_attach": (["--for", "2", "1"], "unknown option '--for'"),
    "no_interval": (["1", "-i", "0"], "-i: '0' is no time at all"),
    "interval": (["1", "--interval", "soon"], '--interval: "soon" is not a duration'),
    "count_of_one_reading": (["1", "--count", "3"], "--count is for --watch alone"),
    "count_of_none": (["1", "-w", "-n", "0"], "-n: '0' is not a number of lines"),
    "count_of_less": (["1", "-w", "--count=-3"], "--count: '-3' is not a number of lines"),
    "count_of_words": (["1", "-w", "--count=3x"], "--count: '3x' is not a number of lines"),
    "count_too_large": (["1", "-w", "--count=99999999999999999999"], "is not a number of lines"),
    "value_for_a_switch": (["1", "--json=yes"], "no value is taken by option '--json'"),
}


@pytest.mark.parametrize("words, says", WRONG_SNAPSHOT.values(), ids=WRONG_SNAPSHOT)
def test_a_wrong_question_to_snapshot_is_one_line(call, words, says):
    assert says in refused(call("snapshot", *words))


@pytest.mark.parametrize("verb", ["attach", "snapshot"])
@pytest.mark.parametrize("target", ["nonsense", "tree:", "tree:x", "999999999999", "0", "-", "user:no_such_user", "group:0x10", "pids:1,,2",
                                    "match:(", "system:x", "user+nonsense", ""])
def test_what_is_no_target_is_one_line(call, verb, target):
    refused(call(verb, target))


@pytest.mark.parametrize("words", [["--budget", "half", "touch", "started"], ["--target", "nonsense", "touch", "started"],
                                   ["--target=user", "--target=", "touch", "started"]])
def test_run_refuses_a_wrong_target_or_budget_before_the_command_starts(call, words):
    refused(call("run", *words))


def test_a_wrong_value_that_stands_elsewhere_is_named_with_its_place(call):
    assert 'ASSAY_BUDGET: "x" is not a percentage' in refused(call("attach", "1", env={"ASSAY_BUDGET": "x"}))
    assert 'ASSAY_FOR: "x" is not a duration' in refused(call("attach", "1", env={"ASSAY_FOR": "x"}))
    call.write(CONFIG, "\nfor = x\n")
    assert '.assay/config:2: for: "x" is not a duration' in refused(call("attach", "1"))


def test_settings_of_one_verb_do_not_trouble_the_others(call):
    call.write(CONFIG, "for = 10m\nappend = yes\ntarget = user; system\ncgroup = own\nlimit = wall=2h\nquiet = yes\n")

    assert call("snapshot", "--json", str(1)).status == 0
    assert "the target is missing" in refused(call("attach"))
    assert call("run", "--cgroup=auto", "--target=user", "-p", "record/", "true").status == 0


def test_options_may_stand_behind_the_target(call):
    assert refused(call("attach", "nonsense", "--for", "soon")) == refused(call("attach", "--for", "soon", "nonsense"))
    before, behind = call("snapshot", "--json", "1"), call("snapshot", "1", "--json")
    assert before.status == behind.status == 0 and before.out.startswith("{") and behind.out.startswith("{")
    assert "a snapshot is of one target" in refused(call("snapshot", "1", "--", "--json"))
    assert "unknown option '--json'" in call("attach", "system", "--json", "--", "-q").err


@pytest.mark.parametrize("verb", ["attach", "snapshot"])
def test_the_help_stands_in_80_columns(call, verb):
    called = call(verb, "--help")

    assert (called.status, called.err) == (0, "")
    assert max(map(len, called.out.splitlines())) <= 80
    assert call(verb, "-h").out == called.out == call(verb, "1", "--help").out


def options_of(text):
    return dict(re.findall(r"^  (?:-\w, |    )--([a-z-]+)(?:, --[a-z-]+)?(?: [A-Z=]+)?\n((?: {10}.*\n)+)", text, re.M))


def test_options_that_run_and_attach_share_say_the_same(call):
    run, attach = options_of(call("run", "--help").out), options_of(call("attach", "--help").out)

    assert set(attach) - set(run) == {"for", "append"}
    assert [name for name in attach if name in run and attach[name] != run[name]] == ["cgroup"]
    for name, text in attach.items():
        assert name == "help" or "ASSAY_" + name.upper().replace("-", "_") in text, name


def test_what_was_typed_is_escaped_once(call):
    hostile = call("attach", "frob:\x1b[2J")

    assert hostile.status == 2 and "\x1b" not in hostile.err and r"'frob:\e[2J'" in hostile.err
