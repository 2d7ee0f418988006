/* SPDX-License-Identifier: MIT */
/* src/linux against the running kernel: children with known behaviour are started and what is read is compared with it. */
#include "linux_test.h"
#include "live_roots.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "linux/environment.h"
#include "linux/host.h"
#include "linux/proc_files.h"
#include "linux/proc_stat.h"
#include "linux/roots.h"
#include "linux/wake_timer.h"

static void a_zombies_cpu_clock_equals_its_wait4_rusage(void **state)
{
	cpu_set_t before, one;
	struct rusage usage;
	uint64_t ns;
	int status;
	siginfo_t info;
	(void) state;

	/* On one CPU we run only after the child has left it for good, so its clock has stopped. */
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET((size_t) sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	pid_t pid = fork();
	if (pid == 0) {
		burn(BURN_NS / 5);
		_exit(0);
	}
	assert_int_equal(waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(process_cpu_clock(pid, &ns), 0);
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);

	uint64_t us = (uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
		      (uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	/* Two fields, each cut to a microsecond. */
	assert_in_range(ns, us * 1000, us * 1000 + 2000);
	assert_true(ns >= BURN_NS / 5);
	assert_int_equal(process_cpu_clock(pid, &ns), -ESRCH);
}

static void only_a_living_process_has_a_cpu_clock(void **state)
{
	uint64_t ns;
	(void) state;

	assert_int_equal(process_cpu_clock(0, &ns), -ESRCH);
	assert_int_equal(process_cpu_clock(-1, &ns), -ESRCH);
	assert_int_equal(process_cpu_clock(1 << 29, &ns), -ESRCH);
	assert_int_equal(process_cpu_clock(getpid(), &ns), 0);
}

static void seven_more_open_files_are_seven_more(void **state)
{
	struct gate go = make_gate(), done = make_gate();
	uint64_t before, after;
	(void) state;

	pid_t pid = fork();
	if (pid == 0) {
		pass(&done);
		wait_at(&go);
		for (int i = 0; i < 7; i++)
			if (dup(0) < 0)
				_exit(1);
		pass(&done);
		wait_at(&go);
		_exit(0);
	}
	assert_true(wait_at(&done));
	assert_int_equal(proc_fd_count(&live, pid, &before), 0);
	pass(&go);
	assert_true(wait_at(&done));
	assert_int_equal(proc_fd_count(&live, pid, &after), 0);
	end_child(pid);
	assert_true(before >= 4);
	assert_int_equal(after, before + 7);
	assert_int_equal(proc_fd_count(&live, pid, &after), -ENOENT);
	drop_gate(&go);
	drop_gate(&done);
}

static void forbidden_fd_counts_are_errors_and_never_zero(void **state)
{
	struct gate go = make_gate(), ready = make_gate();
	uint64_t count = 0;
	(void) state;

	/* A process that may not be looked into: not dumpable, so its files in /proc are root's. */
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		pass(&ready);
		wait_at(&go);
		_exit(0);
	}
	assert_true(wait_at(&ready));
	int rc = proc_fd_count(&live, pid, &count);
	end_child(pid);
	drop_gate(&go);
	drop_gate(&ready);
	if (rc == 0)
		assert_true(count >= 4);
	else
		assert_int_equal(rc, -EACCES);
}

struct worker {
	struct gate forked, end;
	pid_t tid, child;
};

static void *fork_in_a_thread(void *context)
{
	struct worker *w = context;

	w->tid = (pid_t) syscall(SYS_gettid);
	w->child = fork();
	if (w->child == 0) {
		for (;;)
			pause();
	}
	pass(&w->forked);
	wait_at(&w->end);
	return NULL;
}

static void a_child_forked_by_a_worker_thread_is_listed_under_that_thread(void **state)
{
	struct worker w = { make_gate(), make_gate(), 0, 0 };
	static struct id_list workers, leaders, tasks, pids;
	pthread_t thread;
	(void) state;

	assert_int_equal(pthread_create(&thread, NULL, fork_in_a_thread, &w), 0);
	assert_true(wait_at(&w.forked));
	int rc = proc_children_each(live.proc, getpid(), w.tid, keep_id, &workers);
	assert_int_equal(proc_tasks_each(live.proc, getpid(), keep_id, &tasks), 0);
	assert_int_equal(proc_pids_each(live.proc, keep_id, &pids), 0);
	if (rc == 0)
		rc = proc_children_each(live.proc, getpid(), getpid(), keep_id, &leaders);
	end_child(w.child);
	pass(&w.end);
	assert_int_equal(pthread_join(thread, NULL), 0);
	drop_gate(&w.forked);
	drop_gate(&w.end);

	assert_true(holds(&tasks, w.tid) && holds(&tasks, getpid()));
	assert_true(holds(&pids, getpid()) && holds(&pids, w.child));
	assert_false(holds(&pids, w.tid));
	if (rc == -ENOENT)
		SKIP_BECAUSE("needs a kernel with CONFIG_PROC_CHILDREN");
	assert_int_equal(rc, 0);
	assert_true(workers.n == 1 && holds(&workers, w.child));
	assert_false(holds(&leaders, w.child));
}

static void the_kernels_own_files_are_read_and_agree(void **state)
{
	static char text[16384];
	struct proc_stat st;
	struct proc_status status;
	struct proc_statm statm;
	(void) state;

	int fd = root_file(live.proc, "%d/stat", getpid());
	ssize_t n = read_kernel_record(fd, text, sizeof(text));
	assert_int_equal(proc_stat_parse(text, (size_t) n, &st), 0);
	assert_int_equal(read_kernel_file(fd, text, sizeof(text)) > 0, 1);
	close(fd);
	assert_int_equal(st.pid, getpid());
	assert_int_equal(st.ppid, getppid());

	n = read_root_file(live.proc, "self/status", text, sizeof(text));
	assert_int_equal(proc_status_parse(text, (size_t) n, &status), 0);
	assert_true(status.has_memory);
	assert_int_equal(status.uid, getuid());
	assert_int_equal(status.euid, geteuid());
	assert_int_equal(status.threads, 1);

	n = read_root_file(live.proc, "self/statm", text, sizeof(text));
	assert_int_equal(proc_statm_parse(text, (size_t) n, &statm), 0);
	assert_int_equal(statm.size * (uint64_t) sysconf(_SC_PAGESIZE), st.vsize_bytes);
}

static void smaps_rollup_and_io_of_oneself_are_read(void **state)
{
	static char text[16384];
	struct smaps_rollup rollup;
	struct proc_io io;
	(void) state;

	ssize_t n = read_root_file(live.proc, "self/smaps_rollup", text, sizeof(text));
	if (n == -ENOENT)
		SKIP_BECAUSE("needs a kernel with smaps_rollup (Linux 4.14)");
	assert_int_equal(smaps_rollup_parse(text, (size_t) n, &rollup), 0);
	assert_true(rollup.pss > 0 && rollup.pss <= rollup.rss);
	n = read_root_file(live.proc, "self/io", text, sizeof(text));
	if (n == -ENOENT)
		SKIP_BECAUSE("needs a kernel with CONFIG_TASK_IO_ACCOUNTING");
	assert_int_equal(proc_io_parse(text, (size_t) n, &io), 0);
	assert_true(io.rchar > 0 && io.syscr > 0);
}

static void the_affinity_list_is_the_one_that_was_set(void **state)
{
	cpu_set_t before, one;
	struct buf list = { 0 };
	unsigned count;
	char expected[16];
	(void) state;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(affinity_list(&list, &count), 0);
	assert_int_equal(count, CPU_COUNT(&before));
	int cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET((size_t) cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	buf_clear(&list);
	assert_int_equal(affinity_list(&list, &count), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	snprintf(expected, sizeof(expected), "%d", cpu);
	assert_string_equal(list.data, expected);
	assert_int_equal(count, 1);
	buf_done(&list);
}

static void every_limit_name_is_readable(void **state)
{
	size_t n = 0;
	(void) state;

	for (; rlimit_names[n].name != NULL; n++) {
		struct rlimit limit;
		assert_int_equal(
			getrlimit((__rlimit_resource_t) rlimit_names[n].resource, &limit), 0);
	}
	assert_int_equal(n, RLIM_NLIMITS);
}

static void this_host_is_described(void **state)
{
	static struct host h;
	char name[256];
	(void) state;

	host_read(&live, &h);
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_string_equal(h.hostname, name);
	assert_int_equal(h.page_size_bytes, sysconf(_SC_PAGESIZE));
	assert_true(h.cpus_online >= 1 && h.cpus_online <= h.cpus_configured);
	assert_int_equal(h.clock_ticks_per_second, sysconf(_SC_CLK_TCK));
	assert_true(h.memory_total_bytes > h.page_size_bytes);
	assert_true(host_shared_memory_bytes() < h.memory_total_bytes);
}

static void the_last_pid_moves_when_somebody_forks(void **state)
{
	pid_t before = 0, after = 0;
	(void) state;

	assert_int_equal(last_pid_read(live.proc, &before), 0);
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(last_pid_read(live.proc, &after), 0);
	assert_int_not_equal(before, after);
	assert_true(after >= child ||
		    after < before); /* others may fork too, and the numbers may wrap */
}

static void a_process_that_is_stopped_again_and_again_is_continued_each_time(void **state)
{
	int status = 0;
	(void) state;

	pid_t child = fork();
	if (child == 0) {
		struct wake_timer timer = { 0 };
		if (wake_timer_set(&timer, 1) < 0)
			_exit(1);
		for (int i = 0; i < 3; i++)
			raise(SIGSTOP);
		wake_timer_delete(&timer);
		_exit(timer.n == 0 ? 7 : 2);
	}
	alarm(20);
	assert_int_equal(waitpid(child, &status, 0), child);
	alarm(0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_pid_moves_when_somebody_forks),
		cmocka_unit_test(a_zombies_cpu_clock_equals_its_wait4_rusage),
		cmocka_unit_test(only_a_living_process_has_a_cpu_clock),
		cmocka_unit_test(seven_more_open_files_are_seven_more),
		cmocka_unit_test(forbidden_fd_counts_are_errors_and_never_zero),
		cmocka_unit_test(a_child_forked_by_a_worker_thread_is_listed_under_that_thread),
		cmocka_unit_test(the_kernels_own_files_are_read_and_agree),
		cmocka_unit_test(smaps_rollup_and_io_of_oneself_are_read),
		cmocka_unit_test(the_affinity_list_is_the_one_that_was_set),
		cmocka_unit_test(every_limit_name_is_readable),
		cmocka_unit_test(this_host_is_described),
		cmocka_unit_test(a_process_that_is_stopped_again_and_again_is_continued_each_time),
	};

	return cmocka_run_group_tests_name("linux_live", tests, open_live, close_live);
}
