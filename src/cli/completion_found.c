/* SPDX-License-Identifier: MIT */
/* What the scripts ask for while somebody types: the names of runs, from those of directories alone, and of fields. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "assay.h"
#include "base/buf.h"
#include "base/macros.h"
#include "cli/completion.h"
#include "record/fields.h"
#include "record/info_json.h"
#include "record/run_names.h"

#define NEWEST 200
#define ID_TEMPLATE "{datetime}-{pid}" /* the name of a run is its id, then */
/* Other characters mean something to one shell or another. */
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_+,@%="

/* The greatest names, which are the newest runs where the date comes first. */
struct greatest {
	char names[NEWEST][NAME_MAX + 1];
	size_t n;
	size_t least; /* of all places taken, when there are no others */
};

static void find_least(struct greatest *g)
{
	g->least = 0;
	for (size_t i = 1; i < g->n; i++)
		if (strcmp(g->names[i], g->names[g->least]) < 0)
			g->least = i;
}

static void take(struct greatest *g, const char *name, size_t length)
{
	size_t at = g->n < NEWEST ? g->n : g->least;

	if (length > NAME_MAX || (g->n == NEWEST && strncmp(g->names[at], name, length) >= 0))
		return;
	memcpy(g->names[at], name, length);
	g->names[at][length] = '\0';
	g->n += g->n < NEWEST;
	if (g->n == NEWEST)
		find_least(g);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* How much of the name of a directory, or of an info file without its own, names a run; 0: none. */
static size_t name_length(const struct dirent *entry, const char *begin, const char *rest)
{
	size_t length = strlen(entry->d_name);
	size_t before = strlen(begin);

	if (strncmp(entry->d_name, begin, before) != 0 || entry->d_name[0] == '.' ||
		entry->d_name[0] == '-')
		return 0;
	if (!strchr(rest, '/'))
		length = run_name_is(entry->d_name, RUN_NAME_INFO) ? length - strlen(RUN_NAME_INFO)
								   : 0;
	else if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
		length = 0;
	return length > before && entry->d_name[strspn(entry->d_name, PLAIN)] == '\0' ? length : 0;
}

/* Its id, or its path: with a slash behind a directory's, as a prefix otherwise. */
static void add_run(
	const char *prefix, size_t directory, size_t before, const char *name, struct buf *out)
{
	const char *rest = prefix + directory + before;
	const char *end = rest + strlen(ID_TEMPLATE);
	size_t n = strlen(name);

	if (strncmp(rest, ID_TEMPLATE, strlen(ID_TEMPLATE)) == 0 && strcmp(end, "/") == 0)
		buf_addf(out, "%s\n", name + before);
	else if (strncmp(rest, ID_TEMPLATE, strlen(ID_TEMPLATE)) == 0 && !strchr(end, '/') &&
		 n >= before + strlen(end))
		buf_addf(out, "%.*s\n", (int) (n - before - strlen(end)), name + before);
	else
		buf_addf(out, "%.*s%s%s\n", (int) directory, prefix, name,
			strchr(rest, '/') ? "/" : "");
}

void completion_runs(const char *output_prefix, struct buf *out)
{
	const char *prefix = output_prefix ? output_prefix : RUN_PREFIX_DEFAULT;
	size_t fixed = strcspn(prefix, "{");
	size_t directory = fixed;
	struct greatest g = { .n = 0 };
	const struct dirent *entry;

	while (directory > 0 && prefix[directory - 1] != '/')
		directory--;
	char *path = directory > 0 ? strndup(prefix, directory) : strdup(".");
	char *begin = strndup(prefix + directory, fixed - directory);
	DIR *d = path && begin ? opendir(path) : NULL;
	while (d && (entry = readdir(d))) {
		size_t length = name_length(entry, begin, prefix + fixed);

		if (length > 0)
			take(&g, entry->d_name, length);
	}
	if (d)
		closedir(d);
	qsort(g.names, g.n, sizeof(g.names[0]), compare_names);
	if (g.n > 0)
		buf_add_text(out, "@last\n");
	while (g.n > 0)
		add_run(prefix, directory, fixed - directory, g.names[--g.n], out);
	free(path);
	free(begin);
}

/* Each once: several paths have one short name. */
static void add_name(const char *name, void *context)
{
	struct buf *out = context;
	size_t n = strlen(name);

	for (const char *at = out->data; at && *at; at += strcspn(at, "\n") + 1)
		if (strncmp(at, name, n) == 0 && at[n] == '\n')
			return;
	buf_addf(out, "%s\n", name);
}

/* Those that a summary has of it. */
static void add_statistics(const struct assay_measurement *m, struct buf *out)
{
	static const char *const statistics[][2] = { { "delta", "" }, { "max", "peak" },
		{ "mean", "mean" }, { "min", "min" }, { "last", "last" } };

	for (const char *reduce = m->reduces; *reduce;) {
		size_t n = strcspn(reduce, ",");
		char key[192];

		for (size_t i = 0; i < ARRAY_SIZE(statistics); i++)
			if (strlen(statistics[i][0]) == n &&
				memcmp(statistics[i][0], reduce, n) == 0 &&
				statistic_key(m->key, statistics[i][1], key, sizeof(key)) == 0)
				add_name(key, out);
		reduce += n + (reduce[n] == ',');
	}
}

void completion_fields(struct buf *out)
{
	struct assay_measurement m;

	field_known(add_name, out);
	for (size_t i = 0; assay_measurement_at(i, &m) == 1; i++)
		if (strcmp(m.scope, "single") == 0 || strstr(m.key, "_total_"))
			add_statistics(&m, out);
}
