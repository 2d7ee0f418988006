#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What recording costs, as ratios within one run: assay against the bare system calls and against other recorders.

    bench.py [--quick] [--repeat N] [--only PART,...] [--json FILE] [ASSAY]

ASSAY is the program in a Meson build directory (build/assay when not given). Every comparison runs its commands in turn, again
and again (ABC ABC ABC), so that a machine that is busy with something else is busy for all of them. A number is never a reason
to fail: the exit status tells whether the measuring worked. bench/README.md says what each row means.
"""
import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import targets

HERE = Path(__file__).resolve().parent
TRUE = "/bin/true"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What one look of the floor reads and nothing more.
LEAN = "proc_cpu_seconds,proc_cpu_percent,proc_state,proc_rss_bytes,proc_vsz_bytes,proc_io_*"
SETTLE_S = 2.5  # the denser first samples, opening of files and first command lines are over by then
MIB = 1 << 20


class Bench:
    """Where things are, how much is run, and what was found."""

    def __init__(self, assay, build, quick, repeat):
        self.assay, self.build, self.quick, self.repeat = str(assay), build, quick, repeat
        self.workload, self.floor = str(build / "bench/workload"), str(build / "bench/floor")
        self.scratch = Path(tempfile.mkdtemp(prefix="assay-bench-"))
        self.counter = 0
        self.results, self.goals = {}, []

    def prefix(self):
        self.counter += 1
        return f"{self.scratch}/{self.counter}-"

    def record(self, *options):
        """The words before a command that record it, and the file that then tells about it."""
        prefix = self.prefix()
        return [self.assay, "run", "-q", "-p", prefix, *options, "--"], Path(prefix + "info.json")

    def goal(self, text, value, limit, unit, at_least=False):
        self.goals.append({"goal": text, "value": round(value, 3), "limit": limit, "unit": unit, "at_least": at_least,
                           "met": value >= limit if at_least else value <= limit})


# ---- clocks ----

def cpu_ns(pid):
    """The CPU clock of a process, its own threads only; a zombie still has it (see clock_getcpuclockid(3))."""
    return time.clock_gettime_ns(~pid << 3 | 2)


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "n": len(values)}


def shown(s, scale=1.0, digits=2):
    return f"{s['median'] * scale:.{digits}f} [{s['min'] * scale:.{digits}f}..{s['max'] * scale:.{digits}f}]"


def table(title, head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    print(f"\n{title}")
    for row in [head, *rows]:
        print("  " + "  ".join(str(cell).ljust(w) if i == 0 else str(cell).rjust(w)
                               for i, (cell, w) in enumerate(zip(row, widths))).rstrip())
    sys.stdout.flush()


def say(text):
    print(f"# {time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def spawn(words, **more):
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, env=dict(os.environ, PATH=PATH), **more)


def run_timed(words, output=os.devnull):
    """Wall and CPU nanoseconds of a command and all it waited for, and its exit status."""
    actions = [(os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
    began = time.monotonic_ns()
    pid = os.posix_spawn(words[0], words, {"PATH": PATH}, file_actions=actions)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    wall = time.monotonic_ns() - began
    own = cpu_ns(pid)
    _, status, usage = os.wait4(pid, 0)
    return {"wall": wall, "own": own, "cpu": (usage.ru_utime + usage.ru_stime) * 1e9, "status": status,
            "output": output}


# ---- the samplers, as they are attached to a tree that runs ----

PSUTIL_SAMPLER = """
import sys, time, psutil
root, due = psutil.Process(int(sys.argv[1])), time.monotonic()
while True:
    for p in root.children(recursive=True):
        try:
            p.cpu_times(), p.memory_info(), p.io_counters()
        except psutil.Error:
            pass
    due += 1
    time.sleep(max(0, due - time.monotonic()))
"""

PS_SAMPLER = ('i=0; while [ $i -lt {n} ]; do ps -w -s {sid} -o pid,pcpu,pmem,rss,vsz,etime,stat,cmd >>{out}; sleep 1; '
              'i=$((i+1)); done')


def children_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def start_tree(words, kind, n, seconds, bench):
    """Starts the tree of children behind `words`; returns the process once all children live."""
    job = spawn([*words, bench.workload, "tree", kind, str(n), str(seconds)], stdout=subprocess.PIPE, start_new_session=True)
    if job.stdout.readline().strip() != b"ready":
        stop(job, group=True)
        raise RuntimeError(f"{words[:1] or 'the workload'} did not start {n} children")
    return job


def stop(process, group=False):
    with contextlib.suppress(ProcessLookupError):
        if group:
            os.killpg(process.pid, signal.SIGTERM)
        else:
            process.kill()
    process.wait()


def clock_over(pid, samples):
    """CPU nanoseconds a second of what runs with that pid, once it has settled."""
    time.sleep(SETTLE_S)
    before, began = cpu_ns(pid), time.monotonic_ns()
    time.sleep(samples)
    return (cpu_ns(pid) - before) * 1e9 / (time.monotonic_ns() - began)


def end_of(job):
    """Waits for the end; own CPU nanoseconds over the whole life."""
    os.waitid(os.P_PID, job.pid, os.WEXITED | os.WNOWAIT)
    own = cpu_ns(job.pid)
    job.wait()
    return own


def measure_wrapping(bench, words, kind, n, samples):
    """A recorder that starts the job itself."""
    job = start_tree(words, kind, n, int(samples + SETTLE_S + 1), bench)
    steady = clock_over(job.pid, samples)
    return {"steady": steady, "whole": end_of(job)}


def measure_once(bench, words, kind, n):
    """A recorder that takes no samples: all its cost is at the ends."""
    job = start_tree(words, kind, n, 1, bench)
    return {"steady": 0, "whole": end_of(job)}


def measure_attached(words, samples):
    """A sampler beside a tree that runs; it has no end of its own."""
    sampler = spawn(words, stdout=subprocess.DEVNULL)
    steady = clock_over(sampler.pid, samples)
    whole = cpu_ns(sampler.pid)
    stop(sampler)
    return {"steady": steady, "whole": whole}


def measure_floor(bench, pids, samples):
    done = subprocess.run([bench.floor, str(samples), *pids], stdout=subprocess.PIPE, check=True, text=True)
    said = json.loads(done.stdout)
    if said["answered"] != said["samples"] * said["processes"]:
        raise RuntimeError("the floor's processes did not live")
    return {"steady": said["us_per_sample"] * 1e3, "whole": said["us_per_sample"] * 1e3 * samples}


def measure_ps(bench, sid, samples):
    n = max(2, samples // 2)
    done = run_timed(["/bin/sh", "-c", PS_SAMPLER.format(n=n, sid=sid, out=bench.prefix() + "ps")])
    return {"steady": done["cpu"] / n, "whole": done["cpu"]}


def monitors(bench):
    """name -> (how it comes to the job, words or function); in the order in which they take turns."""
    found = {
        "floor (bare system calls)": ("attached", lambda job, samples: measure_floor(bench, children_of(job.pid), samples)),
        "assay": ("wrapping", lambda: bench.record()[0]),
        "assay, the floor's readings": ("wrapping", lambda: bench.record("--measurements", LEAN)[0]),
        "the same, no record written": ("wrapping", lambda: bench.record("--measurements", LEAN, "--report-interval", "1h")[0]),
    }
    missing = {}

    def add(name, program, package, how, make):
        if shutil.which(program, path=PATH):
            found[name] = (how, make)
        else:
            missing[name] = f"{program} is not installed (package {package})"

    if subprocess.run(["/usr/bin/python3", "-c", "import psutil"], stderr=subprocess.DEVNULL, check=False).returncode:
        missing["psutil"] = "python3-psutil is not installed"
    else:
        found["psutil"] = ("attached", lambda job, samples: measure_attached(
            ["/usr/bin/python3", "-c", PSUTIL_SAMPLER, str(job.pid)], samples))
    add("pidstat -rud 1", "pidstat", "sysstat", "attached",
        lambda job, samples: measure_attached(["/usr/bin/pidstat", "-rud", "1"], samples))
    add("ps -s once a second", "ps", "procps", "attached", lambda job, samples: measure_ps(bench, job.pid, samples))
    add("resource_monitor", "resource_monitor", "coop-computing-tools", "wrapping", lambda: [
        "/usr/bin/resource_monitor", "-i", "1", "--measure-only", "--without-disk-footprint", "--with-time-series",
        "-O", bench.prefix() + "rm", "--"])
    add("GNU time (no samples)", "time", "time", "once", lambda: ["/usr/bin/time", "-o", bench.prefix() + "time"])
    if bench.quick:
        found = {name: found[name] for name in list(found)[:5]}
    return found, missing


def one_cell(bench, found, kind, n, samples):
    """Every monitor once over trees of one kind and size."""
    taken = {}
    job = None
    for name, (how, make) in found.items():
        if how != "attached":
            taken[name] = measure_once(bench, make(), kind, n) if how == "once" else measure_wrapping(bench, make(), kind, n, samples)
            continue
        if job is None:
            job = start_tree([], kind, n, 3600, bench)
        taken[name] = make(job, samples)
    if job:
        os.kill(job.pid, signal.SIGKILL)  # its children die with it
        job.wait()
        time.sleep(n / 5000)
    return taken


def part_sampling(bench):
    """Added CPU a second at 1 Hz, for idle and for mildly busy children."""
    sizes = [300] if bench.quick else [1, 300, 5000]
    found, missing = monitors(bench)
    for name, why in missing.items():
        print(f"skipped: {name}: {why}")
    cells = [(kind, n) for n in sizes for kind in ("idle", "busy")]
    taken = {cell: {name: [] for name in found} for cell in cells}
    for turn in range(bench.repeat):
        for kind, n in cells:
            say(f"sampling: turn {turn + 1} of {bench.repeat}, {n} {kind} processes")
            # Readings of PSS of many processes come only every few seconds.
            samples = 2 if bench.quick else 10 if n > 1000 else 4
            for name, result in one_cell(bench, found, kind, n, samples).items():
                taken[kind, n][name].append(result)
    bench.results["sampling"] = {}
    for kind, n in cells:
        show_cell(bench, kind, n, taken[kind, n])
    bench.results["sampling_skipped"] = missing


def show_cell(bench, kind, n, taken):
    steady = {name: spread([r["steady"] for r in results]) for name, results in taken.items()}
    ratios = {name: spread([r["steady"] / max(a["steady"], 1) for r, a in zip(results, taken["assay"])])
              for name, results in taken.items()}
    floor = taken["floor (bare system calls)"]
    rows = [(name, shown(ratios[name]), shown(steady[name], 1e-6, 3), f"{steady[name]['median'] / 1e3 / n:.2f}",
             f"{steady[name]['median'] * 3600 / 1e9:.1f}") for name in taken]
    table(f"Added CPU at 1 Hz, {n} {kind} processes (assay = 1)",
          ("monitor", "ratio", "ms a second", "us a process-sample", "CPU seconds an hour"), rows)
    bench.results["sampling"][f"{n} {kind}"] = {
        name: {"ratio_to_assay": ratios[name], "ns_a_second": steady[name],
               "whole_run_ns": spread([r["whole"] for r in taken[name]])} for name in taken}
    if n > 1:
        for name in ("the same, no record written", "assay, the floor's readings", "assay"):
            against = statistics.median(r["steady"] / f["steady"] for r, f in zip(taken[name], floor))
            said = name.replace("the same", "assay, the floor's readings")
            bench.goal(f"{said}: a process-sample over the floor, {n} {kind} processes", against, 1.25, "x")
    if n == 300:
        for name, least in (("psutil", 17), ("ps -s once a second", 20)):
            if name in ratios:
                lean = taken["assay, the floor's readings"]
                less = statistics.median(o["steady"] / a["steady"] for o, a in zip(taken[name], lean))
                bench.goal(f"{name} over assay, the floor's readings, {n} {kind} processes", less, least, "x", at_least=True)


# ---- start-up ----

def part_startup(bench):
    """The same short command bare and recorded, in pairs."""
    pairs = 60 if bench.quick else 400
    commands = {"true": lambda: [TRUE], "assay": lambda: [*bench.record()[0], TRUE],
                "assay, minimal": lambda: [*bench.record("--measurements", "minimal")[0], TRUE],
                "assay, output captured": lambda: [*bench.record("-c", "all")[0], TRUE]}
    if Path("/usr/bin/time").exists():
        commands["GNU time"] = lambda: ["/usr/bin/time", "-o", "/dev/null", TRUE]
    commands["sh -c true"] = lambda: ["/bin/sh", "-c", f"{TRUE}; exit 0"]
    taken = {name: [] for name in commands}
    say(f"start-up: {pairs} pairs")
    for _ in range(pairs):
        for name, make in commands.items():
            result = run_timed(make())
            if result["status"]:
                raise RuntimeError(f"{name} failed with status {result['status']}")
            taken[name].append(result)
    bench.results["startup"] = {}
    rows = []
    for name, results in taken.items():
        added = [r["wall"] - b["wall"] for r, b in zip(results, taken["true"])]
        cpu = [r["cpu"] - b["cpu"] for r, b in zip(results, taken["true"])]
        facts = {"wall_ns": spread([r["wall"] for r in results]), "added_wall_ns": spread(added), "added_cpu_ns": spread(cpu),
                 "added_wall_p95_ns": statistics.quantiles(added, n=20)[18],
                 "wall_p95_ns": statistics.quantiles([r["wall"] for r in results], n=20)[18]}
        bench.results["startup"][name] = facts
        rows.append((name, f"{facts['wall_ns']['median'] / 1e6:.3f}", f"{facts['wall_p95_ns'] / 1e6:.3f}",
                     f"{facts['wall_ns']['min'] / 1e6:.3f}", f"{facts['added_wall_ns']['median'] / 1e6:.3f}",
                     f"{facts['added_wall_p95_ns'] / 1e6:.3f}", f"{facts['added_cpu_ns']['median'] / 1e6:.3f}"))
    table(f"Start-up and end around `true`, {pairs} of each, ms",
          ("command", "median", "p95", "min", "added median", "added p95", "added CPU"), rows)
    bench.goal("start-up and end over true (median)", bench.results["startup"]["assay"]["added_wall_ns"]["median"] / 1e6, 2, "ms")


# ---- memory ----

def memory_of(pid):
    text = Path(f"/proc/{pid}/status").read_text()
    return {key: int(text.split(key + ":")[1].split()[0]) * 1024 for key in ("VmHWM", "VmRSS")}


def part_memory(bench):
    """Memory of the recorder early and after an hour's worth of samples and more windows than an hour has."""
    seconds = 6 if bench.quick else 36
    churn = "while :; do /bin/true; done"
    jobs = [("300 busy", "10ms", ["tree", "busy", "300"])]
    if not bench.quick:
        jobs = [("1 idle", "10ms", ["tree", "idle", "1"]), *jobs, ("fork churn", "10ms", None),
                ("5000 idle", "100ms", ["tree", "idle", "5000"]), ("5000 busy", "100ms", ["tree", "busy", "5000"])]
    rows = []
    bench.results["memory"] = {}
    for name, interval, words in jobs:
        say(f"memory: {name}, {seconds} s")
        before, info_file = bench.record("-i", interval, "--report-interval", "100ms" if interval == "10ms" else "1s")
        command = [bench.workload, *words, str(seconds)] if words else ["/usr/bin/timeout", str(seconds), "/bin/sh", "-c", churn]
        job = spawn([*before, *command], stdout=subprocess.PIPE)
        if words:
            job.stdout.readline()
        time.sleep(1.5)
        early = memory_of(job.pid)
        time.sleep(max(0, seconds - 2.5))
        late = memory_of(job.pid)
        job.wait()
        own = json.loads(info_file.read_text())["self"]
        facts = {"early": early, "late": late, "ticks": own["ticks"], "missed_ticks": own["missed_ticks"], "windows": own["windows"],
                 "peak_bytes": own["memory_peak_bytes"]}
        bench.results["memory"][name] = facts
        rows.append((name, own["ticks"], own["windows"], *(f"{m[k] / MIB:.2f}" for k in ("VmRSS", "VmHWM") for m in (early, late)),
                     f"{own['memory_peak_bytes'] / MIB:.2f}"))
        if not name.startswith("5000"):
            bench.goal(f"resident memory, {name}, {own['ticks']} samples", late["VmHWM"] / MIB, 4, "MiB")
        bench.goal(f"growth of resident memory, {name}", late["VmRSS"] / early["VmRSS"], 1.1, "x")
    table("Memory of the recorder, MiB", ("job", "samples", "windows", "RSS early", "RSS late", "peak early", "peak late", "as recorded"),
          rows)


# ---- harm to the job ----

def part_harm(bench):
    """Jobs that hurt easily, with and without a recorder: many short processes, and two threads that only compute."""
    turns = 2 if bench.quick else 10
    forks = 'i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i+1)); done'
    jobs = {"1000 short processes": ["/bin/sh", "-c", forks], "two threads computing": [bench.workload, "burn", "2", "500"]}
    recorders = {"alone": lambda: [], "assay": lambda: bench.record()[0]}
    if Path("/usr/bin/resource_monitor").exists() and not bench.quick:
        recorders["resource_monitor"] = lambda: ["/usr/bin/resource_monitor", "-i", "1", "--measure-only",
                                                 "--without-disk-footprint", "-O", bench.prefix() + "rm", "--"]
    bench.results["harm"] = {}
    rows = []
    for job, words in jobs.items():
        say(f"harm: {job}")
        taken = {name: [] for name in recorders}
        for _ in range(turns):
            for name, make in recorders.items():
                result = run_timed([*make(), *words])
                # A recorder's own CPU is no part of the job's; what it makes the kernel do in the job is.
                result["job"] = result["cpu"] - (result["own"] if name != "alone" else 0)
                taken[name].append(result)
        for name, results in taken.items():
            wall = spread([r["wall"] / b["wall"] for r, b in zip(results, taken["alone"])])
            cpu = spread([r["job"] / b["job"] for r, b in zip(results, taken["alone"])])
            bench.results["harm"][f"{job}, {name}"] = {"wall_ratio": wall, "job_cpu_ratio": cpu,
                                                       "own_ns": spread([r["own"] for r in results])}
            rows.append((job, name, shown(wall, digits=3), shown(cpu, digits=3),
                         f"{statistics.median(r['wall'] for r in results) / 1e6:.0f}",
                         "-" if name == "alone" else f"{statistics.median(r['own'] for r in results) / 1e6:.1f}"))
        worst = bench.results["harm"][f"{job}, assay"]
        bench.goal(f"CPU of the job, {job}: nothing measurable at 1 Hz", worst["job_cpu_ratio"]["median"], 1.02, "x")
    table("Harm to the job (alone = 1)", ("job", "recorder", "wall", "CPU of the job", "wall ms", "recorder's CPU ms"), rows)


def part_stall(bench):
    """A process of 1 GiB in small pages that maps, touches and unmaps: reading its PSS holds the lock it needs."""
    seconds = 3 if bench.quick else 10
    recorders = {"alone": lambda: [], "assay": lambda: bench.record()[0],
                 "assay, PSS asked for by name": lambda: bench.record("--measurements", "default,proc_pss_bytes")[0]}
    say("stall")
    if bench.quick:
        recorders.popitem()
    taken = {name: [] for name in recorders}
    for _ in range(1 if bench.quick else max(bench.repeat, 5)):
        for name, make in recorders.items():
            result = run_timed([*make(), bench.workload, "stall", "1024", str(seconds)], bench.prefix() + "stall")
            taken[name].append(json.loads(Path(result["output"]).read_text()))
    rows = []
    bench.results["stall"] = {}
    for name, results in taken.items():
        rate = spread([r["rounds_per_second"] / b["rounds_per_second"] for r, b in zip(results, taken["alone"])])
        facts = {key: spread([r[key] for r in results]) for key in ("median_ms", "p999_ms", "longest_ms")}
        bench.results["stall"][name] = {"throughput_ratio": rate, **facts}
        rows.append((name, shown(rate, digits=3), *(shown(facts[key]) for key in ("median_ms", "p999_ms", "longest_ms"))))
    table("mmap, touch, munmap of 4 MiB beside 1 GiB (throughput alone = 1; a round's length in ms)",
          ("recorder", "throughput", "median", "p99.9", "longest"), rows)
    bench.goal("throughput lost to PSS readings (default)", 100 * (1 - bench.results["stall"]["assay"]["throughput_ratio"]["median"]),
               1, "%")


# ---- captured output ----

def part_capture(bench):
    """A job that prints a gigabyte, through a pipe, and through us into a file; tee(1) does as much as we have to."""
    turns = 2 if bench.quick else 7
    size = (256 if bench.quick else 1024) * MIB
    job = f"head -c {size} /dev/zero"
    place = bench.scratch / "printed-"
    us = f"{bench.assay} run -q --clobber -p {place}"
    ways = {"pipe to cat": f"{job} | cat >/dev/null", "pipe to tee, file and /dev/null": f"{job} | tee {place}stdout >/dev/null",
            "captured, and to /dev/null": f"{us} -c all -- {job} >/dev/null",
            "captured, and to a pipe to cat": f"{us} -c all -- {job} | cat >/dev/null",
            "captured only": f"{us} -c all -o none -- {job}",
            "captured with times, and to /dev/null": f"{us} -c all --timestamps -- {job} >/dev/null",
            "not captured, pipe to cat": f"{us} -- {job} | cat >/dev/null"}
    taken = {name: [] for name in ways}
    say(f"capture: {turns} turns of {size // MIB} MiB")
    for _ in range(turns):
        for name, script in ways.items():
            result = run_timed(["/bin/sh", "-c", script])
            if result["status"]:
                raise RuntimeError(f"{name} failed with status {result['status']}")
            taken[name].append(result)
            for path in bench.scratch.glob("printed-*"):
                path.unlink()
    rows = []
    bench.results["capture"] = {}
    for name, results in taken.items():
        pipe = spread([r["wall"] / b["wall"] for r, b in zip(results, taken["pipe to cat"])])
        tee = spread([r["wall"] / b["wall"] for r, b in zip(results, taken["pipe to tee, file and /dev/null"])])
        rate = spread([size / 1e6 / (r["wall"] / 1e9) for r in results])
        bench.results["capture"][name] = {"wall_over_pipe": pipe, "wall_over_tee": tee, "mb_per_second": rate}
        rows.append((name, shown(pipe), shown(tee), shown(rate, digits=0)))
    table(f"{size // MIB} MiB printed", ("way", "wall, pipe = 1", "wall, tee = 1", "MB/s"), rows)
    worst = bench.results["capture"]["captured, and to a pipe to cat"]["wall_over_tee"]["median"]
    bench.goal("captured and passed on through a pipe, over tee", worst, 1.1, "x")


PARTS = {"sampling": part_sampling, "startup": part_startup, "memory": part_memory, "harm": part_harm, "stall": part_stall,
         "capture": part_capture, "targets": lambda bench: targets.part_targets(bench, table)}


def machine():
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown")
    return {"cpus": os.cpu_count(), "cpu_model": model, "kernel": platform.release(), "load_average": os.getloadavg(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")}


def show_goals(bench):
    if bench.goals:
        table("Goals", ("goal", "measured", "limit", ""),
              [(g["goal"], f"{g['value']:.3f} {g['unit']}", f"{'>=' if g['at_least'] else '<='} {g['limit']:.3g} {g['unit']}",
                "met" if g["met"] else "NOT met") for g in bench.goals])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay", nargs="?", type=Path, default=HERE.parent / "build/assay")
    parser.add_argument("--quick", action="store_true", help="about a minute: fewer sizes, one turn")
    parser.add_argument("--repeat", type=int, help="turns of the sampling and stall parts (3; 1 when quick)")
    parser.add_argument("--only", help="parts, separated by commas: " + ", ".join(PARTS))
    parser.add_argument("--json", type=Path, help="the file of results (bench.json beside ASSAY)")
    options = parser.parse_args()
    parts = options.only.split(",") if options.only else list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}")
    assay = options.assay.resolve()
    subprocess.run(["ninja", "-C", assay.parent, "assay", "bench/floor", "bench/workload"], check=True, stdout=subprocess.DEVNULL)

    bench = Bench(assay, assay.parent, options.quick, options.repeat or (1 if options.quick else 3))
    bench.results["machine"] = machine()
    print(f"{os.cpu_count()} CPUs, {bench.results['machine']['cpu_model']}, kernel {platform.release()}, "
          f"load {os.getloadavg()[0]:.1f}; median [min..max]")
    try:
        for part in parts:
            PARTS[part](bench)
    finally:
        shutil.rmtree(bench.scratch, ignore_errors=True)
    show_goals(bench)
    bench.results["goals"] = bench.goals
    to = options.json or assay.parent / "bench.json"
    to.write_text(json.dumps(bench.results, indent=1) + "\n")
    print(f"\nresults: {to}")


if __name__ == "__main__":
    main()
