# SPDX-License-Identifier: MIT
"""The keeper, or it and the recorder, killed within the first moments: the command runs all the same or never starts, and nobody is left."""
import os
import signal
from pathlib import Path

import pytest

from support import alive, state_of, wait_for

ALONE = b"assay: the keeper was killed before it had the command; running the command without recording it\n"


def children_of(pid):
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]
    except OSError:
        return []


def ours_of(pid, assay):
    """Its children that are assay: strace is a child as well, for a moment."""
    found = []
    for child in children_of(pid):
        try:
            if os.path.samefile(f"/proc/{child}/exe", assay):
                found.append(child)
        except OSError:
            pass
    return found


def everybody_of(room):
    """Processes that work for this room: ours carry its name among their words, and a command's as well."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(room).encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return [pid for pid in found if pid != os.getpid() and state_of(pid) != "Z"]


def traced(run_assay):
    """LeakSanitizer does not work under strace."""
    return run_assay.environment({"ASAN_OPTIONS": "detect_leaks=0"})


# The first things that the keeper does when it has said that there is a command, which waits; the monitor does neither.
@pytest.mark.parametrize("call", ["chdir", "close_range"])
def test_the_keeper_killed_before_the_command_may_start_does_not_keep_it_from_running(run_assay, room, strace, call):
    trace = room / "trace"
    wrapper = [strace, "-f", "-DDD", "-q", "-o", str(trace), "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL"]
    run = run_assay(["sh", "-c", f"echo > {room}/ran; exit 7"], wrapper=wrapper, quiet=False, complete=False, env=traced(run_assay))

    assert run.status == 7, run.stderr
    assert "killed by SIGKILL" in trace.read_text(), "the keeper was not met"
    assert (room / "ran").exists()
    assert run.info["outcome"]["exit_code"] == 7
    assert "after the keeper was killed" in run.info["outcome"]["evidence"]
    wait_for(lambda: not everybody_of(room), "everybody to be gone")


def delayed(strace, room, *delays):
    """Each delay is the names of calls, a colon and when: strace(1)."""
    names = ",".join(delay.partition(":")[0] for delay in delays)
    return [strace, "-f", "-DDD", "-q", "-o", str(room / "trace"), "-e", f"trace={names}", *(word for d in delays for word in ("-e", f"inject={d}"))]


def keeper_that_forks(pid, assay):
    """The keeper while it stands before its fork, or None."""
    for child in ours_of(pid, assay):
        try:
            # 56 is clone(2) on x86-64.
            if Path(f"/proc/{child}/syscall").read_text(encoding="utf-8").startswith("56 ") and not children_of(child):
                return child
        except OSError:
            pass
    return None


def family_of(pid, assay):
    """The keeper and the command that waits, as soon as both are there."""
    for child in ours_of(pid, assay):
        waiting = ours_of(child, assay)
        if waiting:
            return child, waiting[0]
    return None


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system calls have other numbers here")
def test_killed_before_it_forks_the_keeper_costs_the_record_alone(run_assay, room, strace):
    started = run_assay.start(["sh", "-c", "exit 7"], wrapper=delayed(strace, room, "clone,fork:delay_enter=500000"), quiet=False, env=traced(run_assay))
    os.kill(wait_for(lambda: keeper_that_forks(started.process.pid, run_assay.assay), "the keeper to fork"), signal.SIGKILL)
    run = started.finish(complete=False)

    assert (run.status, run.info) == (7, None), run.stderr
    assert ALONE in run.stderr


def test_killed_behind_its_fork_as_well_and_the_command_that_waited_gives_up(run_assay, room, strace):
    started = run_assay.start(["sh", "-c", f"echo >> {room}/ran; exit 7"], wrapper=delayed(strace, room, "clone,fork:delay_exit=500000"), quiet=False,
                              env=traced(run_assay))
    keeper, waiting = wait_for(lambda: family_of(started.process.pid, run_assay.assay), "the command to be forked")
    os.kill(keeper, signal.SIGKILL)
    run = started.finish(complete=False)

    assert (run.status, run.info) == (7, None), run.stderr
    assert ALONE in run.stderr
    assert (room / "ran").read_text() == "\n", "it ran once"
    wait_for(lambda: state_of(waiting) is None, "the command that waited to be reaped")
    wait_for(lambda: not everybody_of(room), "everybody to be gone")


def call_of(pid):
    """The number of the system call in which the process is, as text."""
    try:
        return Path(f"/proc/{pid}/syscall").read_text(encoding="utf-8").split()[0]
    except OSError:
        return ""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system calls have other numbers here")
@pytest.mark.parametrize("keeper_first", [True, False])
def test_both_killed_as_soon_as_there_is_a_command_it_never_starts_and_nobody_is_left(run_assay, room, strace, keeper_first):
    """The keeper is held behind its fork, and the command before it asks who its parent is: that one has gone by then."""
    held = delayed(strace, room, "clone,fork:delay_exit=1000000", "getppid:delay_enter=1000000:when=1")
    started = run_assay.start(["touch", f"{room}/ran"], wrapper=held, env=traced(run_assay))
    keeper, waiting = wait_for(lambda: family_of(started.process.pid, run_assay.assay), "the command to be forked")
    # 110 is getppid(2), 202 futex(2).
    wait_for(lambda: call_of(waiting) in ("110", "202"), "the command to wait or to ask")
    for pid in (keeper, started.process.pid) if keeper_first else (started.process.pid, keeper):
        os.kill(pid, signal.SIGKILL)
    started.wait(60)

    wait_for(lambda: not alive(waiting), "the command that waits to give up")
    wait_for(lambda: not everybody_of(room), "everybody to be gone")
    assert not (room / "ran").exists()


@pytest.mark.parametrize("looks", [0, 1, 3, 10, 30, 100, 300])
def test_both_killed_at_any_moment_leave_nobody(run_assay, room, looks):
    started = run_assay.start(["sh", "-c", "exit 7"])
    ours = [started.process.pid]
    for _ in range(looks):
        ours = [started.process.pid, *children_of(started.process.pid)]
    for pid in reversed(ours):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    started.wait(60)

    wait_for(lambda: not everybody_of(room), "everybody to be gone")
