/* SPDX-License-Identifier: MIT */
/* Keeps the recorder within a budget of CPU time: what rests is read less often, PSS in rarer rounds, and at last samples are left out. */
#ifndef ASSAY_MONITOR_EFFORT_H
#define ASSAY_MONITOR_EFFORT_H

#include <stdint.h>

struct monitor;

struct effort {
	uint64_t budget; /* thousandths of a percent of one CPU; 0: none */
	uint64_t began_ns,
		paced_before_ns; /* of the sample that is being taken: CPU time of this thread */
	uint64_t usual_ns; /* what a sample lately cost, without PSS */
};

/* Around each sample. */
void effort_begin(struct monitor *m);
void effort_end(struct monitor *m);

#endif
