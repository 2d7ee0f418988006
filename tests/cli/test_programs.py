# SPDX-License-Identifier: MIT
"""A verb that is a program of its own: who is started, with which words, and what is said when it is not there."""
import os
import shutil
import subprocess

import pytest

DECOY = "#!/bin/sh\necho decoy\n"


@pytest.fixture
def trial(assay):
    """The front end; assay-trial lies beside it."""
    path = assay.parent / "tests" / "cli" / "trial"
    assert path.exists() and path.with_name("assay-trial").exists(), f"{path} is not built"
    return path


def call(program, *words, cwd, path=None):
    env = dict(os.environ, PATH=path or os.environ["PATH"])
    return subprocess.run([program, "trial", *words], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, check=False)


def decoy(directory):
    (directory / "assay-trial").write_text(DECOY)
    (directory / "assay-trial").chmod(0o755)


def test_the_program_gets_every_word_as_it_was_typed_and_its_status_is_ours(trial, room):
    words = [b"one", b"-n5", b"", b"two words", b"\xff\xfe", b"a\nb", b"--loud", b"--", b"--count", b"*"]

    done = call(trial, *words, cwd=room)

    said, _, rest = done.stdout.rpartition(b"\0")
    assert said.split(b"\0") == [bytes(trial.with_name("assay-trial")), *words]
    assert rest.split(b"\n", 3)[1:3] == [b"count 5", b"loud yes"]
    assert rest.split(b"loud yes\n")[1] == b"word one\nword \nword two words\nword \xff\xfe\nword a\nb\nword --count\nword *\n"
    assert (done.returncode, done.stderr) == (7, b"")


def test_it_is_found_beside_the_file_that_a_link_leads_to(trial, room):
    (room / "link").symlink_to(trial)
    decoy(room)

    done = call(room / "link", "-n", "3", cwd=room, path=str(room))

    assert done.returncode == 7
    assert b"\ncount 3\n" in done.stdout


def test_a_program_that_is_not_installed_is_told_in_one_line_and_none_along_PATH_is_taken(trial, room):
    (room / "bin").mkdir()
    (room / "elsewhere").mkdir()
    shutil.copy(trial, room / "bin" / "assay")
    decoy(room)
    decoy(room / "elsewhere")

    done = call(room / "bin" / "assay", "one", cwd=room, path=f".:{room}:{room}/elsewhere:{os.environ['PATH']}")

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"assay: 'assay trial' is a program of its own, assay-trial, which is not installed\n"


def test_help_and_wrong_options_need_no_program(trial, room):
    shutil.copy(trial, room / "assay")

    asked = call(room / "assay", "word", "--help", cwd=room)
    wrong = call(room / "assay", "word", "--lou", cwd=room)

    assert (asked.returncode, asked.stderr) == (0, b"")
    assert asked.stdout.startswith(b"usage: assay trial [options] [WORD...]\n")
    assert b"  -n, --count N\n" in asked.stdout
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert wrong.stderr == b"assay: unknown option '--lou'; see 'assay trial --help'\n"


def test_a_program_that_cannot_be_executed_is_told_and_no_other_is_looked_for(trial, room):
    shutil.copy(trial, room / "assay")
    (room / "assay-trial").write_text("no program\n")

    done = call(room / "assay", cwd=room)

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"assay: cannot start assay-trial: Permission denied\n"


def test_the_program_can_be_called_by_its_own_name(trial, room):
    done = subprocess.run([trial.with_name("assay-trial"), "--count=9", "x"], cwd=room, stdout=subprocess.PIPE, timeout=60,
                          check=False)

    assert done.returncode == 7
    assert done.stdout.endswith(b"\ncount 9\nloud no\nword x\n")


def test_a_closed_standard_output_is_told_by_the_program_too(trial, room):
    done = subprocess.run(["sh", "-c", 'exec "$0" trial x >&-', trial], cwd=room, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, check=False)

    assert done.returncode == 1
    assert done.stderr == b"assay: cannot write to standard output: Bad file descriptor\n"
