# SPDX-License-Identifier: MIT
"""Runs the tests: test programs through meson, whole-program tests through pytest."""
import json
import os
import re
import sys
from pathlib import Path

from .commands import TOP, run

FOLDERS = ["tests/web", "tests/cli", "tests/truth", "tests/tools"]
# These run no program of ours but the tools.
PLAIN_FOLDERS = ["tests/tools"]
# With one more than there are processors these are never idle, as measured on two; more of them only wait for each other.
WORKERS = 1 + (os.cpu_count() or 1)
ONE_CASE_EACH = ["-p", "checking.one_case_each"]
ASAN_ENV = {
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:halt_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
TAP_LINE = re.compile(r"^(ok|not ok) +\d+(?: +-)? *(.*)$")


def is_sanitized(directory):
    return "asan" in directory


def environment_of(directory):
    return ASAN_ENV if is_sanitized(directory) else {}


# Test programs


def read_tap(stdout):
    """The cases of one test program: (name, "ok", "not ok" or "skip", why)."""
    for line in stdout.splitlines():
        match = TAP_LINE.match(line)
        if match:
            what, _, directive = match[2].partition("# ")
            word, _, why = directive.partition(" ")
            if word.upper() == "SKIP":
                yield what.strip() or why, "skip", why if what.strip() and why else "see the test's source for what it needs"
            else:
                yield what.strip(), match[1], ""


def meson_tests(directory, names=()):
    """Runs test programs; returns (status, output, what meson says of each program)."""
    log = TOP / directory / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    status, output = run(["meson", "test", "-C", directory, "--no-rebuild", "--print-errorlogs", *names], timeout=900,
                         env=environment_of(directory))
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    log.unlink(missing_ok=True)  # it holds the whole environment
    return status, output, [json.loads(line) for line in lines]


def unit_tests(results, directory, names=()):
    results.stage(f"unit tests in {directory}")
    status, output, programs = meson_tests(directory, names)
    if not programs:
        results.fail(f"unit tests in {directory}", "tests/unit", output)
        return
    seen_bad = False
    for test in programs:
        program = re.sub(r".* / ", "", test["name"])
        name = f"{directory} {program}"

        def again(program=program):
            alone, said, _ = meson_tests(directory, [program])
            return alone == 0, said

        cases = list(read_tap(test.get("stdout") or ""))
        bad = 0
        for what, how, why in cases:
            label = f"{name}: {what}"
            seconds = test.get("duration", 0) / len(cases)
            if how == "skip":
                results.skip(label, "tests/unit", why)
            elif how == "ok":
                results.ok(label, "tests/unit", seconds)
            else:
                bad += 1
                results.fail(label, "tests/unit", test["stdout"], seconds, again)
        if test["result"] == "SKIP" and not cases:
            results.skip(name, "tests/unit", (test.get("stdout") or "").strip() or "exit status 77")
        elif test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP"):
            seen_bad = True
            if not bad:
                results.fail(f"{name} ({test['result']})", "tests/unit", (test.get("stdout") or "") + (test.get("stderr") or ""), 0, again)
    if status != 0 and not seen_bad:
        results.fail(f"meson test in {directory}", "tests/unit", output)


# Whole-program tests


def pytest(directory, words, report):
    """Runs pytest; the cases go to `report`. Returns (status, output)."""
    report.unlink(missing_ok=True)
    environment = {"ASSAY": str(TOP / directory / "assay"), "ASSAY_CASES": str(report), "PYTHONDONTWRITEBYTECODE": "1",
                   "PYTHONPATH": str(TOP / "tools"), **environment_of(directory)}
    return run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "checking.pytest_cases", *words], timeout=2400,
               env=environment)


def read_cases(report):
    """Of each case of a report: its id, how it ended, its seconds, what it said."""
    cases = {}
    for line in report.read_text(encoding="utf-8").splitlines() if report.exists() else []:
        told = json.loads(line)
        case = cases.setdefault(told["case"], {"outcome": "passed", "seconds": 0.0, "output": ""})
        case["seconds"] += told["seconds"]
        case["output"] += told.get("output", "")
        if told["outcome"] != "passed" and case["outcome"] != "failed":
            case["outcome"] = told["outcome"]
    return cases


def count_cases(results, directory, report):
    """Counts what a report holds; returns how many cases there were and how many failed."""
    cases = read_cases(report)
    bad = 0
    for nodeid, case in cases.items():
        name = f"{directory} {nodeid}"
        folder = os.path.dirname(nodeid.partition("::")[0])

        def again(nodeid=nodeid):
            status, output = pytest(directory, ["-n0", nodeid], report.with_suffix(".again"))
            return status == 0, output

        if case["outcome"] == "failed":
            bad += 1
            results.fail(name, folder, case["output"], case["seconds"], again)
        elif case["outcome"] == "skipped":
            results.skip(name, folder, case["output"])
        else:
            results.ok(name, folder, case["seconds"])
    return len(cases), bad


def system_tests(results, directory, paths=(), more=()):
    """The whole-program tests with the program of this build: first many at a time, then those that want the machine for themselves."""
    program = TOP / directory / "assay"
    if not program.exists():
        results.fail(f"whole-program tests in {directory}", "tests", f"{program} does not exist")
        return
    folders = [folder for folder in FOLDERS if not (is_sanitized(directory) and folder in PLAIN_FOLDERS)]
    paths = paths or [folder for folder in folders if list((TOP / folder).glob("test_*.py"))]
    if is_sanitized(directory):
        more = [*more, *ONE_CASE_EACH, "--every-input"]
    seen = 0
    for name, words in (("together", [f"-n{WORKERS}", "--dist=loadgroup", "-m", "not alone"]), ("alone", ["-n0", "-m", "alone"])):
        results.stage(f"whole-program tests with {directory}/assay, {name}")
        report = TOP / directory / f"pytest-{name}.jsonl"
        status, output = pytest(directory, [*words, *more, *paths], report)
        (TOP / directory / f"pytest-{name}.log").write_text(output)
        cases, bad = count_cases(results, directory, report)
        seen += cases
        # 5: there is no such case, which is fine as long as the other half has one.
        if status not in (0, 5) and not bad or status == 5 and name == "alone" and not seen:
            results.fail(f"pytest with {directory}, {name} (status {status})", "tests", output)


def unit_name(path):
    """The name by which meson knows a test program of this file."""
    return re.sub(r"^test_", "", Path(path).stem)
