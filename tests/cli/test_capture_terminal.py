# SPDX-License-Identifier: MIT
"""Captured output on a terminal: the same keys show the same with a terminal of the job's own between, and ours is left as it was."""
import contextlib
import os
import re
import signal
import termios
from pathlib import Path

import pytest

from terminal import WAITING, Terminal, is_stopped, processes_of, transcript
from test_terminal import scripts
from test_terminal_ends import job_of, logged

# What is different through a terminal of the job's own, and why it cannot be otherwise
DIFFERENT = {
    "signals_to_the_job_of_the_shell_come_once": "the job is in a group of its own: it has them from assay, not from the shell",
    "typed_ahead": "what the job did not read stays in its own terminal",
    "without_a_terminal": "it has a terminal that controls its session, also where we have none",
    "facts": "its standard output is a terminal, also in a pipeline",
    "job_control_inside": "it looks at which group is in front of our terminal, where all of them are ours",
}
# Scripts that type a line as soon as the job is in front
TYPED_AT_ONCE = ["stop_between_lines_of_input", "end_of_input", "python_prompt", "stop_and_foreground", "background_reads",
                 "stops_itself_by_tstp", "stops_itself_by_stop"]


class Captured(Terminal):
    """Waits until the keys go to the job's terminal: what is typed before is echoed by ours and by the job's."""

    def in_foreground(self, *arguments):
        super().in_foreground(*arguments)
        if self.raw_is_awaited:
            self.until(lambda: is_raw(self), "our terminal to be raw")

    raw_is_awaited = False


@contextlib.contextmanager
def captured(room, assay, options, raw_is_awaited=False, **arguments):
    """A shell in a room of its own; $W keeps the job's output as `options` say, or is nothing."""
    room = room / ("kept" if options else "bare")
    room.mkdir()
    room.chmod(0o1777)
    opened = Captured(room, f"{assay} run -q {options} --" if options else "", **arguments)
    opened.raw_is_awaited = raw_is_awaited
    try:
        yield opened
    finally:
        opened.close()


def play(room, assay, options, name, user=None):
    raw = options == "-c pty" and name in TYPED_AT_ONCE
    with captured(room, assay, options, raw, user=user) as t:
        t.prompt()
        t.run("stty -g")
        scripts[name](t)
        if t.shell.poll() is None:
            t.run("stty -g")
            modes = re.findall(r"^[0-9a-f:]{40,}\r$", t.text, re.MULTILINE)
            assert len(modes) == 2 and modes[0] == modes[1], "the modes of the terminal changed"
        return t.text


@pytest.mark.parametrize("name", [name for name in scripts if name not in DIFFERENT])
def test_the_same_keys_show_the_same_through_a_terminal_of_its_own(room, assay, name):
    bare, wrapped = (play(room, assay, options, name) for options in (None, "-c pty"))

    assert transcript(wrapped) == transcript(bare)


# Programs that want a terminal, and one whose output races the echo of keys
NOT_THROUGH_PIPES = ["pager", "editor", "process_viewer", "python_prompt", "facts", "job_control_inside"]


@pytest.mark.parametrize("name", [name for name in scripts if name not in NOT_THROUGH_PIPES])
def test_the_same_keys_show_the_same_through_pipes(room, assay, name):
    bare, wrapped = (play(room, assay, options, name) for options in (None, "-c all"))

    assert transcript(wrapped) == transcript(bare)


def is_raw(t):
    """As only we make it: a shell that edits a line leaves the keys their signals."""
    return not termios.tcgetattr(t.master)[3] & (termios.ICANON | termios.ISIG)


def kept(t):
    [path] = t.room.glob(".assay/runs/*/stdout")
    return path.read_bytes()


def members_named(t, name):
    found = []
    for pid in processes_of(t.room):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text(encoding="utf-8") == f"{name}\n":
                found.append(pid)
    return found


@pytest.fixture
def through_pty(room, assay):
    with captured(room, assay, "-c pty") as t:
        t.prompt()
        yield t


@pytest.fixture
def through_pty_of(room, assay, user):
    """For whoever runs it."""
    with captured(room, assay, "-c pty", user=user) as t:
        t.prompt()
        yield t


def test_all_three_are_a_terminal_of_the_jobs_own_with_our_size_and_modes(through_pty):
    t = through_pty
    t.run("stty intr ^X; stty -g; tty")
    before = t.text[t.text.index("stty -g; tty"):].split("\r\n")
    t.enter("$W sh -c 'for fd in 0 1 2; do test -t $fd && echo $fd is one; done; stty size; stty -g; tty; tty </dev/tty'")
    t.prompt()
    inside = t.text[t.text.rindex("</dev/tty'\r\n"):].split("\r\n")[1:8]

    assert inside[:4] == ["0 is one", "1 is one", "2 is one", "24 132"]
    assert inside[4] == before[1], "the modes are ours"
    assert inside[5] != before[2]
    assert kept(t) == "".join(line + "\r\n" for line in inside[:7]).encode()


def test_our_terminal_is_raw_while_the_job_runs_and_as_it_was_afterwards(through_pty):
    t = through_pty
    before = termios.tcgetattr(t.master)
    t.start("$W sh -c 'echo ready; read x; kill -SEGV $$'")
    t.until(lambda: is_raw(t), "our terminal to be raw")
    t.type("\r")
    t.prompt()
    # The shell changes modes for its own editing; it starts from what it found.
    t.run("stty -g")
    t.start(f"$W {WAITING}")
    t.until(lambda: is_raw(t), "our terminal to be raw")
    t.key("Ctrl-C")
    t.until(lambda: t.foreground() == t.shell.pid, "the shell")

    assert t.text.count("Segmentation fault") == 1
    assert termios.tcgetattr(t.master)[6][termios.VINTR] == before[6][termios.VINTR]


def test_in_the_background_our_terminal_is_left_alone(through_pty):
    t = through_pty
    t.run("$W sh -c 'echo here; echo up >up; exec sleep 100' & lines up 1")
    t.until(lambda: "here\r\n" in t.text, "what it says")
    t.enter("stty -a | grep -c -- -icanon")
    t.expect("0\r\n")
    t.prompt()
    t.enter("fg")
    # The shell says nothing to a job that runs: it is noticed at the next look.
    t.until(lambda: is_raw(t), "our terminal to be raw")
    t.key("Ctrl-C")
    t.prompt()


def test_a_pump_that_is_killed_leaves_the_keys_their_way(through_pty):
    t = through_pty
    t.start("$W cat", "")
    t.until(lambda: is_raw(t), "our terminal to be raw")
    [pump] = members_named(t, "pump")
    os.kill(pump, signal.SIGKILL)
    t.until(lambda: members_named(t, "pump") not in ([], [pump]), "another pump")
    t.enter("a line")
    t.expect("a line\r\n")
    t.key("Ctrl-D")
    t.prompt()
    t.run("stty -g")

    assert kept(t) == b"a line\r\na line\r\n"


def test_a_monitor_that_is_killed_leaves_the_job_its_terminal_and_the_shell_its_own(through_pty):
    t = through_pty
    t.run("stty -g")
    t.enter("$W $J plain TERM 1 log")
    logged(t, "ready")
    t.until(lambda: is_raw(t), "our terminal to be raw")
    job = job_of(t)
    os.kill(t.foreground(), signal.SIGKILL)
    t.prompt()
    t.run("stty -g")
    modes = re.findall(r"^[0-9a-f:]{40,}\r$", t.text, re.MULTILINE)
    assert modes[0] == modes[1]
    os.kill(job, signal.SIGTERM)
    t.until(lambda: not members_named(t, "pump"), "the pump to end with the job")
    t.run("stty -g")

    assert re.findall(r"^[0-9a-f:]{40,}\r$", t.text, re.MULTILINE)[2] == modes[0]


def test_a_job_that_was_started_in_the_background_has_our_modes_when_it_comes_to_the_front(through_pty_of):
    t = through_pty_of
    os.mkfifo(t.room / "go", 0o666)
    # The shell edits a line by then, in modes of its own.
    t.run("{ read line <go; exec $W cat; } &")
    t.until(lambda: not termios.tcgetattr(t.master)[3] & termios.ECHO, "the shell to edit a line")
    with open(t.room / "go", "w", encoding="ascii") as go:
        go.write("now\n")
    t.until(lambda: any(map(is_stopped, members_named(t, "cat"))), "the job to read in the background")
    t.run("stopped")
    t.enter("fg")
    t.raw_is_awaited = True
    t.in_foreground()

    t.type("hello\r")
    t.expect("hello\r\nhello\r\n")
    t.key("Ctrl-D")
    t.prompt()
    assert kept(t) == b"hello\r\nhello\r\n"


def test_a_job_that_has_set_its_modes_itself_keeps_them(through_pty_of):
    t = through_pty_of
    t.run("$W sh -c 'trap \"\" TTOU; stty -echo eof Q; kill -STOP $$; stty -a' &")
    t.run("stopped")
    t.enter("fg")

    t.expect("eof = Q")
    t.expect(" -echo ")
    t.prompt()


def test_a_stopped_job_is_hung_up_when_all_that_could_continue_it_is_killed(through_pty_of):
    t = through_pty_of
    t.start(f"$W {WAITING}")
    t.key("Ctrl-Z")
    t.prompt()
    t.run("kill -9 %1")

    t.until(lambda: processes_of(t.room) == [t.shell.pid], "the job and its keeper to end")


def test_who_lives_on_is_not_hung_up(through_pty):
    t = through_pty
    os.mkfifo(t.room / "fifo")
    t.run("$W sh -c 'sh -c \"read x <fifo; echo late; echo done >done\" & echo early'")
    t.run("echo >fifo; lines done 1")
    t.until(lambda: "late" in t.text, "what it says later")
    t.until(lambda: kept(t).endswith(b"late\r\n"), "the file")


def test_a_script_around_the_job_is_interrupted_with_it(through_pty):
    t = through_pty
    (t.room / "script").write_text(f"$W {WAITING}\necho not reached\n", encoding="ascii")
    t.start("bash script")
    t.until(lambda: is_raw(t), "our terminal to be raw")
    t.key("Ctrl-C")
    t.prompt()

    assert "not reached" not in t.text


def test_a_job_that_has_closed_its_terminal_finds_it_again(through_pty):
    t = through_pty
    t.run("$W sh -c 'exec <>/dev/null >&0 2>&0; sleep 0.3; echo asks >/dev/tty; exit 4'; echo status $?")

    assert "asks\r\n" in t.text
    assert "status 4" in t.text
    assert not members_named(t, "pump")
