# SPDX-License-Identifier: MIT
"""What a value is worth beside the truth: right, marked, wrong in silence, or absent.

A value is right within 5 % of the truth, or within the slack of its quantity where that is more. One that is further off is marked if it carries
a bound or a quality that allows for it; without such a mark it is wrong in silence. A mark that does not hold is as wrong as no mark.
"""
import collections
import dataclasses
from typing import Optional

RIGHT, MARKED, WRONG, ABSENT = "right", "marked", "wrong in silence", "absent"
VERDICTS = (RIGHT, MARKED, WRONG, ABSENT)
NEAR_SHARE = 0.05
# What an exact value and a bound that is one may be off by, beside the slack.
EXACT_SHARE = 0.01
# The same of an estimate that gives no bounds.
ESTIMATE_SHARE = 0.10

MIB = 1 << 20


@dataclasses.dataclass
class Slack:
    """What a true value may be below and above the truth that a load states."""
    below: float
    above: float


@dataclasses.dataclass
class Answer:
    """What a tool says of a quantity; the quality is None where it has no such thing."""
    value: Optional[float] = None
    quality: Optional[str] = None
    lower: Optional[float] = None
    upper: Optional[float] = None

    def claims(self):
        """(the least, the most) that the truth can be by it; None is no claim."""
        least = self.value if self.quality in ("exact", "lower_bound") else None
        most = self.value if self.quality in ("exact", "upper_bound") else None
        return (self.lower if self.lower is not None else least), (self.upper if self.upper is not None else most)


def slack_of(quantity, truth):
    """The baseline of a process in memory; the loader's files, and rounding, in I/O; of CPU time, what a process cannot know of its own beginning and end."""
    if quantity == "cpu_seconds":
        return Slack(0.020, 0.020 + 100e-6 * truth.get("unfolded", 0))
    if quantity.startswith("memory"):
        return Slack(0, 8 * MIB)
    return Slack(MIB, MIB)


def holds(answer, truth, slack):
    """Whether the bounds of a marked value are true."""
    least, most = answer.claims()
    share = EXACT_SHARE * truth
    if least is not None and least > truth + max(slack.above, share):
        return False
    below = max(slack.below, share) if answer.quality == "exact" else slack.below
    return most is None or most >= truth - below


def judge(answer, truth, slack):
    """One of VERDICTS."""
    if answer is None or answer.value is None:
        return ABSENT
    off = answer.value - truth
    if answer.quality and not holds(answer, truth, slack):
        return WRONG
    if -max(slack.below, NEAR_SHARE * truth) <= off <= max(slack.above, NEAR_SHARE * truth):
        return RIGHT
    if answer.quality in ("lower_bound", "upper_bound"):
        return MARKED
    if answer.quality == "sampled" and off < 0:
        return MARKED
    if answer.quality == "estimate":
        return MARKED if None not in answer.claims() or abs(off) <= ESTIMATE_SHARE * truth + slack.above else WRONG
    return WRONG


@dataclasses.dataclass
class Cell:
    """What one tool said of one quantity of one workload."""
    answer: Optional[Answer]
    truth: float
    verdict: str

    def error_percent(self):
        """None where the truth is 0, of which nothing is a percentage."""
        return (self.answer.value - self.truth) / self.truth * 100 if self.truth else None


def cell(answer, quantity, truth):
    """`truth` is the line that the load wrote."""
    wanted = truth[quantity]
    return Cell(answer, wanted, judge(answer, wanted, slack_of(quantity, truth)))


def tally(rows, tools):
    """{tool: {verdict: how many}} over rows, each of which has `cells` by tool."""
    counts = {tool: collections.Counter() for tool in tools}
    for row in rows:
        for tool in tools:
            counts[tool][row.cells[tool].verdict] += 1
    return {tool: {verdict: counted[verdict] for verdict in VERDICTS} for tool, counted in counts.items()}
