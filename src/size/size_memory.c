/* SPDX-License-Identifier: MIT */
/* How much memory a limit has to hold for one run: the greatest of what is known of it, and what no process of it shows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/units.h"
#include "model/value.h"
#include "record/old_words.h"
#include "run/info_facts.h"
#include "run/info_value.h"
#include "size/size_parts.h"

#define LASTING_PEAK "cgroup_last_memory_nonreclaimable_peak_bytes"
#define LASTING_HIGHEST "cgroup_peak_memory_nonreclaimable_bytes"

/* What a limit must hold, by the kernel's own account of the job's cgroup. */
static struct size_fact take_lasting(const json_t *info)
{
	const json_t *summary = json_object_get(info, "summary");
	struct size_fact fact;

	if (!info_has_own_cgroup(info))
		return size_nothing();
	fact = size_take(summary, LASTING_PEAK, SIZE_BYTES_MAX);
	return size_is_known(&fact) ? fact : size_take(summary, LASTING_HIGHEST, SIZE_BYTES_MAX);
}

/* The largest process, where nothing is told of the whole job. */
static struct size_fact take_largest_process(const json_t *headline)
{
	struct size_fact fact = size_take(headline, "memory_peak_process_bytes", SIZE_BYTES_MAX);
	const char *quality = info_text(headline, "processes", "quality");
	bool is_alone = info_number(headline, "processes", "value") == 1 && quality &&
			strcmp(quality, quality_name(EXACT)) == 0;

	if (size_is_known(&fact) && !is_alone) {
		fact.quality = LOWER_BOUND;
		fact.upper = (double) INFINITY;
	}
	return fact;
}

/* sacct's MaxRSS is of the largest task: where there were others, the job needs more. */
static struct size_fact of_all_tasks(const json_t *info, struct size_fact largest)
{
	double tasks = size_sane(
		info_number(json_object_get(info, "summary"), SIZE_TASKS, "value"), SIZE_CORES_MAX);

	/* It may also be one because how many tasks there were is not told, which is said by itself. */
	largest.of_one_step = largest.quality == LOWER_BOUND && tasks == 1;
	largest.quality = LOWER_BOUND;
	largest.upper = (double) INFINITY;
	if (tasks > 1) {
		largest.at_least = largest.of_one_task = true;
		snprintf(largest.why, sizeof(largest.why),
			"sacct tells its largest of %.9g tasks alone; TRESUsageInTot in --format "
			"tells all",
			tasks);
	}
	return largest;
}

/* What of the peak is not in memory, and what is in huge pages, is added when the rest is known: the kernel's account of memory has neither. */
static double part_of_peak(const json_t *info, const char *name)
{
	double part = size_sane(
		info_number(json_object_get(info, "headline"), name, "value"), SIZE_BYTES_MAX);

	return isnan(part) ? 0 : part;
}

static double huge_pages(const json_t *info)
{
	return part_of_peak(info, "memory_peak_huge_bytes");
}

static struct size_fact take_resident_peak(const json_t *info)
{
	struct size_fact peak =
		size_take(json_object_get(info, "headline"), "memory_peak_bytes", SIZE_BYTES_MAX);

	if (size_is_known(&peak))
		peak.value = fmax(0, peak.value - huge_pages(info) -
					     part_of_peak(info, "memory_peak_swapped_bytes"));
	return peak;
}

/* Of what was measured at samples or in processes: the greater, for the job needs no less than either. */
static struct size_fact take_sampled(const json_t *info)
{
	const json_t *headline = json_object_get(info, "headline");
	struct size_fact lasting = take_lasting(info);
	struct size_fact peak = take_resident_peak(info);

	if (!size_is_known(&peak))
		peak = take_largest_process(headline);
	if (strcmp(peak.key, SIZE_TASK_RSS) == 0)
		peak = of_all_tasks(info, peak);
	else if (strcmp(peak.key, SIZE_STEP_MEMORY) == 0)
		peak.of_one_step = peak.quality == LOWER_BOUND;
	if (!size_is_known(&lasting))
		return peak;
	if (!size_is_known(&peak))
		return lasting;
	/* Between samples there may have been more, and pages of files that are in use are not in it. */
	bool both_are_least = lasting.quality != EXACT && peak.quality != UPPER_BOUND;
	if (both_are_least && peak.value > lasting.value)
		return peak;
	/* The bound is of the memory of processes: where the kernel's own for them comes to more, it says nothing. */
	if (lasting.quality != EXACT && peak.upper >= lasting.value)
		lasting.upper = peak.upper;
	return lasting;
}

/* The kernel's exact peak of the job's own cgroup has caches of files in it: less the most of those that a sample saw (tmpfs is among them, and no cache) it is what
 * lasts, or more. That sees what came and went between two samples. NAN: it cannot be told. */
static double charged_without_caches(const json_t *info, double charged)
{
	const json_t *summary = json_object_get(info, "summary");
	double file = size_sane(
		info_number(summary, "cgroup_peak_memory_file_bytes", "value"), SIZE_BYTES_MAX);
	double shmem = size_sane(
		info_number(summary, "cgroup_peak_memory_shmem_bytes", "value"), SIZE_BYTES_MAX);
	double caches = isnan(shmem) ? file : file > shmem ? file - shmem : 0;

	return charged > caches ? charged - caches : (double) NAN;
}

/* What was in memory at once, as far as it was measured. */
static struct size_fact take_held(const json_t *info)
{
	struct size_fact fact = take_sampled(info);
	struct size_fact charged = size_take(
		json_object_get(info, "headline"), "memory_peak_charged_bytes", SIZE_BYTES_MAX);
	double lasting;

	if (size_is_known(&fact) && (fact.quality == SAMPLED || fact.quality == LOWER_BOUND))
		fact.samples = size_sane(info_number(info, "self", "ticks"), SIZE_BYTES_MAX);
	if (!size_is_known(&fact) || !size_is_known(&charged) || charged.quality != EXACT ||
		!info_has_own_cgroup(info))
		return fact;
	lasting = charged_without_caches(info, charged.value);
	if (lasting > fact.value && fact.quality != UPPER_BOUND && fact.quality != EXACT) {
		fact.value = lasting;
		fact.quality = ESTIMATE;
		fact.samples = (double) NAN;
		size_put_text(fact.key, sizeof(fact.key), charged.key);
	}
	/* No limit has to hold more than was ever charged: pages of libraries that were there before are resident, and not charged. */
	if (charged.value < fact.upper)
		fact.upper = charged.value;
	if (fact.value > charged.value) {
		fact.value = charged.value;
		fact.quality = UPPER_BOUND;
		size_put_text(fact.key, sizeof(fact.key), charged.key);
	}
	return fact;
}

/* It may be a stranger's, and counts as the job's own: no more of it than was ever seen in the cgroup that held the job, with others or alone. */
static double new_shared(const json_t *info, double told)
{
	double in_cgroup = size_sane(info_number(json_object_get(info, "summary"),
					     "cgroup_peak_memory_shmem_bytes", "value"),
		SIZE_BYTES_MAX);

	return in_cgroup < told ? in_cgroup : told;
}

/* What is not the job's is not in its upper bound, either: that of the record has all that came on the machine, whoever wrote it. */
static void add_shared(const json_t *info, struct size_fact *fact)
{
	/* Shared memory that came during the run, and that no process of the job had mapped. */
	double told = size_sane(info_number(json_object_get(info, "headline"), "memory_peak_bytes",
					"unmapped_shared_bytes"),
		SIZE_BYTES_MAX);
	double shared = new_shared(info, told);
	struct size_fact lasting = take_lasting(info);

	if (!(told > 0) || !size_is_known(fact))
		return;
	fact->upper =
		fmax(fact->upper - told * (1 - old_words_rounding(info)), fact->value) + shared;
	/* In the account of the job's own cgroup it is counted, if it was the job's. */
	if (!(shared > 0) || size_is_known(&lasting))
		return;
	fact->shared = shared;
	fact->value += shared;
	fact->quality = ESTIMATE;
}

static struct size_fact greatest(const json_t *summary, const char *const *names, size_t n)
{
	struct size_fact most = size_nothing();

	for (size_t i = 0; i < n; i++) {
		struct size_fact fact = size_take(summary, names[i], SIZE_BYTES_MAX);

		if (size_is_known(&fact) && !(fact.value <= most.value))
			most = fact;
	}
	return most;
}

/* The most that was swapped out, of the job's own cgroup or of its processes. A sum over processes has twice what two of them share: the job's share of
 * what was in use on the machine, or in the cgroup it was in, is no more than all of that. */
static struct size_fact take_swapped(const json_t *info)
{
	static const char *const own[] = { "cgroup_last_swap_peak_bytes",
		"cgroup_peak_swap_current_bytes" };
	static const char *const processes[] = { "proc_peak_swap_total_bytes",
		"proc_peak_swap_pss_total_bytes" };
	static const char *const around[] = { "cgroup_peak_swap_current_bytes",
		"host_peak_swap_used_bytes" };
	const json_t *summary = json_object_get(info, "summary");
	struct size_fact swapped = size_nothing();

	if (info_has_own_cgroup(info))
		swapped = greatest(summary, own, ARRAY_SIZE(own));
	if (size_is_known(&swapped))
		return swapped;
	swapped = greatest(summary, processes, ARRAY_SIZE(processes));
	for (size_t i = 0; i < ARRAY_SIZE(around); i++) {
		struct size_fact all = size_take(summary, around[i], SIZE_BYTES_MAX);

		if (all.value < swapped.value)
			swapped.value = all.value;
	}
	return swapped;
}

/* A limit without swap has to hold what was swapped out as well. The most of both need not have been at the same time: it needed no more than both together. */
static void add_swapped(const json_t *info, struct size_fact *fact)
{
	struct size_fact swapped = take_swapped(info);

	if (!(swapped.value > 0) || !size_is_known(fact))
		return;
	fact->swapped = swapped.value;
	fact->value += swapped.value;
	fact->upper += fmax(swapped.upper, swapped.value);
	fact->quality =
		(fact->quality == EXACT || fact->quality == UPPER_BOUND) && swapped.quality == EXACT
			? UPPER_BOUND
			: ESTIMATE;
}

/* At that moment they were there beside what was resident; a bound from above has them in it. */
static void add_huge_pages(const json_t *info, struct size_fact *fact)
{
	double huge = huge_pages(info);

	if (!(huge > 0) || !size_is_known(fact))
		return;
	fact->value += huge;
	fact->upper += huge;
	fact->quality = fact->quality == LOWER_BOUND ? LOWER_BOUND : ESTIMATE;
}

struct size_fact size_memory_take(const json_t *info)
{
	struct size_fact fact = take_held(info);

	add_huge_pages(info, &fact);
	add_shared(info, &fact);
	add_swapped(info, &fact);
	return fact;
}
