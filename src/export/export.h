/* SPDX-License-Identifier: MIT */
/*
 * Writes runs in the formats of others. To add a format: write export_NAME.c with `const struct exporter NAME_exporter` in this folder, add 'NAME' to
 * its meson.build. What a format calls a value, its unit and its kind come of the record's own rows ("measurements"), never of a list here. What was not
 * measured is not there: no 0, no NaN stands for it.
 */
#ifndef ASSAY_EXPORT_EXPORT_H
#define ASSAY_EXPORT_EXPORT_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/export_rows.h"
#include "record/nameless_file.h"

struct stored_files;

#define EXPORT_FILES_MAX 4

/* What of a run may be chosen. */
#define EXPORT_PROCESSES 1u /* values of single processes */
#define EXPORT_DEVICES 2u
#define EXPORT_MEASUREMENTS 4u /* some of the measurements */

struct export_options {
	const char *measurements; /* keys and globs, comma-separated; NULL: all */
	unsigned subjects; /* EXPORT_PROCESSES, EXPORT_DEVICES */
	bool clobber; /* files of that name are replaced */
	const struct stored_files *inputs; /* never replaced; NULL */
	const volatile sig_atomic_t *stop; /* not 0: give up, with -EINTR; NULL */
	void (*left_out)(
		const char *line, void *context); /* a run or a part of it, and why; NULL */
	void (*warn)(const char *line, void *context); /* NULL: nobody is told */
	void *context;
};

struct export_file {
	struct buf text; /* what was not written yet */
	bool left_out; /* it is not needed after all */

	/* private */
	char *path; /* where it goes in the end; NULL: standard output */
	struct nameless_file file;
	int dirfd; /* where it gets its name */
	bool nameless; /* it has none yet; of one that is written in place, never */
};

struct export
{
	const struct exporter *exporter;
	const struct export_options *options;
	size_t n_runs; /* how many the document will hold */
	size_t n_written; /* those that were before this one */
	struct export_file files[EXPORT_FILES_MAX];
	const char *path; /* what the user called it; NULL: standard output */
	void *state; /* the format's own */
	struct error trouble; /* what went wrong in writing */

	/* private */
	size_t there; /* so much of the first path was there before */
	bool *skip; /* by run: it was left out at the first look */
	bool kept;
	bool begun; /* something of the run at hand may be in the document */
};

struct exporter {
	const char *name; /* "openmetrics": what --to takes */
	const char *help; /* one line, no full stop */
	const char *suffix; /* of a file that gets its name from its run: ".csv" */
	bool several; /* a document may hold more than one run */
	bool directory; /* its files stand in a directory of their own */
	unsigned choices; /* what the user may choose: EXPORT_... */
	const char *
		files[EXPORT_FILES_MAX]; /* what is behind the prefix of each; none: one document */
	/* Sees each run before anything is written. May be NULL, as begin, end and done. */
	int (*look)(struct export *x, struct export_run *run, struct error *err);
	int (*begin)(struct export *x, struct error *err);
	/* Writes one run. 0, or a negative errno with a line; -ENODATA: it cannot be told so, and nothing of it was written. */
	int (*run)(struct export *x, struct export_run *run, struct error *err);
	int (*end)(struct export *x, struct error *err);
	void (*done)(struct export *x); /* gives back `state`, also after a failure */
};

/* All of them, in the order of meson.build. */
extern const struct exporter *const exporters[];
extern const size_t n_exporters;

/* By its name; NULL. */
const struct exporter *exporter_find(const char *name);
/*
 * Writes a document, or the files that stand for one, whole or not at all. `runs`: their info files. `path`: a file, a prefix or a directory; NULL: standard output. A run that cannot be read or be told so is left out. 0, or a
 * negative errno with a line; -ENODATA without one: none of them could be told; -EPIPE: whoever read has gone.
 */
int export_write(const struct exporter *exporter, const struct export_options *options,
	const char *const *runs, size_t n_runs, const char *path, struct error *err);
/* Whether some row of that run is meant by that item of a list of measurements. */
bool export_item_fits(const struct stored_run *run, const char *item, size_t n);

/* For a format: writes out what has come together when it is much; after each window. 0, or a negative errno. */
int export_push(struct export *x);
/* Tells the user, who is told once for a run at most of each thing. */
void export_warn(const struct export *x, const struct export_run *run, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of what could not be read, which makes it no whole export. */
void export_unread(const struct export *x, const struct export_run *run, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
