/* SPDX-License-Identifier: MIT */
/* Finds the verb and runs it. */
#include <stdbool.h>
#include <string.h>

#include "assay.h"
#include "base/buf.h"
#include "base/macros.h"
#include "cli/duct.h"
#include "cli/verb.h"
#include "cli/verbs.h"

static const struct verb *const verbs[] = { VERBS };

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

/* `duct` is `assay run` with con-duct's defaults. */
static int exec_duct(char **argv)
{
	struct verb verb = verb_run;

	if (argv[1] && strcmp(argv[1], "--version") == 0)
		return print_version();
	verb.call = "duct";
	verb.duct = true;
	return verb_start(&verb, argv);
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
			return verb_start(verbs[i], argv + 1);

	complain("unknown %s '%.60s'; see 'assay --help'", argv[1][0] == '-' ? "option" : "verb",
		argv[1]);
	return EXIT_USAGE;
}
