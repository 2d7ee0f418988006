# SPDX-License-Identifier: MIT
"""The index of ls is a cache and nothing more: with it and without, and whatever becomes of it, the same runs are listed."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from calling import Caller
from support import has_a_sanitizer, read_info, wait_for

MANY = 130  # runs for which an index is made
TREES = 9  # made at once
LATELY_SECONDS = 2.2  # a directory that changed so lately is read again in any case

QUERIES = [
    ("--last",), ("-n", "7", "-r"), ("-s", "memory_peak_bytes,prefix", "-r"), ("-w", "memory_peak_bytes > 100B and exit_code = 0"),
    ("-F", "prefix,file,series_file,logs_bytes,peak_rss,memory_peak_bytes.quality,memory_peak_bytes.lower,host,affinity,tags.n,schema"),
    ("-w", "tags.n >= 120 or not tags.n", "-s", "tags.n"), ("-w", "prefix like '*/r1*' and logs_bytes > 1K"),
    ("-s", "host.cpu_model,memory_peak_bytes.why,file", "-F", "command,host.hostname"), ("-w", "measurements ~ tree_cpu", "-n", "2"),
]


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def make(here, name, template, value):
    """A run like another, with a value of its own; tag n is that, too."""
    info = json.loads(template)
    info["headline"]["memory_peak_bytes"]["value"] = value
    info["tags"] = {"n": str(value)}
    directory = here / "runs" / name
    directory.mkdir(parents=True)
    (directory / "info.json").write_text(json.dumps(info))
    (directory / "usage.jsonl").write_text("{}\n" * value)


@pytest.fixture(scope="module")
def shelf():
    """Trees of the age that they need, made several at a time: they wait together."""
    path = Path(tempfile.mkdtemp(prefix="assay-test-", dir=os.environ.get("ASSAY_TEST_DIRECTORY", "/var/tmp")))
    yield path
    shutil.rmtree(path)


def stock(call, shelf):
    assert call("run", "-q", "-p", "template/", "--", "true").status == 0
    info = json.loads((call.here / "template" / "info.json").read_text())
    info["measurements"] = info["measurements"][:3]  # most of the bytes
    (shelf / "template").write_text(json.dumps(info))
    for number in range(TREES):
        here = shelf / f"tree{number}"
        here.mkdir()
        here.chmod(0o777)
        for i in range(MANY):
            make(here, f"r{i}" if i % 10 else f"deep/er/r{i}", json.dumps(info), i)
    age(shelf)


@pytest.fixture
def tree(call, shelf):
    """Many runs, some of them deeper, none of which changed lately: a directory that is moved changes, those in it do not."""
    if not list(shelf.glob("tree*")):
        stock(call, shelf)
    shutil.rmtree(call.here)
    next(shelf.glob("tree*")).rename(call.here)
    call.template = (shelf / "template").read_text()
    return call


def age(here):
    """Waits until no directory changed so lately that it is read in any case."""
    newest = max(path.stat().st_ctime for path in here.rglob("*") if path.is_dir() and "home" not in path.parts)
    wait_for(lambda: time.time() > newest + LATELY_SECONDS, "the directories to be of an age")


def ls(call, *words, **more):
    called = call("ls", "-f", "jsonl", *words, **more)
    return called.status, called.out, called.err


def values(call, *words, **more):
    status, out, err = ls(call, "runs", "-F", "memory_peak_bytes", "-s", "memory_peak_bytes", *words, **more)
    assert (status, err) == (0, "")
    return [json.loads(line)["memory_peak_bytes"] for line in out.splitlines()]


def indexes(call):
    return sorted((call.here / "home" / ".cache" / "assay" / "index").glob("*.sqlite3"))


def check_same(call):
    for number, words in enumerate(QUERIES):
        for path in ("runs", ("runs/deep/", "./runs/deep/../deep")[number % 2]):
            assert ls(call, path, *words) == ls(call, path, *words, "--no-index"), (path, words)


def write_in_place(call, name, value):
    """As no writer of ours does: the directory's times stay."""
    path = call.here / "runs" / name / "info.json"
    info = json.loads(path.read_text())
    info["headline"]["memory_peak_bytes"]["value"] = value
    with open(path, "r+", encoding="utf-8") as file:
        file.write(json.dumps(info))
        file.truncate()


def test_the_same_is_listed_with_it_and_without(tree):
    check_same(tree)
    assert len(indexes(tree)) == 1, "one of the tree, none of its few deeper runs"
    check_same(tree)


def test_it_is_used_and_what_it_cannot_see_is_only_a_change_in_place_of_what_is_not_shown(tree):
    assert values(tree) == list(range(MANY))
    write_in_place(tree, "r5", 10000)

    assert values(tree, "-w", "memory_peak_bytes > 128") == [129], "r5 is looked for in the index"
    assert values(tree, "-w", "memory_peak_bytes > 128", "--no-index") == [129, 10000]
    assert values(tree, "-w", "memory_peak_bytes = 5") == [], "what is shown is looked at once more"
    assert values(tree, "-w", "memory_peak_bytes > 128") == [129, 10000], "and known from then on"
    check_same(tree)


def test_of_many_that_changed_in_place_each_is_read_and_no_more(tree, strace):
    values(tree)
    for i in range(20, 30):
        write_in_place(tree, f"r{i}" if i % 10 else f"deep/er/r{i}", i)
    words = [strace, "-f", "-qq", "-e", "trace=openat", "-o", str(tree.here / "trace"), str(tree.program), "ls", "runs", "-f", "jsonl",
             "-w", "memory_peak_bytes >= 15 and memory_peak_bytes < 35"]

    # LeakSanitizer does not work under strace.
    done = subprocess.run(words, cwd=tree.here, env=tree.run_assay.environment({"HOME": str(tree.here / "home"), "ASAN_OPTIONS": "detect_leaks=0"}),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)

    assert (len(done.stdout.splitlines()), done.stderr) == (20, b"")
    opened = [line for line in (tree.here / "trace").read_text().splitlines() if 'info.json"' in line]
    assert 10 <= len(opened) < MANY // 2, "not every file of the tree is read"


def test_few_runs_have_none_unless_it_is_asked_for(call):
    assert call("run", "-q", "-p", "runs/a/", "--", "true").status == 0

    assert len(values(call)) == 1
    assert indexes(call) == []
    assert len(values(call, "--rebuild-index")) == 1
    assert len(indexes(call)) == 1


def test_it_lies_in_the_cache_directory_for_its_user_alone(tree):
    values(tree, env={"XDG_CACHE_HOME": "HERE/elsewhere"})

    assert indexes(tree) == []
    [path] = (tree.here / "elsewhere" / "assay" / "index").iterdir()
    assert path.suffix == ".sqlite3"
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert not [p for p in (tree.here / "runs").rglob("*") if "sqlite" in p.name]


@pytest.mark.parametrize("aged", [True, False], ids=["aged", "at-once"])
def test_every_change_is_seen(tree, aged):
    expected = list(range(MANY))

    def check():
        if aged:
            age(tree.here)
        for _ in range(2):
            assert values(tree) == sorted(expected)
        assert values(tree, "--last") == values(tree, "--last", "--no-index")

    check()
    make(tree.here, "new", tree.template, 500)
    make(tree.here, "deep/er/still/new", tree.template, 501)
    expected += [500, 501]
    check()
    shutil.rmtree(tree.here / "runs" / "r7")
    (tree.here / "runs" / "r8" / "info.json").unlink()
    expected.remove(7)
    expected.remove(8)
    check()
    info = json.loads(tree.template)
    info["headline"]["memory_peak_bytes"]["value"] = 502
    tree.write("runs/r9/other", json.dumps(info)).rename(tree.here / "runs" / "r9" / "info.json")
    expected[expected.index(9)] = 502
    (tree.here / "runs" / "r11").rename(tree.here / "runs" / "deep" / "moved")
    check()
    (tree.here / "runs" / "deep" / "er").rename(tree.here / "gone")
    deeper = [*range(0, MANY, 10), 501]
    expected = [n for n in expected if n not in deeper]
    check()
    (tree.here / "gone").rename(tree.here / "runs" / "r9" / "back")
    expected += deeper
    check()
    shutil.copytree(tree.here / "runs" / "r1", tree.here / "copy")
    shutil.rmtree(tree.here / "runs" / "r12")
    (tree.here / "copy").rename(tree.here / "runs" / "r12")
    expected[expected.index(12)] = 1
    check()


def test_a_record_that_is_replaced_or_continued_is_seen(tree):
    values(tree)
    assert tree("run", "-q", "--clobber", "-p", "runs/r1/", "--", "sh", "-c", "exit 3").status == 3
    age(tree.here)
    assert ls(tree, "runs", "-F", "exit_code", "-w", "prefix = runs/r1/")[1] == '{"exit_code": 3}\n'
    assert tree("run", "-q", "--clobber", "-p", "runs/r1/", "--", "sh", "-c", "exit 4").status == 4
    assert ls(tree, "runs", "-F", "prefix", "-w", "exit_code = 4")[1] == '{"prefix": "runs/r1/"}\n'
    assert ls(tree, "runs", "-F", "prefix", "--last")[1] == '{"prefix": "runs/r1/"}\n'
    check_same(tree)


def test_what_runs_or_was_lost_is_always_read(tree, run_assay, room):
    values(tree)
    started = run_assay.start(["sleep", "1000"], prefix=f"{room}/here/runs/live/")
    job = started.running_info()["monitor"]["job_pid"]

    def states():
        return [json.loads(line)["state"] for line in ls(tree, "runs", "-F", "state", "-w", "prefix like '*live/'")[1].splitlines()]

    try:
        age(tree.here)
        assert [states(), states()] == [["running"]] * 2
    finally:
        os.kill(started.process.pid, signal.SIGKILL)
        started.process.wait()
    os.kill(job, signal.SIGKILL)
    wait_for(lambda: states() == ["lost"], "the run to be lost")
    assert ls(tree, "runs", "-F", "prefix", "-w", "state = lost")[1] == '{"prefix": "runs/live/"}\n'


def test_what_cannot_be_read_is_told_every_time(tree):
    tree.write("runs/torn/info.json", tree.template[:500])
    tree.write("runs/empty/info.json", "")
    age(tree.here)
    lines = {"assay: runs/torn/info.json: it ends in the middle (line 1)", "assay: runs/empty/info.json: it is empty"}

    for _ in range(3):
        called = tree("ls", "runs", "-f", "jsonl")
        assert (called.status, len(called.out.splitlines())) == (1, MANY)
        assert {line.split(" (line")[0] for line in called.err.splitlines()} == {line.split(" (line")[0] for line in lines}
    tree.write("runs/torn/info.json", tree.template)
    assert len(ls(tree, "runs")[1].splitlines()) == MANY + 1


def test_a_link_to_an_info_file_is_followed_every_time(tree):
    tree.write("outside.json", tree.template)
    (tree.here / "runs" / "linked").mkdir()
    (tree.here / "runs" / "linked" / "info.json").symlink_to(tree.here / "outside.json")
    age(tree.here)
    assert len(values(tree)) == MANY + 1
    info = json.loads(tree.template)
    info["headline"]["memory_peak_bytes"]["value"] = 700
    tree.write("outside.json", json.dumps(info))

    assert values(tree, "-w", "memory_peak_bytes > 600") == [700]


def scribble(path, how):
    size = path.stat().st_size
    if how == "garbage":
        path.write_bytes(b"garbage" * 1000)
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "truncated":
        os.truncate(path, size // 2)
    elif how == "zeros":
        with open(path, "r+b") as file:
            file.seek(4096)
            file.write(b"\0" * (size - 4096))
    elif how == "pieces":
        with open(path, "r+b") as file:
            for at in range(3000, size, 9000):
                file.seek(at)
                file.write(b"\xff" * 50)
    elif how == "of another program":
        path.unlink()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE runs (a)")
        other.close()
    elif how == "of another version":
        with sqlite3.connect(path) as ours:
            ours.execute("UPDATE meta SET value = '0.0.0' WHERE key = 'program'")
        ours.close()


@pytest.mark.parametrize("how", ["garbage", "empty", "truncated", "zeros", "pieces", "of another program", "of another version"])
def test_a_damaged_index_is_made_anew_and_not_a_word_is_said(tree, how):
    values(tree)
    [path] = indexes(tree)
    scribble(path, how)

    # The first list finds the damage, whatever it asks for; the others find what was made anew.
    for words in QUERIES[3:]:
        assert ls(tree, "runs", *words) == ls(tree, "runs", *words, "--no-index"), words
    with sqlite3.connect(path) as index:
        assert index.execute("SELECT count(*) FROM runs").fetchone() == (MANY,)
        assert index.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    index.close()


def test_a_cache_that_cannot_be_written_is_no_failure(tree, ordinary_user):
    tree.write("file", "no directory")
    for path in (tree.here, *tree.here.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)

    for cache in ("/proc/nowhere", "HERE/file", "HERE"):
        user = ordinary_user if cache == "HERE" else None
        assert values(tree, env={"XDG_CACHE_HOME": cache}, user=user) == list(range(MANY))
    assert values(tree, env={"HOME": ""}) == list(range(MANY))


def test_an_index_that_can_be_read_alone_is_used_and_stays_right(tree, ordinary_user):
    values(tree)
    for path in (tree.here, *tree.here.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    make(tree.here, "new", tree.template, 600)

    for _ in range(2):
        assert values(tree, user=ordinary_user) == [*range(MANY), 600]
    write_in_place(tree, "r5", 10000)
    assert values(tree, "-w", "memory_peak_bytes = 5", user=ordinary_user) == []


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_locked_index_is_no_failure(tree, lock):
    values(tree)
    make(tree.here, "new", tree.template, 600)
    index = sqlite3.connect(indexes(tree)[0], isolation_level=None)
    index.execute(f"BEGIN {lock}")
    try:
        assert values(tree) == [*range(MANY), 600]
    finally:
        index.close()
    assert values(tree) == [*range(MANY), 600]


def test_no_index_leaves_it_alone_and_rebuild_makes_it_anew(tree):
    values(tree, "--no-index")
    assert indexes(tree) == []
    values(tree)
    [path] = indexes(tree)
    before = path.read_bytes()
    make(tree.here, "new", tree.template, 600)
    values(tree, "--no-index")
    assert path.read_bytes() == before
    write_in_place(tree, "r5", 10000)
    assert values(tree, "--rebuild-index")[-1] == 10000


def test_an_index_that_nothing_changed_for_is_not_written(tree):
    values(tree)
    [path] = indexes(tree)
    before = (path.stat().st_mtime_ns, path.stat().st_ino)

    values(tree)

    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before
    assert not path.with_name(path.name + "-journal").exists()


def start_ls(call, run_assay, name):
    with open(call.here / f"{name}.out", "wb") as out, open(call.here / f"{name}.err", "wb") as err:
        return subprocess.Popen([str(call.program), "ls", "runs", "-f", "jsonl", "-F", "prefix"], stdin=subprocess.DEVNULL, stdout=out,
                                stderr=err, cwd=call.here, env=run_assay.environment({"HOME": f"{call.here}/home"}))


def test_several_at_once_agree_while_it_is_made_and_afterwards(tree, run_assay):
    expected = ls(tree, "runs", "-F", "prefix", "--no-index")[1].encode()
    for turn in range(2):
        processes = [start_ls(tree, run_assay, f"at-once{i}") for i in range(8)]
        assert [process.wait(60) for process in processes] == [0] * 8
        for i in range(8):
            assert (tree.here / f"at-once{i}.err").read_bytes() == b"", turn
            assert (tree.here / f"at-once{i}.out").read_bytes() == expected, turn


def test_many_runs_at_once_and_lists_of_them_lose_nothing(tree, run_assay, assay, room):
    # The recorder with a sanitizer is so slow that a hundred of them say no more than ten, in minutes.
    count = 10 if has_a_sanitizer(assay) else 100
    before = {json.loads(line)["prefix"] for line in ls(tree, "runs", "-F", "prefix")[1].splitlines()}
    started = [run_assay.start(["sh", "-c", f"exit {i % 7}"], prefix=f"{room}/here/runs/{'flat-' if i % 2 else f'own{i}/'}{i}-")
               for i in range(count)]

    while any(one.process.poll() is None for one in started):
        there = {f"runs/{one.prefix.partition('/runs/')[2]}" for one in started if read_info(one.prefix)}
        status, out, err = ls(tree, "runs", "-F", "prefix,state")
        found = [json.loads(line) for line in out.splitlines()]
        assert (status, err) == (0, "")
        assert before | there <= {one["prefix"] for one in found}
        assert "lost" not in {one["state"] for one in found}
    assert [one.wait(60) for one in started] == [i % 7 for i in range(count)]

    for words in ((), ("--no-index",)):
        found = [json.loads(line) for line in ls(tree, "runs", "-F", "prefix,state,exit_code", "-w", "not tags.n", *words)[1].splitlines()]
        assert len(found) == count
        assert {one["state"] for one in found} == {"done"}
        assert sorted(one["exit_code"] for one in found) == sorted(i % 7 for i in range(count))
    check_same(tree)


def test_what_was_kept_of_a_run_that_changed_since_is_neither_listed_nor_counted(tree):
    values(tree)
    for there, name in ((MANY - 1, "r7"), (MANY - 2, "r8"), (MANY - 12, "deep")):
        shutil.rmtree(tree.here / "runs" / name)  # each before a list that does not know it yet
        if name == "deep":
            make(tree.here, "new", tree.template, 600)
        assert tree("ls", "runs", "-w", "memory_peak_bytes > 1000").err == f"assay: none of the {there - (name == 'deep') * 2} runs here matches\n"
    info = json.loads(tree.template)
    info["headline"]["memory_peak_bytes"]["value"] = 700
    tree.write("runs/r9/other", json.dumps(info)).rename(tree.here / "runs" / "r9" / "info.json")

    assert values(tree, "-w", "memory_peak_bytes < 10 or memory_peak_bytes >= 600") == [1, 2, 3, 4, 5, 6, 600, 700]


def test_a_tree_that_changed_takes_nothing_from_the_rows_of_those_before_it(tree):
    shutil.copytree(tree.here / "runs", tree.here / "more")
    for name in ("runs", "more"):
        for path in (tree.here / name).rglob("info.json"):
            info = json.loads(path.read_text())
            n = int(info["tags"]["n"]) * 2 + (name == "more")
            info["time"]["started"] = f"2020-01-01T00:{n // 60:02}:{n % 60:02}.000000Z"
            tree.write(path.parent / "other", json.dumps(info)).rename(path)
    age(tree.here)
    words = ("ls", "runs", "more", "-f", "jsonl", "-n", "6", "-F", "prefix")
    tree(*words)
    assert len(indexes(tree)) == 2
    shutil.rmtree(tree.here / "more" / "r129")

    found = tree(*words).out

    assert found == "".join(f'{{"prefix": "{at}/"}}\n' for at in ("more/r126", "runs/r127", "more/r127", "runs/r128", "more/r128", "runs/r129"))
