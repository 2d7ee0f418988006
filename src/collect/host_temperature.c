/* SPDX-License-Identifier: MIT */
/* The temperature sensors of the machine. */
#include "linux/temperature.h"

#include <errno.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"

#define N_SENSORS_MAX 256

enum { TEMPERATURE, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[TEMPERATURE] = { .quantity = "host_temperature", .rank = 1, .key = "host_temperature_celsius", .kind = GAUGE, .unit = CELSIUS, .scope = DEVICE, .reduce = MAX | MIN | MEAN, .quality = SAMPLED,
		.cost = COSTLY, .origin = "/sys/class/thermal/thermal_zone*/temp, /sys/class/hwmon/hwmon*/temp*_input", .help = "one temperature sensor; below zero it is absent" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_host_temperature(const struct collect *c, struct error *err)
{
	struct sensor first;
	size_t n;

	return sensors_list(c->roots, &first, 1, &n, err);
}

struct sensors {
	size_t n;
	struct sensor list[N_SENSORS_MAX];
};

/* Listing allocates: what is plugged in later is not seen. */
static int open_host_temperature(struct collect *c, struct error *err)
{
	struct sensors *t = c->state;

	return sensors_list(c->roots, t->list, N_SENSORS_MAX, &t->n, err);
}

static int read_host_temperature(struct collect *c, struct batch *out)
{
	const struct sensors *t = c->state;

	for (size_t i = 0; i < t->n; i++) {
		uint64_t value;
		int r = sensor_read(c->roots, &t->list[i], &value);

		if (r < 0)
			put_device_absent(out, "sensor", t->list[i].name, TEMPERATURE, r);
		else
			put_device(out, "sensor", t->list[i].name, TEMPERATURE, value);
	}
	return 0;
}

const struct collector host_temperature_collector = { .name = "host_temperature",
	.rows = rows,
	.n_rows = N_ROWS,
	.state_size = sizeof(struct sensors),
	.probe = probe_host_temperature,
	.open = open_host_temperature,
	.tells_alone = true,
	.read = read_host_temperature };
