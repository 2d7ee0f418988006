# SPDX-License-Identifier: MIT
"""tools/record-fixture: what assay reads from the tree is what it reads from the machine, and nobody is named in it."""
import json
import os
import shutil
import signal
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

from support import REPOSITORY, User, alive, state_of, wait_for

RECORDER = REPOSITORY / "tools" / "record-fixture"
# Of the process, and of the cgroups' accounts of it, while it is stopped: nothing moves these.
STEADY = ("cgroup_memory_anon_bytes", "cgroup_memory_file_bytes", "cgroup_memory_shmem_bytes", "cgroup_memory_limit_bytes",
          "cgroup_memory_limit_hits_count", "cgroup_oom_kills_count", "host_memory_total_bytes", "host_swap_total_bytes", "proc_rss_bytes", "proc_hwm_bytes", "proc_io_read_bytes", "proc_io_write_bytes")
SECRET = "xyzzysecret"


def record(pid, directory, user=User()):
    return subprocess.run([sys.executable, str(RECORDER), str(pid), str(directory)], check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, **user.popen_arguments())


def doctor(assay, *options):
    done = subprocess.run([str(assay), "doctor", "--json", *map(str, options)], check=True, stdout=subprocess.PIPE, timeout=60)
    return json.loads(done.stdout)


def readings(page):
    return {(r["name"], r.get("device")): r.get("value", r.get("why")) for r in page["readings"]}


@pytest.fixture
def cgroup_of_secrets():
    """A version 1 or 2 cgroup with a name that must not be kept, where root may make one. Ask for it before the job, which must end first."""
    for hierarchy in ("memory", "unified", "."):
        parent = Path("/sys/fs/cgroup") / hierarchy
        if (parent / "cgroup.procs").exists() and os.access(parent, os.W_OK):
            break
    else:
        pytest.skip("needs a hierarchy of cgroups to write to")
    path = parent / f"assay-test-{SECRET}-{os.getpid()}"
    path.mkdir()
    yield path
    wait_for(lambda: not (path / "cgroup.procs").read_text(encoding="utf-8"), "the cgroup to be left")
    path.rmdir()


@pytest.fixture
def job(room):
    """A shell with a child, stopped; its program, an argument, its directory and its environment hold a word to be looked for."""
    program = room / f"{SECRET}tool"
    shutil.copy("/bin/sh", program)
    program.chmod(0o755)
    home = room / "home" / SECRET
    home.mkdir(parents=True)
    home.chmod(0o777)
    started = []

    def start(user=User(), cgroup=None):
        process = subprocess.Popen([str(program), "-c", "sleep 600 & : > started; wait", f"/home/{SECRET}/input.dat", f"--token={SECRET}"],
                                   cwd=home, env={**os.environ, "TOKEN": SECRET}, stdin=subprocess.DEVNULL, start_new_session=True,
                                   **user.popen_arguments())
        started.append(process)
        wait_for(lambda: (home / "started").exists(), "the job's start")
        if cgroup:
            (cgroup / "cgroup.procs").write_text(str(process.pid))
        os.killpg(process.pid, signal.SIGSTOP)
        wait_for(lambda: state_of(process.pid) == "T", "the job's stop")
        return process.pid

    yield start
    for process in started:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        wait_for(lambda p=process: not group_lives(p.pid), "the end of its child")


def group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return any(alive(pid.name) for pid in Path("/proc").glob("[0-9]*") if group_of(pid) == group)


def group_of(directory):
    try:
        return int((directory / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[2])
    except OSError:
        return None


def texts(tree):
    """Every name in the tree, the targets of its links, and every content."""
    for path in tree.rglob("*"):
        yield str(path.relative_to(tree)).encode()
        if path.is_symlink():
            yield os.readlink(path).encode()
        elif path.is_file():
            yield path.read_bytes()


def test_assay_reads_from_the_tree_what_it_reads_from_the_machine(cgroup_of_secrets, assay, job, room):
    pid = job(cgroup=cgroup_of_secrets)
    live = doctor(assay, "--pid", pid)
    done = record(pid, room / "tree")
    assert done.returncode == 0, done.stderr
    assert "2 processes" in done.stdout
    kept = doctor(assay, "--root", room / "tree")
    assert kept["process"][0]["pid"] == pid and kept["process"][0]["root"] == str(room / "tree")
    for page in (live, kept):
        for cgroup in page["cgroups"]:
            # The names of unknown cgroups are replaced; of what kind and how deep they are is not.
            for key in ("path", "directory"):
                if key in cgroup:
                    cgroup[key] = cgroup[key].count("/")
    assert kept["cgroups"] == live["cgroups"]
    # The kernel brings a cgroup's statistics up to date when it likes: what it did so meanwhile is what it was or what it is now.
    before, after, again = readings(live), readings(kept), readings(doctor(assay, "--pid", pid))
    for key in STEADY:
        assert after[key, None] in (before[key, None], again[key, None]), key
    assert before["proc_rss_bytes", None] > 0
    assert {device for key, device in after if key == "host_core_busy_seconds"} == \
        {device for key, device in before if key == "host_core_busy_seconds"}

    def bounds(page):
        return [{**limit, "where": limit["where"].rpartition("/")[2]} for limit in page["limits"]]
    assert bounds(kept) == bounds(live) and kept["limits"]


def test_no_secret_is_in_the_tree(cgroup_of_secrets, job, room, ordinary_user):
    pid = job(ordinary_user, cgroup_of_secrets)
    done = record(pid, room / "tree")
    assert done.returncode == 0, done.stderr
    host = os.uname().nodename
    words = [SECRET, ordinary_user.name, host, "TOKEN", str(room)]
    forbidden = [word.encode() for word in words if word and len(word) > 3]
    for text in texts(room / "tree"):
        for word in forbidden:
            assert word not in text, (word, text[:300])
    for text in texts(room / "tree"):
        assert f"\t{ordinary_user.uid}\t".encode() not in text, text[:300]
    status = (room / "tree" / "proc" / str(pid) / "status").read_text(encoding="utf-8")
    assert "Uid:\t1000\t1000\t1000\t1000\n" in status, "the one user that is not root is user 1000"
    assert (room / "tree" / "proc" / str(pid) / "cmdline").read_bytes().count(b"\0") == 5, "the shape of the command line is kept"


def test_what_is_replaced_is_replaced_by_the_same_word_everywhere(cgroup_of_secrets, job, room):
    pid = job(cgroup=cgroup_of_secrets)
    assert record(pid, room / "tree").returncode == 0
    tree = room / "tree"
    path = next(line.rpartition(":")[2] for line in (tree / "proc" / str(pid) / "cgroup").read_text(encoding="utf-8").splitlines()
                if line.endswith("/group1"))
    hierarchy = Path("/sys/fs/cgroup") / cgroup_of_secrets.parent.name
    directory = tree / str(hierarchy).lstrip("/") / path.lstrip("/")
    assert str(pid) in (directory / "cgroup.procs").read_text(encoding="utf-8").split()
    stat = (tree / "proc" / str(pid) / "stat").read_text(encoding="utf-8")
    comm = (tree / "proc" / str(pid) / "comm").read_text(encoding="utf-8").strip()
    assert f"({comm})" in stat and f"Name:\t{comm}\n" in (tree / "proc" / str(pid) / "status").read_text(encoding="utf-8")


def test_an_ordinary_user_records_what_he_may_and_the_rest_is_named(job, room, ordinary_user):
    pid = job()
    done = record(pid, room / "tree", ordinary_user)
    if os.geteuid() != 0:
        pytest.skip("needs root to have a process that the user may not look into")
    assert done.returncode == 0, done.stderr
    manifest = (room / "tree" / "MANIFEST").read_text(encoding="utf-8").splitlines()
    assert f"unreadable\tproc/{pid}/io\tEACCES" in manifest
    assert f"unreadable\tproc/{pid}/smaps_rollup\tEACCES" in manifest
    assert not (room / "tree" / "proc" / str(pid) / "io").exists()
    files = {line.split("\t")[1]: int(line.split("\t")[2]) for line in manifest if line.startswith("file\t")}
    there = {str(path.relative_to(room / "tree")): path.stat().st_size for path in (room / "tree").rglob("*")
             if path.is_file() and not path.is_symlink() and path.parent.parent.name != "self"}
    there = {name: size for name, size in there.items() if not name.startswith("proc/self/") and name != "MANIFEST"}
    assert files == there, "the list is the tree"


def test_it_writes_into_an_empty_directory_only(job, room):
    pid = job()
    (room / "full").mkdir()
    (room / "full" / "mine").write_text("mine", encoding="utf-8")
    done = record(pid, room / "full")
    assert done.returncode != 0 and "not empty" in done.stderr
    assert [path.name for path in (room / "full").iterdir()] == ["mine"]
    (room / "target").mkdir()
    (room / "link").symlink_to(room / "target")
    before = set(room.rglob("*"))
    assert record(pid, room / "tree").returncode == 0
    outside = {path for path in set(room.rglob("*")) - before if room / "tree" not in (path, *path.parents)}
    assert outside == set()


def test_a_process_that_is_not_there_is_said_so(room):
    done = record(2 ** 22 + 1, room / "tree")
    assert done.returncode == 2 and "no process" in done.stderr
    assert not (room / "tree").exists()


@pytest.fixture
def scrub(monkeypatch):
    """The recorder as a module, on a host and for a user with names to hide."""
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "node17.cluster.example.org", "6.1.0", "#1", "x86_64")))
    monkeypatch.setenv("SUDO_USER", "mallory")
    loader = SourceFileLoader("record_fixture", str(RECORDER))
    module = module_from_spec(spec_from_loader("record_fixture", loader))
    loader.exec_module(module)
    return module, module.Scrubber({0})


@pytest.mark.parametrize("text, expected", [
    ("job of mallory on node17.cluster.example.org", "job of user1 on host1"),
    ("node17 and again node17", "host1 and again host1"),
    ("/home/mallory/a b", "/home/path1 b"),
    ("10.1.2.3:80 and fe80::1ff:fe23:4567:890a", "192.0.2.1:80 and 2001:db8::1"),
    ("52:54:00:12:34:56", "02:00:00:00:00:01"),
    ("0f0e0d0c-1111-2222-3333-444455556666", "00000000-0000-0000-0000-000000000001"),
    ("0123456789abcdef0123456789abcdef", "0" * 31 + "1"),
    ("rw,uid=4711,gid=4711", "rw,uid=1000,gid=1000"),
    ("anon 123456789012345\nuser_usec 17\n", "anon 123456789012345\nuser_usec 17\n"),
    ("0-63,128-191", "0-63,128-191"),
    ("8:0 rbytes=1048576 wbytes=0", "8:0 rbytes=1048576 wbytes=0"),
])
def test_text_is_scrubbed(scrub, text, expected):
    assert scrub[1].text(text) == expected


@pytest.mark.parametrize("path, expected", [
    ("/slurm/uid_4711/job_17/step_batch/task_0", "/slurm/uid_1000/job_17/step_batch/task_0"),
    ("/user.slice/user-4711.slice/user@4711.service/app.slice/app-secret.scope",
     "/user.slice/user-1000.slice/user@1000.service/app.slice/group1.scope"),
    ("/docker/" + "0123456789abcdef" * 4, "/docker/" + "0" * 63 + "1"),
    ("/system.slice/docker-" + "ab" * 32 + ".scope", "/system.slice/docker-" + "0" * 63 + "1.scope"),
    ("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234.slice", "/kubepods.slice/kubepods-burstable.slice/group1.slice"),
    ("/../secret", "/../group1"),
])
def test_the_path_of_a_cgroup_keeps_its_shape(scrub, path, expected):
    assert scrub[1].group_path(path) == expected


@pytest.mark.parametrize("line, expected", [
    ("61 26 0:50 /vol/mallory /home/mallory rw,relatime shared:9 - nfs4 nas.example.org:/vol rw,addr=10.0.0.9,sec=krb5",
     "61 26 0:50 /path1 /mnt/path2 rw,relatime shared:9 - nfs4 source1 rw"),
    ("30 21 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate",
     "30 21 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"),
    ("32 27 0:28 /docker/" + "ab" * 32 + " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
     "32 27 0:28 /docker/" + "0" * 63 + "1 /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct"),
    ("22 26 0:4 / /proc rw - proc proc rw,gid=4711,hidepid=invisible", "22 26 0:4 / /proc rw - proc proc rw,gid=1000,hidepid=invisible"),
    (r"33 27 0:29 /a\040b /sys/fs/cgroup/a\040b rw - cgroup none rw,name=odd", "33 27 0:29 /group1 /sys/fs/cgroup/group1 rw - cgroup cgroup rw"),
])
def test_a_mount_says_where_the_kernels_file_systems_are_and_no_more(scrub, line, expected):
    assert scrub[0].scrub_mount(scrub[1], line) == expected


def test_a_name_of_a_process_keeps_what_is_odd_in_it(scrub):
    assert scrub[1].name("a b) R 1\n2") == "p1 p2) p3 p4\np5"


def test_a_path_out_of_the_tree_is_refused(scrub, room):
    tree = scrub[0].Tree(str(room / "tree"))
    for path in ("../outside", "a/../../outside", "/absolute/../..", "a//b"):
        with pytest.raises(ValueError):
            tree.put(path + "/file", b"")
    (room / "elsewhere").mkdir()
    (room / "tree" / "link").symlink_to(room / "elsewhere")
    with pytest.raises(OSError):
        tree.put("link/file", b"")
    assert not list((room / "elsewhere").iterdir())
