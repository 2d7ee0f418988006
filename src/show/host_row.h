/* SPDX-License-Identifier: MIT */
/* The summary's line on who else used the machine. */
#ifndef ASSAY_SHOW_HOST_ROW_H
#define ASSAY_SHOW_HOST_ROW_H

struct assay_run_info;
struct page;

/* Adds the line when others, or the hypervisor, took more than one part in twenty of the machine: the job may have had to wait. */
void host_row(struct page *p, const struct assay_run_info *info);

#endif
