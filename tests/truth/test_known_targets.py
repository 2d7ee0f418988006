# SPDX-License-Identifier: MIT
"""Families that end in unusual ways below a target that was not started by us: what is claimed of them holds on both sides."""
import json
import os

import pytest

from checks import MIB
from stage import amount
from support import wait_for
from test_targets_places import move, unique

FAMILIES = ["threads-first", "leader-first", "leaderless-forks", "exec-by-a-thread", "vfork", "sibling", "killed", "many-and-short", "orphaned", "closed",
            "zombie-kept", "init-ends", "forgetful-reaper"]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a cgroup")


def begin(stage, family, user=None):
    """A family that waits to be let go; its first process and the place of its truth."""
    truth = stage.room / "truth"
    argv = [str(stage.run_assay.load_path), str(truth), "known-ends-later", family, str(stage.room)]
    process = stage.run_assay.spawn(argv, f"family-{family}", user=user)
    stage.processes.append(process)
    return process


def truth_of(stage):
    return json.loads((stage.room / "truth").read_text(encoding="utf-8").splitlines()[-1])


@pytest.mark.parametrize("interval", ["20ms", "30s"])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_tree_started_is_counted_however_its_members_end(stage, user, family, interval):
    first = begin(stage, family, user)
    watch = stage.attach(first.pid, options=("-i", interval), user=user, ready=False)
    # the first look is over
    wait_for(lambda: watch.running_info()["headline"].get("processes") or watch.process.poll() is not None, "attach to look")
    (stage.room / "go").touch()
    status = first.wait(60)
    run = watch.finish()
    if status == 77:
        pytest.skip("no PID namespace may be made here")
    truth = truth_of(stage)

    processes = run.headline["processes"]
    if processes["quality"] == "exact":
        assert processes["value"] == truth["processes"], (processes, truth)
    else:
        assert processes["value"] <= truth["processes"], (processes, truth)
    written = run.headline["io_write_syscall_bytes"]
    assert written["quality"] == "lower_bound", written
    assert written["value"] <= truth["io_write_syscall_bytes"] + MIB // 16, (written, truth)
    assert all(line["values"]["target_io_write_syscall_bytes"]["last"] <= written["value"] for line in run.usage)


@needs_root
def test_who_is_in_the_midst_of_its_exit_has_not_left_its_cgroup(stage, made_cgroup):
    path = unique()
    place = made_cgroup("v1", path)
    stayer = stage.begin("stayer")
    move(stayer, place)
    first = begin(stage, "long-ends")
    (place / "cgroup.procs").write_text(str(first.pid))
    watch = stage.attach(f"cgroup:/{path}", options=("-i", "5ms", "--report-interval", "50ms"))
    (stage.room / "go").touch()
    assert first.wait(60) == 0
    watch.looked()
    run = watch.stop()
    truth = truth_of(stage)

    # Version 1 shows an exiting process in the root cgroup; it moved nowhere, and its parent has what it wrote.
    assert run.info["target"]["left"] == 0, run.info["target"]
    assert run.usage[-1]["values"]["target_processes_left_count"]["last"] == 0
    assert 6 * MIB <= truth["io_write_syscall_bytes"] <= amount(run.info, "io_write_syscall_bytes") + MIB // 16
    stage.end_of(stayer)
