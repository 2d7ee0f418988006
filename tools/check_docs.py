#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The manual holds what the program offers: check_docs.py PROGRAM.

Every option and variable that `PROGRAM VERB --help` prints stands in man/assay-VERB.1.scd, every verb in man/assay.1.scd,
every public symbol of include/assay.h in man/libassay.3.scd, every field of the JSON Schemas in man/assay-run.5.scd or the page of the
verb that writes it.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
OPTION = re.compile(r"(?<![\w/-])(--[a-z][a-z-]+|-[a-zA-Z])(?![\w-])")
VARIABLE = re.compile(r"\bASSAY_[A-Z_]+\b")


def help_of(program, *verb):
    done = subprocess.run([program, *verb, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=True)
    return done.stdout


def page(name):
    """A page's text without scdoc's backslashes."""
    path = TOP / "man" / name
    return path.read_text().replace("\\", "") if path.exists() else None


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


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_docs.py PROGRAM")
    program = sys.argv[1]
    missing = []
    front = help_of(program)
    verbs = [verb for verb in re.findall(r"^\s{1,8}([a-z]+)\s{2,}\S", front, re.M)]
    if "run" not in verbs:
        missing.append("assay --help: lists no verb run")
    for verb in verbs:
        if not whole(f"assay-{verb}", page("assay.1.scd") or ""):
            missing.append(f"assay.1.scd: verb {verb}")
        text = page(f"assay-{verb}.1.scd")
        if text is None:
            missing.append(f"assay-{verb}.1.scd: the page")
            continue
        said = help_of(program, verb)
        for word in sorted(set(OPTION.findall(said)) | set(VARIABLE.findall(said))):
            if not whole(word, text):
                missing.append(f"assay-{verb}.1.scd: {word}")
    for word in sorted(set(OPTION.findall(front))):
        if not whole(word, page("assay.1.scd") or ""):
            missing.append(f"assay.1.scd: {word}")
    library = page("libassay.3.scd") or ""
    for symbol in sorted(set(re.findall(r"\b(?:assay|ASSAY)_\w+\b", (TOP / "include/assay.h").read_text()))):
        if symbol != "ASSAY_H" and not whole(symbol, library):
            missing.append(f"libassay.3.scd: {symbol}")
    for name, where in (("assay-run", "assay-run.5.scd"), ("assay-usage", "assay-run.5.scd"), ("assay-live", "assay-run.5.scd"),
                        ("assay-snapshot", "assay-snapshot.1.scd")):
        record = page(where) or ""
        schema = json.loads((TOP / "schema" / f"{name}.schema.json").read_text())
        for field in sorted(set(fields(schema))):
            if not whole(field, record):
                missing.append(f"{where}: {field} of {name}")
    for line in missing:
        print(f"missing in {line}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
