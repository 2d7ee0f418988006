/* SPDX-License-Identifier: MIT */
/* Compares places by their true paths. */
#include "cli/ls_words.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "record/run_names.h"

/* Of the directory, or of the file that a prefix or another file of the run stands for; NULL: it is no path. */
static char *place_of(const char *word)
{
	char *place = realpath(word, NULL);
	char *file = NULL;

	if (place || run_name_resolve(word, &file, NULL) < 0)
		return place;
	place = realpath(file, NULL);
	free(file);
	return place;
}

/* A place and the first word that leads to it. */
struct place {
	char *path;
	size_t first;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct place *) a)->path, ((const struct place *) b)->path);
}

static const struct place *find(void *const *tree, const char *path)
{
	char *copy = strdup(path);
	const struct place wanted = { .path = copy };
	const struct place *const *found = copy ? tfind(&wanted, tree, compare) : NULL;

	free(copy);
	return found ? *found : NULL;
}

/* Whether a directory above it was named, too. */
static bool lies_below(void *const *tree, const char *path)
{
	char *above = strdup(path);
	bool found = false;

	for (char *slash = above ? strrchr(above, '/') : NULL; slash && !found;
		slash = strrchr(above, '/')) {
		*slash = '\0';
		found = find(tree, slash == above ? "/" : above) != NULL;
	}
	free(above);
	return found;
}

static bool is_told(void *const *tree, const struct place *place, size_t i)
{
	const struct place *first = place->path ? find(tree, place->path) : NULL;

	if (!first)
		return false;
	return first->first < i || (strcmp(place->path, "/") != 0 && lies_below(tree, place->path));
}

static void forget_node(void *node)
{
	(void) node; /* it is one of the array */
}

int ls_words_apart(char **words)
{
	struct place *places;
	void *tree = NULL;
	size_t n = 0;
	size_t kept = 0;

	while (words[n])
		n++;
	places = calloc(n + 1, sizeof(*places));
	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		places[i] = (struct place){ .path = place_of(words[i]), .first = i };
		/* One that is there already stands. Without memory for it a run is listed twice. */
		if (places[i].path)
			tsearch(&places[i], &tree, compare);
	}
	for (size_t i = 0; i < n; i++)
		if (!is_told(&tree, &places[i], i))
			words[kept++] = words[i];
	words[kept] = NULL;
	tdestroy(tree, forget_node);
	for (size_t i = 0; i < n; i++)
		free(places[i].path);
	free(places);
	return 0;
}
