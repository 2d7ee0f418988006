/* SPDX-License-Identifier: MIT */
/*
 * Feeds bytes to every importer, chosen by its name in the first line: as a file or, by the name "session", as the files of a JUmPER
 * session's directory with a record separator (0x1e) between manifest, table and cells.
 */
#include "scratch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "record/foreign/import.h"

#define MANY_RUNS 4

static const char *const session[] = { "session/manifest.json", "session/perf_process.csv",
	"session/cell_history.csv" };

static void remove_session(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(session); i++)
		(void) unlink(session[i]);
	(void) unlink("session/perf_system.csv");
	(void) rmdir("session");
	(void) unlink("file");
}

/* Beside the file, once: a session, in which one of the tables is another by a link. */
static void make_session(void)
{
	static bool made;

	scratch_enter();
	if (made)
		return;
	must(mkdir("session", 0700) == 0);
	must(symlink("perf_process.csv", "session/perf_system.csv") == 0);
	/* Before the directory is removed: what is registered last is called first. */
	atexit(remove_session);
	made = true;
}

static int see_window(const json_t *window, void *context)
{
	uint64_t *windows = context;
	double start = json_number_value(json_object_get(window, "start_seconds"));

	must(start >= 0 && json_number_value(json_object_get(window, "end_seconds")) >= start);
	return ++*windows > 20000 ? -1 : 0;
}

/* The run numbered `which`; false: there are no more. */
static bool read_run(const char *path, const struct importer *importer, size_t which)
{
	struct import_file file;
	struct draft draft;
	struct error err = { 0 };
	uint64_t windows = 0;
	int r;

	if (import_file_open(path, &file, &err) < 0)
		return false;
	(void) importer->probe(&file);
	draft_init(&draft, importer->name, see_window, &windows);
	r = importer->read(&file, which, &draft, &err);
	must(r >= 0 || err.text[0] || draft.ended_by < 0);
	if (r > 0)
		must(draft_finish(&draft, path, &err) == 0);
	must(r <= 0 || importer->several || which == 0);
	draft_done(&draft);
	import_file_close(&file);
	return r > 0;
}

static void write_session(const char *bytes, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(session); i++) {
		const char *end = n > 0 ? memchr(bytes, 0x1e, n) : NULL;
		size_t part = end ? (size_t) (end - bytes) : n;

		scratch_write(session[i], bytes, part);
		bytes += part + (end != NULL);
		n -= part + (end != NULL);
	}
}

/* Who is to read it: by the name in the first line, or else by what the rest looks like. */
static const struct importer *chosen(const char **bytes, size_t *n)
{
	const char *end = memchr(*bytes, '\n', *n);
	char name[32] = "";

	if (!end)
		return NULL;
	if ((size_t) (end - *bytes) < sizeof(name))
		memcpy(name, *bytes, (size_t) (end - *bytes));
	*n -= (size_t) (end + 1 - *bytes);
	*bytes = end + 1;
	return importer_find(strcmp(name, "session") == 0 ? "jumper" : name);
}

static const struct importer *surest(const char *path)
{
	struct import_file file;
	const struct importer *importer;

	if (import_file_open(path, &file, NULL) < 0)
		return NULL;
	importer = importer_for(&file);
	import_file_close(&file);
	return importer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *) data;
	const char *path = size > 8 && memcmp(bytes, "session\n", 8) == 0 ? "session" : "file";
	size_t n = size;
	const struct importer *importer;

	make_session();
	importer = size > 0 ? chosen(&bytes, &n) : NULL;
	if (strcmp(path, "session") == 0)
		write_session(bytes, n);
	else
		scratch_write(path, bytes, n);
	if (!importer)
		importer = surest(path);
	for (size_t which = 0; importer && which < MANY_RUNS; which++)
		if (!read_run(path, importer, which))
			break;
	return 0;
}
