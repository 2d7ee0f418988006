# SPDX-License-Identifier: MIT
"""A plugin of pytest: writes each case's outcome to the file that $ASSAY_CASES names, a line of JSON a case, as it ends."""
import json
import os

OPEN = {}


def pytest_configure(config):
    # With several workers the one that distributes hears of everything.
    if not hasattr(config, "workerinput"):
        OPEN["file"] = open(os.environ["ASSAY_CASES"], "a", encoding="utf-8")  # closed in pytest_unconfigure


def pytest_unconfigure(config):
    if "file" in OPEN:
        OPEN.pop("file").close()


def reason(report):
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(report.longrepr)


def pytest_runtest_logreport(report):
    if "file" not in OPEN:
        return
    line = {"case": report.nodeid.partition("@group:")[0], "when": report.when, "outcome": report.outcome,
            "seconds": report.duration}
    if report.outcome != "passed":
        sections = "".join(f"\n--- {title}\n{text}" for title, text in report.sections if text.strip())
        line["output"] = reason(report) + (sections if report.outcome == "failed" else "")
    OPEN["file"].write(json.dumps(line) + "\n")
    OPEN["file"].flush()
