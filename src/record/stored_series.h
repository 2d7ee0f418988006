/* SPDX-License-Identifier: MIT */
/* A series whose info file is not there. */
#ifndef ASSAY_RECORD_STORED_SERIES_H
#define ASSAY_RECORD_STORED_SERIES_H

#include <stdbool.h>

struct error;
struct stored_run;

/* Whether it begins as a line of assay's series. */
bool lone_series_is(const char *path);
/* Makes run->info of what the series tells. Or a negative errno with a line. */
int lone_series_info(struct stored_run *run, struct error *err);

#endif
