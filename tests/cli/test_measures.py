# SPDX-License-Identifier: MIT
"""Keys are for ever: what a key means is compared with the list of tests/golden/measures.tsv."""
import csv
import io
import os
import subprocess
import sys
import warnings
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
GOLDEN = TOP / "tests" / "golden" / "measures.tsv"
MEANING = ("kind", "unit", "scope", "quantity")


def table(text):
    return {row["key"]: row for row in csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)}


def rows_of_the_program():
    program = os.environ.get("ASSAY", str(TOP / "build" / "assay"))
    listed = subprocess.run([program, "measurements", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    printed = subprocess.run([sys.executable, str(TOP / "tools" / "measures_table.py"), "--tsv", "-"], input=listed.stdout,
                             stdout=subprocess.PIPE, check=True)
    return table(printed.stdout.decode())


def test_no_key_has_disappeared():
    kept, now = set(table(GOLDEN.read_text())), set(rows_of_the_program())
    for key in sorted(now - kept):
        warnings.warn(f"new key, to be kept for ever; `make golden` enters it: {key}")
    gone = kept - now
    assert not gone, f"keys are for ever: {sorted(gone)}"


def test_no_key_has_changed_its_meaning():
    now = rows_of_the_program()
    changed = [f"{key}: {field} was {row[field]!r}, is {now[key][field]!r}"
               for key, row in table(GOLDEN.read_text()).items() if key in now
               for field in MEANING if row[field] != now[key][field]]
    assert not changed, "a new meaning needs a new key: " + "; ".join(changed)


def test_only_what_was_asked_for_is_tried_and_the_record_says_which(run_assay):
    def collectors(selection):
        run = run_assay(["true"], ["--measurements", selection])
        return {collector["name"]: collector for collector in run.info["collectors"]}

    few = collectors("minimal")
    for collector in few.values():
        assert ("available" in collector) == collector["selected"], collector
        assert collector["selected"] or collector["why"].startswith("not asked for"), collector
    assert not few["host_frequency"]["selected"] and few["proc_stat"]["available"]
    assert all("available" in collector for collector in collectors("all").values())
    # Named and taken back further on: nobody needs to know whether it is there.
    assert "available" not in collectors("host_temperature_celsius,-host_temperature_celsius,minimal")["host_temperature"]
