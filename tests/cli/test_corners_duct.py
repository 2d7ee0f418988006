# SPDX-License-Identifier: MIT
"""What a con-duct user's scripts, files and habits rely on beyond the defaults: variables in .env files, Python's format specs, notes, the place of the logs."""
import json
import re

import pytest

from calling import Caller

ENV_FILE = ".duct/.env"


@pytest.fixture
def duct(run_assay, assay, room):
    (room / "duct").symlink_to(assay)
    return Caller(run_assay, room / "duct", room / "here")


@pytest.fixture
def beside(run_assay, assay, duct):
    """assay itself, in the directory of `duct`."""
    call = Caller.__new__(Caller)
    call.run_assay, call.program, call.here = run_assay, assay, duct.here
    return call


def message(duct, content, env=None):
    """What DUCT_MESSAGE of such a file comes to."""
    duct.write(ENV_FILE, content)
    called = duct("-q", "-p", "r_", "--clobber", "true", env=env)
    assert called.status == 0, called.err
    return called.info("r_").get("message", "")


@pytest.mark.parametrize("value, expected", [
    ("${WHO}", "ada"), ("a${WHO}b${WHO}", "aadabada"), ('"${WHO} there"', "ada there"), ("'${WHO}'", "${WHO}"), ("${NOBODY}.", "."),
    ("${NOBODY:-some}", "some"), ("${WHO:-some}", "ada"), ('"${NOBODY:-two words}"', "two words"), ("${NOBODY:-}.", "."), ("${EMPTY:-some}.", "."),
    ("${DUCT_LOG_LEVEL}", "warning"), ("$WHO ${WHO", "$WHO ${WHO"), ("${}", "${}"), ("${WHO:x}", "${WHO:x}"), ("~/x", "~/x"), ("about ~5", "about ~5"),
    ("${LATER}.", "."), ("${EARLIER}", "early ada"), ("${NOBODY:-${WHO}}", "${WHO}")])
def test_variables_in_values_are_filled_in_as_con_duct_does(duct, value, expected):
    """Those of the environment first, then those of the lines before; not in single quotes; what is filled in is not looked at again."""
    content = f"DUCT_LOG_LEVEL=warning\nEARLIER=\"early ${{WHO}}\"\nDUCT_MESSAGE={value}\nLATER=late\n"
    if value == "${NOBODY:-${WHO}}":
        # the first brace ends it, as python-dotenv reads it
        expected = "${WHO}"
    assert message(duct, content, {"WHO": "ada", "EMPTY": ""}) == expected


def test_the_environment_stands_over_the_lines_before(duct):
    assert message(duct, "WHO=line\nDUCT_MESSAGE=${WHO}\n", {"WHO": "environment"}) == "environment"
    assert message(duct, "WHO=first\nWHO=second\nDUCT_MESSAGE=${WHO}\n") == "second"


def test_a_prefix_of_an_env_file_may_begin_at_home(duct):
    """As the example in con-duct's own help does."""
    duct.write(ENV_FILE, "DUCT_OUTPUT_PREFIX=~/duct-logs/{datetime}-{pid}_\n")
    recorded = [name for name in duct("true").recorded() if name.endswith("info.json")]
    assert [re.sub(r"\d", "9", name) for name in recorded] == [f"home/duct-logs/9999.99.99T99.99.99-{'9' * len(recorded[0].split('-')[2].split('_')[0])}_info.json"]

    duct.write(ENV_FILE, 'DUCT_OUTPUT_PREFIX="${LOGS:-~/other}/{pid}_"\n')
    assert any(name.startswith("home/other/") for name in duct("true").recorded())
    duct.write(ENV_FILE, "DUCT_OUTPUT_PREFIX=${LOGS:-~/other}/{pid}_\n")
    assert any(name.startswith("x/") for name in duct("true", env={"LOGS": "x"}).recorded())


def test_assays_own_files_take_values_as_they_stand(beside):
    beside.write(".assay/config", "message = ${HOME} ~/x\n")
    assert beside("run", "-q", "-p", "r_", "true").info("r_")["message"] == "${HOME} ~/x"


@pytest.mark.parametrize("prefix, name", [
    ("{pid:010d}_", r"0{3,9}\d+_"), ("{pid:>10}_", r" +\d+_"), ("{pid!r}_", r"\d+_"), ("{{{pid:06d}}}_", r"\{\d{6,}\}_"), ("{{pid}}_", r"\{pid\}_"),
    ("{datetime!s:.10}_", r"\d{4}\.\d\d\.\d\d_"), ("{datetime:_>30}/", r"_{11}\d{4}.*/")])
def test_prefixes_take_pythons_format_specs(duct, prefix, name):
    called = duct("-q", "-p", prefix, "true")
    assert called.status == 0, called.err
    assert all(re.match(name, file) for file in called.recorded()) and called.recorded()


@pytest.mark.parametrize("prefix, words", [("{pid:zz}_", "':zz' is no format for {pid}"), ("{pid!q}_", "'!q' is no format for {pid}"),
                                           ("{pid:.2}_", "is no format for {pid}"), ("{datetime:06d}_", "is no format for {datetime}")])
def test_a_prefix_with_a_format_that_is_none_runs_nothing(duct, prefix, words):
    called = duct("-p", prefix, "touch", "ran")
    assert called.status == 2 and words in called.err and not (duct.here / "ran").exists()


@pytest.mark.parametrize("template, expected", [
    ("{exit_code:06d}", "000003"), ("{working_directory!r:.1}|", "'|"), ("{command:>30}|", "sh -c 'exit 3'".rjust(30) + "|"),
    ("{command!r}", '"sh -c \'exit 3\'"'), ("{{exit_code}} {{{exit_code}}}", "{exit_code} {3}"), ("{message!s:->5}", "--msg"), ("{message:05}", "msg00"),
    ("{exit_code:#x} {exit_code:b} {exit_code:+}", "0x3 11 +3")])
def test_summaries_take_pythons_format_specs(duct, template, expected):
    called = duct("-m", "msg", "--fail-time", "0", "--summary-format", template, "-l", "info", "sh", "-c", "exit 3")
    assert called.status == 3
    assert called.err.splitlines()[-1] == expected


def test_the_help_names_con_ducts_variables(duct, beside):
    out = duct("--help").out
    text = re.sub(r"\s+", " ", out)
    rows = {re.search(r"--([a-z-]+)", row)[1]: re.sub(r"\s+", " ", row) for row in re.split(r"\n(?= {2,6}-)", out)[1:]}
    for variable, option in (("DUCT_OUTPUT_PREFIX", "output-prefix"), ("DUCT_SUMMARY_FORMAT", "summary-format"), ("DUCT_COLORS", "colors"),
                             ("DUCT_SAMPLE_INTERVAL", "sample-interval"), ("DUCT_REPORT_INTERVAL", "report-interval"), ("DUCT_FAIL_TIME", "fail-time"),
                             ("DUCT_CAPTURE_OUTPUTS", "capture-outputs"), ("DUCT_MESSAGE", "message"), ("DUCT_LOG_LEVEL", "log-level")):
        assert re.search(rf"; {variable}; ASSAY_\w+\)|\({variable}; ASSAY_\w+\)", rows[option]), variable
    assert "DUCT_CONFIG_PATHS" in text and ".duct/.env" in text and "${NAME:-default}" in text
    assert max(map(len, duct("--help").out.splitlines())) <= 80
    assert "DUCT_" not in beside("run", "--help").out


def test_what_runs_and_where_its_files_are_is_said_at_the_start(duct):
    """Before the summary, once, on standard error, at the level of con-duct's own note."""
    called = duct("-p", "logs/{pid}_", "sh", "-c", "echo out; exit 0")
    prefix = next(name for name in called.recorded() if name.endswith("info.json")).removesuffix("info.json")
    lines = called.err.splitlines()

    assert lines[0] == f"assay: sh -c 'echo out; exit 0' is executing, files in {prefix}"
    assert called.out == "out\n" and lines[1] == "Summary:" and called.err.count("is executing") == 1
    for words in (["-q"], ["-l", "warning"]):
        assert "is executing" not in duct(*words, "true").err


def test_the_note_is_there_while_the_command_runs(run_assay, duct, room):
    (room / "here" / "go").unlink(missing_ok=True)
    process = run_assay.spawn([str(duct.program), "-p", "r_", "sh", "-c", "while [ -e ../noted.stderr ] && ! grep -q executing ../noted.stderr; do sleep 0.01; done"], "noted", cwd=duct.here,
                              env=run_assay.environment({"HOME": str(duct.here)}))
    assert process.wait(60) == 0


def test_a_command_that_is_not_found_was_never_executing(duct):
    called = duct("no-such-command")
    assert called.status == 127 and "is executing" not in called.err


def test_assay_run_says_nothing_at_the_start(beside):
    assert "is executing" not in beside("run", "true").err


def test_what_is_recorded_of_the_current_session_is_said(duct):
    called = duct("-p", "r_", "--mode", "current-session", "sh", "-c", "true")
    assert "--mode current-session: the command and what descends from it are recorded" in called.err
    assert "current-session:" not in duct("-p", "s_", "true").err
    help_text = re.sub(r"\s+", " ", duct("--help").out)
    assert "either way the command and what descends from it are recorded" in help_text


def listed(beside, *words, env=None):
    return [json.loads(line) for line in beside("ls", "-f", "jsonl", "-F", "command,prefix", *words, env=env).out.splitlines()]


@pytest.mark.parametrize("index", [[], ["--no-index"]])
def test_runs_of_duct_are_found_where_it_puts_them(duct, beside, index):
    duct("-q", "true", "by-default")
    assert [run["command"] for run in listed(beside, *index)] == ["true by-default"]
    assert beside("show", "@last").out.count("true by-default") >= 1
    beside("run", "-q", "true", "by-assay")
    assert sorted(run["command"] for run in listed(beside, *index)) == ["true by-assay", "true by-default"]
    assert "by-assay" in beside("show", "@last").out and "by-default" in beside("show", "@last-1").out

    env = {"DUCT_OUTPUT_PREFIX": "elsewhere/{pid}_"}
    duct("-q", "true", "by-variable", env=env)
    assert sorted(run["command"] for run in listed(beside, *index, env=env)) == ["true by-assay", "true by-variable"]
    assert "by-variable" in beside("show", "@last", env=env).out
    assert "by-default" in beside("show", "@last-1").out, "without the variable"

    duct.write(ENV_FILE, "DUCT_OUTPUT_PREFIX=by/file/{pid}_\n")
    duct("-q", "true", "by-file")
    assert sorted(run["command"] for run in listed(beside, *index)) == ["true by-assay", "true by-file"]
    assert "by-file" in beside("show", "@last").out


def test_a_place_that_is_named_is_the_only_one(duct, beside):
    duct("-q", "true", "by-duct")
    beside("run", "-q", "true", "by-assay")
    assert [run["command"] for run in listed(beside, "-p", ".assay/runs/")] == ["true by-assay"]
    assert [run["command"] for run in listed(beside, "-p", ".duct/logs/")] == ["true by-duct"]
    called = beside("show", "-p", ".assay/runs/", "@last-1")
    assert called.status != 0 and "there are not that many runs in .assay/runs/" in called.err and ".duct" not in called.err


def test_one_place_is_looked_at_once(duct, beside):
    env = {"DUCT_OUTPUT_PREFIX": ".assay/runs/{datetime}-{pid}/"}
    duct("-q", "true", "once", env=env)
    assert [run["command"] for run in listed(beside, env=env)] == ["true once"]


@pytest.mark.parametrize("prefix", ["{pid}_", "x-{pid}_", ".assay/runs/d-{pid}_", ".assay/{pid}_", "HERE/logs/{pid}_", "./.duct/{pid}/"])
@pytest.mark.parametrize("index", [[], ["--no-index"]])
def test_wherever_duct_records_each_run_is_listed_once(duct, beside, prefix, index):
    """Also where one place is in the other, or is our own directory, of which only the files themselves are looked at."""
    env = {"DUCT_OUTPUT_PREFIX": prefix}
    assert duct("-q", "true", "by-duct", env=env).status == 0
    beside("run", "-q", "true", "by-assay")
    (duct.here / "deep" / "er").mkdir(parents=True)
    beside("run", "-q", "-p", "deep/er/x-9_", "true", "elsewhere")
    assert sorted(run["command"] for run in listed(beside, *index, env=env)) == ["true by-assay", "true by-duct"]
    assert "by-assay" in beside("show", "@last", env=env).out and "by-duct" in beside("show", "@last-1", env=env).out


def test_the_id_of_a_run_of_duct_is_a_word_for_it(duct, beside):
    run_id = duct("-q", "-p", ".duct/logs/x_", "true", "by-id").info(".duct/logs/x_")["id"]
    assert "by-id" in beside("show", run_id).out
