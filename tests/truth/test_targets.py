# SPDX-License-Identifier: MIT
"""What is measured of what runs already: each kind of target against processes that come, go and change, by their own account."""
import os
import signal
import subprocess

import pytest

from checks import MIB
from stage import CLOCK_TICK_SECONDS, OFTEN, TALK_BYTES, TALK_SECONDS, Nobody, amount, assert_cpu, cpu

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


# Nobody else's, of whoever runs these tests at the same time neither.
NAME = f"load-{os.getpid()}"


def of(info, *names):
    return tuple(info["target"][name] for name in names)


WORDS = {
    "tree": lambda a: a.pid, "session": lambda a: f"session:{a.pid}", "group": lambda a: f"group:{a.pid}",
    "pids": lambda a: f"pids:{a.pid}", "name": lambda a: f"name:{NAME}", "match": lambda a: f"match:^[^ ]*load .*actor {a.stage.room} ",
}


@pytest.mark.parametrize("kind", WORDS)
def test_each_kind_counts_what_is_used_while_it_is_watched_and_no_more(stage, kind, user):
    first = stage.begin(user=user)
    first.do("name", NAME).do("burn", 300)
    before = first.cpu_seconds
    watch = stage.attach(WORDS[kind](first), user=user)
    first.do("burn", 400)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert run.status == 0
    assert run.info["target"]["kind"] == kind
    assert run.info["outcome"]["words"] == "the target ended"
    assert of(run.info, "at_start", "seen", "left") == (1, 1, 0)
    assert run.info["target"]["before"]["cpu_seconds"] == pytest.approx(before, abs=TALK_SECONDS)
    assert_cpu(run.info, first.cpu_seconds - before)


@pytest.mark.parametrize("word", ["tree", "session", "group", "match"])
def test_children_that_are_waited_for_are_counted_seen_or_not(stage, word, user):
    first = stage.begin(user=user)
    watch = stage.attach(WORDS[word](first), user=user)
    child = first.fork("child")
    child.do("burn", 200)
    watch.looked()
    child.do("burn", 100)
    child.leave()
    first.do("burst", 20, 10)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    truth = first.cpu_seconds + first.waited_seconds
    if word == "match":
        # found by its own command line: each is counted as itself, those too short are not
        assert_cpu(run.info, truth, 2, unseen=0.2 + 0.1)
    else:
        assert_cpu(run.info, truth, 2)
    assert run.info["target"]["seen"] >= 2


@pytest.mark.parametrize("word", ["tree", "session"])
def test_a_line_of_ends_between_two_looks_is_counted_once(stage, word):
    first = stage.begin()
    watch = stage.attach(WORDS[word](first))
    middle = first.fork("middle")
    last = middle.fork("last")
    last.do("burn", 400)
    watch.looked()
    # all in one go: what nobody saw of it is its end
    watch.process.send_signal(signal.SIGSTOP)
    last.leave()
    middle.leave()
    watch.process.send_signal(signal.SIGCONT)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert_cpu(run.info, first.cpu_seconds + first.waited_seconds, 3)


def test_children_nobody_waits_for_are_kept_from_their_samples(stage):
    first = stage.begin()
    first.do("ignore")
    watch = stage.attach(first.pid)
    child = first.fork("child")
    child.do("burn", 300).do("write", os.devnull, 8)
    watch.looked()
    child.leave(waited=False)
    watch.looked()
    first.do("burn", 50)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert first.waited_seconds == 0
    assert_cpu(run.info, first.cpu_seconds + child.cpu_seconds, 2)
    assert 8 * MIB <= amount(run.info, "io_write_syscall_bytes") <= 8 * MIB + TALK_BYTES


def test_an_old_child_brings_nothing_of_its_past_when_it_is_waited_for(stage):
    first = stage.begin()
    child = first.fork("child")
    child.do("burn", 1000).do("write", os.devnull, 64)
    past = child.cpu_seconds
    watch = stage.attach(first.pid, f"session:{first.pid}")
    child.do("burn", 200).do("write", os.devnull, 4)
    watch.looked()
    child.leave()
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    truth = first.cpu_seconds + child.cpu_seconds - past
    for info in (run.info, *watch.beside()):
        assert_cpu(info, truth, 2)
        assert 4 * MIB <= amount(info, "io_write_syscall_bytes") <= 4 * MIB + TALK_BYTES


def test_an_old_child_outside_brings_nothing_when_a_member_waits_for_it(stage):
    first = stage.begin()
    outside = first.fork("outside")
    outside.do("setsid").do("burn", 1000).do("write", os.devnull, 64)
    watch = stage.attach(f"session:{first.pid}")
    outside.do("burn", 300)
    watch.looked()
    outside.leave()
    first.do("burn", 100)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert of(run.info, "at_start", "seen", "left") == (1, 1, 0)
    assert_cpu(run.info, 0.1, 2)
    assert amount(run.info, "io_write_syscall_bytes") <= TALK_BYTES


def test_what_children_had_used_below_a_tick_is_not_claimed_with_what_fills_it(stage, user):
    """The kernel tells of it in whole ticks: 8 ms of before are none, and with 3 ms more one."""
    first = stage.begin(user=user)
    members = [first.fork(f"member{number}") for number in range(16)]
    for member in members:
        member.do("burst", 1, 8)
    before = sum(member.cpu_seconds + member.waited_seconds for member in members)
    watch = stage.attach(f"session:{first.pid}", user=user)
    for member in members:
        member.do("burst", 1, 3)
    watch.looked()
    run = watch.stop()
    truth = sum(member.cpu_seconds + member.waited_seconds for member in members) - before
    for member in members:
        member.leave()
    stage.end_of(first)

    assert_cpu(run.info, truth + first.cpu_seconds, 17)


def unseen(watch, *steps):
    """The steps while nobody looks."""
    watch.process.send_signal(signal.SIGSTOP)
    for step in steps:
        step()
    watch.process.send_signal(signal.SIGCONT)
    watch.looked(4)


@pytest.mark.parametrize("followed", [False, True], ids=["stranger", "followed"])
@pytest.mark.parametrize("kind", ["group", "name", pytest.param("user", marks=needs_root)])
def test_who_was_born_outside_brings_nothing_of_before_it_joined(stage, kind, followed):
    nobody, room = Nobody(), []
    first = stage.begin()
    member = first.fork("member")
    steps = {"group": ("setpgid", member.pid), "name": ("name", NAME), "user": ("setuid", nobody.uid)}
    word = {"group": f"group:{member.pid}", "name": f"name:{NAME}", "user": f"user:{nobody.uid}"}[kind]
    member.do(*(("setpgid", 0) if kind == "group" else steps[kind]))
    watch = stage.attach(word, *([first.pid] if followed else []))
    if followed:
        room.append(first.fork("guest"))
        watch.looked(4)
    unseen(watch, lambda: followed or room.append(first.fork("guest")), lambda: room[0].do("burn", 300).do("write", os.devnull, 10),
           lambda: room[0].do(*steps[kind]))
    (guest,) = room
    before = guest.cpu_seconds
    guest.do("burn", 200).do("write", os.devnull, 2)
    watch.looked()
    run = watch.stop()
    guest.leave()
    member.leave()
    stage.end_of(first)

    assert of(run.info, "at_start", "seen") == (1, 2)
    # The guest answers once before it is looked at, and the member does not move.
    assert_cpu(run.info, guest.cpu_seconds - before, 2)
    assert 2 * MIB <= amount(run.info, "io_write_syscall_bytes") <= 2 * MIB + TALK_BYTES


def leave_by(stage, watch, child, *words):
    """Burns 200 ms inside and, after the step, 300 ms outside; both looked at."""
    child.do("burn", 200)
    watch.looked()
    inside = child.cpu_seconds
    child.do(*words)
    watch.looked()
    child.do("burn", 300)
    watch.looked()
    return inside


@pytest.mark.parametrize("word, step", [("session", ["setsid"]), ("group", ["setpgid", 0]), ("name", ["name", "other"])])
def test_who_leaves_leaves_what_was_seen_of_it(stage, word, step):
    first = stage.begin()
    first.do("name", NAME)
    watch = stage.attach(WORDS[word](first))
    child = first.fork("child")
    inside = leave_by(stage, watch, child, *step)
    child.leave()
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert of(run.info, "seen", "left") == (2, 1)
    assert_cpu(run.info, first.cpu_seconds + inside, 2)


def test_who_changes_its_group_to_and_fro_is_counted_while_it_is_there(stage):
    first = stage.begin()
    watch = stage.attach(f"group:{first.pid}", f"session:{first.pid}")
    child = first.fork("child")
    inside = 0
    for _ in range(2):
        start = child.cpu_seconds
        child.do("burn", 150)
        watch.looked()
        inside += child.cpu_seconds - start
        child.do("setpgid", child.pid)
        watch.looked()
        child.do("burn", 100)
        watch.looked()
        child.do("setpgid", first.pid)
        watch.looked()
    child.leave()
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert run.info["target"]["left"] == 2
    assert_cpu(run.info, first.cpu_seconds + inside, 3)
    (session,) = watch.beside()
    assert session["target"]["left"] == 0
    assert_cpu(session, first.cpu_seconds + child.cpu_seconds, 2)


def test_who_was_forgotten_and_comes_back_brings_nothing_it_did_before(stage):
    resident = stage.begin("resident")
    resident.do("name", NAME)
    watch = stage.attach(f"name:{NAME}")
    guest = stage.begin("guest")
    guest.do("burn", 200).do("write", os.devnull, 16)
    watch.looked(4)
    inside = 0
    for _ in range(2):
        guest.do("name", NAME)
        watch.looked_at_strangers()
        start = guest.cpu_seconds
        guest.do("burn", 200)
        inside += guest.cpu_seconds - start
        watch.looked()
        guest.do("name", "elsewhere").do("burn", 1)
        watch.looked()
        guest.do("burn", 200)
        watch.looked()
    stage.end_of(guest)
    stage.end_of(resident)
    run = watch.finish()

    assert of(run.info, "seen", "left") == (3, 2)
    assert_cpu(run.info, resident.cpu_seconds + inside, 3)
    assert amount(run.info, "io_write_syscall_bytes") <= TALK_BYTES


def test_of_a_tree_nobody_leaves_by_setsid_setpgid_exec_or_adoption(stage):
    first = stage.begin()
    watch = stage.attach(first.pid, options=[*OFTEN, "--wait-all"])
    middle = first.fork("middle")
    last = middle.fork("last")
    last.do("setsid").do("burn", 100)
    watch.looked()
    middle.leave()
    watch.looked()
    last.do("burn", 100)
    last.tell("exec", "renamed")
    last.entered(images=1)
    last.do("burn", 200)
    watch.looked()
    stage.end_of(first)
    watch.looked()
    last.do("burn", 100)
    watch.looked()
    last.leave(waited=False)
    run = watch.finish()

    assert of(run.info, "at_start", "seen", "left") == (1, 3, 0)
    assert_cpu(run.info, sum(a.cpu_seconds for a in (first, middle, last)), 3)


def test_a_tree_ends_with_its_first_process_and_lists_who_is_left(stage):
    first = stage.begin()
    watch = stage.attach(first.pid)
    child = first.fork("child")
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert run.status == 0 and run.info["outcome"]["evidence"] == "its first process has ended"
    assert [p["pid"] for p in run.info["processes"]["survivors"]] == [child.pid]
    child.leave(waited=False)


@needs_root
def test_who_changes_its_user_leaves_and_joins(stage):
    nobody = Nobody()
    first = stage.begin()
    resident = stage.begin("resident", user=nobody)
    watch = stage.attach(f"user:{nobody.uid}")
    child = first.fork("child")
    child.do("burn", 100)
    watch.looked()
    watch.looked()
    watch.looked()
    before = child.cpu_seconds
    child.do("setuid", nobody.uid)
    child.tell("exec", "renamed")
    child.entered(images=1)
    watch.looked_at_strangers()
    child.do("burn", 300)
    watch.looked()
    child.leave()
    watch.looked()
    stage.end_of(resident)
    run = watch.finish()

    assert of(run.info, "at_start", "seen") == (1, 2)
    assert 0.3 <= cpu(run.info) <= resident.cpu_seconds + child.cpu_seconds - before + 3 * CLOCK_TICK_SECONDS
    stage.end_of(first)


def test_another_users_process_is_watched_with_one_line_of_warning(stage, ordinary_user):
    if os.geteuid() != 0:
        pytest.skip("needs root to be somebody else's")
    first = stage.begin()
    watch = stage.attach(first.pid, user=ordinary_user, quiet=False)
    first.do("burn", 200)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()
    said = [line for line in run.stderr.decode().splitlines() if "may not be read" in line]

    assert run.status == 0
    assert len(said) == 1 and "PSS, I/O and open files of 1 of 1 processes" in said[0], run.stderr
    assert_cpu(run.info, 0.2)
    assert "io_write_syscall_bytes" not in run.headline
    assert run.info["target"]["io_unreadable"] >= 0


def refused(run_assay, words, user=None):
    process = run_assay.spawn([str(run_assay.assay), "attach", "-q", "-p", f"{run_assay.room}/none/", *words], "refused", user=user)
    status = process.wait(60)
    said = (run_assay.room / "refused.stderr").read_text()
    assert status == 2 and said.count("\n") == 1, (status, said)
    assert not (run_assay.room / "none").exists(), list((run_assay.room / "none").iterdir())
    return said


def ended_pid():
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def kernel_thread():
    return next((int(p) for p in os.listdir("/proc") if p.isdigit() and
                 int(open(f"/proc/{p}/stat", encoding="latin-1").read().rpartition(")")[2].split()[6]) & 0x200000), None)


def test_what_is_not_there_is_one_line(run_assay, user):
    for words, says in ((f"{ended_pid()}", "no process"), ("name:nobody-has-this", "no process"), ("user:no-such-user", "no-such-user"),
                        (f"session:{ended_pid()}", "no process"), ("cgroup:/no/such/cgroup", "cgroup"),
                        ("container:nosuchcontainer", "nosuchcontainer"), ("slurm:4294900000", "4294900000")):
        assert says in refused(run_assay, [words], user), words


def test_a_kernel_thread_is_one_line(run_assay, user):
    pid = kernel_thread()
    if pid is None:
        pytest.skip("no kernel thread can be seen here")
    assert "kernel" in refused(run_assay, [str(pid)], user)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda n: n.name)
def test_a_signal_ends_the_watch_with_a_complete_record(stage, number, user):
    first = stage.begin(user=user)
    watch = stage.attach(first.pid, user=user)
    first.do("burn", 100)
    watch.looked()
    run = watch.stop(number)

    assert run.status == 0
    assert number.name in run.info["outcome"]["words"]
    assert_cpu(run.info, 0.1)
    first.do("burn", 1)
    stage.end_of(first)


def test_a_watch_for_a_time_ends_by_itself(stage):
    first = stage.begin()
    run = stage.attach(first.pid, options=[*OFTEN, "--for", "0.4s"]).finish()

    assert run.status == 0 and "0.4" in run.info["outcome"]["words"], run.info["outcome"]
    assert run.info["time"]["wall_seconds"] >= 0.4
    assert run.info["target"]["living"] == 1
    stage.end_of(first)
