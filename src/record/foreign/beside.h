/* SPDX-License-Identifier: MIT */
/* The other files of a run that an importer looks for beside the one it was given. For importers alone. */
#ifndef ASSAY_RECORD_FOREIGN_BESIDE_H
#define ASSAY_RECORD_FOREIGN_BESIDE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct error;
struct import_file;

/* The name of n bytes with `end` behind it, when a file with something in it is there; heap. NULL: none. */
char *file_with_content(const char *name, size_t n, const char *end);
/* The same of a path that ends in `end`, with another end in its place. NULL also when it does not end so, or is not what is looked for. */
char *file_with_other_end(const char *path, const char *end, const char *other,
	bool (*is_wanted)(const struct import_file *file));
/* An object of JSON; NULL with 0 when the file is empty. A negative errno with a line otherwise. */
int json_file_load(const char *path, json_t **ret, struct error *err);
/* The same of an open file, from its beginning, of at most so many bytes; the line is without its name. */
int json_fd_load(int fd, size_t limit, json_t **ret, struct error *err);

bool head_holds(const struct import_file *file, const char *text);
bool head_begins(const struct import_file *file, const char *text);

#endif
