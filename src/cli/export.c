/* SPDX-License-Identifier: MIT */
/* assay export: writes runs in the formats of other tools. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "cli/log.h"
#include "cli/record_options.h"
#include "cli/run_words.h"
#include "cli/stop_signal.h"
#include "cli/verb.h"
#include "export/export.h"
#include "record/stored_files.h"

static const struct option_row rows[] = {
	{ .group = "What is written",
		.name = "to",
		.letter = 't',
		.argument = "FORMAT",
		.help = "the format, one of those that --list shows" },
	{ .name = "output",
		.letter = 'o',
		.argument = "FILE",
		.default_text = "standard output",
		.help = "where it goes: a file, for formats of several files a prefix or "
			"directory, - "
			"for standard output; DIRECTORY/ takes a file of each run, named after "
			"it" },
	{ .name = "clobber", .help = "replaces files that are there already" },
	{ .name = "measurements",
		.letter = 'm',
		.argument = "LIST",
		.default_text = "all that the runs have",
		.help = "only these: keys and globs, comma-separated; -KEY takes away" },
	{ .name = "processes", .help = "the values of single processes, too" },
	{ .name = "devices", .help = "the values of single devices, too" },
	{ .name = "list", .help = "shows the formats and ends" },
	{ .group = "Which runs", OPTION_RUNS_PREFIX },

	{ .group = "What we say", OPTION_LOG_LEVEL },
	{ OPTION_QUIET },
};

/* The runs that are there, by their files: a word such as @last may mean another run a moment later. */
struct chosen {
	char **files;
	char **names; /* of a file of each: its id as one word */
	size_t n;
	struct stored_files inputs;
	bool failed; /* some are not there */
};

struct request {
	const struct exporter *exporter;
	struct export_options options;
	const char *path; /* NULL: standard output */
	enum log_level level;
	bool left_out; /* a run, or a part of one, is not in it */
};

static int list_formats(void)
{
	struct buf out = { 0 };
	int status;

	for (size_t i = 0; i < n_exporters; i++)
		buf_addf(&out, "%-12s %s\n", exporters[i]->name, exporters[i]->help);
	status = print_data(&out);
	buf_done(&out);
	return status;
}

static void print_warning(const char *line, void *context)
{
	struct request *q = context;

	record_warning(line, &q->level);
}

static void complain_of_run(const char *line, void *context)
{
	struct request *q = context;

	complain("%s", line);
	q->left_out = true;
}

static int choose_format(const struct verb *verb, const struct option_values *values,
	struct request *q, struct error *err)
{
	static const struct {
		unsigned choice;
		const char *option;
	} choices[] = { { EXPORT_MEASUREMENTS, "measurements" }, { EXPORT_PROCESSES, "processes" },
		{ EXPORT_DEVICES, "devices" } };
	const char *name = verb_option(verb, values, "to");

	if (!name)
		return error_say(err, -EINVAL, "--to FORMAT is missing; --list shows them");
	q->exporter = exporter_find(name);
	if (!q->exporter)
		return error_say(err, -EINVAL,
			"'%.40s' is no format; 'assay export --list' shows them", name);
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		if (!verb_option(verb, values, choices[i].option))
			continue;
		if (!(q->exporter->choices & choices[i].choice))
			return error_say(err, -EINVAL, "--%s is not for the format %s",
				choices[i].option, name);
		q->options.subjects |= choices[i].choice & (EXPORT_PROCESSES | EXPORT_DEVICES);
	}
	return 0;
}

static bool is_for_many(const char *path)
{
	size_t n = path ? strlen(path) : 0;

	return n > 0 && path[n - 1] == '/';
}

/* What can be written where. */
static int judge_path(const struct request *q, size_t n_runs, struct error *err)
{
	const char *format = q->exporter->name;

	if (!q->path && q->exporter->files[0])
		return error_say(err, -EINVAL, "%s is several files: give -o %s", format,
			q->exporter->directory ? "DIRECTORY" : "PREFIX");
	if (n_runs > 1 && !q->exporter->several && !is_for_many(q->path))
		return error_say(err, -EINVAL,
			"%s holds one run: -o DIRECTORY/ takes a file of each", format);
	return 0;
}

/* An id that is a path becomes one word, and no hidden file. */
static char *file_name_of(const char *id)
{
	char *name;

	id += strspn(id, "./");
	name = strdup(*id ? id : "run");
	for (char *s = name; s && *s; s++)
		if (*s == '/')
			*s = '_';
	return name;
}

static bool take_run(struct chosen *c, const struct stored_run *run)
{
	const char *id = json_string_value(json_object_get(run->info, "id"));

	c->files[c->n] = strdup(run->file);
	c->names[c->n] = file_name_of(id && *id ? id : run->file);
	c->n++;
	return c->files[c->n - 1] && c->names[c->n - 1] &&
	       stored_files_add(&c->inputs, run->file) == 0;
}

/* An item of the list that no run has is a mistake of who wrote it. */
static int judge_list(const char *list, const bool *fits, struct error *err)
{
	size_t i = 0;

	for (const char *item = list; item && *item; i++) {
		size_t n = strcspn(item, ",");

		if (n > 0 && !fits[i])
			return error_say(err, -EINVAL,
				"--measurements: none of the runs has '%.*s'",
				n > 60 ? 60 : (int) n, item);
		item += n + (item[n] == ',');
	}
	return 0;
}

static void mark_fits(const struct stored_run *run, const char *list, bool *fits)
{
	size_t i = 0;

	for (const char *item = list; item && *item; i++) {
		size_t n = strcspn(item, ",");
		size_t away = item[0] == '-' ? 1 : 0;

		if (n > away && export_item_fits(run, item + away, n - away))
			fits[i] = true;
		item += n + (item[n] == ',');
	}
}

static int find_runs_of(char **words, const char *prefix, enum log_level level, const char *list,
	struct chosen *c, struct error *err)
{
	bool *fits = calloc(list ? strlen(list) + 1 : 1, sizeof(*fits));
	struct error why = { 0 };
	struct stored_run run;
	int r = c->files && c->names && fits ? 0 : -ENOMEM;

	for (size_t i = 0; words[i] && r == 0; i++) {
		if (run_word_open(words[i], prefix, level, &run, &why) < 0) {
			complain("%s", why.text);
			c->failed = true;
			continue;
		}
		if (!take_run(c, &run))
			r = -ENOMEM;
		else
			mark_fits(&run, list, fits);
		stored_run_done(&run);
	}
	if (r < 0)
		error_set(err, r, "cannot export");
	else if (c->n > 0)
		r = judge_list(list, fits, err);
	free(fits);
	return r;
}

/* DIRECTORY/ID.SUFFIX, with a number where an earlier run has that name, too. */
static char *path_of_run(const struct request *q, const struct chosen *c, size_t i)
{
	const char *end =
		q->exporter->files[0] ? q->exporter->directory ? "" : "_" : q->exporter->suffix;
	struct buf path = { 0 };
	unsigned same = 1;

	buf_add_text(&path, q->path);
	buf_add_text(&path, c->names[i]);
	for (size_t k = 0; k < i; k++)
		same += strcmp(c->names[k], c->names[i]) == 0;
	if (same > 1)
		buf_addf(&path, "-%u", same);
	buf_add_text(&path, end);
	return path.failed ? NULL : path.data;
}

static int write_one(const struct request *q, char **files, size_t n, const char *path)
{
	struct error err = { 0 };
	int r = export_write(q->exporter, &q->options, (const char *const *) files, n, path, &err);

	/* Whoever read our output has had enough. */
	if (r == 0 || (r == -EPIPE && !path))
		return q->left_out ? EXIT_TROUBLE : 0;
	if (r == -ENODATA && q->left_out)
		return EXIT_TROUBLE;
	if (stop_signal)
		return EXIT_TROUBLE;
	complain("%s", err.text);
	return r == -EEXIST || r == -EISDIR ? EXIT_USAGE : EXIT_TROUBLE;
}

static int write_all(const struct request *q, const struct chosen *c)
{
	int status = 0;

	if (!is_for_many(q->path))
		return write_one(q, c->files, c->n, q->path);
	for (size_t i = 0; i < c->n && !stop_signal; i++) {
		char *path = path_of_run(q, c, i);
		int one = path ? write_one(q, &c->files[i], 1, path) : EXIT_TROUBLE;

		status = one > status ? one : status;
		free(path);
	}
	return status;
}

/* What goes into a pipe or a device has nothing to tidy up, and may wait there for long. */
static bool makes_files(const char *path)
{
	struct stat st;

	return path && (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static int write_all_or_stop(const struct request *q, const struct chosen *c)
{
	int status;

	if (makes_files(q->path))
		stop_signals_hold();
	status = write_all(q, c);
	/* All is tidied up: now it may do what it does. */
	stop_signals_obey();
	return status;
}

static int export_runs(const struct verb *verb, struct request *q, char **words, const char *prefix)
{
	size_t n = 0;
	struct chosen c = { 0 };
	struct error err = { 0 };
	int status = EXIT_TROUBLE;

	while (words[n])
		n++;
	if (judge_path(q, n, &err) < 0)
		return complain_usage(verb, err.text);
	c.files = calloc(n, sizeof(*c.files));
	c.names = calloc(n, sizeof(*c.names));
	q->options.inputs = &c.inputs;
	q->options.stop = &stop_signal;
	int r = find_runs_of(words, prefix, q->level, q->options.measurements, &c, &err);
	if (r == -EINVAL)
		status = complain_usage(verb, err.text);
	else if (r < 0)
		complain("%s", err.text);
	else if (c.n > 0)
		status = write_all_or_stop(q, &c);
	for (size_t i = 0; i < c.n; i++) {
		free(c.files[i]);
		free(c.names[i]);
	}
	free(c.files);
	free(c.names);
	stored_files_done(&c.inputs);
	q->options.inputs = NULL;
	return status == 0 && c.failed ? EXIT_TROUBLE : status;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct request q = { .level = record_log_level(verb, values) };
	struct error err = { 0 };

	log_flush(&values->log, q.level);
	if (verb_option(verb, values, "list"))
		return list_formats();
	if (choose_format(verb, values, &q, &err) < 0)
		return complain_usage(verb, err.text);
	if (!words[0])
		return complain_usage(verb, "no run is named: a path, an id, @last");
	q.options.measurements = verb_option(verb, values, "measurements");
	q.options.clobber = verb_option(verb, values, "clobber") != NULL;
	q.options.warn = print_warning;
	q.options.left_out = complain_of_run;
	q.options.context = &q;
	q.path = verb_option(verb, values, "output");
	if (q.path && strcmp(q.path, "-") == 0)
		q.path = NULL;
	return export_runs(verb, &q, words, runs_prefix(verb, values));
}

const struct verb verb_export = {
	.name = "export",
	.mixed = true,
	.help = "writes runs in the formats of other tools",
	.offers = OFFERS_RUNS,
	.usage = "[options] --to FORMAT RUN...",
	.text = "Writes runs to a file or to standard output in another format. " RUN_WORDS,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
