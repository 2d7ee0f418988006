/* SPDX-License-Identifier: MIT */
/* Says how the command ended and by what evidence. */
#include "api/outcome.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/macros.h"
#include "base/signal_name.h"
#include "launch/forward.h"
#include "model/run_info.h"

void outcome_from_status(struct outcome *ret, int status, bool keeper_lost)
{
	char name[SIGNAL_NAME_SIZE];

	*ret = (struct outcome){ .known = true };
	snprintf(ret->evidence, sizeof(ret->evidence), "wait status %d, reaped by %s", status,
		keeper_lost ? "the recorder after the keeper was killed" : "the keeper");
	if (!WIFSIGNALED(status)) {
		ret->exit_code = WEXITSTATUS(status);
		snprintf(ret->words, sizeof(ret->words), "exited %d", ret->exit_code);
		return;
	}
	ret->signal = WTERMSIG(status);
	ret->core_dumped = WCOREDUMP(status);
	format_signal(ret->signal, name);
	snprintf(ret->words, sizeof(ret->words), "killed by %s%s", name,
		ret->core_dumped ? ", core dumped" : "");
}

#define OLDEST_CAUSE_NS (60 * NSEC_PER_SEC)

static void add(char *text, size_t size, const char *more)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s", more);
}

/* Signals that nobody gets but from somebody else: not a fault's, a timer's or a limit's. */
static bool needs_a_sender(int number)
{
	static const int sent[] = { SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2 };

	for (size_t i = 0; i < ARRAY_SIZE(sent); i++)
		if (sent[i] == number)
			return true;
	return number >= SIGRTMIN;
}

static void name_kernel(const struct sender *by, int number, char *text, size_t size)
{
	if (number == SIGINT || number == SIGQUIT)
		snprintf(text, size, "a key on the terminal");
	else if (number == SIGHUP)
		snprintf(text, size, "the terminal hung up");
	else if (number == SIGALRM && !by->to_group)
		snprintf(text, size, "an alarm that was set before the start");
	else
		snprintf(text, size, "sent by the kernel");
}

static void name_sender(const struct sender *by, int number, char *text, size_t size)
{
	const char *to = by->to_group ? "the process group" : "assay";
	const char *then = by->to_group ? "" : " and passed on";

	if (by->by_kernel)
		name_kernel(by, number, text, size);
	else if (by->pid > 0)
		snprintf(text, size, "sent to %s by pid %ld of uid %lu%s", to, (long) by->pid,
			(unsigned long) by->uid, then);
	else
		snprintf(text, size, "sent to %s from another pid namespace%s", to, then);
}

void outcome_add_sender(struct outcome *o, const struct sender *latest, uint64_t end_ns)
{
	char who[120];
	char more[160];

	if (!o->known || !o->signal)
		return;
	/* What came after the end, within the moment in which we notice it, may still be the cause: it went to the group. */
	uint64_t age_ns = end_ns > latest->monotonic_ns ? end_ns - latest->monotonic_ns : 0;
	if (latest->monotonic_ns == 0 || age_ns > OLDEST_CAUSE_NS) {
		if (needs_a_sender(o->signal))
			add(o->evidence, sizeof(o->evidence),
				"; not sent by way of assay, who sent it is not known");
		return;
	}
	name_sender(latest, o->signal, who, sizeof(who));
	snprintf(more, sizeof(more), " (%s)", who);
	add(o->words, sizeof(o->words), more);
	snprintf(more, sizeof(more), "; assay saw the signal %llu ms before the end",
		(unsigned long long) (age_ns / 1000000));
	add(o->evidence, sizeof(o->evidence), more);
}
