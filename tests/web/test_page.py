# SPDX-License-Identifier: MIT
"""The page of `assay report` in a browser: what is drawn, what the pointer and the keys do, whether everybody can use it. Chromium by playwright-core."""
import json
import os
import shutil
import subprocess
import sys
import threading

import pytest

from pages import long_record, make_record, process, window
from support import REPOSITORY, skip_with_a_sanitizer

# The pages are made once.
pytestmark = pytest.mark.xdist_group("group:pages")

BROWSE = REPOSITORY / "tests" / "web" / "browse.js"
MODULES = REPOSITORY / "web" / "node_modules"
SECONDS_MAX = 120  # of one test: a machine may be slow, a browser may hang

# How many pixels of a chart's canvas are of a colour that is no grey: lines, and what is filled.
COLOURED = """(canvas) => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let n = 0;
    for (let i = 0; i < pixels.length; i += 4)
        n += pixels[i + 3] > 100 && Math.max(pixels[i], pixels[i + 1], pixels[i + 2]) - Math.min(pixels[i], pixels[i + 1], pixels[i + 2]) > 60;
    return n;
}"""


@pytest.fixture(scope="session")
def chromium(assay):
    skip_with_a_sanitizer(assay, "changes nothing in the pages, which are looked at with the plain build")
    found = shutil.which("chromium")
    if not found or not shutil.which("node"):
        pytest.skip("needs chromium and node")
    if not (MODULES / "playwright-core").exists() or not (MODULES / "axe-core").exists():
        pytest.skip("needs web/node_modules: tools/deps.sh check, with npm")
    if not (MODULES / "uplot").exists():
        pytest.skip("needs uPlot in web/node_modules when assay is built")
    return found


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


def report(assay, folder, name, *runs):
    target = folder / f"{name}.html"
    subprocess.run([assay, "report", *runs, "-o", target], check=True)
    return target


@pytest.fixture(scope="session")
def one(assay, folder):
    """Memory: 1, 3 and 2 GB; CPU half a core, then one and a half; a gap from 40 to 50 s."""
    giga = 10 ** 9
    windows = [window(0, 0, 20, (giga, 1.5 * giga), (50, 90), [process(11, "alpha", 5.0, 300), process(12, "beta", 1.0, 900)]),
               window(1, 20, 40, (3 * giga, 3.5 * giga), (150, 151), [process(11, "alpha", 9.0, 400), process(13, "gamma", 2.0, 100)]),
               window(2, 50, 100, (2 * giga, 2.5 * giga), (100, 110))]
    run = make_record(folder / "one", windows, target_limits=[
        {"name": "memory", "unit": "bytes", "limit": 4 * giga, "source": "cgroup", "where": "/sys/fs/cgroup/x/memory.max", "tightest": True}],
        time={"started": "2026-11-28T10:00:00Z", "wall_seconds": 100.0},
        headline={"wall_seconds": {"value": 100.0, "quality": "exact", "key": "k"},
                  "memory_peak_bytes": {"value": 3500000000, "quality": "lower_bound", "key": "proc_pss_total_bytes", "why": "samples"}})
    (run / "stdout").write_text("some words\n")
    return report(assay, folder, "one", run)


@pytest.fixture(scope="session")
def several(assay, folder):
    runs = [make_record(folder / f"r{n}", [window(i, i * 10, i * 10 + 10, (n * 100 + i, n * 100 + i)) for i in range(5)],
                        time={"started": f"2026-11-2{n}T10:00:00Z", "wall_seconds": 10.0 * n}) for n in (1, 2, 3)]
    return report(assay, folder, "several", *runs)


class Browser:
    """One browser for all tests, in which each page has a profile of its own; started again where it hung."""

    def __init__(self, chromium, home):
        self.words = ["node", BROWSE, chromium]
        self.home = home
        self.process = None

    def ask(self, options):
        if not self.process or self.process.poll() is not None:
            self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sys.stderr, text=True,
                                            env={**os.environ, "HOME": str(self.home)})
        end = threading.Timer(SECONDS_MAX, self.process.kill)
        end.start()
        try:
            self.process.stdin.write(json.dumps(options) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        finally:
            end.cancel()
        assert line, f"the browser ended, or said nothing for {SECONDS_MAX} seconds"
        return json.loads(line)

    def close(self):
        if self.process:
            self.process.communicate(timeout=SECONDS_MAX)


@pytest.fixture(scope="session")
def browser(chromium, folder):
    one = Browser(chromium, folder)
    yield one
    one.close()


@pytest.fixture(scope="session")
def browse(browser):
    """Runs the lines of JavaScript with `page`; gives what they return. The page says nothing on the console, and asks for nothing but itself."""
    def run(page, act, scheme="light", script=True, width=1000, height=900):
        seen = browser.ask({"page": str(page), "act": act, "scheme": scheme, "script": script, "width": width, "height": height})
        assert "failed" not in seen, seen["failed"]
        # The tests themselves read pixels back.
        assert seen["errors"] == [] and [line for line in seen["messages"] if "willReadFrequently" not in line] == []
        assert seen["requests"] == [f"file://{page}"]
        return seen.get("result")
    return run


def test_every_chart_is_drawn_and_the_pictures_give_way(browse, one):
    drawn, pictures, charts = browse(one, f"""
        return [await page.$$eval("canvas", (all) => all.map({COLOURED})), await page.locator(".plot > svg:visible").count(),
                await page.locator("figure").count()];""")
    assert len(drawn) == charts > 1 and all(n > 300 for n in drawn)
    assert pictures == 0


def test_the_pointer_reads_all_charts_at_one_moment(browse, one):
    found = browse(one, """
        const plot = page.locator("figure", { has: page.locator("h3", { hasText: /^Memory$/ }) }).locator(".u-over");
        const box = await plot.boundingBox();
        const read = async () => [await page.locator("#at").textContent(), await page.$$eval("td.now", (all) => all.map((one) => one.textContent))];
        const moments = [];
        for (const part of [0.3, 0.1, 0.45]) {
            await plot.hover({ position: { x: box.width * part, y: 50 } });
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            moments.push(await read());
        }
        return moments;""")
    (at, values), (_, earlier), (gap, nothing) = found
    assert abs(float(at.split()[0]) - 30) < 0.5
    assert values[0] == "~ 1.5 cores (1.5 to 1.51)" and any(value.startswith("~ 2.79 GiB") for value in values)
    assert any(value.startswith("~ 954 MiB") for value in earlier)
    assert gap.endswith(", nothing was recorded")
    assert nothing[0] == "–"


def test_dragging_looks_closer_in_all_charts_and_a_double_click_goes_back(browse, one):
    closer, back = browse(one, """
        const plot = page.locator(".u-over").first();
        await plot.scrollIntoViewIfNeeded();
        const box = await plot.boundingBox();
        await page.mouse.move(box.x + box.width * 0.2, box.y + 40);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.4, box.y + 40, { steps: 5 });
        await page.mouse.up();
        const closer = await page.locator("#view").textContent();
        await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 40);
        return [closer, await page.locator("#view").textContent()];""")
    begin, end = (float(part.split()[0]) for part in closer.split(" to "))
    assert 19 < begin < 21 and 39 < end < 41
    assert back == ""


def test_ticks_of_the_clock_are_told_apart_and_even_however_near_one_looks(browse, assay, folder):
    run = make_record(folder / "clock", [window(i, i, i + 1, (10 ** 9, 10 ** 9), (50, 50)) for i in range(5)],
                      time={"started": "2026-11-28T10:00:00Z", "wall_seconds": 5.0})
    page = folder / "clock.html"
    subprocess.run([assay, "plot", "--clock", "-o", page, run], check=True)
    whole, closer, bytes_of = browse(page, """
        await page.evaluate(() => {
            window.told = [];
            const before = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, ...more) { window.told.push(text); return before.call(this, text, ...more); };
        });
        const drawn = async (act) => {
            await page.evaluate(() => { window.told = []; });
            await act();
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            return page.evaluate(() => window.told);
        };
        const isClock = (text) => /^\\d\\d:\\d\\d:/.test(text);
        const plot = page.locator(".u-over").first();
        const box = await plot.boundingBox();
        const whole = await drawn(() => page.locator("button.theme").click());
        const closer = await drawn(async () => {
            await page.mouse.move(box.x + box.width * 0.41, box.y + 40);
            await page.mouse.down();
            await page.mouse.move(box.x + box.width * 0.51, box.y + 40, { steps: 5 });
            await page.mouse.up();
        });
        return [whole.filter(isClock), closer.filter(isClock), whole.filter((text) => / MiB$/.test(text))];""")
    assert set(whole) == {f"10:00:0{second}" for second in range(6)}
    # Two tenths of a second, or one, between 2.05 and 2.55 s: the same of each chart.
    ticks = sorted(set(closer))
    seconds = [float(text[6:]) for text in ticks]
    assert len(ticks) >= 3 and all(2.04 < second < 2.56 for second in seconds)
    assert len({round(b - a, 3) for a, b in zip(seconds, seconds[1:])}) == 1
    assert bytes_of and all(float(text.split()[0]) in (128, 256, 512, 768) for text in bytes_of)


def test_a_line_is_hidden_and_shown_from_the_legend(browse, one):
    states = browse(one, f"""
        const figure = page.locator("figure", {{ has: page.locator("h3", {{ hasText: /^Memory$/ }}) }});
        const button = figure.locator("button[aria-pressed]").first();
        const look = async () => [await button.getAttribute("aria-pressed"), await figure.locator("canvas").evaluate({COLOURED})];
        const states = [await look()];
        for (let i = 0; i < 2; i++) {{
            await button.focus();
            await page.keyboard.press(i ? "Space" : "Enter");
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            states.push(await look());
        }}
        return states;""")
    assert [pressed for pressed, _ in states] == ["true", "false", "true"]
    assert states[1][1] < states[0][1] / 4 and states[2][1] == states[0][1]


def test_the_keyboard_moves_looks_closer_and_goes_back(browse, one):
    moments, views, spoken = browse(one, """
        const plot = page.locator("figure", { has: page.locator("h3", { hasText: /^Memory$/ }) }).locator(".plot");
        await plot.focus();
        const moments = [], views = [];
        for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"]) {
            await page.keyboard.press(key);
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            moments.push(await page.locator("#at").textContent());
        }
        // Said a moment after the last key; on a slow machine an earlier one has been said by then.
        await page.waitForFunction(() => document.getElementById("spoken").textContent.startsWith("1m 15s"));
        const spoken = await page.locator("#spoken").textContent();
        for (const key of ["Home", "+", "-", "+", "0"]) {
            await page.keyboard.press(key);
            views.push(await page.locator("#view").textContent());
        }
        return [moments, views, spoken];""")
    assert [moment.split(",")[0] for moment in moments] == ["10 s", "30 s", "1m 15s", "1m 15s", "30 s", "10 s", "1m 15s"]
    assert spoken.startswith("1m 15s: PSS of all processes ~ 1.86 GiB")
    assert views[1] == "5 s to 55 s" and views[2] == "" and views[4] == ""


def test_the_table_sorts_and_filters_by_keyboard(browse, one):
    orders, filtered = browse(one, """
        const names = () => page.$$eval("#processes-table tbody tr:not([hidden]) td.name b", (all) => all.map((one) => one.textContent));
        const header = (text) => page.locator("#processes-table th", { hasText: text });
        const orders = [[await header("CPU time").getAttribute("aria-sort"), await names()]];
        for (const title of ["RSS", "RSS", "Name"]) {
            await header(title).locator("button").focus();
            await page.keyboard.press("Enter");
            orders.push([await header(title).getAttribute("aria-sort"), await names()]);
        }
        await page.locator("#processes-filter").focus();
        await page.keyboard.type("GAM");
        return [orders, [await names(), await page.locator("#processes-table-count").textContent()]];""")
    assert orders == [["descending", ["alpha", "gamma", "beta"]], ["descending", ["beta", "alpha", "gamma"]],
                      ["ascending", ["gamma", "alpha", "beta"]], ["ascending", ["alpha", "beta", "gamma"]]]
    assert filtered == [["gamma"], "1 of 3"]


def test_everything_is_reached_by_tab_with_a_visible_focus(browse, one):
    stops = browse(one, """
        const stops = [];
        for (let i = 0; i < 200; i++) {
            await page.keyboard.press("Tab");
            const at = await page.evaluate(() => {
                const one = document.activeElement;
                return one === document.body ? null : [one.tagName, one.className, one.textContent.trim().slice(0, 20), getComputedStyle(one).outlineStyle];
            });
            if (!at) break;
            stops.push(at);
        }
        return stops;""")
    assert any("theme" in stop[1] for stop in stops) and any(stop[1] == "plot" for stop in stops)
    assert any(stop[1] == "sort" for stop in stops) and any(stop[0] == "SUMMARY" for stop in stops)
    assert all(stop[3] != "none" for stop in stops), [stop for stop in stops if stop[3] == "none"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", ["one", "several"])
@pytest.mark.parametrize("width", [400, 1200])
def test_axe_finds_no_serious_fault(browse, request, which, scheme, width):
    found = browse(request.getfixturevalue(which), """
        await page.$$eval("details", (all) => all.forEach((one) => { one.open = true; }));
        const fs = require("fs");
        await page.evaluate(fs.readFileSync(axe, "utf8") + "; 0");
        const result = await page.evaluate(() => axe.run());
        if (result.passes.length < 15) throw new Error("axe looked at next to nothing");
        return result.violations.filter((one) => ["serious", "critical"].includes(one.impact))
            .map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + " " + node.failureSummary)]);""".replace(
                "require(\"fs\")", "process.mainModule.require(\"fs\")"), scheme=scheme, width=width)
    assert found == []


def test_the_colours_follow_the_system_and_the_button(browse, one):
    grounds = browse(one, """
        const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const grounds = [await ground()];
        await page.locator("button.theme").click();
        grounds.push(await ground());
        await page.locator("button.theme").click();
        grounds.push(await ground());
        return grounds;""", scheme="dark")
    assert grounds == ["rgb(20, 23, 28)", "rgb(255, 255, 255)", "rgb(20, 23, 28)"]


def test_without_scripts_pictures_and_tables_are_there(browse, one):
    pictures, canvases, buttons, lines = browse(one, """
        return [await page.locator(".plot > svg:visible").count(), await page.locator("canvas").count(), await page.locator("button:visible").count(),
                await page.$$eval("svg path.line", (all) => all.map((one) => one.getAttribute("d")))];""", script=False)
    assert pictures > 1 and canvases == 0 and buttons == 0
    assert all(line.startswith("M") for line in lines) and any(line.count("M") == 2 for line in lines)  # the gap is one


def test_no_page_is_wider_than_its_window(browse, one, several):
    widths = [320, 400, 1000, 1600]
    for page in (one, several):
        found = browse(page, f"""
            const found = [];
            for (const width of {widths}) {{
                await page.setViewportSize({{ width: width, height: 900 }});
                // The charts follow their places a moment later.
                await page.waitForFunction((most) => document.documentElement.scrollWidth <= most, width).catch(() => 0);
                found.push(await page.evaluate(() => document.documentElement.scrollWidth));
            }}
            return found;""")
        assert all(wide <= width for wide, width in zip(found, widths)), found


def test_on_paper_the_pictures_take_the_place_of_the_charts(browse, one):
    shown = browse(one, """
        await page.emulateMedia({ media: "print" });
        return [await page.locator(".plot > svg:visible").count(), await page.locator(".uplot:visible").count(),
                await page.locator("nav:visible").count()];""")
    assert shown[0] > 1 and shown[1:] == [0, 0]


def test_stacked_and_thinned_lines_of_a_long_run_are_drawn(browse, assay, folder):
    page = report(assay, folder, "long", long_record(folder / "long", 1440, 60, 10))
    drawn = browse(page, f"""return page.$$eval("canvas", (all) => all.map({COLOURED}));""")
    assert len(drawn) > 3 and all(n > 300 for n in drawn)


def test_the_page_of_several_runs_draws_a_line_of_each(browse, several):
    labels = browse(several, """return page.$$eval("figure:first-of-type table.legend button", (all) => all.map((one) => one.textContent.trim()));""")
    assert len(labels) == 3


@pytest.mark.parametrize("width", [380, 700, 1000])
def test_the_ladder_is_whole_on_a_narrow_page(browse, folder, assay, width):
    why = "samples see not all of what was there between two of them, and so it may have been more than what is told"
    name = f"ladder{width}"
    run = make_record(folder / name, [window(0, 0, 10, (1, 2))], rungs={"memory_peak": [
        {"key": "proc_pss_total_bytes_of_all_processes", "value": 10 ** 9, "quality": "lower_bound", "in_use": True, "why": why}]})
    beyond = browse(report(assay, folder, name + "-page", run), """
        return page.$eval("table.ladder", (table) => table.parentElement.scrollWidth - table.parentElement.clientWidth);""", width=width)
    assert beyond <= 1


def test_what_is_folded_is_open_on_paper(browse, one):
    on_screen, on_paper = browse(one, """
        const height = () => page.$eval("#charts > details.block", (block) => block.getBoundingClientRect().height
            - block.querySelector("summary").getBoundingClientRect().height);
        const before = await height();
        await page.emulateMedia({ media: "print" });
        return [before, await height()];""")
    assert on_screen < 10 and on_paper > 40
