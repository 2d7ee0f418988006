/* SPDX-License-Identifier: MIT */
/* Says what came near a bound, what that means, and what would help the next run. */
#include <stdio.h>
#include <string.h>

#include "api/bounds.h"
#include "model/run_info.h"
#include "run/allowed.h"

#define THROTTLED_PERCENT 10 /* of the periods of a CPU quota: what that costs can be felt */

/* From nine tenths on. */
static bool is_near(uint64_t used, uint64_t limit)
{
	return used >= limit - limit / 10;
}

static bool under_slurm(const struct assay_run_info *info)
{
	for (size_t i = 0; i < info->n_facts; i++)
		if (strcmp(info->facts[i].section, "slurm") == 0)
			return true;
	for (size_t i = 0; i < info->n_target_limits; i++)
		if (strcmp(info->target_limits[i].source, "slurm") == 0)
			return true;
	return false;
}

/* Charged memory holds the cache of files, which grows until something is in its way. */
static void about_cache(struct assay_run_info *info, const struct target_limit *l,
	const struct allowed_use *lasting)
{
	struct allowed_use use = allowed_use(info, l);
	char used[ALLOWED_AMOUNT_SIZE];
	char limit[ALLOWED_AMOUNT_SIZE];
	char rest[ALLOWED_AMOUNT_SIZE];
	char name[ALLOWED_NAME_SIZE];

	allowed_amount(BYTES, use.n, used);
	allowed_amount(BYTES, l->limit, limit);
	allowed_amount(BYTES, lasting->n, rest);
	allowed_name(l, name);
	if (use.charged)
		run_info_note(info,
			"memory: the charge came to %s of the %s allowed (%s), but that counts the "
			"cache of files, which the kernel takes back; %s %s at once",
			used, limit, name, lasting->words, rest);
	else
		run_info_note(info,
			"memory: the %s allowed (%s) were reached, but the cache of files, which "
			"the kernel takes back, and files in tmpfs count too; %s %s at once",
			limit, name, lasting->words, rest);
}

/* What the kernel cannot take back is sampled: a process that grew between two samples had more, and that is known exactly. */
static struct allowed_use known_to_last(
	const struct assay_run_info *info, const struct target_limit *l)
{
	struct allowed_use lasting = allowed_lasting(info, l);
	const struct headline *largest = run_info_headline(info, "memory_peak_process_bytes");

	if (lasting.quality != ABSENT && largest && largest->value.quality != ABSENT &&
		largest->value.n > lasting.n) {
		lasting.n = largest->value.n;
		lasting.words = "the largest process had";
	}
	return lasting;
}

/* What came between two readings has left no number: that the limit was reached is known from its own counter, or from a kill for it. */
static void about_unread_memory(struct assay_run_info *info, const struct target_limit *l,
	const struct allowed_use *use, bool oom_killed)
{
	char used[ALLOWED_AMOUNT_SIZE];
	char limit[ALLOWED_AMOUNT_SIZE];
	char name[ALLOWED_NAME_SIZE];

	allowed_amount(BYTES, use->n, used);
	allowed_amount(BYTES, l->limit, limit);
	allowed_name(l, name);
	run_info_note(info,
		"memory: the %s allowed (%s) were reached%s, between two readings, which found %s "
		"at most: ask for more next time%s",
		limit, name, oom_killed ? " and the kernel killed for them" : "", used,
		under_slurm(info) ? " (--mem)" : "");
}

static void about_memory(struct assay_run_info *info, const struct target_limit *l, bool oom_killed)
{
	struct allowed_use use = allowed_use(info, l);
	struct allowed_use lasting = known_to_last(info, l);
	bool by_cgroup = strcmp(l->source, "cgroup") == 0;
	bool hit = l->has_hits && l->hits > 0;
	char used[ALLOWED_AMOUNT_SIZE];
	char limit[ALLOWED_AMOUNT_SIZE];
	char name[ALLOWED_NAME_SIZE];

	if (use.quality == ABSENT || (!hit && !is_near(use.n, l->limit)))
		return;
	/* It kills where nothing was left to be taken back. */
	if (by_cgroup && !oom_killed && lasting.quality != ABSENT &&
		!is_near(lasting.n, l->limit)) {
		about_cache(info, l, &lasting);
		return;
	}
	if (!is_near(use.n, l->limit)) {
		about_unread_memory(info, l, &use, oom_killed);
		return;
	}
	allowed_amount(BYTES, use.n, used);
	allowed_amount(BYTES, l->limit, limit);
	allowed_name(l, name);
	if (allowed_is_per_process(l))
		run_info_note(info,
			"memory: the largest process had %s resident of the %s that each may map "
			"(%s): a greater limit (ulimit) would help one that needs a little more",
			used, limit, name);
	else
		run_info_note(info,
			"memory: %s of the %s allowed (%s) were used; a run that needs a little "
			"more may be killed or fail: ask for more next time%s",
			used, limit, name, under_slurm(info) ? " (--mem)" : "");
}

/* The peak touches the limit in any run that is busy for a moment; the mean tells whether it was in the way. */
static void about_cpu(struct assay_run_info *info, const struct target_limit *l)
{
	const struct headline *mean = run_info_headline(info, "cpu_mean_cores");
	char used[ALLOWED_AMOUNT_SIZE];
	char limit[ALLOWED_AMOUNT_SIZE];
	char name[ALLOWED_NAME_SIZE];

	if (!mean || mean->value.quality == ABSENT || !is_near(mean->value.n, l->limit))
		return;
	allowed_amount(UNITLESS, mean->value.n, used);
	allowed_amount(UNITLESS, l->limit, limit);
	allowed_name(l, name);
	run_info_note(info,
		"cpu: %s of the %s allowed (%s) were busy on average: a job that can use more of "
		"them would be done sooner with more%s",
		used, limit, name, under_slurm(info) ? " (--cpus-per-task)" : "");
}

static void about_throttling(struct assay_run_info *info, const struct target_limit *l)
{
	char name[ALLOWED_NAME_SIZE];
	char limit[ALLOWED_AMOUNT_SIZE];
	char waited[ALLOWED_AMOUNT_SIZE];

	if (l->hits == 0 || l->hits < l->periods / (100 / THROTTLED_PERCENT))
		return;
	allowed_name(l, name);
	allowed_amount(UNITLESS, l->limit, limit);
	allowed_amount(SECONDS, l->throttled_ns, waited);
	run_info_note(info,
		"cpu: throttled in %llu of %llu periods, %s in all (%s, %s): its threads waited "
		"for "
		"the quota; fewer of them at once, or a greater quota, would help",
		(unsigned long long) l->hits, (unsigned long long) l->periods, waited, name, limit);
}

static void about_processes(struct assay_run_info *info, const struct target_limit *l)
{
	struct allowed_use use = allowed_use(info, l);
	bool refused = l->has_hits && l->hits > 0;
	char name[ALLOWED_NAME_SIZE];

	if (!refused && (use.quality == ABSENT || !is_near(use.n, l->limit)))
		return;
	allowed_name(l, name);
	run_info_note(info,
		"processes: %s%llu processes and threads are allowed (%s): fewer of them at once, "
		"or a greater limit, would help",
		refused ? "some could not be started, " : "nearly as many as allowed were there, ",
		(unsigned long long) l->limit, name);
}

static void about_time(struct assay_run_info *info, const struct target_limit *l)
{
	char used[ALLOWED_AMOUNT_SIZE];
	char limit[ALLOWED_AMOUNT_SIZE];

	if (!is_near(info->wall_ns, l->limit))
		return;
	allowed_amount(SECONDS, info->wall_ns, used);
	allowed_amount(SECONDS, l->limit, limit);
	run_info_note(info,
		"time: %s of the %s that were left of the job's time limit were used: ask for more "
		"next time (--time)",
		used, limit);
}

/* What the job gets is less than what was asked for and, perhaps, waited for. */
static void about_request(struct assay_run_info *info, const struct target_limit *asked)
{
	const struct target_limit *l = allowed_tightest(info, asked->name);
	char name[ALLOWED_NAME_SIZE];
	char limit[ALLOWED_AMOUNT_SIZE];
	char wanted[ALLOWED_AMOUNT_SIZE];

	if (!l || l->limit >= asked->limit || strcmp(l->source, "slurm") == 0)
		return;
	allowed_name(l, name);
	allowed_amount(l->unit, l->limit, limit);
	allowed_amount(asked->unit, asked->limit, wanted);
	run_info_note(info, "%s: %s allowed (%s), less than the %s asked from Slurm (%s)",
		asked->name, limit, name, wanted, asked->where);
}

static void about(struct assay_run_info *info, const struct target_limit *l, bool oom_killed)
{
	bool binds = l->tightest || l == allowed_tightest(info, l->name);

	if (l->limit == UINT64_MAX)
		return;
	if (strcmp(l->source, "slurm") == 0 && strcmp(l->name, "time") != 0)
		about_request(info, l);
	if (strcmp(l->source, "host") == 0)
		return;
	if (strcmp(l->name, "processes") == 0 && (binds || (l->has_hits && l->hits > 0)))
		about_processes(info, l);
	if (strcmp(l->name, "cpu") == 0)
		about_throttling(info, l);
	if (!binds)
		return;
	if (strcmp(l->name, "memory") == 0)
		about_memory(info, l, oom_killed);
	else if (strcmp(l->name, "cpu") == 0)
		about_cpu(info, l);
	else if (strcmp(l->name, "time") == 0)
		about_time(info, l);
}

void bounds_advise(struct assay_run_info *info, bool oom_killed)
{
	for (size_t i = 0; i < info->n_target_limits; i++)
		about(info, &info->target_limits[i], oom_killed);
}
