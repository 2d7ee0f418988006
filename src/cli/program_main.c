/* SPDX-License-Identifier: MIT */
/* main() of a verb that is a program of its own. Compiled once for each, with -DVERB=verb_NAME. */
#include "cli/program.h"
#include "cli/verb.h"

extern const struct verb VERB;

int main(int argc, char **argv)
{
	struct verb verb = VERB;

	/* execve(2) lets anybody call a program without even its name. */
	if (argc < 1)
		return EXIT_USAGE;
	occupy_standard_streams();
	verb.exec = program_body;
	return verb_start(&verb, argv);
}
