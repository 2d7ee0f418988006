/* SPDX-License-Identifier: MIT */
/* The files of a run that was recorded elsewhere. */
#include "record/write_run.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd_write.h"
#include "record/foreign/draft.h"
#include "record/foreign/import.h"
#include "record/json_dump.h"
#include "record/nameless_file.h"
#include "record/run_files.h"
#include "record/run_names.h"
#include "record/stored_run.h"

#define BLOCK ((size_t) 256 * 1024)
/* Enough for nanoseconds in a run of weeks, and no digits that only binary fractions have. */
#define NUMBERS JSON_REAL_PRECISION(15)

struct writing {
	const struct write_run_options *options;
	int dirfd;
	struct nameless_file usage, info;
	struct buf block;
	int code; /* of the disk */
};

static int flush(struct writing *w, const struct nameless_file *file)
{
	int r = w->block.failed ? -ENOMEM
				: fd_write_all(file->fd, w->block.data, w->block.len, NULL);

	buf_clear(&w->block);
	w->code = r < 0 ? r : w->code;
	return r;
}

static int write_window(const json_t *window, void *context)
{
	struct writing *w = context;

	if (w->options->stop && *w->options->stop)
		return -EINTR;
	json_dump_to(&w->block, window, JSON_COMPACT | NUMBERS);
	buf_add_char(&w->block, '\n');
	return w->block.len >= BLOCK || w->block.failed ? flush(w, &w->usage) : 0;
}

/* The tags given now, and those that the file has under other keys. */
static int add_tags(json_t *info, const char *const *tags)
{
	json_t *section = json_object_get(info, "tags");
	int r = 0;

	if (!section && tags && tags[0]) {
		section = json_object();
		r = json_object_set_new(info, "tags", section);
	}
	for (size_t i = 0; r == 0 && tags && tags[i]; i++) {
		size_t n = strcspn(tags[i], "=");
		char *key = strndup(tags[i], n);
		json_t *hex = json_object_get(info, "tags_hex");

		if (hex && key)
			json_object_del(hex, key);
		r = key ? draft_raw(section, key, tags[i] + n + (tags[i][n] == '=')) : -ENOMEM;
		free(key);
	}
	return r < 0 ? -ENOMEM : 0;
}

static int add_file(json_t *files, const char *key, const char *prefix, const char *end)
{
	char *path = NULL;
	int r = asprintf(&path, "%s%s", prefix, end) < 0 ? -ENOMEM : draft_raw(files, key, path);

	free(path);
	return r;
}

static int add_files(json_t *info, const char *prefix, bool has_usage)
{
	json_t *files = json_object();
	int r = json_object_set_new(info, "files", files) < 0 ? -ENOMEM : 0;

	if (r == 0)
		r = add_file(files, "info", prefix, RUN_NAME_INFO);
	if (r == 0 && has_usage)
		r = add_file(files, "usage", prefix, RUN_NAME_USAGE);
	return r == 0 ? add_file(files, "prefix", prefix, "") : r;
}

/* Another's paths are told from the root: the run may be read from anywhere. */
static int absolute(json_t *imported, const char *key)
{
	const char *path = json_string_value(json_object_get(imported, key));
	char *whole = path ? realpath(path, NULL) : NULL;
	int r = whole ? draft_raw(imported, key, whole) : 0;

	free(whole);
	return r;
}

static int add_import(const struct stored_run *run, json_t *info, uint64_t realtime_ns)
{
	json_t *imported = json_object_get(info, "imported");
	char time[RFC3339_SIZE];
	int r = 0;

	format_rfc3339(realtime_ns, time);
	if (json_object_set_new(imported, "time", json_string(time)) < 0)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < 3; i++)
		r = absolute(imported, (const char *const[]){ "file", "stdout", "stderr" }[i]);
	/* Whatever it still was when it was read: nobody will come to finish this record. */
	if (r == 0 && run->state != STORED_DONE) {
		if (json_object_set_new(info, "state", json_string("lost")) < 0)
			return -ENOMEM;
		r = draft_raw(imported, "lost", run->why);
	}
	return r;
}

static json_t *make_info(
	const struct stored_run *run, const struct write_run_options *o, bool has_usage)
{
	json_t *info = json_deep_copy(run->info);
	json_t *program = json_pack("{s:s, s:s}", "name", "assay", "version", o->version);
	/* One of assay's that comes back from an export is the run that it was; another tool's became one when it was imported. */
	const json_t *imported = json_object_get(info, "imported");
	bool own = run->importer && run->importer->own_words &&
		   (!imported || json_object_get(imported, "time"));
	int r = info && program ? 0 : -ENOMEM;

	if (r == 0 && !own && json_object_set_new(info, "id", json_string(o->id)) < 0)
		r = -ENOMEM;
	if (r == 0 && !own && json_object_set(info, "program", program) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = add_files(info, o->prefix, has_usage);
	if (r == 0 && !own)
		r = add_import(run, info, o->realtime_ns);
	if (r == 0)
		r = add_tags(info, o->tags);
	json_decref(program);
	if (r < 0) {
		json_decref(info);
		info = NULL;
	}
	return info;
}

static int write_info(struct writing *w, const struct stored_run *run, bool has_usage)
{
	json_t *info = make_info(run, w->options, has_usage);

	buf_clear(&w->block);
	json_dump_to(&w->block, info, JSON_INDENT(2) | NUMBERS);
	buf_add_char(&w->block, '\n');
	json_decref(info);
	return flush(w, &w->info);
}

/* The info file last: a series alone is a record whose info file is missing, an info file alone would be a whole one. */
static int publish(struct writing *w, bool has_usage)
{
	const char *slash = strrchr(w->options->prefix, '/');
	const char *begin = slash ? slash + 1 : w->options->prefix;
	char *usage = NULL;
	char *info = NULL;
	int r = 0;

	if (asprintf(&usage, "%s" RUN_NAME_USAGE, begin) < 0)
		usage = NULL;
	if (asprintf(&info, "%s" RUN_NAME_INFO, begin) < 0)
		info = NULL;
	if (!usage || !info)
		r = -ENOMEM;
	if (r == 0 && has_usage)
		r = nameless_file_name(w->dirfd, &w->usage, usage);
	if (r == 0) {
		r = nameless_file_name(w->dirfd, &w->info, info);
		if (r < 0 && has_usage)
			unlinkat(w->dirfd, usage, 0);
	}
	free(usage);
	free(info);
	return r;
}

static int fill(struct writing *w, const struct stored_run *run, struct series_survey *survey,
	struct error *err)
{
	int r = stored_run_windows(run, write_window, w, survey, err);

	if (r == 0 && survey->windows > 0)
		r = flush(w, &w->usage);
	if (r < 0 && w->code == 0)
		return r == -EINTR ? error_say(err, r, "interrupted") : r;
	if (r == 0)
		r = write_info(w, run, survey->windows > 0);
	if (r == 0 && w->options->stop && *w->options->stop)
		return error_say(err, -EINTR, "interrupted");
	if (r == 0)
		r = publish(w, survey->windows > 0);
	return r < 0 ? error_set(err, r, "cannot write the files of %s", w->options->prefix) : 0;
}

int write_run(const struct stored_run *run, const struct write_run_options *o,
	struct series_survey *ret, struct error *err)
{
	/* It makes the directories and puts an older record aside. */
	const struct run_files_options way = {
		.clobber = o->clobber, .no_info = true, .no_usage = true, .guarded = o->guarded
	};
	struct writing w = { .options = o, .dirfd = -1, .usage.fd = -1, .info.fd = -1 };
	struct run_files *files = NULL;
	int r = run_files_open(o->prefix, &way, &files, err);

	*ret = (struct series_survey){ 0 };
	if (r < 0)
		return r;
	w.dirfd = run_files_directory(files);
	r = nameless_file_open(w.dirfd, &w.usage);
	if (r == 0)
		r = nameless_file_open(w.dirfd, &w.info);
	if (r < 0)
		error_set(err, r, "cannot write files of %s", o->prefix);
	else
		r = fill(&w, run, ret, err);
	nameless_file_drop(w.dirfd, &w.usage);
	nameless_file_drop(w.dirfd, &w.info);
	buf_done(&w.block);
	if (r < 0)
		run_files_discard(files);
	run_files_close(files);
	return r;
}
