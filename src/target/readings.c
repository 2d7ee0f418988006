/* SPDX-License-Identifier: MIT */
/* One process's files: by a kept descriptor where there is one, else opened by path and closed again. */
#include "target/readings.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "linux/roots.h"
#include "target/ledger.h"

#define SMALL_TEXT_SIZE 512
#define STATUS_TEXT_SIZE 4096
#define COMMAND_SIZE_MAX 4096 /* of one process, as kept for the series */
#define COMMANDS_SIZE_MAX (1 << 20) /* of one window */

#define STEADY_LOOKS 3 /* after them a process is said to rest */

#define NOT_KEPT (-2)

/* Reads a file of the process; *kept stays open for the next time unless it is NOT_KEPT. Returns the length or a negative errno, and
 * marks the process ended on ESRCH: of a kept descriptor, or of a path that is gone. */
static ssize_t read_file(
	struct ledger *l, struct process *p, int *kept, const char *name, char *text, size_t size)
{
	bool open_already = *kept >= 0;
	uint64_t cpu_ns;
	int fd = open_already ? *kept : root_file(l->roots->proc, "%d/%s", (int) p->reader, name);
	ssize_t n = fd;

	if (fd >= 0)
		n = read_kernel_record(fd, text, size);
	if (fd >= 0 && !open_already) {
		if (*kept != NOT_KEPT && n >= 0 && l->fds_kept < l->fds_limit) {
			*kept = fd;
			l->fds_kept++;
		} else {
			close(fd);
		}
	}
	if (n == -EMFILE || n == -ENFILE)
		l->files_short++;
	/* A file may be missing while the process lives: an older kernel has no smaps_rollup, one that is exiting no memory. */
	if ((n == -ESRCH || n == -ENOENT) && process_cpu_clock(p->pid, &cpu_ns) < 0)
		ledger_vanished(l, p);
	return n;
}

/* The same for a file that is read too rarely, or costs too much itself, to keep a descriptor for. */
static ssize_t read_file_once(
	struct ledger *l, struct process *p, const char *name, char *text, size_t size)
{
	int kept = NOT_KEPT;

	return read_file(l, p, &kept, name, text, size);
}

void process_read_statm(struct ledger *l, struct process *p)
{
	char text[SMALL_TEXT_SIZE];

	/* Not skipped for a quiet process unless for want of time: reclaim and swapping change its pages without its doing. */
	if (p->has_statm &&
		!ledger_reading_is_due(l, p, p->quiet && p->steady_looks >= STEADY_LOOKS))
		return;
	ssize_t n = read_file(l, p, &p->fd_statm, "statm", text, sizeof(text));
	uint64_t before = p->has_statm ? p->statm.resident : 0;

	if (n >= 0 && proc_statm_parse(text, (size_t) n, &p->statm) < 0)
		n = -EINVAL;
	p->has_statm = n >= 0;
	p->statm_error = n < 0 ? (int) -n : 0;
	if (p->has_statm && p->statm.resident != before) {
		p->changed_since_line = true;
		p->steady_looks = 0;
	} else if (p->steady_looks < STEADY_LOOKS) {
		p->steady_looks++;
	}
}

void process_read_io(struct ledger *l, struct process *p)
{
	char text[SMALL_TEXT_SIZE];

	if (p->zombie || (p->quiet && (p->has_io || p->io_error))) {
		/* Reaped meanwhile, its bytes are in its parent's file already, which may have been read after that. */
		uint64_t cpu_ns;
		if (process_cpu_clock(p->pid, &cpu_ns) < 0)
			ledger_vanished(l, p);
		return;
	}
	ssize_t n = read_file(l, p, &p->fd_io, "io", text, sizeof(text));
	struct proc_io io;

	if (n >= 0 && proc_io_parse(text, (size_t) n, &io) < 0)
		n = -EINVAL;
	if (n >= 0) {
		p->io = io;
		p->has_io = true;
		p->io_error = 0;
	} else if (p->alive && !p->zombie) {
		/* A zombie's file is closed to ordinary users; its last reading stands. */
		p->has_io = false;
		p->io_error = (int) -n;
	}
}

/* The file costs as much as all the others together, and what it holds is a high-water mark, which waits. */
#define STATUS_EVERY_TICKS 5

static bool status_is_due(const struct ledger *l, const struct process *p)
{
	if (p->quiet)
		return false;
	return l->ticks - p->status_tick >= STATUS_EVERY_TICKS ||
	       p->stat.rss_pages > p->status_rss_pages;
}

void process_read_status(struct ledger *l, struct process *p, bool at_once)
{
	char text[STATUS_TEXT_SIZE];
	bool read_before = p->has_status || p->status_error;

	if (p->status_tick == l->ticks || (read_before && !at_once && !status_is_due(l, p)))
		return;
	ssize_t n = read_file_once(l, p, "status", text, sizeof(text));
	struct proc_status status;

	if (n >= 0 && proc_status_parse(text, (size_t) n, &status) < 0)
		n = -EINVAL;
	p->status_error = n < 0 ? (int) -n : 0;
	if (n < 0)
		return;
	p->status_tick = l->ticks;
	p->status_rss_pages = p->stat.rss_pages;
	p->uid = status.uid;
	/* It became a zombie: of memory the last reading that has any stands, and that may be from before it was what it ended as. */
	if (!status.has_memory && p->has_status && p->status.has_memory) {
		p->status.has_signals_blocked = status.has_signals_blocked;
		p->status.signals_blocked = status.signals_blocked;
		p->status.signals_ignored = status.signals_ignored;
		p->status.signals_caught = status.signals_caught;
		return;
	}
	p->status = status;
	p->has_status = true;
	if (!status.has_memory)
		return;
	if (!read_before && !p->born_in_run)
		p->hwm_before = status.hwm_bytes;
	if (status.hwm_bytes > p->hwm_before)
		ledger_saw_peak(l, p, status.hwm_bytes);
}

void process_read_smaps(struct ledger *l, struct process *p)
{
	char text[STATUS_TEXT_SIZE];
	uint64_t before = clock_thread_cpu_ns();
	ssize_t n = read_file_once(l, p, "smaps_rollup", text, sizeof(text));
	struct smaps_rollup smaps;
	int r = 0;

	p->smaps_cost_ns = clock_thread_cpu_ns() - before;
	if (n >= 0)
		r = smaps_rollup_parse(text, (size_t) n, &smaps);
	if (n < 0 || r < 0) {
		p->has_smaps = false;
		p->smaps_error = n < 0 ? (int) -n : -r;
		return;
	}
	p->smaps = smaps;
	p->has_smaps = true;
	p->smaps_error = 0;
}

void process_read_command(struct ledger *l, struct process *p)
{
	if (p->command_checks == 0 || !buf_reserve(&l->commands, COMMAND_SIZE_MAX))
		return;
	p->command_checks--;
	/* With a census those are looked at who fork. */
	if (!l->forks_known)
		ledger_look_whether_followed(l, p->pid);
	if (l->commands.len > COMMANDS_SIZE_MAX) {
		p->command_cut = true;
		return;
	}

	/* The same line again is not kept twice. */
	char *at = l->commands.data + l->commands.len;
	bool cut = false;
	ssize_t n = proc_cmdline_read(l->roots->proc, p->pid, at, COMMAND_SIZE_MAX, &cut);
	if (n <= 0)
		return;
	if (p->command_size == (size_t) n &&
		memcmp(l->commands.data + p->command_offset, at, (size_t) n) == 0)
		return;
	p->command_offset = l->commands.len;
	p->command_size = (size_t) n;
	p->command_cut = cut;
	l->commands.len += (size_t) n;
}
