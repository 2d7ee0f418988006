# SPDX-License-Identifier: MIT
"""assay import of sacct, nvidia-smi, its dmon and JUmPER: each run written is valid by the schemas and has the values of its file.

Of sacct, sacct-22.05.txt was recorded: SLURM_TIME_FORMAT=%s sacct -P -D of a Slurm 22.05.8 with slurmdbd, two nodes and jobs that ended in every way, the user's name
and id replaced. The other files are made by hand after the tools' documented formats; tests/unit/test_import_formats.c reckons more of their values."""
import io
import zipfile

import pytest

from calling import Caller
from support import REPOSITORY, read_info, read_usage

FOREIGN = REPOSITORY / "tests" / "fixtures" / "foreign"
GIB = 1 << 30


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def take(call, room):
    """Imports the runs of one file; returns the info and the windows of each, valid by the schemas."""
    def take(path, runs=1):
        called = call("import", "-p", f"{room}/run{{pid}}/", str(path))
        assert called.status == 0, called.err
        prefixes = [line.split(" from ")[0] for line in called.out.splitlines()]
        assert len(prefixes) == runs
        return [(read_info(prefix), usage_of(prefix)) for prefix in prefixes]

    def usage_of(prefix):
        return read_usage(prefix) if (room / prefix / "usage.jsonl").exists() else []

    return take


def refusal(call, path):
    called = call("import", str(path))
    assert called.status == 1
    assert called.out == ""
    assert len(called.err.splitlines()) == 1
    return called.err


def device(of, name):
    return next(one for one in of["devices"] if one["name"] == name)


def test_gpus_have_series_of_their_own(take):
    [(info, usage)] = take(FOREIGN / "nvidia-smi-header.csv")

    first = [device(window, "GPU-aaaaaaaa-0000")["values"] for window in usage]
    assert [values["nvsmi_power_watts"]["max"] for values in first] == [60, 100, 200, 300]
    second = [device(window, "GPU-bbbbbbbb-1111")["values"] for window in usage]
    assert "nvsmi_power_watts" not in second[0]
    assert "nvsmi_gpu_utilization_percent" not in second[1]
    assert "nvsmi_memory_used_bytes" not in second[2]
    assert [values["nvsmi_memory_utilization_percent"]["last"] for values in second] == [2, 3, 3, 3]
    # A hole of a minute is in no window.
    assert [window["end_seconds"] - window["start_seconds"] for window in usage] == pytest.approx([0, 2, 2, 2])
    assert usage[3]["end_seconds"] == pytest.approx(64.01)
    assert "nvsmi_energy_joules" not in first[3]
    assert info["summary"]["nvsmi_energy_total_joules"] == {"value": 630, "quality": "lower_bound"}
    assert "started" not in info["time"]
    assert device(info, "GPU-aaaaaaaa-0000")["summary"]["nvsmi_peak_power_watts"]["value"] == 300


def test_the_order_of_columns_means_nothing(take, room):
    lines = [line.split(", ") for line in (FOREIGN / "nvidia-smi-header.csv").read_text().splitlines()[:-1]]
    turned = room / "turned.csv"
    turned.write_text("".join(", ".join(reversed(cells)) + "\n" for cells in lines))

    [(as_it_is, usage)] = take(FOREIGN / "nvidia-smi-header.csv")
    [(as_turned, usage_turned)] = take(turned)
    assert as_turned["devices"] == as_it_is["devices"]
    assert as_turned["summary"] == as_it_is["summary"]
    assert len(usage_turned) == len(usage)


def test_a_file_without_header_says_how_to_give_it_one(call, take, room):
    assert "put the list given to --query-gpu before it" in refusal(call, FOREIGN / "hw_metrics.csv")
    columns = "timestamp, utilization.gpu, utilization.memory, memory.used, memory.total, power.draw, temperature.gpu, "
    mended = room / "mended.csv"
    mended.write_text(f"{columns}clocks.current.sm, clocks.current.memory\n{(FOREIGN / 'hw_metrics.csv').read_text()}")

    [(info, _)] = take(mended)
    assert info["devices"][0]["summary"]["nvsmi_peak_memory_used_bytes"]["value"] == 2050 << 20


def test_columns_of_dmon_may_change_in_the_middle(take, room):
    text = (FOREIGN / "dmon-mu.txt").read_text() + "# gpu     fb     sm \n# Idx     MB      % \n    0    900     77 \n    1     10     88 \n"
    path = room / "two.txt"
    path.write_text(text)

    [(info, usage)] = take(path)
    assert len(usage) == 4
    assert device(info, "0")["summary"]["dmon_peak_memory_used_bytes"]["value"] == 900 << 20
    assert device(info, "1")["summary"]["dmon_peak_sm_utilization_percent"]["value"] == 88
    assert "wall_seconds" not in info["time"]


def test_each_job_of_sacct_is_a_run(take):
    runs = [info for info, _ in take(FOREIGN / "sacct.txt", runs=6)]

    assert [info["name"] for info in runs] == ["train", "array", "het", "killed", "again", "waiting"]
    assert [info.get("outcome", {}).get("words") for info in runs] == [
        "exited 0", "cancelled by user 1000", "ended out of memory", "killed by SIGKILL", "ended at its time limit", None]
    assert "headline" not in runs[5] and "wall_seconds" not in runs[5]["time"], "it waits"
    assert ["memory_peak_bytes" in info.get("headline", {}) for info in runs] == [True, False, True, False, False, False]
    assert runs[0]["headline"]["memory_peak_bytes"]["value"] == 4 * GIB, "all tasks of the largest step, of which the largest had 2.5 GiB"
    assert runs[0]["headline"]["memory_peak_bytes"]["quality"] == "estimate"
    assert ["cpu_seconds" in info.get("headline", {}) for info in runs] == [True, False, True, True, False, False]
    assert [info["time"].get("started") for info in runs] == [
        None, None, None, "2026-01-02T10:00:00.000000Z", "2026-01-02T09:00:00.000000Z", None]


def test_jobs_of_a_real_slurm_ended_as_it_says(take):
    """Checked against what the jobs were made to do: sleep, fail with 3, take 200 MiB of 60, sleep beyond the limit of a minute, and so on."""
    runs = [info for info, _ in take(FOREIGN / "sacct-22.05.txt", runs=18)]
    told = [(info["name"], info["state"], info.get("outcome", {}).get("words"), info["time"].get("wall_seconds")) for info in runs]

    assert told == [
        ("done", "done", "exited 0", 10), ("failed", "done", "exited 3", 2), ("oom", "done", "killed by SIGKILL", 1),
        ("timeout", "done", "ended at its time limit", 84), ("cancelled", "done", "cancelled by user 0", 36), ("segv", "done", "killed by SIGSEGV", 0),
        ("two", "done", "exited 0", 5), ("suspended", "done", "exited 0", 6), ("requeued", "done", "exited 0", 8), ("het", "done", "exited 0", 3),
        ("het", "done", "exited 0", 3), ("arr", "done", "exited 0", 2), ("arr", "done", "exited 0", 2), ("suspended", "done", "exited 0", 8),
        ("requeued", "done", "ended to be put back in the queue", 3), ("nodefail", "done", "ended with a node that failed", 8),
        ("cancelled", "done", "cancelled by user 1000", 3), ("requeued", "done", "exited 0", 15)]
    two = runs[6]
    # Four tasks on two nodes, each of some 39 MiB, and beside them all the time the script that waited for them: --mem=120M of each node.
    assert two["headline"]["memory_peak_bytes"]["value"] == (158544 + 12392) << 10
    assert two["headline"]["memory_peak_bytes"]["key"] == "sacct_concurrent_steps_memory_bytes"
    assert two["summary"]["sacct_peak_step_memory_bytes"]["value"] == 158544 << 10
    assert [two["summary"][f"sacct_peak_{name}_count"]["value"] for name in ("tasks", "nodes", "out_of_memory_steps")] == [4, 2, 0]
    assert two["summary"]["sacct_peak_task_rss_bytes"]["value"] == 39744 << 10
    [memory] = [limit for limit in two["target_limits"] if limit["name"] == "memory"]
    assert (memory["limit"], memory["note"]) == (240 << 20, "of the whole job")
    # The 1500 KiB of its sleep are less than what Slurm's samples miss.
    assert runs[0]["headline"]["memory_peak_bytes"] | {"why": ""} == {"value": 216656 << 10, "quality": "estimate", "key": "sacct_task_rss_bytes", "why": ""}
    assert runs[0]["time"]["started"] == "2026-11-29T04:26:40.000000Z"
    assert runs[0]["command"]["text"] == "sbatch done.sh"


@pytest.mark.parametrize("columns, line, outcome", [
    ("JobID|ExitCode|Elapsed", "7|0:0|00:00:09", None), ("JobID|ExitCode|Elapsed", "7|2:0|00:00:09", "exited 2"),
    ("JobID|ExitCode|Elapsed", "7|0:9|00:00:09", "killed by SIGKILL"), ("JobID|State|ExitCode|Elapsed", "7|FAILED|0:0|00:00:09", "failed"),
    ("JobID|State|ExitCode|Elapsed", "7|COMPLETED|0:125|00:00:09", "ended out of memory"), ("JobID|State|Elapsed", "7|COMPLETED|00:00:09", "exited 0")])
def test_an_exit_code_of_0_alone_is_no_good_end(take, room, columns, line, outcome):
    (room / "job").write_text(f"{columns}\n{line}\n")
    [(info, _)] = take(room / "job")
    assert info.get("outcome", {}).get("words") == outcome
    assert info.get("outcome", {}).get("cause") == {None: None, "killed by SIGKILL": "signal", "failed": "unknown", "ended out of memory": "oom_kill"}.get(
        outcome, "exited")
    assert info.get("outcome", {}).get("exit_code") == {"exited 0": 0, "exited 2": 2}.get(outcome)


def test_steps_that_ended_badly_are_told_of_a_job_that_went_on(take, room):
    (room / "job").write_text("JobID|State|ExitCode|Elapsed|MaxRSS\n7|COMPLETED|0:0|00:00:09|\n7.0|OUT_OF_MEMORY|0:125|00:00:02|4G\n"
                              "7.1|FAILED|1:0|00:00:03|1G\n7.2|COMPLETED|0:0|00:00:03|1G\n")
    [(info, _)] = take(room / "job")
    assert info["outcome"]["exit_code"] == 0
    assert info["summary"]["sacct_peak_out_of_memory_steps_count"]["value"] == 1
    assert "steps that did not come to a good end: 2 of 3, the first was 7.0" in info["notes"]


STEPS = "JobID|State|Start|End|Elapsed|NTasks|MaxRSS|TRESUsageInTot\n7|COMPLETED|2026-01-02T10:00:00|2026-01-02T10:10:00|00:10:00|||\n"


def memory_of(take, room, *steps, head=STEPS):
    """Of a job with these steps."""
    (room / "job").write_text(head + "".join(f"{step}\n" for step in steps))
    [(info, _)] = take(room / "job")
    return info["headline"]["memory_peak_bytes"], info


@pytest.mark.parametrize("times, gib", [
    (("2026-01-02T10:00:00|2026-01-02T10:10:00|", "2026-01-02T10:00:00|2026-01-02T10:10:00|"), 7),
    (("2026-01-02T10:00:00||00:05:00", "2026-01-02T10:04:59||00:05:00"), 7), (("2026-01-02T10:00:00||00:05:00", "2026-01-02T10:05:00||00:05:00"), 4),
    (("1767348000|1767348300|00:05:00", "1767348300|Unknown|00:05:00"), 4), (("1767348000|Unknown|00:05:00", "1767348299|Unknown|00:05:00"), 7),
    # The clock was set back: an End before its Start tells nothing.
    (("2026-10-25T02:50:00|2026-10-25T02:10:00|00:20:00", "2026-10-25T03:00:00|2026-10-25T03:30:00|00:30:00"), 7)])
def test_steps_side_by_side_are_added_up(take, room, times, gib):
    memory, info = memory_of(take, room, f"7.0|COMPLETED|{times[0]}|1|4G|mem=4G", f"7.1|COMPLETED|{times[1]}|1|3G|mem=3G")
    assert (memory["value"], memory["quality"]) == (gib * GIB, "estimate")
    assert memory["key"] == ("sacct_concurrent_steps_memory_bytes" if gib == 7 else "sacct_task_rss_bytes")
    assert ("2 steps that ran side by side" in memory["why"]) == (gib == 7)
    assert info["summary"]["sacct_peak_task_rss_bytes"]["value"] == 4 * GIB
    assert not any("at least" in note for note in info.get("notes", []))


def test_a_step_that_was_stopped_lasts_longer_than_its_elapsed_time(take, room):
    head = "JobID|Start|Elapsed|Suspended|NTasks|MaxRSS\n7|100|00:01:00|00:00:30||\n"
    for suspended, gib in (("00:00:10", 5), ("00:00:09", 3)):
        memory, _ = memory_of(take, room, f"7.0|100|00:00:20|{suspended}|1|2G", "7.1|129|00:00:20|00:00:00|1|3G", head=head)
        assert memory["value"] == gib * GIB


def test_steps_whose_times_are_not_told_are_a_lower_bound(take, room):
    memory, info = memory_of(take, room, "7.0|COMPLETED||||1|4G|mem=4G", "7.1|COMPLETED||||1|3G|mem=3G")
    assert (memory["value"], memory["quality"]) == (4 * GIB, "lower_bound")
    assert any(note.startswith("memory is at least that: when its steps ran is not told (Start and Elapsed") for note in info["notes"])
    # The script and what is beside it are there with each of them, whatever is told.
    memory, _ = memory_of(take, room, "7.batch|COMPLETED||||1|1G|", "7.0|COMPLETED||||1|4G|", "7.1|COMPLETED||||1|3G|")
    assert (memory["value"], memory["quality"]) == (5 * GIB, "lower_bound")
    memory, _ = memory_of(take, room, "7.batch|COMPLETED||||1|1G|", "7.extern|COMPLETED||||1|1G|", "7.0|COMPLETED||||1|4G|")
    assert (memory["value"], memory["quality"]) == (6 * GIB, "estimate")


@pytest.mark.parametrize("tasks, key", [("1", "sacct_concurrent_steps_memory_bytes"), ("8", "sacct_task_rss_bytes"), ("", "sacct_task_rss_bytes")])
def test_a_sum_with_a_step_of_its_largest_task_is_none_of_all_tasks(take, room, tasks, key):
    memory, _ = memory_of(take, room, f"7.0|COMPLETED|100|200||{tasks}|4G|", "7.1|COMPLETED|100|200||8|1G|mem=3G")
    assert (memory["value"], memory["key"]) == (7 * GIB, key)


def test_a_damaged_list_is_not_read_and_told(take, room):
    memory, info = memory_of(take, room, "7.batch|COMPLETED|100|700|00:10:00|1|13107200|cpu=00:00:01,mem=12,5M")
    assert (memory["value"], memory["key"]) == (13107200, "sacct_task_rss_bytes")
    assert "sacct_peak_step_memory_bytes" not in info["summary"]
    assert "lists of TRES that are damaged, and were not read: 1, the first of 7.batch" in info["notes"]

    (room / "job").write_text(STEPS + "7.batch|COMPLETED|100|700|00:10:00|1||cpu=00:00:01,mem=12,5M\n")
    [(info, _)] = take(room / "job")
    assert "memory_peak_bytes" not in info["headline"]


@pytest.mark.parametrize("asked, limit", [("4096", 4 * GIB), ("4096n", 4 * GIB), ("2048c", 4 * GIB), ("4G", 4 * GIB), ("1e3G", None), ("4,5G", None), ("0", None)])
def test_memory_that_was_asked_for_without_a_unit_is_in_mib(take, room, asked, limit):
    (room / "job").write_text(f"JobID|State|Elapsed|ReqMem|AllocCPUS\n7|COMPLETED|00:00:09|{asked}|2\n")
    [(info, _)] = take(room / "job")
    assert [one["limit"] for one in info["target_limits"] if one["name"] == "memory"] == ([limit] if limit else [])
    assert ("ReqMem is damaged, and was not read" in info.get("notes", [])) == (asked in ("1e3G", "4,5G"))


def test_any_format_of_sacct_is_read(take, room):
    path = room / "jobs"
    path.write_text("MaxRSS|Elapsed|JobIDRaw|\n|00:01:00|9|\n3M|00:01:00|9.0|\n")

    [(info, _)] = take(path)
    assert info["headline"]["memory_peak_bytes"]["value"] == 3 << 20
    assert info["slurm"] == {"job_id": 9}
    assert "outcome" not in info and "target_limits" not in info


def test_a_session_and_its_zip_file_are_the_same(take):
    unpacked = take(FOREIGN / "jumper-session", runs=2)
    packed = take(FOREIGN / "jumper-session.zip", runs=2)

    for (info, usage), (info_packed, usage_packed) in zip(unpacked, packed):
        assert info["summary"] == info_packed["summary"]
        assert info["headline"] == info_packed["headline"] if "headline" in info else "headline" not in info_packed
        assert usage == usage_packed
    assert [info["tags"]["level"] for info, _ in unpacked] == ["process", "system"]
    deltas = [window["values"].get("jumper_read_bytes", {}).get("delta") for window in unpacked[0][1]]
    assert deltas == [None, 1000, 0, 4000]


def repacked(change):
    """The session as a zip file, each member as change(name, bytes) gives it back."""
    packed = io.BytesIO()
    with zipfile.ZipFile(FOREIGN / "jumper-session.zip") as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(*change(name, old.read(name)))
    return packed.getvalue()


def test_names_in_a_zip_file_are_never_paths(take, room):
    outside = room / "outside"
    path = room / "climbing.zip"
    path.write_bytes(repacked(lambda name, data: (f"../{outside.name}/{name}", data)))

    take(path, runs=2)
    assert not outside.exists()
    assert sorted(entry.name for entry in room.iterdir() if entry.name.startswith("perf")) == []


def test_damaged_sessions_are_refused_with_the_reason(call, room):
    path = room / "bad.zip"

    path.write_bytes(repacked(lambda name, data: (name, b"{" if name == "manifest.json" else data)))
    assert "manifest.json" in refusal(call, path)
    path.write_bytes(repacked(lambda name, data: (name, b"a,b\n1,2\n" if name == "perf_process.csv" else data)))
    assert 'no column "time"' in refusal(call, path)
    path.write_bytes((FOREIGN / "jumper-session.zip").read_bytes()[:900])
    assert "damaged" in refusal(call, path)


def test_io_that_is_no_running_sum_is_left_out(take, room):
    def spoil(name, data):
        if name != "perf_process.csv":
            return name, data
        rows = [line.split(",") for line in data.decode().splitlines()]
        place = rows[0].index("io_read")
        for row in rows[1:]:
            row[place] = "0.3333"
        return name, "".join(",".join(row) + "\n" for row in rows).encode()

    path = room / "other.zip"
    path.write_bytes(repacked(spoil))
    (info, _), _ = take(path, runs=2)
    assert "io_read_bytes" not in info["headline"]
    assert info["headline"]["io_write_bytes"]["value"] == 1000011808
    assert any("as JUmPER writes them: 4" in note for note in info["notes"])


def smi(room, lines, columns="timestamp, index, power.draw [W], memory.used [MiB]", name="smi.csv"):
    """A recording: each line as (second, cells ...)."""
    path = room / name
    stamp = lambda second: f"2026/01/02 10:{int(second) // 60:02}:{second % 60:06.3f}"
    path.write_text("\n".join([columns, *(", ".join([stamp(line[0]), *map(str, line[1:])]) for line in lines)]) + "\n")
    return path


def summary(info, key):
    return info["summary"][key]["value"]


def test_each_round_of_gpus_counts_the_same_in_a_mean(take, room):
    alone = smi(room, [(0, 0, 100.0, 1004), (1, 0, 200.0, 2004), (2, 0, 300.0, 3004)], name="alone.csv")
    [(info, _)] = take(alone)
    assert summary(info, "nvsmi_mean_memory_used_total_bytes") == 2004 << 20
    assert device(info, "0")["summary"]["nvsmi_mean_power_watts"]["value"] == 200

    lines = [(0, 0, 100.0, 1), (0, 1, 50.75, 1), (1, 0, 100.0, 1), (1, 1, "[N/A]", 1), (2, 0, 150.0, 1), (2, 1, 200.75, 1)]
    [(info, _)] = take(smi(room, lines))
    assert summary(info, "nvsmi_mean_power_total_watts") == pytest.approx((150.75 + 350.75) / 2)
    assert summary(info, "nvsmi_last_power_total_watts") == 350.75
    assert device(info, "1")["summary"]["nvsmi_mean_power_watts"]["value"] == pytest.approx((50.75 + 200.75) / 2)


def test_a_gpu_without_power_makes_the_energy_a_lower_bound_and_the_last_sum_none(take, room):
    lines = [(second, gpu, "[N/A]" if gpu == 1 and second >= 3 else 200.0, 7) for second in range(6) for gpu in (0, 1)]
    [(info, usage)] = take(smi(room, lines))
    assert info["summary"]["nvsmi_energy_total_joules"] == {"value": 1000 + 400, "quality": "lower_bound"}
    assert "nvsmi_last_power_total_watts" not in info["summary"]
    assert summary(info, "nvsmi_last_memory_used_total_bytes") == 14 << 20
    assert device(info, "0")["summary"]["nvsmi_energy_joules"] == {"value": 1000, "quality": "estimate"}
    assert device(info, "1")["summary"]["nvsmi_energy_joules"] == {"value": 400, "quality": "lower_bound"}
    assert "nvsmi_last_power_watts" not in device(info, "1")["summary"]
    assert [window["values"]["nvsmi_energy_total_joules"]["quality"] for window in usage[1:]] == ["estimate"] * 2 + ["lower_bound"] * 3


def test_a_lost_line_leaves_its_round_without_a_sum_and_no_other(take, room):
    lines = [(second, gpu, 100.0 * (1 + second), 1) for second in range(5) for gpu in (0, 1)]
    # Of the first round GPU 1 is lost, of the third GPU 0.
    [(info, usage)] = take(smi(room, [line for line in lines if line[:2] not in ((0, 1), (2, 0))]))
    sums = [window["values"].get("nvsmi_power_total_watts", {}).get("max") for window in usage]
    assert sums == [None, 400, None, 800, 1000]
    assert "rounds that lack the power of a GPU, and are not in that of all GPUs: 2 of 5" in info["notes"]
    assert summary(info, "nvsmi_min_power_total_watts") == 400
    assert info["summary"]["nvsmi_energy_total_joules"]["quality"] == "lower_bound"


def test_a_file_that_ends_in_a_round_keeps_the_last_whole_sum(take, room):
    lines = [(second, gpu, 100.0, 1) for second in range(3) for gpu in (0, 1)]
    [(info, _)] = take(smi(room, lines[:-1]))
    assert summary(info, "nvsmi_last_power_total_watts") == 200


def test_one_sample_of_gpus_measures_no_time(take, room):
    [(info, _)] = take(smi(room, [(0, 0, 100.0, 1)]))
    assert "wall_seconds" not in info["time"] and "nvsmi_energy_total_joules" not in info["summary"]
    assert summary(info, "nvsmi_mean_power_total_watts") == 100


def test_no_energy_is_told_between_lines_that_do_not_name_their_gpu(take, room):
    lines = [(second + skew, 200.0, "A100") for second in range(4) for skew in (0, 0.001)]
    [(info, usage)] = take(smi(room, lines, "timestamp, power.draw [W], name"))
    assert "energy" not in str(usage)
    assert "summary" not in info
    assert not [key for key in info["devices"][0]["summary"] if "energy" in key]
    assert "neither sum nor energy" in " ".join(info["notes"])


def test_recordings_one_after_the_other_keep_their_energy(take, room):
    once = [(second + 0.002 * gpu, gpu, 200.0, 1) for second in range(3) for gpu in (0, 1)]
    [(alone, _)] = take(smi(room, once, name="once.csv"))
    assert summary(alone, "nvsmi_energy_total_joules") == pytest.approx(800)
    [(twice, usage)] = take(smi(room, once + once, name="twice.csv"))
    assert summary(twice, "nvsmi_energy_total_joules") == pytest.approx(1600)
    assert twice["summary"]["nvsmi_energy_total_joules"]["quality"] == "lower_bound"
    notes = " ".join(twice["notes"])
    assert "set back" in notes and "gaps" not in notes


def test_one_short_distance_between_rounds_makes_no_gaps_of_the_others(take, room):
    seconds = [0, 1, 2, 3, 3.1, 4.1, 5.1, 6.1, 7.1]
    [(info, _)] = take(smi(room, [(second, 0, 100.0, 1) for second in seconds]))
    assert summary(info, "nvsmi_energy_total_joules") == pytest.approx(710)
    assert "gaps" not in " ".join(info["notes"])


def test_lines_of_gpus_that_are_left_out_are_counted_with_the_first_of_them(call, room):
    text = smi(room, [(second, 0, 100.0, 1) for second in range(4)]).read_text().splitlines()
    text[2] = "Unable to determine the device handle for GPU 0000:65:00.0: GPU is lost."
    text[4] = "2026/99/99 10:00:03.000, 0, 100, 1"
    (room / "smi.csv").write_text("\n".join(text) + "\n")
    called = call("import", "-p", str(room / "of_gpus_"), str(room / "smi.csv"))
    assert "2 lines" in called.err and "line 3" in called.err
    assert "2 lines of its file could not be read (the first is line 3)" in " ".join(read_info(str(room / "of_gpus_"))["notes"])

    text = (FOREIGN / "dmon-mu.txt").read_text().splitlines()
    (room / "dmon.txt").write_text("\n".join(text[:2] + ["    0    9\0  1"] + text[2:]) + "\n")
    called = call("import", "-p", str(room / "of_dmon_"), str(room / "dmon.txt"))
    assert "1 line" in called.err and "line 3" in called.err


@pytest.mark.parametrize("from_", [(), ("--from", "nvidia-smi-dmon")])
def test_a_line_of_each_process_is_not_taken_for_one_of_a_gpu(call, room, from_):
    path = room / "pmon.txt"
    path.write_text("# gpu        pid  type    sm   mem   enc   dec   command\n# Idx          #   C/G     %     %     %     %   name\n"
                    "    0       1234     C    50    20     -     -   python\n    0       1235     C    40    10     -     -   python\n")
    called = call("import", *from_, str(path))
    assert called.status == 1 and called.out == ""
    assert "pmon" in called.err and len(called.err.splitlines()) == 1


def imported(call, room, path, name, *more):
    """One run of that file: what was said, its info and its windows."""
    called = call("import", *more, "-p", f"{room}/{name}_", str(path))
    assert called.status == 0, called.err
    prefix = f"{room}/{name}_"
    return called, read_info(prefix), read_usage(prefix) if (room / f"{name}_usage.jsonl").exists() else []


SACCT = "JobID|JobName|State|ExitCode|Start|End|Elapsed|TotalCPU\n"


@pytest.mark.parametrize("state, elapsed, wall", (("RUNNING", "00:10:00", 600), ("SUSPENDED", "00:00:07", 7), ("PENDING", "00:00:00", None)))
def test_a_job_that_has_not_ended_is_not_done_and_a_waiting_one_has_no_time(call, room, state, elapsed, wall):
    start = "Unknown" if state == "PENDING" else "2026-01-02T10:00:00"
    (room / "job.txt").write_text(f"{SACCT}7|j|{state}|0:0|{start}|Unknown|{elapsed}|00:00:00\n")
    assert call("import", "-n", str(room / "job.txt")).out.endswith(", running\n")

    called, info, _ = imported(call, room, room / "job.txt", "job")
    assert info["state"] == "lost" and called.out.endswith(f", lost: it was {state} when sacct was asked\n")
    shown = [" ".join(call("show", word).out.split()) for word in (f"{room}/job_", str(room / "job.txt"))]
    assert shown[0].startswith("assay: lost, its end is not told") and "recorder ended" not in shown[0]
    assert shown[1].startswith("assay: not over when last written")
    for out in shown:
        assert f"it was {state} when sacct was asked" in out
        assert ("it had not begun" in out) == (state == "PENDING") and ("had used until then" in out) == (state != "PENDING")
    assert info["imported"]["lost"] == f"it was {state} when sacct was asked"
    assert info["time"].get("wall_seconds") == wall
    assert info.get("headline", {}).get("wall_seconds", {}).get("value") == wall
    assert "cpu_seconds" not in info.get("headline", {}), "Slurm tells it of steps that ended"
    assert any(note.startswith("TotalCPU is 0 over") for note in info["notes"]) == (wall is not None)
    assert "outcome" not in info


@pytest.mark.parametrize("state, words", (("OUT_OF_MEMORY", "ended out of memory"), ("TIMEOUT", "time limit"), ("FAILED", "SIGKILL")))
def test_what_slurm_ended_was_ended_by_slurm_whatever_the_signal(call, room, state, words):
    (room / "job.txt").write_text(f"{SACCT}7|j|{state}|0:9|2026-01-02T10:00:00|2026-01-02T11:00:00|01:00:00|00:30:00\n")
    _, info, _ = imported(call, room, room / "job.txt", "job")

    assert words in info["outcome"]["words"] and ("signal" in info["outcome"]) == (state == "FAILED")
    assert info["time"]["started_local"] == "2026-01-02T10:00:00" and "started" not in info["time"]


def test_the_name_of_a_step_is_none_of_its_job(call, room):
    (room / "job.txt").write_text(f"{SACCT}7.batch|batch|COMPLETED|0:0|2026-01-02T10:00:00|2026-01-02T11:00:00|01:00:00|00:30:00\n")
    _, info, _ = imported(call, room, room / "job.txt", "job")
    assert "name" not in info


def test_a_job_that_was_cancelled_while_it_waited_has_no_time(call, room):
    (room / "job.txt").write_text(f"{SACCT}7|j|CANCELLED by 5|0:0|None|2026-01-02T10:00:00|00:00:00|00:00:00\n")
    _, info, _ = imported(call, room, room / "job.txt", "job")
    assert info["state"] == "done" and "headline" not in info and "wall_seconds" not in info["time"]


def test_lines_of_sacct_that_are_left_out_are_counted_with_their_job(call, take, room):
    good = "7|j|COMPLETED|0:0|2026-01-02T10:00:00|2026-01-02T10:00:09|00:00:09|00:00:01\n"
    text = SACCT + good + "7.batch|a|b|COMPLETED|0:0||||00:00:01\n" + "7.0|\0|\n" + good.replace("7|", "8|", 1) + "x" * 2_000_000 + "\n"
    (room / "jobs.txt").write_text(text)
    called = call("import", "-p", str(room / "run{pid}_"), str(room / "jobs.txt"))
    assert called.status == 0
    assert "2 lines could not be read (the first is line 3)" in called.err
    assert "1 line could not be read (the first is line 6)" in called.err
    notes = [info["notes"] for info, _ in take(room / "jobs.txt", runs=2)]
    assert ["2 lines" in " ".join(notes[0]), "1 line of its file" in " ".join(notes[1])] == [True, True]

    (room / "one.txt").write_text(SACCT + "7|a|b|COMPLETED|0:0||||00:00:01\n")
    assert "no job is in it, and 1 line could not be read (the first is line 2)" in refusal(call, room / "one.txt")


BEGINNINGS = ("nvidia-smi-header.csv", "dmon-mu.txt", "sacct.txt", "prmon/prmon.txt", "prmon/prmon.json", "psrecord/plain.txt",
              "psrecord/log.csv", "resource_monitor/job.series", "resource_monitor/job.summary")


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_mark_of_the_byte_order_changes_nothing(call, room, name):
    for place, mark in (("plain", b""), ("marked", b"\xef\xbb\xbf")):
        (room / place).mkdir()
        (room / place / name.rpartition("/")[2]).write_bytes(mark + (FOREIGN / name).read_bytes())
    of = []
    for place in ("plain", "marked"):
        path = room / place / name.rpartition("/")[2]
        called = call("import", "-p", f"{room}/{place}{{pid}}_", str(path))
        assert called.status == 0, called.err
        prefixes = [line.split(" from ")[0] for line in called.out.splitlines()]
        of.append([{key: value for key, value in read_info(prefix).items() if key not in ("id", "imported", "files")} for prefix in prefixes])
    assert of[0] == of[1]


@pytest.mark.parametrize("header, line", (
    ("timestamp, index, power.draw [W], power.draw [W]", "2026/01/02 10:00:00.000, 0, 1, 2"),
    ("# gpu   sm   sm\n# Idx    %    %", "    0    1    2"),
    ("elapsed_time,cpu,cpu", "0.0,1,2"), ("Time\twtime\tpss\tpss", "1\t1\t1\t1")))
def test_a_column_twice_is_refused_in_every_table(call, room, header, line):
    (room / "twice").write_text(f"{header}\n{line}\n")
    assert " twice" in refusal(call, room / "twice")


@pytest.mark.parametrize("text", ("elapsed_time,cpu,mem_real\nx,y,z\n", "Time\twtime\tpss\nx\ty\tz\n",
                                  "timestamp, index, power.draw [W]\nx, 0, 1\n", "# gpu   sm\n# Idx    %\n    0\n"))
def test_a_table_without_a_line_that_can_be_read_is_refused(call, room, text):
    (room / "none").write_text(text)
    refusal(call, room / "none")


@pytest.mark.parametrize("odd", ("0x1000", "1e301", "1e308", "99999999999999999999999", "nan", "inf", "1e999"))
def test_a_number_that_cannot_be_is_left_out_and_told(call, room, odd):
    (room / "log.csv").write_text(f"elapsed_time,cpu,mem_real\n0.0,1,2\n1.0,100,{odd}\n2.0,{odd},4\n3.0,50,3\n")
    _, info, usage = imported(call, room, room / "log.csv", "log")
    assert "psrecord_rss_total_bytes" not in usage[1]["values"] and "psrecord_cpu_percent" not in usage[2]["values"]
    assert info["headline"]["memory_peak_bytes"]["value"] == 4 << 20
    assert info["headline"]["cpu_seconds"]["value"] == 1.5
    assert any("'mem_real'" in note and note.endswith("absent: 2") for note in info["notes"])

    (room / "prmon.txt").write_text(f"Time\twtime\tpss\trss\n1767345073\t1\t100\t{odd}\n1767345074\t2\t200\t300\n")
    _, info, usage = imported(call, room, room / "prmon.txt", "prmon")
    assert "prmon_rss_total_bytes" not in usage[0]["values"]
    assert info["summary"]["prmon_peak_rss_total_bytes"]["value"] == 300 << 10
    assert any("'rss'" in note for note in info["notes"])


def test_one_sample_of_psrecord_measures_no_time(call, room):
    (room / "log.csv").write_text("elapsed_time,cpu,mem_real,read_bytes\n0.0,10,2,500\n")
    _, info, usage = imported(call, room, room / "log.csv", "log")
    assert list(info["headline"]) == ["memory_peak_bytes"]
    assert "wall_seconds" not in info["time"]
    assert set(usage[0]["values"]) == {"psrecord_cpu_percent", "psrecord_rss_total_bytes"}


def test_a_large_file_that_nobody_knows_is_said_to_be_unknown(call, room):
    with open(room / "zeros", "wb") as zeros:
        zeros.truncate(2 << 30)
    assert "of no other format that is known" in refusal(call, room / "zeros")


def test_what_cannot_be_is_absent_in_summaries_too(call, room):
    (room / "prmon.json").write_text('{"Max": {"wtime": 3, "pss": 1e301, "rss": 5, "utime": 1e30, "stime": 1}, "Avg": {"pss": 1e301}, "prmon": {"Version": "3"}}')
    _, info, _ = imported(call, room, room / "prmon.json", "prmon")
    assert "cpu_seconds" not in info["headline"] and info["headline"]["memory_peak_bytes"]["value"] == 5 << 10
    assert any(note.startswith("pss of the summary was left out") for note in info["notes"])
    assert "e+" not in (room / "prmon_info.json").read_text()

    (room / "job.summary").write_text('{"monitor_version": "8", "wall_time": [1e301, "s"], "memory": [1e301, "MB"], "cpu_time": [2, "s"]}')
    _, info, _ = imported(call, room, room / "job.summary", "job")
    assert list(info["headline"]) == ["cpu_seconds"] and "wall_seconds" not in info["time"]
    assert sum("nothing is so large" in note for note in info["notes"]) == 2


def test_what_cannot_be_is_absent_in_con_ducts_files(call, room):
    for path in (FOREIGN / "con-duct").glob("0.2.2_*"):
        text = path.read_text().replace(str(104 << 20), "1e301").replace("13.875", "1e301")
        (room / path.name.replace("0.2.2_", "d_")).write_text(text)
    _, info, _ = imported(call, room, room / "d_info.json", "new")
    assert "1e+301" not in (room / "new_info.json").read_text() + (room / "new_usage.jsonl").read_text()
    assert "wall_seconds" not in info["headline"] or info["headline"]["wall_seconds"]["value"] < 100
