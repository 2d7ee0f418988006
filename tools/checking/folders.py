# SPDX-License-Identifier: MIT
"""Where the cases are, and how many lines of test stand against the lines of source they are for."""
import collections
import re

from .commands import TOP

UNIT = re.compile(r"^\s*'(\w+)': \[([^\]]*)\]", re.M)


def lines_of(paths):
    return sum(len(path.read_text(encoding="utf-8", errors="replace").splitlines()) for path in paths)


def unit_rooms():
    """Room of src/ -> its test programs, as tests/unit/meson.build has them."""
    text = (TOP / "tests/unit/meson.build").read_text(encoding="utf-8").partition("unit_tests = {")[2].partition("\n}")[0]
    return {room: re.findall(r"'(\w+)'", names) for room, names in UNIT.findall(text)}


def sources_by_room():
    found = collections.defaultdict(list)
    for path in sorted((TOP / "src").rglob("*.[ch]")):
        found[path.relative_to(TOP / "src").parts[0]].append(path)
    return found


def say_folders(results):
    """Prints both tables."""
    rooms, tested, tests = sources_by_room(), unit_rooms(), 0
    print("\nfolder of src/   lines of source   lines of its unit tests   ratio")
    for room, paths in sorted(rooms.items()):
        source, test = lines_of(paths), lines_of(TOP / f"tests/unit/test_{name}.c" for name in tested.get(room, []))
        print(f"{room:<16} {source:>15} {test:>25} {test / source:>7.2f}")
    print("\nfolder           passed  failed  skipped   lines of test")
    for folder, (passed, failed, skipped) in sorted(results.cases_by_folder().items()):
        paths = [path for path in (TOP / folder).rglob("*") if path.suffix in (".c", ".h", ".py", ".js")] if "/" in folder else []
        print(f"{folder:<16} {passed:>6} {failed:>7} {skipped:>8}   {lines_of(paths) or '':>13}")
        tests += lines_of(paths)
    total = sum(lines_of(paths) for paths in rooms.values())
    print(f"lines of test to lines of source: {tests} / {total} = {tests / total:.2f}")
