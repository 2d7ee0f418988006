/* SPDX-License-Identifier: MIT */
/* Proves what a picture is made of: no peak is lost, gaps are gaps, sources stay apart, runs lie where they were, and what is left out is said. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/stored_run.h"
#include "report/picture.h"

#define ROWS                                                                                       \
	"[{\"key\":\"tree_cpu_percent\",\"kind\":\"gauge\",\"scope\":\"single\",\"help\":\"CPU "   \
	"use of "                                                                                  \
	"the job\"},"                                                                              \
	"{\"key\":\"tree_cpu_seconds\",\"kind\":\"counter\",\"scope\":\"single\"},"                \
	"{\"key\":\"proc_pss_total_bytes\",\"kind\":\"gauge\",\"scope\":\"single\"},"              \
	"{\"key\":\"proc_rss_total_bytes\",\"kind\":\"gauge\",\"scope\":\"single\"},"              \
	"{\"key\":\"keeper_cpu_seconds\",\"kind\":\"counter\",\"scope\":\"single\"},"              \
	"{\"key\":\"keeper_involuntary_context_switches_count\",\"kind\":\"counter\","             \
	"\"scope\":\"single\"},"                                                                   \
	"{\"key\":\"tree_io_write_bytes\",\"kind\":\"counter\",\"scope\":\"single\"},"             \
	"{\"key\":\"proc_cpu_seconds\",\"kind\":\"counter\",\"scope\":\"process\",\"quality\":"    \
	"\"exact\"},"                                                                              \
	"{\"key\":\"proc_pss_bytes\",\"kind\":\"gauge\",\"scope\":\"process\",\"quality\":"        \
	"\"sampled\"}]"

/* cmocka's own are for float. */
static void near(double is, double expected, double by)
{
	if (!(is >= expected - by && is <= expected + by))
		fail_msg("%.12g is not %.12g", is, expected);
}

/* A record that is written by hand. */
struct made {
	char directory[64];
	struct buf series;
	int sequence;
	struct stored_run run;
};

static void begin(struct made *m)
{
	*m = (struct made){ .directory = "/tmp/assay-picture-XXXXXX" };
	assert_non_null(mkdtemp(m->directory));
}

static void write_file(const struct made *m, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", m->directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	assert_int_equal(fclose(file), 0);
}

/* A window: its times, and members behind them. */
static void window(struct made *m, double start, double end, const char *values, const char *more)
{
	buf_addf(&m->series,
		"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":%d,\"start_seconds\":"
		"%"
		".9g,"
		"\"end_seconds\":%.9g,\"samples\":1,\"missed_ticks\":0,\"values\":{%s}%s}\n",
		m->sequence++, start, end, values, more);
}

static void cpu_window(struct made *m, double start, double end, double percent)
{
	char values[128];

	snprintf(values, sizeof(values),
		"\"tree_cpu_percent\":{\"max\":%.9g,\"mean\":%.9g,\"quality\":\"sampled\"}",
		percent, percent / 2);
	window(m, start, end, values, "");
}

/* Opens it; `timed`: members of its time, `more`: of info, behind the others, each with a comma before it. */
static const struct stored_run *finish_timed(
	struct made *m, const char *started, double wall, const char *timed, const char *more)
{
	struct buf info = { 0 };
	struct error err = { 0 };

	buf_addf(&info,
		"{\"schema\":\"assay-run\",\"version\":\"1.0\",\"state\":\"done\",\"id\":\"%s\","
		"\"time\":{\"started\":\"%s\",\"wall_seconds\":%.9g%s},\"outcome\":{\"exit_code\":"
		"0,"
		"\"words\":\"exited 0\"},\"measurements\":" ROWS "%s}",
		m->directory + 10, started, wall, timed, more);
	write_file(m, "info.json", info.data);
	if (m->series.len > 0)
		write_file(m, "usage.jsonl", m->series.data);
	buf_done(&info);
	assert_int_equal(stored_run_open(m->directory, &m->run, &err), 0);
	return &m->run;
}

static const struct stored_run *finish(
	struct made *m, const char *started, double wall, const char *more)
{
	return finish_timed(m, started, wall, "", more);
}

static void end(struct made *m)
{
	char path[128];

	stored_run_done(&m->run);
	buf_done(&m->series);
	snprintf(path, sizeof(path), "%s/info.json", m->directory);
	unlink(path);
	snprintf(path, sizeof(path), "%s/usage.jsonl", m->directory);
	unlink(path);
	assert_int_equal(rmdir(m->directory), 0);
}

#define NOON "2026-11-28T12:00:00Z"
#define ALL .from = (double) NAN, .to = (double) NAN

static void draw(const struct stored_run *run, const struct picture_options *o, struct picture *ret)
{
	struct error err = { 0 };

	assert_int_equal(picture_make(&run, 1, o, ret, &err), 0);
}

static const struct picture_line *line_of(
	const struct picture *p, const char *panel, size_t run, const char *key)
{
	const struct picture_panel *found = picture_panel_of(p, panel, run);

	for (size_t i = 0; found && i < found->n_lines; i++)
		if (strcmp(found->lines[i].key, key) == 0)
			return &found->lines[i];
	return NULL;
}

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
		if (line->points[i].high > 7) {
			assert_true(line->points[i].start <= 3333 && line->points[i].end >= 3334);
			/* When it was is as exact as it was recorded. */
			near(line->points[i].high_start, 3333, 1e-9);
			near(line->points[i].high_end, 3334, 1e-9);
		}
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

static void what_is_counted_when_a_child_has_ended_is_a_sum_and_no_rate(void **state)
{
	const struct picture_options o = { ALL, .metrics = "keeper_*" };
	struct made m;
	struct picture p;
	const struct picture_panel *panel;
	const struct picture_line *line;

	(void) state;
	begin(&m);
	window(&m, 0, 1,
		"\"keeper_cpu_seconds\":{\"delta\":0,\"last\":0,\"quality\":\"exact\"},"
		"\"keeper_involuntary_context_switches_count\":{\"delta\":3,\"quality\":\"exact\"}",
		"");
	window(&m, 1, 2,
		"\"keeper_cpu_seconds\":{\"delta\":6.05,\"last\":6.05,\"quality\":\"exact\"},"
		"\"keeper_involuntary_context_switches_count\":{\"delta\":4,\"quality\":\"exact\"}",
		"");
	draw(finish(&m, NOON, 2, ""), &o, &p);
	line = line_of(&p, "cpu", 0, "keeper_cpu_seconds");
	assert_non_null(line);
	panel = picture_panel_of(&p, "cpu", 0);
	/* Not 6.05 cores. */
	assert_string_equal(panel->unit, "seconds");
	assert_false(line->rate);
	assert_string_equal(line->label, "keeper_cpu_seconds, sum so far");
	near(line->points[0].high, 0, 1e-9);
	near(line->points[1].high, 6.05, 1e-9);
	line = line_of(&p, "more", 0, "keeper_involuntary_context_switches_count");
	assert_non_null(line);
	near(line->points[0].high, 3, 1e-9);
	near(line->points[1].high, 7, 1e-9);
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

#define PROCESS(pid, more, cpu, pss)                                                               \
	"{\"pid\":" #pid ",\"start_time_ticks\":" #pid ",\"name\":\"p" #pid "\"" more              \
	",\"values\":{\"proc_cpu_seconds\":{\"delta\":" #cpu "},\"proc_pss_bytes\":{\"max\":" #pss \
	"}}}"

static void of_memory_between_the_samples_the_known_peak_is_told(void **state)
{
	struct picture_options o = { ALL };
	const struct picture_panel *memory;
	const struct picture_line *rss;
	const struct stored_run *run;
	struct made m;
	struct picture p;

	(void) state;
	begin(&m);
	window(&m, 0, 1,
		"\"proc_pss_total_bytes\":{\"max\":4000,\"quality\":\"sampled\"},"
		"\"proc_rss_total_bytes\":{\"max\":3900,\"quality\":\"upper_bound\"}",
		"");
	run = finish(&m, NOON, 1,
		",\"headline\":{\"memory_peak_bytes\":{\"value\":10240,\"quality\":\"lower_bound\","
		"\"key\":\"keeper_max_rss_bytes\"}}");
	draw(run, &o, &p);
	memory = picture_panel_of(&p, "memory", 0);
	rss = line_of(&p, "memory", 0, "proc_rss_total_bytes");
	assert_int_equal(rss->quality, UPPER_BOUND);
	assert_int_equal(rss->peak_quality, ESTIMATE);
	assert_non_null(strstr(rss->why, "an upper bound at the samples, not between them"));
	assert_int_equal(memory->n_limits, 1);
	near(memory->limits[0].value, 10240, 1e-9);
	assert_true(memory->limits[0].in_sight);
	assert_string_equal(memory->limits[0].label,
		"peak of the run >= 10 KiB (keeper_max_rss_bytes), between the samples");
	picture_done(&p);
	/* Nobody knows when it was: of a part of the run nothing is said. */
	o.to = 0.5;
	draw(run, &o, &p);
	assert_int_equal(picture_panel_of(&p, "memory", 0)->n_limits, 0);
	picture_done(&p);
	end(&m);
}

static void processes_beyond_the_first_are_one_line(void **state)
{
	const struct picture_options o = { ALL, .n_processes = 1 };
	struct made m;
	struct picture p;
	const struct picture_panel *cpu;
	const struct picture_panel *memory;

	(void) state;
	begin(&m);
	window(&m, 0, 1, "",
		",\"processes\":[" PROCESS(11, "", 0.9, 1000) "," PROCESS(
			12, "", 0.3, 5000) "," PROCESS(13, "", 0.2, 2000) "]");
	/* 13 is quiet, and holds its memory; 11 is born again under the same number. */
	window(&m, 1, 2, "",
		",\"quiet_processes\":1,\"processes\":[" PROCESS(11, "", 0.5, 1000) "," PROCESS(
			12, ",\"ended\":true", 0.1, 5000) "]");
	window(&m, 2, 3, "", ",\"processes\":[" PROCESS(13, ",\"since_seconds\":1", 0.2, 2000) "]");
	/* Two that live for a tenth of the window each: of their rates it has a tenth. */
	window(&m, 3, 4, "",
		",\"processes\":[" PROCESS(14, ",\"ended\":true,\"since_seconds\":3.9", 0.08,
			0) "," PROCESS(15, ",\"ended\":true,\"since_seconds\":3.9", 0.04, 0) "]");
	draw(finish(&m, NOON, 4, ""), &o, &p);
	cpu = picture_panel_of(&p, "process_cpu", 0);
	assert_true(cpu->stacked);
	assert_int_equal(cpu->n_lines, 2);
	assert_string_equal(cpu->lines[0].label, "11 p11");
	assert_string_equal(cpu->lines[1].key, "rest");
	assert_int_equal(cpu->lines[0].n, 4);
	assert_int_equal(cpu->lines[1].n, 4);
	near(cpu->lines[0].points[0].mean, 0.9, 1e-9);
	near(cpu->lines[1].points[0].mean, 0.5, 1e-9);
	assert_true(isnan(cpu->lines[0].points[2].mean));
	/* 0.2 s of CPU in the two seconds since its last line. */
	near(cpu->lines[1].points[2].mean, 0.1, 1e-9);
	near(cpu->lines[1].points[3].mean, 0.12, 1e-9);
	near(cpu->highest, 1.4, 1e-9);
	memory = picture_panel_of(&p, "process_memory", 0);
	assert_string_equal(memory->lines[0].label, "12 p12");
	near(memory->lines[1].points[0].mean, 3000, 1e-9);
	near(memory->lines[1].points[1].mean, 3000, 1e-9);
	picture_done(&p);
	end(&m);
}

static void memory_of_a_process_lasts_as_long_as_the_process(void **state)
{
	struct picture_options o = { ALL, .n_processes = 1 };
	const struct stored_run *run;
	struct made m;
	struct picture p;
	const struct picture_panel *memory;
	const struct picture_line *first;
	const struct picture_line *rest;

	(void) state;
	begin(&m);
	/* Of ten samples one met 12, born with the window, and five 13, born in its middle. */
	buf_addf(&m.series,
		"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":0,"
		"\"start_seconds\":0,\"end_seconds\":1,\"samples\":10,\"missed_ticks\":0,"
		"\"values\":{},\"processes\":[" PROCESS(11, "", 0.9, 9000) "," PROCESS(12,
			",\"ended\":true,\"born\":true,\"states\":{\"R\":1}", 0.1,
			4000) "," PROCESS(13, ",\"since_seconds\":0.5,\"born\":true", 0.1,
			2000) "]}\n");
	m.sequence = 1;
	/* Of all that are quiet nothing is said; one that is there and was not read has what it had. */
	window(&m, 1, 2, "", ",\"quiet_processes\":2,\"processes\":[]");
	window(&m, 2, 3, "",
		",\"quiet_processes\":1,\"processes\":[{\"pid\":13,\"start_time_ticks\":13,"
		"\"values\":{"
		"\"proc_cpu_seconds\":{\"delta\":0.1}}}," PROCESS(
			11, ",\"since_seconds\":1", 0.9, 9000) "]");
	run = finish(&m, NOON, 3, "");
	draw(run, &o, &p);
	memory = picture_panel_of(&p, "process_memory", 0);
	assert_int_equal(memory->n_lines, 2);
	first = &memory->lines[0];
	rest = &memory->lines[1];
	assert_string_equal(first->label, "11 p11");
	near(first->points[0].mean, 9000, 1e-9);
	near(first->points[first->n - 1].mean, 9000, 1e-9);
	near(first->points[first->n - 1].end, 3, 1e-9);
	near(rest->points[0].mean, 0.1 * 4000 + 0.5 * 2000, 1e-6);
	near(rest->points[1].mean, 2000, 1e-9);
	near(rest->points[rest->n - 1].mean, 2000, 1e-9);
	assert_int_equal(rest->quality, ESTIMATE);
	near(memory->highest, 11000, 1e-6);
	picture_done(&p);
	/* What is drawn begins and ends between two lines of a process that is quiet. */
	o.from = 1.2;
	draw(run, &o, &p);
	memory = picture_panel_of(&p, "process_memory", 0);
	assert_int_equal(memory->n_lines, 2);
	near(memory->lines[0].points[0].mean, 9000, 1e-9);
	near(memory->lines[1].points[0].start, 1.2, 1e-9);
	near(memory->lines[1].points[0].mean, 2000, 1e-9);
	picture_done(&p);
	o.from = 0.9;
	o.to = 1.8;
	draw(run, &o, &p);
	first = &picture_panel_of(&p, "process_memory", 0)->lines[0];
	near(first->points[first->n - 1].mean, 9000, 1e-9);
	near(first->points[first->n - 1].end, 1.8, 1e-9);
	picture_done(&p);
	end(&m);
}

static void what_a_process_took_when_it_woke_is_not_drawn_where_it_was_quiet(void **state)
{
	const struct picture_options o = { ALL, .n_processes = 1, .metrics = "process_*" };
	struct made m;
	struct picture p;
	const struct picture_line *line;

	(void) state;
	begin(&m);
	window(&m, 0, 1, "", ",\"processes\":[" PROCESS(11, "", 0.2, 1000) "]");
	for (int i = 1; i < 14; i++)
		window(&m, i, i + 1, "", ",\"quiet_processes\":1,\"processes\":[]");
	window(&m, 14, 15, "",
		",\"processes\":[" PROCESS(11, ",\"since_seconds\":1", 0.7, 9000) "]");
	draw(finish(&m, NOON, 15, ""), &o, &p);
	line = &picture_panel_of(&p, "process_memory", 0)->lines[0];
	assert_int_equal(line->n, 3);
	near(line->points[0].mean, 1000, 1e-9);
	near(line->points[1].end, 14, 1e-9);
	near(line->points[1].high, 1000, 1e-9);
	near(line->points[2].start, 14, 1e-9);
	near(line->points[2].mean, 9000, 1e-9);
	/* What it had meanwhile was not read. */
	assert_int_equal(line->quality, ESTIMATE);
	assert_non_null(strstr(line->why, "while it did nothing, what it had before"));
	/* When in its 14 seconds it used the CPU nobody knows: a mean over them. */
	line = &picture_panel_of(&p, "process_cpu", 0)->lines[0];
	assert_int_equal(line->n, 2);
	near(line->points[1].start, 1, 1e-9);
	near(line->points[1].mean, 0.05, 1e-9);
	assert_true(line->rate);
	picture_done(&p);
	end(&m);
}

static void unstacked_processes_keep_their_own_points_with_low_and_high(void **state)
{
	struct picture_options o = { ALL, .metrics = "process_memory" };
	const struct picture_panel *memory;
	const struct stored_run *run;
	struct made m;
	struct picture p;

	(void) state;
	begin(&m);
	window(&m, 0, 1, "",
		",\"processes\":[" PROCESS(11, "", 0.2, 1000) "," PROCESS(12, "", 0.2, 400) "]");
	window(&m, 1, 2, "",
		",\"processes\":[{\"pid\":11,\"start_time_ticks\":11,\"name\":\"p11\",\"values\":{"
		"\"proc_pss_bytes\":{\"max\":3000,\"mean\":2000}}}," PROCESS(12, "", 0.2, 400) "]");
	run = finish(&m, NOON, 2, "");
	draw(run, &o, &p);
	memory = picture_panel_of(&p, "process_memory", 0);
	assert_true(memory->stacked);
	near(memory->highest, 2400, 1e-9);
	picture_done(&p);
	o.unstacked = true;
	draw(run, &o, &p);
	memory = picture_panel_of(&p, "process_memory", 0);
	assert_false(memory->stacked);
	near(memory->highest, 3000, 1e-9);
	near(memory->lines[0].points[1].low, 2000, 1e-9);
	near(memory->lines[0].points[1].high, 3000, 1e-9);
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
	near(picture_time_at(&p, line->points[95].high_start), 95, 1e-6);
	picture_done(&p);
	end(&m);
}

static void a_stop_is_marked_where_one_window_alone_can_hold_it(void **state)
{
	const struct picture_options o = { ALL };
	struct made m;
	struct picture p;

	(void) state;
	for (int stops = 1; stops <= 2; stops++) {
		char timed[64];

		begin(&m);
		cpu_window(&m, 0, 1, 50);
		cpu_window(&m, 1, 11, 5);
		cpu_window(&m, 11, 12, 50);
		snprintf(timed, sizeof(timed), ",\"stops\":%d,\"stopped_seconds\":9.1", stops);
		draw(finish_timed(&m, NOON, 12, timed, ""), &o, &p);
		assert_int_equal(p.n_marks, stops == 1 ? 2 : 1);
		if (stops == 1) {
			assert_int_equal(p.marks[0].kind, PICTURE_STOP);
			near(p.marks[0].at, 1, 1e-9);
			assert_string_equal(p.marks[0].label,
				"stopped for 9.10 s, within the 10.0 s that begin here");
		}
		picture_done(&p);
		end(&m);
	}
	/* Of a short one any window may have it. */
	begin(&m);
	cpu_window(&m, 0, 1, 50);
	cpu_window(&m, 1, 2, 50);
	draw(finish_timed(&m, NOON, 2, ",\"stops\":1,\"stopped_seconds\":0.3", ""), &o, &p);
	assert_int_equal(p.n_marks, 1);
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
		cmocka_unit_test(what_is_counted_when_a_child_has_ended_is_a_sum_and_no_rate),
		cmocka_unit_test(of_two_sources_one_is_drawn_and_the_other_on_request),
		cmocka_unit_test(memory_lies_between_pss_and_rss_below_its_limit),
		cmocka_unit_test(of_memory_between_the_samples_the_known_peak_is_told),
		cmocka_unit_test(processes_beyond_the_first_are_one_line),
		cmocka_unit_test(memory_of_a_process_lasts_as_long_as_the_process),
		cmocka_unit_test(what_a_process_took_when_it_woke_is_not_drawn_where_it_was_quiet),
		cmocka_unit_test(unstacked_processes_keep_their_own_points_with_low_and_high),
		cmocka_unit_test(runs_that_overlap_lie_where_they_were_by_the_clock),
		cmocka_unit_test(idle_time_is_left_out_and_told),
		cmocka_unit_test(a_stop_is_marked_where_one_window_alone_can_hold_it),
		cmocka_unit_test(what_ended_the_run_is_marked),
		cmocka_unit_test(what_nobody_has_is_told_with_what_was_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
