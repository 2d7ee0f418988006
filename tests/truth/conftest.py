# SPDX-License-Identifier: MIT
"""Fixtures of the truth tests alone."""
import os
import shutil
from pathlib import Path

import pytest

from stage import Stage
from support import wait_for


@pytest.fixture
def stage(run_assay, room):
    """Processes that do what the test tells them, and assay attached to them."""
    stage = Stage(run_assay, room)
    yield stage
    stage.close()


def hierarchies():
    """Where the processor's counters of version 1 are, and version 2: the mount of each that is here."""
    found = {}
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        if kind == "cgroup" and "cpuacct" in options.split(",") or kind == "cgroup" and options.endswith(",cpuacct"):
            found["v1"] = Path(fields.split()[4])
        elif kind == "cgroup2":
            found["v2"] = Path(fields.split()[4])
    return found


@pytest.fixture
def made_cgroup(request):
    """Makes a directory below a hierarchy's mount, those above it as well; all of it is gone after the test."""
    made = []

    def make(version, path):
        mount = hierarchies().get(version)
        if mount is None:
            pytest.skip(f"no cgroup hierarchy of {version} with the processor's counters is mounted")
        at = mount
        for name in path.split("/"):
            at = at / name
            try:
                at.mkdir()
                made.append(at)
            except FileExistsError:
                pass
        return at

    stage = request.getfixturevalue("stage")
    yield make
    stage.close()
    for path in reversed(made):
        wait_for(lambda p=path: not (p / "cgroup.procs").read_text(), f"{path} to be empty")
        path.rmdir()


@pytest.fixture
def unfollowed(load, room, user):
    """The load as a program that perf does not follow when this user runs it."""
    image = room / "load-unfollowed"
    shutil.copy(load, image)
    if user.uid == 0:
        if os.statvfs(room).f_flag & os.ST_NOSUID:
            pytest.skip(f"the file system of {room} ignores the setuid bit")
        shutil.chown(image, "nobody")
        image.chmod(0o4755)
    else:
        image.chmod(0o111)
    return image
