/* SPDX-License-Identifier: MIT */
/* Makes files under names that nobody looks for. */
#include "record/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void temporary_file_name(char name[TEMPORARY_NAME_SIZE], int number)
{
	snprintf(name, TEMPORARY_NAME_SIZE, ".assay-%ld-%d.tmp", (long) getpid(), number);
}

int temporary_file_open(int dirfd, char name[TEMPORARY_NAME_SIZE])
{
	int fd = -1;

	for (int i = 0; i < TEMPORARY_TRIES; i++) {
		temporary_file_name(name, i);
		fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd >= 0 ? fd : -errno;
}
