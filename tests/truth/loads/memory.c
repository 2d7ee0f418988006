/* SPDX-License-Identifier: MIT */
/* Loads whose memory peak is known by construction: what is touched at the same time, each page counted once. */
#include "load.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void state_peak(size_t job, size_t process)
{
	ledger->memory_peak_bytes = job;
	ledger->memory_process_bytes = process;
}

static int memory_steady(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;

	touched(size);
	idle_ms(number(arguments[1]));
	state_peak(size, size);
	truth_write();
	return 0;
}

/* Gone again before the process ends, so that a later look at it finds nothing. */
static int memory_spike(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	char *memory = touched(size);

	idle_ms(number(arguments[1]));
	munmap(memory, size);
	idle_ms(number(arguments[2]));
	state_peak(size, size);
	truth_write();
	return 0;
}

/* Two processes with one address space, as before the exec of a vfork(2), for as long as that. */
static int memory_vfork(char **arguments)
{
	static unsigned long hold_ms;
	size_t size = number(arguments[0]) * MIB;

	hold_ms = number(arguments[1]);
	touched(size);
	ledger->processes++;
	pid_t child = vfork();
	if (child == 0) {
		const struct timespec hold = { .tv_sec = (time_t) (hold_ms / 1000),
			.tv_nsec = (long) (hold_ms % 1000 * 1000000) };
		clock_nanosleep(CLOCK_MONOTONIC, 0, &hold, NULL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		return 1;
	state_peak(size, size);
	truth_write();
	return 0;
}

static int memory_twins(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;

	for (int i = 0; i < 2; i++)
		if (fork_counted() == 0) {
			touched(size);
			ledger->arrived++;
			await_count(&ledger->arrived, 2);
			idle_ms(number(arguments[1]));
			_exit(0);
		}
	reap_all();
	state_peak(2 * size, size);
	truth_write();
	return 0;
}

struct bystander {
	size_t size;
	unsigned long hold_ms;
};

static void *outlive_main_thread(void *context)
{
	const struct bystander *b = context;

	touched(b->size);
	idle_ms(b->hold_ms);
	_exit(0);
}

/* Parent and child hold as much each; of the child only a second thread is left, and /proc/PID of such a process looks dead. */
static int memory_headless(char **arguments)
{
	static struct bystander b;
	pthread_t thread;

	b = (struct bystander){ number(arguments[0]) * MIB, number(arguments[1]) };
	if (fork_counted() == 0) {
		pthread_create(&thread, NULL, outlive_main_thread, &b);
		pthread_exit(NULL);
	}
	touched(b.size);
	reap_all();
	state_peak(2 * b.size, b.size);
	truth_write();
	return 0;
}

/* The kernel folds a child's peak into whoever waits for it: here nobody does. */
static int memory_forgotten(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;

	signal(SIGCHLD, SIG_IGN);
	if (fork_counted() == 0) {
		touched(size);
		idle_ms(number(arguments[1]));
		leave_unfolded();
	}
	reap_all();
	state_peak(size, size);
	truth_write();
	return 0;
}

static void hold_together(uint32_t all, uint64_t ms)
{
	ledger->arrived++;
	await_count(&ledger->arrived, all);
	idle_ms(ms);
}

static int memory_shared(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	uint32_t n = (uint32_t) number(arguments[1]);
	uint64_t ms = number(arguments[2]);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	touch(memory, size);
	for (uint32_t i = 1; i < n; i++)
		if (fork_counted() == 0) {
			touch(memory, size);
			hold_together(n, ms);
			_exit(0);
		}
	hold_together(n, ms);
	reap_all();
	state_peak(size, size);
	truth_write();
	return 0;
}

/* The child's half becomes its own; the other half stays one and the same for both. */
static int memory_copied(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	uint64_t ms = number(arguments[1]);
	char *memory = touched(size);

	if (fork_counted() == 0) {
		touch(memory, size / 2);
		hold_together(2, ms);
		_exit(0);
	}
	hold_together(2, ms);
	reap_all();
	state_peak(size + size / 2, size);
	truth_write();
	return 0;
}

static int after_exec(char **arguments)
{
	idle_ms(number(arguments[0]));
	truth_write();
	return 0;
}

static int memory_then_exec(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;

	touched(size);
	idle_ms(number(arguments[1]));
	state_peak(size, size);
	exec_load("/proc/self/exe", "load", "after-exec", arguments + 2);
}

static int memory_file(char **arguments)
{
	size_t size = number(arguments[1]) * MIB;
	int fd = open(arguments[0], O_RDONLY | O_CLOEXEC);
	const char *memory;
	volatile char sum = 0;

	if (fd < 0)
		die(arguments[0]);
	memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	for (size_t i = 0; i < size; i += 4096)
		sum = (char) (sum ^ memory[i]);
	idle_ms(number(arguments[2]));
	state_peak(size, size);
	truth_write();
	return 0;
}

static void fill(int fd, size_t size)
{
	static char block[MIB];

	memset(block, 'x', sizeof(block));
	for (size_t done = 0; done < size; done += sizeof(block))
		if (write(fd, block, sizeof(block)) != (ssize_t) sizeof(block))
			die("write");
}

/* Memory of the job that is in no process's address space. */
static int memory_unmapped(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	int fd = memfd_create("unmapped", MFD_CLOEXEC);

	if (fd < 0)
		die("memfd_create");
	fill(fd, size);
	idle_ms(number(arguments[1]));
	state_peak(size, 0);
	ledger->io_write_syscall_bytes = size;
	truth_write();
	return 0;
}

static int memory_mapped(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	int fd = memfd_create("mapped", MFD_CLOEXEC);
	char *memory;

	if (fd < 0 || ftruncate(fd, (off_t) size) < 0)
		die("memfd_create");
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	touch(memory, size);
	idle_ms(number(arguments[1]));
	state_peak(size, size);
	truth_write();
	return 0;
}

const struct load memory_loads[] = {
	{ "memory-steady", "MIB MS", 2, memory_steady },
	{ "memory-headless", "MIB MS", 2, memory_headless },
	{ "memory-spike", "MIB MS IDLE_MS", 3, memory_spike },
	{ "memory-twins", "MIB MS", 2, memory_twins },
	{ "memory-vfork", "MIB MS", 2, memory_vfork },
	{ "memory-forgotten", "MIB MS", 2, memory_forgotten },
	{ "memory-shared", "MIB N MS", 3, memory_shared },
	{ "memory-copied", "MIB MS", 2, memory_copied },
	{ "memory-then-exec", "MIB MS IDLE_MS", 3, memory_then_exec },
	{ "after-exec", "MS", 1, after_exec },
	{ "memory-file", "FILE MIB MS", 3, memory_file },
	{ "memory-unmapped", "MIB MS", 2, memory_unmapped },
	{ "memory-mapped", "MIB MS", 2, memory_mapped },
	{ 0 },
};
