/* SPDX-License-Identifier: MIT */
/* Finds the statistics of a whole run: in its record, or in its windows. */
#include "export/export_totals.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "export/export.h"
#include "export/export_series.h"
#include "record/info_json.h"
#include "record/json_walk.h"

static const char *const statistics[] = { "", "peak", "mean", "min", "last" };

static const json_t *told(const json_t *summary, const char *key, const char *statistic)
{
	char name[192];

	if (statistic_key(key, statistic, name, sizeof(name)) < 0)
		return NULL;
	return json_object_get(summary, name);
}

const json_t *export_summary_value(
	const struct export_run *run, const char *key, const char *statistic)
{
	const json_t *one = told(json_object_get(run->info, "summary"), key, statistic);
	const json_t *number = json_object_get(one, "value");

	return json_is_number(number) ? number : NULL;
}

static int all_of(const struct export_run *run, const json_t *summary, const json_t *device,
	int (*each)(const struct export_total *, void *), void *context)
{
	int r = 0;

	for (size_t i = 0; i < run->n_rows && r >= 0; i++) {
		const struct export_row *row = &run->rows[i];

		if (!row->chosen || (row->scope == DEVICE) != (device != NULL))
			continue;
		for (size_t s = 0; s < ARRAY_SIZE(statistics) && r >= 0; s++) {
			const json_t *one = told(summary, row->key, statistics[s]);
			struct export_total total = { row, statistics[s],
				json_object_get(one, "value"),
				json_string_value(json_object_get(one, "quality")), device };

			if (json_is_number(total.number))
				r = each(&total, context);
		}
	}
	return r < 0 ? r : 0;
}

/* All that a record tells has nine decimals at most: their sum has no more. */
static double sum_of(double a, double b)
{
	double sum = a + b;

	return sum >= 0 && sum < 4e6 ? (double) (uint64_t) (sum * 1e9 + 0.5) / 1e9 : sum;
}

/* {"max": ..., "min": ..., "last": ..., "delta": ...} of what the windows had so far. */
static int fold_value(const struct export_value *value, void *context)
{
	json_t *totals = context;
	const char *name = export_statistics[value->statistic];
	json_t *total = json_object_get(totals, value->row->key);
	double number = json_number_value(value->number);
	double before = json_number_value(json_object_get(total, name));
	bool first = !json_object_get(total, name);

	if (strcmp(name, "mean") == 0)
		return 0;
	if (!total && json_object_set_new(totals, value->row->key, json_object()) < 0)
		return -ENOMEM;
	total = json_object_get(totals, value->row->key);
	if (value->quality)
		json_object_set_new(total, "quality", json_string(value->quality));
	if (!first && ((strcmp(name, "max") == 0 && number <= before) ||
			      (strcmp(name, "min") == 0 && number >= before)))
		return 0;
	if (!first && strcmp(name, "delta") == 0) {
		json_t *was = json_object_get(total, name);
		json_int_t sum;

		if (json_is_integer(was) && json_is_integer(value->number) &&
			!__builtin_add_overflow(
				json_integer_value(was), json_integer_value(value->number), &sum))
			return json_object_set_new(total, name, json_integer(sum));
		return json_object_set_new(total, name, json_real(sum_of(before, number)));
	}
	return json_object_set_new(total, name, json_copy(json_walk(value->number)));
}

static int fold_window(struct export *x, struct export_run *run, const json_t *window)
{
	return export_values(run, window, 0, fold_value, x->state) < 0 ? -ENOMEM : 0;
}

/* The totals as a summary has them. */
static int tell_folded(const struct export_run *run, const json_t *totals,
	int (*each)(const struct export_total *, void *), void *context)
{
	static const struct {
		const char *reduce, *statistic;
	} names[] = { { "delta", "" }, { "max", "peak" }, { "min", "min" }, { "last", "last" } };
	int r = 0;

	for (size_t i = 0; i < run->n_rows; i++) {
		const json_t *total = json_object_get(totals, run->rows[i].key);

		for (size_t n = 0; n < ARRAY_SIZE(names) && r >= 0; n++) {
			struct export_total one = { &run->rows[i], names[n].statistic,
				json_object_get(total, names[n].reduce),
				json_string_value(json_object_get(total, "quality")), NULL };

			if (one.number)
				r = each(&one, context);
		}
	}
	return r < 0 ? r : 0;
}

int export_totals(struct export *x, struct export_run *run,
	int (*each)(const struct export_total *total, void *context), void *context,
	struct error *err)
{
	const json_t *summary = json_object_get(run->info, "summary");
	void *state = x->state;
	const json_t *device;
	size_t i;
	int r;

	if (!summary) {
		json_t *totals = json_object();

		x->state = totals;
		r = totals ? export_series(x, run, fold_window, err) : -ENOMEM;
		x->state = state;
		if (r == 0)
			r = tell_folded(run, totals, each, context);
		json_decref(totals);
		return r;
	}
	r = all_of(run, summary, NULL, each, context);
	json_array_foreach(json_object_get(run->info, "devices"), i, device)
	{
		if (r == 0 && (x->options->subjects & EXPORT_DEVICES))
			r = all_of(run, json_object_get(device, "summary"), device, each, context);
	}
	return r;
}
