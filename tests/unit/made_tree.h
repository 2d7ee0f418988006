/* SPDX-License-Identifier: MIT */
/* A tree of /proc and /sys that a test makes up, and that goes with it. */
#ifndef ASSAY_TESTS_UNIT_MADE_TREE_H
#define ASSAY_TESTS_UNIT_MADE_TREE_H

#include "test.h"

#include <errno.h>
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

struct made_path {
	char text[512];
};

/* Where a name of the tree is; the directories above it are made. */
static inline struct made_path tree_path(const struct made_tree *t, const char *name)
{
	struct made_path path;
	int n = snprintf(path.text, sizeof(path.text), "%s/%s", t->root, name);

	assert_true(n > 0 && (size_t) n < sizeof(path.text));
	for (char *at = path.text + strlen(t->root) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		assert_true(mkdir(path.text, 0755) == 0 || errno == EEXIST);
	}
	return path;
}

/* One file with its directories. */
static inline void tree_put(const struct made_tree *t, const char *name, const char *text)
{
	FILE *file = fopen(tree_path(t, name).text, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The same where the name is put together from parts. */
__attribute__((format(printf, 3, 4))) static inline void tree_put_at(
	const struct made_tree *t, const char *text, const char *name, ...)
{
	char whole[480];
	va_list parts;

	va_start(parts, name);
	int n = vsnprintf(whole, sizeof(whole), name, parts);
	va_end(parts);
	assert_true(n > 0 && (size_t) n < sizeof(whole));
	tree_put(t, whole, text);
}

/* A symbolic link, in the place of the one that was there. */
static inline void tree_link(const struct made_tree *t, const char *name, const char *target)
{
	struct made_path path = tree_path(t, name);

	assert_true(unlink(path.text) == 0 || errno == ENOENT);
	assert_int_equal(symlink(target, path.text), 0);
}

/* Files of one directory: name, text, name, text, NULL. */
static inline void tree_put_all(
	const struct made_tree *t, const char *directory, const char *const *names_and_texts)
{
	for (size_t i = 0; names_and_texts[i]; i += 2)
		tree_put_at(t, names_and_texts[i + 1], "%s/%s", directory, names_and_texts[i]);
}
#define TREE_PUT(tree, directory, ...)                                                             \
	tree_put_all(tree, directory, (const char *const[]){ __VA_ARGS__, NULL })

/* Nothing but empty directories. */
static inline void tree_open_empty(struct made_tree *t)
{
	snprintf(t->root, sizeof(t->root), "/tmp/assay-test-XXXXXX");
	assert_non_null(mkdtemp(t->root));
	tree_path(t, "proc/");
	tree_path(t, "sys/");
	assert_int_equal(roots_open(&t->roots, t->root, NULL), 0);
}

static inline void tree_open(struct made_tree *t, const char *mountinfo)
{
	tree_open_empty(t);
	tree_put(t, "proc/self/mountinfo", mountinfo);
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
