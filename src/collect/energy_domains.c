/* SPDX-License-Identifier: MIT */
/* Follows the energy counters of the processor round their ranges. */
#include "collect/energy_domains.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static uint8_t kind_of(const char *name)
{
	/* "package-0", or "package-0-die-1" where a package has several */
	if (starts_with(name, "package-"))
		return ENERGY_PACKAGE;
	if (strcmp(name, "core") == 0)
		return ENERGY_CORE;
	if (strcmp(name, "dram") == 0)
		return ENERGY_DRAM;
	return strcmp(name, "psys") == 0 ? ENERGY_PSYS : ENERGY_OTHER;
}

static bool is_same(const struct energy_domain *a, const struct energy_domain *b)
{
	return strcmp(a->zone.name, b->zone.name) == 0 &&
	       strcmp(a->zone.parent, b->zone.parent) == 0;
}

/* The memory-mapped interface shows the package's counter once more: it counts only where the other cannot be read. */
static void choose_ways(struct energy_domains *e, const struct roots *roots)
{
	for (size_t i = 0; i < e->n; i++) {
		struct energy_domain *d = &e->domains[i];

		d->counts = true;
		for (size_t k = 0; d->zone.memory_mapped && k < e->n; k++) {
			uint64_t energy_uj;
			if (!e->domains[k].zone.memory_mapped && is_same(d, &e->domains[k]))
				d->counts =
					powercap_read(roots, &e->domains[k].zone, &energy_uj) < 0;
		}
	}
	for (size_t i = 0; i < e->n; i++)
		for (size_t k = 0; e->domains[i].zone.memory_mapped && k < e->n; k++)
			if (!e->domains[k].zone.memory_mapped && e->domains[i].counts &&
				is_same(&e->domains[i], &e->domains[k]))
				e->domains[k].counts = false;
}

static void list_domains(struct energy_domains *e, const struct roots *roots)
{
	/* Not on the stack, which may be small (ulimit -s); it is the look before the job begins. */
	struct powercap_domain *zones = calloc(POWERCAP_DOMAINS_MAX, sizeof(*zones));
	int n = zones ? powercap_list(roots, zones, POWERCAP_DOMAINS_MAX) : -ENOMEM;

	e->listed = true;
	e->list_error = n < 0 ? -n : 0;
	for (int i = 0; i < n; i++) {
		const struct powercap_domain *z = &zones[i];
		struct energy_domain d = { .zone = *z, .kind = kind_of(z->name) };

		(void) snprintf(d.label, sizeof(d.label), "%s%s%s%s", z->parent,
			z->parent[0] ? "/" : "", z->name, z->memory_mapped ? "/mmio" : "");
		e->domains[e->n++] = d;
	}
	free(zones);
	choose_ways(e, roots);
}

/* At the power used so far, or twice that, could the counter have gone round within the step? */
static bool may_have_gone_round(const struct energy_domain *d, uint64_t growth_uj, uint64_t now_ns)
{
	double before_s = (double) (d->last_ns - d->since_ns) / 1e9;
	double step_s = (double) (now_ns - d->last_ns) / 1e9;
	double power = before_s > 0 ? (double) d->used_uj / before_s : 0;

	return d->zone.range_uj > 0 &&
	       2 * power * step_s >= (double) d->zone.range_uj + (double) growth_uj;
}

void energy_take(
	struct energy_domains *e, struct energy_domain *d, uint64_t now_uj, uint64_t now_ns)
{
	uint64_t growth_uj;

	if (!d->begun) {
		d->begun = true;
		d->since_ns = now_ns;
	} else if (powercap_growth(d->last_uj, now_uj, d->zone.range_uj, &growth_uj) == 0) {
		e->wraps += now_uj < d->last_uj;
		e->doubtful += may_have_gone_round(d, growth_uj, now_ns);
		d->used_uj += growth_uj;
	} else {
		/* Began anew without a range that tells how far it had come. */
		e->doubtful++;
		d->used_uj += now_uj;
	}
	d->last_uj = now_uj;
	d->last_ns = now_ns;
}

int energy_look(struct energy_domains *e, const struct roots *roots, uint64_t now_ns)
{
	if (!e->listed)
		list_domains(e, roots);
	for (size_t i = 0; i < e->n; i++) {
		struct energy_domain *d = &e->domains[i];
		uint64_t now_uj;

		d->error = -powercap_read(roots, &d->zone, &now_uj);
		if (d->error == 0)
			energy_take(e, d, now_uj, now_ns);
	}
	return -e->list_error;
}
