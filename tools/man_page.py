#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes a page for man(1) from scdoc source: man_page.py SCDOC PAGE.scd

scdoc switches hyphenation off, and man(7)'s .TH behind it on again, so that the names of options and variables were broken: HY is what .TH
takes it from. And a bare - is a hyphen to groff, at which it breaks names, and which is no - to who searches or copies.
"""
import re
import subprocess
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "rb") as source:
        done = subprocess.run([sys.argv[1]], stdin=source, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        return 1
    before, mark, after = done.stdout.partition(b"\n.TH ")
    if not mark:
        sys.exit(f"{sys.argv[2]}: scdoc wrote no .TH")
    title, _, text = after.partition(b"\n")
    text = re.sub(rb"^[^.\n].*$", lambda line: re.sub(rb"(?<!\\)(?<!\\h')-", rb"\\-", line[0]), text, flags=re.M)
    sys.stdout.buffer.write(before + b"\n.nr HY 0" + mark + title + b"\n" + text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
