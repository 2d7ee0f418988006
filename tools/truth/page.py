# SPDX-License-Identifier: MIT
"""docs/truth.md: a table for each quantity, and the summary."""
import dataclasses
import textwrap

from truth.judging import ABSENT, MARKED, MIB, RIGHT, WRONG, VERDICTS, tally
from truth.recorders import ASSAY, TOOLS

# quantity -> heading, what stands below it
SECTIONS = {
    "cpu_seconds": ("CPU time", "User and system time of all processes of the job, until the last of them has ended."),
    "memory_peak_bytes": (
        "Peak memory of the job",
        "What all processes held at the same time, each page counted once. GNU time says how large the largest process that was waited for has been, "
        "and is measured here by what people read it as; the next table asks for that process itself."),
    "memory_peak_process_bytes": ("Memory of the largest process", "The peak of one process, each page counted once."),
    "io_write_syscall_bytes": ("Bytes written by system calls", "What was handed to write(2) and the like, whatever it was written to."),
    "io_write_bytes": (
        "Bytes written to storage",
        "What reaches the disk. The kernel counts bytes when pages become dirty; a file that is deleted in time reaches no disk."),
    "io_read_syscall_bytes": ("Bytes read by system calls", "What read(2) and the like brought, from wherever."),
    "io_read_bytes": ("Bytes read from storage", "What came from the disk."),
}
WIDTH = 120
MARKS = {"exact": "=", "sampled": "~", "estimate": "~", "lower_bound": ">=", "upper_bound": "<="}


@dataclasses.dataclass
class Row:
    """One quantity of one workload; `cells` has one for each tool."""
    text: str
    quantity: str
    cells: dict


def plain(number):
    return f"{number:.3g}" if abs(number) < 1000 else f"{number:.0f}"


def amount(value, quantity):
    return f"{plain(value)} s" if quantity.endswith("_seconds") else f"{plain(value / MIB)} MiB"


def percentage(number):
    return f"{number:+.1f} %" if abs(number) < 10 else f"{number:+.0f} %"


def wrapped(line):
    """Tables and headings as they are, anything else within the page's width."""
    if line.startswith(("|", "#")):
        return line
    return textwrap.fill(line, WIDTH, subsequent_indent="  " if line.startswith("- ") else "", break_long_words=False, break_on_hyphens=False)


def shown(cell, quantity):
    if cell.verdict == ABSENT:
        return "absent"
    percent = cell.error_percent()
    text = amount(cell.answer.value, quantity)
    if cell.answer.quality:
        text = f"{MARKS[cell.answer.quality]} {text}"
    if percent is not None:
        text += f", {percentage(percent)}"
    return f"**{text}**" if cell.verdict == WRONG else text


def bounds(cell, quantity):
    """The bounds that stand beside assay's value, and its quality in words."""
    if cell.verdict == ABSENT:
        return ""
    least, most = cell.answer.claims()
    if cell.answer.quality == "exact":
        return "exact"
    sides = ([amount(least, quantity)] if least is not None else []) + ["to"] + ([amount(most, quantity)] if most is not None else ["?"])
    said = " ".join(sides) if least is not None or most is not None else "no bounds"
    return f"{cell.answer.quality.replace('_', ' ')}, {said}"


def table(head, rows):
    """Columns as wide as they need be, so that it can be read as it stands."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return ["| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |" for line in lines]


def section(quantity, rows):
    title, text = SECTIONS[quantity]
    tools = [tool for tool in TOOLS if any(row.cells[tool].verdict != ABSENT for row in rows)]
    silent = [tool for tool in TOOLS if tool not in tools]
    if silent:
        text += f" Absent in every row: {', '.join(silent)}."
    head = ["workload", "truth", *tools, "quality and bounds of assay"]
    lines = [[row.text, amount(row.cells[ASSAY].truth, quantity), *(shown(row.cells[tool], quantity) for tool in tools),
              bounds(row.cells[ASSAY], quantity)] for row in rows]
    return [f"## {title}", "", text, "", *table(head, lines), ""]


def summary(rows):
    counts = tally(rows, TOOLS)
    lines = [[tool, *(str(counts[tool][verdict]) for verdict in VERDICTS)] for tool in TOOLS]
    return ["## Summary", "", f"{len(rows)} values of {len({row.text for row in rows})} workloads, tool by tool:", "",
            *table(["tool", RIGHT, f"{MARKED}, and the mark holds", WRONG, ABSENT], lines), ""]


def page(rows, facts, left_out):
    """All of it; `facts` is lines on the machine, `left_out` {workload: why}."""
    lines = [
        "# How far the numbers are off", "",
        "Each row is a job that knows what it used: a load of `tests/truth`, which writes down its own CPU time, memory and I/O. "
        "The columns are what assay and other tools said of it, each in a run of its own, and by how many percent of the truth that is off. "
        "`make truth-table` makes this page again, on your machine.", "",
        *[f"- {fact}" for fact in facts], "",
        "A value is *right* within 5 %, or within the slack where that is more: 20 ms of CPU time, 8 MiB of memory (what a process has beside what the "
        "load touches), 1 MiB of I/O. One further off is *marked* where it carries a bound or a quality that allows for it, and that holds; without a mark "
        "it is *wrong in silence*, and stands in **bold**; so does a mark that does not hold. Marks of assay: `=` exact, `>=` or more, `<=` or less, `~` sampled or estimated. "
        "CPU time of a load differs a little from run to run: each value is judged by the truth of its own run; the truth shown is that of assay's run.", ""]
    for quantity in SECTIONS:
        of_it = [row for row in rows if row.quantity == quantity]
        if of_it:
            lines += section(quantity, of_it)
    lines += summary(rows)
    if left_out:
        lines += ["Left out:", "", *[f"- {text}: {why}" for text, why in left_out.items()], ""]
    return "\n".join(wrapped(line) for line in lines)
