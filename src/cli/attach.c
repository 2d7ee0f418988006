/* SPDX-License-Identifier: MIT */
/* assay attach: records what runs already. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "assay.h"
#include "base/error.h"
#include "base/macros.h"
#include "cli/ending.h"
#include "cli/log.h"
#include "cli/record_options.h"
#include "cli/verb.h"

/* "own" is a word of the same option of `assay run`, which files and variables may hold for it. */
static const struct option_choice cgroup_ways[] = { { "auto", ASSAY_CGROUP_AUTO },
	{ "none", ASSAY_CGROUP_NONE }, { "own", ASSAY_CGROUP_OWN }, { NULL, 0 } };

static const struct option_row rows[] = {
	{ .group = "How long",
		.name = "for",
		.argument = "DURATION",
		.default_text = "until the first target ends, or a signal",
		.unit = "seconds",
		.environment = "ASSAY_FOR",
		.help = "ends the recording after this time" },
	{ OPTION_WAIT_ALL },

	{ .group = "The record", OPTION_OUTPUT_PREFIX },
	{ .name = "append",
		.environment = "ASSAY_APPEND",
		.help = "continues the record that is there at the prefix" },
	{ OPTION_RECORD_TYPES },
	{ OPTION_CLOBBER },
	{ OPTION_MESSAGE },
	{ OPTION_NAME },
	{ OPTION_TAG },
	{ OPTION_REDACT },

	{ .group = "What is measured", OPTION_MEASUREMENTS },
	{ OPTION_SAMPLE_INTERVAL },
	{ OPTION_REPORT_INTERVAL },
	{ OPTION_BUDGET },
	{ .name = "cgroup",
		.argument = "WAY",
		.choices = cgroup_ways,
		.offers = "auto none",
		.default_text = "auto",
		.environment = "ASSAY_CGROUP",
		.help = "auto: the cgroups the target is in are read; none: no cgroup is read" },

	{ .group = "What assay says", OPTION_COLORS },
	{ OPTION_LOG_LEVEL },
	{ OPTION_QUIET },
};

/* What runs already is not moved: asked for here, that is refused; said for `assay run` elsewhere, it is not meant for us. */
static int cgroup_option(const struct verb *verb, const struct option_values *values,
	struct assay_attach_options *o, struct error *err)
{
	const struct option_value *value = verb_value(verb, values, "cgroup");

	if (value->number == ASSAY_CGROUP_OWN && value->rank == RANK_COMMAND_LINE)
		return error_say(err, -EINVAL,
			"--cgroup is 'own'; it takes auto, none: what runs already stays in its "
			"cgroups");
	o->cgroup = value->number == ASSAY_CGROUP_OWN ? ASSAY_CGROUP_AUTO : value->number;
	return 0;
}

/* To continue a record and to replace it exclude each other; the one from the higher source counts. */
static int append_option(const struct verb *verb, const struct option_values *values,
	struct assay_attach_options *o, struct error *err)
{
	const struct option_value *append = verb_value(verb, values, "append");
	const struct option_value *clobber = verb_value(verb, values, "clobber");

	if (append->text && clobber->text && append->rank == clobber->rank)
		return error_say(err, -EINVAL,
			"%s continues a record, %s replaces it: only one of them can be",
			append->source, clobber->source);
	o->append = append->text && append->rank >= clobber->rank;
	o->clobber = clobber->text && !o->append;
	return 0;
}

static int attach_options(const struct verb *verb, const struct option_values *values,
	struct assay_attach_options *o, struct error *err)
{
	struct record_options shared = { 0 };
	int r = record_options_read(verb, values, &shared, err);

	if (r < 0)
		return r;
	RECORD_OPTIONS_INTO(o, shared);
	if (duration_option(verb, values, "for", &o->for_ns, NULL, err) < 0 ||
		append_option(verb, values, o, err) < 0)
		return -EINVAL;
	return cgroup_option(verb, values, o, err);
}

/* That a process is not there is nothing that help could explain. */
static bool is_about_the_target(int code)
{
	return code == -ESRCH || code == -ENOENT || code == -EACCES || code == -EPERM;
}

static int attach(const struct verb *verb, const struct option_values *values,
	const struct assay_attach_options *options, enum log_level level)
{
	struct assay_run_info *info = NULL;
	struct assay_error failure = { 0 };
	enum assay_run_status status = assay_attach(options, &info, &failure);

	if (status == ASSAY_RUN_BAD_OPTION && !is_about_the_target(failure.code))
		return ending_bad_option(verb, values, failure.text);
	if (status != ASSAY_RUN_ENDED) {
		complain("%s", failure.text);
		return status == ASSAY_RUN_BAD_OPTION ? EXIT_USAGE : EXIT_TROUBLE;
	}
	ending_from_background();
	if (info && level >= LOG_INFO) {
		bool color = ending_wants_color(verb, values);

		ending_summary(info, NULL, color);
		ending_summaries_beside(info, color);
	}
	assay_run_info_free(info);
	return 0;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct assay_attach_options options = ASSAY_ATTACH_OPTIONS_INIT;
	enum log_level level = record_log_level(verb, values);
	struct error err = { 0 };

	if (!words[0])
		return complain_usage(verb, TARGET_MISSING);
	options.targets = (const char *const *) words;
	options.warn = record_warning;
	options.context = &level;
	if (attach_options(verb, values, &options, &err) < 0)
		return complain_usage(verb, err.text);
	log_flush(&values->log, level);
	return attach(verb, values, &options, level);
}

const struct verb verb_attach = {
	.name = "attach",
	.mixed = true,
	.help = "records what runs already: processes, a user, a job, the machine",
	.usage = "[options] TARGET [TARGET...]",
	.text = "Records what runs already, each target in files of its own, until the first one "
		"ends, --for is over or a signal asks to end: the record is complete in each "
		"case. " TARGET_WORDS,
	.offers = TARGET_OFFERS,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
