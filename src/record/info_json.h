/* SPDX-License-Identifier: MIT */
/* What is known of a run as the text of info.json. */
#ifndef ASSAY_RECORD_INFO_JSON_H
#define ASSAY_RECORD_INFO_JSON_H

#include <stddef.h>

struct assay_run_info;
struct buf;

/* Adds the whole document, with its newline. */
void info_json(const struct assay_run_info *info, struct buf *out);

/* "proc_rss_total_bytes" and "peak" -> "proc_peak_rss_total_bytes"; an empty statistic leaves the key as it is.
 * -EINVAL when it does not fit. */
int statistic_key(const char *key, const char *statistic, char *ret, size_t size);

#endif
