/* SPDX-License-Identifier: MIT */
/* Walks the lists below /proc (children, threads, processes, open files) without allocating, and reads command lines. */
#include "linux/proc_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

/* One read(2) of a children file gives a page at most, whatever the buffer. */
#define CHILDREN_BUFFER_SIZE 4096
#define DIRECTORY_BUFFER_SIZE 8192

/* What getdents64(2) fills the buffer with; glibc has a wrapper only since 2.30. */
struct directory_entry {
	ino64_t inode;
	off64_t offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

static ssize_t read_again(int fd, char *buffer, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buffer, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int proc_children_each(int proc_root, pid_t pid, pid_t tid,
	void (*each)(pid_t child, void *context), void *context)
{
	char buffer[CHILDREN_BUFFER_SIZE];
	int child = 0; /* 0: between two pids; a pid may be cut by the end of a read */
	AUTO_CLOSE int fd = root_file(proc_root, "%d/task/%d/children", pid, tid);

	if (fd < 0)
		return fd;
	for (;;) {
		ssize_t n = read_again(fd, buffer, sizeof(buffer));
		if (n < 0)
			return (int) n;
		if (n == 0)
			break;
		for (ssize_t i = 0; i < n; i++) {
			char c = buffer[i];
			if (c >= '0' && c <= '9') {
				if (child > (INT_MAX - 9) / 10)
					return -EINVAL;
				child = child * 10 + (c - '0');
			} else if (c == ' ' || c == '\n') {
				if (child > 0)
					each(child, context);
				child = 0;
			} else {
				return -EINVAL;
			}
		}
	}
	/* The kernel ends every pid with a space. */
	return child == 0 ? 0 : -EINVAL;
}

/* Calls `each` for every entry of a directory. 0, or a negative errno. */
static int entries_each(
	int fd, void (*each)(const struct directory_entry *entry, void *context), void *context)
{
	_Alignas(struct directory_entry) char buffer[DIRECTORY_BUFFER_SIZE];

	for (;;) {
		long n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer));
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		for (long at = 0; at < n;) {
			const struct directory_entry *entry = (const void *) (buffer + at);
			each(entry, context);
			at += entry->size;
		}
	}
}

struct numeric_walk {
	void (*each)(pid_t id, void *context);
	void *context;
};

static void hand_on_number(const struct directory_entry *entry, void *context)
{
	const struct numeric_walk *walk = context;
	const char *at = entry->name;
	const char *end = entry->name + strlen(entry->name);
	int id;

	/* Processes and threads are directories, descriptors links. */
	if (entry->type == DT_REG)
		return;
	if (scan_int(&at, end, &id) && at == end && id > 0)
		walk->each(id, walk->context);
}

/* Every number among the entries. */
static int numbers_each(int fd, void (*each)(pid_t id, void *context), void *context)
{
	struct numeric_walk walk = { each, context };

	return entries_each(fd, hand_on_number, &walk);
}

int proc_tasks_each(int proc_root, pid_t pid, void (*each)(pid_t tid, void *context), void *context)
{
	AUTO_CLOSE int fd = root_file(proc_root, "%d/task", pid);

	return fd < 0 ? fd : numbers_each(fd, each, context);
}

int proc_pids_each(int proc_root, void (*each)(pid_t pid, void *context), void *context)
{
	AUTO_CLOSE int fd = root_file(proc_root, ".");

	return fd < 0 ? fd : numbers_each(fd, each, context);
}

int proc_own_fds_each(int proc_root, void (*each)(int fd, void *context), void *context)
{
	AUTO_CLOSE int fd = root_file(proc_root, "self/fd");

	return fd < 0 ? fd : numbers_each(fd, each, context);
}

int proc_fds_each(int fd_directory, void (*each)(int fd, void *context), void *context)
{
	/* The walk hands on what may be a pid, so 0 comes apart. */
	if (faccessat(fd_directory, "0", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		each(0, context);
	return numbers_each(fd_directory, each, context);
}

static void count_entry(const struct directory_entry *entry, void *context)
{
	uint64_t *count = context;

	if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
		(*count)++;
}

int proc_fd_count(const struct roots *roots, pid_t pid, uint64_t *ret)
{
	char path[32];
	struct stat st;
	uint64_t count = 0;

	(void) snprintf(path, sizeof(path), "%d/fd", pid);
	if (fstatat(roots->proc, path, &st, 0) < 0)
		return -errno;
	/* In a recorded tree a directory's size says nothing about its entries. */
	if (st.st_size > 0 && roots->live) {
		*ret = (uint64_t) st.st_size;
		return 0;
	}

	/* Size 0 is a kernel before 6.2 or a process without open files: the list tells which. */
	AUTO_CLOSE int fd = root_file(roots->proc, "%s", path);
	if (fd < 0)
		return fd;
	int rc = entries_each(fd, count_entry, &count);
	if (rc < 0)
		return rc;
	*ret = count;
	return 0;
}

ssize_t proc_cmdline_read(int proc_root, pid_t pid, char *buffer, size_t size, bool *ret_cut)
{
	size_t length = 0;
	AUTO_CLOSE int fd = root_file(proc_root, "%d/cmdline", pid);

	if (fd < 0)
		return fd;
	for (;;) {
		char one_more;
		bool full = length == size;
		ssize_t n = full ? read_again(fd, &one_more, 1)
				 : read_again(fd, buffer + length, size - length);
		if (n < 0)
			return n;
		if (n == 0 || full) {
			*ret_cut = n > 0;
			return (ssize_t) length;
		}
		length += (size_t) n;
	}
}

static int stat_of(int proc_root, pid_t pid, const char *name, struct stat *ret)
{
	char path[32];

	(void) snprintf(path, sizeof(path), "%d%s", pid, name);
	return fstatat(proc_root, path, ret, 0);
}

bool proc_is_followed(int proc_root, pid_t pid)
{
	struct stat file;
	struct stat directory;
	struct stat image;
	char byte;
	bool cut;

	if (stat_of(proc_root, pid, "/cmdline", &file) < 0 ||
		stat_of(proc_root, pid, "", &directory) < 0)
		return true;
	/* The directory is always its user's. What is root's shows no difference: of a user who is not, it came to be so by an exec. */
	if (file.st_uid == directory.st_uid && (directory.st_uid != 0 || geteuid() == 0))
		return true;
	/* One that has given up root's rights since its exec looks the same; whoever may see its image sees that there was nothing to it. */
	if (stat_of(proc_root, pid, "/exe", &image) == 0 && (image.st_mode & S_IROTH) &&
		!(image.st_mode & (S_ISUID | S_ISGID)))
		return true;
	/* So does one that ends, which has no command line any more. */
	return proc_cmdline_read(proc_root, pid, &byte, 1, &cut) <= 0;
}

int last_pid_read(int proc_root, pid_t *ret)
{
	char text[128];
	int pid;
	ssize_t n = read_root_file(proc_root, "loadavg", text, sizeof(text));

	if (n < 0)
		return (int) n;
	/* "0.20 0.18 0.12 1/80 11206" */
	const char *at = memrchr(text, ' ', (size_t) n);
	const char *end = text + n;
	if (!at)
		return -EINVAL;
	at++;
	if (!scan_int(&at, end, &pid) || pid <= 0)
		return -EINVAL;
	*ret = pid;
	return 0;
}
