/* SPDX-License-Identifier: MIT */
/* The files that an export becomes: there when they are whole. */
#ifndef ASSAY_EXPORT_EXPORT_FILES_H
#define ASSAY_EXPORT_EXPORT_FILES_H

struct error;
struct export;

/* Opens what x->exporter and x->path ask for. 0, or a negative errno with a line, and nothing is left open. */
int export_files_open(struct export *x, struct error *err);
/* Writes the rest and gives the files their names: all or none. */
int export_files_keep(struct export *x, struct error *err);
/* Closes; what was not kept is gone. */
void export_files_close(struct export *x);
/* Writes out what has come together. */
int export_files_flush(struct export *x, struct error *err);

#endif
