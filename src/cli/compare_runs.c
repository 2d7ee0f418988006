/* SPDX-License-Identifier: MIT */
/* Opens the runs that words stand for, one after the other, and takes each into its group. */
#include "cli/compare_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/run_words.h"
#include "cli/verb.h"

#define GROUPS_MAX 26

/* A run by its file, and the group of the word that it was named by. */
struct entry {
	char *file;
	size_t which;
	size_t group;
};

struct entries {
	struct compare_runs *runs;
	struct entry *list;
	size_t n, room;
	size_t group; /* of the word */
};

static int add_entry(struct entries *e, const char *file, size_t which)
{
	if (e->n == e->room) {
		size_t room = e->room ? 2 * e->room : 64;
		struct entry *list = realloc(e->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		e->list = list;
		e->room = room;
	}
	char *copy = strdup(file);
	if (!copy)
		return -ENOMEM;
	e->list[e->n++] = (struct entry){ copy, which, e->group };
	return 0;
}

static void entries_done(struct entries *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->list[i].file);
	free(e->list);
}

static int add_found(const struct found_run *found, void *context)
{
	struct entries *e = context;

	if (found->code < 0) {
		complain("%s: %s", found->path, strerror(-found->code));
		e->runs->unreadable++;
		return 0;
	}
	return add_entry(e, found->path, 0);
}

static bool is_directory(const char *word)
{
	struct stat st;

	return stat(word, &st) == 0 && S_ISDIR(st.st_mode);
}

/* All runs of the file that the word stands for: some of other tools hold several. */
static int add_file(struct entries *e, const struct stored_run *run)
{
	int64_t n = run->importer ? stored_run_count(run->file, NULL) : 1;
	int r = 0;

	for (int64_t i = 0; r == 0 && i < (n > 0 ? n : 1); i++)
		r = add_entry(e, run->file, (size_t) i);
	return r;
}

static int add_word(struct entries *e, const char *word)
{
	struct stored_run run;
	struct error err = { 0 };
	size_t before = e->n;
	int r = run_word_open(word, e->runs->output_prefix, &run, &err);

	if (r == 0) {
		r = add_file(e, &run);
		stored_run_done(&run);
		return r;
	}
	/* A directory that is no run may be one of runs. */
	if (is_directory(word)) {
		r = find_runs(word, add_found, e, &err);
		if (r == 0 && e->n > before)
			return 0;
	}
	if (r == -ENOMEM)
		return r;
	complain("%s", err.text);
	e->runs->unreadable++;
	return 0;
}

static size_t count_words(char **words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

static bool has_separator(char **words)
{
	for (; *words; words++)
		if (strcmp(*words, "--") == 0)
			return true;
	return false;
}

/* Two words are A and B; of more, "--" says where the next group begins. */
static int add_words(struct entries *e, char **words)
{
	bool separated = has_separator(words);
	bool two = !separated && !e->runs->by && count_words(words) == 2;
	int r = 0;

	for (size_t i = 0; r == 0 && words[i]; i++) {
		if (strcmp(words[i], "--") == 0)
			e->group++;
		else
			r = add_word(e, words[i]);
		e->group += two;
	}
	return r;
}

static void set_label(const struct compare_runs *runs, const struct entry *entry,
	const struct stored_run *run, struct buf *out)
{
	struct field field;

	if (!runs->by) {
		buf_add_char(out, (char) ('A' + entry->group));
		return;
	}
	field = run_field(run, runs->by);
	if (field.type == FIELD_ABSENT)
		buf_addf(out, "(no %s)", runs->by);
	else
		field_text(runs->by, &field, out);
	field_done(&field);
}

/* How many runs were named for the group: one that is alone is shown however it ended. */
static size_t count_group(const struct entries *e, size_t group)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += e->list[i].group == group;
	return n;
}

static int take(struct entries *e, const struct entry *entry, struct compare *c)
{
	struct compare_runs *runs = e->runs;
	struct stored_run run;
	struct error err = { 0 };
	struct buf label = { 0 };
	int r = stored_run_open_which(entry->file, entry->which, &run, &err);

	if (r < 0) {
		complain("%s", err.text);
		runs->unreadable++;
		return r == -ENOMEM ? r : 0;
	}
	set_label(runs, entry, &run, &label);
	if (label.failed || !label.data) {
		r = -ENOMEM;
	} else {
		size_t group = compare_group(c, label.data);
		bool unfit = !runs->all_outcomes && compare_outcome(&run) != OUTCOME_FINE;
		bool alone = !runs->by && count_group(e, entry->group) == 1;

		r = c->failed ? -ENOMEM
			      : compare_take(c, group, &run, &runs->wish, unfit && !alone);
		if (r == 0)
			c->groups[group].unfit = unfit && alone;
	}
	buf_done(&label);
	stored_run_done(&run);
	return r;
}

int compare_runs(struct compare_runs *runs, char **words, struct compare *c)
{
	struct entries e = { .runs = runs };
	int r = add_words(&e, words);

	if (r == 0 && e.group >= GROUPS_MAX && !runs->by) {
		complain("no more than %d groups are compared", GROUPS_MAX);
		entries_done(&e);
		return -EINVAL;
	}
	for (size_t i = 0; r == 0 && i < e.n; i++)
		r = take(&e, &e.list[i], c);
	entries_done(&e);
	if (r == -ENOMEM)
		complain("there is not enough memory");
	return r;
}
