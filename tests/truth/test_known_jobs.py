# SPDX-License-Identifier: MIT
"""Jobs as people write them: shells, make, xargs, pools of Python. What is claimed holds against what the kernel told the process that waited."""
import json
import os
import sys
from pathlib import Path

import pytest

from checks import MIB, TEARDOWN_SECONDS, nothing_could_tell, tolerance
from support import CPU_TOLERANCE_SECONDS, SLOWNESS

ACCOUNTANT = Path(__file__).resolve().parent / "accountant.py"
# What the accountant uses after it has read the clock, and its end.
LAST_SECONDS = 0.002 * SLOWNESS
# Its truth file, and what it reads to write it.
IO_SLACK_BYTES = 8192

# A loop that takes some ten milliseconds, and a file of known size.
BURN = "i=0; while [ $i -lt 15000 ]; do i=$((i+1)); done"
FILE = "head -c 300000 /dev/zero"
# Each: the script, how many processes it takes with the shell, how many run at once at most.
SHELL = {
    "one_after_the_other": (f"for n in 1 2 3 4 5 6; do sh -c '{BURN}'; done", 7, 1),
    "at_once": (f"for n in 1 2 3 4; do sh -c '{BURN}' & done; wait", 5, 5),
    "subshells": (f"( {BURN} ); ( ( {BURN} ); : ); : $( {BURN} )", 5, 1),
    "pipes_of_shells": (f"( {BURN}; {FILE} ) | ( cat; {BURN} ) | cat >pipe.out; :", 5, 5),
    "xargs": (f"seq 8 | xargs -P4 -n1 sh -c '{BURN}; :'", 11, 6),
    "timeout_ends_it": ("timeout -s KILL 0.2 sh -c 'while :; do :; done'; :", 3, 1),
    "timeout_does_not": (f"timeout 20 sh -c '{BURN}'; :", 3, 2),
    "nohup": (f"nohup sh -c '{BURN}' >nohup.out 2>&1 & wait", 2, 2),
    "a_daemon": (f"( setsid sh -c '{BURN}; {FILE} >daemon.out; :' & ); :", 4, 4),
    "find_exec": (f"mkdir d; touch d/a d/b d/c; find d -type f -exec sh -c '{BURN}' \\;; :", 7, 1),
    "find_exec_at_once": (f"mkdir d; touch d/a d/b d/c; find d -type f -exec sh -c '{BURN}' {{}} +; :", 5, 1),
    "killed_in_the_background": (f"sleep 60 & sh -c '{BURN}'; kill $!; wait; :", 3, 2),
    "kills_its_own_group_child": ("setsid sh -c 'sleep 60 & sleep 60 & kill -KILL 0'; :", 4, 4),
    "stops_and_goes_on": (f"sh -c 'kill -STOP $$; {BURN}' & until [ \"$(cut -d' ' -f3 /proc/$!/stat)\" = T ]; do :; done; kill -CONT $!; wait", None, 3),
    "a_trap": (f"trap '{BURN}' USR1; sh -c 'kill -USR1 '$$; :", 2, 2),
    "exec_again_and_again": (f"{BURN}; exec sh -c '{BURN}; exec sh -c \"{FILE} >exec.out; :\"'", 2, 1),
    "here_documents_and_tee": (f"{FILE} | tee one.out two.out >three.out; cat <<end >four.out\ntext\nend\n:", 4, 3),
    "children_the_shell_ignores": ("trap '' CHLD; sh -c 'for n in 1 2 3; do /bin/true; done'; :", 5, 2),
}
BASH = {
    "coproc": (f"coproc {{ {BURN}; cat; }}; head -c 30000 /dev/zero >&${{COPROC[1]}}; W=${{COPROC[1]}} R=${{COPROC[0]}}; exec {{W}}>&-; cat <&$R >co.out; wait", None, 3),
    "process_substitution": (f"cat <({FILE}; {BURN}) <({FILE}) > >(cat >ps.out); wait", None, 6),
    "wait_n": (f"for n in 1 2 3 4 5 6; do ( {BURN} ) & (( n > 2 )) && wait -n; done; wait", 7, 4),
    "disowned": (f"sh -c '{BURN}' & disown; :", 2, 2),
}
MAKEFILE = "all: a b c d\n" + "".join(f"{name}:\n\t@{BURN.replace('$', '$$')}; head -c 100000 /dev/zero >$@.out\n" for name in "abcd")
POOL = """
import multiprocessing, sys, time
def work(n):
    end = time.process_time() + 0.02
    while time.process_time() < end:
        pass
    with open(f"pool{n}.out", "wb") as f:
        f.write(b"x" * 200000)
    return n
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    if sys.argv[2] == "pool":
        with context.Pool(3) as pool:
            assert sorted(pool.map(work, range(6))) == list(range(6))
    else:
        all = [context.Process(target=work, args=(n,)) for n in range(4)]
        [p.start() for p in all]
        [p.join() for p in all]
"""
INTERVALS = ["50ms", "1s", "30s"]


def spans(claim):
    """What the claim says the truth lies between; None where it says nothing."""
    value, quality = claim["value"], claim["quality"]
    low = value if quality in ("exact", "lower_bound") else None
    high = value if quality in ("exact", "upper_bound") else None
    return max((n for n in (low, claim.get("lower")) if n is not None), default=None), \
        min((n for n in (high, claim.get("upper")) if n is not None), default=None)


def holds(claim, least, most):
    """The truth is somewhere between `least` and `most`."""
    low, high = spans(claim)
    assert low is None or low <= most, (claim, least, most)
    assert high is None or high >= least, (claim, least, most)


STRENGTH = {"exact": {"exact", "lower_bound", "upper_bound", "estimate", "sampled"}, "lower_bound": {"lower_bound", "estimate", "sampled"},
            "upper_bound": {"upper_bound", "estimate", "sampled"}, "estimate": {"estimate", "sampled"}, "sampled": {"sampled", "estimate"}}


# The same number in another sense: the largest process is a lower bound of all of them together; what was made dirty, of what reached storage;
# and a peak between samples is not in any of them.
OTHERWISE = ("memory_peak_bytes", "io_write_bytes", "memory_peak_charged_bytes", "cpu_peak_cores", "cpu_mean_cores")


def check_alike(run):
    """The summary and the last line of the series claim no more of the same key than the headline does."""
    last = run.usage[-1]["values"]
    for name, claim in run.headline.items():
        key = claim["key"]
        summary = run.info["summary"].get(key)
        if name in OTHERWISE:
            continue
        if summary and summary["value"] == claim["value"]:
            assert summary["quality"] in STRENGTH[claim["quality"]], (name, claim, summary)
        if last.get(key, {}).get("last") == claim["value"] and name != "wall_seconds":
            assert last[key]["quality"] in STRENGTH[claim["quality"]], (name, claim, last[key])


def check_series(run, truth, ends):
    """No line says more than there was in the end, and what the lines grew by is what the last one says."""
    most = {"tree_cpu_seconds": truth["cpu_seconds"] + ends + tolerance(truth["cpu_seconds"]),
            "tree_io_read_syscall_bytes": truth["io_read_syscall_bytes"] + IO_SLACK_BYTES,
            "tree_io_write_syscall_bytes": truth["io_write_syscall_bytes"] + IO_SLACK_BYTES}
    for key, high in most.items():
        values = [line["values"][key] for line in run.usage if key in line["values"]]
        assert all(value["last"] <= high for value in values), (key, high, values)
        assert sum(value["delta"] for value in values) == pytest.approx(values[-1]["last"], abs=1e-5), (key, values)


def check(run, truth, processes=None, at_once=None):
    """Every claim, on both sides."""
    cpu, headline = truth["cpu_seconds"], run.headline
    ends = LAST_SECONDS + (processes or truth["reaped"]) * TEARDOWN_SECONDS
    slack = tolerance(cpu)
    holds(headline["cpu_seconds"], cpu - (slack if headline["cpu_seconds"]["quality"] == "exact" else 0), cpu + ends + slack)
    for name in ("io_read_syscall_bytes", "io_write_syscall_bytes"):
        holds(headline[name], truth[name], truth[name] + IO_SLACK_BYTES)
    # the accountant is as large as it is when it writes
    holds(headline["memory_peak_process_bytes"], truth["memory_peak_process_bytes"], truth["memory_peak_process_bytes"] + MIB)
    holds(headline["memory_peak_bytes"], truth["memory_peak_process_bytes"], 10**12)
    if processes:
        holds(headline["processes"], processes + 1, processes + 1)
    holds(headline["wall_seconds"], truth["wall_seconds"], 10**9)
    mean = headline["cpu_mean_cores"]
    holds(mean, 0, (cpu + ends + slack) / truth["wall_seconds"] + 0.001)
    if at_once:
        holds(headline["cpu_peak_cores"], 0, min(at_once + 1, os.cpu_count()) + 0.001)
        alive = run.info["summary"].get("connector_peak_processes_alive_count")
        if alive:
            holds(alive, 0, max(at_once, 2) + 2)
    check_series(run, truth, ends)
    check_alike(run)


def check_found(run, truth):
    """What was waited for is exact where anything here can tell that it was."""
    for name in ("cpu_seconds", "io_read_syscall_bytes", "io_write_syscall_bytes"):
        claim = run.headline[name]
        assert claim["quality"] == "exact" or nothing_could_tell(run, claim) or claim["quality"] == "lower_bound" and claim["why"], claim
        slack = CPU_TOLERANCE_SECONDS if name == "cpu_seconds" else 0
        assert claim["value"] >= truth[name] - slack, (claim, truth)


@pytest.fixture
def counted(run_assay, room):
    """Runs a command below the accountant; the run and its truth."""
    def run(command, options=(), **start):
        truth = room / "truth.json"
        truth.unlink(missing_ok=True)
        done = run_assay.start([sys.executable, "-S", "-E", str(ACCOUNTANT), str(truth), *command], options, **start).finish()
        assert truth.exists(), done.stderr
        done.truth = json.loads(truth.read_text(encoding="ascii"))
        # what nothing_could_tell() asks for
        done.truth["processes"] = done.truth["reaped"]
        return done, done.truth
    return run


@pytest.mark.parametrize("script, processes, at_once", SHELL.values(), ids=SHELL.keys())
def test_shell(counted, user, script, processes, at_once):
    run, truth = counted(["sh", "-c", script], user=user)

    assert run.status == truth["code"] == 0, run.stderr
    check(run, truth, processes, at_once)
    check_found(run, truth)


@pytest.mark.parametrize("script, processes, at_once", BASH.values(), ids=BASH.keys())
def test_bash(counted, script, processes, at_once):
    run, truth = counted(["bash", "-c", script])

    assert run.status == truth["code"] == 0, run.stderr
    check(run, truth, processes, at_once)
    check_found(run, truth)


@pytest.mark.parametrize("interval", INTERVALS)
def test_make(counted, room, interval):
    (room / "Makefile").write_text(MAKEFILE)
    run, truth = counted(["make", "-s", "-j", "3"], ["-i", interval])

    assert run.status == truth["code"] == 0, run.stderr
    # the shell execs nothing: make, and a shell and a head for each
    check(run, truth, 9, 7)
    check_found(run, truth)
    assert truth["io_write_syscall_bytes"] >= 400000


@pytest.mark.parametrize("how", ["pool", "processes"])
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(counted, room, method, how):
    (room / "pool.py").write_text(POOL)
    run, truth = counted([sys.executable, "-S", "pool.py", method, how], ["-i", "50ms"])

    assert run.status == truth["code"] == 0, run.stderr
    check(run, truth)
    check_found(run, truth)
    assert truth["io_write_syscall_bytes"] >= (6 if how == "pool" else 4) * 200000
