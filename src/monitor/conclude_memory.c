/* SPDX-License-Identifier: MIT */
/* Memory: the bounds of the job's peak, the largest process, what no process shows. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/units.h"
#include "collect/host.h"
#include "collect/proc_smaps.h"
#include "linux/swapping.h"
#include "monitor/conclude_parts.h"

/* RSS is kept in per-CPU batches since Linux 6.2: a peak may be off by this much. lib/percpu_counter.c: batch = max(32, 2 x CPUs). */
uint64_t conclude_rss_batching_bytes(const struct monitor *m)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t cpus = m->cpus_online ? m->cpus_online : online > 0 ? (uint64_t) online : 1;
	uint64_t batch = 2 * cpus > 32 ? 2 * cpus : 32;

	return 3 * batch * cpus * m->collect.page_size; /* anonymous, file and shared pages each */
}

/* How much the machine's shared memory grew beyond what the job has mapped: its own unmapped tmpfs and memfd pages, or a stranger's. */
static uint64_t unmapped_shared_bytes(const struct monitor *m)
{
	struct summary mapped = selected_summary(m, "proc_pss_shmem_total_bytes");
	uint64_t seen = mapped.quality != ABSENT ? mapped.max : 0;
	uint64_t rise = host_shared_rise_bytes(&m->collect);

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

/* What no resident set holds and no sample need have seen: no more can have been swapped out than the machine wrote to swap meanwhile, nor
 * have been in huge pages than there are. */
static uint64_t outside_at_most(const struct monitor *m)
{
	return host_swapped_since(m->collect.roots, m->swapped_at_start_bytes) +
	       host_huge_pages_bytes(m->collect.roots);
}

/* Where the kernel tells of each process's end how large it was, the marks of those alive together bound their memory. */
static bool marks_are_known(const struct monitor *m)
{
	return m->finals.listener.fd >= 0 && m->finals.lost == 0 &&
	       overlap_most(&m->census.overlap, 0) > 0;
}

#define UNMAPPED_WORDS "; tmpfs and memfd pages nobody maps are seen at samples only"

static uint64_t resident_at_most(const struct monitor *m, uint64_t largest, struct headline *h)
{
	uint64_t alive = m->census.alive_max;
	uint64_t by_count = alive * (largest + conclude_rss_batching_bytes(m));
	uint64_t by_marks = marks_are_known(m) ? overlap_most(&m->census.overlap, largest) : 0;
	bool marks = by_marks > 0 && by_marks < by_count;

	if (alive == 1)
		snprintf(h->why, sizeof(h->why),
			"never more than one process was alive" UNMAPPED_WORDS);
	else
		snprintf(h->why, sizeof(h->why),
			"at most %llu processes were alive at once, %s" UNMAPPED_WORDS,
			(unsigned long long) alive,
			marks ? "and their own peaks come to no more at any time"
			      : "none above the largest");
	return marks ? by_marks : by_count;
}

/* What nobody maps may be all that the machine had: it grew by less where strangers gave back theirs meanwhile. */
static void bound_from_above(const struct monitor *m, struct headline *h, uint64_t largest)
{
	uint64_t shared = selected_summary(m, "host_shared_memory_bytes").max;

	h->has_upper = true;
	h->upper = resident_at_most(m, largest, h) + shared + outside_at_most(m);
	if (h->upper < h->lower)
		h->upper = h->lower;
}

static void tell_of_unmapped(struct assay_run_info *info, struct headline *h, uint64_t unmapped)
{
	size_t used = strlen(h->why);
	char text[UNITS_TEXT_SIZE];

	if (unmapped <= 8 * MIB)
		return;
	h->unmapped_shared_bytes = unmapped;
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

/* What the marks prove of the job; where resident sets hold memory twice, less than they show. */
static uint64_t proven(const struct monitor *m, const struct marks *marks, const char **ret_key)
{
	const struct {
		const char *key;
		uint64_t bytes;
	} all[] = {
		{ "keeper_max_rss_bytes", marks_prove(marks, m->ledger.exits.max_rss_bytes) },
		{ "proc_hwm_bytes", marks->sure_bytes },
		{ "proc_pss_bytes", marks->held.all },
		{ "proc_rss_bytes", marks->once_bytes },
	};
	size_t most = 0;

	for (size_t i = 1; i < ARRAY_SIZE(all); i++)
		if (all[i].bytes > all[most].bytes)
			most = i;
	*ret_key = all[most].key;
	return all[most].bytes;
}

#define REPEATED_WORDS                                                                             \
	"up to %s of the resident set of a process is memory that it maps more than once, or "     \
	"that the kernel merged with equal pages, and is in it as often"

static void tell_of_repeated(struct headline *h, const struct marks *marks)
{
	size_t used = strlen(h->why);
	char text[UNITS_TEXT_SIZE];

	if (!marks_repeat(marks))
		return;
	format_bytes(marks->repeated_bytes, text);
	snprintf(h->why + used, sizeof(h->why) - used, "%s" REPEATED_WORDS, used ? "; " : "", text);
}

static void add_part(struct assay_run_info *info, const char *name, uint64_t bytes, const char *key)
{
	if (bytes > 0)
		headline_add(info, name, BYTES, bytes, LOWER_BOUND, key);
}

void conclude_memory_parts(
	struct assay_run_info *info, struct headline *h, const struct memory_parts *most)
{
	uint64_t outside = most->swapped + most->huge;
	char resident[UNITS_TEXT_SIZE];
	char swapped[UNITS_TEXT_SIZE];
	char huge[UNITS_TEXT_SIZE];
	size_t used = strlen(h->why);

	if (outside == 0)
		return;
	format_bytes(most->all > outside ? most->all - outside : 0, resident);
	format_bytes(most->swapped, swapped);
	format_bytes(most->huge, huge);
	snprintf(h->why + used, sizeof(h->why) - used,
		"%s%s resident, %s swapped out and %s of huge pages at that moment",
		used ? "; " : "", resident, swapped, huge);
	add_part(info, "memory_peak_swapped_bytes", most->swapped, "proc_swap_pss_total_bytes");
	add_part(info, "memory_peak_huge_bytes", most->huge, "proc_hugetlb_total_bytes");
}

/* A resident set counts memory as often as the process maps it; where no reading of PSS came near, nothing tells that it mapped none twice. */
static void tell_of_unconfirmed(struct headline *h, const struct marks *marks)
{
	size_t used = strlen(h->why);

	if (h->value.n <= marks->held.all + marks->held.all / 4 + 8 * MIB)
		return;
	snprintf(h->why + used, sizeof(h->why) - used,
		"%sby the peak of a resident set between samples, as if nothing in it was mapped "
		"twice",
		used ? "; " : "");
}

static void conclude_memory_peak(
	struct monitor *m, struct assay_run_info *info, const struct verdict *v, bool running)
{
	struct summary pss = selected_summary(m, "proc_pss_total_bytes");
	const char *key;
	uint64_t largest = largest_process(&m->ledger, &key);
	uint64_t unmapped = unmapped_shared_bytes(m);
	struct marks marks = ledger_marks(&m->ledger);
	uint64_t by_marks = proven(m, &marks, &key);
	/* Not the largest sum itself: what moved while a round was read may be in it twice. */
	const struct memory_parts *most = &m->ledger.pss_round.most;
	uint64_t steady = pss.quality != ABSENT ? most->all : 0;
	bool by_pss = steady > 0 && steady >= by_marks;
	struct headline *h = headline_add(info, "memory_peak_bytes", BYTES,
		by_pss ? steady : by_marks, LOWER_BOUND, by_pss ? "proc_pss_total_bytes" : key);

	h->has_lower = true;
	h->lower = h->value.n;
	if (upper_is_known(m, info, v, running))
		bound_from_above(m, h, largest);
	else if (pss_rounds(&m->collect) > 0)
		snprintf(h->why, sizeof(h->why),
			"largest of %llu sums of PSS and of the largest single process",
			(unsigned long long) pss_rounds(&m->collect));
	if (!by_pss && ledger_mark_inherited(&m->ledger, largest)) {
		h->value.quality = v->lost ? ESTIMATE : UPPER_BOUND;
		h->lower = steady;
		snprintf(h->why, sizeof(h->why), "%s", INHERITED_WORDS);
	}
	tell_of_unmapped(info, h, unmapped);
	if (by_pss || by_marks == marks.held.all)
		conclude_memory_parts(info, h, by_pss ? most : &marks.held);
	tell_of_repeated(h, &marks);
	if (!by_pss)
		tell_of_unconfirmed(h, &marks);
}

/* A resident set that holds memory twice is no size, nor is one beside swapped memory and huge pages: PSS of one process with these, or another's mark,
 * is below it, and the set with all that was ever swapped out, and all huge pages, above; but not above somebody who was lost. */
static void lower_by_repeated(const struct monitor *m, const struct verdict *v, struct headline *h)
{
	struct marks marks = ledger_marks(&m->ledger);
	const char *key;
	uint64_t lower = proven(m, &marks, &key);
	uint64_t mark = h->value.n;

	uint64_t slack = conclude_rss_batching_bytes(m);

	/* Another process that holds nothing twice may be as large. */
	if (marks.outside_bytes <= slack && (!marks_repeat(&marks) || lower + slack >= mark))
		return;
	h->has_lower = true;
	h->has_upper = !v->lost;
	h->upper = mark + slack + outside_at_most(m);
	h->value.n = h->lower = lower;
	if (h->upper < lower)
		h->upper = lower;
	h->value.quality = LOWER_BOUND;
	h->key = key;
	snprintf(h->why, sizeof(h->why), "%s",
		v->lost               ? v->lost_why
		: marks.outside_bytes ? "with what was swapped out, and huge pages, at a sample"
				      : "");
	tell_of_repeated(h, &marks);
}

static void notes_on_memory(struct monitor *m, struct assay_run_info *info)
{
	struct summary huge = selected_summary(m, "proc_hugetlb_total_bytes");
	char text[UNITS_TEXT_SIZE];

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
	if (ledger_mark_inherited(&m->ledger, largest)) {
		h->value.quality = v->lost ? ESTIMATE : UPPER_BOUND;
		/* No mark holds these. */
		if (ledger_marks(&m->ledger).outside_bytes > 0)
			h->value.n += outside_at_most(m);
		snprintf(h->why, sizeof(h->why), "%s", INHERITED_WORDS);
	} else if (v->lost) {
		snprintf(h->why, sizeof(h->why), "%s", v->lost_why);
	} else {
		char text[UNITS_TEXT_SIZE];
		format_bytes(conclude_rss_batching_bytes(m), text);
		snprintf(h->why, sizeof(h->why),
			"to within %s, the batches in which this kernel counts resident memory",
			text);
	}
	/* What the starting process had is above in any case, and no mark of the job's. */
	if (!ledger_mark_inherited(&m->ledger, largest))
		lower_by_repeated(m, v, h);
	notes_on_memory(m, info);
}
