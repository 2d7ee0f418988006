/* SPDX-License-Identifier: MIT */
/* A record that was continued: what each joining saw, and what may be said of all of them together. */
#ifndef ASSAY_MODEL_SEGMENT_H
#define ASSAY_MODEL_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct assay_run_info;

/* A quantity of the headline, as it was at the end of a joining. */
struct segment_value {
	char name[32];
	char key[80]; /* the measurement it came from */
	uint8_t unit; /* enum unit, as in struct headline */
	uint8_t quality; /* enum quality, never ABSENT */
	uint64_t n;
};

/* From a joining to its end. */
struct segment {
	uint64_t started_realtime_ns,
		ended_realtime_ns; /* ended 0: it has not, or nobody wrote it down */
	uint64_t wall_ns;
	uint64_t boottime_ns; /* CLOCK_BOOTTIME at its start; 0: not known */
	char boot_id[40];
	uint64_t first_start_ticks; /* of a tree's first process; 0: it has none */
	uint64_t at_start; /* processes that were there */
	uint64_t windows; /* lines of the series that it wrote or lost */
	char words[160], evidence[240]; /* how it ended; "": it has not, or nobody wrote it down */
	struct segment_value *values; /* heap */
	size_t n_values;
};

/* The joinings of a record, the one under way the last; what the record said before it. */
struct joined {
	struct segment *list; /* heap */
	size_t n; /* 0: the record was not continued */
	uint64_t at_start, seen, ended, left; /* of the earlier ones together */
	uint64_t before_cpu_ns, before_read_bytes, before_write_bytes;
	bool before_io_known;
	uint64_t suspended_ns;
};

/* The unit of a headline by its name's last word; false for a name that no headline has. */
bool segment_unit(const char *name, uint8_t *ret);
/* What a later reader makes of one whose recorder never came to its end: all it says is a lower bound. */
void segment_is_lost(struct segment *s);
/* The value of that name, or NULL; makes room for one when `add`, NULL without memory. */
struct segment_value *segment_value(struct segment *s, const char *name, bool add);
/* Takes the value of that name out. */
void segment_forget(struct segment *s, const char *name);
/* Sets a value; nothing without memory. */
void segment_set(struct segment *s, const char *name, uint64_t n, uint8_t quality, const char *key);
/* Makes the mean number of cores anew from the CPU time and the wall time. */
void segment_renew_mean(struct segment *s);
void segment_done(struct segment *s);
void joined_done(struct joined *j);

/*
 * After the conclusions of the joining under way: keeps them as its segment, and puts those of all joinings in the headline. Sums are of what was
 * watched; what happened between is in none of them, and a note says so. Does nothing to a record that was not continued.
 */
void segments_merge(struct assay_run_info *info);

#endif
