/* SPDX-License-Identifier: MIT */
/* Writes info.json atomically, the last time into space that was reserved at the start. */
#include "record/info_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd_link.h"
#include "base/fd_write.h"
#include "record/temporary_file.h"
#include "record/writer_lock.h"

#define RESERVED_FIRST ((size_t) 128 * 1024)
#define GROWTH ((size_t) 64 * 1024) /* how much longer the final version may be than the first */
#define NEW_FILE_MODE 0666

static void free_reserve(struct info_file *f)
{
	if (f->reserve >= 0)
		close(f->reserve);
	f->reserve = -1;
	f->reserved = 0;
}

static void reserve(struct info_file *f, size_t size)
{
	if (f->reserve < 0 || size <= f->reserved)
		return;
	if (fd_reserve(f->reserve, size) == 0)
		f->reserved = size;
}

void info_file_init(struct info_file *f, int dirfd, const char *name)
{
	*f = (struct info_file){ .dirfd = dirfd, .name = name, .lock = -1 };
	f->reserve = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, NEW_FILE_MODE);
	/* On a small file system less is better than nothing. */
	for (size_t size = RESERVED_FIRST; f->reserved == 0 && size >= RESERVED_FIRST / 4;
		size = size / 4 * 3)
		reserve(f, size);
	if (f->reserved == 0)
		free_reserve(f);
}

/* The first version replaces nothing. */
static int rename_new(const struct info_file *f, const char *temporary)
{
	if (renameat2(f->dirfd, temporary, f->dirfd, f->name, RENAME_NOREPLACE) == 0)
		return 0;
	/* renameat2(2): not every file system has flags (NFS). What stood there was looked for at the start. */
	if (errno == EINVAL || errno == ENOSYS)
		return renameat(f->dirfd, temporary, f->dirfd, f->name) < 0 ? -errno : 0;
	return -errno;
}

static int put_in_place(struct info_file *f, const char *temporary)
{
	int r;

	if (f->written || f->replaces)
		r = renameat(f->dirfd, temporary, f->dirfd, f->name) < 0 ? -errno : 0;
	else
		r = rename_new(f, temporary);
	if (r < 0)
		unlinkat(f->dirfd, temporary, 0);
	else
		f->written = true;
	return r;
}

static int write_reserved(struct info_file *f, const char *text, size_t n)
{
	char name[TEMPORARY_NAME_SIZE];
	int r;

	if (lseek(f->reserve, 0, SEEK_SET) < 0)
		return -errno;
	r = fd_write_all(f->reserve, text, n, NULL);
	if (r < 0)
		return r;
	if (ftruncate(f->reserve, (off_t) n) < 0)
		return -errno;

	r = -EEXIST;
	for (int i = 0; i < TEMPORARY_TRIES && r == -EEXIST; i++) {
		temporary_file_name(name, i);
		r = fd_link(f->reserve, f->dirfd, name);
	}
	return r < 0 ? r : put_in_place(f, name);
}

/* The next version's lock is held before the name changes hands. */
static void hold(struct info_file *f, int fd)
{
	if (f->lock >= 0)
		close(f->lock);
	f->lock = fd;
}

static int write_temporary(struct info_file *f, const char *text, size_t n)
{
	char name[TEMPORARY_NAME_SIZE];
	int fd = temporary_file_open(f->dirfd, name);
	int lock;
	int r;

	if (fd < 0)
		return fd;
	r = fd_write_all(fd, text, n, NULL);
	/* flock(2): a lock is the open file's, so a copy keeps it. */
	lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (lock >= 0)
		(void) writer_lock_take(lock);
	/* close(2): over a network, a full disk or a quota may be told only here. */
	if (close(fd) < 0 && r == 0 && errno != EINTR)
		r = -errno;
	if (r < 0)
		unlinkat(f->dirfd, name, 0);
	else
		r = put_in_place(f, name);
	if (r == 0)
		hold(f, lock);
	else if (lock >= 0)
		close(lock);
	return r;
}

int info_file_write(struct info_file *f, const char *text, size_t n, bool final, struct error *err)
{
	int r = -ENOENT;

	if (final && f->reserve >= 0)
		r = write_reserved(f, text, n);
	if (final)
		free_reserve(f); /* what it held is room for the ordinary way */
	else
		reserve(f, n + GROWTH);
	/* Room that holds no version of it is the series' on a small file system. */
	if (f->reserved < n)
		free_reserve(f);
	if (r < 0)
		r = write_temporary(f, text, n);
	if (r < 0)
		return error_set(err, r, "cannot write %s", f->name);
	return 0;
}

void info_file_discard(struct info_file *f)
{
	if (f->written && !f->replaces)
		unlinkat(f->dirfd, f->name, 0);
	f->written = false;
}

void info_file_done(struct info_file *f)
{
	free_reserve(f);
	hold(f, -1);
}
