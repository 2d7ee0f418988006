/* SPDX-License-Identifier: MIT */
/* Starts a verb: what it was told, its help, its body or the program that it is. */
#include "cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/duct.h"
#include "cli/program.h"
#include "cli/sources.h"
#include "text/wrap.h"

/* Opened the wrong way round, so that using it fails as before, and the job still finds it closed. */
void occupy_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void) !open("/dev/null",
				(fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

const struct option_value *verb_value(
	const struct verb *verb, const struct option_values *values, const char *name)
{
	return &values->of[option_index(verb->options, verb->n_options, name)];
}

const char *verb_option(
	const struct verb *verb, const struct option_values *values, const char *name)
{
	return verb_value(verb, values, name)->text;
}

int print_verb_help(const struct verb *verb)
{
	static const struct option_names duct = { duct_defaults, duct_variable_of };
	struct buf out = { 0 };
	int r;

	if (verb->call)
		buf_addf(&out, "usage: %s %s\n\n", verb->call, verb->usage);
	else
		buf_addf(&out, "usage: assay %s %s\n\n", verb->name, verb->usage);
	text_add_wrapped(&out, verb->text, 0, 0);
	buf_add_text(&out, "\n\n");
	options_help(verb->options, verb->n_options, verb->duct ? &duct : NULL, &out);
	if (verb->duct)
		buf_add_text(&out, duct_help_end);
	r = print_data(&out);
	buf_done(&out);
	return r;
}

static int without_memory(const struct verb *verb, char **words, const char *why)
{
	if (verb->without_memory && words[0])
		return verb->without_memory(words, why);
	complain("%s", why);
	return EXIT_TROUBLE;
}

int verb_start(const struct verb *verb, char **argv)
{
	struct option_values values = { 0 };
	struct error err = { 0 };
	int first = 0;
	int status;

	if (!verb->exec)
		return start_program(verb, argv);
	int r = sources_gather(verb, argv, &values, &first, &err);
	if (r == -ENOMEM)
		status = without_memory(verb, argv + first, err.text);
	else if (r < 0)
		status = complain_usage(verb, err.text);
	else if (values.help)
		status = print_verb_help(verb);
	else
		status = verb->exec(verb, &values, argv + first);
	options_done(&values);
	return status;
}
