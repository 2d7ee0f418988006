/* SPDX-License-Identifier: MIT */
/* Which sockets the files of a process are: /proc/PID/fd. */
#ifndef ASSAY_LINUX_SOCKET_FILES_H
#define ASSAY_LINUX_SOCKET_FILES_H

#include <stdint.h>
#include <sys/types.h>

struct roots;

/* Calls `each` with the inode of every socket among the process's open files; a socket it holds twice is named twice. 0, or a negative errno:
 * -EACCES for a process that we could not trace. Some 4 us a file. */
int process_sockets_each(const struct roots *roots, pid_t pid,
	void (*each)(uint32_t inode, void *context), void *context);

#endif
