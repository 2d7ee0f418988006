# SPDX-License-Identifier: MIT
"""Limits of a run: what they end and what they leave alone, how, and what the record says of it."""
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from support import CPU_TOLERANCE_SECONDS, alive, read_info, skip_with_a_sanitizer, wait_for

MIB = 1 << 20
LIMIT_HIT = 124
GRACE = "--limit-grace=300ms"


def limited(limits, *more):
    return ["--limit", limits, *more]


def family_of(room):
    """Processes that name this test's room: the job and what it started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(room).encode() in path.read_bytes() and alive(int(path.parent.name)):
                found.append(int(path.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


@pytest.fixture
def no_survivors(room):
    """After the test nothing of the job lives, also when the test has failed."""
    yield
    for pid in family_of(room):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def unified():
    """The version 2 cgroup in which tests run, if a cgroup can be made below it."""
    path = next((line.split(":", 2)[2] for line in Path("/proc/self/cgroup").read_text().splitlines()
                 if line.startswith("0::")), None)
    points = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()
              if " - cgroup2 " in line]
    if path is None or not points:
        pytest.skip("needs a mounted cgroup of version 2")
    directory = Path(points[0] + (path if path != "/" else ""))
    try:
        (directory / "assay-test").mkdir()
    except OSError as error:
        pytest.skip(f"needs leave to make a cgroup in {directory}: {error.strerror}")
    kill = (directory / "assay-test" / "cgroup.kill").exists()
    (directory / "assay-test").rmdir()
    if not kill:
        pytest.skip("needs cgroup.kill, Linux 5.14")
    return directory


def cgroup_of(directory, recorder):
    """Where the cgroup is that a recorder makes; others run beside ours and have theirs."""
    return directory / f"assay-run-{recorder}"


# Each: the limit, the job, what the record must say was there: more than the limit, at most what the job ever had. Memory is judged while it is
# still being filled. The last of the processes is the first beyond the limit, so that none is forked after the signal.
HIT = {
    "wall": ("wall=400ms", ["sleep", "60"], (0.4, None)),
    "cpu": ("cpu=300ms", ["LOAD", "TRUTH", "steady", "60000"], (0.3, None)),
    "memory": ("memory=40M", ["LOAD", "TRUTH", "memory-steady", "64", "60000"], (40 * MIB, 68 * MIB)),
    "processes": ("processes=8", ["LOAD", "TRUTH", "idle", "8", "60000"], (9, 9)),
}


@pytest.mark.parametrize("name", HIT)
def test_a_job_beyond_a_limit_is_stopped_with_status_124(run_assay, room, user, name, no_survivors):
    limits, command, (least, most) = HIT[name]
    run = run_assay(command, limited(limits), user=user)
    limit = run.info["limit"]
    # How soon it is noticed is the machine's; but it is of what there was when all was over.
    if most is None:
        most = run.headline[f"{name}_seconds"]["value"] + CPU_TOLERANCE_SECONDS

    assert run.status == LIMIT_HIT
    assert limit["name"] == name
    assert least <= limit["value"] <= most, limit
    assert limit["limit"] < limit["value"]
    assert (limit["soft_signal"], limit["killed"], limit["emptied"]) == ("SIGTERM", False, True)
    assert "stopped by our" in run.info["outcome"]["words"]
    assert limit["key"] in run.info["outcome"]["evidence"]
    assert run.info["outcome"]["signal_name"] == "SIGTERM"
    assert run.info["options"]["limits"] == limits
    assert run.info["options"]["limit_grace_seconds"] == 10
    assert family_of(room) == []


WITHIN = {
    "wall": ("wall=60s", ["sleep", "0.3"]),
    "cpu": ("cpu=5s", ["LOAD", "TRUTH", "steady", "300"]),
    "memory": ("memory=80M", ["LOAD", "TRUTH", "memory-steady", "64", "500"]),
    "as_many_processes_as_allowed": ("processes=10", ["LOAD", "TRUTH", "idle", "8", "500"]),
    "all": ("wall=1h cpu=1h,memory=1T, processes=1000", ["LOAD", "TRUTH", "memory-steady", "8", "300"]),
}


@pytest.mark.parametrize("name", WITHIN)
def test_a_job_within_its_limits_ends_as_without_them(run_assay, user, name):
    limits, command = WITHIN[name]
    run = run_assay(["sh", "-c", '"$@"; exit 3', "sh", *command], limited(limits), user=user)

    assert run.status == 3
    assert "limit" not in run.info
    assert run.info["outcome"]["words"] == "exited 3"
    assert run.info["options"]["limits"] == limits


def test_a_limit_judges_by_what_was_not_asked_for(run_assay, no_survivors):
    run = run_assay(["LOAD", "TRUTH", "memory-steady", "64", "60000"],
                    limited("memory=40M", "--measurements", "tree_elapsed_seconds", "-i", "60s"))

    assert run.status == LIMIT_HIT
    assert run.info["limit"]["name"] == "memory"
    assert [m["key"] for m in run.info["measurements"]] == ["tree_elapsed_seconds"]


@pytest.mark.parametrize("limits, name", [("wall=1h, memory=40M", "memory"), ("memory=40G wall=400ms", "wall"),
                                          ("cpu=1h,processes=1,wall=1h", "processes")])
def test_the_first_limit_that_is_passed_is_the_one_recorded(run_assay, no_survivors, limits, name):
    run = run_assay(["sh", "-c", '"$@"; true', "sh", "LOAD", "TRUTH", "memory-steady", "64", "60000"], limited(limits))

    assert run.status == LIMIT_HIT
    assert run.info["limit"]["name"] == name


def test_shared_memory_is_counted_once(run_assay, user):
    # The sum of RSS is 540 MiB.
    run = run_assay(["LOAD", "TRUTH", "memory-shared", "60", "9", "1500"], limited("memory=100M"), user=user)

    assert run.status == 0
    assert "limit" not in run.info
    assert run.info["summary"]["proc_peak_rss_total_bytes"]["value"] > 400 * MIB
    assert run.headline["memory_peak_bytes"]["value"] < 100 * MIB


def test_shared_memory_beyond_the_limit_is_beyond_it(run_assay, no_survivors):
    run = run_assay(["LOAD", "TRUTH", "memory-shared", "60", "9", "60000"], limited("memory=50M"))

    assert run.status == LIMIT_HIT
    assert 50 * MIB < run.info["limit"]["value"] < 70 * MIB


def test_the_moment_between_fork_and_exec_of_a_big_process_passes_for_nothing(run_assay):
    run = run_assay(["LOAD", "TRUTH", "memory-forks", "100", "4", "400"], limited("memory=150M"))

    assert run.status == 0
    assert "limit" not in run.info
    assert run.info["summary"]["proc_peak_rss_total_bytes"]["value"] > 150 * MIB, "or nothing was tried"


def test_a_job_that_ends_within_the_grace_ends_in_its_own_way(run_assay, room, user):
    script = f'trap "echo saved >{room}/saved; exit 9" TERM; while :; do sleep 0.05; done'
    run = run_assay(["sh", "-c", script], limited("wall=300ms"), user=user)

    assert run.status == LIMIT_HIT
    assert (room / "saved").read_text() == "saved\n"
    assert run.info["outcome"]["exit_code"] == 9
    assert run.info["limit"]["killed"] is False
    assert "way" not in run.info["limit"]
    assert run.info["limit"]["emptied"] is True


def test_a_job_that_ends_by_itself_at_the_same_moment_was_not_stopped(run_assay):
    # Whichever comes first, all that is said of it agrees.
    for i in range(20):
        run = run_assay(["sleep", f"0.{985 + i:04}"], limited("wall=100ms"))
        stopped = "limit" in run.info

        assert run.status == (LIMIT_HIT if stopped else 0)
        assert run.info["outcome"].get("signal_name") == ("SIGTERM" if stopped else None)
        assert ("stopped by our" in run.info["outcome"]["words"]) == stopped


def test_a_signal_during_the_grace_reaches_the_job_as_ever(run_assay, room):
    script = f'trap "touch {room}/told" TERM; trap "exit 7" USR1; while :; do sleep 0.05; done'
    started = run_assay.start(["sh", "-c", script], limited("wall=300ms", "--limit-grace=60s"))
    wait_for((room / "told").exists, "the soft signal")
    limit = wait_for(lambda: read_info(started.prefix).get("limit"), "the record to say what happens")
    assert (limit["name"], limit["killed"], limit["emptied"]) == ("wall", False, False)
    started.process.send_signal(signal.SIGUSR1)
    run = started.finish()

    assert run.status == LIMIT_HIT
    assert run.info["outcome"]["exit_code"] == 7
    assert run.info["limit"]["killed"] is False


# All have the room in their command line; the last word is what stays in the foreground.
STUBBORN = {
    "ignores_the_signal": "trap '' TERM; sleep 60 & while :; do sleep 1; done",
    "daemons": 'setsid -f "$LOAD" "$TRUTH" idle 3 60000; (trap "" TERM; "$LOAD" "$TRUTH" idle 3 60000 &) ; sleep 60',
    "daemons_alone": 'trap "exit 0" TERM; (trap "" TERM; setsid "$LOAD" "$TRUTH" idle 3 60000) & wait',
    "stopped": 'trap "" TERM; "$LOAD" "$TRUTH" idle 3 60000 & sleep 0.1; kill -STOP $! $$',
    "grows_again": 'exec "$LOAD" "$TRUTH" hydra 50',
}


@pytest.mark.parametrize("name", STUBBORN)
def test_nothing_of_a_stubborn_job_is_left(run_assay, room, user, name, no_survivors):
    names = {"LOAD": str(run_assay.load_path), "TRUTH": f"{room}/truth"}
    script = STUBBORN[name].replace("$LOAD", names["LOAD"]).replace("$TRUTH", names["TRUTH"])
    # That one is ended when it has grown to the full.
    limits = "processes=49" if name == "grows_again" else "wall=600ms"
    run = run_assay(["sh", "-c", script, str(room)], limited(limits, GRACE), user=user)
    limit = run.info["limit"]

    assert run.status == LIMIT_HIT
    assert family_of(room) == []
    assert (limit["killed"], limit["emptied"]) == (True, True)
    assert run.info["processes"]["survivors_count"] == 0
    if name == "grows_again":
        assert run.info["summary"]["tree_peak_processes_count"]["value"] >= 50


def test_what_grows_again_is_gone_without_a_cgroup_too(run_assay, room, ordinary_user, no_survivors):
    run = run_assay(["LOAD", "TRUTH", "hydra", "50"], limited("wall=600ms", GRACE), user=ordinary_user)

    assert run.info["limit"]["emptied"] is True
    if "limit_cgroup" not in run.info["options"]:
        assert run.info["limit"]["way"] == "one by one"
    assert family_of(room) == []


@pytest.mark.parametrize("who", ["job", "whole_group"])
def test_wall_time_goes_on_while_all_are_stopped(run_assay, room, who, no_survivors):
    # The whole group: the recorder and the keeper, too.
    script = f'trap "echo saved >{room}/saved; exit 0" TERM; kill -STOP {"$$" if who == "job" else "0"}; while :; do sleep 0.05; done'
    run = run_assay(["sh", "-c", script], limited("wall=400ms", "--limit-grace=60s"))

    assert run.status == LIMIT_HIT
    assert (room / "saved").exists()
    assert (run.info["limit"]["killed"], run.info["limit"]["emptied"]) == (False, True)


@pytest.mark.parametrize("signal_name", ["STOP", "TSTP"])
def test_a_grace_ends_while_all_are_stopped(run_assay, room, signal_name, no_survivors):
    script = f'trap "kill -{signal_name} 0" TERM; while :; do sleep 0.05; done'
    run = run_assay(["sh", "-c", script], limited("wall=400ms", GRACE))

    assert run.status == LIMIT_HIT
    assert (run.info["limit"]["killed"], run.info["limit"]["emptied"]) == (True, True)


def test_nobody_else_is_killed(run_assay, room, user):
    # The sleeper is a child of the recorder itself, in its process group; the other one is of the test.
    pid_file = room / "sibling"
    other = subprocess.Popen(["sleep", "60"], **user.popen_arguments())
    try:
        run = run_assay(["sh", "-c", 'trap "" TERM; while :; do sleep 1; done'], limited("wall=400ms", GRACE), user=user,
                        wrapper=["sh", "-c", f'sleep 60 & echo $! >{pid_file}; exec "$@"', "sh"])
        sibling = int(pid_file.read_text())
        lived = alive(sibling), alive(other.pid)
        os.kill(sibling, signal.SIGKILL)
    finally:
        other.kill()
        other.wait()

    assert run.status == LIMIT_HIT
    assert run.info["limit"]["killed"] is True
    assert lived == (True, True)


def test_a_process_that_is_not_ours_to_kill_is_named(run_assay, room, load, ordinary_user, no_survivors):
    if os.geteuid() != 0:
        pytest.skip("needs root to make a program of another user with the setuid bit")
    if os.statvfs(room).f_flag & os.ST_NOSUID:
        pytest.skip(f"the file system of {room} ignores the setuid bit")
    image = room / "setuid-load"
    shutil.copy(load, image)
    image.chmod(0o4755)
    run = run_assay(["sh", "-c", f"{image} {room}/truth owner-for-good 60000 & sleep 60"],
                    limited("wall=400ms", GRACE), user=ordinary_user)
    left = family_of(room)

    assert run.status == LIMIT_HIT
    if "limit_cgroup" in run.info["options"]:
        pytest.skip("the ordinary user has a cgroup here, which kills whoever owns the process")
    assert run.info["limit"]["emptied"] is False
    assert [p["pid"] for p in run.info["processes"]["survivors"]] == left
    assert any("could not be killed (EPERM)" in note and str(left[0]) in note for note in run.info["notes"])


def test_the_jobs_own_cgroup_kills_it_as_a_whole_and_is_removed(run_assay, room, unified, no_survivors):
    run = run_assay(["LOAD", "TRUTH", "hydra", "50"], limited("wall=600ms", GRACE))

    assert run.info["limit"]["way"] == "cgroup.kill"
    assert run.info["limit"]["emptied"] is True
    assert Path(run.info["options"]["limit_cgroup"]).parent == unified
    assert run.headline["io_write_syscall_bytes"]["value"] == 0, "moving the job is not the job's I/O"
    assert not cgroup_of(unified, run.info["monitor"]["pid"]).exists()


def test_a_daemon_that_may_live_on_is_back_where_it_would_be(run_assay, room, unified, no_survivors):
    script = 'setsid "$0" "$1" until-file "$2" 0 & exit 4'
    run = run_assay(["sh", "-c", script, "LOAD", "TRUTH", str(room / "gate")], limited("wall=1h"))
    pid, = (p["pid"] for p in run.info["processes"]["survivors"])
    own = [line for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines() if line.startswith("0::")]

    assert run.status == 4
    assert f"{own[0]}\n" in Path("/proc/self/cgroup").read_text()
    assert not cgroup_of(unified, run.info["monitor"]["pid"]).exists()


def test_a_cgroup_that_the_job_made_itself_goes_too(run_assay, room, unified, no_survivors):
    script = f'd={unified}/assay-run-$(sed -n "s/^PPid:.//p" /proc/$PPID/status); mkdir $d/sub && echo $$ >$d/sub/cgroup.procs; sleep 60'
    run = run_assay(["sh", "-c", f"trap '' TERM; {script}"], limited("wall=500ms", GRACE))

    assert run.info["limit"]["way"] == "cgroup.kill"
    assert not cgroup_of(unified, run.info["monitor"]["pid"]).exists()


def test_the_keeper_removes_the_cgroup_of_a_recorder_that_was_killed(run_assay, room, unified):
    gate = room / "gate"
    started = run_assay.start(["LOAD", "TRUTH", "until-file", str(gate), "0"], limited("wall=1h"))
    started.running_info()
    made = cgroup_of(unified, started.process.pid)
    assert made.is_dir()
    started.process.kill()
    started.process.wait()
    gate.touch()

    wait_for(lambda: not made.exists(), "the cgroup to be removed")


def test_a_user_with_a_delegated_cgroup_has_the_same(run_assay, room, unified, ordinary_user, no_survivors):
    if os.geteuid() != 0:
        pytest.skip("needs root to delegate a cgroup")
    mine = unified / f"assay-test-{os.getpid()}"
    mine.mkdir()
    try:
        for path in (mine, mine / "cgroup.procs"):
            os.chown(path, ordinary_user.uid, ordinary_user.gid)
        run_as = ["setpriv", f"--reuid={ordinary_user.uid}", f"--regid={ordinary_user.gid}", "--clear-groups"]
        run = run_assay(["LOAD", "TRUTH", "hydra", "50"], limited("wall=600ms", GRACE),
                        wrapper=["sh", "-c", f'echo $$ >{mine}/cgroup.procs; exec "$@"', "sh", *run_as])
    finally:
        mine.rmdir()

    assert (run.info["limit"]["way"], run.info["limit"]["emptied"]) == ("cgroup.kill", True)
    assert Path(run.info["options"]["limit_cgroup"]).parent == mine
    assert run.info["user"]["uid"] == ordinary_user.uid


def test_a_command_that_cannot_start_leaves_no_cgroup(run_assay, unified):
    started = run_assay.start(["no-such-command-anywhere"], limited("wall=1h"))

    assert started.finish(complete=False).status == 127
    assert not cgroup_of(unified, started.process.pid).exists()


def test_wait_all_limits_what_the_command_left_behind(run_assay, room, no_survivors):
    script = '"$0" "$1" idle 2 60000 & exit 5'
    run = run_assay(["sh", "-c", script, "LOAD", "TRUTH"], limited("wall=500ms", "--wait-all"))

    assert run.status == LIMIT_HIT
    assert run.info["outcome"]["exit_code"] == 5
    assert run.info["limit"]["emptied"] is True
    assert family_of(room) == []


def test_the_summary_says_what_was_beyond_the_limit(run_assay):
    run = run_assay(["sleep", "60"], limited("wall=300ms"), quiet=False)
    lines = run.stderr.decode().splitlines()

    assert lines[0].startswith("assay: stopped by our time limit (wall 0.300 s) after ")
    assert lines[1].startswith("  limit        wall: ")
    assert "nothing is left" in " ".join(lines)


def test_quiet_is_quiet(run_assay):
    run = run_assay(["sleep", "60"], limited("wall=300ms"))

    assert run.status == LIMIT_HIT
    assert run.stderr == b""


def test_a_limit_of_output_counts_what_is_captured(run_assay):
    run = run_assay(["sh", "-c", "for i in $(seq 40); do head -c 300000 /dev/zero; sleep 0.05; done"],
                    limited("output=1M", "-c", "stdout"))
    assert run.status == LIMIT_HIT
    assert run.info["limit"]["name"] == "output"
    assert MIB < run.info["limit"]["value"] < 12000000


BAD_LIMITS = {
    "": None,  # as if it was not there
    "nonsense": "no limit is called \"nonsense\"; known are wall, cpu, memory, processes, output",
    "time=2h": "no limit is called \"time\"",
    "wall": "limit wall has no value",
    "wall=": "limit wall has no value",
    "wall = 2h": "limit wall has no value",
    "wall=0": "limit wall: 0 is nothing at all",
    "wall=-1s": "\"-1s\" is not a duration",
    "cpu=soon": "limit cpu: \"soon\" is not a duration",
    "memory=8": "\"8\" has no unit",
    "memory=8GB": "by 1000 or by 1024",
    "memory=0G": "nothing at all",
    "memory=-1G": "\"-1G\" is not a size",
    "memory=99999999999G": "not a size",
    "processes=0": "nothing at all",
    "processes=1.5": "\"1.5\" is not a number of processes",
    "processes=18446744073709551616": "not a number of processes",
    "wall=1h,wall=2h": "limit wall is there twice",
    "output=1G": "add --capture-outputs",
    ",": "no limit is given",
}


@pytest.mark.parametrize("limits", [text for text, says in BAD_LIMITS.items() if says])
def test_a_limit_nobody_can_mean_is_refused_before_anything_starts(run_assay, room, limits):
    (room / "empty").mkdir()
    argv = [str(run_assay.assay), "run", "--limit", limits, "--", "touch", "started"]
    process = run_assay.spawn(argv, "bad", cwd=room / "empty")

    assert process.wait(60) == 2
    said = (room / "bad.stderr").read_text()
    assert BAD_LIMITS[limits] in said and said.count("\n") == 1, said
    assert os.listdir(room / "empty") == []


def test_a_limit_from_the_environment_holds_and_is_named_when_it_is_bad(run_assay, room):
    run = run_assay(["sleep", "60"], env=run_assay.environment({"ASSAY_LIMIT": "wall=300ms"}))
    bad = run_assay(["touch", str(room / "started")], env=run_assay.environment({"ASSAY_LIMIT": "wall=never"}),
                    complete=False)

    assert run.status == LIMIT_HIT
    assert bad.status == 2
    assert b"ASSAY_LIMIT" in bad.stderr
    assert not (room / "started").exists()


def test_without_proc_no_limit_can_be_kept_and_none_is_promised(run_assay, room):
    skip_with_a_sanitizer(run_assay.assay, "itself needs /proc")
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
        pytest.skip("needs root and leave to unshare a mount namespace")
    run = run_assay(["touch", str(room / "started")], limited("wall=1h"), complete=False,
                    wrapper=["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"])

    assert run.status == 2
    assert b"limits need /proc" in run.stderr
    assert not (room / "started").exists()


def memory_cgroup():
    """Where a memory cgroup of version 1 can be made with 64 MiB; None where it cannot."""
    path = Path("/sys/fs/cgroup/memory") / f"assay-test-{os.getpid()}"
    try:
        path.mkdir()
        (path / "memory.limit_in_bytes").write_text(str(64 * MIB))
        swap = path / "memory.memsw.limit_in_bytes"
        if swap.exists():
            swap.write_text(str(64 * MIB))
    except OSError:
        return None
    return path


@pytest.fixture
def small_cgroup():
    path = memory_cgroup()
    if path is None:
        pytest.skip("needs a memory controller of version 1 and leave to make a cgroup")
    yield path
    wait_for(lambda: not (path / "cgroup.procs").read_text(), "the cgroup to be empty")
    path.rmdir()


def test_a_job_that_the_oom_killer_ended_says_so_and_by_what_counter(run_assay, small_cgroup, room):
    # Only the job is in the small cgroup: it goes there itself, and is seen there before it grows.
    gate = room / "gate"
    script = (f'echo $$ >{small_cgroup}/cgroup.procs; "$0" "$1" until-file {gate} 0; '
              'exec "$0" "$1" memory-steady 200 1000')
    started = run_assay.start(["sh", "-c", script, "LOAD", "TRUTH"], ["-i", "50ms"])
    wait_for(lambda: (small_cgroup / "cgroup.procs").read_text(), "the job in its cgroup")
    job = started.running_info()["monitor"]["job_pid"]
    seen = (room / "run1-usage.jsonl")
    wait_for(lambda: seen.exists() and seen.read_text().count("\n") >= 2 and alive(job), "two windows")
    gate.touch()
    run = started.finish()

    assert run.status == -signal.SIGKILL
    assert run.info["outcome"]["words"] == \
        "killed by SIGKILL (the kernel's OOM killer: memory.oom_control oom_kill rose by 1; memory limit 64 MiB)"


def test_a_job_that_lost_a_child_to_the_oom_killer_has_it_noted(run_assay, small_cgroup, room):
    gate = room / "gate"
    script = (f'echo $$ >{small_cgroup}/cgroup.procs; "$0" "$1" until-file {gate} 0; '
              '"$0" "$1" memory-steady 200 1000; exit $?')
    started = run_assay.start(["sh", "-c", script, "LOAD", "TRUTH"], ["-i", "50ms"])
    wait_for(lambda: (small_cgroup / "cgroup.procs").read_text(), "the job in its cgroup")
    started.running_info()
    seen = (room / "run1-usage.jsonl")
    wait_for(lambda: seen.exists() and seen.read_text().count("\n") >= 2, "two windows")
    gate.touch()
    run = started.finish()

    assert run.status == 137
    assert run.info["outcome"]["words"] == "exited 137"
    assert any("OOM killer killed 1 process in this cgroup" in note for note in run.info["notes"]), run.info["notes"]


def test_a_sigkill_of_unknown_sender_is_called_that(run_assay):
    run = run_assay(["sh", "-c", "sleep 0.1; kill -KILL $$"])

    assert run.info["outcome"]["words"].startswith("killed by SIGKILL (")
    if "killed nothing on this machine" in run.info["outcome"]["evidence"]:
        assert run.info["outcome"]["words"] == "killed by SIGKILL (by whom is not known)"


def test_status_137_is_explained_as_what_it_may_be(run_assay):
    run = run_assay(["sh", "-c", "sh -c 'kill -KILL $$'; exit $?"])

    assert run.status == 137
    assert run.info["outcome"]["words"] == "exited 137"
    assert any(note.startswith("exit status 137 is what a shell gives") for note in run.info["notes"])


def test_an_output_limit_that_has_nothing_to_count_is_said_to_be_none(run_assay, room):
    run = run_assay(["echo", "more than nothing"], ["-c", "all", "--limit", "output=1K"], prefix="/proc/nowhere/",
                    quiet=False, complete=False)

    assert run.status == 0
    assert b"limit output: nothing is kept" in run.stderr
