/* SPDX-License-Identifier: MIT */
/* /proc/loadavg: how many tasks ran or waited for a disk, averaged over 1, 5 and 15 minutes. */
#ifndef ASSAY_LINUX_LOADAVG_H
#define ASSAY_LINUX_LOADAVG_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct kept_file;
struct roots;

struct loadavg {
	uint64_t thousandths[3]; /* over 1, 5 and 15 minutes; the file has two digits */
	uint64_t runnable, tasks; /* threads that want a CPU now, threads in all */
};

/* -EINVAL when it is malformed. */
int loadavg_parse(const char *text, size_t n, struct loadavg *ret);
int loadavg_read(const struct roots *r, struct kept_file *file, struct loadavg *ret);
int loadavg_probe(const struct roots *r, struct error *err);

#endif
