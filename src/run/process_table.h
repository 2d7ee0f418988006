/* SPDX-License-Identifier: MIT */
/* What the lines of a series say of each process, added up. Of a run with very many of them those that ended and did least are let go, and counted. */
#ifndef ASSAY_RUN_PROCESS_TABLE_H
#define ASSAY_RUN_PROCESS_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"

struct buf;

/* The numbers of a process, by the names of its members below. */
enum process_number {
	NUMBER_CPU,
	NUMBER_CPU_PERCENT,
	NUMBER_RSS,
	NUMBER_PSS,
	NUMBER_READ,
	NUMBER_WRITE,
	N_PROCESS_NUMBER
};

#define PROCESS_KEYS 8 /* measurements that they are taken from */

/* Numbers are NAN where none was read. */
struct process_sum {
	int64_t pid;
	uint64_t start_ticks;
	char *name; /* as it is in the record: of any bytes but NUL */
	char *command; /* as a shell would take it, not longer than is ever shown; or NULL */
	double cpu_seconds;
	double cpu_percent; /* its highest; of another tool's record it may be a mean over its life */
	double rss_bytes, pss_bytes; /* their highest */
	double read_bytes, write_bytes; /* from and to storage */
	double first_seconds, last_seconds; /* of the windows that list it */
	bool born, ended, left;
	unsigned char qualities[N_PROCESS_NUMBER]; /* enum quality; ABSENT: not known */
};

struct process_table {
	struct process_sum *list;
	size_t n, room;
	uint64_t let_go;
	struct intmap newest; /* by pid */
	size_t next_look; /* how many there are when room is made again */
	bool failed; /* memory ran out */
	unsigned char row_qualities[PROCESS_KEYS]; /* what the record says of each measurement */
};

enum process_order { BY_CPU, BY_MEMORY, BY_IO, BY_START, N_PROCESS_ORDER };

/* Takes from a record's "measurements" how well they are known; before the windows. */
void process_table_begin(struct process_table *t, const json_t *measurements);
/* Of two numbers' qualities what holds for both; ABSENT gives way. */
unsigned char process_quality_of_both(unsigned char a, unsigned char b);
/* Adds what a window says of its processes. */
void process_table_add(struct process_table *t, const json_t *window, double start, double end);
/* Puts them in order, the largest first; by start the earliest first. */
void process_table_sort(struct process_table *t, enum process_order order);
/* The number to order by; -1 where there is none. */
double process_weight(const struct process_sum *p, enum process_order order);
void process_table_done(struct process_table *t);

/* Adds the command of a process in a window as a shell would take it, cut at about so many bytes, with "..." when there is more; nothing where there is none. */
void process_add_command(const json_t *process, size_t bytes, struct buf *out);

#endif
