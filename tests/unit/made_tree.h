/* SPDX-License-Identifier: MIT */
/* A tree of /proc and /sys that a test makes up, and that goes with it. */
#ifndef ASSAY_TESTS_UNIT_MADE_TREE_H
#define ASSAY_TESTS_UNIT_MADE_TREE_H

#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/roots.h"

struct made_tree {
	char root[32];
	struct roots roots;
};

/* One file with its directories. */
static inline void tree_put(const struct made_tree *t, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	for (char *slash = path + strlen(t->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Files of one directory: name, text, name, text, NULL. */
static inline void tree_put_all(
	const struct made_tree *t, const char *directory, const char *const *names_and_texts)
{
	char name[400];

	for (size_t i = 0; names_and_texts[i]; i += 2) {
		snprintf(name, sizeof(name), "%s/%s", directory, names_and_texts[i]);
		tree_put(t, name, names_and_texts[i + 1]);
	}
}
#define TREE_PUT(tree, directory, ...)                                                             \
	tree_put_all(tree, directory, (const char *const[]){ __VA_ARGS__, NULL })

static inline void tree_open(struct made_tree *t, const char *mountinfo)
{
	snprintf(t->root, sizeof(t->root), "/tmp/assay-test-XXXXXX");
	assert_non_null(mkdtemp(t->root));
	tree_put(t, "proc/self/mountinfo", mountinfo);
	tree_put(t, "sys/fs/none", "");
	assert_int_equal(roots_open(&t->roots, t->root, NULL), 0);
}

static inline int tree_remove_one(
	const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void) st;
	(void) type;
	(void) where;
	return remove(path);
}

static inline void tree_remove(const struct made_tree *t, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	assert_int_equal(nftw(path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void tree_close(struct made_tree *t)
{
	roots_close(&t->roots);
	tree_remove(t, "");
}

#endif
