# SPDX-License-Identifier: MIT
"""`assay run` from outside: exit statuses, signals, refusals, and a job that cannot tell that it is watched."""
import json
import os
import signal
import subprocess

import pytest

from support import CPU_TOLERANCE_SECONDS, alive, read_info, spent_cpu_seconds, wait_for

CLOSED = [[fd for fd in (0, 1, 2) if bits >> fd & 1] for bits in range(8)]
CLOSED_IDS = ["none"] + ["_".join(map(str, fds)) for fds in CLOSED[1:]]


@pytest.mark.parametrize("code", [0, 3, 125, 255])
def test_the_exit_code_is_the_jobs(run_assay, code):
    run = run_assay(["sh", "-c", f"exit {code}"])

    assert run.status == code
    assert run.info["outcome"]["exit_code"] == code
    assert str(code) in run.info["outcome"]["words"]


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGUSR1", "SIGPIPE", "SIGRTMIN"])
def test_the_caller_sees_the_signal_that_killed_the_job(run_assay, name):
    number = int(getattr(signal, name))
    run = run_assay(["sh", "-c", f"ulimit -c 0; kill -{number} $$"])

    assert run.status == -number  # as subprocess shows WIFSIGNALED
    assert run.info["outcome"]["signal"] == number
    assert "exit_code" not in run.info["outcome"]
    assert run.info["outcome"]["core_dumped"] is False


def test_a_shell_sees_128_and_the_signal(run_assay, room, assay):
    script = f"{assay} run -q -p {room}/x- -- sh -c 'kill -TERM $$'; echo $?"
    process = run_assay.spawn(["sh", "-c", script], "shell")

    assert process.wait(60) == 0
    assert (room / "shell.stdout").read_text().strip() == "143"


def test_a_file_that_is_not_executable_is_126_and_leaves_no_record(run_assay, room):
    (room / "text").write_text("not a program")
    run = run_assay([str(room / "text")], complete=False)

    assert run.status == 126
    assert run.info is None
    assert not list(room.glob("run1-*")), "a command that never started leaves no record"
    assert b"text" in run.stderr


def test_a_command_that_is_not_there_is_127_and_leaves_no_record(run_assay, room):
    run = run_assay(["no-such-command-anywhere"], complete=False)

    assert run.status == 127
    assert not list(room.glob("run1-*"))
    assert run.stderr.count(b"\n") == 1 and b"no-such-command-anywhere" in run.stderr


def test_a_directory_prefix_of_a_command_that_never_started_is_not_left_behind(run_assay, room):
    run = run_assay(["no-such-command-anywhere"], prefix=f"{room}/new/deep/", complete=False)

    assert run.status == 127
    assert not list(room.glob("new/**/*.json*"))


BAD_USES = {
    "unknown_verb": ["frobnicate"],
    "unknown_option": ["run", "--bogus", "--", "touch", "started"],
    "unknown_short_option": ["run", "-Z", "--", "touch", "started"],
    "interval_in_words": ["run", "-i", "banana", "--", "touch", "started"],
    "negative_interval": ["run", "-i", "-1s", "--", "touch", "started"],
    "interval_of_unknown_unit": ["run", "-i", "5parsecs", "--", "touch", "started"],
    "interval_missing": ["run", "-i"],
    "bad_report_interval": ["run", "--report-interval", "soon", "--", "touch", "started"],
    "prefix_missing": ["run", "--output-prefix"],
    "prefix_with_unknown_placeholder": ["run", "-p", "{nonsense}/", "--", "touch", "started"],
    "no_command": ["run", "-q"],
    "no_command_after_the_dashes": ["run", "--"],
    "unknown_measurement": ["run", "--measurements", "nonsense_key", "--", "touch", "started"],
    "a_glob_that_matches_nothing": ["run", "--measurements", "nonsense_*", "--", "touch", "started"],
}


@pytest.mark.parametrize("arguments", BAD_USES.values(), ids=BAD_USES.keys())
def test_wrong_use_is_2_with_one_line_and_nothing_is_started_or_written(run_assay, assay, room, arguments):
    (room / "empty").mkdir()
    process = run_assay.spawn([str(assay), *arguments], "bad", cwd=room / "empty")

    assert process.wait(60) == 2
    assert (room / "bad.stderr").read_bytes().count(b"\n") == 1, (room / "bad.stderr").read_bytes()
    assert (room / "bad.stdout").read_bytes() == b""
    assert os.listdir(room / "empty") == []


@pytest.mark.parametrize("name", ["ASSAY_SAMPLE_INTERVAL", "ASSAY_REPORT_INTERVAL", "ASSAY_MEASUREMENTS"])
def test_a_wrong_value_in_the_environment_names_its_variable(run_assay, assay, room, name):
    (room / "empty").mkdir()
    process = run_assay.spawn([str(assay), "run", "--", "touch", "started"], "bad", cwd=room / "empty",
                              env=run_assay.environment({name: "banana"}))

    assert process.wait(60) == 2
    assert name in (room / "bad.stderr").read_text()
    assert os.listdir(room / "empty") == []


def test_options_come_from_the_environment_and_the_command_line_wins(run_assay, room):
    env = run_assay.environment({"ASSAY_OUTPUT_PREFIX": "elsewhere/", "ASSAY_SAMPLE_INTERVAL": "0.5s",
                                 "ASSAY_REPORT_INTERVAL": "2s", "ASSAY_QUIET": "1"})
    run = run_assay(["true"], ["-i", "0.25s"], quiet=False, env=env)

    assert run.info["options"]["sample_interval_seconds"] == 0.25
    assert run.info["options"]["report_interval_seconds"] == 2
    assert not (room / "elsewhere").exists()
    assert run.stderr == b""


def test_the_default_prefix_is_a_directory_of_this_run(run_assay, assay, room):
    process = run_assay.spawn([str(assay), "run", "-q", "--", "true"], "default")
    assert process.wait(60) == 0

    (directory,) = (room / ".assay" / "runs").iterdir()
    info = read_info(f"{directory}/")
    assert directory.name == info["id"]
    assert directory.name.endswith(f"-{process.pid}")
    assert info["monitor"]["pid"] == process.pid
    assert sorted(os.listdir(directory)) == ["info.json", "usage.jsonl"]


def test_an_existing_record_is_never_overwritten(run_assay, room):
    prefix = f"{room}/same-"
    run_assay(["true"], prefix=prefix)
    before = {path.name: path.read_bytes() for path in room.glob("same-*")}

    run = run_assay(["touch", str(room / "started")], prefix=prefix, complete=False)

    assert run.status == 2
    assert run.stderr.count(b"\n") == 1
    assert {path.name: path.read_bytes() for path in room.glob("same-*")} == before
    assert not (room / "started").exists()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_sent_to_assay_alone_reaches_the_job_and_the_record_is_complete(run_assay, room, name):
    started = run_assay.start(["LOAD", "TRUTH", "until-signal", str(room / "ready"), "0"])
    wait_for((room / "ready").exists, "the job to run")
    started.process.send_signal(getattr(signal, name))
    run = started.finish()

    assert run.status == -int(getattr(signal, name))
    assert name in run.info["outcome"]["words"]
    assert not alive(run.info["monitor"]["job_pid"])


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_job_that_handles_the_signal_ends_in_its_own_way(run_assay, room, name):
    number = int(getattr(signal, name))
    started = run_assay.start(["LOAD", "TRUTH", "until-signal", str(room / "ready"), "1"])
    wait_for((room / "ready").exists, "the job to run")
    started.process.send_signal(number)
    run = started.finish()

    assert run.status == 40 + number
    assert run.info["outcome"]["exit_code"] == 40 + number


def test_without_wait_all_survivors_are_listed_and_left_alone(run_assay, room):
    gate = room / "gate"
    run = run_assay(["sh", "-c", '"$0" "$1" until-file "$2" 0 & exit 4', "LOAD", "TRUTH", str(gate)])
    try:
        assert run.status == 4
        survivors = run.info["processes"]["survivors"]
        assert run.info["processes"]["survivors_count"] == len(survivors) == 1
        assert alive(survivors[0]["pid"])
    finally:
        gate.touch()
    wait_for(lambda: not alive(survivors[0]["pid"]), "the survivor to end by itself")


def test_wait_all_records_until_the_last_descendant_has_ended(run_assay, room):
    gate = room / "gate"
    started = run_assay.start(["sh", "-c", '"$0" "$1" until-file "$2" 0 & exit 4', "LOAD", "TRUTH", str(gate)],
                              ["--wait-all", "-i", "0.1s"])
    job = started.running_info()["monitor"]["job_pid"]
    wait_for(lambda: not alive(job), "the command to end")
    assert started.process.poll() is None, "it has to wait for the descendant"
    gate.touch()
    run = started.finish()

    assert run.status == 4
    assert run.info["processes"].get("survivors", []) == []
    assert run.truth["cpu_seconds"] <= run.headline["cpu_seconds"]["value"] + 0.02


def test_the_output_of_the_job_is_its_own_byte_for_byte(run_assay, room):
    data = bytes(range(256)) * 5000
    (room / "data").write_bytes(data)
    run = run_assay(["cat", str(room / "data")], quiet=False)

    assert run.stdout == data


def test_standard_input_passes_through(run_assay, room):
    data = os.urandom(300000)
    (room / "data").write_bytes(data)
    with open(room / "data", "rb") as source:
        run = run_assay(["cat"], stdin=source)

    assert run.stdout == data


def test_standard_input_through_a_pipe_is_left_for_the_job(run_assay, room):
    started = run_assay.start(["sh", "-c", "read one; cat"], stdin=subprocess.PIPE)
    started.process.stdin.write(b"first\nsecond\nthird")
    started.process.stdin.close()

    assert started.finish().stdout == b"second\nthird"


def manners(run_assay, room, closed, wrapped, options=()):
    """What the load sees of its start, with or without assay around it; ids of its session made comparable."""
    shell = 'exec "$@"' + "".join(f" {fd}>&-" for fd in closed)
    report = room / "manners"
    job = [str(run_assay.load_path), str(room / "truth"), "manners", str(report)]
    if wrapped:
        job = [str(run_assay.assay), "run", "-p", f"{room}/manners-", *options, "--", *job]
    process = run_assay.spawn(["sh", "-c", shell, "sh", *job], "manners")
    assert process.wait(60) == 0, (room / "manners.stderr").read_bytes()
    seen = json.loads(report.read_text(encoding="utf-8"))
    report.unlink()
    seen["group"] -= process.pid
    seen["session"] -= process.pid
    return seen


@pytest.mark.parametrize("closed", CLOSED, ids=CLOSED_IDS)
def test_the_job_sees_the_same_start_with_any_descriptors_closed(run_assay, room, closed):
    without = manners(run_assay, room, closed, wrapped=False)
    within = manners(run_assay, room, closed, wrapped=True)

    assert within == without
    assert read_info(f"{room}/manners-")["state"] == "done"


@pytest.mark.parametrize("closed", CLOSED, ids=CLOSED_IDS)
def test_nothing_of_ours_lands_in_files_of_the_job(run_assay, room, closed):
    shell = 'exec "$@"' + "".join(f" {fd}>&-" for fd in closed)
    run = run_assay(["LOAD", "TRUTH", "speak", "6"], quiet=False, wrapper=["sh", "-c", shell, "sh"])

    assert run.status == 6
    assert run.stdout == (b"" if 1 in closed else b"to the output\n")
    if 2 in closed:
        assert run.stderr == b""
    else:
        assert run.stderr.startswith(b"to the errors\n") and b"assay: exited 6" in run.stderr


def test_sigchld_ignored_by_the_caller_stays_so_for_the_job_and_does_not_blind_us(run_assay, room):
    wrapper = ["env", "--ignore-signal=CHLD"]  # dash's trap does not ignore this signal
    run = run_assay(["LOAD", "TRUTH", "steady", "200"], wrapper=wrapper)

    assert run.status == 0
    assert abs(run.headline["cpu_seconds"]["value"] - run.truth["cpu_seconds"]) <= 0.02
    run_assay(["LOAD", "TRUTH", "manners", str(room / "seen")], wrapper=wrapper)
    assert int(signal.SIGCHLD) in json.loads((room / "seen").read_text())["ignored"]


def test_sigchld_ignored_by_the_caller_does_not_hide_the_exit_code(run_assay):
    run = run_assay(["sh", "-c", "exit 3"], wrapper=["env", "--ignore-signal=CHLD"])

    assert run.status == 3


def test_a_run_inside_a_run_gives_two_records_that_agree(run_assay, room):
    inner = f"{room}/inner-"
    before = spent_cpu_seconds()
    run = run_assay([str(run_assay.assay), "run", "-q", "-p", inner, "--", "LOAD", "TRUTH", "steady", "300"])
    spent = spent_cpu_seconds() - before - run.info["self"]["cpu_seconds"]
    inside = read_info(inner)

    assert run.status == 0
    assert inside["state"] == "done"
    assert abs(inside["headline"]["cpu_seconds"]["value"] - run.truth["cpu_seconds"]) <= 0.02
    outer = run.headline["cpu_seconds"]["value"]
    assert inside["headline"]["cpu_seconds"]["value"] <= outer <= spent + CPU_TOLERANCE_SECONDS


def test_an_empty_environment_is_enough(run_assay, room):
    run = run_assay(["/usr/bin/env"], env={})

    assert run.status == 0
    assert sorted(line.split(b"=")[0] for line in run.stdout.splitlines()) == [b"ASSAY_RUN_ID", b"ASSAY_RUN_PREFIX"]


def test_the_job_gets_the_callers_environment_and_its_run_and_nothing_else(run_assay):
    env = {"PATH": os.environ["PATH"], "ODD": "a=b\n\tc", "EMPTY": ""}
    run = run_assay(["/usr/bin/env", "-0"], env=env)

    expected = {**env, "ASSAY_RUN_ID": run.info["id"], "ASSAY_RUN_PREFIX": run.info["files"]["prefix"]}
    assert dict(entry.split(b"=", 1) for entry in run.stdout.rstrip(b"\0").split(b"\0")) == {
        key.encode(): value.encode() for key, value in expected.items()}


def test_a_command_line_of_1_MB_runs_and_is_recorded(run_assay):
    words = [letter * 100000 for letter in "abcdefghij"]
    run = run_assay(["sh", "-c", 'echo $# ${#1}', "sh", *words])

    assert run.stdout == b"10 100000\n"
    assert run.info["command"]["argv"] == ["sh", "-c", 'echo $# ${#1}', "sh", *words]


def test_arguments_that_are_not_text_are_kept_exactly(run_assay):
    run = run_assay(["true", b"\xff\x80x", "plain\n\x1b[1m"])

    assert run.info["command"]["argv"] == ["true", "\ufffd\ufffdx", "plain\n\x1b[1m"]
    assert run.info["command"]["argv_hex"] == [b"true".hex(), "ff8078", b"plain\n\x1b[1m".hex()]
    assert run.info["command"]["text"].isprintable()


def test_a_deleted_working_directory_is_said_and_stops_nothing(run_assay, room):
    (room / "gone").mkdir()
    wrapper = ["sh", "-c", 'cd gone && rmdir ../gone && exec "$@"', "sh"]
    run = run_assay(["sh", "-c", "exit 5"], wrapper=wrapper)

    assert run.status == 5
    assert run.info["working_directory_absent"] == "ENOENT"
    assert "working_directory" not in run.info


def test_the_summary_names_the_command_its_end_and_the_record(run_assay, room):
    run = run_assay(["sh", "-c", "exit 3"], quiet=False)
    text = run.stderr.decode()

    assert text.startswith("assay: exited 3 after ")
    assert f"{room}/run1-info.json" in text
    for line in ("cpu", "memory", "io", "processes", "self", "record"):
        assert any(row.strip().startswith(line) for row in text.splitlines()), text


def test_version_and_help_go_to_standard_output(run_assay, assay, room):
    for option, expected in (("--version", "assay 0.1"), ("--help", "run")):
        process = run_assay.spawn([str(assay), option], "say")
        assert process.wait(60) == 0
        assert expected in (room / "say.stdout").read_text()
        assert (room / "say.stderr").read_bytes() == b""


def test_what_the_keeper_used_is_our_own_cost(run_assay):
    # As many orphans as it takes: how much one costs the keeper is the machine's.
    orphans = ('read pid x y keeper rest </proc/self/stat; read pid x y recorder rest </proc/$keeper/stat; '
               'read began rest </proc/$recorder/schedstat; '
               'used=0; while [ $used -lt 50000000 ]; do i=0; while [ $i -lt 50 ]; do (true &); i=$((i+1)); done; '
               'read used rest </proc/$keeper/schedstat; done; read theirs rest </proc/$recorder/schedstat; echo $used $((theirs - began))')
    run = run_assay(["sh", "-c", orphans])

    keeper_seconds, recorder_seconds = (int(word) / 1e9 for word in run.stdout.split())
    assert keeper_seconds >= 0.05
    assert run.info["self"]["cpu_seconds"] >= keeper_seconds + recorder_seconds, run.info["self"]


def test_a_command_that_ends_at_once_was_bounded_by_what_it_started_with(run_assay, room):
    """What bounds it is asked for while it runs, so that the wall time has nothing of it: neither its end nor what it sets itself must matter."""
    enough = 1 << 40
    if subprocess.run(["prlimit", f"--as={enough}", str(run_assay.assay), "--version"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this build needs more address space than that (an address sanitizer does)")
    ended = run_assay(["true"], wrapper=["prlimit", f"--as={enough}"])
    changed = run_assay(["sh", "-c", f"ulimit -v {enough >> 11}; exec sleep 0.1"], wrapper=["prlimit", f"--as={enough}"])

    for run in (ended, changed):
        bounds = {(limit["name"], limit["source"]): limit["limit"] for limit in run.info["target_limits"]}
        assert bounds["memory", "RLIMIT_AS"] == enough, bounds
        assert bounds["cpu", "affinity"] == len(os.sched_getaffinity(0)), bounds
        assert ("memory", "host") in bounds, bounds
