/* SPDX-License-Identifier: MIT */
/* Shared memory of the whole machine: memory in tmpfs and memfd that no process has mapped shows in no process at all. */
#include "linux/host.h"
#include "base/macros.h"
#include "collect/collect.h"

enum { SHARED_MEMORY, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[SHARED_MEMORY] = { .key = "host_shared_memory_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX | MIN | LAST, .quality = SAMPLED, .on = true,
		.origin = "sysinfo(2) sharedram", .help = "tmpfs, memfd and SysV memory of the whole machine, mapped or not, ours or not" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int read_host(struct collect *c, struct batch *out)
{
	uint64_t now = host_shared_memory_bytes();

	/* The largest rise from any low: others who free theirs meanwhile must not hide what the job wrote. */
	if (now < c->shared_low_bytes)
		c->shared_low_bytes = now;
	if (now - c->shared_low_bytes > c->shared_rise_bytes)
		c->shared_rise_bytes = now - c->shared_low_bytes;
	put(out, NULL, SHARED_MEMORY, now);
	return 0;
}

const struct collector host_collector = {
	.name = "host", .rows = rows, .n_rows = N_ROWS, .asks_kernel = true, .read = read_host
};
