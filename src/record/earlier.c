/* SPDX-License-Identifier: MIT */
/* Opens, locks and reads a record that is to be continued, without changing a byte of it. */
#include "record/earlier.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_read.h"
#include "record/writer_lock.h"

/* Whoever renames a record away takes its lock first; between our open(2) and our lock he may have done it. */
static int still_has_its_name(int dirfd, const char *name, int fd)
{
	struct stat ours;
	struct stat named;

	if (fstat(fd, &ours) < 0)
		return -errno;
	if (!S_ISREG(ours.st_mode))
		return -EINVAL;
	if (fstatat(dirfd, name, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? -EBUSY : -errno;
	return named.st_dev == ours.st_dev && named.st_ino == ours.st_ino ? 0 : -EBUSY;
}

static int open_file(int dirfd, const char *name, int *ret_fd)
{
	int fd = openat(
		dirfd, name, O_RDWR | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	int r = fd < 0 ? -errno : writer_lock_take(fd);

	if (r == 0)
		r = still_has_its_name(dirfd, name, fd);
	if (r < 0) {
		if (fd >= 0)
			close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

int earlier_take_empty(int dirfd, const char *name, int *ret_fd)
{
	struct stat st;
	int fd = -1;
	int r = open_file(dirfd, name, &fd);

	if (r == -ELOOP || r == -EINVAL || r == -EISDIR || r == -ENXIO)
		return -EEXIST;
	if (r < 0)
		return r;
	/* Looked at with the lock: nobody fills it meanwhile. */
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (st.st_size > 0)
		r = -EEXIST;
	if (r < 0)
		close(fd);
	else
		*ret_fd = fd;
	return r;
}

static int say(struct error *err, int r, const char *where, const char *name)
{
	if (r == -EBUSY)
		return error_say(err, r, "%s%s is still being written by another run", where, name);
	if (r == -ELOOP || r == -EINVAL || r == -EISDIR)
		return error_say(
			err, r, "%s%s is no file of its own: it is not continued", where, name);
	if (r == -EFBIG)
		return error_say(
			err, r, "%s%s is no series of assay: it is not continued", where, name);
	return error_set(err, r, "cannot continue %s%s", where, name);
}

static int read_info(struct earlier *e, struct error *err)
{
	struct buf text = { 0 };
	int r = fd_read_all(e->info_fd, READ_INFO_MAX, &text);

	if (r == -EFBIG)
		(void) error_say(err, r, "it is larger than any that assay writes");
	else if (r < 0)
		(void) error_set(err, r, "reading");
	else
		r = read_info_parse(text.data ? text.data : "", text.len, &e->info, err);
	buf_done(&text);
	return r;
}

/* How many lines it would have if none were lost; 0 for what no recorder ever wrote. */
static uint64_t windows_told(const struct joined *j)
{
	uint64_t n = 0;

	for (size_t i = 0; i < j->n; i++)
		if (__builtin_add_overflow(n, j->list[i].windows, &n) || n > INT64_MAX)
			return 0;
	return n;
}

static int read_series(struct earlier *e)
{
	const struct joined *j = &e->info.joined;
	uint64_t told = windows_told(j);
	/* Only of a recorder that was lost the series knows more than the info file. */
	uint64_t lost = e->info.running ? j->n : 0;
	int r = read_last_window(e->usage_fd, &e->last);

	if (r == 0)
		r = survey_usage(e->usage_fd, lost, told, &e->survey);
	e->survey.damaged += e->last.torn_is_foreign;
	e->next_sequence = e->survey.next_sequence;
	if (told > e->next_sequence) {
		e->survey.missing += told - e->next_sequence;
		e->next_sequence = told;
	}
	return r;
}

int earlier_open(struct earlier *e, int dirfd, const char *where, const char *info_name,
	const char *usage_name, struct error *err)
{
	*e = (struct earlier){ .info_fd = -1, .usage_fd = -1 };
	int r = open_file(dirfd, info_name, &e->info_fd);

	if (r == -ENOENT)
		return 0;
	/* The info file is replaced, which is a matter of the directory. */
	if (r == 0 && faccessat(dirfd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		r = -errno;
	if (r < 0)
		return say(err, r, where, info_name);
	r = read_info(e, err);
	if (r < 0)
		return error_wrap(err, "%s%s cannot be continued", where, info_name);
	if (!usage_name)
		return 1;
	r = open_file(dirfd, usage_name, &e->usage_fd);
	if (r == 0)
		r = read_series(e);
	else if (r == -ENOENT) {
		e->next_sequence = e->survey.missing = windows_told(&e->info.joined);
		e->series_missing = e->next_sequence > 0;
		r = 0;
	}
	return r == 0 ? 1 : say(err, r, where, usage_name);
}

void earlier_done(struct earlier *e)
{
	if (e->info_fd >= 0)
		close(e->info_fd);
	if (e->usage_fd >= 0)
		close(e->usage_fd);
	read_info_done(&e->info);
	last_window_done(&e->last);
	e->info_fd = e->usage_fd = -1;
}
