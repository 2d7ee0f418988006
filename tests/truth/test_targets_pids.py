# SPDX-License-Identifier: MIT
"""Pids that go round between two looks, and processes that /proc hides; in PID namespaces of their own."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stage import assert_cpu

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root for a PID namespace of its own")
PID_MAX = Path("/proc/sys/kernel/pid_max")


def act(scene, run_assay, room):
    """Plays the scene in namespaces of its own; a scene that fails ends with the namespace, and all in it."""
    script = Path(__file__).parent / "in_namespace.py"
    argv = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", sys.executable, str(script), scene,
            str(run_assay.assay), str(run_assay.load_path), str(room)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def pid_max_is_of_a_namespace():
    """Since Linux 6.14; before, it is the whole machine's and left alone."""
    major, minor = (int(part) for part in os.uname().release.split(".")[:2])
    return (major, minor) >= (6, 14)


def assert_own_pid_max(before):
    assert PID_MAX.read_text() == before, "the machine's pid_max was changed"


def test_pids_that_go_round_between_two_looks_bring_no_stranger_and_lose_no_member(run_assay, room):
    if not pid_max_is_of_a_namespace():
        pytest.skip("before Linux 6.14 a small pid_max would be the whole machine's")
    before = PID_MAX.read_text()
    result = act("wrap", run_assay, room)
    assert_own_pid_max(before)
    info = result["info"]

    assert_cpu(info, result["truth"], 9)
    assert set(result["met"]) == set(result["inside"])
    # first, three children, three members, the two with one pid, and the one beyond the last pid
    assert info["target"]["seen"] == 10, info["target"]
    assert result["strangers"] > 0.9


def test_a_pid_that_is_given_again_is_not_the_process_that_was_named(run_assay, room):
    if not pid_max_is_of_a_namespace():
        pytest.skip("before Linux 6.14 a small pid_max would be the whole machine's")
    before = PID_MAX.read_text()
    result = act("reuse", run_assay, room)
    assert_own_pid_max(before)

    assert result["statuses"] == [0, 0]
    for info in result["infos"]:
        assert info["outcome"]["words"] == "the target ended"
        assert info["target"]["seen"] == 1
        assert_cpu(info, result["truth"])


def test_hidden_processes_are_said_to_be_hidden_and_ones_own_are_measured(run_assay, room):
    result = act("hide", run_assay, room)

    assert_cpu(result["info"], result["truth"], 2)
    assert result["info"]["target"]["seen"] == 2
    # Of the test's own namespace: the one that plays the scene, and the others' actor.
    assert result["system"]["target"]["hidden"] == 2, result["system"]["target"]
    assert any("hidepid" in note for note in result["system"]["notes"])
    for word, (status, said, lines) in result["refused"].items():
        assert status == 2 and said.count("\n") == 1 and lines == 0, (word, status, said)
