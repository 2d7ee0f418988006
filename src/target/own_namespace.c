/* SPDX-License-Identifier: MIT */
/* Looks for strangers in the job's network namespace. */
#include "target/own_namespace.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "linux/net_dev.h"
#include "linux/proc_files.h"
#include "linux/proc_stat.h"
#include "linux/roots.h"

/* Longer chains of parents are taken for a stranger's. */
#define ANCESTORS_MAX 512
#define STAT_SIZE 1024

struct search {
	const struct roots *roots;
	uint64_t network_namespace;
	pid_t keeper;
	bool found; /* a stranger, or somebody we may not look at */
};

static int parent_of(const struct roots *roots, pid_t pid, pid_t *ret)
{
	char path[32];
	char text[STAT_SIZE];
	struct proc_stat stat;

	(void) snprintf(path, sizeof(path), "%d/stat", (int) pid);
	ssize_t n = read_root_file(roots->proc, path, text, sizeof(text));
	int rc = n < 0 ? (int) n : proc_stat_parse(text, (size_t) n, &stat);
	if (rc == 0)
		*ret = stat.ppid;
	return rc;
}

static bool gone(int error)
{
	return error == -ENOENT || error == -ESRCH;
}

/* Ours: this process and its children (the pumps), the keeper and all below it. */
static bool is_ours(const struct search *s, pid_t pid)
{
	pid_t self = getpid();

	if (pid == self)
		return true;
	for (int i = 0; i < ANCESTORS_MAX; i++) {
		pid_t parent = 0;

		if (pid == s->keeper)
			return true;
		if (pid <= 1)
			return false;
		int rc = parent_of(s->roots, pid, &parent);
		if (rc < 0)
			return gone(rc); /* it ended while we looked */
		if (i == 0 && parent == self)
			return true;
		pid = parent;
	}
	return false;
}

static void look_at(pid_t pid, void *context)
{
	struct search *s = context;
	uint64_t its_own;

	if (s->found)
		return;
	int rc = net_namespace(s->roots, pid, &its_own);
	/* A zombie and a kernel thread's ghost have no namespace, and no traffic. */
	if (rc < 0)
		s->found = !gone(rc);
	else if (its_own == s->network_namespace)
		s->found = !is_ours(s, pid);
}

bool namespace_has_strangers(const struct roots *roots, uint64_t network_namespace, pid_t keeper)
{
	struct search s = {
		.roots = roots, .network_namespace = network_namespace, .keeper = keeper
	};

	/* Mostly this is where the job is, too: then all of /proc need not be listed. */
	look_at(1, &s);
	return s.found || proc_pids_each(roots->proc, look_at, &s) < 0 || s.found;
}

bool namespace_is_the_jobs(const struct roots *roots, uint64_t network_namespace, pid_t keeper)
{
	return sees_all_processes(roots) &&
	       !namespace_has_strangers(roots, network_namespace, keeper);
}
