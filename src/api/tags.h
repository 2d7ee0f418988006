/* SPDX-License-Identifier: MIT */
/* The tags of a run: "key=value". For src/api only. */
#ifndef ASSAY_API_TAGS_H
#define ASSAY_API_TAGS_H

struct assay_run_info;
struct error;

/* A key is made of letters, digits and ._:/- and no list is NULL. -EINVAL with a text that names the first that is not so. */
int tags_check(const char *const *tags, struct error *err);
/* Copies them; of those with one key the last stays. */
void tags_copy(struct assay_run_info *info, const char *const *tags);

#endif
