/* SPDX-License-Identifier: MIT */
/* Reads the rows out of a record, and goes through the numbers of its windows. */
#include "export/export_rows.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "export/export.h"
#include "record/json_walk.h"

const char *const export_statistics[N_EXPORT_STATISTICS] = { "last", "max", "min", "mean",
	"delta" };

#define DELTA_STATISTIC 4u

static const char *text_or(const json_t *of, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(of, key));

	return text ? text : otherwise;
}

static enum kind kind_of(const char *name)
{
	for (int k = 0; k < N_KIND; k++)
		if (strcmp(kind_name((enum kind) k), name) == 0)
			return (enum kind) k;
	return GAUGE;
}

static enum unit unit_of(const char *name)
{
	for (int u = 0; u < N_UNIT; u++)
		if (strcmp(unit_name((enum unit) u), name) == 0)
			return (enum unit) u;
	return UNITLESS;
}

static enum scope scope_of(const char *name)
{
	for (int s = 0; s < N_SCOPE; s++)
		if (strcmp(scope_name((enum scope) s), name) == 0)
			return (enum scope) s;
	return SINGLE;
}

static bool item_is(const char *key, const char *item, size_t n)
{
	char *glob = strndup(item, n);
	bool is = glob && (strcmp(glob, "all") == 0 || fnmatch(glob, key, 0) == 0);

	free(glob);
	return is;
}

/* As `assay run --measurements`: a list that begins with what is taken away begins with all. */
static bool is_chosen(const char *key, const char *list)
{
	bool chosen = !list || list[0] == '-';

	for (const char *item = list; item && *item;) {
		size_t n = strcspn(item, ",");
		bool away = item[0] == '-';

		if (n > away && item_is(key, item + away, n - away))
			chosen = !away;
		item += n + (item[n] == ',');
	}
	return chosen;
}

bool export_item_fits(const struct stored_run *run, const char *item, size_t n)
{
	const json_t *list = json_object_get(run->info, "measurements");
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		if (item_is(text_or(one, "key", ""), item, n))
			return true;
	}
	return json_array_size(list) == 0;
}

static int add_row(struct export_run *run, const struct export_row *row)
{
	struct export_row *rows;

	if (json_object_get(run->index, row->key))
		return 0;
	rows = realloc(run->rows, (run->n_rows + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	run->rows = rows;
	rows[run->n_rows] = *row;
	if (json_object_set_new(run->index, row->key, json_integer((json_int_t) run->n_rows)) < 0)
		return -ENOMEM;
	run->n_rows++;
	return 0;
}

static unsigned statistics_of(const json_t *reduces)
{
	unsigned bits = 0;
	const json_t *one;
	size_t i;

	json_array_foreach(reduces, i, one)
	{
		const char *name = json_string_value(one);

		for (unsigned s = 0; name && s < N_EXPORT_STATISTICS; s++)
			if (strcmp(export_statistics[s], name) == 0)
				bits |= 1u << s;
	}
	return bits;
}

static int add_described(struct export_run *run, const json_t *one, const char *measurements)
{
	const char *key = text_or(one, "key", NULL);
	struct export_row row = { .key = key,
		.help = text_or(one, "help", ""),
		.origin = text_or(one, "origin", ""),
		.otel = text_or(one, "otel", NULL),
		.kind = kind_of(text_or(one, "kind", "gauge")),
		.unit = unit_of(text_or(one, "unit", "")),
		.scope = scope_of(text_or(one, "scope", "single")),
		.quality = text_or(one, "quality", NULL),
		.statistics = statistics_of(json_object_get(one, "reduces")) };

	if (!key)
		return 0;
	row.chosen = is_chosen(key, measurements);
	return add_row(run, &row);
}

/* A series whose info file is gone has no rows: what its values tell. The last word of a key is its unit (model/measure.h). */
struct telling {
	struct export_run *run;
	const char *measurements;
	enum scope scope;
};

static int tell_row(struct telling *t, const char *key, const json_t *value)
{
	const char *word = strrchr(key, '_');
	struct export_row *known = export_row_find(t->run, key);
	unsigned statistics = 0;

	for (unsigned s = 0; s < N_EXPORT_STATISTICS; s++)
		if (json_object_get(value, export_statistics[s]))
			statistics |= 1u << s;
	if (known) {
		known->statistics |= statistics;
		return 0;
	}
	if (t->run->n_rows >= STORED_KEYS_MAX)
		return -EFBIG;
	/* The index keeps the key for as long as the run is written. */
	if (json_object_set_new(t->run->index, key, json_null()) < 0)
		return -ENOMEM;
	void *at = json_object_iter_at(t->run->index, key);
	const char *kept = json_object_iter_key(at);
	struct export_row row = { .key = kept,
		.help = "",
		.origin = "",
		.kind = statistics & (1u << DELTA_STATISTIC) ? COUNTER : GAUGE,
		.unit = unit_of(word ? word + 1 : ""),
		.scope = t->scope,
		.statistics = statistics,
		.chosen = is_chosen(key, t->measurements) };
	struct export_row *rows = realloc(t->run->rows, (t->run->n_rows + 1) * sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	t->run->rows = rows;
	rows[t->run->n_rows] = row;
	return json_object_iter_set_new(
		t->run->index, at, json_integer((json_int_t) t->run->n_rows++));
}

static int tell_rows(struct telling *t, const json_t *values)
{
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach(json_walk(values), key, value)
	{
		r = tell_row(t, key, value);
		if (r < 0)
			return r;
	}
	return 0;
}

static int tell_window(const json_t *window, void *context)
{
	struct telling *t = context;
	static const struct {
		const char *list;
		enum scope scope;
	} parts[] = { { "devices", DEVICE }, { "processes", PROCESS } };
	const json_t *one;
	size_t i;
	int r;

	t->scope = SINGLE;
	r = tell_rows(t, json_object_get(window, "values"));
	for (size_t p = 0; p < 2 && r == 0; p++) {
		t->scope = parts[p].scope;
		json_array_foreach(json_object_get(window, parts[p].list), i, one)
		{
			if (r == 0)
				r = tell_rows(t, json_object_get(one, "values"));
		}
	}
	return r < 0 && r != -EFBIG ? -ENOMEM : r;
}

int export_run_init(struct export_run *run, const struct stored_run *stored,
	const char *measurements, struct error *err)
{
	const char *id = json_string_value(json_object_get(stored->info, "id"));
	const char *started;
	const json_t *one;
	size_t i;
	int r = 0;

	*run = (struct export_run){ .stored = stored,
		.info = stored->info,
		.id = id && *id ? id : stored->file,
		.index = json_object() };
	if (!run->index)
		return error_set(err, -ENOMEM, "cannot read %s", stored->file);
	started = export_text_of(run, "time", "started");
	run->has_start = started && parse_rfc3339(started, &run->started_ns) == 0;
	json_array_foreach(json_object_get(run->info, "measurements"), i, one)
	{
		if (r == 0)
			r = add_described(run, one, measurements);
	}
	if (r == 0 && run->n_rows == 0) {
		struct telling telling = { run, measurements, SINGLE };

		r = stored_run_windows(stored, tell_window, &telling, NULL, err);
	}
	if (r == -ENOMEM)
		error_set(err, r, "cannot read %s", stored->file);
	else if (r == -EFBIG && run->n_rows >= STORED_KEYS_MAX)
		error_say(
			err, r, "%s has more than %u measurements", stored->file, STORED_KEYS_MAX);
	if (r < 0)
		export_run_done(run);
	return r;
}

void export_run_done(struct export_run *run)
{
	free(run->rows);
	json_decref(run->index);
	*run = (struct export_run){ 0 };
}

struct export_row *export_row_find(const struct export_run *run, const char *key)
{
	const json_t *at = json_object_get(run->index, key);

	return json_is_integer(at) ? &run->rows[json_integer_value(at)] : NULL;
}

static int values_of(struct export_run *run, const json_t *values, const json_t *subject,
	int (*each)(const struct export_value *value, void *context), void *context)
{
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach(json_walk(values), key, value)
	{
		const struct export_row *row = export_row_find(run, key);
		struct export_value one = { .row = row, .subject = subject };

		run->undescribed += !row;
		if (!row || !row->chosen)
			continue;
		one.quality = text_or(value, "quality", row->quality);
		for (size_t s = 0; s < N_EXPORT_STATISTICS && r >= 0; s++) {
			one.number = json_object_get(value, export_statistics[s]);
			one.statistic = s;
			if (json_is_number(one.number))
				r = each(&one, context);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int export_values(struct export_run *run, const json_t *window, unsigned subjects,
	int (*each)(const struct export_value *value, void *context), void *context)
{
	static const struct {
		unsigned subject;
		const char *list;
	} parts[] = { { EXPORT_DEVICES, "devices" }, { EXPORT_PROCESSES, "processes" } };
	int r = values_of(run, json_object_get(window, "values"), NULL, each, context);
	const json_t *one;
	size_t i;

	for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
		if (!(subjects & parts[p].subject))
			continue;
		json_array_foreach(json_object_get(window, parts[p].list), i, one)
		{
			if (r >= 0)
				r = values_of(
					run, json_object_get(one, "values"), one, each, context);
		}
	}
	return r < 0 ? r : 0;
}

static uint64_t to_ns(double seconds)
{
	return seconds > 0 && seconds < 9e9 ? (uint64_t) (seconds * 1e9 + 0.5) : 0;
}

bool export_window_times(const struct export_run *run, const json_t *window, uint64_t *ret_start_ns,
	uint64_t *ret_end_ns)
{
	const char *text = text_or(window, "time", NULL);
	uint64_t start = to_ns(export_seconds(window, "start_seconds"));
	uint64_t end = to_ns(export_seconds(window, "end_seconds"));
	uint64_t at;

	if (!text || parse_rfc3339(text, &at) < 0) {
		if (!run->has_start)
			return false;
		at = run->started_ns + end;
	}
	*ret_end_ns = at;
	*ret_start_ns = at - (end > start && end - start < at ? end - start : 0);
	return true;
}

double export_seconds(const json_t *of, const char *key)
{
	return json_number_value(json_object_get(of, key));
}

const json_t *export_member(const struct export_run *run, const char *section, const char *key)
{
	const json_t *from = section ? json_object_get(run->info, section) : run->info;

	return json_object_get(from, key);
}

const char *export_text_of(const struct export_run *run, const char *section, const char *key)
{
	return json_string_value(export_member(run, section, key));
}
