/* SPDX-License-Identifier: MIT */
/* The values that a template may name.. */
#ifndef ASSAY_SHOW_TEMPLATE_VALUE_H
#define ASSAY_SHOW_TEMPLATE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct assay_run_info;

enum template_kind { TEMPLATE_NONE, TEMPLATE_TEXT, TEMPLATE_INTEGER, TEMPLATE_DECIMAL };

struct template_value {
	enum template_kind kind;
	double number; /* of INTEGER and DECIMAL */
	struct buf text; /* of TEXT */
};

/* Whether the name stands for something in every run, whatever is measured. Tags ("tag_x") do. */
bool template_name_is_known(const char *name);
/* The known name that was meant, for a message, or NULL: none is close enough. */
const char *template_name_like(const char *name);
/* Its value in this run; NONE when it has none. Free the text with buf_done(). */
struct template_value template_value_of(const struct assay_run_info *info, const char *name);

#endif
