# SPDX-License-Identifier: MIT
"""Tables of pidstat, as they print: one below the other or as one, with a clock of 12 or 24 hours, over midnight."""
import pytest

from calling import Caller
from support import read_info, read_usage

BANNER = "Linux 6.1.0 (node7) \t11/28/2026 \t_x86_64_\t(8 CPU)\n\n"


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def take(call, room):
    def take(content, said=0):
        (room / "table.txt").write_text(content)
        called = call("import", "--clobber", "-p", f"{room}/run/", f"{room}/table.txt")
        assert called.status == 0 and called.err.count("\n") == said, called.err
        return read_info(f"{room}/run/"), read_usage(f"{room}/run/")

    return take


def value(info, name):
    entry = info["headline"][name]
    return entry["value"], entry["quality"], entry["key"]


def section(before, at, columns, *rows):
    head = "".join(f"{name:>10}" for name in ("UID", "PID", *columns))
    lines = ["".join(f"{cell:>10}" for cell in (1000, *row[:-1])) + "  " + row[-1] for row in rows]
    return f"{before:<11}{head}  Command\n" + "".join(f"{at:<11}{line}\n" for line in lines) + "\n"


CPU = ("%usr", "%system", "%guest", "%wait", "%CPU", "CPU")
MEMORY = ("minflt/s", "majflt/s", "VSZ", "RSS", "%MEM")
DISK = ("kB_rd/s", "kB_wr/s", "kB_ccwr/s", "iodelay")


def test_sections_of_one_time_are_one_window(take):
    info, usage = take(
        BANNER
        + section("10:11:12", "10:11:14", CPU, (7, 90, 10, 0, 0, 100, 3, "python"), (8, 50, 0, 0, 0, 50, 1, "sort"))
        + section("10:11:12", "10:11:14", MEMORY, (7, 1, 0, 9000, 2048, 0.5, "python"), (8, 1, 0, 100, 1024, 0.25, "sort"), (9, 1, 0, 50, 10, 0.1, "idle"))
        + section("10:11:12", "10:11:14", DISK, (7, 512, 0, 0, 0, "python"), (9, -1, -1, -1, 0, "idle"))
        + section("10:11:14", "10:11:16", CPU, (7, 20, 0, 0, 0, 20, 3, "python"))
        + section("10:11:14", "10:11:16", MEMORY, (7, 1, 0, 9000, 4096, 1, "python"))
        + section("Average:", "Average:", CPU, (7, 55, 0, 0, 0, 999, "-", "python")))

    assert value(info, "wall_seconds") == (4, "lower_bound", "pidstat_wall_seconds")
    assert value(info, "cpu_seconds") == (3.4, "estimate", "pidstat_cpu_seconds")
    assert value(info, "memory_peak_bytes") == (4096 << 10, "estimate", "pidstat_rss_total_bytes")
    assert value(info, "memory_peak_process_bytes") == (4096 << 10, "lower_bound", "pidstat_rss_bytes")
    assert value(info, "io_read_bytes")[0] == 1 << 20 and value(info, "io_write_bytes")[0] == 0
    assert info["host"] == {"hostname": "node7", "cpus_online": 8} and "started" not in info["time"]
    assert [(window["start_seconds"], window["end_seconds"]) for window in usage] == [(0, 2), (2, 4)]
    assert [window["values"]["pidstat_cpu_total_percent"]["max"] for window in usage] == [150, 20]
    assert [window["values"]["pidstat_rss_total_bytes"]["max"] for window in usage] == [(2048 + 1024 + 10) << 10, 4096 << 10]
    assert [[(process["pid"], process["name"]) for process in window["processes"]] for window in usage] == [
        [(7, "python"), (8, "sort"), (9, "idle")], [(7, "python")]]
    idle = usage[0]["processes"][2]["values"]
    assert "pidstat_process_io_read_bytes" not in idle and "pidstat_cpu_percent" not in idle, "it could not be read, and was not listed"
    assert info["summary"]["pidstat_mean_cpu_total_percent"]["value"] == 85


@pytest.mark.parametrize("times, ends", [
    (("11:59:59 AM", "12:00:01 PM", "12:00:03 PM"), [2, 4]), (("11:59:58 PM", "12:00:00 AM", "12:00:05 AM"), [2, 7]),
    (("23:59:58", "00:00:00", "00:00:05"), [2, 7])])
def test_clocks_and_midnight(take, times, ends):
    before, first, second = times
    _, usage = take(BANNER + section(before, first, CPU, (7, 0, 0, 0, 0, 1, 3, "a")) + section(first, second, CPU, (7, 0, 0, 0, 0, 1, 3, "a")))
    assert [window["end_seconds"] for window in usage] == ends


@pytest.mark.parametrize("stamps", [("10:00:00 AM", "10:00:10 AM"), ("10:00:00", "10:00:10"), ("1767345000", "1767345010")])
def test_one_table_for_all(take, stamps):
    """-h: the first reading has no time before it, so nothing that is by time is claimed of it."""
    names = ("UID", "PID", *CPU, *MEMORY, *DISK)
    text = BANNER + "# Time      " + "".join(f"{name:>10}" for name in names) + "  Command\n"
    for stamp in stamps:
        text += f"{stamp:<12}" + "".join(f"{cell:>10}" for cell in (0, 7, 1, 1, 0, 0, 50, 3, 1, 0, 90, 20, 0.5, 4, 8, 0, 0)) + "  a\n"
    info, usage = take(text)

    assert value(info, "cpu_seconds")[0] == 5 and value(info, "wall_seconds")[0] == 10
    assert value(info, "io_read_bytes")[0] == 40960 and value(info, "io_write_bytes")[0] == 81920
    assert value(info, "memory_peak_bytes")[0] == 20480 and len(usage) == 2


def test_a_line_that_cannot_be_read_is_left_out(take):
    good = section("10:00:00", "10:00:02", CPU, (7, 0, 0, 0, 0, 50, 3, "a"))
    info, usage = take(BANNER + good.rstrip("\n") + "\nno such line\n" + good.replace("10:00:00", "10:00:02", 1).replace("10:00:02 ", "10:00:04 ").split("\n", 1)[1], said=1)
    assert len(usage) == 2 and any("could not be read (the first is line 5)" in note for note in info["notes"])


@pytest.mark.parametrize("content, words", [
    (BANNER + "10:00:00      UID      TGID       TID    %usr    %CPU   CPU  Command\n10:00:01  0  7  -  1  1  3  a\n", "it is of threads"),
    (BANNER + "10:00:00      UID      PID    %usr    %CPU   CPU  Command\n", "it has no line of a process")])
def test_what_cannot_be_told_is_refused(call, room, content, words):
    (room / "table.txt").write_text(content)
    called = call("import", "--from", "pidstat", "-p", f"{room}/run/", f"{room}/table.txt")
    assert called.status == 1 and words in called.err and not (room / "run").exists()
