# SPDX-License-Identifier: MIT
"""Runs a command, waits for all that it leaves behind, and writes down what the kernel says they used: accountant.py TRUTH COMMAND..."""
import ctypes
import json
import os
import resource
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def counts_of_calls():
    with open("/proc/self/io", encoding="ascii") as file:
        return {name: int(value) for name, value in (line.split(": ") for line in file)}


def reap_all(first):
    """Until nobody is left; how the first one ended, and how many there were that this process itself waited for."""
    status, reaped = None, 0
    while True:
        try:
            pid, how = os.wait()
        except ChildProcessError:
            return os.waitstatus_to_exitcode(status), reaped
        reaped += 1
        if pid == first:
            status = how


def main(truth, *command):
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    began = time.monotonic()
    code, reaped = reap_all(os.posix_spawnp(command[0], command, os.environ))
    wall = time.monotonic() - began
    children, own = resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF)
    io = counts_of_calls()
    text = {"code": code, "reaped": reaped, "wall_seconds": wall,
            "memory_peak_process_bytes": max(children.ru_maxrss, own.ru_maxrss) * 1024,
            "io_read_syscall_bytes": io["rchar"], "io_write_syscall_bytes": io["wchar"],
            "children_cpu_seconds": children.ru_utime + children.ru_stime}
    # nothing but the writing itself comes after the clock is read
    text["cpu_seconds"] = text["children_cpu_seconds"] + time.process_time()
    with open(truth, "w", encoding="ascii") as file:
        json.dump(text, file)
        file.write("\n")
        file.flush()
        # the interpreter's own end is nobody's to measure
        os._exit(code & 0xff if code >= 0 else 128 - code)


main(*sys.argv[1:])
