/* SPDX-License-Identifier: MIT */
/* What the cgroup collectors share: the files of the job's cgroups, opened once, and what was seen in them. */
#ifndef ASSAY_COLLECT_CGROUP_READING_H
#define ASSAY_COLLECT_CGROUP_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/cgroup_view.h"
#include "linux/write_watch.h"
#include "model/value.h"

struct batch;
struct collect;
struct error;

/* By what they say; the names differ between the versions. */
enum cgroup_file {
	CGROUP_FILE_MEMORY_CURRENT,
	CGROUP_FILE_MEMORY_PEAK,
	CGROUP_FILE_MEMORY_STAT,
	CGROUP_FILE_MEMORY_KERNEL, /* v1 */
	CGROUP_FILE_MEMORY_EVENTS,
	CGROUP_FILE_MEMORY_FAILCNT, /* v1 */
	CGROUP_FILE_SWAP_CURRENT, /* v2, as the next */
	CGROUP_FILE_SWAP_PEAK,
	CGROUP_FILE_CPU_STAT, /* v1: throttling only */
	CGROUP_FILE_CPU_USAGE, /* v2: cpu.stat of the process's own cgroup */
	CGROUP_FILE_CPU_SPLIT, /* v1 */
	CGROUP_FILE_PIDS_CURRENT,
	CGROUP_FILE_PIDS_PEAK,
	CGROUP_FILE_PIDS_EVENTS,
	CGROUP_FILE_IO_BYTES,
	CGROUP_FILE_IO_OPERATIONS, /* v1 */
	CGROUP_FILE_PRESSURE_CPU,
	CGROUP_FILE_PRESSURE_MEMORY,
	CGROUP_FILE_PRESSURE_IO,
	N_CGROUP_FILES
};

struct cgroup_open_file {
	uint64_t inode; /* of the directory it was opened in; 0: not yet */
	int fd; /* or a negative errno */
};

/* All zero in the beginning. */
struct cgroup_reading {
	struct cgroup_open_file files[N_CGROUP_FILES];
	struct {
		uint64_t inode; /* of the place it was read for; 0: not yet */
		uint64_t value;
		int error;
	} limits[N_CGROUP_LIMIT_KINDS];
	bool descriptors_known, few_descriptors; /* then no file is kept open */
	bool left
		[N_CGROUP_CONTROLLERS]; /* the command or another process of the job was seen elsewhere */
	uint64_t begun_ns, looked_ns, look_due_ns; /* when that is looked at again */
	size_t look_position; /* in the ledger, of the next one */
	/* of version 1, whose counters whoever may write to them sets back */
	struct write_watch writes;
	int watched[N_CGROUP_FILES]; /* what their events are known by; 0: not watched */
	uint64_t latest[N_CGROUP_FILES]; /* as read, to see them fall */
	bool set_back[N_CGROUP_FILES]; /* or it may have been, and nobody would have told us */
};

void cgroup_reading_close(struct cgroup_reading *r);

/* The version of the place the file is in, or 0. */
int cgroup_file_version(const struct collect *c, enum cgroup_file file);
/* Its text; a negative errno when it is not there. -ESTALE: the cgroup was removed and another one has its place. */
ssize_t cgroup_file_read(struct collect *c, enum cgroup_file file, char *text, size_t size);
/* The same for a file of one number. */
int cgroup_file_number(struct collect *c, enum cgroup_file file, uint64_t *ret);
/* Takes what cgroup_limit_read() just said (its error, its value), so that it need not be asked again. */
void cgroup_limit_keep(struct cgroup_reading *r, const struct cgroup_view *view,
	enum cgroup_limit_kind kind, int error, uint64_t value);
/* The tightest limit as it stood when the job began; -ENODATA: there is none. */
int cgroup_limit_at_start(struct collect *c, enum cgroup_limit_kind kind, uint64_t *ret);

/* Whether the controller's cgroup was made for the job. */
bool cgroup_is_own(const struct collect *c, enum cgroup_controller controller);
/* What may be said of what is counted: in a cgroup made for the job `own`, in one that may hold others an upper bound; once some of the job has left
 * it, a lower bound and an estimate. */
enum quality cgroup_quality(
	const struct collect *c, enum cgroup_controller controller, enum quality own);
/* Whether the counter or the mark of that file was set back, or may have been: what it had counted until then is not in it. */
bool cgroup_was_set_back(const struct collect *c, enum cgroup_file file);
/* The same as cgroup_put() for what can be set back: then it is no more than a lower bound. */
void cgroup_put_mark(const struct collect *c, struct batch *out, enum cgroup_file file,
	unsigned row, int r, uint64_t n);
/* Puts the number, or why it is not there. */
void cgroup_put(const struct collect *c, struct batch *out, enum cgroup_controller controller,
	unsigned row, int r, uint64_t n);
/* How often a limit was hit: the kernel counts it where the limit stands, which may be above; and others may have hit it. */
void cgroup_put_hits(const struct collect *c, struct batch *out, enum cgroup_controller controller,
	unsigned row, int r, uint64_t n);

/* Each collector's read begins with it: now and then it looks whether the job's processes are still in these cgroups. */
void cgroup_reading_begin(struct collect *c, uint64_t now_ns);

/* For probes: 0, or why there is nothing to read. */
int cgroup_probe(const struct collect *c, enum cgroup_controller controller, struct error *err);

#endif
