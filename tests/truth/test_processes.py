# SPDX-License-Identifier: MIT
"""Who ran: names as the kernel holds them, how many there were, what is said of those too short to name."""
import pytest

from checks import check_processes, tolerance
from support import SLOWNESS

OFTEN = ["-i", "50ms"]
# name given by the process -> text and exact bytes in the record
ODD_NAMES = {
    b"a b) R 1 2": ("a b) R 1 2", None),
    b"new\nline": ("new\nline", None),
    b"\xff\xfebad": ("\ufffd\ufffdbad", "fffe626164"),
    b"quote\"\\": ("quote\"\\", None),
}


def run_odd_names(run_assay, user):
    command = ["LOAD", "TRUTH", "names", "250", *ODD_NAMES]
    run = run_assay(command, OFTEN, user=user)
    assert run.status == 0, run.stderr
    return run


def test_odd_names_are_kept_without_loss(run_assay, user):
    run = run_odd_names(run_assay, user)
    by_name = {entry["name"]: entry for entry in run.info["processes"]["by_name"]}

    for text, hexadecimal in ODD_NAMES.values():
        assert by_name[text].get("name_hex") == hexadecimal
        assert by_name[text]["processes"] == 1
        assert 0.15 <= by_name[text]["cpu_seconds"] <= 0.299 + 0.001 * SLOWNESS, by_name[text]
    check_processes(run)


def test_odd_commands_are_kept_without_loss(run_assay, user):
    run = run_odd_names(run_assay, user)
    last_name, command = {}, {}
    for process in (p for line in run.usage for p in line["processes"]):
        last_name[process["pid"]] = process["name"]
        if "command" in process:
            command[process["pid"]] = process
    by_name = {last_name[pid]: process for pid, process in command.items()}

    for name, (text, hexadecimal) in ODD_NAMES.items():
        assert by_name[text]["command"][0] == text
        assert ("command_hex" in by_name[text]) == (hexadecimal is not None)
        if hexadecimal:
            assert by_name[text]["command_hex"][0] == hexadecimal == name.hex()


def test_named_processes_and_the_rest_add_up_to_the_total(run_assay, user):
    run = run_assay.load("children", 300, 2, options=OFTEN, user=user)
    processes, total = run.info["processes"], run.headline["cpu_seconds"]["value"]
    named = sum(entry["cpu_seconds"] for entry in processes["by_name"])

    assert named + processes.get("unnamed_cpu_seconds", 0) == pytest.approx(total, abs=tolerance(total))
    assert sum(entry["processes"] for entry in processes["by_name"]) == processes["seen"]
    if processes["counted"]:
        assert processes["seen"] + processes["too_short"] == run.truth["processes"]


def test_a_hundred_idle_children_are_each_seen(run_assay, user):
    run = run_assay.load("idle", 100, 800, options=["-i", "0.2s"], user=user)

    assert run.info["processes"]["seen"] == 101
    assert {entry["name"]: entry["processes"] for entry in run.info["processes"]["by_name"]} == {"load": 101}


def test_processes_of_one_run_are_identities_not_pids(run_assay, user):
    run = run_assay.load("exec-chain", 50, 5, options=OFTEN, user=user)
    identities = {(p["pid"], p["start_time_ticks"]) for line in run.usage for p in line["processes"]}

    assert len(identities) == 1
    assert run.headline["processes"]["value"] == 1


def test_a_stopped_process_shows_its_state(run_assay, user):
    run = run_assay.load("stopped", 100, 800, options=["-i", "0.1s"], user=user)
    stopped = {p["pid"] for line in run.usage for p in line["processes"] if p.get("states", {}).get("T")}

    assert len(stopped) == 1


def test_a_zombie_shows_its_state(run_assay, user):
    run = run_assay.load("zombie", 100, 800, options=["-i", "0.1s"], user=user)
    zombies = {p["pid"] for line in run.usage for p in line["processes"] if p.get("states", {}).get("Z")}

    assert len(zombies) == 1


def test_the_owner_of_each_process_is_recorded(run_assay, user):
    run = run_assay.load("steady", 100, user=user)

    assert {p["uid"] for line in run.usage for p in line["processes"]} == {user.uid}
    assert run.info["user"]["uid"] == user.uid
