/* SPDX-License-Identifier: MIT */
/* Several targets in one loop: what each has of its own, and which collectors tell of them. */
#include "monitor/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "monitor/lines.h"
#include "monitor/loop.h"
#include "target/watch.h"

/* Whether it tells of what is measured here. */
static bool tells_of_ours(const struct monitor *m, const struct collector *c)
{
	return m->watch ? !c->of_job : !c->of_targets;
}

void views_find_active(struct monitor *m)
{
	memset(m->active, 0, sizeof(m->active));
	for (size_t row = m->measures->n; row-- > 0;) {
		int c = m->measures->collector[row];

		m->first_row[c] = (int) row;
		if (m->selected[row] && m->states[c].available && tells_of_ours(m, collectors[c]))
			m->active[c] = true;
	}
}

void views_done(struct monitor *m)
{
	for (size_t i = 0; i < m->n_views; i++) {
		struct view *v = &m->views[i];

		free(v->window_singles);
		cgroup_reading_close(&v->collect.cgroup_reading);
	}
	for (size_t i = 0; m->batch.targets && i < m->batch.n_targets; i++) {
		free(m->batch.targets[i].singles);
		free(m->batch.targets[i].run_singles);
		free(m->batch.targets[i].totals);
	}
	free(m->batch.targets);
	free(m->handed_singles);
	free(m->views);
	if (m->watch)
		watch_done(m->watch);
	free(m->watch);
}

static int begin_view(struct monitor *m, struct view *v, struct batch_target *b, struct account *a)
{
	size_t n = m->measures->n;

	v->collect.account = a;
	v->collect.bits = a->bit;
	for (int k = 0; k < N_PER_TARGET; k++)
		v->collect.like[k] = -1;
	v->window_singles = calloc(n, sizeof(*v->window_singles));
	b->singles = calloc(n, sizeof(*b->singles));
	b->run_singles = calloc(n, sizeof(*b->run_singles));
	b->totals = calloc(n, sizeof(*b->totals));
	return v->window_singles && b->singles && b->run_singles && b->totals ? 0 : -ENOMEM;
}

int monitor_watch(struct monitor *m, const struct target *targets, size_t n, struct error *err)
{
	m->watch = calloc(1, sizeof(*m->watch));
	m->views = calloc(n, sizeof(*m->views));
	m->batch.targets = calloc(n, sizeof(*m->batch.targets));
	if (!m->watch || !m->views || !m->batch.targets)
		return error_set(err, -ENOMEM, "cannot prepare to record");
	int r = watch_init(m->watch, &m->ledger, targets, n, err);
	if (r < 0)
		return r;
	m->n_views = m->batch.n_targets = n;
	m->collect.watch = m->watch;
	for (size_t i = 0; i < n; i++)
		if (begin_view(m, &m->views[i], &m->batch.targets[i], &m->watch->accounts[i]) < 0)
			return error_set(err, -ENOMEM, "cannot prepare to record");
	struct process_record *records =
		realloc(m->process_records, n * PROCESSES_PER_RECORD * sizeof(*records));
	if (!records)
		return error_set(err, -ENOMEM, "cannot prepare to record");
	m->process_records = records;
	views_find_active(m);
	return 0;
}

/* Who looks at the cgroups that this one is in. */
static struct cgroup_reading *cgroup_reading_of(struct monitor *m, struct view *view)
{
	int like = view->collect.like[PER_CGROUP];

	return like < 0 ? &view->collect.cgroup_reading : &m->views[like].collect.cgroup_reading;
}

void monitor_turn_to(struct monitor *m, struct view *view)
{
	struct collect *c = &m->collect;

	m->view = view;
	m->batch.target = view ? &m->batch.targets[view - m->views] : NULL;
	c->target = view ? &view->collect : NULL;
	c->cgroup = view ? view->collect.cgroup : NULL;
	c->cgroup_reading = view ? cgroup_reading_of(m, view) : &m->cgroup_reading;
	c->states = view ? view->own : m->own;
}

bool views_row_is_own(const struct monitor *m, size_t row)
{
	return m->n_views > 0 &&
	       (collectors[m->measures->collector[row]]->per_target || m->measures->base[row] >= 0);
}

void monitor_share(struct monitor *m, size_t view, size_t earlier, enum per_target what)
{
	m->views[view].collect.like[what] = (int) earlier;
	m->views[earlier].collect.bits |= m->views[view].collect.account->bit;
}

void views_copy(struct monitor *m, size_t collector, size_t view, size_t from)
{
	const struct batch_target *a = &m->batch.targets[from];
	struct batch_target *b = &m->batch.targets[view];
	size_t first = (size_t) m->first_row[collector];
	size_t n = 0;

	while (first + n < m->measures->n && m->measures->collector[first + n] == (int) collector)
		n++;
	memcpy(&b->singles[first], &a->singles[first], n * sizeof(*b->singles));
	memcpy(&b->run_singles[first], &a->run_singles[first], n * sizeof(*b->run_singles));
}
