/* SPDX-License-Identifier: MIT */
/* Loads of which something is over, or not over, when the command ends: dying with it, living on, waited for by nobody. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELD_MS 50 /* too short for a sample a second */
#define GATE_LOOKS 12000
#define WRITTEN_BLOCKS 64

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		die(path);
	close(fd);
}

static void await_file(const char *path)
{
	for (int i = 0; access(path, F_OK) < 0; i++) {
		if (i == GATE_LOOKS) {
			errno = ETIMEDOUT;
			die(path);
		}
		idle_ms(5);
	}
}

/* What it holds at its end is less than it held before. */
static int peak_then_hold(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;

	munmap(touched(size), size);
	touched(number(arguments[1]) * MIB);
	make_file(arguments[2]);
	pause();
	return 0;
}

/* Lives on as a daemon after the command, until the gate is there; returns in the daemon alone. */
static void begin_daemon(size_t size)
{
	if (fork_counted() == 0) {
		if (setsid() < 0)
			die("setsid");
		return;
	}
	await_count(&ledger->arrived, 1);
	ledger->memory_process_bytes = ledger->memory_peak_bytes = size;
	truth_write();
	_exit(0);
}

/* It has waited for a child that was larger than anything else. */
static int survivor_of_a_child(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;

	begin_daemon(size);
	pid_t child = fork_counted();
	if (child == 0) {
		touched(size);
		idle_ms(HELD_MS);
		_exit(0);
	}
	reap(child);
	ledger->arrived++;
	await_file(arguments[1]);
	return 0;
}

/* It was larger itself, before it became another program. */
static int survivor_of_an_exec(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;

	begin_daemon(size);
	touched(size);
	idle_ms(HELD_MS);
	exec_load("/proc/self/exe", "load", "arrive-and-wait", arguments + 1);
}

static int arrive_and_wait(char **arguments)
{
	ledger->arrived++;
	await_file(arguments[0]);
	return 0;
}

static const char *mapped_path;
static size_t mapped_size;

/* Maps a file that is in the cache, touches it once, writes to nowhere: much memory and I/O in next to no time. */
static void use_much(void)
{
	static char block[MIB];
	int fd = open(mapped_path, O_RDONLY | O_CLOEXEC);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	volatile char sum = 0;

	if (fd < 0 || null < 0)
		die(mapped_path);
	const char *memory = mmap(NULL, mapped_size, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	for (size_t i = 0; i < mapped_size; i += 4096)
		sum = (char) (sum ^ memory[i]);
	for (int i = 0; i < WRITTEN_BLOCKS; i++)
		if (write(null, block, sizeof(block)) != (ssize_t) sizeof(block))
			die("write");
}

static void *use_much_and_end(void *nothing)
{
	(void) nothing;
	use_much();
	_exit(0);
}

/* The main thread ends first, and the process with its other one. */
static void use_much_in_a_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, use_much_and_end, NULL) != 0)
		die("pthread_create");
	pthread_exit(NULL);
}

static void *burn_and_end(void *milliseconds)
{
	burn_thread(number(milliseconds) * 1000000);
	_exit(0);
}

/* Its main thread ends first, the other one does the work. */
static int headless_burn(char **arguments)
{
	pthread_t thread;

	touched(number(arguments[0]) * MIB);
	if (pthread_create(&thread, NULL, burn_and_end, arguments[1]) != 0)
		die("pthread_create");
	pthread_exit(NULL);
}

static void reap_nobody(int flags, void (*handler)(int))
{
	struct sigaction action = { 0 };

	action.sa_handler = handler;
	action.sa_flags = flags;
	if (sigaction(SIGCHLD, &action, NULL) < 0)
		die("sigaction");
}

/* The kernel ends whoever is in a PID namespace with its first process, and nobody waits for them. */
static void use_much_in_a_namespace(void)
{
	int flags = CLONE_NEWPID | (geteuid() == 0 ? 0 : CLONE_NEWUSER);

	if (unshare(flags) < 0)
		_exit(EXIT_REFUSED);
	pid_t first = fork_counted();
	if (first == 0) {
		if (fork_counted() == 0) {
			use_much();
			ledger->arrived++;
			for (;;)
				pause();
		}
		await_count(&ledger->arrived, 1);
		_exit(0);
	}
	reap(first);
}

/* HOW a child that is soon gone was waited for, or was not. */
static int quick_mapping(char **arguments)
{
	const char *how = arguments[2];

	mapped_path = arguments[0];
	mapped_size = number(arguments[1]) * MIB;
	if (strcmp(how, "nocldwait") == 0 || strcmp(how, "thread") == 0)
		reap_nobody(SA_NOCLDWAIT, SIG_DFL);
	if (strcmp(how, "ignored-then-not") == 0)
		reap_nobody(0, SIG_IGN);
	if (strcmp(how, "namespace") == 0) {
		use_much_in_a_namespace();
	} else if (fork_counted() == 0) {
		if (strcmp(how, "thread") == 0)
			use_much_in_a_thread();
		use_much();
		_exit(0);
	}
	reap_all();
	if (strcmp(how, "ignored-then-not") == 0)
		reap_nobody(0, SIG_DFL);
	ledger->memory_process_bytes = ledger->memory_peak_bytes = mapped_size;
	ledger->io_write_syscall_bytes = WRITTEN_BLOCKS * MIB;
	truth_write();
	return 0;
}

const struct load endings_loads[] = {
	{ "peak-then-hold", "MIB HOLD_MIB READY_FILE", 3, peak_then_hold },
	{ "survivor-of-a-child", "MIB GATE", 2, survivor_of_a_child },
	{ "survivor-of-an-exec", "MIB GATE", 2, survivor_of_an_exec },
	{ "arrive-and-wait", "GATE", 1, arrive_and_wait },
	{ "headless-burn", "MIB MS", 2, headless_burn },
	{ "quick-mapping", "FILE MIB waited|nocldwait|ignored-then-not|thread|namespace", 3,
		quick_mapping },
	{ 0 },
};
