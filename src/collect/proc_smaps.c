/* SPDX-License-Identifier: MIT */
/* /proc/PID/smaps_rollup: memory with shared pages divided among those who share them. Reading it walks every page under the
 * target's mmap lock (8 us per MB of small pages), so it is done in rounds: all processes in one tick, so that the sum is of one
 * moment, and rarely enough that no process stands still for more than 1 % of the time and we spend no more than 2.5 % on it. */
#include "collect/proc_smaps.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/units.h"
#include "collect/collect.h"
#include "linux/roots.h"
#include "model/run_info.h"
#include "target/ledger.h"
#include "target/readings.h"
#include "target/spaces.h"
#include "target/watch.h"

enum { PSS, PRIVATE, PSS_ANON, PSS_FILE, PSS_SHMEM, SWAP_PSS, PSS_AGE, N_ROWS };

/* PSS is read in rounds, all processes in one tick, as often as its cost allows. */
struct rounds {
	uint64_t n, due_ns;
	uint64_t complete_ns, cost_ns; /* of the latest one */
	uint64_t changes; /* of the ledger at that one, to tell whether the set is the same */
	size_t turn; /* in the ledger's order, of the next one that is read by itself, for want of time for rounds */
	bool forced; /* asked for by key: also where it stalls a process for long */
	/* of processes that may be views of an address space that is in the sum already: of this round, the most of all rounds */
	uint64_t doubted_bytes, doubted_max_bytes;
	uint64_t skipped_large; /* in the latest round */
	uint64_t sorted_tick,
		sorted_changes; /* when it was asked who shares an address space; tick 0: not yet */
};

/* How much of the time may go into it: of any one process, which stands still meanwhile, and of ours, one part in so many. */
#define STALL_SHARE 100
#define COST_SHARE 40
/* A process that would stand still for longer is not read unless asked for. */
#define STALL_MAX_NS 100000000ULL
#define NS_PER_RESIDENT_KIB 8ULL /* small pages; huge pages are far cheaper */

static const struct measure rows[] = {
	/* clang-format off */
	[PSS] = { .key = "proc_pss_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true, .total_quantity = "memory_peak", .total_rank = 1,
		.cost = COSTLY, .origin = "/proc/PID/smaps_rollup Pss", .help = "resident memory, each shared page divided by the number of its users; sums are right" },
	[PRIVATE] = { .key = "proc_private_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .total_quality = LOWER_BOUND, .on = true,
		.cost = COSTLY, .origin = "/proc/PID/smaps_rollup Private_Clean + Private_Dirty", .help = "resident memory no other process maps (USS): what would be freed by its end" },
	[PSS_ANON] = { .key = "proc_pss_anon_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true,
		.cost = COSTLY, .origin = "/proc/PID/smaps_rollup Pss_Anon", .help = "the part of PSS that is heap, stack and other anonymous memory" },
	[PSS_FILE] = { .key = "proc_pss_file_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true,
		.cost = COSTLY, .origin = "/proc/PID/smaps_rollup Pss_File", .help = "the part of PSS that is mapped files" },
	[PSS_SHMEM] = { .key = "proc_pss_shmem_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true,
		.cost = COSTLY, .origin = "/proc/PID/smaps_rollup Pss_Shmem", .help = "the part of PSS that is shared memory: tmpfs, memfd, SysV" },
	[SWAP_PSS] = { .key = "proc_swap_pss_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true,
		.cost = COSTLY, .origin = "/proc/PID/smaps_rollup SwapPss", .help = "swapped memory, divided among those who share it" },
	[PSS_AGE] = { .key = "proc_pss_age_seconds", .kind = GAUGE, .unit = SECONDS, .scope = SINGLE, .reduce = MAX, .quality = EXACT, .on = true,
		.cost = COSTLY, .origin = "our own clock", .help = "how old the latest round of PSS readings was at a sample; rounds are spaced by what they cost" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

/* What nobody of the target moved, others may have: who shares pages with it came or went, the kernel merged some. So a round stands for a while only:
 * for so many pauses between two, and so long at least. */
#define STANDS_PAUSES 10
#define STANDS_LEAST_NS (5 * NSEC_PER_SEC)

static bool has_stood_long(const struct collect *c, uint64_t now_ns)
{
	const struct rounds *s = c->state;
	uint64_t pause_ns = s->due_ns - s->complete_ns;
	uint64_t longest_ns = STANDS_PAUSES * pause_ns;

	if (longest_ns < STANDS_LEAST_NS)
		longest_ns = STANDS_LEAST_NS;
	return now_ns - s->complete_ns >= longest_ns;
}

/* In one tick everything moved, or the last round still stands. */
static bool nothing_moved(const struct collect *c)
{
	const struct rounds *s = c->state;
	const struct ledger *l = c->ledger;

	if (s->changes != l->changes)
		return false;
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		if (p->alive &&
			(!p->quiet || (p->has_statm && p->statm.resident != p->rss_pages_before)))
			return false;
	}
	return true;
}

static bool too_large(const struct collect *c, const struct process *p)
{
	const struct rounds *s = c->state;
	uint64_t rss_kib =
		(p->has_statm ? p->statm.resident : p->stat.rss_pages) * c->page_size / 1024;

	/* Once read, the true cost is known: huge pages make it some hundred times less. */
	uint64_t expected_ns = p->smaps_cost_ns ? p->smaps_cost_ns : rss_kib * NS_PER_RESIDENT_KIB;
	return !s->forced && !c->pace.now && expected_ns > STALL_MAX_NS;
}

static int probe_smaps(const struct collect *c, struct error *err)
{
	int r = collect_needs_proc(c, err);

	if (r < 0)
		return r;
	/* Whether it may be read is decided when it is opened; a reading walks all our pages. */
	int fd = root_file(c->roots->proc, "self/smaps_rollup");
	if (fd < 0)
		return error_set(err, fd, "this kernel has no smaps_rollup; Linux 4.14 would help");
	close(fd);
	return 0;
}

static int open_smaps(struct collect *c, struct error *err)
{
	struct rounds *s = c->state;

	(void) err;
	s->forced = c->asked && measures_named(c->asked, rows[PSS].key);
	return 0;
}

static void put_with(struct batch *out, struct process *p, enum quality quality)
{
	const struct smaps_rollup *s = &p->smaps;

	if (!p->has_smaps) {
		put_all_absent(out, p, PSS, PSS_AGE, p->smaps_error);
		return;
	}
	put_quality(out, p, PSS, s->pss, quality);
	put_quality(out, p, PRIVATE, s->private_clean + s->private_dirty, quality);
	put_quality(out, p, SWAP_PSS, s->swap_pss, quality);
	if (s->has_pss_split) {
		put_quality(out, p, PSS_ANON, s->pss_anon, quality);
		put_quality(out, p, PSS_FILE, s->pss_file, quality);
		put_quality(out, p, PSS_SHMEM, s->pss_shmem, quality);
	} else {
		put_absent(out, p, PSS_ANON, ENODATA);
		put_absent(out, p, PSS_FILE, ENODATA);
		put_absent(out, p, PSS_SHMEM, ENODATA);
	}
}

static void put_process(struct batch *out, struct process *p)
{
	put_with(out, p, SAMPLED);
}

/* Reads one process for the round; false when there is nothing of it to put. */
static bool read_process(struct collect *c, struct process *p)
{
	struct rounds *s = c->state;
	struct ledger *l = c->ledger;

	if (!p->alive || p->zombie)
		return false;
	if (too_large(c, p)) {
		p->has_smaps = false;
		p->smaps_error = EFBIG;
		s->skipped_large++;
	} else {
		process_read_smaps(l, p);
	}
	/* One that is exiting has given its memory back: that is nothing, not something we may not read. */
	return p->alive && p->smaps_error != ESRCH;
}

/* Pages that came or went in the process since the round began. A page mapped by one more process meanwhile was counted whole in
 * those read before, so the sum may be too high by what moved, never by more. */
static uint64_t moved_pages(struct collect *c, struct process *p)
{
	uint64_t before = p->rss_pages_before;
	uint64_t now;

	if (p->alive)
		process_read_statm(c->ledger, p);
	now = p->alive && p->has_statm ? p->statm.resident : 0;
	return now > before ? now - before : before - now;
}

/* The targets that a process's memory is in the sums of; a job has one sum. */
static uint32_t sums_of(const struct collect *c, const struct process *p)
{
	return c->watch ? p->share.targets : 1;
}

/* Where the kernel does not tell views of one address space apart, a vfork(2) child shows: by all sizes, which a fork has too for a moment. */
static bool looks_vforked(const struct process *p, const struct process *first)
{
	return p->stat.ppid == first->pid && p->statm.size == first->statm.size &&
	       p->statm.resident == first->statm.resident && p->statm.shared == first->statm.shared;
}

/* All of it is in the sums by another process that has the same address space. */
static bool is_counted(const struct collect *c, const struct process *p)
{
	const struct process *first = c->ledger->slots[p->space];

	if (p == first || (p->space_doubted && !looks_vforked(p, first)))
		return false;
	return (sums_of(c, p) & ~first->space_counted) == 0;
}

/* Its PSS is in the sums of its targets from now on; of those that may have it twice now, it is in doubt. */
static void count_in(struct collect *c, struct process *p)
{
	struct rounds *s = c->state;
	struct process *first = c->ledger->slots[p->space];
	uint32_t sums = sums_of(c, p);
	uint32_t twice = sums & first->space_counted;

	first->space_counted |= sums;
	uint64_t bytes = p->smaps.pss + p->smaps.swap_pss + p->smaps.private_hugetlb;

	pss_round_add(&c->ledger->pss_round, p);
	if (c->watch)
		watch_add_pss(c->watch, sums, p);
	if (!twice)
		return;
	s->doubted_bytes += bytes;
	pss_round_doubt(&c->ledger->pss_round, bytes);
	if (c->watch)
		watch_doubt_pss(c->watch, twice, bytes);
}

/* What moves meanwhile has to be known of all, so their sizes before are read anew. */
static void begin_round(struct collect *c)
{
	struct rounds *s = c->state;
	struct ledger *l = c->ledger;

	s->skipped_large = 0;
	if (c->watch)
		watch_pss_round_begins(c->watch);
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (p->alive && !p->zombie)
			process_read_statm(l, p);
		/* Of a target's process a child may be followed that is in none. */
		p->in_round = p->alive && !p->zombie && (!c->watch || p->share.targets);
		p->rss_pages_before = p->has_statm ? p->statm.resident : 0;
		p->space_counted = 0;
	}
	spaces_find(l);
}

/* Reads everybody of the round; gives the time that the dearest of them took. */
static uint64_t read_all(struct collect *c, struct batch *out)
{
	struct rounds *s = c->state;
	struct ledger *l = c->ledger;
	uint64_t dearest_ns = 0;

	pss_round_begin(&c->ledger->pss_round);
	s->doubted_bytes = 0;
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		p->passed_over = p->in_round && is_counted(c, p);
		if (!p->in_round || p->passed_over || !read_process(c, p))
			continue;
		put_process(out, p);
		if (p->has_smaps)
			count_in(c, p);
		if (dearest_ns < p->smaps_cost_ns)
			dearest_ns = p->smaps_cost_ns;
	}
	return dearest_ns;
}

static void total_is_no_sample(struct batch *out)
{
	for (unsigned row = PSS; row < PSS_AGE; row++)
		batch_total_quality(out, row, ESTIMATE);
}

/* Huge pages that came or went since they were read. */
static uint64_t moved_huge_pages(struct collect *c, struct process *p)
{
	uint64_t before = p->smaps.private_hugetlb + p->smaps.shared_hugetlb;

	if (!p->has_smaps || before == 0)
		return 0;
	p->status_tick = 0; /* not the one of before */
	process_read_status(c->ledger, p, true);
	uint64_t now = p->alive && !p->status_error ? p->status.hugetlb_bytes : 0;
	return now > before ? now - before : before - now;
}

/* How far the sum may be off by what moved since the round began. */
static void judge_round(struct collect *c, struct batch *out)
{
	struct rounds *s = c->state;
	struct ledger *l = c->ledger;
	struct pss_round *r = &c->ledger->pss_round;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->in_round || p->passed_over)
			continue;
		uint64_t bytes = moved_pages(c, p) * c->page_size + moved_huge_pages(c, p);
		pss_round_doubt(r, bytes);
		if (c->watch)
			watch_doubt_pss(c->watch, p->share.targets, bytes);
	}
	pss_round_end(r);
	if (c->watch)
		watch_pss_round_over(c->watch);
	if (s->doubted_max_bytes < s->doubted_bytes)
		s->doubted_max_bytes = s->doubted_bytes;
	if (r->moved > r->pss / 200)
		total_is_no_sample(out);
}

static void plan_next_round(
	struct collect *c, uint64_t now_ns, uint64_t cost_ns, uint64_t dearest_ns)
{
	struct rounds *s = c->state;
	uint64_t pause_ns = cost_ns * (c->pace.share ? c->pace.share : COST_SHARE);

	c->pace.spent_ns += cost_ns;
	s->cost_ns = cost_ns;
	if (pause_ns < dearest_ns * STALL_SHARE)
		pause_ns = dearest_ns * STALL_SHARE;
	s->due_ns = now_ns + pause_ns;
}

static void read_round(struct collect *c, struct batch *out)
{
	struct rounds *s = c->state;
	struct ledger *l = c->ledger;
	uint64_t began_ns = clock_thread_cpu_ns();
	uint32_t rest_every = l->rest_every;

	l->rest_every = 1;
	begin_round(c);
	uint64_t dearest_ns = read_all(c, out);
	judge_round(c, out);
	l->rest_every = rest_every;
	s->n++;
	s->complete_ns = out->now_ns;
	s->changes = l->changes;
	plan_next_round(c, out->now_ns, clock_thread_cpu_ns() - began_ns, dearest_ns);
}

/* The last round still stands: it is put again, for its readings are true of this tick too. */
static void put_round_again(struct collect *c, struct batch *out)
{
	struct rounds *s = c->state;
	struct ledger *l = c->ledger;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (p->alive && !p->zombie && !p->passed_over)
			put_process(out, p);
	}
	if (s->doubted_bytes > l->pss_round.pss / 200)
		total_is_no_sample(out);
}

/* How many samples a round may have to wait for its turn before it is given up for single readings. */
#define ROUND_WAITS_MAX 20
#define FIRST_ROUND_NS 15000ULL /* of a process, before one was measured */

/* A budget too small for rounds: then processes are read one by one, as many in a sample as it allows. */
static bool is_beyond_rounds(const struct collect *c)
{
	const struct rounds *s = c->state;
	uint64_t expected_ns = s->cost_ns ? s->cost_ns : c->ledger->n_order * FIRST_ROUND_NS;

	return c->pace.allowed_ns > 0 && !c->pace.now && !s->forced &&
	       expected_ns > ROUND_WAITS_MAX * c->pace.allowed_ns;
}

static uint64_t resident(const struct process *p)
{
	return p->has_statm ? p->statm.resident : p->stat.rss_pages;
}

/* A newborn, or one that has grown or shrunk by a part in 64 since it was read. */
static bool is_urgent(const struct process *p)
{
	uint64_t now = resident(p);
	uint64_t before = p->rss_pages_before;
	uint64_t by = now > before ? now - before : before - now;

	return !p->smaps_tick || (by >= 64 && by >= before / 64);
}

/* Reads it in its turn; it may stand still for its part of the time only. */
static void read_in_turn(struct collect *c, struct process *p, uint64_t now_ns)
{
	if (p->smaps_tick && now_ns < p->smaps_stamp_ns + p->smaps_cost_ns * STALL_SHARE)
		return;
	p->rss_pages_before = resident(p);
	if (!p->passed_over)
		read_process(c, p);
	p->smaps_tick = c->ledger->ticks;
	p->smaps_stamp_ns = now_ns;
}

static bool may_be_read(const struct process *p)
{
	return p->alive && !p->zombie;
}

/* Who shares an address space is asked again when somebody came or went, and now and then, as an exec draws a new one. */
#define SORTED_EVERY_TICKS 64

/* Of those that share an address space one will do, if it is in all their targets. */
static void sort_by_space(struct collect *c)
{
	struct rounds *s = c->state;
	struct ledger *l = c->ledger;

	if (s->sorted_tick != 0 && s->sorted_changes == l->changes &&
		l->ticks - s->sorted_tick < SORTED_EVERY_TICKS)
		return;
	s->sorted_tick = l->ticks;
	s->sorted_changes = l->changes;
	for (size_t i = 0; i < l->n_order; i++)
		ledger_at(l, i)->in_round = may_be_read(ledger_at(l, i));
	spaces_find(l);
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		l->slots[p->space]->space_counted = sums_of(c, l->slots[p->space]);
		p->passed_over = is_counted(c, p);
	}
}

/* The young and the changed first, then the others in turn, until what is allowed is used up. */
static void read_some(struct collect *c, struct batch *out)
{
	struct rounds *s = c->state;
	struct ledger *l = c->ledger;
	uint64_t n = 0;

	sort_by_space(c);
	/* Not before: in some samples all that is allowed would be gone before anything was read. */
	uint64_t began_ns = clock_thread_cpu_ns();
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!may_be_read(p) || !is_urgent(p))
			continue;
		if (clock_thread_cpu_ns() - began_ns > c->pace.allowed_ns) {
			l->readings_skipped++;
			continue;
		}
		read_in_turn(c, p, out->now_ns);
	}
	for (; n < l->n_order && clock_thread_cpu_ns() - began_ns <= c->pace.allowed_ns; n++) {
		s->turn = s->turn < l->n_order ? s->turn : 0;
		struct process *p = ledger_at(l, s->turn++);

		if (may_be_read(p) && p->smaps_tick != l->ticks)
			read_in_turn(c, p, out->now_ns);
	}
	c->pace.spent_ns += clock_thread_cpu_ns() - began_ns;
}

/* What was read of each last, whenever that was: a sum of several moments, which bounds nothing. */
static void put_what_is_known(struct collect *c, struct batch *out)
{
	struct ledger *l = c->ledger;
	uint64_t oldest_ns = out->now_ns;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!may_be_read(p) || p->passed_over)
			continue;
		if (!p->smaps_tick) {
			put_all_absent(out, p, PSS, PSS_AGE, EAGAIN);
			continue;
		}
		put_with(out, p, p->smaps_tick == l->ticks ? SAMPLED : ESTIMATE);
		if (p->smaps_stamp_ns < oldest_ns)
			oldest_ns = p->smaps_stamp_ns;
	}
	put(out, NULL, PSS_AGE, out->now_ns - oldest_ns);
}

static int read_smaps(struct collect *c, struct batch *out)
{
	struct rounds *s = c->state;

	if (is_beyond_rounds(c)) {
		read_some(c, out);
		put_what_is_known(c, out);
		return 0;
	}
	bool stands =
		!c->pace.now && s->n > 0 && !has_stood_long(c, out->now_ns) && nothing_moved(c);

	if (stands)
		put_round_again(c, out);
	else if (c->pace.now || out->now_ns >= s->due_ns)
		read_round(c, out);
	if (s->n > 0)
		put(out, NULL, PSS_AGE, out->now_ns - s->complete_ns);
	return 0;
}

#define DOUBTED_MIN_BYTES (UINT64_C(1) << 20)

static void note_smaps(const struct collect *c, struct assay_run_info *info)
{
	const struct rounds *s = c->state;
	char text[UNITS_TEXT_SIZE];

	if (s->doubted_max_bytes > DOUBTED_MIN_BYTES) {
		format_bytes(s->doubted_max_bytes, text);
		run_info_note(info,
			"kcmp(2) is not permitted here, so it is not known whether some processes "
			"share one address space (vfork, CLONE_VM): up to %s in sums of PSS may be "
			"counted twice; bounds and limits count it once",
			text);
	}
	if (s->skipped_large)
		run_info_note(info,
			"PSS of %llu large processes was not read, because each reading would stop "
			"the process for over "
			"0.1 s; ask for it with --measurements default,proc_pss_bytes",
			(unsigned long long) s->skipped_large);
}

const struct collector proc_smaps_collector = { .name = "proc_smaps",
	.rows = rows,
	.n_rows = N_ROWS,
	.state_size = sizeof(struct rounds),
	.probe = probe_smaps,
	.open = open_smaps,
	.read = read_smaps,
	.note = note_smaps };

uint64_t pss_rounds(const struct collect *c)
{
	const struct rounds *s = collect_state(c, &proc_smaps_collector);

	return s ? s->n : 0;
}
