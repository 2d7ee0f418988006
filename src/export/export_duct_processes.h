/* SPDX-License-Identifier: MIT */
/* The processes that live in a window, which con-duct lists in each and the record only where something came of them. For export_duct.c alone. */
#ifndef ASSAY_EXPORT_EXPORT_DUCT_PROCESSES_H
#define ASSAY_EXPORT_EXPORT_DUCT_PROCESSES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "export/export_rows.h"

struct duct_processes {
	json_t *known; /* by PID.START_TIME_TICKS, in the order in which they came */
	const struct export_row *cpu, *elapsed; /* NULL: the record has none */
	double end; /* of the window, seconds */
	uint64_t
		unsure; /* windows in which more are known than lived: the end of some was in no line */

	/* private */
	json_int_t window;
	json_t *latest; /* by pid: whose it is now */
};

int duct_processes_init(struct duct_processes *p, const struct export_run *run);
void duct_processes_done(struct duct_processes *p);

/* Takes up what a window says of its processes. -ENOMEM. */
int duct_processes_take(struct duct_processes *p, const json_t *window);
/* After the window: those that ended in it are known no more. */
void duct_processes_pass(struct duct_processes *p);

/* Whether it is to be listed: it has its pid, which another may have got since. */
bool duct_process_is_listed(const struct duct_processes *p, const json_t *process);
/* Whether it lived when the window ended. */
bool duct_process_lives(const json_t *process);
/* Whether the window at hand says something of it. */
bool duct_process_is_told(const struct duct_processes *p, const json_t *process);
/* Its age, seconds, and its CPU time by its age, percent; false: not known. */
bool duct_process_age(const struct duct_processes *p, const json_t *process, double *ret);
bool duct_process_cpu(const struct duct_processes *p, const json_t *process, double *ret);

#endif
