# SPDX-License-Identifier: MIT
"""A record that is replaced: never one that is still being written, and never for nothing."""
import os
import signal

import pytest

from calling import Caller
from support import alive, read_info, read_usage, wait_for

FILES = ["info.json", "usage.jsonl", "stdout"]


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def old_record(directory, files=FILES, mark=""):
    for file in files:
        (directory / f"{mark}run_{file}").write_text(f"old {file}")


def contents(directory):
    return {path.name: path.read_text() for path in directory.iterdir() if path.is_file()}


def running(run_assay, room, options=(), files=("run_info.json", "run_usage.jsonl")):
    """A run that writes below HERE/run_ until the gate is there."""
    gate, here = room / "gate", room / "here"
    started = run_assay.start(["sh", "-c", f"echo begun; until [ -e {gate} ]; do sleep 0.02; done"],
                              ["-i", "20ms", "--r-i", "40ms", *options], prefix=f"{here}/run_")
    wait_for(lambda: all((here / file).exists() and (here / file).stat().st_size for file in files), "its files")
    return started, gate


@pytest.mark.parametrize("options, files, named", [
    ([], ["run_info.json", "run_usage.jsonl"], "run_usage.jsonl"),
    (["-t", "system-summary"], ["run_info.json"], "run_info.json"),
    (["-t", "processes-samples"], ["run_usage.jsonl"], "run_usage.jsonl")])
def test_a_record_that_is_still_being_written_is_not_replaced(run_assay, call, room, options, files, named):
    started, gate = running(run_assay, room, options, files)
    before = sorted(path.name for path in call.here.iterdir())
    called = call("run", "--clobber", "-p", "run_", "touch", "started")
    after = sorted(path.name for path in call.here.iterdir())
    gate.touch()
    run = started.finish(complete=not options)

    assert called.status == 2
    assert called.err == f"assay: {named} is still being written by another run\n"
    assert after == before, "the job must not have started, and nothing may have been renamed"
    assert run.status == 0
    if "run_info.json" in files:
        assert run.info["state"] == "done"
    if "run_usage.jsonl" in files:
        assert run.usage[-1]["last"]
    assert call("run", "-q", "--clobber", "-p", "run_", "true").status == 0, "once it is done it can be replaced"


def test_a_recorder_that_was_killed_holds_no_record(run_assay, call, room):
    started, gate = running(run_assay, room)
    info = started.running_info()
    os.kill(started.process.pid, signal.SIGKILL)
    assert started.wait(60) == -signal.SIGKILL
    called = call("run", "-q", "--clobber", "-p", "run_", "true")
    still_there = alive(info["monitor"]["job_pid"])
    gate.touch()

    assert (called.status, called.err) == (0, "")
    assert still_there, "the job itself was still running"
    assert read_info(f"{call.here}/run_")["command"]["argv"] == ["true"]
    wait_for(lambda: not alive(info["monitor"]["keeper_pid"]), "the keeper to follow its job")


def test_output_that_is_still_captured_is_not_replaced(run_assay, call, room):
    started, gate = running(run_assay, room, ["-c", "stdout"], ["run_info.json", "run_usage.jsonl", "run_stdout"])
    info = started.running_info()
    os.kill(started.process.pid, signal.SIGKILL)
    started.wait(60)
    called = call("run", "--clobber", "-p", "run_", "touch", "started")
    gate.touch()

    assert called.status == 2 and "run_stdout is still being written" in called.err
    assert (call.here / "run_stdout").read_text() == "begun\n"
    wait_for(lambda: not alive(info["monitor"]["keeper_pid"]), "the keeper to follow its job")


def full(disk, leave=0):
    """Fills the file system up to a number of bytes."""
    with open(disk / "ballast", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
        file.truncate(file.tell() - leave)


@pytest.mark.parametrize("options", [[], ["-t", "system-summary"], ["-t", "processes-samples"]])
def test_a_full_disk_leaves_the_old_record(call, disk_of, options):
    disk = disk_of("256k")
    old_record(disk)
    full(disk)
    before = contents(disk)
    called = call("run", "--clobber", *options, "-p", f"{disk}/run_", "sh", "-c", "exit 3")

    assert called.status == 3
    assert contents(disk) == before
    text = " ".join(called.err.split())
    assert "the one that was to be replaced was put back" in text
    assert "record none of this run" in text
    assert f"{disk}/run_" not in text, "no file of this run is there to be named"


def test_captured_output_stays_on_a_disk_that_filled_up_and_so_does_the_old_record(run_assay, disk_of):
    disk = disk_of("256k")
    old_record(disk)
    full(disk, leave=4096)
    run = run_assay(["sh", "-c", "echo precious; exit 3"], ["--clobber", "-c", "stdout", "-o", "none"],
                    prefix=f"{disk}/run_", quiet=False, complete=False)

    assert run.status == 3
    left = contents(disk)
    assert left["run_stdout"] == "precious\n"
    assert {f".assay-old.run_{file}": f"old {file}" for file in FILES}.items() <= left.items()
    text = " ".join(run.stderr.decode().split())
    assert f"is kept in hidden files, .assay-old.*, beside {disk}/run_" in text


@pytest.mark.parametrize("words, status", [(["run", "-p", "run_", "touch", "started"], 2),
                                           (["run", "-q", "--clobber", "-p", "run_", "no-such-command"], 127)])
@pytest.mark.parametrize("left", [{}, {"run_usage.jsonl": ""}])
def test_a_record_that_a_killed_recorder_had_set_aside_comes_back(call, words, status, left):
    """Killed before a record of its own was there: with the files of an earlier one hidden, and an empty new one at most."""
    old_record(call.here, mark=".assay-old.")
    for name, text in left.items():
        (call.here / name).write_text(text)
    called = call(*words)

    assert called.status == status
    assert contents(call.here) == {f"run_{file}": f"old {file}" for file in FILES}
    if status == 2:
        assert "run_usage.jsonl exists" in called.err


@pytest.mark.parametrize("hidden", [["usage.jsonl"], ["usage.jsonl", "info.json"]])
def test_a_recorder_killed_while_it_set_a_record_aside_leaves_all_of_it(call, hidden):
    old_record(call.here, hidden, mark=".assay-old.")
    old_record(call.here, [file for file in FILES if file not in hidden])

    assert call("run", "-p", "run_", "touch", "started").status == 2
    assert contents(call.here) == {f"run_{file}": f"old {file}" for file in FILES}


def test_what_a_killed_recorder_had_replaced_goes_with_the_next_run(run_assay, call, room):
    old_record(call.here)
    started, gate = running(run_assay, room, ["--clobber"], ["run_info.json", "run_usage.jsonl"])
    wait_for(lambda: read_usage(started.prefix, torn_end=True), "a window")
    info = started.running_info()
    hidden = {name: text for name, text in contents(call.here).items() if name.startswith(".assay-old.")}
    os.kill(started.process.pid, signal.SIGKILL)
    started.wait(60)
    refused = call("run", "-p", "run_", "touch", "started")
    kept = {name: text for name, text in contents(call.here).items() if name.startswith(".assay-old.")}
    called = call("run", "-q", "--clobber", "-p", "run_", "true")
    gate.touch()

    assert hidden == kept == {f".assay-old.run_{file}": f"old {file}" for file in FILES}
    assert refused.status == 2, "a run that is refused removes nothing"
    assert called.status == 0
    assert [name for name in contents(call.here) if name.startswith(".assay")] == []
    assert read_info(f"{call.here}/run_")["command"]["argv"] == ["true"]
    wait_for(lambda: not alive(info["monitor"]["keeper_pid"]), "the keeper to follow its job")


def test_the_leftovers_of_another_prefix_are_not_touched(call):
    old_record(call.here, mark=".assay-old.other_")

    assert call("run", "-q", "--clobber", "-p", "run_", "true").status == 0
    assert {f".assay-old.other_run_{file}" for file in FILES} <= set(contents(call.here))
