/* SPDX-License-Identifier: MIT */
/* Opens the runs that words stand for, and keeps them. */
#include "cli/run_list.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/log.h"
#include "cli/run_words.h"
#include "cli/verb.h"

/* `which` of a file that holds several; SIZE_MAX: the one that the word stands for. */
static int open_one(struct run_list *list, const char *word, const char *prefix, size_t which)
{
	struct error err = { 0 };
	struct stored_run *runs = realloc(list->runs, (list->n + 1) * sizeof(*runs));
	int r;

	if (!runs)
		return -ENOMEM;
	list->runs = runs;
	r = which != SIZE_MAX ? stored_run_open_which(word, which, &runs[list->n], &err)
			      : run_word_open(word, prefix, LOG_WARNING, &runs[list->n], &err);
	if (r < 0) {
		complain("%s", err.text);
		list->failed = true;
		return 0;
	}
	list->n++;
	return 0;
}

/* A file of another tool may hold several runs. */
static int open_word(struct run_list *list, const char *word, const char *prefix)
{
	int64_t n = access(word, F_OK) == 0 ? stored_run_count(word, NULL) : 1;
	int r = 0;

	n = n > 1 ? n : 1;
	if (n > (int64_t) (PICTURE_RUNS_MAX - list->n)) {
		if (list->n_left_out == 0)
			list->first_left_out = word;
		list->n_left_out += (uint64_t) n;
		list->failed = true;
		return 0;
	}
	for (int64_t i = 0; i < n && r == 0; i++)
		r = open_one(list, word, prefix, n > 1 ? (size_t) i : SIZE_MAX);
	return r;
}

int run_list_open(struct run_list *list, char **words, const char *output_prefix, const char *what)
{
	static char last[] = "@last";
	static char *usual[] = { last, NULL };
	int r = 0;

	for (char **word = words[0] ? words : usual; *word && r == 0; word++)
		r = open_word(list, *word, output_prefix);
	if (r < 0) {
		complain("cannot read the runs: not enough memory");
		return EXIT_TROUBLE;
	}
	if (list->n_left_out > 0)
		complain("a %s is of at most %d runs: %llu %s left out, the first is of %s", what,
			PICTURE_RUNS_MAX, (unsigned long long) list->n_left_out,
			list->n_left_out == 1 ? "is" : "are", list->first_left_out);
	for (size_t i = 0; i < list->n; i++)
		list->views[i] = &list->runs[i];
	if (list->n > 0)
		return 0;
	return words[0] && words[1] ? EXIT_TROUBLE : EXIT_USAGE;
}

/* A recorder that goes on may be just writing it. */
static void tell_of_torn(const struct picture_run *run)
{
	if (run->torn && !run->trouble && run->stored->state != STORED_RUNNING)
		complain("%s: its last line is not whole and is left out",
			run->stored->series ? run->stored->series : run->stored->file);
}

static bool tell_of_missing(const struct picture_run *run)
{
	if (run->missing == 0)
		return false;
	if (run->stored->series)
		complain("%s: %zu window%s missing in it", run->stored->series, run->missing,
			run->missing == 1 ? " is" : "s are");
	else
		complain("%susage.jsonl is not there: %zu window%s missing", run->stored->prefix,
			run->missing, run->missing == 1 ? " is" : "s are");
	return true;
}

bool run_list_tell(const struct picture *picture, bool with_damaged)
{
	bool any = false;

	for (size_t i = 0; i < picture->n_runs; i++) {
		const struct picture_run *run = &picture->runs[i];

		if (run->trouble)
			complain("%s", run->trouble);
		else if (with_damaged && run->damaged > 0)
			complain("%s: %zu line%s could not be read and %s left out",
				run->stored->series ? run->stored->series : run->stored->file,
				run->damaged, run->damaged == 1 ? "" : "s",
				run->damaged == 1 ? "is" : "are");
		tell_of_torn(run);
		any = (with_damaged && tell_of_missing(run)) || any || run->trouble ||
		      (with_damaged && run->damaged > 0);
	}
	return any;
}

void run_list_done(struct run_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		stored_run_done(&list->runs[i]);
	free(list->runs);
	*list = (struct run_list){ 0 };
}
