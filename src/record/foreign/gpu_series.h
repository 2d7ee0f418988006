/* SPDX-License-Identifier: MIT */
/*
 * The windows of a table that has one line a GPU and round: every line is given in the file's order, and a round ends where a GPU comes
 * again. Each importer brings its own rows; the last words of their keys are the same.
 */
#ifndef ASSAY_RECORD_FOREIGN_GPU_SERIES_H
#define ASSAY_RECORD_FOREIGN_GPU_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/foreign/draft.h"

#define GPU_DEVICES_MAX 256
#define GPU_ROWS_MAX 40
#define GPU_NAME_SIZE 96
/* So many of the latest distances between rounds say what is usual. */
#define GPU_DISTANCES 5

/* The place of rows in the importer's table; -1: it has none. */
struct gpu_rows {
	const struct measure *rows;
	size_t n; /* at most GPU_ROWS_MAX; all but the energy are gauges of a device */
	int memory, power, energy; /* of one GPU */
	const char *memory_total, *power_total, *energy_total; /* keys of the sums */
};

struct gpu_device {
	char name[GPU_NAME_SIZE];
	bool in_round;
	double time; /* of its line in the open round */
	uint64_t has; /* bit i: row i has a value */
	double value[GPU_ROWS_MAX];
	uint64_t ever; /* the same of any line of it */
	bool told; /* the importer's */
	bool lacks_energy; /* a stretch, a gap or a time that was set back is not in its energy */
	bool has_power; /* in the round before, at that time */
	double power, power_time;
};

struct gpu_sum {
	uint64_t rounds; /* that have it */
	bool lacks; /* the latest has not */
};

struct gpu_series {
	struct draft *draft;
	const struct gpu_rows *rows;
	struct gpu_device *devices;
	size_t n_devices, capacity;
	struct gpu_device *current; /* of the open line; NULL: it is passed over */
	size_t in_round, latest; /* how many GPUs the open round has; the place of the latest */
	bool named, timed;
	bool only_names; /* a first look: which GPUs there are, and no windows */
	bool has_time;
	bool set_back; /* the clock, in the open round */
	struct gpu_sum memory_sum, power_sum;
	double last_stamp, elapsed; /* of the latest line */
	double round_end; /* of the last closed round */
	double typical; /* seconds between rounds, as it has been of late; 0: not known */
	double distances[GPU_DISTANCES];
	size_t n_distances;
	uint64_t rounds, gaps, backwards, beyond;
	double gap_seconds;
	uint64_t without_energy; /* stretches of a GPU outside of gaps */
	uint64_t dropped; /* cells that held no possible value; the importer's notes */
};

/* `named`: the lines tell their GPU. `timed`: they tell their time; without one, a round stands for a second. */
void gpu_series_init(
	struct gpu_series *s, struct draft *d, const struct gpu_rows *rows, bool named, bool timed);
/* Takes the GPUs that a first look (only_names) found: a sum is one of all of them, whichever line is lost. */
void gpu_series_expect(struct gpu_series *s, struct gpu_series *seen);
/* A line begins; its stamp in seconds. False: it was the end, nobody wants more, or memory ran out (the draft knows). */
bool gpu_series_line(struct gpu_series *s, const char *device, double stamp);
/* A value of the open line, in the row's unit. */
void gpu_series_value(struct gpu_series *s, int row, double value);
/* Closes the last round, and says what a reader must know. */
void gpu_series_end(struct gpu_series *s);
void gpu_series_done(struct gpu_series *s);

/*
 * What stands in a cell, in the row's own unit: "37", "37 %", "2048 MiB". `unit`: of its column, where the cell has none; "": as the tool has it
 * without one. False: it says that there is nothing ("-", "[N/A]", "[Not Supported]" ...), or it is what a driver puts for nothing (all
 * bits set, DCGM's blanks), counted in s->dropped.
 */
bool gpu_cell(struct gpu_series *s, const char *cell, const char *unit, const struct measure *row,
	double *ret);

#endif
