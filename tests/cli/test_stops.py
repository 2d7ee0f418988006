# SPDX-License-Identifier: MIT
"""A job that is stopped and continued, and assay with it."""
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from support import alive, state_of, wait_for, windows_written

INTERVAL_SECONDS = 0.05
FAST = ["-i", "50ms", "--report-interval", "50ms"]
# Like a shell with job control: the command in a process group of its own, with its parent in the session. A group without such a
# parent is orphaned, and the kernel does not stop it by the terminal's signals.
SHELL = """
import os, sys
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.execvp(sys.argv[1], sys.argv[1:])
status = os.waitpid(child, 0)[1]
if os.WIFSIGNALED(status):
    os.kill(os.getpid(), os.WTERMSIG(status))
sys.exit(os.waitstatus_to_exitcode(status))
"""
IN_A_GROUP = [sys.executable, "-c", SHELL]


class Job:
    """A command under assay, in the process group of assay."""

    def __init__(self, run_assay, command, options=FAST, wrapper=tuple(IN_A_GROUP), **start):
        self.started = run_assay.start(command, options, wrapper=wrapper, **start)
        monitor = self.started.running_info()["monitor"]
        self.assay, self.pid, self.keeper = monitor["pid"], monitor["job_pid"], monitor["keeper_pid"]

    def wait_for_keeper(self):
        """Until it has seen whatever state the job was in before: what it was told of is taken, and it sleeps again."""
        def settled():
            status = Path(f"/proc/{self.keeper}/status").read_text().split()
            pending = int(status[status.index("SigPnd:") + 1], 16) | int(status[status.index("ShdPnd:") + 1], 16)
            return not pending >> (signal.SIGCHLD - 1) & 1 and state_of(self.keeper) == "S"
        wait_for(settled, "the keeper to have seen the job's state")

    def wait_for_states(self, letters):
        """The states of assay and of the job, T is stopped; anything else counts as running."""
        def reached():
            states = [state_of(pid) for pid in (self.assay, self.pid)]
            return all((state == "T") == (letter == "T") for state, letter in zip(states, letters))
        wait_for(reached, f"assay and the job to be {letters}")


def windows(job):
    return windows_written(job.started.prefix)


def until(gate, code):
    """A command of one process that ends when the gate is there."""
    return ["LOAD", "TRUTH", "until-file", str(gate), str(code)]


def send_to(whom):
    def send(job, number):
        if whom == "group":
            os.killpg(job.assay, number)
        else:
            os.kill(job.assay if whom == "assay" else job.pid, number)
    return send


STOPS = [("SIGTSTP", "assay"), ("SIGTSTP", "job"), ("SIGTSTP", "group"), ("SIGTTIN", "group"), ("SIGTTOU", "assay"),
         ("SIGSTOP", "job"), ("SIGSTOP", "group")]
# Who was stopped with the job by a SIGSTOP to the group cannot notice that the job alone was continued.
CASES = [(*stop, by) for stop in STOPS for by in ("assay", "job", "group") if (*stop, by) != ("SIGSTOP", "group", "job")]


@pytest.mark.parametrize("stop, whom, by", CASES, ids=["-".join(case) for case in CASES])
def test_assay_is_stopped_while_the_job_is_and_the_record_says_for_how_long(run_assay, room, user, stop, whom, by):
    gate = room / "gate"
    job = Job(run_assay, until(gate, 6), user=user)
    began = time.monotonic()
    send_to(whom)(job, getattr(signal, stop))
    job.wait_for_states("TT")
    stopped = time.monotonic()
    wait_for(lambda: time.monotonic() > stopped + 10 * INTERVAL_SECONDS, "ten ticks to pass")
    continuing = time.monotonic()
    send_to(by)(job, signal.SIGCONT)
    job.wait_for_states("SS")
    job.wait_for_keeper()
    # A stop that nobody saw begin is known when a sample has followed it.
    seen = windows(job)
    wait_for(lambda: windows(job) >= seen + 2, "two more samples")
    continued = time.monotonic()
    gate.touch()
    run = job.started.finish()
    times, own = run.info["time"], run.info["self"]

    assert run.status == 6
    assert times["stops"] == 1
    # Of a stop of us all, what is known is when the sample was due that came late for it; that was at most an interval after the stop,
    # and after the sample before the one that may have been at work then.
    unseen = (stop, whom) == ("SIGSTOP", "group")
    earlier = [line["monotonic_ns"] / 1e9 for line in run.usage if line["monotonic_ns"] / 1e9 < began]
    since = ([0, 0] + earlier)[-2] if unseen else began
    least = continuing - stopped - (INTERVAL_SECONDS if unseen else 0)
    assert least <= times["stopped_seconds"] + 1e-6 and times["stopped_seconds"] <= continued - since + 1e-6
    assert times["wall_seconds"] >= times["stopped_seconds"]
    # From the stop's certain beginning to its certain end no tick was due, so none was taken and none missed. Each other time of the grid
    # counts once; the grid is cut once, and the early sample and the last stand beside it.
    running = run.usage[-1]["end_seconds"] - (continuing - stopped)
    assert own["ticks"] + own["missed_ticks"] <= running / INTERVAL_SECONDS + 3


def test_a_record_of_a_job_that_was_never_stopped_says_nothing_of_stops(run_assay):
    run = run_assay(["true"], quiet=False)

    assert "stops" not in run.info["time"] and "stopped_seconds" not in run.info["time"]
    assert b"stopped" not in run.stderr


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
@pytest.mark.parametrize("whom", ["job", "group"])
def test_a_stopped_job_that_is_killed_ends_us_too(run_assay, room, name, whom):
    job = Job(run_assay, until(room / "never", 0))
    os.kill(job.pid, signal.SIGSTOP)
    job.wait_for_states("TT")
    number = getattr(signal, name)
    if name == "SIGKILL":
        # It needs no SIGCONT; and of the group only the job's part, for assay must die by itself.
        os.kill(job.pid, number)
    else:
        send_to(whom)(job, number)
        send_to(whom)(job, signal.SIGCONT)
    run = job.started.finish()

    assert run.status == -number
    assert run.info["outcome"]["signal"] == number
    assert run.info["time"]["stops"] == 1


def test_a_job_that_ignores_the_terminals_stop_is_not_left_by_us(run_assay, room):
    job = Job(run_assay, ["sh", "-c", f"trap '' TSTP; touch '{room}/ready'; exec \"$@\"", "sh", *until(room / "gate", 2)])
    wait_for((room / "ready").exists, "the job to run")
    for whom in ("group", "assay"):
        send_to(whom)(job, signal.SIGTSTP)
    os.kill(job.assay, signal.SIGWINCH)
    (room / "gate").touch()
    run = job.started.finish()

    assert run.status == 2
    assert "stops" not in run.info["time"]


TIDY = """
import os, signal, sys, time
def stop(number, frame):
    open("tidied", "w").close()
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, stop)
    open("back", "w").close()
signal.signal(signal.SIGTSTP, stop)
open("ready", "w").close()
while not os.path.exists("gate"):
    time.sleep(0.02)
"""


def test_a_job_that_tidies_up_before_it_stops_is_followed_when_it_has(run_assay, room):
    job = Job(run_assay, [sys.executable, "-c", TIDY])
    wait_for((room / "ready").exists, "the job to run")
    os.killpg(job.assay, signal.SIGTSTP)
    job.wait_for_states("TT")
    assert (room / "tidied").exists() and not (room / "back").exists()
    os.killpg(job.assay, signal.SIGCONT)
    wait_for((room / "back").exists, "the job to go on")
    (room / "gate").touch()
    run = job.started.finish()

    assert run.status == 0
    assert run.info["time"]["stops"] == 1


def test_in_an_orphaned_group_neither_is_stopped_by_the_terminals_signal(run_assay, room):
    job = Job(run_assay, until(room / "gate", 2), wrapper=())
    os.killpg(job.assay, signal.SIGTSTP)
    os.kill(job.assay, signal.SIGTSTP)
    (room / "gate").touch()

    assert job.started.finish().status == 2


def test_in_a_session_of_its_own_the_job_stops_and_continues_with_our_group(run_assay, room):
    job = Job(run_assay, until(room / "gate", 2), [*FAST, "--mode", "new-session"])
    assert os.getsid(job.pid) == job.pid
    for _ in range(2):
        os.killpg(job.assay, signal.SIGTSTP)
        job.wait_for_states("TT")
        os.killpg(job.assay, signal.SIGCONT)
        job.wait_for_states("SS")
    (room / "gate").touch()
    run = job.started.finish()

    assert run.status == 2
    assert run.info["time"]["stops"] == 2


@pytest.mark.parametrize("whom", ["job", "group", "assay", "any"])
def test_stops_and_continues_in_quick_succession_leave_nobody_stopped(run_assay, room, whom):
    job = Job(run_assay, until(room / "gate", 2))
    order = random.Random(whom)
    for _ in range(300):
        target = order.choice(["job", "group", "assay"]) if whom == "any" else whom
        stop = signal.SIGSTOP if target == "job" and order.random() < 0.5 else signal.SIGTSTP
        for number in (stop, signal.SIGCONT):
            send_to(target)(job, number)
            for _ in range(order.choice([0, 10, 300, 3000])):
                os.sched_yield()
    # Not to assay: whoever lets the job run lets assay run.
    os.kill(job.pid, signal.SIGCONT)
    job.wait_for_states("SS")
    (room / "gate").touch()
    run = job.started.finish()

    assert run.status == 2
    assert run.info["time"].get("stops", 0) <= 300


def test_a_keeper_that_somebody_stops_is_let_run_again(run_assay, room):
    job = Job(run_assay, until(room / "gate", 2))
    for _ in range(20):
        os.kill(job.keeper, signal.SIGSTOP)
        wait_for(lambda: state_of(job.keeper) == "S", "the keeper to run")
    os.kill(job.keeper, signal.SIGSTOP)
    (room / "gate").touch()

    assert job.started.finish().status == 2


def test_without_the_keeper_assay_still_stops_and_continues_with_the_job(run_assay, room):
    job = Job(run_assay, until(room / "gate", 2))
    os.kill(job.keeper, signal.SIGKILL)
    wait_for(lambda: state_of(job.keeper) is None, "assay to notice")
    os.killpg(job.assay, signal.SIGTSTP)
    job.wait_for_states("TT")
    os.killpg(job.assay, signal.SIGCONT)
    job.wait_for_states("SS")
    (room / "gate").touch()
    run = job.started.finish()

    assert run.status == 2
    assert run.info["time"]["stops"] == 1


def test_the_summary_says_how_long_the_job_was_stopped(run_assay, room):
    job = Job(run_assay, until(room / "gate", 0), quiet=False)
    os.killpg(job.assay, signal.SIGTSTP)
    job.wait_for_states("TT")
    os.killpg(job.assay, signal.SIGCONT)
    (room / "gate").touch()
    run = job.started.finish()

    assert b"meanwhile, which the wall time includes" in run.stderr
    assert not alive(job.keeper)


def turns_of(pid):
    """How often it has been given a processor."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[2])


FREEZER = Path("/sys/fs/cgroup/freezer")


class Frozen:
    """Processes that get no turn until they are let, as on a processor that is busy with others."""

    def __init__(self, pid):
        self.directory = FREEZER / f"assay-test-{os.getpid()}-{pid}"
        self.directory.mkdir()
        (self.directory / "cgroup.procs").write_text(str(pid))

    def turn(self, state):
        (self.directory / "freezer.state").write_text(state)
        wait_for(lambda: (self.directory / "freezer.state").read_text().strip() == state, f"the freezer to be {state}")

    def leave(self):
        self.turn("THAWED")
        for pid in (self.directory / "cgroup.procs").read_text().split():
            (FREEZER / "cgroup.procs").write_text(pid)
        self.directory.rmdir()


def test_stopped_again_before_it_had_a_turn_assay_stays_stopped_though_the_job_is_slower(run_assay, room):
    """The next Ctrl-Z comes when assay was continued and did not run yet: it stops at once, and the job, on another processor, later."""
    if os.geteuid() != 0 or not (FREEZER / "cgroup.procs").exists():
        pytest.skip("needs root and the freezer of cgroup v1")
    job = Job(run_assay, until(room / "gate", 2))
    os.killpg(job.assay, signal.SIGTSTP)
    job.wait_for_states("TT")
    frozen = []
    try:
        frozen += [Frozen(job.assay), Frozen(job.pid)]
        for group in frozen:
            group.turn("FROZEN")
        os.killpg(job.assay, signal.SIGCONT)
        os.killpg(job.assay, signal.SIGTSTP)
        frozen[0].turn("THAWED")
        wait_for(lambda: state_of(job.assay) == "T", "assay to stop")
        # The keeper looks again and again whether to let assay go on.
        before = turns_of(job.keeper)
        wait_for(lambda: turns_of(job.keeper) >= before + 5, "the keeper to look five times")
        assert state_of(job.assay) == "T"
        frozen[1].turn("THAWED")
        job.wait_for_states("TT")
    finally:
        for group in frozen:
            group.leave()
    os.killpg(job.assay, signal.SIGCONT)
    job.wait_for_states("SS")
    (room / "gate").touch()

    assert job.started.finish().status == 2


def test_a_stop_of_all_counts_though_the_keeper_is_slow_to_have_a_turn_after_it(run_assay, room):
    """The keeper alone can tell a stop from a processor that was busy; until it has looked, assay does not know what it overslept for."""
    if os.geteuid() != 0 or not (FREEZER / "cgroup.procs").exists():
        pytest.skip("needs root and the freezer of cgroup v1")
    job = Job(run_assay, until(room / "gate", 2))
    os.killpg(job.assay, signal.SIGSTOP)
    job.wait_for_states("TT")
    stopped = time.monotonic()
    wait_for(lambda: time.monotonic() > stopped + 10 * INTERVAL_SECONDS, "ten ticks to pass")
    keeper = Frozen(job.keeper)
    try:
        keeper.turn("FROZEN")
        before = turns_of(job.assay)
        continuing = time.monotonic()
        os.killpg(job.assay, signal.SIGCONT)
        # It asks the keeper, and looks five times whether that has answered.
        wait_for(lambda: turns_of(job.assay) >= before + 10, "assay to ask a second time")
    finally:
        keeper.leave()
    job.wait_for_states("SS")
    (room / "gate").touch()
    run = job.started.finish()

    assert run.status == 2
    assert run.info["time"]["stops"] == 1
    assert run.info["time"]["stopped_seconds"] >= continuing - stopped - INTERVAL_SECONDS
    running = run.usage[-1]["end_seconds"] - (continuing - stopped)
    assert run.info["self"]["ticks"] + run.info["self"]["missed_ticks"] <= running / INTERVAL_SECONDS + 3
