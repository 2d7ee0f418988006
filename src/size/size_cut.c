/* SPDX-License-Identifier: MIT */
/* Tells what a run would have used more of: what was ended, held back or cut off shows a least, and no need. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/signal_name.h"
#include "base/units.h"
#include "base/utf8.h"
#include "compare/verdict.h"
#include "run/info_facts.h"
#include "run/info_value.h"
#include "size/size_parts.h"

#define NEAR_LIMIT 0.95
#define NEAR_TIME_LIMIT 0.98
#define AT_CEILING_SHARE 0.1

void size_put_text(char *ret, size_t size, const char *text)
{
	struct buf printable = { 0 };
	size_t n;

	text_add_printable(&printable, text, strlen(text));
	n = printable.failed ? 0 : printable.len;
	if (n >= size) {
		n = size - 1;
		while (n > 0 && ((unsigned char) printable.data[n] & 0xc0) == 0x80)
			n--;
	}
	if (n > 0)
		memcpy(ret, printable.data, n);
	ret[n] = '\0';
	buf_done(&printable);
}

static void cut(struct size_fact *fact, const char *format, ...) PRINTF_LIKE(2, 3);

/* The first reason is the one that is told. What was not measured is no least. */
static void cut(struct size_fact *fact, const char *format, ...)
{
	va_list args;

	if (isnan(fact->value) || (fact->at_least && !fact->of_one_task))
		return;
	fact->at_least = true;
	fact->of_one_task = false;
	fact->upper = (double) INFINITY;
	va_start(args, format);
	vsnprintf(fact->why, sizeof(fact->why), format, args);
	va_end(args);
}

static void say_limit(const json_t *info, char ret[SIZE_WHY_SIZE])
{
	const char *name = info_text(info, "limit", "name");
	char words[40];

	size_put_text(words, sizeof(words), name ? name : "");
	if (words[0])
		snprintf(ret, SIZE_WHY_SIZE, "cut off by the %s limit", words);
	else
		snprintf(ret, SIZE_WHY_SIZE, "cut off by a limit");
}

static void say_signal(double number, char ret[SIZE_WHY_SIZE])
{
	char name[SIGNAL_NAME_SIZE];

	if (number >= 1 && number <= 64) {
		format_signal((int) number, name);
		snprintf(ret, SIZE_WHY_SIZE, "ended by %s", name);
	} else {
		snprintf(ret, SIZE_WHY_SIZE, "ended by a signal");
	}
}

/* Of an end that has neither an exit code nor a signal: another tool's, a watch's, or none that was seen. */
static void say_end_in_words(const struct stored_run *run, char ret[SIZE_WHY_SIZE])
{
	const char *words = info_text(run->info, "outcome", "words");
	bool told = info_text(run->info, "outcome", "cause");

	if (json_object_get(run->info, "target"))
		snprintf(ret, SIZE_WHY_SIZE,
			"it was watched for a time, and not from its start to its end");
	else if (!told)
		snprintf(ret, SIZE_WHY_SIZE, "how it ended is not known");
	else if (!info_ended_by(run->info, CAUSE_EXITED))
		size_put_text(ret, SIZE_WHY_SIZE,
			words && *words ? words : "it did not come to an end of its own");
}

/* Somebody asked for the end: of its own will it might have gone on. */
static void say_request(const json_t *info, char ret[SIZE_WHY_SIZE])
{
	const json_t *request = info_member(info, "outcome", "request");
	const char *signal = info_text(request, "signal_name", NULL);
	char name[SIGNAL_NAME_SIZE];

	if (!request)
		return;
	size_put_text(name, sizeof(name), signal ? signal : "a signal");
	snprintf(ret, SIZE_WHY_SIZE, "was told to end by %s", name);
}

/* Why it is not known how far it would have gone; "": it came to its end. */
static void say_end(const struct stored_run *run, char ret[SIZE_WHY_SIZE])
{
	const json_t *code = info_member(run->info, "outcome", "exit_code");

	ret[0] = '\0';
	if (run->state == STORED_RUNNING)
		snprintf(ret, SIZE_WHY_SIZE, "it is still running");
	else if (run->state == STORED_LOST)
		snprintf(ret, SIZE_WHY_SIZE, "its recorder was lost");
	else if (json_object_get(run->info, "limit"))
		say_limit(run->info, ret);
	else if (info_ended_by(run->info, CAUSE_OOM_KILL))
		snprintf(ret, SIZE_WHY_SIZE, "killed for want of memory");
	else if (info_member(run->info, "outcome", "signal"))
		say_signal(info_number(run->info, "outcome", "signal"), ret);
	else if (!json_is_number(code) || json_object_get(run->info, "target"))
		say_end_in_words(run, ret);
	else if (json_number_value(code) != 0)
		snprintf(ret, SIZE_WHY_SIZE, "failed with exit code %.9g", json_number_value(code));
	else
		say_request(run->info, ret);
}

/* Near a limit that was in the way. */
static void cut_by_hits(const json_t *info, struct size_fact *memory)
{
	const json_t *limits = json_object_get(info, "target_limits");
	char bytes[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);
		const char *name = info_text(limit, "name", NULL);
		double at = size_sane(info_number(limit, "limit", NULL), SIZE_BYTES_MAX);
		double hits = info_number(limit, "hits", NULL);

		if (!name || strcmp(name, "memory") != 0 || !info_limit_binds(limit) ||
			!(hits > 0) || !(at > 0) || !(memory->value >= NEAR_LIMIT * at))
			continue;
		format_bytes((uint64_t) at, bytes);
		cut(memory, "reached %.0f %% of its limit of %s, which was hit %.9g time%s",
			100 * memory->value / at, bytes, hits, hits > 1 ? "s" : "");
	}
}

/* The tightest limit that the kernel or Slurm held the job to: what was ended for want of memory needs more than that, whatever was seen of it. */
static double limit_of_memory(const json_t *info)
{
	const json_t *limit = info_limit(info, "memory", "host");
	double of_option = size_sane(info_number(info, "limit", "limit"), SIZE_BYTES_MAX);
	double of_cgroup =
		limit ? size_sane(info_number(limit, "limit", NULL), SIZE_BYTES_MAX) : (double) NAN;

	return info_is(json_object_get(info, "limit"), "name", "memory") ? of_option : of_cgroup;
}

/* It may have been ended before the first sample: then the limit is all that is known of it. */
static void take_limit(const json_t *info, struct size_fact *memory)
{
	double limit = limit_of_memory(info);
	double steps = info_number(
		json_object_get(info, "summary"), "sacct_peak_out_of_memory_steps_count", "value");

	if (!isnan(memory->value) || !(limit > 0) ||
		!(info_ended_by(info, CAUSE_OOM_KILL) || steps > 0 ||
			info_is(json_object_get(info, "limit"), "name", "memory")))
		return;
	*memory = (struct size_fact){ .value = limit,
		.upper = (double) INFINITY,
		.samples = (double) NAN,
		.quality = LOWER_BOUND,
		.key = SIZE_LIMIT };
}

static void cut_memory(const struct stored_run *run, struct size_fact *memory)
{
	const json_t *info = run->info;
	const char *limit = info_text(info, "limit", "name");
	double kills =
		info_number(json_object_get(info, "summary"), "cgroup_oom_kills_count", "value");

	take_limit(info, memory);
	if (info_ended_by(info, CAUSE_OOM_KILL))
		cut(memory, "killed for want of memory");
	else if (kills > 0 && info_has_own_cgroup(info))
		cut(memory, "the kernel's OOM killer killed %.9g of its processes", kills);
	kills = info_number(
		json_object_get(info, "summary"), "sacct_peak_out_of_memory_steps_count", "value");
	if (kills > 0)
		cut(memory, "%.9g of its steps ended out of memory", kills);
	if (limit && strcmp(limit, "memory") == 0)
		cut(memory, "cut off by the memory limit");
	cut_by_hits(info, memory);
	if (memory->at_least && !memory->of_one_task)
		memory->least = fmax(limit_of_memory(info), 0);
}

/* Slurm's own word for it is TIMEOUT; a job that it told to end may do so with an exit code of 0. */
static void cut_time(const json_t *info, double held, struct size_fact *time)
{
	const json_t *limit = info_limit(info, "time", NULL);
	double seconds = limit ? size_sane(info_number(limit, "limit", NULL), SIZE_SECONDS_MAX)
			       : (double) NAN;

	/* That it was stopped does not stop Slurm's clock, unless Slurm did it. */
	held = held >= time->value ? held : time->value;
	if (!json_object_get(info, "imported") && held >= NEAR_TIME_LIMIT * seconds)
		cut(time, "it had %.0f %% of its time limit of %.9g s", 100 * held / seconds,
			seconds);
}

static void cut_cpus(const json_t *info, const struct size_demand *demand, struct size_fact *cpus)
{
	double throttled = info_throttled_share(info);
	double at_ceiling = demand->at_ceiling / demand->span;

	if (throttled > verdict_thresholds.throttled_share)
		cut(cpus, "throttled in %.0f %% of the periods of its CPU quota", 100 * throttled);
	if (at_ceiling > AT_CEILING_SHARE)
		cut(cpus, "used all of the %g cores it was allowed for %.0f %% of the time",
			demand->allowed, 100 * at_ceiling);
}

static enum compare_outcome outcome_of(const struct stored_run *run, const char *why)
{
	enum compare_outcome outcome = compare_outcome(run);

	return outcome == OUTCOME_FINE && why[0] ? OUTCOME_UNKNOWN : outcome;
}

void size_cut_take(const struct stored_run *run, struct size_run *ret)
{
	struct size_fact *memory = &ret->facts[SIZE_MEMORY];
	char why[SIZE_WHY_SIZE];

	say_end(run, why);
	cut_memory(run, memory);
	if (why[0]) {
		cut(memory, "%s", why);
		cut(&ret->facts[SIZE_TIME], "%s", why);
	}
	cut_time(run->info, ret->held_seconds, &ret->facts[SIZE_TIME]);
	ret->unfinished = why[0] || ret->facts[SIZE_TIME].at_least;
	cut_cpus(run->info, &ret->demand, &ret->facts[SIZE_CPUS]);
	ret->outcome = outcome_of(run, why);
}
