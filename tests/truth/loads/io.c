/* SPDX-License-Identifier: MIT */
/* Loads whose I/O is known by construction, counted in calls and in what reaches storage. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *block(void)
{
	void *memory;

	/* O_DIRECT wants its buffer aligned. */
	if (posix_memalign(&memory, 4096, MIB) != 0)
		die("posix_memalign");
	memset(memory, 'x', MIB);
	return memory;
}

static void write_file(const char *path, size_t size, int flags)
{
	char *data = block();
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, 0644);

	if (fd < 0 && flags && errno == EINVAL) {
		fputs("load: this file system refuses O_DIRECT\n", stderr);
		_exit(EXIT_REFUSED);
	}
	if (fd < 0)
		die(path);
	for (size_t done = 0; done < size; done += MIB)
		if (write(fd, data, MIB) != (ssize_t) MIB)
			die("write");
	close(fd);
	free(data);
}

static void state_written(size_t size)
{
	ledger->io_write_syscall_bytes = size;
	ledger->io_write_bytes = size;
}

static int io_write(char **arguments)
{
	size_t size = number(arguments[1]) * MIB;

	write_file(arguments[0], size, 0);
	state_written(size);
	truth_write();
	return 0;
}

static int io_write_direct(char **arguments)
{
	size_t size = number(arguments[1]) * MIB;

	write_file(arguments[0], size, O_DIRECT);
	state_written(size);
	truth_write();
	return 0;
}

/* Deleted before the kernel gets to write it: calls, and nothing for storage. */
static int io_write_cancelled(char **arguments)
{
	size_t size = number(arguments[1]) * MIB;

	write_file(arguments[0], size, 0);
	if (unlink(arguments[0]) < 0)
		die("unlink");
	ledger->io_write_syscall_bytes = size;
	ledger->io_write_bytes = 0;
	truth_write();
	return 0;
}

/* Through a mapping: no system call writes a byte, and all of it is for storage. */
static int io_write_mapped(char **arguments)
{
	size_t size = number(arguments[1]) * MIB;
	int fd = open(arguments[0], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || ftruncate(fd, (off_t) size) < 0)
		die(arguments[0]);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	touch(memory, size);
	if (msync(memory, size, MS_SYNC) < 0)
		die("msync");
	ledger->io_write_syscall_bytes = 0;
	ledger->io_write_bytes = size;
	truth_write();
	return 0;
}

/* Short-lived writers; `how` says whether their parent waits for them or forgets them. */
static int io_children(char **arguments)
{
	size_t size = number(arguments[2]) * MIB;
	uint64_t n = number(arguments[1]);
	int forgotten = strcmp(arguments[3], "ignored") == 0;

	if (forgotten)
		signal(SIGCHLD, SIG_IGN);
	for (uint64_t i = 0; i < n; i++) {
		if (fork_counted() == 0) {
			char path[4096];

			snprintf(path, sizeof(path), "%s/part-%llu", arguments[0],
				(unsigned long long) i);
			write_file(path, size, 0);
			if (forgotten)
				leave_unfolded();
			_exit(0);
		}
		reap_all();
	}
	state_written(n * size);
	truth_write();
	return 0;
}

static void read_file(int fd, size_t size)
{
	char *data = block();

	for (size_t done = 0; done < size; done += MIB)
		if (read(fd, data, MIB) != (ssize_t) MIB)
			die("read");
	free(data);
}

/* From the page cache: read once before, unseen, by whoever made the file. */
static int io_read_cached(char **arguments)
{
	size_t size = number(arguments[1]) * MIB;
	int fd = open(arguments[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(arguments[0]);
	read_file(fd, size);
	ledger->io_read_syscall_bytes = size;
	ledger->io_read_bytes = 0;
	truth_write();
	return 0;
}

/* From the device: the file's clean pages are dropped first. */
static int io_read_cold(char **arguments)
{
	size_t size = number(arguments[1]) * MIB;
	int fd = open(arguments[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(arguments[0]);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		die("posix_fadvise");
	read_file(fd, size);
	ledger->io_read_syscall_bytes = size;
	ledger->io_read_bytes = size;
	truth_write();
	return 0;
}

const struct load io_loads[] = {
	{ "io-write", "FILE MIB", 2, io_write },
	{ "io-write-direct", "FILE MIB", 2, io_write_direct },
	{ "io-write-cancelled", "FILE MIB", 2, io_write_cancelled },
	{ "io-write-mapped", "FILE MIB", 2, io_write_mapped },
	{ "io-children", "DIRECTORY N MIB waited|ignored", 4, io_children },
	{ "io-read-cached", "FILE MIB", 2, io_read_cached },
	{ "io-read-cold", "FILE MIB", 2, io_read_cold },
	{ 0 },
};
