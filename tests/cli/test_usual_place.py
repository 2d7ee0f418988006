# SPDX-License-Identifier: MIT
"""A prefix that nobody chose: never refused because its name is taken, and never where somebody else could have laid something."""
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from calling import Caller
from support import REPOSITORY, read_info, read_usage

RUNS = ".assay/runs"
FOREIGN = REPOSITORY / "tests/fixtures/foreign"
# Whose directories are neither root's nor those of the users that the tests run as.
SOMEBODY = 65534
# Lays a name for each of the coming seconds, with the process id that the program will have, and becomes it.
LAY = """
import os, sys, time
form, kind, target, *words = sys.argv[1:]
begun = time.time()
for second in range(900):
    when = time.strftime("%Y.%m.%dT%H.%M.%S", time.localtime(begun + second))
    path = form.format(when, os.getpid())
    if kind == "link":
        os.symlink(target, path)
    elif kind == "directory":
        os.mkdir(path)
    else:
        open(path, "x").close()
os.execv(words[0], words)
"""


@pytest.fixture
def call(run_assay, assay, room):
    return Caller(run_assay, assay, room / "here")


@pytest.fixture
def duct(assay, room):
    (room / "duct").symlink_to(assay)
    return room / "duct"


@pytest.fixture
def private(room, user):
    """A directory into which its owner alone can write."""
    path = room / "private"
    path.mkdir(mode=0o700)
    os.chown(path, user.uid, user.gid)
    return path


def give(user, *paths):
    for path in paths:
        os.lchown(path, user if isinstance(user, int) else user.uid, -1)


def calls(call, words, user, umask=-1, **env):
    room = call.run_assay.room
    process = call.run_assay.spawn([str(word) for word in words], "called", cwd=call.here, user=user, umask=umask,
                                   env=call.run_assay.environment(env))
    return process.wait(120), tuple((room / f"called.{end}").read_text(encoding="utf-8") for end in ("stdout", "stderr"))


def told(err):
    """How many lines tell of the place; others may tell of processes that cannot be read."""
    return sum(" is not used for the record: " in line for line in err.splitlines())


def laid(form, kind, target, *words):
    return [sys.executable, "-c", LAY, form, kind, target, *words]


def records(place):
    return {path.parent.name: read_info(f"{path.parent}/") for path in Path(place).glob("*/info.json")}


@pytest.mark.parametrize("kind", ["directory", "link", "link to nowhere", "file"])
def test_a_name_that_is_taken_gets_a_number(call, user, private, kind):
    (call.here / RUNS).mkdir(parents=True)
    give(user, call.here / ".assay", call.here / RUNS)
    target = private if kind == "link" else call.here / "nowhere"
    status, (out, err) = calls(call, laid(RUNS + "/{}-{}", kind.split()[0], target, call.program, "run", "-q", "-c", "all", "--",
                                          "sh", "-c", "echo precious; exit 7"), user)

    assert (status, out, err) == (7, "precious\n", "")
    [(name, info)] = records(call.here / RUNS).items()
    assert name.endswith("-2") and info["id"] == name and info["files"]["prefix"] == f"{RUNS}/{name}/"
    assert (call.here / RUNS / name / "stdout").read_text() == "precious\n"
    assert read_usage(f"{call.here}/{RUNS}/{name}/")[-1]["last"]
    assert not list(private.iterdir()) and not target.is_file()


def test_neither_is_a_watch_refused_and_its_targets_stay_together(call, user):
    (call.here / RUNS).mkdir(parents=True)
    give(user, call.here / ".assay", call.here / RUNS)
    status, (_, err) = calls(call, laid(RUNS + "/{}-{}", "directory", "", call.program, "attach", "-q", "--for", "10ms", f"tree:{os.getpid()}",
                                        f"pids:{os.getpid()}"), user)

    assert status == 0, err
    [(name, info)] = records(call.here / RUNS).items()
    [other] = (call.here / RUNS / name).glob("pids*-info.json")
    assert name.endswith("-2") and info["id"] == json.loads(other.read_text())["id"] == name


@pytest.mark.parametrize("end", ["info.json", "usage.jsonl", "stdout"])
@pytest.mark.parametrize("which", ["all", "system-summary"])
def test_nor_one_by_con_ducts_name(call, duct, user, end, which):
    logs = call.here / ".duct/logs"
    logs.mkdir(parents=True)
    give(user, call.here / ".duct", logs)
    status, (out, err) = calls(call, laid(".duct/logs/{}-{}_" + end, "file", "", duct, "-l", "NONE", "-t", which, "echo", "precious"), user)

    assert (status, out, err) == (0, "precious\n", "")
    [path] = logs.glob("*-2_info.json")
    prefix = str(path).removesuffix("info.json")
    assert Path(f"{prefix}stdout").read_text() == "precious\n"
    assert Path(f"{prefix}usage.jsonl").exists() == (which == "all")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make namespaces of process ids")
@pytest.mark.parametrize("words, infos", [(["assay", "run", "-q", "--"], f"{RUNS}/*/info.json"), (["duct", "-l", "NONE"], ".duct/logs/*_info.json"),
                                          (["duct", "-l", "NONE", "-t", "system-summary", "-c", "none"], ".duct/logs/*_info.json")])
def test_runs_of_one_second_and_one_process_id_do_not_keep_each_other_from_running(call, assay, duct, words, infos):
    unshare = ["unshare", "-pf", "--mount-proc"]
    if subprocess.run([*unshare, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("needs leave to make namespaces")
    program = assay if words[0] == "assay" else duct
    started = [call.run_assay.spawn([*unshare, str(program), *words[1:], "sh", "-c", f"echo ran > ran{i}"], f"run{i}", cwd=call.here)
               for i in range(6)]

    assert [process.wait(60) for process in started] == [0] * 6
    assert len(list(call.here.glob("ran*"))) == 6
    found = [json.loads(path.read_text()) for path in call.here.glob(infos)]
    assert sorted(info["command"]["argv"][-1] for info in found) == [f"echo ran > ran{i}" for i in range(6)]
    assert len({info["id"] for info in found}) == 6


@pytest.mark.parametrize("chosen", ["option", "variable"])
def test_a_prefix_that_was_chosen_is_refused_when_its_files_are_there(call, user, chosen):
    (call.here / "mine_info.json").write_text("old")
    words, env = (["-p", "mine_"], {}) if chosen == "option" else ([], {"ASSAY_OUTPUT_PREFIX": "mine_"})
    called = call("run", *words, "touch", "ran", user=user, env=env)

    assert called.status == 2 and "mine_info.json exists" in called.err
    assert not (call.here / "ran").exists()


def test_a_record_that_nobody_named_is_not_replaced(call, user):
    (call.here / RUNS).mkdir(parents=True)
    give(user, call.here / ".assay", call.here / RUNS)
    calls(call, laid(RUNS + "/{}-{}", "directory", "", call.program, "run", "-q", "--clobber", "true"), user)

    [name] = records(call.here / RUNS)
    assert name.endswith("-2")


def foreign(call, kind):
    """Laid by somebody else, or where everybody can lay something."""
    top, runs = call.here / ".assay", call.here / RUNS
    elsewhere = call.here / "elsewhere"
    (elsewhere / "runs").mkdir(parents=True)
    if kind == "link":
        top.symlink_to(elsewhere)
        give(SOMEBODY, top)
    elif kind == "link to runs":
        top.mkdir()
        runs.symlink_to(elsewhere / "runs")
        give(SOMEBODY, runs)
    elif kind == "file":
        top.write_text("")
        give(SOMEBODY, top)
    else:
        runs.mkdir(parents=True)
        if kind == "open":
            runs.chmod(0o777)
        else:
            give(SOMEBODY, top if kind == "directory" else runs)


NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make files of others")
KINDS = ["directory", "runs", "link", "link to runs", "file", "open"]


@NEEDS_ROOT
@pytest.mark.parametrize("kind", KINDS)
def test_what_somebody_else_could_have_made_is_not_used(call, user, private, kind):
    foreign(call, kind)
    before = sorted(path.name for path in call.here.rglob("*"))
    state = private / "state"
    status, (out, err) = calls(call, [call.program, "run", "-l", "warning", "-c", "all", "--target", f"pids:{os.getpid()}", "--",
                                      "sh", "-c", "echo precious; exit 7"], user, XDG_STATE_HOME=str(state))

    assert (status, out) == (7, "precious\n")
    [(name, info)] = records(state / "assay/runs").items()
    place = state / "assay/runs" / name
    assert told(err) == 1 and ".assay/runs/ is not used for the record" in err and str(place) in err
    assert ("everybody may write" in err) == (kind == "open")
    assert (place / "stdout").read_text() == "precious\n" and info["files"]["prefix"] == f"{place}/"
    assert len(list(place.glob("*-info.json"))) == 1, "what is recorded beside it"
    assert sorted(path.name for path in call.here.rglob("*")) == before


@NEEDS_ROOT
def test_what_somebody_else_laid_takes_no_output_of_the_job(call, user, private):
    runs = call.here / RUNS
    runs.mkdir(parents=True)
    # So that the process which begins can lay them itself, with the process id that the program will have.
    runs.chmod(0o777)
    give(SOMEBODY, call.here / ".assay", runs)
    victim = private / "victim"
    victim.mkdir()
    give(user, victim)
    status, (_, err) = calls(call, laid(RUNS + "/{}-{}", "link", victim, call.program, "run", "-q", "-c", "all", "--", "echo", "secret"), user)

    assert (status, err) == (0, "")
    assert not list(victim.iterdir())
    assert len(records(call.run_assay.room / ".local/state/assay/runs")) == 1


@NEEDS_ROOT
def test_a_watch_is_not_written_there_either(call, user):
    foreign(call, "directory")
    status, (_, err) = calls(call, [call.program, "attach", "-l", "warning", "--for", "10ms", f"tree:{os.getpid()}", f"pids:{os.getpid()}"], user)

    assert status == 0 and told(err) == 1
    [name] = records(call.run_assay.room / ".local/state/assay/runs")
    assert len(list((call.run_assay.room / ".local/state/assay/runs" / name).glob("*info.json"))) == 2


@NEEDS_ROOT
def test_nor_what_con_ducts_name_writes(call, duct, user):
    (call.here / ".duct/logs").mkdir(parents=True)
    give(SOMEBODY, call.here / ".duct")
    status, (_, err) = calls(call, [duct, "-l", "WARNING", "true"], user)

    assert status == 0 and err.count("\n") == 1 and ".duct/logs/ is not used" in err
    assert len(list((call.run_assay.room / ".local/state/assay/runs").glob("*_info.json"))) == 1
    assert not list((call.here / ".duct/logs").iterdir())


@NEEDS_ROOT
@pytest.mark.parametrize("home", ["", "HERE/foreign"])
def test_where_no_place_is_safe_the_command_runs_unrecorded_and_why_is_said(call, user, home):
    foreign(call, "directory")
    (call.here / "foreign").mkdir()
    give(SOMEBODY, call.here / "foreign")
    status, (out, err) = calls(call, [call.program, "run", "-l", "warning", "--", "sh", "-c", "echo here; exit 7"], user, HOME=call.fill(home))

    assert (status, out) == (7, "here\n")
    assert err.count("\n") == 1 and "nothing will be recorded: .assay/runs/ is not used: '.assay' belongs to somebody else" in err
    assert not list((call.here / "foreign").iterdir())


@pytest.mark.parametrize("target", ["real", "HERE/real"])
def test_a_link_of_ones_own_is_followed(call, user, target):
    (call.here / "real").mkdir()
    # The way to an absolute path is looked at as well.
    call.here.chmod(0o1777)
    (call.here / ".assay").symlink_to(call.fill(target))
    give(user, call.here / "real", call.here / ".assay")
    status, (_, err) = calls(call, [call.program, "run", "-l", "warning", "--", "true"], user)

    assert (status, err) == (0, "")
    assert len(records(call.here / "real/runs")) == 1


@NEEDS_ROOT
def test_but_not_through_what_is_somebody_elses(call, user):
    (call.here / "his/real").mkdir(parents=True)
    (call.here / ".assay").symlink_to("his/real")
    give(user, call.here / "his/real", call.here / ".assay")
    give(SOMEBODY, call.here / "his")
    status, (_, err) = calls(call, [call.program, "run", "-l", "warning", "--", "true"], user)

    assert status == 0 and "'his' belongs to somebody else" in err
    assert not list((call.here / "his/real").iterdir())


def test_a_loop_of_links_costs_the_record_alone(call, user):
    (call.here / ".assay").symlink_to(".assay")
    give(user, call.here / ".assay")
    status, (out, err) = calls(call, [call.program, "run", "-l", "warning", "--", "echo", "here"], user)

    assert (status, out) == (0, "here\n")
    assert re.search(r"^assay: nothing will be recorded: cannot follow the link .assay: ", err, re.M)


def test_what_is_made_without_a_umask_can_be_used_again(call, user):
    for _ in range(2):
        status, (_, err) = calls(call, [call.program, "run", "-l", "warning", "--", "true"], user, umask=0)
        assert (status, err) == (0, "")

    names = list(records(call.here / RUNS))
    assert len(names) == 2
    for path in (".assay", RUNS, f"{RUNS}/{names[0]}"):
        assert not stat.S_IMODE((call.here / path).stat().st_mode) & 0o002, path


def test_a_command_that_cannot_be_started_leaves_nothing(call, user):
    called = call("run", "-q", "no-such-command", user=user)

    assert called.status == 127
    assert not list(call.here.iterdir())


@NEEDS_ROOT
def test_nothing_is_imported_to_where_somebody_else_could_have_laid_something(call, user):
    foreign(call, "directory")
    words = [call.program, "import", FOREIGN / "prmon/prmon.txt"]
    status, (out, err) = calls(call, words, user)

    assert (status, out) == (1, "")
    assert err.endswith("'.assay' belongs to somebody else: take another prefix\n")
    assert not list((call.here / RUNS).iterdir())
    assert calls(call, [*words, "-p", "mine_"], user)[0] == 0
    assert read_info(f"{call.here}/mine_")["imported"]["format"] == "prmon"
