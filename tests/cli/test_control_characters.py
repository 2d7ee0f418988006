# SPDX-License-Identifier: MIT
"""Whatever is written for programs may be followed on a terminal: what that obeys, and marks that turn the direction of writing, is escaped everywhere."""
import csv
import io
import json
import re
import shutil

import pytest
import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from calling import Caller

C1 = "".join(map(chr, range(0x80, 0xa0)))
# What shows a text as another than it is: marks of direction, characters of no width, separators of lines, and a character that is none.
MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2028\u2029\ufeff\uffff"
HOSTILE = "a\x7fb\x1b[2J" + C1 + "31m\xa0\xe9" + MARKS
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f" + MARKS + "]")


def as_tables_show_it(text):
    """Where a format has no escape of its own: ESC as \\e, other bytes of what is not shown as \\xHH."""
    return FORBIDDEN.sub(lambda found: "\\e" if found[0] == "\x1b" else "".join(f"\\x{byte:02x}" for byte in found[0].encode()), text)


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def row(key, scope, unit="bytes"):
    return {"key": key, "kind": "gauge", "unit": unit, "scope": scope, "reduces": ["max", "last"], "quality": "sampled",
            "origin": HOSTILE, "help": HOSTILE, "collector": "made"}


@pytest.fixture
def made(call):
    """A run whose every text, and every name of a member that is free, is hostile."""
    path = call.here / "made"
    path.mkdir()
    info = {
        "schema": "assay-run", "version": "1.0", "state": "done", "id": "id" + HOSTILE, "name": HOSTILE, "program": {"name": "assay", "version": HOSTILE},
        "command": {"text": HOSTILE, "argv": ["sh", HOSTILE]}, "working_directory": "/" + HOSTILE, "message": HOSTILE,
        "time": {"started": "2026-11-28T12:00:00Z", "utc_offset": "+00:00", "ended": "2026-11-28T12:00:02Z", "wall_seconds": 2.0},
        "host": {"hostname": HOSTILE, "os_name": HOSTILE, "memory_total_bytes": 1 << 30, "cpus_online": 2}, "user": {"uid": 0, "name": HOSTILE},
        "tags": {"key" + HOSTILE: HOSTILE}, "target": {"text": HOSTILE, "kind": "command"},
        "measurements": [row("proc_rss_bytes", "process"), row("proc_rss_total_bytes", "single"), row("key" + HOSTILE, "single"),
                         row("host_disk_read_bytes", "device")],
        "outcome": {"exit_code": 0, "words": HOSTILE, "evidence": HOSTILE},
        "headline": {"wall_seconds": {"value": 2.0, "quality": "exact", "key": "tree_elapsed_seconds"},
                     "memory_peak_bytes": {"value": 4096, "quality": "lower_bound", "key": "proc_rss_total_bytes", "why": HOSTILE}},
        "summary": {"proc_peak_rss_total_bytes": {"value": 4096, "quality": "sampled"}},
        "devices": [{"kind": "disk", "name": HOSTILE, "summary": {}}], "notes": [HOSTILE]}
    process = {"pid": 4711, "start_time_ticks": 99, "ppid": 1, "uid": 0, "name": HOSTILE, "command": ["sh", HOSTILE], "born": True,
               "states": {"R": 1}, "values": {"proc_rss_bytes": {"max": 4096, "last": 4096}}}
    window = {"schema": "assay-usage", "version": "1.0", "sequence": 0, "time": "2026-11-28T12:00:01Z", "monotonic_ns": 1, "start_seconds": 0,
              "end_seconds": 1, "samples": 1, "missed_ticks": 0,
              "values": {"proc_rss_total_bytes": {"max": 4096, "last": 4096, "quality": "sampled"}, "key" + HOSTILE: {"max": 1, "last": 1}},
              "absent": {"tree_cpu_percent": HOSTILE},
              "devices": [{"kind": "disk", "name": HOSTILE, "values": {"host_disk_read_bytes": {"max": 1, "last": 1}}}],
              "processes": [process]}
    # As another writer leaves them: the controls that JSON allows stand as they are.
    (path / "info.json").write_text(json.dumps(info, ensure_ascii=False), encoding="utf-8")
    (path / "usage.jsonl").write_text(json.dumps(window, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def is_clean(text):
    found = FORBIDDEN.search(text)
    assert not found, ascii(text[max(found.start() - 80, 0):found.end() + 20])


def texts_of(value):
    if isinstance(value, dict):
        return [text for key, one in value.items() for text in [key, *texts_of(one)]]
    if isinstance(value, list):
        return [text for one in value for text in texts_of(one)]
    return [value] if isinstance(value, str) else []


WORDS = [
    ("show", "--json", "made"), ("compare", "-f", "json", "--by", "command", "made", "other"), ("size", "--waste", "--json", "made"),
    ("ls", "-f", "json", "-F", "id,command,tags,outcome.words,hostname,name", "."),
    ("ls", "-f", "jsonl", "-F", "id,command,tags,outcome.words,hostname,name", "."),
    ("export", "--to", "json", "made"), ("export", "--to", "otlp", "--processes", "--devices", "made"),
    ("export", "--to", "perfetto", "made"), ("export", "--to", "prov", "made"),
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_json_on_standard_output_has_no_control_character_and_loses_none(call, made, words):
    shutil.copytree(made, call.here / "other")
    (call.here / "other" / "info.json").write_text((made / "info.json").read_text(encoding="utf-8").replace('"id', '"other-id'), encoding="utf-8")
    called = call(*words)

    assert called.status == 0, called.err
    is_clean(called.out)
    lines = called.out.splitlines() if words[2] in ("otlp", "jsonl") else [called.out]
    assert lines and all(any(HOSTILE in text for text in texts_of(json.loads(line))) for line in lines)


def test_yaml_of_ls_has_no_control_character(call, made):
    words = ("-F", "id,name,command,tags,hostname", ".")
    called = call("ls", "-f", "yaml", *words)

    assert called.status == 0
    is_clean(called.out)
    rows = yaml.safe_load(called.out)
    assert rows == json.loads(call("ls", "-f", "json", *words).out)
    assert (rows[0]["id"], rows[0]["name"], rows[0]["hostname"]) == ("id" + HOSTILE, HOSTILE, HOSTILE)


@pytest.mark.parametrize("words", [("ls", "-f", "csv", "-F", "id,name,hostname,command", "."), ("export", "--to", "csv", "--devices", "made"),
                                   ("export", "--to", "csv-wide", "--devices", "made"), ("compare", "-f", "csv", "--by", "name", "--all", "made", "other")],
                         ids=" ".join)
def test_csv_has_no_control_character_and_reads_back_as_what_tables_show(call, made, words):
    if words[0] == "compare":
        shutil.copytree(made, call.here / "other")
        (call.here / "other" / "info.json").write_text((made / "info.json").read_text(encoding="utf-8").replace('"id', '"other-id')
                                                       .replace('"name": "a', '"name": "c'), encoding="utf-8")
    called = call(*words)

    assert called.status == 0, called.err
    is_clean(called.out)
    lines = list(csv.reader(io.StringIO(called.out, newline=""), strict=True))
    assert len({len(line) for line in lines}) == 1 and len(lines) > 1
    shown = as_tables_show_it(HOSTILE)
    assert any(shown in cell for line in lines for cell in line)
    assert not any("\\e" in cell.replace(shown, "").replace(shown[1:], "") for line in lines[1:] for cell in line if not cell.startswith("sh "))


def test_openmetrics_have_no_control_character_and_read_back_as_what_tables_show(call, made):
    called = call("export", "--to", "openmetrics", "--devices", "-m", "proc_rss_total_bytes,host_disk_read_bytes", "made")

    assert called.status == 0, called.err
    is_clean(called.out)
    families = {family.name: family for family in text_string_to_metric_families(called.out)}
    labels = families["assay_run"].samples[0].labels
    assert {labels["name"], labels["user"], labels["target"]} == {as_tables_show_it(HOSTILE)}
    assert families["assay_proc_rss_total_bytes"].documentation == f"{as_tables_show_it(HOSTILE)}; from {as_tables_show_it(HOSTILE)}"


@pytest.mark.parametrize("form", ["con-duct", "jumper"])
def test_json_in_files_of_other_tools_has_no_control_character(call, made, form):
    called = call("export", "--to", form, "-o", "out/", "made")

    assert called.status == 0, called.err
    written = [path for path in (call.here / "out").rglob("*") if path.suffix in (".json", ".jsonl")]
    assert written
    for path in written:
        is_clean(path.read_text(encoding="utf-8"))


def test_an_imported_record_has_no_control_character_and_is_the_same(call, made):
    assert call("export", "--to", "json", "-o", "made.json", "made").status == 0
    called = call("import", "made.json", "-p", "again/")

    assert called.status == 0, called.err
    for name in ("info.json", "usage.jsonl"):
        text = (call.here / "again" / name).read_text(encoding="utf-8")
        is_clean(text)
        assert HOSTILE in "\n".join(texts_of(json.loads(text)))
