/* SPDX-License-Identifier: MIT */
/* Proves what past requests used and lost, with numbers that are exact in binary. */
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "model/value.h"
#include "size/size_waste.h"
#include "text/wrap.h"

#define GIB 1073741824.0
#define HOUR 3600.0
#define UNKNOWN ((double) NAN)

/* The struct owns its texts, and so has them writable; here nobody writes to them. */
static char *writable(const char *literal)
{
	char *ret;

	memcpy(&ret, &literal, sizeof(ret));
	return ret;
}

/* 4 cores and 8 GiB for 2 hours, of which 1 core and 2 GiB were in use. */
static struct size_run usual(const char *shape)
{
	struct size_run run = {
		.shape = writable(shape),
		.command = writable("python3 /home/me/train.py 5"),
		.outcome = OUTCOME_FINE,
		.asked = { .memory_bytes = 8 * GIB, .cpus = 4, .seconds = 8 * HOUR },
		.cpu_seconds = 2 * HOUR,
		.cpu_quality = EXACT,
		.wall_seconds = 2 * HOUR,
		.held_seconds = 2 * HOUR,
	};

	run.facts[SIZE_MEMORY] = (struct size_fact){ .value = 2 * GIB, .quality = EXACT };
	run.facts[SIZE_CPUS] = (struct size_fact){ .value = 1, .quality = EXACT };
	return run;
}

static void add(struct size_waste *waste, struct size_run run)
{
	assert_int_equal(size_waste_add(waste, &run), 0);
}

static void assert_number(double got, double expected)
{
	if (fabs(got - expected) > 0)
		print_error("%.17g is not %.17g\n", got, expected);
	assert_true(fabs(got - expected) <= 0);
}

#define assert_cores(row, asked, used, lost)                                                       \
	assert_number((row)->core_hours_asked, asked);                                             \
	assert_number((row)->core_hours_used, used);                                               \
	assert_number((row)->core_hours_lost, lost)
#define assert_gib(row, asked, used, lost)                                                         \
	assert_number((row)->gib_hours_asked, asked);                                              \
	assert_number((row)->gib_hours_used, used);                                                \
	assert_number((row)->gib_hours_lost, lost)

static void one_run_loses_what_it_did_not_use(void **state)
{
	struct size_waste w = { 0 };

	(void) state;
	add(&w, usual("a"));
	assert_int_equal(w.n, 1);
	assert_string_equal(w.rows[0].shape, "a");
	assert_string_equal(w.rows[0].example, "python3 /home/me/train.py 5");
	assert_cores(&w.rows[0], 8, 2, 6);
	assert_gib(&w.rows[0], 16, 4, 12);
	assert_number(w.rows[0].hours_asked, 8);
	assert_number(w.rows[0].hours_used, 2);
	assert_false(w.rows[0].used_is_at_least);
	assert_int_equal(w.rows[0].unmeasured, 0);
	size_waste_done(&w);
}

static void all_of_a_failed_run_is_lost(void **state)
{
	static const enum compare_outcome failures[] = { OUTCOME_FAILED, OUTCOME_CUT_OFF,
		OUTCOME_LOST };
	struct size_waste w = { 0 };

	(void) state;
	add(&w, usual("a"));
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		struct size_run run = usual("a");

		run.outcome = failures[i];
		run.facts[SIZE_MEMORY].value =
			i == 0 ? UNKNOWN : 8 * GIB; /* it is lost all the same */
		add(&w, run);
	}
	assert_int_equal(w.rows[0].failed, 3);
	assert_cores(&w.rows[0], 32, 2, 30);
	assert_number(w.rows[0].core_hours_failed, 24);
	assert_gib(&w.rows[0], 64, 4, 60);
	assert_number(w.rows[0].gib_hours_failed, 48);
	assert_int_equal(w.rows[0].unmeasured, 0);
	assert_int_equal(w.rows[0].gib_runs, 4);
	size_waste_done(&w);
}

static void one_run_that_used_more_hides_no_loss_of_another(void **state)
{
	struct size_run more = usual("a");
	struct size_waste w = { 0 };

	(void) state;
	more.cpu_seconds = 16 * HOUR; /* 8 cores in use, 4 asked for */
	more.facts[SIZE_MEMORY].value = 16 * GIB;
	add(&w, more);
	add(&w, usual("a"));
	assert_cores(&w.rows[0], 16, 18, 6);
	assert_gib(&w.rows[0], 32, 36, 12);
	size_waste_done(&w);
}

static void what_is_not_known_is_counted_and_in_no_sum(void **state)
{
	struct size_waste w = { 0 };
	struct size_run run = usual("a");

	(void) state;
	run.asked.memory_bytes = UNKNOWN;
	add(&w, run);
	assert_int_equal(w.rows[0].without_memory_request, 1);
	assert_int_equal(w.rows[0].gib_runs, 0);
	assert_cores(&w.rows[0], 8, 2, 6);
	run = usual("a");
	run.asked.cpus = UNKNOWN;
	run.facts[SIZE_MEMORY].value = UNKNOWN;
	add(&w, run);
	assert_int_equal(w.rows[0].without_cpu_request, 1);
	assert_int_equal(w.rows[0].unmeasured, 1);
	run = usual("a");
	run.held_seconds = UNKNOWN;
	run.outcome = OUTCOME_LOST;
	add(&w, run);
	assert_int_equal(w.rows[0].unmeasured, 2);
	run = usual("a");
	run.outcome = OUTCOME_RUNNING;
	run.asked.cpus = run.asked.memory_bytes = UNKNOWN; /* it counts as running alone */
	add(&w, run);
	run = usual("a");
	run.asked.memory_bytes = (double) INFINITY;
	run.asked.cpus = -1;
	run.asked.seconds = UNKNOWN;
	add(&w, run);
	assert_int_equal(w.rows[0].running, 1);
	assert_int_equal(w.rows[0].runs, 5);
	assert_int_equal(w.rows[0].unmeasured, 2);
	assert_int_equal(w.rows[0].without_memory_request, 2);
	assert_int_equal(w.rows[0].without_cpu_request, 2);
	assert_cores(&w.rows[0], 8, 2, 6);
	assert_int_equal(w.rows[0].gib_runs, 0);
	assert_int_equal(w.rows[0].hours_runs, 2);
	size_waste_done(&w);
}

static void what_was_stopped_held_what_it_had(void **state)
{
	struct size_waste w = { 0 };
	struct size_run run = usual("a");

	(void) state;
	run.wall_seconds = HOUR; /* of the 2 that it was there */
	add(&w, run);
	assert_cores(&w.rows[0], 8, 2, 6);
	assert_gib(&w.rows[0], 16, 4, 12);
	assert_number(w.rows[0].hours_used, 2);
	size_waste_done(&w);
}

static void memory_of_nodes_whose_number_is_not_told_is_marked(void **state)
{
	struct size_waste w = { 0 };
	struct size_run run = usual("a");
	struct buf words = { 0 };

	(void) state;
	add(&w, run);
	size_waste_text(&w, 200, 0, &words);
	assert_null(strstr(words.data, "by the node"));
	run.memory_of_one_node = true;
	add(&w, run);
	assert_int_equal(w.rows[0].memory_of_one_node, 1);
	buf_clear(&words);
	size_waste_text(&w, 200, 0, &words);
	assert_non_null(strstr(words.data,
		"\nMemory of 1 run was asked for by the node, and how many nodes there were is not "
		"told: it counts once.\n"));
	buf_done(&words);
	size_waste_done(&w);
}

static void a_source_that_may_have_missed_some_is_told(void **state)
{
	struct size_waste w = { 0 };
	struct size_run run = usual("a");

	(void) state;
	run.facts[SIZE_MEMORY].quality = SAMPLED;
	run.outcome = OUTCOME_FAILED; /* nothing of it is in `used` */
	add(&w, run);
	assert_false(w.rows[0].used_is_at_least);
	run.outcome = OUTCOME_FINE;
	add(&w, run);
	assert_true(w.rows[0].used_is_at_least && w.rows[0].gib_at_least);
	assert_false(w.rows[0].cores_at_least);
	run = usual("b");
	run.cpu_quality = LOWER_BOUND;
	run.facts[SIZE_CPUS].quality = ESTIMATE;
	run.facts[SIZE_MEMORY].quality = ESTIMATE;
	add(&w, run);
	assert_true(w.rows[1].cores_at_least);
	assert_false(w.rows[1].gib_at_least);
	size_waste_done(&w);
}

static void the_order_is_by_parts_of_all_that_was_asked_for(void **state)
{
	struct size_waste w = { 0 };
	struct size_run memory = usual("memory");
	struct size_run cores = usual("cores");

	(void) state;
	add(&w, usual("same b"));
	add(&w, usual("same a"));
	memory.asked.memory_bytes =
		64 * GIB; /* loses 124 of 176 GiB-hours and 6 of 96 core-hours */
	memory.facts[SIZE_MEMORY].value = 2 * GIB;
	add(&w, memory);
	cores.asked.cpus = 36; /* loses 70 of 96 core-hours and 12 of 176 GiB-hours */
	add(&w, cores);
	size_waste_sort(&w);
	assert_number(w.all.core_hours_asked, 96);
	assert_number(w.all.gib_hours_asked, 176);
	assert_string_equal(w.rows[0].shape, "cores");
	assert_string_equal(w.rows[1].shape, "memory");
	assert_string_equal(w.rows[2].shape, "same a");
	assert_string_equal(w.rows[3].shape, "same b");
	/* and what comes later finds its row */
	add(&w, usual("cores"));
	add(&w, usual("new"));
	assert_int_equal(w.n, 5);
	assert_int_equal(w.rows[0].runs, 2);
	size_waste_done(&w);
}

static void ten_thousand_commands_have_a_row_each(void **state)
{
	struct size_waste w = { 0 };
	struct size_run run = usual(NULL);
	char shape[32];

	(void) state;
	for (int i = 0; i < 20000; i++) {
		snprintf(shape, sizeof(shape), "x%d", i % 10000);
		run.shape = shape;
		add(&w, run);
	}
	assert_int_equal(w.n, 10000);
	for (size_t i = 0; i < w.n; i++)
		assert_int_equal(w.rows[i].runs, 2);
	assert_cores(&w.all, 160000, 40000, 120000);
	size_waste_done(&w);
}

/* Three commands: a usual one with a failed run, one with few hours and another quality, one of which nothing is known. */
static struct size_waste scene(void)
{
	struct size_waste w = { 0 };
	struct size_run run = usual("python3 train.py --lr * --model resnet --epochs=* *.npz");

	add(&w, run);
	run.outcome = OUTCOME_FAILED;
	add(&w, run);
	run = usual("bwa mem -t * *.fa *.fq.gz...");
	run.held_seconds = 36;
	run.cpu_seconds = 9;
	run.facts[SIZE_MEMORY].quality = SAMPLED;
	add(&w, run);
	run = usual(NULL);
	run.command = NULL;
	run.asked.cpus = run.asked.memory_bytes = run.asked.seconds = UNKNOWN;
	add(&w, run);
	size_waste_sort(&w);
	return w;
}

static char *text_of(const struct size_waste *w, size_t width, size_t limit)
{
	struct buf out = { 0 };

	size_waste_text(w, width, limit, &out);
	assert_false(out.failed);
	return buf_take(&out);
}

static void the_table_has_these_lines(void **state)
{
	struct size_waste w = scene();
	AUTO_FREE char *all = text_of(&w, 80, 0);
	AUTO_FREE char *narrow = text_of(&w, 60, 1);
	static const char *const narrow_begins =
		"Asked for, used and lost by 4 runs of 3 commands, the most\n"
		"  lost first\n"
		"\n"
		"                     core-hours             GiB-hours\n"
		"runs  failed  asked  used  lost  asked   used    lost\n"
		"   2       1   16.0   2.0  14.0   32.0    4.0    28.0\n"
		"    python3 train.py --lr * --model resnet --epochs=* *.npz\n"
		"   4       1   16.0   2.0  14.0   32.1  >=4.0  <=28.1\n"
		"    all, with 2 not shown\n"
		"\n";

	(void) state;
	assert_string_equal(all,
		"Asked for, used and lost by 4 runs of 3 commands, the most lost first\n"
		"\n"
		"                     core-hours             GiB-hours\n"
		"runs  failed  asked  used  lost  asked   used    lost  command\n"
		"   2       1   16.0   2.0  14.0   32.0    4.0    28.0  python3 train.py --lr...\n"
		"   1       0   <0.1  <0.1  <0.1    0.1   <0.1   <=0.1  bwa mem -t * *.fa *.fq...\n"
		"   1       0      -     -     -      -      -       -  (not known)\n"
		"   4       1   16.0   2.0  14.0   32.1  >=4.0  <=28.1  all\n"
		"\n"
		"Used: CPU time, and the peak of memory without caches of files for all of a\n"
		"  run's time. Lost: what was asked for and not used, and all that was held by\n"
		"  runs that failed. >=: some use may have been missed; then no more (<=) was\n"
		"  lost.\n"
		"Of what was lost, 8.0 core-hours (57 %) and 16.0 GiB-hours (57 %) were held by 1\n"
		"  run that failed, was cut off or was lost.\n"
		"Not in the sums: 1 run with no known request for CPUs, 1 with none for memory.\n"
		"Time limits of 3 runs: 24.0 hours, used 4.0; no one loses the rest, but a long\n"
		"  limit waits longer.\n");
	assert_memory_equal(narrow, narrow_begins, strlen(narrow_begins));
	size_waste_done(&w);
}

/* A usual run within a job of Slurm, on a host. */
static struct size_run of_job(const char *host, double started)
{
	struct size_run run = usual("a");

	run.job = (struct size_job){ .name = writable(" 7"), .step = UNKNOWN, .task = UNKNOWN };
	run.host = writable(host);
	run.started = started;
	snprintf(run.asked.memory_by, sizeof(run.asked.memory_by), "SLURM_MEM_PER_NODE");
	snprintf(run.asked.cpus_by, sizeof(run.asked.cpus_by), "SLURM_CPUS_ON_NODE");
	return run;
}

static void what_a_job_asked_for_counts_once_on_each_host(void **state)
{
	struct size_run runs[] = { of_job("n1", 0), of_job("n2", 0), of_job("n1", HOUR),
		of_job("n1", 3 * HOUR), of_job("n1", 8 * HOUR) };
	struct size_waste w = { 0 };

	(void) state;
	assert_int_equal(size_waste_add_all(&w, runs, ARRAY_SIZE(runs)), 0);
	/* n1: 2 + 1 + 2 + 2 hours with 4 cores and 8 GiB, n2: 2 */
	assert_int_equal(w.all.runs, 5);
	assert_int_equal(w.all.shared, 2);
	assert_cores(&w.all, 36, 10, 26);
	assert_gib(&w.all, 72, 20, 52);
	size_waste_done(&w);
}

static void what_is_used_beyond_a_job_s_request_is_no_loss_of_its_other_runs(void **state)
{
	struct size_run runs[] = { of_job("n1", 0), of_job("n1", 0) };
	struct size_waste w = { 0 };

	(void) state;
	runs[0].facts[SIZE_MEMORY].value = 14 * GIB;
	runs[1].outcome = OUTCOME_FAILED;
	assert_int_equal(size_waste_add_all(&w, runs, 2), 0);
	assert_cores(&w.all, 8, 2, 6);
	assert_number(w.all.core_hours_failed, 3);
	assert_gib(&w.all, 16, 28, 0);
	size_waste_done(&w);
}

/* A limit of a run's own, a start that is not known, one that goes on, one without a measurement, one without a job. */
static void only_what_slurm_was_asked_for_at_a_known_time_is_shared(void **state)
{
	struct size_run runs[] = { of_job("n1", 0), of_job("n1", 0), of_job("n1", UNKNOWN),
		of_job("n1", 0), of_job("n1", 0), of_job("n1", 0) };
	struct size_waste w = { 0 };

	(void) state;
	snprintf(runs[1].asked.memory_by, sizeof(runs[1].asked.memory_by), "--limit memory");
	snprintf(runs[1].asked.cpus_by, sizeof(runs[1].asked.cpus_by), "affinity");
	runs[3].outcome = OUTCOME_RUNNING;
	runs[4].facts[SIZE_MEMORY].value = runs[4].cpu_seconds = UNKNOWN;
	runs[5].job.name = NULL;
	assert_int_equal(size_waste_add_all(&w, runs, ARRAY_SIZE(runs)), 0);
	assert_int_equal(w.all.shared, 0);
	assert_cores(&w.all, 32, 8, 24);
	assert_gib(&w.all, 64, 16, 48);
	size_waste_done(&w);
}

static void many_runs_of_one_job_are_divided_and_none_twice(void **state)
{
	enum { N = 1000 };
	struct size_run *runs = calloc(N, sizeof(*runs));
	struct size_waste w = { 0 };

	(void) state;
	assert_non_null(runs);
	for (size_t i = 0; i < N; i++) {
		runs[i] = of_job("n1", 1.75e9 + (double) (i * 7919 % N));
		runs[i].held_seconds = 100;
		runs[i].cpu_seconds = 0;
		runs[i].facts[SIZE_MEMORY].value = 0;
	}
	assert_int_equal(size_waste_add_all(&w, runs, N), 0);
	assert_int_equal(w.all.shared, N);
	/* The first begins at 0, the last ends at 1099. */
	assert_true(fabs(w.all.core_hours_asked - 4 * 1099 / HOUR) < 1e-6);
	assert_true(fabs(w.all.gib_hours_lost - 8 * 1099 / HOUR) < 1e-6);
	size_waste_done(&w);
	free(runs);
}

static void runs_inside_others_are_left_out(void **state)
{
	struct size_run runs[] = { usual("a"), usual("b"), usual("c"), usual("d"), usual("e") };
	struct size_waste w = { 0 };
	AUTO_FREE char *text = NULL;

	(void) state;
	runs[0].id = runs[1].parent = writable("1");
	runs[1].id = runs[2].parent = writable("2");
	runs[3].id = runs[3].parent = writable("3"); /* inside itself */
	runs[4].parent = writable("elsewhere");
	assert_int_equal(size_waste_add_all(&w, runs, ARRAY_SIZE(runs)), 0);
	assert_int_equal(w.nested, 2);
	assert_int_equal(w.all.runs, 3);
	assert_int_equal(w.n, 3);
	assert_cores(&w.all, 24, 6, 18);
	text = text_of(&w, 200, 0);
	assert_non_null(strstr(
		text, "\nLeft out: 2 runs inside others of these, which have all of them.\n"));
	size_waste_done(&w);
}

static void seconds_are_the_unit_of_short_runs(void **state)
{
	struct size_waste w = { 0 };
	struct size_run run = usual("sleep *");
	AUTO_FREE char *got = NULL;
	static const char *const begins =
		"Asked for, used and lost by 1 run of 1 command, the most lost first\n"
		"\n"
		"                   core-seconds        GiB-seconds\n"
		"runs  failed  asked  used  lost  asked  used  lost  command\n"
		"   1       0   8.00  0.50  7.50   16.0   4.0  12.0  sleep *\n"
		"\n";

	(void) state;
	run.held_seconds = 2;
	run.cpu_seconds = 0.5;
	add(&w, run);
	got = text_of(&w, 80, 0);
	assert_memory_equal(got, begins, strlen(begins));
	size_waste_done(&w);
}

static void no_line_is_wider_than_asked(void **state)
{
	static const size_t widths[] = { 60, 80, 120 };
	struct size_waste w = scene();
	struct size_run run = usual("x\x1b[2J\n\xff evil");

	(void) state;
	add(&w, run);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		AUTO_FREE char *text = text_of(&w, widths[i], 0);

		for (const char *line = text; *line;) {
			size_t n = strcspn(line, "\n");

			if (text_columns(line, n) > widths[i])
				print_error("%zu: %.*s\n", widths[i], (int) n, line);
			assert_true(text_columns(line, n) <= widths[i]);
			assert_true(n == 0 || line[n - 1] != ' ');
			line += n + (line[n] == '\n');
		}
		assert_null(strchr(text, '\x1b'));
		assert_null(memchr(text, 0xff, strlen(text)));
	}
	size_waste_done(&w);
}

static void json_has_what_is_known_and_nothing_else(void **state)
{
	struct size_waste w = scene();
	struct buf out = { 0 };
	json_t *all;
	const json_t *row;

	(void) state;
	size_waste_json(&w, &out);
	all = json_loads(out.data, 0, NULL);
	assert_non_null(all);
	assert_int_equal(json_array_size(json_object_get(all, "commands")), 3);
	row = json_array_get(json_object_get(all, "commands"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "shape")),
		"python3 train.py --lr * --model resnet --epochs=* *.npz");
	assert_int_equal(json_integer_value(json_object_get(row, "runs")), 2);
	assert_int_equal(json_integer_value(json_object_get(row, "failed")), 1);
	assert_number(
		json_real_value(json_object_get(json_object_get(row, "core_hours"), "asked")), 16);
	assert_number(
		json_real_value(json_object_get(json_object_get(row, "core_hours"), "used")), 2);
	assert_number(
		json_real_value(json_object_get(json_object_get(row, "core_hours"), "lost")), 14);
	assert_number(json_real_value(
			      json_object_get(json_object_get(row, "gib_hours"), "lost_by_failed")),
		16);
	assert_number(json_real_value(json_object_get(json_object_get(row, "hours"), "used")), 4);
	assert_null(json_object_get(json_object_get(row, "gib_hours"), "used_is_at_least"));
	row = json_array_get(json_object_get(all, "commands"), 1);
	assert_true(json_is_true(
		json_object_get(json_object_get(row, "gib_hours"), "used_is_at_least")));
	row = json_array_get(json_object_get(all, "commands"), 2);
	assert_int_equal(json_object_size(row), 6); /* the counts */
	assert_int_equal(json_integer_value(json_object_get(row, "without_memory_request")), 1);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(all, "all"), "runs")), 4);
	json_decref(all);
	buf_done(&out);
	size_waste_done(&w);
}

static void no_run_is_no_table(void **state)
{
	struct size_waste w = { 0 };
	AUTO_FREE char *text = text_of(&w, 80, 0);

	(void) state;
	size_waste_sort(&w);
	assert_string_equal(text, "No run, so nothing is known of what was asked for.\n");
	size_waste_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run_loses_what_it_did_not_use),
		cmocka_unit_test(all_of_a_failed_run_is_lost),
		cmocka_unit_test(one_run_that_used_more_hides_no_loss_of_another),
		cmocka_unit_test(what_is_not_known_is_counted_and_in_no_sum),
		cmocka_unit_test(what_was_stopped_held_what_it_had),
		cmocka_unit_test(memory_of_nodes_whose_number_is_not_told_is_marked),
		cmocka_unit_test(a_source_that_may_have_missed_some_is_told),
		cmocka_unit_test(the_order_is_by_parts_of_all_that_was_asked_for),
		cmocka_unit_test(ten_thousand_commands_have_a_row_each),
		cmocka_unit_test(the_table_has_these_lines),
		cmocka_unit_test(what_a_job_asked_for_counts_once_on_each_host),
		cmocka_unit_test(what_is_used_beyond_a_job_s_request_is_no_loss_of_its_other_runs),
		cmocka_unit_test(only_what_slurm_was_asked_for_at_a_known_time_is_shared),
		cmocka_unit_test(many_runs_of_one_job_are_divided_and_none_twice),
		cmocka_unit_test(runs_inside_others_are_left_out),
		cmocka_unit_test(seconds_are_the_unit_of_short_runs),
		cmocka_unit_test(no_line_is_wider_than_asked),
		cmocka_unit_test(json_has_what_is_known_and_nothing_else),
		cmocka_unit_test(no_run_is_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
