# SPDX-License-Identifier: MIT
"""Called by con-duct's name: its defaults, its variables, its files."""
import re

import pytest

from calling import Caller

ENV_FILE = ".duct/.env"


@pytest.fixture
def links(assay, room):
    for name in ("duct", "con-duct", "product"):
        (room / name).symlink_to(assay)
    return room


@pytest.fixture
def duct(run_assay, links, room):
    return Caller(run_assay, links / "duct", room / "here")


def sources(duct, *words, env=None):
    called = duct("-l", "debug", *words, "true", env=env)
    assert called.status == 0, called.err
    return called.sources()


def test_the_defaults_are_con_ducts(duct):
    called = duct("sh", "-c", "cut -d' ' -f6 /proc/self/stat /proc/$PPID/stat; echo problem >&2")
    files = [file for file in called.recorded() if not file.endswith("_live")]

    assert called.status == 0
    assert re.fullmatch(r"\.duct/logs/\d{4}\.\d\d\.\d\dT\d\d\.\d\d\.\d\d-\d+_info\.json", files[0])
    assert [file.rpartition("_")[2] for file in files] == ["info.json", "stderr", "stdout", "usage.jsonl"]
    assert (called.here / files[1]).read_text() == "problem\n"
    assert (called.here / files[2]).read_text() == called.out
    options = called.info(files[0].removesuffix("info.json"))["options"]
    assert (options["sample_interval_seconds"], options["report_interval_seconds"], options["fail_time_seconds"]) == (1, 60, 3)
    of_job, of_keeper = called.out.split()
    assert of_job != of_keeper, "the job is not in a session of its own"


def test_each_default_gives_way_to_the_command_line(duct):
    assert sources(duct)["capture-outputs"] == ("all", "duct")
    found = sources(duct, "-p", "x_", "--s-i", "2", "--r-i", "70", "--f-t", "0", "-c", "none", "--mode", "current-session", "--colors")
    assert [found[name][0] for name in ("output-prefix", "sample-interval", "report-interval", "fail-time", "capture-outputs", "mode",
                                        "colors")] == ["x_", "2", "70", "0", "none", "current-session", "yes"]


@pytest.mark.parametrize("variable, option, value", [
    ("DUCT_OUTPUT_PREFIX", "output-prefix", "v_"), ("DUCT_SAMPLE_INTERVAL", "sample-interval", "2"),
    ("DUCT_REPORT_INTERVAL", "report-interval", "30"), ("DUCT_FAIL_TIME", "fail-time", "0"),
    ("DUCT_CAPTURE_OUTPUTS", "capture-outputs", "stderr"), ("DUCT_MESSAGE", "message", "text")])
def test_the_order_of_con_ducts_sources(duct, variable, option, value):
    ours = variable.replace("DUCT_", "ASSAY_")
    spare = {"output-prefix": ["a_", "b_", "c_"], "message": ["a", "b", "c"], "capture-outputs": ["none", "stdout", "all"]}
    others = spare.get(option, ["40", "41", "42"] if option == "report-interval" else ["3", "4", "5"])
    env = {variable: value, ours: others[0]}
    duct.write(ENV_FILE, f"OTHER_TOOL=1\n{variable}={others[1]}\n")
    duct.write(".assay/config", f"{option} = {others[2]}\n")

    assert sources(duct, env=env)[option] == (value, variable)
    del env[variable]
    assert sources(duct, env=env)[option] == (others[0], ours)
    assert sources(duct)[option] == (others[1], f"{ENV_FILE}:2: {option}")
    duct.write(ENV_FILE, "")
    assert sources(duct)[option] == (others[2], f".assay/config:1: {option}")


def test_the_prefix_of_an_env_file_counts_which_con_duct_itself_ignores(duct):
    duct.write(ENV_FILE, "DUCT_OUTPUT_PREFIX=from/file_\n")
    assert "from/file_info.json" in duct("true").recorded()


def test_any_text_turns_colors_on_and_they_are_off_otherwise(duct):
    assert "\x1b[" not in duct("true", env={"CLICOLOR_FORCE": "1"}).err
    assert "\x1b[" in duct("true", env={"DUCT_COLORS": "no"}).err


def test_the_summary_is_con_ducts_unless_another_is_asked_for(duct):
    first, *lines = duct("sh", "-c", "exit 0").err.splitlines()
    assert first.startswith("assay: sh -c 'exit 0' is executing, files in ")
    assert lines[:3] == ["Summary:", "Exit Code: 0", "Command: sh -c 'exit 0'"]
    assert re.fullmatch(r"Log files location: \.duct/logs/.*_", lines[3])
    assert re.fullmatch(r"Wall Clock Time: 0\.\d{3} sec", lines[4])
    assert duct("true", env={"DUCT_SUMMARY_FORMAT": "<{exit_code}>"}).err.splitlines()[1:] == ["<0>"]


def test_the_log_level_of_the_environment(duct):
    assert duct("true", env={"DUCT_LOG_LEVEL": "none"}).err == ""
    assert "DUCT_LOG_LEVEL is 'loud'; it takes" in duct("true", env={"DUCT_LOG_LEVEL": "loud"}).err


def test_con_ducts_files_are_found_where_con_duct_finds_them(duct):
    def looked(env):
        return [path for path in re.findall(r"no configuration in (\S+)", duct("-l", "debug", "true", env=env).err)
                if path.endswith("env")]

    assert looked({}) == ["/etc/duct/.env", f"{duct.here}/home/.config/duct/.env", ".duct/.env"]
    assert looked({"XDG_CONFIG_HOME": "/x"})[1] == "/x/duct/.env"
    assert looked({"DUCT_CONFIG_PATHS": "${N:-~/n}/env:/m.env"}) == [f"{duct.here}/home/n/env", "/m.env"]


def test_a_line_of_an_env_file_that_cannot_be_read_is_a_warning(duct):
    duct.write(ENV_FILE, "DUCT_MESSAGE=before\nthis is no setting\nDUCT_MESSAGE=behind\n")
    called = duct("-l", "warning", "-p", "r_", "true")

    assert called.status == 0
    assert ".duct/.env:2:" in called.err and "ignored" in called.err
    assert called.info("r_")["message"] == "before"


def test_assay_itself_reads_nothing_of_con_ducts(run_assay, assay, room):
    call = Caller(run_assay, assay, room / "here")
    call.write(ENV_FILE, "DUCT_MESSAGE=no\n")
    called = call("run", "-q", "-p", "r_", "true", env={"DUCT_MESSAGE": "no", "DUCT_FAIL_TIME": "60"})

    assert "message" not in called.info("r_")
    assert called.info("r_")["options"]["wait_all"] is False
    assert "fail_time_seconds" not in called.info("r_")["options"]


@pytest.mark.parametrize("words, status, stays", [
    (["false"], 1, False), (["--fail-time", "0", "false"], 1, True), (["true"], 0, True), (["no-such-command"], 127, False)])
def test_a_failure_within_three_seconds_leaves_nothing(duct, words, status, stays):
    called = duct(*words)
    assert called.status == status
    assert bool(called.recorded()) == stays
    assert (duct.here / ".duct").exists() == stays


def test_duct_alone_is_wrong_usage(duct):
    called = duct()
    assert (called.status, called.out) == (2, "")
    assert called.err == "assay: the command to run is missing; see 'duct --help'\n"
    assert duct("--bogus").err.endswith("see 'duct --help'\n")


def test_version_and_help_speak_of_duct(duct):
    assert re.fullmatch(r"assay \d+\.\d+\.\d+\n", duct("--version").out)
    text = duct("--help").out
    assert text.startswith("usage: duct [options] [--] COMMAND")
    assert "default: .duct/logs/{datetime}-{pid}_;" in re.sub(r"\s+", " ", text)
    assert max(map(len, text.splitlines())) <= 80


def test_arguments_of_the_command_are_left_alone(duct):
    called = duct("-q", "printf", "%s|", "--version", "-p", "--")
    assert called.out == "--version|-p|--|"


def test_con_duct_run_is_duct(run_assay, links, room):
    call = Caller(run_assay, links / "con-duct", room / "here")
    called = call("run", "-p", "r_", "true")

    assert called.info("r_")["options"]["fail_time_seconds"] == 3
    assert call("doctor").status == 0, "its other words are ours"


def test_another_name_changes_nothing(run_assay, links, room):
    call = Caller(run_assay, links / "product", room / "here")
    called = call("run", "-p", "r_", "true")
    assert "fail_time_seconds" not in called.info("r_")["options"]
