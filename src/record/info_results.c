/* SPDX-License-Identifier: MIT */
/* Renders the results of a run in info.json: measurements, collectors, outcome, headline, rungs, summary, processes. */
#include "record/info_results.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/signal_name.h"
#include "model/run_info.h"
#include "record/info_json.h"
#include "record/raw_text.h"

static void reduces(struct json *j, uint8_t reduce)
{
	struct buf names = { 0 };

	reduce_names(reduce, &names);
	if (names.failed)
		j->out->failed = true;
	json_key(j, "reduces");
	json_array(j);
	for (const char *name = names.data ? names.data : ""; *name;) {
		size_t n = strcspn(name, ",");

		json_text_n(j, name, n);
		name += n + (name[n] == ',');
	}
	json_array_end(j);
	buf_done(&names);
}

/* A row of a long table stands on one line of the file. */
static int open_row(struct json *j)
{
	json_object(j);
	return json_on_one_line(j);
}

static void close_row(struct json *j, int indent)
{
	json_object_end(j);
	json_lines(j, indent);
}

static void measurement(
	struct json *j, const struct measure *row, const struct collector_state *collector)
{
	int indent = open_row(j);

	json_key_text(j, "key", row->key);
	json_key_text(j, "kind", kind_name(row->kind));
	json_key_text(j, "unit", unit_name(row->unit));
	json_key_text(j, "scope", scope_name(row->scope));
	reduces(j, row->reduce);
	json_key_text(j, "quality", quality_name(row->quality));
	json_key_text(j, "origin", row->origin);
	json_key_text(j, "help", row->help);
	if (collector)
		json_key_text(j, "collector", collector->name);
	if (row->quantity) {
		json_key_text(j, "quantity", row->quantity);
		json_key_u64(j, "rank", row->rank);
	}
	if (row->otel)
		json_key_text(j, "otel", row->otel);
	close_row(j, indent);
}

static void measurements(struct json *j, const struct assay_run_info *info)
{
	const struct measures *m = info->measures;

	json_key(j, "measurements");
	json_array(j);
	for (size_t i = 0; m && info->selected && i < m->n; i++) {
		if (!info->selected[i])
			continue;
		size_t collector = (size_t) m->collector[i];
		measurement(j, m->rows[i],
			m->collector[i] >= 0 && collector < info->n_collectors
				? &info->collectors[collector]
				: NULL);
	}
	json_array_end(j);
}

static void collectors(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "collectors");
	json_array(j);
	for (size_t i = 0; i < info->n_collectors; i++) {
		const struct collector_state *c = &info->collectors[i];

		int indent = open_row(j);
		json_key_text(j, "name", c->name);
		json_key_bool(j, "selected", c->selected);
		if (c->probed)
			json_key_bool(j, "available", c->available);
		if (c->why[0])
			json_key_text(j, "why", c->why);
		json_key_seconds(j, "cost_seconds", c->cost_ns);
		json_key_u64(j, "reads", c->reads);
		json_key_u64(j, "failures", c->failures);
		close_row(j, indent);
	}
	json_array_end(j);
}

static void request(struct json *j, const struct end_request *r)
{
	char name[SIGNAL_NAME_SIZE];

	if (!r->signal)
		return;
	json_key(j, "request");
	json_object(j);
	int indent = json_on_one_line(j);
	format_signal(r->signal, name);
	json_key_i64(j, "signal", r->signal);
	json_key_text(j, "signal_name", name);
	json_key_text(j, "from", asker_name(r->from));
	if (r->from == ASKER_PROCESS) {
		json_key_i64(j, "pid", r->pid);
		json_key_u64(j, "uid", r->uid);
	}
	json_key_text(j, "to", r->to_group ? "process_group" : "assay");
	json_key_seconds(j, "before_end_seconds", r->before_end_ns);
	json_object_end(j);
	json_lines(j, indent);
}

static void outcome(struct json *j, const struct assay_run_info *info)
{
	const struct outcome *o = &info->outcome;
	char name[SIGNAL_NAME_SIZE];

	if (info->state != RUN_DONE || !o->known)
		return;
	json_key(j, "outcome");
	json_object(j);
	if (info->watched.kind) {
		json_key_text(j, "words", o->words);
		json_key_text(j, "evidence", o->evidence);
		json_object_end(j);
		return;
	}
	json_key_text(j, "cause", cause_name(o->cause));
	if (o->signal) {
		json_key_i64(j, "signal", o->signal);
		format_signal(o->signal, name);
		json_key_text(j, "signal_name", name);
		json_key_bool(j, "core_dumped", o->core_dumped);
	} else {
		json_key_i64(j, "exit_code", o->exit_code);
	}
	if (o->limit) {
		json_key_text(j, "limit", o->limit);
		json_key_text(j, "limit_source", o->limit_source);
	}
	request(j, &o->request);
	json_key_text(j, "words", o->words);
	json_key_text(j, "evidence", o->evidence);
	json_object_end(j);
}

/* Numbers of the headline that have no unit are cores, kept in thousandths. */
static void result(struct json *j, const char *key, uint8_t unit, uint64_t n)
{
	json_key(j, key);
	if (unit == UNITLESS)
		json_scaled(j, n, 3);
	else
		json_measure_value(j, unit, n);
}

static void limit_hit(struct json *j, const struct assay_run_info *info)
{
	const struct limit_hit *h = &info->limit_hit;
	char name[SIGNAL_NAME_SIZE];

	if (!h->name)
		return;
	json_key(j, "limit");
	json_object(j);
	json_key_text(j, "name", h->name);
	json_key_text(j, "unit", unit_name(h->unit));
	result(j, "limit", h->unit, h->limit);
	result(j, "value", h->unit, h->value);
	json_key_text(j, "key", h->key);
	json_key_seconds(j, "after_seconds", h->after_ns);
	format_signal(h->soft_signal, name);
	json_key_text(j, "soft_signal", name);
	json_key_bool(j, "killed", h->killed);
	if (h->way[0])
		json_key_text(j, "way", h->way);
	json_key_bool(j, "emptied", h->emptied);
	json_object_end(j);
}

static void headline(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "headline");
	json_object(j);
	for (size_t i = 0; i < info->n_headline; i++) {
		const struct headline *h = &info->headline[i];

		if (h->value.quality == ABSENT)
			continue;
		json_key(j, h->name);
		json_object(j);
		result(j, "value", h->unit, h->value.n);
		json_key_text(j, "quality", quality_name(h->value.quality));
		if (h->key)
			json_key_text(j, "key", h->key);
		if (h->has_lower)
			result(j, "lower", h->unit, h->lower);
		if (h->has_upper)
			result(j, "upper", h->unit, h->upper);
		if (h->unmapped_shared_bytes > 0)
			json_key_u64(j, "unmapped_shared_bytes", h->unmapped_shared_bytes);
		if (h->why[0])
			json_key_text(j, "why", h->why);
		json_object_end(j);
	}
	json_object_end(j);
}

static void rung_object(struct json *j, const struct rung *rung)
{
	json_object(j);
	json_key_text(j, "key", rung->key);
	if (rung->value.quality != ABSENT)
		result(j, "value", rung->unit, rung->value.n);
	json_key_text(j, "quality", quality_name(rung->value.quality));
	json_key_bool(j, "in_use", rung->in_use);
	if (rung->why[0])
		json_key_text(j, "why", rung->why);
	else if (rung->value.quality == ABSENT)
		json_key_text(j, "why", rung->value.why ? errno_name(rung->value.why) : "not read");
	json_object_end(j);
}

static bool quantity_seen_before(const struct assay_run_info *info, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(info->rungs[i].quantity, info->rungs[at].quantity) == 0)
			return true;
	return false;
}

static void rungs(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "rungs");
	json_object(j);
	for (size_t first = 0; first < info->n_rungs; first++) {
		if (quantity_seen_before(info, first))
			continue;
		json_key(j, info->rungs[first].quantity);
		json_array(j);
		for (size_t i = first; i < info->n_rungs; i++)
			if (strcmp(info->rungs[i].quantity, info->rungs[first].quantity) == 0)
				rung_object(j, &info->rungs[i]);
		json_array_end(j);
	}
	json_object_end(j);
}

int statistic_key(const char *key, const char *statistic, char *ret, size_t size)
{
	size_t source = strcspn(key, "_");
	int n;

	if (statistic[0] && key[source])
		n = snprintf(ret, size, "%.*s_%s%s", (int) source, key, statistic, key + source);
	else if (statistic[0])
		n = snprintf(ret, size, "%s_%s", statistic, key);
	else
		n = snprintf(ret, size, "%s", key);
	return n >= 0 && (size_t) n < size ? 0 : -EINVAL;
}

static void statistic(
	struct json *j, const struct measure *row, const char *name, uint64_t n, uint8_t quality)
{
	char key[192];

	if (statistic_key(row->key, name, key, sizeof(key)) < 0) {
		j->out->failed = true;
		return;
	}
	json_key(j, key);
	int indent = open_row(j);
	json_key(j, "value");
	json_measure_value(j, row->unit, n);
	json_key_text(j, "quality", quality_name(quality));
	close_row(j, indent);
}

static void row_statistics(struct json *j, const struct measure *row, const struct summary *s)
{
	if (row->reduce & DELTA)
		statistic(j, row, "", s->delta, s->quality);
	if (row->reduce & MAX)
		statistic(j, row, "peak", s->max, measure_peak_quality(row, s->quality));
	if (row->reduce & MEAN)
		statistic(j, row, "mean", s->mean, s->quality);
	if (row->reduce & MIN)
		statistic(j, row, "min", s->min, s->quality);
	if (row->reduce & LAST)
		statistic(j, row, "last", s->last, s->quality);
}

static void summary(struct json *j, const struct assay_run_info *info)
{
	const struct measures *m = info->measures;

	if (info->state != RUN_DONE || !info->run_totals || !m || !info->selected)
		return;
	json_key(j, "summary");
	json_object(j);
	for (size_t i = 0; i < m->n; i++)
		if (info->selected[i] && (m->base[i] >= 0 || m->rows[i]->scope == SINGLE) &&
			info->run_totals[i].quality != ABSENT)
			row_statistics(j, m->rows[i], &info->run_totals[i]);
	json_object_end(j);
}

static void devices(struct json *j, const struct assay_run_info *info)
{
	size_t i = 0;

	if (info->state != RUN_DONE || info->n_devices == 0)
		return;
	json_key(j, "devices");
	json_array(j);
	while (i < info->n_devices) {
		const struct device_total *first = &info->devices[i];

		json_object(j);
		json_key_text(j, "kind", first->kind);
		json_key_raw(j, "name", first->name, strlen(first->name));
		json_key(j, "summary");
		json_object(j);
		for (; i < info->n_devices && info->devices[i].kind == first->kind &&
			strcmp(info->devices[i].name, first->name) == 0;
			i++)
			if (info->devices[i].total.quality != ABSENT)
				row_statistics(j, info->measures->rows[info->devices[i].row],
					&info->devices[i].total);
		json_object_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

static double cores_of(const struct host_share *s, uint64_t ns)
{
	return s->elapsed_ns ? 1000.0 * (double) ns / (double) s->elapsed_ns + 0.5 : 0;
}

static void host_share(struct json *j, const struct assay_run_info *info)
{
	const struct host_share *s = &info->host_share;

	if (!s->known)
		return;
	json_key(j, "host_cpu");
	json_object(j);
	json_key_text(j, "view", s->view);
	json_key_u64(j, "cores", s->cores);
	json_key_seconds(j, "elapsed_seconds", s->elapsed_ns);
	json_key_seconds(j, "busy_seconds", s->busy_ns);
	json_key_seconds(j, "job_seconds", s->job_ns);
	json_key_seconds(j, "self_seconds", s->self_ns);
	json_key_seconds(j, "others_seconds", s->others_ns);
	json_key(j, "others_mean_cores");
	json_scaled(j, (uint64_t) cores_of(s, s->others_ns), 3);
	json_key_text(j, "quality", quality_name(s->quality));
	json_key_seconds(j, "error_seconds", s->error_ns);
	if (s->has_steal)
		json_key_seconds(j, "steal_seconds", s->steal_ns);
	if (s->has_iowait)
		json_key_seconds(j, "iowait_seconds", s->iowait_ns);
	if (s->has_idle)
		json_key_seconds(j, "idle_seconds", s->idle_ns);
	json_key_text(j, "why", s->why);
	json_object_end(j);
}

static void processes_by_name(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "by_name");
	json_array(j);
	for (size_t i = 0; i < info->n_names; i++) {
		const struct name_usage *use = &info->names[i];

		json_object(j);
		json_key_raw(j, "name", use->name, strnlen(use->name, sizeof(use->name)));
		json_key_u64(j, "processes", use->processes);
		json_key_seconds(j, "cpu_seconds", use->cpu_ns);
		json_key_u64(j, "peak_rss_bytes", use->peak_rss_bytes);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Whether the kernel's records of ended tasks were asked for. */
static bool finals_were_taken(const struct assay_run_info *info)
{
	for (size_t i = 0; i < info->n_collectors; i++)
		if (strcmp(info->collectors[i].name, "taskstats") == 0)
			return info->collectors[i].selected && info->collectors[i].available;
	return false;
}

static void processes(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "processes");
	json_object(j);
	json_key_u64(j, "seen", info->processes_seen);
	if (finals_were_taken(info))
		json_key_u64(j, "named_by_events", info->processes_named_by_events);
	json_key_u64(j, "too_short", info->processes_too_short);
	json_key_bool(j, "counted", info->processes_counted);
	json_key_seconds(j, "unnamed_cpu_seconds", info->too_short_cpu_ns);
	processes_by_name(j, info);
	json_key(j, "survivors");
	json_array(j);
	for (size_t i = 0; i < info->n_survivors; i++) {
		const struct survivor *s = &info->survivors[i];

		json_object(j);
		json_key_i64(j, "pid", s->pid);
		json_key_raw(j, "name", s->name, strnlen(s->name, sizeof(s->name)));
		json_object_end(j);
	}
	json_array_end(j);
	json_key_u64(j, "survivors_count", info->n_survivors_total);
	json_object_end(j);
}

static void own_cost(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "self");
	json_object(j);
	json_key_seconds(j, "cpu_seconds", info->self_cpu_ns);
	/* 0: /proc is not there to tell it */
	if (info->self_memory_peak_bytes > 0)
		json_key_u64(j, "memory_peak_bytes", info->self_memory_peak_bytes);
	json_key_u64(j, "ticks", info->ticks);
	json_key_u64(j, "missed_ticks", info->missed_ticks);
	if (info->budget > 0) {
		json_key_u64(j, "ticks_left_out", info->ticks_left_out);
		json_key_u64(j, "readings_skipped", info->readings_skipped);
	}
	json_key_u64(j, "windows", info->windows);
	json_key_u64(j, "records_written", info->records_written);
	json_key_u64(j, "records_lost", info->records_lost);
	json_key_u64(j, "write_failures", info->write_failures);
	if (info->write_error[0])
		json_key_text(j, "write_error", info->write_error);
	json_object_end(j);
}

void info_results(struct json *j, const struct assay_run_info *info)
{
	measurements(j, info);
	collectors(j, info);
	outcome(j, info);
	limit_hit(j, info);
	headline(j, info);
	rungs(j, info);
	summary(j, info);
	devices(j, info);
	host_share(j, info);
	processes(j, info);
	own_cost(j, info);
	json_key(j, "notes");
	json_array(j);
	for (size_t i = 0; i < info->n_notes; i++)
		json_text(j, info->notes[i]);
	json_array_end(j);
}
