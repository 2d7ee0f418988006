/* SPDX-License-Identifier: MIT */
/* Chooses the cgroups that are read for the job, makes and removes those of its own. */
#include "api/job_cgroups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/session.h"
#include "base/buf.h"
#include "base/error.h"
#include "linux/empty_cgroups.h"
#include "linux/net_dev.h"
#include "linux/proc_files.h"

static const char *const ways[] = {
	[ASSAY_CGROUP_AUTO] = "auto", [ASSAY_CGROUP_OWN] = "own", [ASSAY_CGROUP_NONE] = "none"
};

int job_cgroups_begin(struct session *s, struct error *err)
{
	struct job_cgroups *c = &s->cgroups;
	int way = s->options->cgroup;

	if (way < 0 || (size_t) way >= ARRAY_SIZE(ways))
		return error_say(err, -EINVAL, "there is no such way to use cgroups as %d", way);
	s->info->cgroup_option = ways[way];
	if (way == ASSAY_CGROUP_NONE)
		return 0;
	cgroup_view_open(&c->view, &s->roots, 0);
	c->viewed = true;
	return 0;
}

/* Limits want only what kills the job as a whole, and look for themselves where there is none. */
static void make_for_limits(struct session *s, const char *name)
{
	struct job_cgroups *c = &s->cgroups;
	struct cgroup_view nowhere = { .roots = &s->roots };

	own_cgroups_make(&c->own, c->viewed ? &c->view : &nowhere, true, name, NULL);
	/* The job is moved for nothing else. */
	if (!own_cgroup_can_kill(&c->own.at[OWN_V2]))
		own_cgroups_remove(&c->own, NULL);
}

int job_cgroups_make(struct session *s, struct error *err)
{
	struct job_cgroups *c = &s->cgroups;
	char name[32];

	snprintf(name, sizeof(name), RUN_CGROUP_PREFIX "%d", (int) getpid());
	if (s->options->cgroup == ASSAY_CGROUP_OWN) {
		if (own_cgroups_make(&c->own, &c->view, false, name, err) < 0) {
			own_cgroups_remove(&c->own, NULL);
			return error_wrap(err, "--cgroup=own");
		}
	} else if (s->limiting.phase != LIMITING_NOTHING) {
		make_for_limits(s, name);
	}
	return 0;
}

/* What could not be had is no reason to refuse the rest, but must be known. */
static void tell_what_is_missing(struct session *s)
{
	const struct own_cgroups *own = &s->cgroups.own;
	struct buf names = { 0 };
	const char *why = "";

	for (size_t h = OWN_CPUACCT; h < N_OWN_HIERARCHIES; h++) {
		if (own->held_by[h] < N_OWN_HIERARCHIES)
			continue;
		buf_addf(&names, "%s%s", names.len ? ", " : "",
			own_hierarchy_name((enum own_hierarchy) h));
		why = own->why[h];
	}
	if (names.data && !names.failed)
		run_info_note(s->info, "the job has no cgroup of its own that counts %s: %s",
			names.data, why);
	buf_done(&names);
}

static int record_directories(struct session *s)
{
	struct assay_run_info *info = s->info;
	const struct own_cgroups *own = &s->cgroups.own;

	info->own_cgroups = calloc(N_OWN_HIERARCHIES, sizeof(*info->own_cgroups));
	if (!info->own_cgroups)
		return -ENOMEM;
	for (size_t i = 0; i < N_OWN_HIERARCHIES; i++) {
		if (!own->at[i].directory)
			continue;
		char *directory = strdup(own->at[i].directory);
		if (!directory)
			return -ENOMEM;
		info->own_cgroups[info->n_own_cgroups++] = directory;
	}
	return 0;
}

/* It waits: its fork, and what the fork made it copy, is in its exit status and not in the cgroup. */
static void read_use_before(struct session *s)
{
	if (process_cpu_clock(s->keeper.job_pid, &s->monitor.cgroup_job_before_ns) < 0)
		s->monitor.cgroup_job_before_ns = 0;
}

/* Whether the job is in it. */
static bool take_for_limits(struct session *s)
{
	const struct own_cgroup *c = &s->cgroups.own.at[OWN_V2];

	if (c->fd < 0)
		return false;
	int r = own_cgroup_take(c, s->keeper.job_pid);
	if (r < 0) {
		run_info_note(s->info, "limit: the job could not be moved into the cgroup %s (%s)",
			c->directory, errno_name(-r));
		return false;
	}
	read_use_before(s);
	s->info->limit_cgroup = strdup(c->directory);
	return true;
}

/* The job waits in the cgroups it will run in. */
static void view_the_job(struct session *s)
{
	struct job_cgroups *c = &s->cgroups;

	if (!c->viewed)
		return;
	cgroup_view_follow(&c->view, s->keeper.job_pid);
}

int job_cgroups_take_job(struct session *s, struct error *err)
{
	struct job_cgroups *c = &s->cgroups;

	if (s->options->cgroup != ASSAY_CGROUP_OWN) {
		bool taken = take_for_limits(s);

		view_the_job(s);
		/* What limits have it in counts the job alone as well. */
		if (taken && c->viewed)
			own_cgroups_show(&c->own, &c->view);
		return 0;
	}
	int r = own_cgroups_take(&c->own, s->keeper.job_pid, err);
	if (r == 0) {
		read_use_before(s);
		r = record_directories(s);
	}
	if (r < 0) {
		c->refused = true;
		return error_wrap(err, "--cgroup=own");
	}
	view_the_job(s);
	own_cgroups_show(&c->own, &c->view);
	tell_what_is_missing(s);
	if (s->limiting.phase != LIMITING_NOTHING && own_cgroup_can_kill(&c->own.at[OWN_V2]))
		s->info->limit_cgroup = strdup(c->own.at[OWN_V2].directory);
	return 0;
}

const struct own_cgroup *job_cgroups_unified(const struct session *s)
{
	return &s->cgroups.own.at[OWN_V2];
}

/* The job's processes, the recorder, its keeper and those that keep the outputs. */
static bool is_ours(void *context, pid_t pid)
{
	struct session *s = context;

	return pid == getpid() || pid == s->keeper.pid || pid == s->keeper.job_pid ||
	       outputs_is_helper(s, pid) || ledger_find(&s->monitor.ledger, pid) != NULL;
}

/* False also when it cannot be told. */
static bool hold_only_us(struct session *s)
{
	const struct job_cgroups *c = &s->cgroups;

	/* In a PID namespace of its own those outside are not listed (version 1) or all have the pid 0. */
	return c->viewed && sees_all_processes(&s->roots) && !c->view.place[CGROUP_CPUACCT].own &&
	       cgroup_foreign_processes(&c->view, CGROUP_CPUACCT, is_ours, s) == 0;
}

void job_cgroups_look_at_start(struct session *s)
{
	s->cgroups.only_us_at_start = hold_only_us(s);
	s->monitor.cgroup_self_before_ns = host_own_cpu_ns() - s->self_before_ns +
					   outputs_cpu_ns(s) + keeper_cpu_ns(&s->keeper);
}

void job_cgroups_look_at_end(struct session *s)
{
	s->monitor.cgroup_only_us = s->cgroups.only_us_at_start && hold_only_us(s);
}

void job_cgroups_note(struct session *s)
{
	const bool *left = s->monitor.collect.cgroup_reading->left;
	const char *told = NULL; /* controllers of version 2 share one */

	for (int i = 0; s->cgroups.viewed && i < N_CGROUP_CONTROLLERS; i++) {
		const struct cgroup_place *p = &s->cgroups.view.place[i];

		if (!left[i] || !p->directory || (told && strcmp(told, p->directory) == 0))
			continue;
		told = p->directory;
		run_info_note(s->info,
			"cgroup: something of the job was moved out of %s: what was counted there "
			"is %s of what the job used",
			p->directory, p->own ? "a lower bound" : "no bound");
	}
}

void job_cgroups_close(struct session *s)
{
	struct job_cgroups *c = &s->cgroups;
	struct error err = { 0 };

	if (own_cgroups_remove(&c->own, &err) < 0 && s->options->warn)
		s->options->warn(err.text, s->options->context);
	if (c->viewed)
		cgroup_view_close(&c->view);
	c->viewed = false;
}
