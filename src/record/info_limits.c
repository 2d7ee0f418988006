/* SPDX-License-Identifier: MIT */
/* Renders what bounded the job, each bound with the file or variable that says so. */
#include "record/info_limits.h"

#include <string.h>

#include "base/json.h"
#include "model/run_info.h"
#include "record/raw_text.h"

#define CORE_DIGITS 3 /* cores are held in thousandths */

static const char *unit_of(const struct target_limit *l)
{
	return l->unit == UNITLESS ? "cores" : unit_name(l->unit);
}

static void amount(struct json *j, const struct target_limit *l)
{
	json_key(j, "limit");
	if (l->limit == UINT64_MAX)
		json_text(j, "unlimited");
	else if (l->unit == UNITLESS)
		json_scaled(j, l->limit, CORE_DIGITS);
	else if (l->unit == SECONDS)
		json_seconds(j, l->limit);
	else
		json_u64(j, l->limit);
}

static void target_limit(struct json *j, const struct target_limit *l)
{
	json_object(j);
	int indent = json_on_one_line(j);
	json_key_text(j, "name", l->name);
	json_key_text(j, "unit", unit_of(l));
	amount(j, l);
	json_key_text(j, "source", l->source);
	json_key_raw(j, "where", l->where, strlen(l->where));
	json_key_bool(j, "tightest", l->tightest);
	if (l->has_hits)
		json_key_u64(j, "hits", l->hits);
	if (l->has_hits && l->periods > 0) {
		json_key_u64(j, "periods", l->periods);
		json_key_seconds(j, "throttled_seconds", l->throttled_ns);
	}
	if (l->note[0])
		json_key_text(j, "note", l->note);
	json_object_end(j);
	json_lines(j, indent);
}

void info_target_limits(struct json *j, const struct assay_run_info *info)
{
	if (info->n_target_limits == 0)
		return;
	json_key(j, "target_limits");
	json_array(j);
	for (size_t i = 0; i < info->n_target_limits; i++)
		target_limit(j, &info->target_limits[i]);
	json_array_end(j);
}
