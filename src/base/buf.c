/* SPDX-License-Identifier: MIT */
/* The growing byte buffer: memory doubles, so a reused buffer soon stops allocating. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64

bool buf_reserve(struct buf *b, size_t n)
{
	if (b->failed)
		return false;
	if (n < b->capacity - b->len) /* one byte stays free for the NUL */
		return true;
	if (n > SIZE_MAX / 4 || b->len > SIZE_MAX / 4) {
		b->failed = true;
		return false;
	}

	size_t capacity = b->capacity ? b->capacity : FIRST_CAPACITY;
	while (capacity - b->len <= n)
		capacity *= 2;
	char *data = realloc(b->data, capacity);
	if (!data) {
		b->failed = true;
		return false;
	}
	data[b->len] = '\0';
	b->data = data;
	b->capacity = capacity;
	return true;
}

void buf_add(struct buf *b, const void *bytes, size_t n)
{
	bool fits = !b->failed && n < b->capacity - b->len;

	if ((!fits && !buf_reserve(b, n)) || n == 0)
		return;
	memcpy(b->data + b->len, bytes, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_add_char(struct buf *b, char c)
{
	if (!buf_reserve(b, 1))
		return;
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

void buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_addf(struct buf *b, const char *format, ...)
{
	va_list args;
	va_list again;

	if (!buf_reserve(b, 0))
		return;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(b->data + b->len, b->capacity - b->len, format, args);
	if (n < 0) {
		b->failed = true;
	} else if ((size_t) n >= b->capacity - b->len) {
		if (buf_reserve(b, (size_t) n))
			vsnprintf(b->data + b->len, b->capacity - b->len, format, again);
	}
	if (b->failed)
		b->data[b->len] = '\0'; /* takes back what a cut text left */
	else
		b->len += (size_t) n;
	va_end(again);
	va_end(args);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

char *buf_take(struct buf *b)
{
	char *text = NULL;

	if (!b->failed && (b->data || buf_reserve(b, 0))) {
		text = b->data;
		b->data = NULL;
	}
	buf_done(b);
	return text;
}

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}
