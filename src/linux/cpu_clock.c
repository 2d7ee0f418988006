/* SPDX-License-Identifier: MIT */
/* The CPU clock of any process, by its pid alone. */
#include "linux/proc_files.h"

#include <errno.h>
#include <time.h>

#include "base/macros.h"

#define PID_LIMIT (1 << 22) /* the kernel's PID_MAX_LIMIT */

/* The clock id that clock_getcpuclockid(3) makes of a pid: its complement above three bits, which are 2 for "the
 * scheduler's clock of a whole process". It is ABI (CPUCLOCK_SCHED in the kernel's posix-timers); made here because
 * the library's function spends a second system call, clock_getres(2), on asking whether the process exists, and
 * clock_gettime(2) says so anyway. In unsigned arithmetic, since a negative number may not be shifted. */
static clockid_t cpu_clock_of(pid_t pid)
{
	return (clockid_t) (~(unsigned) pid << 3 | 2);
}

int process_cpu_clock(pid_t pid, uint64_t *ret_ns)
{
	struct timespec t;

	/* The kernel takes pid 0 for the caller, and so a pid whose upper bits the id has no room for; pids end at 2^22. */
	if (pid <= 0 || pid > PID_LIMIT)
		return -ESRCH;
	if (clock_gettime(cpu_clock_of(pid), &t) < 0)
		/* EINVAL: no such process, or the id of a thread that leads none. */
		return errno == EINVAL ? -ESRCH : -errno;
	*ret_ns = (uint64_t) t.tv_sec * NSEC_PER_SEC + (uint64_t) t.tv_nsec;
	return 0;
}
