# SPDX-License-Identifier: MIT
"""Which source reports too much or too little for which kind of job: the capability matrix.

Each source of CPU time and of the memory peak that a record holds is compared with what the load did. It may be off only in the direction that its
quality allows, and what is off by more than nothing says so in its quality: that is a cell of the matrix.
"""
from checks import BASELINE_BYTES, TEARDOWN_SECONDS, tolerance
from support import CPU_TOLERANCE_SECONDS

# con-duct's kinds of jobs: busy all the time; bursts of several threads; children that die between two samples; memory that grows and stays;
# memory for a moment; children that share the memory of their parent.
LOADS = {
    "steady": ("steady", 600),
    "spiky": ("threads", 80, 5),
    "ephemeral": ("children", 600, 2),
    "allocating": ("memory-steady", 256, 1500),
    "moment": ("memory-spike", 384, 20, 600),
    "shared": ("memory-shared", 300, 5, 1500),
    "forgotten": ("nocldwait", 300, 2),
}
# What an estimate may be off by that says no more of itself.
ESTIMATE_SHARE = 0.1
MAY_MISS = {"lower_bound", "sampled"}
MAY_EXCEED = {"upper_bound"}
UNDER, OVER, GOOD = "-", "+", "="


def bounds_of_truth(run, quantity):
    """(low, high) of the truth of a quantity, with what a measurement of it may be off by; None where the load does not say."""
    truth = run.truth
    # What it costs to free so much memory comes after the load has told its CPU time.
    if quantity == "cpu" and not truth.get("memory_peak_bytes"):
        low = truth["cpu_seconds"]
        high = low + truth["unfolded"] * TEARDOWN_SECONDS
        return low - tolerance(low), high + tolerance(high)
    if quantity in ("memory_peak", "memory_process"):
        name = "memory_peak_bytes" if quantity == "memory_peak" else "memory_peak_process_bytes"
        if name not in truth:
            return None
        peak = truth[name]
        return max(0, peak - peak // 100), peak + BASELINE_BYTES
    return None


class Cell:
    """One source on one load."""

    def __init__(self, quantity, rung, low, high):
        self.quantity, self.key, self.quality = quantity, rung["key"], rung.get("quality", "absent")
        self.value, self.low, self.high, self.why = rung.get("value"), low, high, rung.get("why", "")
        self.seen = GOOD
        if self.value is not None:
            self.seen = UNDER if self.value < low else OVER if self.value > high else GOOD

    def is_honest(self):
        """Whether its quality says of what it is off."""
        if self.value is None:
            return bool(self.why)
        if self.seen == GOOD:
            return True
        if self.quality == "estimate" and not self.why:
            slack = ESTIMATE_SHARE * self.high + (CPU_TOLERANCE_SECONDS if self.quantity == "cpu" else 0)
            return self.low - slack <= self.value <= self.high + slack
        return self.quality == "estimate" or self.quality in (MAY_MISS if self.seen == UNDER else MAY_EXCEED)

    def __str__(self):
        if self.value is None:
            return "absent"
        word = {"exact": "exact", "lower_bound": "at least", "upper_bound": "at most", "sampled": "sampled",
                "estimate": "about"}[self.quality]
        return f"{self.seen} {word}" + ("" if self.is_honest() else " WRONG")


def cells_of(run):
    """The cells of one run, by the key of the source."""
    cells = {}
    for quantity, rungs in run.info["rungs"].items():
        bounds = bounds_of_truth(run, quantity)
        for rung in rungs if bounds else []:
            # The largest process stands for the job's peak as well, where no sum was above it.
            cells.setdefault(rung["key"], Cell(quantity, rung, *bounds))
    return cells


def table(columns):
    """The matrix as text: a line a source, a column a load; `columns` is {load: {key: Cell}}."""
    keys = list(dict.fromkeys(key for cells in columns.values() for key in cells))
    width = max(map(len, keys))
    lines = ["=: what the load did; -: less; +: more; WRONG: its quality does not say so",
             " " * width + "".join(f" {name:11}" for name in columns)]
    for key in keys:
        lines.append(f"{key:{width}}" + "".join(f" {str(cells[key]) if key in cells else '':11}" for cells in columns.values()))
    return "\n".join(line.rstrip() for line in lines)
