/* SPDX-License-Identifier: MIT */
/* assay ls: what is asked of it; assay-ls, a program of its own because of its index, does it. */
#include "base/macros.h"
#include "cli/ls_formats.h"
#include "cli/record_options.h"
#include "cli/run_words.h"
#include "cli/verb.h"

const struct option_choice ls_format_choices[] = { { "table", LS_TABLE }, { "json", LS_JSON },
	{ "jsonl", LS_JSONL }, { "csv", LS_CSV }, { "yaml", LS_YAML }, { NULL, 0 } };

static const struct option_row rows[] = {
	{ .group = "Which runs", OPTION_WHERE },
	{ .name = "last", .help = "the one alone that began last" },
	{ .name = "newest",
		.letter = 'n',
		.argument = "N",
		.offers = OFFERS_NOTHING,
		.help = "those N alone that began last; with --sort, the N greatest in that "
			"order" },
	{ OPTION_RUNS_PREFIX },

	{ .group = "What is shown",
		.name = "fields",
		.letter = 'F',
		.argument = "NAMES",
		.default_text = "prefix or id, state, exit_code, wall_seconds, cpu_mean_cores, "
				"memory_peak_bytes, command",
		.environment = "ASSAY_LS_FIELDS",
		.offers = OFFERS_FIELDS,
		.help = "the fields, each a column, with commas between; see --list-fields" },
	{ .name = "sort",
		.letter = 's',
		.argument = "NAMES",
		.default_text = "started",
		.offers = OFFERS_FIELDS,
		.help = "the order, by the first field, where that is equal by the next; runs that "
			"have "
			"no such field come last" },
	{ .name = "reverse", .letter = 'r', .help = "the other way round, the greatest first" },
	{ .name = "format",
		.letter = 'f',
		.argument = "FORMAT",
		.choices = ls_format_choices,
		.default_text = "table",
		.environment = "ASSAY_LS_FORMAT",
		.help = "table for people; json, jsonl (a line a run), csv or yaml for programs" },
	{ .name = "list-fields",
		.help = "the names of all fields that these runs have, one a line" },

	{ .group = "How it is found",
		.name = "no-index",
		.environment = "ASSAY_LS_NO_INDEX",
		.help = "reads every file, and neither uses nor keeps an index" },
	{ .name = "rebuild-index", .help = "reads every file, and makes the index anew" },

	{ .group = "What assay says", OPTION_LOG_LEVEL },
	{ OPTION_QUIET },
};

const struct verb verb_ls = {
	.name = "ls",
	.mixed = true,
	.help = "lists runs: any of their fields, filtered and sorted",
	.usage = "[options] [PATH...]",
	.text = "Lists the runs in the usual place, or those that each PATH stands for: a "
		"directory and all "
		"below it, a prefix, any file of a run, or a file of another tool that 'assay "
		"import' "
		"knows. What cannot be read is named on standard error, and the others are listed.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
};
