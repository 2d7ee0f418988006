/* SPDX-License-Identifier: MIT */
/* Memory: the bounds of the job's peak, the largest process, what no process shows. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "monitor/conclude_parts.h"

/* `assay run` itself is smaller; a program that uses the library may not be. */
#define SPAWN_FLOOR_SMALL (16 * MIB)

/* RSS is kept in per-CPU batches since Linux 6.2: a peak may be off by this much. lib/percpu_counter.c: batch = max(32, 2 x CPUs). */
static uint64_t rss_batching_bytes(const struct monitor *m)
{
	uint64_t cpus = m->cpus_online;
	uint64_t batch = 2 * cpus > 32 ? 2 * cpus : 32;

	return 3 * batch * cpus * m->collect.page_size; /* anonymous, file and shared pages each */
}

/* How much the machine's shared memory grew beyond what the job has mapped: its own unmapped tmpfs and memfd pages, or a stranger's. */
static uint64_t unmapped_shared_bytes(const struct monitor *m)
{
	struct summary mapped = selected_summary(m, "proc_pss_shmem_total_bytes");
	uint64_t seen = mapped.quality != ABSENT ? mapped.max : 0;
	uint64_t rise = m->collect.shared_rise_bytes;

	return rise > seen ? rise - seen : 0;
}

/* An upper bound needs to know that no process went uncounted and that each one's peak is within the largest. */
static bool upper_is_known(const struct monitor *m, const struct assay_run_info *info,
	const struct verdict *v, bool running)
{
	return !running && m->census.fd >= 0 && m->census.complete && !v->lost && !v->unexplained &&
	       !m->collect.keeper_lost && m->ledger.all_ended && info->n_survivors_total == 0 &&
	       m->ledger.living == 0 && m->census.alive_max > 0 &&
	       selected_row(m, "host_shared_memory_bytes") >= 0;
}

static uint64_t largest_process(const struct ledger *l, const char **ret_key)
{
	bool by_keeper = l->exits.max_rss_bytes >= l->hwm_max_bytes;

	*ret_key = by_keeper ? "keeper_max_rss_bytes" : "proc_hwm_bytes";
	return by_keeper ? l->exits.max_rss_bytes : l->hwm_max_bytes;
}

static void bound_from_above(
	const struct monitor *m, struct headline *h, uint64_t largest, uint64_t unmapped)
{
	uint64_t alive = m->census.alive_max;

	h->has_upper = true;
	h->upper = alive * (largest + rss_batching_bytes(m)) + unmapped;
	if (h->upper < h->lower)
		h->upper = h->lower;
	if (alive == 1)
		snprintf(h->why, sizeof(h->why),
			"never more than one process was alive; tmpfs and memfd pages nobody maps "
			"are seen at samples only");
	else
		snprintf(h->why, sizeof(h->why),
			"at most %llu processes were alive at once, none above the largest; tmpfs "
			"and memfd "
			"pages nobody maps are seen at samples only",
			(unsigned long long) alive);
}

static void tell_of_unmapped(struct assay_run_info *info, struct headline *h, uint64_t unmapped)
{
	size_t used = strlen(h->why);
	char text[UNITS_TEXT_SIZE];

	if (unmapped <= 8 * MIB)
		return;
	format_bytes(unmapped, text);
	snprintf(h->why + used, sizeof(h->why) - used,
		"%s%s of new shared memory (tmpfs, memfd) on this machine was mapped by "
		"no process of the job and is not in the lower bound",
		used ? "; " : "", text);
	run_info_note(info,
		"shared memory (tmpfs, memfd) of this machine grew by %s that no process of the "
		"job had mapped; "
		"if the job wrote it, it used that much more",
		text);
}

#define INHERITED_WORDS "the process that started the job was that big itself when it forked"

/* The kernel hands the size of who forked on to the forked, and keeps it over exec. */
static bool inherited(const struct monitor *m, uint64_t largest)
{
	return largest <= m->collect.spawn_floor_bytes + MIB &&
	       m->collect.spawn_floor_bytes > SPAWN_FLOOR_SMALL;
}

static void conclude_memory_peak(
	struct monitor *m, struct assay_run_info *info, const struct verdict *v, bool running)
{
	struct summary pss = selected_summary(m, "proc_pss_total_bytes");
	const char *key;
	uint64_t largest = largest_process(&m->ledger, &key);
	uint64_t unmapped = unmapped_shared_bytes(m);
	/* Not the largest sum itself: what moved while a round was read may be in it twice. */
	uint64_t steady = pss.quality != ABSENT ? m->collect.pss_steady_max_bytes : 0;
	bool by_pss = steady > largest;
	struct headline *h = headline_add(info, "memory_peak_bytes", BYTES,
		by_pss ? steady : largest, LOWER_BOUND, by_pss ? "proc_pss_total_bytes" : key);

	h->has_lower = true;
	h->lower = h->value.n;
	if (upper_is_known(m, info, v, running))
		bound_from_above(m, h, largest, unmapped);
	else if (m->collect.pss_rounds > 0)
		snprintf(h->why, sizeof(h->why),
			"largest of %llu sums of PSS and of the largest single process",
			(unsigned long long) m->collect.pss_rounds);
	if (!by_pss && inherited(m, largest)) {
		h->value.quality = v->lost ? ESTIMATE : UPPER_BOUND;
		h->lower = steady;
		snprintf(h->why, sizeof(h->why), "%s", INHERITED_WORDS);
	}
	tell_of_unmapped(info, h, unmapped);
}

void conclude_note_large(const struct monitor *m, struct assay_run_info *info)
{
	if (m->collect.pss_skipped_large)
		run_info_note(info,
			"PSS of %llu large processes was not read, because each reading would stop "
			"the process for over "
			"0.1 s; ask for it with --measurements default,proc_pss_bytes",
			(unsigned long long) m->collect.pss_skipped_large);
}

static void notes_on_memory(struct monitor *m, struct assay_run_info *info)
{
	struct summary huge = selected_summary(m, "proc_hugetlb_total_bytes");
	char text[UNITS_TEXT_SIZE];

	conclude_note_large(m, info);
	if (huge.quality != ABSENT && huge.max > 0) {
		format_bytes(huge.max, text);
		run_info_note(info,
			"the job used %s of huge pages (hugetlbfs), which are no part of RSS or "
			"PSS",
			text);
	}
}

void conclude_memory(
	struct monitor *m, struct assay_run_info *info, const struct verdict *v, bool running)
{
	const char *key;
	uint64_t largest = largest_process(&m->ledger, &key);

	if (largest == 0)
		return;
	conclude_memory_peak(m, info, v, running);
	struct headline *h = headline_add(info, "memory_peak_process_bytes", BYTES, largest,
		v->lost ? LOWER_BOUND : EXACT, key);
	if (inherited(m, largest)) {
		h->value.quality = v->lost ? ESTIMATE : UPPER_BOUND;
		snprintf(h->why, sizeof(h->why), "%s", INHERITED_WORDS);
	} else if (v->lost) {
		snprintf(h->why, sizeof(h->why), "%s", v->lost_why);
	} else {
		char text[UNITS_TEXT_SIZE];
		format_bytes(rss_batching_bytes(m), text);
		snprintf(h->why, sizeof(h->why),
			"to within %s, the batches in which this kernel counts resident memory",
			text);
	}
	notes_on_memory(m, info);
}
