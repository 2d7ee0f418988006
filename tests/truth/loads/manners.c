/* SPDX-License-Identifier: MIT */
/* What a program can see of how it was started: its descriptors, signals, session and limits, to compare with and without
 * a wrapper around it. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N_DESCRIPTORS LEDGER_FD_MIN

static void put_descriptors(FILE *out)
{
	const char *comma = "";

	fputs("\"descriptors\":[", out);
	for (int fd = 0; fd < N_DESCRIPTORS; fd++) {
		struct stat st;

		if (fstat(fd, &st) < 0)
			continue;
		fprintf(out, "%s[%d,\"%llu:%llu\",%d]", comma, fd, (unsigned long long) st.st_dev,
			(unsigned long long) st.st_ino, fcntl(fd, F_GETFD));
		comma = ",";
	}
	fputs("]", out);
}

static void put_signals(FILE *out)
{
	sigset_t blocked;
	const char *comma = "";

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	fputs(",\"ignored\":[", out);
	for (int n = 1; n <= 64; n++) {
		struct sigaction action;

		if (sigaction(n, NULL, &action) == 0 && action.sa_handler == SIG_IGN) {
			fprintf(out, "%s%d", comma, n);
			comma = ",";
		}
	}
	comma = "";
	fputs("],\"blocked\":[", out);
	for (int n = 1; n <= 64; n++)
		if (sigismember(&blocked, n) == 1) {
			fprintf(out, "%s%d", comma, n);
			comma = ",";
		}
	fputs("]", out);
}

static void put_limits(FILE *out)
{
	fputs(",\"limits\":[", out);
	for (int i = 0; i < 16; i++) {
		struct rlimit limit;

		if (syscall(SYS_prlimit64, 0, i, NULL, &limit) < 0)
			die("prlimit");
		fprintf(out, "%s[%llu,%llu]", i ? "," : "", (unsigned long long) limit.rlim_cur,
			(unsigned long long) limit.rlim_max);
	}
	fputs("]", out);
}

/* Looks first and opens the report afterwards, so that a free descriptor 0, 1 or 2 is seen as free. */
static int manners(char **arguments)
{
	char text[32768];
	FILE *out = fmemopen(text, sizeof(text), "w");
	int death_signal = 0, fd;
	size_t size;
	mode_t mask = umask(0);

	if (!out)
		die("fmemopen");
	prctl(PR_GET_PDEATHSIG, &death_signal);
	fputs("{", out);
	put_descriptors(out);
	put_signals(out);
	put_limits(out);
	fprintf(out, ",\"group\":%d,\"session\":%d,\"umask\":%u,\"nice\":%d,\"death_signal\":%d",
		(int) getpgrp(), (int) getsid(0), (unsigned int) mask, getpriority(PRIO_PROCESS, 0),
		death_signal);
	fprintf(out, ",\"dumpable\":%d}\n", prctl(PR_GET_DUMPABLE));
	fclose(out);
	size = strlen(text);
	fd = open(arguments[0], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, text, size) != (ssize_t) size)
		die(arguments[0]);
	return 0;
}

/* Writes to the descriptors that are open, so that what lands where can be compared. */
static int speak(char **arguments)
{
	const char *words[] = { NULL, "to the output\n", "to the errors\n" };

	for (int fd = 1; fd <= 2; fd++)
		if (write(fd, words[fd], strlen(words[fd])) < 0 && errno != EBADF)
			return 9;
	return (int) number(arguments[0]);
}

/* Says that it runs by making FILE, then waits for the signal that ends it or is handled. */
static volatile sig_atomic_t got;

static void note_signal(int n)
{
	got = n;
}

static int until_signal(char **arguments)
{
	int handled = number(arguments[1]) != 0, fd;
	struct sigaction action = { 0 };
	sigset_t none, wanted;

	sigemptyset(&none);
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGHUP);
	action.sa_handler = note_signal;
	if (handled) {
		sigprocmask(SIG_BLOCK, &wanted, NULL);
		sigaction(SIGTERM, &action, NULL);
		sigaction(SIGHUP, &action, NULL);
	}
	fd = open(arguments[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		die(arguments[0]);
	close(fd);
	while (!got)
		ppoll(NULL, 0, NULL, &none);
	return 40 + (int) got;
}

/* Works until FILE is there: its creator decides how long this load lives. */
static int until_file(char **arguments)
{
	for (int ms = 0; access(arguments[0], F_OK) < 0; ms += 5) {
		if (ms > 60000)
			return 98;
		burn(1000000);
		idle_ms(5);
	}
	truth_write();
	return (int) number(arguments[1]);
}

const struct load manners_loads[] = {
	{ "manners", "REPORT", 1, manners },
	{ "speak", "CODE", 1, speak },
	{ "until-signal", "READY_FILE 0|1", 2, until_signal },
	{ "until-file", "FILE CODE", 2, until_file },
	{ 0 },
};
