/* SPDX-License-Identifier: MIT */
/* `sacct --json`: the same jobs as in its tables, put into the cells of one. For sacct.c alone. */
#ifndef ASSAY_RECORD_FOREIGN_SACCT_JSON_H
#define ASSAY_RECORD_FOREIGN_SACCT_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct draft;
struct error;
struct import_file;

/* Whether a file that begins so may be one. */
bool sacct_json_is(const char *head);
/* As the `read` of an importer. */
int sacct_json_read(
	const struct import_file *file, size_t which, struct draft *d, struct error *err);

#endif
