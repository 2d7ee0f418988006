/* SPDX-License-Identifier: MIT */
/* A condition on a difference, as --fail-if has it: "proc_peak_pss_total_bytes > +10%". */
#ifndef ASSAY_COMPARE_CONDITION_H
#define ASSAY_COMPARE_CONDITION_H

#include <stdbool.h>

#include "compare/compare.h"
#include "record/fields.h"

struct buf;
struct error;

#define CONDITION_TEXT_MAX 300

struct condition {
	char text[CONDITION_TEXT_MAX]; /* as it was given */
	char field[CONDITION_TEXT_MAX];
	enum condition_relation {
		RELATION_ABOVE,
		RELATION_BELOW,
		RELATION_AT_LEAST,
		RELATION_AT_MOST
	} relation;
	enum condition_kind {
		CONDITION_VALUE, /* of the other group: "> 2GiB" */
		CONDITION_CHANGE, /* from the base: "> +200MiB" */
		CONDITION_RELATIVE /* of the base: "> +10%"; the bound is 0.10 */
	} kind;
	double bound;
	/* How much runs of one thing may differ by chance, in parts of the base, where there are too few of them to show it. 0: single runs are taken as they stand; NAN: it is not
	 * known, and changes between single runs are not judged. condition_parse() leaves 0. */
	double noise;
};

/* FIELD (>|<|>=|<=) [+|-]NUMBER[UNIT|%]. -EINVAL with a text that says what is wrong. */
int condition_parse(const char *text, struct condition *ret, struct error *err);

enum condition_result {
	CONDITION_NOT_MET,
	CONDITION_MET,
	CONDITION_NOT_JUDGED,
	N_CONDITION_RESULT
};

/* Adds the figures, or why it cannot be judged, in one line without an end. */
enum condition_result condition_judge(const struct compare *c, const struct condition *condition,
	size_t base, size_t other, double confidence, struct buf *why);
/* "not met", "met", "not judged" */
const char *condition_result_name(enum condition_result result);

#endif
