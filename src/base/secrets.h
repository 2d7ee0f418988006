/* SPDX-License-Identifier: MIT */
/* Finds what is usually secret in the words of a command: values by the names before them, and passwords in URLs. */
#ifndef ASSAY_BASE_SECRETS_H
#define ASSAY_BASE_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes 1 to `marks`, which has a byte for each of the word's n, where it is secret. *next: whether the whole word is the value of an option before it
 * ("--password VALUE"); then whether the one behind it is. In time proportional to n.
 */
void secrets_mark(const char *word, size_t n, bool *next, char *marks);

#endif
