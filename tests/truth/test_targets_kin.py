# SPDX-License-Identifier: MIT
"""Who descends from a watched tree is told by the kernel as well: of a process whose parent ended before anybody looked, too."""
import os
import signal
import subprocess

import pytest

from support import read_info, wait_for

# A daemon is forked twice within a moment and burns CPU; ten short processes beside it. It says what it used and then waits.
SCRIPT = """
read line <"$0/begin"
sh -c 'setsid sh -c "i=0; while [ \\$i -lt 300000 ]; do i=\\$((i+1)); done; times >\\$0/times; read line <\\$0/forever" "$0" &' "$0"
for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done
read line <"$0/end"
"""
STARTED = 1 + 1 + 10  # by the tree's first process or below it: the one between, the daemon, the short ones


def seconds_of_the_shell(path):
    """From the first line of what `times` prints: 0m0.12s 0m0.01s."""
    total = 0.0
    for text in path.read_text().split("\n")[0].split():
        minutes, seconds = text.rstrip("s").split("m")
        total += 60 * int(minutes) + float(seconds)
    return total


def has_line(path):
    return path.exists() and b"\n" in path.read_bytes()


# The watch has told that it begins, and is slow to look the second time: the daemon is there by then, and was told of by the kernel as well.
SLOW = ["-o", "/dev/null", "-e", "trace=renameat2", "-e", "inject=renameat2:delay_exit=700000:when=1"]


@pytest.mark.parametrize("slow", [False, True], ids=["at_once", "slow"])
def test_a_daemon_forked_between_two_looks_and_every_short_process_is_of_the_tree(assay, room, user, strace, slow):
    for name in ("begin", "end", "forever"):
        os.mkfifo(room / name)
        os.chmod(room / name, 0o666)
    room.chmod(0o777)
    tree = subprocess.Popen(["sh", "-c", SCRIPT, str(room)], **user.popen_arguments())
    attached = survivors = None
    try:
        attached = subprocess.Popen([*([strace, *SLOW] if slow else []), str(assay), "attach", "-q", "-i", "600s", "-p", f"{room}/a-", str(tree.pid)],
                                    env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, **user.popen_arguments())
        wait_for(lambda: (room / "a-info.json").exists(), "the watch to begin")
        (room / "begin").write_text("go\n")
        wait_for(lambda: has_line(room / "times"), "the daemon's work")
        (room / "end").write_text("end\n")
        assert attached.wait(60) == 0
        info = read_info(f"{room}/a-")
        if info["headline"]["processes"]["key"] != "target_processes_started_count":
            pytest.skip("the kernel tells this user of no forks")
        survivors = [survivor["pid"] for survivor in info["processes"]["survivors"]]
        daemon = seconds_of_the_shell(room / "times")

        assert daemon > 0.05 and len(survivors) == 1
        # It waits when the tree ends, so its clock is read whole; what is more is the others'.
        assert daemon - 0.02 <= info["headline"]["cpu_seconds"]["value"] <= daemon + 0.2
        processes = info["headline"]["processes"]
        assert (processes["value"], processes["quality"]) == (1 + STARTED, "exact")
    finally:
        for process in (tree, attached):
            if process and process.poll() is None:
                process.kill()
            if process:
                process.wait()
        for pid in survivors or []:
            os.kill(pid, signal.SIGKILL)
