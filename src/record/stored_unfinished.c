/* SPDX-License-Identifier: MIT */
/* Makes the headline of a run that is not done out of the windows that are there. */
#include "record/stored_unfinished.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_read.h"
#include "base/macros.h"
#include "model/value.h"
#include "record/json_walk.h"
#include "record/stored_run.h"

/* A series is read whole up to here; of a longer one, the end. */
#define WHOLE_MAX ((off_t) 8 * 1024 * 1024)
#define TAIL_SIZE ((size_t) 2 * 1024 * 1024)

/* What a window says of a quantity, by the member of its value that says it. */
static const struct {
	const char *quantity, *name, *member;
} quantities[] = {
	/* clang-format off */
	{ "wall", "wall_seconds", "last" },
	{ "cpu", "cpu_seconds", "last" },
	{ "memory_peak", "memory_peak_bytes", "max" },
	{ "io_read", "io_read_bytes", "last" },
	{ "io_write", "io_write_bytes", "last" },
	{ "io_read_syscall", "io_read_syscall_bytes", "last" },
	{ "io_write_syscall", "io_write_syscall_bytes", "last" },
	{ "processes", "processes", "last" },
	/* clang-format on */
};

struct found {
	json_t *kept; /* the number */
	const char *key; /* borrowed from the rows */
};

struct unfinished {
	const json_t *rows; /* "measurements" */
	struct found found[ARRAY_SIZE(quantities)];
};

/* Only what the true value is not below. */
static bool is_a_bound(const json_t *value)
{
	const char *quality = json_string_value(json_object_get(value, "quality"));

	return quality && (strcmp(quality, quality_name(EXACT)) == 0 ||
				  strcmp(quality, quality_name(SAMPLED)) == 0 ||
				  strcmp(quality, quality_name(LOWER_BOUND)) == 0);
}

static void take_value(struct found *f, const char *key, const json_t *value, const char *member)
{
	json_t *n = json_object_get(value, member);

	if (!json_is_number(n) || !is_a_bound(value))
		return;
	if (f->kept && json_number_value(f->kept) >= json_number_value(n))
		return;
	json_decref(f->kept);
	f->kept = json_incref(n);
	f->key = key;
}

static int take_window(const json_t *window, void *context)
{
	struct unfinished *u = context;
	const json_t *values = json_object_get(window, "values");
	size_t row_index;
	json_t *row;

	json_array_foreach(json_walk(u->rows), row_index, row)
	{
		const char *quantity = json_string_value(json_object_get(row, "quantity"));
		const char *key = json_string_value(json_object_get(row, "key"));
		const json_t *value = key ? json_object_get(values, key) : NULL;

		for (size_t i = 0; quantity && value && i < ARRAY_SIZE(quantities); i++)
			if (strcmp(quantities[i].quantity, quantity) == 0)
				take_value(&u->found[i], key, value, quantities[i].member);
	}
	return 0;
}

/* The last line that is a window. */
static void take_tail(struct unfinished *u, int fd, off_t size)
{
	char *tail = malloc(TAIL_SIZE + 1);
	ssize_t n = tail ? pread(fd, tail, TAIL_SIZE,
				   size > (off_t) TAIL_SIZE ? size - (off_t) TAIL_SIZE : 0)
			 : -1;
	char *end = n > 0 ? memrchr(tail, '\n', (size_t) n) : NULL;
	json_t *window = NULL;

	while (!window && end && end > tail) {
		char *before = memrchr(tail, '\n', (size_t) (end - tail));
		char *line = before ? before + 1 : tail;

		window = stored_json(line, (size_t) (end - line), NULL);
		end = before;
	}
	if (window)
		take_window(window, u);
	json_decref(window);
	free(tail);
}

static json_t *bound(const json_t *value, const char *key)
{
	return json_pack("{s:O, s:s, s:s, s:O}", "value", value, "quality",
		quality_name(LOWER_BOUND), "key", key, "lower", value);
}

/* What the info file said when it was renewed last has been passed since; what is no sum and no peak may be anything by now. */
static json_t *kept_headline(const json_t *told)
{
	json_t *headline = json_object();
	const char *name;
	json_t *of;

	json_object_foreach(json_walk(told), name, of)
	{
		const json_t *value = json_object_get(of, "value");
		const char *key = json_string_value(json_object_get(of, "key"));

		if (json_is_number(value) && key && is_a_bound(of) && !strstr(name, "_mean_"))
			json_object_set_new(headline, name, bound(value, key));
	}
	return headline;
}

/* The wall time of the last renewal; before the first one older records say 0, which nobody measured. */
static void keep_wall(struct stored_run *run)
{
	json_t *time = json_object_get(run->info, "time");
	const json_t *wall = json_object_get(time, "wall_seconds");
	json_t *headline = json_object_get(run->info, "headline");

	if (json_is_number(wall) && json_number_value(wall) > 0 &&
		!json_object_get(headline, "wall_seconds"))
		json_object_set_new(headline, "wall_seconds",
			json_pack("{s:O, s:s, s:O}", "value", json_walk(wall), "quality",
				quality_name(LOWER_BOUND), "lower", json_walk(wall)));
	json_object_del(time, "wall_seconds");
}

static void tell(struct stored_run *run, struct unfinished *u)
{
	json_t *headline = kept_headline(json_object_get(run->info, "headline"));
	json_t *processes = json_object_get(run->info, "processes");

	for (size_t i = 0; i < ARRAY_SIZE(quantities); i++) {
		struct found *f = &u->found[i];
		const json_t *before =
			json_object_get(json_object_get(headline, quantities[i].name), "value");

		if (f->kept && !(json_number_value(before) > json_number_value(f->kept)))
			json_object_set_new(headline, quantities[i].name, bound(f->kept, f->key));
		json_decref(f->kept);
	}
	json_object_set_new(run->info, "headline", headline);
	keep_wall(run);
	json_object_del(run->info, "rungs");
	if (json_object_get(processes, "counted"))
		json_object_set_new(processes, "counted", json_false());
}

void stored_unfinished_headline(struct stored_run *run)
{
	struct unfinished u = { .rows = json_object_get(run->info, "measurements") };
	struct stat st;
	int fd = -1;

	if (run->series)
		fd = fd_open_regular(run->series, &st);
	if (fd >= 0) {
		if (st.st_size <= WHOLE_MAX)
			stored_run_windows(run, take_window, &u, NULL, NULL);
		else
			take_tail(&u, fd, st.st_size);
	}
	if (fd >= 0)
		close(fd);
	tell(run, &u);
}
