/* SPDX-License-Identifier: MIT */
/* Finds runs by reading their files. */
#include "cli/ls_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/run_words.h"
#include "record/find_runs.h"
#include "record/foreign/import.h"
#include "record/stored_run.h"

/* Runs whose names of fields are kept, to tell what a misspelt one may have been. */
#define NAMES_OF_RUNS 20

static struct field look_up(void *run, const char *name, size_t number)
{
	(void) number;
	return run_field(run, name);
}

static int keep_name(const char *name, const struct field *field, void *context)
{
	(void) field;
	ls_names_add(context, name);
	return 0;
}

static int take(struct ls_find *find, struct stored_run *run)
{
	int r = 0;

	if (find->all_names || find->names_taken < NAMES_OF_RUNS) {
		r = run_fields(run, keep_name, find->names);
		if (r == 0)
			r = run_every_field(run, keep_name, find->names);
	}
	find->names_taken++;
	find->found++;
	if (find->store)
		find->store(run, find->store_context);
	if (r < 0 || find->names->failed)
		return -ENOMEM;
	r = ls_rows_take(find->rows, run->file, look_up, run, false);
	if (r > 0)
		find->rows->list[find->rows->n - 1].whole = true;
	return r < 0 ? r : 0;
}

/* The line without the name of the file before it. */
static void tell(struct ls_find *find, const char *path, const struct error *err)
{
	size_t n = strlen(path);
	const char *why = err->text;

	if (strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0)
		why += n + 2;
	ls_problem(find->problems, path, why);
}

/* The others of a file that holds several. */
static int take_others(struct ls_find *find, const char *path)
{
	struct stored_run run;
	struct error err = { 0 };
	int r = 0;

	for (size_t which = 1; r == 0; which++) {
		r = stored_run_open_which(path, which, &run, &err);
		if (r == -ENOENT)
			return 0;
		if (r < 0) {
			tell(find, path, &err);
			return r == -ENOMEM ? r : 0;
		}
		r = take(find, &run);
		stored_run_done(&run);
	}
	return r;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int ls_find_file(struct ls_find *find, const char *path)
{
	struct stored_run run;
	struct error err = { 0 };
	int r;

	/* What is in it is found by itself. */
	if (is_directory(path)) {
		error_set(&err, -EISDIR, "cannot look at it");
		tell(find, path, &err);
		return 0;
	}
	r = stored_run_open_which(path, 0, &run, &err);
	if (r < 0) {
		tell(find, path, &err);
		return r == -ENOMEM ? r : 0;
	}
	bool several = run.importer && run.importer->several;
	r = take(find, &run);
	stored_run_done(&run);
	return r == 0 && several ? take_others(find, path) : r;
}

static int take_found(const struct found_run *found, void *context)
{
	struct ls_find *find = context;
	struct error err = { 0 };

	if (found->code == 0)
		return ls_find_file(find, found->path);
	error_set(&err, found->code, "cannot look at it");
	tell(find, found->path, &err);
	return found->code == -ENOMEM ? found->code : 0;
}

/* A directory in which nothing was found may be another tool's session. */
static int take_session(struct ls_find *find, const char *path)
{
	struct stored_run run;
	int r = stored_run_open(path, &run, NULL);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = take(find, &run);
	stored_run_done(&run);
	return r;
}

/* What is no file may be an id, a name, @last. */
static int take_word(struct ls_find *find, const char *word, const struct error *why)
{
	struct stored_run run;
	struct error err = { 0 };
	int r = run_word_open(word, find->output_prefix, find->level, &run, &err);

	if (r < 0) {
		tell(find, word, err.text[0] ? &err : why);
		return r == -ENOMEM ? r : 0;
	}
	r = take(find, &run);
	stored_run_done(&run);
	return r;
}

int ls_find(struct ls_find *find, const char *word)
{
	struct error err = { 0 };
	uint64_t before = find->found;
	bool directory = is_directory(word);
	int r = directory && !find->no_index ? ls_find_indexed(find, word) : 0;

	if (r != 0)
		return r < 0 ? r : 0;
	r = find_runs(word, take_found, find, &err);
	if (r == -ENOENT && !strchr(word, '/'))
		return take_word(find, word, &err);
	if (r < 0) {
		tell(find, word, &err);
		return r == -ENOMEM ? r : 0;
	}
	if (directory && find->found == before && find->problems->n_kinds == 0)
		return take_session(find, word);
	return 0;
}

/* A place is a directory alone, as nearly always, or files in one whose names begin alike. */
static int find_in_place(struct ls_find *find, const char *prefix, bool beside)
{
	size_t n = strcspn(prefix, "{");
	struct error err = { 0 };
	int r = 0;

	if (n > 0 && prefix[n - 1] == '/' && !find->no_index) {
		char *directory = strndup(prefix, n > 1 ? n - 1 : n);

		if (!directory)
			return -ENOMEM;
		if (is_directory(directory))
			r = ls_find_indexed(find, directory);
		free(directory);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	r = beside ? find_runs_beside(prefix, take_found, find, &err)
		   : find_runs_of_prefix(prefix, take_found, find, &err);
	if (r < 0 && r != -ENOMEM) {
		tell(find, prefix, &err);
		return 0;
	}
	return r;
}

int ls_find_usual(struct ls_find *find)
{
	struct run_places places;
	int r = 0;

	run_places_find(&places, find->output_prefix);
	for (size_t i = 0; r == 0 && i < places.n; i++)
		r = find_in_place(find, places.prefixes[i], i > 0);
	run_places_done(&places);
	return r;
}
