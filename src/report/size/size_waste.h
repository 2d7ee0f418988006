/* SPDX-License-Identifier: MIT */
/*
 * What past requests asked for, what of it was used and what was lost: core-hours and GiB-hours, by command, the most lost first. Used memory is the peak times the time, because
 * a request cannot follow the job's course; all of a run that had to end too early is lost.
 */
#ifndef ASSAY_REPORT_SIZE_WASTE_H
#define ASSAY_REPORT_SIZE_WASTE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/size/size_run.h"

struct buf;

struct size_waste_row {
	char *shape; /* of the command, or "(not known)"; owned */
	char *example; /* a command of it, or NULL; owned */
	size_t runs, failed, without_memory_request, without_cpu_request, unmeasured;
	double core_hours_asked, core_hours_used; /* lost is the difference */
	double gib_hours_asked, gib_hours_used;
	double hours_asked,
		hours_used; /* of wall time, of those that had a time limit; never a loss to others, shown as such */
	bool used_is_at_least; /* some source may have missed some */
};

struct size_waste {
	struct size_waste_row *rows;
	size_t n;
	struct size_waste_row all; /* without a shape */
};

/* 0 or -ENOMEM. */
int size_waste_add(struct size_waste *waste, const struct size_run *run);
/* By what was lost, in parts of all that was asked for, cores and memory alike. */
void size_waste_sort(struct size_waste *waste);
void size_waste_done(struct size_waste *waste);

/* Within `width` columns, at most `limit` rows (0: all); JSON by the measurement's names. */
void size_waste_text(const struct size_waste *waste, size_t width, size_t limit, struct buf *out);
void size_waste_json(const struct size_waste *waste, struct buf *out);

#endif
