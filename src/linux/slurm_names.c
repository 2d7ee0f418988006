/* SPDX-License-Identifier: MIT */
/* Takes Slurm's job and step out of paths of cgroups and out of environments. */
#include "linux/slurm_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/cgroup_lines.h"
#include "linux/roots.h"
#include "linux/scan.h"

/* Steps that have a word and no number where Slurm prints them: "12.batch" (slurm_protocol_defs.h). */
static const char *const step_words[] = { "interactive", "batch", "extern" };
#define FIRST_STEP_WORD 0xfffffffaULL

static bool parse_id(const char *text, size_t n, uint64_t *ret)
{
	const char *at = text;

	return scan_u64(&at, text + n, ret) && at == text + n;
}

bool slurm_job_parse(const char *text, size_t n, uint64_t *ret)
{
	uint64_t id;

	if (!parse_id(text, n, &id) || id == 0 || id > SLURM_ID_MAX)
		return false;
	*ret = id;
	return true;
}

const char *slurm_step_word(uint64_t number)
{
	return number >= FIRST_STEP_WORD && number - FIRST_STEP_WORD < ARRAY_SIZE(step_words)
		       ? step_words[number - FIRST_STEP_WORD]
		       : NULL;
}

bool slurm_step_parse(const char *text, size_t n, char ret[SLURM_STEP_SIZE])
{
	uint64_t id = 0;
	const char *word = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(step_words); i++)
		if (n == strlen(step_words[i]) && memcmp(text, step_words[i], n) == 0)
			word = step_words[i];
	if (!word) {
		if (!parse_id(text, n, &id))
			return false;
		word = slurm_step_word(id);
		if (!word && id > SLURM_ID_MAX)
			return false;
	}
	if (word)
		(void) snprintf(ret, SLURM_STEP_SIZE, "%s", word);
	else
		(void) snprintf(ret, SLURM_STEP_SIZE, "%llu", (unsigned long long) id);
	return true;
}

static bool begins_with(const char *name, size_t n, const char *word)
{
	return n >= strlen(word) && memcmp(name, word, strlen(word)) == 0;
}

static bool ends_with(const char *name, size_t n, const char *word)
{
	size_t n_word = strlen(word);

	return n >= n_word && memcmp(name + n - n_word, word, n_word) == 0;
}

struct path_walk {
	bool slurm; /* the name before is one of Slurm's own: jobs come next */
	bool below_slurm; /* version 1 has the user between: "slurm", "uid_1000", "job_7" */
	bool is_job; /* the name before was the job: a step comes next */
	struct slurm_place place;
};

/*
 * Anybody may call a cgroup "job_7"; only below Slurm's own is it a job: "slurm" or "slurm_NODE" of version 1, and in version 2 "slurmstepd.scope",
 * "NODE_slurmstepd.scope" (several slurmd on a machine), "slurmd.service" where it runs without a scope.
 */
static bool each_name(const char *name, size_t n, size_t n_until, void *context)
{
	struct path_walk *w = context;

	if (w->is_job) {
		if (begins_with(name, n, "step_") &&
			slurm_step_parse(name + 5, n - 5, w->place.step))
			w->place.n_step = n_until;
		return false;
	}
	if (w->slurm && begins_with(name, n, "job_") &&
		slurm_job_parse(name + 4, n - 4, &w->place.job)) {
		w->place.n_job = n_until;
		w->is_job = true;
		return true;
	}
	bool top = begins_with(name, n, "slurm") && (n == 5 || name[5] == '_');

	w->slurm = ends_with(name, n, "slurmstepd.scope") ||
		   (begins_with(name, n, "slurm") && ends_with(name, n, ".service")) ||
		   (w->below_slurm && begins_with(name, n, "uid_"));
	w->below_slurm = top;
	return true;
}

bool slurm_place_in_path(const char *path, size_t n, struct slurm_place *ret)
{
	struct path_walk w = { 0 };

	cgroup_names_each(path, n, each_name, &w);
	if (w.place.job == 0)
		return false;
	*ret = w.place;
	return true;
}

bool slurm_place_in_cgroups(const char *membership, struct slurm_place *ret)
{
	struct slurm_place found = { 0 };
	struct slurm_place place;
	struct cgroup_line line;

	while (cgroup_line_next(&membership, &line))
		if (slurm_place_in_path(line.path, line.n_path, &place) &&
			(found.job == 0 || (found.step[0] == '\0' && place.step[0] != '\0')))
			found = place;
	if (found.job == 0)
		return false;
	*ret = found;
	return true;
}

/* The value of the variable, when it is this one. */
static const char *value_of(const struct slurm_environ *e, const char *name, size_t *ret_n)
{
	size_t n = strlen(name);

	if (e->n <= n || e->n > sizeof(e->variable) || memcmp(e->variable, name, n) != 0 ||
		e->variable[n] != '=')
		return NULL;
	*ret_n = e->n - n - 1;
	return e->variable + n + 1;
}

static void take_variable(struct slurm_environ *e)
{
	size_t n;
	const char *value;
	uint64_t job;

	if ((value = value_of(e, "SLURM_JOB_ID", &n))) {
		(void) slurm_job_parse(value, n, &e->place.job);
	} else if ((value = value_of(e, "SLURM_JOBID", &n))) {
		/* the name it had before: only where the other is not there */
		if (e->place.job == 0 && slurm_job_parse(value, n, &job))
			e->place.job = job;
	} else if ((value = value_of(e, "SLURM_STEP_ID", &n))) {
		if (!slurm_step_parse(value, n, e->place.step))
			e->place.step[0] = '\0';
	}
}

void slurm_environ_add(struct slurm_environ *e, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\0') {
			take_variable(e);
			e->n = 0;
		} else if (e->n < sizeof(e->variable)) {
			e->variable[e->n++] = bytes[i];
		} else {
			e->n = sizeof(e->variable) + 1;
		}
	}
}

int slurm_environ_read(const struct roots *roots, pid_t pid, struct slurm_place *ret)
{
	char bytes[4096]; /* what the kernel gives at once */
	struct slurm_environ e = { 0 };
	ssize_t n;
	AUTO_CLOSE int fd = root_file(roots->proc, "%d/environ", (int) pid);

	if (fd < 0)
		return fd;
	for (;;) {
		do
			n = read(fd, bytes, sizeof(bytes));
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		slurm_environ_add(&e, bytes, (size_t) n);
	}
	if (e.place.job == 0)
		e.place.step[0] = '\0';
	*ret = e.place;
	return 0;
}
