#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Requests from 5 recorded runs, tried on 20 further runs of the same job with other inputs, under exactly that memory limit.

Root only: it makes a cgroup and sets its limit, as a scheduler does. `sizing_real.py ASSAY [--policy retry] [--past N] [--next N]` prints a table: how many
runs survived at the first attempt, and what of the memory that was held was not needed. assay and all it starts are in the limited cgroup, as under Slurm.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MIB = 1 << 20
# What each job holds depends on its input: its size is drawn for each run.
SORT = "import random,sys; n=int(sys.argv[1]); random.seed(n); a=[random.random() for _ in range(n)]; a.sort(); print(a[0])"
GROUP = ("import random,sys; n=int(sys.argv[1]); random.seed(n); d={}\n"
         "for i in range(n): d.setdefault(str(random.randrange(n)), []).append(i)\nprint(len(d))")
PARALLEL = ("import multiprocessing,sys\n"
            "def work(n): b=bytearray(n); return sum(b[::4096])\n"
            "n=int(sys.argv[1])\n"
            "with multiprocessing.Pool(3) as p: print(sum(p.map(work, [n*40]*6)))")


def drawn(rng, middle, spread):
    return int(middle * rng.lognormvariate(0, spread))


def jobs(room):
    """name -> what makes the words of the next run."""
    def python(code, middle, spread):
        path = room / f"job{len(list(room.glob('job*.py')))}.py"
        path.write_text(code, encoding="utf-8")
        return lambda rng: ["python3", str(path), str(drawn(rng, middle, spread))]

    def compress(rng):
        path = room / "input.dat"
        path.write_bytes(rng.randbytes(drawn(rng, 4 * MIB, 0.5)))
        return ["xz", "--keep", "--force", "--stdout", "-6", str(path)]

    return {"sort of floats, spread 30 %": python(SORT, 1_500_000, 0.3),
            "grouping in a dict, spread 50 %": python(GROUP, 300_000, 0.5),
            "three workers at once, spread 30 %": python(PARALLEL, 1_200_000, 0.3),
            "xz -6 of files, spread 50 %": compress}


class Limit:
    """A memory cgroup, of whichever version has the controller here."""

    def __init__(self):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            mount = self.mount_of("memory" if controllers else None)
            if mount is None or not controllers and "memory" not in (mount / "cgroup.controllers").read_text(encoding="utf-8"):
                continue
            self.file = "memory.limit_in_bytes" if controllers else "memory.max"
            self.path = mount / path.lstrip("/") / f"assay-bench-{os.getpid()}"
            self.path.mkdir()
            return
        sys.exit("sizing_real: no memory controller here")

    @staticmethod
    def mount_of(controller):
        for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
            _, place, kind, options, *_ = line.split()
            if kind == ("cgroup" if controller else "cgroup2") and (not controller or controller in options.split(",")):
                return Path(place)
        return None

    def run(self, words, limit, **popen):
        (self.path / self.file).write_text(str(limit), encoding="utf-8")
        return subprocess.run(["sh", "-c", f'echo $$ > {self.path}/cgroup.procs; exec "$@"', "sh", *words], check=False, **popen)

    def close(self):
        for _ in range(100):
            try:
                self.path.rmdir()
                return
            except OSError:  # what was in it is still going
                time.sleep(0.05)


def record(assay, prefix, words, through=None, limit=None):
    """A run, and its exit status."""
    # A pool whose worker was killed waits for ever.
    called = [assay, "run", "-q", "--cgroup=own", "--limit", "wall=30s", "-p", prefix, "--", *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if through:
        return through.run(called, limit, **quiet).returncode
    return subprocess.run(called, check=False, **quiet).returncode


def size(assay, directory, policy):
    called = subprocess.run([assay, "size", "--json", "--policy", policy, str(directory)], check=False, capture_output=True, text=True)
    return json.loads(called.stdout)["memory_bytes"]


def needed(assay, prefix):
    """What the run's own cgroup says that a limit has to hold."""
    return size(assay, prefix, "once")["seen"]["max"]


def attempts(sized):
    """The amounts that are tried: those that were named, then twice the last."""
    steps = list(sized.get("steps", [sized["request"]]))
    while True:
        yield steps.pop(0) if len(steps) > 1 else steps[0]
        if len(steps) == 1:
            steps[0] *= 2


def try_one(assay, limit, prefix, words, sized):
    """How many attempts it took, what was held and what was needed."""
    held = 0
    for number, amount in enumerate(attempts(sized), 1):
        held += amount
        if record(assay, f"{prefix}{number}-", words, limit, amount) == 0:
            return number, held, needed(assay, f"{prefix}{number}-info.json")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assay")
    parser.add_argument("--policy", default="once")
    parser.add_argument("--past", type=int, default=5)
    parser.add_argument("--next", type=int, default=20)
    parser.add_argument("--job", default="", help="those alone whose name begins so")
    options = parser.parse_args()
    limit = Limit()
    print("| job | request | at the first attempt | held / needed | with the most and 20 % | held / needed |\n|---|---|---|---|---|---|")
    try:
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as room:
            for name, words in jobs(Path(room)).items():
                if not name.startswith(options.job):
                    continue
                rng = random.Random(name)
                past = Path(room) / "past" / str(abs(hash(name)))
                for i in range(options.past):
                    assert record(options.assay, f"{past}/{i}/", words(rng)) == 0
                sized = size(options.assay, past, options.policy)
                tried = [try_one(options.assay, limit, f"{past}-next/{i}/", words(rng), sized) for i in range(options.next)]
                first = sum(attempt == 1 for attempt, _, _ in tried)
                needs = [need for _, _, need in tried]
                ratio = sum(held for _, held, _ in tried) / sum(needs)
                rule = 1.2 * sized["seen"]["max"]
                fit = sum(need <= rule for need in needs)
                rule_held = sum(rule if need <= rule else rule + 2 * rule for need in needs) / sum(needs)
                print(f"| {name} | {' then '.join(f'{s / MIB:.0f} MiB' for s in sized.get('steps', [sized['request']]))} | "
                      f"{first} of {options.next} | {ratio:.2f} | {fit} of {options.next} would fit | {rule_held:.2f} |", flush=True)
    finally:
        limit.close()


if __name__ == "__main__":
    main()
