# SPDX-License-Identifier: MIT
"""What goes wrong around a run must never change what the job does, and the record must not pretend."""
import json
import os
import re
import signal
import subprocess
import time

import pytest

from support import User, alive, read_info, read_usage, skip_with_a_sanitizer, state_of, wait_for

FAST = ["-i", "10ms", "--report-interval", "10ms"]


def complete_lines(path):
    """Every line of the series that has its end parses; how many there are."""
    lines = path.read_bytes().split(b"\n")[:-1]
    for line in lines:
        json.loads(line)
    return len(lines)


def test_a_disk_that_fills_up_costs_lines_and_not_the_job(run_assay, disk_of):
    full_disk = disk_of("256k")
    run = run_assay(["sh", "-c", '"$0" "$1" children 400 2; exit 3', "LOAD", "TRUTH"], FAST,
                    prefix=f"{full_disk}/", quiet=False, complete=False)

    assert run.status == 3
    assert run.truth["processes"] == 401
    complete_lines(full_disk / "usage.jsonl")
    assert b"exited 3" in run.stderr
    info = json.loads((full_disk / "info.json").read_bytes())
    assert info["state"] == "running" or info["self"]["records_lost"] > 0
    assert any(word in run.stderr.lower() for word in (b"lost", b"no space", b"not written")), run.stderr


@pytest.mark.parametrize("types, said", [("all", "none: {prefix}usage.jsonl is empty"), ("processes-samples", "none: {prefix}usage.jsonl is empty"),
                                         ("system-summary", "none: nothing of it could be written")])
def test_a_full_disk_leaves_no_file_that_the_summary_calls_a_record(run_assay, disk_of, types, said):
    disk = disk_of("256k")
    with open(disk / "ballast", "wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"x" * 4096)
    run = run_assay(["sh", "-c", "exit 3"], ["-t", types], prefix=f"{disk}/", quiet=False, complete=False)

    assert run.status == 3
    assert [path.name for path in disk.iterdir() if path.stat().st_size and path.name != "ballast"] == []
    record = re.search(rb"^  record +(.*)$", run.stderr, re.M)[1].decode()
    assert record == said.format(prefix=f"{disk}/")


@pytest.mark.parametrize("command", ["exit 3", "sleep 0.5; exit 3"])
def test_a_disk_that_has_room_for_the_series_alone_keeps_the_series(run_assay, disk_of, command):
    """info.json does not fit: what was kept free for it is of use to the other file."""
    disk = disk_of("48k")
    run = run_assay(["sh", "-c", command], prefix=f"{disk}/", quiet=False, complete=False)

    assert run.status == 3
    assert not (disk / "info.json").exists(), "or nothing was tried"
    assert complete_lines(disk / "usage.jsonl") >= 1
    last = json.loads((disk / "usage.jsonl").read_bytes().splitlines()[-1])
    assert last["values"]["keeper_cpu_seconds"]["last"] > 0
    assert b"info.json" in run.stderr, run.stderr


@pytest.mark.parametrize("blocks", [1, 64])
def test_a_file_size_limit_costs_the_record_and_not_the_job(run_assay, room, blocks):
    # What is said goes through somebody who has no limit: the file that takes it would be cut as well.
    said = room / "said"
    os.mkfifo(said)
    wrapper = ["sh", "-c", f'( cat "$0" >&2 & ); exec 2>"$0"; ulimit -f {blocks}; exec "$@"', str(said)]
    started = run_assay.start(["sh", "-c", "sleep 1; exit 3"], FAST, wrapper=wrapper, quiet=False)
    run = started.finish(complete=False)

    assert run.status == 3, "SIGXFSZ must not reach us"
    wait_for(lambda: b"  record  " in started.output("stderr"), "the whole summary")
    text = started.output("stderr")
    assert b"exited 3" in text
    if (room / "run1-usage.jsonl").exists():
        complete_lines(room / "run1-usage.jsonl")
    assert any(word in text.lower() for word in (b"lost", b"too large", b"no record", b"not written")), text


def test_the_job_still_dies_of_its_own_file_size_limit(run_assay, room):
    run = run_assay(["sh", "-c", f"ulimit -c 0; ulimit -f 1; exec head -c 100000 /dev/zero > {room}/big"])

    assert run.status == -int(signal.SIGXFSZ)


def test_an_unwritable_prefix_is_one_warning_and_the_job_runs(run_assay, ordinary_user, room):
    closed = room / "closed"
    closed.mkdir()
    closed.chmod(0o555)  # and made by root where the tests run as root
    run = run_assay(["sh", "-c", "echo here; exit 3"], prefix=f"{closed}/", quiet=False, user=ordinary_user, complete=False)

    assert run.status == 3
    assert run.stdout == b"here\n"
    assert os.listdir(closed) == []
    warning, *summary = run.stderr.decode().splitlines()
    assert str(closed) in warning
    assert any(line.split()[:1] == ["record"] and "none" in line for line in summary), summary


def test_a_prefix_below_a_file_is_one_warning_and_the_job_runs(run_assay, room):
    (room / "file").write_text("")
    run = run_assay(["sh", "-c", "exit 3"], prefix=f"{room}/file/x/", quiet=False, complete=False)

    assert run.status == 3
    assert b"nothing will be recorded" in run.stderr.splitlines()[0]


def test_quiet_is_quiet_even_when_nothing_can_be_recorded(run_assay, room):
    (room / "file").write_text("")
    run = run_assay(["sh", "-c", "exit 3"], prefix=f"{room}/file/x/", complete=False)

    assert run.status == 3
    assert run.stderr == b""


def running(run_assay, gate, code="5"):
    """A run whose job works until the gate exists, with two windows on disk already."""
    started = run_assay.start(["LOAD", "TRUTH", "until-file", str(gate), code], ["-i", "50ms", "--report-interval", "100ms"])
    wait_for(lambda: len(read_usage(started.prefix, torn_end=True)) >= 2, "two windows")
    return started, started.running_info()


def test_the_job_goes_on_to_its_end_when_assay_is_killed(run_assay, room):
    gate = room / "gate"
    started, info = running(run_assay, gate)
    os.kill(started.process.pid, signal.SIGKILL)
    assert started.wait(60) == -signal.SIGKILL
    assert alive(info["monitor"]["job_pid"])
    gate.touch()

    assert wait_for(started.truth, "the job to end in its own way")["processes"] == 1
    wait_for(lambda: not alive(info["monitor"]["job_pid"]), "the job to be gone")
    wait_for(lambda: not alive(info["monitor"]["keeper_pid"]), "the keeper to follow its job")
    assert read_info(started.prefix)["state"] == "running"
    assert len(read_usage(started.prefix, torn_end=True)) >= 2


def test_orphans_are_still_reaped_when_assay_is_killed(run_assay, room):
    gate, second = room / "gate", room / "second"
    script = '(sh -c \'echo $$ > "$0"\' "$2" &) ; "$0" "$1" until-file "$3" 0'
    started = run_assay.start(["sh", "-c", script, "LOAD", "TRUTH", str(second), str(gate)])
    info = started.running_info()
    os.kill(started.process.pid, signal.SIGKILL)
    started.wait(60)
    gate.touch()

    orphan = int(wait_for(lambda: second.exists() and second.read_text(), "the orphan"))
    wait_for(lambda: not os.path.exists(f"/proc/{orphan}"), "the orphan to be reaped")
    wait_for(lambda: not alive(info["monitor"]["keeper_pid"]), "the keeper to follow its job")


def test_the_death_of_the_keeper_is_noticed_and_the_exit_status_is_the_jobs(run_assay, room):
    gate = room / "gate"
    started, info = running(run_assay, gate)
    os.kill(info["monitor"]["keeper_pid"], signal.SIGKILL)
    wait_for(lambda: not alive(info["monitor"]["keeper_pid"]), "the keeper to be gone")
    assert alive(info["monitor"]["job_pid"]), "the job must not go down with the keeper"
    gate.touch()
    run = started.finish()

    assert run.status == 5
    assert run.info["outcome"]["exit_code"] == 5
    assert any("keeper" in note for note in run.info["notes"]), run.info["notes"]
    claim = run.headline["cpu_seconds"]
    assert claim["value"] <= run.truth["cpu_seconds"] + 0.02
    if claim["quality"] == "exact":
        assert claim["value"] >= run.truth["cpu_seconds"] - 0.02
    else:
        assert claim["quality"] in ("lower_bound", "estimate") and claim["why"]
        assert claim.get("upper", run.truth["cpu_seconds"]) >= run.truth["cpu_seconds"] - 0.02


def test_ten_thousand_processes_are_counted(run_assay):
    run = run_assay.load("children", 10000, 0)
    claim = run.headline["processes"]

    assert claim["value"] == 10001 if claim["quality"] == "exact" else claim["value"] <= 10001
    assert abs(run.headline["cpu_seconds"]["value"] - run.truth["cpu_seconds"]) <= 0.02 + 0.01 * run.truth["cpu_seconds"]


def test_processes_that_vanish_while_they_are_read_leave_no_trace_of_failure(run_assay, room):
    script = 'i=0; while [ $i -lt 300 ]; do (:) & /bin/true & i=$((i+1)); done; wait; exit 3'
    run = run_assay(["sh", "-c", script], ["-i", "20ms"], quiet=True)

    assert run.status == 3
    assert run.stderr == b""
    assert all(collector["failures"] == 0 for collector in run.info["collectors"] if collector.get("available"))
    claim = run.headline["processes"]
    assert claim["value"] == 601 if claim["quality"] == "exact" else claim["value"] <= 601


def test_few_descriptors_are_no_obstacle(run_assay):
    wrapper = ["sh", "-c", 'ulimit -n 32; exec "$@"', "sh"]
    run = run_assay(["LOAD", "TRUTH", "idle", "100", "500"], ["-i", "0.1s"], wrapper=wrapper)

    assert run.status == 0
    assert run.info["processes"]["seen"] == 101
    assert run.info["limits"]["nofile"]["soft"] == 32


def test_a_job_killed_by_its_user_leaves_its_numbers(run_assay, room):
    gate = room / "gate"
    started, info = running(run_assay, gate)
    os.kill(info["monitor"]["job_pid"], signal.SIGKILL)
    run = started.finish()

    assert run.status == -signal.SIGKILL
    assert run.info["outcome"]["signal_name"] == "SIGKILL"
    assert run.headline["cpu_seconds"]["value"] > 0
    assert run.info["user"]["uid"] == User().uid


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a network namespace")
def test_without_process_events_and_perf_less_is_claimed_and_nothing_else_changes(run_assay):
    # On a quiet machine the cgroup, which has no room for lost children, would make it exact.
    run = run_assay(["LOAD", "TRUTH", "children", "20", "5"], ["--measurements", "default,-perf_*", "--cgroup=none"],
                    wrapper=["unshare", "--net"])

    assert run.status == 0
    connector = next(c for c in run.info["collectors"] if c["name"] == "connector")
    assert not connector["available"] and "network namespace" in connector["why"]
    assert run.headline["processes"]["quality"] == "lower_bound"
    assert run.headline["processes"]["value"] <= run.truth["processes"]
    assert "upper" not in run.headline["memory_peak_bytes"]
    assert run.headline["cpu_seconds"]["value"] == pytest.approx(run.truth["cpu_seconds"], abs=0.02)
    assert "SA_NOCLDWAIT" in run.headline["cpu_seconds"]["why"]


@pytest.mark.parametrize("kib", [32, 64])
def test_a_small_stack_is_enough(run_assay, kib):
    """Batch systems and thread-heavy sites hand on small limits; the job's own stack is not ours to need more of."""
    skip_with_a_sanitizer(run_assay.assay, "makes stack frames many times larger")
    wrapper = ["sh", "-c", f'ulimit -s {kib}; exec "$@"', "sh"]
    run = run_assay(["sh", "-c", "true; exit 3"], FAST, wrapper=wrapper)

    assert run.status == 3, run.stderr
    assert run.info["state"] == "done"


def test_doctor_needs_a_small_stack_too(assay):
    skip_with_a_sanitizer(assay, "makes stack frames many times larger")
    done = subprocess.run(["sh", "-c", f'ulimit -s 64; exec "{assay}" doctor'], capture_output=True, timeout=60)

    assert done.returncode == 0, done.stderr


def stopped(pid):
    return state_of(pid) == "T"


def test_an_end_that_the_keeper_saw_late_makes_the_wall_time_an_upper_bound(run_assay, room):
    gate = room / "gate"
    before = time.monotonic()
    started = run_assay.start(["sh", "-c", f"until [ -e {gate} ]; do sleep 0.02; done; exit 3"], ["-i", "20ms"], quiet=False)
    monitor = started.running_info()["monitor"]
    both = [started.process.pid, monitor["keeper_pid"]]
    for pid in both:
        os.kill(pid, signal.SIGSTOP)
        wait_for(lambda: stopped(pid), "the stop")
    gate.touch()
    wait_for(lambda: state_of(monitor["job_pid"]) == "Z", "the job to end")
    ended = time.monotonic()
    wait_for(lambda: time.monotonic() > ended + 1, "a second, in which nobody looks")
    for pid in both:
        os.kill(pid, signal.SIGCONT)
    run = started.finish()

    assert run.status == 3
    wall = run.headline["wall_seconds"]
    assert wall["quality"] == "upper_bound" and "keeper was stopped" in wall["why"]
    assert wall["value"] >= 1
    assert wall["lower"] <= ended - before < wall["value"]
    assert run.headline["cpu_mean_cores"]["quality"] in ("lower_bound", "estimate")
    assert b"exited 3 after at most " in run.stderr


def test_a_keeper_that_was_stopped_before_sees_the_end_in_time(run_assay, room):
    gate = room / "gate"
    started, info = running(run_assay, gate)
    keeper = info["monitor"]["keeper_pid"]
    os.kill(started.process.pid, signal.SIGSTOP)
    wait_for(lambda: stopped(started.process.pid), "the stop")
    os.kill(keeper, signal.SIGSTOP)
    wait_for(lambda: stopped(keeper), "the keeper's stop")
    for pid in (keeper, started.process.pid):
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: not stopped(keeper), "the keeper to go on")
    windows = len(read_usage(started.prefix, torn_end=True))
    wait_for(lambda: len(read_usage(started.prefix, torn_end=True)) > windows + 2, "more windows")
    gate.touch()
    run = started.finish()

    assert run.status == 5
    assert run.headline["wall_seconds"]["quality"] == "exact"


@pytest.mark.parametrize("types", ["all", "processes-samples"])
@pytest.mark.parametrize("change, said", [
    ("rm -rf dir", "none: what was at {prefix} was moved or removed meanwhile"),
    ("mv dir other", {"all": "no longer at {prefix}info.json: moved or removed meanwhile",
                      "processes-samples": "none: what was at {prefix} was moved or removed meanwhile"})])
def test_the_summary_names_no_record_that_is_not_there_any_more(run_assay, room, types, change, said):
    waiting = "while [ ! -s dir/info.json ]; do sleep 0.01; done" if types == "all" else "while [ ! -s dir/usage.jsonl ]; do sleep 0.01; done"
    run = run_assay(["sh", "-c", f"cd {room}; {waiting}; {change}; exit 3"], [*FAST, "-t", types], prefix=f"{room}/dir/", quiet=False, complete=False)

    assert run.status == 3 and not (room / "dir").exists()
    record = re.search(rb"^  record +(.*)$", run.stderr, re.M)[1].decode()
    assert record == (said if isinstance(said, str) else said[types]).format(prefix=f"{room}/dir/")
    if change.startswith("mv") and types == "all":
        assert json.loads((room / "other" / "info.json").read_bytes())["state"] == "done"
