/* SPDX-License-Identifier: MIT */
/* Makes parsing, environment and help from the rows of options. */
#include "cli/options.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "report/wrap.h"

#define HELP_INDENT 10

/* The words being read: getopt_long(3) is not used because it takes abbreviations, which a later option would break, and
 * leaves its messages to the C library. */
struct reading {
	const struct option_row *rows;
	size_t n;
	char **argv;
	int at; /* the word in turn */
	struct option_values *values;
	struct error *err;
};

static int set_value(struct option_values *values, size_t row, const char *text, const char *dashes,
	const char *name)
{
	values->text[row] = text;
	snprintf(values->source[row], sizeof(values->source[row]), "%s%s", dashes, name);
	return 0;
}

static int wrong(
	const struct reading *r, const char *what, const char *dashes, size_t n, const char *name)
{
	return error_say(r->err, -EINVAL, "%s '%s%.*s'", what, dashes, (int) n, name);
}

/* The value of an option that takes one: what stands behind it in the same word, or the next word. */
static int take_argument(
	struct reading *r, size_t row, const char *attached, const char *dashes, const char *name)
{
	const char *text = attached;

	if (!text) {
		text = r->argv[r->at + 1];
		if (!text)
			return error_say(r->err, -EINVAL, "option '%s%s' needs a value: %s", dashes,
				name, r->rows[row].argument);
		r->at++;
	}
	return set_value(r->values, row, text, dashes, name);
}

static int long_option(struct reading *r, const char *word)
{
	size_t n = strcspn(word, "=");
	const char *attached = word[n] == '=' ? word + n + 1 : NULL;

	if (n == strlen("help") && strncmp(word, "help", n) == 0 && !attached) {
		r->values->help = true;
		return 0;
	}
	for (size_t i = 0; i < r->n; i++) {
		const char *name = r->rows[i].name;

		if (strlen(name) != n || strncmp(name, word, n) != 0)
			continue;
		if (r->rows[i].argument)
			return take_argument(r, i, attached, "--", name);
		if (attached)
			return wrong(r, "no value is taken by option", "--", n, word);
		return set_value(r->values, i, "yes", "--", name);
	}
	return wrong(r, "unknown option", "--", n < 60 ? n : 60, word);
}

/* One letter of a word like -qi5s. Returns how many bytes of the word are done, or a negative errno. */
static int letter_option(struct reading *r, const char *letters)
{
	const char name[2] = { letters[0], '\0' };
	int result;

	if (letters[0] == 'h') {
		r->values->help = true;
		return 1;
	}
	for (size_t i = 0; i < r->n; i++) {
		if (r->rows[i].letter != letters[0])
			continue;
		if (!r->rows[i].argument) {
			set_value(r->values, i, "yes", "-", name);
			return 1;
		}
		result = take_argument(r, i, letters[1] ? letters + 1 : NULL, "-", name);
		return result < 0 ? result : (int) strlen(letters);
	}
	return wrong(r, "unknown option", "-", 1, letters);
}

static int short_options(struct reading *r, const char *letters)
{
	while (*letters) {
		int done = letter_option(r, letters);

		if (done < 0)
			return done;
		letters += done;
	}
	return 0;
}

static int read_words(struct reading *r)
{
	int result = 0;

	for (r->at = 1; r->argv[r->at] && result == 0; r->at++) {
		const char *word = r->argv[r->at];

		if (word[0] != '-' || word[1] == '\0')
			return 0;
		if (strcmp(word, "--") == 0) {
			r->at++;
			return 0;
		}
		result = word[1] == '-' ? long_option(r, word + 2) : short_options(r, word + 1);
	}
	return result;
}

/* A switch in the environment says yes or no. */
static int read_switch(const struct option_row *row, const char *text, bool *ret, struct error *err)
{
	static const char *const yes[] = { "1", "yes", "true", "on" };
	static const char *const no[] = { "0", "no", "false", "off" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
			*ret = strcasecmp(text, yes[i]) == 0;
			return 0;
		}
	}
	return error_say(
		err, -EINVAL, "%s is '%.60s'; it takes 1 or 0, yes or no", row->environment, text);
}

static int read_environment(struct reading *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct option_row *row = &r->rows[i];
		const char *text = row->environment ? getenv(row->environment) : NULL;
		bool on = true;

		if (!text || !*text)
			continue;
		if (!row->argument && read_switch(row, text, &on, r->err) < 0)
			return -EINVAL;
		if (on)
			set_value(r->values, i, row->argument ? text : "yes", "", row->environment);
	}
	return 0;
}

int options_parse(const struct option_row *rows, size_t n, char **argv,
	struct option_values *values, int *ret_first, struct error *err)
{
	struct reading r = { .rows = rows, .n = n, .argv = argv, .values = values, .err = err };
	struct error environment_error = { 0 };
	int result;

	assert(n <= N_OPTIONS_MAX);
	*values = (struct option_values){ 0 };
	r.err = &environment_error;
	int environment_result = read_environment(&r);
	r.err = err;
	result = read_words(&r);
	if (result < 0)
		return result;
	/* Help is given whatever the environment holds. */
	if (environment_result < 0 && !values->help)
		return error_say(err, environment_result, "%s", environment_error.text);
	*ret_first = r.at;
	return 0;
}

size_t option_index(const struct option_row *rows, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(rows[i].name, name) != 0)
		i++;
	assert(i < n);
	return i;
}

/* "what it does (default: 1 s; a bare number is seconds; ASSAY_X)" */
static void add_description(const struct option_row *row, struct buf *out)
{
	const char *separator = " (";

	buf_add_text(out, row->help);
	if (row->default_text) {
		buf_addf(out, "%sdefault: %s", separator, row->default_text);
		separator = "; ";
	}
	if (row->unit) {
		buf_addf(out, "%sa bare number is %s", separator, row->unit);
		separator = "; ";
	}
	if (row->environment) {
		buf_addf(out, "%s%s", separator, row->environment);
		separator = "; ";
	}
	if (separator[0] == ';')
		buf_add_char(out, ')');
}

static void add_row(const struct option_row *row, struct buf *out)
{
	struct buf description = { 0 };

	if (row->letter)
		buf_addf(out, "  -%c, ", row->letter);
	else
		buf_add_text(out, "      ");
	buf_addf(out, "--%s%s%s\n%*s", row->name, row->argument ? " " : "",
		row->argument ? row->argument : "", HELP_INDENT, "");
	add_description(row, &description);
	text_add_wrapped(out, description.data ? description.data : "", HELP_INDENT, HELP_INDENT);
	buf_add_char(out, '\n');
	buf_done(&description);
}

void options_help(const struct option_row *rows, size_t n, struct buf *out)
{
	static const struct option_row help = {
		.name = "help", .letter = 'h', .help = "shows this text"
	};

	for (size_t i = 0; i < n; i++)
		add_row(&rows[i], out);
	add_row(&help, out);
}
