/* SPDX-License-Identifier: MIT */
/* Each scheduler's own syntax and units; every amount is rounded up to what the unit can hold. */
#include "size/size_forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

#define MB ((uint64_t) 1000 * 1000)
#define MIB ((uint64_t) 1024 * 1024)
#define GIB ((uint64_t) 1024 * MIB)
#define MINUTE ((uint64_t) 60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static uint64_t in_units(uint64_t amount, uint64_t unit)
{
	return amount / unit + (amount % unit > 0);
}

static bool has_steps(const struct size_ask *ask)
{
	return ask->n_memory_steps > 1 || ask->n_seconds_steps > 1;
}

/* Attempts after the first. */
static size_t retries(const struct size_ask *ask)
{
	size_t most = ask->n_memory_steps > ask->n_seconds_steps ? ask->n_memory_steps
								 : ask->n_seconds_steps;

	return most > 0 ? most - 1 : 0;
}

/* sbatch(1): K, M, G, T are powers of 1024; without one, M. */
void size_slurm_memory(uint64_t bytes, char text[SIZE_SLURM_TEXT])
{
	if (bytes % GIB == 0 && bytes > 0)
		snprintf(text, SIZE_SLURM_TEXT, "%" PRIu64 "G", bytes / GIB);
	else
		snprintf(text, SIZE_SLURM_TEXT, "%" PRIu64 "M", in_units(bytes, MIB));
}

/* sbatch(1): "hours:minutes:seconds" and "days-hours:minutes:seconds"; the time limit is kept in minutes. */
void size_slurm_time(uint64_t seconds, char text[SIZE_SLURM_TEXT])
{
	uint64_t minutes = in_units(seconds, MINUTE);
	uint64_t days = minutes / (DAY / MINUTE);

	if (days > 0)
		snprintf(text, SIZE_SLURM_TEXT, "%" PRIu64 "-%02" PRIu64 ":%02" PRIu64 ":00", days,
			minutes / 60 % 24, minutes % 60);
	else
		snprintf(text, SIZE_SLURM_TEXT, "%02" PRIu64 ":%02" PRIu64 ":00", minutes / 60,
			minutes % 60);
}

static void slurm(const struct size_ask *ask, struct buf *out)
{
	char text[SIZE_SLURM_TEXT];

	if (ask->memory_bytes > 0) {
		size_slurm_memory(ask->memory_bytes, text);
		buf_addf(out, "#SBATCH --mem=%s\n", text);
	}
	if (ask->n_memory_steps > 1) {
		buf_add_text(out, "# when that is not enough:");
		for (size_t i = 1; i < ask->n_memory_steps; i++) {
			size_slurm_memory(ask->memory_steps[i], text);
			buf_addf(out, "%s --mem=%s", i > 1 ? ", then" : "", text);
		}
		buf_add_char(out, '\n');
	}
	if (ask->cpus > 0)
		buf_addf(out, "#SBATCH --cpus-per-task=%" PRIu64 "\n", ask->cpus);
	if (ask->seconds > 0) {
		size_slurm_time(ask->seconds, text);
		buf_addf(out, "#SBATCH --time=%s\n", text);
	}
}

/* qsub(1B) of OpenPBS: kb, mb, gb are powers of 1024. A chunk has the CPUs and the memory. */
static void pbs(const struct size_ask *ask, struct buf *out)
{
	uint64_t seconds = ask->seconds;

	if (ask->memory_bytes > 0 || ask->cpus > 0) {
		buf_add_text(out, "#PBS -l select=1");
		if (ask->cpus > 0)
			buf_addf(out, ":ncpus=%" PRIu64, ask->cpus);
		if (ask->memory_bytes > 0)
			buf_addf(out, ":mem=%" PRIu64 "mb", in_units(ask->memory_bytes, MIB));
		buf_add_char(out, '\n');
	}
	if (ask->n_memory_steps > 1) {
		buf_add_text(out, "# when that is not enough:");
		for (size_t i = 1; i < ask->n_memory_steps; i++)
			buf_addf(out, "%s mem=%" PRIu64 "mb", i > 1 ? ", then" : "",
				in_units(ask->memory_steps[i], MIB));
		buf_add_char(out, '\n');
	}
	if (seconds > 0)
		buf_addf(out, "#PBS -l walltime=%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "\n",
			seconds / HOUR, seconds / MINUTE % 60, seconds % MINUTE);
}

/*
 * condor_submit: MB is a power of 1024; a pool may refuse a number without a unit. A job that ran out of memory is given the next of retry_request_memory, each of
 * which has to be more than the one before.
 */
static void htcondor(const struct size_ask *ask, struct buf *out)
{
	uint64_t before = in_units(ask->memory_bytes, MIB);
	bool any = false;

	if (ask->cpus > 0)
		buf_addf(out, "request_cpus = %" PRIu64 "\n", ask->cpus);
	if (ask->memory_bytes > 0)
		buf_addf(out, "request_memory = %" PRIu64 " MB\n", before);
	for (size_t i = 1; i < ask->n_memory_steps; i++) {
		uint64_t step = in_units(ask->memory_steps[i], MIB);

		if (step <= before)
			continue;
		buf_addf(out, "%s%" PRIu64 " MB", any ? ", " : "retry_request_memory = ", step);
		before = step;
		any = true;
	}
	if (any)
		buf_add_char(out, '\n');
	if (ask->seconds > 0)
		buf_addf(out, "allowed_job_duration = %" PRIu64 "\n", ask->seconds);
}

/* Of a Job: the limit of memory is where a container is killed, so that it is what is asked for. */
static void kubernetes(const struct size_ask *ask, struct buf *out)
{
	if (ask->seconds > 0)
		buf_addf(out, "# of the Job:\nactiveDeadlineSeconds: %" PRIu64 "\n", ask->seconds);
	if (ask->memory_bytes == 0 && ask->cpus == 0)
		return;
	buf_add_text(out, "# of its container:\nresources:\n  requests:\n");
	if (ask->cpus > 0)
		buf_addf(out, "    cpu: \"%" PRIu64 "\"\n", ask->cpus);
	if (ask->memory_bytes > 0)
		buf_addf(out, "    memory: %" PRIu64 "Mi\n  limits:\n    memory: %" PRIu64 "Mi\n",
			in_units(ask->memory_bytes, MIB), in_units(ask->memory_bytes, MIB));
	if (ask->n_memory_steps > 1) {
		buf_add_text(out, "# when that is not enough:");
		for (size_t i = 1; i < ask->n_memory_steps; i++)
			buf_addf(out, "%s memory: %" PRIu64 "Mi", i > 1 ? ", then" : "",
				in_units(ask->memory_steps[i], MIB));
		buf_add_char(out, '\n');
	}
}

static void add_list(struct buf *out, const uint64_t *amounts, size_t n, uint64_t unit)
{
	buf_add_char(out, '[');
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%" PRIu64, i ? ", " : "", in_units(amounts[i], unit));
	buf_add_char(out, ']');
}

/*
 * Nextflow's MemoryUnit: KB, MB, GB are powers of 1024; a unit times a number, as Groovy's own numbers are not made to be multiplied by one.
 * Attempts count from 1; 137 is a task that was killed, as for want of memory.
 */
static void nextflow(const struct size_ask *ask, struct buf *out)
{
	if (ask->cpus > 0)
		buf_addf(out, "cpus %" PRIu64 "\n", ask->cpus);
	if (ask->n_memory_steps > 1) {
		buf_add_text(out, "memory { 1.MB * ");
		add_list(out, ask->memory_steps, ask->n_memory_steps, MIB);
		buf_addf(out, "[Math.min(task.attempt, %zu) - 1] }\n", ask->n_memory_steps);
	} else if (ask->memory_bytes > 0) {
		buf_addf(out, "memory '%" PRIu64 " MB'\n", in_units(ask->memory_bytes, MIB));
	}
	if (ask->n_seconds_steps > 1) {
		buf_add_text(out, "time { 1.min * ");
		add_list(out, ask->seconds_steps, ask->n_seconds_steps, MINUTE);
		buf_addf(out, "[Math.min(task.attempt, %zu) - 1] }\n", ask->n_seconds_steps);
	} else if (ask->seconds > 0) {
		buf_addf(out, "time '%" PRIu64 " min'\n", in_units(ask->seconds, MINUTE));
	}
	if (has_steps(ask))
		buf_addf(out,
			"errorStrategy { task.exitStatus in 137..140 ? 'retry' : 'finish' "
			"}\nmaxRetries %zu\n",
			retries(ask));
}

/* Snakemake: mem_mb counts MB, which executors hand on as they are or as MiB; runtime is in minutes; attempts count from 1. */
static void snakemake(const struct size_ask *ask, struct buf *out)
{
	bool any = ask->memory_bytes > 0 || ask->seconds > 0;

	if (has_steps(ask))
		buf_addf(out, "retries: %zu\n", retries(ask));
	if (ask->cpus > 0)
		buf_addf(out, "threads: %" PRIu64 "\n", ask->cpus);
	if (any)
		buf_add_text(out, "resources:\n");
	if (ask->n_memory_steps > 1) {
		buf_add_text(out, "    mem_mb=lambda wildcards, attempt: ");
		add_list(out, ask->memory_steps, ask->n_memory_steps, MB);
		buf_addf(out, "[min(attempt, %zu) - 1],\n", ask->n_memory_steps);
	} else if (ask->memory_bytes > 0) {
		buf_addf(out, "    mem_mb=%" PRIu64 ",\n", in_units(ask->memory_bytes, MB));
	}
	if (ask->n_seconds_steps > 1) {
		buf_add_text(out, "    runtime=lambda wildcards, attempt: ");
		add_list(out, ask->seconds_steps, ask->n_seconds_steps, MINUTE);
		buf_addf(out, "[min(attempt, %zu) - 1],\n", ask->n_seconds_steps);
	} else if (ask->seconds > 0) {
		buf_addf(out, "    runtime=%" PRIu64 ",\n", in_units(ask->seconds, MINUTE));
	}
}

const struct size_form size_forms[] = {
	{ "slurm", "#SBATCH lines", slurm },
	{ "pbs", "#PBS lines", pbs },
	{ "htcondor", "lines of a submit file", htcondor },
	{ "kubernetes", "parts of a Job's manifest", kubernetes },
	{ "nextflow", "directives of a process", nextflow },
	{ "snakemake", "parts of a rule", snakemake },
	{ NULL, NULL, NULL },
};

const struct size_form *size_form_find(const char *name)
{
	for (const struct size_form *form = size_forms; form->name; form++)
		if (strcmp(form->name, name) == 0)
			return form;
	return NULL;
}
