/* SPDX-License-Identifier: MIT */
/* What an index is made of; for its own files. */
#ifndef ASSAY_INDEX_INDEX_PARTS_H
#define ASSAY_INDEX_INDEX_PARTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "index/run_index.h"

#define INDEX_FORMAT 4 /* of the tables and of what is in them; another is made anew */
#define INDEX_CHUNK 512 /* directories in one row of the table */
#define INDEX_NO_DIR UINT32_MAX

enum dir_change { DIR_SAME, DIR_CHANGED, DIR_GONE };

struct index_dir {
	const char *name; /* of the root: ""; in one of the chunks that were loaded, or `owned` */
	char *owned;
	uint32_t parent; /* INDEX_NO_DIR: of the root, and of a place that is free */
	uint8_t change; /* enum dir_change */
	bool dirty; /* other than in the table */
	uint64_t inode;
	int64_t modified_ns, changed_ns; /* 0: it is to be read in any case */
};

/* An info file that is to be read. */
struct index_file {
	uint32_t dir;
	char *name;
	struct stat st;
	int code; /* it, or its directory with no name, cannot be looked at */
	bool link; /* a symbolic link */
	bool loose; /* it is known for one that is never settled */
};

struct index_wanted {
	const char *name;
	int64_t number; /* among the names; -1: no run has it */
	int64_t same[FIELD_SAME_MAX]; /* the same of our names, where it is one of con-duct's */
	int column; /* of the statement, from 0; -1: none */
	bool of_files, in_file; /* found by the files, or only in the info file */
};

struct run_index {
	char *root; /* as it was named */
	int root_fd;
	sqlite3 *db;
	bool writing; /* a transaction that writes is open */
	bool failed; /* something could not be written: nothing of it is kept */
	bool damaged; /* it is removed */
	char *db_path;
	int64_t generation;

	struct index_dir *dirs;
	uint32_t n_dirs, room_dirs, first_free;
	char **chunks; /* as they were loaded */
	uint32_t n_chunks;
	struct index_file *files;
	size_t n_files, room_files;
	struct index_look *look; /* while it goes on */
	const struct index_file *reading; /* the one in turn */
	bool stored; /* it was */
	uint8_t *dropped; /* a bit for each run that is no longer as it was */
	int64_t n_dropped; /* bits */

	char **names; /* by number */
	size_t n_names, room_names, n_stored_names;
	size_t *name_slots; /* a hash of them: number + 1 */
	size_t n_slots;

	struct index_wanted *wanted;
	size_t n_wanted;
	bool want_fields;
	sqlite3_stmt *rows, *row; /* all of them, the one of an id */
	sqlite3_stmt *insert_run, *insert_fields, *insert_loose;
	sqlite3_stmt *turn; /* whichever stands on a run */
	int first_wanted; /* column of the statement */
	struct buf path, bytes;
	char *text; /* of a field that follows from where the files are */
	struct stored_run opened; /* the run in turn, read for what is only in its file */
	bool is_open;
};

/* index_store.c */
int index_run_sql(struct run_index *index, const char *sql);
sqlite3_stmt *index_prepare(struct run_index *index, const char *sql);
int index_load(struct run_index *index);
int index_begin_writing(struct run_index *index);
int index_save(struct run_index *index);

/* index_dirs.c */
/* Looks at all of them: begins it, with nothing of them to be changed meanwhile, and takes part until it is over. -ENOMEM or 0. */
int index_look_begin(struct run_index *index);
int index_look_end(struct run_index *index);
uint32_t index_add_dir(struct run_index *index, uint32_t parent, const char *name);
/* "a/b" without a slash behind it, "." of the root; in index->path. */
const char *index_dir_path(struct run_index *index, uint32_t dir);

/* index_scan.c */
int index_scan_changes(struct run_index *index, int64_t now_ns);

/* index_values.c */
int64_t index_name_number(struct run_index *index, const char *name, bool add);
int index_encode(struct run_index *index, const struct stored_run *run, struct buf *out);
/* FIELD_ABSENT: there is none of that number, or the bytes are damaged. */
struct field index_decode(const unsigned char *bytes, size_t n, int64_t number);

/* Columns of their own, for what is asked for most. */
extern const char *const index_columns[];
extern const size_t n_index_columns;

/* Found to be wrong, damage of the disk is told from what was stored. */
uint64_t index_sum(const void *bytes, size_t n);

static inline int64_t index_ns(const struct timespec *t)
{
	return (int64_t) t->tv_sec * 1000000000 + t->tv_nsec;
}

#endif
