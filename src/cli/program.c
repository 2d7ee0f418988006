/* SPDX-License-Identifier: MIT */
/* Finds the program that a verb is, and becomes it. */
#include "cli/program.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/program_directory.h"
#include "cli/verb.h"

/* The directory of the program that runs, or NULL: without /proc it is not known. */
static const char *own_directory(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	return path;
}

/* Returns only when it cannot: the negative errno. */
static int become(const char *directory, const char *name, char **argv)
{
	struct buf path = { 0 };
	char *called = argv[0];
	int r;

	buf_addf(&path, "%s/assay-%s", directory, name);
	if (path.failed) {
		r = -ENOMEM;
	} else {
		/* The verb alone, as ps(1) would show it, is the name of another program: ls. */
		argv[0] = path.data;
		execv(path.data, argv);
		r = -errno;
		argv[0] = called;
	}
	buf_done(&path);
	return r;
}

static int become_program(const struct verb *verb, char **argv)
{
	char path[PATH_MAX];
	const char *beside = own_directory(path, sizeof(path));
	int r = beside ? become(beside, verb->name, argv) : -ENOENT;

	if (r == -ENOENT)
		r = become(PROGRAM_DIRECTORY, verb->name, argv);
	if (r == -ENOENT)
		complain("'assay %s' is a program of its own, assay-%s, which is not installed",
			verb->name, verb->name);
	else
		complain("cannot start assay-%s: %s", verb->name, strerror(-r));
	return EXIT_TROUBLE;
}

/* Reads a copy of the words: reading moves those that are no options. */
static int read_copy(
	const struct verb *verb, char **argv, struct option_values *values, struct error *err)
{
	size_t n = 0;
	int first;
	int r;

	while (argv[n])
		n++;
	char **copy = calloc(n + 1, sizeof(*copy));
	if (!copy)
		return error_set(err, -ENOMEM, "cannot read the options");
	memcpy(copy, argv, n * sizeof(*copy));
	values->mixed = verb->mixed;
	values->groups = verb->groups;
	r = options_read_words(verb->options, verb->n_options, copy, values, &first, err);
	free(copy);
	return r;
}

int start_program(const struct verb *verb, char **argv)
{
	struct option_values values = { 0 };
	struct error err = { 0 };
	int status;

	if (read_copy(verb, argv, &values, &err) < 0)
		status = complain_usage(verb, err.text);
	else if (values.help)
		status = print_verb_help(verb);
	else
		status = become_program(verb, argv);
	options_done(&values);
	return status;
}
