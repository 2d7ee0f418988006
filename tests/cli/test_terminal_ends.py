# SPDX-License-Identifier: MIT
"""What ends the terminal, the session or the shell: the job gets what it would get without us, nothing stays, the record is whole."""
import os
import signal
import subprocess
from pathlib import Path

import pytest

from support import check_record, read_info, read_usage
from terminal import JOB, WAITING, in_a_terminal, is_stopped, processes_of, transcript, words_of

SIDES = pytest.mark.parametrize("wrapper", ["", "quiet", "summary"], ids=["bare", "quiet", "summary"])


def records(t):
    """The records of the runs in this room, every one complete and consistent."""
    prefixes = [f"{path.parent}/" for path in t.room.glob(".assay/runs/*/info.json")]
    found = [(read_info(prefix), read_usage(prefix)) for prefix in prefixes]
    for info, usage in found:
        check_record(info, usage)
    return [info for info, _ in found]


def the_record(t, wrapper):
    """The outcome in the only record; nothing where nothing recorded."""
    found = records(t)
    assert len(found) == (1 if wrapper else 0)
    return found[0]["outcome"] if found else None


def log_of(t):
    path = t.room / "log"
    return path.read_text(encoding="ascii").splitlines() if path.exists() else []


def logged(t, line):
    t.until(lambda: line in log_of(t), f"the job to say: {line}")


def job_of(t):
    """The program that says what happens to it. (What waits for it names it far later.)"""
    found = [pid for pid in processes_of(t.room) if str(JOB) in words_of(pid)[:4]]
    assert len(found) == 1, found
    return found[0]


def everything_ends(t):
    t.until(lambda: not processes_of(t.room), "everything in the session to end")


def ignored_by(pid):
    status = dict(line.split(":\t") for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines())
    return {number for number in range(1, 65) if int(status["SigIgn"], 16) >> (number - 1) & 1}


@pytest.mark.parametrize("wrapper", ["quiet", "summary"])
def test_the_same_holds_for_the_leader_of_the_session(room, assay, wrapper):
    """As `ssh -t host command`: no shell is there that could continue what was stopped, so the kernel lets Ctrl-Z stop nothing."""
    shown = []
    for how in ("", wrapper):
        with in_a_terminal(room, assay, how, argv=["sh", "-c", "exec $W $J stubborn"]) as t:
            t.expect("ready\r\n")
            t.key("Ctrl-Z")
            t.expect(r"\^Z")
            for text in ("ignored\r\n", "once more and it ends\r\n"):
                t.key("Ctrl-C")
                t.expect(text)
            t.key("Ctrl-C")
            t.expect(r"\^C")
            everything_ends(t)
            assert t.shell.wait() == -signal.SIGINT
            shown.append(transcript(t.text))

    assert shown[1] == shown[0]


@SIDES
def test_a_hang_up_ends_the_job_and_leaves_nothing(room, assay, wrapper):
    with in_a_terminal(room, assay, wrapper) as t:
        t.prompt()
        t.start(f"$W {WAITING}")
        t.hang_up()
        everything_ends(t)

        assert t.shell.wait() == -signal.SIGHUP
        outcome = the_record(t, wrapper)
        assert outcome is None or outcome["signal_name"] == "SIGHUP", outcome


@SIDES
def test_a_job_that_lives_through_a_hang_up_hears_of_it_from_kernel_and_shell_only(room, assay, wrapper):
    with in_a_terminal(room, assay, wrapper) as t:
        t.prompt()
        t.enter("$W $J signals HUP,TERM,USR1 99 log")
        logged(t, "ready")
        leader = t.foreground()
        t.hang_up()
        t.shell.wait()  # it sends one itself and the kernel another as it ends; two that wait at once become one
        # This one follows what assay has yet to hand on.
        os.kill(leader, signal.SIGUSR1)
        t.until(lambda: any(line.startswith("SIGUSR1") for line in log_of(t)), "the signal")
        heard = [line for line in log_of(t) if line.startswith("SIGHUP")]
        os.kill(job_of(t), signal.SIGKILL)
        everything_ends(t)

        assert heard
        assert len(set(heard)) == len(heard)
        assert set(heard) <= {"SIGHUP from the kernel", "SIGHUP from the shell"}
        outcome = the_record(t, wrapper)
        assert outcome is None or outcome["signal_name"] == "SIGKILL", outcome


@SIDES
def test_a_hang_up_of_the_sessions_leader_reaches_the_job_once(room, assay, wrapper):
    """As `ssh -t host command`: no shell with job control is there, the command leads the session."""
    with in_a_terminal(room, assay, wrapper, argv=["sh", "-c", "exec $W $J plain HUP,TERM,USR1 99 log"]) as t:
        logged(t, "ready")
        t.hang_up()
        logged(t, "SIGHUP")
        t.shell.send_signal(signal.SIGUSR1)
        logged(t, "SIGUSR1")
        os.kill(job_of(t), signal.SIGTERM)
        logged(t, "SIGTERM")
        os.kill(job_of(t), signal.SIGKILL)
        everything_ends(t)

        assert t.shell.wait() == -signal.SIGKILL
        assert log_of(t) == ["ready", "SIGHUP", "SIGUSR1", "SIGTERM"]
        outcome = the_record(t, wrapper)
        assert outcome is None or outcome["signal_name"] == "SIGKILL", outcome


@SIDES
def test_a_job_under_nohup_goes_on_after_a_hang_up(room, assay, wrapper):
    with in_a_terminal(room, assay, wrapper) as t:
        t.prompt()
        t.run("nohup $W $J plain TERM,USR1 99 log &")
        logged(t, "ready")
        t.hang_up()
        t.shell.wait()
        os.kill(job_of(t), signal.SIGUSR1)
        logged(t, "SIGUSR1")
        assert signal.SIGHUP in ignored_by(job_of(t))
        os.kill(job_of(t), signal.SIGKILL)
        everything_ends(t)

        assert log_of(t) == ["ready", "SIGUSR1"]
        outcome = the_record(t, wrapper)
        assert outcome is None or outcome["signal_name"] == "SIGKILL", outcome


@SIDES
def test_a_disowned_job_goes_on_after_the_shell_has_ended(room, assay, wrapper):
    with in_a_terminal(room, assay, wrapper) as t:
        t.prompt()
        t.run("$W $J signals HUP,TERM,USR1 3 log & disown")
        logged(t, "ready")
        t.enter("exit")
        assert t.shell.wait() == 0
        job = job_of(t)
        os.kill(job, signal.SIGUSR1)
        t.until(lambda: len(log_of(t)) == 2, "the signal")
        os.kill(job, signal.SIGTERM)
        t.until(lambda: len(log_of(t)) == 3, "the signal")
        os.kill(job, signal.SIGTERM)
        everything_ends(t)

        assert [line.split()[0] for line in log_of(t)] == ["ready", "SIGUSR1", "SIGTERM", "SIGTERM"]
        outcome = the_record(t, wrapper)
        assert outcome is None or outcome["exit_code"] == 5, outcome


@SIDES
def test_a_job_stopped_when_its_shell_is_killed_gets_hang_up_and_continue(room, assay, wrapper):
    """The kernel does this to a process group that becomes an orphan with a stopped member."""
    with in_a_terminal(room, assay, wrapper) as t:
        t.prompt()
        t.enter("bash --rcfile rc -i")
        t.expect(r"<0>\$ ")
        inner = t.foreground()
        t.enter("$W $J signals HUP,CONT,USR1 99 log")
        logged(t, "ready")
        t.key("Ctrl-Z")
        t.expect(r"<148>\$ ")
        assert t.foreground() == inner
        job = job_of(t)
        assert is_stopped(job)
        t.enter("kill -KILL $$")
        t.prompt()
        t.until(lambda: len(log_of(t)) >= 3, "the job to hear of it")
        os.kill(job, signal.SIGUSR1)
        logged(t, "SIGUSR1 from somebody else")
        os.kill(job, signal.SIGKILL)
        t.until(lambda: processes_of(t.room) == [t.shell.pid], "the job to end")

        assert sorted(log_of(t)) == ["SIGCONT from the kernel", "SIGHUP from the kernel", "SIGUSR1 from somebody else", "ready"]
        outcome = the_record(t, wrapper)
        assert outcome is None or outcome["signal_name"] == "SIGKILL", outcome


@SIDES
def test_a_stopped_job_is_ended_by_the_death_of_its_shell(room, assay, wrapper):
    with in_a_terminal(room, assay, wrapper) as t:
        t.prompt()
        t.start(f"$W {WAITING}")
        t.key("Ctrl-Z")
        t.prompt()
        t.shell.kill()
        everything_ends(t)

        outcome = the_record(t, wrapper)
        assert outcome is None or outcome["signal_name"] == "SIGHUP", outcome


@pytest.mark.parametrize("wrapper", ["quiet", "summary"])
def test_the_job_and_the_keeper_are_in_the_group_and_session_of_assay(room, assay, user, wrapper):
    with in_a_terminal(room, assay, wrapper, user=user) as t:
        t.prompt()
        t.start(f"$W {WAITING}")
        leader = t.foreground()
        members = subprocess.run(["ps", "-s", str(t.shell.pid), "-o", "pid=,pgid=,sid=,tpgid=,tty="], check=True, text=True,
                                 capture_output=True).stdout.splitlines()
        of_terminal = f"pts/{os.path.basename(os.readlink(f'/proc/{t.shell.pid}/fd/0'))}"

        assert len(members) == 4, "the shell, assay, the keeper, the job"
        for pid, *rest in map(str.split, members):
            group = t.shell.pid if int(pid) == t.shell.pid else leader
            assert rest == [str(group), str(t.shell.pid), str(leader), of_terminal]
        assert t.jobs() == [leader], "assay is the only child of the shell"


@pytest.mark.parametrize("wrapper", ["quiet", "summary"])
def test_assay_stops_after_the_job_and_with_it(room, assay, wrapper):
    with in_a_terminal(room, assay, wrapper) as t:
        t.prompt()
        t.start("$W $J suspend TSTP")
        group = t.foreground()
        t.key("Ctrl-Z")
        t.prompt()
        job = job_of(t)

        assert is_stopped(job)
        assert is_stopped(group)
        t.enter("fg")
        t.expect("back\r\n")
        assert not is_stopped(job)
        assert not is_stopped(group)
