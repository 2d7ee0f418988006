# SPDX-License-Identifier: MIT
"""The flight recorder: the last moments at full resolution, there after an end of any kind."""
import json
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from support import CPU_TOLERANCE_SECONDS, read_info, read_live, read_ring, wait_for

MIB = 1 << 20
# Every sample is wanted, and windows are wider than that from the start.
WIDE = ["-i", "20ms", "--report-interval", "10s"]


def sequences(samples):
    return [sample["sequence"] for sample in samples]


def values(samples, key):
    return [sample["values"][key] for sample in samples if key in sample["values"]]


def kill_all(started):
    """Recorder, keeper and job at once; the ring as it is then."""
    os.killpg(started.process.pid, signal.SIGKILL)
    assert started.wait(60) == -signal.SIGKILL


def test_every_sample_is_kept_where_windows_are_wide(run_assay, user):
    run = run_assay(["LOAD", "TRUTH", "memory-spike", "64", "300", "300"], WIDE, user=user)
    samples = read_live(f"{run_assay.room}/run1-")

    assert sequences(samples) == list(range(run.info["self"]["ticks"]))
    assert [i for i, sample in enumerate(samples) if sample.get("last")] == [len(samples) - 1]
    times = [sample["at_seconds"] for sample in samples]
    assert times == sorted(times)
    assert times[-1] >= run.headline["wall_seconds"]["value"]
    assert run.info["live"] == {"keep_seconds": 300, "samples": len(samples), "from_seconds": times[0],
                                "samples_lost": 0, "ordered": True}
    assert run.info["files"]["live"] == f"{run_assay.room}/run1-live"
    assert not [note for note in run.info["notes"] if "flight recorder" in note]


def test_the_ring_shows_when_memory_rose_and_fell(run_assay):
    run = run_assay(["sh", "-c", 'sleep 0.3; "$0" "$1" memory-spike 64 300 300; exit 0', "LOAD", "TRUTH"], WIDE)
    resident = values(read_live(f"{run_assay.room}/run1-"), "proc_rss_total_bytes")
    peak = max(resident)

    assert peak == run.info["summary"]["proc_peak_rss_total_bytes"]["value"]
    assert 64 * MIB <= peak <= 80 * MIB
    before = resident[:resident.index(peak)]
    after = resident[len(resident) - resident[::-1].index(peak):]
    assert min(before) < 32 * MIB and min(after) < 32 * MIB, "the series has only the peak of ten seconds"


def test_counters_of_the_last_sample_are_the_totals_of_the_run(run_assay):
    run = run_assay(["LOAD", "TRUTH", "children", "20", "10"], WIDE)
    last = read_live(f"{run_assay.room}/run1-")[-1]["values"]

    for key in ("keeper_cpu_seconds", "tree_io_read_syscall_bytes", "keeper_reaped_count"):
        assert last[key] == run.info["summary"][key]["value"], key
    rows = {row["key"] for row in run.info["measurements"]}
    assert set(last) <= rows


def test_a_process_is_named_with_its_cpu_and_its_memory(run_assay):
    run = run_assay(["LOAD", "TRUTH", "named", b"na\xffme", "300"], WIDE)
    samples = read_live(f"{run_assay.room}/run1-")
    seen = [process for sample in samples for process in sample["processes"] if process["name"] == "na\ufffdme"]

    assert {process["name_hex"] for process in seen} == {"6e61ff6d65"}
    assert len({(process["pid"], process["start_time_ticks"]) for process in seen}) == 1
    used = [process["values"]["proc_cpu_seconds"] for process in seen if "proc_cpu_seconds" in process["values"]]
    assert used == sorted(used)
    assert 0.1 <= used[-1] <= run.headline["cpu_seconds"]["value"] + CPU_TOLERANCE_SECONDS
    assert max(process["values"].get("proc_rss_bytes", 0) for process in seen) > 64 << 10  # 0 once it is going


def test_what_does_not_fit_is_counted_and_the_busiest_and_the_largest_stay(run_assay):
    held = run_assay.room / "held"
    script = '"$0" "$1" idle 200 60000 & "$0" "$1.a" peak-then-hold 64 64 "$2" & "$0" "$1.b" named busy 60000 & wait'
    started = run_assay.start(["sh", "-c", script, "LOAD", "TRUTH", str(held)], WIDE)

    def newest_full():  # asked often, so nothing is held against the schema
        path = Path(f"{started.prefix}live")
        samples = [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
        newest = max(samples, key=lambda sample: sample["sequence"], default={"values": {}})
        return newest["values"].get("tree_processes_count", 0) > 202 and newest["sequence"]

    try:
        wait_for(held.exists, "the memory to be held")
        first = wait_for(newest_full, "all processes to be there")
        last = wait_for(lambda: (newest := newest_full()) and newest >= first + 2 and newest, "more samples")
    finally:
        os.killpg(started.process.pid, signal.SIGTERM)
    started.finish()
    samples = read_live(started.prefix)
    full = [sample for sample in samples if sample["values"].get("tree_processes_count", 0) > 200]

    for sample in full:  # they may end while they are being read
        assert len(sample["processes"]) + sample["omitted_processes"] <= sample["values"]["tree_processes_count"]
    middle, = (sample for sample in samples if sample["sequence"] == last)
    assert len(middle["processes"]) >= 8
    assert len(middle["processes"]) + middle["omitted_processes"] == middle["values"]["tree_processes_count"]
    assert "busy" in [process["name"] for process in middle["processes"]]
    assert max(process["values"].get("proc_rss_bytes", 0) for process in middle["processes"]) >= 64 * MIB


def test_the_first_process_is_the_one_that_is_busy_now(run_assay):
    script = '"$0" "$1.a" burnt-then-idle 400 900 & sleep 0.6; "$0" "$1.b" named late 300; wait'
    run_assay(["sh", "-c", script, "LOAD", "TRUTH"], WIDE)
    late = [sample["processes"] for sample in read_live(f"{run_assay.room}/run1-")
            if any(process["name"] == "late" for process in sample["processes"])]
    used = [next(process["values"]["proc_cpu_seconds"] for process in processes if process["name"] == "late")
            for processes in late]
    # On a machine with more to do, it does not run between every two samples.
    grew, busiest = max((after - before, i + 1) for i, (before, after) in enumerate(zip(used, used[1:])))

    assert grew > 0.005
    assert "load" in [process["name"] for process in late[busiest]], "it used more, but not now"
    assert late[busiest][0]["name"] == "late"


def test_kill_9_of_everything_leaves_the_moment_before(run_assay):
    gate = run_assay.room / "grown"
    script = 'x=$(head -c 30000000 /dev/zero | tr "\\0" a); : > "$0"; while :; do :; done'
    started = run_assay.start(["sh", "-c", script, str(gate)], WIDE)
    wait_for(gate.exists, "the job to have grown")
    live = Path(f"{started.prefix}live")
    grown = wait_for(lambda: live.exists() and read_ring(started.prefix), "samples")[-1]["sequence"]
    newest = wait_for(lambda: (seen := read_ring(started.prefix)[-1]["sequence"]) >= grown + 5 and seen, "more samples")
    named = wait_for(lambda: (info := read_info(started.prefix)) and "live" in info["files"] and info, "a record of it")
    kill_all(started)

    samples = read_ring(started.prefix)
    assert sequences(samples) == list(range(samples[-1]["sequence"] + 1))
    assert samples[-1]["sequence"] >= newest
    assert samples[-1]["values"]["proc_rss_total_bytes"] >= 28 * MIB
    assert named["live"] == {"keep_seconds": 300, "ordered": False}
    assert read_info(started.prefix)["state"] == "running"


def test_no_slot_is_torn_by_kill_9_at_any_moment(run_assay):
    dice = random.Random(3)
    seen = 0
    # Often enough, and oftener where samples come slowly.
    for number in range(500):
        if number >= 25 and seen > 500:
            break
        # 51 slots, so that most writes are over older samples.
        started = run_assay.start(["LOAD", "TRUTH", "idle", "10", "60000"],
                                  ["-i", "1ms", "--report-interval", "10s", "--freeze-on-exit", "50ms"])
        live = Path(f"{started.prefix}live")
        wait_for(lambda path=live: path.exists() and path.stat().st_size > 0, "the ring")
        with pytest.raises(subprocess.TimeoutExpired):
            started.process.wait(dice.uniform(0, 0.12))  # the moment of the kill: any
        kill_all(started)
        samples = read_ring(started.prefix)
        first = samples[0]["sequence"]
        assert sequences(samples) == list(range(first, first + len(samples)))
        seen += samples[-1]["sequence"]
    assert seen > 500, "the ring was hardly written to"


def test_jq_puts_a_crashed_ring_in_order(run_assay):
    started = run_assay.start(["sleep", "60"], ["-i", "2ms", "--report-interval", "10s", "--freeze-on-exit", "20ms"])
    live = Path(f"{started.prefix}live")
    wait_for(lambda: live.exists() and read_ring(started.prefix)[-1]["sequence"] > 15, "the ring to go round")
    kill_all(started)
    jq = subprocess.run(["jq", "-s", "sort_by(.sequence)[] | .sequence", str(live)], check=True, capture_output=True)

    assert [int(word) for word in jq.stdout.split()] == sequences(read_ring(started.prefix))


def test_only_the_last_moments_are_kept(run_assay):
    started = run_assay.start(["LOAD", "TRUTH", "until-file", str(run_assay.room / "gate"), "0"],
                              ["-i", "10ms", "--report-interval", "10s", "--freeze-on-exit", "200ms"])
    live = Path(f"{started.prefix}live")
    wait_for(lambda: live.exists() and live.stat().st_size and read_ring(started.prefix)[-1]["sequence"] > 30, "the ring to go round")
    (run_assay.room / "gate").touch()
    run = started.finish()
    samples = read_live(started.prefix)

    assert samples[0]["sequence"] > 0
    assert sequences(samples) == list(range(samples[0]["sequence"], samples[0]["sequence"] + len(samples)))
    assert samples[0]["at_seconds"] >= samples[-1]["at_seconds"] - 0.2
    assert run.info["live"]["from_seconds"] == samples[0]["at_seconds"]
    assert run.info["live"]["samples"] == len(samples)
    assert run.info["live"]["keep_seconds"] == 0.2


@pytest.mark.parametrize("options", [[], ["-i", "1s"], ["-i", "1s", "--report-interval", "1s"], [*WIDE, "--freeze-on-exit", "0"],
                                     [*WIDE, "-t", "system-summary"]])
def test_there_is_no_file_where_the_series_is_as_fine_or_none_was_wanted(run_assay, options):
    run = run_assay(["sleep", "0.3"], options, complete=False)

    assert read_live(f"{run_assay.room}/run1-") is None
    assert "live" not in run.info and "live" not in run.info["files"]


def test_a_wrong_duration_is_refused(run_assay):
    run = run_assay(["true"], ["--freeze-on-exit", "soon"], complete=False)

    assert run.status == 2
    assert b"--freeze-on-exit" in run.stderr


def test_a_disk_without_room_for_the_ring_has_none_and_the_record_says_so(run_assay, disk_of):
    disk = disk_of("1m")
    run = run_assay(["sh", "-c", "sleep 0.3; exit 3"], WIDE, prefix=f"{disk}/")

    assert run.status == 3
    assert sorted(os.listdir(disk)) == ["info.json", "usage.jsonl"]
    assert [note for note in run.info["notes"] if note.startswith("flight recorder:") and "No space" in note]
    assert "live" not in run.info


def test_a_ring_that_cannot_be_put_in_order_stays_a_ring(run_assay, disk_of):
    disk = disk_of("4m")
    script = f'sleep 0.4; head -c 100000000 /dev/zero > {disk}/fill 2>/dev/null; sleep 0.2; exit 3'
    run = run_assay(["sh", "-c", script], [*WIDE, "--freeze-on-exit", "1s"], prefix=f"{disk}/", complete=False)
    samples = read_ring(f"{disk}/")

    assert run.status == 3
    assert run.info["state"] == "done"
    assert sequences(samples) == list(range(run.info["self"]["ticks"])), "its room was reserved"
    assert run.info["live"] == {"keep_seconds": 1, "samples": len(samples), "from_seconds": samples[0]["at_seconds"],
                                "samples_lost": 0, "ordered": False}
    assert [note for note in run.info["notes"] if note.startswith("flight recorder:")]
    assert sorted(os.listdir(disk)) == ["fill", "info.json", "live", "usage.jsonl"]


def test_where_the_file_cannot_grow_the_ring_is_as_large_as_it_got(run_assay):
    wrapper = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh"]  # 32 KiB: eight slots
    run = run_assay(["sh", "-c", "sleep 1; exit 3"], WIDE, wrapper=wrapper, complete=False)
    samples = read_live(f"{run_assay.room}/run1-") or read_ring(f"{run_assay.room}/run1-")

    assert run.status == 3
    assert sequences(samples) == list(range(samples[-1]["sequence"] - 7, samples[-1]["sequence"] + 1))
    assert samples[-1]["last"]


def test_the_live_file_of_another_run_is_not_taken_over(run_assay):
    live = run_assay.room / "old-live"
    live.write_text("precious\n", encoding="utf-8")
    refused = run_assay(["true"], prefix=run_assay.room / "old-", complete=False)

    assert refused.status == 2
    assert b"old-live" in refused.stderr
    assert live.read_text(encoding="utf-8") == "precious\n"
    run = run_assay(["true"], ["--clobber"], prefix=run_assay.room / "old-")
    assert "live" not in run.info
    assert not live.exists(), "it is not this run's"


def test_a_value_that_is_only_a_bound_is_never_there_without_saying_so(run_assay):
    run_assay(["sh", "-c", "sleep 0.2"], WIDE)
    bounds = [(key, sample) for sample in read_live(f"{run_assay.room}/run1-") for key in sample["values"]
              if key.startswith("cgroup_memory_") and not key.endswith("limit_bytes")]

    if not bounds:
        pytest.skip("needs a memory cgroup that others may be in")
    for key, sample in bounds:
        assert sample["qualities"][key] in ("upper_bound", "estimate"), (key, sample["qualities"])
