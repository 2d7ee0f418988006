/* SPDX-License-Identifier: MIT */
/* Changes a process's name and the first word of its command line. */
#include "launch/name.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

void change_name(const char *name)
{
	uintptr_t word = (uintptr_t) program_invocation_name;

	prctl(PR_SET_NAME, name);
	/* On the initial stack the arguments lie between these two; what a program set itself may not be ours to write. The other words stay: who
	 * looks for the job's finds the job too. */
	if (word < getauxval(AT_RANDOM) || word > getauxval(AT_EXECFN))
		return;
	size_t len = strlen(program_invocation_name);
	size_t n = strlen(name);
	memset(program_invocation_name, 0, len);
	memcpy(program_invocation_name, name, len < n ? len : n);
}
