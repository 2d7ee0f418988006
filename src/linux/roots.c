/* SPDX-License-Identifier: MIT */
/* Opens the directories the parsers read under, and reads whole kernel files below them. */
#include "linux/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "linux/scan.h"

#define ROOT_PATH_SIZE 512 /* below a root, not a whole path */

/* A descriptor for "PREFIX/name", or a negative errno. */
static int open_directory(const char *prefix, const char *name, struct error *err)
{
	char path[4096]; /* PATH_MAX: a longer one cannot be opened anyway */
	int n = snprintf(path, sizeof(path), "%s/%s", prefix, name);
	if (n < 0 || (size_t) n >= sizeof(path))
		return error_set(err, -ENAMETOOLONG, "cannot open %s below a root directory", name);

	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, -errno, "cannot open the directory %s", path);
	return fd;
}

/* 0 when pids in this /proc are the ones system calls mean; -ESRCH where another PID namespace mounted it; -ENOENT where nothing is. */
static int of_our_namespace(int proc)
{
	char text[16];
	int pid;
	ssize_t n = readlinkat(proc, "self", text, sizeof(text));
	const char *at = text;

	/* To a process its namespace does not know, "self" is there and leads nowhere. */
	if (n < 0 && faccessat(proc, "stat", F_OK, 0) < 0)
		return -ENOENT;
	return n > 0 && scan_int(&at, text + n, &pid) && pid == getpid() ? 0 : -ESRCH;
}

int roots_open(struct roots *r, const char *prefix, struct error *err)
{
	bool live = prefix[0] == '\0';
	int proc = open_directory(prefix, "proc", err);
	if (proc < 0 && !live)
		return proc;
	int why = live && proc >= 0 ? of_our_namespace(proc) : 0;
	if (why < 0) {
		close(proc);
		proc = why;
	}
	r->why_no_proc = proc >= 0        ? NULL
			 : proc == -ESRCH ? "the /proc here belongs to another PID namespace"
					  : "there is no /proc here";
	proc = proc < 0 ? -1 : proc;

	r->proc = proc;
	int sys = open_directory(prefix, "sys", NULL);
	r->sys = sys < 0 ? -1 : sys;

	struct statfs fs;
	r->live = fstatfs(proc, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
	return 0;
}

void roots_close(struct roots *r)
{
	if (r->proc >= 0)
		close(r->proc);
	if (r->sys >= 0)
		close(r->sys);
	r->proc = r->sys = -1;
}

int open_kernel_file(int directory, const char *path)
{
	struct stat st;
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return fd;
	close(fd);
	return -EINVAL;
}

int root_file(int root, const char *format, ...)
{
	char path[ROOT_PATH_SIZE];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t) n >= sizeof(path))
		return -ENAMETOOLONG;
	/* An absolute path would make openat(2) forget the root, and a negative root may be AT_FDCWD. */
	if (path[0] == '/')
		return -EINVAL;
	if (root < 0)
		return -ENOENT;

	return open_kernel_file(root, path);
}

/* pread(2) that a signal does not interrupt: bytes read, or a negative errno. */
static ssize_t pread_again(int fd, char *buffer, size_t size, size_t offset)
{
	ssize_t n;

	do
		n = pread(fd, buffer, size, (off_t) offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t read_kernel_file(int fd, char *buffer, size_t size)
{
	size_t length = 0;

	if (size == 0)
		return -EOVERFLOW;
	for (;;) {
		char one_more;
		bool full = length == size - 1;
		ssize_t n = full ? pread_again(fd, &one_more, 1, length)
				 : pread_again(fd, buffer + length, size - 1 - length, length);
		if (n < 0)
			return n;
		if (n == 0)
			break;
		if (full)
			return -EOVERFLOW;
		length += (size_t) n;
	}
	buffer[length] = '\0';
	return (ssize_t) length;
}

ssize_t read_kernel_record(int fd, char *buffer, size_t size)
{
	if (size == 0)
		return -EOVERFLOW;
	ssize_t n = pread_again(fd, buffer, size, 0);
	if (n < 0)
		return n;
	if ((size_t) n == size)
		return -EOVERFLOW;
	buffer[n] = '\0';
	return n;
}

ssize_t read_root_file(int root, const char *path, char *buffer, size_t size)
{
	int fd = root_file(root, "%s", path);
	if (fd < 0)
		return fd;

	ssize_t n = read_kernel_file(fd, buffer, size);
	close(fd);
	return n;
}
