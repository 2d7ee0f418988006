/* SPDX-License-Identifier: MIT */
/* A growing byte buffer. It is cleared and used again, so that a loop which reuses one stops allocating. */
#ifndef ASSAY_BASE_BUF_H
#define ASSAY_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"

struct buf {
	char *data; /* always NUL-terminated once anything was added; the NUL is not in len */
	size_t len;
	size_t capacity;
	bool failed; /* memory ran out: the content is incomplete and must not be used */
};

/* Adds bytes, one byte, a string, formatted text. On lack of memory `failed` is set and nothing is added. */
void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_add_char(struct buf *b, char c);
void buf_add_text(struct buf *b, const char *text);
void buf_addf(struct buf *b, const char *format, ...) PRINTF_LIKE(2, 3);

/* Makes room for `n` more bytes; false when memory ran out. */
bool buf_reserve(struct buf *b, size_t n);

/* Empties the buffer and keeps its memory; also clears `failed`. */
void buf_clear(struct buf *b);
/* The text itself, for free(3): "" where nothing was added; NULL without memory. The buffer is then as after { 0 }. */
char *buf_take(struct buf *b);
/* Gives the memory back; the buffer is then as after { 0 }. */
void buf_done(struct buf *b);

#endif
