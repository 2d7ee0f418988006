/* SPDX-License-Identifier: MIT */
/* Options of a verb: one row each. The command line, the environment, the configuration files and the help text are made from the
 * rows. */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/log.h"

struct buf;
struct error;

/* A word of a fixed set, and the number that stands for it. */
struct option_choice {
	const char *word; /* NULL ends the set */
	int number;
};

struct option_row {
	const char *
		group; /* the heading in the help before this row, or NULL: that of the row before */
	const char *name; /* "sample-interval" */
	const char *alias; /* "s-i": a second long name, or NULL */
	char letter; /* 'i', or 0 */
	bool repeats; /* may be given several times */
	bool joins; /* what lower ranks said of an option that repeats counts too, before what higher ones say */
	char separator; /* between several values in a variable or a file; 0: a comma */
	const char *argument; /* "DURATION"; NULL: a switch */
	const struct option_choice *choices; /* all it takes, or NULL: anything */
	const char *
		offers; /* what a shell completes its argument to, where that is not `choices`: see OFFERS_FILES */
	const char *default_text; /* what happens without it, or NULL */
	const char *unit; /* of a bare number: "seconds", or NULL */
	const char *environment; /* "ASSAY_SAMPLE_INTERVAL", or NULL: neither there nor in files */
	const char *help; /* one sentence, no full stop */
};

/* What a shell offers: words between blanks, the last may be OFFERS_FILES; or one of these. NULL: the choices; without choices files, and nothing for what has a unit. */
#define OFFERS_FILES "@files"
#define OFFERS_NOTHING "@nothing"
#define OFFERS_KEYS "@keys" /* of measurements, in a list with commas */
#define OFFERS_FIELDS "@fields" /* of runs, in a list with commas */
#define OFFERS_FIELD "@field" /* one, behind which more follows */
#define OFFERS_RUNS "@runs" /* names of runs, and files: for the words of a verb */
#define OFFERS_COMMAND "@command" /* a command and its own words: for the words of a verb */

/* -h, which every verb has besides its rows. */
extern const struct option_row option_help;

#define N_OPTIONS_MAX 40

/* Where a text came from: the higher wins. Configuration files have the ranks in between, later ones the higher. */
enum option_rank {
	RANK_NONE,
	RANK_DEFAULT,
	RANK_FILE,
	RANK_ENVIRONMENT = 1000,
	RANK_ENVIRONMENT_OF_NAME, /* the variables of the name the program was called by */
	RANK_COMMAND_LINE
};

/* Of one text of an option that repeats. */
struct option_part {
	const char *source;
	int rank;
};

struct option_value {
	const char *text; /* NULL: not given, or a switch that is off; a switch that is on: "yes" */
	const char *source; /* for messages: "--sample-interval", "FILE:3: mode"; NULL: not given */
	int rank;
	int number; /* of the choice */
	const char **
		all; /* of an option that repeats: every text, lower ranks first, NULL-terminated; NULL: none */
	struct option_part *parts; /* where each of them came from */
	size_t n_all;
	int floor; /* what has a lower rank was taken back */
};

struct option_values {
	struct option_value of[N_OPTIONS_MAX];
	bool help; /* -h or --help */
	bool mixed; /* set before the words are read: options may stand behind words that are none */
	bool groups; /* set as well: "--" is such a word, and options may stand behind it too */
	char **owned; /* texts that were made here */
	size_t n_owned;
	bool failed; /* memory ran out */
	struct log_lines log; /* what was read, and what could not be */
};

/*
 * Reads argv[1] and on, up to the first word that is no option or behind "--" (the words of a command are its own; a long name is
 * never abbreviated). *ret_first is the index of the first word left. With values->mixed options are looked for up to the end or "--", and the
 * words left are moved together behind argv[0]. -EINVAL and one line in words for anything wrong.
 */
int options_read_words(const struct option_row *rows, size_t n, char **argv,
	struct option_values *values, int *ret_first, struct error *err);
/* Reads the variables of the rows; empty ones are as if unset. */
void options_read_environment(
	const struct option_row *rows, size_t n, struct option_values *values);
/* Sets one option unless a higher rank has, or adds to one that joins. Outside the command line several texts of an option that repeats
 * stand between separators. An empty text takes back what lower ranks said. The texts are borrowed. */
void options_set(struct option_values *values, const struct option_row *rows, size_t row,
	const char *text, const char *source, int rank);
/* Copies a text for as long as the values live; "" when memory ran out, and values->failed. */
const char *options_keep(struct option_values *values, const char *text, size_t n);
/* Judges what won: switches and choices. */
int options_check(
	const struct option_row *rows, size_t n, struct option_values *values, struct error *err);
void options_done(struct option_values *values);

/* The position of an option in the rows; the rows are a table of the caller, so it is there. */
size_t option_index(const struct option_row *rows, size_t n, const char *name);

/* What an option is when nothing was said, where that differs from its row. */
struct option_default {
	const char *name; /* NULL ends the list */
	const char *text;
	const char *words; /* for the help, when the text is too long for it */
};

/* What an option is when the program is called by another's name. */
struct option_names {
	const struct option_default *defaults;
	const char *(*variable)(
		const char *option); /* that sets it besides; it returns NULL for none */
};

/* Adds two columns: the options, and what they do, with default, unit and variable. `names` may be NULL. */
void options_help(
	const struct option_row *rows, size_t n, const struct option_names *names, struct buf *out);

#endif
