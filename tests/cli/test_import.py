# SPDX-License-Identifier: MIT
"""assay import: con-duct's logs of every schema become runs with the values and the qualities that they have, whole or not at all."""
import json
import os
import shutil
import signal
import subprocess

import pytest

from calling import Caller
from support import REPOSITORY, parse, read_info, read_usage, wait_for

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
    (b"", "empty"), (b"\0" * 1000, "no other format that is known (con-duct"), (bytes(range(1, 256)) * 9, "no other format"),
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
