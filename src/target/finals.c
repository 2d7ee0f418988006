/* SPDX-License-Identifier: MIT */
/* Sorts the machine's records of ended tasks: whose they are, which one ends a process, under what name. */
#include "target/finals.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "target/census.h"
#include "target/ledger.h"

void finals_begin(struct finals *f, const struct taskstats_listener *listener)
{
	*f = (struct finals){ .listener = *listener, .census = f->census, .ledger = f->ledger };
	f->census->keep_ended = true;
	f->ledger->has_finals = true;
}

void finals_close(struct finals *f)
{
	if (f->listener.fd >= 0)
		taskstats_close(&f->listener);
	f->listener.fd = -1;
}

static void keep_record(const struct taskstats_record *record, void *context)
{
	struct finals *f = context;

	if (f->n_batch == TASKSTATS_TAKE_MAX) {
		f->lost++;
		return;
	}
	f->batch[f->n_batch++] = *record;
}

static struct finals_leader *find_leader(struct finals *f, pid_t pid)
{
	for (size_t i = 0; i < FINALS_LEADERS; i++)
		if (f->leaders[i].pid == pid)
			return &f->leaders[i];
	return NULL;
}

static void remember_leader(struct finals *f, const struct taskstats_record *task)
{
	struct finals_leader *leader = &f->leaders[f->next_leader];

	f->next_leader = (f->next_leader + 1) % FINALS_LEADERS;
	leader->pid = task->pid;
	memcpy(leader->name, task->name, sizeof(leader->name));
}

/* Whether the job's: by the census. One that lost events still has pids of which it was not told that they ended, and which a stranger may have by
 * now: then by the parent at its end, which outlives its children mostly and was not so easily missed. A parent that has ended is none: where pids go
 * round fast, it had its pid after a stranger of whom there still is a record. */
static bool is_the_jobs(const struct finals *f, const struct taskstats_record *task, pid_t process)
{
	if (f->census->complete)
		return census_knows(f->census, process);
	if (process == f->ledger->job_pid || ledger_find(f->ledger, process))
		return true;
	/* A thread has the parent of its process, and without tgid it could pass for a process. The keeper's children are all the job's. */
	pid_t parent = task->tgid ? task->parent_tgid : 0;
	return parent > 0 && (parent == f->ledger->job_pid || parent == f->ledger->keeper_pid ||
				     census_living_threads(f->census, parent) > 0);
}

/* Whether a process of one thread ended, of which there is no second record. */
static bool ends_process(const struct finals *f, const struct taskstats_record *task)
{
	if (task->last_known)
		return task->last;
	return census_living_threads(f->census, task->pid) <= 1;
}

static void process_ended(
	struct finals *f, pid_t pid, const struct taskstats_record *task, uint64_t clock_ns)
{
	struct finals_leader *leader = task->pid == pid ? NULL : find_leader(f, pid);

	f->processes++;
	f->cpu_ns += clock_ns;
	ledger_take_final(
		f->ledger, pid, leader ? leader->name : task->name, clock_ns, task->peak_rss_bytes);
	overlap_take_mark(&f->census->overlap, pid, task->peak_rss_bytes, task->forked);
	if (leader)
		leader->pid = 0;
}

/* `sums`: of the process, when the task was the last one of several; else NULL. */
static void take_task(
	struct finals *f, const struct taskstats_record *task, const struct taskstats_record *sums)
{
	pid_t process = sums ? sums->pid : task->tgid ? task->tgid : task->pid;

	if (!is_the_jobs(f, task, process)) {
		f->foreign++;
		return;
	}
	f->read_bytes += task->read_bytes;
	f->write_bytes += task->write_bytes;
	if (f->max_rss_bytes < task->peak_rss_bytes)
		f->max_rss_bytes = task->peak_rss_bytes;
	if (sums)
		process_ended(f, process, task, sums->clock_ns);
	else if (task->pid == process && ends_process(f, task))
		process_ended(f, process, task, task->clock_ns);
	else if (task->pid == process)
		remember_leader(f, task);
}

void finals_sort(struct finals *f, const struct taskstats_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool has_sums = i + 1 < n && records[i + 1].kind == TASKSTATS_PROCESS;

		if (records[i].kind == TASKSTATS_TASK)
			take_task(f, &records[i], has_sums ? &records[i + 1] : NULL);
	}
}

/* The batch before the census: an end that is told next then has its mark. Only of records that surely end a process. */
static void expect_marks(struct finals *f)
{
	struct overlap *o = &f->census->overlap;

	for (size_t i = 0; i < f->n_batch; i++) {
		const struct taskstats_record *task = &f->batch[i];
		bool has_sums = i + 1 < f->n_batch && f->batch[i + 1].kind == TASKSTATS_PROCESS;

		if (task->kind != TASKSTATS_TASK)
			continue;
		if (has_sums)
			overlap_expect_mark(
				o, f->batch[i + 1].pid, task->peak_rss_bytes, task->forked);
		else if (task->last_known && task->last && task->pid == task->tgid)
			overlap_expect_mark(o, task->pid, task->peak_rss_bytes, task->forked);
	}
}

void finals_drain(struct finals *f)
{
	if (f->listener.fd < 0) {
		census_drain(f->census);
		return;
	}
	/*
	 * A fork is told before its record can be, the end after it. So a batch of records is taken first and the census is drained then: it
	 * knows all who are in the batch, those that ended meanwhile too, as these are kept until no record of theirs can be left.
	 */
	census_turn_ended(f->census);
	for (int n = 1; n > 0;) {
		f->n_batch = 0;
		n = taskstats_take(&f->listener, keep_record, f, &f->lost);
		expect_marks(f);
		census_drain(f->census);
		finals_sort(f, f->batch, f->n_batch);
		overlap_forget_expected(&f->census->overlap);
	}
	census_forget_ended(f->census);
}
