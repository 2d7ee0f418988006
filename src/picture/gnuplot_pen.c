/* SPDX-License-Identifier: MIT */
/* Writes gnuplot's commands for texts, lines and areas. Texts are cut, made printable and stand where no command is read. */
#include "picture/gnuplot_pen.h"

#include <stdlib.h>
#include <string.h>

#include "base/lesser.h"
#include "base/macros.h"
#include "text/text_width.h"

#define LONGEST_EMS 400.0

static const struct pen_palette light = {
	.paper = "#ffffff",
	.ink = "#1a1a1a",
	.quiet = "#666666",
	.faint = "#e3e3e3",
	.gap = "#d4d4d4",
	.rest = "#999999",
	.hues = { "#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#4d4d4d",
		"#f0e442" },
	.runs = { { "#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#4d4d4d",
			  "#b3a100" },
		{ "#004267", "#7c3700", "#005c43", "#855c00", "#326887", "#764661", "#2d2d2d",
			"#685d00" },
		{ "#61a8cf", "#e59b61", "#61c3a8", "#f0c361", "#96d0f1", "#dfacc8", "#919191",
			"#d0c561" },
		{ "#00273d", "#482000", "#003627", "#4e3600", "#1d3d4f", "#452939", "#1a1a1a",
			"#3d3700" } },
	.words = { "#0072b2", "#c05500", "#008561", "#986900", "#3a7a9e", "#9f5e82", "#4d4d4d",
		"#817400" },
};

static const struct pen_palette dark = {
	.paper = "#16181d",
	.ink = "#ececec",
	.quiet = "#a3a8b0",
	.faint = "#32363e",
	.gap = "#3f444d",
	.rest = "#8a8f98",
	.hues = { "#56b4e9", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#f5f5f5",
		"#4a90d0" },
	.runs = { { "#56b4e9", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#f5f5f5",
			  "#4a90d0" },
		{ "#377395", "#936600", "#00654a", "#9a922a", "#834d6b", "#883c00", "#9d9d9d",
			"#2f5c85" },
		{ "#aadaf4", "#f2cf80", "#80ceb9", "#f8f2a0", "#e6bcd3", "#eaae80", "#fafafa",
			"#a4c8e8" },
		{ "#295670", "#6e4c00", "#004c37", "#736d20", "#623a50", "#662d00", "#767676",
			"#244564" } },
	.words = { "#56b4e9", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#d66105", "#f5f5f5",
		"#4a90d0" },
};

const struct pen_palette *pen_palette_of(bool is_dark)
{
	return is_dark ? &dark : &light;
}

const char *pen_run_color(const struct pen *p, size_t run)
{
	return p->colors->runs[run / PEN_HUES % PEN_SHADES][run % PEN_HUES];
}

const char *pen_run_words(const struct pen *p, size_t run)
{
	return p->colors->words[run % PEN_HUES];
}

static void add_place(struct pen *p, double x, double y)
{
	buf_addf(p->out, "screen %.6f,%.6f", x / p->width, 1 - y / p->height);
}

static double room_of(const struct pen *p, const struct pen_text *how)
{
	double left = how->align == PEN_RIGHT ? how->x : p->width - how->x;

	if (how->align == PEN_CENTER)
		left = 2 * lesser(how->x, p->width - how->x);
	return how->room > 0 ? lesser(how->room, left) : left;
}

double pen_text(struct pen *p, const struct pen_text *how, const char *text)
{
	static const char *const aligned[] = { "left", "center", "right" };
	double size = how->size > 0 ? how->size : 1;
	bool bold = how->bold && p->has_bold;
	/* Bold letters are wider by about a sixth. */
	double em = p->em * size * (bold ? 1.17 : 1);
	struct buf letters = { 0 };
	struct buf shown = { 0 };
	double ems = 0;

	if (p->draws_letters)
		text_add_in_dejavu(&letters, text);
	text_add_within_ems(&shown, letters.data ? letters.data : text,
		lesser(room_of(p, how) / em, LONGEST_EMS));
	if (shown.failed || letters.failed)
		p->out->failed = true;
	if (shown.len > 0 && !shown.failed) {
		ems = text_ems(shown.data, shown.len);
		/* A line of a block is read by nobody. Single quotes would not do: gnuplot 5.4 ends a text at the second of two doubled ones
		 * and takes the rest for commands. */
		buf_addf(p->out, "$text << e\n|%s\ne\nset label $text[1][2:] at ", shown.data);
		add_place(p, how->x, how->y);
		buf_addf(p->out, " %s noenhanced font '%s%s,%.2f' textcolor rgb '%s' front%s\n",
			aligned[how->align], p->font, bold ? ":Bold" : "",
			p->em * size / p->font_factor, how->color ? how->color : p->colors->ink,
			how->boxed ? " boxed" : "");
	}
	buf_done(&letters);
	buf_done(&shown);
	return ems * em;
}

void pen_color(struct pen *p, const char *color, double opacity)
{
	int clear = (int) (255.5 - 255 * opacity);

	if (clear > 0)
		buf_addf(p->out, "'#%02x%s'", (unsigned) clear, color + 1);
	else
		buf_addf(p->out, "'%s'", color);
}

void pen_area(struct pen *p, const struct pen_box *box, const char *color, double opacity)
{
	buf_add_text(p->out, "set object rectangle from ");
	add_place(p, box->left, box->bottom);
	buf_add_text(p->out, " to ");
	add_place(p, box->right, box->top);
	buf_add_text(p->out, " fc rgb ");
	pen_color(p, color, opacity);
	buf_add_text(p->out, " fs solid noborder front\n");
}

void pen_dash(struct pen *p, size_t dash)
{
	static const char *const dashes[PEN_DASHES] = { "solid", "(14,9)", "(3,5)", "(14,6,3,6)",
		"(22,6)" };

	buf_addf(p->out, " dashtype %s", dashes[dash % PEN_DASHES]);
}

void pen_line_width(struct pen *p, double width)
{
	buf_addf(p->out, " lw %.3g", width / p->line_factor);
}

void pen_line(
	struct pen *p, const struct pen_box *box, const char *color, double width, size_t dash)
{
	buf_add_text(p->out, "set arrow from ");
	add_place(p, box->left, box->top);
	buf_add_text(p->out, " to ");
	add_place(p, box->right, box->bottom);
	buf_addf(p->out, " nohead lc rgb '%s'", color);
	pen_line_width(p, width);
	pen_dash(p, dash);
	buf_add_text(p->out, " front\n");
}

void pen_lift(struct pen *p)
{
	buf_add_text(p->out, "unset label\nunset object\nunset arrow\n");
}
