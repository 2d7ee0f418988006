/* SPDX-License-Identifier: MIT */
/* What the windows of a draft come to over the run, beside what its file itself told. */
#include <errno.h>
#include <string.h>

#include "record/foreign/draft_parts.h"
#include "record/info_json.h"

static void keep(struct draft *d, json_t *of, const char *key, json_t *value)
{
	if (json_object_set_new(of, key, value) < 0 && d->code == 0)
		d->code = -ENOMEM;
}

/* What the file itself told stands, unless its own windows say that it cannot be: no sum and no peak is below theirs, and no mean is 0 beside them. */
static bool stands(struct draft *d, const json_t *told, const char *name, const char *statistic,
	double of_windows)
{
	double value = json_number_value(json_object_get(told, "value"));
	bool is_mean = strcmp(statistic, "mean") == 0;

	if (!told)
		return false;
	if ((!is_mean && *statistic && strcmp(statistic, "peak") != 0) || value >= of_windows ||
		(is_mean && value > 0))
		return true;
	/* The last digit may be rounded away. */
	if (value < of_windows * (1 - 1e-3))
		draft_note(d,
			"%s is %.0f where its file sums up, and %.0f over its samples: the greater "
			"counts",
			name, value, of_windows);
	return false;
}

static void statistic_of(struct draft *d, json_t *summary, const char *key, const char *statistic,
	const json_t *value, enum quality quality)
{
	char name[128];

	if (!value || statistic_key(key, statistic, name, sizeof(name)) < 0)
		return;
	if (!stands(d, json_object_get(summary, name), name, statistic, json_number_value(value)))
		keep(d, summary, name, draft_valued(json_number_value(value), quality));
}

static enum quality quality_of(const json_t *total, const struct measure *row)
{
	enum quality quality =
		quality_of_name(json_string_value(json_object_get(total, "quality")));

	return quality != ABSENT ? quality : (enum quality) row->quality;
}

void draft_statistics(
	struct draft *d, json_t *summary, const struct measure *row, const json_t *total)
{
	enum quality quality = quality_of(total, row);
	const json_t *weight = json_object_get(total, "weight");

	statistic_of(d, summary, row->key, "", json_object_get(total, "delta"), quality);
	statistic_of(d, summary, row->key, "peak", json_object_get(total, "max"),
		(enum quality) measure_peak_quality(row, (uint8_t) quality));
	statistic_of(d, summary, row->key, "min", json_object_get(total, "min"), quality);
	statistic_of(d, summary, row->key, "last", json_object_get(total, "last"), quality);
	if (weight) {
		json_t *mean = json_real(json_number_value(json_object_get(total, "integral")) /
					 json_number_value(weight));
		statistic_of(d, summary, row->key, "mean", mean, quality);
		json_decref(mean);
	}
}
