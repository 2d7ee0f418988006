/* SPDX-License-Identifier: MIT */
/* /proc/stat: what the processors of the whole machine did since boot, in clock ticks, and a few counts of the kernel. */
#ifndef ASSAY_LINUX_HOST_STAT_H
#define ASSAY_LINUX_HOST_STAT_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct roots;

/* The states of a processor in the order of the file; all in ticks of sysconf(_SC_CLK_TCK). The kernel's counts of idle and iowait may run
 * backwards (proc(5)), the others do not. */
enum cpu_state {
	CPU_USER, /* guest included */
	CPU_NICE, /* guest_nice included */
	CPU_SYSTEM,
	CPU_IDLE,
	CPU_IOWAIT, /* idle too: something waited for a disk meanwhile */
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL, /* since 2.6.11 */
	CPU_GUEST, /* since 2.6.24 */
	CPU_GUEST_NICE, /* since 2.6.33 */
	N_CPU_STATES
};

struct host_cpu {
	uint64_t ticks[N_CPU_STATES];
	unsigned n_states; /* that the kernel shows: those beyond are not known, rather than 0 */
};

/* Time in which it worked: user, nice, system, irq and softirq. Not idle, iowait or steal; and guest is in user already. */
uint64_t host_cpu_busy_ticks(const struct host_cpu *cpu);

/* One line, "cpu ..." or "cpuN ..."; *ret_number is N, or -1 for the sum. -ENOENT for any other line, -EINVAL for a malformed one. */
int host_cpu_parse(const char *line, size_t n, int *ret_number, struct host_cpu *ret);

enum { HOST_STAT_CORES = 1, HOST_STAT_COUNTS = 2 };
enum {
	STAT_INTERRUPTS,
	STAT_CONTEXT_SWITCHES,
	STAT_FORKS,
	STAT_RUNNING,
	STAT_BLOCKED,
	N_STAT_COUNTS
};

struct host_stat {
	struct host_cpu all;
	unsigned n_cores; /* the lines of single processors, with HOST_STAT_CORES */
	uint64_t counts[N_STAT_COUNTS]; /* with HOST_STAT_COUNTS */
	unsigned counts_seen; /* a bit each */
};

/* Called for each processor that is online; one that is not has no line. */
typedef void host_core_function(unsigned number, const struct host_cpu *cpu, void *context);

/* Reads the sum, and as far as `want` needs it the rest: the kernel makes the whole text for any read, but its copy and the parsing of
 * some thousand numbers of "intr" are spared. -ENODATA where a sandbox shows nothing but zeros. */
int host_stat_read(const struct roots *r, unsigned want, struct host_stat *ret,
	host_core_function *each, void *context);
/* The same from an open file. */
int host_stat_scan(
	int fd, unsigned want, struct host_stat *ret, host_core_function *each, void *context);

/* Whose /proc/stat this is: the kernel's (always the whole machine, also inside a container); one made up for this container by a
 * FUSE file system such as lxcfs; or a plain file of a recorded tree. */
enum stat_view { STAT_OF_KERNEL, STAT_OF_FUSE, STAT_RECORDED };
enum stat_view host_stat_view(const struct roots *r);

/* Ticks to nanoseconds. */
uint64_t ticks_to_ns(uint64_t ticks);
/* 0, or why /proc/stat tells nothing here. */
int host_stat_probe(const struct roots *r, struct error *err);

#endif
