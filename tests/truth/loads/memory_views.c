/* SPDX-License-Identifier: MIT */
/* Loads whose memory a sum over processes, or over the mappings of one, sees more often than it is there. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_SIZE (256 * 1024)
#define HUGE_PAGE (2 * MIB)

static void state_peak(size_t job, size_t process)
{
	ledger->memory_peak_bytes = job;
	ledger->memory_process_bytes = process;
}

static char *map(size_t size, int flags, int fd)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

static int memfd(size_t size)
{
	int fd = memfd_create("corner", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t) size) < 0)
		die("memfd_create");
	return fd;
}

/* Leaves when all others have come, too: none is alone in the address space before the end. */
static int sleeper(void *context)
{
	const uint64_t *ms = context;

	idle_ms(*ms);
	ledger->arrived++;
	_exit(0);
}

static pid_t clone_sleeper(uint64_t *ms)
{
	char *stack = map(STACK_SIZE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1);
	pid_t pid = clone(sleeper, stack + STACK_SIZE, CLONE_VM | SIGCHLD, ms);

	if (pid < 0)
		die("clone");
	ledger->processes++;
	return pid;
}

/* Several processes with one address space, whose parent, from which they have it, has ended. */
static int memory_sharers(char **arguments)
{
	static uint64_t ms;
	size_t size = number(arguments[0]) * MIB;
	uint32_t n = (uint32_t) number(arguments[1]);

	ms = number(arguments[2]);
	if (fork_counted() == 0) {
		touched(size);
		for (uint32_t i = 0; i < n; i++)
			clone_sleeper(&ms);
		_exit(0);
	}
	reap_all();
	await_count(&ledger->arrived, n);
	state_peak(size, size);
	truth_write();
	return 0;
}

static _Atomic uint32_t over;

static void *map_and_unmap(void *context)
{
	(void) context;
	while (!over) {
		char *memory = map(MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);

		touch(memory, MIB);
		munmap(memory, MIB);
	}
	return NULL;
}

/* A parent whose size is never the same twice, while its children have its address space. */
static int memory_busy_sharers(char **arguments)
{
	static uint64_t ms;
	size_t size = number(arguments[0]) * MIB;
	uint32_t n = (uint32_t) number(arguments[1]);
	pthread_t thread;

	ms = number(arguments[2]);
	touched(size);
	if (pthread_create(&thread, NULL, map_and_unmap, NULL) != 0)
		die("pthread_create");
	ledger->threads++;
	for (uint32_t i = 0; i < n; i++)
		clone_sleeper(&ms);
	reap_all();
	over = 1;
	pthread_join(thread, NULL);
	state_peak(size + MIB, size + MIB);
	truth_write();
	return 0;
}

/* Forks that are no views of one another, all of one size: each has touched as much of its own. */
static int memory_likes(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	uint32_t n = (uint32_t) number(arguments[1]);
	uint64_t ms = number(arguments[2]);

	for (uint32_t i = 0; i < n; i++)
		if (fork_counted() == 0) {
			touched(size);
			ledger->arrived++;
			await_count(&ledger->arrived, n);
			idle_ms(ms);
			_exit(0);
		}
	reap_all();
	state_peak(n * size, size);
	truth_write();
	return 0;
}

/* One memory mapped several times in one process, as a collector of garbage does. */
static int memory_mapped_often(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	uint64_t times = number(arguments[1]);
	int fd = memfd(size);

	for (uint64_t i = 0; i < times; i++)
		touch(map(size, MAP_SHARED, fd), size);
	idle_ms(number(arguments[2]));
	state_peak(size, size);
	truth_write();
	return 0;
}

/* A smaller part of a process is mapped several times. */
static int memory_mapped_beside(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	uint64_t times = number(arguments[1]);
	size_t other = number(arguments[2]) * MIB;
	int fd = memfd(size);

	for (uint64_t i = 0; i < times; i++)
		touch(map(size, MAP_SHARED, fd), size);
	touched(other);
	idle_ms(number(arguments[3]));
	state_peak(size + other, size + other);
	truth_write();
	return 0;
}

/* The same of a segment of System V. */
static int memory_attached_often(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	uint64_t times = number(arguments[1]);
	int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);

	if (id < 0)
		die("shmget");
	for (uint64_t i = 0; i < times; i++) {
		char *memory = shmat(id, NULL, 0);

		if (memory == (void *) -1)
			die("shmat");
		if (i == 0)
			shmctl(id, IPC_RMID, NULL);
		touch(memory, size);
	}
	idle_ms(number(arguments[2]));
	state_peak(size, size);
	truth_write();
	return 0;
}

static uint64_t merged_pages(void)
{
	FILE *f = fopen("/proc/self/ksm_merging_pages", "re");
	unsigned long n = 0;

	if (!f || fscanf(f, "%lu", &n) != 1) {
		fputs("load: no /proc/self/ksm_merging_pages\n", stderr);
		_exit(EXIT_REFUSED);
	}
	fclose(f);
	return n;
}

/* Equal pages, written a part at a time, each part merged by the kernel before the next one comes. */
static int memory_merged(char **arguments)
{
	size_t part = number(arguments[0]) * MIB;
	uint64_t parts = number(arguments[1]);
	char *memory = map(part * parts, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (madvise(memory, part * parts, MADV_NOHUGEPAGE) < 0 ||
		madvise(memory, part * parts, MADV_MERGEABLE) < 0) {
		perror("load: madvise");
		return EXIT_REFUSED;
	}
	for (uint64_t i = 0; i < parts; i++) {
		memset(memory + i * part, 'x', part);
		for (int tries = 0; merged_pages() < (i + 1) * part / 4096 * 9 / 10; tries++) {
			if (tries == 20000) {
				fputs("load: nothing merges these pages\n", stderr);
				return EXIT_REFUSED;
			}
			idle_ms(1);
		}
	}
	idle_ms(number(arguments[2]));
	/* What was not merged yet, a part of it, and one page for as many as the kernel lets share it. */
	size_t peak = part + part * parts / 10 + part * parts / 256;
	state_peak(peak, peak);
	truth_write();
	return 0;
}

static char *map_huge(size_t size, int flags, int fd)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED) {
		perror("load: mmap of huge pages");
		_exit(EXIT_REFUSED);
	}
	return memory;
}

static size_t touch_huge(char *memory, uint64_t pages, uint64_t over_ms)
{
	for (uint64_t i = 0; i < pages; i++) {
		touch(memory + i * HUGE_PAGE, HUGE_PAGE);
		idle_ms(over_ms / pages);
	}
	return pages * HUGE_PAGE;
}

/* Huge pages, one after the other, and then rest: they are in no resident set, and rest changes nothing. */
static int memory_huge(char **arguments)
{
	uint64_t pages = number(arguments[0]);
	char *memory = map_huge(pages * HUGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);
	size_t size = touch_huge(memory, pages, number(arguments[1]));

	idle_ms(number(arguments[2]));
	state_peak(size, size);
	truth_write();
	return 0;
}

/* The same pages mapped several times, by several processes. */
static int memory_huge_shared(char **arguments)
{
	uint64_t pages = number(arguments[0]);
	uint32_t n = (uint32_t) number(arguments[1]);
	size_t size = pages * HUGE_PAGE;
	int fd = memfd_create("huge", MFD_HUGETLB);

	if (fd < 0 || ftruncate(fd, (off_t) size) < 0) {
		perror("load: memfd of huge pages");
		return EXIT_REFUSED;
	}
	touch_huge(map_huge(size, MAP_SHARED, fd), pages, 0);
	touch_huge(map_huge(size, MAP_SHARED, fd), pages, 0);
	for (uint32_t i = 1; i < n; i++)
		if (fork_counted() == 0) {
			touch_huge(map_huge(size, MAP_SHARED, fd), pages, 0);
			idle_ms(number(arguments[2]));
			_exit(0);
		}
	idle_ms(number(arguments[2]));
	reap_all();
	state_peak(size, size);
	truth_write();
	return 0;
}

/* Larger each time, for a moment; between two times it is at work, and small. */
static int memory_rising(char **arguments)
{
	uint64_t times = number(arguments[0]);
	size_t step = number(arguments[1]) * MIB;

	for (uint64_t i = 1; i <= times; i++) {
		char *memory = map(i * step, MAP_PRIVATE | MAP_ANONYMOUS, -1);

		touch(memory, i * step);
		munmap(memory, i * step);
		burn(number(arguments[2]) * 1000000);
	}
	state_peak(times * step, times * step);
	truth_write();
	return 0;
}

/* All alive together, and all but one small. */
static int memory_one_of(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);
	size_t large = number(arguments[1]) * MIB;
	size_t small = number(arguments[2]) * MIB;

	for (uint32_t i = 0; i < n; i++)
		if (fork_counted() == 0) {
			touched(i == n / 2 ? large : small);
			ledger->arrived++;
			await_count(&ledger->arrived, n);
			idle_ms(number(arguments[3]));
			_exit(0);
		}
	reap_all();
	state_peak(large + (n - 1) * small, large);
	truth_write();
	return 0;
}

/* One after the other: never more than one of them. */
static int memory_in_turn(char **arguments)
{
	uint64_t n = number(arguments[0]);
	size_t size = number(arguments[1]) * MIB;

	for (uint64_t i = 0; i < n; i++) {
		if (fork_counted() == 0) {
			touched(size);
			_exit(0);
		}
		reap_all();
	}
	state_peak(size, size);
	truth_write();
	return 0;
}

/* Large together, and then small programs: of an image that called exec no record of its end tells how large it was. */
static int memory_execs(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);
	size_t size = number(arguments[1]) * MIB;

	for (uint32_t i = 0; i < n; i++)
		if (fork_counted() == 0) {
			touched(size);
			ledger->arrived++;
			await_count(&ledger->arrived, n);
			idle_ms(number(arguments[2]));
			exec_load("/proc/self/exe", "load", "after-exec", arguments + 2);
		}
	reap_all();
	state_peak(n * size, size);
	truth_write();
	return 0;
}

/* One mapping of all at each sample, and each its own memory of that size in between. */
static int memory_turned(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);
	size_t size = number(arguments[1]) * MIB;
	char *memory = map(size, MAP_SHARED | MAP_ANONYMOUS, -1);

	for (uint32_t i = 0; i < n; i++)
		if (fork_counted() == 0) {
			touch(memory, size);
			idle_ms(number(arguments[2]));
			munmap(memory, size);
			touched(size);
			ledger->arrived++;
			await_count(&ledger->arrived, n);
			idle_ms(20);
			_exit(0);
		}
	reap_all();
	state_peak(n * size, size);
	truth_write();
	return 0;
}

/* Says when all is touched, and then rests until a line comes. */
static int memory_resting(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	char byte;

	touched(size);
	if (write(STDOUT_FILENO, "touched\n", 8) != 8 || read(STDIN_FILENO, &byte, 1) < 0)
		die("talk");
	idle_ms(number(arguments[1]));
	state_peak(size, size);
	truth_write();
	return 0;
}

/* Executes PROGRAM ARGUMENTS where kcmp(2) is refused, as in a container by its filter of system calls. */
static int without_kcmp(char **arguments)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kcmp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		die("a filter of system calls");
	execvp(arguments[0], arguments);
	die(arguments[0]);
}

const struct load memory_view_loads[] = {
	{ "without-kcmp", "PROGRAM ARGUMENTS", 1, without_kcmp },
	{ "memory-sharers", "MIB N MS", 3, memory_sharers },
	{ "memory-busy-sharers", "MIB N MS", 3, memory_busy_sharers },
	{ "memory-likes", "MIB N MS", 3, memory_likes },
	{ "memory-mapped-often", "MIB TIMES MS", 3, memory_mapped_often },
	{ "memory-mapped-beside", "MIB TIMES OTHER_MIB MS", 4, memory_mapped_beside },
	{ "memory-attached-often", "MIB TIMES MS", 3, memory_attached_often },
	{ "memory-huge", "PAGES OVER_MS MS", 3, memory_huge },
	{ "memory-huge-shared", "PAGES N MS", 3, memory_huge_shared },
	{ "memory-rising", "TIMES MIB MS", 3, memory_rising },
	{ "memory-one-of", "N MIB SMALL_MIB MS", 4, memory_one_of },
	{ "memory-in-turn", "N MIB", 2, memory_in_turn },
	{ "memory-execs", "N MIB MS", 3, memory_execs },
	{ "memory-turned", "N MIB MS", 3, memory_turned },
	{ "memory-resting", "MIB MS", 2, memory_resting },
	{ "memory-merged", "MIB PARTS MS", 3, memory_merged },
	{ 0 },
};
