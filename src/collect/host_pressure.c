/* SPDX-License-Identifier: MIT */
/* Pressure stall information of the whole machine: how long tasks waited for CPU, memory or I/O. */
#include "linux/pressure.h"

#include <errno.h>
#include <stdio.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "linux/kept_file.h"

/* clang-format off */
enum {
	CPU_SOME, CPU_FULL, MEMORY_SOME, MEMORY_FULL, IO_SOME, IO_FULL, IRQ_FULL,
	CPU_SOME_PERCENT, CPU_FULL_PERCENT, MEMORY_SOME_PERCENT, MEMORY_FULL_PERCENT, IO_SOME_PERCENT, IO_FULL_PERCENT, IRQ_FULL_PERCENT,
	N_ROWS
};
/* clang-format on */

#define SECONDS_ROW(resource, line, is_on, text)                                                   \
	{                                                                                          \
		.key = "host_pressure_" resource "_" line "_seconds", .kind = COUNTER,             \
		.unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,               \
		.on = (is_on), .cost = CHEAP,                                                      \
		.origin = "/proc/pressure/" resource " " line " total", .help = (text)             \
	}
#define PERCENT_ROW(resource, line, text)                                                          \
	{                                                                                          \
		.key = "host_pressure_" resource "_" line "_percent", .kind = GAUGE,               \
		.unit = PERCENT, .scope = SINGLE, .reduce = MAX | MEAN, .quality = SAMPLED,        \
		.cost = CHEAP, .rate_of = "host_pressure_" resource "_" line "_seconds",           \
		.origin = "/proc/pressure/" resource " " line " total", .help = (text)             \
	}

static const struct measure rows[] = {
	/* clang-format off */
	[CPU_SOME] = { .key = "host_pressure_cpu_some_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.quantity = "host_pressure", .rank = 1, .cost = CHEAP, .origin = "/proc/pressure/cpu some total", .help = "time in which a task of the machine wanted a CPU and had none" },
	[CPU_FULL] = SECONDS_ROW("cpu", "full", false, "0 by definition for a whole machine; shown by kernels since 5.13"),
	[MEMORY_SOME] = SECONDS_ROW("memory", "some", true, "time in which a task of the machine waited for memory: reclaim, swapping in, refaults"),
	[MEMORY_FULL] = SECONDS_ROW("memory", "full", false, "time in which all tasks of the machine that were not idle waited for memory"),
	[IO_SOME] = SECONDS_ROW("io", "some", true, "time in which a task of the machine waited for a disk"),
	[IO_FULL] = SECONDS_ROW("io", "full", false, "time in which all tasks of the machine that were not idle waited for a disk"),
	[IRQ_FULL] = SECONDS_ROW("irq", "full", false, "time in which interrupts kept a CPU of the machine from its task"),
	[CPU_SOME_PERCENT] = PERCENT_ROW("cpu", "some", "share of time in which a task of the machine wanted a CPU and had none"),
	[CPU_FULL_PERCENT] = PERCENT_ROW("cpu", "full", "0 by definition for a whole machine; shown by kernels since 5.13"),
	[MEMORY_SOME_PERCENT] = PERCENT_ROW("memory", "some", "share of time in which a task of the machine waited for memory"),
	[MEMORY_FULL_PERCENT] = PERCENT_ROW("memory", "full", "share of time in which all that were not idle waited for memory"),
	[IO_SOME_PERCENT] = PERCENT_ROW("io", "some", "share of time in which a task of the machine waited for a disk"),
	[IO_FULL_PERCENT] = PERCENT_ROW("io", "full", "share of time in which all that were not idle waited for a disk"),
	[IRQ_FULL_PERCENT] = PERCENT_ROW("irq", "full", "share of time in which interrupts kept a CPU of the machine from its task"),
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static const struct {
	const char *resource;
	int some, full; /* rows; -1: the file has no such line */
} files[] = {
	{ "cpu", CPU_SOME, CPU_FULL },
	{ "memory", MEMORY_SOME, MEMORY_FULL },
	{ "io", IO_SOME, IO_FULL },
	{ "irq", -1, IRQ_FULL },
};

struct kept_files {
	struct kept_file of[ARRAY_SIZE(files)];
};

static int probe_host_pressure(const struct collect *c, struct error *err)
{
	return host_pressure_probe(c->roots, err);
}

static void put_pressure(struct batch *out, int row, const struct pressure_line *line, int error)
{
	if (row < 0)
		return;
	if (error < 0)
		put_absent(out, NULL, (unsigned) row, error);
	else if (!line->there)
		put_absent(out, NULL, (unsigned) row, ENODATA);
	else
		put(out, NULL, (unsigned) row, line->total_ns);
}

static int read_host_pressure(struct collect *c, struct batch *out)
{
	struct kept_files *kept = c->state;
	int result = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct pressure p;
		int r = host_pressure_read(c->roots, files[i].resource, &kept->of[i], &p);

		/* irq is there since 6.1 and only with CONFIG_IRQ_TIME_ACCOUNTING. */
		if (r < 0 && i == 0)
			result = r;
		put_pressure(out, files[i].some, &p.some, r);
		put_pressure(out, files[i].full, &p.full, r);
	}
	return result;
}

static void close_host_pressure(struct collect *c)
{
	struct kept_files *kept = c->state;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		kept_file_close(&kept->of[i]);
}

const struct collector host_pressure_collector = { .name = "host_pressure",
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.state_size = sizeof(struct kept_files),
	.probe = probe_host_pressure,
	.tells_alone = true,
	.read = read_host_pressure,
	.close = close_host_pressure };
