/* SPDX-License-Identifier: MIT */
/* The temperature sensors of the machine. */
#include "linux/temperature.h"

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

/* Listed by the probe, since listing allocates: what is plugged in later is not seen. */
static struct sensor sensors[N_SENSORS_MAX];
static size_t n_sensors;

static int probe_host_temperature(const struct collect *c, struct error *err)
{
	return sensors_list(c->roots, sensors, N_SENSORS_MAX, &n_sensors, err);
}

static int read_host_temperature(struct collect *c, struct batch *out)
{
	for (size_t i = 0; i < n_sensors; i++) {
		uint64_t value;
		int r = sensor_read(c->roots, &sensors[i], &value);

		if (r < 0)
			put_device_absent(out, "sensor", sensors[i].name, TEMPERATURE, r);
		else
			put_device(out, "sensor", sensors[i].name, TEMPERATURE, value);
	}
	return 0;
}

const struct collector host_temperature_collector = { .name = "host_temperature",
	.rows = rows,
	.n_rows = N_ROWS,
	.probe = probe_host_temperature,
	.tells_alone = true,
	.read = read_host_temperature };
