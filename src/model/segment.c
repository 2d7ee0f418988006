/* SPDX-License-Identifier: MIT */
/* Puts the joinings of a continued record together: what adds up is added, what is a peak is compared. */
#include "model/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/measure.h"
#include "model/run_info.h"

/* How the values of several joinings become one. */
enum manner { SUM, PEAK, MEAN_CORES, PROCESSES };

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name);
	size_t n_end = strlen(end);

	return n > n_end && strcmp(name + n - n_end, end) == 0;
}

bool segment_unit(const char *name, uint8_t *ret)
{
	static const struct {
		const char *end;
		uint8_t unit;
	} units[] = { { "_seconds", SECONDS }, { "_bytes", BYTES }, { "_cores", UNITLESS },
		{ "_joules", JOULES }, { "s_peak", COUNT } };

	*ret = COUNT;
	if (strcmp(name, "processes") == 0)
		return true;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		*ret = units[i].unit;
		if (ends_with(name, units[i].end))
			return true;
	}
	return false;
}

static enum manner manner_of(const char *name)
{
	if (strcmp(name, "processes") == 0)
		return PROCESSES;
	if (strcmp(name, "cpu_mean_cores") == 0)
		return MEAN_CORES;
	return strstr(name, "_peak") ? PEAK : SUM;
}

struct segment_value *segment_value(struct segment *s, const char *name, bool add)
{
	struct segment_value *values;

	for (size_t i = 0; i < s->n_values; i++)
		if (strcmp(s->values[i].name, name) == 0)
			return &s->values[i];
	if (!add || s->n_values == N_HEADLINE_MAX || strlen(name) >= sizeof(values->name))
		return NULL;
	values = realloc(s->values, (s->n_values + 1) * sizeof(*values));
	if (!values)
		return NULL;
	s->values = values;
	values += s->n_values++;
	memset(values, 0, sizeof(*values));
	memcpy(values->name, name, strlen(name));
	return values;
}

void segment_forget(struct segment *s, const char *name)
{
	for (size_t i = 0; i < s->n_values; i++)
		if (strcmp(s->values[i].name, name) == 0) {
			s->values[i] = s->values[--s->n_values];
			return;
		}
}

void segment_set(struct segment *s, const char *name, uint64_t n, uint8_t quality, const char *key)
{
	struct segment_value *v = segment_value(s, name, true);

	if (!v)
		return;
	v->n = n;
	v->quality = quality;
	segment_unit(name, &v->unit);
	snprintf(v->key, sizeof(v->key), "%s", key);
}

void segment_renew_mean(struct segment *s)
{
	const struct segment_value *cpu = segment_value(s, "cpu_seconds", false);
	const struct segment_value *wall = segment_value(s, "wall_seconds", false);

	if (!cpu || !wall || wall->n == 0) {
		segment_forget(s, "cpu_mean_cores");
		return;
	}
	uint64_t mean = (uint64_t) (1000.0 * (double) cpu->n / (double) wall->n + 0.5);
	struct segment_value from = *cpu; /* what is added may move the others */
	segment_set(s, "cpu_mean_cores", mean, from.quality, from.key);
}

void segment_is_lost(struct segment *s)
{
	for (size_t i = 0; i < s->n_values; i++)
		s->values[i].quality =
			(uint8_t) quality_worse((enum quality) s->values[i].quality, LOWER_BOUND);
}

void segment_done(struct segment *s)
{
	free(s->values);
	*s = (struct segment){ 0 };
}

void joined_done(struct joined *j)
{
	for (size_t i = 0; i < j->n; i++)
		segment_done(&j->list[i]);
	free(j->list);
	*j = (struct joined){ 0 };
}

/* The headline becomes the segment of the joining under way. */
static void keep_this_one(struct assay_run_info *info, struct segment *s)
{
	s->wall_ns = info->wall_ns;
	s->ended_realtime_ns = info->ended_realtime_ns;
	s->at_start = info->watched.at_start;
	s->windows = info->records_written + info->records_lost;
	memcpy(s->words, info->outcome.words, sizeof(s->words));
	memcpy(s->evidence, info->outcome.evidence, sizeof(s->evidence));
	s->n_values = 0;
	for (size_t i = 0; i < info->n_headline; i++) {
		const struct headline *h = &info->headline[i];
		struct segment_value *v =
			h->value.quality == ABSENT ? NULL : segment_value(s, h->name, true);

		if (!v)
			continue;
		v->unit = h->unit;
		v->quality = h->value.quality;
		v->n = h->value.n;
		if (h->key)
			snprintf(v->key, sizeof(v->key), "%s", h->key);
	}
}

/* One quantity over all joinings. */
struct merged {
	uint64_t n;
	enum quality quality;
	size_t known; /* joinings that tell it */
};

static void merge_one(struct merged *m, enum manner manner, const struct segment *s,
	const struct segment_value *v, bool later)
{
	uint64_t n = v->n;

	if (manner == PEAK)
		m->n = n > m->n ? n : m->n;
	else if (manner == PROCESSES && later)
		/* Those that were there when we came may have been seen the time before. */
		m->n += n > s->at_start ? n - s->at_start : 0;
	else if (__builtin_add_overflow(m->n, n, &m->n))
		m->n = UINT64_MAX;
	m->quality = m->known ? quality_worse(m->quality, (enum quality) v->quality)
			      : (enum quality) v->quality;
	m->known++;
}

static struct merged merge(const struct joined *j, const char *name)
{
	enum manner manner = manner_of(name);
	struct merged m = { 0 };

	for (size_t i = 0; i < j->n; i++) {
		const struct segment_value *v = segment_value(&j->list[i], name, false);

		if (v)
			merge_one(&m, manner, &j->list[i], v, i > 0);
	}
	if (m.known < j->n || (manner == PROCESSES && m.known > 1))
		m.quality = quality_worse(m.quality, LOWER_BOUND);
	return m;
}

static struct merged merge_mean(const struct joined *j)
{
	struct merged cpu = merge(j, "cpu_seconds");
	uint64_t cpu_ns = 0;
	uint64_t wall_ns = 0;

	/* Of those that tell both: a joining that lost its numbers would thin the others'. */
	for (size_t i = 0; i < j->n; i++) {
		const struct segment_value *c = segment_value(&j->list[i], "cpu_seconds", false);
		const struct segment_value *w = segment_value(&j->list[i], "wall_seconds", false);

		if (!c || !w)
			continue;
		cpu_ns += c->n;
		wall_ns += w->n;
	}
	cpu.n = wall_ns ? (uint64_t) (1000.0 * (double) cpu_ns / (double) wall_ns + 0.5) : 0;
	return cpu;
}

/* No peak is below a mean: also of a joining that tells the one and not the other. */
static void raise_to_means(struct merged *peak, const struct joined *j)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct segment_value *mean =
			segment_value(&j->list[i], "cpu_mean_cores", false);

		if (!mean || mean->n <= peak->n)
			continue;
		peak->n = mean->n;
		peak->quality = quality_worse(peak->quality, (enum quality) mean->quality);
	}
	if (merge_mean(j).n > peak->n)
		peak->n = merge_mean(j).n;
}

static void say_who_told(struct headline *h, const struct merged *m, const struct joined *j)
{
	char words[sizeof(h->why)];

	if (m->known == j->n)
		snprintf(words, sizeof(words), "over %zu joinings, without what happened between",
			j->n);
	else
		snprintf(words, sizeof(words), "of %zu of %zu joinings; the others do not tell it",
			m->known, j->n);
	if (h->why[0] && strlen(h->why) + strlen(words) + 3 < sizeof(words)) {
		size_t n = strlen(words);

		memcpy(words + n, "; ", sizeof("; "));
		memcpy(words + n + 2, h->why, strlen(h->why) + 1);
	}
	memcpy(h->why, words, sizeof(h->why));
}

static void put_merged(struct assay_run_info *info, struct headline *h)
{
	const struct joined *j = &info->joined;
	struct merged m = manner_of(h->name) == MEAN_CORES ? merge_mean(j) : merge(j, h->name);

	if (strcmp(h->name, "cpu_peak_cores") == 0)
		raise_to_means(&m, j);
	h->value.n = m.n;
	h->value.quality = (uint8_t) m.quality;
	/* The bounds were those of this joining. */
	h->has_upper = false;
	h->lower = h->has_lower ? h->value.n : 0;
	say_who_told(h, &m, j);
}

/* What only earlier joinings told. */
static void add_missing(struct assay_run_info *info, const struct segment_value *v)
{
	int row = info->measures ? measures_find(info->measures, v->key) : -1;

	if (run_info_headline(info, v->name) || info->n_headline == N_HEADLINE_MAX || row < 0)
		return;
	struct headline *h = &info->headline[info->n_headline++];
	*h = (struct headline){ .name = v->name,
		.unit = v->unit,
		.value = { .n = v->n, .quality = v->quality },
		.key = info->measures->rows[row]->key };
}

static void note_gaps(struct assay_run_info *info)
{
	const struct joined *j = &info->joined;
	uint64_t gaps_ns = 0;

	for (size_t i = 1; i < j->n; i++) {
		const struct segment *before = &j->list[i - 1];
		uint64_t end_ns = before->ended_realtime_ns
					  ? before->ended_realtime_ns
					  : before->started_realtime_ns + before->wall_ns;

		if (j->list[i].started_realtime_ns > end_ns)
			gaps_ns += j->list[i].started_realtime_ns - end_ns;
	}
	run_info_note(info,
		"joined %zu times; %.3f s lie between the joinings, and what happened in them is "
		"in "
		"no number",
		j->n, (double) gaps_ns / 1e9);
}

static void merge_counts(struct assay_run_info *info)
{
	const struct joined *j = &info->joined;
	struct watched *w = &info->watched;

	w->seen = j->seen + (w->seen > w->at_start ? w->seen - w->at_start : 0);
	w->at_start = j->at_start;
	w->ended += j->ended;
	w->left += j->left;
	w->before_cpu_ns = j->before_cpu_ns;
	w->before_read_bytes = j->before_read_bytes;
	w->before_write_bytes = j->before_write_bytes;
	w->io_readable = j->before_io_known;
	info->suspended_ns += j->suspended_ns;
}

void segments_merge(struct assay_run_info *info)
{
	struct joined *j = &info->joined;

	if (j->n == 0)
		return;
	keep_this_one(info, &j->list[j->n - 1]);
	for (size_t i = j->n; i-- > 0;)
		for (size_t k = 0; k < j->list[i].n_values; k++)
			add_missing(info, &j->list[i].values[k]);
	for (size_t i = 0; i < info->n_headline; i++)
		put_merged(info, &info->headline[i]);
	const struct headline *wall = run_info_headline(info, "wall_seconds");
	if (wall)
		info->wall_ns = wall->value.n;
	merge_counts(info);
	note_gaps(info);
}
