// SPDX-License-Identifier: MIT
// What a report's page does when scripts may run: charts instead of pictures, tables that sort and filter, light and dark.
(function () {
	"use strict";
	const root = document.documentElement;
	const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
	const make = (name, attributes, text) => {
		const element = document.createElement(name);
		for (const key in attributes) element.setAttribute(key, attributes[key]);
		if (text !== undefined) element.textContent = text;
		return element;
	};
	const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
	const charts = [];
	root.classList.add("with-script");

	/* Light and dark. */
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const themeButton = document.querySelector("button.theme");
	const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
	const themed = () => {
		themeButton.textContent = isDark() ? "light" : "dark";
		themeButton.setAttribute("aria-label", isDark() ? "switch to light colours" : "switch to dark colours");
		charts.forEach((chart) => chart.plot.redraw(false, true));
	};
	themeButton.addEventListener("click", () => {
		root.dataset.theme = isDark() ? "light" : "dark";
		themed();
	});
	dark.addEventListener("change", themed);

	/* Tables: a click or Enter on a title sorts, once more the other way round. */
	const keyOf = (row, column, isNumber) => {
		const cell = row.cells[column];
		return isNumber ? parseFloat(cell.dataset.v) : cell.textContent;
	};
	const sortBy = (table, header, column) => {
		const isNumber = header.dataset.sort === "n";
		const before = header.getAttribute("aria-sort");
		const down = before ? before === "ascending" : isNumber;
		const body = table.tBodies[0];
		const rows = Array.from(body.rows).map((row) => [keyOf(row, column, isNumber), row]);
		rows.sort(([a], [b]) => {
			/* What is not known comes last either way. */
			if (isNumber && (isNaN(a) || isNaN(b))) return isNaN(a) - isNaN(b);
			const order = isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0;
			return down ? -order : order;
		});
		all("th", table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
		header.setAttribute("aria-sort", down ? "descending" : "ascending");
		body.append(...rows.map(([, row]) => row));
	};
	all("table.sorts").forEach((table) => all("th[data-sort]", table.tHead).forEach((header) => {
		const button = make("button", { type: "button", class: "sort" }, header.textContent);
		header.replaceChildren(button);
		button.addEventListener("click", () => sortBy(table, header, header.cellIndex));
	}));
	all("input[data-filters]").forEach((input) => {
		const rows = Array.from(document.getElementById(input.dataset.filters).tBodies[0].rows);
		const count = document.getElementById(input.dataset.filters + "-count");
		const filter = () => {
			const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
			let shown = 0;
			rows.forEach((row) => {
				const text = row.textContent.toLowerCase();
				row.hidden = !words.every((word) => text.includes(word));
				shown += !row.hidden;
			});
			count.textContent = shown + " of " + rows.length;
		};
		input.addEventListener("input", filter);
		filter();
	});
	/* What came last is what is looked for. */
	all("#output pre").forEach((output) => { output.scrollTop = output.scrollHeight; });
	/* On paper nothing can be opened: what the numbers mean is. */
	addEventListener("beforeprint", () => all(".quantities details:not([open])").forEach((one) => {
		one.open = true;
		one.dataset.wasShut = "";
	}));
	addEventListener("afterprint", () => all("details[data-was-shut]").forEach((one) => {
		one.open = false;
		delete one.dataset.wasShut;
	}));

	const source = document.getElementById("data");
	if (typeof uPlot === "undefined" || !source) return themed();
	root.classList.add("with-charts");
	const data = JSON.parse(source.textContent);
	const base = data.wall ? data.zero + data.offset : 0;
	const whole = [base + data.start, base + Math.max(data.end, data.start + 1e-6)];
	let view = whole;
	let at = null;

	/* Numbers for people. */
	const short = (number) => String(parseFloat(number.toPrecision(4)));
	const bytes = (number, digits) => {
		const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
		let power = 0;
		while (Math.abs(number) >= 1023.5 && power < names.length - 1) {
			number /= 1024;
			power++;
		}
		return parseFloat(number.toPrecision(digits || 3)) + " " + names[power];
	};
	const isBytes = (unit) => unit === "bytes" || unit === "bytes/s";
	const amount = (unit, number) => {
		if (isBytes(unit)) return bytes(number) + (unit === "bytes" ? "" : "/s");
		if (unit === "percent") return short(number) + " %";
		if (unit === "seconds") return duration(number);
		return short(number) + (unit === "count" ? "" : unit === "count/s" ? " /s" : " " + unit);
	};
	const bare = (unit, number) => isBytes(unit) || unit === "seconds" ? amount(unit, number) : short(number);
	const two = (number) => String(number).padStart(2, "0");
	const duration = (seconds) => {
		if (!(Math.abs(seconds) >= 60)) return short(seconds) + " s";
		const rest = Math.round(Math.abs(seconds) * 1000) / 1000;
		const days = Math.floor(rest / 86400);
		const hours = Math.floor((rest % 86400) / 3600);
		const minutes = Math.floor((rest % 3600) / 60);
		const text = days ? days + "d " + two(hours) + "h " + two(minutes) + "m"
			: hours ? hours + "h " + two(minutes) + "m " + two(Math.floor(rest % 60)) + "s"
			: minutes + "m " + short(Math.round((rest % 60) * 1000) / 1000) + "s";
		return (seconds < 0 ? "-" : "") + text;
	};
	/* What idle compression left out of the axis lies before. */
	const timeAt = (place) => data.cuts.reduce((time, cut) => cut[0] < place ? time + cut[1] : time, place);
	const clock = (x, withDate) => {
		const text = new Date((base + timeAt(x - base)) * 1000).toISOString();
		return (withDate ? text.slice(0, 10) + " " : "") + text.slice(11, 23);
	};
	const moment = (x) => data.wall ? clock(x, true).slice(0, 19) : duration(timeAt(x));
	const tickText = (x, step) => {
		if (data.wall)
			return step >= 86400 ? clock(x, true).slice(0, 10) : clock(x, false).slice(0, step >= 60 ? 5 : step >= 1 ? 8 : 12);
		const time = timeAt(x);
		if (step >= 60 && time >= 60) return duration(time).replace(/ 00s$| 0s$/, "").replace(/ 00m$/, "");
		return duration(time);
	};

	/* A line's stretches of time: shared between lines; an end is written where the next does not begin there. */
	const unfold = (panel) => panel.lines.forEach((line) => {
		const times = data.times[line.t];
		line.s = times.s.map((x) => x + base);
		line.e = line.s.map((x, i) => i in times.e ? times.e[i] + base : line.s[i + 1]);
		line.l = line.l || line.m;
		line.h = line.h || line.m;
		line.on = true;
	});
	/* The stretch that holds a moment, or -1. */
	const stretch = (line, x) => {
		let low = 0;
		let high = line.s.length - 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (line.s[middle] <= x) low = middle;
			else high = middle - 1;
		}
		return line.s.length && line.s[low] <= x && x <= line.e[low] && line.m[low] !== null ? low : -1;
	};
	const seen = (panel) => panel.lines.filter((line) => line.on);
	const colour = (line) => css("--s" + line.k);

	/* The parts of a whole, one upon the other, over all moments at which one of them changes. */
	const pile = (panel) => {
		const lines = seen(panel);
		const xs = Array.from(new Set(lines.flatMap((line) => line.s.concat(line.e)))).sort((a, b) => a - b);
		let below = xs.map(() => 0);
		const layers = lines.map((line) => {
			let i = 0;
			const top = xs.map((x, k) => {
				while (i < line.s.length && line.e[i] <= x) i++;
				return below[k] + (i < line.s.length && line.s[i] <= x ? line.m[i] : 0);
			});
			const layer = { line: line, low: below, high: top };
			below = top;
			return layer;
		});
		return { xs: xs, layers: layers, top: below };
	};
	const highest = (panel, from, to) => {
		let most = 0;
		if (panel.stacked) {
			panel.piled.top.forEach((value, i) => {
				const end = i + 1 < panel.piled.xs.length ? panel.piled.xs[i + 1] : panel.piled.xs[i];
				if (end >= from && panel.piled.xs[i] <= to && value > most) most = value;
			});
		} else {
			seen(panel).forEach((line) => line.h.forEach((value, i) => {
				if (line.e[i] >= from && line.s[i] <= to && value > most) most = value;
			}));
		}
		panel.limits.forEach((limit) => {
			if (limit <= 4 * most && limit > most) most = limit;
		});
		return most > 0 ? most * 1.06 : 1;
	};

	/* Drawing: steps, as a value is one of a stretch of time. */
	const drawSteps = (context, u, line, values, begun) => {
		for (let i = 0; i < line.s.length; i++) {
			if (line.e[i] < u.scales.x.min || line.s[i] > u.scales.x.max) {
				begun = false;
				continue;
			}
			const y = u.valToPos(values[i], "y", true);
			const x = u.valToPos(line.s[i], "x", true);
			if (begun && line.s[i] === line.e[i - 1]) context.lineTo(x, y);
			else context.moveTo(x, y);
			context.lineTo(u.valToPos(line.e[i], "x", true), y);
			begun = true;
		}
	};
	const drawRange = (context, u, xs, ends, lows, highs) => {
		context.beginPath();
		for (let i = 0; i < xs.length; i++) {
			if (!(highs[i] > lows[i]) || ends[i] < u.scales.x.min || xs[i] > u.scales.x.max) continue;
			const x = u.valToPos(xs[i], "x", true);
			const y = u.valToPos(highs[i], "y", true);
			/* Half a pixel over, so that no seam shows between two. */
			context.rect(x, y, u.valToPos(ends[i], "x", true) - x + 0.5, u.valToPos(lows[i], "y", true) - y);
		}
		context.fill();
	};
	const drawLine = (context, u, line, ratio) => {
		context.fillStyle = context.strokeStyle = colour(line);
		context.globalAlpha = 0.25;
		drawRange(context, u, line.s, line.e, line.l, line.h);
		/* The top of a peak is seen however thin it is. */
		context.globalAlpha = 0.7;
		context.lineWidth = 1.5 * ratio;
		context.beginPath();
		line.s.forEach((x, i) => {
			if (!(line.h[i] > line.l[i]) || line.e[i] < u.scales.x.min || x > u.scales.x.max) return;
			const left = u.valToPos(x, "x", true);
			const top = u.valToPos(line.h[i], "y", true);
			const near = Math.max(i > 0 ? line.h[i - 1] : 0, i + 1 < line.s.length ? line.h[i + 1] : 0);
			/* One that stands alone would be a dot. */
			if (u.valToPos(near, "y", true) - top > 0.05 * u.bbox.height) {
				context.moveTo(left, u.valToPos(line.m[i], "y", true));
				context.lineTo(left, top);
			}
			context.moveTo(left, top);
			context.lineTo(Math.max(u.valToPos(line.e[i], "x", true), left + 1.5 * ratio), u.valToPos(line.h[i], "y", true));
		});
		context.stroke();
		context.globalAlpha = 1;
		context.lineWidth = 1.75 * ratio;
		context.setLineDash(line.dash ? line.dash.map((n) => n * ratio) : []);
		context.beginPath();
		drawSteps(context, u, line, line.m, false);
		context.stroke();
		context.setLineDash([]);
	};
	const drawPile = (context, u, piled) => piled.layers.forEach((layer) => {
		const ends = piled.xs.map((x, i) => i + 1 < piled.xs.length ? piled.xs[i + 1] : x);
		context.fillStyle = colour(layer.line);
		context.globalAlpha = 0.72;
		drawRange(context, u, piled.xs, ends, layer.low, layer.high);
		context.globalAlpha = 1;
	});
	const drawBand = (context, u, low, high) => {
		const tops = low.s.map((x, i) => {
			const k = stretch(high, (x + low.e[i]) / 2);
			return k < 0 ? NaN : high.m[k];
		});
		context.fillStyle = colour(low);
		context.globalAlpha = 0.14;
		drawRange(context, u, low.s, low.e, low.m, tops);
		context.globalAlpha = 1;
	};
	const clip = (context, u, draw) => {
		context.save();
		context.beginPath();
		context.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
		context.clip();
		draw();
		context.restore();
	};
	const isOf = (panel, run) => panel.run < 0 || run < 0 || panel.run === run;
	/* Which gaps lie over one before them, whose words stand there: runs side by side may have the same. They are in order of time. */
	const namedBefore = (panel) => {
		let until = -Infinity;
		return data.gaps.map(([run, start, end]) => {
			const again = start < until;
			if (isOf(panel, run)) until = Math.max(until, end);
			return again;
		});
	};
	const drawGap = (u, [, start, end, why], named) => {
		const x = u.valToPos(base + start, "x", true);
		const ratio = uPlot.pxRatio;
		const wide = Math.max(u.valToPos(base + end, "x", true) - x, 2);
		u.ctx.fillStyle = css("--gap");
		u.ctx.fillRect(x, u.bbox.top, wide, u.bbox.height);
		u.ctx.font = 11 * ratio + "px system-ui, sans-serif";
		u.ctx.textAlign = "center";
		u.ctx.textBaseline = "alphabetic";
		u.ctx.fillStyle = css("--soft");
		if (!named && u.ctx.measureText(why).width < wide - 4 * ratio) u.ctx.fillText(why, x + wide / 2, u.bbox.top + u.bbox.height - 8 * ratio);
	};
	const drawGaps = (u, panel) => clip(u.ctx, u, () => {
		const named = namedBefore(panel);
		data.gaps.forEach((gap, place) => isOf(panel, gap[0]) && drawGap(u, gap, named[place]));
	});
	const marksOf = (panel) => data.marks.filter(([run]) => isOf(panel, run));
	const drawMarks = (context, u, panel, ratio) => {
		context.lineWidth = 1.5 * ratio;
		context.strokeStyle = css("--mark");
		context.setLineDash([2 * ratio, 3 * ratio]);
		marksOf(panel).forEach(([, moment]) => {
			const x = u.valToPos(base + moment, "x", true);
			context.beginPath();
			context.moveTo(x, u.bbox.top);
			context.lineTo(x, u.bbox.top + u.bbox.height);
			context.stroke();
		});
	};
	/* Above the chart, where there is room beside the one before. */
	const nameMarks = (u, panel) => {
		const context = u.ctx;
		const ratio = uPlot.pxRatio;
		let free = u.bbox.left;
		context.save();
		context.font = 11 * ratio + "px system-ui, sans-serif";
		context.textAlign = "left";
		context.textBaseline = "alphabetic";
		context.fillStyle = css("--mark");
		marksOf(panel).forEach(([, moment, whole]) => {
			const label = whole.length > 50 ? whole.slice(0, 49) + "…" : whole;
			const x = u.valToPos(base + moment, "x", true);
			const wide = context.measureText(label).width;
			const left = Math.min(x - 4 * ratio, u.bbox.left + u.bbox.width - wide);
			if (left < free || x < u.bbox.left || x > u.bbox.left + u.bbox.width + 1) return;
			context.fillText(label, left, u.bbox.top - 6 * ratio);
			free = left + wide + 8 * ratio;
		});
		context.restore();
	};
	const drawAll = (u, panel) => clip(u.ctx, u, () => {
		const context = u.ctx;
		const ratio = uPlot.pxRatio;
		context.lineJoin = "round";
		if (panel.stacked) drawPile(context, u, panel.piled);
		panel.bands.forEach(([low, high]) => {
			if (panel.lines[low].on && panel.lines[high].on) drawBand(context, u, panel.lines[low], panel.lines[high]);
		});
		if (!panel.stacked) seen(panel).forEach((line) => drawLine(context, u, line, ratio));
		context.strokeStyle = css("--limit");
		context.lineWidth = 1.5 * ratio;
		context.setLineDash([7 * ratio, 5 * ratio]);
		panel.limits.forEach((value) => {
			const y = u.valToPos(value, "y", true);
			context.beginPath();
			context.moveTo(u.bbox.left, y);
			context.lineTo(u.bbox.left + u.bbox.width, y);
			context.stroke();
		});
		drawMarks(context, u, panel, ratio);
	});

	/* All charts have one view and one moment. */
	const zoom = (from, to) => {
		const least = (whole[1] - whole[0]) / 1e5;
		from = Math.max(from, whole[0]);
		to = Math.min(to, whole[1]);
		if (!(to - from >= least)) return;
		view = [from, to];
		charts.forEach((chart) => chart.plot.setScale("x", { min: from, max: to }));
		const narrowed = from > whole[0] || to < whole[1];
		all("button.whole").forEach((button) => { button.disabled = !narrowed; });
		document.getElementById("view").textContent = narrowed ? moment(from) + " to " + moment(to) : "";
	};
	let due = false;
	const read = () => {
		due = false;
		charts.forEach((chart) => chart.panel.lines.forEach((line, i) => {
			const k = at === null || !line.on ? -1 : stretch(line, at);
			chart.cells[i].textContent = k < 0 ? (at === null || !line.on ? "" : "–") : line.mark + " " + amount(chart.panel.unit, line.m[k]) +
				(line.h[k] > line.l[k] ? " (" + bare(chart.panel.unit, line.l[k]) + " to " + (line.peak ? line.peak + " " : "") +
				bare(chart.panel.unit, line.h[k]) + ")" : "");
		}));
		const near = at === null ? [] : data.marks.filter((mark) => Math.abs(base + mark[1] - at) < (view[1] - view[0]) / 100).map((mark) => mark[2])
			.concat(data.gaps.filter((gap) => base + gap[1] <= at && at <= base + gap[2]).map((gap) => gap[3]));
		document.getElementById("at").textContent = at === null ? "" : [moment(at)].concat(near).join(", ");
	};
	const hover = (x, from) => {
		at = x;
		charts.forEach((chart) => {
			if (chart.plot !== from)
				chart.plot.setCursor({ left: x === null ? -10 : chart.plot.valToPos(x, "x"), top: x === null ? -10 : 1 }, false);
		});
		if (!due) requestAnimationFrame(read);
		due = true;
	};

	const steps = (panel) => Array.from(new Set(seen(panel).flatMap((line) => line.s.map((s, i) => (s + line.e[i]) / 2))))
		.filter((x) => x >= view[0] && x <= view[1]).sort((a, b) => a - b);
	let speaking = 0;
	const speak = (chart) => {
		clearTimeout(speaking);
		speaking = setTimeout(() => {
			document.getElementById("spoken").textContent = moment(at) + ": " + chart.panel.lines.map((line, i) =>
				line.on && chart.cells[i].textContent ? line.label + " " + chart.cells[i].textContent : "").filter(Boolean).join(", ");
		}, 250);
	};
	const step = (chart, by) => {
		const stops = steps(chart.panel);
		if (!stops.length) return;
		let i = at === null ? (by > 0 ? -1 : stops.length) : stops.findIndex((x) => x >= at - 1e-9);
		if (i < 0) i = at === null ? -1 : stops.length;
		i = Math.min(Math.max(i + by, 0), stops.length - 1);
		hover(stops[i], null);
		speak(chart);
	};
	const closer = (by) => {
		const middle = at === null || at < view[0] || at > view[1] ? (view[0] + view[1]) / 2 : at;
		zoom(middle - (middle - view[0]) * by, middle + (view[1] - middle) * by);
	};
	const keys = (chart) => ({
		ArrowLeft: (event) => step(chart, event.shiftKey ? -10 : -1),
		ArrowRight: (event) => step(chart, event.shiftKey ? 10 : 1),
		Home: () => step(chart, -Infinity),
		End: () => step(chart, Infinity),
		"+": () => closer(0.5),
		"=": () => closer(0.5),
		"-": () => closer(2),
		0: () => zoom(...whole),
		Escape: () => { zoom(...whole); hover(null, null); },
	});

	const ticksOfTime = [1, 2, 5].flatMap((n) => [0.001, 0.01, 0.1].map((p) => n * p)).concat(
		[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000]).sort((a, b) => a - b);
	const ticksOfBytes = Array.from({ length: 63 }, (_, i) => Math.pow(2, i));
	const options = (panel, box) => {
		const axis = { stroke: () => css("--soft"), grid: { stroke: () => css("--line"), width: 1 }, ticks: { stroke: () => css("--line"), width: 1 },
			font: "12px system-ui, sans-serif" };
		return {
			width: box.clientWidth, height: panel.stacked ? 260 : 220, legend: { show: false }, padding: [marksOf(panel).length ? 20 : 8, 14, 0, 0],
			scales: { x: { time: false, range: () => view }, y: { range: () => [0, highest(panel, view[0], view[1])] } },
			series: [{}, { paths: () => null, points: { show: false } }],
			axes: [
				Object.assign({}, axis, { incrs: ticksOfTime, space: 90, size: 30,
					values: (u, places, i, space, step) => places.map((x) => tickText(x, step)) }),
				Object.assign({}, axis, { size: 76, space: 34, incrs: isBytes(panel.unit) ? ticksOfBytes : undefined,
					values: (u, places) => places.map((value) => isBytes(panel.unit) ? bytes(value, 6) + (panel.unit === "bytes" ? "" : "/s") : short(value)) }),
			],
			cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false },
				bind: { dblclick: () => () => { zoom(...whole); return null; } } },
			hooks: {
				drawAxes: [(u) => drawGaps(u, panel)],
				draw: [(u) => drawAll(u, panel), (u) => nameMarks(u, panel)],
				setCursor: [(u) => hover(u.cursor.left < 0 ? null : u.posToVal(u.cursor.left, "x"), u)],
				setSelect: [(u) => {
					if (u.select.width < 4) return;
					const from = u.posToVal(u.select.left, "x");
					const to = u.posToVal(u.select.left + u.select.width, "x");
					u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
					zoom(from, to);
				}],
			},
		};
	};
	const toggles = (chart, figure) => chart.panel.lines.forEach((line, i) => {
		const row = figure.querySelector("tr[data-line='" + i + "']");
		const cell = row.cells[0];
		const button = make("button", { type: "button", "aria-pressed": "true", title: "shows or hides it" });
		button.append(...cell.childNodes);
		cell.append(button);
		line.label = button.textContent.trim();
		chart.cells.push(row.querySelector("td.now"));
		button.addEventListener("click", () => {
			line.on = !line.on;
			button.setAttribute("aria-pressed", String(line.on));
			if (chart.panel.stacked) chart.panel.piled = pile(chart.panel);
			/* The axis of values goes with what is seen. */
			chart.plot.setScale("x", { min: view[0], max: view[1] });
			chart.plot.redraw();
			read();
		});
	});
	data.panels.forEach((panel) => {
		const figure = document.getElementById(panel.id);
		const box = figure.querySelector(".plot");
		const picture = box.querySelector("svg");
		unfold(panel);
		if (panel.stacked) panel.piled = pile(panel);
		const chart = { panel: panel, cells: [] };
		if (picture) picture.setAttribute("hidden", "");
		chart.plot = new uPlot(options(panel, box), [whole, [0, 1]], box);
		box.setAttribute("tabindex", "0");
		box.setAttribute("role", "group");
		box.setAttribute("aria-roledescription", "chart");
		box.setAttribute("aria-label", figure.querySelector("h3").textContent);
		box.setAttribute("aria-describedby", "keys");
		all("canvas", box).forEach((canvas) => canvas.setAttribute("aria-hidden", "true"));
		toggles(chart, figure);
		charts.push(chart);
		const handlers = keys(chart);
		box.addEventListener("keydown", (event) => {
			if (!(event.key in handlers) || event.ctrlKey || event.altKey || event.metaKey) return;
			event.preventDefault();
			handlers[event.key](event);
		});
		new ResizeObserver(() => {
			if (box.clientWidth > 0 && box.clientWidth !== chart.plot.width)
				chart.plot.setSize({ width: box.clientWidth, height: chart.plot.height });
		}).observe(box);
	});
	all("button.whole").forEach((button) => button.addEventListener("click", () => zoom(...whole)));
	all("button.closer").forEach((button) => button.addEventListener("click", () => closer(0.5)));
	all("button.farther").forEach((button) => button.addEventListener("click", () => closer(2)));
	zoom(...whole);
	themed();
})();
