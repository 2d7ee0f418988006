/* SPDX-License-Identifier: MIT */
/*
 * What past requests asked for, what of it was used and what was lost: core-hours and GiB-hours, by command, the most lost first. Used memory is the peak times the time, because
 * a request cannot follow the job's course; all of a run that had to end too early is lost: of what it used, nothing is in `used`.
 *
 * Sums are of runs of which both the request and the use are known (of one that failed: the request and its time), so that they can be set against each other.
 */
#ifndef ASSAY_SIZE_WASTE_H
#define ASSAY_SIZE_WASTE_H

#include <stdbool.h>
#include <stddef.h>

#include "size/size_run.h"

struct buf;

#define SIZE_NO_SHAPE "(not known)" /* no shape of a command: that would have quotes */

struct size_waste_row {
	char *shape; /* of the command, or "(not known)"; owned */
	char *example; /* a command of it, or NULL; owned */
	size_t runs, failed, without_memory_request, without_cpu_request, unmeasured;
	size_t running; /* of `runs`; they are in no sum, and not among those without a request */
	size_t shared; /* that had what their job of Slurm asked for together with others here: it counts once */
	size_t memory_of_one_node; /* whose memory was asked for by the node, and counts once because the number of nodes is not told */
	size_t core_runs, gib_runs,
		hours_runs; /* that are in the sums; 0: nothing is known, not 0 */
	double core_hours_asked, core_hours_used;
	/* Lost is the difference, run by run: one that used more than it asked for makes up for no other. */
	double core_hours_lost,
		core_hours_failed; /* the latter: of it, what was lost with runs that failed, were cut off or lost */
	double gib_hours_asked, gib_hours_used;
	double gib_hours_lost, gib_hours_failed;
	double hours_asked,
		hours_used; /* of wall time, of those that had a time limit; never a loss to others, shown as such */
	bool used_is_at_least; /* some source may have missed some */
	bool cores_at_least, gib_at_least; /* which of them */
};

struct size_waste {
	struct size_waste_row *rows;
	size_t n;
	struct size_waste_row all; /* without a shape */
	size_t nested; /* that ran inside others here, and are in no row */
	size_t *slots; /* by a hash of the shape, the number of a row + 1; of size_waste.c alone */
	size_t n_slots;
};

/* Those that ran inside others of them are left out; what a job of Slurm asked for counts once for the time of all its runs. 0 or -ENOMEM. */
int size_waste_add_all(struct size_waste *waste, const struct size_run *runs, size_t n);
/* One alone. 0 or -ENOMEM. */
int size_waste_add(struct size_waste *waste, const struct size_run *run);
/* By what was lost, in parts of all that was asked for, cores and memory alike. */
void size_waste_sort(struct size_waste *waste);
void size_waste_done(struct size_waste *waste);

/* Within `width` columns (60 or more), at most `limit` rows (0: all). */
void size_waste_text(const struct size_waste *waste, size_t width, size_t limit, struct buf *out);
/* schema/assay-waste.schema.json */
void size_waste_json(const struct size_waste *waste, struct buf *out);

#endif
