/* SPDX-License-Identifier: MIT */
/* The command of `assay run`: running it and ending as it ended. */
#ifndef ASSAY_CLI_RUN_COMMAND_H
#define ASSAY_CLI_RUN_COMMAND_H

#include "cli/log.h"

struct error;
struct option_value;
struct assay_run_options;
struct option_values;
struct verb;

/* Whether the summary can be made from this template; -EINVAL and a line. Not given, it can. */
int run_command_check_format(const struct option_value *format, struct error *err);
/* We cannot record, which is no reason for the command not to run: says so and becomes it. Returns only when it cannot, with the exit status. */
int run_command_bare(char *const *argv, const char *why);
/* Returns the exit status, or dies of the signal that the command died of. */
int run_command(const struct verb *verb, const struct option_values *values,
	const struct assay_run_options *options, enum log_level level);

#endif
