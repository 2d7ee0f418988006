/* SPDX-License-Identifier: MIT */
/* A number in the unit that people read it in: the one place for the summary, show, ls and compare. */
#ifndef ASSAY_RECORD_NUMBER_H
#define ASSAY_RECORD_NUMBER_H

#include <stdint.h>

#include "base/units.h"

/* `n` in the base unit of struct value; UNITLESS: cores in thousandths. */
void format_number(uint8_t unit, uint64_t n, char text[UNITS_TEXT_SIZE]);
/* Cores as a record has them, in thousandths: rounded as the summary of the run rounded them, "1.00" of 0.995, which a double is below. */
void format_cores(double cores, char text[UNITS_TEXT_SIZE]);
/* Thousandths of a percent: "153.2 %". */
void format_percent(uint64_t thousandths, char text[UNITS_TEXT_SIZE]);
/* The mark of a quality that is known by its name, as the public header has it: ">=" of "lower_bound"; "" of none. */
const char *mark_of_quality(const char *name);

#endif
