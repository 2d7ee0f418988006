/* SPDX-License-Identifier: MIT */
/*
 * What distinguishes runs, or groups of repeated runs. Runs are taken one after the other and closed again; of each, the values that were asked for and the
 * circumstances stay. `comparison.h` is something else: the sources of one quantity within one run.
 */
#ifndef ASSAY_COMPARE_COMPARE_H
#define ASSAY_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/fields.h"
#include "record/stored_run.h"

enum compare_section {
	SECTION_TIME,
	SECTION_CPU,
	SECTION_MEMORY,
	SECTION_IO,
	SECTION_NETWORK,
	SECTION_PROCESSES,
	SECTION_ENERGY,
	SECTION_OTHER,
	SECTION_MACHINE, /* what all on the machine did */
	SECTION_RECORDER, /* what assay used itself */
	N_SECTION
};

/* One number of one run. Where a bound is not known it is infinite; a number that says nothing of its error has both bounds at the number. */
struct compare_value {
	double value, lower, upper;
	uint8_t quality; /* enum quality; ABSENT: it is no measured value (a size of a file, a count of lines) */
	bool open; /* a bound of which the other side is not known */
	bool unfinished; /* its run was lost or is still running: it says what had been reached by then */
	uint32_t run; /* the same for the same run in another group */
	uint32_t source; /* in compare.sources; 0: it is not said */
};

struct compare_series {
	struct compare_value *values;
	size_t n;
};

struct compare_row {
	char *name;
	enum compare_section section;
	enum field_unit unit;
	bool shown; /* not only asked for by a condition */
	size_t latest; /* the number of the run that it was taken of last */
	struct compare_series *of; /* of each group, as far as there are n_of */
	size_t n_of;
};

/* The different texts that a circumstance has within a group, in the order of their runs. */
#define COMPARE_TEXTS_MAX 4
struct compare_texts {
	char *texts[COMPARE_TEXTS_MAX]; /* long ones are cut */
	uint64_t whole[COMPARE_TEXTS_MAX]; /* a hash of each before it was cut */
	size_t n;
	bool more; /* there are others */
};

struct compare_fact {
	char *name;
	bool asked; /* for by this name */
	struct compare_texts *of;
	size_t n_of;
};

/* Why a run is left out of statistics. */
enum compare_outcome {
	OUTCOME_FINE, /* or not known */
	OUTCOME_RUNNING,
	OUTCOME_LOST,
	OUTCOME_CUT_OFF, /* by a limit */
	OUTCOME_FAILED, /* exit code other than 0, or a signal */
	OUTCOME_UNKNOWN, /* how it ended; compare takes that for fine, a request does not */
	N_OUTCOME
};

struct compare_group {
	char *label;
	char *first; /* the file of its first run */
	size_t runs; /* that are in the statistics */
	size_t outcomes[N_OUTCOME]; /* of all that were given */
	size_t unreadable; /* that were named for it and could not be read */
	bool unfit; /* its only run is shown although it did not end well: nothing is judged by it */
};

/* What a run is known again by when it is named again. */
struct compare_identity {
	bool on_disk;
	dev_t device;
	ino_t inode;
	size_t which; /* of the runs in its file */
	char *words; /* of its record, or NULL */
	uint64_t hash; /* of them */
	size_t *groups; /* it is in */
	size_t n_groups;
};

/* Runs that came again, and the file of the first of them. */
struct compare_again {
	size_t n;
	char *first;
};

struct compare {
	struct compare_group *groups;
	size_t n_groups;
	struct compare_row *rows;
	size_t n_rows;
	struct compare_fact *facts;
	size_t n_facts;
	char **sources;
	size_t n_sources;
	struct compare_identity *identities;
	size_t n_identities;
	struct compare_again repeated; /* within a group: they count once */
	struct compare_again shared; /* in several groups */
	size_t further; /* statistics of the latest run that were not asked for */
	size_t n_taken; /* runs */
	size_t next_row; /* where the next is looked for first */
	bool failed; /* memory ran out */
};

/* What is taken of each run. */
struct compare_wish {
	const char *const
		*fields; /* names or fnmatch(3) patterns; NULL-terminated. NULL: the headline */
	const char *const
		*conditions; /* names besides, which are not shown; NULL-terminated, or NULL */
};

uint64_t compare_hash(const char *text, size_t n);
/* What a copy of a record of assay's own has in common with it, for free(3); NULL where it has no id or start. Two records of one call have the same id: the command's, and
 * that of its target. */
char *compare_record_words(const json_t *info);
/* The group of that label, made when there is none. */
size_t compare_group(struct compare *c, const char *label);
/* Runs of the group that could be read, however they ended. */
size_t compare_given(const struct compare_group *group);
enum compare_outcome compare_outcome(const struct stored_run *run);
/* "running", "lost", "cut off by a limit", "failed" */
const char *compare_outcome_name(enum compare_outcome outcome);
/* Takes a run into a group, once; only counts it when it is `left_out`. -ENOMEM when c->failed. */
int compare_take(struct compare *c, size_t group, const struct stored_run *run,
	const struct compare_wish *wish, bool left_out);
/* The number of the run, from 1, and whether the group has it already; 0 when c->failed. */
uint32_t compare_identify(
	struct compare *c, size_t group, const struct stored_run *run, bool *ret_again);
void compare_identities_done(struct compare *c);
void compare_done(struct compare *c);

/* Rows by section, and within one in the order in which they came. */
void compare_sort(struct compare *c);
const struct compare_row *compare_find(const struct compare *c, const char *name);
/* Of a group; an empty one where it has none. */
const struct compare_series *compare_series(const struct compare_row *row, size_t group);
const struct compare_texts *compare_texts(const struct compare_fact *fact, size_t group);
/* True when not all of these groups have the same. */
bool compare_fact_differs(const struct compare_fact *fact, size_t a, size_t b);
const char *compare_section_name(enum compare_section section);
enum compare_section compare_section_of(const char *field);

#endif
