/* SPDX-License-Identifier: MIT */
/* Memory charged to the job's cgroup: page cache, tmpfs and the kernel's own for it count as well, so that it is no resident set size. */
#include "collect/cgroup_memory.h"

#include <errno.h>

#include "base/macros.h"
#include "collect/cgroup_reading.h"
#include "collect/collect.h"
#include "linux/cgroup_files.h"

enum {
	CURRENT,
	PEAK,
	ANON,
	FILE_CACHE,
	SHMEM,
	KERNEL,
	NONRECLAIMABLE,
	NONRECLAIMABLE_PEAK,
	ANON_AT_PEAK,
	FILE_AT_PEAK,
	SHMEM_AT_PEAK,
	KERNEL_AT_PEAK,
	SWAP,
	SWAP_PEAK,
	LIMIT,
	HIGH_LIMIT,
	SWAP_LIMIT,
	LIMIT_HITS,
	HIGH_HITS,
	OOM,
	OOM_KILLS,
	N_ROWS
};

#define SPLIT(name, text, from)                                                                    \
	.key = (name), .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX | MEAN | LAST, \
	.quality = SAMPLED, .on = true, .cost = CHEAP, .origin = (from), .help = (text)
#define AT_PEAK(name, text)                                                                        \
	.key = (name), .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = LAST,              \
	.quality = SAMPLED, .on = true, .cost = CHEAP, .origin = "memory.stat", .help = (text)
#define FACT(name, text, from)                                                                     \
	.key = (name), .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = LAST,              \
	.quality = EXACT, .on = true, .cost = CHEAP, .origin = (from), .help = (text)
#define COUNTED(name, text, from, best)                                                            \
	.key = (name), .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA,           \
	.quality = (best), .on = true, .cost = CHEAP, .origin = (from), .help = (text)
#define EVENT(name, text, from) COUNTED(name, text, from, EXACT)
#define HITS(name, text, from) COUNTED(name, text, from, LOWER_BOUND)

static const struct measure rows[] = {
	/* clang-format off */
	[CURRENT] = { .key = "cgroup_memory_current_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.quantity = "memory_charged_peak", .rank = 2, .on = true, .cost = CHEAP, .origin = "memory.current; v1 memory.usage_in_bytes",
		.help = "memory charged to the job's cgroup and those below: anonymous, page cache, tmpfs, kernel" },
	[PEAK] = { .key = "cgroup_memory_peak_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = LAST, .quality = EXACT, .mark = true,
		.quantity = "memory_charged_peak", .rank = 1, .on = true, .cost = CHEAP, .origin = "memory.peak (Linux 5.19); v1 memory.max_usage_in_bytes",
		.help = "the most memory that was charged to the cgroup at once since it was made, which may be before the run" },
	[ANON] = { SPLIT("cgroup_memory_anon_bytes", "of it: anonymous memory, huge pages as well", "memory.stat anon; v1 total_rss") },
	[FILE_CACHE] = { SPLIT("cgroup_memory_file_bytes", "of it: page cache of files, without tmpfs and shared memory; the kernel takes it back when it needs room",
		"memory.stat file - shmem; v1 total_cache - total_shmem") },
	[SHMEM] = { SPLIT("cgroup_memory_shmem_bytes", "of it: tmpfs, memfd and shared anonymous memory", "memory.stat shmem; v1 total_shmem") },
	[KERNEL] = { SPLIT("cgroup_memory_kernel_bytes", "of it: the kernel's own for these processes (slab, stacks, page tables, per-CPU, vmalloc)",
		"memory.stat kernel (Linux 5.18), else slab + kernel_stack + pagetables + percpu + vmalloc; v1 memory.kmem.usage_in_bytes") },
	[NONRECLAIMABLE] = { SPLIT("cgroup_memory_nonreclaimable_bytes",
		"of it: what cannot be dropped: anon + shmem + sock + kernel less slab_reclaimable; v1 cannot tell reclaimable slab and sockets: anon + shmem + kernel",
		"memory.stat; v1 memory.kmem.usage_in_bytes as well") },
	[NONRECLAIMABLE_PEAK] = { AT_PEAK("cgroup_memory_nonreclaimable_peak_bytes", "the highest cgroup_memory_nonreclaimable_bytes of all samples") },
	[ANON_AT_PEAK] = { AT_PEAK("cgroup_memory_anon_at_peak_bytes", "anonymous memory in the sample with the highest non-reclaimable memory") },
	[FILE_AT_PEAK] = { AT_PEAK("cgroup_memory_file_at_peak_bytes", "page cache of files in the sample with the highest non-reclaimable memory") },
	[SHMEM_AT_PEAK] = { AT_PEAK("cgroup_memory_shmem_at_peak_bytes", "tmpfs and shared memory in the sample with the highest non-reclaimable memory") },
	[KERNEL_AT_PEAK] = { AT_PEAK("cgroup_memory_kernel_at_peak_bytes", "the kernel's own in the sample with the highest non-reclaimable memory") },
	[SWAP] = { SPLIT("cgroup_swap_current_bytes", "swap charged to the cgroup and those below", "memory.swap.current; v1 memory.stat total_swap") },
	[SWAP_PEAK] = { .key = "cgroup_swap_peak_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = LAST, .quality = EXACT, .mark = true,
		.on = true, .cost = CHEAP, .origin = "memory.swap.peak (Linux 6.5)", .help = "the most swap that was charged at once since the cgroup was made; v1 cannot tell it" },
	[LIMIT] = { FACT("cgroup_memory_limit_bytes", "the tightest limit of charged memory from the cgroup upwards when the job began; absent (ENODATA) where there is none",
		"memory.max; v1 memory.limit_in_bytes, memory.stat hierarchical_memory_limit") },
	[HIGH_LIMIT] = { FACT("cgroup_memory_high_limit_bytes", "above this the processes are slowed down and their memory reclaimed; the tightest upwards when the job began",
		"memory.high") },
	[SWAP_LIMIT] = { FACT("cgroup_swap_limit_bytes", "the tightest limit of swap upwards when the job began; v1 limits only memory and swap together", "memory.swap.max") },
	[LIMIT_HITS] = { HITS("cgroup_memory_limit_hits_count", "times memory was about to go over the limit of the cgroup or of one below it; those of a limit above are counted there", "memory.events max; v1 memory.failcnt, of the cgroup alone") },
	[HIGH_HITS] = { HITS("cgroup_memory_high_hits_count", "times processes were slowed down because memory was over memory.high", "memory.events high") },
	[OOM] = { EVENT("cgroup_oom_count", "times the cgroup was out of memory and an allocation was about to fail", "memory.events oom") },
	[OOM_KILLS] = { EVENT("cgroup_oom_kills_count", "processes of the cgroup the kernel killed for want of memory", "memory.events oom_kill; v1 memory.oom_control (Linux 4.13), of the cgroup alone") },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

#define STAT_SIZE 8192 /* of Linux 6.18: 1.6 KiB, with NUMA less than twice that */

struct memory {
	bool begun; /* the reading before the job was taken */
	uint64_t peak_before_bytes; /* the kernel's mark at that one */
	bool split_begun; /* and so was that of what memory is made up of */
	/* how it was made up when most of it could not be reclaimed */
	struct memory_split {
		bool known;
		uint64_t nonreclaimable, anon, file, shmem, kernel;
	} peak;
};

static int probe_memory(const struct collect *c, struct error *err)
{
	return cgroup_probe(c, CGROUP_MEMORY, err);
}

static bool known(uint64_t n)
{
	return n != CGROUP_NO_FIELD;
}

static uint64_t or_zero(uint64_t n)
{
	return known(n) ? n : 0;
}

/* What the kernel tells apart of what cannot be dropped; CGROUP_NO_FIELD when its own memory is not told. */
static uint64_t nonreclaimable(const struct cgroup_memory_stat *m, uint64_t kernel)
{
	if (!known(kernel))
		return CGROUP_NO_FIELD;
	uint64_t slab = or_zero(m->slab_reclaimable);

	return m->anon + or_zero(m->shmem) + or_zero(m->sock) + (kernel > slab ? kernel - slab : 0);
}

static void keep_peak(struct memory *s, const struct memory_split *now)
{
	/* The first reading is of the moment before the job. */
	if (!s->split_begun) {
		s->split_begun = true;
		return;
	}
	if (known(now->nonreclaimable) &&
		(!s->peak.known || now->nonreclaimable > s->peak.nonreclaimable))
		s->peak = *now;
}

static void put_peak(struct collect *c, struct batch *out, int error)
{
	static const unsigned at_peak[] = { NONRECLAIMABLE_PEAK, ANON_AT_PEAK, FILE_AT_PEAK,
		SHMEM_AT_PEAK, KERNEL_AT_PEAK };
	const struct memory *s = c->state;
	const struct memory_split *p = &s->peak;
	const uint64_t values[] = { p->nonreclaimable, p->anon, p->file, p->shmem, p->kernel };

	/* What was seen stays known when the cgroup is gone. With others in it, it is no bound: theirs is in it, and what came between the
	 * samples is not. */
	enum quality quality =
		cgroup_quality(c, CGROUP_MEMORY, SAMPLED) == SAMPLED ? SAMPLED : ESTIMATE;
	for (size_t i = 0; i < ARRAY_SIZE(at_peak); i++) {
		if (p->known && known(values[i]))
			put_quality(out, NULL, at_peak[i], values[i], quality);
		else
			put_absent(out, NULL, at_peak[i],
				p->known    ? -ENOENT
				: error < 0 ? error
					    : -ENODATA);
	}
}

static void read_split(struct collect *c, struct batch *out)
{
	char text[STAT_SIZE];
	int version = cgroup_file_version(c, CGROUP_FILE_MEMORY_STAT);
	struct cgroup_memory_stat m;
	uint64_t swap = CGROUP_NO_FIELD;
	ssize_t n = cgroup_file_read(c, CGROUP_FILE_MEMORY_STAT, text, sizeof(text));
	int r = n < 0 ? (int) n : cgroup_memory_stat_parse(text, (size_t) n, version, &m);
	struct memory_split now = { .known = r == 0 };

	if (r == 0) {
		now.kernel = cgroup_memory_stat_kernel(&m);
		if (version == 1 &&
			cgroup_file_number(c, CGROUP_FILE_MEMORY_KERNEL, &now.kernel) < 0)
			now.kernel = CGROUP_NO_FIELD;
		now.anon = m.anon;
		now.shmem = m.shmem;
		now.file = m.file > or_zero(m.shmem) ? m.file - or_zero(m.shmem) : 0;
		now.nonreclaimable = nonreclaimable(&m, now.kernel);
		keep_peak(c->state, &now);
		swap = m.swap;
	}
	cgroup_put(c, out, CGROUP_MEMORY, ANON, r, now.anon);
	cgroup_put(c, out, CGROUP_MEMORY, FILE_CACHE, r, now.file);
	cgroup_put(c, out, CGROUP_MEMORY, SHMEM, r, now.shmem);
	cgroup_put(c, out, CGROUP_MEMORY, KERNEL, r, now.kernel);
	cgroup_put(c, out, CGROUP_MEMORY, NONRECLAIMABLE, r, now.nonreclaimable);
	put_peak(c, out, r);
	if (version == 2)
		r = cgroup_file_number(c, CGROUP_FILE_SWAP_CURRENT, &swap);
	cgroup_put(c, out, CGROUP_MEMORY, SWAP, r, swap);
}

static void read_number(struct collect *c, struct batch *out, unsigned row, enum cgroup_file file)
{
	uint64_t n = 0;
	int r = cgroup_file_number(c, file, &n);

	cgroup_put(c, out, CGROUP_MEMORY, row, r, n);
}

/* A fact, whoever else is in the cgroup. */
static void read_limit(
	struct collect *c, struct batch *out, unsigned row, enum cgroup_limit_kind kind)
{
	uint64_t n = 0;
	int r = cgroup_limit_at_start(c, kind, &n);

	if (r < 0)
		put_absent(out, NULL, row, r);
	else
		put(out, NULL, row, n);
}

static void read_events(struct collect *c, struct batch *out)
{
	char text[512];
	int version = cgroup_file_version(c, CGROUP_FILE_MEMORY_EVENTS);
	struct cgroup_memory_events e = { CGROUP_NO_FIELD, CGROUP_NO_FIELD, CGROUP_NO_FIELD,
		CGROUP_NO_FIELD };
	ssize_t n = cgroup_file_read(c, CGROUP_FILE_MEMORY_EVENTS, text, sizeof(text));
	int r = n < 0 ? (int) n : cgroup_memory_events_parse(text, (size_t) n, version, &e);

	cgroup_put_hits(c, out, CGROUP_MEMORY, HIGH_HITS, r, e.high);
	cgroup_put(c, out, CGROUP_MEMORY, OOM, r, e.oom);
	cgroup_put(c, out, CGROUP_MEMORY, OOM_KILLS, r, e.oom_kill);
	if (version == 1)
		r = cgroup_file_number(c, CGROUP_FILE_MEMORY_FAILCNT, &e.limit_hits);
	cgroup_put_hits(c, out, CGROUP_MEMORY, LIMIT_HITS, r, e.limit_hits);
}

static int read_memory(struct collect *c, struct batch *out)
{
	struct memory *s = c->state;
	uint64_t peak = 0;

	cgroup_reading_begin(c, out->now_ns);
	read_number(c, out, CURRENT, CGROUP_FILE_MEMORY_CURRENT);
	int r = cgroup_file_number(c, CGROUP_FILE_MEMORY_PEAK, &peak);
	if (!s->begun && r == 0 && known(peak))
		s->peak_before_bytes = peak;
	s->begun = true;
	cgroup_put_mark(c, out, CGROUP_FILE_MEMORY_PEAK, PEAK, r, peak);
	read_split(c, out);
	read_number(c, out, SWAP_PEAK, CGROUP_FILE_SWAP_PEAK);
	read_limit(c, out, LIMIT, CGROUP_LIMIT_MEMORY);
	read_limit(c, out, HIGH_LIMIT, CGROUP_LIMIT_MEMORY_HIGH);
	if (cgroup_file_version(c, CGROUP_FILE_MEMORY_CURRENT) == 1)
		put_absent(out, NULL, SWAP_LIMIT, -ENOENT);
	else
		read_limit(c, out, SWAP_LIMIT, CGROUP_LIMIT_SWAP);
	read_events(c, out);
	return 0;
}

const struct collector cgroup_memory_collector = { .name = "cgroup_memory",
	.per_target = PER_CGROUP,
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.state_size = sizeof(struct memory),
	.probe = probe_memory,
	.tells_alone = true,
	.read = read_memory };

uint64_t cgroup_memory_peak_before_bytes(const struct collect *c)
{
	const struct memory *s = collect_state(c, &cgroup_memory_collector);

	return s ? s->peak_before_bytes : 0;
}
