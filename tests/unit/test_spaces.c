/* SPDX-License-Identifier: MIT */
/* Which processes are views of one address space: told apart by the kernel, or by their sizes where that is forbidden. */
#include "live_roots.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/proc_stat.h"
#include "linux/shared_memory.h"
#include "target/ledger.h"
#include "target/readings.h"
#include "target/spaces.h"
#include "target/tree.h"

#define STACK_SIZE (64 * 1024)
#define ACTORS_MAX 16

struct scene {
	struct ledger ledger;
	pid_t children[ACTORS_MAX];
	size_t n_children;
};

static int pause_for_good(void *context)
{
	(void) context;
	for (;;)
		pause();
	return 0;
}

static void begin(struct scene *s)
{
	struct error err = { 0 };

	*s = (struct scene){ 0 };
	assert_int_equal(ledger_init(&s->ledger, &live, 1, &err), 0);
	s->ledger.ticks = 1;
}

static void end(struct scene *s)
{
	for (size_t i = 0; i < s->n_children; i++) {
		kill(s->children[i], SIGKILL);
		waitpid(s->children[i], NULL, 0);
	}
	ledger_done(&s->ledger);
}

/* A child that waits: a fork of its own size, or a view of our memory. */
static pid_t child(struct scene *s, bool view, size_t touch)
{
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	pid_t pid;

	assert_true(stack != MAP_FAILED && s->n_children < ACTORS_MAX);
	if (view) {
		pid = clone(pause_for_good, stack + STACK_SIZE, CLONE_VM | SIGCHLD, NULL);
	} else {
		int ready[2];
		char byte;

		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (pid == 0) {
			char *memory = mmap(NULL, touch + 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			memset(memory, 1, touch + 1);
			if (write(ready[1], "", 1) == 1)
				pause_for_good(NULL);
			_exit(1);
		}
		assert_int_equal(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		close(ready[1]);
	}
	assert_true(pid > 0);
	s->children[s->n_children++] = pid;
	return pid;
}

static struct process *enter(struct scene *s, pid_t pid)
{
	char path[40];
	char text[1024];
	struct proc_stat stat;

	snprintf(path, sizeof(path), "%d/stat", (int) pid);
	ssize_t n = read_root_file(live.proc, path, text, sizeof(text));
	assert_true(n > 0);
	assert_int_equal(proc_stat_parse(text, (size_t) n, &stat), 0);
	assert_true(stat.stack_start != 0);
	struct process *p = ledger_new(&s->ledger, &stat, 0);
	assert_non_null(p);
	process_read_statm(&s->ledger, p);
	p->in_round = true;
	return p;
}

static bool kernel_tells(void)
{
	int order;

	return processes_compare_memory(getpid(), getpid(), &order) == 0;
}

static void views_of_one_memory_are_one_and_forks_are_not(void **state)
{
	struct scene s;
	struct process *views[4];
	struct process *forks[6];

	(void) state;
	if (!kernel_tells())
		skip();
	begin(&s);
	struct process *self = enter(&s, getpid());
	for (size_t i = 0; i < ARRAY_SIZE(forks); i++) {
		forks[i] = enter(&s, child(&s, false, 0));
		if (i < ARRAY_SIZE(views))
			views[i] = enter(&s, child(&s, true, 0));
	}
	spaces_find(&s.ledger);
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		assert_int_equal(views[i]->space, self->space);
		assert_false(views[i]->space_doubted);
	}
	for (size_t i = 0; i < ARRAY_SIZE(forks); i++)
		assert_int_equal(forks[i]->space, forks[i]->slot);
	assert_int_equal(self->space, self->slot);
	end(&s);
}

static void views_are_found_without_the_process_they_have_their_memory_from(void **state)
{
	struct scene s;

	(void) state;
	if (!kernel_tells())
		skip();
	begin(&s);
	struct process *first = enter(&s, child(&s, true, 0));
	struct process *second = enter(&s, child(&s, true, 0));
	/* Their sizes are of different moments. */
	second->statm.size += 100;
	second->statm.resident += 100;
	spaces_find(&s.ledger);
	assert_int_equal(second->space, first->space);
	assert_int_equal(first->space == first->slot || second->space == second->slot, 1);
	end(&s);
}

static void who_is_not_of_the_round_is_alone(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	struct process *self = enter(&s, getpid());
	struct process *view = enter(&s, child(&s, true, 0));
	view->in_round = false;
	spaces_find(&s.ledger);
	assert_int_equal(view->space, view->slot);
	assert_int_equal(self->space, self->slot);
	end(&s);
}

static bool forbid_kcmp(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kcmp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The last test: the filter stays. */
static void without_kcmp_what_sizes_do_not_tell_apart_is_in_doubt(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	if (!forbid_kcmp()) {
		end(&s);
		skip();
	}
	struct process *self = enter(&s, getpid());
	struct process *view = enter(&s, child(&s, true, 0));
	struct process *large = enter(&s, child(&s, false, 1 << 20));
	struct process *larger = enter(&s, child(&s, false, 2 << 20));
	/* The stack of the view came after the first was read. */
	process_read_statm(&s.ledger, self);
	process_read_statm(&s.ledger, view);
	spaces_find(&s.ledger);
	assert_true(self->space == view->space);
	assert_true(view->space_doubted || self->space_doubted);
	assert_int_equal(large->space, large->slot);
	assert_int_equal(larger->space, larger->slot);
	assert_false(large->space_doubted || larger->space_doubted);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_of_one_memory_are_one_and_forks_are_not),
		cmocka_unit_test(views_are_found_without_the_process_they_have_their_memory_from),
		cmocka_unit_test(who_is_not_of_the_round_is_alone),
		cmocka_unit_test(without_kcmp_what_sizes_do_not_tell_apart_is_in_doubt),
	};

	return cmocka_run_group_tests(tests, open_live, close_live);
}
