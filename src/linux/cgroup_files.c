/* SPDX-License-Identifier: MIT */
/* Parsers of the files in a cgroup's directory. */
#include "linux/cgroup_files.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"
#include "linux/cgroup_view.h"
#include "linux/scan.h"

#define NSEC_PER_USEC 1000

/* One field of a file of lines "key number". */
struct field {
	const char *key;
	size_t offset; /* of the uint64_t in the struct filled */
	uint64_t scale;
};
#define FIELD(text, type, member)                                                                  \
	{                                                                                          \
		text, offsetof(type, member), 1                                                    \
	}
#define FIELD_US(text, type, member)                                                               \
	{                                                                                          \
		text, offsetof(type, member), NSEC_PER_USEC                                        \
	}

static uint64_t *member_of(void *ret, const struct field *f)
{
	return (uint64_t *) (void *) ((char *) ret + f->offset);
}

/* The row this line belongs to. The lines come mostly in the order of the table. */
static const struct field *find_field(
	const struct field *fields, size_t n, size_t first, const char *key, size_t key_size)
{
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &fields[(first + i) % n];

		if (f->key[0] == key[0] && strlen(f->key) == key_size &&
			memcmp(f->key, key, key_size) == 0)
			return f;
	}
	return NULL;
}

/* Fills the fields that are there, the others with CGROUP_NO_FIELD. Lines of other keys may hold anything. */
static int parse_fields(
	const char *text, size_t n, const struct field *fields, size_t n_fields, void *ret)
{
	const char *end = text + n;
	size_t next = 0;

	for (size_t i = 0; i < n_fields; i++)
		*member_of(ret, &fields[i]) = CGROUP_NO_FIELD;
	for (const char *line = text; line < end;) {
		const char *line_end = memchr(line, '\n', (size_t) (end - line));
		if (!line_end)
			return -EINVAL; /* cut */
		const char *blank = memchr(line, ' ', (size_t) (line_end - line));
		const struct field *f =
			blank ? find_field(fields, n_fields, next, line, (size_t) (blank - line))
			      : NULL;
		if (f) {
			uint64_t number;
			const char *at = blank + 1;

			if (!scan_u64(&at, line_end, &number) || at != line_end ||
				number > (UINT64_MAX - 1) / f->scale)
				return -EINVAL;
			*member_of(ret, f) = number * f->scale;
			next = (size_t) (f - fields) + 1;
		}
		line = line_end + 1;
	}
	return 0;
}

/* Strips the newline at the end; false when there is none. */
static bool one_line(const char *text, size_t n, const char **ret_end)
{
	const char *end = n ? memchr(text, '\n', n) : NULL;

	*ret_end = end;
	return end && end == text + n - 1;
}

static bool scan_max(const char **at, const char *end)
{
	if (end - *at < 3 || memcmp(*at, "max", 3) != 0)
		return false;
	*at += 3;
	return true;
}

int cgroup_number_parse(const char *text, size_t n, uint64_t *ret)
{
	const char *at = text;
	const char *end;
	uint64_t number = CGROUP_UNLIMITED;

	if (!one_line(text, n, &end))
		return -EINVAL;
	if (!scan_max(&at, end) && !scan_u64(&at, end, &number))
		return -EINVAL;
	if (at != end)
		return -EINVAL;
	*ret = number;
	return 0;
}

#define MEMORY(text, member) FIELD(text, struct cgroup_memory_stat, member)

static const struct field memory_v2[] = { MEMORY("anon", anon), MEMORY("file", file),
	MEMORY("kernel", kernel), MEMORY("kernel_stack", kernel_stack),
	MEMORY("pagetables", pagetables), MEMORY("percpu", percpu), MEMORY("sock", sock),
	MEMORY("vmalloc", vmalloc), MEMORY("shmem", shmem),
	MEMORY("slab_reclaimable", slab_reclaimable),
	MEMORY("slab_unreclaimable", slab_unreclaimable), MEMORY("slab", slab) };

/* Version 1: those with total_ count what is below as well. Its "rss" is anonymous memory, not what is resident. */
static const struct field memory_v1[] = { MEMORY("hierarchical_memory_limit", hierarchical_limit),
	MEMORY("hierarchical_memsw_limit", hierarchical_swap_limit), MEMORY("total_cache", file),
	MEMORY("total_rss", anon), MEMORY("total_shmem", shmem), MEMORY("total_swap", swap) };

int cgroup_memory_stat_parse(
	const char *text, size_t n, int version, struct cgroup_memory_stat *ret)
{
	struct cgroup_memory_stat m;

	memset(&m, 0xff, sizeof(m)); /* CGROUP_NO_FIELD in all */
	int r = version == 1 ? parse_fields(text, n, memory_v1, ARRAY_SIZE(memory_v1), &m)
			     : parse_fields(text, n, memory_v2, ARRAY_SIZE(memory_v2), &m);

	if (r < 0)
		return r;
	if (m.anon == CGROUP_NO_FIELD || m.file == CGROUP_NO_FIELD)
		return -EINVAL;
	*ret = m;
	return 0;
}

uint64_t cgroup_memory_stat_kernel(const struct cgroup_memory_stat *m)
{
	const uint64_t parts[] = { m->slab, m->kernel_stack, m->pagetables, m->percpu, m->vmalloc };
	uint64_t sum = CGROUP_NO_FIELD;

	if (m->kernel != CGROUP_NO_FIELD)
		return m->kernel;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i] != CGROUP_NO_FIELD)
			sum = (sum == CGROUP_NO_FIELD ? 0 : sum) + parts[i];
	return sum;
}

#define EVENT(text, member) FIELD(text, struct cgroup_memory_events, member)

int cgroup_memory_events_parse(
	const char *text, size_t n, int version, struct cgroup_memory_events *ret)
{
	static const struct field v2[] = { EVENT("high", high), EVENT("max", limit_hits),
		EVENT("oom", oom), EVENT("oom_kill", oom_kill) };
	static const struct field v1[] = { EVENT("oom_kill", oom_kill) };
	struct cgroup_memory_events e;
	int r = version == 1 ? parse_fields(text, n, v1, ARRAY_SIZE(v1), &e)
			     : parse_fields(text, n, v2, ARRAY_SIZE(v2), &e);

	if (r < 0)
		return r;
	ret->oom_kill = e.oom_kill;
	if (version == 1)
		return 0;
	ret->limit_hits = e.limit_hits;
	ret->high = e.high;
	ret->oom = e.oom;
	return 0;
}

int cgroup_pids_events_parse(const char *text, size_t n, uint64_t *ret_denied)
{
	struct denied {
		uint64_t count;
	} d;
	static const struct field fields[] = { FIELD("max", struct denied, count) };
	int r = parse_fields(text, n, fields, ARRAY_SIZE(fields), &d);

	if (r < 0 || d.count == CGROUP_NO_FIELD)
		return -EINVAL;
	*ret_denied = d.count;
	return 0;
}

#define CPU(text, member) FIELD(text, struct cgroup_cpu_stat, member)
#define CPU_US(text, member) FIELD_US(text, struct cgroup_cpu_stat, member)

static const struct field cpu_v2[] = { CPU_US("usage_usec", usage_ns), CPU_US("user_usec", user_ns),
	CPU_US("system_usec", system_ns), CPU("nr_periods", periods),
	CPU("nr_throttled", throttled_periods), CPU_US("throttled_usec", throttled_ns) };
static const struct field cpu_v1[] = { CPU("nr_periods", periods),
	CPU("nr_throttled", throttled_periods), CPU("throttled_time", throttled_ns) };

int cgroup_cpu_stat_parse(const char *text, size_t n, int version, struct cgroup_cpu_stat *ret)
{
	struct cgroup_cpu_stat c;

	memset(&c, 0xff, sizeof(c));
	int r = version == 1 ? parse_fields(text, n, cpu_v1, ARRAY_SIZE(cpu_v1), &c)
			     : parse_fields(text, n, cpu_v2, ARRAY_SIZE(cpu_v2), &c);

	if (r < 0)
		return r;
	if ((version == 1 ? c.periods : c.usage_ns) == CGROUP_NO_FIELD)
		return -EINVAL;
	*ret = c;
	return 0;
}

int cgroup_cpuacct_stat_parse(const char *text, size_t n, uint64_t ticks_per_second,
	uint64_t *ret_user_ns, uint64_t *ret_system_ns)
{
	struct ticks {
		uint64_t user, system;
	} t;
	static const struct field fields[] = { FIELD("user", struct ticks, user),
		FIELD("system", struct ticks, system) };
	uint64_t tick_ns = NSEC_PER_SEC / ticks_per_second;
	int r = parse_fields(text, n, fields, ARRAY_SIZE(fields), &t);

	if (r < 0)
		return r;
	if (t.user > UINT64_MAX / tick_ns || t.system > UINT64_MAX / tick_ns)
		return -EINVAL; /* also when one is not there */
	*ret_user_ns = t.user * tick_ns;
	*ret_system_ns = t.system * tick_ns;
	return 0;
}

/* The next word of the line; its length, 0 at the end of the line. */
static size_t next_word(const char **at, const char *end)
{
	const char *blank;

	while (*at < end && **at == ' ')
		(*at)++;
	blank = *at < end ? memchr(*at, ' ', (size_t) (end - *at)) : NULL;
	return *at < end ? (size_t) ((blank ? blank : end) - *at) : 0;
}

static bool add_number(const char *at, const char *end, uint64_t *sum)
{
	uint64_t number;

	if (!scan_u64(&at, end, &number) || at != end || number > UINT64_MAX - *sum)
		return false;
	*sum += number;
	return true;
}

/* One "key=number" of io.stat. Keys of other policies (cost.usage=...) are not ours. */
static bool take_io(const char *word, size_t size, struct cgroup_io *io)
{
	const struct {
		const char *key;
		uint64_t *sum;
	} keys[] = { { "rbytes=", &io->read_bytes }, { "wbytes=", &io->write_bytes },
		{ "rios=", &io->read_operations }, { "wios=", &io->write_operations } };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t n = strlen(keys[i].key);

		if (size > n && memcmp(word, keys[i].key, n) == 0)
			return add_number(word + n, word + size, keys[i].sum);
	}
	return true;
}

int cgroup_io_stat_parse(const char *text, size_t n, cgroup_io_function *each, void *context)
{
	const char *end = text + n;

	/* "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6"; a device that did nothing may stand without numbers */
	for (const char *line = text; line < end;) {
		const char *line_end = memchr(line, '\n', (size_t) (end - line));
		const char *at = line;
		struct cgroup_io io = { 0 };
		char device[24];

		if (!line_end)
			return -EINVAL;
		size_t size = next_word(&at, line_end);
		size_t kept = size < sizeof(device) ? size : sizeof(device) - 1;
		memcpy(device, at, kept);
		device[kept] = '\0';
		at += size;
		bool numbers = false;
		for (; (size = next_word(&at, line_end)) > 0; at += size) {
			if (!take_io(at, size, &io))
				return -EINVAL;
			numbers = true;
		}
		if (numbers)
			each(device, &io, context);
		line = line_end + 1;
	}
	return 0;
}

int cgroup_blkio_parse(const char *text, size_t n, uint64_t *ret_read, uint64_t *ret_write)
{
	const char *end = text + n;
	uint64_t read = 0;
	uint64_t write = 0;

	/* "8:0 Read 4096", "8:0 Write 0", ... and "Total 4096" */
	for (const char *line = text; line < end;) {
		const char *line_end = memchr(line, '\n', (size_t) (end - line));
		const char *at = line;

		if (!line_end)
			return -EINVAL;
		at += next_word(&at, line_end); /* the device */
		size_t size = next_word(&at, line_end);
		const char *word = at;
		at += size;
		size_t digits = next_word(&at, line_end);
		uint64_t *sum = size == 4 && memcmp(word, "Read", 4) == 0    ? &read
				: size == 5 && memcmp(word, "Write", 5) == 0 ? &write
									     : NULL;
		if (sum && !add_number(at, at + digits, sum))
			return -EINVAL;
		line = line_end + 1;
	}
	*ret_read = read;
	*ret_write = write;
	return 0;
}

int cgroup_cpu_max_parse(const char *text, size_t n, struct cgroup_cpu_max *ret)
{
	const char *at = text;
	const char *end;
	struct cgroup_cpu_max c = { CGROUP_UNLIMITED, 0 };

	if (!one_line(text, n, &end) || (!scan_max(&at, end) && !scan_u64(&at, end, &c.quota_us)) ||
		!scan_char(&at, end, ' ') || !scan_u64(&at, end, &c.period_us) || at != end ||
		c.period_us == 0)
		return -EINVAL;
	*ret = c;
	return 0;
}
