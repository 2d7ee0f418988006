# SPDX-License-Identifier: MIT
"""What a network namespace counted is the job's only as far as it is known who was in it, since when, and that nobody of the job was elsewhere."""
import subprocess
import sys
from pathlib import Path

import pytest

from support import read_usage, wait_for
from test_network import SOCKETS

# Before a job is in a namespace of its own it is in the machine's, where one test's traffic would be in another's sum.
pytestmark = pytest.mark.xdist_group("group:traffic")

MB = 1_000_000
TRAFFIC = Path(__file__).resolve().parent / "traffic.py"
QUANTITIES = ("network_receive_bytes", "network_transmit_bytes")
# Headers of packets that carry 64 KiB at best, and acknowledgements.
HEADERS_SHARE = 0.06
SELDOM = ("-i", "30s")
OFTEN = ("-i", "50ms", "--report-interval", "50ms")

# Packets to a neighbour at the other end of a cable, who need not be there; the cable drops what comes before it is ready.
CABLE = """
ip link add here type veth peer name there && ip link set here up && ip link set there up &&
ip addr add 10.98.0.1/24 dev here && ip neigh add 10.98.0.2 lladdr 02:00:00:00:00:02 dev here"""
PACKETS = """import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def sent():
    return int([line for line in open("/proc/self/net/dev") if line.split(":")[0].strip() == "here"][0].replace(":", " ").split()[9])
begun = sent()
while sent() - begun < {size}:
    for _ in range(100):
        s.sendto(b"x" * 1400, ("10.98.0.2", 9))
print(sent() - begun)
"""
SEND = f"{CABLE} && exec {{python}} -c '{PACKETS}'"


def unshare(user):
    """A command in a network namespace of its own; an ordinary user needs a user namespace for that."""
    words = ["unshare", "-n" if user.uid == 0 else "-rn"]
    if subprocess.run([*words, "true"], check=False, capture_output=True, **user.popen_arguments()).returncode != 0:
        pytest.skip("this user may make no network namespace here")
    return words


def test_what_a_child_sends_elsewhere_between_two_looks_leaves_no_exact_number_and_no_bound(run_assay, user):
    send = SEND.format(python=sys.executable, size=20 * MB)
    # In a namespace where nobody else moves anything; and the looks of the first second, which are many, are over when the child comes.
    run = run_assay(["sh", "-c", 'sleep 1.2; "$@"; true', "sh", *unshare(user), "sh", "-c", send], SELDOM, user=user, wrapper=unshare(user))

    assert run.status == 0, run.stderr
    assert int(run.stdout) >= 20 * MB, "what the test is about"
    for name in QUANTITIES:
        claim = run.headline[name]
        assert claim["value"] < MB and claim["quality"] == "estimate" and "namespace" in claim["why"], claim
        assert "upper" not in claim, claim
        assert run.info["summary"][claim["key"]]["quality"] == "estimate"
    for way in ("receive", "transmit"):
        assert run.info["summary"][f"netns_loopback_{way}_bytes"]["quality"] == "estimate"


@pytest.fixture
def locked(user):
    """A wrapper: after what it sets up, in a user namespace that allows no other, without CAP_SYS_ADMIN for good."""
    def wrapper(set_up):
        lock = (f"{set_up} && echo 0 >/proc/sys/user/max_user_namespaces && "
                'exec setpriv --no-new-privs --bounding-set -sys_admin --inh-caps -sys_admin "$@"')
        words = ["unshare", "-rn", "sh", "-c", lock, "sh"]
        if subprocess.run([*words, "true"], check=False, capture_output=True, **user.popen_arguments()).returncode != 0:
            pytest.skip("this user may make no such namespace here")
        return words
    return wrapper


@pytest.mark.parametrize("options", [(), SOCKETS], ids=["", "with_sockets"])
def test_where_nobody_can_leave_nothing_moved_is_exact_and_more_an_upper_bound(run_assay, user, locked, options):
    run = run_assay([sys.executable, str(TRAFFIC), "loopback", "127.0.0.1", str(5 * MB), "1"], options, user=user, wrapper=locked("ip link set lo up"))

    assert run.status == 0, run.stderr
    for name in QUANTITIES:
        claim = run.headline[name]
        assert (claim["value"], claim["quality"], claim["key"]) == (0, "exact", f"netns_{name.removeprefix('network_')}"), claim
        assert "could enter" in claim["why"], claim
    claim = run.info["summary"]["netns_loopback_receive_bytes"]
    assert claim["quality"] == "upper_bound" and 5 * MB <= claim["value"] <= 5 * MB * (1 + HEADERS_SHARE), claim


def test_where_nobody_can_leave_sockets_have_all_interfaces_above_them(run_assay, user, locked):
    packets = PACKETS.format(size=5 * MB)
    run = run_assay([sys.executable, "-c", packets], SOCKETS, user=user, wrapper=locked(f"ip link set lo up && {CABLE}"))

    assert run.status == 0, run.stderr
    claim, above = run.headline["network_transmit_bytes"], run.info["summary"]["netns_transmit_bytes"]
    # They are of UDP, of which sockets tell nothing.
    assert (claim["value"], claim["quality"], claim["key"]) == (0, "lower_bound", "socket_tcp_transmit_bytes"), claim
    assert above["quality"] == "upper_bound" and claim["upper"] == above["value"] >= int(run.stdout) >= 5 * MB, (claim, above)


@pytest.fixture
def holder(user, room):
    """A process in a namespace that has moved 30 MB over loopback: no name keeps it."""
    room.chmod(0o777)
    script = ('ip link set lo up && "$@" && touch held; until [ -e over ]; do sleep 0.02; done')
    process = subprocess.Popen([*unshare(user), "sh", "-c", script, "sh", sys.executable, str(TRAFFIC), "loopback", "127.0.0.1",
                                str(30 * MB), "1"], cwd=room, **user.popen_arguments())
    try:
        wait_for(lambda: (room / "held").exists(), "the namespace's past")
        yield process.pid
    finally:
        (room / "over").touch()
        process.wait()


def test_the_past_of_a_namespace_that_the_command_enters_is_no_growth(run_assay, user, room, holder):
    enter = ["nsenter", "-t", str(holder), "-n", *([] if user.uid == 0 else ["-U", "--preserve-credentials"])]
    script = 'until [ -e go ]; do sleep 0.02; done; exec "$@"'
    started = run_assay.start([*enter, "sh", "-c", script, "sh", sys.executable, str(TRAFFIC), "loopback", "127.0.0.1", str(5 * MB), "1"],
                              OFTEN, user=user)
    wait_for(lambda: len(read_usage(started.prefix, torn_end=True)) >= 8, "looks at the namespace")
    (room / "go").touch()
    run = started.finish()

    assert run.status == 0, run.stderr
    claim = run.info["summary"]["netns_loopback_receive_bytes"]
    assert 5 * MB <= claim["value"] <= 5 * MB * (1 + HEADERS_SHARE), claim
    assert claim["quality"] == "estimate"
    for name in QUANTITIES:
        assert run.headline[name]["quality"] == "estimate" and "may be older" in run.headline[name]["why"], run.headline[name]
