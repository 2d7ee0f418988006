# SPDX-License-Identifier: MIT
"""Programs that run commands, with and without assay in front of the command: the same end, the same output."""
import json
import os
import re
import shutil
import signal
import sys
from pathlib import Path

import pytest

from support import alive, read_info, wait_for
from test_signals import COUNTER


class Both:
    """Runs a script of the shell twice: RUN in it is nothing, then it is assay."""

    def __init__(self, run_assay, room):
        self.run_assay, self.room = run_assay, room

    def prefix(self, name="x"):
        return self.room / f"record-{name}-"

    def words(self, name="x"):
        return f"'{self.run_assay.assay}' run -q -p '{self.prefix(name)}' --"

    def end(self, script, words, tag, shell=("bash", "-c"), **popen):
        process = self.run_assay.spawn([*shell, script.replace("RUN", words)], tag, **popen)
        status = process.wait(60)
        return status, (self.room / f"{tag}.stdout").read_bytes(), (self.room / f"{tag}.stderr").read_bytes()

    def __call__(self, script, words=None, **popen):
        """What the script gave without assay; with it it must be the same."""
        without = self.end(script, "", "without", **popen)
        with_us = self.end(script, self.words() if words is None else words, "with", **popen)
        assert with_us == without
        return with_us


@pytest.fixture
def both(run_assay, room):
    return Both(run_assay, room)


@pytest.mark.parametrize("options, status", [("", 124), ("--foreground", 124), ("--preserve-status", 143),
                                             ("-s INT --preserve-status", 130), ("-s HUP", 124)])
def test_timeout_ends_the_job_as_it_would_without_us(both, options, status):
    assert both(f"timeout {options} 0.3 RUN sleep 60; echo $?")[1] == b"%d\n" % status
    info = read_info(both.prefix())
    assert info["state"] == "done"
    assert not alive(info["monitor"]["job_pid"])
    assert "(sent to " in info["outcome"]["words"]


def test_timeout_with_sigkill_leaves_nothing_alive(both):
    script = "{ timeout -s KILL 0.5 RUN sleep 60; echo $?; } 2>/dev/null"
    assert both(script)[1] == b"137\n"
    info = read_info(both.prefix())
    wait_for(lambda: not alive(info["monitor"]["job_pid"]) and not alive(info["monitor"]["keeper_pid"]), "the end")
    assert info["state"] == "running"


def counted_signals(both, with_us, program):
    """How often the job got the signal of a timeout(1) that gives it long enough to begin and to tell: longer, where it had not."""
    for seconds in (0.5, 2, 8, 32):
        log = both.room / f"log-{with_us}-{seconds}"
        words = both.words(seconds) if with_us else ""
        script = f"timeout -s TERM -k {seconds} {seconds} {words} '{sys.executable}' '{program}' '{log}'"
        both.run_assay.spawn(["bash", "-c", script], log.name).wait(120)
        count = log.read_text().split("\n").count(str(int(signal.SIGTERM))) if log.exists() else 0
        if count > 0:
            break
    return count


def test_a_job_that_survives_timeouts_first_signal_gets_it_as_often_as_without_us(both, room):
    # timeout(1) signals its child and then the whole group, which one process sees as one or two.
    program = room / "count.py"
    program.write_text(COUNTER)
    for with_us in (False, True):
        assert 1 <= counted_signals(both, with_us, program) <= 2


def test_xargs_runs_four_at_a_time_and_sees_the_failures(both, run_assay, room):
    one = room / "one.sh"
    one.write_text(f"exec '{run_assay.assay}' run -q -p '{room}/x-$1-' -- sh -c 'echo $0; exit $(( $0 == 3 ))' \"$1\"\n"
                   .replace(f"'{room}/x-$1-'", f"\"{room}/x-$1-\""))
    script = "seq 8 | xargs -P 4 -n 1 RUN | sort; echo ${PIPESTATUS[1]}"

    assert both.end(script, f"sh '{one}'", "xargs")[1] == b"1\n2\n3\n4\n5\n6\n7\n8\n123\n"
    assert [read_info(f"{room}/x-{i}-")["outcome"]["exit_code"] for i in range(1, 9)] == [0, 0, 1, 0, 0, 0, 0, 0]


MAKEFILE = """
all: a b c d
a b c d:
\t+@{words} sh -c 'echo $@; echo "$$MAKEFLAGS" | grep -q jobserver && echo jobserver'
"""


def test_make_runs_its_jobs_through_us_with_its_job_server(run_assay, room):
    if not shutil.which("make"):
        pytest.skip("needs make")
    (room / "Makefile").write_text(MAKEFILE.format(words=f"'{run_assay.assay}' run -q -p '{room}/make-$@-' --"))
    process = run_assay.spawn(["make", "-j4"], "make")

    assert process.wait(60) == 0, (room / "make.stderr").read_text()
    lines = (room / "make.stdout").read_text().split()
    assert sorted(lines) == ["a", "b", "c", "d", *["jobserver"] * 4]
    assert all(read_info(room / f"make-{name}-")["outcome"]["exit_code"] == 0 for name in "abcd")


# Ends by the interrupt, but not before it is let: a make that finds its child dead when the signal comes waits for it twice, and says so.
HOLDS = """
import os, signal, time
def end(number, frame):
    while not os.path.exists("go"):
        time.sleep(0.01)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
signal.signal(signal.SIGINT, end)
open("ready", "w").close()
while True:
    signal.pause()
"""


def has_pending(pid, number):
    """Whether the signal was sent to the process and not delivered yet (proc(5): SigPnd of the thread, ShdPnd of the process)."""
    masks = re.findall(r"^(?:SigPnd|ShdPnd):\t([0-9a-f]+)$", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"), re.M)
    return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)


def test_an_interrupted_make_ends_like_one_without_us(run_assay, room):
    if not shutil.which("make"):
        pytest.skip("needs make")
    (room / "holds.py").write_text(HOLDS)
    ends = []
    for name, words in (("bare", ""), ("ours", f"'{run_assay.assay}' run -q -p '{room}/make-' --")):
        (room / f"{name}.mk").write_text(f"all:\n\t@{words} {sys.executable} holds.py\n")
        process = run_assay.spawn(["make", "-f", f"{name}.mk"], name)
        wait_for((room / "ready").exists, "the command to run")
        os.killpg(process.pid, signal.SIGINT)
        wait_for(lambda: not has_pending(process.pid, signal.SIGINT), "make to take the signal")
        (room / "go").touch()
        ends.append((process.wait(60), (room / f"{name}.stderr").read_text().replace(name, "X")))
        (room / "go").unlink()
        (room / "ready").unlink()

    assert ends[0] == ends[1] == (-signal.SIGINT, "make: *** [X.mk:2: all] Interrupt\n")


def test_a_pipe_that_is_closed_early_ends_the_job_by_sigpipe(both):
    assert both("RUN yes | head -n 1; echo ${PIPESTATUS[0]}")[1] == b"y\n141\n"
    assert read_info(both.prefix())["outcome"]["signal_name"] == "SIGPIPE"


def test_a_script_that_stops_at_the_first_error_stops_there(both):
    assert both("set -e; echo before; RUN sh -c 'exit 7'; echo after") == (7, b"before\n", b"")


def test_a_script_sees_a_signal_as_the_shell_shows_it(both):
    assert both("RUN sh -c 'kill -TERM $$'; echo $?; if RUN false; then echo yes; else echo no; fi",
                words=f"'{both.run_assay.assay}' run -q -p '{both.room}/'$((++n))- --")[1] == b"143\nno\n"


def test_a_trap_of_the_script_runs_when_the_job_has_ended(both):
    script = "trap 'echo trapped' TERM; RUN sh -c 'kill -TERM $PPID_OF_SCRIPT; sleep 0.3; echo job'; echo end"
    script = "export PPID_OF_SCRIPT=$$; " + script

    assert both(script)[1] == b"job\ntrapped\nend\n"


def test_a_job_keeps_what_nohup_gave_it(both, room):
    script = f"touch '{room}/nohup.out'; nohup RUN sh -c 'kill -HUP $$; echo alive' </dev/null | cat"

    assert both(script)[1] == b"alive\n"


ENVIRONMENTS = {
    "empty": {},
    "like_cron": {"HOME": "/", "LOGNAME": "root", "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"},
    "no_home": {"PATH": os.environ["PATH"], "LANG": "C"},
}


@pytest.mark.parametrize("env", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_the_job_sees_the_environment_that_we_were_given(both, user, env):
    script = "RUN /usr/bin/env; exit $?"
    words = f"{both.run_assay.assay} run -q -p {both.prefix()} --"
    status, out, err = both.end(script, words, "with", shell=("/bin/bash", "-c"), env=env, user=user)
    ours = {line.split(b"=")[0].decode() for line in out.splitlines()}

    assert (status, err) == (0, b"")
    # What bash adds by itself; and what tells a run below that it is one.
    assert {name for name in ours if not name.startswith("ASSAY_")} <= set(env) | {"PWD", "SHLVL", "_", "OLDPWD"}
    assert read_info(both.prefix())["outcome"]["exit_code"] == 0


def test_in_a_directory_where_nothing_can_be_written_the_command_runs_all_the_same(run_assay, room, ordinary_user):
    closed = room / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    argv = [str(run_assay.assay), "run", "--", "sh", "-c", "echo out; exit 5"]
    process = run_assay.spawn(argv, "closed", user=ordinary_user, cwd=closed)

    assert process.wait(60) == 5
    assert (room / "closed.stdout").read_bytes() == b"out\n"
    assert b"continuing without a record" in (room / "closed.stderr").read_bytes()
    assert os.listdir(closed) == []


def test_in_a_directory_that_was_removed_the_command_runs_all_the_same(both, room):
    gone = room / "gone"
    script = f"mkdir '{gone}'; cd '{gone}'; rmdir '{gone}'; RUN sh -c 'echo out; exit 5' 2>/dev/null"

    assert both(script)[:2] == (5, b"out\n")
    assert read_info(both.prefix())["working_directory_absent"] == "ENOENT"


def test_who_looks_for_assay_by_name_finds_assay_and_not_its_keeper(run_assay, room):
    started = run_assay.start(["sleep", "60.125"])
    monitor = started.running_info()["monitor"]

    def name_and_command(pid):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        return Path(f"/proc/{pid}/comm").read_text().strip(), words

    assert "assay run" in name_and_command(monitor["pid"])[1]
    assert name_and_command(monitor["keeper_pid"])[0] == "keeper"
    assert "assay run" not in name_and_command(monitor["keeper_pid"])[1]
    # By the job's words all three are found, and the job has the signal once.
    assert "sleep 60.125" in name_and_command(monitor["keeper_pid"])[1]
    os.kill(monitor["pid"], signal.SIGTERM)
    assert started.finish().status == -signal.SIGTERM
    assert json.loads((room / "run1-info.json").read_text())["outcome"]["signal"] == signal.SIGTERM


def test_a_command_that_is_nowhere_is_not_found_though_a_directory_of_path_may_not_be_searched(run_assay, room, ordinary_user):
    (room / "closed").mkdir(mode=0o000)
    (room / "open").mkdir(mode=0o755)
    (room / "open" / "there").write_text("no program")
    (room / "open" / "there").chmod(0o644)
    env = {"PATH": f"{room}/closed:{room}/open"}
    statuses = [run_assay([name], user=ordinary_user, env=env, complete=False).status for name in ("nowhere", "there")]

    assert statuses == [127, 126]
