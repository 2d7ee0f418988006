/* SPDX-License-Identifier: MIT */
/* assay compare: what distinguishes runs, and whether the difference is more than chance. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "cli/compare_runs.h"
#include "cli/run_words.h"
#include "cli/verb.h"
#include "compare/compare_view.h"
#include "text/wrap.h"

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN };
enum unjudged { UNJUDGED_ERROR, UNJUDGED_FAIL, UNJUDGED_PASS };

static const struct option_choice formats[] = { { "table", FORMAT_TABLE }, { "json", FORMAT_JSON },
	{ "csv", FORMAT_CSV }, { "markdown", FORMAT_MARKDOWN }, { NULL, 0 } };
static const struct option_choice unjudged[] = { { "error", UNJUDGED_ERROR },
	{ "fail", UNJUDGED_FAIL }, { "pass", UNJUDGED_PASS }, { NULL, 0 } };

static const struct option_row rows[] = {
	{ .group = "Which runs",
		.name = "by",
		.argument = "FIELD",
		.offers = OFFERS_FIELD,
		.default_text = "the words and --",
		.help = "groups all runs by a field: command, host, tag:KEY or any other of "
			"'assay ls'" },
	{ .name = "base",
		.argument = "GROUP",
		.offers = OFFERS_NOTHING,
		.default_text = "the first",
		.help = "the group that the others are compared with: A, B ... or, with --by, the "
			"field's value" },
	{ .name = "all-outcomes",
		.help = "takes runs into the statistics that were lost, cut off by a limit, failed "
			"or are still running, too" },
	{ OPTION_RUNS_PREFIX },

	{ .group = "What is shown",
		.name = "fields",
		.letter = 'F',
		.repeats = true,
		.argument = "NAMES",
		.offers = OFFERS_FIELDS,
		.default_text = "the headline's",
		.help = "names or patterns (* ? []) of fields, between commas" },
	{ .name = "all", .letter = 'a', .help = "shows what is the same, too" },
	{ .name = "format",
		.letter = 'f',
		.argument = "FORMAT",
		.choices = formats,
		.default_text = "table",
		.help = "how it is written: table, json, csv or markdown" },
	{ .name = "confidence",
		.argument = "PERCENT",
		.default_text = "95",
		.offers = "90 95 99",
		.help = "of the intervals for repeated runs, from 50 to 99.9" },

	{ .group = "Judging, for CI",
		.name = "fail-if",
		.repeats = true,
		.argument = "CONDITION",
		.offers = OFFERS_FIELD,
		.help = "ends with status 1 when it is met, such as 'proc_peak_pss_total_bytes > "
			"+10%'" },
	{ .name = "noise",
		.argument = "PERCENT",
		.offers = "0 5 10",
		.default_text = "not known: changes between single runs are not judged",
		.help = "by how much runs of one thing may differ by chance, of the base, where "
			"there are too few of them to show it" },
	{ .name = "unjudged",
		.argument = "HOW",
		.choices = unjudged,
		.default_text = "error",
		.help = "what a condition counts for that cannot be judged: error is status 2, "
			"fail 1, "
			"pass 0" },
};

/* All that was asked for. */
struct request {
	struct compare_runs runs;
	enum format format;
	enum unjudged unjudged;
	const char *base;
	struct condition *conditions;
	size_t n_conditions;
	const char **names; /* of the conditions' fields */
	char **fields;
	size_t n_fields;
	struct judgement *judgements;
	struct compare_view view;
};

static void request_done(struct request *q)
{
	for (size_t i = 0; i < q->view.n_judgements; i++)
		free(q->judgements[i].why);
	free(q->judgements);
	for (size_t i = 0; i < q->n_fields; i++)
		free(q->fields[i]);
	free(q->fields);
	asked_names_done(&q->runs.asked);
	free(q->names);
	free(q->conditions);
}

static int no_memory(struct error *err)
{
	return error_say(err, -ENOMEM, "there is not enough memory");
}

/* "command", "host", "tag:KEY" or a field's own name. */
static int set_by(
	struct request *q, struct option_values *values, const char *text, struct error *err)
{
	char *by = text ? field_meant(text) : NULL;

	if (!text)
		return 0;
	if (by)
		q->runs.by = options_keep(values, by, strlen(by));
	free(by);
	return q->runs.by && !values->failed ? 0 : no_memory(err);
}

/* The name that is meant by the n bytes of a word; a pattern is taken as it is. On the heap. */
static char *name_of(const char *word, size_t n)
{
	char *text = strndup(word, n);
	char *name = text && !strpbrk(text, "*?[") ? field_meant(text) : NULL;

	if (!text || strpbrk(text, "*?["))
		return text;
	free(text);
	return name;
}

static int add_fields(struct request *q, const char *text, struct error *err)
{
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, ",");
		char **fields = realloc(q->fields, (q->n_fields + 2) * sizeof(*fields));

		if (!fields)
			return no_memory(err);
		q->fields = fields;
		fields[q->n_fields] = n > 0 ? name_of(at, n) : NULL;
		if (n > 0 && !fields[q->n_fields])
			return no_memory(err);
		q->n_fields += n > 0;
		fields[q->n_fields] = NULL;
		at += n + (at[n] == ',');
	}
	return 0;
}

static int set_fields(struct request *q, const struct option_value *value, struct error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < value->n_all; i++)
		r = add_fields(q, value->all[i], err);
	if (r == 0 && value->n_all > 0 && q->n_fields == 0)
		r = error_say(err, -EINVAL, "--fields: no name of a field was given");
	q->runs.wish.fields = (const char *const *) q->fields;
	return r;
}

static int set_conditions(struct request *q, const struct option_value *value, struct error *err)
{
	q->conditions = calloc(value->n_all + 1, sizeof(*q->conditions));
	q->names = calloc(value->n_all + 1, sizeof(*q->names));
	if (!q->conditions || !q->names)
		return no_memory(err);
	for (; q->n_conditions < value->n_all; q->n_conditions++) {
		struct condition *c = &q->conditions[q->n_conditions];

		if (condition_parse(value->all[q->n_conditions], c, err) < 0)
			return error_wrap(err, "--fail-if");
		q->names[q->n_conditions] = c->field;
	}
	q->runs.wish.conditions = q->names;
	return 0;
}

static int set_confidence(struct request *q, const char *text, struct error *err)
{
	char *end = NULL;
	double percent = text ? strtod(text, &end) : 95;

	if (text &&
		(text[strspn(text, "0123456789.")] || *end || !(percent >= 50) || percent > 99.9))
		return error_say(err, -EINVAL,
			"--confidence: '%.40s' is no number of percent from 50 to 99.9", text);
	q->view.confidence = percent / 100;
	return 0;
}

/* "5" or "5%", of each condition; without it nothing is known of chance. */
static int set_noise(struct request *q, const char *text, struct error *err)
{
	size_t digits = text ? strspn(text, "0123456789.") : 0;
	char *end = NULL;
	double percent = text ? strtod(text, &end) : (double) NAN;

	if (text && (digits == 0 || end != text + digits || (*end && strcmp(end, "%") != 0) ||
			    percent > 100))
		return error_say(
			err, -EINVAL, "--noise: '%.40s' is not a percentage from 0 to 100", text);
	for (size_t i = 0; i < q->n_conditions; i++)
		q->conditions[i].noise = percent / 100;
	return 0;
}

static int set_asked(struct request *q, struct error *err)
{
	struct asked_names *asked = &q->runs.asked;

	for (size_t i = 0; i < q->n_fields; i++)
		asked_names_add(asked, q->fields[i], true);
	for (size_t i = 0; i < q->n_conditions; i++)
		asked_names_add(asked, q->names[i], false);
	if (q->runs.by)
		asked_names_add(asked, q->runs.by, false);
	return asked->failed ? no_memory(err) : 0;
}

static bool wants_color(void)
{
	const char *terminal = getenv("TERM");
	const char *none = getenv("NO_COLOR");

	return !(none && *none) && isatty(STDOUT_FILENO) && terminal && *terminal &&
	       strcmp(terminal, "dumb") != 0;
}

/* Of the terminal; elsewhere COLUMNS, which shells keep for themselves unless asked. */
static size_t output_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long n;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	n = columns ? strtol(columns, NULL, 10) : 0;
	return n > 0 && n <= 10000 ? (size_t) n : PAGE_COLUMNS;
}

static int read_request(
	const struct verb *verb, struct option_values *values, struct request *q, struct error *err)
{
	q->runs.output_prefix = runs_prefix(verb, values);
	q->runs.all_outcomes = verb_option(verb, values, "all-outcomes") != NULL;
	q->format = (enum format) verb_value(verb, values, "format")->number;
	q->unjudged = (enum unjudged) verb_value(verb, values, "unjudged")->number;
	q->base = verb_option(verb, values, "base");
	q->view.all = verb_option(verb, values, "all") != NULL;
	q->view.width = output_width();
	q->view.color = wants_color();
	if (set_by(q, values, verb_option(verb, values, "by"), err) < 0 ||
		set_fields(q, verb_value(verb, values, "fields"), err) < 0 ||
		set_conditions(q, verb_value(verb, values, "fail-if"), err) < 0 ||
		set_noise(q, verb_option(verb, values, "noise"), err) < 0 || set_asked(q, err) < 0)
		return err->code;
	return set_confidence(q, verb_option(verb, values, "confidence"), err);
}

static int choose_base(struct request *q, const struct compare *c, struct error *err)
{
	if (!q->base)
		return 0;
	for (size_t i = 0; i < c->n_groups; i++) {
		if (strcmp(c->groups[i].label, q->base) != 0)
			continue;
		q->view.base = i;
		return 0;
	}
	return error_say(err, -EINVAL, "--base: there is no group '%.100s'", q->base);
}

static int add_judgement(struct request *q, struct judgement *judgement,
	const struct condition *condition, size_t group)
{
	struct buf why = { 0 };

	*judgement = (struct judgement){ .condition = condition, .group = group };
	judgement->result = condition_judge(
		q->view.c, condition, q->view.base, group, q->view.confidence, &why);
	if (why.failed) {
		buf_done(&why);
		return -ENOMEM;
	}
	judgement->why = why.data;
	return 0;
}

/* Of each other group; of a single one, what is asked of its own value. */
static int judge(struct request *q, struct error *err)
{
	const struct compare *c = q->view.c;
	size_t groups = c->n_groups > 1 ? c->n_groups - 1 : 1;
	struct judgement *list = calloc(q->n_conditions * groups + 1, sizeof(*list));

	if (!list)
		return no_memory(err);
	q->view.judgements = q->judgements = list;
	for (size_t i = 0; i < q->n_conditions; i++) {
		if (c->n_groups == 1 && q->conditions[i].kind != CONDITION_VALUE)
			return error_say(err, -EINVAL,
				"'%.100s': a change needs two groups, with -- between them or --by",
				q->conditions[i].text);
		for (size_t g = 0; g < c->n_groups; g++) {
			if (g == q->view.base && c->n_groups > 1)
				continue;
			if (add_judgement(q, &list[q->view.n_judgements], &q->conditions[i], g) < 0)
				return no_memory(err);
			q->view.n_judgements++;
		}
	}
	return 0;
}

/* Without a condition to be met, 1 says that a run could not be read; where there is one it would read as met. */
static int status_of_unreadable(const struct request *q)
{
	if (q->runs.unreadable == 0)
		return 0;
	if (q->n_conditions == 0 || q->unjudged == UNJUDGED_FAIL)
		return EXIT_TROUBLE;
	complain("no condition is met, but %zu of what was named could not be read",
		q->runs.unreadable);
	return EXIT_USAGE;
}

/* Met is 1, whatever else there is; what could not be judged or read never passes by itself. */
static int status_of(const struct request *q)
{
	size_t met = 0;
	size_t not_judged = 0;

	for (size_t i = 0; i < q->view.n_judgements; i++) {
		met += q->view.judgements[i].result == CONDITION_MET;
		not_judged += q->view.judgements[i].result == CONDITION_NOT_JUDGED;
	}
	/* A field that nobody has is a mistake in the words, and nothing was looked at. */
	if (met == 0 && q->runs.unknown > 0)
		return EXIT_USAGE;
	if (met > 0 || (not_judged > 0 && q->unjudged == UNJUDGED_FAIL))
		return EXIT_TROUBLE;
	if (not_judged > 0 && q->unjudged == UNJUDGED_ERROR)
		return EXIT_USAGE;
	return status_of_unreadable(q);
}

/* What has no place in a table of values is said beside it. */
static void say_judgements(const struct request *q)
{
	for (size_t i = 0; i < q->view.n_judgements; i++) {
		const struct judgement *j = &q->view.judgements[i];

		complain(
			"%s: %s: %s", condition_result_name(j->result), j->condition->text, j->why);
	}
}

static int print(const struct request *q)
{
	static void (*const makers[])(const struct compare_view *, struct buf *) = { compare_table,
		compare_json, compare_csv, compare_markdown };
	struct buf out = { 0 };
	int status;
	int r;

	makers[q->format](&q->view, &out);
	r = write_data(&out);
	buf_done(&out);
	if (q->format == FORMAT_CSV)
		say_judgements(q);
	status = status_of(q);
	/* Whoever reads the first lines only has enough. */
	if (close_data(r == -EPIPE ? 0 : r) != 0)
		return EXIT_TROUBLE;
	return status;
}

/* Those that are left out among them. */
static size_t runs_given(const struct compare *c)
{
	size_t n = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		n += compare_given(&c->groups[g]);
	return n;
}

static int compare_and_print(
	const struct verb *verb, struct request *q, struct compare *c, char **words)
{
	struct error err = { 0 };

	if (compare_runs(&q->runs, words, c) < 0)
		return EXIT_USAGE;
	compare_sort(c);
	/* What could not be read has been said. */
	if (q->runs.unreadable > 0 && runs_given(c) < 2)
		return EXIT_USAGE;
	if (!q->runs.by && runs_given(c) < 2)
		return complain_usage(verb, "a single run has nothing to be compared with");
	q->view.c = c;
	if (choose_base(q, c, &err) < 0 || judge(q, &err) < 0)
		return complain_usage(verb, err.text);
	return print(q);
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct request q = { 0 };
	struct compare c = { 0 };
	struct error err = { 0 };
	int status;

	if (!words[0])
		status = complain_usage(verb, "which runs are compared is missing");
	else if (read_request(verb, values, &q, &err) < 0)
		status = complain_usage(verb, err.text);
	else
		status = compare_and_print(verb, &q, &c, words);
	compare_done(&c);
	request_done(&q);
	return status;
}

const struct verb verb_compare = {
	.name = "compare",
	.mixed = true,
	.groups = true,
	.help = "shows what distinguishes runs, and judges changes",
	.offers = OFFERS_RUNS,
	.usage = "[options] A B | A... -- B... | --by FIELD RUN...",
	.text = "Compares two runs, or groups of repeated runs, and says what cannot be told "
		"apart. " RUN_WORDS " A directory may hold many runs.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
