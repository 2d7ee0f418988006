/* SPDX-License-Identifier: MIT */
/* assay report: a run, or several side by side, as one HTML file. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "cli/log.h"
#include "cli/run_list.h"
#include "cli/run_words.h"
#include "cli/verb.h"
#include "cli/whole_file.h"
#include "page/html.h"
#include "page/picture_format.h"
#include "picture/picture.h"

static const struct option_row rows[] = {
	{ .group = "Where it goes",
		.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.default_text = "standard output, when that is no terminal",
		.help = "the file that the page is written to; one that is there is replaced" },
	{ .group = "Where runs are", OPTION_RUNS_PREFIX },
};

static int write_page(const struct buf *page, const char *path)
{
	struct error err = { 0 };

	if (!path) {
		int r = write_data(page);

		/* Whoever reads has seen enough. */
		return r == -EPIPE ? 0 : close_data(r);
	}
	if (whole_file_write(path, page, &err) == 0)
		return 0;
	complain("%s", err.text);
	return EXIT_TROUBLE;
}

static int make_page(struct run_list *list, struct buf *page)
{
	const struct picture_options options = { .from = (double) NAN,
		.to = (double) NAN,
		.n_processes = PICTURE_PROCESSES_USUAL,
		.keep_empty = true,
		.time = list->n > 1 ? PICTURE_FROM_START : PICTURE_TIME_USUAL };
	struct error err = { 0 };
	struct picture picture;
	int r = picture_make(list->views, list->n, &options, &picture, &err);
	bool drawn = r == 0;

	/* Without a series there is a page all the same. */
	if (r == 0 || r == -ENODATA) {
		if (run_list_tell(&picture, true))
			list->failed = true;
		r = html_report(list->views, list->n, drawn ? &picture : NULL, page, &err);
		picture_done(&picture);
	}
	if (r < 0)
		complain("%s", err.text);
	return r;
}

static int report_all(struct run_list *list, const char *path)
{
	struct error err = { 0 };
	struct buf page = { 0 };
	int status;

	if (path && whole_file_judge(path, list->views, list->n, &err) < 0) {
		complain("%s", err.text);
		return err.code == -EINVAL ? EXIT_USAGE : EXIT_TROUBLE;
	}
	status = make_page(list, &page) < 0 ? EXIT_TROUBLE : write_page(&page, path);
	buf_done(&page);
	return status;
}

/* "x.png" would hold what no viewer of pictures opens. */
static bool is_of_another_kind(const char *path)
{
	const struct picture_format *format = picture_format_of(path);

	return format && strcmp(format->name, "html") != 0;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	const char *prefix = runs_prefix(verb, values);
	const char *path = verb_option(verb, values, "output");
	struct run_list list = { 0 };
	int status;

	if (path && strcmp(path, "-") == 0)
		path = NULL;
	else if (!path && isatty(STDOUT_FILENO))
		return complain_usage(verb, "-o FILE is missing: a page is nothing for a terminal");
	if (path && is_of_another_kind(path))
		return complain_usage(verb, "-o: a page is HTML; 'assay plot -o' draws pictures by "
					    "that name");
	log_flush(&values->log, LOG_WARNING);
	status = run_list_open(&list, words, prefix, "page");
	if (status == 0)
		status = report_all(&list, path);
	if (status == 0 && list.failed)
		status = EXIT_TROUBLE;
	run_list_done(&list);
	return status;
}

const struct verb verb_report = {
	.name = "report",
	.mixed = true,
	.help = "makes a page of a run, or of several side by side, in one HTML file",
	.usage = "[options] [RUN...] -o FILE",
	.offers = OFFERS_RUNS,
	.text = "Makes one HTML file that tells all there is of a run, with charts; of several "
		"runs "
		"how they differ. Without RUN it is the last one. " RUN_WORDS,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
