/* SPDX-License-Identifier: MIT */
/* Runs the collectors at each tick and turns closed windows into records. */
#include "monitor/loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "linux/host.h"
#include "linux/swapping.h"
#include "monitor/conclude.h"
#include "monitor/hand_on.h"
#include "monitor/lines.h"
#include "monitor/opening.h"
#include "monitor/views.h"
#include "target/watch.h"

static size_t assign_columns(const struct measures *ms, int *column)
{
	size_t n = 0;

	for (size_t row = 0; row < ms->n; row++) {
		const struct measure *m = ms->rows[row];
		bool has = m->scope == PROCESS && (m->kind == GAUGE || m->kind == COUNTER);

		column[row] = has ? (int) n++ : -1;
	}
	return n;
}

void monitor_activate(struct monitor *m, const char *collector)
{
	for (size_t i = 0; collectors[i]; i++)
		if (strcmp(collectors[i]->name, collector) == 0) {
			m->active[i] = true;
			opening_one(m, i);
		}
}

/* In place: a literal of this size is made on the stack first, and copied. */
void monitor_blank(struct monitor *m)
{
	memset(m, 0, sizeof(*m));
	m->census.fd = -1;
	m->finals.listener.fd = -1;
	m->collect.connector_fd = -1;
}

int monitor_init(struct monitor *m, const struct roots *roots, const struct measures *measures,
	const bool *selected, struct collector_state *states, struct error *err)
{
	size_t n = measures->n;

	m->measures = measures;
	m->selected = selected;
	m->states = states;
	m->collect.roots = roots;
	m->column = calloc(n, sizeof(*m->column));
	m->batch.singles = calloc(n, sizeof(*m->batch.singles));
	m->batch.run_singles = calloc(n, sizeof(*m->batch.run_singles));
	m->batch.totals = calloc(n, sizeof(*m->batch.totals));
	m->window_singles = calloc(n, sizeof(*m->window_singles));
	m->process_records = calloc(PROCESSES_PER_RECORD, sizeof(*m->process_records));
	m->candidates = calloc(PROCESSES_PER_RECORD, sizeof(*m->candidates));
	m->handed_singles = calloc(n, sizeof(*m->handed_singles));
	if (!m->column || !m->batch.singles || !m->batch.run_singles || !m->batch.totals ||
		!m->window_singles || !m->process_records || !m->candidates || !m->handed_singles) {
		monitor_done(m);
		return error_set(err, -ENOMEM, "cannot prepare to record");
	}
	size_t n_columns = assign_columns(measures, m->column);
	views_find_active(m);
	int r = ledger_init(&m->ledger, roots, n_columns, err);
	if (r < 0) {
		monitor_done(m);
		return r;
	}
	m->census.ledger = &m->ledger;
	m->finals.census = &m->census;
	m->finals.ledger = &m->ledger;
	m->collect.ledger = &m->ledger;
	m->collect.census = &m->census;
	m->collect.cgroup_reading = &m->cgroup_reading;
	m->collect.finals = &m->finals;
	m->collect.states = m->own;
	m->collect.page_size = (uint64_t) sysconf(_SC_PAGESIZE);
	if (devices_init(&m->devices, measures, collectors_count()) < 0) {
		monitor_done(m);
		return error_set(err, -ENOMEM, "cannot prepare to record");
	}
	m->batch.devices = &m->devices;
	m->batch.measures = measures;
	m->batch.selected = selected;
	m->batch.column = m->column;
	return 0;
}

void monitor_done(struct monitor *m)
{
	opening_undo(m);
	free(m->column);
	free(m->batch.singles);
	free(m->batch.run_singles);
	free(m->batch.totals);
	free(m->window_singles);
	free(m->process_records);
	free(m->candidates);
	kept_file_close(&m->stat);
	cgroup_reading_close(&m->cgroup_reading);
	views_done(m);
	devices_done(&m->devices);
	ledger_done(&m->ledger);
	finals_close(&m->finals);
	census_close(&m->census);
	monitor_blank(m);
}

/* The job and its counters begin with the run: their first readings count whole. */
static void begin_counters(struct monitor *m, uint64_t start_ns)
{
	for (size_t row = 0; row < m->measures->n; row++) {
		const struct measure *r = m->measures->rows[row];

		if (r->scope != SINGLE || (r->kind != COUNTER && m->measures->rate_of[row] < 0) ||
			collectors[m->measures->collector[row]]->counted_before)
			continue;
		accumulate_from_zero(&m->batch.singles[row], start_ns);
		accumulate_from_zero(&m->batch.run_singles[row], start_ns);
		for (size_t i = 0; i < m->n_views; i++) {
			accumulate_from_zero(&m->batch.targets[i].singles[row], start_ns);
			accumulate_from_zero(&m->batch.targets[i].run_singles[row], start_ns);
		}
	}
}

void monitor_start(struct monitor *m, uint64_t start_ns, uint64_t sample_interval_ns,
	uint64_t report_interval_ns)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	m->cpus_online = cpus > 0 ? (unsigned) cpus : 1;
	schedule_start(&m->schedule, start_ns, sample_interval_ns, report_interval_ns);
	if (m->effort.budget > 0)
		schedule_make_even(&m->schedule);
	m->window_start_ns = start_ns;
	m->ledger.run_start_ns = start_ns;
	opening_all(m);
	begin_counters(m, start_ns);
}

/* What lies between is a gap, not work. */
static void notice_suspend(struct monitor *m)
{
	uint64_t offset_ns = clock_slept_ns();

	if (offset_ns > m->sleep_offset_ns + NSEC_PER_SEC / 100) {
		m->suspended_ns += offset_ns - m->sleep_offset_ns;
		m->suspended_in_window_ns += offset_ns - m->sleep_offset_ns;
		m->sleep_offset_ns = offset_ns;
		m->ledger.boot_offset_ns = offset_ns;
	}
}

static void read_once(struct monitor *m, size_t i, uint64_t stamp_ns)
{
	uint64_t began_ns = clock_monotonic_ns();

	batch_begin(&m->batch, m->first_row[i], stamp_ns ? stamp_ns : began_ns);
	if (collector_read(collectors[i], &m->collect, m->collect.states[i], &m->batch) < 0)
		m->states[i].failures++;
	batch_end(&m->batch);
	m->states[i].reads++;
	m->states[i].cost_ns += clock_monotonic_ns() - began_ns;
}

static void read_collector(struct monitor *m, size_t i, uint64_t stamp_ns)
{
	if (m->n_views == 0 || !collectors[i]->per_target) {
		read_once(m, i, stamp_ns);
		return;
	}
	for (size_t k = 0; k < m->n_views; k++) {
		int like = m->views[k].collect.like[collectors[i]->per_target];

		if (like >= 0) {
			views_copy(m, i, k, (size_t) like);
			continue;
		}
		monitor_turn_to(m, &m->views[k]);
		read_once(m, i, stamp_ns);
	}
	monitor_turn_to(m, NULL);
}

/* What a gauge showed before the job is not the job's. */
static void forget_gauges(struct monitor *m, size_t collector)
{
	const struct measures *ms = m->measures;

	for (size_t row = (size_t) m->first_row[collector];
		row < ms->n && ms->collector[row] == (int) collector; row++) {
		bool gauge = ms->rows[row]->kind == GAUGE && ms->rate_of[row] < 0;

		if (!gauge)
			continue;
		m->batch.singles[row] = m->batch.run_singles[row] = (struct accumulator){ 0 };
		for (size_t i = 0; i < m->n_views; i++)
			m->batch.targets[i].singles[row] = m->batch.targets[i].run_singles[row] =
				(struct accumulator){ 0 };
		for (size_t i = 0; ms->rows[row]->scope == DEVICE && i < m->devices.n; i++)
			if (m->devices.list[i].collector == (int) collector)
				m->devices.list[i].rows[m->devices.column[row]] =
					m->devices.list[i].run_rows[m->devices.column[row]] =
						(struct accumulator){ 0 };
	}
}

void monitor_baseline(struct monitor *m)
{
	m->baseline_ns = clock_monotonic_ns();
	m->sleep_offset_ns = clock_slept_ns();
	opening_all(m);
	m->swapped_at_start_bytes = host_swapped_out_bytes(m->collect.roots);
	host_meanwhile(m->collect.roots, &m->stat, true, &m->at_start);
	for (size_t i = 0; collectors[i]; i++) {
		if (!m->active[i] || !collectors[i]->counted_before)
			continue;
		read_collector(m, i, 0);
		forget_gauges(m, i);
	}
}

void monitor_look(struct monitor *m)
{
	for (size_t i = 0; collectors[i]; i++)
		if (m->active[i] && collectors[i]->tells_alone && opening_one(m, i))
			read_collector(m, i, 0);
}

static void sample(struct monitor *m, const struct exit_page *page)
{
	uint64_t look_ns = clock_monotonic_ns();

	finals_drain(&m->finals);
	census_tell_ledger(&m->census);
	if (m->watch) {
		watch_take_exits(m->watch, page);
		watch_refresh(m->watch, look_ns);
	} else {
		census_take_waits(&m->census, page);
		ledger_refresh(&m->ledger, page, look_ns);
		census_look_at_accounts(&m->census);
	}
	m->states[0].cost_ns += clock_monotonic_ns() - look_ns;
	for (size_t i = 0; collectors[i]; i++) {
		const struct collector *c = collectors[i];

		if (m->active[i])
			read_collector(m, i, c->from_ledger ? look_ns : 0);
	}
	if (m->watch)
		watch_sum(m->watch, look_ns);
	m->ticks++;
	m->samples_in_window++;
	m->last_tick_ns = look_ns;
}

/* A row of the window, with `view` that target's own. */
static struct accumulator *single_of(const struct monitor *m, const struct view *view, size_t row)
{
	return view && views_row_is_own(m, row) ? &m->batch.targets[view - m->views].singles[row]
						: &m->batch.singles[row];
}

static void summarise_singles(struct monitor *m, const struct view *view, struct summary *ret)
{
	const struct total *totals =
		view ? m->batch.targets[view - m->views].totals : m->batch.totals;

	for (size_t row = 0; row < m->measures->n; row++) {
		const struct measure *r = m->measures->rows[row];

		if (r->scope != SINGLE)
			continue;
		ret[row] = accumulator_summary(single_of(m, view, row), r);
		if (m->measures->base[row] >= 0) {
			const struct total *t = &totals[m->measures->base[row]];
			ret[row].subjects_absent = t->absent;
			ret[row].subjects_why = t->why;
		}
	}
}

/* Lines are judged as the end of the run is, by what is known until then. */
static void lower_counts(struct monitor *m, bool last, struct summary *singles)
{
	struct shortfall s = conclude_shortfall(m, last);

	for (size_t row = 0; row < m->measures->n; row++)
		if (singles[row].quality == EXACT &&
			conclude_falls_short(&s, m->measures->rows[row]))
			singles[row].quality = LOWER_BOUND;
}

static void next_window(struct monitor *m, uint64_t now_ns)
{
	const struct measures *ms = m->measures;

	for (size_t row = 0; row < ms->n; row++) {
		if (ms->rows[row]->scope != SINGLE)
			continue;
		accumulator_next_window(&m->batch.singles[row], now_ns);
		for (size_t i = 0; i < m->n_views; i++)
			accumulator_next_window(&m->batch.targets[i].singles[row], now_ns);
	}
	for (size_t i = 0; i < m->ledger.n_order; i++) {
		struct process *p = ledger_at(&m->ledger, i);

		for (size_t column = 0; p->listed && column < m->ledger.n_columns; column++)
			accumulator_next_window(&p->rows[column], now_ns);
	}
	devices_next_window(&m->devices, now_ns);
	ledger_next_window(&m->ledger);
	m->samples_in_window = 0;
	m->suspended_in_window_ns = 0;
	m->window_start_ns = now_ns;
}

static void hand_to_sink(struct sink *sink, const struct record *record, uint64_t *failures,
	char *text, size_t text_size)
{
	struct error err = { 0 };

	if (!sink || sink->write(sink, record, &err) >= 0)
		return;
	(*failures)++;
	snprintf(text, text_size, "%.*s", (int) text_size - 1, err.text);
}

static void close_views(struct monitor *m, struct record *record)
{
	lines_choose_for_views(m, record);
	for (size_t i = 0; i < m->n_views; i++) {
		struct view *v = &m->views[i];

		summarise_singles(m, v, v->window_singles);
		record->singles = v->window_singles;
		lines_of_view(m, v, record);
		hand_to_sink(
			v->sink, record, &v->sink_failures, v->sink_error, sizeof(v->sink_error));
	}
	lines_mark(m, record->monotonic_ns);
}

static void close_window(struct monitor *m, bool last)
{
	uint64_t now_ns = m->last_tick_ns;
	struct record record = { .sequence = m->sequence++,
		.start_ns = m->window_start_ns - m->schedule.start_ns,
		.end_ns = now_ns - m->schedule.start_ns,
		.monotonic_ns = now_ns,
		.realtime_ns = clock_realtime_ns() - (clock_monotonic_ns() - now_ns),
		.suspended_ns = m->suspended_in_window_ns,
		.samples = m->samples_in_window,
		.missed_ticks = (uint32_t) m->schedule.missed_in_window,
		.last = last,
		.measures = m->measures,
		.selected = m->selected,
		.process_column = m->column,
		.n_devices = m->devices.n,
		.devices = m->devices.list,
		.device_column = m->devices.column,
		.singles = m->window_singles };

	if (m->n_views > 0) {
		close_views(m, &record);
	} else {
		summarise_singles(m, NULL, m->window_singles);
		lower_counts(m, last, m->window_singles);
		lines_choose(m, &record);
		hand_to_sink(
			m->sink, &record, &m->sink_failures, m->sink_error, sizeof(m->sink_error));
	}
	next_window(m, now_ns);
}

void monitor_tick(struct monitor *m, const struct exit_page *page)
{
	notice_suspend(m);
	effort_begin(m);
	sample(m, page);
	hand_on_sample(m, false);
	schedule_ticked(&m->schedule, m->last_tick_ns);
	effort_end(m);
	if (schedule_window_over(&m->schedule, m->last_tick_ns)) {
		close_window(m, false);
		schedule_window_closed(&m->schedule, m->last_tick_ns);
	}
}

void monitor_finish(struct monitor *m, const struct exit_page *page)
{
	notice_suspend(m);
	schedule_end(&m->schedule, clock_monotonic_ns());
	opening_settle(m);
	m->ledger.last_look = true;
	sample(m, page);
	hand_on_sample(m, true);
	close_window(m, true);
}

struct summary monitor_run_summary(const struct monitor *m, size_t row)
{
	const struct accumulator *a =
		m->view && views_row_is_own(m, row)
			? &m->batch.targets[m->view - m->views].run_singles[row]
			: &m->batch.run_singles[row];

	return accumulator_summary(a, m->measures->rows[row]);
}
