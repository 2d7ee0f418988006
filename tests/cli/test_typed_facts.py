# SPDX-License-Identifier: MIT
"""Facts are fields: what is said in words may be said otherwise, and nothing else changes."""
import copy
import csv
import io
import json
import re
import signal

import pytest

from calling import Caller
from support import REPOSITORY, validator, wait_for

MIB = 1 << 20
WORDS = {"words", "why", "evidence", "note", "notes", "warnings", "reasons"}

# What would be taken for something else, were it read.
MISLEADING = ["killed by SIGKILL (the kernel's OOM killer: memory.events oom_kill rose by 1)", "ended at its time limit", "completed",
              "wait status 0; SIGTERM (sent to assay by pid 1 of uid 0 and passed on) came 12 ms before the end",
              "900 MiB of new shared memory (tmpfs, memfd) on this machine was mapped by no process of the job", "of each node",
              "ended at a limit of resource_monitor"]


def reworded(of, sentences):
    """The same with each sentence replaced by the next of these."""
    if isinstance(of, dict):
        return {key: next(sentences) if key in ("words", "why", "evidence", "note") and isinstance(value, str)
                else [next(sentences) for _ in value] if key == "notes" else reworded(value, sentences) for key, value in of.items()}
    return [reworded(value, sentences) for value in of] if isinstance(of, list) else of


def neutral():
    return iter(lambda: "said in other words", None)


def misleading():
    while True:
        yield from MISLEADING


def without_words(of):
    """What a program reads of an output in JSON."""
    if isinstance(of, dict):
        return {key: without_words(value) for key, value in of.items() if key not in WORDS and key != "outcome.words"}
    return [without_words(value) for value in of] if isinstance(of, list) else of


OOM = {"cause": "oom_kill", "signal": 9, "signal_name": "SIGKILL", "core_dumped": False, "limit": "memory", "limit_source": "cgroup",
       "words": "killed by SIGKILL (the kernel's OOM killer: memory.events oom_kill rose by 1; memory limit 200 MiB)",
       "evidence": "wait status 9, reaped by the keeper; memory.max of /job is 200 MiB, it was hit 7 times during the run"}
MEMORY_LIMIT = {"cause": "limit", "signal": 15, "signal_name": "SIGTERM", "core_dumped": False, "limit": "memory", "limit_source": "assay",
                "words": "stopped by our memory limit (100 MiB)",
                "evidence": "wait status 15, reaped by the keeper; proc_pss_total_bytes was 128 MiB when the limit was hit"}
LIMIT = {"name": "memory", "unit": "bytes", "limit": 100 * MIB, "value": 128 * MIB, "key": "proc_pss_total_bytes", "after_seconds": 1.5, "soft_signal": "SIGTERM",
         "killed": False, "emptied": True}
BOUND = [{"name": "memory", "unit": "bytes", "limit": 200 * MIB, "source": "cgroup", "where": "/job/memory.max", "tightest": True, "hits": 7,
          "note": "of each node"}]


WINDOW = {"schema": "assay-usage", "version": "1.0", "time": "2026-11-28T10:00:00Z", "monotonic_ns": 1, "start_seconds": 0, "end_seconds": 1, "samples": 1,
          "missed_ticks": 0, "values": {"proc_rss_total_bytes": {"max": 60 * MIB, "quality": "sampled"}}, "processes": [], "quiet_processes": 0,
          "omitted_processes": 0}


def peak(mebibytes, **more):
    return {"value": mebibytes * MIB, "quality": "lower_bound", "key": "proc_hwm_bytes", "lower": mebibytes * MIB, **more}


# What kernels and other jobs would have to do with is put into a record that was made.
MADE = {
    "plain": {},
    "oom": {"outcome": OOM, "target_limits": BOUND, "peak": peak(64)},
    "memory": {"outcome": MEMORY_LIMIT, "limit": LIMIT, "peak": peak(90)},
    "shared": {"peak": peak(100, upper=700 * MIB, unmapped_shared_bytes=500 * MIB,
                            why="at most 2 processes were alive at once; 500 MiB of new shared memory (tmpfs, memfd) on this machine was mapped by no "
                                "process of the job and is not in the lower bound")},
}


def end_by(run_assay, room, number):
    """A job that ends with 0 when it is told to end, and what is told of it."""
    started = run_assay.start(["sh", "-c", f"trap 'exit 0' TERM; touch {room}/ready-{number}; while :; do sleep 0.01; done"])
    wait_for((room / f"ready-{number}").exists, "the job")
    started.process.send_signal(number)
    return started.finish().info


@pytest.fixture
def records(run_assay, room):
    """Records of each kind of end, as they are written, by name."""
    plain = run_assay(["true"]).info
    infos = {"time": run_assay(["sleep", "60"], ["--limit", "wall=200ms"]).info, "signal": end_by(run_assay, room, signal.SIGINT),
             "request": end_by(run_assay, room, signal.SIGTERM)}
    for name, members in MADE.items():
        info = infos[name] = copy.deepcopy({**plain, **{key: value for key, value in members.items() if key != "peak"}})
        if "peak" in members:
            info["headline"]["memory_peak_bytes"] = members["peak"]
    for number, info in enumerate(infos.values()):
        info["id"] = f"2026.11.28T10.00.0{number}-{number + 1}"
        info["summary"].pop("cgroup_peak_memory_shmem_bytes", None)
        info["files"] = {"info": "info.json", "prefix": ""}
        info["command"] = plain["command"]
    return infos


class Reader:
    """All that the verbs say of these records that is a number or a state."""

    def __init__(self, run_assay, assay, here, infos):
        self.call, self.names = Caller(run_assay, assay, here), sorted(infos)
        for name, info in infos.items():
            lines = [{**WINDOW, "sequence": number, "last": number + 1 == info["self"]["windows"]} for number in range(info["self"]["windows"])]
            self.call.write(f"{name}/info.json", json.dumps(info))
            self.call.write(f"{name}/usage.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def out(self, *words):
        called = self.call(*words)
        # 1: what was asked for cannot be said of all of it.
        assert called.status in (0, 1) and not called.err, (words, called.err)
        return called.out.replace(str(self.call.here), "HERE")

    def json(self, *words):
        return without_words(json.loads(self.out(*words)))

    def size(self, *names):
        return self.json("size", "--json", *names)

    def table(self, *fields):
        return list(csv.reader(io.StringIO(self.out("ls", "-f", "csv", "-F", ",".join(fields), *self.names))))

    def all(self):
        told = {"ls": self.table("state", "exit", "cause", "failed", "exit_code", "signal", "limit", "outcome.limit", "memory_peak_bytes", "cpu_seconds",
                                 "wall_seconds"),
                "failed": self.out("ls", "-f", "csv", "-F", "id", "-w", "state = failed", *self.names),
                "compare": self.json("compare", "-f", "json", *self.names), "size all": self.size(*self.names)}
        for name in self.names:
            told[f"show {name}"] = self.json("show", "--json", name)
            told[f"size {name}"] = self.size(name)
            told[f"export {name}"] = self.json("export", "--to", "json", name)
            told[f"csv {name}"] = self.out("export", "--to", "csv", name)
            told[f"metrics {name}"] = re.sub(r'outcome="[^"]*"', "", self.out("export", "--to", "openmetrics", name))
        return told


@pytest.mark.parametrize("words", [neutral, misleading])
def test_what_is_said_in_other_words_is_the_same_in_numbers_and_states(run_assay, assay, room, records, words):
    """The request for memory was 312 MiB in place of 1824, for one word of one sentence."""
    before = Reader(run_assay, assay, room / "before", records).all()
    after = Reader(run_assay, assay, room / "after", {name: reworded(info, words()) for name, info in records.items()}).all()

    for part in before:
        assert after[part] == before[part], part


def test_records_of_each_kind_say_their_cause_and_keep_to_the_schema(run_assay, assay, room, records):
    for info in records.values():
        validator("assay-run").validate(info)
    told = {name: (info["outcome"]["cause"], info["outcome"].get("limit")) for name, info in records.items()}
    assert told == {"plain": ("exited", None), "time": ("limit", "wall"), "signal": ("signal", None), "request": ("exited", None), "oom": ("oom_kill", "memory"),
                    "memory": ("limit", "memory"), "shared": ("exited", None)}
    assert records["request"]["outcome"]["request"]["signal_name"] == "SIGTERM" and records["signal"]["outcome"]["request"]["signal_name"] == "SIGINT"
    for name in ("request", "signal"):
        request = records[name]["outcome"]["request"]
        assert (request["from"], request["to"], request["signal_name"] in records[name]["outcome"]["words"] + records[name]["outcome"]["evidence"]) == (
            "process", "assay", True)
    assert not {"request"} & set(records["plain"]["outcome"]) and not {"request"} & set(records["time"]["outcome"])

    reader = Reader(run_assay, assay, room / "here", records)
    assert dict(reader.table("id", "cause")[1:]) and [row[0] for row in reader.table("cause")[1:]].count("limit") == 2
    assert reader.size("shared")["memory_bytes"]["new_shared"] == 500 * MIB
    assert reader.size("oom")["memory_bytes"]["cut_off"] == 1


def test_other_tools_records_have_their_causes_as_fields_too(run_assay, assay, room):
    """From sacct(1) and resource_monitor: imported, reworded, and read again."""
    call = Caller(run_assay, assay, room / "imported")
    foreign = REPOSITORY / "tests" / "fixtures" / "foreign"
    files = [str(foreign / "sacct.txt"), str(foreign / "resource_monitor" / "limit.summary")]
    called = call("import", *files)
    assert called.status == 0, called.err
    infos = {str(path.parent.relative_to(call.here)): json.loads(path.read_bytes()) for path in call.here.rglob("*info.json")}
    causes = {(info["outcome"]["cause"], info["outcome"].get("limit"), info["outcome"].get("limit_source")) for info in infos.values() if "outcome" in info}

    assert ("limit", "wall", "slurm") in causes and ("oom_kill", None, None) in causes
    assert ("limit", "wall", "resource_monitor") in causes, causes
    table = ["ls", "-f", "csv", "-F", "id,state,exit,cause,failed,exit_code,signal,outcome.limit,memory_peak_bytes", "."]
    sizes = [["size", "--json", name] for name in infos if "outcome" in infos[name]]
    before = [(call(*words).status, call(*words).out) for words in (table, *sizes)]
    for words in (neutral(), misleading()):
        for name, info in infos.items():
            (call.here / name / "info.json").write_text(json.dumps(reworded(info, words)))
        after = [(call(*line).status, call(*line).out) for line in (table, *sizes)]
        for (status, text), (status_after, text_after) in zip(before, after):
            assert status_after == status
            if text.startswith("{"):
                assert without_words(json.loads(text_after)) == without_words(json.loads(text))
            else:
                assert text_after == text
