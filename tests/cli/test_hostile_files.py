# SPDX-License-Identifier: MIT
"""Records that are no records: devices, FIFOs and what has no end in place of the files, lines and lists that are larger than any of a run."""
import json
import os
import resource
import shutil
import socket
import subprocess

import pytest

from handmade import write_record
from support import REPOSITORY, skip_with_a_sanitizer

FOREIGN = REPOSITORY / "tests" / "fixtures" / "foreign"
MIB = 1 << 20
MEMORY = 1 << 30  # what reads to the last byte of memory meets its end here


def row(key, scope="single", kind="gauge", unit="bytes"):
    return {"key": key, "kind": kind, "unit": unit, "scope": scope, "reduces": ["max", "last"], "quality": "sampled", "origin": "", "help": "",
            "collector": "made"}


def window(number, values=None, processes=(), **more):
    return {"schema": "assay-usage", "version": "1.0", "sequence": number, "time": f"2026-11-28T10:00:0{number + 1}Z", "monotonic_ns": 1,
            "start_seconds": number, "end_seconds": number + 1, "samples": 1, "missed_ticks": 0, "values": values or {},
            "processes": list(processes), **more}


class Bounded:
    """Calls the program with as much memory, and as much CPU time, as an honest reader needs by far."""

    def __init__(self, assay, here, environment):
        self.assay, self.here, self.environment = assay, here, environment
        here.mkdir()
        here.chmod(0o777)

    def __call__(self, *words, memory=MEMORY, cpu=30, user=None):
        def bound():
            if memory:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))

        arguments = user.popen_arguments() if user else {}
        return subprocess.run([str(self.assay), *words], cwd=self.here, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", check=False, timeout=120, preexec_fn=bound, **arguments)


@pytest.fixture
def call(assay, run_assay, room):
    skip_with_a_sanitizer(assay, "takes more address space than these tests leave")
    return Bounded(assay, room / "here", run_assay.environment({"HOME": str(room / "home")}))


def bind_socket(path):
    place = os.open(path.parent, os.O_PATH)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"/proc/self/fd/{place}/{path.name}")
    os.close(place)


def link_to_fifo(path):
    os.mkfifo(path.with_name("a-fifo"))
    path.symlink_to("a-fifo")


def link_to_directory(path):
    path.with_name("a-directory").mkdir()
    path.symlink_to("a-directory")


PLACED = {
    "zero": lambda path: path.symlink_to("/dev/zero"), "random": lambda path: path.symlink_to("/dev/urandom"),
    "null": lambda path: path.symlink_to("/dev/null"), "fifo": os.mkfifo, "link to a fifo": link_to_fifo, "socket": bind_socket,
    "directory": lambda path: path.mkdir(), "link to a directory": link_to_directory,
}

READERS = [("show", "made"), ("show", "--json", "made"), ("show", "--processes", "made"), ("show", "--events", "made"),
           ("plot", "-o", "x.svg", "made"), ("report", "-o", "x.html", "made"), ("size", "made"), ("compare", "made", "made"),
           ("ls", "--no-index", "."), ("export", "--to", "json", "made"), ("export", "--to", "csv", "made"), ("export", "--to", "csv-wide", "made"),
           ("export", "--to", "openmetrics", "made"), ("export", "--to", "otlp", "made"), ("export", "--to", "perfetto", "made"),
           ("export", "--to", "con-duct", "-o", "x/", "made"), ("import", "made", "-p", "again/")]
OF_THE_SERIES = {"plot", "export"}
# One of each way to a file: the formats of export and of show look it up and open it as one.
WAYS = [("show", "made"), ("show", "--processes", "made"), ("plot", "-o", "x.svg", "made"), ("report", "-o", "x.html", "made"), ("size", "made"),
        ("compare", "made", "made"), ("ls", "--no-index", "."), ("export", "--to", "json", "made"), ("import", "made", "-p", "again/")]


@pytest.mark.parametrize("kind", PLACED)
@pytest.mark.parametrize("state", ["done", "running"])
def test_what_stands_in_place_of_a_series_and_is_no_file_is_not_read(call, kind, state, user):
    made = write_record(call.here / "made", state=state)
    PLACED[kind](made / "usage.jsonl")

    # Every verb and format once, with what would go on for ever; who reads and what state the run is in change nothing of how it is opened.
    for words in READERS if (kind, state) == ("zero", "done") else WAYS:
        called = call(*words, user=user)
        for name in ("x.svg", "x.html", "x", "again", ".assay-index"):
            path = call.here / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

        assert called.returncode in (0, 1, 2), (words, called.returncode, called.stderr)
        assert called.stderr.count("\n") <= 1, (words, called.stderr)
        if words[0] in OF_THE_SERIES or words[:2] == ("show", "made"):
            told = called.stdout + called.stderr
            assert "directory" in told if "directory" in kind else "not a regular file" in told, (words, told)


@pytest.mark.parametrize("name", ["usage.jsonl", "info.json", "usage.json"])
@pytest.mark.parametrize("kind", PLACED)
def test_what_stands_alone_and_is_no_file_is_refused_in_one_line(call, kind, name):
    (call.here / "made").mkdir()
    PLACED[kind](call.here / "made" / name)

    for words in READERS if (kind, name) == ("zero", "usage.jsonl") else WAYS:
        if words[0] == "ls":
            continue
        called = call(*words[:-1], f"made/{name}") if words[0] not in ("import", "compare") else call(words[0], f"made/{name}", *words[2:])
        assert called.returncode in (1, 2), (words, called.stdout)
        assert called.stderr.count("\n") in (1, 2) and called.stdout == "", (words, called.stderr)


@pytest.mark.parametrize("kind", PLACED)
@pytest.mark.parametrize("made, instead", [("con-duct/0.2.2_info.json", "con-duct/0.2.2_usage.jsonl"), ("prmon/prmon.json", "prmon/prmon.txt"),
                                           ("con-duct/0.2.2_usage.jsonl", "con-duct/0.2.2_info.json"), ("prmon/prmon.txt", "prmon/prmon.json")])
def test_beside_another_tools_file_as_well(call, kind, made, instead):
    shutil.copytree(FOREIGN / made.split("/", maxsplit=1)[0], call.here / made.split("/", maxsplit=1)[0])
    (call.here / instead).unlink()
    PLACED[kind](call.here / instead)

    for words in (("show", made), ("export", "--to", "json", made), ("import", made, "-p", "again-{pid}/")):
        called = call(*words)
        assert called.returncode in (0, 1, 2), (words, called.stderr)
        assert called.stderr.count("\n") <= 1, (words, called.stderr)


@pytest.mark.parametrize("kind", PLACED)
def test_captured_outputs_that_are_no_files_are_left_out_of_the_page(call, kind):
    made = write_record(call.here / "made", [window(0)])
    for name in ("stdout", "stderr", "live", "events.jsonl"):
        PLACED[kind](made / name)
        for helper in ("a-fifo", "a-directory"):
            path = made / helper
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)

    called = call("report", "-o", "x.html", "made")
    assert called.returncode == 0, called.stderr
    assert "<h3>stdout</h3>" not in (call.here / "x.html").read_text(encoding="utf-8")
    assert call("show", "made").returncode == 0


def test_a_device_is_not_even_opened(call, strace):
    made = write_record(call.here / "made")
    link_to_fifo(made / "usage.jsonl")

    for words in READERS:
        subprocess.run([strace, "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", "trace", str(call.assay), *words], cwd=call.here,
                       env=call.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=120)
        assert "made/usage.jsonl" not in (call.here / "trace").read_text(), words


LARGE = [(1 << 40, "larger than 16 GiB"), (6 << 30, "in lines that are longer than any of a series")]


@pytest.mark.parametrize("size, why", LARGE)
def test_a_series_of_nothing_but_a_hole_ends_in_one_message(call, size, why):
    made = write_record(call.here / "made", [window(0)])
    with open(made / "usage.jsonl", "ab") as series:
        series.truncate(size)

    # All tell of it in their own way, of the one that ends at once. The one reader goes through 4 GiB of the other: for plot once, for export in seconds.
    verbs = [("show", "made"), ("plot", "-o", "x.svg", "made"), ("report", "-o", "x.html", "made"), ("export", "--to", "json", "made")]
    for words in verbs if size == LARGE[0][0] else verbs[1:2]:
        called = call(*words)
        assert called.returncode in (0, 1, 2), (words, called.stderr)
        told = called.stdout + called.stderr + (call.here / "x.html").read_text(encoding="utf-8") if words[0] == "report" else called.stdout + called.stderr
        assert why in " ".join(told.split()), (words, told)


@pytest.mark.parametrize("size", [size for size, _ in LARGE])
def test_so_does_a_series_alone_and_a_table_of_another_tool(call, size):
    for name, head in (("usage.jsonl", b""), ("sacct.txt", b"JobID|Elapsed|State\n1|00:00:01|COMPLETED\n"), ("prmon.txt", b"Time\twtime\tpss\n1\t1\t1\n")):
        (call.here / name).write_bytes(head)
        os.truncate(call.here / name, size)
        called = call("show", name)
        assert called.returncode in (0, 1, 2) and called.stderr.count("\n") <= 1, (name, called.stderr)


def test_a_series_of_other_lines_is_not_read_to_its_end(call):
    made = write_record(call.here / "made", [window(0)])
    with open(made / "usage.jsonl", "ab") as series:
        series.write(b"x\n" * 1000001 + json.dumps(window(1)).encode() + b"\n")

    called = call("export", "--to", "json", "made")
    assert called.returncode == 1 and called.stderr.count("\n") == 1, called.stderr
    assert "more than 1000000 lines that are no windows" in called.stderr


def test_a_hole_that_a_crash_left_costs_no_window_behind_it(call):
    made = write_record(call.here / "made", [window(0)])
    with open(made / "usage.jsonl", "ab") as series:
        series.truncate(64 * MIB)
        series.seek(0, os.SEEK_END)
        series.write(b"\n" + json.dumps(window(2)).encode() + b"\n")

    called = call("export", "--to", "json", "made")
    assert [w["sequence"] for w in json.loads(called.stdout)["runs"][0]["windows"]] == [0, 2]


def test_more_measurements_than_any_run_has_are_one_message(call):
    write_record(call.here / "made", [window(0)], measurements=[{"key": f"k{i}"} for i in range(100001)])
    write_record(call.here / "other", [window(0), window(1, {f"k{i}": {"max": 1} for i in range(100001)})], measurements=[row("k1")])
    series = [window(n, {f"k{n}_{i}": {"max": 1} for i in range(60000)}) for n in range(2)]
    (call.here / "alone").mkdir()
    (call.here / "alone" / "usage.jsonl").write_text("".join(json.dumps(w, separators=(",", ":")) + "\n" for w in series), encoding="utf-8")

    for name in ("made", "other", "alone"):
        called = call("export", "--to", "csv", name)
        assert called.returncode == 1 and called.stderr.count("\n") == 1, called.stderr
        assert "more than 100000 measurements" in called.stderr
    assert "more than 100000 measurements" in call("show", "made").stderr
    assert call("plot", "-o", "x.svg", "alone").returncode in (0, 1)


MANY = 20000
CPU_SECONDS = 12  # where each takes less than 2; a reader that looks through all of them for each of them took 5 to 60


def many_processes():
    processes = [{"pid": 100 + i, "start_time_ticks": 10 + i, "ppid": 99 + i, "uid": 0, "name": f"p{i}", "command": [f"p{i}", "x"], "born": True,
                  "states": {"R": 1}, "values": {"proc_rss_bytes": {"max": 4096 + i, "last": 4096}, "proc_cpu_seconds": {"delta": 0.001 * i}}}
                 for i in range(MANY)]
    again = [{**one, "born": False, "ended": True} for one in processes]
    return {"measurements": [row("proc_rss_bytes", "process"), row("proc_cpu_seconds", "process", "counter", "seconds")]}, \
        [window(0, {}, processes), window(1, {}, again)]


def many_devices():
    devices = [{"kind": "disk", "name": f"d{i}", "values": {"host_disk_read_bytes": {"delta": i}}} for i in range(MANY)]
    return {"measurements": [row("host_disk_read_bytes", "device", "counter")]}, [window(n, devices=devices) for n in range(2)]


def many_measurements():
    keys = [f"made{i}_rss_total_bytes" for i in range(MANY)]
    return {"measurements": [row(key) for key in keys]}, [window(n, {key: {"max": n, "last": n} for key in keys}) for n in range(2)]


def many_undescribed():
    return {}, many_measurements()[1]


def many_in_the_info():
    many = range(MANY)
    return {"measurements": [row(f"made{i}_bytes") for i in many], "notes": [f"note {i}" for i in many], "tags": {f"t{i}": "x" for i in many},
            "summary": {f"made{i}_bytes": {"value": i, "quality": "sampled"} for i in many},
            "headline": {f"made{i}_bytes": {"value": i, "quality": "sampled", "key": f"made{i}_bytes"} for i in many},
            "target_limits": [{"name": "memory", "unit": "bytes", "limit": 1e9 + i, "source": f"s{i}", "where": "/"} for i in many],
            "rungs": {f"q{i}": [{"key": f"made{i}_bytes", "quality": "sampled", "value": i}] for i in many}}, [window(0)]


MADE = [many_processes, many_devices, many_measurements, many_undescribed, many_in_the_info]
WORDS = [("show", "made"), ("show", "--json", "made"), ("show", "--processes", "made"), ("plot", "-o", "x.svg", "made"),
         ("plot", "-o", "x.svg", "-m", "*", "made"), ("report", "-o", "x.html", "made"), ("size", "made"), ("export", "--to", "json", "made"),
         ("export", "--to", "csv", "--processes", "--devices", "made"), ("export", "--to", "csv-wide", "made"),
         ("export", "--to", "openmetrics", "made"), ("export", "--to", "otlp", "--processes", "--devices", "made"),
         ("export", "--to", "perfetto", "made"), ("export", "--to", "con-duct", "-o", "x/", "made"), ("ls", ".")]

OF_WINDOWS = [("show", "--processes", "made"), ("plot", "-o", "x.svg", "-m", "*", "made"),
              ("export", "--to", "csv", "--processes", "--devices", "made"), ("export", "--to", "csv-wide", "made"),
              ("export", "--to", "perfetto", "made")]


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_twenty_thousand_of_anything_are_read_in_near_linear_time(call, make):
    info, windows = make()
    write_record(call.here / "made", windows, **info)

    # Seconds go into reading such an info file, each time: for those that tell nothing more of it than the others, once is enough.
    for words in [words for words in WORDS if words not in OF_WINDOWS] if make is many_in_the_info else WORDS:
        called = call(*words, memory=0, cpu=CPU_SECONDS)
        assert called.returncode in (0, 1, 2), (words, called.returncode, called.stderr[-500:])
