/* SPDX-License-Identifier: MIT */
/* Files of /proc/PID that are missing: that alone is no death. Read from a tree that holds only some of them. */
#include "made_tree.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "target/ledger.h"
#include "target/readings.h"
#include "target/tree.h"

/* A recorded tree with one process in it, of which only statm is there. */
struct bare_proc {
	struct made_tree tree;
	struct ledger ledger;
	struct process *p;
};

static void lay_out(struct bare_proc *b, pid_t pid)
{
	const struct proc_stat stat = { .pid = pid, .name = "bare", .state = 'S', .ppid = 1 };
	struct error err = { 0 };

	*b = (struct bare_proc){ 0 };
	tree_open_empty(&b->tree);
	tree_put_at(&b->tree, "100 50 25 1 0 10 0\n", "proc/%d/statm", (int) pid);
	assert_int_equal(ledger_init(&b->ledger, &b->tree.roots, 1, &err), 0);
	b->ledger.ticks = 1;
	b->p = ledger_new(&b->ledger, &stat, 0);
	assert_non_null(b->p);
}

static void take_away(struct bare_proc *b)
{
	ledger_done(&b->ledger);
	tree_close(&b->tree);
}

static void a_missing_file_of_a_living_process_is_no_death(void **state)
{
	struct bare_proc b;

	(void) state;
	lay_out(&b, getpid());

	process_read_smaps(&b.ledger, b.p);
	assert_true(b.p->alive);
	assert_false(b.p->has_smaps);
	assert_int_equal(b.p->smaps_error, ENOENT);
	process_read_io(&b.ledger, b.p);
	process_read_status(&b.ledger, b.p, true);
	assert_true(b.p->alive);
	assert_int_equal(b.p->io_error, ENOENT);
	assert_int_equal(b.p->status_error, ENOENT);
	process_read_statm(&b.ledger, b.p);
	assert_true(b.p->has_statm);
	assert_int_equal(b.p->statm.resident, 50);
	take_away(&b);
}

static void show_shared_memory(struct bare_proc *b, unsigned kib)
{
	char text[512];

	snprintf(text, sizeof(text),
		"Uid:\t0\t0\t0\t0\nVmHWM:\t%u kB\nRssAnon:\t0 kB\nRssFile:\t0 kB\n"
		"RssShmem:\t%u kB\nVmSwap:\t0 kB\nThreads:\t1\nSigIgn:\t0\nSigCgt:\t0\n"
		"Cpus_allowed:\t3\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t1\n",
		kib, kib);
	tree_put_at(&b->tree, text, "proc/%d/status", (int) b->p->pid);
	b->ledger.ticks++;
	process_read_status(&b->ledger, b->p, true);
	assert_true(b->p->has_status);
}

/* 100 MiB of shared memory, mapped once and then once more: so little more is resident by then that the mappings are not listed again. */
static void what_came_since_the_mappings_were_listed_proves_nothing(void **state)
{
	struct bare_proc b;

	(void) state;
	lay_out(&b, getpid());
	tree_put_at(&b.tree, "10000000-16400000 rw-s 00000000 00:01 7 /memfd\n", "proc/%d/maps",
		(int) b.p->pid);
	show_shared_memory(&b, 100 << 10);
	assert_int_equal(b.p->once_bytes, UINT64_C(100) << 20);
	show_shared_memory(&b, (100 << 10) + 512);
	assert_int_equal(b.p->once_bytes, UINT64_C(100) << 20);
	/* Of so much more it is asked. */
	tree_put_at(&b.tree, "10000000-16e00000 rw-s 00000000 00:01 7 /memfd\n", "proc/%d/maps",
		(int) b.p->pid);
	show_shared_memory(&b, 110 << 10);
	assert_int_equal(b.p->once_bytes, UINT64_C(110) << 20);
	take_away(&b);
}

static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void a_missing_file_of_a_process_that_is_gone_is_its_death(void **state)
{
	struct bare_proc b;

	(void) state;
	lay_out(&b, dead_pid());

	process_read_smaps(&b.ledger, b.p);

	assert_false(b.p->alive);
	assert_true(b.p->ended_since_line);
	take_away(&b);
}

/* Its parent's file holds its bytes already, and may have been read after that. */
static void a_zombie_that_was_reaped_meanwhile_has_no_io_of_its_own(void **state)
{
	struct bare_proc b;

	(void) state;
	lay_out(&b, dead_pid());
	b.p->zombie = true;
	b.p->has_io = true;
	b.p->io.wchar = 1 << 20;

	process_read_io(&b.ledger, b.p);

	assert_false(b.p->alive);
	take_away(&b);
}

static void the_last_io_of_a_zombie_that_is_still_there_stands(void **state)
{
	struct bare_proc b;
	siginfo_t info;
	pid_t pid = fork();

	(void) state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0);
	lay_out(&b, pid);
	b.p->zombie = true;
	b.p->has_io = true;
	b.p->io.wchar = 1 << 20;

	process_read_io(&b.ledger, b.p);

	assert_true(b.p->alive);
	assert_true(b.p->has_io);
	assert_int_equal(b.p->io.wchar, 1 << 20);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	take_away(&b);
}

/* The file as it is now; returns what is kept of it, its bytes and its NULs. */
static size_t command_of(struct bare_proc *b, const char *bytes, size_t n, const char **ret)
{
	struct made_path path;
	char name[32];

	(void) snprintf(name, sizeof(name), "proc/%d/cmdline", (int) b->p->pid);
	path = tree_path(&b->tree, name);
	FILE *file = fopen(path.text, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
	process_read_command(&b->ledger, b->p);
	*ret = b->p->command_size ? b->ledger.commands.data + b->p->command_offset : NULL;
	return b->p->command_size;
}

#define assert_command(b, written, kept)                                                           \
	do {                                                                                       \
		const char *at;                                                                    \
		size_t size = command_of(b, written, sizeof(written) - 1, &at);                    \
		assert_int_equal(size, sizeof(kept) - 1);                                          \
		assert_memory_equal(at, kept, sizeof(kept) - 1);                                   \
	} while (0)
#define assert_no_command(b, written)                                                              \
	do {                                                                                       \
		const char *at;                                                                    \
		assert_int_equal(command_of(b, written, sizeof(written) - 1, &at), 0);             \
	} while (0)

static void begin_window(struct bare_proc *b)
{
	b->p->listed = true;
	ledger_next_window(&b->ledger);
}

static void zeros_behind_a_title_are_no_arguments_but_one_or_two_may_be(void **state)
{
	struct bare_proc b;

	(void) state;
	lay_out(&b, getpid());
	b.p->command_checks = 100;
	assert_command(&b, "a\0b\0\0\0\0\0\0", "a\0b\0");
	assert_command(&b, "a\0c\0\0", "a\0c\0\0");
	assert_command(&b, "a\0c\0\0\0", "a\0c\0\0\0");
	assert_command(&b, "a\0\0\0d\0", "a\0\0\0d\0");
	assert_command(&b, "server: idle\0\0", "server: idle\0");
	assert_command(&b, "no end", "no end");
	assert_command(&b, "\0\0\0\0\0", "\0");
	take_away(&b);
}

static void a_command_is_kept_when_it_is_another_and_read_in_turn_after_the_first_looks(
	void **state)
{
	struct bare_proc b;

	(void) state;
	lay_out(&b, getpid());
	b.ledger.ticks = 33; /* the turn of slot 0 comes with 64 */
	assert_command(&b, "first\0", "first\0");
	begin_window(&b);
	assert_no_command(&b, "first\0");
	assert_command(&b, "second\0", "second\0");
	begin_window(&b);
	assert_no_command(&b, "third\0");
	b.p->quiet = true;
	assert_no_command(&b, "third\0");
	b.ledger.ticks = 64;
	assert_command(&b, "third\0", "third\0");
	begin_window(&b);
	/* it has not run since */
	assert_no_command(&b, "fourth\0");
	/* a window that had no place for it takes it along: it is read again */
	b.p->quiet = false;
	assert_command(&b, "fifth\0", "fifth\0");
	b.p->listed = false;
	ledger_next_window(&b.ledger);
	b.ledger.ticks = 65;
	assert_command(&b, "fifth\0", "fifth\0");
	take_away(&b);
}

/* Its address space is gone, and 0 is not what it had: statm(5) shows seven of them. */
static void a_process_within_its_exit_has_no_memory_that_could_be_told(void **state)
{
	struct bare_proc b;

	(void) state;
	lay_out(&b, getpid());
	tree_put_at(&b.tree, "0 0 0 0 0 0 0\n", "proc/%d/statm", (int) getpid());
	b.p->stat.flags = PROC_EXITING;

	process_read_statm(&b.ledger, b.p);

	assert_true(b.p->alive);
	assert_false(b.p->has_statm);
	assert_int_equal(b.p->statm_error, ESRCH);
	take_away(&b);
}

static void a_kernel_thread_has_no_memory_and_that_is_true(void **state)
{
	struct bare_proc b;

	(void) state;
	lay_out(&b, getpid());
	tree_put_at(&b.tree, "0 0 0 0 0 0 0\n", "proc/%d/statm", (int) getpid());
	b.p->stat.flags = PROC_KERNEL_THREAD;

	process_read_statm(&b.ledger, b.p);

	assert_true(b.p->has_statm);
	assert_int_equal(b.p->statm.resident, 0);
	take_away(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_file_of_a_living_process_is_no_death),
		cmocka_unit_test(what_came_since_the_mappings_were_listed_proves_nothing),
		cmocka_unit_test(a_missing_file_of_a_process_that_is_gone_is_its_death),
		cmocka_unit_test(a_zombie_that_was_reaped_meanwhile_has_no_io_of_its_own),
		cmocka_unit_test(the_last_io_of_a_zombie_that_is_still_there_stands),
		cmocka_unit_test(zeros_behind_a_title_are_no_arguments_but_one_or_two_may_be),
		cmocka_unit_test(
			a_command_is_kept_when_it_is_another_and_read_in_turn_after_the_first_looks),
		cmocka_unit_test(a_process_within_its_exit_has_no_memory_that_could_be_told),
		cmocka_unit_test(a_kernel_thread_has_no_memory_and_that_is_true),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
