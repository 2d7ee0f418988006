/* SPDX-License-Identifier: MIT */
/* What happened at a moment: limits that were hit, the OOM killer, starts and ends. */
#include <math.h>
#include <string.h>

#include <errno.h>

#include "base/buf.h"
#include "picture/axis.h"
#include "picture/picture_parts.h"
#include "record/stored_run.h"
#include "run/info_value.h"

#define ROUNDED 0.001 /* seconds: times of windows are */
#define MARKS_OF_COUNTERS 100 /* a limit that is hit all the time is told by the first of them */

/* Counters whose growth is an event. */
static const struct {
	const char *key, *what;
	enum picture_mark_kind kind;
} counters[] = {
	{ "cgroup_memory_limit_hits_count", "memory limit hit", PICTURE_LIMIT },
	{ "cgroup_pids_limit_hits_count", "limit of processes hit", PICTURE_LIMIT },
	{ "cgroup_oom_kills_count", "the OOM killer killed", PICTURE_OOM },
};

static bool is_in(const struct picture_reading *r, double at)
{
	return at >= r->from && at <= r->to;
}

int picture_mark_window(struct picture_reading *r, const json_t *window, double end)
{
	const json_t *values = json_object_get(window, "values");
	bool own = picture_has_own_cgroup(r->info);

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		double times = info_number(values, counters[i].key, "delta");
		struct buf text = { 0 };
		int code;

		if (!(times > 0) || !is_in(r, end) || r->counted >= MARKS_OF_COUNTERS)
			continue;
		r->counted++;
		buf_add_text(&text, counters[i].what);
		if (times > 1)
			buf_addf(&text, ", %.0f times", times);
		if (!own)
			buf_add_text(&text, ", in a cgroup with others");
		code = text.failed ? -ENOMEM
				   : picture_add_mark(r->picture, r->run,
					     end + r->picture->runs[r->run].offset,
					     counters[i].kind, text.data);
		buf_done(&text);
		if (code < 0)
			return code;
	}
	return 0;
}

/* The limit that ended the run. */
static int mark_limit(struct picture_reading *r)
{
	const json_t *limit = json_object_get(r->info, "limit");
	double at = info_number(limit, "after_seconds", NULL);
	double value = info_number(limit, "limit", NULL);
	const char *name = info_text(limit, "name", NULL);
	const char *unit = info_text(limit, "unit", NULL);
	char number[AXIS_TEXT_SIZE];
	struct buf text = { 0 };
	int code;

	if (!name || !isfinite(at) || !is_in(r, at))
		return 0;
	buf_addf(&text, "limit: %s", name);
	if (unit && isfinite(value)) {
		axis_number(strcmp(unit, "count") == 0   ? "count"
			    : strcmp(unit, "bytes") == 0 ? "bytes"
							 : "seconds",
			value, number);
		buf_addf(&text, " %s", number);
	}
	code = text.failed
		       ? -ENOMEM
		       : picture_add_mark(r->picture, r->run, at + r->picture->runs[r->run].offset,
				 PICTURE_LIMIT, text.data);
	buf_done(&text);
	return code;
}

/* Of several runs by the clock: where one begins behind the first. */
static int mark_start(struct picture_reading *r)
{
	const struct picture_run *run = &r->picture->runs[r->run];

	if (!(run->offset > 0) || !is_in(r, 0))
		return 0;
	return picture_add_mark(r->picture, r->run, run->offset, PICTURE_START, "start");
}

static int mark_end(struct picture_reading *r)
{
	const struct picture_run *run = &r->picture->runs[r->run];
	double at = isfinite(run->wall_seconds) ? run->wall_seconds + r->slept : r->last_end;
	struct buf text = { 0 };
	int code;

	if (run->stored->state == STORED_RUNNING || !run->outcome || !is_in(r, at))
		return 0;
	buf_addf(&text, "end: %s", run->outcome);
	code = text.failed ? -ENOMEM
			   : picture_add_mark(
				     r->picture, r->run, at + run->offset, PICTURE_END, text.data);
	buf_done(&text);
	return code;
}

void picture_note_stop(struct picture_reading *r, double start, double end)
{
	double stopped = info_number(r->info, "time", "stopped_seconds");

	if (!(stopped > 0) || end - start < stopped - ROUNDED)
		return;
	r->stops++;
	r->stop[0] = start;
	r->stop[1] = end;
}

/* A job that is stopped is not sampled: the record tells for how long, and one window alone is long enough to hold it. Where several are, or the job was stopped
 * several times, nobody knows which. */
static int mark_stop(struct picture_reading *r)
{
	double times = info_number(r->info, "time", "stops");
	char stopped[AXIS_TEXT_SIZE];
	char within[AXIS_TEXT_SIZE];
	struct buf text = { 0 };
	int code;

	if (r->stops != 1 || !(times > 0 && times < 2) || !is_in(r, r->stop[0]))
		return 0;
	axis_number("seconds", info_number(r->info, "time", "stopped_seconds"), stopped);
	axis_number("seconds", r->stop[1] - r->stop[0], within);
	buf_addf(&text, "stopped for %s, within the %s that begin here", stopped, within);
	code = text.failed ? -ENOMEM
			   : picture_add_mark(r->picture, r->run,
				     r->stop[0] + r->picture->runs[r->run].offset, PICTURE_STOP,
				     text.data);
	buf_done(&text);
	return code;
}

int picture_mark_run(struct picture_reading *r)
{
	int code = mark_start(r);

	if (code == 0)
		code = mark_stop(r);
	if (code == 0)
		code = mark_limit(r);
	return code == 0 ? mark_end(r) : code;
}
