/* SPDX-License-Identifier: MIT */
/* The words that `assay size` has of its own: for its options (size.c) and for what it does (size_program.c). */
#ifndef ASSAY_CLI_SIZE_WORDS_H
#define ASSAY_CLI_SIZE_WORDS_H

#include "cli/options.h"

enum size_format {
	SIZE_TEXT,
	SIZE_JSON,
	SIZE_SLURM,
	SIZE_PBS,
	SIZE_HTCONDOR,
	SIZE_KUBERNETES,
	SIZE_NEXTFLOW,
	SIZE_SNAKEMAKE
};
enum size_policy_word { SIZE_ONCE, SIZE_RETRY };

extern const struct option_choice size_format_choices[];
extern const struct option_choice size_policy_choices[];

#endif
