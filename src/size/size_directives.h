/* SPDX-License-Identifier: MIT */
/* The words of the #SBATCH and #SLURM lines of a batch script, as sbatch(1) makes them, and where each stands in the script. */
#ifndef ASSAY_SIZE_DIRECTIVES_H
#define ASSAY_SIZE_DIRECTIVES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct size_script_word {
	size_t from, to; /* in the script, with its quotes */
	size_t text; /* in `text`: without quotes and backslashes, and a NUL behind it */
	size_t line;
};

struct size_directives {
	struct size_script_word
		*words; /* of all lines, one behind the other: sbatch sees them as one */
	size_t n, room;
	struct buf text;
	size_t behind; /* where the last directive ends, or the first line */
	bool any;
	size_t late; /* directives behind the first command, which sbatch does not read */
	size_t unmatched; /* the number of a line with a quote that is not closed; 0: none */
	size_t escaped_blank; /* the number of a line with "\\ " outside of quotes, which ends the word for sbatch before 24.05 alone; 0: none */
	bool other; /* lines of #PBS or #BSUB, which sbatch reads as well */
};

/* 0 or -ENOMEM. The script has no byte of 0 in it. */
int size_directives_read(const char *script, size_t n, struct size_directives *ret);
void size_directives_done(struct size_directives *d);

const char *size_directives_text(const struct size_directives *d, size_t word);
/* Where byte `at` of the word's text stands in the script; *ret_quote: the quote that is open there, or 0. */
size_t size_directives_place(
	const char *script, const struct size_script_word *word, size_t at, char *ret_quote);

#endif
