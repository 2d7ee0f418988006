/* SPDX-License-Identifier: MIT */
/* Gives up descriptors that are the job's. Our own are all close-on-exec: by that the inherited ones are told. */
#include "linux/inherited.h"

#include <fcntl.h>
#include <unistd.h>

#include "linux/devices.h"
#include "linux/proc_files.h"
#include "linux/roots.h"

static void close_inherited(int fd, void *context)
{
	int flags = fcntl(fd, F_GETFD);

	(void) context;
	if (fd > STDERR_FILENO && flags >= 0 && !(flags & FD_CLOEXEC))
		close(fd);
}

bool inherited_open(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	return flags >= 0 && !(flags & FD_CLOEXEC);
}

void inherited_release(const struct roots *r)
{
	int null = null_device_open();

	if (null < 0)
		return;
	for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			dup3(null, fd, O_CLOEXEC);
	close(null);
	proc_own_fds_each(r->proc, close_inherited, NULL);
}
