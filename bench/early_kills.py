#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Kills the keeper, the recorder or both within the first milliseconds of a run, again and again, and counts what came of it.

early_kills.py [--runs N] [--seed SEED] [--most-ms MS] ASSAY. A moment is counted from when the keeper is there, for the recorder alone
every other time from its own start, and is drawn by the seed. Whoever is left
by his parent becomes a child of this program, so that it knows of everybody, and waits for all ends; nobody sleeps. Prints a line for each kind of victim
and what was wrong; exit status 1 when anything was.
"""
import argparse
import collections
import ctypes
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
# Everything ends by itself long before that.
LEFT_AFTER_SECONDS = 30
STATUS = 7
REASONS = ("running the command without recording it",)


class Left(Exception):
    """Somebody does not end."""


def too_late(*_):
    raise Left


def children_of(pid):
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def keeper_of(recorder):
    """As soon as it is there; None when the recorder has ended without one that anybody could see."""
    while os.waitid(os.P_PID, recorder, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        children = children_of(recorder)
        if children:
            return children[0]
    return None


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def begin(assay, room):
    """stderr goes to a file: nobody holds it up."""
    command = ["sh", "-c", f"echo >> {room}/ran; exit {STATUS}"]
    err = os.open(room / "err", os.O_WRONLY | os.O_CREAT, 0o600)
    pid = os.posix_spawn(assay, [assay, "run", "-q", "-p", f"{room}/r_", "--", *command], os.environ,
                         file_actions=[(os.POSIX_SPAWN_DUP2, err, 2)])
    os.close(err)
    return pid


def strike(victims, recorder, after_ns):
    """Kills at a moment, and says who of them was met alive."""
    keeper = keeper_of(recorder) if "keeper" in victims or after_ns % 2 else None
    end = time.monotonic_ns() + after_ns
    while time.monotonic_ns() < end:
        pass
    met = []
    # Both orders, by the moment.
    for victim in victims if after_ns % 2 else reversed(victims):
        pid = keeper if victim == "keeper" else recorder
        if pid and kill(pid):
            met.append(victim)
    return met


def wait_for_all(recorder):
    """The recorder's status; Left when somebody lives on."""
    status = None
    signal.alarm(LEFT_AFTER_SECONDS)
    try:
        while True:
            pid, ended = os.wait()
            if pid == recorder:
                status = os.waitstatus_to_exitcode(ended)
    except ChildProcessError:
        return status
    finally:
        signal.alarm(0)


def end_those_left():
    """They are this program's children, or children of those."""
    left = children_of(os.getpid())
    for pid in left:
        for other in (*children_of(pid), pid):
            kill(other)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return left


def judge(victims, status, room):
    """What is there to complain about, and what kind of end it was."""
    ran = len((room / "ran").read_text(encoding="ascii")) if (room / "ran").exists() else 0
    said = (room / "err").read_text(encoding="utf-8", errors="replace")
    info = json.loads((room / "r_info.json").read_text(encoding="utf-8")) if (room / "r_info.json").exists() else None
    wrong = []
    if ran > 1:
        wrong.append("ran twice")
    if victims == ("keeper",):
        if not ran:
            wrong.append("not started")
        if status != STATUS:
            wrong.append(f"status {status}")
        if info is None and not any(reason in said for reason in REASONS):
            wrong.append(f"no record and no reason: {said!r}")
        if info and info["state"] != "done":
            wrong.append("the record was not finished")
    if info and info["state"] == "done" and info["outcome"].get("exit_code") != STATUS:
        wrong.append(f"the record says {info['outcome']}")
    if info and info["state"] == "done" and not ran:
        wrong.append("a record of a command that never ran")
    return wrong, ("ran" if ran else "never ran") + ", " + (info["state"] + " record" if info else "no record")


def series(assay, victims, runs, draw, most_ns):
    kinds, complaints, met = collections.Counter(), collections.Counter(), 0
    for _ in range(runs):
        room = Path(tempfile.mkdtemp(prefix="early-kills-"))
        recorder = begin(assay, room)
        # A moment in which all of them had ended already is none.
        met += len(strike(victims, recorder, draw.randrange(most_ns))) == len(victims)
        try:
            status = wait_for_all(recorder)
        except Left:
            complaints[f"left over: {len(end_those_left())}"] += 1
        else:
            wrong, kind = judge(victims, status, room)
            kinds[kind] += 1
            complaints.update(wrong)
        shutil.rmtree(room)
    print(f"{' and '.join(victims)}: {runs} runs, {met} met: "
          + "; ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
    for complaint, n in complaints.most_common():
        print(f"  WRONG, {n} times: {complaint}")
    return sum(complaints.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-ms", type=float, default=5)
    parser.add_argument("assay")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGALRM, too_late)
    draw = random.Random(options.seed)
    wrong = sum(series(os.path.abspath(options.assay), victims, options.runs, draw, int(options.most_ms * 1e6))
                for victims in (("keeper",), ("recorder",), ("keeper", "recorder")))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
