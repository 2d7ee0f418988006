# SPDX-License-Identifier: MIT
"""What administrators have at hand: sacct as it prints by default and as JSON, and GNU time -v."""
import json

import pytest

from calling import Caller
from support import REPOSITORY, read_info

FOREIGN = REPOSITORY / "tests" / "fixtures" / "foreign"
GIB = 1 << 30


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def take(call, room):
    """Imports the runs of a file with that content; their infos, valid by the schema."""
    def take(content, runs=1, name="file", words=()):
        path = room / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        called = call("import", *words, "-p", f"{room}/run{{pid}}/", str(path))
        assert called.status == 0, called.err
        prefixes = [line.split(" from ")[0] for line in called.out.splitlines()]
        assert len(prefixes) == runs, called.out
        return [read_info(prefix) for prefix in prefixes]

    return take


def value(info, name):
    entry = info["headline"][name]
    return entry["value"], entry["quality"], entry["key"]


def comparable(info):
    """What does not say from which form it was read."""
    return {name: info.get(name) for name in ("headline", "summary", "outcome", "slurm", "time", "state", "name")}


DEFAULT_TABLE = """\
JobID           JobName  Partition    Account  AllocCPUS      State ExitCode 
------------ ---------- ---------- ---------- ---------- ---------- -------- 
123               train        gpu    physics          4  COMPLETED      0:0 
123.batch         batch               physics          4  COMPLETED      0:0 
123.extern       extern               physics          4  COMPLETED      0:0 
200_7        a very lo+        cpu    physics          2 CANCELLED+      0:0 
12345678.ba+      batch               physics          2  CANCELLED     0:15 
300             forever        cpu    physics          1    RUNNING      0:0 
400               large        cpu    physics          1 OUT_OF_ME+    0:125 
401                 c++        cpu    physics          1     FAILED      3:0 
"""


def test_sacct_as_it_prints_by_default(take):
    infos = take(DEFAULT_TABLE, runs=6)

    assert [info.get("name") for info in infos] == ["train", "a very lo+", None, "forever", "large", "c++"]
    assert [info.get("outcome", {}).get("words") for info in infos] == [
        "exited 0", "cancelled", "killed by SIGTERM", None, "ended out of memory", "exited 3"]
    assert [info["slurm"].get("job_id") for info in infos] == [123, None, 12345678, 300, 400, 401]
    assert [info["state"] for info in infos] == ["done", "done", "done", "lost", "done", "done"]
    assert [bool([note for note in info["notes"] if "cells that sacct cut" in note]) for info in infos] == [False, True, True, False, True, False]
    assert infos[0]["scheduler"]["Partition"] == "gpu" and infos[0]["target_limits"][0]["limit"] == 4
    assert all("wall_seconds" not in info.get("headline", {}) for info in infos), "it does not say"


def columns(text, rows):
    """The table that sacct prints of lines with | between cells, in columns of those widths."""
    lines = [line.split("|") for line in text.splitlines()]
    widths = rows or [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    cut = [[cell if len(cell) <= width else cell[:width - 1] + "+" for cell, width in zip(line, widths)] for line in lines]
    table = ["".join(f"{cell:>{width}} " for cell, width in zip(line, widths)) for line in cut]
    return "\n".join([table[0], "".join("-" * width + " " for width in widths), *table[1:]]) + "\n"


@pytest.mark.parametrize("trailing", [True, False])
def test_a_table_with_columns_wide_enough_is_the_same_jobs(take, trailing):
    """Whatever its columns are, with or without the blanks at the ends of lines."""
    text = (FOREIGN / "sacct-22.05.txt").read_text()
    table = columns(text, None)
    if not trailing:
        table = "\n".join(line.rstrip() for line in table.splitlines()) + "\n"
    parsable = take(text, runs=18)
    assert [comparable(info) for info in take(table, runs=18)] == [comparable(info) for info in parsable]


def test_a_number_that_was_cut_is_absent(take):
    lines = "JobID|State|Elapsed|TotalCPU|MaxRSS|AllocTRES\n7|COMPLETED|1-02:03:04|00:10:00||billing=4,cpu=4,mem=16G\n7.0|COMPLETED|1-02:03:04|00:10:00|123456789K|"
    [info] = take(columns(lines, [6, 10, 8, 8, 6, 12]))

    assert "wall_seconds" not in info["headline"] and "memory_peak_bytes" not in info["headline"] and "target_limits" not in info
    assert value(info, "cpu_seconds")[0] == 600
    assert any("cells that sacct cut" in note and note.endswith(": 4") for note in info["notes"])


def test_a_line_that_does_not_lie_under_its_header_is_left_out(call, take, room):
    table = columns("JobID|State|ExitCode\n7|COMPLETED|0:0\n8|COMPLETED|0:0", [8, 10, 8])
    damaged = table.replace("\n       8", "\n    8888888888888", 1)
    [info] = take(damaged)
    assert any("could not be read" in note for note in info["notes"])


def test_a_job_may_be_called_as_the_column_of_ids(take):
    infos = take(columns("JobID|JobName|State|ExitCode\n7|JobID|COMPLETED|0:0\n7.0|JobID|COMPLETED|0:0\n8|myJobID|FAILED|3:0", [8, 8, 10, 8]), runs=2)

    assert [(info["slurm"]["job_id"], info["name"], info["outcome"]["words"]) for info in infos] == [
        (7, "JobID", "exited 0"), (8, "myJobID", "exited 3")]


def test_tables_behind_each_other_are_read(take):
    first = columns("JobID|State|ExitCode\n7|COMPLETED|0:0", [8, 10, 8])
    second = columns("JobID|JobName|State|ExitCode\n8|x|FAILED|2:0", [12, 7, 9, 8])
    infos = take(first + second + "JobID|State|ExitCode\n9|FAILED|4:0\n", runs=3)
    assert [info["outcome"]["exit_code"] for info in infos] == [0, 2, 4]


def number(n):
    return {"set": True, "infinite": False, "number": n}


def tres(**counts):
    names = {"disk": ("fs", "disk"), "gpu": ("gres", "gpu")}
    return [dict(zip(("type", "name"), names.get(name, (name, ""))), id=i, count=count) for i, (name, count) in enumerate(counts.items())]


def step(name, cpu, rss, **more):
    used = {"max": tres(cpu=cpu * 1000, mem=rss, vmem=2 * rss, disk=1000), "total": tres(cpu=cpu * 1000, mem=rss, vmem=2 * rss, disk=1000), "min": [], "average": []}
    return {"step": {"id": name, "name": name.split(".")[-1]}, "state": ["COMPLETED"], "tasks": {"count": 1},
            "exit_code": {"status": ["SUCCESS"], "return_code": number(0), "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""}},
            "time": {"elapsed": 3600, "start": number(1767348000), "end": number(1767351600), "suspended": 0,
                     "total": {"seconds": cpu, "microseconds": 250000}, "user": {"seconds": cpu, "microseconds": 0},
                     "system": {"seconds": 0, "microseconds": 250000}},
            "tres": {"requested": used, "consumed": {"max": tres(disk=500), "total": tres(disk=500)}, "allocated": tres(cpu=4)}, **more}


def job(number_of_job=123, **more):
    return {"job_id": number_of_job, "name": "train", "user": "ada", "cluster": "c", "nodes": "node1", "account": "physics", "partition": "gpu",
            "array": {"job_id": 0, "task_id": {"set": False, "infinite": False, "number": 0}}, "het": {"job_id": 0, "job_offset": number(0)},
            "state": {"current": ["COMPLETED"], "reason": "None"},
            "exit_code": {"status": ["SUCCESS"], "return_code": number(0), "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""}},
            "time": {"elapsed": 3600, "eligible": 1767347000, "start": 1767348000, "end": 1767351600, "submission": 1767346000, "suspended": 0,
                     "limit": number(120), "total": {"seconds": 7230, "microseconds": 500000}, "user": {"seconds": 7230, "microseconds": 0},
                     "system": {"seconds": 0, "microseconds": 500000}},
            "required": {"CPUs": 4, "memory_per_cpu": {"set": False, "infinite": False, "number": 0}, "memory_per_node": number(4096)},
            "tres": {"allocated": tres(cpu=4, mem=4096, node=1, gpu=1), "requested": tres(cpu=4)},
            "working_directory": "/home/ada", "submit_line": "sbatch train.sh",
            "steps": [step("123.batch", 30, 10 << 20), step("123.0", 7200, 2 * GIB)], **more}


def test_sacct_as_json(take):
    [info] = take({"jobs": [job()], "meta": {"slurm": {"version": {"major": "23"}}}, "errors": [], "warnings": []})

    assert value(info, "cpu_seconds") == (7230.5, "lower_bound", "sacct_cpu_seconds")
    assert value(info, "memory_peak_bytes")[0] == 2 * GIB and value(info, "wall_seconds")[0] == 3600
    assert value(info, "io_read_syscall_bytes")[0] == 2000 and value(info, "io_write_syscall_bytes")[0] == 1000
    assert info["outcome"]["exit_code"] == 0 and info["slurm"] == {"job_id": 123, "cluster": "c", "node_name": "node1"}
    assert info["time"]["started"] == "2026-01-02T10:00:00.000000Z" and info["time"]["ended"] == "2026-01-02T11:00:00.000000Z"
    assert {limit["name"]: limit["limit"] for limit in info["target_limits"]} == {"memory": 4 * GIB, "cpu": 4, "time": 7200}
    assert (info["name"], info["user"]["name"], info["working_directory"], info["command"]["text"]) == ("train", "ada", "/home/ada", "sbatch train.sh")
    assert info["imported"]["format"] == "sacct"


def test_older_forms_of_json_say_the_same(take):
    """Numbers and texts as they were before they came with \"set\" and in lists."""
    old = job(state={"current": "COMPLETED", "reason": "None"}, exit_code={"status": "SUCCESS", "return_code": 0},
              required={"CPUs": 4, "memory_per_node": 4096}, steps=[])
    old["time"]["limit"] = 120
    for name, cpu, rss in (({"job_id": 123, "step_id": "batch"}, 30, 10 << 20), ({"job_id": 123, "step_id": 0}, 7200, 2 * GIB)):
        one = step("123.x", cpu, rss, state="COMPLETED", exit_code={"status": "SUCCESS", "return_code": 0})
        one["step"]["id"] = name
        one["time"] |= {"start": 1767348000, "end": 1767351600}
        old["steps"].append(one)
    [new] = take({"jobs": [job()]})
    [info] = take({"jobs": [old]})
    assert comparable(info) == comparable(new)


def test_every_job_of_a_document_is_a_run(take):
    def exit(code, signal=0):
        return {"status": ["ERROR"], "return_code": number(code), "signal": {"id": {"set": signal > 0, "infinite": False, "number": signal}, "name": ""}}

    jobs = [job(1, array={"job_id": 9, "task_id": number(4)}), job(2, state={"current": ["FAILED"]}, exit_code=exit(3)),
            job(3, state={"current": ["FAILED"]}, exit_code=exit(0, 9)), job(4, state={"current": ["OUT_OF_MEMORY"]}, exit_code=exit(0, 125)),
            job(5, state={"current": ["RUNNING"]}), job(6, het={"job_id": 6, "job_offset": number(1)})]
    infos = take({"jobs": jobs}, runs=6)

    assert [info["slurm"]["job_id"] for info in infos] == [1, 2, 3, 4, 5, 6]
    assert infos[0]["slurm"]["array_job_id"] == 9 and infos[0]["slurm"]["array_task_id"] == 4
    assert [info.get("outcome", {}).get("words") for info in infos] == [
        "exited 0", "exited 3", "killed by SIGKILL", "ended out of memory", None, "exited 0"]
    assert infos[4]["state"] == "lost" and infos[5]["scheduler"]["JobID"] == "6+1"


def test_a_limit_without_end_and_numbers_that_are_not_set(take):
    one = job()
    one["time"]["limit"] = {"set": False, "infinite": True, "number": 0}
    one["required"] = {"memory_per_node": {"set": False, "infinite": False, "number": 77}, "memory_per_cpu": number(1024)}
    [info] = take({"jobs": [one]})
    assert {limit["name"]: limit["limit"] for limit in info["target_limits"]} == {"memory": 4 * GIB, "cpu": 4, "time": "unlimited"}


@pytest.mark.parametrize("content, words", [({"jobs": [], "steps": 0, "time": 0}, "no job is in it"), ('{"jobs": [{"steps": [], "time"', "ends in the middle"),
                                            ({"jobs": [3], "steps": 0, "time": 0}, "its job number 1 is no object")])
def test_json_without_a_job_is_refused(call, room, content, words):
    (room / "file").write_text(content if isinstance(content, str) else json.dumps(content))
    called = call("import", "-p", f"{room}/x/", f"{room}/file")
    assert called.status == 1 and words in called.err and not (room / "x").exists()


TIME = """\
{before}	Command being timed: "{command}"
	User time (seconds): {user}
	System time (seconds): 0.25
	Percent of CPU this job got: 99%
	Elapsed (wall clock) time (h:mm:ss or m:ss): {wall}
	Average shared text size (kbytes): 0
	Average unshared data size (kbytes): 0
	Average stack size (kbytes): 0
	Average total size (kbytes): 0
	Maximum resident set size (kbytes): {rss}
	Average resident set size (kbytes): 0
	Major (requiring I/O) page faults: 3
	Minor (reclaiming a frame) page faults: 400
	Voluntary context switches: 5
	Involuntary context switches: 6
	Swaps: 0
	File system inputs: 8
	File system outputs: 16
	Socket messages sent: 0
	Socket messages received: 0
	Signals delivered: 0
	Page size (bytes): 4096
	Exit status: {status}
"""


def timed(before="", command="sort -u big.txt", user="10.50", wall="0:11.50", rss=2048, status=0):
    return TIME.format(before=before, command=command, user=user, wall=wall, rss=rss, status=status)


def test_gnu_time(take):
    [info] = take(timed())

    assert value(info, "wall_seconds") == (11.5, "estimate", "gnu_time_wall_seconds") and info["time"]["wall_seconds"] == 11.5
    assert value(info, "cpu_seconds") == (10.75, "lower_bound", "gnu_time_cpu_seconds")
    assert value(info, "cpu_user_seconds")[0] == 10.5 and value(info, "cpu_system_seconds")[0] == 0.25
    assert value(info, "memory_peak_process_bytes") == (2 << 20, "lower_bound", "gnu_time_max_rss_bytes")
    assert value(info, "memory_peak_bytes")[:2] == (2 << 20, "lower_bound")
    assert value(info, "io_read_bytes")[0] == 4096 and value(info, "io_write_bytes")[0] == 8192
    assert info["command"]["text"] == "sort -u big.txt" and info["outcome"]["exit_code"] == 0 and info["imported"]["tool"] == "GNU time"
    assert info["summary"]["gnu_time_minor_faults_count"]["value"] == 400


@pytest.mark.parametrize("wall, seconds", [("0:00.00", 0), ("1:02:03", 3723), ("59:59.99", 3599.99), ("27:46:40", 100000)])
def test_times_of_gnu_time(take, wall, seconds):
    [info] = take(timed(wall=wall))
    assert value(info, "wall_seconds")[0] == seconds


def test_ends_of_gnu_time(take):
    """One behind the other, as -a writes them, in what else a job said."""
    infos = take("loading data\n\tindented\n" + timed(before="Command exited with non-zero status 3\n", status=3) + "more words\n" +
                 timed(before="Command terminated by signal 9\n", command='grep "a b" c', user="1.00") + timed(), runs=3)

    assert [info["outcome"]["words"] for info in infos] == ["exited 3", "killed by SIGKILL", "exited 0"]
    assert [info["command"]["text"] for info in infos] == ["sort -u big.txt", 'grep "a b" c', "sort -u big.txt"]
    assert [value(info, "cpu_user_seconds")[0] for info in infos] == [10.5, 1, 10.5]


def test_a_text_of_gnu_time_that_was_cut_is_a_lost_run_with_what_it_has(take):
    [info] = take(timed().split("\tPage size")[0])
    assert info["state"] == "lost" and "outcome" not in info and value(info, "cpu_seconds")[0] == 10.75


def test_a_size_of_0_and_numbers_that_cannot_be_are_absent(take):
    [info] = take(timed(rss=0, user="nan"))
    assert "memory_peak_bytes" not in info["headline"] and "cpu_seconds" not in info["headline"] and value(info, "cpu_system_seconds")[0] == 0.25
    assert any("values of it that cannot be" in note for note in info["notes"])


def test_the_formats_are_listed(call):
    out = call("import", "--list").out
    assert "gnu-time" in out and "--json" in out
