#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Turns the rows that `assay measurements --json` prints into text.

  measures_table.py --page PAGE.scd.in ROWS.json   the page with @MEASUREMENTS@ replaced by a definition of each row (scdoc)
  measures_table.py --tsv ROWS.json                one tab-separated line a row: what tests/golden/measures.tsv holds

ROWS.json may be - for standard input.
"""
import json
import sys

# What must stay the same for ever under a key.
COLUMNS = ["key", "kind", "unit", "scope", "quantity", "reduces", "quality"]


def rows(path):
    if path == "-":
        return json.load(sys.stdin)["measurements"]
    with open(path, encoding="utf-8") as file:
        return json.load(file)["measurements"]


def cell(row, column):
    value = row.get(column)
    return ",".join(value) if isinstance(value, list) else str(value or "")


def tsv(measurements):
    yield "\t".join(COLUMNS)
    for row in sorted(measurements, key=lambda row: row["key"]):
        yield "\t".join(cell(row, column) for column in COLUMNS)


def escaped(text):
    return "".join("\\" + c if c in "\\_*#~[]|<>" else c for c in text)


def definitions(measurements):
    """Grouped by collector, in the order of the program."""
    collector = None
    for row in measurements:
        if row["collector"] != collector:
            collector = row["collector"]
            yield f"## Collector {escaped(collector)}"
            yield ""
        facts = [cell(row, "kind"), cell(row, "unit") or "no unit", "each process" if row["scope"] == "process" else "the run",
                 "at best " + escaped(cell(row, "quality")), "reduces to " + cell(row, "reduces").replace(",", ", ")]
        if row.get("quantity"):
            facts.append(f"source {row['rank']} of {escaped(row['quantity'])}")
        yield f"*{escaped(row['key'])}*"
        yield f"\t{escaped(row['help'][0].upper() + row['help'][1:])}. From {escaped(row['origin'])}. {', '.join(facts).capitalize()}."
        yield ""


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--tsv":
        lines = tsv(rows(sys.argv[2]))
    elif len(sys.argv) == 4 and sys.argv[1] == "--page":
        with open(sys.argv[2], encoding="utf-8") as page:
            before, _, after = page.read().partition("@MEASUREMENTS@\n")
        lines = [before.rstrip("\n"), "", *definitions(rows(sys.argv[3])), after.strip("\n")]
    else:
        sys.exit(__doc__)
    print("\n".join(lines).rstrip("\n"))


if __name__ == "__main__":
    main()
