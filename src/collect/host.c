/* SPDX-License-Identifier: MIT */
/* Shared memory of the whole machine: memory in tmpfs and memfd that no process has mapped shows in no process at all. */
#include "collect/host.h"

#include "base/macros.h"
#include "collect/collect.h"
#include "linux/host.h"

enum { SHARED_MEMORY, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[SHARED_MEMORY] = { .key = "host_shared_memory_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX | MIN | LAST, .quality = SAMPLED, .on = true,
		.origin = "sysinfo(2) sharedram", .help = "tmpfs, memfd and SysV memory of the whole machine, mapped or not, ours or not" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

/* The largest rise from any low: others who free theirs meanwhile must not hide what the job wrote. */
struct shared_memory {
	uint64_t low_bytes, rise_bytes;
};

static int open_host(struct collect *c, struct error *err)
{
	struct shared_memory *s = c->state;

	(void) err;
	s->low_bytes = host_shared_memory_bytes();
	return 0;
}

static int read_host(struct collect *c, struct batch *out)
{
	struct shared_memory *s = c->state;
	uint64_t now = host_shared_memory_bytes();

	if (now < s->low_bytes)
		s->low_bytes = now;
	if (now - s->low_bytes > s->rise_bytes)
		s->rise_bytes = now - s->low_bytes;
	put(out, NULL, SHARED_MEMORY, now);
	return 0;
}

const struct collector host_collector = { .name = "host",
	.rows = rows,
	.n_rows = N_ROWS,
	.asks_kernel = true,
	.state_size = sizeof(struct shared_memory),
	.open = open_host,
	.read = read_host };

uint64_t host_shared_rise_bytes(const struct collect *c)
{
	const struct shared_memory *s = collect_state(c, &host_collector);

	return s ? s->rise_bytes : 0;
}
