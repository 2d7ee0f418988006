/* SPDX-License-Identifier: MIT */
/* The row that declares a measurement. Rows live in their collector's file; everything that lists measurements
 * (fields, columns, the manual, `assay measurements`) comes from them. Keys are forever: a new source or method is a new
 * key, never a new meaning under an old one. */
#ifndef ASSAY_MODEL_MEASURE_H
#define ASSAY_MODEL_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/value.h"

struct error;
struct buf;
struct json;

enum kind { GAUGE, COUNTER, LABEL, CATEGORICAL, N_KIND };
enum unit {
	UNITLESS,
	BYTES,
	SECONDS,
	PERCENT,
	COUNT,
	JOULES, /* as nanojoules */
	WATTS, /* in 10 microwatts */
	HERTZ,
	CELSIUS, /* in thousandths */
	RATIO, /* in thousandths */
	N_UNIT
}; /* a key's last word is its unit, but for UNITLESS */
enum scope { PROCESS, SINGLE, DEVICE, N_SCOPE };
enum cost {
	FREE,
	CHEAP,
	COSTLY,
	N_COST
}; /* no I/O of its own | some microseconds a process | grows with its memory */

/* What a window makes of a row's readings; which are legal for which kind is checked at start. */
enum reduce {
	LAST = 1u << 0, /* the latest reading */
	MAX = 1u << 1,
	MIN = 1u << 2,
	MEAN = 1u << 3, /* weighted by time */
	DELTA = 1u << 4, /* how much a counter grew within the window */
	TALLY = 1u << 5, /* how often each category was seen */
};

struct measure {
	const char *key;
	const char *help; /* one line, no full stop */
	const char *origin; /* the kernel file or call the number comes from */
	const char *otel; /* the OpenTelemetry name, or NULL */
	/* what it measures, for choosing among sources of the same thing, or NULL; rank 1 is the preferred source */
	const char *quantity;
	uint8_t rank;
	uint8_t kind, unit, scope, cost;
	uint8_t reduce; /* OR of enum reduce */
	uint8_t quality; /* the best it can have */
	uint8_t total_quality; /* of the sum over processes, where it differs; 0: the same */
	bool total; /* PROCESS gauges: the sum over living processes is published too, under the key with _total_ */
	bool mark; /* a gauge that is a high-water mark of the kernel: nothing between two readings escapes it */
	bool on; /* part of the preset "default" */
	bool minimal; /* part of the preset "minimal" */
	const char *total_quantity; /* the quantity the total row measures, or NULL */
	uint8_t total_rank;
	/* key of the counter (same collector) this gauge is the rate of; the loop derives it: PERCENT = 100 x s/s, WATTS = J/s */
	const char *rate_of;
};

/* All rows of this program: the collectors' rows in list order, each total row right after its base. Built once. */
struct measures {
	const struct measure **rows;
	int *collector; /* index of the collector of each row */
	int *base; /* for a total row: the row it sums; else -1 */
	int *rate_of; /* for a derived row: the counter's row; else -1 */
	int *rated_by; /* for a counter: the row derived from it; else -1 */
	size_t n;
	char *storage; /* the total rows and their keys */
};

/* "proc_rss_bytes" -> "proc_rss_total_bytes". -EINVAL when it does not fit. */
int measure_total_key(const char *key, char *total, size_t size);
/* What may be said of the highest of readings of that quality: what came between them is not seen. */
uint8_t measure_peak_quality(const struct measure *row, uint8_t quality);
/* 0 when every row is well formed (key unique and ending in its unit, reduces legal for the kind, rank unique in its
 * quantity, help and origin present); else -EINVAL and what is wrong. */
int measures_check(const struct measures *m, struct error *err);
/* The row's index, or -1. */
int measures_find(const struct measures *m, const char *key);

/* A selection: one bit a row. `text` is a comma-separated list of keys, globs (fnmatch) and the presets minimal, default, all;
 * a leading '-' takes rows away. Sets selected[i]. An item that matches nothing fails with -ENOENT and the nearest key. */
int measures_select(const struct measures *m, const char *text, bool *selected, struct error *err);
/* Whether such a text has the key itself among its items, not only a pattern that covers it. */
bool measures_named(const char *text, const char *key);

const char *kind_name(enum kind k); /* "gauge", "counter", "label", "categorical" */
const char *unit_name(enum unit u); /* "", "bytes", "seconds", "percent", "count", ... */
const char *scope_name(enum scope s); /* "process", "single", "device" */
const char *cost_name(enum cost c); /* "free", "cheap", "costly" */
/* Adds the names of the reduces, comma-separated: "max,mean". */
void reduce_names(uint8_t reduce, struct buf *out);

/* Writes the number in its public unit: what is kept in fractions of it as a decimal, the rest as an integer. */
void json_measure_value(struct json *j, enum unit unit, uint64_t n);

#endif
