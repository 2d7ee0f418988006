/* SPDX-License-Identifier: MIT */
/*
 * Reads con-duct's logs of every schema from 0.1.0 to 0.2.2: PREFIXinfo.json and, beside it, PREFIXusage.jsonl (before 0.18: usage.json). con-duct makes
 * its files empty at the start and writes info.json at the end: an empty one is a run whose recorder was killed, still works, or was asked for
 * samples only. Where the files are is told by their names: the paths within info.json are relative to a directory that nobody knows any more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd_read.h"
#include "base/macros.h"
#include "record/foreign/beside.h"
#include "record/foreign/cells.h"
#include "record/foreign/duct_series.h"
#include "record/foreign/import.h"
#include "record/run_names.h"
#include "record/stored_run.h"

/* How long a series may rest before its recorder counts as gone. */
#define QUIET_SECONDS 300

#define WHY_MEMORY                                                                                 \
	"a sum of resident sets counts shared pages once for each process; peaks between samples " \
	"were not seen"

static char *beside(const char *path, const char *end)
{
	char *prefix = run_name_prefix(path);
	char *other = prefix ? file_with_content(prefix, strlen(prefix), end) : NULL;

	free(prefix);
	return other;
}

static char *series_beside(const char *path)
{
	char *series = beside(path, RUN_NAME_USAGE);

	return series ? series : beside(path, "usage.json");
}

static bool is_info(const struct import_file *file)
{
	return head_holds(file, "\"execution_summary\"") || head_holds(file, "\"duct_version\"") ||
	       head_begins(file, "{\"command\"");
}

static int probe(const struct import_file *file)
{
	bool is_series =
		run_name_is(file->name, RUN_NAME_USAGE) || run_name_is(file->name, "usage.json");

	if (file->is_directory)
		return 0;
	if (file->size == 0) {
		char *series =
			run_name_is(file->name, RUN_NAME_INFO) ? series_beside(file->path) : NULL;
		bool found = series != NULL;

		free(series);
		return found;
	}
	if (head_holds(file, "\"execution_summary\"") && head_holds(file, "\"schema_version\""))
		return 2;
	if (head_holds(file, "\"processes\"") && head_holds(file, "\"pcpu\"") &&
		head_holds(file, "\"rss\""))
		return 2;
	/* A very long command stands before all that tells it is con-duct's. */
	if (run_name_is(file->name, RUN_NAME_INFO) && head_begins(file, "{\"command\": \""))
		return 1;
	return is_series && head_begins(file, "{\"timestamp\"");
}

static const char *text_of(const json_t *of, const char *key)
{
	return json_string_value(json_object_get(of, key));
}

static void copy_count(struct draft *d, const json_t *of, const char *key, const char *name)
{
	const json_t *value = json_object_get(of, key);

	if (json_is_integer(value) && json_integer_value(value) > 0)
		draft_integer(d, "host", name, json_integer_value(value));
}

static void read_system(struct draft *d, const json_t *system)
{
	const json_t *uid = json_object_get(system, "uid");
	const char *user = text_of(system, "user");

	copy_count(d, system, "cpu_total", "cpus_configured");
	copy_count(d, system, "memory_total", "memory_total_bytes");
	if (text_of(system, "hostname") && *text_of(system, "hostname"))
		draft_text(d, "host", "hostname", text_of(system, "hostname"));
	/* Schema 0.1.0 has the user's name there. */
	if (json_is_string(uid) && !user)
		user = json_string_value(uid);
	if (json_is_integer(uid) && json_integer_value(uid) >= 0)
		draft_integer(d, "user", "uid", json_integer_value(uid));
	if (user && *user)
		draft_text(d, "user", "name", user);
}

static bool is_variable(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");

	return n > 0 && !name[n] && (name[0] < '0' || name[0] > '9');
}

static void read_environment(struct draft *d, json_t *env)
{
	const char *name;
	json_t *value;

	json_object_foreach(env, name, value)
	{
		if (is_variable(name))
			draft_text(d, "scheduler", name, json_string_value(value));
	}
}

/* One text for each: nothing was measured of them. */
static void read_gpus(struct draft *d, const json_t *gpus)
{
	json_t *gpu;
	size_t i;

	json_array_foreach(gpus, i, gpu)
	{
		const char *name = text_of(gpu, "name");
		const char *memory = text_of(gpu, "memory.total");
		const char *driver = text_of(gpu, "driver_version");
		char key[32];
		char text[400];

		if (!name)
			continue;
		snprintf(key, sizeof(key), "gpu_%zu", i);
		snprintf(text, sizeof(text), "%s, %s, driver %s", name, memory ? memory : "-",
			driver ? driver : "-");
		draft_text(d, "host", key, text);
	}
}

static void read_outcome(struct draft *d, const json_t *summary)
{
	const json_t *code = json_object_get(summary, "exit_code");
	json_int_t n = json_integer_value(code);

	if (!json_is_integer(code))
		return;
	/* Early versions wrote Python's returncode, which is negative for a signal; later ones 128 + the signal, or the job's own code. */
	if (n < 0 && n >= -64)
		draft_signal(d, (int) -n, "con-duct's exit_code");
	else if (n >= 0 && n <= 255)
		draft_exit_code(d, (int) n,
			n > 128 ? "con-duct's exit_code, which is 128 and the signal's number when "
				  "a signal ended the job"
				: "con-duct's exit_code");
	if (n > 128 && n <= 255)
		draft_text(d, "outcome", "cause", cause_name(CAUSE_UNKNOWN));
}

static uint64_t time_of(const json_t *of, const char *key)
{
	double seconds = json_number_value(json_object_get(of, key));

	return seconds > 0 && seconds < 1e10 ? (uint64_t) (seconds * 1e6) * 1000 : 0;
}

/* A number, or, as 0.1.0 and 0.1.1 have them, "12.3 KiB", "0.5%", "3.2 sec"; "unknown" is none. */
static bool figure_of(const json_t *summary, const char *name, double *ret)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = { { " KiB", 1024 }, { "%", 1 }, { " sec", 1 } };
	const json_t *value = json_object_get(summary, name);
	const char *rest =
		json_is_string(value) ? number_begin(json_string_value(value), ret) : NULL;

	*ret = rest ? *ret : json_number_value(value);
	for (size_t i = 0; rest && i < ARRAY_SIZE(units); i++)
		if (strcmp(rest, units[i].unit) == 0) {
			*ret *= units[i].scale;
			return true;
		}
	return json_is_number(value);
}

static void total(struct draft *d, const json_t *summary, const char *name, const char *statistic,
	const char *key, enum quality quality)
{
	double value;

	if (figure_of(summary, name, &value))
		draft_total(d, key, statistic, value, quality);
}

static void copy_number_of(struct draft *d, const json_t *summary, const char *of, const char *name)
{
	const json_t *value = json_object_get(summary, of);

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		draft_integer(d, "imported", name, json_integer_value(value));
}

static void read_summary(struct draft *d, const json_t *summary, struct duct_series *s)
{
	double wall;

	s->started_ns = time_of(summary, "start_time");
	draft_started(d, s->started_ns);
	draft_ended(d, time_of(summary, "end_time"));
	read_outcome(d, summary);
	if (figure_of(summary, "wall_clock_time", &wall) && wall >= 0) {
		s->wall_known = true;
		draft_number(d, "time", "wall_seconds", wall);
		draft_total(d, DUCT_WALL, "last", wall, ESTIMATE);
		draft_headline(d, "wall_seconds", wall, ESTIMATE, DUCT_WALL,
			"by the time of day, con-duct's start of the command included");
	}
	copy_number_of(d, summary, "num_samples", "samples");
	copy_number_of(d, summary, "num_reports", "reports");
	total(d, summary, "peak_rss", "peak", PS_RSS_TOTAL, ESTIMATE);
	total(d, summary, "average_rss", "mean", PS_RSS_TOTAL, UPPER_BOUND);
	total(d, summary, "peak_vsz", "peak", PS_VSZ_TOTAL, SAMPLED);
	total(d, summary, "average_vsz", "mean", PS_VSZ_TOTAL, SAMPLED);
	total(d, summary, "peak_pmem", "peak", PS_MEMORY_TOTAL, ESTIMATE);
	total(d, summary, "average_pmem", "mean", PS_MEMORY_TOTAL, UPPER_BOUND);
	total(d, summary, "peak_pcpu", "peak", PS_CPU_TOTAL, ESTIMATE);
	total(d, summary, "average_pcpu", "mean", PS_CPU_TOTAL, ESTIMATE);
	figure_of(summary, "peak_rss", &s->peak_rss);
}

static void read_info(struct draft *d, json_t *info, struct duct_series *s)
{
	json_t *summary = json_object_get(info, "execution_summary");
	const char *directory = text_of(info, "working_directory");
	const char *message = text_of(info, "message");
	const char *command = text_of(info, "command");

	draft_command(d, command ? command : text_of(summary, "command"));
	draft_text(d, NULL, "working_directory",
		directory ? directory : text_of(summary, "working_directory"));
	if (message && *message)
		draft_text(d, NULL, "message", message);
	read_system(d, json_object_get(info, "system"));
	read_environment(d, json_object_get(info, "env"));
	read_gpus(d, json_object_get(info, "gpu"));
	read_summary(d, summary, s);
}

static void judge_unfinished(struct draft *d, const char *series)
{
	struct stat st;
	struct timespec now;
	bool is_fresh = stat(series, &st) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0 &&
			now.tv_sec - st.st_mtim.tv_sec < QUIET_SECONDS;

	draft_state(d, is_fresh ? STORED_RUNNING : STORED_LOST,
		is_fresh ? "con-duct has not written its info.json yet"
			 : "con-duct never wrote its info.json: it was killed, or was asked for "
			   "samples only");
}

static void conclude(struct draft *d, const struct duct_series *s)
{
	if (!s->wall_known && s->windows > 0) {
		draft_number(d, "time", "wall_seconds", s->end_seconds);
		draft_total(d, DUCT_WALL, "last", s->end_seconds, LOWER_BOUND);
		draft_headline(d, "wall_seconds", s->end_seconds, LOWER_BOUND, DUCT_WALL,
			"from its first sample to its last");
	}
	if (s->peak_rss > 0)
		draft_headline(
			d, "memory_peak_bytes", s->peak_rss, ESTIMATE, PS_RSS_TOTAL, WHY_MEMORY);
	if (s->peak_process_rss > 0)
		draft_headline(d, "memory_peak_process_bytes", s->peak_process_rss, LOWER_BOUND,
			PS_RSS, "peaks between samples were not seen");
	if (s->processes > 0)
		draft_headline(d, "processes", (double) s->processes, LOWER_BOUND, PS_PROCESSES,
			"those that began and ended between two samples are not in it");
	if (s->windows > 0)
		draft_note(d, "con-duct's CPU figures are ps's: CPU time by age since each process "
			      "began, which is no rate; no CPU seconds follow from them");
}

/* The outputs that con-duct kept stay where they are. */
static void name_outputs(struct draft *d, const char *path)
{
	static const char *const outputs[] = { "stdout", "stderr" };

	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		char *file = beside(path, outputs[i]);

		draft_text(d, "imported", outputs[i], file);
		free(file);
	}
}

static int read_series(
	const char *path, int fd, struct draft *d, struct duct_series *s, struct error *err)
{
	int own = fd < 0 ? fd_open_regular(path, NULL) : -1;
	int r = fd < 0 && own < 0 ? own : duct_series_read(s, fd < 0 ? own : fd, d);

	if (r < 0)
		error_set(err, r, "cannot read its series");
	if (own >= 0)
		close(own);
	return r;
}

static bool knows(const json_t *info)
{
	return json_object_get(info, "execution_summary") || json_object_get(info, "duct_version");
}

/* Its sizes are texts, and its series has no times: nothing of it would be left but its command. */
static int refuse_old(const char *version, struct error *err)
{
	return error_say(err, -ENOTSUP,
		"it is of con-duct %s, whose logs are of another form: those of 0.1.0 and later "
		"are read",
		version);
}

static bool is_too_old(const json_t *info)
{
	const char *version = text_of(info, "duct_version");

	return version && strncmp(version, "0.0.", 4) == 0;
}

/* Of the info file, if there is any, and the series, if there is any. */
static int read_run(const struct import_file *file, const char *info_path, const char *series,
	struct draft *d, struct error *err)
{
	struct duct_series s = { 0 };
	json_t *info = NULL;
	char tool[120];
	int r = info_path ? json_file_load(info_path, &info, err) : 0;

	if (r == 0 && info && !knows(info))
		r = error_say(err, -EINVAL, "%s con-duct's: no execution_summary is in it",
			strcmp(info_path, file->path) == 0 ? "it is not"
							   : "the info.json beside it is not");
	if (r == 0 && is_too_old(info))
		r = refuse_old(text_of(info, "duct_version"), err);
	if (r < 0) {
		json_decref(info);
		return r;
	}
	snprintf(tool, sizeof(tool), "con-duct%s%s", text_of(info, "duct_version") ? " " : "",
		text_of(info, "duct_version") ? text_of(info, "duct_version") : "");
	draft_begin(d, tool, text_of(info, "schema_version"), duct_rows, n_duct_rows);
	if (info)
		read_info(d, info, &s);
	else if (series)
		judge_unfinished(d, series);
	name_outputs(d, file->path);
	if (series)
		r = read_series(
			series, strcmp(series, file->path) == 0 ? file->fd : -1, d, &s, err);
	if (r == 0 && s.windows == 0 && s.is_too_old)
		r = refuse_old("0.0.1", err);
	if (r == 0 && !info && s.windows == 0)
		r = error_say(err, -EINVAL,
			file->size == 0 ? "it is empty" : "no line of its series can be read");
	if (r == 0)
		conclude(d, &s);
	duct_series_done(&s);
	json_decref(info);
	return r < 0 ? r : 1;
}

static int read_duct(
	const struct import_file *file, size_t which, struct draft *draft, struct error *err)
{
	char *info;
	char *series;
	int r;

	if (which > 0)
		return 0;
	if (file->size == 0 || is_info(file)) {
		series = series_beside(file->path);
		if (series && strcmp(series, file->path) == 0) {
			free(series);
			series = NULL;
		}
		r = read_run(file, file->path, series, draft, err);
		free(series);
		return r;
	}
	info = beside(file->path, RUN_NAME_INFO);
	r = read_run(file, info, file->path, draft, err);
	free(info);
	return r;
}

const struct importer duct_importer = {
	.name = "con-duct",
	.help = "con-duct 0.1 to 0.21 (without a schema, and of its schemas 0.1.0 to 0.2.2)",
	.files =
		"PREFIXinfo.json, PREFIXusage.jsonl, PREFIXusage.json: one run, whichever is named",
	.probe = probe,
	.read = read_duct,
};
