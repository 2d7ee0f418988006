/* SPDX-License-Identifier: MIT */
/* The files of one run being recorded: info.json and usage.jsonl under a prefix. */
#ifndef ASSAY_RECORD_RUN_FILES_H
#define ASSAY_RECORD_RUN_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/record.h"
#include "model/run_info.h"

struct earlier;
struct error;

/* Expands {datetime} (local time, 2026.11.27T20.52.26), {pid} and {{ }} in a prefix. Returns the heap string in *ret; -EINVAL for an
 * unknown or unclosed brace, with a text that names it and what is known. */
int run_prefix_expand(
	const char *format, uint64_t realtime_ns, long pid, char **ret, struct error *err);

/* Whether a prefix holds a name of con-duct's that is no longer used: {datetime_filesafe}, for {datetime}. */
bool run_prefix_is_old(const char *format);

/*
 * Opens a run's files. Parents of the prefix are created. Nothing that exists is overwritten: -EEXIST when a record
 * (one of its files) is there already. Other failures leave nothing half-made.
 * The space for the final info.json is reserved (O_TMPFILE + posix_fallocate) where the file system can, so that a disk which fills up
 * during the run does not lose the summary.
 */
struct run_files;
struct run_files_options {
	/* All of a record that is there already is replaced, by new files: links to the old ones keep what they held. The old record is set
	 * aside under hidden names (set_aside_name) until the new one is there to stay; one that is still being written is -EEXIST. */
	bool clobber;
	bool append; /* a record that is there already is continued: run_files_earlier() */
	bool no_info, no_usage;
	bool guarded; /* the place is nobody's choice: see run_directory.h; RUN_PLACE_NOT_TRUSTED */
	bool fresh; /* none of the record's files is there, nor, where it has a directory of its own, that one; else -EEXIST. Neither clobber nor append */
};
int run_files_open(const char *prefix, const struct run_files_options *options,
	struct run_files **ret, struct error *err);

/* Where they are: O_PATH, borrowed. */
int run_files_directory(const struct run_files *f);

/*
 * Makes one more file of the run, PREFIX and `end`, under the same rules, and gives its descriptor (O_CLOEXEC), which is the caller's.
 * `end` is a literal. -EEXIST when it is there already and is not to be replaced.
 */
int run_files_add(
	struct run_files *f, const char *end, int open_flags, int *ret_fd, struct error *err);

/*
 * Puts a new version in the place of a file that run_files_add made: `fill` writes it into a temporary file, which then takes the name.
 * When any of it fails the old version stands.
 */
int run_files_replace(struct run_files *f, const char *end, int (*fill)(int fd, void *context),
	void *context, struct error *err);

/* Takes one such file back. */
void run_files_remove(struct run_files *f, const char *end);

/* The series: NULL when none is written. One self-contained line a window, appended whole, flushed as written. When the disk is full, lines wait in a
 * bounded buffer and are retried at each window; the oldest are dropped first, and counted. A partly written line is completed or
 * cut off again, so that the file never holds half a line followed by another. Allocates nothing once its buffers have grown. */
struct sink *run_files_sink(struct run_files *f);

/* Writes info.json: atomically (temporary file, rename). With `final` the reserved space is used. */
int run_files_write_info(
	struct run_files *f, const struct assay_run_info *info, bool final, struct error *err);

/* How many windows are waiting and how many were dropped. */
void run_files_counts(const struct run_files *f, uint64_t *ret_written, uint64_t *ret_lost,
	uint64_t *ret_failures);

/* The record that is continued, or NULL. What it says is the caller's to take. */
struct earlier *run_files_earlier(struct run_files *f);
/* Before the first window: it was begun this long before the run, which is its joining of that number, counted from 1. */
void run_files_go_on(struct run_files *f, uint64_t before_ns, uint64_t segment);

/* Of a new record of which nothing could be written: takes back what was created, unless a line of the series is there after all. */
void run_files_remove_empty(struct run_files *f);
/* The run is there to stay: the record that it replaced is removed. run_files_close() does the same. */
void run_files_commit(struct run_files *f);
/* The new record could not be written whole. The one that it replaced gets its place back, and what there is of the new one goes; but the
 * job's captured output is not removed for that: then the old one is left under its hidden names. */
enum old_record run_files_give_way(struct run_files *f);
/* Takes back what was created (a command that never started leaves no record), directories included, and gives a record that was set
 * aside its place back. */
void run_files_discard(struct run_files *f);
/* Closes; returns NULL. */
struct run_files *run_files_close(struct run_files *f);

#endif
