/* SPDX-License-Identifier: MIT */
/* Targets that are watched, with their records: what assay_attach(), assay_snapshot() and the targets beside a run share. For src/api only. */
#ifndef ASSAY_API_WATCHING_H
#define ASSAY_API_WATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "api/bounds.h"
#include "api/start.h"
#include "assay.h"
#include "linux/cgroup_view.h"
#include "linux/host.h"
#include "model/run_info.h"
#include "monitor/loop.h"
#include "record/live_ring.h"
#include "record/run_files.h"
#include "target/target.h"
#include "target/watch.h"

struct error;
struct roots;

/* Descriptors that a target takes beside those of its processes: its record, its cgroups. */
#define WATCHING_FILES_EACH 40

/* What it is asked: the options of whoever asks, in one shape. */
struct watching_options {
	const char *const *targets; /* NULL-terminated */
	const char *prefix; /* with {datetime} and {pid} */
	struct recording_asked asked;
	struct redaction *redaction; /* of the command lines; borrowed; NULL: none */
	bool append; /* to records that are there */
	bool read_cgroups;
	uint64_t for_ns;
	bool no_files; /* nothing is recorded */
	const struct assay_run_info *of_run; /* they are beside this one, of a command; NULL */
	void (*warn)(const char *line, void *context);
	void *context;
};

/* One of them. */
struct watched_target {
	struct assay_run_info *info; /* the first member of a struct kept_info */
	struct run_files *files; /* NULL when nothing is recorded */
	uint64_t counted_failures;
	size_t lasting_notes; /* those of the info that are no conclusions */
	struct cgroup_view cgroup;
	bool viewed;
	struct bounds bounds;
};

struct watching {
	struct watching_options options;
	const struct roots *roots; /* borrowed */
	struct target *targets; /* as monitor_watch() has them */
	struct watched_target *each;
	size_t n;
	const struct measures *measures; /* of the first kept info */
	bool *selected;
	struct collector_state states[N_COLLECTORS_MAX];
	size_t n_states;
	struct monitor monitor;
	bool monitored;
	bool cannot_record; /* why watching_open() failed: it is no mistake of who asked */
	struct live_ring
		live; /* the first target's last moments; when monitor.samples is not NULL */
	struct rlimit file_limit; /* the caller's */
	bool file_limit_raised;
	uint64_t start_ns, self_before_ns, checkpoint_ns;
	const struct exit_page *page; /* of the keeper of the run beside it; NULL */
	uint64_t (*helpers_cpu_ns)(
		void *context); /* CPU time of other processes of ours; may be NULL */
	void *helpers_context;
};

/*
 * Takes the words apart, finds the targets and who is in them, opens the files. Nothing is written when it fails: -EINVAL, -ESRCH ... with a line for
 * people; -ENOMEM. `roots` is borrowed. `ours`: processes of assay beside this one, 0-terminated, or NULL.
 */
int watching_open(struct watching *w, const struct watching_options *options,
	const struct roots *roots, const pid_t *ours, struct error *err);
/* Where the counters stand; from here on it counts. */
void watching_begin(struct watching *w);
/* Writes that they are being recorded. False when that could not be done for the first one, and was to be. */
bool watching_begin_records(struct watching *w);
/* Whether the record of that one was there already and goes on. */
bool watching_continues(const struct watching *w, size_t i);
/* A sample of all. */
void watching_tick(struct watching *w);
/* What is readable when the kernel has told of forks; -1: nothing, or not now: events are taken in batches, and *until_ns is when next. */
int watching_events_fd(const struct watching *w, uint64_t *until_ns);
void watching_take_events(struct watching *w);
/* When the first target has ended. */
bool watching_is_over(const struct watching *w);
/* Renews the info files now and then. */
void watching_checkpoint(struct watching *w, bool at_once);
/* The last sample and the last window; `words` and `evidence` say how it ended. */
void watching_finish(struct watching *w, const char *words, const char *evidence);
/* Hands out the infos as a list, each next one as `beside` of the one before; they are the caller's then. */
struct assay_run_info *watching_take_infos(struct watching *w);
/* Takes back what was written. */
void watching_discard(struct watching *w);
void watching_close(struct watching *w);

#endif
