#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The rules of the tree that no compiler checks: who may include whom, words that may not stand, sizes, lists that must be whole.

The tables below are the rules. Prints one line a finding; the exit status is 1 when there is any.
"""
import re
import subprocess
import sys
from pathlib import Path

import check_facts

TOP = Path(__file__).resolve().parent.parent

# folder of src/ -> the folders it may include besides itself; "assay.h" is the public header
MAY_INCLUDE = {
    "base": "",
    "model": "base",
    "linux": "base",
    "target": "base model linux",
    "collect": "base model linux target",
    "monitor": "base model linux target collect",
    "launch": "base linux",
    "record": "base model",
    "index": "base model record",
    "text": "base",
    "run": "base model record text",
    "api": "assay.h base model linux target collect monitor launch record run",
    "compare": "base model record text run",
    "picture": "base model record text run",
    "show": "base model record text run compare picture",
    "page": "base model record text run compare picture show",
    "export": "base model record",
    "size": "base model record text run compare",
    "cli": "assay.h base record index text run compare picture show page export size",
}

# headers that Meson writes
GENERATED = ["collect_registry.h", "collect/collect_registry.h", "cli/verbs.h", "cli/program_directory.h"]

# word -> where it may stand after all
BANNED = {
    "sprintf": [],
    "vsprintf": [],
    "strcpy": [],
    "strcat": [],
    "atoi": [],
    "strtok": [],
    "gets": [],
    "system": [],
    "popen": [],
    "sscanf": ["tests/"],
    "exit": ["src/cli/", "tests/", "fuzz/", "bench/"],
}

# Only these rooms spell the paths of the kernel's file systems ...
KERNEL_PATHS = re.compile(r'"[^"\n]*/(?:proc|sys|dev)(?:/[^"\n]*)?"')
MAY_SPELL_KERNEL_PATHS = ["src/linux/", "src/cli/"]
# ... and these lines: (file, text that the line holds, why it is no path that is opened).
SPELL_EXCEPTIONS = [
    ("src/collect/", ".origin =", "a row says where its number comes from"),
    ("src/collect/", "_ORIGIN ", "the same, for several rows"),
    ("src/record/stored_run.c", "boot_id", "whether a recorder that says it runs can be on this machine"),
    ("src/base/fd_link.c", '"/proc/self/fd/%d"', "how linkat(2) names an open file; nothing is read from it"),
]

FILE_LINES = 600
FUNCTION_LINES = 80
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
NEEDS_SPDX = (".c", ".h", ".py", ".sh", ".build", ".map")
NEEDS_SPDX_NAMES = ("Makefile", "meson_options.txt", "run")

findings = []


def found(path, line, text):
    findings.append(f"{path}:{line}: {text}")


def tree():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, check=True, stdout=subprocess.PIPE,
                            text=True).stdout.split("\n")
    return sorted({name for name in listed if name and (TOP / name).is_file()})


def without_comments(text, keep_strings=True):
    """Comments, and strings when asked, become blanks; lines stay where they are."""
    def blank(match):
        token = match[0]
        if token.startswith("/") or not keep_strings:
            return re.sub(r"[^\n]", " ", token)
        return token
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def check_includes(name, text):
    if not name.startswith("src/") or name.count("/") < 2:
        return
    room = name.split("/")[1]
    if room not in MAY_INCLUDE:
        found(name, 1, f"src/{room} has no row in MAY_INCLUDE")
        return
    allowed = [room, *MAY_INCLUDE[room].split()]
    first = None
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        header = match[1]
        first = first or header
        other = header.split("/")[0] if "/" in header else header
        if header in GENERATED:
            continue
        if other not in allowed and not (TOP / "src" / room / header).exists() and header != f"{room}.h":
            found(name, number, f"src/{room} may not include {header} (it may: {' '.join(allowed)})")
    own = f"{room}/{Path(name).stem}.h"
    if name.endswith(".c") and (TOP / "src" / own).exists() and first not in (own, f"{Path(name).stem}.h"):
        found(name, 1, f"includes {own} not as its first header")


def check_words(name, text):
    code = without_comments(text, keep_strings=False)
    for number, line in enumerate(code.splitlines(), 1):
        for word, where in BANNED.items():
            if re.search(rf"(?<![\w.>])\b{word}\s*\(", line) and not name.startswith(tuple(where) or ("\0",)):
                found(name, number, f"{word}() is not used here" + (f" (only in {' '.join(where)})" if where else ""))


def check_kernel_paths(name, text):
    if not name.startswith("src/") or name.startswith(tuple(MAY_SPELL_KERNEL_PATHS)):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if not KERNEL_PATHS.search(line):
            continue
        if any(name.startswith(file) and part in line for file, part, _ in SPELL_EXCEPTIONS):
            continue
        found(name, number, f"a path below the kernel's file systems is spelled outside {' '.join(MAY_SPELL_KERNEL_PATHS)}")


def check_sizes(name, text):
    lines = text.splitlines()
    if len(lines) > FILE_LINES:
        found(name, 1, f"{len(lines)} lines, the limit is {FILE_LINES}")
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            if number - start - 1 > FUNCTION_LINES:
                found(name, start, f"a function of {number - start - 1} lines, the limit is {FUNCTION_LINES}")
            start = None


def check_first_lines(name, text):
    lines = text.splitlines()[:3]
    if name.endswith(NEEDS_SPDX) or Path(name).name in NEEDS_SPDX_NAMES:
        if not any("SPDX-License-Identifier: MIT" in line for line in lines[:2]):
            found(name, 1, "no SPDX line on top")
            return
    if name.startswith("src/") and name.endswith(".c") and not (len(lines) > 1 and lines[1].startswith("/*")):
        found(name, 2, "the second line does not say what the file is for")


def check_unfinished(name, text):
    if name.endswith((".c", ".h")):
        text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    for number, line in enumerate(text.splitlines(), 1):
        if UNFINISHED.search(line):
            found(name, number, "an unfinished mark")


def check_collector_list(names):
    """Every file of src/collect with a NAME_collector is in the list that builds the registry."""
    text = (TOP / "src/collect/meson.build").read_text()
    match = re.search(r"^collectors = \[(.*?)\]", text, re.S | re.M)
    listed = set(re.findall(r"'([a-z0-9_]+)'", match[1])) if match else set()
    for name in names:
        if not re.fullmatch(r"src/collect/[a-z0-9_]+\.c", name):
            continue
        stem = Path(name).stem
        defines = re.search(rf"^(?:const )?struct collector {stem}_collector\b", (TOP / name).read_text(), re.M)
        if defines and stem not in listed:
            found("src/collect/meson.build", 1, f"{stem} is a collector and not in the list")
        if not defines and stem in listed:
            found(name, 1, f"is listed as a collector and defines no {stem}_collector")
        if not defines and stem not in listed and f"'{stem}.c'" not in text:
            found(name, 1, "is not built")


def check_architecture():
    """docs/ARCHITECTURE.md shows the same matrix as this script."""
    text = (TOP / "docs/ARCHITECTURE.md").read_text()
    shown = {match[1]: match[2] for match in re.finditer(r"^\| ([a-z]+) \| ([^|]*) \|", text, re.M) if match[1] != "folder"}
    said = {room: others or "only the C library" for room, others in MAY_INCLUDE.items()}
    for room, others in said.items():
        if room in shown and shown[room].strip() != others:
            found("docs/ARCHITECTURE.md", 1, f"{room} may include: {others}; the page says: {shown[room].strip()}")
        if room not in shown and (TOP / "src" / room).is_dir():
            found("docs/ARCHITECTURE.md", 1, f"src/{room} is missing")


def check_typed_facts(names):
    """tools/check_facts.py: facts are fields."""
    sources = [name for name in names if name.startswith("src/") and name.endswith((".c", ".h"))]
    for name, line, what in check_facts.check((name, without_comments((TOP / name).read_text())) for name in sources):
        found(name, line, what)


def main():
    names = tree()
    for name in names:
        if name.startswith("tests/fixtures/") or name.endswith((".png", ".gz")):
            continue
        try:
            text = (TOP / name).read_text()
        except UnicodeDecodeError:
            continue
        check_first_lines(name, text)
        check_unfinished(name, text)
        if name.endswith((".c", ".h")):
            check_includes(name, text)
            check_words(name, text)
            check_kernel_paths(name, text)
            check_sizes(name, text)
    check_typed_facts(names)
    check_collector_list(names)
    check_architecture()
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
