/* SPDX-License-Identifier: MIT */
/*
 * An index of the runs below a directory: what their info files said, kept in SQLite so that a list of many is immediate. It is a cache and nothing more: it lies in the
 * cache directory of its user, never among the runs; whatever is wrong with it, the files are read; and what it answers is what they would have said.
 *
 * How it stays true. The directory and all below it are looked at each time (fstatat(2), by several threads): one whose inode, modification or change time is another than before is read
 * again, and each info file in it is looked at. That is enough for what assay writes: a record is made, ended, continued, replaced and removed by rename(2), link(2) and unlink(2), which
 * change the times of its directory. A directory that changed so lately that a second change could leave its times as they are is read again the next time, too. Files that
 * are written in place (other tools'), or are symbolic links, are looked at themselves; runs that are running or lost, and what could not be read, are always read.
 *
 * That look is most of the time a list takes (1.3 us a directory), and what was stored is gone through meanwhile, as if nothing had changed. Nothing of that is used before the look is
 * over; and when a run that was stored is no longer as it was, it is gone through once more. SQLite is used by one thread alone.
 */
#ifndef ASSAY_INDEX_RUN_INDEX_H
#define ASSAY_INDEX_RUN_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fields.h"

struct error;
struct run_index;

#define INDEX_WORTH 100 /* fewer runs are read as fast */

struct run_index_options {
	const char *program_version; /* an index of another is made anew */
	bool rebuild; /* from nothing, also for few runs */
	/* Called once what was stored is known, while it is looked at what changed: it may ask for all that was kept, see run_index_is_as_stored(). Again with another
	 * index, if that was damaged or somebody wrote it. */
	void (*meanwhile)(struct run_index *index, void *context);
	void *context;
};

/*
 * Opens the index of a directory, makes one if there are many runs in it, and finds out what changed. 0; or a negative errno with why it cannot be used: then the
 * files are to be read. -ENOMSG: it is not worth one.
 */
int run_index_open(const char *directory, const struct run_index_options *options,
	struct run_index **ret, struct error *err);
/* Keeps what was stored since; an index that cannot be written stays as it was. NULL. */
struct run_index *run_index_close(struct run_index *index);

/* Which fields run_index_value() is to be asked for: to choose by, without their quality, or to show. Before each of the two below. -ENOMEM, -EIO or 0. */
int run_index_want(struct run_index *index, const char *const *names, size_t n);
int run_index_want_shown(struct run_index *index, const char *const *names, size_t n);
/* Goes through the runs that are as they were. A negative errno of `each` ends it, as -EIO of a damaged index does. */
int run_index_kept(struct run_index *index, int (*each)(int64_t id, void *context), void *context);
/* Whether run_index_kept() says what it said before it was known what changed. */
bool run_index_is_as_stored(const struct run_index *index);
/* The info file of the run in turn, with the directory as it was named; valid until the next. NULL without memory. */
const char *run_index_file(struct run_index *index);
/* Goes to one of them. -ENOENT: its file is no longer as it was, and is read the next time; -EIO. */
int run_index_seek(struct run_index *index, int64_t id);
/* The wanted field of the run in turn; field_done() afterwards. */
struct field run_index_value(struct run_index *index, size_t wanted);

/* Hands over the files that are to be read: new, changed, never settled; and with a code what could not be looked at. */
int run_index_changed(struct run_index *index,
	int (*each)(const char *path, int code, void *context), void *context);
/* In `each`: what was read, to be kept. */
void run_index_store(struct run_index *index, const struct stored_run *run);

/* Whether any run has, or may have, a field of that name. */
bool run_index_has(struct run_index *index, const char *name);
/* The names of all fields. */
void run_index_names(const struct run_index *index, void (*each)(const char *name, void *context),
	void *context);

#endif
