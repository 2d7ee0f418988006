# SPDX-License-Identifier: MIT
"""A summary and a series of one run that do not agree, con-duct's logs of before its schema, and the names of con-duct's fields on its own logs."""
import json
import shutil

import pytest

from calling import Caller
from support import REPOSITORY, read_info, read_usage

FOREIGN = REPOSITORY / "tests" / "fixtures" / "foreign"
KIB = 1024


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def take(call, room):
    def take(path):
        called = call("import", "--clobber", "-p", f"{room}/run/", str(path))
        assert called.status == 0, called.err
        return read_info(f"{room}/run/"), read_usage(f"{room}/run/")

    return take


def value(info, name):
    entry = info["headline"][name]
    return entry["value"], entry["quality"], entry["key"]


@pytest.fixture
def prmon(room):
    """A copy of prmon's two files with other figures in the summary."""
    def copy(**maxima):
        summary = json.loads((FOREIGN / "prmon" / "prmon.json").read_text())
        summary["Max"] |= maxima
        (room / "prmon.json").write_text(json.dumps(summary))
        shutil.copy(FOREIGN / "prmon" / "prmon.txt", room / "prmon.txt")
        return room / "prmon.json"

    return copy


COUNTERS = {"read_bytes": "io_read_bytes", "write_bytes": "io_write_bytes", "rchar": "io_read_syscall_bytes", "wchar": "io_write_syscall_bytes",
            "rx_bytes": "network_receive_bytes", "tx_bytes": "network_transmit_bytes", "utime": "cpu_user_seconds", "stime": "cpu_system_seconds"}


@pytest.mark.parametrize("column, name", COUNTERS.items())
def test_a_total_of_0_beside_a_series_with_more_gives_way(take, prmon, column, name):
    right = take(FOREIGN / "prmon" / "prmon.json")[0]
    info, _ = take(prmon(**{column: 0}))
    key = right["headline"][name]["key"]

    assert info["headline"][name] == right["headline"][name] and info["headline"][name]["value"] > 0
    assert info["summary"][key] == right["summary"][key]
    assert any(note.startswith(f"{key} is 0 where its file sums up") for note in info["notes"])


def test_a_total_above_that_of_the_series_stands(take, prmon):
    """The last sample may lie before the end."""
    info, _ = take(prmon(read_bytes=300_000_000, pss=400_000, utime=90))

    assert value(info, "io_read_bytes")[0] == info["summary"]["prmon_io_read_bytes"]["value"] == 300_000_000
    assert value(info, "memory_peak_bytes")[0] == info["summary"]["prmon_peak_pss_total_bytes"]["value"] == 400_000 * KIB
    assert value(info, "cpu_user_seconds")[0] == 90
    assert not any("sums up" in note for note in info.get("notes", []))


def test_peaks_below_what_the_samples_saw_give_way(take, prmon):
    info, _ = take(prmon(pss=0, rss=100, nthreads=1))

    assert value(info, "memory_peak_bytes") == (379469 * KIB, "lower_bound", "prmon_pss_total_bytes")
    assert info["summary"]["prmon_peak_pss_total_bytes"]["value"] == 379469 * KIB
    assert info["summary"]["prmon_peak_rss_total_bytes"] == {"value": 485508 * KIB, "quality": "estimate"}
    assert value(info, "tasks_peak")[0] == 9


def test_resource_monitors_summary_gives_way_to_its_series_too(take, room):
    right = take(FOREIGN / "resource_monitor" / "job.summary")[0]
    summary = json.loads((FOREIGN / "resource_monitor" / "job.summary").read_text())
    for name in ("cpu_time", "memory", "bytes_read"):
        summary[name][0] = 0
    (room / "job.summary").write_text(json.dumps(summary))
    shutil.copy(FOREIGN / "resource_monitor" / "job.series", room / "job.series")
    info, usage = take(room / "job.summary")
    peak = max(window["values"]["rmon_memory_total_bytes"]["max"] for window in usage)

    assert value(info, "memory_peak_bytes")[0] == info["summary"]["rmon_peak_memory_total_bytes"]["value"] == peak > 0
    assert value(info, "cpu_seconds")[0] == sum(window["values"]["rmon_cpu_seconds"]["delta"] for window in usage)
    assert value(right, "memory_peak_bytes")[0] >= peak


def test_con_ducts_summary_gives_way_to_its_series(take, room):
    for path in (FOREIGN / "con-duct").glob("0.2.2_*"):
        shutil.copy(path, room / path.name.replace("0.2.2_", "d_"))
    info = json.loads((room / "d_info.json").read_text())
    info["execution_summary"] |= {"peak_rss": 0, "peak_vsz": 5, "average_rss": 0}
    (room / "d_info.json").write_text(json.dumps(info))
    ours, usage = take(room / "d_info.json")
    peaks = {name: max(window["values"][f"ps_{name}_total_bytes"]["max"] for window in usage) for name in ("rss", "vsz")}

    assert value(ours, "memory_peak_bytes")[0] == ours["summary"]["ps_peak_rss_total_bytes"]["value"] == peaks["rss"] > 0
    assert ours["summary"]["ps_peak_vsz_total_bytes"]["value"] == peaks["vsz"]
    assert ours["summary"]["ps_mean_rss_total_bytes"]["value"] > 0


# What con-duct 0.1.0 and 0.1.1 wrote: sizes in KiB, which only the names of the totals and the texts of the summary say, and no schema_version.
EARLY_INFO = {
    "command": "sleep 2", "system": {"uid": "alice", "memory_total": 1 << 34, "cpu_total": 8}, "env": {}, "gpu": None, "duct_version": "0.1.0",
    "execution_summary": {
        "exit_code": 0, "command": "sleep 2", "logs_prefix": "d_", "wall_clock_time": "2.034 sec", "peak_rss": "5120 KiB", "average_rss": "4608.000 KiB",
        "peak_vsz": "9000 KiB", "average_vsz": "9000.000 KiB", "peak_pmem": "0.1%", "average_pmem": "0.050%", "peak_pcpu": "12.5%",
        "average_pcpu": "6.250%", "num_samples": 2, "num_reports": 2}}


def early_line(second, rss):
    stamp = f"2024-07-30T10:00:0{second}.500000-05:00"
    return {"timestamp": stamp, "num_samples": 1,
            "processes": {"42": {"pcpu": 12.5, "pmem": 0.1, "rss": rss, "vsz": 9000, "timestamp": stamp}},
            "totals": {"pmem": 0.1, "pcpu": 12.5, "rss_kb": rss, "vsz_kb": 9000},
            "averages": {"rss": rss, "vsz": 9000, "pmem": 0.1, "pcpu": 12.5, "num_samples": 1}}


@pytest.fixture
def early(room):
    def write(info=None, lines=None, **more):
        if info is not None:
            (room / "d_info.json").write_text(json.dumps(info | more))
        lines = [early_line(0, 4096), early_line(1, 5120)] if lines is None else lines
        (room / "d_usage.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return room / ("d_usage.json" if info is None else "d_info.json")

    return write


@pytest.mark.parametrize("version", ["0.1.0", "0.1.1"])
def test_sizes_of_before_the_schema_are_in_kib(take, early, version):
    info, usage = take(early(EARLY_INFO, duct_version=version))

    assert value(info, "memory_peak_bytes") == (5120 * KIB, "estimate", "ps_rss_total_bytes")
    assert value(info, "memory_peak_process_bytes")[0] == 5120 * KIB
    assert value(info, "wall_seconds") == (2.034, "estimate", "duct_wall_seconds")
    assert info["summary"]["ps_mean_rss_total_bytes"]["value"] == 4608 * KIB
    assert info["summary"]["ps_peak_vsz_total_bytes"]["value"] == 9000 * KIB
    assert info["summary"]["ps_peak_lifetime_cpu_total_percent"]["value"] == 12.5
    assert info["summary"]["ps_mean_memory_total_percent"]["value"] == 0.05
    assert [window["values"]["ps_rss_total_bytes"]["max"] for window in usage] == [4096 * KIB, 5120 * KIB]
    assert usage[1]["values"]["ps_rss_total_bytes"]["mean"] == 5120 * KIB
    assert usage[1]["processes"][0]["values"]["ps_rss_bytes"]["max"] == 5120 * KIB
    assert usage[1]["values"]["ps_memory_total_percent"]["max"] == 0.1


def test_a_series_of_then_alone_is_in_kib_too(take, early):
    info, _ = take(early())
    assert value(info, "memory_peak_bytes")[0] == 5120 * KIB


def test_what_was_unknown_is_absent(take, early):
    unknown = {name: "unknown" for name in ("peak_rss", "average_rss", "peak_vsz", "average_vsz")}
    info, _ = take(early(EARLY_INFO, lines=[], execution_summary=EARLY_INFO["execution_summary"] | unknown | {"peak_pmem": "unknown%"}))
    assert "memory_peak_bytes" not in info["headline"] and value(info, "wall_seconds")[0] == 2.034


def test_logs_of_the_first_con_duct_are_refused(call, early, room):
    line = early_line(0, 4096)
    old = line["processes"] | {"totals": line["totals"], "averages": line["averages"]}
    for words in ([early(EARLY_INFO, lines=[old], duct_version="0.0.1")], ["--from", "con-duct", room / "d_usage.json"]):
        called = call("import", "-p", f"{room}/run/", *map(str, words))
        assert (called.status, called.out, called.err.count("\n")) == (1, "", 1)
        assert "it is of con-duct 0.0.1, whose logs are of another form: those of 0.1.0 and later are read" in called.err
    (room / "d_info.json").unlink()
    called = call("import", "-p", f"{room}/run/", "--from", "con-duct", f"{room}/d_usage.json")
    assert called.status == 1 and "con-duct 0.0.1" in called.err and not (room / "run").exists()


FIELDS = ("wall_clock_time", "cpu_total", "memory_total", "peak_rss", "average_rss", "peak_vsz", "average_vsz", "peak_pmem", "average_pmem",
          "peak_pcpu", "average_pcpu", "num_samples", "num_reports", "start_time", "end_time", "uid", "logs_size")


@pytest.mark.parametrize("index", [[], ["--no-index"]])
def test_con_ducts_names_of_fields_work_on_its_own_logs_and_on_ours(call, index):
    """In one list, where each run has them under other names of ours."""
    logs = call.here / "logs"
    logs.mkdir()
    for path in (FOREIGN / "con-duct").glob("0.2.2_*"):
        shutil.copy(path, logs / path.name.replace("0.2.2_", "d_"))
    assert call("run", "-q", "-p", "logs/ours/", "sleep", "0.4").status == 0
    theirs = json.loads((logs / "d_info.json").read_text())
    own = json.loads((logs / "ours" / "info.json").read_text())
    for turn in range(2):
        called = call("ls", "-f", "jsonl", "-F", "format," + ",".join(FIELDS), *index, "logs")
        assert (called.status, called.err) == (0, ""), turn
        rows = {row["format"]: row for row in map(json.loads, called.out.splitlines())}
        summary = theirs["execution_summary"]
        for name in ("wall_clock_time", "peak_rss", "average_rss", "peak_vsz", "average_vsz", "peak_pmem", "average_pmem", "peak_pcpu",
                     "average_pcpu", "num_samples", "num_reports"):
            assert rows["con-duct"][name] == summary[name], name
        assert rows["con-duct"]["cpu_total"] == theirs["system"]["cpu_total"] and rows["con-duct"]["uid"] == theirs["system"]["uid"]
        assert rows["con-duct"]["memory_total"] == theirs["system"]["memory_total"]
        assert rows["con-duct"]["logs_size"] == sum(path.stat().st_size for path in logs.glob("d_*"))
        assert rows["assay"]["peak_rss"] == own["summary"]["proc_peak_rss_total_bytes"]["value"]
        assert rows["assay"]["num_samples"] == own["self"]["ticks"] and rows["assay"]["cpu_total"] == own["host"]["cpus_online"]
        assert rows["assay"].get("peak_pcpu") is None, "a rate is no ratio over a life"
        found = call("ls", "-f", "jsonl", "-F", "format", "-w", f"peak_rss = {summary['peak_rss']} and num_samples > 0", *index, "logs")
        assert [json.loads(line)["format"] for line in found.out.splitlines()] == ["con-duct"]


@pytest.mark.parametrize("name, local", [("nvidia-smi-header.csv", "2026-01-02T10:11:12.000000"), ("dmon-dt.txt", "2026-01-02T23:59:58.000000"),
                                         ("dmon-mu.txt", None)])
def test_local_times_of_other_tools_match_started_too(take, call, room, name, local):
    info, _ = take(FOREIGN / name)
    assert info["time"].get("started_local") == local and "started" not in info["time"]
    for day, found in (("2026-01-02", local is not None), ("2026-01-03", False)):
        called = call("ls", "-f", "jsonl", "-F", "format", "-w", f"started = {day}", f"{room}/run/")
        assert bool(called.out) == found
