#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Builds and checks everything, and counts: check.py [STAGE...]; without stages, all of them.

Every case counts once: a build, a test inside a test program, a whole-program test, a lint check, a fuzz harness.
The last line is "N passed, N failed, N skipped"; the exit status is 1 when anything failed.
Logs and reports are kept in build*/; what a failed case printed is shown.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
FUZZ_SECONDS = int(os.environ.get("ASSAY_FUZZ_SECONDS", "10"))
TAIL_LINES = 60

# directory -> (compiler, meson options); every one is built with warnings as errors
BUILDS = {
    "build-gcc": ("gcc", []),
    "build-clang": ("clang", []),
    "build-asan": ("clang", ["-Db_sanitize=address,undefined", "-Db_lundef=false"]),
}
ASAN_ENV = {
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:halt_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


class Results:
    """The cases so far; prints each failure and each skip as it comes."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def ok(self, name):
        self.passed += 1

    def fail(self, name, output=""):
        self.failed.append(name)
        print(f"FAILED   {name}", flush=True)
        lines = output.rstrip().splitlines()
        if len(lines) > TAIL_LINES:
            print(f"         ... {len(lines) - TAIL_LINES} lines before these")
        for line in lines[-TAIL_LINES:]:
            print("         " + line)

    def skip(self, name, why):
        self.skipped.append((name, why))

    def say(self):
        for name, why in self.skipped:
            print(f"skipped  {name}: {why}")
        for name in self.failed:
            print(f"failed   {name}")
        print(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped", flush=True)


results = Results()


def run(command, timeout=600, env=None, cwd=TOP):
    """Runs a command without stdin; gives (status, its output). A command that takes too long is ended with all it started."""
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


def say(text):
    print(f"[{time.monotonic() - BEGAN:5.0f} s] {text}", flush=True)


def case(name, command, **how):
    """One command that is one case: exit status 0 or failed."""
    status, output = run(command, **how)
    if status == 0:
        results.ok(name)
    else:
        results.fail(name, output)
    return status == 0, output


def build(directory):
    """Configures and builds; counts as one case, once."""
    if directory in build.done:
        return build.done[directory]
    compiler, options = BUILDS[directory]
    say(f"build {directory}")
    output = ""
    status = 0
    if not (TOP / directory / "build.ninja").exists():
        shutil.rmtree(TOP / directory, ignore_errors=True)
        status, output = run(["meson", "setup", directory, "--werror", *options], env={"CC": compiler})
    if status == 0:
        status, output = run(["ninja", "-k", "20", "-C", directory], timeout=900)
    if status == 0:
        results.ok(f"build {directory}")
    else:
        shown = [line for line in output.splitlines() if not line.startswith(("[", "ninja:"))]
        results.fail(f"build {directory} ({compiler}, warnings are errors)", "\n".join(shown))
    build.done[directory] = status == 0
    return status == 0


build.done = {}

TAP_LINE = re.compile(r"^(ok|not ok) +\d+(?: +-)? *(.*)$")


def count_tap(program, stdout):
    """Counts the cases of one test program; gives how many were not fine."""
    bad = 0
    for line in stdout.splitlines():
        match = TAP_LINE.match(line)
        if not match:
            continue
        what, _, directive = match[2].partition("# ")
        word, _, why = directive.partition(" ")
        name = f"{program}: {what.strip() or why}"
        if word.upper() == "SKIP":
            results.skip(name, why if what.strip() and why else "see the test's source for what it needs")
        elif match[1] == "ok":
            results.ok(name)
        else:
            bad += 1
            results.fail(name, stdout)
    return bad


def unit_tests(directory, env=None):
    say(f"unit tests in {directory}")
    status, output = run(["meson", "test", "-C", directory, "--no-rebuild", "--print-errorlogs"], timeout=900, env=env)
    log = TOP / directory / "meson-logs" / "testlog.json"
    if not log.exists():
        results.fail(f"unit tests in {directory}", output)
        return
    seen_bad = False
    for line in log.read_text(errors="replace").splitlines():
        test = json.loads(line)
        name = f"{directory} {test['name']}"
        if test["result"] == "SKIP" and not TAP_LINE.search(test.get("stdout") or ""):
            results.skip(name, (test.get("stdout") or "").strip() or "exit status 77")
            continue
        bad = count_tap(name, test.get("stdout") or "")
        if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP"):
            seen_bad = True
            if not bad:
                results.fail(f"{name} ({test['result']})", (test.get("stdout") or "") + (test.get("stderr") or ""))
    log.unlink()  # it holds the whole environment
    if status != 0 and not seen_bad:
        results.fail(f"meson test in {directory}", output)


def count_junit(label, report):
    for node in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{label} {node.get('classname')}.{node.get('name')}"
        trouble = [child for child in node if child.tag in ("failure", "error")]
        skipped = node.find("skipped")
        if trouble:
            for child in trouble:
                results.fail(name, (child.get("message") or "") + "\n" + (child.text or ""))
        elif skipped is not None:
            results.skip(name, skipped.get("message") or "no reason given")
        else:
            results.ok(name)


def system_tests(directory, env=None):
    """The whole-program tests, with the program of this build."""
    folders = [folder for folder in ("tests/cli", "tests/truth", "tests/web") if list((TOP / folder).glob("test_*.py"))]
    program = TOP / directory / "assay"
    if not program.exists():
        results.fail(f"whole-program tests in {directory}", f"{program} does not exist")
        return
    say(f"whole-program tests with {directory}/assay")
    report = TOP / directory / "pytest.xml"
    report.unlink(missing_ok=True)
    status, output = run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *folders],
                         timeout=2400, env={"ASSAY": str(program), "PYTHONDONTWRITEBYTECODE": "1", **(env or {})})
    (TOP / directory / "pytest.log").write_text(output)
    failed_before = len(results.failed)
    if report.exists():
        count_junit(directory, report)
    if status != 0 and len(results.failed) == failed_before:
        results.fail(f"pytest with {directory} (status {status})", output)


def tracked(*patterns):
    """Files of the tree that match, known to git or new and not ignored."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=TOP, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split("\n")
    return sorted({name for name in listed if name and (TOP / name).exists()})


# How much of a function's paths the analyzer looks at: with 225000, which is usual, all takes three times as long.
ANALYZER = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000")]


def clang_tidy():
    """One process a file, as many at once as there are processors."""
    database = json.loads((TOP / "build-clang" / "compile_commands.json").read_text())
    files = sorted({os.path.relpath(os.path.join(entry["directory"], entry["file"]), TOP) for entry in database})
    files = [name for name in files if name.startswith("src/")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda name: run(["clang-tidy", "--quiet", *ANALYZER, "-p", "build-clang", name]), files))
    bad = [output for status, output in outcomes if status != 0]
    if bad:
        (TOP / "build-clang" / "clang-tidy.log").write_text("\n".join(bad))
        lines = sorted({os.path.relpath(os.path.join(TOP, "build-clang", line), TOP) for output in bad
                        for line in output.splitlines() if re.search(r"(error|warning): .*\[", line)})
        results.fail("clang-tidy", "\n".join([*lines, "all of it: build-clang/clang-tidy.log"]))
    else:
        results.ok("clang-tidy")


def lint():
    say("lint")
    built_gcc = build("build-gcc")
    built_clang = build("build-clang")
    sources = tracked("*.c", "*.h")
    case("clang-format", ["clang-format", "--dry-run", "-Werror", *sources])
    scripts = [name for name in tracked("*") if is_shell(TOP / name)]
    case("shellcheck", ["shellcheck", *scripts])
    case("pyflakes", ["pyflakes3", *tracked("*.py")])
    case("codespell", ["codespell", "--ignore-words", "tools/codespell.txt", *texts()])
    for name, command in TREE_CHECKS:
        case(name, command)
    case("cppcheck", ["cppcheck", "--enable=warning,performance,portability", "--error-exitcode=1", "--quiet", "--std=c11",
                      "--language=c", "--inline-suppr", "--suppressions-list=tools/cppcheck.txt", "--library=tools/cppcheck.cfg",
                      "-D_GNU_SOURCE",
                      "-j", str(os.cpu_count()), "-Iinclude", "-Isrc", "src"])
    if built_clang:
        say("clang-tidy")
        clang_tidy()
    else:
        results.fail("clang-tidy", "needs build-clang")
    if built_gcc and (TOP / "build-gcc" / "assay").exists():
        case("every option and symbol is in a man page", [PYTHON, "tools/check_docs.py", "build-gcc/assay"])
        exports()
        valgrind()
    else:
        results.fail("every option and symbol is in a man page", "needs build-gcc/assay")


TREE_CHECKS = [
    ("the tree keeps its rules", [PYTHON, "tools/check_tree.py"]),
    ("assay.h is C99", ["gcc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c",
                        "include/assay.h"]),
    ("assay.h is C++11", ["g++", "-std=c++11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x",
                          "c++", "include/assay.h"]),
]


def exports():
    """libassay.so shows what assay.h declares, and nothing else."""
    name = "libassay.so exports what assay.h declares"
    status, output = run(["nm", "-D", "--defined-only", "build-gcc/libassay.so"])
    shown = set(re.findall(r" [A-Z] (\w+)", re.sub(r"@+\w+(\.\w+)*", "", output))) - {"ASSAY_0"}
    header = re.sub(r"/\*.*?\*/", "", (TOP / "include/assay.h").read_text(), flags=re.S)
    declared = set(re.findall(r"\b(assay_\w+)\(", header))
    if status == 0 and shown == declared:
        results.ok(name)
    else:
        results.fail(name, f"only in the library: {sorted(shown - declared)}; only in the header: {sorted(declared - shown)}")


def valgrind():
    """Memory and descriptors of a whole run, keeper and job included up to the exec."""
    home = TOP / "build-gcc" / "valgrind"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    case("valgrind finds no leak in a run",
         ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect",
          "--trace-children=no", "build-gcc/assay", "run", "-q", "-p", f"{home}/", "--", "/bin/true"])


def is_shell(path):
    if path.suffix == ".sh":
        return True
    if path.suffix or not path.is_file() or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as file:
        return re.match(rb"#!.*\b(sh|bash)\b", file.readline()) is not None


def texts():
    return [name for name in tracked("*") if not name.startswith(("tests/fixtures/", "fuzz/corpus/"))]


def fuzz():
    """As many at once as there are processors."""
    say(f"fuzz, {FUZZ_SECONDS} s each")
    harnesses = [path.stem for path in sorted((TOP / "fuzz").glob("fuzz_*.c"))]

    def one(harness):
        return run(["fuzz/run.sh", FUZZ_SECONDS, harness.removeprefix("fuzz_")], timeout=FUZZ_SECONDS + 600)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for harness, (status, output) in zip(harnesses, pool.map(one, harnesses)):
            if status == 0:
                results.ok(harness)
            else:
                results.fail(harness, output)


def unit():
    if build("build-gcc"):
        unit_tests("build-gcc")


def system():
    if build("build-gcc"):
        system_tests("build-gcc")


def sanitized():
    if build("build-asan"):
        unit_tests("build-asan", ASAN_ENV)
        system_tests("build-asan", ASAN_ENV)


STAGES = {"unit": unit, "system": system, "lint": lint, "sanitized": sanitized, "fuzz": fuzz}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=" ".join(STAGES))
    stages = parser.parse_args().stages or list(STAGES)
    unknown = [stage for stage in stages if stage not in STAGES]
    if unknown:
        parser.error(f"no such stage: {' '.join(unknown)}; there are {' '.join(STAGES)}")
    for stage in stages:
        try:
            STAGES[stage]()
        except Exception as trouble:  # a stage that breaks is a failure, and the count must still be printed
            results.fail(f"stage {stage}", repr(trouble))
    say("done")
    results.say()
    return 1 if results.failed else 0


BEGAN = time.monotonic()
if __name__ == "__main__":
    sys.exit(main())
