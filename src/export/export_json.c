/* SPDX-License-Identifier: MIT */
/* All of a run in one JSON document, in the words of its own files; json.c reads it back. */
#include <string.h>

#include "base/buf.h"
#include "export/export.h"
#include "export/export_series.h"
#include "export/export_text.h"
#include "record/foreign/export_document.h"

/* A window a line: who reads it again needs one of them at a time. */
static void begin_item(struct buf *out, bool first)
{
	buf_add_text(out, first ? "\n" : ",\n");
}

static bool is_left(const struct export_run *run, const char *key)
{
	const struct export_row *row = export_row_find(run, key);

	return !row || row->chosen;
}

static void keep_chosen(const struct export_run *run, json_t *values)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(values, next, key, value)
	{
		if (!is_left(run, key))
			json_object_del(values, key);
	}
}

/* A copy without what was not asked for; NULL without memory. */
static json_t *chosen_window(const struct export_run *run, const json_t *window)
{
	static const char *const lists[] = { "processes", "devices" };
	json_t *copy = json_deep_copy(window);
	const json_t *one;
	size_t i;

	keep_chosen(run, json_object_get(copy, "values"));
	for (size_t l = 0; l < 2; l++) {
		json_array_foreach(json_object_get(copy, lists[l]), i, one)
			keep_chosen(run, json_object_get(one, "values"));
	}
	return copy;
}

static int add_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct buf *out = &x->files[0].text;
	bool *first = x->state;
	json_t *chosen = NULL;

	begin_item(out, *first);
	*first = false;
	if (x->options->measurements) {
		chosen = chosen_window(run, window);
		if (!chosen)
			out->failed = true;
		window = chosen;
	}
	if (window)
		export_add_json(out, window);
	json_decref(chosen);
	return 0;
}

static int begin(struct export *x, struct error *err)
{
	(void) err;
	buf_add_text(&x->files[0].text, EXPORT_DOCUMENT_HEAD);
	return 0;
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	struct buf *out = &x->files[0].text;
	bool first = true;
	int r;

	begin_item(out, x->n_written == 0);
	buf_add_text(out, EXPORT_DOCUMENT_RUN);
	export_add_string(out, stored_state_name(run->stored->state));
	buf_add_text(out, EXPORT_DOCUMENT_INFO);
	export_add_json(out, run->info);
	buf_add_text(out, EXPORT_DOCUMENT_WINDOWS);
	x->state = &first;
	r = export_series(x, run, add_window, err);
	x->state = NULL;
	buf_add_text(out, EXPORT_DOCUMENT_RUN_END);
	return r;
}

static int end(struct export *x, struct error *err)
{
	(void) err;
	buf_add_text(&x->files[0].text, EXPORT_DOCUMENT_END);
	return 0;
}

const struct exporter json_exporter = {
	.name = "json",
	.help = "all of a run in one JSON document, which is read back as the same run",
	.suffix = ".json",
	.several = true,
	.choices = EXPORT_MEASUREMENTS,
	.begin = begin,
	.run = write_run,
	.end = end,
};
