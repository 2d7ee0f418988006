# SPDX-License-Identifier: MIT
"""Runs of other tools under the words that name and show runs."""
import pytest

from calling import Caller
from support import REPOSITORY

FOREIGN = REPOSITORY / "tests" / "fixtures" / "foreign"


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def told(call, *words):
    called = call(*words)
    assert called.status == 0, called.err
    return called.out


def test_jobs_of_slurm_are_found_by_their_ids_arrays_too(call, room):
    told(call, "import", "-p", f"{room}/jobs/{{pid}}/", str(FOREIGN / "sacct.txt"))

    ids = told(call, "ls", "-f", "csv", "-F", "name,job_id", f"{room}/jobs").splitlines()
    by_name = dict(line.rsplit(",", 2)[-2:] for line in ids[1:])
    assert len(by_name) == 6 and all(by_name.values())
    one = told(call, "ls", "-f", "csv", "-F", "name", "--where", f"job_id = '{by_name['array']}'", f"{room}/jobs").splitlines()
    assert [line.rsplit(",", 1)[-1] for line in one[1:]] == ["array"]


def test_an_import_that_knows_no_time_of_day_is_the_last_run_when_it_came_last(call):
    told(call, "run", "-q", "--", "true")
    told(call, "import", str(FOREIGN / "nvidia-smi-header.csv"))

    assert "nvidia-smi" in told(call, "show", "@last")
    missing = call("show", "@last-7")
    assert missing.status == 1 or missing.status == 2
    assert missing.err == "assay: @last-7: there are not that many runs in .assay/runs/\n"
