#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The manual holds what the program offers: check_docs.py PROGRAM.

Every verb has a page, man/assay-VERB.1.scd.in, and in it, once its rows are filled in, every option and variable that `PROGRAM VERB --help`
prints. Each of these pages, that of duct and assay(1) have three examples at least, whose verbs and options exist. Every public symbol
of include/assay.h stands in man/libassay.3.scd, every field of the JSON Schemas in man/assay-run.5.scd or the page of the verb that
writes it.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

import page_examples
from option_pages import Mistake, filled

TOP = Path(__file__).resolve().parent.parent
OPTION = re.compile(r"(?<![\w/-])(--[a-z][a-z-]+|-[a-zA-Z])(?![\w-])")
VARIABLE = re.compile(r"\bASSAY_[A-Z_]+\b")


def help_of(program, *verb):
    done = subprocess.run([program, *verb, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=True)
    return done.stdout


def rows_of(program):
    return json.loads(subprocess.run([program, "completion", "json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     check=True).stdout)["verbs"]


def source(name, verbs):
    """What scdoc reads for a page ("assay-run.1"), with the rows filled in; None when there is none."""
    path = TOP / "man" / f"{name}.scd"
    if path.exists():
        return path.read_text()
    path = TOP / "man" / f"{name}.scd.in"
    return filled(name, path.read_text(), verbs) if path.exists() else None


def page(name, verbs):
    """The same without scdoc's backslashes."""
    return (source(name, verbs) or "").replace("\\", "")


def whole(word, text):
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def fields(schema):
    """Every name that a JSON Schema declares as a property."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from (name for name in value if not name.endswith("_hex"))
            yield from fields(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from fields(value)


def verb_pages(program, verbs):
    """What the pages of the verbs, that of duct and assay(1) lack."""
    by_name = {verb["name"]: verb for verb in verbs}
    for name in ["assay", "assay-duct", *(f"assay-{verb}" for verb in by_name)]:
        try:
            text = source(f"{name}.1", verbs)
        except Mistake as mistake:
            yield f"{name}.1.scd.in: {mistake}"
            continue
        if text is None:
            yield f"{name}.1.scd.in: the page"
            continue
        for mistake in page_examples.mistakes(text, by_name):
            yield f"{name}.1: {mistake}"
        verb = name.removeprefix("assay-")
        said = help_of(program, verb) if verb in by_name else help_of(program) if name == "assay" else ""
        for word in sorted(set(OPTION.findall(said)) | set(VARIABLE.findall(said))):
            if not whole(word, text.replace("\\", "")):
                yield f"{name}.1: {word}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_docs.py PROGRAM")
    program = sys.argv[1]
    verbs = rows_of(program)
    missing = []
    if [verb["name"] for verb in verbs] != re.findall(r"^  ([a-z]+) +\S", help_of(program), re.M):
        missing.append("assay completion json: the verbs of assay --help")
    missing += verb_pages(program, verbs)
    library = page("libassay.3", verbs)
    for symbol in sorted(set(re.findall(r"\b(?:assay|ASSAY)_\w+\b", (TOP / "include/assay.h").read_text()))):
        if symbol != "ASSAY_H" and not whole(symbol, library):
            missing.append(f"libassay.3.scd: {symbol}")
    for name, where in (("assay-run", "assay-run.5"), ("assay-usage", "assay-run.5"), ("assay-live", "assay-run.5"),
                        ("assay-snapshot", "assay-snapshot.1"), ("assay-show", "assay-show.1"), ("assay-compare", "assay-compare.1")):
        record = page(where, verbs)
        schema = json.loads((TOP / "schema" / f"{name}.schema.json").read_text())
        for field in sorted(set(fields(schema))):
            if not whole(field, record):
                missing.append(f"{where}: {field} of {name}")
    for line in missing:
        print(f"missing in {line}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
