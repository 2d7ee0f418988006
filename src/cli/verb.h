/* SPDX-License-Identifier: MIT */
/* A verb of the program. To add one: write NAME.c with `const struct verb verb_NAME`, add 'NAME' to meson.build. One that needs a library of
 * its own has no `exec` and is a program of its own: see cli/program.h. */
#ifndef ASSAY_CLI_VERB_H
#define ASSAY_CLI_VERB_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"

#define EXIT_TROUBLE 1 /* what was asked for could not be written */
#define EXIT_USAGE 2
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_LIMIT_HIT 124 /* as timeout(1) */
#define EXIT_NOT_FOUND 127

struct verb {
	const char *name;
	const char *call; /* how it was called, when that is not "assay NAME" */
	bool duct; /* by con-duct's name, with its defaults */
	bool mixed; /* its options may stand behind its words, too */
	bool groups; /* mixed, and "--" stands between groups of words and is one itself */
	const char *help; /* one line, no full stop */
	const char *usage; /* what follows the name: "[options] [--] COMMAND [ARGUMENTS...]" */
	const char *text; /* a paragraph for its own help */
	const char *offers; /* what a shell completes its words to, see OFFERS_FILES; NULL: files */
	const struct option_row *options;
	size_t n_options;
	/* `words` are those behind the options, NULL-terminated. Returns the exit status. NULL: assay-NAME does it. */
	int (*exec)(const struct verb *verb, struct option_values *values, char **words);
	/* What is done instead where there is no memory even for the options; NULL: nothing but a line that says so. */
	int (*without_memory)(char *const *words, const char *why);
};

/* The text of an option of the verb, or NULL when it was not given, or is a switch that is off. */
const char *verb_option(
	const struct verb *verb, const struct option_values *values, const char *name);
/* All that is known of it. */
const struct option_value *verb_value(
	const struct verb *verb, const struct option_values *values, const char *name);

/* Runs the verb with the words behind argv[0]; returns the exit status. */
int verb_start(const struct verb *verb, char **argv);
/* Prints its help; 0, or EXIT_TROUBLE after one line on stderr. */
int print_verb_help(const struct verb *verb);
/* A standard stream that is closed is occupied, so that no file of a record lands on its number and takes what is
 * written there. The first thing that main() does. */
void occupy_standard_streams(void);

/* Writes data to stdout, whole. 0, or EXIT_TROUBLE after one line on stderr. */
int print_data(const struct buf *out);
/* The same in pieces: writes one, returns 0 or a negative errno; and ends, after what came of the last piece. */
int write_data(const struct buf *out);
int close_data(int r);
/* Writes one line to stderr: "assay: " and the text. That it cannot be written changes nothing. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and where help is; returns EXIT_USAGE. */
int complain_usage(const struct verb *verb, const char *text);

#endif
