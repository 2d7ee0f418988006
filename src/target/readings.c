/* SPDX-License-Identifier: MIT */
/* One process's files: by a kept descriptor where there is one, else opened by path and closed again. */
#include "target/readings.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/redaction.h"
#include "linux/repeated_maps.h"
#include "linux/roots.h"
#include "target/ledger.h"

#define SMALL_TEXT_SIZE 512
#define STATUS_TEXT_SIZE 4096
#define COMMAND_SIZE_MAX 4096 /* of one process, as kept for the series */
/* As read: a secret is found whole that begins before the end of what is kept. */
#define COMMAND_READ_MAX (COMMAND_SIZE_MAX + 1024)
#define COMMANDS_SIZE_MAX (1 << 20) /* of one window */
#define COMMAND_EVERY_TICKS 32 /* of one that ran meanwhile, and may have written itself another */
#define EMPTY_ARGUMENTS_MAX 2 /* at the end of a command line */

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
	/* Within its exit(2) it has no address space any more, and what it gives back may not be free yet: that is unknown, not 0. */
	if (n >= 0 && p->statm.size == 0 && !(p->stat.flags & PROC_KERNEL_THREAD))
		n = -ESRCH;
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

	bool known = p->zombie ? p->io_asked_dead : p->quiet && (p->has_io || p->io_error);

	if (known) {
		/* Reaped meanwhile, its bytes are in its parent's file already, which may have been read after that. */
		uint64_t cpu_ns;
		if (process_cpu_clock(p->pid, &cpu_ns) < 0)
			ledger_vanished(l, p);
		return;
	}
	ssize_t n = read_file(l, p, &p->fd_io, "io", text, sizeof(text));
	struct proc_io io;

	p->io_asked_dead = p->zombie;
	if (n >= 0 && proc_io_parse(text, (size_t) n, &io) < 0)
		n = -EINVAL;
	if (n >= 0) {
		p->io = io;
		p->has_io = true;
		p->io_error = 0;
		p->io_final = p->zombie;
	} else if (p->alive && !p->zombie) {
		/* A zombie's file is closed to ordinary users who have not opened it before; then its last reading stands. */
		p->has_io = false;
		p->io_error = (int) -n;
	}
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void raise_to(uint64_t *at, uint64_t n)
{
	if (*at < n)
		*at = n;
}

/* Where a resident set is so far above PSS, its mappings are looked at. */
#define EXCESS_MIN_BYTES (UINT64_C(4) << 20)
/* And again when it has grown by one part in so many: what came since then is not counted, as often as it may be mapped. A doubling costs 90 looks. */
#define EXCESS_SHARE 128

static uint64_t above(uint64_t n, uint64_t of)
{
	return n > of ? n - of : 0;
}

/* What its mappings repeat. Too many to be listed, or such as are closed to us, may repeat anything. */
static uint64_t read_repeated(const struct ledger *l, const struct process *p)
{
	uint64_t bytes;
	int fd = root_file(l->roots->proc, "%d/maps", (int) p->reader);
	int r = fd < 0 ? fd : repeated_maps_read(fd, l->ranges, LEDGER_RANGES_MAX, &bytes);

	if (fd >= 0)
		close(fd);
	return r < 0 ? UINT64_MAX : bytes;
}

/* What its mappings repeat: asked when so much more than before may be repeated. Pages that others map as well are above PSS, too, and only mappings
 * tell them from those that the process itself maps twice. */
static uint64_t repeated_by_mappings(struct ledger *l, struct process *p, uint64_t suspect)
{
	bool other_image = p->maps_stack_start != p->stat.stack_start;

	if (suspect <= EXCESS_MIN_BYTES)
		return 0;
	if (other_image || suspect > p->maps_excess_bytes + p->maps_excess_bytes / EXCESS_SHARE) {
		p->maps_excess_bytes = suspect;
		p->maps_stack_start = p->stat.stack_start;
		p->maps_repeated_bytes = read_repeated(l, p);
	}
	return p->maps_repeated_bytes;
}

static bool kernel_merges_pages(const struct ledger *l)
{
	char text[SMALL_TEXT_SIZE];
	ssize_t n = read_root_file(l->roots->sys, "kernel/mm/ksm/pages_shared", text, sizeof(text));

	return n > 0 && text[0] != '0';
}

/* PSS is read rarely; mappings alone are cheap, and who has this much of files and shared memory may have it twice. */
#define FILES_MIN_BYTES (UINT64_C(32) << 20)

static void note_mappings(struct ledger *l, struct process *p)
{
	uint64_t files = p->status.rss_file_bytes + p->status.rss_shmem_bytes;

	if (files < FILES_MIN_BYTES)
		return;
	uint64_t repeated = lesser(files, repeated_by_mappings(l, p, files));

	raise_to(&p->repeated_bytes, repeated);
	/* What came since the mappings were looked at may be of new ones, which repeat others. */
	raise_to(&p->once_bytes, above(lesser(files, p->maps_excess_bytes), repeated));
	/* Where its mappings tell nothing, memory of its own is at least there once. */
	if (p->maps_repeated_bytes == UINT64_MAX && !kernel_merges_pages(l))
		raise_to(&p->once_bytes, p->status.rss_anon_bytes);
}

/* The file costs as much as all the others together, and most of what it holds is a high-water mark, which waits; but no longer than this. */
#define STATUS_EVERY_TICKS 5
#define STATUS_EVERY_NS (NSEC_PER_SEC * 9 / 10)

/* Whether the process ran, or the kernel took pages from it or gave them back, since its status was read. */
static bool status_may_have_changed(const struct process *p)
{
	return p->cpu_ns != p->status_cpu_ns ||
	       (p->has_statm && p->statm.resident != p->status_resident);
}

/* Swapped memory and huge pages come and go without a mark: a process that has any, or may have got some, is read each time. */
static bool has_more_than_marks(const struct process *p)
{
	if (p->status.swap_bytes || p->status.hugetlb_bytes)
		return true;
	return p->has_statm &&
	       (p->statm.size > p->status_size ||
		       p->statm.resident + p->statm.resident / 64 < p->status_resident);
}

static bool status_is_due(const struct ledger *l, const struct process *p)
{
	if (!status_may_have_changed(p))
		return false;
	/* At rest it is read once more, for what it did before. */
	if (p->quiet || l->last_look)
		return true;
	return l->ticks - p->status_tick >= STATUS_EVERY_TICKS ||
	       p->cpu_stamp_ns - p->status_stamp_ns >= STATUS_EVERY_NS ||
	       p->stat.rss_pages > p->status_rss_pages || has_more_than_marks(p);
}

bool process_status_is_current(const struct ledger *l, const struct process *p)
{
	return p->status_tick == l->ticks || !status_may_have_changed(p);
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
	p->status_cpu_ns = p->cpu_ns;
	p->status_stamp_ns = p->cpu_stamp_ns;
	p->status_resident = p->has_statm ? p->statm.resident : 0;
	p->status_size = p->has_statm ? p->statm.size : 0;
	p->uid = status.uid;
	p->memory_gone = !status.has_memory;
	/* It is ending: of memory the last reading that has any stands, and that may be from before it was what it ended as. */
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
	note_mappings(l, p);
	if (!read_before && !p->born_in_run)
		p->hwm_before = status.hwm_bytes;
	if (p->share.mark_at_joining == UINT64_MAX)
		p->share.mark_at_joining = status.hwm_bytes;
	if (status.hwm_bytes > p->hwm_before)
		ledger_saw_peak(l, p, status.hwm_bytes);
}

/* Merged pages are in the resident set as often as they were before. Where the kernel does not tell of a process how many, they may be all that PSS
 * divides, if it merges at all. */
static uint64_t repeated_by_merging(const struct ledger *l, const struct smaps_rollup *s)
{
	uint64_t excess = above(s->anonymous, s->pss_anon);

	if (excess <= EXCESS_MIN_BYTES)
		return 0;
	if (s->has_ksm)
		return excess < s->ksm ? excess : s->ksm;
	return kernel_merges_pages(l) ? excess : 0;
}

static void note_size(struct ledger *l, struct process *p)
{
	const struct smaps_rollup *s = &p->smaps;
	uint64_t files = s->has_pss_split ? above(s->rss - s->anonymous, s->pss_file + s->pss_shmem)
					  : above(s->rss, s->pss);
	uint64_t repeated = repeated_by_mappings(l, p, files + s->shared_hugetlb);

	p->huge_shared_bytes = above(s->shared_hugetlb, repeated);
	uint64_t outside = s->swap_pss + s->private_hugetlb + p->huge_shared_bytes;
	if (p->held.all < s->pss + outside)
		p->held = (struct memory_parts){ .all = s->pss + outside,
			.swapped = s->swap_pss,
			.huge = outside - s->swap_pss };
	raise_to(&p->outside_max_bytes, outside);
	repeated = lesser(repeated, files);
	if (s->has_pss_split)
		repeated += repeated_by_merging(l, s);
	raise_to(&p->repeated_bytes, repeated);
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
	note_size(l, p);
}

/* A title that a process writes over its arguments leaves zeros behind it, which read as empty ones; one or two may be true ones. */
static size_t without_padding(const char *bytes, size_t n)
{
	size_t kept = n;

	while (kept > 0 && bytes[kept - 1] == '\0')
		kept--;
	/* its own NUL, unless the line was cut */
	kept += kept < n;
	bool one_word = kept > 0 && !memchr(bytes, '\0', kept - 1) && memchr(bytes, ' ', kept);
	return n - kept > EMPTY_ARGUMENTS_MAX || one_word ? kept : n;
}

/* FNV-1a, never 0. */
static uint64_t hash_of(const char *bytes, size_t n)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char) bytes[i]) * UINT64_C(1099511628211);
	return hash ? hash : 1;
}

static bool command_is_due(const struct ledger *l, struct process *p)
{
	p->command_stale = p->command_stale || !p->quiet;
	if (p->command_checks > 0 && !p->quiet) {
		p->command_checks--;
		return true;
	}
	return p->command_stale && (l->ticks + p->slot) % COMMAND_EVERY_TICKS == 0;
}

/* False: without memory a secret may be in it. What is kept at most has room at `at`. */
static bool redact_command(struct ledger *l, char *at, size_t *size, bool *ret_redacted)
{
	at[*size] = '\0';
	*ret_redacted = l->redaction && redaction_apply(l->redaction, at, *size) > 0;
	if (!*ret_redacted)
		return true;
	const struct buf *text = &l->redaction->text;
	if (text->failed)
		return false;
	/* One more than is kept tells that it was cut. */
	*size = text->len < COMMAND_READ_MAX ? text->len : COMMAND_READ_MAX;
	memcpy(at, text->data, *size);
	return true;
}

void process_read_command(struct ledger *l, struct process *p)
{
	if (p->zombie || !command_is_due(l, p) || !buf_reserve(&l->commands, COMMAND_READ_MAX + 1))
		return;
	/* With a census those are looked at who fork. */
	if (!l->forks_known)
		ledger_look_whether_followed(l, p->pid);
	if (l->commands.len > COMMANDS_SIZE_MAX) {
		p->command_cut = p->command_stale = true;
		return;
	}

	char *at = l->commands.data + l->commands.len;
	bool cut = false;
	ssize_t n = proc_cmdline_read(l->roots->proc, p->pid, at, COMMAND_READ_MAX, &cut);
	/* In the midst of an exec there is none. */
	p->command_stale = n <= 0;
	if (n <= 0)
		return;
	size_t size = (size_t) n;
	bool redacted = false;
	if (!redact_command(l, at, &size, &redacted)) {
		p->command_stale = true;
		return;
	}
	cut = cut || size > COMMAND_SIZE_MAX;
	size = without_padding(at, size < COMMAND_SIZE_MAX ? size : COMMAND_SIZE_MAX);
	uint64_t hash = hash_of(at, size);
	/* The same line again is not kept twice. */
	if (hash == p->command_hash)
		return;
	p->command_hash = hash;
	p->command_offset = l->commands.len;
	p->command_size = size;
	p->command_cut = cut;
	l->commands.len += size;
	l->commands_redacted += redacted;
}
