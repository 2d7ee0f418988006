/* SPDX-License-Identifier: MIT */
/* Where a cgroup is, on a recorded tree; and a cgroup of our own on the live machine. */
#include "linux_test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "linux/cgroup.h"
#include "linux/cgroup_view.h"
#include "linux/own_cgroup.h"

static void assert_directory(pid_t pid, const char *controller, const char *expected)
{
	struct roots r = open_fixture("cgroups");
	struct cgroup_place place;

	assert_int_equal(cgroup_place_of(&r, pid, controller, &place), 0);
	assert_string_equal(place.directory, expected);
	assert_true(place.fd >= 0);
	cgroup_place_done(&place);
	roots_close(&r);
}

static void a_cgroup_is_found_by_its_hierarchy_and_the_part_that_is_mounted(void **state)
{
	(void) state;
	assert_directory(77, "memory", "/sys/fs/cgroup/memory/inner");
	assert_directory(77, "cpu", "/sys/fs/cgroup/cpu,cpuacct/slurm/job_7");
	assert_directory(77, "cpuacct", "/sys/fs/cgroup/cpu,cpuacct/slurm/job_7");
	assert_directory(77, "name=odd", "/sys/fs/cgroup/a b/x:y");
	assert_directory(77, CGROUP_V2, "/sys/fs/cgroup/unified/user.slice/run");
}

static void assert_nowhere(pid_t pid, const char *controller, const char *path)
{
	struct roots r = open_fixture("cgroups");
	struct cgroup_place place;

	assert_int_equal(cgroup_place_of(&r, pid, controller, &place), -ENOENT);
	if (path)
		assert_string_equal(place.path, path);
	else
		assert_null(place.path);
	assert_null(place.directory);
	assert_int_equal(place.fd, -1);
	cgroup_place_done(&place);
	roots_close(&r);
}

static void what_is_not_mounted_or_not_there_is_not_found(void **state)
{
	(void) state;
	assert_nowhere(77, "pids", NULL);
	assert_nowhere(99, "memory", NULL);
	assert_nowhere(77, "freezer", "/");
	/* Its name begins like that of the mounted part, and it lies outside. */
	assert_nowhere(88, "memory", "/docker/abcdef");
	assert_nowhere(88, CGROUP_V2, "/../outside");
}

static uint64_t key_in(const char *directory, const char *file, const char *key, int expected)
{
	struct roots r = open_fixture("cgroups");
	uint64_t n = 42;
	int fd = -1;

	assert_int_equal(cgroup_open(&r, directory, &fd), 0);
	int counter = openat(fd, file, O_RDONLY | O_CLOEXEC);
	assert_true(counter >= 0);
	assert_int_equal(cgroup_read_key(counter, key, &n), expected);
	close(counter);
	close(fd);
	roots_close(&r);
	return n;
}

static void a_key_is_a_whole_word_at_the_start_of_its_line(void **state)
{
	const char *v2 = "/sys/fs/cgroup/unified/user.slice";
	(void) state;

	assert_int_equal(key_in(v2, "memory.events", "oom_kill", 0), 5);
	assert_int_equal(key_in(v2, "memory.events", "oom", 0), 3);
	assert_int_equal(key_in(v2, "memory.events", "kill", -ENOENT), 42);
	assert_int_equal(
		key_in("/sys/fs/cgroup/memory/inner", "memory.oom_control", "oom_kill", 0), 2);
}

static void a_recorded_tree_never_leads_to_the_live_machine(void **state)
{
	struct roots r = open_fixture("cgroups");
	int fd = -1;
	(void) state;

	assert_int_equal(cgroup_open(&r, "/mnt", &fd), -ENOENT);
	assert_int_equal(cgroup_open(&r, "/sys/fs/cgroup/none", &fd), -ENOENT);
	assert_int_equal(fd, -1);
	roots_close(&r);
}

static void a_cgroup_of_our_own_holds_kills_and_goes(void **state)
{
	struct own_cgroup c = OWN_CGROUP_NONE;
	struct error err = { 0 };
	struct roots r;
	char name[40];
	int status;
	(void) state;

	assert_int_equal(roots_open(&r, "", &err), 0);
	snprintf(name, sizeof(name), "assay-unit-test-%d", (int) getpid());
	if (own_cgroup_make(&r, CGROUP_V2, name, &c, &err) < 0)
		SKIP_BECAUSE("needs leave to make a cgroup of version 2: %s", err.text);
	assert_int_equal(own_cgroup_populated(&c), 0);

	/* One that was left behind empty is taken for our own; one in use is not. */
	struct own_cgroup again = OWN_CGROUP_NONE;
	assert_int_equal(own_cgroup_make(&r, CGROUP_V2, name, &again, &err), 0);
	assert_int_equal(own_cgroup_remove(&again), 0);
	own_cgroup_remove(&c);
	assert_int_equal(own_cgroup_make(&r, CGROUP_V2, name, &c, &err), 0);

	pid_t child = fork();
	if (child == 0) {
		signal(SIGTERM, SIG_IGN);
		for (;;)
			pause();
	}
	assert_int_equal(own_cgroup_take(&c, child), 0);
	assert_int_equal(own_cgroup_populated(&c), 1);
	assert_int_equal(own_cgroup_make(&r, CGROUP_V2, name, &again, &err), -EEXIST);
	assert_null(again.directory);
	assert_int_equal(own_cgroup_kill(&c), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(own_cgroup_populated(&c), 0);

	char *directory = strdup(c.directory);
	assert_int_equal(own_cgroup_remove(&c), 0);
	assert_int_equal(access(directory, F_OK), -1);
	assert_null(c.directory);
	free(directory);
	roots_close(&r);
}

static void before_linux_5_14_none_can_be_killed_as_a_whole(void **state)
{
	char directory[] = "/tmp/assay-test-XXXXXX";
	struct own_cgroup c = OWN_CGROUP_NONE;
	(void) state;

	assert_false(own_cgroup_can_kill(&c));
	assert_non_null(mkdtemp(directory));
	c.fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(c.fd >= 0);
	assert_false(own_cgroup_can_kill(&c));
	int file = openat(c.fd, "cgroup.kill", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	close(file);
	assert_true(own_cgroup_can_kill(&c));
	unlinkat(c.fd, "cgroup.kill", 0);
	close(c.fd);
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_is_found_by_its_hierarchy_and_the_part_that_is_mounted),
		cmocka_unit_test(what_is_not_mounted_or_not_there_is_not_found),
		cmocka_unit_test(a_key_is_a_whole_word_at_the_start_of_its_line),
		cmocka_unit_test(a_recorded_tree_never_leads_to_the_live_machine),
		cmocka_unit_test(a_cgroup_of_our_own_holds_kills_and_goes),
		cmocka_unit_test(before_linux_5_14_none_can_be_killed_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
