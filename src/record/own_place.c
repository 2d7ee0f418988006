/* SPDX-License-Identifier: MIT */
/* Finds a prefix that is nobody else's for a run whose prefix nobody chose. */
#include "record/own_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/run_directory.h"

/* As many runs of one time and process id as nobody has; whoever may write there could lay more names than can be tried. */
#define NUMBER_MAX 1000

/* Replaces a text by itself with "-NUMBER" in it: before the mark that it ends with, if it does. */
static int number_text(const char *text, unsigned number, char **ret)
{
	size_t n = strlen(text);
	size_t n_end = n > 0 && strchr("/_-.", text[n - 1]) ? 1 : 0;

	if (number == 1)
		*ret = strdup(text);
	else if (asprintf(ret, "%.*s-%u%s", (int) (n - n_end), text, number, text + n - n_end) < 0)
		*ret = NULL;
	return *ret ? 0 : -ENOMEM;
}

static void take(char **text, char *by)
{
	free(*text);
	*text = by;
}

/* Opens the first of the numbered prefixes that is free. */
static int open_numbered(const struct own_place *place, const char *prefix, const char *id,
	const struct run_files_options *options, struct error *err)
{
	int r = -EEXIST;

	for (unsigned number = 1; r == -EEXIST && number <= NUMBER_MAX; number++) {
		char *numbered_prefix = NULL;
		char *numbered_id = NULL;

		if (number_text(prefix, number, &numbered_prefix) < 0 ||
			number_text(id, number, &numbered_id) < 0) {
			free(numbered_prefix);
			return error_set(err, -ENOMEM, "output prefix");
		}
		r = run_files_open(numbered_prefix, options, place->files, err);
		take(place->prefix, numbered_prefix);
		take(place->id, numbered_id);
	}
	if (r == -EEXIST)
		return error_say(err, -ENOSPC, "%s and %d more names like it are taken", prefix,
			NUMBER_MAX - 1);
	return r;
}

/* What stands before the part with the braces: ".assay/runs/". */
static size_t place_length(const char *format)
{
	size_t n = strcspn(format, "{");

	while (n > 0 && format[n - 1] != '/')
		n--;
	return n;
}

/* The user's own directory for what programs keep, and the rest of the prefix. NULL: there is none, or no memory. */
static char *fallback_prefix(const char *rest)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	char *prefix = NULL;
	int n = -1;

	/* The XDG Base Directory Specification: a relative path is to be ignored. */
	if (state && state[0] == '/')
		n = asprintf(&prefix, "%s/assay/runs/%s", state, rest);
	else if (home && home[0] == '/')
		n = asprintf(&prefix, "%s/.local/state/assay/runs/%s", home, rest);
	return n < 0 ? NULL : prefix;
}

static int open_elsewhere(struct own_place *place, const char *id,
	const struct run_files_options *options, const struct error *why, struct error *err)
{
	const int n = (int) place_length(place->format);
	const char *format = place->format;
	struct error failed = { 0 };
	char *rest = NULL;
	int r = run_prefix_expand(format + n, place->realtime_ns, place->pid, &rest, err);

	if (r < 0)
		return r;
	char *prefix = fallback_prefix(rest);
	if (prefix)
		r = open_numbered(place, prefix, id, options, &failed);
	else
		r = error_say(&failed, -ENOENT, "no home directory is known");
	if (r == 0)
		(void) error_say(&place->moved, 0,
			"%.*s is not used for the record: %s; it is written to %s", n, format,
			why->text, *place->prefix);
	else
		(void) error_say(err, r, "%.*s is not used: %s, and there is no other place: %s", n,
			format, why->text, failed.text);
	free(rest);
	free(prefix);
	return r;
}

int own_place_open(
	struct own_place *place, const struct run_files_options *options, struct error *err)
{
	struct run_files_options own = *options;
	struct error why = { 0 };
	char *prefix = NULL;
	char *id = NULL;
	int r = run_prefix_expand(place->format, place->realtime_ns, place->pid, &prefix, err);

	/* Nobody asked for a record of somebody else to be replaced. */
	own.clobber = own.append = false;
	own.guarded = own.fresh = true;
	place->moved.text[0] = '\0';
	if (r == 0)
		r = run_prefix_expand("{datetime}-{pid}", place->realtime_ns, place->pid, &id, err);
	if (r == 0) {
		r = open_numbered(place, prefix, id, &own, &why);
		if (r == RUN_PLACE_NOT_TRUSTED)
			r = open_elsewhere(place, id, &own, &why, err);
		else if (r < 0)
			*err = why;
	}
	free(prefix);
	free(id);
	return r;
}
