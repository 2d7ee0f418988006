/* SPDX-License-Identifier: MIT */
/* Names signals as kill(1) and the manual do. */
#include "base/signal_name.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
static const char *abbreviation(int number)
{
	return sigabbrev_np(number);
}
#else
static const char *abbreviation(int number)
{
	static const char *const names[] = {
		/* clang-format off */
		[SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT", [SIGILL] = "ILL", [SIGTRAP] = "TRAP",
		[SIGABRT] = "ABRT", [SIGBUS] = "BUS", [SIGFPE] = "FPE", [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
		[SIGSEGV] = "SEGV", [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
		[SIGCHLD] = "CHLD", [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN",
		[SIGTTOU] = "TTOU", [SIGURG] = "URG", [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM",
		[SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGIO] = "IO", [SIGPWR] = "PWR", [SIGSYS] = "SYS",
		/* clang-format on */
	};
	const int n = (int) (sizeof(names) / sizeof(names[0]));

	return number > 0 && number < n ? names[number] : NULL;
}
#endif

void format_signal(int number, char text[SIGNAL_NAME_SIZE])
{
	const char *name = abbreviation(number);

	if (name)
		snprintf(text, SIGNAL_NAME_SIZE, "SIG%s", name);
	else if (number >= SIGRTMIN && number <= SIGRTMAX)
		snprintf(text, SIGNAL_NAME_SIZE, "SIGRTMIN+%d", number - SIGRTMIN);
	else
		snprintf(text, SIGNAL_NAME_SIZE, "SIG%d", number);
}
