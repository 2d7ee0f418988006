/* SPDX-License-Identifier: MIT */
/*
 * What a run says, as a flat list of named values: the columns of `assay ls`, the words of --where, what `compare` compares. Names are, the first
 * that fits counts:
 *   a quantity of the headline    cpu_seconds, memory_peak_bytes; with .quality .key .lower .upper .why behind it, that of it
 *   a statistic of a measurement  proc_peak_pss_total_bytes; with .quality
 *   of its end                    exit: the code, else the limit or the signal (KILL) that ended it; failed: there where it did not end well
 *   of its files                  state format file prefix series_file logs_bytes
 *   a tag                         tags.KEY
 *   any member by its path        host.hostname  slurm.SLURM_JOB_ID  outcome.exit_code  notes
 *   short for a path              those of FIELD_SHORT in fields.c: exit_code, hostname, command, started ...
 *   as con-duct calls it          those of FIELD_SAME in fields.c: peak_rss, wall_clock_time ...
 */
#ifndef ASSAY_RECORD_FIELDS_H
#define ASSAY_RECORD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/measure.h"
#include "record/stored_run.h"

enum field_type { FIELD_ABSENT, FIELD_INTEGER, FIELD_REAL, FIELD_TEXT, FIELD_BOOL };

struct field {
	enum field_type type;
	int64_t integer; /* also of FIELD_BOOL: 0 or 1 */
	double number; /* of FIELD_INTEGER too */
	const char *
		text; /* of FIELD_TEXT: n bytes, NUL-terminated; borrowed from the run or from `owned` */
	size_t n;
	uint8_t quality; /* enum quality; ABSENT: it is no measured value */
	char *owned; /* of a list or an object, which is its JSON as a text; else NULL */
};

/* Ended by a signal or a limit, or with a code other than 0. */
bool run_failed(const struct stored_run *run);

/* FIELD_ABSENT when the run has none of that name. field_done() afterwards. */
struct field run_field(const struct stored_run *run, const char *name);
void field_done(struct field *field);
/* Every value there is, each by its longest-lived name: headline and statistics by theirs, the rest by paths. Lists and what describes the measurements
 * are left out. Ends early when `each` returns a negative errno, and returns it. */
int run_fields(const struct stored_run *run,
	int (*each)(const char *name, const struct field *field, void *context), void *context);

/*
 * For who keeps what a run says and answers for it later: everything that run_field() finds by a name, a name may come several times with the same value. But not what
 * follows from where the files are (field_is_of_files(): prefix, logs_bytes ...), members that describe the record (field_is_apart(): measurements ...), and objects: the name
 * of one is followed by a dot in the names of others.
 */
int run_every_field(const struct stored_run *run,
	int (*each)(const char *name, const struct field *field, void *context), void *context);
bool field_is_of_files(const char *name);
bool field_is_apart(const char *name);

/* The name of what people write: the title of a column (wall: wall_seconds), host, tag:KEY; else the word as it is. On the heap; NULL without memory. Every
 * verb hands the words for fields through this. */
char *field_meant(const char *word);
/* Names that a run may have whether or not one of those at hand has it (signal, limit, exit_code ...): to tell a misspelt one from one that is absent. */
void field_known(void (*each)(const char *name, void *context), void *context);
/* Of those, the ones that are short for a path, of files, and con-duct's. */
void field_known_short(void (*each)(const char *name, void *context), void *context);

#define FIELD_SAME_MAX 2
/* Our names of what con-duct calls so, the first that a run has; NULL: no more. They count only where a run has nothing under the name itself. */
const char *field_same(const char *name, size_t which);

/* Whether its text is made of shell words, so that what may not be shown is escaped there already: text_add_quoted_printable(). */
bool field_is_quoted(const char *name);

/* How values of that name are shown to people. */
enum field_unit {
	FIELD_PLAIN,
	FIELD_BYTES,
	FIELD_SECONDS,
	FIELD_PERCENT,
	FIELD_CORES,
	FIELD_COUNT,
	FIELD_TIME,
	FIELD_JOULES,
	FIELD_WATTS,
	FIELD_HERTZ,
	FIELD_CELSIUS
};
enum field_unit field_unit(const char *name);
/* "=", "~", ">=", "<=": how a measured value is known; "" of any other. */
const char *field_mark(const struct field *field);
/* For people: "1.50 GiB", "2m 5.0s", "3.96", text as it is (raw: the caller makes it printable). Absent: "-". */
struct buf;
void field_text(const char *name, const struct field *field, struct buf *out);

#endif
