/* SPDX-License-Identifier: MIT */
/* Reads options from the words of a command line and from the environment, and keeps what has the highest rank. */
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
#include "text/wrap.h"

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

const char *options_keep(struct option_values *values, const char *text, size_t n)
{
	char **owned = realloc(values->owned, (values->n_owned + 1) * sizeof(*owned));
	char *copy = strndup(text, n);

	if (owned)
		values->owned = owned;
	if (!owned || !copy) {
		free(copy);
		values->failed = true;
		return "";
	}
	values->owned[values->n_owned++] = copy;
	return copy;
}

/* Behind all that have no higher rank. */
static void add_one(struct option_values *values, struct option_value *value, const char *text,
	const struct option_part *part)
{
	const char **all = realloc(value->all, (value->n_all + 2) * sizeof(*all));
	size_t at = value->n_all;

	if (all)
		value->all = all;
	struct option_part *parts = realloc(value->parts, (value->n_all + 1) * sizeof(*parts));
	if (parts)
		value->parts = parts;
	if (!all || !parts) {
		values->failed = true;
		return;
	}
	while (at > 0 && parts[at - 1].rank > part->rank)
		at--;
	memmove(all + at + 1, all + at, (value->n_all - at) * sizeof(*all));
	memmove(parts + at + 1, parts + at, (value->n_all - at) * sizeof(*parts));
	all[at] = text;
	parts[at] = *part;
	all[++value->n_all] = NULL;
}

/* "a=1, b=2" without the blanks around each. */
static void add_list(struct option_values *values, struct option_value *value, const char *text,
	char separator, const struct option_part *part)
{
	const char given[2] = { separator, '\0' };
	const char *const separators = separator ? given : ",";

	while (*text) {
		size_t n = strcspn(text, separators);
		size_t begin = strspn(text, " \t");
		size_t end = n;

		while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\t'))
			end--;
		if (end > begin)
			add_one(values, value, options_keep(values, text + begin, end - begin),
				part);
		text += n + (text[n] != '\0');
	}
}

static void take_back_below(struct option_value *value, int rank)
{
	size_t n = 0;

	while (n < value->n_all && value->parts[n].rank <= rank)
		n++;
	if (n > 0) {
		value->n_all -= n;
		memmove(value->all, value->all + n, (value->n_all + 1) * sizeof(*value->all));
		memmove(value->parts, value->parts + n, value->n_all * sizeof(*value->parts));
	}
	value->floor = rank;
}

void options_set(struct option_values *values, const struct option_row *rows, size_t row,
	const char *text, const char *source, int rank)
{
	struct option_value *value = &values->of[row];
	const struct option_part part = { source, rank };
	bool counts = *text || rank == RANK_COMMAND_LINE;

	if (!rows[row].joins && rank < value->rank)
		return;
	if (!rows[row].joins && rank > value->rank)
		take_back_below(value, rank - 1);
	if (rank >= value->floor && rows[row].repeats) {
		if (!counts)
			take_back_below(value, rank);
		else if (rank == RANK_COMMAND_LINE)
			add_one(values, value, text, &part);
		else
			add_list(values, value, text, rows[row].separator, &part);
	}
	if (rank < value->rank)
		return;
	value->rank = rank;
	value->text = counts ? text : NULL;
	value->source = counts ? source : NULL;
}

static int set_word(
	struct reading *r, size_t row, const char *text, const char *dashes, const char *name)
{
	char source[64];
	int n = snprintf(source, sizeof(source), "%s%s", dashes, name);

	options_set(r->values, r->rows, row, text,
		options_keep(r->values, source, n < 0 ? 0 : (size_t) n), RANK_COMMAND_LINE);
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
	return set_word(r, row, text, dashes, name);
}

static bool is_name(const char *name, const char *word, size_t n)
{
	return name && strlen(name) == n && strncmp(name, word, n) == 0;
}

static int long_option(struct reading *r, const char *word)
{
	size_t n = strcspn(word, "=");
	const char *attached = word[n] == '=' ? word + n + 1 : NULL;

	if (is_name("help", word, n) && !attached) {
		r->values->help = true;
		return 0;
	}
	for (size_t i = 0; i < r->n; i++) {
		const char *name = r->rows[i].name;

		if (is_name(r->rows[i].alias, word, n))
			name = r->rows[i].alias;
		else if (!is_name(name, word, n))
			continue;
		if (r->rows[i].argument)
			return take_argument(r, i, attached, "--", name);
		/* Only a switch that files can turn on needs a way to turn it off. */
		if (attached && !r->rows[i].environment)
			return wrong(r, "no value is taken by option", "--", n, word);
		return set_word(r, i, attached ? attached : "yes", "--", name);
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
			set_word(r, i, "yes", "-", name);
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

static bool is_option(const struct reading *r, const char *word)
{
	if (r->values->groups && strcmp(word, "--") == 0)
		return false;
	return word[0] == '-' && word[1] != '\0';
}

/* Reads words up to the first that is no option, or the end: 0; or behind "--": 1. */
static int read_words(struct reading *r)
{
	for (; r->argv[r->at] && is_option(r, r->argv[r->at]); r->at++) {
		const char *word = r->argv[r->at];
		int result;

		if (strcmp(word, "--") == 0) {
			r->at++;
			return 1;
		}
		result = word[1] == '-' ? long_option(r, word + 2) : short_options(r, word + 1);
		if (result < 0)
			return result;
	}
	return 0;
}

/* The same past words that are no options; those are moved to the front, where everything has been read already. */
static int read_mixed_words(struct reading *r)
{
	int n = 1;

	while (r->argv[r->at]) {
		int result = read_words(r);

		if (result < 0)
			return result;
		while (r->argv[r->at] && (result == 1 || !is_option(r, r->argv[r->at])))
			r->argv[n++] = r->argv[r->at++];
	}
	r->argv[n] = NULL;
	r->at = 1;
	return 0;
}

int options_read_words(const struct option_row *rows, size_t n, char **argv,
	struct option_values *values, int *ret_first, struct error *err)
{
	struct reading r = {
		.rows = rows, .n = n, .argv = argv, .at = 1, .values = values, .err = err
	};
	int result;

	assert(n <= N_OPTIONS_MAX);
	result = values->mixed ? read_mixed_words(&r) : read_words(&r);
	if (result < 0)
		return result;
	*ret_first = r.at;
	return 0;
}

void options_read_environment(const struct option_row *rows, size_t n, struct option_values *values)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = rows[i].environment;
		const char *text = name ? getenv(name) : NULL;

		if (text && *text)
			options_set(values, rows, i, text, name, RANK_ENVIRONMENT);
	}
}

static int check_switch(struct option_value *value, struct error *err)
{
	static const char *const yes[] = { "1", "yes", "true", "on" };
	static const char *const no[] = { "0", "no", "false", "off" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (strcasecmp(value->text, yes[i]) == 0) {
			value->text = "yes";
			return 0;
		}
		if (strcasecmp(value->text, no[i]) == 0) {
			value->text = NULL;
			return 0;
		}
	}
	return error_say(err, -EINVAL, "%s is '%.60s'; it takes 1 or 0, yes or no", value->source,
		value->text);
}

static int check_choice(
	const struct option_choice *choices, struct option_value *value, struct error *err)
{
	struct buf known = { 0 };
	int r;

	for (const struct option_choice *c = choices; c->word; c++) {
		if (strcasecmp(value->text, c->word) == 0) {
			value->number = c->number;
			buf_done(&known);
			return 0;
		}
		buf_addf(&known, "%s%s", c == choices ? "" : ", ", c->word);
	}
	const char *words = known.data ? known.data : "";
	/* On one line, without the value if need be: on the command line it stands just above. */
	bool fits = strlen(value->source) + strnlen(value->text, 60) + strlen(words) <=
		    PAGE_COLUMNS - strlen("assay:  is ''; it takes ");
	if (value->rank == RANK_COMMAND_LINE && !fits)
		r = error_say(err, -EINVAL, "%s takes %s", value->source, words);
	else
		r = error_say(err, -EINVAL, "%s is '%.60s'; it takes %s", value->source,
			value->text, words);
	buf_done(&known);
	return r;
}

int options_check(
	const struct option_row *rows, size_t n, struct option_values *values, struct error *err)
{
	if (values->failed)
		return error_set(err, -ENOMEM, "cannot read the options");
	for (size_t i = 0; i < n; i++) {
		struct option_value *value = &values->of[i];
		int r = 0;

		if (!value->text)
			continue;
		if (!rows[i].argument)
			r = check_switch(value, err);
		else if (rows[i].choices)
			r = check_choice(rows[i].choices, value, err);
		if (r < 0)
			return r;
	}
	return 0;
}

void options_done(struct option_values *values)
{
	for (size_t i = 0; i < N_OPTIONS_MAX; i++) {
		free(values->of[i].all);
		free(values->of[i].parts);
	}
	for (size_t i = 0; i < values->n_owned; i++)
		free(values->owned[i]);
	free(values->owned);
	log_lines_done(&values->log);
	*values = (struct option_values){ 0 };
}

size_t option_index(const struct option_row *rows, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(rows[i].name, name) != 0)
		i++;
	assert(i < n);
	return i;
}
