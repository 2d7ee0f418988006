#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How long the page of a large run takes to make and to open: page.py [--points N] [ASSAY].

A record is made by hand, of windows with 50 numbers each. Opening is from the call to the moment at which every chart was drawn, in Chromium that runs
already; the median of five. A number is never a reason to fail.
"""
import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "tests"))

from pages import long_record  # noqa: E402

NUMBERS = 50  # of a window
OPEN = """
const times = [];
for (let i = 0; i < 5; i++) {
    const began = performance.now();
    await page.reload({ waitUntil: "load" });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    times.push(performance.now() - began);
}
return [times, await page.locator("canvas").count()];"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=10 ** 6, help="numbers in the series, 1000000 when not given")
    parser.add_argument("assay", nargs="?", default=TOP / "build" / "assay", type=Path)
    options = parser.parse_args()
    windows = options.points // NUMBERS
    with tempfile.TemporaryDirectory() as room:
        run = long_record(Path(room) / "run", windows, 60, NUMBERS - 28)
        page = Path(room) / "page.html"
        began = time.monotonic()
        subprocess.run([options.assay.resolve(), "report", run, "-o", page], check=True)
        made = time.monotonic() - began
        print(f"series  {windows} windows, {(run / 'usage.jsonl').stat().st_size / 1e6:.0f} MB")
        print(f"made    {made:.2f} s")
        print(f"page    {page.stat().st_size / 1000:.0f} KB")
        chromium = shutil.which("chromium")
        if not chromium or not shutil.which("node"):
            print("opened  not measured: needs chromium and node")
            return
        look = {"page": str(page), "act": OPEN, "scheme": "light", "script": True, "width": 1200, "height": 900}
        done = subprocess.run(["node", TOP / "tests" / "web" / "browse.js", chromium], input=json.dumps(look).encode(), check=True,
                              stdout=subprocess.PIPE)
        times, charts = json.loads(done.stdout)["result"]
        print(f"opened  {statistics.median(times):.0f} ms, {charts} charts")


if __name__ == "__main__":
    main()
