/* SPDX-License-Identifier: MIT */
/* Programs that run another program or a script, and which of their options take a word: else their script would be lost among their values. */
#ifndef ASSAY_SIZE_LAUNCHER_H
#define ASSAY_SIZE_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>

/* Runs the program that follows. Lists of words are "|a|b|". */
struct size_launcher {
	const char *name;
	const char *verbs; /* it does so as one of these alone ("run"); NULL: always */
	const char *letters; /* -X WORD */
	const char *words; /* --word WORD and -word WORD, without dashes */
	const char *pairs; /* those that take two words */
	size_t before; /* words before the program: a duration, an image, a mask */
	const char
		*at_once; /* verbs behind which no such words stand: what follows is run itself */
};

/* Runs a script, a module or code. */
struct size_interpreter {
	const char *name; /* a version may follow */
	const char *code; /* letters: -X CODE */
	const char *code_words; /* with their dashes, as the next two */
	const char *script_words; /* the next word is the script: -jar, -m */
	const char *value_words;
	const char *letters; /* -X WORD */
	enum {
		FIRST_IS_SCRIPT,
		FIRST_IS_CODE,
		CODE_BY_LETTER
	} first; /* of the words that are no options; CODE_BY_LETTER (sh -c): it is code if such a letter was there */
	bool code_may_follow; /* -e CODE may come several times; else all that follows belongs to the code */
};

/* By the last component of a program's path; NULL: it is none. */
const struct size_launcher *size_launcher_of(const char *name);
const struct size_interpreter *size_interpreter_of(const char *name);
/* Whether "|a|b|" (or NULL) has the word. */
bool size_launcher_lists(const char *list, const char *word, size_t n);

#endif
