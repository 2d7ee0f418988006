/* SPDX-License-Identifier: MIT */
/* Reads the series of a run into lines in the making, with the gaps that are in it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "picture/picture_metrics.h"
#include "picture/picture_parts.h"
#include "record/json_walk.h"
#include "record/stored_run.h"
#include "run/info_value.h"

#define GAP_SECONDS 0.001 /* less is how windows are rounded */
#define END_SECONDS 0.05 /* the last window is closed that much behind the end at most */
#define SECONDS_MAX 1e12
#define GAPS_MAX 200 /* of a run: the longest are shown */
#define JOINED_MAX                                                                                 \
	100 /* marks: a recording that goes on all the time is told by the first of them */

static double offset_of(const struct picture_reading *r)
{
	return r->picture->runs[r->run].offset;
}

static size_t shortest_gap(const struct picture *p, size_t first)
{
	size_t shortest = first;

	for (size_t i = first; i < p->n_gaps; i++)
		if (p->gaps[i].end - p->gaps[i].start <
			p->gaps[shortest].end - p->gaps[shortest].start)
			shortest = i;
	return shortest;
}

/* The gap that has ended is one of the picture's, if it is among the longest. */
static int keep_gap(struct picture_reading *r)
{
	static const char *const why[] = { [PICTURE_SLEPT] = "the machine slept",
		[PICTURE_UNRECORDED] = "nothing was recorded",
		[PICTURE_MISSED] = "most samples were due and not taken",
		[PICTURE_CUT] = "left out" };
	struct picture *p = r->picture;
	struct picture_gap gap = r->gap;

	if (!(gap.end > gap.start))
		return 0;
	r->gap = (struct picture_gap){ 0 };
	if (p->n_gaps - r->first_gap < GAPS_MAX)
		return picture_add_gap(p, &gap, why[gap.kind]);
	struct picture_gap *other = &p->gaps[shortest_gap(p, r->first_gap)];
	r->short_gaps++;
	if (other->end - other->start >= gap.end - gap.start)
		return 0;
	free(other->why);
	*other = p->gaps[--p->n_gaps];
	return picture_add_gap(p, &gap, why[gap.kind]);
}

/* What borders on the gap before and is of its kind is one with it. */
static int add_gap(struct picture_reading *r, double start, double end, enum picture_gap_kind kind)
{
	struct picture_gap gap = { .run = r->run, .start = start, .end = end, .kind = kind };
	int code;

	if (!(end > start) || end <= r->from || start >= r->to)
		return 0;
	gap.start = (start > r->from ? start : r->from) + offset_of(r);
	gap.end = (end < r->to ? end : r->to) + offset_of(r);
	if (r->gap.end > r->gap.start && r->gap.kind == kind &&
		fabs(gap.start - r->gap.end) <= GAP_SECONDS) {
		r->gap.end = gap.end;
		return 0;
	}
	code = keep_gap(r);
	r->gap = gap;
	return code;
}

/* Which have been left out is told once, where the run begins. */
static int end_gaps(struct picture_reading *r)
{
	char words[96];
	int code = keep_gap(r);

	if (code < 0 || r->short_gaps == 0)
		return code;
	snprintf(words, sizeof(words), "%zu shorter gaps are not shown", r->short_gaps);
	return picture_add_mark(r->picture, r->run, (r->from > 0 ? r->from : 0) + offset_of(r),
		PICTURE_GAPS, words);
}

/* The source that was made of a device's measurement; NULL: none. */
static int device_source(struct picture_reading *r, const json_t *device, const char *key,
	const json_t *value, struct picture_source **ret)
{
	const char *kind = info_text(device, "kind", NULL);
	const char *name = info_text(device, "name", NULL);
	struct buf known = { 0 };
	size_t before = r->n_sources;
	const json_t *found;
	int code = 0;

	*ret = NULL;
	if (!kind || !name)
		return 0;
	buf_addf(&known, "%s\n%s\n%s", kind, name, key);
	if (known.failed)
		return -ENOMEM;
	found = json_object_get(r->known, known.data);
	if (!found && json_object_size(r->known) >= STORED_KEYS_MAX) {
		buf_done(&known);
		return 0;
	}
	if (!found) {
		code = picture_consider(r, key, value, kind, name);
		if (code == 0 &&
			json_object_set_new(r->known, known.data,
				json_integer(r->n_sources > before ? (json_int_t) before : -1)) < 0)
			code = -ENOMEM;
		found = json_object_get(r->known, known.data);
	}
	if (code == 0 && json_integer_value(found) >= 0)
		*ret = r->sources[json_integer_value(found)];
	buf_done(&known);
	return code;
}

static int add_device(struct picture_reading *r, const json_t *window, const json_t *device,
	struct picture_stretch of)
{
	const char *key;
	json_t *value;
	int code;

	json_object_foreach(json_walk(json_object_get(device, "values")), key, value)
	{
		struct picture_source *s;

		code = device_source(r, device, key, value, &s);
		if (code < 0)
			return code;
		if (s)
			picture_source_add(s, window, value, of);
	}
	return 0;
}

/* A record that does not say which measurements it has: what its windows hold. */
static int consider_values(struct picture_reading *r, const json_t *values)
{
	const char *key;
	json_t *value;
	int code = 0;

	json_object_foreach(json_walk(values), key, value)
	{
		if (json_object_get(r->known, key) || json_object_size(r->known) >= STORED_KEYS_MAX)
			continue;
		code = picture_consider(r, key, value, NULL, NULL);
		if (code == 0 && json_object_set_new(r->known, key, json_true()) < 0)
			code = -ENOMEM;
		if (code < 0)
			return code;
	}
	return 0;
}

static int add_values(struct picture_reading *r, const json_t *window, struct picture_stretch of)
{
	const json_t *values = json_object_get(window, "values");
	const json_t *devices = json_object_get(window, "devices");
	int code = r->rows_known ? 0 : consider_values(r, values);

	for (size_t i = 0; code == 0 && i < r->n_sources; i++) {
		struct picture_source *s = r->sources[i];

		if (!s->device)
			picture_source_add(s, window, json_object_get(values, s->key), of);
		code = s->track.failed ? -ENOMEM : 0;
	}
	for (size_t i = 0; code == 0 && i < json_array_size(devices); i++)
		code = add_device(r, window, json_array_get(devices, i), of);
	return code;
}

static int note_gaps(struct picture_reading *r, const json_t *window, double start, double end)
{
	double missed = info_number(window, "missed_ticks", NULL);
	long long segment = json_integer_value(json_object_get(window, "segment"));
	int code = 0;

	if (r->any && start > r->last_end + GAP_SECONDS)
		code = add_gap(r, r->last_end, start, PICTURE_UNRECORDED);
	if (code == 0 && r->any && segment != r->segment && start >= r->from && start <= r->to &&
		r->joined++ < JOINED_MAX)
		code = picture_add_mark(r->picture, r->run, start + offset_of(r), PICTURE_JOINED,
			"the recording went on");
	if (code == 0 && missed > 0 && missed > info_number(window, "samples", NULL))
		code = add_gap(r, start, end, PICTURE_MISSED);
	r->segment = segment;
	return code;
}

/* The last window ends when the recorder has looked once more; what was counted in it was counted until the end. */
static double end_of(const struct picture_reading *r, double start, double end)
{
	double wall = r->picture->runs[r->run].wall_seconds + r->slept;

	return wall > start && wall < end && end - wall < END_SECONDS ? wall : end;
}

static int add_window(const json_t *window, void *context)
{
	struct picture_reading *r = context;
	double start = info_number(window, "start_seconds", NULL) + r->slept;
	double end = info_number(window, "end_seconds", NULL) + r->slept;
	double slept = info_number(window, "suspended_seconds", NULL);
	int code;

	if (!isfinite(start) || !isfinite(end) || start < 0 || end < start || end > SECONDS_MAX)
		return 0;
	end = end_of(r, start, end);
	picture_note_stop(r, start, end);
	code = note_gaps(r, window, start, end);
	if (code == 0 && end > r->from && start < r->to) {
		struct picture_stretch of = { .start = (start > r->from ? start : r->from) +
						       offset_of(r),
			.end = (end < r->to ? end : r->to) + offset_of(r),
			.seconds = end - start };

		code = add_values(r, window, of);
		if (code == 0)
			code = picture_mark_window(r, window, end);
	}
	r->any = true;
	r->last_end = end;
	/* The clock of the windows stands still while the machine sleeps: where in the window that was is not known, so it comes behind it. */
	if (code == 0 && slept > 0 && slept < SECONDS_MAX) {
		code = add_gap(r, end, end + slept, PICTURE_SLEPT);
		r->slept += slept;
		r->last_end = end + slept;
	}
	return code;
}

/* What the series does not tell of the end. */
static int note_tail(struct picture_reading *r)
{
	double wall = r->picture->runs[r->run].wall_seconds + r->slept;
	int code = 0;

	if (r->any && wall > r->last_end + 0.01 * wall + GAP_SECONDS)
		code = add_gap(r, r->last_end, wall, PICTURE_UNRECORDED);
	return code == 0 ? end_gaps(r) : code;
}

int picture_read(struct picture_reading *r)
{
	struct picture_run *run = &r->picture->runs[r->run];
	struct series_survey survey = { 0 };
	struct error err = { 0 };
	int code = picture_consider_rows(r);

	r->first_gap = r->picture->n_gaps;
	if (code < 0)
		return code;
	code = stored_run_windows(run->stored, add_window, r, &survey, &err);
	if (code == -ENOMEM)
		return code;
	if (code < 0) {
		run->trouble = strdup(err.text);
		if (!run->trouble)
			return -ENOMEM;
	}
	run->windows = survey.windows;
	run->damaged = survey.damaged;
	run->torn = survey.torn;
	if (code >= 0)
		run->missing = series_missing_unsaid(run->stored, &survey);
	return note_tail(r);
}
