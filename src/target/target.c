/* SPDX-License-Identifier: MIT */
/* Takes the words that name a target apart. */
#include "target/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "target/target_parts.h"

static const char *const kind_names[] = {
	[TARGET_JOB] = "job",
	[TARGET_TREE] = "tree",
	[TARGET_SESSION] = "session",
	[TARGET_GROUP] = "group",
	[TARGET_USER] = "user",
	[TARGET_SLURM] = "slurm",
	[TARGET_CGROUP] = "cgroup",
	[TARGET_CONTAINER] = "container",
	[TARGET_PIDS] = "pids",
	[TARGET_NAME] = "name",
	[TARGET_MATCH] = "match",
	[TARGET_SYSTEM] = "system",
};

#define KNOWN_KINDS "tree session group user slurm cgroup container pids name match system"

const char *target_kind_name(enum target_kind kind)
{
	return kind_names[kind];
}

/* The number of a kind's word, or -1. */
static int kind_of(const char *word, size_t n)
{
	/* No word names a job. */
	for (size_t i = TARGET_TREE; i < ARRAY_SIZE(kind_names); i++)
		if (strlen(kind_names[i]) == n && memcmp(kind_names[i], word, n) == 0)
			return (int) i;
	return -1;
}

struct shown shown(const char *text)
{
	struct shown s = { "" };

	/* Bytes as they are: whoever prints them makes them fit for a terminal. */
	if (strlen(text) < sizeof(s.text))
		memcpy(s.text, text, strlen(text) + 1);
	else
		(void) snprintf(s.text, sizeof(s.text), "%.*s...", (int) sizeof(s.text) - 4, text);
	return s;
}

static int parse_term(struct target_term *term, const char *text, struct error *err)
{
	size_t n = strcspn(text, ":");
	const char *argument = text[n] ? text + n + 1 : NULL;
	int kind = kind_of(text, n);

	if (n > 0 && !argument && strspn(text, "0123456789") == n) {
		kind = TARGET_TREE;
		argument = text;
	}
	if (kind < 0)
		return error_say(err, -EINVAL, "'%s' is no target; there are " KNOWN_KINDS,
			shown(text).text);
	term->kind = (enum target_kind) kind;
	if (argument && kind == TARGET_SYSTEM)
		return error_say(err, -EINVAL, "'system' is the whole machine: nothing follows it");
	if (argument && !*argument)
		return error_say(
			err, -EINVAL, "nothing follows the colon of '%s'", shown(text).text);
	if (!argument && (kind == TARGET_TREE || kind >= TARGET_CONTAINER) && kind != TARGET_SYSTEM)
		return error_say(err, -EINVAL,
			"'%s' needs to be told which: there are " KNOWN_KINDS, kind_names[kind]);
	return target_take_argument(term, argument, err);
}

/* Where the next term begins: behind a '+' that a known word follows, so that a name may hold one ("name:g++"). */
static const char *next_term(const char *text)
{
	for (const char *at = text; (at = strchr(at, '+')); at++) {
		size_t n = strcspn(at + 1, ":+");

		if (kind_of(at + 1, n) >= 0)
			return at + 1;
	}
	return NULL;
}

/* What two conditions cannot mean together. */
static int check_terms(const struct target *t, struct error *err)
{
	for (size_t i = 0; i < t->n_terms; i++) {
		const struct target_term *term = &t->terms[i];

		if (t->n_terms > 1 && term->kind == TARGET_TREE)
			return error_say(err, -EINVAL,
				"a tree takes no further condition: a process the condition leaves "
				"out would hide its children; narrow a session, group, user or "
				"cgroup instead");
		if (t->n_terms > 1 && term->kind == TARGET_SYSTEM)
			return error_say(err, -EINVAL,
				"'system' holds everybody: leave it out beside another condition");
		for (size_t j = 0; j < i; j++)
			if (t->terms[j].kind == term->kind &&
				(term->kind != TARGET_MATCH ||
					strcmp(t->terms[j].text, term->text) == 0))
				return error_say(err, -EINVAL,
					"two conditions of the same kind, '%s': both would have to "
					"hold",
					kind_names[term->kind]);
	}
	return 0;
}

static int parse_word(struct target_term *ret, const char *text, size_t n, struct error *err)
{
	char *word = strndup(text, n);

	if (!word)
		return error_set(err, -ENOMEM, "cannot keep the words of a target");
	int r = parse_term(ret, word, err);
	free(word);
	return r;
}

static int parse_terms(struct target *t, const char *text, struct error *err)
{
	int r = 0;

	for (const char *next; text && r == 0; text = next) {
		next = next_term(text);
		if (t->n_terms == TARGET_TERMS_MAX)
			return error_say(err, -EINVAL, "more than %d conditions in one target",
				TARGET_TERMS_MAX);
		r = parse_word(&t->terms[t->n_terms++], text,
			next ? (size_t) (next - text) - 1 : strlen(text), err);
	}
	return r < 0 ? r : check_terms(t, err);
}

int target_parse(const char *text, struct target *ret, struct error *err)
{
	struct target t = { .n_terms = 0 };

	if (!*text)
		return error_say(err, -EINVAL, "an empty target: there are " KNOWN_KINDS);
	int r = parse_terms(&t, text, err);

	if (r == 0 && (r = target_write_texts(&t, NULL)) < 0)
		(void) error_set(err, r, "cannot keep the words of a target");
	if (r < 0) {
		target_done(&t);
		return r;
	}
	*ret = t;
	return 0;
}

void target_done(struct target *t)
{
	for (size_t i = 0; i < t->n_terms; i++) {
		struct target_term *term = &t->terms[i];

		for (size_t j = 0; j < term->n_cgroups; j++)
			free(term->cgroups[j]);
		free(term->cgroups);
		free(term->pids);
		free(term->text);
		free(term->controller);
		if (term->has_regex)
			regfree(&term->regex);
	}
	free(t->text);
	*t = (struct target){ .n_terms = 0 };
}

/* An instance of apptainer is a tree. */
static bool is_tree(const struct target_term *term)
{
	return term->kind == TARGET_TREE || (term->kind == TARGET_CONTAINER && term->n_pids > 0);
}

pid_t target_first_pid(const struct target *t)
{
	for (size_t i = 0; i < t->n_terms; i++)
		if (is_tree(&t->terms[i]))
			return t->terms[i].pids[0].pid;
	return 0;
}

bool target_can_be_left(const struct target *t)
{
	for (size_t i = 0; i < t->n_terms; i++) {
		const struct target_term *term = &t->terms[i];

		if (!is_tree(term) && term->kind != TARGET_JOB && term->kind != TARGET_PIDS &&
			term->kind != TARGET_SYSTEM)
			return true;
	}
	return false;
}

bool target_is_moved_into(const struct target *t)
{
	for (size_t i = 0; i < t->n_terms; i++)
		switch (t->terms[i].kind) {
		case TARGET_CGROUP:
		case TARGET_SLURM:
			return true;
		case TARGET_CONTAINER:
			if (t->terms[i].n_pids == 0)
				return true;
			break;
		default:
			break;
		}
	return false;
}

bool target_is_system(const struct target *t)
{
	return t->n_terms == 1 && t->terms[0].kind == TARGET_SYSTEM;
}
