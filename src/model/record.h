/* SPDX-License-Identifier: MIT */
/* A closed window, as sinks receive it. Everything here is borrowed and dies when the sink returns. */
#ifndef ASSAY_MODEL_RECORD_H
#define ASSAY_MODEL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/window.h"

struct error;

/* One process in a record: it was born, ended, ran or changed its memory within the window. */
struct process_record {
	pid_t pid, ppid;
	uint64_t start_ticks; /* boot clock ticks: pid and start_ticks are the identity */
	const char *name; /* raw bytes of comm, NUL-terminated */
	const char *
		command; /* raw bytes of /proc/PID/cmdline with its NULs; NULL unless it is new or changed */
	size_t command_size;
	bool command_cut; /* the command line is longer than what is kept */
	uid_t uid;
	bool born, ended; /* since its last line */
	bool left; /* it lives on, in no target that is watched */
	uint64_t
		since_ns; /* since the run began: what its values cover begins here, at its last line or its birth */
	uint32_t states[N_STATES]; /* samples seen in each state, in the order of STATE_LETTERS */
	const struct accumulator
		*rows; /* one per PROCESS row that is not a total, indexed by process_column[row] */
};

/* One device: a processor, a disk, an interface, an energy domain. */
struct device_record {
	const char *kind; /* "cpu", "disk", "interface"; a literal */
	char name[64]; /* raw bytes */
	int collector; /* index of the one whose rows it has */
	/* one per DEVICE row of that collector, indexed by device_column[row]: of this window, of the whole run */
	struct accumulator *rows, *run_rows;
};

struct record {
	uint64_t sequence;
	uint64_t start_ns, end_ns; /* since the run began, monotonic */
	uint64_t before_ns; /* a record that is continued began this long before the run */
	uint64_t
		segment; /* of a record that is continued: its joinings are counted from 1; else 0 */
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC at the close */
	uint64_t realtime_ns; /* UTC at the close */
	uint64_t suspended_ns; /* the machine slept this long within the window: a gap, not work */
	uint32_t samples;
	uint32_t missed_ticks;
	bool last; /* the run ends with this record */

	const struct measures *measures;
	const bool *selected; /* per row */
	const int *process_column; /* per row: its place in process_record.rows, or -1 */
	const struct summary *singles; /* per row: SINGLE and total rows; others unused */

	size_t n_devices;
	const struct device_record *devices;
	const int *device_column; /* per row: its place in device_record.rows, or -1 */
	size_t n_processes;
	const struct process_record *processes; /* those worth a line */
	size_t n_quiet; /* living ones that did nothing since their last line */
	size_t n_omitted; /* active ones beyond the limit of a line */
};

/* A sink takes closed windows. `write` returns 0 or a negative errno; a failure never stops the run. */
struct sink {
	int (*write)(struct sink *sink, const struct record *record, struct error *err);
};

#endif
