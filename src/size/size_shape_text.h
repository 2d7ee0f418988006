/* SPDX-License-Identifier: MIT */
/* The text of a shape while it grows: bounded, and with what is repeated said once. */
#ifndef ASSAY_SIZE_SHAPE_TEXT_H
#define ASSAY_SIZE_SHAPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "size/size_word.h"

struct size_shape_text {
	struct buf out;
	uint64_t rest; /* a hash of what had no room */
	bool over;
	bool repeated; /* the last value: its "..." stands */
	char waiting
		[SIZE_WORD_SIZE]; /* an option that is not added yet: it may be repeated with its value */
	char option[SIZE_WORD_SIZE],
		value[SIZE_WORD_SIZE]; /* what was added last, if that was a value */
};

#define SIZE_HASH_START UINT64_C(0xcbf29ce484222325)
/* FNV-1a */
uint64_t size_hash_add(uint64_t hash, const char *bytes, size_t n);

/* A word as it is; an option of fewer bytes than SIZE_WORD_SIZE; a value. */
void size_shape_add_word(struct size_shape_text *t, const char *s, size_t n);
void size_shape_add_option(struct size_shape_text *t, const char *s, size_t n);
void size_shape_add_value(struct size_shape_text *t, const char *value);
/* For free(3); NULL without memory. */
char *size_shape_take(struct size_shape_text *t);

#endif
