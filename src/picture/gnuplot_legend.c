/* SPDX-License-Identifier: MIT */
/* Lays out and draws the legend of a panel. */
#include "picture/gnuplot_legend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "picture/gnuplot_pen.h"
#include "picture/picture.h"
#include "text/text_width.h"

#define REST_KEY "rest"
#define PARTS_TOLD_APART 256
/* In ems. */
#define SAMPLE_WIDTH 1.9
#define SAMPLE_SPACE 0.55
#define SOURCE_SPACE 0.9
#define COLUMN_SPACE 1.8
#define SLACK 0.1 /* so that rounding cuts nothing */
#define SOURCE_SIZE 0.88
#define ROW_HEIGHT 1.5
#define LONGEST 400.0
#define BAND_OPACITY 0.22

static bool is_of_several_runs(const struct picture *p, const struct picture_panel *panel)
{
	return p->n_runs > 1 && panel->run == PICTURE_ALL_RUNS;
}

/* The place of a name in the list, at whose end it is put when it is new and there is room. */
static size_t place_of(const char *name, const char **seen, size_t *n)
{
	size_t at = 0;

	while (at < *n && strcmp(seen[at], name) != 0)
		at++;
	if (at == *n && *n < PARTS_TOLD_APART)
		seen[(*n)++] = name;
	return at;
}

/* How many other parts come before this one in the stacks of its run: a process has one colour in all of them. */
static size_t part_index(const struct picture *p, const struct picture_line *part)
{
	const char *seen[PARTS_TOLD_APART];
	size_t n = 0;

	for (size_t i = 0; i < p->n_panels; i++) {
		const struct picture_panel *panel = &p->panels[i];

		for (size_t k = 0; panel->stacked && k < panel->n_lines; k++) {
			const struct picture_line *l = &panel->lines[k];

			if (l->run != part->run || strcmp(l->key, REST_KEY) == 0)
				continue;
			size_t at = place_of(l->label, seen, &n);
			if (l == part)
				return at;
		}
	}
	return n;
}

struct line_style line_style_of(const struct pen *pen, const struct picture *p,
	const struct picture_panel *panel, size_t line)
{
	const struct picture_line *l = &panel->lines[line];
	struct line_style style = { .opacity = 0.85 };
	size_t of_run = 0;

	if (strcmp(l->key, REST_KEY) == 0) {
		style.color = pen->colors->rest;
	} else if (is_of_several_runs(p, panel)) {
		for (size_t i = 0; i < line; i++)
			of_run += panel->lines[i].run == l->run;
		style.color = pen_run_color(pen, l->run);
		style.dash = of_run % PEN_DASHES;
	} else {
		size_t hue = panel->stacked ? part_index(p, l) : line;

		style.color = pen->colors->hues[hue % PEN_HUES];
		style.dash = panel->stacked ? 0 : hue / PEN_HUES % PEN_DASHES;
		if (hue / PEN_HUES % 2)
			style.opacity = 0.45;
	}
	return style;
}

const char *limit_color_of(const struct pen *pen, const struct picture *p,
	const struct picture_panel *panel, size_t limit)
{
	size_t run = panel->limits[limit].run;

	if (is_of_several_runs(p, panel) && run != PICTURE_ALL_RUNS)
		return pen_run_color(pen, run);
	return pen->colors->quiet;
}

/* "lower bound". */
static void add_quality(struct buf *text, enum quality quality)
{
	const char *word = quality_name(quality);
	size_t n = strcspn(word, "_");

	buf_add(text, word, n);
	if (word[n])
		buf_addf(text, " %s", word + n + 1);
}

/* "proc_pss_total_bytes, lower bound". */
static char *source_of(const struct picture_line *l)
{
	struct buf text = { 0 };

	buf_add_text(&text, l->key);
	buf_add_text(&text, l->rate ? " per second, " : ", ");
	add_quality(&text, l->quality);
	if (!l->peak_key && l->quality == UPPER_BOUND && l->peak_quality != l->quality)
		buf_add_text(&text, " at the samples");
	if (l->peak_key) {
		buf_addf(&text, "; highest: %s, ", l->peak_key);
		add_quality(&text, l->peak_quality);
	}
	return buf_take(&text);
}

/* What all lines have in common; NULL when they differ. */
static char *common_source(const struct picture_panel *panel)
{
	const struct picture_line *first = NULL;

	for (size_t i = 0; i < panel->n_lines; i++) {
		const struct picture_line *l = &panel->lines[i];

		if (strcmp(l->key, REST_KEY) == 0)
			continue;
		if (first && (strcmp(l->key, first->key) != 0 || l->quality != first->quality ||
				     l->rate != first->rate))
			return NULL;
		first = first ? first : l;
	}
	return first && panel->n_lines > 1 ? source_of(first) : NULL;
}

static bool add_entry(struct legend *l, enum legend_sample sample, struct line_style style,
	const char *label, char *source)
{
	struct buf shown = { 0 };

	text_add_within_ems(&shown, label, LONGEST);
	char *text = buf_take(&shown);
	if (!text || !source) {
		free(text);
		free(source);
		return false;
	}
	l->entries[l->n++] = (struct legend_entry){ sample, style, text, source };
	return true;
}

/* The label without the name of its run, which tells it elsewhere. */
static const char *label_of(const struct picture *p, const struct picture_line *line)
{
	const char *name = p->runs[line->run].name;
	size_t n = strlen(name);

	if (p->n_runs > 1 && strncmp(line->label, name, n) == 0 &&
		strncmp(line->label + n, ": ", 2) == 0)
		return line->label + n + 2;
	return line->label;
}

static bool is_same_kind(const struct picture *p, const struct picture_line *a,
	const struct line_style *of_a, const struct picture_line *b, const struct line_style *of_b)
{
	return of_a->dash == of_b->dash && strcmp(a->key, b->key) == 0 && a->rate == b->rate &&
	       strcmp(label_of(p, a), label_of(p, b)) == 0;
}

/* Of several runs in one panel, whose colours stand in the head. */
enum kind_of_line {
	KIND_FIRST, /* the first of its kind: one entry for all of them */
	KIND_ANOTHER, /* of a kind that has its entry */
	KIND_APART /* of a kind whose qualities differ: each has its entry */
};

static enum kind_of_line kind_of(const struct pen *pen, const struct picture *p,
	const struct picture_panel *panel, size_t index)
{
	const struct picture_line *line = &panel->lines[index];
	struct line_style style = line_style_of(pen, p, panel, index);
	enum kind_of_line kind = KIND_FIRST;

	for (size_t i = 0; i < panel->n_lines; i++) {
		const struct picture_line *other = &panel->lines[i];
		struct line_style of_other = line_style_of(pen, p, panel, i);

		if (!is_same_kind(p, line, &style, other, &of_other))
			continue;
		if (other->quality != line->quality)
			return KIND_APART;
		if (i < index)
			kind = KIND_ANOTHER;
	}
	return kind;
}

static bool add_line(struct legend *l, const struct pen *pen, const struct picture *p,
	const struct picture_panel *panel, size_t index)
{
	const struct picture_line *line = &panel->lines[index];
	struct line_style style = line_style_of(pen, p, panel, index);
	bool plain = l->source || strcmp(line->key, REST_KEY) == 0;
	const char *label = label_of(p, line);

	if (is_of_several_runs(p, panel)) {
		enum kind_of_line kind = kind_of(pen, p, panel, index);

		if (kind == KIND_ANOTHER)
			return true;
		if (kind == KIND_FIRST)
			style.color = pen->colors->ink;
		else
			label = line->label;
	}
	return add_entry(l, panel->stacked ? LEGEND_AREA : LEGEND_LINE, style, label,
		plain ? strdup("") : source_of(line));
}

static bool add_lines(struct legend *l, const struct pen *pen, const struct picture *p,
	const struct picture_panel *panel)
{
	bool ok = true;

	/* A stack's legend stands as its areas do: the uppermost first. */
	for (size_t k = 0; ok && k < panel->n_lines; k++)
		ok = add_line(l, pen, p, panel, panel->stacked ? panel->n_lines - 1 - k : k);
	return ok;
}

/* Whether another band before it says the same. */
static bool is_told(const struct picture_panel *panel, size_t band)
{
	for (size_t i = 0; i < band; i++)
		if (strcmp(panel->bands[i].label, panel->bands[band].label) == 0)
			return true;
	return false;
}

void limit_add_label(
	struct buf *out, const struct picture *p, const struct picture_panel *panel, size_t limit)
{
	const struct picture_limit *l = &panel->limits[limit];

	if (is_of_several_runs(p, panel) && l->run != PICTURE_ALL_RUNS)
		buf_addf(out, "%s: ", p->runs[l->run].name);
	buf_add_text(out, l->label);
}

static bool add_limit(struct legend *l, struct line_style style, const struct picture *p,
	const struct picture_panel *panel, size_t limit)
{
	struct buf label = { 0 };

	limit_add_label(&label, p, panel, limit);
	bool ok = !label.failed && add_entry(l, LEGEND_LIMIT, style, label.data ? label.data : "",
					   strdup("above the picture"));
	buf_done(&label);
	return ok;
}

static bool add_others(struct legend *l, const struct pen *pen, const struct picture *p,
	const struct picture_panel *panel)
{
	bool ok = true;

	for (size_t i = 0; ok && i < panel->n_bands; i++) {
		struct line_style style = line_style_of(pen, p, panel, panel->bands[i].low);

		if (is_told(panel, i))
			continue;
		style.opacity = BAND_OPACITY;
		if (is_of_several_runs(p, panel))
			style.color = pen->colors->ink;
		ok = add_entry(l, LEGEND_AREA, style, panel->bands[i].label, strdup(""));
	}
	for (size_t i = 0; ok && i < panel->n_limits; i++) {
		struct line_style style = { .color = limit_color_of(pen, p, panel, i),
			.dash = PEN_DASH_LIMIT };

		if (!panel->limits[i].in_sight)
			ok = add_limit(l, style, p, panel, i);
	}
	return ok;
}

static double entry_width(const struct pen *pen, const struct legend_entry *e)
{
	double ems = SLACK + SAMPLE_WIDTH + SAMPLE_SPACE + text_ems(e->label, strlen(e->label));

	if (*e->source)
		ems += SOURCE_SPACE + SOURCE_SIZE * text_ems(e->source, strlen(e->source));
	return ems * pen->em;
}

static void arrange(struct legend *l, const struct pen *pen)
{
	double widest = 1;

	for (size_t i = 0; i < l->n; i++) {
		double width = entry_width(pen, &l->entries[i]) + COLUMN_SPACE * pen->em;
		widest = width > widest ? width : widest;
	}
	l->columns = (size_t) ((l->width + COLUMN_SPACE * pen->em) / widest);
	if (l->columns < 1)
		l->columns = 1;
	if (l->columns > l->n)
		l->columns = l->n ? l->n : 1;
	l->column_width = l->columns == 1 ? l->width : widest;
	l->rows = (l->n + l->columns - 1) / l->columns;
}

int legend_make(const struct pen *pen, const struct picture *p, const struct picture_panel *panel,
	double width, struct legend *ret)
{
	size_t room = panel->n_lines + panel->n_bands + panel->n_limits + 1;
	struct legend l = { .entries = calloc(room, sizeof(*l.entries)), .width = width };

	if (l.entries)
		l.source = common_source(panel);
	if (!l.entries || !add_lines(&l, pen, p, panel) || !add_others(&l, pen, p, panel)) {
		legend_done(&l);
		return -ENOMEM;
	}
	arrange(&l, pen);
	*ret = l;
	return 0;
}

double legend_row_height(const struct pen *pen)
{
	return ROW_HEIGHT * pen->em;
}

static void draw_sample(struct pen *pen, const struct legend_entry *e, double left, double middle)
{
	double right = left + SAMPLE_WIDTH * pen->em;
	struct pen_box line = { left, middle, right, middle };
	struct pen_box area = { left, middle - 0.4 * pen->em, right, middle + 0.4 * pen->em };

	if (e->sample == LEGEND_AREA)
		pen_area(pen, &area, e->style.color, e->style.opacity);
	else
		pen_line(pen, &line, e->style.color,
			(e->sample == LEGEND_LIMIT ? 0.1 : 0.15) * pen->em, e->style.dash);
}

static void draw_entry(
	struct pen *pen, const struct legend_entry *e, double left, double middle, double width)
{
	double right = left + width;

	draw_sample(pen, e, left, middle);
	left += (SAMPLE_WIDTH + SAMPLE_SPACE) * pen->em;
	double used = pen_text(
		pen, &(struct pen_text){ .x = left, .y = middle, .room = right - left }, e->label);
	left += used + SOURCE_SPACE * pen->em;
	if (*e->source && right - left > 2 * pen->em)
		pen_text(pen,
			&(struct pen_text){ .x = left,
				.y = middle,
				.room = right - left,
				.size = SOURCE_SIZE,
				.color = pen->colors->quiet },
			e->source);
}

void legend_draw(struct pen *pen, const struct legend *l, double left, double top)
{
	for (size_t i = 0; i < l->n; i++) {
		double x = left + (double) (i % l->columns) * l->column_width;
		size_t row = i / l->columns;
		double y = top + ((double) row + 0.5) * legend_row_height(pen);

		draw_entry(pen, &l->entries[i], x, y,
			l->column_width - (l->columns > 1 ? COLUMN_SPACE * pen->em : 0));
	}
}

void legend_done(struct legend *l)
{
	for (size_t i = 0; l->entries && i < l->n; i++) {
		free(l->entries[i].label);
		free(l->entries[i].source);
	}
	free(l->entries);
	free(l->source);
	*l = (struct legend){ 0 };
}
