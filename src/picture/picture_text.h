/* SPDX-License-Identifier: MIT */
/* A picture drawn with characters, for the terminal. */
#ifndef ASSAY_PICTURE_PICTURE_TEXT_H
#define ASSAY_PICTURE_PICTURE_TEXT_H

#include "picture/picture_look.h"

struct buf;

#define PICTURE_COLUMNS_MIN 40

void picture_text(const struct picture *p, const struct picture_look *look, struct buf *out);
/* The same into a file. */
picture_write picture_write_text;

#endif
