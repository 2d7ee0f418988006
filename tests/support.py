# SPDX-License-Identifier: MIT
"""Runs assay as a whole program and reads what it wrote; every record read here is validated against the schemas."""
import functools
import json
import os
import pwd
import resource
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import jsonschema
import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
DEADLINE_SECONDS = 60
# How many times longer than on hardware the kernel takes to start and end a process, where the tests run in an emulated machine.
SLOWNESS = int(os.environ.get("ASSAY_TEST_SLOWNESS", "1"))
# What a load cannot see of its own beginning and end is below 1 ms of it.
CPU_TOLERANCE_SECONDS = 0.0195 + 0.0005 * SLOWNESS
# What the program allows for the end of a process that perf does not see: PROCESS_END_NS.
ALLOWED_END_SECONDS = 80e-6
# The most of a few ends that were measured, so many times: others are dearer.
END_TIMES = 4
QUALITIES = {"exact", "sampled", "lower_bound", "upper_bound", "estimate"}


class User:
    """Who a program is run as; `name` None is whoever runs the tests."""

    def __init__(self, name=None):
        self.name = name
        entry = pwd.getpwnam(name) if name else pwd.getpwuid(os.geteuid())
        self.uid, self.gid = entry.pw_uid, entry.pw_gid

    def popen_arguments(self):
        if self.name is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def has_a_sanitizer(assay):
    """Such an assay is some 50 MiB large by itself, and what it starts inherits that mark."""
    return b"__asan_init" in Path(assay).read_bytes()


def skip_with_a_sanitizer(assay, why):
    if has_a_sanitizer(assay):
        pytest.skip(f"an address sanitizer {why}")


def wait_for(condition, what):
    """Polls until condition() is true and returns its value; fails after a deadline."""
    end = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"after {DEADLINE_SECONDS} s still waiting for {what}")


def fields_of(pid):
    """The words of /proc/PID/stat after the name, or None: state, parent, group, session, terminal, foreground group."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()


def state_of(pid):
    """The letter of ps(1), or None when there is no such process."""
    fields = fields_of(pid)
    return fields[0] if fields else None


def alive(pid):
    """True while the process runs; a zombie has ended."""
    return (state_of(pid) or "X") not in "ZX"


def spent_cpu_seconds():
    """What all processes that the tests started and waited for have used, with those that these waited for themselves."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@functools.lru_cache(maxsize=None)
def validator(schema_name):
    path = REPOSITORY / "schema" / f"{schema_name}.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    of_dialect = jsonschema.validators.validator_for(schema)
    of_dialect.check_schema(schema)
    return of_dialect(schema)


def refuse_constant(name):
    raise AssertionError(f"the record holds {name}")


def parse(text, schema_name):
    value = json.loads(text, parse_constant=refuse_constant)
    error = jsonschema.exceptions.best_match(validator(schema_name).iter_errors(value))
    assert error is None, f"{schema_name}: {error.json_path}: {error.message[:2000]}"
    return value


def read_info(prefix):
    """The info file; None where there is none. It is replaced whole, so it is valid at every instant."""
    try:
        text = Path(f"{prefix}info.json").read_bytes().decode("utf-8", errors="strict")
    except (FileNotFoundError, NotADirectoryError):
        return None
    return parse(text, "assay-run")


def read_usage(prefix, torn_end=False):
    """The closed windows; a last line without its end is skipped only when `torn_end`."""
    try:
        data = Path(f"{prefix}usage.jsonl").read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return []
    lines = data.split(b"\n")
    rest = lines.pop()
    assert torn_end or rest == b"", "the last line of the series has no end"
    return [parse(line.decode("utf-8", errors="strict"), "assay-usage") for line in lines]


def windows_written(prefix):
    """How many windows have closed so far; to be asked often, so nothing is parsed."""
    try:
        return Path(f"{prefix}usage.jsonl").read_bytes().count(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return 0


SLOT_BYTES = 4096


def read_ring(prefix):
    """The samples of a ring that nobody has put in order, by sequence; every slot must be a whole line."""
    data = Path(f"{prefix}live").read_bytes()
    slots = [data[at:at + SLOT_BYTES] for at in range(0, len(data), SLOT_BYTES)]
    assert all(len(slot) == SLOT_BYTES and slot.find(b"\n") == SLOT_BYTES - 1 for slot in slots), "a torn slot"
    return sorted((parse(slot.decode("utf-8", errors="strict"), "assay-live") for slot in slots),
                  key=lambda sample: sample["sequence"])


def read_live(prefix):
    """The samples of a finished run, as plain lines in the order in which they stand; None where there is no file."""
    try:
        data = Path(f"{prefix}live").read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    assert data.endswith(b"}\n") and b" \n" not in data, "not plain lines"
    return [parse(line.decode("utf-8", errors="strict"), "assay-live") for line in data.splitlines()]


def check_record(info, usage):
    """What holds for every complete record, whatever the job was."""
    assert info["state"] == "done"
    assert [line["sequence"] for line in usage] == list(range(len(usage))), "the series has a hole"
    assert [i for i, line in enumerate(usage) if line.get("last")] == [len(usage) - 1]
    for before, after in zip(usage, usage[1:]):
        assert after["start_seconds"] == before["end_seconds"], "windows do not touch"
    assert all(line["start_seconds"] <= line["end_seconds"] for line in usage)
    for name, headline in info["headline"].items():
        assert headline["quality"] in QUALITIES
        assert headline.get("lower", headline["value"]) <= headline["value"], (name, headline)
        assert headline.get("upper", headline["value"]) >= headline["value"], (name, headline)
    headline = info["headline"]
    if "cpu_user_seconds" in headline and "cpu_system_seconds" in headline:
        parts = headline["cpu_user_seconds"]["value"] + headline["cpu_system_seconds"]["value"]
        missing = headline["cpu_seconds"]["value"] - parts
        assert missing >= -CPU_TOLERANCE_SECONDS, headline
        if headline["cpu_user_seconds"]["quality"] != "lower_bound":
            assert missing <= CPU_TOLERANCE_SECONDS, headline
    if "cpu_peak_cores" in headline:
        assert headline["cpu_peak_cores"]["value"] <= info["host"]["cpus_online"]


class Run:
    """A finished run: how it ended, what it said, what it recorded (None and [] where nothing is)."""

    def __init__(self, status, stdout, stderr, info, usage, truth, load_path):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.info, self.usage, self.truth = info, usage, truth
        self.load_path = load_path

    @property
    def headline(self):
        return self.info["headline"]

    def end_seconds(self):
        """What the end of a small process costs on this machine just now, which no process can tell of itself: some times the most of a few measured ones."""
        if self.truth and "end_ns" in self.truth:
            return END_TIMES * self.truth["end_ns"] / 1e9
        with tempfile.NamedTemporaryFile("r") as truth:
            subprocess.run([self.load_path, truth.name, "known-ends-cost"], check=True)
            return END_TIMES * json.loads(truth.read())["end_ns"] / 1e9

    def ends_are_dear(self):
        """The machine is so slow just now that perf, which sees no end, misses more of each than the program allows for: then it cannot tell."""
        return self.end_seconds() > END_TIMES * ALLOWED_END_SECONDS

    def perf_misses_ends(self, claim):
        """It is a bound for no other reason than that."""
        return claim["quality"] == "lower_bound" and "perf counted" in claim["why"] and self.ends_are_dear()


class Started:
    """A run under way. Its output goes to files: a pipe would wait for survivors that still hold it."""

    def __init__(self, process, prefix, room, tag, load_path):
        self.process, self.prefix, self.room, self.tag, self.load_path = process, prefix, room, tag, load_path

    def running_info(self):
        return wait_for(lambda: read_info(self.prefix), "the info file")

    def output(self, name):
        return (self.room / f"{self.tag}.{name}").read_bytes()

    def truth(self):
        """The last line that the load wrote, or None."""
        path = self.room / f"{self.tag}.truth"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return json.loads(lines[-1]) if lines else None

    def wait(self, timeout):
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise

    def finish(self, timeout=180, complete=True):
        """Waits for the end; with `complete` the record must be there, whole and consistent."""
        status = self.wait(timeout)
        info, usage = read_info(self.prefix), read_usage(self.prefix, torn_end=not complete)
        if complete:
            assert info is not None, self.output("stderr").decode(errors="replace")
            check_record(info, usage)
        return Run(status, self.output("stdout"), self.output("stderr"), info, usage, self.truth(), self.load_path)


class Runner:
    """Starts `assay run` on commands, each run under a prefix and a tag of its own in the room."""

    def __init__(self, assay, load, room):
        self.assay, self.load_path, self.room = assay, load, room
        self.runs = 0

    def environment(self, extra=None):
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
        return {**kept, "HOME": str(self.room), "LANG": "C.UTF-8", **(extra or {})}

    def spawn(self, argv, tag, user=None, env=None, **popen):
        """Any program, with its output in files of the room and no descriptors but the three."""
        popen.setdefault("stdin", subprocess.DEVNULL)
        with open(self.room / f"{tag}.stdout", "wb") as out, open(self.room / f"{tag}.stderr", "wb") as err:
            return subprocess.Popen(argv, stdout=out, stderr=err, env=self.environment() if env is None else env,
                                    start_new_session=True, cwd=popen.pop("cwd", self.room),
                                    **(user or User()).popen_arguments(), **popen)

    def start(self, command, options=(), prefix=None, quiet=True, wrapper=(), **popen):
        """`command` is an argument list; LOAD and TRUTH in it stand for the load program and its truth file."""
        self.runs += 1
        tag = f"run{self.runs}"
        prefix = f"{self.room}/{tag}-" if prefix is None else str(prefix)
        names = {"LOAD": str(self.load_path), "TRUTH": f"{self.room}/{tag}.truth"}
        argv = [*wrapper, str(self.assay), "run", *(["-q"] if quiet else []), "-p", prefix, *options, "--",
                *(names.get(word, word) if isinstance(word, str) else word for word in command)]
        return Started(self.spawn(argv, tag, **popen), prefix, self.room, tag, self.load_path)

    def __call__(self, command, options=(), timeout=180, complete=True, **start):
        return self.start(command, options, **start).finish(timeout, complete)

    def load(self, *arguments, options=(), **start):
        """Runs a load and returns the run with the load's truth."""
        run = self(["LOAD", "TRUTH", *map(str, arguments)], options, **start)
        assert run.status in (0, 77), run.stderr.decode(errors="replace")
        return run
