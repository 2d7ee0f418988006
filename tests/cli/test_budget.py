# SPDX-License-Identifier: MIT
"""--budget: what is left out to keep within it is counted, and what is claimed is true all the same."""
import subprocess

from support import read_info

SLEEPERS = """
import os, sys
r, w = os.pipe()
for i in range(300):
    if os.fork() == 0:
        os.close(w)
        os.read(r, 1)
        os._exit(0)
os.close(r)
print("ready", flush=True)
sys.stdin.read()
"""


def attach_to_sleepers(assay, room, *options):
    tree = subprocess.Popen(["/usr/bin/python3", "-c", SLEEPERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert tree.stdout.readline() == b"ready\n"
        subprocess.run([str(assay), "attach", "-q", "-i", "20ms", "--for", "1s", "-p", f"{room}/a-", *options, str(tree.pid)],
                       check=True, timeout=60)
    finally:
        tree.stdin.close()
        tree.wait()
        tree.stdout.close()
    return read_info(f"{room}/a-")


def test_a_small_budget_leaves_out_samples_and_readings_and_says_so(assay, room):
    info = attach_to_sleepers(assay, room, "--budget", "0.2%")

    assert info["options"]["budget_percent"] == 0.2
    assert info["self"]["ticks_left_out"] > 0
    assert info["self"]["missed_ticks"] + info["self"]["ticks"] + info["self"]["ticks_left_out"] >= 50
    assert info["target"]["living"] == 301
    assert info["headline"]["processes"]["value"] == 301


def test_without_a_budget_nothing_is_left_out(assay, room):
    info = attach_to_sleepers(assay, room)

    assert "ticks_left_out" not in info["self"] and "budget_percent" not in info["options"]
    assert info["target"]["living"] == 301


def test_a_sum_of_readings_of_several_moments_is_an_estimate(assay, room):
    info = attach_to_sleepers(assay, room, "--budget", "0.2%", "--measurements", "default")
    pss = next(rung for rung in info["rungs"]["memory_peak"] if rung["key"] == "proc_pss_total_bytes")

    assert pss["quality"] in ("estimate", "lower_bound"), pss
