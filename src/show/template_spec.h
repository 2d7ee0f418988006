/* SPDX-License-Identifier: MIT */
/* How a value is written: the format spec of Python's str.format() as far as it concerns numbers and text.. */
#ifndef ASSAY_SHOW_TEMPLATE_SPEC_H
#define ASSAY_SHOW_TEMPLATE_SPEC_H

#include <stdbool.h>

#include "base/format_spec.h"
#include "show/template_value.h"

struct buf;

/* Adds the value; false, and nothing is added, when the spec does not suit it. NONE is "-". */
bool template_spec_apply(
	const struct format_spec *spec, const struct template_value *value, struct buf *out);

#endif
