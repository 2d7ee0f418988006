/* SPDX-License-Identifier: MIT */
/* Keeps what is meant, and puts it in order. */
#include "cli/ls_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

/* Beyond those that are wanted: sorted out together. */
#define NEWEST_SPARE 1000

int ls_query_name(struct ls_query *query, const char *name, size_t *ret)
{
	for (*ret = 0; *ret < query->n_names; ++*ret)
		if (strcmp(query->names[*ret], name) == 0)
			return 0;
	char **names = realloc(query->names, (query->n_names + 1) * sizeof(*names));
	if (names)
		query->names = names;
	bool *seen = realloc(query->seen, (query->n_names + 1) * sizeof(*seen));
	if (seen)
		query->seen = seen;
	char *copy = strdup(name);
	if (!names || !seen || !copy) {
		free(copy);
		return -ENOMEM;
	}
	query->names[query->n_names] = copy;
	query->seen[query->n_names++] = false;
	return 0;
}

int ls_query_where(struct ls_query *query, struct where *where)
{
	size_t n = where_n_fields(where);
	struct where **wheres = realloc(query->wheres, (query->n_wheres + 1) * sizeof(*wheres));

	if (wheres)
		query->wheres = wheres;
	size_t **all = realloc(query->where_names, (query->n_wheres + 1) * sizeof(*all));
	if (all)
		query->where_names = all;
	size_t *numbers = calloc(n, sizeof(*numbers));
	if (!wheres || !all || !numbers) {
		free(numbers);
		where_free(where);
		return -ENOMEM;
	}
	query->wheres[query->n_wheres] = where;
	query->where_names[query->n_wheres++] = numbers;
	for (size_t i = 0; i < n; i++)
		if (ls_query_name(query, where_field(where, i), &numbers[i]) < 0)
			return -ENOMEM;
	return 0;
}

void ls_query_done(struct ls_query *query)
{
	for (size_t i = 0; i < query->n_names; i++)
		free(query->names[i]);
	for (size_t i = 0; i < query->n_wheres; i++) {
		where_free(query->wheres[i]);
		free(query->where_names[i]);
	}
	free(query->names);
	free(query->seen);
	free(query->fields);
	free(query->sort);
	free(query->wheres);
	free(query->where_names);
	*query = (struct ls_query){ 0 };
}

struct field ls_cell_field(const struct ls_cell *cell)
{
	struct field field = { .type = (enum field_type) cell->type, .quality = cell->quality };

	switch (field.type) {
	case FIELD_TEXT:
		field.text = cell->text;
		field.n = cell->n;
		break;
	case FIELD_REAL:
		field.number = cell->number;
		break;
	case FIELD_INTEGER:
	case FIELD_BOOL:
		field.integer = cell->integer;
		field.number = (double) cell->integer;
		break;
	default:
		break;
	}
	return field;
}

static void cell_done(struct ls_cell *cell)
{
	if (cell->type == FIELD_TEXT)
		free(cell->text);
	*cell = (struct ls_cell){ 0 };
}

static int cell_set(struct ls_cell *cell, const struct field *field)
{
	size_t n = field->n > UINT32_MAX - 1 ? UINT32_MAX - 1 : field->n;

	cell_done(cell);
	if (field->type == FIELD_TEXT) {
		cell->text = malloc(n + 1);
		if (!cell->text)
			return -ENOMEM;
		memcpy(cell->text, field->text, n);
		cell->text[n] = '\0';
		cell->n = (uint32_t) n;
		cell->json = field->owned != NULL;
	} else if (field->type == FIELD_REAL) {
		cell->number = field->number;
	} else {
		cell->integer = field->integer;
	}
	cell->type = (uint8_t) field->type;
	cell->quality = field->quality;
	return 0;
}

/* The run in turn, as an expression asks for its fields. */
struct asking {
	struct ls_query *query;
	const size_t *numbers;
	ls_lookup *lookup;
	void *run;
};

static struct field answer(const char *name, size_t which, void *context)
{
	const struct asking *a = context;
	size_t number = a->numbers[which];
	struct field field = a->lookup(a->run, name, number);

	a->query->seen[number] = a->query->seen[number] || field.type != FIELD_ABSENT;
	return field;
}

/* A name that no run has is a mistake, and an expression that is decided before may not ask for it. */
static void look_for_unseen(struct ls_query *query, ls_lookup *lookup, void *run)
{
	for (size_t i = 0; i < query->n_names; i++) {
		if (query->seen[i])
			continue;
		struct field field = lookup(run, query->names[i], i);
		query->seen[i] = field.type != FIELD_ABSENT;
		field_done(&field);
	}
}

static bool is_meant(struct ls_query *query, ls_lookup *lookup, void *run)
{
	for (size_t i = 0; i < query->n_wheres; i++) {
		struct asking a = { query, query->where_names[i], lookup, run };

		if (where_judge(query->wheres[i], answer, &a) != WHERE_TRUE)
			return false;
	}
	return true;
}

static int fill(
	struct ls_rows *rows, struct ls_row *row, size_t number, ls_lookup *lookup, void *run)
{
	struct field field = lookup(run, rows->query->names[number], number);
	int r = cell_set(&row->cells[number], &field);

	field_done(&field);
	return r;
}

int ls_row_fill(struct ls_rows *rows, struct ls_row *row, ls_lookup *lookup, void *run)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < rows->query->n_fields + rows->query->n_besides; i++)
		r = fill(rows, row, rows->query->fields[i], lookup, run);
	row->whole = r == 0;
	return r;
}

static int make_room(struct ls_rows *rows)
{
	size_t room = rows->room ? 2 * rows->room : 64;
	struct ls_row *list;

	if (rows->n < rows->room)
		return 0;
	list = realloc(rows->list, room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	rows->list = list;
	rows->room = room;
	return 0;
}

struct order {
	const size_t *by;
	size_t n;
	bool reverse;
	bool newest;
};

static int compare_rows(const void *a, const void *b, void *context);

/* Of those that began last only as many are kept, nearly, as are wanted: once there are twice as many, the others go. */
static void keep_newest(struct ls_rows *rows)
{
	const struct ls_query *query = rows->query;
	struct order by_start = { &query->started, 1, true, true };

	if (query->newest == 0 || rows->n < 2 * query->newest + NEWEST_SPARE)
		return;
	qsort_r(rows->list, rows->n, sizeof(*rows->list), compare_rows, &by_start);
	ls_rows_cut(rows, query->newest);
	rows->limit = rows->n;
}

/* Whether so many that are kept began later already. */
static bool is_too_old(struct ls_rows *rows, ls_lookup *lookup, void *run)
{
	const struct ls_query *query = rows->query;
	const struct ls_cell *last;
	struct field field;
	bool older;

	if (rows->limit == 0)
		return false;
	last = &rows->list[rows->limit - 1].cells[query->started];
	field = lookup(run, query->names[query->started], query->started);
	older = last->type == FIELD_TEXT && field.type == FIELD_TEXT &&
		strcmp(field.text, last->text) < 0;
	field_done(&field);
	return older;
}

int ls_rows_take(struct ls_rows *rows, const char *file, ls_lookup *lookup, void *run, bool early)
{
	struct ls_query *query = rows->query;
	struct ls_row row = { 0 };
	int r;

	rows->looked_at++;
	look_for_unseen(query, lookup, run);
	keep_newest(rows);
	r = make_room(rows);
	if (r < 0 || is_too_old(rows, lookup, run) || !is_meant(query, lookup, run))
		return r;
	row.file = file ? strdup(file) : NULL;
	row.cells = calloc(query->n_names, sizeof(*row.cells));
	if ((file && !row.file) || !row.cells)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < query->n_sort; i++)
		r = fill(rows, &row, query->sort[i], lookup, run);
	if (r == 0)
		r = fill(rows, &row, query->started, lookup, run);
	if (r == 0 && !early)
		r = ls_row_fill(rows, &row, lookup, run);
	rows->list[rows->n++] = row;
	return r < 0 ? r : 1;
}

static int compare_texts(const struct ls_cell *a, const struct ls_cell *b)
{
	int order = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);

	return order ? order : (a->n > b->n) - (a->n < b->n);
}

/* Numbers by their values, before texts by their bytes. */
static int compare_cells(const struct ls_cell *a, const struct ls_cell *b)
{
	if (a->type == FIELD_TEXT && b->type == FIELD_TEXT)
		return compare_texts(a, b);
	if (a->type == FIELD_TEXT || b->type == FIELD_TEXT)
		return a->type == FIELD_TEXT ? 1 : -1;
	if (a->type != FIELD_REAL && b->type != FIELD_REAL)
		return (a->integer > b->integer) - (a->integer < b->integer);
	double x = a->type == FIELD_REAL ? a->number : (double) a->integer;
	double y = b->type == FIELD_REAL ? b->number : (double) b->integer;
	return (x > y) - (x < y);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct ls_row *x = a;
	const struct ls_row *y = b;
	const struct order *order = context;

	for (size_t i = 0; i < order->n; i++) {
		const struct ls_cell *p = &x->cells[order->by[i]];
		const struct ls_cell *q = &y->cells[order->by[i]];

		/* Those that have none are last, whichever way round. */
		if (p->type == FIELD_ABSENT || q->type == FIELD_ABSENT) {
			if (p->type != q->type)
				return p->type == FIELD_ABSENT ? 1 : -1;
			continue;
		}
		int found = compare_cells(p, q);
		if (found)
			return order->reverse ? -found : found;
	}
	/* Of the files of one run that of the job, which has the shortest name, stands for the last run. */
	if (order->newest && strlen(x->file) != strlen(y->file))
		return strlen(x->file) < strlen(y->file) ? -1 : 1;
	int by_name = strcmp(x->file, y->file);
	return order->reverse ? -by_name : by_name;
}

static void row_done(struct ls_rows *rows, struct ls_row *row)
{
	for (size_t i = 0; row->cells && i < rows->query->n_names; i++)
		cell_done(&row->cells[i]);
	free(row->cells);
	free(row->file);
}

void ls_rows_arrange(struct ls_rows *rows)
{
	const struct ls_query *query = rows->query;
	struct order by_start = { &query->started, 1, true, true };
	struct order order = { query->sort, query->n_sort, query->reverse, false };
	struct order greatest = { query->sort, query->n_sort, true, false };

	if (query->top) {
		qsort_r(rows->list, rows->n, sizeof(*rows->list), compare_rows, &greatest);
		ls_rows_cut(rows, rows->n < query->top ? rows->n : query->top);
	}
	if (query->newest) {
		qsort_r(rows->list, rows->n, sizeof(*rows->list), compare_rows, &by_start);
		ls_rows_cut(rows, rows->n < query->newest ? rows->n : query->newest);
	}
	if (rows->n)
		qsort_r(rows->list, rows->n, sizeof(*rows->list), compare_rows, &order);
}

void ls_rows_cut(struct ls_rows *rows, size_t n)
{
	if (rows->limit > n)
		rows->limit = 0;
	while (rows->n > n)
		row_done(rows, &rows->list[--rows->n]);
}

int ls_rows_join(struct ls_rows *rows, struct ls_rows *more)
{
	struct ls_row *list = rows->list;

	if (rows->n + more->n > rows->room)
		list = realloc(list, (rows->n + more->n) * sizeof(*list));
	if (more->n > 0 && !list)
		return -ENOMEM;
	rows->list = list;
	if (rows->n + more->n > rows->room)
		rows->room = rows->n + more->n;
	for (size_t i = 0; i < more->n; i++)
		list[rows->n++] = more->list[i];
	rows->looked_at += more->looked_at;
	more->n = 0;
	return 0;
}

void ls_rows_clear(struct ls_rows *rows)
{
	ls_rows_cut(rows, 0);
	free(rows->list);
	*rows = (struct ls_rows){ .query = rows->query };
}
