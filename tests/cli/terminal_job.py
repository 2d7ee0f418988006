# SPDX-License-Identifier: MIT
"""The jobs of the terminal tests: programs that say what happens to them. The first argument names one."""
import os
import select
import signal
import sys
from pathlib import Path


def say(text, out=None):
    with open(out, "a", encoding="ascii") if out else os.fdopen(os.dup(1), "w", encoding="ascii") as file:
        file.write(text + "\n")


def sender(info):
    """Who sent a signal: assay would be neither."""
    if info.si_code > 0:
        return "the kernel"
    group_leader_parent = int(Path(f"/proc/{os.getpgrp()}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
    return "the shell" if info.si_pid in (os.getsid(0), group_leader_parent) else "somebody else"


def wait_for_line():
    """A line of input, or None when a signal came first; none is missed, as one that comes just before a read would be."""
    if os.tcgetpgrp(0) != os.getpgrp():
        return sys.stdin.readline().strip()  # not select(): only a read from the background is stopped
    ready = select.select([0, woken], [], [])[0]
    if woken in ready:
        os.read(woken, 64)
        return None
    return sys.stdin.readline().strip()


def say_line():
    while (line := wait_for_line()) is None:
        continue
    say(f"read {line}")


def signals(names, count, out=None):
    """Names each of these signals as it comes, with its sender, until `count` have come."""
    wanted = [getattr(signal, f"SIG{name}") for name in names.split(",")]
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    say("ready", out)
    for _ in range(int(count)):
        info = signal.sigwaitinfo(wanted)
        say(f"{signal.Signals(info.si_signo).name} from {sender(info)}", out)
    sys.exit(5)


def plain(names, count, out=None):
    """The same without the sender, for signals that assay hands on."""
    wanted = [getattr(signal, f"SIG{name}") for name in names.split(",")]
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    say("ready", out)
    for _ in range(int(count)):
        say(signal.Signals(signal.sigwait(wanted)).name, out)
    sys.exit(5)


def stubborn():
    """Ignores the first Ctrl-C, warns at the second, ends by the third."""
    answers = ["ignored", "once more and it ends"]

    def answer(number, _):
        text = answers.pop(0)
        if not answers:
            signal.signal(number, signal.SIG_DFL)
        say(text)

    signal.signal(signal.SIGINT, answer)
    say("ready")
    say_line()


def caught():
    """Cleans up at Ctrl-C and ends with a status of its own."""
    def clean(*_):
        say("cleaning")
        sys.exit(3)

    signal.signal(signal.SIGINT, clean)
    say("ready")
    say_line()


def suspend(by):
    """Handles Ctrl-Z: cleans up, then stops itself alone by a signal; ends with the line that it reads after that."""
    number = getattr(signal, f"SIG{by}")

    def clean(*_):
        say("cleaning")
        handler = signal.signal(number, signal.SIG_DFL) if number != signal.SIGSTOP else None
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTSTP])
        os.kill(os.getpid(), number)
        if handler:
            signal.signal(number, handler)
        say("back")

    signal.signal(signal.SIGTSTP, clean)
    say("ready")
    say_line()


def never_stops():
    """Handles Ctrl-Z and goes on."""
    signal.signal(signal.SIGTSTP, lambda *_: say("not now"))
    say("ready")
    say_line()


def sizes(count):
    """Names the window's size at each SIGWINCH."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH, signal.SIGINT])
    say("ready")
    for _ in range(int(count)):
        info = signal.sigwaitinfo([signal.SIGWINCH, signal.SIGINT])
        size = os.get_terminal_size(0)
        say(f"{signal.Signals(info.si_signo).name} from {sender(info)}: {size.columns} x {size.lines}")


def facts():
    """What job control rests on."""
    leader = Path(f"/proc/{os.getpgrp()}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    session = os.getsid(0)
    say(f"the group leader's parent leads the session: {int(leader[1]) == session}")
    say(f"the group leader is in our session: {int(leader[3]) == session}")
    terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    say(f"our group has the terminal: {os.tcgetpgrp(terminal) == os.getpgrp()}")
    os.close(terminal)
    say(f"terminals: {[fd for fd in range(3) if os.isatty(fd)]}")
    say(f"descriptors: {sorted(os.listdir('/proc/self/fd'), key=int)[:-3]}")  # less the pipe and the folder
    status = dict(line.split(":\t") for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines())
    say(f"blocked {status['SigBlk']}, caught {status['SigCgt']}")
    ignored = int(status["SigIgn"], 16)
    say(f"ignored {[n for n in range(1, 65) if ignored >> (n - 1) & 1]}")


if __name__ == "__main__":
    woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(wake)
    {"signals": signals, "plain": plain, "stubborn": stubborn, "caught": caught, "suspend": suspend,
     "never-stops": never_stops, "sizes": sizes, "facts": facts}[sys.argv[1]](*sys.argv[2:])
