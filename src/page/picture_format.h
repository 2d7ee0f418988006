/* SPDX-License-Identifier: MIT */
/* The formats that a picture can be written in: a row each. To add one: a function of the kind picture_write, and a row in picture_format.c. */
#ifndef ASSAY_PAGE_PICTURE_FORMAT_H
#define ASSAY_PAGE_PICTURE_FORMAT_H

#include "picture/picture_look.h"

struct picture_format {
	const char *name; /* what names of files end in, without the dot: "png" */
	picture_write *write;
};

extern const struct picture_format
	picture_formats[]; /* the last has the name NULL; there is one at least */

/* By the end of a file's name, whatever its case; NULL. */
const struct picture_format *picture_format_of(const char *file);
/* Adds ".html, .pdf, .png, .svg, .txt". */
struct buf;
void picture_format_names(struct buf *out);

#endif
