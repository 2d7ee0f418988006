# SPDX-License-Identifier: MIT
"""Bytes that crossed the network, in a namespace shared with others, in one of the job's own, and by the job's sockets."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import wait_for, windows_written

# Before a job is in a namespace of its own it is in the machine's, where one test's traffic would be in another's sum.
pytestmark = pytest.mark.xdist_group("group:traffic")

MB = 1_000_000
TRAFFIC = Path(__file__).resolve().parent / "traffic.py"
PYTHON = sys.executable
# Headers of packets that carry 64 KiB at best and 1.4 KB at worst, acknowledgements, ARP.
HEADERS_SHARE = 0.06
HEADERS_BYTES = 20_000


def traffic(*words):
    return [PYTHON, str(TRAFFIC), *map(str, words)]


def in_new_namespace(user, *words):
    """The command, in a network namespace made by itself; an ordinary user needs a user namespace for that."""
    unshare = ["unshare", "-n" if user.uid == 0 else "-rn"]
    if subprocess.run([*unshare, "true"], check=False, capture_output=True, **user.popen_arguments()).returncode != 0:
        pytest.skip("this user may make no network namespace here")
    return [*unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *words]


def carries(claim, payload):
    """The bytes of interfaces: the payload and its headers."""
    assert payload <= claim["value"] <= payload * (1 + HEADERS_SHARE) + HEADERS_BYTES, (claim, payload)


def device(run, name):
    found = [d["summary"] for d in run.info["devices"] if (d["kind"], d["name"]) == ("interface", name)]
    assert len(found) == 1, run.info["devices"]
    return found[0]


# Whoever runs these tests may enter another namespace, and what a process of the job moves there nobody counts: no sum is a bound.
NO_BOUND = "estimate"


def test_traffic_in_a_shared_namespace_is_no_bound_and_loopback_stands_apart(run_assay, user):
    run = run_assay(traffic("loopback", "127.0.0.1", 20 * MB, 1), user=user)

    assert run.status == 0, run.stderr
    received, sent = (run.info["summary"][f"netns_loopback_{way}_bytes"] for way in ("receive", "transmit"))
    for claim in (received, sent):
        assert claim["quality"] == NO_BOUND, claim
        assert claim["value"] >= 20 * MB, claim
    assert device(run, "lo")["netns_interface_receive_bytes"]["value"] == received["value"]
    for way in ("receive", "transmit"):
        claim = run.headline[f"network_{way}_bytes"]
        others = sum(d["summary"][f"netns_interface_{way}_bytes"]["value"] for d in run.info["devices"]
                     if d["kind"] == "interface" and d["name"] != "lo")
        assert claim["key"] == f"netns_{way}_bytes"
        assert claim["value"] == others, (claim, run.info["devices"])
        assert claim["quality"] == NO_BOUND, claim
        assert "loopback" in claim["why"], claim


def test_what_was_counted_before_the_run_is_not_the_jobs(run_assay, user):
    subprocess.run(traffic("loopback", "127.0.0.1", 50 * MB, 1), check=True)
    run = run_assay(["true"], user=user)

    assert run.info["summary"]["netns_loopback_receive_bytes"]["value"] < 50 * MB


def test_a_namespace_that_the_job_makes_for_itself_counts_whole(run_assay, user):
    run = run_assay(in_new_namespace(user, *traffic("loopback", "127.0.0.1", 20 * MB, 3)), user=user)

    assert run.status == 0, run.stderr
    for way in ("receive", "transmit"):
        claim = run.info["summary"][f"netns_loopback_{way}_bytes"]
        carries(claim, 60 * MB)
        assert claim["quality"] == NO_BOUND, claim


@pytest.fixture
def two_namespaces():
    """Two named namespaces joined by a cable (veth): 10.99.0.1 and 10.99.0.2. Gone after the test."""
    if os.geteuid() != 0:
        pytest.skip("needs root to make named network namespaces")
    names = [f"assay-test-{os.getpid()}-{end}" for end in "ab"]
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
        subprocess.run(["ip", "link", "add", "cable", "netns", names[0], "type", "veth", "peer", "name", "cable", "netns", names[1]],
                       check=True)
        for name, address in zip(names, ("10.99.0.1/24", "10.99.0.2/24")):
            for words in (["link", "set", "cable", "addrgenmode", "none"], ["addr", "add", address, "dev", "cable"],
                          ["link", "set", "lo", "up"], ["link", "set", "cable", "up"]):
                subprocess.run(["ip", "-n", name, *words], check=True)
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False)


def inside(namespace, *words):
    return ["ip", "netns", "exec", namespace, *words]


def cable_counters(namespace):
    """(received, sent) bytes of its end of the cable."""
    text = subprocess.run(inside(namespace, "cat", "/proc/self/net/dev"), check=True, capture_output=True, text=True).stdout
    numbers = next(line.split(":")[1].split() for line in text.splitlines() if line.strip().startswith("cable:"))
    return int(numbers[0]), int(numbers[8])


def test_in_a_namespace_of_its_own_the_job_moved_what_the_other_end_of_the_cable_counted(run_assay, two_namespaces):
    here, there = two_namespaces
    server = subprocess.Popen(inside(there, *traffic("serve", "10.99.0.2")), stdout=subprocess.PIPE, text=True)
    port = server.stdout.readline().strip()
    before = cable_counters(there)
    run = run_assay(traffic("send", "10.99.0.2", port, 30 * MB), wrapper=inside(here))
    after = cable_counters(there)

    server.stdout.close()
    assert (run.status, server.wait()) == (0, 0), run.stderr
    sent, received = run.headline["network_transmit_bytes"], run.headline["network_receive_bytes"]
    assert (sent["quality"], received["quality"]) == (NO_BOUND, NO_BOUND), (sent, received)
    assert "nobody else was met" in sent["why"], sent
    assert (sent["key"], received["key"]) == ("netns_transmit_bytes", "netns_receive_bytes")
    # What segments are cut and what is sent again is TCP's choice from moment to moment: the other end of the cable says what it was.
    assert sent["value"] == after[0] - before[0] >= 30 * MB
    assert received["value"] == after[1] - before[1]


def test_a_named_namespace_that_the_job_enters_may_be_older_than_it(run_assay, two_namespaces):
    here, _ = two_namespaces
    subprocess.run(inside(here, *traffic("loopback", "127.0.0.1", 5 * MB, 1)), check=True)
    run = run_assay(inside(here, *traffic("loopback", "127.0.0.1", 20 * MB, 1)))

    claim = run.info["summary"]["netns_loopback_receive_bytes"]
    assert claim["quality"] == NO_BOUND, claim
    # what was there before it was seen is not claimed, and that may be the first of the job's own
    assert claim["value"] <= 20 * MB * (1 + HEADERS_SHARE) + HEADERS_BYTES, claim


@pytest.fixture
def cable_with_a_past(two_namespaces):
    """The namespace of an interface that has sent 30 MB."""
    here, there = two_namespaces
    if not Path("/proc/self/net/dev_snmp6").exists():
        pytest.skip("this kernel shows no index of an interface: it has no IPv6")
    server = subprocess.Popen(inside(there, *traffic("serve", "10.99.0.2")), stdout=subprocess.PIPE, text=True)
    subprocess.run(inside(here, *traffic("send", "10.99.0.2", server.stdout.readline().strip(), 30 * MB)), check=True)
    server.stdout.close()
    assert server.wait() == 0
    assert cable_counters(there)[0] >= 30 * MB
    return here


def test_a_renamed_interface_does_not_bring_its_past_again(run_assay, cable_with_a_past, room):
    here = cable_with_a_past
    rename = f'touch {room}/begun; until [ -e {room}/go ]; do sleep 0.05; done; ip link set cable down; ip link set cable name cord; ip link set cord up'
    started = run_assay.start(["sh", "-c", rename], wrapper=inside(here))
    wait_for(lambda: (room / "begun").exists(), "the job")
    (room / "go").touch()
    run = started.finish()

    assert run.status == 0, run.stderr
    claim = run.headline["network_transmit_bytes"]
    assert claim["value"] < MB, claim
    assert claim["quality"] == NO_BOUND, claim
    assert run.info["summary"]["netns_resets_count"]["value"] == 0
    assert device(run, "cord")["netns_interface_transmit_bytes"]["value"] < MB


def test_a_name_that_is_in_the_list_before_its_index_is_brings_no_past_either(run_assay, cable_with_a_past):
    """The kernel makes the file of the index anew behind a renaming: a look in between finds none under the new name."""
    here = cable_with_a_past
    rename = "ip link set {0} down; ip link set {0} name {1}; ip link set {1} up; "
    often = f"i=0; while [ $i -lt 100 ]; do {rename.format('cable', 'cord')}{rename.format('cord', 'cable')} i=$((i+1)); done"
    run = run_assay(["sh", "-c", often], ["-i", "5ms"], wrapper=inside(here))

    assert run.status == 0, run.stderr
    claim = run.headline["network_transmit_bytes"]
    assert claim["value"] < MB, claim
    # Renamed anew between the list and the index, it is neither: it has gone then, which is told.
    assert run.info["summary"]["netns_resets_count"]["value"] == 0 or claim["quality"] != "exact", claim


def test_who_enters_the_jobs_namespace_between_two_looks_makes_it_no_exact_claim(run_assay, two_namespaces, room):
    here, there = two_namespaces
    server = subprocess.Popen(inside(there, *traffic("serve", "10.99.0.2")), stdout=subprocess.PIPE, text=True)
    port = server.stdout.readline().strip()
    started = run_assay.start(["sh", "-c", f'touch {room}/begun; until [ -e {room}/go ]; do sleep 0.05; done'], wrapper=inside(here))
    wait_for(lambda: (room / "begun").exists(), "the job")
    subprocess.run(inside(here, *traffic("send", "10.99.0.2", port, 5 * MB)), check=True)
    (room / "go").touch()
    run = started.finish()

    server.stdout.close()
    assert (run.status, server.wait()) == (0, 0), run.stderr
    claim = run.headline["network_transmit_bytes"]
    assert claim["value"] >= 5 * MB, claim
    assert claim["quality"] == NO_BOUND, claim


def by_sockets(run, name):
    return run.info["summary"][f"socket_tcp_{name}"]


# Off by default; sampled often, so that what has arrived is soon seen.
SOCKETS = ("--measurements", "default,socket_*", "-i", "0.05", "--report-interval", "0.1")


def wait_for_windows(started):
    """Until a sample was taken that began after now: the window under way may have ended before, the next one was whole."""
    before = windows_written(started.prefix)
    wait_for(lambda: windows_written(started.prefix) > before + 2, "three windows more")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_long_connection_is_counted_to_the_byte_by_its_sockets(run_assay, user, room, host):
    started = run_assay.start(traffic("held", host, 20 * MB, room), SOCKETS, user=user)
    wait_for(lambda: (room / "arrived").exists(), "the bytes to arrive")
    wait_for_windows(started)
    (room / "go").touch()
    run = started.finish()

    assert run.status == 0, run.stderr
    for way in ("receive", "transmit"):
        claim = by_sockets(run, f"loopback_{way}_bytes")
        assert claim["quality"] == "lower_bound", claim
        # It was there whole in a sample; what is taken off for SYN and FIN is two bytes at most.
        assert 20 * MB - 2 <= claim["value"] <= 20 * MB, claim
        assert by_sockets(run, f"{way}_bytes")["value"] == 0
    assert by_sockets(run, "connections_count")["value"] == 2


def test_what_a_child_sends_is_the_jobs_too(run_assay, user):
    run = run_assay(traffic("loopback", "127.0.0.1", 200 * MB, 1, "child"), SOCKETS, user=user)

    assert run.status == 0, run.stderr
    for way in ("receive", "transmit"):
        claim = by_sockets(run, f"loopback_{way}_bytes")
        rest = by_sockets(run, f"unattributed_loopback_{way}_bytes")
        assert claim["value"] <= 200 * MB, claim
        assert claim["value"] + rest["value"] >= 200 * MB - 2, (claim, rest)


def alone(user, *words):
    """In a network namespace where nobody else's connections are counted. The shell stays, so that it is not the job's alone."""
    unshare = ["unshare", "-n" if user.uid == 0 else "-rn"]
    if subprocess.run([*unshare, "true"], check=False, capture_output=True, **user.popen_arguments()).returncode != 0:
        pytest.skip("this user may make no network namespace here")
    return [*unshare, "sh", "-c", 'ip link set lo up && "$@"; exit $?', "sh", *words]


def test_short_connections_are_the_listeners_at_one_end_and_unattributed_at_the_other(run_assay, user, room):
    started = run_assay.start(traffic("after", "127.0.0.1", 100_000, 50, room), SOCKETS, user=user, wrapper=alone(user))
    wait_for(lambda: (room / "listening").exists(), "the listener")
    wait_for_windows(started)
    (room / "go").touch()
    run = started.finish()

    assert run.status == 0, run.stderr
    mine = {way: by_sockets(run, f"loopback_{way}_bytes")["value"] for way in ("receive", "transmit")}
    rest = {way: by_sockets(run, f"unattributed_loopback_{way}_bytes")["value"] for way in ("receive", "transmit")}
    # All 50 were accepted by the job. Who connected is known of those that a sample met. An end that was not the last count's lacks two bytes at most.
    assert mine["receive"] == 50 * 100_000, (mine, rest)
    assert rest["receive"] == 0
    assert mine["transmit"] + rest["transmit"] == 50 * 100_000, (mine, rest)
    connections = by_sockets(run, "connections_count")["value"]
    assert connections >= 50
    assert connections + by_sockets(run, "unattributed_connections_count")["value"] == 100
    assert run.info["summary"]["socket_overflows_count"]["value"] == 0


def test_a_connection_of_somebody_else_is_not_the_jobs(run_assay, user, room):
    other = subprocess.Popen(traffic("held", "127.0.0.1", 5 * MB, room))
    wait_for(lambda: (room / "arrived").exists(), "the bytes to arrive")
    run = run_assay(["sleep", "0.3"], SOCKETS, user=user)
    (room / "go").touch()

    assert other.wait() == 0
    assert by_sockets(run, "connections_count")["value"] == 0
    for way in ("receive", "transmit"):
        assert by_sockets(run, f"loopback_{way}_bytes")["value"] == 0


def test_in_a_shared_namespace_sockets_are_the_lower_bound_and_interfaces_no_upper_one(run_assay, two_namespaces):
    here, there = two_namespaces
    server = subprocess.Popen(inside(there, *traffic("serve", "10.99.0.2")), stdout=subprocess.PIPE, text=True)
    port = server.stdout.readline().strip()
    run = run_assay(traffic("send", "10.99.0.2", port, 100 * MB), SOCKETS,
                    wrapper=inside(here, "sh", "-c", '"$@"; exit $?', "sh"))

    server.stdout.close()
    assert (run.status, server.wait()) == (0, 0), run.stderr
    claim = run.headline["network_transmit_bytes"]
    rest = by_sockets(run, "unattributed_transmit_bytes")["value"]
    assert (claim["quality"], claim["key"]) == ("lower_bound", "socket_tcp_transmit_bytes"), claim
    assert claim["value"] <= 100 * MB and "upper" not in claim, claim
    assert 100 * MB - 2 <= claim["value"] + rest <= 100 * MB, (claim, rest)
    assert "UDP is not measured" in claim["why"]
    assert by_sockets(run, "loopback_transmit_bytes")["value"] == 0


def test_sockets_are_not_asked_for_by_default(run_assay):
    run = run_assay(["true"])

    assert not [key for key in run.info["summary"] if key.startswith("socket_")]


def test_energy_is_absent_with_a_reason_where_the_machine_has_no_counters(run_assay):
    if list(Path("/sys/class/powercap").glob("*:*/energy_uj")):
        pytest.skip("this machine counts energy")
    run = run_assay(["true"])

    rapl = next(c for c in run.info["collectors"] if c["name"] == "rapl")
    assert not rapl["available"]
    assert "intel_rapl_msr" in rapl["why"]
    assert "rapl_package_energy_joules" not in run.info["summary"]


def test_a_child_in_a_namespace_of_its_own_makes_the_sum_no_bound(run_assay):
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("needs root and unshare")
    run = run_assay(["sh", "-c", "unshare --net sleep 0.7; true"], ["-i", "0.1s"])

    for quantity in ("network_receive_bytes", "network_transmit_bytes"):
        claim = run.headline[quantity]
        assert claim["quality"] == "estimate" and "in another one" in claim["why"], claim
