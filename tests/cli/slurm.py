# SPDX-License-Identifier: MIT
"""A Slurm of the tests' own: a controller and its munged, on loopback, below one directory, with two nodes that are never there. Jobs are held, read and cancelled."""
import os
import shutil
import socket
import subprocess
import time

PROGRAMS = {name: shutil.which(name, path="/usr/sbin:/usr/bin") for name in ("munged", "slurmctld", "sbatch", "scontrol", "scancel")}
CONFIGURATION = """\
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
AuthType=auth/munge
AuthInfo=socket={room}/munge
CredType=cred/munge
SlurmctldPort={port}
StateSaveLocation={room}
SlurmctldPidFile={room}/slurmctld.pid
SlurmctldLogFile={room}/slurmctld.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n1,n2 NodeAddr=127.0.0.1 CPUs=16 RealMemory=64000 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE
"""


def wait_for(what, process, is_there):
    """Until it is there; the program must not end before."""
    end = time.monotonic() + 60
    while not is_there():
        assert process.poll() is None, f"{what} has ended with {process.returncode}"
        assert time.monotonic() < end, f"{what} is not there after 60 s"
        time.sleep(0.02)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Slurm:
    def __init__(self, room):
        self.room = room
        # Slurm's client commands are told nothing by whoever runs the tests.
        self.environment = {name: text for name, text in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))}
        self.environment["SLURM_CONF"] = str(room / "slurm.conf")
        self.running = []

    def start(self):
        room = self.room
        (room / "key").write_bytes(os.urandom(256))
        (room / "key").chmod(0o400)
        names = {"host": socket.gethostname(), "user": os.geteuid(), "room": room, "port": free_port()}
        (room / "slurm.conf").write_text(CONFIGURATION.format(**names), encoding="utf-8")
        munged = self.spawn("munged", "--foreground", "--force", f"--key-file={room}/key", f"--socket={room}/munge", f"--pid-file={room}/munged.pid",
                            f"--seed-file={room}/seed", f"--log-file={room}/munged.log")
        wait_for("munged", munged, (room / "munge").exists)
        controller = self.spawn("slurmctld", "-D")
        wait_for("slurmctld", controller, lambda: "is UP" in self.call("scontrol", "ping").stdout)

    def spawn(self, name, *words):
        with open(self.room / f"{name}.said", "wb") as said:
            process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", PROGRAMS[name], *words], stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=self.environment)
        self.running.append(process)
        return process

    def stop(self):
        for process in reversed(self.running):
            process.terminate()
            process.wait(60)

    def call(self, name, *words):
        return subprocess.run([PROGRAMS[name], *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60,
                              cwd=self.room, env=self.environment, check=False)

    def submit(self, script):
        """What Slurm makes of a script, as scontrol shows it: field -> text. None and what sbatch said, if it refuses."""
        called = self.call("sbatch", "--hold", "--parsable", script)
        job = called.stdout.strip().split("\n")[-1]
        if called.returncode != 0:
            return None, called.stderr
        shown = self.call("scontrol", "show", "job", job).stdout
        assert shown, (job, called.stdout)
        self.call("scancel", job)
        return fields_of(shown), called.stderr


def fields_of(shown):
    """Of the first job that is shown. A name has a line of its own, or stands behind a blank: no value that the tests give has '=' in it."""
    fields = {}
    for line in shown.split("\n\n")[0].split("\n"):
        for word in [line.strip()] if line.strip().startswith(("Comment=", "WorkDir=")) else line.split():
            name, _, text = word.partition("=")
            fields[name] = text
    return fields
