#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Builds and checks everything, and counts: check.py [--under-load] [STAGE | TEST]...; without words, the stages of a whole check.

A stage is one of STAGES below; a test is a file, or a case of one as pytest names it, and runs with build-gcc:
check.py tests/cli/test_run.py, check.py tests/unit/test_window.c, check.py 'tests/cli/test_ls.py::test_...'.

Every case counts once: a build, a test inside a test program, a whole-program test, a lint check, a fuzz harness.
A test that fails runs once more, alone, at the end (checking/results.py). The last line is "N passed, N failed, N skipped";
the exit status is 1 when anything failed. Logs and reports are kept in build*/; what a failed case printed is shown.
"""
import argparse
import contextlib
import sys

from checking import folders, fuzzing, kept, lint, tests
from checking.commands import TOP, build
from checking.results import Results
from checking.under_load import UnderLoad


def unit(results):
    if build(results, "build-gcc"):
        tests.unit_tests(results, "build-gcc")


def system(results):
    if build(results, "build-gcc"):
        tests.system_tests(results, "build-gcc")


def quick(results):
    """Of each whole-program test one case."""
    if build(results, "build-gcc"):
        tests.system_tests(results, "build-gcc", more=tests.ONE_CASE_EACH)


def sanitized(results):
    if build(results, "build-asan"):
        tests.unit_tests(results, "build-asan")
        tests.system_tests(results, "build-asan")


STAGES = {"unit": unit, "quick": quick, "system": system, "lint": lint.lint, "sanitized": sanitized, "fuzz": fuzzing.fuzz}
WHOLE_CHECK = [name for name in STAGES if name != "quick"]


def named_tests(results, words):
    """Tests named on the command line, with the program of build-gcc."""
    programs = [tests.unit_name(word) for word in words if word.startswith("tests/unit/")]
    paths = [word for word in words if not word.startswith("tests/unit/")]
    if build(results, "build-gcc"):
        if programs:
            tests.unit_tests(results, "build-gcc", programs)
        if paths:
            tests.system_tests(results, "build-gcc", paths)


def check(results, words):
    stages = [word for word in words if word in STAGES] or ([] if words else WHOLE_CHECK)
    named = [word for word in words if word not in STAGES]
    for name, work in [(stage, STAGES[stage]) for stage in stages] + ([("tests", lambda r: named_tests(r, named))] if named else []):
        try:
            work(results)
        except Exception as trouble:  # a stage that breaks is a failure, and the count must still be printed
            results.fail(f"stage {name}", "build", repr(trouble))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="STAGE | TEST", help=f"{' '.join(STAGES)}, or files of tests")
    parser.add_argument("--under-load", action="store_true", help="other processes take the processors and the memory bus meanwhile; "
                        "without words: unit and system")
    asked = parser.parse_args()
    words = asked.words or (["unit", "system"] if asked.under_load else [])
    unknown = [word for word in words if word not in STAGES and not (TOP / word.partition("::")[0]).is_file()]
    if unknown:
        parser.error(f"no such stage or file of tests: {' '.join(unknown)}; stages are {' '.join(STAGES)}")
    results = Results()
    if asked.under_load:  # what is tried is the program and its tests, not the compiler's patience
        build(results, "build-gcc")
    with UnderLoad() if asked.under_load else contextlib.nullcontext():
        check(results, words)
    results.stage("again")
    results.try_again()
    results.judge_unsteady(TOP / "tests" / "unsteady.txt")
    kept.forget_old()
    results.say_stages()
    results.say_slowest()
    folders.say_folders(results)
    results.say_end()
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
