/* SPDX-License-Identifier: MIT */
/*
 * How to add a collector: write src/collect/NAME.c with `const struct collector NAME_collector`, add 'NAME' to the list in
 * src/collect/meson.build. Nothing else: the rows give the fields, the tables and the manual.
 *
 * A collector is one source of readings: one pass of I/O a sample, no rates, no aggregation. `read` puts, for every
 * subject and row, a value or the errno of its absence. It may not allocate, sleep, exec, print, or open a path that
 * is not below the injected roots. The loop stamps the clock before it, measures its cost and counts its failures.
 */
#ifndef ASSAY_COLLECT_COLLECT_H
#define ASSAY_COLLECT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/cgroup_reading.h"
#include "collect/devices.h"
#include "collect/disk_growth.h"
#include "linux/kept_file.h"
#include "linux/proc_files.h"
#include "model/measure.h"
#include "model/window.h"
#include "target/pss_round.h"

struct account;
struct census;
struct energy_domains;
struct error;
struct finals;
struct cgroup_view;
struct interfaces;
struct ledger;
struct net_sockets;
struct process;
struct roots;
struct sensor;
struct watch;

/* Files that do not change from sample to sample. */
enum {
	KEPT_STAT,
	KEPT_LOADAVG,
	KEPT_MEMINFO,
	KEPT_OWN_STATUS,
	KEPT_PRESSURE, /* one a resource */
	N_KEPT_FILES = KEPT_PRESSURE + 4
};

#define COLLECT_SCRATCH_SIZE 32768

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
	struct interfaces *interfaces; /* heap */
	pid_t network_pid; /* of whose network namespace they are */
	uint64_t cgroup_peak_before_bytes;
};

/* What collectors read from. */
struct collect {
	const struct roots *roots;
	struct kept_file kept[N_KEPT_FILES];
	struct ledger *ledger;
	struct census *census;
	struct finals *finals;
	struct watch *watch; /* NULL: a job that was started by us */
	/* The one that is being read for, of a collector that is marked per_target; then what is below is this target's. NULL: the job. */
	struct collect_target *target;
	/* where the job's cgroups are; NULL when there are none or they are not to be read. Set before the probes; with a cgroup of its own,
	 * again before the job starts */
	struct cgroup_view *cgroup;
	char *scratch; /* COLLECT_SCRATCH_SIZE bytes for a text that is too long for a stack, which may be small (ulimit -s) */
	struct cgroup_reading *cgroup_reading; /* what is kept of them from look to look */
	/* of a cgroup that is not the job's own: whether no process but the recorder's was in it at either end; the recorder's own CPU time when it was
	 * first read; its peak of memory then */
	bool cgroup_only_us;
	uint64_t cgroup_self_before_ns, cgroup_peak_before_bytes;
	struct interfaces *interfaces; /* of the job's network namespace, from look to look */
	struct net_sockets *sockets; /* the job's TCP sockets */
	struct disks disks; /* of the machine, from look to look */
	struct energy_domains *energy; /* of the machine, from look to look */
	struct temperatures {
		struct sensor *list; /* heap; NULL: not in use */
		size_t n;
	} temperatures; /* the sensors of the machine */
	int connector_fd; /* when probing: a subscription that is there already; -1 */
	int perf_fd; /* the inherited task clock, opened at launch; -1 */
	uint64_t page_size, memory_total_bytes;
	uint64_t self_before_ns; /* CPU time of this process before the run */
	uint64_t helpers_cpu_ns; /* of the keeper and of the pumps, so far */
	uint64_t
		spawn_floor_bytes; /* what the keeper was forked from: the least that ru_maxrss can say */

	/* shared memory of the machine: its lowest so far, and the largest rise above that */
	uint64_t shared_low_bytes, shared_rise_bytes;

	/* I/O of the dead: the keeper's file, kept open; what it held before the job began; the last reading, those of the keeper's own
	 * taken off; the highest sums so far; living processes whose file may not be read */
	int keeper_io_fd;
	bool keeper_lost;
	struct proc_io keeper_io_own, keeper_io, io_high;
	uint64_t io_denied;

	/* PSS is read in rounds, all processes in one tick, as often as its cost allows */
	uint64_t pss_round_due_ns, pss_rounds, pss_round_complete_ns;
	uint64_t pss_cost_ns; /* CPU time of all rounds so far */
	uint64_t pss_allowed_ns; /* of one sample, within a budget; 0: there is none */
	uint64_t pss_round_cost_ns; /* of the latest round */
	uint64_t
		pss_alone; /* samples in which single processes were read, for want of time for rounds */
	size_t pss_turn; /* in the ledger's order, of the next one */
	uint64_t
		pss_cost_share; /* one part in so many of the time may go into it; 0: the default */
	struct pss_round pss_round; /* the job's; targets have their own */
	bool pss_forced; /* asked for by key: also where it stalls a process for long */
	bool pss_now; /* a limit is judged by it: a round in this tick whatever it costs */
	uint64_t pss_doubted_max_bytes; /* of all rounds */
	uint64_t
		pss_doubted_bytes; /* a part of that: of processes that may be views of an address space that is in the sum already */
	uint64_t pss_skipped_large;
	uint64_t
		pss_changes; /* of the ledger at the last round, to tell whether the set is the same */
	uint64_t pss_sorted_tick,
		pss_sorted_changes; /* when it was asked who shares an address space; tick 0: not yet */
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
	/* 0, or why not and what would help. Called before the job starts and by `assay doctor`. */
	int (*probe)(const struct collect *c, struct error *err);
	/* NULL, or what is to be made ready once, before the job starts, for a source that is in use: this may allocate. What fails says so as a
	 * probe does. */
	int (*prepare)(struct collect *c, struct error *err);
	/* One pass. A negative errno is a failure of the whole source. */
	int (*read)(struct collect *c, struct batch *out);
};

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
