/* SPDX-License-Identifier: MIT */
/* Proves the summary: golden texts of runs that ended in every way, and the wrapping they are made with. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "compare/comparison.h"
#include "model/run_info.h"
#include "record/number.h"
#include "show/summary.h"
#include "text/wrap.h"

#define MIB (1024ULL * 1024ULL)
#define MS 1000000ULL

static char *make_argv[] = { (char[]){ "make" }, (char[]){ "-j2" }, NULL };

static struct headline *add(
	struct assay_run_info *info, const char *name, enum unit unit, uint64_t n, enum quality q)
{
	struct headline *h = &info->headline[info->n_headline++];

	*h = (struct headline){ .name = name, .unit = (uint8_t) unit };
	h->value = (struct value){ .n = n, .quality = (uint8_t) q };
	return h;
}

static struct assay_run_info ended(int exit_code)
{
	struct assay_run_info info = { .state = RUN_DONE, .argc = 2, .argv = make_argv };

	info.wall_ns = 12300 * MS;
	info.outcome.known = true;
	info.outcome.exit_code = exit_code;
	snprintf(info.outcome.words, sizeof(info.outcome.words), "exited %d", exit_code);
	info.self_cpu_ns = 10 * MS;
	info.self_memory_peak_bytes = 2 * MIB;
	info.ticks = 13;
	info.records_written = 12;
	info.prefix = strdup(".assay/runs/2026.11.27T20.52.26-1234/");
	return info;
}

static void add_all_quantities(struct assay_run_info *info)
{
	struct headline *h;

	add(info, "wall_seconds", SECONDS, 12300 * MS, EXACT);
	add(info, "cpu_seconds", SECONDS, 20100 * MS, EXACT);
	add(info, "cpu_user_seconds", SECONDS, 18200 * MS, ESTIMATE);
	add(info, "cpu_system_seconds", SECONDS, 1900 * MS, ESTIMATE);
	add(info, "cpu_mean_cores", UNITLESS, 1634, EXACT);
	add(info, "cpu_peak_cores", UNITLESS, 1996, SAMPLED);
	h = add(info, "memory_peak_bytes", BYTES, 412 * MIB, LOWER_BOUND);
	h->has_lower = h->has_upper = true;
	h->lower = 412 * MIB;
	h->upper = 920 * MIB;
	add(info, "memory_peak_process_bytes", BYTES, 205 * MIB, EXACT);
	add(info, "io_read_bytes", BYTES, 12 * MIB / 10, EXACT);
	add(info, "io_write_bytes", BYTES, 34 * MIB, EXACT);
	add(info, "io_read_syscall_bytes", BYTES, 80 * MIB, EXACT);
	add(info, "io_write_syscall_bytes", BYTES, 35 * MIB, LOWER_BOUND);
	add(info, "processes", COUNT, 123, EXACT);
	info->processes_seen = 106;
	info->processes_too_short = 17;
	info->processes_counted = true;
	info->too_short_cpu_ns = 120 * MS;
}

static void assert_summary(struct assay_run_info *info, int color, const char *expected)
{
	struct buf out = { 0 };

	report_summary(info, color, &out);
	assert_false(out.failed);
	assert_string_equal(out.data, expected);
	buf_done(&out);
	run_info_done(info);
}

static void assert_host_line(uint64_t others_ns, uint64_t steal_ns, const char *expected)
{
	struct assay_run_info info = ended(0);
	struct buf out = { 0 };

	info.host_share = (struct host_share){ .known = true,
		.cores = 4,
		.elapsed_ns = 10000 * MS,
		.others_ns = others_ns,
		.quality = ESTIMATE,
		.has_steal = true,
		.steal_ns = steal_ns };
	report_summary(&info, 0, &out);
	assert_false(out.failed);
	const char *line = strstr(out.data, "  host ");
	if (!expected)
		assert_null(line);
	else
		assert_non_null(line);
	if (expected)
		assert_memory_equal(line, expected, strlen(expected));
	buf_done(&out);
	run_info_done(&info);
}

/* 40 seconds of processors: 2 s of them are 5 %. */
static void others_are_named_when_they_used_more_than_a_twentieth_of_the_machine(void **state)
{
	(void) state;

	assert_host_line(2000 * MS, 0, NULL);
	assert_host_line(2100 * MS, 0, "  host       ~ others used 0.21 of 4 cores meanwhile\n");
	assert_host_line(8000 * MS, 1200 * MS,
		"  host       ~ others used 0.80 of 4 cores meanwhile; steal 3 %\n");
	assert_host_line(
		0, 2100 * MS, "  host       ~ others used 0.00 of 4 cores meanwhile; steal 5 %\n");
}

static void every_quantity_is_shown_with_its_mark_and_bounds(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);

	add_all_quantities(&info);
	assert_summary(&info, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  cpu        = 20.1 s (~ 18.2 s user, ~ 1.90 s system)\n"
		"  cores      = 1.63 mean, ~ 2.00 peak\n"
		"  memory    >= 412 MiB peak of the job (<= 920 MiB), = 205 MiB largest process\n"
		"  io         = 1.2 MiB read, = 34 MiB written (storage)\n"
		"             = 80 MiB read, >= 35 MiB written (system calls)\n"
		"  processes  = 123, = 17 of them too short to name\n"
		"             ~ 0.120 s CPU in no named process (too short or after a sample)\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n");
}

static void a_long_row_breaks_between_items_with_the_marks_aligned(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);
	struct headline *h = add(&info, "memory_peak_bytes", BYTES, 1044 * MIB, ESTIMATE);

	h->has_lower = h->has_upper = true;
	h->lower = 1034 * MIB;
	h->upper = 2078 * MIB;
	add(&info, "memory_peak_process_bytes", BYTES, 205 * MIB, EXACT);
	assert_summary(&info, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  memory     ~ 1.02 GiB peak of the job (>= 1.01 GiB, <= 2.03 GiB),\n"
		"             = 205 MiB largest process\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n");
}

static void without_an_upper_bound_none_is_shown(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);
	struct headline *h = add(&info, "memory_peak_bytes", BYTES, 412 * MIB, LOWER_BOUND);

	h->has_lower = true;
	h->lower = 412 * MIB;
	assert_summary(&info, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  memory    >= 412 MiB peak of the job\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n");
}

static void a_job_killed_by_a_signal_is_worded_and_red(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);

	info.outcome.signal = SIGSEGV;
	info.outcome.core_dumped = true;
	/* Its own words have it; those of a limit take their place. */
	snprintf(info.outcome.words, sizeof(info.outcome.words), "killed by SIGSEGV, core dumped");
	assert_summary(&info, 1,
		"\033[1;31massay: killed by SIGSEGV, core dumped after 12.3 s\033[0m: make -j2\n"
		"  \033[2mmeasured\033[0m     nothing\n"
		"  \033[2mself\033[0m         0.010 s CPU, 2 MiB, 13 samples\n"
		"  \033[2mrecord\033[0m       .assay/runs/2026.11.27T20.52.26-1234/info.json\n");
}

static void a_success_is_bold_and_not_red(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);
	struct buf out = { 0 };

	report_summary(&info, 1, &out);
	assert_non_null(strstr(out.data, "\033[1massay: exited 0 after 12.3 s\033[0m: make"));
	assert_null(strstr(out.data, "\033[1;31m"));
	buf_done(&out);
	run_info_done(&info);
}

static void a_limit_that_was_hit_is_the_first_thing_told(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);

	snprintf(info.outcome.words, sizeof(info.outcome.words),
		"stopped by our memory limit (1 GiB)");
	info.limit_hit = (struct limit_hit){ .name = "memory",
		.unit = BYTES,
		.limit = 1024 * MIB,
		.value = 1100 * MIB,
		.after_ns = 12000 * MS,
		.killed = true };
	assert_summary(&info, 0,
		"assay: stopped by our memory limit (1 GiB) after 12.3 s: make -j2\n"
		"  limit        memory: 1.07 GiB, 1 GiB allowed, after 12.0 s; killed after the\n"
		"               grace; NOT all of it has ended\n"
		"  measured     nothing\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n");
}

static void an_unknown_outcome_says_so_and_what_is_known(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);

	info.outcome = (struct outcome){ .known = false };
	snprintf(info.outcome.evidence, sizeof(info.outcome.evidence), "the keeper was killed");
	assert_summary(&info, 0,
		"assay: outcome unknown after 12.3 s: make -j2\n"
		"  outcome      the keeper was killed\n"
		"  measured     nothing\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n");
}

static void a_failed_record_and_lost_windows_are_told(void **state)
{
	(void) state;
	struct assay_run_info none = ended(3);
	struct assay_run_info lost = ended(0);

	run_info_no_record(&none, "cannot make the directory .assay/: Permission denied");
	assert_summary(&none, 0,
		"assay: exited 3 after 12.3 s: make -j2\n"
		"  measured     nothing\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       none: cannot make the directory .assay/: Permission denied\n");
	lost.records_lost = 3;
	lost.missed_ticks = 2;
	snprintf(lost.write_error, sizeof(lost.write_error), "No space left on device");
	assert_summary(&lost, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  measured     nothing\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples and 2 missed\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n"
		"  lost         3 of 15 windows could not be written: No space left on device\n");
}

static void outputs_that_are_not_whole_are_told_and_only_those(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);

	info.n_outputs = 2;
	info.outputs[0] = (struct output){ .name = "stdout",
		.bytes = 70,
		.lost_bytes = 30,
		.error = "the file has gaps: No space left on device" };
	info.outputs[1] = (struct output){ .name = "stderr", .bytes = 5 };
	assert_summary(&info, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  measured     nothing\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n"
		"  lost         30 of 100 bytes of stdout are not in its file: the file has gaps:\n"
		"               No space left on device\n");
	info = ended(0);
	info.n_outputs = 1;
	info.outputs[0] = (struct output){ .name = "stderr",
		.bytes = 5,
		.times = true,
		.error = "the times of the lines end early: Disk quota exceeded" };
	assert_summary(&info, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  measured     nothing\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n"
		"  trouble      stderr: the times of the lines end early: Disk quota exceeded\n");
}

static void survivors_and_notes_hang_under_their_labels(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);

	for (int i = 0; i < 5; i++) {
		struct survivor *s = &info.survivors[info.n_survivors++];
		s->pid = 100000 + i;
		snprintf(s->name, sizeof(s->name), i == 0 ? "a\033[2Jb" : "sleeper");
	}
	info.n_survivors_total = 7;
	run_info_note(&info,
		"SIGCHLD is ignored by 'make' (pid 7), so what its children used may be missing "
		"from the CPU time of the job");
	assert_summary(&info, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  measured     nothing\n"
		"  survivors    7 processes are still running: a\\e[2Jb (100000), sleeper\n"
		"               (100001), sleeper (100002), sleeper (100003), sleeper (100004),\n"
		"               and 2 more\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n"
		"  note         SIGCHLD is ignored by 'make' (pid 7), so what its children used\n"
		"               may be missing from the CPU time of the job\n");
}

static void a_quantity_that_could_not_be_measured_gives_its_reason(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);
	struct headline *h = add(&info, "io_read_bytes", BYTES, 0, ABSENT);

	h->value.why = EACCES;
	h = add(&info, "cpu_seconds", SECONDS, 0, ABSENT);
	snprintf(h->why, sizeof(h->why), "the keeper was killed");
	info.suspended_ns = 5000 * MS;
	info.stops = 2;
	info.stopped_ns = 3000 * MS;
	assert_summary(&info, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  cpu          not measured: the keeper was killed\n"
		"  io           not measured (EACCES)\n"
		"  suspended    the machine slept 5.00 s meanwhile, which no time here counts\n"
		"  stopped      3.00 s meanwhile, which the wall time includes\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n");
}

static void a_census_with_gaps_gives_lower_bounds(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);

	info.processes_seen = 4;
	info.processes_too_short = 2;
	assert_summary(&info, 0,
		"assay: exited 0 after 12.3 s: make -j2\n"
		"  processes >= 6, >= 2 of them too short to name\n"
		"  self         0.010 s CPU, 2 MiB, 13 samples\n"
		"  record       .assay/runs/2026.11.27T20.52.26-1234/info.json\n");
}

static void first_line(struct assay_run_info *info, char *line, size_t size)
{
	struct buf out = { 0 };

	report_summary(info, 0, &out);
	out.data[strcspn(out.data, "\n")] = '\0';
	assert_true(strlen(out.data) < size);
	memcpy(line, out.data, strlen(out.data) + 1);
	buf_done(&out);
}

static void a_command_of_a_million_bytes_is_cut_to_one_line(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);
	size_t n = 1000000;
	char *long_word = malloc(n + 1);
	char *argv[] = { (char[]){ "echo" }, long_word, NULL };
	char line[400];

	memset(long_word, 'x', n);
	long_word[n] = '\0';
	info.argv = argv;
	first_line(&info, line, sizeof(line));
	assert_string_equal(line,
		"assay: exited 0 after 12.3 s: echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
	assert_int_equal(strlen(line), 80);
	free(long_word);
	run_info_done(&info);
}

static void a_wide_command_is_cut_by_columns_between_characters(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);
	char wide[40 * 3 + 1] = "";
	char *argv[] = { wide, NULL };
	char line[400];

	for (size_t i = 0; i < 40; i++)
		memcpy(wide + 3 * i, "\xe6\xbc\xa2", 4); /* U+6F22, two columns */
	info.argc = 1;
	info.argv = argv;
	first_line(&info, line, sizeof(line));
	/* 30 columns, a quote, 23 characters, three dots: 80 */
	assert_int_equal(text_columns(line, strlen(line)), 80);
	assert_int_equal(strlen(line), 30 + 1 + 23 * 3 + 3);
	run_info_done(&info);
}

static void no_line_ends_with_a_blank_or_passes_eighty_columns(void **state)
{
	(void) state;
	struct assay_run_info info = ended(0);
	struct buf out = { 0 };

	add_all_quantities(&info);
	for (int i = 0; i < 40; i++)
		run_info_note(&info,
			"%0*d a note with words of several lengths behind it, and %0*d", i + 1, 7,
			40 - i, 3);
	report_summary(&info, 0, &out);
	for (const char *line = out.data; *line;) {
		size_t n = strcspn(line, "\n");

		assert_in_range(text_columns(line, n), 1, 80);
		assert_int_not_equal(line[n - 1], ' ');
		line += n + 1;
	}
	buf_done(&out);
	run_info_done(&info);
}

static void add_rung(struct assay_run_info *info, const char *quantity, const char *key,
	enum unit unit, struct value value)
{
	struct rung *r = &info->rungs[info->n_rungs++];

	*r = (struct rung){
		.quantity = quantity, .key = key, .unit = (uint8_t) unit, .value = value
	};
}

static void sources_stand_side_by_side_when_they_were_chosen(void **state)
{
	struct assay_run_info info = ended(0);
	struct buf out = { 0 };

	(void) state;
	info.measurements_option = (char[]){ "cgroup_*,keeper_*" };
	add_rung(&info, "cpu", "keeper_cpu_seconds", SECONDS,
		(struct value){ .n = 500 * MS, .quality = LOWER_BOUND });
	add_rung(&info, "io_read", "tree_io_read_bytes", BYTES,
		(struct value){ .n = 0, .quality = EXACT });
	add_rung(&info, "cpu", "perf_cpu_seconds", SECONDS, (struct value){ .why = EACCES });
	add_rung(&info, "cpu", "cgroup_cpu_seconds", SECONDS,
		(struct value){ .n = 2000 * MS, .quality = EXACT });
	info.rungs[3].in_use = true;
	add_rung(&info, "memory", "a_key_of_more_than_thirty_four_letters_bytes", BYTES,
		(struct value){ .n = 3 * MIB, .quality = SAMPLED });
	add_rung(&info, "memory", "other_bytes", BYTES,
		(struct value){ .n = 2 * MIB, .quality = UPPER_BOUND });
	report_comparison(&info, 0, &out);
	assert_string_equal(out.data,
		"  sources of cpu (*: in use, the others as compared with it)\n"
		"    keeper_cpu_seconds                 >= 0.500 s     -1.50 s -75.00 %\n"
		"    perf_cpu_seconds                   absent (EACCES)\n"
		"  * cgroup_cpu_seconds                  = 2.00 s\n"
		"  sources of memory\n"
		"    a_key_of_more_than_thirty_four_let  ~ 3 MiB\n"
		"    other_bytes                        <= 2 MiB\n");
	buf_clear(&out);
	info.measurements_option = (char[]){ "default" };
	report_comparison(&info, 0, &out);
	assert_int_equal(out.len, 0);
	buf_done(&out);
	info.measurements_option = NULL; /* a literal */
	run_info_done(&info);
}

static void a_quality_known_by_name_has_the_mark_of_the_summary(void **state)
{
	(void) state;
	assert_string_equal(mark_of_quality("exact"), "=");
	assert_string_equal(mark_of_quality("sampled"), "~");
	assert_string_equal(mark_of_quality("lower_bound"), ">=");
	assert_string_equal(mark_of_quality("upper_bound"), "<=");
	assert_string_equal(mark_of_quality("estimate"), "~");
	assert_string_equal(mark_of_quality("absent"), "");
	assert_string_equal(mark_of_quality("exactly"), "");
}

static void a_percentage_has_one_decimal_that_is_not_rounded_up(void **state)
{
	char text[UNITS_TEXT_SIZE];

	(void) state;
	format_percent(153249, text);
	assert_string_equal(text, "153.2 %");
	format_percent(99999, text);
	assert_string_equal(text, "99.9 %");
	format_percent(0, text);
	assert_string_equal(text, "0.0 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			others_are_named_when_they_used_more_than_a_twentieth_of_the_machine),
		cmocka_unit_test(every_quantity_is_shown_with_its_mark_and_bounds),
		cmocka_unit_test(a_long_row_breaks_between_items_with_the_marks_aligned),
		cmocka_unit_test(without_an_upper_bound_none_is_shown),
		cmocka_unit_test(a_job_killed_by_a_signal_is_worded_and_red),
		cmocka_unit_test(a_success_is_bold_and_not_red),
		cmocka_unit_test(a_limit_that_was_hit_is_the_first_thing_told),
		cmocka_unit_test(an_unknown_outcome_says_so_and_what_is_known),
		cmocka_unit_test(a_failed_record_and_lost_windows_are_told),
		cmocka_unit_test(outputs_that_are_not_whole_are_told_and_only_those),
		cmocka_unit_test(survivors_and_notes_hang_under_their_labels),
		cmocka_unit_test(a_quantity_that_could_not_be_measured_gives_its_reason),
		cmocka_unit_test(a_census_with_gaps_gives_lower_bounds),
		cmocka_unit_test(a_command_of_a_million_bytes_is_cut_to_one_line),
		cmocka_unit_test(a_wide_command_is_cut_by_columns_between_characters),
		cmocka_unit_test(no_line_ends_with_a_blank_or_passes_eighty_columns),
		cmocka_unit_test(a_quality_known_by_name_has_the_mark_of_the_summary),
		cmocka_unit_test(a_percentage_has_one_decimal_that_is_not_rounded_up),
		cmocka_unit_test(sources_stand_side_by_side_when_they_were_chosen),
	};
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
