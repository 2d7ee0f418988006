/* SPDX-License-Identifier: MIT */
/* Memory of several processes, and of such as hide, end by force or have it outside of themselves: see known_memory.c. */
#include "known_memory.h"
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_SIZE ((size_t) 64 * 1024)

/* Children that have each touched their part of it, together. */
static void parts_copied(size_t size, uint64_t ms)
{
	size_t part = size / 8;
	char *memory = touched(size / 2);

	for (size_t i = 0; i < 4; i++)
		if (fork_counted() == 0) {
			touch(memory + i * part, part);
			known_meet(5, ms);
			_exit(0);
		}
	known_meet(5, ms);
	reap_all();
	known_peak(size, size / 2);
}

static void mapped_by_four(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);

	for (int i = 0; i < 4; i++)
		if (fork_counted() == 0) {
			char *memory = known_map(size, MAP_SHARED, fd);
			touch(memory, size);
			known_meet(4, ms);
			_exit(0);
		}
	reap_all();
	known_peak(size, size);
}

/* Each maps it three times, and none lives for long. */
static void repeated_by_four(size_t size, uint64_t ms)
{
	/* Twelve mappings in all. */
	size /= 2;
	int fd = known_memfd(size);

	for (int i = 0; i < 4; i++)
		if (fork_counted() == 0) {
			for (int k = 0; k < 3; k++)
				touch(known_map(size, MAP_SHARED, fd), size);
			known_meet(4, ms);
			_exit(0);
		}
	reap_all();
	known_peak(size, size);
}

static void in_turn(size_t size, uint64_t ms)
{
	for (int i = 0; i < 4; i++) {
		if (fork_counted() == 0) {
			touched(size);
			idle_ms(ms / 4);
			_exit(0);
		}
		reap_all();
	}
	known_peak(size, size);
}

static void moment_of_a_child(size_t size, uint64_t ms)
{
	if (fork_counted() == 0) {
		touched(size);
		_exit(0);
	}
	reap_all();
	idle_ms(ms);
	known_peak(size, size);
}

static void zombie_beside(size_t size, uint64_t ms)
{
	siginfo_t info;
	pid_t child = fork_counted();

	if (child == 0) {
		touched(size);
		_exit(0);
	}
	waitid(P_PID, (id_t) child, &info, WEXITED | WNOWAIT);
	touched(size);
	idle_ms(ms);
	reap_all();
	known_peak(size, size);
}

static void orphan(size_t size, uint64_t ms)
{
	if (fork_counted() == 0) {
		if (fork_counted() == 0) {
			setsid();
			touched(size);
			known_meet(2, ms);
			_exit(0);
		}
		_exit(0);
	}
	reap_all();
	known_meet(2, ms + 50);
	known_peak(size, size);
}

static int touch_shared(void *context)
{
	char *memory = context;

	touch(memory, MIB);
	ledger->arrived++;
	await_count(&ledger->arrived, 4);
	idle_ms(200);
	_exit(0);
}

/* Three processes in the address space of a fourth. */
static void one_space(size_t size, uint64_t ms)
{
	char *memory = touched(size);

	for (int i = 0; i < 3; i++) {
		char *stack = known_map(STACK_SIZE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		if (clone(touch_shared, stack + STACK_SIZE, CLONE_VM | SIGCHLD, memory) < 0)
			die("clone");
		ledger->processes++;
	}
	known_meet(4, ms);
	reap_all();
	known_peak(size, size);
}

static void before_exec(size_t size, uint64_t ms)
{
	char idle[16] = "200";
	char *arguments[] = { idle, NULL };

	touched(size);
	idle_ms(ms);
	known_peak(size, size);
	exec_load("/proc/self/exe", "load", "after-exec", arguments);
}

static void end_by(int number)
{
	truth_write();
	signal(number, SIG_DFL);
	raise(number);
	_exit(1);
}

static void killed(size_t size, uint64_t ms)
{
	touched(size);
	idle_ms(ms);
	known_peak(size, size);
	end_by(SIGKILL);
}

static void broken(size_t size, uint64_t ms)
{
	const struct rlimit none = { 0 };

	setrlimit(RLIMIT_CORE, &none);
	touched(size);
	idle_ms(ms);
	known_peak(size, size);
	end_by(SIGSEGV);
}

/* Repeated memory of who is killed. */
static void killed_with_views(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);

	for (int k = 0; k < 4; k++)
		touch(known_map(size, MAP_SHARED, fd), size);
	idle_ms(ms);
	known_peak(size, size);
	end_by(SIGKILL);
}

static void group_killed(size_t size, uint64_t ms)
{
	for (int i = 0; i < 2; i++)
		if (fork_counted() == 0) {
			touched(size / 2);
			known_meet(3, 10 * ms + 10000);
			_exit(0);
		}
	known_meet(3, ms);
	known_peak(size, size / 2);
	truth_write();
	kill(0, SIGKILL);
}

/* Its limit has it fail: what it could not get it never had. */
static void limited(size_t size, uint64_t ms)
{
	const struct rlimit limit = { size + 64 * MIB, size + 64 * MIB };

	touched(size);
	setrlimit(RLIMIT_AS, &limit);
	if (mmap(NULL, 8 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		MAP_FAILED)
		die("a limit that holds");
	idle_ms(ms);
	known_peak(size, size);
}

static void hidden_from_others(size_t size, uint64_t ms)
{
	touched(size);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	idle_ms(ms);
	known_peak(size, size);
}

/* Mappings that nobody may list. */
static void views_hidden_from_others(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	for (int k = 0; k < 3; k++)
		touch(known_map(size, MAP_SHARED, fd), size);
	idle_ms(ms);
	known_peak(size, size);
}

static void another_user(size_t size, uint64_t ms)
{
	if (fork_counted() == 0) {
		if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
			known_refused("setuid");
		touched(size);
		idle_ms(ms);
		_exit(0);
	}
	reap_all();
	known_peak(size, size);
}

static void namespaces(size_t size, uint64_t ms)
{
	int flags = CLONE_NEWPID | (geteuid() ? CLONE_NEWUSER : 0);

	if (unshare(flags) < 0)
		known_refused("unshare");
	if (fork_counted() == 0) {
		touched(size);
		idle_ms(ms);
		_exit(0);
	}
	reap_all();
	known_peak(size, size);
}

static void views_in_namespaces(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);

	if (unshare(CLONE_NEWPID | (geteuid() ? CLONE_NEWUSER : 0)) < 0)
		known_refused("unshare");
	if (fork_counted() == 0) {
		for (int k = 0; k < 3; k++)
			touch(known_map(size, MAP_SHARED, fd), size);
		idle_ms(ms);
		_exit(0);
	}
	reap_all();
	known_peak(size, size);
}

static void fill(int fd)
{
	static char block[64 * 1024];

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (write(fd, block, sizeof(block)) > 0)
		;
}

/* What the kernel holds for it is in no process. */
static void full_pipes(size_t size, uint64_t ms)
{
	for (size_t i = 0; i < size / MIB / 2; i++) {
		int ends[2];
		if (pipe2(ends, O_CLOEXEC) < 0)
			die("pipe");
		fcntl(ends[1], F_SETPIPE_SZ, MIB);
		fill(ends[1]);
	}
	idle_ms(ms);
	known_peak(0, 0);
}

static void full_sockets(size_t size, uint64_t ms)
{
	for (size_t i = 0; i < size / MIB; i++) {
		int ends[2];
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
			die("socketpair");
		fill(ends[1]);
	}
	idle_ms(ms);
	known_peak(0, 0);
}

/* A memfd that only a message holds which nobody has received. */
static void on_its_way(size_t size, uint64_t ms)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	char byte = 'x';
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	int ends[2];
	int fd = known_memfd(size);
	char *memory = known_map(size, MAP_SHARED, fd);

	touch(memory, size);
	munmap(memory, size);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) < 0)
		die("socketpair");
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	if (sendmsg(ends[0], &message, 0) != 1)
		die("sendmsg");
	close(fd);
	idle_ms(ms);
	known_peak(size, size);
}

/* Twenty that are there together, each with its share. */
static void twenty(size_t size, uint64_t ms)
{
	for (int i = 0; i < 20; i++)
		if (fork_counted() == 0) {
			touched(size / 20);
			known_meet(20, ms);
			_exit(0);
		}
	reap_all();
	known_peak(size, size / 20);
}

static void one_large_of_twenty(size_t size, uint64_t ms)
{
	for (int i = 0; i < 20; i++)
		if (fork_counted() == 0) {
			touched(i ? MIB : size);
			known_meet(20, ms);
			_exit(0);
		}
	reap_all();
	known_peak(size + 19 * MIB, size);
}

const struct known_memory known_memory_several[] = {
	{ "parts-copied", parts_copied },
	{ "mapped-by-four", mapped_by_four },
	{ "repeated-by-four", repeated_by_four },
	{ "in-turn", in_turn },
	{ "moment-of-a-child", moment_of_a_child },
	{ "zombie-beside", zombie_beside },
	{ "orphan", orphan },
	{ "one-space", one_space },
	{ "before-exec", before_exec },
	{ "killed", killed },
	{ "broken", broken },
	{ "killed-with-views", killed_with_views },
	{ "group-killed", group_killed },
	{ "limited", limited },
	{ "hidden-from-others", hidden_from_others },
	{ "views-hidden-from-others", views_hidden_from_others },
	{ "another-user", another_user },
	{ "namespaces", namespaces },
	{ "views-in-namespaces", views_in_namespaces },
	{ "full-pipes", full_pipes },
	{ "full-sockets", full_sockets },
	{ "on-its-way", on_its_way },
	{ "twenty", twenty },
	{ "one-large-of-twenty", one_large_of_twenty },
	{ 0 },
};
