/* SPDX-License-Identifier: MIT */
/* The names of a run's files, and the run that a name stands for. */
#ifndef ASSAY_RECORD_RUN_NAMES_H
#define ASSAY_RECORD_RUN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/* What runs are recorded under where nobody says otherwise. */
#define RUN_PREFIX_DEFAULT ".assay/runs/{datetime}-{pid}/"

#define RUN_NAME_INFO "info.json"
#define RUN_NAME_USAGE "usage.jsonl"

/* What the names of a run's files end in, one after the other; NULL: no more. */
const char *run_name_end(size_t i);
/* Whether the path ends so. */
bool run_name_is(const char *path, const char *end);
/* What stands before the name's end that marks a file of a run (info.json, usage.jsonl, stdout ...); the whole path with "." behind it where it has no
 * such end. Heap; NULL without memory. */
char *run_name_prefix(const char *path);
/*
 * The file that tells of the run that `name` stands for: itself, or the info file of its directory, its prefix or the file of a run beside it; without one the
 * series. -ENOENT ... with a line that does not name it. *ret is on the heap.
 */
int run_name_resolve(const char *name, char **ret, struct error *err);

#endif
