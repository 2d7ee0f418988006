# SPDX-License-Identifier: MIT
"""assay import: con-duct's logs of every schema become runs with the values and the qualities that they have, whole or not at all."""
import json
import os
import shutil
import signal
import subprocess

import pytest

from calling import Caller
from support import REPOSITORY, read_info, read_usage, skip_with_a_sanitizer, wait_for

FOREIGN = REPOSITORY / "tests" / "fixtures" / "foreign"
MIB = 1 << 20
SCHEMAS = ("0.1.0", "0.1.1", "0.2.0", "0.2.1", "0.2.2")


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def take(call, room):
    """Imports one run and returns its info and its windows, both valid by the schemas."""
    def take(*words, prefix="new_"):
        called = call("import", "-p", f"{room}/{prefix}", *map(str, words))
        assert called.status == 0, called.err
        return read_info(room / prefix), read_usage(room / prefix)

    return take


@pytest.fixture
def duct(room):
    """A copy of con-duct's log of a schema, in a directory of its own; returns its prefix."""
    def copy(schema="0.2.2"):
        log = room / f"duct-{schema}"
        log.mkdir(exist_ok=True)
        for path in (FOREIGN / "con-duct").glob(f"{schema}_*"):
            shutil.copy(path, log / path.name.replace(f"{schema}_", "d_"))
        return log / "d_"

    return copy


def value(info, name):
    entry = info["headline"][name]
    return entry["value"], entry["quality"], entry["key"]


def files_of(room, prefix="new_"):
    return sorted(path.name for path in room.glob(f"{prefix}*"))


def age(*paths):
    """Makes files as old as those of a recorder that is long gone."""
    for path in paths:
        os.utime(path, (1_700_000_000, 1_700_000_000))


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_log_of_each_schema_of_con_duct_is_read_right(take, duct, schema):
    info, usage = take(f"{duct(schema)}info.json")

    assert value(info, "wall_seconds") == (13.875, "estimate", "duct_wall_seconds")
    assert value(info, "memory_peak_bytes") == (104 * MIB, "estimate", "ps_rss_total_bytes")
    assert value(info, "memory_peak_process_bytes") == (100 * MIB, "lower_bound", "ps_rss_bytes")
    assert value(info, "processes") == (3, "lower_bound", "ps_processes_count")
    assert not [name for name in info["headline"] if name.startswith("cpu")], "a lifetime average is no CPU time"
    assert info["summary"]["ps_mean_rss_total_bytes"] == {"value": 44.5 * MIB, "quality": "upper_bound"}
    assert info["summary"]["ps_peak_lifetime_cpu_total_percent"] == {"value": 181, "quality": "estimate"}
    assert info["outcome"]["exit_code"] == 3
    assert info["command"]["text"] == "/bin/sh /home/x/job.sh --fast"
    assert info["user"] == ({"name": "alice"} if schema == "0.1.0" else {"uid": 1000, "name": "alice"})
    assert info["host"]["memory_total_bytes"] == 16384 * MIB and info["host"]["cpus_configured"] == 8
    assert info["scheduler"] == {"SLURM_JOB_ID": "77"}
    assert info.get("working_directory") == ("/home/x" if schema >= "0.2.1" else None)
    assert info.get("message") == ("third try" if schema == "0.2.2" else None)
    assert (info["imported"]["format"], info["imported"]["version"]) == ("con-duct", schema)
    assert ("gpu_0" in info["host"]) == (schema == "0.1.0")
    # Before 0.2.0 it does not say when it began: then that is its first sample, a quarter of a second later.
    late = 0 if schema >= "0.2.0" else 0.25
    assert info["time"]["started"] == ("2026-01-02T09:11:12.000000Z" if late == 0 else "2026-01-02T09:11:12.250000Z")
    assert [(line["start_seconds"], line["end_seconds"], line["samples"]) for line in usage] == [
        (0, 0.25 - late, 1), (0.25 - late, 10.5 - late, 10), (10.5 - late, 13.75 - late, 3)]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_window_of_con_duct_keeps_its_sums_its_processes_and_their_states(take, duct, schema):
    window = take(f"{duct(schema)}info.json")[1][1]

    assert window["time"] == "2026-01-02T09:11:22.500000Z"
    assert window["values"] == {
        "ps_rss_total_bytes": {"max": 104 * MIB, "mean": 60.5 * MIB, "quality": "upper_bound"},
        "ps_vsz_total_bytes": {"max": 309 * MIB, "mean": 200 * MIB, "quality": "sampled"},
        "ps_memory_total_percent": {"max": 1.6, "mean": 0.8, "quality": "upper_bound"},
        "ps_lifetime_cpu_total_percent": {"max": 181, "mean": 90.25, "quality": "estimate"},
        "ps_processes_count": {"delta": 1, "quality": "lower_bound"}}
    shell, work = sorted(window["processes"], key=lambda process: process["pid"])
    assert (shell["pid"], shell["name"], work["name"]) == (4711, "sh", "python3")
    assert work["command"] == ["python3 work.py"]
    assert work["values"] == {"ps_rss_bytes": {"max": 100 * MIB}, "ps_vsz_bytes": {"max": 300 * MIB},
                              "ps_memory_percent": {"max": 1.5}, "ps_lifetime_cpu_percent": {"max": 180.5},
                              "ps_elapsed_seconds": {"last": 3723}}
    assert shell.get("states") == (None if schema == "0.1.0" else {"S": 9, "R": 1})


def test_an_age_of_days_is_told_in_seconds(take, duct):
    sort = take(f"{duct()}info.json")[1][2]["processes"][1]

    assert (sort["name"], sort["values"]["ps_elapsed_seconds"]) == ("[sort]", {"last": 86402})


@pytest.mark.parametrize("end", ("info.json", "usage.jsonl", "stdout", ""))
def test_any_file_of_con_ducts_leads_to_the_whole_run(take, duct, end):
    info, usage = take(f"{duct()}{end}")

    assert info["outcome"]["exit_code"] == 3 and len(usage) == 3
    assert info["imported"]["stdout"].endswith("/duct-0.2.2/d_stdout") and "stderr" not in info["imported"]


def test_several_files_of_one_run_are_one_run(call, duct, room):
    prefix = duct()
    called = call("import", "-p", f"{room}/new-{{pid}}_", f"{prefix}info.json", f"{prefix}usage.jsonl", f"{prefix}stdout")

    assert (called.status, called.out.count("\n")) == (0, 1), called.err
    assert len(list(room.glob("new-*info.json"))) == 1


def test_an_info_file_that_was_never_written_is_a_lost_run_with_what_its_series_tells(take, duct):
    prefix = duct()
    (prefix.parent / "d_info.json").write_bytes(b"")
    age(prefix.parent / "d_usage.jsonl")
    info, usage = take(f"{prefix}info.json")

    assert info["state"] == "lost" and "killed" in info["imported"]["lost"]
    assert value(info, "wall_seconds") == (13.5, "lower_bound", "duct_wall_seconds")
    assert value(info, "memory_peak_bytes") == (104 * MIB, "estimate", "ps_rss_total_bytes")
    assert len(usage) == 3 and "outcome" not in info and "command" not in info


def test_an_imported_run_is_read_again_as_the_run_it_is(call, take, duct, room):
    take(f"{duct()}info.json")
    called = call("import", f"{room}/new_info.json")

    assert (called.status, called.out) == (1, "")
    assert "a run of assay already" in called.err


def damaged(prefix, lines):
    (prefix.parent / "d_usage.jsonl").write_bytes(b"".join(lines))


@pytest.mark.parametrize("what, bad", (
    ("torn", b'{"timestamp": "2026-01-02T10:11:1'), ("nul", b"\0" * 100 + b"\n"), ("binary", bytes(range(256)) + b"\n"),
    ("types", b'{"timestamp": 7, "processes": [], "totals": 1}\n'), ("pid", b'{"timestamp":"2026-01-02T10:11:19.5+01:00","processes":{"-4":{}}}\n'),
    ("array", b"[1, 2]\n"), ("deep", b"[" * 5000 + b"\n"), ("time", b'{"timestamp":"yesterday","totals":{"rss":1},"processes":{}}\n')))
def test_a_line_that_cannot_be_read_is_left_out_and_counted(call, duct, room, what, bad):
    prefix = duct()
    lines = (prefix.parent / "d_usage.jsonl").read_bytes().splitlines(keepends=True)
    damaged(prefix, [*lines, bad] if what == "torn" else [lines[0], bad, *lines[1:]])
    called = call("import", "-p", f"{room}/new_", f"{prefix}info.json")
    info = read_info(f"{room}/new_")

    assert called.status == 0 and [line["sequence"] for line in read_usage(f"{room}/new_")] == [0, 1, 2]
    assert ("last line" if what == "torn" else "first is line 2") in called.err
    assert any(("last line" if what == "torn" else "line 2") in note for note in info["notes"])


def test_lines_twice_and_out_of_order_are_not_counted_twice(call, duct, room):
    prefix = duct()
    first, second, third = (prefix.parent / "d_usage.jsonl").read_bytes().splitlines(keepends=True)
    damaged(prefix, [first, second, second, first, third])
    called = call("import", "-p", f"{room}/new_", f"{prefix}info.json")
    usage = read_usage(f"{room}/new_")

    assert [line["end_seconds"] for line in usage] == [0.25, 10.5, 13.75]
    assert value(read_info(f"{room}/new_"), "processes")[0] == 3
    assert "2 lines could not be read (the first is line 3)" in called.err


@pytest.mark.parametrize("content, words", (
    (b"", "empty"), (b"\0" * 1000, "no other format that is known (see assay import --list)"), (bytes(range(1, 256)) * 9, "no other format"),
    (b"{\"a\": 1", "ends in the middle"), (b"{\"a\": 1, \"a\": 2}", "name twice"), (b"hello\n", "no other format")))
def test_a_file_that_nobody_knows_is_one_line_and_status_1(call, duct, room, content, words):
    prefix = duct()
    (room / "odd.json").write_bytes(content)
    called = call("import", "-p", f"{room}/new_", f"{room}/odd.json", f"{prefix}info.json")

    assert called.status == 1
    assert called.err.count("\n") == 1 and f"{room}/odd.json: " in called.err and words in called.err
    assert files_of(room) == ["new_info.json", "new_usage.jsonl"], "the other file is imported all the same"


def test_a_record_that_is_there_is_not_replaced_without_clobber(call, take, duct, room):
    take(f"{duct()}info.json")
    (room / "new_stdout").write_text("of the old run\n", encoding="utf-8")
    before = (room / "new_info.json").read_bytes()
    called = call("import", "-p", f"{room}/new_", f"{duct('0.1.0')}info.json")

    assert called.status == 1 and "--clobber" in called.err
    assert (room / "new_info.json").read_bytes() == before
    again = call("import", "--clobber", "-p", f"{room}/new_", f"{duct('0.1.0')}info.json")
    assert again.status == 0 and read_info(f"{room}/new_")["imported"]["version"] == "0.1.0"
    assert files_of(room) == ["new_info.json", "new_usage.jsonl"], "the old run's output would pass for the new one's"


def test_runs_of_one_import_have_ids_and_prefixes_of_their_own(call, duct, room):
    called = call("import", *(f"{duct(schema)}info.json" for schema in SCHEMAS))
    infos = [read_info(f"{directory}/") for directory in (room / "here" / ".assay" / "runs").iterdir()]

    assert called.status == 0 and len({info["id"] for info in infos}) == len(SCHEMAS) == len(infos)
    assert all(info["files"]["prefix"].endswith(f"{info['id']}/") for info in infos)
    words = [line.split(" from ")[0] for line in called.out.splitlines()]
    assert sorted(words) == sorted(info["files"]["prefix"] for info in infos)


def test_a_prefix_for_one_run_takes_one_run(call, duct, room):
    called = call("import", "-p", f"{room}/new_", f"{duct('0.1.0')}info.json", f"{duct()}info.json")

    assert called.status == 1 and "needs {pid}" in called.err
    assert read_info(f"{room}/new_")["imported"]["version"] == "0.1.0"


def test_tags_are_given_to_every_run(take, duct):
    info, _ = take("--tag", "batch=7", "--tag", "from=old=duct", f"{duct()}info.json")

    assert info["tags"] == {"batch": "7", "from": "old=duct"}


def test_a_dry_run_says_what_it_is_and_writes_nothing(call, duct, room):
    called = call("import", "--dry-run", f"{duct()}usage.jsonl")

    assert (called.status, called.err) == (0, "")
    assert called.out == f"{room}/duct-0.2.2/d_info.json: con-duct, 3 windows\n"
    assert not (room / "here" / ".assay").exists()


def test_what_cannot_be_meant_is_status_2_and_the_formats_are_listed(call):
    for words in ((), ("--from", "nobody", "x"), ("--tag", "=", "x"), ("-p", "{nope}", "x"), ("--format", "x")):
        called = call("import", *words)
        assert (called.status, called.out, called.err.count("\n")) == (2, "", 1), called.err
    assert call("import", "--list").out.startswith("con-duct ")


def test_a_full_disk_leaves_nothing_of_the_run(call, duct, disk_of):
    small = disk_of("64k")
    prefix = duct()
    lines = (prefix.parent / "d_usage.jsonl").read_bytes().splitlines(keepends=True)
    many = [lines[0]]
    for second in range(600):
        line = json.loads(lines[1])
        line["timestamp"] = f"2026-01-02T11:{second // 60:02d}:{second % 60:02d}+01:00"
        many.append(json.dumps(line).encode() + b"\n")
    damaged(prefix, many)
    called = call("import", "-p", f"{small}/a/b/new_", f"{prefix}info.json")

    assert called.status == 1 and "No space left" in called.err
    assert not list(small.iterdir())


def test_a_signal_in_the_middle_leaves_nothing_and_ends_it(run_assay, assay, duct, room):
    prefix = duct()
    line = json.loads((prefix.parent / "d_usage.jsonl").read_bytes().splitlines()[1])
    with open(prefix.parent / "d_usage.jsonl", "w", encoding="utf-8") as series:
        for second in range(60_000):
            line["timestamp"] = f"2026-01-{second // 7200 + 3:02d}T{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.5Z"
            series.write(json.dumps(line) + "\n")
    with subprocess.Popen([str(assay), "import", "-p", f"{room}/made/new_", f"{prefix}info.json"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=run_assay.environment()) as process:
        # The directory is made when the writing begins.
        wait_for((room / "made").exists, "the import to begin")
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)

    assert (process.returncode, out) == (-signal.SIGTERM, b"")
    assert not (room / "made").exists()


def copy_of(room, *names):
    """Copies fixtures into the room; returns the first."""
    for name in names:
        shutil.copy(FOREIGN / name, room / name.rpartition("/")[2])
    return room / names[0].rpartition("/")[2]


def deltas(usage, key):
    return [line["values"][key]["delta"] for line in usage]


@pytest.mark.parametrize("named", ("prmon.txt", "prmon.json"))
def test_prmons_series_and_summary_are_one_run(take, room, named):
    copy_of(room, "prmon/prmon.txt", "prmon/prmon.json")
    info, usage = take(room / named)

    assert value(info, "wall_seconds") == (61, "lower_bound", "prmon_wall_seconds")
    assert value(info, "cpu_seconds") == (87, "lower_bound", "prmon_cpu_user_seconds")
    assert value(info, "memory_peak_bytes") == (379469 * 1024, "lower_bound", "prmon_pss_total_bytes")
    assert value(info, "io_read_syscall_bytes") == (22000000, "lower_bound", "prmon_io_read_syscall_bytes")
    assert value(info, "io_write_bytes") == (73728, "lower_bound", "prmon_io_write_bytes")
    assert value(info, "network_receive_bytes") == (9100000, "estimate", "prmon_network_receive_bytes")
    assert value(info, "tasks_peak") == (9, "lower_bound", "prmon_threads_count")
    assert info["summary"]["prmon_mean_pss_total_bytes"] == {"value": 161528 * 1024, "quality": "sampled"}
    assert info["summary"]["prmon_peak_rss_total_bytes"] == {"value": 485508 * 1024, "quality": "estimate"}
    assert info["host"] == {"cpus_online": 8, "cpu_model": "A Processor", "memory_total_bytes": 16384000 * 1024}
    assert info["imported"]["tool"] == "prmon 3.1.1"
    assert info["time"]["started"] == "2026-01-02T09:11:12.000000Z"
    assert [(line["start_seconds"], line["end_seconds"]) for line in usage] == [(0, 1), (1, 31), (31, 61)]
    assert deltas(usage, "prmon_cpu_user_seconds") == [0, 47, 33]


def test_prmons_series_alone_says_what_it_has(take, room):
    info, _ = take(copy_of(room, "prmon/prmon.txt"))

    assert value(info, "memory_peak_bytes") == (379469 * 1024, "lower_bound", "prmon_pss_total_bytes")
    assert value(info, "cpu_seconds")[0] == 87 and "host" not in info and info["imported"]["tool"] == "prmon"


def test_prmons_summary_alone_is_a_run_without_a_series(take, room):
    info, usage = take(copy_of(room, "prmon/prmon.json"))

    assert usage == [] and "usage" not in info["files"] and not (room / "new_usage.jsonl").exists()
    assert value(info, "cpu_user_seconds") == (80, "lower_bound", "prmon_cpu_user_seconds")


def test_columns_are_found_by_name_in_any_order_and_unknown_ones_are_passed_over(take, room):
    rows = [line.split("\t") for line in (FOREIGN / "prmon" / "prmon.txt").read_text(encoding="utf-8").splitlines()]
    turned = [[*reversed(row), "new" if row[0] == "Time" else "7"] for row in rows]
    (room / "p.txt").write_text("".join("\t".join(row) + "\n" for row in turned), encoding="utf-8")
    there = take(FOREIGN / "prmon" / "prmon.txt")
    turned = take(room / "p.txt", prefix="turned_")

    assert turned[0]["headline"] == there[0]["headline"]
    assert [line["values"] for line in turned[1]] == [line["values"] for line in there[1]]


def test_prmon_without_pss_has_only_a_sum_of_resident_sets(take, room):
    (room / "p.txt").write_text("Time\twtime\trss\n1767345073\t1\t100\n1767345103\t31\t200\n", encoding="utf-8")

    assert value(take(room / "p.txt")[0], "memory_peak_bytes") == (200 * 1024, "estimate", "prmon_rss_total_bytes")


def test_a_file_of_that_name_that_is_not_prmons_is_not_taken_for_its_summary(take, room):
    path = copy_of(room, "prmon/prmon.txt")
    (room / "prmon.json").write_text("{not JSON", encoding="utf-8")

    assert value(take(path)[0], "wall_seconds")[0] == 61


@pytest.mark.parametrize("name", ("plain.txt", "io.txt", "log.csv"))
def test_psrecords_rates_become_cpu_seconds_and_its_mb_are_mebibytes(take, name):
    info, usage = take(FOREIGN / "psrecord" / name)

    assert value(info, "wall_seconds") == (3, "lower_bound", "psrecord_wall_seconds")
    assert value(info, "cpu_seconds") == (1.5 + 1.0, "estimate", "psrecord_cpu_seconds")
    assert value(info, "memory_peak_bytes") == (100.25 * MIB, "estimate", "psrecord_rss_total_bytes")
    assert deltas(usage[1:], "psrecord_cpu_seconds") == [1.5, 1]
    assert "psrecord_cpu_seconds" not in usage[0]["values"], "the first sample has no time before it"
    assert info["summary"]["psrecord_mean_cpu_percent"]["value"] == pytest.approx((150 + 2 * 50) / 3)
    assert ("psrecord_peak_processes_count" in info["summary"]) == (name == "log.csv")
    assert ("io_read_bytes" in info["headline"]) == (name == "io.txt")


def test_what_psrecord_read_before_its_first_sample_is_not_claimed_and_falling_counters_are_not_new(take):
    info, usage = take(FOREIGN / "psrecord" / "io.txt")

    assert value(info, "io_read_bytes") == (MIB - 4096, "lower_bound", "psrecord_io_read_bytes")
    assert value(info, "io_write_bytes") == (12288, "lower_bound", "psrecord_io_write_bytes")
    assert deltas(usage[1:], "psrecord_read_calls_count") == [30, 0]
    assert "psrecord_read_calls_count" not in usage[0]["values"]


def test_a_unit_that_is_not_known_is_not_guessed(take, room):
    text = (FOREIGN / "psrecord" / "plain.txt").read_text(encoding="utf-8").replace("Real (MB)", "Real (GB)")
    (room / "p.txt").write_text(text, encoding="utf-8")
    info, usage = take(room / "p.txt")

    assert "memory_peak_bytes" not in info["headline"] and "psrecord_rss_total_bytes" not in usage[1]["values"]
    assert value(info, "cpu_seconds")[0] == 2.5


@pytest.mark.parametrize("named", ("job.summary", "job.series"))
def test_resource_monitors_summary_and_series_are_one_run(take, named):
    info, usage = take(FOREIGN / "resource_monitor" / named)

    assert value(info, "wall_seconds") == (3.25, "estimate", "rmon_wall_seconds")
    assert value(info, "cpu_seconds") == (2.5, "estimate", "rmon_cpu_seconds")
    assert value(info, "memory_peak_bytes") == (43 * MIB, "estimate", "rmon_memory_total_bytes")
    assert value(info, "io_read_syscall_bytes") == (5 * MIB, "estimate", "rmon_io_read_syscall_bytes")
    assert value(info, "io_write_bytes") == (30 * MIB, "estimate", "rmon_io_write_bytes")
    assert "processes" not in info["headline"], "its count of processes is wrong by orders"
    assert info["outcome"]["exit_code"] == 3 and info["command"]["text"] == "sh job.sh"
    assert info["time"]["started"] == "2026-01-02T09:11:12.500000Z" and info["host"] == {"hostname": "node7", "cpus_online": 2}
    assert [line["end_seconds"] for line in usage] == [0, 1, 2, 3]
    assert deltas(usage, "rmon_cpu_seconds") == pytest.approx([0, 0.89, 0.99, 0.42])
    assert deltas(usage, "rmon_io_read_syscall_bytes") == [0, 2 * MIB, 0, 2 * MIB]
    assert [line["values"]["rmon_memory_total_bytes"]["max"] for line in usage] == [MIB, 43 * MIB, 40 * MIB, 12 * MIB]


def test_resource_monitors_series_alone_says_what_it_has(take, room):
    info, _ = take(copy_of(room, "resource_monitor/job.series"))

    assert value(info, "wall_seconds") == (3, "lower_bound", "rmon_wall_seconds")
    assert value(info, "cpu_seconds")[0] == pytest.approx(2.3) and "outcome" not in info


def test_what_resource_monitor_itself_wrote_of_a_killed_and_of_a_limited_job(take):
    killed, usage = take(FOREIGN / "resource_monitor" / "killed.summary")
    limited, _ = take(FOREIGN / "resource_monitor" / "limit.summary", prefix="limited_")

    assert killed["outcome"]["signal_name"] == "SIGKILL" and len(usage) == 4
    assert value(killed, "io_read_syscall_bytes")[0] == 50 * MIB, "the job read 50 MiB of zeros"
    assert value(killed, "wall_seconds")[0] == pytest.approx(1.263829)
    assert limited["outcome"]["exit_code"] == 143
    assert any("limit of wall_time" in note for note in limited["notes"])


def test_a_job_that_resource_monitor_ended_at_a_limit_did_not_end_well_whatever_its_status(take, room):
    summary = (FOREIGN / "resource_monitor" / "limit.summary").read_text()
    (room / "zero.summary").write_text(summary.replace('"exit_status":143', '"exit_status":0'))
    info, _ = take(room / "zero.summary", prefix="zero_")
    assert info["outcome"] == {"cause": "limit", "limit": "wall", "limit_source": "resource_monitor", "words": "ended at a limit of resource_monitor",
                               "evidence": "resource_monitor's exit_type"}


TABLES = ("prmon/prmon.txt", "psrecord/plain.txt", "psrecord/log.csv", "resource_monitor/job.series")


@pytest.mark.parametrize("name", TABLES)
def test_bad_lines_of_a_table_are_left_out_and_counted(call, room, name):
    lines = (FOREIGN / name).read_bytes().splitlines(keepends=True)
    separator = b"," if b"," in lines[-1] else b"\t" if b"\t" in lines[-1] else b" "
    bad = [b"\0" * 50 + b"\n", bytes(range(1, 10)) + bytes(range(14, 256)) + b"\n", lines[-1].rstrip(b"\n") + separator + b"1\n",
           lines[-2].rstrip().rpartition(separator)[0].rstrip() + b"\n", lines[-1].replace(b"0", b"x")]
    path = room / name.rpartition("/")[2]
    path.write_bytes(b"".join([*lines[:-1], *bad, lines[-1], lines[-3], lines[-1][:-3]]))
    good = len(lines) - 1 - len([line for line in lines[1:] if line.startswith(b"#")])
    called = call("import", "-p", f"{room}/new_", str(path))

    assert called.status == 0, called.err
    assert len(read_usage(f"{room}/new_")) == (good if b"#wall" not in b"".join(lines) else 4)
    assert "6 lines could not be read" in called.err and "last line is not whole" in called.err


@pytest.mark.parametrize("name", TABLES)
def test_the_lines_of_a_table_may_end_as_on_other_systems(take, room, name):
    path = room / name.rpartition("/")[2]
    path.write_bytes((FOREIGN / name).read_bytes().replace(b"\n", b"\r\n"))
    there = take(copy_of(room / "here", name))[0]

    assert take(path, prefix="crlf_")[0]["headline"] == there["headline"]


@pytest.mark.parametrize("content, words", (
    ("Time\twtime\tpss\tpss\n1\t1\t1\t1\n", "the column 'pss' twice"), ("elapsed_time,cpu,mem_real\n", "no sample"),
    ("Time\tpss" + "\tx" * 200 + "\n", "more than 64 columns"), ('{"Max": {"wtime": "x"}, "prmon": 3}', None),
    ('{"monitor_version": "8", "wall_time": [1, "furlongs"], "cpu_time": 3, "memory": [-1, "MB"]}', None),
    ('{"Max": 3, "prmon"', "ends in the middle"), ('{"monitor_version": "8"', "ends in the middle")))
def test_odd_files_of_a_known_format_are_told_in_one_line_or_say_little(call, room, content, words):
    (room / "odd").write_text(content, encoding="utf-8")
    called = call("import", "-p", f"{room}/new_", f"{room}/odd")

    if words is None:
        assert called.status == 0, called.err
        assert read_info(f"{room}/new_").get("headline", {}) == {}
    else:
        assert called.status == 1 and called.err.count("\n") == 1 and words in called.err
        assert not files_of(room)


def test_a_format_can_be_said(call, room):
    text = (FOREIGN / "psrecord" / "plain.txt").read_text(encoding="utf-8")
    (room / "log").write_text("some words before\n" + text, encoding="utf-8")

    assert call("import", "-n", f"{room}/log").status == 1
    assert call("import", "-n", "--from", "psrecord", f"{room}/log").out == f"{room}/log: psrecord, 3 windows\n"
    wrong = call("import", "-n", "--from", "prmon", f"{room}/log")
    assert wrong.status == 1 and f"{room}/log: it has no line that names its columns" in wrong.err


@pytest.mark.parametrize("form, content, said", [
    ("prmon", {"a": 1}, "it has nothing that prmon writes"),
    ("prmon", {"Max": {"nobody": 5}, "Avg": {}}, "it has nothing that prmon writes"),
    ("prmon", "con-duct", "it has nothing that prmon writes"),
    ("resource_monitor", {"wall_time": 3, "memory": {"total": [1, "MB"]}}, "it has nothing that resource_monitor writes"),
    ("resource_monitor", "con-duct", "it has nothing that resource_monitor writes"),
    ("con-duct", {"schema": "assay-run", "command": {"text": "x"}}, "it is not con-duct's"),
    ("con-duct", "run", "it is not con-duct's"),
    ("con-duct", "series of a run", "the info.json beside it is not con-duct's")])
def test_a_format_that_is_said_makes_no_run_of_a_file_without_anything_of_it(call, duct, room, form, content, said):
    name = room / "of_info.json"
    if content == "con-duct":
        name = f"{duct()}info.json"
    elif isinstance(content, str):
        assert call("run", "-p", f"{room}/own/", "true").status == 0
        name = room / "own" / ("info.json" if content == "run" else "usage.jsonl")
    else:
        name.write_text(json.dumps(content))
    called = call("import", "--from", form, "-p", f"{room}/new_", str(name))

    assert (called.status, called.out, called.err.count("\n")) == (1, "", 1), called.err
    assert f"{name}: {said}" in called.err
    assert not files_of(room)


@pytest.mark.parametrize("form, content", [("prmon", {"Max": {"pss": 4}}), ("prmon", {"prmon": {"Version": "3"}}),
                                           ("resource_monitor", {"cpu_time": [2.5, "s"]}), ("resource_monitor", {"monitor_version": "8"}),
                                           ("con-duct", {"execution_summary": {"wall_clock_time": 2}})])
def test_a_format_that_is_said_needs_one_thing_of_it_only(call, room, form, content):
    (room / "of_info.json").write_text(json.dumps(content))
    called = call("import", "--from", form, "-n", f"{room}/of_info.json")

    assert (called.status, called.err) == (0, "")
    assert called.out.startswith(f"{room}/of_info.json: {form}") and called.out.endswith(", 0 windows\n")


def test_names_that_are_no_text_are_shown_and_kept(call, duct, room):
    name = os.fsencode(room) + b"/\xff\x1b[31m.txt"
    with open(name, "wb") as file:
        file.write((FOREIGN / "psrecord" / "plain.txt").read_bytes())
    called = call("import", "-p", f"{room}/new_", os.fsdecode(name))

    assert called.status == 0 and "\x1b" not in called.out and "\\xff\\e[31m.txt: psrecord" in called.out
    assert bytes.fromhex(read_info(f"{room}/new_")["imported"]["file_hex"]) == os.path.realpath(name)


@pytest.mark.parametrize("name, line", (("con-duct/0.2.2_usage.jsonl", 2), ("prmon/prmon.txt", 2)))
def test_a_line_without_an_end_takes_no_memory(assay, run_assay, room, name, line):
    """The rest of the file is one line of NULs, far longer than any."""
    skip_with_a_sanitizer(assay, "keeps what was freed")
    path = copy_of(room, name)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:line]))
    os.truncate(path, 1 << 30)
    with open(path, "ab") as file:
        file.write(b"\n" + lines[line])
    # A child inherits the peak of who started it, and the tests' own process may be large: GNU time is not.
    measured = subprocess.run(["/usr/bin/time", "-q", "-f", "%M", "-o", str(room / "peak"), str(assay), "import", "-p", f"{room}/new_", str(path)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=run_assay.environment(), check=True)

    assert f"1 line could not be read (the first is line {line + 1})" in measured.stderr.decode()
    assert len(read_usage(f"{room}/new_")) == (3 if "duct" in name else 2)
    assert int((room / "peak").read_text()) < 64 * 1024


def test_whoever_stops_reading_stops_no_import(assay, run_assay, duct, room):
    with subprocess.Popen([str(assay), "import", "-p", f"{room}/new-{{pid}}_", *(f"{duct(schema)}info.json" for schema in SCHEMAS)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=run_assay.environment()) as process:
        process.stdout.close()
        said = process.stderr.read()

    assert (process.returncode, said) == (0, b"")
    assert len(list(room.glob("new-*info.json"))) == len(SCHEMAS)


def test_directories_devices_and_what_may_not_be_read_are_refused(call, room, ordinary_user):
    (room / "empty").mkdir()
    os.mkfifo(room / "fifo")
    (room / "secret").write_text("x", encoding="utf-8")
    (room / "secret").chmod(0)
    called = call("import", f"{room}/empty", f"{room}/fifo", "/dev/null", f"{room}/secret", f"{room}/nowhere", user=ordinary_user)

    assert called.status == 1 and called.err.count("\n") == 5
    for words in ("empty: it is a directory without a run", "fifo: it is no file", "null: it is no file", "secret: cannot read it",
                  "nowhere: there is no such file"):
        assert words in called.err


ODD_VALUES = (None, 7, -1, "", "x", "a\0b\n", [], {}, [[]], 1e300, -1e300, 9223372036854775807, True)


def paths_of(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from paths_of(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from paths_of(inner, (*path, index))


def changed(value, path, odd):
    copied = json.loads(json.dumps(value))
    at = copied
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = odd
    return copied


@pytest.mark.parametrize("name", ("con-duct/0.1.0_info.json", "con-duct/0.2.2_info.json", "prmon/prmon.json", "resource_monitor/job.summary"))
def test_whatever_stands_in_a_file_what_is_made_of_it_is_valid(call, room, name):
    good = json.loads((FOREIGN / name).read_text(encoding="utf-8"))
    files = []
    for path in paths_of(good):
        for odd in ODD_VALUES:
            files.append(room / f"{len(files)}-{name.rpartition('/')[2]}")
            files[-1].write_text(json.dumps(changed(good, path, odd)), encoding="utf-8")
    called = call("import", "-p", f"{room}/new-{{pid}}_", *map(str, files), timeout=120)

    made = [line.split(" from ")[0] for line in called.out.splitlines()]
    assert all("no other format" in line for line in called.err.splitlines()), called.err
    assert len(made) > 0.9 * len(files) and all(read_info(prefix) for prefix in made)


def test_whatever_stands_in_a_line_of_con_ducts_what_is_made_of_it_is_valid(call, duct, room):
    prefix = duct()
    line = json.loads((prefix.parent / "d_usage.jsonl").read_bytes().splitlines()[1])
    lines = [changed(line, path, odd) for path in paths_of(line) for odd in ODD_VALUES]
    for second, odd in enumerate(lines):
        if odd.get("timestamp") == line["timestamp"]:
            odd["timestamp"] = f"2026-01-02T11:{second // 60:02d}:{second % 60:02d}+01:00"
    damaged(prefix, [json.dumps(odd).encode() + b"\n" for odd in lines])
    called = call("import", "-p", f"{room}/new_", f"{prefix}info.json")

    assert called.status == 0 and "could not be read" in called.err
    assert len(lines) > len(read_usage(f"{room}/new_")) > 0.5 * len(lines)
    assert read_info(f"{room}/new_")


def test_a_log_without_samples_and_without_an_exit_code_says_what_is_left(take, duct):
    prefix = duct()
    info = json.loads((prefix.parent / "d_info.json").read_text(encoding="utf-8"))
    info["execution_summary"].update({name: None for name in info["execution_summary"] if name.startswith(("peak", "average", "exit"))})
    info["system"] = info["env"] = None
    (prefix.parent / "d_info.json").write_text(json.dumps(info), encoding="utf-8")
    (prefix.parent / "d_usage.jsonl").write_bytes(b"")
    made, usage = take(f"{prefix}info.json")

    assert list(made["headline"]) == ["wall_seconds"] and usage == []
    assert "outcome" not in made and "host" not in made and made["state"] == "done"


@pytest.mark.parametrize("code, words, cause", ((-9, "killed by SIGKILL", "signal"), (137, "exited 137", "unknown"), (0, "exited 0", "exited"),
                                                (128, "exited 128", "exited")))
def test_an_early_con_ducts_negative_code_is_a_signal(take, duct, code, words, cause):
    """137 may be the job's own code as well as 128 and the number of SIGKILL."""
    prefix = duct("0.1.0")
    info = json.loads((prefix.parent / "d_info.json").read_text(encoding="utf-8"))
    info["execution_summary"]["exit_code"] = code
    (prefix.parent / "d_info.json").write_text(json.dumps(info), encoding="utf-8")

    outcome = take(f"{prefix}info.json")[0]["outcome"]
    assert (outcome["words"], outcome["cause"]) == (words, cause)


def test_a_log_that_is_just_being_written_is_kept_as_what_it_was_then(take, call, duct, room):
    prefix = duct()
    (prefix.parent / "d_info.json").write_bytes(b"")
    (prefix.parent / "d_usage.jsonl").touch()

    assert call("import", "-n", f"{prefix}info.json").out.endswith("d_info.json: con-duct, 3 windows, running\n")
    info, _ = take(f"{prefix}info.json")
    assert info["state"] == "lost" and info["imported"]["lost"] == "con-duct has not written its info.json yet"


@pytest.mark.parametrize("names", (("prmon/prmon.json", "prmon/prmon.txt"), ("resource_monitor/job.summary", "resource_monitor/job.series"),
                                   ("con-duct/0.1.0_info.json", "con-duct/0.1.0_usage.json")))
@pytest.mark.parametrize("said", (False, True))
def test_files_of_one_run_of_any_format_that_are_named_together_are_one_run(call, room, names, said):
    copy_of(room, *names)
    words = [str(room / name.rpartition("/")[2]) for name in names]
    form = ("--from", names[0].rpartition("/")[0]) if said else ()
    for order in (words, [*reversed(words)], [*words, *words]):
        called = call("import", "-n", *form, *order)
        assert (called.status, called.out.count("\n")) == (0, 1), (called.out, called.err)


def test_runs_of_different_tools_with_names_alike_are_runs_of_their_own(call, room):
    shutil.copy(FOREIGN / "prmon" / "prmon.txt", room / "job.txt")
    shutil.copy(FOREIGN / "resource_monitor" / "job.summary", room / "job.json")

    assert call("import", "-n", f"{room}/job.txt", f"{room}/job.json").out.count("\n") == 2


@pytest.mark.parametrize("named", ("manifest.json", "cell_history.csv", "perf_process.csv", "perf_system.csv"))
@pytest.mark.parametrize("said", (False, True))
def test_any_file_of_a_session_of_jumper_stands_for_the_whole_session(call, room, named, said):
    shutil.copytree(FOREIGN / "jumper-session", room / "session")
    form = ("--from", "jumper") if said else ()
    whole = call("import", "-n", *form, f"{room}/session")
    assert whole.out.count("\n") == 2
    part = call("import", "-n", *form, f"{room}/session/{named}", f"{room}/session/manifest.json", f"{room}/session")

    assert (part.status, part.out, part.err) == (0, whole.out, "")


def test_a_manifest_of_something_else_is_no_session(call, room):
    (room / "manifest.json").write_text('{"name": "an app"}', encoding="utf-8")
    called = call("import", "-n", f"{room}/manifest.json")

    assert (called.status, called.err.count("\n")) == (1, 1) and "no other format" in called.err


def test_clobber_never_moves_what_the_same_import_reads(call, duct, room):
    """The record that would be replaced is the log itself, or that of a later word."""
    log = duct().parent
    for path in list(log.iterdir()):
        path.rename(log / path.name.removeprefix("d_"))
    shutil.copy(FOREIGN / "psrecord" / "plain.txt", room / "other.txt")
    before = {path.name: path.read_bytes() for path in log.iterdir()}
    for words in ((f"{log}/info.json",), (f"{log}",), (f"{log}/stdout",), (f"{room}/other.txt", f"{log}/usage.jsonl"),
                  ("--from", "con-duct", f"{log}/usage.jsonl")):
        called = call("import", "--clobber", "-p", f"{log}/", *words)
        assert called.status == 1 and "is never replaced" in called.err, words
        assert {path.name: path.read_bytes() for path in log.iterdir()} == before, words


def test_rows_of_a_session_of_jumper_that_cannot_be_read_are_counted_on_standard_error(call, room):
    shutil.copytree(FOREIGN / "jumper-session", room / "session")
    (room / "session" / "perf_system.csv").unlink()
    table = room / "session" / "perf_process.csv"
    lines = table.read_bytes().splitlines(keepends=True)
    table.write_bytes(b"".join([*lines[:2], b"\0" * 30 + b"\n", b"x" * (5 << 20) + b"\n", lines[1], b"1,2\n", *lines[2:], lines[2][:-1]]))
    called = call("import", "-p", f"{room}/new_", f"{room}/session")

    assert called.status == 0, called.err
    assert "4 lines could not be read (the first is line 3)" in called.err and "last line is not whole" in called.err
    assert len(read_usage(room / "new_")) == len(lines) - 1
    assert any("4 lines of its file could not be read (the first is line 3)" in note for note in read_info(room / "new_")["notes"])
