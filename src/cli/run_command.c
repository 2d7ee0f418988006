/* SPDX-License-Identifier: MIT */
/* Lets the library run the command, prints the summary, and ends as the command ended. */
#include "cli/run_command.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay.h"
#include "base/error.h"
#include "cli/ending.h"
#include "cli/log.h"
#include "cli/verb.h"
#include "show/template.h"

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

int run_command_bare(char *const *argv, const char *why)
{
	complain("%s; running the command without recording it", why);
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
	ending_summary(info, format, ending_wants_color(verb, values));
	/* The words of one's own are about the command. */
	if (!format)
		ending_summaries_beside(info, ending_wants_color(verb, values));
}

int run_command(const struct verb *verb, const struct option_values *values,
	const struct assay_run_options *options, enum log_level level)
{
	struct assay_run_info *info = NULL;
	struct assay_error failure = { 0 };
	int wait_status = 0;
	enum assay_run_status status = assay_run(options, &wait_status, &info, &failure);

	if (status == ASSAY_RUN_ENDED)
		ending_from_background();
	switch (status) {
	case ASSAY_RUN_ENDED:
		break;
	case ASSAY_RUN_NOT_STARTED:
		return not_started(&failure);
	case ASSAY_RUN_BAD_OPTION:
		return ending_bad_option(verb, values, failure.text);
	case ASSAY_RUN_FAILED:
		return run_command_bare(options->argv, failure.text);
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
