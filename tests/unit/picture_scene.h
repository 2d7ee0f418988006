/* SPDX-License-Identifier: MIT */
/* Records that are written by hand, to be drawn as pictures. */
#ifndef ASSAY_TESTS_UNIT_PICTURE_SCENE_H
#define ASSAY_TESTS_UNIT_PICTURE_SCENE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "picture/picture.h"
#include "record/stored_run.h"
#include "test.h"

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
static inline void near(double is, double expected, double by)
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

static inline void begin(struct made *m)
{
	*m = (struct made){ .directory = "/tmp/assay-picture-XXXXXX" };
	assert_non_null(mkdtemp(m->directory));
}

static inline void write_file(const struct made *m, const char *name, const char *text)
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
static inline void window(
	struct made *m, double start, double end, const char *values, const char *more)
{
	buf_addf(&m->series,
		"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":%d,\"start_seconds\":"
		"%"
		".9g,"
		"\"end_seconds\":%.9g,\"samples\":1,\"missed_ticks\":0,\"values\":{%s}%s}\n",
		m->sequence++, start, end, values, more);
}

static inline void cpu_window(struct made *m, double start, double end, double percent)
{
	char values[128];

	snprintf(values, sizeof(values),
		"\"tree_cpu_percent\":{\"max\":%.9g,\"mean\":%.9g,\"quality\":\"sampled\"}",
		percent, percent / 2);
	window(m, start, end, values, "");
}

/* Opens it; `timed`: members of its time, `more`: of info, behind the others, each with a comma before it. */
static inline const struct stored_run *finish_timed(
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

static inline const struct stored_run *finish(
	struct made *m, const char *started, double wall, const char *more)
{
	return finish_timed(m, started, wall, "", more);
}

static inline void end(struct made *m)
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

static inline void draw(
	const struct stored_run *run, const struct picture_options *o, struct picture *ret)
{
	struct error err = { 0 };

	assert_int_equal(picture_make(&run, 1, o, ret, &err), 0);
}

static inline const struct picture_line *line_of(
	const struct picture *p, const char *panel, size_t run, const char *key)
{
	const struct picture_panel *found = picture_panel_of(p, panel, run);

	for (size_t i = 0; found && i < found->n_lines; i++)
		if (strcmp(found->lines[i].key, key) == 0)
			return &found->lines[i];
	return NULL;
}

#endif
