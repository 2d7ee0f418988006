/* SPDX-License-Identifier: MIT */
/*
 * The cgroups one process is in, and what their files say: version 1, version 2, and hosts that have both. Decided per controller from
 * /proc/PID/cgroup and /proc/self/mountinfo, never by a setting or the look of a path. cgroups(7); Documentation/admin-guide/cgroup-v2.rst and
 * cgroup-v1/.
 */
#ifndef ASSAY_LINUX_CGROUP_VIEW_H
#define ASSAY_LINUX_CGROUP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct roots;

enum cgroup_controller {
	CGROUP_CPU, /* v1 "cpu" (quota, throttling); v2 cpu.max, cpu.stat */
	CGROUP_CPUACCT, /* v1 "cpuacct" (usage); in v2 cpu.stat is there without any controller */
	CGROUP_CPUSET,
	CGROUP_MEMORY,
	CGROUP_PIDS,
	CGROUP_IO, /* v1 "blkio", v2 "io" */
	CGROUP_PRESSURE, /* v2 only, needs no controller: *.pressure of the process's v2 cgroup */
	N_CGROUP_CONTROLLERS
};

/* Where one controller's files of the process are. */
struct cgroup_place {
	int version; /* 1, 2; 0: there is none, `why` says so */
	int fd; /* O_PATH of the directory; -1 when it cannot be opened */
	/* in the hierarchy, as /proc/PID/cgroup has it; heap; NULL: none. In version 2 it is the nearest one upwards for which the controller is
	 * enabled: that one accounts for the process */
	char *path;
	char *directory; /* in the file system, heap; NULL: mounted nowhere that we can see */
	size_t mount_size; /* how much of `directory` is the mount point: nothing can be seen above it */
	uint64_t
		inode; /* of the directory: its identity. A path may be made anew and count from zero */
	bool own; /* made for the job alone (cgroup_view_set): everything counted in it is the job's */
	bool is_root; /* of the hierarchy, as far as we can tell: no limits there, and it holds the whole machine */
	bool is_namespace_root; /* the top of what our cgroup namespace shows; limits of ancestors above are hidden */
	char why[160]; /* of version 0 or fd -1 */
};

struct cgroup_view {
	const struct roots *roots;
	pid_t pid;
	char *membership; /* its /proc/PID/cgroup; heap; NULL: could not be read */
	struct cgroup_place place[N_CGROUP_CONTROLLERS];
};

/* The cgroup that a process is in itself, enabled controller or not, by the mount that a view takes; a controller is named as in /proc/PID/cgroup, or
 * CGROUP_V2. -ENOENT: there is no such hierarchy (then `path` is NULL), or it is mounted nowhere here, or only a part of it that does not hold the
 * path. To be freed in any case. */
int cgroup_place_of(
	const struct roots *roots, pid_t pid, const char *controller, struct cgroup_place *ret);
void cgroup_place_done(struct cgroup_place *place);

/* Looks the process up and opens its directories; pid 0: this process. Never fails: what is not there says why. cgroup_view_close() frees. */
void cgroup_view_open(struct cgroup_view *view, const struct roots *roots, pid_t pid);
void cgroup_view_close(struct cgroup_view *view);
/* The same for another process: what is open stays so where it is in the same cgroups. */
void cgroup_view_follow(struct cgroup_view *view, pid_t pid);
/* Puts a directory made for the job in the place of one controller (takes over the strings and the descriptor of `place`; a mount_size of 0 is
 * that of the place before, where that is above). */
void cgroup_view_set(
	struct cgroup_view *view, enum cgroup_controller controller, struct cgroup_place *place);
/* Puts a cgroup in the place of those below it, for every controller whose path is `path` or below; counts as made for the target (`own`).
 * The number of places. */
int cgroup_view_raise(struct cgroup_view *view, const char *path);
/* Whether a directory that is opened anew by its path is still the same one: 0, -ESTALE (another one stands there), -ENOENT. */
int cgroup_place_check(const struct cgroup_view *view, enum cgroup_controller controller);

/* Whether the directory is the top of the hierarchy itself, not of the part a namespace or a mount shows. */
bool cgroup_is_root(int directory, int version);

/* Says of each place whether this process is outside of it and of the cgroups below it; what was said before stays, and nothing is allocated. */
void cgroup_view_find_left(
	const struct cgroup_view *view, pid_t pid, bool left[N_CGROUP_CONTROLLERS]);

/* "max" (v2), the page-rounded LONG_MAX of v1, -1 of cpu.cfs_quota_us. */
#define CGROUP_UNLIMITED UINT64_MAX

/* The tightest of a limit from the process's cgroup upwards, as far as the hierarchy can be seen. */
struct cgroup_limit {
	uint64_t value; /* bytes, processes, thousandths of a core; CGROUP_UNLIMITED */
	unsigned depth; /* 0: the process's own cgroup; 1: its parent ... */
	int unreadable; /* negative errno of a level whose file could not be read or understood: there may be a tighter one; 0: none */
	bool above_hidden; /* the walk ended at the root of a namespace: there may be a tighter one above */
	char file[64]; /* "memory.max", "memory.limit_in_bytes" */
	char *directory; /* where it stands; heap; NULL when unlimited. cgroup_limit_done() frees */
};

enum cgroup_limit_kind {
	CGROUP_LIMIT_MEMORY, /* memory.max | memory.limit_in_bytes */
	CGROUP_LIMIT_MEMORY_HIGH, /* memory.high | - */
	CGROUP_LIMIT_SWAP, /* memory.swap.max | memory.memsw.limit_in_bytes (v1: memory and swap together) */
	CGROUP_LIMIT_PIDS, /* pids.max */
	CGROUP_LIMIT_CPU, /* cpu.max | cpu.cfs_quota_us / cpu.cfs_period_us */
	N_CGROUP_LIMIT_KINDS
};

/* 0; -ENOENT: no such controller or file here; other negative errno. */
int cgroup_limit_read(
	const struct cgroup_view *view, enum cgroup_limit_kind kind, struct cgroup_limit *ret);
void cgroup_limit_done(struct cgroup_limit *limit);

/* How often the cgroup or one below it was denied memory: v2 memory.events, v1 memory.oom_control and memory.failcnt. Fields that the kernel does
 * not have are CGROUP_NO_COUNT. */
#define CGROUP_NO_COUNT UINT64_MAX
struct cgroup_memory_events {
	uint64_t limit_hits; /* v2 "max", v1 failcnt */
	uint64_t high; /* v2 "high" */
	uint64_t oom; /* v2 "oom" */
	uint64_t oom_kill; /* both: processes killed */
};
int cgroup_memory_events_read(const struct cgroup_view *view, struct cgroup_memory_events *ret);

/* CPUs of cpuset.cpus.effective (v2), cpuset.effective_cpus or cpuset.cpus (v1): how many, and the list as text. -ENOENT when not there. */
int cgroup_cpuset_read(const struct cgroup_view *view, unsigned *ret_count, char text[256]);

/* Whether a process is in the cgroup of `controller` or below that `is_ours` does not claim: 1, 0; -1 when it cannot be told, also because too many
 * cgroups are below. The root of a hierarchy holds the whole machine: nobody is asked for. */
int cgroup_foreign_processes(const struct cgroup_view *view, enum cgroup_controller controller,
	bool (*is_ours)(void *arg, pid_t pid), void *arg);

#endif
