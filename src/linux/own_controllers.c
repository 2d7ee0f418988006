/* SPDX-License-Identifier: MIT */
/* Hands controllers of version 2 on to a cgroup of our own, where that touches nobody else, and takes them back. */
#include "linux/own_controllers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define LIST_SIZE 512

static const char *const wanted[] = { "memory", "pids", "io" };

static bool write_file(int directory, const char *name, const char *text)
{
	AUTO_CLOSE int fd = openat(directory, name, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t) strlen(text);
}

/* Whether a file of words with blanks between has this one. */
static bool file_has(int directory, const char *name, const char *word)
{
	char text[LIST_SIZE];
	ssize_t n = read_root_file(directory, name, text, sizeof(text));
	size_t length = strlen(word);

	for (const char *at = text; n > 0 && *at; at += *at != '\0') {
		size_t here = strcspn(at, " \n");

		if (here == length && memcmp(at, word, length) == 0)
			return true;
		at += here;
	}
	return false;
}

/* Every line of cgroup.procs is our pid. */
static bool holds_us_alone(int directory)
{
	char text[LIST_SIZE];
	ssize_t n = read_root_file(directory, "cgroup.procs", text, sizeof(text));
	const char *at = text;
	uint64_t pid;

	while (n > 0 && at < text + n) {
		if (!scan_u64(&at, text + n, &pid) || pid != (uint64_t) getpid() || *at != '\n')
			return false;
		at++;
	}
	return n > 0;
}

static bool has_other_children(const struct own_cgroup *job)
{
	int fd = openat(job->parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
	bool other = false;

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	for (struct dirent *entry; !other && (entry = readdir(directory));)
		other = entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
			strcmp(entry->d_name, job->name) != 0;
	closedir(directory);
	return other;
}

/* The root has no cgroup.type: what it hands on is the whole machine's affair. */
static bool is_ours_alone(const struct own_cgroup *job)
{
	return faccessat(job->parent_fd, "cgroup.type", F_OK, 0) == 0 &&
	       faccessat(job->parent_fd, "cgroup.subtree_control", W_OK, AT_EACCESS) == 0 &&
	       holds_us_alone(job->parent_fd) && !has_other_children(job);
}

static bool is_missing(const struct own_cgroup *job, const char *controller)
{
	return file_has(job->parent_fd, "cgroup.controllers", controller) &&
	       !file_has(job->parent_fd, "cgroup.subtree_control", controller);
}

static bool any_is_missing(const struct own_cgroup *job)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (is_missing(job, wanted[i]))
			return true;
	return false;
}

void own_controllers_enable(struct own_controllers *c, const struct roots *roots,
	const struct own_cgroup *job, const char *leaf_name)
{
	char text[16];

	c->leaf = (struct own_cgroup) OWN_CGROUP_NONE;
	c->disable[0] = '\0';
	if (job->fd < 0 || !any_is_missing(job) || !is_ours_alone(job))
		return;
	/* What needs a place now is looked up from where we are: the leaf is made beside the job's, not below it. */
	if (own_cgroup_make(roots, CGROUP_V2, leaf_name, &c->leaf, NULL) < 0)
		return;
	if (own_cgroup_take(&c->leaf, getpid()) < 0) {
		own_cgroup_remove(&c->leaf);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		size_t n = strlen(c->disable);

		snprintf(text, sizeof(text), "+%s", wanted[i]);
		if (is_missing(job, wanted[i]) &&
			write_file(job->parent_fd, "cgroup.subtree_control", text))
			snprintf(c->disable + n, sizeof(c->disable) - n, "%s-%s", n ? " " : "",
				wanted[i]);
	}
	if (!c->disable[0])
		own_cgroup_remove(&c->leaf);
}

void own_controllers_disable(struct own_controllers *c)
{
	/* While the job's cgroup hands one on itself it cannot be taken back. */
	if (c->disable[0] && write_file(c->leaf.parent_fd, "cgroup.subtree_control", c->disable))
		c->disable[0] = '\0';
}

void own_controllers_abandon(const struct own_controllers *c)
{
	if (!c->leaf.directory)
		return;
	const char *last = strrchr(c->leaf.directory, '/');
	char *parent = strndup(c->leaf.directory, (size_t) (last - c->leaf.directory));
	AUTO_CLOSE int fd = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	free(parent);
	if (fd < 0)
		return;
	write_file(fd, "cgroup.subtree_control", c->disable);
	write_file(fd, "cgroup.procs", "0"); /* who writes */
	rmdir(c->leaf.directory);
}
