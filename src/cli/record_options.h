/* SPDX-License-Identifier: MIT */
/* The options of every verb that records: their rows, and what they say. A row is a list of members, so that a verb can put a heading before it. */
#ifndef ASSAY_CLI_RECORD_OPTIONS_H
#define ASSAY_CLI_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/log.h"
#include "cli/options.h"
#include "record/run_names.h"

struct error;
struct verb;

extern const struct option_choice record_type_choices[];
extern const struct option_choice log_level_choices[];

/* clang-format off */
#define OPTION_OUTPUT_PREFIX \
	.name = "output-prefix", .letter = 'p', .argument = "PREFIX", \
	.default_text = RUN_PREFIX_DEFAULT, .environment = "ASSAY_OUTPUT_PREFIX", \
	.help = "the record is written to PREFIXinfo.json and PREFIXusage.jsonl; {datetime} and {pid} are " \
		"filled in, directories are made, nothing is overwritten"
#define OPTION_RECORD_TYPES \
	.name = "record-types", .letter = 't', .argument = "WHICH", .choices = record_type_choices, \
	.default_text = "all", .environment = "ASSAY_RECORD_TYPES", \
	.help = "which files are written: all, system-summary (info.json), processes-samples (usage.jsonl)"
#define OPTION_CLOBBER \
	.name = "clobber", .environment = "ASSAY_CLOBBER", .help = "replaces a record that is there already"
#define OPTION_MESSAGE \
	.name = "message", .letter = 'm', .argument = "TEXT", .environment = "ASSAY_MESSAGE", \
	.help = "a text that is kept in the record", .offers = OFFERS_NOTHING
#define OPTION_NAME \
	.name = "name", .argument = "NAME", .environment = "ASSAY_NAME", \
	.help = "a name by which the run is found later", .offers = OFFERS_NOTHING
#define OPTION_TAG \
	.name = "tag", .argument = "KEY=VALUE", .repeats = true, .joins = true, .environment = "ASSAY_TAG", \
	.offers = OFFERS_NOTHING, \
	.help = "a tag by which the run is found later; may be given several times, in the variable with " \
		"commas between"
#define OPTION_REDACT \
	.name = "redact", .argument = "PATTERN", .repeats = true, .joins = true, .separator = ';', \
	.default_text = "the usual secrets", .environment = "ASSAY_REDACT", .offers = "no", \
	.help = "what this extended regular expression matches in arguments and command lines is recorded as " \
		"[redacted], besides values such as that of --password=VALUE; may be given several times, in the " \
		"variable with semicolons between; no: the usual secrets are recorded"
#define OPTION_MEASUREMENTS \
	.name = "measurements", .argument = "LIST", .default_text = "default", \
	.environment = "ASSAY_MEASUREMENTS", .offers = OFFERS_KEYS, \
	.help = "keys, patterns and the presets minimal, default, all, separated by commas; a leading - takes " \
		"away; see 'assay measurements'"
#define OPTION_SAMPLE_INTERVAL \
	.name = "sample-interval", .alias = "s-i", .letter = 'i', .argument = "DURATION", \
	.default_text = "1s, shorter in the first second", .unit = "seconds", \
	.environment = "ASSAY_SAMPLE_INTERVAL", .help = "how often the processes are looked at"
#define OPTION_REPORT_INTERVAL \
	.name = "report-interval", .alias = "r-i", .argument = "DURATION", \
	.default_text = "1s at first, minutes as the run grows old", .unit = "seconds", \
	.environment = "ASSAY_REPORT_INTERVAL", .help = "how much time one line of the record covers"
#define OPTION_BUDGET \
	.name = "budget", .argument = "PERCENT", .default_text = "no bound but that of PSS", \
	.environment = "ASSAY_BUDGET", .offers = OFFERS_NOTHING, \
	.help = "how much of one CPU the recording may take, such as 0.5%; beyond it what is dear is read less " \
		"often for quiet processes, and counted as skipped"
#define OPTION_WAIT_ALL \
	.name = "wait-all", .environment = "ASSAY_WAIT_ALL", \
	.help = "goes on until the last descendant has ended as well, not only the first process"
#define OPTION_COLORS \
	.name = "colors", .default_text = "when standard error is a terminal", .environment = "ASSAY_COLORS", \
	.help = "colors in the summary; --colors=no: none"
#define OPTION_LOG_LEVEL \
	.name = "log-level", .letter = 'l', .argument = "LEVEL", .choices = log_level_choices, \
	.default_text = "INFO", .environment = "ASSAY_LOG_LEVEL", \
	.help = "NONE, CRITICAL, ERROR, WARNING (warnings), INFO (the summary as well), DEBUG (where each " \
		"option came from as well)"
#define OPTION_QUIET \
	.name = "quiet", .letter = 'q', .environment = "ASSAY_QUIET", \
	.help = "prints neither summary nor warnings, as --log-level NONE"

/* What names a target, for the verbs that take one. */
#define TARGET_WORDS \
	"A TARGET is a process and its descendants (PID), session[:SID], group[:PGID], user[:NAME], " \
	"slurm[:JOB[.STEP]], cgroup[:PATH], container:NAME, pids:PID,PID, name:NAME, match:REGEX or system; " \
	"what is left out is that of whoever calls. user:alice+name:python3 are those of which both is true."
#define TARGET_OFFERS "session group user slurm cgroup system tree: container: pids: name: match: cgroup: user:"
#define TARGET_MISSING "the target is missing, such as a pid, 'user' or 'system'"
/* clang-format on */

/* What they say; texts are borrowed from the values. */
struct record_options {
	const char *output_prefix, *measurements, *message, *name;
	const char *const *tags, *const *redact;
	uint64_t sample_interval_ns, report_interval_ns;
	uint64_t budget; /* thousandths of a percent; 0: not given */
	int record_types, clobber, wait_all;
};

/* Puts them into the options of the library for a run or for a watch, which name them alike; not `clobber`, which an --append may take back. */
#define RECORD_OPTIONS_INTO(o, shared)                                                             \
	do {                                                                                       \
		(o)->output_prefix = (shared).output_prefix;                                       \
		(o)->record_types = (shared).record_types;                                         \
		(o)->message = (shared).message;                                                   \
		(o)->name = (shared).name;                                                         \
		(o)->tags = (shared).tags;                                                         \
		(o)->redact = (shared).redact;                                                     \
		(o)->measurements = (shared).measurements;                                         \
		(o)->sample_interval_ns = (shared).sample_interval_ns;                             \
		(o)->report_interval_ns = (shared).report_interval_ns;                             \
		(o)->budget = (shared).budget;                                                     \
		(o)->wait_all = (shared).wait_all;                                                 \
	} while (0)

/* Reads the options above of a verb that has all their rows. -EINVAL and a line that names where a wrong one stands. */
int record_options_read(const struct verb *verb, const struct option_values *values,
	struct record_options *ret, struct error *err);
/* Reads a duration if it was given; zero would mean the default and is refused unless `ret_zero` takes it. */
int duration_option(const struct verb *verb, const struct option_values *values, const char *name,
	uint64_t *ret_ns, int *ret_zero, struct error *err);
/* -q is a level as well: of the two, what stands in the higher source counts. */
enum log_level record_log_level(const struct verb *verb, const struct option_values *values);
/* Prints a warning of the library when the level, which `context` points to, lets it through. */
void record_warning(const char *line, void *context);

#endif
