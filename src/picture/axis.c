/* SPDX-License-Identifier: MIT */
/* Chooses units and ticks of axes. Without libm, which `assay run` starts faster without. */
#include "picture/axis.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/macros.h"
#include "base/units.h"
#include "picture/picture.h"

#define NUMBER_MAX 1e18 /* beyond it no axis is drawn to scale */
#define DAY 86400.0
#define WHOLE_MAX 0x1p53 /* beyond it every double is whole */

/* Units of one kind, the largest first; the last is the base. */
struct unit_name {
	const char *name;
	double one;
};

struct unit_kind {
	const char *base; /* as panels call it */
	bool binary, whole; /* whole: there is no half of it */
	struct unit_name names[7];
};

#define BYTE_NAMES(per)                                                                            \
	{                                                                                          \
		{ "EiB" per, 0x1p60 }, { "PiB" per, 0x1p50 }, { "TiB" per, 0x1p40 },               \
			{ "GiB" per, 0x1p30 }, { "MiB" per, 0x1p20 }, { "KiB" per, 0x1p10 },       \
		{                                                                                  \
			"B" per, 1                                                                 \
		}                                                                                  \
	}

static const struct unit_kind kinds[] = {
	{ "bytes", true, true, BYTE_NAMES("") },
	{ "bytes/s", true, false, BYTE_NAMES("/s") },
	{ "cores", false, false, { { "cores", 1 } } },
	{ "percent", false, false, { { "%", 1 } } },
	{ "seconds", false, false, { { "d", DAY }, { "h", 3600 }, { "s", 1 }, { "ms", 0.001 } } },
	{ "count", false, true, { { "billion", 1e9 }, { "million", 1e6 }, { "", 1 } } },
	{ "count/s", false, false, { { "billion/s", 1e9 }, { "million/s", 1e6 }, { "/s", 1 } } },
	{ "watts", false, false, { { "MW", 1e6 }, { "kW", 1e3 }, { "W", 1 }, { "mW", 0.001 } } },
	{ "joules", false, false, { { "MJ", 1e6 }, { "kJ", 1e3 }, { "J", 1 } } },
	{ "hertz", false, false, { { "GHz", 1e9 }, { "MHz", 1e6 }, { "kHz", 1e3 }, { "Hz", 1 } } },
	{ "celsius", false, false, { { "degrees C", 1 } } },
	{ "", false, false, { { "", 1 } } },
};

static const struct unit_kind *kind_of(const char *unit)
{
	for (size_t i = 0; i + 1 < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].base, unit) == 0)
			return &kinds[i];
	return &kinds[ARRAY_SIZE(kinds) - 1];
}

static double up_to_whole(double x)
{
	double whole = x < WHOLE_MAX ? (double) (int64_t) x : x;

	return whole < x ? whole + 1 : whole;
}

/* The least step that is round and not below `least`. */
static double round_step(double least, bool binary, bool whole)
{
	static const double decimal[] = { 1, 2, 5, 10 };
	static const double by_1024[] = { 1, 2, 5, 10, 20, 50, 100, 256, 512, 1024 };
	const double *steps = binary ? by_1024 : decimal;
	size_t n = binary ? ARRAY_SIZE(by_1024) : ARRAY_SIZE(decimal);
	double base = steps[n - 1];
	double one = 1;

	while (one * base <= least)
		one *= base;
	while (!whole && one > least && one > 1e-15)
		one /= binary ? 10 : base;
	for (size_t i = 0; i < n; i++)
		if (steps[i] * one >= least * (1 - 1e-9))
			return steps[i] * one;
	return base * one;
}

/* The largest unit in which both the end and the step are good to read: 0.25 GiB, not 0.125. */
static const struct unit_name *name_for(const struct unit_kind *kind, double high, double step)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(kind->names) && kind->names[i + 1].name &&
		(high < kind->names[i].one || (kind->binary && step < 0.2 * kind->names[i].one) ||
			step < 0.0999 * kind->names[i].one))
		i++;
	return &kind->names[i];
}

static void add_tick(struct axis *a, double at, double shown)
{
	struct axis_tick *tick = &a->ticks[a->n_ticks++];

	tick->at = at;
	snprintf(tick->label, sizeof(tick->label), "%.10g", shown);
}

static size_t ticks_wanted(size_t ticks)
{
	if (ticks < 2)
		return 2;
	return ticks < AXIS_TICKS_MAX ? ticks : AXIS_TICKS_MAX;
}

void axis_of_values(const char *unit, double highest, size_t ticks, struct axis *ret)
{
	const struct unit_kind *kind = kind_of(unit);
	const struct unit_name *name;
	double wanted = (double) (ticks_wanted(ticks) - 1);
	double step;
	size_t n;

	if (!(highest > 0))
		highest = 1;
	if (highest > NUMBER_MAX)
		highest = NUMBER_MAX;
	step = round_step(highest / wanted, kind->binary, kind->whole);
	n = (size_t) up_to_whole(highest / step * (1 - 1e-9));
	*ret = (struct axis){ .high = (double) n * step };
	name = name_for(kind, ret->high, step);
	snprintf(ret->unit, sizeof(ret->unit), "%s", name->name);
	for (size_t i = 0; i <= n && i < AXIS_TICKS_MAX; i++)
		add_tick(ret, (double) i * step, (double) i * step / name->one);
}

void axis_number(const char *unit, double value, char text[AXIS_TEXT_SIZE])
{
	const struct unit_kind *kind = kind_of(unit);
	const struct unit_name *name = name_for(kind, value, value);
	char number[UNITS_TEXT_SIZE];

	if (!isfinite(value)) {
		snprintf(text, AXIS_TEXT_SIZE, "not known");
	} else if (kind->binary && value >= 0 && value < NUMBER_MAX) {
		format_bytes((uint64_t) value, number);
		snprintf(text, AXIS_TEXT_SIZE, "%s%s", number, strchr(unit, '/') ? "/s" : "");
	} else if (strcmp(unit, "seconds") == 0 && value >= 0 && value < 1e9) {
		format_duration((uint64_t) (value * 1e9), number);
		snprintf(text, AXIS_TEXT_SIZE, "%s", number);
	} else if (strcmp(unit, "cores") == 0) {
		snprintf(text, AXIS_TEXT_SIZE,
			value >= 1000 && value < 1e7 ? "%.0f core%s" : "%.3g core%s", value,
			value == 1 ? "" : "s");
	} else {
		snprintf(text, AXIS_TEXT_SIZE,
			value >= 1000 && value < 1e7 && name->one == 1 ? "%.0f%s%s" : "%.3g%s%s",
			value / name->one, *name->name && *name->name != '/' ? " " : "",
			name->name);
	}
}

/* Time */

/* Where the clock is at zero, in seconds of local time; 0 when the axis counts from the start. */
static double zero_of(const struct picture *p)
{
	return p->wall_time && isfinite(p->zero_unix) ? p->zero_unix + (double) p->utc_offset : 0;
}

static double step_of_time(double least)
{
	static const double steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
		7200, 10800, 21600, 43200, DAY };

	if (least < 1)
		return round_step(least, false, false);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i] >= least * (1 - 1e-9))
			return steps[i];
	return DAY * round_step(least / DAY, false, true);
}

static const struct unit_name *name_of_time(double high, double step)
{
	static const struct unit_name names[] = { { "d", DAY }, { "h", 3600 }, { "min", 60 },
		{ "s", 1 }, { "ms", 0.001 } };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(names) && (high < (i < 3 ? 2 : 1) * names[i].one ||
						    step < (i < 3 ? 0.25 : 0.01) * names[i].one))
		i++;
	return &names[i];
}

/* False where the calendar ends. */
static bool calendar(double local, struct tm *ret)
{
	if (!(fabs(local) < 1e15))
		return false;
	time_t seconds = (time_t) local;
	return gmtime_r(&seconds, ret) != NULL;
}

static void add_clock_tick(struct axis *a, double at, double local, double step)
{
	struct axis_tick *tick = &a->ticks[a->n_ticks++];
	struct tm tm;

	tick->at = at;
	if (!calendar(local, &tm))
		return;
	if (step >= DAY || (step >= 3600 && tm.tm_hour == 0 && tm.tm_min == 0))
		strftime(tick->label, sizeof(tick->label), "%d %b", &tm);
	else
		strftime(tick->label, sizeof(tick->label), step < 60 ? "%T" : "%H:%M", &tm);
	if (step < 1) {
		size_t n = strlen(tick->label);
		long ms = (long) ((local - (double) (time_t) local) * 1000 + 0.5);

		snprintf(tick->label + n, sizeof(tick->label) - n, ".%03ld", ms > 999 ? 999 : ms);
	}
}

/* The end of the stretch of the axis that begins at `at` and has no cut in it; *ret_next is where the next begins. */
static double end_of_stretch(const struct picture *p, double at, double *ret_next)
{
	for (size_t i = 0; i < p->n_gaps; i++) {
		const struct picture_gap *gap = &p->gaps[i];

		if (gap->kind == PICTURE_CUT && gap->start >= at) {
			*ret_next = gap->end;
			return gap->start;
		}
	}
	*ret_next = p->end;
	return p->end;
}

static void add_time_ticks(const struct picture *p, double step, struct axis *ret)
{
	double zero = zero_of(p);
	double span = p->end - p->start;
	double last = picture_time_at(p, p->end);
	const struct unit_name *name = name_of_time(last, step);
	double slack = zero > 0 ? 1e-3 : 1e-9; /* of a step: what a double at that time is worth */
	double start = p->start;
	double next = start;

	*ret = (struct axis){ .low = p->start, .high = p->end };
	if (zero <= 0)
		snprintf(ret->unit, sizeof(ret->unit), "%s", name->name);
	while (ret->n_ticks < AXIS_TICKS_MAX) {
		double end = end_of_stretch(p, start, &next);
		double shift = picture_time_at(p, start) - start;
		double first = up_to_whole((zero + start + shift) / step - slack);

		/* Of a span that is too short for a double at that time, not all are apart. */
		for (size_t k = 0; k < (size_t) 2 * AXIS_TICKS_MAX && ret->n_ticks < AXIS_TICKS_MAX;
			k++) {
			double n = first + (double) k;
			double at = n * step - zero - shift;

			if (at > end + span * 1e-9)
				break;
			/* Behind a cut the next round time may come at once: too near to be read. */
			if (ret->n_ticks > 0 && at - ret->ticks[ret->n_ticks - 1].at < 0.6 * step)
				continue;
			if (zero > 0)
				add_clock_tick(ret, at, n * step, step);
			else
				add_tick(ret, at, n * step / name->one);
		}
		if (next >= p->end || next <= start)
			break;
		start = next;
	}
}

void axis_of_time(const struct picture *p, size_t ticks, struct axis *ret)
{
	double span = p->end - p->start;
	double least = span > 0 ? span / (double) (ticks_wanted(ticks) - 1) : 1;

	/* A short time of the day may have no round one in it. */
	for (int turn = 0; turn < 4; turn++) {
		add_time_ticks(p, step_of_time(least), ret);
		if (ret->n_ticks > 0 || !(span > 0))
			break;
		least /= 2;
	}
}

void axis_moment(const struct picture *p, double at, char text[AXIS_TEXT_SIZE])
{
	double time = picture_time_at(p, at);
	double local = zero_of(p) + time;
	struct tm tm;

	if (zero_of(p) > 0 && calendar(local, &tm))
		strftime(text, AXIS_TEXT_SIZE, p->end - p->start > DAY ? "%F %T" : "%T", &tm);
	else
		axis_number("seconds", time, text);
}
