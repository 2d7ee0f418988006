#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How long assay ls takes over many runs: the index made, its size, and --last and --where when it is warm.

usage: bench/ls_index.py [--assay PROGRAM] [--runs N] [--directory DIR] [--turns N]

Makes N runs (100000) below DIR (a temporary directory in /var/tmp) out of one true record, each with a start, a peak of memory and an exit code of its own, in two
layouts: a directory for each run, as the default prefix makes them, and a thousand prefixes in each directory. 100000 take 9 GB, removed afterwards.
Looking at every directory once, as ls does with several threads, is measured for comparison.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

QUERIES = [("--last",), ("--where", "memory_peak_bytes > 92G"), ("--where", "exit_code = 3 and started > 2026-01-27"),
           ("--where", "cgroup_cpu_seconds > 1h"), ("--newest", "20", "--sort", "memory_peak_bytes")]


def template(assay, directory):
    subprocess.run([assay, "run", "-q", "-p", f"{directory}/template/", "--", "python3", "-c", "sum(range(3000000))"], check=True)
    return json.loads((directory / "template" / "info.json").read_text(encoding="utf-8"))


def fill(info, n):
    """The text of run n: what differs is put where marks stand, as json.dumps of each would take a minute more."""
    info["time"]["started"] = "@started@"
    info["headline"]["memory_peak_bytes"]["value"] = "@memory@"
    info["outcome"] = {"exit_code": "@code@", "words": "exited"}
    text = json.dumps(info).replace('"@memory@"', "@memory@").replace('"@code@"', "@code@")
    for i in range(n):
        started = f"2026-01-{1 + i % 28:02}T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}.{i:06}Z"
        yield i, text.replace("@started@", started).replace("@memory@", str(1000000 * (i + 1))).replace("@code@", str(i % 5))


def make_own(directory, info, n):
    for i, text in fill(info, n):
        one = directory / f"run-{i:06}"
        one.mkdir(parents=True)
        (one / "info.json").write_text(text, encoding="utf-8")


def make_grouped(directory, own, n):
    """The same files once more, by links."""
    for i in range(n):
        group = directory / f"group-{i // 1000:03}"
        if i % 1000 == 0:
            group.mkdir(parents=True)
        os.link(own / f"run-{i:06}" / "info.json", group / f"{i:06}-info.json")


def timed(command, env):
    start = time.perf_counter()
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - start
    assert done.returncode == 0 and not done.stderr, done.stderr
    return seconds, len(done.stdout.splitlines())


def bare_ms(directory):
    """Python's os.stat costs about 0.5 us a file more than the call."""
    names = [entry.path for entry in os.scandir(directory)]
    start = time.perf_counter()
    for name in names:
        os.stat(name)
    return 1000 * (time.perf_counter() - start)


def measure(assay, tree, cache, turns):
    env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    words = [str(assay), "ls", str(tree), "-f", "jsonl", "-F", "prefix,memory_peak_bytes"]
    time.sleep(3)  # what changed in the last two seconds is read again in any case
    build, _ = timed([*words, "--last"], env)
    size = sum(path.stat().st_size for path in cache.rglob("*.sqlite3"))
    print(f"{tree.name}: index made in {build:.1f} s, {size / 1e6:.1f} MB")
    print(f"  all directories looked at once, in one thread, by Python: {bare_ms(tree):.0f} ms")
    for query in QUERIES:
        found = [timed([*words, *query], env) for _ in range(turns)]
        times = sorted(1000 * seconds for seconds, _ in found)
        print(f"  {' '.join(query):50} {found[0][1]:6} runs   median {statistics.median(times):6.1f} ms   least {times[0]:6.1f} ms   "
              f"greatest {times[-1]:6.1f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", default="build/assay")
    parser.add_argument("--runs", type=int, default=100000)
    parser.add_argument("--directory", default="/var/tmp")
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    assay = Path(options.assay).resolve()
    room = Path(tempfile.mkdtemp(prefix="assay-bench-ls-", dir=options.directory))
    try:
        print(f"{options.runs} runs, {len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}")
        make_own(room / "own", template(assay, room), options.runs)
        measure(assay, room / "own", room / "cache-own", options.turns)
        make_grouped(room / "grouped", room / "own", options.runs)
        measure(assay, room / "grouped", room / "cache-grouped", options.turns)
    finally:
        shutil.rmtree(room)


if __name__ == "__main__":
    main()
