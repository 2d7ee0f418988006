/* SPDX-License-Identifier: MIT */
/* What was asked for, and by whom: from Slurm, by a cgroup or a CPU list that someone made tighter than the machine, by a limit of the run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/units.h"
#include "record/foreign/cells.h"
#include "run/info_facts.h"
#include "run/info_value.h"
#include "size/size_parts.h"

#define MIB 1048576.0
#define ITEM_SIZE 64

struct request {
	double value;
	char by[SIZE_KEY_SIZE];
	bool of_one_node; /* and there may be more of them */
};

/* "/sys/fs/cgroup/a/memory.max", "memory.stat hierarchical_memory_limit": the file will do. */
static void name_file(const char *where, char *ret)
{
	const char *slash = strrchr(where, '/');
	const char *file = slash ? slash + 1 : where;
	size_t n = strcspn(file, " ");

	char name[SIZE_KEY_SIZE];

	snprintf(name, sizeof(name), "cgroup %.*s", (int) (n < 80 ? n : 80), file);
	size_put_text(ret, SIZE_KEY_SIZE, name);
}

/* Of a job that sacct tells of as a whole; 1 of a record of one node, which is measured alone; NAN: it is not told. */
static double nodes_of(const json_t *info)
{
	const json_t *summary = json_object_get(info, "summary");
	double told = info_number(summary, "sacct_peak_nodes_count", "value");

	if (!info_is(json_object_get(info, "imported"), "format", "sacct"))
		return 1;
	/* A list of several has no name. */
	return told >= 1 ? told : info_text(info, "slurm", "node_name") ? 1 : (double) NAN;
}

static void take_slurm(
	const json_t *limits, const char *name, double most, double nodes, struct request *tightest)
{
	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);
		bool of_each = info_is(limit, "per", "node");
		double each = info_number(limit, "limit", NULL);
		double value = size_sane(of_each && nodes > 1 ? each * nodes : each, most);
		const char *where = info_text(limit, "where", NULL);
		char name_of[SIZE_KEY_SIZE];

		if (!info_is(limit, "source", "slurm") || !info_is(limit, "name", name) ||
			!(value > 0) || value >= tightest->value)
			continue;
		tightest->value = value;
		tightest->of_one_node = of_each && isnan(nodes);
		snprintf(name_of, sizeof(name_of), "%.70s%s", where ? where : "slurm",
			of_each ? " (of each node)" : "");
		size_put_text(tightest->by, sizeof(tightest->by), name_of);
	}
}

/* What all of the machine has is no request. */
static double machine_has(const json_t *info, const char *name)
{
	const json_t *limits = json_object_get(info, "target_limits");

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);

		if (info_is(limit, "source", "host") && info_is(limit, "name", name))
			return info_number(limit, "limit", NULL);
	}
	return strcmp(name, "cpu") == 0 ? info_number(info, "host", "cpus_online")
					: info_number(info, "host", "memory_total_bytes");
}

static void take_bounds(const json_t *info, const char *name, double most, struct request *tightest)
{
	const json_t *limits = json_object_get(info, "target_limits");
	double machine = machine_has(info, name);

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);
		double value = size_sane(info_number(limit, "limit", NULL), most);
		const char *source = info_text(limit, "source", NULL);
		const char *where = info_text(limit, "where", NULL);
		bool cgroup = info_is(limit, "source", "cgroup");

		if (!info_is(limit, "name", name) || !(value > 0) || value >= tightest->value)
			continue;
		/* Where the machine is not known, a list of all its CPUs looks like one that was made. */
		if (cgroup ? value >= machine
			   : !(value < machine) || (!info_is(limit, "source", "cpuset") &&
							   !info_is(limit, "source", "affinity")))
			continue;
		tightest->value = value;
		if (cgroup)
			name_file(where ? where : "", tightest->by);
		else
			snprintf(tightest->by, sizeof(tightest->by), "%.90s", source);
	}
}

static double variable(const json_t *info, const char *name, double most)
{
	const char *text = info_text(info, "scheduler", name);
	double number;

	return text && number_is(text, &number) && number > 0 ? size_sane(number, most)
							      : (double) NAN;
}

/* As another tool kept the environment. Memory for each CPU is no request until the CPUs are known, and those of a task are not those of several. */
static void take_environment(const json_t *info, struct request *memory, struct request *cpus)
{
	bool several = variable(info, "SLURM_NTASKS", SIZE_CORES_MAX) > 1;
	double of_task =
		several ? (double) NAN : variable(info, "SLURM_CPUS_PER_TASK", SIZE_CORES_MAX);
	double on_node = variable(info, "SLURM_CPUS_ON_NODE", SIZE_CORES_MAX);
	double per_node = variable(info, "SLURM_MEM_PER_NODE", SIZE_BYTES_MAX / MIB);
	double per_cpu = variable(info, "SLURM_MEM_PER_CPU", SIZE_BYTES_MAX / MIB);
	double all = per_cpu * MIB * (on_node > 0 ? on_node : of_task);

	if (isinf(cpus->value) && of_task > 0)
		*cpus = (struct request){ .value = of_task, .by = "SLURM_CPUS_PER_TASK" };
	else if (isinf(cpus->value) && on_node > 0)
		*cpus = (struct request){ .value = on_node, .by = "SLURM_CPUS_ON_NODE" };
	if (isinf(memory->value) && per_node > 0)
		*memory = (struct request){ .value = per_node * MIB, .by = "SLURM_MEM_PER_NODE" };
	else if (isinf(memory->value) && all > 0 && all <= SIZE_BYTES_MAX)
		*memory = (struct request){ .value = all, .by = "SLURM_MEM_PER_CPU" };
}

/* "wall=2h, memory=8G": the value of one, of which the name is known; false where it is not there. */
static bool option_of(const json_t *info, const char *name, char ret[ITEM_SIZE])
{
	const char *text = info_text(info, "options", "limits");
	size_t n_name = strlen(name);

	for (text = text ? text : ""; *text;) {
		size_t n = strcspn(text, ", \t\n");

		if (n > n_name + 1 && n - n_name - 1 < ITEM_SIZE && text[n_name] == '=' &&
			strncmp(text, name, n_name) == 0) {
			memcpy(ret, text + n_name + 1, n - n_name - 1);
			ret[n - n_name - 1] = '\0';
			return true;
		}
		text += n;
		text += strspn(text, ", \t\n");
	}
	return false;
}

static void take_options(const json_t *info, struct request *memory, struct request *seconds)
{
	char text[ITEM_SIZE];
	uint64_t n;

	if (isinf(memory->value) && option_of(info, "memory", text) &&
		parse_size(text, &n, NULL) == 0 && (double) n <= SIZE_BYTES_MAX && n > 0)
		*memory = (struct request){ .value = (double) n, .by = "--limit memory" };
	if (isinf(seconds->value) && option_of(info, "wall", text) &&
		parse_duration(text, &n, NULL) == 0 && n > 0)
		*seconds = (struct request){ .value = (double) n / 1e9, .by = "--limit wall" };
}

static double put(const struct request *request, char by[SIZE_KEY_SIZE])
{
	snprintf(by, SIZE_KEY_SIZE, "%s", request->by);
	return isinf(request->value) ? (double) NAN : request->value;
}

void size_asked_take(const json_t *info, struct size_asked *ret, bool *ret_of_one_node)
{
	const json_t *limits = json_object_get(info, "target_limits");
	double nodes = nodes_of(info);
	struct request memory = { .value = (double) INFINITY };
	struct request cpus = memory;
	struct request seconds = memory;

	/* What Slurm was asked for has the right of way over what it made of that. */
	take_slurm(limits, "memory", SIZE_BYTES_MAX, nodes, &memory);
	take_slurm(limits, "cpu", SIZE_CORES_MAX, nodes, &cpus);
	take_slurm(limits, "time", SIZE_SECONDS_MAX, nodes, &seconds);
	take_environment(info, &memory, &cpus);
	if (isinf(memory.value))
		take_bounds(info, "memory", SIZE_BYTES_MAX, &memory);
	if (isinf(cpus.value))
		take_bounds(info, "cpu", SIZE_CORES_MAX, &cpus);
	take_options(info, &memory, &seconds);
	*ret = (struct size_asked){ 0 };
	ret->memory_bytes = put(&memory, ret->memory_by);
	*ret_of_one_node = memory.of_one_node;
	ret->cpus = put(&cpus, ret->cpus_by);
	ret->seconds = put(&seconds, ret->seconds_by);
}
