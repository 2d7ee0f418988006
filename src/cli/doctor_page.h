/* SPDX-License-Identifier: MIT */
/* What `assay doctor` shows to people. */
#ifndef ASSAY_CLI_DOCTOR_PAGE_H
#define ASSAY_CLI_DOCTOR_PAGE_H

#include <stdbool.h>

struct assay_error;
struct assay_look_options;
struct buf;

/* Looks with these options and adds the page. 0, or what assay_look() returned. */
int doctor_page(const struct assay_look_options *options, bool readings, struct buf *out,
	struct assay_error *failure);

#endif
