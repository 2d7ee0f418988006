/* SPDX-License-Identifier: MIT */
/* What assay-size does: finds the runs, refuses what no request can be made from, and writes the request. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/ending.h"
#include "cli/program.h"
#include "cli/run_words.h"
#include "cli/size_apply.h"
#include "cli/size_runs.h"
#include "cli/size_words.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "record/fields.h"
#include "record/foreign/cells.h"
#include "run/where.h"
#include "size/size_forms.h"
#include "size/size_plan.h"
#include "size/size_waste.h"
#include "text/wrap.h"

/* All that was asked. */
struct request {
	struct size_runs runs;
	struct size_options options;
	enum size_format format;
	bool waste, mixed, color;
	size_t width;
	const char *script, *copy;
	char *by; /* the field's name */
};

static void request_done(struct request *q)
{
	size_runs_done(&q->runs);
	free(q->by);
}

/* "5%" or "5": percent. */
static int read_percent(const char *source, const char *text, double *ret, struct error *err)
{
	char *end;
	double percent = strtod(text, &end);

	end += *end == '%';
	if (!strchr("0123456789.", text[0]) || !text[0] || *end ||
		!(percent >= 0 && percent <= 1000))
		return error_say(err, -EINVAL, "%s: '%.40s' is no number of percent from 0 to 1000",
			source, text);
	*ret = percent / 100;
	return 0;
}

/* "0.95" or "95%", between two bounds. */
static int read_share(const char *source, const char *text, double least, double most, double *ret,
	struct error *err)
{
	char *end;
	double share = strtod(text, &end);

	if (*end == '%') {
		share /= 100;
		end++;
	}
	if (!text[0] || !strchr("0123456789.", text[0]) || *end ||
		!(share >= least && share <= most))
		return error_say(err, -EINVAL, "%s: '%.40s' is no share from %g to %g", source,
			text, least, most);
	*ret = share;
	return 0;
}

static int read_shares(const struct verb *verb, const struct option_values *values,
	struct request *q, struct error *err)
{
	const struct option_value *target = verb_value(verb, values, "target");
	const struct option_value *confidence = verb_value(verb, values, "confidence");
	const struct option_value *slowdown = verb_value(verb, values, "slowdown");
	int r = 0;

	q->options.wish.target = 0.95;
	q->options.slowdown = 0.05;
	if (target->text)
		r = read_share(
			target->source, target->text, 0.5, 0.999, &q->options.wish.target, err);
	if (r == 0 && confidence->text)
		r = read_share(confidence->source, confidence->text, 0.5, 0.999,
			&q->options.wish.confidence, err);
	if (r == 0 && slowdown->text)
		r = read_percent(slowdown->source, slowdown->text, &q->options.slowdown, err);
	return r;
}

static int read_amount(
	const char *source, const char *name, const char *text, double *ret, struct error *err)
{
	enum field_unit unit = field_unit(name);
	uint64_t n = 0;

	if (number_is(text, ret) && *ret > 0)
		return 0;
	if (unit == FIELD_SECONDS && parse_duration(text, &n, NULL) == 0 && n > 0)
		*ret = (double) n / (double) NSEC_PER_SEC;
	else if (parse_size(text, &n, NULL) == 0 && n > 0)
		*ret = (double) n;
	else
		return error_say(err, -EINVAL, "%s: '%.40s' is no amount above 0", source, text);
	return 0;
}

static int read_by(const struct option_value *value, struct request *q, struct error *err)
{
	const char *equals = value->text ? strchr(value->text, '=') : NULL;
	size_t n = equals ? (size_t) (equals - value->text) : value->text ? strlen(value->text) : 0;
	char *word;

	q->options.wish.at = (double) NAN;
	if (!value->text)
		return 0;
	if (n == 0)
		return error_say(err, -EINVAL, "%s: the name of a field is missing", value->source);
	word = strndup(value->text, n);
	q->by = word ? field_meant(word) : NULL;
	free(word);
	if (!q->by)
		return error_say(err, -ENOMEM, "there is not enough memory");
	q->options.wish.by = true;
	q->options.by = q->runs.by = q->by;
	return equals ? read_amount(value->source, q->by, equals + 1, &q->options.wish.at, err) : 0;
}

static int read_wheres(const struct option_value *value, struct request *q, struct error *err)
{
	uint64_t now = clock_realtime_ns();

	q->runs.wheres = calloc(value->n_all + 1, sizeof(*q->runs.wheres));
	if (!q->runs.wheres)
		return error_say(err, -ENOMEM, "there is not enough memory");
	for (size_t i = 0; i < value->n_all; i++) {
		if (where_parse(value->all[i], now, &q->runs.wheres[i], err) < 0)
			return error_wrap(err, "%s", value->parts[i].source);
		q->runs.n_wheres++;
	}
	return 0;
}

static int refuse_wishes(
	const struct verb *verb, const struct option_values *values, struct error *err)
{
	static const char *const wishes[] = { "target", "confidence", "policy", "slowdown", "by" };

	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++)
		if (verb_value(verb, values, wishes[i])->text)
			return error_say(err, -EINVAL,
				"--waste makes no request, which %s is a wish of",
				verb_value(verb, values, wishes[i])->source);
	return 0;
}

static int read_format(const struct verb *verb, const struct option_values *values,
	struct request *q, struct error *err)
{
	const struct option_value *format = verb_value(verb, values, "format");

	q->format = format->text ? (enum size_format) format->number : SIZE_TEXT;
	if (verb_option(verb, values, "json")) {
		if (format->text && q->format != SIZE_JSON)
			return error_say(err, -EINVAL,
				"--json and %s: one of them says how it is written",
				format->source);
		q->format = SIZE_JSON;
	}
	q->script = verb_option(verb, values, "apply");
	q->copy = verb_option(verb, values, "output");
	q->waste = verb_option(verb, values, "waste") != NULL;
	if (q->copy && !q->script)
		return error_say(
			err, -EINVAL, "--output is where --apply writes, and there is no --apply");
	if (q->waste && (q->script || q->format > SIZE_JSON))
		return error_say(err, -EINVAL,
			"--waste makes no request, which --apply and the forms of schedulers need");
	if (q->script && q->format != SIZE_TEXT)
		return error_say(
			err, -EINVAL, "--apply shows a difference, and has no other format");
	return q->waste ? refuse_wishes(verb, values, err) : 0;
}

/* Without anything that says which runs, those of the job that ran last. */
static int read_like(const struct verb *verb, const struct option_values *values, char **words,
	struct request *q, struct error *err)
{
	const char *like = verb_option(verb, values, "like");

	if (!like && !words[0] && q->runs.n_wheres == 0 && !q->waste)
		like = "@last";
	return like ? size_runs_like(&q->runs, like, err) : 0;
}

static int read_request(const struct verb *verb, struct option_values *values, char **words,
	struct request *q, struct error *err)
{
	int r = read_shares(verb, values, q, err);

	q->runs.output_prefix = runs_prefix(verb, values);
	q->mixed = verb_option(verb, values, "mixed") != NULL;
	q->options.retry = verb_value(verb, values, "policy")->text &&
			   verb_value(verb, values, "policy")->number == SIZE_RETRY;
	q->color = ending_wants_color_on(verb, values, STDOUT_FILENO);
	if (r == 0)
		r = terminal_width(verb, values, &q->width, err);
	if (r == 0)
		r = read_by(verb_value(verb, values, "by"), q, err);
	if (r == 0)
		r = read_wheres(verb_value(verb, values, "where"), q, err);
	if (r == 0)
		r = read_format(verb, values, q, err);
	if (r == 0)
		r = read_like(verb, values, words, q, err);
	return r;
}

#define SHAPES_NAMED 3

/* Whether they are all of one job; those whose command is not known are taken for one. */
static bool are_of_one_job(const struct size_runs *runs)
{
	struct buf line = { 0 };
	size_t shapes = 0;

	for (size_t i = 0; i < runs->n; i++) {
		const char *shape = runs->runs[i].shape ? runs->runs[i].shape : "(not known)";
		size_t k = 0;

		while (k < i && strcmp(runs->runs[k].shape ? runs->runs[k].shape : "(not known)",
					shape) != 0)
			k++;
		if (k < i)
			continue;
		if (shapes < SHAPES_NAMED) {
			buf_add_text(&line, shapes ? "; " : "");
			text_add_shortened(&line, shape, strlen(shape), 60);
		}
		shapes++;
	}
	if (shapes > 1)
		complain("the runs are of %zu commands (%s%s); name those of one, or use --like "
			 "RUN; --mixed takes them for one",
			shapes, line.failed || !line.data ? "" : line.data,
			shapes > SHAPES_NAMED ? "; ..." : "");
	buf_done(&line);
	return shapes <= 1;
}

/* A value that nobody can follow looks like one that is not there. */
static void say_foreign(const struct size_runs *runs)
{
	if (runs->foreign > 0)
		complain("--by %s: %zu run%s left out whose value is no number from %g to %g (the "
			 "first: '%.40s%s'); a size is written as 12G or 12GiB",
			runs->by, runs->foreign, runs->foreign == 1 ? "" : "s", SIZE_BY_LEAST,
			SIZE_BY_MOST, runs->first_foreign,
			strlen(runs->first_foreign) > 40 ? "..." : "");
}

static void say_left_out(const struct size_runs *runs)
{
	if (runs->copies == 1)
		complain("1 copy of a run was left out: each run counts once");
	else if (runs->copies > 1)
		complain("%zu copies of runs were left out: each run counts once", runs->copies);
	if (runs->damaged > SIZE_DAMAGED_NAMED)
		complain("of %zu more runs the series is damaged or not whole",
			runs->damaged - SIZE_DAMAGED_NAMED);
	if (runs->waiting == 1)
		complain("1 job never began: it is no run");
	else if (runs->waiting > 1)
		complain("%zu jobs never began: they are no runs", runs->waiting);
	say_foreign(runs);
}

static void say_none(const struct request *q)
{
	if (q->runs.looked_at > 0)
		complain("none of the %zu runs here %s: no request is made out of nothing",
			q->runs.looked_at,
			q->runs.like && q->runs.n_wheres == 0 ? "is of that job" : "matches");
	else if (!q->runs.failed && q->runs.waiting == 0)
		complain("there are no runs here: no request is made out of nothing");
}

static int write_all(struct buf *out)
{
	int r = write_data(out);

	buf_done(out);
	return close_data(r == -EPIPE ? 0 : r) != 0 ? EXIT_TROUBLE : 0;
}

static int show_waste(struct request *q)
{
	struct size_waste waste = { 0 };
	struct buf out = { 0 };
	int r = size_waste_add_all(&waste, q->runs.runs, q->runs.n);

	if (r == 0) {
		size_waste_sort(&waste);
		if (q->format == SIZE_JSON)
			size_waste_json(&waste, &out);
		else
			size_waste_text(&waste, q->width, 0, &out);
	} else {
		complain("there is not enough memory for a report on these runs");
	}
	size_waste_done(&waste);
	return r == 0 ? write_all(&out) : EXIT_TROUBLE;
}

/* How many runs that ended by themselves have a covariate, and how many values they have, as far as it matters. */
static size_t count_covariates(
	const struct size_plan *plan, enum size_resource resource, size_t *ret_values)
{
	double seen[3];
	size_t whole = 0;

	*ret_values = 0;
	for (size_t i = 0; i < plan->n; i++) {
		const struct size_run *run = &plan->runs[i];
		size_t k = 0;

		if (!(run->covariate > 0) || run->facts[resource].at_least ||
			!(run->facts[resource].value > 0))
			continue;
		whole++;
		while (k < *ret_values && seen[k] != run->covariate)
			k++;
		if (k == *ret_values && k < ARRAY_SIZE(seen))
			seen[(*ret_values)++] = run->covariate;
	}
	return whole;
}

/* A covariate was named that cannot be followed. */
static bool follows(const struct request *q, const struct size_plan *plan)
{
	for (int i = 0; q->options.wish.by && i < SIZE_CPUS; i++) {
		const struct size_part *part = &plan->parts[i];
		size_t values;
		size_t whole;

		if (part->measured == 0 || part->bound.by)
			continue;
		whole = count_covariates(plan, (enum size_resource) i, &values);
		complain("--by %s: of %zu runs %zu have it, %zu of them ended by themselves, with "
			 "%zu different value%s: it takes 4 with 3",
			q->options.by, plan->n, plan->n - plan->without_covariate, whole, values,
			values == 1 ? "" : "s");
		return false;
	}
	if (q->options.wish.by && plan->without_covariate == plan->n) {
		complain("--by %s: none of the %zu runs has it as a number above 0", q->options.by,
			plan->n);
		return false;
	}
	return true;
}

static void say_none_of(const struct size_plan *plan, enum size_resource resource)
{
	struct buf line = { 0 };

	size_plan_say_none(plan, resource, &line);
	complain("%s: %s", size_resource_name(resource), line.failed ? "no request" : line.data);
	buf_done(&line);
}

/* That a request promises less than was asked for. */
static void say_unsure(
	const struct size_part *part, const struct size_wish *wish, const char *resource)
{
	if (part->bound.beyond)
		complain(
			"%s: beyond all that was seen of runs that ended by themselves: no promise",
			resource);
	else if (part->bound.method == SIZE_MARGIN && wish->confidence > 0)
		complain("%s: a confidence of %.9g %% is not reached; it takes %zu runs", resource,
			100 * wish->confidence, part->bound.needed);
	else if (part->bound.serial && wish->confidence > 0)
		complain("%s: each run is like the one before it: of all future runs nothing is "
			 "known",
			resource);
}

/* On standard error, for who reads the lines of a scheduler or the difference in a script. */
static void say_missing(const struct size_plan *plan, const struct size_wish *wish)
{
	for (int i = 0; i < N_SIZE_RESOURCE; i++) {
		const struct size_part *part = &plan->parts[i];

		if (part->request == 0)
			say_none_of(plan, (enum size_resource) i);
		else if (part->bound.method == SIZE_CUT_OFF)
			complain("%s: of %zu of %zu runs only a least is known: it is the next to "
				 "try, and no promise",
				size_resource_name((enum size_resource) i), part->cut_off,
				part->measured);
		else
			say_unsure(part, wish, size_resource_name((enum size_resource) i));
		if (part->unknown > 0 && part->request > 0)
			complain("%s: of %zu of %zu runs it is not known%s%s%s",
				size_resource_name((enum size_resource) i), part->unknown, plan->n,
				part->why_unknown[0] ? " (" : "", part->why_unknown,
				part->why_unknown[0] ? ")" : "");
	}
}

/* A script has room for the first one alone. */
static void say_steps(const struct size_plan *plan)
{
	struct buf line = { 0 };

	if (plan->parts[SIZE_MEMORY].n_requests < 2)
		return;
	size_plan_say_steps(plan, &line);
	if (!line.failed)
		complain("memory: %s", line.data);
	buf_done(&line);
}

/* What the request is of, where schedulers have each node or task in mind. */
static void say_parts(const struct size_plan *plan)
{
	double tasks = fmax(1, plan->tasks);
	double nodes = fmax(1, plan->nodes);

	if (plan->tasks > 1 || plan->nodes > 1)
		complain(
			"the runs had up to %.0f task%s on %.0f node%s, and the request is for all "
			"of them together: divide it by hand (--mem is of a node, --cpus-per-task "
			"of a task)",
			tasks, tasks > 1 ? "s" : "", nodes, nodes > 1 ? "s" : "");
	if (plan->largest_step_alone > 0)
		complain("of %zu of %zu runs the memory is that of the largest step, and which ran "
			 "side by side is not told: give sacct --format Start and Elapsed",
			plan->largest_step_alone, plan->n);
	if (plan->largest_task_alone > 0)
		complain("of %zu of %zu runs the memory is that of the largest task, and how many "
			 "there were is not told: give sacct --format NTasks and TRESUsageInTot",
			plan->largest_task_alone, plan->n);
}

static int write_plan(const struct request *q, const struct size_plan *plan)
{
	static const char *const forms[] = { [SIZE_SLURM] = "slurm",
		[SIZE_PBS] = "pbs",
		[SIZE_HTCONDOR] = "htcondor",
		[SIZE_KUBERNETES] = "kubernetes",
		[SIZE_NEXTFLOW] = "nextflow",
		[SIZE_SNAKEMAKE] = "snakemake" };
	struct size_ask ask;
	struct buf out = { 0 };

	size_plan_ask(plan, &q->options, &ask);
	say_parts(plan);
	if (q->script) {
		say_missing(plan, &q->options.wish);
		say_steps(plan);
		if (ask.memory_bytes == 0 && ask.cpus == 0 && ask.seconds == 0) {
			complain("there is no request: no copy of %s is written", q->script);
			return EXIT_TROUBLE;
		}
		return size_apply(q->script, q->copy, &ask);
	}
	if (q->format == SIZE_TEXT) {
		size_plan_text(plan, &q->options, q->width, q->color, &out);
	} else if (q->format == SIZE_JSON) {
		size_plan_json(plan, &q->options, &out);
	} else {
		say_missing(plan, &q->options.wish);
		size_form_find(forms[q->format])->write(&ask, &out);
	}
	return write_all(&out);
}

static bool is_whole(const struct size_plan *plan)
{
	for (int i = 0; i < N_SIZE_RESOURCE; i++)
		if (plan->parts[i].request == 0)
			return false;
	return true;
}

static int size(struct request *q)
{
	struct size_plan plan;
	int status;

	if (!q->mixed && !are_of_one_job(&q->runs))
		return EXIT_USAGE;
	if (size_plan_make(q->runs.runs, q->runs.n, &q->options, &plan) < 0) {
		complain("there is not enough memory for a request from these runs");
		return EXIT_TROUBLE;
	}
	if (!follows(q, &plan))
		return EXIT_USAGE;
	status = write_plan(q, &plan);
	return status == 0 && !is_whole(&plan) ? EXIT_TROUBLE : status;
}

static int find_and_write(struct request *q, char **words)
{
	int status;

	if (size_runs_find(&q->runs, words) < 0) {
		complain("there is not enough memory for these runs");
		return EXIT_TROUBLE;
	}
	say_left_out(&q->runs);
	if (q->runs.n == 0) {
		say_none(q);
		return EXIT_USAGE;
	}
	status = q->waste ? show_waste(q) : size(q);
	return status == 0 && q->runs.failed ? EXIT_TROUBLE : status;
}

int program_body(const struct verb *verb, struct option_values *values, char **words)
{
	struct request q = { 0 };
	struct error err = { 0 };
	int status;

	if (read_request(verb, values, words, &q, &err) < 0)
		status = complain_usage(verb, err.text);
	else
		status = find_and_write(&q, words);
	request_done(&q);
	return status;
}
