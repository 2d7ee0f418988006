# SPDX-License-Identifier: MIT
"""sadf -j: a machine's course as sar kept it, of the machine and not of a job."""
import json

import pytest

from calling import Caller
from support import read_info, read_usage


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def take(call, room):
    def take(*hosts):
        (room / "sa.json").write_text(json.dumps({"sysstat": {"hosts": hosts}}, indent=1))
        called = call("import", "-p", f"{room}/run{{pid}}/", f"{room}/sa.json")
        assert called.status == 0, called.err
        prefixes = [line.split(" from ")[0] for line in called.out.splitlines()]
        return [(read_info(prefix), read_usage(prefix)) for prefix in prefixes]

    return take


def statistic(clock, idle=50.0, used=1000, interval=10, utc=1, **more):
    return {"timestamp": {"date": "2026-01-02", "time": clock, "utc": utc, "interval": interval},
            "cpu-load": [{"cpu": "all", "user": 40.0, "nice": 0.0, "system": 5.0, "iowait": 4.0, "steal": 1.0, "idle": idle},
                         {"cpu": "0", "user": 1.0, "iowait": 0.0, "idle": 99.0}],
            "memory": {"memfree": 5, "memused": used, "cached": 300, "swpused": 7},
            "io": {"tps": 1.0, "io-reads": {"rtps": 1.0, "bread": 20.0}, "io-writes": {"wtps": 1.0, "bwrtn": 40.0}},
            "network": {"net-dev": [{"iface": "lo", "rxkB": 900.0, "txkB": 900.0}, {"iface": "eth0", "rxkB": 2.0, "txkB": 1.0},
                                    {"iface": "eth1", "rxkB": 1.0, "txkB": 0.0}]}} | more


def host(*statistics, **more):
    return {"nodename": "node7", "sysname": "Linux", "number-of-cpus": 8, "statistics": list(statistics)} | more


def test_a_machine_as_sar_kept_it(take):
    [(info, usage)] = take(host(statistic("10:00:10"), statistic("10:00:20", idle=95.0, used=2000)))
    summary = {name: entry["value"] for name, entry in info["summary"].items()}

    assert info["headline"].keys() == {"wall_seconds"} and info["headline"]["wall_seconds"]["value"] == 20, "nothing of it is a job's"
    assert info["time"]["started"] == "2026-01-02T10:00:00.000000Z" and info["time"]["ended"] == "2026-01-02T10:00:20.000000Z"
    assert info["host"] == {"hostname": "node7", "cpus_online": 8}
    assert [window["values"]["sadf_host_cpu_percent"]["max"] for window in usage] == [360, 0]
    assert summary["sadf_host_cpu_seconds"] == 36 and summary["sadf_peak_host_iowait_percent"] == 32
    assert summary["sadf_peak_host_memory_used_bytes"] == 2000 << 10 and summary["sadf_mean_host_memory_used_bytes"] == 1500 << 10
    assert summary["sadf_peak_host_swap_used_bytes"] == 7 << 10
    assert summary["sadf_host_disk_read_bytes"] == 20 * 512 * 20 and summary["sadf_host_disk_write_bytes"] == 40 * 512 * 20
    assert summary["sadf_host_network_receive_bytes"] == 3 * 1024 * 20 and summary["sadf_host_network_transmit_bytes"] == 1024 * 20
    assert [(window["start_seconds"], window["end_seconds"]) for window in usage] == [(0, 10), (10, 20)]


def test_no_request_is_made_of_a_machine(take, call, room):
    take(host(statistic("10:00:10"), statistic("10:00:20")))
    called = call("size", f"{room}/sa.json")
    assert "--mem=" not in called.out and "--cpus-per-task" not in called.out


def test_a_gap_is_in_no_window_and_local_times_have_no_zone(take):
    [(info, usage)] = take(host(statistic("10:00:10", utc=0), statistic("11:00:10", utc=0)))
    assert [(window["start_seconds"], window["end_seconds"]) for window in usage] == [(0, 10), (3600, 3610)]
    assert info["time"]["started_local"] == "2026-01-02T10:00:00.000000" and "started" not in info["time"] and "time" not in usage[0]


def test_what_is_not_there_is_absent(take):
    bare = {"timestamp": {"date": "2026-01-02", "time": "10:00:10", "utc": 1, "interval": 10}}
    odd = {"timestamp": {"date": "x", "time": "y", "utc": 1, "interval": 10}}
    [(info, usage)] = take(host(bare, odd, bare, statistic("10:00:30"), **{"number-of-cpus": "x"}))
    assert usage[0]["values"] == {} and len(usage) == 2 and "sadf_host_cpu_seconds" not in info["summary"]
    assert any(note.endswith("that were left out: 2") for note in info["notes"])


def test_hosts_are_runs(take):
    infos = [info for info, _ in take(host(statistic("10:00:10")), host(statistic("10:00:20"), nodename="node8"))]
    assert [info["host"]["hostname"] for info in infos] == ["node7", "node8"]


@pytest.mark.parametrize("content, words", [({"sysstat": {"hosts": []}}, "it has no host"), ({"sysstat": {"hosts": [{"statistics": []}]}}, "it has no reading"),
                                            ('{"sysstat": {"hosts": [', "ends in the middle")])
def test_what_tells_nothing_is_refused(call, room, content, words):
    (room / "sa.json").write_text(content if isinstance(content, str) else json.dumps(content))
    called = call("import", "-p", f"{room}/run/", f"{room}/sa.json")
    assert called.status == 1 and words in called.err and not (room / "run").exists()
