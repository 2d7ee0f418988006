# SPDX-License-Identifier: MIT
"""Counters of the job's own cgroup that somebody set back, or that count something else than is asked: no exact number comes of them."""
import os
import sys

import pytest

from checks import MIB
from stage import assert_cpu_about
from test_own_cgroup import mount_points

OWN = ["--cgroup=own", "-i", "30s"]
FIND = 'own={point}"$(sed -n "s|^[0-9]*:{controller}:||p" /proc/self/cgroup)"; '
MARK = "memory.max_usage_in_bytes"


@pytest.fixture
def find(request):
    """The beginning of a job's script, by controller: it sets `own` to the directory of its cgroup."""
    if os.geteuid() != 0:
        pytest.skip("needs root to make a cgroup and to set its counters back")

    def of(controller):
        points = mount_points()
        if controller not in points:
            pytest.skip(f"no version 1 hierarchy of {controller} here")
        return FIND.format(point=points[controller], controller=controller)

    return of


@pytest.mark.parametrize("after", [20, 100], ids=["it_stays_below", "it_rises_again"])
def test_a_mark_of_memory_that_was_set_back_is_a_lower_bound(run_assay, find, after):
    script = find("memory") + f'"$@" memory-steady 100 50; cat $own/{MARK} >was; echo 0 >$own/{MARK}; "$@" memory-steady {after} 50'
    run = run_assay(["sh", "-c", script, "sh", "LOAD", "TRUTH"], OWN)
    claim = run.headline["memory_peak_charged_bytes"]
    rung, = (rung for rung in run.info["rungs"]["memory_charged_peak"] if rung["key"] == "cgroup_memory_peak_bytes")

    assert run.status == 0, run.stderr
    assert claim["quality"] == rung["quality"] == "lower_bound", (claim, rung)
    assert claim["value"] <= max(int((run_assay.room / "was").read_text()), (after + 20) * MIB), claim
    assert "set back" in claim["why"], claim


def test_a_mark_that_nobody_set_back_is_exact(run_assay, find):
    script = find("memory") + f'"$@" memory-steady 100 50; cat $own/{MARK} >was'
    run = run_assay(["sh", "-c", script, "sh", "LOAD", "TRUTH"], OWN)
    claim = run.headline["memory_peak_charged_bytes"]

    assert (claim["value"], claim["quality"]) == (int((run_assay.room / "was").read_text()), "exact"), claim


def test_cpu_time_that_was_set_back_is_not_exact_by_the_cgroup(run_assay, find):
    script = find("cpuacct") + '"$@" nocldwait 100 5; echo 0 >$own/cpuacct.usage; "$@" steady 1000'
    run = run_assay(["sh", "-c", script, "sh", "LOAD", "TRUTH"], OWN)
    claim = run.headline["cpu_seconds"]
    rung, = (rung for rung in run.info["rungs"]["cpu"] if rung["key"] == "cgroup_cpu_seconds")

    assert run.status == 0, run.stderr
    assert rung["quality"] == "lower_bound" and "set back" in rung["why"], rung
    assert claim["quality"] != "exact" or claim["value"] >= 1.5, claim


# Each child has ended, and nobody waited for it, before the next begins.
ZOMBIES = """
import os
for _ in range(50):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
"""


def test_the_most_tasks_at_once_are_an_upper_bound_for_those_that_were_alive(run_assay, find):
    find("pids")
    run = run_assay([sys.executable, "-c", ZOMBIES], OWN)

    assert run.status == 0, run.stderr
    if "tasks_peak" not in run.headline:
        pytest.skip("this kernel keeps no peak of processes")
    claim = run.headline["tasks_peak"]
    # two were alive at once at most
    assert (claim["value"], claim["quality"]) == (51, "upper_bound"), claim
    assert "until it is waited for" in claim["why"], claim


def test_a_cgroup_that_is_the_target_is_not_exact_by_a_counter_that_was_set_back(stage, made_cgroup, find):
    find("cpuacct")
    path = f"assay-test-{os.getpid()}"
    cgroup = made_cgroup("v1", path)
    first = stage.begin()
    (cgroup / "cgroup.procs").write_text(str(first.pid))
    watch = stage.attach(f"cgroup:cpuacct:/{path}")
    before = first.cpu_seconds
    first.do("burn", 300)
    # it was seen, and counts from 0 again
    watch.looked()
    (cgroup / "cpuacct.usage").write_text("0")
    first.do("burn", 400)
    watch.looked()
    stage.end_of(first)
    run = watch.finish()

    assert_cpu_about(run.info, first.cpu_seconds - before, 2)
