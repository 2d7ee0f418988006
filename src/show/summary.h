/* SPDX-License-Identifier: MIT */
/* The few lines a person reads when a run ends. */
#ifndef ASSAY_SHOW_SUMMARY_H
#define ASSAY_SHOW_SUMMARY_H

struct assay_run_info;
struct buf;

/* Adds the summary: short, aligned, at most 80 columns wide where names allow, no trailing blank; every number with its mark.
 * `color` as the caller decided. */
void report_summary(const struct assay_run_info *info, int color, struct buf *out);

#endif
