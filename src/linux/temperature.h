/* SPDX-License-Identifier: MIT */
/* Temperature sensors: thermal zones and the hardware monitors' own. */
#ifndef ASSAY_LINUX_TEMPERATURE_H
#define ASSAY_LINUX_TEMPERATURE_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct roots;

struct sensor {
	char name
		[64]; /* "thermal_zone0 x86_pkg_temp", "hwmon2 coretemp temp1 Package id 0": unique, and what it is */
	char path[96]; /* below /sys */
};

/* Lists sensors in the order of their names; *ret_n of them, at most `size` (the rest is left out). Allocates, so it is done once. -ENOENT when
 * there are none. */
int sensors_list(
	const struct roots *r, struct sensor *list, size_t size, size_t *ret_n, struct error *err);
/* Thousandths of a degree Celsius. -ERANGE below zero, which no working machine has and many a loose sensor shows; -ENODATA for
 * what is no number. */
int sensor_read(const struct roots *r, const struct sensor *s, uint64_t *ret);
int temperature_parse(const char *text, size_t n, uint64_t *ret);

#endif
