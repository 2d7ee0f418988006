# SPDX-License-Identifier: MIT
"""The cases of a check: what became of each, how long it took, and what is said of all at the end.

A test that fails runs once more, alone, after everything else. If it passes then, it is unsteady: a fault of the test or
of the program that has yet to be found. Two of those are let pass, not three, and none that tests/unsteady.txt names already.
"""
import collections
import re
import time
from pathlib import Path

TAIL_LINES = 60
SLOWEST = 30
NAME_COLUMNS = 150
UNSTEADY_ALLOWED = 2
UNSTEADY_LINE = re.compile(r"(?P<date>\d{4}-\d\d-\d\d) (?P<case>\S.*?): (?P<cause>\S.*)")


class Case:
    """One thing that passes or fails. `again` runs it once more, alone, and returns whether it passed, and its output."""

    def __init__(self, name, folder, seconds=0.0, output="", again=None):
        self.name, self.folder, self.seconds, self.output, self.again = name, folder, seconds, output, again


def tail(output):
    lines = output.rstrip().splitlines()
    left_out = [f"... {len(lines) - TAIL_LINES} lines before these"] if len(lines) > TAIL_LINES else []
    return "\n".join("         " + line for line in [*left_out, *lines[-TAIL_LINES:]])


def read_unsteady(path):
    """The cases that a list names, and what is wrong with the list: it is `DATE CASE: cause sought so far`, a case once."""
    named, wrong = set(), []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = UNSTEADY_LINE.fullmatch(line)
        if not match:
            wrong.append(f"{path}:{number}: not `DATE CASE: cause sought so far`")
        elif match["case"] in named:
            wrong.append(f"{path}:{number}: {match['case']} stands here for the second time")
        else:
            named.add(match["case"])
    return named, wrong


class Results:
    """The cases so far; prints each failure as it comes."""

    def __init__(self):
        self.began = time.monotonic()
        self.passed, self.failed, self.skipped, self.unsteady = [], [], [], []
        self.stages = []

    def ok(self, name, folder, seconds=0.0):
        self.passed.append(Case(name, folder, seconds))

    def fail(self, name, folder, output="", seconds=0.0, again=None):
        self.failed.append(Case(name, folder, seconds, output, again))
        print(f"FAILED   {name}", flush=True)
        if output.strip():
            print(tail(output), flush=True)

    def skip(self, name, folder, why):
        self.skipped.append(Case(name, folder, output=why))

    def say(self, text):
        print(f"[{time.monotonic() - self.began:5.0f} s] {text}", flush=True)

    def stage(self, name):
        """From here on time is this stage's."""
        self.end_stage()
        self.say(name)
        self.stages.append([name, time.monotonic(), None])

    def end_stage(self):
        if self.stages and self.stages[-1][2] is None:
            self.stages[-1][2] = time.monotonic() - self.stages[-1][1]

    def try_again(self):
        """Each test that failed, alone."""
        failed, self.failed = self.failed, []
        for case in failed:
            if case.again is None:
                self.failed.append(case)
                continue
            self.say(f"again, alone: {case.name}")
            passed, output = case.again()
            if passed:
                self.unsteady.append(case)
                print(f"unsteady {case.name}\nat first:\n{tail(case.output)}\nalone:\n{tail(output)}", flush=True)
            else:
                self.failed.append(case)
                print(f"FAILED   {case.name}, alone as well\n{tail(output)}", flush=True)

    def judge_unsteady(self, path):
        """Unsteady cases pass as long as they are few and new; a list that is wrong fails."""
        named, wrong = read_unsteady(path)
        for line in wrong:
            self.fail(line, "lint")
        for case in self.unsteady:
            if len(self.unsteady) > UNSTEADY_ALLOWED:
                self.fail(f"{case.name}: unsteady, as {len(self.unsteady)} cases are; at most {UNSTEADY_ALLOWED} may be", case.folder)
            elif case.name in named:
                self.fail(f"{case.name}: unsteady for the second time: {Path(path).name} names it already", case.folder)
            else:
                self.passed.append(case)
                print(f"unsteady: find out why, and until then put into {Path(path).name}:\n"
                      f"{time.strftime('%Y-%m-%d')} {case.name}: ...")

    def say_stages(self):
        self.end_stage()
        print("\nstage                                        seconds")
        for name, _, seconds in self.stages:
            print(f"{name:<44} {seconds:7.1f}")
        print(f"{'all of it':<44} {time.monotonic() - self.began:7.1f}")

    def say_slowest(self):
        print(f"\nthe {SLOWEST} slowest cases                      seconds")
        for case in sorted([*self.passed, *self.failed], key=lambda case: -case.seconds)[:SLOWEST]:
            print(f"{case.seconds:7.1f}  {case.name[:NAME_COLUMNS]}")

    def cases_by_folder(self):
        """Folder -> passed, failed, skipped."""
        counts = collections.defaultdict(lambda: [0, 0, 0])
        for at, cases in enumerate((self.passed, self.failed, self.skipped)):
            for case in cases:
                counts[case.folder][at] += 1
        return counts

    def say_end(self):
        """The last line is what a machine reads."""
        for case in self.skipped:
            print(f"skipped  {case.name}: {case.output}")
        for case in self.unsteady:
            print(f"unsteady {case.name}")
        for case in self.failed:
            print(f"failed   {case.name}")
        print(f"unsteady: {len(self.unsteady)}")
        print(f"{len(self.passed)} passed, {len(self.failed)} failed, {len(self.skipped)} skipped", flush=True)
