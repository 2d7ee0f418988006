/* SPDX-License-Identifier: MIT */
/* Adds words to a shape. What passes its bound goes into a hash, so that two long shapes that differ at their ends are still two. */
#include "size/size_shape_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "size/size_shape.h"

#define ROOM (SIZE_SHAPE_MAX - 18) /* " #" and 16 digits are the hash */

uint64_t size_hash_add(uint64_t hash, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char) bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void add(struct size_shape_text *t, const char *s, size_t n)
{
	size_t fit = t->over ? 0 : n;

	if (!t->over && n > ROOM - t->out.len) {
		fit = ROOM - t->out.len;
		while (fit > 0 && ((unsigned char) s[fit] & 0xc0) == 0x80)
			fit--; /* not within a character */
		t->over = true;
		t->rest = SIZE_HASH_START;
	}
	buf_add(&t->out, s, fit);
	t->rest = size_hash_add(t->rest, s + fit, n - fit);
}

static void add_spaced(struct size_shape_text *t, const char *s, size_t n)
{
	if (t->out.len > 0 || t->over)
		add(t, " ", 1);
	add(t, s, n);
	t->option[0] = '\0';
	t->value[0] = '\0';
	t->repeated = false;
}

static void add_waiting(struct size_shape_text *t)
{
	if (t->waiting[0])
		add_spaced(t, t->waiting, strlen(t->waiting));
	t->waiting[0] = '\0';
}

void size_shape_add_word(struct size_shape_text *t, const char *s, size_t n)
{
	add_waiting(t);
	add_spaced(t, s, n);
}

void size_shape_add_option(struct size_shape_text *t, const char *s, size_t n)
{
	if (t->waiting[0])
		add_waiting(t);
	n = n < sizeof(t->waiting) ? n : sizeof(t->waiting) - 1;
	memcpy(t->waiting, s, n);
	t->waiting[n] = '\0';
}

void size_shape_add_value(struct size_shape_text *t, const char *value)
{
	char option[SIZE_WORD_SIZE];

	/* The value of an option is not one of those behind it: -o all.bam a.bam b.bam has one output and two inputs. */
	if (strcmp(t->value, value) == 0 && strcmp(t->waiting, t->option) == 0) {
		if (!t->repeated)
			add(t, "...", 3);
		t->repeated = true;
		t->waiting[0] = '\0';
		return;
	}
	memcpy(option, t->waiting, sizeof(option));
	add_waiting(t);
	add_spaced(t, value, strlen(value));
	memcpy(t->option, option, sizeof(option));
	snprintf(t->value, sizeof(t->value), "%s", value);
}

char *size_shape_take(struct size_shape_text *t)
{
	add_waiting(t);
	if (t->over)
		buf_addf(&t->out, " #%016" PRIx64, t->rest);
	return buf_take(&t->out);
}
