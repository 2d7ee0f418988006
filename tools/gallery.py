#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Records real jobs with the assay that is built, draws each, and writes docs/gallery.md: gallery.py PROGRAM [NAME...].

What the jobs do is below, in the order of the page. Pictures are of this machine and this moment; look at them before you commit them."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

TOP = Path(__file__).resolve().parent.parent
PICTURES = TOP / "docs" / "gallery"
PAGE = TOP / "docs" / "gallery.md"
COLORS = 96

NUMERIC = """
import numpy, time
rng = numpy.random.default_rng(1)
a = rng.random((1100, 1100))
time.sleep(1)
for _ in range(4):
    b = a @ a
wide = numpy.zeros((6000, 6000)); wide += 1
time.sleep(1)
s = numpy.linalg.svd(a[:400, :400])
del wide
time.sleep(1)
for _ in range(2):
    b = a @ b / 1e3
"""

STORM = """
import os, time
for burst in range(6):
    for _ in range(150 * (burst + 1)):
        pid = os.fork()
        if pid == 0:
            os.execv("/bin/true", ["true"])
        os.waitpid(pid, 0)
    time.sleep(0.7)
sleepers = []
for _ in range(120):
    sleepers.append(os.fork())
    if sleepers[-1] == 0:
        time.sleep(1.5)
        os._exit(0)
for pid in sleepers:
    os.waitpid(pid, 0)
"""

LEAK = """
import time
kept = []
while True:
    kept.append(bytearray(b"x" * 1_500_000))
    if len(kept) % 40 == 0:
        sum(i * i for i in range(700_000))
    time.sleep(0.05)
"""

STREAMS = """
import os, time
name = "big"
fd = os.open(name, os.O_RDWR | os.O_CREAT)
block = os.urandom(1 << 20)
for part in range(6):
    for _ in range(50):
        os.write(fd, block)
    os.fsync(fd)
    time.sleep(0.5)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
time.sleep(1)
for turn in range(3):
    os.lseek(fd, 0, 0)
    while os.read(fd, 1 << 16):
        pass
    time.sleep(1)
"""

POOL = """
import mmap, os, time
size = 200 << 20
shared = mmap.mmap(-1, size)
for at in range(0, size, 4096):
    shared[at] = 1
time.sleep(1)
workers = []
for k in range(6):
    workers.append(os.fork())
    if workers[-1] == 0:
        own = bytearray(b"y" * (12 << 20))
        for at in range(0, size, 4096):
            shared[at]
        time.sleep(20 - 3 * k)
        os._exit(0)
    time.sleep(2.5)
for pid in workers:
    os.waitpid(pid, 0)
"""

COMPILE = "ls assay/src/picture/*.c assay/src/show/*.c assay/src/page/*.c | xargs -P 2 -I{} gcc -O2 -D_GNU_SOURCE -Iassay/src -Iassay/include -c {} -o /dev/null"

# name: (title, words of the command, options of run, options of plot, what to see)
JOBS = {
    "compile": (
        "A compile", ["sh", "-c", COMPILE], [], ["--metrics=cpu,memory,processes,process_cpu"],
        "Two compilers at a time: the areas around the lines of memory are how far it rises and falls within half a second; most of the "
        "processes live too short to be drawn one by one and stand together in *all others*."),
    "numeric": (
        "A Python numeric job", ["/usr/bin/python3", "numeric.py"], [], ["--metrics=cpu,memory,processes"],
        "Matrix products and a decomposition, with pauses that use no CPU; the step in memory is an array that is made before the decomposition "
        "and given back after it."),
    "storm": (
        "A fork storm", ["/usr/bin/python3", "storm.py"], [], ["--metrics=cpu,memory,processes,STARTED"],
        "Bursts of processes that live for a millisecond: hardly one is alive when a sample is taken, and yet the CPU time of all of them is "
        "in the line, because the kernel hands it to the keeper. The last are 120 that stay: their RSS sums up to many times what they use, "
        "for they share almost all of it."),
    "leak": (
        "A memory leak", ["/usr/bin/python3", "leak.py"], ["--limit", "memory=400M"], ["--metrics=cpu,memory"],
        "Memory that only grows, a straight line to the limit that the run was given, where the job is ended; a request for the next run is "
        "not to be taken from such a peak."),
    "io": (
        "An I/O job", ["/usr/bin/python3", "streams.py"], [], ["--metrics=cpu,io,calls"],
        "Writes reach storage as they are made, for each part is synchronised; of the three readings that follow only the first comes from "
        "storage, and the two others from the page cache: system calls alone show them."),
    "pool": (
        "A shared-memory pool", ["/usr/bin/python3", "pool.py"], ["--sample-interval=0.5", "--report-interval=1"], ["--metrics=memory,processes"],
        "Six workers share 200 MiB: the sum of RSS counts them once for each worker, the sum of PSS once; the band between the two is what a "
        "careless request would ask for in vain."),
}
SCRIPTS = {"numeric.py": NUMERIC, "storm.py": STORM, "leak.py": LEAK, "streams.py": STREAMS, "pool.py": POOL}


def record(assay, where, name):
    _, command, options, _, _ = JOBS[name]
    done = subprocess.run([assay, "run", "-p", f"{name}/", "--sample-interval=0.1", "--report-interval=0.5", f"--name={name}", *options, "--",
                           *command], cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if not (where / name / "info.json").exists():
        sys.exit(f"gallery: {name} was not recorded: {done.stdout}")


def started_key(run):
    """Who may not hear of every process that begins has the number of those that were seen."""
    keys = [row["key"] for row in json.loads((run / "info.json").read_text(encoding="utf-8"))["measurements"]]
    return next((key for key in keys if key == "connector_processes_started_count"), "tree_processes_seen_count")


def draw(assay, where, name, dark):
    title, _, _, options, _ = JOBS[name]
    options = [option.replace("STARTED", started_key(where / name)) for option in options]
    picture = PICTURES / f"{name}{'-dark' if dark else ''}.png"
    subprocess.run([assay, "plot", "-o", str(where / "x.png"), "--width=900", f"--title={title}", *(["--dark"] if dark else []), *options,
                    f"{name}/"], cwd=where, check=True)
    with Image.open(where / "x.png") as whole:
        whole.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(picture, optimize=True)


def page():
    lines = ["# Gallery", "", "Real jobs, recorded and drawn by `make gallery` with `assay run` and `assay plot`. The legend of each panel says which "
             "measurement a line is and how well it is known; man assay-plot says how to choose them.", ""]
    for name, (title, _, _, options, see) in JOBS.items():
        lines += [f"## {title}", "", see, "", f"![{title}](gallery/{name}.png)", "", f"`assay plot -o {name}.png {' '.join(options).replace('STARTED', 'connector_processes_started_count')} {name}`", ""]
    lines += ["## In the dark", "", "The last one with `--dark`.", "", "![The same, light on dark](gallery/pool-dark.png)", ""]
    return "\n".join(lines)


def main():
    assay, names = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(JOBS)
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="assay-gallery-", dir="/var/tmp") as directory:
        where = Path(directory)
        (where / "assay").symlink_to(TOP)
        for script, text in SCRIPTS.items():
            (where / script).write_text(text.lstrip(), encoding="utf-8")
        for name in names:
            record(assay, where, name)
            draw(assay, where, name, False)
            if name == "pool":
                draw(assay, where, name, True)
            print(f"gallery: {name}: {(PICTURES / f'{name}.png').stat().st_size} bytes")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
