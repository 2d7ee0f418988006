/* SPDX-License-Identifier: MIT */
/* A process that does what it is told through a pipe of its own, and says what it has used: the test decides what happens when. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_MS 1000000ULL
#define LINE_SIZE 512

static char block[MIB];

struct actor {
	const char *directory, *name;
	int orders, answers;
	uint64_t done; /* orders so far */
};

static void path_of(const struct actor *a, const char *name, char path[LINE_SIZE])
{
	if (snprintf(path, LINE_SIZE, "%s/%s", a->directory, name) >= LINE_SIZE)
		die("length of a path");
}

static uint64_t children_us(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage) < 0)
		die("getrusage");
	return (uint64_t) usage.ru_utime.tv_sec * 1000000 + (uint64_t) usage.ru_utime.tv_usec +
	       (uint64_t) usage.ru_stime.tv_sec * 1000000 + (uint64_t) usage.ru_stime.tv_usec;
}

/* "NAME N PID CPU_NS CHILDREN_US", in one write. */
static void answer(struct actor *a)
{
	char line[LINE_SIZE];
	int n = snprintf(line, sizeof(line), "%s %llu %d %llu %llu\n", a->name,
		(unsigned long long) a->done, (int) getpid(), (unsigned long long) process_cpu_ns(),
		(unsigned long long) children_us());

	if (write(a->answers, line, (size_t) n) != n)
		die("answer");
	a->done++;
}

/* Opened for both, so that it has no end between two orders. */
static void enter_stage(struct actor *a)
{
	char path[LINE_SIZE];

	path_of(a, a->name, path);
	a->orders = open(path, O_RDWR | O_CLOEXEC);
	path_of(a, "answers", path);
	a->answers = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (a->orders < 0 || a->answers < 0)
		die(a->name);
	answer(a);
}

/* Byte by byte: what follows may be for the image after exec. */
static void next_order(const struct actor *a, char line[LINE_SIZE])
{
	for (size_t n = 0; n < LINE_SIZE; n++) {
		if (read(a->orders, &line[n], 1) != 1)
			die("order");
		if (line[n] != '\n')
			continue;
		line[n] = '\0';
		return;
	}
	die("length of an order");
}

static void write_mib(const char *path, uint64_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	if (fd < 0)
		die(path);
	for (uint64_t i = 0; i < n; i++)
		if (write(fd, block, MIB) != (ssize_t) MIB)
			die("write");
	close(fd);
}

/* Children that nobody can see, one after the other; waited for, or with SIGCHLD ignored gone by themselves. */
static void burst(uint64_t n, uint64_t ms)
{
	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			burn(ms * NS_PER_MS);
			_exit(0);
		}
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

static void play(struct actor *a);

static void fork_actor(struct actor *a, const char *name)
{
	char path[LINE_SIZE];

	path_of(a, name, path);
	if (mkfifo(path, 0666) < 0)
		die(path);
	if (fork_counted() != 0)
		return;
	struct actor child = { .directory = a->directory, .name = strdup(name) };
	close(a->orders);
	close(a->answers);
	play(&child);
}

static void become(uid_t uid)
{
	if (setgroups(0, NULL) < 0 || setresuid(uid, uid, uid) < 0)
		die("setuid");
}

static void must(int r, const char *what)
{
	if (r < 0)
		die(what);
}

/* False when it ends. */
static int obey(struct actor *a, const char *word, char *first, const char *second)
{
	char *rest[] = { (char *) (uintptr_t) a->directory, (char *) (uintptr_t) a->name, NULL };

	if (strcmp(word, "burn") == 0)
		burn(number(first) * NS_PER_MS);
	else if (strcmp(word, "write") == 0)
		write_mib(first, number(second));
	else if (strcmp(word, "burst") == 0)
		burst(number(first), number(second));
	else if (strcmp(word, "fork") == 0)
		fork_actor(a, first);
	else if (strcmp(word, "reap") == 0)
		reap((pid_t) number(first));
	else if (strcmp(word, "setsid") == 0)
		must(setsid(), word);
	else if (strcmp(word, "setpgid") == 0)
		must(setpgid(0, (pid_t) number(first)), word);
	else if (strcmp(word, "setuid") == 0)
		become((uid_t) number(first));
	else if (strcmp(word, "name") == 0)
		must(prctl(PR_SET_NAME, first), word);
	else if (strcmp(word, "subreaper") == 0)
		must(prctl(PR_SET_CHILD_SUBREAPER, 1), word);
	else if (strcmp(word, "undumpable") == 0)
		must(prctl(PR_SET_DUMPABLE, 0), word);
	else if (strcmp(word, "ignore") == 0)
		signal(SIGCHLD, SIG_IGN);
	else if (strcmp(word, "exec") == 0)
		exec_load("/proc/self/exe", first, "actor", rest);
	else if (strcmp(word, "exit") != 0)
		die(word);
	return strcmp(word, "exit") != 0;
}

static void play(struct actor *a)
{
	char line[LINE_SIZE], *at;
	int more = 1;

	enter_stage(a);
	while (more) {
		next_order(a, line);
		char *word = strtok_r(line, " ", &at);
		char *first = word ? strtok_r(NULL, " ", &at) : NULL;
		char *second = first ? strtok_r(NULL, " ", &at) : NULL;

		more = obey(a, word ? word : "", first, second);
		answer(a);
	}
	_exit(0);
}

/* The stage's pipe is there already; a name and its orders are numbered anew by each image. */
static int actor(char **arguments)
{
	struct actor a = { .directory = arguments[0], .name = arguments[1] };

	umask(0);
	play(&a);
	return 0;
}

const struct load actor_loads[] = {
	{ "actor", "DIRECTORY NAME", 2, actor },
	{ 0 },
};
