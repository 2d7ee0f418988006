/* SPDX-License-Identifier: MIT */
/* A perf software clock that follows a task and everything it forks. */
#include "linux/perf_clock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define EVERY_CPU (-1)
#define NO_GROUP (-1)

/* kernel.perf_event_paranoid. False when it cannot be read: without perf events there is no such file. */
static bool read_paranoid(const struct roots *r, int *ret)
{
	char text[16];

	ssize_t n = read_root_file(r->proc, "sys/kernel/perf_event_paranoid", text, sizeof(text));
	if (n <= 0)
		return false;
	const char *at = text;
	return scan_int(&at, text + n, ret);
}

/* Says why the kernel refused, as far as its settings tell. Returns the negative errno. */
static int explain(const struct roots *r, int code, struct error *err)
{
	int paranoid;
	bool known = read_paranoid(r, &paranoid);

	if (code == -ENOSYS && !known)
		return error_say(err, code,
			"perf_event_open(2) is missing: the kernel has no perf events, or a "
			"sandbox hides them; running without that would help");
	if (code == -ENOSYS)
		return error_say(err, code,
			"a seccomp filter hides perf_event_open(2) (perf_event_paranoid is %d); "
			"allowing it in the container's profile would help",
			paranoid);
	if (code != -EACCES && code != -EPERM)
		return error_set(err, code, "cannot open a perf task clock");
	if (!known)
		return error_set(err, code,
			"perf_event_open(2) is refused and perf_event_paranoid cannot be read; "
			"CAP_PERFMON would help");
	/* 3 and 4 are not in the mainline kernel: Debian and Ubuntu refuse all of perf to users there. */
	if (paranoid > 2)
		return error_set(err, code,
			"perf_event_open(2) is refused at perf_event_paranoid %d; "
			"sysctl kernel.perf_event_paranoid=2 or CAP_PERFMON would help",
			paranoid);
	return error_set(err, code,
		"perf_event_open(2) is refused though perf_event_paranoid is %d: by a seccomp "
		"filter (container), a security module, or another user's process; allowing it "
		"there or CAP_PERFMON would help",
		paranoid);
}

int perf_clock_open(const struct roots *r, pid_t pid, struct error *err)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	/* Children inherit the clock and give their time back at their exit. The kernel allows this for an event that
	 * follows a task on every CPU. */
	attr.inherit = 1;
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;

	long fd =
		syscall(SYS_perf_event_open, &attr, pid, EVERY_CPU, NO_GROUP, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return explain(r, -errno, err);
	return (int) fd;
}

int perf_clock_probe(const struct roots *r, struct error *err)
{
	int fd = perf_clock_open(r, 0, err);
	if (fd < 0)
		return fd;

	close(fd);
	return 0;
}

int perf_clock_read(int fd, uint64_t *ret_ns)
{
	uint64_t count;

	ssize_t n = read(fd, &count, sizeof(count));
	if (n < 0)
		return -errno;
	/* An event the kernel could not keep running reads as nothing. */
	if (n != sizeof(count))
		return -ENODATA;
	*ret_ns = count;
	return 0;
}
