# SPDX-License-Identifier: MIT
"""Real shells that complete: what a command line is after a key, typed at a terminal of the shell's own."""
import contextlib
import functools
import os
import pty
import select
import shutil
import subprocess
import tempfile
import threading

import pytest

from support import wait_for
from terminal import own_terminal

TAB = b"\t"
ALL = b"\x18a"  # inserts everything that the word can become
SHOW = b"\x18p"  # writes the line into a file

BASH_RC = r"""
source <(assay completion bash)
bind '"\C-xa": insert-completions'
bind -x '"\C-xp": printf %s "$READLINE_LINE" >new; mv new line'
PS1='ready>'
"""
ZSH_RC = r"""
autoload -Uz compinit
compinit -C -d $COMPLETIONS
source <(assay completion zsh)
show() { print -rn -- "$BUFFER" >new; command mv new line }
zle -N show
zle -C everything complete-word _generic
zstyle ':completion:everything::::' completer _all_matches _complete
zstyle ':completion:everything:*' insert true
bindkey -e
bindkey '^Xa' everything
bindkey '^Xp' show
PS1='ready>'
"""


@functools.cache
def kept_completions():
    """Where zsh keeps what the machine offers for completion: to find it takes a second, and it is the same for all shells."""
    return tempfile.TemporaryDirectory(prefix="assay-test-")


COMMANDS = {"bash": ["bash", "--rcfile", ".rc", "-i"], "zsh": ["zsh", "-d", "-i"]}


class Shell:
    """A shell that has read our script. It has a home of its own and no configuration of the machine's user."""

    def __init__(self, name, program, room):
        if not shutil.which(name):
            pytest.skip(f"{name} is not installed")
        self.name, self.room, self.shown = name, room, b""
        self.environment = {"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(room), "ZDOTDIR": str(room), "TERM": "xterm",
                            "LC_ALL": "C.UTF-8", "COMPLETIONS": f"{kept_completions().name}/dump"}
        (room / ".rc").write_text(BASH_RC)
        (room / ".zshrc").write_text(ZSH_RC)

    def press(self, typed, key):
        """The whole line after `typed` and the key."""
        master, slave = pty.openpty()
        (self.room / "line").unlink(missing_ok=True)
        with subprocess.Popen(COMMANDS[self.name], stdin=slave, stdout=slave, stderr=slave, cwd=self.room, env=self.environment,
                              preexec_fn=own_terminal) as shell:  # pylint: disable=subprocess-popen-preexec-fn
            os.close(slave)
            self.shown = b""
            ended = threading.Event()
            reader = threading.Thread(target=self.read, args=(master, ended))
            reader.start()
            try:
                wait_for(lambda: b"ready>" in self.shown, f"the prompt of {self.name}")
                os.write(master, typed.encode() + key + SHOW)
                wait_for((self.room / "line").exists, f"{self.name} to answer '{typed}': {self.shown!r}")
            finally:
                shell.kill()
                ended.set()
                reader.join()
                os.close(master)
        return (self.room / "line").read_text()

    def read(self, master, ended):
        """What the shell shows must be taken away, or it waits."""
        while not ended.is_set():
            if select.select([master], [], [], 0.01)[0]:
                with contextlib.suppress(OSError):
                    self.shown += os.read(master, 65536)

    def completed(self, typed):
        return self.press(typed, TAB)

    def offers(self, typed):
        """The words that can stand in place of the last one."""
        line = self.press(typed, ALL)
        before = typed[:typed.rfind(" ") + 1]
        assert line.startswith(before), line
        return line[len(before):].split()


class Fish:
    """fish tells without a terminal."""

    def __init__(self, program, room):
        if not shutil.which("fish"):
            pytest.skip("fish is not installed")
        self.environment = {"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(room), "LC_ALL": "C.UTF-8"}
        self.room = room

    def offers(self, typed):
        done = subprocess.run(["fish", "-c", "source (assay completion fish | psub); complete -C $argv[1]", "--", typed],
                              cwd=self.room, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=True)
        assert done.stderr == ""
        return [line.split("\t")[0] for line in done.stdout.splitlines()]
