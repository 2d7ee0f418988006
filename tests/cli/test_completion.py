# SPDX-License-Identifier: MIT
"""What shells complete: every option of every verb, what each takes, and a command's own words; asked of the shells themselves."""
import json
import re
import shutil
import subprocess

import pytest

from shells import Fish, Shell
from support import skip_with_a_sanitizer

SHELLS = ["bash", "zsh", "fish"]


def written(assay, language):
    return subprocess.run([assay, "completion", language], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True,
                          timeout=60).stdout


@pytest.fixture(scope="session")
def verbs(assay):
    return json.loads(written(assay, "json"))["verbs"]


@pytest.fixture(params=SHELLS)
def shell(request, assay, room):
    skip_with_a_sanitizer(assay, "changes nothing in the scripts, of which shells are asked with the plain build")
    return Fish(assay, room) if request.param == "fish" else Shell(request.param, assay, room)


def names(option):
    yield "--" + option["name"]
    if "alias" in option:
        yield "--" + option["alias"]
    if "letter" in option:
        yield "-" + option["letter"]


def bare(words):
    """zsh ends the name of an option that takes an argument with =."""
    return sorted(word.rstrip("=") for word in words)


@pytest.mark.parametrize("language", SHELLS)
def test_the_shell_finds_no_mistake_in_the_script(assay, room, language):
    if not shutil.which(language):
        pytest.skip(f"{language} is not installed")
    (room / "script").write_text(written(assay, language))

    done = subprocess.run([language, "-n", room / "script"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=60)

    assert (done.returncode, done.stdout) == (0, b"")


def test_the_table_has_every_verb_and_option_of_the_help(assay, verbs):
    front = subprocess.run([assay, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout

    assert [verb["name"] for verb in verbs] == re.findall(r"^  ([a-z]+) ", front, re.M)
    for verb in verbs:
        text = subprocess.run([assay, verb["name"], "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        said = re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?:, --([\w-]+))?( [^-\s]\S*)?$", text, re.M)
        assert said == [(option.get("letter", ""), option["name"], option.get("alias", ""),
                         f" {option['argument']}" if "argument" in option else "") for option in verb["options"]]


def test_every_long_option_of_every_verb_is_offered(shell, verbs):
    for verb in verbs:
        wanted = [name for option in verb["options"] for name in names(option) if name.startswith("--")]
        assert bare(shell.offers(f"assay {verb['name']} --")) == sorted(wanted), verb["name"]


@pytest.mark.parametrize("language", SHELLS)
def test_every_name_of_every_option_stands_in_the_script(assay, verbs, language):
    script = written(assay, language)
    for verb in verbs:
        lines = {"bash": rf"^\t{verb['name']}\)\n((?:\t\t.*\n)*)", "zsh": rf"^_assay_{verb['name']}\(\) \{{\n((?:\t.*\n)*)",
                 "fish": rf"((?:^complete .*__assay_verb_is {verb['name']}\b.*\n)*)"}[language]
        part = max((match[1] for match in re.finditer(lines, script, re.M)), key=len)
        for option in verb["options"]:
            for name in names(option):
                word = name if language != "fish" else ("-l " if name.startswith("--") else "-s ") + name.lstrip("-")
                assert re.search(rf"(?<![\w-]){word}(?![\w-])", part), (verb["name"], name)


def test_verbs_are_offered_and_nothing_else(shell, verbs):
    assert sorted(shell.offers("assay ")) == sorted(verb["name"] for verb in verbs)
    assert [word.rstrip() for word in shell.offers("assay snap")] == ["snapshot"]


def test_an_option_offers_its_choices_behind_a_blank_and_behind_a_letter(shell, verbs):
    options = next(verb for verb in verbs if verb["name"] == "run")["options"]
    for option in options:
        if "choices" in option:
            assert sorted(shell.offers(f"assay run --{option['name']} ")) == sorted(option["choices"]), option["name"]
    assert sorted(shell.offers("assay run -q -t ")) == ["all", "processes-samples", "system-summary"]
    assert sorted(shell.offers("assay run -qt ")) == ["all", "processes-samples", "system-summary"]


def test_a_choice_that_the_verb_refuses_is_not_offered(shell):
    assert sorted(shell.offers("assay attach user --cgroup ")) == ["auto", "none"]


def test_duct_is_completed_as_run(shell):
    assert bare(shell.offers("duct --mo")) == ["--mode"]
    assert sorted(shell.offers("duct -q --mode ")) == ["current-session", "new-session"]


def test_keys_are_offered_behind_each_comma_and_minus(shell):
    keys = ["proc_pss_age_seconds", "proc_pss_anon_bytes", "proc_pss_anon_total_bytes"]

    assert sorted(shell.offers("assay run --measurements proc_pss_a")) == keys
    assert sorted(shell.offers("assay run --measurements minimal,-proc_pss_a")) == ["minimal,-" + key for key in keys]


FIELDS = ["proc_last_pss_total_bytes", "proc_mean_pss_total_bytes", "proc_peak_pss_total_bytes"]


@pytest.mark.parametrize("option", ["ls --fields", "ls -F", "ls --sort", "compare --fields"])
def test_fields_are_offered_behind_each_comma(shell, option):
    assert sorted(shell.offers(f"assay {option} memory_peak_b")) == ["memory_peak_bytes"]
    assert sorted(shell.offers(f"assay {option} state,proc_peak_pss_t")) == ["state,proc_peak_pss_total_bytes"]


@pytest.mark.parametrize("option", ["ls --where", "ls -w", "compare --fail-if", "compare --by"])
def test_the_first_word_of_an_expression_is_a_field(shell, option):
    assert sorted(shell.offers(f"assay {option} exit_c")) == ["exit_code"]


@pytest.mark.parametrize("name, end", [("bash", "'"), ("zsh", "")])
def test_a_field_is_finished_behind_a_quote_without_a_blank(assay, room, name, end):
    """bash ends the quote by itself."""
    assert Shell(name, assay, room).completed("assay ls -w 'memory_peak_by") == f"assay ls -w 'memory_peak_bytes{end}"


def recorded(assay, room):
    subprocess.run([assay, "run", "-q", "-p", f"{room}/recorded/", "--", "true"], check=True)
    return json.loads((room / "recorded" / "info.json").read_text())


def test_the_fields_are_those_that_runs_have_and_each_stands_once(assay, room):
    offered = subprocess.run([assay, "completion", "fields"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    info = recorded(assay, room)

    assert len(offered) == len(set(offered))
    assert set(info["summary"]) | {"exit_code", "command", "hostname", "state", "logs_bytes", "cpu_mean_cores"} <= set(offered)


def make_runs(room, names, prefix=".assay/runs/{}/", info="{}"):
    for name in names:
        path = room / (prefix.format(name) + "info.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(info)


@pytest.mark.parametrize("verb", ["show", "compare", "compare @last --", "export --to csv"])
def test_ids_of_the_usual_place_and_the_last_are_offered_for_a_run_and_files_too(shell, room, verb):
    make_runs(room, ["2026.11.28T10.00.00-31", "2026.11.28T10.00.00-32"])
    (room / "2026-results").mkdir()

    assert sorted(word.rstrip("/") for word in shell.offers(f"assay {verb} 2026")) == [
        "2026-results", "2026.11.28T10.00.00-31", "2026.11.28T10.00.00-32"]
    assert shell.offers(f"assay {verb} @la") == ["@last"]


def completion_runs(assay, room, *options, under=(), **more):
    return subprocess.run([*under, assay, "completion", *options, "runs"], cwd=room, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
                          **more).stdout.splitlines()


def test_the_newest_200_are_offered_the_newest_first_and_no_file_is_opened(assay, room, strace):
    names = [f"2026.11.{day:02}T10.00.00-{pid}" for day in range(1, 26) for pid in range(10, 20)]
    make_runs(room, names)
    make_runs(room, ["2027 $(touch gone)", "2027;x", "2027\nx", "-2027", ".2027"])
    (room / ".assay/runs/2027.11.28T10.00.00-1").write_text("a file is no run")
    trace = [strace, "-f", "-qq", "-e", "trace=open,openat", "-o", room / "trace"]

    offered = completion_runs(assay, room, under=trace, env={"ASAN_OPTIONS": "detect_leaks=0", "PATH": "/usr/bin:/bin"})

    assert offered == ["@last", *sorted(names)[:-201:-1]]
    assert "info.json" not in (room / "trace").read_text()


@pytest.mark.parametrize("prefix, word", [
    ("here/{datetime}-{pid}/", "2026.11.28T10.00.00-31"), ("here/x_{datetime}-{pid}_", "2026.11.28T10.00.00-31"),
    ("duct_{datetime}-{pid}_", "2026.11.28T10.00.00-31"), ("here/{datetime}/", "here/2026.11.28T10.00.00/"),
    ("there_{datetime}_", "there_2026.11.28T10.00.00_"),
])
def test_a_run_of_another_prefix_is_its_id_or_its_path(assay, room, prefix, word):
    whole = prefix.replace("{datetime}", "2026.11.28T10.00.00").replace("{pid}", "31")
    info = recorded(assay, room) | {"id": "2026.11.28T10.00.00-31"}
    make_runs(room, [""], whole + "{}", json.dumps(info))

    assert completion_runs(assay, room, "-p", prefix) == ["@last", word]
    assert completion_runs(assay, room, env={"ASSAY_OUTPUT_PREFIX": prefix}) == ["@last", word]
    shown = subprocess.run([assay, "show", "-p", prefix, word], cwd=room, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert shown.startswith("assay: exited 0 ")


def test_without_runs_none_is_offered(assay, room):
    assert completion_runs(assay, room) == []


def test_files_are_offered_for_the_rest_and_none_for_a_time(shell, room):
    (room / "results-of-may").mkdir()

    assert [word.rstrip("/") for word in shell.offers("assay run -p resu")] == ["results-of-may"]
    assert shell.offers("assay run -i resu") in ([], ["resu"])


def test_the_words_behind_the_command_are_its_own(shell, room):
    (room / "--model.txt").write_text("")

    assert "--mode" not in bare(shell.offers("assay run -q ls --mo"))
    assert "--mode" not in bare(shell.offers("assay run -i 5 -- ls --mo"))
    assert "--mode" in bare(shell.offers("assay run -i 5 --mo"))


def test_options_behind_a_target_are_still_offered(shell):
    assert bare(shell.offers("assay attach user --fo")) == ["--for"]
    assert "--for" not in bare(shell.offers("assay attach -- user --fo"))


def test_a_command_is_offered(shell, room):
    (room / "simulate-everything").write_text("#!/bin/sh\n")
    (room / "simulate-everything").chmod(0o755)

    assert shell.offers("assay run --tag a=b ./simu") == ["./simulate-everything"]


@pytest.mark.parametrize("name", ["bash", "zsh"])
@pytest.mark.parametrize("typed, line", [
    ("assay run --mode=n", "assay run --mode=new-session "),
    ("assay attach conta", "assay attach container:"),
    ("assay run -p x --target=sys", "assay run -p x --target=system "),
    ("assay run -t sy", "assay run -t system-summary "),
    ("assay comple", "assay completion "),
    ("assay completion z", "assay completion zsh "),
    ("assay nothing --mo", "assay nothing --mo"),
    ("assay --ver", "assay --version "),
])
def test_one_key_finishes_a_word(assay, room, name, typed, line):
    assert Shell(name, assay, room).completed(typed) == line


def test_an_argument_behind_an_equals_sign_is_offered_by_fish(assay, room):
    assert Fish(assay, room).offers("assay run --mode=n") == ["--mode=new-session"]


@pytest.mark.parametrize("words, line", [
    ((), "completion takes one word: bash, zsh, fish or json"),
    (("bash", "zsh"), "completion takes one word: bash, zsh, fish or json"),
    (("tcsh",), "no completion for 'tcsh'; there are bash, zsh, fish and json"),
])
def test_what_is_no_shell_is_refused_in_one_line(assay, words, line):
    done = subprocess.run([assay, "completion", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"assay: {line}\n")


def test_the_table_and_the_keys_exclude_each_other(assay):
    done = subprocess.run([assay, "measurements", "--json", "--keys"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"assay: --json and --keys exclude each other; see 'assay measurements --help'\n"


def test_the_keys_are_those_of_the_table(assay):
    table = json.loads(subprocess.run([assay, "measurements", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    keys = subprocess.run([assay, "measurements", "--keys"], stdout=subprocess.PIPE, text=True, check=True).stdout

    assert keys.splitlines() == [row["key"] for row in table["measurements"]]
