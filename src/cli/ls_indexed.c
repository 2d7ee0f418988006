/* SPDX-License-Identifier: MIT */
/* Finds runs by an index, where there are many. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "assay.h"
#include "base/error.h"
#include "cli/ls_find.h"
#include "cli/verb.h"
#include "index/run_index.h"
#include "record/stored_run.h"

/* What one index is asked for. */
struct search {
	struct ls_find *find;
	struct run_index *index;
	struct ls_rows rows; /* what came out of it, until it is known to be right */
	uint64_t found;
	int code; /* of the search */
	const char **names; /* what is chosen and sorted by */
	size_t n_names;
	size_t *places; /* of each field asked for, where it is among those; n_names: it is not */
};

static struct field look_up(void *run, const char *name, size_t number)
{
	struct search *s = run;

	(void) name;
	if (s->places[number] == s->n_names)
		return (struct field){ 0 };
	return run_index_value(s->index, s->places[number]);
}

static int take_kept(int64_t id, void *context)
{
	struct search *s = context;
	struct ls_rows *rows = &s->rows;
	int r = ls_rows_take(rows, NULL, look_up, s, true);
	const char *file;

	s->found++;
	if (r <= 0)
		return r;
	file = run_index_file(s->index);
	rows->list[rows->n - 1].file = file ? strdup(file) : NULL;
	rows->list[rows->n - 1].source = s->index;
	rows->list[rows->n - 1].id = id;
	return rows->list[rows->n - 1].file ? 0 : -ENOMEM;
}

static void store(const struct stored_run *run, void *context)
{
	run_index_store(context, run);
}

static int take_changed(const char *path, int code, void *context)
{
	struct search *s = context;
	struct error err = { 0 };

	if (code == 0)
		return ls_find_file(s->find, path);
	error_set(&err, code, "cannot look at it");
	ls_problem(s->find->problems, path, err.text);
	return code == -ENOMEM ? code : 0;
}

static void want_name(struct search *s, size_t number)
{
	if (s->places[number] != SIZE_MAX)
		return;
	s->names[s->n_names] = s->find->rows->query->names[number];
	s->places[number] = s->n_names++;
}

/* Those of the order and of the expressions; what is shown is looked up for those alone that are. */
static int prepare(struct search *s)
{
	struct ls_query *query = s->find->rows->query;

	s->names = calloc(query->n_names, sizeof(*s->names));
	s->places = calloc(query->n_names, sizeof(*s->places));
	if (!s->names || !s->places)
		return -ENOMEM;
	for (size_t i = 0; i < query->n_names; i++) {
		s->places[i] = SIZE_MAX;
		query->seen[i] = query->seen[i] || run_index_has(s->index, query->names[i]);
	}
	want_name(s, query->started);
	for (size_t i = 0; i < query->n_sort; i++)
		want_name(s, query->sort[i]);
	for (size_t w = 0; w < query->n_wheres; w++)
		for (size_t i = 0; i < where_n_fields(query->wheres[w]); i++)
			want_name(s, query->where_names[w][i]);
	for (size_t i = 0; i < query->n_names; i++)
		if (s->places[i] == SIZE_MAX)
			s->places[i] = s->n_names;
	return run_index_want(s->index, s->names, s->n_names);
}

static void keep_name(const char *name, void *context)
{
	ls_names_add(context, name);
}

static int keep_index(struct ls_find *find, struct run_index *index)
{
	struct run_index **indexes =
		realloc(find->indexes, (find->n_indexes + 1) * sizeof(struct run_index *));

	if (!indexes)
		return -ENOMEM;
	find->indexes = indexes;
	find->indexes[find->n_indexes++] = index;
	return 0;
}

static void forget(struct search *s)
{
	ls_rows_clear(&s->rows);
	free(s->names);
	free(s->places);
	*s = (struct search){ .find = s->find, .rows = { .query = s->find->rows->query } };
}

/* Goes through the runs that were kept. It is done before it is known which of them changed, while that is looked at; and once more if any did. */
static void search(struct run_index *index, void *context)
{
	struct search *s = context;

	forget(s);
	s->index = index;
	s->code = prepare(s);
	if (s->code == 0)
		s->code = run_index_kept(index, take_kept, s);
}

/* What came out of it is right: it goes to the rows of all, and the files that changed are read. */
static int settle(struct search *s)
{
	struct ls_find *find = s->find;
	int r = ls_rows_join(find->rows, &s->rows);

	if (r < 0)
		return r;
	find->found += s->found;
	run_index_names(s->index, keep_name, find->names);
	find->store = store;
	find->store_context = s->index;
	r = run_index_changed(s->index, take_changed, s);
	find->store = NULL;
	return r;
}

static int find_indexed(struct search *s, const char *directory)
{
	struct ls_find *find = s->find;
	struct run_index_options options = { .program_version = assay_version(),
		.rebuild = find->rebuild_index,
		.meanwhile = search,
		.context = s };
	struct error err = { 0 };
	struct run_index *index;
	int r = run_index_open(directory, &options, &index, &err);

	if (r == 0)
		r = keep_index(find, index);
	if (r < 0) {
		if (r != -ENOMSG && r != -ENOMEM && find->level >= LOG_DEBUG)
			complain("%s", err.text);
		return r == -ENOMEM ? r : 0;
	}
	if (s->code == 0 && !run_index_is_as_stored(index))
		search(index, s);
	r = s->code == 0 ? settle(s) : s->code;
	if (r == -ENOMEM)
		return r;
	if (r == 0)
		return 1;
	/* It is damaged: the files are read. */
	if (find->level >= LOG_DEBUG)
		complain("the index of %s is damaged and will be made anew", directory);
	return 0;
}

int ls_find_indexed(struct ls_find *find, const char *directory)
{
	struct search s = { .find = find };
	int r;

	if (find->all_names)
		return 0;
	r = find_indexed(&s, directory);
	forget(&s);
	return r;
}

static struct field look_up_shown(void *run, const char *name, size_t number)
{
	struct search *s = run;

	(void) name;
	return run_index_value(s->index, s->places[number]);
}

/* What is shown of the runs of one index. 0; 1: one is no longer as it was. */
static int fill(struct ls_find *find, struct search *s)
{
	struct ls_rows *rows = find->rows;
	const struct ls_query *query = rows->query;
	bool changed = false;
	int r;

	for (size_t i = 0; i < query->n_names; i++)
		s->places[i] = 0;
	for (size_t i = 0; i < query->n_fields + query->n_besides; i++) {
		s->places[query->fields[i]] = s->n_names;
		s->names[s->n_names++] = query->names[query->fields[i]];
	}
	r = run_index_want_shown(s->index, s->names, s->n_names);
	/* All of them, so that one more turn is enough. */
	for (size_t i = 0; r == 0 && i < rows->n; i++) {
		struct ls_row *row = &rows->list[i];

		if (row->whole || row->source != s->index)
			continue;
		r = run_index_seek(s->index, row->id);
		if (r == 0)
			r = ls_row_fill(rows, row, look_up_shown, s);
		changed = changed || r == -ENOENT;
		r = r == -ENOENT ? 0 : r;
	}
	return r == -EIO || (r == 0 && changed) ? 1 : r;
}

int ls_indexed_fill(struct ls_find *find)
{
	const struct ls_query *query = find->rows->query;
	int r = 0;

	for (size_t i = 0; r == 0 && i < find->n_indexes; i++) {
		struct search s = { .find = find, .index = find->indexes[i] };

		s.names = calloc(query->n_fields + query->n_besides + 1, sizeof(*s.names));
		s.places = calloc(query->n_names, sizeof(*s.places));
		r = s.names && s.places ? fill(find, &s) : -ENOMEM;
		free(s.names);
		free(s.places);
	}
	return r;
}

void ls_indexed_done(struct ls_find *find)
{
	for (size_t i = 0; i < find->n_indexes; i++)
		run_index_close(find->indexes[i]);
	free(find->indexes);
	find->indexes = NULL;
	find->n_indexes = 0;
}
