/* SPDX-License-Identifier: MIT */
/* The files in a cgroup's directory, and what the collectors make of them. */
#include "cgroup_readings.h"

#include <string.h>

#include "linux/cgroup_files.h"
#include "linux/cgroup_mounts.h"
#include "linux/cgroup_view.h"
#include "linux/pressure.h"

#define PARSE(parser, text, ...) parser(text, strlen(text), __VA_ARGS__)

static void numbers_may_be_max(void **state)
{
	uint64_t n = 5;
	(void) state;

	assert_int_equal(PARSE(cgroup_number_parse, "4096\n", &n), 0);
	assert_int_equal(n, 4096);
	assert_int_equal(PARSE(cgroup_number_parse, "max\n", &n), 0);
	assert_true(n == CGROUP_UNLIMITED);
	n = 5;
	assert_int_equal(PARSE(cgroup_number_parse, "4096", &n), -EINVAL); /* cut */
	assert_int_equal(PARSE(cgroup_number_parse, "\n", &n), -EINVAL);
	assert_int_equal(PARSE(cgroup_number_parse, "maximum\n", &n), -EINVAL);
	assert_int_equal(PARSE(cgroup_number_parse, "-1\n", &n), -EINVAL);
	assert_int_equal(PARSE(cgroup_number_parse, "1\n2\n", &n), -EINVAL);
	assert_int_equal(PARSE(cgroup_number_parse, "18446744073709551616\n", &n), -EINVAL);
	assert_int_equal(n, 5);
}

static void memory_stat_of_version_2_has_the_kernel_or_its_parts(void **state)
{
	struct cgroup_memory_stat m;
	(void) state;

	assert_int_equal(
		PARSE(cgroup_memory_stat_parse,
			"anon 100\nfile 900\nkernel 70\nkernel_stack 16\npagetables "
			"8\nsec_pagetables 0\npercpu 4\n"
			"sock 5\nvmalloc 2\nshmem 300\nfile_mapped 1\nslab_reclaimable 30\n"
			"slab_unreclaimable 10\nslab 40\nworkingset_refault_anon 3\n",
			2, &m),
		0);
	assert_true(m.anon == 100 && m.file == 900 && m.shmem == 300 && m.sock == 5);
	assert_true(m.slab_reclaimable == 30 && m.slab_unreclaimable == 10);
	assert_int_equal(cgroup_memory_stat_kernel(&m), 70);
	assert_true(m.swap == CGROUP_NO_FIELD);

	/* Linux 4.18: nothing but stacks and slab */
	assert_int_equal(PARSE(cgroup_memory_stat_parse,
				 "anon 100\nfile 900\nkernel_stack 16\nslab 40\nsock 5\n", 2, &m),
		0);
	assert_int_equal(cgroup_memory_stat_kernel(&m), 56);
	assert_true(m.shmem == CGROUP_NO_FIELD);
	assert_int_equal(PARSE(cgroup_memory_stat_parse, "anon 1\nfile 2\n", 2, &m), 0);
	assert_true(cgroup_memory_stat_kernel(&m) == CGROUP_NO_FIELD);
}

static void memory_stat_of_version_1_counts_what_is_below(void **state)
{
	struct cgroup_memory_stat m;
	(void) state;

	assert_int_equal(PARSE(cgroup_memory_stat_parse,
				 "cache 1\nrss 2\nrss_huge 0\nshmem 3\nswap "
				 "4\nhierarchical_memory_limit 4096\n"
				 "hierarchical_memsw_limit 8192\ntotal_cache 50\ntotal_rss "
				 "60\ntotal_shmem 20\ntotal_swap 7\n",
				 1, &m),
		0);
	assert_true(m.file == 50 && m.anon == 60 && m.shmem == 20 && m.swap == 7);
	assert_true(m.hierarchical_limit == 4096 && m.hierarchical_swap_limit == 8192);
	assert_int_equal(PARSE(cgroup_memory_stat_parse, "cache 1\nrss 2\n", 1, &m), -EINVAL);
	assert_int_equal(PARSE(cgroup_memory_stat_parse, "anon 1\nfile x\n", 2, &m), -EINVAL);
	assert_int_equal(PARSE(cgroup_memory_stat_parse, "anon 1\nfile 2", 2, &m), -EINVAL);
}

static void cpu_stat_is_in_microseconds_in_version_2_only(void **state)
{
	struct cgroup_cpu_stat c;
	uint64_t user, system;
	(void) state;

	assert_int_equal(
		PARSE(cgroup_cpu_stat_parse,
			"usage_usec 7\nuser_usec 5\nsystem_usec 2\nnice_usec 0\nnr_periods 9\n"
			"nr_throttled 4\nthrottled_usec 11\nnr_bursts 0\nburst_usec 0\n",
			2, &c),
		0);
	assert_true(c.usage_ns == 7000 && c.user_ns == 5000 && c.system_ns == 2000);
	assert_true(c.periods == 9 && c.throttled_periods == 4 && c.throttled_ns == 11000);
	assert_int_equal(
		PARSE(cgroup_cpu_stat_parse, "usage_usec 7\nuser_usec 5\nsystem_usec 2\n", 2, &c),
		0);
	assert_true(c.periods == CGROUP_NO_FIELD);
	assert_int_equal(PARSE(cgroup_cpu_stat_parse,
				 "nr_periods 9\nnr_throttled 4\nthrottled_time 11\n", 1, &c),
		0);
	assert_true(c.throttled_ns == 11 && c.usage_ns == CGROUP_NO_FIELD);
	assert_int_equal(PARSE(cgroup_cpu_stat_parse, "usage_usec 18446744073709551\n", 2, &c), 0);
	assert_int_equal(
		PARSE(cgroup_cpu_stat_parse, "usage_usec 18446744073709552\n", 2, &c), -EINVAL);

	assert_int_equal(
		PARSE(cgroup_cpuacct_stat_parse, "user 12\nsystem 3\n", 100, &user, &system), 0);
	assert_true(user == 120000000 && system == 30000000);
	assert_int_equal(
		PARSE(cgroup_cpuacct_stat_parse, "user 12\n", 100, &user, &system), -EINVAL);
}

struct io_lines {
	char devices[3][24];
	struct cgroup_io io[3];
	size_t n;
};

static void take_io_line(const char *device, const struct cgroup_io *io, void *context)
{
	struct io_lines *lines = context;

	assert_true(lines->n < ARRAY_SIZE(lines->io));
	snprintf(lines->devices[lines->n], sizeof(lines->devices[0]), "%s", device);
	lines->io[lines->n++] = *io;
}

static void io_is_told_by_device(void **state)
{
	struct io_lines lines = { 0 };
	uint64_t read, write;
	(void) state;

	assert_int_equal(
		PARSE(cgroup_io_stat_parse,
			"8:16 rbytes=10 wbytes=20 rios=3 wios=4 dbytes=99 dios=9\n"
			"8:0 rbytes=1 wbytes=2 rios=5 wios=6 dbytes=0 dios=0 cost.usage=8\n253:0\n",
			take_io_line, &lines),
		0);
	assert_int_equal(lines.n, 2);
	assert_string_equal(lines.devices[0], "8:16");
	assert_true(lines.io[0].read_bytes == 10 && lines.io[0].write_bytes == 20);
	assert_true(lines.io[0].read_operations == 3 && lines.io[0].write_operations == 4);
	assert_string_equal(lines.devices[1], "8:0");
	assert_true(lines.io[1].read_bytes == 1 && lines.io[1].write_operations == 6);
	assert_int_equal(cgroup_io_stat_parse("", 0, take_io_line, &lines), 0);
	assert_int_equal(lines.n, 2);
	assert_int_equal(
		PARSE(cgroup_io_stat_parse, "8:0 rbytes=x\n", take_io_line, &lines), -EINVAL);

	assert_int_equal(PARSE(cgroup_blkio_parse,
				 "8:0 Read 100\n8:0 Write 7\n8:0 Sync 107\n8:0 Async 0\n8:0 "
				 "Discard 0\n8:0 Total 107\n"
				 "8:16 Read 1\n8:16 Write 2\nTotal 110\n",
				 &read, &write),
		0);
	assert_true(read == 101 && write == 9);
	assert_int_equal(PARSE(cgroup_blkio_parse, "8:0 Read\n", &read, &write), -EINVAL);
}

static void pressure_has_shares_and_a_total(void **state)
{
	struct pressure p;
	(void) state;

	assert_int_equal(PARSE(pressure_parse,
				 "some avg10=1.05 avg60=20.00 avg300=100.00 total=1234\n"
				 "full avg10=0.00 avg60=0.10 avg300=0.00 total=5\n",
				 &p),
		0);
	assert_true(p.some.there && p.full.there);
	assert_true(p.some.avg_thousandths[0] == 1050 && p.some.avg_thousandths[1] == 20000 &&
		    p.some.avg_thousandths[2] == 100000);
	assert_int_equal(p.full.avg_thousandths[1], 100);
	assert_true(p.some.total_ns == 1234000 && p.full.total_ns == 5000);
	/* of the CPU, before Linux 5.13 */
	assert_int_equal(
		PARSE(pressure_parse, "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", &p), 0);
	assert_false(p.full.there);
	assert_int_equal(
		PARSE(pressure_parse, "some avg10=0.0 avg60=0.00 avg300=0.00 total=0\n", &p),
		-EINVAL);
	assert_int_equal(pressure_parse("", 0, &p), -EINVAL);
}

static void quotas_lists_and_events_are_read(void **state)
{
	struct cgroup_cpu_max max;
	struct cgroup_memory_events e = { 1, 2, 3, 4 };
	uint64_t denied;
	(void) state;

	assert_int_equal(PARSE(cgroup_cpu_max_parse, "max 100000\n", &max), 0);
	assert_true(max.quota_us == CGROUP_UNLIMITED && max.period_us == 100000);
	assert_int_equal(PARSE(cgroup_cpu_max_parse, "5000 20000\n", &max), 0);
	assert_true(max.quota_us == 5000 && max.period_us == 20000);
	assert_int_equal(PARSE(cgroup_cpu_max_parse, "5000\n", &max), -EINVAL);
	assert_int_equal(PARSE(cgroup_cpu_max_parse, "5000 0\n", &max), -EINVAL);
	assert_int_equal(PARSE(cgroup_memory_events_parse,
				 "oom_kill_disable 0\nunder_oom 0\noom_kill 6\n", 1, &e),
		0);
	assert_true(e.oom_kill == 6 && e.limit_hits == 1); /* another file of version 1 has it */
	assert_int_equal(PARSE(cgroup_pids_events_parse, "max 3\n", &denied), 0);
	assert_int_equal(denied, 3);
	assert_int_equal(PARSE(cgroup_pids_events_parse, "", &denied), -EINVAL);
}

static void mounts_that_were_cut_are_not_believed(void **state)
{
	struct cgroup_mounts m;
	char *text = strdup("1 2 0:3 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
			    "4 5 0:6 / /proc rw - proc proc rw\n"
			    "7 8 0:9 /a /x rw a:1 b:2 - cgroup c rw,cpu,cpuacct\n");
	(void) state;

	assert_int_equal(cgroup_mounts_parse(text, &m), 0);
	assert_int_equal(m.n, 2);
	assert_true(cgroup_mount_shows(&m.list[0], "") && !cgroup_mount_shows(&m.list[0], "cpu"));
	assert_true(cgroup_mount_shows(&m.list[1], "cpuacct"));
	assert_false(cgroup_mount_shows(&m.list[1], "cpua"));
	assert_int_equal(m.list[1].device_minor, 9);
	cgroup_mounts_done(&m);
	assert_int_equal(
		cgroup_mounts_parse(strdup("1 2 0:3 / /sys/fs/cgroup rw - cgroup2 cg"), &m),
		-EINVAL);
}

static void put_memory_v2(const struct readings *r, const char *stat)
{
	tree_put(&r->tree, JOB_V2 "/memory.stat", stat);
}

static void put_job_v2(struct readings *r)
{
	TREE_PUT(&r->tree, JOB_V2, "cgroup.events", "", "memory.current", "5000\n", "memory.peak",
		"7000\n", "memory.swap.current", "11\n", "memory.max", "max\n", "memory.high",
		"9000\n", "memory.swap.max", "max\n", "memory.events",
		"low 0\nhigh 1\nmax 2\noom 3\noom_kill 4\n", "cpu.max", "150000 100000\n",
		"cpu.stat",
		"usage_usec 30\nuser_usec 20\nsystem_usec 10\nnr_periods 5\nnr_throttled "
		"2\nthrottled_usec 8\n",
		"pids.current", "3\n", "pids.peak", "6\n", "pids.max", "100\n", "pids.events",
		"max 1\n", "io.stat", "8:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0\n",
		"cpu.pressure",
		"some avg10=2.50 avg60=0.00 avg300=0.00 total=40\nfull avg10=0.00 avg60=0.00 "
		"avg300=0.00 total=0\n",
		"memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
	put_memory_v2(
		r, "anon 1000\nfile 3000\nkernel 500\nsock 20\nshmem 400\nslab_reclaimable 300\n");
}

static void version_2_is_read_whole(void **state)
{
	static const struct expected_reading expected[] = {
		{ "cgroup_memory_current_bytes", 5000, UPPER_BOUND },
		{ "cgroup_memory_peak_bytes", 7000, UPPER_BOUND },
		{ "cgroup_memory_anon_bytes", 1000, UPPER_BOUND },
		{ "cgroup_memory_file_bytes", 2600, UPPER_BOUND },
		{ "cgroup_memory_shmem_bytes", 400, UPPER_BOUND },
		{ "cgroup_memory_kernel_bytes", 500, UPPER_BOUND },
		{ "cgroup_memory_nonreclaimable_bytes", 1620, UPPER_BOUND },
		{ "cgroup_swap_current_bytes", 11, UPPER_BOUND },
		{ "cgroup_swap_peak_bytes", ENOENT, ABSENT },
		{ "cgroup_memory_limit_bytes", ENODATA, ABSENT },
		{ "cgroup_memory_high_limit_bytes", 9000, EXACT },
		{ "cgroup_memory_limit_hits_count", 2, ESTIMATE },
		{ "cgroup_memory_high_hits_count", 1, ESTIMATE },
		{ "cgroup_oom_count", 3, UPPER_BOUND },
		{ "cgroup_oom_kills_count", 4, UPPER_BOUND },
		{ "cgroup_cpu_seconds", 30000, UPPER_BOUND },
		{ "cgroup_cpu_user_seconds", 20000, UPPER_BOUND },
		{ "cgroup_cpu_quota_percent", 150000, EXACT },
		{ "cgroup_cpu_throttled_seconds", 8000, ESTIMATE },
		{ "cgroup_cpu_throttled_periods_count", 2, ESTIMATE },
		{ "cgroup_pids_current_count", 3, UPPER_BOUND },
		{ "cgroup_pids_peak_count", 6, UPPER_BOUND },
		{ "cgroup_pids_limit_count", 100, EXACT },
		{ "cgroup_pids_limit_hits_count", 1, ESTIMATE },
		{ "cgroup_io_read_bytes", 4096, UPPER_BOUND },
		{ "cgroup_io_read_operations_count", 1, UPPER_BOUND },
		{ "cgroup_io_write_bytes", 0, ESTIMATE },
		{ "cgroup_io_write_operations_count", 0, ESTIMATE },
		{ "cgroup_pressure_cpu_some_seconds", 40000, UPPER_BOUND },
		{ "cgroup_pressure_cpu_some_percent", 2500, UPPER_BOUND },
		{ "cgroup_pressure_cpu_full_seconds", 0, ESTIMATE },
		{ "cgroup_pressure_memory_full_seconds", ENOENT, ABSENT },
		{ "cgroup_pressure_io_some_seconds", ENOENT, ABSENT },
	};
	struct readings r;
	(void) state;

	open_readings(&r, MOUNT_V2, "0::/job\n");
	put_job_v2(&r);
	look_up(&r);
	read_all(&r, 1);
	assert_readings(&r, expected, ARRAY_SIZE(expected));
	close_readings(&r);
}

static void the_split_at_the_peak_is_that_of_the_run_alone(void **state)
{
	static const struct expected_reading expected[] = {
		{ "cgroup_memory_nonreclaimable_peak_bytes", 1600, SAMPLED },
		{ "cgroup_memory_anon_at_peak_bytes", 1000, SAMPLED },
		{ "cgroup_memory_file_at_peak_bytes", 2600, SAMPLED },
		{ "cgroup_memory_shmem_at_peak_bytes", 400, SAMPLED },
		{ "cgroup_memory_kernel_at_peak_bytes", 500, SAMPLED },
		{ "cgroup_memory_anon_bytes", 1, SAMPLED },
		{ "cgroup_memory_peak_bytes", 7000, EXACT },
		{ "cgroup_cpu_seconds", 30000, EXACT },
		{ "cgroup_pids_peak_count", 6, UPPER_BOUND },
	};
	struct readings r;
	(void) state;

	open_readings(&r, MOUNT_V2, "0::/job\n");
	put_job_v2(&r);
	look_up(&r);
	r.view.place[CGROUP_MEMORY].own = r.view.place[CGROUP_CPUACCT].own = true;
	/* before the job: the highest of all */
	put_memory_v2(&r, "anon 90000\nfile 0\nkernel 0\nshmem 0\n");
	read_all(&r, 1);
	assert_missing(&r, "cgroup_memory_anon_at_peak_bytes", ENODATA);
	put_memory_v2(&r, "anon 1000\nfile 3000\nkernel 500\nshmem 400\nslab_reclaimable 300\n");
	read_all(&r, 2);
	put_memory_v2(&r, "anon 1\nfile 100000\nkernel 600\nshmem 2\nslab_reclaimable 300\n");
	read_all(&r, 3);
	assert_readings(&r, expected, ARRAY_SIZE(expected));
	close_readings(&r);
}

static void version_1_is_read_from_its_own_files(void **state)
{
	static const struct expected_reading expected[] = {
		{ "cgroup_memory_current_bytes", 5000, UPPER_BOUND },
		{ "cgroup_memory_peak_bytes", 7000, UPPER_BOUND },
		{ "cgroup_memory_file_bytes", 2600, UPPER_BOUND },
		{ "cgroup_memory_kernel_bytes", 600, UPPER_BOUND },
		{ "cgroup_memory_nonreclaimable_bytes", 2000, UPPER_BOUND },
		{ "cgroup_swap_current_bytes", 9, UPPER_BOUND },
		{ "cgroup_memory_limit_bytes", 8192, EXACT },
		{ "cgroup_swap_limit_bytes", ENOENT, ABSENT },
		{ "cgroup_memory_high_limit_bytes", ENOENT, ABSENT },
		{ "cgroup_memory_limit_hits_count", 3, ESTIMATE },
		{ "cgroup_oom_kills_count", 1, UPPER_BOUND },
		{ "cgroup_oom_count", ENOENT, ABSENT },
		{ "cgroup_cpu_seconds", 123456789, UPPER_BOUND },
		{ "cgroup_cpu_quota_percent", 50000, EXACT },
		{ "cgroup_cpu_throttled_seconds", 77, ESTIMATE },
		/* a device without a rule shows nothing: that is no 0 */
		{ "cgroup_io_read_bytes", ENODATA, ABSENT },
		{ "cgroup_io_read_operations_count", 5, ESTIMATE },
		{ "cgroup_io_write_operations_count", ENODATA, ABSENT },
		{ "cgroup_pids_current_count", ENOENT, ABSENT },
	};
	struct readings r;
	(void) state;

	open_readings(&r,
		"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
		"33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		"34 31 0:31 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n",
		"9:memory:/j\n8:cpu,cpuacct:/j\n7:blkio:/j\n");
	TREE_PUT(&r.tree, "sys/fs/cgroup/memory/j", "memory.usage_in_bytes", "5000\n",
		"memory.max_usage_in_bytes", "7000\n", "memory.kmem.usage_in_bytes", "600\n",
		"memory.limit_in_bytes", "8192\n", "memory.memsw.limit_in_bytes", "8192\n",
		"memory.failcnt", "3\n", "memory.oom_control", "under_oom 0\noom_kill 1\n",
		"memory.stat",
		"hierarchical_memory_limit 8192\ntotal_cache 3000\ntotal_rss 1000\ntotal_shmem "
		"400\ntotal_swap 9\n");
	TREE_PUT(&r.tree, "sys/fs/cgroup/cpu,cpuacct/j", "cpuacct.usage", "123456789\n",
		"cpuacct.stat", "user 10\nsystem 2\n", "cpu.stat",
		"nr_periods 4\nnr_throttled 3\nthrottled_time 77\n", "cpu.cfs_quota_us", "50000\n",
		"cpu.cfs_period_us", "100000\n");
	TREE_PUT(&r.tree, "sys/fs/cgroup/blkio/j", "blkio.throttle.io_service_bytes_recursive",
		"Total 0\n", "blkio.throttle.io_serviced_recursive",
		"8:0 Read 5\n8:0 Write 0\nTotal 5\n");
	look_up(&r);
	read_all(&r, 1);
	assert_readings(&r, expected, ARRAY_SIZE(expected));
	assert_reading(&r, "cgroup_cpu_system_seconds",
		2 * (NSEC_PER_SEC / (uint64_t) sysconf(_SC_CLK_TCK)), UPPER_BOUND);
	close_readings(&r);
}

static void a_command_that_was_moved_elsewhere_leaves_no_bound(void **state)
{
	struct readings r;
	(void) state;

	open_readings(&r, MOUNT_V2, "0::/job\n");
	put_job_v2(&r);
	look_up(&r);
	read_all(&r, 1);
	assert_reading(&r, "cgroup_cpu_seconds", 30000, UPPER_BOUND);
	tree_put(&r.tree, "proc/4321/cgroup", "0::/job/below\n");
	read_all(&r, 2 * NSEC_PER_SEC);
	assert_reading(&r, "cgroup_cpu_seconds", 30000, UPPER_BOUND);
	tree_put(&r.tree, "proc/4321/cgroup", "0::/job2\n");
	read_all(&r, 2 * NSEC_PER_SEC + 1);
	assert_reading(&r, "cgroup_cpu_seconds", 30000, UPPER_BOUND);
	read_all(&r, 4 * NSEC_PER_SEC);
	assert_int_equal(cgroup_quality(&r.collect, CGROUP_CPUACCT, EXACT), ESTIMATE);
	/* it has ended: what was seen last stands */
	tree_put(&r.tree, "proc/4321/cgroup", "0::/job (deleted)\n");
	read_all(&r, 6 * NSEC_PER_SEC);
	assert_int_equal(cgroup_quality(&r.collect, CGROUP_MEMORY, EXACT), ESTIMATE);
	close_readings(&r);
}

static void files_are_opened_anew_for_a_place_made_for_the_job(void **state)
{
	struct readings r;
	(void) state;

	open_readings(&r, MOUNT_V2, "0::/job\n");
	put_job_v2(&r);
	TREE_PUT(&r.tree, JOB_V2 "/own", "memory.current", "77\n", "memory.max", "88\n");
	look_up(&r);
	read_all(&r, 1);
	struct cgroup_place own = { .version = 2,
		.directory = strdup("/sys/fs/cgroup/job/own"),
		.fd = openat(r.tree.roots.sys, "fs/cgroup/job/own", O_PATH | O_CLOEXEC) };
	struct stat st;
	assert_int_equal(fstat(own.fd, &st), 0);
	own.inode = st.st_ino;
	cgroup_view_set(&r.view, CGROUP_MEMORY, &own);
	read_all(&r, 2);
	assert_int_equal(reading(&r, "cgroup_memory_current_bytes")->last, 77);
	assert_int_equal(reading(&r, "cgroup_memory_limit_bytes")->last, 88);
	close_readings(&r);
}

/* A cgroup of the live machine, removed also when the test fails. */
static struct cgroup_view here;
static struct roots live;
static char made[32];

static int open_here(void **state)
{
	(void) state;
	snprintf(made, sizeof(made), "assay-test-%d", (int) getpid());
	if (roots_open(&live, "", NULL) < 0)
		return -1;
	cgroup_view_open(&here, &live, 0);
	return 0;
}

static int close_here(void **state)
{
	(void) state;
	if (here.place[CGROUP_CPUACCT].fd >= 0)
		unlinkat(here.place[CGROUP_CPUACCT].fd, made, AT_REMOVEDIR);
	cgroup_view_close(&here);
	roots_close(&live);
	return 0;
}

static void a_counter_is_not_trusted_in_a_cgroup_made_anew(void **state)
{
	const struct cgroup_place *p = &here.place[CGROUP_CPUACCT];
	struct readings r;
	struct stat st;
	char path[128];
	(void) state;

	if (p->fd < 0 || mkdirat(p->fd, made, 0755) < 0)
		SKIP_BECAUSE("needs leave to make a cgroup with CPU accounting");
	snprintf(path, sizeof(path), "%.90s/%s", p->directory, made);
	open_readings(&r, MOUNT_V2, "0::/\n");
	r.view = (struct cgroup_view){ .roots = &live };
	for (int i = 0; i < N_CGROUP_CONTROLLERS; i++)
		r.view.place[i].fd = -1;
	struct cgroup_place own = { .version = p->version,
		.directory = strdup(path),
		.fd = openat(p->fd, made, O_PATH | O_CLOEXEC) };
	assert_int_equal(fstat(own.fd, &st), 0);
	own.inode = st.st_ino;
	cgroup_view_set(&r.view, CGROUP_CPUACCT, &own);
	read_all(&r, 1);
	assert_reading(&r, "cgroup_cpu_seconds", 0, EXACT);
	assert_int_equal(unlinkat(p->fd, made, AT_REMOVEDIR), 0);
	memset(r.batch.run_singles, 0, r.measures.n * sizeof(struct accumulator));
	read_all(&r, 2);
	assert_missing(&r, "cgroup_cpu_seconds", ENODEV);
	assert_int_equal(mkdirat(p->fd, made, 0755), 0);
	read_all(&r, 3);
	assert_missing(&r, "cgroup_cpu_seconds", ESTALE);
	close_readings(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_may_be_max),
		cmocka_unit_test(memory_stat_of_version_2_has_the_kernel_or_its_parts),
		cmocka_unit_test(memory_stat_of_version_1_counts_what_is_below),
		cmocka_unit_test(cpu_stat_is_in_microseconds_in_version_2_only),
		cmocka_unit_test(io_is_told_by_device),
		cmocka_unit_test(pressure_has_shares_and_a_total),
		cmocka_unit_test(quotas_lists_and_events_are_read),
		cmocka_unit_test(mounts_that_were_cut_are_not_believed),
		cmocka_unit_test(version_2_is_read_whole),
		cmocka_unit_test(the_split_at_the_peak_is_that_of_the_run_alone),
		cmocka_unit_test(version_1_is_read_from_its_own_files),
		cmocka_unit_test(a_command_that_was_moved_elsewhere_leaves_no_bound),
		cmocka_unit_test(files_are_opened_anew_for_a_place_made_for_the_job),
		cmocka_unit_test_setup_teardown(
			a_counter_is_not_trusted_in_a_cgroup_made_anew, open_here, close_here),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
