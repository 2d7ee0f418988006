# SPDX-License-Identifier: MIT
"""The end of a job: who dies with the command, and who lives on. What cannot be known by then is not called exact."""
import os
import shutil
import signal

import pytest

from checks import BASELINE_BYTES, MIB
from support import alive, skip_with_a_sanitizer, wait_for

# No more than tells one from the other: on a crowded machine to touch 600 MiB takes longer than a test waits.
BIG_MIB, HOLD_MIB = 160, 80
LIVE_MIB = 120
LONG_INTERVAL = ["-i", "30s"]
BOUNDS = ("cpu_seconds", "cpu_mean_cores", "memory_peak_process_bytes", "io_read_bytes", "io_write_bytes",
          "io_read_syscall_bytes", "io_write_syscall_bytes")


def process_peak(run):
    return run.headline["memory_peak_process_bytes"]


def check_bound(claim, truth, words):
    """Not exact, on its own side of the truth, and with its reason."""
    assert claim["quality"] == "lower_bound", claim
    assert claim["value"] <= truth + BASELINE_BYTES, claim
    assert words in claim["why"], claim


def start_dying(run_assay, room, user, command, options):
    ready = room / "ready"
    started = run_assay.start([*command, "LOAD", "TRUTH", "peak-then-hold", str(BIG_MIB), str(HOLD_MIB), str(ready)], options, user=user)
    wait_for(ready.exists, "the memory to be held")
    return started


def check_died_with_the_command(run):
    """Its peak is known because it was waited for, or is called a bound; it does not live on in either case."""
    claim = process_peak(run)
    assert run.info["processes"]["survivors"] == [], run.info["processes"]
    if claim["quality"] == "exact":
        assert BIG_MIB * MIB <= claim["value"] <= BIG_MIB * MIB + BASELINE_BYTES, claim
    else:
        check_bound(claim, BIG_MIB * MIB, "still ending")
        assert "upper" not in run.headline["memory_peak_bytes"], run.headline["memory_peak_bytes"]


@pytest.mark.parametrize("options", [[], LONG_INTERVAL], ids=["often", "never_sampled"])
@pytest.mark.parametrize("name", ["TERM", "HUP", "INT"])
def test_a_process_that_a_signal_to_the_group_ends_has_its_peak(run_assay, room, user, options, name):
    # A shell makes what it starts in the background deaf to SIGINT.
    script = 'env --default-signal=INT "$@" & wait'
    started = start_dying(run_assay, room, user, ["sh", "-c", script, "sh"], options)
    os.killpg(started.process.pid, signal.Signals["SIG" + name])

    check_died_with_the_command(started.finish())


def test_a_process_stopped_by_timeout_has_its_peak(run_assay, room, user):
    """timeout(1) signals the group it made, and ends when its own child has."""
    script = 'echo $$ >shell; "$@" & wait'
    started = start_dying(run_assay, room, user, ["timeout", "60", "sh", "-c", script, "sh"], LONG_INTERVAL)
    os.kill(os.getpgid(int((room / "shell").read_text())), signal.SIGTERM)

    check_died_with_the_command(started.finish())


def test_a_daemon_killed_just_before_the_end_is_not_a_survivor(run_assay, room, user):
    """Whoever kills it ends at once."""
    script = 'setsid "$@" & while [ ! -e ready ]; do sleep 0.01; done; kill -KILL $!'
    started = start_dying(run_assay, room, user, ["sh", "-c", script, "sh"], LONG_INTERVAL)

    check_died_with_the_command(started.finish())


@pytest.mark.parametrize("shape", ["survivor-of-a-child", "survivor-of-an-exec"])
def test_what_a_survivor_waited_for_or_was_is_not_claimed_to_be_known(run_assay, room, user, shape):
    gate = room / "gate"
    try:
        run = run_assay.load(shape, LIVE_MIB, gate, options=LONG_INTERVAL, user=user)
    finally:
        gate.touch()
    pids = [process["pid"] for process in run.info["processes"]["survivors"]]
    wait_for(lambda: not any(map(alive, pids)), "the survivor to end")

    assert len(pids) == run.info["processes"]["survivors_count"] == 1
    check_bound(process_peak(run), run.truth["memory_peak_process_bytes"], "lived on after the command")
    assert "upper" not in run.headline["memory_peak_bytes"]
    assert {name: run.headline[name]["quality"] for name in BOUNDS if run.headline[name]["quality"] == "exact"} == {}
    for quantity in ("memory_process", "cpu", "io_write_syscall"):
        in_use = [rung for rung in run.info["rungs"][quantity] if rung["in_use"]]
        assert [rung["quality"] for rung in in_use] == ["lower_bound"], in_use


def test_the_record_of_a_run_that_goes_on_claims_no_exact_peak(run_assay, room, user):
    """Should the recorder be killed now it is all there is; assay writes it when it is told to end."""
    skip_with_a_sanitizer(run_assay.assay, "makes the recorder so large that the largest process is the one it inherits")
    script = 'trap "" TERM; touch ready; while [ ! -e gate ]; do sleep 0.01; done'
    started = run_assay.start(["sh", "-c", script], LONG_INTERVAL, user=user)

    def peak_so_far():
        started.process.send_signal(signal.SIGTERM)
        return started.running_info().get("headline", {}).get("memory_peak_process_bytes")

    try:
        wait_for((room / "ready").exists, "the job to run")
        peak = wait_for(peak_so_far, "what is known so far")
        state = started.running_info()["state"]
    finally:
        (room / "gate").touch()

    assert (state, peak["quality"]) == ("running", "lower_bound"), peak
    assert started.finish().info["processes"]["survivors"] == []


def test_wait_all_knows_what_a_survivor_waited_for(run_assay, room, user):
    gate = room / "gate"
    started = run_assay.start(["LOAD", "TRUTH", "survivor-of-a-child", str(LIVE_MIB), str(gate)], ["--wait-all", *LONG_INTERVAL], user=user)
    wait_for(started.truth, "the command's end")
    gate.touch()
    run = started.finish()

    assert process_peak(run)["value"] >= LIVE_MIB * MIB, process_peak(run)
    assert "lived on" not in process_peak(run).get("why", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount /proc anew and to make a setuid program")
def test_a_survivor_that_proc_hides_is_known_to_be_there(run_assay, room, load, ordinary_user):
    if os.statvfs(room).f_flag & os.ST_NOSUID:
        pytest.skip(f"the file system of {room} ignores the setuid bit")
    image = room / "setuid-load"
    shutil.copy(load, image)
    image.chmod(0o4755)
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t proc -o hidepid=2 proc /proc && exec setpriv "$@"', "sh",
              f"--reuid={ordinary_user.uid}", f"--regid={ordinary_user.gid}", "--clear-groups"]
    script = f'{image} {room}/truth owner-for-good 60000 & echo $! >left; while [ -e /proc/$!/stat ]; do sleep 0.01; done; exit 0'
    run = run_assay(["sh", "-c", script], LONG_INTERVAL, wrapper=hidden)
    os.kill(int((room / "left").read_text()), signal.SIGKILL)

    assert run.status == 0, run.stderr
    # A look that fell between its fork and its exec has seen it: then it is known by its pid.
    seen = [one["pid"] for one in run.info["processes"]["survivors"]]
    assert seen in ([], [int((room / "left").read_text())])
    assert {name: run.headline[name]["quality"] for name in BOUNDS if run.headline[name]["quality"] == "exact"} == {}
    assert seen or "hidepid" in process_peak(run)["why"], process_peak(run)
    assert "upper" not in run.headline["memory_peak_bytes"]
