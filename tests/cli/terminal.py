# SPDX-License-Identifier: MIT
"""A real interactive bash on a terminal of its own: types keys, waits for what happens, and keeps all that was shown."""
import contextlib
import errno
import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from support import DEADLINE_SECONDS, User, alive, fields_of, state_of

KEYS = {"Ctrl-C": b"\x03", "Ctrl-D": b"\x04", "Ctrl-Z": b"\x1a", "Ctrl-\\": b"\x1c", "Escape": b"\x1b", "Enter": b"\r"}
PROMPT = r"<\d+>\$ "  # the exit status of what ran before, so that every transcript holds them all
WAITING = "sh -c 'echo ready; exec sleep 100'"
JOB = Path(__file__).resolve().parent / "terminal_job.py"
# A summary and its notes: from the word at its beginning to the last indented line, colours included.
SUMMARY = re.compile(r"(?:\x1b\[[\d;]*m)?assay: [^\n]*\r\n(?:  [^\n]*\r\n)*")
ROWS, COLUMNS = 24, 132
# What the shell says of a job in the background comes before the first prompt after it noticed. These wait until it has noticed.
RC = """
stopped() { until [ "$(jobs -s)" ]; do :; done; return 0; }
running() { until [ "$(jobs -r)" ]; do :; done; return 0; }
gone() { while [ "$(jobs -r; jobs -s)" ]; do :; done; return 0; }
lines() { local of; until mapfile -t of <"$1" && [ ${#of[@]} -ge "$2" ]; do :; done; } 2>/dev/null
PS1='<$?>$ '
"""


def words_of(pid):
    """The words of its command line; none when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return [""]


def is_stopped(pid):
    return (state_of(pid) or "X") in "Tt"


def processes_of(room):
    """Every process that lives with `room` as its home, wherever it went: no session, group or parent hides it."""
    marker = f"HOME={room}\0".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if marker in (path / "environ").read_bytes() and alive(path.name):
                found.append(int(path.name))
    return found


def kill_all_of(room):
    """Again and again, for what is being forked meanwhile."""
    end = time.monotonic() + DEADLINE_SECONDS
    while (left := processes_of(room)):
        assert time.monotonic() < end, f"cannot be killed: {left}"
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def own_terminal():
    """In the child: the terminal at its standard input controls its new session; no core, no signal ignored or blocked."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


class Terminal:
    """Everything typed is waited for, so that no key comes too early; `text` is all that was shown so far."""

    def __init__(self, room, wrapper, user=None, argv=("bash", "--rcfile", "rc", "-i")):
        self.room, self.text, self.seen = room, "", 0
        self.master, slave = pty.openpty()
        os.set_blocking(self.master, False)
        self.environment = self.environment_of(wrapper)
        try:
            self.resize(ROWS, COLUMNS)
            user = user or User()
            os.fchown(slave, user.uid, user.gid)
            # pylint: disable-next=subprocess-popen-preexec-fn
            self.shell = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, cwd=room, env=self.environment,
                                          preexec_fn=own_terminal, **user.popen_arguments())
        except BaseException:
            os.close(self.master)
            raise
        finally:
            os.close(slave)

    def environment_of(self, wrapper):
        """$W is the wrapper or nothing, so that what is typed, echoed and listed by `jobs` is the same with and without."""
        (self.room / "inputrc").write_text("set enable-bracketed-paste off\n", encoding="ascii")
        (self.room / "rc").write_text(RC, encoding="ascii")
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
        return {**kept, "HOME": str(self.room), "TERM": "xterm", "LC_ALL": "C", "HISTFILE": "", "LESSHISTFILE": "-",
                "INPUTRC": str(self.room / "inputrc"), "W": wrapper, "J": f"{sys.executable} -I -S {JOB}",
                "PYTHON": sys.executable}

    # What is shown

    def pump(self, seconds):
        """Takes in what is shown, waiting at most that long for it; false when the other side is closed."""
        if self.master < 0:
            return False
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except BlockingIOError:
            return True
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return False
        self.text += data.decode("latin-1")
        return data != b""

    def until(self, condition, what):
        """Takes in what is shown until `condition` holds; its value."""
        end = time.monotonic() + DEADLINE_SECONDS
        while not (value := condition()):
            assert time.monotonic() < end, f"after {DEADLINE_SECONDS} s still waiting for {what}; shown:\n{self.text}"
            if not self.pump(0.01):
                time.sleep(0.01)
        return value

    def expect(self, pattern):
        """Waits until `pattern` is shown after what was expected before."""
        compiled = re.compile(pattern)
        end = time.monotonic() + DEADLINE_SECONDS
        while not (match := compiled.search(self.text, self.seen)):
            assert time.monotonic() < end, f"after {DEADLINE_SECONDS} s not shown: {pattern!r}; shown:\n{self.text}"
            if not self.pump(1.0):
                match = compiled.search(self.text, self.seen)
                assert match, f"the terminal was closed before it showed {pattern!r}; shown:\n{self.text}"
        self.seen = match.end()
        return match

    def prompt(self):
        """The shell is back: its prompt is shown, and it has the terminal."""
        self.expect(PROMPT)
        self.until(lambda: self.foreground() == self.shell.pid, "the shell to have its terminal")

    # What is typed

    def type(self, text):
        data = text.encode("latin-1")
        while data:
            select.select([], [self.master], [], 1.0)
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self.master, data):]

    def key(self, name):
        self.type(KEYS[name].decode("latin-1"))

    def enter(self, line):
        """A line to the shell or a program that echoes it; returns when the echo is complete."""
        self.type(line + "\r")
        self.expect(re.escape(line + "\r\n"))

    def run(self, line):
        self.enter(line)
        self.prompt()

    def start(self, line, shows="ready\r\n"):
        """Starts a command in the foreground and waits until it shows that it runs."""
        self.enter(line)
        self.expect(shows)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # Who is there

    def foreground(self):
        return os.tcgetpgrp(self.master)

    def in_foreground(self, states="RSD"):
        """Waits until a job has the terminal and nothing of it is stopped: the shell gives it the terminal first and lets it run then, and
        the kernel drops a Ctrl-Z that comes between."""
        def runs():
            group = self.foreground()
            members = [fields for fields in map(fields_of, processes_of(self.room)) if fields and fields[2] == str(group)]
            return group != self.shell.pid and members and all(fields[0] in states for fields in members)

        self.until(runs, f"a job to have the terminal, all of it in one of the states {states}")

    def settled(self):
        """Waits until all of the job in the foreground sleeps."""
        self.in_foreground("S")

    def jobs(self):
        """The children of the shell: the leader of each job's group."""
        return [int(word) for word in
                Path(f"/proc/{self.shell.pid}/task/{self.shell.pid}/children").read_text(encoding="ascii").split()]

    def asleep(self, program):
        """Waits until `program` waits for something: to some, a signal that comes just before that is lost until the next key."""
        def sleeps():
            found = [pid for pid in processes_of(self.room) if words_of(pid)[0] == program]
            return found and all(state_of(pid) == "S" for pid in found)

        self.until(sleeps, f"{program} to wait")

    def hang_up(self):
        os.close(self.master)
        self.master = -1

    def close(self):
        if self.master >= 0:
            self.hang_up()
        kill_all_of(self.room)
        self.shell.kill()
        self.shell.wait()


@contextlib.contextmanager
def terminal(room, wrapper, **arguments):
    opened = Terminal(room, wrapper, **arguments)
    try:
        yield opened
    finally:
        opened.close()


@contextlib.contextmanager
def in_a_terminal(room, assay, wrapper, **arguments):
    """A shell in a room of its own; `wrapper` says what $W is."""
    room = room / (wrapper or "bare")
    room.mkdir()
    room.chmod(0o1777)
    command = {"quiet": f"{assay} run -q --", "summary": f"{assay} run --"}.get(wrapper, "")
    with terminal(room, command, **arguments) as opened:
        yield opened


def transcript(text):
    """What was shown without what differs by chance: the process ids in what shells say of jobs, the numbers that top shows.
    Summaries are cut out."""
    text = SUMMARY.sub("", text)
    text = re.sub(r"\[(\d+)\] \d+\r\n", r"[\1] PID\r\n", text)  # started in the background
    text = re.sub(r"(\[\d+\][-+ ]) *\d+ (?=\S)", r"\1 PID ", text)  # jobs -l
    text = re.sub(r"(: line \d+:) +\d+ ", r"\1 PID ", text)  # a script's job ended by a signal
    return re.sub(r"top - .*? COMMAND.*? bash", lambda top: re.sub(r" *\d[\d.:]*", " N", top[0]), text, flags=re.DOTALL)
