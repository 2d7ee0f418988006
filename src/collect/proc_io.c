/* SPDX-License-Identifier: MIT */
/* /proc/PID/io. The file of a process already holds what its waited-for children did, so a dead child is in exactly one place: its
 * parent, or the keeper. The job's total is the keeper's file plus the files of the living, read from the top down. */
#include "collect/proc_io.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "linux/proc_files.h"
#include "linux/roots.h"
#include "target/ledger.h"
#include "target/readings.h"

enum {
	READ_BYTES,
	WRITE_BYTES,
	CANCELLED_WRITE_BYTES,
	READ_SYSCALL_BYTES,
	WRITE_SYSCALL_BYTES,
	READ_SYSCALLS,
	WRITE_SYSCALLS,
	TREE_READ_BYTES,
	TREE_WRITE_BYTES,
	TREE_CANCELLED_WRITE_BYTES,
	TREE_READ_SYSCALL_BYTES,
	TREE_WRITE_SYSCALL_BYTES,
	TREE_READ_SYSCALLS,
	TREE_WRITE_SYSCALLS,
	N_ROWS
};

#define PER_PROCESS                                                                                \
	.kind = COUNTER, .scope = PROCESS, .reduce = DELTA | LAST, .quality = SAMPLED, .on = true, \
	.cost = CHEAP
#define PER_JOB                                                                                    \
	.kind = COUNTER, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true,    \
	.cost = CHEAP
#define JOB_ORIGIN "/proc/PID/io of the keeper and of the living: "

static const struct measure rows[] = {
	/* clang-format off */
	[READ_BYTES] = { .key = "proc_io_read_bytes", PER_PROCESS, .unit = BYTES, .origin = "/proc/PID/io read_bytes",
		.help = "bytes read from storage by the process and the children it waited for", .otel = "process.disk.io" },
	[WRITE_BYTES] = { .key = "proc_io_write_bytes", PER_PROCESS, .unit = BYTES, .origin = "/proc/PID/io write_bytes",
		.help = "bytes made dirty for storage by the process and the children it waited for", .otel = "process.disk.io" },
	[CANCELLED_WRITE_BYTES] = { .key = "proc_io_cancelled_write_bytes", PER_PROCESS, .unit = BYTES, .origin = "/proc/PID/io cancelled_write_bytes",
		.help = "bytes whose writing was cancelled, because the file was deleted or cut" },
	[READ_SYSCALL_BYTES] = { .key = "proc_io_read_syscall_bytes", PER_PROCESS, .unit = BYTES, .origin = "/proc/PID/io rchar",
		.help = "bytes returned by read calls, from anywhere, by the process and the children it waited for" },
	[WRITE_SYSCALL_BYTES] = { .key = "proc_io_write_syscall_bytes", PER_PROCESS, .unit = BYTES, .origin = "/proc/PID/io wchar",
		.help = "bytes taken by write calls, to anywhere, by the process and the children it waited for" },
	[READ_SYSCALLS] = { .key = "proc_io_read_syscalls_count", PER_PROCESS, .unit = COUNT, .origin = "/proc/PID/io syscr",
		.help = "read calls", .otel = "process.disk.operations" },
	[WRITE_SYSCALLS] = { .key = "proc_io_write_syscalls_count", PER_PROCESS, .unit = COUNT, .origin = "/proc/PID/io syscw",
		.help = "write calls", .otel = "process.disk.operations" },
	[TREE_READ_BYTES] = { .key = "tree_io_read_bytes", PER_JOB, .unit = BYTES, .quantity = "io_read", .rank = 1, .origin = JOB_ORIGIN "read_bytes",
		.help = "bytes the job read from storage, dead and living, nobody twice" },
	[TREE_WRITE_BYTES] = { .key = "tree_io_write_bytes", PER_JOB, .unit = BYTES, .quantity = "io_write", .rank = 1, .origin = JOB_ORIGIN "write_bytes",
		.help = "bytes the job made dirty for storage; see also what was cancelled" },
	[TREE_CANCELLED_WRITE_BYTES] = { .key = "tree_io_cancelled_write_bytes", PER_JOB, .unit = BYTES, .origin = JOB_ORIGIN "cancelled_write_bytes",
		.help = "bytes whose writing was cancelled, because the file was deleted or cut" },
	[TREE_READ_SYSCALL_BYTES] = { .key = "tree_io_read_syscall_bytes", PER_JOB, .unit = BYTES, .quantity = "io_read_syscall", .rank = 1, .origin = JOB_ORIGIN "rchar",
		.help = "bytes returned by the job's read calls, from anywhere" },
	[TREE_WRITE_SYSCALL_BYTES] = { .key = "tree_io_write_syscall_bytes", PER_JOB, .unit = BYTES, .quantity = "io_write_syscall", .rank = 1, .origin = JOB_ORIGIN "wchar",
		.help = "bytes taken by the job's write calls, to anywhere" },
	[TREE_READ_SYSCALLS] = { .key = "tree_io_read_syscalls_count", PER_JOB, .unit = COUNT, .origin = JOB_ORIGIN "syscr", .help = "read calls of the job" },
	[TREE_WRITE_SYSCALLS] = { .key = "tree_io_write_syscalls_count", PER_JOB, .unit = COUNT, .origin = JOB_ORIGIN "syscw", .help = "write calls of the job" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_io(const struct collect *c, struct error *err)
{
	char text[512];
	int r = collect_needs_proc(c, err);

	if (r < 0)
		return r;
	ssize_t n = read_root_file(c->roots->proc, "self/io", text, sizeof(text));
	return n < 0 ? error_set(err, (int) n,
			       "the kernel keeps no I/O accounts of processes "
			       "(CONFIG_TASK_IO_ACCOUNTING)")
		     : 0;
}

/* I/O of the dead is in the keeper's file, which is kept open. */
struct job_io {
	int keeper_fd; /* or a negative errno */
	struct proc_io keeper_own; /* what the file held before the job began */
	struct proc_io keeper; /* the last reading, that taken off */
	struct proc_io high; /* the highest sums so far */
	uint64_t denied; /* living processes whose file may not be read */
};

/* What the keeper's file holds before the job has begun is the keeper's own. */
static int open_io(struct collect *c, struct error *err)
{
	struct job_io *s = c->state;
	char text[512];

	(void) err;
	s->keeper_fd =
		c->watch ? -EBADF : root_file(c->roots->proc, "%d/io", (int) c->ledger->keeper_pid);
	ssize_t n = s->keeper_fd >= 0 ? read_kernel_file(s->keeper_fd, text, sizeof(text)) : -1;
	if (n > 0)
		proc_io_parse(text, (size_t) n, &s->keeper_own);
	return 0;
}

static void close_io(struct collect *c)
{
	const struct job_io *s = c->state;

	if (s->keeper_fd >= 0)
		close(s->keeper_fd);
}

static void put_process(struct batch *out, struct process *p)
{
	const struct proc_io *io = &p->io;

	if (!p->has_io) {
		put_all_absent(out, p, READ_BYTES, WRITE_SYSCALLS + 1, p->io_error);
		return;
	}
	put(out, p, READ_BYTES, io->read_bytes);
	put(out, p, WRITE_BYTES, io->write_bytes);
	put(out, p, CANCELLED_WRITE_BYTES, io->cancelled_write_bytes);
	put(out, p, READ_SYSCALL_BYTES, io->rchar);
	put(out, p, WRITE_SYSCALL_BYTES, io->wchar);
	put(out, p, READ_SYSCALLS, io->syscr);
	put(out, p, WRITE_SYSCALLS, io->syscw);
}

static void add(struct proc_io *sum, const struct proc_io *io)
{
	sum->rchar += io->rchar;
	sum->wchar += io->wchar;
	sum->syscr += io->syscr;
	sum->syscw += io->syscw;
	sum->read_bytes += io->read_bytes;
	sum->write_bytes += io->write_bytes;
	sum->cancelled_write_bytes += io->cancelled_write_bytes;
}

/* A sum may dip for one sample, when a child was reaped between the reading of its parent and its own: the higher one stands. */
static void raise(uint64_t *high, uint64_t value)
{
	if (*high < value)
		*high = value;
}

static void put_job(
	struct job_io *s, struct batch *out, const struct proc_io *sum, enum quality quality)
{
	struct proc_io *high = &s->high;

	raise(&high->read_bytes, sum->read_bytes);
	raise(&high->write_bytes, sum->write_bytes);
	raise(&high->cancelled_write_bytes, sum->cancelled_write_bytes);
	raise(&high->rchar, sum->rchar);
	raise(&high->wchar, sum->wchar);
	raise(&high->syscr, sum->syscr);
	raise(&high->syscw, sum->syscw);
	put_quality(out, NULL, TREE_READ_BYTES, high->read_bytes, quality);
	put_quality(out, NULL, TREE_WRITE_BYTES, high->write_bytes, quality);
	put_quality(out, NULL, TREE_CANCELLED_WRITE_BYTES, high->cancelled_write_bytes, quality);
	put_quality(out, NULL, TREE_READ_SYSCALL_BYTES, high->rchar, quality);
	put_quality(out, NULL, TREE_WRITE_SYSCALL_BYTES, high->wchar, quality);
	put_quality(out, NULL, TREE_READ_SYSCALLS, high->syscr, quality);
	put_quality(out, NULL, TREE_WRITE_SYSCALLS, high->syscw, quality);
}

/* The keeper's file, its own bytes taken off: it makes no read or write call after the job's first moment. */
static int read_keeper(struct collect *c, struct proc_io *sum)
{
	struct job_io *s = c->state;
	char text[512];
	struct proc_io io;

	*sum = s->keeper;
	ssize_t n = s->keeper_fd >= 0 ? read_kernel_record(s->keeper_fd, text, sizeof(text))
				      : s->keeper_fd;

	if (c->keeper_lost)
		return -ECHILD;
	if (n < 0)
		return (int) n;
	if (proc_io_parse(text, (size_t) n, &io) < 0)
		return -EINVAL;
	io.rchar -= s->keeper_own.rchar;
	io.wchar -= s->keeper_own.wchar;
	io.syscr -= s->keeper_own.syscr;
	io.syscw -= s->keeper_own.syscw;
	io.read_bytes -= s->keeper_own.read_bytes;
	io.write_bytes -= s->keeper_own.write_bytes;
	io.cancelled_write_bytes -= s->keeper_own.cancelled_write_bytes;
	s->keeper = *sum = io;
	return 0;
}

static int read_io(struct collect *c, struct batch *out)
{
	struct job_io *s = c->state;
	struct ledger *l = c->ledger;
	struct proc_io sum;
	int r = c->watch ? 0 : read_keeper(c, &sum);

	s->denied = 0;
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->alive)
			continue;
		process_read_io(l, p);
		if (!p->alive)
			continue;
		put_process(out, p);
		if (p->has_io && !c->watch)
			add(&sum, &p->io);
		/* What a zombie did after its last reading is in nobody's file until it is waited for. */
		if (!p->has_io || (p->zombie && !p->io_final))
			s->denied++;
	}
	/* The targets' own sums are made from the same readings: collect/target.c. */
	if (c->watch)
		return 0;
	if (r < 0 && !c->keeper_lost) {
		put_all_absent(out, NULL, TREE_READ_BYTES, N_ROWS, r);
		return 0;
	}
	put_job(s, out, &sum, s->denied || c->keeper_lost ? LOWER_BOUND : EXACT);
	return 0;
}

const struct collector proc_io_collector = { .name = "proc_io",
	.rows = rows,
	.n_rows = N_ROWS,
	.state_size = sizeof(struct job_io),
	.probe = probe_io,
	.open = open_io,
	.read = read_io,
	.close = close_io };

uint64_t proc_io_denied(const struct collect *c)
{
	const struct job_io *s = collect_state(c, &proc_io_collector);

	return s ? s->denied : 0;
}

uint64_t proc_io_cancelled_bytes(const struct collect *c)
{
	const struct job_io *s = collect_state(c, &proc_io_collector);

	return s ? s->high.cancelled_write_bytes : 0;
}
