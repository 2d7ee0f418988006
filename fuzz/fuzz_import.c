/* SPDX-License-Identifier: MIT */
/*
 * Feeds bytes to the importers as another tool's file. The first byte chooses one; what stands behind the first "\n\n" is the file that its format
 * has beside the first one.
 */
#include "scratch.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "record/foreign/draft.h"
#include "record/foreign/import.h"

static const struct {
	const char *importer, *file, *beside;
} pairs[] = { { "con-duct", "f_info.json", "f_usage.jsonl" }, { "prmon", "f.json", "f.txt" },
	{ "resource_monitor", "f.summary", "f.series" } };

/* What the schema promises of all numbers. */
static void check_values(const json_t *values)
{
	const char *key;
	const char *reduce;
	json_t *value;
	json_t *number;

	json_object_foreach((json_t *) (uintptr_t) values, key, value)
	{
		must(json_object_size(value) > 0);
		json_object_foreach(value, reduce, number)
		{
			must(!json_is_number(number) || (isfinite(json_number_value(number)) &&
								json_number_value(number) >= 0));
		}
	}
}

static int look_at_window(const json_t *window, void *context)
{
	int64_t *next = context;
	json_t *process;
	size_t i;

	must(json_integer_value(json_object_get(window, "sequence")) == (*next)++);
	must(json_number_value(json_object_get(window, "start_seconds")) <=
		json_number_value(json_object_get(window, "end_seconds")));
	check_values(json_object_get(window, "values"));
	json_array_foreach(json_object_get(window, "processes"), i, process)
	{
		must(json_integer_value(json_object_get(process, "pid")) > 0);
		check_values(json_object_get(process, "values"));
	}
	return 0;
}

static void read_file(const struct importer *importer, const char *name)
{
	struct import_file file;
	struct error err = { 0 };
	struct draft draft;
	int64_t windows = 0;

	must(import_file_open(name, &file, &err) == 0);
	importer_for(&file);
	draft_init(&draft, importer->name, look_at_window, &windows);
	int r = importer->read(&file, 0, &draft, &err);
	must(r >= 0 || (err.code < 0 && err.text[0]));
	if (r > 0) {
		must(draft_finish(&draft, name, &err) == 0);
		check_values(json_object_get(draft.info, "summary"));
		check_values(json_object_get(draft.info, "headline"));
	}
	draft_done(&draft);
	import_file_close(&file);
}

static void feed_importer(const struct importer *importer, const char *bytes, size_t n)
{
	const char *gap = n > 2 ? memmem(bytes, n, "\n\n", 2) : NULL;
	const char *name = "f";
	const char *beside = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		if (strcmp(importer->name, pairs[i].importer) == 0) {
			name = pairs[i].file;
			beside = pairs[i].beside;
		}
	}
	if (!beside)
		gap = NULL;
	scratch_enter();
	scratch_write(name, bytes, gap ? (size_t) (gap - bytes) : n);
	if (gap)
		scratch_write(beside, gap + 2, n - (size_t) (gap + 2 - bytes));
	read_file(importer, name);
	if (gap) {
		read_file(importer, beside);
		unlink(beside);
	}
	unlink(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		feed_importer(importers[data[0] % n_importers], (const char *) data + 1, size - 1);
	return 0;
}
