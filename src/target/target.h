/* SPDX-License-Identifier: MIT */
/* What is measured when nothing is started: a tree, a session, a user ... by the words that name it, and which processes belong to it. */
#ifndef ASSAY_TARGET_TARGET_H
#define ASSAY_TARGET_TARGET_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/proc_stat.h"

struct error;
struct roots;

enum target_kind {
	TARGET_JOB, /* the command that was started, and all below its keeper; no word names it */
	TARGET_TREE, /* a process and its descendants */
	TARGET_SESSION, /* setsid(2) */
	TARGET_GROUP, /* a process group: setpgid(2) */
	TARGET_USER, /* by the real user id */
	TARGET_SLURM, /* a job or one of its steps: by its cgroup, or by the environment the process was started with */
	TARGET_CGROUP, /* a cgroup and those below it */
	TARGET_CONTAINER, /* the cgroup of a container (docker, podman, containerd ...), or an apptainer instance's tree */
	TARGET_PIDS, /* a list, without their children */
	TARGET_NAME, /* by comm */
	TARGET_MATCH, /* by a regular expression on the command line */
	TARGET_SYSTEM /* all processes that can be seen */
};
/* Threads of the kernel are in none of them, in the system neither: they work for everybody, and the host's counters hold what they use. */

struct target_pid {
	pid_t pid;
	uint64_t
		start_ticks; /* with the pid, the process that was meant; 0 before target_resolve() */
};

/* One condition. "user:alice+name:python" are two, both of which have to hold. */
struct target_term {
	enum target_kind kind;
	pid_t id; /* TREE, SESSION, GROUP */
	uid_t uid;
	struct target_pid *pids; /* PIDS, and the one of TREE; heap */
	size_t n_pids;
	char *text; /* NAME, MATCH, CGROUP (the path in its hierarchy), CONTAINER and USER (as given); heap */
	char *controller; /* CGROUP that is of one hierarchy, by one of its controllers, "" for version 2; NULL: of any; heap */
	char **cgroups; /* CGROUP, CONTAINER, SLURM: paths as in /proc/PID/cgroup, of any hierarchy; heap */
	size_t n_cgroups;
	uint64_t slurm_job;
	char slurm_step[32]; /* "", "batch", "extern", "0" ... */
	regex_t regex;
	bool has_regex;
};
#define TARGET_TERMS_MAX 4

struct target {
	struct target_term terms[TARGET_TERMS_MAX];
	size_t n_terms;
	char *text; /* in full words, "session:1234"; heap */
	char file_word[48]; /* for a file's name: "user-alice" */
	char people[160]; /* for people: "user alice (uid 1000)" */
};

/* What is known of a process that may belong; what takes a file to know is read when a term asks for it, once. */
struct target_candidate {
	const struct roots *roots;
	const struct proc_stat *stat;
	bool parent_belongs; /* to this target; set for each target apart */
	bool is_member; /* already: of a tree, nobody leaves it */
	int error; /* positive errno of the last file that could not be read; 0 */
	/* read when first asked for */
	bool has_uid, has_cgroups, has_command, has_slurm;
	uid_t uid;
	char *cgroups; /* the text of /proc/PID/cgroup; heap */
	char *command; /* the command line, its words parted by blanks; heap */
	uint64_t slurm_job;
	char slurm_step[32];
};

/*
 * Takes the words apart: "1234" (a tree), "tree:PID", "session[:SID]", "group[:PGID]", "user[:NAME|UID]", "slurm[:JOB[.STEP]]", "cgroup[:PATH]",
 * "container:NAME", "pids:PID,PID", "name:NAME", "match:REGEX", "system"; where something is left out, the caller's own. A PATH may have the
 * controller of its hierarchy before it, as in /proc/PID/cgroup: "memory:/a/b", ":/a/b" for version 2. -EINVAL with a line that says what is wrong
 * and what is known.
 */
int target_parse(const char *text, struct target *ret, struct error *err);
/* Finds what the words mean on this machine now: start times of pids, the user's number, the cgroups. -ESRCH when there is nothing of the kind, -EINVAL
 * for a kernel thread, -ENOENT for a cgroup, user or container that is not there, -EACCES where it may not be looked up; each with a line. */
int target_resolve(struct target *t, const struct roots *roots, struct error *err);
/* Whether the process belongs now. Something unreadable is no, and c->error says why. */
bool target_holds(const struct target *t, struct target_candidate *c);
/* Whether a process that belongs can cease to while it lives: of a tree or a list nobody does. */
bool target_can_be_left(const struct target *t);
/* Whether somebody else can put a process that sleeps into it, into a cgroup. Into others it comes by its own doing, or in sight (setpgid(2)). */
bool target_is_moved_into(const struct target *t);
/* Whether it ends with its first process (a tree) or when all have gone (else). */
pid_t target_first_pid(const struct target *t); /* 0: it has none */
/* Whether it is everybody: it never ends. */
bool target_is_system(const struct target *t);
/* Whether a member of the target has been one since its birth, whoever it was born of. */
bool target_is_born_into(const struct target *t, const struct proc_stat *stat);
void target_candidate_done(struct target_candidate *c);
void target_done(struct target *t);
const char *target_kind_name(enum target_kind kind);

#endif
