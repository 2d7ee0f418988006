/* SPDX-License-Identifier: MIT */
/* Opens the runs that words stand for, one after the other, and takes each into its group. */
#include "cli/compare_runs.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/run_walk.h"
#include "cli/verb.h"

#define GROUPS_MAX 26

/* Runs on their way into groups. */
struct taking {
	struct run_walk walk;
	struct compare_runs *runs;
	struct compare *c;
	size_t group; /* of the word, where they are not grouped by a field */
	bool alone; /* the word is the only one of its group */
};

static void set_label(const struct taking *t, const struct stored_run *run, struct buf *out)
{
	const char *by = t->runs->by;
	struct field field;

	if (!by) {
		buf_add_char(out, (char) ('A' + t->group));
		return;
	}
	field = run_field(run, by);
	if (field.type == FIELD_ABSENT)
		buf_addf(out, "(no %s)", by);
	else
		field_text(by, &field, out);
	field_done(&field);
}

/* One that is all of its group is shown however it ended. */
static int take(const struct stored_run *run, bool several, void *context)
{
	const struct taking *t = context;
	bool alone = t->alone && !several && !t->runs->by;
	bool unfit = !t->runs->all_outcomes && compare_outcome(run) != OUTCOME_FINE;
	struct buf label = { 0 };
	int r = -ENOMEM;

	asked_names_look(&t->runs->asked, run);
	set_label(t, run, &label);
	/* A field may hold an empty text. */
	buf_add_text(&label, "");
	if (!label.failed && !t->runs->asked.failed) {
		size_t group = compare_group(t->c, label.data ? label.data : "");

		if (!t->c->failed)
			r = compare_take(t->c, group, run, &t->runs->wish, unfit && !alone);
		if (r == 0)
			t->c->groups[group].unfit = unfit && alone;
	}
	buf_done(&label);
	return r;
}

/* Where runs stand by their words, their group has lost them. */
static int count_unreadable(struct taking *t, size_t n)
{
	char label[] = { (char) ('A' + t->group), '\0' };
	size_t group;

	if (t->runs->by || n == 0)
		return 0;
	group = compare_group(t->c, label);
	if (t->c->failed)
		return -ENOMEM;
	t->c->groups[group].unreadable += n;
	return 0;
}

static int take_word(struct taking *t, const char *word)
{
	size_t before = t->walk.unreadable;
	int r = run_walk_word(&t->walk, word);

	t->runs->unreadable = t->walk.unreadable;
	return r == 0 ? count_unreadable(t, t->walk.unreadable - before) : r;
}

static void say_again(const struct compare_again *again, const char *one, const char *several)
{
	if (again->n == 1)
		complain("%s: %s", again->first, one);
	else if (again->n > 1)
		complain("%s and %zu more: %s", again->first, again->n - 1, several);
}

static bool is_separator(const char *word)
{
	return strcmp(word, "--") == 0;
}

/* The words up to the next "--". */
static size_t count_group(char **words)
{
	size_t n = 0;

	while (words[n] && !is_separator(words[n]))
		n++;
	return n;
}

static int take_words(struct taking *t, char **words)
{
	size_t in_group = count_group(words);
	/* Two words are A and B; of more, "--" says where the next group begins. */
	bool two = !t->runs->by && in_group == 2 && !words[2];
	int r = 0;

	for (size_t i = 0; r == 0 && words[i]; i++) {
		if (is_separator(words[i])) {
			t->group++;
			in_group = count_group(words + i + 1);
			continue;
		}
		t->alone = two || in_group == 1;
		r = take_word(t, words[i]);
		t->group += two;
	}
	return r;
}

static size_t count_separators(char **words)
{
	size_t n = 0;

	for (; *words; words++)
		n += is_separator(*words);
	return n;
}

int compare_runs(struct compare_runs *runs, char **words, struct compare *c)
{
	struct taking t = { .runs = runs, .c = c };
	int r;

	if (count_separators(words) >= GROUPS_MAX) {
		complain("no more than %d groups are compared", GROUPS_MAX);
		return -EINVAL;
	}
	/* Most are runs of ours that are done. */
	t.walk = (struct run_walk){ .output_prefix = runs->output_prefix,
		.brief = !(runs->by && field_is_apart(runs->by)),
		.take = take,
		.context = &t };
	r = take_words(&t, words);
	if (r == 0) {
		runs->unknown = asked_names_warn(&runs->asked);
		say_again(&c->repeated, "the same run was named twice; it counts once",
			"the same runs were named several times; each counts once");
		say_again(&c->shared,
			"the same run is in several groups, which are not independent then",
			"the same runs are in several groups, which are not independent then");
	}
	if (r == -ENOMEM)
		complain("there is not enough memory");
	return r;
}
