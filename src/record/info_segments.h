/* SPDX-License-Identifier: MIT */
/* The joinings of a continued record in info.json. */
#ifndef ASSAY_RECORD_INFO_SEGMENTS_H
#define ASSAY_RECORD_INFO_SEGMENTS_H

struct assay_run_info;
struct json;

/* Adds the member "segments", if there are any. */
void info_segments(struct json *j, const struct assay_run_info *info);

#endif
