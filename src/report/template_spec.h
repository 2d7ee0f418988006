/* SPDX-License-Identifier: MIT */
/* How a value is written: the format spec of Python's str.format() as far as it concerns numbers and text. For src/report only. */
#ifndef ASSAY_REPORT_TEMPLATE_SPEC_H
#define ASSAY_REPORT_TEMPLATE_SPEC_H

#include <stdbool.h>

#include "report/template_value.h"

struct buf;

/* [[fill]align][sign][0][width][,][.precision][type] */
struct template_spec {
	char fill; /* ASCII */
	char align; /* '<', '>', '^', '=', or 0: by kind */
	char sign; /* '+', '-', ' ' */
	char grouping; /* ',' or '_' between thousands, or 0 */
	char type; /* of "dfFeEgGs%", or 0 */
	int width, precision; /* -1: not given */
};

/* False when it is no spec. */
bool template_spec_parse(const char *text, size_t n, struct template_spec *ret);
/* Adds the value; false, and nothing is added, when the spec does not suit it. NONE is "-". */
bool template_spec_apply(
	const struct template_spec *spec, const struct template_value *value, struct buf *out);

#endif
