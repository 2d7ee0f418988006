/* SPDX-License-Identifier: MIT */
/* What the block devices of the whole machine read and write, whoever asked for it. */
#include <errno.h>
#include <stdbool.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "collect/disk_growth.h"
#include "linux/diskstats.h"

/* clang-format off */
enum {
	READ_BYTES, WRITE_BYTES, READS, WRITES, DISCARD_BYTES,
	DEVICE_READ_BYTES, DEVICE_WRITE_BYTES, DEVICE_READS, DEVICE_WRITES, DEVICE_READ_SECONDS, DEVICE_WRITE_SECONDS, DEVICE_BUSY_SECONDS,
	DEVICE_BUSY_PERCENT, DEVICE_IN_FLIGHT,
	N_ROWS
};
/* clang-format on */

#define TOTAL_ROW(name, of, what, text)                                                            \
	{                                                                                          \
		.key = (name), .kind = COUNTER, .unit = (of), .scope = SINGLE, .reduce = DELTA,    \
		.quality = EXACT, .cost = CHEAP,                                                   \
		.origin = "/proc/diskstats " what ", whole disks", .help = (text)                  \
	}
#define DEVICE_ROW(name, of, what, text)                                                           \
	{                                                                                          \
		.key = (name), .kind = COUNTER, .unit = (of), .scope = DEVICE, .reduce = DELTA,    \
		.quality = EXACT, .cost = CHEAP, .origin = "/proc/diskstats " what, .help = (text) \
	}

static const struct measure rows[] = {
	/* clang-format off */
	[READ_BYTES] = { .key = "host_disk_read_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.quantity = "host_disk_read", .rank = 1, .cost = CHEAP, .origin = "/proc/diskstats sectors read x 512, whole disks",
		.help = "read from all disks of the machine; no partitions, dm, md, loop, ram" },
	[WRITE_BYTES] = { .key = "host_disk_write_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.quantity = "host_disk_write", .rank = 1, .cost = CHEAP, .origin = "/proc/diskstats sectors written x 512, whole disks",
		.help = "written to all disks of the machine; no partitions, dm, md, loop, ram" },
	[READS] = TOTAL_ROW("host_disk_read_count", COUNT, "reads completed", "reads that all disks of the machine completed, after merging"),
	[WRITES] = TOTAL_ROW("host_disk_write_count", COUNT, "writes completed", "writes that all disks of the machine completed, after merging"),
	[DISCARD_BYTES] = TOTAL_ROW("host_disk_discard_bytes", BYTES, "sectors discarded x 512", "given back to all disks of the machine as unused (trim)"),
	[DEVICE_READ_BYTES] = DEVICE_ROW("host_device_read_bytes", BYTES, "sectors read x 512", "read from one disk or volume"),
	[DEVICE_WRITE_BYTES] = DEVICE_ROW("host_device_write_bytes", BYTES, "sectors written x 512", "written to one disk or volume"),
	[DEVICE_READS] = DEVICE_ROW("host_device_read_count", COUNT, "reads completed", "reads that one disk or volume completed"),
	[DEVICE_WRITES] = DEVICE_ROW("host_device_write_count", COUNT, "writes completed", "writes that one disk or volume completed"),
	[DEVICE_READ_SECONDS] = DEVICE_ROW("host_device_read_seconds", SECONDS, "milliseconds reading", "time that reads took, summed over requests"),
	[DEVICE_WRITE_SECONDS] = DEVICE_ROW("host_device_write_seconds", SECONDS, "milliseconds writing", "time that writes took, summed over requests"),
	[DEVICE_BUSY_SECONDS] = DEVICE_ROW("host_device_busy_seconds", SECONDS, "milliseconds doing I/O", "time in which one disk or volume had a request in flight"),
	[DEVICE_BUSY_PERCENT] = { .key = "host_device_busy_percent", .kind = GAUGE, .unit = PERCENT, .scope = DEVICE, .reduce = MAX | MEAN, .quality = SAMPLED,
		.cost = CHEAP, .rate_of = "host_device_busy_seconds", .origin = "/proc/diskstats milliseconds doing I/O",
		.help = "share of time with a request in flight; a disk that serves many at once is not full at 100" },
	[DEVICE_IN_FLIGHT] = { .key = "host_device_in_flight_count", .kind = GAUGE, .unit = COUNT, .scope = DEVICE, .reduce = MAX | MEAN, .quality = SAMPLED,
		.cost = CHEAP, .origin = "/proc/diskstats I/Os in progress", .help = "requests in flight" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static void put_disk(struct batch *out, struct disk *d)
{
	const struct disk_io *io = &d->sum;
	const char *kind = d->kind == DISK_WHOLE ? "disk" : "volume";
	const uint64_t counters[] = {
		[0] = io->read_bytes,
		[DEVICE_WRITE_BYTES - DEVICE_READ_BYTES] = io->write_bytes,
		[DEVICE_READS - DEVICE_READ_BYTES] = io->reads,
		[DEVICE_WRITES - DEVICE_READ_BYTES] = io->writes,
		[DEVICE_READ_SECONDS - DEVICE_READ_BYTES] = io->read_ns,
		[DEVICE_WRITE_SECONDS - DEVICE_READ_BYTES] = io->write_ns,
		[DEVICE_BUSY_SECONDS - DEVICE_READ_BYTES] = io->busy_ns,
	};

	for (unsigned i = 0; i < ARRAY_SIZE(counters); i++)
		put_device_quality(out, kind, io->name, DEVICE_READ_BYTES + i, counters[i],
			d->lost_before ? LOWER_BOUND : EXACT);
	put_device(out, kind, io->name, DEVICE_IN_FLIGHT, io->in_flight);
	d->lost_before = false;
}

struct disk_totals {
	unsigned disks; /* there now */
	struct disk_io sum;
	bool discards; /* this kernel counts them */
	bool lost; /* of what one counted since the look before, some is not known */
};

static void add_disk(struct disk_totals *t, const struct disk *d)
{
	t->disks += d->there;
	t->sum.read_bytes += d->sum.read_bytes;
	t->sum.write_bytes += d->sum.write_bytes;
	t->sum.reads += d->sum.reads;
	t->sum.writes += d->sum.writes;
	t->sum.discard_bytes += d->sum.discard_bytes;
	t->discards = t->discards || d->sum.n_fields >= 15;
	t->lost = t->lost || d->lost;
}

static void put_total(struct batch *out, const struct disk_totals *t, unsigned row, uint64_t n)
{
	put_quality(out, NULL, row, n, t->lost ? LOWER_BOUND : EXACT);
}

static int probe_host_disk(const struct collect *c, struct error *err)
{
	return diskstats_probe(c->roots, err);
}

static int read_host_disk(struct collect *c, struct batch *out)
{
	struct disk_totals totals = { 0 };
	struct disks *disks = c->state;
	int r = disks_look(disks, c->roots);

	for (size_t i = 0; r == 0 && i < disks->n; i++) {
		struct disk *d = &disks->list[i];

		if (d->kind == DISK_WHOLE)
			add_disk(&totals, d);
		if (d->there && (d->kind == DISK_WHOLE || d->kind == DISK_STACKED))
			put_disk(out, d);
	}
	if (r == 0 && totals.disks == 0)
		r = -ENODEV;
	if (r < 0) {
		put_all_absent(out, NULL, READ_BYTES, DISCARD_BYTES + 1, r);
		return r;
	}
	put_total(out, &totals, READ_BYTES, totals.sum.read_bytes);
	put_total(out, &totals, WRITE_BYTES, totals.sum.write_bytes);
	put_total(out, &totals, READS, totals.sum.reads);
	put_total(out, &totals, WRITES, totals.sum.writes);
	if (totals.discards)
		put_total(out, &totals, DISCARD_BYTES, totals.sum.discard_bytes);
	else
		put_absent(out, NULL, DISCARD_BYTES, ENODATA);
	return 0;
}

static void close_host_disk(struct collect *c)
{
	disks_done(c->state);
}

const struct collector host_disk_collector = { .name = "host_disk",
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.state_size = sizeof(struct disks),
	.probe = probe_host_disk,
	.tells_alone = true,
	.read = read_host_disk,
	.close = close_host_disk };
