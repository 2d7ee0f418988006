/* SPDX-License-Identifier: MIT */
/* The record that is to be continued: found, held by its locks, and read. */
#ifndef ASSAY_RECORD_EARLIER_H
#define ASSAY_RECORD_EARLIER_H

#include "record/read_info.h"
#include "record/read_usage.h"
#include "record/survey_usage.h"

struct error;

struct earlier {
	int info_fd, usage_fd; /* with their writer's locks; -1: none */
	struct read_info info;
	struct last_window last;
	bool series_missing; /* it is not there, and should be */
	struct usage_survey
		survey; /* the lines that are missing at its end included, as far as the info file tells */
	uint64_t next_sequence;
};

/*
 * 1 when there is one, 0 when there is no such info file. -EBUSY when it is still being written, or another negative errno with a line, when it
 * cannot be read or written or is no record that can be continued. Changes nothing. `where` is put before the names for people; `usage_name` may be
 * NULL, and a series that is not there is left out.
 */
int earlier_open(struct earlier *e, int dirfd, const char *where, const char *info_name,
	const char *usage_name, struct error *err);
/* Opens and locks a file that holds nothing. -ENOENT when there is none, -EEXIST when it holds something or is no file, -EBUSY when it is being written. */
int earlier_take_empty(int dirfd, const char *name, int *ret_fd);
void earlier_done(struct earlier *e);

#endif
