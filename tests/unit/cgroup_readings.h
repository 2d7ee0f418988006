/* SPDX-License-Identifier: MIT */
/* The collectors of cgroups on a tree that a test makes up. */
#ifndef ASSAY_TESTS_UNIT_CGROUP_READINGS_H
#define ASSAY_TESTS_UNIT_CGROUP_READINGS_H

#include "linux_test.h"
#include "made_tree.h"

#include <stdlib.h>
#include <string.h>

#include "collect/collect.h"
#include "linux/cgroup_view.h"
#include "model/run_info.h"

/* Collectors on a tree: what they put into the accumulators of their rows. */
struct readings {
	struct made_tree tree;
	struct cgroup_view view;
	struct measures measures;
	struct collect collect;
	struct cgroup_reading reading;
	void *own[N_COLLECTORS_MAX]; /* of those of cgroups */
	struct batch batch;
};

static inline bool is_of_cgroups(const struct collector *c)
{
	return strncmp(c->name, "cgroup_", 7) == 0;
}

static inline void open_readings(struct readings *r, const char *mountinfo, const char *cgroups)
{
	struct error err;

	tree_open(&r->tree, mountinfo);
	tree_put(&r->tree, "proc/4321/cgroup", cgroups);
	assert_int_equal(measures_build(&r->measures, &err), 0);
	r->reading = (struct cgroup_reading){ 0 };
	r->collect = (struct collect){ .roots = &r->tree.roots,
		.cgroup = &r->view,
		.cgroup_reading = &r->reading,
		.states = r->own };
	for (int i = 0; collectors[i]; i++)
		if (is_of_cgroups(collectors[i]))
			assert_int_equal(
				collector_open(collectors[i], &r->collect, &r->own[i], &err), 0);
	r->batch = (struct batch){ .measures = &r->measures,
		.singles = calloc(r->measures.n, sizeof(struct accumulator)),
		.run_singles = calloc(r->measures.n, sizeof(struct accumulator)),
		.totals = calloc(r->measures.n, sizeof(struct total)) };
}

static inline void look_up(struct readings *r)
{
	cgroup_view_open(&r->view, &r->tree.roots, 4321);
}

static inline void close_readings(struct readings *r)
{
	for (int i = 0; collectors[i]; i++)
		if (is_of_cgroups(collectors[i]))
			collector_close(collectors[i], &r->collect, r->own[i]);
	cgroup_reading_close(&r->reading);
	cgroup_view_close(&r->view);
	free(r->batch.singles);
	free(r->batch.run_singles);
	free(r->batch.totals);
	measures_done(&r->measures);
	tree_close(&r->tree);
}

static inline void read_all(struct readings *r, uint64_t now_ns)
{
	for (int i = 0; collectors[i]; i++) {
		int row = 0;

		if (!is_of_cgroups(collectors[i]))
			continue;
		while (r->measures.collector[row] != i)
			row++;
		batch_begin(&r->batch, row, now_ns);
		assert_int_equal(
			collector_read(collectors[i], &r->collect, r->own[i], &r->batch), 0);
		batch_end(&r->batch);
	}
}

static inline const struct accumulator *reading(const struct readings *r, const char *key)
{
	int row = measures_find(&r->measures, key);

	assert_true(row >= 0);
	return &r->batch.run_singles[row];
}

static inline void assert_reading(
	const struct readings *r, const char *key, uint64_t value, enum quality quality)
{
	const struct accumulator *a = reading(r, key);

	if (a->quality != quality || a->last != value)
		fail_msg("%s: %llu, %s", key, (unsigned long long) a->last,
			quality_name((enum quality) a->quality));
}

static inline void assert_missing(const struct readings *r, const char *key, int error)
{
	const struct accumulator *a = reading(r, key);

	if (a->quality != ABSENT || a->why != error)
		fail_msg("%s: %s, errno %d", key, quality_name((enum quality) a->quality), a->why);
}

/* What a reading must be; of one that is ABSENT the value is the errno. */
struct expected_reading {
	const char *key;
	uint64_t value;
	enum quality quality;
};

static inline void assert_readings(
	const struct readings *r, const struct expected_reading *expected, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct expected_reading *e = &expected[i];

		if (e->quality == ABSENT)
			assert_missing(r, e->key, (int) e->value);
		else
			assert_reading(r, e->key, e->value, e->quality);
	}
}

#define MOUNT_V2 "42 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define JOB_V2 "sys/fs/cgroup/job"

#endif
