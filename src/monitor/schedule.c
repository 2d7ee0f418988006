/* SPDX-License-Identifier: MIT */
/* Samples on a fixed grid, denser in the first moments so that short jobs are seen; windows that widen with the run's age. */
#include "monitor/schedule.h"

#include <stddef.h>

#include "base/macros.h"

#define MS 1000000ULL

/* The first ticks, for jobs shorter than an interval. */
static const uint64_t early_ns[] = { 20 * MS, 60 * MS, 140 * MS, 300 * MS, 600 * MS };

static const struct {
	uint64_t age_s, length_s;
} widths[] = {
	{ 60, 1 },
	{ 600, 5 },
	{ 3600, 15 },
	{ UINT64_C(6) * 3600, 60 },
	{ UINT64_C(24) * 3600, 120 },
	{ UINT64_C(7) * 24 * 3600, 300 },
	{ UINT64_MAX, 600 },
};

uint64_t schedule_window_length(const struct schedule *s, uint64_t age_ns)
{
	size_t i = 0;

	if (s->report_interval_ns)
		return s->report_interval_ns;
	while (age_ns / NSEC_PER_SEC >= widths[i].age_s)
		i++;
	uint64_t length_ns = widths[i].length_s * NSEC_PER_SEC;
	return length_ns > s->sample_interval_ns ? length_ns : s->sample_interval_ns;
}

static uint64_t next_on_grid(const struct schedule *s, uint64_t now_ns)
{
	uint64_t age_ns = now_ns - s->start_ns;

	for (size_t i = 0; !s->even && i < ARRAY_SIZE(early_ns); i++)
		if (early_ns[i] > age_ns && early_ns[i] < s->sample_interval_ns)
			return s->start_ns + early_ns[i];
	return s->start_ns + (age_ns / s->sample_interval_ns + 1) * s->sample_interval_ns;
}

void schedule_start(struct schedule *s, uint64_t start_ns, uint64_t sample_interval_ns,
	uint64_t report_interval_ns)
{
	*s = (struct schedule){ .start_ns = start_ns,
		.report_interval_ns = report_interval_ns,
		.sample_interval_ns =
			sample_interval_ns ? sample_interval_ns : SAMPLE_INTERVAL_DEFAULT_NS };
	s->next_tick_ns = next_on_grid(s, start_ns);
	s->window_end_ns = start_ns + schedule_window_length(s, 0);
}

void schedule_ticked(struct schedule *s, uint64_t now_ns)
{
	uint64_t due_ns = s->next_tick_ns;

	if (now_ns < due_ns)
		return; /* an extra sample, between two of the grid */
	s->next_tick_ns = next_on_grid(s, now_ns);
	s->left_out += s->stretched;
	s->stretched = 0;
	/* Counted on the grid that was asked for; the denser first ticks are a gift. */
	uint64_t passed = (now_ns - s->start_ns) / s->sample_interval_ns -
			  (due_ns - s->start_ns) / s->sample_interval_ns;
	s->missed += passed;
	s->missed_in_window += passed;
}

void schedule_make_even(struct schedule *s)
{
	s->even = true;
	s->next_tick_ns = next_on_grid(s, s->start_ns);
}

void schedule_stretch(struct schedule *s, uint64_t ticks)
{
	s->next_tick_ns += ticks * s->sample_interval_ns;
	s->stretched += ticks;
}

void schedule_end(struct schedule *s, uint64_t now_ns)
{
	uint64_t to_come = 0;

	if (s->next_tick_ns > now_ns)
		to_come = (s->next_tick_ns - now_ns + s->sample_interval_ns - 1) /
			  s->sample_interval_ns;
	s->left_out += s->stretched > to_come ? s->stretched - to_come : 0;
	s->stretched = 0;
}

void schedule_skip(struct schedule *s, uint64_t now_ns)
{
	if (now_ns >= s->next_tick_ns)
		s->next_tick_ns = next_on_grid(s, now_ns);
}

bool schedule_window_over(const struct schedule *s, uint64_t now_ns)
{
	/* A tick comes a little late, the window's end is on the grid: a sample that stands just before it closes it too. */
	return now_ns + s->sample_interval_ns / 4 >= s->window_end_ns;
}

bool schedule_window_is_wide(const struct schedule *s, uint64_t window_start_ns)
{
	/* Its first sample came up to a quarter of an interval early or somewhat late. */
	return s->window_end_ns > window_start_ns + s->sample_interval_ns * 3 / 2;
}

void schedule_window_closed(struct schedule *s, uint64_t now_ns)
{
	s->missed_in_window = 0;
	do {
		s->window_end_ns += schedule_window_length(s, s->window_end_ns - s->start_ns);
	} while (s->window_end_ns <= now_ns + s->sample_interval_ns / 4);
}
