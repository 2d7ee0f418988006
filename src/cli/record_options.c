/* SPDX-License-Identifier: MIT */
/* What every recording is asked, whatever is recorded. */
#include "cli/record_options.h"

#include <errno.h>

#include "assay.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/verb.h"

const struct option_choice record_type_choices[] = { { "all", 0 },
	{ "system-summary", ASSAY_RECORD_INFO }, { "processes-samples", ASSAY_RECORD_USAGE },
	{ NULL, 0 } };
const struct option_choice log_level_choices[] = { { "NONE", LOG_NONE },
	{ "CRITICAL", LOG_CRITICAL }, { "ERROR", LOG_ERROR }, { "WARNING", LOG_WARNING },
	{ "INFO", LOG_INFO }, { "DEBUG", LOG_DEBUG }, { NULL, 0 } };

void record_warning(const char *line, void *context)
{
	const enum log_level *level = context;

	if (*level >= LOG_WARNING)
		complain("%s", line);
}

enum log_level record_log_level(const struct verb *verb, const struct option_values *values)
{
	const struct option_value *level = verb_value(verb, values, "log-level");
	const struct option_value *quiet = verb_value(verb, values, "quiet");

	if (quiet->text && quiet->rank >= level->rank)
		return LOG_NONE;
	return level->text ? (enum log_level) level->number : LOG_INFO;
}

int duration_option(const struct verb *verb, const struct option_values *values, const char *name,
	uint64_t *ret_ns, int *ret_zero, struct error *err)
{
	const struct option_value *value = verb_value(verb, values, name);
	uint64_t ns = 0;

	if (!value->text)
		return 0;
	if (parse_duration(value->text, &ns, err) < 0)
		return error_wrap(err, "%s", value->source);
	if (ns == 0 && !ret_zero)
		return error_say(
			err, -EINVAL, "%s: '%.60s' is no time at all", value->source, value->text);
	if (ns == 0)
		*ret_zero = 1;
	*ret_ns = ns;
	return 0;
}

static int budget_option(const struct verb *verb, const struct option_values *values, uint64_t *ret,
	struct error *err)
{
	const struct option_value *value = verb_value(verb, values, "budget");

	if (!value->text || parse_percent(value->text, ret, err) == 0)
		return 0;
	return error_wrap(err, "%s", value->source);
}

/* A name that no word of `assay show` can mean finds nothing later. */
static int judge_name(
	const struct verb *verb, const struct option_values *values, struct error *err)
{
	const struct option_value *name = verb_value(verb, values, "name");

	if (!name->text || (name->text[0] && name->text[0] != '@'))
		return 0;
	return error_say(
		err, -EINVAL, "%s: no run is found by '%.20s' later", name->source, name->text);
}

int record_options_read(const struct verb *verb, const struct option_values *values,
	struct record_options *ret, struct error *err)
{
	*ret = (struct record_options){
		.output_prefix = verb_option(verb, values, "output-prefix"),
		.record_types = verb_value(verb, values, "record-types")->number,
		.clobber = verb_option(verb, values, "clobber") != NULL,
		.message = verb_option(verb, values, "message"),
		.name = verb_option(verb, values, "name"),
		.tags = verb_value(verb, values, "tag")->all,
		.redact = verb_value(verb, values, "redact")->all,
		.measurements = verb_option(verb, values, "measurements"),
		.wait_all = verb_option(verb, values, "wait-all") != NULL,
	};
	if (duration_option(verb, values, "sample-interval", &ret->sample_interval_ns, NULL, err) <
			0 ||
		duration_option(
			verb, values, "report-interval", &ret->report_interval_ns, NULL, err) < 0 ||
		judge_name(verb, values, err) < 0)
		return -EINVAL;
	return budget_option(verb, values, &ret->budget, err);
}
