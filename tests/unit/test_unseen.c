/* SPDX-License-Identifier: MIT */
/* What may have been lost, by what perf, the cgroup and the tree say of one job; and which processes perf does not follow. */
#include "live_roots.h"
#include "test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/units.h"
#include "linux/proc_files.h"
#include "linux/swapping.h"
#include "monitor/conclude.h"
#include "monitor/conclude_parts.h"

#define MS UINT64_C(1000000)

static struct cpu_sources of_perf(uint64_t tree_ms, uint64_t perf_ms, uint64_t processes)
{
	return (struct cpu_sources){ .keeper_ns = tree_ms * MS,
		.tree_ns = tree_ms * MS,
		.has_perf = true,
		.perf_ns = perf_ms * MS,
		.processes = processes };
}

static void perf_that_stopped_at_a_program_tells_nothing(void **state)
{
	struct cpu_sources s = of_perf(250, 1, 12);

	(void) state;
	/* Ten children of 0.3 s of it were lost. */
	assert_false(conclude_perf_tells(&s));
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s = of_perf(250, 245, 12);
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	/* What it misses of being switched to explains as much. */
	s = of_perf(450, 400, 3);
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.switches = 1000;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	/* And it is said that a loss may be in it. */
	s = of_perf(450, 450, 3);
	s.switches = 1000;
	assert_int_equal(conclude_unseen_ns(&s), 20 * MS);
	s.switches = 10000;
	assert_int_equal(conclude_unseen_ns(&s), conclude_perf_deficit_ns(&s) + 100 * MS);
	s = of_perf(250, 245, 12);
	/* All else fits, but one process was seen that it does not follow. */
	s.perf_blind = true;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	/* A loss that it has seen it has seen. */
	s = of_perf(250, 500, 12);
	s.perf_blind = true;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	/* So short a job that the lack of all of it is within what perf may err. */
	s = of_perf(3, 0, 2);
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.childless = true;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
}

static void what_perf_misses_of_ends_leaves_room_for_a_loss(void **state)
{
	struct cpu_sources s = of_perf(2000, 1990, 2);

	(void) state;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	assert_int_equal(conclude_unseen_ns(&s), 20 * MS);
	/* The same with 2500 ends: 0.3 s of a lost child may be in it. */
	s.processes = 2500;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	assert_int_equal(conclude_perf_room_ns(&s), conclude_perf_deficit_ns(&s) - 10 * MS);
	s.processes = 2;
	s.threads = 10000;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.threads = 0;
	s.freed_bytes = UINT64_C(10) << 30;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	/* The same ends in a job of a minute do not matter. */
	s = of_perf(60000, 59990, 2500);
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	assert_int_equal(conclude_unseen_ns(&s), conclude_perf_deficit_ns(&s) - 10 * MS);
}

static void what_was_stolen_does_not_hide_a_loss(void **state)
{
	struct cpu_sources s = of_perf(39000, 40500, 3);

	(void) state;
	/* Three times as much may be perf's; whether it is, nobody knows. */
	s.stolen_ns = 600 * MS;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.stolen_ns = 0;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	/* As long as perf has no more than the tree, however much was stolen: nothing was lost. */
	s = of_perf(39000, 39000, 3);
	s.stolen_ns = 600 * MS;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	assert_int_equal(conclude_unseen_ns(&s), 20 * MS);
}

static void what_is_told_in_ticks_is_not_a_loss(void **state)
{
	struct cpu_sources s = of_perf(100, 240, 25);

	(void) state;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	s.cut_ns = 12 * 20 * MS;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
}

static void a_tree_that_fell_tells_of_a_loss_without_perf(void **state)
{
	struct cpu_sources s = { .tree_ns = 250 * MS, .fell_ns = 200 * MS, .processes = 3 };

	(void) state;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	s.cut_ns = 200 * MS;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.cut_ns = 0;
	s.childless = true; /* the ends of threads */
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
}

static void perf_beside_the_cgroup_tells_what_left_it(void **state)
{
	struct cpu_sources s = of_perf(16, 420, 5);

	(void) state;
	s.has_cgroup = s.cgroup_own = true;
	s.cgroup_ns = 16 * MS;
	conclude_cgroup_own(&s, false);
	assert_true(!s.cgroup_exact && s.cgroup_left && s.perf_beyond);
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	s.perf_ns = 20 * MS;
	conclude_cgroup_own(&s, false);
	assert_true(s.cgroup_exact && !s.perf_beyond);

	/* One that others may be in: it bounds nothing then. */
	s = of_perf(16, 420, 5);
	s.has_cgroup = true;
	s.cgroup_ns = s.cgroup_most_ns = 16 * MS;
	conclude_cgroup_shared(&s, false, true);
	assert_true(!s.cgroup_exact && !s.cgroup_bounds);
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
}

static void rows_that_count_by_waiting(void **state)
{
	static const struct {
		const char *key;
		bool of_cpu, of_others;
	} rows[] = {
		{ "tree_cpu_seconds", true, false },
		{ "keeper_cpu_seconds", true, false },
		{ "tree_io_write_bytes", false, true },
		{ "keeper_io_read_bytes", false, true },
		{ "keeper_max_rss_bytes", false, true },
		{ "tree_minor_faults_count", false, true },
		{ "tree_elapsed_seconds", false, false },
		{ "keeper_reaped_count", false, false },
		{ "cgroup_cpu_seconds", false, false },
		{ "host_cpu_percent", false, false },
	};

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct measure r = { .key = rows[i].key };

		assert_int_equal(conclude_falls_short(&(struct shortfall){ .cpu = true }, &r),
			rows[i].of_cpu);
		assert_int_equal(conclude_falls_short(&(struct shortfall){ .others = true }, &r),
			rows[i].of_others);
		assert_false(conclude_falls_short(&(struct shortfall){ 0 }, &r));
	}
}

/* Starts a copy of cat of that mode, as an ordinary user, and returns when it runs; it ends when its input does. */
static pid_t start_copy(const char *directory, mode_t mode, int input, char path[PATH_MAX])
{
	char block[65536];
	int started[2];
	ssize_t n;

	snprintf(path, PATH_MAX, "%s/cat-%o", directory, mode);
	int from = open("/bin/cat", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	assert_true(from >= 0 && to >= 0);
	while ((n = read(from, block, sizeof(block))) > 0)
		assert_int_equal(write(to, block, (size_t) n), n);
	assert_int_equal(n, 0);
	assert_int_equal(fchmod(to, mode), 0);
	close(from);
	close(to);
	assert_int_equal(pipe2(started, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(2);
		dup2(input, STDIN_FILENO);
		execl(path, path, (char *) NULL);
		_exit(3);
	}
	assert_true(pid > 0);
	close(started[1]);
	assert_int_equal(read(started[0], block, 1), 0);
	close(started[0]);
	return pid;
}

static void perf_does_not_follow_what_may_not_be_read(void **state)
{
	char directory[] = "/tmp/assay-unseen-XXXXXX";
	char open_path[PATH_MAX], closed_path[PATH_MAX];
	int input[2], status;

	(void) state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chmod(directory, 0755), 0);
	assert_int_equal(pipe2(input, O_CLOEXEC), 0);
	pid_t open_pid = start_copy(directory, 0755, input[0], open_path);
	pid_t closed_pid = start_copy(directory, 0111, input[0], closed_path);
	bool of_open = proc_is_followed(live.proc, open_pid);
	bool of_closed = proc_is_followed(live.proc, closed_pid);
	close(input[0]);
	close(input[1]);
	assert_int_equal(waitpid(open_pid, &status, 0), open_pid);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(closed_pid, &status, 0), closed_pid);
	assert_int_equal(status, 0);
	unlink(open_path);
	unlink(closed_path);
	rmdir(directory);
	assert_true(of_open);
	assert_false(of_closed);
	assert_true(proc_is_followed(live.proc, getpid()));
	assert_true(proc_is_followed(live.proc, 0x3fffff));
}

/* Not dumpable either, but no exec has made it so. */
static void perf_follows_who_gives_up_rights(void **state)
{
	int told[2], wait[2], status;
	char byte;

	(void) state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	assert_int_equal(pipe2(wait, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(wait[1]);
		if (setresuid(65534, 65534, 65534) < 0 || write(told[1], "", 1) != 1)
			_exit(2);
		(void) !read(wait[0], &byte, 1);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(read(told[0], &byte, 1), 1);
	bool followed = proc_is_followed(live.proc, pid);
	close(wait[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(followed);
	close(told[0]);
	close(told[1]);
	close(wait[0]);
}

/* A job whose largest process mapped half of its memory twice, and had `outside` in huge pages; what its marks say is 300 MiB. */
static struct headline largest_process(
	const struct verdict *v, uint64_t outside, uint64_t spawn_floor_bytes)
{
	const struct measures none = { 0 };
	struct monitor *m = calloc(1, sizeof(*m));
	struct assay_run_info *info = calloc(1, sizeof(*info));
	struct headline claim = { 0 };

	assert_non_null(m);
	assert_non_null(info);
	m->measures = &none;
	m->census.fd = -1;
	m->cpus_online = 1;
	m->collect.roots = &live;
	m->collect.page_size = 4096;
	m->ledger.spawn_floor_bytes = spawn_floor_bytes;
	m->swapped_at_start_bytes = host_swapped_out_bytes(&live);
	m->ledger.exits.max_rss_bytes = 300 * MIB;
	m->ledger.marks = (struct marks){ .held = { .all = 150 * MIB + outside, .huge = outside },
		.outside_bytes = outside,
		.repeated_bytes = 150 * MIB };
	conclude_memory(m, info, v, false);
	for (size_t i = 0; i < info->n_headline; i++)
		if (strcmp(info->headline[i].name, "memory_peak_process_bytes") == 0)
			claim = info->headline[i];
	free(info);
	free(m);
	return claim;
}

static void no_mark_is_above_a_process_that_was_lost(void **state)
{
	struct verdict v = { 0 };

	(void) state;
	struct headline claim = largest_process(&v, 0, 0);
	assert_int_equal(claim.value.n, 150 * MIB);
	assert_int_equal(claim.value.quality, LOWER_BOUND);
	assert_true(claim.has_upper);
	assert_true(claim.upper >= 300 * MIB);
	v.lost = true;
	snprintf(v.lost_why, sizeof(v.lost_why), "one was lost");
	claim = largest_process(&v, 0, 0);
	assert_int_equal(claim.value.n, 150 * MIB);
	assert_int_equal(claim.value.quality, LOWER_BOUND);
	assert_false(claim.has_upper);
	assert_non_null(strstr(claim.why, "one was lost; up to 150 MiB"));
}

static void what_the_starting_process_had_proves_nothing_of_the_job(void **state)
{
	struct verdict v = { 0 };

	(void) state;
	struct headline claim = largest_process(&v, 20 * MIB, 300 * MIB);
	assert_int_equal(claim.value.quality, UPPER_BOUND);
	assert_true(claim.value.n >= 300 * MIB);
	assert_false(claim.has_lower);
	v.lost = true;
	claim = largest_process(&v, 0, 300 * MIB);
	assert_int_equal(claim.value.quality, ESTIMATE);
	assert_int_equal(claim.value.n, 300 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_that_stopped_at_a_program_tells_nothing),
		cmocka_unit_test(what_perf_misses_of_ends_leaves_room_for_a_loss),
		cmocka_unit_test(what_was_stolen_does_not_hide_a_loss),
		cmocka_unit_test(what_is_told_in_ticks_is_not_a_loss),
		cmocka_unit_test(a_tree_that_fell_tells_of_a_loss_without_perf),
		cmocka_unit_test(perf_beside_the_cgroup_tells_what_left_it),
		cmocka_unit_test(rows_that_count_by_waiting),
		cmocka_unit_test(perf_does_not_follow_what_may_not_be_read),
		cmocka_unit_test(perf_follows_who_gives_up_rights),
		cmocka_unit_test(no_mark_is_above_a_process_that_was_lost),
		cmocka_unit_test(what_the_starting_process_had_proves_nothing_of_the_job),
	};

	return cmocka_run_group_tests(tests, open_live, close_live);
}
