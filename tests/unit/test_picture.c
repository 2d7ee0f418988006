/* SPDX-License-Identifier: MIT */
/* Proves what a picture is made of: no peak is lost, gaps are gaps, sources stay apart, runs lie where they were, and what is left out is said. */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture_scene.h"

static void thinning_keeps_every_peak_and_the_mean(void **state)
{
	const struct picture_options o = { ALL, .points_max = 100 };
	struct made m;
	struct picture p;
	const struct picture_line *line;
	double area = 0;
	double low = 1e9;
	double high = 0;

	(void) state;
	begin(&m);
	for (int i = 0; i < 5000; i++)
		cpu_window(&m, i, i + 1, i == 3333 ? 800 : i == 777 ? 2 : 100);
	draw(finish(&m, NOON, 5000, ""), &o, &p);
	line = line_of(&p, "cpu", 0, "tree_cpu_percent");
	assert_non_null(line);
	assert_in_range(line->n, 20, 100);
	for (size_t i = 0; i < line->n; i++) {
		area += line->points[i].mean * (line->points[i].end - line->points[i].start);
		low = line->points[i].low < low ? line->points[i].low : low;
		high = line->points[i].high > high ? line->points[i].high : high;
		assert_true(i == 0 || line->points[i].start >= line->points[i - 1].end);
		if (line->points[i].high > 7)
			assert_true(line->points[i].start <= 3333 && line->points[i].end >= 3334);
	}
	near(high, 8, 1e-9);
	near(low, 0.01, 1e-9);
	/* 4998 windows of 0.5 cores, one of 4 and one of 0.01. */
	near(area, 4998 * 0.5 + 4 + 0.01, 1e-6);
	near(picture_panel_of(&p, "cpu", 0)->highest, 8, 1e-9);
	assert_string_equal(line->why, "CPU use of the job");
	picture_done(&p);
	end(&m);
}

static void where_nothing_was_recorded_there_is_a_gap(void **state)
{
	const struct picture_options o = { ALL };
	struct made m;
	struct picture p;
	const struct picture_line *line;

	(void) state;
	begin(&m);
	cpu_window(&m, 0, 1, 50);
	cpu_window(&m, 1, 2, 50);
	cpu_window(&m, 5, 6, 50);
	draw(finish(&m, NOON, 6, ""), &o, &p);
	line = line_of(&p, "cpu", 0, "tree_cpu_percent");
	assert_int_equal(line->n, 3);
	near(line->points[1].end, 2, 1e-9);
	near(line->points[2].start, 5, 1e-9);
	assert_int_equal(p.n_gaps, 1);
	assert_int_equal(p.gaps[0].kind, PICTURE_UNRECORDED);
	near(p.gaps[0].start, 2, 1e-9);
	near(p.gaps[0].end, 5, 1e-9);
	picture_done(&p);
	end(&m);
}

static void sleep_and_missed_samples_are_gaps_of_their_kind(void **state)
{
	const struct picture_options o = { ALL };
	struct made m;
	struct picture p;
	const struct picture_line *line;

	(void) state;
	begin(&m);
	window(&m, 0, 1, "\"tree_cpu_percent\":{\"max\":50,\"quality\":\"sampled\"}",
		",\"suspended_seconds\":100");
	window(&m, 1, 2, "\"tree_cpu_percent\":{\"max\":70,\"quality\":\"sampled\"}", "");
	buf_addf(&m.series,
		"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":2,"
		"\"start_seconds\":2,\"end_seconds\":10,\"samples\":1,\"missed_ticks\":7,"
		"\"values\":{\"tree_cpu_percent\":{\"max\":90,\"quality\":\"sampled\"}}}\n");
	draw(finish(&m, NOON, 10, ""), &o, &p);
	line = line_of(&p, "cpu", 0, "tree_cpu_percent");
	assert_int_equal(line->n, 2);
	near(line->points[1].start, 101, 1e-9);
	near(line->points[1].high, 0.7, 1e-9);
	assert_int_equal(p.n_gaps, 2);
	assert_int_equal(p.gaps[0].kind, PICTURE_SLEPT);
	near(p.gaps[0].start, 1, 1e-9);
	near(p.gaps[0].end, 101, 1e-9);
	assert_int_equal(p.gaps[1].kind, PICTURE_MISSED);
	near(p.end, 110, 1e-9);
	picture_done(&p);
	end(&m);
}

static void a_counter_is_drawn_as_its_growth_a_second(void **state)
{
	struct picture_options o = { ALL };
	struct made m;
	struct picture p;
	const struct picture_line *line;
	const struct stored_run *run;

	(void) state;
	begin(&m);
	window(&m, 0, 2, "\"tree_io_write_bytes\":{\"delta\":1000,\"quality\":\"exact\"}", "");
	window(&m, 2, 4, "\"tree_io_write_bytes\":{\"delta\":3000,\"quality\":\"lower_bound\"}",
		"");
	run = finish(&m, NOON, 4, "");
	draw(run, &o, &p);
	line = line_of(&p, "io", 0, "tree_io_write_bytes");
	assert_true(line->rate);
	assert_string_equal(picture_panel_of(&p, "io", 0)->unit, "bytes/s");
	near(line->points[0].mean, 500, 1e-9);
	near(line->points[1].high, 1500, 1e-9);
	assert_int_equal(line->quality, LOWER_BOUND);
	picture_done(&p);
	/* Half a window has the rate of the whole. */
	o.from = 3;
	o.to = 3.5;
	draw(run, &o, &p);
	line = line_of(&p, "io", 0, "tree_io_write_bytes");
	assert_int_equal(line->n, 1);
	near(line->points[0].mean, 1500, 1e-9);
	near(line->points[0].start, 3, 1e-9);
	near(line->points[0].end, 3.5, 1e-9);
	near(p.start, 3, 1e-9);
	near(p.end, 3.5, 1e-9);
	assert_int_equal(p.n_marks, 0);
	picture_done(&p);
	end(&m);
}

static void cpu_in_use_is_what_was_counted_and_its_peaks_what_was_met(void **state)
{
	struct picture_options o = { ALL };
	struct made m;
	struct picture p;
	const struct picture_line *line;
	const struct stored_run *run;

	(void) state;
	begin(&m);
	window(&m, 0, 1,
		"\"tree_cpu_percent\":{\"max\":150,\"mean\":90,\"quality\":\"sampled\"},"
		"\"tree_cpu_seconds\":{\"delta\":0.4,\"quality\":\"exact\"}",
		"");
	/* A window that is shorter than a rate takes has none: the line goes on. */
	window(&m, 1, 1.1, "\"tree_cpu_seconds\":{\"delta\":0.05,\"quality\":\"exact\"}", "");
	run = finish(&m, NOON, 1.1, "");
	draw(run, &o, &p);
	assert_int_equal(picture_panel_of(&p, "cpu", 0)->n_lines, 1);
	line = line_of(&p, "cpu", 0, "tree_cpu_seconds");
	assert_int_equal(line->n, 2);
	near(line->points[0].mean, 0.4, 1e-9);
	near(line->points[0].high, 1.5, 1e-9);
	near(line->points[1].mean, 0.5, 1e-9);
	near(line->points[1].high, 0.5, 1e-9);
	assert_int_equal(line->quality, EXACT);
	assert_string_equal(line->peak_key, "tree_cpu_percent");
	assert_int_equal(line->peak_quality, SAMPLED);
	picture_done(&p);
	o.metrics = "-tree_cpu_percent";
	draw(run, &o, &p);
	line = line_of(&p, "cpu", 0, "tree_cpu_seconds");
	near(line->points[0].high, 0.4, 1e-9);
	assert_null(line->peak_key);
	assert_int_equal(line->peak_quality, EXACT);
	picture_done(&p);
	end(&m);
}

static void of_two_sources_one_is_drawn_and_the_other_on_request(void **state)
{
	struct picture_options o = { ALL };
	struct made m;
	struct picture p;
	const struct stored_run *run;

	(void) state;
	begin(&m);
	window(&m, 0, 1,
		"\"tree_cpu_percent\":{\"max\":50,\"quality\":\"sampled\"},"
		"\"tree_cpu_seconds\":{\"delta\":0.4,\"quality\":\"exact\"}",
		"");
	run = finish(&m, NOON, 1, "");
	draw(run, &o, &p);
	assert_int_equal(picture_panel_of(&p, "cpu", 0)->n_lines, 1);
	assert_non_null(line_of(&p, "cpu", 0, "tree_cpu_seconds"));
	picture_done(&p);
	o.metrics = "cpu,tree_cpu_percent";
	draw(run, &o, &p);
	near(line_of(&p, "cpu", 0, "tree_cpu_percent")->points[0].high, 0.5, 1e-9);
	near(line_of(&p, "cpu", 0, "tree_cpu_seconds")->points[0].mean, 0.4, 1e-9);
	picture_done(&p);
	o.metrics = "-tree_cpu_seconds";
	draw(run, &o, &p);
	assert_null(line_of(&p, "cpu", 0, "tree_cpu_seconds"));
	assert_non_null(line_of(&p, "cpu", 0, "tree_cpu_percent"));
	picture_done(&p);
	end(&m);
}

static void memory_lies_between_pss_and_rss_below_its_limit(void **state)
{
	const struct picture_options o = { ALL };
	struct made m;
	struct picture p;
	const struct picture_panel *memory;

	(void) state;
	begin(&m);
	window(&m, 0, 1,
		"\"proc_rss_total_bytes\":{\"max\":3000000,\"quality\":\"upper_bound\"},"
		"\"proc_pss_total_bytes\":{\"max\":2000000,\"quality\":\"sampled\"}",
		"");
	draw(finish(&m, NOON, 1,
		     ",\"target_limits\":[{\"name\":\"memory\",\"unit\":\"bytes\",\"limit\":"
		     "4194304,"
		     "\"source\":\"cgroup\",\"where\":\"/sys/fs/cgroup/x/memory.max\"},"
		     "{\"name\":\"memory\",\"unit\":\"bytes\",\"limit\":1073741824,\"source\":"
		     "\"host\"},"
		     "{\"name\":\"memory\",\"unit\":\"bytes\",\"limit\":2147483648,\"source\":"
		     "\"slurm\"}]"),
		&o, &p);
	memory = picture_panel_of(&p, "memory", 0);
	assert_int_equal(memory->n_bands, 1);
	assert_string_equal(memory->lines[memory->bands[0].low].key, "proc_pss_total_bytes");
	assert_string_equal(memory->lines[memory->bands[0].high].key, "proc_rss_total_bytes");
	assert_int_equal(memory->n_limits, 2);
	assert_string_equal(memory->limits[0].label, "requested 2 GiB (Slurm)");
	assert_false(memory->limits[0].in_sight);
	assert_string_equal(memory->limits[1].label, "limit 4 MiB (cgroup memory.max)");
	assert_true(memory->limits[1].in_sight);
	near(memory->limits[1].value, 4194304, 1e-9);
	picture_done(&p);
	end(&m);
}

static void runs_that_overlap_lie_where_they_were_by_the_clock(void **state)
{
	struct picture_options o = { ALL };
	struct made a;
	struct made b;
	struct picture p;
	const struct stored_run *runs[2];
	struct error err = { 0 };
	const struct picture_line *line;

	(void) state;
	begin(&a);
	begin(&b);
	cpu_window(&a, 0, 10, 50);
	cpu_window(&b, 0, 10, 70);
	runs[0] = finish(&a, NOON, 10, "");
	runs[1] = finish(&b, "2026-11-28T12:00:05.500Z", 10, "");
	assert_int_equal(picture_make(runs, 2, &o, &p, &err), 0);
	assert_true(p.wall_time);
	near(p.runs[1].offset, 5.5, 1e-6);
	near(p.end, 15.5, 1e-6);
	assert_int_equal(picture_panel_of(&p, "cpu", PICTURE_ALL_RUNS)->n_lines, 2);
	line = &picture_panel_of(&p, "cpu", PICTURE_ALL_RUNS)->lines[1];
	assert_int_equal(line->run, 1);
	near(line->points[0].start, 5.5, 1e-6);
	assert_non_null(strstr(line->label, b.directory + 10));
	picture_done(&p);
	o.time = PICTURE_FROM_START;
	o.layout = PICTURE_STACKED;
	assert_int_equal(picture_make(runs, 2, &o, &p, &err), 0);
	assert_false(p.wall_time);
	near(p.end, 10, 1e-6);
	assert_null(picture_panel_of(&p, "cpu", PICTURE_ALL_RUNS));
	near(picture_panel_of(&p, "cpu", 1)->lines[0].points[0].high, 0.7, 1e-9);
	near(picture_panel_of(&p, "cpu", 1)->lines[0].points[0].start, 0, 1e-9);
	picture_done(&p);
	end(&a);
	end(&b);
}

static void idle_time_is_left_out_and_told(void **state)
{
	const struct picture_options o = { ALL, .compress_idle = true };
	struct made m;
	struct picture p;
	const struct picture_line *line;

	(void) state;
	begin(&m);
	for (int i = 0; i < 100; i++)
		cpu_window(&m, i, i + 1, i < 5 || i >= 95 ? 100 : 0);
	draw(finish(&m, NOON, 100, ""), &o, &p);
	assert_int_equal(p.n_gaps, 1);
	assert_int_equal(p.gaps[0].kind, PICTURE_CUT);
	/* From 5 to 95, but for half a percent of the axis on both sides. */
	near(p.gaps[0].cut_seconds, 89, 1e-9);
	assert_string_equal(p.gaps[0].why, "idle for 1m 29.0s, left out");
	assert_true(p.end < 12);
	near(picture_time_at(&p, p.end), 100, 1e-6);
	near(p.marks[p.n_marks - 1].at, p.end, 1e-6);
	line = line_of(&p, "cpu", 0, "tree_cpu_percent");
	near(line->points[99].end, p.end, 1e-6);
	near(picture_time_at(&p, line->points[95].start), 95, 1e-6);
	picture_done(&p);
	end(&m);
}

static void what_ended_the_run_is_marked(void **state)
{
	const struct picture_options o = { ALL };
	struct made m;
	struct picture p;
	const struct picture_panel *memory;

	(void) state;
	begin(&m);
	window(&m, 0, 3,
		"\"tree_cpu_percent\":{\"max\":50,\"quality\":\"sampled\"},"
		"\"cgroup_oom_kills_count\":{\"delta\":2,\"quality\":\"exact\"},"
		"\"proc_pss_total_bytes\":{\"max\":2000000,\"quality\":\"sampled\"}",
		"");
	draw(finish(&m, NOON, 3.5,
		     ",\"limit\":{\"name\":\"memory\",\"unit\":\"bytes\",\"limit\":2097152,"
		     "\"after_seconds\":2.5}"),
		&o, &p);
	assert_int_equal(p.n_marks, 3);
	assert_string_equal(p.marks[0].label, "limit: memory 2 MiB");
	assert_int_equal(p.marks[0].kind, PICTURE_LIMIT);
	near(p.marks[0].at, 2.5, 1e-9);
	assert_int_equal(p.marks[1].kind, PICTURE_OOM);
	assert_string_equal(
		p.marks[1].label, "the OOM killer killed, 2 times, in a cgroup with others");
	assert_string_equal(p.marks[2].label, "end: exited 0");
	memory = picture_panel_of(&p, "memory", 0);
	assert_int_equal(memory->n_limits, 1);
	assert_string_equal(memory->limits[0].label, "limit 2 MiB (--limit)");
	near(memory->limits[0].value, 2097152, 1e-9);
	picture_done(&p);
	end(&m);
}

static void fails(const struct stored_run *run, const char *metrics, int code, const char *words)
{
	const struct picture_options o = { ALL, .metrics = metrics };
	struct error err = { 0 };
	struct picture p;

	assert_int_equal(picture_make(&run, 1, &o, &p, &err), code);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

static void what_nobody_has_is_told_with_what_was_meant(void **state)
{
	struct made m;
	struct made empty;
	const struct stored_run *run;

	(void) state;
	begin(&m);
	cpu_window(&m, 0, 1, 50);
	run = finish(&m, NOON, 1, "");
	fails(run, "memroy", -ENOENT, "did you mean 'memory'?");
	fails(run, "tree_cpu_percnt", -ENOENT, "did you mean 'tree_cpu_percent'?");
	fails(run, "qqqqqqqqqqqqqqqqqqqqq", -ENOENT,
		"no run has a metric 'qqqqqqqqqqqqqqqqqqqqq'; there");
	fails(run, "cpu,,io", -EINVAL, "a name is missing");
	fails(run, "gpu", -ENODATA, "nothing was measured of what is to be drawn");
	end(&m);
	begin(&empty);
	fails(finish(&empty, NOON, 1, ""), NULL, -ENODATA, "the run has no series to draw");
	end(&empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thinning_keeps_every_peak_and_the_mean),
		cmocka_unit_test(where_nothing_was_recorded_there_is_a_gap),
		cmocka_unit_test(sleep_and_missed_samples_are_gaps_of_their_kind),
		cmocka_unit_test(a_counter_is_drawn_as_its_growth_a_second),
		cmocka_unit_test(cpu_in_use_is_what_was_counted_and_its_peaks_what_was_met),
		cmocka_unit_test(of_two_sources_one_is_drawn_and_the_other_on_request),
		cmocka_unit_test(memory_lies_between_pss_and_rss_below_its_limit),
		cmocka_unit_test(runs_that_overlap_lie_where_they_were_by_the_clock),
		cmocka_unit_test(idle_time_is_left_out_and_told),
		cmocka_unit_test(what_ended_the_run_is_marked),
		cmocka_unit_test(what_nobody_has_is_told_with_what_was_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
