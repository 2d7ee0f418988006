# SPDX-License-Identifier: MIT
"""What the job prints: kept in files, passed on, both or neither, byte for byte, whoever dies or does not read."""
import contextlib
import fcntl
import hashlib
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from support import CPU_TOLERANCE_SECONDS, alive, read_info, spent_cpu_seconds, wait_for

WHICH = ["all", "none", "stdout", "stderr"]
MIB = 1 << 20


def start(run_assay, command, options=(), prefix=None, quiet=True, **popen):
    """assay with descriptors of the test's own choice; everything it makes is under the prefix."""
    prefix = f"{run_assay.room}/kept-" if prefix is None else prefix
    argv = [str(run_assay.assay), "run", *(["-q"] if quiet else []), "-p", prefix, *options, "--", *command]
    popen.setdefault("stdin", subprocess.DEVNULL)
    popen.setdefault("stdout", subprocess.PIPE)
    popen.setdefault("stderr", subprocess.PIPE)
    popen.setdefault("env", run_assay.environment())
    return subprocess.Popen(argv, cwd=run_assay.room, **popen)


def python(program, *arguments):
    return [sys.executable, "-c", program, *map(str, arguments)]


def kept(run_assay, end):
    path = run_assay.room / f"kept-{end}"
    return path.read_bytes() if path.exists() else None


def outputs_of(info):
    return {output["name"]: output for output in info.get("outputs", [])}


def is_called(pid, name):
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8") == f"{name}\n"
    except (FileNotFoundError, ProcessLookupError):
        return False


def pumps(pid):
    """The pumps of an assay that runs, by their names among its children."""
    return [child for child in children(pid) if is_called(child, "pump")]


def has(which, name):
    return which in ("all", name)


@pytest.mark.parametrize("passed", WHICH)
@pytest.mark.parametrize("capture", WHICH)
def test_every_output_goes_where_it_was_asked_to(run_assay, capture, passed):
    said = {"stdout": b"to standard output\n", "stderr": b"to standard error\n"}
    run = run_assay(["sh", "-c", "echo to standard output; echo to standard error >&2; exit 3"],
                    ["-c", capture, "-o", passed])
    files = {name: Path(f"{run_assay.room}/run1-{name}") for name in said}

    assert run.status == 3
    assert run.stdout == (said["stdout"] if has(passed, "stdout") else b"")
    assert run.stderr == (said["stderr"] if has(passed, "stderr") else b"")
    for name, path in files.items():
        assert path.exists() == has(capture, name)
        if has(capture, name):
            assert path.read_bytes() == said[name]
    assert outputs_of(run.info) == {
        name: {"name": name, "file": str(path), "bytes": len(said[name]), "open": False, "reader_gone": False}
        for name, path in files.items() if has(capture, name)}
    assert run.info["options"]["capture_outputs"] == capture
    assert run.info["options"]["outputs"] == passed


ABOUT_DESCRIPTORS = ("import json, os, sys; fds = sorted(int(fd) for fd in os.listdir('/proc/self/fd')); "
                     "there = [fd for fd in fds if os.path.exists(f'/proc/self/fd/{fd}') or fd < 3]; "
                     "open(sys.argv[1], 'w').write(json.dumps({'fds': there, 'tty': [os.isatty(fd) for fd in range(3)],"
                     " 'links': [os.readlink(f'/proc/self/fd/{fd}') for fd in range(3)]}))")


@pytest.mark.parametrize("passed", WHICH)
@pytest.mark.parametrize("capture", WHICH)
def test_the_job_has_three_descriptors_and_a_terminal_where_nothing_is_kept(run_assay, room, capture, passed):
    master, slave = pty.openpty()
    os.set_inheritable(slave, True)
    try:
        process = start(run_assay, python(ABOUT_DESCRIPTORS, room / "said"), ["-c", capture, "-o", passed],
                        stdin=slave, stdout=slave, stderr=slave)
        assert process.wait(60) == 0
        said = json.loads((room / "said").read_text())
        name = os.ttyname(slave)
    finally:
        os.close(slave)
        os.close(master)

    assert said["fds"] == [0, 1, 2]
    assert said["tty"] == [True] + [not has(capture, n) and has(passed, n) for n in ("stdout", "stderr")]
    for fd, n in ((1, "stdout"), (2, "stderr")):
        expected = "pipe:" if has(capture, n) else name if has(passed, n) else "/dev/null"
        assert said["links"][fd].startswith(expected), said


def test_without_capture_there_is_no_pump_and_no_file(run_assay, room):
    process = start(run_assay, ["sh", "-c", "read x"], stdin=subprocess.PIPE)
    wait_for(lambda: read_info(f"{room}/kept-"), "the info file")
    assert pumps(process.pid) == []
    process.communicate(b"\n", timeout=60)
    assert sorted(path.name for path in room.iterdir()) == ["kept-info.json", "kept-usage.jsonl"]
    assert "outputs" not in read_info(f"{room}/kept-")


EVERY_BYTE = "import os, sys; data = bytes(range(256)) * 40961 + b'no end of line'; n = os.write(1, data); " \
    "exec('while n < len(data): n += os.write(1, data[n:])'); os.write(2, data[:777])"


@pytest.mark.parametrize("way", ["all", "combined", "pty"])
def test_no_byte_is_changed(run_assay, way):
    data = bytes(range(256)) * 40961 + b"no end of line"
    process = start(run_assay, python(EVERY_BYTE), ["-c", way])
    out, err = process.communicate(timeout=60)

    assert process.returncode == 0
    if way == "all":
        assert (out, err) == (data, data[:777])
        assert (kept(run_assay, "stdout"), kept(run_assay, "stderr")) == (data, data[:777])
    else:
        assert (out, err) == (data + data[:777], b"")
        assert kept(run_assay, "stdout") == out
        assert kept(run_assay, "stderr") is None


def test_200_mb_arrive_whole_in_the_file_and_beyond(run_assay, room):
    program = ("import hashlib, os, random, sys; block = random.Random(5).randbytes(1 << 20); h = hashlib.sha256()\n"
               "for i in range(200):\n"
               "    piece = block[i:] + block[:i]; h.update(piece); sys.stdout.buffer.write(piece)\n"
               "sys.stdout.buffer.flush(); open(sys.argv[1], 'w').write(h.hexdigest())")
    process = start(run_assay, python(program, room / "sum"), ["-c", "stdout"])
    beyond = hashlib.sha256()
    while piece := process.stdout.read(MIB):
        beyond.update(piece)
    assert process.wait(60) == 0

    in_file = hashlib.sha256((room / "kept-stdout").read_bytes()).hexdigest()
    assert in_file == beyond.hexdigest() == (room / "sum").read_text()
    assert outputs_of(read_info(f"{room}/kept-"))["stdout"]["bytes"] == 200 * MIB


def test_combined_keeps_the_order_in_which_both_were_written(run_assay):
    program = "import os\nfor i in range(3000): os.write(1 + i % 2, b'%d %d\\n' % (i, 1 + i % 2))"
    process = start(run_assay, python(program), ["-c", "combined"])
    out, err = process.communicate(timeout=60)
    expected = b"".join(b"%d %d\n" % (i, 1 + i % 2) for i in range(3000))

    assert (out, err) == (expected, b"")
    assert kept(run_assay, "stdout") == expected


def test_two_outputs_on_one_pipe_do_not_starve_each_other(run_assay):
    program = ("import os, threading\n"
               "def say(fd):\n"
               "    for i in range(2000): os.write(fd, b'%d' % fd * 1000)\n"
               "threads = [threading.Thread(target=say, args=(fd,)) for fd in (1, 2)]\n"
               "for t in threads: t.start()\n"
               "for t in threads: t.join()")
    process = start(run_assay, python(program), ["-c", "all"], stderr=subprocess.STDOUT)
    out, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert (out.count(b"1"), out.count(b"2")) == (2000000, 2000000)
    assert kept(run_assay, "stdout") == b"1" * 2000000
    assert kept(run_assay, "stderr") == b"2" * 2000000


def test_a_prompt_without_a_newline_is_seen_before_its_answer_is_read(run_assay):
    process = start(run_assay, ["sh", "-c", "printf 'name? '; read name; echo \"hello $name\""], ["-c", "all"],
                    stdin=subprocess.PIPE, bufsize=0)
    prompt = b""
    while len(prompt) < 6:
        prompt += process.stdout.read(6 - len(prompt))
    out, _ = process.communicate(b"you\n", timeout=60)

    assert (prompt, out) == (b"name? ", b"hello you\n")
    assert kept(run_assay, "stdout") == b"name? hello you\n"


def test_what_blocks_on_one_output_does_not_hold_up_the_other(run_assay):
    program = ("import os, threading\n"
               "t = threading.Thread(target=lambda: os.write(1, bytes(8 << 20))); t.start()\n"
               "os.write(2, b'ready'); t.join()")
    process = start(run_assay, python(program), ["-c", "all"], bufsize=0)

    assert process.stderr.read(5) == b"ready", "nobody has read standard output yet"
    out, _ = process.communicate(timeout=60)
    assert out == bytes(8 << 20)
    assert process.returncode == 0


def test_a_slow_reader_slows_the_job_and_nothing_grows(run_assay, room):
    progress = room / "progress"
    program = ("import os, sys\n"
               "fd = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\n"
               "for i in range(64): os.write(1, bytes(1 << 20)); os.pwrite(fd, b'%d' % i, 0)")
    process = start(run_assay, python(program, progress), ["-c", "all"], bufsize=0)
    assert process.stdout.read(1) == b"\0"
    [pump] = [pid for pid in pumps(process.pid) if holds(pid, process.stdout.fileno())]
    wait_for(lambda: blocked_in_write(pump), "the pump to be held up by the reader")
    written = int(progress.read_bytes() or b"0") if progress.exists() else 0
    peak = peak_resident_bytes(pump)
    read = len(process.stdout.read(1))
    while read < 40 * MIB:
        read += len(process.stdout.read(40 * MIB - read))
    wait_for(lambda: blocked_in_write(pump), "the pump to be held up by the reader again")
    later_peak = peak_resident_bytes(pump)
    out, _ = process.communicate(timeout=60)

    assert written < 8, "the job ran ahead of its reader by more than the pipes hold"
    assert later_peak - peak < MIB, "40 MiB have gone through it since"
    assert len(out) == 24 * MIB - 1


def peak_resident_bytes(pid):
    return int(Path(f"/proc/{pid}/status").read_text(encoding="ascii").split("VmHWM:")[1].split()[0]) * 1024


def holds(pid, our_end):
    """Whether the process has the other end of our pipe."""
    mine = os.fstat(our_end).st_ino
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if fd.stat().st_ino == mine:
                return True
        except FileNotFoundError:
            pass
    return False


def blocked_in_write(pid):
    """True when it sleeps in write(2), by the number of its system call (1 on x86_64, 64 elsewhere)."""
    number = "1" if os.uname().machine == "x86_64" else "64"
    return Path(f"/proc/{pid}/syscall").read_text().split()[0] == number


def test_a_full_disk_costs_the_file_and_nothing_else(run_assay, disk_of):
    small_disk = disk_of("2m")
    program = "import sys; sys.stdout.buffer.write(bytes(5 << 20)); sys.exit(7)"
    process = start(run_assay, python(program), ["-c", "stdout"], prefix=f"{small_disk}/r-", quiet=False)
    out, err = process.communicate(timeout=60)
    info = read_info(f"{small_disk}/r-")
    [output] = info["outputs"]

    assert process.returncode == 7
    assert out == bytes(5 << 20)
    assert info["state"] == "done"
    assert output["bytes"] == (small_disk / "r-stdout").stat().st_size
    assert output["bytes"] + output["lost_bytes"] == 5 << 20
    assert output["lost_bytes"] > 3 << 20
    assert "No space left on device" in output["error"]
    assert f"{output['lost_bytes']} of {5 << 20} bytes of stdout are not in its file" in " ".join(err.decode().split())


def test_a_disk_that_has_room_again_takes_what_comes_later(run_assay, disk_of, room):
    small_disk = disk_of("2m")
    filler = small_disk / "filler"
    program = ("import os, sys\n"
               "def meet(what): os.write(2, what); os.read(0, 1)\n"
               "os.write(1, b'first\\n'); meet(b'1'); os.write(1, b'lost\\n' * 2000); meet(b'2'); "
               "os.write(1, b'last\\n')")
    process = start(run_assay, python(program), ["-c", "stdout"], prefix=f"{small_disk}/r-", stdin=subprocess.PIPE,
                    bufsize=0)
    file = small_disk / "r-stdout"
    assert process.stderr.read(1) == b"1"
    wait_for(lambda: file.stat().st_size == 6, "the first line in the file")
    with open(filler, "wb", buffering=0) as f:
        try:
            while f.write(bytes(65536)):
                pass
        except OSError:
            pass
    process.stdin.write(b"x")
    assert process.stderr.read(1) == b"2"
    got = b""
    while len(got) < 6 + 10000:
        got += process.stdout.read(65536)
    # Passed on comes before kept: the file has been tried when the pump waits again.
    [pump] = pumps(process.pid)
    wait_for(lambda: not blocked_in_write(pump) and Path(f"/proc/{pump}/stat").read_text().split()[2] == "S", "it")
    size = file.stat().st_size
    filler.unlink()
    process.stdin.write(b"x")
    out, _ = process.communicate(timeout=60)
    [output] = read_info(f"{small_disk}/r-")["outputs"]

    assert out == b"last\n"
    assert output["lost_bytes"] == 6 + 10000 - size > 0
    assert file.read_bytes()[size:] == b"last\n"
    assert output["bytes"] == file.stat().st_size


def test_a_reader_that_goes_early_ends_the_job_as_without_us(run_assay, room):
    process = start(run_assay, ["yes"], ["-c", "stdout"], bufsize=0)
    assert process.stdout.read(2) == b"y\n"
    process.stdout.close()

    assert process.wait(60) == -signal.SIGPIPE
    [output] = read_info(f"{room}/kept-")["outputs"]
    assert output["reader_gone"] is True
    assert output["open"] is False
    content = kept(run_assay, "stdout")
    assert output["bytes"] == len(content) > 2
    assert content[:4000] == b"y\n" * 2000


def test_a_quiet_job_learns_at_its_next_write_that_the_reader_has_gone(run_assay, room):
    process = start(run_assay, ["sh", "-c", "echo one; read x; echo two; echo not reached >&2"], ["-c", "all"],
                    stdin=subprocess.PIPE, bufsize=0)
    assert process.stdout.read(4) == b"one\n"
    wait_for(lambda: pumps(process.pid), "the pumps")
    process.stdout.close()
    wait_for(lambda: len(pumps(process.pid)) == 1, "the pump of standard output to end")
    process.stdin.write(b"\n")
    process.stdin.close()

    assert process.stderr.read() == b""
    assert process.wait(60) == -signal.SIGPIPE
    assert kept(run_assay, "stdout") == b"one\n"


SURVIVOR = 'exec 3<&0; sh -c "read x <&3; echo late" 3<&3 & echo early'


def test_a_background_process_that_holds_the_output_is_not_waited_for_and_not_cut_off(run_assay, room):
    gate_read, gate_write = os.pipe()
    with open(room / "out", "wb") as out:
        process = start(run_assay, ["sh", "-c", SURVIVOR], ["-c", "stdout"], stdin=gate_read, stdout=out)
    os.close(gate_read)
    assert process.wait(60) == 0
    [output] = read_info(f"{room}/kept-")["outputs"]
    first = (room / "out").read_bytes(), kept(run_assay, "stdout")
    os.write(gate_write, b"\n")
    os.close(gate_write)

    assert first == (b"early\n", b"early\n")
    assert (output["open"], output["bytes"]) == (True, 6)
    wait_for(lambda: kept(run_assay, "stdout") == b"early\nlate\n", "the file to grow")
    wait_for(lambda: (room / "out").read_bytes() == b"early\nlate\n", "our output to grow")


@pytest.mark.parametrize("passed, ends", [("all", False), ("none", True)])
def test_who_reads_our_output_waits_for_a_background_process_only_where_it_gets_it(run_assay, room, passed, ends):
    gate_read, gate_write = os.pipe()
    process = start(run_assay, ["sh", "-c", SURVIVOR], ["-c", "all", "-o", passed], stdin=gate_read, bufsize=0)
    os.close(gate_read)
    assert process.wait(60) == 0
    os.set_blocking(process.stdout.fileno(), False)
    got = process.stdout.read(100)
    # None: nothing there, but somebody still holds the other end; b"": nobody does.
    after = process.stdout.read(100) if not ends else got
    os.close(gate_write)

    assert got == (b"" if ends else b"early\n")
    assert after == (b"" if ends else None)
    wait_for(lambda: kept(run_assay, "stdout") == b"early\nlate\n", "the file to grow")
    if not ends:
        wait_for(lambda: process.stdout.read(100) == b"late\n", "the late line")
        wait_for(lambda: process.stdout.read(100) == b"", "the end of our output")


def test_who_reads_our_output_sees_its_end_when_the_job_closes_it(run_assay):
    process = start(run_assay, ["sh", "-c", "echo said; exec >&-; read x"], ["-c", "all"], stdin=subprocess.PIPE,
                    bufsize=0)
    assert process.stdout.read(5) == b"said\n"
    assert process.stdout.read(5) == b"", "the job still runs"
    assert process.poll() is None
    process.communicate(b"\n", timeout=60)


TALK = ("import os\n"
        "for i in range(400):\n"
        "    os.write(1, b'%06d\\n' % i)\n"
        "    if i == 100: os.read(0, 1)\n"
        "os.write(2, b'end')")
TALKED = b"".join(b"%06d\n" % i for i in range(400))


def test_a_monitor_that_is_killed_costs_no_output_on_either_side(run_assay, room):
    process = start(run_assay, python(TALK), ["-c", "all"], stdin=subprocess.PIPE, bufsize=0)
    info = wait_for(lambda: read_info(f"{room}/kept-"), "the info file")
    process.kill()
    process.wait()
    assert alive(info["monitor"]["job_pid"])
    process.stdin.write(b"x")

    with process.stdout, process.stderr, process.stdin:
        assert process.stdout.read() == TALKED
        assert process.stderr.read() == b"end"
    wait_for(lambda: kept(run_assay, "stdout") == TALKED and kept(run_assay, "stderr") == b"end", "the files")
    wait_for(lambda: not alive(info["monitor"]["job_pid"]), "the job to end")


def test_a_pump_that_is_killed_is_replaced_and_the_job_goes_on(run_assay, room):
    process = start(run_assay, python(TALK), ["-c", "all", "--timestamps"], stdin=subprocess.PIPE, bufsize=0)
    wait_for(lambda: (kept(run_assay, "stdout") or b"").count(b"\n") == 101, "the first part")
    wait_for(lambda: read_info(f"{room}/kept-"), "the info file")
    before = pumps(process.pid)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: len(pumps(process.pid)) == 2 and not set(pumps(process.pid)) & set(before), "new pumps")
    out, err = process.communicate(b"x", timeout=60)

    assert (process.returncode, out, err) == (0, TALKED, b"end")
    assert kept(run_assay, "stdout") == TALKED
    assert kept(run_assay, "stdout.times").count(b"\n") == 400
    assert outputs_of(read_info(f"{room}/kept-"))["stdout"]["bytes"] == len(TALKED)


def test_a_pump_that_is_killed_while_it_moves_loses_at_most_what_it_held(run_assay, room):
    program = "import os\nfor i in range(4096): os.write(1, b'%04d' % i * 1024)"
    process = start(run_assay, python(program), ["-c", "stdout", "-o", "none"])
    killed = 0
    while process.poll() is None:
        for pid in pumps_if_alive(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
    content = kept(run_assay, "stdout")

    assert process.returncode == 0
    assert killed > 0
    lost = 4096 * 4096 - len(content)
    assert 0 <= lost <= killed * 65536
    blocks = [content[i:i + 4] for i in range(0, len(content), 4)]
    assert blocks == sorted(blocks), "what is there stands in its order"


def pumps_if_alive(pid):
    try:
        return pumps(pid)
    except (FileNotFoundError, ProcessLookupError):
        return []


def test_a_keeper_that_is_killed_does_not_make_the_pump_a_part_of_the_job(run_assay, room):
    process = start(run_assay, ["sh", "-c", "echo before; read x; echo after; exit 4"],
                    ["-c", "all", "-i", "20ms"], stdin=subprocess.PIPE)
    info = wait_for(lambda: read_info(f"{room}/kept-"), "the info file")
    os.kill(info["monitor"]["keeper_pid"], signal.SIGKILL)
    size = (room / "kept-usage.jsonl").stat().st_size
    wait_for(lambda: (room / "kept-usage.jsonl").stat().st_size > size, "another window")
    out, _ = process.communicate(b"\n", timeout=60)
    info = read_info(f"{room}/kept-")

    assert (process.returncode, out) == (4, b"before\nafter\n")
    assert [name["name"] for name in info["processes"]["by_name"]] == ["sh"]
    assert info["processes"]["survivors_count"] == 0


def test_the_cpu_of_a_pump_is_not_the_jobs_when_the_keeper_was_killed(run_assay, room):
    program = ("import os, sys, time\nfor _ in range(256): os.write(1, bytes(1 << 20))\n"
               "os.close(1)\nprint(time.process_time(), file=open(sys.argv[1], 'w'), flush=True)\nsys.stdin.read()")
    before = spent_cpu_seconds()
    process = start(run_assay, python(program, room / "truth"), ["-c", "stdout", "-i", "20ms"],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    wait_for(lambda: (room / "truth").exists() and (room / "truth").read_text(), "the output")
    wait_for(lambda: not pumps(process.pid), "the pump to be reaped")
    os.kill(read_info(f"{room}/kept-")["monitor"]["keeper_pid"], signal.SIGKILL)
    process.communicate(timeout=60)
    spent = spent_cpu_seconds() - before
    info = read_info(f"{room}/kept-")

    # The pump had work, and its work is in one place.
    assert info["self"]["cpu_seconds"] > 2 * CPU_TOLERANCE_SECONDS
    assert info["headline"]["cpu_seconds"]["value"] <= spent - info["self"]["cpu_seconds"] + CPU_TOLERANCE_SECONDS


def test_on_a_kernel_without_close_range_the_pumps_end_with_the_job(run_assay, room, strace):
    env = run_assay.environment({"ASAN_OPTIONS": "detect_leaks=0"})
    inject = [strace, "-f", "-o", str(room / "trace"), "-e", "trace=close_range", "-e", "inject=close_range:error=ENOSYS"]
    run = run_assay(["echo", "kept"], ["-c", "all"], wrapper=inject, env=env)

    assert "ENOSYS" in (room / "trace").read_text()
    assert [output["open"] for output in run.info["outputs"]] == [False, False]


def test_a_stopped_pump_holds_the_job_and_lets_it_go_on(run_assay, room):
    process = start(run_assay, ["head", "-c", str(4 * MIB), "/dev/zero"], ["-c", "stdout"])
    [pump] = wait_for(lambda: pumps(process.pid), "the pump")
    os.kill(pump, signal.SIGSTOP)
    wait_for(lambda: Path(f"/proc/{pump}/stat").read_text().split()[2] in "TZ", "it to stop")
    os.kill(pump, signal.SIGCONT)
    out, _ = process.communicate(timeout=60)

    assert len(out) == 4 * MIB == len(kept(run_assay, "stdout"))


def test_a_reader_that_never_reads_does_not_hold_us_against_a_signal(run_assay, room):
    # The job's last bytes fit into the pipe to the pump, but not into the one behind it.
    process = start(run_assay, ["head", "-c", "100000", "/dev/zero"], ["-c", "stdout", "-i", "10ms"], bufsize=0)
    [pump] = wait_for(lambda: pumps(process.pid), "the pump")
    wait_for(lambda: blocked_in_write(pump), "the pump to be held up")
    wait_for(lambda: children(process.pid) == [pump] or ended(process.pid), "the job to end")
    process.send_signal(signal.SIGTERM)
    status = process.wait(60)
    info = read_info(f"{room}/kept-")

    assert status == 0
    assert info["outcome"]["exit_code"] == 0
    assert info["outputs"][0]["open"] is True
    assert len(process.stdout.read()) == 100000
    process.stdout.close()
    wait_for(lambda: len(kept(run_assay, "stdout")) == 100000, "the file")


def children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ended(pid):
    """Whether the keeper of that assay has no child left."""
    return all(not children(keeper) for keeper in children(pid) if is_called(keeper, "keeper"))


def test_runs_within_runs_keep_each_their_own(run_assay, room):
    inner = [str(run_assay.assay), "run", "-q", "-p", f"{room}/inner-", "-c", "all", "--", "sh", "-c",
             "echo one; echo two >&2"]
    process = start(run_assay, inner, ["-c", "all"])
    out, err = process.communicate(timeout=60)

    assert (out, err) == (b"one\n", b"two\n")
    for prefix in ("inner", "kept"):
        assert (room / f"{prefix}-stdout").read_bytes() == b"one\n"
        assert (room / f"{prefix}-stderr").read_bytes() == b"two\n"


def test_with_our_output_closed_the_file_is_kept(run_assay, room):
    process = start(run_assay, ["sh", "-c", "echo kept && echo two >&2"], ["-c", "all"],
                    preexec_fn=lambda: (os.close(1), os.close(2)))
    assert process.wait(60) == 0
    assert kept(run_assay, "stdout") == b"kept\n"
    assert kept(run_assay, "stderr") == b"two\n"


def test_an_output_that_takes_nothing_is_told_of_and_the_file_is_whole(run_assay, room):
    with open("/dev/full", "wb") as full:
        process = start(run_assay, ["sh", "-c", "echo 12345 && exit 6"], ["-c", "stdout"], stdout=full, quiet=False)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 6
    assert kept(run_assay, "stdout") == b"12345\n"
    note = "6 bytes of the job's stdout could not be passed on: No space left on device"
    assert note in read_info(f"{room}/kept-")["notes"]
    assert note in " ".join(err.decode().split())


def test_each_line_of_the_file_has_its_time(run_assay, room):
    program = ("import os\n"
               "os.write(1, b'a\\n\\nb'); os.read(0, 1); os.write(1, b'b\\n'); os.write(1, b'\\n' * 5000); "
               "os.write(1, b'last')")
    began = time.monotonic()
    process = start(run_assay, python(program), ["-c", "stdout", "--timestamps"], stdin=subprocess.PIPE)
    wait_for(lambda: (kept(run_assay, "stdout.times") or b"").count(b"\n") == 3, "the first times")
    process.communicate(b"x", timeout=60)
    elapsed = time.monotonic() - began
    times = kept(run_assay, "stdout.times").decode().splitlines()
    info = read_info(f"{room}/kept-")

    assert len(times) == 3 + 5000 + 1
    assert all(len(t.split(".")[1]) == 6 for t in times)
    seconds = [float(t) for t in times]
    assert seconds == sorted(seconds)
    assert times[0] == times[1] == times[2], "one read, one time; the third line keeps that of its first byte"
    assert 0 <= seconds[0] < seconds[3] <= elapsed
    assert info["outputs"][0]["times"] == f"{room}/kept-stdout.times"
    assert info["options"]["timestamps"] is True


def test_a_file_of_an_earlier_run_is_not_overwritten_unasked(run_assay, room):
    (room / "kept-stderr").write_bytes(b"old\n")
    process = start(run_assay, ["touch", "started"], ["-c", "all"])
    _, err = process.communicate(timeout=60)

    assert process.returncode == 2
    assert b"kept-stderr exists" in err
    assert sorted(path.name for path in room.iterdir()) == ["kept-stderr"]
    process = start(run_assay, ["sh", "-c", "echo new >&2"], ["-c", "all", "--clobber"])
    process.communicate(timeout=60)
    assert (process.returncode, kept(run_assay, "stderr")) == (0, b"new\n")


def test_without_a_record_the_output_is_passed_on(run_assay, room):
    (room / "file").touch()
    process = start(run_assay, ["echo", "said"], ["-c", "all", "-o", "none"], prefix=f"{room}/file/r-", quiet=False)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (0, b"said\n")
    assert b"nothing will be recorded" in err


def test_a_command_that_is_not_there_leaves_no_files(run_assay, room):
    process = start(run_assay, ["/nonexistent/command"], ["-c", "all"])
    _, err = process.communicate(timeout=60)

    assert process.returncode == 127
    assert err.count(b"\n") == 1
    assert list(room.iterdir()) == []


def test_what_the_pump_costs_is_our_own_cost_and_not_the_jobs(run_assay, room):
    process = start(run_assay, ["head", "-c", str(300 * MIB), "/dev/zero"], ["-c", "stdout"],
                    stdout=subprocess.DEVNULL)
    assert process.wait(60) == 0
    with_pump = read_info(f"{room}/kept-")["self"]["cpu_seconds"]
    # 300 MiB are read and written in at least 4800 pieces: more than a recorder does in the meantime.
    assert with_pump > 0.05


def test_a_terminal_of_its_own_for_programs_that_need_one(run_assay, room):
    program = ("import os, sys; size = os.get_terminal_size(1); "
               "open(sys.argv[1], 'w').write(repr([os.isatty(fd) for fd in range(3)] + [size.lines, size.columns])); "
               "print('one'); print('two', file=sys.stderr)")
    process = start(run_assay, python(program, room / "said"), ["-c", "pty"])
    out, err = process.communicate(timeout=60)

    assert process.returncode == 0
    assert (room / "said").read_text() == "[False, True, True, 24, 80]"
    assert (out, err) == (b"one\ntwo\n", b"")
    assert kept(run_assay, "stdout") == b"one\ntwo\n"


def set_size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def test_the_terminal_of_its_own_has_the_size_of_ours_and_follows_it(run_assay, room):
    master, slave = pty.openpty()
    set_size(master, 33, 111)
    # A signal that comes just before read(2) is heard only when that returns: it waits no longer than a moment.
    program = ("import os, select, signal\n"
               "def changed(*_): os.write(1, b'%d %d\\n' % tuple(os.get_terminal_size(1))[::-1])\n"
               "signal.signal(signal.SIGWINCH, changed); changed()\n"
               "while not select.select([0], [], [], 0.05)[0] or os.read(0, 1) != b'q': pass")
    take_terminal = ("import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(1, termios.TIOCSCTTY, 0); "
                     "os.execv(sys.argv[1], sys.argv[1:])")
    argv = [sys.executable, "-c", take_terminal, str(run_assay.assay), "run", "-q", "-p", f"{room}/kept-", "-c", "pty",
            "--", *python(program)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=slave, stderr=slave, env=run_assay.environment(),
                          cwd=room) as process:
        os.close(slave)
        try:
            wait_for(lambda: kept(run_assay, "stdout") == b"33 111\n", "the first size")
            set_size(master, 20, 50)
            # It is told twice, by the kernel and by us, and a handler that was interrupted by the second may write the size from before last.
            wait_for(lambda: b"\n20 50\n" in (kept(run_assay, "stdout") or b""), "the new size")
            process.communicate(b"q", timeout=60)
        finally:
            os.close(master)
    assert process.returncode == 0


@pytest.mark.parametrize("way", ["all", "combined", "pty"])
def test_whoever_runs_it_may_capture(run_assay, user, way):
    run = run_assay(["sh", "-c", "echo out; echo err >&2; exit 5"], ["-c", way, "--timestamps"], user=user)
    files = {end: Path(f"{run_assay.room}/run1-{end}") for end in ("stdout", "stdout.times", "stderr", "stderr.times")}

    assert run.status == 5
    if way == "all":
        assert (run.stdout, run.stderr) == (b"out\n", b"err\n")
        assert files["stderr"].read_bytes() == b"err\n"
    else:
        assert (run.stdout, run.stderr) == (b"out\nerr\n", b"")
        assert not files["stderr"].exists()
    assert files["stdout"].read_bytes() == run.stdout
    assert files["stdout.times"].read_bytes().count(b"\n") == run.stdout.count(b"\n")
    assert {path.stat().st_uid for path in files.values() if path.exists()} == {user.uid}


def test_what_the_pump_is_called_is_not_assay(run_assay, room):
    process = start(run_assay, ["sh", "-c", "read x"], ["-c", "all"], stdin=subprocess.PIPE)
    wait_for(lambda: read_info(f"{room}/kept-"), "the info file")
    words = [Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0] for pid in pumps(process.pid)]
    process.communicate(b"\n", timeout=60)

    assert words == [b"pump", b"pump"], "who kills assay by its name does not kill them"
