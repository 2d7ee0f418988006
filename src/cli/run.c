/* SPDX-License-Identifier: MIT */
/* assay run: what it may be asked, and the question put to the library. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assay.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/redaction.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/log.h"
#include "cli/record_options.h"
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
static const struct option_choice modes[] = { { "current-session", 0 }, { "new-session", 1 },
	{ NULL, 0 } };
static const struct option_choice cgroup_ways[] = { { "auto", ASSAY_CGROUP_AUTO },
	{ "own", ASSAY_CGROUP_OWN }, { "none", ASSAY_CGROUP_NONE }, { NULL, 0 } };
static const struct option_row rows[] = {
	{ .group = "The record", OPTION_OUTPUT_PREFIX },
	{ OPTION_RECORD_TYPES },
	{ OPTION_CLOBBER },
	{ .name = "fail-time",
		.alias = "f-t",
		.argument = "DURATION",
		.default_text = "0: whatever fails is kept",
		.unit = "seconds",
		.environment = "ASSAY_FAIL_TIME",
		.help = "a command that fails sooner than this leaves no files; a negative time: "
			"no failure does" },
	{ OPTION_MESSAGE },
	{ OPTION_NAME },
	{ OPTION_TAG },
	{ OPTION_REDACT },

	{ .group = "What is measured", OPTION_MEASUREMENTS },
	{ .name = "target",
		.argument = "TARGET",
		.repeats = true,
		.separator = ';',
		.environment = "ASSAY_TARGET",
		.offers = TARGET_OFFERS,
		.help = "records this beside the job, in files of its own: user, slurm, system "
			"and whatever else assay-attach(1) takes; may be given several times, in "
			"the variable with semicolons between" },
	{ OPTION_SAMPLE_INTERVAL },
	{ OPTION_REPORT_INTERVAL },
	{ OPTION_BUDGET },
	{ .name = "cgroup",
		.argument = "WAY",
		.choices = cgroup_ways,
		.default_text = "auto",
		.environment = "ASSAY_CGROUP",
		.help = "auto: the cgroups the job is in are read; own: it gets cgroups of its "
			"own, which count it exactly and are removed after it, and is not "
			"started where that is not allowed; none: no cgroup is read" },
	{ OPTION_WAIT_ALL },
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
			"own; either way the command and what descends from it are recorded, and "
			"nothing else of the session" },
	{ .name = "limit",
		.argument = "LIMITS",
		.environment = "ASSAY_LIMIT",
		.offers = OFFERS_NOTHING,
		.help = "ends the job, with exit status 124, when it goes beyond one of them: "
			"'wall=2h, cpu=10h, memory=8G, processes=500, output=1G'" },
	{ .name = "limit-grace",
		.argument = "DURATION",
		.default_text = "10s",
		.unit = "seconds",
		.environment = "ASSAY_LIMIT_GRACE",
		.help = "how long the job has to end by itself after SIGTERM, before SIGKILL" },

	{ .group = "What assay says",
		.name = "summary-format",
		.argument = "TEMPLATE",
		.environment = "ASSAY_SUMMARY_FORMAT",
		.offers = OFFERS_NOTHING,
		.help = "the summary in words of your own, with {exit_code}, "
			"{wall_clock_time:.3f}, {peak_rss!S} and many more; see assay-run(1)" },
	{ OPTION_COLORS },
	{ OPTION_LOG_LEVEL },
	{ OPTION_QUIET },
};

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
	} times[] = { { "limit-grace", &o->limit_grace_ns, NULL },
		{ "freeze-on-exit", &o->keep_last_ns, &o->keep_nothing } };

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (duration_option(verb, values, times[i].name, times[i].ns, times[i].zero, err) <
			0)
			return -EINVAL;
	return fail_time_option(verb, values, o, err);
}

/* What every recording is asked, put into the question about a command. */
static int shared_options(const struct verb *verb, const struct option_values *values,
	struct assay_run_options *o, struct error *err)
{
	struct record_options shared = { 0 };
	int r = record_options_read(verb, values, &shared, err);

	if (r < 0)
		return r;
	RECORD_OPTIONS_INTO(o, shared);
	o->clobber = shared.clobber;
	return 0;
}

static void job_options(
	const struct verb *verb, const struct option_values *values, struct assay_run_options *o)
{
	o->new_session = verb_value(verb, values, "mode")->number;
	o->limits = verb_option(verb, values, "limit");
	o->cgroup = verb_value(verb, values, "cgroup")->number;
	o->targets = verb_value(verb, values, "target")->all;
}

/* What the library's calls are about. */
struct telling {
	enum log_level level; /* stands first: record_warning() knows it alone */
	char *const *words;
	const char *const *redact;
	bool in_our_session;
};

/* As the record has it. */
static void add_command(const struct telling *t, struct buf *line)
{
	struct redaction redaction;
	uint64_t count;
	char **words = NULL;

	if (redaction_begin(&redaction, t->redact, NULL) == 0)
		words = redaction_of_words(&redaction, t->words, &count);
	line->failed = line->failed || !words;
	for (size_t i = 0; words && words[i]; i++) {
		if (i > 0)
			buf_add_char(line, ' ');
		text_add_shell_word(line, words[i], strlen(words[i]));
	}
	free(words);
	redaction_done(&redaction);
}

/* As con-duct does when it has started the command. */
static void tell_begun(const char *prefix, void *context)
{
	const struct telling *t = context;
	struct buf line = { 0 };

	if (t->level < LOG_INFO)
		return;
	add_command(t, &line);
	buf_add_text(&line, prefix ? " is executing, files in " : " is executing, no files");
	if (prefix)
		text_add_printable(&line, *prefix ? prefix : "./", *prefix ? strlen(prefix) : 2);
	if (!line.failed)
		complain("%s", line.data);
	buf_done(&line);
	if (t->in_our_session)
		complain("--mode current-session: the command and what descends from it are "
			 "recorded; the whole session is, in files of its own, with --target "
			 "session");
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct assay_run_options options = ASSAY_RUN_OPTIONS_INIT;
	enum log_level level = record_log_level(verb, values);
	struct telling telling = { .level = level, .words = words };
	struct error err = { 0 };

	if (!words[0])
		return complain_usage(verb, "the command to run is missing");
	options.argv = words;
	options.release_stdio = 1;
	options.warn = record_warning;
	options.context = &telling;
	options.usual_prefix = verb_value(verb, values, "output-prefix")->rank <= RANK_DEFAULT;
	job_options(verb, values, &options);
	telling.in_our_session = !options.new_session;
	if (verb->duct)
		options.begun = tell_begun;
	output_options(verb, values, &options);
	if (check_timestamps(verb, values, &err) < 0 ||
		shared_options(verb, values, &options, &err) < 0 ||
		time_options(verb, values, &options, &err) < 0 ||
		run_command_check_format(verb_value(verb, values, "summary-format"), &err) < 0)
		return err.code == -ENOMEM ? run_command_bare(words, err.text)
					   : complain_usage(verb, err.text);
	telling.redact = options.redact;
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
	.offers = OFFERS_COMMAND,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
	.without_memory = run_command_bare,
};
