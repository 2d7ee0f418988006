/* SPDX-License-Identifier: MIT */
/* A recorded run told on one page, or as JSON, from its record alone. */
#ifndef ASSAY_SHOW_SHOW_H
#define ASSAY_SHOW_SHOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "run/process_table.h"
#include "show/story.h"

struct buf;
struct page;

struct show_look {
	size_t columns;
	bool color;
	bool ascii; /* no characters beyond it are drawn; texts of the run stay as they are */
	bool charts;
};

/* The page. */
void show_page(struct story *s, const struct show_look *look, struct buf *out);
/* Every process that the series names, in that order. */
void show_processes(
	struct story *s, enum process_order order, const struct show_look *look, struct buf *out);
/* The info object and what follows from it: a new reference, or NULL without memory. */
json_t *show_json(struct story *s);

/* What has come to pass, in order of time, as the lines of the series tell: written piece by piece to `write`, which returns 0 or a negative errno
 * that ends it. -ENOMEM, or what `write` returned. */
int show_events(const struct stored_run *run, const struct show_look *look,
	int (*write)(const struct buf *piece), struct error *err);

/* Every member, a line each: for people (sizes, durations), or raw. */
void show_flat(const struct stored_run *run, bool human, struct buf *out);

/* Parts of the page, each a file of its own. */
void show_ladder(struct page *p, const struct story *s);
void show_limits(struct page *p, const struct story *s);
void show_charts(struct page *p, const struct story *s, const struct show_look *look);
void show_top_processes(struct page *p, struct story *s);
void show_devices(struct page *p, const struct story *s);
/* Calls `each` with a sentence for everything that a reader of the numbers must know. */
void show_warnings(
	const struct story *s, void (*each)(const char *sentence, void *context), void *context);

/* Marks the processes that are among the first of any order: what the page's table has. Sorts the table by CPU. */
#define SHOW_TOP 4
size_t show_pick_processes(struct process_table *t, const struct process_sum **ret, size_t room);

/* What the page says of a run in words, for other pages. Texts of outside are printable in what is added, and raw in what is returned. */
void show_add_outcome(const struct story *s, struct buf *out); /* "exited 0 after 14.1 s" */
bool show_failed(const struct story *s);
const char *show_command(const struct story *s); /* as a shell would take it; NULL */
void show_add_when(const struct story *s, struct buf *out);
double show_wall_seconds(const struct story *s);
/* What was used of what a limit bounds: *ret_words says what that is, *ret_name is the field. NAN: it was not measured. */
double show_limit_used(
	const struct story *s, const json_t *limit, const char **ret_words, const char **ret_name);
bool show_limit_matters(const struct story *s, const json_t *limit);

/* Adds a number in the unit that the name says. */
void show_add_number(const char *name, double number, struct buf *out);
/* The same for a JSON number. */
void show_add_value(const char *name, const json_t *number, struct buf *out);

#endif
