/* SPDX-License-Identifier: MIT */
/* Block I/O of the job's cgroup, as it reached the devices. */
#include <errno.h>

#include "base/macros.h"
#include "collect/cgroup_io_devices.h"
#include "collect/cgroup_reading.h"
#include "collect/collect.h"
#include "linux/cgroup_files.h"

enum { READ_BYTES, WRITE_BYTES, READ_OPERATIONS, WRITE_OPERATIONS, N_ROWS };

#define V1_WORDS                                                                                   \
	"; v1 does not see buffered writes and counts nothing until a throttling rule is set for " \
	"the device: absent (ENODATA) while it shows 0"

static const struct measure rows[] = {
	/* clang-format off */
	[READ_BYTES] = { .key = "cgroup_io_read_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.quantity = "io_read", .rank = 3, .on = true, .cost = CHEAP, .origin = "io.stat rbytes; v1 blkio.throttle.io_service_bytes_recursive Read",
		.help = "bytes read from block devices for the cgroup; once where one device is made of others" V1_WORDS },
	[WRITE_BYTES] = { .key = "cgroup_io_write_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.quantity = "io_write", .rank = 3, .on = true, .cost = CHEAP, .origin = "io.stat wbytes; v1 blkio.throttle.io_service_bytes_recursive Write",
		.help = "bytes that reached block devices for the cgroup so far; what is still dirty in the page cache comes later, and without a memory controller never" V1_WORDS },
	[READ_OPERATIONS] = { .key = "cgroup_io_read_operations_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.on = true, .cost = CHEAP, .origin = "io.stat rios; v1 blkio.throttle.io_serviced_recursive Read", .help = "read requests to block devices" V1_WORDS },
	[WRITE_OPERATIONS] = { .key = "cgroup_io_write_operations_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.on = true, .cost = CHEAP, .origin = "io.stat wios; v1 blkio.throttle.io_serviced_recursive Write", .help = "write requests to block devices so far, without those for what is still dirty" V1_WORDS },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

struct io {
	struct cgroup_io_devices devices; /* of version 2, from look to look */
	char text[32768]; /* not on the stack, which may be small (ulimit -s) */
};

static int probe_io(const struct collect *c, struct error *err)
{
	return cgroup_probe(c, CGROUP_IO, err);
}

/* Version 1: a 0 may be a device without a rule, and what it counts with one may count some requests twice. What comes after a 0 was all counted
 * since. */
static void put_v1(struct batch *out, unsigned row, int r, uint64_t n)
{
	if (r == 0 && n == 0) {
		begin_at_zero(out, row);
		r = -ENODATA;
	}
	put_result(out, row, r, n, ESTIMATE);
}

static void read_v1(struct collect *c, struct batch *out, enum cgroup_file file, unsigned row_read,
	unsigned row_write)
{
	struct io *s = c->state;
	uint64_t reads = 0;
	uint64_t writes = 0;
	ssize_t n = cgroup_file_read(c, file, s->text, sizeof(s->text));
	int r = n < 0 ? (int) n : cgroup_blkio_parse(s->text, (size_t) n, &reads, &writes);

	put_v1(out, row_read, r, reads);
	put_v1(out, row_write, r, writes);
}

static void put_reads(const struct collect *c, struct batch *out, unsigned row, int r, uint64_t n)
{
	const struct io *s = c->state;
	enum quality quality = cgroup_quality(c, CGROUP_IO, EXACT);

	if (r == 0 && cgroup_io_devices_in_doubt(&s->devices))
		quality = quality == EXACT ? LOWER_BOUND : ESTIMATE;
	put_result(out, row, r, n, quality);
}

/* Of what the job wrote some may come after it ended; of what others in its cgroup wrote before, some came while it ran. */
static void put_writes(const struct collect *c, struct batch *out, unsigned row, int r, uint64_t n)
{
	put_result(out, row, r, n,
		cgroup_quality(c, CGROUP_IO, EXACT) == EXACT ? LOWER_BOUND : ESTIMATE);
}

static int read_io(struct collect *c, struct batch *out)
{
	struct io *s = c->state;

	cgroup_reading_begin(c, out->now_ns);
	if (cgroup_file_version(c, CGROUP_FILE_IO_BYTES) == 1) {
		read_v1(c, out, CGROUP_FILE_IO_BYTES, READ_BYTES, WRITE_BYTES);
		read_v1(c, out, CGROUP_FILE_IO_OPERATIONS, READ_OPERATIONS, WRITE_OPERATIONS);
		return 0;
	}
	ssize_t n = cgroup_file_read(c, CGROUP_FILE_IO_BYTES, s->text, sizeof(s->text));
	int r = n < 0 ? (int) n
		      : cgroup_io_devices_look(&s->devices, c->roots,
				c->cgroup->place[CGROUP_IO].inode, s->text, (size_t) n);
	struct cgroup_io io = cgroup_io_devices_sum(&s->devices);
	put_reads(c, out, READ_BYTES, r, io.read_bytes);
	put_reads(c, out, READ_OPERATIONS, r, io.read_operations);
	put_writes(c, out, WRITE_BYTES, r, io.write_bytes);
	put_writes(c, out, WRITE_OPERATIONS, r, io.write_operations);
	return 0;
}

static void close_io(struct collect *c)
{
	struct io *s = c->state;

	cgroup_io_devices_done(&s->devices);
}

const struct collector cgroup_io_collector = { .name = "cgroup_io",
	.per_target = PER_CGROUP,
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.state_size = sizeof(struct io),
	.probe = probe_io,
	.tells_alone = true,
	.read = read_io,
	.close = close_io };
