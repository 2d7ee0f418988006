/* SPDX-License-Identifier: MIT */
/* What a request for memory has in it beside what was measured: amounts that add up. */
#include <stdint.h>

#include "base/buf.h"
#include "base/units.h"
#include "size/size_plan.h"

static void add_bytes(double bytes, struct buf *line)
{
	char text[UNITS_TEXT_SIZE];

	format_bytes((uint64_t) bytes, text);
	buf_add_text(line, text);
}

/* "The request is 146 MiB of a run, and 14.6 MiB that it may have missed, 7.2 MiB that the kernel takes, which is 168 MiB, times 1.6, and ..." */
static void add_sum(const struct size_part *part, struct buf *line)
{
	const struct size_bound *b = &part->bound;

	buf_add_text(line, "The request is ");
	add_bytes(part->measured_part, line);
	buf_add_text(line, " of a run");
	if (part->missed_part > 0) {
		buf_add_text(line, " and ");
		add_bytes(part->missed_part, line);
		buf_add_text(line, " that it may have missed");
	}
	if (part->kernel_part > 0) {
		buf_add_text(line, " and ");
		add_bytes(part->kernel_part, line);
		buf_add_text(line, " that the kernel takes");
	}
	if (part->missed_part > 0 || part->kernel_part > 0) {
		buf_add_text(line, ", which is ");
		add_bytes(b->stands_on, line);
	}
	if (b->margin > 1 + 1e-9)
		buf_addf(line, ", times %.3g", b->margin);
	buf_add_text(line, ", and ");
}

static void add_added(const struct size_part *part, struct buf *line)
{
	bool sums = part->measured_part > 0 && part->n_requests < 2;

	if (sums) {
		add_sum(part, line);
	} else {
		buf_add_text(line, "On top of it: ");
		if (part->missed > 0)
			buf_addf(line, "what %s may have missed, ",
				part->measured == 1 ? "it" : "some");
		if (part->of_processes > 0)
			buf_add_text(line, "what the kernel takes, ");
	}
	add_bytes(part->around, line);
	buf_addf(line, " for what is around the job (shell, scheduler, assay)%s.",
		sums ? ", rounded up" : "");
}

/* What is in the numbers that no process has in memory. */
static void add_beside(const struct size_part *part, struct buf *line)
{
	if (part->shared > 0) {
		buf_add_text(line, "In it: up to ");
		add_bytes(part->shared, line);
		buf_add_text(line, " of shared memory (tmpfs, memfd) that came during a run and "
				   "that no process had mapped, taken as the job's own. ");
	}
	if (part->swapped > 0) {
		buf_add_text(line, "In it: up to ");
		add_bytes(part->swapped, line);
		buf_add_text(line, " that was swapped out at the most. ");
	}
}

void size_plan_say_added(const struct size_part *part, struct buf *line)
{
	add_beside(part, line);
	add_added(part, line);
}
