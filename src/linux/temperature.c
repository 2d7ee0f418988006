/* SPDX-License-Identifier: MIT */
/* Finds temperature sensors below /sys/class and reads them. */
#include "linux/temperature.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

struct list {
	const struct roots *roots;
	struct sensor *at;
	size_t n, size;
};

/* A word or line of a file without what would not print. "" when it cannot be read. */
static void read_label(const struct roots *r, const char *path, char *text, size_t size)
{
	ssize_t n = read_root_file(r->sys, path, text, size);

	if (n < 0)
		n = 0;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (char *c = text; *c; c++)
		if ((unsigned char) *c < ' ' || (unsigned char) *c > '~')
			*c = '?';
}

static DIR *open_directory(const struct roots *r, const char *path)
{
	int fd = r->sys < 0 ? -1 : openat(r->sys, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* The number of "PREFIX12SUFFIX", or -1. */
static int number_in(const char *name, const char *prefix, const char *suffix)
{
	size_t size = strlen(prefix);
	const char *at = name + size;
	int number;

	if (strncmp(name, prefix, size) != 0 || *at == '-' ||
		!scan_int(&at, name + strlen(name), &number) || strcmp(at, suffix) != 0)
		return -1;
	return number;
}

static void add(struct list *l, const char *path, const char *place, const char *what)
{
	if (l->n >= l->size)
		return;
	struct sensor *s = &l->at[l->n++];
	snprintf(s->path, sizeof(s->path), "%s", path);
	snprintf(s->name, sizeof(s->name), "%.30s%s%.32s", place, *what ? " " : "", what);
}

static void list_zones(struct list *l)
{
	DIR *d = open_directory(l->roots, "class/thermal");

	for (struct dirent *e; d && (e = readdir(d));) {
		int zone = number_in(e->d_name, "thermal_zone", "");
		char path[96];
		char place[32];
		char type[64];

		if (zone < 0)
			continue;
		snprintf(path, sizeof(path), "class/thermal/thermal_zone%d/type", zone);
		read_label(l->roots, path, type, sizeof(type));
		snprintf(path, sizeof(path), "class/thermal/thermal_zone%d/temp", zone);
		snprintf(place, sizeof(place), "thermal_zone%d", zone);
		add(l, path, place, type);
	}
	if (d)
		closedir(d);
}

/* The temperatures of one monitor; its files stand in its directory or, with old drivers, in "device" below it. */
static void list_monitor(struct list *l, int monitor, const char *below)
{
	char directory[48];
	char path[96];
	char chip[32];

	snprintf(directory, sizeof(directory), "class/hwmon/hwmon%d%s", monitor, below);
	DIR *d = open_directory(l->roots, directory);
	snprintf(path, sizeof(path), "%s/name", directory);
	read_label(l->roots, path, chip, sizeof(chip));
	for (struct dirent *e; d && (e = readdir(d));) {
		int number = number_in(e->d_name, "temp", "_input");
		char place[64];
		char label[64];

		if (number < 0)
			continue;
		snprintf(path, sizeof(path), "%s/temp%d_label", directory, number);
		read_label(l->roots, path, label, sizeof(label));
		snprintf(path, sizeof(path), "%s/temp%d_input", directory, number);
		snprintf(place, sizeof(place), "hwmon%d %.12s temp%d", monitor, chip, number);
		add(l, path, place, label);
	}
	if (d)
		closedir(d);
}

static void list_monitors(struct list *l)
{
	DIR *d = open_directory(l->roots, "class/hwmon");

	for (struct dirent *e; d && (e = readdir(d));) {
		int monitor = number_in(e->d_name, "hwmon", "");
		size_t before = l->n;

		if (monitor < 0)
			continue;
		list_monitor(l, monitor, "");
		if (l->n == before)
			list_monitor(l, monitor, "/device");
	}
	if (d)
		closedir(d);
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct sensor *) a)->name, ((const struct sensor *) b)->name);
}

int sensors_list(
	const struct roots *r, struct sensor *list, size_t size, size_t *ret_n, struct error *err)
{
	struct list l = { .roots = r, .at = list, .size = size };

	list_zones(&l);
	list_monitors(&l);
	qsort(list, l.n, sizeof(*list), by_name);
	*ret_n = l.n;
	if (l.n > 0)
		return 0;
	return error_say(err, -ENOENT,
		"no temperature sensor below /sys/class/thermal and /sys/class/hwmon: virtual "
		"machines and containers "
		"rarely have one, others need the driver (coretemp, k10temp)");
}

int temperature_parse(const char *text, size_t n, uint64_t *ret)
{
	const char *end = text + n;
	int value;

	if (!scan_int(&text, end, &value) || (text < end && *text != '\n'))
		return -ENODATA;
	if (value < 0)
		return -ERANGE;
	*ret = (uint64_t) value;
	return 0;
}

int sensor_read(const struct roots *r, const struct sensor *s, uint64_t *ret)
{
	char text[32];
	AUTO_CLOSE int fd = root_file(r->sys, "%s", s->path);

	if (fd < 0)
		return fd;
	/* A sensor that sleeps or is broken fails the read itself: EAGAIN, EIO, ENODATA. */
	ssize_t n = read_kernel_record(fd, text, sizeof(text));
	return n < 0 ? (int) n : temperature_parse(text, (size_t) n, ret);
}
