/* SPDX-License-Identifier: MIT */
/* Tells those that end from those that live on, by the flags that the kernel sets at the beginning of an exit. */
#include "target/ends.h"

#include <signal.h>
#include <stdio.h>

#include "base/macros.h"
#include "linux/roots.h"
#include "target/ledger.h"
#include "target/readings.h"

#define STAT_TEXT_SIZE 1024
#define STATUS_TEXT_SIZE 4096

static bool read_stat_of(int proc, pid_t pid, pid_t tid, struct proc_stat *ret)
{
	char path[64];
	char text[STAT_TEXT_SIZE];

	snprintf(path, sizeof(path), "%d/task/%d/stat", (int) pid, (int) tid);
	ssize_t n = read_root_file(proc, path, text, sizeof(text));
	return n > 0 && proc_stat_parse(text, (size_t) n, ret) == 0;
}

/* A signal that ends a whole process is turned into a SIGKILL for each of its threads, which they find when they run next. */
static bool is_killed(int proc, pid_t pid, pid_t tid)
{
	char path[64];
	char text[STATUS_TEXT_SIZE];
	struct proc_status status;

	snprintf(path, sizeof(path), "%d/task/%d/status", (int) pid, (int) tid);
	ssize_t n = read_root_file(proc, path, text, sizeof(text));
	return n > 0 && proc_status_parse(text, (size_t) n, &status) == 0 &&
	       (status.thread_signals_pending & (UINT64_C(1) << (SIGKILL - 1)));
}

struct threads {
	int proc;
	pid_t pid;
	bool living;
};

static void each_thread(pid_t tid, void *context)
{
	struct threads *t = context;
	struct proc_stat stat;

	if (t->living || tid == t->pid || !read_stat_of(t->proc, t->pid, tid, &stat))
		return;
	t->living = stat.state != 'Z' && stat.state != 'X' &&
		    !(stat.flags & (PROC_EXITING | PROC_SIGNALED)) &&
		    !is_killed(t->proc, t->pid, tid);
}

bool process_is_ending(const struct ledger *l, const struct process *p)
{
	struct threads threads = { .proc = l->roots->proc, .pid = p->pid };
	struct proc_stat stat;
	uint64_t cpu_ns;

	if (!read_stat_of(l->roots->proc, p->pid, p->pid, &stat))
		return process_cpu_clock(p->pid, &cpu_ns) < 0;
	if (stat.start_ticks != p->start_ticks)
		return true;
	if (stat.flags & PROC_SIGNALED)
		return true;
	if (!(stat.flags & PROC_EXITING))
		return is_killed(l->roots->proc, p->pid, p->pid);
	/* Its main thread ends; the others need not. */
	if (stat.threads > 1)
		proc_tasks_each(l->roots->proc, p->pid, each_thread, &threads);
	return !threads.living;
}

void ledger_count_ends(struct ledger *l, struct ledger_ends *ret)
{
	*ret = (struct ledger_ends){ 0 };
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->alive)
			continue;
		p->ending = p->zombie || process_is_ending(l, p);
		/* Parents come first. A zombie goes when its parent waits for it or ends. */
		const struct process *parent = p->zombie ? ledger_find(l, p->stat.ppid) : NULL;
		if (!p->ending || (parent && !parent->ending))
			ret->living++;
		else
			ret->ending++;
	}
}

void ledger_read_last_marks(struct ledger *l)
{
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->alive || p->zombie)
			continue;
		p->status_tick = 0; /* not the one read in this tick */
		process_read_status(l, p, true);
	}
}
