/* SPDX-License-Identifier: MIT */
/* The devices of a run: processors, disks, interfaces, energy domains; each with the accumulators of the rows of its collector. */
#ifndef ASSAY_COLLECT_DEVICES_H
#define ASSAY_COLLECT_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/record.h"

struct measures;

/* More are not kept: a machine of so many has its totals. */
#define N_DEVICES_MAX 4096

struct devices {
	const struct measures *measures;
	int *column; /* per row: its place among a device's accumulators, or -1 */
	size_t *n_columns; /* per collector */
	size_t n_collectors;
	struct device_record *list; /* with the accumulators of the present window */
	size_t n, capacity;
	size_t refused; /* readings of devices that could not be entered: out of memory or too many */
	size_t found; /* where the latest was: readings come in the order of the devices */
};

/* 0 or -ENOMEM. */
int devices_init(struct devices *d, const struct measures *measures, size_t n_collectors);
void devices_done(struct devices *d);
/* The device of that name, entered when it is new; NULL when it cannot be. `collector` is the index of the row's. */
struct device_record *devices_get(
	struct devices *d, int collector, const char *kind, const char *name);
/* Drops the devices of a collector whose names `keep` does not want kept: their place is for new ones. */
void devices_keep(struct devices *d, int collector, bool (*keep)(const char *name, void *context),
	void *context);
/* Opens the next window for all. */
void devices_next_window(struct devices *d, uint64_t now_ns);

#endif
