# SPDX-License-Identifier: MIT
"""Who was too short to be sampled: named by the kernel's records of ended tasks where they may be had, and as before where not."""
import json
import os
import signal
import subprocess

import pytest

from checks import check_exact_cpu, check_processes, tolerance
from support import wait_for

EVENTS = ["--measurements", "default,taskstats_*"]
# What a record may lack of the CPU time of a process that did not call exec: its teardown, and the time since the scheduler looked last.
RECORD_LACKS = 0.15


@pytest.fixture
def events(assay):
    """The options that ask for the records; skips where they are not given."""
    doctor = subprocess.run([assay, "doctor", "--json"], capture_output=True, text=True, check=True)
    source = next(rung for rung in json.loads(doctor.stdout)["rungs"]["cpu"] if rung["collector"] == "taskstats")
    if not source["available"]:
        pytest.skip(source["why"])
    return EVENTS


def lacks(run, seconds):
    """What records may lack of so much: on a machine where an end costs more than the work it is nearly all of the end."""
    return seconds * RECORD_LACKS + (run.truth["processes"] * run.end_seconds() if run.ends_are_dear() else 0)


def by_name(run):
    return {entry["name"]: entry for entry in run.info["processes"]["by_name"]}


def finish_unwatched(started):
    """The run, in which the monitor stood still until its load had ended."""
    started.running_info()
    os.kill(started.process.pid, signal.SIGSTOP)
    try:
        wait_for(started.truth, "the end of the load")
    finally:
        os.kill(started.process.pid, signal.SIGCONT)
    return started.finish()


def test_two_thousand_children_of_1_ms_are_all_named(run_assay, events):
    run = run_assay.load("named-children", 2000, 1, "shorty", options=events)
    processes, shorty = run.info["processes"], by_name(run)["shorty"]

    assert shorty["processes"] == 2000
    assert processes["too_short"] == 0
    assert processes["named_by_events"] + processes["seen"] == 2001
    assert processes["named_by_events"] >= 1900, "so many were never sampled"
    assert 2.0 * (1 - 0.01) <= shorty["cpu_seconds"] <= run.truth["cpu_seconds"]
    total = run.headline["cpu_seconds"]["value"]
    named = sum(entry["cpu_seconds"] for entry in processes["by_name"])
    assert total - lacks(run, total) <= named <= total
    assert named + processes["unnamed_cpu_seconds"] == pytest.approx(total, abs=tolerance(total))
    check_exact_cpu(run)


def test_what_the_records_say_is_a_rung_beside_the_totals_and_never_more(run_assay, events):
    run = run_assay.load("children", 300, 2, options=events)
    rungs = {rung["key"]: rung for rung in run.info["rungs"]["cpu"]}
    record, keeper = rungs["taskstats_cpu_seconds"], rungs["keeper_cpu_seconds"]

    assert run.headline["cpu_seconds"]["key"] == "keeper_cpu_seconds"
    assert record["quality"] == "lower_bound" and not record["in_use"]
    assert keeper["value"] - lacks(run, keeper["value"]) <= record["value"] <= keeper["value"]
    assert run.info["summary"]["taskstats_processes_count"] == {"value": 301, "quality": "exact"}
    assert run.info["summary"]["taskstats_overflows_count"] == {"value": 0, "quality": "exact"}


def test_a_process_is_called_by_its_main_thread_though_another_one_ends_it(run_assay, events):
    run = run_assay.load("leaderless-children", 100, 2, "leader", options=events)
    names = by_name(run)

    assert "worker" not in names, names
    assert names["leader"]["processes"] == 100
    assert names["leader"]["cpu_seconds"] >= 0.2 * 0.99, "the other thread's time is its own"
    assert run.info["processes"]["too_short"] == 0
    check_processes(run)


def test_zombies_that_nobody_waits_for_are_counted_once(run_assay, events):
    """Their records come before a sample finds them."""
    options = [*events, "-i", "50ms"]
    run = run_assay(["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do (:) & done; exec sleep 0.5"], options)
    processes = run.info["processes"]

    assert sum(entry["processes"] for entry in processes["by_name"]) == processes["seen"] + processes["named_by_events"] == 11
    assert run.headline["processes"] == {"value": 11, "quality": "exact", "key": "connector_processes_started_count"}


def test_auto_reaped_children_are_named_too(run_assay, events):
    run = run_assay.load("ignored", 300, 2, options=events)

    assert sum(entry["processes"] for entry in run.info["processes"]["by_name"]) == run.truth["processes"] == 301
    assert by_name(run)["load"]["cpu_seconds"] >= run.truth["cpu_seconds"] - lacks(run, run.truth["cpu_seconds"])


def test_the_time_after_its_last_sample_is_a_process_own_by_name(run_assay, events):
    """Children that burn on for long after a sample: without the records more than half of it is nobody's."""
    run = run_assay.load("children", 3, 450, options=[*events, "-i", "700ms"])
    processes = run.info["processes"]

    assert sum(entry["cpu_seconds"] for entry in processes["by_name"]) >= run.truth["cpu_seconds"] * 0.99
    assert processes["unnamed_cpu_seconds"] <= run.truth["cpu_seconds"] * 0.01


def test_processes_of_others_are_not_the_jobs(run_assay, events, room):
    """Others fork as well meanwhile, under the name of ours."""
    run = run_assay.start(["LOAD", "TRUTH", "named-children", "300", "2", "mine"], events)
    other = subprocess.Popen([str(run_assay.load_path), str(room / "other.truth"), "named-children", "200", "1", "others"])
    run = run.finish()
    assert other.wait(60) == 0

    assert "others" not in by_name(run)
    assert run.info["summary"]["taskstats_processes_count"]["value"] == 301
    assert run.info["summary"]["taskstats_foreign_tasks_count"]["value"] >= 1
    check_exact_cpu(run)


# The kernel's buffer of records takes those of all that ends on the machine: how many it loses is not for this job alone to say.
@pytest.mark.alone
def test_a_flood_beyond_the_buffer_is_counted_and_said(run_assay, events):
    """The monitor stands still while more tasks end than the kernel keeps records of; who ends then is lost."""
    script = '"$1" "$2.threads" threads 20000 0 && exec "$1" "$2" named-children 300 0 flood'
    started = run_assay.start(["sh", "-c", script, "sh", "LOAD", "TRUTH"], events)
    run = finish_unwatched(started)
    processes, summary = run.info["processes"], run.info["summary"]

    assert summary["taskstats_overflows_count"]["value"] >= 1
    assert summary["taskstats_processes_count"]["quality"] == "lower_bound"
    assert summary["taskstats_processes_count"]["value"] < 300
    assert by_name(run).get("flood", {"processes": 0})["processes"] < 300
    assert sum(entry["processes"] for entry in processes["by_name"]) == processes["seen"] + processes["named_by_events"]
    assert any("records of ended processes" in note for note in run.info["notes"])
    claim = run.headline["cpu_seconds"]
    # The totals need no records; but nobody can vouch for them where perf misses the ends of so many.
    assert claim["quality"] == "exact" or "perf misses the ends" in claim["why"], claim


@pytest.mark.alone
def test_records_tell_whose_they_are_when_the_census_lost_events(run_assay, events):
    """Fewer records than the kernel keeps, more events than it does: the parent in the record is known."""
    started = run_assay.start(["LOAD", "TRUTH", "named-children", "7000", "0", "short"], events)
    run = finish_unwatched(started)

    assert run.info["summary"]["connector_overflows_count"]["value"] >= 1
    assert run.info["summary"]["taskstats_overflows_count"]["value"] == 0
    assert by_name(run)["short"]["processes"] == 7000
    assert run.info["summary"]["taskstats_processes_count"] == {"value": 7001, "quality": "lower_bound"}


def test_an_ordinary_user_is_told_why_not_and_records_as_before(run_assay, ordinary_user):
    asked = run_assay.start(["true"], EVENTS, user=ordinary_user)
    assert asked.wait(60) == 2
    assert b"CAP_NET_ADMIN" in asked.output("stderr")

    run = run_assay.load("children", 300, 2, options=["--measurements", "all"], user=ordinary_user)
    collector = next(c for c in run.info["collectors"] if c["name"] == "taskstats")
    assert not collector["available"] and "CAP_NET_ADMIN" in collector["why"]
    assert "named_by_events" not in run.info["processes"]
    assert not any(key.startswith("taskstats") for key in run.info["summary"])
    check_exact_cpu(run)
