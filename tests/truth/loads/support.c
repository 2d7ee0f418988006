/* SPDX-License-Identifier: MIT */
/* What the loads are made of: CPU burnt by the clock, memory touched, children counted, and the line of truth. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ULL
#define PATIENCE_MS 20000

struct ledger *ledger;

void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	_exit(99);
}

uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (!*text || *end) {
		errno = EINVAL;
		die(text);
	}
	return n;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) < 0)
		die("clock_gettime");
	return (uint64_t) t.tv_sec * NS_PER_S + (uint64_t) t.tv_nsec;
}

uint64_t process_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* The clock is a system call: asked rarely, so that what is burnt is user time. */
static void spin(clockid_t id, uint64_t ns)
{
	uint64_t end = clock_ns(id) + ns;

	while (clock_ns(id) < end)
		for (volatile uint32_t i = 0; i < 20000; i++)
			;
}

void burn(uint64_t ns)
{
	spin(CLOCK_PROCESS_CPUTIME_ID, ns);
}

void burn_thread(uint64_t ns)
{
	spin(CLOCK_THREAD_CPUTIME_ID, ns);
}

void idle_ms(uint64_t ms)
{
	struct timespec t = { (time_t) (ms / 1000), (long) (ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

void await_count(_Atomic uint32_t *counter, uint32_t wanted)
{
	for (int ms = 0; *counter < wanted; ms++) {
		if (ms == PATIENCE_MS) {
			errno = ETIMEDOUT;
			die("waiting for another process of the load");
		}
		idle_ms(1);
	}
}

void await_gone(pid_t pid)
{
	for (int ms = 0; kill(pid, 0) == 0 || errno == EPERM; ms++) {
		if (ms == PATIENCE_MS) {
			errno = ETIMEDOUT;
			die("waiting for a process to be reaped");
		}
		idle_ms(1);
	}
}

pid_t fork_counted(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		ledger->processes++;
	return pid;
}

void reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		_exit(WEXITSTATUS(status));
}

void reap_all(void)
{
	int status;

	for (;;) {
		if (waitpid(-1, &status, 0) < 0) {
			if (errno == ECHILD)
				return;
			if (errno != EINTR)
				die("waitpid");
		} else if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
			_exit(WEXITSTATUS(status));
		}
	}
}

/* RUSAGE_CHILDREN, not the sum of wait4(): that one loses up to 1 us a field and child. */
static uint64_t waited_cpu_ns(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u) < 0)
		die("getrusage");
	return (uint64_t) (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t) (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

void leave_unfolded(void)
{
	ledger->unfolded++;
	ledger->cpu_ns += waited_cpu_ns() + process_cpu_ns();
	_exit(0);
}

void touch(char *memory, size_t size)
{
	for (size_t i = 0; i < size; i += 4096)
		memory[i] = (char) (i >> 12 | 1);
}

char *touched(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	touch(memory, size);
	return memory;
}

static int put_known(char *line, size_t size, const char *name, uint64_t value)
{
	return value == UNKNOWN ? 0 : snprintf(line, size, ",\"%s\":%" PRIu64, name, value);
}

void truth_write(void)
{
	const struct {
		const char *name;
		uint64_t value;
	} known[] = {
		{ "memory_peak_bytes", ledger->memory_peak_bytes },
		{ "memory_peak_process_bytes", ledger->memory_process_bytes },
		{ "io_read_syscall_bytes", ledger->io_read_syscall_bytes },
		{ "io_write_syscall_bytes", ledger->io_write_syscall_bytes },
		{ "io_read_bytes", ledger->io_read_bytes },
		{ "io_write_bytes", ledger->io_write_bytes },
		{ "end_ns", ledger->end_ns },
	};
	char line[1024];
	int fd = open(ledger->truth_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	int n = snprintf(line, sizeof(line),
		"{\"processes\":%" PRIu64 ",\"unfolded\":%" PRIu64 ",\"threads\":%" PRIu64
		",\"pid\":%d,\"cpu_before_seconds\":%.9f",
		ledger->processes, ledger->unfolded, ledger->threads, (int) ledger->pid,
		(double) ledger->cpu_before_ns / 1e9);

	if (fd < 0)
		die(ledger->truth_path);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		n += put_known(line + n, sizeof(line) - (size_t) n, known[i].name, known[i].value);
	/* The CPU clock last: what follows it is one write and the end of the process. */
	n += snprintf(line + n, sizeof(line) - (size_t) n, ",\"cpu_seconds\":%.9f}\n",
		(double) (ledger->cpu_ns + waited_cpu_ns() + process_cpu_ns()) / 1e9);
	if (write(fd, line, (size_t) n) != n)
		die("write of the truth");
	close(fd);
}
