/* SPDX-License-Identifier: MIT */
/* assay report: a run, or several side by side, as one HTML file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "cli/log.h"
#include "cli/run_words.h"
#include "cli/verb.h"
#include "cli/whole_file.h"
#include "report/html.h"
#include "report/picture.h"

static const struct option_row rows[] = {
	{ .group = "Where it goes",
		.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.default_text = "standard output, when that is no terminal",
		.help = "the file that the page is written to; one that is there is replaced" },
	{ .group = "Where runs are", OPTION_RUNS_PREFIX },
};

struct reported {
	struct stored_run *runs;
	size_t n;
	bool failed; /* some could not be opened, or not be read to the end */
};

static int open_one(struct reported *p, const char *word, const char *prefix, size_t which)
{
	struct error err = { 0 };
	struct stored_run *runs = realloc(p->runs, (p->n + 1) * sizeof(*runs));
	int r;

	if (!runs)
		return -ENOMEM;
	p->runs = runs;
	r = which > 0 ? stored_run_open_which(word, which, &runs[p->n], &err)
		      : run_word_open(word, prefix, LOG_WARNING, &runs[p->n], &err);
	if (r < 0) {
		complain("%s", err.text);
		p->failed = true;
		return 0;
	}
	p->n++;
	return 0;
}

/* A file of another tool may hold several runs. */
static int open_word(struct reported *p, const char *word, const char *prefix)
{
	int64_t n = access(word, F_OK) == 0 ? stored_run_count(word, NULL) : 1;
	int r = 0;

	if (n + (int64_t) p->n > PICTURE_RUNS_MAX) {
		complain("%s: a page is of at most %d runs, and these would be more", word,
			PICTURE_RUNS_MAX);
		p->failed = true;
		return 0;
	}
	for (int64_t i = 0; i < (n > 1 ? n : 1) && r == 0; i++)
		r = open_one(p, word, prefix, (size_t) i);
	return r;
}

static void tell_trouble(struct reported *p, const struct picture *picture)
{
	for (size_t i = 0; i < picture->n_runs; i++) {
		if (!picture->runs[i].trouble)
			continue;
		complain("%s", picture->runs[i].trouble);
		p->failed = true;
	}
}

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

static int make_page(struct reported *p, const struct stored_run *const *runs, struct buf *page)
{
	const struct picture_options options = { .from = (double) NAN,
		.to = (double) NAN,
		.n_processes = PICTURE_PROCESSES_USUAL,
		.time = p->n > 1 ? PICTURE_FROM_START : PICTURE_TIME_USUAL };
	struct error err = { 0 };
	struct picture picture;
	int r = picture_make(runs, p->n, &options, &picture, &err);
	bool drawn = r == 0;

	/* Without a series there is a page all the same. */
	if (r == 0 || r == -ENODATA) {
		if (drawn)
			tell_trouble(p, &picture);
		r = html_report(runs, p->n, drawn ? &picture : NULL, page, &err);
	}
	if (drawn)
		picture_done(&picture);
	if (r < 0)
		complain("%s", err.text);
	return r;
}

static int report_all(struct reported *p, const char *path)
{
	const struct stored_run *runs[PICTURE_RUNS_MAX];
	struct error err = { 0 };
	struct buf page = { 0 };
	int status;

	for (size_t i = 0; i < p->n; i++)
		runs[i] = &p->runs[i];
	if (path && whole_file_judge(path, runs, p->n, &err) < 0) {
		complain("%s", err.text);
		return err.code == -EINVAL ? EXIT_USAGE : EXIT_TROUBLE;
	}
	status = make_page(p, runs, &page) < 0 ? EXIT_TROUBLE : write_page(&page, path);
	buf_done(&page);
	return status;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	static char last[] = "@last";
	static char *usual[] = { last, NULL };
	const char *prefix = verb_option(verb, values, "output-prefix");
	const char *path = verb_option(verb, values, "output");
	struct reported p = { 0 };
	int status;
	int r = 0;

	if (path && strcmp(path, "-") == 0)
		path = NULL;
	else if (!path && isatty(STDOUT_FILENO))
		return complain_usage(verb, "-o FILE is missing: a page is nothing for a terminal");
	log_flush(&values->log, LOG_WARNING);
	for (char **word = words[0] ? words : usual; *word && r == 0; word++)
		r = open_word(&p, *word, prefix);
	if (r < 0) {
		complain("cannot read the runs: not enough memory");
		status = EXIT_TROUBLE;
	} else if (p.n == 0) {
		status = words[0] && words[1] ? EXIT_TROUBLE : EXIT_USAGE;
	} else {
		status = report_all(&p, path);
	}
	for (size_t i = 0; i < p.n; i++)
		stored_run_done(&p.runs[i]);
	free(p.runs);
	return status == 0 && p.failed ? EXIT_TROUBLE : status;
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
