/* SPDX-License-Identifier: MIT */
/* Takes runs through a format into a document. */
#include "export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "export/export_files.h"

/* So much is kept before it is written. */
#define PUSH_SIZE ((size_t) 256 * 1024)

const struct exporter *exporter_find(const char *name)
{
	for (size_t i = 0; i < n_exporters; i++)
		if (strcmp(exporters[i]->name, name) == 0)
			return exporters[i];
	return NULL;
}

int export_push(struct export *x)
{
	if (x->options->stop && *x->options->stop)
		return error_say(&x->trouble, -EINTR, "interrupted");
	for (size_t i = 0; i < EXPORT_FILES_MAX; i++) {
		if (x->files[i].text.failed)
			return -ENOMEM;
		if (x->files[i].text.len >= PUSH_SIZE)
			return export_files_flush(x, &x->trouble);
	}
	return 0;
}

PRINTF_LIKE(4, 0)
static void tell(const struct export *x, const struct export_run *run,
	void (*say)(const char *line, void *context), const char *format, va_list args)
{
	char *text = NULL;
	char *line = NULL;

	if (!say || vasprintf(&text, format, args) < 0)
		return;
	if (asprintf(&line, "%s: %s", run->stored->file, text) >= 0) {
		say(line, x->options->context);
		free(line);
	}
	free(text);
}

void export_warn(const struct export *x, const struct export_run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(x, run, x->options->warn, format, args);
	va_end(args);
}

void export_unread(const struct export *x, const struct export_run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(x, run, x->options->left_out, format, args);
	va_end(args);
}

typedef int step(struct export *x, struct export_run *run, struct error *err);

static int with_run(struct export *x, const char *name, step *each, struct error *err)
{
	struct stored_run stored;
	struct export_run run;
	int r = stored_run_open(name, &stored, err);

	x->begun = false;
	if (r < 0)
		return r;
	x->begun = true;
	r = export_run_init(&run, &stored, x->options->measurements, err);
	if (r == 0) {
		r = each(x, &run, err);
		if (r < 0 && x->trouble.code < 0)
			*err = x->trouble;
		else if (r < 0 && !err->text[0])
			error_set(err, r, "cannot export %s", name);
		if (r == 0 && run.undescribed > 0)
			export_warn(x, &run,
				"%" PRIu64 " values that its measurements do not describe are left "
				"out",
				run.undescribed);
		export_run_done(&run);
	}
	stored_run_done(&stored);
	return r;
}

/* It is gone since it was looked at, or the format has no words for it: the others are written. */
static bool is_left_out(const struct export *x, int r)
{
	return r < 0 && r != -ENOMEM && (!x->begun || r == -ENODATA);
}

static void tell_left_out(const struct export *x, struct error *err)
{
	if (x->options->left_out)
		x->options->left_out(err->text, x->options->context);
	*err = (struct error){ 0 };
}

static int run_all(struct export *x, const char *const *runs, struct error *err)
{
	int r = x->exporter->begin ? x->exporter->begin(x, err) : 0;

	for (size_t i = 0; i < x->n_runs && r == 0; i++) {
		if (x->skip[i])
			continue;
		r = with_run(x, runs[i], x->exporter->run, err);
		if (is_left_out(x, r)) {
			tell_left_out(x, err);
			r = 0;
			continue;
		}
		if (r == 0)
			r = export_files_flush(x, err);
		x->n_written += r == 0;
	}
	if (r == 0 && x->n_written == 0)
		return -ENODATA;
	if (r == 0 && x->exporter->end)
		r = x->exporter->end(x, err);
	return r;
}

/* What is common to all runs, where the format has to know it first. -ENODATA: it can tell none of them. */
static int look_at_all(struct export *x, const char *const *runs, struct error *err)
{
	size_t left_out = 0;

	for (size_t i = 0; i < x->n_runs && x->exporter->look; i++) {
		int r = with_run(x, runs[i], x->exporter->look, err);

		if (is_left_out(x, r)) {
			tell_left_out(x, err);
			x->skip[i] = true;
			left_out++;
		} else if (r < 0) {
			return r;
		}
	}
	return x->exporter->look && left_out == x->n_runs ? -ENODATA : 0;
}

int export_write(const struct exporter *exporter, const struct export_options *options,
	const char *const *runs, size_t n_runs, const char *path, struct error *err)
{
	struct error none = { 0 };
	struct export x = {
		.exporter = exporter, .options = options, .n_runs = n_runs, .path = path
	};
	int r;

	err = err ? err : &none;
	err->text[0] = '\0';
	x.skip = calloc(n_runs + 1, sizeof(*x.skip));
	r = x.skip ? look_at_all(&x, runs, err) : -ENOMEM;
	if (r == 0)
		r = export_files_open(&x, err);
	if (r == 0)
		r = run_all(&x, runs, err);
	if (r == 0)
		r = export_files_keep(&x, err);
	else if (!err->text[0] && r != -ENODATA)
		error_set(err, r, "cannot write %s", path ? path : "standard output");
	if (exporter->done)
		exporter->done(&x);
	export_files_close(&x);
	free(x.skip);
	return r;
}
