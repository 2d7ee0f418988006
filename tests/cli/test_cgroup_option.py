# SPDX-License-Identifier: MIT
"""--cgroup: what is made for the job and taken away again, who may have it, what a limit that is hit says; sources side by side."""
import json
import os
import signal
from pathlib import Path

import pytest

from support import CPU_TOLERANCE_SECONDS, alive, read_info, wait_for

# A run with a cgroup of its own removes those that dead ones left: what one test leaves for the next run is not for another test's.
pytestmark = pytest.mark.xdist_group("group:cgroups")

MIB = 1 << 20
OWN = ["--cgroup=own"]
# What counts something of a job, by the name in /proc/PID/cgroup; "" is version 2.
COUNTING = ("", "cpuacct", "memory", "pids", "blkio")


def own_directories():
    """The directories of the cgroups the tests are in, by hierarchy, as far as they are mounted."""
    points = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ")
        kind, _, options = after.split()[:3]
        for name in [""] if kind == "cgroup2" else options.split(",") if kind == "cgroup" else []:
            points.setdefault(name, before.split()[4])
    found = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            if name in COUNTING and name in points:
                found[name] = Path(points[name] + (path if path != "/" else ""))
    return found


def left_in(hierarchies):
    """The cgroups of recorders that are no more; those of others at work beside us are theirs."""
    return {made for directory in hierarchies.values() for made in directory.glob("assay-run-[0-9]*")
            if not alive(int(made.name.rpartition("-")[2]))}


@pytest.fixture
def hierarchies():
    """Where a cgroup can be made; after the test no cgroup of a run is left in them."""
    found = own_directories()
    if os.geteuid() != 0 or not found:
        pytest.skip("needs root and a mounted cgroup hierarchy")
    before = left_in(found)
    yield found
    wait_for(lambda: left_in(found) <= before, "the cgroups of the run to be removed")


def remove(directory, mine):
    wait_for(lambda: not (mine / "cgroup.procs").read_text(), f"{mine} to be empty")
    mine.rmdir()


@pytest.fixture
def delegate(ordinary_user):
    """Makes a cgroup in each of the hierarchies and gives it to the ordinary user; the arguments run a command there as that user."""
    made = []

    def in_hierarchies(directories):
        enter = ""
        for directory in directories:
            mine = directory / f"assay-test-{os.getpid()}"
            mine.mkdir()
            made.append((directory, mine))
            for path in (mine, mine / "cgroup.procs"):
                os.chown(path, ordinary_user.uid, ordinary_user.gid)
            enter += f"echo $$ >{mine}/cgroup.procs && "
        return ["sh", "-c", enter + 'exec "$@"', "sh", "setpriv", f"--reuid={ordinary_user.uid}",
                f"--regid={ordinary_user.gid}", "--clear-groups"]

    yield in_hierarchies
    for directory, mine in made:
        remove(directory, mine)


def counted_seconds(mine):
    """What a cgroup of ours counted of CPU time, by the kernel: of all that ever ran in it and below it."""
    if (mine / "cpuacct.usage").exists():
        return int((mine / "cpuacct.usage").read_text()) / 1e9
    return counted(mine / "cpu.stat", "usage_usec") / 1e6


def cgroups_of(text):
    return {line.split(":", 2)[1]: line.split(":", 2)[2] for line in text.splitlines()}


def test_the_job_is_in_cgroups_of_its_own_and_assay_is_not(run_assay, hierarchies):
    run = run_assay(["cat", "/proc/self/cgroup", "/proc/self/cgroup"], OWN)
    ours = cgroups_of(Path("/proc/self/cgroup").read_text())
    jobs = cgroups_of(run.stdout.decode())
    name = f"assay-run-{run.info['monitor']['pid']}"
    for names, path in ours.items():
        counts = any(hierarchy in hierarchies for hierarchy in names.split(","))
        assert jobs[names] == (f"{path if path != '/' else ''}/{name}" if counts else path), (names, jobs)

    assert run.info["options"]["cgroup"] == "own"
    assert sorted(run.info["options"]["own_cgroups"]) == sorted({str(path / name) for path in hierarchies.values()})


def test_the_usual_way_makes_no_cgroup(run_assay, hierarchies):
    run = run_assay(["cat", "/proc/self/cgroup"])

    assert run.stdout.decode() == Path("/proc/self/cgroup").read_text()
    assert run.info["options"]["cgroup"] == "auto"
    assert "own_cgroups" not in run.info["options"]


def test_moving_the_job_is_no_io_of_the_job(run_assay, hierarchies):
    run = run_assay(["sleep", "0.1"], OWN)

    assert run.headline["io_write_syscall_bytes"]["value"] == 0


def test_none_reads_no_cgroup_and_says_so_when_one_is_asked_for(run_assay):
    run = run_assay(["true"], ["--cgroup=none"])
    refused = run_assay(["true"], ["--cgroup=none", "--measurements", "cgroup_cpu_seconds"], complete=False)

    assert run.info["options"]["cgroup"] == "none"
    assert not any(row["key"].startswith("cgroup_") for row in run.info["measurements"])
    assert refused.status == 2
    assert b"--cgroup=none" in refused.stderr, refused.stderr


def test_a_way_that_does_not_exist_is_refused(run_assay):
    run = run_assay(["true"], ["--cgroup=mine"], complete=False)

    assert run.status == 2
    assert b"mine" in run.stderr and b"auto" in run.stderr, run.stderr


def test_the_variable_and_the_command_line_ask_for_it_alike(run_assay, hierarchies):
    run = run_assay(["true"], env=run_assay.environment({"ASSAY_CGROUP": "own"}))

    assert run.info["options"]["cgroup"] == "own"


def test_without_the_right_to_make_one_the_command_is_not_started(run_assay, room, ordinary_user):
    directories = own_directories().values()
    if ordinary_user.uid == os.geteuid() and any(os.access(path, os.W_OK) for path in directories):
        pytest.skip("who runs the tests owns a cgroup here")
    run = run_assay(["touch", room / "started"], OWN, user=ordinary_user, complete=False)
    said = run.stderr.decode()

    assert run.status == 2
    assert said.count("\n") == 1, said
    assert "--cgroup=own: no cgroup can be made for the job" in said
    assert "Permission denied" in said and "systemd-run --user --scope -p Delegate=yes" in said, said
    assert not (room / "started").exists()
    assert not list(room.glob("run1-info*")), "no record of what never ran"


def test_a_user_to_whom_cgroups_were_delegated_has_exact_numbers(run_assay, hierarchies, delegate, ordinary_user):
    wanted = [path for name, path in hierarchies.items() if name in ("", "cpuacct", "memory", "pids")]
    run = run_assay(["LOAD", "TRUTH", "nocldwait", "100", "3"], OWN, wrapper=delegate(wanted))
    claim = run.headline["cpu_seconds"]

    assert run.status == 0, run.stderr
    assert run.info["user"]["uid"] == ordinary_user.uid
    assert (claim["quality"], claim["key"]) == ("exact", "cgroup_cpu_seconds"), claim
    # The recorder is in the cgroup above; what the ends of the children cost, which they cannot tell, is counted there as well.
    whole = counted_seconds(hierarchies.get("cpuacct", hierarchies.get("")) / f"assay-test-{os.getpid()}")
    assert run.truth["cpu_seconds"] <= claim["value"] <= whole - run.info["self"]["cpu_seconds"], (claim, run.truth, whole, run.info["self"])
    parents = {str(Path(path).parent) for path in run.info["options"]["own_cgroups"]}
    assert parents == {f"{path}/assay-test-{os.getpid()}" for path in wanted}


def test_version_2_alone_is_enough_for_cpu_time_and_what_is_missing_is_said(run_assay, hierarchies, delegate):
    if "" not in hierarchies or "memory" not in hierarchies:
        pytest.skip("needs version 2 beside a memory hierarchy of version 1")
    run = run_assay(["LOAD", "TRUTH", "nocldwait", "100", "3"], OWN, wrapper=delegate([hierarchies[""]]))
    claim = run.headline["cpu_seconds"]

    assert (claim["quality"], claim["key"]) == ("exact", "cgroup_cpu_seconds"), claim
    assert claim["value"] >= run.truth["cpu_seconds"]
    assert run.headline.get("memory_peak_charged_bytes", {}).get("quality") != "exact"
    assert any("no cgroup of its own that counts memory" in note for note in run.info["notes"]), run.info["notes"]


def test_who_is_alone_in_a_delegated_cgroup_of_version_2_has_memory_too(run_assay, hierarchies, delegate):
    unified = hierarchies.get("")
    if unified is None or "memory" not in (unified / "cgroup.subtree_control").read_text().split():
        pytest.skip("the memory controller is not one of version 2 that our cgroup hands on")
    inside = delegate([unified])
    mine = unified / f"assay-test-{os.getpid()}"
    os.chown(mine / "cgroup.subtree_control", mine.stat().st_uid, mine.stat().st_gid)
    script = '"$0" "$1" memory-steady 64 100; cat /sys/fs/cgroup"$(sed -n s/^0:://p /proc/self/cgroup)"/memory.peak'
    run = run_assay(["sh", "-c", script, "LOAD", "TRUTH"], OWN, wrapper=inside)
    charged = run.headline["memory_peak_charged_bytes"]

    assert (charged["value"], charged["quality"]) == (int(run.stdout), "exact"), charged
    assert charged["value"] >= 64 * MIB
    assert (mine / "cgroup.subtree_control").read_text().split() == [], "what was enabled is taken back"
    assert not [path for path in mine.iterdir() if path.is_dir()]


def test_a_daemon_that_may_live_on_is_back_where_assay_is(run_assay, room, hierarchies):
    script = 'setsid "$0" "$1" until-file "$2" 0 & exit 4'
    run = run_assay(["sh", "-c", script, "LOAD", "TRUTH", str(room / "gate")], OWN)
    pid, = (p["pid"] for p in run.info["processes"]["survivors"])
    here = Path(f"/proc/{pid}/cgroup").read_text()
    (room / "gate").touch()
    wait_for(lambda: not alive(pid), "the daemon to end")

    assert run.status == 4
    assert here == Path("/proc/self/cgroup").read_text()


def test_the_keeper_removes_them_all_when_the_recorder_is_killed(run_assay, room, hierarchies):
    gate = room / "gate"
    started = run_assay.start(["LOAD", "TRUTH", "until-file", str(gate), "0"], OWN)
    made = [Path(path) for path in started.running_info()["options"]["own_cgroups"]]
    assert made and all(path.is_dir() for path in made)
    started.process.kill()
    started.process.wait()
    gate.touch()

    wait_for(lambda: not any(path.exists() for path in made), "the cgroups to be removed")


def start_with_cgroups_below(run_assay, room, hierarchies):
    """The command makes a cgroup in each of its own ones and stays in those until the gate is there."""
    script = ('name=$(grep -o "assay-run-[0-9]*$" /proc/self/cgroup | head -n 1); for directory in "$@"; do '
              f'mkdir "$directory/$name/below" || exit 1; done; echo $$ >{room}/pid; mv {room}/pid {room}/made; '
              f'while [ -d {room} ] && ! [ -e {room}/gate ]; do sleep 0.05; done')
    started = run_assay.start(["sh", "-c", script, "sh", *map(str, hierarchies.values())], OWN)
    wait_for((room / "made").exists, "the cgroups below")
    made = [Path(path) for path in started.running_info()["options"]["own_cgroups"]]
    assert made and all((path / "below").is_dir() for path in made)
    return started, int((room / "made").read_text()), made


def test_a_cgroup_that_the_job_made_does_not_keep_the_keeper_from_removing_its_own(run_assay, room, hierarchies):
    started, _, made = start_with_cgroups_below(run_assay, room, hierarchies)
    started.process.kill()
    started.process.wait()
    (room / "gate").touch()

    wait_for(lambda: not any(path.exists() for path in made), "the cgroups to be removed")


def test_what_a_run_left_that_was_killed_with_its_keeper_is_removed_by_the_next(run_assay, room, hierarchies):
    started, command, made = start_with_cgroups_below(run_assay, room, hierarchies)
    keeper = int(Path(f"/proc/{command}/stat").read_text().rsplit(")", 1)[1].split()[1])
    assert keeper not in (1, os.getpid(), started.process.pid)
    for pid in (keeper, started.process.pid):
        os.kill(pid, signal.SIGKILL)
    started.process.wait()
    wait_for(lambda: not alive(keeper), "the keeper to be gone")

    run_assay(["true"], OWN)
    assert all((path / "below").is_dir() for path in made), "the command still lives in them"
    (room / "gate").touch()
    wait_for(lambda: not alive(command), "the command to end")
    named_alike = [directory / "assay-run-not-a-pid" for directory in hierarchies.values()]
    living = [directory / f"assay-run-{os.getpid()}" for directory in hierarchies.values()]
    for path in named_alike + living:
        path.mkdir()
    try:
        run_assay(["true"], OWN)
        assert not any(path.exists() for path in made)
        assert all(path.is_dir() for path in named_alike + living), "not ours to remove"
    finally:
        for path in named_alike + living:
            path.rmdir()


def test_a_recorder_killed_before_it_has_a_keeper_leaves_what_only_the_next_of_the_kind_removes(run_assay, room, strace, hierarchies):
    """As assay-run(1) says: nobody was there to remove them."""
    inject = [strace, "-o", str(room / "trace"), "-e", "trace=clone,clone3,fork,vfork",
              "-e", "inject=clone,clone3,fork,vfork:signal=SIGKILL:when=1", "sh", "-c", f'echo $$ >{room}/pid; exec "$@"', "sh"]
    run_assay(["true"], OWN, wrapper=inject, complete=False)
    name = f"assay-run-{(room / 'pid').read_text().strip()}"
    made = [directory / name for directory in hierarchies.values() if (directory / name).exists()]
    assert made, "killed after they were made and before the keeper"
    run_assay(["true"])
    assert all(path.exists() for path in made), "a run that makes none looks for none"
    run_assay(["true"], OWN)
    assert not any(path.exists() for path in made)


def test_a_command_that_cannot_start_leaves_no_cgroup(run_assay, hierarchies):
    run = run_assay(["no-such-command-anywhere"], OWN, complete=False)

    assert run.status == 127


def test_limits_and_the_own_cgroup_share_one_of_version_2(run_assay, hierarchies):
    if "" not in hierarchies:
        pytest.skip("needs a mounted cgroup of version 2")
    run = run_assay(["LOAD", "TRUTH", "hydra", "50"], [*OWN, "--limit", "wall=600ms", "--limit-grace", "300ms"])

    assert run.status == 124
    assert run.info["limit"]["way"] == "cgroup.kill" and run.info["limit"]["emptied"]
    assert run.info["options"]["limit_cgroup"] in run.info["options"]["own_cgroups"]


def test_a_run_within_a_run_has_a_cgroup_within_the_cgroup(run_assay, assay, room, hierarchies):
    inner = [str(assay), "run", "-q", "-p", f"{room}/inner-", "--cgroup=own", "--", "LOAD", "TRUTH", "steady", "200"]
    run = run_assay(inner, OWN)
    within = read_info(f"{room}/inner-")

    assert set(map(lambda path: str(Path(path).parent), within["options"]["own_cgroups"])) == \
        set(run.info["options"]["own_cgroups"])
    for info in (run.info, within):
        assert info["headline"]["cpu_seconds"]["quality"] == "exact"
        assert info["headline"]["cpu_seconds"]["key"] == "cgroup_cpu_seconds"
    assert within["headline"]["cpu_seconds"]["value"] < run.headline["cpu_seconds"]["value"]
    # Between its fork and its move into the cgroup the process that becomes the job is the recorder's work, not the job's.
    assert within["headline"]["cpu_seconds"]["value"] >= run.truth["cpu_seconds"] - run.truth["cpu_before_seconds"]


@pytest.fixture
def limited_memory():
    """A memory cgroup of version 1 that allows 64 MiB, and the words that run a command in it."""
    directory = own_directories().get("memory")
    if os.geteuid() != 0 or not directory or not (directory / "memory.limit_in_bytes").exists():
        pytest.skip("needs root and a memory controller of version 1")
    if len(Path("/proc/swaps").read_text().splitlines()) > 1:
        pytest.skip("with swap space the limit of memory alone kills nobody")
    mine = directory / f"assay-test-{os.getpid()}"
    mine.mkdir()
    (mine / "memory.limit_in_bytes").write_text(str(64 * MIB))
    yield mine, ["sh", "-c", f'echo $$ >{mine}/cgroup.procs && exec "$@"', "sh"]
    remove(directory, mine)


def counted(path, key):
    return next(int(line.split()[1]) for line in path.read_text().splitlines() if line.split()[0] == key)


@pytest.mark.parametrize("way", ["auto", "own"])
def test_a_memory_limit_that_is_hit_is_named_with_its_cgroup_and_how_often(run_assay, limited_memory, way):
    mine, inside = limited_memory
    run = run_assay(["LOAD", "TRUTH", "memory-steady", "256", "500"], [f"--cgroup={way}"], wrapper=inside)
    hits = int((mine / "memory.failcnt").read_text())
    outcome = run.info["outcome"]

    assert run.status == -signal.SIGKILL
    assert outcome["words"] == ("killed by SIGKILL (the kernel's OOM killer: memory.oom_control oom_kill rose by 1; "
                                "memory limit 64 MiB)")
    assert hits > 0 and f"is 64 MiB, it was hit {hits} times during the run" in outcome["evidence"], (hits, outcome)
    assert any(f"memory.limit_in_bytes of {mine}" in note and f"hit {hits} times" in note
               for note in run.info["notes"]), run.info["notes"]
    if way == "own":
        charged = run.headline["memory_peak_charged_bytes"]
        assert charged["quality"] == "exact"
        # The recorder is under the limit above as well, and a sanitizer makes it large.
        assert 32 * MIB <= charged["value"] <= 64 * MIB, charged


@pytest.mark.parametrize("way", ["auto", "own"])
def test_a_child_that_the_limit_killed_is_noted_though_the_job_ended_by_itself(run_assay, limited_memory, way):
    mine, inside = limited_memory
    job = ["sh", "-c", '"$0" "$1" memory-steady 256 500; exit 3', "LOAD", "TRUTH"]
    run = run_assay(job, [f"--cgroup={way}"], wrapper=inside)
    notes = " ".join(run.info["notes"])

    assert run.status == 3
    assert run.info["outcome"]["words"] == "exited 3"
    assert "the kernel's OOM killer killed 1 process in this cgroup during the run (memory.oom_control oom_kill)" in notes
    assert f"the memory limit of 64 MiB (memory.limit_in_bytes of {mine}): it was hit" in notes, notes
    assert "cache of files" not in notes, "the load's own memory filled it"


def test_a_limit_above_that_is_not_hit_is_not_spoken_of(run_assay, limited_memory):
    _, inside = limited_memory
    run = run_assay(["LOAD", "TRUTH", "memory-steady", "16", "100"], OWN, wrapper=inside)

    assert run.status == 0
    assert not any("OOM" in note or "memory limit" in note for note in run.info["notes"]), run.info["notes"]


def test_sources_that_were_asked_for_are_compared_in_the_end(run_assay, hierarchies):
    asked = ["--measurements", "keeper_cpu*,tree_cpu*,perf_*,cgroup_*"]
    run = run_assay(["LOAD", "TRUTH", "nocldwait", "100", "3"], [*asked, *OWN], quiet=False)
    table = run.stderr.decode().split("sources of cpu ")[1].splitlines()
    lines = {line[2:].split()[0 if line[2] != "*" else 1]: line for line in table[1:5]}

    assert all(len(line) <= 80 for line in run.stderr.decode().splitlines())
    assert lines["cgroup_cpu_seconds"].startswith("  * ") and " = " in lines["cgroup_cpu_seconds"]
    assert " >= " in lines["keeper_cpu_seconds"]
    rungs = {rung["key"]: rung for rung in run.info["rungs"]["cpu"]}
    whole, kept = rungs["cgroup_cpu_seconds"]["value"], rungs["keeper_cpu_seconds"]["value"]
    assert lines["keeper_cpu_seconds"].endswith(f"{100 * (kept - whole) / whole:+.2f} %"), (lines, rungs)


def test_nothing_is_compared_when_nothing_was_chosen(run_assay):
    run = run_assay(["true"], quiet=False)

    assert b"sources of" not in run.stderr
    assert len(run.info["rungs"]["cpu"]) >= 2, json.dumps(run.info["rungs"])


@pytest.fixture
def counting_cgroup():
    """A cgroup of the test's own that counts CPU time, and the words that run a command in it."""
    found = own_directories()
    directory = found.get("cpuacct", found.get(""))
    if os.geteuid() != 0 or not directory:
        pytest.skip("needs root and a cgroup that counts CPU time")
    mine = directory / f"assay-test-{os.getpid()}"
    mine.mkdir()
    yield mine, ["sh", "-c", f'echo $$ >{mine}/cgroup.procs && exec "$@"', "sh"]
    remove(directory, mine)


def test_a_cgroup_that_holds_only_the_run_bounds_what_was_lost(run_assay, counting_cgroup):
    mine, inside = counting_cgroup
    run = run_assay(["LOAD", "TRUTH", "nocldwait", "100", "3"], wrapper=inside)
    claim, truth = run.headline["cpu_seconds"], run.truth

    # Who came and left meanwhile would show at neither end.
    assert claim["quality"] == "lower_bound", claim
    # The load cannot count the end of its children, and the cgroup does.
    whole = counted_seconds(mine)
    assert claim["lower"] <= whole - run.info["self"]["cpu_seconds"], (claim, truth, whole)
    assert truth["cpu_seconds"] <= claim["upper"] <= whole, (claim, truth, whole)


def test_who_came_and_left_meanwhile_is_not_taken_for_the_job(run_assay, counting_cgroup, room):
    mine, inside = counting_cgroup
    burn = "import time\nwhile time.process_time() < 0.5: pass"
    # A process that is none of the job's: it is born before it, waits for it to be there and is gone before its end.
    script = (f"cd {room}; mkfifo go done; "
              f"sh -c 'read _ <go; echo $$ >{mine}/cgroup.procs; python3 -c \"{burn}\"; echo $$ >{mine.parent}/cgroup.procs; echo >done' & "
              f'echo $$ >{mine}/cgroup.procs && exec "$@"')
    job = f'echo >{room}/go; read _ <{room}/done; exec "$@"'
    run = run_assay(["sh", "-c", job, "sh", "LOAD", "TRUTH", "known-odd-signals", "16", "5"], wrapper=["sh", "-c", script, "sh"])
    claim, truth = run.headline["cpu_seconds"], run.truth["cpu_seconds"]
    rung, = (rung for rung in run.info["rungs"]["cpu"] if rung["key"] == "cgroup_cpu_seconds")
    perf, = (rung for rung in run.info["rungs"]["cpu"] if rung["key"] == "perf_cpu_seconds")

    assert run.status == 0, run.stderr
    assert rung["quality"] == "upper_bound" and rung["value"] >= 0.5, rung
    assert abs(claim["value"] - truth) <= (run.truth["unfolded"] + 1) * run.truth["end_ns"] / 1e9 + CPU_TOLERANCE_SECONDS, (claim, run.truth)
    if "value" in perf and not run.perf_misses_ends(claim):
        assert claim["quality"] == "exact" and claim["key"] != "cgroup_cpu_seconds", claim
        assert not any("SIGCHLD" in note or "SA_NOCLDWAIT" in note for note in run.info["notes"]), run.info["notes"]


def test_in_a_cgroup_that_is_shared_the_count_is_a_bound(run_assay, counting_cgroup):
    mine, inside = counting_cgroup
    script = 'sleep 60 & other=$!; "$@"; status=$?; kill $other; exit $status'
    run = run_assay(["LOAD", "TRUTH", "nocldwait", "100", "3"], wrapper=[*inside, "sh", "-c", script, "sh"])
    claim, truth = run.headline["cpu_seconds"], run.truth
    rung, = (rung for rung in run.info["rungs"]["cpu"] if rung["key"] == "cgroup_cpu_seconds")

    assert claim["quality"] == "lower_bound", claim
    assert truth["cpu_seconds"] <= claim["upper"] <= counted_seconds(mine), (claim, truth)
    assert (rung["quality"], rung["in_use"]) == ("upper_bound", False), rung
    assert rung["value"] == claim["upper"]


def test_a_shared_cgroup_that_counted_nothing_else_shows_that_nothing_was_lost(run_assay, counting_cgroup):
    _, inside = counting_cgroup
    script = 'sleep 60 & other=$!; "$@"; status=$?; kill $other; exit $status'
    run = run_assay(["LOAD", "TRUTH", "children", "100", "3"], ["--measurements", "default,-perf_*"],
                    wrapper=[*inside, "sh", "-c", script, "sh"])
    claim, truth = run.headline["cpu_seconds"], run.truth["cpu_seconds"]

    assert (claim["quality"], claim["key"]) == ("exact", "keeper_cpu_seconds"), claim
    assert abs(claim["value"] - truth) <= 0.03, (claim, truth)


def test_a_peak_that_others_reached_before_the_run_is_not_called_the_jobs(run_assay, load, limited_memory):
    mine, inside = limited_memory
    earlier = run_assay.spawn([*inside, str(load), os.devnull, "memory-steady", "40", "0"], "earlier")
    assert earlier.wait(60) == 0
    before = int((mine / "memory.max_usage_in_bytes").read_text())
    run = run_assay(["LOAD", "TRUTH", "memory-steady", "8", "300"], wrapper=inside)
    small = run.headline["memory_peak_charged_bytes"]
    rung, = (rung for rung in run.info["rungs"]["memory_charged_peak"] if rung["key"] == small["key"])
    large = run_assay(["LOAD", "TRUTH", "memory-steady", "52", "300"], wrapper=inside).headline["memory_peak_charged_bytes"]

    assert 40 * MIB <= before < 52 * MIB
    # Others are in it, and what came between samples is not seen: neither bound holds.
    assert (small["quality"], small["key"]) == ("estimate", "cgroup_memory_current_bytes"), small
    assert (rung["quality"], rung["value"]) == (small["quality"], small["value"]), rung
    assert 8 * MIB <= small["value"] < before and "from before the run" in small["why"], (small, before)
    assert (large["quality"], large["key"]) == ("upper_bound", "cgroup_memory_peak_bytes"), large
    assert large["value"] == int((mine / "memory.max_usage_in_bytes").read_text()) >= 52 * MIB
    assert "shares with others" in large["why"]


def test_none_says_of_the_limits_it_tells_that_a_cgroup_may_bind_more_tightly(run_assay):
    run = run_assay(["true"], ["--cgroup=none"])
    tightest = next(limit for limit in run.info["target_limits"] if limit["name"] == "memory" and limit["tightest"])

    assert tightest["source"] != "cgroup" and "--cgroup=none" in tightest["note"], tightest
