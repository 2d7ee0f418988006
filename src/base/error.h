/* SPDX-License-Identifier: MIT */
/* An error with its text, kept on the caller's stack: nothing is allocated, so it works without memory. */
#ifndef ASSAY_BASE_ERROR_H
#define ASSAY_BASE_ERROR_H

#include "base/macros.h"

#define ERROR_TEXT_SIZE 512

struct error {
	int code; /* negative errno */
	char text
		[ERROR_TEXT_SIZE]; /* what, on which object, what would help; no trailing newline */
};

/* Fills `err` (may be NULL) with the text followed by ": " and the errno's own text; returns `code`, so that
 * `return error_set(err, -errno, "cannot open %s", path);` is one line. */
int error_set(struct error *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* The same without the errno's text: for errors the text explains whole. */
int error_say(struct error *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Puts "context: " before the text already in `err`; returns err->code (or -EIO when err is NULL). */
int error_wrap(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* The symbolic name of a positive errno ("EACCES"), or "E?" for one the C library has no name for. */
const char *errno_name(int number);

#endif
