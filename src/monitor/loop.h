/* SPDX-License-Identifier: MIT */
/* The loop's body: a tick reads the target, a closed window becomes a record. Who waits, and for what, is the caller's affair. */
#ifndef ASSAY_MONITOR_LOOP_H
#define ASSAY_MONITOR_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/cgroup_reading.h"
#include "collect/collect.h"
#include "linux/host.h"
#include "linux/kept_file.h"
#include "model/record.h"
#include "model/run_info.h"
#include "model/sample.h"
#include "monitor/effort.h"
#include "monitor/schedule.h"
#include "target/census.h"
#include "target/finals.h"
#include "target/ledger.h"

struct candidate;
struct target;
struct error;
struct exit_page;

/* Processes that a sample names at most. */
#define PROCESSES_PER_SAMPLE 24

/* One of the targets that are watched. */
struct view {
	struct collect_target collect;
	/* states, as of the monitor; of collectors that are per_target its own, or those of who is like it */
	void *own[N_COLLECTORS_MAX];
	struct summary *window_singles;
	struct sink *sink; /* may be NULL */
	uint64_t sink_failures;
	char sink_error[240];
};

struct monitor {
	const struct measures *measures;
	const bool *selected;
	int *column; /* per row: its place among a process's accumulators, or -1 */

	struct collect collect;
	struct ledger ledger;
	struct census census;
	struct finals finals;
	struct batch batch;
	struct devices devices;
	struct cgroup_reading cgroup_reading;
	struct schedule schedule;
	struct effort effort;
	bool active[N_COLLECTORS_MAX];
	int first_row[N_COLLECTORS_MAX];
	bool opened[N_COLLECTORS_MAX];
	void *own[N_COLLECTORS_MAX]; /* heap: the states of collectors that are opened */
	struct collector_state *states; /* of the run info: cost and failures */

	struct summary *window_singles;
	struct process_record *process_records;
	struct candidate *candidates;
	struct sink *sink; /* may be NULL */
	/* What is watched in place of a job of ours: monitor_watch(). */
	struct watch *watch; /* heap; NULL: a job */
	struct view *views; /* one a target */
	size_t n_views;
	struct accumulator *
		handed_singles; /* room for a sample that is handed on otherwise than it was read */
	struct view *view; /* the one that conclusions are drawn for; NULL: the job */
	/* Takes every sample once windows are wider than the sample interval, so that the last moments are kept at full resolution; NULL. */
	struct sample_sink *samples;
	struct sample_process sample_processes[PROCESSES_PER_SAMPLE];
	bool handing_on; /* from the first wide window on */
	uint64_t sample_sequence;

	uint64_t window_start_ns, last_tick_ns;
	uint64_t sleep_offset_ns; /* CLOCK_BOOTTIME - CLOCK_MONOTONIC when last looked at */
	uint64_t suspended_ns, suspended_in_window_ns;
	uint64_t baseline_ns; /* when those counters were read that ran before the job */
	struct kept_file stat; /* of the whole machine, for what went on meanwhile */
	struct host_meanwhile at_start;
	uint64_t swapped_at_start_bytes; /* by the machine, so far */
	/* of a cgroup that is not the job's own: whether no process but the recorder's was in it at either end, and the recorder's own CPU time
	 * when it was first read */
	bool cgroup_only_us;
	uint64_t cgroup_self_before_ns;
	uint64_t
		cgroup_job_before_ns; /* what the job's first process had used when it was moved into its own cgroup */
	unsigned cpus_online; /* when last concluded: each question opens a file */
	uint64_t sequence, ticks;
	uint32_t samples_in_window;
	uint64_t sink_failures;
	size_t lasting_notes; /* of the run info: those that are no conclusions */
	char sink_error[240]; /* the latest, "" when none */
};

/* What monitor_init() wants, and monitor_done() leaves. */
void monitor_blank(struct monitor *m);
/* Prepares a blank one for a tree below `keeper`; `roots`, `measures`, `selected` and `states` are borrowed. The schedule starts at `start_ns`. */
int monitor_init(struct monitor *m, const struct roots *roots, const struct measures *measures,
	const bool *selected, struct collector_state *states, struct error *err);
/* After it: what is measured are these, which run already. Borrowed, resolved. */
int monitor_watch(struct monitor *m, const struct target *targets, size_t n, struct error *err);
/* Two targets are in the same cgroups (PER_CGROUP) or network namespace (PER_NETWORK): `view` has the readings of the earlier one. Before the
 * baseline. */
void monitor_share(struct monitor *m, size_t view, size_t earlier, enum per_target what);
/* From now on what belongs to one target alone is this one's: sources, run summaries. NULL: what belongs to none. */
void monitor_turn_to(struct monitor *m, struct view *view);
void monitor_start(struct monitor *m, uint64_t start_ns, uint64_t sample_interval_ns,
	uint64_t report_interval_ns);
/* Just before the job is let go and monitor_start(): where the counters stand that ran before. */
void monitor_baseline(struct monitor *m);
/* Without a job: one reading of each collector that tells something by one, left in batch.singles and devices. */
void monitor_look(struct monitor *m);
/* Reads a collector from now on even if none of its rows was asked for. */
void monitor_activate(struct monitor *m, const char *collector);
/* One sample; closes the window when its time has come. Allocates nothing unless more processes live than ever before. */
void monitor_tick(struct monitor *m, const struct exit_page *page);
/* The last sample and the last window. */
void monitor_finish(struct monitor *m, const struct exit_page *page);
/* The whole run's summary of a single or total row. */
struct summary monitor_run_summary(const struct monitor *m, size_t row);
void monitor_done(struct monitor *m);

#endif
