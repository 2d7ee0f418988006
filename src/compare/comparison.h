/* SPDX-License-Identifier: MIT */
/* A table that sets all sources of a quantity side by side. */
#ifndef ASSAY_COMPARE_COMPARISON_H
#define ASSAY_COMPARE_COMPARISON_H

struct assay_run_info;
struct buf;

/* Adds one block a quantity of which several sources were read, when measurements were chosen by whoever ran the job; else nothing. */
void report_comparison(const struct assay_run_info *info, int color, struct buf *out);

#endif
