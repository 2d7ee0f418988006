# SPDX-License-Identifier: MIT
"""How runs ended, the greatest of an order, and lines that shells read."""
import csv
import io
import json
import subprocess

import pytest

from calling import Caller


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def write(call, name, started=0, outcome=None, state="done", **members):
    info = {"schema": "assay-run", "version": "1.0", "state": state, "id": name, "program": {"name": "assay", "version": "0.1.0"},
            "command": {"text": f"job {name}", "argv": ["job", name]}, "files": {"info": "info.json", "prefix": ""}, "host": {"hostname": "elsewhere"},
            "time": {"started": f"2026-11-28T14:00:{started:02}Z"}, "measurements": [], "notes": [], "headline": {}, **members}
    if outcome:
        info["outcome"] = outcome
    call.write(f"runs/{name}/info.json", json.dumps(info))


def coded(code):
    return {"exit_code": code, "words": f"exited {code}", "evidence": "wait status"}


def signalled(number, name):
    return {"signal": number, "signal_name": name, "words": f"killed by {name}", "evidence": "wait status"}


def limit(name, unit):
    return {"name": name, "unit": unit, "limit": 1, "value": 2, "key": "k", "after_seconds": 1, "soft_signal": "SIGTERM", "killed": False, "emptied": True}


@pytest.fixture
def ended(call):
    """Runs that ended in every way, in the order of their names."""
    write(call, "a-fine", 1, coded(0))
    write(call, "b-code", 2, coded(3))
    write(call, "c-kill", 3, signalled(9, "SIGKILL"))
    write(call, "d-segv", 4, signalled(11, "SIGSEGV"))
    write(call, "e-wall", 5, signalled(15, "SIGTERM"), limit=limit("wall", "seconds"))
    write(call, "f-memory", 6, coded(0), limit=limit("memory", "bytes"))
    write(call, "g-running", 7, state="running")
    write(call, "h-untold", 8)
    return call


def listed(call, *words):
    names = None
    for index in ([], ["--rebuild-index"], [], ["--no-index"]):
        called = call("ls", "runs", "-f", "jsonl", "-F", "id", *words, *index)
        assert (called.status, called.err) == (0, ""), (words, called.err)
        before, names = names, [json.loads(line)["id"][0] for line in called.out.splitlines()]
        assert before is None or names == before, index
    return "".join(names)


@pytest.mark.parametrize("where, found", [
    ("exit = KILL", "c"), ("exit = SIGKILL", "c"), ("exit = SEGV", "d"), ("exit = wall", "e"), ("exit = 0", "af"), ("exit = 3", "b"), ("exit != 0", "bcde"),
    ("not exit = 0", "bcde"), ("exit > 2", "bcde"), ("exit ~ 'KILL|SEGV'", "cd"), ("exit like 'w*'", "e"), ("exit", "abcdef"), ("exit_code = 0", "af"),
    ("state = failed", "bcdef"), ("state = 'failed'", "bcdef"), ("state == FAILED", "bcdef"), ("state != failed", "agh"), ("not state = failed", "agh"), ("failed", "bcdef"),
    ("not failed", "agh"), ("state = failed and exit = KILL", "c"), ("state = done and state != failed", "ah"), ("state = running", "g"), ("failed = yes", "bcdef")])
def test_how_a_run_ended_is_asked_for_by_what_the_table_shows(ended, where, found):
    assert listed(ended, "-w", where) == found


def test_the_example_of_the_manual_lists_every_run_that_failed(ended):
    assert listed(ended, "-w", "started > 2026-11-01 and state = failed", "--sort", "started", "--reverse") == "fedcb"


def test_a_run_without_any_failure_has_no_field_for_it_and_that_is_no_mistake(call):
    write(call, "a", 1, coded(0))

    assert listed(call, "-w", "failed") == "" and listed(call, "-w", "exit = KILL") == "" and listed(call, "-w", "state = failed") == ""


def test_jobs_of_sacct_failed_whatever_their_exit_code(call):
    call.write("jobs.txt", "JobID|State|ExitCode|Start|Elapsed\n" + "".join(
        f"{number}|{state}|0:0|2026-11-0{number}T10:00:00|01:00:00\n" for number, state in enumerate(("COMPLETED", "TIMEOUT", "CANCELLED by 7", "NODE_FAIL"), 1)))
    called = call("ls", "jobs.txt", "-f", "jsonl", "-F", "job_id", "-w", "state = failed")

    assert [json.loads(line)["job_id"] for line in called.out.splitlines()] == [2, 3, 4]


@pytest.fixture
def sized(call):
    """They began in the order a, b ... and had 5, 1, 4, none, 3, 2 GiB."""
    for number, (name, memory) in enumerate((("a", 5), ("b", 1), ("c", 4), ("d", None), ("e", 3), ("f", 2))):
        headline = {"memory_peak_bytes": {"value": memory << 30, "quality": "exact", "key": "k"}} if memory else {}
        write(call, name, number, coded(0), headline=headline)
    return call


@pytest.mark.parametrize("words, found", [
    (("-n", "3", "--sort", "memory_peak_bytes"), "eca"), (("-n", "3", "--sort", "memory_peak", "-r"), "ace"), (("-n", "3"), "def"), (("-n", "3", "-r"), "fed"),
    (("-n", "1", "-s", "memory_peak_bytes"), "a"), (("-n", "2", "-s", "memory_peak_bytes", "-w", "memory_peak_bytes < 4.5GiB"), "ec"),
    (("-n", "9", "-s", "memory_peak_bytes"), "bfecad"), (("-n", "6", "-s", "memory_peak_bytes", "-r"), "acefbd"), (("--last", "-s", "memory_peak_bytes"), "f")])
def test_so_many_of_an_order_are_its_greatest(sized, words, found):
    assert listed(sized, *words) == found


def test_lines_of_csv_end_as_shells_expect(call, room):
    write(call, "a", 1, coded(0), tags={"n": "one, \"two\"\nthree"})
    write(call, "b", 2, coded(3), tags={"n": "x"})
    listed_ = call("ls", "runs", "-f", "csv", "-F", "id,tags.n,exit_code").out
    compared = call("compare", "runs/a", "runs/b", "--all", "-f", "csv", "-F", "exit_code").out
    usage = {"schema": "assay-usage", "version": "1.0", "sequence": 0, "time": "2026-01-02T10:00:00Z", "start_seconds": 0, "end_seconds": 1, "samples": 1,
             "values": {"proc_rss_total_bytes": {"max": 5}}, "processes": []}
    call.write("runs/b/usage.jsonl", json.dumps(usage) + "\n")
    exported = [call("export", "--to", to, "runs/b").out for to in ("csv", "csv-wide")]

    for text in (listed_, compared, *exported):
        assert text.endswith("\n") and "\r" not in text and len(text.splitlines()) >= 2, text
    assert list(csv.reader(io.StringIO(listed_, newline="")))[1:] == [["a", "one, \"two\"\nthree", "0"], ["b", "x", "3"]]
    # The last cell of a line, as cut(1) has it.
    (room / "list.csv").write_text(call("ls", "runs", "-f", "csv", "-F", "id,exit_code").out)
    cells = subprocess.run(["cut", "-d,", "-f2", room / "list.csv"], stdout=subprocess.PIPE, check=True).stdout
    assert cells == b"exit_code\n0\n3\n"
