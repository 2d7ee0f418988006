/* SPDX-License-Identifier: MIT */
/* How a command ended: what a program needs to know of it is a field each, the words are for people. */
#ifndef ASSAY_MODEL_OUTCOME_H
#define ASSAY_MODEL_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What ended it. The first is what a new one is. */
enum cause { CAUSE_UNKNOWN, CAUSE_EXITED, CAUSE_SIGNAL, CAUSE_OOM_KILL, CAUSE_LIMIT, N_CAUSE };

/* Where a signal came from. */
enum asker {
	ASKER_UNKNOWN,
	ASKER_PROCESS,
	ASKER_OTHER_NAMESPACE, /* a process of another PID namespace: it has no number here */
	ASKER_TERMINAL, /* a key, or it hung up */
	ASKER_ALARM, /* set before the start */
	ASKER_KERNEL,
	N_ASKER
};

/* The signal by which somebody asked for the end, as far as it came by way of assay. */
struct end_request {
	int signal; /* 0: none came */
	enum asker from;
	pid_t pid; /* these two of a process */
	uid_t uid;
	bool to_group; /* to the whole process group, not to assay alone */
	uint64_t before_end_ns;
};

struct outcome {
	bool known; /* false while running, and when the status could not be learnt */
	enum cause cause;
	int exit_code; /* when signal == 0 */
	int signal; /* else the number */
	bool core_dumped;
	const char *limit; /* "wall", "memory" ...; a literal; NULL: none, or not known which */
	const char *limit_source; /* whose it was: "assay", "cgroup"; a literal, with `limit` */
	struct end_request request;
	uint64_t own_cpu_ns; /* of the command itself, without its children */
	uint64_t
		cpu_limit_ns; /* RLIMIT_CPU of a command that SIGKILL ended; 0: none, or not known */
	char words[160]; /* "exited 3", "killed by SIGTERM" */
	char evidence[240]; /* "wait status from the keeper"; what else is known */
};

/* As the record has them: "oom_kill", "other_namespace"; literals. */
const char *cause_name(enum cause cause);
const char *asker_name(enum asker asker);

#endif
