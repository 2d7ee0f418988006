/* SPDX-License-Identifier: MIT */
/* Proves the vocabulary: names, rows that are refused, selections, what is kept of a run. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/macros.h"
#include "model/measure.h"
#include "model/run_info.h"
#include "model/value.h"

/* A small program's rows: a gauge with its total, a counter with its rate, a label, a tally, a single row. */
enum { RSS, RSS_TOTAL, CPU, RATE, COMMAND, STATE, LOAD, N_ROWS };

static const struct measure good_rows[N_ROWS] = {
	/* clang-format off */
	[RSS] = { .key = "proc_rss_bytes", .help = "Resident memory", .origin = "stat", .quantity = "memory", .rank = 2,
		.kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true, .minimal = true },
	[RSS_TOTAL] = { .key = "proc_rss_total_bytes", .help = "Its sum", .origin = "stat", .quantity = "memory", .rank = 2,
		.kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true },
	[CPU] = { .key = "proc_cpu_seconds", .help = "CPU time", .origin = "stat", .quantity = "cpu", .rank = 3,
		.kind = COUNTER, .unit = SECONDS, .scope = PROCESS, .reduce = DELTA | LAST, .quality = EXACT, .on = true, .minimal = true },
	[RATE] = { .key = "proc_cpu_percent", .help = "CPU rate", .origin = "stat", .rate_of = "proc_cpu_seconds",
		.kind = GAUGE, .unit = PERCENT, .scope = PROCESS, .reduce = MAX | MEAN, .quality = SAMPLED, .on = true },
	[COMMAND] = { .key = "proc_command", .help = "Its name", .origin = "comm",
		.kind = LABEL, .unit = UNITLESS, .scope = PROCESS, .reduce = LAST, .quality = SAMPLED },
	[STATE] = { .key = "proc_state", .help = "Its state", .origin = "stat",
		.kind = CATEGORICAL, .unit = UNITLESS, .scope = PROCESS, .reduce = TALLY, .quality = SAMPLED },
	[LOAD] = { .key = "host_tasks_count", .help = "Tasks", .origin = "loadavg", .cost = FREE,
		.kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | MIN | MEAN | LAST, .quality = SAMPLED },
	/* clang-format on */
};

/* The rows as a writable copy, as collectors would have built them. */
struct fixture {
	struct measure rows[N_ROWS];
	const struct measure *pointers[N_ROWS];
	int collector[N_ROWS], base[N_ROWS], rate_of[N_ROWS];
	struct measures measures;
};

static void set_up(struct fixture *f)
{
	memcpy(f->rows, good_rows, sizeof(f->rows));
	for (int i = 0; i < N_ROWS; i++) {
		f->pointers[i] = &f->rows[i];
		f->collector[i] = i == LOAD;
		f->base[i] = i == RSS_TOTAL ? RSS : -1;
		f->rate_of[i] = i == RATE ? CPU : -1;
	}
	f->measures = (struct measures){ .rows = f->pointers,
		.collector = f->collector,
		.base = f->base,
		.rate_of = f->rate_of,
		.n = N_ROWS };
}

static void qualities_have_names_and_marks(void **state)
{
	(void) state;
	static const struct {
		enum quality q;
		const char *name, *mark;
	} cases[] = { { ABSENT, "absent", "" }, { EXACT, "exact", "=" },
		{ SAMPLED, "sampled", "~" }, { LOWER_BOUND, "lower_bound", ">=" },
		{ UPPER_BOUND, "upper_bound", "<=" }, { ESTIMATE, "estimate", "~" },
		{ N_QUALITY, "absent", "" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(quality_name(cases[i].q), cases[i].name);
		assert_string_equal(quality_mark(cases[i].q), cases[i].mark);
	}
	assert_int_equal(((struct value){ 0 }).quality, ABSENT);
}

static void every_enum_has_its_word(void **state)
{
	(void) state;
	assert_string_equal(kind_name(GAUGE), "gauge");
	assert_string_equal(kind_name(COUNTER), "counter");
	assert_string_equal(kind_name(LABEL), "label");
	assert_string_equal(kind_name(CATEGORICAL), "categorical");
	assert_string_equal(unit_name(UNITLESS), "");
	assert_string_equal(unit_name(BYTES), "bytes");
	assert_string_equal(unit_name(SECONDS), "seconds");
	assert_string_equal(unit_name(PERCENT), "percent");
	assert_string_equal(unit_name(COUNT), "count");
	assert_string_equal(scope_name(PROCESS), "process");
	assert_string_equal(scope_name(SINGLE), "single");
	assert_string_equal(cost_name(FREE), "free");
	assert_string_equal(cost_name(CHEAP), "cheap");
	assert_string_equal(cost_name(COSTLY), "costly");
}

static void reduces_are_named_in_one_order(void **state)
{
	(void) state;
	static const struct {
		uint8_t reduce;
		const char *names;
	} cases[] = { { LAST | MEAN | MAX, "max,mean,last" }, { DELTA | LAST, "delta,last" },
		{ TALLY, "tally" }, { MIN, "min" },
		{ LAST | MAX | MIN | MEAN | DELTA | TALLY, "max,min,mean,delta,last,tally" } };
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		reduce_names(cases[i].reduce, &b);
		assert_string_equal(b.data, cases[i].names);
	}
	buf_done(&b);
}

static void numbers_are_written_in_their_public_unit(void **state)
{
	(void) state;
	struct buf b = { 0 };
	struct json j;

	json_init(&j, &b, 0);
	json_array(&j);
	json_measure_value(&j, SECONDS, 1500000000);
	json_measure_value(&j, PERCENT, 100000);
	json_measure_value(&j, PERCENT, 99950);
	json_measure_value(&j, BYTES, 1500000000);
	json_measure_value(&j, COUNT, 7);
	json_measure_value(&j, UNITLESS, 8);
	json_array_end(&j);
	assert_string_equal(b.data, "[1.5,100,99.95,1500000000,7,8]");
	buf_done(&b);
}

static void a_total_key_has_total_before_its_unit(void **state)
{
	(void) state;
	char total[32];

	assert_int_equal(measure_total_key("proc_rss_bytes", total, sizeof(total)), 0);
	assert_string_equal(total, "proc_rss_total_bytes");
	assert_int_equal(measure_total_key("a_b", total, 10), 0);
	assert_string_equal(total, "a_total_b");
	assert_int_equal(measure_total_key("a_b", total, 9), -EINVAL);
	assert_int_equal(measure_total_key("bytes", total, sizeof(total)), -EINVAL);
}

static void good_rows_pass_the_check(void **state)
{
	(void) state;
	struct fixture f;
	struct error err = { 0 };

	set_up(&f);
	assert_int_equal(measures_check(&f.measures, &err), 0);
	assert_int_equal(measures_find(&f.measures, "proc_cpu_percent"), RATE);
	assert_int_equal(measures_find(&f.measures, "proc_cpu"), -1);
}

#define TEXTS .help = "h", .origin = "o"
#define MAXIMUM .reduce = MAX, .quality = SAMPLED

static void a_bad_row_is_refused_with_its_key_and_fault(void **state)
{
	(void) state;
	static const struct {
		struct measure bad;
		const char *fault;
	} cases[] = {
		/* clang-format off */
		{ { .key = NULL }, "key" },
		{ { .key = "Proc_x_bytes", TEXTS, .unit = BYTES, MAXIMUM }, "lower-case" },
		{ { .key = "9_bytes", TEXTS, .unit = BYTES, MAXIMUM }, "lower-case" },
		{ { .key = "", TEXTS, .unit = UNITLESS, MAXIMUM }, "lower-case" },
		{ { .key = "proc-x_bytes", TEXTS, .unit = BYTES, MAXIMUM }, "lower-case" },
		{ { .key = "proc_x_seconds", TEXTS, .unit = BYTES, MAXIMUM }, "unit" },
		{ { .key = "proc_xbytes", TEXTS, .unit = BYTES, MAXIMUM }, "unit" },
		{ { .key = "proc_rss_bytes", TEXTS, .unit = BYTES, MAXIMUM }, "twice" },
		{ { .key = "proc_x_bytes", TEXTS, .unit = BYTES, .reduce = MAX }, "quality" },
		{ { .key = "proc_x_bytes", .origin = "o", .unit = BYTES, MAXIMUM }, "help" },
		{ { .key = "proc_x_bytes", .help = "Ends.", .origin = "o", .unit = BYTES, MAXIMUM }, "help" },
		{ { .key = "proc_x_bytes", .help = "h", .unit = BYTES, MAXIMUM }, "origin" },
		{ { .key = "proc_x_bytes", TEXTS, .unit = BYTES, .quality = SAMPLED }, "reduce" },
		{ { .key = "proc_x_bytes", TEXTS, .unit = BYTES, .reduce = DELTA, .quality = SAMPLED }, "reduce" },
		{ { .key = "proc_x_bytes", TEXTS, .unit = BYTES, .reduce = TALLY, .quality = SAMPLED }, "reduce" },
		{ { .key = "proc_x_bytes", TEXTS, .kind = COUNTER, .unit = BYTES, MAXIMUM }, "reduce" },
		{ { .key = "proc_x", TEXTS, .kind = LABEL, .reduce = MEAN, .quality = SAMPLED }, "reduce" },
		{ { .key = "proc_x", TEXTS, .kind = CATEGORICAL, .reduce = LAST, .quality = SAMPLED }, "reduce" },
		{ { .key = "proc_x", TEXTS, .kind = N_KIND, .reduce = LAST, .quality = SAMPLED }, "kind" },
		{ { .key = "proc_x_bytes", TEXTS, .unit = BYTES, MAXIMUM, .quantity = "memory", .rank = 2 }, "rank" },
		{ { .key = "proc_x_bytes", TEXTS, .unit = BYTES, MAXIMUM, .quantity = "memory" }, "rank" },
		{ { .key = "proc_x_bytes", TEXTS, .unit = BYTES, MAXIMUM, .rank = 1 }, "rank" },
		{ { .key = "host_x_bytes", TEXTS, .unit = BYTES, .scope = SINGLE, MAXIMUM, .total = true }, "total" },
		{ { .key = "x_percent", TEXTS, .unit = PERCENT, MAXIMUM, .rate_of = "no_seconds" }, "does not exist" },
		{ { .key = "x_percent", TEXTS, .unit = PERCENT, MAXIMUM, .rate_of = "proc_rss_bytes" }, "counter of seconds" },
		{ { .key = "x_percent", TEXTS, .unit = PERCENT, MAXIMUM, .rate_of = "proc_cpu_seconds" }, "another collector" },
		{ { .key = "x_bytes", TEXTS, .unit = BYTES, MAXIMUM, .rate_of = "proc_cpu_seconds" }, "percent" },
		/* clang-format on */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;
		struct error err = { 0 };
		set_up(&f);
		f.rows[LOAD] = cases[i].bad;
		assert_int_equal(measures_check(&f.measures, &err), -EINVAL);
		assert_non_null(strstr(err.text, cases[i].fault));
		assert_non_null(strstr(err.text, cases[i].bad.key ? cases[i].bad.key : "without"));
	}
}

#undef TEXTS
#undef MAXIMUM

#define BIT(row) (1u << (row))

static unsigned select_bits(const char *text, int *ret_code, struct error *err)
{
	struct fixture f;
	bool selected[N_ROWS] = { 0 };
	unsigned bits = 0;

	set_up(&f);
	selected[N_ROWS - 1] = true; /* must be overwritten on success, kept on failure */
	*ret_code = measures_select(&f.measures, text, selected, err);
	for (int i = 0; i < N_ROWS; i++)
		bits |= selected[i] ? BIT(i) : 0;
	return bits;
}

static void a_selection_is_what_its_items_add_and_take_in_order(void **state)
{
	(void) state;
	const unsigned all = BIT(N_ROWS) - 1, on = BIT(RSS) | BIT(RSS_TOTAL) | BIT(CPU) | BIT(RATE);
	const struct {
		const char *text;
		unsigned bits;
	} cases[] = { { "proc_rss_bytes", BIT(RSS) }, { "all", all }, { "default", on },
		{ "minimal", BIT(RSS) | BIT(CPU) }, { "proc_cpu_*", BIT(CPU) | BIT(RATE) },
		{ "proc_?ss_bytes", BIT(RSS) },
		{ "*_[bs]*", BIT(RSS) | BIT(RSS_TOTAL) | BIT(CPU) | BIT(STATE) },
		{ "proc_rss_bytes,proc_state", BIT(RSS) | BIT(STATE) },
		{ "  proc_rss_bytes , proc_state\t", BIT(RSS) | BIT(STATE) },
		{ ",proc_state,,", BIT(STATE) }, { "all,-proc_*", BIT(LOAD) },
		{ "all,-proc_*,proc_state", BIT(LOAD) | BIT(STATE) },
		{ "all, - default", all & ~on }, { "all,-all,proc_command", BIT(COMMAND) },
		{ "-proc_rss*", BIT(CPU) | BIT(RATE) },
		{ "proc_rss_bytes,proc_rss_bytes", BIT(RSS) } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		int code;
		unsigned bits = select_bits(cases[i].text, &code, &err);
		assert_int_equal(code, 0);
		assert_int_equal(bits, cases[i].bits);
	}
}

static void a_selection_that_cannot_be_names_what_is_near_and_what_helps(void **state)
{
	(void) state;
	static const struct {
		const char *text;
		int code;
		const char *said, *nearest;
	} cases[] = { { "proc_rs_bytes", -ENOENT, "'proc_rs_bytes'", "'proc_rss_bytes'" },
		{ "all,proc_cpu_second", -ENOENT, "'proc_cpu_second'", "'proc_cpu_seconds'" },
		{ "defualt", -ENOENT, "'defualt'", "'default'" },
		{ "proc_status", -ENOENT, "no measurement 'proc_status'",
			"is 'proc_state' meant?" },
		{ "PROC_STATE", -ENOENT, "no measurement 'PROC_STATE'",
			"'assay measurements' lists them" },
		{ "cgroup_*", -ENOENT, "matches 'cgroup_*'", "'assay measurements' lists them" },
		{ "all,-proc_commant", -ENOENT, "'proc_commant'", "'proc_command'" },
		{ "", -EINVAL, "empty", "'assay measurements'" },
		{ " , ,", -EINVAL, "empty", "lists" }, { "all,-", -EINVAL, "nothing", "'-'" },
		{ "all,-all", -EINVAL, "selects none", "'all,-all'" },
		{ "x2345678901234567890123456789012345678901234567890123456789012345678901234567890"
		  "1234567890"
		  "12345678901234567890123456789012345678901234567890",
			-ENOENT, "as long as", "'x2345" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		int code;
		unsigned bits = select_bits(cases[i].text, &code, &err);
		assert_int_equal(code, cases[i].code);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(bits, BIT(N_ROWS - 1));
		assert_non_null(strstr(err.text, cases[i].said));
		assert_non_null(strstr(err.text, cases[i].nearest));
		if (!strstr(err.text, "meant?"))
			assert_non_null(strstr(err.text, "'assay measurements'"));
	}
}

static void a_note_is_kept_once(void **state)
{
	(void) state;
	struct assay_run_info info = { 0 };

	run_info_note(&info, "denied %d", 1);
	run_info_note(&info, "denied %d", 2);
	run_info_note(&info, "denied %d", 1);
	assert_int_equal(info.n_notes, 2);
	assert_string_equal(info.notes[0], "denied 1");
	assert_string_equal(info.notes[1], "denied 2");
	for (int i = 0; i < 5000; i++)
		run_info_note(&info, "denied %d", i);
	assert_true(info.n_notes < 1000);
	run_info_done(&info);
	assert_int_equal(info.n_notes, 0);
}

static void a_fact_is_copied_and_told_once(void **state)
{
	(void) state;
	struct assay_run_info info = { 0 };
	char key[] = "nofile";

	run_info_fact(&info, "limits", key, "soft", NULL, 1024);
	run_info_fact(&info, "limits", key, "hard", "unlimited", 0);
	run_info_fact(&info, "host", NULL, "soft", "x", 0);
	key[0] = 'X';
	run_info_fact(&info, "limits", "nofile", "soft", NULL, 2048);
	assert_int_equal(info.n_facts, 3);
	assert_string_equal(info.facts[0].group, "nofile");
	assert_string_equal(info.facts[0].key, "soft");
	assert_null(info.facts[0].text);
	assert_int_equal(info.facts[0].number, 2048);
	assert_string_equal(info.facts[1].text, "unlimited");
	assert_null(info.facts[2].group);
	run_info_done(&info);
	assert_null(info.facts);
}

static void a_headline_is_found_by_name(void **state)
{
	(void) state;
	struct assay_run_info info = { .headline = { { .name = "wall_seconds" },
					       { .name = "cpu_seconds" } },
		.n_headline = 2 };

	assert_ptr_equal(run_info_headline(&info, "cpu_seconds"), &info.headline[1]);
	assert_null(run_info_headline(&info, "cpu"));
	assert_null(run_info_headline(&info, ""));
}

static void a_half_built_run_can_be_given_back(void **state)
{
	(void) state;
	struct assay_run_info info = { 0 };

	run_info_done(NULL);
	run_info_done(&info);
	info.id = strdup("id");
	info.names = calloc(2, sizeof(*info.names));
	info.run_totals = calloc(3, sizeof(*info.run_totals));
	info.measurements_option = strdup("default");
	info.prefix = strdup("p");
	info.program_version = strdup("0");
	info.working_directory = strdup("/");
	run_info_done(&info);
	assert_null(info.id);
	assert_null(info.run_totals);
	run_info_done(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qualities_have_names_and_marks),
		cmocka_unit_test(every_enum_has_its_word),
		cmocka_unit_test(reduces_are_named_in_one_order),
		cmocka_unit_test(numbers_are_written_in_their_public_unit),
		cmocka_unit_test(a_total_key_has_total_before_its_unit),
		cmocka_unit_test(good_rows_pass_the_check),
		cmocka_unit_test(a_bad_row_is_refused_with_its_key_and_fault),
		cmocka_unit_test(a_selection_is_what_its_items_add_and_take_in_order),
		cmocka_unit_test(a_selection_that_cannot_be_names_what_is_near_and_what_helps),
		cmocka_unit_test(a_note_is_kept_once),
		cmocka_unit_test(a_fact_is_copied_and_told_once),
		cmocka_unit_test(a_headline_is_found_by_name),
		cmocka_unit_test(a_half_built_run_can_be_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
