# SPDX-License-Identifier: MIT
"""What ls lists: every format, order, expression and state, whatever lies beside the runs, on paper of any width."""
import csv
import fcntl
import io
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import termios

import pytest

from calling import Caller
from handmade import columns_of
from support import read_info, wait_for

COLUMNS = ["prefix", "state", "exit", "wall", "cpu_mean", "memory_peak", "command"]


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def three(call):
    """Runs r1, r2, r3 that began in this order and exited with 2, 0, 1."""
    for name, code in (("r1", 2), ("r2", 0), ("r3", 1)):
        run(call, f"runs/{name}/", "sh", "-c", f"exit {code}", options=("--tag", f"code={code}"))
    return call


def run(call, prefix, *command, options=()):
    called = call("run", "-q", "-p", prefix, *options, "--", *command)
    assert called.err == ""


def info_of(call, prefix):
    return read_info(f"{call.here}/{prefix}")


def ls(call, *words, status=0, err="", **more):
    called = call("ls", *words, **more)
    assert (called.status, called.err) == (status, err)
    return called.out


def listed(call, *words, **more):
    return [json.loads(line) for line in ls(call, "-f", "jsonl", *words, **more).splitlines()]


def prefixes(call, *words, **more):
    return [one["prefix"].rstrip("/").rpartition("/")[2] for one in listed(call, "-F", "prefix", *words, **more)]


def test_without_a_path_the_runs_of_the_usual_place_are_listed_by_their_ids(call):
    assert call("run", "-q", "--", "sh", "-c", "exit 3").status == 3
    [directory] = (call.here / ".assay" / "runs").iterdir()

    [one] = listed(call)

    info = info_of(call, f".assay/runs/{directory.name}/")
    assert one["id"] == info["id"]
    assert one["state"] == "done"
    assert one["exit_code"] == 3
    assert one["command"] == info["command"]["text"]
    assert one["wall_seconds"] == info["headline"]["wall_seconds"]["value"]
    assert one["memory_peak_bytes"] == info["headline"]["memory_peak_bytes"]["value"]


def test_a_path_is_a_tree_a_directory_a_prefix_a_file_or_an_id(three):
    identity = info_of(three, "runs/r2/")["id"]

    assert prefixes(three, "runs") == ["r1", "r2", "r3"]
    assert prefixes(three, "runs/r2", "runs/r1/usage.jsonl") == ["r2", "r1"] or \
        prefixes(three, "runs/r2", "runs/r1/usage.jsonl") == ["r1", "r2"]
    assert prefixes(three, "runs/r3/", "runs/r3/info.json") == ["r3"]
    assert prefixes(three, identity, "-p", "runs/{pid}/") == ["r2"]
    assert prefixes(three, "-p", "runs/{pid}/") == ["r1", "r2", "r3"]


def test_runs_come_in_the_order_of_their_beginning_or_of_any_fields(three):
    assert prefixes(three, "runs") == ["r1", "r2", "r3"]
    assert prefixes(three, "runs", "-r") == ["r3", "r2", "r1"]
    assert prefixes(three, "runs", "--sort", "exit_code") == ["r2", "r3", "r1"]
    assert prefixes(three, "runs", "--sort", "exit_code", "--reverse") == ["r1", "r3", "r2"]
    assert prefixes(three, "runs", "--sort", "state,tags.code") == ["r2", "r3", "r1"]


def test_what_lacks_the_field_of_the_order_is_last_both_ways(three):
    run(three, "runs/r0/", "true", options=("--tag", "other=1"))

    assert prefixes(three, "runs", "--sort", "tags.code") == ["r2", "r3", "r1", "r0"]
    assert prefixes(three, "runs", "--sort", "tags.code", "-r") == ["r1", "r3", "r2", "r0"]


def test_numbers_are_sorted_by_their_value(call):
    for n in (9, 10, 100):
        run(call, f"runs/r{n}/", "sh", "-c", f"exit {n}")

    assert prefixes(call, "runs", "-s", "exit_code") == ["r9", "r10", "r100"]


def test_the_last_are_those_that_began_last_in_whatever_order(three):
    assert prefixes(three, "runs", "--last") == ["r3"]
    assert prefixes(three, "runs", "-n", "2") == ["r2", "r3"]
    assert prefixes(three, "runs", "-n", "2", "-r") == ["r3", "r2"]
    assert prefixes(three, "runs", "-n", "2", "-s", "exit_code", "-r") == ["r1", "r3"], "the greatest of an order that is asked for"
    assert prefixes(three, "runs", "--last", "--where", "exit_code = 2") == ["r1"]


def test_expressions_choose_and_several_have_all_to_be_true(three):
    assert prefixes(three, "runs", "-w", "exit_code > 0 and tags.code = 1") == ["r3"]
    assert prefixes(three, "runs", "-w", "exit_code > 0", "-w", "exit_code < 2") == ["r3"]
    assert prefixes(three, "runs", "-w", "not exit_code = 0") == ["r1", "r3"]
    assert prefixes(three, "runs", "-w", "command ~ 'exit [01]'") == ["r2", "r3"]
    assert prefixes(three, "runs", "-w", "prefix like '*/r1/'") == ["r1"]
    assert prefixes(three, "runs", "-w", "started > -1h and ended < now") == ["r1", "r2", "r3"]
    assert prefixes(three, "runs", "-w", "started < -1h",
                    err="") == []


def test_a_wrong_expression_is_one_line_with_its_column_and_status_2(three):
    assert ls(three, "runs", "--where", "wall_seconds > 2GiB", status=2, err=(
        "assay: --where: column 16: wall_seconds: a duration such as 90, 1.5h, 1h30m or 01:30:00 is expected, not '2GiB'\n")) == ""
    assert ls(three, "-w", "exit_code >", status=2, err=(
        "assay: -w: column 12: a value is expected behind the operator, not the end\n")) == ""


def test_nothing_of_an_expression_is_run(three):
    ls(three, "runs", "-f", "jsonl", "-w", "command = '$(touch ran)' or command ~ '`touch ran`'", err="")

    assert not (three.here / "ran").exists()


def test_a_name_that_no_run_has_is_told_with_the_nearest(three):
    assert "memory_peak_bytes" in ls(three, "runs", "-f", "csv", "-F", "prefix,memory_peak_bytes,memry_peak_bytes", err=(
        "assay: no run here has a field 'memry_peak_bytes'; 'memory_peak_bytes' is the nearest\n"))
    ls(three, "runs", "-f", "csv", "-w", "state = lost and exit_cod = 1", err=(
        "assay: no run here has a field 'exit_cod'; 'exit_code' is the nearest\n"))
    ls(three, "runs", "-q", "-F", "nothing_like_it")


@pytest.mark.parametrize("word, nearest", [
    ("signl", "signal"), ("hostnam", "hostname"), ("commnd", "command"), ("usr", "user"), ("exit_codee", "exit_code"), ("exit_cod", "exit_code"),
    ("tree_cpu", "tree_cpu_seconds"), ("memory_peek_bytes", "memory_peak_bytes"), ("exi", "exit"), ("x", None), ("a", None)])
def test_every_wrong_name_is_told_wherever_it_stands(three, word, nearest):
    told = f"assay: no run here has a field '{word}'" + (f"; '{nearest}' is the nearest\n" if nearest else "\n")

    for words in (("-F", word), ("-s", word), ("-w", f"{word} = 1", "-f", "csv")):
        called = three("ls", "runs", *words)
        assert (called.status, called.err) == (0, told)


def test_a_name_that_other_runs_have_is_no_mistake(three):
    for name in ("signal", "limit", "job_id", "peak_rss"):
        ls(three, "runs", "-F", name)


def test_titles_of_columns_are_names_of_fields(three):
    titles = ls(three, "runs").splitlines()[0].split()
    assert "wall" in titles and "exit" in titles

    assert ls(three, "runs", "-F", ",".join(titles)) == ls(three, "runs")
    assert prefixes(three, "runs", "-w", "exit = 2 and wall > 0ms and memory_peak > 1K") == ["r1"]
    assert prefixes(three, "runs", "-s", "exit") == ["r2", "r3", "r1"]
    assert "exit_code" in listed(three, "runs", "-F", "exit")[0]


def test_host_and_tag_mean_what_they_mean_to_compare(three):
    host = info_of(three, "runs/r1/")["host"]["hostname"]

    assert prefixes(three, "runs", "-w", f"host = '{host}'") == ["r1", "r2", "r3"]
    assert prefixes(three, "runs", "-w", f"host != '{host}'") == []
    assert listed(three, "runs/r1", "-F", "host") == [{"hostname": host}]
    assert prefixes(three, "runs", "-w", "tag:code = 1") == ["r3"]
    assert listed(three, "runs/r1", "-F", "tag:code") == [{"tags.code": "2"}]
    assert prefixes(three, "runs", "-s", "tag:code") == ["r2", "r3", "r1"]


def test_json_keeps_numbers_and_leaves_out_what_is_absent(three):
    info = info_of(three, "runs/r1/")
    fields = "prefix,exit_code,cpu_seconds,memory_peak_bytes,memory_peak_bytes.quality,tags.code,counted,processes.counted,signal,affinity"

    found = json.loads(ls(three, "runs", "-f", "json", "-F", fields, "-w", "exit_code = 2", err=(
        "assay: no run here has a field 'counted'\n")))

    assert found == [{"prefix": "runs/r1/", "exit_code": 2, "cpu_seconds": info["headline"]["cpu_seconds"]["value"],
                      "memory_peak_bytes": info["headline"]["memory_peak_bytes"]["value"],
                      "memory_peak_bytes.quality": info["headline"]["memory_peak_bytes"]["quality"],
                      "tags.code": "2", "processes.counted": info["processes"]["counted"], "affinity": info["affinity"]}]


def test_csv_is_as_rfc_4180_has_it_but_for_the_ends_of_lines(call):
    run(call, "runs/a/", "printf", "%s", "one, \"two\"\nthree")

    text = ls(call, "runs", "-f", "csv", "-F", "exit_code,command,signal", "-q")

    assert text.endswith("\n") and "\r" not in text
    [header, row] = csv.reader(io.StringIO(text, newline=""))
    assert header == ["exit_code", "command", "signal"]
    assert row == ["0", info_of(call, "runs/a/")["command"]["text"], ""]


def test_yaml_says_the_same_as_json(three):
    yaml = pytest.importorskip("yaml")
    words = ("runs", "-F", "prefix,exit_code,wall_seconds,command,processes.counted,affinity")

    assert yaml.safe_load(ls(three, *words, "-f", "yaml")) == json.loads(ls(three, *words, "-f", "json"))
    assert ls(three, "runs", "-f", "yaml", "-w", "exit_code = 77") == "[]\n"


def test_nothing_found_is_empty_in_every_format_and_no_failure(call):
    (call.here / "empty").mkdir()

    assert ls(call, "empty", "-f", "json") == "[]\n"
    assert ls(call, "empty", "-f", "jsonl") == ""
    assert ls(call, "empty", "-f", "csv", "-F", "prefix") == "prefix\n"
    assert ls(call, "empty", err="assay: there are no runs here\n") == ""
    assert ls(call, err="assay: there are no runs here\n") == ""


def test_the_names_of_all_fields_are_listed_once(three):
    names = ls(three, "runs", "--list-fields").splitlines()

    assert len(names) == len(set(names))
    assert {"memory_peak_bytes", "state", "prefix", "tags.code", "host.hostname", "tree_cpu_seconds", "exit_code", "memory_peak_bytes.quality"} <= set(names)


def test_the_names_that_con_duct_has_for_the_same_are_known(call):
    run(call, "runs/r1/", "sleep", "0.3", options=("-i", "20ms"))
    info = info_of(call, "runs/r1/")

    [one] = listed(call, "runs/r1", "-F", "wall_clock_time,peak_rss,start_time,num_samples,logs_size")

    assert one["wall_clock_time"] == info["headline"]["wall_seconds"]["value"]
    assert one["peak_rss"] == info["summary"]["proc_peak_rss_total_bytes"]["value"]
    assert one["start_time"] == info["time"]["started"]
    assert one["num_samples"] == info["self"]["ticks"]
    assert one["logs_size"] == sum(path.stat().st_size for path in (call.here / "runs" / "r1").iterdir())


def test_a_run_is_running_and_then_lost_when_its_recorder_is_killed(call, run_assay, room):
    started = run_assay.start(["sleep", "1000"], prefix=f"{room}/here/runs/live/")
    started.running_info()
    try:
        assert [one["state"] for one in listed(call, "runs")] == ["running"]
        job = int(started.running_info()["monitor"]["job_pid"])
    finally:
        os.kill(started.process.pid, signal.SIGKILL)
        started.process.wait()
    os.kill(job, signal.SIGKILL)

    wait_for(lambda: [one["state"] for one in listed(call, "runs")] == ["lost"], "the run to be lost")
    assert prefixes(call, "runs", "-w", "state = lost") == ["live"]
    assert "exit_code" not in listed(call, "runs", err="")[0]


def test_what_cannot_be_read_is_named_and_the_others_are_listed(three):
    three.write("runs/a_info.json", "")
    three.write("runs/b_info.json", (three.here / "runs/r1/info.json").read_bytes()[:1000])
    three.write("runs/c_info.json", b"\0" * 5000)
    three.write("runs/d_info.json", b"\x7fELF\x02\x01\xff\xfe")
    three.write("runs/e_info.json", '{"schema": "elsewhere", "version": 1}')
    three.write("runs/f_info.json", "[" * 100000)
    three.write("runs/g_info.json", '{"a": 1, "a": 2}')
    (three.here / "runs" / "h_info.json").symlink_to("nowhere")

    called = three("ls", "runs", "-f", "jsonl", "-F", "prefix")

    assert called.status == 1
    assert [json.loads(line)["prefix"] for line in called.out.splitlines()] == ["runs/r1/", "runs/r2/", "runs/r3/"]
    lines = called.err.splitlines()
    assert sorted(line.split(": ")[1] for line in lines) == [f"runs/{c}_info.json" for c in "abcdefgh"]
    assert "assay: runs/a_info.json: it is empty" in lines


def in_place_of_info_files(runs):
    """What is no file under the names of info files, and the lines that tell of them."""
    os.mkfifo(runs / "fifo_info.json")
    place = os.open(runs, os.O_PATH)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"/proc/self/fd/{place}/socket_info.json")  # its own path may be too long for an address
    os.close(place)
    (runs / "dir").mkdir()
    (runs / "dir" / "info.json").mkdir()
    (runs / "to_fifo_info.json").symlink_to("fifo_info.json")
    (runs / "to_dir_info.json").symlink_to("dir")
    why = {"fifo_info.json": "it is no file", "socket_info.json": "it is no file", "to_fifo_info.json": "it is no file",
           "to_dir_info.json": "cannot look at it: Is a directory", "dir/info.json": "cannot look at it: Is a directory"}
    return sorted(f"assay: runs/{name}: {text}" for name, text in why.items())


@pytest.mark.parametrize("options", [("--no-index",), ("--rebuild-index",)])
def test_what_stands_in_place_of_an_info_file_and_is_none_is_named(three, options):
    lines = in_place_of_info_files(three.here / "runs")
    (three.here / "runs/r1/info.json").rename(three.here / "runs/dir/info.json/info.json")

    for words in (options, options, ()):  # without options what was made of them the time before is used
        called = three("ls", "runs", "-f", "jsonl", "-F", "prefix", *words)

        assert (called.status, sorted(called.err.splitlines())) == (1, lines)
        assert sorted(json.loads(line)["prefix"] for line in called.out.splitlines()) == ["runs/dir/info.json/", "runs/r2/", "runs/r3/"]


def test_a_directory_that_is_asked_for_may_be_called_anything(three):
    (three.here / "runs").rename(three.here / "old-info.json")

    assert prefixes(three, "old-info.json") == ["r1", "r2", "r3"]


def test_a_fifo_is_never_opened_so_that_who_writes_into_it_is_not_woken(three, strace, run_assay):
    in_place_of_info_files(three.here / "runs")
    # LeakSanitizer does not work under strace.
    environment = run_assay.environment({"HOME": str(three.here / "home"), "ASAN_OPTIONS": "detect_leaks=0"})

    for words in (["runs"], ["runs", "--rebuild-index"], ["runs/fifo_info.json"], ["runs/to_fifo_info.json"]):
        done = subprocess.run([strace, "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", "trace", str(three.program), "ls", *words], cwd=three.here,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

        assert (done.returncode, b"fifo_info.json: it is no file" in done.stderr) == (1, True)
        assert "fifo_info.json" not in (three.here / "trace").read_text()


def test_many_of_one_kind_are_counted(three):
    for i in range(50):
        three.write(f"runs/x{i}_info.json", "")

    called = three("ls", "runs", "-f", "jsonl")

    assert called.status == 1
    assert len(called.out.splitlines()) == 3
    lines = called.err.splitlines()
    assert len(lines) == 6
    assert lines[-1] == "assay: 45 more files: it is empty"


def test_what_a_user_may_not_read_is_named_and_the_rest_is_listed(three, ordinary_user):
    if os.geteuid() != 0:
        pytest.skip("needs root to own files that an ordinary user may not read")
    (three.here / "runs" / "r1" / "info.json").chmod(0o600)
    (three.here / "runs" / "r3").chmod(0o700)

    called = three("ls", "runs", "-f", "jsonl", "-F", "prefix", user=ordinary_user)

    assert called.status == 1
    assert called.out == '{"prefix": "runs/r2/"}\n'
    assert sorted(line.split(": ")[1] for line in called.err.splitlines()) == ["runs/r1/info.json", "runs/r3"]


def test_links_to_directories_are_not_followed_and_loops_end(three):
    (three.here / "runs" / "loop").symlink_to(".")
    (three.here / "runs" / "r1" / "up").symlink_to("..")

    assert prefixes(three, "runs") == ["r1", "r2", "r3"]


def test_a_path_that_is_not_there_is_named_and_the_others_are_listed(three):
    called = three("ls", "runs/r1", "nowhere/at-all", "runs/r2", "-f", "jsonl", "-F", "prefix")

    assert called.status == 1
    assert called.out == '{"prefix": "runs/r1/"}\n{"prefix": "runs/r2/"}\n'
    assert called.err == "assay: nowhere/at-all: there is no such file, directory or prefix of a run\n"


def test_the_table_is_aligned_whatever_stands_in_a_command(call):
    run(call, "runs/a/", "true", "日本語" * 4)
    run(call, "runs/b/", "true", "\x1b[31mred\r\n\x07")
    run(call, "runs/c/", "true", "e\u0301" * 5)

    lines = ls(call, "runs", "-F", "prefix,command,exit_code").splitlines()

    assert len(lines) == 4
    assert "\x1b" not in "".join(lines) and "\x07" not in "".join(lines) and "\r" not in "".join(lines)
    assert len({columns_of(line) for line in lines}) == 1, lines
    assert lines[0].split() == ["prefix", "command", "exit"]


def test_a_command_stands_in_the_table_as_it_is_recorded_with_no_backslash_twice(call):
    run(call, "runs/a/", "printf", "a\\tb%s\\n", "it's \x1b")

    text = info_of(call, "runs/a/")["command"]["text"]
    assert "a\\tb" in text and "\\\\t" not in text
    assert ls(call, "runs", "-F", "prefix,command").splitlines()[1].endswith(f" {text}")


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_the_table_is_as_wide_as_it_may_be(call, columns):
    run(call, "runs/with-a-long-name/", "printf", "%s", "long " * 60)
    run(call, "runs/b/", "printf", "%s", "日本語" * 60)

    lines = ls(call, "runs", env={"COLUMNS": str(columns)}).splitlines()

    assert [columns_of(line) <= columns for line in lines] == [True] * 3, lines
    assert max(columns_of(line) for line in lines) >= columns - 1
    assert lines[0].split() == COLUMNS
    assert all(line.endswith("...") for line in lines[1:])


@pytest.mark.parametrize("columns, whole", [(60, False), (80, True), (90, True), (200, True)])
def test_an_id_is_cut_only_where_the_command_cannot_be(call, columns, whole):
    assert call("run", "-q", "--", "printf", "%s", "long " * 60).status == 0
    [directory] = (call.here / ".assay" / "runs").iterdir()

    row = ls(call, env={"COLUMNS": str(columns)}).splitlines()[1]

    assert columns_of(row) in (columns, columns - 1) and row.endswith("...")
    shown = row.split()[0]
    assert (shown == directory.name) == whole
    assert ls(call, shown, "-F", "id").splitlines()[1] == directory.name


def test_what_ended_a_run_without_an_exit_code_stands_in_its_place(call):
    assert call("run", "-q", "-p", "runs/a/", "--", "sh", "-c", "kill -9 $$").status == -9
    call("run", "-q", "-p", "runs/b/", "--limit", "wall=300ms", "--", "sleep", "60")
    call("run", "-q", "-p", "runs/c/", "--limit", "memory=20M", "--", "/usr/bin/python3", "-c",
         "import time; a = bytearray(b'x') * (200 << 20); time.sleep(60)")
    run(call, "runs/d/", "true")

    for words in ((), ("-F", "prefix,exit_code"), ("-F", "exit_code", "-s", "prefix"), ("-F", "prefix,exit_code", "--no-index")):
        lines = ls(call, "runs", *words).splitlines()
        at = lines[0].split().index("exit")
        assert [line.split()[at] for line in lines[1:]] == ["KILL", "wall", "memory", "0"]
    assert "exit_code" not in listed(call, "runs/a", "-F", "prefix,exit_code")[0]
    assert listed(call, "runs", "-F", "prefix,exit_code")[3] == {"prefix": "runs/d/", "exit_code": 0}


def test_nothing_is_cut_in_a_pipe(call):
    run(call, "runs/a/", "printf", "%s", "long " * 60)

    assert ls(call, "runs").splitlines()[1].endswith(info_of(call, "runs/a/")["command"]["text"])


def test_a_mark_says_how_each_value_is_known(three):
    info = info_of(three, "runs/r1/")["headline"]
    marks = {"exact": "=", "sampled": "~", "estimate": "~", "lower_bound": ">=", "upper_bound": "<="}

    row = ls(three, "runs/r1", "-F", "wall_seconds,memory_peak_bytes").splitlines()[1]

    assert re.findall(r"[=~<>]+", row) == [marks[info[name]["quality"]] for name in ("wall_seconds", "memory_peak_bytes")]


def shown_on_terminal(call, run_assay, columns, env):
    """What a terminal of that width gets."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([str(call.program), "ls", "runs"], stdin=subprocess.DEVNULL, stdout=theirs, cwd=call.here,
                               env=run_assay.environment({"TERM": "xterm", **env}))
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # EIO: nobody holds the other end
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait(60) == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("env, colored", [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_a_terminal_has_its_width_filled_and_failures_in_color(three, run_assay, env, colored):
    run(three, "runs/r4/", "printf", "%s", "long " * 60)

    text = shown_on_terminal(three, run_assay, 72, env)

    assert ("\x1b[1;31m2\x1b[0m" in text) == colored
    assert ("\x1b" in text) == colored
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    assert max(map(columns_of, plain)) == 72


def test_a_reader_that_has_had_enough_is_no_failure(three, run_assay):
    for sigpipe in (signal.SIG_DFL, signal.SIG_IGN):
        read, write = os.pipe()
        os.close(read)
        process = subprocess.Popen([str(three.program), "ls", "runs"], stdout=write, stderr=subprocess.PIPE, cwd=three.here,
                                   env=run_assay.environment(), restore_signals=False,
                                   preexec_fn=lambda how=sigpipe: signal.signal(signal.SIGPIPE, how))
        os.close(write)
        assert process.communicate(timeout=60)[1] == b""
        assert process.returncode in (0, -signal.SIGPIPE)


def test_a_full_disk_is_told(three, run_assay):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([str(three.program), "ls", "runs"], stdout=full, stderr=subprocess.PIPE, cwd=three.here,
                              env=run_assay.environment(), check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr == b"assay: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize("words, text", [
    (("-n", "0"), "-n: '0' is not a number of runs"),
    (("-n", "x"), "-n: 'x' is not a number of runs"),
    (("-n", "2", "--last"), "-n and --last: one of them says how many"),
    (("-F", "a,,b"), "-F: names with single commas between are expected, not ',b'"),
    (("--sort", ""), "--sort: no field is named"),
    (("-f", "xml"), "-f is 'xml'; it takes table, json, jsonl, csv, yaml"),
])
def test_wrong_words_are_one_line_and_status_2(call, words, text):
    called = call("ls", *words)

    assert (called.status, called.out) == (2, "")
    assert called.err in (f"assay: {text}\n", f"assay: {text}; see 'assay ls --help'\n")


def test_a_run_is_listed_once_however_many_words_lead_to_it(three):
    (three.here / "link").symlink_to("runs")
    words = ("runs/r2", "runs", "runs/r1/usage.jsonl", "runs/r1/info.json", "link", "runs/r3/", str(three.here / "runs"))

    assert sorted(prefixes(three, *words)) == ["r1", "r2", "r3"]
    assert sorted(prefixes(three, ".")) == sorted(prefixes(three, ".", "runs", ".")) == ["r1", "r2", "r3"]
    assert prefixes(three, "runs/r1/stdout-less", "runs/r1/", status=1, err="assay: runs/r1/stdout-less: there is no such file, directory or "
                    "prefix of a run\n") == ["r1"]
