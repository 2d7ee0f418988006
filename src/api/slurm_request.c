/* SPDX-License-Identifier: MIT */
/* Takes the request out of Slurm's environment: sbatch(1) and srun(1), "OUTPUT ENVIRONMENT VARIABLES". Memory is in MiB there. */
#include "api/slurm_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/run_info.h"

#define MIB (UINT64_C(1) << 20)
/* Beyond these no machine is, but what Slurm keeps for "none" and "infinite" (slurm.h), and slips of the pen. */
#define MEMORY_MAX_MIB (UINT64_C(1) << 34)
#define MEMORY_PER_CPU_MAX_MIB (UINT64_C(1) << 24)
#define CPUS_MAX UINT64_C(100000) /* times the memory above still fits 64 bits of bytes */
#define EPOCH_MAX_SECONDS UINT64_C(0xfffffff0)

/* Digits up to any other character; false when there are none or too many. */
static bool take_number(const char **at, uint64_t max, uint64_t *ret)
{
	size_t n = strspn(*at, "0123456789");
	uint64_t number;

	if (n == 0 || n > 12)
		return false;
	number = strtoull(*at, NULL, 10);
	if (number > max)
		return false;
	*at += n;
	*ret = number;
	return true;
}

static bool is_number(const char *text, uint64_t max, uint64_t *ret)
{
	return take_number(&text, max, ret) && *text == '\0';
}

/* "4(x2)" or "4" */
static bool take_group(const char **at, uint64_t *ret_cpus, uint64_t *ret_nodes)
{
	*ret_nodes = 1;
	if (!take_number(at, CPUS_MAX, ret_cpus) || *ret_cpus == 0)
		return false;
	if (strncmp(*at, "(x", 2) == 0) {
		*at += 2;
		if (!take_number(at, CPUS_MAX, ret_nodes) || *ret_nodes == 0 || **at != ')')
			return false;
		(*at)++;
	}
	return **at == '\0' || **at == ',';
}

/* Every group is looked at, also those behind the wanted one: a list that is wrong anywhere says nothing. */
uint64_t slurm_cpus_of_node(const char *list, int64_t index)
{
	uint64_t found = 0;
	uint64_t before = 0;
	bool same = true;

	for (const char *at = list;;) {
		uint64_t cpus;
		uint64_t nodes;

		if (!take_group(&at, &cpus, &nodes))
			return 0;
		if (index < 0) {
			same = same && (found == 0 || found == cpus);
			found = cpus;
		} else if ((uint64_t) index >= before && (uint64_t) index < before + nodes) {
			found = cpus;
		}
		before += nodes;
		if (*at == '\0')
			return same ? found : 0;
		at++;
	}
}

/* The variable's number; an empty variable is none. */
static bool number_of(
	struct assay_run_info *info, const char *variable, uint64_t max, uint64_t *ret)
{
	const char *text = getenv(variable);

	if (!text || !*text)
		return false;
	if (is_number(text, max, ret))
		return true;
	run_info_note(info, "%s is no such number of Slurm: left out", variable);
	return false;
}

static bool count_of(struct assay_run_info *info, const char *variable, uint64_t *ret)
{
	if (!number_of(info, variable, CPUS_MAX, ret))
		return false;
	if (*ret > 0)
		return true;
	run_info_note(info, "%s is no such number of Slurm: left out", variable);
	return false;
}

static void read_node_cpus(struct slurm_request *q, struct assay_run_info *info)
{
	const char *list = getenv("SLURM_JOB_CPUS_PER_NODE");
	const char *node = getenv("SLURM_NODEID");
	uint64_t index = 0;

	if (count_of(info, "SLURM_CPUS_ON_NODE", &q->node_cpus)) {
		q->node_cpus_variable = "SLURM_CPUS_ON_NODE";
		return;
	}
	if (!list || !*list)
		return;
	/* A node id that cannot be one has its note from where the ids are taken. */
	bool known = node && is_number(node, CPUS_MAX, &index);
	q->node_cpus = slurm_cpus_of_node(list, known ? (int64_t) index : -1);
	if (q->node_cpus > 0)
		q->node_cpus_variable = "SLURM_JOB_CPUS_PER_NODE";
	else
		run_info_note(info,
			"SLURM_JOB_CPUS_PER_NODE does not say how many CPUs this node has: left "
			"out");
}

/* srun sets the id of the step in each task; a batch script that has several tasks is none of them itself. */
static bool is_one_task(void)
{
	const char *step = getenv("SLURM_STEP_ID");
	const char *tasks = getenv("SLURM_NTASKS");
	uint64_t number;

	if (step && is_number(step, UINT64_C(0xfffffff0), &number))
		return true;
	return !tasks || strcmp(tasks, "1") == 0;
}

static void read_memory(struct slurm_request *q, struct assay_run_info *info)
{
	uint64_t mib;

	if (number_of(info, "SLURM_MEM_PER_NODE", MEMORY_MAX_MIB, &mib)) {
		q->memory_variable = "SLURM_MEM_PER_NODE";
		q->memory_all = mib == 0;
		q->memory_bytes = mib * MIB;
	} else if (number_of(info, "SLURM_MEM_PER_CPU", MEMORY_PER_CPU_MAX_MIB, &mib) &&
		   (mib == 0 || q->node_cpus_variable)) {
		q->memory_variable = "SLURM_MEM_PER_CPU";
		q->memory_all = mib == 0;
		q->memory_bytes = mib * MIB * q->node_cpus;
	}
}

void slurm_request_read(struct slurm_request *ret, struct assay_run_info *info)
{
	uint64_t seconds;

	*ret = (struct slurm_request){ 0 };
	read_node_cpus(ret, info);
	read_memory(ret, info);
	if (is_one_task() && count_of(info, "SLURM_CPUS_PER_TASK", &ret->task_cpus))
		ret->task_cpus_variable = "SLURM_CPUS_PER_TASK";
	if (number_of(info, "SLURM_JOB_END_TIME", EPOCH_MAX_SECONDS, &seconds) && seconds > 0) {
		ret->end_variable = "SLURM_JOB_END_TIME";
		ret->end_realtime_ns = seconds * NSEC_PER_SEC;
	}
}
