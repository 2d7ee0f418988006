# SPDX-License-Identifier: MIT
"""Where version 2 has the controllers: limits, counts and a cgroup of the job's own against the files of a cgroup that the test makes."""
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from checks import MIB
from support import SLOWNESS, wait_for

NEEDED = {"memory", "pids"}
OWN = ["--cgroup=own"]
OWN_DIRECTORY = 'own=/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)'
# What the shell and the programs that read the files use after they have read them.
LAST_ACT_SECONDS = 0.045 + 0.005 * SLOWNESS


def handing_on():
    """The nearest cgroup, from ours upwards, that hands the controllers on to those below it; None where there is none."""
    paths = [line.split(":", 2)[2] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::/")]
    points = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines() if " - cgroup2 " in line]
    if not paths or "/sys/fs/cgroup" not in points or "/.." in paths[0]:
        return None
    top = Path("/sys/fs/cgroup")
    place = top / paths[0].lstrip("/")
    while not NEEDED <= set((place / "cgroup.subtree_control").read_text().split()):
        if place == top:
            return None
        place = place.parent
    return place


class Cgroup:
    """A cgroup of the test's own, which belongs to `user`, and how a run gets into it."""

    def __init__(self, directory, user):
        self.directory, self.user = directory, user
        directory.mkdir()
        for path in (directory, directory / "cgroup.procs", directory / "cgroup.subtree_control"):
            os.chown(path, user.uid, user.gid)

    def wrapper(self, below=""):
        who = ["setpriv", f"--reuid={self.user.uid}", f"--regid={self.user.gid}", "--clear-groups"] if self.user.name else []
        return ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(self.directory / below), *who]

    def write(self, name, text):
        (self.directory / name).write_text(text)

    def counts(self, name):
        """A file of lines "key number"."""
        return {key: int(value) for key, value in (line.split() for line in (self.directory / name).read_text().splitlines())}

    def remove(self):
        for child in self.directory.glob("*/"):
            child.rmdir()
        wait_for(lambda: not (self.directory / "cgroup.procs").read_text(), f"{self.directory} to be empty")
        self.directory.rmdir()


@pytest.fixture(name="cgroup")
def made_cgroup(user):
    place = handing_on()
    if os.geteuid() != 0 or place is None:
        pytest.skip(f"needs root and a cgroup of version 2 that hands on {', '.join(sorted(NEEDED))}")
    made = Cgroup(place / f"assay-test-{os.getpid()}", user)
    yield made
    made.remove()


def tightest_of(run, name):
    found = [bound for bound in run.info["target_limits"] if bound["name"] == name and bound["tightest"]]
    assert len(found) == 1, run.info["target_limits"]
    return found[0]


def usage_seconds(text):
    return int(re.search(r"^usage_usec (\d+)$", text, re.M)[1]) / 1e6


def test_the_own_cgroup_has_memory_and_the_headline_is_what_its_files_say(run_assay, cgroup):
    job = f'"$0" "$1" memory-steady 64 300 && {OWN_DIRECTORY} && cat $own/memory.peak $own/cpu.stat'
    run = run_assay(["sh", "-c", job, "LOAD", "TRUTH"], OWN, wrapper=cgroup.wrapper())
    peak, stat = run.stdout.decode().split("\n", 1)
    charged, cpu = run.headline["memory_peak_charged_bytes"], run.headline["cpu_seconds"]

    assert run.info["user"]["uid"] == cgroup.user.uid
    assert (charged["value"], charged["quality"], charged["key"]) == (int(peak), "exact", "cgroup_memory_peak_bytes"), charged
    assert charged["value"] >= 64 * MIB
    assert (cpu["quality"], cpu["key"]) == ("exact", "cgroup_cpu_seconds"), cpu
    assert usage_seconds(stat) <= cpu["value"] + 1e-6
    assert cpu["value"] <= usage_seconds(stat) + LAST_ACT_SECONDS
    assert (cgroup.directory / "cgroup.subtree_control").read_text().split() == [], "what was enabled is taken back"
    assert not list(cgroup.directory.glob("*/")), "what was made is removed"


def test_the_own_cgroup_counts_children_that_nobody_waits_for(run_assay, cgroup):
    job = f'"$0" "$1" nocldwait 100 3 && {OWN_DIRECTORY} && cat $own/cpu.stat'
    run = run_assay(["sh", "-c", job, "LOAD", "TRUTH"], OWN, wrapper=cgroup.wrapper())
    claim, usage = run.headline["cpu_seconds"], usage_seconds(run.stdout.decode())
    rungs = {rung["key"]: rung["value"] for rung in run.info["rungs"]["cpu"] if "value" in rung}

    assert (claim["quality"], claim["key"]) == ("exact", "cgroup_cpu_seconds"), claim
    assert run.truth["cpu_seconds"] <= usage <= claim["value"] + 1e-6, (run.truth, usage, claim)
    assert claim["value"] <= usage + LAST_ACT_SECONDS
    assert rungs["keeper_cpu_seconds"] <= claim["value"] - 0.3, "the children are in no exit status"


def test_the_own_cgroup_counts_the_most_processes_at_once(run_assay, cgroup):
    run = run_assay(["LOAD", "TRUTH", "idle", "100", "300"], OWN, wrapper=cgroup.wrapper())

    if "tasks_peak" not in run.headline:
        pytest.skip("this kernel has no pids.peak (Linux 6.1)")
    assert (run.headline["tasks_peak"]["value"], run.headline["tasks_peak"]["quality"]) == (101, "upper_bound"), run.headline


@pytest.mark.parametrize("way", ["auto", "own"])
def test_a_memory_limit_that_is_hit_is_named_as_the_cause_and_the_record_is_whole(run_assay, cgroup, way):
    if len(Path("/proc/swaps").read_text().splitlines()) > 1:
        pytest.skip("with swap space the limit of memory alone kills nobody")
    cgroup.write("memory.max", str(64 * MIB))
    run = run_assay(["LOAD", "TRUTH", "memory-steady", "256", "500"], [f"--cgroup={way}"], wrapper=cgroup.wrapper())
    events, bound = cgroup.counts("memory.events"), tightest_of(run, "memory")

    assert run.status == -signal.SIGKILL
    assert events["oom_kill"] == 1
    assert "the kernel's OOM killer: memory.events oom_kill rose by 1" in run.info["outcome"]["words"], run.info["outcome"]
    assert (bound["source"], bound["limit"], bound["where"]) == ("cgroup", 64 * MIB, f"{cgroup.directory}/memory.max"), bound
    assert bound["hits"] == events["max"] > 0
    if way == "own":
        assert run.headline["memory_peak_charged_bytes"]["quality"] == "exact"
        # The kernel raises the mark of the cgroup before the limit above it refuses the charge: up to a huge page.
        assert 60 * MIB <= run.headline["memory_peak_charged_bytes"]["value"] <= (64 + 2) * MIB


@pytest.mark.parametrize("counted_in", ["its_own_cgroup", "the_limited_one"])
def test_a_memory_limit_one_level_up_is_found_and_its_hits_counted(run_assay, cgroup, room, counted_in):
    (cgroup.directory / "step").mkdir()
    if counted_in == "its_own_cgroup":
        cgroup.write("cgroup.subtree_control", "+memory")
    cgroup.write("memory.max", str(64 * MIB))
    # Cache of a file is charged, and given back when the limit is reached.
    run = run_assay(["dd", "if=/dev/zero", f"of={room}/big", "bs=1M", "count=100"], wrapper=cgroup.wrapper("step"))
    bound = tightest_of(run, "memory")

    assert run.status == 0, run.stderr
    assert (bound["source"], bound["limit"], bound["where"]) == ("cgroup", 64 * MIB, f"{cgroup.directory}/memory.max"), bound
    assert bound.get("note", "").startswith("set 1 level up") == (counted_in == "its_own_cgroup"), bound
    assert 0 < bound["hits"] <= cgroup.counts("memory.events")["max"]


def test_a_cpu_quota_is_recorded_with_the_periods_that_were_throttled(run_assay, cgroup):
    if not (cgroup.directory / "cpu.max").exists():
        pytest.skip("our cgroups hand no cpu controller on")
    cgroup.write("cpu.max", "5000 20000")
    run = run_assay(["LOAD", "TRUTH", "steady", "200"], wrapper=cgroup.wrapper())
    bound, stat = tightest_of(run, "cpu"), cgroup.counts("cpu.stat")

    assert (bound["source"], bound["limit"], bound["unit"]) == ("cgroup", 0.25, "cores"), bound
    assert 0 < bound["hits"] <= stat["nr_throttled"]
    assert 0 < round(bound["throttled_seconds"] * 1e6) <= stat["throttled_usec"]
    assert bound["hits"] <= bound["periods"] <= stat["nr_periods"]


def test_forks_that_were_refused_are_counted(run_assay, cgroup):
    cgroup.write("pids.max", "8")
    script = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.3 & done; wait'
    run = run_assay(["sh", "-c", script], wrapper=cgroup.wrapper())
    bound = tightest_of(run, "processes")

    assert b"ork" in run.stderr, "the shell says that it could not fork"
    assert (bound["source"], bound["limit"]) == ("cgroup", 8), bound
    assert bound["hits"] == cgroup.counts("pids.events")["max"] > 0


def test_bytes_to_the_device_are_what_the_cgroup_counted(run_assay, cgroup, room):
    kind = subprocess.run(["stat", "-f", "-c", "%T", str(room)], check=True, capture_output=True, text=True).stdout.strip()
    if kind in ("tmpfs", "ramfs", "overlayfs") or not (cgroup.directory / "io.stat").exists():
        pytest.skip(f"needs the io controller and a disk; {room} is on {kind}")
    command = ["dd", "if=/dev/zero", f"of={room}/data", "bs=1M", "count=16", "oflag=direct"]
    run = run_assay(command, ["--measurements", "default,cgroup_io_*"], wrapper=cgroup.wrapper())
    written = sum(int(number) for number in re.findall(r" wbytes=(\d+)", (cgroup.directory / "io.stat").read_text()))
    said = run.info["summary"]["cgroup_io_write_bytes"]

    assert run.status == 0, run.stderr
    assert 16 * MIB <= said["value"] <= written, (said, written)
