/* SPDX-License-Identifier: MIT */
/* Renames the files of an earlier record, and brings them back or removes them. */
#include "record/set_aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100

/* rename(2) that never takes another's place where the file system can promise that (NFS cannot). */
static int move(int dirfd, const char *from, const char *to)
{
	struct stat st;

	if (renameat2(dirfd, from, dirfd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (fstatat(dirfd, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(dirfd, from, dirfd, to) < 0 ? -errno : 0;
}

int set_aside_take(struct set_aside *s, int dirfd, const char *name)
{
	struct stat st;
	int r = -EEXIST;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENAMETOOLONG ? 0 : -errno;
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return -EEXIST;
	if (s->n == N_SET_ASIDE_MAX)
		return -ENOSPC;

	char *copy = strdup(name);
	char *hidden = s->files[s->n].hidden;
	if (!copy)
		return -ENOMEM;
	for (int i = 0; i < TRIES && r == -EEXIST; i++) {
		snprintf(hidden, sizeof(s->files[0].hidden), ".assay-%ld-%d.old", (long) getpid(),
			s->number++);
		r = move(dirfd, name, hidden);
	}
	if (r < 0) {
		free(copy);
		return r == -ENOENT ? 0 : r;
	}
	s->files[s->n++].name = copy;
	return 0;
}

void set_aside_restore(struct set_aside *s, int dirfd)
{
	for (size_t i = 0; i < s->n; i++) {
		/* Where it cannot have its name back it stays under the hidden one: losing it would be worse. */
		(void) move(dirfd, s->files[i].hidden, s->files[i].name);
		free(s->files[i].name);
	}
	s->n = 0;
}

void set_aside_drop(struct set_aside *s, int dirfd)
{
	for (size_t i = 0; i < s->n; i++) {
		unlinkat(dirfd, s->files[i].hidden, 0);
		free(s->files[i].name);
	}
	s->n = 0;
}
