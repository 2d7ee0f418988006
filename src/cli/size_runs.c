/* SPDX-License-Identifier: MIT */
/* Opens runs, chooses by --where and --like, and takes the evidence of each once. */
#include "cli/size_runs.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/units.h"
#include "cli/log.h"
#include "cli/run_walk.h"
#include "cli/run_words.h"
#include "cli/verb.h"
#include "record/fields.h"
#include "record/foreign/cells.h"
#include "run/info_value.h"
#include "run/where.h"
#include "size/size_same.h"
#include "size/size_shape.h"

/* Where a run stands: one that several words lead to counts once. */
struct place {
	dev_t device;
	ino_t inode;
	size_t which;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x->which > y->which) - (x->which < y->which);
}

/* 1: it is new; 0: it was taken before; or -ENOMEM. */
static int note_place(struct size_runs *runs, const struct stored_run *run)
{
	struct place *place = malloc(sizeof(*place));
	struct place **found;
	struct stat st;

	if (!place)
		return -ENOMEM;
	if (stat(run->file, &st) < 0) {
		free(place);
		return 1;
	}
	*place = (struct place){ st.st_dev, st.st_ino, run->which };
	found = tsearch(place, &runs->seen, compare_places);
	if (!found || *found != place)
		free(place);
	if (!found)
		return -ENOMEM;
	return *found == place;
}

/* A run by what its copies have in common with it, and where it is in the list. */
struct known {
	uint64_t hash;
	size_t at;
	bool done; /* no copy can tell more of it */
};

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a;
	const struct known *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* The run of that identity, which is new where its place is behind the last; NULL: memory ran out. */
static struct known *known_of(struct size_runs *runs, const struct stored_run *run)
{
	struct known *known = malloc(sizeof(*known));
	struct known **found = NULL;

	if (!known)
		return NULL;
	*known = (struct known){ .at = runs->n, .done = run->state == STORED_DONE };
	if (size_same_hash(run->info, &known->hash) == 0)
		found = tsearch(known, &runs->known, compare_known);
	if (!found || *found != known)
		free(known);
	return found ? *found : NULL;
}

/* NULL: its command is not known, or memory ran out (*ret_failed). */
static char *shape_of(const struct stored_run *run, bool *ret_failed)
{
	const json_t *words = info_member(run->info, "command", "argv");
	size_t n = json_array_size(words);
	char **argv = calloc(n + 1, sizeof(*argv));
	char *shape = NULL;

	*ret_failed = !argv;
	for (size_t i = 0; argv && i < n; i++) {
		const char *word = json_string_value(json_array_get(words, i));

		/* Only read: the words are those of the JSON. */
		memcpy(&argv[i], &word, sizeof(word));
		if (!word)
			n = 0;
	}
	if (argv && n > 0) {
		shape = size_shape_of(argv, n);
		*ret_failed = !shape;
	} else if (argv && info_text(run->info, "command", "text")) {
		shape = size_shape_of_text(info_text(run->info, "command", "text"));
		*ret_failed = !shape;
	}
	free(argv);
	if (shape && !shape[0]) {
		free(shape);
		shape = NULL;
	}
	/* A name that was given to a run of assay's own is one to find it by, and no other job. */
	if (!*ret_failed && json_object_get(run->info, "imported") &&
		info_text(run->info, "name", NULL)) {
		shape = size_shape_with_job(shape, info_text(run->info, "name", NULL));
		*ret_failed = !shape;
	}
	return shape;
}

static double written_at(const struct stat *st)
{
	return (double) st->st_mtim.tv_sec + (double) st->st_mtim.tv_nsec / 1e9;
}

/* Adds up the files that the command names, as they are now; those that were written to since it began are its outputs, or not what it read. */
static double bytes_of_inputs(const struct stored_run *run)
{
	const char *stamp = info_text(run->info, "time", "started");
	double began = (double) INFINITY;
	bool zoned = false;
	const json_t *words = info_member(run->info, "command", "argv");
	const char *directory = info_text(run->info, "working_directory", NULL);
	double sum = 0;

	if (stamp && (!stamp_read(stamp, &began, &zoned) || !zoned))
		began = (double) INFINITY;
	for (size_t i = 1; i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));
		const char *value = word ? strchr(word, '=') : NULL;
		char path[PATH_MAX];
		struct stat st;

		if (!word)
			continue;
		word = word[0] == '-' && value ? value + 1 : word;
		if (word[0] == '/' || !directory)
			snprintf(path, sizeof(path), "%s", word);
		else
			snprintf(path, sizeof(path), "%s/%s", directory, word);
		if (word[0] && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
			written_at(&st) < began)
			sum += (double) st.st_size;
	}
	return sum > 0 ? sum : (double) NAN;
}

/* NAN: it is none, or one with which a line through the runs would lose its digits. */
static double number_of(const struct field *field)
{
	uint64_t bytes = 0;
	double number = (double) NAN;

	if (field->type == FIELD_INTEGER || field->type == FIELD_REAL)
		number = field->number;
	else if (field->type == FIELD_TEXT && !number_is(field->text, &number) &&
		 parse_size(field->text, &bytes, NULL) == 0)
		number = (double) bytes;
	return number >= SIZE_BY_LEAST && number <= SIZE_BY_MOST ? number : (double) NAN;
}

static void note_foreign(struct size_runs *runs, const struct field *field)
{
	char number[32];

	if (runs->foreign++ > 0)
		return;
	snprintf(number, sizeof(number), "%.9g", field->number);
	snprintf(runs->first_foreign, sizeof(runs->first_foreign), "%s",
		field->text ? field->text : number);
}

static double covariate_of(struct size_runs *runs, const struct stored_run *run)
{
	bool inputs = strcmp(runs->by, "input_bytes") == 0;
	struct field field = run_field(run, inputs ? "tags.input_bytes" : runs->by);
	bool is_there = field.type != FIELD_ABSENT;
	double value = number_of(&field);

	if (is_there && isnan(value))
		note_foreign(runs, &field);
	field_done(&field);
	return inputs && !is_there ? bytes_of_inputs(run) : value;
}

static struct field look_up(const char *name, size_t which, void *context)
{
	(void) which;
	const struct stored_run *const *run = context;

	return run_field(*run, name);
}

static bool is_meant(const struct size_runs *runs, const struct stored_run *run, const char *shape)
{
	for (size_t i = 0; i < runs->n_wheres; i++)
		if (where_judge(runs->wheres[i], look_up, &run) != WHERE_TRUE)
			return false;
	return !runs->like || (shape && strcmp(shape, runs->like) == 0);
}

/* Twice as many each time there is no room: when the number is a power of two. */
static int make_room(struct size_runs *runs)
{
	struct size_run *more;

	if ((runs->n & (runs->n - 1)) != 0)
		return 0;
	more = realloc(runs->runs, (runs->n ? runs->n * 2 : 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	runs->runs = more;
	return 0;
}

static int keep(struct size_runs *runs, const struct stored_run *run, size_t at, char **shape)
{
	struct size_run *more;
	struct size_run taken;
	struct error trouble = { 0 };

	if (at == runs->n && make_room(runs) < 0)
		return -ENOMEM;
	if (size_run_take(run, &taken, &trouble) < 0)
		return -ENOMEM;
	more = &runs->runs[at];
	if (at < runs->n)
		size_run_done(more);
	else
		runs->n++;
	*more = taken;
	more->shape = *shape;
	*shape = NULL;
	if (runs->by)
		more->covariate = covariate_of(runs, run);
	if (trouble.code < 0) {
		if (runs->damaged < SIZE_DAMAGED_NAMED)
			complain("%s", trouble.text);
		runs->damaged++;
		runs->failed = true;
	}
	return 0;
}

/* Of copies of one run that counts which was written when it was over, else the first. */
static int keep_once(struct size_runs *runs, const struct stored_run *run, char **shape)
{
	struct known *known = known_of(runs, run);
	bool is_new = known && known->at == runs->n;

	if (!known)
		return -ENOMEM;
	runs->copies += !is_new;
	if (!is_new && (known->done || run->state != STORED_DONE))
		return 0;
	known->done = run->state == STORED_DONE;
	return keep(runs, run, known->at, shape);
}

static int take(const struct stored_run *run, bool several, void *context)
{
	struct size_runs *runs = context;
	bool failed;
	bool waits;
	char *shape;
	int r = note_place(runs, run);

	(void) several;
	if (r <= 0)
		return r;
	shape = shape_of(run, &failed);
	r = failed ? -ENOMEM : 0;
	waits = size_never_began(run->info);
	runs->looked_at += !waits;
	if (r == 0 && is_meant(runs, run, shape)) {
		runs->waiting += waits;
		r = waits ? 0 : keep_once(runs, run, &shape);
	}
	free(shape);
	return r;
}

int size_runs_like(struct size_runs *runs, const char *word, struct error *err)
{
	struct stored_run run;
	bool failed;
	int r = run_word_open(word, runs->output_prefix, LOG_WARNING, &run, err);

	if (r < 0)
		return r;
	runs->like = shape_of(&run, &failed);
	stored_run_done(&run);
	if (failed)
		return error_say(err, -ENOMEM, "there is not enough memory");
	return runs->like ? 0 : error_say(err, -EINVAL, "%.200s: its command is not known", word);
}

int size_runs_find(struct size_runs *runs, char **words)
{
	struct run_walk walk = {
		.output_prefix = runs->output_prefix, .take = take, .context = runs
	};
	int r = words[0] ? 0 : run_walk_usual(&walk);

	for (; *words && r == 0; words++)
		r = run_walk_word(&walk, *words);
	runs->failed = runs->failed || walk.unreadable > 0;
	return r;
}

void size_runs_done(struct size_runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		size_run_done(&runs->runs[i]);
	free(runs->runs);
	free(runs->like);
	for (size_t i = 0; i < runs->n_wheres; i++)
		where_free(runs->wheres[i]);
	free(runs->wheres);
	tdestroy(runs->seen, free);
	tdestroy(runs->known, free);
	*runs = (struct size_runs){ 0 };
}
