/* SPDX-License-Identifier: MIT */
/* Makes, hands on and frees what collectors keep; what is in it only they know. */
#include "monitor/opening.h"

#include <stdio.h>

#include "base/error.h"
#include "monitor/loop.h"

static bool has_one_each(const struct monitor *m, size_t i)
{
	return m->n_views > 0 && collectors[i]->per_target;
}

/* The earlier target whose readings this one has as well, or -1. */
static int like(const struct monitor *m, size_t i, size_t view)
{
	return m->views[view].collect.like[collectors[i]->per_target];
}

/* Calls `what` once for each state that there is of a collector: of the first `n` targets, or the only one. */
static void each_state(struct monitor *m, size_t i, size_t n,
	void (*what)(const struct collector *of, struct collect *c, void *state))
{
	if (!has_one_each(m, i)) {
		what(collectors[i], &m->collect, m->own[i]);
		return;
	}
	for (size_t k = 0; k < n; k++) {
		if (like(m, i, k) >= 0)
			continue;
		monitor_turn_to(m, &m->views[k]);
		what(collectors[i], &m->collect, m->views[k].own[i]);
	}
	monitor_turn_to(m, NULL);
}

static int open_for_each(struct monitor *m, size_t i, struct error *err)
{
	int r = 0;
	size_t k = 0;

	for (; r == 0 && k < m->n_views; k++) {
		struct view *v = &m->views[k];

		if (like(m, i, k) >= 0) {
			v->own[i] = m->views[like(m, i, k)].own[i];
			continue;
		}
		monitor_turn_to(m, v);
		r = collector_open(collectors[i], &m->collect, &v->own[i], err);
	}
	monitor_turn_to(m, NULL);
	if (r < 0)
		each_state(m, i, k - 1, collector_close);
	return r;
}

static int open_for_all(struct monitor *m, size_t i, struct error *err)
{
	int r = collector_open(collectors[i], &m->collect, &m->own[i], err);

	for (size_t k = 0; r == 0 && k < m->n_views; k++)
		m->views[k].own[i] = m->own[i];
	return r;
}

static void forget(struct monitor *m, size_t i)
{
	m->opened[i] = false;
	m->own[i] = NULL;
	for (size_t k = 0; k < m->n_views; k++)
		m->views[k].own[i] = NULL;
}

bool opening_one(struct monitor *m, size_t i)
{
	struct error err = { 0 };

	if (m->opened[i] || !m->active[i])
		return m->opened[i];
	int r = has_one_each(m, i) ? open_for_each(m, i, &err) : open_for_all(m, i, &err);
	if (r == 0)
		return m->opened[i] = true;
	forget(m, i);
	struct collector_state *s = &m->states[i];
	m->active[i] = s->available = false;
	snprintf(s->why, sizeof(s->why), "%.*s", (int) sizeof(s->why) - 1, err.text);
	return false;
}

void opening_all(struct monitor *m)
{
	for (size_t i = 0; collectors[i]; i++)
		opening_one(m, i);
}

static void settle(const struct collector *of, struct collect *c, void *state)
{
	if (!of->settle)
		return;
	c->state = state;
	of->settle(c);
	c->state = NULL;
}

void opening_settle(struct monitor *m)
{
	for (size_t i = 0; collectors[i]; i++)
		if (m->opened[i])
			each_state(m, i, m->n_views, settle);
}

void opening_undo(struct monitor *m)
{
	for (size_t i = 0; collectors[i]; i++) {
		if (!m->opened[i])
			continue;
		each_state(m, i, m->n_views, collector_close);
		forget(m, i);
	}
}
