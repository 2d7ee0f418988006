/* SPDX-License-Identifier: MIT */
/*
 * Slurm's database adds up TotalCPU of the steps for the line of the job, so the two agree to the second. TotalCPU is what wait(2) told of tasks that
 * ended: where nobody waited it is 0, while TRESUsageInTot has what the samples saw. Nothing uses more CPU time than its CPUs have.
 */
#include "record/foreign/sacct_cpu.h"

#include <math.h>
#include <stdio.h>

#include "base/macros.h"
#include "record/foreign/sacct_told.h"
#include "record/foreign/sacct_values.h"

/* Stamps of whole seconds, at both ends. */
#define STAMPS_SECONDS 2
/* Steps that end late hold up the end of no job by more. */
#define LATE_SECONDS 60

static double cpus_given(const struct sacct_table *table, const struct cells *cells)
{
	static const char *const names[] = { "AllocCPUS", "NCPUS" };
	char text[64];
	double cpus;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (number_is(sacct_cell(table, cells, names[i]), &cpus) && cpus > 0 && cpus < 1e8)
			return cpus;
	if (sacct_tres(sacct_cell(table, cells, "AllocTRES"), "cpu", text, sizeof(text)) &&
		number_is(text, &cpus) && cpus > 0 && cpus < 1e8)
		return cpus;
	return 0;
}

static struct told longest(const struct sacct_job *job, struct draft *d)
{
	struct told elapsed = job->elapsed.is ? job->elapsed : job->step_elapsed;

	if (job->step_elapsed.is && job->step_elapsed.value > elapsed.value + LATE_SECONDS) {
		draft_note(d,
			"Elapsed of the job's own line is %.0f s, and one of its steps ran for "
			"%.0f s: the longer one counts",
			elapsed.value, job->step_elapsed.value);
		elapsed = job->step_elapsed;
	}
	return elapsed;
}

/* Whether the job's own TotalCPU is another than its steps come to. Each is cut to the second or less. */
static bool contradicts(const struct sacct_job *job, double own, double steps, double most_of_steps)
{
	double slack = (double) job->steps + STAMPS_SECONDS;
	bool all_tell = job->steps > 0 && job->steps_with_cpu == job->steps;

	return own > 0 && ((job->step_cpu.is && own < steps - slack) ||
				  (all_tell && own > most_of_steps + slack));
}

static void say_impossible(
	struct draft *d, const char *whose, double cpu, double cpus, double elapsed)
{
	draft_note(d,
		"CPU time of %s is %.0f s, more than its %.0f CPU%s can give in %.0f s: it was "
		"left out",
		whose, cpu, cpus, cpus > 1 ? "s" : "", elapsed);
}

void sacct_times_judge(const struct sacct_job *job, const struct sacct_table *table,
	struct draft *d, struct sacct_times *ret)
{
	const struct cells cells = { .at = job->cells, .n = job->n };
	double cpus = cpus_given(table, &cells);
	struct told elapsed = longest(job, d);
	double most = cpus > 0 && elapsed.is ? cpus * (elapsed.value + STAMPS_SECONDS)
					     : (double) INFINITY;
	struct told steps = job->step_most_cpu;
	bool own = job->cpu.is;

	*ret = (struct sacct_times){ .elapsed = elapsed };
	if (own && job->cpu.value > most) {
		say_impossible(d, "the job's own line", job->cpu.value, cpus, elapsed.value);
		own = false;
	} else if (own && contradicts(job, job->cpu.value, job->step_cpu.value, steps.value)) {
		draft_note(d,
			"CPU time of the job's own line is %.0f s, and its steps come to %.0f s: "
			"theirs counts",
			job->cpu.value, steps.value);
		own = false;
	}
	/* What the samples saw may be damaged where the rest is not. */
	if (steps.is && steps.value > most) {
		say_impossible(d, "its steps", steps.value, cpus, elapsed.value);
		steps = job->step_cpu;
		steps.is = steps.is && steps.value <= most;
	}
	ret->cpu = own ? job->cpu : job->step_cpu;
	ret->user = own ? job->user_cpu : job->step_user_cpu;
	ret->system = own ? job->system_cpu : job->step_system_cpu;
	ret->cpu.is = ret->cpu.is && ret->cpu.value <= most;
	/* Parts may stand there without their sum. */
	ret->user.is = ret->user.is && ret->user.value <= most;
	ret->system.is = ret->system.is && ret->system.value <= most;
	if (job->step_samples > 0 && steps.value == job->step_most_cpu.value)
		ret->steps_cpu = steps;
	ret->by_samples =
		ret->steps_cpu.is && (!ret->cpu.is || ret->steps_cpu.value > ret->cpu.value + 1);
}
