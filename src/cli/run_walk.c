/* SPDX-License-Identifier: MIT */
/* Opens runs one after the other, hands each over, and closes it. */
#include "cli/run_walk.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/log.h"
#include "cli/run_words.h"
#include "cli/verb.h"
#include "record/foreign/import.h"

static void tell(struct run_walk *walk, const char *line)
{
	complain("%s", line);
	walk->unreadable++;
}

static int hand_over(struct run_walk *walk, struct stored_run *run, bool several)
{
	int r = walk->take(run, several, walk->context);

	walk->taken++;
	stored_run_done(run);
	return r;
}

static int take_file(struct run_walk *walk, const char *file)
{
	struct stored_run run;
	struct error err = { 0 };
	int r = 0;

	if (!walk->brief || stored_run_open_brief(file, &run) < 0)
		r = stored_run_open_which(file, 0, &run, &err);
	if (r == 0)
		return hand_over(walk, &run, true);
	tell(walk, err.text);
	return r == -ENOMEM ? r : 0;
}

static int take_found(const struct found_run *found, void *context)
{
	struct run_walk *walk = context;

	if (found->code == 0)
		return take_file(walk, found->path);
	complain("%s: %s", found->path, strerror(-found->code));
	walk->unreadable++;
	return 0;
}

/* A file of another tool that holds more than one. */
static bool holds_several(const char *word)
{
	struct stored_run second;

	if (stored_run_open_which(word, 1, &second, NULL) < 0)
		return false;
	stored_run_done(&second);
	return true;
}

/* One after the other, until there is no further one. */
static int take_several(struct run_walk *walk, const char *word)
{
	struct stored_run run;
	struct error err = { 0 };
	size_t which = 0;
	int r;

	while ((r = stored_run_open_which(word, which, &run, &err)) == 0) {
		r = hand_over(walk, &run, true);
		if (r < 0)
			return r;
		which++;
	}
	if (r != -ENOENT || which == 0)
		tell(walk, err.text);
	return r == -ENOMEM ? r : 0;
}

static bool is_directory(const char *word)
{
	struct stat st;

	return stat(word, &st) == 0 && S_ISDIR(st.st_mode);
}

/* One run; or, of a directory that is none, those in it. */
static int take_other(struct run_walk *walk, const char *word)
{
	size_t before = walk->taken + walk->unreadable;
	struct stored_run run;
	struct error err = { 0 };
	int r = run_word_open(word, walk->output_prefix, LOG_WARNING, &run, &err);

	if (r == 0)
		return hand_over(walk, &run, false);
	if (r == -ENOMEM)
		return r;
	if (is_directory(word)) {
		r = find_runs(word, take_found, walk, NULL);
		if (walk->taken + walk->unreadable > before)
			return r;
	}
	tell(walk, err.text);
	return 0;
}

int run_walk_word(struct run_walk *walk, const char *word)
{
	struct stored_run run;

	if (walk->brief && stored_run_open_brief(word, &run) == 0)
		return hand_over(walk, &run, false);
	if (run_word_is_last(word) || access(word, F_OK) < 0 ||
		stored_run_open_which(word, 0, &run, NULL) < 0)
		return take_other(walk, word);
	if (!run.importer || !run.importer->several || !holds_several(word))
		return hand_over(walk, &run, false);
	stored_run_done(&run);
	return take_several(walk, word);
}

int run_walk_usual(struct run_walk *walk)
{
	struct error err = { 0 };
	size_t before = walk->taken;
	int r = find_usual_runs(walk->output_prefix, take_found, walk, &err);

	if (r == 0 || r == -ENOENT || r == -ENOMEM || walk->taken > before)
		return r == -ENOENT ? 0 : r;
	tell(walk, err.text);
	return 0;
}
