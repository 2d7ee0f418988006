# SPDX-License-Identifier: MIT
"""What is claimed of traffic holds whoever else uses the job's sockets, whatever its interfaces do, and wherever its threads go."""
import socket
import sys

import pytest

from support import wait_for
from test_network import SOCKETS

# Before a job is in a namespace of its own it is in the machine's, where one test's traffic would be in another's sum.
pytestmark = pytest.mark.xdist_group("group:traffic")

MB = 1_000_000
PYTHON = sys.executable
WAYS = ("receive", "transmit")
# What is taken off for SYN and FIN.
MARKS_BYTES = 2


def connected():
    """Both ends of a connection over loopback, as an accepting program has them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
    return near, far


def sockets_of(run, name, where="loopback_"):
    return run.info["summary"][f"socket_tcp_{name.format(where)}"]


def take(end, size):
    while size > 0:
        size -= len(end.recv(min(size, 1 << 20)))


def started_with(run_assay, end, room, script, user=None):
    """A job that has the socket as its standard input, as inetd starts one, and waits for the test in between."""
    words = f'touch begun; until [ -e go ]; do sleep 0.02; done; {script}'
    room.chmod(0o777)
    started = run_assay.start(["sh", "-c", words], SOCKETS, user=user, stdin=end.fileno())
    wait_for(lambda: (room / "begun").exists(), "the job")
    return started


def of_both(run, way):
    """What the job is said to have moved at least, and what with that of which nobody knows."""
    mine, rest = sockets_of(run, f"loopback_{way}_bytes"), sockets_of(run, f"unattributed_loopback_{way}_bytes")
    assert mine["quality"] == "lower_bound", mine
    return mine["value"], mine["value"] + rest["value"]


def test_what_somebody_else_moves_by_an_inherited_connection_is_not_the_jobs(run_assay, room, user):
    near, far = connected()
    started = started_with(run_assay, near, room, "head -c 50000 /dev/zero >&0; head -c 7000 >/dev/null", user)
    for _ in range(20):
        near.sendall(b"x" * 100_000)
        take(far, 100_000)
        far.sendall(b"y" * 50_000)
        take(near, 50_000)
    far.sendall(b"z" * 7000)
    (room / "go").touch()
    run = started.finish()
    take(far, 50_000)
    near.close()
    far.close()

    assert run.status == 0, run.stderr
    least, most = of_both(run, "transmit")
    assert least <= 50_000 and most >= 50_000, (least, most)
    least, most = of_both(run, "receive")
    assert least <= 7000 and most >= 7000 - MARKS_BYTES, (least, most)


def test_what_somebody_else_takes_by_an_inherited_listener_is_not_the_jobs(run_assay, room, user):
    listener = socket.create_server(("127.0.0.1", 0))
    started = started_with(run_assay, listener, room, ":", user)
    for _ in range(10):
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
        near.sendall(b"x" * 30_000)
        take(far, 30_000)
        far.sendall(b"y" * 20_000)
        take(near, 20_000)
        near.close()
        far.close()
    (room / "go").touch()
    run = started.finish()
    listener.close()

    assert run.status == 0, run.stderr
    for way in WAYS:
        assert of_both(run, way)[0] == 0, run.info["summary"]


REUSING = """
import os, socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
s.bind(("127.0.0.1", int(sys.argv[1])))
s.listen(64)
s.setblocking(False)
open("begun", "w").close()
got = 0
while not os.path.exists("go"):
    try:
        c = s.accept()[0]
    except BlockingIOError:
        time.sleep(0.005)
        continue
    c.setblocking(True)
    while data := c.recv(65536):
        got += len(data)
    c.close()
print(got)
"""


def listener_at(port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    listener.setblocking(False)
    return listener


def take_what_comes(listener):
    """Takes what the kernel gives to this listener; the job does the same with the rest. The bytes."""
    taken = 0
    try:
        while True:
            end, _ = listener.accept()
            end.setblocking(True)
            while data := end.recv(65536):
                taken += len(data)
            end.close()
    except BlockingIOError:
        return taken


@pytest.mark.parametrize("rival", ["stays", "stays_and_the_jobs_listener_is_found_late", "comes_and_goes_between_two_looks"])
def test_what_somebody_else_takes_at_the_same_port_is_not_the_jobs(run_assay, room, rival):
    mine = listener_at(0)
    address = mine.getsockname()
    lines = room / "run1-usage.jsonl"
    often = rival == "stays"
    started = run_assay.start([PYTHON, "-S", "-c", REUSING, str(address[1])], SOCKETS if often else (*SOCKETS[:2], "-i", "2s"))
    wait_for(lambda: (room / "begun").exists(), "the job to listen")
    if rival == "comes_and_goes_between_two_looks":
        mine.close()
    if rival != "stays_and_the_jobs_listener_is_found_late":
        before = lines.read_bytes().count(b"\n") if lines.exists() else 0
        wait_for(lambda: lines.exists() and lines.read_bytes().count(b"\n") > before + (2 if often else 1), "a look at its listener")
    if rival == "comes_and_goes_between_two_looks":
        mine = listener_at(address[1])
    clients, taken = [], 0
    for _ in range(30):
        client = socket.create_connection(address)
        client.sendall(b"x" * 10_000)
        client.shutdown(socket.SHUT_WR)
        clients.append(client)

    def all_closed():
        nonlocal taken
        taken += take_what_comes(mine)
        for client in list(clients):
            client.setblocking(False)
            try:
                if client.recv(1) == b"":
                    client.close()
                    clients.remove(client)
            except BlockingIOError:
                pass
        return not clients
    wait_for(all_closed, "every connection to be taken")
    mine.close()
    (room / "go").touch()
    run = started.finish()
    jobs = int(run.stdout)

    assert run.status == 0 and jobs + taken == 300_000, run.stderr
    least, most = of_both(run, "receive")
    assert least <= jobs, (least, jobs, taken)
    assert most >= jobs, (most, jobs)
