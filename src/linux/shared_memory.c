/* SPDX-License-Identifier: MIT */
/* kcmp(2) by its system call: libc has no function for it. */
#include "linux/shared_memory.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

int processes_share_memory(pid_t a, pid_t b)
{
	long order = syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL);

	return order < 0 ? -errno : order == 0;
}
