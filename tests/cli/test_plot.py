# SPDX-License-Identifier: MIT
"""What `assay plot` draws: real runs, runs of other tools, several over one axis; on every kind of terminal and into files; and what it refuses."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

from calling import Caller
from handmade import columns_of, write_record
from support import REPOSITORY, skip_with_a_sanitizer

FOREIGN = REPOSITORY / "tests/fixtures/foreign"
KNOWN = {"tree_cpu_percent": "gauge", "proc_pss_total_bytes": "gauge", "proc_rss_total_bytes": "gauge", "tree_io_write_bytes": "counter"}


@pytest.fixture
def plot(run_assay, assay, room):
    caller = Caller(run_assay, assay, room / "here")
    return lambda *words, **more: caller("plot", *map(str, words), **more)


def window(number, start, end, values=None, **more):
    """Of a gauge its highest, of a counter its growth."""
    return {"schema": "assay-usage", "version": "1.0", "sequence": number, "start_seconds": start, "end_seconds": end, "samples": 1,
            "missed_ticks": 0, "values": {key: {"delta" if KNOWN.get(key) == "counter" else "max": value, "quality": "sampled"}
                                          for key, value in (values or {}).items()}, **more}


@pytest.fixture
def made(room):
    rows = [{"key": key, "kind": kind, "scope": "single"} for key, kind in KNOWN.items()]
    return lambda windows=None, directory="made", **info: write_record(
        room / directory, windows, **{"headline": {}, "measurements": rows, **info})


def rows_of(out, title):
    """The strip below a title: its characters behind the axis, the uppermost row first."""
    lines = out.split("\n")
    at = next(i for i, line in enumerate(lines) if title in line) + 1
    while "|" not in lines[at]:
        at += 1
    rows = []
    while at < len(lines) and "|" in lines[at]:
        rows.append(lines[at].split("|", 1)[1])
        at += 1
    return rows


def one_line(called, status, *words):
    assert called.status == status
    assert called.out == ""
    assert called.err.startswith("assay: ") and called.err.count("\n") == 1
    for word in words:
        assert word in called.err


def test_a_real_run_is_drawn_with_the_peaks_of_its_record(run_assay, plot):
    run = run_assay.load("memory-spike", 100, 700, 700, options=["--name", "spike"])
    called = plot("-m", "memory,cpu,process_memory", f"{run_assay.room}/run1-")
    peak = max(line["values"]["proc_rss_total_bytes"]["max"] for line in run.usage if "proc_rss_total_bytes" in line["values"])

    assert (called.status, called.err) == (0, "")
    shown = re.search(r"RSS of all processes \((?:line above it|second line)\): ~ peak ([0-9.]+) MiB", " ".join(called.out.split()))
    assert shown and abs(float(shown.group(1)) - peak / 2**20) <= 0.5
    assert "proc_pss_total_bytes" in called.out and "= tree_cpu_seconds" in " ".join(called.out.split())
    assert "end: exited 0" in called.out
    assert re.search(r"^  memory +Memory$", called.out, re.M) and not re.search(r"^  io ", called.out, re.M)


def test_no_peak_is_lost_however_many_windows_there_are(plot, made):
    path = made([window(i, i, i + 1, {"tree_cpu_percent": 1600 if i == 12345 else 100}) for i in range(20000)],
                time={"wall_seconds": 20000.0})
    out = plot("--points", 16, path).out

    # However few points are left, the time of the peak is that of its window: 12345 s.
    assert "peak 16 cores at 3h 25m 45s" in " ".join(out.split())
    assert "peak 16 cores at 3h 25m 45s" in " ".join(plot("--points", 1000, path).out.split())


def test_what_was_counted_over_a_window_is_a_mean_between_its_ends_and_no_peak(plot, made):
    rows = [{"key": "tree_cpu_seconds", "kind": "counter", "unit": "seconds", "scope": "single", "quality": "exact"},
            {"key": "proc_pss_total_bytes", "kind": "gauge", "unit": "bytes", "scope": "single", "quality": "sampled"}]
    windows = [window(i, 10 * i, 10 * i + 10) for i in range(4)]
    for i, of in enumerate(windows):
        of["values"] = {"tree_cpu_seconds": {"delta": 9.0 if i == 2 else 1.0}, "proc_pss_total_bytes": {"max": (8 if i == 1 else 1) << 20}}
    out = " ".join(plot(made(windows, measurements=rows, time={"wall_seconds": 40.0})).out.split())

    assert "CPU in use: = highest mean 0.9 cores from 20.0 s to 30.0 s; tree_cpu_seconds" in out
    assert "PSS of all processes: ~ peak 8 MiB between 10.0 s and 20.0 s" in out


def test_the_strip_shows_what_was_when(plot, made):
    """66 columns over 6.6 s: full from the start to 2.2, nothing known to 4.4, half of it to the end."""
    path = made([window(0, 0, 2.2, {"tree_cpu_percent": 300}), window(1, 4.4, 6.6, {"tree_cpu_percent": 150})],
                time={"wall_seconds": 6.6, "started": "2026-11-28T10:00:00Z"})
    called = plot(path, env={"LC_ALL": "C"})
    rows = rows_of(called.out, "CPU in use")

    assert rows[0] == ":" * 22
    assert rows[3] == ":" * 22 + " " * 22 + ":" * 22
    assert rows[1] == ":" * 22 + " " * 22 + "." * 22
    assert "2.20 s: nothing was recorded for 2.20 s" in called.out
    part = plot(path, "--from", 2.2, "--to", "4.4", env={"LC_ALL": "C"})
    one_line(part, 1, "in that stretch of time")
    part = plot(path, "--from", 4.4, env={"LC_ALL": "C"})
    assert rows_of(part.out, "CPU in use")[3] == ":" * 66
    assert "peak 1.5 cores between 4.40 s and 6.60 s" in part.out and "nothing was recorded" not in part.out


def test_a_limit_is_a_broken_line_and_words(plot, made):
    limits = [{"name": "cpu", "unit": "cores", "limit": 2, "source": "affinity", "tightest": True},
              {"name": "cpu", "unit": "cores", "limit": 64, "source": "slurm", "where": "SLURM_CPUS_PER_TASK"}]
    called = plot(made([window(0, 0, 10, {"tree_cpu_percent": 60})], target_limits=limits), env={"LC_ALL": "C"})

    assert "allowed 2 cores (affinity): broken line" in called.out
    assert re.search(r"requested 64 cores \(Slurm\)$", called.out, re.M)
    assert rows_of(called.out, "CPU in use")[0] == "-" * 66


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_passes_the_width_and_nothing_hostile_gets_through(plot, made, width):
    hostile = "a\x1b[2J\t\u202e</script>\u754c'\"" + "y" * 300
    process = {"pid": 7, "start_time_ticks": 7, "name": "p\x1b]0;x\x07\u202e", "values": {"proc_cpu_seconds": {"delta": 1.0}}}
    rows = [{"key": key, "kind": kind, "scope": "single"} for key, kind in KNOWN.items()]
    windows = [window(0, 0, 10, {"tree_cpu_percent": 100, "proc_rss_total_bytes": 5e9, "tree_io_write_bytes": 1e12},
                      processes=[process, {**process, "pid": 8}])]
    info = {"command": {"text": hostile, "argv": [hostile]}, "name": hostile, "outcome": {"words": hostile},
            "measurements": rows + [{"key": "proc_cpu_seconds", "kind": "counter", "scope": "process"}]}
    paths = [made(windows, directory=name, **info) for name in ("one", "two")]

    for words in (paths[:1], paths, [*paths, "--layout", "beside"]):
        for env in ({}, {"LC_ALL": "C"}):
            called = plot("--width", width, *words, env=env)
            assert (called.status, called.err) == (0, "")
            lines = called.out.split("\n")
            assert max(map(columns_of, lines)) <= width
            assert not any(line != line.rstrip() for line in lines)
            assert "\x1b" not in called.out and "\t" not in called.out and "\u202e" not in called.out and "\x07" not in called.out
            assert r"p\e]0;x" in called.out


def test_what_only_the_close_of_a_picture_tells_is_told_and_leaves_what_was_there(run_assay, assay, made, strace, room):
    """As a file system over a network does, where the disk is full."""
    path = made([window(i, i, i + 1, {"tree_cpu_percent": 50}) for i in range(10)])
    target = room / "x.svg"

    def plot(*words):
        return subprocess.run([strace, "-qq", "-o", str(room / "trace"), "-e", "trace=close,fcntl", *words, str(assay), "plot", "-o", str(target), str(path)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60,
                              env=run_assay.environment({"ASAN_OPTIONS": "detect_leaks=0"}))

    assert plot().returncode == 0
    calls = (room / "trace").read_text().splitlines()
    before = next(number for number, line in enumerate(calls) if "F_DUPFD_CLOEXEC" in line)
    closes = sum(line.startswith("close(") for line in calls[:before])
    target.write_text("of before")
    called = plot("-e", f"inject=close:error=ENOSPC:when={closes + 1}")

    assert called.returncode == 1 and called.stderr == f"assay: cannot write {target}: No space left on device\n", called
    assert target.read_text() == "of before"


@pytest.mark.parametrize("width", [60, 80, 200])
def test_on_a_terminal_it_is_as_wide_as_it_and_colored_where_that_is_wanted(run_assay, assay, made, width):
    path = made([window(i, i, i + 1, {"tree_cpu_percent": 50}) for i in range(10)])
    env = run_assay.environment({"TERM": "xterm"})

    def drawn(**more):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        with subprocess.Popen([str(assay), "plot", str(path)], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                              env={**env, **more}) as process:
            os.close(theirs)
            text = b""
            try:
                while piece := os.read(ours, 65536):
                    text += piece
            except OSError:
                pass
        os.close(ours)
        assert process.returncode == 0
        return text.decode().replace("\r\n", "\n")

    text = drawn()
    assert "\x1b[1m" in text
    assert max(columns_of(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in text.split("\n")) == width
    assert "\x1b" not in drawn(NO_COLOR="1")
    dumb = drawn(TERM="dumb")
    assert "\x1b" not in dumb and dumb.isascii()
    assert not text.isascii()
    assert drawn(LC_ALL="C").isascii()


def test_runs_of_other_tools_are_drawn_by_their_own_keys(plot):
    for file, keys in {
            "con-duct/0.2.2_info.json": ["ps_rss_total_bytes", "ps_lifetime_cpu_total_percent", "ps_rss_bytes"],
            "prmon/prmon.txt": ["prmon_pss_total_bytes", "prmon_cpu_user_seconds", "prmon_network_receive_bytes", "prmon_threads_count"],
            "psrecord/io.txt": ["psrecord_cpu_percent", "psrecord_io_read_bytes"],
            "resource_monitor/job.series": ["rmon_cpu_seconds", "rmon_memory_total_bytes"],
            "dmon-mu.txt": ["dmon_sm_utilization_percent", "dmon_memory_used_bytes"],
            "jumper-session.zip": ["jumper_cpu_total_percent", "jumper_gpu_memory_bytes", "jumper_host_cpu_percent"]}.items():
        called = plot(FOREIGN / file)
        assert (called.status, called.err) == (0, ""), file
        assert [key for key in keys if key not in called.out] == [], file
    # What con-duct knows of CPU is no course of its use, and what it counted are no processes that were there at once.
    duct = plot(FOREIGN / "con-duct/0.2.2_info.json").out
    assert "CPU, of each process the mean over its life" in " ".join(duct.split()) and "ps_processes_count" not in duct
    one_line(plot(FOREIGN / "sacct.txt"), 1, "sacct.txt: it has totals and no series")


def test_several_runs_lie_over_one_axis_by_the_clock_or_from_their_starts(plot, made):
    a = made([window(0, 0, 10, {"tree_cpu_percent": 100})], directory="first")
    b = made([window(0, 0, 10, {"tree_cpu_percent": 200})], directory="second",
             time={"started": "2026-11-28T10:00:05Z", "utc_offset": "+00:00", "wall_seconds": 10.0})
    by_clock = plot(a, b, env={"LC_ALL": "C"})
    rows = rows_of(by_clock.out, "second: CPU in use")

    assert "10:00:00" in by_clock.out and "10:00:15: second: end: exited 0" in by_clock.out
    assert rows[0] == " " * 22 + ":" * 44  # 5 of 15 seconds later
    assert rows_of(by_clock.out, "first: CPU in use")[2] == ":" * 44
    relative = plot("--relative", a, b, env={"LC_ALL": "C"})
    assert rows_of(relative.out, "second: CPU in use")[0] == ":" * 66
    assert "10:00" not in relative.out
    stacked = plot("--layout=stacked", a, b).out
    assert re.search(r"^  cpu +CPU, first$", stacked, re.M) and re.search(r"^  cpu +CPU, second$", stacked, re.M)
    # One that lies an hour behind it: nothing would be seen of either by the clock.
    c = made([window(0, 0, 10, {"tree_cpu_percent": 300})], directory="third",
             time={"started": "2026-11-28T11:00:05Z", "wall_seconds": 10.0})
    assert "10:00" not in plot(a, c).out and "11:00" in plot("--clock", a, c).out


def test_processes_are_stacked_or_lines_of_their_own(plot, made):
    rows = [{"key": "proc_pss_bytes", "kind": "gauge", "unit": "bytes", "scope": "process", "quality": "sampled"}]
    of = [{"pid": pid, "start_time_ticks": pid, "name": f"p{pid}", "values": {"proc_pss_bytes": {"max": size << 20}}} for pid, size in ((11, 8), (12, 4))]
    path = made([window(0, 0, 10, processes=of)], measurements=rows, time={"wall_seconds": 10.0})

    # Of lines each names its key; of parts of a whole the first does.
    assert plot("-m", "process_memory", path).out.count("proc_pss_bytes") == 1
    unstacked = plot("-m", "process_memory", "--unstacked", path)
    assert (unstacked.status, unstacked.out.count("proc_pss_bytes")) == (0, 2)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_name_that_metrics_takes_stands_at_every_panel(plot, width):
    names = ["cpu", "memory", "process_cpu", "process_memory"]
    drawn = plot("-m", ",".join(names), "--width", width, REPOSITORY / "tests/fixtures/pictures/training")

    assert drawn.status == 0, drawn.err
    for name in names:
        assert re.search(rf"^ *{name} |\({name}\)$", drawn.out, re.M), (name, drawn.out)


def test_idle_time_is_left_out_on_request(plot, made):
    path = made([window(i, i, i + 1, {"tree_cpu_percent": 100 if i < 3 or i > 996 else 0}) for i in range(1000)],
                time={"wall_seconds": 1000.0})
    called = plot("--compress-idle", path, env={"LC_ALL": "C"})
    rows = rows_of(called.out, "CPU in use")

    assert rows[0].count(":") < 8 or rows[0].count(":") > 20
    assert re.search(r"idle for 16m \d+\.\ds, left out", called.out)
    assert "//" in called.out
    assert rows_of(plot(path, env={"LC_ALL": "C"}).out, "CPU in use")[0].count(":") <= 2


def test_a_gap_in_time_left_out_is_told_as_long_as_it_was(plot, made):
    busy = [window(0, 0, 100, {"tree_cpu_percent": 100}), window(1, 2100, 2200, {"tree_cpu_percent": 100})]
    path = made(busy, time={"wall_seconds": 2200.0})

    for words in ([], ["--compress-idle"]):
        assert "nothing was recorded for 33m 20.0s" in plot(*words, path, env={"LC_ALL": "C"}).out


def test_a_span_shorter_than_a_clock_can_tell_is_drawn(plot, made):
    """Seconds since 1970 have a double for each quarter of a microsecond: ticks that are nearer would never come to the end."""
    path = made([window(0, 0, 10, {"tree_cpu_percent": 100})])
    called = plot("--clock", "--from", "0.5", "--to", "0.500000001", path, timeout=60)

    assert (called.status, called.err) == (0, "") and "10:00:00.500" in called.out


def test_what_was_not_recorded_is_not_called_idle(plot, made):
    path = made([window(i, at, at + 1, {"tree_cpu_percent": 100 if i < 3 or i > 96 else 0})
                 for i, at in ((i, i if i < 50 else i + 900) for i in range(100))], time={"wall_seconds": 1000.0})
    called = plot("--compress-idle", path, env={"LC_ALL": "C"})

    assert re.search(r"idle or not recorded for 16m \d+\.\ds, left out", " ".join(called.out.split()))
    assert "nothing was recorded" in " ".join(called.out.split())


def test_runs_that_are_too_many_are_told_once_with_their_number(plot, made, room):
    one = made([window(0, 0, 10, {"tree_cpu_percent": 100})], directory="one")
    many = [one] * 64 + [f"{room}/./one/", *[one] * 235]
    called = plot("-m", "cpu", *many, timeout=60)

    assert called.status == 1 and "one #64" in called.out
    assert called.err == f"assay: a picture is of at most 64 runs: 236 are left out, the first is of {room}/./one/\n"
    assert plot("-m", "cpu", *many[:65], timeout=60).err == f"assay: a picture is of at most 64 runs: 1 is left out, the first is of {room}/./one/\n"


@pytest.mark.parametrize("words, told", [
    (["-m", "cpu", "--from", "1h"], "nothing was measured of what is to be drawn in that stretch of time"),
    (["--from", "1h"], "nothing to draw was measured in that stretch of time"),
    (["-m", "io"], "nothing was measured of what is to be drawn\n")])
def test_nothing_to_draw_in_a_stretch_of_time_is_told_as_that(plot, made, words, told):
    one_line(plot(*words, made([window(0, 0, 10, {"tree_cpu_percent": 100})])), 1, told)


@pytest.mark.parametrize("words, told", [
    (["--from", "5", "--to", "3"], "--from 5 is not before --to 3"),
    (["--from", "3", "--to", "3"], "--from 3 is not before --to 3"),
    (["--from", "1h30m", "--to", "1h20m"], "--from 1h30m is not before --to 1h20m"),
    (["--from", "1m0.5s", "--to", "01:00"], "--from 1m0.5s is not before --to 01:00"),
    (["--to", "0"], "--to 0"),
    (["--from", "-1"], "--from"),
    (["--from", "soon"], '"soon" is not a duration'),
    (["-m", "memmory"], "no run has a metric 'memmory'; did you mean 'memory'?"),
    (["-m", "tree_cpu_percnt"], "did you mean 'tree_cpu_percent'?"),
    (["-m", "\x1b[2J"], r"'\e[2J'"),
    (["-m", "cpu,,io"], "a name is missing between commas"),
    (["-m", ""], "a name is missing"),
    (["-o", "x.foo"], ".txt"),
    (["-o", "picture"], "-o picture: the name must end in one of "),
    (["-o", "x.d/txt"], "must end in one of"),
    (["--processes", "0"], "--processes: '0' is not a number from 1 to 100"),
    (["--points", "1e9"], "'1e9' is not a number"),
    (["--width", "7"], "'7' is not a number"),
    (["--layout", "sideways"], "overlaid, stacked"),
    (["--relative", "--clock"], "--relative and --clock: one of them"),
])
def test_what_makes_no_sense_is_one_line_and_2(plot, made, words, told):
    called = plot(*words, made([window(0, 0, 10, {"tree_cpu_percent": 100})]))

    one_line(called, 2, told)
    assert called.recorded() == []


def test_a_run_that_is_not_there_is_told_and_the_others_are_drawn(plot, made):
    good = made([window(0, 0, 10, {"tree_cpu_percent": 100})])

    one_line(plot("nowhere/"), 2, "nowhere")
    called = plot("nowhere/", good)
    assert called.status == 1
    assert "nowhere" in called.err and "CPU in use" in called.out


def test_a_series_that_is_missing_empty_or_damaged_is_told(plot, made):
    one_line(plot(made(None, directory="none")), 1, "none/info.json: the run has no series to draw")
    one_line(plot(made([], directory="empty")), 1, "empty/usage.jsonl: nothing is in the series")
    one_line(plot(made([b'{"schema":"assay-usage","ver'], directory="torn")), 1, "nothing is in the series but a torn line")
    good = [window(0, 0, 5, {"tree_cpu_percent": 100}), window(1, 5, 10, {"tree_cpu_percent": 100})]
    torn = plot(made([*good, b'{"schema":"assay-usa'], directory="late"))
    assert torn.status == 0 and torn.err.startswith("assay: ") and torn.err.count("\n") == 1
    assert "late/usage.jsonl: its last line is not whole and is left out" in torn.err
    assert "CPU in use" in torn.out
    for number, damage in enumerate([b"\0" * 1000 + b"\n", b"[" * 100000 + b"\n", b"not json\n", b'{"values":7}\n']):
        called = plot(made([good[0], damage, good[1]], directory=f"damaged{number}"))
        assert "CPU in use" in called.out and "peak 1 core " in called.out
        assert called.status == (1 if called.err else 0) and called.err.count("\n") <= 1
    odd = [window(0, 5, 1, {"tree_cpu_percent": 1}), window(1, -1, 2, {"tree_cpu_percent": 1}), window(2, 0, 1e300, {"tree_cpu_percent": 1}),
           window(3, 0, 1, {"tree_cpu_percent": "x"}), window(4, 1, 2, {"tree_cpu_percent": 1e308}), good[0] | {"sequence": 5}]
    called = plot(made(odd, directory="odd", measurements=[7, {"key": 5}, {"key": "tree_cpu_percent", "kind": "gauge", "scope": "single"}],
                       target_limits=[{"name": "cpu", "limit": "x"}, 3]))
    assert called.status in (0, 1) and "CPU in use" in called.out


def test_a_file_is_written_whole_in_place_of_an_older_one(plot, made, room):
    path = made([window(0, 0, 10, {"tree_cpu_percent": 100})])
    here = room / "here"
    (here / "real.txt").write_text("old")
    (here / "link.TXT").symlink_to("real.txt")
    called = plot("-o", "link.TXT", path)

    assert (called.status, called.out, called.err) == (0, "", "")
    assert "CPU in use" in (here / "real.txt").read_text()
    assert (here / "link.TXT").is_symlink()
    assert sorted(p.name for p in here.iterdir()) == ["link.TXT", "real.txt"]
    assert plot("-o", "new.txt", path).status == 0
    assert (here / "new.txt").read_text() == (here / "real.txt").read_text()


def test_what_cannot_be_written_leaves_nothing_behind(plot, made, room):
    path = made([window(0, 0, 10, {"tree_cpu_percent": 100})])
    here = room / "here"
    (here / "directory.txt").mkdir()
    os.mkfifo(here / "pipe.txt")
    (path / "stdout.txt").write_text("x")

    one_line(plot("-o", "directory.txt", path), 2, "directory.txt is there and is no regular file")
    one_line(plot("-o", "pipe.txt", path), 2, "pipe.txt is there and is no regular file")
    one_line(plot("-o", "no/such/place.txt", path), 1, "cannot write no/such/place.txt")
    (here / "usage.txt").symlink_to(path / "usage.jsonl")
    before = (path / "usage.jsonl").read_bytes()
    one_line(plot("-o", "usage.txt", path), 2, "is a file of the run, and stays as it is")
    assert (path / "usage.jsonl").read_bytes() == before
    (here / "dangling.txt").symlink_to("nowhere.txt")
    one_line(plot("-o", "dangling.txt", path), 2, "dangling.txt is a link to what is not there")
    assert (here / "dangling.txt").is_symlink()
    assert sorted(p.name for p in here.iterdir()) == ["dangling.txt", "directory.txt", "pipe.txt", "usage.txt"]


def test_a_file_called_minus_is_standard_output(plot, made, room):
    path = made([window(0, 0, 10, {"tree_cpu_percent": 100})])
    called = plot("-o", "-", "--width", 70, path)

    assert (called.status, called.err) == (0, "") and "CPU in use" in called.out
    assert called.out == plot("--width", 70, path).out
    assert list((room / "here").iterdir()) == []


def test_who_has_seen_enough_may_go(run_assay, assay, made):
    path = made([window(0, 0, 10, {"tree_cpu_percent": 100})])
    done = subprocess.run(["bash", "-c", 'set -o pipefail; "$1" plot --width 1000 "$2" | head -1', "bash", str(assay), str(path)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=run_assay.environment(), check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    full = subprocess.run([str(assay), "plot", str(path)], stdout=open("/dev/full", "w", encoding="ascii"), stderr=subprocess.PIPE,
                          env=run_assay.environment(), check=False)
    assert full.returncode == 1 and b"cannot write to standard output" in full.stderr


def test_memory_does_not_grow_with_the_series(run_assay, assay, made):
    skip_with_a_sanitizer(assay, "has memory of its own")

    def peak(path):
        script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); "
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        return int(subprocess.run(["/usr/bin/python3", "-c", script, str(assay), "plot", str(path)], stdout=subprocess.PIPE,
                                  env=run_assay.environment(), check=True).stdout)

    def windows(n):
        return [window(i, i, i + 1, {"tree_cpu_percent": i % 100, "proc_rss_total_bytes": i}, processes=[
            {"pid": 5 + i % 40, "start_time_ticks": 1, "name": "p", "values": {"proc_cpu_seconds": {"delta": 0.5}}}]) for i in range(n)]

    rows = [{"key": key, "kind": kind, "scope": "single"} for key, kind in KNOWN.items()]
    rows.append({"key": "proc_cpu_seconds", "kind": "counter", "scope": "process"})
    small = peak(made(windows(3000), directory="small", measurements=rows))
    large = peak(made(windows(60000), directory="large", measurements=rows))
    assert large - small < 2048  # KiB; the series is 15 MB longer


def missing_every(made, step, windows=20_000):
    """Of each window but every `step`th most samples were due and not taken; a counter goes on all the time."""
    return made([window(i, i, i + 1, {"tree_io_write_bytes": 4096}, missed_ticks=9 if step == 0 or i % step else 0) for i in range(windows)],
                directory=f"every-{step}", time={"started": "2026-11-28T10:00:00Z", "wall_seconds": float(windows)})


def test_gaps_that_border_on_each_other_are_one(made, plot):
    called = plot(missing_every(made, 0))

    assert called.status == 0, called.err
    assert called.out.count("most samples were due and not taken for 5h 33m 20s") == 1, called.out


def test_of_very_many_gaps_the_longest_are_shown_and_the_rest_counted(made, plot, run_assay, room):
    path = missing_every(made, 2)
    called = plot(path, "-o", room / "page.html")

    assert called.status == 0, called.err
    page = (room / "page.html").read_text(encoding="utf-8")
    assert len(page) < 600_000
    assert "9800 shorter gaps are not shown" in page
