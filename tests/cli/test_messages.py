# SPDX-License-Identifier: MIT
"""What is said of a wrong command line: one line of 80 columns, unless a path or a list of sources makes it longer."""
import re

import pytest

from calling import Caller

RUN = "run"
WRONG = [
    [], ["nonsense"], ["--nonsense"], [RUN], [RUN, "--nonsense"], [RUN, "-i"], [RUN, "-i", "soon", "true"],
    [RUN, "-i", "0", "true"], [RUN, "-i", "500d", "true"], [RUN, "-i", "2", "--report-interval", "1", "true"],
    [RUN, "--fail-time=--3", "true"], [RUN, "--freeze-on-exit=-1", "true"], [RUN, "--limit-grace", "0", "true"],
    [RUN, "--capture-outputs", "some", "true"], [RUN, "-c", "some", "true"], [RUN, "-o", "combined", "true"],
    [RUN, "--record-types", "info", "true"], [RUN, "--mode", "x", "true"], [RUN, "--log-level", "LOUD", "true"],
    [RUN, "--name", "", "true"], [RUN, "--name", "@last", "true"],
    [RUN, "--clobber=perhaps", "true"], [RUN, "--tag", "novalue", "true"], [RUN, "--cgroup", "x", "true"],
    [RUN, "--measurements", "nonsense_key", "true"], [RUN, "--measurements", "proc_rs_bytes", "true"],
    [RUN, "--measurements", "nonsense_*", "true"], [RUN, "--measurements", "", "true"],
    [RUN, "--measurements", "all,-all", "true"], [RUN, "--measurements", "all,-", "true"],
    [RUN, "--limit", "foo=2", "true"], [RUN, "--limit", "memory=8", "true"], [RUN, "--limit", "memory=8GB", "true"],
    [RUN, "--limit", "memory=1X", "true"], [RUN, "--limit", "memory", "true"], [RUN, "--limit", "processes=x", "true"],
    [RUN, "--limit", "wall=0", "true"], [RUN, "--limit", "output=1G", "true"], [RUN, "--limit", ",", "true"],
    [RUN, "--limit", "wall=1h,wall=2h", "true"], [RUN, "-p", "{nonsense}_", "true"], [RUN, "-p", "{pid", "true"],
    [RUN, "-p", "pid}", "true"], [RUN, "--summary-format", "{x", "true"], [RUN, "--summary-format", "}", "true"],
    [RUN, "--summary-format", "{exit_code!Q}", "true"], [RUN, "--summary-format", "{nobody}", "true"],
    [RUN, "--summary-format", "{peak_rs}", "true"], [RUN, "--timestamps", "true"], [RUN, "-p", "old_", "true"],
    [RUN, "no-such-command"], [RUN, ""], [RUN, "--fail-time", "60", "false"],
    ["measurements", "x"], ["measurements", "--nonsense"], ["doctor", "x"], ["doctor", "--pid", "x"],
    ["doctor", "--pid", "0"], ["doctor", "--pid", "99999999"], ["doctor", "--readings", "x"],
]


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.mark.parametrize("words", WRONG, ids=lambda words: " ".join(words).replace("/", "_") or "nothing")
def test_a_wrong_command_line_gets_one_line_of_80_columns(call, words):
    call.write("old_info.json", "old")
    called = call(*words)

    assert called.status != 0
    assert re.fullmatch(r"assay: .{4,73}\n", called.err), (len(called.err) - 1, called.err)


def test_where_help_is_stands_wherever_it_fits(call):
    assert call("run", "-i", "0", "true").err == "assay: -i: '0' is no time at all; see 'assay run --help'\n"


@pytest.mark.parametrize("asked, said", [
    ("proc_rs_bytes", "no measurement 'proc_rs_bytes'; is 'proc_rss_bytes' meant?"),
    ("nonsense_key", "no measurement 'nonsense_key'; 'assay measurements' lists them")])
def test_a_measurement_is_compared_with_another_only_where_that_is_close(call, asked, said):
    assert call("run", "--measurements", asked, "true").err == f"assay: {said}\n"
