/* SPDX-License-Identifier: MIT */
/* The body of the trial: the words of its own command line, each ended by a NUL, then what was understood. */
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd_read.h"
#include "cli/program.h"
#include "trial.h"

int program_body(const struct verb *verb, struct option_values *values, char **words)
{
	struct buf out = { 0 };
	const char *count = verb_option(verb, values, "count");
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fd_read_all(fd, 4096, &out) < 0)
		return EXIT_TROUBLE;
	close(fd);
	buf_addf(&out, "\ncount %s\nloud %s\n", count ? count : "not given",
		verb_option(verb, values, "loud") ? "yes" : "no");
	for (; *words; words++)
		buf_addf(&out, "word %s\n", *words);
	int r = print_data(&out);
	buf_done(&out);
	return r ? r : 7;
}
