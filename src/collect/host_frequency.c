/* SPDX-License-Identifier: MIT */
/* How fast each processor runs. */
#include "linux/cpu_frequency.h"

#include <errno.h>
#include <stdio.h>

#include "base/macros.h"
#include "collect/collect.h"

enum { FREQUENCY, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[FREQUENCY] = { .quantity = "host_frequency", .rank = 1, .key = "host_cpu_frequency_hertz", .kind = GAUGE, .unit = HERTZ, .scope = DEVICE, .reduce = MAX | MIN | MEAN, .quality = SAMPLED,
		.cost = COSTLY, .origin = "/sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq, else /proc/cpuinfo cpu MHz",
		.help = "frequency of one processor now; on many virtual machines the nominal one; on older x86 kernels a reading may take 10 ms a processor" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_host_frequency(const struct collect *c, struct error *err)
{
	return cpu_frequency_probe(c->roots, err);
}

static bool put_frequency(unsigned number, uint64_t hertz, int error, void *context)
{
	struct batch *out = context;
	char name[24];

	snprintf(name, sizeof(name), "cpu%u", number);
	if (hertz)
		put_device(out, "clock", name, FREQUENCY, hertz);
	else
		put_device_absent(out, "clock", name, FREQUENCY, error ? error : ENODATA);
	return true;
}

static int read_host_frequency(struct collect *c, struct batch *out)
{
	return cpu_frequency_each(c->roots, put_frequency, out);
}

const struct collector host_frequency_collector = { .name = "host_frequency",
	.rows = rows,
	.n_rows = N_ROWS,
	.probe = probe_host_frequency,
	.tells_alone = true,
	.read = read_host_frequency };
