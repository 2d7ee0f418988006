/* SPDX-License-Identifier: MIT */
/* Renames the files of an earlier record, and brings them back or removes them. */
#include "record/set_aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/writer_lock.h"

#define MARK ".assay-old."

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

void set_aside_name(const char *name, char hidden[SET_ASIDE_NAME_SIZE])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	if (snprintf(hidden, SET_ASIDE_NAME_SIZE, MARK "%s", name) < SET_ASIDE_NAME_SIZE)
		return;
	/* A name as long as names may be leaves no room for a mark. */
	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char) *c) * UINT64_C(0x100000001b3);
	snprintf(hidden, SET_ASIDE_NAME_SIZE, MARK "%016llx", (unsigned long long) hash);
}

int set_aside_take(struct set_aside *s, int dirfd, const char *name)
{
	char hidden[SET_ASIDE_NAME_SIZE];
	struct stat st;
	int fd;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENAMETOOLONG ? 0 : -errno;
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return -EEXIST;
	if (s->n == N_SET_ASIDE_MAX)
		return -ENOSPC;

	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	int r = writer_lock_look(dirfd, name, &fd);
	if (r == 0) {
		set_aside_name(name, hidden);
		r = move(dirfd, name, hidden);
		if (r == -EEXIST)
			r = renameat(dirfd, name, dirfd, hidden) < 0 ? -errno : 0;
		if (r < 0 && fd >= 0)
			close(fd);
	}
	if (r < 0) {
		free(copy);
		return r == -ENOENT ? 0 : r;
	}
	s->files[s->n].fd = fd;
	s->files[s->n++].name = copy;
	return 0;
}

void set_aside_leave(struct set_aside *s)
{
	while (s->n > 0) {
		s->n--;
		free(s->files[s->n].name);
		if (s->files[s->n].fd >= 0)
			close(s->files[s->n].fd);
	}
}

void set_aside_restore(struct set_aside *s, int dirfd)
{
	char hidden[SET_ASIDE_NAME_SIZE];

	for (size_t i = s->n; i-- > 0;) {
		set_aside_name(s->files[i].name, hidden);
		/* Where it cannot have its name back it stays under the hidden one: losing it would be worse. */
		(void) move(dirfd, hidden, s->files[i].name);
	}
	set_aside_leave(s);
}

void set_aside_drop(struct set_aside *s, int dirfd)
{
	char hidden[SET_ASIDE_NAME_SIZE];

	for (size_t i = 0; i < s->n; i++) {
		set_aside_name(s->files[i].name, hidden);
		unlinkat(dirfd, hidden, 0);
	}
	set_aside_leave(s);
}

void set_aside_return(int dirfd, const char *name)
{
	char hidden[SET_ASIDE_NAME_SIZE];
	struct stat old;
	struct stat st;

	set_aside_name(name, hidden);
	if (fstatat(dirfd, hidden, &old, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		st.st_size == 0)
		unlinkat(dirfd, name, 0);
	(void) move(dirfd, hidden, name);
}
