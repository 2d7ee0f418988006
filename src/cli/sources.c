/* SPDX-License-Identifier: MIT */
/* Brings the sources of options together: each sets what no higher one has. */
#include "cli/sources.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "cli/config.h"
#include "cli/duct.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "cli/verbs.h"

#define CONFIG_PATHS "/etc/assay/config:${XDG_CONFIG_HOME:-~/.config}/assay/config:.assay/config"
#define CONFIG_PATHS_VARIABLE "ASSAY_CONFIG_PATHS"
/* con-duct's files stand over ours when it is its name we were called by. */
#define RANK_DUCT_FILE (RANK_FILE + 500)

static const struct verb *const verbs[] = { VERBS };

struct gathering {
	const struct verb *verb;
	struct option_values *values;
};

static bool same(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

/* The row that a setting of that name means, or NULL; switches of the moment (--json) have no name in files. */
static const struct option_row *find_row(const struct verb *verb, const char *name)
{
	for (size_t i = 0; i < verb->n_options; i++) {
		const struct option_row *row = &verb->options[i];

		if (row->environment && (same(row->name, name) || same(row->alias, name) ||
						same(row->environment, name)))
			return row;
	}
	return NULL;
}

static void set(struct gathering *g, const struct option_row *row, const char *text,
	const char *source, int rank)
{
	struct option_values *values = g->values;

	options_set(values, g->verb->options, (size_t) (row - g->verb->options),
		options_keep(values, text, strlen(text)),
		options_keep(values, source, strlen(source)), rank);
}

static void set_from_file(struct gathering *g, const struct option_row *row, const char *value,
	const char *place, int rank)
{
	char *source = NULL;

	if (asprintf(&source, "%s: %s", place, row->name) < 0) {
		g->values->failed = true;
		return;
	}
	set(g, row, value, source, rank);
	free(source);
}

/* One file serves all verbs: what another verb knows is no mistake. */
static int take_setting(void *context, const char *name, const char *value, const char *place,
	int rank, struct error *err)
{
	struct gathering *g = context;
	const struct option_row *row = find_row(g->verb, name);

	if (row) {
		set_from_file(g, row, value, place, rank);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (find_row(verbs[i], name))
			return 0;
	return error_say(err, -EINVAL, "there is no option '%.60s'", name);
}

/* con-duct reads its files into the environment, so they may hold what is meant for others. */
static int take_duct_setting(void *context, const char *name, const char *value, const char *place,
	int rank, struct error *err)
{
	struct gathering *g = context;
	const char *option = duct_option(name);
	char *text = option && *value ? duct_file_value(name, value) : NULL;

	if (option && *value && !text)
		return error_set(err, -ENOMEM, "cannot read the setting");
	if (text)
		set_from_file(g, find_row(g->verb, option), text, place, rank);
	free(text);
	return 0;
}

static const char *paths_of(const char *variable, const char *otherwise)
{
	const char *text = getenv(variable);

	return text ? text : otherwise;
}

static void gather_duct(struct gathering *g)
{
	const struct config_reader files = { .take = take_duct_setting,
		.context = g,
		.rank = RANK_DUCT_FILE,
		.expands = true,
		.lenient = true,
		.log = &g->values->log };

	for (const struct option_default *d = duct_defaults; d->name; d++)
		set(g, find_row(g->verb, d->name), d->text, "duct", RANK_DEFAULT);
	for (const struct duct_variable *v = duct_variables; v->name; v++) {
		const char *text = getenv(v->name);

		if (text && *text)
			set(g, find_row(g->verb, v->option), duct_value(v->name, text), v->name,
				RANK_ENVIRONMENT_OF_NAME);
	}
	/* Lenient: it cannot fail for what stands in them. */
	(void) config_read(paths_of(DUCT_PATHS_VARIABLE, DUCT_PATHS), &files, NULL);
}

char *sources_duct_prefix(void)
{
	struct verb verb = verb_run;
	struct option_values values = { 0 };
	struct gathering g = { &verb, &values };
	const char *text;
	char *prefix;

	verb.duct = true;
	gather_duct(&g);
	text = verb_option(&verb, &values, "output-prefix");
	prefix = text && !values.failed ? strdup(text) : NULL;
	options_done(&values);
	return prefix;
}

static bool reads_files(const struct verb *verb)
{
	for (size_t i = 0; i < verb->n_options; i++)
		if (verb->options[i].environment)
			return true;
	return false;
}

static void tell_sources(const struct verb *verb, struct option_values *values)
{
	for (size_t i = 0; i < verb->n_options; i++) {
		const struct option_value *value = &values->of[i];

		if (value->source)
			log_later(&values->log, LOG_DEBUG, "%s is '%s' by %s",
				verb->options[i].name, value->text ? value->text : "no",
				value->source);
	}
}

int sources_gather(const struct verb *verb, char **argv, struct option_values *values,
	int *ret_first, struct error *err)
{
	struct gathering g = { verb, values };
	const struct config_reader files = {
		.take = take_setting, .context = &g, .rank = RANK_FILE, .log = &values->log
	};
	int r;

	*values = (struct option_values){ .mixed = verb->mixed, .groups = verb->groups };
	r = options_read_words(verb->options, verb->n_options, argv, values, ret_first, err);
	if (r < 0 || values->help)
		return r;
	options_read_environment(verb->options, verb->n_options, values);
	if (verb->duct)
		gather_duct(&g);
	if (reads_files(verb))
		r = config_read(paths_of(CONFIG_PATHS_VARIABLE, CONFIG_PATHS), &files, err);
	if (r == 0)
		r = options_check(verb->options, verb->n_options, values, err);
	if (r == 0)
		tell_sources(verb, values);
	return r;
}
