/* SPDX-License-Identifier: MIT */
/* The jobs that are measured: trees of idle or mildly busy children, two threads that burn, one process that maps and unmaps. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000ULL
#define WAKE_EVERY_NS 100000000ULL
#define MIB ((size_t) 1 << 20)
#define MAPPED (4 * MIB)

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * NSEC_PER_SEC + (uint64_t) t.tv_nsec;
}

static void sleep_until(uint64_t due_ns)
{
	struct timespec t = { .tv_sec = (time_t) (due_ns / NSEC_PER_SEC),
		.tv_nsec = (long) (due_ns % NSEC_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		continue;
}

/* Work the compiler cannot leave out. */
static uint64_t burn(uint64_t rounds)
{
	volatile uint64_t x = 88172645463325252ULL;

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t y = x;
		y ^= y << 13;
		y ^= y >> 7;
		x = y ^ y << 17;
	}
	return x;
}

static _Noreturn void child(bool busy, unsigned number, unsigned n)
{
	uint64_t due_ns = now_ns() + WAKE_EVERY_NS * number / n; /* not all at one moment */

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!busy)
		pause();
	for (;;) {
		sleep_until(due_ns);
		burn(2000);
		due_ns += WAKE_EVERY_NS;
	}
}

/* workload tree idle|busy N SECONDS: prints "ready" when all children live. */
static int tree(char **argv)
{
	bool busy = strcmp(argv[0], "busy") == 0;
	unsigned n = (unsigned) strtoul(argv[1], NULL, 10);
	pid_t *pids = calloc(n ? n : 1, sizeof(*pids));
	unsigned started = 0;
	int failed = 0;

	while (pids && started < n) {
		pid_t pid = fork();
		if (pid == 0)
			child(busy, started, n);
		if (pid < 0) {
			failed = errno;
			break;
		}
		pids[started++] = pid;
	}
	if (!pids || failed) {
		fprintf(stderr, "workload: only %u of %u children: %s\n", started, n,
			strerror(failed));
	} else {
		printf("ready\n");
		fflush(stdout);
		sleep_until(now_ns() + strtoull(argv[2], NULL, 10) * NSEC_PER_SEC);
	}
	for (unsigned i = 0; i < started; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		continue;
	free(pids);
	return failed != 0;
}

static void *burn_thread(void *rounds)
{
	burn(*(const uint64_t *) rounds);
	return NULL;
}

/* workload burn THREADS MILLIONS: the same work each time. */
static int burn_threads(char **argv)
{
	pthread_t threads[64];
	size_t n = strtoul(argv[0], NULL, 10);
	uint64_t rounds = strtoull(argv[1], NULL, 10) * 1000000;

	if (n > sizeof(threads) / sizeof(threads[0]))
		return 2;
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, burn_thread, &rounds) != 0)
			return 1;
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* One round of what waits for the lock of the address space. */
static bool map_and_unmap(void)
{
	char *p = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return false;
	for (size_t at = 0; at < MAPPED; at += 4096)
		p[at] = 1;
	munmap(p, MAPPED);
	return true;
}

/* workload stall MEBIBYTES SECONDS: holds so much memory in small pages and maps, touches and unmaps beside it. */
static int stall(char **argv)
{
	size_t size = strtoul(argv[0], NULL, 10) * MIB, n = 0, capacity = 1 << 20;
	uint64_t *lengths = malloc(capacity * sizeof(*lengths));

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	char *held = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!lengths || held == MAP_FAILED) {
		perror("workload");
		free(lengths);
		return 1;
	}
	uint64_t begin_ns = now_ns(), at_ns = begin_ns;
	uint64_t end_ns = begin_ns + strtoull(argv[1], NULL, 10) * NSEC_PER_SEC;

	while (at_ns < end_ns && n < capacity && map_and_unmap()) {
		uint64_t then_ns = at_ns;
		at_ns = now_ns();
		lengths[n++] = at_ns - then_ns;
	}
	qsort(lengths, n, sizeof(*lengths), by_size);
	if (n)
		printf("{\"rounds_per_second\": %.1f, \"median_ms\": %.3f, \"p999_ms\": %.3f, "
		       "\"longest_ms\": %.3f}\n",
			(double) n * 1e9 / (double) (at_ns - begin_ns),
			(double) lengths[n / 2] / 1e6, (double) lengths[n - 1 - n / 1000] / 1e6,
			(double) lengths[n - 1] / 1e6);
	free(lengths);
	return n == 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "tree") == 0)
		return tree(argv + 2);
	if (argc == 4 && strcmp(argv[1], "burn") == 0)
		return burn_threads(argv + 2);
	if (argc == 4 && strcmp(argv[1], "stall") == 0)
		return stall(argv + 2);
	fprintf(stderr, "usage: workload tree idle|busy N SECONDS\n"
			"       workload burn THREADS MILLIONS\n"
			"       workload stall MEBIBYTES SECONDS\n");
	return 2;
}
