/* SPDX-License-Identifier: MIT */
/* The limits of a run as they are written: "wall=2h, cpu=10h, memory=8G, processes=500, output=1G". */
#ifndef ASSAY_MONITOR_LIMITS_H
#define ASSAY_MONITOR_LIMITS_H

#include <stdint.h>

struct error;

enum limit_name {
	LIMIT_WALL,
	LIMIT_CPU,
	LIMIT_MEMORY,
	LIMIT_PROCESSES,
	LIMIT_OUTPUT,
	N_LIMITS,
};

struct limits {
	uint64_t at[N_LIMITS]; /* in base units; 0: none */
};

/* What is fixed about each. */
struct limit_row {
	const char *name;
	uint8_t unit; /* enum unit */
	const char *key; /* what it is judged by */
};
extern const struct limit_row limit_rows[N_LIMITS];

/* Separated by commas or blanks, each at most once. -EINVAL and one line that says what is wrong and what is known. */
int limits_parse(const char *text, struct limits *ret, struct error *err);

#endif
