/* SPDX-License-Identifier: MIT */
/* The other small files of /proc/PID: statm, io, status, smaps_rollup, children, cmdline. proc(5).
 * Every parser takes the text and fills a struct; 0, or -EINVAL when a line it needs is missing or not a number. */
#ifndef ASSAY_LINUX_PROC_FILES_H
#define ASSAY_LINUX_PROC_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct roots;

struct proc_statm { /* pages */
	uint64_t size, resident, shared;
};
int proc_statm_parse(const char *text, size_t n, struct proc_statm *ret);

struct proc_io { /* of the process, its dead threads and its waited-for children */
	uint64_t rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes;
};
int proc_io_parse(const char *text, size_t n, struct proc_io *ret);

struct proc_status {
	bool has_memory; /* false for a kernel thread or a zombie: no Vm lines */
	uint64_t hwm_bytes, swap_bytes, hugetlb_bytes; /* VmHWM, VmSwap, HugetlbPages */
	uint64_t rss_anon_bytes, rss_file_bytes, rss_shmem_bytes;
	uint64_t voluntary_switches,
		involuntary_switches; /* of the main thread only: that is what the file holds */
	uint64_t threads;
	uid_t uid, euid;
	bool has_signals_blocked; /* old recorded trees lack the line */
	uint64_t signals_blocked; /* by the main thread; as below */
	uint64_t signals_pending; /* ShdPnd: sent to the process, and blocked */
	uint64_t thread_signals_pending; /* SigPnd: for this thread; SIGKILL there: it is ending */
	uint64_t signals_ignored; /* SigIgn: bit (signal - 1) */
	uint64_t signals_caught;
	uint64_t cpus_allowed_count; /* bits set in Cpus_allowed */
};
int proc_status_parse(const char *text, size_t n, struct proc_status *ret);
/* What was sent to this process, a child of ours that blocks it, and waits: bit (signal - 1). By no tree of files but the kernel's own. Negative errno. */
int proc_signals_waiting(pid_t pid, uint64_t *ret);

struct smaps_rollup { /* bytes; summed over the mappings */
	uint64_t rss, pss, pss_anon, pss_file, pss_shmem, private_clean, private_dirty, swap,
		swap_pss, private_hugetlb, shared_hugetlb, anonymous, ksm;
	bool has_pss_split; /* Pss_Anon and friends exist since Linux 5.9 */
	bool has_ksm; /* KSM since Linux 6.8: what of it the kernel merged with equal pages */
};
/* An empty text (a kernel thread, a zombie) is -ENODATA. */
int smaps_rollup_parse(const char *text, size_t n, struct smaps_rollup *ret);

/* Reads /proc/PID/task/TID/children until its end (one read gives at most 4 KiB) and calls `each` with every pid.
 * Negative errno: -ENOENT also when the kernel lacks CONFIG_PROC_CHILDREN. */
int proc_children_each(int proc_root, pid_t pid, pid_t tid,
	void (*each)(pid_t child, void *context), void *context);
/* Calls `each` for every thread id of /proc/PID/task. */
int proc_tasks_each(
	int proc_root, pid_t pid, void (*each)(pid_t tid, void *context), void *context);
/* Calls `each` for every numeric directory of /proc. */
int proc_pids_each(int proc_root, void (*each)(pid_t pid, void *context), void *context);

/* Calls `each` for every open descriptor of this very process. */
int proc_own_fds_each(int proc_root, void (*each)(int fd, void *context), void *context);

/* Calls `each` for every number in an open /proc/PID/fd, 0 too. */
int proc_fds_each(int fd_directory, void (*each)(int fd, void *context), void *context);

/* Open descriptors of a process: st_size of /proc/PID/fd where the kernel fills it (Linux 6.2), else a count of the
 * directory. Negative errno on failure. */
int proc_fd_count(const struct roots *roots, pid_t pid, uint64_t *ret);

/* The pid given last in our PID namespace: while it stays, nobody has forked. /proc/loadavg, fifth field. */
int last_pid_read(int proc_root, pid_t *ret);

/* The command line with its NULs, at most `size` bytes; *ret_cut says whether it is longer than that.
 * Returns the number of bytes stored: 0 for a kernel thread or a zombie. */
ssize_t proc_cmdline_read(int proc_root, pid_t pid, char *buffer, size_t size, bool *ret_cut);

/* Whether perf went on counting it at its last exec. It stops at a program that is setuid or that its user may not read; the kernel shows most files of
 * such a process as another user's. True where one cannot know, and of one that ends. */
bool proc_is_followed(int proc_root, pid_t pid);

/* The CPU time a process has used so far, all its threads, dead ones too, without its children: nanoseconds.
 * clock_getcpuclockid(3) + clock_gettime(2): needs no right, works on zombies. -ESRCH when there is no such process. */
int process_cpu_clock(pid_t pid, uint64_t *ret_ns);

#endif
