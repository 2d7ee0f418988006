/* SPDX-License-Identifier: MIT */
/* Which cgroups account for a process and what they allow, in trees as version 1, version 2, hybrid hosts, containers and Slurm have them. */
#include "linux_test.h"
#include "made_tree.h"

#include <string.h>

#include "linux/cgroup_view.h"

#define JOB 4321
#define UNLIMITED_V1 "9223372036854771712\n" /* LONG_MAX without its last page */

#define MOUNTS_V1                                                                                  \
	"31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"                               \
	"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"     \
	"33 31 0:30 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"              \
	"34 31 0:31 / /sys/fs/cgroup/pids rw shared:11 - cgroup cgroup rw,pids\n"                  \
	"35 31 0:32 / /sys/fs/cgroup/net_cls,net_prio rw - cgroup cgroup rw,net_cls,net_prio\n"    \
	"36 31 0:33 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
#define MOUNT_V2 "42 31 0:38 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"

static void assert_place(const struct cgroup_view *v, enum cgroup_controller controller,
	int version, const char *path, const char *directory)
{
	const struct cgroup_place *p = &v->place[controller];

	assert_string_equal(p->why, "");
	assert_int_equal(p->version, version);
	assert_string_equal(p->path, path);
	assert_string_equal(p->directory, directory);
	assert_true(p->fd >= 0);
	assert_true(p->inode != 0);
}

static void assert_limit(const struct cgroup_view *v, enum cgroup_limit_kind kind, uint64_t value,
	unsigned depth, const char *file, const char *directory)
{
	struct cgroup_limit limit;

	assert_int_equal(cgroup_limit_read(v, kind, &limit), 0);
	assert_int_equal(limit.value, value);
	if (directory) {
		assert_string_equal(limit.directory, directory);
		assert_string_equal(limit.file, file);
		assert_int_equal(limit.depth, depth);
	} else {
		assert_null(limit.directory);
	}
	cgroup_limit_done(&limit);
}

static bool hides_above(const struct cgroup_view *v, enum cgroup_limit_kind kind)
{
	struct cgroup_limit limit;

	assert_int_equal(cgroup_limit_read(v, kind, &limit), 0);
	bool hidden = limit.above_hidden;
	cgroup_limit_done(&limit);
	return hidden;
}

/* RHEL 8: slurmd's uid_/job_/step_ levels, the job's the limited one; the task level has none. */
static void put_slurm_v1(const struct made_tree *t)
{
#define SLURM "slurm/uid_1000/job_77"
	TREE_PUT(t, "sys/fs/cgroup/memory", "release_agent", "", "memory.limit_in_bytes",
		UNLIMITED_V1);
	TREE_PUT(t, "sys/fs/cgroup/memory/slurm", "memory.limit_in_bytes", UNLIMITED_V1);
	TREE_PUT(t, "sys/fs/cgroup/memory/slurm/uid_1000", "memory.limit_in_bytes", UNLIMITED_V1);
	TREE_PUT(t, "sys/fs/cgroup/memory/" SLURM, "memory.limit_in_bytes", "4294967296\n",
		"memory.memsw.limit_in_bytes", "4294967296\n");
	TREE_PUT(t, "sys/fs/cgroup/memory/" SLURM "/step_0", "memory.limit_in_bytes",
		"5368709120\n", "memory.memsw.limit_in_bytes", "5368709120\n");
	TREE_PUT(t, "sys/fs/cgroup/memory/" SLURM "/step_0/task_0", "memory.limit_in_bytes",
		UNLIMITED_V1, "memory.memsw.limit_in_bytes", UNLIMITED_V1, "memory.failcnt", "3\n",
		"memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
		"memory.stat",
		"cache 1\nhierarchical_memory_limit 4294967296\n"
		"hierarchical_memsw_limit 4294967296\ntotal_cache 1\ntotal_rss 2\n",
		"cgroup.procs", "4321\n4322\n");
	TREE_PUT(t, "sys/fs/cgroup/cpu,cpuacct", "release_agent", "", "cpu.cfs_quota_us", "-1\n",
		"cpu.cfs_period_us", "100000\n", "cpuacct.usage", "1\n");
	tree_put(t, "proc/4321/cgroup",
		"12:memory:/" SLURM "/step_0/task_0\n11:cpu,cpuacct:/\n4:net_cls,net_prio:/\n"
		"3:pids:/gone (deleted)\n1:name=systemd:/system.slice/slurmd.service\n");
}

static void slurm_of_version_1_has_its_limit_on_the_level_of_the_job(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	struct cgroup_memory_events events;
	(void) state;

	tree_open(&t, MOUNTS_V1);
	put_slurm_v1(&t);
	cgroup_view_open(&v, &t.roots, JOB);
	assert_place(&v, CGROUP_MEMORY, 1, "/" SLURM "/step_0/task_0",
		"/sys/fs/cgroup/memory/" SLURM "/step_0/task_0");
	assert_place(&v, CGROUP_CPU, 1, "/", "/sys/fs/cgroup/cpu,cpuacct");
	assert_place(&v, CGROUP_CPUACCT, 1, "/", "/sys/fs/cgroup/cpu,cpuacct");
	assert_true(v.place[CGROUP_CPUACCT].is_root);
	assert_false(v.place[CGROUP_MEMORY].is_root);
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 4294967296, 2, "memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/" SLURM);
	assert_limit(&v, CGROUP_LIMIT_SWAP, 4294967296, 2, "memory.memsw.limit_in_bytes",
		"/sys/fs/cgroup/memory/" SLURM);
	assert_limit(&v, CGROUP_LIMIT_CPU, CGROUP_UNLIMITED, 0, NULL, NULL);
	assert_false(hides_above(&v, CGROUP_LIMIT_MEMORY));
	struct cgroup_limit none;
	assert_int_equal(cgroup_limit_read(&v, CGROUP_LIMIT_MEMORY_HIGH, &none), -ENOENT);
	assert_int_equal(cgroup_memory_events_read(&v, &events), 0);
	assert_int_equal(events.limit_hits, 3);
	assert_int_equal(events.oom_kill, 1);
	assert_true(events.high == CGROUP_NO_COUNT && events.oom == CGROUP_NO_COUNT);
	cgroup_view_close(&v);
	tree_close(&t);
}

static void what_is_not_there_says_why(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, MOUNTS_V1);
	put_slurm_v1(&t);
	cgroup_view_open(&v, &t.roots, JOB);
	assert_int_equal(v.place[CGROUP_PIDS].version, 1);
	assert_int_equal(v.place[CGROUP_PIDS].fd, -1);
	assert_non_null(strstr(v.place[CGROUP_PIDS].why, "cannot open the cgroup for the pids"));
	assert_int_equal(v.place[CGROUP_IO].version, 0);
	assert_string_equal(
		v.place[CGROUP_IO].why, "no cgroup hierarchy here has the io controller");
	cgroup_view_close(&v);

	cgroup_view_open(&v, &t.roots, 99);
	assert_string_equal(v.place[CGROUP_MEMORY].why,
		"cannot tell the cgroups of process 99: No such file or directory");
	cgroup_view_close(&v);
	tree_close(&t);
}

/* A task below the last level where Slurm enables controllers; high set above max, quota at the step. */
static void put_slurm_v2(const struct made_tree *t)
{
#define SCOPE "system.slice/slurmstepd.scope"
	TREE_PUT(t, "sys/fs/cgroup", "cgroup.controllers", "cpu memory pids\n", "cpu.stat", "");
	TREE_PUT(t, "sys/fs/cgroup/system.slice", "cgroup.events", "", "memory.max", "max\n",
		"memory.high", "max\n", "pids.max", "300\n", "cpu.max", "max 100000\n",
		"memory.current", "9\n");
	TREE_PUT(t, "sys/fs/cgroup/" SCOPE, "cgroup.events", "", "memory.max", "max\n",
		"memory.high", "3000000000\n", "memory.swap.max", "max\n", "pids.max", "max\n",
		"cpu.max", "max 100000\n");
	TREE_PUT(t, "sys/fs/cgroup/" SCOPE "/job_5", "cgroup.events", "", "memory.max",
		"2147483648\n", "memory.high", "max\n", "memory.swap.max", "0\n", "pids.max",
		"max\n", "cpu.max", "250000 100000\n");
	TREE_PUT(t, "sys/fs/cgroup/" SCOPE "/job_5/step_0", "cgroup.events", "", "memory.max",
		"max\n", "memory.high", "max\n", "memory.swap.max", "max\n", "memory.current",
		"1000\n", "memory.events", "low 0\nhigh 4\nmax 5\noom 2\noom_kill 1\n", "pids.max",
		"max\n", "pids.current", "2\n", "cpu.max", "300000 100000\n",
		"cpuset.cpus.effective", "0-3,8\n", "cgroup.procs", "");
	TREE_PUT(t, "sys/fs/cgroup/" SCOPE "/job_5/step_0/task_0", "cgroup.events", "",
		"cgroup.procs", "4321\n0\n", "cpu.stat", "usage_usec 1\n", "cpu.pressure", "");
	TREE_PUT(t, "sys/fs/cgroup/" SCOPE "/job_5/step_0/task_1", "cgroup.procs", "4400\n");
	tree_put(t, "proc/4321/cgroup", "0::/" SCOPE "/job_5/step_0/task_0\n");
}

static bool is_the_job(void *arg, pid_t pid)
{
	++*(int *) arg;
	return pid == JOB;
}

static void in_version_2_the_nearest_enabled_cgroup_accounts(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	struct cgroup_memory_events events;
	unsigned cpus;
	char list[256];
	int asked = 0;
	const char *step = "/sys/fs/cgroup/" SCOPE "/job_5/step_0";
	const char *task = "/sys/fs/cgroup/" SCOPE "/job_5/step_0/task_0";
	(void) state;

	tree_open(&t, MOUNT_V2);
	put_slurm_v2(&t);
	cgroup_view_open(&v, &t.roots, JOB);
	assert_place(&v, CGROUP_MEMORY, 2, "/" SCOPE "/job_5/step_0", step);
	assert_place(&v, CGROUP_PIDS, 2, "/" SCOPE "/job_5/step_0", step);
	assert_place(&v, CGROUP_CPU, 2, "/" SCOPE "/job_5/step_0", step);
	assert_place(&v, CGROUP_CPUACCT, 2, "/" SCOPE "/job_5/step_0/task_0", task);
	assert_place(&v, CGROUP_PRESSURE, 2, "/" SCOPE "/job_5/step_0/task_0", task);
	assert_int_equal(v.place[CGROUP_IO].fd, -1);
	assert_string_equal(v.place[CGROUP_IO].why,
		"the io controller is not enabled for the cgroup of the process");
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 2147483648, 1, "memory.max",
		"/sys/fs/cgroup/" SCOPE "/job_5");
	assert_limit(&v, CGROUP_LIMIT_MEMORY_HIGH, 3000000000, 2, "memory.high",
		"/sys/fs/cgroup/" SCOPE);
	assert_limit(
		&v, CGROUP_LIMIT_SWAP, 0, 1, "memory.swap.max", "/sys/fs/cgroup/" SCOPE "/job_5");
	assert_limit(&v, CGROUP_LIMIT_PIDS, 300, 3, "pids.max", "/sys/fs/cgroup/system.slice");
	assert_limit(&v, CGROUP_LIMIT_CPU, 2500, 1, "cpu.max", "/sys/fs/cgroup/" SCOPE "/job_5");
	assert_false(hides_above(&v, CGROUP_LIMIT_MEMORY));
	assert_int_equal(cgroup_memory_events_read(&v, &events), 0);
	assert_true(events.limit_hits == 5 && events.high == 4 && events.oom == 2 &&
		    events.oom_kill == 1);
	assert_int_equal(cgroup_cpuset_read(&v, &cpus, list), 0);
	assert_int_equal(cpus, 5);
	assert_string_equal(list, "0-3,8");
	/* 0 is a process of another PID namespace, 4400 is in the next task */
	assert_int_equal(cgroup_foreign_processes(&v, CGROUP_MEMORY, is_the_job, &asked), 1);
	assert_int_equal(cgroup_foreign_processes(&v, CGROUP_CPUACCT, is_the_job, &asked), 1);
	cgroup_view_close(&v);
	tree_close(&t);
}

static void another_process_of_the_same_cgroups_keeps_what_is_open(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, MOUNT_V2);
	tree_put(&t, "proc/4321/cgroup", "0::/a\n");
	tree_put(&t, "proc/4400/cgroup", "0::/a\n");
	tree_put(&t, "proc/4401/cgroup", "0::/a/below\n");
	tree_put(&t, "sys/fs/cgroup/a/cpu.stat", "usage_usec 1\n");
	tree_put(&t, "sys/fs/cgroup/a/below/cpu.stat", "usage_usec 1\n");
	cgroup_view_open(&v, &t.roots, JOB);
	const char *directory = v.place[CGROUP_CPUACCT].directory;
	cgroup_view_follow(&v, 4400);
	assert_int_equal(v.pid, 4400);
	assert_ptr_equal(v.place[CGROUP_CPUACCT].directory, directory);
	cgroup_view_follow(&v, 4401);
	assert_int_equal(v.pid, 4401);
	assert_place(&v, CGROUP_CPUACCT, 2, "/a/below", "/sys/fs/cgroup/a/below");
	cgroup_view_close(&v);
	tree_close(&t);
}

/* Somebody waits for the answer, and a machine may have thousands of cgroups. */
static void who_else_is_in_a_cgroup_is_asked_until_one_is_found(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	int asked = 0;
	(void) state;

	tree_open(&t, MOUNT_V2);
	tree_put(&t, "proc/4321/cgroup", "0::/a\n");
	TREE_PUT(&t, "sys/fs/cgroup/a", "cgroup.events", "", "cpu.stat", "usage_usec 1\n",
		"cgroup.procs", "4321\n");
	cgroup_view_open(&v, &t.roots, JOB);
	assert_int_equal(cgroup_foreign_processes(&v, CGROUP_CPUACCT, is_the_job, &asked), 0);
	tree_put(&t, "sys/fs/cgroup/a/cgroup.procs", "4321\n77\n78\n79\n");
	tree_put(&t, "sys/fs/cgroup/a/below/cgroup.procs", "80\n");
	asked = 0;
	assert_int_equal(cgroup_foreign_processes(&v, CGROUP_CPUACCT, is_the_job, &asked), 1);
	assert_int_equal(asked, 2);
	tree_put(&t, "sys/fs/cgroup/a/cgroup.procs", "4321\n");
	assert_int_equal(cgroup_foreign_processes(&v, CGROUP_CPUACCT, is_the_job, &asked), 1);
	tree_put(&t, "sys/fs/cgroup/a/below/cgroup.procs", "");
	assert_int_equal(cgroup_foreign_processes(&v, CGROUP_CPUACCT, is_the_job, &asked), 0);
	for (int i = 0; i < 100; i++)
		tree_put_at(&t, "", "sys/fs/cgroup/a/c%d/cgroup.procs", i);
	assert_int_equal(cgroup_foreign_processes(&v, CGROUP_CPUACCT, is_the_job, &asked), -1);
	cgroup_view_close(&v);

	/* the root */
	tree_put(&t, "proc/4321/cgroup", "0::/\n");
	TREE_PUT(&t, "sys/fs/cgroup", "cpu.stat", "usage_usec 1\n", "cgroup.procs", "4321\n");
	cgroup_view_open(&v, &t.roots, JOB);
	asked = 0;
	assert_int_equal(cgroup_foreign_processes(&v, CGROUP_CPUACCT, is_the_job, &asked), 1);
	assert_int_equal(asked, 0);
	cgroup_view_close(&v);
	tree_close(&t);
}

/* systemd's hybrid layout: version 2 has no controllers but counts CPU time and pressure. */
static void a_hybrid_host_is_decided_per_controller(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, MOUNTS_V1
		"42 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n");
	TREE_PUT(&t, "sys/fs/cgroup/memory/user.slice", "memory.limit_in_bytes", UNLIMITED_V1);
	TREE_PUT(&t, "sys/fs/cgroup/cpu,cpuacct", "release_agent", "", "cpuacct.usage", "1\n");
	TREE_PUT(&t, "sys/fs/cgroup/unified/user.slice/run.scope", "cgroup.events", "", "cpu.stat",
		"usage_usec 5\n", "cpu.pressure", "", "cgroup.controllers", "\n");
	tree_put(&t, "proc/4321/cgroup",
		"12:memory:/user.slice\n11:cpu,cpuacct:/\n1:name=systemd:/user.slice/run.scope\n"
		"0::/user.slice/run.scope\n");
	cgroup_view_open(&v, &t.roots, JOB);
	assert_place(&v, CGROUP_MEMORY, 1, "/user.slice", "/sys/fs/cgroup/memory/user.slice");
	assert_place(&v, CGROUP_CPU, 1, "/", "/sys/fs/cgroup/cpu,cpuacct");
	/* the root of version 1 holds the whole machine, the scope of version 2 only the job */
	assert_place(&v, CGROUP_CPUACCT, 2, "/user.slice/run.scope",
		"/sys/fs/cgroup/unified/user.slice/run.scope");
	assert_place(&v, CGROUP_PRESSURE, 2, "/user.slice/run.scope",
		"/sys/fs/cgroup/unified/user.slice/run.scope");
	assert_int_equal(v.place[CGROUP_PIDS].version, 0);
	cgroup_view_close(&v);
	tree_close(&t);
}

/* Of version 2: the namespace begins at the container, so what limits above is hidden. */
static void a_private_namespace_hides_the_limits_above(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, MOUNT_V2);
	TREE_PUT(&t, "sys/fs/cgroup", "cgroup.events", "populated 1\n", "cgroup.type", "domain\n",
		"memory.current", "1\n", "memory.max", "1073741824\n");
	tree_put(&t, "proc/4321/cgroup", "0::/\n");
	cgroup_view_open(&v, &t.roots, JOB);
	assert_place(&v, CGROUP_MEMORY, 2, "/", "/sys/fs/cgroup");
	assert_false(v.place[CGROUP_MEMORY].is_root);
	assert_true(v.place[CGROUP_MEMORY].is_namespace_root);
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 1073741824, 0, "memory.max", "/sys/fs/cgroup");
	assert_true(hides_above(&v, CGROUP_LIMIT_MEMORY));
	cgroup_view_close(&v);
	tree_close(&t);
}

/* Of version 1, bind-mounted by the container's manager: memory.stat knows what is above all the same. */
static void version_1_tells_a_limit_above_a_bind_mount(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, "35 31 0:32 /docker/abc /sys/fs/cgroup/a\\040b rw shared:9 master:2 - "
		      "cgroup cgroup rw,memory\n");
	TREE_PUT(&t, "sys/fs/cgroup/a b", "memory.limit_in_bytes", UNLIMITED_V1, "memory.stat",
		"hierarchical_memory_limit 536870912\ntotal_cache 0\ntotal_rss 0\n");
	tree_put(&t, "proc/4321/cgroup", "9:memory:/docker/abc\n");
	tree_put(&t, "proc/4322/cgroup", "9:memory:/docker/abcdef\n");
	cgroup_view_open(&v, &t.roots, JOB);
	assert_place(&v, CGROUP_MEMORY, 1, "/docker/abc", "/sys/fs/cgroup/a b");
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 536870912, 1, "memory.stat hierarchical_memory_limit",
		"/sys/fs/cgroup/a b");
	assert_false(hides_above(&v, CGROUP_LIMIT_MEMORY));
	cgroup_view_close(&v);

	cgroup_view_open(&v, &t.roots, 4322);
	assert_int_equal(v.place[CGROUP_MEMORY].fd, -1);
	assert_non_null(strstr(v.place[CGROUP_MEMORY].why, "outside of what is mounted here"));
	cgroup_view_close(&v);
	tree_close(&t);
}

/* unshare -C without a new mount: our namespace begins two levels below what is mounted, and nothing tells their names. */
static void a_mount_from_above_the_namespace_is_searched_for_the_process(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, "42 31 0:38 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	TREE_PUT(&t, "sys/fs/cgroup/pod/other/inner", "cgroup.procs", "77\n");
	TREE_PUT(&t, "sys/fs/cgroup/pod/ours", "cgroup.procs", "", "memory.max", "4096\n",
		"cgroup.events", "");
	TREE_PUT(&t, "sys/fs/cgroup/pod/ours/inner", "cgroup.procs", "1\n4321\n", "memory.current",
		"5\n", "memory.max", "max\n", "cgroup.events", "");
	TREE_PUT(&t, "sys/fs/cgroup", "cgroup.procs", "");
	tree_put(&t, "proc/4321/cgroup", "0::/inner\n");
	tree_put(&t, "proc/4322/cgroup", "0::/../../beside\n");
	cgroup_view_open(&v, &t.roots, JOB);
	assert_place(&v, CGROUP_MEMORY, 2, "/inner", "/sys/fs/cgroup/pod/ours/inner");
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 4096, 1, "memory.max", "/sys/fs/cgroup/pod/ours");
	assert_false(hides_above(&v, CGROUP_LIMIT_MEMORY));
	cgroup_view_close(&v);

	TREE_PUT(&t, "sys/fs/cgroup/beside", "memory.current", "1\n", "cgroup.events", "");
	cgroup_view_open(&v, &t.roots, 4322);
	assert_place(&v, CGROUP_MEMORY, 2, "/../../beside", "/sys/fs/cgroup/beside");
	cgroup_view_close(&v);
	tree_close(&t);
}

static void of_several_mounts_the_one_that_shows_most_is_taken(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, "40 31 0:38 /a/b /sys/fs/part rw - cgroup2 cgroup2 rw\n"
		      "41 31 0:38 / /sys/fs/gone rw - cgroup2 cgroup2 rw\n"
		      "42 31 0:38 /a /sys/fs/more rw - cgroup2 cgroup2 rw\n");
	TREE_PUT(&t, "sys/fs/part", "memory.current", "1\n", "cgroup.events", "");
	TREE_PUT(&t, "sys/fs/more/b", "memory.current", "1\n", "memory.max", "max\n",
		"cgroup.events", "");
	TREE_PUT(&t, "sys/fs/more", "memory.max", "8192\n", "cgroup.events", "");
	tree_put(&t, "proc/4321/cgroup", "0::/a/b\n");
	cgroup_view_open(&v, &t.roots, JOB);
	assert_place(&v, CGROUP_MEMORY, 2, "/a/b", "/sys/fs/more/b");
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 8192, 1, "memory.max", "/sys/fs/more");
	assert_true(hides_above(&v, CGROUP_LIMIT_MEMORY));
	/* A cgroup of the job's own is made there as well. */
	struct cgroup_place place;
	assert_int_equal(cgroup_place_of(&t.roots, JOB, "", &place), 0);
	assert_string_equal(place.directory, "/sys/fs/more/b");
	cgroup_place_done(&place);
	cgroup_view_close(&v);
	tree_close(&t);
}

static void without_use_hierarchy_a_parent_does_not_bind(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, MOUNTS_V1);
	TREE_PUT(&t, "sys/fs/cgroup/memory/p", "memory.limit_in_bytes", "4096\n",
		"memory.use_hierarchy", "0\n");
	TREE_PUT(&t, "sys/fs/cgroup/memory/p/c", "memory.limit_in_bytes", "8192\n",
		"memory.use_hierarchy", "0\n");
	tree_put(&t, "proc/4321/cgroup", "9:memory:/p/c\n");
	cgroup_view_open(&v, &t.roots, JOB);
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 8192, 0, "memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/p/c");
	tree_put(&t, "sys/fs/cgroup/memory/p/memory.use_hierarchy", "1\n");
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 4096, 1, "memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/p");
	cgroup_view_close(&v);
	tree_close(&t);
}

static void a_directory_made_anew_is_another_cgroup(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, MOUNT_V2);
	TREE_PUT(&t, "sys/fs/cgroup/a", "memory.current", "1\n", "cgroup.events", "");
	tree_put(&t, "proc/4321/cgroup", "0::/a\n");
	cgroup_view_open(&v, &t.roots, JOB);
	assert_int_equal(cgroup_place_check(&v, CGROUP_MEMORY), 0);
	/* renamed, not removed: a file system may give the same inode number again */
	struct made_path from = tree_path(&t, "sys/fs/cgroup/a");
	struct made_path to = tree_path(&t, "sys/fs/cgroup/b");
	assert_int_equal(rename(from.text, to.text), 0);
	assert_int_equal(cgroup_place_check(&v, CGROUP_MEMORY), -ENOENT);
	TREE_PUT(&t, "sys/fs/cgroup/a", "memory.current", "1\n", "cgroup.events", "");
	assert_int_equal(cgroup_place_check(&v, CGROUP_MEMORY), -ESTALE);
	cgroup_view_close(&v);
	tree_close(&t);
}

static void a_place_made_for_the_job_takes_over_what_can_be_seen(void **state)
{
	struct made_tree t;
	struct cgroup_view v;
	(void) state;

	tree_open(&t, MOUNT_V2);
	TREE_PUT(&t, "sys/fs/cgroup/a", "memory.current", "1\n", "cgroup.events", "", "memory.max",
		"4096\n");
	TREE_PUT(&t, "sys/fs/cgroup/a/own", "memory.current", "1\n", "cgroup.events", "",
		"memory.max", "max\n");
	tree_put(&t, "proc/4321/cgroup", "0::/a\n");
	cgroup_view_open(&v, &t.roots, JOB);
	struct cgroup_place own = { .version = 2,
		.path = strdup("/a/own"),
		.directory = strdup("/sys/fs/cgroup/a/own"),
		.fd = openat(t.roots.sys, "fs/cgroup/a/own", O_PATH | O_DIRECTORY | O_CLOEXEC),
		.inode = 5 };
	cgroup_view_set(&v, CGROUP_MEMORY, &own);
	assert_null(own.directory);
	assert_int_equal(own.fd, -1);
	assert_place(&v, CGROUP_MEMORY, 2, "/a/own", "/sys/fs/cgroup/a/own");
	assert_limit(&v, CGROUP_LIMIT_MEMORY, 4096, 1, "memory.max", "/sys/fs/cgroup/a");
	cgroup_view_close(&v);
	tree_close(&t);
}

/* clang-format off */
#define MOUNT_MEMORY "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define STAT(flags) "4321 (job) R 1 1 1 0 -1 " flags " 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0 0\n"
/* clang-format on */

static void in_the_root_of_version_1_is_who_left_or_is_ending(void **state)
{
	static const struct {
		const char *cgroups, *stat;
		bool left;
	} cases[] = { { "9:memory:/j/below\n", STAT("4194304"), false },
		{ "9:memory:/k\n", "", true }, { "9:memory:/\n", "", false },
		{ "9:memory:/\n", STAT("4194308"), false },
		{ "9:memory:/\n", STAT("4194304"), true } };
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made_tree t;
		struct cgroup_view v;
		bool left[N_CGROUP_CONTROLLERS] = { false };

		tree_open(&t, MOUNT_MEMORY);
		TREE_PUT(&t, "sys/fs/cgroup/memory/j", "memory.usage_in_bytes", "5000\n");
		tree_put(&t, "proc/4321/cgroup", "9:memory:/j\n");
		cgroup_view_open(&v, &t.roots, JOB);
		tree_put(&t, "proc/4321/cgroup", cases[i].cgroups);
		tree_put(&t, "proc/4321/stat", cases[i].stat);
		cgroup_view_find_left(&v, JOB, left);
		assert_int_equal(left[CGROUP_MEMORY], cases[i].left);
		assert_false(left[CGROUP_CPUACCT]);
		/* What came back had left all the same. */
		tree_put(&t, "proc/4321/cgroup", "9:memory:/j\n");
		cgroup_view_find_left(&v, JOB, left);
		assert_int_equal(left[CGROUP_MEMORY], cases[i].left);
		cgroup_view_close(&v);
		tree_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slurm_of_version_1_has_its_limit_on_the_level_of_the_job),
		cmocka_unit_test(what_is_not_there_says_why),
		cmocka_unit_test(in_version_2_the_nearest_enabled_cgroup_accounts),
		cmocka_unit_test(another_process_of_the_same_cgroups_keeps_what_is_open),
		cmocka_unit_test(who_else_is_in_a_cgroup_is_asked_until_one_is_found),
		cmocka_unit_test(a_hybrid_host_is_decided_per_controller),
		cmocka_unit_test(a_private_namespace_hides_the_limits_above),
		cmocka_unit_test(version_1_tells_a_limit_above_a_bind_mount),
		cmocka_unit_test(a_mount_from_above_the_namespace_is_searched_for_the_process),
		cmocka_unit_test(of_several_mounts_the_one_that_shows_most_is_taken),
		cmocka_unit_test(without_use_hierarchy_a_parent_does_not_bind),
		cmocka_unit_test(a_directory_made_anew_is_another_cgroup),
		cmocka_unit_test(in_the_root_of_version_1_is_who_left_or_is_ending),
		cmocka_unit_test(a_place_made_for_the_job_takes_over_what_can_be_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
