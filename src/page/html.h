/* SPDX-License-Identifier: MIT */
/* Runs and pictures as one HTML file that needs nothing else: no other file, no network, and no script to be read. */
#ifndef ASSAY_PAGE_HTML_H
#define ASSAY_PAGE_HTML_H

#include <stddef.h>

#include "picture/picture_look.h"

struct buf;
struct error;
struct stored_run;

/* The report of a run, or of several side by side. `picture`: of the same runs in the same order, or NULL where there is nothing to draw. Adds the page; 0 or -ENOMEM
 * with a line. */
int html_report(const struct stored_run *const *runs, size_t n, const struct picture *picture,
	struct buf *out, struct error *err);

/* The charts alone: the format "html" of pictures. */
picture_write html_picture;

#endif
