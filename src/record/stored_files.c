/* SPDX-License-Identifier: MIT */
/* Finds the files of a run by their names and knows them by device and inode: a link to one is the same file. */
#include "record/stored_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/macros.h"
#include "record/foreign/import.h"
#include "record/run_names.h"
#include "record/stored_run.h"

struct stored_file {
	dev_t device;
	ino_t inode;
};

/* The tools whose runs are two files that differ in the end of their names. */
static const struct {
	const char *format;
	const char *ends[2];
} pairs[] = {
	{ "prmon", { ".txt", ".json" } },
	{ "resource_monitor", { ".summary", ".series" } },
};

static void add_one(struct stored_files *s, const char *path)
{
	struct stored_file *at;
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	at = realloc(s->at, (s->n + 1) * sizeof(*at));
	if (!at) {
		s->failed = true;
		return;
	}
	s->at = at;
	s->at[s->n++] = (struct stored_file){ st.st_dev, st.st_ino };
}

static void add_named(struct stored_files *s, const char *begin, size_t n, const char *end)
{
	char *path = NULL;

	if (asprintf(&path, "%.*s%s", (int) n, begin, end) < 0) {
		s->failed = true;
		return;
	}
	add_one(s, path);
	free(path);
}

/* A session of another tool: what has one of the names that it gives. */
static void add_directory(struct stored_files *s, const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *entry;
	char *prefix = NULL;

	if (!d)
		return;
	if (asprintf(&prefix, "%s/", path) < 0) {
		prefix = NULL;
		s->failed = true;
	}
	while (prefix && (entry = readdir(d)))
		if (import_name_is_of_session(entry->d_name))
			add_named(s, prefix, strlen(prefix), entry->d_name);
	free(prefix);
	closedir(d);
}

static void add_beside(struct stored_files *s, const char *path)
{
	char *prefix = run_name_prefix(path);
	size_t n = strlen(path);

	s->failed = s->failed || !prefix;
	for (size_t i = 0; prefix && run_name_end(i); i++)
		add_named(s, prefix, strlen(prefix), run_name_end(i));
	free(prefix);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		for (size_t k = 0; k < 2; k++)
			if (run_name_is(path, pairs[i].ends[k]))
				add_named(s, path, n - strlen(pairs[i].ends[k]), pairs[i].ends[!k]);
}

int stored_files_add(struct stored_files *s, const char *path)
{
	char *session = import_session_of(path);
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		add_directory(s, path);
	else
		add_beside(s, path);
	add_one(s, path);
	if (session)
		add_directory(s, session);
	free(session);
	return s->failed ? -ENOMEM : 0;
}

bool stored_files_hold(const struct stored_files *s, const struct stat *st)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].device == st->st_dev && s->at[i].inode == st->st_ino)
			return true;
	return false;
}

void stored_files_done(struct stored_files *s)
{
	free(s->at);
	*s = (struct stored_files){ 0 };
}

/* How much of the path is the same for each file of its run. */
static size_t stem_length(const char *format, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		for (size_t k = 0; k < 2; k++)
			if (strcmp(pairs[i].format, format) == 0 &&
				run_name_is(path, pairs[i].ends[k]))
				return n - strlen(pairs[i].ends[k]);
	for (size_t i = 0; strcmp(format, "con-duct") == 0 && run_name_end(i); i++)
		if (run_name_is(path, run_name_end(i)))
			return n - strlen(run_name_end(i));
	return n;
}

char *stored_files_stem(const struct stored_run *run)
{
	char *path = realpath(run->file, NULL);
	char *stem = NULL;

	if (path && asprintf(&stem, "%s:%.*s", run->format, (int) stem_length(run->format, path),
			    path) < 0)
		stem = NULL;
	free(path);
	return stem;
}
