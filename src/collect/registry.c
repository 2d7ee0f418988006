/* SPDX-License-Identifier: MIT */
/* The list of collectors and the table of all their rows. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "model/run_info.h"

#include "collect/collect_registry.h"

#define KEY_SIZE 64

const struct collector *const collectors[] = { COLLECTOR_ENTRIES NULL };
_Static_assert(ARRAY_SIZE(collectors) - 1 <= N_COLLECTORS_MAX, "room for each in a run's info");

size_t collectors_count(void)
{
	return ARRAY_SIZE(collectors) - 1;
}

static size_t count_rows(size_t *ret_totals)
{
	size_t n = 0;

	*ret_totals = 0;
	for (size_t c = 0; collectors[c]; c++)
		for (size_t i = 0; i < collectors[c]->n_rows; i++) {
			n++;
			*ret_totals += collectors[c]->rows[i].total;
		}
	return n + *ret_totals;
}

struct total_row {
	struct measure row;
	char key[KEY_SIZE];
};

static int add_total(struct total_row *total, const struct measure *base)
{
	int r = measure_total_key(base->key, total->key, sizeof(total->key));

	total->row = *base;
	total->row.key = total->key;
	total->row.scope = SINGLE;
	total->row.total = false;
	total->row.otel = NULL;
	total->row.quantity = base->total_quantity;
	total->row.rank = base->total_rank;
	total->row.rate_of = NULL;
	total->row.reduce = base->reduce | MEAN;
	if (base->total_quality)
		total->row.quality = base->total_quality;
	return r;
}

static void link_rates(struct measures *m)
{
	for (size_t i = 0; i < m->n; i++) {
		assert(m->rows[i]);
		m->rate_of[i] = m->rows[i]->rate_of ? measures_find(m, m->rows[i]->rate_of) : -1;
		if (m->rate_of[i] >= 0)
			m->rated_by[m->rate_of[i]] = (int) i;
	}
}

static int fill(struct measures *m, struct total_row *totals)
{
	size_t n = 0;

	for (size_t c = 0; collectors[c]; c++)
		for (size_t i = 0; i < collectors[c]->n_rows; i++) {
			const struct measure *base = &collectors[c]->rows[i];

			m->base[n] = m->rated_by[n] = -1;
			m->collector[n] = (int) c;
			m->rows[n++] = base;
			if (!base->total)
				continue;
			if (add_total(totals, base) < 0)
				return -EINVAL;
			m->base[n] = (int) n - 1;
			m->rated_by[n] = -1;
			m->collector[n] = (int) c;
			m->rows[n++] = &totals->row;
			totals++;
		}
	assert(n == m->n);
	return 0;
}

int measures_build(struct measures *ret, struct error *err)
{
	size_t n_totals;
	struct measures m = { .n = count_rows(&n_totals) };

	if (m.n == 0)
		return error_say(err, -EINVAL, "this program was built without collectors");
	m.rows = calloc(m.n, sizeof(*m.rows));
	m.collector = calloc(m.n, sizeof(*m.collector));
	m.base = calloc(m.n, sizeof(*m.base));
	m.rate_of = calloc(m.n, sizeof(*m.rate_of));
	m.rated_by = calloc(m.n, sizeof(*m.rated_by));
	struct total_row *totals = calloc(n_totals, sizeof(*totals));
	m.storage = (char *) totals;
	if (!m.rows || !m.collector || !m.base || !m.rate_of || !m.rated_by || !totals) {
		measures_done(&m);
		return error_set(err, -ENOMEM, "cannot build the table of measurements");
	}
	int r = fill(&m, totals);
	if (r < 0)
		r = error_say(err, r, "a key in the table of measurements is too long");
	if (r < 0) {
		measures_done(&m);
		return r;
	}
	link_rates(&m);
	*ret = m;
	return 0;
}

void measures_done(struct measures *m)
{
	free(m->rows);
	free(m->collector);
	free(m->base);
	free(m->rate_of);
	free(m->rated_by);
	free(m->storage);
	*m = (struct measures){ 0 };
}
