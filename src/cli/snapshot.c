/* SPDX-License-Identifier: MIT */
/* assay snapshot: reads a target once, or again and again for a program that listens. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "assay.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "cli/log.h"
#include "cli/record_options.h"
#include "cli/snapshot_page.h"
#include "cli/verb.h"

static const struct option_row rows[] = {
	{ .group = "What is shown",
		.name = "json",
		.help = "writes the reading as JSON; a field is there exactly when it was "
			"measured" },
	{ .name = "interval",
		.letter = 'i',
		.argument = "DURATION",
		.default_text = "no second reading; with --watch: 1s",
		.unit = "seconds",
		.help = "reads twice, so far apart, and shows the second reading, which has the "
			"CPU use and what was read, written and transferred in between; with "
			"--watch: the time between two lines" },
	{ .name = "watch",
		.letter = 'w',
		.help = "writes a line of JSON for each reading, at once, until the target ends, "
			"a signal comes or nobody reads it any more" },
	{ .name = "count",
		.letter = 'n',
		.argument = "N",
		.offers = OFFERS_NOTHING,
		.help = "with --watch: ends after so many lines" },

	{ .group = "What assay says", OPTION_LOG_LEVEL },
	{ OPTION_QUIET },
};

struct output {
	bool json, watch;
	struct buf text; /* of the latest reading */
	uint64_t readings;
	int error; /* negative errno of writing a line */
	enum log_level level;
};

static void print_warning(const char *line, void *context)
{
	struct output *o = context;

	record_warning(line, &o->level);
}

/* Each line has to be out before the next reading: who listens acts on it. */
static int take_reading(const struct assay_reading *reading, void *context)
{
	struct output *o = context;

	o->readings++;
	buf_clear(&o->text);
	if (o->watch || o->json)
		snapshot_json(reading, o->watch ? 0 : 2, &o->text);
	else
		snapshot_page(reading, &o->text);
	if (o->watch)
		o->error = write_data(&o->text);
	return o->error;
}

static bool is_about_the_target(int code)
{
	return code == -EINVAL || code == -ESRCH || code == -ENOENT || code == -EACCES ||
	       code == -EPERM;
}

static int refuse(const struct verb *verb, const struct assay_error *failure)
{
	if (failure->code == -EINVAL)
		return complain_usage(verb, failure->text);
	complain("%s", failure->text);
	return is_about_the_target(failure->code) ? EXIT_USAGE : EXIT_TROUBLE;
}

/* The reading that was to be shown; when only the first of two was had, that one. */
static int print_reading(const struct output *o, uint64_t wanted)
{
	if (o->readings == 0) {
		complain("ended before the first reading");
		return EXIT_TROUBLE;
	}
	if (o->readings < wanted && o->level >= LOG_WARNING)
		complain("ended before the second reading: this is the first");
	return print_data(&o->text);
}

static int snapshot(
	const struct verb *verb, struct assay_snapshot_options *options, struct output *output)
{
	struct assay_error failure = { 0 };
	int r;

	options->each = take_reading;
	options->warn = print_warning;
	options->context = output;
	r = assay_snapshot(options, &failure);
	if (output->error == -EPIPE)
		return 0; /* whoever listened has heard enough */
	if (output->error == 0 && r < 0)
		return refuse(verb, &failure);
	if (output->watch)
		return close_data(output->error);
	return print_reading(output, options->count);
}

static int count_option(const struct verb *verb, const struct option_values *values, uint64_t *ret,
	struct error *err)
{
	const struct option_value *value = verb_value(verb, values, "count");
	const char *text = value->text;
	char *end;

	if (!text)
		return 0;
	if (!verb_option(verb, values, "watch"))
		return error_say(err, -EINVAL, "%s is for --watch alone", value->source);
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || n == 0)
		return error_say(
			err, -EINVAL, "%s: '%.60s' is not a number of lines", value->source, text);
	*ret = n;
	return 0;
}

/* One reading, two, or many. */
static int snapshot_options(const struct verb *verb, const struct option_values *values,
	struct assay_snapshot_options *o, struct error *err)
{
	if (duration_option(verb, values, "interval", &o->interval_ns, NULL, err) < 0)
		return -EINVAL;
	if (!verb_option(verb, values, "watch"))
		o->count = o->interval_ns > 0 ? 2 : 1;
	return count_option(verb, values, &o->count, err);
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct assay_snapshot_options options = ASSAY_SNAPSHOT_OPTIONS_INIT;
	struct output output = { .json = verb_option(verb, values, "json") != NULL,
		.watch = verb_option(verb, values, "watch") != NULL,
		.level = record_log_level(verb, values) };
	struct error err = { 0 };
	int status;

	if (!words[0])
		return complain_usage(verb, TARGET_MISSING);
	if (words[1])
		return complain_usage(
			verb, "a snapshot is of one target; conditions are joined by +");
	if (snapshot_options(verb, values, &options, &err) < 0)
		return complain_usage(verb, err.text);
	options.target = words[0];
	log_flush(&values->log, output.level);
	status = snapshot(verb, &options, &output);
	buf_done(&output.text);
	return status;
}

const struct verb verb_snapshot = {
	.name = "snapshot",
	.mixed = true,
	.help = "shows what a target uses now, once or as a stream",
	.usage = "[options] TARGET",
	.text = "Reads what a target uses now and writes it to standard output, for people or as "
		"JSON; nothing is recorded. " TARGET_WORDS,
	.offers = TARGET_OFFERS,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
