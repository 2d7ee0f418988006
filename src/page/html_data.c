/* SPDX-License-Identifier: MIT */
/* The numbers that scripts draw charts from, as JSON. Lines share their stretches of time where they are the same, which they mostly are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "model/value.h"
#include "page/html_parts.h"
#include "picture/picture_thin.h"
#include "picture/svg.h"
#include "text/html_text.h"

/* So large is what all lines have together, about, so that a page stays below 600 KB. A point is the mean, the least and the greatest value; of a stack, which
 * has half as many, the mean. */
#define BYTES_OF_ALL 190000
#define BYTES_OF_POINT 20
#define BYTES_IN_STACK 7
#define POINTS_MIN 50
#define LABEL_MAX 120

struct data {
	struct buf *out;
	const struct picture *picture;
	struct thin_line *lines; /* of all panels, one after the other */
	size_t n_lines;
	const struct thin_line **times; /* lines that have stretches of time of their own */
	size_t n_times;
};

/* A time: to a tenth of a second after a week. */
static void add_time(struct buf *out, double seconds)
{
	buf_addf(out, "%.7g", isfinite(seconds) ? seconds : 0);
}

static bool same_times(const struct thin_line *a, const struct thin_line *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->points[i].start != b->points[i].start ||
			a->points[i].end != b->points[i].end)
			return false;
	return true;
}

static size_t times_of(struct data *d, const struct thin_line *line)
{
	for (size_t i = 0; i < d->n_times; i++)
		if (same_times(d->times[i], line))
			return i;
	d->times[d->n_times] = line;
	return d->n_times++;
}

enum part { MEAN, LOW, HIGH };

static double part_of(const struct picture_point *p, enum part part)
{
	return part == MEAN ? p->mean : part == LOW ? p->low : p->high;
}

static void add_values(
	struct buf *out, const char *name, const struct thin_line *line, enum part part)
{
	buf_addf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < line->n; i++) {
		buf_add_text(out, i > 0 ? "," : "");
		html_add_json_number(out, part_of(&line->points[i], part));
	}
	buf_add_char(out, ']');
}

static bool has_range(const struct thin_line *line)
{
	for (size_t i = 0; i < line->n; i++)
		if (line->points[i].high > line->points[i].low)
			return true;
	return false;
}

static void add_line(
	struct data *d, const struct picture_panel *panel, size_t i, const struct thin_line *line)
{
	static const char *const dashes[] = { "", ",\"dash\":[6,3]", ",\"dash\":[2,3]" };

	buf_addf(d->out, "%s{\"k\":%u%s,\"t\":%zu,\"mark\":", i > 0 ? ",\n" : "",
		svg_colour(panel, i), dashes[svg_dash(panel, i)], times_of(d, line));
	html_add_json_text(d->out, quality_mark(panel->lines[i].quality), 10);
	if (panel->lines[i].peak_key) {
		buf_add_text(d->out, ",\"peak\":");
		html_add_json_text(d->out, quality_mark(panel->lines[i].peak_quality), 10);
	}
	add_values(d->out, "m", line, MEAN);
	if (!panel->stacked && has_range(line)) {
		add_values(d->out, "l", line, LOW);
		add_values(d->out, "h", line, HIGH);
	}
	buf_add_char(d->out, '}');
}

static void add_panel(struct data *d, size_t i, const struct thin_line *lines)
{
	const struct picture_panel *panel = &d->picture->panels[i];
	bool first = true;

	buf_addf(d->out, "%s{\"id\":\"chart-%zu\",\"unit\":", i > 0 ? ",\n" : "", i);
	html_add_json_text(d->out, panel->unit, 40);
	buf_addf(d->out, ",\"run\":%lld,\"stacked\":%s,\"lines\":[",
		panel->run == PICTURE_ALL_RUNS ? -1LL : (long long) panel->run,
		panel->stacked ? "true" : "false");
	for (size_t k = 0; k < panel->n_lines; k++)
		add_line(d, panel, k, &lines[k]);
	buf_add_text(d->out, "],\"bands\":[");
	for (size_t k = 0; k < panel->n_bands; k++)
		buf_addf(d->out, "%s[%zu,%zu]", k > 0 ? "," : "", panel->bands[k].low,
			panel->bands[k].high);
	buf_add_text(d->out, "],\"limits\":[");
	for (size_t k = 0; k < panel->n_limits; k++) {
		if (!panel->limits[k].in_sight)
			continue;
		buf_add_text(d->out, first ? "" : ",");
		html_add_json_number(d->out, panel->limits[k].value);
		first = false;
	}
	buf_add_text(d->out, "]}");
}

static void add_times(struct buf *out, const struct thin_line *line, bool first)
{
	bool any = false;

	buf_addf(out, "%s{\"s\":[", first ? "" : ",\n");
	for (size_t i = 0; i < line->n; i++) {
		buf_add_text(out, i > 0 ? "," : "");
		add_time(out, line->points[i].start);
	}
	buf_add_text(out, "],\"e\":{");
	for (size_t i = 0; i < line->n; i++) {
		if (i + 1 < line->n && line->points[i + 1].start <= line->points[i].end)
			continue;
		buf_addf(out, "%s\"%zu\":", any ? "," : "", i);
		add_time(out, line->points[i].end);
		any = true;
	}
	buf_add_text(out, "}}");
}

/* Of several runs with the run that it is of. */
static void add_mark_label(
	struct buf *out, const struct picture *p, const struct picture_mark *mark)
{
	struct buf label = { 0 };

	if (p->n_runs > 1 && mark->run < p->n_runs)
		buf_addf(&label, "%s: ", p->runs[mark->run].name);
	buf_add_text(&label, mark->label);
	if (label.failed)
		out->failed = true;
	else
		html_add_json_text(out, label.data, LABEL_MAX);
	buf_done(&label);
}

/* [run, moment, words] */
static void add_marks(struct buf *out, const struct picture *p)
{
	bool first = true;

	for (size_t i = 0; i < p->n_marks; i++) {
		if (p->marks[i].kind == PICTURE_START)
			continue;
		buf_addf(out, "%s[%zu,", first ? "" : ",", p->marks[i].run);
		add_time(out, p->marks[i].at);
		buf_add_char(out, ',');
		add_mark_label(out, p, &p->marks[i]);
		buf_add_char(out, ']');
		first = false;
	}
}

/* [run, start, end, words]; run -1: of all */
static void add_gaps(struct buf *out, const struct picture *p)
{
	for (size_t i = 0; i < p->n_gaps; i++) {
		buf_addf(out, "%s[%lld,", i > 0 ? "," : "",
			p->gaps[i].run == PICTURE_ALL_RUNS ? -1LL : (long long) p->gaps[i].run);
		add_time(out, p->gaps[i].start);
		buf_add_char(out, ',');
		add_time(out, p->gaps[i].end);
		buf_add_char(out, ',');
		html_add_json_text(out, p->gaps[i].why, LABEL_MAX);
		buf_add_char(out, ']');
	}
}

/* [where it was cut, how many seconds] */
static void add_cuts(struct buf *out, const struct picture *p)
{
	bool first = true;

	for (size_t i = 0; i < p->n_gaps; i++) {
		if (p->gaps[i].kind != PICTURE_CUT)
			continue;
		buf_addf(out, "%s[", first ? "" : ",");
		add_time(out, p->gaps[i].end);
		buf_add_char(out, ',');
		add_time(out, p->gaps[i].cut_seconds - (p->gaps[i].end - p->gaps[i].start));
		buf_add_char(out, ']');
		first = false;
	}
}

static void add_all(struct data *d)
{
	const struct picture *p = d->picture;
	const struct thin_line *next = d->lines;

	buf_add_text(d->out, "<script type=\"application/json\" id=\"data\">\n{\"start\":");
	add_time(d->out, p->start);
	buf_add_text(d->out, ",\"end\":");
	add_time(d->out, p->end);
	buf_addf(d->out, ",\"wall\":%s,\"zero\":%.3f,\"offset\":%ld,\n\"marks\":[",
		p->wall_time && isfinite(p->zero_unix) ? "true" : "false",
		isfinite(p->zero_unix) ? p->zero_unix : 0, p->utc_offset);
	add_marks(d->out, p);
	buf_add_text(d->out, "],\"gaps\":[");
	add_gaps(d->out, p);
	buf_add_text(d->out, "],\"cuts\":[");
	add_cuts(d->out, p);
	buf_add_text(d->out, "],\n\"panels\":[");
	for (size_t i = 0; i < p->n_panels; i++) {
		add_panel(d, i, next);
		next += p->panels[i].n_lines;
	}
	buf_add_text(d->out, "],\n\"times\":[");
	for (size_t i = 0; i < d->n_times; i++)
		add_times(d->out, d->times[i], i == 0);
	buf_add_text(d->out, "]}\n</script>\n");
}

static size_t count_lines(const struct picture *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_panels; i++)
		n += p->panels[i].n_lines;
	return n;
}

/* How many points a line has at most. */
static size_t most_points(const struct picture *p)
{
	size_t bytes = 1;
	size_t most;

	for (size_t i = 0; i < p->n_panels; i++)
		bytes += p->panels[i].n_lines *
			 (p->panels[i].stacked ? BYTES_IN_STACK / 2 : BYTES_OF_POINT);
	most = BYTES_OF_ALL / bytes;
	return most < POINTS_MIN ? POINTS_MIN : most;
}

static bool thin_all(struct data *d)
{
	size_t most = most_points(d->picture);
	size_t at = 0;

	for (size_t i = 0; i < d->picture->n_panels; i++) {
		const struct picture_panel *panel = &d->picture->panels[i];

		for (size_t k = 0; k < panel->n_lines && at < d->n_lines; k++, at++)
			if (!picture_thin(&panel->lines[k], panel->stacked,
				    panel->stacked ? most / 2 : most, &d->lines[at]))
				return false;
	}
	return true;
}

void html_data(struct buf *out, const struct picture *p)
{
	size_t n = count_lines(p);
	struct thin_line *lines = calloc(n + 1, sizeof(*lines));
	const struct thin_line **times = calloc(n + 1, sizeof(*times));
	struct data d = { .out = out, .picture = p, .lines = lines, .n_lines = n, .times = times };

	if (lines && times && thin_all(&d))
		add_all(&d);
	else
		out->failed = true;
	for (size_t i = 0; lines && i < n; i++)
		thin_line_done(&lines[i]);
	free(lines);
	free(times);
}
