# SPDX-License-Identifier: MIT
"""That Slurm itself reads the requested amounts, and all else as before, in scripts which --apply has changed."""
import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest

from calling import Caller
from slurm import PROGRAMS, Slurm
from test_size import Records

# One Slurm for all of them.
pytestmark = pytest.mark.xdist_group("group:slurm")

ASKED = {"MinMemoryNode": "208M", "CPUs/Task": "1", "TimeLimit": "00:11:00"}
# What the amounts decide, and what differs from one job to the next.
OF_THE_JOB = {*ASKED, "MinMemoryCPU", "MinCPUsNode", "NumCPUs", "NumNodes", "TRES", "ReqTRES", "JobId", "ArrayJobId", "Priority", "Command", "StdErr", "StdOut",
              "SubmitTime", "EligibleTime", "AccrueTime", "LastSchedEval", "StartTime", "EndTime", "Deadline", "TimeMin"}
TEXTS = {"comment": ["x", "--mem=4G", "-c 8", "a b", "it's", "x\\y"], "job-name": ["a", "a b", "x#y", '"q"']}
VALUES = {"mem": ["4G", "3000", "0", "1T", "2g", "512M"], "mem-per-cpu": ["1G", "100"], "time": ["10", "1-0", "5:00", "00:10:00", "1-02:03:04"],
          "cpus-per-task": ["2", "8"], "ntasks": ["1", "1", "2"], "nodes": ["1", "1-1", "1-2"], "nice": ["5"], "mail-type": ["END", "ALL"], "array": ["1-3", "1,2%1"],
          "partition": ["p"], "output": ["o-%j", "x y"], "begin": ["now+1hour"], "signal": ["B:USR1@60"], "open-mode": ["append"], "export": ["ALL", "NONE"],
          "chdir": ["/tmp"], "hint": ["nomultithread"], "distribution": ["block"], "nodelist": ["n1"], "tmp": ["1G"], "exclusive": ["", "user"], "requeue": [""],
          "input": ["/dev/null"], "dependency": ["singleton"], "hold": [""], "verbose": [""], "overcommit": [""], "use-min-nodes": [""], "no-kill": [""],
          "mem-bind": ["local"], "cpus-per-gpu": ["2"], "time-min": ["1"], "wait-all-nodes": ["0"], "ignore-pbs": [""], "exclude": ["n2"], **TEXTS}
LETTERS = {"c": ["2", "8"], "t": ["5", "1-0", "3:00"], "n": ["1", "2"], "N": ["1", "1-1"], "J": ["a", "a b"], "o": ["x"], "D": ["/tmp"], "p": ["p"], "a": ["1-2"],
           "b": ["now+1hour"], "w": ["n1"], "x": ["n2"], "H": [], "k": [], "O": [], "s": [], "v": []}


def quoted(numbers, text):
    way = numbers.random()
    if way < 0.5 and not set(text) & set(" \"'\\#"):
        return text
    if way < 0.8:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if way < 0.9 and "'" not in text:
        return f"'{text}'"
    at = numbers.randrange(len(text) + 1)
    return text[:at] + numbers.choice(['""', "''", "\\"]) + text[at:]


def option(numbers):
    if numbers.random() < 0.4:
        letter = numbers.choice(sorted(LETTERS))
        word = "-" + numbers.choice(["", "", "H", "Q", "vs"]) + letter
        return word + numbers.choice(["", " ", "  "]) + quoted(numbers, numbers.choice(LETTERS[letter])) if LETTERS[letter] else word
    name = numbers.choice(sorted(VALUES) + 4 * ["mem", "time", "cpus-per-task", "comment"])
    text = numbers.choice(VALUES[name])
    if numbers.random() < 0.1:
        name = name[:numbers.randrange(2, len(name) + 1)]
    word = f"--{name}" + (numbers.choice("== ") + quoted(numbers, text) if text else "")
    return f'"{word}"' if numbers.random() < 0.1 and not set(word) & set("\"'\\") else word


def made_script(numbers):
    lines = ["#!/bin/bash"]
    for _ in range(numbers.randrange(1, 6)):
        if numbers.random() < 0.1:
            lines.append(numbers.choice(["", "# c", "##SBATCH -c 3", " #SBATCH -c 4", "  ", "#SLURM -c 2"]))
        options = numbers.choice([" ", "  ", "\t"]).join(option(numbers) for _ in range(numbers.choice([1, 1, 1, 2, 3])))
        lines.append(numbers.choice(["#SBATCH ", "#SBATCH ", "#SBATCH", "#SBATCH\t"]) + options + numbers.choice(["", "", " # x", " #--mem=3G", "# -c 9"]))
    return "\n".join([*lines, "sleep 1", "#SBATCH --mem=7G"]) + "\n"


@pytest.fixture(scope="module")
def slurm():
    missing = sorted(name for name, path in PROGRAMS.items() if not path)
    if missing:
        pytest.skip(f"no {missing[0]}: Debian's slurmctld, slurm-client and munge have it")
    room = Path(tempfile.mkdtemp(prefix="assay-test-", dir=os.environ.get("ASSAY_TEST_DIRECTORY", "/var/tmp")))
    own = Slurm(room)
    try:
        own.start()
        yield own
    finally:
        own.stop()
        shutil.rmtree(room)


@pytest.fixture
def records(run_assay, assay, room):
    records = Records(Caller(run_assay, assay, room / "here"))
    records.several([190] * 20)
    return records


def applied(records, script):
    """The copy, or None where the script was refused or needs nothing; and what was said."""
    here = records.call.here
    (here / "job.sh").write_text(script, encoding="utf-8")
    # Of the same name: without another, that is the name of the job.
    copy = here / "copy" / "job.sh"
    copy.parent.mkdir(exist_ok=True)
    copy.unlink(missing_ok=True)
    called = records.call("size", "runs", "--apply", "job.sh", "-o", "copy/job.sh")
    assert called.status in (0, 2), called.err
    assert copy.exists() == (called.status == 0), (script, called.err)
    return copy if called.status == 0 else None, called.err


def differences(before, after):
    return {name: (before.get(name), after.get(name)) for name in {*before, *after} - OF_THE_JOB if before.get(name) != after.get(name)}


@pytest.mark.parametrize("seed", range(3))
def test_slurm_reads_the_asked_amounts_and_all_else_as_before(records, slurm, seed):
    numbers = random.Random(seed)
    taken = 0
    for _ in range(60):
        script = made_script(numbers)
        copy, said = applied(records, script)
        before, refused = slurm.submit(records.call.here / "job.sh")
        if before is None:
            continue
        if copy is None:
            assert "line " in said or "twice" in said or "several tasks" in said or "asks by" in said, (script, said)
            continue
        after, refused = slurm.submit(copy)
        assert after is not None, (script, copy.read_text(), refused)
        assert {name: after.get(name) for name in ASKED} == ASKED, (script, copy.read_text())
        assert differences(before, after) == {}, (script, copy.read_text())
        taken += 1
    assert taken > 15


@pytest.mark.parametrize("directives", [
    "#SBATCH -Hc8 -J x#y", "#SBATCH --comment=a\\#b -t5#3", "#SBATCH \"--time=7\" --mem '4G'", "#SBATCH--mem=4G", "#SLURM -c 3",
    "#SBATCH --cpus-per-t=4\n#SBATCH --mem-per-c=1G", "#SBATCH --comment=\"--mem=4G -c 8\"", "", "#SBATCH -c8 # --mem=9G\n# note\n\n#SBATCH -J a",
    "#SBATCH --mem=4G \\#", "#SBATCH --hold --exclusive\n#SBATCH --time=1-0"])
def test_the_amounts_stand_where_sbatch_looks_for_them(records, slurm, directives):
    script = f"#!/bin/bash\n{directives}\nsleep 1\n"
    copy, said = applied(records, script)
    before, refused = slurm.submit(records.call.here / "job.sh")
    if before is None:
        assert copy is None, (refused, said)
        return
    assert copy is not None, said
    after, refused = slurm.submit(copy)
    assert after is not None, refused
    assert {name: after.get(name) for name in ASKED} == ASKED
    assert differences(before, after) == {}


def test_the_lines_of_the_form_slurm_are_a_request(records, slurm):
    form = records.size("runs", "--format", "slurm").out
    job = records.call.write("form.sh", f"#!/bin/bash\n{form}sleep 1\n")
    read, refused = slurm.submit(job)
    assert read is not None, refused
    assert {name: read.get(name) for name in ASKED} == ASKED
