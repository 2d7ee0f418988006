/* SPDX-License-Identifier: MIT */
/* Draws a picture: writes gnuplot's script, runs it, and hands on what came out. */
#include "picture/gnuplot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_write.h"
#include "base/macros.h"
#include "picture/gnuplot_data.h"
#include "picture/gnuplot_pen.h"
#include "picture/gnuplot_run.h"
#include "picture/gnuplot_sheet.h"
#include "picture/gnuplot_strip.h"
#include "picture/gnuplot_words.h"
#include "picture/picture.h"
#include "picture/picture_look.h"
#include "text/text_width.h"

/* What differs between the kinds of pictures. */
struct kind {
	const char *terminal;
	const char *font;
	double usual_width, usual_em;
	double em_of_point;
	double inch; /* sizes are told in inches of so many units; 0: in units */
	double font_factor, line_factor;
	bool has_bold, draws_letters;
};

/* Opacity of the stretch between least and greatest, and of a band. */
#define SPREAD_OPACITY 0.28
/* Of the line along the greatest, without which a peak of a few pixels is too pale to be seen. */
#define TOPS_OPACITY 0.65
#define BAND_OPACITY 0.18

static struct pen pen_of(const struct kind *kind, const struct picture_look *look, struct buf *out)
{
	struct pen pen = { .out = out,
		.font = kind->font,
		.font_factor = kind->font_factor,
		.line_factor = kind->line_factor,
		.has_bold = kind->has_bold,
		.draws_letters = kind->draws_letters,
		.colors = pen_palette_of(look->dark) };

	pen.width = look->width ? (double) look->width : kind->usual_width;
	/* Between letters that grow with the picture and letters that stay as they are. */
	pen.em = look->font_points > 0
			 ? (double) look->font_points * kind->em_of_point
			 : kind->usual_em * (0.5 + 0.5 * pen.width / kind->usual_width);
	return pen;
}

static void begin_script(const struct kind *kind, struct sheet *s)
{
	struct pen *pen = &s->pen;
	double per = kind->inch > 0 ? kind->inch : 1;
	const char *unit = kind->inch > 0 ? "in" : "";
	double above = kind->inch > 0 ? 0.01 : 0; /* what is read is rounded down */

	buf_add_text(pen->out, "set encoding utf8\n");
	buf_addf(pen->out,
		"set terminal %s noenhanced size %.9g%s,%.9g%s font '%s,%.2f' background rgb "
		"'%s'\n",
		kind->terminal, (pen->width + above) / per, unit, (pen->height + above) / per, unit,
		pen->font, pen->em / pen->font_factor, pen->colors->paper);
	buf_addf(pen->out, "set style textbox opaque noborder fillcolor rgb '%s' margins 0.3,0.1\n",
		pen->colors->paper);
	buf_add_text(
		pen->out, "unset key\nset multiplot\nset style fill noborder\nset tics nomirror\n");
}

static void add_margins(struct sheet *s, const struct sheet_cell *c)
{
	const struct pen *pen = &s->pen;

	buf_addf(pen->out,
		"set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
		"set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
		c->plot.left / pen->width, c->plot.right / pen->width,
		1 - c->plot.top / pen->height, 1 - c->plot.bottom / pen->height);
}

/* Whether the words below a tick of the time neither run into those before, which end at *left, nor out of the sheet. */
static bool has_room(
	const struct sheet *s, const struct sheet_cell *c, const struct axis_tick *t, double *left)
{
	double half = text_ems(t->label, strlen(t->label)) * s->pen.em / 2;
	double x = sheet_x(s, c, t->at);

	if (x - half < *left || x + half >= s->pen.width)
		return false;
	*left = x + half;
	return true;
}

static void add_ticks(struct sheet *s, const struct sheet_cell *c, const struct axis *axis)
{
	bool is_time = axis == &s->time;
	bool labels = !is_time || c->last || s->time_everywhere;
	struct pen *pen = &s->pen;
	bool first = true;
	double left = 0;

	/* Where none is named gnuplot makes its own. */
	if (axis->n_ticks == 0) {
		buf_addf(pen->out, "unset %stics\n", is_time ? "x" : "y");
		return;
	}
	buf_addf(pen->out, "set %stics (", is_time ? "x" : "y");
	for (size_t i = 0; i < axis->n_ticks; i++) {
		const struct axis_tick *t = &axis->ticks[i];

		if (t->at < axis->low || t->at > axis->high)
			continue;
		bool told = labels && (!is_time || has_room(s, c, t, &left));
		buf_addf(pen->out, "%s'%s' %.12g", first ? "" : ", ", told ? t->label : "", t->at);
		first = false;
	}
	buf_addf(pen->out, ") scale 0.4 font '%s,%.2f' textcolor rgb '%s'\n", pen->font,
		0.9 * pen->em / pen->font_factor, pen->colors->quiet);
}

static void add_axes(struct sheet *s, const struct sheet_cell *c)
{
	struct pen *pen = &s->pen;

	buf_addf(pen->out, "set xrange [%.12g:%.12g]\nset yrange [%.12g:%.12g]\n", s->time.low,
		s->time.high, c->values.low, c->values.high);
	add_ticks(s, c, &s->time);
	add_ticks(s, c, &c->values);
	buf_addf(pen->out, "set border 3 lc rgb '%s'", pen->colors->quiet);
	pen_line_width(pen, 0.07 * pen->em);
	buf_addf(pen->out, "\nset grid xtics ytics lc rgb '%s' dashtype solid", pen->colors->faint);
	pen_line_width(pen, 0.06 * pen->em);
	buf_addf(pen->out, ", lc rgb '%s'\n", pen->colors->faint);
}

static void next_plot(struct sheet *s, size_t *plotted)
{
	buf_add_text(s->pen.out, (*plotted)++ ? ", \\\n\t" : "plot ");
}

static void plot_area(struct sheet *s, size_t *plotted, const char *name, size_t index,
	const char *color, double opacity)
{
	next_plot(s, plotted);
	buf_addf(s->pen.out, "$%s%zu using 1:2:3 with filledcurves fc rgb ", name, index);
	pen_color(&s->pen, color, opacity);
	buf_add_text(s->pen.out, " fs noborder");
}

static void plot_line(
	struct sheet *s, size_t *plotted, size_t index, const struct line_style *style)
{
	next_plot(s, plotted);
	buf_addf(s->pen.out, "$line%zu using 1:2 with lines lc rgb '%s'", index, style->color);
	pen_line_width(&s->pen, 0.13 * s->pen.em);
	pen_dash(&s->pen, style->dash);
}

static void plot_tops(struct sheet *s, size_t *plotted, size_t index, const char *color)
{
	next_plot(s, plotted);
	buf_addf(s->pen.out, "$tops%zu using 1:2 with lines lc rgb ", index);
	pen_color(&s->pen, color, TOPS_OPACITY);
	pen_line_width(&s->pen, 0.115 * s->pen.em);
}

static struct data_grain grain_of(const struct sheet *s, const struct sheet_cell *c)
{
	double width = c->plot.right - c->plot.left;
	double span = s->time.high - s->time.low;

	return (struct data_grain){ .start = s->time.low,
		.end = s->time.high,
		.steps = (size_t) (4 * width),
		.least = span / width };
}

static void add_blocks_and_plot(struct sheet *s, const struct sheet_cell *c)
{
	const struct picture_panel *panel = c->panel;
	struct data_grain grain = grain_of(s, c);
	struct buf plot = { 0 };
	struct buf *script = s->pen.out;
	size_t plotted = 0;
	char name[32];

	/* Blocks go to the script, the command that draws them to a buffer that follows. */
	s->pen.out = &plot;
	for (size_t i = 0; i < panel->n_bands; i++) {
		const struct picture_band *b = &panel->bands[i];
		struct line_style style = line_style_of(&s->pen, s->p, panel, b->low);

		snprintf(name, sizeof(name), "band%zu", i);
		if (data_add_band(
			    script, name, &panel->lines[b->low], &panel->lines[b->high], &grain))
			plot_area(s, &plotted, "band", i, style.color, BAND_OPACITY);
	}
	for (size_t i = 0; i < panel->n_lines; i++) {
		struct line_style style = line_style_of(&s->pen, s->p, panel, i);

		snprintf(name, sizeof(name), "line%zu", i);
		data_add_line(script, name, &panel->lines[i], &grain);
		snprintf(name, sizeof(name), "spread%zu", i);
		if (!data_add_spread(script, name, &panel->lines[i], &grain))
			continue;
		plot_area(s, &plotted, "spread", i, style.color, SPREAD_OPACITY);
		snprintf(name, sizeof(name), "tops%zu", i);
		data_add_tops(script, name, &panel->lines[i], &grain);
		plot_tops(s, &plotted, i, style.color);
	}
	for (size_t i = 0; i < panel->n_lines; i++) {
		struct line_style style = line_style_of(&s->pen, s->p, panel, i);
		plot_line(s, &plotted, i, &style);
	}
	buf_add_char(&plot, '\n');
	buf_add(script, plot.data, plot.len);
	script->failed = script->failed || plot.failed;
	buf_done(&plot);
	s->pen.out = script;
}

static void add_stack_and_plot(struct sheet *s, const struct sheet_cell *c)
{
	struct data_grain grain = grain_of(s, c);
	size_t plotted = 0;

	if (!data_add_stack(s->pen.out, "part", c->panel, &grain)) {
		buf_add_text(s->pen.out, "plot NaN\n");
		return;
	}
	for (size_t i = 0; i < c->panel->n_lines; i++) {
		struct line_style style = line_style_of(&s->pen, s->p, c->panel, i);
		plot_area(s, &plotted, "part", i, style.color, style.opacity);
	}
	buf_add_char(s->pen.out, '\n');
}

static void add_cell(struct sheet *s, size_t index)
{
	struct sheet_cell *c = &s->cells[index];

	pen_lift(&s->pen);
	add_margins(s, c);
	add_axes(s, c);
	if (index == 0)
		words_head(s);
	if (index + 1 == s->n_cells)
		words_foot(s);
	words_of_cell(s, c);
	legend_draw(&s->pen, &c->legend, c->plot.left, c->legend_top);
	strip_draw(s, c);
	words_limits(s, c);
	if (c->panel->stacked)
		add_stack_and_plot(s, c);
	else
		add_blocks_and_plot(s, c);
}

static int hand_on(int from, int to, struct error *err)
{
	char bytes[8192];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		int r = fd_write_all(to, bytes, (size_t) n, NULL);
		if (r < 0)
			return error_set(err, r, "cannot write the picture");
	}
	return n < 0 ? error_set(err, -errno, "cannot read the picture") : 0;
}

static int draw(const struct kind *kind, const struct picture *p, const struct picture_look *look,
	int fd, struct error *err)
{
	struct buf script = { 0 };
	struct pen pen = pen_of(kind, look, &script);
	struct sheet s;
	AUTO_CLOSE int drawn = -1;

	int r = sheet_make(p, look, &pen, &s, err);
	if (r < 0)
		return r;
	begin_script(kind, &s);
	for (size_t i = 0; i < s.n_cells; i++)
		add_cell(&s, i);
	buf_add_text(&script, "unset multiplot\nunset output\n");
	sheet_done(&s);
	if (script.failed)
		r = error_set(err, -ENOMEM, "cannot write the script of gnuplot");
	if (r == 0)
		r = gnuplot_run(script.data, script.len, &drawn, err);
	buf_done(&script);
	return r < 0 ? r : hand_on(drawn, fd, err);
}

/* A pixel is 1/96 inch for gnuplot's cairo terminals, which count letters in points of 1/72 inch, in PDF as if its points were pixels; SVG has no other unit
 * than the pixel. */
int gnuplot_png(const struct picture *p, const struct picture_look *look, int fd, struct error *err)
{
	static const struct kind png = { .terminal = "pngcairo rounded",
		.font = "DejaVu Sans",
		.usual_width = 1000,
		.usual_em = 13.3,
		.em_of_point = 4.0 / 3,
		.font_factor = 4.0 / 3,
		.line_factor = 1,
		.has_bold = true,
		.draws_letters = true };

	return draw(&png, p, look, fd, err);
}

int gnuplot_svg(const struct picture *p, const struct picture_look *look, int fd, struct error *err)
{
	static const struct kind svg = { .terminal = "svg rounded",
		.font = "sans-serif",
		.usual_width = 1000,
		.usual_em = 13.3,
		.em_of_point = 4.0 / 3,
		.font_factor = 1,
		.line_factor = 1 };

	return draw(&svg, p, look, fd, err);
}

int gnuplot_pdf(const struct picture *p, const struct picture_look *look, int fd, struct error *err)
{
	static const struct kind pdf = { .terminal = "pdfcairo rounded fontscale 1",
		.font = "DejaVu Sans",
		.usual_width = 720,
		.usual_em = 9.5,
		.em_of_point = 1,
		.inch = 72,
		.font_factor = 4.0 / 3,
		.line_factor = 0.5,
		.has_bold = true,
		.draws_letters = true };

	return draw(&pdf, p, look, fd, err);
}
