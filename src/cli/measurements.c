/* SPDX-License-Identifier: MIT */
/* assay measurements: lists everything that can be measured. */
#include <stdbool.h>
#include <string.h>

#include "assay.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/macros.h"
#include "cli/verb.h"
#include "text/wrap.h"

#define HELP_INDENT 4
#define KEY_COLUMNS_MAX 42

static const struct option_row rows[] = {
	{ .name = "json", .help = "writes the whole table as JSON" },
	{ .name = "keys", .help = "writes the keys alone, one a line" },
};

static const char legend[] =
	"m: in the presets minimal and default, *: in default only; the others when asked\n"
	"for (--measurements default,KEY). The quality is the best there can be.\n";

/* The longest key that still gets a column of its own. */
static int key_columns(void)
{
	struct assay_measurement m;
	size_t longest = strlen("key");

	for (size_t i = 0; assay_measurement_at(i, &m) == 1; i++)
		if (strlen(m.key) > longest && strlen(m.key) <= KEY_COLUMNS_MAX)
			longest = strlen(m.key);
	return (int) longest;
}

static const char *preset_mark(const struct assay_measurement *m)
{
	return m->minimal ? "m" : m->on ? "*" : " ";
}

static void add_line(struct buf *out, const struct assay_measurement *m, int columns)
{
	buf_addf(out, "%s %-*s  %-7s  %-11s  %s\n%*s", preset_mark(m), columns, m->key, m->unit,
		m->kind, m->quality, HELP_INDENT, "");
	text_add_wrapped(out, m->help, HELP_INDENT, HELP_INDENT);
	buf_add_char(out, '\n');
}

static void table(struct buf *out)
{
	struct assay_measurement m;
	const char *collector = "";
	int columns = key_columns();

	buf_add_text(out, legend);
	for (size_t i = 0; assay_measurement_at(i, &m) == 1; i++) {
		if (strcmp(collector, m.collector) != 0) {
			collector = m.collector;
			buf_addf(out, "\n%s\n", collector);
		}
		add_line(out, &m, columns);
	}
}

static void keys(struct buf *out)
{
	struct assay_measurement m;

	for (size_t i = 0; assay_measurement_at(i, &m) == 1; i++)
		buf_addf(out, "%s\n", m.key);
}

static void key_list(struct json *j, const char *key, const char *names)
{
	json_key(j, key);
	json_array(j);
	while (*names) {
		size_t n = strcspn(names, ",");

		json_text_n(j, names, n);
		names += n + (names[n] == ',');
	}
	json_array_end(j);
}

/* The members of info.json's "measurements", and what only matters before a run. */
static void json_measurement(struct json *j, const struct assay_measurement *m)
{
	json_object(j);
	json_key_text(j, "key", m->key);
	json_key_text(j, "kind", m->kind);
	json_key_text(j, "unit", m->unit);
	json_key_text(j, "scope", m->scope);
	key_list(j, "reduces", m->reduces);
	json_key_text(j, "quality", m->quality);
	json_key_text(j, "origin", m->origin);
	json_key_text(j, "help", m->help);
	json_key_text(j, "collector", m->collector);
	if (m->quantity) {
		json_key_text(j, "quantity", m->quantity);
		json_key_i64(j, "rank", m->rank);
	}
	if (m->otel)
		json_key_text(j, "otel", m->otel);
	json_key_text(j, "cost", m->cost);
	json_key_bool(j, "default", m->on != 0);
	json_key_bool(j, "minimal", m->minimal != 0);
	json_object_end(j);
}

static void json_table(struct buf *out)
{
	struct assay_measurement m;
	struct json j;

	json_init(&j, out, 2);
	json_object(&j);
	json_key_text(&j, "schema", "assay-measurements");
	json_key_text(&j, "version", "1.0");
	json_key(&j, "measurements");
	json_array(&j);
	for (size_t i = 0; assay_measurement_at(i, &m) == 1; i++)
		json_measurement(&j, &m);
	json_array_end(&j);
	json_object_end(&j);
	buf_add_char(out, '\n');
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct buf out = { 0 };
	int r;
	bool json = verb_option(verb, values, "json") != NULL;
	bool bare = verb_option(verb, values, "keys") != NULL;

	if (words[0])
		return complain_usage(verb, "measurements takes no arguments");
	if (json && bare)
		return complain_usage(verb, "--json and --keys exclude each other");
	if (json)
		json_table(&out);
	else if (bare)
		keys(&out);
	else
		table(&out);
	r = print_data(&out);
	buf_done(&out);
	return r;
}

const struct verb verb_measurements = {
	.name = "measurements",
	.help = "lists everything that can be measured, and how well",
	.usage = "[options]",
	.text = "Lists the key, unit, kind and best quality of everything that can be measured, by "
		"the source it is read from.",
	.offers = OFFERS_NOTHING,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
