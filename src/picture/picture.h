/* SPDX-License-Identifier: MIT */
/*
 * What is drawn of one or several runs: panels over one axis of time. No drawing, and no I/O but reading each series; memory that does not grow with it.
 * gnuplot, the page and the terminal draw from this alone. Texts are as the records have them, of any bytes but NUL: whoever writes them makes them safe for
 * where they go. Values are in the unit of their panel; axis.h says how they are written.
 */
#ifndef ASSAY_PICTURE_PICTURE_H
#define ASSAY_PICTURE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/value.h"

struct error;
struct stored_run;

#define PICTURE_RUNS_MAX 64
#define PICTURE_POINTS_USUAL 1000
#define PICTURE_POINTS_MAX 100000
#define PICTURE_PROCESSES_USUAL 8
#define PICTURE_PROCESSES_MAX 100
#define PICTURE_ALL_RUNS ((size_t) -1)

/* A stretch of time, in seconds from the picture's zero: the least and the greatest value in it, and the mean weighted by time. A peak is never thinned away. */
struct picture_point {
	double start, end, low, high, mean;
	double high_start,
		high_end; /* the window in which the greatest was met, however many became this point */
};

struct picture_line {
	char *key; /* of the measurement: "proc_pss_total_bytes"; of the processes that are not drawn one by one: "rest" */
	char *label; /* what people call it: "PSS of all processes"; of several runs with the run before it; of a process: "1234 python3" */
	char *why; /* one sentence on what the number is; NULL */
	enum quality quality; /* the worst of the points drawn */
	char *peak_key; /* of the measurement that knows the greatest values inside of windows, which the line's own does not; NULL: it is the line's own */
	enum quality peak_quality; /* of the greatest values */
	size_t run; /* which of the runs */
	bool rate; /* growth a second of a counter: a point is the mean of its window, its peak that of the highest window */
	struct picture_point *
		points; /* in order of time, none overlaps the next; nothing is known between an end and a later start */
	size_t n;
};

/* The truth lies between two lines of the panel: the index of each. */
struct picture_band {
	size_t low, high;
	char *label;
};

/* A level that holds all the time: "limit 4 GiB (cgroup memory.max)", "requested 4 cores (Slurm)", "allowed 2 cores (affinity)". */
struct picture_limit {
	char *label;
	double value;
	size_t run; /* PICTURE_ALL_RUNS: it is the same for several */
	bool in_sight; /* near enough to the lines to be drawn without pressing them flat; else the label alone tells it */
};

struct picture_panel {
	char *name; /* "cpu", "memory", "io" ...; of --metrics */
	char *title; /* "Memory" */
	const char *
		unit; /* of all values: "bytes", "bytes/s", "cores", "percent", "seconds", "count", "count/s", "watts" ...: see axis.h; a literal */
	size_t run; /* PICTURE_ALL_RUNS: lines of several runs; else all are of this one */
	bool stacked; /* lines are parts of a whole (processes, processors), the first at the bottom; all have the same stretches, and NAN where a part is not known or not there */
	double highest; /* of the values drawn; of a stack the greatest sum of means, which is what is stacked */
	struct picture_line *lines;
	size_t n_lines;
	struct picture_band *bands;
	size_t n_bands;
	struct picture_limit *limits;
	size_t n_limits;
};

enum picture_mark_kind {
	PICTURE_START,
	PICTURE_JOINED, /* the recording went on */
	PICTURE_LIMIT, /* that ended the run */
	PICTURE_OOM,
	PICTURE_PHASE,
	PICTURE_STOP, /* the command was stopped (SIGTSTP, SIGSTOP) in the window that begins there */
	PICTURE_GAPS, /* there are more than are shown */
	PICTURE_END
};

/* Something that happened at a moment. */
struct picture_mark {
	size_t run;
	double at;
	enum picture_mark_kind kind;
	char *label; /* "end: exited with 0" */
};

enum picture_gap_kind {
	PICTURE_SLEPT, /* the machine did */
	PICTURE_UNRECORDED, /* in no window */
	PICTURE_MISSED, /* most samples were due and not taken */
	PICTURE_CUT /* left out of the axis: what stands here took cut_seconds */
};

struct picture_gap {
	size_t run; /* PICTURE_ALL_RUNS of a cut */
	double start, end;
	enum picture_gap_kind kind;
	double cut_seconds;
	char *why; /* "the machine slept", "nothing was recorded", "idle for 5m 0s, left out" */
};

struct picture_run {
	const struct stored_run *stored; /* borrowed from the caller */
	char *name; /* what tells it from the others: its name, or the end of its id, or its file */
	char *id, *command, *host, *started; /* NULL: not known */
	char *outcome; /* "exited with 0"; "still running", "lost: ..." */
	char *format; /* "assay", or the importer's */
	double wall_seconds; /* NAN: not known */
	double offset; /* of its start from the picture's zero */
	size_t windows, damaged; /* of its series */
	size_t missing; /* windows that are not in it, and no damaged line stands for them */
	bool torn;
	char *trouble; /* its series could not be read to the end: one line; NULL */
};

enum picture_layout {
	PICTURE_OVERLAID, /* lines of all runs in one panel */
	PICTURE_STACKED, /* each run has panels of its own, one run below the other */
	PICTURE_BESIDE /* each run has panels of its own, in a column of its own: panels come run by run, the same in each column where both have them */
};

struct picture {
	struct picture_run *runs;
	size_t n_runs;
	struct picture_panel *panels;
	size_t n_panels;
	struct picture_mark *marks; /* by time */
	size_t n_marks;
	struct picture_gap *gaps; /* by time */
	size_t n_gaps;
	double start,
		end; /* of the axis, in seconds from zero: 0 and the span, or what --from and --to say */
	bool wall_time; /* the axis is the clock, not seconds from the start */
	double zero_unix; /* the clock's seconds since 1970 at zero; NAN */
	long utc_offset; /* seconds, of the local time of the first run */
	enum picture_layout layout;
};

enum picture_time {
	PICTURE_TIME_USUAL, /* the clock for several runs that overlap in time, else from the start */
	PICTURE_FROM_START, /* of each run */
	PICTURE_CLOCK
};

struct picture_options {
	double from, to; /* seconds from zero; NAN: all of it */
	const char *
		metrics; /* names of panels and keys with * and ?, a leading - takes away; NULL: what is usual */
	size_t n_processes; /* drawn one by one, the rest is one line; 0: PICTURE_PROCESSES_USUAL */
	size_t points_max; /* of a line; 0: PICTURE_POINTS_USUAL */
	enum picture_time time;
	enum picture_layout layout;
	bool compress_idle;
	bool per_core;
	bool keep_empty; /* with -ENODATA the picture is left as it is, for what its runs tell of their series; it is to be done with */
	bool unstacked; /* processes are lines beside each other, each with its least and greatest, not parts of a whole */
};

/*
 * 0, or a negative errno with a line: -ENOENT of a metric that none of the runs has (with the nearest that one has), -ENODATA when there is nothing to draw,
 * -ENOMEM. That a series could not be read to its end is told by its run's `trouble`. The runs are borrowed as long as the picture lives.
 */
int picture_make(const struct stored_run *const *runs, size_t n, const struct picture_options *o,
	struct picture *ret, struct error *err);
void picture_done(struct picture *p);

/* The time from zero that stands at a place of the axis: the same, but behind what idle compression left out. */
double picture_time_at(const struct picture *p, double at);
/* The panel of that name of that run (or PICTURE_ALL_RUNS); NULL. */
const struct picture_panel *picture_panel_of(const struct picture *p, const char *name, size_t run);

#endif
