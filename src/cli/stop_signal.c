/* SPDX-License-Identifier: MIT */
/* Notes signals, and raises them again. */
#include "cli/stop_signal.h"

#include "base/macros.h"

volatile sig_atomic_t stop_signal;

static void note(int number)
{
	stop_signal = number;
}

static void set_all(void (*handler)(int))
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = handler, .sa_flags = (int) SA_RESETHAND };
	struct sigaction before;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

void stop_signals_hold(void)
{
	set_all(note);
}

void stop_signals_release(void)
{
	set_all(SIG_DFL);
}

void stop_signals_obey(void)
{
	stop_signals_release();
	if (stop_signal)
		raise(stop_signal);
}
