/* SPDX-License-Identifier: MIT */
/* Slots, names and the life of a ledger entry; the look at the tree itself is in tree.c. */
#include "target/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "linux/repeated_maps.h"
#include "linux/roots.h"
#include "target/spaces.h"
#include "target/tree.h"

#define EARLY_MAX 4096
#define FDS_FOR_OTHERS 64 /* left for files, sockets and directories of everyone else */

void ledger_take_file_limit(struct ledger *l, size_t for_others)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	size_t others = FDS_FOR_OTHERS + for_others;
	l->fds_limit = limit.rlim_cur > 2 * others ? (size_t) limit.rlim_cur - others : 0;
}

int ledger_init(struct ledger *l, const struct roots *roots, size_t n_columns, struct error *err)
{
	*l = (struct ledger){ .roots = roots, .n_columns = n_columns };
	l->clock_tick_ns = NSEC_PER_SEC / (uint64_t) sysconf(_SC_CLK_TCK);
	l->boot_offset_ns = clock_slept_ns();
	ledger_take_file_limit(l, 0);
	l->names = calloc(LEDGER_NAMES_MAX, sizeof(*l->names));
	l->ranges = calloc(LEDGER_RANGES_MAX, sizeof(*l->ranges));
	if (!l->names || !l->ranges || !buf_reserve(&l->commands, 4096)) {
		ledger_done(l);
		return error_set(err, -ENOMEM, "cannot begin the ledger");
	}
	return 0;
}

static void close_kept(struct ledger *l, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	l->fds_kept--;
}

void ledger_done(struct ledger *l)
{
	for (size_t i = 0; i < l->n_slots; i++) {
		close_kept(l, &l->slots[i]->fd_stat);
		close_kept(l, &l->slots[i]->fd_statm);
		close_kept(l, &l->slots[i]->fd_io);
		free(l->slots[i]->rows);
		free(l->slots[i]);
	}
	free(l->slots);
	free(l->free_slots);
	free(l->order);
	free(l->views);
	free(l->looks);
	free(l->names);
	free(l->ranges);
	intmap_done(&l->by_pid);
	intmap_done(&l->ended);
	intmap_done(&l->early);
	buf_done(&l->commands);
	*l = (struct ledger){ 0 };
}

/* Grows the arrays together; they only grow when more processes live at once than ever before. */
static int grow(struct ledger *l)
{
	size_t capacity = l->slots_capacity ? 2 * l->slots_capacity : 64;
	struct process **slots = realloc(l->slots, capacity * sizeof(*slots));

	if (slots)
		l->slots = slots;
	uint32_t *order = realloc(l->order, capacity * sizeof(*order));
	if (order)
		l->order = order;
	uint32_t *free_slots = realloc(l->free_slots, capacity * sizeof(*free_slots));
	if (free_slots)
		l->free_slots = free_slots;
	struct space_view *views = realloc(l->views, capacity * sizeof(*views));
	if (views)
		l->views = views;
	struct proc_statm *looks = realloc(l->looks, capacity * SPACE_LOOKS * sizeof(*looks));
	if (looks)
		l->looks = looks;
	if (!slots || !order || !free_slots || !views || !looks)
		return -ENOMEM;
	l->slots_capacity = capacity;
	return 0;
}

static struct process *new_slot(struct ledger *l)
{
	if (l->n_slots == l->slots_capacity && grow(l) < 0)
		return NULL;

	struct process *p = calloc(1, sizeof(*p));
	struct accumulator *rows = calloc(l->n_columns ? l->n_columns : 1, sizeof(*rows));
	if (!p || !rows) {
		free(p);
		free(rows);
		return NULL;
	}
	p->rows = rows;
	p->slot = (uint32_t) l->n_slots;
	p->fd_stat = p->fd_statm = p->fd_io = -1;
	l->slots[l->n_slots++] = p;
	return p;
}

/* A zombie, or a process within its exit(2), whose record came before this first look at it. */
static void take_early(struct ledger *l, struct process *p)
{
	const uint32_t *usec = intmap_get(&l->early, p->pid);

	if (!usec)
		return;
	p->has_final = p->summed = true;
	p->final_cpu_ns = *usec * UINT64_C(1000);
	intmap_remove(&l->early, p->pid);
	l->named_by_events--;
}

void ledger_look_whether_followed(struct ledger *l, pid_t pid)
{
	if (l->perf_counts && l->unfollowed_pid == 0 && !proc_is_followed(l->roots->proc, pid))
		l->unfollowed_pid = pid;
}

void ledger_pid_begins(struct ledger *l, pid_t pid)
{
	if (l->early.count)
		intmap_remove(&l->early, pid);
}

struct process *ledger_new(struct ledger *l, const struct proc_stat *stat, size_t after)
{
	struct process *p = l->n_free ? l->slots[l->free_slots[--l->n_free]] : new_slot(l);

	if (!p || intmap_set(&l->by_pid, stat->pid, p->slot) < 0) {
		if (p)
			l->free_slots[l->n_free++] = p->slot;
		l->failed_allocations++;
		return NULL;
	}

	struct accumulator *rows = p->rows;
	uint32_t slot = p->slot;
	*p = (struct process){ .slot = slot,
		.rows = rows,
		.pid = stat->pid,
		.reader = stat->pid,
		.start_ticks = stat->start_ticks,
		.alive = true,
		.born_in_run = true,
		.born_since_line = true,
		.stat = *stat,
		.fd_stat = -1,
		.fd_statm = -1,
		.fd_io = -1,
		.command_checks = 3 };
	memset(rows, 0, l->n_columns * sizeof(*rows));

	uint64_t birth_boot_ns = stat->start_ticks * l->clock_tick_ns;
	p->birth_ns = birth_boot_ns > l->boot_offset_ns ? birth_boot_ns - l->boot_offset_ns : 0;
	/* The start time is cut to a tick and the command is forked just before the run begins. */
	if (p->birth_ns < l->run_start_ns)
		p->birth_ns = l->run_start_ns;

	size_t at = l->n_order;
	while (at > after && ledger_at(l, at - 1)->start_ticks > p->start_ticks)
		at--;
	memmove(&l->order[at + 1], &l->order[at], (l->n_order - at) * sizeof(*l->order));
	l->order[at] = slot;
	l->n_order++;
	l->seen++;
	l->changes++;
	take_early(l, p);
	return p;
}

bool ledger_reading_is_due(struct ledger *l, const struct process *p, bool resting)
{
	if (l->rest_every <= 1 || !resting || (l->ticks + p->slot) % l->rest_every == 0)
		return true;
	l->readings_skipped++;
	return false;
}

void ledger_keep_stat(struct ledger *l, struct process *p, int fd)
{
	if (l->fds_kept >= l->fds_limit) {
		close(fd);
		return;
	}
	p->fd_stat = fd;
	l->fds_kept++;
}

struct process *ledger_find(const struct ledger *l, pid_t pid)
{
	const uint32_t *slot = intmap_get(&l->by_pid, pid);

	return slot ? l->slots[*slot] : NULL;
}

static struct ledger_name *name_entry(struct ledger *l, const char *name)
{
	for (size_t i = 0; i < l->n_names; i++)
		if (strcmp(l->names[i].name, name) == 0)
			return &l->names[i];
	if (l->n_names == LEDGER_NAMES_MAX)
		return &l->names[LEDGER_NAMES_MAX - 1];
	if (l->n_names == LEDGER_NAMES_MAX - 1)
		name = LEDGER_OTHER_NAMES;

	struct ledger_name *entry = &l->names[l->n_names++];
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	return entry;
}

static void sum_by_name(struct ledger *l, const struct process *p)
{
	struct ledger_name *entry = name_entry(l, p->stat.name);

	entry->processes += !p->summed;
	/* Both are lower bounds, the keeper's final one the exact value. */
	entry->cpu_ns += p->final_cpu_ns > p->cpu_ns ? p->final_cpu_ns : p->cpu_ns;
	if (p->summed)
		entry->cpu_ns -= p->final_cpu_ns;
	if (entry->peak_rss_bytes < p->hwm_bytes)
		entry->peak_rss_bytes = p->hwm_bytes;
}

static struct ledger_name *add_unseen(
	struct ledger *l, const char *name, uint64_t cpu_ns, uint64_t peak_rss_bytes)
{
	struct ledger_name *entry = name_entry(l, name);

	entry->processes++;
	entry->cpu_ns += cpu_ns;
	if (entry->peak_rss_bytes < peak_rss_bytes)
		entry->peak_rss_bytes = peak_rss_bytes;
	return entry;
}

void ledger_add_unseen_job(struct ledger *l, uint64_t cpu_ns, uint64_t peak_rss_bytes)
{
	l->seen++;
	l->job_entered = true;
	if (!l->job_name_entry) {
		add_unseen(l, l->job_name, cpu_ns, peak_rss_bytes);
		return;
	}
	/* The record of its end came before the keeper's exact value. */
	l->named_by_events--;
	if (cpu_ns > l->job_event_ns)
		l->job_name_entry->cpu_ns += cpu_ns - l->job_event_ns;
}

/* The entry that a record of this pid is about: who ended before its successor, who has had its record never. */
static struct process *without_final(struct ledger *l, pid_t pid)
{
	const uint32_t *slot = intmap_get(&l->ended, pid);
	struct process *p = slot ? l->slots[*slot] : ledger_find(l, pid);

	if (slot)
		intmap_remove(&l->ended, pid);
	return p && !p->has_final ? p : NULL;
}

void ledger_take_final(
	struct ledger *l, pid_t pid, const char *name, uint64_t cpu_ns, uint64_t peak_rss_bytes)
{
	struct process *p = without_final(l, pid);

	if (p) {
		p->has_final = true;
		p->final_cpu_ns = cpu_ns;
		if (p->hwm_bytes < peak_rss_bytes)
			p->hwm_bytes = peak_rss_bytes;
		/* It may have called exec since its last sample. */
		if (name[0])
			snprintf(p->stat.name, sizeof(p->stat.name), "%s", name);
		return;
	}
	if (pid == l->job_pid && l->job_entered)
		return;
	struct ledger_name *entry = add_unseen(l, name, cpu_ns, peak_rss_bytes);
	l->named_by_events++;
	/* When it is full those go that a look has passed by long ago. */
	if (l->early.count >= EARLY_MAX)
		intmap_clear(&l->early);
	/* Rounded up: what the look adds to it is never too much. */
	uint64_t usec = cpu_ns / 1000 + 1;
	(void) intmap_set(&l->early, pid, usec < UINT32_MAX ? (uint32_t) usec : UINT32_MAX);
	if (pid == l->job_pid) {
		l->job_name_entry = entry;
		l->job_event_ns = cpu_ns;
	}
}

void ledger_vanished(struct ledger *l, struct process *p)
{
	if (!p->alive)
		return;
	p->alive = false;
	p->ended_since_line = true;
	p->quiet = false;
	close_kept(l, &p->fd_stat);
	close_kept(l, &p->fd_statm);
	close_kept(l, &p->fd_io);

	const uint32_t *slot = intmap_get(&l->by_pid, p->pid);
	if (slot && *slot == p->slot)
		intmap_remove(&l->by_pid, p->pid);
	/* What it used is summed up when its slot is given back: until then the record of its end can come. */
	if (l->has_finals && !p->has_final)
		(void) intmap_set(&l->ended, p->pid, p->slot);
	l->changes++;
	/* Its children are a subreaper's now, which need not run to get them. */
	l->look_everywhere = l->look_everywhere || p->had_children;
}

void ledger_read_through(struct ledger *l, struct process *p, pid_t tid)
{
	close_kept(l, &p->fd_statm);
	close_kept(l, &p->fd_io);
	p->reader = tid;
}

void ledger_saw_peak(struct ledger *l, struct process *p, uint64_t bytes)
{
	if (p->hwm_bytes < bytes)
		p->hwm_bytes = bytes;
	if (l->hwm_max_bytes < bytes)
		l->hwm_max_bytes = bytes;
}

struct marks ledger_marks(const struct ledger *l)
{
	struct marks marks = l->marks;

	for (size_t i = 0; i < l->n_order; i++)
		marks_add(&marks, ledger_at(l, i));
	return marks;
}

/* `assay run` itself is smaller; a program that uses the library may not be. */
#define SPAWN_FLOOR_SMALL (UINT64_C(16) << 20)
#define SPAWN_FLOOR_SLACK (UINT64_C(1) << 20)

bool ledger_mark_inherited(const struct ledger *l, uint64_t bytes)
{
	return l->spawn_floor_bytes > SPAWN_FLOOR_SMALL &&
	       bytes <= l->spawn_floor_bytes + SPAWN_FLOOR_SLACK;
}

void ledger_next_window(struct ledger *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->alive) {
			sum_by_name(l, p);
			marks_add(&l->marks, p);
			l->free_slots[l->n_free++] = p->slot;
			continue;
		}
		if (p->listed) {
			p->born_since_line = p->changed_since_line = false;
			p->command_cut = false;
			memset(p->states, 0, sizeof(p->states));
		} else if (p->command_size) {
			/* its command line goes with the window; it is read again */
			p->command_checks = 1;
			p->command_hash = 0;
		}
		p->command_size = 0;
		l->order[kept++] = l->order[i];
	}
	l->n_order = kept;
	intmap_clear(&l->ended);
	buf_clear(&l->commands);
}

void ledger_sum_living(struct ledger *l)
{
	for (size_t i = 0; i < l->n_order; i++)
		if (ledger_at(l, i)->alive)
			sum_by_name(l, ledger_at(l, i));
}

uint64_t ledger_named_cpu_ns(const struct ledger *l)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < l->n_names; i++)
		sum += l->names[i].cpu_ns;
	return sum;
}
