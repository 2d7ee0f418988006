# SPDX-License-Identifier: MIT
"""One workload, seen at once by the run that started it and by attach to its tree, group, session, user and cgroup: the same totals."""
import os

import pytest

from checks import MIB
from stage import CLOCK_TICK_SECONDS, OFTEN, TALK_BYTES, TALK_SECONDS, Nobody, Actor, amount, assert_cpu_about, cpu
from support import fields_of, skip_with_a_sanitizer
from test_targets_places import move, unique

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be another user and to make a cgroup")


def begin_run(stage, user, options):
    """The first actor as the command of `assay run`."""
    os.mkfifo(stage.room / "first")
    (stage.room / "first").chmod(0o666)
    run = stage.run_assay.start(["LOAD", os.devnull, "actor", str(stage.room), "first"], options, user=user)
    actor = Actor(stage, "first")
    stage.actors.append(actor)
    return run, actor.entered()


def work(stage, first, look):
    """Children seen and unseen, below each other, all waited for; returns who did it."""
    first.do("burn", 150)
    child, other = first.fork("child"), first.fork("other")
    grandchild = child.fork("grandchild")
    for actor in (child, other, grandchild):
        actor.do("burn", 100).do("write", os.devnull, 4)
    look()
    grandchild.do("burn", 100)
    grandchild.leave()
    child.do("burst", 10, 10)
    child.leave()
    look()
    first.do("burst", 10, 10)
    other.do("burn", 100).do("write", os.devnull, 2)
    look()
    other.leave()
    look()
    return 14 * MIB


@needs_root
@pytest.mark.parametrize("options", [[], OFTEN], ids=["default", "often"])
def test_one_workload_has_the_same_totals_for_run_and_for_each_target(stage, made_cgroup, options):
    nobody, path = Nobody(), unique()
    place = made_cgroup("v1", path)
    run, first = begin_run(stage, nobody, options)
    move(first, place)
    _, _, group, session = fields_of(first.pid)[:4]
    words = [first.pid, f"group:{group}", f"session:{session}", f"user:{nobody.uid}", f"cgroup:/{path}"]
    first.do("burn", 100)
    before = first.cpu_seconds
    alone = [stage.attach(word, options=options, ready=bool(options)) for word in words]
    together = stage.attach(*words, options=options, ready=bool(options))
    for watch in (*alone, together):
        watch.running_info()
    written = work(stage, first, together.looked if options else lambda: None)
    infos = [watch.stop().info for watch in (*alone, together)] + together.beside()
    truth = first.cpu_seconds - before + first.waited_seconds
    first.tell("exit")
    whole = run.finish()

    assert cpu(whole.info) == pytest.approx(truth + before, abs=2 * CLOCK_TICK_SECONDS)
    # of the job's user, session and group are the processes of assay run as well
    own = whole.info["self"]["cpu_seconds"] + 4 * CLOCK_TICK_SECONDS
    for info in infos:
        kind, claim = info["target"]["kind"], info["headline"]["cpu_seconds"]
        if kind == "cgroup":
            assert claim["quality"] == "exact", claim
            assert claim["value"] == pytest.approx(truth, abs=25 * TALK_SECONDS), (claim, truth)
        elif kind in ("user", "session", "group"):
            assert truth - 4 * CLOCK_TICK_SECONDS <= claim["value"] <= truth + own, (claim, truth, own)
        else:
            assert_cpu_about(info, truth, 4)
        beside = 0 if kind in ("tree", "cgroup") else sum(f.stat().st_size for f in stage.room.parent.glob("run1-*"))
        assert written <= amount(info, "io_write_syscall_bytes") <= written + beside + TALK_BYTES, (kind, written)


def test_targets_beside_each_other_have_the_numbers_they_have_alone(stage):
    first = stage.begin()
    words = [first.pid, f"session:{first.pid}", f"group:{first.pid}", f"pids:{first.pid}", f"match:^[^ ]*load .* {stage.room} first$",
             f"session:{first.pid}+group:{first.pid}"]
    together = stage.attach(*words)
    alone = [stage.attach(word) for word in words]
    child = first.fork("child")
    child.do("burn", 200)
    for watch in (together, *alone):
        watch.looked()
    child.leave()
    first.do("burn", 100)
    for watch in (together, *alone):
        watch.looked()
    stopped = together.stop()
    infos = [stopped.info, *together.beside()]
    singles = [watch.stop().info for watch in alone]

    for info, single in zip(infos, singles):
        assert info["target"]["text"] == single["target"]["text"]
        assert cpu(info) == pytest.approx(cpu(single), abs=CLOCK_TICK_SECONDS + TALK_SECONDS), info["target"]["text"]
        assert info["target"]["seen"] == single["target"]["seen"]
        assert amount(info, "io_write_syscall_bytes") == pytest.approx(amount(single, "io_write_syscall_bytes"), abs=TALK_BYTES)
    assert [info["target"]["seen"] for info in infos] == [2, 2, 2, 1, 2, 2]
    stage.end_of(first)


@needs_root
def test_a_run_inside_a_users_target_is_counted_once_though_its_keeper_reaps(stage, assay):
    skip_with_a_sanitizer(assay, "looks for leaks when the run has told what it used itself, and the target has that too")
    nobody = Nobody()
    resident = stage.begin("resident", user=nobody)
    watch = stage.attach(f"user:{nobody.uid}")
    run, first = begin_run(stage, nobody, OFTEN)
    middle = first.fork("middle")
    last = middle.fork("last")
    last.do("burn", 300)
    watch.looked()
    middle.leave()
    watch.looked()
    last.do("burn", 100)
    watch.looked()
    last.leave(waited=False)
    watch.looked()
    first.tell("exit")
    whole = run.finish()
    watch.looked()
    stopped = watch.stop()
    truth = sum(a.cpu_seconds for a in (resident, first, middle, last))
    own = whole.info["self"]["cpu_seconds"]

    assert cpu(whole.info) == pytest.approx(truth - resident.cpu_seconds, abs=2 * CLOCK_TICK_SECONDS)
    assert truth - 4 * CLOCK_TICK_SECONDS <= cpu(stopped.info) <= truth + own + 6 * CLOCK_TICK_SECONDS, (truth, own)
    stage.end_of(resident)
