# SPDX-License-Identifier: MIT
"""What looks at the source without running it, and a few looks at what was built."""
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from . import kept
from .commands import TOP, build, case, run

# How much of a function's paths the analyzer looks at: with 225000, which is usual, all takes three times as long.
ANALYZER = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000")]
CPPCHECK = ["cppcheck", "--enable=warning,performance,portability", "--error-exitcode=1", "--quiet", "--std=c11", "--language=c",
            "--inline-suppr", "--suppressions-list=tools/cppcheck.txt", "--library=tools/cppcheck.cfg", "-D_GNU_SOURCE", "-Iinclude", "-Isrc"]
TREE_CHECKS = [
    ("the tree keeps its rules", [sys.executable, "tools/check_tree.py"]),
    ("assay.h is C99", ["gcc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c",
                        "include/assay.h"]),
    ("assay.h is C++11", ["g++", "-std=c++11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x",
                          "c++", "include/assay.h"]),
]


def tracked(*patterns):
    """Files of the tree that match, known to git or new and not ignored."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=TOP, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split("\n")
    return sorted({name for name in listed if name and (TOP / name).exists()})


def is_shell(path):
    if path.suffix == ".sh":
        return True
    if path.suffix or not path.is_file() or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as file:
        return re.match(rb"#!.*\b(sh|bash)\b", file.readline()) is not None


def texts():
    return [name for name in tracked("*") if not name.startswith(("tests/fixtures/", "fuzz/corpus/"))]


def compilations():
    """Source file in src/ -> how clang compiles it, and where."""
    found = {}
    for entry in json.loads((TOP / "build-clang" / "compile_commands.json").read_text()):
        name = os.path.relpath(os.path.join(entry["directory"], entry["file"]), TOP)
        if name.startswith("src/"):
            words = [word for word in entry["command"].split() if word != "ccache"]
            found.setdefault(name, (words, entry["directory"]))
    return dict(sorted(found.items()))


def by_file(results, name, tool, settings, command_for):
    """An analysis file by file; a file that passed is looked at again when the tool, its settings or what it includes have changed.

    `tool` and `settings` are texts; `command_for(source)` is what looks at one file.
    """
    began = time.monotonic()
    files = compilations()

    def look(item):
        source, (words, cwd) = item
        key = kept.key_of(tool, settings, kept.compiler_key(words, source, cwd))
        if kept.passed_before(key):
            return None
        status, output = run(command_for(source))
        if status == 0:
            kept.remember(key)
        return status, output

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = [outcome for outcome in pool.map(look, files.items()) if outcome]
    bad = "\n".join(output for status, output in outcomes if status != 0)
    results.say(f"{name}: {len(outcomes)} of {len(files)} files looked at, the others have not changed")
    if bad:
        log = TOP / "build-clang" / f"{name}.log"
        log.write_text(bad)
        lines = sorted({os.path.relpath(os.path.join(TOP, "build-clang", line), TOP) for line in bad.splitlines()
                        if re.search(r"(error|warning): .*\[", line)})
        results.fail(name, "lint", "\n".join([*(lines or bad.splitlines()), f"all of it: build-clang/{log.name}"]))
    else:
        results.ok(name, "lint", time.monotonic() - began)


def version_of(tool):
    return subprocess.run([tool, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout


def clang_tidy(results):
    settings = (TOP / ".clang-tidy").read_text() + " ".join(ANALYZER)
    by_file(results, "clang-tidy", version_of("clang-tidy"), settings,
            lambda source: ["clang-tidy", "--quiet", *ANALYZER, "-p", "build-clang", source])


def cppcheck(results):
    settings = " ".join(CPPCHECK) + (TOP / "tools/cppcheck.txt").read_text() + (TOP / "tools/cppcheck.cfg").read_text()
    by_file(results, "cppcheck", version_of("cppcheck"), settings, lambda source: [*CPPCHECK, source])


def exports(results):
    """libassay.so shows what assay.h declares, and nothing else."""
    name = "libassay.so exports what assay.h declares"
    status, output = run(["nm", "-D", "--defined-only", "build-gcc/libassay.so"])
    shown = set(re.findall(r" [A-Z] (\w+)", re.sub(r"@+\w+(\.\w+)*", "", output))) - {"ASSAY_0"}
    header = re.sub(r"/\*.*?\*/", "", (TOP / "include/assay.h").read_text(), flags=re.S)
    declared = set(re.findall(r"\b(assay_\w+)\(", header))
    if status == 0 and shown == declared:
        results.ok(name, "lint")
    else:
        results.fail(name, "lint", f"only in the library: {sorted(shown - declared)}; only in the header: {sorted(declared - shown)}")


def valgrind(results):
    """Memory and descriptors of a whole run, keeper and job included up to the exec."""
    home = TOP / "build-gcc" / "valgrind"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    case(results, "valgrind finds no leak in a run",
         ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect",
          "--trace-children=no", "build-gcc/assay", "run", "-q", "-p", f"{home}/", "--", "/bin/true"])


def lint(results):
    built_gcc = build(results, "build-gcc")
    built_clang = build(results, "build-clang")
    results.stage("lint")
    case(results, "clang-format", ["clang-format", "--dry-run", "-Werror", *tracked("*.c", "*.h")])
    case(results, "shellcheck", ["shellcheck", *(name for name in tracked("*") if is_shell(TOP / name))])
    case(results, "pyflakes", ["pyflakes3", *tracked("*.py")])
    case(results, "codespell", ["codespell", "--ignore-words", "tools/codespell.txt", *texts()])
    for name, command in TREE_CHECKS:
        case(results, name, command)
    if built_clang:
        cppcheck(results)
        clang_tidy(results)
    else:
        results.fail("clang-tidy", "lint", "needs build-clang")
        results.fail("cppcheck", "lint", "needs build-clang")
    if built_gcc and (TOP / "build-gcc" / "assay").exists():
        case(results, "every option and symbol is in a man page", [sys.executable, "tools/check_docs.py", "build-gcc/assay"])
        exports(results)
        valgrind(results)
    else:
        results.fail("every option and symbol is in a man page", "lint", "needs build-gcc/assay")
