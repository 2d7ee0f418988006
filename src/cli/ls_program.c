/* SPDX-License-Identifier: MIT */
/* What assay-ls does: reads what was asked for, finds it, writes it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "cli/ls_find.h"
#include "cli/ls_output.h"
#include "cli/ls_words.h"
#include "cli/program.h"
#include "cli/record_options.h"
#include "cli/run_words.h"
#include "cli/verb.h"

#define FIELDS_MAX 200
#define NEWEST_MAX 1000000000

static const char DEFAULT_FIELDS[] =
	"state,exit_code,wall_seconds,cpu_mean_cores,memory_peak_bytes,command";

/* Adds the numbers of the names between commas. */
static int add_names(struct ls_query *query, const char *source, const char *text, size_t **list,
	size_t *n, struct error *err)
{
	while (*text) {
		size_t length = strcspn(text, ",");
		char *word = strndup(text, length);
		char *name = word ? field_meant(word) : NULL;
		size_t *more = realloc(*list, (*n + 1) * sizeof(**list));
		int r = -ENOMEM;

		free(word);
		if (more)
			*list = more;
		if (name && more)
			r = ls_query_name(query, name, &more[(*n)++]);
		free(name);
		if (r < 0)
			return error_set(err, r, "cannot keep the fields");
		if (length == 0 || (text[length] && !text[length + 1]))
			return error_say(err, -EINVAL,
				"%s: names with single commas between are expected, not '%.60s'",
				source, text);
		if (*n > FIELDS_MAX)
			return error_say(
				err, -EINVAL, "%s: more than %d fields", source, FIELDS_MAX);
		text += length + (text[length] == ',');
	}
	return *n ? 0 : error_say(err, -EINVAL, "%s: no field is named", source);
}

static int read_wheres(const struct option_value *value, struct ls_query *query, struct error *err)
{
	uint64_t now = clock_realtime_ns();

	for (size_t i = 0; i < value->n_all; i++) {
		struct where *where;
		int r = where_parse(value->all[i], now, &where, err);

		if (r < 0)
			return error_wrap(err, "%s", value->parts[i].source);
		r = ls_query_where(query, where);
		if (r < 0)
			return error_set(err, r, "cannot keep the expression");
	}
	return 0;
}

static int read_newest(const struct verb *verb, const struct option_values *values,
	struct ls_query *query, struct error *err)
{
	const struct option_value *value = verb_value(verb, values, "newest");
	char *end;

	query->newest = verb_option(verb, values, "last") ? 1 : 0;
	if (!value->text)
		return 0;
	errno = 0;
	unsigned long n = strtoul(value->text, &end, 10);
	if (value->text[0] < '0' || value->text[0] > '9' || *end || errno || n == 0 ||
		n > NEWEST_MAX)
		return error_say(err, -EINVAL, "%s: '%.60s' is not a number of runs", value->source,
			value->text);
	if (query->newest)
		return error_say(
			err, -EINVAL, "%s and --last: one of them says how many", value->source);
	/* Of an order that was asked for its greatest, as the newest are those of the usual one. */
	*(verb_value(verb, values, "sort")->text ? &query->top : &query->newest) = n;
	return 0;
}

static int read_fields(const struct verb *verb, const struct option_values *values, bool usual,
	struct ls_query *query, struct error *err)
{
	const struct option_value *fields = verb_value(verb, values, "fields");
	const struct option_value *sort = verb_value(verb, values, "sort");
	char defaults[sizeof(DEFAULT_FIELDS) + 16];
	int r;

	/* In the usual place ids are enough to tell them apart, and 'assay show' takes them. */
	snprintf(defaults, sizeof(defaults), "%s,%s", usual ? "id" : "prefix", DEFAULT_FIELDS);
	r = add_names(query, fields->text ? fields->source : "",
		fields->text ? fields->text : defaults, &query->fields, &query->n_fields, err);
	if (r == 0)
		r = add_names(query, sort->text ? sort->source : "",
			sort->text ? sort->text : "started", &query->sort, &query->n_sort, err);
	/* Nobody wrote these: it is no mistake that no run has them. */
	for (size_t i = 0; r == 0 && !fields->text && i < query->n_fields; i++)
		query->seen[query->fields[i]] = true;
	if (r == 0 && ls_query_name(query, "started", &query->started) < 0)
		r = error_set(err, -ENOMEM, "cannot keep the fields");
	return r;
}

/* In the table the signal or the limit stands where there is no exit code. */
static int add_endings(const struct option_value *format, struct ls_query *query, struct error *err)
{
	static const char *const names[] = { "limit", "signal" };
	size_t n = query->n_fields;
	int r = 0;

	if (format->text && format->number != LS_TABLE)
		return 0;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(names); i++) {
		size_t number;
		size_t *more = realloc(query->fields, (n + 1) * sizeof(*more));

		if (more)
			query->fields = more;
		size_t before = query->n_names;
		r = more ? ls_query_name(query, names[i], &number) : -ENOMEM;
		if (r < 0)
			return error_set(err, r, "cannot keep the fields");
		/* nobody wrote it */
		if (query->n_names > before)
			query->seen[number] = true;
		query->fields[n++] = number;
	}
	query->n_besides = n - query->n_fields;
	return 0;
}

static int read_query(const struct verb *verb, const struct option_values *values, bool usual,
	struct ls_query *query, struct error *err)
{
	int r = read_newest(verb, values, query, err);

	query->reverse = verb_option(verb, values, "reverse") != NULL;
	if (r == 0)
		r = read_wheres(verb_value(verb, values, "where"), query, err);
	if (r == 0)
		r = read_fields(verb, values, usual, query, err);
	if (r == 0)
		r = add_endings(verb_value(verb, values, "format"), query, err);
	return r;
}

static int find_all(struct ls_find *find, char **words)
{
	int r = 0;

	if (!words[0])
		return ls_find_usual(find);
	for (; r == 0 && *words; words++)
		r = ls_find(find, *words);
	return r;
}

/* A file may be replaced between the look at it and now; then all is looked for again, the last time without an index. */
static int look(struct ls_find *find, char **words)
{
	int r = 1;

	for (int turn = 0; r == 1; turn++) {
		ls_rows_clear(find->rows);
		ls_indexed_done(find);
		*find->problems =
			(struct ls_problems){ .shown = find->problems->shown && turn == 0 };
		find->found = 0;
		find->no_index = find->no_index || turn == 3;
		find->rebuild_index = find->rebuild_index && turn == 0;
		r = find_all(find, words);
		if (r == 0) {
			ls_rows_arrange(find->rows);
			r = ls_indexed_fill(find);
		}
	}
	return r;
}

static void add_known(const char *name, void *context)
{
	ls_names_add(context, name);
}

/* "memory_peek" is no field of any run; memory_peak_bytes may have been meant. A name that other runs have is no mistake. */
static void warn_of_unseen(const struct ls_find *find)
{
	const struct ls_query *query = find->rows->query;

	if (find->level < LOG_WARNING || find->rows->looked_at == 0)
		return;
	/* Those of the runs are not told from here on. */
	field_known(add_known, find->names);
	for (size_t i = 0; i < query->n_names; i++) {
		const char *near;

		/* these are no mistakes, even where no run has them */
		if (query->seen[i] || i == query->started || field_is_of_files(query->names[i]) ||
			field_is_apart(query->names[i]))
			continue;
		near = ls_names_nearest(find->names, query->names[i]);
		if (near && strcmp(near, query->names[i]) == 0)
			continue;
		complain("no run here has a field '%.80s'%s%s%s", query->names[i],
			near ? "; '" : "", near ? near : "", near ? "' is the nearest" : "");
	}
}

static void put_name(const char *name, void *context)
{
	struct buf *out = context;

	text_add_printable(out, name, strlen(name));
	buf_add_char(out, '\n');
}

static int write_out(const struct buf *out)
{
	int r = write_data(out);

	/* Whoever reads has had enough. */
	if (r == -EPIPE)
		return 0;
	return close_data(r);
}

/* What could not be read was named already. */
static void say_none(const struct ls_find *find)
{
	if (find->rows->looked_at == 1)
		complain("the one run here does not match");
	else if (find->rows->looked_at > 0)
		complain("none of the %llu runs here matches",
			(unsigned long long) find->rows->looked_at);
	else if (find->problems->n_kinds == 0)
		complain("there are no runs here");
}

static int show(const struct ls_find *find, bool list_fields, enum ls_format format)
{
	const struct ls_rows *rows = find->rows;
	struct ls_paper paper = ls_paper_of_stdout();
	struct buf out = { 0 };
	int status;

	if (list_fields)
		ls_names_each(find->names, put_name, &out);
	else if (format != LS_TABLE)
		ls_write(rows, format, &out);
	else if (rows->n > 0)
		ls_table(rows, &paper, &out);
	else if (find->level >= LOG_INFO)
		say_none(find);
	status = write_out(&out);
	buf_done(&out);
	return status;
}

static int list(
	const struct verb *verb, struct option_values *values, char **words, struct ls_query *query)
{
	struct ls_rows rows = { .query = query };
	struct ls_names names = { 0 };
	struct ls_problems problems = { 0 };
	struct ls_find find = { .rows = &rows,
		.problems = &problems,
		.names = &names,
		.all_names = verb_option(verb, values, "list-fields") != NULL,
		.output_prefix = runs_prefix(verb, values),
		.level = record_log_level(verb, values),
		.no_index = verb_option(verb, values, "no-index") != NULL,
		.rebuild_index = verb_option(verb, values, "rebuild-index") != NULL };
	const struct option_value *format = verb_value(verb, values, "format");
	int status = EXIT_TROUBLE;

	if (!find.output_prefix)
		find.output_prefix = ".assay/runs/";
	problems.shown = find.level >= LOG_WARNING;
	if (ls_words_apart(words) < 0 || look(&find, words) < 0) {
		complain("there is not enough memory for a list of these runs");
	} else {
		if (!find.all_names)
			warn_of_unseen(&find);
		status = show(&find, find.all_names,
			format->text ? (enum ls_format) format->number : LS_TABLE);
	}
	if (ls_problems_end(&problems))
		status = EXIT_TROUBLE;
	ls_rows_clear(&rows);
	ls_indexed_done(&find);
	ls_names_done(&names);
	return status;
}

int program_body(const struct verb *verb, struct option_values *values, char **words)
{
	struct ls_query query = { 0 };
	struct error err = { 0 };
	int status;

	log_flush(&values->log, record_log_level(verb, values));
	if (read_query(verb, values, words[0] == NULL, &query, &err) < 0)
		status = complain_usage(verb, err.text);
	else
		status = list(verb, values, words, &query);
	ls_query_done(&query);
	return status;
}
