/* SPDX-License-Identifier: MIT */
/* What one word of a command is: a name that stays, an option, or a value that varies from run to run. */
#ifndef ASSAY_SIZE_WORD_H
#define ASSAY_SIZE_WORD_H

#include <stdbool.h>
#include <stddef.h>

#define SIZE_WORD_NAME_MAX 64 /* bytes; what is longer names nothing */
#define SIZE_WORD_SIZE (SIZE_WORD_NAME_MAX + 24)

enum size_word_kind {
	SIZE_WORD_NAME, /* stays as it is: letters, "-" and "_" */
	SIZE_WORD_SIGN, /* stays, perhaps in quotes: "-", "--", ":::", "{}" */
	SIZE_WORD_OPTION, /* stays; the next word may be its value */
	SIZE_WORD_VALUE /* becomes `ret`: "*", "*.bam", "KEY=*", "--name=*", "-j*" */
};

/* Any bytes, also none. `ret` is set in any case: it is what stands for the word if it is a value after all. */
enum size_word_kind size_word_look(const char *word, size_t n, char ret[SIZE_WORD_SIZE]);
/* What is behind the last slash; all of it where none is. */
const char *size_word_base(const char *word);

#endif
