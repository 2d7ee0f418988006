/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the parser of the mount at /proc. */
#include "feed.h"

#include <errno.h>
#include <string.h>

#include "linux/proc_mount.h"

static void feed_mount(const char *text, size_t n)
{
	struct proc_mount mount;
	int rc = proc_mount_parse(text, n, &mount);

	must(rc == 0 || rc == -EINVAL || rc == -ENOENT);
	if (rc == 0 && mount.hides)
		must(strlen(mount.hidepid) > 0);
}

FEED_TO(feed_mount)
