# SPDX-License-Identifier: MIT
"""Runs commands, and builds the program once for each compiler."""
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent

# directory -> (compiler, meson options); every one is built with warnings as errors
BUILDS = {
    "build-gcc": ("gcc", []),
    "build-clang": ("clang", []),
    "build-asan": ("clang", ["-Db_sanitize=address,undefined", "-Db_lundef=false"]),
}
# A compiler's cache then knows the sources of another clone.
CCACHE_ENV = {"CCACHE_BASEDIR": str(TOP), "CCACHE_NOHASHDIR": "1"}


def run(command, timeout=600, env=None, cwd=TOP):
    """Runs a command without stdin; returns (status, its output). A command that takes too long is ended with all it started."""
    environment = dict(os.environ, LC_ALL="C.UTF-8", **(env or {}))
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=cwd, env=environment, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += f"\nstopped after {timeout} s\n".encode()
            status = 124
    return status, output.decode(errors="replace")


def case(results, name, command, folder="lint", **how):
    """One command that is one case: exit status 0 or failed."""
    began = time.monotonic()
    status, output = run(command, **how)
    seconds = time.monotonic() - began
    if status == 0:
        results.ok(name, folder, seconds)
    else:
        results.fail(name, folder, output, seconds)
    return status == 0


def with_cache(compiler):
    return f"ccache {compiler}" if shutil.which("ccache") else compiler


DONE = {}


def build(results, directory):
    """Configures and builds; counts as one case, once."""
    if directory in DONE:
        return DONE[directory]
    compiler, options = BUILDS[directory]
    results.stage(f"build {directory}")
    began = time.monotonic()
    output = ""
    status = 0
    if not (TOP / directory / "build.ninja").exists():
        shutil.rmtree(TOP / directory, ignore_errors=True)
        status, output = run(["meson", "setup", directory, "--werror", *options], env={"CC": with_cache(compiler), **CCACHE_ENV})
    if status == 0:
        status, output = run(["ninja", "-k", "20", "-C", directory], timeout=900, env=CCACHE_ENV)
    seconds = time.monotonic() - began
    if status == 0:
        results.ok(f"build {directory}", "build", seconds)
    else:
        compiled = output.rpartition("Found ninja")[2]  # what meson says before it is of no use
        shown = [line for line in compiled.splitlines() if not line.startswith(("[", "ninja:"))]
        results.fail(f"build {directory} ({compiler}, warnings are errors)", "build", "\n".join(shown), seconds)
    DONE[directory] = status == 0
    return status == 0
