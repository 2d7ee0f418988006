# SPDX-License-Identifier: MIT
"""What sacct's lines say of one job and cannot all be true: what counts then, and that it is said. Times without a zone are found by --where."""
import json

import pytest

from calling import Caller
from support import read_info

HEADER = "JobID|State|ExitCode|Start|End|Elapsed|AllocCPUS|TotalCPU|UserCPU|SystemCPU|NTasks|MaxRSS|TRESUsageInTot"


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def job(call, room):
    """The one job of lines of cells (a cell more or less where `header` is another)."""
    def take(*lines, header=HEADER):
        (room / "job.txt").write_text("\n".join([header, *lines]) + "\n")
        called = call("import", "-p", f"{room}/run/", f"{room}/job.txt", "--clobber")
        assert called.status == 0 and len(called.out.splitlines()) == 1, called.err
        return read_info(f"{room}/run/")

    return take


def line(id, elapsed="01:00:00", cpus="4", cpu="", user="", system="", tasks="", rss="", tres=""):
    return f"{id}|COMPLETED|0:0|2026-01-02T10:00:00|2026-01-02T11:00:00|{elapsed}|{cpus}|{cpu}|{user}|{system}|{tasks}|{rss}|{tres}"


def cpu(info):
    entry = info.get("headline", {}).get("cpu_seconds")
    return entry and (entry["value"], entry["quality"], entry["key"])


def notes(info):
    return "\n".join(info.get("notes", []))


def test_what_the_samples_saw_counts_where_nobody_waited(job):
    info = job(line("7", cpu="00:00:00", user="00:00:00", system="00:00:00"),
               line("7.batch", cpu="00:00:00", tasks="1", rss="100M", tres="cpu=02:00:00,mem=100M"),
               line("7.0", cpu="00:00:00", tasks="1", rss="100M", tres="cpu=00:30:00,mem=100M"))

    assert cpu(info) == (9000, "lower_bound", "sacct_steps_cpu_seconds")
    assert info["summary"]["sacct_steps_cpu_seconds"] == {"value": 9000, "quality": "lower_bound"}
    assert info["headline"]["cpu_mean_cores"]["value"] == 2.5
    assert "TotalCPU is 0 over 3600 s" in notes(info)
    assert "cpu_user_seconds" not in info["headline"] and "sacct_cpu_seconds" not in info["summary"]


def test_of_each_step_the_greater_counts(job):
    """One whose tasks were waited for, and one that was killed with its node's daemon: TotalCPU has the first alone."""
    info = job(line("7", cpu="00:10:00"),
               line("7.0", cpu="00:10:00", tasks="1", tres="cpu=00:09:58"),
               line("7.1", cpu="00:00:00", tasks="1", tres="cpu=00:20:00"))

    assert cpu(info) == (1800, "lower_bound", "sacct_steps_cpu_seconds")
    assert info["summary"]["sacct_cpu_seconds"]["value"] == 600


def test_a_second_less_in_the_samples_changes_nothing(job):
    info = job(line("7", cpu="00:30.250"), line("7.batch", cpu="00:30.250", tasks="1", tres="cpu=00:00:31"))
    assert cpu(info) == (30.25, "lower_bound", "sacct_cpu_seconds")


@pytest.mark.parametrize("steps, value, key", [
    (["01:30:00"], 5400, "sacct_cpu_seconds"), ([], None, None), (["5-00:00:00"], None, None)])
def test_more_cpu_time_than_the_cpus_have_is_said_and_counts_for_nothing(job, steps, value, key):
    """93 CPUs' worth of an hour on four of them."""
    info = job(line("7", cpu="3-21:00:00", user="3-20:00:00", system="01:00:00"), *(line("7.0", cpu=text, tasks="1") for text in steps))

    assert cpu(info) == (value and (value, "lower_bound", key))
    assert "CPU time of the job's own line is 334800 s, more than its 4 CPUs can give in 3600 s" in notes(info)
    assert ("cpu_mean_cores" in info["headline"]) == (value is not None)
    assert "cpu_user_seconds" not in info["headline"]
    assert ("sacct_cpu_seconds" in info["summary"]) == (value is not None)
    assert info["scheduler"]["TotalCPU"] == "3-21:00:00", "as it was written"


def test_no_request_is_made_of_what_cannot_be(job, call, room):
    job(line("7", cpu="3-21:00:00", rss="1G"), line("7.0", tasks="1", rss="1G", tres="mem=1G"))
    sized = json.loads(call("size", "--json", f"{room}/run/").out)
    said = json.dumps(sized)

    assert "93" not in [str(request.get("value")) for request in sized.get("requests", []) if isinstance(request, dict)]
    assert "--cpus-per-task=93" not in said and "cpus-per-task=94" not in said


def test_all_of_the_cpus_all_of_the_time_is_possible(job):
    info = job(line("7", cpu="04:00:01"), line("7.0", cpu="04:00:01", tasks="1"))
    assert cpu(info)[0] == 14401 and "more than its" not in notes(info)


@pytest.mark.parametrize("header, cells", [("AllocCPUS", "4"), ("NCPUS", "4"), ("AllocTRES", "billing=9,cpu=4,mem=4G,node=1")])
def test_whatever_column_tells_the_cpus_bounds_the_time(job, header, cells):
    info = job(f"7|COMPLETED|01:00:00|{cells}|3-21:00:00", header=f"JobID|State|Elapsed|{header}|TotalCPU")
    assert cpu(info) is None and "more than its 4 CPUs can give" in notes(info)


def test_the_cpus_that_were_asked_for_bound_nothing(job):
    """A whole node may have been given instead."""
    info = job("7|COMPLETED|01:00:00|4|3-21:00:00", header="JobID|State|Elapsed|ReqCPUS|TotalCPU")
    assert cpu(info) == (334800, "lower_bound", "sacct_cpu_seconds")


@pytest.mark.parametrize("own", ["00:10:00", "03:59:00"])
def test_a_job_line_that_its_steps_contradict_gives_way_to_them(job, own):
    info = job(line("7", cpu=own, user=own), line("7.batch", cpu="00:30:00", user="00:20:00", tasks="1"), line("7.0", cpu="01:30:00", tasks="1"))

    assert cpu(info) == (7200, "lower_bound", "sacct_cpu_seconds")
    assert info["headline"]["cpu_mean_cores"]["value"] == 2
    assert info["headline"]["cpu_user_seconds"]["value"] == 1200
    assert "and its steps come to 7200 s: theirs counts" in notes(info)


def test_a_job_line_alone_with_steps_that_tell_no_cpu_time_stands(job):
    info = job(line("7", cpu="01:00:00"), line("7.batch", tasks="1", rss="1M"), line("7.0", cpu="00:30:00", tasks="1"))
    assert cpu(info) == (3600, "lower_bound", "sacct_cpu_seconds")


def test_a_damaged_list_of_one_step_is_left_out_and_the_rest_stands(job):
    info = job(line("7", cpu="00:10:00"), line("7.0", cpu="00:10:00", tasks="1", tres="cpu=40-00:00:00"))
    assert cpu(info) == (600, "lower_bound", "sacct_cpu_seconds")
    assert "CPU time of its steps is 3456000 s, more than its 4 CPUs can give" in notes(info)


def test_user_and_system_time_are_the_cpu_time_where_the_total_is_missing(job):
    info = job(line("7", cpu="00:00:00", user="00:20:00", system="00:10:00"))
    assert cpu(info) == (1800, "lower_bound", "sacct_cpu_seconds")


def test_a_step_that_ran_much_longer_than_its_job_is_said(job):
    info = job(line("7", elapsed="00:00:10", cpu="00:30:00"), line("7.0", elapsed="01:00:00", cpu="00:30:00", tasks="1"))

    assert info["headline"]["wall_seconds"]["value"] == 3600 and info["time"]["wall_seconds"] == 3600
    assert "Elapsed of the job's own line is 10 s, and one of its steps ran for 3600 s" in notes(info)
    assert cpu(info)[0] == 1800


@pytest.mark.parametrize("first", [True, False])
def test_memory_of_the_job_line_gives_way_to_that_of_its_steps(job, first):
    lines = [line("7", rss="93G"), line("7.0", tasks="1", rss="1G", tres="mem=1G")]
    info = job(*(lines if first else reversed(lines)))

    assert info["headline"]["memory_peak_bytes"]["value"] == 1 << 30
    assert "MaxRSS of the job's own line is 99857989632 bytes, and the largest of its steps 1073741824" in notes(info)
    assert job(line("7", rss="3G"))["headline"]["memory_peak_bytes"]["value"] == 3 << 30


@pytest.mark.parametrize("zone", ["UTC0", "PST8PDT,M3.2.0,M11.1.0", "AAA-5:30"])
@pytest.mark.parametrize("expression, found", [
    ("started > 2026-01-01", True), ("started = 2026-01-02", True), ("started >= 2026-01-02T10:00", True), ("started > 2026-01-02T10:00", False),
    ("started < 2026-01-02T10:00:00", False), ("ended = 2026-01-02T11:00:00", True), ("ended > 2026-01-03", False), ("not started < 2026-01-02", True)])
@pytest.mark.parametrize("index", [[], ["--no-index"]])
def test_times_without_a_zone_are_local_to_where(job, call, room, zone, expression, found, index):
    info = job(line("7", cpu="00:10:00"))
    assert info["time"]["started_local"] == "2026-01-02T10:00:00" and info["time"]["ended_local"] == "2026-01-02T11:00:00"
    assert "started" not in info["time"] and "taken for local time here" in notes(info)
    for _ in range(2):
        called = call("ls", "-f", "jsonl", "-F", "job_id,started", "-w", expression, *index, f"{room}/run/", env={"TZ": zone})
        assert [json.loads(one) for one in called.out.splitlines()] == ([{"job_id": 7, "started": "2026-01-02T10:00:00"}] if found else [])
