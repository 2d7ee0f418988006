/* SPDX-License-Identifier: MIT */
/* Where the options of a verb come from, all together. */
#ifndef ASSAY_CLI_SOURCES_H
#define ASSAY_CLI_SOURCES_H

struct error;
struct option_values;
struct verb;

/*
 * Gathers what was asked of a verb: command line over environment over configuration files over the defaults of the name it was called by.
 * With values->help set nothing else was looked at: help is given whatever the environment and the files hold. -EINVAL and one line for
 * anything wrong. The values are to be freed with options_done() in any case.
 */
int sources_gather(const struct verb *verb, char **argv, struct option_values *values,
	int *ret_first, struct error *err);
/* The prefix that con-duct's name records with here, by its variable, its files, its default; owned. NULL: no memory. */
char *sources_duct_prefix(void);

#endif
