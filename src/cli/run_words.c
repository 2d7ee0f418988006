/* SPDX-License-Identifier: MIT */
/* Finds the run of an id, and the last ones, among those in the usual place. */
#include "cli/run_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"

#define LAST "@last"
#define BACK_MAX 1000000

static const char *prefix_or_default(const char *output_prefix)
{
	return output_prefix ? output_prefix : RUN_PREFIX_DEFAULT;
}

/* Runs whose paths begin with a text. */
struct filter {
	const char *begin;
	found_each *each;
	void *context;
};

static int filtered(const struct found_run *found, void *context)
{
	const struct filter *f = context;

	if (strncmp(found->path, f->begin, strlen(f->begin)) != 0)
		return 0;
	return f->each(found, f->context);
}

int find_usual_runs(const char *output_prefix, found_each *each, void *context, struct error *err)
{
	const char *prefix = prefix_or_default(output_prefix);
	char *begin = strndup(prefix, strcspn(prefix, "{"));
	char *directory = begin ? strdup(begin) : NULL;
	char *slash = directory ? strrchr(directory, '/') : NULL;
	struct filter filter = { begin, each, context };
	struct stat st;
	int r = 0;

	if (!directory) {
		free(begin);
		return error_set(err, -ENOMEM, "cannot look for runs");
	}
	if (slash) {
		slash[slash == directory] = '\0';
	} else {
		free(directory);
		directory = strdup(".");
		filter.begin = "";
	}
	if (directory && stat(directory, &st) == 0)
		r = find_runs(directory, slash ? filtered : each,
			slash ? (void *) &filter : context, err);
	free(directory);
	free(begin);
	return r;
}

/* One that was found, by when its info file was written last. */
struct candidate {
	char *path;
	int64_t written_ns;
	uint64_t started_ns; /* 0: it was not opened yet, or does not say */
};

struct candidates {
	struct candidate *list;
	size_t n, room;
};

static int keep(const struct found_run *found, void *context)
{
	struct candidates *c = context;

	if (!found->st || !S_ISREG(found->st->st_mode))
		return 0;
	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		struct candidate *list = realloc(c->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		c->list = list;
		c->room = room;
	}
	char *path = strdup(found->path);
	if (!path)
		return -ENOMEM;
	c->list[c->n++] = (struct candidate){ .path = path,
		.written_ns = (int64_t) found->st->st_mtim.tv_sec * (int64_t) NSEC_PER_SEC +
			      found->st->st_mtim.tv_nsec };
	return 0;
}

static int later_written(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;

	return (x->written_ns < y->written_ns) - (x->written_ns > y->written_ns);
}

static int later_started(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;
	int by_start = (x->started_ns < y->started_ns) - (x->started_ns > y->started_ns);

	return by_start ? by_start : strcmp(y->path, x->path);
}

static uint64_t started_of(const char *path)
{
	struct stored_run run;
	uint64_t ns = 0;

	if (stored_run_open(path, &run, NULL) < 0)
		return 0;
	const char *text =
		json_string_value(json_object_get(json_object_get(run.info, "time"), "started"));
	/* Of what another tool kept no time for, it is known when it came here. */
	if (!text)
		text = json_string_value(
			json_object_get(json_object_get(run.info, "imported"), "time"));
	if (text && parse_rfc3339(text, &ns) < 0)
		ns = 0;
	stored_run_done(&run);
	return ns;
}

/* The path of the one that began `back` before the last; NULL. A run began before it was written, so that not all have to be opened. */
static const char *find_last(struct candidates *c, size_t back)
{
	size_t opened = 0;
	size_t known = 0;

	if (c->n > 0)
		qsort(c->list, c->n, sizeof(*c->list), later_written);
	for (; opened < c->n; opened++) {
		struct candidate one = c->list[opened];

		if (known > back && (int64_t) c->list[back].started_ns > one.written_ns)
			break;
		one.started_ns = started_of(one.path);
		c->list[opened].started_ns = one.started_ns;
		if (one.started_ns == 0)
			continue;
		/* Those that say when they began stand in front, the latest first. */
		memmove(c->list + known + 1, c->list + known, (opened - known) * sizeof(*c->list));
		c->list[known++] = one;
		qsort(c->list, known, sizeof(*c->list), later_started);
	}
	return known > back ? c->list[back].path : NULL;
}

static void done(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->list[i].path);
	free(c->list);
}

static int open_last(
	const char *word, const char *output_prefix, struct stored_run *ret, struct error *err)
{
	struct candidates c = { 0 };
	const char *rest = word + strlen(LAST);
	char *end = NULL;
	unsigned long back = *rest == '-' ? strtoul(rest + 1, &end, 10) : 0;
	int r;

	if (*rest && (*rest != '-' || rest[1] < '0' || rest[1] > '9' || *end || back > BACK_MAX))
		return error_say(err, -EINVAL, "'%.60s' is no run: " LAST ", " LAST "-1 ...", word);
	r = find_usual_runs(output_prefix, keep, &c, err);
	if (r == 0) {
		const char *path = find_last(&c, back);

		if (path)
			r = stored_run_open(path, ret, err);
		else
			r = error_say(err, -ENOENT, "%s: there are not that many runs in %.*s",
				word, (int) strcspn(prefix_or_default(output_prefix), "{"),
				prefix_or_default(output_prefix));
	} else if (r == -ENOMEM) {
		error_set(err, r, "cannot look for runs");
	}
	done(&c);
	return r;
}

static bool has_id(const struct stored_run *run, const char *word)
{
	const char *id = json_string_value(json_object_get(run->info, "id"));
	const char *name = json_string_value(json_object_get(run->info, "name"));

	return (id && strcmp(id, word) == 0) || (name && strcmp(name, word) == 0);
}

/* Of its id, or of the name it was given; several of one name: the last. */
static int open_named(
	const char *word, const char *output_prefix, struct stored_run *ret, struct error *err)
{
	struct candidates c = { 0 };
	int r = find_usual_runs(output_prefix, keep, &c, NULL);
	bool found = false;

	if (c.n > 0)
		qsort(c.list, c.n, sizeof(*c.list), later_written);
	/* Most ids stand in their paths. */
	for (int all = 0; r == 0 && !found && all <= 1; all++) {
		for (size_t i = 0; i < c.n && !found; i++) {
			if ((strstr(c.list[i].path, word) == NULL) != (all == 1) ||
				stored_run_open(c.list[i].path, ret, NULL) < 0)
				continue;
			found = has_id(ret, word);
			if (!found)
				stored_run_done(ret);
		}
	}
	done(&c);
	if (found)
		return 0;
	return error_say(err, -ENOENT,
		"%s: there is no such file, directory, prefix, id or name of a run", word);
}

int run_word_open(
	const char *word, const char *output_prefix, struct stored_run *ret, struct error *err)
{
	int r;

	if (strncmp(word, LAST, strlen(LAST)) == 0)
		return open_last(word, output_prefix, ret, err);
	r = stored_run_open(word, ret, err);
	if (r == -ENOENT && !strchr(word, '/'))
		return open_named(word, output_prefix, ret, err);
	return r;
}
