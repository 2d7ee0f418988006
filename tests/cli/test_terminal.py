# SPDX-License-Identifier: MIT
"""Job control: the same keys typed to a real bash, with and without assay before the command, show the same to the last byte.

Every prompt holds the exit status of what ran before it. Only the process ids that the shell names for its jobs are replaced, and the
summary is cut out of the transcript where one is printed.
"""
import re
import shutil

import pytest

from terminal import WAITING, in_a_terminal, is_stopped, processes_of, transcript, words_of

scripts = {}


def script(function):
    scripts[function.__name__] = function
    return function


# Keyboard signals

@script
def ctrl_c(t):
    t.start(f"$W {WAITING}")
    t.key("Ctrl-C")
    t.prompt()


@script
def ctrl_backslash(t):
    t.start(f"$W {WAITING}")
    t.key("Ctrl-\\")
    t.prompt()


@script
def ctrl_c_three_times(t):
    t.start("$W $J stubborn")
    t.key("Ctrl-C")
    t.expect("ignored\r\n")
    t.key("Ctrl-C")
    t.expect("once more and it ends\r\n")
    t.key("Ctrl-C")
    t.prompt()


@script
def ctrl_c_caught(t):
    t.start("$W $J caught")
    t.key("Ctrl-C")
    t.prompt()


@script
def keys_while_it_starts(t):
    def begins(line):
        """No later than as the program replaces the shell that was forked for it; before, bash itself loses keys."""
        t.enter(line)
        t.until(lambda: words_of(t.foreground())[0] not in ("bash", ""), "the program to begin")

    for key in ("Ctrl-C", "Ctrl-\\", "Ctrl-Z"):
        begins("$W sleep 100")
        t.key(key)
        t.prompt()
    t.enter("fg")
    t.in_foreground()
    t.key("Ctrl-C")
    t.prompt()


@script
def every_key_comes_once_from_the_kernel(t):
    t.start("$W $J signals INT,QUIT,TSTP,TERM 6")
    for key, name in (("Ctrl-C", "INT"), ("Ctrl-C", "INT"), ("Ctrl-\\", "QUIT"), ("Ctrl-Z", "TSTP"), ("Ctrl-C", "INT"),
                      ("Ctrl-\\", "QUIT")):
        t.key(key)
        t.expect(f"SIG{name} from the kernel\r\n")
    t.prompt()


@script
def signals_to_the_job_of_the_shell_come_once(t):
    t.run("$W $J signals INT,USR1,TERM,HUP 9 out &")
    for n, name in enumerate(("INT", "USR1", "TERM", "HUP"), 1):
        t.run(f"lines out {n}; kill -{name} %1; lines out {n + 1}")
    t.run("cat out; kill -KILL %1; gone; wait $!")


@script
def signals_to_the_child_of_the_shell_alone_come_once(t):
    t.run("$W $J plain INT,USR1,QUIT,TERM,HUP,USR2 9 out &")
    for n, name in enumerate(("INT", "USR1", "QUIT", "TERM", "HUP", "USR2"), 1):
        t.run(f"lines out {n}; kill -{name} $!; lines out {n + 1}")
    t.run("cat out; kill -KILL %1; gone; wait $!")


@script
def ended_by_a_signal_to_the_child_of_the_shell(t):
    for name in ("INT", "TERM", "HUP", "USR1", "QUIT"):
        t.run(f"$W sh -c 'echo >{name}; exec sleep 100' &")
        t.run(f"lines {name} 1; kill -{name} $!; gone; wait $!")


# Stop and go on

@script
def stop_and_foreground(t):
    t.start(f"$W {WAITING}")
    t.key("Ctrl-Z")
    t.prompt()
    t.run("jobs -l")
    t.enter("fg")
    t.in_foreground()
    t.key("Ctrl-Z")
    t.prompt()
    t.run("jobs")
    t.enter("fg")
    t.in_foreground()
    t.key("Ctrl-C")
    t.prompt()
    t.run("jobs")


@script
def stop_and_background(t):
    t.start(f"$W {WAITING}")
    t.key("Ctrl-Z")
    t.prompt()
    t.run("bg")
    t.until(lambda: not any(map(is_stopped, t.jobs())), "the job to run")
    t.run("jobs -r")
    t.enter("fg")
    t.in_foreground()
    t.key("Ctrl-Z")
    t.prompt()
    t.run("kill %1; gone; wait %1")


@script
def stop_between_lines_of_input(t):
    t.start("$W cat", "")
    t.in_foreground()
    for line in ("one", "two"):
        t.enter(line)
        t.expect(f"{line}\r\n")
        t.key("Ctrl-Z")
        t.prompt()
        t.enter("fg")
        t.in_foreground()
    t.key("Ctrl-D")
    t.prompt()


def cleans_up_and_stops_itself(t, by):
    t.start(f"$W $J suspend {by}")
    t.key("Ctrl-Z")
    t.expect("cleaning\r\n")
    t.prompt()
    t.run("jobs -l")
    t.enter("fg")
    t.expect("back\r\n")
    t.settled()
    t.key("Ctrl-Z")
    t.expect("cleaning\r\n")
    t.prompt()
    t.enter("bg; stopped")  # it reads
    t.expect("back\r\n")
    t.prompt()
    t.run("jobs -l")
    t.enter("fg")
    t.in_foreground()
    t.enter("something")
    t.prompt()


@script
def stops_itself_by_tstp(t):
    cleans_up_and_stops_itself(t, "TSTP")


@script
def stops_itself_by_stop(t):
    cleans_up_and_stops_itself(t, "STOP")


@script
def handles_ctrl_z_and_goes_on(t):
    t.start("$W $J never-stops")
    for _ in range(3):
        t.key("Ctrl-Z")
        t.expect("not now\r\n")
    t.enter("a line")
    t.expect("read a line\r\n")
    t.prompt()


@script
def stopped_by_kill(t):
    t.run("$W sh -c 'echo >up; exec sleep 100' &")
    t.run("lines up 1")
    for name in ("TSTP", "STOP", "TTIN", "TTOU"):
        t.run(f"kill -{name} %1; stopped")
        t.run("jobs -l")
        t.run("kill -CONT %1; running")
        t.run("jobs -l")
    t.run("kill -INT %1; gone; wait %1")


@script
def stopped_by_kill_of_the_child_of_the_shell(t):
    for name in ("TSTP", "TTIN", "TTOU"):
        t.run(f"$W $J plain TERM 1 {name} &")
        t.run(f"lines {name} 1; kill -{name} $!; stopped")
        t.run("jobs -l")
        t.run("kill -TERM $!")
        t.run(f"jobs -l; cat {name}")
        t.run(f"kill -CONT $!; gone; cat {name}; wait $!")


@script
def ended_while_stopped(t):
    for name in ("TERM", "KILL", "HUP"):
        t.start(f"$W {WAITING}")
        t.key("Ctrl-Z")
        t.prompt()
        t.run(f"kill -{name} %1; gone; wait %1")


@script
def stopped_jobs_keep_the_shell(t):
    t.start(f"$W {WAITING}")
    t.key("Ctrl-Z")
    t.prompt()
    t.run("exit")
    t.enter("exit")
    t.until(lambda: t.shell.poll() is not None, "the shell to end")
    t.until(lambda: not processes_of(t.room), "the job to end")


# Reading and writing from the background

@script
def background_reads(t):
    t.run("$W cat & stopped")
    t.run("jobs -l")
    t.enter("fg")
    t.in_foreground()
    t.enter("hello")
    t.expect("hello\r\n")
    t.key("Ctrl-D")
    t.prompt()


@script
def background_writes(t):
    t.run("stty tostop")
    t.run("$W sh -c 'echo out; exit 4' & stopped")
    t.run("jobs -l")
    t.enter("fg")
    t.expect("out\r\n")
    t.prompt()
    t.run("stty -tostop")


@script
def background_changes_the_terminal(t):
    t.run("$W stty -echo & stopped")
    t.run("jobs -l")
    t.run("fg")
    t.type("stty echo\r")
    t.prompt()


@script
def background_is_silent(t):
    t.run("stty tostop")
    t.run("$W sh -c 'exit 4' & wait $!")
    t.run("stty -tostop")
    t.run("jobs")


@script
def disowned(t):
    t.run("$W sh -c 'echo >up; exec sleep 100' &")
    t.run("lines up 1; disown %1; jobs")
    t.run("kill $!")
    t.until(lambda: not t.jobs(), "the job to end")
    t.run("jobs")


# Input

@script
def reads_a_line(t):
    t.start("$W sh -c 'echo ready; read x; echo got $x; exit 9'")
    t.enter("words and more")
    t.expect("got words and more\r\n")
    t.prompt()


@script
def end_of_input(t):
    t.start("$W cat", "")
    t.in_foreground()
    t.enter("a line")
    t.expect("a line\r\n")
    t.type("half")
    t.expect("half")
    t.key("Ctrl-D")
    t.expect("half")
    t.key("Ctrl-D")
    t.prompt()


@script
def typed_ahead(t):
    t.start("$W sh -c 'echo ready; read x; echo got $x'")
    t.type("for the job\recho for the shell\r")
    t.expect("got for the job\r\n")
    t.prompt()
    t.prompt()


# Full-screen programs and prompts

@script
def pager(t):
    (t.room / "lines").write_text("".join(f"line {n}\n" for n in range(1, 401)), encoding="ascii")
    asks = r"(?s:.*?)\x1b\[27m\x1b\[K"  # its prompt, highlighted
    t.enter("$W less -M lines")
    t.expect("line 23\r\n" + asks)
    t.type(" ")
    t.expect("line 46\r\n" + asks)
    t.type("/line 250\r")
    t.expect("line 272\r\n" + asks)
    t.asleep("less")
    t.key("Ctrl-Z")
    t.prompt()
    t.enter("fg")
    t.expect("line 272\r\n" + asks)
    t.type("G")
    t.expect("line 400\r\n" + asks)
    t.type("q")
    t.prompt()


@script
def editor(t):
    drawn = r"(?s:.*?)\x1b\[\?25h"  # the cursor is shown again when all is drawn
    t.enter("$W vi -u NONE -N -i NONE -n --cmd 'set tm=9' text")
    t.expect(r'"text" \[New' + drawn)
    t.type("i")
    t.expect("INSERT" + drawn)
    t.type("written")
    t.expect("written" + drawn)
    t.key("Escape")
    t.expect(drawn)
    t.asleep("vi")
    t.key("Ctrl-Z")
    t.prompt()
    t.run("jobs")
    t.enter("fg")
    t.expect("written" + drawn)
    t.type("o")
    t.expect("INSERT" + drawn)
    t.type("twice")
    t.expect("twice" + drawn)
    t.key("Escape")
    t.expect(drawn)
    t.type(":wq\r")
    t.prompt()
    t.run("cat text")


@script
def process_viewer(t):
    t.enter("$W top -d 100 -p $$")
    t.expect("COMMAND")
    t.expect("bash")
    t.type("q")
    t.prompt()


@script
def python_prompt(t):
    python = t.environment["PYTHON"]
    t.enter("$W $PYTHON -I -q")
    t.expect(">>> ")
    t.enter("1 + 1")
    t.expect("2\r\n>>> ")
    t.asleep(python)
    t.key("Ctrl-C")
    t.expect("KeyboardInterrupt\r\n>>> ")
    t.enter("import time; print('rea' + 'dy'); time.sleep(100)")
    t.expect("ready\r\n")
    t.asleep(python)
    t.key("Ctrl-C")
    t.expect("KeyboardInterrupt\r\n>>> ")
    t.asleep(python)
    t.key("Ctrl-Z")
    t.prompt()
    t.enter("fg")
    t.in_foreground()
    t.enter("exit(6)")
    t.prompt()


@script
def window_size(t):
    t.start("$W $J sizes 3")
    for rows, columns in ((30, 100), (10, 200)):
        t.resize(rows, columns)
        t.expect(f"SIGWINCH from the kernel: {columns} x {rows}\r\n")
    t.key("Ctrl-C")
    t.prompt()
    t.run("stty size")


# Pipelines, scripts, subshells, wrappers

@script
def pipeline(t):
    t.start(f"$W {WAITING} | cat")
    t.key("Ctrl-C")
    t.prompt()
    t.start(f"{WAITING} | $W cat")
    t.key("Ctrl-C")
    t.prompt()
    t.run("$W sh -c 'echo out; exit 3' | $W cat; echo ${PIPESTATUS[*]}")
    t.start(f"$W {WAITING} | $W cat")
    t.key("Ctrl-Z")
    t.prompt()
    t.run("jobs")
    t.enter("fg")
    t.in_foreground()
    t.key("Ctrl-\\")
    t.prompt()


@script
def script_of_bash(t):
    (t.room / "script").write_text(f"$W {WAITING}\necho after $?\n", encoding="ascii")
    for key in ("Ctrl-C", "Ctrl-\\"):
        t.start("bash script")
        t.key(key)
        t.prompt()
    t.start("bash script")
    t.key("Ctrl-Z")
    t.prompt()
    t.enter("fg")
    t.in_foreground()
    t.key("Ctrl-C")
    t.prompt()


@script
def script_goes_on_when_the_job_caught_it(t):
    (t.room / "script").write_text("$W $J caught\necho after $?\n", encoding="ascii")
    t.start("bash script")
    t.key("Ctrl-C")
    t.expect("after 3\r\n")
    t.prompt()


@script
def subshell(t):
    t.start(f"( $W {WAITING}; echo after $? )")
    t.key("Ctrl-Z")
    t.prompt()
    t.run("jobs")
    t.enter("fg")
    t.in_foreground()
    t.key("Ctrl-C")
    t.prompt()


@script
def loop(t):
    t.start(f"for i in 1 2 3; do echo $i; $W {WAITING}; done")
    t.key("Ctrl-C")
    t.prompt()
    t.run("for i in 1 2 3; do $W sh -c 'exit '$i; echo $?; done")


@script
def with_a_terminal_of_its_own(t):
    t.start(f"script -qec \"$W {WAITING}\" /dev/null")
    t.key("Ctrl-Z")  # nobody is there who could continue it: the kernel does not stop an orphaned group
    t.expect(r"\^Z")
    t.key("Ctrl-C")
    t.prompt()
    t.run("$W script -qec 'tty -s; echo $?; stty size' /dev/null")


@script
def without_a_terminal(t):
    t.run("$W setsid -w sh -c 'exec 3</dev/tty'; echo $?")
    t.run("setsid -w $W sh -c 'exec 3</dev/tty'; echo $?")


@script
def job_control_inside(t):
    """A shell as the job: it makes groups of its own and takes the terminal."""
    t.enter("$W bash --rcfile rc -i")
    t.expect(r"<0>\$ ")
    inner = t.foreground()
    t.start(WAITING)
    t.key("Ctrl-Z")
    t.expect(r"<148>\$ ")
    t.enter("fg")
    t.until(lambda: t.foreground() != inner, "the job to have the terminal")
    t.key("Ctrl-C")
    t.expect(r"<130>\$ ")
    t.enter("suspend")
    t.prompt()
    t.enter("fg")
    t.expect(r"<\d+>\$ ")
    t.enter("exit 7")
    t.prompt()


@script
def facts(t):
    t.run("$W $J facts")
    t.run("$W $J facts | cat")
    t.run("trap '' INT QUIT TSTP; $W $J facts; trap - INT QUIT TSTP")
    t.run("nohup $W $J facts 2>&1 | cat")


@script
def statuses(t):
    for command in ("true", "false", "sh -c 'exit 77'", "nowhere-to-be-found", "/", "sh -c 'kill -SEGV $$'", "sh -c 'kill -PIPE $$'",
                    "sh -c 'kill -KILL $$'", "sh -c 'kill -TERM $$'", "sh -c 'kill -INT $$'"):
        t.run(f"$W {command} 2>/dev/null")


def play(room, assay, wrapper, name, user=None):
    """Types one script in a room of its own and returns what was shown, whole."""
    with in_a_terminal(room, assay, wrapper, user=user) as t:
        t.prompt()
        t.run("stty -g")
        scripts[name](t)
        if t.shell.poll() is None:
            t.run("stty -g")
            modes = re.findall(r"^[0-9a-f:]{40,}\r$", t.text, re.MULTILINE)
            assert len(modes) == 2 and modes[0] == modes[1], "the modes of the terminal changed"
        return t.text


NEEDS = {"pager": "less", "editor": "vi", "process_viewer": "top", "with_a_terminal_of_its_own": "script"}


@pytest.mark.parametrize("wrapper", ["quiet", "summary"])
@pytest.mark.parametrize("name", scripts)
def test_the_same_keys_show_the_same(room, assay, name, wrapper):
    if name in NEEDS and not shutil.which(NEEDS[name]):
        pytest.skip(f"needs {NEEDS[name]}")
    bare, wrapped = (play(room, assay, how, name) for how in ("", wrapper))

    assert transcript(wrapped) == transcript(bare)


@pytest.mark.parametrize("name", ["stop_and_foreground", "stops_itself_by_tstp", "background_reads", "facts"])
def test_the_same_holds_for_whoever_runs_it(room, assay, user, name):
    bare, wrapped = (play(room, assay, how, name, user) for how in ("", "quiet"))

    assert transcript(wrapped) == transcript(bare)
