/* SPDX-License-Identifier: MIT */
/* Takes the evidence out of a stored run: memory, time and cores with their qualities, and who it was. */
#include "size/size_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/value.h"
#include "record/foreign/cells.h"
#include "run/info_facts.h"
#include "run/info_value.h"
#include "size/size_parts.h"

#define NODES "sacct_peak_nodes_count"
#define NOT_MEASURED "was not measured"

struct size_fact size_nothing(void)
{
	return (struct size_fact){ .value = (double) NAN,
		.upper = (double) INFINITY,
		.samples = (double) NAN,
		.why = NOT_MEASURED };
}

bool size_is_known(const struct size_fact *fact)
{
	return !isnan(fact->value);
}

struct size_fact size_take(const json_t *of, const char *name, double most)
{
	struct size_fact fact = size_nothing();
	const char *quality = info_text(of, name, "quality");
	const char *key = info_text(of, name, "key");
	double value = size_sane(info_number(of, name, "value"), most);
	double upper = size_sane(info_number(of, name, "upper"), most);

	if (isnan(value) || (quality && strcmp(quality, quality_name(ABSENT)) == 0))
		return fact;
	fact.value = value;
	fact.why[0] = '\0';
	fact.quality = (uint8_t) quality_of_name(quality);
	/* That nothing is said of its error is no claim that it has none. */
	if (fact.quality == ABSENT)
		fact.quality = ESTIMATE;
	if (upper >= value)
		fact.upper = upper;
	else if (fact.quality == EXACT || fact.quality == UPPER_BOUND)
		fact.upper = value;
	size_put_text(fact.key, sizeof(fact.key), key ? key : name);
	return fact;
}

static double scheduled(const json_t *info, const char *key)
{
	return size_sane(
		info_number(json_object_get(info, "summary"), key, "value"), SIZE_CORES_MAX);
}

static struct size_fact take_wall(const struct stored_run *run, double series_end)
{
	const json_t *info = run->info;
	struct size_fact fact =
		size_take(json_object_get(info, "headline"), "wall_seconds", SIZE_SECONDS_MAX);
	double wall = size_sane(info_number(info, "time", "wall_seconds"), SIZE_SECONDS_MAX);
	bool ended = run->state == STORED_DONE && json_object_get(info, "outcome");

	if (size_is_known(&fact) || (isnan(wall) && isnan(series_end)))
		return fact;
	fact.why[0] = '\0';
	fact.value = isnan(wall) ? series_end : wall;
	fact.quality = !isnan(wall) && ended ? EXACT : LOWER_BOUND;
	if (fact.quality == EXACT)
		fact.upper = wall;
	snprintf(fact.key, sizeof(fact.key), "%s",
		isnan(wall) ? "end_seconds" : "time.wall_seconds");
	return fact;
}

/* wall_seconds is by a clock that stands still while the machine sleeps; the time in which the job was stopped is in it. */
static double stopped_of(const json_t *info, double wall)
{
	double stopped = size_sane(info_number(info, "time", "stopped_seconds"), SIZE_SECONDS_MAX);

	return stopped <= wall ? stopped : 0;
}

static struct size_fact take_cpus(const json_t *headline, const struct size_fact *cpu,
	const struct size_fact *time, double stopped)
{
	struct size_fact fact = size_take(headline, "cpu_mean_cores", SIZE_CORES_MAX);
	double went_on = time->value - stopped;
	double more = time->value / went_on;

	if (size_is_known(&fact) && stopped > 0 && went_on > 0) {
		fact.value *= more;
		fact.upper *= more;
	} else if (!size_is_known(&fact) && size_is_known(cpu) && went_on > 0 &&
		   cpu->value / went_on <= SIZE_CORES_MAX) {
		fact = *cpu;
		fact.value /= went_on;
		fact.upper /= went_on;
		fact.quality = (uint8_t) quality_worse(cpu->quality, time->quality);
	}
	return fact;
}

static void take_facts(const struct stored_run *run, double series_end, struct size_run *ret)
{
	const json_t *headline = json_object_get(run->info, "headline");
	struct size_fact cpu = size_take(headline, "cpu_seconds", SIZE_SECONDS_MAX);
	struct size_fact wall = take_wall(run, series_end);
	double stopped = stopped_of(run->info, wall.value);

	ret->facts[SIZE_MEMORY] = size_memory_take(run->info);
	ret->facts[SIZE_CPUS] = take_cpus(headline, &cpu, &wall, stopped);
	ret->held_seconds = wall.value;
	wall.value -= stopped;
	wall.upper -= stopped;
	ret->facts[SIZE_TIME] = wall;
	ret->charged = size_take(headline, "memory_peak_charged_bytes", SIZE_BYTES_MAX);
	if (size_is_known(&ret->charged) && !info_has_own_cgroup(run->info))
		snprintf(ret->charged.why, sizeof(ret->charged.why),
			"others may have been in its cgroup");
	ret->tasks = scheduled(run->info, SIZE_TASKS);
	ret->nodes = scheduled(run->info, NODES);
	ret->largest_task_alone =
		strcmp(ret->facts[SIZE_MEMORY].key, SIZE_TASK_RSS) == 0 && isnan(ret->tasks);
	ret->cpu_seconds = cpu.value;
	ret->cpu_quality = cpu.quality;
	ret->wall_seconds = wall.value;
	size_demand_leave_out(&ret->demand, stopped);
}

/* Who it was */

/* NULL: it is not there, or memory ran out and *failed. */
static char *copy(const char *text, bool *failed)
{
	char *copied = text ? strdup(text) : NULL;

	*failed = *failed || (text && !copied);
	return copied;
}

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int) (at - digits) : -1;
}

/* The bytes that the digits stand for, in their place; false when they are none or one is NUL. */
static bool from_hex(char *text)
{
	size_t n = strlen(text);

	if (n % 2 != 0)
		return false;
	for (size_t i = 0; i < n / 2; i++) {
		int high = digit_of(text[2 * i]);
		int low = digit_of(text[2 * i + 1]);

		if (high < 0 || low < 0 || high + low == 0)
			return false;
		text[i] = (char) (high * 16 + low);
	}
	text[n / 2] = '\0';
	return true;
}

static void drop_argv(struct size_run *ret)
{
	for (size_t i = 0; i < ret->argc; i++)
		free(ret->argv[i]);
	free(ret->argv);
	ret->argv = NULL;
	ret->argc = 0;
}

/* All of the list, or nothing: a command with a word missing is another. */
static void take_argv(const json_t *info, const char *name, struct size_run *ret, bool *failed)
{
	const json_t *list = info_member(info, "command", name);
	bool hex = strcmp(name, "argv_hex") == 0;
	size_t n = json_array_size(list);

	if (n == 0)
		return;
	ret->argv = calloc(n + 1, sizeof(*ret->argv));
	*failed = *failed || !ret->argv;
	for (size_t i = 0; ret->argv && i < n; i++) {
		const json_t *word = json_array_get(list, i);
		const char *text = json_string_value(word);
		char *copied = copy(text, failed);

		if (!copied || strlen(copied) != json_string_length(word) ||
			(hex && !from_hex(copied))) {
			free(copied);
			drop_argv(ret);
			return;
		}
		ret->argv[ret->argc++] = copied;
	}
}

/* As assay keeps it, or as another tool kept the environment. */
static double slurm_number(const json_t *info, const char *name, const char *variable)
{
	double number = info_number(info, "slurm", name);
	const char *text = info_text(info, "scheduler", variable);

	if (isnan(number) && (!text || !number_is(text, &number)))
		return (double) NAN;
	return number >= 0 ? number : (double) NAN;
}

static void take_job(const json_t *info, struct size_job *ret, bool *failed)
{
	double number = slurm_number(info, "job_id", "SLURM_JOB_ID");
	const char *cluster = info_text(info, "slurm", "cluster");

	ret->step = slurm_number(info, "step_id", "SLURM_STEP_ID");
	ret->task = slurm_number(info, "task_id", "SLURM_PROCID");
	if (isnan(number) || info_is(json_object_get(info, "imported"), "format", "sacct"))
		return;
	if (asprintf(&ret->name, "%s %.0f", cluster ? cluster : "", number) < 0) {
		ret->name = NULL;
		*failed = true;
	}
}

/* Local times alone tell the order of runs that have nothing else. */
static void take_start(const json_t *info, struct size_run *ret)
{
	const char *started = info_text(info, "time", "started");
	const char *local = info_text(info, "time", "started_local");
	double seconds;
	bool zoned;

	ret->started = (double) NAN;
	if (started && stamp_read(started, &seconds, &zoned) && zoned) {
		ret->started = seconds;
	} else if (local && stamp_read(local, &seconds, &zoned) && !zoned) {
		ret->started = seconds;
		ret->local = true;
	}
}

static int take_identity(const struct stored_run *run, struct size_run *ret)
{
	bool failed = false;

	ret->file = copy(run->file, &failed);
	ret->id = copy(info_text(run->info, "id", NULL), &failed);
	ret->parent = copy(info_text(run->info, "parent", "id"), &failed);
	take_job(run->info, &ret->job, &failed);
	ret->host = copy(info_text(run->info, "host", "hostname"), &failed);
	ret->command = copy(info_text(run->info, "command", "text"), &failed);
	/* Where it is there, argv is not all that was run. */
	take_argv(run->info, info_member(run->info, "command", "argv_hex") ? "argv_hex" : "argv",
		ret, &failed);
	take_start(run->info, ret);
	return failed ? -ENOMEM : 0;
}

int size_run_take(const struct stored_run *run, struct size_run *ret, struct error *trouble)
{
	double series_end;
	int r;

	if (trouble)
		*trouble = (struct error){ 0 };
	*ret = (struct size_run){ .covariate = (double) NAN };
	r = size_demand_read(run, &ret->demand, &series_end, trouble);
	if (r == 0)
		r = take_identity(run, ret);
	if (r < 0) {
		size_run_done(ret);
		return r;
	}
	take_facts(run, series_end, ret);
	size_asked_take(run->info, &ret->asked, &ret->memory_of_one_node);
	size_cut_take(run, ret);
	return 0;
}

void size_run_done(struct size_run *run)
{
	drop_argv(run);
	size_demand_done(&run->demand);
	free(run->file);
	free(run->id);
	free(run->parent);
	free(run->job.name);
	free(run->command);
	free(run->shape);
	free(run->host);
	*run = (struct size_run){ 0 };
}

const char *size_resource_name(enum size_resource resource)
{
	static const char *const names[N_SIZE_RESOURCE] = { "memory", "time", "cpus" };

	return resource < N_SIZE_RESOURCE ? names[resource] : "";
}
