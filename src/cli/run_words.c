/* SPDX-License-Identifier: MIT */
/* Finds the run of an id, and the last ones, among those in the usual place. */
#include "cli/run_words.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd_read.h"
#include "cli/sources.h"
#include "cli/verb.h"

#define LAST "@last"
#define BACK_MAX 1000000
#define END_LEAST 4 /* characters of an end of an id, where that is no part of it */
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_"

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

/* Whether somebody said where to look. */
static bool place_is_said;

const char *runs_prefix(const struct verb *verb, const struct option_values *values)
{
	const struct option_value *value = verb_value(verb, values, "output-prefix");

	place_is_said = value->text && value->rank == RANK_COMMAND_LINE;
	return value->text;
}

/* Whether all that is found by the one text, at the beginning of paths, is found by the other. */
static bool holds(const char *place, const char *other)
{
	size_t n = strcspn(place, "{");

	/* Without a directory it is ours, and all below it. */
	return n > 0 ? strncmp(place, other, n) == 0 : other[0] != '/';
}

void run_places_find(struct run_places *ret, const char *output_prefix)
{
	const char *prefix = prefix_or_default(output_prefix);
	char *beside = place_is_said ? NULL : sources_duct_prefix();

	*ret = (struct run_places){ .prefixes = { prefix }, .n = 1, .owned = beside };
	if (!beside || holds(prefix, beside))
		return;
	/* One without any directory stands for files in ours. */
	if (strchr(beside, '/') && holds(beside, prefix))
		ret->prefixes[0] = beside;
	else
		ret->prefixes[ret->n++] = beside;
}

void run_places_done(struct run_places *places)
{
	free(places->owned);
}

int find_usual_runs(const char *output_prefix, found_each *each, void *context, struct error *err)
{
	struct run_places places;
	int r = 0;

	run_places_find(&places, output_prefix);
	for (size_t i = 0; r == 0 && i < places.n; i++)
		r = i == 0 ? find_runs_of_prefix(places.prefixes[i], each, context, err)
			   : find_runs_beside(places.prefixes[i], each, context, err);
	run_places_done(&places);
	return r;
}

/* As con-duct looks for its logs: files of that beginning in our directory, and nothing below it. */
static int find_files_here(const char *begin, found_each *each, void *context)
{
	DIR *d = opendir(".");
	const struct dirent *entry;
	int r = 0;

	while (d && r == 0 && (entry = readdir(d))) {
		struct stat st;
		const struct found_run found = { .path = entry->d_name, .st = &st };

		if (strncmp(entry->d_name, begin, strlen(begin)) == 0 &&
			run_name_is(entry->d_name, RUN_NAME_INFO) &&
			stat(entry->d_name, &st) == 0 && S_ISREG(st.st_mode))
			r = each(&found, context);
	}
	if (d)
		closedir(d);
	return r;
}

int find_runs_beside(const char *prefix, found_each *each, void *context, struct error *err)
{
	char *begin;
	int r;

	if (strchr(prefix, '/'))
		return find_runs_of_prefix(prefix, each, context, err);
	begin = strndup(prefix, strcspn(prefix, "{"));
	if (!begin)
		return error_set(err, -ENOMEM, "cannot look for runs");
	r = find_files_here(begin, each, context);
	free(begin);
	return r;
}

int find_runs_of_prefix(
	const char *output_prefix, found_each *each, void *context, struct error *err)
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

enum match { MATCH_NONE, MATCH_END, MATCH_NAME, MATCH_ID };

/* One that was found, by when its info file was written last. */
struct candidate {
	char *path;
	char *id; /* NULL: it was not opened yet, or has none */
	enum match match; /* with what is looked for */
	int64_t written_ns;
	uint64_t started_ns; /* 0: it was not opened yet, or does not say */
};

struct candidates {
	struct candidate *list;
	size_t n, room;
	size_t matching; /* the first so many are what is looked for */
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

/* Of files of one run, which began at once, that of the job has the shortest name: the others have their target's before it. */
static int later_started(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;
	int by_start = (x->started_ns < y->started_ns) - (x->started_ns > y->started_ns);
	size_t n = strlen(x->path);
	size_t m = strlen(y->path);

	if (by_start)
		return by_start;
	return n == m ? strcmp(y->path, x->path) : (n > m) - (n < m);
}

static uint64_t started_of(const struct stored_run *run)
{
	const json_t *info = run->info;
	uint64_t ns = 0;
	const char *text =
		json_string_value(json_object_get(json_object_get(info, "time"), "started"));

	/* Of what another tool kept no time for, it is known when it came here. */
	if (!text)
		text = json_string_value(
			json_object_get(json_object_get(info, "imported"), "time"));
	if (text && parse_rfc3339(text, &ns) < 0)
		ns = 0;
	return ns;
}

/* A run may have a file for each of its targets: they have its id and began at once. */
static bool is_same_run(const struct candidate *a, const struct candidate *b)
{
	return a->started_ns == b->started_ns && a->id && b->id && strcmp(a->id, b->id) == 0;
}

static int learn(struct candidate *one)
{
	struct stored_run run;

	if (stored_run_open(one->path, &run, NULL) < 0)
		return 0;
	const char *id = json_string_value(json_object_get(run.info, "id"));
	one->started_ns = started_of(&run);
	one->id = id ? strdup(id) : NULL;
	stored_run_done(&run);
	return id && !one->id ? -ENOMEM : 0;
}

/* Sorts the first n, of which each run is left once; the number that is left. */
static size_t latest_first(struct candidate *list, size_t n)
{
	size_t left = 0;

	if (n > 0)
		qsort(list, n, sizeof(*list), later_started);
	for (size_t i = 0; i < n; i++) {
		struct candidate one = list[i];

		if (left > 0 && is_same_run(&list[left - 1], &one))
			continue;
		list[i] = list[left];
		list[left++] = one;
	}
	return left;
}

/* The path of the one that began `back` before the last; NULL. A run began before it was written, so that not all have to be opened. */
static const char *find_last(struct candidates *c, size_t back)
{
	size_t known = 0;

	struct candidate *list = c->list;

	if (!list || c->n == 0)
		return NULL;
	qsort(list, c->n, sizeof(*list), later_written);
	for (size_t opened = 0; opened < c->n; opened++) {
		struct candidate one = list[opened];

		if (known > back && (int64_t) list[back].started_ns > one.written_ns)
			break;
		if (learn(&one) < 0)
			return NULL;
		list[opened] = one;
		if (one.started_ns == 0)
			continue;
		/* Those that say when they began stand in front, the latest first. */
		list[opened] = list[known];
		list[known] = one;
		known = latest_first(list, known + 1);
	}
	return known > back ? list[back].path : NULL;
}

static void done(struct candidates *c)
{
	for (size_t i = 0; c->list && i < c->n; i++) {
		free(c->list[i].path);
		free(c->list[i].id);
	}
	free(c->list);
}

/* Whether there is a directory for such files; one without any stands for files in ours, and says nothing. */
static bool is_there(const char *prefix)
{
	char *directory = strndup(prefix, strcspn(prefix, "{"));
	char *slash = directory ? strrchr(directory, '/') : NULL;
	bool found;

	if (slash)
		slash[slash == directory] = '\0';
	found = slash && access(directory, F_OK) == 0;
	free(directory);
	return found;
}

static int too_few(const char *word, const char *output_prefix, struct error *err)
{
	struct run_places places;
	int r;

	run_places_find(&places, output_prefix);
	const char *first = places.prefixes[0];
	const char *second = places.n > 1 && is_there(places.prefixes[1]) ? places.prefixes[1] : "";
	r = error_say(err, -ENOENT, "%s: there are not that many runs in %.*s%s%.*s", word,
		(int) strcspn(first, "{"), first, *second ? " and " : "",
		(int) strcspn(second, "{"), second);
	run_places_done(&places);
	return r;
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
			r = too_few(word, output_prefix, err);
	} else if (r == -ENOMEM) {
		error_set(err, r, "cannot look for runs");
	}
	done(&c);
	return r;
}

/* An end that a narrow table shows of an id, "...17-12221", or its last part, the number of the process. */
static bool ends_id(const char *id, const char *word)
{
	size_t n = strlen(id);
	size_t length;

	while (*word == '.')
		word++;
	length = strlen(word);
	if (length == 0 || length >= n || strcmp(id + n - length, word) != 0)
		return false;
	return length >= END_LEAST || id[n - length - 1] == '-';
}

static enum match match_of(const struct stored_run *run, const char *word)
{
	const char *id = json_string_value(json_object_get(run->info, "id"));
	const char *name = json_string_value(json_object_get(run->info, "name"));

	if (id && strcmp(id, word) == 0)
		return MATCH_ID;
	if (name && strcmp(name, word) == 0)
		return MATCH_NAME;
	return id && ends_id(id, word) ? MATCH_END : MATCH_NONE;
}

/* Whether the file may hold the word, as JSON has it: most need not be parsed. */
static bool may_hold(const char *path, const char *word)
{
	struct buf text = { 0 };
	bool holds = true;
	int fd;

	while (*word == '.')
		word++;
	/* other characters may be escaped */
	if (word[strspn(word, PLAIN)])
		return true;
	fd = fd_open_regular(path, NULL);
	if (fd < 0)
		return true;
	if (fd_read_all(fd, STORED_INFO_MAX, &text) == 0)
		holds = memmem(text.data, text.len, word, strlen(word)) != NULL;
	close(fd);
	buf_done(&text);
	return holds;
}

/* Leaves those that match best, each run once, the latest first. */
static int leave_matching(struct candidates *c, const char *word)
{
	enum match best = MATCH_NONE;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct candidate *one = &c->list[i];
		struct stored_run run;

		if (!may_hold(one->path, word) || stored_run_open(one->path, &run, NULL) < 0)
			continue;
		one->match = match_of(&run, word);
		stored_run_done(&run);
		if (one->match > best)
			best = one->match;
	}
	for (size_t i = 0; best != MATCH_NONE && i < c->n; i++) {
		struct candidate one = c->list[i];

		if (one.match != best)
			continue;
		if (learn(&one) < 0)
			return -ENOMEM;
		c->list[i] = c->list[n];
		c->list[n++] = one;
	}
	c->matching = latest_first(c->list, n);
	return 0;
}

/* What a word means that several runs answer to: the last of one id or name; an end has to be that of one. */
static int choose(
	const struct candidates *c, const char *word, enum log_level level, struct error *err)
{
	enum match match = c->list[0].match;

	if (c->matching == 1)
		return 0;
	if (match == MATCH_END)
		return error_say(err, -EINVAL, "%s: the ids of %zu runs end so: %s, %s%s", word,
			c->matching, c->list[0].id, c->list[1].id, c->matching > 2 ? " ..." : "");
	if (level >= LOG_WARNING)
		complain("%zu runs %s %s: this is the one that began last", c->matching,
			match == MATCH_ID ? "have the id" : "are called", word);
	return 0;
}

/* Of its id, of the name it was given, or of the end of an id. */
static int open_named(const char *word, const char *output_prefix, enum log_level level,
	struct stored_run *ret, struct error *err)
{
	struct candidates c = { 0 };
	int r = find_usual_runs(output_prefix, keep, &c, NULL);

	if (r == 0)
		r = leave_matching(&c, word);
	if (r == -ENOMEM)
		r = error_set(err, r, "cannot look for runs");
	else if (r < 0 || c.matching == 0)
		r = error_say(err, -ENOENT,
			"%s: there is no such file, directory, prefix, id or name of a run", word);
	else
		r = choose(&c, word, level, err);
	if (r == 0 && c.list)
		r = stored_run_open(c.list[0].path, ret, err);
	done(&c);
	return r;
}

bool run_word_is_last(const char *word)
{
	return strncmp(word, LAST, strlen(LAST)) == 0;
}

int run_word_open(const char *word, const char *output_prefix, enum log_level level,
	struct stored_run *ret, struct error *err)
{
	int r;

	if (run_word_is_last(word))
		return open_last(word, output_prefix, ret, err);
	r = stored_run_open(word, ret, err);
	if (r == -ENOENT && !strchr(word, '/'))
		return open_named(word, output_prefix, level, ret, err);
	return r;
}
