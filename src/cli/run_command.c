/* SPDX-License-Identifier: MIT */
/* Lets the library run the command, prints the summary, and ends as the command ended. */
#include "cli/run_command.h"

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
#include "cli/log.h"
#include "cli/verb.h"
#include "report/summary.h"
#include "report/template.h"

static bool is_set(const char *variable)
{
	const char *text = getenv(variable);

	return text && *text;
}

/* An option is asked first; then https://no-color.org and CLICOLOR_FORCE; then the terminal. */
static bool wants_color(const struct verb *verb, const struct option_values *values)
{
	const struct option_value *colors = verb_value(verb, values, "colors");
	const char *terminal = getenv("TERM");
	const char *forced = getenv("CLICOLOR_FORCE");

	if (colors->source)
		return colors->text != NULL;
	if (is_set("NO_COLOR"))
		return false;
	if (forced && *forced && strcmp(forced, "0") != 0)
		return true;
	return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

static bool name_measurement(size_t index, const char **ret_key, const char **ret_reduces)
{
	static struct assay_measurement m;

	if (assay_measurement_at(index, &m) != 1)
		return false;
	*ret_key = m.key;
	*ret_reduces = m.reduces;
	return true;
}

int run_command_check_format(const struct option_value *format, struct error *err)
{
	if (!format->text || template_check(format->text, name_measurement, err) == 0)
		return 0;
	return error_wrap(err, "%s", format->source);
}

static void warn(const char *line)
{
	complain("%s", line);
}

static void print_summary(const struct assay_run_info *info, const char *format, bool color)
{
	struct buf out = { 0 };

	if (format) {
		template_fill(format, info, color, warn, &out);
		if (out.len > 0 && out.data[out.len - 1] != '\n')
			buf_add_char(&out, '\n');
	} else {
		report_summary(info, color, &out);
	}
	if (!out.failed)
		fd_write_all(STDERR_FILENO, out.data, out.len, NULL);
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

static void add_source(struct buf *text, const char **before, const char *source, int rank)
{
	if (rank == RANK_COMMAND_LINE || rank == RANK_DEFAULT)
		return;
	buf_addf(text, "%s%s", *before, source);
	*before = ", ";
}

/* The library does not know where an option came from; one that is not on the command line is hard to find. */
static int bad_option(
	const struct verb *verb, const struct option_values *values, const char *failure)
{
	struct buf text = { 0 };
	const char *before = "; not from the command line: ";
	int status;

	buf_add_text(&text, failure);
	for (size_t i = 0; i < verb->n_options; i++) {
		const struct option_value *value = &values->of[i];

		if (value->n_all == 0 && value->text)
			add_source(&text, &before, value->source, value->rank);
		for (size_t k = 0; k < value->n_all; k++)
			if (k == 0 || value->parts[k].source != value->parts[k - 1].source)
				add_source(&text, &before, value->parts[k].source,
					value->parts[k].rank);
	}
	status = complain_usage(verb, text.failed ? failure : text.data);
	buf_done(&text);
	return status;
}

/* What is said at the end: the summary, or that there is nothing left to read. */
static void print_end(const struct verb *verb, const struct option_values *values,
	const struct assay_run_info *info)
{
	const char *format = verb_option(verb, values, "summary-format");

	if (assay_run_discarded(info)) {
		complain("failed within its fail time: no files left; --fail-time 0 keeps them");
		return;
	}
	/* Exit status 124 needs an explanation, which a template need not hold. */
	if (format && assay_run_limit_hit(info))
		complain("a limit ended the command: the record says which");
	print_summary(info, format, wants_color(verb, values));
}

/* stty(1) tostop: what we say at the end must not stop us when the job's part is over; with the signal blocked the write goes through. */
static void write_from_background(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int run_command(const struct verb *verb, const struct option_values *values,
	const struct assay_run_options *options, enum log_level level)
{
	struct assay_run_info *info = NULL;
	struct assay_error failure = { 0 };
	int wait_status = 0;
	enum assay_run_status status = assay_run(options, &wait_status, &info, &failure);

	if (status == ASSAY_RUN_ENDED)
		write_from_background();
	switch (status) {
	case ASSAY_RUN_ENDED:
		break;
	case ASSAY_RUN_NOT_STARTED:
		return not_started(&failure);
	case ASSAY_RUN_BAD_OPTION:
		return bad_option(verb, values, failure.text);
	case ASSAY_RUN_FAILED:
		return run_bare(options->argv, &failure);
	}
	/* Without memory for it there is none, and the status counts. */
	if (info && level >= LOG_INFO)
		print_end(verb, values, info);
	bool stopped = assay_run_limit_hit(info);
	assay_run_info_free(info);
	if (stopped)
		return EXIT_LIMIT_HIT;
	if (WIFSIGNALED(wait_status))
		return die_of(WTERMSIG(wait_status));
	return WEXITSTATUS(wait_status);
}
