/* SPDX-License-Identifier: MIT */
/* Takes the words that name a target apart. */
#include "target/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "linux/containers.h"
#include "linux/slurm_names.h"
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

#define KNOWN_KINDS                                                                                \
	"PID, tree:PID, session:SID, group:PGID, user:NAME, slurm:JOB.STEP, cgroup:PATH, "         \
	"container:NAME, pids:PID,PID, name:NAME, match:REGEX, system"

const char *target_kind_name(enum target_kind kind)
{
	return kind_names[kind];
}

int target_kind_of(const char *word, size_t n)
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
	struct buf out = { 0 };

	text_add_printable(&out, text, strnlen(text, sizeof(s.text)));
	if (out.failed || !out.data)
		(void) snprintf(s.text, sizeof(s.text), "%s", text[0] ? "?" : "");
	else if (out.len < sizeof(s.text))
		memcpy(s.text, out.data, out.len + 1);
	else
		(void) snprintf(
			s.text, sizeof(s.text), "%.*s...", (int) sizeof(s.text) - 4, out.data);
	buf_done(&out);
	return s;
}

static int parse_pid(const char *text, size_t n, const char *what, pid_t *ret, struct error *err)
{
	unsigned long pid = 0;
	size_t digits = strspn(text, "0123456789");

	for (size_t i = 0; i < n && i < digits && pid <= INT_MAX; i++)
		pid = pid * 10 + (unsigned long) (text[i] - '0');
	if (digits >= n && n > 0 && pid > 0 && pid <= INT_MAX) {
		*ret = (pid_t) pid;
		return 0;
	}
	AUTO_FREE char *word = strndup(text, n);

	return error_say(err, -EINVAL, "'%s' is no %s: a number from 1 to %d",
		shown(word ? word : "?").text, what, INT_MAX);
}

/* The caller's own where nothing is given; the kernel says 0 for one that our PID namespace does not know. */
static int parse_own(
	struct target_term *term, const char *text, pid_t own, const char *what, struct error *err)
{
	if (text)
		return parse_pid(text, strlen(text), what, &term->id, err);
	if (own <= 0)
		return error_say(err, -EINVAL,
			"our own %s began outside of this PID namespace: name one, %s:PID", what,
			kind_names[term->kind]);
	term->id = own;
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct target_pid *one = a, *other = b;

	return (one->pid > other->pid) - (one->pid < other->pid);
}

static int parse_pids(struct target_term *term, const char *text, struct error *err)
{
	size_t n = 1;

	for (const char *at = text; (at = strchr(at, ',')); at++)
		n++;
	term->pids = calloc(n, sizeof(*term->pids));
	if (!term->pids)
		return error_set(err, -ENOMEM, "cannot keep the list of processes");
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");
		int r = parse_pid(at, length, "process id", &term->pids[term->n_pids].pid, err);

		if (r < 0)
			return r;
		term->n_pids++;
		at += length;
		if (!*at)
			break;
	}
	/* In order, so that one is found among thousands. */
	qsort(term->pids, term->n_pids, sizeof(*term->pids), by_pid);
	for (size_t i = 1; i < term->n_pids; i++)
		if (term->pids[i].pid == term->pids[i - 1].pid)
			return error_say(
				err, -EINVAL, "process %d is named twice", (int) term->pids[i].pid);
	return 0;
}

static int parse_tree(struct target_term *term, const char *text, struct error *err)
{
	int r = parse_pid(text, strlen(text), "process id", &term->id, err);

	if (r < 0)
		return r;
	term->pids = calloc(1, sizeof(*term->pids));
	if (!term->pids)
		return error_set(err, -ENOMEM, "cannot keep a process id");
	term->pids[0].pid = term->id;
	term->n_pids = 1;
	return 0;
}

static int parse_slurm(struct target_term *term, const char *text, struct error *err)
{
	bool own = !text;

	if (own && (!(text = getenv("SLURM_JOB_ID")) || !*text) &&
		(!(text = getenv("SLURM_JOBID")) || !*text))
		return error_say(err, -EINVAL,
			"no Slurm job here: SLURM_JOB_ID is not set; name one, slurm:JOB");
	size_t n = strcspn(text, own ? "" : ".");

	if (!slurm_job_parse(text, n, &term->slurm_job))
		return error_say(err, -EINVAL,
			"'%s' is no Slurm job%s: its number, with .STEP where one step is meant",
			shown(text).text, own ? " (SLURM_JOB_ID)" : "");
	if (text[n] == '.' &&
		!slurm_step_parse(text + n + 1, strlen(text + n + 1), term->slurm_step))
		return error_say(err, -EINVAL,
			"'%s' is no step of a Slurm job: a number, batch, extern or interactive",
			shown(text + n + 1).text);
	return 0;
}

/* "/path", "memory:/path", ":/path"; nothing: ours, which is looked up later. */
static int parse_cgroup(struct target_term *term, const char *text, struct error *err)
{
	if (!text)
		return 0;
	const char *path = text[0] == '/' ? text : strstr(text, ":/");

	if (!path)
		return error_say(err, -EINVAL,
			"'%s' is no path of a cgroup: it begins with /, in its hierarchy or "
			"below a mount of cgroups",
			shown(text).text);
	if (*path == ':') {
		term->controller = strndup(text, (size_t) (path - text));
		path++;
	}
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	term->text = strndup(path, n);
	if (!term->text || (path != text && !term->controller))
		return error_set(err, -ENOMEM, "cannot keep the path of a cgroup");
	return 0;
}

static int keep_text(struct target_term *term, const char *text, struct error *err)
{
	term->text = strdup(text);
	return term->text ? 0 : error_set(err, -ENOMEM, "cannot keep a word");
}

static int parse_name(struct target_term *term, const char *text, struct error *err)
{
	char kept[16]; /* TASK_COMM_LEN */

	if (strlen(text) < sizeof(kept))
		return keep_text(term, text, err);
	(void) snprintf(kept, sizeof(kept), "%.15s", text);
	return error_say(err, -EINVAL,
		"'%s' is longer than the 15 bytes that the kernel keeps of a process's name: take "
		"name:%s, or match:REGEX for its command line",
		shown(text).text, shown(kept).text);
}

static int parse_container(struct target_term *term, const char *text, struct error *err)
{
	if (!container_is_name(text))
		return error_say(err, -EINVAL,
			"'%s' is no name or id of a container: letters, digits, '_', '.' and '-'",
			shown(text).text);
	return keep_text(term, text, err);
}

/* `text` is NULL where the word stands alone. */
static int parse_argument(struct target_term *term, const char *text, struct error *err)
{
	switch (term->kind) {
	case TARGET_TREE:
		return parse_tree(term, text, err);
	case TARGET_SESSION:
		return parse_own(term, text, getsid(0), "session", err);
	case TARGET_GROUP:
		return parse_own(term, text, getpgrp(), "process group", err);
	case TARGET_USER:
		term->uid = text ? (uid_t) -1 : getuid();
		return text ? keep_text(term, text, err) : 0;
	case TARGET_SLURM:
		return parse_slurm(term, text, err);
	case TARGET_CGROUP:
		return parse_cgroup(term, text, err);
	case TARGET_CONTAINER:
		return parse_container(term, text, err);
	case TARGET_PIDS:
		return parse_pids(term, text, err);
	case TARGET_NAME:
		return parse_name(term, text, err);
	case TARGET_MATCH:
		return target_compile(term, text, err);
	case TARGET_SYSTEM:
	case TARGET_JOB:
		break;
	}
	return 0;
}

static int parse_term(struct target_term *term, const char *text, struct error *err)
{
	size_t n = strcspn(text, ":");
	const char *argument = text[n] ? text + n + 1 : NULL;
	int kind = target_kind_of(text, n);

	if (n > 0 && !argument && strspn(text, "0123456789") == n) {
		kind = TARGET_TREE;
		argument = text;
	}
	if (kind < 0)
		return error_say(err, -EINVAL, "'%s' is no target: known are " KNOWN_KINDS,
			shown(text).text);
	term->kind = (enum target_kind) kind;
	if (argument && kind == TARGET_SYSTEM)
		return error_say(err, -EINVAL, "'system' is the whole machine: nothing follows it");
	if (argument && !*argument)
		return error_say(
			err, -EINVAL, "nothing follows the colon of '%s'", shown(text).text);
	if (!argument && (kind == TARGET_TREE || kind >= TARGET_CONTAINER) && kind != TARGET_SYSTEM)
		return error_say(err, -EINVAL,
			"'%s' needs to be told which: known are " KNOWN_KINDS, kind_names[kind]);
	return parse_argument(term, argument, err);
}

/* Where the next term begins: behind a '+' that a known word follows, so that a name may hold one ("name:g++"). */
static const char *next_term(const char *text)
{
	for (const char *at = text; (at = strchr(at, '+')); at++) {
		size_t n = strcspn(at + 1, ":+");

		if (target_kind_of(at + 1, n) >= 0)
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

static int parse_terms(struct target *t, const char *text, struct error *err)
{
	int r = 0;

	for (const char *next; text && r == 0; text = next) {
		next = next_term(text);
		if (t->n_terms == TARGET_TERMS_MAX)
			return error_say(err, -EINVAL, "more than %d conditions in one target",
				TARGET_TERMS_MAX);
		AUTO_FREE char *word =
			next ? strndup(text, (size_t) (next - text) - 1) : strdup(text);
		if (!word)
			return error_set(err, -ENOMEM, "cannot keep the words of a target");
		r = parse_term(&t->terms[t->n_terms++], word, err);
	}
	return r < 0 ? r : check_terms(t, err);
}

int target_parse(const char *text, struct target *ret, struct error *err)
{
	struct target t = { .n_terms = 0 };

	if (!*text)
		return error_say(err, -EINVAL, "an empty target: known are " KNOWN_KINDS);
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

bool target_is_system(const struct target *t)
{
	return t->n_terms == 1 && t->terms[0].kind == TARGET_SYSTEM;
}
