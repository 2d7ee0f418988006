# SPDX-License-Identifier: MIT
"""PNG, SVG and PDF of `assay plot`: against pictures that somebody looked at, of hostile texts, and when gnuplot or the disk fails.

tests/golden/picture-*.png are the pictures at half their size; ASSAY_GOLDEN=write writes them anew, to be looked at before they are committed."""
import json
import os
import re
import shutil
import signal
import subprocess
import xml.etree.ElementTree

import pytest

from calling import Caller
from support import REPOSITORY, alive, wait_for

FIXTURES = REPOSITORY / "tests" / "fixtures" / "pictures"
GOLDEN = REPOSITORY / "tests" / "golden"
WIDTH = 800
# Of 255, after a blur: what another version of a font moves. The first holds everywhere, the second in each square of TILE pixels.
MEAN_TOLERANCE, TILE_TOLERANCE, TILE = 1.0, 12.0, 10

needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="needs gnuplot (Debian package gnuplot-nox)")


@pytest.fixture
def plot(run_assay, assay, room):
    caller = Caller(run_assay, assay, room / "here")
    return lambda *words, **more: caller("plot", *map(str, words), **more)


@pytest.fixture
def training(room):
    """A copy of a fixture's run, whose info and windows a function may change."""
    def copy(change_info=None, change_window=None, name="training"):
        made = room / f"copy-{len(list(room.glob('copy-*')))}"
        shutil.copytree(FIXTURES / name, made)
        if change_info:
            info = json.loads((made / "info.json").read_text(encoding="utf-8"))
            change_info(info)
            (made / "info.json").write_text(json.dumps(info), encoding="utf-8")
        if change_window:
            windows = [json.loads(line) for line in (made / "usage.jsonl").read_text(encoding="utf-8").splitlines()]
            for window in windows:
                change_window(window)
            (made / "usage.jsonl").write_text("".join(json.dumps(w) + "\n" for w in windows), encoding="utf-8")
        return made
    return copy


def small(path):
    """The picture at half its size, as numbers."""
    image = pytest.importorskip("PIL.Image", reason="needs python3-pil")
    with image.open(path) as whole:
        return whole.convert("RGB").reduce(2)


def distance(a, b):
    """How far two pictures are apart: (mean, in the worst square); None when they are of different sizes."""
    image_filter = pytest.importorskip("PIL.ImageFilter")
    numpy = pytest.importorskip("numpy", reason="needs python3-numpy")
    if a.size != b.size:
        return None
    blurred = [numpy.asarray(picture.filter(image_filter.GaussianBlur(1.2)), dtype=float) for picture in (a, b)]
    apart = numpy.abs(blurred[0] - blurred[1]).mean(axis=2)
    high, wide = (n // TILE * TILE for n in apart.shape)
    tiles = apart[:high, :wide].reshape(high // TILE, TILE, wide // TILE, TILE).mean(axis=(1, 3))
    return apart.mean(), tiles.max()


def is_near(a, b):
    apart = distance(a, b)
    return apart is not None and apart[0] <= MEAN_TOLERANCE and apart[1] <= TILE_TOLERANCE


PICTURES = {
    "one": (["training"], []),
    "dark": (["training"], ["--dark", "--metrics=cpu,memory,processes"]),
    "overlaid": (["training", "training-short"], ["--relative", "--metrics=cpu,memory,io"]),
    "stacked": (["training", "training-short"], ["--relative", "--layout=stacked", "--metrics=cpu,memory"]),
    "beside": (["training", "training-short"], ["--relative", "--layout=beside", "--metrics=cpu,memory"]),
}


def drawn(plot, runs, options, name):
    called = plot("-o", f"HERE/{name}", f"--width={WIDTH}", *options, *runs)
    assert (called.status, called.err) == (0, "")
    return called.here / name


@needs_gnuplot
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did_when_somebody_looked_at_it(plot, name):
    if not shutil.which("fc-match"):
        pytest.skip("needs fc-match (Debian package fontconfig), to know which letters are drawn")
    font = subprocess.run(["fc-match", "-f", "%{file}", "DejaVu Sans"], stdout=subprocess.PIPE, text=True, check=False).stdout
    if not font.endswith("/DejaVuSans.ttf"):
        pytest.skip(f"golden pictures have the letters of DejaVu Sans (Debian package fonts-dejavu-core), not of {font}")
    runs, options = PICTURES[name]
    now = small(drawn(plot, [FIXTURES / run for run in runs], options, "x.png"))
    golden = GOLDEN / f"picture-{name}.png"
    if os.environ.get("ASSAY_GOLDEN") == "write":
        now.quantize(64, dither=0).save(golden, optimize=True)
    image = pytest.importorskip("PIL.Image")
    with image.open(golden) as looked_at:
        apart = distance(now, looked_at.convert("RGB"))
    assert apart is not None, f"{name} is {now.size}"
    assert apart[0] <= MEAN_TOLERANCE and apart[1] <= TILE_TOLERANCE, apart


def scale(key, factor):
    def change(window):
        for statistic in ("max", "mean", "last", "delta"):
            if statistic in window["values"][key]:
                window["values"][key][statistic] *= factor
    return change


def drop_cpu_limit(info):
    info["target_limits"] = [limit for limit in info["target_limits"] if limit["name"] != "cpu"]


@needs_gnuplot
@pytest.mark.parametrize("info, window", [
    (None, scale("proc_rss_total_bytes", 1.1)), (None, scale("tree_cpu_percent", 0.9)), (drop_cpu_limit, None),
    (None, lambda window: window.pop("suspended_seconds", None)),
], ids=["a tenth more memory", "a tenth less CPU", "no limit", "no gap"])
def test_a_wrong_picture_is_outside_the_tolerance(plot, training, info, window):
    right = small(drawn(plot, [training()], [], "right.png"))
    again = small(drawn(plot, [training()], [], "again.png"))
    wrong = small(drawn(plot, [training(info, window)], [], "wrong.png"))
    assert distance(right, again) == (0, 0)
    assert not is_near(right, wrong), distance(right, wrong)


@needs_gnuplot
def test_dark_is_dark_and_sizes_are_those_asked_for(plot):
    image = pytest.importorskip("PIL.Image", reason="needs python3-pil")
    run = FIXTURES / "training"
    for dark, least, most in ((False, 200, 255), (True, 0, 60)):
        called = plot("-o", "HERE/x.png", "--width=600", "--height=900", *(["--dark"] if dark else []), run)
        assert (called.status, called.err) == (0, "")
        with image.open(called.here / "x.png") as picture:
            assert picture.size == (600, 900)
            grey = picture.convert("L").resize((1, 1)).getpixel((0, 0))
        assert least <= grey <= most


@needs_gnuplot
def test_a_height_too_small_for_the_panels_is_one_clear_line(plot):
    called = plot("-o", "HERE/x.png", "--height=200", FIXTURES / "training")
    assert called.status == 2
    assert re.fullmatch(r"assay: HERE/x\.png: the picture needs a height of \d+ at least, for \d panels one above the other; 200 were asked for\n",
                        called.err.replace(str(called.here), "HERE"))
    assert not (called.here / "x.png").exists()


@needs_gnuplot
def test_bigger_letters_take_more_room(plot):
    image = pytest.importorskip("PIL.Image", reason="needs python3-pil")
    heights = []
    for points in (8, 14):
        called = plot("-o", "HERE/x.png", f"--font-size={points}", FIXTURES / "training")
        assert (called.status, called.err) == (0, "")
        with image.open(called.here / "x.png") as picture:
            heights.append(picture.size[1])
    assert heights[1] > 1.5 * heights[0]


def svg_of(called):
    tree = xml.etree.ElementTree.parse(called.here / "x.svg")
    return [text for element in tree.iter("{http://www.w3.org/2000/svg}text") if (text := "".join(element.itertext()).strip())]


@needs_gnuplot
def test_svg_is_xml_and_says_key_quality_unit_and_origin(plot):
    called = plot("-o", "HERE/x.svg", FIXTURES / "training")
    assert (called.status, called.err) == (0, "")
    texts = svg_of(called)
    for text in ("proc_pss_total_bytes, sampled", "proc_rss_total_bytes, upper bound at the samples", "tree_io_read_bytes per second, exact", "GiB", "MiB/s", "cores",
                 "python3 train.py --epochs 12", "node7 \N{MIDDLE DOT} 2026-11-28 18:00:00Z \N{MIDDLE DOT} 1m 42.0s \N{MIDDLE DOT} exited 0",
                 "the machine slept", "nothing was recorded", "time from the start (s)",
                 "recorded by assay 0.1.0 \N{MIDDLE DOT} run 2026.11.28T18.00.00-4000 \N{MIDDLE DOT} node7"):
        assert text in texts, texts


@needs_gnuplot
def test_pdf_is_whole_and_has_the_width_asked_for(plot):
    called = plot("-o", "HERE/x.pdf", "--width=500", FIXTURES / "training")
    assert (called.status, called.err) == (0, "")
    data = (called.here / "x.pdf").read_bytes()
    assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")
    assert re.search(rb"/MediaBox \[ 0 0 500 \d+ \]", data)


SHELL = "$(touch CANARY)`touch CANARY`"
HOSTILE = {
    "quotes": "it's ''two'' ''''four'''' \"double\" \\ end\\",
    "a command after quotes": "''''; system('touch CANARY'); set label '",
    "shell": SHELL,
    "macros": "@x $1 $data %s %n {/Symbol=99 a}_b^c # comment",
    "markup": "</text></svg><script>alert(1)</script>&amp;&lt;",
    "lines": "one\ntwo\ne\nset output 'CANARY'\nsystem 'touch CANARY'\r\n",
    "directions": "abc\u202egnp.exe\u200f\u2066x",
    "control characters": "\x01\x1b[31m\x7f\x9b",
    "wide": "\u4e2d\u6587 \u00e9 \U0001f600 \u0301",
}


def shown(text):
    """As the program shows text that is quoted already: what may not be shown is escaped."""
    named = {"\n": "\\n", "\t": "\\t", "\x1b": "\\e"}
    hidden = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
    return hidden.sub(lambda m: named.get(m[0]) or "".join(f"\\x{byte:02x}" for byte in m[0].encode()), text)


@needs_gnuplot
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_texts_are_shown_and_never_read(plot, training, what, room):
    text = HOSTILE[what].replace("CANARY", str(room / "canary"))

    def change(info):
        info["name"] = "n" + text
        info["command"] = {"text": text, "argv": [text]}
        info["host"]["hostname"] = "h" + text
        info["id"] = "i" + text

    def change_window(window):
        for process in window["processes"]:
            process["name"] = "p" + text[:40]

    run = training(change, change_window)
    called = plot("-o", "HERE/x.svg", f"--title=T{text}", "--width=4000", "--font-size=8", "--metrics=cpu,memory,processes,*process*", run)
    assert (called.status, called.err) == (0, "")
    texts = svg_of(called)
    assert any(("T" + shown(text)).strip() == t for t in texts), texts
    assert any(shown(text).strip() in t and "h" + shown(text).strip() in t for t in texts), texts
    assert not (room / "canary").exists() and [p.name for p in called.here.iterdir()] == ["x.svg"]
    for end in ("png", "pdf"):
        called = plot("-o", f"HERE/x.{end}", f"--title=T{text}", run)
        assert (called.status, called.err) == (0, "")
    assert not (room / "canary").exists()


@needs_gnuplot
def test_a_text_of_four_thousand_characters_is_cut(plot, training):
    long = "".join(f"{i:05d}" for i in range(800))

    def change(info):
        info["name"] = info["id"] = info["host"]["hostname"] = long
        info["command"] = {"text": long, "argv": [long]}

    called = plot("-o", "HERE/x.svg", training(change))
    assert (called.status, called.err) == (0, "")
    texts = svg_of(called)
    assert any(t.startswith("0000000001") and t.endswith("\N{HORIZONTAL ELLIPSIS}") for t in texts)
    assert all(len(t) < 300 for t in texts)


@needs_gnuplot
def test_the_settings_of_the_user_do_not_count(plot):
    called = plot("-o", "HERE/before.svg", FIXTURES / "training")
    home = called.here / "home"
    home.mkdir(exist_ok=True)
    (home / ".gnuplot").write_text("set terminal dumb\nset output '/nowhere/x'\nset xlabel 'CANARY'\n", encoding="utf-8")
    called = plot("-o", "HERE/after.svg", FIXTURES / "training", env={"GNUTERM": "dumb"})
    assert (called.status, called.err) == (0, "")
    assert (called.here / "before.svg").read_bytes() == (called.here / "after.svg").read_bytes()


@needs_gnuplot
def test_anybody_can_draw_and_needs_no_home(plot, user):
    for end, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        called = plot("-o", f"HERE/x.{end}", FIXTURES / "training", user=user, env={"HOME": "/nowhere"})
        assert (called.status, called.err) == (0, "")
        path = called.here / f"x.{end}"
        assert path.read_bytes().startswith(start) and path.stat().st_uid == user.uid


def fake_gnuplot(room, script):
    """A directory with a program called gnuplot, for PATH."""
    path = room / "bin"
    path.mkdir()
    program = path / "gnuplot"
    program.write_text("#!/bin/sh\n" + script, encoding="utf-8")
    program.chmod(0o755)
    return f"{path}:/usr/bin:/bin"


def test_without_gnuplot_the_line_names_the_package_and_nothing_is_left(plot, room):
    empty = room / "empty"
    empty.mkdir()
    called = plot("-o", "HERE/x.png", FIXTURES / "training", env={"PATH": str(empty)})
    assert called.status == 1
    assert called.err == (f"assay: {called.here}/x.png: PNG, SVG and PDF are drawn by gnuplot, which is not in PATH "
                          "(Debian package gnuplot-nox)\n")
    assert list(called.here.iterdir()) == []


@pytest.mark.parametrize("script, said", [
    ("cat >/dev/null; echo 'set terminal pngcairo' >&2; echo '         ^' >&2; echo '  line 2: unknown terminal type' >&2; exit 1",
     "gnuplot failed with exit status 1: line 2: unknown terminal type"),
    ("echo half a picture; kill -SEGV $$", "gnuplot was killed by SIGSEGV"),
    ("cat >/dev/null; exit 0", "gnuplot drew nothing"),
    ("exit 3", "gnuplot failed with exit status 3"),
    ("printf '\\033[31mred\\n\\n' >&2; exit 1", "gnuplot failed with exit status 1: \\e[31mred"),
], ids=["fails", "dies", "draws nothing", "reads nothing", "says what may not be shown"])
def test_a_gnuplot_that_fails_is_one_line_and_the_file_stays_as_it_was(plot, room, script, said):
    path = fake_gnuplot(room, script)
    called = plot("-o", "HERE/x.png", FIXTURES / "training", env={"PATH": path})
    assert (called.status, called.err) == (1, f"assay: {called.here}/x.png: {said}\n")
    assert list(called.here.iterdir()) == []
    (called.here / "x.png").write_bytes(b"before")
    called = plot("-o", "HERE/x.png", FIXTURES / "training", env={"PATH": path})
    assert called.status == 1
    assert [(p.name, p.read_bytes()) for p in called.here.iterdir()] == [("x.png", b"before")]


def test_one_that_is_no_program_is_told(plot, room):
    path = fake_gnuplot(room, "")
    (room / "bin" / "gnuplot").write_bytes(b"\x7fELF nothing")
    called = plot("-o", "HERE/x.png", FIXTURES / "training", env={"PATH": path})
    assert called.status == 1 and called.err.startswith(f"assay: {called.here}/x.png: ") and called.err.count("\n") == 1
    assert "gnuplot" in called.err and list(called.here.iterdir()) == []


def test_an_interrupt_ends_both_and_leaves_nothing(assay, room):
    path = fake_gnuplot(room, f"echo $$ >{room}/pid.new; mv {room}/pid.new {room}/pid; exec sleep 1000")
    process = subprocess.Popen([str(assay), "plot", "-o", str(room / "x.png"), str(FIXTURES / "training")], stdin=subprocess.DEVNULL,
                               env={**os.environ, "PATH": path})
    wait_for((room / "pid").exists, "gnuplot to be started")
    child = int((room / "pid").read_text(encoding="utf-8"))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
    wait_for(lambda: not alive(child), "gnuplot to end")
    assert sorted(p.name for p in room.iterdir()) == ["bin", "pid"]


@needs_gnuplot
def test_who_ignores_the_end_of_children_gets_a_picture(assay, room):
    """The disposition of SIGCHLD is inherited, and with it ignored there is nothing to wait for."""
    done = subprocess.run(["bash", "-c", "trap '' CHLD; exec \"$@\"", "bash", str(assay), "plot", "-o", str(room / "x.png"), str(FIXTURES / "training")],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (room / "x.png").read_bytes()[:4] == b"\x89PNG"


@needs_gnuplot
def test_a_full_disk_is_one_line_and_leaves_the_old_picture(plot, disk_of):
    disk = disk_of("64k")
    (disk / "x.png").write_bytes(b"before")
    (disk / "filler").write_bytes(b"x" * 45000)
    called = plot("-o", disk / "x.png", "--width=3000", FIXTURES / "training")
    assert called.status == 1
    assert called.err == f"assay: {disk}/x.png: cannot write the picture: No space left on device\n"
    assert (disk / "x.png").read_bytes() == b"before"
    assert sorted(p.name for p in disk.iterdir()) == ["filler", "x.png"]


@needs_gnuplot
def test_gnuplot_is_not_left_with_ignored_or_blocked_signals(plot, room):
    path = fake_gnuplot(room, f"grep -E '^Sig(Blk|Ign)' /proc/self/status >{room}/signals\nexec {shutil.which('gnuplot')} \"$@\"")
    called = plot("-o", "HERE/x.png", FIXTURES / "training", env={"PATH": path})
    assert (called.status, called.err) == (0, "")
    masks = dict(line.split(":") for line in (room / "signals").read_text(encoding="utf-8").splitlines())
    assert int(masks["SigBlk"], 16) == 0
    assert not int(masks["SigIgn"], 16) >> (signal.SIGPIPE - 1) & 1


def test_too_many_runs_beside_each_other_are_refused_with_the_width_that_they_need(run_assay, room):
    run_assay(["true"])
    target = room / "picture.png"
    words = [str(run_assay.assay), "plot", "--layout=beside", "--metrics=cpu", "-o", str(target), *[f"{run_assay.room}/run1-"] * 30]
    refused = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=run_assay.environment(), check=False)

    assert refused.returncode == 2
    assert b"30 runs beside each other have no room in a width of 1000" in refused.stderr
    assert not target.exists()


def darkest_of_rows(path, left, right):
    """Of each row of pixels between two columns the value of the darkest one, 0 to 255."""
    image = pytest.importorskip("PIL.Image", reason="needs python3-pil")
    with image.open(path) as picture:
        grey = picture.convert("L")
        return [min(grey.crop((left, y, right, y + 1)).getdata()) for y in range(grey.height)]


@needs_gnuplot
def test_a_peak_of_one_window_among_thousands_can_be_seen(plot, training):
    """Means of the 40 windows that become a point are low; what was met is a line that is not much paler than theirs."""
    run = training(name="training-short")
    first = json.loads((run / "usage.jsonl").read_text(encoding="utf-8").splitlines()[0])
    info = json.loads((run / "info.json").read_text(encoding="utf-8"))
    info.pop("target_limits", None)
    (run / "info.json").write_text(json.dumps(info), encoding="utf-8")
    with open(run / "usage.jsonl", "w", encoding="utf-8") as series:
        for i in range(8000):
            value = 8 << 30 if i == 4000 else 1 << 30
            values = {"proc_pss_total_bytes": {"max": value, "mean": 1 << 30, "last": 1 << 30, "quality": "sampled"}}
            series.write(json.dumps({**first, "sequence": i, "start_seconds": 2.0 * i, "end_seconds": 2.0 * i + 2, "values": values, "processes": []},
                                    separators=(",", ":")) + "\n")
    called = plot("-o", "HERE/x.png", f"--width={WIDTH}", "--points=200", "--metrics=proc_pss_total_bytes", run)
    assert (called.status, called.err) == (0, "")
    rows = darkest_of_rows(called.here / "x.png", WIDTH // 2 - 20, WIDTH - 40)
    seen = [y for y, dark in enumerate(rows) if dark < 150]
    longest = max(sum(1 for y in seen if start <= y < start + 200) for start in seen)
    assert longest > 150, longest


def named(name, limit=None):
    """What makes a fixture's run one of that name, with another limit of memory."""
    def change(info):
        info["name"] = name
        for one in info["target_limits"]:
            if limit and one["name"] == "memory":
                one["limit"] = limit
    return change


def places_of(called):
    """Each text of a picture with where it stands: (text, x, y)."""
    tree = xml.etree.ElementTree.parse(called.here / "x.svg")
    places = []
    for group in tree.iter("{http://www.w3.org/2000/svg}g"):
        place = re.fullmatch(r"translate\(([\d.]+),([\d.]+)\).*", group.get("transform", ""))
        for text in group.findall("{http://www.w3.org/2000/svg}text") if place else []:
            places.append(("".join(text.itertext()).strip(), float(place[1]), float(place[2])))
    return places


@needs_gnuplot
def test_each_of_thirty_runs_has_its_name_in_the_head(plot, training):
    runs = [training(named(f"fold-{i}")) for i in range(30)]
    called = plot("-o", "HERE/x.svg", "--relative", "--metrics=cpu", *runs)
    assert (called.status, called.err) == (0, "")
    texts = svg_of(called)
    assert [f"fold-{i}" for i in range(30) if f"fold-{i}" not in texts] == []
    assert not [text for text in texts if re.fullmatch(r"and \d+ more", text)]


@needs_gnuplot
def test_limits_that_differ_say_of_which_run_they_are(plot, training):
    runs = [training(named("small", 2 << 30)), training(named("great", 512 << 30))]
    called = plot("-o", "HERE/x.svg", "--relative", "--metrics=memory", *runs)
    assert (called.status, called.err) == (0, "")
    texts = svg_of(called)
    assert any(text.startswith("small: limit 2 GiB") for text in texts), texts
    assert any(text.startswith("great: limit 512 GiB") for text in texts), texts


@needs_gnuplot
def test_the_name_of_the_highest_limit_stands_above_it_where_nothing_is_drawn(plot, training):
    called = plot("-o", "HERE/x.svg", "--metrics=cpu", training())
    assert (called.status, called.err) == (0, "")
    places = places_of(called)
    tick = min(y for text, _, y in places if text == "4")
    name = min(y for text, _, y in places if text == "allowed 4 cores (affinity)")
    assert name < tick, places


@needs_gnuplot
@pytest.mark.parametrize("options, clock", [(["--relative"], r"\d+"), ([], r"\d\d:\d\d:\d\d")], ids=["from the start", "of the clock"])
def test_times_below_narrow_columns_are_two_at_least_and_apart(plot, training, options, clock):
    runs = [training(named(f"fold-{i}")) for i in range(4)]
    called = plot("-o", "HERE/x.svg", "--layout=beside", "--metrics=cpu", *options, *runs)
    assert (called.status, called.err) == (0, "")
    y = max(y for text, _, y in places_of(called) if re.fullmatch(clock, text))
    row = sorted((x, text) for text, x, place in places_of(called) if place == y and text)
    assert len(row) >= 8 and all(re.fullmatch(clock, text) for _, text in row), row
    # A figure is 0.64 em of letters of 12 pixels at the least.
    apart = [b[0] - a[0] for a, b in zip(row, row[1:])]
    assert min(apart) > len(row[-1][1]) * 0.5 * 12, row


@pytest.mark.parametrize("width, size, fits", [(200, 30, False), (300, 40, False), (200, 72, False), (200, 4, True), (300, 10, True)])
def test_letters_too_large_for_the_sheet_are_refused_with_the_width_that_they_need(plot, training, room, width, size, fits):
    target = room / "picture.png"
    called = plot(f"--width={width}", f"--font-size={size}", "-o", target, training())

    assert called.status == (0 if fits else 2), called.err
    assert target.exists() == fits
    assert fits or f"a width of {width} has no room beside the numbers" in called.err
