# SPDX-License-Identifier: MIT
"""Fixtures of the whole-program tests: the program, the loads, a room to write in, and who runs them."""
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from support import REPOSITORY, Runner, User

ORDINARY_USER = "assaytest"


def executable(path, variable):
    path = Path(path).resolve()
    assert os.access(path, os.X_OK), f"{path} is not there: build it, or name another by {variable}"
    return path


@pytest.fixture(scope="session")
def assay():
    return executable(os.environ.get("ASSAY", REPOSITORY / "build" / "assay"), "ASSAY")


@pytest.fixture(scope="session")
def load(assay):
    return executable(os.environ.get("ASSAY_LOAD", assay.parent / "tests" / "truth" / "load"), "ASSAY_LOAD")


@pytest.fixture(scope="session")
def ordinary_user(assay, load):
    """An account without privileges, made for the session; without root it is whoever runs the tests."""
    if os.geteuid() != 0:
        yield User()
        return
    try:
        pwd.getpwnam(ORDINARY_USER)
        made = False
    except KeyError:
        subprocess.run(["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ORDINARY_USER],
                       check=True)
        made = True
    user = User(ORDINARY_USER)
    for program in (assay, load):
        reachable = subprocess.run(["test", "-x", str(program)], check=False, **user.popen_arguments())
        assert reachable.returncode == 0, f"{ORDINARY_USER} cannot execute {program}: build where everybody can read"
    yield user
    if made:
        subprocess.run(["userdel", "--force", ORDINARY_USER], check=True)


@pytest.fixture(params=["root", "ordinary"])
def user(request):
    if request.param == "root":
        if os.geteuid() != 0:
            pytest.skip("needs root")
        return User()
    return request.getfixturevalue("ordinary_user")


@pytest.fixture
def room():
    """A directory on disk that every user can write to. Gone after the test."""
    path = Path(tempfile.mkdtemp(prefix="assay-test-", dir=os.environ.get("ASSAY_TEST_DIRECTORY", "/var/tmp")))
    path.chmod(0o1777)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def disk_of(room):
    """Mounts a file system of a size, as tmpfs(5) writes it, in the room; everybody can write there."""
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small tmpfs")
    path = room / "small"
    path.mkdir()

    def mount(size):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=1777", "assay-test", str(path)], check=True)
        return path

    yield mount
    subprocess.run(["umount", "-l", str(path)], check=False, stderr=subprocess.DEVNULL)


@pytest.fixture
def run_assay(assay, load, room):
    return Runner(assay, load, room)


@pytest.fixture(scope="session")
def strace():
    """A program that makes system calls of another fail, or signals it at one of them."""
    if not shutil.which("strace") or subprocess.run(["strace", "-o", os.devnull, "true"], check=False).returncode != 0:
        pytest.skip("needs strace, and leave to trace, to meddle with a process's system calls")
    return "strace"
