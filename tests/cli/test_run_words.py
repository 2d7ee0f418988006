# SPDX-License-Identifier: MIT
"""Which run a word means: ids, their ends, names, @last; what several runs answer to is told."""
import json

import pytest

from calling import Caller
from support import read_info


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


def record(call, *options, command=("true",)):
    """A run in the usual place: its id."""
    before = runs(call)
    called = call("run", "-q", *options, "--", *command)
    assert (called.status, called.err) == (0, "")
    [new] = runs(call) - before
    return new


def runs(call):
    place = call.here / ".assay" / "runs"
    return {path.name for path in place.iterdir()} if place.exists() else set()


def place(call, name):
    return call.here / ".assay" / "runs" / name


def rewrite(call, name, to, **members):
    """The record of a run once more, with other members."""
    info = read_info(f"{place(call, name)}/")
    info.update(members)
    place(call, to).mkdir(exist_ok=True)
    (place(call, to) / "info.json").write_text(json.dumps(info))


def meant(call, word, err="", status=0):
    """The file of the run that the word stands for."""
    called = call("ls", "-f", "jsonl", "-F", "file", word)
    assert (called.status, called.err) == (status, err)
    return json.loads(called.out)["file"].removeprefix(".assay/runs/") if called.out else None


def test_a_run_with_targets_is_its_job_by_its_id_and_as_the_last(call):
    first = record(call)
    second = record(call, "--target", "user", command=("sleep", "0.1"))
    files = [path.name for path in place(call, second).glob("*info.json")]
    assert len(files) == 2 and "info.json" in files

    for word in ("@last", second, second.rpartition("-")[2]):
        assert meant(call, word) == f"{second}/info.json"
        shown = call("show", word)
        assert shown.status == 0 and "sleep 0.1" in shown.out.splitlines()[0]
    assert meant(call, "@last-1") == f"{first}/info.json"
    assert "there are not that many runs" in call("show", "@last-2").err
    for words in (("--last",), ("--last", "--no-index"), ("-n", "1")):
        called = call("ls", *words, "-f", "jsonl", "-F", "file")
        assert json.loads(called.out)["file"] == f".assay/runs/{second}/info.json"


def test_a_name_that_several_runs_have_is_told_and_the_last_is_taken(call):
    record(call, "--name", "bench")
    last = record(call, "--name", "bench")
    other = record(call, "--name", "other")

    told = "assay: 2 runs are called bench: this is the one that began last\n"
    assert meant(call, "bench", err=told) == f"{last}/info.json"
    assert call("show", "bench").err == told
    assert meant(call, "other") == f"{other}/info.json"


def test_a_verb_that_is_to_be_quiet_takes_the_last_of_a_name_without_a_word(call):
    for _ in range(3):
        record(call, "--name", "bench")  # fails if anything is said

    for words in (("ls", "-q", "bench"), ("ls", "-l", "ERROR", "bench"), ("export", "-q", "-t", "json", "bench")):
        called = call(*words)
        assert (called.status, called.err) == (0, ""), words
        assert called.out
    assert call("ls", "-l", "WARNING", "bench").err == "assay: 3 runs are called bench: this is the one that began last\n"


def test_the_last_of_a_name_is_the_one_that_began_last_whichever_was_written_last(call):
    first = record(call, "--name", "bench")
    last = record(call, "--name", "bench")
    rewrite(call, first, first)

    assert meant(call, "bench", err="assay: 2 runs are called bench: this is the one that began last\n") == f"{last}/info.json"


def test_an_id_that_several_runs_have_is_told(call):
    first = record(call)
    time = read_info(f"{place(call, first)}/")["time"]
    rewrite(call, first, "copy", time=time | {"started": "2038-01-01T00:00:00Z"})

    called = call("show", first)
    assert called.err == f"assay: 2 runs have the id {first}: this is the one that began last\n"
    assert "2038-01-01" in called.out


def test_the_end_of_an_id_is_enough_where_one_run_has_it(call):
    one = record(call)
    rewrite(call, one, "a", id="2026.11.28T10.00.00-777", time={"started": "2026-11-28T10:00:00Z"})
    rewrite(call, one, "b", id="2026.11.28T10.00.01-4777", time={"started": "2026-11-28T10:00:01Z"})
    rewrite(call, one, "c", id="2026.11.28T10.00.02-4777", time={"started": "2026-11-28T10:00:02Z"})

    assert meant(call, "777") == "a/info.json"
    assert meant(call, "...00-777") == "a/info.json"
    assert meant(call, "01-4777") == "b/info.json"
    assert meant(call, "4777", status=1, err=(
        "assay: 4777: the ids of 2 runs end so: 2026.11.28T10.00.02-4777, 2026.11.28T10.00.01-4777\n")) is None
    for word in ("77", "7", "...", "00-77"):
        assert meant(call, word, status=1, err=(
            f"assay: {word}: there is no such file, directory, prefix, id or name of a run\n")) is None


def test_a_name_goes_before_the_end_of_an_id_and_may_hold_any_character(call):
    one = record(call)
    number = one.rpartition("-")[2]
    named = record(call, "--name", number)
    strange = record(call, "--name", "é \"q\" \\ x")

    assert meant(call, number) == f"{named}/info.json"
    assert meant(call, "é \"q\" \\ x") == f"{strange}/info.json"
