# SPDX-License-Identifier: MIT
"""What is forbidden to us, or not there for us, costs the record at most: the command runs and ends as it ends, and what is wrong is said."""
import itertools
import re
import sys
from pathlib import Path

import pytest

import forbidden
from support import skip_with_a_sanitizer

FILTER = str(Path(forbidden.__file__).resolve())
NEEDED = ["waitid", "wait4", "kill", "getppid", "getrusage", "rt_sigprocmask", "rt_sigaction", "rt_sigtimedwait", "poll", "ppoll", "futex", "signalfd4"]
OTHERS = sorted(set(forbidden.NUMBERS) - set(NEEDED))
MIB = 1 << 20
WITHOUT_RECORD = re.compile(rb"\Aassay: cannot [^\n]*; running the command without recording it\n\Z")


def under_filter(run_assay, names, error, command, options=(), **start):
    missing = [name for name in names if name not in forbidden.NUMBERS]
    if missing:
        pytest.skip(f"the number of {', '.join(missing)} is not known here")
    if {"rt_sigaction", "prlimit64"} & set(names):
        skip_with_a_sanitizer(run_assay.assay, "cannot start without these calls itself")
    wrapper = [sys.executable, FILTER, error, ",".join(str(forbidden.NUMBERS[name]) for name in names)]
    return run_assay(command, options, wrapper=wrapper, quiet=False, complete=False, **start)


@pytest.mark.parametrize("error", ["EPERM", "ENOSYS"])
@pytest.mark.parametrize("name", NEEDED)
def test_where_a_needed_call_is_forbidden_the_command_runs_without_a_record_and_why_is_said(run_assay, room, user, name, error):
    run = under_filter(run_assay, [name], error, ["sh", "-c", "echo here; exit 7"], user=user)

    assert (run.status, run.stdout) == (7, b"here\n"), run.stderr
    assert WITHOUT_RECORD.match(run.stderr), run.stderr
    assert list(room.glob("run1-*")) == []


def test_so_it_does_where_all_of_them_are(run_assay, room):
    run = under_filter(run_assay, [name for name in NEEDED if name != "rt_sigaction"], "EPERM", ["sh", "-c", "exit 7"],
                       ["-c", "all", "--limit", "wall=1s"])

    assert run.status == 7 and WITHOUT_RECORD.match(run.stderr), run.stderr
    assert list(room.glob("run1-*")) == []


@pytest.mark.parametrize("error", ["EPERM", "ENOSYS"])
@pytest.mark.parametrize("name", OTHERS)
def test_where_another_call_is_forbidden_the_command_ends_as_it_ends(run_assay, name, error):
    run = under_filter(run_assay, [name], error, ["sh", "-c", "exit 7"])

    assert run.status == 7, run.stderr
    if run.info and run.info["state"] == "done":
        assert run.info["outcome"]["exit_code"] == 7


def exec_under(name, limit):
    """A wrapper that sets a limit of its own and becomes what follows; RLIMIT_AS of the interpreter itself is more."""
    code = f"import os, resource, sys; resource.setrlimit(resource.{name}, ({limit}, {limit})); os.execv(sys.argv[1], sys.argv[1:])"
    return [sys.executable, "-c", code]


def under_memory(name, limit):
    """The same for memory, many times over: prlimit starts in a tenth of an interpreter's time."""
    return ["prlimit", f"--{name.removeprefix('RLIMIT_').lower()}={limit}"]


def loads(run_assay, wrapper):
    """Whether the program can be loaded at all: below that nobody of us is there to do or to say anything."""
    process = run_assay.spawn([*wrapper, str(run_assay.assay), "--nonsense"], "loads")
    return process.wait(60) == 2


LEAST = {}
STEP = 16 << 10


def least_to_load(run_assay, name):
    """Halved until it is a step."""
    if name not in LEAST:
        below, enough = -STEP if name == "RLIMIT_DATA" else MIB, 64 * MIB
        assert loads(run_assay, under_memory(name, enough))
        while enough - below > STEP:
            middle = (below + enough) // 2 // STEP * STEP
            if loads(run_assay, under_memory(name, middle)):
                enough = middle
            else:
                below = middle
        LEAST[name] = enough
    return LEAST[name]


def limits_from_least(run_assay, name):
    """From the least with which the program can be loaded at all: in small steps at first, where memory ends in ever other places."""
    limit = least_to_load(run_assay, name)
    yield from range(limit, limit + MIB, STEP)
    yield from range(limit + MIB, limit + 12 * MIB, 512 << 10)


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_with_however_little_memory_the_command_runs_or_why_not_is_said(run_assay, assay, name):
    skip_with_a_sanitizer(assay, "takes terabytes of address space")
    recorded, bare = 0, 0

    for limit in limits_from_least(run_assay, name):
        run = run_assay(["sh", "-c", "exit 7"], wrapper=under_memory(name, limit), quiet=False, complete=False)
        assert run.status == 7, (limit, run.status, run.stderr)
        if run.info and run.info["state"] == "done":
            assert run.info["outcome"]["exit_code"] == 7
            recorded += 1
        else:
            assert run.stderr.startswith(b"assay: ") or b"exited 7" in run.stderr, (limit, run.stderr)
            bare += 1
    assert recorded > 10 and bare > 0


@pytest.mark.parametrize("verb", ["show", "doctor", "export"])
def test_other_verbs_say_that_there_is_no_memory(run_assay, assay, verb):
    skip_with_a_sanitizer(assay, "takes terabytes of address space")
    for limit in itertools.islice(limits_from_least(run_assay, "RLIMIT_AS"), 40):
        status = run_assay.spawn([*under_memory("RLIMIT_AS", limit), str(assay), verb, "nowhere", "--to", "json"], "other").wait(60)
        assert status in (1, 2) and (run_assay.room / "other.stderr").read_bytes().startswith(b"assay: "), (limit, status)


def test_with_however_few_files_a_target_beside_the_command_does_not_keep_it_from_running(run_assay, user):
    recorded, told = 0, 0

    for limit in range(6, 40):
        run = run_assay(["sh", "-c", "exit 7"], ["--target", "user"], wrapper=exec_under("RLIMIT_NOFILE", limit), quiet=False, complete=False, user=user)
        assert run.status == 7, (limit, run.stderr)
        if run.info and run.info["state"] == "done":
            recorded += 1
        else:
            assert run.stderr.startswith(b"assay: ") and b"Too many open files" in run.stderr, (limit, run.stderr)
            told += 1
    assert recorded > 0 and told > 5


@pytest.mark.parametrize("name, limit", [("RLIMIT_SIGPENDING", 0), ("RLIMIT_MEMLOCK", 0), ("RLIMIT_MSGQUEUE", 0), ("RLIMIT_NOFILE", 4),
                                         ("RLIMIT_NOFILE", 8), ("RLIMIT_NPROC", 0)])
def test_no_other_limit_changes_how_the_command_ends(run_assay, user, name, limit):
    run = run_assay(["sh", "-c", "exit 7"], wrapper=exec_under(name, limit), quiet=False, complete=False, user=user)

    assert run.status == 7, run.stderr
    assert b"exited 7" in run.stderr or WITHOUT_RECORD.match(run.stderr), run.stderr
