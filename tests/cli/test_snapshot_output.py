# SPDX-License-Identifier: MIT
"""What snapshot writes and how it ends: a page, JSON by the schema, a stream that follows whoever reads it."""
import json
import os
import signal
import subprocess

import pytest

from calling import Caller
from support import parse, wait_for

SINCE = {"disk_read_since_last_bytes", "disk_write_since_last_bytes", "net_rx_since_last_bytes", "net_tx_since_last_bytes"}


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def sleeper():
    process = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def watch(assay, run_assay, room, sleeper):
    """Starts a stream on the sleeper with its lines in a pipe."""
    started = []

    def start(*words, **popen):
        with open(room / "watch.stderr", "wb") as err:
            process = subprocess.Popen([str(assay), "snapshot", "--watch", *words, str(sleeper.pid)], stdin=subprocess.DEVNULL,
                                       stderr=err, env=run_assay.environment(), **{"stdout": subprocess.PIPE, **popen})
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def said(room):
    return (room / "watch.stderr").read_text(encoding="utf-8")


def values(reading):
    return {name for name in reading if name in reading["quality"]}


def test_one_reading_is_json_by_the_schema_without_what_takes_two(call, sleeper):
    called = call("snapshot", "--json", str(sleeper.pid))
    reading = parse(called.out, "assay-snapshot")

    assert (called.status, called.err) == (0, "")
    assert reading["target"] == {"kind": "tree", "text": f"tree:{sleeper.pid}"}
    assert reading["num_procs"] == 1
    assert "interval_seconds" not in reading and "cpu_percent" not in reading and not SINCE & set(reading)
    assert 0 < reading["private_bytes"] <= reading["pss_bytes"] <= reading["rss_bytes"]
    assert set(reading["quality"]) == values(reading)
    assert "pgid" not in reading


def test_two_readings_show_the_second_with_what_came_in_between(call, sleeper):
    reading = parse(call("snapshot", "--json", "--interval", "200ms", str(sleeper.pid)).out, "assay-snapshot")

    assert reading["interval_seconds"] >= 0.2
    assert {"cpu_percent"} | SINCE <= set(reading)


def test_a_group_names_its_number(call, sleeper):
    reading = parse(call("snapshot", "--json", f"group:{sleeper.pid}").out, "assay-snapshot")
    assert (reading["pgid"], reading["target"]["kind"]) == (sleeper.pid, "group")


def test_the_page_stands_in_80_columns_with_marks_and_iec_units(call, sleeper):
    one, two = call("snapshot", str(sleeper.pid)), call("snapshot", "-i", "100ms", str(sleeper.pid))

    for called in one, two:
        assert (called.status, called.err) == (0, "")
        assert max(map(len, called.out.splitlines())) <= 80
        assert called.out.startswith("assay: ")
        assert " RSS\n" in called.out and " KiB PSS" in called.out
    assert "takes two readings" in one.out and "since the reading before" not in one.out
    assert " %\n" in two.out and "since the reading before" in two.out


def test_what_a_namespace_carried_is_no_bound_of_the_target(call, sleeper):
    """A process of the target may be in another one."""
    reading = parse(call("snapshot", "--json", "-i", "100ms", str(sleeper.pid)).out, "assay-snapshot")
    page = call("snapshot", str(sleeper.pid)).out

    assert {name: quality for name, quality in reading["quality"].items() if name.startswith("net_")} == dict.fromkeys(
        ("net_rx_bytes", "net_tx_bytes", "net_rx_since_last_bytes", "net_tx_since_last_bytes"), "estimate")
    assert [line.split()[1] for line in page.splitlines() if line.startswith("  network")] == ["~"]


def test_the_page_and_the_json_say_the_same_of_what_stands_still(call, sleeper):
    page = call("snapshot", str(sleeper.pid)).out
    reading = parse(call("snapshot", "--json", str(sleeper.pid)).out, "assay-snapshot")

    mark = {"exact": "=", "sampled": "~", "lower_bound": ">=", "upper_bound": "<=", "estimate": "~"}
    expected = f"{mark[reading['quality']['num_procs']]} {reading['num_procs']}"
    assert [line.split(None, 1)[1] for line in page.splitlines() if line.startswith("  processes")] == [expected]


def test_a_stream_is_a_line_a_reading_and_ends_after_its_count(call, sleeper):
    called = call("snapshot", "--watch", "--count", "3", "-i", "50ms", str(sleeper.pid))
    readings = [parse(line, "assay-snapshot") for line in called.out.splitlines()]

    assert (called.status, called.err, len(readings)) == (0, "", 3)
    assert ["cpu_percent" in reading for reading in readings] == [False, True, True]
    assert [set(reading) for reading in readings[1:]] == [set(readings[0]) | SINCE | {"cpu_percent", "interval_seconds"}] * 2
    assert len({reading["time"] for reading in readings}) == 3


def test_each_line_is_there_before_the_next_reading(watch):
    stream = watch("--interval", "1h")
    assert parse(stream.stdout.readline(), "assay-snapshot")["num_procs"] == 1
    assert stream.poll() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_stream_well(watch, room, number):
    stream = watch("--interval", "1h")
    stream.stdout.readline()
    stream.send_signal(number)

    rest, _ = stream.communicate(timeout=60)
    assert (stream.returncode, said(room)) == (0, "")
    assert rest == b"" or rest.count(b"\n") == 1 and parse(rest, "assay-snapshot")


def test_a_stream_ends_well_with_its_target(watch, room, sleeper):
    stream = watch("--interval", "20ms")
    stream.stdout.readline()
    sleeper.kill()
    sleeper.wait()

    rest, _ = stream.communicate(timeout=60)
    assert (stream.returncode, said(room)) == (0, "")
    assert all(parse(line, "assay-snapshot") for line in rest.splitlines())


@pytest.mark.parametrize("ignored", [False, True])
def test_a_stream_ends_well_when_nobody_reads_it_any_more(watch, room, ignored):
    stream = watch("--interval", "20ms", restore_signals=not ignored)
    stream.stdout.readline()
    stream.stdout.close()

    wait_for(lambda: stream.poll() is not None, "the end of a stream that nobody reads")
    assert (stream.returncode, said(room)) == (0, "")


@pytest.mark.parametrize("words", [[], ["--json"], ["--watch"]])
def test_output_that_takes_nothing_is_one_line(assay, run_assay, sleeper, words):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([str(assay), "snapshot", *words, str(sleeper.pid)], stdin=subprocess.DEVNULL, stdout=full,
                              stderr=subprocess.PIPE, env=run_assay.environment(), timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, b"assay: cannot write to standard output: No space left on device\n")


def test_a_snapshot_writes_no_file(call, sleeper):
    assert call("snapshot", "-i", "50ms", str(sleeper.pid)).recorded() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to have a process that the other user may not read")
def test_what_may_not_be_read_of_others_is_said_and_counted(call, sleeper, ordinary_user):
    called = call("snapshot", "--json", str(sleeper.pid), user=ordinary_user)
    reading = parse(called.out, "assay-snapshot")

    assert called.status == 0 and called.err.count("\n") == 1
    assert "pss_bytes" not in reading and "disk_read_bytes" not in reading
    assert {reading["unreadable"][name]["processes"] for name in ("pss_bytes", "private_bytes", "disk_read_bytes")} == {1}
    assert {entry["why"] for entry in reading["unreadable"].values()} <= {"EACCES", "EPERM"}
    page = call("snapshot", "-q", str(sleeper.pid), user=ordinary_user)
    assert page.err == "" and "PSS, private memory" in page.out and "of 1 process (EACCES)" in page.out
    assert json.loads(called.out)["rss_bytes"] > 0
