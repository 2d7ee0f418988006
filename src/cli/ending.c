/* SPDX-License-Identifier: MIT */
/* Prints summaries, and refusals. */
#include "cli/ending.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay.h"
#include "base/buf.h"
#include "base/fd_write.h"
#include "cli/verb.h"
#include "show/summary.h"
#include "show/template.h"

static bool is_set(const char *variable)
{
	const char *text = getenv(variable);

	return text && *text;
}

bool ending_wants_color(const struct verb *verb, const struct option_values *values)
{
	return ending_wants_color_on(verb, values, STDERR_FILENO);
}

bool ending_wants_color_on(const struct verb *verb, const struct option_values *values, int fd)
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
	return isatty(fd) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

static void warn(const char *line)
{
	complain("%s", line);
}

void ending_summary(const struct assay_run_info *info, const char *format, bool color)
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

void ending_summaries_beside(const struct assay_run_info *info, bool color)
{
	for (size_t i = 1;; i++) {
		const struct assay_run_info *beside = assay_run_beside(info, i);

		if (!beside)
			break;
		ending_summary(beside, NULL, color);
	}
}

static void add_source(struct buf *text, const char **before, const char *source, int rank)
{
	if (rank == RANK_COMMAND_LINE || rank == RANK_DEFAULT)
		return;
	buf_addf(text, "%s%s", *before, source);
	*before = ", ";
}

int ending_bad_option(
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

void ending_from_background(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, NULL);
}
