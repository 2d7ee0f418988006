# SPDX-License-Identifier: MIT
"""Runs the fuzz harnesses, those first of which something has changed."""
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import kept
from .commands import CCACHE_ENV, TOP, case, run, with_cache

SECONDS = int(os.environ.get("ASSAY_FUZZ_SECONDS", "10"))
NO_TIME = 0


def key_of(harness, seconds):
    """Names a harness by its code, without what a debugger wants, and by its seeds."""
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, TOP / "build-fuzz" / "fuzz" / harness], check=True)
        code = Path(stripped.name).read_bytes()
    seeds = sorted((TOP / "fuzz" / "corpus" / harness.removeprefix("fuzz_")).glob("*"))
    return kept.key_of(harness, str(seconds), code, *(seed.read_bytes() for seed in seeds))


def fuzz(results):
    """As many at once as there are processors. One that has passed as it is runs its seeds alone; `make fuzz` runs all for longer."""
    results.stage("build build-fuzz")
    if not case(results, "build build-fuzz", ["fuzz/run.sh", "build"], "build", timeout=900, env={"CC": with_cache("clang"), **CCACHE_ENV}):
        return
    results.stage(f"fuzz, {SECONDS} s each harness that has changed")
    harnesses = [path.stem for path in sorted((TOP / "fuzz").glob("fuzz_*.c"))]

    def one(harness):
        began = time.monotonic()
        key = key_of(harness, SECONDS)
        seconds = NO_TIME if kept.passed_before(key) else SECONDS
        status, output = run(["fuzz/run.sh", seconds, harness.removeprefix("fuzz_")], timeout=seconds + 600)
        if status == 0:
            kept.remember(key)
        return seconds, status, output, time.monotonic() - began

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(one, harnesses))
    for harness, (_, status, output, seconds) in zip(harnesses, outcomes):
        if status == 0:
            results.ok(harness, "fuzz", seconds)
        else:
            results.fail(harness, "fuzz", output, seconds)
    changed = sum(seconds != NO_TIME for seconds, *_ in outcomes)
    results.say(f"fuzz: {changed} of {len(harnesses)} harnesses for {SECONDS} s, the others have not changed and ran their seeds")
