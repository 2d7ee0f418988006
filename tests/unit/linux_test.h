/* SPDX-License-Identifier: MIT */
/* What the tests of src/linux share: recorded trees, lists of ids, children that wait for each other, skips with a reason. */
#ifndef ASSAY_TESTS_UNIT_LINUX_TEST_H
#define ASSAY_TESTS_UNIT_LINUX_TEST_H

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/roots.h"

/* FIXTURES is the directory of recorded trees; the build defines it. */

#define BURN_NS 50000000ULL

#define SKIP_BECAUSE(...)                                                                          \
	do {                                                                                       \
		print_message("# " __VA_ARGS__);                                                   \
		print_message("\n");                                                               \
		skip();                                                                            \
	} while (0)

static inline struct roots open_fixture(const char *name)
{
	char prefix[1024];
	struct roots r;
	struct error err;

	snprintf(prefix, sizeof(prefix), "%s/%s", FIXTURES, name);
	if (roots_open(&r, prefix, &err) < 0)
		fail_msg("%s", err.text);
	return r;
}

struct id_list {
	size_t n;
	pid_t ids[1 << 16]; /* a busy machine has tens of thousands of processes */
};

static inline void keep_id(pid_t id, void *context)
{
	struct id_list *list = context;

	if (list->n < ARRAY_SIZE(list->ids))
		list->ids[list->n++] = id;
}

static inline bool holds(const struct id_list *list, pid_t id)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->ids[i] == id)
			return true;
	return false;
}

struct gate {
	int fds[2];
};

static inline struct gate make_gate(void)
{
	struct gate g;

	assert_int_equal(pipe2(g.fds, O_CLOEXEC), 0);
	return g;
}

static inline void pass(const struct gate *g)
{
	char c = 'x';

	while (write(g->fds[1], &c, 1) < 0 && errno == EINTR)
		;
}

/* False when the other side is gone. */
static inline bool wait_at(const struct gate *g)
{
	char c;
	ssize_t n;

	do
		n = read(g->fds[0], &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static inline void drop_gate(struct gate *g)
{
	close(g->fds[0]);
	close(g->fds[1]);
}

static inline void end_child(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

/* Uses this process's CPU until its own clock says so. */
static inline void burn(uint64_t ns)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while ((uint64_t) t.tv_sec * NSEC_PER_SEC + (uint64_t) t.tv_nsec < ns);
}

#endif
