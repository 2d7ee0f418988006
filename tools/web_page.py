#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the C file of what is inlined in pages: web_page.py OUTPUT REPORT.CSS REPORT.JS [UPLOT].

UPLOT is the directory of the npm package. Without it the page has no charts, only pictures. The hashes are those of
the Content-Security-Policy: the page runs this script and no other.
"""
import base64
import hashlib
import sys
from pathlib import Path


def array(name, data):
    rows = [",".join(str(byte) for byte in data[at:at + 24]) for at in range(0, len(data), 24)]
    return f"const unsigned char {name}[] = {{\n" + ",\n".join(rows) + "\n};\n"


def text(name, data):
    """An array that is followed by its length and its hash."""
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    return (array(name, data) + f"const size_t {name}_size = sizeof({name});\n"
            f'const char {name}_hash[] = "sha256-{digest}";\n')


def shorter(css):
    """Without indentation and the ends of lines: every page has it."""
    return "".join(line.strip() for line in css.splitlines()) + "\n"


def main():
    output, style_file, script_file, *uplot = sys.argv[1:]
    style = shorter(Path(style_file).read_text())
    script = "".join(line.lstrip("\t") for line in Path(script_file).read_text().splitlines(keepends=True))
    if uplot:
        package = Path(uplot[0])
        licence = (package / "LICENSE").read_text().strip().replace("*/", "* /")
        style = (package / "dist/uPlot.min.css").read_text().strip() + "\n" + style
        script = f"/*! uPlot:\n{licence}\n*/\n" + (package / "dist/uPlot.iife.min.js").read_text().strip() + "\n" + script
    for what in (style, script):
        if any(end in what.lower() for end in ("</style", "</script", "<!--", "\r")):
            sys.exit("web_page.py: what is inlined would end where it stands")
    Path(output).write_text('#include "page/web_page.h"\n' + text("web_style", style.encode()) +
                            text("web_script", script.encode()) +
                            f"const bool web_has_charts = {'true' if uplot else 'false'};\n")


if __name__ == "__main__":
    main()
