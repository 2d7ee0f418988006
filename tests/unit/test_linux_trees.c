/* SPDX-License-Identifier: MIT */
/* The walkers and readers of src/linux on recorded trees: nothing here depends on the machine the tests run on. */
#include "linux_test.h"

#include <string.h>

#include "linux/environment.h"
#include "linux/host.h"
#include "linux/proc_files.h"

static void children_longer_than_one_read_are_all_found(void **state)
{
	struct roots r = open_fixture("many-children");
	struct id_list list = { 0 };
	(void) state;

	assert_int_equal(proc_children_each(r.proc, 9000, 9000, keep_id, &list), 0);
	assert_int_equal(list.n, 1500);
	for (int i = 0; i < 1500; i++)
		assert_int_equal(list.ids[i], 9990 + i);
	roots_close(&r);
}

static void children_are_those_of_the_thread_asked_for(void **state)
{
	struct roots r = open_fixture("odd-names");
	struct id_list list = { 0 }, none = { 0 };
	(void) state;

	assert_int_equal(proc_children_each(r.proc, 13001, 13050, keep_id, &list), 0);
	assert_int_equal(list.n, 2);
	assert_int_equal(list.ids[0], 13060);
	assert_int_equal(list.ids[1], 13061);
	assert_int_equal(proc_children_each(r.proc, 13042, 13042, keep_id, &none), 0);
	assert_int_equal(none.n, 0);
	assert_int_equal(proc_children_each(r.proc, 2, 2, keep_id, &none), -ENOENT);
	roots_close(&r);
}

static void walks_hand_on_numeric_directories_only(void **state)
{
	struct roots r = open_fixture("odd-names");
	struct id_list tasks = { 0 }, pids = { 0 };
	(void) state;

	assert_int_equal(proc_tasks_each(r.proc, 13001, keep_id, &tasks), 0);
	assert_int_equal(tasks.n, 2);
	assert_true(holds(&tasks, 13001) && holds(&tasks, 13050));
	assert_int_equal(proc_pids_each(r.proc, keep_id, &pids), 0);
	assert_int_equal(pids.n, 3);
	assert_true(holds(&pids, 2) && holds(&pids, 13001) && holds(&pids, 13042));
	assert_int_equal(proc_tasks_each(r.proc, 5, keep_id, &tasks), -ENOENT);
	roots_close(&r);
}

static void a_recorded_fd_directory_is_counted_by_its_entries(void **state)
{
	struct roots r = open_fixture("odd-names");
	uint64_t count;
	(void) state;

	assert_int_equal(proc_fd_count(&r, 13001, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(proc_fd_count(&r, 13042, &count), -ENOENT);
	roots_close(&r);
}

static void command_lines_keep_their_bytes_and_say_when_they_are_cut(void **state)
{
	static const char whole[] = "/usr/bin/python3\0-c\0\xff\xfe";
	struct roots r = open_fixture("odd-names");
	char text[sizeof(whole)];
	bool cut;
	(void) state;

	assert_int_equal(
		proc_cmdline_read(r.proc, 13001, text, sizeof(whole), &cut), sizeof(whole));
	assert_false(cut);
	assert_memory_equal(text, whole, sizeof(whole));
	assert_int_equal(proc_cmdline_read(r.proc, 13001, text, 5, &cut), 5);
	assert_true(cut);
	assert_int_equal(proc_cmdline_read(r.proc, 13042, text, sizeof(text), &cut), 0);
	assert_false(cut);
	assert_int_equal(proc_cmdline_read(r.proc, 2, text, sizeof(text), &cut), -ENOENT);
	roots_close(&r);
}

static void a_file_that_does_not_fit_is_an_error(void **state)
{
	struct roots r = open_fixture("odd-names");
	char text[64];
	int fd = root_file(r.proc, "%d/statm", 13001);
	(void) state;

	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(read_kernel_file(fd, text, 27), 26);
	assert_string_equal(text, "4219 3473 1692 1 0 2057 0\n");
	assert_int_equal(read_kernel_file(fd, text, 26), -EOVERFLOW);
	assert_int_equal(read_kernel_file(fd, text, 0), -EOVERFLOW);
	assert_int_equal(read_kernel_record(fd, text, 27), 26);
	assert_string_equal(text, "4219 3473 1692 1 0 2057 0\n");
	assert_int_equal(read_kernel_record(fd, text, 26), -EOVERFLOW);
	close(fd);
	roots_close(&r);
}

static void roots_say_what_they_lack_and_stay_below_themselves(void **state)
{
	struct roots r;
	struct error err;
	char text[8];
	(void) state;

	assert_int_equal(roots_open(&r, FIXTURES "/no-such-tree", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no-such-tree/proc"));
	r = open_fixture("old-machine");
	assert_int_equal(r.sys, -1);
	assert_int_equal(read_root_file(r.sys, "kernel", text, sizeof(text)), -ENOENT);
	assert_int_equal(root_file(AT_FDCWD, "."), -ENOENT);
	assert_int_equal(root_file(r.proc, "%s", "/etc/passwd"), -EINVAL);
	roots_close(&r);
	assert_int_equal(r.proc, -1);
}

static void a_recorded_host_is_described_from_its_own_files(void **state)
{
	struct roots r = open_fixture("old-machine");
	struct host h;
	(void) state;

	host_read(&r, &h);
	assert_string_equal(h.os_name, "Example \"Old\" Linux 8 (Green)");
	assert_string_equal(h.os_id, "example");
	assert_string_equal(h.os_version_id, "8.10");
	assert_string_equal(h.cpu_model, "MIPS P5600 V3.0  FPU V2.0");
	assert_true(h.memory_total_bytes == 16318456ULL * 1024);
	assert_true(h.swap_total_bytes == 2097148ULL * 1024);
	assert_string_equal(h.boot_id, "5e1c6a5e-9f0a-4d2f-8f61-2b1d9e7d7a10");
	roots_close(&r);
}

static void what_a_host_does_not_tell_stays_empty(void **state)
{
	struct roots r = open_fixture("many-children");
	struct host h;
	(void) state;

	host_read(&r, &h);
	assert_string_equal(h.os_name, "");
	assert_string_equal(h.cpu_model, "");
	assert_string_equal(h.boot_id, "");
	assert_int_equal(h.memory_total_bytes, 0);
	roots_close(&r);
}

static void keep_cgroup(
	unsigned hierarchy, const char *controllers, const char *path, void *context)
{
	char *text = context;
	size_t length = strlen(text);

	snprintf(text + length, 256 - length, "[%u|%s|%s]", hierarchy, controllers, path);
}

static void cgroup_paths_may_hold_colons(void **state)
{
	struct roots r = open_fixture("old-machine");
	char seen[256] = "";
	(void) state;

	assert_int_equal(proc_cgroup_each(r.proc, 77, keep_cgroup, seen), 0);
	assert_string_equal(seen, "[12|cpu,cpuacct|/slurm/uid_1000/job_7]"
				  "[1|name=systemd|/user.slice/a:b.scope][0||/user.slice]");
	assert_int_equal(proc_cgroup_each(r.proc, 78, keep_cgroup, seen), -ENOENT);
	roots_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_longer_than_one_read_are_all_found),
		cmocka_unit_test(children_are_those_of_the_thread_asked_for),
		cmocka_unit_test(walks_hand_on_numeric_directories_only),
		cmocka_unit_test(a_recorded_fd_directory_is_counted_by_its_entries),
		cmocka_unit_test(command_lines_keep_their_bytes_and_say_when_they_are_cut),
		cmocka_unit_test(a_file_that_does_not_fit_is_an_error),
		cmocka_unit_test(roots_say_what_they_lack_and_stay_below_themselves),
		cmocka_unit_test(a_recorded_host_is_described_from_its_own_files),
		cmocka_unit_test(what_a_host_does_not_tell_stays_empty),
		cmocka_unit_test(cgroup_paths_may_hold_colons),
	};

	return cmocka_run_group_tests_name("linux_trees", tests, NULL, NULL);
}
