/* SPDX-License-Identifier: MIT */
/* Puts what was read of a run into panels: lines, and the bands between them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "picture/picture_parts.h"
#include "run/info_value.h"

/* Parts of a whole are stacked: those of two runs in one panel would be no whole. */
static bool is_of_one_run(const char *name)
{
	return strncmp(name, "process_", 8) == 0 || strcmp(name, "cores") == 0;
}

/* Of several runs a panel of one of them says of which. */
static char *title_of(const struct picture *p, const char *title, size_t run)
{
	struct buf text = { 0 };

	buf_add_text(&text, title);
	if (p->n_runs > 1 && run < p->n_runs)
		buf_addf(&text, ", %s", p->runs[run].name);
	return buf_take(&text);
}

struct picture_panel *picture_panel(
	struct picture *p, const char *name, const char *unit, size_t run)
{
	const char *title = picture_panel_title(name);
	struct picture_panel *panels;
	struct picture_panel *panel;

	if (p->layout == PICTURE_OVERLAID && p->n_runs > 1 && !is_of_one_run(name))
		run = PICTURE_ALL_RUNS;
	for (size_t i = 0; i < p->n_panels; i++)
		if (p->panels[i].run == run && strcmp(p->panels[i].name, name) == 0 &&
			strcmp(p->panels[i].unit, unit) == 0)
			return &p->panels[i];
	panels = realloc(p->panels, (p->n_panels + 1) * sizeof(*panels));
	if (!panels)
		return NULL;
	p->panels = panels;
	panel = &panels[p->n_panels++];
	*panel = (struct picture_panel){ .unit = unit, .run = run };
	panel->name = strdup(name);
	panel->title = title_of(p, title ? title : name, run);
	return panel->name && panel->title ? panel : NULL;
}

struct picture_line *picture_line(struct picture_panel *panel)
{
	struct picture_line *lines =
		realloc(panel->lines, (panel->n_lines + 1) * sizeof(*panel->lines));

	if (!lines)
		return NULL;
	panel->lines = lines;
	lines[panel->n_lines] = (struct picture_line){ 0 };
	return &lines[panel->n_lines++];
}

static char *label_of(
	const struct picture_reading *r, const struct picture_source *s, bool with_run)
{
	const struct picture_usual *usual = s->usual >= 0 ? &picture_usual[s->usual] : NULL;
	struct buf text = { 0 };

	if (with_run)
		buf_addf(&text, "%s: ", r->picture->runs[r->run].name);
	/* "GPU 0 busy": names of graphics processors are numbers, or begin so by themselves. */
	if (s->device && usual && strcmp(usual->device, "gpu") == 0 &&
		strncasecmp(s->device, "gpu", 3) != 0)
		buf_add_text(&text, "GPU ");
	if (s->device && usual && usual->per_core)
		buf_addf(&text, "%s", s->device);
	else if (s->device)
		buf_addf(&text, "%s %s", s->device, usual ? usual->label : s->key);
	else
		buf_add_text(&text, usual ? usual->label : s->key);
	if (s->is_sum)
		buf_add_text(&text, ", sum so far");
	if (strncmp(s->key, "cgroup_", 7) == 0 && !picture_has_own_cgroup(r->info))
		buf_add_text(&text, ", in a cgroup with others");
	if (strncmp(s->key, "host_pressure", 13) == 0 && usual)
		buf_add_text(&text, ", of the whole machine");
	return buf_take(&text);
}

/* A sum that is too large at each sample is no upper bound of what was between them. */
static bool is_bound_at_samples(const struct picture_source *s)
{
	return s->any_max && s->track.quality == UPPER_BOUND;
}

static enum quality quality_of_peak(const struct picture_source *s)
{
	if (s->peak_quality != ABSENT)
		return s->peak_quality;
	return is_bound_at_samples(s) ? ESTIMATE : s->track.quality;
}

static char *why_of(const struct picture_source *s)
{
	const char *help = info_text(s->row, "help", NULL);
	struct buf text = { 0 };

	if (!help && !is_bound_at_samples(s))
		return NULL;
	buf_add_text(&text, help ? help : "");
	if (is_bound_at_samples(s))
		buf_addf(&text, "%san upper bound at the samples, not between them",
			help ? "; " : "");
	return buf_take(&text);
}

static int add_line(struct picture_reading *r, struct picture_source *s)
{
	struct picture_panel *panel = picture_panel(r->picture, s->panel, s->unit, r->run);
	struct picture_line *line = panel ? picture_line(panel) : NULL;
	bool has_why = info_text(s->row, "help", NULL) || is_bound_at_samples(s);

	if (!line)
		return -ENOMEM;
	line->key = strdup(s->key);
	line->label = label_of(r, s, panel->run == PICTURE_ALL_RUNS);
	line->why = why_of(s);
	line->quality = s->track.quality;
	line->run = r->run;
	line->peak_key = s->peak_quality != ABSENT ? strdup(s->peak_key) : NULL;
	line->peak_quality = quality_of_peak(s);
	line->rate = s->is_counter;
	line->points = s->track.points;
	line->n = s->track.n;
	s->track.points = NULL;
	panel->stacked = s->usual >= 0 && picture_usual[s->usual].per_core;
	return line->key && line->label && (line->why || !has_why) &&
			       (line->peak_key || s->peak_quality == ABSENT)
		       ? 0
		       : -ENOMEM;
}

static bool same_device(const struct picture_source *a, const struct picture_source *b)
{
	if (!a->device || !b->device)
		return a->device == b->device;
	return strcmp(a->device, b->device) == 0;
}

static bool has_anything(const struct picture_source *s)
{
	if (s->track.n == 0)
		return false;
	if (s->asked || s->usual < 0 || !picture_usual[s->usual].unless_zero)
		return true;
	return picture_track_highest(&s->track) > 0;
}

/* Of the sources of one thing the preferred one of those that have anything. */
static bool is_preferred(const struct picture_reading *r, const struct picture_source *s)
{
	for (size_t i = 0; i < r->n_sources; i++) {
		const struct picture_source *other = r->sources[i];

		if (other != s && other->usual == s->usual && same_device(other, s) &&
			has_anything(other) && other->rank < s->rank)
			return false;
	}
	return true;
}

/* In the order of the table, so that panels and lines always come in the same. */
static int add_usual(struct picture_reading *r, int usual)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < r->n_sources; i++) {
		struct picture_source *s = r->sources[i];

		if (s->drawn && s->usual == usual)
			code = add_line(r, s);
	}
	return code;
}

static size_t line_with(const struct picture_panel *panel, size_t run, const char *end)
{
	for (size_t i = 0; i < panel->n_lines; i++)
		if (panel->lines[i].run == run && strstr(panel->lines[i].key, end))
			return i;
	return panel->n_lines;
}

/* What is shared counts in PSS by shares and in RSS as often as it is mapped: the job's own memory is between the two. */
static int add_band(struct picture_reading *r)
{
	for (size_t i = 0; i < r->picture->n_panels; i++) {
		struct picture_panel *panel = &r->picture->panels[i];
		size_t low = line_with(panel, r->run, "_pss_total_bytes");
		size_t high = line_with(panel, r->run, "_rss_total_bytes");
		struct picture_band *bands;

		if (strcmp(panel->name, "memory") != 0 || low >= panel->n_lines ||
			high >= panel->n_lines || strstr(panel->lines[low].key, "swap"))
			continue;
		bands = realloc(panel->bands, (panel->n_bands + 1) * sizeof(*bands));
		if (!bands)
			return -ENOMEM;
		panel->bands = bands;
		bands[panel->n_bands] = (struct picture_band){ .low = low, .high = high };
		bands[panel->n_bands].label = strdup("memory of the job: between PSS and RSS");
		return bands[panel->n_bands++].label ? 0 : -ENOMEM;
	}
	return 0;
}

/* Whether the panel of the source has a line that is no fallback. */
static bool has_better(const struct picture_reading *r, const struct picture_source *s)
{
	for (size_t i = 0; i < r->n_sources; i++) {
		const struct picture_source *other = r->sources[i];

		if (other->drawn && other->usual >= 0 && !picture_usual[other->usual].fallback &&
			strcmp(other->panel, s->panel) == 0)
			return true;
	}
	return false;
}

/* Which of the sources become lines. */
static void choose(struct picture_reading *r)
{
	for (size_t i = 0; i < r->n_sources; i++) {
		struct picture_source *s = r->sources[i];

		s->drawn = has_anything(s) && (s->asked || is_preferred(r, s));
	}
	for (size_t i = 0; i < r->n_sources; i++) {
		struct picture_source *s = r->sources[i];

		if (s->drawn && !s->asked && s->usual >= 0 && picture_usual[s->usual].fallback)
			s->drawn = !has_better(r, s);
	}
}

int picture_add_lines(struct picture_reading *r)
{
	int code = 0;

	choose(r);
	for (size_t i = 0; code == 0 && i < n_picture_usual; i++)
		code = add_usual(r, (int) i);
	if (code == 0)
		code = add_usual(r, PICTURE_ASKED);
	return code == 0 ? add_band(r) : code;
}

int picture_add_gap(struct picture *p, const struct picture_gap *gap, const char *why)
{
	struct picture_gap *gaps = realloc(p->gaps, (p->n_gaps + 1) * sizeof(*gaps));

	if (!gaps)
		return -ENOMEM;
	p->gaps = gaps;
	gaps[p->n_gaps] = *gap;
	gaps[p->n_gaps].why = strdup(why);
	return gaps[p->n_gaps++].why ? 0 : -ENOMEM;
}

int picture_add_mark(
	struct picture *p, size_t run, double at, enum picture_mark_kind kind, const char *label)
{
	struct picture_mark *marks = realloc(p->marks, (p->n_marks + 1) * sizeof(*marks));

	if (!marks)
		return -ENOMEM;
	p->marks = marks;
	marks[p->n_marks] = (struct picture_mark){ .run = run, .at = at, .kind = kind };
	marks[p->n_marks].label = strdup(label);
	return marks[p->n_marks++].label ? 0 : -ENOMEM;
}
