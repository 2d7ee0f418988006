# SPDX-License-Identifier: MIT
"""What size says of retries, of runs that come in an order, and whether its figures add up."""
import itertools
import json
import math
import random

import pytest

from calling import Caller
from support import parse

MIB = 1 << 20
GIB = 1 << 30


def value(number, key, quality="exact", **more):
    return {"value": number, "quality": quality, "key": key, **more}


class Records:
    """Writes info files of made-up runs, one hour after the other."""

    def __init__(self, caller):
        self.call, self.numbers = caller, itertools.count(0)

    def write(self, memory, wall=600, wall_key="tree_elapsed_seconds", **members):
        """memory: MiB, exact and charged to a cgroup of the job's own; or a value of the headline."""
        number = next(self.numbers)
        if "ticks" in members:
            members["self"] = {"ticks": members.pop("ticks")}
        if not isinstance(memory, dict):
            memory = value(int(memory * MIB), "cgroup_memory_nonreclaimable_peak_bytes")
        headline = {"wall_seconds": value(wall, wall_key), "cpu_mean_cores": value(1, "k"), "memory_peak_bytes": memory}
        info = {"schema": "assay-run", "version": "1.0", "state": "done", "id": f"run-{number:04}", "program": {"name": "assay", "version": "0.1.0"},
                "command": {"text": "job", "argv": ["job"]}, "files": {"info": "info.json", "prefix": ""}, "host": {"hostname": "one"}, "measurements": [], "notes": [],
                "time": {"started": f"2026-{1 + number // 672:02}-{1 + number // 24 % 28:02}T{number % 24:02}:00:00Z", "wall_seconds": wall},
                "headline": headline, "outcome": {"exit_code": 0, "words": "exited 0", "evidence": "wait status 0"}, **members}
        self.call.write(f"runs/{number:04}/info.json", json.dumps(info))
        return f"runs/{number:04}"

    def text(self, *words):
        called = self.call("size", "--width=1000", *words)
        assert called.status == 0, called.err
        return " ".join(called.out.split())

    def json(self, *words):
        called = self.call("size", "--json", *words)
        assert called.status == 0, called.err
        return parse(called.out, "assay-size")


@pytest.fixture
def records(run_assay, assay, room):
    return Records(Caller(run_assay, assay, room / "here"))


SAID = {"first_is_enough", "first_is_enough_lower", "first_is_enough_upper", "held_on_average", "held_on_average_once"}


def test_of_three_runs_it_is_not_said_how_often_the_first_is_enough(records):
    """It was said to be 79 %, and was 55 %."""
    for memory in (1000, 1400, 2600):
        records.write(memory)
    memory = records.json("runs", "--policy", "retry")["memory_bytes"]
    text = records.text("runs", "--policy", "retry")

    assert len(memory["steps"]) > 1 and memory["tried"] == 0 and not SAID & set(memory)
    assert "after a failure" in text and "How often the first is enough is not known: it takes 10 runs to say." in text and "held" not in text


def test_what_retries_are_said_to_come_to_is_true(records):
    """Of 20 runs with a spread of 50 %, 60 times: the part of the next runs for which the first amount is enough, and what they hold, are what is said. Each was 8 % off."""
    generator = random.Random(16)
    said = is_ = held = held_is = inside = 0
    for _ in range(60):
        names = [records.write(1000 * math.exp(generator.gauss(0, 0.5)), time={"started": "2026-01-01T00:00:00Z"}) for _ in range(20)]
        memory = records.json(*names, "--policy", "retry")["memory_bytes"]
        steps = [step / MIB for step in memory["steps"]]
        enough = 0
        for _ in range(1000):
            need = 1000 * math.exp(generator.gauss(0, 0.5)) + 16
            asked = iter([*steps, *(steps[-1] * 2 ** i for i in range(1, 9))])
            enough += need <= steps[0]
            for amount in asked:
                held_is += amount / 1000
                if need <= amount:
                    break
        said += memory["first_is_enough"]
        is_ += enough / 1000
        held += memory["held_on_average"] / MIB
        inside += memory["first_is_enough_lower"] <= enough / 1000 <= memory["first_is_enough_upper"]

    assert abs(said - is_) / 60 < 0.04
    assert abs(held / held_is - 1) < 0.04
    assert inside >= 54


@pytest.mark.parametrize("drift", [1.02, 0.98])
def test_of_runs_that_drift_it_is_not_said(records, drift):
    for number in range(30):
        records.write(1000 * drift ** number * (1 if number % 3 else 1.4))
    memory = records.json("runs", "--policy", "retry")["memory_bytes"]

    assert memory["tried"] == 0 and not SAID & set(memory)
    if len(memory["steps"]) > 1:
        assert "is not known: the runs drift" in records.text("runs", "--policy", "retry")


def test_where_runs_were_cut_off_what_was_held_is_not_said(records):
    generator = random.Random(1)
    for _ in range(30):
        records.write(1000 * math.exp(generator.gauss(0, 0.5)), time={"started": "2026-01-01T00:00:00Z"})
    records.write(1900, time={"started": "2026-01-01T00:00:00Z"},
                  outcome={"signal": 9, "signal_name": "SIGKILL", "words": "killed by SIGKILL (the kernel's OOM killer: x)", "evidence": "x"})
    memory = records.json("runs", "--policy", "retry")["memory_bytes"]

    assert memory["request"] < 1900 * MIB and memory["tried"] == 31
    assert "first_is_enough" in memory and "held_on_average" not in memory
    assert "What was held is not known: runs were cut off." in records.text("runs", "--policy", "retry")


def test_the_text_says_what_the_numbers_do(records):
    for number in range(40):
        records.write(1000 if number % 4 == 3 else 100, time={"started": "2026-01-01T00:00:00Z"})
    memory = records.json("runs", "--policy", "retry")["memory_bytes"]
    text = records.text("runs", "--policy", "retry")

    assert (memory["tried"], memory["first_is_enough"]) == (40, 0.75)
    assert "Tried on each of 40 runs by what the others alone lead to, the first was enough for 30: 75 %" in text
    assert f"They held {100 * memory['held_on_average'] / memory['held_on_average_once']:.0f} % of what asking first for" in text


# Runs in an order

def test_of_runs_like_the_one_before_the_next_step_is_asked_for_and_the_promise_has_its_condition(records):
    """It rose by 10 % at the most, from one run to the next: from the last on that is above all that were seen."""
    level, names = 1000, []
    for number in range(30):
        level *= (1.1, 1.06, 0.98, 1.02, 1.04, 0.97)[number % 6] if number < 24 else 1.01
        names.append(records.write(level))
    memory = records.json(*names, "--confidence", "0.5")["memory_bytes"]
    text = records.text(*names, "--confidence", "0.5")

    assert memory["serial"] is True and memory["confidence"] == 0
    assert "if it differs from the last as each did from the one before" in text and "of all future runs nothing is known" in text
    assert "whatever the distribution" not in text.partition(" time ")[0]
    assert "Each run is like the one before it" in text


def test_whatever_the_distribution_has_its_condition(records):
    for number in range(20):
        records.write(1000 + 10 * (number * 7 % 20))

    text = records.text("runs")
    assert "serial" not in records.json("runs")["memory_bytes"]
    assert "enough for the next run with a chance of 95.2 %, whatever the distribution, if it is one of the same kind" in text


def test_a_drift_of_one_percent_is_followed_before_it_is_plain(records):
    """Twenty runs that grow by 1 % with a spread of 3 %."""
    generator = random.Random(3)
    for number in range(20):
        records.write(1000 * 1.01 ** number * math.exp(generator.gauss(0, 0.03)))

    assert 0 < records.json("runs")["memory_bytes"]["drift"] < 0.02


# Figures that add up

SHARED = ("at most 2 processes were alive at once, none above the largest; 150 MiB of new shared memory (tmpfs, memfd) on this machine was mapped by no process of the "
          "job and is not in the lower bound")


def with_strangers_tmpfs(records, in_cgroup, **more):
    return records.write(value(100 * MIB, "cgroup_memory_nonreclaimable_peak_bytes", "lower_bound", lower=100 * MIB, upper=250 * MIB, why=SHARED), ticks=10,
                         summary={"cgroup_peak_memory_shmem_bytes": value(in_cgroup * MIB, "cgroup_memory_shmem_bytes", "sampled")}, **more)


@pytest.mark.parametrize("in_cgroup", [0, 46, 150])
def test_what_strangers_wrote_to_shared_memory_is_not_in_the_surcharge(records, in_cgroup):
    """46 MiB were the job's at the most, of 150: it stands on those and 100 MiB, of which at most 100 MiB (but for three digits of words) may be."""
    run = with_strangers_tmpfs(records, in_cgroup)
    memory = records.json(run)["memory_bytes"]

    assert memory["seen"]["max"] == (100 + in_cgroup) * MIB
    assert (100 + in_cgroup) * MIB <= memory["stands_on"] <= (101 + in_cgroup) * MIB
    assert memory.get("new_shared", 0) == in_cgroup * MIB


@pytest.mark.parametrize("runs", [1, 5, 25])
@pytest.mark.parametrize("quality, more", [("exact", {}), ("lower_bound", {"lower": 100 * MIB, "upper": GIB}), ("sampled", {})])
@pytest.mark.parametrize("key", ["proc_hwm_bytes", "cgroup_memory_nonreclaimable_peak_bytes"])
def test_the_amounts_of_a_request_add_up(records, runs, quality, more, key):
    for number in range(runs):
        records.write(value((100 + number * 7 % 25) * MIB, key, quality, **more), ticks=16)
    memory = records.json("runs")["memory_bytes"]
    text = records.text("runs")
    of_run = memory["measured_part"] + memory["missed_part"] + memory["kernel_part"]

    assert of_run == pytest.approx(memory["stands_on"])
    assert memory["around"] == 16 * MIB
    amount = of_run * memory["margin"] + memory["around"]
    assert amount <= memory["request"] < amount * 1.05 + MIB
    assert (memory["missed_part"] > 0) == (quality != "exact") and (memory["kernel_part"] > 0) == (key == "proc_hwm_bytes")
    assert f"The request is {memory['measured_part'] // MIB} MiB of a run" in text and "16 MiB for what is around the job" in text
    assert ("that it may have missed" in text) == (quality != "exact") and ("that the kernel takes" in text) == (key == "proc_hwm_bytes")
    assert (", times " in text) == (runs < 19)


def test_time_has_an_allowance_for_what_is_around_the_command(records):
    for _ in range(25):
        records.write(100, wall=600)
    time = records.json("runs")["wall_seconds"]

    assert (time["stands_on"], time["around"], time["request"]) == (600, 30, 660)
    assert "--time=00:11:00" in records.text("runs") and "30 s for what is before and behind the command" in records.text("runs")


def test_times_of_sacct_are_of_whole_jobs(records):
    records.call.write("jobs.txt", "JobID|JobName|State|ExitCode|Start|Elapsed|AllocCPUS\n" + "".join(
        f"{number}|a|COMPLETED|0:0|2026-01-{number:02}T10:00:00|00:09:59|1\n" for number in range(1, 26)))
    called = records.call("size", "--json", "jobs.txt")
    time = parse(called.out, "assay-size")["wall_seconds"]

    assert (time["stands_on"], time["around"], time["request"]) == (600, 0, 600)
