/* SPDX-License-Identifier: MIT */
/* Which processes of a made machine, and of the one we are on, belong to a target of each kind. */
#include "target_test.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIP_BECAUSE(text)                                                                         \
	do {                                                                                       \
		print_message("# " text "\n");                                                     \
		skip();                                                                            \
	} while (0)

#define PF_KTHREAD 0x00200000UL
#define PF_FORKNOEXEC 0x40UL

enum { INIT = 1, SHELL = 10, MAKE = 11, GCC = 12, OTHER = 20, PYTHON = 30, ODD = 40, KTHREADD = 2 };
static const int all[] = { INIT, KTHREADD, SHELL, MAKE, GCC, OTHER, PYTHON, ODD, 0 };

static void open_machine(struct made_tree *t)
{
	tree_open(t, "26 0 253:0 / / rw - ext4 /dev/sda1 rw\n");
	tree_put(t, "proc/self/cgroup", "0::/\n");
	put_process(t,
		(struct made_process){ .pid = INIT, .name = "systemd", .command = "/sbin/init" });
	put_process(t,
		(struct made_process){ .pid = KTHREADD, .name = "kthreadd", .flags = PF_KTHREAD });
	put_process(t, (struct made_process){ .pid = SHELL,
			       .ppid = INIT,
			       .name = "bash",
			       .uid = 1000,
			       .command = "-bash" });
	put_process(t, (struct made_process){ .pid = MAKE,
			       .ppid = SHELL,
			       .pgrp = MAKE,
			       .session = SHELL,
			       .uid = 1000,
			       .name = "make",
			       .command = "make|-j2|all" });
	put_process(t, (struct made_process){ .pid = GCC,
			       .ppid = MAKE,
			       .pgrp = MAKE,
			       .session = SHELL,
			       .uid = 1000,
			       .name = "gcc",
			       .command = "gcc|-c|a+b.c",
			       .flags = PF_FORKNOEXEC });
	put_process(t, (struct made_process){ .pid = OTHER,
			       .ppid = INIT,
			       .name = "bash",
			       .uid = 10000,
			       .command = "bash" });
	put_process(t, (struct made_process){ .pid = PYTHON,
			       .ppid = INIT,
			       .name = "python3",
			       .uid = 1000,
			       .command = "/usr/bin/python3|train.py|--name|a b" });
	put_process(t, (struct made_process){ .pid = ODD,
			       .ppid = INIT,
			       .name = "a) S (b c",
			       .uid = 0,
			       .command = "x\n.y[z]*" });
}

static void each_kind_takes_its_own_and_no_other(void **state)
{
	struct made_tree t;
	(void) state;

	open_machine(&t);
	assert_members(&t, "session:10", LIST(SHELL, MAKE, GCC), all);
	assert_members(&t, "session:1", LIST(INIT), all);
	assert_members(&t, "group:11", LIST(MAKE, GCC), all);
	assert_members(&t, "user:1000", LIST(SHELL, MAKE, GCC, PYTHON), all);
	assert_members(&t, "user:10000", LIST(OTHER), all);
	assert_members(&t, "user:root", LIST(INIT, ODD), all);
	assert_members(&t, "pids:30,12,20", LIST(PYTHON, GCC, OTHER), all);
	assert_members(&t, "name:bash", LIST(SHELL, OTHER), all);
	assert_members(&t, "name:python3", LIST(PYTHON), all);
	assert_members(&t, "name:a) S (b c", LIST(ODD), all);
	assert_members(&t, "system", LIST(INIT, SHELL, MAKE, GCC, OTHER, PYTHON, ODD), all);
	assert_members(&t, "user:1000+name:bash", LIST(SHELL), all);
	assert_members(&t, "session:10+user:1000+match:a", LIST(SHELL, MAKE, GCC), all);
	assert_members(&t, "pids:30,12+name:gcc", LIST(GCC), all);
	tree_close(&t);
}

static void an_expression_is_held_against_the_whole_command_line(void **state)
{
	struct made_tree t;
	(void) state;

	open_machine(&t);
	assert_members(&t, "match:^make -j2 all$", LIST(MAKE), all);
	assert_members(&t, "match:bash", LIST(SHELL, OTHER), all);
	assert_members(&t, "match:^bash$", LIST(OTHER), all);
	assert_members(&t, "match:a\\+b\\.c", LIST(GCC), all);
	assert_members(&t, "match:python3 train\\.py --name a b$", LIST(PYTHON), all);
	assert_members(&t, "match:y\\[z\\]\\*$", LIST(ODD), all);
	/* no command line: a kernel thread's, and an empty match does not take it in */
	assert_members(&t, "match:.*", LIST(INIT, SHELL, MAKE, GCC, OTHER, PYTHON, ODD), all);
	assert_members(&t, "match:python+match:train", LIST(PYTHON), all);
	assert_members(&t, "match:^gcc|train.py", LIST(GCC, PYTHON), all);
	assert_members(&t, "match:b$|^-b", LIST(SHELL, PYTHON), all);
	tree_close(&t);
}

static void a_name_is_compared_whole_and_kept_to_15_bytes(void **state)
{
	struct made_tree t;
	(void) state;

	tree_open(&t, "");
	put_process(&t, (struct made_process){ .pid = 5, .name = "fifteen-letters" });
	put_process(&t, (struct made_process){ .pid = 6, .name = "fifteen-letter" });
	assert_members(&t, "name:fifteen-letters", LIST(5), LIST(5, 6));
	assert_members(&t, "name:fifteen-letter", LIST(6), LIST(5, 6));
	assert_no_resolve(&t.roots, "name:fifteen", -ESRCH,
		"no process belongs to the target name:fifteen, processes named fifteen");
	tree_close(&t);
}

static bool in_tree(
	const struct target *t, const struct made_tree *tree, int pid, bool parent, bool already)
{
	return belongs_as(t, &tree->roots, pid,
		(struct target_candidate){ .parent_belongs = parent, .is_member = already }, NULL);
}

static void a_tree_is_its_first_process_and_whom_it_passes_on_to(void **state)
{
	struct made_tree tree;
	struct target t;
	(void) state;

	open_machine(&tree);
	t = resolved(&tree, "11");
	assert_string_equal(t.people, "process 11 (make) and its descendants");
	assert_int_equal(t.terms[0].pids[0].start_ticks, 111);
	assert_int_equal(target_first_pid(&t), 11);
	assert_true(belongs(&t, &tree, MAKE));
	assert_false(belongs(&t, &tree, SHELL));
	assert_false(in_tree(&t, &tree, GCC, false, false));
	assert_true(in_tree(&t, &tree, GCC, true, false));
	/* reparented: its parent is another now, and it stays */
	assert_true(in_tree(&t, &tree, OTHER, false, true));
	/* the same number, another process */
	put_process(&tree,
		(struct made_process){ .pid = MAKE, .ppid = 1, .start = 112, .name = "make" });
	assert_false(belongs(&t, &tree, MAKE));
	target_done(&t);
	tree_close(&tree);
}

static void a_number_used_again_is_not_the_process_of_the_list(void **state)
{
	struct made_tree tree;
	struct target t;
	(void) state;

	open_machine(&tree);
	t = resolved(&tree, "pids:20,30");
	put_process(&tree, (struct made_process){ .pid = PYTHON, .ppid = 1, .start = 999 });
	assert_true(belongs(&t, &tree, OTHER));
	assert_false(belongs(&t, &tree, PYTHON));
	/* children of those listed are not listed */
	assert_false(in_tree(&t, &tree, GCC, true, false));
	target_done(&t);
	tree_close(&tree);
}

static void what_is_not_there_is_said_in_one_line(void **state)
{
	struct made_tree t;
	(void) state;

	open_machine(&t);
	put_process(&t,
		(struct made_process){ .pid = 50, .ppid = 10, .name = "dead\x1b", .state = 'Z' });
	put_process(
		&t, (struct made_process){ .pid = 51, .name = "worker/0:1", .flags = PF_KTHREAD });
	put_process(&t, (struct made_process){ .pid = 61 });
	tree_put(&t, "proc/61/status",
		"Name:\tx\nTgid:\t60\nNgid:\t0\nPid:\t61\nUid:\t0\t0\t0\t0\n");
	assert_no_resolve(&t.roots, "1234", -ESRCH, "there is no process 1234");
	assert_no_resolve(&t.roots, "pids:10,1234", -ESRCH, "there is no process 1234");
	assert_no_resolve(&t.roots, "51", -EINVAL,
		"process 51 (worker/0:1) is a kernel thread: it belongs to no job");
	assert_no_resolve(&t.roots, "pids:10,51", -EINVAL, "is a kernel thread");
	assert_no_resolve(&t.roots, "50", -ESRCH,
		"process 50 (dead\x1b) has ended: its parent, 10, has not waited for it");
	assert_no_resolve(
		&t.roots, "61", -EINVAL, "61 is a thread of process 60: name the process");
	assert_no_resolve(&t.roots, "user:no-such-user-here", -ENOENT,
		"there is no user 'no-such-user-here' here");
	assert_no_resolve(&t.roots, "user:4294967295", -ENOENT, "there is no user '4294967295'");
	assert_no_resolve(&t.roots, "user:77", -ESRCH, "no process belongs to the target user:77");
	assert_no_resolve(&t.roots, "session:9999", -ESRCH, "session:9999, session 9999");
	assert_no_resolve(&t.roots, "group:9999", -ESRCH, "no process belongs");
	assert_no_resolve(&t.roots, "match:no such words", -ESRCH, "no process belongs");
	assert_no_resolve(&t.roots, "user:1000+name:systemd", -ESRCH, "no process belongs");
	assert_no_resolve(&t.roots, "name:kthreadd", -ESRCH, "no process belongs");
	tree_remove(&t, "proc/1");
	assert_no_resolve(&t.roots, "1234", -ESRCH, "or /proc hides it (hidepid)");
	assert_no_resolve(
		&t.roots, "user:77", -ESRCH, "/proc hides other users' processes (hidepid)");
	tree_close(&t);
}

static void a_file_that_cannot_be_read_is_no_and_says_why(void **state)
{
	struct made_tree tree;
	struct target t;
	int error;
	(void) state;

	open_machine(&tree);
	t = resolved(&tree, "user:1000");
	tree_remove(&tree, "proc/11/status");
	assert_false(belongs_as(&t, &tree.roots, MAKE, (struct target_candidate){ 0 }, &error));
	assert_int_equal(error, ENOENT);
	tree_put(&tree, "proc/12/status", "Name:\tgcc\n");
	assert_false(belongs_as(&t, &tree.roots, GCC, (struct target_candidate){ 0 }, &error));
	assert_int_equal(error, EINVAL);
	assert_true(belongs_as(&t, &tree.roots, SHELL, (struct target_candidate){ 0 }, &error));
	assert_int_equal(error, 0);
	target_done(&t);
	t = resolved(&tree, "match:make");
	tree_remove(&tree, "proc/11/cmdline");
	assert_false(belongs_as(&t, &tree.roots, MAKE, (struct target_candidate){ 0 }, &error));
	assert_int_equal(error, ENOENT);
	target_done(&t);
	tree_close(&tree);
}

static void a_member_that_died_stays_until_it_is_gone(void **state)
{
	struct made_tree tree;
	struct target t;
	(void) state;

	open_machine(&tree);
	t = resolved(&tree, "match:^make ");
	put_process(&tree,
		(struct made_process){ .pid = MAKE, .ppid = SHELL, .name = "make", .state = 'Z' });
	assert_true(in_tree(&t, &tree, MAKE, false, true));
	assert_false(in_tree(&t, &tree, MAKE, false, false));
	/* one that lives and has other words now has left */
	put_process(
		&tree, (struct made_process){ .pid = MAKE, .name = "make", .command = "sleep|9" });
	assert_false(in_tree(&t, &tree, MAKE, false, true));
	target_done(&t);
	tree_close(&tree);
}

static void a_long_command_line_is_matched_to_its_32nd_kibibyte(void **state)
{
	static char words[70001];
	struct made_tree tree;
	(void) state;

	tree_open(&tree, "");
	memset(words, 'x', sizeof(words) - 1);
	memcpy(words + 5000, "|needle|", 8);
	memcpy(words + 32755, "|within|", 8);
	memcpy(words + 32768, "|beyond|", 8);
	put_process(&tree, (struct made_process){ .pid = 5, .name = "java", .command = words });
	assert_members(&tree, "match: needle ", LIST(5), LIST(5));
	assert_members(&tree, "match: within ", LIST(5), LIST(5));
	/* in one pass, not in one from each of the bytes: that would be 10^9 steps, and this test would not end */
	memset(words, 'a', 32767);
	put_process(&tree, (struct made_process){ .pid = 6, .name = "x", .command = words });
	assert_no_resolve(&tree.roots, "match:(a+b*)+c", -ESRCH, "no process belongs");
	assert_no_resolve(&tree.roots, "match:beyond", -ESRCH, "no process belongs");
	tree_close(&tree);
}

/* A child that waits for its pipe to be closed; in a session and with a name of its own. */
static pid_t start_child(int *ret_hold)
{
	int hold[2], ready[2];
	char byte;

	assert_int_equal(pipe(hold), 0);
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(hold[1]);
		setsid();
		prctl(PR_SET_NAME, "a (b) c");
		(void) !write(ready[1], "x", 1);
		(void) !read(hold[0], &byte, 1);
		_exit(0);
	}
	close(hold[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	*ret_hold = hold[1];
	return pid;
}

static void assert_live(const struct roots *roots, const char *words, pid_t pid)
{
	struct target t = parsed(words);
	struct error err = { 0 };

	if (target_resolve(&t, roots, &err) < 0)
		fail_msg("%s: %s", words, err.text);
	assert_true(belongs_as(&t, roots, pid, (struct target_candidate){ 0 }, NULL));
	target_done(&t);
}

static void every_kind_finds_a_process_of_this_machine(void **state)
{
	struct roots roots;
	char words[6][64];
	int hold;
	pid_t pid = start_child(&hold);
	(void) state;

	assert_int_equal(roots_open(&roots, "", NULL), 0);
	snprintf(words[0], sizeof(words[0]), "%d", pid);
	snprintf(words[1], sizeof(words[1]), "session:%d", pid);
	snprintf(words[2], sizeof(words[2]), "group:%d+user", pid);
	snprintf(words[3], sizeof(words[3]), "pids:%d", pid);
	snprintf(words[4], sizeof(words[4]), "session:%d+cgroup", pid);
	snprintf(words[5], sizeof(words[5]), "group:%d+match:test_target", pid);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_live(&roots, words[i], pid);
	assert_live(&roots, "user", pid);
	assert_live(&roots, "cgroup", pid);
	assert_live(&roots, "name:a (b) c", pid);
	assert_live(&roots, "system", pid);
	/* nobody but ourselves is there */
	snprintf(words[0], sizeof(words[0]), "%d", getpid());
	assert_no_resolve(&roots, words[0], -EINVAL, "is assay itself: it is in no target");
	/* ended, and not waited for yet */
	close(hold);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0);
	snprintf(words[0], sizeof(words[0]), "%d", pid);
	assert_no_resolve(&roots, words[0], -ESRCH, "has ended");
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_no_resolve(&roots, words[0], -ESRCH, "there is no process");
	snprintf(words[1], sizeof(words[1]), "session:%d", pid);
	assert_no_resolve(&roots, words[1], -ESRCH, "no process belongs");
	roots_close(&roots);
}

/* In a mount namespace of its own, as an ordinary user: what it prints is its only trace here. */
static int look_as_nobody(const char *options)
{
	struct roots roots;
	struct target t;
	int error = 0;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("proc", "/proc", "proc", 0, options) < 0)
		return 77;
	if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
		return 77;
	assert_int_equal(roots_open(&roots, "", NULL), 0);
	if (options) {
		assert_no_resolve(&roots, "1", -EACCES,
			"process 1 cannot be seen: /proc hides other users' processes (hidepid)");
		assert_no_resolve(&roots, "pids:1", -EACCES, "process 1 cannot be seen");
	} else {
		t = parsed("slurm:4242");
		assert_false(belongs_as(&t, &roots, 1, (struct target_candidate){ 0 }, &error));
		assert_int_equal(error, EACCES);
		target_done(&t);
		assert_no_resolve(
			&roots, "slurm:4242", -ESRCH, "processes could not be asked (EACCES)");
	}
	assert_no_resolve(&roots, "2147483647", -ESRCH, "there is no process 2147483647");
	return 0;
}

static void another_users_processes_are_hidden_or_closed(void **state)
{
	static const char *const mounts[] = { NULL, "hidepid=1", "hidepid=2" };
	int status;
	(void) state;

	if (getuid() != 0)
		SKIP_BECAUSE("only root mounts a /proc that hides");
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			_exit(look_as_nobody(mounts[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			SKIP_BECAUSE("no mount of /proc is allowed here");
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_takes_its_own_and_no_other),
		cmocka_unit_test(an_expression_is_held_against_the_whole_command_line),
		cmocka_unit_test(a_name_is_compared_whole_and_kept_to_15_bytes),
		cmocka_unit_test(a_tree_is_its_first_process_and_whom_it_passes_on_to),
		cmocka_unit_test(a_number_used_again_is_not_the_process_of_the_list),
		cmocka_unit_test(what_is_not_there_is_said_in_one_line),
		cmocka_unit_test(a_file_that_cannot_be_read_is_no_and_says_why),
		cmocka_unit_test(a_member_that_died_stays_until_it_is_gone),
		cmocka_unit_test(a_long_command_line_is_matched_to_its_32nd_kibibyte),
		cmocka_unit_test(another_users_processes_are_hidden_or_closed),
		cmocka_unit_test(every_kind_finds_a_process_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
