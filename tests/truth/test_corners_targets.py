# SPDX-License-Identifier: MIT
"""What members of a target wait for may be somebody's from before, or from outside: nothing of that is claimed, by however many generations it comes."""
import os
import signal

import pytest

from checks import MIB
from stage import TALK_BYTES, Nobody, amount, assert_cpu_about
from test_targets_pids import act

WORDS = {"session": "setsid", "group": "setpgid"}


def line_of(first, word, depth, past):
    """Descendants one below the other: all but the last one outside the target. The last has a past."""
    line, step = [], (WORDS[word], 0) if word == "group" else (WORDS[word],)
    for number in range(depth):
        child = (line[-1] if line else first).fork(f"child{number}")
        if number == 0:
            child.do(*step)
        line.append(child)
    line[-1].do("burn", past).do("write", os.devnull, 64)
    return line


def end_line(line):
    """From the last one up, each waited for by its parent."""
    for child in reversed(line):
        child.leave()


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("word", WORDS)
def test_a_grandchild_outside_brings_nothing_of_its_past_when_it_is_waited_for_up_the_line(stage, word, depth, user):
    first = stage.begin(user=user)
    line = line_of(first, word, depth, 1000)
    watch = stage.attach(f"{word}:{first.pid}", user=user)
    watch.looked()
    end_line(line)
    first.do("burn", 100)
    watch.looked()
    # and what is waited for later is counted whole
    first.do("burst", 5, 40)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert first.waited_seconds > 1.2
    assert_cpu_about(run.info, 0.1 + 0.2, 2)
    assert amount(run.info, "io_write_syscall_bytes") <= TALK_BYTES


@pytest.mark.parametrize("word", WORDS)
def test_a_line_of_ends_outside_between_two_looks_brings_nothing_either(stage, word, user):
    first = stage.begin(user=user)
    line = line_of(first, word, 2, 1000)
    watch = stage.attach(f"{word}:{first.pid}", user=user)
    watch.looked()
    watch.process.send_signal(signal.SIGSTOP)
    end_line(line)
    watch.process.send_signal(signal.SIGCONT)
    first.do("burn", 100)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert_cpu_about(run.info, 0.1, 2)
    assert amount(run.info, "io_write_syscall_bytes") <= TALK_BYTES


def test_an_old_orphan_brings_nothing_to_the_member_that_adopts_it(stage, user):
    first = stage.begin(user=user)
    first.do("subreaper")
    middle, last = line_of(first, "session", 2, 1000)
    watch = stage.attach(f"session:{first.pid}", user=user)
    watch.looked()
    middle.leave()
    last.leave(waited=False)
    first.do("reap", last.pid).do("burn", 100)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert first.waited_seconds > 1
    assert_cpu_about(run.info, 0.1, 2)
    assert amount(run.info, "io_write_syscall_bytes") <= TALK_BYTES


def test_a_grandchild_of_another_user_brings_nothing_of_its_past(stage):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    member, other = Nobody(), Nobody()
    other.uid += 1
    first = stage.begin()
    middle = first.fork("middle")
    last = middle.fork("last")
    last.do("burn", 1000).do("write", os.devnull, 64)
    for actor, user in ((last, other), (middle, other), (first, member)):
        actor.do("setuid", user.uid)
    watch = stage.attach(f"user:{member.uid}")
    watch.looked()
    last.leave()
    middle.leave()
    first.do("burn", 100)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert_cpu_about(run.info, 0.1, 2)
    assert amount(run.info, "io_write_syscall_bytes") <= TALK_BYTES


@pytest.mark.parametrize("word", WORDS)
def test_what_an_outsider_used_after_its_last_look_is_not_claimed(stage, word, user):
    first = stage.begin(user=user)
    watch = stage.attach(f"{word}:{first.pid}", user=user)
    (outside,) = line_of(first, word, 1, 0)
    watch.looked()
    watch.process.send_signal(signal.SIGSTOP)
    outside.do("burn", 500).do("write", os.devnull, 16)
    outside.leave()
    watch.process.send_signal(signal.SIGCONT)
    watch.looked(4)
    first.do("burn", 100).do("burst", 5, 40).do("write", os.devnull, 4)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    # what it did in its first moment, when it still was a member, is the target's
    assert_cpu_about(run.info, 0.1 + 0.2, 2)
    assert 4 * MIB <= amount(run.info, "io_write_syscall_bytes") <= 4 * MIB + TALK_BYTES


def test_the_past_of_a_child_that_proc_hides_makes_no_lower_bound(run_assay, room):
    if os.geteuid() != 0:
        pytest.skip("needs root for a PID namespace of its own")
    claim = act("hide_kin", run_assay, room)["info"]["headline"]["cpu_seconds"]

    assert claim["quality"] == "estimate" and "/proc hides from this user 1 of the processes" in claim["why"], claim
