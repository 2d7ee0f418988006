# SPDX-License-Identifier: MIT
"""Reads pages as a strict parser does, and makes records for them by hand."""
import json
from html.parser import HTMLParser

import pytest

from handmade import headline, write_record

VOID = {"meta", "br", "input", "link", "img", "hr"}
# Drawings: written as <path .../>
EMPTY_IN_SVG = {"path", "rect"}


class Page(HTMLParser):
    """What is in a page: texts by the id or class of what holds them, tables, links. Refuses what is not well-formed."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.html = html
        self.open = []
        self.ids = []
        self.elements = []  # (tag, attributes)
        self.texts = []  # (path of tags, text)
        self.tables = []  # rows of cells
        self.scripts = []  # (attributes, content)
        self.styles = []
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {self.open}"
        assert len(self.ids) == len(set(self.ids)), "an id stands twice"

    def begin(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.elements.append((tag, attributes))
        return attributes

    def handle_startendtag(self, tag, attrs):
        assert tag in EMPTY_IN_SVG and "svg" in [t for t, _ in self.open], f"<{tag}/> is no HTML"
        self.begin(tag, attrs)

    def handle_starttag(self, tag, attrs):
        attributes = self.begin(tag, attrs)
        if tag in VOID:
            return
        self.open.append((tag, attributes))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "script":
            self.scripts.append((attributes, ""))
        elif tag == "style":
            self.styles.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> where {self.open[-1:]} is open, at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data):
        path = [tag for tag, _ in self.open]
        if path and path[-1] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
            return
        if path and path[-1] == "style":
            self.styles[-1] += data
            return
        self.texts.append((path, data))
        if "td" in path or "th" in path:
            self.tables[-1][-1][-1] += data

    def text(self):
        return " ".join("".join(data for _, data in self.texts).split())

    def heading(self, tag="h1"):
        return " ".join("".join(data for path, data in self.texts if tag in path).split())

    def row(self, first):
        """The cells behind the first, of the row that begins with that text."""
        found = [row[1:] for table in self.tables for row in table if row and row[0].strip() == first]
        assert found, f"no row {first!r} in {[row[0] for table in self.tables for row in table if row]}"
        return [" ".join(cell.split()) for cell in found[0]]

    def sections(self):
        return [attributes["id"] for tag, attributes in self.elements if tag == "section"]

    def has_charts(self):
        """Whether assay was built with uPlot."""
        return "leeoniya" in self.scripts[-1][1]

    def data(self):
        """What charts are drawn from; None where there are none."""
        found = [content for attributes, content in self.scripts if attributes.get("id") == "data"]
        return json.loads(found[0]) if found else None

    def panel(self, title):
        """The data of the chart of that title, with its times filled in and the names of its lines."""
        if not self.has_charts():
            pytest.skip("assay was built without uPlot: web/node_modules was not there")
        data = self.data()
        titles = ["".join(d for path, d in self.texts_below(panel["id"]) if path[-1] == "h3") for panel in data["panels"]]
        return data["panels"][titles.index(title)]

    def texts_below(self, wanted):
        """Texts of the figure with that id."""
        part = self.html.split(f'id="{wanted}">', 1)[1].split("</figure>", 1)[0]
        inner = HTMLParser()
        path, texts = [], []
        inner.handle_starttag = lambda tag, attrs: path.append(tag)
        inner.handle_endtag = lambda tag: path.pop()
        inner.handle_data = lambda data: texts.append((list(path) or [""], data))
        inner.handle_startendtag = lambda tag, attrs: None
        inner.feed(part)
        return texts


MEMORY = {"key": "proc_pss_total_bytes", "kind": "gauge", "unit": "bytes", "scope": "single", "reduces": ["max", "mean", "last"],
          "quality": "sampled", "origin": "/proc/PID/smaps_rollup Pss", "help": "resident memory, shared pages divided", "collector": "proc_smaps"}
CPU = {"key": "tree_cpu_percent", "kind": "gauge", "unit": "percent", "scope": "single", "reduces": ["max", "mean", "last"],
       "quality": "sampled", "origin": "CPU clocks", "help": "share of a core", "collector": "tree"}


def row(key, kind):
    """A measurement's row, for a record that has it."""
    return {**(MEMORY if kind == "gauge" else CPU), "key": key, "kind": kind, "unit": key.rsplit("_", 1)[1], "quality": "sampled",
            "reduces": ["max", "mean", "last"] if kind == "gauge" else ["delta", "last"]}


def window(number, start, end, memory=None, cpu=None, processes=(), **more):
    """memory: (mean, max) in bytes; cpu: (mean, max) in percent."""
    values = {key: {"max": pair[1], "mean": pair[0], "last": pair[0], "quality": "sampled"}
              for key, pair in (("proc_pss_total_bytes", memory), ("tree_cpu_percent", cpu)) if pair is not None}
    return {"schema": "assay-usage", "version": "1.0", "sequence": number, "time": "2026-11-28T10:00:00Z", "monotonic_ns": 1,
            "start_seconds": start, "end_seconds": end, "samples": 1, "missed_ticks": 0, "values": values,
            **({"processes": list(processes)} if processes else {}), **more}


def process(pid, name, cpu_seconds, rss, **more):
    return {"pid": pid, "start_time_ticks": pid, "name": name, "command": [name],
            "values": {"proc_cpu_seconds": {"delta": cpu_seconds, "last": cpu_seconds},
                       "proc_rss_bytes": {"max": rss, "last": rss}}, **more}


def make_record(path, windows=(), **info):
    return write_record(path, windows or None, **{"measurements": [MEMORY, CPU], **info})


def long_record(path, windows, seconds, lines=40):
    """A run of many windows with much in each: as many measurements as a real one draws, 14 processes; one window has a peak."""
    memory = 10 ** 9
    extra = {f"host_pressure_{what}_{how}_percent": {"max": 3.25, "mean": 1.5, "last": 1, "quality": "sampled"}
             for what in ("cpu", "memory", "io") for how in ("some", "full")}
    extra |= {key: {"delta": 123456.0, "last": 1.0, "quality": "exact"} for key in (
        "tree_io_read_bytes", "tree_io_write_bytes", "tree_io_read_syscall_bytes", "tree_io_write_syscall_bytes", "netns_receive_bytes",
        "netns_transmit_bytes")}
    extra |= {f"made_{i}_total_bytes": {"max": 10 ** 6 + i, "mean": 10 ** 6, "last": 10 ** 6, "quality": "sampled"} for i in range(lines)}

    def each():
        for i in range(windows):
            peak = 7 * memory if i == windows * 7 // 10 else memory * (1 + i * 7919 % 1000 / 1000)
            w = window(i, i * seconds, (i + 1) * seconds, (memory * (1 + i * 31 % 97 / 97), peak), (50 + i * 17 % 101, 151 + i % 7),
                       [process(100 + k, f"worker{k}", 0.5 + k, 10 ** 7 * k + i * 37 % 1000) for k in range(14)])
            w["values"] |= extra
            yield w
    rows = [row(key, "counter" if "delta" in value else "gauge") for key, value in extra.items()]
    return make_record(path, each(), measurements=[MEMORY, CPU, *rows], time={"started": "2026-11-28T10:00:00Z", "wall_seconds": float(windows * seconds)},
                       headline=headline(wall_seconds=float(windows * seconds), memory_peak_bytes=(7 * memory, "lower_bound")))
