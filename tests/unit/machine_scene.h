/* SPDX-License-Identifier: MIT */
/* A machine that a test makes up, and what a collector reads from it, a second apart. */
#ifndef ASSAY_TESTS_UNIT_MACHINE_SCENE_H
#define ASSAY_TESTS_UNIT_MACHINE_SCENE_H

#include "made_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collect/collect.h"
#include "model/run_info.h"

#define SECOND_NS 1000000000ULL

/* A tree of our own and what a collector reads from it. */
struct machine {
	struct made_tree tree;
	struct measures measures;
	bool *selected;
	struct devices devices;
	struct batch batch;
	struct collect collect;
	bool opened[N_COLLECTORS_MAX];
	void *own[N_COLLECTORS_MAX]; /* the states of collectors */
	uint64_t now_ns;
};

static inline struct machine make_machine(void)
{
	struct machine m = { .now_ns = SECOND_NS };
	struct error err = { 0 };

	tree_open_empty(&m.tree);
	assert_int_equal(measures_build(&m.measures, &err), 0);
	m.selected = malloc(m.measures.n);
	assert_non_null(m.selected);
	memset(m.selected, true, m.measures.n);
	assert_int_equal(devices_init(&m.devices, &m.measures, collectors_count()), 0);
	m.batch.singles = calloc(m.measures.n, sizeof(*m.batch.singles));
	m.batch.run_singles = calloc(m.measures.n, sizeof(*m.batch.run_singles));
	m.batch.totals = calloc(m.measures.n, sizeof(*m.batch.totals));
	assert_true(m.batch.singles && m.batch.run_singles && m.batch.totals);
	return m;
}

static inline void drop_machine(struct machine *m)
{
	free(m->selected);
	free(m->batch.singles);
	free(m->batch.run_singles);
	free(m->batch.totals);
	devices_done(&m->devices);
	for (size_t i = 0; collectors[i]; i++)
		if (m->opened[i])
			collector_close(collectors[i], &m->collect, m->own[i]);
	measures_done(&m->measures);
	tree_close(&m->tree);
}

static inline size_t index_of(const char *name)
{
	size_t i = 0;

	while (collectors[i] && strcmp(collectors[i]->name, name) != 0)
		i++;
	assert_non_null(collectors[i]);
	return i;
}

static inline int probe(struct machine *m, const char *name, struct error *err)
{
	m->collect.roots = &m->tree.roots;
	return collectors[index_of(name)]->probe(&m->collect, err);
}

/* One reading, a second after the one before. */
static inline int read_once(struct machine *m, const char *name)
{
	size_t i = index_of(name);
	int first = 0;
	int r;

	while (m->measures.collector[first] != (int) i)
		first++;
	m->batch.measures = &m->measures;
	m->batch.selected = m->selected;
	m->batch.devices = &m->devices;
	m->collect.roots = &m->tree.roots;
	if (!m->opened[i])
		assert_int_equal(collector_open(collectors[i], &m->collect, &m->own[i], NULL), 0);
	m->opened[i] = true;
	batch_begin(&m->batch, first, m->now_ns += SECOND_NS);
	r = collector_read(collectors[i], &m->collect, m->own[i], &m->batch);
	batch_end(&m->batch);
	return r;
}

static inline struct summary single(const struct machine *m, const char *key)
{
	int row = measures_find(&m->measures, key);

	assert_true(row >= 0);
	return accumulator_summary(&m->batch.run_singles[row], m->measures.rows[row]);
}

static inline const struct device_record *find_device(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (strcmp(m->devices.list[i].name, name) == 0)
			return &m->devices.list[i];
	return NULL;
}

static inline struct summary of_device(const struct machine *m, const char *name, const char *key)
{
	const struct device_record *d = find_device(m, name);
	int row = measures_find(&m->measures, key);

	assert_non_null(d);
	assert_true(row >= 0);
	return accumulator_summary(&d->run_rows[m->devices.column[row]], m->measures.rows[row]);
}

#endif
