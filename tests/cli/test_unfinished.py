# SPDX-License-Identifier: MIT
"""What is said of a run that is not done comes from its series, as bounds; nothing is a 0 that nobody measured."""
import json
import os
import signal
import subprocess

from support import read_usage, wait_for, windows_written


def shown(assay, prefix):
    output = subprocess.run([str(assay), "show", "--json", f"{prefix}info.json"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output)


def last_of(windows, key):
    return max(window["values"][key]["last"] for window in windows)


def test_a_run_that_goes_on_and_one_that_was_lost_tell_what_their_series_tells(run_assay, room):
    started = run_assay.start(["LOAD", "TRUTH", "until-file", str(room / "gate"), "0"], ["-i", "50ms", "--report-interval", "50ms"])
    monitor = started.running_info()["monitor"]
    wait_for(lambda: windows_written(started.prefix) >= 3, "three windows")
    running = shown(run_assay.assay, started.prefix)
    os.kill(monitor["pid"], signal.SIGKILL)
    started.wait(60)
    (room / "gate").touch()
    windows = read_usage(started.prefix, torn_end=True)
    lost = shown(run_assay.assay, started.prefix)

    assert (running["state"], lost["state"]) == ("running", "lost")
    for told in (running, lost):
        assert "wall_seconds" not in told["info"]["time"]
    headline = lost["info"]["headline"]
    assert headline["wall_seconds"] == {"value": last_of(windows, "tree_elapsed_seconds"), "quality": "lower_bound",
                                        "key": "tree_elapsed_seconds", "lower": last_of(windows, "tree_elapsed_seconds")}
    assert headline["cpu_seconds"]["value"] == last_of(windows, "tree_cpu_seconds") > 0
    assert headline["cpu_seconds"]["quality"] == "lower_bound"
    assert headline["memory_peak_bytes"]["value"] == max(window["values"]["proc_pss_total_bytes"]["max"] for window in windows)
    # A split by clock ticks is no bound.
    assert "cpu_user_seconds" not in headline
    assert 0 < running["info"]["headline"]["wall_seconds"]["value"] <= headline["wall_seconds"]["value"]


def test_what_the_file_said_before_is_a_bound_however_well_it_was_known(run_assay, room):
    run = run_assay(["true"], ["-i", "50ms", "--report-interval", "50ms"])
    info = dict(run.info, state="running")
    prefix = room / "renewed-"
    info["headline"]["wall_seconds"]["value"] = 5000.5
    (room / "renewed-info.json").write_text(json.dumps(info))
    (room / "renewed-usage.jsonl").write_text("".join(json.dumps(window) + "\n" for window in run.usage))
    told = shown(run_assay.assay, prefix)

    assert told["state"] == "lost"
    headline = told["info"]["headline"]
    assert headline["wall_seconds"] == {"value": 5000.5, "lower": 5000.5, "quality": "lower_bound", "key": "tree_elapsed_seconds"}
    assert {of["quality"] for of in headline.values()} == {"lower_bound"}
    assert "cpu_mean_cores" not in headline and "rungs" not in told["info"] and "wall_seconds" not in told["info"]["time"]
