# SPDX-License-Identifier: MIT
"""Joining again later (attach --append): what several joinings add up to, and what is refused without a byte being changed."""
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest

from support import CPU_TOLERANCE_SECONDS, User, parse, read_info, read_usage, wait_for, windows_written

# Burns CPU time when told to, by its own clock, and says what that clock shows.
BURNER = """
import sys, time
for line in sys.stdin:
    end = time.process_time() + float(line)
    while time.process_time() < end:
        pass
    print(time.process_time(), flush=True)
"""


class Burner:
    def __init__(self, user=None):
        self.process = subprocess.Popen([sys.executable, "-c", BURNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        **(user or User()).popen_arguments())
        self.burn(0)

    @property
    def pid(self):
        return self.process.pid

    def burn(self, seconds):
        """Returns what its CPU clock shows behind it."""
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def burner():
    burner = Burner()
    yield burner
    burner.end()


class Joining:
    def __init__(self, process, room, tag):
        self.process, self.room, self.tag = process, room, tag

    def end(self, by=signal.SIGTERM):
        """Returns the exit status and what was said."""
        if by:
            self.process.send_signal(by)
        status = self.process.wait(60)
        return status, (self.room / f"{self.tag}.stderr").read_text(encoding="utf-8")


class Attacher:
    def __init__(self, run_assay, assay):
        self.runner, self.assay, self.n = run_assay, assay, 0

    def start(self, prefix, *words, user=None):
        """Waits until the target is being counted."""
        before = state(prefix)
        joining = self.spawn(prefix, *words, user=user)
        wait_for(lambda: state(prefix) not in (None, before) or joining.process.poll() is not None, "the joining to begin")
        assert joining.process.poll() is None, joining.end(None)
        return joining

    def spawn(self, prefix, *words, user=None):
        self.n += 1
        tag = f"attach{self.n}"
        argv = [str(self.assay), "attach", "--append", "-p", f"{prefix}", "-i", "0.1", *map(str, words)]
        return Joining(self.runner.spawn(argv, tag, user=user), self.runner.room, tag)

    def __call__(self, prefix, *words, user=None):
        return self.spawn(prefix, *words, user=user).end(None)


@pytest.fixture
def attach(run_assay, assay):
    return Attacher(run_assay, assay)


def state(prefix):
    """Who recorded last, once it counts; None where nobody did."""
    try:
        info = json.loads(Path(f"{prefix}info.json").read_bytes())
    except FileNotFoundError:
        return None
    return (info["monitor"]["pid"], info["state"]) if info["state"] == "done" or "wall_seconds" in info["time"] else None


def contents(directory):
    return {path.name: path.read_bytes() for path in Path(directory).iterdir() if path.is_file()}


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def check_series(info, usage):
    """Numbers go on, times never go back, and every joining has its number."""
    assert [line["sequence"] for line in usage] == list(range(len(usage)))
    for before, after in zip(usage, usage[1:]):
        same = before.get("segment", 1) == after.get("segment", 1)
        assert after["start_seconds"] == before["end_seconds"] if same else after["start_seconds"] >= before["end_seconds"]
    numbers = [line.get("segment", 1) for line in usage]
    assert numbers == sorted(numbers) and numbers[-1] <= len(info.get("segments", [0]))


def about(seconds_of_cpu):
    return pytest.approx(seconds_of_cpu, abs=CPU_TOLERANCE_SECONDS)


def test_three_joinings_hold_what_each_saw_and_nothing_of_the_gaps(attach, user, room):
    burner = Burner(user)
    prefix = room / "r-"
    used = []
    try:
        for burnt in (0.4, 0.25, 0.1):
            before = burner.burn(0.5 if used else 0.0)
            joining = attach.start(prefix, burner.pid, user=user)
            used.append(burner.burn(burnt) - before)
            status, said = joining.end()
            assert status == 0, said
    finally:
        burner.end()

    info, usage = read_info(prefix), read_usage(prefix)
    assert [part["headline"]["cpu_seconds"]["value"] for part in info["segments"]] == [about(u) for u in used]
    assert info["headline"]["cpu_seconds"]["value"] == pytest.approx(
        sum(part["headline"]["cpu_seconds"]["value"] for part in info["segments"]), abs=1e-8)
    assert info["headline"]["cpu_seconds"]["value"] == pytest.approx(sum(used), abs=3 * CPU_TOLERANCE_SECONDS)
    assert info["headline"]["wall_seconds"]["value"] == info["time"]["wall_seconds"] == pytest.approx(
        sum(part["wall_seconds"] for part in info["segments"]), abs=1e-8)
    assert info["headline"]["cpu_mean_cores"]["value"] == pytest.approx(
        info["headline"]["cpu_seconds"]["value"] / info["time"]["wall_seconds"], abs=0.001)
    for name in ("cpu_peak_cores", "memory_peak_bytes", "memory_peak_process_bytes"):
        told = [part["headline"][name]["value"] for part in info["segments"] if name in part["headline"]]
        # A joining may be too short for a rate, and has a mean all the same.
        means = [part["headline"]["cpu_mean_cores"]["value"] for part in info["segments"]] if name == "cpu_peak_cores" else []
        assert info["headline"][name]["value"] == max(told + means)
        assert len(told) == 3 or f"of {len(told)} of 3 joinings" in info["headline"][name]["why"]
    assert (info["headline"]["processes"]["value"], info["headline"]["processes"]["quality"]) == (1, "lower_bound")
    assert (info["target"]["at_start"], info["target"]["seen"]) == (1, 1)
    assert info["time"]["started"] == info["segments"][0]["started"] and info["time"]["ended"] == info["segments"][-1]["ended"]
    check_series(info, usage)
    assert sum(line["values"]["target_cpu_seconds"]["delta"] for line in usage) == about(info["headline"]["cpu_seconds"]["value"])
    gaps = sum(seconds(b["started"]) - seconds(a["ended"]) for a, b in zip(info["segments"], info["segments"][1:]))
    assert gaps > 1.0
    said = [float(note.split()[3]) for note in info["notes"] if note.startswith("joined 3 times; ")]
    assert said == [pytest.approx(gaps, abs=0.002)]
    # Where each joining's first window begins is how long after the first start it did.
    for number, part in enumerate(info["segments"][1:], 2):
        first = next(line for line in usage if line.get("segment") == number)
        assert first["start_seconds"] == pytest.approx(seconds(part["started"]) - seconds(info["time"]["started"]), abs=0.05)


def test_baseline_is_the_first_and_processes_of_later_joinings_are_counted_once(attach, burner, room):
    prefix = room / "r-"
    before = burner.burn(0.3)
    attach.start(prefix, f"pids:{burner.pid}").end()
    burner.burn(0.4)
    attach.start(prefix, f"pids:{burner.pid}").end()

    assert read_info(prefix)["target"]["before"]["cpu_seconds"] == about(before)


def test_recorder_that_was_killed_leaves_a_joining_of_lower_bounds(attach, burner, room):
    prefix = room / "r-"
    before = burner.burn(0)
    joining = attach.start(prefix, "--report-interval", "0.2", burner.pid)
    burnt = burner.burn(0.3) - before
    wait_for(lambda: any(line["values"]["target_cpu_seconds"]["last"] > burnt - CPU_TOLERANCE_SECONDS
                         for line in read_usage(prefix, torn_end=True)), "a window that holds it")
    joining.end(signal.SIGKILL)
    lines = read_usage(prefix, torn_end=True)
    assert read_info(prefix)["state"] == "running"

    before = burner.burn(0.5)
    joining = attach.start(prefix, burner.pid)
    later = burner.burn(0.2) - before
    assert joining.end()[0] == 0

    info, usage = read_info(prefix), read_usage(prefix)
    lost, whole = info["segments"]
    assert lost["outcome"]["words"] == "the recorder was lost" and lost["ended"] == lines[-1]["time"]
    assert {value["quality"] for value in lost["headline"].values()} <= {"lower_bound", "estimate"}
    assert lost["headline"]["cpu_seconds"]["value"] == lines[-1]["values"]["target_cpu_seconds"]["last"] == about(burnt)
    assert lost["wall_seconds"] == lines[-1]["values"]["target_elapsed_seconds"]["last"]
    # All of one moment: the split is of the last line too, and the mean is of these two.
    split = sum(lost["headline"][name]["value"] for name in ("cpu_user_seconds", "cpu_system_seconds"))
    assert split == pytest.approx(lost["headline"]["cpu_seconds"]["value"], abs=0.001)
    mean = lost["headline"]["cpu_seconds"]["value"] / lost["wall_seconds"]
    assert lost["headline"]["cpu_mean_cores"]["value"] == pytest.approx(mean, abs=0.001)
    assert lost["headline"].get("cpu_peak_cores", {"value": mean})["value"] >= mean - 0.001
    cores = info["headline"]
    assert cores.get("cpu_peak_cores", cores["cpu_mean_cores"])["value"] >= cores["cpu_mean_cores"]["value"]
    assert whole["headline"]["cpu_seconds"]["value"] == about(later)
    assert info["headline"]["cpu_seconds"]["value"] == pytest.approx(burnt + later, abs=2 * CPU_TOLERANCE_SECONDS)
    assert info["headline"]["wall_seconds"]["quality"] == "lower_bound"
    assert info["target"]["seen"] == 1 and usage[:len(lines)] == lines
    # What the series cannot tell is not taken from a version of the info file that is older.
    assert not [name for name in lost["headline"] if name.startswith(("network_", "energy_", "memory_peak_charged"))]
    assert lost["headline"]["memory_peak_process_bytes"]["value"] >= max(
        process["values"].get("proc_rss_bytes", {"max": 0})["max"] for line in lines for process in line["processes"])
    check_series(info, usage)


def rewrite(prefix, edit):
    """Every line of the series through a function of its number and content."""
    path = Path(f"{prefix}usage.jsonl")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for number, line in enumerate(lines):
        edit(number, line)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    return lines


def value(number, key="target_cpu_seconds", quality="lower_bound"):
    return {"value": number, "quality": quality, "key": key}


MIB = 1 << 20
FIRST_VERSION = {"wall_seconds": value(0.001, "target_elapsed_seconds"), "cpu_seconds": value(0.0008), "cpu_user_seconds": value(0.0008),
                 "cpu_system_seconds": value(0.0), "cpu_mean_cores": value(0.8), "cpu_peak_cores": value(0.8, "target_cpu_percent"),
                 "memory_peak_bytes": value(20 * MIB, "proc_hwm_bytes"), "memory_peak_process_bytes": value(20 * MIB, "proc_hwm_bytes"),
                 "network_receive_bytes": value(7, "netns_receive_bytes", "exact"), "processes": value(1, "target_processes_seen_count")}


def lose(prefix, headline=None):
    """As if the recorder had been killed after its first version of the info file."""
    info = read_info(prefix)
    info["time"].pop("ended")
    info["outcome"] = {"known": False}
    info.update(state="running", headline=headline or FIRST_VERSION)
    info["time"]["wall_seconds"] = info["headline"]["wall_seconds"]["value"]
    info["self"].update(windows=0, records_written=0)
    Path(f"{prefix}info.json").write_text(json.dumps(info), encoding="utf-8")


def two_windows(number, line):
    values = line["values"]
    for key, numbers in (("target_elapsed_seconds", (1.5, 2.5)), ("target_cpu_seconds", (2.5, 2.75)), ("target_cpu_user_seconds", (1.5, 1.625)),
                         ("target_cpu_system_seconds", (1.0, 1.125))):
        values[key] = {"last": numbers[min(number, 1)], "quality": "lower_bound"}
    values["target_cpu_percent"] = {"max": (175.0, 30.0)[min(number, 1)], "quality": "lower_bound"}
    values["proc_pss_total_bytes"] = {"max": 900 * MIB, "quality": "sampled"}
    process = {"start_time_ticks": 1, "ppid": 1, "uid": 0, "name": "x", "states": {"S": 1}}
    line["processes"] = [{"pid": 5, **process, "values": {"proc_hwm_bytes": {"max": (300, 100)[min(number, 1)] * MIB}, "proc_rss_bytes": {"max": 50 * MIB}}},
                         {"pid": 6, **process, "values": {"proc_rss_bytes": {"max": 40 * MIB}}}]


@pytest.fixture
def windows_of_a_joining(attach, burner, record):
    joining = attach.start(record + "s-", "--report-interval", "0.2", burner.pid)
    wait_for(lambda: windows_written(record + "s-") >= 2, "two windows")
    joining.end()
    return record + "s-"


def lost_headline(attach, burner, prefix):
    status, said = attach(prefix, "--for", "0.5", burner.pid)
    assert status == 0, said
    info = read_info(prefix)
    return info, {name: told["value"] for name, told in info["segments"][0]["headline"].items()}


def test_what_a_killed_recorder_left_is_all_of_its_last_line(attach, burner, windows_of_a_joining):
    prefix = windows_of_a_joining
    lose(prefix)
    lines = rewrite(prefix, two_windows)
    info, lost = lost_headline(attach, burner, prefix)

    check_series(info, read_usage(prefix))
    assert not [name for name in lost if name.startswith("network_")]
    assert {name: lost[name] for name in FIRST_VERSION if name in lost} == {
        "wall_seconds": 2.5, "cpu_seconds": 2.75, "cpu_user_seconds": 1.625, "cpu_system_seconds": 1.125, "cpu_mean_cores": 1.1,
        # Of the earlier window: a peak is of them all.
        "cpu_peak_cores": min(1.75, os.cpu_count()), "memory_peak_bytes": 300 * MIB, "memory_peak_process_bytes": 300 * MIB, "processes": 1}
    assert {told["quality"] for told in info["segments"][0]["headline"].values()} == {"lower_bound"}
    assert info["segments"][0]["windows"] == len(lines)
    assert info["headline"]["memory_peak_bytes"]["value"] >= 300 * MIB
    assert info["headline"]["cpu_peak_cores"]["value"] >= info["headline"]["cpu_mean_cores"]["value"]


def test_lines_of_a_joining_that_was_lost_are_its_own_and_none_of_those_before(attach, burner, windows_of_a_joining):
    prefix = windows_of_a_joining
    first = len(read_usage(prefix))
    joining = attach.start(prefix, "--report-interval", "0.2", burner.pid)
    wait_for(lambda: windows_written(prefix) >= first + 2, "two windows of the second joining")
    joining.end(signal.SIGKILL)
    assert attach(prefix, "--for", "0.5", burner.pid)[0] == 0

    info, usage = read_info(prefix), read_usage(prefix)
    assert info["segments"][1]["outcome"]["words"] == "the recorder was lost"
    by_joining = [sum(line.get("segment", 1) == number for line in usage) for number in (1, 2, 3)]
    assert [segment["windows"] for segment in info["segments"]] == by_joining and by_joining[:1] == [first]


def test_without_memory_and_rates_in_the_series_their_peaks_are_left_out(attach, burner, windows_of_a_joining):
    def without(number, line):
        two_windows(number, line)
        line["processes"] = []
        del line["values"]["target_cpu_percent"]

    lose(windows_of_a_joining)
    rewrite(windows_of_a_joining, without)
    info, lost = lost_headline(attach, burner, windows_of_a_joining)

    assert lost["cpu_mean_cores"] == 1.1 and not [name for name in lost if "_peak" in name]
    # The other joining used next to nothing: its peak alone would be below the mean of both.
    assert info["headline"]["cpu_peak_cores"]["value"] >= 1.1 > info["segments"][1]["headline"]["cpu_peak_cores"]["value"]


def test_info_file_that_is_newer_than_the_last_line_is_believed_whole(attach, burner, windows_of_a_joining):
    later = {**FIRST_VERSION, "wall_seconds": value(60.0, "target_elapsed_seconds"), "cpu_seconds": value(2.0), "cpu_mean_cores": value(0.033)}
    lose(windows_of_a_joining, later)
    rewrite(windows_of_a_joining, two_windows)
    info, lost = lost_headline(attach, burner, windows_of_a_joining)

    assert lost == {name: told["value"] for name, told in later.items()} and info["segments"][0]["wall_seconds"] == 60


def test_mean_of_the_first_moment_that_no_machine_can_reach_is_left_out(attach, burner, windows_of_a_joining):
    lose(windows_of_a_joining, {**FIRST_VERSION, "cpu_mean_cores": value(os.cpu_count() + 1.0)})
    Path(f"{windows_of_a_joining}usage.jsonl").write_bytes(b"")
    _, lost = lost_headline(attach, burner, windows_of_a_joining)

    assert lost["cpu_seconds"] == 0.0008 and not [name for name in lost if name.endswith("_cores")]


@pytest.mark.parametrize("torn, whole", [(b'{"schema": "assay-usage", "seq', False), (None, True), (b"\0" * 100, False)],
                         ids=["half_a_line", "only_the_newline_missing", "zeros"])
def test_torn_last_line_is_cut_off_or_completed(attach, burner, room, torn, whole):
    prefix = room / "r-"
    attach.start(prefix, burner.pid).end()
    series = Path(f"{prefix}usage.jsonl")
    before = read_usage(prefix)
    with open(series, "r+b") as file:
        if torn:
            file.seek(0, os.SEEK_END)
            file.write(torn)
        else:
            file.truncate(series.stat().st_size - 1)
    attach.start(prefix, burner.pid).end()

    usage = read_usage(prefix)
    assert usage[:len(before)] == before and len(usage) > len(before), whole
    check_series(read_info(prefix), usage)


@pytest.mark.parametrize("there", [True, False], ids=["continuing", "beginning"])
def test_of_several_that_come_at_once_one_records(attach, burner, room, there):
    directory = room / "record"
    directory.mkdir()
    if there:
        attach.start(f"{directory}/", burner.pid).end()
    joinings = [attach.spawn(f"{directory}/", burner.pid) for _ in range(5)]
    wait_for(lambda: sum(joining.process.poll() is not None for joining in joinings) == 4, "all but one to give up")
    left = [joining for joining in joinings if joining.process.poll() is None]
    for status, said in (joining.end(None) for joining in joinings if joining not in left):
        assert status == 2 and "is still being written by" in said, said
    wait_for(lambda: (state(f"{directory}/") or [0])[0] == left[0].process.pid, "the one that records")
    assert left[0].end()[0] == 0

    info, usage = read_info(f"{directory}/"), read_usage(f"{directory}/")
    assert len(info.get("segments", [0])) == 1 + there
    check_series(info, usage)


def test_after_a_reboot_the_wall_clock_tells_how_long_it_was(attach, burner, room):
    prefix = room / "r-"
    attach.start(prefix, f"pids:{burner.pid}").end()
    started = datetime.fromtimestamp(time.time() - 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    change(prefix, monitor__boot_id="another", time__started=started)
    attach.start(prefix, f"pids:{burner.pid}").end()

    info, usage = read_info(prefix), read_usage(prefix)
    first = next(line for line in usage if line.get("segment") == 2)
    assert first["start_seconds"] == pytest.approx(seconds(info["segments"][1]["started"]) - seconds(started), abs=0.05)
    assert first["start_seconds"] > 999
    assert [part["boot_id"] == info["monitor"]["boot_id"] for part in info["segments"]] == [False, True]


def test_series_does_not_go_back_when_the_clock_was_set_back(attach, burner, room):
    prefix = room / "r-"
    attach.start(prefix, f"pids:{burner.pid}").end()
    change(prefix, monitor__boot_id="another", time__started="2400-01-01T00:00:00Z")
    end = read_usage(prefix)[-1]["end_seconds"]
    attach.start(prefix, f"pids:{burner.pid}").end()

    usage = read_usage(prefix)
    assert next(line for line in usage if line.get("segment") == 2)["start_seconds"] == end
    check_series(read_info(prefix), usage)


def test_joining_without_a_series_is_continued_with_one(attach, burner, room):
    prefix = room / "r-"
    attach.start(prefix, "-t", "system-summary", burner.pid).end()
    attach.start(prefix, burner.pid).end()
    attach.start(prefix, "-t", "system-summary", burner.pid).end()

    assert len(read_info(prefix)["segments"]) == 3
    assert {line["segment"] for line in read_usage(prefix)} == {2}
    check_series(read_info(prefix), read_usage(prefix))


def test_record_that_is_not_there_is_begun(attach, burner, room):
    status, said = attach.start(room / "new" / "r-", burner.pid).end()

    assert status == 0, said
    info = read_info(room / "new" / "r-")
    assert info["state"] == "done" and "segments" not in info
    assert all("segment" not in line for line in read_usage(room / "new" / "r-"))


def test_targets_beside_go_on_each_in_its_own_record(attach, burner, room):
    prefix = room / "r-"
    attach.start(prefix, burner.pid).end()
    attach.start(prefix, burner.pid, f"pids:{burner.pid}", "system").end()
    attach.start(prefix, burner.pid, f"pids:{burner.pid}", "system").end()

    beside = [name for name in contents(room) if name.endswith("info.json")]
    assert sorted(beside) == ["r-info.json", f"r-pids-{burner.pid}-info.json", "r-system-info.json"]
    joinings = {name: len(read_info(f"{room}/{name[:-len('info.json')]}").get("segments", [])) for name in beside}
    assert joinings == {"r-info.json": 3, f"r-pids-{burner.pid}-info.json": 2, "r-system-info.json": 2}
    for name in beside:
        check_series(read_info(f"{room}/{name[:-len('info.json')]}"), read_usage(f"{room}/{name[:-len('info.json')]}"))


def test_fewer_or_other_further_targets_than_before_are_refused(attach, burner, room):
    (room / "record").mkdir()
    prefix = room / "record" / "r-"
    attach.start(prefix, burner.pid, "system").end()
    says = "r-info.json is of a recording of more targets, and the one of r-system-info.json is not named now"
    refused(attach, prefix, burner.pid, says=says)
    refused(attach, prefix, burner.pid, f"pids:{burner.pid}", says=says)
    assert attach.start(prefix, burner.pid, f"pids:{burner.pid}", "system").end()[0] == 0


def test_further_targets_of_a_record_that_was_renamed_are_known(attach, burner, room):
    record = room / "record"
    record.mkdir()
    attach.start(record / "r-", burner.pid, "system").end()
    for path in record.glob("r-*"):
        path.rename(record / f"s-{path.name[2:]}")
    refused(attach, record / "s-", burner.pid, says="r-system-info.json is not named now")
    assert attach.start(record / "s-", burner.pid, "system").end()[0] == 0


def gone(path, lines):
    path.unlink()


def foreign(path, lines):
    path.write_text("mine")


def foreign_line(path, lines):
    path.write_text('{"other": 1}\n')


def garbage(path, lines):
    path.write_bytes(b"".join([lines[0], b"\xffgarbage\n", *lines[1:]]))


def zeros(path, lines):
    path.write_bytes(b"".join([b"\0" * 99 + b"}\n", *lines[1:]]))


def cut_off(path, lines):
    path.write_bytes(b"".join(lines)[:-20])


def last_gone(path, lines):
    path.write_bytes(b"".join(lines[:-1]))


@pytest.mark.parametrize("damage, kept, says", [
    (gone, 0, "it is missing, {n} lines are lost"), (foreign, 0, "{n} lines are lost, 1 is no line of a window"),
    (foreign_line, 0, "{n} lines are lost, 1 is no line of a window"), (garbage, "all", "1 is no line of a window"),
    (zeros, "but one", "1 line is lost, 1 is no line of a window"),
    (cut_off, "but one", "1 line is lost, half a line at its end is cut off"), (last_gone, "but one", "1 line is lost")])
def test_damaged_series_goes_on_with_a_warning_and_a_note(attach, burner, windows_of_a_joining, damage, kept, says):
    prefix = windows_of_a_joining
    path = Path(f"{prefix}usage.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    before = [json.loads(line) for line in lines]
    first = read_info(prefix)["headline"]
    damage(path, lines)
    says = says.format(n=len(lines))
    status, said = attach.start(prefix, burner.pid).end()

    info = read_info(prefix)
    assert status == 0 and [line for line in said.splitlines() if line.endswith(f"s-usage.jsonl: {says}")], said
    assert f"usage.jsonl: of what was there before joining 2, {says}" in info["notes"]
    if damage is foreign:
        assert path.read_bytes().startswith(b"mine\n")
    # The totals are of the info file; the numbers go on behind what was lost.
    assert info["segments"][0]["headline"]["cpu_seconds"]["value"] == first["cpu_seconds"]["value"]
    assert info["segments"][0]["windows"] == len(lines)
    usage = [json.loads(line) for line in path.read_bytes().splitlines() if line.startswith(b'{"schema"')]
    left = [line for line in usage if line.get("segment", 1) == 1]
    assert len(left) == {"all": len(lines), "but one": len(lines) - 1}.get(kept, kept) and all(line in before for line in left)
    numbers = [line["sequence"] for line in usage if line.get("segment") == 2]
    assert numbers == list(range(len(lines), len(lines) + len(numbers))) and numbers
    assert sum(part["windows"] for part in info["segments"]) == numbers[-1] + 1


def test_series_that_is_whole_says_nothing(attach, burner, record):
    for _ in range(2):
        status, said = attach.start(record, burner.pid).end()
        assert status == 0 and "usage.jsonl:" not in said, said
        assert not [note for note in read_info(record)["notes"] if "usage.jsonl" in note]


def test_summary_says_of_how_many_joinings_the_time_is(attach, burner, room):
    for _ in range(2):
        status, said = attach(room / "r-", "--for", "0.5", burner.pid)
        assert status == 0
    watched = read_info(room / "r-")["time"]["wall_seconds"]
    found = re.search(r"watched for ([\d.]+) s in 2 joinings, of which the last ended: the 0.500 s asked for are over\n", said)
    assert found and float(found[1]) == pytest.approx(watched, abs=0.01) and watched > 1, said


def test_labels_stay_unless_they_are_given_anew(attach, burner, room):
    prefix = room / "r-"
    attach.start(prefix, "--name", b"na\xffme".decode(errors="surrogateescape"), "-m", "first", "--tag", "a=1", "--tag", "b=2", burner.pid).end()
    first = read_info(prefix)
    attach.start(prefix, "-m", "second", "--tag", "b=3", "--tag", "c=4", burner.pid).end()

    info = read_info(prefix)
    assert (info["id"], info["name_hex"], info["message"]) == (first["id"], b"na\xffme".hex(), "second")
    assert info["tags"] == {"a": "1", "b": "3", "c": "4"}


def refused(attach, prefix, *words, says, user=None):
    """Exit status 2, one line, and not a byte is another."""
    directory = os.path.dirname(prefix)
    before = contents(directory)
    status, said = attach(prefix, *words, user=user)
    assert status == 2 and said.count("\n") == 1 and says in said, (status, said)
    assert contents(directory) == before


def change(prefix, **members):
    path = Path(f"{prefix}info.json")
    info = json.loads(path.read_bytes())
    for name, value in members.items():
        section, _, key = name.rpartition("__")
        (info[section] if section else info)[key] = value
    path.write_text(json.dumps(info), encoding="utf-8")


@pytest.fixture
def record(attach, burner, room):
    directory = room / "record"
    directory.mkdir()
    directory.chmod(0o755)
    attach.start(f"{directory}/", burner.pid).end()
    return f"{directory}/"


def test_another_target_is_refused(attach, burner, record):
    refused(attach, record, "system", says=f"is of tree:{burner.pid}, not of system")
    refused(attach, record, f"pids:{burner.pid}", says=f"is of tree:{burner.pid}, not of pids:{burner.pid}")
    refused(attach, record, burner.pid, "nonsense", says="nonsense")


def test_another_process_under_the_same_pid_is_refused(attach, burner, record):
    change(record, target__first_start_time_ticks=17)
    refused(attach, record, burner.pid, says=f"is of an earlier process {burner.pid}")


def test_record_of_a_command_is_refused(attach, burner, room, run_assay):
    (room / "ran").mkdir()
    run_assay(["true"], prefix=room / "ran" / "r-")
    refused(attach, room / "ran" / "r-", burner.pid, says="it is of a command, not of assay attach")


def test_record_that_is_still_written_is_refused(attach, burner, record):
    joining = attach.start(record, "--report-interval", "20", burner.pid)
    wait_for(lambda: read_info(record)["segments"][-1]["wall_seconds"] > 0, "the last version of the info file for a minute")
    refused(attach, record, burner.pid, says="is still being written")
    assert joining.end()[0] == 0
    assert len(read_info(record)["segments"]) == 2


def test_recorder_that_lives_is_believed_where_there_are_no_locks(attach, burner, record):
    ticks = int(Path(f"/proc/{os.getpid()}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
    change(record, state="running", monitor__pid=os.getpid(), monitor__start_time_ticks=ticks)
    refused(attach, record, burner.pid, says=f"is still being written by process {os.getpid()}")
    change(record, monitor__start_time_ticks=ticks + 1)
    assert attach.start(record, burner.pid).end()[0] == 0
    assert read_info(record)["segments"][0]["outcome"]["words"] == "the recorder was lost"


@pytest.mark.parametrize("text, says", [
    (b"", "it ends in the middle"), (b'{"schema": "assay-run", "version": "1.0", "st', "it ends in the middle"), (b"[1]", "it is no object"),
    (b'{"schema": "assay-run", "schema": "assay-run"}', "it has a name twice"), (b'{"a": "\xff"}', "it is not UTF-8"),
    (b'{"a": 99999999999999999999999999}', "it has a number that is too large"), (b"[" * 5000, "it is nested too deeply"), (b"not JSON", "it is not JSON"),
    (b'{"schema": "assay-run", "version": "2.0", "state": "done"}', 'its "version" is "2.0"'),
    (b'{"command": "sleep 1", "env": {}, "prefix": "x", "gpu": null, "duct_version": "0.8.0"}', "it is no record of assay"),
], ids=["empty", "broken_off", "list", "twice", "not_utf8", "huge", "deep", "no_json", "newer", "con_duct"])
def test_what_is_no_record_is_refused_with_the_reason(attach, burner, record, text, says):
    Path(f"{record}info.json").write_bytes(text)
    refused(attach, record, burner.pid, says=f"{record}info.json cannot be continued: {says}")


def test_series_without_an_info_file_is_refused(attach, burner, record):
    os.unlink(f"{record}info.json")
    refused(attach, record, burner.pid, says="usage.jsonl is there without an info file")


@pytest.mark.parametrize("words, says", [(["-t", "processes-samples"], "--append needs the info file"), (["-p", "{pid}/"], "without {datetime} and {pid}")])
def test_options_under_which_nothing_can_be_continued_are_refused(attach, burner, record, words, says):
    refused(attach, record, *words, burner.pid, says=says)


def test_link_in_place_of_the_info_file_is_refused(attach, burner, record):
    os.rename(f"{record}info.json", f"{record}other")
    os.symlink("other", f"{record}info.json")
    refused(attach, record, burner.pid, says="info.json is no file of its own")


def test_record_that_may_not_be_written_is_refused_to_an_ordinary_user(attach, room, ordinary_user):
    if os.geteuid() != 0:
        pytest.skip("needs root, to make a record that is another's")
    burner = Burner(ordinary_user)
    try:
        directory = room / "record"
        directory.mkdir()
        attach.start(f"{directory}/", burner.pid).end()
        refused(attach, f"{directory}/", burner.pid, user=ordinary_user, says="info.json: Permission denied")
        # The files are his, the directory is not: info.json could not be replaced at the end.
        for name in ("info.json", "usage.jsonl"):
            os.chown(directory / name, ordinary_user.uid, ordinary_user.gid)
        refused(attach, f"{directory}/", burner.pid, user=ordinary_user, says="info.json: Permission denied")
        os.chown(directory, ordinary_user.uid, ordinary_user.gid)
        status, said = attach.start(f"{directory}/", burner.pid, user=ordinary_user).end()
        assert status == 0, said
        assert len(read_info(f"{directory}/")["segments"]) == 2
    finally:
        burner.end()


def fill(directory):
    with open(directory / "filler", "wb", buffering=0) as file:
        for size in (65536, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass


def test_full_disk_loses_nothing_of_what_was_there(attach, burner, disk_of):
    small = disk_of("1m")
    attach.start(small / "r-", burner.pid).end()
    before, first = contents(small), read_info(small / "r-")
    fill(small)

    joining = attach.spawn(small / "r-", "--for", "0.5", burner.pid)
    status, said = joining.end(None)
    after = contents(small)
    # tmpfs(5) counts pages: what fits into the last page of the series is written, whole lines only.
    assert status == 0 and "No space left" in said, said
    assert after["r-usage.jsonl"].startswith(before["r-usage.jsonl"]) and after["r-info.json"] == before["r-info.json"]
    read_usage(small / "r-")

    os.unlink(small / "filler")
    assert attach.start(small / "r-", burner.pid).end()[0] == 0
    info = read_info(small / "r-")
    assert info["segments"][0]["headline"] == {name: {k: v for k, v in value.items() if k in ("value", "quality", "key")}
                                              for name, value in first["headline"].items()}
    assert len(info["segments"]) == 2 and info["state"] == "done"
    numbers = [line["sequence"] for line in read_usage(small / "r-")]
    assert numbers == sorted(set(numbers))


def test_full_disk_at_the_first_joining_leaves_nothing_that_would_refuse_the_next(attach, burner, disk_of):
    small = disk_of("1m")
    fill(small)
    status, said = attach(small / "r-", "--for", "0.5", burner.pid)
    assert status == 1 and "nothing can be recorded" in said and "No space left" in said, (status, said)
    assert list(contents(small)) == ["filler"]

    os.unlink(small / "filler")
    joining = attach.start(small / "r-", burner.pid)
    assert joining.end()[0] == 0
    check_series(read_info(small / "r-"), read_usage(small / "r-"))


def test_empty_series_that_somebody_has_just_taken_is_his(attach, burner, room):
    (room / "r-usage.jsonl").touch()
    with open(room / "r-usage.jsonl", "rb") as taken:
        fcntl.flock(taken, fcntl.LOCK_EX)
        status, said = attach(room / "r-", burner.pid)
        assert status == 2 and "r-usage.jsonl is still being written by another run" in said
        assert contents(room)["r-usage.jsonl"] == b""


def test_clobber_after_all_replaces_a_continued_record(attach, burner, record, run_assay, assay):
    attach.start(record, burner.pid).end()
    process = run_assay.spawn([str(assay), "attach", "--clobber", "-p", record, "--for", "0.2", str(burner.pid)], "clobber")
    assert process.wait(60) == 0
    assert "segments" not in parse(Path(f"{record}info.json").read_text(encoding="utf-8"), "assay-run")


def test_an_empty_series_without_an_info_file_is_no_record(attach, burner, room):
    prefix = room / "r-"
    (room / "r-usage.jsonl").touch()
    joining = attach.start(prefix, burner.pid)
    assert joining.end()[0] == 0

    assert read_info(prefix)["state"] == "done" and "segments" not in read_info(prefix)
    check_series(read_info(prefix), read_usage(prefix))


def test_a_series_with_something_in_it_and_no_info_file_is_left_alone(attach, burner, room):
    (room / "r-usage.jsonl").write_text("mine\n")
    status, said = attach(room / "r-", burner.pid)

    assert status == 2 and "without an info file" in said
    assert (room / "r-usage.jsonl").read_text() == "mine\n" and not (room / "r-info.json").exists()
