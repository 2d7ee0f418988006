/* SPDX-License-Identifier: MIT */
/*
 * What one run tells of what its command needs: the evidence that requests are made of. Taken from a stored run once; the run may be closed then. What was not
 * measured is NAN, never 0; what was cut off (by a limit, a signal, a lost recorder) is `at_least`: the job would have used that much or more.
 */
#ifndef ASSAY_SIZE_RUN_H
#define ASSAY_SIZE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/compare.h"
#include "record/stored_run.h"

struct error;

enum size_resource { SIZE_MEMORY, SIZE_TIME, SIZE_CPUS, N_SIZE_RESOURCE };

#define SIZE_KEY_SIZE 96
#define SIZE_LIMIT "limit" /* the key of what was ended by its limit before anything was measured */
#define SIZE_SACCT_TIME "sacct_elapsed_seconds" /* between two stamps of whole seconds */
#define SIZE_WHY_SIZE 200

/* One number of a run: bytes, seconds, cores. */
struct size_fact {
	double value; /* NAN: it was not measured; `why` says so */
	double upper; /* it was not more than that; INFINITY: that is not known */
	double samples; /* that it was the most of; NAN: it is not known, or no matter */
	double shared,
		swapped; /* of memory: bytes in it that no process had mapped, and that were swapped out; 0 */
	uint8_t quality; /* enum quality */
	bool at_least; /* the job would have used more: it was ended or held back */
	bool of_one_step; /* of sacct's steps the largest alone: when each of them ran is not told */
	bool of_one_task; /* `at_least` for that alone: it is of the largest of several tasks */
	double least; /* of that: the limit that ended it; what it needs is more; 0: none is known */
	char key[SIZE_KEY_SIZE]; /* the measurement it comes from */
	char why[SIZE_WHY_SIZE]; /* of what was cut off or is absent: in words; "" */
};

/*
 * How many cores were in use for how long. Level k (from 0) holds the time in which more than k and at most k + 1 cores were in use; nothing at all is in level 0.
 * That is enough to say how long the run would take on any whole number of cores, if what does not fit waits and loses nothing else.
 */
#define SIZE_LEVELS 1024
struct size_demand {
	double *seconds; /* NULL: no series, or no CPU in it */
	double *core_seconds;
	size_t n_levels; /* that are in use, and that there is room for; the last of SIZE_LEVELS holds more cores as well */
	double span; /* all of the time */
	double at_ceiling; /* of that, with 95 % or more of the allowed cores in use; NAN: these are not known */
	double allowed; /* cores; NAN */
};

/* What was asked for, by whom. NAN: nothing is known of a request. */
struct size_asked {
	double memory_bytes, cpus, seconds;
	char memory_by[SIZE_KEY_SIZE], cpus_by[SIZE_KEY_SIZE],
		seconds_by[SIZE_KEY_SIZE]; /* "SLURM_MEM_PER_NODE", "cgroup memory.max" */
};

/* The job of Slurm that it ran in, beside others maybe. Of a job that sacct tells of as a whole: none. */
struct size_job {
	char *name; /* its cluster and number; owned; NULL: none */
	double step, task; /* NAN: not told, or no number, as in a batch script */
};

struct size_run {
	char *file; /* it was read from; owned */
	char *id; /* or NULL; owned */
	char *parent; /* the id of the run that it ran inside of; or NULL; owned */
	struct size_job job;
	char *command; /* as a shell would take it, not made printable; NULL: not known; owned */
	char **argv; /* NULL-terminated, owned; NULL: only `command` is known, or nothing */
	size_t argc;
	char *shape; /* of the command: size_shape_of(); owned; set by who takes the run; NULL: not known */
	char *host; /* owned, or NULL */
	double started; /* seconds since 1970; of a local time whose zone is not known, as if it were UTC: `local`; NAN */
	bool local;
	enum compare_outcome outcome;
	bool unfinished; /* it is not known to have come to its end */
	struct size_fact
		facts[N_SIZE_RESOURCE]; /* SIZE_CPUS: the cores that were in use on average */
	struct size_fact charged; /* memory with caches of files: what page cache would like */
	struct size_demand demand;
	struct size_asked asked;
	bool memory_of_one_node; /* it was asked for by the node, and of how many nodes is not told */
	double cpu_seconds; /* NAN */
	uint8_t cpu_quality; /* enum quality; of cpu_seconds */
	double wall_seconds; /* without the time in which the machine slept or the job was stopped; NAN */
	double tasks,
		nodes; /* of a scheduler's job, all of which its numbers are of; NAN: not told */
	bool largest_task_alone; /* the memory is of one task, and how many there were is not told */
	double held_seconds; /* with the time in which the job was stopped, for it kept what it had; NAN */
	double covariate; /* what --by named; NAN: this run has none; set by who takes the run */
};

/* Reads what the run tells, and its series once. -ENOMEM; that a series cannot be read is told in `trouble` (may be NULL), and the rest stands. */
int size_run_take(const struct stored_run *run, struct size_run *ret, struct error *trouble);
void size_run_done(struct size_run *run);

/* How much longer the run would take on that many cores, as a factor (1: no longer); NAN: its demand is not known. cores is 1 or more. */
double size_demand_stretch(const struct size_demand *demand, size_t cores);
/* The fewest whole cores with a stretch of at most 1 + slowdown; 0: its demand is not known. */
size_t size_demand_cores(const struct size_demand *demand, double slowdown);

/* "memory", "time", "cpus" */
const char *size_resource_name(enum size_resource resource);

#endif
