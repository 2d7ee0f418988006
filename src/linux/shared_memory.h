/* SPDX-License-Identifier: MIT */
/* Whether two processes are two views of one address space. */
#ifndef ASSAY_LINUX_SHARED_MEMORY_H
#define ASSAY_LINUX_SHARED_MEMORY_H

#include <sys/types.h>

/* 1: one address space (vfork(2), posix_spawn(3) until the exec, clone(2) with CLONE_VM); 0: two; a negative errno when the kernel does not tell:
 * kcmp(2) wants the right to ptrace both, and CONFIG_KCMP. */
int processes_share_memory(pid_t a, pid_t b);

#endif
