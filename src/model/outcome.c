/* SPDX-License-Identifier: MIT */
/* Names what ended a command, and who asked for it. */
#include "model/outcome.h"

const char *cause_name(enum cause cause)
{
	static const char *const names[N_CAUSE] = { [CAUSE_UNKNOWN] = "unknown",
		[CAUSE_EXITED] = "exited",
		[CAUSE_SIGNAL] = "signal",
		[CAUSE_OOM_KILL] = "oom_kill",
		[CAUSE_LIMIT] = "limit" };

	return names[cause];
}

const char *asker_name(enum asker asker)
{
	static const char *const names[N_ASKER] = { [ASKER_UNKNOWN] = "unknown",
		[ASKER_PROCESS] = "process",
		[ASKER_OTHER_NAMESPACE] = "other_namespace",
		[ASKER_TERMINAL] = "terminal",
		[ASKER_ALARM] = "alarm",
		[ASKER_KERNEL] = "kernel" };

	return names[asker];
}
