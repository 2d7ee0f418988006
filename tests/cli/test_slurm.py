# SPDX-License-Identifier: MIT
"""Which job, step and task of Slurm a run was: numbers as numbers, what cannot be one left out."""
import pytest

WHOLE = {"SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "0", "SLURM_PROCID": "3", "SLURM_LOCALID": "1", "SLURM_NODEID": "2",
         "SLURMD_NODENAME": "node-07.example", "SLURM_ARRAY_JOB_ID": "4700", "SLURM_ARRAY_TASK_ID": "11",
         "SLURM_CLUSTER_NAME": "little_one"}


def record(run_assay, variables):
    run = run_assay(["true"], env=run_assay.environment(variables))
    assert run.status == 0
    return run.info


def test_every_id_has_its_place(run_assay):
    info = record(run_assay, WHOLE)

    assert info["slurm"] == {
        "job_id": 4711, "step_id": 0, "task_id": 3, "local_task_id": 1, "node_id": 2, "node_name": "node-07.example",
        "array_job_id": 4700, "array_task_id": 11, "cluster": "little_one"}
    assert {name: info["scheduler"].get(name) for name in WHOLE if name.startswith("SLURM_")} == {
        name: value for name, value in WHOLE.items() if name.startswith("SLURM_")}, "the variables stay as they were"
    assert not [note for note in info["notes"] if "SLURM" in note]


def test_what_is_not_there_is_not_there(run_assay):
    assert "slurm" not in record(run_assay, {})
    assert record(run_assay, {"SLURM_JOB_ID": "1", "SLURM_PROCID": ""})["slurm"] == {"job_id": 1}


def test_the_older_names_are_known_and_give_way(run_assay):
    info = record(run_assay, {"SLURM_JOBID": "5", "SLURM_STEPID": "6", "SLURM_STEP_ID": "7"})

    assert info["slurm"] == {"job_id": 5, "step_id": 7}


@pytest.mark.parametrize("number, word", [(4294967290, "interactive"), (4294967291, "batch"), (4294967292, "extern")])
def test_steps_that_have_a_name_are_told_by_it(run_assay, number, word):
    assert record(run_assay, {"SLURM_STEP_ID": str(number)})["slurm"] == {"step_id": word}


@pytest.mark.parametrize("variable, value", [
    ("SLURM_JOB_ID", "12x"), ("SLURM_JOB_ID", "-1"), ("SLURM_JOB_ID", "+1"), ("SLURM_JOB_ID", " 1"), ("SLURM_JOB_ID", "1.5"),
    ("SLURM_JOB_ID", "0x10"), ("SLURM_JOB_ID", "4294967295"), ("SLURM_JOB_ID", "18446744073709551617"), ("SLURM_JOB_ID", "9" * 9999),
    ("SLURM_STEP_ID", "4294967294"), ("SLURM_PROCID", "4294967290"), ("SLURM_JOB_ID", "\u0664"), ("SLURM_CLUSTER_NAME", 'a"b'),
    ("SLURMD_NODENAME", "a\nb"), ("SLURMD_NODENAME", "../x"), ("SLURMD_NODENAME", "n" * 256), ("SLURMD_NODENAME", b"\xff")])
def test_a_value_that_cannot_be_one_is_left_out_with_a_note(run_assay, variable, value):
    info = record(run_assay, {"SLURM_LOCALID": "1", variable: value})

    assert info["slurm"] == {"local_task_id": 1}
    assert [note for note in info["notes"] if note.startswith(variable)], info["notes"]
