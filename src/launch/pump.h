/* SPDX-License-Identifier: MIT */
/* The pump: a tiny process of our own between the job's pipes and where the bytes go, so that sampling never delays a prompt and
 * our own end never breaks the job's output. It goes on until nobody holds the other end of its pipes. */
#ifndef ASSAY_LAUNCH_PUMP_H
#define ASSAY_LAUNCH_PUMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/relay.h"

struct error;
struct rusage;

#define PUMP_STREAMS_MAX 2

/* What became of one stream's bytes. Written by the pump, read by the monitor. */
struct pump_counts {
	_Atomic uint64_t kept_bytes; /* in the file */
	_Atomic uint64_t lost_bytes; /* that the file could not take */
	_Atomic uint64_t unpassed_bytes; /* that our own output could not take */
	_Atomic int keep_errno, times_errno, pass_errno; /* the latest trouble of each, or 0 */
	_Atomic uint32_t in_line; /* the file ends within a line */
	_Atomic uint32_t reader_gone; /* who read our own output closed it */
	_Atomic uint32_t ended; /* nothing more is read from it */
};

/* The page that pump and monitor share. */
struct pump_page {
	_Atomic uint64_t start_ns; /* CLOCK_MONOTONIC: the times of lines count from here */
	_Atomic uint32_t asked, answered; /* requests to pass on what is in the pipes, by number */
	_Atomic uint64_t cpu_ns; /* of the pump, when it last answered or ended */
	struct relay_page relay;
	struct pump_counts streams[PUMP_STREAMS_MAX];
};

/* Descriptors of one stream, all O_CLOEXEC and above the standard three; -1: none. */
struct pump_stream {
	int from; /* the job's pipe or the master of its terminal; O_NONBLOCK */
	int to; /* a copy of our own output */
	int file; /* O_APPEND */
	int times; /* the file of the times of lines; O_APPEND */
	bool is_terminal;
};

/* One pump. It serves the streams that go to one place: what blocks there blocks them all, as it would without us. */
struct pump {
	struct pump_page *page;
	struct pump_stream streams[PUMP_STREAMS_MAX];
	size_t n;
	pid_t pid; /* 0: none runs */
	int keyboard; /* our terminal, when the job's is one that leads a session of its own; -1 */
	int window_of; /* our terminal, whose size that of the job's follows; -1 */
	int request_fd; /* eventfd: wakes the pump */
	int news_fd; /* the monitor's end of a pipe: SIGCHLD comes when the pump has news or has died */
	int told_fd; /* the pump's end; only while one is being started */
	struct rusage *
		children_usage; /* what a pump that was reaped left in RUSAGE_CHILDREN is added there; NULL: nowhere */
	uint64_t seen_cpu_ns, dead_cpu_ns; /* of this pump as last seen; of its dead predecessors */
};

/* A pump without streams; every descriptor of theirs is -1. */
void pump_init(struct pump *p);
/* Starts the process. The caller's signals are blocked, and it reads SIGCHLD. The descriptors stay open here too: a pump that is
 * killed then does not break the job's pipe, and a new one can go on. pump_done() closes them. */
int pump_start(struct pump *p, struct error *err);
/* To be called at each SIGCHLD: closes what the pump has done with, starts another where one was killed. */
void pump_attend(struct pump *p);
/* Asks the pump to pass on all that is in the pipes now, and then to follow the wish in the relay's page. */
void pump_ask(struct pump *p);
/* Whether that is done. */
bool pump_answered(const struct pump *p);
/* Waits until it is, but not long: what takes the output may not take it. */
void pump_wait(struct pump *p);
/* Whether it was stopped because it wrote to a terminal from the background (stty tostop). */
bool pump_is_stopped_by_terminal(const struct pump *p);
/* CPU time of the pump, and of those before it. */
uint64_t pump_cpu_ns(struct pump *p);
void pump_done(struct pump *p);

/* The process itself; for pump.c. */
_Noreturn void pump_main(struct pump *p);

#endif
