/* SPDX-License-Identifier: MIT */
/* What holds of every text for a terminal: no line passes its width, the last one ends, and no byte commands the terminal. */
#ifndef ASSAY_FUZZ_PAGE_CHECK_H
#define ASSAY_FUZZ_PAGE_CHECK_H

#include <string.h>

#include "base/buf.h"
#include "feed.h"
#include "text/wrap.h"

static inline void page_check(const struct buf *out, size_t columns)
{
	must(!out->failed);
	for (size_t at = 0; at < out->len;) {
		const char *line = out->data + at;
		size_t n = strcspn(line, "\n");

		must(at + n < out->len); /* no NUL, and the last line ends, too */
		must(text_columns(line, n) <= columns);
		for (size_t i = 0; i < n; i++)
			must((unsigned char) line[i] >= 0x20 && line[i] != 0x7f);
		at += n + 1;
	}
}

#endif
