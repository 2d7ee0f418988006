# SPDX-License-Identifier: MIT
"""Calls the program by any name with any words, in a directory of its own, and keeps what came of it."""
import re

from support import read_info

CONFIG = ".assay/config"


class Called:
    def __init__(self, status, out, err, here):
        self.status, self.out, self.err, self.here = status, out, err, here

    def info(self, prefix="record/"):
        return read_info(f"{self.here}/{prefix}")

    def sources(self):
        """What --log-level debug says of each option: name -> (value, where it came from)."""
        lines = re.findall(r"^assay: ([a-z-]+) is '(.*)' by (.*)$", self.err, re.M)
        return {name: (value, source) for name, value, source in lines}

    def recorded(self):
        """The files below the directory that a run may have made, without what the test wrote."""
        return sorted(str(path.relative_to(self.here)) for path in self.here.rglob("*")
                      if path.is_file() and path.name not in ("config", ".env"))


class Caller:
    """`HERE` in words, variables and files stands for the directory."""

    def __init__(self, run_assay, program, here):
        self.run_assay, self.program, self.here = run_assay, program, here
        here.mkdir()
        here.chmod(0o777)

    def write(self, name, text, mode=0o644):
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.fill(text).encode() if isinstance(text, str) else text)
        path.chmod(mode)
        return path

    def fill(self, text):
        return text.replace("HERE", str(self.here)) if isinstance(text, str) else text

    def __call__(self, *words, env=None, user=None, timeout=60):
        environment = self.run_assay.environment({"HOME": str(self.here / "home")})
        environment.update({name: self.fill(text) for name, text in (env or {}).items()})
        process = self.run_assay.spawn([str(self.program), *map(self.fill, words)], "called", cwd=self.here,
                                       env=environment, user=user)
        status = process.wait(timeout)
        texts = [(self.run_assay.room / f"called.{end}").read_bytes().decode("utf-8", errors="surrogateescape")
                 for end in ("stdout", "stderr")]
        return Called(status, *texts, self.here)
