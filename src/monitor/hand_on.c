/* SPDX-License-Identifier: MIT */
/* Hands on each sample as it is, with the processes that weigh most in it. */
#include "monitor/hand_on.h"

#include <string.h>

#include "base/clock.h"
#include "monitor/conclude.h"
#include "monitor/lines.h"
#include "monitor/loop.h"
#include "monitor/views.h"

struct weights {
	uint64_t cpu_ns, rss_pages; /* of all processes together */
};

static uint64_t used_ns(const struct process *p)
{
	return p->cpu_ns > p->handed_cpu_ns ? p->cpu_ns - p->handed_cpu_ns : 0;
}

static uint64_t resident_pages(const struct process *p)
{
	return p->has_statm && !p->zombie ? p->statm.resident : 0;
}

static uint64_t millionths(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t) (1e6 * (double) part / (double) whole) : 0;
}

/* Its share of the CPU used since the sample before, or of the memory: whichever is larger. So both the busiest and the largest come
 * first, whatever the other ones do. */
static uint64_t weight(const struct process *p, const struct weights *all)
{
	uint64_t cpu = millionths(used_ns(p), all->cpu_ns);
	uint64_t memory = millionths(resident_pages(p), all->rss_pages);

	return cpu > memory ? cpu : memory;
}

/* Keeps the list in descending order and no longer than a sample holds; returns its new length. */
static size_t insert(struct candidate *list, size_t n, struct candidate c)
{
	size_t at = n < PROCESSES_PER_SAMPLE ? n : PROCESSES_PER_SAMPLE - 1;

	if (n == PROCESSES_PER_SAMPLE && list[at].score >= c.score)
		return n;
	for (; at > 0 && list[at - 1].score < c.score; at--)
		list[at] = list[at - 1];
	list[at] = c;
	return n < PROCESSES_PER_SAMPLE ? n + 1 : n;
}

/* With several targets it is the first one whose last moments are kept. */
static bool is_handed_on(const struct monitor *m, const struct process *p)
{
	return p->alive &&
	       (m->n_views == 0 || (p->share.targets & m->views[0].collect.account->bit));
}

/* Of a job that may have lost children, or that somebody outlives: what was waited for is a lower bound. */
static const struct accumulator *judged(struct monitor *m, bool last)
{
	struct shortfall s = conclude_shortfall(m, last);

	if (!s.cpu && !s.others)
		return m->batch.singles;
	memcpy(m->handed_singles, m->batch.singles, m->measures->n * sizeof(*m->handed_singles));
	for (size_t row = 0; row < m->measures->n; row++)
		if (m->handed_singles[row].quality == EXACT &&
			conclude_falls_short(&s, m->measures->rows[row]))
			m->handed_singles[row].quality = LOWER_BOUND;
	return m->handed_singles;
}

/* The rows of the first target, and those of the machine. */
static const struct accumulator *singles(struct monitor *m, bool last)
{
	if (m->n_views == 0)
		return judged(m, last);
	for (size_t row = 0; row < m->measures->n; row++)
		m->handed_singles[row] = views_row_is_own(m, row) ? m->batch.targets[0].singles[row]
								  : m->batch.singles[row];
	return m->handed_singles;
}

static size_t choose_processes(struct monitor *m, size_t *ret_living)
{
	const struct ledger *l = &m->ledger;
	struct weights all = { 0 };
	size_t n = 0;

	*ret_living = 0;
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		if (!is_handed_on(m, p))
			continue;
		(*ret_living)++;
		all.cpu_ns += used_ns(p);
		all.rss_pages += resident_pages(p);
	}
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (is_handed_on(m, p))
			n = insert(m->candidates, n, (struct candidate){ weight(p, &all), p });
		p->handed_cpu_ns = p->cpu_ns;
	}
	return n;
}

static struct sample_process as_sampled(const struct process *p)
{
	return (struct sample_process){ .pid = p->pid,
		.start_ticks = p->start_ticks,
		.name = p->stat.name,
		.state = (char) (p->zombie ? 'Z' : p->stat.state),
		.rows = p->rows };
}

void hand_on_sample(struct monitor *m, bool last)
{
	if (!m->samples)
		return;
	/* Until then a line of the series is a sample; the only one there is will be the last line of the series. */
	if (!m->handing_on && (last || !schedule_window_is_wide(&m->schedule, m->window_start_ns)))
		return;
	m->handing_on = true;

	struct sample sample = { .sequence = m->sample_sequence++,
		.since_start_ns = m->last_tick_ns - m->schedule.start_ns,
		.monotonic_ns = m->last_tick_ns,
		.realtime_ns = clock_realtime_ns() - (clock_monotonic_ns() - m->last_tick_ns),
		.last = last,
		.measures = m->measures,
		.selected = m->selected,
		.process_column = m->column,
		.singles = singles(m, last),
		.processes = m->sample_processes };
	sample.n_processes = choose_processes(m, &sample.n_living);
	for (size_t i = 0; i < sample.n_processes; i++)
		m->sample_processes[i] = as_sampled(m->candidates[i].process);
	m->samples->take(m->samples, &sample);
}
