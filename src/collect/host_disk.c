/* SPDX-License-Identifier: MIT */
/* What the block devices of the whole machine read and write, whoever asked for it. */
#include "linux/diskstats.h"

#include <errno.h>
#include <stdbool.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "linux/roots.h"

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

struct disk_reading {
	struct batch *out;
	const struct roots *roots;
	unsigned disks;
	struct disk_io sum;
	bool discards; /* this kernel counts them */
};

static void put_disk(struct batch *out, const char *kind, const struct disk_io *io)
{
	put_device(out, kind, io->name, DEVICE_READ_BYTES, io->read_bytes);
	put_device(out, kind, io->name, DEVICE_WRITE_BYTES, io->write_bytes);
	put_device(out, kind, io->name, DEVICE_READS, io->reads);
	put_device(out, kind, io->name, DEVICE_WRITES, io->writes);
	put_device(out, kind, io->name, DEVICE_READ_SECONDS, io->read_ns);
	put_device(out, kind, io->name, DEVICE_WRITE_SECONDS, io->write_ns);
	put_device(out, kind, io->name, DEVICE_BUSY_SECONDS, io->busy_ns);
	put_device(out, kind, io->name, DEVICE_IN_FLIGHT, io->in_flight);
}

static void take_disk(const struct disk_io *io, void *context)
{
	struct disk_reading *reading = context;
	enum disk_kind kind = disk_kind(reading->roots, io->name);

	if (kind == DISK_STACKED)
		put_disk(reading->out, "volume", io);
	if (kind != DISK_WHOLE)
		return;
	reading->disks++;
	put_disk(reading->out, "disk", io);
	reading->sum.read_bytes += io->read_bytes;
	reading->sum.write_bytes += io->write_bytes;
	reading->sum.reads += io->reads;
	reading->sum.writes += io->writes;
	reading->sum.discard_bytes += io->discard_bytes;
	reading->discards = io->n_fields >= 15;
}

static int probe_host_disk(const struct collect *c, struct error *err)
{
	return diskstats_probe(c->roots, err);
}

static int read_host_disk(struct collect *c, struct batch *out)
{
	struct disk_reading reading = { .out = out, .roots = c->roots };
	int r = diskstats_each(c->roots, take_disk, &reading);

	if (r == 0 && reading.disks == 0)
		r = -ENODEV;
	for (unsigned row = READ_BYTES; r < 0 && row <= DISCARD_BYTES; row++)
		put_absent(out, NULL, row, r);
	if (r < 0)
		return r;
	put(out, NULL, READ_BYTES, reading.sum.read_bytes);
	put(out, NULL, WRITE_BYTES, reading.sum.write_bytes);
	put(out, NULL, READS, reading.sum.reads);
	put(out, NULL, WRITES, reading.sum.writes);
	if (reading.discards)
		put(out, NULL, DISCARD_BYTES, reading.sum.discard_bytes);
	else
		put_absent(out, NULL, DISCARD_BYTES, ENODATA);
	return 0;
}

const struct collector host_disk_collector = { .name = "host_disk",
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.probe = probe_host_disk,
	.tells_alone = true,
	.read = read_host_disk };
