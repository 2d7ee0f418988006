/* SPDX-License-Identifier: MIT */
/* The measurements of Slurm's accounting, what was asked for, and how well each is known. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/macros.h"
#include "record/foreign/sacct_cpu.h"
#include "record/foreign/sacct_told.h"
#include "record/foreign/sacct_values.h"

enum {
	ELAPSED,
	CPU,
	USER_CPU,
	SYSTEM_CPU,
	STEPS_CPU,
	RSS,
	VMSIZE,
	MEMORY_SUM,
	MEMORY_TOGETHER,
	READ_SUM,
	WRITTEN_SUM,
	TASK_READ,
	TASK_WRITE,
	GPU_MEMORY,
	GPU_BUSY,
	ENERGY,
	TASKS,
	NODES,
	OUT_OF_MEMORY,
	N_ROWS
};

const struct measure sacct_rows[] = {
	/* clang-format off */
	[ELAPSED] = { .key = "sacct_elapsed_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = ESTIMATE,
		.origin = "sacct Elapsed", .help = "time the job ran, without suspensions, between two stamps of whole seconds" },
	[CPU] = { .key = "sacct_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.origin = "sacct TotalCPU", .help = "CPU time of the steps that ended; processes that were not waited for are not in it" },
	[USER_CPU] = { .key = "sacct_cpu_user_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.origin = "sacct UserCPU", .help = "the user part of it" },
	[SYSTEM_CPU] = { .key = "sacct_cpu_system_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.origin = "sacct SystemCPU", .help = "the system part of it" },
	[STEPS_CPU] = { .key = "sacct_steps_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.origin = "sacct TRESUsageInTot cpu, TotalCPU", .help = "CPU time of the steps, of each the greater of TotalCPU and what Slurm's samples saw" },
	[RSS] = { .key = "sacct_task_rss_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX, .quality = ESTIMATE,
		.origin = "sacct MaxRSS", .help = "memory of the largest task at Slurm's samples: tasks beside it are not in it, pages its processes share are in it for each" },
	[VMSIZE] = { .key = "sacct_task_virtual_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX, .quality = LOWER_BOUND,
		.origin = "sacct MaxVMSize", .help = "virtual memory of the largest task at Slurm's samples" },
	[MEMORY_SUM] = { .key = "sacct_step_memory_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX, .quality = ESTIMATE,
		.origin = "sacct TRESUsageInTot mem", .help = "the peaks of all tasks of the largest step added up, as if they were at one time" },
	[MEMORY_TOGETHER] = { .key = "sacct_concurrent_steps_memory_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX, .quality = ESTIMATE,
		.origin = "sacct TRESUsageInTot mem, MaxRSS", .help = "the most that the peaks of steps that ran side by side add up to, as if they were at one time" },
	[READ_SUM] = { .key = "sacct_disk_read_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.origin = "sacct TRESUsageInTot fs/disk", .help = "bytes read by system calls of the processes that Slurm's samples met" },
	[WRITTEN_SUM] = { .key = "sacct_disk_write_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.origin = "sacct TRESUsageOutTot fs/disk", .help = "bytes written by system calls of the processes that Slurm's samples met" },
	[TASK_READ] = { .key = "sacct_task_disk_read_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX, .quality = LOWER_BOUND,
		.origin = "sacct MaxDiskRead", .help = "bytes read by the task that read the most" },
	[TASK_WRITE] = { .key = "sacct_task_disk_write_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX, .quality = LOWER_BOUND,
		.origin = "sacct MaxDiskWrite", .help = "bytes written by the task that wrote the most" },
	[GPU_MEMORY] = { .key = "sacct_task_gpu_memory_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX, .quality = LOWER_BOUND,
		.origin = "sacct TRESUsageInMax gres/gpumem", .help = "memory of GPUs that the largest task held at Slurm's samples" },
	[GPU_BUSY] = { .key = "sacct_task_gpu_utilization_percent", .kind = GAUGE, .unit = PERCENT, .scope = SINGLE, .reduce = MAX, .quality = SAMPLED,
		.origin = "sacct TRESUsageInMax gres/gpuutil", .help = "how busy the GPUs of the busiest task were at Slurm's samples" },
	[ENERGY] = { .key = "sacct_node_energy_joules", .kind = COUNTER, .unit = JOULES, .scope = SINGLE, .reduce = DELTA, .quality = ESTIMATE,
		.origin = "sacct ConsumedEnergyRaw", .help = "energy of the job's whole nodes, whoever else used them" },
	[TASKS] = { .key = "sacct_tasks_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX, .quality = EXACT,
		.origin = "sacct NTasks", .help = "tasks of the step that had the most" },
	[NODES] = { .key = "sacct_nodes_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX, .quality = EXACT,
		.origin = "sacct NNodes", .help = "nodes of the job" },
	[OUT_OF_MEMORY] = { .key = "sacct_out_of_memory_steps_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX, .quality = EXACT,
		.origin = "sacct State", .help = "steps that ended out of memory, though the job may have gone on" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(sacct_rows) == N_ROWS, "one row a name");

const size_t sacct_n_rows = ARRAY_SIZE(sacct_rows);

static double rounded(double bytes)
{
	return (double) (int64_t) (bytes + 0.5);
}

static void tell_total(struct draft *d, int row, const char *statistic, struct told value)
{
	double number = sacct_rows[row].unit == BYTES ? rounded(value.value) : value.value;

	if (value.is)
		draft_total(d, sacct_rows[row].key, statistic, number,
			(enum quality) sacct_rows[row].quality);
}

static void headline(struct draft *d, const char *name, int row, double value, const char *why)
{
	draft_headline(
		d, name, value, (enum quality) sacct_rows[row].quality, sacct_rows[row].key, why);
}

static void tell_cpu(const struct sacct_times *of, struct draft *d)
{
	static const char waited[] = "of steps that ended, and of processes that were waited for: "
				     "Slurm counts no others";
	int row = of->by_samples ? STEPS_CPU : CPU;
	struct told cpu = of->by_samples ? of->steps_cpu : of->cpu;

	if (cpu.is)
		headline(d, "cpu_seconds", row, cpu.value,
			of->by_samples
				? "what Slurm's samples saw (TRESUsageInTot), which is more than "
				  "TotalCPU: what came after the last sample is not in it"
				: waited);
	if (of->user.is)
		headline(d, "cpu_user_seconds", USER_CPU, of->user.value, waited);
	if (of->system.is)
		headline(d, "cpu_system_seconds", SYSTEM_CPU, of->system.value, waited);
	/* Elapsed may be a second short, so this is no bound. */
	if (cpu.is && of->elapsed.is && of->elapsed.value > 0)
		draft_headline(d, "cpu_mean_cores", cpu.value / of->elapsed.value, ESTIMATE,
			sacct_rows[row].key,
			"CPU time, which is a lower bound, over Elapsed in whole seconds");
	tell_total(d, CPU, "", of->cpu);
	tell_total(d, USER_CPU, "", of->user);
	tell_total(d, SYSTEM_CPU, "", of->system);
	tell_total(d, STEPS_CPU, "", of->steps_cpu);
}

static void tell_time_used(
	const struct sacct_job *job, const struct sacct_table *table, struct draft *d)
{
	struct sacct_times of;

	sacct_times_judge(job, table, d, &of);
	/* Nothing runs for seconds on no time at all: Slurm gathered none. */
	if (of.cpu.is && of.cpu.value == 0 && of.elapsed.is && of.elapsed.value > 0) {
		of.cpu.is = of.user.is = of.system.is = false;
		of.steps_cpu.is = of.by_samples;
		draft_note(d, "TotalCPU is 0 over %.0f s: Slurm gathered none%s", of.elapsed.value,
			of.by_samples ? ", but its samples (TRESUsageInTot) have CPU time" : "");
	}
	if (of.elapsed.is) {
		draft_number(d, "time", "wall_seconds", of.elapsed.value);
		headline(d, "wall_seconds", ELAPSED, of.elapsed.value,
			"between two stamps of whole seconds");
	}
	tell_cpu(&of, d);
	tell_total(d, ELAPSED, "", of.elapsed);
}

/* Of steps side by side: where one of them is of its largest task alone, so is the sum. */
static void tell_memory_together(
	const struct sacct_together *together, enum quality quality, struct draft *d)
{
	char why[400];

	if (together->is_whole) {
		snprintf(why, sizeof(why),
			"the peaks of all tasks of %zu steps that ran side by side added up, as if "
			"they were at one time; what came between Slurm's samples is not in it, "
			"pages that processes share are in it for each of them",
			together->steps);
		draft_total(d, sacct_rows[MEMORY_TOGETHER].key, "peak", rounded(together->bytes),
			quality);
	} else {
		snprintf(why, sizeof(why),
			"the largest tasks (MaxRSS) of %zu steps that ran side by side added up: "
			"other tasks of these steps and what came between Slurm's samples are not "
			"in it, pages that processes share are in it for each of them",
			together->steps);
	}
	draft_headline(d, "memory_peak_bytes", rounded(together->bytes), quality,
		sacct_rows[together->is_whole ? MEMORY_TOGETHER : RSS].key, why);
}

/* The largest task is all of them only where there was one: by NTasks, of scripts and shells, or on a single CPU. */
static bool is_of_one_task(const struct sacct_job *job, const struct sacct_together *together)
{
	bool told = job->tasks.is && job->tasks.value == 1;

	return told || (job->cpus.is && job->cpus.value == 1 && !job->tasks.is) ||
	       (job->steps > 0 && together->is_whole);
}

static void tell_memory_peak(const struct sacct_job *job, struct draft *d)
{
	/* Where the largest step has one task alone, both are that one's. */
	bool summed = job->memory_sum.is &&
		      (job->memory_sum.value > job->rss.value ||
			      (job->tasks.value > 1 && job->memory_sum.value >= job->rss.value));
	double alone = summed ? job->memory_sum.value : job->rss.value;
	struct sacct_together together;
	enum quality quality;
	int code = sacct_steps_together(&job->memory, &together);

	if (code < 0) {
		draft_fail(d, NULL, code, "cannot keep what it says");
		return;
	}
	quality = together.is_settled ? ESTIMATE : LOWER_BOUND;
	if (!together.is_settled)
		draft_note(d, "memory is at least that: when its steps ran is not told (Start and "
			      "Elapsed in --format tell it), and of those that may have run side "
			      "by side the largest alone counts");
	if (sacct_together_counts(&together) && together.bytes > alone)
		tell_memory_together(&together, quality, d);
	else if (summed)
		draft_headline(d, "memory_peak_bytes", rounded(alone), quality,
			sacct_rows[MEMORY_SUM].key,
			"the peaks of all tasks of the largest step added up (TRESUsageInTot), as "
			"if they were at one time; steps beside it and what came between Slurm's "
			"samples are not in it, pages that its processes share are in it for each "
			"of them");
	else if (job->rss.is)
		draft_headline(d, "memory_peak_bytes", rounded(alone),
			is_of_one_task(job, &together) ? quality : LOWER_BOUND, sacct_rows[RSS].key,
			"the largest task at Slurm's samples (MaxRSS): other tasks and what came "
			"between samples are not in it, pages that its processes share are in it "
			"for each of them");
	else if (job->steps > 0)
		draft_note(
			d, "no step has a MaxRSS: Slurm gathered none, or the step was too short");
}

static void tell_memory(const struct sacct_job *job, struct draft *d)
{
	tell_memory_peak(job, d);
	if (job->rss.is && job->rss_step[0])
		draft_note(d, "the largest MaxRSS was in step %s", job->rss_step);
	if (job->rss.is && job->steps_without_rss > 0)
		draft_note(d, "steps without a MaxRSS: %zu of %zu", job->steps_without_rss,
			job->steps);
	if (job->damaged_lists > 0)
		draft_note(d,
			"lists of TRES that are damaged, and were not read: %zu, the first of %s",
			job->damaged_lists, job->damaged_step);
	tell_total(d, RSS, "peak", job->rss);
	tell_total(d, VMSIZE, "peak", job->vmsize);
	tell_total(d, MEMORY_SUM, "peak", job->memory_sum);
	tell_total(d, GPU_MEMORY, "peak", job->gpu_memory);
	tell_total(d, GPU_BUSY, "peak", job->gpu_busy);
}

void sacct_tell_usage(const struct sacct_job *job, const struct sacct_table *table, struct draft *d)
{
	static const char met[] = "of the processes that Slurm's samples met";

	tell_time_used(job, table, d);
	tell_memory(job, d);
	if (job->read_sum.is)
		headline(d, "io_read_syscall_bytes", READ_SUM, rounded(job->read_sum.value), met);
	if (job->written_sum.is)
		headline(d, "io_write_syscall_bytes", WRITTEN_SUM, rounded(job->written_sum.value),
			met);
	tell_total(d, READ_SUM, "", job->read_sum);
	tell_total(d, WRITTEN_SUM, "", job->written_sum);
	tell_total(d, TASK_READ, "peak", job->task_read);
	tell_total(d, TASK_WRITE, "peak", job->task_write);
	tell_total(d, ENERGY, "", job->energy);
	tell_total(d, TASKS, "peak", job->tasks);
	tell_total(d, NODES, "peak", job->nodes);
	tell_total(d, OUT_OF_MEMORY, "peak", job->out_of_memory);
	if (job->failed_steps > 0)
		draft_note(d, "steps that did not come to a good end: %zu of %zu, the first was %s",
			job->failed_steps, job->steps, job->failed_step);
}

/* `limit` is a JSON value, taken over. What was added, borrowed, or NULL. */
static json_t *add_limit(struct draft *d, const char *name, const char *unit, json_t *limit,
	const char *where, const char *note)
{
	json_t *list = json_object_get(d->info, "target_limits");
	json_t *one = json_pack("{s:s, s:s, s:o, s:s, s:s, s:b}", "name", name, "unit", unit,
		"limit", limit, "source", "slurm", "where", where, "tightest", 1);

	if (!list && json_object_set_new(d->info, "target_limits", list = json_array()) < 0)
		list = NULL;
	if (one && note)
		json_object_set_new(one, "note", json_string(note));
	if (one && list && json_array_append_new(list, one) == 0)
		return one;
	draft_fail(d, NULL, -ENOMEM, "cannot keep what it says");
	return NULL;
}

static json_t *whole(double number)
{
	return json_integer((json_int_t) rounded(number));
}

/* ReqMem: of a node, of a CPU, or, without a letter, of a node's share as Slurm since 21.08 puts it together. */
static void tell_memory_request(
	const struct sacct_table *table, const struct cells *cells, double cpus, struct draft *d)
{
	char text[64];
	char per;
	double bytes;
	const char *asked = sacct_cell(table, cells, "ReqMem");
	const char *given = sacct_cell(table, cells, "AllocTRES");
	bool is_told = sacct_request(asked, &bytes, &per);

	if (!is_told && !sacct_is_nothing(asked))
		draft_note(d, "ReqMem is damaged, and was not read");
	if (is_told && bytes > 0) {
		if (per == 'n')
			json_object_set_new(add_limit(d, "memory", "bytes", whole(bytes),
						    "sacct ReqMem", "of each node"),
				"per", json_string("node"));
		else if (per == 'c' && cpus > 0 && bytes * cpus < 0x1p60)
			add_limit(d, "memory", "bytes", whole(bytes * cpus), "sacct ReqMem",
				"so much for each CPU, times all CPUs of the job");
		else if (per == '\0')
			add_limit(d, "memory", "bytes", whole(bytes), "sacct ReqMem",
				"of the whole job");
		else
			draft_note(
				d, "ReqMem is for each CPU, and how many there were is not told");
		return;
	}
	if (!sacct_is_nothing(given) && sacct_tres_is_damaged(given))
		draft_note(d, "AllocTRES is damaged, and was not read");
	if (sacct_tres(given, "mem", text, sizeof(text)) && sacct_size(text, &bytes) && bytes > 0)
		add_limit(d, "memory", "bytes", whole(bytes), "sacct AllocTRES mem",
			"of the whole job");
}

static double cpus_of(const struct sacct_table *table, const struct cells *cells, const char **ret)
{
	static const char *const names[] = { "AllocCPUS", "NCPUS", "ReqCPUS" };
	double cpus;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (number_is(sacct_cell(table, cells, names[i]), &cpus) && cpus > 0 &&
			cpus < 1e8) {
			*ret = names[i];
			return cpus;
		}
	}
	return 0;
}

void sacct_tell_request(const struct sacct_table *table, const struct cells *cells, struct draft *d)
{
	const char *limit = sacct_cell(table, cells, "Timelimit");
	const char *raw = sacct_cell(table, cells, "TimelimitRaw");
	const char *name = "";
	char where[32];
	double cpus = cpus_of(table, cells, &name);
	double seconds;

	tell_memory_request(table, cells, cpus, d);
	if (cpus > 0) {
		snprintf(where, sizeof(where), "sacct %s", name);
		add_limit(d, "cpu", "cores", whole(cpus), where, "of all nodes of the job");
	}
	/* TimelimitRaw is in minutes. */
	if (sacct_duration(limit, &seconds))
		add_limit(d, "time", "seconds", whole(seconds), "sacct Timelimit", NULL);
	else if (number_is(raw, &seconds) && seconds > 0 && seconds < 5e7)
		add_limit(d, "time", "seconds", whole(seconds * 60), "sacct TimelimitRaw", NULL);
	else if (strcasecmp(limit, "UNLIMITED") == 0 || strcasecmp(raw, "UNLIMITED") == 0)
		add_limit(d, "time", "seconds", json_string("unlimited"), "sacct Timelimit",
			"the job had none");
	else if (strcasecmp(limit, "Partition_Limit") == 0)
		draft_note(d, "the time limit was its partition's, which sacct does not tell");
}
