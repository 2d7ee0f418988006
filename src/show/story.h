/* SPDX-License-Identifier: MIT */
/* What a run's series tells, gathered in one pass and in memory that does not grow with it: the course of CPU, memory and I/O, the processes, the gaps. */
#ifndef ASSAY_SHOW_STORY_H
#define ASSAY_SHOW_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/verdict.h"
#include "record/stored_run.h"
#include "run/course.h"
#include "run/process_table.h"
#include "run/track_sources.h"

#define STORY_GPUS_MAX 32

/* One source's course. */
struct track {
	struct track_source source;
	struct course course;
};

struct story_gpu {
	char name[64];
	uint64_t windows, idle_windows;
	double memory_sum; /* of the windows' means */
	uint64_t memory_windows;
};

struct story {
	const struct stored_run *run;
	struct track *tracks[N_TRACK_OF][TRACKS_MAX]; /* NULL: no such source */
	struct process_table processes;
	struct series_survey survey;
	struct error trouble; /* code below 0: the series could not be read on */
	double span; /* seconds from the start to the end of what is known, with the time that the machine slept */
	double slept;
	uint64_t gaps; /* between windows */
	double gap_seconds;
	uint64_t missed_ticks, samples;
	uint64_t disk_wait_samples; /* processes in state D, summed over samples */
	uint64_t state_samples; /* processes in any state */
	uint64_t omitted_processes; /* at most in a window: those that its line had no room for */
	uint64_t unread_processes; /* at most in a window: of a total, those that gave nothing */
	char unread_why[32], unread_key[TRACK_KEY_SIZE];
	struct story_gpu gpus[STORY_GPUS_MAX];
	size_t n_gpus;

	/* private */
	double last_end;
};

/* Reads the series of the run, which is borrowed. 0, or -ENOMEM; that the series cannot be read is told in ret->trouble. */
int story_gather(const struct stored_run *run, struct story *ret);
void story_done(struct story *s);

/* The course that is drawn: of the first source that has anything in it; NULL. */
const struct track *story_track(const struct story *s, enum track_of of);
/* What can be judged of the run. */
struct verdict_facts story_facts(const struct story *s);
/* Another tool's, imported or as that tool wrote it. */
bool story_is_foreign(const struct story *s);
/* The tightest limit of that name that binds the whole job; NULL. `not_of`: a source that does not count, or NULL. */
const json_t *story_limit(const struct story *s, const char *name, const char *not_of);
/* The cgroup that was measured held the job alone. */
bool story_has_own_cgroup(const struct story *s);

#endif
