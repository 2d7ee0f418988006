/* SPDX-License-Identifier: MIT */
/* The identity of a run, out of what its record tells. */
#include "size/size_same.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "compare/compare.h"
#include "run/info_value.h"

/* What sacct tells of a job: its numbers in Slurm and its start; NULL where either is not told (*failed where memory ran out). Columns that only one of two files has are no difference. */
static char *words_of_job(const json_t *info, bool *failed)
{
	static const char *const numbers[] = { "job_id", "array_job_id", "array_task_id" };
	const char *start = info_text(info, "scheduler", "Start");
	const char *cluster = info_text(info, "slurm", "cluster");
	struct buf words = { 0 };
	bool known = json_is_number(info_member(info, "slurm", "job_id")) ||
		     json_is_number(info_member(info, "slurm", "array_task_id"));

	start = start ? start : info_text(info, "time", "started");
	if (!known || !start)
		return NULL;
	buf_addf(&words, "slurm %s %s", cluster ? cluster : "", start);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		buf_addf(&words, " %.0f", info_number(info, "slurm", numbers[i]));
	*failed = words.failed;
	return buf_take(&words);
}

/* All that it tells, but who wrote it down when and where. Reals as they are in a record that was imported. */
static char *words_of_all(json_t *info)
{
	static const char *const of_the_record[] = { "imported", "id", "files", "program",
		"state" };
	json_t *rest = json_copy(info);
	char *words;

	for (size_t i = 0; i < ARRAY_SIZE(of_the_record); i++)
		json_object_del(rest, of_the_record[i]);
	words = json_dumps(rest, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(rest);
	return words;
}

int size_same_hash(json_t *info, uint64_t *ret)
{
	const json_t *imported = json_object_get(info, "imported");
	bool failed = false;
	char *words = NULL;

	if (!imported)
		words = compare_record_words(info);
	else if (info_is(imported, "format", "sacct"))
		words = words_of_job(info, &failed);
	if (!words && !failed)
		words = words_of_all(info);
	if (words && !failed)
		*ret = compare_hash(words, strlen(words));
	failed = failed || !words;
	free(words);
	return failed ? -ENOMEM : 0;
}

bool size_never_began(const json_t *info)
{
	const json_t *imported = json_object_get(info, "imported");
	const json_t *job = json_object_get(info, "scheduler");
	bool timed = json_object_get(job, "Elapsed") || json_object_get(job, "ElapsedRaw");

	if (!info_is(imported, "format", "sacct") || info_member(info, "headline", "wall_seconds"))
		return false;
	if (info_is(job, "State", "PENDING") || info_is(job, "State", "CONFIGURING") ||
		(info_is(job, "State", "REQUEUED") && !json_object_get(job, "End")))
		return !json_object_get(info, "headline");
	/* It went while it waited: its zeros are taken for no measurements where its start is "Unknown" or "None". */
	return timed && !json_object_get(job, "Start");
}
