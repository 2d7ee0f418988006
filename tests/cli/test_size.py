# SPDX-License-Identifier: MIT
"""What size asks for from made-up runs, how sure it says that is, and what it refuses to make a number from."""
import itertools
import json
import os
import random
import re

import pytest

from calling import Caller
from handmade import columns_of
from support import parse

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
    ran = records.call("run", "--interval=0.1", "-p", "shm/", "--", "sh", "-c", f"dd if=/dev/zero of={path} bs=1M count=40; sleep 0.7; rm {path}")
    assert ran.status == 0
    memory = records.json("shm")["memory_bytes"]

    assert memory["new_shared"] == pytest.approx(40 * MIB, rel=0.2)
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


def test_a_run_that_failed_early_takes_little_from_the_promise(records):
    records.several([1000 + i for i in range(20)])
    records.write(10, wall=1, outcome=FAILED)
    sized = records.json("runs")

    assert sized["memory_bytes"]["method"] == "rank" and sized["memory_bytes"]["stands_on"] == 1019 * MIB
    assert sized["outcomes"] == {"done": 20, "failed": 1}
    assert sized["wall_seconds"]["request"] == 600


def test_one_failed_run_makes_no_request_and_names_what_to_try(records):
    run = records.write(4096, outcome=KILLED)
    called = records.size(run, status=1)

    assert "no request: no run finished" in called.out and "8 GiB" in called.out
    sized = records.json(run, status=1)
    assert "request" not in sized["memory_bytes"] and sized["memory_bytes"]["next_try"] == 8 * GIB
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


def test_input_bytes_are_those_of_the_files_that_the_command_names(records):
    for number in (1, 4, 2, 3, 5):
        records.call.write(f"in{number}.dat", b"x" * (number * 1000))
        records.write(100 * number, argv=["job", f"in{number}.dat"], working_directory=str(records.call.here))
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


@pytest.mark.parametrize("line", ["--ntasks=4", "-N 2", "--mem-per-gpu=3G", "--time-min=10"])
def test_a_script_whose_request_means_something_else_is_left_alone(records, line):
    run = records.write(100)
    records.call.write("job.sh", f"#!/bin/sh\n#SBATCH {line}\njob\n")
    called = records.size(run, "--apply", "job.sh", status=2)
    assert "by hand" in called.err and not (records.call.here / "job.sh.sized").exists()


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
    assert copy.read_text() == ("#!/bin/bash\n#SBATCH --job-name=x\n#SBATCH --mem=1G\n#SBATCH -t 00:10:00\n"
                                "#SBATCH --cpus-per-task=1\n\nsrun job\n")
    assert "\n-#SBATCH --mem=64G\n" in called.out and "\n+#SBATCH --mem=1G\n" in called.out and "\n #SBATCH --job-name=x\n" in called.out
    again = records.size("runs", "--apply", "job.sh", status=2)
    assert again.out == "" and "job.sh.sized" in again.err


@pytest.mark.parametrize("words, about", [
    (["--apply", "job.sh", "-o", "job.sh"], "itself"), (["--apply", "none.sh"], "none.sh"), (["--apply", "runs"], "no file"),
    (["--apply", "job.sh", "-o", "runs"], "runs"), (["-o", "x"], "--apply")])
def test_what_cannot_be_applied_is_refused_and_nothing_is_written(records, words, about):
    records.several([1000] * 3)
    records.call.write("job.sh", SCRIPT)
    before = sorted(records.call.here.rglob("*"))
    called = records.size(*(["runs"] + words), status=2)

    assert about in called.err and called.out == ""
    assert sorted(records.call.here.rglob("*")) == before and (records.call.here / "job.sh").read_text() == SCRIPT


@pytest.mark.parametrize("words", [["--target", "2"], ["--target", "x"], ["--target", "0.4999"], ["--confidence", "100%"], ["--slowdown", "-1"],
                                   ["--by", "=3"], ["--by", "tag:a=0"], ["--by", "tag:a=x"], ["--json", "--format", "slurm"],
                                   ["--waste", "--format", "slurm"], ["--where", "a >"], ["--like", "nothing"]], ids=" ".join)
def test_a_wrong_word_gets_one_line(records, words):
    records.write(100)
    called = records.size("runs", *words, status=2)

    assert called.out == "" and re.fullmatch(r"assay: [^\n]+\n", called.err)


@pytest.mark.parametrize("form, expected", [
    ("slurm", "#SBATCH --mem=1G\n#SBATCH --time=00:10:00\n#SBATCH --cpus-per-task=2\n"), ("kubernetes", "memory"), ("pbs", "walltime"),
    ("htcondor", "request_memory"), ("nextflow", "memory"), ("snakemake", "mem_mb")])
def test_each_scheduler_gets_its_own_words(records, form, expected):
    records.several([1000] * 20, cores=1.5)
    called = records.size("runs", "--format", form)

    assert called.err == ""
    if form == "slurm":
        assert sorted(called.out.splitlines()) == sorted(expected.splitlines())
    else:
        assert expected in called.out and re.search(r"1024|1074", called.out)
