/* SPDX-License-Identifier: MIT */
/* What the parts of the importer of JUmPER's sessions share. */
#ifndef ASSAY_RECORD_FOREIGN_JUMPER_H
#define ASSAY_RECORD_FOREIGN_JUMPER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/foreign/draft.h"
#include "record/foreign/session_files.h"

struct error;

#define JUMPER_N_IO 4

/* The columns of its counters of I/O. */
extern const char *const jumper_io_columns[JUMPER_N_IO];

/* What of its manifest the table of a level needs. */
struct jumper_session {
	struct draft *d;
	struct error *err;
	const char *level; /* "process", "user", "slurm", "system" */
	double cpus; /* of the level; 0: not told */
	double start; /* of its own clock, perf_counter(); 0: not told */
	double wall_at_start; /* seconds since 1970; 0: not told */
	double io_before
		[JUMPER_N_IO]; /* what the counters had before the first row; -1: only assay's own exports tell */
};

/* Reads perf_LEVEL.csv. 0 or the draft's code. */
int jumper_read_level(const struct jumper_session *s, struct session_file *file);
/* Tells of cell_history.csv in notes. */
int jumper_read_cells(const struct jumper_session *s, struct session_file *file);

#endif
