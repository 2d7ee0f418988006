# SPDX-License-Identifier: MIT
"""Every signal reaches the job exactly as often as it would without assay, whoever it was sent to."""
import collections
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from support import alive, read_info, state_of, wait_for

# Takes every signal that can be taken and notes it, with who sent it; SIGURG ends it.
COUNTER = """
import os, signal, sys
every = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
signal.pthread_sigmask(signal.SIG_BLOCK, every)
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
os.write(log, b"ready\\n")
while True:
    number = signal.sigwaitinfo(every).si_signo
    if number == signal.SIGURG:
        break
    if number != signal.SIGCHLD:
        os.write(log, b"%d\\n" % number)
"""
MARK = signal.SIGRTMAX
NAMES = ("SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM "
         "SIGCONT SIGTSTP SIGTTIN SIGTTOU SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS SIGRTMIN").split()
NUMBERS = [int(getattr(signal, name)) for name in NAMES]


class Counter:
    """A job that notes its signals, under assay."""

    def __init__(self, run_assay, room, options=(), **start):
        self.log = room / "signals"
        self.started = run_assay.start([sys.executable, "-c", COUNTER, str(self.log)], options, **start)
        self.assay = self.started.process.pid
        wait_for(lambda: self.log.exists() and self.log.read_text().startswith("ready\n"), "the job to run")
        monitor = self.started.running_info()["monitor"]
        self.job, self.keeper = monitor["job_pid"], monitor["keeper_pid"]
        self.marks = 0

    def got(self):
        """How often each signal came, without the marks."""
        lines = self.log.read_text().split("\n")[1:-1]
        return collections.Counter(int(line) for line in lines if int(line) != MARK)

    def wait_for_total(self, total):
        wait_for(lambda: sum(self.got().values()) >= total, f"signal number {total}")

    def pass_mark(self):
        """All that was sent to assay before has been dealt with: a mark that was sent after it has come through."""
        self.marks += 1
        os.kill(self.assay, MARK)
        wait_for(lambda: self.log.read_text().count(f"\n{int(MARK)}\n") >= 1 and
                 self.log.read_text().split("\n").count(str(int(MARK))) >= self.marks, "the mark")

    def finish(self):
        os.kill(self.job, signal.SIGURG)
        run = self.started.finish()
        assert run.status == 0
        return run


def to_assay(counter, number):
    os.kill(counter.assay, number)


def to_job(counter, number):
    os.kill(counter.job, number)


def to_group(counter, number):
    os.killpg(counter.assay, number)


# How long assay waits to see whether all are sent what it was sent.
ONE_BY_ONE_SECONDS = 0.005


def to_all_one_by_one(counter, number):
    """True when it took so long that assay may take the first of them for a signal to itself alone."""
    began = time.monotonic()
    for pid in (counter.assay, counter.keeper, counter.job):
        os.kill(pid, number)
    return time.monotonic() - began >= ONE_BY_ONE_SECONDS


def to_both(counter, number):
    before = sum(counter.got().values())
    os.kill(counter.assay, number)
    counter.wait_for_total(before + 1)
    os.kill(counter.job, number)


@pytest.mark.parametrize("send, times", [(to_assay, 1), (to_job, 1), (to_group, 1), (to_both, 2), (to_all_one_by_one, 1)],
                         ids=["to_assay_alone", "to_the_job_alone", "to_the_group", "to_assay_and_then_to_the_job",
                              "to_all_one_by_one_as_schedulers_do"])
def test_the_job_counts_what_it_would_count_without_us(run_assay, room, user, send, times):
    counter = Counter(run_assay, room, user=user)
    # Schedulers send no real-time signals, for which assay does not wait to see whether all get them.
    numbers = [number for number in NUMBERS if send is not to_all_one_by_one or number < signal.SIGRTMIN]
    held_up = set()
    for number in numbers:
        if send(counter, number):
            held_up.add(number)
        # Not a total: one that was held up may come twice, and a SIGCONT that is still pending goes when a SIGTSTP comes.
        wait_for(lambda n=number: counter.got()[n] >= times, f"signal {number}")
    counter.pass_mark()

    got = counter.got()
    assert {number: got[number] for number in numbers if number not in held_up} == {
        number: times for number in numbers if number not in held_up}
    assert all(times <= got[number] <= 2 * times for number in held_up) and set(got) == set(numbers)
    counter.finish()


def test_of_signals_to_us_and_to_the_group_in_any_order_none_is_lost_or_doubled(run_assay, room):
    counter = Counter(run_assay, room)
    order = random.Random(3)
    under_way = set()
    for i in range(300):
        send, number = order.choice([to_assay, to_group, to_job]), order.choice(NUMBERS)
        # One that assay did not take yet would become one with the next of its number, by the kernel's rule and not by ours.
        if number in under_way:
            counter.pass_mark()
            under_way.clear()
        under_way.add(number)
        send(counter, number)
        counter.wait_for_total(i + 1)
    counter.pass_mark()

    assert sum(counter.got().values()) == 300
    counter.finish()


def test_of_real_time_signals_sent_in_a_burst_each_one_counts(run_assay, room):
    counter = Counter(run_assay, room)
    for i in range(50):
        [to_assay, to_group][i % 2](counter, signal.SIGRTMIN + 1)
    counter.wait_for_total(50)
    counter.pass_mark()

    assert counter.got() == {signal.SIGRTMIN + 1: 50}
    counter.finish()


def after_a_moment():
    """Longer than a signal of the group can be under way to one of its members."""
    end = time.monotonic() + 0.2
    wait_for(lambda: time.monotonic() > end, "a moment to pass")


def test_signals_of_the_group_that_reached_us_as_one_do_not_hide_the_next(run_assay, room):
    counter = Counter(run_assay, room)
    os.kill(counter.assay, signal.SIGSTOP)
    wait_for(lambda: state_of(counter.assay) == "T", "assay to be stopped")
    for i in range(3):
        to_group(counter, signal.SIGTERM)
        counter.wait_for_total(i + 1)
    to_group(counter, signal.SIGCONT)
    counter.wait_for_total(4)
    counter.pass_mark()
    after_a_moment()
    to_assay(counter, signal.SIGTERM)
    counter.wait_for_total(5)

    assert counter.got() == {signal.SIGTERM: 4, signal.SIGCONT: 1}
    counter.finish()


def test_a_signal_to_the_keeper_alone_does_not_hide_the_next_for_us(run_assay, room):
    counter = Counter(run_assay, room)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGSEGV):
        os.kill(counter.keeper, number)
    after_a_moment()
    for i, number in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGSEGV)):
        to_assay(counter, number)
        counter.wait_for_total(i + 1)
    counter.pass_mark()

    assert counter.got() == {signal.SIGTERM: 1, signal.SIGINT: 1, signal.SIGSEGV: 1}
    counter.finish()


def test_in_a_session_of_its_own_the_job_gets_our_groups_signals_once(run_assay, room):
    counter = Counter(run_assay, room, ["--mode", "new-session"])
    assert os.getsid(counter.job) == counter.job
    for i, number in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGWINCH)):
        to_group(counter, number)
        counter.wait_for_total(i + 1)
    to_assay(counter, signal.SIGINT)
    counter.wait_for_total(4)
    counter.pass_mark()

    assert counter.got() == {signal.SIGINT: 2, signal.SIGTERM: 1, signal.SIGWINCH: 1}
    counter.finish()


def test_without_the_keeper_a_signal_to_us_still_reaches_the_job(run_assay, room):
    counter = Counter(run_assay, room)
    os.kill(counter.keeper, signal.SIGKILL)
    wait_for(lambda: state_of(counter.keeper) is None, "assay to notice")
    to_assay(counter, signal.SIGTERM)
    counter.wait_for_total(1)
    counter.pass_mark()

    assert counter.got() == {signal.SIGTERM: 1}
    counter.finish()


FATAL = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGSEGV", "SIGRTMIN"]


@pytest.mark.parametrize("name", FATAL)
@pytest.mark.parametrize("whom", ["assay", "job", "group"])
def test_a_fatal_signal_ends_us_as_it_ended_the_job_and_the_record_says_by_whom(run_assay, name, whom):
    number = getattr(signal, name)
    started = run_assay.start(["sleep", "60"])
    job = started.running_info()["monitor"]["job_pid"]
    if whom == "group":
        os.killpg(started.process.pid, number)
    else:
        os.kill(job if whom == "job" else started.process.pid, number)
    run = started.finish()
    outcome = run.info["outcome"]
    sender = f"pid {os.getpid()} of uid {os.getuid()}"

    assert run.status == -number
    assert outcome["signal"] == number
    assert not alive(job)
    if whom == "assay":
        assert f"(sent to assay by {sender} and passed on)" in outcome["words"]
    elif whom == "group":
        assert f"(sent to the process group by {sender})" in outcome["words"]
    else:
        assert "sent" not in outcome["words"]
        assert ("who sent it is not known" in outcome["evidence"]) == (name not in ("SIGSEGV", "SIGALRM"))


# Ends by itself when it is told to, as a job that saves its state does.
OBEDIENT = """
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR1})
print("ready", flush=True)
sys.exit({signal.SIGTERM: 0, signal.SIGUSR1: 5}[signal.sigwaitinfo({signal.SIGTERM, signal.SIGUSR1}).si_signo])
"""


@pytest.mark.parametrize("name, told", [("SIGTERM", True), ("SIGUSR1", False)])
def test_a_job_that_ends_by_itself_when_it_is_told_to_has_the_signal_in_its_record(run_assay, room, name, told):
    started = run_assay.start([sys.executable, "-c", OBEDIENT])
    wait_for(lambda: "ready" in str(started.output("stdout")), "the job to wait for its signal")
    os.kill(started.process.pid, getattr(signal, name))
    run = started.finish()
    evidence = run.info["outcome"]["evidence"]

    assert run.info["outcome"]["exit_code"] == (0 if told else 5)
    assert (f"; SIGTERM (sent to assay by pid {os.getpid()} of uid {os.getuid()} and passed on) came " in evidence) == told
    assert evidence.endswith(" ms before the end") == told


def test_sigkill_of_unknown_origin_is_said_to_be_that(run_assay):
    run = run_assay(["sh", "-c", "kill -KILL $$"])

    assert run.status == -signal.SIGKILL
    assert run.info["outcome"]["words"].startswith("killed by SIGKILL (")
    assert "who sent it is not known" in run.info["outcome"]["evidence"]


def test_after_sigkill_to_assay_the_job_goes_on_and_the_record_can_be_read(run_assay, room, user):
    counter = Counter(run_assay, room, ["-i", "20ms"], user=user)
    os.kill(counter.assay, signal.SIGKILL)
    assert counter.started.wait(60) == -signal.SIGKILL
    os.kill(counter.job, signal.SIGUSR1)
    counter.wait_for_total(1)

    assert read_info(counter.started.prefix)["state"] == "running"
    os.kill(counter.job, signal.SIGURG)
    wait_for(lambda: not alive(counter.job) and not alive(counter.keeper), "job and keeper to end")


def test_after_sigkill_to_the_whole_group_nothing_is_left_but_a_record(run_assay, room, user):
    counter = Counter(run_assay, room, user=user)
    os.killpg(counter.assay, signal.SIGKILL)

    assert counter.started.wait(60) == -signal.SIGKILL
    wait_for(lambda: not alive(counter.job) and not alive(counter.keeper), "job and keeper to end")
    assert read_info(counter.started.prefix)["state"] == "running"


def test_a_second_and_third_interrupt_change_nothing(run_assay, room):
    script = 'trap "echo INT >>got" INT; touch ready; while [ ! -e gate ]; do sleep 0.05; done; exit 9'
    started = run_assay.start(["sh", "-c", script])
    wait_for((room / "ready").exists, "the job to run")
    for times in range(1, 4):
        started.process.send_signal(signal.SIGINT)
        wait_for(lambda: (room / "got").exists() and (room / "got").read_text() == times * "INT\n", "the trap")
    (room / "gate").touch()

    assert started.finish().status == 9


def test_while_only_descendants_are_waited_for_a_signal_ends_the_waiting(run_assay):
    started = run_assay.start(["sh", "-c", "sleep 60 & exit 4"], ["--wait-all"])
    job = started.running_info()["monitor"]["job_pid"]
    wait_for(lambda: not alive(job), "the command to end")
    started.process.send_signal(signal.SIGTERM)
    run = started.finish()
    survivors = run.info["processes"]["survivors"]

    assert run.status == 4
    assert [survivor["name"] for survivor in survivors] == ["sleep"]
    os.kill(survivors[0]["pid"], signal.SIGKILL)


def at_a_call(strace, room, call, number, name):
    return [strace, "-o", str(room / "trace"), "-e", f"trace={call}", "-e", f"inject={call}:signal={name}:when={number}"]


# Every signal is blocked before the first of them; the first two come before the keeper exists, the next when keeper and waiting
# command do, the last when the command may run.
@pytest.mark.parametrize("call", ["signalfd4", "prctl", "dup3", "ppoll"])
@pytest.mark.parametrize("name", ["TERM", "HUP", "INT"])
def test_a_signal_during_the_start_ends_the_job_too(run_assay, room, strace, call, name):
    inject = at_a_call(strace, room, call, 1, name)
    run = run_assay(["sleep", "60"], wrapper=inject)
    number = getattr(signal, f"SIG{name}")

    assert f"--- SIG{name}" not in (room / "trace").read_text() or run.status == -number
    assert run.status == -number
    assert run.info["outcome"]["signal"] == number


def forking(pid):
    """The child of a process that stands before its first fork, or None."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            # 56 is clone(2) on x86-64.
            if Path(f"/proc/{child}/syscall").read_text().startswith("56 "):
                return int(child)
        except OSError:
            pass
    return None


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system calls have other numbers here")
@pytest.mark.parametrize("name", ["TERM", "HUP", "INT"])
def test_a_signal_to_the_group_just_before_the_command_is_forked_ends_it_too(run_assay, room, strace, name):
    """The keeper, which is to be its parent, has it already and the command never will."""
    wrapper = [strace, "-f", "-DDD", "-o", str(room / "trace"), "-e", "trace=clone,fork", "-e", "inject=clone,fork:delay_enter=500000"]
    started = run_assay.start(["sleep", "60"], wrapper=wrapper, env=run_assay.environment({"ASAN_OPTIONS": "detect_leaks=0"}))
    wait_for(lambda: forking(started.process.pid), "the keeper to fork")
    os.killpg(started.process.pid, getattr(signal, f"SIG{name}"))
    run = started.finish()

    assert run.status == -getattr(signal, f"SIG{name}")
    assert run.info["outcome"]["signal"] == getattr(signal, f"SIG{name}")


@pytest.mark.parametrize("name", ["TERM", "HUP", "INT", "QUIT", "TSTP"])
def test_a_signal_while_the_record_is_completed_changes_nothing(run_assay, room, strace, name):
    # Who is traced already cannot be searched for leaks.
    env = run_assay.environment({"ASAN_OPTIONS": "detect_leaks=0"})
    # The record of the start takes its place by renameat2, which refuses what is there, and the job is alive then; the last one by renameat.
    inject = at_a_call(strace, room, "rename,renameat", "1+", name)
    job = f"until [ -e '{room}'/*info.json ]; do sleep 0.01; done; exit 3"
    run = run_assay(["sh", "-c", job], wrapper=inject, env=env)

    assert "rename" in (room / "trace").read_text()
    assert run.status == 3
    assert run.info["outcome"]["exit_code"] == 3
