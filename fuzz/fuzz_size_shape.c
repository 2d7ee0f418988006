/* SPDX-License-Identifier: MIT */
/* Feeds words to the shape of a command; they are separated by NUL, as in /proc/PID/cmdline. */
#include "feed.h"

#include "base/utf8.h"
#include "size/size_shape.h"

#define WORDS_MAX 512

static void feed_shape(const char *bytes, size_t n)
{
	char *argv[WORDS_MAX];
	size_t argc = 0;
	char *shape;
	char *again;

	for (size_t at = 0; argc < WORDS_MAX && (at < n || argc == 0);) {
		argv[argc] = strndup(bytes + at, n - at);
		must(argv[argc] != NULL);
		at += strlen(argv[argc++]) + 1;
	}
	shape = size_shape_of(argv, argc);
	again = size_shape_of(argv, argc);
	must(shape && again && strcmp(shape, again) == 0);
	must(strlen(shape) > 0 && strlen(shape) <= SIZE_SHAPE_MAX);
	must(utf8_is_valid(shape, strlen(shape)));
	for (const char *c = shape; *c; c++)
		must((unsigned char) *c >= ' ' && *c != 0x7f);
	for (size_t i = 0; i < argc; i++) {
		char *text = size_shape_of_text(argv[i]);

		must(text && strlen(text) <= SIZE_SHAPE_MAX);
		free(text);
		free(argv[i]);
	}
	free(shape);
	free(again);
}

FEED_TO(feed_shape)
