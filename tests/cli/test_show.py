# SPDX-License-Identifier: MIT
"""What `assay show` says of runs: of real ones, of made ones for each verdict, of torn, running and lost ones, on every kind of terminal."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios

import pytest

from calling import Caller
from handmade import columns_of, headline, write_record
from support import REPOSITORY, parse, skip_with_a_sanitizer, validator, wait_for

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
GIB = 1024 ** 3


@pytest.fixture
def show(run_assay, assay, room):
    caller = Caller(run_assay, assay, room / "here")
    return lambda *words, **more: caller("show", *map(str, words), **more)


def window(number, start, end, values=None, **more):
    return {"schema": "assay-usage", "version": "1.0", "sequence": number, "time": "2026-11-28T10:00:00Z", "monotonic_ns": 1,
            "start_seconds": start, "end_seconds": end, "samples": 1, "missed_ticks": 0,
            "values": {name: {"max": value, "quality": "sampled"} for name, value in (values or {}).items()}, **more}


@pytest.fixture
def made(room):
    return lambda windows=(), name="made", **info: write_record(room / name, windows or None, **{"id": "an-id", **info})


def tags(called):
    assert called.status == 0, called.err
    return [verdict["tag"] for verdict in parse(called.out, "assay-show")["verdicts"]]


def on_terminal(argv, width, env):
    """What a program writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    assert process.wait() == 0, text
    return text.decode("utf-8", errors="strict").replace("\r\n", "\n")


def test_a_real_run_is_told_with_the_numbers_of_its_record(run_assay, show):
    run = run_assay.load("memory-spike", 100, 700, 700, options=["--name", "spike", "--tag", "a=b", "--message", "hello"])
    prefix = f"{run_assay.room}/run1-"
    page = show(prefix)

    assert (page.status, page.err) == (0, "")
    assert page.out.startswith("assay: exited 0 after ")
    assert "spike, " in page.out and "a=b" in page.out and "hello" in page.out
    told = parse(show("--json", prefix).out, "assay-show")
    assert told["info"] == run.info
    assert told["state"] == "done" and told["series"]["windows"] == len(run.usage)
    assert (told["series"]["damaged"], told["series"]["torn"]) == (0, False)
    largest = told["top_processes"][0]
    ours = [p for line in run.usage for p in line.get("processes", []) if p["pid"] == largest["pid"]]
    assert largest["cpu_seconds"] == pytest.approx(sum(p["values"]["proc_cpu_seconds"]["delta"] for p in ours), rel=1e-9)
    assert largest["peak_rss_bytes"] == max(
        p["values"][key]["max"] for p in ours for key in ("proc_hwm_bytes", "proc_rss_bytes") if key in p["values"])


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("form", [[], ["--processes"], ["--events"]])
def test_no_line_passes_the_width(run_assay, show, width, form):
    run_assay(["sh", "-c", "sleep 0.3; : 'x' \"$0\"", "a\x1b[2J\t" + "\u754c" * 70 + "e\u0301" + "y" * 300],
              options=["--message", "word " * 30 + "z" * 250])
    for extra in ({"LC_ALL": "C"}, {}):
        called = show(*form, "--width", width, f"{run_assay.room}/run1-", env=extra)
        assert called.status == 0
        assert max(map(columns_of, called.out.split("\n"))) <= width
        assert "\x1b" not in called.out and "\t" not in called.out
        assert not any(line != line.rstrip() for line in called.out.split("\n"))


@pytest.mark.parametrize("form", [[], ["--events"], ["--flat"], ["-H"], ["--processes", "--width", "200"]])
def test_a_command_that_is_quoted_in_the_record_is_not_quoted_again(run_assay, show, form):
    run_assay(["sh", "-c", "sleep 0.3; : 'x'", "a\\b"])
    out = show(*form, f"{run_assay.room}/run1-").out

    assert r"'a\b'" in out and r"a\\b" not in out


def test_what_no_terminal_may_see_is_escaped_in_a_command_of_a_record_that_was_tampered_with(show, made):
    path = made(command={"text": "a\x1b[2J\u009b1m\u202e \\ b", "argv": ["a"]})

    for form in ([], ["--events"], ["--flat"], ["-H"]):
        assert r"a\e[2J\xc2\x9b1m\xe2\x80\xae \ b" in show(*form, path).out


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_what_is_cut_ends_in_dots(show, made, width):
    """A command of 150 characters: it has room on no page but the widest, and there it is whole."""
    command = ["python3", "-c", "y" * 139]
    path = made([window(0, 0, 1, processes=[{"pid": 5, "start_time_ticks": 5, "name": "python3", "command": command, "born": True, "states": {},
                                             "values": {"proc_cpu_seconds": {"delta": 1.0, "last": 1.0}}}])],
                command={"text": " ".join(command), "argv": command})
    whole = " ".join(command)

    for form in ([], ["--processes"], ["--events"]):
        for line in show(*form, "--width", width, path).out.split("\n"):
            at = line.find("python3 -c")
            if at >= 0:
                assert line[at:] == (whole if width - at >= len(whole) else whole[:width - at - 3] + "...")
    if width == 200:
        assert whole in show("--width", width, path).out


def test_a_command_that_is_longer_than_what_is_kept_says_so(show, made):
    process = {"pid": 5, "start_time_ticks": 5, "name": "x", "born": True, "states": {}, "values": {"proc_cpu_seconds": {"delta": 1.0}}}
    path = made([window(0, 0, 1, processes=[{**process, "command": ["a", "b" * 600]}, {**process, "pid": 6, "command": ["a"] * 300},
                                            {**process, "pid": 7, "command": ["a", "b"], "command_cut": True}])])
    told = [process["command"] for process in parse(show("--json", path).out, "assay-show")["top_processes"]]

    assert sorted(told) == sorted(["a " + "b" * 512 + "...", " ".join(["a"] * 257) + "...", "a b..."])


@pytest.mark.parametrize("width", [60, 80, 200])
def test_on_a_terminal_the_page_is_as_wide_as_it_and_colored(run_assay, assay, made, width):
    path = made([window(i, i, i + 1, {"tree_cpu_percent": 50}) for i in range(10)])
    env = run_assay.environment({"TERM": "xterm"})
    text = on_terminal([str(assay), "show", str(path)], width, env)

    assert "\x1b[1m" in text
    lines = ESCAPE.sub("", text).split("\n")
    assert max(map(columns_of, lines)) == width  # the axis of the charts
    for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_terminal([str(assay), "show", str(path)], width, {**env, **more})


@pytest.mark.parametrize("env, drawn", [({}, True), ({"LC_ALL": "C"}, False), ({"TERM": "dumb"}, False),
                                        ({"LC_ALL": "", "LANG": "de_DE.utf8"}, True)])
def test_braille_is_drawn_only_where_it_can_be_shown(show, made, env, drawn):
    path = made([window(i, i, i + 1, {"tree_cpu_percent": 50}) for i in range(10)])
    out = show(path, env=env).out

    assert any("\u2800" <= c <= "\u28ff" for c in out) == drawn
    assert out.isascii() != drawn
    assert "cores" not in show("--no-charts", path, env=env).out.replace("cores  ", "")


def test_a_gap_and_a_sleep_are_blank_in_the_chart(show, made):
    """Ten columns a second: 66 columns over 6.6 s, with a gap from 2.2 to 4.4; ASCII has one character a column."""
    path = made([window(0, 0, 2.2, {"tree_cpu_percent": 100}), window(1, 4.4, 6.6, {"tree_cpu_percent": 100})],
                time={"wall_seconds": 6.6})
    called = show(path, env={"LC_ALL": "C"})
    row = next(line for line in called.out.split("\n") if line.startswith("           0 |"))

    assert row[14:] == ":" * 22 + " " * 22 + ":" * 22
    assert "2.20 s of the time are in no window (1 gap)" in called.out
    slept = made([window(0, 0, 2.2, {"tree_cpu_percent": 100}, suspended_seconds=2.2), window(1, 2.2, 4.4, {"tree_cpu_percent": 100})],
                 name="slept", time={"wall_seconds": 4.4, "suspended_seconds": 2.2})
    called = show(slept, env={"LC_ALL": "C"})
    assert row in called.out.split("\n")
    assert "2.20 s long the machine slept" in called.out


def test_samples_that_were_missed_are_no_flat_line(show, made):
    path = made([window(0, 0, 3.3, {"proc_pss_total_bytes": 1 << 20}),
                 {**window(1, 3.3, 6.6, {"proc_pss_total_bytes": 1 << 20}), "missed_ticks": 9}], time={"wall_seconds": 6.6})
    called = show(path, env={"LC_ALL": "C"})
    row = next(line for line in called.out.split("\n") if line.startswith("           0 |"))

    assert row[14:] == ":" * 33
    assert "9 of 11 samples were missed" in called.out


@pytest.mark.parametrize("values, top", [({"tree_cpu_percent": 0.3}, "         0.1 |"), ({"proc_pss_total_bytes": 4096}, "       1 MiB |")])
def test_a_job_that_rests_does_not_look_busy(show, made, values, top):
    path = made([window(i, i, i + 1, values) for i in range(4)], time={"wall_seconds": 4.0})
    lines = show(path, env={"LC_ALL": "C"}).out.split("\n")

    assert top in lines  # nothing is drawn up there
    assert "           0 |" + "." * 66 in lines


MEMORY = {"name": "memory", "unit": "bytes", "limit": 4 * GIB, "source": "cgroup", "where": "/c/memory.max", "tightest": True}
CPU = {"name": "cpu", "unit": "cores", "limit": 2, "source": "cgroup", "where": "/c/cpu.max", "tightest": True}


@pytest.mark.parametrize("expected, info", [
    (["cpu-bound"], {"headline": headline(wall_seconds=10.0, cpu_seconds=14.0, cpu_mean_cores=1.4), "target_limits": [CPU]}),
    ([], {"headline": headline(wall_seconds=10.0, cpu_seconds=13.0, cpu_mean_cores=1.3), "target_limits": [CPU]}),
    # of 64 cores, two were allowed: it is the allowance that counts
    (["cpu-bound"], {"headline": headline(wall_seconds=10.0, cpu_mean_cores=1.9), "target_limits": [
        {**CPU, "limit": 64, "source": "host", "tightest": False}, CPU]}),
    (["one-core"], {"headline": headline(wall_seconds=10.0, cpu_mean_cores=0.95, cpu_peak_cores=1.0), "target_limits": [CPU]}),
    (["memory-bound"], {"headline": headline(wall_seconds=10.0, memory_peak_bytes=(int(3.5 * GIB), "lower_bound")), "target_limits": [MEMORY]}),
    ([], {"headline": headline(wall_seconds=10.0, memory_peak_bytes=(int(3.5 * GIB), "upper_bound")), "target_limits": [MEMORY]}),
    (["hit-limit"], {"target_limits": [{**MEMORY, "hits": 3}]}),
    ([], {"target_limits": [{**MEMORY, "hits": 0}]}),
    (["hit-limit"], {"limit": {"name": "memory", "unit": "bytes", "value": 5, "limit": 4, "after_seconds": 3.0, "killed": True,
                               "emptied": True}}),
    (["hit-limit"], {"outcome": {"signal": 9, "signal_name": "SIGKILL", "core_dumped": False, "evidence": "e",
                                 "words": "killed by SIGKILL (the kernel's OOM killer: memory.events oom_kill rose by 1)"}}),
    ([], {"outcome": {"signal": 9, "signal_name": "SIGKILL", "core_dumped": False, "evidence": "e",
                      "words": "killed by SIGKILL (perhaps by the kernel's OOM killer, which struck on this machine)"}}),
    (["throttled"], {"target_limits": [{**CPU, "hits": 5, "periods": 100, "throttled_seconds": 1.0}]}),
    ([], {"target_limits": [{**CPU, "hits": 4, "periods": 100, "throttled_seconds": 1.0}]}),
    (["idle"], {"headline": headline(wall_seconds=10.0, cpu_mean_cores=0.01, io_read_bytes=0, io_write_bytes=0)}),
    ([], {"headline": headline(wall_seconds=10.0, cpu_mean_cores=0.01)}),
    (["io-wait"], {"options": {"cgroup": "own"}, "summary": {"cgroup_pressure_io_some_seconds": {"value": 1.5, "quality": "exact"}}}),
    # a cgroup that others are in says nothing of the job
    ([], {"summary": {"cgroup_pressure_io_some_seconds": {"value": 1.5, "quality": "exact"}}}),
    ([], {}),
])
def test_each_verdict_comes_from_what_was_measured_and_allowed(show, made, expected, info):
    assert tags(show("--json", made(**info))) == expected


def test_waiting_for_the_disk_is_seen_in_the_states_of_processes(show, made):
    def states(waiting):
        return [{**window(i, i, i + 1), "samples": 10, "processes": [
            {"pid": 7, "start_time_ticks": 1, "name": "x", "states": {"D": waiting, "S": 10 - waiting}, "values": {}}]}
            for i in range(10)]

    assert tags(show("--json", made(states(2)))) == ["io-wait"]
    assert tags(show("--json", made(states(1), name="less"))) == []


def test_a_gpu_that_is_taken_and_rests_is_told(show, made):
    def gpus(busy):
        return [{**window(i, i, i + 1), "devices": [{"kind": "gpu", "name": "0", "values": {
            "gpu_utilization_percent": {"mean": busy if i % 2 else 90}, "gpu_memory_used_bytes": {"mean": 2 * GIB}}}]} for i in range(10)]

    assert tags(show("--json", made(gpus(5)))) == ["gpu-allocated-unused"]
    assert tags(show("--json", made(gpus(6), name="busy"))) == []


def test_cores_are_rounded_as_the_summary_of_the_run_rounded_them(show, made):
    """0.995 is kept in thousandths; as a double it is a little less, and would become 0.99."""
    out = show(made(headline=headline(wall_seconds=10.0, cpu_mean_cores=0.995, cpu_peak_cores=1.005), target_limits=[CPU])).out

    assert "cores      = 1.00 mean, = 1.01 peak" in out
    assert "one-core: 1.00 cores on average and 1.01 at most, of 2 allowed" in out
    assert "= 1.01 of 2 cores at peak" in out


def test_who_else_used_the_machine_is_told_as_the_summary_told_it(show, made):
    """1.9047 cores are 1.905 in the record, and 1.90 for people."""
    host = {"cores": 2, "elapsed_seconds": 10.0, "others_seconds": 19.047, "others_mean_cores": 1.905, "error_seconds": 0.1,
            "steal_seconds": 0, "quality": "estimate"}
    path = made(host_cpu=host)

    assert "  note         ~ others used 1.90 of 2 cores of the machine meanwhile\n" in show(path).out
    assert parse(show("--json", path).out, "assay-show")["warnings"] == ["~ others used 1.90 of 2 cores of the machine meanwhile"]
    alone = made(name="one", host_cpu={**host, "cores": 1, "others_seconds": 5.0})
    assert "~ others used 0.50 of 1 core of the machine" in show(alone).out


def test_help_names_the_orders(show):
    assert "cpu, memory, io or start" in " ".join(show("--help").out.split())


def test_a_run_in_which_nothing_stood_out_is_told_in_a_line(show, made):
    out = show("--width", 60, made(headline=headline(wall_seconds=10.0, cpu_mean_cores=0.5))).out

    assert "  verdict      none: nothing stood out (what does: man\n               assay-show)\n" in out


def test_what_is_no_run_is_told_in_one_line(show, room):
    (room / "words").write_text("some words")
    called = show(room / "words")

    assert called.status == 2
    assert called.err == f"assay: {room}/words: it is no run of assay, and of no other format that is known (see assay import --list)\n"


def test_a_run_too_short_is_not_judged_and_the_page_says_so(show, made):
    path = made(headline=headline(wall_seconds=0.5, cpu_mean_cores=2.0), target_limits=[CPU])

    assert tags(show("--json", path)) == []
    assert "too short to judge" in show(path).out


def test_limits_stand_beside_what_was_used(show, made):
    path = made(headline=headline(wall_seconds=10.0, memory_peak_bytes=GIB, memory_peak_charged_bytes=(3 * GIB, "upper_bound")),
                target_limits=[{**MEMORY, "hits": 2}])

    assert "<= 3 GiB of 4 GiB charged, 75 % (cgroup memory.max), limit hit 2" in show(path).out


def test_sources_are_named_only_when_they_truly_disagree(show, made):
    rungs = {"cpu": [{"key": "in_use_seconds", "value": 10.0, "quality": "exact", "in_use": True},
                     {"key": "near_seconds", "value": 10.05, "quality": "estimate", "in_use": False},
                     {"key": "far_seconds", "value": 12.0, "quality": "estimate", "in_use": False},
                     {"key": "at_most_seconds", "value": 30.0, "quality": "upper_bound", "in_use": False},
                     {"key": "gone_seconds", "quality": "absent", "in_use": False}]}
    out = show(made(headline=headline(wall_seconds=10.0, cpu_seconds=10.0), rungs=rungs)).out

    assert "others say ~ 12.0 s far_seconds\n" in out
    assert "near_seconds" not in out and "at_most_seconds" not in out and "gone_seconds" not in out


def test_a_torn_and_damaged_series_is_told_and_the_rest_shown(show, made):
    whole = [window(i, i, i + 1, {"tree_cpu_percent": 50}) for i in range(4)]
    path = made([whole[0], "no json\n", whole[2], json.dumps(whole[3])[:-30]])
    called = show(path)

    assert called.status == 0
    assert "the last line of the series is not whole" in called.out
    assert "1 line of the series could not be read, the first is line 2" in called.out
    told = parse(show("--json", path).out, "assay-show")["series"]
    assert (told["windows"], told["damaged"], told["torn"]) == (2, 1, True)


@pytest.mark.parametrize("wrong", [{"start_seconds": -5}, {"start_seconds": 9}, {"end_seconds": "2"}, {"values": []}, {"processes": "x"},
                                   {"samples": -1}])
def test_a_window_that_makes_no_sense_is_told_as_damage(show, made, wrong):
    path = made([window(0, 0, 1), {**window(1, 1, 2), **wrong}, window(2, 2, 3)])
    out = show(path).out

    assert "1 line of the series could not be read, the first is line 2" in out
    told = parse(show("--json", path).out, "assay-show")["series"]
    assert (told["windows"], told["damaged"]) == (2, 1)


def test_an_empty_info_file_is_told_as_empty(show, made):
    path = made([window(0, 0, 1)])
    (path / "info.json").write_text("")

    for word in (path, path / "info.json", path / "usage.jsonl"):
        called = show(word)
        assert (called.status, called.out) == (2, "")
        assert called.err == f"assay: {path}/info.json: it is empty\n"


def test_a_run_that_runs_is_told_so_far_and_a_lost_one_as_lost(run_assay, show):
    started = run_assay.start(["sleep", "60"])
    started.running_info()
    wait_for(lambda: os.path.exists(f"{started.prefix}usage.jsonl") and os.path.getsize(f"{started.prefix}usage.jsonl"), "a window")
    called = show(started.prefix)
    told = parse(show("--json", started.prefix).out, "assay-show")
    for name in ("pid", "keeper_pid", "job_pid"):
        os.kill(told["info"]["monitor"][name], signal.SIGKILL)
    started.process.wait()

    assert called.out.startswith("assay: running so far") and called.out.split("\n")[0].endswith(": sleep 60")
    assert told["state"] == "running"
    lost = show(started.prefix)
    assert lost.status == 0
    assert lost.out.startswith("assay: lost, its recorder ended without a word after at least ")
    assert "no recorder holds it" in lost.out.replace("\n               ", " ")


def test_a_run_of_another_machine_is_told_as_it_was_when_it_was_written(show, made):
    path = made(state="running", host={"hostname": "elsewhere"}, monitor={"boot_id": "another"}, outcome={}, headline={})
    called = show(path)

    assert called.out.startswith("assay: running when last written, for 10.0 s: job\n")
    assert "state it ran on another machine when it was last written; whether it still does cannot be known here" in " ".join(called.out.split())
    told = parse(show("--json", path).out, "assay-show")
    assert told["state"] == "running" and "cannot be known here" in told["why"]


def test_processes_are_all_there_in_the_order_that_was_asked_for(show, made):
    def process(pid, cpu, rss, **more):
        return {"pid": pid, "start_time_ticks": pid, "name": f"p{pid}", "command": [f"/bin/p{pid}", "a b"], "states": {}, "born": True,
                "values": {"proc_cpu_seconds": {"delta": cpu}, "proc_rss_bytes": {"max": rss},
                           "proc_io_write_bytes": {"delta": 10 * cpu}}, **more}

    path = made([window(0, 0, 1, processes=[process(1, 1.0, 300), process(2, 2.0, 100)]),
                 window(1, 1, 2, processes=[process(1, 0.5, 100, ended=True), process(3, 0.25, 200, born=False)])],
                processes={"too_short": 4, "unnamed_cpu_seconds": 0.5})

    def order(*words):
        return re.findall(r"^ +\d+ p(\d)", show("--processes", *words, path).out, re.M)

    assert order() == ["2", "1", "3"]
    assert order("--sort", "memory") == ["1", "3", "2"]
    assert order("--sort", "start") == ["1", "2", "3"]
    out = show("--processes", "--width", "140", path).out
    assert re.search(r"^ +1 p1 +1\.50 s +300 B +- +- +15 B +0\.0-2\.0  /bin/p1 'a b'$", out, re.M)
    assert re.search(r"^ +3 p3 .* <1\.0->2\.0  ", out, re.M)
    assert "too short to name: 4, 0.500 s CPU in no named process" in out


ROWS = [{"key": "proc_cpu_seconds", "scope": "process", "quality": "sampled"}, {"key": "proc_rss_bytes", "scope": "process", "quality": "sampled"},
        {"key": "proc_io_read_bytes", "scope": "process", "quality": "exact"}, {"key": "proc_io_write_bytes", "scope": "process", "quality": "sampled"}]


def test_the_table_of_processes_says_how_its_numbers_are_known(show, made):
    process = {"pid": 5, "start_time_ticks": 5, "name": "dd", "command": ["dd", "a"], "states": {}, "born": True, "values": {
        "proc_cpu_seconds": {"delta": 1.0}, "proc_rss_bytes": {"max": 4096}, "proc_io_read_bytes": {"delta": 0}, "proc_io_write_bytes": {"delta": 5}}}
    path = made([window(0, 0, 1, processes=[process, {**process, "pid": 6, "values": {
        "proc_cpu_seconds": {"delta": 0.5, "quality": "exact"}, "proc_rss_bytes": {"max": 0}}}])], measurements=ROWS)

    for form in ([], ["--processes"]):
        for width in (80, 120):
            out = show(*form, "--width", width, path).out
            assert re.search(r"^ +pid( name)? +>= cpu +>= rss( +pss)? += read +>= write", out, re.M), out
            assert re.search(r"^ +6( dd)? +0\.500 s +-( +-)? +- +-", out, re.M), out
        assert re.search(r"^ +pid( name)? +>= cpu +>= rss +>= io", show(*form, "--width", 60, path).out, re.M)
    first, second = parse(show("--json", path).out, "assay-show")["top_processes"]
    assert first["qualities"] == {"cpu_seconds": "lower_bound", "peak_rss_bytes": "lower_bound", "io_read_bytes": "exact",
                                  "io_write_bytes": "lower_bound"}
    assert second["qualities"] == {"cpu_seconds": "exact"} and "peak_rss_bytes" not in second


def test_a_table_without_resident_memory_says_that_it_is_the_proportional(show, made):
    path = made([window(0, 0, 1, processes=[{"pid": 5, "start_time_ticks": 5, "name": "x", "states": {}, "values": {
        "proc_pss_bytes": {"max": 4096}}}])])

    assert re.search(r"^ +pid +cpu +pss +read +write  command\n +5 +- +4 KiB +- +-  x$", show(path).out, re.M)


def test_events_stand_in_order_of_time(show, made):
    process = {"pid": 5, "start_time_ticks": 5, "name": "p", "command": ["p", "x"], "states": {}, "values": {}}
    path = made([window(0, 0, 1, processes=[{**process, "born": True}]), window(1, 3, 4, suspended_seconds=9),
                 window(2, 4, 5, segment=1, processes=[{**process, "ended": True}])],
                limit={"name": "wall", "after_seconds": 3.5}, time={"wall_seconds": 5.0})

    assert show("--events", path).out == (
        "       0.000 s  start     job\n"
        "       0.000 s  born            5 p  p x\n"
        "       1.000 s  gap       2.00 s in no window\n"
        "       3.500 s  limit     wall\n"
        "       4.000 s  slept     9.00 s the machine was suspended\n"
        "       4.000 s  joined    the recording went on\n"
        "       5.000 s  ended           5 p\n"
        "       5.000 s  end       exited 0\n")


def test_every_verb_rounds_a_number_as_the_summary_does(run_assay, assay, room, made):
    """Half a hundredth is rounded up, a tenth of a percent is not; seconds and joules have their forms."""
    call = Caller(run_assay, assay, room / "here")
    fields = {"cpu_mean_cores": (0.995, "0.99", "1.00"), "cpu_peak_cores": (3.005, "3.00", "3.01"), "cpu_seconds": (64.96, "64.96", "1m 5.0s"),
              "energy_joules": (12345.678, "1.235e+04 J", "12345.7 J"), "cpu_busy_percent": (99.96, "100.0 %", "99.9 %")}
    path, again = (str(made(name=name, id=name, headline=headline(wall_seconds=10.0, **{name: value for name, (value, _, _) in fields.items()})))
                   for name in ("first", "second"))

    human = call("show", "-H", path).out
    row = call("ls", "--no-index", "-F", ",".join(fields), path).out.splitlines()[-1]
    compared = call("compare", "--fields", ",".join(fields), "--all", path, again).out

    for name, (_, wrong, right) in fields.items():
        assert f"\n{name}: {right}\n" in human, name
        assert f"= {right}" in row and f"= {wrong}" not in row, name
        assert right in compared and wrong not in compared, name


def test_what_is_in_shell_words_is_escaped_once_in_a_flat_line_wherever_it_stands(show, made):
    """A record keeps a newline of a command as a shell reads it, $'a\\nb'; an attached target's name is made in the same way."""
    words = r"$'a\nb\\c'"
    out = show("--flat", made(command={"text": words, "argv": ["a\nb\\c"]}, target={"text": words, "kind": "pid"})).out

    for name in ("command.text", "target.text"):
        assert f"\n{name}: {words}\n" in out
    assert f"\ntarget: {words}\n" in show("--flat", made(name="other", target=words)).out


def test_flat_forms_have_every_member_raw_or_for_people(show, made):
    path = made(headline=headline(wall_seconds=65.0, memory_peak_bytes=GIB), tags={"a": "line\nbreak"})
    flat, human = show("--flat", path).out, show("-H", path).out

    assert "memory_peak_bytes: 1073741824\n" in flat and "wall_seconds: 65\n" in flat
    assert "memory_peak_bytes: 1 GiB\n" in human and "wall_seconds: 1m 5.0s\n" in human
    assert "tags.a: line\\nbreak\n" in flat


@pytest.mark.parametrize("schema", ["assay-show", "assay-compare"])
def test_each_output_has_a_schema_that_refuses_what_is_not_in_it(run_assay, assay, room, made, schema):
    call = Caller(run_assay, assay, room / "here")
    first, second = (str(made(name=name, id=name, headline=headline(wall_seconds=wall))) for name, wall in (("a", 10.0), ("b", 12.0)))
    words = ("show", "--json", first) if schema == "assay-show" else ("compare", "-f", "json", "--fail-if", "wall_seconds > +50%", first, second)
    told = parse(call(*words).out, schema)

    assert (told["schema"], told["version"]) == (schema, "1.0")
    for member in told:
        less = {name: value for name, value in told.items() if name != member}
        assert schema == "assay-show" and member == "why" or not validator(schema).is_valid(less), member
    assert not validator(schema).is_valid(told | {"more": 1})


def test_a_file_of_any_name_is_told_in_json(show, room):
    """Its bytes need not be UTF-8."""
    path = os.fsencode(room / "here") + b"/\xff_info.json"
    (room / "here").mkdir(exist_ok=True)
    with open(path, "wb") as file:
        file.write(b'{"schema": "assay-run", "version": "1.0", "state": "done", "command": {"text": "x", "argv": ["x"]}}')

    told = parse(show("--json", ".").out, "assay-show")

    assert told["file"] == "./\\xff_info.json"


def test_several_runs_come_one_after_the_other_and_a_bad_one_is_told(show, made):
    first, second = made(name="first"), made(name="second")
    called = show(first, "/nowhere/at/all", second)

    assert called.status == 1
    assert called.err.count("\n") == 1 and "/nowhere/at/all" in called.err
    assert called.out.count("assay: exited 0") == 2
    assert show("/nowhere/at/all").status == 2


FOREIGN = REPOSITORY / "tests" / "fixtures" / "foreign"


def test_runs_of_other_tools_are_told_with_what_they_have(show):
    duct = show(FOREIGN / "con-duct" / "0.2.2_info.json")
    assert duct.out.startswith("assay: exited 3 after 13.9 s: /bin/sh /home/x/job.sh --fast\n")
    assert "recorded by con-duct 0.21.0, version 0.2.2" in duct.out
    assert "ps_rss_total_bytes, an estimate: " in duct.out
    assert re.search(r"^ +4712 +- +100 MiB +- +-  python3 work\.py$", duct.out, re.M)
    assert "0.00" not in duct.out and "self " not in duct.out  # nothing is made up
    gpus = show(FOREIGN / "nvidia-smi-header.csv").out.replace("\n               ", " ")
    assert re.search(r"gpu GPU-aaaaaaaa-0000: [0-9.]+ % busy on average, 100\.0 % at most, 2 GiB of its memory at most, 460\.0 J used", gpus)
    several = show(FOREIGN / "jumper-session.zip")
    assert several.status == 0
    assert re.findall(r"level=(\w+)", several.out) == ["process", "system"]


def test_without_a_run_it_is_the_last_one(run_assay, show, room):
    run_assay(["true"], prefix=f"{room}/here/.assay/runs/one/")
    run_assay(["false"], prefix=f"{room}/here/.assay/runs/two/")

    assert show().out.startswith("assay: exited 1 after ")
    assert show("@last-1").out.startswith("assay: exited 0 after ")


@pytest.mark.parametrize("words", [["--width", "39"], ["--width", "80x"], ["--sort", "cpu"], ["--json", "--events"], ["--sort", "x", "--processes"]])
def test_wrong_options_are_one_line_and_status_two(show, made, words):
    called = show(*words, made())

    assert (called.status, called.out) == (2, "")
    assert called.err.count("\n") == 1


def test_who_reads_only_the_beginning_makes_no_error(run_assay, assay, made):
    path = made([window(i, i, i + 1, processes=[{"pid": i + 1, "start_time_ticks": 1, "name": "x", "born": True, "values": {}}])
                 for i in range(20000)])
    for form in ("--events", "--json"):
        piped = subprocess.run(["sh", "-c", f'"$0" show {form} "$1"; echo "status $?" >&2', str(assay), str(path)], check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=run_assay.environment())
        assert piped.stderr == b"status 0\n"
        piped = subprocess.run(["bash", "-c", f'"$0" show {form} "$1" | head -1; echo "${{PIPESTATUS[0]}}"', str(assay), str(path)],
                               check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=run_assay.environment())
        assert piped.stderr == b""
        assert piped.stdout.endswith(b"\n0\n")


def test_a_long_series_takes_no_more_memory_than_a_short_one(run_assay, assay, made):
    """80 000 windows of as many processes: the table lets the small ones go."""
    skip_with_a_sanitizer(assay, "keeps what was freed")

    def peak(path):
        done = subprocess.run(["/usr/bin/python3", "-c", "import resource, subprocess, sys; "
                               "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", str(assay), "show", str(path)],
                              check=True, stdout=subprocess.PIPE, env=run_assay.environment())
        return int(done.stdout) * 1024

    def lines(n):
        return [window(i, i, i + 1, {"tree_cpu_percent": 50}, processes=[{
            "pid": i % 30000 + 1, "start_time_ticks": i, "name": "x", "command": ["x" * 100], "born": True, "ended": True,
            "values": {"proc_cpu_seconds": {"delta": 0.1}}}]) for i in range(n)]

    assert peak(made(lines(80000), name="long")) < peak(made(lines(10), name="short")) + 40 * 1024 * 1024


@pytest.mark.parametrize("gone, missing", [("all", 2), ("emptied", 2), ("the end", 1)])
def test_windows_that_the_record_counts_and_the_series_lacks_are_told(show, made, gone, missing):
    path = made([window(0, 0, 5), window(1, 5, 10)], self={"windows": 2, "records_written": 2, "records_lost": 0, "write_failures": 0})
    assert "missing in the series" not in show(path).out
    lines = (path / "usage.jsonl").read_text().splitlines(keepends=True)
    (path / "usage.jsonl").unlink()
    if gone != "all":
        (path / "usage.jsonl").write_text(lines[0] if gone == "the end" else "")

    assert f"{missing} window{'s are' if missing > 1 else ' is'} missing in the series" in show(path).out
    assert parse(show("--json", path).out, "assay-show")["series"]["missing"] == missing


@pytest.mark.parametrize("all_of_them, words", [
    (900, "2 of = 900 processes are named: a line of the series holds 256 at most, and one had to leave out 732 that did less"), (2, None),
    (None, "not all processes are named: a line of the series holds 256 at most, and one had to leave out 732 that did less")])
def test_the_table_of_processes_says_how_many_no_line_of_the_series_named(show, made, all_of_them, words):
    processes = [{"pid": 10 + i, "start_time_ticks": 5, "name": f"p{i}", "values": {}} for i in range(2)]
    told = headline(wall_seconds=10.0, **({} if all_of_them is None else {"processes": all_of_them}))
    path = made([window(0, 0, 5, processes=processes, omitted_processes=732), window(1, 5, 10, processes=processes, omitted_processes=3)],
                headline=told)
    out = show("--processes", path).out

    assert re.findall(r"p[01]", out) == ["p0", "p1"]
    assert (words in " ".join(out.split())) if words else ("named" not in out)
    assert all(columns_of(line) <= 80 for line in out.splitlines())
