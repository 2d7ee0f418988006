/* SPDX-License-Identifier: MIT */
/* Every selected source of each quantity, what may be claimed for it, and which one the headline goes by. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/units.h"
#include "monitor/conclude.h"
#include "monitor/conclude_parts.h"

/* Headlines that are not called as their quantity with a unit. */
static const struct {
	const char *quantity, *headline;
} called_otherwise[] = {
	{ "memory_process", "memory_peak_process_bytes" },
	{ "memory_charged_peak", "memory_peak_charged_bytes" },
};

/* "cpu" is "cpu_seconds", and not "cpu_user_seconds". */
static bool is_of_quantity(const struct headline *h, const char *quantity)
{
	size_t n = strlen(quantity);

	for (size_t i = 0; i < ARRAY_SIZE(called_otherwise); i++)
		if (strcmp(called_otherwise[i].quantity, quantity) == 0)
			return strcmp(called_otherwise[i].headline, h->name) == 0;
	return strncmp(h->name, quantity, n) == 0 &&
	       (!h->name[n] || strrchr(h->name, '_') == h->name + n);
}

/* What is claimed of the quantity; NULL. */
static const struct headline *headline_of(const struct assay_run_info *info, const char *quantity)
{
	for (size_t i = 0; i < info->n_headline; i++)
		if (info->headline[i].key && is_of_quantity(&info->headline[i], quantity))
			return &info->headline[i];
	return NULL;
}

/* What the run comes to: of a counter its growth, of a gauge its highest. */
static uint64_t whole_run(const struct measure *row, const struct summary *s)
{
	if (row->kind == COUNTER)
		return s->delta;
	return row->reduce & MAX ? s->max : s->last;
}

static uint8_t of_whole_run(const struct measure *row, uint8_t quality)
{
	return row->reduce & MAX ? measure_peak_quality(row, quality) : quality;
}

static void lower_by_the_missing(const struct verdict *v, struct rung *rung)
{
	if (rung->value.quality == EXACT)
		rung->value.quality = LOWER_BOUND;
	else if (rung->value.quality == ESTIMATE && (may_miss(v) || v->lost))
		snprintf(rung->why, sizeof(rung->why),
			"of what was waited for: children that nobody waited for are not in it");
}

/* Of a target that was not started by us: what each source says, and what may be claimed for it. */
static void adjust_for_target(const struct view *view, struct rung *rung)
{
	bool cgroup = strncmp(rung->key, "cgroup_", strlen("cgroup_")) == 0;

	if (!cgroup || view->collect.cgroup_is_target || rung->value.quality == ABSENT)
		return;
	if (rung->value.quality == EXACT)
		rung->value.quality = UPPER_BOUND;
	snprintf(rung->why, sizeof(rung->why),
		"of everybody in the cgroup that a process of the target is in");
}

static void adjust_for_job(const struct verdict *v, const struct measure *r, struct rung *rung)
{
	if (conclude_falls_short(&v->shortfall, r))
		lower_by_the_missing(v, rung);
	conclude_perf_rung(v, rung);
	conclude_cgroup_rung(&v->cpu, rung);
}

/* What the source says by itself. */
static struct rung rung_of(struct monitor *m, size_t row)
{
	const struct measure *r = m->measures->rows[row];
	const struct ledger *l = &m->ledger;
	struct summary s = monitor_run_summary(m, row);
	struct rung rung = { .quantity = r->quantity, .key = r->key, .unit = r->unit };

	rung.value = (struct value){
		.n = whole_run(r, &s), .quality = of_whole_run(r, s.quality), .why = s.why
	};
	if (r->kind == GAUGE && (r->reduce & MAX) && rung.value.quality == ESTIMATE)
		snprintf(rung.why, sizeof(rung.why),
			"%s at each sample, and what came between samples is not seen",
			s.quality == UPPER_BOUND ? "an upper bound" : "an estimate");
	if (r->scope == PROCESS && strcmp(r->key, "proc_hwm_bytes") == 0 && l->hwm_max_bytes)
		rung.value = (struct value){ .n = m->view ? m->view->collect.account->hwm_max_bytes
							  : l->hwm_max_bytes,
			.quality = LOWER_BOUND };
	return rung;
}

/* What the source says by itself, where more is known of the quantity than that. */
static void tell_own_words(struct rung *rung, const struct value *own, const struct headline *claim)
{
	static const char *const words[N_QUALITY] = { [SAMPLED] = "sampled",
		[LOWER_BOUND] = "a lower bound",
		[UPPER_BOUND] = "an upper bound",
		[ESTIMATE] = "an estimate" };
	char number[UNITS_TEXT_SIZE];

	if (claim->value.quality == EXACT && own->quality != EXACT && words[own->quality]) {
		snprintf(rung->why, sizeof(rung->why),
			"%sexact, for it was seen that nothing is missing; by itself the source is "
			"%s",
			strcmp(rung->quantity, "memory_process") == 0 ? "of the largest process "
								      : "",
			words[own->quality]);
	} else if (strcmp(rung->quantity, "memory_peak") == 0 && own->n > claim->value.n) {
		format_bytes(own->n, number);
		snprintf(rung->why, sizeof(rung->why),
			"the largest sum that can hold nothing twice; the largest of all, %s, may "
			"hold twice what moved while it was read",
			number);
	} else if (own->quality != claim->value.quality) {
		snprintf(rung->why, sizeof(rung->why), "%s", claim->why);
	}
}

/* One record says one thing of one number. */
static void go_by_claim(struct rung *rung, const struct headline *claim)
{
	struct value own = rung->value;

	rung->in_use = true;
	rung->value.n = claim->value.n;
	rung->value.quality = claim->value.quality;
	if (own.quality != ABSENT)
		tell_own_words(rung, &own, claim);
}

/* The job as a whole had no less than its largest process, and that no less than one reading of it: sources of another quantity. */
static void add_rung_of(struct assay_run_info *info, const char *quantity, const char *words)
{
	const struct headline *claim = headline_of(info, quantity);
	struct rung *rung;

	if (!claim || info->n_rungs >= N_RUNGS_MAX)
		return;
	for (size_t i = 0; i < info->n_rungs; i++)
		if (info->rungs[i].in_use && strcmp(info->rungs[i].quantity, quantity) == 0)
			return;
	rung = &info->rungs[info->n_rungs++];
	*rung = (struct rung){ .quantity = quantity,
		.key = claim->key,
		.unit = claim->unit,
		.value = claim->value,
		.in_use = true };
	snprintf(rung->why, sizeof(rung->why), "%s",
		claim->value.quality == UPPER_BOUND ? claim->why : words);
}

/* What a resident set holds twice is why the claim is lower: then the set is above. */
static void tell_resident_set(struct rung *rung, const struct headline *claim)
{
	if (strcmp(rung->quantity, "memory_process") != 0 || !claim->has_lower ||
		rung->value.quality == ABSENT || rung->value.n <= claim->value.n)
		return;
	/* Somebody who was lost, or lives on, may have had more. */
	rung->value.quality = claim->has_upper ? UPPER_BOUND : ESTIMATE;
	snprintf(rung->why, sizeof(rung->why),
		"of resident sets, which hold memory as often as a process maps it");
}

/* Exact, or a bound from above, of what it saw: where another process was larger, it bounds the largest one from below, or not at all. */
static void lower_by_a_larger(struct rung *rung, const struct headline *claim)
{
	bool exact = rung->value.quality == EXACT;

	if (strcmp(rung->quantity, "memory_process") != 0 || rung->value.n >= claim->value.n ||
		!(exact || (rung->value.quality == UPPER_BOUND &&
				   claim->value.quality != UPPER_BOUND)))
		return;
	rung->value.quality = exact ? LOWER_BOUND : ESTIMATE;
	snprintf(rung->why, sizeof(rung->why), "of what it saw: another process was larger");
}

void conclude_rungs(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	const struct measures *ms = m->measures;

	info->n_rungs = 0;
	for (size_t row = 0; row < ms->n && info->n_rungs < N_RUNGS_MAX; row++) {
		const struct measure *r = ms->rows[row];
		if (!r->quantity || !m->selected[row] || r->scope == DEVICE)
			continue;
		const struct headline *claim = headline_of(info, r->quantity);
		struct rung *rung = &info->rungs[info->n_rungs++];

		*rung = rung_of(m, row);
		if (v)
			adjust_for_job(v, r, rung);
		else if (m->view)
			adjust_for_target(m->view, rung);
		if (claim && strcmp(claim->key, r->key) == 0)
			go_by_claim(rung, claim);
		else if (claim)
			lower_by_a_larger(rung, claim);
		if (claim)
			tell_resident_set(rung, claim);
		if (rung->value.quality == ABSENT && !m->states[ms->collector[row]].available)
			snprintf(rung->why, sizeof(rung->why), "%s",
				m->states[ms->collector[row]].why);
	}
	add_rung_of(info, "memory_process", "one reading of one process: it had no less");
	add_rung_of(info, "memory_peak",
		"the largest process alone: more than any sum at a sample, and the job had no "
		"less");
}

/* A number that is the whole of its row has one quality, wherever it stands. A peak's is of another kind than that of its row. */
static void judge_as_rung(
	struct assay_run_info *info, const struct measure *r, struct summary *total)
{
	for (size_t i = 0; i < info->n_rungs; i++) {
		const struct rung *rung = &info->rungs[i];

		if (strcmp(rung->key, r->key) != 0 || strcmp(rung->quantity, r->quantity) != 0 ||
			rung->value.quality == ABSENT)
			continue;
		if (rung->value.n == whole_run(r, total))
			total->quality = rung->value.quality;
		else
			total->quality = (uint8_t) quality_worse(
				(enum quality) total->quality, (enum quality) rung->value.quality);
	}
}

void conclude_totals(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	if (!info->run_totals)
		info->run_totals = calloc(m->measures->n, sizeof(*info->run_totals));
	for (size_t row = 0; info->run_totals && row < m->measures->n; row++) {
		const struct measure *r = m->measures->rows[row];
		struct summary *total = &info->run_totals[row];

		if (r->scope != SINGLE)
			continue;
		*total = monitor_run_summary(m, row);
		if (total->quality == ABSENT)
			continue;
		if (v && total->quality == EXACT && conclude_falls_short(&v->shortfall, r))
			total->quality = LOWER_BOUND;
		if (r->quantity && !(r->reduce & MAX))
			judge_as_rung(info, r, total);
	}
}
