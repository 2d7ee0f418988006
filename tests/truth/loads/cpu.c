/* SPDX-License-Identifier: MIT */
/* Loads of one process: CPU time in threads, then idle, under odd names, through exec. */
#include "load.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NS_PER_MS 1000000ULL

static int steady(char **arguments)
{
	burn(number(arguments[0]) * NS_PER_MS);
	truth_write();
	return 0;
}

static int burnt_then_idle(char **arguments)
{
	burn(number(arguments[0]) * NS_PER_MS);
	idle_ms(number(arguments[1]));
	truth_write();
	return 0;
}

/* Its child works as much, and waits as well: both go on until somebody ends them. */
static int burnt_then_waits(char **arguments)
{
	uint64_t ns = number(arguments[0]) * NS_PER_MS;

	if (fork_counted() == 0) {
		burn(ns);
		ledger->cpu_ns += process_cpu_ns();
		ledger->arrived++;
		for (;;)
			pause();
	}
	burn(ns);
	await_count(&ledger->arrived, 1);
	truth_write();
	for (;;)
		pause();
}

static void *burning_thread(void *ns)
{
	burn_thread(*(uint64_t *) ns);
	return NULL;
}

/* Two at a time, so that threads come and go while another one runs. */
static int threads(char **arguments)
{
	uint64_t n = number(arguments[0]), ns = number(arguments[1]) * NS_PER_MS;
	pthread_t pair[2];

	for (uint64_t i = 0; i < n; i++) {
		if (i >= 2)
			pthread_join(pair[i % 2], NULL);
		if (pthread_create(&pair[i % 2], NULL, burning_thread, &ns) != 0)
			die("pthread_create");
		ledger->threads++;
	}
	for (uint64_t i = n < 2 ? 2 - n : 0; i < 2; i++)
		pthread_join(pair[(n + i) % 2], NULL);
	truth_write();
	return 0;
}

/* The process stays itself through `left` more images. */
static int exec_chain(char **arguments)
{
	uint64_t left = number(arguments[0]);
	char next[24];
	char *rest[] = { next, arguments[1], NULL };

	burn(number(arguments[1]) * NS_PER_MS);
	if (left == 0) {
		truth_write();
		return 0;
	}
	snprintf(next, sizeof(next), "%llu", (unsigned long long) left - 1);
	exec_load("/proc/self/exe", "load", "exec-chain", rest);
}

static int named(char **arguments)
{
	prctl(PR_SET_NAME, arguments[0]);
	burn(number(arguments[1]) * NS_PER_MS);
	return 0;
}

/* Each argument names a child: as its argv[0] and as what the kernel calls it. */
static int names(char **arguments)
{
	for (char **name = arguments + 1; *name; name++) {
		char *rest[] = { *name, arguments[0], NULL };

		if (fork_counted() == 0)
			exec_load("/proc/self/exe", *name, "named", rest);
	}
	reap_all();
	truth_write();
	return 0;
}

const struct load cpu_loads[] = {
	{ "steady", "MS", 1, steady },
	{ "burnt-then-idle", "MS IDLE_MS", 2, burnt_then_idle },
	{ "burnt-then-waits", "MS", 1, burnt_then_waits },
	{ "threads", "N MS", 2, threads },
	{ "exec-chain", "N MS", 2, exec_chain },
	{ "named", "NAME MS", 2, named },
	{ "names", "MS NAME...", 2, names },
	{ 0 },
};
