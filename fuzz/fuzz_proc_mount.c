/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the parser of the mount at /proc. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linux/proc_mount.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_mount mount;
	/* A block of its exact size, so that one byte read past it is seen. */
	char *copy = malloc(size + (size == 0));

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	int r = proc_mount_parse(copy, size, &mount);
	if (r != 0 && r != -EINVAL && r != -ENOENT)
		abort();
	if (r == 0 && mount.hides && strlen(mount.hidepid) == 0)
		abort();
	free(copy);
	return 0;
}
