/* SPDX-License-Identifier: MIT */
/* assay run: what it may be asked, and the question put to the library. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assay.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/units.h"
#include "cli/log.h"
#include "cli/run_command.h"
#include "cli/verb.h"

#define BOTH (ASSAY_STDOUT | ASSAY_STDERR)
/* What is kept, and above it how. */
#define KEPT(way) (BOTH | (way) << 8)

static const struct option_choice kept_outputs[] = { { "all", BOTH }, { "none", 0 },
	{ "stdout", ASSAY_STDOUT }, { "stderr", ASSAY_STDERR },
	{ "combined", KEPT(ASSAY_CAPTURE_COMBINED) }, { "pty", KEPT(ASSAY_CAPTURE_PTY) },
	{ NULL, 0 } };
/* Which are withheld. */
static const struct option_choice passed_outputs[] = { { "all", 0 }, { "none", BOTH },
	{ "stdout", ASSAY_STDERR }, { "stderr", ASSAY_STDOUT }, { NULL, 0 } };
static const struct option_choice record_types[] = { { "all", 0 },
	{ "system-summary", ASSAY_RECORD_INFO }, { "processes-samples", ASSAY_RECORD_USAGE },
	{ NULL, 0 } };
static const struct option_choice modes[] = { { "current-session", 0 }, { "new-session", 1 },
	{ NULL, 0 } };
static const struct option_choice cgroup_ways[] = { { "auto", ASSAY_CGROUP_AUTO },
	{ "own", ASSAY_CGROUP_OWN }, { "none", ASSAY_CGROUP_NONE }, { NULL, 0 } };
static const struct option_choice levels[] = { { "NONE", LOG_NONE }, { "CRITICAL", LOG_CRITICAL },
	{ "ERROR", LOG_ERROR }, { "WARNING", LOG_WARNING }, { "INFO", LOG_INFO },
	{ "DEBUG", LOG_DEBUG }, { NULL, 0 } };

static const struct option_row rows[] = {
	{ .group = "The record",
		.name = "output-prefix",
		.letter = 'p',
		.argument = "PREFIX",
		.default_text = ".assay/runs/{datetime}-{pid}/",
		.environment = "ASSAY_OUTPUT_PREFIX",
		.help = "the record is written to PREFIXinfo.json and PREFIXusage.jsonl; "
			"{datetime} and {pid} are filled in, directories are made, nothing is "
			"overwritten" },
	{ .name = "record-types",
		.letter = 't',
		.argument = "WHICH",
		.choices = record_types,
		.default_text = "all",
		.environment = "ASSAY_RECORD_TYPES",
		.help = "which files are written: all, system-summary (info.json), "
			"processes-samples (usage.jsonl)" },
	{ .name = "clobber",
		.environment = "ASSAY_CLOBBER",
		.help = "replaces a record that is there already" },
	{ .name = "fail-time",
		.alias = "f-t",
		.argument = "DURATION",
		.default_text = "0: whatever fails is kept",
		.unit = "seconds",
		.environment = "ASSAY_FAIL_TIME",
		.help = "a command that fails sooner than this leaves no files; a negative time: "
			"no failure does" },
	{ .name = "message",
		.letter = 'm',
		.argument = "TEXT",
		.environment = "ASSAY_MESSAGE",
		.help = "a text that is kept in the record" },
	{ .name = "name",
		.argument = "NAME",
		.environment = "ASSAY_NAME",
		.help = "a name by which the run is found later" },
	{ .name = "tag",
		.argument = "KEY=VALUE",
		.repeats = true,
		.joins = true,
		.environment = "ASSAY_TAG",
		.help = "a tag by which the run is found later; may be given several times, in "
			"the variable with commas between" },

	{ .group = "What is measured",
		.name = "measurements",
		.argument = "LIST",
		.default_text = "default",
		.environment = "ASSAY_MEASUREMENTS",
		.help = "keys, patterns and the presets minimal, default, all, separated by "
			"commas; a leading - takes away; see 'assay measurements'" },
	{ .name = "sample-interval",
		.alias = "s-i",
		.letter = 'i',
		.argument = "DURATION",
		.default_text = "1s, shorter in the first second",
		.unit = "seconds",
		.environment = "ASSAY_SAMPLE_INTERVAL",
		.help = "how often the job is looked at" },
	{ .name = "report-interval",
		.alias = "r-i",
		.argument = "DURATION",
		.default_text = "1s at first, minutes as the run grows old",
		.unit = "seconds",
		.environment = "ASSAY_REPORT_INTERVAL",
		.help = "how much time one line of the record covers" },
	{ .name = "cgroup",
		.argument = "WAY",
		.choices = cgroup_ways,
		.default_text = "auto",
		.environment = "ASSAY_CGROUP",
		.help = "auto: the cgroups the job is in are read; own: it gets cgroups of its "
			"own, which count it exactly and are removed after it, and is not "
			"started where that is not allowed; none: no cgroup is read" },
	{ .name = "wait-all",
		.environment = "ASSAY_WAIT_ALL",
		.help = "goes on until the last process of the job has ended, not only the "
			"command" },
	{ .name = "freeze-on-exit",
		.argument = "DURATION",
		.default_text = "5m",
		.unit = "seconds",
		.environment = "ASSAY_FREEZE_ON_EXIT",
		.help = "how much of the run's last moments PREFIXlive keeps at full resolution; "
			"0: none" },

	{ .group = "What the job prints",
		.name = "capture-outputs",
		.letter = 'c',
		.argument = "WHICH",
		.choices = kept_outputs,
		.default_text = "none",
		.environment = "ASSAY_CAPTURE_OUTPUTS",
		.help = "what is kept in PREFIXstdout and PREFIXstderr: all, none, stdout, stderr; "
			"combined: both in one file in their order; pty: the same through a "
			"terminal of the job's own" },
	{ .name = "outputs",
		.letter = 'o',
		.argument = "WHICH",
		.choices = passed_outputs,
		.default_text = "all",
		.environment = "ASSAY_OUTPUTS",
		.help = "which of the job's outputs still reach ours: all, none, stdout, stderr" },
	{ .name = "timestamps",
		.environment = "ASSAY_TIMESTAMPS",
		.help = "keeps the time of each captured line in a file beside it" },

	{ .group = "The job",
		.name = "mode",
		.argument = "MODE",
		.choices = modes,
		.default_text = "current-session",
		.environment = "ASSAY_MODE",
		.help = "current-session: the job stays in our session; new-session: it gets its "
			"own" },
	{ .name = "limit",
		.argument = "LIMITS",
		.environment = "ASSAY_LIMIT",
		.help = "ends the job, with exit status 124, when it goes beyond one of them: "
			"'wall=2h, cpu=10h, memory=8G, processes=500, output=1G'" },
	{ .name = "limit-grace",
		.argument = "DURATION",
		.default_text = "10s",
		.unit = "seconds",
		.environment = "ASSAY_LIMIT_GRACE",
		.help = "how long the job has to end by itself after SIGTERM, before SIGKILL" },

	{ .group = "What we say",
		.name = "summary-format",
		.argument = "TEMPLATE",
		.environment = "ASSAY_SUMMARY_FORMAT",
		.help = "the summary in words of your own, with {exit_code}, "
			"{wall_clock_time:.3f}, {peak_rss!S} and many more; see assay-run(1)" },
	{ .name = "colors",
		.default_text = "when standard error is a terminal",
		.environment = "ASSAY_COLORS",
		.help = "colors in the summary; --colors=no: none" },
	{ .name = "log-level",
		.letter = 'l',
		.argument = "LEVEL",
		.choices = levels,
		.default_text = "INFO",
		.environment = "ASSAY_LOG_LEVEL",
		.help = "NONE, CRITICAL, ERROR, WARNING (warnings), INFO (the summary as well), "
			"DEBUG (where each option came from as well)" },
	{ .name = "quiet",
		.letter = 'q',
		.environment = "ASSAY_QUIET",
		.help = "prints neither summary nor warnings, as --log-level NONE" },
};

static void print_warning(const char *line, void *context)
{
	const enum log_level *level = context;

	if (*level >= LOG_WARNING)
		complain("%s", line);
}

/* Reads a duration if it was given; zero would mean the default and is refused unless `ret_zero` takes it. */
static int duration_option(const struct verb *verb, const struct option_values *values,
	const char *name, uint64_t *ret_ns, int *ret_zero, struct error *err)
{
	const struct option_value *value = verb_value(verb, values, name);
	uint64_t ns = 0;

	if (!value->text)
		return 0;
	if (parse_duration(value->text, &ns, err) < 0)
		return error_wrap(err, "%s", value->source);
	if (ns == 0 && !ret_zero)
		return error_say(
			err, -EINVAL, "%s: '%s' is no time at all", value->source, value->text);
	if (ns == 0)
		*ret_zero = 1;
	*ret_ns = ns;
	return 0;
}

/* A time, or a negative one, which stands for "however late". */
static int fail_time_option(const struct verb *verb, const struct option_values *values,
	struct assay_run_options *o, struct error *err)
{
	const struct option_value *value = verb_value(verb, values, "fail-time");
	uint64_t ns = 0;
	bool negative;

	if (!value->text)
		return 0;
	negative = value->text[0] == '-';
	if (parse_duration(value->text + negative, &ns, err) < 0)
		return error_wrap(err, "%s", value->source);
	o->fail_always = negative && ns > 0;
	o->fail_time_ns = negative ? 0 : ns;
	return 0;
}

/* -q is a level as well: of the two, what stands in the higher source counts. */
static enum log_level log_level(const struct verb *verb, const struct option_values *values)
{
	const struct option_value *level = verb_value(verb, values, "log-level");
	const struct option_value *quiet = verb_value(verb, values, "quiet");

	if (quiet->text && quiet->rank >= level->rank)
		return LOG_NONE;
	return level->text ? (enum log_level) level->number : LOG_INFO;
}

static void output_options(
	const struct verb *verb, const struct option_values *values, struct assay_run_options *o)
{
	int capture = verb_value(verb, values, "capture-outputs")->number;

	o->capture = capture & BOTH;
	o->capture_way = capture >> 8;
	o->withheld = verb_value(verb, values, "outputs")->number;
	o->timestamps = verb_option(verb, values, "timestamps") != NULL;
}

/* In a file or a variable it is for the runs that capture; on the command line of one that does not it is a mistake. */
static int check_timestamps(
	const struct verb *verb, const struct option_values *values, struct error *err)
{
	const struct option_value *timestamps = verb_value(verb, values, "timestamps");

	if (!timestamps->text || timestamps->rank != RANK_COMMAND_LINE ||
		verb_value(verb, values, "capture-outputs")->number & BOTH)
		return 0;
	return error_say(err, -EINVAL, "%s needs -c: no output is captured", timestamps->source);
}

static int time_options(const struct verb *verb, const struct option_values *values,
	struct assay_run_options *o, struct error *err)
{
	const struct {
		const char *name;
		uint64_t *ns;
		int *zero;
	} times[] = { { "sample-interval", &o->sample_interval_ns, NULL },
		{ "report-interval", &o->report_interval_ns, NULL },
		{ "limit-grace", &o->limit_grace_ns, NULL },
		{ "freeze-on-exit", &o->keep_last_ns, &o->keep_nothing } };

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (duration_option(verb, values, times[i].name, times[i].ns, times[i].zero, err) <
			0)
			return -EINVAL;
	return fail_time_option(verb, values, o, err);
}

static void record_options(
	const struct verb *verb, const struct option_values *values, struct assay_run_options *o)
{
	o->output_prefix = verb_option(verb, values, "output-prefix");
	o->record_types = verb_value(verb, values, "record-types")->number;
	o->clobber = verb_option(verb, values, "clobber") != NULL;
	o->message = verb_option(verb, values, "message");
	o->name = verb_option(verb, values, "name");
	o->tags = verb_value(verb, values, "tag")->all;
	o->measurements = verb_option(verb, values, "measurements");
	o->wait_all = verb_option(verb, values, "wait-all") != NULL;
	o->new_session = verb_value(verb, values, "mode")->number;
	o->limits = verb_option(verb, values, "limit");
	o->cgroup = verb_value(verb, values, "cgroup")->number;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct assay_run_options options = ASSAY_RUN_OPTIONS_INIT;
	enum log_level level = log_level(verb, values);
	struct error err = { 0 };

	if (!words[0])
		return complain_usage(verb, "the command to run is missing");
	options.argv = words;
	options.release_stdio = 1;
	options.warn = print_warning;
	options.context = &level;
	record_options(verb, values, &options);
	output_options(verb, values, &options);
	if (check_timestamps(verb, values, &err) < 0 ||
		time_options(verb, values, &options, &err) < 0 ||
		run_command_check_format(verb_value(verb, values, "summary-format"), &err) < 0)
		return complain_usage(verb, err.text);
	log_flush(&values->log, level);
	return run_command(verb, values, &options, level);
}

const struct verb verb_run = {
	.name = "run",
	.help = "runs a command and records what its processes use",
	.usage = "[options] [--] COMMAND [ARGUMENTS...]",
	.text = "Runs a command and records what its whole process tree uses. The command's input, "
		"output and exit status stay its own; a short summary goes to standard error. "
		"Every option can stand in a configuration file as well, as 'name = value'.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
