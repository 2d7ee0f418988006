# SPDX-License-Identifier: MIT
"""Acts in PID namespaces of its own, called by test_targets_pids.py: in_namespace.py SCENE ASSAY LOAD ROOM; says what came of it as JSON on stdout."""
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from stage import Nobody, Stage, cpu  # noqa: E402
from support import Runner  # noqa: E402

PID_MAX = 400
PIDS = 100  # what is given in turn then: 300 to 399


def meet(stranger, wanted):
    """Makes processes of the stranger's until one has that pid; those before it have ended, so that pids have gone round."""
    for number in range(3):
        probe = stranger.fork(f"probe{wanted}-{number}")
        probe.leave()
        stranger.do("burst", (wanted - probe.pid - 1 - 4) % PIDS, 0)
        for step in range(8):
            met = stranger.fork(f"met{wanted}-{number}-{step}")
            if met.pid == wanted:
                return met
            met.leave()
    raise AssertionError(f"pid {wanted} was not given again")


def wrap(stage):
    """While the watch stands still a member ends and its pid is given to a stranger, and another one's to a new member."""
    Path("/proc/sys/kernel/pid_max").write_text(str(PID_MAX))
    first, stranger = stage.begin(), stage.begin("stranger")
    # the pids below 300 are given once
    stranger.do("burst", PID_MAX, 0)
    watch = stage.attach(first.pid)
    inside = []
    for number in range(3):
        child = first.fork(f"child{number}")
        child.do("burn", 50)
        watch.looked()
        watch.process.send_signal(signal.SIGSTOP)
        child.leave()
        inside.append(child)
        # round once at least, and the stranger has its pid and children of its own
        taken = meet(stranger, child.pid)
        below = taken.fork(f"below{number}")
        below.do("burn", 200)
        member = first.fork(f"member{number}")
        watch.process.send_signal(signal.SIGCONT)
        watch.looked(4)
        member.do("burn", 50)
        taken.do("burn", 100)
        watch.looked()
        member.leave()
        inside.append(member)
        below.leave()
        taken.leave()
        watch.looked()
    # and of members among themselves
    old = first.fork("old")
    watch.looked()
    watch.process.send_signal(signal.SIGSTOP)
    old.leave()
    new = meet(first, old.pid)
    watch.process.send_signal(signal.SIGCONT)
    watch.looked(4)
    new.do("burn", 100)
    watch.looked()
    new.leave()
    watch.looked()
    # and one whose pid is not between the last one given before and after
    watch.process.send_signal(signal.SIGSTOP)
    stranger.do("burst", PIDS // 2, 0)
    beyond = first.fork("beyond")
    stranger.do("burst", PIDS * 2 // 3, 0)
    watch.process.send_signal(signal.SIGCONT)
    watch.looked(4)
    beyond.do("burn", 100)
    watch.looked()
    beyond.leave()
    watch.looked()
    run = watch.stop()
    stage.end_of(first)
    stage.end_of(stranger)
    return {"info": run.info, "truth": first.cpu_seconds + first.waited_seconds,
            "met": sorted(p["pid"] for line in run.usage for p in line["processes"]),
            "inside": sorted(a.pid for a in (first, old, new, beyond, *inside)),
            "strangers": stranger.cpu_seconds + stranger.waited_seconds}


def reuse(stage):
    """The pid that is watched ends, and is a stranger's before anybody looks."""
    Path("/proc/sys/kernel/pid_max").write_text(str(PID_MAX))
    first, stranger = stage.begin(), stage.begin("stranger")
    stranger.do("burst", PID_MAX, 0)
    child = first.fork("child")
    watches = [stage.attach(f"{kind}:{child.pid}") for kind in ("tree", "pids")]
    child.do("burn", 100)
    for watch in watches:
        watch.looked()
        watch.process.send_signal(signal.SIGSTOP)
    child.leave()
    taken = meet(stranger, child.pid)
    taken.do("burn", 300)
    for watch in watches:
        watch.process.send_signal(signal.SIGCONT)
    runs = [watch.finish() for watch in watches]
    taken.leave()
    stage.end_of(first)
    stage.end_of(stranger)
    return {"infos": [run.info for run in runs], "statuses": [run.status for run in runs], "truth": child.cpu_seconds}


def hide(stage):
    """/proc shows nobody else's processes: what is ours is measured all the same, and of the others it is said that they are hidden."""
    subprocess.run(["mount", "-t", "proc", "-o", "hidepid=2", "proc", "/proc"], check=True)
    nobody = Nobody()
    others, first = stage.begin("others"), stage.begin(user=nobody)
    watch = stage.attach(first.pid, "system", user=nobody, cwd="/")
    child = first.fork("child")
    child.do("burn", 200)
    others.do("burn", 100)
    watch.looked()
    child.leave()
    watch.looked()
    run = watch.stop()
    (system,) = watch.beside()
    stage.numbers += 1
    refused = {}
    for word in (str(others.pid), f"session:{others.pid}", "user:0"):
        process = stage.attach(word, user=nobody, ready=False)
        refused[word] = (process.process.wait(60), process.output("stderr").decode(), process.lines())
    truth = first.cpu_seconds + first.waited_seconds
    stage.end_of(first)
    stage.end_of(others)
    return {"info": run.info, "system": system, "truth": truth, "refused": refused, "cpu": cpu(run.info)}


def hide_kin(stage):
    """A child of the member's is hidden from its user, as a setuid program is, and has a past; the member waits for it."""
    subprocess.run(["mount", "-t", "proc", "-o", "hidepid=2", "proc", "/proc"], check=True)
    nobody = Nobody()
    first = stage.begin(user=nobody)
    kin = first.fork("kin")
    kin.do("burn", 1000).do("undumpable")
    watch = stage.attach(f"session:{first.pid}", user=nobody, cwd="/")
    kin.leave()
    first.do("burn", 100)
    watch.looked()
    run = watch.stop()
    stage.end_of(first)
    return {"info": run.info}


def main(scene, assay, load, room):
    room = Path(room)
    stage = Stage(Runner(Path(assay), Path(load), room), room)
    try:
        result = {"wrap": wrap, "reuse": reuse, "hide": hide, "hide_kin": hide_kin}[scene](stage)
    finally:
        stage.close()
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    assert os.getpid() == 1, "not in a PID namespace of its own"
    main(*sys.argv[1:])
