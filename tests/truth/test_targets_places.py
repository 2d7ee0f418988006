# SPDX-License-Identifier: MIT
"""Targets that are places: cgroups of both versions, containers and Slurm's jobs by cgroups made as they make them, and jobs by their environment."""
import os
import secrets
import signal

import pytest

from checks import MIB
from stage import CLOCK_TICK_SECONDS, OFTEN, TALK_BYTES, TALK_SECONDS, amount, assert_cpu, cpu

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make cgroups")


def move(actor, cgroup):
    (cgroup / "cgroup.procs").write_text(str(actor.pid))


def unique():
    return f"assay-test-{secrets.token_hex(4)}"


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_cgroup_counts_exactly_whatever_lived_in_it(stage, made_cgroup, version):
    path = unique()
    place = made_cgroup(version, path)
    first = stage.begin()
    inside = first.fork("inside")
    move(inside, place)
    inside.do("burn", 300)
    before = inside.cpu_seconds
    watch = stage.attach(f"cgroup:/{path}", f"cgroup:{place}")
    inside.do("burst", 30, 10)
    inside.do("burn", 200)
    watch.looked()
    # what no sample can see: forgotten, short, and the member's own end
    inside.do("ignore").do("burst", 10, 10)
    inside.do("burn", 100)
    inside.leave()
    run = watch.finish()
    truth = inside.cpu_seconds - before + inside.waited_seconds + 10 * 0.01

    assert run.info["outcome"]["words"] == "the target ended"
    for info in (run.info, *watch.beside()):
        claim = info["headline"]["cpu_seconds"]
        assert claim["quality"] == "exact", claim
        assert truth - TALK_SECONDS <= claim["value"] <= truth + 41 * TALK_SECONDS, (claim, truth)
    stage.end_of(first)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_who_moves_into_a_cgroup_and_out_is_counted_while_it_is_there(stage, made_cgroup, version):
    path = unique()
    place = made_cgroup(version, path)
    first = stage.begin()
    resident = first.fork("resident")
    move(resident, place)
    guest = first.fork("guest")
    guest.do("burn", 200)
    watch = stage.attach(f"cgroup:/{path}")
    move(guest, place)
    watch.looked_at_strangers()
    guest.do("burn", 200)
    watch.looked()
    move(guest, place.parent)
    watch.looked_at_strangers()
    guest.do("burn", 200)
    watch.looked()
    resident.leave()
    run = watch.finish()

    assert tuple(run.info["target"][k] for k in ("at_start", "seen", "left")) == (1, 2, 1)
    assert 0.2 <= cpu(run.info) <= 0.2 + 4 * TALK_SECONDS + resident.cpu_seconds, run.headline["cpu_seconds"]
    guest.leave()
    stage.end_of(first)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_who_wrote_outside_and_then_moves_into_a_cgroup_brings_nothing_of_that(stage, made_cgroup, version):
    path = unique()
    place = made_cgroup(version, path)
    first = stage.begin()
    resident = first.fork("resident")
    move(resident, place)
    watch = stage.attach(f"cgroup:/{path}")
    watch.process.send_signal(signal.SIGSTOP)
    guest = first.fork("guest")
    guest.do("write", os.devnull, 10)
    move(guest, place)
    watch.process.send_signal(signal.SIGCONT)
    watch.looked(4)
    guest.do("write", os.devnull, 2)
    watch.looked()
    run = watch.stop()

    assert tuple(run.info["target"][k] for k in ("at_start", "seen")) == (1, 2)
    assert 2 * MIB <= amount(run.info, "io_write_syscall_bytes") <= 2 * MIB + TALK_BYTES
    guest.leave()
    resident.leave()
    stage.end_of(first)


def test_a_container_is_found_by_the_cgroup_that_docker_makes(stage, made_cgroup):
    identity = secrets.token_hex(32)
    place = made_cgroup("v1", f"docker/{identity}")
    first = stage.begin()
    inside = first.fork("inside")
    move(inside, place)
    watch = stage.attach(f"container:{identity[:12]}")
    inside.do("burn", 200)
    child = inside.fork("child")
    child.do("burn", 100)
    child.leave()
    watch.looked()
    inside.leave()
    run = watch.finish()
    truth = inside.cpu_seconds + inside.waited_seconds

    assert run.info["target"]["kind"] == "container"
    assert run.headline["cpu_seconds"]["quality"] == "exact"
    assert truth - 3 * TALK_SECONDS <= cpu(run.info) <= truth + 3 * TALK_SECONDS
    stage.end_of(first)


def slurm_environment(run_assay, job, step):
    return {**run_assay.environment(), "SLURM_JOB_ID": str(job), "SLURM_JOBID": str(job), "SLURM_STEP_ID": str(step)}


def test_a_slurm_job_is_found_by_the_environment_of_its_processes(stage, run_assay):
    job = 4_100_000_000 + os.getpid()
    first = stage.begin(env=slurm_environment(run_assay, job, 0))
    second = stage.begin("second", env=slurm_environment(run_assay, job, 1))
    watch = stage.attach(f"slurm:{job}", f"slurm:{job}.1")
    first.do("burn", 200)
    child = second.fork("child")
    child.do("burn", 300)
    watch.looked()
    child.leave()
    watch.looked()
    stage.end_of(second)
    stage.end_of(first)
    run = watch.finish()
    (step,) = watch.beside()

    assert_cpu(run.info, first.cpu_seconds + second.cpu_seconds + second.waited_seconds, 3)
    assert_cpu(step, second.cpu_seconds + second.waited_seconds, 2)
    assert (run.info["target"]["seen"], step["target"]["seen"]) == (3, 2)


def test_a_slurm_step_is_found_by_its_cgroup(stage, made_cgroup):
    job = 4_100_000_000 + os.getpid()
    place = made_cgroup("v1", f"slurm/uid_0/job_{job}/step_0")
    first = stage.begin()
    inside = first.fork("inside")
    move(inside, place)
    watch = stage.attach(f"slurm:{job}", f"slurm:{job}.0")
    inside.do("burn", 200)
    watch.looked()
    inside.leave()
    run = watch.finish()

    assert cpu(run.info) == pytest.approx(0.2, abs=CLOCK_TICK_SECONDS + 2 * TALK_SECONDS)
    assert run.info["target"]["seen"] == 1
    stage.end_of(first)


def test_the_whole_system_holds_whoever_is_in_it(stage):
    first = stage.begin()
    watch = stage.attach("system", first.pid, options=[*OFTEN])
    first.do("burn", 300)
    watch.looked()
    run = watch.stop()
    (tree,) = watch.beside()

    assert_cpu(tree, first.cpu_seconds)
    assert cpu(run.info) >= cpu(tree)
    assert run.info["target"]["living"] > tree["target"]["living"] == 1
    stage.end_of(first)
