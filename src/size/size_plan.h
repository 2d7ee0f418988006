/* SPDX-License-Identifier: MIT */
/* The request for the next run of a job, and what it stands on: each resource with its bound, its source, and how sure it is. man 7 assay-sizing. */
#ifndef ASSAY_SIZE_PLAN_H
#define ASSAY_SIZE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/statistics.h"
#include "size/size_bound.h"
#include "size/size_policy.h"
#include "size/size_run.h"
#include "size/size_tried.h"

struct size_ask;

/* What is added to a number that may have missed some: a sampled one, a lower bound, an estimate; never beyond its own upper bound. Of few samples more: 1 / sqrt(n). */
#define SIZE_MISSED 0.10
/* A limit counts memory of the kernel, too; what was measured in processes has none of it in it. */
#define SIZE_KERNEL_PART 0.02
#define SIZE_KERNEL_BYTES (4.0 * 1024 * 1024)
/* What is in the limit beside the job: the shell of the batch script, the scheduler's own, assay with its keeper. Added once, behind the bound. */
#define SIZE_AROUND_BYTES (16.0 * 1024 * 1024)
/* What a job takes before and behind its command: the scheduler's own, the batch script with what it loads. Added once, behind the bound, but to times of sacct, which are of the whole job. */
#define SIZE_AROUND_SECONDS 30.0

struct size_options {
	struct size_wish wish; /* target, confidence, by, at */
	double slowdown; /* that fewer cores may cost: 0.05 is 5 % */
	bool retry; /* memory is asked for in steps */
	const char *by; /* the name of the covariate, or NULL */
};

/* A resource that is asked for. */
struct size_part {
	struct size_bound bound;
	struct size_steps
		steps; /* of memory with retries, where there is a promise; else .n is 0 */
	struct size_tried tried; /* what they come to */
	uint64_t request; /* rounded up: bytes, seconds, cores; 0: none can be made */
	uint64_t once; /* the same without retries */
	uint64_t next_try; /* rounded up, as a request: where none can be made */
	uint64_t requests[SIZE_STEPS_MAX]; /* the steps in bytes; the first is `request` */
	size_t n_requests;
	struct statistics
		seen; /* of the numbers as they were measured; n is 0 where there are none */
	size_t measured; /* runs that tell something */
	size_t unfinished; /* of CPUs: runs that do, and are not taken */
	size_t cut_off; /* of them */
	size_t of_one_task; /* of those that were cut off: what is told is of the largest task alone */
	size_t unknown; /* runs that tell nothing of it */
	char why_unknown[SIZE_WHY_SIZE]; /* the first reason of these; or "" */
	size_t missed,
		of_processes; /* those whose number may have missed some; those without memory of the kernel */
	double least_whole, most_whole; /* of runs that came to their end; NAN: there are none */
	double stretch; /* of time: the most that a run takes longer on the cores that are asked for; 1: none does */
	double cut_off_most; /* the most that one of those had reached; 0: there are none */
	double shared, swapped; /* of memory: the most that a run's number has of these in it; 0 */
	/* What the value that it stands on is made of, where it is a run's own; NAN: it was moved, or is of a limit. Added up it is bound.stands_on. */
	double measured_part, missed_part, kernel_part;
	double around; /* what is added behind the bound; 0 where there is no request */
	uint8_t quality; /* the worst of the numbers it stands on */
	char key[SIZE_KEY_SIZE]; /* where most of them come from */
	bool other_keys; /* some come from elsewhere */
	char why_not
		[SIZE_WHY_SIZE]; /* the first reason of a run that tells nothing, or was cut off */
	bool other_reasons; /* other runs have others */
};

#define SIZE_CHOICES_MAX 8
/* Some number of cores, and how much longer the runs would take with it. */
struct size_choice {
	size_t cores;
	double median, most;
};

struct size_cores {
	struct size_choice choices[SIZE_CHOICES_MAX]; /* up to the request */
	size_t n_choices;
	size_t n_demands; /* runs with a course of CPU */
	size_t held_back; /* runs that had all their cores busy for long: more might have been faster */
	double median_mean; /* of the cores in use on average */
};

struct size_plan {
	const struct size_run *runs;
	size_t n;
	size_t outcomes[N_OUTCOME];
	size_t hosts;
	const char *job; /* the shape of all runs; NULL: not known, or not one */
	bool mixed; /* the runs are of several shapes */
	double first_started, last_started; /* NAN */
	struct size_part parts[N_SIZE_RESOURCE];
	struct size_cores cores;
	double charged; /* the most memory with caches of files; NAN */
	double tasks, nodes; /* the most that a run's numbers are of; NAN: not told */
	size_t largest_step_alone; /* runs whose memory is of one step of several */
	size_t largest_task_alone; /* runs whose memory may be of one task of several */
	size_t without_covariate; /* runs that have no value of --by, and are left out where it is followed */
};

/* Sorts the runs by when they began. 0, or -ENOMEM. The plan borrows them. */
int size_plan_make(
	struct size_run *runs, size_t n, const struct size_options *options, struct size_plan *ret);
/* What is written in the words of a scheduler; borrows from the plan. */
void size_plan_ask(
	const struct size_plan *plan, const struct size_options *options, struct size_ask *ret);

struct buf;
/* What comes first, what after a failure, and what that holds; of memory with more than one amount. */
void size_plan_say_steps(const struct size_plan *plan, struct buf *out);
/* What is in the numbers of memory, and on top of them. */
void size_plan_say_added(const struct size_part *part, struct buf *out);
/* "no request: no run finished (ended by SIGKILL). The next to try is 2 GiB, to be measured again." */
void size_plan_say_none(const struct size_plan *plan, enum size_resource resource, struct buf *out);
void size_plan_text(const struct size_plan *plan, const struct size_options *options, size_t width,
	bool color, struct buf *out);
void size_plan_json(
	const struct size_plan *plan, const struct size_options *options, struct buf *out);

#endif
