# SPDX-License-Identifier: MIT
"""Those who measure: how each is put before a command, and what it says afterwards."""
import itertools
import json
import os
import re
import subprocess
import time
from pathlib import Path

from truth.judging import Answer, MIB

HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
BLOCK = 512  # of ru_inblock and ru_oublock
PATIENCE_SECONDS = 20
RUN_SECONDS = 300
REFUSED = 77

GNU_TIME, PERF_CLOCK, PERF_RUSAGE, MONITOR, PSUTIL, ASSAY = (
    "GNU time", "perf task-clock", "perf user + sys", "resource_monitor", "psutil", "assay")
TOOLS = (GNU_TIME, PERF_CLOCK, PERF_RUSAGE, MONITOR, PSUTIL, ASSAY)
# tool -> the Debian package that has it, the command that says its version
PACKAGES = {
    GNU_TIME: ("time", ["/usr/bin/time", "--version"]),
    "perf": ("linux-perf", ["perf", "--version"]),
    MONITOR: ("coop-computing-tools", ["resource_monitor", "--version"]),
    PSUTIL: ("python3-psutil", [PYTHON, "-c", "import psutil; print('psutil', psutil.__version__)"]),
}


class Refused(Exception):
    """The machine cannot do what a workload is about."""


def gnu_time_argv(out):
    return ["/usr/bin/time", "-v", "-o", str(out)]


def gnu_time_says(out):
    found = dict(re.findall(r"^\s*(.+?): (\S+)$", out.read_text(), re.M))
    peak = Answer(float(found["Maximum resident set size (kbytes)"]) * 1024)
    return {GNU_TIME: {
        "cpu_seconds": Answer(float(found["User time (seconds)"]) + float(found["System time (seconds)"])),
        "memory_peak_bytes": peak, "memory_peak_process_bytes": peak,
        "io_read_bytes": Answer(float(found["File system inputs"]) * BLOCK),
        "io_write_bytes": Answer(float(found["File system outputs"]) * BLOCK)}}


def perf_argv(out):
    return ["perf", "stat", "-x,", "-o", str(out), "-e", "task-clock,user_time,system_time", "--"]


def perf_says(out):
    found = {}
    for line in out.read_text().splitlines():
        fields = line.split(",")
        if len(fields) > 2 and re.fullmatch(r"[\d.]+", fields[0]):
            found[fields[2].partition(":")[0]] = float(fields[0]) * {"msec": 1e-3, "ns": 1e-9}[fields[1]]
    clock = {"cpu_seconds": Answer(found.get("task-clock"))}
    parts = [found.get("user_time"), found.get("system_time")]
    return {PERF_CLOCK: clock, PERF_RUSAGE: {"cpu_seconds": Answer(None if None in parts else sum(parts))}}


def monitor_argv(out):
    return ["resource_monitor", "-i", "1", "--measure-only", "--without-disk-footprint", "-O", str(out), "--"]


def monitor_says(out):
    found = json.loads(Path(f"{out}.summary").read_text())
    units = {"s": 1, "MB": MIB}
    names = {"cpu_seconds": "cpu_time", "memory_peak_bytes": "memory", "io_read_syscall_bytes": "bytes_read",
             "io_write_syscall_bytes": "bytes_written"}
    return {MONITOR: {quantity: Answer(found[name][0] * units[found[name][1]]) for quantity, name in names.items()}}


def psutil_argv(out):
    return [PYTHON, str(HERE / "sampler.py"), str(out)]


def psutil_says(out):
    return {PSUTIL: {quantity: Answer(value) for quantity, value in json.loads(out.read_text()).items()}}


def assay_says(out):
    headline = json.loads(Path(f"{out}info.json").read_text())["headline"]
    return {ASSAY: {quantity: Answer(*(claim.get(name) for name in ("value", "quality", "lower", "upper")))
                    for quantity, claim in headline.items()}}


def made_file(path, mib):
    block = os.urandom(MIB)
    with open(path, "wb") as out:
        for _ in range(mib):
            out.write(block)
        os.fsync(out.fileno())
    path.chmod(0o644)
    return path


class Machine:
    """Runs workloads under each tool, as one user, in a room of its own."""

    def __init__(self, assay, load, room, user):
        self.assay, self.load, self.room, self.user = assay, load, room, user
        self.runs = itertools.count()
        self.data, self.cold = made_file(room / "data", 128), made_file(room / "cold", 64)

    def assay_argv(self, options):
        return lambda out: [str(self.assay), "run", "-q", "-p", str(out), *options, "--"]

    def recorders(self, workload):
        """(what comes before a command, what is said afterwards) of each tool that tells of what the workload is about."""
        yield self.assay_argv(workload.assay), assay_says
        yield gnu_time_argv, gnu_time_says
        if "cpu_seconds" in workload.about:
            yield perf_argv, perf_says
        yield monitor_argv, monitor_says
        yield psutil_argv, psutil_says

    def environment(self, directory):
        kept = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
        return {**kept, "HOME": str(directory), "LANG": "C.UTF-8"}

    def one(self, workload, argv, says):
        """(what the tools of one run say, the truth of that run)"""
        directory = self.room / str(next(self.runs))
        directory.mkdir()
        if self.user:
            os.chown(directory, self.user.pw_uid, self.user.pw_gid)
        truth, out = directory / "truth", directory / "out"
        names = {"FILE": directory / "written", "DATA": self.data, "COLD": self.cold, "DIRECTORY": directory}
        words = [str(names.get(word, word)) for word in workload.words]
        who = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        done = subprocess.run([*argv(out), *workload.before, str(self.load), str(truth), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, env=self.environment(directory), cwd=directory, start_new_session=True,
                              timeout=RUN_SECONDS, check=False, **who)
        if done.returncode == REFUSED:
            raise Refused(done.stderr.decode(errors="replace").strip().partition("\n")[0])
        stated = wait_for_truth(truth, done.stderr)
        return says(out), stated

    def all(self, workload):
        """{tool: (its answers, the truth of its run)}"""
        found = {}
        for argv, says in self.recorders(workload):
            answers, truth = self.one(workload, argv, says)
            found.update({tool: (said, truth) for tool, said in answers.items()})
        return found


def wait_for_truth(path, errors):
    """A load that outlives its command writes it later."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if path.exists() and path.read_text().endswith("\n"):
            return json.loads(path.read_text().splitlines()[-1])
        time.sleep(0.05)
    raise Refused("the load did not come to its end: " + errors.decode(errors="replace").strip()[:200])


def missing():
    """Debian packages that are not there."""
    lacking = []
    for package, command in PACKAGES.values():
        try:
            if subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode != 0:
                lacking.append(package)
        except OSError:
            lacking.append(package)
    return lacking


def versions():
    """What each tool and its package are, in words."""
    found = []
    for tool, (package, command) in PACKAGES.items():
        said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        number = re.search(r"\d+(\.\d+)+", said.stdout + said.stderr)
        of_package = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False).stdout
        found.append(" ".join([tool, *([number.group()] if number else []), *([f"({package} {of_package})"] if of_package else [])]))
    return found
