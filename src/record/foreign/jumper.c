/* SPDX-License-Identifier: MIT */
/* Reads a session that JUmPER exported, as a directory or as a zip file: a run of each level it has a table of. */
#include "record/foreign/jumper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/import.h"
#include "record/stored_run.h"

#define MANIFEST "manifest.json"
#define CELLS "cell_history.csv"
#define EPOCH_MAX_SECONDS 9e9

static const char *const levels[] = { "process", "user", "slurm", "system" };

static void table_name(const char *level, char *name, size_t size)
{
	snprintf(name, size, "perf_%s.csv", level);
}

/* Opens the table of the level that is the `which`-th of those there. */
static int open_level(
	struct session_files *files, size_t which, const char **ret_level, struct session_file *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		char name[40];
		int r;

		table_name(levels[i], name, sizeof(name));
		r = session_file_open(files, name, ret);
		if (r == -ENOENT)
			continue;
		*ret_level = levels[i];
		if (r < 0 || which == 0)
			return r;
		session_file_close(ret);
		which--;
	}
	return -ENOENT;
}

static json_t *read_manifest(struct session_files *files, struct error *err)
{
	struct session_file file;
	struct buf text = { 0 };
	json_t *manifest = NULL;
	char block[4096];
	ssize_t got = 1;
	int r = session_file_open(files, MANIFEST, &file);

	if (r < 0) {
		error_set(err, r, "cannot open its " MANIFEST);
		return NULL;
	}
	while (got > 0 && text.len < STORED_INFO_MAX && buf_reserve(&text, sizeof(block))) {
		got = session_file_read(&file, block, sizeof(block));
		if (got > 0)
			buf_add(&text, block, (size_t) got);
	}
	if (got < 0)
		error_set(err, -errno, "cannot read its " MANIFEST);
	else if (got > 0 || text.failed)
		error_say(err, -EFBIG, "its " MANIFEST " is too large");
	else if (text.len == 0)
		error_say(err, -EINVAL, "its " MANIFEST " is empty");
	else
		manifest = stored_json(text.data, text.len, err);
	if (got == 0 && text.len > 0 && !manifest)
		error_wrap(err, MANIFEST);
	session_file_close(&file);
	buf_done(&text);
	return manifest;
}

static double number_at(const json_t *of, const char *key)
{
	return json_number_value(json_object_get(of, key));
}

/* The limit that JUmPER read out of the job's cgroup, in GiB. Its other limits it does not tell apart from the host's. */
static void tell_limit(const struct jumper_session *s, const json_t *monitor)
{
	double gib = number_at(json_object_get(monitor, "memory_limits"), s->level);
	json_t *one;

	if (strcmp(s->level, "slurm") != 0 || !(gib > 0) || gib > 1e9)
		return;
	one = json_pack("[{s:s, s:s, s:I, s:s, s:s, s:b}]", "name", "memory", "unit", "bytes",
		"limit", (json_int_t) (gib * 0x1p30 + 0.5), "source", "cgroup", "where",
		MANIFEST ": memory_limits", "tightest", 1);
	if (!one || json_object_set_new(s->d->info, "target_limits", one) < 0)
		draft_fail(s->d, s->err, -ENOMEM, "cannot keep what it says");
}

static void tell_job(const struct jumper_session *s, const json_t *monitor)
{
	const json_t *job = json_object_get(monitor, "slurm_job");
	const char *text = json_string_value(job);
	const json_t *uid = json_object_get(monitor, "uid");

	if (text && text[0] && strlen(text) < 10 && strspn(text, "0123456789") == strlen(text))
		draft_number(s->d, "slurm", "job_id", (double) strtoul(text, NULL, 10));
	else if (json_is_integer(job) && json_integer_value(job) > 0 &&
		 json_integer_value(job) < 4294967040)
		draft_integer(s->d, "slurm", "job_id", json_integer_value(job));
	if (json_is_integer(uid) && json_integer_value(uid) >= 0)
		draft_integer(s->d, "user", "uid", json_integer_value(uid));
}

static void tell_monitor(struct jumper_session *s, const json_t *monitor)
{
	bool system = strcmp(s->level, "system") == 0;
	double cpus = number_at(monitor, "num_system_cpus");
	double wall_at_stop = number_at(monitor, "wallclock_stop_time");
	const char *gpu = json_string_value(json_object_get(monitor, "gpu_name"));

	if (cpus >= 1 && cpus < 65536)
		draft_integer(s->d, "host", "cpus_online", (int64_t) cpus);
	s->cpus = system ? cpus : number_at(monitor, "num_cpus");
	if (!(s->cpus >= 1 && s->cpus < 65536))
		s->cpus = 0;
	s->start = number_at(monitor, "start_time");
	s->wall_at_start = number_at(monitor, "wallclock_start_time");
	if (!(s->wall_at_start > 0 && s->wall_at_start < EPOCH_MAX_SECONDS && s->start > 0))
		s->wall_at_start = 0;
	draft_started(s->d, (uint64_t) (s->wall_at_start * 1e6) * 1000);
	if (wall_at_stop >= s->wall_at_start && wall_at_stop < EPOCH_MAX_SECONDS)
		draft_ended(s->d, (uint64_t) (wall_at_stop * 1e6) * 1000);
	if (gpu && gpu[0])
		draft_note(s->d, "its GPUs: %.200s", gpu);
	tell_job(s, monitor);
	tell_limit(s, monitor);
}

/* "before_first_row" of what assay adds to a manifest. */
static void read_io_before(struct jumper_session *s, const json_t *assay)
{
	const json_t *before = json_object_get(assay, "before_first_row");

	for (size_t i = 0; i < JUMPER_N_IO; i++) {
		const json_t *number = json_object_get(before, jumper_io_columns[i]);
		double value = json_number_value(number);

		s->io_before[i] =
			json_is_number(number) && value >= 0 && value <= 0x1p62 ? value : -1;
	}
}

static void tell_level(const struct jumper_session *s)
{
	static const char *const what[] = {
		"the notebook's kernel and its children",
		"all processes of the user, on this machine",
		"all processes of the Slurm job, on this machine",
		"the whole machine",
	};

	draft_tag(s->d, "level", s->level);
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (strcmp(levels[i], s->level) == 0)
			draft_note(s->d, "the level %s of the session: %s", s->level, what[i]);
}

static int read_session(
	struct jumper_session *s, struct session_files *files, struct session_file *table)
{
	const json_t *app;
	struct session_file cells;
	json_t *manifest = read_manifest(files, s->err);
	int r;

	if (!manifest)
		return draft_fail(s->d, s->err, s->err && s->err->code < 0 ? s->err->code : -EINVAL,
			"%s", s->err ? s->err->text : "");
	app = json_object_get(manifest, "app");
	draft_text(s->d, "imported", "version", json_string_value(json_object_get(app, "version")));
	tell_level(s);
	tell_monitor(s, json_object_get(manifest, "monitor"));
	read_io_before(s, json_object_get(manifest, "assay"));
	json_decref(manifest);
	r = jumper_read_level(s, table);
	if (r == 0 && session_file_open(files, CELLS, &cells) == 0) {
		r = jumper_read_cells(s, &cells);
		session_file_close(&cells);
	}
	return r;
}

static int read_jumper(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct error own = { 0 };
	struct jumper_session s = { .d = d, .err = err ? err : &own };
	struct session_files files;
	struct session_file table;
	int r = session_files_open(file, &files, s.err);

	if (r < 0)
		return r;
	r = open_level(&files, which, &s.level, &table);
	if (r == -ENOENT) {
		session_files_close(&files);
		return which > 0 ? 0
				 : error_say(s.err, -EINVAL,
					   "it has no table of a level (perf_process.csv ...)");
	}
	if (r < 0)
		r = error_set(s.err, r, "cannot open its perf_%s.csv", s.level);
	else
		r = read_session(&s, &files, &table);
	session_file_close(&table);
	session_files_close(&files);
	return r < 0 ? r : 1;
}

static const char *const names[] = { MANIFEST, CELLS, "perf_process.csv", "perf_user.csv",
	"perf_slurm.csv", "perf_system.csv" };

static bool has_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Of a zip file, the name of its first member stands in the head. */
static int probe_jumper(const struct import_file *file)
{
	bool table = false;

	if (file->is_directory) {
		for (size_t i = 1; i < ARRAY_SIZE(names); i++)
			table = table || faccessat(file->fd, names[i], F_OK, 0) == 0;
		return table && faccessat(file->fd, MANIFEST, F_OK, 0) == 0 ? 2 : 0;
	}
	if (file->n_head < 4 || memcmp(file->head, "PK\3\4", 4) != 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (memmem(file->head, file->n_head, names[i], strlen(names[i])))
			return 2;
	return 0;
}

const struct importer jumper_importer = {
	.name = "jumper",
	.help = "sessions of JUmPER, a directory or a zip file",
	.files = "manifest.json, perf_LEVEL.csv, cell_history.csv",
	.probe = probe_jumper,
	.read = read_jumper,
	.several = true,
	.has_name = has_name,
};
