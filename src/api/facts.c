/* SPDX-License-Identifier: MIT */
/* Gathers what a reader of the record must know of the machine and of how the run was started. */
#include "api/facts.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "linux/environment.h"
#include "linux/host.h"
#include "linux/roots.h"
#include "model/run_info.h"

static void text_fact(
	struct assay_run_info *info, const char *section, const char *key, const char *text)
{
	if (text[0])
		run_info_fact(info, section, NULL, key, text, 0);
}

static void number_fact(
	struct assay_run_info *info, const char *section, const char *key, uint64_t number)
{
	run_info_fact(info, section, NULL, key, NULL, number);
}

static void host_facts(struct assay_run_info *info, const struct host *h)
{
	text_fact(info, "host", "hostname", h->hostname);
	text_fact(info, "host", "os_name", h->os_name);
	text_fact(info, "host", "os_id", h->os_id);
	text_fact(info, "host", "os_version_id", h->os_version_id);
	text_fact(info, "host", "kernel_release", h->kernel_release);
	text_fact(info, "host", "kernel_version", h->kernel_version);
	text_fact(info, "host", "machine", h->machine);
	text_fact(info, "host", "cpu_model", h->cpu_model);
	number_fact(info, "host", "cpus_configured", h->cpus_configured);
	number_fact(info, "host", "cpus_online", h->cpus_online);
	if (h->memory_total_bytes) {
		number_fact(info, "host", "memory_total_bytes", h->memory_total_bytes);
		number_fact(info, "host", "swap_total_bytes", h->swap_total_bytes);
	}
	number_fact(info, "host", "page_size_bytes", h->page_size_bytes);
	number_fact(info, "host", "clock_ticks_per_second", h->clock_ticks_per_second);
}

static void user_facts(struct assay_run_info *info)
{
	const struct passwd *entry = getpwuid(geteuid());

	number_fact(info, "user", "uid", geteuid());
	number_fact(info, "user", "gid", getegid());
	if (entry && entry->pw_name)
		text_fact(info, "user", "name", entry->pw_name);
}

static void limit_fact(struct assay_run_info *info, const char *name, const char *key, rlim_t value)
{
	if (value == RLIM_INFINITY)
		run_info_fact(info, "limits", name, key, "unlimited", 0);
	else
		run_info_fact(info, "limits", name, key, NULL, value);
}

static void limit_facts(struct assay_run_info *info)
{
	for (const struct rlimit_name *n = rlimit_names; n->name; n++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t) n->resource, &limit) < 0)
			continue;
		limit_fact(info, n->name, "soft", limit.rlim_cur);
		limit_fact(info, n->name, "hard", limit.rlim_max);
	}
}

static void affinity_facts(struct assay_run_info *info)
{
	struct buf list = { 0 };
	unsigned count = 0;

	if (affinity_list(&list, &count) == 0 && list.data && !list.failed) {
		text_fact(info, "affinity", "cpus", list.data);
		number_fact(info, "affinity", "count", count);
	}
	buf_done(&list);
}

static void cgroup_fact(
	unsigned hierarchy, const char *controllers, const char *path, void *context)
{
	(void) hierarchy;
	run_info_fact(context, "cgroups", NULL, controllers[0] ? controllers : "unified", path, 0);
}

/* SLURM_JWT is a password; a record is for others to read. */
static bool is_secret(const char *name, size_t length)
{
	static const char *const ends[] = { "JWT", "TOKEN", "SECRET", "PASSWORD", "KEY" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t n = strlen(ends[i]);
		if (length >= n && memcmp(name + length - n, ends[i], n) == 0)
			return true;
	}
	return false;
}

/* The variables by which schedulers say which job and step this is; con-duct records the same ones. */
static void scheduler_facts(struct assay_run_info *info)
{
	static const char *const prefixes[] = { "SLURM_", "PBS_", "OSG" };

	for (char **variable = environ; variable && *variable; variable++) {
		const char *equals = strchr(*variable, '=');

		if (equals && is_secret(*variable, (size_t) (equals - *variable)))
			continue;
		for (size_t i = 0; equals && i < ARRAY_SIZE(prefixes); i++) {
			if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) != 0)
				continue;
			char *name = strndup(*variable, (size_t) (equals - *variable));
			if (name)
				run_info_fact(info, "scheduler", NULL, name, equals + 1, 0);
			free(name);
		}
	}
}

void facts_of_machine(struct assay_run_info *info, const struct host *host)
{
	host_facts(info, host);
	user_facts(info);
}

void facts_collect(struct assay_run_info *info, const struct roots *roots, const struct host *host)
{
	facts_of_machine(info, host);
	affinity_facts(info);
	limit_facts(info);
	proc_cgroup_each(roots->proc, getpid(), cgroup_fact, info);
	scheduler_facts(info);
}
