/* SPDX-License-Identifier: MIT */
/* Loads whose processes change parents, or end while they are looked at: what a walk from parents to children can miss or count twice. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_MS 1000000ULL
#define N_FAMILY_MAX 512
#define BYSTANDERS 60
#define BYSTANDER_BYTES (2 * MIB)

static char block[MIB];

static _Noreturn void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static void write_block(int null)
{
	if (write(null, block, sizeof(block)) != (ssize_t) sizeof(block))
		die("write");
}

static int open_null(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		die("/dev/null");
	return fd;
}

static void check_family(uint64_t n)
{
	if (n <= N_FAMILY_MAX)
		return;
	errno = E2BIG;
	die("number of children");
}

static void kill_and_reap(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

/* Processes that only sleep: a look at the whole tree takes its time. */
static void start_bystanders(pid_t *pids)
{
	for (int i = 0; i < BYSTANDERS; i++) {
		pids[i] = fork_counted();
		if (pids[i] == 0) {
			touched(BYSTANDER_BYTES);
			sleep_for_ever();
		}
	}
}

/* Children that write 1 MiB each and are zombies for a while; reaped one after the other while they are looked at. */
static int io_zombies(char **arguments)
{
	uint64_t n = number(arguments[0]), rounds = number(arguments[1]);
	pid_t bystanders[BYSTANDERS], pids[N_FAMILY_MAX];
	int null = open_null();

	check_family(n);
	start_bystanders(bystanders);
	for (uint64_t round = 0; round < rounds; round++) {
		for (uint64_t i = 0; i < n; i++) {
			pids[i] = fork_counted();
			if (pids[i] == 0) {
				write_block(null);
				idle_ms(100);
				_exit(0);
			}
		}
		idle_ms(250);
		for (uint64_t i = 0; i < n; i++) {
			reap(pids[i]);
			usleep(200);
		}
	}
	for (int i = 0; i < BYSTANDERS; i++)
		kill_and_reap(bystanders[i]);
	ledger->io_write_syscall_bytes = n * rounds * sizeof(block);
	truth_write();
	return 0;
}

/* Makes `n` orphans that write 1 MiB each and sleep; their parent has ended. */
static void make_orphans(uint64_t n, pid_t *pids, int null)
{
	pid_t *shared = mmap(NULL, N_FAMILY_MAX * sizeof(*shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent;

	if (shared == MAP_FAILED)
		die("mmap");
	ledger->arrived = 0;
	parent = fork_counted();
	if (parent == 0) {
		for (uint64_t i = 0; i < n; i++) {
			pid_t pid = fork_counted();

			if (pid == 0) {
				write_block(null);
				ledger->arrived++;
				sleep_for_ever();
			}
			shared[i] = pid;
		}
		await_count(&ledger->arrived, (uint32_t) n);
		_exit(0);
	}
	reap(parent);
	for (uint64_t i = 0; i < n; i++)
		pids[i] = shared[i];
	munmap(shared, N_FAMILY_MAX * sizeof(*shared));
}

/* Orphans that wrote are killed, and so reaped by whoever adopted them, while they are looked at. */
static int io_orphans(char **arguments)
{
	uint64_t n = number(arguments[0]), rounds = number(arguments[1]);
	pid_t pids[N_FAMILY_MAX];
	int null = open_null();

	check_family(n);
	for (uint64_t round = 0; round < rounds; round++) {
		make_orphans(n, pids, null);
		idle_ms(50);
		for (uint64_t i = 0; i < n; i++) {
			kill(pids[i], SIGKILL);
			if (i % 4 == 0)
				usleep(300);
		}
		for (uint64_t i = 0; i < n; i++)
			await_gone(pids[i]);
	}
	ledger->io_write_syscall_bytes = n * rounds * sizeof(block);
	truth_write();
	return 0;
}

/* Burns, then is there a little longer, so that all of it can be seen while it lives; says so before it ends. */
static _Noreturn void burn_in_sight(char **arguments)
{
	ledger->pid = getpid();
	burn(number(arguments[1]) * NS_PER_MS);
	idle_ms(400);
	ledger->arrived++;
	_exit(0);
}

/* Sleeps in one piece until long after the burning one has begun: it does not run when it is given that child. */
static void sleep_through(char **arguments)
{
	idle_ms(number(arguments[0]) + 2 * number(arguments[1]) + 600);
	await_count(&ledger->arrived, 1);
}

/* A subreaper below the command that sleeps while it inherits a child that burns. */
static int subreaper(char **arguments)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		die("prctl");
	if (fork_counted() == 0) {
		idle_ms(number(arguments[0]));
		if (fork_counted() == 0)
			burn_in_sight(arguments);
		_exit(0);
	}
	sleep_through(arguments);
	reap_all();
	truth_write();
	return 0;
}

/* A child of the sleeping parent makes its own sibling: CLONE_PARENT. */
static int clone_parent(char **arguments)
{
	pid_t maker = fork_counted();

	if (maker == 0) {
		idle_ms(number(arguments[0]));
		ledger->processes++;
		if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0)
			burn_in_sight(arguments);
		sleep_for_ever();
	}
	sleep_through(arguments);
	kill_and_reap(maker);
	reap_all();
	truth_write();
	return 0;
}

/* A child reaped without being counted held most of the memory, too short a time for a sample. */
static int nocldwait_memory(char **arguments)
{
	struct sigaction action = { 0 };
	size_t size = number(arguments[0]) * MIB;

	action.sa_handler = SIG_DFL;
	action.sa_flags = SA_NOCLDWAIT;
	if (sigaction(SIGCHLD, &action, NULL) < 0)
		die("sigaction");
	idle_ms(300);
	if (fork_counted() == 0) {
		touched(size);
		leave_unfolded();
	}
	reap_all();
	ledger->memory_peak_bytes = size;
	truth_write();
	return 0;
}

static pthread_mutex_t threads_may_end = PTHREAD_MUTEX_INITIALIZER;

static void *waiting_thread(void *nothing)
{
	pthread_mutex_lock(&threads_may_end);
	pthread_mutex_unlock(&threads_may_end);
	return nothing;
}

/* One process of N threads that live at the same time for MS. */
static int many_threads(char **arguments)
{
	static pthread_t threads[8192];
	uint64_t n = number(arguments[0]);
	pthread_attr_t small;

	if (n > sizeof(threads) / sizeof(threads[0]))
		return 2;
	pthread_mutex_lock(&threads_may_end);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	for (uint64_t i = 0; i < n; i++) {
		errno = pthread_create(&threads[i], &small, waiting_thread, NULL);
		if (errno != 0)
			die("pthread_create");
		ledger->threads++;
	}
	idle_ms(number(arguments[1]));
	pthread_mutex_unlock(&threads_may_end);
	for (uint64_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	truth_write();
	return 0;
}

const struct load tree_loads[] = {
	{ "io-zombies", "N ROUNDS", 2, io_zombies },
	{ "io-orphans", "N ROUNDS", 2, io_orphans },
	{ "subreaper", "DELAY_MS MS", 2, subreaper },
	{ "clone-parent", "DELAY_MS MS", 2, clone_parent },
	{ "nocldwait-memory", "MIB", 1, nocldwait_memory },
	{ "many-threads", "N MS", 2, many_threads },
	{ 0 },
};
