# SPDX-License-Identifier: MIT
"""The manners of a wrapper: signals, descriptors, intervals, secrets, and what it leaves behind."""
import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support import alive, read_info, wait_for, windows_written

MIB = 1 << 20
SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def shared_file():
    """A path in shared memory, which the record watches on the whole machine."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", str(SHARED_MEMORY)], check=False, capture_output=True)
    if kind.stdout != b"tmpfs\n":
        pytest.skip(f"{SHARED_MEMORY} is no memory file system here")
    path = SHARED_MEMORY / f"assay-test-{os.getpid()}"
    yield path
    path.unlink()


def version_of(path):
    state = os.stat(path)
    return state.st_ino, state.st_mtime_ns


def test_notes_made_while_the_run_went_on_do_not_outlive_it(run_assay, room, shared_file):
    gate = room / "gate"
    script = 'trap "" HUP; exec "$0" "$@"'
    started = run_assay.start(["sh", "-c", script, "LOAD", "TRUTH", "until-file", str(gate), "4"],
                              ["-i", "20ms", "--report-interval", "20ms"])
    started.running_info()
    for _ in range(3):
        with open(shared_file, "ab") as out:
            out.write(bytes(12 * MIB))
        # Two more windows have ended: the growth is in the readings when the hang-up has a conclusion drawn.
        seen = windows_written(started.prefix)
        wait_for(lambda: windows_written(started.prefix) >= seen + 2, "two more windows")
        before = version_of(f"{started.prefix}info.json")
        started.process.send_signal(signal.SIGHUP)
        wait_for(lambda: version_of(f"{started.prefix}info.json") != before, "the interim record")
        assert any("shared memory" in note for note in read_info(started.prefix)["notes"])
    gate.touch()
    run = started.finish()

    assert run.status == 4, "the job ignores the hang-up"
    assert len([note for note in run.info["notes"] if "shared memory" in note]) == 1, run.info["notes"]


BAD_INTERVALS = {
    "a_nanosecond": ["-i", "1ns"],
    "centuries": ["-i", "18446744073"],
    "half_a_millisecond_between_reports": ["--report-interval", "0.5ms"],
    "more_than_a_year": ["-i", "400d"],
}


@pytest.mark.parametrize("options", BAD_INTERVALS.values(), ids=BAD_INTERVALS.keys())
def test_an_interval_nobody_can_mean_is_refused_before_anything_starts(run_assay, room, options):
    (room / "empty").mkdir()
    argv = [str(run_assay.assay), "run", *options, "--", "touch", "started"]
    process = run_assay.spawn(argv, "bad", cwd=room / "empty")

    assert process.wait(60) == 2
    assert (room / "bad.stderr").read_bytes().count(b"\n") == 1, (room / "bad.stderr").read_bytes()
    assert os.listdir(room / "empty") == []


def test_a_millisecond_is_the_shortest_interval(run_assay, room):
    started = run_assay.start(["LOAD", "TRUTH", "until-file", str(room / "gate"), "0"], ["-i", "1ms", "--report-interval", "1ms"])
    series = Path(f"{started.prefix}usage.jsonl")
    wait_for(lambda: series.exists() and series.read_bytes().count(b"\n") > 20, "twenty windows")
    (room / "gate").touch()
    run = started.finish()
    own = run.info["self"]

    assert run.status == 0
    assert run.info["options"]["sample_interval_seconds"] == 0.001
    # Each time of the grid until the last window but one was sampled or missed; beside them stands the sample at the end.
    assert run.usage[-2]["end_seconds"] / 0.001 - 1 <= own["ticks"] + own["missed_ticks"]
    assert own["ticks"] + own["missed_ticks"] <= run.usage[-1]["end_seconds"] / 0.001 + 1


def test_an_alarm_set_before_the_start_ends_the_job_as_it_would_without_us(run_assay):
    set_alarm = "import os, signal, sys; signal.alarm(1); os.execvp(sys.argv[1], sys.argv[1:])"
    run = run_assay(["sleep", "20"], wrapper=[sys.executable, "-c", set_alarm])

    assert run.status == -signal.SIGALRM
    assert run.info["outcome"]["signal_name"] == "SIGALRM"


def test_a_hang_up_of_the_terminal_reaches_the_job_when_we_lead_the_session(run_assay, room):
    master, slave = pty.openpty()
    # The hang-up of a terminal goes to the leader of its session, which is assay here.
    take_terminal = ("import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
                     "os.execvp(sys.argv[1], sys.argv[1:])")
    started = run_assay.start(["LOAD", "TRUTH", "until-signal", str(room / "ready"), "0"], stdin=slave,
                              wrapper=[sys.executable, "-c", take_terminal])
    os.close(slave)
    try:
        wait_for((room / "ready").exists, "the job to run")
    finally:
        os.close(master)
    run = started.finish(timeout=60)

    assert run.status == -signal.SIGHUP
    assert run.info["outcome"]["signal_name"] == "SIGHUP"
    assert not alive(run.info["monitor"]["job_pid"])


def read_to_the_end(fifo):
    """Everything that comes out of the pipe until nobody holds its other end."""
    data = []

    def ended():
        try:
            data.append(os.read(fifo, 4096))
        except BlockingIOError:
            return False
        return data[-1] == b""

    wait_for(ended, "the end of the job's output")
    return b"".join(data)


@pytest.fixture
def fifo(room):
    """A named pipe: its path, and a descriptor that reads from it without waiting."""
    path = room / "fifo"
    os.mkfifo(path)
    path.chmod(0o666)
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path, fd
    os.close(fd)


def lets_go(run_assay, room, redirection, close, condition):
    """Runs a job that closes what the wrapper opened by `redirection`; `condition` must hold before the job ends."""
    gate = room / "gate"
    script = f'echo said; {close}; "$0" "$@"; exit 5'
    started = run_assay.start(["sh", "-c", script, "LOAD", "TRUTH", "until-file", str(gate), "0"],
                              wrapper=["sh", "-c", f'{redirection}; exec "$@"', "sh"])
    try:
        wait_for(lambda: read_info(started.prefix), "the info file")
        result = condition()
        assert started.process.poll() is None, "it has to hold while the job still runs"
    finally:
        gate.touch()
        status = started.wait(60)
    assert status == 5
    return result


def test_who_reads_the_jobs_output_sees_its_end_when_the_job_closes_it(run_assay, room, fifo):
    path, fd = fifo

    assert lets_go(run_assay, room, f"exec >'{path}'", "exec >&-", lambda: read_to_the_end(fd)) == b"said\n"


def test_an_inherited_pipe_ends_when_the_job_closes_it(run_assay, room, fifo):
    path, fd = fifo

    close = "echo more >&8; exec 8>&-"
    assert lets_go(run_assay, room, f"exec 8>'{path}'", close, lambda: read_to_the_end(fd)) == b"more\n"


def test_an_inherited_lock_is_free_when_the_job_closes_it(run_assay, room):
    lock = room / "lock"
    lock.touch()

    def locked():
        with open(lock, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    lets_go(run_assay, room, f"exec 9>'{lock}'; flock 9", "exec 9>&-", lambda: wait_for(locked, "the lock"))


def processes_with(text):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


# Both come after the keeper and the waiting command were forked: perf is opened once to try it and once for the job;
# the job's descriptors are given up last.
@pytest.mark.parametrize("call, number", [("perf_event_open", 2), ("dup3", 1)],
                         ids=["opening_perf", "giving_up_descriptors"])
def test_killed_before_the_command_is_let_go_nothing_is_left_behind(run_assay, room, strace, call, number):
    inject = [strace, "-o", str(room / "trace"), "-e", f"trace={call}",
              "-e", f"inject={call}:signal=KILL:when={number}"]
    run = run_assay(["touch", str(room / "started")], wrapper=inject, complete=False)
    trace = (room / "trace").read_text()
    if call == "perf_event_open" and trace.count(f"{call}(") < number:
        pytest.skip("there is no perf here to open for the job")

    assert "killed by SIGKILL" in trace, trace
    assert run.status == -signal.SIGKILL
    wait_for(lambda: not processes_with(str(room)), "the keeper and the waiting command to end")
    assert not (room / "started").exists()


def test_secrets_of_the_scheduler_are_not_in_the_record(run_assay, room):
    env = run_assay.environment({"SLURM_JOB_ID": "4711", "SLURM_JWT": "secret-of-jwt",
                                 "SLURM_X_TOKEN": "secret-of-token"})
    run = run_assay(["true"], env=env)

    assert "4711" in json.dumps(run.info)
    for path in room.glob("run1-*"):
        assert b"secret-of" not in path.read_bytes(), path


def zombies_of(parent):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, ppid = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state == "Z" and int(ppid) == parent:
            found.append(path)
    return found


def test_a_keeper_that_was_stopped_for_a_while_loses_nothing(run_assay, room):
    gate = room / "gate"
    script = '"$0" "$1" until-file "$2" 0; "$0" "$1" orphan 200; "$0" "$1" children 20 5; exit 5'
    started = run_assay.start(["sh", "-c", script, "LOAD", "TRUTH", str(gate)], ["-i", "50ms"])
    keeper = started.running_info()["monitor"]["keeper_pid"]
    # Assay would let a stopped keeper run again at once.
    os.kill(started.process.pid, signal.SIGSTOP)
    os.kill(keeper, signal.SIGSTOP)
    try:
        gate.touch()
        wait_for(lambda: zombies_of(keeper), "an orphan that waits to be reaped")
    finally:
        os.kill(keeper, signal.SIGCONT)
        os.kill(started.process.pid, signal.SIGCONT)
    run = started.finish()
    truths = [json.loads(line) for line in (room / "run1.truth").read_text().splitlines()]
    cpu_seconds = sum(truth["cpu_seconds"] for truth in truths)

    assert run.status == 5
    assert len(truths) == 3
    assert run.headline["cpu_seconds"]["quality"] == "exact", run.headline["cpu_seconds"]
    assert cpu_seconds - 0.02 <= run.headline["cpu_seconds"]["value"] <= cpu_seconds + 0.04
    if run.headline["processes"]["quality"] == "exact":
        assert run.headline["processes"]["value"] == 1 + sum(truth["processes"] for truth in truths)
