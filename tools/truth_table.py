#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes docs/truth.md: what assay and other tools say of jobs whose use is known.

    truth_table.py [--only WORD] [--jobs N] [--output FILE] [ASSAY]

ASSAY is the program in a Meson build directory (build/assay when not given), the loads are beside it. Each workload runs once under each tool, as an
ordinary user. The exit status is 1 when a value or a bound of assay is false, 2 when a tool is missing.
"""
import argparse
import concurrent.futures
import datetime
import os
import platform
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from truth import judging, page, recorders, workloads

TOP = Path(__file__).resolve().parent.parent
ORDINARY_USER = "nobody"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", metavar="WORD", help="workloads whose words hold it, to the terminal")
    parser.add_argument("--output", type=Path, default=TOP / "docs" / "truth.md")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many workloads at a time (1): quicker, where the machine has CPUs to spare")
    parser.add_argument("assay", nargs="?", type=Path, default=TOP / "build" / "assay")
    return parser.parse_args()


def facts(assay, user, jobs):
    """What the values depend on, a line each."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)
    own = subprocess.run([assay, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    paranoid = Path("/proc/sys/kernel/perf_event_paranoid")
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "an unknown system")
    return [
        f"Made on {datetime.date.today().isoformat()}, {system}, Linux {platform.release()} on {platform.machine()}, {os.cpu_count()} CPUs, "
        f"{memory:.0f} GiB of memory, perf_event_paranoid {paranoid.read_text().strip() if paranoid.exists() else 'none'}; "
        f"load average {os.getloadavg()[0]:.0f} at the start"
        + (f", {jobs} workloads at a time." if jobs > 1 else "."),
        f"As an ordinary user ({user}), every tool without more privileges than that.",
        f"{own}; {'; '.join(recorders.versions())}.",
        "`/usr/bin/time -v`; `perf stat -e task-clock,user_time,system_time`; `resource_monitor -i 1`; `tools/truth/sampler.py`, which looks at the tree "
        "every 0.1 s; `assay run` without options, but for the row that says so."]


def rows_of(workload, found):
    """A row for each quantity; a tool that does not tell of it is absent."""
    rows = []
    for quantity in workload.about:
        cells = {}
        for tool in recorders.TOOLS:
            answers, truth = found.get(tool, ({}, found[recorders.ASSAY][1]))
            cells[tool] = judging.cell(answers.get(quantity), quantity, truth)
        rows.append(page.Row(workload.text, quantity, cells))
    return rows


def measure(machine, wanted, jobs):
    """The rows in the order of the workloads, and {workload: why} of those that this machine refuses."""
    def one(workload):
        try:
            rows = rows_of(workload, machine.all(workload))
        except recorders.Refused as refused:
            print(f"left out: {workload.text}: {refused}", file=sys.stderr, flush=True)
            return [], {workload.text: str(refused)}
        for row in rows:
            print(f"{workload.text}, {row.quantity}: " + ", ".join(f"{tool} {cell.verdict}" for tool, cell in row.cells.items()),
                  file=sys.stderr, flush=True)
        return rows, {}

    all_rows, left_out = [], {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for rows, refused in pool.map(one, wanted):
            all_rows += rows
            left_out.update(refused)
    return all_rows, left_out


def report_false(rows):
    """Says what assay claimed that is not so; returns how often."""
    false = [row for row in rows if row.cells[recorders.ASSAY].verdict == judging.WRONG]
    for row in false:
        cell = row.cells[recorders.ASSAY]
        print(f"FALSE: {row.text}: {row.quantity}: {cell.answer} of {cell.truth}", file=sys.stderr)
    return len(false)


def main():
    options = arguments()
    assay = options.assay.resolve()
    load = assay.parent / "tests" / "truth" / "load"
    lacking = recorders.missing()
    if lacking or not load.exists():
        print(f"truth-table: missing: {' '.join(lacking) or load}; `make truth-table` installs and builds what it needs", file=sys.stderr)
        return 2
    user = pwd.getpwnam(ORDINARY_USER) if os.geteuid() == 0 else None
    name = user.pw_name if user else pwd.getpwuid(os.geteuid()).pw_name
    wanted = [w for w in workloads.WORKLOADS if not options.only or options.only in " ".join([w.text, *w.words])]
    room = Path(tempfile.mkdtemp(prefix="assay-truth-", dir="/var/tmp"))
    try:
        room.chmod(0o755)
        # What the values depend on is that of the start.
        about = facts(assay, name, options.jobs)
        rows, left_out = measure(recorders.Machine(assay, load, room, user), wanted, options.jobs)
    finally:
        shutil.rmtree(room)
    text = page.page(rows, about, left_out)
    if options.only:
        print(text)
    else:
        options.output.write_text(text, encoding="utf-8")
    return 1 if report_false(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
