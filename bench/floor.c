/* SPDX-License-Identifier: MIT */
/* The floor: the bare system calls one look at a process needs, on kept descriptors, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000ULL

enum { STAT, STATM, IO, N_FILES };

static const char *const names[N_FILES] = { "stat", "statm", "io" };

struct subject {
	clockid_t clock;
	int fds[N_FILES];
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * NSEC_PER_SEC + (uint64_t) t.tv_nsec;
}

static uint64_t own_cpu_ns(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (uint64_t) (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (uint64_t) (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000;
}

static int open_subject(struct subject *s, const char *word)
{
	char *end;
	long pid = strtol(word, &end, 10);

	if (*end || pid <= 0) {
		fprintf(stderr, "floor: '%s' is no pid\n", word);
		return -1;
	}
	if (clock_getcpuclockid((pid_t) pid, &s->clock) != 0) {
		fprintf(stderr, "floor: process %ld is gone\n", pid);
		return -1;
	}
	for (int i = 0; i < N_FILES; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%ld/%s", pid, names[i]);
		s->fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (s->fds[i] < 0) {
			perror(path);
			return -1;
		}
	}
	return 0;
}

/* Four system calls a process. Returns how many processes answered. */
static uint64_t look(const struct subject *subjects, size_t n)
{
	char text[1024];
	uint64_t answered = 0;

	for (size_t i = 0; i < n; i++) {
		struct timespec t;
		ssize_t least = 1;

		if (clock_gettime(subjects[i].clock, &t) < 0)
			continue;
		for (int f = 0; f < N_FILES; f++) {
			ssize_t got = pread(subjects[i].fds[f], text, sizeof(text), 0);
			if (got < least)
				least = got;
		}
		answered += least > 0;
	}
	return answered;
}

static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void sleep_until(uint64_t due_ns)
{
	struct timespec t = { .tv_sec = (time_t) (due_ns / NSEC_PER_SEC),
		.tv_nsec = (long) (due_ns % NSEC_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		continue;
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? (size_t) argc - 2 : 0;
	long seconds = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	uint64_t answered = 0;

	if (seconds <= 0) {
		fprintf(stderr, "usage: floor SECONDS PID...\n");
		return 2;
	}
	raise_file_limit();
	struct subject *subjects = calloc(n, sizeof(*subjects));
	if (!subjects) {
		perror("floor");
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		if (open_subject(&subjects[i], argv[i + 2]) < 0)
			return 1;

	look(subjects, n); /* the first look at a file makes the kernel allocate for it */
	uint64_t start_ns = now_ns(), before_ns = own_cpu_ns();
	for (long tick = 1; tick <= seconds; tick++) {
		sleep_until(start_ns + (uint64_t) tick * NSEC_PER_SEC);
		answered += look(subjects, n);
	}
	uint64_t cpu_ns = own_cpu_ns() - before_ns;

	printf("{\"samples\": %ld, \"processes\": %zu, \"answered\": %llu, \"cpu_ns\": %llu, "
	       "\"us_per_sample\": %.3f, \"us_per_process_sample\": %.3f}\n",
		seconds, n, (unsigned long long) answered, (unsigned long long) cpu_ns,
		(double) cpu_ns / 1e3 / (double) seconds,
		(double) cpu_ns / 1e3 / (double) seconds / (double) n);
	free(subjects);
	return 0;
}
