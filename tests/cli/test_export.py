# SPDX-License-Identifier: MIT
"""Every format that runs are exported to, read by a reader of that format and compared with the record."""
import csv
import io
import json
import os
import subprocess

import pytest

from calling import Caller

HOSTILE = 'a "b",\nc\r\td </script> \x01\x1b[31m, ü'
STATISTICS = ("last", "max", "min", "mean", "delta")


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def write_run(directory, info, windows):
    directory.mkdir()
    (directory / "info.json").write_text(json.dumps(info), encoding="utf-8")
    (directory / "usage.jsonl").write_text("".join(json.dumps(w, separators=(",", ":")) + "\n" for w in windows),
                                           encoding="utf-8")
    return directory


def row(key, kind, unit, scope, reduces, **more):
    return {"key": key, "kind": kind, "unit": unit, "scope": scope, "reduces": reduces, "quality": "sampled", "origin": "made up",
            "help": f"of {key}: \\ \"quoted\"", "collector": "made", **more}


def made_info(number=1, **more):
    """An info file with what is hard to carry over."""
    return {
        "schema": "assay-run", "version": "1.0", "state": "done", "id": f"2026.11.28T12.00.0{number}-77",
        "program": {"name": "assay", "version": "0.1.0"},
        "command": {"text": HOSTILE, "argv": ["sh", HOSTILE]},
        "working_directory": "/tmp/\ufffd", "working_directory_hex": "2f746d702fff",
        "files": {"info": "/x/info.json", "prefix": "/x/"},
        "time": {"started": "2026-11-28T12:00:00.000000001Z", "utc_offset": "+00:00", "ended": "2026-11-28T12:00:02.5Z",
                 "wall_seconds": 2.5},
        "host": {"hostname": HOSTILE, "memory_total_bytes": 9007199254740993, "cpus_online": 3, "cpus_configured": 4},
        "user": {"uid": 1000, "name": HOSTILE},
        "tags": {"study": HOSTILE},
        "measurements": [
            row("proc_rss_bytes", "gauge", "bytes", "process", ["max", "last"], otel="process.memory.usage"),
            row("proc_rss_total_bytes", "gauge", "bytes", "single", ["max", "mean", "last"]),
            row("tree_cpu_seconds", "counter", "seconds", "single", ["delta", "last"], otel="process.cpu.time"),
            row("proc_cpu_seconds", "counter", "seconds", "process", ["delta"], otel="process.cpu.time"),
            row("tree_cpu_percent", "gauge", "percent", "single", ["max", "mean"]),
            row("tree_processes_count", "gauge", "count", "single", ["max"]),
            row("host_disk_read_bytes", "counter", "bytes", "device", ["delta"]),
            row("proc_state", "categorical", "", "process", ["tally"]),
        ],
        "outcome": {"exit_code": 3, "words": "exited 3", "evidence": "made up"},
        "headline": {"wall_seconds": {"value": 2.5, "quality": "exact", "key": "tree_elapsed_seconds"}},
        "summary": {
            "proc_peak_rss_total_bytes": {"value": 9007199254740995, "quality": "upper_bound"},
            "proc_mean_rss_total_bytes": {"value": 4096.5, "quality": "sampled"},
            "tree_cpu_seconds": {"value": 1.100000001, "quality": "exact"},
            "tree_peak_cpu_percent": {"value": 99.125, "quality": "sampled"},
        },
        "devices": [{"kind": "disk", "name": HOSTILE, "summary": {"host_disk_read_bytes": {"value": 9007199254740997,
                                                                                           "quality": "exact"}}}],
        "notes": [HOSTILE], **more}


def made_windows():
    process = {"pid": 4711, "start_time_ticks": 99, "ppid": 1, "uid": 0, "name": HOSTILE, "name_hex": "61ff",
               "command": ["sh", HOSTILE], "born": True, "since_seconds": 0.25, "states": {"R": 2, "S": 1},
               "values": {"proc_rss_bytes": {"max": 9007199254740993, "last": 0}, "proc_cpu_seconds": {"delta": 0.000000001}}}
    base = {"schema": "assay-usage", "version": "1.0", "missed_ticks": 0, "quiet_processes": 0, "omitted_processes": 0, "samples": 3}
    return [
        {**base, "sequence": 0, "time": "2026-11-28T12:00:01.000000001Z", "monotonic_ns": 9007199254740993, "start_seconds": 0,
         "end_seconds": 1.000000001,
         "values": {"proc_rss_total_bytes": {"max": 9007199254740995, "mean": 4096.5, "last": 7, "quality": "upper_bound"},
                    "tree_cpu_seconds": {"delta": 1.000000001, "last": 1.000000001, "quality": "exact"}},
         "absent": {"tree_cpu_percent": "EACCES"},
         "devices": [{"kind": "disk", "name": HOSTILE, "values": {"host_disk_read_bytes": {"delta": 9007199254740997}}}],
         "processes": [process]},
        {**base, "sequence": 2, "time": "2026-11-28T12:00:02.5Z", "monotonic_ns": 9007199254740994, "start_seconds": 1.000000001,
         "end_seconds": 2.5, "suspended_seconds": 0.5, "last": True,
         "values": {"tree_cpu_percent": {"max": 99.125, "mean": 0.1, "quality": "sampled"},
                    "tree_cpu_seconds": {"delta": 0.1, "last": 1.100000001, "quality": "exact"}},
         "processes": [{"pid": 4711, "start_time_ticks": 99, "ppid": 1, "uid": 0, "name": HOSTILE, "name_hex": "61ff", "ended": True,
                        "states": {"Z": 1}, "values": {"proc_cpu_seconds": {"delta": 0.5}}}]},
    ]


def numbers(windows, processes=False, devices=False):
    """(end, subject, key, statistic) -> (number, quality), straight from the series."""
    found = {}
    for window in windows:
        subjects = [("", window["values"])]
        subjects += [(f"{p['pid']}.{p['start_time_ticks']}", p["values"]) for p in window["processes"] if processes]
        subjects += [(d["kind"], d["values"]) for d in window.get("devices", []) if devices]
        for subject, values in subjects:
            for key, value in values.items():
                for statistic in STATISTICS:
                    if statistic in value:
                        found[window["end_seconds"], subject, key, statistic] = value[statistic], value.get("quality", "sampled")
    return found


def exact(text):
    """As Python reads JSON: integers of any size, decimals as they are."""
    return json.loads(text)


@pytest.fixture
def made(call):
    windows = made_windows()
    write_run(call.here / "made", made_info(), windows)
    return windows


def export(call, *words, status=0, err=""):
    called = call("export", *words)
    assert (called.status, called.err) == (status, err)
    return called.out


def test_tidy_csv_has_every_number_of_the_series_without_loss(call, made):
    text = export(call, "--to", "csv", "--processes", "--devices", "made")
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    found = {(exact(line["end_seconds"]), line["subject"], line["key"], line["statistic"]): (exact(line["value"]), line["quality"])
             for line in lines}

    assert found == numbers(made, processes=True, devices=True)
    assert len(lines) == len(found)
    assert all(line.endswith("\r") for line in text.replace(HOSTILE, "").split("\n")[:-1] if line.count(",") > 8)


def test_csv_names_survive_whatever_bytes_they_hold(call, made):
    lines = list(csv.DictReader(io.StringIO(export(call, "--to", "csv", "--processes", "--devices", "made"), newline="")))

    assert {(line["name"], line["name_hex"]) for line in lines} == {("", ""), (HOSTILE, "61ff"), (HOSTILE, "")}
    assert {line["unit"] for line in lines if line["key"] == "tree_cpu_seconds"} == {"seconds"}


def test_wide_csv_has_a_line_a_window_and_empty_cells_for_what_is_absent(call, made):
    lines = list(csv.DictReader(io.StringIO(export(call, "--to", "csv-wide", "made"), newline="")))

    assert [line["tree_cpu_seconds.delta"] for line in lines] == ["1.000000001", "0.1"]
    assert [line["proc_rss_total_bytes.max"] for line in lines] == ["9007199254740995", ""]
    assert [line["tree_cpu_percent.max"] for line in lines] == ["", "99.125"]
    assert [line["tree_processes_count.max"] for line in lines] == ["", ""]
    found = {(exact(line["end_seconds"]), "", *column.split(".")): exact(cell) for line in lines for column, cell in line.items()
             if "." in column and cell}
    assert found == {at: number for at, (number, _) in numbers(made).items()}


def test_wide_csv_of_processes_has_a_line_for_each(call, made):
    lines = list(csv.DictReader(io.StringIO(export(call, "--to", "csv-wide", "--processes", "made"), newline="")))

    assert [(line["subject_kind"], line["proc_cpu_seconds.delta"]) for line in lines] == [
        ("run", ""), ("process", "1e-09"), ("run", ""), ("process", "0.5")]


def test_several_runs_share_a_table_with_a_column_that_tells_them_apart(call, made):
    other = made_info(2)
    other["measurements"] = [row("other_count", "gauge", "count", "single", ["max"])]
    write_run(call.here / "other", other, [{**made[0], "values": {"other_count": {"max": 5, "quality": "exact"}}}])
    lines = list(csv.DictReader(io.StringIO(export(call, "--to", "csv-wide", "made", "other"), newline="")))

    assert [(line["run"][-4:], line["other_count.max"]) for line in lines] == [("1-77", ""), ("1-77", ""), ("2-77", "5")]


def test_json_holds_info_and_windows_as_they_are(call, made):
    document = json.loads(export(call, "--to", "json", "made"))

    assert document["schema"] == "assay-export"
    assert document["runs"] == [{"state": "done", "info": made_info(), "windows": made}]


def test_measurements_choose_by_keys_and_globs(call, made):
    document = json.loads(export(call, "--to", "json", "--measurements", "proc_*,-proc_rss_bytes", "made"))
    window = document["runs"][0]["windows"][0]

    assert list(window["values"]) == ["proc_rss_total_bytes"]
    assert list(window["processes"][0]["values"]) == ["proc_cpu_seconds"]
    assert call("export", "--to", "csv", "-m", "nothing_*", "made").status == 2


def test_a_run_without_windows_is_a_table_of_its_head_alone(call):
    write_run(call.here / "empty", made_info(), [])
    (call.here / "empty" / "usage.jsonl").unlink()

    assert export(call, "--to", "csv", "empty").count("\n") == 1
    assert json.loads(export(call, "--to", "json", "empty"))["runs"][0]["windows"] == []


def test_a_file_is_there_whole_or_not_at_all(call, made, disk_of):
    small = disk_of("16k")
    called = call("export", "--to", "json", "-o", f"{small}/run.json", *["made"] * 40)

    assert (called.status, called.err) == (1, f"assay: cannot write {small}/run.json: No space left on device\n")
    assert os.listdir(small) == []


def test_a_file_that_is_there_is_replaced_only_when_asked(call, made):
    target = call.here / "run.json"
    target.write_text("mine")

    assert call("export", "--to", "json", "-o", "run.json", "made").status == 2
    assert target.read_text() == "mine"
    assert call("export", "--to", "json", "-o", "run.json", "--clobber", "made").status == 0
    assert json.loads(target.read_text())["runs"][0]["windows"] == made
    assert sorted(path.name for path in call.here.iterdir()) == ["made", "run.json"]


def test_a_directory_takes_a_file_of_each_run(call, made):
    write_run(call.here / "second", made_info(2), made)
    export(call, "--to", "csv", "-o", "out/", "made", "second", "made")

    assert sorted(path.name for path in (call.here / "out").iterdir()) == [
        "2026.11.28T12.00.01-77-2.csv", "2026.11.28T12.00.01-77.csv", "2026.11.28T12.00.02-77.csv"]


def test_what_cannot_be_read_is_told_and_the_rest_is_written(call, made):
    called = call("export", "--to", "csv", "nowhere", "made")

    assert called.status == 1
    assert called.err.count("\n") == 1 and "nowhere" in called.err
    assert called.out == export(call, "--to", "csv", "made")


def test_a_full_disk_at_the_other_end_is_one_line_and_a_reader_who_goes_is_none(call, made, assay):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([assay, "export", "--to", "csv", "made"], cwd=call.here, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([assay, "export", "--to", "csv", "made"], cwd=call.here, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_bad_words_are_refused_in_one_line(call, made):
    for words in (["made"], ["--to", "nothing", "made"], ["--to", "csv"], ["--to", "json", "--processes", "made"],
                  ["--to", "csv", "-o", "here/../made", "made"]):
        called = call("export", *words)
        assert (called.status, called.err.count("\n"), called.out) == (2, 1, ""), words


def test_a_real_run_goes_out_as_it_was_recorded(call, run_assay):
    run = run_assay(["sh", "-c", "exit 3"])
    document = json.loads(export(call, "--to", "json", run.info["files"]["prefix"]))

    assert document["runs"][0]["info"] == run.info
    assert document["runs"][0]["windows"] == run.usage
