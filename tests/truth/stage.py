# SPDX-License-Identifier: MIT
"""Processes that do what the test tells them (load actor), and assay attached to them: no step is taken before the one before is known."""
import os
import signal
from pathlib import Path

from support import Started, User, alive, read_info, wait_for

OFTEN = ("-i", "50ms", "--report-interval", "50ms")
# Orders read and answers written, by system calls.
TALK_BYTES = 64 * 1024
# What a process uses from its answer until it waits again, or ends.
TALK_SECONDS = 0.004
CLOCK_TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")


class Nobody(User):
    """A user nobody else is: without an account, a number of this process's own."""

    def __init__(self):
        self.name, self.uid = None, 1_000_000 + os.getpid()
        self.gid = self.uid

    def popen_arguments(self):
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


class Actor:
    """One process, by the name of its pipe."""

    def __init__(self, stage, name):
        self.stage, self.name, self.sent = stage, name, 0
        self.pid, self.parent = None, None

    def _answers(self):
        """Of all its images: an image begins with number 0."""
        return [line for line in self.stage.answers() if line[0] == self.name]

    def _answered(self, number):
        mine = self._answers()
        begun = max((i for i, line in enumerate(mine) if line[1] == 0), default=0)
        return any(line[1] == number for line in mine[begun:])

    def entered(self, images=0):
        """Waits until it is there; after an exec it enters anew."""
        self.sent = 0
        wait_for(lambda: sum(line[1] == 0 for line in self._answers()) > images, f"{self.name} to enter")
        self.pid = self._answers()[-1][2]
        return self

    def tell(self, *words):
        """Gives an order without waiting for it to be done."""
        pipe = os.open(self.stage.room / self.name, os.O_WRONLY | os.O_NONBLOCK)
        os.write(pipe, " ".join(map(str, words)).encode() + b"\n")
        os.close(pipe)
        self.sent += 1
        return self.sent

    def do(self, *words):
        number = self.tell(*words)
        wait_for(lambda: self._answered(number), f"{self.name} to {words[0]}")
        return self

    def fork(self, name):
        child = Actor(self.stage, name)
        child.parent = self
        self.do("fork", name)
        self.stage.actors.append(child)
        return child.entered()

    def leave(self, waited=True):
        """Ends; with `waited` its parent waits for it."""
        number = self.tell("exit")
        wait_for(lambda: self._answered(number) and not alive(self.pid), f"{self.name} to end")
        if waited and self.parent:
            self.parent.do("reap", self.pid)

    @property
    def cpu_seconds(self):
        """Of its own, as it said last; an image after exec goes on with the same clock."""
        return max(line[3] for line in self._answers()) / 1e9

    @property
    def waited_seconds(self):
        return max(line[4] for line in self._answers()) / 1e6


class Stage:
    """Where actors meet; `prefix` of their commands for another namespace or user."""

    def __init__(self, run_assay, room):
        self.run_assay, self.room = run_assay, room / "stage"
        self.room.mkdir()
        self.room.chmod(0o777)
        self.actors, self.processes, self.watches, self.numbers = [], [], [], 0

    def answers(self):
        path = self.room / "answers"
        if not path.exists():
            return []
        words = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
        return [(w[0], int(w[1]), int(w[2]), int(w[3]), int(w[4])) for w in words if len(w) == 5]

    def begin(self, name="first", user=None, wrapper=(), enter=True, env=None):
        """A new actor in a session of its own."""
        os.mkfifo(self.room / name)
        (self.room / name).chmod(0o666)
        argv = [*wrapper, str(self.run_assay.load_path), os.devnull, "actor", str(self.room), name]
        self.processes.append(self.run_assay.spawn(argv, f"actor-{name}", user=user, env=env))
        actor = Actor(self, name)
        self.actors.append(actor)
        return actor.entered() if enter else actor

    def end_of(self, actor):
        """Ends an actor that the test itself is the parent of, and waits for it."""
        actor.tell("exit")
        for process in self.processes:
            if process.pid == actor.pid:
                process.wait(60)

    def attach(self, *words, options=OFTEN, user=None, ready=True, quiet=True, **popen):
        """assay attach to the targets; with `ready` it has begun."""
        self.numbers += 1
        tag = f"attach{self.numbers}"
        prefix = f"{self.room.parent}/{tag}-"
        argv = [str(self.run_assay.assay), "attach", *(["-q"] if quiet else []), "-p", prefix, *options, *map(str, words)]
        watch = Watch(self.run_assay.spawn(argv, tag, user=user, **popen), prefix, self.room.parent, tag,
                      self.run_assay.load_path)
        self.watches.append(watch)
        if ready:
            watch.begun()
        return watch

    def close(self):
        """Ends what a failed test left, by the ids it noted itself."""
        for watch in self.watches:
            if watch.process.poll() is None:
                watch.process.kill()
                watch.process.wait()
        for actor in self.actors:
            command = Path(f"/proc/{actor.pid}/cmdline")
            if actor.pid and alive(actor.pid) and str(self.room).encode() in command.read_bytes():
                os.kill(actor.pid, signal.SIGKILL)
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()


class Watch(Started):
    """An attach under way."""

    def begun(self):
        wait_for(lambda: self.process.poll() is not None or Path(f"{self.prefix}info.json").exists(), "attach to begin")
        assert self.process.poll() is None, self.output("stderr").decode()
        assert read_info(self.prefix)["state"] == "running"
        self.looked()
        return self

    def lines(self):
        try:
            return Path(f"{self.prefix}usage.jsonl").read_bytes().count(b"\n")
        except FileNotFoundError:
            return 0

    def looked(self, windows=2):
        """Waits until a whole look has begun and ended after now: two more windows, when each is one sample."""
        before = self.lines()
        wait_for(lambda: self.lines() >= before + windows or self.process.poll() is not None, f"{windows} more windows")
        assert self.process.poll() is None, self.output("stderr").decode()

    def looked_at_strangers(self):
        """Who was passed by as a stranger is looked at again within 60 samples."""
        self.looked(62)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.finish()

    def beside(self):
        """The records of the further targets of a finished watch, in the order of the words."""
        place = Path(self.prefix).parent
        records = [read_info(str(place / name).removesuffix("info.json")) for name in read_info(self.prefix).get("beside", [])]
        assert all(record["state"] == "done" for record in records)
        return records


def cpu(info):
    return info["headline"]["cpu_seconds"]["value"]


def assert_cpu(info, truth, processes=1, unseen=0.0, above=0.0):
    """Never above the truth by more than what a process used after it told it, and below by no more than what no sample could see and two ticks a process:
    the kernel cuts what it waited for to whole ones, of user and of system time."""
    claim = info["headline"]["cpu_seconds"]
    assert claim["quality"] == "lower_bound", claim
    assert claim["value"] <= truth + processes * (above + TALK_SECONDS), (claim, truth)
    assert claim["value"] >= truth - unseen - processes * (2 * CLOCK_TICK_SECONDS + TALK_SECONDS), (claim, truth)


def assert_cpu_about(info, asked, processes=1):
    """Of what was asked of the processes, not what they say they used: forks and ends of their children come on top of it."""
    assert_cpu(info, asked, processes, above=CLOCK_TICK_SECONDS)


def amount(info, name):
    return info["headline"][name]["value"]
