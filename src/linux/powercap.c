/* SPDX-License-Identifier: MIT */
/* Finds the zones of powercap that count energy and reads them. */
#include "linux/powercap.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define CLASS "class/powercap"

int powercap_number_parse(const char *text, size_t n, uint64_t *ret)
{
	const char *at = text;
	const char *end = text + n;
	uint64_t number;

	if (!scan_u64(&at, end, &number) || !scan_char(&at, end, '\n') || at != end)
		return -EINVAL;
	*ret = number;
	return 0;
}

static int read_number(const struct roots *roots, const char *zone, const char *file, uint64_t *ret)
{
	char path[128];
	char text[32];

	(void) snprintf(path, sizeof(path), CLASS "/%s/%s", zone, file);
	ssize_t n = read_root_file(roots->sys, path, text, sizeof(text));
	return n < 0 ? (int) n : powercap_number_parse(text, (size_t) n, ret);
}

int powercap_read(const struct roots *roots, const struct powercap_domain *d, uint64_t *ret_uj)
{
	return read_number(roots, d->zone, "energy_uj", ret_uj);
}

static bool read_name(const struct roots *roots, const char *zone, char *name)
{
	char path[128];
	char text[128];

	(void) snprintf(path, sizeof(path), CLASS "/%s/name", zone);
	ssize_t n = read_root_file(roots->sys, path, text, sizeof(text));
	if (n <= 0)
		return false;
	size_t length = strcspn(text, "\n");
	if (length >= POWERCAP_NAME_SIZE)
		length = POWERCAP_NAME_SIZE - 1;
	memcpy(name, text, length);
	name[length] = '\0';
	return name[0] != '\0';
}

/* "intel-rapl:0:1" is a part of "intel-rapl:0". */
static void read_parent(const struct roots *roots, struct powercap_domain *d)
{
	char zone[sizeof(d->zone)];
	char *colon;

	memcpy(zone, d->zone, sizeof(zone));
	colon = strrchr(zone, ':');
	if (!colon || strchr(zone, ':') == colon)
		return;
	*colon = '\0';
	(void) read_name(roots, zone, d->parent);
}

/* False for what is no zone with a counter: the control types themselves, and zones that only limit. */
static bool read_domain(const struct roots *roots, const char *zone, struct powercap_domain *ret)
{
	struct powercap_domain d = { 0 };
	uint64_t energy_uj;

	if (!strchr(zone, ':') || strlen(zone) >= sizeof(d.zone))
		return false;
	(void) snprintf(d.zone, sizeof(d.zone), "%s", zone);
	if (!read_name(roots, zone, d.name))
		return false;
	int r = powercap_read(roots, &d, &energy_uj);
	if (r == -ENOENT)
		return false;
	if (read_number(roots, zone, "max_energy_range_uj", &d.range_uj) < 0)
		d.range_uj = 0;
	d.memory_mapped = strstr(zone, "-mmio:") != NULL;
	read_parent(roots, &d);
	*ret = d;
	return true;
}

static int by_zone(const void *a, const void *b)
{
	const struct powercap_domain *x = a;
	const struct powercap_domain *y = b;

	return strverscmp(x->zone, y->zone);
}

int powercap_list(const struct roots *roots, struct powercap_domain *list, size_t size)
{
	int fd = root_file(roots->sys, CLASS);
	size_t n = 0;

	if (fd < 0)
		return fd;
	DIR *directory = fdopendir(fd);
	if (!directory) {
		int error = -errno;
		close(fd);
		return error;
	}
	for (struct dirent *entry; n < size && (entry = readdir(directory));)
		n += read_domain(roots, entry->d_name, &list[n]);
	closedir(directory);
	qsort(list, n, sizeof(*list), by_zone);
	return n > 0 ? (int) n : -ENOENT;
}

/* Of the first counter that may be read, or of the last one. */
static int read_any(const struct roots *roots, struct powercap_domain *ret)
{
	/* Not on the stack, which may be small (ulimit -s). */
	struct powercap_domain *list = calloc(POWERCAP_DOMAINS_MAX, sizeof(*list));
	if (!list)
		return -ENOMEM;
	int n = powercap_list(roots, list, POWERCAP_DOMAINS_MAX);
	int r = n < 0 ? n : -ENOENT;

	for (int i = 0; i < n && r != 0; i++) {
		uint64_t energy_uj;

		*ret = list[i];
		r = powercap_read(roots, ret, &energy_uj);
	}
	free(list);
	return r;
}

int powercap_probe(const struct roots *roots, struct error *err)
{
	struct powercap_domain d = { 0 };
	int r = read_any(roots, &d);

	if (r == 0)
		return 0;
	if (!d.zone[0])
		return error_say(err, r,
			"there are no energy counters in /sys/class/powercap: a virtual machine "
			"seldom has any; on "
			"hardware of Intel or AMD the kernel module intel_rapl_msr would help");
	if (r == -EACCES)
		return error_say(err, r,
			"the energy counters (/sys/class/powercap/%s/energy_uj) are for root only "
			"since Linux 5.10: "
			"running as root, CAP_DAC_READ_SEARCH, or chmod a+r on them would help",
			d.zone);
	return error_set(err, r, "cannot read the energy counter of %s", d.zone);
}

int powercap_growth(uint64_t before_uj, uint64_t now_uj, uint64_t range_uj, uint64_t *ret_uj)
{
	if (now_uj >= before_uj) {
		*ret_uj = now_uj - before_uj;
		return 0;
	}
	if (range_uj == 0 || before_uj > range_uj)
		return -ERANGE;
	*ret_uj = range_uj - before_uj + now_uj;
	return 0;
}
