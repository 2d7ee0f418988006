/* SPDX-License-Identifier: MIT */
/* What the tests of targets share: processes of a made tree, and words that have to be refused. */
#ifndef ASSAY_TESTS_UNIT_TARGET_TEST_H
#define ASSAY_TESTS_UNIT_TARGET_TEST_H

#include "made_tree.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/proc_stat.h"
#include "target/target.h"

struct made_process {
	int pid, ppid, pgrp, session;
	unsigned uid;
	const char *name;
	char state; /* 0: S */
	unsigned long flags, start;
	const char *cgroup; /* NULL: "0::/\n" */
	const char *command; /* words parted by '|', which become NULs; NULL: none */
	const char *environment; /* the same; NULL: none */
};

static inline void put_nul_words(
	const struct made_tree *t, int pid, const char *file, const char *words)
{
	char name[64];

	snprintf(name, sizeof(name), "proc/%d/%s", pid, file);
	FILE *out = fopen(tree_path(t, name).text, "w");
	assert_non_null(out);
	for (const char *at = words ? words : ""; *at; at++)
		fputc(*at == '|' ? '\0' : *at, out);
	if (words)
		fputc('\0', out);
	assert_int_equal(fclose(out), 0);
}

/* The same numbers for what is not told: a process of nobody's session and user 0. */
static inline void put_process(const struct made_tree *t, struct made_process p)
{
	char text[512];

	snprintf(text, sizeof(text),
		"%d (%s) %c %d %d %d 0 -1 %lu 0 0 0 0 10 5 0 0 20 0 1 0 %lu 4096 10 "
		"18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		p.pid, p.name ? p.name : "sh", p.state ? p.state : 'S', p.ppid,
		p.pgrp ? p.pgrp : p.pid, p.session ? p.session : p.pid, p.flags,
		p.start ? p.start : 100 + (unsigned long) p.pid);
	tree_put_at(t, text, "proc/%d/stat", p.pid);
	snprintf(text, sizeof(text),
		"Name:\t%s\nUmask:\t0022\nState:\tS "
		"(sleeping)\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\n"
		"TracerPid:\t0\nUid:\t%u\t7\t7\t7\nGid:\t0\t0\t0\t0\n",
		p.name ? p.name : "sh", p.pid, p.pid, p.ppid, p.uid);
	tree_put_at(t, text, "proc/%d/status", p.pid);
	tree_put_at(t, p.cgroup ? p.cgroup : "0::/\n", "proc/%d/cgroup", p.pid);
	put_nul_words(t, p.pid, "cmdline", p.command);
	put_nul_words(t, p.pid, "environ", p.environment);
}

static inline struct target parsed(const char *words)
{
	struct target t;
	struct error err = { 0 };

	if (target_parse(words, &t, &err) < 0)
		fail_msg("%s: %s", words, err.text);
	return t;
}

static inline struct target resolved(const struct made_tree *tree, const char *words)
{
	struct target t = parsed(words);
	struct error err = { 0 };

	if (target_resolve(&t, &tree->roots, &err) < 0)
		fail_msg("%s: %s", words, err.text);
	return t;
}

/* It holds the text. What was typed stands in it byte for byte: whoever prints it makes it fit for a terminal, once. */
static inline void assert_line(const struct error *err, const char *text)
{
	if (!strstr(err->text, text))
		fail_msg("'%s' is not in: %s", text, err->text);
}

static inline void assert_no_parse(const char *words, const char *text)
{
	struct target t;
	struct error err = { 0 };

	assert_int_equal(target_parse(words, &t, &err), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_line(&err, text);
}

static inline void assert_no_resolve(
	const struct roots *roots, const char *words, int code, const char *text)
{
	struct target t = parsed(words);
	struct error err = { 0 };

	int r = target_resolve(&t, roots, &err);
	if (r != code)
		fail_msg("%s: %d instead of %d: %s", words, r, code, err.text);
	assert_int_equal(err.code, code);
	assert_line(&err, text);
	target_done(&t);
}

/* Whether the process of the tree belongs, looked at afresh; *ret_error gets what could not be read. */
static inline bool belongs_as(const struct target *t, const struct roots *roots, int pid,
	struct target_candidate how, int *ret_error)
{
	char path[32], text[4096];
	struct proc_stat stat;

	snprintf(path, sizeof(path), "%d/stat", pid);
	ssize_t n = read_root_file(roots->proc, path, text, sizeof(text));
	assert_true(n > 0);
	assert_int_equal(proc_stat_parse(text, (size_t) n, &stat), 0);
	how.roots = roots;
	how.stat = &stat;
	bool held = target_holds(t, &how);
	if (ret_error)
		*ret_error = how.error;
	target_candidate_done(&how);
	return held;
}

static inline bool belongs(const struct target *t, const struct made_tree *tree, int pid)
{
	return belongs_as(t, &tree->roots, pid, (struct target_candidate){ 0 }, NULL);
}

/* The words name these processes of the tree (a list that ends with 0) and no other of `all`. */
static inline void assert_members(
	const struct made_tree *tree, const char *words, const int *members, const int *all)
{
	struct target t = resolved(tree, words);

	for (; *all; all++) {
		bool wanted = false;

		for (const int *m = members; *m; m++)
			wanted = wanted || *m == *all;
		if (belongs(&t, tree, *all) != wanted)
			fail_msg("%s: process %d %s", words, *all,
				wanted ? "is left out" : "is taken in");
	}
	target_done(&t);
}
#define LIST(...)                                                                                  \
	(const int[])                                                                              \
	{                                                                                          \
		__VA_ARGS__, 0                                                                     \
	}

#endif
