/* SPDX-License-Identifier: MIT */
/* Extended regular expressions from outside, within bounds: neither compiling nor matching one can take all memory or for ever. */
#ifndef ASSAY_BASE_BOUNDED_REGEX_H
#define ASSAY_BASE_BOUNDED_REGEX_H

#include <regex.h>

#define BOUNDED_REGEX_MAX 1024 /* bytes */
#define BOUNDED_REGEX_WHY_SIZE 200

/*
 * For regexec(3) with no matches asked for: whether the expression is found anywhere in a text, by bytes. 0 (regfree() afterwards); -EINVAL with the end of a
 * sentence that the expression begins ("is not taken: ..."), or -ENOMEM.
 */
int bounded_regex_compile(regex_t *ret, const char *text, char why[BOUNDED_REGEX_WHY_SIZE]);
/* The same, to ask for where the first match is: that takes the square of a text's length, which the caller bounds. */
int bounded_regex_compile_places(regex_t *ret, const char *text, char why[BOUNDED_REGEX_WHY_SIZE]);

#endif
