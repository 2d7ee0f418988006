/* SPDX-License-Identifier: MIT */
/*
 * How to add a collector: write src/collect/NAME.c with `const struct collector NAME_collector`, add 'NAME' to the list in
 * src/collect/meson.build. Nothing else: the rows give the fields, the tables and the manual.
 *
 * A collector is one source of readings: one pass of I/O a sample, no rates, no aggregation. `read` puts, for every
 * subject and row, a value or the errno of its absence. It may not allocate, sleep, exec, print, or open a path that
 * is not below the injected roots. The loop stamps the clock before it, measures its cost and counts its failures.
 *
 * What it keeps from sample to sample is a struct in its own file, of `state_size` bytes. The loop makes it, all zero, before open(), and
 * frees it after close(); in each of the collector's functions but probe() it is c->state. With several targets each has its own, where the
 * collector is per_target. What is doubtful of the readings note() says; where a conclusion needs a number that is no row, the collector has
 * a header NAME.h with a function for it, which asks collect_state().
 */
#ifndef ASSAY_COLLECT_COLLECT_H
#define ASSAY_COLLECT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/cgroup_reading.h"
#include "collect/devices.h"
#include "model/measure.h"
#include "model/window.h"

struct account;
struct assay_run_info;
struct census;
struct collector;
struct error;
struct finals;
struct cgroup_view;
struct ledger;
struct process;
struct roots;
struct watch;

/* Why a collector is read for each target: what it reads of is that target's own. */
enum per_target { FOR_ALL, PER_TARGET, PER_CGROUP, PER_NETWORK, N_PER_TARGET };

/* What of the sources is one target's own. */
struct collect_target {
	struct account *account;
	uint32_t
		bits; /* of its account, and of those that are like it: what is found of their members is said of all */
	int like[N_PER_TARGET]; /* an earlier target in the same cgroups, or network namespace, whose readings are its own as well; -1: none */
	struct cgroup_view *cgroup; /* borrowed; NULL: none is read for it */
	bool cgroup_is_target; /* the target is a cgroup, and that one: what it counted is the target's, all of it and nothing else */
	struct cgroup_reading cgroup_reading;
	pid_t network_pid; /* of whose network namespace the interfaces are */
};

/* How much a collector may spend that has a choice of what it reads in a sample, and what it has spent. */
struct pace {
	uint64_t share; /* one part in so many of the time; 0: the collector's own default */
	uint64_t allowed_ns; /* CPU time of one sample, within a budget; 0: there is none */
	bool now; /* a limit is judged by it, or somebody waits for it: all of it in this sample, whatever it costs */
	uint64_t spent_ns; /* CPU time so far */
};

/* What collectors are given, and what several of them share: nothing that is one's own. */
struct collect {
	const struct roots *roots; /* no other path is opened */
	struct ledger *ledger; /* the processes, alive and dead; who the job and the keeper are */
	struct census *census; /* process events of the job */
	struct finals *finals; /* records of its ended tasks */
	struct watch *watch; /* NULL: a job that was started by us */
	/* The one that is being read for, of a collector that is marked per_target; then cgroup, cgroup_reading and states are this target's.
	 * NULL: the job. */
	struct collect_target *target;
	/* where the job's cgroups are; NULL when there are none or they are not to be read. Set before the probes; with a cgroup of its own,
	 * again before the job starts */
	struct cgroup_view *cgroup;
	/* what the collectors of cgroups keep of them from look to look */
	struct cgroup_reading *cgroup_reading;
	void *state; /* of the collector that is called; NULL: it has none */
	/* of all that are in use, in the order of the list: for collect_state() */
	void *const *states;
	struct pace pace;
	/* the measurements in the user's words: what stalls a process is read where its key is named; NULL: not known */
	const char *asked;
	int connector_fd; /* when probing: a subscription that is there already; -1 */
	bool keeper_lost; /* it was killed: from then on nobody tells of the dead */
	uint64_t page_size;
	uint64_t memory_total_bytes; /* of the machine; 0: not known yet */
	uint64_t self_before_ns; /* CPU time of this process before the run */
	uint64_t helpers_cpu_ns; /* of the keeper and of the pumps, so far */
};

#define COLLECTOR_ROWS_MAX 80

/* The sum of a row over processes that is being made in one read. */
struct total {
	uint64_t sum;
	uint32_t present, absent;
	uint8_t quality, why;
};

/* Where one target's readings go, per row. */
struct batch_target {
	struct accumulator *singles; /* of the window */
	struct accumulator *run_singles; /* of the whole run */
	struct total *totals;
};

/* Where readings go: straight into the accumulators of the window. */
struct batch {
	const struct measures *measures;
	const bool *selected;
	const int *column; /* per row: the place in process.rows, or -1 */
	struct accumulator *singles; /* per row, of the window */
	struct accumulator *run_singles; /* per row, of the whole run */
	struct devices *devices;
	struct total *totals; /* per row: the sum being made in this read */
	struct batch_target *
		targets; /* with a watch: the rows that are one target's own, in place of those above */
	size_t n_targets;
	struct batch_target
		*target; /* the one that is being read for; NULL: the job or the machine */
	int first_row; /* of the collector that is reading */
	int rows[COLLECTOR_ROWS_MAX]; /* its rows by their local names */
	uint64_t now_ns; /* its stamp */
};

struct collector {
	const char *name;
	const struct measure *rows;
	size_t n_rows;
	/* What it reads began to count before the job did: it is read once just before the job starts, and a counter's reading of then is
	 * where it begins. */
	bool counted_before;
	bool of_job; /* it tells of a job that was started by us, and of nothing else */
	bool of_targets; /* it tells of a target that was not, and of nothing else */
	enum per_target
		per_target; /* with several targets it is read for each of them, or once for those in one place */
	bool asks_kernel; /* by system calls, its probe too: a recorded tree has no answer */
	bool tells_alone; /* one reading says something without a job, and without one before: assay doctor shows it */
	bool from_ledger; /* it hands on what the ledger read when it looked at the tree: its stamp is that look's */
	/* Bytes of what it keeps from sample to sample; 0: nothing. */
	size_t state_size;
	/* 0, or why not and what would help. Called before the job starts and by `assay doctor`. There is no state yet. */
	int (*probe)(const struct collect *c, struct error *err);
	/* NULL, or what is to be made ready once, for a source that is in use: just before the job starts, which is known by then, at the latest before
	 * the first reading. This may allocate and open files. What fails says so as a probe does: then the source is out of use, and what open()
	 * had made it has undone itself. */
	int (*open)(struct collect *c, struct error *err);
	/* One pass. A negative errno is a failure of the whole source. */
	int (*read)(struct collect *c, struct batch *out);
	/* NULL, or what is to be waited for before the last sample: what the kernel tells late. */
	void (*settle)(struct collect *c);
	/* NULL, or what is to be said of its readings in the notes of a run: what they may lack, and why. Called whenever a run is concluded. */
	void (*note)(const struct collect *c, struct assay_run_info *info);
	/* NULL, or what undoes open() and what reading made. */
	void (*close)(struct collect *c);
};

/* For who reads: opens a collector and gives its state, closes it; in between collector_read() is its pass. */
int collector_open(
	const struct collector *of, struct collect *c, void **ret_state, struct error *err);
int collector_read(const struct collector *of, struct collect *c, void *state, struct batch *out);
void collector_close(const struct collector *of, struct collect *c, void *state);
/* The state of a collector, for the functions of its header; NULL when it is not in use. */
const void *collect_state(const struct collect *c, const struct collector *of);

/* Puts a reading of the collector's own row; who NULL: a single row. put() gives it the row's best quality. */
void put(struct batch *out, struct process *who, unsigned row, uint64_t n);
void put_quality(
	struct batch *out, struct process *who, unsigned row, uint64_t n, enum quality quality);
/* Lowers the quality of the total being made from a per-process row. */
void batch_total_quality(struct batch *out, unsigned row, enum quality quality);
void put_absent(struct batch *out, struct process *who, unsigned row, int error);
/* The rows from `first` up to, not with, `end`. */
void put_all_absent(
	struct batch *out, struct process *who, unsigned first, unsigned end, int error);
/* A single row by the result of reading it: the value where that is 0, else absent. */
void put_result(struct batch *out, unsigned row, int r, uint64_t n, enum quality quality);
/* The same for a row of scope DEVICE. The device is entered under `kind` (a literal: "cpu", "disk", "interface") and `name` when it is first seen;
 * no row of a device that is not selected is kept. */
void put_device(struct batch *out, const char *kind, const char *name, unsigned row, uint64_t n);
void put_device_quality(struct batch *out, const char *kind, const char *name, unsigned row,
	uint64_t n, enum quality quality);
void put_device_absent(
	struct batch *out, const char *kind, const char *name, unsigned row, int error);
/* For a counter of a single row that shows 0 and is to be absent until it shows more: the first number it shows counts whole. */
void begin_at_zero(struct batch *out, unsigned row);

/* A probe for collectors that read files of /proc/PID. */
int collect_needs_proc(const struct collect *c, struct error *err);

/* For the loop: before and after a collector's read. The end makes the totals. */
void batch_begin(struct batch *out, int first_row, uint64_t now_ns);
void batch_end(struct batch *out);

/* All collectors in list order, NULL at the end. */
extern const struct collector *const collectors[];
size_t collectors_count(void);

/* Builds the table of all rows, each total after its base. Free with measures_done(). -ENOMEM, or -EINVAL for a key too long: the rest
 * (measures_check) the tests see to, as the table is the same in each run. */
int measures_build(struct measures *ret, struct error *err);
void measures_done(struct measures *m);

#endif
