# SPDX-License-Identifier: MIT
"""Captured output on a terminal: the same keys show the same with a terminal of the job's own between, and ours is left as it was."""
import contextlib
import re
from pathlib import Path

import pytest

from support import wait_for
from terminal import terminal, transcript
from test_terminal import WAITING, job_of, scripts

WAYS = {"pty": "-c pty", "pipes": "-c all"}


@contextlib.contextmanager
def captured(room, assay, way, **arguments):
    room = room / (way or "bare")
    room.mkdir()
    room.chmod(0o1777)
    command = f"{assay} run -q -p {room}/kept{{pid}}- {WAYS[way]} --" if way else ""
    with terminal(room, command, **arguments) as opened:
        yield opened


def play(room, assay, way, name, user=None):
    with captured(room, assay, way, user=user) as t:
        t.prompt()
        t.run("stty -g")
        scripts[name](t)
        if t.shell.poll() is None:
            t.run("stty -g")
            modes = re.findall(r"^[0-9a-f:]{40,}\r$", t.text, re.MULTILINE)
            assert len(modes) == 2 and modes[0] == modes[1], "the modes of the terminal changed"
        return t.text


@pytest.mark.parametrize("name", scripts)
def test_the_same_keys_show_the_same_through_a_terminal_of_its_own(room, assay, name):
    bare, wrapped = (play(room, assay, way, name) for way in (None, "pty"))

    assert transcript(wrapped) == transcript(bare)


@pytest.mark.parametrize("name", scripts)
def test_the_same_keys_show_the_same_through_pipes(room, assay, name):
    bare, wrapped = (play(room, assay, way, name) for way in (None, "pipes"))

    assert transcript(wrapped) == transcript(bare)
