# SPDX-License-Identifier: MIT
"""The page of `assay report`: that it is whole and well-formed, holds the record's numbers, asks for nothing, and shows hostile text as text."""
import base64
import hashlib
import json
import math
import os
import pty
import re
import subprocess

import pytest

from calling import Caller
from handmade import headline
from pages import Page, long_record, make_record, process, window
from support import REPOSITORY, skip_with_a_sanitizer

FOREIGN = REPOSITORY / "tests" / "fixtures" / "foreign"
GIB = 1024 ** 3
PAGE_BYTES_MAX = 600 * 1000  # of a day-long run: what is promised in the manual
HOSTILE = "</script><script>alert(1)</script><!-- \"'&amp; \x1b[31mred\x07 \u202egpj.exe \u2028 <img src=x onerror=alert(2)>"


@pytest.fixture
def report(run_assay, assay, room):
    caller = Caller(run_assay, assay, room / "here")
    return lambda *words, **more: caller("report", *map(str, words), **more)


@pytest.fixture
def made(room):
    return lambda windows=(), name="made", **info: make_record(room / name, windows, **info)


@pytest.fixture
def page_of(report, room):
    def make(*runs, status=0):
        target = room / "page.html"
        called = report(*runs, "-o", target)
        assert called.status == status, called.err
        return Page(target.read_text(encoding="utf-8"))
    return make


def real_job(run_assay, room, name="real"):
    prefix = room / name / ""
    code = "import time\nx = bytearray(40_000_000)\nt = time.time()\nwhile time.time() - t < 0.5: sum(range(9999))\nprint('done <b>')"
    run_assay(["/usr/bin/python3", "-c", code], ["-i", "0.05", "--report-interval", "0.1", "-c", "all"], prefix=f"{prefix}/")
    return room / name


def test_a_real_run_becomes_a_page_with_all_its_parts(run_assay, room, page_of):
    page = page_of(real_job(run_assay, room))
    assert page.sections() == ["summary", "charts", "processes", "limits", "ladder", "output", "cost", "record"]
    assert page.heading().startswith("/usr/bin/python3 -c")
    assert "exited 0 after" in page.text()
    assert "done <b>" in page.text()
    assert page.row("Processes started")[:2] == ["= 1", "exact"]
    titles = page.heading("h3")
    assert "CPU" in titles and "Memory" in titles


def test_every_quantity_of_a_real_run_is_in_its_page_once(run_assay, room, page_of):
    run = real_job(run_assay, room)
    quantities = json.loads((run / "info.json").read_text())["headline"]
    page = page_of(run)
    rows = [row for table in page.tables for row in table if len(row) == 4]
    for name, of in quantities.items():
        if "value" in of:
            mark = {"exact": "= ", "sampled": "~ ", "estimate": "~ ", "lower_bound": ">= ", "upper_bound": "<= "}[of["quality"]]
            assert any(row[1].startswith(mark) and of["quality"].replace("_", " ") in row[2] and of["key"] in row[3] for row in rows), name
    assert len(rows) - 1 == sum("value" in of for of in quantities.values())


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_colour_of_a_line_stands_out_from_its_ground():
    """WCAG 2.2, 1.4.11: 3 to 1 for what has to be seen; 4.5 to 1 for text."""
    style = re.sub(r"/\*.*?\*/", "", (REPOSITORY / "web" / "report.css").read_text(), flags=re.S)
    grounds = 0
    for block in re.findall(r"\{([^{}]*--s0:[^{}]*)\}", style):
        colours = {name: "#" + "".join(2 * c for c in value[1:]) if len(value) == 4 else value
                   for name, value in re.findall(r"--([\w-]+):\s*(#[0-9a-f]{3,6});", block)}
        ground = luminance(colours["ground"])
        for name, least in [(f"s{i}", 3) for i in range(8)] + [("limit", 3), ("mark", 4.5), ("soft", 4.5), ("text", 4.5), ("link", 4.5), ("bad", 4.5),
                                                               ("good", 4.5)]:
            light, dark = sorted((luminance(colours[name]), ground), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= least, (name, colours[name], colours["ground"])
        grounds += 1
    assert grounds == 4  # light, dark by the system, dark by the button, paper


# Machado, Oliveira and Fernandes 2009: what linear red, green and blue become for who lacks one kind of cone.
VISIONS = {"all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
           "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
           "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
           "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900))}


def lab(linear):
    """CIE 1976 L*a*b* of linear sRGB, by which the distance of two colours is what an eye sees."""
    def root(t):
        return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
    red, green, blue = (min(max(part, 0), 1) for part in linear)
    x, y, z = (root((a * red + b * green + c * blue) / white) for (a, b, c), white in (
        ((0.4124, 0.3576, 0.1805), 0.9505), ((0.2126, 0.7152, 0.0722), 1), ((0.0193, 0.1192, 0.9505), 1.089)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("vision", VISIONS)
def test_no_two_colours_of_lines_are_alike_to_any_eye(vision):
    style = (REPOSITORY / "web" / "report.css").read_text()
    for block in re.findall(r"\{([^{}]*--s0:[^{}]*)\}", style):
        colours = [re.search(rf"--s{i}: (#[0-9a-f]{{6}});", block)[1] for i in range(8)]
        linear = [[c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5))]
                  for colour in colours]
        seen = [lab([sum(m * part for m, part in zip(row, one)) for row in VISIONS[vision]]) for one in linear]
        for i, one in enumerate(seen):
            for k, other in enumerate(seen[:i]):
                assert math.dist(one, other) > 20, (colours[i], colours[k])


def test_every_link_leads_to_a_part_of_the_page_and_nothing_is_asked_for(run_assay, room, page_of):
    page = page_of(real_job(run_assay, room))
    targets = [a["href"] for tag, a in page.elements if tag == "a"]
    assert targets and all(target[1:] in page.ids for target in targets if target.startswith("#"))
    assert all(target.startswith("#") for target in targets)
    assert not [a for _, a in page.elements if "src" in a or "action" in a or "style" in a or any(name.startswith("on") for name in a)]
    assert not [tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "object", "embed", "form", "base")]
    assert "url(" not in "".join(page.styles) and "@import" not in "".join(page.styles)


def test_the_policy_lets_run_what_is_inlined_and_no_more(made, page_of):
    page = page_of(made())
    policy = next(a["content"] for tag, a in page.elements if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for name, content in (("style-src", page.styles[0]), ("script-src", page.scripts[-1][1])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"


def test_numbers_stand_with_their_quality_and_their_meaning(made, page_of):
    rungs = {"memory_peak": [{"key": "proc_pss_total_bytes", "value": GIB, "quality": "lower_bound", "in_use": True, "why": "the rung's why"},
                             {"key": "other_bytes", "quality": "absent", "in_use": False, "why": "not read"}]}
    peak = {"value": GIB, "quality": "lower_bound", "key": "proc_pss_total_bytes", "lower": GIB, "upper": 2 * GIB, "why": "samples see not all"}
    page = page_of(made(headline={**headline(wall_seconds=12.5), "memory_peak_bytes": peak}, rungs=rungs))
    value, quality, meaning = page.row("Memory of the job at its peak")
    assert value == ">= 1 GiB"
    assert quality == "lower bound (1 GiB to 2 GiB)"
    for part in ("proc_pss_total_bytes", "resident memory, shared pages divided", "/proc/PID/smaps_rollup Pss", "samples see not all", "the rung's why"):
        assert part in meaning
    assert page.row("Wall time")[:2] == ["= 12.5 s", "exact"]
    assert page.row("memory_peak") == ["proc_pss_total_bytes (in use)", ">= 1 GiB", "lower bound", "the rung's why"]
    assert "CPU time" not in page.text()  # nobody measured it


def test_limits_say_how_near_the_job_came(made, page_of):
    limits = [{"name": "memory", "unit": "bytes", "limit": 4 * GIB, "source": "cgroup", "where": "/sys/fs/cgroup/x/memory.max", "tightest": True,
               "hits": 3}]
    page = page_of(made(headline=headline(wall_seconds=10.0, memory_peak_bytes=3 * GIB), target_limits=limits))
    assert page.row("memory") == ["4 GiB", "3 GiB in processes", "75 %", "3", "cgroup /sys/fs/cgroup/x/memory.max"]
    meter = next(a for tag, a in page.elements if tag == "meter")
    assert meter["value"] == "75.0"


def test_charts_have_the_windows_values(made, page_of):
    page = page_of(made([window(0, 0, 2, (1000, 1500), (50, 90)), window(1, 2, 5, (3000, 3500), (150, 151)), window(2, 6, 10, (2000, 2500))]))
    memory, cpu = page.panel("Memory"), page.panel("CPU")
    data = page.data()
    assert (data["start"], data["end"]) == (0, 10)
    line = memory["lines"][0]
    assert line["m"] == [1000, 3000, 2000] and line["h"] == [1500, 3500, 2500]
    assert data["times"][line["t"]] == {"s": [0, 2, 6], "e": {"1": 5, "2": 10}}
    assert cpu["unit"] == "cores" and cpu["lines"][0]["m"] == [0.5, 1.5]
    assert [gap[1:3] for gap in data["gaps"]] == [[5, 6]]


def test_a_day_is_below_600_kilobytes_and_keeps_its_peak(room, page_of):
    page = page_of(long_record(room / "day", 1440, 60))
    assert len(page.html.encode()) < PAGE_BYTES_MAX
    line = page.panel("Memory")["lines"][0]
    assert max(line["h"]) == 7 * 10 ** 9
    assert len(line["m"]) >= 50


def test_a_longer_run_makes_no_larger_page(room, page_of):
    day = len(page_of(long_record(room / "day", 1440, 60)).html)
    longer = len(page_of(long_record(room / "longer", 4000, 60)).html)
    assert longer < 1.2 * day


@pytest.mark.parametrize("count", [0, 1, 2, 3, 150, 500])
def test_processes_are_listed_those_that_used_most(made, page_of, count):
    page = page_of(made([window(0, 0, 10, (1, 1), processes=[process(10 + i, f"p{i}", 0.001 * i, 1000 + i) for i in range(count)])]))
    rows = [row for table in page.tables for row in table if row and re.fullmatch(r"1?\d+", row[0])]
    assert len(rows) == min(count, 200) or count > 200 and 100 <= len(rows) <= 200
    if count:
        assert rows[0][1].split()[0] == f"p{count - 1}"
    if count > 200:
        assert f"of {count}" in page.text()


def test_hostile_texts_are_shown_as_text(made, page_of):
    name = HOSTILE.replace("\x07", "")
    evil = process(7, name, 1.0, 5000)
    evil["command"] = [name, "-x"]
    run = made([window(0, 0, 5, (1, 2), processes=[evil])], command={"text": HOSTILE, "argv": [HOSTILE]}, name=HOSTILE and "evil", message=HOSTILE,
               tags={HOSTILE: HOSTILE}, host={"hostname": HOSTILE}, user={"name": HOSTILE, "uid": 1},
               outcome={"exit_code": 1, "words": HOSTILE, "evidence": HOSTILE}, rungs={HOSTILE: [{"key": HOSTILE, "value": 1, "quality": HOSTILE,
                                                                                                  "why": HOSTILE}]},
               target_limits=[{"name": HOSTILE, "unit": HOSTILE, "limit": 1, "source": HOSTILE, "where": HOSTILE}],
               headline={HOSTILE: {"value": 1, "quality": HOSTILE, "key": HOSTILE, "why": HOSTILE}, **headline(wall_seconds=10.0)},
               collectors=[{"name": HOSTILE, "selected": True, "available": False, "why": HOSTILE, "cost_seconds": 0, "reads": 0, "failures": 0}],
               surroundings={HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]})
    (run / "stdout").write_bytes(HOSTILE.encode() + b"\xff\xfe\x00\n")
    page = page_of(run)
    raw = page.html
    assert [a.get("type") for a, _ in page.scripts] == ["application/json", None][not page.has_charts():]
    assert not [tag for tag, _ in page.elements if tag == "img"]
    assert not set(raw) & ({chr(n) for n in range(32)} - {"\n", "\t"}), "a control character is in the page"
    assert not set(raw) & set("\u202e\u2028\u2029\x7f"), "a mark that turns the direction is in the page"
    assert "</script><script>alert(1)</script><!-- \"'&amp; \\e[31mred\\x07 \\xe2\\x80\\xaegpj.exe" in page.heading()
    assert page.panel("Memory")


def test_hostile_texts_do_not_leave_the_comparison(made, page_of):
    runs = [made([window(0, 0, 5, (1, 2))], name=f"r{i}", command={"text": HOSTILE + str(i), "argv": ["x"]}, id=HOSTILE + str(i),
                 host={"hostname": HOSTILE + str(i)}) for i in range(2)]
    page = page_of(*runs)
    assert [a.get("type") for a, _ in page.scripts] == ["application/json", None][not page.has_charts():]
    assert not set(page.html) & set("\x1b\x07\u202e\u2028")


def test_several_runs_stand_side_by_side(made, page_of):
    runs = [made([window(0, 0, 5, (100 * n, 100 * n))], name=f"run{n}", time={"started": f"2026-11-2{n}T10:00:00Z", "wall_seconds": 10.0 * n},
                 headline=headline(wall_seconds=10.0 * n), host={"hostname": f"node{n}"}, command={"text": "same", "argv": ["same"]}) for n in (1, 2)]
    page = page_of(*runs)
    assert page.sections() == ["runs", "charts", "differences", "circumstances"]
    assert page.row("wall_seconds") == ["= 10.0 s", "= 20.0 s+10.0 s, +100.0 %"]
    assert page.row("host.hostname") == ["node1", "node2"]
    memory = page.panel("Memory")
    assert [line["m"] for line in memory["lines"]] == [[100], [200]]


def test_one_run_that_cannot_be_read_does_not_keep_the_others_away(made, room, report):
    target = room / "page.html"
    called = report(room / "nowhere", made(), "-o", target)
    assert called.status == 1 and "nowhere" in called.err and called.err.count("\n") == 1
    assert Page(target.read_text()).heading() == "job"


def test_alone_it_is_a_mistake_and_no_page_is_made(room, report):
    called = report(room / "nowhere", "-o", room / "page.html")
    assert called.status == 2 and called.err.count("\n") == 1
    assert not (room / "page.html").exists()


def test_a_run_without_a_series_has_a_page_without_charts(made, page_of):
    page = page_of(made())
    assert "charts" not in page.sections() and page.data() is None
    assert page.row("Wall time")[0] == "= 10.0 s"


@pytest.mark.parametrize("name", ["psrecord", "prmon", "resource_monitor", "con-duct"])
def test_records_of_other_tools_have_a_page(name, room, report):
    files = sorted(path for path in (FOREIGN / name).rglob("*") if path.is_file() and not path.name.upper().startswith(("README", "WHY")))
    read = 0
    for path in files:
        target = room / f"{read}.html"
        called = report(path, "-o", target)
        if called.status == 2:
            continue
        page = Page(target.read_text(encoding="utf-8"))
        assert "summary" in page.sections() or "runs" in page.sections()
        read += 1
    assert read > 0, [str(path) for path in files]


def test_the_end_of_the_output_is_there_and_no_more(made, page_of):
    run = made()
    (run / "stdout").write_bytes(b"".join(b"line %d\n" % i for i in range(1000)))
    (run / "stderr").write_bytes(b"x" * 10 ** 6 + b"\nlast words")
    page = page_of(run)
    lines = [text for path, text in page.texts if path[-1:] == ["pre"]]
    assert lines[0].strip().split("\n")[0] == "line 800" and lines[0].strip().endswith("line 999")
    assert lines[1].strip() == "last words"
    assert "The end of 976.6 KiB" in page.text() or "The end of 977 KiB" in page.text()


def test_the_output_of_a_record_is_not_what_a_link_leads_to(made, room, page_of):
    run = made()
    (room / "secret").write_text("the secret")
    (run / "stdout").symlink_to(room / "secret")
    os.mkfifo(run / "stderr")
    page = page_of(run)
    assert "output" not in page.sections() and "the secret" not in page.html


def test_a_full_disk_leaves_what_was_there(made, report, disk_of):
    small = disk_of("16k")
    target = small / "page.html"
    target.write_text("older")
    called = report(made([window(0, 0, 10, (1, 2))]), "-o", target)
    assert called.status == 1 and "No space left" in called.err and called.err.count("\n") == 1
    assert target.read_text() == "older" and [p.name for p in small.iterdir()] == ["page.html"]


def test_what_is_no_file_or_belongs_to_the_run_is_refused(made, room, report):
    run = made([window(0, 0, 10, (1, 2))])
    for target in (room, run / "info.json", run / "usage.jsonl", "/dev/full"):
        before = target.read_bytes() if hasattr(target, "read_bytes") and target.is_file() else None
        called = report(run, "-o", target)
        assert called.status == 2 and called.err.count("\n") == 1, target
        if before is not None:
            assert target.read_bytes() == before


@pytest.mark.parametrize("name", ["page.png", "page.SVG", "page.pdf", "page.txt"])
def test_a_page_gets_no_name_of_a_picture(made, room, report, name):
    called = report(made(), "-o", room / name)
    assert called.status == 2 and called.err.count("\n") == 1 and "assay plot" in called.err
    assert not (room / name).exists()


def test_a_page_takes_the_place_of_an_older_one_and_follows_a_link(made, room, report):
    (room / "old.html").write_text("older")
    (room / "link.html").symlink_to("old.html")
    assert report(made(), "-o", room / "link.html").status == 0
    assert (room / "link.html").is_symlink() and Page((room / "old.html").read_text()).heading() == "job"


def test_standard_output_has_the_same_page_and_a_reader_may_leave(made, room, report, assay):
    run = made([window(0, 0, 10, (1, 2))])
    assert report(run, "-o", room / "page.html").status == 0
    whole = (room / "page.html").read_bytes()
    assert subprocess.run([assay, "report", run], check=True, stdout=subprocess.PIPE).stdout == whole
    assert subprocess.run([assay, "report", run, "-o", "-"], check=True, stdout=subprocess.PIPE).stdout == whole
    with subprocess.Popen([assay, "report", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process_:
        process_.stdout.close()
        assert process_.stderr.read() == b""


def test_a_terminal_gets_no_page(made, assay):
    leader, follower = pty.openpty()
    try:
        done = subprocess.run([assay, "report", made()], stdout=follower, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2 and b"-o FILE is missing" in done.stderr
    finally:
        os.close(leader)
        os.close(follower)


def test_torn_and_damaged_series_are_told(made, page_of):
    page = page_of(made([window(0, 0, 5, (1, 2)), "{broken\n", window(2, 5, 10, (3, 4)), '{"schema": "assay-us']), status=1)
    assert "1 line of the series could not be read, the first is line 2" in page.text()
    assert "the last line of the series is not whole" in page.text()
    assert page.panel("Memory")["lines"][0]["m"] == [1, 3]


def test_a_file_of_several_runs_is_a_page_of_all_of_them(page_of):
    page = page_of(FOREIGN / "jumper-session.zip")
    assert page.heading() == "2 runs side by side"


def test_a_record_of_wrong_types_and_huge_numbers_has_a_page(made, page_of):
    page = page_of(made([window(0, 0, 10, (1, 2))], headline={"wall_seconds": 7, "cpu_seconds": {"value": "x"}, "memory_peak_bytes": {"value": 1e300}},
                        target_limits=7, rungs=[1], collectors={"a": 1}, self=[], host=3, user=None, tags=[1], time={"started": 5}))
    assert "summary" in page.sections()


def test_a_picture_can_be_a_page(made, room, run_assay, assay):
    run = made([window(0, 0, 5, (100, 200), (50, 60)), window(1, 5, 10, (300, 400), (70, 80))])
    caller = Caller(run_assay, assay, room / "plots")
    called = caller("plot", str(run), "-o", str(room / "plot.html"), "--metrics", "memory", "--title", HOSTILE)
    assert called.status == 0, called.err
    page = Page((room / "plot.html").read_text(encoding="utf-8"))
    assert "\\e[31mred" in page.heading() and page.sections() == ["runs", "charts"]
    assert page.panel("Memory")["lines"][0]["m"] == [100, 300] and len(page.data()["panels"]) == 1


def test_without_uplot_the_page_is_made_all_the_same(room):
    """What the build does where npm is not there."""
    subprocess.run([REPOSITORY / "tools" / "web_page.py", room / "page.c", REPOSITORY / "web" / "report.css", REPOSITORY / "web" / "report.js"],
                   check=True)
    source = (room / "page.c").read_text()
    script = bytes(int(n) for n in re.search(r"web_script\[\] = \{([^}]*)\}", source)[1].split(",")).decode()
    assert "typeof uPlot" in script and "leeoniya" not in script
    assert json.dumps(script)  # valid UTF-8, whole


def test_pages_of_a_huge_record_take_little_memory(assay, room):
    skip_with_a_sanitizer(assay, "takes memory of its own")
    run = long_record(room / "huge", 3000, 60)
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run(["python3", "-c", code, assay, "report", run, "-o", room / "page.html"], check=True, stdout=subprocess.PIPE)
    assert int(done.stdout) < 64 * 1024, "KiB"


def test_every_run_of_a_file_is_in_the_page_the_first_too(page_of):
    """sacct.txt has six jobs, and a line that cannot be read."""
    page = page_of(FOREIGN / "sacct.txt", status=1)
    assert page.heading() == "6 runs side by side"
    head = next(table for table in page.tables if len(table[0]) == 7)[0]
    assert [cell.split(":")[0].split(",")[0] for cell in head[1:]] == ["1", "2", "3", "4", "5", "6"]


def test_a_damaged_series_is_told_in_one_line_and_by_the_exit_status_as_plot_does(made, room, report, run_assay, assay):
    run = made([window(0, 0, 5, (1, 2)), "{broken\n", window(2, 5, 10, (3, 4))])
    called = report(run, "-o", room / "page.html")
    plotted = Caller(run_assay, assay, room / "plots")("plot", str(run), "-o", str(room / "plot.html"))
    assert (called.status, plotted.status) == (1, 1)
    assert "1 line could not be read and is left out" in called.err and called.err.count("\n") == 1


@pytest.mark.parametrize("outcome, wanted", [({"exit_code": 0, "words": "exited 0"}, "outcome good"), ({"exit_code": 3, "words": "exited 3"}, "outcome bad"),
                                             ({}, "outcome")])
def test_only_what_is_known_to_have_ended_well_is_green(made, page_of, outcome, wanted):
    page = page_of(made(outcome=outcome))
    assert [a["class"] for tag, a in page.elements if tag == "p" and a.get("class", "").startswith("outcome")] == [wanted]


def test_backslashes_of_a_command_stand_as_they_are_everywhere(made, page_of):
    page = page_of(made(command={"text": "printf 'a\\n'", "argv": ["printf", "a\\n"]}))
    assert page.heading() == "printf 'a\\n'" and page.heading("title") == page.heading()
    assert page.row("text") == ["printf 'a\\n'"]


def test_an_empty_id_is_no_row(made, page_of):
    page = page_of(made(id=""))
    assert not [row for table in page.tables for row in table if row and row[0] == "id"]


@pytest.mark.parametrize("turned", [False, True])
def test_of_equal_limits_the_one_that_was_set_is_bold_not_the_machine(made, page_of, turned):
    limits = [{"name": "cpu", "unit": "cores", "limit": 2, "source": "host", "tightest": True}, {"name": "cpu", "unit": "cores", "limit": 2,
                                                                                              "source": "affinity", "tightest": False}]
    page = page_of(made(headline=headline(wall_seconds=10.0, cpu_mean_cores=1.0), target_limits=limits[::-1] if turned else limits))
    bold = re.findall(r'<tr class="in-use"><th scope="row">cpu</th>.*?</tr>', page.html)
    assert len(bold) == 1 and "affinity" in bold[0] and "host" not in bold[0]


def test_a_run_keeps_its_colour_through_all_charts(made, page_of):
    cpu = made([window(0, 0, 5, (100, 100), (50, 50))], name="a", target_limits=[])
    other = made([window(0, 0, 5, (200, 200), (70, 70))], name="b")
    data = page_of(cpu, other).data()
    if data is None:
        pytest.skip("assay was built without uPlot: web/node_modules was not there")
    lone = made([window(0, 0, 5, None, (50, 50))], name="c")
    page = page_of(lone, other)
    assert [[line["k"] for line in page.panel(title)["lines"]] for title in ("CPU", "Memory")] == [[0, 1], [1]]
    assert [[line["k"] for line in panel["lines"]] for panel in data["panels"]] == [[0, 1], [0, 1]]


def test_started_is_a_time_that_people_read(made, page_of):
    runs = [made([window(0, 0, 5, (1, 2))], name=f"r{n}", time={"started": "2026-11-28T10:00:00.123456Z", "wall_seconds": 10.0}) for n in (1, 2)]
    assert page_of(*runs).row("1: r1")[-2] == "2026-11-28 10:00:00 UTC"


def test_a_gap_says_in_the_picture_what_it_is(made, page_of):
    page = page_of(made([window(0, 0, 20, (1, 2)), window(1, 60, 100, (1, 2))]))
    gaps = re.findall(r'<rect class="gap"[^>]*><title>([^<]*)</title></rect>\n<text class="why"[^>]*>([^<]*)</text>', page.html)
    assert gaps and all(title == label for title, label in gaps)


def test_thinned_peaks_have_an_edge_to_be_seen_by(room, page_of):
    page = page_of(long_record(room / "day", 1440, 60))
    assert re.search(r'<path class="area range k0" d="M', page.html)
    width = re.search(r"\.plot svg \.range \{[^}]*stroke: var\(--k\); stroke-width: ([0-9.]+)", page.styles[0])
    assert width and float(width[1]) >= 1.5


def test_events_and_limits_of_several_runs_name_the_run(made, page_of):
    limits = [{"name": "memory", "unit": "bytes", "limit": 4000, "source": "cgroup", "where": "/x/memory.max", "tightest": True}]
    runs = [made([window(0, 0, 5 * n, (900, 1000))], name=f"r{n}", target_limits=limits if n == 1 else [], outcome={"exit_code": 0, "words": "exited 0"},
                 time={"started": "2026-11-28T10:00:00Z", "wall_seconds": 5.0 * n}) for n in (1, 2)]
    page = page_of(*runs)
    pictures = re.findall(r'<text class="mark"[^>]*>([^<]*)</text>', page.html)
    assert pictures and all(re.match("r[12]: ", label) for label in pictures)
    assert any("r1: limit" in row[0] for table in page.tables for row in table)


@pytest.mark.parametrize("what, words", [("closed", "Permission denied"), ("a directory", "Is a directory"), ("damaged", "2 lines could not be read")])
def test_a_series_of_which_nothing_can_be_read_is_one_line_and_status_1_beside_the_page(made, room, report, ordinary_user, what, words):
    run = made(["no json\n", "{broken\n"])
    (room / "here").mkdir(exist_ok=True)
    if what != "damaged":
        (run / "usage.jsonl").unlink()
    if what == "closed":
        (run / "usage.jsonl").touch(mode=0o000)
    if what == "a directory":
        (run / "usage.jsonl").mkdir()
    target = room / "page.html"
    called = report(run, "-o", target, **({"user": ordinary_user} if what == "closed" else {}))

    assert called.status == 1
    assert called.err.count("\n") == 1 and words in called.err and f"{run}/usage.jsonl" in called.err
    assert Page(target.read_text(encoding="utf-8")).heading() == "job"


@pytest.mark.parametrize("gone", ["all", "emptied", "a link to itself", "the end"])
def test_windows_that_the_record_counts_and_the_series_lacks_are_told_by_report_and_plot(made, room, report, run_assay, assay, gone):
    windows = [window(0, 0, 5, (1, 2)), window(1, 5, 10, (3, 4))]
    run = made(windows, self={"windows": 2, "records_written": 2, "records_lost": 0, "write_failures": 0})
    series = run / "usage.jsonl"
    whole = report(run, "-o", room / "whole.html")
    assert (whole.status, whole.err) == (0, "")
    lines = series.read_text().splitlines(keepends=True)
    series.unlink()
    if gone == "a link to itself":
        series.symlink_to("usage.jsonl")
    elif gone != "all":
        series.write_text(lines[0] if gone == "the end" else "")
    called = report(run, "-o", room / "page.html")
    plotted = Caller(run_assay, assay, room / "plots")("plot", str(run), "-o", str(room / "plot.html"))

    assert (called.status, plotted.status) == (1, 1)
    wanted = "1 window is missing" if gone == "the end" else "2 windows are missing"
    assert called.err.count("\n") == 1 and wanted in called.err and str(series) in called.err
