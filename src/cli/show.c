/* SPDX-License-Identifier: MIT */
/* assay show: tells recorded runs, one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "cli/ending.h"
#include "cli/log.h"
#include "cli/run_words.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "record/json_dump.h"
#include "show/show.h"

#define JSON_DIGITS 15 /* what a double keeps of any decimal: 0.836 is not 0.83599999999999997 */

static const struct option_choice orders[] = {
	{ "cpu", BY_CPU },
	{ "memory", BY_MEMORY },
	{ "io", BY_IO },
	{ "start", BY_START },
	{ NULL, 0 },
};

static const struct option_row rows[] = {
	{ .group = "What is shown",
		.name = "json",
		.help = "writes the whole record as JSON, with the state, verdicts, warnings and "
			"top processes; several runs: one object after the other" },
	{ .name = "processes", .help = "lists every process that the series names" },
	{ .name = "sort",
		.argument = "ORDER",
		.choices = orders,
		.default_text = "cpu",
		.help = "the order of --processes: cpu, memory, io or start" },
	{ .name = "events", .help = "lists births, ends, limits, gaps and joins in order of time" },
	{ .name = "human",
		.letter = 'H',
		.help = "lists every member of the record, sizes and durations for people" },
	{ .name = "flat", .help = "lists every member of the record as it is" },
	{ .name = "no-charts", .help = "leaves the charts out" },
	{ .group = "How it looks", OPTION_WIDTH },
	{ .name = "colors",
		.alias = "color",
		.default_text = "when standard output is a terminal",
		.environment = "ASSAY_COLORS",
		.help = "colors in the page; --colors=no: none" },
	{ .group = "Where runs are", OPTION_RUNS_PREFIX },
};

struct job {
	struct show_look look;
	bool json, processes, events, human, flat;
	enum process_order order;
};

static int add_json(struct story *s, struct buf *out)
{
	json_t *of = show_json(s);

	json_dump_to(out, of, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS));
	buf_add_char(out, '\n');
	json_decref(of);
	return out->failed ? -ENOMEM : 0;
}

/* What takes the series: gathered once, however it is shown. */
static int write_story(const struct job *job, const struct stored_run *run, struct error *err)
{
	struct story *s = malloc(sizeof(*s));
	struct buf out = { 0 };
	int r = s ? story_gather(run, s) : -ENOMEM;

	if (r < 0) {
		free(s);
		return error_set(err, r, "cannot read %s", run->file);
	}
	if (job->json)
		r = add_json(s, &out);
	else if (job->processes)
		show_processes(s, job->order, &job->look, &out);
	else
		show_page(s, &job->look, &out);
	if (r == 0 && s->trouble.code < 0 && !err->code)
		*err = s->trouble;
	story_done(s);
	free(s);
	if (r == 0)
		r = write_data(&out);
	buf_done(&out);
	return r;
}

static int write_flat(const struct job *job, const struct stored_run *run)
{
	struct buf out = { 0 };
	int r;

	show_flat(run, job->human, &out);
	r = write_data(&out);
	buf_done(&out);
	return r;
}

/* 0, or a negative errno of writing. That the series could not be read to its end is said, and makes *ret_status EXIT_TROUBLE. */
static int show_run(const struct job *job, const struct stored_run *run, int *ret_status)
{
	struct error err = { 0 };
	int r;

	if (job->events)
		r = show_events(run, &job->look, write_data, &err);
	else if (job->human || job->flat)
		r = write_flat(job, run);
	else
		r = write_story(job, run, &err);
	if (err.code) {
		complain("%s", err.text);
		*ret_status = EXIT_TROUBLE;
		return err.code == r ? 0 : r;
	}
	return r;
}

struct shown {
	const struct job *job;
	int status;
	bool any;
};

/* 0, or a negative errno of writing. */
static int show_next(struct shown *s, struct stored_run *run)
{
	const struct buf line = { .data = (char[]){ "\n" }, .len = 1 };
	int r = s->any && !s->job->json ? write_data(&line) : 0;

	if (r == 0)
		r = show_run(s->job, run, &s->status);
	s->any = true;
	stored_run_done(run);
	return r;
}

/* A file of another tool may hold several runs. */
static int show_each(struct shown *s, const char *file, size_t n, int trouble)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		struct stored_run run;
		struct error err = { 0 };

		if (stored_run_open_which(file, i, &run, &err) < 0) {
			complain("%s", err.text);
			s->status = trouble;
			continue;
		}
		r = show_next(s, &run);
	}
	return r;
}

/* `trouble`: the exit status when it cannot be opened. */
static int show_word(struct shown *s, const char *word, const char *prefix, int trouble)
{
	struct stored_run run;
	struct error err = { 0 };
	int64_t n = access(word, F_OK) == 0 ? stored_run_count(word, NULL) : 1;

	if (n > 1)
		return show_each(s, word, (size_t) n, trouble);
	if (run_word_open(word, prefix, LOG_WARNING, &run, &err) < 0) {
		complain("%s", err.text);
		s->status = trouble;
		return 0;
	}
	return show_next(s, &run);
}

static int show_all(const struct verb *verb, const struct option_values *values,
	const struct job *job, char **words)
{
	static char last[] = "@last";
	static char *usual[] = { last, NULL };
	const char *prefix = runs_prefix(verb, values);
	struct shown shown = { .job = job };
	int trouble = words[0] && words[1] ? EXIT_TROUBLE : EXIT_USAGE;
	int r = 0;

	for (char **word = words[0] ? words : usual; *word && r == 0; word++)
		r = show_word(&shown, *word, prefix, trouble);
	/* Whoever reads has seen enough. */
	if (r == -EPIPE)
		return shown.status;
	if (close_data(r) != 0)
		return EXIT_TROUBLE;
	return shown.status;
}

static int count_forms(const struct job *job)
{
	return job->json + job->processes + job->events + job->human + job->flat;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	const struct option_value *sort = verb_value(verb, values, "sort");
	struct job job = { .json = verb_option(verb, values, "json") != NULL,
		.processes = verb_option(verb, values, "processes") != NULL,
		.events = verb_option(verb, values, "events") != NULL,
		.human = verb_option(verb, values, "human") != NULL,
		.flat = verb_option(verb, values, "flat") != NULL,
		.order = sort->text ? (enum process_order) sort->number : BY_CPU };
	struct error err = { 0 };

	if (count_forms(&job) > 1)
		return complain_usage(
			verb, "--json, --processes, --events, --human and --flat: one of them");
	if (sort->source && !job.processes)
		return complain_usage(verb, "--sort is for --processes alone");
	if (terminal_width(verb, values, &job.look.columns, &err) < 0)
		return complain_usage(verb, err.text);
	job.look.color = ending_wants_color_on(verb, values, STDOUT_FILENO);
	job.look.ascii = terminal_is_ascii();
	job.look.charts = verb_option(verb, values, "no-charts") == NULL;
	log_flush(&values->log, LOG_WARNING);
	return show_all(verb, values, &job, words);
}

const struct verb verb_show = {
	.name = "show",
	.mixed = true,
	.help = "tells what a recorded run was, how it went and what it used",
	.offers = OFFERS_RUNS,
	.usage = "[options] [RUN...]",
	.text = "Tells a run on one page, from its record alone; without RUN the last "
		"one. " RUN_WORDS,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
