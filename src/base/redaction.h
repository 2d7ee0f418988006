/* SPDX-License-Identifier: MIT */
/* Takes secrets out of the words of a command before they are kept: the usual ones, and what somebody's patterns match. */
#ifndef ASSAY_BASE_REDACTION_H
#define ASSAY_BASE_REDACTION_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct error;

#define REDACTED "[redacted]"

struct redaction_pattern {
	regex_t found, places;
};

struct redaction {
	bool usual_too; /* the usual secrets as well */
	struct redaction_pattern *patterns;
	size_t n;
	struct buf marks, text; /* what was made last */
};

/* Of extended regular expressions, NULL-terminated, or NULL: none; "no" among them leaves the usual secrets as they are, a later "yes" does not.
 * -EINVAL and one line that names the pattern that is wrong, -ENOMEM; redaction_done() in each case. */
int redaction_begin(struct redaction *ret, const char *const *words, struct error *err);
/*
 * Reads words with a NUL behind each but the last, where bytes[n] is one. Returns in how many something was replaced; then r->text has all words, and
 * r->text.failed tells that there was no memory for it.
 */
size_t redaction_apply(struct redaction *r, const char *bytes, size_t n);
/* A copy of a command's words, NULL-terminated, in one piece for free(3), and in how many something was replaced. NULL: no memory. */
char **redaction_of_words(struct redaction *r, char *const *words, uint64_t *ret_count);
void redaction_done(struct redaction *r);

#endif
