/* SPDX-License-Identifier: MIT */
/* The process events connector (netlink, cn_proc): every fork and exit of the machine as it happens.
 * An ordinary user may listen since Linux 6.6; not from another network or PID namespace. */
#ifndef ASSAY_LINUX_PROC_CONNECTOR_H
#define ASSAY_LINUX_PROC_CONNECTOR_H

#include <stdint.h>
#include <sys/types.h>

struct error;

enum connector_event_kind { CONNECTOR_FORK, CONNECTOR_EXIT, CONNECTOR_EXEC };

struct connector_event {
	enum connector_event_kind kind;
	pid_t tid, tgid; /* the new task, or the one that exited or called exec */
	pid_t parent_tid,
		parent_tgid; /* fork: the forking task. exit: the parent, where the kernel tells it, else 0 */
	uint64_t timestamp_ns; /* monotonic */
};

/* Subscribes (non-blocking, O_CLOEXEC, the largest receive buffer that can be had). Returns a descriptor only when the kernel
 * acknowledged the subscription; else a negative errno and why it cannot and what would help. */
int connector_open(struct error *err);

/* Wants to be told of every exec on the machine as well: to be called before anything is read. Kernels before 6.6 tell of them in any case. */
int connector_ask_for_execs(int fd);

/* About how many events the socket's buffer holds: what is not drained by then is lost. */
uint64_t connector_capacity(int fd);

/* Drains what is queued: calls `each` for every fork, exit and exec event in order. Returns the number of events, or a
 * negative errno. Every ENOBUFS met on the way, and every datagram of the kernel that cannot be
 * parsed, adds one to *lost: events are gone, how many is unknown. */
int connector_drain(int fd, void (*each)(const struct connector_event *event, void *context),
	void *context, uint64_t *lost);

/* Parses one datagram as connector_drain does: for tests and fuzzing. Returns events handed on, or -EINVAL. */
int connector_parse(const void *bytes, uint32_t n,
	void (*each)(const struct connector_event *event, void *context), void *context);

#endif
