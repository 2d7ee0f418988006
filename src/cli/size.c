/* SPDX-License-Identifier: MIT */
/* assay size: what is asked of it; assay-size, a program of its own because of its mathematics, does it. */
#include "base/macros.h"
#include "cli/run_words.h"
#include "cli/size_words.h"
#include "cli/terminal.h"
#include "cli/verb.h"

const struct option_choice size_format_choices[] = { { "text", SIZE_TEXT }, { "json", SIZE_JSON },
	{ "slurm", SIZE_SLURM }, { "pbs", SIZE_PBS }, { "htcondor", SIZE_HTCONDOR },
	{ "kubernetes", SIZE_KUBERNETES }, { "nextflow", SIZE_NEXTFLOW },
	{ "snakemake", SIZE_SNAKEMAKE }, { NULL, 0 } };
const struct option_choice size_policy_choices[] = { { "once", SIZE_ONCE }, { "retry", SIZE_RETRY },
	{ NULL, 0 } };

static const struct option_row rows[] = {
	{ .group = "Which runs", OPTION_WHERE },
	{ .name = "like",
		.argument = "RUN",
		.offers = OFFERS_RUNS,
		.help = "those alone that ran the same job as RUN: the same command but for "
			"numbers, "
			"files and values of options" },
	{ .name = "mixed", .help = "takes runs of different commands for one job" },
	{ OPTION_RUNS_PREFIX },

	{ .group = "What is asked for",
		.name = "target",
		.argument = "SHARE",
		.offers = "0.9 0.95 0.99",
		.default_text = "0.95",
		.help = "how likely the next run shall keep its memory and time, from 0.5 to "
			"0.999" },
	{ .name = "confidence",
		.argument = "SHARE",
		.offers = "0.9 0.95 0.99",
		.help = "how sure it shall be that as many of all future runs do: needs more "
			"runs" },
	{ .name = "policy",
		.argument = "HOW",
		.choices = size_policy_choices,
		.default_text = "once",
		.help = "once: memory that is enough at the first attempt; retry: the amounts, one "
			"after "
			"the other, that hold the least memory on average" },
	{ .name = "by",
		.argument = "FIELD[=VALUE]",
		.offers = OFFERS_FIELD,
		.help = "needs grow with a field, such as input_bytes or tag:samples; VALUE is the "
			"next run's, without it the greatest of the runs that ended by "
			"themselves" },
	{ .name = "slowdown",
		.argument = "PERCENT",
		.offers = "2% 5% 10%",
		.default_text = "5%",
		.help = "how much longer a run may take for having fewer cores" },

	{ .group = "What is written",
		.name = "format",
		.letter = 'f',
		.argument = "FORMAT",
		.choices = size_format_choices,
		.default_text = "text",
		.help = "text for people, json for programs, or the lines of slurm, pbs, htcondor, "
			"kubernetes, nextflow, snakemake" },
	{ .name = "json", .help = "as --format json" },
	{ .name = "waste",
		.help = "what the runs had asked for, used and lost, by command, instead of a "
			"request" },
	{ .name = "apply",
		.argument = "SCRIPT",
		.offers = OFFERS_FILES,
		.help = "changes the #SBATCH lines in a copy of the script, and shows the "
			"difference" },
	{ .name = "output",
		.letter = 'o',
		.argument = "FILE",
		.offers = OFFERS_FILES,
		.default_text = "SCRIPT.sized",
		.help = "the copy of --apply" },
	{ .group = "How it looks", OPTION_WIDTH },
	{ .name = "colors",
		.alias = "color",
		.default_text = "when standard output is a terminal",
		.environment = "ASSAY_COLORS",
		.help = "colors in the text; --colors=no: none" },
};

const struct verb verb_size = {
	.name = "size",
	.mixed = true,
	.help = "makes the next run's request from past runs: memory, time, CPUs",
	.offers = OFFERS_RUNS,
	.usage = "[options] [RUN...]",
	.text = "Says what to ask for, how sure that is and what it stands on. Without a RUN, "
		"--where or "
		"--like, it is for the job that ran last. " RUN_WORDS
		" A directory may hold many runs.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
};
