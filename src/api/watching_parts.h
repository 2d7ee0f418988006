/* SPDX-License-Identifier: MIT */
/* What a watched target's record says beside its numbers; for src/api/watching*.c only. */
#ifndef ASSAY_API_WATCHING_PARTS_H
#define ASSAY_API_WATCHING_PARTS_H

#include "api/watching.h"

/* Fills the info of target number `i` with all that is known before it is watched; `kept` owns the table of measurements or borrows it. */
int watching_make_info(struct watching *w, size_t i, struct error *err);
/* Opens its files; -EEXIST when they are there. Anything else that goes wrong costs the record only. */
int watching_open_files(struct watching *w, size_t i, struct error *err);
/* Finds its cgroups and what bounds it, by one of its members. */
void watching_find_places(struct watching *w, size_t i);
/* The flight recorder of the first target: before the first sample; what the record says of it; its end. */
void watching_prepare_live(struct watching *w);
void watching_describe_live(struct watching *w);
/* Our own cost. */
void watching_take_self(struct watching *w, size_t i);
void watching_write_info(struct watching *w, size_t i, bool final);
void watching_warn(const struct watching *w, const char *line);

#endif
