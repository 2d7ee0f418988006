# SPDX-License-Identifier: MIT
"""Remembers what passed, so that it is not looked at again as long as nothing of it has changed.

What is remembered stands in $XDG_CACHE_HOME/assay-check (~/.cache/assay-check), an empty file for each thing that passed, and is
the same for every clone; a file that was not needed for a month is removed. Only what passed is remembered.
"""
import functools
import hashlib
import os
import subprocess
import time
from pathlib import Path

MONTH_SECONDS = 30 * 24 * 3600


def directory():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "assay-check"


def key_of(*parts):
    """Texts and bytes, each with its length, so that no two lists are the same."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(b"%d " % len(data) + data)
    return digest.hexdigest()


@functools.lru_cache(maxsize=None)
def content_key(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def compiler_key(command, source, cwd):
    """Names all that a compiler reads for a source file: its options, the file, and each header, the system's as well.

    `command` compiles it, as a list of words; it is asked for the headers with -M. Raises CalledProcessError where it cannot tell.
    """
    words = list(command)
    for option, follows in (("-o", 2), ("-MF", 2), ("-MQ", 2), ("-MD", 1), ("-c", 1)):
        while option in words:
            at = words.index(option)
            del words[at:at + follows]
    rule = subprocess.run([*words, "-M"], cwd=cwd, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    read = sorted(set(rule.replace("\\\n", " ").partition(":")[2].split()))
    parts = [part for name in read for part in (os.path.basename(name), content_key(os.path.join(cwd, name)))]
    return key_of(source, " ".join(words[1:]), *parts)


def passed_before(key):
    path = directory() / key
    try:
        os.utime(path)
    except OSError:
        return False
    return True


def remember(key):
    """A cache that cannot be written is no failure: the thing is looked at again the next time."""
    try:
        directory().mkdir(parents=True, exist_ok=True)
        (directory() / key).touch()
    except OSError:
        pass


def forget_old():
    if directory().is_dir():
        for path in directory().iterdir():
            if path.stat().st_mtime < time.time() - MONTH_SECONDS:
                path.unlink(missing_ok=True)
