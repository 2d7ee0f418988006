# SPDX-License-Identifier: MIT
"""What other tools tell of limits, tasks, times and the order of words."""
import json
from pathlib import Path

import pytest

from calling import Caller
from support import parse

FOREIGN = Path(__file__).resolve().parent.parent / "fixtures" / "foreign"
MIB = 1 << 20


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def imported(call, path, *words):
    called = call("import", "-p", "new_", *words, str(path))
    assert called.status == 0, called.err
    return parse((call.here / "new_info.json").read_text(), "assay-run")


@pytest.mark.parametrize("status", [0, 1, 143])
@pytest.mark.parametrize("limit, told", [
    (("wall_time", 2, "s"), ("time", "seconds", 2)), (("memory", 50, "MB"), ("memory", "bytes", 50 * MIB)), (("cores", 2, "cores"), ("cpu", "cores", 2)),
    (("swap_memory", 3, "MB"), ("swap", "bytes", 3 * MIB)), (("disk", 7, "MB"), None)])
def test_a_limit_of_resource_monitor_is_a_limit_that_was_hit(call, status, limit, told):
    summary = json.loads((FOREIGN / "resource_monitor/limit.summary").read_text())
    summary.update(exit_status=status, limits_exceeded={limit[0]: list(limit[1:])})
    call.write("job.summary", json.dumps(summary))
    info = imported(call, "job.summary")

    assert info["outcome"]["words"] == "ended at a limit of resource_monitor"
    assert info["outcome"].get("exit_code") == (status or None)
    assert [(one["name"], one["unit"], one["limit"], one["source"], one["hits"]) for one in info.get("target_limits", [])] == (
        [(*told, "resource_monitor", 1)] if told else [])
    assert any(f"limit of {limit[0]}" in note for note in info["notes"])
    for path in ("job.summary", "new_info.json"):
        assert json.loads(call("ls", path, "-f", "json", "-F", "failed", "-w", "state = failed").out) == [{"failed": True}]
        assert json.loads(call("size", "--json", path, "--mixed").out)["outcomes"] == {"cut_off": 1}


HEAD = "JobID|State|ExitCode|Start|Elapsed|MaxRSS"
JOB = "|COMPLETED|0:0|2026-01-02T10:00:00|00:10:00|"


@pytest.mark.parametrize("columns, job, step, quality", [
    ("", "", "", "lower_bound"), ("|AllocCPUS", "|8", "|8", "lower_bound"), ("|AllocCPUS", "|1", "|1", "estimate"), ("|NTasks", "|", "|1", "estimate"),
    ("|NTasks", "|", "|", "lower_bound"), ("|NTasks|AllocCPUS", "||8", "|4|8", "lower_bound"), ("|NTasks|TRESUsageInTot", "||", "|4|mem=4G", "estimate"),
    ("|TRESUsageInTot", "|", "|mem=4G", "estimate")])
def test_the_largest_of_tasks_of_unknown_number_is_a_lower_bound(call, columns, job, step, quality):
    call.write("jobs.txt", f"{HEAD}{columns}\n7{JOB}{job}\n7.0{JOB}1G{step}\n")
    info = imported(call, "jobs.txt")

    assert info["headline"]["memory_peak_bytes"]["quality"] == quality


def test_a_script_is_one_task(call):
    call.write("jobs.txt", f"{HEAD}\n7{JOB}\n7.batch{JOB}1G\n")

    assert imported(call, "jobs.txt")["headline"]["memory_peak_bytes"]["quality"] == "estimate"


def test_a_line_of_a_job_alone_is_of_as_many_tasks_as_it_tells(call):
    call.write("jobs.txt", f"{HEAD}\n7{JOB}1G\n")
    assert imported(call, "jobs.txt")["headline"]["memory_peak_bytes"]["quality"] == "lower_bound"


def test_the_arguments_of_a_command_keep_their_order_and_number_in_prov(call):
    argv = ["sh", "-c", "echo a a", "a", "b", "a", "é\n"]
    info = {"schema": "assay-run", "version": "1.0", "state": "done", "id": "one", "program": {"name": "assay", "version": "0.1.0"},
            "command": {"text": "x", "argv": argv}, "files": {"info": "info.json", "prefix": ""}, "time": {"started": "2026-11-28T14:00:00Z"},
            "host": {"hostname": "one"}, "measurements": [], "notes": [], "headline": {}, "outcome": {"exit_code": 0, "words": "exited 0", "evidence": "x"}}
    call.write("run/info.json", json.dumps(info))
    document = json.loads(call("export", "--to", "prov", "run").out)
    [command] = [one for one in document["entity"].values() if "assay:argv" in one]

    # Several values of an attribute are a set.
    assert command["assay:argv"]["type"] == "xsd:string" and json.loads(command["assay:argv"]["$"]) == argv
    assert not any(isinstance(value, list) for section in ("entity", "activity", "agent") for one in document[section].values() for value in one.values())


@pytest.mark.parametrize("source", ["as it is", "imported"])
def test_a_file_of_dmon_without_times_has_no_duration_anywhere(call, source):
    path = FOREIGN / "dmon-mu.txt"
    if source == "imported":
        imported(call, path)
        path = call.here / "new_info.json"
    shown = json.loads(call("show", "--json", str(path)).out)
    page = " ".join(call("show", str(path)).out.split())

    assert "wall_seconds" not in json.dumps(shown.get("headline", {})) and " after " not in page.partition("\n")[0]
    assert "no duration and no energy are claimed" in page
    assert json.loads(call("ls", str(path), "-f", "json", "-F", "wall_seconds,file", "-q").out)[0].get("wall_seconds") is None


@pytest.mark.parametrize("source", ["as it is", "imported"])
def test_a_file_of_dmon_with_times_has_one_duration(call, source):
    path = FOREIGN / "dmon-dt.txt"
    if source == "imported":
        imported(call, path)
        path = call.here / "new_info.json"
    listed = json.loads(call("ls", str(path), "-f", "json", "-F", "wall_seconds,wall_clock_time").out)

    assert listed == [{"wall_seconds": 6, "wall_clock_time": 6}]
    assert "after 6.00 s" in " ".join(call("show", str(path)).out.split())
