/* SPDX-License-Identifier: MIT */
/* What differs when the program is called by con-duct's name: its defaults, its variables, its files. */
#ifndef ASSAY_CLI_DUCT_H
#define ASSAY_CLI_DUCT_H

#include <stdbool.h>

#include "cli/options.h"

struct duct_variable {
	const char *name; /* "DUCT_MESSAGE"; NULL ends the list */
	const char *option; /* "message" */
};

extern const struct option_default duct_defaults[];
extern const struct duct_variable duct_variables[];

#define DUCT_PATHS "/etc/duct/.env:${XDG_CONFIG_HOME:-~/.config}/duct/.env:.duct/.env"
#define DUCT_PATHS_VARIABLE "DUCT_CONFIG_PATHS"

/* The option that a variable of con-duct sets, or NULL. */
const char *duct_option(const char *name);
/* What a text in it means for that option: any text in DUCT_COLORS turns them on. */
const char *duct_value(const char *name, const char *text);

/* The variable of con-duct that sets the option; NULL. */
const char *duct_variable_of(const char *option);
/* What its help says behind the options. */
extern const char duct_help_end[];
/* A value of one of its files for that option, owned: ~ at the beginning of a path is the home. NULL: no memory. */
char *duct_file_value(const char *name, const char *text);

/* Whether the words call con-duct's `duct` ("duct CMD", "con-duct run CMD"); *ret_argv then has the word before the options first. */
bool duct_is_called(char **argv, char ***ret_argv);

#endif
