/* SPDX-License-Identifier: MIT */
/*
 * The #SBATCH lines of a batch script with another request in them. Only lines of memory, CPUs and time change, in place and in their own way of writing (--mem, -c,
 * --cpus-per-task, -t, --time); what is not there is added behind the last #SBATCH line (without one, behind the first line). All other bytes stay.
 */
#ifndef ASSAY_SIZE_SCRIPT_H
#define ASSAY_SIZE_SCRIPT_H

#include <stddef.h>

#include "size/size_forms.h"

struct buf;
struct error;

/*
 * Writes the changed script to `out`, and to `notes` a line (with its end) about each thing that was left alone or replaced with care, such as --mem-per-cpu. 0; -EINVAL with
 * a line that names what is no batch script or cannot be changed without doubt (two --mem lines, a request in a heterogeneous job); -ENOMEM. Of an option that is given twice
 * sbatch takes the last, but sbatch(1) does not say so; and it refuses --mem beside --mem-per-cpu: both are doubts. So are lines of #PBS or #BSUB, unless --ignore-pbs is there.
 */
int size_script_change(const char *script, size_t n, const struct size_ask *ask, struct buf *out,
	struct buf *notes, struct error *err);
/* The lines that differ, as `diff -u` shows them, with three lines around. */
int size_script_difference(
	const char *name, const struct buf *old, const struct buf *new_one, struct buf *out);

#endif
