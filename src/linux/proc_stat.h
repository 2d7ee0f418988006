/* SPDX-License-Identifier: MIT */
/* /proc/PID/stat: proc(5). */
#ifndef ASSAY_LINUX_PROC_STAT_H
#define ASSAY_LINUX_PROC_STAT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_NAME_SIZE 64 /* a comm is 15 bytes; a kernel thread's name may be longer */

struct proc_stat {
	pid_t pid;
	char name[PROC_NAME_SIZE]; /* comm without the parentheses: any bytes but NUL; cut to fit */
	char state; /* R S D Z T t X I ... */
	pid_t ppid, pgrp, session;
	int tty_nr;
	uint64_t flags; /* PF_* of include/linux/sched.h */
#define PROC_KERNEL_THREAD 0x00200000 /* PF_KTHREAD */
#define PROC_NO_EXEC_YET 0x00000040 /* PF_FORKNOEXEC */
#define PROC_EXITING 0x00000004 /* PF_EXITING: within its exit(2), its memory is given back next */
#define PROC_SIGNALED 0x00000400 /* PF_SIGNALED: a signal ends it, perhaps after a core dump */
	uint64_t minor_faults, children_minor_faults, major_faults, children_major_faults;
	uint64_t user_ticks, system_ticks; /* this process, dead threads included */
	uint64_t children_user_ticks, children_system_ticks; /* waited-for children, cumulative */
	uint64_t threads;
	uint64_t start_ticks; /* since boot: with the pid, the identity of a process */
	uint64_t vsize_bytes;
	uint64_t rss_pages;
	/* Where the stack of its address space begins: the same in all views of one, and after a fork; an exec draws a new one. 0: not shown to us. */
	uint64_t stack_start;
};

/* Parses the text of one stat file; fields after the LAST ')' so that a name may hold anything.
 * 0, or -EINVAL when the text is not a whole stat line. */
int proc_stat_parse(const char *text, size_t n, struct proc_stat *ret);

#endif
