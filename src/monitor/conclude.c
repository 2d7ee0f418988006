/* SPDX-License-Identifier: MIT */
/* Decides what is claimed: exact where nothing can have been missed, a bound with its reason where something can. */
#include "monitor/conclude.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "collect/proc_io.h"
#include "monitor/conclude_parts.h"

void conclude_take_off_cancelled(struct headline *h, uint64_t cancelled)
{
	uint64_t made_dirty = h->value.n;
	uint64_t rest = made_dirty > cancelled ? made_dirty - cancelled : 0;

	if (cancelled == 0)
		return;
	switch (h->value.quality) {
	case EXACT:
		h->value.quality = UPPER_BOUND;
		h->has_lower = true;
		h->lower = rest;
		snprintf(h->why, sizeof(h->why),
			"of what was written, up to %" PRIu64
			" bytes never reached storage: their files were deleted or cut before",
			cancelled);
		break;
	case LOWER_BOUND:
		h->value.n = rest;
		break;
	default:
		break;
	}
}

static void conclude_io(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	static const struct {
		const char *name, *key;
	} lines[] = {
		{ "io_read_bytes", "tree_io_read_bytes" },
		{ "io_write_bytes", "tree_io_write_bytes" },
		{ "io_read_syscall_bytes", "tree_io_read_syscall_bytes" },
		{ "io_write_syscall_bytes", "tree_io_write_syscall_bytes" },
	};
	uint64_t denied = proc_io_denied(&m->collect);
	bool partial = denied > 0;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct summary s = selected_summary(m, lines[i].key);
		if (s.quality == ABSENT)
			continue;
		bool bound = partial || v->lost || m->collect.keeper_lost;
		struct headline *h = headline_add(info, lines[i].name, BYTES, s.last,
			bound ? LOWER_BOUND : EXACT, lines[i].key);
		if (v->lost)
			snprintf(h->why, sizeof(h->why), "%s", v->lost_why);
		else if (partial)
			snprintf(h->why, sizeof(h->why),
				"%llu processes that live or were not waited for may not be read",
				(unsigned long long) denied);
		if (strcmp(lines[i].name, "io_write_bytes") == 0)
			conclude_take_off_cancelled(h, proc_io_cancelled_bytes(&m->collect));
	}
}

static void conclude_processes(struct monitor *m, struct assay_run_info *info)
{
	struct ledger *l = &m->ledger;
	bool counted = m->census.fd >= 0;
	bool complete = counted && m->census.complete;
	/* Both are lower bounds when events were lost; the larger one stands. */
	uint64_t named = l->seen + l->named_by_events;
	uint64_t started = counted && m->census.started > named ? m->census.started : named;
	struct headline *h = headline_add(info, "processes", UNITLESS, started,
		complete ? EXACT : LOWER_BOUND,
		counted ? "connector_processes_started_count" : "tree_processes_seen_count");

	h->unit = COUNT;
	if (!counted)
		snprintf(h->why, sizeof(h->why),
			"only processes alive at a sample are counted: no process events here");
	else if (!complete)
		snprintf(h->why, sizeof(h->why), "the kernel dropped process events %llu times",
			(unsigned long long) m->census.lost);
	info->processes_seen = l->seen;
	info->processes_counted = complete;
	info->processes_named_by_events = l->named_by_events;
	info->processes_too_short = started - named;
}

static int by_cpu(const void *a, const void *b)
{
	const struct name_usage *x = a;
	const struct name_usage *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

void conclude_sort_names(struct assay_run_info *info)
{
	if (info->names)
		qsort(info->names, info->n_names, sizeof(*info->names), by_cpu);
}

static void conclude_names(struct monitor *m, struct assay_run_info *info)
{
	const struct ledger *l = &m->ledger;
	uint64_t named = ledger_named_cpu_ns(l);

	free(info->names);
	info->n_names = 0;
	info->names = calloc(l->n_names ? l->n_names : 1, sizeof(*info->names));
	for (size_t i = 0; info->names && i < l->n_names; i++) {
		struct name_usage *n = &info->names[info->n_names++];

		memcpy(n->name, l->names[i].name, sizeof(n->name));
		n->processes = l->names[i].processes;
		n->cpu_ns = l->names[i].cpu_ns;
		n->peak_rss_bytes = l->names[i].peak_rss_bytes;
	}
	conclude_sort_names(info);
	info->too_short_cpu_ns = l->tree_cpu_ns > named ? l->tree_cpu_ns - named : 0;
}

void conclude_devices(struct monitor *m, struct assay_run_info *info)
{
	const struct devices *d = &m->devices;
	const struct measures *ms = m->measures;

	free(info->devices);
	info->n_devices = 0;
	info->devices = calloc(d->n * ms->n + 1, sizeof(*info->devices));
	for (size_t i = 0; info->devices && i < d->n; i++)
		for (size_t row = 0; row < ms->n; row++) {
			if (d->column[row] < 0 || ms->collector[row] != d->list[i].collector ||
				!m->selected[row])
				continue;
			struct device_total *t = &info->devices[info->n_devices++];
			t->kind = d->list[i].kind;
			memcpy(t->name, d->list[i].name, sizeof(t->name));
			t->row = row;
			t->total = accumulator_summary(
				&d->list[i].run_rows[d->column[row]], ms->rows[row]);
		}
	if (d->refused)
		run_info_note(info,
			"%zu readings of devices were not kept: out of memory, or more than %d "
			"devices",
			d->refused, N_DEVICES_MAX);
}

void conclude_sources(struct monitor *m, struct assay_run_info *info)
{
	struct collect *c = &m->collect;

	for (size_t i = 0; collectors[i]; i++) {
		if (!m->opened[i] || !collectors[i]->note)
			continue;
		c->state = c->states[i];
		collectors[i]->note(c, info);
		c->state = NULL;
	}
}

static void add_wall(struct assay_run_info *info)
{
	struct headline *h = headline_add(info, "wall_seconds", SECONDS, info->wall_ns,
		info->wall_late ? UPPER_BOUND : EXACT, "tree_elapsed_seconds");

	if (!info->wall_late)
		return;
	h->has_lower = true;
	h->lower = info->wall_least_ns;
	snprintf(h->why, sizeof(h->why),
		"the keeper was stopped (SIGSTOP) when the command ended and saw it late");
}

void conclude_begin(struct monitor *m, struct assay_run_info *info)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	/* What was said of the run while it went on need not hold at its end. */
	while (info->n_notes > m->lasting_notes)
		free(info->notes[--info->n_notes]);
	info->n_headline = 0;
	m->cpus_online = cpus > 0 ? (unsigned) cpus : 1;
}

void conclude_note_time(const struct monitor *m, struct assay_run_info *info)
{
	if (m->suspended_ns)
		run_info_note(info, "the machine was suspended for %.1f s during the run",
			(double) m->suspended_ns / 1e9);
	if (m->schedule.left_out)
		run_info_note(info,
			"%llu samples were left out to keep within the budget: what came and went "
			"between the others was not seen",
			(unsigned long long) m->schedule.left_out);
}

void conclude(struct monitor *m, struct assay_run_info *info, bool running)
{
	conclude_begin(m, info);
	add_wall(info);
	struct verdict v = conclude_verdict(m, info, running);
	conclude_waits(m, &v, running);
	conclude_cpu(m, info, &v);
	conclude_memory(m, info, &v, running);
	conclude_cgroup(m, info, &v.cpu);
	conclude_io(m, info, &v);
	conclude_network(m, info);
	conclude_sources(m, info);
	conclude_processes(m, info);
	conclude_ends(m, info, running);
	conclude_rungs(m, info, &v);
	conclude_host(m, info);
	if (running)
		return;
	conclude_notes_on_cpu(m, info);
	conclude_cgroup_notes(info, &v.cpu);
	conclude_names(m, info);
	conclude_totals(m, info, &v);
	conclude_devices(m, info);
	conclude_note_time(m, info);
	if (m->finals.lost)
		run_info_note(info,
			"the kernel dropped records of ended processes %llu times: some short ones "
			"have no name, and of others the time after their last sample is missing "
			"by name",
			(unsigned long long) m->finals.lost);
	if (m->ledger.failed_allocations)
		run_info_note(info,
			"%llu processes could not be entered into the ledger: out of memory",
			(unsigned long long) m->ledger.failed_allocations);
}
