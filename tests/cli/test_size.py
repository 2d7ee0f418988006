# SPDX-License-Identifier: MIT
"""What size asks for from made-up runs, how sure it says that is, and what it refuses to make a number from."""
import itertools
import json
import os
import random
import re
import shutil
import subprocess

import pytest

from calling import Caller
from handmade import columns_of
from support import REPOSITORY, parse

MIB = 1 << 20
GIB = 1 << 30
FINE = {"exit_code": 0, "words": "exited 0", "evidence": "wait status 0"}
FAILED = {"exit_code": 3, "words": "exited 3", "evidence": "wait status 3"}
KILLED = {"signal": 9, "signal_name": "SIGKILL", "words": "killed by SIGKILL", "evidence": "wait status 9"}
CUT_OFF = {"name": "wall", "unit": "seconds", "limit": 600, "value": 600.1, "key": "tree_elapsed_seconds", "after_seconds": 600.1,
           "soft_signal": "SIGTERM", "killed": False, "emptied": True}


def value(number, key, quality="exact", **bounds):
    return {"value": number, "quality": quality, "key": key, **bounds}


class Records:
    """Writes info files of made-up runs, one day after the other, and calls the verb on them."""

    def __init__(self, caller):
        self.call, self.numbers = caller, itertools.count(1)

    def write(self, memory=None, wall=600, cores=1.0, argv=("job",), outcome=FINE, **members):
        """memory: MiB, exact and charged to a cgroup of the job's own."""
        number = next(self.numbers)
        headline = {"wall_seconds": value(wall, "tree_elapsed_seconds"), "cpu_mean_cores": value(cores, "cgroup_cpu_seconds"),
                    "cpu_seconds": value(cores * wall, "cgroup_cpu_seconds")}
        if memory is not None:
            headline["memory_peak_bytes"] = value(int(memory * MIB), "cgroup_memory_nonreclaimable_peak_bytes")
        headline.update(members.pop("headline", {}))
        if "ticks" in members:
            members["self"] = {"ticks": members.pop("ticks")}
        info = {"schema": "assay-run", "version": "1.0", "state": "done", "id": f"run-{number:04}",
                "program": {"name": "assay", "version": "0.1.0"}, "command": {"text": " ".join(argv), "argv": list(argv)},
                "files": {"info": "info.json", "prefix": ""}, "host": {"hostname": "one"}, "measurements": [], "notes": [],
                "time": {"started": f"2026-{1 + number // 28:02}-{1 + number % 28:02}T10:00:00Z", "utc_offset": "+00:00", "wall_seconds": wall},
                "headline": headline, "outcome": outcome, **members}
        self.call.write(f"runs/{number:04}/info.json", json.dumps(info))
        return f"runs/{number:04}"

    def several(self, memories, **members):
        """In an order without a drift."""
        memories = list(memories)
        random.Random(1).shuffle(memories)
        return [self.write(memory, **members) for memory in memories]

    def size(self, *words, status=0):
        called = self.call("size", *words)
        assert called.status == status, (called.status, called.out, called.err)
        return called

    def json(self, *words, status=0):
        return parse(self.size("--json", *words, status=status).out, "assay-size")


@pytest.fixture
def records(run_assay, assay, room):
    return Records(Caller(run_assay, assay, room / "here"))


def test_of_twenty_runs_the_largest_is_asked_for_and_promises_95_percent(records):
    records.several([100 * i for i in range(1, 21)])
    memory = records.json("runs")["memory_bytes"]

    assert memory["method"] == "rank" and memory["rank"] == 20 and memory["runs"] == 20
    assert memory["promise"] == pytest.approx(20 / 21)
    assert memory["stands_on"] == 2000 * MIB
    # With 16 MiB for what is around the job it is the next 64th of 2 GiB.
    assert memory["request"] == 2016 * MIB
    assert memory["seen"] == {"min": 100 * MIB, "median": 1050 * MIB, "max": 2000 * MIB}
    assert memory["key"] == "cgroup_memory_nonreclaimable_peak_bytes" and memory["quality"] == "exact"


def test_of_one_run_a_margin_is_asked_for_and_only_half_is_promised(records):
    run = records.write(1000)
    sized = records.json(run)

    assert sized["memory_bytes"]["method"] == "margin"
    assert sized["memory_bytes"]["margin"] == pytest.approx(2.28387, rel=1e-4)
    assert sized["memory_bytes"]["promise"] == 0.5
    assert sized["memory_bytes"]["runs_needed"] == 19
    text = records.size(run).out
    assert "One run alone would cover the next with 50 %" in " ".join(text.split()) and "With 19 runs no extra is needed" in " ".join(text.split())


def test_a_source_that_may_miss_some_gets_more_than_an_exact_one_but_not_beyond_its_bound(records):
    exact, lower, bounded = (records.write(headline={"memory_peak_bytes": memory}) for memory in (
        value(1000 * MIB, "cgroup_memory_nonreclaimable_peak_bytes"),
        value(1000 * MIB, "cgroup_memory_nonreclaimable_peak_bytes", "lower_bound"),
        value(1000 * MIB, "cgroup_memory_nonreclaimable_peak_bytes", "lower_bound", lower=1000 * MIB, upper=1020 * MIB)))
    stands_on = [records.json(run)["memory_bytes"]["stands_on"] / MIB for run in (exact, lower, bounded)]

    assert stands_on == pytest.approx([1000, 1100, 1020])


def test_of_few_samples_more_is_added_than_of_many(records):
    few, many = (records.write(headline={"memory_peak_bytes": value(1000 * MIB, "cgroup_memory_nonreclaimable_peak_bytes", "lower_bound")},
                               ticks=ticks) for ticks in (4, 10000))

    assert records.json(few)["memory_bytes"]["stands_on"] == pytest.approx(1600 * MIB)
    assert records.json(many)["memory_bytes"]["stands_on"] == pytest.approx(1110 * MIB)


def test_memory_measured_in_processes_gets_what_the_kernel_needs_for_them(records):
    run = records.write(headline={"memory_peak_bytes": value(1000 * MIB, "proc_hwm_bytes", "exact")})

    assert records.json(run)["memory_bytes"]["stands_on"] == pytest.approx((1020 + 4) * MIB)


def test_files_in_shared_memory_are_asked_for(records):
    """A real run that keeps 40 MiB in /dev/shm, which no process of it maps."""
    path = f"/dev/shm/assay-size-{os.getpid()}"
    ran = records.call("run", "-i", "100ms", "-p", "shm/", "--", "sh", "-c", f"dd if=/dev/zero of={path} bs=1M count=40; sleep 0.7; rm {path}")
    assert ran.status == 0
    memory = records.json("shm")["memory_bytes"]

    # Of others on the machine more may have come meanwhile.
    assert memory["new_shared"] >= 36 * MIB
    assert memory["seen"]["max"] >= memory["new_shared"] and memory["request"] >= 2 * 40 * MIB
    assert "of shared memory (tmpfs, memfd) that came during a run" in " ".join(records.size("shm").out.split())


def test_memory_that_was_swapped_out_is_asked_for(records):
    for _ in range(20):
        records.write(headline={"memory_peak_bytes": value(1000 * MIB, "proc_hwm_bytes", "lower_bound", lower=1000 * MIB, upper=1010 * MIB)},
                      summary={"proc_peak_swap_total_bytes": value(8 * GIB, "proc_swap_total_bytes", "upper_bound")})
    memory = records.json("runs")["memory_bytes"]

    assert memory["swapped"] == 8 * GIB and memory["seen"]["max"] == 8 * GIB + 1000 * MIB
    # Never more than both upper bounds together, with 2 % and 4 MiB for the kernel's own.
    assert memory["stands_on"] == pytest.approx((8 * 1024 + 1010) * MIB * 1.02 + 4 * MIB)
    assert "up to 8 GiB that was swapped out" in " ".join(records.size("runs").out.split())


def test_runs_that_were_killed_or_cut_off_count_as_that_or_more(records):
    records.several([1000] * 18)
    records.write(4096, outcome=KILLED)
    memory = records.json("runs")["memory_bytes"]

    assert memory["method"] == "next_try" and memory["cut_off"] == 1
    assert memory["promise"] == pytest.approx(18 / 20)
    assert memory["request"] >= 2 * 4096 * MIB


def test_the_run_that_was_cut_off_is_named_with_what_it_reached_and_no_other(records):
    """Needs fall from 5000 to 3100 MiB; one that was killed at 4500 in the end needs that or more, and 5000 of the first run is no next to try."""
    for number in range(20):
        records.write(5000 - 100 * number)
    records.write(4500, outcome=KILLED)
    text = " ".join(records.size("runs").out.split())

    assert "of 1 of 21 runs only a least is known, one at 4.39 GiB" in text


def test_a_run_that_failed_early_takes_little_from_the_promise(records):
    records.several([1000 + i for i in range(20)])
    records.write(10, wall=1, outcome=FAILED)
    sized = records.json("runs")

    assert sized["memory_bytes"]["method"] == "rank" and sized["memory_bytes"]["stands_on"] == 1019 * MIB
    assert sized["outcomes"] == {"done": 20, "failed": 1}
    assert sized["wall_seconds"]["request"] == 660


def test_one_failed_run_makes_no_request_and_names_what_to_try(records):
    run = records.write(4096, outcome=KILLED)
    called = records.size(run, status=1)

    assert "no request: no run is known to have finished" in called.out and "The next to try is 8.25 GiB" in " ".join(called.out.split())
    sized = records.json(run, status=1)
    assert "request" not in sized["memory_bytes"] and sized["memory_bytes"]["next_try"] == 8 * GIB + 256 * MIB, "twice, what is around the job, rounded"
    called = records.size(run, "--format", "slurm", status=1)
    assert "--mem" not in called.out and "memory: no request" in called.err


def test_a_run_that_a_time_limit_ended_says_nothing_of_how_long_it_takes(records):
    run = records.write(100, limit_hit=CUT_OFF, outcome=KILLED)

    assert "request" not in records.json(run, status=1)["wall_seconds"]


def test_what_was_not_measured_is_not_asked_for(records):
    run = records.write(None)
    sized = records.json(run, status=1)

    assert "request" not in sized["memory_bytes"] and sized["memory_bytes"]["runs"] == 0
    assert sized["wall_seconds"]["request"] > 0
    called = records.size(run, "--format", "slurm", status=1)
    assert "--mem" not in called.out and "--time=" in called.out


def test_runs_that_failed_early_do_not_make_needs_look_as_if_they_fell(records):
    for _ in range(6):
        records.write(10 * 1024)
    for _ in range(9):
        records.write(100, wall=2, outcome=FAILED)
    memory = records.json("runs")["memory_bytes"]

    assert "drift" not in memory and memory["stands_on"] == 10 * GIB and memory["request"] > 10 * GIB


@pytest.mark.parametrize("time", [{}, {"started": "2026-01-02T10:00:00Z"}], ids=["no starts", "one start"])
def test_runs_of_which_nobody_knows_the_order_have_no_drift(records, time):
    for number in range(20):
        records.write(5000 - 200 * number, time={"utc_offset": "+00:00", "wall_seconds": 600, **time})
    memory = records.json("runs")["memory_bytes"]

    assert "drift" not in memory and memory["method"] == "rank" and memory["stands_on"] == 5000 * MIB


def test_what_a_drift_moved_is_not_said_to_be_the_largest_run(records):
    for number in range(12):
        records.write(1000 * 1.1 ** number)
    text = " ".join(records.size("runs").out.split())

    assert "times the largest of 12 runs, moved on to the next one's place." in text and "each whole one needs 10 % more" in text


def test_a_covariate_at_which_no_run_was_whole_is_beyond_what_was_seen(records):
    for number in (1, 7, 3, 12, 5, 9, 2, 11, 4, 10, 6, 8):
        records.write(100 + 50 * number, tags={"x": str(number)}, outcome=KILLED if number > 6 else FINE)
    memory = records.json("runs", "--by", "tag:x=12")["memory_bytes"]

    assert memory["beyond"] is True and memory["promise"] == 0
    assert "no promise. A line through 6 of them" in " ".join(records.size("runs", "--by", "tag:x=12").out.split())
    assert records.json("runs", "--by", "tag:x")["memory_bytes"]["at"] == 6


@pytest.mark.parametrize("words", [[], ["runs"], ["--where", "memory_peak_bytes > 1GiB"], ["--waste"]], ids=" ".join)
def test_of_no_runs_nothing_is_made(records, words):
    called = records.call("size", *words)

    assert called.status == 2 and called.out == ""
    assert re.fullmatch(r"assay: [^\n]+\n", called.err)


def test_runs_of_several_commands_are_refused_with_their_names(records):
    records.write(100, argv=["python3", "train.py"])
    records.write(100, argv=["python3", "test.py"])
    called = records.size("runs", status=2)

    assert called.out == "" and "train.py" in called.err and "test.py" in called.err and "--like" in called.err
    assert records.json("runs", "--mixed")["runs"] == 2


def test_like_takes_the_runs_of_the_same_job_with_other_inputs_and_numbers(records):
    same = records.write(100, argv=["bwa", "mem", "-t", "8", "ref.fa", "a_1.fq.gz"])
    records.write(200, argv=["/opt/bin/bwa", "mem", "-t", "4", "other.fa", "b_1.fq.gz"])
    records.write(900, argv=["bwa", "index", "ref.fa"])

    sized = records.json("runs", "--like", same)
    assert sized["runs"] == 2 and sized["memory_bytes"]["seen"]["max"] == 200 * MIB
    assert sized["job"].startswith("bwa mem -t * ")


def test_without_words_the_job_that_ran_last_is_sized(records):
    for number, argv in ((1, "first"), (2, "last"), (3, "last")):
        run = records.write(100 * number, argv=[argv])
        os.makedirs(records.call.here / ".assay/runs", exist_ok=True)
        os.rename(records.call.here / run, records.call.here / ".assay/runs" / str(number))

    sized = records.json()
    assert sized["job"] == "last" and sized["runs"] == 2


def test_where_chooses_runs_and_the_same_run_counts_once(records):
    names = records.several([100, 200, 3000])

    assert records.json("runs", "--where", "memory_peak_bytes < 1GiB")["runs"] == 2
    assert records.json("runs", *names)["runs"] == 3


def test_a_covariate_is_followed_to_the_next_input(records):
    for number in (1, 7, 3, 12, 5, 9, 2, 11, 4, 10, 6, 8):
        records.write(100 + 50 * number, tags={"samples": str(number)})
    memory = records.json("runs", "--by", "tag:samples=20")["memory_bytes"]

    assert memory["fixed"] == pytest.approx(100 * MIB) and memory["slope"] == pytest.approx(50 * MIB)
    assert memory["beyond"] is True and memory["promise"] == 0
    assert memory["request"] >= 1100 * MIB
    assert records.json("runs", "--by", "tag:samples")["memory_bytes"]["at"] == 12


@pytest.mark.parametrize("tag", ["inf", "nan", "1e200", "1e-200", "0x10", "12GB", "12 G", "1,000", "-3", "0", "", "many\x1b"])
def test_a_covariate_that_is_no_number_is_missing_and_shown(records, tag):
    for number in (1, 7, 3, 5, 2, 4, 8, 6):
        records.write(100 + 50 * number, tags={"samples": str(number)})
    records.write(5000, tags={"samples": tag})
    records.write(5000)
    called = records.size("--json", "runs", "--by", "tag:samples=8")
    memory = parse(called.out, "assay-size")["memory_bytes"]

    assert memory["runs"] == 8 and memory["fixed"] == pytest.approx(100 * MIB) and memory["slope"] == pytest.approx(50 * MIB)
    shown = tag.replace("\x1b", r"\e")
    assert called.err == (f"assay: --by tags.samples: 1 run left out whose value is no number from 1e-18 to 1e+18 (the first: '{shown}'); "
                          "a size is written as 12G or 12GiB\n")


@pytest.mark.parametrize("largest", ["1e18", "1e-18"])
def test_a_covariate_of_any_size_that_is_taken_has_its_slope(records, largest):
    for number in (1, 4, 2, 3, 5):
        records.write(100 + 50 * number, tags={"samples": f"{number * float(largest) / 5 if largest == '1e18' else number * 1e-18}"})
    memory = records.json("runs", "--by", "tag:samples")["memory_bytes"]

    assert memory["runs"] == 5 and memory["fixed"] == pytest.approx(100 * MIB)
    assert memory["slope"] == pytest.approx(50 * MIB / (2e17 if largest == "1e18" else 1e-18))


def test_input_bytes_of_a_tag_that_is_no_number_are_not_made_up(records):
    for number in (1, 4, 2, 3, 5):
        os.utime(records.call.write(f"in{number}.dat", b"x" * (number * 1000)), (1, 1_700_000_000))
        records.write(100 * number, argv=["job", f"in{number}.dat"], working_directory=str(records.call.here),
                      **({"tags": {"input_bytes": "5KB"}} if number == 5 else {}))
    called = records.size("--json", "runs", "--by", "input_bytes=3000")

    assert parse(called.out, "assay-size")["memory_bytes"]["runs"] == 4 and "'5KB'" in called.err


def test_input_bytes_are_those_of_the_files_that_the_command_names(records):
    for number in (1, 4, 2, 3, 5):
        # The runs are of 2026: what was written before they began is an input, and the rest an output.
        os.utime(records.call.write(f"in{number}.dat", b"x" * (number * 1000)), (1, 1_700_000_000))
        # The tenth of a second counts: short runs write within the second in which they began.
        out = records.call.write(f"out{number}.dat", b"x" * (number * 1000))
        os.utime(out, ns=(0, 1_767_348_000_800_000_000))
        records.write(100 * number, argv=["job", f"in{number}.dat", "-o", f"out{number}.dat"], working_directory=str(records.call.here),
                      time={"started": "2026-01-02T10:00:00.700000Z", "utc_offset": "+00:00", "wall_seconds": 600})
    memory = records.json("runs", "--by", "input_bytes=3000")["memory_bytes"]

    assert memory["slope"] == pytest.approx(100 * MIB / 1000) and memory["fixed"] == pytest.approx(0, abs=1)


@pytest.mark.parametrize("n, tag", [(3, "samples"), (5, "none")])
def test_a_covariate_that_too_few_runs_have_is_refused(records, n, tag):
    for number in range(n):
        records.write(100 + number, tags={"samples": str(number + 1)})
    called = records.size("runs", "--by", f"tag:{tag}", status=2)

    assert called.out == "" and "--by" in called.err


def test_retries_ask_for_little_first_and_more_after_a_failure(records):
    records.several([100] * 30 + [1000] * 10)
    memory = records.json("runs", "--policy", "retry")["memory_bytes"]

    assert len(memory["steps"]) >= 2 and memory["steps"] == sorted(memory["steps"])
    assert memory["request"] == memory["steps"][0] < 200 * MIB
    assert memory["held_on_average"] < memory["held_on_average_once"] / 2
    assert 0.7 < memory["first_is_enough"] < 0.8
    assert "after a failure" in " ".join(records.size("runs", "--policy", "retry").out.split())


def test_what_retries_hold_is_reckoned_in_what_is_asked_for(records):
    """Asked for are 19 and 24 MiB: half of the runs at 19 and all others at 19 and 24 would be more than all at 24."""
    records.several([3] * 20 + [8] * 20)
    memory = records.json("runs", "--policy", "retry")["memory_bytes"]

    assert memory["request"] == 24 * MIB and memory["first_is_enough"] > 0.97
    assert memory["held_on_average"] <= memory["held_on_average_once"] <= 25 * MIB


def test_the_last_retry_keeps_the_target_and_no_more_is_said_than_the_forms_do(records):
    records.several([[100, 200, 400][i % 3] * (1 + (i * 3 % 10) / 50) for i in range(10)])
    words = ["runs", "--target", "0.999"]
    once = records.json(*words)["memory_bytes"]["request"]
    memory = records.json(*words, "--policy", "retry")["memory_bytes"]

    assert 1 < len(memory["steps"]) <= 4 and memory["steps"][-1] == once > 2 * memory["steps"][0]
    assert f"{once // MIB}][Math.min" in records.size(*words, "--policy", "retry", "--format", "nextflow").out
    assert "twice as much" not in " ".join(records.size(*words, "--policy", "retry").out.split())


def test_of_runs_without_one_cut_off_no_step_is_twice_the_largest(records):
    for n in range(20, 30):
        names = records.several([500 * 1.05 ** i for i in range(n)], argv=[f"job{n}"])
        memory = records.json(*names, "--policy", "retry")["memory_bytes"]
        assert memory["steps"][-1] < 2 * memory["seen"]["max"], (n, memory)


@pytest.mark.parametrize("words", [["--by", "tag:x=100"], []], ids=["beyond", "next try"])
def test_with_retries_as_without_nothing_is_promised_where_nothing_is_known(records, words):
    for number in range(12):
        records.write(100 + 50 * (number * 7 % 12) * (1 + .05 * (number * 5 % 7)), tags={"x": str(number * 7 % 12 + 1)})
    if not words:
        records.several([4000] * 6, outcome=KILLED)
    once, retry = (records.size("runs", *words, *policy).out for policy in ([], ["--policy", "retry"]))
    memory = records.json("runs", *words, "--policy", "retry")["memory_bytes"]

    assert once == retry and "no promise" in " ".join(retry.split())
    assert not {"steps", "first_is_enough", "held_on_average"} & set(memory)


def test_a_course_of_cpu_says_what_fewer_cores_would_cost(records):
    """10 s with 3.5 cores in use and 10 s with 1: on 2 cores it takes 1.375 times as long, on 3 cores 1.083 times."""
    run = records.write(100, wall=20, cores=2.25, measurements=[{"key": "tree_cpu_percent"}])
    windows = [{"schema": "assay-usage", "version": "1.0", "sequence": i, "time": "2026-01-02T10:00:00Z", "start_seconds": i * 10,
                "end_seconds": i * 10 + 10, "samples": 10, "values": {"tree_cpu_seconds": {"delta": seconds}}, "processes": []}
               for i, seconds in enumerate((35, 10))]
    records.call.write(f"{run}/usage.jsonl", "".join(json.dumps(window) + "\n" for window in windows))
    cpus = records.json(run)["cpus"]

    assert cpus["request"] == 4
    assert [(c["cores"], c["median_stretch"]) for c in cpus["choices"]] == [
        (1, pytest.approx(2.25)), (2, pytest.approx(1.375)), (3, pytest.approx((10 * 3.5 / 3 + 10) / 20)), (4, 1)]
    assert records.json(run, "--slowdown", "10%")["cpus"]["request"] == 3
    # What has to wait takes longer.
    assert records.json(run, "--slowdown", "40%")["wall_seconds"]["stands_on"] == pytest.approx(20 * 1.375)


@pytest.mark.parametrize("course", [True, False])
def test_a_run_with_more_cores_than_asked_for_takes_longer_with_a_course_and_without(records, course):
    """Of 21 runs 7 had 16 cores in use for 200 s: on the 2 cores that are enough for 60 % of the runs they take 1600 s."""
    for number in range(21):
        wide = number % 3 == 0
        wall = 200 if wide else 100 + number * 13 % 21 * 60
        run = records.write(1000, wall=wall, cores=16 if wide else 2, measurements=[{"key": "tree_cpu_percent"}])
        window = {"schema": "assay-usage", "version": "1.0", "sequence": 0, "time": "2026-01-02T10:00:00Z", "start_seconds": 0, "end_seconds": wall,
                  "samples": 10, "values": {"tree_cpu_seconds": {"delta": wall * (16 if wide else 2)}}, "processes": []}
        if course:
            records.call.write(f"{run}/usage.jsonl", json.dumps(window) + "\n")
    sized = records.json("runs", "--target", "60%")

    assert sized["cpus"]["request"] == 2 and sized["wall_seconds"]["stands_on"] == 1300


def test_of_many_damaged_series_three_are_named_and_the_others_counted(records):
    """The second of their two windows is of the third."""
    for number in range(5):
        run = records.write(100 + number, wall=30, measurements=[{"key": "tree_cpu_percent"}])
        windows = [{"schema": "assay-usage", "version": "1.0", "sequence": i, "time": "2026-01-02T10:00:00Z", "start_seconds": i * 10,
                    "end_seconds": i * 10 + 10, "samples": 10, "values": {"tree_cpu_seconds": {"delta": 10}}, "processes": []} for i in (0, 2)]
        records.call.write(f"{run}/usage.jsonl", "".join(json.dumps(window) + "\n" for window in windows))
    called = records.size("runs", status=1)

    assert called.err.splitlines() == [
        *(f"assay: runs/000{number}/usage.jsonl: 1 window of its series is missing" for number in (1, 2, 3)),
        "assay: of 2 more runs the series is damaged or not whole"]
    assert "5 runs" in called.out


def test_of_a_run_that_is_over_a_torn_last_line_is_a_window_that_is_missing(records):
    run = records.write(100, wall=30, measurements=[{"key": "tree_cpu_percent"}])
    windows = [{"schema": "assay-usage", "version": "1.0", "sequence": i, "time": "2026-01-02T10:00:00Z", "start_seconds": i * 10,
                "end_seconds": i * 10 + 10, "samples": 10, "values": {"tree_cpu_seconds": {"delta": 10 + 50 * i}}, "processes": []} for i in range(2)]
    lines = "".join(json.dumps(window) + "\n" for window in windows)
    records.call.write(f"{run}/usage.jsonl", lines)
    assert records.json(run)["cpus"]["request"] == 6
    records.call.write(f"{run}/usage.jsonl", lines[:-20])
    assert records.size(run, status=1).err == f"assay: {run}/usage.jsonl: 1 window of its series is missing\n"


def test_each_run_that_is_named_is_read_once(records, strace):
    runs = records.several([100, 110, 120])
    call = records.call
    done = subprocess.run([strace, "-f", "-qq", "-e", "trace=openat", "-o", str(call.here / "trace"), str(call.program), "size", *runs],
                          cwd=call.here, env=call.run_assay.environment({"HOME": str(call.here / "home"), "ASAN_OPTIONS": "detect_leaks=0"}),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    opened = [line for line in (call.here / "trace").read_text().splitlines() if 'info.json"' in line]

    assert b"3 runs" in done.stdout, done.stderr
    assert len(opened) == 3, opened


def test_without_a_course_the_cores_in_use_on_average_are_asked_for(records):
    assert records.json(records.write(100, cores=2.25))["cpus"]["request"] == 3


def test_a_file_that_holds_several_runs_stands_for_all_of_them(records):
    """Two jobs of sacct: they have no command, and are taken for one."""
    table = ("JobID|JobName|State|ExitCode|Start|End|ElapsedRaw|AllocCPUS|ReqMem|MaxRSS|TotalCPU\n"
             "1|a|COMPLETED|0:0|2026-11-01T10:00:00|2026-11-01T11:00:00|3600|2|4Gn||01:00:00\n"
             "1.batch|batch|COMPLETED|0:0|2026-11-01T10:00:00|2026-11-01T11:00:00|3600|2|4Gn|1048576K|01:00:00\n"
             "2|a|COMPLETED|0:0|2026-11-02T10:00:00|2026-11-02T12:00:00|7200|2|4Gn||01:00:00\n"
             "2.batch|batch|COMPLETED|0:0|2026-11-02T10:00:00|2026-11-02T12:00:00|7200|2|4Gn|2097152K|01:00:00\n")
    records.call.write("sacct.txt", table)
    sized = records.json("sacct.txt", "--mixed")

    assert sized["runs"] == 2 and sized["memory_bytes"]["seen"]["max"] == 2 * GIB and sized["memory_bytes"]["quality"] == "lower_bound"
    assert sized["wall_seconds"]["seen"] == {"min": 3600, "median": 5400, "max": 7200}


def test_copies_of_a_record_count_once(records):
    """One run promises half, however often its directory was copied."""
    run = records.write(1000)
    for number in range(19):
        shutil.copytree(records.call.here / run, records.call.here / f"runs/copy-{number}")
    called = records.size("--json", "runs")
    memory = parse(called.out, "assay-size")["memory_bytes"]

    assert memory["runs"] == 1 and memory["method"] == "margin" and memory["promise"] == 0.5
    assert called.err == "assay: 19 copies of runs were left out: each run counts once\n"


@pytest.mark.parametrize("members", [
    {"host": {"hostname": "two"}}, {"id": "another"}, {"target": {"kind": "tree", "text": "tree:7"}},
    {"time": {"started": "2026-01-02T10:00:00.000001Z", "wall_seconds": 600}}], ids=lambda members: next(iter(members)))
def test_runs_that_have_nearly_all_in_common_are_not_one(records, members):
    run = records.write(1000)
    info = json.loads((records.call.here / run / "info.json").read_text())
    records.call.write("runs/other/info.json", json.dumps({**info, **members}))
    called = records.size("--json", "runs")

    assert parse(called.out, "assay-size")["runs"] == 2 and called.err == ""


def test_of_copies_the_one_that_was_written_when_the_run_was_over_counts(records):
    run = records.write(1000)
    info = json.loads((records.call.here / run / "info.json").read_text())
    for name in ("0000", "9999"):
        records.call.write(f"runs/{name}/info.json", json.dumps({**info, "state": "running"}))
    sized = records.json("runs")

    assert sized["runs"] == 1 and sized["outcomes"] == {"done": 1}


SACCT_HEAD = "JobID|JobName|State|ExitCode|Start|End|ElapsedRaw|AllocCPUS|ReqMem|MaxRSS|TotalCPU\n"


def jobs_of_sacct(numbers, state="COMPLETED"):
    return SACCT_HEAD + "".join(
        f"{n}|a|{state}|0:0|2026-11-{n:02}T10:00:00|2026-11-{n:02}T11:00:00|3600|2|4Gn||01:00:00\n"
        f"{n}.batch|batch|{state}|0:0|2026-11-{n:02}T10:00:00|2026-11-{n:02}T11:00:00|3600|2|4Gn|{1000 + n}M|01:00:00\n" for n in numbers)


def test_a_file_that_was_imported_twice_counts_once(records):
    records.call.write("sacct.txt", jobs_of_sacct(range(1, 21)))
    for _ in range(2):
        assert records.call("import", "--output-prefix", "imported/{pid}/", "sacct.txt").status == 0
    called = records.size("--json", "--mixed", "imported", "sacct.txt")

    assert parse(called.out, "assay-size")["runs"] == 20
    assert called.err.startswith("assay: 40 copies of runs were left out: each run counts once\n")


@pytest.mark.parametrize("name", ["psrecord/log.csv", "prmon/prmon.json", "con-duct/0.2.2_info.json"])
def test_an_import_of_what_has_no_id_is_known_by_all_that_it_tells(records, name):
    source = str(REPOSITORY / "tests/fixtures/foreign" / name)
    for _ in range(2):
        assert records.call("import", "--output-prefix", "imported/{pid}/", source).status == 0
    called = records.size("--waste", "--json", "imported", source)

    assert parse(called.out, "assay-waste")["all"]["runs"] == 1
    assert called.err == "assay: 2 copies of runs were left out: each run counts once\n"


def test_tries_of_a_job_tasks_of_an_array_and_clusters_are_runs_of_their_own(records):
    records.call.write("sacct.txt", "JobID|JobIDRaw|Cluster|State|Start|End|ElapsedRaw|AllocCPUS|TotalCPU\n"
                       "7|7|a|REQUEUED|2026-11-01T10:00:00|2026-11-01T10:01:00|60|2|00:01:00\n"
                       "7|7|a|COMPLETED|2026-11-01T11:00:00|2026-11-01T11:01:00|60|2|00:01:00\n"
                       "7|7|b|COMPLETED|2026-11-01T11:00:00|2026-11-01T11:01:00|60|2|00:01:00\n"
                       "8_1|9|a|COMPLETED|2026-11-01T11:00:00|2026-11-01T11:01:00|60|2|00:01:00\n"
                       "8_2|8|a|COMPLETED|2026-11-01T11:00:00|2026-11-01T11:01:00|60|2|00:01:00\n")
    called = records.size("--waste", "--json", "sacct.txt")

    assert parse(called.out, "assay-waste")["all"]["runs"] == 5 and called.err == ""


def test_a_job_that_was_looked_at_twice_counts_as_it_ended(records):
    records.call.write("early.txt", jobs_of_sacct([1], "RUNNING").replace("2026-11-01T11:00:00|3600", "Unknown|60"))
    records.call.write("late.txt", jobs_of_sacct([1]))
    for words in (["early.txt", "late.txt"], ["late.txt", "early.txt"]):
        called = records.size("--waste", "--json", *words)
        every = parse(called.out, "assay-waste")["all"]

        assert every["runs"] == 1 and every["running"] == 0 and every["core_hours"]["asked"] == 2
        assert called.err == "assay: 1 copy of a run was left out: each run counts once\n"


WAITING = ("8|a|PENDING|0:0|Unknown|Unknown|0|2|4Gn||00:00:00\n"
           "9|a|CANCELLED by 7|0:0|None|2026-11-09T11:00:00|0|2|4Gn||00:00:00\n")


def test_a_job_that_never_began_is_no_run(records):
    records.call.write("sacct.txt", jobs_of_sacct([1, 2]) + WAITING)
    assert records.call("import", "--output-prefix", "imported/{pid}/", "sacct.txt").status == 0
    for word in ("sacct.txt", "imported"):
        called = records.size("--waste", "--json", word)
        every = parse(called.out, "assay-waste")["all"]

        assert (every["runs"], every["running"], every["failed"], every["core_hours"]["runs"]) == (2, 0, 0, 2)
        assert called.err == "assay: 2 jobs never began: they are no runs\n"
        assert records.json("--mixed", word)["runs"] == 2
    records.call.write("waiting.txt", SACCT_HEAD + WAITING)
    called = records.size("--waste", "waiting.txt", status=2)
    assert called.out == "" and called.err == "assay: 2 jobs never began: they are no runs\n"


def test_waste_is_what_was_asked_for_and_not_used(records):
    """4 GiB and 2 CPUs for half an hour, of which 1 GiB and 1 core were used; and one that failed lost all of its half."""
    limits = [{"name": name, "unit": unit, "limit": limit, "source": "slurm", "where": where, "tightest": True}
              for name, unit, limit, where in (("memory", "bytes", 4 * GIB, "SLURM_MEM_PER_NODE"), ("cpu", "cores", 2, "SLURM_CPUS_PER_TASK"))]
    records.write(1024, wall=1800, cores=1.0, target_limits=limits)
    records.write(1024, wall=1800, cores=1.0, target_limits=limits, outcome=FAILED)
    waste = parse(records.size("runs", "--waste", "--json").out, "assay-waste")

    assert waste["all"]["runs"] == 2 and waste["all"]["failed"] == 1
    assert waste["all"]["core_hours"] == {"runs": 2, "asked": 2, "used": 0.5, "lost": 1.5, "lost_by_failed": 1}
    assert waste["all"]["gib_hours"] == {"runs": 2, "asked": 4, "used": 0.5, "lost": 3.5, "lost_by_failed": 2}
    assert waste["commands"][0]["shape"] == "job"


def test_a_job_that_was_stopped_held_what_it_had(records):
    """4 GiB and 2 CPUs for an hour, half of it stopped, with an hour of CPU time."""
    limits = [{"name": name, "unit": unit, "limit": limit, "source": "slurm", "where": where, "tightest": True}
              for name, unit, limit, where in (("memory", "bytes", 4 * GIB, "SLURM_MEM_PER_NODE"), ("cpu", "cores", 2, "SLURM_CPUS_PER_TASK"))]
    records.write(1024, wall=3600, cores=1.0, target_limits=limits,
                  time={"started": "2026-01-02T10:00:00Z", "wall_seconds": 3600, "stops": 1, "stopped_seconds": 1800})
    every = parse(records.size("runs", "--waste", "--json").out, "assay-waste")["all"]

    assert every["core_hours"] == {"runs": 1, "asked": 2, "used": 1, "lost": 1, "lost_by_failed": 0}
    assert every["gib_hours"] == {"runs": 1, "asked": 4, "used": 1, "lost": 3, "lost_by_failed": 0}
    # What it needs is the time in which it went on.
    assert records.json("runs")["wall_seconds"]["stands_on"] == 1800


def test_cpu_time_of_sacct_is_at_least_that(records):
    records.call.write("sacct.txt", jobs_of_sacct([1]))
    every = parse(records.size("--waste", "--json", "sacct.txt").out, "assay-waste")["all"]

    assert every["core_hours"] == {"runs": 1, "asked": 2, "used": 1, "lost": 1, "lost_by_failed": 0, "used_is_at_least": True}


@pytest.mark.parametrize("column, cell, gib, is_one", [
    ("NNodes", "2", 8, False), ("NNodes", "1", 4, False), ("NodeList", "n1", 4, False), ("NodeList", "n[1-2]", 4, True), ("Comment", "", 4, True)])
def test_memory_that_sacct_tells_by_the_node_counts_for_each(records, column, cell, gib, is_one):
    head, *lines = jobs_of_sacct([1]).splitlines()
    records.call.write("sacct.txt", "".join(f"{line}|{end}\n" for line, end in [(head, column), *((line, cell) for line in lines)]))
    every = parse(records.size("--waste", "--json", "sacct.txt").out, "assay-waste")["all"]

    assert every["gib_hours"]["asked"] == gib and every.get("memory_of_one_node", 0) == is_one
    assert ("by the node" in records.size("--waste", "sacct.txt").out) == is_one


def test_a_record_of_one_node_is_set_against_what_that_node_had(records):
    """8 tasks with 2 CPUs each on two nodes: 8 CPUs and 4 GiB on the one that was measured."""
    records.write(1024, wall=3600, cores=1.0, scheduler={
        "SLURM_NTASKS": "8", "SLURM_CPUS_PER_TASK": "2", "SLURM_CPUS_ON_NODE": "8", "SLURM_JOB_NUM_NODES": "2", "SLURM_MEM_PER_NODE": "4096"})
    every = parse(records.size("runs", "--waste", "--json").out, "assay-waste")["all"]

    assert (every["core_hours"]["asked"], every["gib_hours"]["asked"], "memory_of_one_node" in every) == (8, 4, False)


def test_a_run_that_goes_on_is_not_one_without_a_request_as_well(records):
    records.write(1024)
    records.call.write("sacct.txt", jobs_of_sacct([1], "RUNNING").replace("|4Gn|", "||").replace("|2|", "||"))
    called = records.size("--waste", "--json", "sacct.txt", "runs")
    every = parse(called.out, "assay-waste")["all"]

    assert (every["runs"], every["running"], every["without_cpu_request"], every["without_memory_request"]) == (2, 1, 1, 1)


def of_job(job=7, memory=4 * GIB, cpus=4, cpus_by="SLURM_CPUS_ON_NODE", step=0, task=None, host="one", start="10:00:00"):
    """Members of a run within a job of Slurm."""
    slurm = {"job_id": job, "step_id": step, "task_id": task}
    limits = [{"name": name, "unit": unit, "limit": limit, "source": "slurm", "where": where, "tightest": True}
              for name, unit, limit, where in (("memory", "bytes", memory, "SLURM_MEM_PER_NODE"), ("cpu", "cores", cpus, cpus_by))]
    return {"target_limits": limits, "slurm": {name: number for name, number in slurm.items() if number is not None}, "host": {"hostname": host},
            "time": {"started": f"2026-01-02T{start}Z", "wall_seconds": 3600}}


def waste_of(records, *words):
    return parse(records.size("--waste", "--json", *(words or ["runs"])).out, "assay-waste")


def test_a_run_inside_another_counts_in_that_alone(records):
    records.write(1024, wall=3600, **of_job())
    records.write(512, wall=3600, argv=("inner",), parent={"id": "run-0001"}, **of_job())
    inmost = records.write(256, wall=3600, argv=("inmost",), parent={"id": "run-0002", "prefix": "/elsewhere/"}, **of_job())
    waste = waste_of(records)

    assert waste["nested"] == 2 and waste["all"]["runs"] == 1 and [row["shape"] for row in waste["commands"]] == ["job"]
    assert waste["all"]["core_hours"] == {"runs": 1, "asked": 4, "used": 1, "lost": 3, "lost_by_failed": 0}
    assert waste["all"]["gib_hours"] == {"runs": 1, "asked": 4, "used": 1, "lost": 3, "lost_by_failed": 0}
    text = " ".join(records.size("--waste", "runs").out.split())
    assert "lost by 1 run of 1 command" in text and "Left out: 2 runs inside others of these, which have all of them." in text
    # Where the run around it is not looked at, there is nothing else that has it.
    alone = waste_of(records, inmost)
    assert "nested" not in alone and alone["all"]["gib_hours"]["used"] == 0.25
    assert "Left out" not in records.size("--waste", inmost).out


def test_a_run_within_a_run_of_assay_is_counted_once(records):
    assert records.call("run", "-p", "runs/a_", "--limit", "memory=4G", "--", str(records.call.program), "run", "-p", "runs/b_", "--limit", "memory=4G",
                        "--", "sleep", "0.2").status == 0
    waste = waste_of(records)

    assert waste["nested"] == 1 and waste["all"]["runs"] == 1 and len(waste["commands"]) == 1
    assert waste["all"]["gib_hours"]["asked"] * 3600 < 1.5 * 4 * json.loads((records.call.here / "runs/a_info.json").read_text())["time"]["wall_seconds"]


def test_runs_inside_each_other_which_no_runs_are_count(records):
    for other in (2, 1):
        records.write(1024, wall=3600, parent={"id": f"run-{other:04}"}, **of_job(job=other))
    assert waste_of(records)["all"]["runs"] == 2


def test_what_a_job_asked_for_counts_once_for_all_of_its_tasks(records):
    """One of 4 tasks has 2 of the 4 GiB, the others 256 MiB each: 1.25 GiB were not used by any."""
    for task in range(4):
        records.write(256 if task else 2048, wall=3600, cores=0.5, argv=("rest",) if task else ("first",), **of_job(task=task))
    waste = waste_of(records)

    assert waste["all"]["core_hours"] == {"runs": 4, "asked": 4, "used": 2, "lost": 2, "lost_by_failed": 0}
    assert waste["all"]["gib_hours"] == {"runs": 4, "asked": 4, "used": 2.75, "lost": 1.25, "lost_by_failed": 0}
    assert waste["all"]["shared"] == 4 and [row["shared"] for row in waste["commands"]] == [3, 1]
    assert sum(row["gib_hours"]["asked"] for row in waste["commands"]) == pytest.approx(4)
    text = " ".join(records.size("--waste", "runs").out.split())
    assert "4 runs had other runs of their Slurm job beside them: what a job asked for on a host counts once, and is divided among them." in text
    assert "used more" not in text


@pytest.mark.parametrize("other", [{"start": "11:00:00"}, {"start": "13:00:00"}, {"job": 8}, {"host": "two"}], ids=str)
def test_one_run_after_the_other_other_jobs_and_other_hosts_have_what_they_asked_for(records, other):
    records.write(1024, wall=3600, **of_job())
    records.write(1024, wall=3600, **of_job(**other))
    waste = waste_of(records)

    assert "shared" not in waste["all"]
    assert waste["all"]["core_hours"] == {"runs": 2, "asked": 8, "used": 2, "lost": 6, "lost_by_failed": 0}
    assert waste["all"]["gib_hours"] == {"runs": 2, "asked": 8, "used": 2, "lost": 6, "lost_by_failed": 0}
    assert "beside" not in records.size("--waste", "runs").out


def test_a_job_that_another_tool_kept_in_the_environment_is_one_too(records):
    for number in (7, 7, 8):
        records.write(1024, wall=3600, time={"started": "2026-01-02T10:00:00Z", "wall_seconds": 3600},
                      scheduler={"SLURM_JOB_ID": str(number), "SLURM_MEM_PER_NODE": "4096", "SLURM_CPUS_ON_NODE": "4"})
    every = waste_of(records)["all"]

    assert (every["shared"], every["core_hours"]["asked"], every["gib_hours"]["asked"]) == (2, 8, 8)


def test_runs_that_overlap_share_that_time_alone(records):
    """An hour each, half of it together: 4 CPUs and 4 GiB for an hour and a half."""
    records.write(1024, wall=3600, **of_job())
    records.write(1024, wall=3600, **of_job(start="10:30:00"))
    every = waste_of(records)["all"]

    assert every["core_hours"]["asked"] == every["gib_hours"]["asked"] == pytest.approx(6)
    assert every["core_hours"]["lost"] == every["gib_hours"]["lost"] == pytest.approx(4)


@pytest.mark.parametrize("cpus_by, places, asked", [
    ("SLURM_CPUS_PER_TASK", [(0, 0), (0, 1)], 8), ("SLURM_CPUS_PER_TASK", [(0, 0), (0, 0)], 4), ("SLURM_CPUS_PER_TASK", [(None, None)] * 2, 4),
    ("SLURM_CPUS_ON_NODE", [(0, 0), (0, 1)], 4), ("SLURM_CPUS_ON_NODE", [(0, 0), (1, 0)], 8), ("SLURM_CPUS_ON_NODE", [(None, None), (1, 0)], 4)])
def test_cpus_of_a_task_or_a_step_are_its_own(records, cpus_by, places, asked):
    for step, task in places:
        records.write(1024, wall=3600, **of_job(cpus_by=cpus_by, step=step, task=task))
    every = waste_of(records)["all"]

    assert every["core_hours"]["asked"] == asked and every["core_hours"]["lost"] == asked - 2
    assert every["gib_hours"]["asked"] == 4 and every["shared"] == 2


def test_of_a_failed_run_beside_others_its_part_is_lost(records):
    records.write(1024, wall=3600, **of_job())
    records.write(1024, wall=3600, outcome=FAILED, **of_job())
    every = waste_of(records)["all"]

    assert every["gib_hours"] == {"runs": 2, "asked": 4, "used": 1, "lost": 3, "lost_by_failed": 1.5}


def test_a_job_of_sacct_has_its_name_in_the_json_as_in_the_text(records):
    records.call.write("sacct.txt", jobs_of_sacct([1]))
    assert [row.get("shape") for row in waste_of(records, "sacct.txt")["commands"]] == [records.json("sacct.txt")["job"]] == ["(job a)"]
    assert "(job a)" in records.size("--waste", "sacct.txt").out


def test_one_run_that_used_more_than_it_asked_for_is_not_called_some_runs(records):
    records.write(1024, wall=3600, cores=8.0, **of_job())
    assert "The run used more than it asked for." in " ".join(records.size("--waste", "runs").out.split())


def test_a_percentage_needs_no_sign_and_is_one(records):
    run = records.write(100)
    assert records.json(run, "--slowdown", "5")["slowdown"] == records.json(run, "--slowdown", "5%")["slowdown"] == 0.05
    assert records.json(run, "--slowdown", "25")["slowdown"] == 0.25
    assert records.json(run, "--target", ".9")["target"] == records.json(run, "--target", "90%")["target"] == 0.9


def test_caches_of_a_cgroup_that_others_share_are_not_said_to_be_the_jobs(records):
    charged = {"memory_peak_charged_bytes": value(5000 * MIB, "cgroup_memory_peak_bytes", "upper_bound")}
    assert "caches" not in records.size(records.write(100, headline=charged)).out
    charged["memory_peak_charged_bytes"]["quality"] = "exact"
    assert "4.88 GiB" in records.size(records.write(100, headline=charged)).out


def test_runs_that_differ_too_much_to_be_of_one_kind_are_said_to(records):
    for wall in (3600, 3500, 2):
        records.write(100, wall=wall)
    assert "differ 1800-fold" in " ".join(records.size("runs").out.split())


def test_what_no_machine_has_is_no_request(records):
    for number in range(1, 8):
        records.write(100 * number, tags={"n": str(number)})
    called = records.size("runs", "--by", "tag:n=10000000000G", status=1)
    assert "beyond any machine" in called.out and "cut off" not in called.out and "--mem" not in called.out


def test_a_covariate_that_nothing_grows_with_is_said_to_be_no_help(records):
    for number in range(1, 8):
        records.write(1000 - 50 * number, tags={"n": str(number)})
    assert "--by is no help" in " ".join(records.size("runs", "--by", "tag:n=4").out.split())


@pytest.mark.parametrize("line, why", [
    ("--ntasks=4", "by hand"), ("-N 2", "by hand"), ("--mem-per-gpu=3G", "by hand"), ("--time-min=10", "by hand"), ("--tres-per-task=cpu=4", "by hand"),
    ("--gpus=4 --gpus-per-task=1", "--ntasks=1"), ("--tres-per-task=gres/gpu:1", "--ntasks=1"), ("--ntasks=2 --gpus-per-task=1", "by hand"),
    ("--me=5G", "line 2: --me=5G: short for several options, which sbatch refuses"), ("--tim=5", "short for several options")])
def test_a_script_whose_request_means_something_else_is_left_alone(records, line, why):
    run = records.write(100)
    records.call.write("job.sh", f"#!/bin/sh\n#SBATCH {line}\njob\n")
    called = records.size(run, "--apply", "job.sh", status=2)
    assert why in called.err and not (records.call.here / "job.sh.sized").exists()


def test_gpus_of_one_task_are_left_as_they_are(records):
    run = records.write(100)
    records.call.write("job.sh", "#!/bin/sh\n#SBATCH --ntasks=1 --gpus-per-task=2\njob\n")
    records.size(run, "--apply", "job.sh")
    assert "--ntasks=1 --gpus-per-task=2\n#SBATCH --mem=" in (records.call.here / "job.sh.sized").read_text()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_asked_for(records, width):
    records.several([1000 + i for i in range(25)], argv=["python3", "a_script_with_a_long_name.py", *["--option=1"] * 12])
    records.write(5000, outcome=KILLED, argv=["python3", "a_script_with_a_long_name.py", *["--option=1"] * 12])
    for words in ([], ["--policy=retry"], *([["--waste"]] if width >= 60 else [])):
        lines = records.size("runs", f"--width={width}", *words).out.split("\n")
        assert max(map(columns_of, lines)) <= width, lines


def test_hostile_text_is_shown_as_text(records):
    run = records.write(100, argv=["job\x1b[2J", "\u202eevil", "--a\nb"])
    out = records.size(run).out

    assert "\x1b" not in out and "\u202e" not in out


@pytest.mark.parametrize("memory", [-1, 0, 1e300, "12", None, [], {"value": True}, 9e999], ids=repr)
def test_a_number_that_is_none_makes_no_request(records, memory):
    if memory == 9e999:
        run = records.write(headline={"memory_peak_bytes": value(0, "k")})
        path = records.call.here / run / "info.json"
        path.write_text(path.read_text().replace('"memory_peak_bytes": {"value": 0', '"memory_peak_bytes": {"value": 1e999'))
        called = records.call("size", run)
        assert called.status in (1, 2) and "--mem=" not in called.out
        return
    run = records.write(headline={"memory_peak_bytes": value(memory, "k")})
    called = records.call("size", run)

    assert called.status == 1 and "--mem=" not in called.out


def test_a_run_that_cannot_be_read_is_named_and_the_others_count(records):
    records.several([100, 200])
    records.call.write("runs/broken/info.json", "{")
    called = records.size("--json", "runs", status=1)

    assert "runs/broken/info.json" in called.err and parse(called.out, "assay-size")["runs"] == 2


SCRIPT = "#!/bin/bash\n#SBATCH --job-name=x\n#SBATCH --mem=64G\n#SBATCH -t 24:00:00\n\nsrun job\n"


def test_a_copy_of_the_script_gets_the_request_and_the_script_stays(records):
    records.several([1000] * 20)
    records.call.write("job.sh", SCRIPT, 0o755)
    called = records.size("runs", "--apply", "job.sh")
    copy = records.call.here / "job.sh.sized"

    assert (records.call.here / "job.sh").read_text() == SCRIPT
    assert copy.stat().st_mode & 0o777 == 0o755
    # 1000 and 16 MiB, and the next 64th of 1 GiB
    assert copy.read_text() == ("#!/bin/bash\n#SBATCH --job-name=x\n#SBATCH --mem=1G\n#SBATCH -t 00:11:00\n"
                                "#SBATCH --cpus-per-task=1\n\nsrun job\n")
    assert "\n-#SBATCH --mem=64G\n" in called.out and "\n+#SBATCH --mem=1G\n" in called.out and "\n #SBATCH --job-name=x\n" in called.out
    again = records.size("runs", "--apply", "job.sh", status=2)
    assert again.out == "" and "job.sh.sized" in again.err


def test_without_a_request_there_is_no_copy(records):
    records.write(100, outcome=FAILED)
    records.call.write("job.sh", SCRIPT)
    called = records.size("runs", "--apply", "job.sh", status=1)
    assert called.out == "" and called.err.endswith("assay: there is no request: no copy of job.sh is written\n")
    assert not (records.call.here / "job.sh.sized").exists()


@pytest.mark.parametrize("words, about", [
    (["--apply", "job.sh", "-o", "job.sh"], "itself"), (["--apply", "none.sh"], "none.sh"), (["--apply", "runs"], "no file"),
    (["--apply", "job.sh", "-o", "runs"], "runs"), (["--apply", "job.sh", "-o", "-"], "standard output has the difference"),
    (["-o", "x"], "--apply")])
def test_what_cannot_be_applied_is_refused_and_nothing_is_written(records, words, about):
    records.several([1000] * 3)
    records.call.write("job.sh", SCRIPT)
    before = sorted(records.call.here.rglob("*"))
    called = records.size(*(["runs"] + words), status=2)

    assert about in called.err and called.out == ""
    assert sorted(records.call.here.rglob("*")) == before and (records.call.here / "job.sh").read_text() == SCRIPT


@pytest.mark.parametrize("words", [["--target", "2"], ["--target", "x"], ["--target", "0.4999"], ["--confidence", "100%"], ["--slowdown", "-1"],
                                   ["--by", "=3"], ["--by", "tag:a=0"], ["--by", "tag:a=x"], ["--by", "tag:a=0x10"], ["--by", "tag:a=inf"], ["--json", "--format", "slurm"],
                                   ["--waste", "--format", "slurm"], ["--where", "a >"], ["--like", "nothing"]], ids=" ".join)
def test_a_wrong_word_gets_one_line(records, words):
    records.write(100)
    called = records.size("runs", *words, status=2)

    assert called.out == "" and re.fullmatch(r"assay: [^\n]+\n", called.err)


@pytest.mark.parametrize("form, expected", [
    ("slurm", "#SBATCH --mem=1G\n#SBATCH --time=00:11:00\n#SBATCH --cpus-per-task=2\n"), ("kubernetes", "memory"), ("pbs", "walltime"),
    ("htcondor", "request_memory"), ("nextflow", "memory"), ("snakemake", "mem_mb")])
def test_each_scheduler_gets_its_own_words(records, form, expected):
    records.several([1000] * 20, cores=1.5)
    called = records.size("runs", "--format", form)

    assert called.err == ""
    if form == "slurm":
        assert sorted(called.out.splitlines()) == sorted(expected.splitlines())
    else:
        assert expected in called.out and re.search(r"1024|1074", called.out)


@pytest.mark.parametrize("words", [["--target", "0.9"], ["--policy", "retry"], ["--by", "tag:a"], ["--slowdown", "0.1"], ["--confidence", "0.9"]], ids=" ".join)
def test_wishes_of_a_request_are_none_of_the_report_on_waste(records, words):
    records.several([100] * 3)
    assert f"--waste makes no request, which {words[0]} is a wish of" in records.size("runs", "--waste", *words, status=2).err


def test_of_a_few_among_failed_runs_the_good_ones_decide(records):
    """Four failures at once before four good runs are the history of many a job."""
    for _ in range(4):
        records.write(1, wall=1, outcome=FAILED)
    for memory in (1000, 1003, 1001, 1002):
        records.write(memory, wall=3600)
    told = records.json("runs")
    text = records.size("runs").out

    alone = records.json("runs", "--where", "exit_code = 0")
    assert told["memory_bytes"]["request"] == alone["memory_bytes"]["request"] == 1376 * MIB
    assert told["wall_seconds"]["request"] == alone["wall_seconds"]["request"]
    assert told["memory_bytes"]["cut_off"] == 4 and "drift" not in told["memory_bytes"]
    assert "differ" not in text and "4 done, 4 failed" in text


def test_where_nothing_is_added_none_is_told(records):
    records.several([100 + i / 100 for i in range(30)])
    text = records.size("runs", "--confidence", "0.9").out
    assert "; the extra is for 95 %" not in " ".join(text.split())
    assert "what it may have missed" not in text and "what some may have missed" not in text


def test_that_fewer_cores_take_longer_is_told_with_the_time(records):
    for number in range(21):
        records.write(100, wall=36000, cores=1.9 if number % 3 == 1 else 1)
    time = records.json("runs", "--target", "0.6")["wall_seconds"]
    text = " ".join(records.size("runs", "--target", "0.6").out.split())

    # The 14th of 21 has one core, the request as well.
    assert time["request"] == 36060
    assert "On 1 core it may take up to 1.9 times as long, which is in it." in text
    assert "may take up to" not in records.size("runs").out


def test_what_a_line_lacks_is_counted(records):
    for samples in (1, 1, 2, 2, 2):
        records.write(100, tags={"samples": str(samples)})
    records.write(100)
    called = records.size("runs", "--by", "tag:samples", status=2)
    assert "--by tags.samples: of 6 runs 5 have it, 5 of them ended by themselves, with 2 different values: it takes 4 with 3" in called.err


def test_a_next_try_is_in_the_units_of_a_request_and_each_format_gives_the_same_reason(records):
    records.write(100, wall=20, outcome=FAILED)
    records.write(100, wall=20, outcome=KILLED)
    reason = ("no request: no run is known to have finished (failed with exit code 3; others for other reasons). The next to try is 2 min, to be "
              "measured again.")

    assert f"time {reason}" in " ".join(records.size("runs", status=1).out.split())
    assert f"time: {reason}\n" in records.size("runs", "--format", "slurm", status=1).err


def limit_of_memory(bytes_, **more):
    return [{"name": "memory", "unit": "bytes", "limit": bytes_, "source": "cgroup", "where": "/sys/fs/cgroup/a/memory.max", "tightest": True, **more}]


OOM = {"signal": 9, "signal_name": "SIGKILL", "words": "killed by SIGKILL (the kernel's OOM killer: cgroup a was at its limit)", "evidence": "wait status 9"}


def test_what_a_limit_of_memory_ended_needs_more_than_the_limit_whatever_was_seen(records):
    records.write(500, outcome=OOM, target_limits=limit_of_memory(8 * GIB))
    alone = records.json("runs", status=1)["memory_bytes"]
    assert alone["next_try"] == 16 * GIB + 512 * MIB and alone["seen"]["max"] == 500 * MIB

    records.several([1024 * (1 + i % 5) for i in range(19)])
    memory = records.json("runs")["memory_bytes"]
    assert memory["method"] == "next_try" and memory["request"] > 16 * GIB
    assert "one at 8 GiB" in " ".join(records.size("runs").out.split())


def test_a_limit_that_did_not_end_the_run_is_no_least(records):
    records.write(500, outcome=FAILED, target_limits=limit_of_memory(8 * GIB))
    assert records.json("runs", status=1)["memory_bytes"]["next_try"] == 1024 * MIB, "1000 and 16 MiB, rounded"


def test_what_its_limit_ended_before_it_was_measured_needs_more_than_the_limit(records):
    """20 runs of 4 GiB would promise 95 %; 8 were killed at 16 GiB before the first sample."""
    records.several([4096] * 20)
    for _ in range(8):
        records.write(outcome=OOM, target_limits=limit_of_memory(16 * GIB))
    memory = records.json("runs")["memory_bytes"]

    assert (memory["cut_off"], memory["method"], memory["request"]) == (8, "next_try", 33 * GIB)
    assert "unknown" not in memory


def test_a_job_of_slurm_that_its_limit_ended_before_it_was_measured_needs_more_than_that(records):
    rows = "".join(f"{i}|train|COMPLETED|0:0|01:00:00|04:00:00||||8||16G\n{i}.0|x|COMPLETED|0:0|01:00:00|04:00:00|4G|1|1|8||\n" for i in range(1, 21))
    rows += "".join(f"{i}|train|OUT_OF_MEMORY|0:125|00:00:20|00:00:10||||8||16G\n{i}.0|x|OUT_OF_MEMORY|0:125|00:00:20|00:00:10||1|1|8||\n" for i in range(21, 29))
    records.call.write("jobs.txt", SACCT.replace("\n", "|ReqMem\n") + rows)
    memory = records.json("jobs.txt")["memory_bytes"]

    assert (memory["cut_off"], memory["method"], memory["request"]) == (8, "next_try", 33 * GIB)


def test_of_how_many_runs_it_is_not_known_is_said_in_each_form(records):
    records.several([1000] * 20)
    for _ in range(3):
        records.write()
    records.call.write("job.sh", SCRIPT)
    memory = records.json("runs")["memory_bytes"]

    assert (memory["runs"], memory["unknown"], memory["why_unknown"]) == (20, 3, "was not measured")
    assert "Of 3 of 23 runs it is not known (was not measured)." in " ".join(records.size("runs").out.split())
    for words in (["-f", "slurm"], ["-f", "nextflow"], ["--apply", "job.sh"]):
        assert "assay: memory: of 3 of 23 runs it is not known (was not measured)\n" in records.size("runs", *words).err


def test_what_was_killed_shows_no_cores_also_where_its_time_is_not_known(records):
    records.several([100] * 3, cores=8)
    for _ in range(40):
        records.write(100, cores=1, outcome=KILLED, headline={"wall_seconds": {}, "cpu_seconds": {}}, time={"started": "2026-01-30T00:00:00Z", "utc_offset": "+00:00"})
    cpus = records.json("runs", "--target", "0.5")["cpus"]
    assert (cpus["request"], cpus["runs"]) == (8, 3)


def test_that_no_more_is_promised_is_said_where_the_form_has_no_room_for_it(records):
    for number in range(1, 8):
        records.write(100 * number, tags={"gb": str(number)})
    records.call.write("job.sh", SCRIPT)
    for words in (["-f", "slurm"], ["--apply", "job.sh", "-o", "copy.sh"]):
        assert "memory: beyond all that was seen of runs that ended by themselves: no promise\n" in records.size("runs", "--by", "tag:gb=50", *words).err
        assert "memory: a confidence of 90 % is not reached; it takes 45 runs\n" in records.size("runs", "--confidence", "0.9", *words).err


def test_a_copy_has_the_first_amount_and_the_others_are_told(records):
    records.several([100 * i for i in range(1, 21)])
    records.call.write("job.sh", SCRIPT)
    steps = records.json("runs", "--policy", "retry")["memory_bytes"]["steps"]
    called = records.size("runs", "--policy", "retry", "--apply", "job.sh")

    assert len(steps) > 1 and f"\n+#SBATCH --mem={steps[0] // MIB}M\n" in called.out
    assert "assay: memory: first this; after a failure " in called.err and "the first was enough for " in called.err


def test_a_job_of_slurm_that_ran_out_of_memory_needs_more_than_it_asked_for(records):
    records.call.write("jobs.txt", "JobID|State|ExitCode|Elapsed|MaxRSS|NTasks|ReqMem|AllocCPUS\n7|OUT_OF_MEMORY|0:125|00:10:00|||64G|1\n"
                                   "7.0|OUT_OF_MEMORY|0:125|00:10:00|512M|1||1\n")
    assert records.json("jobs.txt", status=1)["memory_bytes"]["next_try"] == 132 * GIB, "128 GiB and 16 MiB, rounded"


@pytest.mark.parametrize("outcome", [None, {"words": "the 1.00 s asked for are over", "evidence": "the recorder's clock"}], ids=["none", "watched"])
def test_a_run_whose_end_is_not_known_is_none_that_finished(records, outcome):
    for _ in range(3):
        run = records.write(100, target={"kind": "tree"} if outcome else None, outcome=outcome)
        path = records.call.here / run / "info.json"
        info = json.loads(path.read_text())
        path.write_text(json.dumps({name: value for name, value in info.items() if value is not None}))
    told = records.json("runs", status=1)
    assert told["outcomes"] == {"unknown": 3}
    assert "request" not in told["memory_bytes"] and "request" not in told["cpus"]
    assert "3 of unknown end" in records.size("runs", status=1).out


@pytest.mark.parametrize("name", ["psrecord/log.csv", "prmon/prmon.txt"])
def test_logs_of_tools_that_see_no_end_promise_nothing(records, name):
    called = records.size("--json", str(REPOSITORY / "tests/fixtures/foreign" / name), status=1)
    told = parse(called.out, "assay-size")
    assert told["outcomes"] == {"unknown": 1} and told["wall_seconds"]["why"] == "how it ended is not known"


@pytest.mark.parametrize("members, outcomes", [({"state": "weird"}, {"lost": 3}), ({"target": {"kind": "tree"}}, {"unknown": 3})], ids=["state", "watched"])
def test_an_exit_code_of_0_is_no_end_of_what_was_not_over_or_not_seen_whole(records, members, outcomes):
    for _ in range(3):
        records.write(100, **members)
    assert records.json("runs", status=1)["outcomes"] == outcomes


def test_a_run_that_was_told_to_end_may_not_have_finished(records):
    told = {**FINE, "evidence": "wait status 0, reaped by the keeper; SIGTERM (sent to assay by pid 7 of uid 0 and passed on) came 12 ms before the end"}
    records.write(100, outcome=told)
    request = records.json("runs", status=1)
    assert request["outcomes"] == {"unknown": 1} and request["wall_seconds"]["why"] == "was told to end by SIGTERM"


def test_cpus_are_those_of_runs_that_came_to_their_end(records):
    for _ in range(10):
        records.write(100, cores=15.5)
    for _ in range(12):
        records.write(1, wall=2, cores=0.9, outcome=FAILED)
    assert records.json("runs", "--target", "0.5")["cpus"]["request"] == 16


def test_a_run_that_ended_at_its_time_limit_may_not_have_finished(records):
    limit = [{"name": "time", "unit": "seconds", "limit": 600, "source": "slurm", "where": "SLURM_JOB_END_TIME", "tightest": True}]
    for wall in (595, 300, 310):
        records.write(100, wall=wall, target_limits=limit)
    time = records.json("runs")["wall_seconds"]
    assert (time["cut_off"], time["method"]) == (1, "next_try") and "99 % of its time limit of 600 s" in time["why"]


def test_that_a_run_was_stopped_does_not_stop_the_clock_of_its_time_limit(records):
    limit = [{"name": "time", "unit": "seconds", "limit": 600, "source": "slurm", "where": "SLURM_JOB_END_TIME", "tightest": True}]
    for wall in (599, 300, 310):
        stopped = {"stopped_seconds": 100} if wall == 599 else {}
        records.write(100, wall=wall, target_limits=limit,
                      time={"started": "2026-01-02T00:00:00Z", "utc_offset": "+00:00", "wall_seconds": wall, **stopped})
    time = records.json("runs")["wall_seconds"]
    assert time["cut_off"] == 1 and "100 % of its time limit of 600 s" in time["why"]


SACCT = "JobID|JobName|State|ExitCode|Elapsed|TotalCPU|MaxRSS|NTasks|NNodes|AllocCPUS|TRESUsageInTot\n"


def sacct_jobs(records, n, step, name="train", in_all=""):
    """n jobs of 8 CPUs with a step of this MaxRSS, tasks and sum."""
    lines = [f"{i}|{name}|COMPLETED|0:0|01:00:00|04:00:00||||8|\n{i}.0|x|COMPLETED|0:0|01:00:00|04:00:00|{step}" for i in range(1, n + 1)]
    records.call.write("jobs.txt", SACCT + "\n".join(lines) + "\n" + in_all)


def test_of_several_tasks_the_largest_is_no_need_of_the_job(records):
    sacct_jobs(records, 20, "4194304K|8|2|8|")
    memory = records.json("jobs.txt", status=1)["memory_bytes"]

    assert not {"request", "next_try"} & set(memory) and memory["cut_off"] == 20
    assert memory["why"] == "sacct tells its largest of 8 tasks alone; TRESUsageInTot in --format tells all"


def test_a_largest_task_that_needed_more_than_other_jobs_needed_in_all_is_a_least(records):
    sacct_jobs(records, 20, "1G|4|1|8|cpu=04:00:00,mem=4G",
               in_all="".join(f"{i}|train|FAILED|1:0|01:00:00|04:00:00||||8|\n{i}.0|x|FAILED|1:0|01:00:00|04:00:00|12G|4|1|8|\n" for i in range(30, 38)))
    memory = records.json("jobs.txt")["memory_bytes"]

    assert (memory["cut_off"], memory["method"]) == (8, "next_try") and memory["request"] > 24 * GIB


@pytest.mark.parametrize("start, why", [("2026-10-{:02}T00:00:00", None), (None, "no_start"), ("2026-10-01T00:00:00", "began_together")])
def test_local_times_tell_of_a_drift_and_no_order_is_said(records, start, why):
    """Each of 20 jobs needs 15 % more than the one before."""
    rows = ""
    for i in range(1, 21):
        begin = f"|{start.format(i)}" if start else ""
        rows += f"{i}|train|COMPLETED|0:0|01:00:00|04:00:00||||8|{begin}\n{i}.0|x|COMPLETED|0:0|01:00:00|04:00:00|{int(1e6 * 1.15 ** i)}K|1|1|8|{begin}\n"
    records.call.write("jobs.txt", (SACCT.replace("\n", "|Start\n") if start else SACCT) + rows)
    memory = records.json("jobs.txt")["memory_bytes"]
    text = " ".join(records.size("jobs.txt").out.split())

    assert memory.get("drift_not_looked_for") == why
    assert ("Whether they drift is not known" in text) == bool(why)
    if not why:
        assert memory["drift"] == pytest.approx(0.15, abs=1e-3) and memory["request"] > 1e6 * 1024 * 1.15 ** 21
    assert ("2026-10-01" in text) == bool(start)


def test_the_time_of_sacct_may_be_a_second_more(records):
    sacct_jobs(records, 20, "1G|1|1|8|")
    assert records.json("jobs.txt")["wall_seconds"]["request"] == 61 * 60


def test_of_several_tasks_the_sum_is_asked_for_and_said_to_be_one(records):
    sacct_jobs(records, 20, "4194304K|8|2|8|cpu=04:00:00,mem=33554432K")
    called = records.size("jobs.txt", "--json")
    told = parse(called.out, "assay-size")

    # 10 % for what Slurm's samples missed, 2 % and 4 MiB for the kernel's part, 16 MiB around.
    assert told["memory_bytes"]["stands_on"] == pytest.approx(32 * GIB * 1.1 * 1.02 + 4 * MIB, rel=1e-6)
    assert (told["tasks"], told["nodes"]) == (8, 2)
    assert "the runs had up to 8 tasks on 2 nodes, and the request is for all of them together" in called.err


def test_where_the_tasks_are_not_told_it_is_said(records):
    sacct_jobs(records, 20, "4194304K|||8|")
    called = records.size("jobs.txt", "--format", "slurm")
    assert "of 20 of 20 runs the memory is that of the largest task, and how many there were is not told" in called.err


def test_jobs_of_other_names_are_other_jobs(records):
    sacct_jobs(records, 5, "4G|1|1|8|", name="align_17", in_all="9|index|COMPLETED|0:0|02:00:00|||||8|\n9.0|x|COMPLETED|0:0|02:00:00||9G|1|1|8|\n")
    called = records.size("jobs.txt", status=2)
    assert "the runs are of 2 commands ((job align_*); (job index))" in called.err and called.out == ""
    mixed = records.json("jobs.txt", "--mixed")
    assert mixed["runs"] == 6 and "job" not in mixed
    assert "(several commands, taken for one)" in records.size("jobs.txt", "--mixed").out


def test_a_step_that_ran_out_of_memory_is_no_peak(records):
    sacct_jobs(records, 5, "4G|1|1|8|", in_all="9|train|COMPLETED|0:0|02:00:00|||||8|\n9.0|x|OUT_OF_MEMORY|0:125|02:00:00||5G|1|1|8|\n")
    memory = records.json("jobs.txt")["memory_bytes"]
    assert (memory["runs"], memory["cut_off"], memory["why"]) == (6, 1, "1 of its steps ended out of memory")


STEPS = "JobID|JobName|State|ExitCode|Start|Elapsed|TotalCPU|MaxRSS|NTasks|NNodes|AllocCPUS|TRESUsageInTot|ReqMem\n"


def jobs_of_two_steps(records, second, told="mem=4194304K", columns=STEPS):
    """20 jobs of 4 CPUs; in each two steps of 4 GiB, of which one begins with the job and is there for 10 minutes."""
    lines = [f"{i}|align|COMPLETED|0:0|{3600 * i}|00:20:00|00:40:00|||1|4||16384\n{i}.batch|batch|COMPLETED|0:0|{3600 * i}|00:20:00|00:00:01|5000K|1|1|4|mem=5000K|\n"
             f"{i}.0|a|COMPLETED|0:0|{3600 * i}|00:10:00|00:20:00|4194304K|1|1|2|{told}|\n"
             f"{i}.1|b|COMPLETED|0:0|{3600 * i + second}|00:10:00|00:20:00|4194304K|1|1|2|{told}|\n" for i in range(1, 21)]
    records.call.write("jobs.txt", columns + "".join(lines))


def test_steps_side_by_side_are_asked_for_together(records):
    stands_on = {}
    for second in (0, 599, 600):
        jobs_of_two_steps(records, second)
        stands_on[second] = records.json("jobs.txt")["memory_bytes"]["stands_on"]
    # 10 % for what Slurm's samples missed, 2 % and 4 MiB for the kernel's part; the script's 5000 KiB beside the two.
    together = (8 * GIB + (5000 << 10)) * 1.1 * 1.02 + 4 * MIB
    assert [stands_on[second] for second in (0, 599)] == [pytest.approx(together, rel=1e-6)] * 2
    assert stands_on[600] == pytest.approx(4 * GIB * 1.1 * 1.02 + 4 * MIB, rel=1e-6), "one after the other"


def test_steps_of_which_nobody_knows_when_they_ran_are_a_lower_bound(records):
    jobs_of_two_steps(records, 0, told="mem=4194400K", columns=STEPS.replace("Start", "Comment"))
    memory = records.json("jobs.txt")["memory_bytes"]
    assert (memory["quality"], memory["key"]) == ("lower_bound", "sacct_step_memory_bytes")
    assert memory["stands_on"] == pytest.approx((4194400 << 10) * 1.1 * 1.02 + 4 * MIB, rel=1e-6)


def test_a_list_of_tres_that_is_cut_by_a_comma_is_no_small_need(records):
    for largest, why in (("4194304K", "sacct tells its largest of 8 tasks alone"), ("", "was not measured")):
        sacct_jobs(records, 20, f"{largest}|8|2|8|cpu=04:00:00,mem=32,5G")
        memory = records.json("jobs.txt", status=1)["memory_bytes"]
        assert "request" not in memory and why in memory["why"]


def test_memory_that_slurm_was_asked_for_without_a_unit_is_in_mib(records):
    jobs_of_two_steps(records, 0)
    every = parse(records.size("--waste", "--json", "jobs.txt").out, "assay-waste")["all"]
    assert every["gib_hours"]["asked"] == pytest.approx(20 * 16 / 3), "20 jobs of 16384 MiB for 20 minutes"


def test_where_the_largest_step_has_one_task_other_steps_with_more_are_no_matter(records):
    """One after the other: 4 tasks with 4 GiB in all, then one with 10 GiB."""
    rows = "".join(f"{i}|train|COMPLETED|0:0|02:00:00|04:00:00||||8||2026-01-{i:02}T10:00:00\n"
                   f"{i}.0|x|COMPLETED|0:0|01:00:00|02:00:00|1G|4|1|8|mem=4G|2026-01-{i:02}T10:00:00\n"
                   f"{i}.1|y|COMPLETED|0:0|01:00:00|02:00:00|10G|1|1|8|mem=10G|2026-01-{i:02}T11:00:00\n" for i in range(1, 21))
    records.call.write("jobs.txt", SACCT.replace("\n", "|Start\n") + rows)
    memory = records.json("jobs.txt")["memory_bytes"]

    assert (memory["cut_off"], memory["seen"]["max"]) == (0, 10 * GIB)


def test_where_it_is_not_told_when_steps_ran_it_is_said_that_the_largest_alone_counts(records):
    rows = "".join(f"{i}|train|COMPLETED|0:0|02:00:00|04:00:00||||8|\n" + "".join(f"{i}.{k}|x|COMPLETED|0:0|01:00:00|02:00:00|4G|1|1|8|\n" for k in (0, 1))
                   for i in range(1, 21))
    records.call.write("jobs.txt", SACCT + rows)
    called = records.size("jobs.txt", "-f", "slurm")

    assert "of 20 of 20 runs the memory is that of the largest step, and which ran side by side is not told: give sacct --format Start and Elapsed" in called.err


def test_no_cpu_time_over_an_hour_is_none_that_was_gathered(records):
    records.call.write("jobs.txt", SACCT + "".join(f"{i}|train|COMPLETED|0:0|01:00:00|00:00:00||||8|\n" for i in range(1, 21)))
    assert "request" not in records.json("jobs.txt", status=1)["cpus"]
