/* SPDX-License-Identifier: MIT */
/* Writes a run that was read from another tool's file as one of assay's: whole or not at all. */
#ifndef ASSAY_RECORD_WRITE_RUN_H
#define ASSAY_RECORD_WRITE_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct error;
struct series_survey;
struct stored_run;

struct write_run_options {
	const char *prefix;
	const char *id;
	const char *version; /* of this program */
	const char *const *
		tags; /* "KEY=VALUE", NULL-terminated, or NULL; they go before those that the file has */
	uint64_t realtime_ns; /* of the import */
	bool clobber;
	bool guarded; /* nobody chose the prefix: RUN_PLACE_NOT_TRUSTED where somebody else could have made what leads there */
	const volatile sig_atomic_t *stop; /* not 0: give up, with -EINTR */
};

/*
 * PREFIXusage.jsonl (when the run has windows) and then PREFIXinfo.json, each with all it holds before it has its name; directories are made. A window is held in
 * memory at a time. When anything fails nothing of it stays, and a record that was to be replaced is there again. -EEXIST: there is a record.
 */
int write_run(const struct stored_run *run, const struct write_run_options *options,
	struct series_survey *ret, struct error *err);

#endif
