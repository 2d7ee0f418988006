/* SPDX-License-Identifier: MIT */
/* Whether the kernel's OOM killer struck during the run: in the job's memory cgroup, in ours, on the machine. For src/api only. */
#ifndef ASSAY_API_OOM_H
#define ASSAY_API_OOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/limit_counter.h"

struct roots;

/* A memory cgroup and its counter of kills. */
struct oom_place {
	char *path; /* within its hierarchy; NULL: none */
	int fd; /* the file with the counter, -1: it cannot be read */
	bool v2;
	uint64_t before; /* when it was first looked at */
	uint64_t recent, earlier; /* some time in the last minute, and in the one before */
	/* the tightest limit that holds in it, its own or that of one above */
	uint64_t limit_bytes; /* 0: none */
	char *limit_directory;
	char limit_file[32]; /* "memory.max" */
	/* how often it was hit: its own counter, and that of memory and swap together where that limits no less; 0: not known */
	struct limit_counter hits[2];
	uint64_t hits_before[2];
	size_t n_hits;
};

struct oom_watch {
	struct oom_place own;
	struct oom_place job; /* where it was last seen; fd -1 while that is our own */
	bool begun;
	bool job_is_apart; /* it has a cgroup of its own from the start: ours says nothing of it */
	bool machine_only; /* no cgroup is to be read */
	bool machine_known;
	uint64_t machine_before;
	uint64_t next_look_ns, next_turn_ns; /* since the start of the run */
};

/* What was found in the end. */
struct oom_found {
	uint64_t in_cgroup; /* kills in the job's memory cgroup */
	uint64_t
		lately; /* those that may have to do with how the job ended: of the last minute or two */
	const char *counter; /* "memory.events oom_kill"; a literal */
	bool machine_known;
	uint64_t on_machine;
	/* the limit that it struck for, as far as that can be told; borrowed from the watch */
	const struct oom_place *limited; /* NULL: none */
	bool has_hits;
	uint64_t hits; /* during the run */
};

void oom_init(struct oom_watch *w);
/* Takes the counters as they are now. `apart`: a job that has a cgroup of its own already, and has not begun; else 0. */
void oom_begin(struct oom_watch *w, const struct roots *roots, pid_t apart);
/* At ticks: a job may have been moved to another cgroup, or have moved itself. */
void oom_look(struct oom_watch *w, const struct roots *roots, pid_t job, uint64_t age_ns);
void oom_end(const struct oom_watch *w, const struct roots *roots, struct oom_found *ret);
void oom_done(struct oom_watch *w);

#endif
