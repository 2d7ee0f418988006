# SPDX-License-Identifier: MIT
"""Every format that runs are exported to, read by a reader of that format and compared with the record."""
import csv
import io
import json
import os
import shutil
import signal
import subprocess

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from calling import Caller
from support import REPOSITORY, wait_for

FIXTURES = REPOSITORY / "tests" / "fixtures" / "foreign" / "con-duct"

HOSTILE = 'a "b",\nc\r\td </script> \x01\x1b[31m, ü'
# In CSV and OpenMetrics, which have no escape for a control character.
SHOWN = 'a "b",\nc\\x0d\td </script> \\x01\\e[31m, ü'
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
        "schema": "assay-run", "version": "1.1", "state": "done", "id": f"2026.11.28T12.00.0{number}-77",
        "program": {"name": "assay", "version": "0.1.0"},
        "command": {"text": HOSTILE, "argv": ["sh", HOSTILE]},
        "working_directory": "/tmp/\ufffd", "working_directory_hex": "2f746d702fff",
        "files": {"info": "/x/info.json", "prefix": "/x/"},
        "time": {"started": "2026-11-28T12:00:00.000000001Z", "utc_offset": "+00:00", "ended": "2026-11-28T12:00:02.5Z",
                 "wall_seconds": 2.5},
        "host": {"hostname": HOSTILE, "memory_total_bytes": 9007199254740993, "cpus_online": 3, "cpus_configured": 4},
        "user": {"uid": 1000, "name": HOSTILE},
        "self": {"records_lost": 1},
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
        "outcome": {"cause": "exited", "exit_code": 3, "words": "exited 3", "evidence": "made up"},
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
    assert "\r" not in text


def test_csv_names_survive_whatever_bytes_they_hold(call, made):
    lines = list(csv.DictReader(io.StringIO(export(call, "--to", "csv", "--processes", "--devices", "made"), newline="")))

    assert {(line["name"], line["name_hex"]) for line in lines} == {("", ""), (SHOWN, "61ff"), (SHOWN, "")}
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


def series_of(call, *words):
    """What a file or directory says once it was brought into our words again."""
    return json.loads(export(call, "--to", "json", *words))["runs"][0]


def test_json_is_read_back_as_the_same_run(call, made):
    second = write_run(call.here / "second", made_info(2), made[:1])
    export(call, "--to", "json", "-o", "one.json", "made")
    export(call, "--to", "json", "-o", "two.json", "made", str(second))

    assert series_of(call, "one.json") == {"state": "done", "info": made_info(), "windows": made}
    assert (call.here / "one.json").read_bytes() == call("export", "--to", "json", "one.json").out.encode("utf-8", "surrogateescape")
    called = call("import", "two.json", "-p", "again-{pid}/")
    assert (called.status, called.err) == (0, "")
    infos = sorted(json.loads(path.read_text())["id"] for path in call.here.glob("again-*/info.json"))
    assert infos == [made_info(1)["id"], made_info(2)["id"]]


def test_json_of_a_record_of_format_1_0_has_the_fields_of_later_ones_too(call, made):
    """And only those: the rest stays as it is."""
    outcome = {"exit_code": 3, "words": "exited 3", "evidence": "made up"}
    write_run(call.here / "old", made_info(3, version="1.0", outcome=outcome), made)
    export(call, "--to", "json", "-o", "old.json", "old")

    assert series_of(call, "old.json")["info"] == made_info(3, version="1.0", outcome={**outcome, "cause": "exited"})


def test_a_torn_json_document_is_one_clear_line(call, made):
    export(call, "--to", "json", "-o", "one.json", "made")
    whole = (call.here / "one.json").read_bytes()
    for size in (len(whole) // 4, len(whole) // 2, len(whole) - 5):
        (call.here / "torn.json").write_bytes(whole[:size])
        called = call("export", "--to", "csv", "torn.json")
        assert (called.status, called.err.count("\n")) == (1, 1), called.err
        assert "torn.json" in called.err


def test_a_run_that_goes_on_and_one_that_was_lost_are_told_as_such(call, made):
    info = made_info()
    for name in ("summary", "outcome", "headline", "devices"):
        del info[name]
    info["state"] = "running"
    write_run(call.here / "lost", info, made)
    for name in ("info.json", "usage.jsonl"):
        os.utime(call.here / "lost" / name, (1, 1))  # so long ago that nobody writes it on that other machine
    document = series_of(call, "lost")

    assert (document["state"], document["info"]["state"]) == ("lost", "running")
    export(call, "--to", "json", "-o", "lost.json", "lost")
    assert series_of(call, "lost.json") == document
    families = openmetrics(export(call, "--to", "openmetrics", "lost"))
    assert [sample.value for sample in families["assay_tree_cpu_seconds"].samples] == [1.100000001]
    assert [(s.labels["statistic"], s.value) for s in families["assay_tree_cpu_percent"].samples] == [("peak", 99.125)]


def openmetrics(text):
    return {family.name: family for family in text_string_to_metric_families(text)}


def test_openmetrics_are_valid_and_are_what_the_record_came_to(call, made):
    text = export(call, "--to", "openmetrics", "--devices", "made")
    families = openmetrics(text)
    counter = families["assay_tree_cpu_seconds"]
    gauge = families["assay_proc_rss_total_bytes"]

    assert text.endswith("# EOF\n")
    assert (counter.type, counter.unit) == ("counter", "seconds")
    assert [(s.name, s.labels, s.value) for s in counter.samples] == [
        ("assay_tree_cpu_seconds_total", {"run": made_info()["id"], "quality": "exact"}, 1.100000001)]
    assert (gauge.type, gauge.unit) == ("gauge", "bytes")
    assert gauge.documentation == 'of proc_rss_total_bytes: \\ "quoted"; from made up'
    assert {s.labels["statistic"]: s.labels["quality"] for s in gauge.samples} == {"peak": "upper_bound", "mean": "sampled"}
    # The parser makes doubles of all numbers: the digits stand in the text.
    assert "9007199254740995" in text and "9007199254740997" in text
    assert families["assay_host_disk_read_bytes"].samples[0].labels["device"] == SHOWN
    assert families["assay_run"].samples[0].labels["hostname"] == SHOWN
    assert "assay_tree_processes_count" not in families


def test_several_runs_share_the_families_of_openmetrics(call, made):
    write_run(call.here / "second", made_info(2), made)
    families = openmetrics(export(call, "--to", "openmetrics", "made", "second"))

    assert [sample.labels["run"][-4:] for sample in families["assay_tree_cpu_seconds"].samples] == ["1-77", "2-77"]


def attributes(of):
    """What OTLP says in a list of keys and values, by the JSON of protocol buffers: 64-bit integers are strings."""
    found = {}
    for one in of["attributes"]:
        assert set(one) == {"key", "value"} and len(one["value"]) == 1 and one["key"] not in found
        kind, value = next(iter(one["value"].items()))
        assert kind in ("stringValue", "intValue", "arrayValue") and (kind == "arrayValue" or isinstance(value, str))
        found[one["key"]] = int(value) if kind == "intValue" else value
    return found


UCUM = {"bytes": "By", "seconds": "s", "percent": "%", "count": "{count}"}


def otlp_points(text, info):
    """Checks OTLP lines by the protocol's rules and gives (resource, [(metric name, attributes, point)])."""
    rows = {one["key"]: one for one in info["measurements"]}
    found = []
    for line in text.splitlines():
        (metrics,) = json.loads(line)["resourceMetrics"]
        (scope,) = metrics["scopeMetrics"]
        names = [(m["name"], json.dumps(m.get("sum", {}).get("aggregationTemporality"))) for m in scope["metrics"]]
        assert scope["scope"]["name"] == "assay" and names
        for metric in scope["metrics"]:
            assert ("gauge" in metric) != ("sum" in metric)
            data = metric.get("gauge") or metric["sum"]
            for point in data["dataPoints"]:
                at = attributes(point)
                row_of = rows[at["assay.key"]]
                assert int(point["startTimeUnixNano"]) <= int(point["timeUnixNano"])
                assert ("asInt" in point) != ("asDouble" in point)
                assert metric["unit"] == UCUM[row_of["unit"]] and metric["description"] == row_of["help"]
                assert metric["name"].removesuffix(".cumulative") == row_of.get("otel", "assay." + row_of["key"])
                assert ("sum" in metric) == (row_of["kind"] == "counter")
                if "sum" in metric:
                    assert data["isMonotonic"] is True
                    at.setdefault("assay.statistic", "delta")
                    assert data["aggregationTemporality"] == {"delta": 1, "last": 2}[at["assay.statistic"]]
                found.append((metric["name"], at, point))
    return attributes(metrics["resource"]), found


def test_otlp_has_every_number_with_its_time_unit_and_name(call, made):
    resource, points = otlp_points(export(call, "--to", "otlp", "--processes", "--devices", "made"), made_info())
    ends = {1795867201000000001: 1.000000001, 1795867202500000000: 2.5}
    found = {}
    for _, at, point in points:
        subject = f"{at['process.pid']}.{at['assay.process.start_time_ticks']}" if "process.pid" in at else at.get(
            "assay.device.kind", "")
        value = int(point["asInt"]) if "asInt" in point else point["asDouble"]
        found[ends[int(point["timeUnixNano"])], subject, at["assay.key"], at["assay.statistic"]] = value, at["assay.quality"]

    assert found == numbers(made, processes=True, devices=True)
    assert (resource["host.name"], resource["assay.run.id"], resource["process.exit.code"]) == (HOSTILE, made_info()["id"], 3)
    assert {name for name, at, _ in points if at["assay.key"] == "proc_cpu_seconds"} == {"process.cpu.time"}
    delta = next(p for _, at, p in points if at["assay.key"] == "tree_cpu_seconds" and at["assay.statistic"] == "delta")
    assert (delta["startTimeUnixNano"], delta["timeUnixNano"]) == ("1795867200000000000", "1795867201000000001")


def test_trace_events_have_slices_from_birth_to_end_and_every_number(call, made):
    trace = json.loads(export(call, "--to", "perfetto", "made"))
    events = trace["traceEvents"]
    slices = [(e["ph"], e["pid"], e["ts"], e["name"]) for e in events if e["ph"] in "BE"]
    instants = {(e["name"], e["ts"]) for e in events if e["ph"] == "i"}
    counters = [(e["name"].split(" ")[0], e["ts"], *e["args"].values()) for e in events if e["ph"] == "C"]

    assert {e["ph"] for e in events} == set("MBECi") and all(e["ts"] >= 0 and e["pid"] > 0 for e in events)
    assert slices == [("B", 4711, 250000, HOSTILE), ("E", 4711, 2500000, HOSTILE)]
    assert {("windows are missing", 1000000.001), ("the machine slept", 1000000.001), ("exited 3", 2500000)} == instants
    starts = {1.000000001: 0, 2.5: 1000000.001}
    wanted = [(f"{key}.{statistic}", 250000 if end < 2 and subject == "4711.99" else starts[end], number)
              for (end, subject, key, statistic), (number, _) in numbers(made, processes=True, devices=True).items()]
    assert sorted(counters) == sorted(wanted)


def test_a_limit_that_was_hit_is_an_instant_of_the_trace(call, made):
    limit = {"name": "wall", "unit": "seconds", "limit": 1, "value": 1.25, "key": "tree_elapsed_seconds", "after_seconds": 1.25,
             "soft_signal": "SIGTERM", "killed": False, "emptied": True}
    write_run(call.here / "limited", made_info(limit=limit), made)
    events = json.loads(export(call, "--to", "perfetto", "limited"))["traceEvents"]

    assert [(e["ts"], e["args"]) for e in events if e["name"] == "a limit was hit"] == [(1250000, limit)]


def test_prov_links_run_command_record_and_agents(call, made):
    document = json.loads(export(call, "--to", "prov", "made"))
    (run_id, activity), = document["activity"].items()
    generated = {document["entity"][one["prov:entity"]]["prov:type"]["$"] for one in document["wasGeneratedBy"].values()}
    used = [document["entity"][one["prov:entity"]] for one in document["used"].values()]
    agents = {document["agent"][one["prov:agent"]]["prov:label"] for one in document["wasAssociatedWith"].values()}

    assert set(document) == {"prefix", "entity", "activity", "agent", "wasGeneratedBy", "used", "wasAssociatedWith"}
    assert (activity["prov:startTime"], activity["prov:endTime"]) == ("2026-11-28T12:00:00.000000001Z", "2026-11-28T12:00:02.5Z")
    assert (generated, agents) == ({"assay:Record"}, {"assay", HOSTILE})
    assert [entity["prov:value"] for entity in used] == [HOSTILE]
    assert all(one["prov:activity"] == run_id for section in ("wasGeneratedBy", "used", "wasAssociatedWith")
               for one in document[section].values())


def test_con_duct_files_have_its_fields_and_no_number_that_was_not_measured(call, made):
    made[0]["values"]["tree_cpu_percent"] = {"max": 12.5, "mean": 6.25, "quality": "sampled"}
    write_run(call.here / "told", made_info(), made)
    called = call("export", "--to", "con-duct", "-o", "duct/a_", "told")
    info = json.loads((call.here / "duct" / "a_info.json").read_text())
    start, *lines = [json.loads(line) for line in (call.here / "duct" / "a_usage.jsonl").read_text().splitlines()]
    known = json.loads((FIXTURES / "0.2.2_info.json").read_text())
    known_line = json.loads((FIXTURES / "0.2.2_usage.jsonl").read_text().splitlines()[0])

    assert (called.status, called.err.count("\n")) == (0, 1)  # the window without a sum of resident sets
    assert (set(info), set(info["system"]), set(info["output_paths"])) == (
        set(known), set(known["system"]), set(known["output_paths"]))
    assert set(info["execution_summary"]) == set(known["execution_summary"])
    assert start["timestamp"] == "2026-11-28T12:00:00.000000+00:00" and set(start["totals"].values()) == {0}, "when the command began"
    assert len(lines) == 1 and set(lines[0]) == set(known_line) and set(lines[0]["totals"]) == set(known_line["totals"])
    assert info["execution_summary"]["peak_rss"] == 9007199254740995
    assert (info["execution_summary"]["peak_vsz"], info["execution_summary"]["peak_pmem"]) == (None, None)
    assert info["execution_summary"]["exit_code"] == 3
    assert lines[0]["totals"] == {"pcpu": 12.5, "pmem": None, "rss": 9007199254740995, "vsz": None}
    assert lines[0]["processes"] == {"4711": {"rss": 9007199254740993, "timestamp": "2026-11-28T12:00:01.000000+00:00",
                                              "stat": {"R": 2, "S": 1}, "cmd": f"sh {HOSTILE}"}}


def test_con_duct_logs_are_the_same_after_a_round_trip(call):
    """All that its files can hold, but for the version of who wrote them and what it counted as reports."""
    there = {"0.2.2_info.json": "b_info.json", "0.2.2_usage.jsonl": "b_usage.jsonl"}
    for name, to in there.items():
        shutil.copy(FIXTURES / name, call.here / to)
    export(call, "--to", "con-duct", "-o", "c_", "b_info.json")
    before, after = series_of(call, "b_info.json"), series_of(call, "c_info.json")

    assert after["windows"] == before["windows"]
    for run in (before, after):
        run["info"].pop("imported"), run["info"].pop("files", None)
    assert after == before
    ours = json.loads((call.here / "c_info.json").read_text())
    theirs = json.loads((FIXTURES / "0.2.2_info.json").read_text())
    for name in ("command", "system", "env", "working_directory", "message"):
        assert ours[name] == theirs[name]


def test_jumper_sessions_are_the_same_after_a_round_trip(call):
    """Memory, CPU and I/O of the level of processes; cells of the notebook and graphics processors are not carried over."""
    shutil.copytree(FIXTURES.parent / "jumper-session", call.here / "before")
    for name in ("perf_user.csv", "perf_system.csv"):
        (call.here / "before" / name).unlink(missing_ok=True)
    export(call, "--to", "json", "-o", "before.json", "before")
    export(call, "--to", "jumper", "-o", "after", "before")
    before, after = series_of(call, "before"), series_of(call, "after")

    assert [window["end_seconds"] for window in after["windows"]] == [window["end_seconds"] for window in before["windows"]]
    assert [window["values"] for window in after["windows"]] == [window["values"] for window in before["windows"]]
    assert after["info"]["summary"] == before["info"]["summary"]
    assert after["info"]["time"] == before["info"]["time"]


def test_formats_of_several_files_need_a_place_and_one_run(call, made):
    for words in (["--to", "con-duct", "made"], ["--to", "jumper", "-o", "x", "made", "made"], ["--to", "perfetto", "made", "made"]):
        called = call("export", *words)
        assert (called.status, called.err.count("\n"), called.out) == (2, 1, ""), words
    assert sorted(path.name for path in call.here.iterdir()) == ["made"]


def test_of_several_files_none_is_left_when_one_cannot_be_written(call, made, disk_of):
    small = disk_of("8k")
    called = call("export", "--to", "jumper", "-o", f"{small}/session", "made")

    assert (called.status, called.err.count("\n")) == (1, 1)
    assert os.listdir(small) == []


def test_every_format_that_is_listed_writes_a_run_and_one_without_windows(call, made):
    write_run(call.here / "empty", made_info(2), [])
    formats = [line.split()[0] for line in export(call, "--list").splitlines()]

    assert len(formats) == 9
    for name in formats:
        for run in ("made", "empty"):
            called = call("export", "--to", name, "-o", f"out/{name}/", run)
            assert called.status == 0, (name, run, called.err)
    assert all(len(list((call.here / "out" / name).iterdir())) == (4 if name == "con-duct" else 2) for name in formats)


FOREIGN = FIXTURES.parent


def test_no_file_of_a_run_that_is_read_is_ever_replaced(call, made):
    """By its own name, by that of another file of its run, through links of both kinds, as a whole session, and as the file of another run."""
    for end in ("info.json", "usage.jsonl"):
        shutil.copy(FIXTURES / f"0.2.2_{end}", call.here / f"d_{end}")
    for name in ("prmon/prmon.txt", "prmon/prmon.json", "resource_monitor/job.series", "resource_monitor/job.summary", "psrecord/plain.txt"):
        shutil.copy(FOREIGN / name, call.here)
    shutil.copytree(FOREIGN / "jumper-session", call.here / "session")
    (call.here / "session" / "perf_system.csv").unlink()
    write_run(call.here / "second", made_info(2), made)
    (call.here / "second" / "stdout").write_text("of the job\n")
    (call.here / "symbolic").symlink_to("made/info.json")
    (call.here / "hard").hardlink_to(call.here / "plain.txt")
    (call.here / "out").mkdir()
    (call.here / "out" / "2026.11.28T12.00.01-77.csv").symlink_to("../second/usage.jsonl")
    before = {path: path.read_bytes() for path in sorted(call.here.rglob("*")) if path.is_file()}

    for words in (["csv", "-o", "plain.txt", "plain.txt"], ["csv", "-o", "hard", "plain.txt"], ["json", "-o", "made/info.json", "made"],
                  ["json", "-o", "symbolic", "made"], ["json", "-o", "made/usage.jsonl", "made"], ["csv", "-o", "second/stdout", "second"],
                  ["csv", "-o", "d_usage.jsonl", "d_info.json"], ["con-duct", "-o", "d_", "d_usage.jsonl"],
                  ["csv", "-o", "prmon.json", "prmon.txt"], ["csv", "-o", "prmon.txt", "prmon.json"], ["csv", "-o", "job.series", "job.summary"],
                  ["csv", "-o", "session/manifest.json", "session"], ["csv", "-o", "out/", "made", "second"],
                  ["json", "-o", "second/info.json", "made", "second"]):
        called = call("export", "--clobber", "--to", *words)
        assert (called.status, called.err.count("\n")) == (2, 1) and "is never replaced" in called.err, (words, called.err)
    (call.here / "out" / "2026.11.28T12.00.02-77.csv").unlink()  # of the run whose file could be written
    assert {path: path.read_bytes() for path in sorted(call.here.rglob("*")) if path.is_file()} == before


def test_a_level_of_a_session_is_not_replaced_by_its_own_export(call):
    shutil.copytree(FOREIGN / "jumper-session", call.here / "session")
    (call.here / "session" / "perf_system.csv").unlink()
    before = {path.name: path.read_bytes() for path in (call.here / "session").iterdir()}
    called = call("export", "--clobber", "--to", "jumper", "-o", "session", "session/perf_process.csv")

    assert (called.status, called.err.count("\n")) == (2, 1) and "is never replaced" in called.err
    assert {path.name: path.read_bytes() for path in (call.here / "session").iterdir()} == before


def test_a_file_of_ours_beside_a_run_is_replaced_as_often_as_wanted(call, made):
    for _ in range(2):
        export(call, "--clobber", "--to", "csv", "-o", "made/mine.csv", "made")
    assert sorted(path.name for path in (call.here / "made").iterdir()) == ["info.json", "mine.csv", "usage.jsonl"]


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL))
def test_a_signal_in_the_middle_of_an_export_leaves_no_file(call, made, assay, number):
    with open(call.here / "made" / "usage.jsonl", "w", encoding="utf-8") as series:
        series.writelines(json.dumps({**made[0], "sequence": n}) + "\n" for n in range(60_000))
    with subprocess.Popen([str(assay), "export", "--to", "csv", "-o", "new/made/run.csv", "made"], cwd=call.here, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for((call.here / "new" / "made").exists, "the export to begin")
        process.send_signal(number)
        said = process.communicate(timeout=60)

    assert (process.returncode, said) == (-number, (b"", b""))
    assert not [path for path in (call.here / "new").rglob("*") if not path.is_dir()]
    assert number == signal.SIGKILL or not (call.here / "new").exists()


def test_an_export_that_fails_leaves_no_directory_that_it_made(call, made):
    info = made_info()
    del info["time"]["started"]
    write_run(call.here / "timeless", info, [{key: value for key, value in made[0].items() if key != "time"}])
    (call.here / "there").mkdir()
    for where in ("a/b/c", "a/b/", "there/d/e"):
        assert call("export", "--to", "otlp", "-o", where, "timeless").status == 1
    assert sorted(path.name for path in call.here.iterdir()) == ["made", "there", "timeless"]
    assert not list((call.here / "there").iterdir())


def test_a_run_that_is_named_by_a_path_makes_no_hidden_file(call):
    shutil.copy(FOREIGN / "psrecord" / "plain.txt", call.here / ".plain.txt")
    (call.here / "below").mkdir()
    for word in ("below/../.plain.txt", ".plain.txt", "./.plain.txt"):
        export(call, "--to", "csv", "--clobber", "-o", "out/", word)
    names = [path.name for path in (call.here / "out").iterdir()]
    assert names and not [name for name in names if name.startswith((".", "_"))]


def test_of_several_runs_one_that_cannot_be_told_is_named_and_the_others_are_written(call, made):
    info = made_info(2)
    del info["time"]["started"]
    timeless = [{key: value for key, value in window.items() if key != "time"} for window in made]
    for name in ("second", "third"):
        write_run(call.here / name, info, timeless)
    alone = export(call, "--to", "otlp", "made")
    for words in (["made", "second", "third"], ["second", "made", "third"], ["second", "third", "made"]):
        called = call("export", "--to", "otlp", *words)
        assert (called.status, called.out, called.err.count("\n")) == (1, alone, 2)
        assert all(f"{name}/info.json: it does not say when it was" in called.err for name in ("second", "third"))
    called = call("export", "--to", "otlp", "-o", "new/none", "second", "third")
    assert (called.status, called.err.count("\n")) == (1, 2) and not (call.here / "new").exists()
    called = call("export", "--to", "con-duct", "-o", "ducts/", "second", "made")
    assert called.status == 1 and "second/info.json: it does not say when it was" in called.err
    assert len(list((call.here / "ducts").iterdir())) == 2


def test_windows_without_a_time_are_left_out_and_counted(call, made):
    info = made_info()
    del info["time"]["started"]
    write_run(call.here / "half", info, [made[0], {key: value for key, value in made[1].items() if key != "time"}])
    called = call("export", "--to", "otlp", "half")

    assert (called.status, called.err.count("\n")) == (0, 1) and "left out 1 of its windows: they do not say when" in called.err
    assert len(called.out.splitlines()) == 1


def test_a_process_of_con_ducts_has_its_command_line_in_each_window(call, made):
    """The record tells it once: also when that window is left out, until the process ends; another with its pid has its own."""
    total = {"proc_rss_total_bytes": {"max": 7, "quality": "exact"}, "tree_cpu_percent": {"max": 1, "quality": "exact"}}
    process = {"pid": 7, "start_time_ticks": 5, "name": "python3", "values": {"proc_rss_bytes": {"max": 3}}}

    def window(number, *processes, values=None):
        return {**made[0], "sequence": number, "end_seconds": number + 1, "time": f"2026-11-28T12:00:0{number + 1}Z",
                "values": total if values is None else values, "processes": processes}

    write_run(call.here / "told", made_info(), [
        window(0, {**process, "command": ["python3", "work.py"]}, values={}), window(1, process),
        window(2, {**process, "command": ["python3", "exec.py"]}), window(3, {**process, "ended": True}),
        window(4, {**process, "start_time_ticks": 9, "command": ["sleep", "9"]}), window(5, {**process, "start_time_ticks": 9}),
        window(6, {**process, "start_time_ticks": 5})])
    call("export", "--to", "con-duct", "-o", "a_", "told")
    _, *lines = [json.loads(line) for line in (call.here / "a_usage.jsonl").read_text().splitlines()]

    assert [line["processes"]["7"]["cmd"] for line in lines] == [
        "python3 work.py", "python3 exec.py", "python3 exec.py", "sleep 9", "sleep 9", "python3"]


@pytest.mark.parametrize("statistics", (("delta",), ("delta", "last")))
@pytest.mark.parametrize("before", (0, 5000))
def test_a_session_of_jumper_keeps_the_io_of_the_first_window(call, made, statistics, before):
    """JUmPER's own counters go back beyond its first row, so its reader leaves that row out; our manifest tells what came before."""
    info = made_info()
    info["measurements"].append(row("tree_io_write_bytes", "counter", "bytes", "single", [*statistics], otel="process.disk.io"))
    grown, windows = (40_000_000, 0, 20_006_400), []
    for number, delta in enumerate(grown):
        io = {"delta": delta, "last": before + sum(grown[:number + 1])}
        windows.append({**made[0], "sequence": number, "start_seconds": number, "end_seconds": number + 1, "time": f"2026-11-28T12:00:0{number + 1}Z",
                        "monotonic_ns": (1234 + number) * 10**9,
                        "values": {"tree_io_write_bytes": {**{name: io[name] for name in statistics}, "quality": "exact"},
                                   "proc_rss_total_bytes": {"max": 4096, "quality": "exact"}}})
    write_run(call.here / "wrote", info, windows)
    export(call, "--to", "jumper", "-o", "session", "wrote")
    there = series_of(call, "session")

    assert [window["values"]["jumper_write_bytes"]["delta"] for window in there["windows"]] == [*grown]
    assert (there["info"]["headline"]["io_write_bytes"]["value"], there["info"]["headline"]["io_write_bytes"]["quality"]) == (60_006_400, "estimate")


def test_a_session_of_jumpers_own_is_a_lower_bound_of_its_io(call):
    shutil.copytree(FOREIGN / "jumper-session", call.here / "session")
    (call.here / "session" / "perf_system.csv").unlink()
    (call.here / "session" / "perf_process.csv").write_text(
        "time,memory,io_read_count,io_write_count,io_read,io_write,cpu_util_avg\n" + "".join(
            f"{time},1,,,{read / seconds!r},{write / seconds!r},\n" for time, seconds, read, write in (
                (100, 100, 7, 1000), (101, 1, 9, 5000), (102, 1, 8, 6000))))
    headline = series_of(call, "session")["info"]["headline"]

    assert (headline["io_write_bytes"]["value"], headline["io_write_bytes"]["quality"]) == (5000, "lower_bound")
    assert "first row" in headline["io_write_bytes"]["why"]
    assert (headline["io_read_bytes"]["value"], headline["io_read_bytes"]["quality"]) == (2, "estimate"), "it went back"


def test_json_documents_behind_each_other_are_all_their_runs(call, made):
    write_run(call.here / "second", made_info(2), made)
    write_run(call.here / "third", made_info(3), [])
    documents = [export(call, "--to", "json", *runs).encode() for runs in (("made", "second"), ("third",))]
    (call.here / "all.json").write_bytes(b"".join(documents))
    called = call("import", "-p", "again-{pid}/", "all.json")

    assert (called.status, called.err) == (0, "")
    infos = sorted(json.loads(path.read_text())["id"] for path in call.here.glob("again-*/info.json"))
    assert infos == [made_info(number)["id"] for number in (1, 2, 3)]
    assert "holds several runs" in call("export", "--to", "csv", "all.json").err
    for rest, words in ((b"behind it\n", "no document begins"), (documents[1][:len(documents[1]) // 2], "ends in the middle")):
        (call.here / "odd.json").write_bytes(documents[1] + rest)
        for words_of in (["import", "-n", "odd.json"], ["export", "--to", "csv", "odd.json"]):
            called = call(*words_of)
            assert (called.status, called.err.count("\n")) == (1, 1) and words in called.err, called.err


@pytest.mark.parametrize("layout", ({"separators": (",", ":")}, {"indent": 2}, {}))
def test_a_json_document_that_was_laid_out_anew_is_refused_with_the_reason(call, made, layout):
    document = json.loads(export(call, "--to", "json", "made"))
    (call.here / "anew.json").write_text(json.dumps(document, **layout) + "\n")
    (call.here / "list.json").write_text(json.dumps([document], **layout) + "\n")
    for name in ("anew.json", "list.json"):
        called = call("import", "-n", name)
        assert (called.status, called.out, called.err.count("\n")) == (1, "", 1)
        assert "line 1: " in called.err and "laid out anew is not read" in called.err
    with open(call.here / "large.json", "w", encoding="utf-8") as file:
        file.write(json.dumps(document, **layout))
        for _ in range(17):
            file.write(" " * (1 << 20))
    assert "line 1: no document begins there" in call("import", "-n", "large.json").err


def test_an_imported_run_is_the_same_after_it_went_through_json(call):
    """By its id and the time of its import; a file that was never imported becomes a run now."""
    shutil.copy(FOREIGN / "psrecord" / "plain.txt", call.here)
    assert call("import", "-p", "first/", "plain.txt").status == 0
    export(call, "--to", "json", "-o", "first.json", "first")
    export(call, "--to", "json", "-o", "never.json", "plain.txt")
    for name in ("first", "never"):
        assert call("import", "-p", f"{name}-again/", f"{name}.json").status == 0
    first, again, never = (json.loads((call.here / name / "info.json").read_text()) for name in ("first", "first-again", "never-again"))
    files = again.pop("files")

    assert first.pop("files") != files and first == again
    assert (call.here / "first" / "usage.jsonl").read_text() == (call.here / "first-again" / "usage.jsonl").read_text()
    assert never["id"] != first["id"] and never["imported"]["time"]


def test_an_ordinary_user_gives_files_their_names_too(call, room, made, ordinary_user):
    """linkat(2) of a file without a name takes a capability or /proc."""
    (room / "out").mkdir()
    (room / "out").chmod(0o777)
    write_run(room / "run", made_info(), made)
    for words in ((), ("--clobber",)):
        called = call("export", "--to", "jumper", *words, "-o", f"{room}/out/a/session", str(room / "run"), user=ordinary_user)
        assert (called.status, called.err) == (0, "")
    assert sorted(path.name for path in (room / "out" / "a" / "session").iterdir()) == ["cell_history.csv", "manifest.json", "perf_process.csv"]
    assert (room / "out" / "a" / "session" / "manifest.json").stat().st_uid == ordinary_user.uid


def series_run(directory, **own):
    lines = [{"schema": "assay-usage", "version": "1.0", "sequence": i, "time": f"2026-11-28T12:00:0{i + 1}Z", "start_seconds": i, "end_seconds": i + 1,
              "samples": 1, "missed_ticks": 0, "values": {"proc_rss_total_bytes": {"max": 5 + i, "quality": "sampled"}}} for i in range(3)]
    return write_run(directory, {**made_info(), "self": {"records_written": 3, "records_lost": 0}, **own}, lines)


@pytest.mark.parametrize("what, words, status", [
    ("whole", None, 0), ("damaged", "1 damaged line of the series is left out, the first is line 2", 1), ("torn", "the last line of the series is not whole", 0),
    ("long", "1 damaged line of the series is left out, the first is line 2", 1), ("cut", "1 window is missing in the series", 1),
    ("gone", "3 windows are missing in the series, which is not there", 1), ("emptied", "3 windows are missing in the series", 1)])
def test_what_of_a_series_is_not_in_the_export_is_one_line_and_makes_status_1(call, room, what, words, status):
    run = series_run(room / "run")
    series = run / "usage.jsonl"
    lines = series.read_text().splitlines(keepends=True)
    changed = {"damaged": [lines[0], "no json\n", lines[2]], "torn": [*lines[:2], lines[2][:-20]], "cut": lines[:2], "emptied": [],
               "long": [lines[0], " " * (17 * 1024 * 1024) + "\n", lines[2]]}
    if what == "gone":
        series.unlink()
    elif what != "whole":
        series.write_text("".join(changed[what]))
    called = call("export", "--to", "csv", str(run))

    assert called.status == status
    if words is None:
        assert called.err == ""
    else:
        assert called.err.count("\n") == 1 and words in called.err and f"{run}/info.json: " in called.err
