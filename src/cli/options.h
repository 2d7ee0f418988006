/* SPDX-License-Identifier: MIT */
/* Options of a verb: one row each. Parsing, the environment and the help text are made from the rows. */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;

struct option_row {
	const char *name; /* "sample-interval" */
	char letter; /* 'i', or 0 */
	const char *argument; /* "DURATION"; NULL: a switch */
	const char *default_text; /* what happens without it, or NULL */
	const char *unit; /* of a bare number: "seconds", or NULL */
	const char *environment; /* "ASSAY_SAMPLE_INTERVAL", or NULL */
	const char *help; /* one sentence, no full stop */
};

#define N_OPTIONS_MAX 32

/* What was asked for: a text a row, borrowed from argv or the environment. */
struct option_values {
	const char *text[N_OPTIONS_MAX]; /* NULL: not given; a switch that is on: "yes" */
	char source[N_OPTIONS_MAX][48]; /* where it came from, for messages: "--sample-interval" */
	bool help; /* -h or --help */
};

/*
 * Reads the environment, then argv[1] and on, up to the first word that is no option or behind "--" (the words of a command are its
 * own). Empty variables are as if unset; the command line wins. *ret_first is the index of the first word left.
 * -EINVAL and one line in words for anything wrong.
 */
int options_parse(const struct option_row *rows, size_t n, char **argv,
	struct option_values *values, int *ret_first, struct error *err);

/* The position of an option in the rows; the rows are a table of the caller, so it is there. */
size_t option_index(const struct option_row *rows, size_t n, const char *name);

/* Adds two columns: the options, and what they do, with default, unit and variable. */
void options_help(const struct option_row *rows, size_t n, struct buf *out);

#endif
