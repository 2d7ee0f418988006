/* SPDX-License-Identifier: MIT */
/* Takes what follows the word of each kind: numbers, lists, names, paths. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/containers.h"
#include "linux/slurm_names.h"
#include "target/target.h"
#include "target/target_parts.h"

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
	char *word = strndup(text, n);
	int r = error_say(err, -EINVAL, "'%s' is no %s: a number from 1 to %d",
		shown(word ? word : "?").text, what, INT_MAX);

	free(word);
	return r;
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
			target_kind_name(term->kind));
	term->id = own;
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct target_pid *one = a;
	const struct target_pid *other = b;

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

int target_take_argument(struct target_term *term, const char *text, struct error *err)
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
