/* SPDX-License-Identifier: MIT */
/* How long the job's cgroup waited for CPU, memory and I/O: pressure stall information. */
#include <errno.h>

#include "base/macros.h"
#include "collect/cgroup_reading.h"
#include "collect/collect.h"
#include "linux/cgroup_files.h"
#include "linux/pressure.h"

/* Four rows of each of three resources, in this order. */
enum { SOME_SECONDS, FULL_SECONDS, SOME_PERCENT, FULL_PERCENT, N_EACH };

#define SOME "some process of the cgroup"
#define FULL "all processes of the cgroup at once"
#define WAITED(name, line, who, what, file)                                                        \
	{                                                                                          \
		.key = "cgroup_pressure_" name "_" line "_seconds", .kind = COUNTER,               \
		.unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,   \
		.cost = CHEAP, .origin = file " " line " total",                                   \
		.help = "time in which " who " waited for " what                                   \
	}
#define SHARE(name, line, who, what, file)                                                         \
	{                                                                                          \
		.key = "cgroup_pressure_" name "_" line "_percent", .kind = GAUGE,                 \
		.unit = PERCENT, .scope = SINGLE, .reduce = MAX | LAST, .quality = SAMPLED,        \
		.on = true, .cost = CHEAP, .origin = file " " line " avg10",                       \
		.help = "share of the last 10 s in which " who " waited for " what                 \
	}
#define RESOURCE(name, what, file)                                                                 \
	WAITED(name, "some", SOME, what, file), WAITED(name, "full", FULL, what, file),            \
		SHARE(name, "some", SOME, what, file), SHARE(name, "full", FULL, what, file)

static const struct measure rows[] = { RESOURCE("cpu", "a processor", "cpu.pressure"),
	RESOURCE("memory", "memory that had to be reclaimed or read again", "memory.pressure"),
	RESOURCE("io", "block I/O", "io.pressure") };

static const enum cgroup_file files[] = { CGROUP_FILE_PRESSURE_CPU, CGROUP_FILE_PRESSURE_MEMORY,
	CGROUP_FILE_PRESSURE_IO };

_Static_assert(ARRAY_SIZE(rows) == ARRAY_SIZE(files) * N_EACH, "some and full of each");

static int probe_pressure(const struct collect *c, struct error *err)
{
	return cgroup_probe(c, CGROUP_PRESSURE, err);
}

/* Whoever else is in the cgroup: "some" holds the job's own; "full" wants all to wait, and others may have run. */
static void put_line(const struct collect *c, struct batch *out, unsigned seconds, unsigned percent,
	int error, const struct pressure_line *line)
{
	bool own = cgroup_is_own(c, CGROUP_PRESSURE);
	bool full = seconds % N_EACH == FULL_SECONDS;
	bool left = c->cgroup_reading->left[CGROUP_PRESSURE];
	enum quality shared = full || left ? ESTIMATE : UPPER_BOUND;

	if (error == 0 && !line->there)
		error = -ENOENT;
	if (error < 0) {
		put_absent(out, NULL, seconds, error);
		put_absent(out, NULL, percent, error);
		return;
	}
	put_quality(out, NULL, seconds, line->total_ns, own && !left ? EXACT : shared);
	put_quality(out, NULL, percent, line->avg_thousandths[0], own && !left ? SAMPLED : shared);
}

static int read_pressure(struct collect *c, struct batch *out)
{
	char text[512];

	cgroup_reading_begin(c, out->now_ns);
	for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
		struct pressure p = { 0 };
		unsigned first = i * N_EACH;
		ssize_t n = cgroup_file_read(c, files[i], text, sizeof(text));
		int r = n < 0 ? (int) n : pressure_parse(text, (size_t) n, &p);

		put_line(c, out, first + SOME_SECONDS, first + SOME_PERCENT, r, &p.some);
		put_line(c, out, first + FULL_SECONDS, first + FULL_PERCENT, r, &p.full);
	}
	return 0;
}

const struct collector cgroup_pressure_collector = { .name = "cgroup_pressure",
	.per_target = PER_CGROUP,
	.rows = rows,
	.n_rows = ARRAY_SIZE(rows),
	.counted_before = true,
	.probe = probe_pressure,
	.tells_alone = true,
	.read = read_pressure };
