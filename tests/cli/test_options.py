# SPDX-License-Identifier: MIT
"""What a run may be asked: by command line, environment and files; con-duct's behaviour table, written anew."""
import contextlib
import os
import pty
import re
import signal
import subprocess

import pytest

from calling import CONFIG, Caller
from support import read_info

USER_CONFIG = "home/.config/assay/config"
# For each option five values that differ, the last one not the default; switches have two.
TIMES = ["11s", "12s", "13s", "14s", "15s"]
TEXTS = ["one", "two", "three", "four", "five"]
SWITCH = ["no", "yes", "no", "yes", "yes"]
VALUES = {
    "output-prefix": ["a/", "b/", "c/", "d/", "e/"],
    "record-types": ["all", "system-summary", "processes-samples", "all", "system-summary"],
    "clobber": SWITCH,
    "fail-time": TIMES,
    "message": TEXTS,
    "name": TEXTS,
    "tag": ["k=1", "k=2", "k=3", "k=4", "k=5"],
    "measurements": ["minimal", "default", "proc_*", "minimal,proc_*", "minimal"],
    "sample-interval": TIMES,
    "report-interval": TIMES,
    "target": ["system", "user", "session", "group", "user"],
    "budget": ["1%", "2", "0.5%", "0.25", "100%"],
    "redact": ["a1", "b2", "c3", "d4", "e5"],
    "cgroup": ["none", "auto", "none", "auto", "none"],
    "wait-all": SWITCH,
    "freeze-on-exit": TIMES,
    "capture-outputs": ["all", "none", "stdout", "stderr", "combined"],
    "outputs": ["all", "none", "stdout", "stderr", "none"],
    "timestamps": SWITCH,
    "mode": ["new-session", "current-session", "new-session", "current-session", "new-session"],
    "limit": ["wall=1h", "wall=2h", "wall=3h", "wall=4h", "wall=5h"],
    "limit-grace": TIMES,
    "colors": SWITCH,
    "summary-format": ["{exit_code}", "{exit_code!E}", "{command}", "{wall_clock_time:.3f}", "one"],
}
# These two say whether anything is said at all, so they have tests of their own.
OF_THE_LOG = {"log-level", "quiet"}


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def one_line(called):
    assert called.err.count("\n") == 1 and called.err.startswith("assay: "), called.err
    return called.err


def refused(called):
    """Exit status 2, one line, nothing started, nothing written; returns the line."""
    assert called.status == 2, called.err
    assert not (called.here / "started").exists()
    return one_line(called)


def options_of_the_help(call, *verb):
    text = call(*verb, "--help").out
    return re.findall(r"^  (?:-\w, |    )--([a-z-]+)(?:, --[a-z-]+)?( [A-Z=]+)?\n((?: {10}.*\n)+)", text, re.M)


def test_every_option_has_a_variable_of_its_name_and_a_place_in_the_table_above(call):
    options = {name: text for name, _, text in options_of_the_help(call, "run") if name != "help"}

    for name, text in options.items():
        assert "ASSAY_" + name.upper().replace("-", "_") in text, name
    assert set(options) == set(VALUES) | OF_THE_LOG


def levels(call, name, values):
    """Calls with the option set at every level, then with one level less each time, the strongest first."""
    command, environment, project, of_user, of_machine = values
    call.write("machine", f"{name} = {of_machine}\n")
    call.write(USER_CONFIG, f"{name} = {of_user}\n")
    call.write(CONFIG, f"{name} = {project}\n")
    variable = "ASSAY_" + name.upper().replace("-", "_")
    env = {"ASSAY_CONFIG_PATHS": f"HERE/machine:HERE/{USER_CONFIG}:{CONFIG}", variable: environment}
    help_of = {option: argument for option, argument, _ in options_of_the_help(call, "run")}
    switch = not help_of[name]
    other = ["-c", "all"] if name == "timestamps" else []
    options = ["run", "-l", "debug", *other, *([] if name == "output-prefix" else ["-p", "record{pid}/"])]
    word = f"--{name}={command}"

    def value_and_source(*words):
        called = call(*options, *words, "true", env=env)
        assert called.status == 0, called.err
        value, source = called.sources()[name]
        assert value in (("yes", "no") if switch else values)
        return value, source

    yield value_and_source(word), (command, f"--{name}")
    yield value_and_source(), (environment, variable)
    del env[variable]
    yield value_and_source(), (project, f"{CONFIG}:1: {name}")
    call.write(CONFIG, "# nothing\n")
    yield value_and_source(), (of_user, f"{call.here}/{USER_CONFIG}:1: {name}")
    (call.here / USER_CONFIG).unlink()
    yield value_and_source(), (of_machine, f"{call.here}/machine:1: {name}")
    call.write("machine", "")
    called = call(*options, "true", env=env)
    yield called.sources().get(name), None


@pytest.mark.parametrize("name", VALUES)
def test_the_command_line_wins_over_the_environment_over_the_files_over_the_default(call, name):
    for said, expected in levels(call, name, VALUES[name]):
        assert said == expected


def log_of(call, words=(), env=None):
    """silent, summary or debug"""
    called = call("run", "-p", "record{pid}/", *words, "true", env=env)
    assert called.status == 0
    if "read the configuration" in called.err or " is '" in called.err:
        return "debug"
    return "summary" if "exited 0" in called.err else "silent" if called.err == "" else called.err


def test_the_log_level_follows_the_same_order(call):
    call.write(USER_CONFIG, "log-level = NONE\n")
    assert log_of(call) == "silent"
    call.write(CONFIG, "log-level = debug\n")
    assert log_of(call) == "debug"
    assert log_of(call, env={"ASSAY_LOG_LEVEL": "warning"}) == "silent"
    assert log_of(call, ["-l", "Info"], env={"ASSAY_LOG_LEVEL": "warning"}) == "summary"


def test_quiet_follows_the_same_order_and_the_higher_of_quiet_and_log_level_counts(call):
    call.write(USER_CONFIG, "quiet = yes\n")
    assert log_of(call) == "silent"
    call.write(CONFIG, "quiet = no\n")
    assert log_of(call) == "summary"
    assert log_of(call, env={"ASSAY_QUIET": "1"}) == "silent"
    assert log_of(call, ["--quiet=no"], env={"ASSAY_QUIET": "1"}) == "summary"
    assert log_of(call, ["-l", "debug"], env={"ASSAY_QUIET": "1"}) == "debug"
    assert log_of(call, ["-q"], env={"ASSAY_LOG_LEVEL": "debug"}) == "silent"
    assert log_of(call, ["-q", "-l", "debug"]) == "silent"


@pytest.mark.parametrize("level, summary, warning", [
    ("NONE", False, False), ("critical", False, False), ("Error", False, False), ("WARNING", False, True),
    ("info", True, True), ("DEBUG", True, True)])
def test_each_log_level_lets_through_what_it_says(call, level, summary, warning):
    call.write(CONFIG, "message = ignored\n", mode=0o666)
    called = call("run", "-l", level, "-p", "record/", "true")

    assert called.status == 0
    assert ("exited 0" in called.err) == summary, called.err
    assert (".assay/config is ignored" in called.err) == warning, called.err
    assert ("log-level is '" in called.err) == (level == "DEBUG")


def test_what_ends_in_2_is_said_at_every_level(call):
    assert "banana" in refused(call("run", "-l", "none", "-i", "banana", "touch", "started"))


@pytest.mark.parametrize("option, value, known", [
    ("capture-outputs", "some", "all, none, stdout, stderr, combined, pty"), ("outputs", "combined", "all, none, stdout, stderr"),
    ("record-types", "info", "all, system-summary, processes-samples"), ("mode", "no-session", "current-session, new-session"),
    ("log-level", "LOUD", "NONE, CRITICAL, ERROR, WARNING, INFO, DEBUG"), ("clobber", "perhaps", "1 or 0, yes or no")])
def test_a_value_outside_the_set_names_where_it_stands_and_what_is_taken(call, option, value, known):
    variable = "ASSAY_" + option.upper().replace("-", "_")

    said = f"assay: --{option} is '{value}'; it takes {known}"
    if len(said) > 80:  # what was typed stands just above
        said = f"assay: --{option} takes {known}"
    assert refused(call("run", f"--{option}={value}", "touch", "started")).startswith(said)
    line = refused(call("run", "touch", "started", env={variable: value}))
    assert f"{variable} is '{value}'; it takes {known}" in line
    call.write(CONFIG, f"\n\n{option} = {value}\n")
    line = refused(call("run", "touch", "started"))
    assert f".assay/config:3: {option} is '{value}'; it takes {known}" in line


BAD_VALUES = {
    "sample-interval": "soon", "report-interval": "-3", "fail-time": "--3", "limit-grace": "0", "freeze-on-exit": "-1",
    "budget": "0.001%", "output-prefix": "{nonsense}/", "summary-format": "{nonsense}", "measurements": "nonsense_key", "tag": "novalue", "redact": "(",
}


@pytest.mark.parametrize("option", BAD_VALUES)
def test_a_wrong_value_in_a_file_names_file_and_line(call, option):
    call.write(CONFIG, f"# a comment\n{option} = {BAD_VALUES[option]}\n")
    assert f".assay/config:2: {option}" in refused(call("run", "touch", "started"))


def test_a_key_that_no_verb_knows_names_file_and_line_and_starts_nothing(call):
    call.write(CONFIG, "quiet = yes\nsample-intervall = 5\n")
    assert ".assay/config:2: there is no option 'sample-intervall'" in refused(call("run", "touch", "started"))


@pytest.mark.parametrize("key", ["ASSAY_CONFIG_PATHS", "help", "json", "assay_message"])
def test_what_is_no_option_of_a_file_is_refused(call, key):
    call.write(CONFIG, f"{key} = x\n")
    assert f"there is no option '{key}'" in refused(call("run", "touch", "started"))


def test_a_broken_file_stops_neither_help_nor_the_verbs_that_take_nothing_from_it(call):
    call.write(CONFIG, "nonsense\n")
    assert call("run", "--help").status == 0
    assert call("doctor").status == 0
    assert call("measurements").status == 0


SYNTAX = {
    "plain": (b"message = two words", "two words"),
    "no_blanks": (b"message=x", "x"),
    "blanks_around": (b"  \t message \t=\t  x y \t \n", "x y"),
    "variable": (b"ASSAY_MESSAGE=x", "x"),
    "export": (b"export ASSAY_MESSAGE=x", "x"),
    "option_called_export_like": (b"export message=x", "x"),
    "comment_behind": (b"message = x # not this", "x"),
    "hash_within_a_word": (b"message = x#this", "x#this"),
    "comment_in_front": (b"# message = no\n   # nor = this\nmessage = x", "x"),
    "single_quotes": (b"message = 'a \\n \"b\" # c '", 'a \\n "b" # c '),
    "double_quotes": (b'message = "a\\n\\"b\\" \\\\ \\t # c "', 'a\n"b" \\ \\t # c '),
    "quotes_with_comment": (b'message = "a" # b', "a"),
    "several_lines": (b'message = "one\ntwo"\n', "one\ntwo"),
    "several_lines_single": (b"message = 'one\n\ntwo'\n", "one\n\ntwo"),
    "crlf": (b"# c\r\nmessage = x y\r\n", "x y"),
    "crlf_quoted": (b'message = "one\r\ntwo"\r\n', "one\ntwo"),
    "byte_order_mark": (b"\xef\xbb\xbfmessage = x", "x"),
    "equals_in_value": (b"message = a=b=c", "a=b=c"),
    "later_line_wins": (b"message = a\nmessage = b", "b"),
    "utf8": ("message = grüße".encode(), "grüße"),
}


@pytest.mark.parametrize("text, value", SYNTAX.values(), ids=SYNTAX)
def test_the_syntax_of_a_configuration_file(call, text, value):
    call.write(CONFIG, text)
    called = call("run", "-q", "-p", "record/", "true")

    assert called.status == 0, called.err
    assert called.info()["message"] == value


BAD_SYNTAX = {
    "no_equals": (b"quiet = 1\nmessage\n", 2, "name = value"), "no_name": (b"= x", 1, "name = value"),
    "unclosed": (b"\nmessage = 'a\nb\n", 2, "has no end"), "unclosed_double": (b'message = "a\\"', 1, "has no end"),
    "behind_quotes": (b"message = 'a' b\n", 1, "behind the closing quote"), "nul": (b"message = a\0b\n", 1, "NUL"),
    "line_behind_a_long_value": (b"message = 'a\nb\nc'\n!\n", 4, "name = value"), "binary": (b"\x7fELF\x02\x01", 1, "name = value"),
}


@pytest.mark.parametrize("text, line, words", BAD_SYNTAX.values(), ids=BAD_SYNTAX)
def test_a_line_that_cannot_be_read_names_file_and_line(call, text, line, words):
    call.write(CONFIG, text)
    said = refused(call("run", "touch", "started"))
    assert f".assay/config:{line}: " in said and words in said


def test_an_empty_value_takes_back_what_an_earlier_file_said(call):
    call.write(USER_CONFIG, "message = theirs\n")
    call.write(CONFIG, "message =\n")
    assert "message" not in call("run", "-q", "-p", "record/", "true").info()


def test_the_files_are_looked_for_where_the_manual_says(call):
    def looked(env):
        called = call("run", "-l", "debug", "-p", "record{pid}/", "true", env=env)
        return re.findall(r"no configuration in (\S+)", called.err)

    assert looked({}) == ["/etc/assay/config", f"{call.here}/home/.config/assay/config", ".assay/config"]
    assert looked({"XDG_CONFIG_HOME": "HERE/xdg"})[1] == f"{call.here}/xdg/assay/config"
    assert looked({"HOME": ""}) == ["/etc/assay/config", ".assay/config"]
    assert looked({"ASSAY_CONFIG_PATHS": ""}) == []
    assert looked({"ASSAY_CONFIG_PATHS": "~/a:${B}/b:${C:-/c}:${D:-~/d}/e::$f:~g", "B": "/nobody"}) == [
        f"{call.here}/home/a", "/nobody/b", "/c", f"{call.here}/home/d/e", "$f", "~g"]


@pytest.mark.parametrize("kind, why", [
    ("directory", "not a regular file"), ("fifo", "not a regular file"), ("long", "longer than 1 MiB"),
    ("loop", "symbolic links"), ("writable", "everybody may write")])
def test_a_file_that_does_not_count_is_a_warning_and_the_run_goes_on(call, kind, why):
    path = call.here / CONFIG
    path.parent.mkdir()
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to("config")
    else:
        call.write(CONFIG, "message = no\n" + ("#" * (1 << 20) if kind == "long" else ""),
                   mode=0o646 if kind == "writable" else 0o644)
    called = call("run", "-l", "warning", "-p", "record/", "true")

    assert called.status == 0
    line = one_line(called)
    assert ".assay/config is ignored" in line and why in line
    assert "message" not in called.info()


def test_a_file_of_exactly_1_MiB_counts(call):
    text = "message = x\n"
    call.write(CONFIG, text + "#" * ((1 << 20) - len(text)))
    assert call("run", "-q", "-p", "record/", "true").info()["message"] == "x"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make files of others")
def test_the_projects_file_counts_only_when_it_is_ours_or_roots(call, ordinary_user):
    path = call.write(CONFIG, "message = x\n")
    assert call("run", "-q", "-p", "a/", "true", user=ordinary_user).info("a/")["message"] == "x"

    os.chown(path, ordinary_user.uid, ordinary_user.gid)
    assert call("run", "-q", "-p", "b/", "true", user=ordinary_user).info("b/")["message"] == "x"
    called = call("run", "-l", "warning", "-p", "c/", "true")
    assert "it belongs to somebody else" in one_line(called)
    assert "message" not in called.info("c/")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make files of others")
@pytest.mark.parametrize("kind", ["link", "directory", "link_to_directory", "open_directory"])
def test_the_projects_file_does_not_count_when_somebody_else_leads_to_it(call, ordinary_user, kind):
    path = call.write(CONFIG, "message = x\n")
    hidden = call.here / "ours"
    if kind == "link":
        path.rename(hidden)
        path.symlink_to(hidden)
    elif kind == "link_to_directory":
        path.parent.rename(hidden)
        path.parent.symlink_to(hidden)
    elif kind == "open_directory":
        path.parent.chmod(0o777)
    if kind != "open_directory":
        os.lchown(path if kind == "link" else path.parent, ordinary_user.uid, ordinary_user.gid)
    called = call("run", "-l", "warning", "-p", "a/", "true")

    assert called.status == 0
    assert "what leads to it" in one_line(called)
    assert "message" not in called.info("a/")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make files of others")
def test_a_file_that_may_not_be_read_is_a_warning(call, ordinary_user):
    call.write(CONFIG, "message = x\n", mode=0o600)
    called = call("run", "-l", "warning", "-p", "a/", "true", user=ordinary_user)

    assert called.status == 0
    assert "Permission denied" in one_line(called)


@pytest.mark.parametrize("words", [
    ["run", "--sample-int", "5", "--", "touch", "started"], ["run", "--clob", "touch", "started"],
    ["run", "--s", "5", "touch", "started"], ["run", "--sample-interva=5", "touch", "started"]])
def test_long_names_are_never_abbreviated(call, words):
    assert "unknown option" in refused(call(*words))


def test_the_second_names_of_con_duct_mean_the_same(call):
    sources = call("run", "-l", "debug", "--s-i", "2", "--r-i=3s", "--f-t", "4", "-p", "r/", "true").sources()

    assert sources["sample-interval"] == ("2", "--s-i")
    assert sources["report-interval"] == ("3s", "--r-i")
    assert sources["fail-time"] == ("4", "--f-t")


@pytest.mark.parametrize("before", [[], ["--"]])
def test_everything_behind_the_command_is_the_commands(call, before):
    words = ["-q", "--help", "--", "-p", "x/", "--clobber", "", "a b", "*", "--sample-interval"]
    called = call("run", "-q", "-p", "record/", *before, "printf", "%s|", *words)

    assert called.out == "".join(word + "|" for word in words)
    assert called.info()["command"]["argv"] == ["printf", "%s|", *words]
    assert not (call.here / "x").exists()


def test_the_help_stands_under_headings_in_80_columns(call):
    text = call("run", "--help").out

    assert max(map(len, text.splitlines())) <= 80
    assert len(re.findall(r"^[A-Z][a-z ]+:$", text, re.M)) == 5
    assert call("run", "-h").out == text


def test_a_report_interval_shorter_than_the_sample_interval_is_refused(call):
    line = refused(call("run", "-i", "2", "touch", "started", env={"ASSAY_REPORT_INTERVAL": "1.9"}))
    assert "the report interval is shorter than the sample interval" in line
    assert "ASSAY_REPORT_INTERVAL" in line
    assert call("run", "-q", "-i", "2", "--r-i", "2", "-p", "r/", "true").status == 0


# name: (fail time, command, whether the files stay)
FAIL_TIMES = {
    "zero_keeps": ("0", "exit 3", True),
    "negative_zero_keeps": ("-0", "exit 3", True),
    "early_failure": ("60", "exit 3", False),
    "early_signal": ("60", "kill -9 $$", False),
    "early_success": ("60", "exit 0", True),
    "late_failure": ("0.05", "sleep 0.2; exit 3", True),
    "late_signal": ("50ms", "sleep 0.2; kill -9 $$", True),
    "negative_late_failure": ("-1", "sleep 0.2; exit 3", False),
    "negative_signal": ("-0.01", "sleep 0.2; kill -9 $$", False),
    "negative_success": ("-1", "exit 0", True),
}


@pytest.mark.parametrize("time, command, stays", FAIL_TIMES.values(), ids=FAIL_TIMES)
def test_the_fail_time_decides_what_a_failure_leaves(call, time, command, stays):
    called = call("run", "--fail-time", time, "-p", "deep/er/run_", "sh", "-c", command)

    assert called.status == (-signal.SIGKILL if "kill" in command else int(command[-1]))
    if stays:
        assert called.info("deep/er/run_")["state"] == "done"
        assert "within its fail time" not in called.err and "record" in called.err
    else:
        assert called.recorded() == [] and not (call.here / "deep").exists()
        assert "within its fail time" in one_line(called)


def test_the_notice_of_a_taken_back_record_is_part_of_the_summary(call):
    called = call("run", "-q", "--fail-time=-1", "-p", "run_", "false")
    assert (called.status, called.err, called.recorded()) == (1, "", [])


def test_a_taken_back_record_leaves_what_others_put_beside_it(call):
    called = call("run", "-q", "--f-t", "60", "-p", "d/run_", "sh", "-c", "touch d/mine; exit 1")
    assert (called.status, called.recorded()) == (1, ["d/mine"])


def test_what_was_kept_of_the_output_is_taken_back_as_well(call):
    called = call("run", "-q", "-c", "all", "--timestamps", "--f-t", "60", "-p", "r/", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (called.status, called.out, called.err, called.recorded()) == (3, "out\n", "err\n", [])


def test_a_process_that_lives_on_does_not_keep_the_files_of_a_failure(call):
    os.mkfifo(call.here / "gate")
    called = call("run", "-q", "-c", "all", "--f-t", "60", "-p", "r/", "sh", "-c", "(read x < gate; echo late) & exit 3")
    try:
        assert (called.status, called.recorded()) == (3, [])
    finally:
        with open(call.here / "gate", "w", encoding="ascii") as gate:
            gate.write("go\n")


def test_an_end_by_a_limit_keeps_its_record_whatever_the_fail_time(call):
    called = call("run", "--f-t=-1", "--limit", "wall=200ms", "--summary-format", "{exit_code}", "-p", "r/", "sleep", "60")
    assert called.status == 124
    assert called.info("r/")["limit"]["name"] == "wall"
    assert "a limit ended the command" in called.err


@pytest.mark.parametrize("file", ["info.json", "usage.jsonl", "live"])
@pytest.mark.parametrize("types", ["all", "system-summary", "processes-samples"])
def test_a_record_that_is_there_is_a_conflict(call, file, types):
    call.write(f"r/{file}", "old")
    called = call("run", "-t", types, "-p", "r/", "touch", "started")
    line = refused(called)

    assert f"r/{file} exists" in line and "--clobber" in line
    assert (call.here / "r" / file).read_text() == "old"
    assert called.recorded() == [f"r/{file}"]


ALL_FILES = ["info.json", "live", "stderr", "stderr.times", "stdout", "stdout.times", "usage.jsonl"]


def old_record(call):
    for file in ALL_FILES:
        call.write(f"r/run_{file}", f"old {file}")
    call.write("r/run_notes", "mine")
    return {path.name: path.read_text() for path in (call.here / "r").iterdir()}


def test_clobber_replaces_the_whole_record_and_nothing_else(call):
    old_record(call)
    os.link(call.here / "r/run_usage.jsonl", call.here / "kept")
    called = call("run", "-q", "--clobber", "-p", "r/run_", "true")

    assert called.status == 0
    left = {path.name: path.read_text() for path in (call.here / "r").iterdir()}
    assert left.pop("run_notes") == "mine"
    assert {"run_info.json", "run_usage.jsonl"} <= set(left) <= {f"run_{file}" for file in ALL_FILES}
    assert [name for name, text in left.items() if text.startswith("old")] == []
    assert called.info("r/run_")["command"]["argv"] == ["true"]
    assert (call.here / "kept").read_text() == "old usage.jsonl"


@pytest.mark.parametrize("words, status", [
    (["no-such-command"], 127), (["/etc/passwd"], 126), (["--fail-time", "60", "false"], 1),
    (["-c", "all", "--timestamps", "--f-t=-1", "sh", "-c", "echo x; exit 5"], 5)],
    ids=["not_found", "not_executable", "within_the_fail_time", "with_its_output_kept"])
def test_clobber_gives_the_old_record_back_when_the_new_one_is_taken_back(call, words, status):
    before = old_record(call)

    assert call("run", "-q", "--clobber", "-p", "r/run_", *words).status == status
    assert {path.name: path.read_text() for path in (call.here / "r").iterdir()} == before


def test_clobber_replaces_a_link_and_not_what_it_leads_to(call):
    call.write("annex", "precious", mode=0o444)
    (call.here / "r_info.json").symlink_to("annex")

    assert call("run", "-q", "--clobber", "-p", "r_", "true").status == 0
    assert (call.here / "annex").read_text() == "precious"
    assert not (call.here / "r_info.json").is_symlink()


def test_clobber_refuses_to_replace_what_is_no_file(call):
    (call.here / "r_info.json").mkdir()
    refused(call("run", "--clobber", "-p", "r_", "touch", "started"))
    assert (call.here / "r_info.json").is_dir()


@pytest.mark.parametrize("types, files", [
    ("all", ["r_info.json", "r_usage.jsonl"]), ("system-summary", ["r_info.json"]), ("processes-samples", ["r_usage.jsonl"])])
def test_the_record_types_decide_which_files_there_are(call, types, files):
    called = call("run", "--freeze-on-exit", "0", "-t", types, "-p", "r_", "true")

    assert called.status == 0
    assert called.recorded() == files
    named = re.search(r"^  record +(\S+)$", called.err, re.M)[1]
    assert named in files, "the summary names a file that is not there"
    if types == "system-summary":
        assert "usage" not in called.info("r_")["files"]


@pytest.mark.parametrize("prefix, pattern", [
    ("{datetime}-{pid}/", r"\d{4}\.\d\d\.\d\dT\d\d\.\d\d\.\d\d-\d+/"), ("a/b_{pid}_", r"a/b_\d+_"), ("{{x}}", r"\{x\}"),
    ("plain", "plain"), ("./r/", "r/"), ("{datetime_filesafe}_", r"\d{4}\.\d\d\.\d\dT\d\d\.\d\d\.\d\d_")])
def test_prefix_templates(call, prefix, pattern):
    called = call("run", "-l", "warning", "-t", "system-summary", "--freeze-on-exit", "0", "-p", prefix, "true")

    (file,) = called.recorded()
    assert re.fullmatch(pattern + r"info\.json", file)
    assert ("an old name of {datetime}" in called.err) == ("filesafe" in prefix)


@pytest.mark.parametrize("prefix", ["{nonsense}", "{pid", "pid}", "{}", "{host!r}", "{date:>3}"])
def test_a_prefix_with_unknown_braces_is_refused(call, prefix):
    assert "known are {datetime} and {pid}" in refused(call("run", "-p", prefix, "touch", "started"))


def test_name_message_and_tags_stand_in_the_record_as_they_were_given(call):
    info = call("run", "-q", "-p", "record/", "--name", "night run", "-m", "a\n\"b\"", "--tag", "k=v,w", "--tag=e=",
                "--tag", "x=a=b", "--tag", "k=again", "true").info()

    assert (info["name"], info["message"]) == ("night run", 'a\n"b"')
    assert info["tags"] == {"k": "again", "e": "", "x": "a=b"}


def test_texts_that_are_not_utf_8_are_kept_exactly(call):
    info = call("run", "-q", "-p", "record/", "-m", b"a\xff", "--name", b"\xfe", "--tag", b"k=\xfd", "--tag", "l=m", "true").info()

    assert (info["message"], info["message_hex"], info["name_hex"]) == ("a�", "61ff", "fe")
    assert (info["tags"], info["tags_hex"]) == ({"k": "�", "l": "m"}, {"k": "fd"})


def test_without_labels_the_record_has_none(call):
    info = call("run", "-q", "-p", "record/", "true").info()
    assert {"name", "message", "tags", "tags_hex"}.isdisjoint(info)


def test_tags_of_all_sources_are_joined_and_the_higher_one_wins_a_key(call):
    call.write(CONFIG, "tag = a=1, b=2\ntag = c=3\n")
    env = {"ASSAY_TAG": "b=4,d=5 ,"}

    assert call("run", "-q", "-p", "1/", "true").info("1/")["tags"] == {"a": "1", "b": "2", "c": "3"}
    assert call("run", "-q", "-p", "2/", "true", env=env).info("2/")["tags"] == {"a": "1", "b": "4", "c": "3", "d": "5"}
    tags = call("run", "-q", "-p", "3/", "--tag", "f=6,7", "--tag", "d=8", "true", env=env).info("3/")["tags"]
    assert tags == {"a": "1", "b": "4", "c": "3", "d": "8", "f": "6,7"}


def test_an_empty_tag_in_a_file_takes_back_those_of_lower_files(call):
    call.write("one", "tag = a=1\n")
    call.write("two", "tag =\ntag = b=2\n")
    call.write("three", "tag =\n")
    env = {"ASSAY_CONFIG_PATHS": "HERE/one:HERE/two", "ASSAY_TAG": "c=3"}

    assert call("run", "-q", "-p", "1/", "--tag", "d=4", "true", env=env).info("1/")["tags"] == {"b": "2", "c": "3", "d": "4"}
    env["ASSAY_CONFIG_PATHS"] = "HERE/one:HERE/two:HERE/three"
    assert call("run", "-q", "-p", "2/", "true", env=env).info("2/")["tags"] == {"c": "3"}


def test_a_bad_tag_of_a_file_is_found_beside_a_good_one_of_the_command_line(call):
    call.write(CONFIG, "\ntag = novalue\n")

    line = refused(call("run", "--tag", "a=1", "touch", "started"))
    assert "'novalue'" in line and ".assay/config:2: tag" in line


@pytest.mark.parametrize("tag", ["novalue", "=v", "", "a b=c", "a\"=c", "ü=c"])
def test_a_tag_without_a_key_is_refused(call, tag):
    assert "is not KEY=VALUE" in refused(call("run", "--tag", tag, "touch", "started"))


def test_the_summary_in_words_of_ones_own(call):
    format = "{command} gave {exit_code} in {logs_prefix}, {peak_gpu}"
    assert "peak_gpu" in refused(call("run", "--summary-format", format, "touch", "started"))
    called = call("run", "--summary-format", format.replace(", {peak_gpu}", ""), "-p", "record/", "sh", "-c", "exit 3")
    assert called.err == "sh -c 'exit 3' gave 3 in record/\n"
    assert call("run", "-q", "--summary-format", "x", "-p", "r/", "true").err == ""
    assert call("run", "--summary-format", "{exit_code!E}", "--colors", "-p", "s/", "true").err.startswith("\x1b[")


def test_a_name_that_is_like_no_other_is_not_taken_for_one(call):
    assert refused(call("run", "--summary-format", "{nobody}", "touch", "started")) == (
        "assay: --summary-format: {nobody} is not known; assay-run(1) lists the names\n")


@pytest.mark.parametrize("words", [[""], ["--", ""], ["-c", "all", "", "touch", "started"]])
def test_a_command_without_a_name_is_said_to_have_none(call, words):
    called = call("run", "-p", "r/", *words)

    assert called.status == 127, "as of a shell"
    assert called.err == "assay: cannot run '', an empty name: No such file or directory\n"
    assert called.recorded() == []


@pytest.mark.parametrize("words", [["--timestamps"], ["-c", "none", "--timestamps"], ["--timestamps", "-c", "none"]])
def test_timestamps_of_nothing_are_refused(call, words):
    assert "--timestamps needs -c: no output is captured" in refused(call("run", *words, "touch", "started"))


def test_timestamps_of_a_file_or_a_variable_wait_for_a_run_that_captures(call):
    call.write(CONFIG, "timestamps = yes\n")

    assert call("run", "-q", "-p", "1/", "true").status == 0
    assert call("run", "-q", "-p", "2/", "-c", "stdout", "true").recorded()[-2:] == ["2/stdout.times", "2/usage.jsonl"]
    assert call("run", "-q", "-p", "3/", "--timestamps=no", "-c", "none", "true", env={"ASSAY_TIMESTAMPS": "1"}).status == 0


@pytest.mark.parametrize("words, env, colored", [
    ([], {}, False), (["--colors"], {}, True), (["--colors=no"], {"CLICOLOR_FORCE": "1"}, False),
    ([], {"CLICOLOR_FORCE": "1"}, True), ([], {"CLICOLOR_FORCE": "0"}, False),
    ([], {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False), (["--colors"], {"NO_COLOR": "1"}, True),
    ([], {"ASSAY_COLORS": "1"}, True), (["--colors=0"], {"ASSAY_COLORS": "1"}, False)])
def test_colors_are_used_when_they_are_asked_for(call, words, env, colored):
    called = call("run", *words, "-p", "record/", "true", env=env)
    assert ("\x1b[" in called.err) == colored


@pytest.mark.parametrize("env, colored", [
    ({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False), ({"TERM": ""}, False), ({"ASSAY_COLORS": "no"}, False)])
def test_a_summary_on_a_terminal_has_colors_unless_somebody_does_not_want_them(call, run_assay, assay, env, colored):
    ours, theirs = pty.openpty()
    with subprocess.Popen([str(assay), "run", "-p", "record/", "true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs, cwd=call.here,
                          env=run_assay.environment({"TERM": "xterm", **env})) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # EIO: nobody holds the other end
            while piece := os.read(ours, 65536):
                shown += piece
    os.close(ours)

    assert process.returncode == 0 and b"exited 0" in shown, shown
    assert (b"\x1b[" in shown) == colored, shown


def test_options_that_fit_no_others_are_told_with_where_they_came_from_each_place_once(call):
    call.write(CONFIG, "tag = a=1\ntag = b=2\n")

    line = refused(call("run", "--sample-interval", "5s", "--report-interval", "1s", "touch", "started",
                        env={"ASSAY_TAG": "c=3,d=4", "ASSAY_TARGET": "user;group", "ASSAY_BUDGET": "1"}))
    assert line == ("assay: the report interval is shorter than the sample interval; not from the command line: "
                    ".assay/config:1: tag, .assay/config:2: tag, ASSAY_TAG, ASSAY_TARGET, ASSAY_BUDGET\n")


@pytest.mark.parametrize("mode, same", [("current-session", True), ("new-session", False)])
def test_the_mode_decides_whose_session_the_job_is_in(call, mode, same):
    called = call("run", "-q", "--mode", mode, "-p", "record/", "sh", "-c", "cut -d' ' -f6 /proc/self/stat /proc/$PPID/stat")
    of_job, of_keeper = called.out.split()
    assert (of_job == of_keeper) == same


@pytest.mark.parametrize("code", [0, 1, 2, 124, 126, 127, 255])
def test_the_exit_status_is_the_commands(call, code):
    assert call("run", "-q", "-p", "record/", "sh", "-c", f"exit {code}").status == code


@pytest.mark.parametrize("verb, option, value", [
    ("run", "--sample-interval", "a" * 10000), ("run", "--sample-interval", "0." + "0" * 10000), ("run", "--limit-grace", "1x" * 5000),
    ("run", "--budget", "9" * 10000), ("run", "--fail-time", "a" * 600), ("plot", "--from", "a" * 10000), ("run", "--report-interval", "0." + "0" * 10000),
    ("attach", "--for", "1h" * 5000 + "x"), ("snapshot", "--interval", "-" * 10000)])
def test_a_value_too_long_to_be_said_leaves_the_name_of_its_option(call, verb, option, value):
    tail = {"run": ["--", "touch", "started"], "plot": ["."], "attach": ["user"], "snapshot": ["user"]}[verb]
    line = refused(call(verb, option, value, *tail))

    assert option in line.split(":")[1] and value[:20] in line and value[:100] not in line, line
    assert len(line) < 250


@pytest.mark.parametrize("limit, said", [
    ("wall=" + "a" * 300, 'limit wall: "aaaa'), ("wall=" + "a" * 100, 'limit wall: "aaaa'), ("cpu=1h,memory=" + "9" * 300 + "G", 'limit memory: "9999'),
    ("wall" + "a" * 300, 'no limit is called "wallaaaa'), ("walls=" + "1" * 300, 'no limit is called "walls=1111')])
def test_a_limit_whose_value_is_too_long_is_told_by_its_name(call, limit, said):
    line = refused(call("run", "--limit", limit, "--", "touch", "started"))

    assert said in line and ("known are" in line) == ("no limit" in said), line


def test_a_duration_of_several_parts_is_one_wherever_durations_are_taken(call, room):
    assert call("run", "-q", "-p", f"{room}/record/", "--sample-interval", "0s100ms", "--fail-time", "1m0s", "true").status == 0
    assert read_info(f"{room}/record/")["options"]["sample_interval_seconds"] == 0.1
    assert call("run", "-q", "-p", f"{room}/ended/", "--limit", "wall=0s200ms", "sleep", "1000").status == 124
    for option in ("--sample-interval", "--fail-time", "--limit-grace"):
        assert '"1h30" is not a duration' in refused(call("run", option, "1h30", "touch", "started"))


@pytest.mark.parametrize("first, second", [
    ("user", "user"), (str(os.getpid()), f"tree:{os.getpid()}"), ("system", "system"), (f"user:{os.getuid()}", "user"),
    (f"pids:{os.getpid()},{os.getppid()}", f"pids:{os.getpid()},{os.getppid()}")],
    ids=["user", "a_pid_and_its_tree", "system", "a_user_by_number", "two_pids"])
def test_a_target_that_is_there_twice_is_refused(call, room, first, second):
    line = refused(call("run", "--target", first, "--target", "group", "--target", second, "-p", "record/", "touch", "started"))
    assert "--target: the target " in line and " is there twice" in line
    assert not list(room.rglob("*info.json"))
    called = call("attach", "-p", "record/", "--for", "100ms", first, second)
    assert called.status == 2 and "is there twice" in one_line(called)


def test_targets_that_only_hold_the_same_processes_are_two(call):
    called = call("run", "-q", "--target", str(os.getpid()), "--target", f"pids:{os.getpid()}", "-p", "record/", "true")
    assert (called.status, called.err) == (0, "")
    assert sum(name.endswith("info.json") for name in called.recorded()) == 3
