#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What users write with psutil: sampler.py OUTPUT COMMAND..., the tree every 0.1 s, its sums as JSON in OUTPUT."""
import json
import sys
import time

import psutil

EVERY_SECONDS = 0.1


def look(root, last):
    """Reads all processes of the tree; returns their resident bytes, one by one."""
    resident = []
    for process in [root, *root.children(recursive=True)]:
        try:
            times, io = process.cpu_times(), process.io_counters()
            resident.append(process.memory_info().rss)
            last[process.pid, process.create_time()] = {
                "cpu_seconds": times.user + times.system, "io_read_syscall_bytes": io.read_chars, "io_write_syscall_bytes": io.write_chars,
                "io_read_bytes": io.read_bytes, "io_write_bytes": io.write_bytes}
        except psutil.Error:
            continue
    return resident


def main():
    root = psutil.Popen(sys.argv[2:])
    last, peak, largest = {}, 0, 0
    while root.poll() is None:
        try:
            resident = look(root, last)
        except psutil.Error:
            resident = []
        peak, largest = max(peak, sum(resident)), max([largest, *resident])
        time.sleep(EVERY_SECONDS)
    names = ("cpu_seconds", "io_read_syscall_bytes", "io_write_syscall_bytes", "io_read_bytes", "io_write_bytes")
    sums = {name: sum(values[name] for values in last.values()) for name in names}
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        json.dump({**sums, "memory_peak_bytes": peak, "memory_peak_process_bytes": largest}, out)
    return max(root.returncode, 0)


if __name__ == "__main__":
    sys.exit(main())
