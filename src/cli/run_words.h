/* SPDX-License-Identifier: MIT */
/* Which run somebody means: a path, an id, the last one. For every verb that reads records. */
#ifndef ASSAY_CLI_RUN_WORDS_H
#define ASSAY_CLI_RUN_WORDS_H

#include <stdbool.h>

#include "cli/log.h"
#include "record/find_runs.h"
#include "record/run_names.h"
#include "record/stored_run.h"

struct error;
struct option_values;
struct verb;

/* clang-format off */
#define OPTION_RUNS_PREFIX                                                                         \
	.name = "output-prefix", .letter = 'p', .argument = "PREFIX",                              \
	.default_text = RUN_PREFIX_DEFAULT, .environment = "ASSAY_OUTPUT_PREFIX",                  \
	.help = "the prefix that runs are recorded with: ids and @last are looked for in what "    \
		"stands before its first {; without it also where 'duct' records"
#define OPTION_WHERE                                                                               \
	.name = "where", .letter = 'w', .argument = "EXPRESSION", .repeats = true,                 \
	.offers = OFFERS_FIELD,                                                                    \
	.help = "those alone of which it is true, such as 'memory_peak_bytes > 2GiB and "          \
		"started > -7d'; given several times, all have to be"
/* For the help of a verb. */
#define RUN_WORDS                                                                                  \
	"RUN is any file of a run (info.json, usage.jsonl, stdout ...), its directory or prefix, " \
	"its id or the end of it, its name, @last for "                                            \
	"the one that began last, @last-1 for the one before it, or a file of another tool that "  \
	"'assay import' knows."
/* clang-format on */

/* The prefix of the option, for the functions below; unless it stands on the command line, runs of con-duct's name are looked for in their place, too. */
const char *runs_prefix(const struct verb *verb, const struct option_values *values);
/* The prefixes in whose places runs are looked for: that one, and that of con-duct's name where it is another. */
struct run_places {
	const char *prefixes[2];
	size_t n;
	char *owned;
};
void run_places_find(struct run_places *ret, const char *output_prefix);
void run_places_done(struct run_places *places);
/* Looks for runs in the place that such a prefix names, which need not be there. NULL: none was given. */
int find_runs_of_prefix(
	const char *output_prefix, found_each *each, void *context, struct error *err);
/* The same in the place of con-duct's name. */
int find_runs_beside(const char *prefix, found_each *each, void *context, struct error *err);
/* The same in all places of that prefix. */
int find_usual_runs(const char *output_prefix, found_each *each, void *context, struct error *err);
/* Whether the word is @last or counts back from it, whatever files there are. */
bool run_word_is_last(const char *word);
/* Opens the run that the word stands for, with such a prefix; which one of several is taken is a warning. A negative errno with a line. */
int run_word_open(const char *word, const char *output_prefix, enum log_level level,
	struct stored_run *ret, struct error *err);

#endif
