#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What watching costs that was not started by us: several targets at once, a small one on a crowded machine, and a very large one.

bench.py calls part_targets(). The processes live in a PID namespace of their own, so that nobody else's come into `system` and no
other fork is looked at; that takes root and unshare(1). Called by itself as `targets.py inside ASSAY FILE TURNS QUICK` it is what runs in there.
"""
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

UID = 61234  # nobody's: a user whose processes are those of the workload alone
SETTLE_S = 4  # newborns are looked at three times more, files are opened, the first lines written
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# All but PSS and what else is read rarely: PSS takes as much of the time as it may, whatever else there is, and would hide a difference.
LEAN = ["--measurements", "proc_cpu_seconds,proc_cpu_percent,proc_state,proc_rss_bytes,proc_vsz_bytes,proc_io_*,target_*"]
CHURN = "while :; do i=0; while [ $i -lt 20 ]; do sleep 0.1 & i=$((i+1)); done; sleep 0.1; wait; done"
MIB = 1 << 20


def cpu_ns(pid):
    return time.clock_gettime_ns(~pid << 3 | 2)


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "n": len(values)}


def say(text):
    print(f"# {time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


class Room:
    """The namespace, and what is started in it."""

    def __init__(self, assay, turns, quick):
        self.assay, self.turns, self.quick = assay, turns, quick
        self.workload = str(Path(assay).parent / "bench/workload")
        self.scratch = Path(tempfile.mkdtemp(prefix="assay-bench-"))
        self.scratch.chmod(0o755)
        self.n = 0

    def start(self, script, uid=UID):
        """A shell in a session of its own that starts what the script says and waits; its process."""
        job = subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True, user=uid, group=uid, extra_groups=[],
                               env={"PATH": PATH}, cwd="/")
        for _ in range(script.count("tree ")):
            if job.stdout.readline().strip() != b"ready":
                raise RuntimeError(f"not all of it was started: {script}")
        return job

    def trees(self, *sizes):
        return "; ".join(f"{self.workload} tree {kind} {n} 36000 &" for kind, n in sizes).replace("&;", "&") + " wait"

    def watch(self, *words):
        """A recorder of these targets, and the file it tells of itself in."""
        self.n += 1
        prefix = f"{self.scratch}/{self.n}-"
        recorder = subprocess.Popen([self.assay, "attach", "-q", "-p", prefix, *words], stdin=subprocess.DEVNULL,
                                    env={"PATH": PATH}, cwd="/")
        return recorder, Path(prefix + "info.json")


def stop(*processes):
    """SIGTERM ends a recorder; a workload's children die with their parents."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait()


def end_of(job):
    """Ends the whole process group and waits until none of it is left; we are the namespace's init, orphans are ours."""
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    try:
        while True:
            os.waitpid(-job.pid, 0)
    except ChildProcessError:
        pass
    while any(group_of(pid) == job.pid for pid in list_pids()):
        time.sleep(0.05)


def group_of(pid):
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def list_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def children_of(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def descendants(pid):
    found = []
    todo = [pid]
    while todo:
        new = children_of(todo.pop())
        found += new
        todo += new
    return found


def over(recorders, seconds, interval_s):
    """CPU nanoseconds a tick of each, once settled: as many whole intervals as the time has."""
    time.sleep(SETTLE_S)
    before = [(cpu_ns(r.pid), time.monotonic_ns()) for r in recorders]
    time.sleep(seconds)
    after = [(cpu_ns(r.pid), time.monotonic_ns()) for r in recorders]
    return [(a - b) / ((at - bt) / (interval_s * 1e9)) for (b, bt), (a, at) in zip(before, after)]


def in_turn(room, what, ways, seconds):
    """{name: ns a tick, one a turn} of recorders that take turns."""
    taken = {name: [] for name in ways}
    for turn in range(room.turns):
        for name, words in ways.items():
            say(f"targets: {what}, turn {turn + 1} of {room.turns}: {name}")
            recorder, info = room.watch(*words)
            taken[name] += over([recorder], seconds, 1)
            stop(recorder)
            if json.loads(info.read_text())["self"]["missed_ticks"]:
                say(f"ticks were missed: {name}")
    return taken


def against(taken, one):
    """Ratios to one of them, of the same turn each."""
    return {name: spread([v / b for v, b in zip(values, taken[one])]) for name, values in taken.items()}


def facts_of(taken, one):
    ratios = against(taken, one)
    return {name: {"ns_a_tick": spread(values), "ratio": ratios[name]} for name, values in taken.items()}


def lean(ways):
    return {f"{name}, without PSS": [*LEAN, *words] for name, words in ways.items()}


def same_processes(room):
    """Eight words that all mean the same 600 processes, against each alone that holds them all; and the same beside a fork loop."""
    job = room.start(room.trees(("idle", 300), ("busy", 300)))
    pids = ",".join(map(str, [job.pid, *descendants(job.pid)]))
    eight = [f"tree:{job.pid}", f"session:{job.pid}", f"group:{job.pid}", f"user:{UID}", "name:workload", "match:workload tree",
             f"pids:{pids}"]
    seconds = 6 if room.quick else 8
    ways = {"one: tree": eight[:1], "one: system": ["system"], "eight": [*eight, "system"]}
    same = facts_of(in_turn(room, "600 processes", ways, seconds), "one: tree")
    same |= facts_of(in_turn(room, "600 processes", lean(ways), seconds), "one: tree, without PSS")
    churn = room.start(CHURN, uid=0)
    # The system has the newborns as members; the foreign ones are asked about and belong to nobody.
    ways["eight, the newborn in none"] = [*eight, f"match:workload.tree+user:{UID}"]
    beside = facts_of(in_turn(room, "600 processes beside 200 forks a second", lean(ways), seconds), "one: tree, without PSS")
    end_of(churn)
    end_of(job)
    return {"same": same, "churn": beside}


def eight_trees(room):
    eight = "; ".join(["/bin/sh -c '" + room.trees(("idle", 20), ("busy", 20)) + "' &"] * 8).replace("&;", "&") + " wait"
    job = room.start(eight)
    ways = {"one: tree of all": [f"tree:{job.pid}"], "eight trees": [f"tree:{pid}" for pid in children_of(job.pid)]}
    seconds = 6 if room.quick else 8
    facts = facts_of(in_turn(room, "eight trees of 40", ways, seconds), "one: tree of all")
    facts |= facts_of(in_turn(room, "eight trees of 40", lean(ways), seconds), "one: tree of all, without PSS")
    end_of(job)
    return facts


def crowded(room):
    """A target of ten, of three kinds, with and without 5000 foreign processes. Sixty ticks hold one round of the rare checks."""
    ten = room.start(room.trees(("idle", 4), ("busy", 4)))
    kinds = {"tree": f"tree:{ten.pid}", "session": f"session:{ten.pid}", "user": f"user:{UID}"}
    taken = {(kind, beside): [] for kind in kinds for beside in ("alone", "crowded")}
    for turn in range(room.turns):
        for beside in ("alone", "crowded"):
            say(f"targets: ten processes, {beside}, turn {turn + 1} of {room.turns}")
            crowd = room.start(room.trees(("idle", 5000)), uid=0) if beside == "crowded" else None
            recorders = [room.watch("-i", "100ms", word)[0] for word in kinds.values()]
            for kind, value in zip(kinds, over(recorders, 12, 0.1)):
                taken[kind, beside].append(value)
            stop(*recorders)
            if crowd:
                end_of(crowd)
    end_of(ten)
    return {kind: {**{beside: spread(taken[kind, beside]) for beside in ("alone", "crowded")},
                   "ratio": spread([c / a for c, a in zip(taken[kind, "crowded"], taken[kind, "alone"])])} for kind in kinds}


def very_large(room):
    """Ten thousand processes in the target, of which 500 are busy."""
    n = 2000 if room.quick else 10000
    job = room.start(room.trees(("idle", n * 19 // 20), ("busy", n // 20)))
    ways = {"as it comes": [], "--budget 0.5%": ["--budget", "0.5%"]}
    taken = {name: [] for name in ways}
    seconds = 15 if room.quick else 60
    for turn in range(1 if room.quick else min(2, room.turns)):
        for name, options in ways.items():
            say(f"targets: {n} processes, {name}, turn {turn + 1}")
            recorder, info = room.watch(*options, f"tree:{job.pid}")
            while not info.exists():
                time.sleep(0.01)
            time.sleep(2)
            first = cpu_ns(recorder.pid)
            time.sleep(seconds)
            used = cpu_ns(recorder.pid) - first
            memory = int(Path(f"/proc/{recorder.pid}/status").read_text().split("VmHWM:")[1].split()[0]) * 1024
            stop(recorder)
            own = json.loads(info.read_text())["self"]
            taken[name].append({"first_2_s_ns": first, "share_percent": used / seconds / 1e7, "memory_bytes": memory,
                                "ticks": own["ticks"], "missed_ticks": own["missed_ticks"],
                                "ns_a_tick": used / max(1, own["ticks"] * seconds / (seconds + 2))})
    end_of(job)
    return {"processes": n, **{name: {key: spread([t[key] for t in turns]) for key in turns[0]} for name, turns in taken.items()}}


def inside(assay, to, turns, quick, parts):
    room = Room(assay, turns, quick)
    work = {"same": same_processes, "trees": eight_trees, "crowded": crowded, "large": very_large}
    try:
        Path(to).write_text(json.dumps({name: work[name](room) for name in parts or work}))
    finally:
        shutil.rmtree(room.scratch, ignore_errors=True)


# ---- outside: what bench.py calls ----

def shown(s, scale=1.0, digits=2):
    return f"{s['median'] * scale:.{digits}f} [{s['min'] * scale:.{digits}f}..{s['max'] * scale:.{digits}f}]"


def show_turns(table, title, facts):
    table(title, ("targets", "ratio", "ms a tick"),
          [(name, shown(f["ratio"]), shown(f["ns_a_tick"], 1e-6, 3)) for name, f in facts.items()])


def part_targets(bench, table, parts=()):
    """Several targets, a crowded machine, a very large target."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        print("skipped: targets: a PID namespace of our own needs root and unshare (package util-linux)")
        return
    to = bench.scratch / "targets.json"
    subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", sys.executable, __file__, "inside", bench.assay,
                    str(to), str(bench.repeat), "quick" if bench.quick else "all", *parts], check=True)
    found = bench.results["targets"] = json.loads(to.read_text())
    if "same" in found:
        show_same(bench, table, found["same"])
    if "trees" in found:
        show_turns(table, "Eight trees of 40 processes, half of them busy", found["trees"])
        for name in ("eight trees", "eight trees, without PSS"):
            bench.goal(f"{name}, over one that holds them all", found["trees"][name]["ratio"]["median"], 1.3, "x")
    if "crowded" in found:
        show_crowded(bench, table, found["crowded"])
    if "large" in found:
        show_large(bench, table, found["large"])


def show_same(bench, table, found):
    show_turns(table, "Targets over the same 600 processes, 300 of them busy", found["same"])
    show_turns(table, "The same beside 200 forks a second", found["churn"])
    for name in ("eight", "eight, without PSS"):
        bench.goal(f"{name}, over one tree, the same 600 processes", found["same"][name]["ratio"]["median"], 1.3, "x")
    bench.goal("the same, beside 200 foreign newborns a second",
               found["churn"]["eight, the newborn in none, without PSS"]["ratio"]["median"], 1.3, "x")


def show_crowded(bench, table, found):
    table("A target of 10 processes, every 100 ms (alone = 1)", ("target", "beside 5000", "alone, us a tick", "beside 5000, us a tick"),
          [(kind, shown(f["ratio"]), shown(f["alone"], 1e-3, 0), shown(f["crowded"], 1e-3, 0)) for kind, f in found.items()])


def show_large(bench, table, found):
    rows = [(name, shown(f["share_percent"]), shown(f["ns_a_tick"], 1e-6, 1), shown(f["first_2_s_ns"], 1e-6, 0),
             shown(f["memory_bytes"], 1 / MIB, 1), shown(f["ticks"], 1, 0), shown(f["missed_ticks"], 1, 0))
            for name, f in found.items() if name != "processes"]
    table(f"{found['processes']} processes in the target, one in 20 busy, at 1 Hz",
          ("way", "% of a CPU", "ms a tick", "first 2 s, ms", "peak MiB", "ticks", "missed"), rows)
    bench.goal("share of a CPU with --budget 0.5%", found["--budget 0.5%"]["share_percent"]["median"], 0.5, "%")


if __name__ == "__main__":
    inside(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5] == "quick", sys.argv[6:])
