/* SPDX-License-Identifier: MIT */
/* A line of another tool's table: its cells, and what they say as numbers and times. */
#ifndef ASSAY_RECORD_FOREIGN_CELLS_H
#define ASSAY_RECORD_FOREIGN_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELLS_MAX ((size_t) 64 * 1024)

/* Used again from line to line. */
struct cells {
	char **at; /* NUL-terminated, without the blanks around them; they stand in the line that was split */
	size_t n;
	size_t capacity;
};

/* Splits the line in place at each separator; " ": at any run of blanks and commas. -ENOMEM; -EFBIG: more than CELLS_MAX. */
int cells_split(struct cells *cells, char *line, char separator);
/* The same at commas, where a cell may stand in quotation marks with "" for one of them (RFC 4180). */
int cells_split_quoted(struct cells *cells, char *line);
/* The first cell with that text, by letters alone; -1. */
int cells_find(const struct cells *cells, const char *text);
void cells_done(struct cells *cells);
/* How long U+FEFF is at the beginning of a file, as some editors put it there; 0. */
size_t byte_order_mark(const char *text, size_t n);
/* A copy of the first line that is not empty, to be freed; NULL: no memory. */
char *first_line(const char *text);

/* A decimal number at the beginning, "-12.5e3", that is finite; what follows it. NULL: there is none. */
const char *number_begin(const char *text, double *ret);
/* That and nothing else. */
bool number_is(const char *text, double *ret);

/*
 * "2026-01-02T10:11:12.345", with - or / in the date, T, blank or nothing more, and a zone ("Z", "+0100", "+01:00") or none. Seconds
 * since 1970, as if a time without zone were UTC: good for differences alone.
 */
bool stamp_read(const char *text, double *ret_seconds, bool *ret_zoned);

#endif
