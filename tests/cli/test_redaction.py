# SPDX-License-Identifier: MIT
"""Secrets among the words of a command are in no file and no text of the record, its readers and its exports, whoever runs it."""
import json
import subprocess

import pytest

from calling import CONFIG, Caller
from support import read_info, read_usage, wait_for

SECRETS = [f"hunter{i}two" for i in range(10)]
WORDS = [
    f"--password={SECRETS[0]}", f"--PASSWD={SECRETS[1]}", "--password", SECRETS[2], f"AWS_SECRET_ACCESS_KEY={SECRETS[3]}", f"PGPASSWORD={SECRETS[4]} {SECRETS[4]}",
    f"token={SECRETS[5]}", f"secret={SECRETS[6]}", f"--api-key={SECRETS[7]}", f"https://user:{SECRETS[8]}@host/path", f"curl -s 'https://host/?apikey={SECRETS[9]}'",
]
ALIKE = ["--tokenizer=bert", "--tokenizer", "bert", "tokens=5", "max_tokens=7", "--pad_token=x", "http://host:80/a@b", "key=value"]
# Has a child with the same words, named "reader", which lives until the file is there.
PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen(["/bin/sh", "-c", "read line; true", "reader", *sys.argv[2:]], stdin=subprocess.PIPE)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
child.stdin.close()
child.wait()
"""


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def commands(usage):
    return [process["command"] for line in usage for process in line.get("processes", []) if "command" in process]


def prefix_of(here):
    found = list(here.glob(".assay/runs/*/info.json"))
    return str(found[0].parent) + "/" if found else None


def saw_child(prefix):
    return any("reader" in command for command in commands(read_usage(prefix, torn_end=True)))


def record(call, words, *options, user=None, name=None):
    """A run below the default place whose child was seen; returns its info and all that it said."""
    go_on = call.here / "go-on"
    argv = [str(name or call.program), *([] if name else ["run"]), "-p", ".assay/runs/{datetime}-{pid}/", "-i", "20ms", "--r-i", "20ms",
            *options, "--", "/usr/bin/python3", "-c", PARENT, str(go_on), *words]
    environment = call.run_assay.environment({"HOME": str(call.here / "home")})
    process = call.run_assay.spawn(argv, "recorded", cwd=call.here, env=environment, user=user)
    try:
        prefix = wait_for(lambda: prefix_of(call.here) or process.poll() is not None and "ended", "the record")
        wait_for(lambda: saw_child(prefix), "the child in the series")
    finally:
        go_on.touch()
        status = process.wait(60)
    said = (call.run_assay.room / "recorded.stderr").read_text()
    assert status == 0, said
    return read_info(prefix), said


def texts_of_readers(call, user):
    """All that is told of the run by those who read it."""
    formats = [line.split()[0] for line in call("export", "--list", user=user).out.splitlines() if line]
    assert len(formats) >= 5
    called = [call("show", "--json", "@last", user=user), call("show", "@last", user=user), call("ls", user=user), call("ls", "--json", user=user)]
    called += [call("export", "--to", kind, "-o", f"export-{i}-", "@last", user=user) for i, kind in enumerate(formats)]
    called.append(call("report", "-o", "page.html", "@last", user=user))
    return "".join(one.out + one.err for one in called)


def files_with(call, secret):
    return [str(path) for path in call.here.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_a_secret_is_in_no_file_and_no_text(call, user):
    info, said = record(call, WORDS, user=user)
    said += texts_of_readers(call, user)

    for secret in SECRETS:
        assert files_with(call, secret) == [] and secret not in said, secret
    assert info["redaction"]["usual"] is True and info["redaction"]["patterns_count"] == 0
    # that behind --password is a word of its own
    assert info["redaction"]["arguments_count"] == len(WORDS) - 1
    assert info["redaction"]["command_lines_count"] >= 2
    assert "--PASSWD=[redacted]" in info["command"]["argv"] and "https://user:[redacted]@host/path" in info["command"]["argv"]
    assert list(call.here.glob("export-*")) and list(call.here.glob("page.html"))


def test_without_it_all_are_there(call):
    info, said = record(call, WORDS, "--redact=no")

    series = json.dumps(commands(read_usage(prefix_of(call.here))))
    for secret in SECRETS:
        assert secret in json.dumps(info["command"]) and secret in series
    assert info["redaction"] == {"usual": False, "patterns_count": 0, "arguments_count": 0, "command_lines_count": 0}
    assert said


def test_words_that_look_alike_stay(call):
    info, _ = record(call, ALIKE)

    assert info["command"]["argv"][-len(ALIKE):] == ALIKE
    assert info["redaction"]["arguments_count"] == info["redaction"]["command_lines_count"] == 0
    assert any(all(word in command for word in ALIKE) for command in commands(read_usage(prefix_of(call.here))))


def test_what_a_pattern_matches_is_replaced_and_those_of_all_sources_count(call):
    call.write(CONFIG, "redact = proj[0-9]{1,3}; alpha\n")
    info, said = record(call, ["x=proj42.", "alphabet", "beta-gamma", "token=hunter0two"], "--redact", "beta", "--redact=no")

    assert info["command"]["argv"][-4:] == ["x=[redacted].", "[redacted]bet", "[redacted]-gamma", "token=hunter0two"]
    assert info["redaction"]["patterns_count"] == 3 and info["redaction"]["arguments_count"] == 3
    for gone in ("proj42", "alphabet", "beta-gamma"):
        assert gone not in said
        assert [path for path in files_with(call, gone) if not path.endswith("config")] == []


def test_the_command_has_its_true_words(call):
    called = call("run", "-q", "echo", f"--password={SECRETS[0]}")

    assert called.out == f"--password={SECRETS[0]}\n"


def test_a_secret_is_not_in_what_is_said_of_a_command(call):
    (call.here / "duct").symlink_to(call.program)
    said = call.run_assay.spawn([str(call.here / "duct"), "echo", *WORDS], "duct", cwd=call.here).wait(60)
    line = (call.run_assay.room / "duct.stderr").read_text()
    missing = call("run", f"./token={SECRETS[5]}")

    assert said == 0 and "is executing" in line and "[redacted]" in line
    assert not any(secret in line for secret in SECRETS)
    assert missing.status == 127 and "token=[redacted]" in missing.err and SECRETS[5] not in missing.err


@pytest.mark.parametrize("beside", [False, True])
def test_of_what_runs_already_and_of_targets_beside_a_command(call, beside):
    with subprocess.Popen(["/bin/sh", "-c", "read line; true", "reader", *WORDS, "mine-too"], stdin=subprocess.PIPE) as job:
        pid = str(job.pid)
        options = ["-p", "record/", "-i", "20ms", "--redact", "mine"]
        if beside:
            called = call("run", *options, "--target", pid, "--", "true")
        else:
            called = call("attach", *options, "--for", "100ms", pid)
        job.stdin.close()
    assert called.status == 0, called.err
    infos = [json.loads(path.read_text()) for path in call.here.glob("record/*info.json")]
    info = next(one for one in infos if "target" in one)

    assert info["redaction"] == {"usual": True, "patterns_count": 1, "command_lines_count": 1}
    for secret in [*SECRETS, "mine-too"]:
        assert files_with(call, secret) == [] and secret not in called.err
    series = "".join(path.read_text() for path in call.here.glob("record/*usage.jsonl"))
    assert "[redacted]-too" in series


@pytest.mark.parametrize("pattern, why", [("(", "is no regular expression"), ("x*", "matches where there is nothing"), ("(a)\\1", "references back")])
@pytest.mark.parametrize("verb", ["run", "attach"])
def test_a_wrong_pattern_is_one_line_and_nothing_is_started(call, verb, pattern, why):
    called = call(verb, "--redact", pattern, *(["touch", "started"] if verb == "run" else ["1"]))

    assert called.status == 2 and called.err.count("\n") == 1 and "--redact: '" in called.err and why in called.err
    assert pattern.replace("\\", "\\\\") in called.err
    assert called.recorded() == []
