/* SPDX-License-Identifier: MIT */
/* Sums over processes one of which is within its exit: what it still has is not known, and no bound is made of the rest; and a mark that was handed on. */
#include "made_tree.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/collect.h"
#include "target/ledger.h"
#include "target/tree.h"

#define PAGE 4096
#define SECOND_NS 1000000000ULL

struct scene {
	struct made_tree tree;
	struct ledger ledger;
	struct measures measures;
	bool *selected;
	int *column;
	struct batch batch;
	struct collect collect;
};

static void begin(struct scene *s)
{
	struct error err = { 0 };
	size_t n_columns = 0;

	*s = (struct scene){ 0 };
	tree_open_empty(&s->tree);
	assert_int_equal(measures_build(&s->measures, &err), 0);
	size_t n = s->measures.n;
	s->selected = malloc(n);
	s->column = calloc(n, sizeof(*s->column));
	assert_true(s->selected && s->column);
	memset(s->selected, true, n);
	for (size_t row = 0; row < n; row++) {
		const struct measure *m = s->measures.rows[row];
		bool has = m->scope == PROCESS && (m->kind == GAUGE || m->kind == COUNTER);

		s->column[row] = has ? (int) n_columns++ : -1;
	}
	assert_int_equal(ledger_init(&s->ledger, &s->tree.roots, n_columns, &err), 0);
	s->batch = (struct batch){ .measures = &s->measures,
		.selected = s->selected,
		.column = s->column,
		.singles = calloc(n, sizeof(*s->batch.singles)),
		.run_singles = calloc(n, sizeof(*s->batch.run_singles)),
		.totals = calloc(n, sizeof(*s->batch.totals)) };
	assert_true(s->batch.singles && s->batch.run_singles && s->batch.totals);
	s->collect = (struct collect){
		.roots = &s->tree.roots, .ledger = &s->ledger, .page_size = PAGE
	};
}

static void end(struct scene *s)
{
	ledger_done(&s->ledger);
	measures_done(&s->measures);
	tree_close(&s->tree);
	free(s->selected);
	free(s->column);
	free(s->batch.singles);
	free(s->batch.run_singles);
	free(s->batch.totals);
}

/* Their pids are of processes that live: a missing file is asked about. */
static void enter(struct scene *s, pid_t pid, unsigned flags, const char *statm)
{
	const struct proc_stat stat = { .pid = pid, .name = "x", .flags = flags };

	assert_non_null(ledger_new(&s->ledger, &stat, 0));
	tree_put_at(&s->tree, statm, "proc/%d/statm", (int) pid);
}

static const struct collector *begin_reading(struct scene *s, const char *name)
{
	int first = 0;
	size_t i = 0;

	while (strcmp(collectors[i]->name, name) != 0)
		i++;
	while (s->measures.collector[first] != (int) i)
		first++;
	batch_begin(&s->batch, first, SECOND_NS);
	return collectors[i];
}

static void read_statm(struct scene *s)
{
	const struct collector *statm = begin_reading(s, "proc_statm");

	assert_int_equal(collector_read(statm, &s->collect, NULL, &s->batch), 0);
	batch_end(&s->batch);
}

static struct summary total_of(const struct scene *s, const char *key)
{
	int row = measures_find(&s->measures, key);

	assert_true(row >= 0);
	return accumulator_summary(&s->batch.singles[row], s->measures.rows[row]);
}

static struct summary total(const struct scene *s)
{
	return total_of(s, "proc_rss_total_bytes");
}

static void a_sum_of_all_is_an_upper_bound(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	enter(&s, getpid(), 0, "100 50 25 1 0 10 0\n");
	enter(&s, getppid(), 0, "100 20 5 1 0 10 0\n");
	read_statm(&s);
	assert_int_equal(total(&s).max, 70 * PAGE);
	assert_int_equal(total(&s).quality, UPPER_BOUND);
	end(&s);
}

static void a_sum_without_one_that_is_ending_bounds_nothing(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	enter(&s, getpid(), 0, "100 50 25 1 0 10 0\n");
	enter(&s, getppid(), PROC_EXITING, "0 0 0 0 0 0 0\n");
	read_statm(&s);
	assert_int_equal(total(&s).max, 50 * PAGE);
	assert_int_equal(total(&s).quality, ESTIMATE);
	end(&s);
}

static void when_all_are_ending_there_is_no_sum(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	enter(&s, getpid(), PROC_EXITING, "0 0 0 0 0 0 0\n");
	read_statm(&s);
	assert_int_equal(total(&s).quality, ABSENT);
	assert_int_equal(total(&s).why, ESRCH);
	end(&s);
}

/* Two processes, of which one may not be read; `moved`: pages went from one to the other while they were read. */
static enum quality quality_of_pss(bool moved)
{
	enum { PSS }; /* the first row of the collector */
	struct scene s;

	begin(&s);
	enter(&s, getpid(), 0, "");
	enter(&s, getppid(), 0, "");
	begin_reading(&s, "proc_smaps");
	put(&s.batch, ledger_at(&s.ledger, 0), PSS, 1000 * PAGE);
	put_absent(&s.batch, ledger_at(&s.ledger, 1), PSS, EACCES);
	if (moved)
		batch_total_quality(&s.batch, PSS, ESTIMATE);
	batch_end(&s.batch);
	assert_int_equal(total_of(&s, "proc_pss_total_bytes").max, 1000 * PAGE);
	enum quality quality = (enum quality) total_of(&s, "proc_pss_total_bytes").quality;
	end(&s);
	return quality;
}

static void a_sum_that_may_be_too_high_is_no_lower_bound(void **state)
{
	(void) state;
	assert_int_equal(quality_of_pss(false), LOWER_BOUND);
	assert_int_equal(quality_of_pss(true), ESTIMATE);
}

/* What the keeper's mark of `most` is called, where the process that started the job was of `floor`. */
static enum quality quality_of_keepers_mark(uint64_t most, uint64_t floor)
{
	struct scene s;

	begin(&s);
	s.ledger.exits.max_rss_bytes = most;
	s.ledger.spawn_floor_bytes = floor;
	const struct collector *keeper = begin_reading(&s, "keeper");
	assert_int_equal(collector_read(keeper, &s.collect, NULL, &s.batch), 0);
	batch_end(&s.batch);
	assert_int_equal(total_of(&s, "keeper_max_rss_bytes").last, most);
	enum quality quality = (enum quality) total_of(&s, "keeper_max_rss_bytes").quality;
	end(&s);
	return quality;
}

static void a_mark_that_may_be_the_starting_process_own_is_an_upper_bound(void **state)
{
	const uint64_t mib = UINT64_C(1) << 20;

	(void) state;
	assert_int_equal(quality_of_keepers_mark(300 * mib, 300 * mib), UPPER_BOUND);
	assert_int_equal(quality_of_keepers_mark(302 * mib, 300 * mib), EXACT);
	assert_int_equal(quality_of_keepers_mark(3 * mib, 3 * mib), EXACT);
	assert_int_equal(quality_of_keepers_mark(0, 300 * mib), EXACT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sum_of_all_is_an_upper_bound),
		cmocka_unit_test(a_sum_without_one_that_is_ending_bounds_nothing),
		cmocka_unit_test(when_all_are_ending_there_is_no_sum),
		cmocka_unit_test(a_sum_that_may_be_too_high_is_no_lower_bound),
		cmocka_unit_test(a_mark_that_may_be_the_starting_process_own_is_an_upper_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
