/* SPDX-License-Identifier: MIT */
/* Takes out of the sentences of an old record what newer ones have as fields. */
#include "record/old_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "model/outcome.h"

#define OLD_VERSION "1.0"
/* Numbers of bytes have three digits in words. */
#define ROUNDING 0.005

static const char *text_of(const json_t *of, const char *key)
{
	return json_string_value(json_object_get(of, key));
}

static bool is_old(const json_t *info)
{
	const char *version = text_of(info, "version");

	return version && strcmp(version, OLD_VERSION) == 0;
}

double old_words_rounding(const json_t *info)
{
	return is_old(info) ? ROUNDING : 0;
}

static int set_text(json_t *of, const char *key, const char *text)
{
	return text ? json_object_set_new(of, key, json_string(text)) : 0;
}

/* "perhaps by" the OOM killer and "not" by it say no such thing; the last two are what imports of sacct(1) had for one state. */
static bool say_oom(const char *words)
{
	return strstr(words, "(the kernel's OOM killer:") || strstr(words, "OOM killer killed") ||
	       strstr(words, "OUT_OF_MEMORY") || strstr(words, "ended out of memory");
}

/* "ended at its time limit", "ended at its deadline" (sacct), "ended at a limit of resource_monitor". */
static bool say_limit(const char *words)
{
	return strstr(words, "limit") || strstr(words, "deadline");
}

static enum cause cause_in_words(const json_t *info, const json_t *outcome)
{
	const char *words = text_of(outcome, "words");

	if (json_object_get(info, "limit"))
		return CAUSE_LIMIT;
	if (words && say_oom(words))
		return CAUSE_OOM_KILL;
	if (words && json_object_get(info, "imported") && say_limit(words))
		return CAUSE_LIMIT;
	if (json_object_get(outcome, "signal"))
		return CAUSE_SIGNAL;
	if (json_is_number(json_object_get(outcome, "exit_code")) ||
		(words && strcmp(words, "completed") == 0))
		return CAUSE_EXITED;
	return CAUSE_UNKNOWN;
}

/* Which limit, where it was ours or Slurm's. */
static int add_limit(const json_t *info, json_t *outcome)
{
	const char *ours = text_of(json_object_get(info, "limit"), "name");
	const char *words = text_of(outcome, "words");
	bool slurms = words && !json_object_get(info, "limit");
	const char *name = ours;

	if (slurms && strcmp(words, "ended at its time limit") == 0)
		name = "wall";
	else if (slurms && strcmp(words, "ended at its deadline") == 0)
		name = "deadline";
	if (!name)
		return 0;
	if (set_text(outcome, "limit", name) < 0)
		return -1;
	return set_text(outcome, "limit_source", ours ? "assay" : "slurm");
}

/* Of a command that ended by itself: "; SIGTERM (sent to assay by pid 1 of uid 0 and passed on) came 12 ms before the end". */
static int add_request(json_t *outcome)
{
	const char *evidence = text_of(outcome, "evidence");
	const char *at = evidence ? strstr(evidence, "; SIG") : NULL;
	char name[16];
	json_t *request;

	if (!at || !strstr(at, ") came ") || !strstr(at, "before the end"))
		return 0;
	snprintf(name, sizeof(name), "%.15s", at + 2);
	name[strcspn(name, " ")] = '\0';
	request = json_object();
	if (set_text(request, "signal_name", name) < 0) {
		json_decref(request);
		return -1;
	}
	return json_object_set_new(outcome, "request", request);
}

/* Of a target nothing but words was ever told, and nobody needs more. */
static int mend_outcome(const json_t *info)
{
	json_t *outcome = json_object_get(info, "outcome");
	enum cause cause;

	if (json_object_size(outcome) == 0 || json_object_get(outcome, "cause") ||
		json_object_get(info, "target"))
		return 0;
	cause = cause_in_words(info, outcome);
	if (set_text(outcome, "cause", cause_name(cause)) < 0)
		return -1;
	if (cause == CAUSE_LIMIT)
		return add_limit(info, outcome);
	return cause == CAUSE_EXITED ? add_request(outcome) : 0;
}

/* "...; 300 MiB of new shared memory (tmpfs, memfd) on this machine was mapped by no process of the job ...". */
static int mend_unmapped(const json_t *info)
{
	json_t *peak = json_object_get(json_object_get(info, "headline"), "memory_peak_bytes");
	const char *why = text_of(peak, "why");
	const char *end = why ? strstr(why, " of new shared memory") : NULL;
	const char *at = end;
	char text[32] = "";
	size_t n = 0;
	uint64_t bytes;

	if (json_object_get(peak, "unmapped_shared_bytes"))
		return 0;
	/* The number and its unit are the two words before it. */
	for (int blanks = 0; at && at > why && (at[-1] != ' ' || blanks++ == 0);)
		at--;
	for (; at && at < end && n < sizeof(text) - 1; at++)
		if (*at != ' ')
			text[n++] = *at;
	if (parse_size(text, &bytes, NULL) < 0 || bytes > INT64_MAX)
		return 0;
	return json_object_set_new(peak, "unmapped_shared_bytes", json_integer((json_int_t) bytes));
}

static int mend_limits(const json_t *info)
{
	const json_t *limits = json_object_get(info, "target_limits");

	for (size_t i = 0; i < json_array_size(limits); i++) {
		json_t *limit = json_array_get(limits, i);
		const char *note = text_of(limit, "note");

		if (note && strcmp(note, "of each node") == 0 && set_text(limit, "per", "node") < 0)
			return -1;
	}
	return 0;
}

int old_words_add_fields(json_t *info)
{
	if (!is_old(info))
		return 0;
	return mend_outcome(info) < 0 || mend_unmapped(info) < 0 || mend_limits(info) < 0 ? -ENOMEM
											  : 0;
}
