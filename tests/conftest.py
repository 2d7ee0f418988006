# SPDX-License-Identifier: MIT
"""Fixtures of the whole-program tests: the program, the loads, a room to write in, and who runs them."""
import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from support import REPOSITORY, Runner, User

ORDINARY_USER = "assaytest"
MADE_BY_TESTS = "made by the tests of assay"


def pytest_configure(config):
    # nohup(1), and a shell that starts something in the background, have signals ignored; then so would every program tested here.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    config.addinivalue_line("markers", "alone(why): wants the machine for itself; such cases run after all others, one at a time")


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


def in_use(directory, how):
    """A lock on the account: shared by all who use it, exclusive to make and remove it. On a directory that is always there."""
    fcntl.flock(directory, how)
    try:
        return pwd.getpwnam(ORDINARY_USER)
    except KeyError:
        return None


def take_account(directory):
    """Several processes test at once: whoever comes first makes the account."""
    while not in_use(directory, fcntl.LOCK_SH):
        # The lock is given up for a moment when it becomes another: what was true before may no longer be.
        if not in_use(directory, fcntl.LOCK_EX):
            subprocess.run(["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", "--comment", MADE_BY_TESTS,
                            ORDINARY_USER], check=True)


def leave_account(directory):
    """Whoever goes last removes it, if it is of the tests' making."""
    try:
        entry = in_use(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    if entry and entry.pw_gecos == MADE_BY_TESTS:
        subprocess.run(["userdel", "--force", ORDINARY_USER], check=True)


@pytest.fixture(scope="session")
def ordinary_user(assay, load):
    """An account without privileges, made for the session; without root it is whoever runs the tests."""
    if os.geteuid() != 0:
        yield User()
        return
    directory = os.open("/var/tmp", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    take_account(directory)
    user = User(ORDINARY_USER)
    for program in (assay, load):
        reachable = subprocess.run(["test", "-x", str(program)], check=False, **user.popen_arguments())
        assert reachable.returncode == 0, f"{ORDINARY_USER} cannot execute {program}: build where everybody can read"
    yield user
    leave_account(directory)
    os.close(directory)


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
