/* SPDX-License-Identifier: MIT */
/* Reads back of an info.json what the one who continues the record has to know. */
#ifndef ASSAY_RECORD_READ_INFO_H
#define ASSAY_RECORD_READ_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/segment.h"

struct error;

#define READ_INFO_MAX ((size_t) 64 * 1024 * 1024) /* bytes of a file that is read at all */

/* Of a record of a target. Strings are raw bytes, owned. */
struct read_info {
	bool running; /* as far as its recorder came to say */
	char *kind, *text; /* of the target */
	char *id, *name, *message; /* NULL: none */
	char **tags; /* "key=value" each */
	size_t n_tags;
	char **beside; /* names of the info files of further targets */
	size_t n_beside;
	pid_t monitor_pid;
	uint64_t monitor_start_ticks;
	char boot_id[40];
	struct joined joined; /* its joinings; without a list of them it is one */
};

/*
 * -EINVAL with what is wrong, without the file's name. Whatever the bytes are: nothing is taken that has another type or size than assay
 * writes, and no name twice. What it does not know it leaves out.
 */
int read_info_parse(const char *bytes, size_t n, struct read_info *ret, struct error *err);
void read_info_done(struct read_info *info);

#endif
