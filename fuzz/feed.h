/* SPDX-License-Identifier: MIT */
/* What every harness does with its input: a copy in a block of its exact size, so that one byte read past it is seen. */
#ifndef ASSAY_FUZZ_FEED_H
#define ASSAY_FUZZ_FEED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

/* libFuzzer calls it; each harness defines it by one of the macros below. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef void feed(const char *text, size_t n);

/* A promise of a header that does not hold is a finding too. */
static inline void must(int holds)
{
	if (!holds)
		abort();
}

static inline void feed_copy(feed *parser, const uint8_t *data, size_t n)
{
	char *copy = malloc(n + (n == 0));

	must(copy != NULL);
	memcpy(copy, data, n);
	parser(copy, n);
	free(copy);
}

/* All of the input goes to one parser. */
#define FEED_TO(parser)                                                                            \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                               \
	{                                                                                          \
		feed_copy(parser, data, size);                                                     \
		return 0;                                                                          \
	}

/* The first byte chooses one of the parsers, which gets the rest. Their order is that of the corpus: new ones come last. */
#define FEED_TO_ONE_OF(...)                                                                        \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                               \
	{                                                                                          \
		static feed *const parsers[] = { __VA_ARGS__ };                                    \
                                                                                                   \
		if (size > 0)                                                                      \
			feed_copy(parsers[data[0] % ARRAY_SIZE(parsers)], data + 1, size - 1);     \
		return 0;                                                                          \
	}

#endif
