/* SPDX-License-Identifier: MIT */
/* Fields of CSV, the same for all that writes it. */
#ifndef ASSAY_BASE_CSV_QUOTE_H
#define ASSAY_BASE_CSV_QUOTE_H

#include <stddef.h>

struct buf;

/* A field of RFC 4180: in quotes where it must be. Tabs and ends of lines stay; what else a terminal would obey, and bytes that are no
 * character, are written as text_add_quoted_printable() does: \e, \x0d. */
void csv_add_field(struct buf *out, const char *text, size_t n);

#endif
