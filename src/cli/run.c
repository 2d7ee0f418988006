/* SPDX-License-Identifier: MIT */
/* assay run: runs a command, records what it uses, and ends as the command ended. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/fd_write.h"
#include "base/macros.h"
#include "base/units.h"
#include "cli/verb.h"
#include "report/summary.h"

static const struct option_row rows[] = {
	{ .name = "output-prefix",
		.letter = 'p',
		.argument = "PREFIX",
		.default_text = ".assay/runs/{datetime}-{pid}/",
		.environment = "ASSAY_OUTPUT_PREFIX",
		.help = "the record is written to PREFIXinfo.json and PREFIXusage.jsonl; "
			"{datetime} "
			"and {pid} are filled in, directories are made, nothing is overwritten" },
	{ .name = "sample-interval",
		.letter = 'i',
		.argument = "DURATION",
		.default_text = "1s, shorter in the first second",
		.unit = "seconds",
		.environment = "ASSAY_SAMPLE_INTERVAL",
		.help = "how often the job is looked at" },
	{ .name = "report-interval",
		.argument = "DURATION",
		.default_text = "1s at first, minutes as the run grows old",
		.unit = "seconds",
		.environment = "ASSAY_REPORT_INTERVAL",
		.help = "how much time one line of the record covers" },
	{ .name = "measurements",
		.argument = "LIST",
		.default_text = "default",
		.environment = "ASSAY_MEASUREMENTS",
		.help = "what is measured: keys, patterns and the presets minimal, default, all, "
			"separated by commas; a leading - takes away; see 'assay measurements'" },
	{ .name = "wait-all",
		.environment = "ASSAY_WAIT_ALL",
		.help = "goes on until the last process of the job has ended, not only the "
			"command" },
	{ .name = "capture-outputs",
		.letter = 'c',
		.argument = "WHICH",
		.default_text = "none",
		.environment = "ASSAY_CAPTURE_OUTPUTS",
		.help = "keeps what the job prints in PREFIXstdout and PREFIXstderr: all, none, "
			"stdout, "
			"stderr; combined: both in one file in their order; pty: the same through "
			"a terminal of the job's own" },
	{ .name = "outputs",
		.letter = 'o',
		.argument = "WHICH",
		.default_text = "all",
		.environment = "ASSAY_OUTPUTS",
		.help = "which of the job's outputs still reach ours: all, none, stdout, stderr" },
	{ .name = "timestamps",
		.environment = "ASSAY_TIMESTAMPS",
		.help = "keeps the time of each captured line in a file beside it" },
	{ .name = "record-types",
		.letter = 't',
		.argument = "WHICH",
		.default_text = "all",
		.environment = "ASSAY_RECORD_TYPES",
		.help = "which files are written: all, system-summary (info.json), "
			"processes-samples (usage.jsonl)" },
	{ .name = "message",
		.letter = 'm',
		.argument = "TEXT",
		.environment = "ASSAY_MESSAGE",
		.help = "a text that is kept in the record" },
	{ .name = "name",
		.argument = "NAME",
		.environment = "ASSAY_NAME",
		.help = "a name by which the run is found later" },
	{ .name = "mode",
		.argument = "MODE",
		.default_text = "current-session",
		.environment = "ASSAY_MODE",
		.help = "current-session: the job stays in our session; new-session: it gets its "
			"own" },
	{ .name = "clobber",
		.environment = "ASSAY_CLOBBER",
		.help = "replaces a record that is there already" },
	{ .name = "fail-time",
		.argument = "DURATION",
		.default_text = "0: the record of a failure is kept",
		.unit = "seconds",
		.environment = "ASSAY_FAIL_TIME",
		.help = "a command that fails sooner than this leaves no files; a negative time: "
			"no failure does" },
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
	{ .name = "freeze-on-exit",
		.argument = "DURATION",
		.default_text = "5m",
		.unit = "seconds",
		.environment = "ASSAY_FREEZE_ON_EXIT",
		.help = "how much of the run's last moments PREFIXlive keeps at full resolution; "
			"0: none" },
	{ .name = "quiet",
		.letter = 'q',
		.environment = "ASSAY_QUIET",
		.help = "prints neither summary nor warnings" },
};

static void print_warning(const char *line, void *context)
{
	const bool *quiet = context;

	if (!*quiet)
		complain("%s", line);
}

/* Reads a duration if it was given; zero would mean the default and is refused. */
static int duration_option(const struct verb *verb, const struct option_values *values,
	const char *name, uint64_t *ret_ns, struct error *err)
{
	size_t i = option_index(verb->options, verb->n_options, name);
	uint64_t ns = 0;

	if (!values->text[i])
		return 0;
	if (parse_duration(values->text[i], &ns, err) < 0)
		return error_wrap(err, "%s", values->source[i]);
	if (ns == 0)
		return error_say(err, -EINVAL, "%s: '%s' is no time at all", values->source[i],
			values->text[i]);
	*ret_ns = ns;
	return 0;
}

static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return isatty(STDERR_FILENO) && !(no_color && *no_color) && terminal && *terminal &&
	       strcmp(terminal, "dumb") != 0;
}

static void print_summary(const struct assay_run_info *info)
{
	struct buf out = { 0 };
	sigset_t stop, before;

	report_summary(info, wants_color(), &out);
	/* In the background of a terminal set to `tostop` it would stop our whole process group, although the job was done. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGTTOU);
	sigprocmask(SIG_BLOCK, &stop, &before);
	if (!out.failed)
		fd_write_all(STDERR_FILENO, out.data, out.len, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	buf_done(&out);
}

/* Dies of the signal the job died of, so that whoever waits sees the same; without a core file of our own beside the
 * job's. core(5): the limit does not stop a core_pattern that is a pipe, not being dumpable does. */
static int die_of(int number)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	/* Still here: process 1 of a container does not die of its own signals. */
	_exit(128 + number);
}

/* We cannot record, which is no reason for the command not to run. */
static int run_bare(char *const *argv, const struct assay_error *why)
{
	complain("%s; running the command without recording it", why->text);
	execvp(argv[0], argv);
	int number = errno;
	complain("cannot run %s: %s", argv[0], strerror(number));
	return number == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int not_started(const struct assay_error *failure)
{
	complain("%s", failure->text);
	return failure->code == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* The library does not know where an option came from; one that is not on the command line is hard to find. */
static int bad_option(
	const struct verb *verb, const struct option_values *values, const char *failure)
{
	struct buf text = { 0 };
	const char *before = "; from the environment: ";
	int status;

	buf_add_text(&text, failure);
	for (size_t i = 0; i < verb->n_options; i++) {
		if (!values->text[i] || values->source[i][0] == '-')
			continue;
		buf_addf(&text, "%s%s", before, values->source[i]);
		before = ", ";
	}
	status = complain_usage(verb, text.failed ? failure : text.data);
	buf_done(&text);
	return status;
}

static int run(const struct verb *verb, const struct option_values *values,
	const struct assay_run_options *options)
{
	struct assay_run_info *info = NULL;
	struct assay_error failure = { 0 };
	int wait_status = 0;

	switch (assay_run(options, &wait_status, &info, &failure)) {
	case ASSAY_RUN_ENDED:
		break;
	case ASSAY_RUN_NOT_STARTED:
		return not_started(&failure);
	case ASSAY_RUN_BAD_OPTION:
		return bad_option(verb, values, failure.text);
	case ASSAY_RUN_FAILED:
		return run_bare(options->argv, &failure);
	}
	if (!verb_option(verb, values, "quiet"))
		print_summary(info);
	assay_run_info_free(info);
	if (WIFSIGNALED(wait_status))
		return die_of(WTERMSIG(wait_status));
	return WEXITSTATUS(wait_status);
}

/* A word of a fixed set as the number that stands for it. */
struct choice {
	const char *word;
	int value;
};

static int choice_option(const struct verb *verb, const struct option_values *values,
	const char *name, const struct choice *choices, int *ret, struct error *err)
{
	size_t i = option_index(verb->options, verb->n_options, name);
	struct buf known = { 0 };

	if (!values->text[i])
		return 0;
	for (const struct choice *c = choices; c->word; c++) {
		if (strcmp(values->text[i], c->word) == 0) {
			*ret = c->value;
			buf_done(&known);
			return 0;
		}
		buf_addf(&known, "%s%s", c == choices ? "" : ", ", c->word);
	}
	int r = error_say(err, -EINVAL, "%s is '%.60s'; it takes %s", values->source[i],
		values->text[i], known.data ? known.data : "");
	buf_done(&known);
	return r;
}

#define BOTH (ASSAY_STDOUT | ASSAY_STDERR)

static int output_options(const struct verb *verb, const struct option_values *values,
	struct assay_run_options *o, struct error *err)
{
	static const struct choice kept[] = { { "all", BOTH }, { "none", 0 },
		{ "stdout", ASSAY_STDOUT }, { "stderr", ASSAY_STDERR },
		{ "combined", BOTH | ASSAY_CAPTURE_COMBINED << 8 },
		{ "pty", BOTH | ASSAY_CAPTURE_PTY << 8 }, { NULL, 0 } };
	static const struct choice passed[] = { { "all", 0 }, { "none", BOTH },
		{ "stdout", ASSAY_STDERR }, { "stderr", ASSAY_STDOUT }, { NULL, 0 } };
	static const struct choice types[] = { { "all", 0 },
		{ "system-summary", ASSAY_RECORD_INFO },
		{ "processes-samples", ASSAY_RECORD_USAGE }, { NULL, 0 } };
	static const struct choice modes[] = { { "current-session", 0 }, { "new-session", 1 },
		{ NULL, 0 } };
	int capture = 0;

	if (choice_option(verb, values, "capture-outputs", kept, &capture, err) < 0 ||
		choice_option(verb, values, "outputs", passed, &o->withheld, err) < 0 ||
		choice_option(verb, values, "record-types", types, &o->record_types, err) < 0 ||
		choice_option(verb, values, "mode", modes, &o->new_session, err) < 0)
		return -EINVAL;
	o->capture = capture & BOTH;
	o->capture_way = capture >> 8;
	o->timestamps = verb_option(verb, values, "timestamps") != NULL;
	return 0;
}

static int exec(const struct verb *verb, const struct option_values *values, char **words)
{
	struct assay_run_options options = ASSAY_RUN_OPTIONS_INIT;
	struct error err = { 0 };
	bool quiet = verb_option(verb, values, "quiet") != NULL;

	if (!words[0])
		return complain_usage(verb, "the command to run is missing");
	options.argv = words;
	options.output_prefix = verb_option(verb, values, "output-prefix");
	options.measurements = verb_option(verb, values, "measurements");
	options.wait_all = verb_option(verb, values, "wait-all") != NULL;
	options.message = verb_option(verb, values, "message");
	options.name = verb_option(verb, values, "name");
	options.clobber = verb_option(verb, values, "clobber") != NULL;
	options.limits = verb_option(verb, values, "limit");
	options.release_stdio = 1;
	options.warn = print_warning;
	options.context = &quiet;
	if (duration_option(verb, values, "sample-interval", &options.sample_interval_ns, &err) <
			0 ||
		duration_option(
			verb, values, "report-interval", &options.report_interval_ns, &err) < 0 ||
		duration_option(verb, values, "limit-grace", &options.limit_grace_ns, &err) < 0 ||
		output_options(verb, values, &options, &err) < 0)
		return complain_usage(verb, err.text);
	return run(verb, values, &options);
}

const struct verb verb_run = {
	.name = "run",
	.help = "runs a command and records what its processes use",
	.usage = "[options] [--] COMMAND [ARGUMENTS...]",
	.text = "Runs a command and records what its whole process tree uses. The command's input, "
		"output and exit status stay its own; a short summary goes to standard error.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
