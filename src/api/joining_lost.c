/* SPDX-License-Identifier: MIT */
/* Ends a joining whose recorder was killed: the series knows more than the info file, which is renewed once a minute. */
#include "api/joining_lost.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/measure.h"
#include "model/segment.h"
#include "record/earlier.h"

static uint64_t value_of(struct segment *s, const char *name)
{
	const struct segment_value *v = segment_value(s, name, false);

	return v ? v->n : 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* How long the joining had lasted at its last line; where that does not count it, by when the line was written. */
static uint64_t wall_at_last_line(const struct segment *s, const struct last_window *last)
{
	const struct segment_value *counted = segment_value(last->values, "wall_seconds", false);

	if (counted)
		return counted->n;
	return last->realtime_ns > s->started_realtime_ns
		       ? last->realtime_ns - s->started_realtime_ns
		       : 0;
}

/* What has been a peak stays at least that: the info file's, and those of the lines since. */
static void take_peaks(struct segment *now, struct segment *was, const struct usage_peaks *p)
{
	uint64_t process = larger(p->hwm_bytes, p->rss_bytes);
	uint64_t mean = value_of(now, "cpu_mean_cores");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const char *key = p->hwm_bytes >= p->rss_bytes ? "proc_hwm_bytes" : "proc_rss_bytes";

	if (p->memory_told && process > 0) {
		uint64_t before = value_of(was, "memory_peak_process_bytes");
		const struct segment_value *all = segment_value(was, "memory_peak_bytes", false);

		segment_set(now, "memory_peak_process_bytes", larger(process, before), LOWER_BOUND,
			before > process ? "proc_hwm_bytes" : key);
		segment_set(now, "memory_peak_bytes", larger(process, all ? all->n : 0),
			LOWER_BOUND, all && all->n > process ? all->key : key);
	}
	if (!p->cores_told || mean == 0)
		return;
	uint64_t peak = larger(p->cores, value_of(was, "cpu_peak_cores"));
	/* Late accounting may crowd more into one interval. */
	if (cpus > 0 && peak > 1000 * (uint64_t) cpus)
		peak = 1000 * (uint64_t) cpus;
	segment_set(now, "cpu_peak_cores", larger(peak, mean), LOWER_BOUND,
		peak > mean ? "target_cpu_percent" : "target_cpu_seconds");
}

static void take_last_line(struct segment *s, const struct earlier *e, uint64_t wall_ns)
{
	const struct last_window *last = &e->last;
	struct segment was = *s;

	s->values = NULL;
	s->n_values = 0;
	segment_set(s, "wall_seconds", wall_ns, LOWER_BOUND, "target_elapsed_seconds");
	for (size_t i = 0; i < last->values->n_values; i++) {
		const struct segment_value *v = &last->values->values[i];

		if (strcmp(v->name, "wall_seconds") != 0)
			segment_set(s, v->name, v->n, v->quality, v->key);
	}
	segment_renew_mean(s);
	take_peaks(s, &was, &e->survey.peaks);
	s->ended_realtime_ns = last->realtime_ns;
	segment_done(&was);
}

/* The first version of an info file comes a moment after the start, of which CPU time was counted and hardly any had passed. */
static void forget_impossible_cores(struct segment *s)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (cpus <= 0 || value_of(s, "cpu_mean_cores") <= 1000 * (uint64_t) cpus)
		return;
	segment_forget(s, "cpu_mean_cores");
	segment_forget(s, "cpu_peak_cores");
}

void joining_lost(struct joined *j, const struct earlier *e)
{
	struct segment *s = &j->list[j->n - 1];
	const struct last_window *last = &e->last;
	bool is_its = last->found && last->segment == j->n && last->values;
	uint64_t wall_ns = is_its ? wall_at_last_line(s, last) : 0;

	/* Where lines are far apart the info file may be the newer one. */
	if (is_its && wall_ns > s->wall_ns) {
		const struct segment_value *was = segment_value(s, "processes", false);
		uint64_t seen_before = was ? was->n : j->n > 1 ? s->at_start : 0;
		uint64_t lines = e->next_sequence;

		take_last_line(s, e, wall_ns);
		was = segment_value(s, "processes", false);
		j->seen += was && was->n > seen_before ? was->n - seen_before : 0;
		for (size_t i = 0; i + 1 < j->n; i++)
			lines -= j->list[i].windows < lines ? j->list[i].windows : lines;
		s->windows = lines;
	}
	segment_is_lost(s);
	forget_impossible_cores(s);
	if (segment_value(s, "wall_seconds", false))
		s->wall_ns = value_of(s, "wall_seconds");
	snprintf(s->words, sizeof(s->words), "the recorder was lost");
	snprintf(s->evidence, sizeof(s->evidence),
		"it wrote no end; what is known is from before its last line");
}
