/* SPDX-License-Identifier: MIT */
/* assay import: makes runs of assay's out of the files of other tools. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "cli/run_words.h"
#include "cli/stop_signal.h"
#include "cli/verb.h"
#include "record/foreign/import.h"
#include "record/run_directory.h"
#include "record/run_files.h"
#include "record/run_names.h"
#include "record/stored_files.h"
#include "record/write_run.h"
#include "text/wrap.h"

/* What a shell, a query and a file name all take as they are. */
#define TAG_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/-"

static const struct option_row rows[] = {
	{ .group = "What is read",
		.name = "from",
		.letter = 'f',
		.argument = "FORMAT",
		.default_text = "found out from each file",
		.help = "takes the files for that format, whatever they seem to be" },
	{ .name = "list", .help = "shows the formats that are known, and reads nothing" },

	{ .group = "What is written",
		.name = "output-prefix",
		.letter = 'p',
		.argument = "PREFIX",
		.default_text = RUN_PREFIX_DEFAULT,
		.environment = "ASSAY_OUTPUT_PREFIX",
		.help = "what the names of the new files begin with; {datetime} is now, {pid} our "
			"process id and, behind a -, the number of the run among those of this "
			"import" },
	{ .name = "tag",
		.argument = "KEY=VALUE",
		.repeats = true,
		.joins = true,
		.environment = "ASSAY_TAG",
		.help = "a tag by which the runs are found later; may be given several times, in "
			"the variable with commas between" },
	{ .name = "clobber", .help = "replaces a record that is there already" },
	{ .name = "dry-run", .letter = 'n', .help = "says what each file is, and writes nothing" },
};

struct import {
	const char *prefix; /* as it was given */
	const struct importer *from;
	const char *const *tags;
	bool usual; /* it was not given */
	bool dry, clobber;
	uint64_t realtime_ns;
	unsigned n; /* runs so far */
	bool failed;
	int unsaid; /* negative errno of what could not be printed */
	char *last_prefix; /* of the run before */
	char **seen; /* runs that were read, by what their files have in common */
	struct stored_files inputs; /* of all words, when files are replaced */
	size_t n_seen;
	struct buf line;
};

static int list_formats(void)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < n_importers; i++) {
		buf_addf(&out, "%-18s", importers[i]->name);
		text_add_wrapped(&out, importers[i]->help, 18, 18);
		buf_add_text(&out, "\n                  ");
		text_add_wrapped(&out, importers[i]->files, 18, 18);
		buf_add_char(&out, '\n');
	}
	int r = print_data(&out);
	buf_done(&out);
	return r;
}

/* {pid}, {pid:06d} ... stand for "PID-N" here, so that every run of an import has a name of its own, as its id. */
static int expand(const struct import *im, const char *format, char **ret, struct error *err)
{
	static const char pid[] = "{pid";
	struct buf numbered = { 0 };
	int r;

	for (const char *at = format; *at;) {
		size_t n = strncmp(at, pid, strlen(pid)) == 0 ? strcspn(at, "}") : 0;

		if (at[0] == '{' && at[1] == '{') {
			buf_add_text(&numbered, "{{");
			at += 2;
		} else if (n > 0 && at[n] == '}' && strchr("}:!", at[strlen(pid)])) {
			buf_add(&numbered, at, n + 1);
			buf_addf(&numbered, "-%u", im->n);
			at += n + 1;
		} else {
			buf_add_char(&numbered, *at++);
		}
	}
	if (numbered.failed)
		r = error_set(err, -ENOMEM, "output prefix");
	else
		r = run_prefix_expand(numbered.data ? numbered.data : "", im->realtime_ns,
			(long) getpid(), ret, err);
	buf_done(&numbered);
	return r;
}

/* "FILE: con-duct, 3 windows". What was not over is said as the file has it, or, once it is written, as the new record has it. */
static void describe(struct import *im, const struct stored_run *run, uint64_t windows)
{
	text_add_printable(&im->line, run->file, strlen(run->file));
	if (run->importer->several)
		buf_addf(&im->line, " (number %zu)", run->which + 1);
	buf_addf(&im->line, ": %s, %llu window%s", run->format, (unsigned long long) windows,
		windows == 1 ? "" : "s");
	if (run->state == STORED_DONE)
		return;
	buf_addf(&im->line, ", %s", stored_state_name(im->dry ? run->state : STORED_LOST));
	if (!im->dry && run->why[0]) {
		buf_add_text(&im->line, ": ");
		text_add_printable(&im->line, run->why, strlen(run->why));
	}
}

static void warn_of_damage(const struct stored_run *run, const struct series_survey *survey)
{
	if (survey->damaged > 0)
		complain("%s: %llu line%s could not be read (the first is line %llu)", run->file,
			(unsigned long long) survey->damaged, survey->damaged == 1 ? "" : "s",
			(unsigned long long) survey->first_damaged);
	if (survey->torn)
		complain("%s: its last line is not whole and is left out", run->file);
}

static int count_only(const json_t *window, void *context)
{
	(void) window;
	(void) context;
	return 0;
}

static int write_one(struct import *im, const struct stored_run *run, const char *prefix,
	struct series_survey *survey, struct error *err)
{
	char *id = NULL;
	int r = expand(im, "{datetime}-{pid}", &id, err);
	const struct write_run_options options = { .prefix = prefix,
		.id = id,
		.version = assay_version(),
		.tags = im->tags,
		.realtime_ns = im->realtime_ns,
		.clobber = im->clobber,
		.guarded = im->usual,
		.stop = &stop_signal };

	if (r == 0) {
		stop_signals_hold();
		r = write_run(run, &options, survey, err);
		stop_signals_release();
	}
	free(id);
	return r;
}

/* Whether a file that goes when the record is replaced is one that we read. */
static bool replaces_input(const struct import *im, const char *prefix)
{
	bool found = false;

	for (size_t i = 0; im->clobber && !found && run_name_end(i); i++) {
		char *path = NULL;
		struct stat st;

		if (asprintf(&path, "%s%s", prefix, run_name_end(i)) < 0)
			return true;
		found = stat(path, &st) == 0 && stored_files_hold(&im->inputs, &st);
		free(path);
	}
	return found;
}

/* A word that stands for nothing is told of when its turn comes. */
static int find_inputs(struct import *im, char **words)
{
	int r = 0;

	for (; *words && r == 0 && im->clobber; words++) {
		char *path = NULL;

		if (!im->from && run_name_resolve(*words, &path, NULL) < 0)
			continue;
		r = stored_files_add(&im->inputs, path ? path : *words);
		free(path);
	}
	return r;
}

/* Complains itself. */
static int import_one(struct import *im, const struct stored_run *run)
{
	struct series_survey survey = { 0 };
	struct error err = { 0 };
	char *prefix = NULL;
	int r;

	im->n++;
	buf_clear(&im->line);
	r = expand(im, im->prefix, &prefix, &err);
	if (r < 0 || !prefix) {
		complain("%s: %s", run->file, err.text);
		return r < 0 ? r : -ENOMEM;
	}
	if (im->last_prefix && strcmp(im->last_prefix, prefix) == 0)
		r = error_say(&err, -EINVAL,
			"%.200s holds the run before: the prefix of more than one run needs {pid}",
			prefix);
	else if (replaces_input(im, prefix))
		r = error_say(&err, -EEXIST,
			"%.200s" RUN_NAME_INFO " or another file of that record is read by this "
			"import, and is never replaced",
			prefix);
	else if (im->dry)
		r = stored_run_windows(run, count_only, NULL, &survey, &err);
	else
		r = write_one(im, run, prefix, &survey, &err);
	if (r < 0) {
		complain("%s: %s%s", run->file, err.text,
			r == RUN_PLACE_NOT_TRUSTED ? ": take another prefix" : "");
	} else {
		if (!im->dry) {
			text_add_printable(&im->line, prefix, strlen(prefix));
			buf_add_text(&im->line, " from ");
		}
		describe(im, run, survey.windows);
		buf_add_char(&im->line, '\n');
		warn_of_damage(run, &survey);
		/* Nobody may listen; the runs are imported all the same. */
		if (im->unsaid == 0)
			im->unsaid = write_data(&im->line);
		free(im->last_prefix);
		im->last_prefix = prefix;
		prefix = NULL;
	}
	free(prefix);
	return r;
}

/* Several words may be files of one run. */
static bool is_seen(struct import *im, const struct stored_run *run)
{
	char *path = stored_files_stem(run);
	char **seen;

	if (!path)
		return false;
	for (size_t i = 0; i < im->n_seen; i++) {
		if (strcmp(im->seen[i], path) == 0) {
			free(path);
			return true;
		}
	}
	seen = realloc(im->seen, (im->n_seen + 1) * sizeof(*seen));
	if (!seen) {
		free(path);
		return false;
	}
	im->seen = seen;
	im->seen[im->n_seen++] = path;
	return false;
}

/* 1: there was a run of that number. 0: no more. */
static int import_number(struct import *im, const char *word, size_t which)
{
	struct stored_run run;
	struct error err = { 0 };
	int r = im->from ? stored_run_open_as(word, which, im->from, &run, &err)
			 : stored_run_open_which(word, which, &run, &err);

	if (r == -ENOENT && which > 0)
		return 0;
	if (r < 0) {
		complain("%s", err.text);
		im->failed = true;
		return r == -ENOMEM ? r : 0;
	}
	bool several = run.importer && run.importer->several;
	if (!run.importer) {
		complain("%s: it is a run of assay already", run.file);
		im->failed = true;
	} else if (which > 0 || !is_seen(im, &run)) {
		r = import_one(im, &run);
		im->failed = im->failed || r < 0;
	} else {
		several = false;
	}
	stored_run_done(&run);
	if (stop_signal)
		return -EINTR;
	return several;
}

static void import_done(struct import *im)
{
	for (size_t i = 0; i < im->n_seen; i++)
		free(im->seen[i]);
	free(im->seen);
	stored_files_done(&im->inputs);
	free(im->last_prefix);
	buf_done(&im->line);
}

static int import_words(struct import *im, char **words)
{
	int r = find_inputs(im, words);

	if (r < 0) {
		complain("there is not enough memory");
		im->failed = true;
	}
	for (; *words && r >= 0; words++)
		for (size_t which = 0; (r = import_number(im, *words, which)) > 0;)
			which++;
	import_done(im);
	if (stop_signal) {
		/* All is tidied up: now it may do what it does. */
		stop_signals_obey();
		return EXIT_TROUBLE;
	}
	r = close_data(im->unsaid == -EPIPE ? 0 : im->unsaid);
	return im->failed ? EXIT_TROUBLE : r;
}

static int check_tags(const char *const *tags, struct error *err)
{
	for (; tags && *tags; tags++) {
		size_t n = strspn(*tags, TAG_BYTES);

		if (n == 0 || (*tags)[n] != '=')
			return error_say(err, -EINVAL,
				"the tag '%.60s' is not KEY=VALUE, KEY of letters, digits, ._:/-",
				*tags);
	}
	return 0;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	const char *prefix = verb_option(verb, values, "output-prefix");
	const char *from = verb_option(verb, values, "from");
	struct import im = { .prefix = prefix ? prefix : RUN_PREFIX_DEFAULT,
		.tags = verb_value(verb, values, "tag")->all,
		.dry = verb_option(verb, values, "dry-run") != NULL,
		.usual = !prefix,
		.clobber = verb_option(verb, values, "clobber") != NULL,
		.realtime_ns = clock_realtime_ns() };
	struct error err = { 0 };
	char *expanded = NULL;

	if (verb_option(verb, values, "list"))
		return list_formats();
	if (!words[0])
		return complain_usage(verb, "a file is missing");
	im.from = from ? importer_find(from) : NULL;
	if (from && !im.from) {
		error_say(
			&err, -EINVAL, "--from: '%.60s' is not known; --list shows what is", from);
		return complain_usage(verb, err.text);
	}
	if (check_tags(im.tags, &err) < 0 || expand(&im, im.prefix, &expanded, &err) < 0)
		return complain_usage(verb, err.text);
	free(expanded);
	return import_words(&im, words);
}

const struct verb verb_import = {
	.name = "import",
	.mixed = true,
	.help = "makes runs out of the files of other tools",
	.usage = "[options] FILE...",
	.text = "Reads what other tools recorded and writes each run found as one of assay's, with "
		"the "
		"quality that the other's method has. Any file of a run stands for all of it. For "
		"each "
		"run one line is printed: the prefix of its new files, and what it was.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
