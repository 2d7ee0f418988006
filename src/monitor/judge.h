/* SPDX-License-Identifier: MIT */
/* Whether the target is beyond one of its limits, and when that must be looked at again. */
#ifndef ASSAY_MONITOR_JUDGE_H
#define ASSAY_MONITOR_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/limits.h"

struct monitor;

struct judge {
	struct limits limits;
	uint64_t start_ns;
	uint64_t cpus; /* so many seconds of CPU time a second, at most */
	uint64_t
		look_ns; /* when a tick is due for a limit; UINT64_MAX: those of the schedule will do */
	uint64_t pss_due_ns; /* when a round of PSS is due */
	bool pss_wanted; /* the sum of RSS is beyond the limit: PSS must say */
	bool over_once; /* the latest round was beyond the limit: the next one decides */
};

/* What a limit found. */
struct verdict {
	enum limit_name limit;
	uint64_t value;
};

/* The monitor has been started at `start_ns`. Collectors that a limit needs are read from now on. */
void judge_begin(
	struct judge *j, const struct limits *limits, struct monitor *m, uint64_t start_ns);
/* Limits that need no tick: wall time and output. */
bool judge_now(const struct judge *j, uint64_t now_ns, uint64_t output_bytes, struct verdict *ret);
/* When the limit of wall time is reached, if there is one. */
uint64_t judge_wall_end_ns(const struct judge *j);
/* When judge_now() or a tick is due next; UINT64_MAX: never on account of a limit. */
uint64_t judge_due_ns(const struct judge *j, uint64_t now_ns);
/* Around each tick; `cost_ns` is what the tick took of our time. */
void judge_before_tick(const struct judge *j, struct monitor *m, uint64_t now_ns);
bool judge_after_tick(struct judge *j, struct monitor *m, uint64_t cost_ns, struct verdict *ret);

#endif
