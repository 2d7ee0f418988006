/* SPDX-License-Identifier: MIT */
/* The kernel's records of tasks that end (generic netlink family TASKSTATS): name, CPU clock, peak and I/O of each, taken while it
 * exits. They are the machine's, and only for CAP_NET_ADMIN in the machine's first user namespace. */
#ifndef ASSAY_LINUX_TASK_EXITS_H
#define ASSAY_LINUX_TASK_EXITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct roots;

#define TASKSTATS_NAME_SIZE 33

enum taskstats_kind {
	TASKSTATS_TASK, /* AGGR_PID: a thread ended; of a process that never had another one, the process */
	TASKSTATS_PROCESS, /* AGGR_TGID: the last thread of a process that had several ended; right after its TASKSTATS_TASK */
};

struct taskstats_record {
	enum taskstats_kind kind;
	pid_t pid; /* of the task, or of the process */
	uint64_t
		clock_ns; /* what the scheduler counted: short of what came since its last update, and of the teardown to come */

	/* of a task only */
	pid_t tgid; /* its process; 0: this kernel does not tell (before version 12, Linux 5.19) */
	pid_t parent_tgid; /* at the exit */
	bool last_known, last; /* whether the process ended with it; known since version 12 */
	bool forked; /* it never called exec since it was forked */
	char name[TASKSTATS_NAME_SIZE];
	uint32_t exit_status; /* as wait4(2) gives it */
	uint64_t user_ns, system_ns; /* by ticks: of a short process all or nothing */
	uint64_t peak_rss_bytes; /* of its memory since the last exec; 0: not known */
	uint64_t read_bytes,
		write_bytes; /* of storage, this thread's; cancelled writes taken off */
};

struct taskstats_listener {
	int fd; /* -1: closed */
	uint16_t family;
	char cpus[1024]; /* the list it is registered for */
};

/* Whether records are to be had, without asking for any: 0, or a negative errno and why not and what would unlock them. */
int taskstats_probe(const struct roots *roots, struct error *err);
/* Registers for the exits on all processors, with the largest receive buffer that can be had. Records come in the machine's first network
 * namespace only; elsewhere registering works and nothing comes. */
int taskstats_open(struct taskstats_listener *t, const struct roots *roots, struct error *err);
void taskstats_close(struct taskstats_listener *t);

/* Takes a few datagrams that are queued: calls `each` for every record in order. Returns how many datagrams there were, 0 when none is
 * left, or a negative errno. Every ENOBUFS, and every datagram that cannot be parsed, adds one to *lost: how many records that is, nobody knows. */
int taskstats_take(const struct taskstats_listener *t,
	void (*each)(const struct taskstats_record *record, void *context), void *context,
	uint64_t *lost);
/* The most records that one call of taskstats_take() can hand on. */
#define TASKSTATS_TAKE_MAX 64

/* Parses one datagram as taskstats_take does: for tests and fuzzing. Returns records handed on, or -EINVAL. */
int taskstats_parse(const void *bytes, uint32_t n, uint16_t family,
	void (*each)(const struct taskstats_record *record, void *context), void *context);

#endif
