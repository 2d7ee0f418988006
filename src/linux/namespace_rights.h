/* SPDX-License-Identifier: MIT */
/* Whether a process, or whoever descends from it, could ever be in another network namespace: user_namespaces(7), capabilities(7). */
#ifndef ASSAY_LINUX_NAMESPACE_RIGHTS_H
#define ASSAY_LINUX_NAMESPACE_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct roots;

/* Sets of capabilities in /proc/PID/status, and whether execve(2) may add to them. */
struct namespace_rights {
	uint64_t inheritable, permitted, bounding, ambient;
	uint64_t no_new_privileges;
};

/* The text of a status file. 0, or -EINVAL when a set is missing. */
int namespace_rights_parse(const char *text, size_t n, struct namespace_rights *ret);
/* Never CAP_SYS_ADMIN where they are now, by whatever program. */
bool namespace_rights_are_none(const struct namespace_rights *r);
/* Of this process and what it starts. True unless it is known that nobody can: without CAP_SYS_ADMIN for good, on a machine where no namespace may be
 * made by whoever has not got it. */
bool may_leave_network_namespace(const struct roots *roots);

#endif
