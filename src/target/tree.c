/* SPDX-License-Identifier: MIT */
/* The look at the tree: who belongs to the job, found by observed parentage from the keeper down. */
#include "target/tree.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "linux/roots.h"
#include "target/ledger.h"
#include "target/readings.h"

#define STAT_TEXT_SIZE 1024
#define SCAN_EVERY_TICKS                                                                           \
	60 /* a full scan of /proc, to find what the lists of children did not show */
#define THREADS_WALKED_EACH_TICK 64
#define MANY_THREADS_EVERY_TICKS 8

struct look {
	struct ledger *ledger;
	uint64_t now_ns;
	size_t position; /* of the process being looked at; new members are entered behind it */
	struct process *parent; /* whose children are being listed, NULL: the keeper's */
	pid_t pid;
};

static bool belongs(const struct ledger *l, pid_t ppid)
{
	return ppid == l->keeper_pid || ledger_find(l, ppid);
}

/* Opens a new member's stat file; it becomes a member only if its parent is one (its pid may be somebody else's by now). */
static void adopt(struct look *look, pid_t pid)
{
	struct ledger *l = look->ledger;
	char text[STAT_TEXT_SIZE];
	struct proc_stat stat;

	for (size_t i = 0; i < ARRAY_SIZE(l->not_the_jobs); i++)
		if (pid == l->not_the_jobs[i])
			return;
	int fd = root_file(l->roots->proc, "%d/stat", (int) pid);
	if (fd < 0)
		return;
	ssize_t n = read_kernel_record(fd, text, sizeof(text));
	if (n <= 0 || proc_stat_parse(text, (size_t) n, &stat) < 0 || !belongs(l, stat.ppid)) {
		close(fd);
		return;
	}

	struct process *p = ledger_new(l, &stat, look->position);
	if (!p) {
		close(fd);
		return;
	}
	ledger_keep_stat(l, p, fd);
	p->first_seen_ns = look->now_ns;
}

static void each_child(pid_t child, void *context)
{
	struct look *look = context;

	if (look->parent)
		look->parent->had_children = true;
	if (!ledger_find(look->ledger, child))
		adopt(look, child);
}

static void each_thread(pid_t tid, void *context)
{
	struct look *look = context;

	proc_children_each(look->ledger->roots->proc, look->pid, tid, each_child, look);
}

/* proc(5): the file of a thread lists that thread's children only, so every thread must be asked. */
static void list_children(struct look *look, pid_t pid, struct process *parent)
{
	struct ledger *l = look->ledger;

	look->pid = pid;
	look->parent = parent;
	if (parent && parent->stat.threads > 1) {
		proc_tasks_each(l->roots->proc, pid, each_thread, look);
		return;
	}
	int r = proc_children_each(l->roots->proc, pid, pid, each_child, look);
	if (r == -ENOENT && pid == l->keeper_pid && l->seen == 0)
		l->no_children_file = true;
}

static void each_pid(pid_t pid, void *context)
{
	struct look *look = context;

	if (pid != look->ledger->keeper_pid && !ledger_find(look->ledger, pid))
		adopt(look, pid);
}

/* A pass finds the children of members known so far; a pass that found nobody is the last. */
static void scan_proc(struct look *look)
{
	uint64_t before;

	look->parent = NULL;
	do {
		before = look->ledger->seen;
		proc_pids_each(look->ledger->roots->proc, each_pid, look);
	} while (look->ledger->seen != before);
}

/* Reads stat by the kept descriptor, or by the path with the identity checked. False when the process is gone. */
static bool read_stat(struct ledger *l, struct process *p)
{
	char text[STAT_TEXT_SIZE];
	struct proc_stat stat;
	int fd = p->fd_stat >= 0 ? p->fd_stat : root_file(l->roots->proc, "%d/stat", (int) p->pid);

	/* It lives, its clock says so: what was read last stands. */
	if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM) {
		l->files_short++;
		return true;
	}
	if (fd < 0)
		return false;
	ssize_t n = read_kernel_record(fd, text, sizeof(text));
	if (fd != p->fd_stat)
		close(fd);
	if (n <= 0 || proc_stat_parse(text, (size_t) n, &stat) < 0 ||
		stat.start_ticks != p->start_ticks)
		return false;
	/* It called exec, if only to become the same program anew, or gave itself another name. */
	if (strcmp(stat.name, p->stat.name) != 0 || stat.stack_start != p->stat.stack_start ||
		(p->stat.flags & ~stat.flags & PROC_NO_EXEC_YET))
		p->command_checks = p->command_checks ? p->command_checks : 1;
	p->stat = stat;
	/* With threads left only the main thread has ended, not the process. */
	p->zombie = (stat.state == 'Z' || stat.state == 'X') && stat.threads <= 1;
	return true;
}

struct other_thread {
	pid_t main, found;
};

static void each_other_thread(pid_t tid, void *context)
{
	struct other_thread *other = context;

	if (tid != other->main)
		other->found = tid;
}

void process_find_reader(struct ledger *l, struct process *p)
{
	struct other_thread other = { .main = p->pid };

	if (p->zombie || p->stat.state != 'Z')
		return;
	proc_tasks_each(l->roots->proc, p->pid, each_other_thread, &other);
	if (other.found && other.found != p->reader)
		ledger_read_through(l, p, other.found);
}

static void count_state(struct process *p)
{
	const char *at = p->stat.state ? strchr(STATE_LETTERS, p->stat.state) : NULL;

	if (at)
		p->states[at - STATE_LETTERS]++;
}

/* Bit 17 (SIGCHLD) of SigIgn: the kernel then reaps the children itself and folds nothing into anybody. */
static void watch_for_autoreap(struct ledger *l, struct process *p)
{
	/* The census knows who forked; without it anybody may have. */
	if (!p->had_children && (l->forks_known || p->sigchld_ignored))
		return;
	process_read_status(l, p, p->had_children);
	if (p->has_status && (p->status.signals_ignored & (UINT64_C(1) << 16)))
		p->sigchld_ignored = true;
	if (p->sigchld_ignored && p->had_children && l->autoreap_pid == 0) {
		l->autoreap_pid = p->pid;
		memcpy(l->autoreap_name, p->stat.name, sizeof(l->autoreap_name));
	}
}

/* A process that ran may have forked; one with very many threads is not asked at every tick. */
static bool children_may_be_new(const struct ledger *l, const struct process *p)
{
	if (l->no_children_file)
		return false;
	if (!p->walked)
		return true;
	if (l->forks_known || l->nobody_forked)
		return false;
	return p->stat.threads <= THREADS_WALKED_EACH_TICK ||
	       l->ticks % MANY_THREADS_EVERY_TICKS == 0;
}

bool process_look(struct ledger *l, struct process *p, uint64_t now_ns, bool even_quiet)
{
	uint64_t cpu_ns;
	bool is_new = p->last_seen_ns == 0;

	if (process_cpu_clock(p->pid, &cpu_ns) < 0) {
		ledger_vanished(l, p);
		return false;
	}
	/* A process that ran no nanosecond since its last look has changed nothing itself: its stat need not be read again. */
	p->quiet = !is_new && cpu_ns == p->cpu_ns;
	if ((!p->quiet || even_quiet) && !read_stat(l, p)) {
		ledger_vanished(l, p);
		/* Its pid may be a new member's already, whose parent was listed before. */
		l->look_everywhere = true;
		return false;
	}
	p->last_seen_ns = now_ns;
	p->cpu_stamp_ns = now_ns;
	count_state(p);
	if (!p->quiet) {
		p->changed_since_line = true;
		p->cpu_ns = cpu_ns;
	}
	return true;
}

static void look_at(struct look *look, struct process *p)
{
	struct ledger *l = look->ledger;

	if (!process_look(l, p, look->now_ns, false))
		return;
	if (p->zombie) {
		l->look_everywhere = l->look_everywhere || (p->had_children && !p->quiet);
		return;
	}
	/* Also of one that slept: it may have been given a child (CLONE_PARENT, a subreaper's orphans) without running. */
	if (children_may_be_new(l, p)) {
		list_children(look, p->pid, p);
		p->walked = true;
	}
	if (p->quiet)
		return;
	process_find_reader(l, p);
	watch_for_autoreap(l, p);
}

/* The keeper read the final CPU clock of those it reaped: better than the last look. */
static void take_exits(struct ledger *l, const struct exit_page *page)
{
	struct exit_record record;

	while (exit_page_next(page, &l->exit_cursor, &record)) {
		struct process *p = ledger_find(l, record.pid);

		if (!p && record.pid == l->job_pid && l->seen == 0)
			ledger_add_unseen_job(l, record.cpu_ns, record.max_rss_bytes);
		if (!p)
			continue;
		if (record.cpu_ns >= p->cpu_ns) {
			p->cpu_ns = record.cpu_ns;
			p->cpu_final = true;
		}
		p->cpu_stamp_ns = record.monotonic_ns;
		p->changed_since_line = true;
		ledger_vanished(l, p);
	}
}

static void sum_tree(struct ledger *l)
{
	uint64_t user = l->exits.user_ns;
	uint64_t system = l->exits.system_ns;
	uint64_t minor = l->exits.minor_faults;
	uint64_t major = l->exits.major_faults;

	l->living = l->zombies = l->threads = 0;
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);
		const struct proc_stat *s = &p->stat;

		if (!p->alive)
			continue;
		/* The clock is exact, the split of stat is by ticks: the split is applied to the clock. */
		uint64_t ticks = s->user_ticks + s->system_ticks;
		uint64_t own_system = ticks ? (uint64_t) ((double) p->cpu_ns *
							  (double) s->system_ticks / (double) ticks)
					    : 0;
		user += p->cpu_ns - own_system + s->children_user_ticks * l->clock_tick_ns;
		system += own_system + s->children_system_ticks * l->clock_tick_ns;
		minor += s->minor_faults + s->children_minor_faults;
		major += s->major_faults + s->children_major_faults;
		l->living++;
		l->zombies += p->zombie;
		l->threads += p->zombie ? 0 : s->threads;
	}
	/* What was reaped between the keeper's totals and the look at its parent is missed for one tick: the sum never falls. */
	uint64_t total = user + system > l->tree_cpu_ns ? user + system : l->tree_cpu_ns;

	l->tree_fell_ns = total - (user + system);
	/* The split by ticks wavers while the total grows: each part is held to what it was and the sum to the total. */
	if (system < l->tree_system_ns)
		system = l->tree_system_ns;
	if (system > total - l->tree_user_ns)
		system = total - l->tree_user_ns;
	l->tree_cpu_ns = total;
	l->tree_system_ns = system;
	l->tree_user_ns = total - system;
	if (l->tree_minor_faults < minor)
		l->tree_minor_faults = minor;
	if (l->tree_major_faults < major)
		l->tree_major_faults = major;
}

/* Without the census: when the last pid given is the same as before the last look, there is no new child anywhere. It is read before
 * the lists are, so that a fork in between is found at the next look. */
static void notice_forks(struct ledger *l)
{
	pid_t last_pid = 0;

	if (l->forks_known || last_pid_read(l->roots->proc, &last_pid) < 0)
		last_pid = 0;
	l->nobody_forked = last_pid != 0 && last_pid == l->last_pid;
	l->last_pid = last_pid;
}

void ledger_refresh(struct ledger *l, const struct exit_page *page, uint64_t now_ns)
{
	struct look look = { .ledger = l, .now_ns = now_ns };

	l->ticks++;
	notice_forks(l);
	if (l->look_everywhere)
		for (size_t i = 0; i < l->n_order; i++)
			ledger_at(l, i)->walked = false;
	l->look_everywhere = false;
	take_exits(l, page);
	l->all_ended = atomic_load(&page->all_ended) != 0;
	exit_page_totals(page, &l->exits);
	list_children(&look, l->keeper_pid, NULL);
	if (l->no_children_file || l->ticks % SCAN_EVERY_TICKS == 0)
		scan_proc(&look);
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		look.position = i + 1;
		if (p->alive)
			look_at(&look, p);
	}
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (p->alive)
			process_read_command(l, p);
	}
	sum_tree(l);
}
