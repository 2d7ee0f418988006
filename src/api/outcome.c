/* SPDX-License-Identifier: MIT */
/* Says how the command ended and by what evidence. */
#include "api/outcome.h"

#include <stdio.h>
#include <sys/wait.h>

#include "base/signal_name.h"
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
