/* SPDX-License-Identifier: MIT */
/* The charts of a page: a picture that anybody sees, and a legend of every line, limit, event and gap in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/lesser.h"
#include "model/value.h"
#include "page/html_parts.h"
#include "picture/axis.h"
#include "picture/picture_thin.h"
#include "picture/svg.h"
#include "text/html_text.h"

/* So many points of all lines together are drawn in pictures, which are some 30 bytes each. */
#define POINTS_OF_ALL 6500
#define POINTS_MIN 40
#define POINTS_MAX 300
#define LABEL_MAX 120

static void add_amount(struct buf *out, const char *unit, double value)
{
	char text[AXIS_TEXT_SIZE];

	if (!isfinite(value)) {
		buf_add_text(out, "\xe2\x80\x93");
		return;
	}
	axis_number(unit, value, text);
	html_add_words(out, text);
}

/* Of the points as they are: weighted by time. */
static void mean_and_peak(const struct picture_line *line, double *ret_mean, double *ret_peak)
{
	double sum = 0;
	double length = 0;

	*ret_peak = (double) -INFINITY;
	for (size_t i = 0; i < line->n; i++) {
		const struct picture_point *p = &line->points[i];

		if (isnan(p->mean))
			continue;
		sum += p->mean * (p->end - p->start);
		length += p->end - p->start;
		*ret_peak = greater(*ret_peak, p->high);
	}
	*ret_mean = length > 0 ? sum / length : (double) NAN;
}

static void add_key(struct buf *out, const struct picture_line *line)
{
	if (line->why)
		buf_add_text(out, "<details class=\"what\"><summary>");
	buf_add_text(out, "<code>");
	html_add_text(out, line->key, LABEL_MAX);
	buf_add_text(out, "</code>");
	if (line->peak_key) {
		buf_add_text(out, ", highest: <code>");
		html_add_text(out, line->peak_key, LABEL_MAX);
		buf_add_text(out, "</code>");
	}
	if (!line->why)
		return;
	buf_add_text(out, "</summary><div><p>");
	html_add_text(out, line->why, 1000);
	buf_add_text(out, "</p></div></details>");
}

static void add_line(struct buf *out, const struct picture_panel *panel, size_t i)
{
	const struct picture_line *line = &panel->lines[i];
	double mean;
	double peak;

	mean_and_peak(line, &mean, &peak);
	buf_addf(out,
		"<tr data-line=\"%zu\"><th scope=\"row\"><span class=\"swatch k%u d%u\"></span>", i,
		svg_colour(panel, i), svg_dash(panel, i));
	html_add_text(out, line->label, LABEL_MAX);
	buf_add_text(out, "</th><td class=\"n now chart-only\"></td><td class=\"n\">");
	add_amount(out, panel->unit, mean);
	buf_add_text(out, "</td><td class=\"n\">");
	if (isfinite(peak)) {
		html_add_words(out, quality_mark(line->peak_quality));
		buf_add_char(out, ' ');
	}
	add_amount(out, panel->unit, peak);
	buf_add_text(out, "</td><td>");
	html_add_quality(out, quality_name(line->quality));
	buf_add_text(out, "</td><td class=\"key\">");
	add_key(out, line);
	buf_add_text(out, "</td></tr>\n");
}

static void add_words_row(struct buf *out, const char *swatch, const char *label)
{
	buf_addf(out, "<tr><td colspan=\"6\"><span class=\"swatch %s\"></span>", swatch);
	html_add_text(out, label, 200);
	buf_add_text(out, "</td></tr>\n");
}

static void add_legend(struct buf *out, const struct picture *p, const struct picture_panel *panel)
{
	buf_add_text(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Legend of ");
	html_add_text(out, panel->title, LABEL_MAX);
	buf_add_text(out,
		"\"><table class=\"legend\"><thead><tr><th scope=\"col\">Line</th>"
		"<th scope=\"col\" class=\"n now chart-only\">At the moment</th>"
		"<th scope=\"col\" class=\"n\">Mean</th><th scope=\"col\" class=\"n\">Highest</th>"
		"<th scope=\"col\">Known</th><th scope=\"col\" "
		"class=\"key\">Measurement</th></tr></thead>"
		"<tbody>\n");
	for (size_t i = 0; i < panel->n_lines; i++)
		add_line(out, panel, i);
	for (size_t i = 0; i < panel->n_bands; i++) {
		char swatch[40];

		snprintf(
			swatch, sizeof(swatch), "band k%u", svg_colour(panel, panel->bands[i].low));
		add_words_row(out, swatch, panel->bands[i].label);
	}
	for (size_t i = 0; i < panel->n_limits; i++) {
		struct buf label = { 0 };

		if (p->n_runs > 1 && panel->limits[i].run < p->n_runs)
			buf_addf(&label, "%s: ", p->runs[panel->limits[i].run].name);
		buf_addf(&label, "%s%s", panel->limits[i].label,
			panel->limits[i].in_sight ? "" : ", beyond the picture");
		if (label.failed)
			out->failed = true;
		else
			add_words_row(
				out, panel->limits[i].in_sight ? "dash" : "dash far", label.data);
		buf_done(&label);
	}
	buf_add_text(out, "</tbody></table></div>\n");
}

static void add_panel(struct buf *out, const struct picture *p, size_t i, size_t points)
{
	const struct picture_panel *panel = &p->panels[i];

	buf_addf(out, "<figure id=\"chart-%zu\">\n<figcaption><h3>", i);
	html_add_text(out, panel->title, LABEL_MAX);
	buf_addf(out, "</h3> <span class=\"soft\">%s%s</span></figcaption>\n<div class=\"plot\">\n",
		panel->unit,
		panel->stacked
			? "; each is drawn on top of the one below, the upper edge is their sum"
			: "");
	svg_panel(out, p, panel, points);
	buf_add_text(out, "</div>\n");
	add_legend(out, p, panel);
	buf_add_text(out, "</figure>\n");
}

static void add_run_name(struct buf *out, const struct picture *p, size_t run)
{
	if (p->n_runs < 2 || run >= p->n_runs)
		return;
	html_add_text(out, p->runs[run].name, LABEL_MAX);
	buf_add_text(out, ": ");
}

static void add_moment(struct buf *out, const struct picture *p, double at)
{
	char text[AXIS_TEXT_SIZE];

	axis_moment(p, at, text);
	html_add_words(out, text);
}

/* What stands in the pictures as lines across and grey stretches, in words. */
static void add_events(struct buf *out, const struct picture *p)
{
	if (p->n_marks == 0 && p->n_gaps == 0)
		return;
	buf_add_text(out, "<details class=\"block\"><summary>Events and gaps</summary>\n<div "
			  "class=\"scroll\">"
			  "<table><thead><tr><th scope=\"col\">When</th><th "
			  "scope=\"col\">What</th></tr></thead>"
			  "<tbody>\n");
	for (size_t i = 0; i < p->n_marks; i++) {
		buf_add_text(out, "<tr><td>");
		add_moment(out, p, p->marks[i].at);
		buf_add_text(out, "</td><td>");
		add_run_name(out, p, p->marks[i].run);
		html_add_text(out, p->marks[i].label, 300);
		buf_add_text(out, "</td></tr>\n");
	}
	for (size_t i = 0; i < p->n_gaps; i++) {
		buf_add_text(out, "<tr><td>");
		add_moment(out, p, p->gaps[i].start);
		buf_add_text(out, " to ");
		add_moment(out, p, p->gaps[i].end);
		buf_add_text(out, "</td><td>");
		add_run_name(out, p, p->gaps[i].run);
		html_add_text(out, p->gaps[i].why, 300);
		buf_add_text(out, "</td></tr>\n");
	}
	buf_add_text(out, "</tbody></table></div></details>\n");
}

static void add_tools(struct buf *out)
{
	buf_add_text(out,
		"<p class=\"tools chart-only\"><button type=\"button\" "
		"class=\"closer\">closer</button>"
		"<button type=\"button\" class=\"farther\">farther</button>"
		"<button type=\"button\" class=\"whole\">all of it</button> <span "
		"id=\"view\"></span>"
		"<output id=\"at\"></output></p>\n"
		"<p class=\"soft chart-only\" id=\"keys\">Drag over a chart to look closer, "
		"double click for "
		"all of it. With the keyboard: arrows move, with Shift ten at once, + and - look "
		"closer "
		"and farther, 0 is all of it.</p>\n"
		"<div id=\"spoken\" class=\"hidden-words\" aria-live=\"polite\"></div>\n");
}

static bool has_ranges(const struct picture *p)
{
	for (size_t i = 0; i < p->n_panels; i++)
		for (size_t k = 0; k < p->panels[i].n_lines; k++)
			for (size_t at = 0; at < p->panels[i].lines[k].n; at++)
				if (p->panels[i].lines[k].points[at].high >
					p->panels[i].lines[k].points[at].low)
					return true;
	return false;
}

void html_charts(struct buf *out, const struct picture *p)
{
	size_t lines = 0;
	size_t points;
	bool beside = p->layout == PICTURE_BESIDE && p->n_runs > 1;

	for (size_t i = 0; i < p->n_panels; i++)
		lines += p->panels[i].n_lines;
	points = POINTS_OF_ALL / (lines > 0 ? lines : 1);
	points = points < POINTS_MIN ? POINTS_MIN : points > POINTS_MAX ? POINTS_MAX : points;
	add_tools(out);
	if (has_ranges(p))
		buf_add_text(out, "<p class=\"soft\">A line is the mean of a stretch of time; the "
				  "colour around it "
				  "goes from the least to the greatest value in it.</p>\n");
	if (beside)
		buf_add_text(out, "<div class=\"beside\"><div>\n");
	for (size_t i = 0; i < p->n_panels; i++) {
		if (beside && i > 0 && p->panels[i].run != p->panels[i - 1].run)
			buf_add_text(out, "</div><div>\n");
		add_panel(out, p, i, points);
	}
	if (beside)
		buf_add_text(out, "</div></div>\n");
	add_events(out, p);
}
