/* SPDX-License-Identifier: MIT */
/*
 * A run in the making, out of another tool's file, in the words of man 5 assay-run. The first thing that goes wrong is kept: every call after it does
 * nothing, and the one who made the draft sees it at the end. A value that is negative, not finite or beyond NUMBER_LARGEST is none. Statistics over the whole run (peak, mean, last, sum) come of the windows by
 * themselves; an importer gives only those that its file has and the windows do not.
 */
#ifndef ASSAY_RECORD_FOREIGN_DRAFT_H
#define ASSAY_RECORD_FOREIGN_DRAFT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/measure.h"
#include "model/outcome.h"
#include "record/stored_run.h"

struct error;

/* Nothing is so much, in any unit: 16 EiB in bytes. */
#define NUMBER_LARGEST 0x1p64

struct draft {
	json_t *info; /* may be added to directly, too */
	json_t *window; /* the open one, or NULL */
	enum stored_state state; /* by draft_state() */
	char why[200];
	uint64_t damaged; /* by draft_damaged(): lines that could not be used; the first of them */
	uint64_t first_damaged;
	bool torn;
	bool mean_of_windows; /* each counts the same in a mean over the run; else by its seconds */

	/* private */
	const char *format;
	int (*each)(const json_t *window, void *context); /* NULL: the windows are only looked at */
	void *context;
	int ended_by; /* what `each` returned when it was negative */
	uint64_t sequence;
	json_t *totals; /* by key: what the statistics are made of */
	json_t *devices; /* the same of each device */
	const struct measure *rows; /* by draft_begin() */
	size_t n_rows;
	bool whole; /* by draft_whole() */
	int code; /* negative errno of the first trouble */
};

/*
 * Who made the file, and of which version of its format (NULL: it does not say). `rows`: all rows the importer may use, in a table of its own;
 * those that were given a value are told in "measurements".
 */
void draft_begin(struct draft *d, const char *tool, const char *version, const struct measure *rows,
	size_t n_rows);

/* A member of a section ("host", "hostname"); section NULL: of the top. A text that is NULL or empty, a number that is not finite: nothing is added.
 * Bytes that are not UTF-8 are told by U+FFFD, with the exact ones in KEY_hex. */
void draft_text(struct draft *d, const char *section, const char *key, const char *text);
void draft_number(struct draft *d, const char *section, const char *key, double number);
void draft_integer(struct draft *d, const char *section, const char *key, int64_t number);
/* The command: as one text, or as the list of its arguments. */
void draft_command(struct draft *d, const char *text);
void draft_command_words(struct draft *d, size_t n, const char *const *words);
/* Bytes into any object, as draft_text(); 0 or -ENOMEM. */
int draft_raw(json_t *of, const char *key, const char *text);
/* Points in time, nanoseconds since 1970 UTC; 0: not known. */
void draft_started(struct draft *d, uint64_t realtime_ns);
void draft_ended(struct draft *d, uint64_t realtime_ns);
/* Local time without a zone, as seconds since 1970 as if it were UTC. */
void draft_started_local(struct draft *d, double seconds);
void draft_exit_code(struct draft *d, int code, const char *evidence);
void draft_signal(struct draft *d, int number, const char *evidence);
/* What ended it, where it is neither of these two, or not known to be that; in words: `words`. */
void draft_cause(struct draft *d, enum cause cause, const char *words, const char *evidence);
/* By which limit, and whose; name NULL: it is none that has a name here. */
void draft_limit(struct draft *d, const char *name, const char *source);
/* A tag, as `assay run --tag KEY=VALUE` has them. */
void draft_tag(struct draft *d, const char *key, const char *value);
/* It is not "done", and how that is known. */
void draft_state(struct draft *d, enum stored_state state, const char *why);
/* A line of the series (its number, from 1) that cannot be used: left out, counted and told in a note. Torn: it is the last and has no end. */
void draft_damaged(struct draft *d, uint64_t line, bool torn);
/* Of a line_source: those that it has passed over since the last call are damaged, the first of them is that line. */
void draft_too_long(struct draft *d, uint64_t too_long, uint64_t *told, uint64_t line);
/* A sentence that a reader of the run must know. */
void draft_note(struct draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * A quantity of the headline: its name (man 5 assay-run), value in its unit (cores as they are), quality, the row's key that it came from, and why it is
 * no better (NULL).
 */
void draft_headline(struct draft *d, const char *name, double value, enum quality quality,
	const char *key, const char *why);
/* A statistic over the whole run that the file itself tells: "peak", "mean", "min", "last", or "" for the sum of a counter. */
void draft_total(struct draft *d, const char *key, const char *statistic, double value,
	enum quality quality);

/* A window: from, to, in seconds since the run began; its time of day (0: not known); how many samples it stands for. */
void draft_window(struct draft *d, double start_seconds, double end_seconds, uint64_t realtime_ns,
	uint64_t samples);
/* What a row came to in it: "max", "mean", "min", "last" of a gauge, "delta" and "last" of a counter. */
void draft_value(
	struct draft *d, const char *key, const char *reduce, double value, enum quality quality);
/* A process in the open window; start_ticks 0: not known. Borrowed, until the window ends; NULL when nobody wants windows, which draft_of() takes. */
json_t *draft_process(
	struct draft *d, int64_t pid, uint64_t start_ticks, int64_t ppid, const char *name);
/* A device in the open window, by its kind ("gpu", "cpu") and name; made when it is not there. */
json_t *draft_device(struct draft *d, const char *kind, const char *name);
/* A value of one of those. */
void draft_of(struct draft *d, json_t *subject, const char *key, const char *reduce, double value);
/* Closes the window and hands it over. False: nobody wants any more, or something went wrong: the importer may stop. */
bool draft_window_end(struct draft *d);

/* Something is wrong: kept with its errno when it is the first; returns d->code. */
int draft_fail(struct draft *d, struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * For a file that has a run in the words of man 5 assay-run already: its info, and a window; both borrowed. Nothing is made of them, and no other call
 * adds to them. -EINVAL with a line when the info is none.
 */
int draft_whole(struct draft *d, const json_t *info, struct error *err);
/* As draft_window_end(). */
bool draft_whole_window(struct draft *d, const json_t *window);

/* For the one who reads by an importer. */
void draft_init(struct draft *d, const char *format,
	int (*each)(const json_t *window, void *context), void *context);
/* Makes what is still missing in info; the draft's code. */
int draft_finish(struct draft *d, const char *path, struct error *err);
void draft_done(struct draft *d);

#endif
