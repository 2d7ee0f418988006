/* SPDX-License-Identifier: MIT */
/* What bounds a job: on trees made here, and from Slurm's environment. */
#include "linux_test.h"
#include "made_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/bounds.h"
#include "api/slurm_request.h"
#include "linux/process_limits.h"
#include "model/run_info.h"
#include "run/allowed.h"

#define GIB (UINT64_C(1) << 30)
#define V1_UNLIMITED "9223372036854771712\n"

static struct made_tree tree;
static struct assay_run_info info;

static void put(const char *path, const char *text)
{
	tree_put(&tree, path, text);
}

static int make_tree(void **state)
{
	(void) state;
	tree_open_empty(&tree);
	static const char *const variables[] = { "SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU",
		"SLURM_CPUS_ON_NODE", "SLURM_CPUS_PER_TASK", "SLURM_JOB_CPUS_PER_NODE",
		"SLURM_NODEID", "SLURM_NTASKS", "SLURM_STEP_ID", "SLURM_JOB_END_TIME" };
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		unsetenv(variables[i]);
	put("proc/meminfo", "MemTotal:       16777216 kB\nSwapTotal:       2097152 kB\n");
	put("proc/sys/kernel/pid_max", "4194304\n");
	put("proc/sys/kernel/threads-max", "127000\n");
	put("sys/devices/system/cpu/online", "0-7\n");
	put("proc/77/status", "Name:\tjob\nUid:\t1000\t1000\t1000\t1000\n"
			      "CapEff:\t0000000000000000\nCpus_allowed_list:\t0-127\n");
	put("proc/77/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max data size             unlimited            unlimited            bytes     \n"
		"Max processes             63500                63500                processes \n"
		"Max address space         unlimited            unlimited            bytes     \n");
	return 0;
}

static int remove_tree(void **state)
{
	(void) state;
	run_info_done(&info);
	tree_close(&tree);
	return 0;
}

static void find(struct bounds *bounds)
{
	struct roots r;
	struct error err;

	assert_int_equal(roots_open(&r, tree.root, &err), 0);
	bounds_find(&info, &r, 77, bounds);
	roots_close(&r);
}

static const struct target_limit *entry(const char *name, const char *source, const char *file)
{
	for (size_t i = 0; i < info.n_target_limits; i++) {
		const struct target_limit *l = &info.target_limits[i];

		if (strcmp(l->name, name) == 0 && strcmp(l->source, source) == 0 &&
			strstr(l->where, file))
			return l;
	}
	return NULL;
}

static void assert_limit(const char *name, const char *source, const char *file, uint64_t limit)
{
	const struct target_limit *l = entry(name, source, file);

	if (!l)
		fail_msg("no %s by %s (%s)", name, source, file);
	assert_int_equal(l->limit, limit);
}

/* Exactly one of each name, and it is this one. */
static void assert_tightest(const char *name, const char *source, const char *file)
{
	size_t n = 0;

	for (size_t i = 0; i < info.n_target_limits; i++)
		n += strcmp(info.target_limits[i].name, name) == 0 &&
		     info.target_limits[i].tightest;
	assert_int_equal(n, 1);
	assert_non_null(entry(name, source, file));
	if (!entry(name, source, file)->tightest)
		fail_msg("%s: %s (%s) is not the tightest", name, source, file);
}

struct expected_limit {
	const char *name, *source, *file;
	uint64_t limit;
	bool tightest;
};

static void assert_limits(const struct expected_limit *expected, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct expected_limit *e = &expected[i];

		assert_limit(e->name, e->source, e->file, e->limit);
		if (e->tightest)
			assert_tightest(e->name, e->source, e->file);
	}
}

#define V1_MOUNTS                                                                                  \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"                                        \
	"32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"                        \
	"33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"              \
	"34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"                        \
	"35 31 0:32 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
#define V2_MOUNT "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

/* By these files the top of a hierarchy is told from what a namespace or a mount shows. */
static void v1_roots(void)
{
	put("sys/fs/cgroup/memory/release_agent", "\n");
	put("sys/fs/cgroup/cpu,cpuacct/release_agent", "\n");
	put("sys/fs/cgroup/cpuset/release_agent", "\n");
	put("sys/fs/cgroup/pids/release_agent", "\n");
}

static void slurm_v1_tree(void)
{
	static const char *const steps[] = { "", "/slurm", "/slurm/uid_1000",
		"/slurm/uid_1000/job_7", "/slurm/uid_1000/job_7/step_0",
		"/slurm/uid_1000/job_7/step_0/task_0" };

	put("proc/self/mountinfo", V1_MOUNTS);
	put("proc/77/cgroup", "5:pids:/user.slice\n"
			      "4:memory:/slurm/uid_1000/job_7/step_0/task_0\n"
			      "3:cpuset:/slurm/uid_1000/job_7/step_0\n"
			      "2:cpu,cpuacct:/\n"
			      "0::/\n");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		bool job = strcmp(steps[i], "/slurm/uid_1000/job_7") == 0;

		const char *limit = job ? "4294967296\n" : V1_UNLIMITED;
		char path[256];

		snprintf(path, sizeof(path), "sys/fs/cgroup/memory%s", steps[i]);
		TREE_PUT(&tree, path, "memory.limit_in_bytes", limit, "memory.memsw.limit_in_bytes",
			limit, "memory.failcnt", job ? "5\n" : "0\n", "memory.memsw.failcnt",
			"0\n");
	}
	v1_roots();
	put("sys/fs/cgroup/cpuset/cpuset.cpus", "0-7\n");
	put("sys/fs/cgroup/cpuset/slurm/uid_1000/job_7/step_0/cpuset.cpus", "2-3\n");
	put("sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 0\n");
	put("sys/fs/cgroup/pids/user.slice/pids.max", "max\n");
}

static void slurm_on_v1_limits_memory_at_the_job(void **state)
{
	(void) state;
	static const struct expected_limit expected[] = {
		{ "memory", "cgroup", "/slurm/uid_1000/job_7/memory.limit_in_bytes", 4 * GIB,
			true },
		{ "memory_and_swap", "cgroup", "job_7/memory.memsw.limit_in_bytes", 4 * GIB,
			false },
		{ "memory", "host", "MemTotal", 16 * GIB, false },
		{ "cpu", "cpuset", "(2-3)", 2000, true },
		{ "cpu", "cpuset", "job_7/step_0", 2000, true },
		{ "processes", "RLIMIT_NPROC", "limits", 63500, true },
	};
	struct bounds bounds;

	slurm_v1_tree();
	find(&bounds);
	assert_limits(expected, ARRAY_SIZE(expected));
	assert_string_equal(entry("memory", "cgroup", "limit_in_bytes")->note,
		"set 2 levels up: shared with all below");

	/* The counter stands at the job, not at the task; and the sum of memory and swap, which is the same, is refused first: 0 says nothing. */
	assert_false(entry("memory", "cgroup", "limit_in_bytes")->has_hits);
	assert_false(entry("memory_and_swap", "cgroup", "limit_in_bytes")->has_hits);
	put("sys/fs/cgroup/memory/slurm/uid_1000/job_7/memory.failcnt", "8\n");
	bounds_count(&bounds, &info);
	assert_int_equal(entry("memory", "cgroup", "limit_in_bytes")->hits, 3);
	put("sys/fs/cgroup/memory/slurm/uid_1000/job_7/memory.memsw.failcnt", "9\n");
	bounds_count(&bounds, &info);
	assert_int_equal(entry("memory", "cgroup", "limit_in_bytes")->hits, 9);
	bounds_done(&bounds);
}

static void slurm_v2_tree(void)
{
	static const char *const steps[] = { "system.slice", "slurmstepd.scope", "job_7", "step_0",
		"user", "task_0" };
	char path[256] = "sys/fs/cgroup";

	put("proc/self/mountinfo", V2_MOUNT);
	put("proc/77/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n");
	put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		bool job = strcmp(steps[i], "job_7") == 0;
		size_t n = strlen(path);

		assert_true(n + strlen(steps[i]) + 2 <= sizeof(path));
		path[n] = '/';
		memcpy(path + n + 1, steps[i], strlen(steps[i]) + 1);
		TREE_PUT(&tree, path, "cgroup.events", "populated 1\n", "memory.current", "4096\n",
			"pids.current", "1\n", "memory.max", job ? "4294967296\n" : "max\n",
			"memory.high", job ? "4187593113\n" : "max\n", "memory.swap.max",
			job ? "0\n" : "max\n", "pids.max", "max\n", "cpu.max", "max 100000\n",
			"cgroup.controllers", "cpuset cpu io memory pids\n",
			"cpuset.cpus.effective", i < 2 ? "0-7\n" : "4-5\n", "memory.events",
			"low 0\nhigh 7\nmax 2\noom 0\noom_kill 0\n");
	}
}

static void slurm_on_v2_limits_memory_at_the_job(void **state)
{
	(void) state;
	static const struct expected_limit expected[] = {
		{ "memory", "cgroup", "/job_7/memory.max", 4 * GIB, false },
		/* The kernel rounds to pages, the file does not. */
		{ "memory", "cgroup", "/job_7/memory.high", 4187593113, true },
		{ "swap", "cgroup", "/job_7/memory.swap.max", 0, true },
		{ "cpu", "cpuset", "(4-5)", 2000, true },
		{ "cpu", "affinity", "(0-127)", 8000, false },
	};
	struct bounds bounds;

	slurm_v2_tree();
	find(&bounds);
	assert_limits(expected, ARRAY_SIZE(expected));
	assert_null(entry("processes", "cgroup", "pids.max"));
	put("sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.events",
		"low 0\nhigh 17\nmax 6\noom 0\noom_kill 0\n");
	bounds_count(&bounds, &info);
	assert_int_equal(entry("memory", "cgroup", "memory.max")->hits, 4);
	assert_int_equal(entry("memory", "cgroup", "memory.high")->hits, 10);
	bounds_done(&bounds);
}

static void a_container_has_its_limits_at_the_top_of_what_it_sees(void **state)
{
	(void) state;
	static const struct expected_limit expected[] = {
		{ "memory", "cgroup", "/sys/fs/cgroup/memory.max", 2 * GIB, true },
		{ "cpu", "cgroup", "/sys/fs/cgroup/cpu.max", 1500, true },
		{ "processes", "cgroup", "/sys/fs/cgroup/pids.max", 100, true },
	};
	struct bounds bounds;

	put("proc/self/mountinfo", V2_MOUNT);
	put("proc/77/cgroup", "0::/\n");
	put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
	put("sys/fs/cgroup/cgroup.type", "domain\n");
	put("sys/fs/cgroup/cgroup.events", "populated 1\nfrozen 0\n");
	put("sys/fs/cgroup/memory.current", "1048576\n");
	put("sys/fs/cgroup/pids.current", "1\n");
	put("sys/fs/cgroup/memory.max", "2147483648\n");
	put("sys/fs/cgroup/memory.high", "max\n");
	put("sys/fs/cgroup/memory.swap.max", "max\n");
	put("sys/fs/cgroup/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n");
	put("sys/fs/cgroup/memory.events.local", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n");
	put("sys/fs/cgroup/pids.max", "100\n");
	put("sys/fs/cgroup/pids.events", "max 0\n");
	put("sys/fs/cgroup/cpu.max", "150000 100000\n");
	put("sys/fs/cgroup/cpu.stat",
		"usage_usec 5\nnr_periods 10\nnr_throttled 2\nthrottled_usec 1000\n");
	find(&bounds);
	assert_limits(expected, ARRAY_SIZE(expected));
	assert_non_null(strstr(entry("memory", "cgroup", "memory.max")->note, "hidden"));

	put("sys/fs/cgroup/memory.events", "low 0\nhigh 0\nmax 100\noom 0\noom_kill 0\n");
	put("sys/fs/cgroup/memory.events.local", "low 0\nhigh 0\nmax 1\noom 0\noom_kill 0\n");
	put("sys/fs/cgroup/pids.events", "max 4\n");
	put("sys/fs/cgroup/cpu.stat",
		"usage_usec 5\nnr_periods 310\nnr_throttled 14\nthrottled_usec 2501000\n");
	bounds_count(&bounds, &info);
	assert_int_equal(entry("memory", "cgroup", "memory.max")->hits, 1);
	assert_int_equal(entry("processes", "cgroup", "pids.max")->hits, 4);
	const struct target_limit *cpu = entry("cpu", "cgroup", "cpu.max");
	assert_int_equal(cpu->hits, 12);
	assert_int_equal(cpu->periods, 300);
	assert_int_equal(cpu->throttled_ns, 2500000000);
	bounds_done(&bounds);
}

/* A container of version 1 that shares nothing but its own part of the hierarchy: only memory.stat tells of what is above. */
static void a_limit_that_a_mount_hides_is_known_from_memory_stat(void **state)
{
	(void) state;
	struct bounds bounds;
	char name[ALLOWED_NAME_SIZE];

	put("proc/self/mountinfo",
		"32 31 0:29 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	put("proc/77/cgroup", "4:memory:/docker/abc\n");
	put("sys/fs/cgroup/memory/memory.limit_in_bytes", V1_UNLIMITED);
	put("sys/fs/cgroup/memory/memory.memsw.limit_in_bytes", V1_UNLIMITED);
	put("sys/fs/cgroup/memory/memory.failcnt", "0\n");
	put("sys/fs/cgroup/memory/memory.stat",
		"total_cache 0\ntotal_rss 4096\nhierarchical_memory_limit 1073741824\n"
		"hierarchical_memsw_limit 2147483648\n");
	find(&bounds);
	assert_limit("memory", "cgroup", "/memory.stat hierarchical_memory_limit", GIB);
	assert_limit("memory_and_swap", "cgroup", "hierarchical_memsw_limit", 2 * GIB);
	assert_tightest("memory", "cgroup", "memory.stat");
	const struct target_limit *l = entry("memory", "cgroup", "memory.stat");
	assert_false(l->has_hits);
	assert_string_equal(
		l->note, "set above what can be seen from here: its hits cannot be counted");
	allowed_name(l, name);
	assert_string_equal(name, "cgroup memory.stat");
	bounds_done(&bounds);
}

static void where_nothing_is_limited_the_host_binds(void **state)
{
	(void) state;

	put("proc/self/mountinfo", V1_MOUNTS);
	put("proc/77/cgroup", "5:pids:/\n4:memory:/\n3:cpuset:/\n2:cpu,cpuacct:/\n");
	put("proc/77/status",
		"Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nCpus_allowed_list:\t0-7\n");
	v1_roots();
	put("sys/fs/cgroup/memory/memory.limit_in_bytes", V1_UNLIMITED);
	put("sys/fs/cgroup/cpuset/cpuset.cpus", "0-7\n");
	put("sys/fs/cgroup/cpu,cpuacct/cpu.shares", "1024\n");
	put("sys/fs/cgroup/pids/tasks", "77\n");
	find(NULL);
	assert_tightest("memory", "host", "MemTotal");
	assert_tightest("cpu", "host", "online");
	assert_tightest("processes", "host", "threads-max");
	assert_limit("processes", "host", "pid_max", 4194304);
	for (size_t i = 0; i < info.n_target_limits; i++) {
		assert_string_not_equal(info.target_limits[i].source, "cgroup");
		assert_string_not_equal(info.target_limits[i].source, "RLIMIT_NPROC");
	}
}

static void limits_of_each_process_are_told_apart(void **state)
{
	(void) state;
	struct process_rlimits r;
	static const char bad[] =
		"Max address space         12x                  unlimited            bytes\n";

	put("proc/self/mountinfo", "");
	put("proc/77/cgroup", "");
	put("proc/77/limits",
		"Max data size             1073741824           unlimited            bytes     \n"
		"Max address space         2147483648           unlimited            bytes     \n");
	find(NULL);
	assert_limit("memory", "RLIMIT_AS", "/proc/PID/limits", 2 * GIB);
	assert_limit("memory", "RLIMIT_DATA", "/proc/PID/limits", GIB);
	assert_tightest("memory", "RLIMIT_DATA", "limits");
	assert_true(allowed_is_per_process(entry("memory", "RLIMIT_AS", "")));
	assert_string_equal(allowed_tightest(&info, "memory")->source, "host");
	assert_null(entry("processes", "RLIMIT_NPROC", ""));
	assert_int_equal(process_rlimits_parse(bad, strlen(bad), &r), -EINVAL);
}

static void lists_of_cpus_are_counted_by_what_is_online(void **state)
{
	(void) state;
	static const struct {
		const char *text;
		int r;
		unsigned count;
	} cases[] = { { "0-3,8\n", 0, 5 }, { "\n", 0, 0 }, { "", 0, 0 }, { "0,0-1", 0, 2 },
		{ "8191", 0, 1 }, { "8192", -ERANGE, 0 }, { "3-1", -EINVAL, 0 },
		{ "1,", -EINVAL, 0 }, { "1 2", -EINVAL, 0 }, { "-1", -EINVAL, 0 },
		{ "0-99999999999999999999", -EINVAL, 0 } };
	struct cpu_list a;
	struct cpu_list b;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(
			cpu_list_parse(cases[i].text, strlen(cases[i].text), &a), cases[i].r);
		if (cases[i].r == 0)
			assert_int_equal(cpu_list_count(&a), cases[i].count);
	}
	cpu_list_parse("0-63,100", 8, &a);
	cpu_list_parse("60-70,100", 9, &b);
	assert_int_equal(cpu_list_count_common(&a, &b), 5);
}

static void slurm_says_how_many_cpus_each_node_has(void **state)
{
	(void) state;
	assert_int_equal(slurm_cpus_of_node("4(x2),2", 0), 4);
	assert_int_equal(slurm_cpus_of_node("4(x2),2", 1), 4);
	assert_int_equal(slurm_cpus_of_node("4(x2),2", 2), 2);
	assert_int_equal(slurm_cpus_of_node("4(x2),2", 3), 0);
	assert_int_equal(slurm_cpus_of_node("4(x2),2", -1), 0);
	assert_int_equal(slurm_cpus_of_node("4(x2),4", -1), 4);
	assert_int_equal(slurm_cpus_of_node("72(x3)", 2), 72);
	static const char *const bad[] = { "", "x", "4(x2", "4(2)", "4(x0)", "0", "-4", "4,", ",4",
		"4 ", "4(x2)2", "4(x-1)", "99999999999999999999", "4(x99999999999999999999)",
		"4,x" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (slurm_cpus_of_node(bad[i], 0) != 0)
			fail_msg("\"%s\" was taken", bad[i]);
}

static void what_was_asked_from_slurm_bounds_too(void **state)
{
	(void) state;

	setenv("SLURM_MEM_PER_CPU", "1024", 1);
	setenv("SLURM_JOB_CPUS_PER_NODE", "4(x2),2", 1);
	setenv("SLURM_NODEID", "2", 1);
	setenv("SLURM_CPUS_PER_TASK", "1", 1);
	setenv("SLURM_NTASKS", "4", 1);
	setenv("SLURM_JOB_END_TIME", "2000003600", 1);
	info.started_realtime_ns = 2000000000 * NSEC_PER_SEC;
	find(NULL);
	assert_limit("memory", "slurm", "SLURM_MEM_PER_CPU", 2 * GIB);
	assert_limit("cpu", "slurm", "SLURM_JOB_CPUS_PER_NODE", 2000);
	assert_null(entry("cpu", "slurm", "SLURM_CPUS_PER_TASK"));
	assert_limit("time", "slurm", "SLURM_JOB_END_TIME", 3600 * NSEC_PER_SEC);
	assert_tightest("memory", "slurm", "SLURM_MEM_PER_CPU");
	assert_tightest("time", "slurm", "SLURM_JOB_END_TIME");
	assert_int_equal(info.n_notes, 0);

	setenv("SLURM_STEP_ID", "0", 1);
	setenv("SLURM_CPUS_ON_NODE", "4", 1);
	setenv("SLURM_MEM_PER_NODE", "0", 1);
	find(NULL);
	assert_limit("cpu", "slurm", "SLURM_CPUS_PER_TASK", 1000);
	assert_limit("cpu", "slurm", "SLURM_CPUS_ON_NODE", 4000);
	assert_limit("memory", "slurm", "SLURM_MEM_PER_NODE", 16 * GIB);
	assert_tightest("memory", "host", "MemTotal");
	assert_string_equal(entry("memory", "slurm", "")->note, "0: all memory of the node");
}

static void hostile_variables_give_a_note_and_no_number(void **state)
{
	(void) state;
	static const char *const bad[] = { "-1", "+1", " 1", "1 ", "1x", "0x10", "1.5", "1e3",
		"18446744073709551616", "99999999999999999999999999", "9999999999999", "4G", "\n",
		"four" };
	static const char *const variables[] = { "SLURM_MEM_PER_NODE", "SLURM_CPUS_ON_NODE",
		"SLURM_CPUS_PER_TASK", "SLURM_JOB_END_TIME", "SLURM_JOB_CPUS_PER_NODE" };

	info.started_realtime_ns = 1;
	for (size_t v = 0; v < ARRAY_SIZE(variables); v++) {
		for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
			run_info_done(&info);
			info.started_realtime_ns = 1;
			setenv(variables[v], bad[i], 1);
			find(NULL);
			for (size_t k = 0; k < info.n_target_limits; k++)
				if (strcmp(info.target_limits[k].source, "slurm") == 0)
					fail_msg("%s=%s gave %" PRIu64, variables[v], bad[i],
						info.target_limits[k].limit);
			assert_int_equal(info.n_notes, 1);
			assert_int_equal(
				strncmp(info.notes[0], variables[v], strlen(variables[v])), 0);
		}
		setenv(variables[v], "", 1);
		run_info_done(&info);
		find(NULL);
		assert_int_equal(info.n_notes, 0);
		unsetenv(variables[v]);
	}
	setenv("SLURM_CPUS_ON_NODE", "100000", 1);
	setenv("SLURM_MEM_PER_CPU", "16777216", 1);
	find(NULL);
	assert_limit("memory", "slurm", "", UINT64_C(16777216) * 100000 << 20);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_TREE(slurm_on_v1_limits_memory_at_the_job),
		IN_A_TREE(slurm_on_v2_limits_memory_at_the_job),
		IN_A_TREE(a_container_has_its_limits_at_the_top_of_what_it_sees),
		IN_A_TREE(a_limit_that_a_mount_hides_is_known_from_memory_stat),
		IN_A_TREE(where_nothing_is_limited_the_host_binds),
		IN_A_TREE(limits_of_each_process_are_told_apart),
		IN_A_TREE(lists_of_cpus_are_counted_by_what_is_online),
		IN_A_TREE(slurm_says_how_many_cpus_each_node_has),
		IN_A_TREE(what_was_asked_from_slurm_bounds_too),
		IN_A_TREE(hostile_variables_give_a_note_and_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
