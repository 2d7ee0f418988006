/* SPDX-License-Identifier: MIT */
/* Our own cost: what the recorder itself uses. */
#include <errno.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "linux/host.h"
#include "linux/kept_file.h"

enum { CPU_SECONDS, HWM, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[CPU_SECONDS] = { .key = "self_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true, .minimal = true,
		.origin = "getrusage(RUSAGE_SELF) + CPU clocks of the keeper and the pumps", .help = "CPU time of the recorder; not part of the job" },
	[HWM] = { .key = "self_hwm_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = LAST, .quality = EXACT, .on = true, .minimal = true,
		.origin = "/proc/self/status VmHWM", .help = "peak resident memory of the recorder" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int read_self(struct collect *c, struct batch *out)
{
	put(out, NULL, CPU_SECONDS, host_own_cpu_ns() - c->self_before_ns + c->helpers_cpu_ns);
	uint64_t peak_bytes = host_own_peak_bytes(c->roots, c->state);

	if (peak_bytes > 0)
		put(out, NULL, HWM, peak_bytes);
	else
		put_absent(out, NULL, HWM, ENOENT);
	return 0;
}

static void close_self(struct collect *c)
{
	kept_file_close(c->state);
}

const struct collector self_collector = { .name = "self",
	.rows = rows,
	.n_rows = N_ROWS,
	.state_size = sizeof(struct kept_file),
	.read = read_self,
	.close = close_self };
