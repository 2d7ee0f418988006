/* SPDX-License-Identifier: MIT */
/* One look at the job, as it is handed on at once. Everything here is borrowed and dies when the sink returns. */
#ifndef ASSAY_MODEL_SAMPLE_H
#define ASSAY_MODEL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/window.h"

struct sample_process {
	pid_t pid;
	uint64_t start_ticks; /* boot clock ticks: pid and start_ticks are the identity */
	const char *name; /* raw bytes of comm, NUL-terminated */
	char state; /* a letter of STATE_LETTERS */
	const struct accumulator *rows; /* indexed by process_column[row] */
};

struct sample {
	uint64_t sequence;
	uint64_t since_start_ns;
	uint64_t monotonic_ns; /* when the look began: what was read in it has no earlier stamp */
	uint64_t realtime_ns;
	bool last; /* the run ends with this sample */

	const struct measures *measures;
	const bool *selected; /* per row */
	const int *process_column; /* per row: its place in sample_process.rows, or -1 */
	const struct accumulator *singles; /* per row: SINGLE and total rows; others unused */

	size_t n_processes;
	const struct sample_process *processes; /* the largest shares of CPU or memory first */
	size_t n_living;
};

/* Whether the accumulator's latest reading is of the look that began then. */
bool accumulator_read_since(const struct accumulator *a, uint64_t monotonic_ns);

/* Takes samples as they come. It keeps its troubles to itself until it is asked: none stops the run. */
struct sample_sink {
	void (*take)(struct sample_sink *sink, const struct sample *sample);
};

#endif
