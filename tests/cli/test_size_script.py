# SPDX-License-Identifier: MIT
"""That the difference which --apply shows turns the script into its copy, by patch(1), and that a copy is not changed again."""
import random
import subprocess

import pytest

from calling import Caller
from test_size import Records

DIRECTIVES = ["-J a", "--mem=64G", "--mem 3000", "--mem-per-cpu=2G", "--mem=0 # all", "-c 8", "-c8", "--cpus-per-task=2", "-t 10", "-t1-00:00",
              "--time=\"5:00\"", "-o out-%j.txt", "--exclusive", "\"--time=7\"", "-J x#y", "--array=1-10 -n 1"]
OTHERS = ["", "# a comment", "##SBATCH --mem=1G", " #SBATCH --mem=1G", "\t"]
COMMANDS = ["srun job", "echo '#SBATCH'", "", "#SBATCH --mem=9G", "a b c", "-c 8", "--- x", "+++ y", "@@ -1 +1 @@"]


def kind_of(directive):
    return ("memory" if "--mem" in directive else "CPUs" if directive.startswith(("-c", "--cpus")) else
            "time" if "-t" in directive.strip('"')[:3] else "")


def made_script(numbers):
    lines, kinds = ["#!/bin/bash"], set()
    for _ in range(numbers.randrange(12)):
        directive = numbers.choice(DIRECTIVES)
        kind = kind_of(directive)
        if numbers.random() < 0.3:
            lines.append(numbers.choice(OTHERS))
        elif not kind or kind not in kinds:
            kinds.add(kind)
            lines.append("#SBATCH " + directive)
    lines += ["cd work", *numbers.choices(COMMANDS, k=numbers.randrange(30))]
    return "\n".join(lines) + ("\n" if numbers.random() < 0.8 else "")


@pytest.mark.parametrize("seed", range(3))
def test_patch_makes_the_copy_of_the_script_and_the_shown_difference(run_assay, assay, room, seed):
    records = Records(Caller(run_assay, assay, room / "here"))
    numbers = random.Random(seed)
    records.several([1000] * 20)
    here = records.call.here
    shown = 0
    for _ in range(40):
        script = made_script(numbers).encode()
        (here / "job.sh").write_bytes(script)
        (here / "copy.sh").unlink(missing_ok=True)
        called = records.size("runs", "--apply", "job.sh", "-o", "copy.sh")
        if not (here / "copy.sh").exists():
            assert called.out == "" and "just that" in called.err, script
            continue
        shown += 1
        (here / "patched.sh").write_bytes(script)
        subprocess.run(["patch", "--binary", "--quiet", "--fuzz=0", "--no-backup-if-mismatch", "patched.sh"], cwd=here, check=True,
                       input=called.out.encode(), timeout=60)
        assert (here / "patched.sh").read_bytes() == (here / "copy.sh").read_bytes(), script
        again = records.size("runs", "--apply", "copy.sh", "-o", "again.sh")
        assert again.out == "" and "just that" in again.err and not (here / "again.sh").exists(), script
    assert shown > 30
