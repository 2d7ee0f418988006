/* SPDX-License-Identifier: MIT */
/* Gathers what the steps of a job used, and says it with the quality that Slurm's way of measuring has. */
#include "record/foreign/sacct_job.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/macros.h"
#include "record/foreign/sacct_told.h"
#include "record/foreign/sacct_values.h"

int sacct_table_take(struct sacct_table *table, const struct cells *cells)
{
	sacct_table_done(table);
	table->names = calloc(cells->n, sizeof(*table->names));
	if (!table->names)
		return -ENOMEM;
	table->n = cells->n;
	for (size_t i = 0; i < cells->n; i++) {
		table->names[i] = strdup(cells->at[i]);
		if (!table->names[i])
			return -ENOMEM;
	}
	table->id = cells_find(cells, "JobID");
	if (table->id < 0)
		table->id = cells_find(cells, "JobIDRaw");
	return 0;
}

void sacct_table_done(struct sacct_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		free(table->names[i]);
	free(table->names);
	*table = (struct sacct_table){ 0 };
}

static void forget_cells(struct sacct_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		free(job->cells[i]);
	free(job->cells);
	job->cells = NULL;
	job->n = 0;
}

static int keep_cells(struct sacct_job *job, const struct cells *cells)
{
	forget_cells(job);
	job->cells = calloc(cells->n, sizeof(*job->cells));
	if (!job->cells)
		return -ENOMEM;
	job->n = cells->n;
	for (size_t i = 0; i < cells->n; i++) {
		job->cells[i] = strdup(cells->at[i]);
		if (!job->cells[i])
			return -ENOMEM;
	}
	return 0;
}

/* The cell of that name; "" when the table has none. */
static const char *cell_of(
	const struct sacct_table *table, const struct cells *cells, const char *name)
{
	for (size_t i = 0; i < table->n && i < cells->n; i++)
		if (strcasecmp(table->names[i], name) == 0)
			return cells->at[i];
	return "";
}

static void larger(struct told *of, double value)
{
	if (!of->is || value > of->value)
		*of = (struct told){ true, value };
}

static void more(struct told *of, double value)
{
	*of = (struct told){ true, of->value + value };
}

static bool seconds_of(const char *raw, const char *text, double *ret)
{
	return (number_is(raw, ret) && *ret >= 0 && *ret < 3.2e9) || sacct_duration(text, ret);
}

/* TotalCPU is what UserCPU and SystemCPU come to. */
static struct told cpu_of(const struct sacct_table *table, const struct cells *cells)
{
	struct told cpu = { 0 };
	double user;
	double system;
	double total;

	if (sacct_duration(cell_of(table, cells, "TotalCPU"), &total))
		larger(&cpu, total);
	if (sacct_duration(cell_of(table, cells, "UserCPU"), &user) &&
		sacct_duration(cell_of(table, cells, "SystemCPU"), &system))
		larger(&cpu, user + system);
	return cpu;
}

static void add_step_cpu(struct sacct_job *job, const struct sacct_table *table,
	const struct cells *cells, struct told cpu)
{
	char text[64];
	double seconds;

	if (cpu.is) {
		more(&job->step_cpu, cpu.value);
		job->steps_with_cpu++;
	}
	if (sacct_tres(cell_of(table, cells, "TRESUsageInTot"), "cpu", text, sizeof(text)) &&
		seconds_of(text, text, &seconds)) {
		larger(&cpu, seconds);
		job->step_samples++;
	}
	if (cpu.is)
		more(&job->step_most_cpu, cpu.value);
}

static void add_times(struct sacct_job *job, const struct sacct_table *table,
	const struct cells *cells, bool step)
{
	const struct {
		const char *name;
		struct told *own, *steps;
	} parts[] = { { "UserCPU", &job->user_cpu, &job->step_user_cpu },
		{ "SystemCPU", &job->system_cpu, &job->step_system_cpu } };
	struct told cpu = cpu_of(table, cells);
	double seconds;

	if (seconds_of(cell_of(table, cells, "ElapsedRaw"), cell_of(table, cells, "Elapsed"),
		    &seconds))
		larger(step ? &job->step_elapsed : &job->elapsed, seconds);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (sacct_duration(cell_of(table, cells, parts[i].name), &seconds))
			more(step ? parts[i].steps : parts[i].own, seconds);
	if (step)
		add_step_cpu(job, table, cells, cpu);
	else if (cpu.is)
		more(&job->cpu, cpu.value);
}

/* A TRES of a list in a cell, as a size. */
static bool tres_of(const struct sacct_table *table, const struct cells *cells, const char *cell,
	const char *name, double *ret)
{
	char text[64];

	return sacct_tres(cell_of(table, cells, cell), name, text, sizeof(text)) &&
	       sacct_size(text, ret);
}

/* "3", "0003" are whole numbers; what is none tells nothing. */
static void add_count(const char *text, struct told *of)
{
	double n;

	if (number_is(text, &n) && n >= 1 && n <= 1e7 && n == (double) (int64_t) n)
		larger(of, n);
}

/* Whatever is told of the step elsewhere stands. */
static void add_damage(
	struct sacct_job *job, const struct sacct_table *table, const struct cells *cells)
{
	static const char *const lists[] = { "TRESUsageInTot", "TRESUsageOutTot",
		"TRESUsageInMax" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const char *list = cell_of(table, cells, lists[i]);

		if (!sacct_is_nothing(list) && sacct_tres_is_damaged(list) &&
			job->damaged_lists++ == 0)
			snprintf(job->damaged_step, sizeof(job->damaged_step), "%s",
				cells->at[table->id]);
	}
}

/* Slurm's local time without a zone is good enough for what ran beside what. */
static bool moment_of(const char *text, double *ret)
{
	bool zoned;

	return number_is(text, ret) || stamp_read(text, ret, &zoned);
}

/* Of an End and an Elapsed that differ the later, which has more steps side by side: a clock that was set back for the winter is no reason for fewer. */
static bool span_of(const struct sacct_table *table, const struct cells *cells, double *ret_begin,
	double *ret_end)
{
	double end;
	double elapsed;
	double suspended = 0;
	bool has_end;
	bool has_elapsed;

	if (!moment_of(cell_of(table, cells, "Start"), ret_begin))
		return false;
	has_end = moment_of(cell_of(table, cells, "End"), &end) && end >= *ret_begin;
	has_elapsed = seconds_of(
		cell_of(table, cells, "ElapsedRaw"), cell_of(table, cells, "Elapsed"), &elapsed);
	*ret_end = has_end ? end : *ret_begin;
	/* Elapsed is without the time in which it was stopped. */
	sacct_duration(cell_of(table, cells, "Suspended"), &suspended);
	if (has_elapsed && *ret_begin + elapsed + suspended > *ret_end)
		*ret_end = *ret_begin + elapsed + suspended;
	return has_end || has_elapsed;
}

/* `task`, `all`: what its largest task and all of its tasks had, 0 where that is not told. */
static int add_step_memory(struct sacct_job *job, const struct sacct_table *table,
	const struct cells *cells, double task, double all)
{
	const char *name = strchr(cells->at[table->id], '.') + 1;
	/* Scripts and shells are one task. */
	bool is_srun = *name >= '0' && *name <= '9';
	struct told tasks = { !is_srun, 1 };
	struct sacct_step step = { .bytes = all > task ? all : task };

	if (!(step.bytes > 0))
		return 0;
	add_count(cell_of(table, cells, "NTasks"), &tasks);
	step.is_whole = all > 0 || (tasks.is && tasks.value == 1);
	step.is_timed = span_of(table, cells, &step.begin, &step.end);
	return sacct_steps_add(&job->memory, name, &step);
}

/* A size of 0 for memory is no reading: no process has none. */
static int add_memory(
	struct sacct_job *job, const struct sacct_table *table, const struct cells *cells)
{
	const char *id = cells->at[table->id];
	double bytes = 0;
	double task = 0;
	double all = 0;
	bool told = (sacct_size(cell_of(table, cells, "MaxRSS"), &bytes) && bytes > 0) ||
		    (tres_of(table, cells, "TRESUsageInMax", "mem", &bytes) && bytes > 0);

	if (told && (!job->rss.is || bytes > job->rss.value))
		snprintf(job->rss_step, sizeof(job->rss_step), "%s", strchr(id, '.') ? id : "");
	if (told) {
		task = bytes;
		larger(&job->rss, task);
	} else {
		job->steps_without_rss++;
	}
	if (sacct_size(cell_of(table, cells, "MaxVMSize"), &bytes) && bytes > 0)
		larger(&job->vmsize, bytes);
	if (tres_of(table, cells, "TRESUsageInTot", "mem", &bytes) && bytes > 0) {
		all = bytes;
		larger(&job->memory_sum, all);
	}
	if (tres_of(table, cells, "TRESUsageInMax", "gres/gpumem", &bytes))
		larger(&job->gpu_memory, bytes);
	if (tres_of(table, cells, "TRESUsageInMax", "gres/gpuutil", &bytes))
		larger(&job->gpu_busy, bytes);
	return strchr(id, '.') ? add_step_memory(job, table, cells, task, all) : 0;
}

static void add_io(
	struct sacct_job *job, const struct sacct_table *table, const struct cells *cells)
{
	double bytes;

	if (sacct_size(cell_of(table, cells, "MaxDiskRead"), &bytes))
		larger(&job->task_read, bytes);
	if (sacct_size(cell_of(table, cells, "MaxDiskWrite"), &bytes))
		larger(&job->task_write, bytes);
	if (tres_of(table, cells, "TRESUsageInTot", "fs/disk", &bytes))
		more(&job->read_sum, bytes);
	if (tres_of(table, cells, "TRESUsageOutTot", "fs/disk", &bytes))
		more(&job->written_sum, bytes);
	/* Each step counts its nodes whole, so steps side by side are not added up. */
	if (number_is(cell_of(table, cells, "ConsumedEnergyRaw"), &bytes) && bytes > 0 &&
		bytes < 0x1p53)
		larger(&job->energy, bytes);
}

/* A job may go on to a fine end behind a step that did not come to its own. */
static void add_state(
	struct sacct_job *job, const struct sacct_table *table, const struct cells *cells)
{
	const char *state = cell_of(table, cells, "State");
	bool failed = strncmp(state, "FAILED", 6) == 0 || strncmp(state, "TIMEOUT", 7) == 0;
	bool out_of_memory = strncmp(state, "OUT_OF_ME", 9) == 0;

	if (!state[0])
		return;
	more(&job->out_of_memory, out_of_memory);
	if ((failed || out_of_memory) && job->failed_steps++ == 0)
		snprintf(job->failed_step, sizeof(job->failed_step), "%s", cells->at[table->id]);
}

int sacct_job_add(struct sacct_job *job, const struct sacct_table *table, const struct cells *cells)
{
	bool step = strchr(cells->at[table->id], '.') != NULL;

	if (!step || !job->cells) {
		int r = keep_cells(job, cells);

		if (r < 0)
			return r;
		job->own_line = !step;
	}
	add_times(job, table, cells, step);
	add_damage(job, table, cells);
	add_count(cell_of(table, cells, "NTasks"), &job->tasks);
	add_count(cell_of(table, cells, "NNodes"), &job->nodes);
	add_count(cell_of(table, cells, "AllocCPUS"), &job->cpus);
	if (step) {
		job->steps++;
		add_state(job, table, cells);
		add_io(job, table, cells);
		return add_memory(job, table, cells);
	}
	return 0;
}

/* Slurm has it of steps alone: another tool may have put the lines together. Those of steps stand where they tell it. */
static int add_own_memory(struct sacct_job *job, const struct sacct_table *table, struct draft *d)
{
	const struct cells cells = { .at = job->cells, .n = job->n };
	double bytes;

	if (!job->own_line || !cell_of(table, &cells, "MaxRSS")[0])
		return 0;
	if (!job->rss.is && !job->memory_sum.is)
		return add_memory(job, table, &cells);
	if (job->rss.is && sacct_size(cell_of(table, &cells, "MaxRSS"), &bytes) && bytes > 0 &&
		fabs(bytes - job->rss.value) > job->rss.value / 64)
		draft_note(d,
			"MaxRSS of the job's own line is %.0f bytes, and the largest of its steps "
			"%.0f: that of the steps counts",
			bytes, job->rss.value);
	return 0;
}

void sacct_job_tell(struct sacct_job *job, const struct sacct_table *table, struct draft *d)
{
	const struct cells cells = { .at = job->cells, .n = job->n };

	draft_begin(d, "sacct", NULL, sacct_rows, sacct_n_rows);
	if (add_own_memory(job, table, d) < 0) {
		draft_fail(d, NULL, -ENOMEM, "cannot keep what it says");
		return;
	}
	sacct_tell_identity(job, table, &cells, d);
	sacct_tell_outcome(table, &cells, d);
	sacct_tell_request(table, &cells, d);
	if (job->steps > 0 || sacct_has_begun(table, &cells))
		sacct_tell_usage(job, table, d);
}

void sacct_job_done(struct sacct_job *job)
{
	forget_cells(job);
	sacct_steps_done(&job->memory);
	*job = (struct sacct_job){ 0 };
}

const char *sacct_cell(const struct sacct_table *table, const struct cells *cells, const char *name)
{
	return cell_of(table, cells, name);
}
