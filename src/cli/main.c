/* SPDX-License-Identifier: MIT */
/* Finds the verb and runs it. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "cli/duct.h"
#include "cli/sources.h"
#include "cli/verb.h"
#include "cli/verbs.h"
#include "report/wrap.h"

static const struct verb *const verbs[] = { VERBS };

/* A standard stream that is closed is occupied, so that no file of a record lands on its number and takes what is
 * written there. It is opened the wrong way round, so that using it fails as before, and the job still finds it
 * closed. */
static void occupy_standard_streams(void)
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

static int print_program_help(void)
{
	struct buf out = { 0 };
	int r;

	buf_add_text(&out, "usage: assay VERB [options] ...\n"
			   "\n"
			   "Measures what a job truly uses and says how it knows.\n"
			   "\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		buf_addf(&out, "  %-14s%s\n", verbs[i]->name, verbs[i]->help);
	buf_add_text(&out,
		"\n"
		"  -V, --version   shows the version\n"
		"  -h, --help      shows this text; assay VERB --help shows a verb's options\n");
	r = print_data(&out);
	buf_done(&out);
	return r;
}

static int print_version(void)
{
	struct buf out = { 0 };
	int r;

	buf_addf(&out, "assay %s\n", assay_version());
	r = print_data(&out);
	buf_done(&out);
	return r;
}

static int print_verb_help(const struct verb *verb)
{
	struct buf out = { 0 };
	int r;

	if (verb->call)
		buf_addf(&out, "usage: %s %s\n\n", verb->call, verb->usage);
	else
		buf_addf(&out, "usage: assay %s %s\n\n", verb->name, verb->usage);
	text_add_wrapped(&out, verb->text, 0, 0);
	buf_add_text(&out, "\n\n");
	options_help(verb->options, verb->n_options, verb->duct ? duct_defaults : NULL, &out);
	r = print_data(&out);
	buf_done(&out);
	return r;
}

static int exec_verb(const struct verb *verb, char **argv)
{
	struct option_values values = { 0 };
	struct error err = { 0 };
	int first = 0;
	int status;

	if (sources_gather(verb, argv, &values, &first, &err) < 0)
		status = complain_usage(verb, err.text);
	else if (values.help)
		status = print_verb_help(verb);
	else
		status = verb->exec(verb, &values, argv + first);
	options_done(&values);
	return status;
}

/* `duct` is `assay run` with con-duct's defaults. */
static int exec_duct(char **argv)
{
	struct verb verb = verb_run;

	if (argv[1] && strcmp(argv[1], "--version") == 0)
		return print_version();
	verb.call = "duct";
	verb.duct = true;
	return exec_verb(&verb, argv);
}

static bool is_either(const char *word, const char *a, const char *b)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

int main(int argc, char **argv)
{
	char **duct_argv;

	occupy_standard_streams();
	if (duct_is_called(argv, &duct_argv))
		return exec_duct(duct_argv);
	if (argc < 2) {
		complain("a verb is missing; see 'assay --help'");
		return EXIT_USAGE;
	}
	if (is_either(argv[1], "-h", "--help"))
		return print_program_help();
	if (is_either(argv[1], "-V", "--version"))
		return print_version();
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strcmp(argv[1], verbs[i]->name) == 0)
			return exec_verb(verbs[i], argv + 1);

	complain("unknown %s '%.60s'; see 'assay --help'", argv[1][0] == '-' ? "option" : "verb",
		argv[1]);
	return EXIT_USAGE;
}
