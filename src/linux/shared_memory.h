/* SPDX-License-Identifier: MIT */
/* Whether two processes are two views of one address space. */
#ifndef ASSAY_LINUX_SHARED_MEMORY_H
#define ASSAY_LINUX_SHARED_MEMORY_H

#include <sys/types.h>

/* 1 in *ret_order: a comes after b in an order of address spaces that only the kernel knows; -1: before it; 0: they are two views of one (vfork(2),
 * posix_spawn(3) until the exec, clone(2) with CLONE_VM). A negative errno when the kernel does not tell: kcmp(2) wants the right to ptrace both, and
 * CONFIG_KCMP. Ids of threads do as well. */
int processes_compare_memory(pid_t a, pid_t b, int *ret_order);

#endif
