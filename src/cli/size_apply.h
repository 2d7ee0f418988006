/* SPDX-License-Identifier: MIT */
/* A request put into the #SBATCH lines of a copy of a batch script. */
#ifndef ASSAY_CLI_SIZE_APPLY_H
#define ASSAY_CLI_SIZE_APPLY_H

struct size_ask;

/* Writes the copy (NULL: SCRIPT.sized, which may not be there yet), and the difference to standard output. The exit status. */
int size_apply(const char *script, const char *copy, const struct size_ask *ask);

#endif
