/* SPDX-License-Identifier: MIT */
/* Parses /proc/stat. */
#include "linux/host_stat.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/line_reader.h"
#include "linux/roots.h"
#include "linux/scan.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

uint64_t host_cpu_busy_ticks(const struct host_cpu *cpu)
{
	return cpu->ticks[CPU_USER] + cpu->ticks[CPU_NICE] + cpu->ticks[CPU_SYSTEM] +
	       cpu->ticks[CPU_IRQ] + cpu->ticks[CPU_SOFTIRQ];
}

uint64_t ticks_to_ns(uint64_t ticks)
{
	uint64_t tick_ns = NSEC_PER_SEC / (uint64_t) sysconf(_SC_CLK_TCK);

	return ticks <= UINT64_MAX / tick_ns ? ticks * tick_ns : UINT64_MAX;
}

int host_cpu_parse(const char *line, size_t n, int *ret_number, struct host_cpu *ret)
{
	const char *at = line + 3;
	const char *end = line + n;
	struct host_cpu cpu = { 0 };
	int number = -1;

	if (n < 4 || memcmp(line, "cpu", 3) != 0 || (*at != ' ' && (*at < '0' || *at > '9')))
		return -ENOENT;
	if (*at != ' ' && !scan_int(&at, end, &number))
		return -EINVAL;
	/* Fields that later kernels add are left alone. */
	while (at < end && cpu.n_states < N_CPU_STATES) {
		if (!scan_char(&at, end, ' '))
			return -EINVAL;
		while (at < end && *at == ' ')
			at++;
		if (at == end)
			break;
		if (!scan_u64(&at, end, &cpu.ticks[cpu.n_states++]))
			return -EINVAL;
	}
	if (cpu.n_states <= CPU_IDLE)
		return -EINVAL;
	*ret_number = number;
	*ret = cpu;
	return 0;
}

/* "ctxt 12345 ...": the first number of a line that counts something. False when it is malformed; other lines are left alone. */
static bool take_count(const char *line, size_t n, struct host_stat *s)
{
	static const char *const keys[] = { [STAT_INTERRUPTS] = "intr ",
		[STAT_CONTEXT_SWITCHES] = "ctxt ",
		[STAT_FORKS] = "processes ",
		[STAT_RUNNING] = "procs_running ",
		[STAT_BLOCKED] = "procs_blocked " };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t size = strlen(keys[i]);
		const char *at = line + size;

		if (n <= size || memcmp(line, keys[i], size) != 0)
			continue;
		if (!scan_u64(&at, line + n, &s->counts[i]) || (at < line + n && *at != ' '))
			return false;
		s->counts_seen |= 1u << i;
		return true;
	}
	return true;
}

int host_stat_scan(
	int fd, unsigned want, struct host_stat *ret, host_core_function *each, void *context)
{
	struct host_stat s = { 0 };
	struct line_reader reader;
	const char *line;
	size_t size;
	int r;

	line_reader_begin(&reader, fd);
	while ((r = line_reader_next(&reader, &line, &size)) > 0) {
		struct host_cpu cpu;
		int number;
		int kind = host_cpu_parse(line, size, &number, &cpu);

		if (kind == -EINVAL)
			return kind;
		if (kind == 0 && number < 0)
			s.all = cpu;
		if (kind == 0 && number >= 0 && want & HOST_STAT_CORES) {
			s.n_cores++;
			if (each)
				each((unsigned) number, &cpu, context);
		}
		if (kind < 0 && !take_count(line, size, &s))
			return -EINVAL;
		if (s.all.n_states > 0 && !(want & HOST_STAT_COUNTS) &&
			(want == 0 || kind == -ENOENT))
			break;
	}
	if (r < 0)
		return r;
	if (s.all.n_states == 0)
		return -EINVAL;
	if (host_cpu_busy_ticks(&s.all) + s.all.ticks[CPU_IDLE] == 0)
		return -ENODATA;
	*ret = s;
	return 0;
}

int host_stat_read(const struct roots *r, unsigned want, struct host_stat *ret,
	host_core_function *each, void *context)
{
	AUTO_CLOSE int fd = root_file(r->proc, "stat");

	return fd < 0 ? fd : host_stat_scan(fd, want, ret, each, context);
}

enum stat_view host_stat_view(const struct roots *r)
{
	AUTO_CLOSE int fd = root_file(r->proc, "stat");
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0)
		return STAT_RECORDED;
	if (fs.f_type == PROC_SUPER_MAGIC)
		return STAT_OF_KERNEL;
	return fs.f_type == FUSE_SUPER_MAGIC ? STAT_OF_FUSE : STAT_RECORDED;
}

int host_stat_probe(const struct roots *r, struct error *err)
{
	struct host_stat s;
	int rc = host_stat_read(r, 0, &s, NULL, NULL);

	if (rc == -ENODATA)
		return error_say(err, rc,
			"/proc/stat shows nothing but zeros: this sandbox does not tell what its "
			"machine does");
	if (rc == -EINVAL)
		return error_say(err, rc, "/proc/stat is not as proc(5) describes it");
	return rc < 0 ? error_set(err, rc, "/proc/stat cannot be read") : 0;
}
