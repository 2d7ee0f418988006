/* SPDX-License-Identifier: MIT */
/*
 * A run as it is read back: one of assay's, or a file of another tool brought into the same words. Whatever it was, `info` is an object as
 * man 5 assay-run describes info.json, and the windows are objects as it describes a line of usage.jsonl; what shows, compares, counts or exports
 * runs knows nothing else. Not for several threads at once.
 */
#ifndef ASSAY_RECORD_STORED_RUN_H
#define ASSAY_RECORD_STORED_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct importer;

#define STORED_INFO_MAX ((size_t) 16 * 1024 * 1024) /* bytes of an info file that is read at all */
#define STORED_LINE_MAX ((size_t) 16 * 1024 * 1024) /* of a line of a series */
#define STORED_SERIES_MAX (UINT64_C(16) << 30) /* of a series: some years of a thousand processes */
#define STORED_KEYS_MAX 100000u /* measurements of a run, or of one of its windows */

enum stored_state {
	STORED_DONE,
	STORED_RUNNING,
	STORED_LOST, /* its recorder ended and never came to say so */
	N_STORED_STATE
};

struct stored_run {
	char *file; /* the one `info` was read from: an info file, a lone series, or another tool's */
	char *prefix; /* what the names of its files begin with: DIRECTORY/ or DIRECTORY/NAME_ */
	char *series; /* the file of its windows; NULL: there is none */
	const char *format; /* "assay", or the importer's name; a literal */
	const struct importer *importer; /* NULL: it is assay's own */
	size_t which; /* a file may hold several runs: 0 is the first */
	json_t *info;
	enum stored_state state;
	char why[200]; /* of a lost one how that is known, of a running one why that may be over; "" */
};

/* What was met while the windows were read. */
struct series_survey {
	uint64_t windows;
	uint64_t damaged; /* lines that could not be read; the first of them */
	uint64_t first_damaged;
	uint64_t
		missing; /* numbers that are left out between windows, and of a run that is done behind the last */
	bool torn; /* its last line is not whole: the recorder was killed, or is just writing it */
};

/*
 * Reads a run. `name` is any of its files (info.json, usage.jsonl, stdout, live ...), its directory, its prefix, or a file of another tool that an importer
 * knows. 0; or a negative errno with one line that names the file: -ENOENT nothing there, -EINVAL it is damaged or nothing that is known, -EFBIG, -EACCES ...
 */
int stored_run_open(const char *name, struct stored_run *ret, struct error *err);
/* For who reads very many for their fields alone, in half the time: the info file of a run of ours that is done, with no "measurements" in it, which are most of its bytes.
 * Anything else fails without a line, and is for stored_run_open(). */
int stored_run_open_brief(const char *name, struct stored_run *ret);
/* The run numbered `which` of a file that holds several; -ENOENT when there are fewer. Of an own run there is only number 0. */
int stored_run_open_which(
	const char *name, size_t which, struct stored_run *ret, struct error *err);
/* By that importer, whatever the file seems to be. */
int stored_run_open_as(const char *file, size_t which, const struct importer *importer,
	struct stored_run *ret, struct error *err);
/* How many runs the file holds; 1 for all but some of other tools. Or a negative errno with its line. */
int64_t stored_run_count(const char *name, struct error *err);
void stored_run_done(struct stored_run *run);

/* Gets a window, borrowed; a negative errno ends the reading. */
typedef int stored_window(const json_t *window, void *context);
/*
 * Hands over the windows in their order, one at a time, so that a series of any length takes little memory. A run without a series has none: 0.
 * Damaged lines are passed over and counted in *ret (may be NULL). 0, what `each` returned, or a negative errno with its line.
 */
int stored_run_windows(const struct stored_run *run, stored_window *each, void *context,
	struct series_survey *ret, struct error *err);

/* How many windows are missing that neither a damaged line stood for nor the recorder failed to write. */
uint64_t series_missing_unsaid(const struct stored_run *run, const struct series_survey *s);

/* "done", "running", "lost" */
const char *stored_state_name(enum stored_state state);

/* Whole JSON of at most `n` bytes, as a file of a run may hold it: names twice are refused, NULs in texts are not, integers beyond 64 bits
 * become reals. NULL with a line, without the file's name. */
json_t *stored_json(const char *bytes, size_t n, struct error *err);

#endif
