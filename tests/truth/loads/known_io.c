/* SPDX-License-Identifier: MIT */
/* Ways to move bytes whose counts are known by construction: which calls the kernel counts as reads and writes, and what becomes dirty. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096U

static const char *room;
static char *block;

/* The truth grows with each step. */
static uint64_t calls_read, calls_written, storage_read, storage_written;

static void must(int holds, const char *what)
{
	if (!holds)
		die(what);
}

static int file(const char *name, int flags)
{
	char path[4096];

	must(snprintf(path, sizeof(path), "%s/%s", room, name) < (int) sizeof(path), "path");
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0644);
	if (fd < 0 && errno == EINVAL && (flags & O_DIRECT)) {
		fputs("load: this file system refuses O_DIRECT\n", stderr);
		_exit(EXIT_REFUSED);
	}
	must(fd >= 0, path);
	return fd;
}

/* A MiB by write(2), which becomes dirty. */
static void write_mib(int fd)
{
	must(write(fd, block, MIB) == (ssize_t) MIB, "write");
	calls_written += MIB;
	storage_written += MIB;
}

static void read_mib(int fd)
{
	must(pread(fd, block, MIB, 0) == (ssize_t) MIB, "pread");
	calls_read += MIB;
}

/* On the device and no longer in memory. */
static int cold_file(const char *name)
{
	int fd = file(name, 0);

	write_mib(fd);
	must(fsync(fd) == 0, "fsync");
	must(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0, "posix_fadvise");
	return fd;
}

static void by_position(void)
{
	int fd = file("positions", 0);

	for (int i = 3; i >= 0; i--)
		must(pwrite(fd, block, MIB, i * (off_t) MIB) == (ssize_t) MIB, "pwrite");
	for (int i = 0; i < 3; i++)
		read_mib(fd);
	calls_written += 4 * MIB;
	storage_written += 4 * MIB;
}

static void by_vectors(void)
{
	struct iovec parts[16];
	int fd = file("vectors", 0);

	for (int i = 0; i < 16; i++)
		parts[i] = (struct iovec){ block, MIB / 16 };
	must(writev(fd, parts, 16) == (ssize_t) MIB, "writev");
	must(pwritev2(fd, parts, 16, (off_t) MIB, RWF_DSYNC) == (ssize_t) MIB, "pwritev2");
	must(preadv2(fd, parts, 16, 0, 0) == (ssize_t) MIB, "preadv2");
	must(preadv(fd, parts, 16, 0) == (ssize_t) MIB, "preadv");
	calls_read += 2 * MIB;
	calls_written += 2 * MIB;
	storage_written += 2 * MIB;
}

static void by_sendfile(void)
{
	int from = file("from", 0), to = file("to", 0);
	off_t at = 0;

	write_mib(from);
	for (size_t n = MIB; n > 0;) {
		ssize_t moved = sendfile(to, from, &at, n);
		must(moved > 0, "sendfile");
		n -= (size_t) moved;
	}
	calls_read += MIB;
	calls_written += MIB;
	storage_written += MIB;
}

static void by_copy_file_range(void)
{
	int from = file("from", 0), to = file("to", 0);
	loff_t at = 0;

	write_mib(from);
	for (size_t n = MIB; n > 0;) {
		ssize_t moved = copy_file_range(from, &at, to, NULL, n, 0);
		must(moved > 0, "copy_file_range");
		n -= (size_t) moved;
	}
	calls_read += MIB;
	calls_written += MIB;
	storage_written += MIB;
}

/* Neither splice(2) nor tee(2) nor vmsplice(2) is counted as a call that reads or writes; what reaches a file becomes dirty all the same. */
static void by_splice(void)
{
	int from = file("from", 0), to = file("to", 0), one[2], two[2];
	struct iovec part = { block, 4 * PAGE };
	loff_t at = 0;

	write_mib(from);
	must(pipe(one) == 0 && pipe(two) == 0, "pipe");
	for (size_t n = MIB; n > 0;) {
		ssize_t in = splice(from, &at, one[1], NULL, n < 16 * PAGE ? n : 16 * PAGE, 0);
		must(in > 0, "splice");
		for (ssize_t left = in; left > 0;) {
			ssize_t out = splice(one[0], NULL, to, NULL, (size_t) left, 0);
			must(out > 0, "splice");
			left -= out;
		}
		n -= (size_t) in;
	}
	must(vmsplice(one[1], &part, 1, 0) == 4 * PAGE, "vmsplice");
	must(tee(one[0], two[1], 4 * PAGE, 0) == 4 * PAGE, "tee");
	storage_written += MIB;
}

/* A request of its own in the kernel: no call that writes. */
static void by_aio(void)
{
	aio_context_t context = 0;
	int fd = file("aio", O_DIRECT);
	struct iocb request = { .aio_fildes = (uint32_t) fd,
		.aio_lio_opcode = IOCB_CMD_PWRITE,
		.aio_buf = (uintptr_t) block,
		.aio_nbytes = MIB };
	struct iocb *list[] = { &request };
	struct io_event done;

	must(syscall(SYS_io_setup, 4, &context) == 0, "io_setup");
	must(syscall(SYS_io_submit, context, 1, list) == 1, "io_submit");
	must(syscall(SYS_io_getevents, context, 1, 1, &done, NULL) == 1, "io_getevents");
	must(done.res == (int64_t) MIB, "aio");
	storage_written += MIB;
}

static char *mapped(int fd)
{
	must(ftruncate(fd, (off_t) MIB) == 0, "ftruncate");
	char *at = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(at != MAP_FAILED, "mmap");
	return at;
}

static void by_mapping(void)
{
	char *at = mapped(file("mapped", 0));

	touch(at, MIB);
	must(msync(at, MIB, MS_SYNC) == 0, "msync");
	/* Clean now, and made dirty a second time. */
	touch(at, MIB);
	storage_written += 2 * MIB;
}

static void then_truncated(void)
{
	int fd = file("truncated", 0);

	write_mib(fd);
	must(ftruncate(fd, 0) == 0, "ftruncate");
}

static void then_unlinked(void)
{
	char path[4096];
	int fd = file("unlinked", 0);

	write_mib(fd);
	snprintf(path, sizeof(path), "%s/unlinked", room);
	must(unlink(path) == 0, "unlink");
	close(fd);
}

/* Pages that are dirty already do not become so again. */
static void over_and_over(void)
{
	int fd = file("again", 0);

	write_mib(fd);
	for (int i = 0; i < 7; i++)
		must(pwrite(fd, block, MIB, 0) == (ssize_t) MIB, "pwrite");
	calls_written += 7 * MIB;
}

/* A byte makes its whole page dirty. */
static void with_holes(void)
{
	int fd = file("holes", 0);

	for (int i = 0; i < 256; i++)
		must(pwrite(fd, block, 1, i * (off_t) MIB) == 1, "pwrite");
	calls_written += 256;
	storage_written += (uint64_t) 256 * PAGE;
}

/* Room that is made and taken away is no writing. */
static void room_alone(void)
{
	int fd = file("room", 0);

	if (fallocate(fd, 0, 0, 8 * (off_t) MIB) < 0 && errno != EOPNOTSUPP)
		die("fallocate");
	must(ftruncate(fd, 64 * (off_t) MIB) == 0, "ftruncate");
}

static void devices(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	must(null >= 0 && zero >= 0, "/dev");
	for (int i = 0; i < 8; i++)
		must(read(zero, block, MIB) == (ssize_t) MIB &&
				write(null, block, MIB) == (ssize_t) MIB,
			"device");
	calls_read += 8 * MIB;
	calls_written += 8 * MIB;
}

static void through_a_pipe(void)
{
	int ends[2];

	must(pipe(ends) == 0, "pipe");
	for (int i = 0; i < 64; i++)
		must(write(ends[1], block, 8 * PAGE) == 8 * PAGE &&
				read(ends[0], block, 8 * PAGE) == 8 * PAGE,
			"pipe");
	calls_read += (uint64_t) 64 * 8 * PAGE;
	calls_written += (uint64_t) 64 * 8 * PAGE;
}

/* write(2) and read(2) on a socket count, send(2) and recv(2) do not. */
static void through_a_socket(void)
{
	int ends[2];

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
	for (int i = 0; i < 64; i++) {
		must(write(ends[0], block, 8 * PAGE) == 8 * PAGE, "write");
		must(recv(ends[1], block, 8 * PAGE, MSG_WAITALL) == 8 * PAGE, "recv");
		must(send(ends[1], block, 8 * PAGE, 0) == 8 * PAGE, "send");
		for (size_t got = 0; got < 8 * PAGE;) {
			ssize_t n = read(ends[0], block, 8 * PAGE - got);
			must(n > 0, "read");
			got += (size_t) n;
		}
	}
	calls_read += (uint64_t) 64 * 8 * PAGE;
	calls_written += (uint64_t) 64 * 8 * PAGE;
}

static void through_a_terminal(void)
{
	int outer, inner;
	struct termios raw;

	must(openpty(&outer, &inner, NULL, NULL, NULL) == 0, "openpty");
	must(tcgetattr(inner, &raw) == 0, "tcgetattr");
	cfmakeraw(&raw);
	must(tcsetattr(inner, TCSANOW, &raw) == 0, "tcsetattr");
	for (int i = 0; i < 512; i++) {
		must(write(inner, block, 1024) == 1024, "write");
		for (size_t got = 0; got < 1024;) {
			ssize_t n = read(outer, block, 1024 - got);
			must(n > 0, "read");
			got += (size_t) n;
		}
	}
	calls_read += 512 * 1024;
	calls_written += 512 * 1024;
}

/* None of them moves a byte. */
static void failures(void)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), ends[2], pair[2];
	char *nowhere = mmap(NULL, MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	signal(SIGPIPE, SIG_IGN);
	must(pipe(ends) == 0 && pipe(pair) == 0 && full >= 0, "pipe");
	close(ends[0]);
	for (int i = 0; i < 100; i++) {
		must(write(full, block, MIB) < 0 && errno == ENOSPC, "ENOSPC");
		must(write(ends[1], block, MIB) < 0 && errno == EPIPE, "EPIPE");
		must(write(-1, block, MIB) < 0 && errno == EBADF, "EBADF");
		must(write(pair[1], nowhere, MIB) < 0 && errno == EFAULT, "EFAULT");
		must(read(ends[1], block, MIB) < 0 && errno == EBADF, "EBADF");
	}
}

/* What was taken counts, not what was asked for. */
static void short_writes(void)
{
	int ends[2];

	must(pipe2(ends, O_NONBLOCK) == 0, "pipe2");
	for (int i = 0; i < 32; i++) {
		ssize_t taken = write(ends[1], block, MIB);
		ssize_t given = read(ends[0], block, MIB);

		must(taken == 16 * PAGE && given == taken, "a short write");
		calls_written += (uint64_t) taken;
		calls_read += (uint64_t) given;
	}
}

static void up_to_a_limit(void)
{
	struct rlimit limit = { MIB / 2, MIB / 2 };
	int fd = file("limited", 0);

	signal(SIGXFSZ, SIG_IGN);
	must(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
	must(write(fd, block, MIB) == (ssize_t) MIB / 2, "write");
	must(write(fd, block, MIB) < 0 && errno == EFBIG, "EFBIG");
	calls_written += MIB / 2;
	storage_written += MIB / 2;
}

static void in_memory(void)
{
	int fd = memfd_create("memory", MFD_CLOEXEC);

	must(fd >= 0, "memfd_create");
	for (int i = 0; i < 8; i++) {
		must(pwrite(fd, block, MIB, 0) == (ssize_t) MIB, "pwrite");
		read_mib(fd);
	}
	calls_written += 8 * MIB;
}

static void counters(void)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	uint64_t one = 1;

	must(fd >= 0, "eventfd");
	for (int i = 0; i < 20000; i++)
		must(write(fd, &one, 8) == 8 && read(fd, &one, 8) == 8, "eventfd");
	calls_read += 160000;
	calls_written += 160000;
}

static void cold_by_mapping(void)
{
	int fd = cold_file("cold-mapped");
	const volatile char *at = mmap(NULL, MIB, PROT_READ, MAP_SHARED, fd, 0);

	must(at != MAP_FAILED, "mmap");
	for (size_t i = 0; i < MIB; i += PAGE)
		(void) at[i];
	storage_read += MIB;
}

static void cold_readahead(void)
{
	int fd = cold_file("cold-ahead");

	must(readahead(fd, 0, MIB) == 0, "readahead");
	read_mib(fd);
	storage_read += MIB;
}

static void cold_direct(void)
{
	int fd = file("cold-direct", O_DIRECT);

	write_mib(fd);
	for (int i = 0; i < 3; i++)
		read_mib(fd);
	storage_read += 3 * MIB;
}

static void appended_and_synced(void)
{
	int fd = file("synced", O_APPEND | O_SYNC);

	for (int i = 0; i < 16; i++)
		must(write(fd, block, 16 * PAGE) == 16 * PAGE, "write");
	calls_written += (uint64_t) 16 * 16 * PAGE;
	storage_written += (uint64_t) 16 * 16 * PAGE;
}

static const struct {
	const char *name;
	void (*move)(void);
} ways[] = {
	{ "positions", by_position },
	{ "vectors", by_vectors },
	{ "sendfile", by_sendfile },
	{ "copy_file_range", by_copy_file_range },
	{ "splice", by_splice },
	{ "aio", by_aio },
	{ "mapping", by_mapping },
	{ "truncated", then_truncated },
	{ "unlinked", then_unlinked },
	{ "over", over_and_over },
	{ "holes", with_holes },
	{ "room", room_alone },
	{ "devices", devices },
	{ "pipe", through_a_pipe },
	{ "socket", through_a_socket },
	{ "terminal", through_a_terminal },
	{ "failures", failures },
	{ "short", short_writes },
	{ "limit", up_to_a_limit },
	{ "memory", in_memory },
	{ "counters", counters },
	{ "cold-mapping", cold_by_mapping },
	{ "cold-readahead", cold_readahead },
	{ "cold-direct", cold_direct },
	{ "synced", appended_and_synced },
};

static int known_io(char **arguments)
{
	void *memory;

	room = arguments[1];
	must(posix_memalign(&memory, PAGE, MIB) == 0, "posix_memalign");
	block = memory;
	memset(block, 'x', MIB);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(ways[i].name, arguments[0]) != 0)
			continue;
		ways[i].move();
		ledger->io_read_syscall_bytes = calls_read;
		ledger->io_write_syscall_bytes = calls_written;
		ledger->io_read_bytes = storage_read;
		ledger->io_write_bytes = storage_written;
		truth_write();
		return 0;
	}
	errno = EINVAL;
	die(arguments[0]);
}

const struct load known_io_loads[] = {
	{ "known-io", "WAY DIRECTORY", 2, known_io },
	{ 0 },
};
