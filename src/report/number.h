/* SPDX-License-Identifier: MIT */
/* A number in the unit that people read it in. */
#ifndef ASSAY_REPORT_NUMBER_H
#define ASSAY_REPORT_NUMBER_H

#include <stdint.h>

#include "base/units.h"

/* `n` in the base unit of struct value; UNITLESS: cores in thousandths. */
void format_number(uint8_t unit, uint64_t n, char text[UNITS_TEXT_SIZE]);

#endif
