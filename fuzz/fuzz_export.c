/* SPDX-License-Identifier: MIT */
/* Feeds bytes, as the files of a run with "\n\n" between them or as a document of `assay export --to json`, to every format that runs are written in. */
#include "scratch.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "export/export.h"

static void export_as(const struct exporter *exporter, const char *run)
{
	const struct export_options options = { .subjects = EXPORT_PROCESSES | EXPORT_DEVICES,
		.clobber = true };
	const char *const runs[] = { run, run };
	struct error err = { 0 };
	int r = export_write(exporter, &options, runs, exporter->several ? 2 : 1, "out", &err);
	char path[64] = "out/";

	must(r == 0 || r == -ENODATA || (r < 0 && err.text[0]));
	for (size_t i = 0; i < EXPORT_FILES_MAX && exporter->files[i]; i++) {
		size_t at = exporter->directory ? strlen("out/") : strlen("out");

		memcpy(path + at, exporter->files[i], strlen(exporter->files[i]) + 1);
		unlink(path);
	}
	rmdir("out");
	unlink("out");
}

static void feed_export(const char *bytes, size_t n)
{
	const char *gap = n > 2 ? memmem(bytes, n, "\n\n", 2) : NULL;

	scratch_enter();
	scratch_write("info.json", bytes, gap ? (size_t) (gap - bytes) : n);
	if (gap)
		scratch_write("usage.jsonl", gap + 2, n - (size_t) (gap + 2 - bytes));
	for (size_t i = 0; i < n_exporters; i++)
		export_as(exporters[i], "info.json");
	unlink("info.json");
	unlink("usage.jsonl");
}

FEED_TO(feed_export)
