/* SPDX-License-Identifier: MIT */
/* What was asked for, and the runs that were found to be it. */
#ifndef ASSAY_CLI_LS_ROWS_H
#define ASSAY_CLI_LS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fields.h"
#include "run/where.h"

struct buf;
struct error;

/* A value that is kept: a run has many, and there may be many runs. */
struct ls_cell {
	union {
		int64_t integer; /* of a truth too */
		double number;
		char *text;
	};
	uint32_t n; /* bytes of the text */
	uint8_t type; /* enum field_type */
	uint8_t quality;
	bool json; /* a text: a list or an object */
};

/* What is asked for; `names` holds each field once, and is spoken of by its number there. */
struct ls_query {
	char **names;
	bool *seen; /* some run has it */
	size_t n_names;
	size_t *fields, n_fields; /* shown, in this order */
	size_t n_besides; /* behind those: what is shown follows from them, too */
	size_t *sort, n_sort;
	size_t started; /* the one that tells which came last */
	struct where **wheres;
	size_t **where_names; /* of each, the number of each of its fields */
	size_t n_wheres;
	size_t newest; /* so many that began last; 0: all */
	size_t top; /* so many that are greatest in the order; 0: all */
	bool reverse;
};

/* -ENOMEM or 0. */
int ls_query_name(struct ls_query *query, const char *name, size_t *ret);
int ls_query_where(struct ls_query *query, struct where *where);
void ls_query_done(struct ls_query *query);

struct ls_row {
	char *file;
	struct ls_cell *
		cells; /* as many as names; until it is whole, only those of the order are filled in */
	bool whole;
	void *source; /* of one that is not whole: who can fill it in, and what it calls the run */
	int64_t id;
};

struct ls_rows {
	struct ls_query *query;
	struct ls_row *list;
	size_t n, room;
	uint64_t looked_at; /* those that are not meant too */
	size_t limit; /* the last of so many began latest, so far; 0: it is not known */
};

/* A value of the run in turn, by its number among the names. */
typedef struct field ls_lookup(void *run, const char *name, size_t number);

/* Keeps the run if it is meant: 1, and it is the last of the list (`file` may be given to it then); 0: it is not. With `early` only what it is chosen and sorted by is looked up now. */
int ls_rows_take(struct ls_rows *rows, const char *file, ls_lookup *lookup, void *run, bool early);
/* Fills in what was not looked up yet. -ENOMEM or 0. */
int ls_row_fill(struct ls_rows *rows, struct ls_row *row, ls_lookup *lookup, void *run);
/* Puts them in order and leaves those that came last. */
void ls_rows_arrange(struct ls_rows *rows);
/* Leaves the first n. */
void ls_rows_cut(struct ls_rows *rows, size_t n);
/* Takes those of another list of the same query over. -ENOMEM or 0. */
int ls_rows_join(struct ls_rows *rows, struct ls_rows *more);
/* Forgets them, but not what was asked for. */
void ls_rows_clear(struct ls_rows *rows);

/* The value again, borrowed. */
struct field ls_cell_field(const struct ls_cell *cell);

#endif
