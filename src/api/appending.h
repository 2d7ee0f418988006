/* SPDX-License-Identifier: MIT */
/* A watched target whose record is there already and goes on; for src/api/watching*.c only. */
#ifndef ASSAY_API_APPENDING_H
#define ASSAY_API_APPENDING_H

#include <stddef.h>

struct error;
struct watching;

/* Before anything is written: a prefix that is another each time continues nothing. */
int appending_check_prefix(const char *prefix, struct error *err);
/* After its files were opened: -EINVAL or -EBUSY when the record that is there is of something else, or is still being recorded; else its info
 * takes over what the record says. */
int appending_take(struct watching *w, size_t i, struct error *err);
/* After the files of all were opened: -EINVAL when the first one's record had further targets that are not among these. */
int appending_check_beside(struct watching *w, struct error *err);
/* When the watch has begun: from where the times of its series go on. */
void appending_begin(struct watching *w, size_t i);

#endif
