/* SPDX-License-Identifier: MIT */
/* con-duct's usage.jsonl, line by line, and the rows that all of its figures have. For duct.c alone. */
#ifndef ASSAY_RECORD_FOREIGN_DUCT_SERIES_H
#define ASSAY_RECORD_FOREIGN_DUCT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/foreign/draft.h"

#define DUCT_WALL "duct_wall_seconds"
#define PS_RSS "ps_rss_bytes"
#define PS_VSZ "ps_vsz_bytes"
#define PS_MEMORY "ps_memory_percent"
#define PS_CPU "ps_lifetime_cpu_percent"
#define PS_ELAPSED "ps_elapsed_seconds"
#define PS_RSS_TOTAL "ps_rss_total_bytes"
#define PS_VSZ_TOTAL "ps_vsz_total_bytes"
#define PS_MEMORY_TOTAL "ps_memory_total_percent"
#define PS_CPU_TOTAL "ps_lifetime_cpu_total_percent"
#define PS_PROCESSES "ps_processes_count"

extern const struct measure duct_rows[];
extern const size_t n_duct_rows;

struct duct_series {
	uint64_t started_ns; /* of the run; 0: its first sample is the beginning */
	bool wall_known;
	double peak_rss; /* of the sums; by the info file, or of the windows */
	double peak_process_rss;
	double end_seconds; /* of the last window */
	uint64_t windows;
	uint64_t processes; /* pids that were seen */
	bool is_too_old; /* a line is of a form before that of 0.1.0 */

	/* private */
	uint64_t last_ns;
	uint8_t *seen; /* one bit a pid */
};

/* Hands every line that can be read to the draft. 0, or the negative errno of reading. */
int duct_series_read(struct duct_series *s, int fd, struct draft *d);
void duct_series_done(struct duct_series *s);

#endif
