/* SPDX-License-Identifier: MIT */
/* Which measurements of a run tell the course of its CPU, memory and I/O, the preferred one first. */
#ifndef ASSAY_RUN_TRACK_SOURCES_H
#define ASSAY_RUN_TRACK_SOURCES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum track_of { TRACK_CPU, TRACK_MEMORY, TRACK_IO, N_TRACK_OF };
#define TRACKS_MAX 6 /* sources of one thing that are looked for */
#define TRACK_KEY_SIZE 96

struct track_source {
	char keys[2][TRACK_KEY_SIZE]; /* two are added up; "" */
	bool is_counter; /* its growth a second; else a reading */
	double factor; /* what a reading is multiplied by */
};

/* An empty key ends a list that is not full. */
struct track_sources {
	struct track_source of[N_TRACK_OF][TRACKS_MAX];
};

void track_sources_find(const json_t *info, struct track_sources *ret);

#endif
