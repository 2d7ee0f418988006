/* SPDX-License-Identifier: MIT */
/* kcmp(2) by its system call: libc has no function for it. */
#include "linux/shared_memory.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

int processes_compare_memory(pid_t a, pid_t b, int *ret_order)
{
	long order = syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL);

	if (order < 0)
		return -errno;
	/* 1: less, 2: greater; 3, which no kernel has returned so far: another one. */
	*ret_order = order == 0 ? 0 : order == 1 ? -1 : 1;
	return 0;
}
