/* SPDX-License-Identifier: MIT */
/* Whether a process belongs to a target, by what is seen of it now. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "linux/cgroup.h"
#include "linux/cgroup_lines.h"
#include "linux/proc_files.h"
#include "linux/proc_owner.h"
#include "linux/roots.h"
#include "linux/slurm_names.h"
#include "target/target.h"

/* A command line is matched up to here; it may be megabytes, and is another's memory, read with its lock held. */
#define COMMAND_MAX 32768
#define COMMAND_FIRST 4096

static bool failed(struct target_candidate *c, int r)
{
	c->error = -r;
	return false;
}

static bool know_uid(struct target_candidate *c)
{
	struct proc_owner owner;
	int r;

	if (c->has_uid)
		return true;
	if ((r = proc_owner_read(c->roots, c->stat->pid, &owner)) < 0)
		return failed(c, r);
	c->uid = owner.uid;
	return c->has_uid = true;
}

static bool know_cgroups(struct target_candidate *c)
{
	int r;

	if (!c->has_cgroups) {
		if ((r = cgroup_membership_read(c->roots, c->stat->pid, &c->cgroups)) < 0)
			return failed(c, r);
		c->has_cgroups = true;
	}
	return true;
}

/* The words parted by blanks, as ps(1) shows them. */
static char *joined(char *bytes, size_t n)
{
	while (n > 0 && bytes[n - 1] == '\0')
		n--;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] == '\0')
			bytes[i] = ' ';
	bytes[n] = '\0';
	return bytes;
}

static bool know_command(struct target_candidate *c)
{
	bool cut = true;
	ssize_t n = 0;

	if (c->has_command)
		return true;
	for (size_t size = COMMAND_FIRST; cut && size <= COMMAND_MAX;
		size *= COMMAND_MAX / COMMAND_FIRST) {
		char *more = realloc(c->command, size + 1);

		if (!more)
			return failed(c, -ENOMEM);
		c->command = more;
		n = proc_cmdline_read(c->roots->proc, c->stat->pid, c->command, size, &cut);
		if (n < 0)
			return failed(c, (int) n);
	}
	(void) joined(c->command, (size_t) n);
	return c->has_command = true;
}

/* The cgroup decides where it names a job; else the environment, which shells on a login node and machines without Slurm's cgroups have. */
static bool know_slurm(struct target_candidate *c)
{
	struct slurm_place place = { 0 };

	if (c->has_slurm)
		return true;
	bool placed = know_cgroups(c) && slurm_place_in_cgroups(c->cgroups, &place);

	if (!placed) {
		int r = slurm_environ_read(c->roots, c->stat->pid, &place);

		if (r < 0)
			return failed(c, r);
	}
	c->slurm_job = place.job;
	memcpy(c->slurm_step, place.step, sizeof(c->slurm_step));
	return c->has_slurm = true;
}
_Static_assert(sizeof((struct target_candidate){ 0 }.slurm_step) == SLURM_STEP_SIZE, "one size");
_Static_assert(sizeof((struct target_term){ 0 }.slurm_step) == SLURM_STEP_SIZE, "one size");

static int by_pid(const void *pid, const void *listed)
{
	pid_t a = *(const pid_t *) pid;
	pid_t b = ((const struct target_pid *) listed)->pid;

	return (a > b) - (a < b);
}

static bool is_listed(const struct target_term *term, const struct proc_stat *stat)
{
	const struct target_pid *found =
		bsearch(&stat->pid, term->pids, term->n_pids, sizeof(*term->pids), by_pid);

	return found && found->start_ticks == stat->start_ticks;
}

static bool in_tree(const struct target_term *term, const struct target_candidate *c)
{
	return c->is_member || c->parent_belongs || is_listed(term, c->stat);
}

static bool in_cgroup(const struct target_term *term, struct target_candidate *c)
{
	struct cgroup_line line;

	if (!know_cgroups(c))
		return false;
	for (const char *at = c->cgroups; cgroup_line_next(&at, &line);) {
		if (term->controller && !cgroup_line_of(&line, term->controller))
			continue;
		for (size_t i = 0; i < term->n_cgroups; i++)
			if (cgroup_path_is_below(line.path, line.n_path, term->cgroups[i]))
				return true;
	}
	return false;
}

static bool in_slurm(const struct target_term *term, struct target_candidate *c)
{
	return know_slurm(c) && c->slurm_job == term->slurm_job &&
	       (!term->slurm_step[0] || strcmp(term->slurm_step, c->slurm_step) == 0);
}

/* A zombie has no memory and so no command line and no environment, and version 1 moves it to the root cgroup: it stays what it was. */
static bool stays_dead(const struct target_candidate *c)
{
	return c->is_member && (c->stat->state == 'Z' || c->stat->state == 'X');
}

static bool term_holds(const struct target_term *term, struct target_candidate *c)
{
	switch (term->kind) {
	case TARGET_JOB:
		return c->is_member || c->parent_belongs;
	case TARGET_TREE:
		return in_tree(term, c);
	case TARGET_SESSION:
		return c->stat->session == term->id;
	case TARGET_GROUP:
		return c->stat->pgrp == term->id;
	case TARGET_USER:
		return know_uid(c) && c->uid == term->uid;
	case TARGET_SLURM:
		return stays_dead(c) || in_slurm(term, c);
	case TARGET_CONTAINER:
		if (term->n_pids > 0)
			return in_tree(term, c);
		return stays_dead(c) || in_cgroup(term, c);
	case TARGET_CGROUP:
		return stays_dead(c) || in_cgroup(term, c);
	case TARGET_PIDS:
		return is_listed(term, c->stat);
	case TARGET_NAME:
		return strcmp(c->stat->name, term->text) == 0;
	case TARGET_MATCH:
		/* no command line: a zombie, or one that wiped it */
		return stays_dead(c) || (know_command(c) && c->command[0] &&
						regexec(&term->regex, c->command, 0, NULL, 0) == 0);
	case TARGET_SYSTEM:
		return true;
	}
	return false;
}

bool target_holds(const struct target *t, struct target_candidate *c)
{
	if (c->stat->flags & PROC_KERNEL_THREAD)
		return false;
	/* Those that cost nothing to ask first: they save the files of most processes. */
	for (int costly = 0; costly < 2; costly++)
		for (size_t i = 0; i < t->n_terms; i++) {
			enum target_kind kind = t->terms[i].kind;
			bool reads = kind == TARGET_USER || kind == TARGET_SLURM ||
				     kind == TARGET_CGROUP || kind == TARGET_CONTAINER ||
				     kind == TARGET_MATCH;

			if (reads == costly && !term_holds(&t->terms[i], c))
				return false;
		}
	return true;
}

/* No other than its leader comes into a session but by birth. */
bool target_is_born_into(const struct target *t, const struct proc_stat *stat)
{
	for (size_t i = 0; i < t->n_terms; i++) {
		const struct target_term *term = &t->terms[i];
		enum target_kind kind = term->kind;
		bool born = kind == TARGET_JOB || kind == TARGET_TREE || kind == TARGET_SYSTEM ||
			    (kind == TARGET_SESSION && stat->session != stat->pid) ||
			    (kind == TARGET_CONTAINER && term->n_pids > 0);

		if (!born)
			return false;
	}
	return true;
}

void target_candidate_done(struct target_candidate *c)
{
	free(c->cgroups);
	free(c->command);
	c->cgroups = c->command = NULL;
	c->has_cgroups = c->has_command = false;
}
