# SPDX-License-Identifier: MIT
"""What goes wrong around a watch must be said, and never be taken for something that the target did."""
import json
import os
import signal
import subprocess
import sys

import pytest

from support import read_info, wait_for

SLEEPERS = """
import os, sys
r, w = os.pipe()
for i in range(int(sys.argv[1])):
    if os.fork() == 0:
        os.close(w)
        os.read(r, 1)
        os._exit(0)
os.close(r)
print("ready", flush=True)
sys.stdin.read()
"""
# Burns CPU as one user and then as another, each step when it is told to.
CHANGER = """
import os, sys, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(1000))
for order in sys.stdin:
    word, number = order.split()
    if word == "burn":
        burn(float(number))
    else:
        os.setresuid(int(number), int(number), int(number))
    print(time.process_time(), flush=True)
"""


@pytest.fixture
def sleepers():
    started = []

    def start(n):
        tree = subprocess.Popen([sys.executable, "-c", SLEEPERS, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(tree)
        assert tree.stdout.readline() == b"ready\n"
        return tree.pid

    yield start
    for tree in started:
        tree.stdin.close()
        tree.wait()
        tree.stdout.close()


def attach(assay, *words, descriptors=None, **more):
    limit = ["prlimit", f"--nofile={descriptors}"] if descriptors else []
    return subprocess.run([*limit, str(assay), "attach", *words], capture_output=True, timeout=60, check=False, **more)


@pytest.mark.parametrize("descriptors", [64, 200])
def test_want_of_descriptors_is_no_end_of_a_process(assay, room, sleepers, descriptors):
    tree = sleepers(400)
    done = attach(assay, "-q", "-i", "50ms", "--for", "400ms", "-p", f"{room}/a-", str(tree), "user", descriptors=descriptors)

    assert done.returncode == 0, done.stderr
    target = read_info(f"{room}/a-")["target"]
    assert (target["living"], target["ended"], target["seen"]) == (401, 0, 401)


def test_a_run_beside_many_processes_says_of_none_that_it_ended(assay, room, sleepers):
    sleepers(400)
    subprocess.run(["prlimit", "--nofile=200", str(assay), "run", "-q", "-i", "50ms", "--target", "user", "-p", f"{room}/a-",
                    "--", "sleep", "0.5"], check=True, timeout=60)
    name = next(room.glob("a-user-*-info.json"))
    target = json.loads(name.read_bytes())["target"]

    assert target["seen"] >= 401 and target["ended"] <= target["seen"] - 401


@pytest.mark.skipif(os.geteuid() != 0, reason="changes its user")
def test_what_a_member_uses_as_another_user_is_not_the_first_ones(assay, room):
    changer = subprocess.Popen([sys.executable, "-c", CHANGER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    attached = None
    try:
        def order(word, number):
            changer.stdin.write(f"{word} {number}\n")
            changer.stdin.flush()
            return float(changer.stdout.readline())

        begun = order("burn", 0.01)
        attached = subprocess.Popen([str(assay), "attach", "-q", "-i", "50ms", "--report-interval", "50ms", "-p", f"{room}/a-",
                                     f"user:root+pids:{changer.pid}"])
        wait_for(lambda: (room / "a-usage.jsonl").exists() and (room / "a-usage.jsonl").stat().st_size, "the watch to begin")
        as_root = order("burn", 0.3)
        order("become", 65534)
        order("burn", 0.5)
        assert attached.wait(60) == 0
    finally:
        changer.kill()
        changer.wait()
        if attached and attached.poll() is None:
            attached.kill()
            attached.wait()
    info = read_info(f"{room}/a-")
    claimed = info["headline"]["cpu_seconds"]

    assert info["target"]["left"] == 1
    assert claimed["quality"] == "lower_bound"
    # Two looks are 50 ms apart on an idle machine; what lies between the last one as root and the change is not claimed.
    assert 0.1 < claimed["value"] <= as_root - begun + 0.01


def test_where_nothing_can_be_recorded_nothing_is_watched(assay, room, sleepers, ordinary_user):
    closed = room / "closed"
    closed.mkdir(mode=0o755)
    done = attach(assay, "--for", "10s", "-p", f"{closed}/a-", str(sleepers(1)), env={"HOME": str(room)},
                  **ordinary_user.popen_arguments())

    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1 and b"ermission denied" in done.stderr, done.stderr
    assert list(closed.iterdir()) == []


def test_a_full_disk_leaves_nothing_behind(assay, disk_of, sleepers):
    disk = disk_of("256k")
    with open(disk / "fill", "wb", buffering=0) as fill:
        try:
            while True:
                fill.write(b"\0" * 4096)
        except OSError:
            pass
    done = attach(assay, "-q", "--for", "10s", "-p", f"{disk}/a-", str(sleepers(1)))

    assert done.returncode == 1
    assert sorted(path.name for path in disk.iterdir() if path.name != "lost+found") == ["fill"]


def test_what_could_not_be_read_is_said_of_each_reading(assay, sleepers, ordinary_user):
    done = subprocess.run([str(assay), "snapshot", "-q", "--watch", "--count", "3", "-i", "50ms", str(sleepers(20))],
                          capture_output=True, check=True, timeout=60, **ordinary_user.popen_arguments())
    readings = [json.loads(line) for line in done.stdout.splitlines()]

    assert [reading["unreadable"]["pss_bytes"]["processes"] for reading in readings] == [21, 21, 21]


def test_sigquit_ends_a_watch_with_a_whole_record(assay, room, sleepers):
    attached = subprocess.Popen([str(assay), "attach", "-q", "-p", f"{room}/a-", str(sleepers(1))])
    wait_for(lambda: (room / "a-info.json").exists(), "the watch to begin")
    attached.send_signal(signal.SIGQUIT)

    assert attached.wait(60) == 0
    assert read_info(f"{room}/a-")["state"] == "done"
