/* SPDX-License-Identifier: MIT */
/* Ends a job that went beyond a limit: a soft signal to the whole target, a grace, SIGKILL until nothing is left. */
#include "api/limiting.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/outputs.h"
#include "api/session.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "target/deliver.h"
#include "target/ends.h"
#include "target/readings.h"

#define MS 1000000ULL
#define GRACE_DEFAULT_NS (10 * NSEC_PER_SEC)
#define SOFT_SIGNAL SIGTERM
#define ROUND_PAUSE_FIRST_NS (20 * MS)
#define ROUND_PAUSE_MAX_NS NSEC_PER_SEC
#define STOP_PASSES_MAX                                                                            \
	16 /* each finds what the pass before forked; a bomb of any kind is still after two or three */
#define GIVE_UP_NS (2 * NSEC_PER_SEC) /* when only processes are left that are not ours to kill */

/* A limit that could never be judged is no limit. */
static int check_sources(const struct session *s, const struct limits *l, struct error *err)
{
	const struct assay_run_info *info = s->info;

	if (s->roots.proc < 0)
		return error_say(err, -ENODEV,
			"limits need /proc to find the job's processes, but %s; mounting /proc "
			"would help",
			s->roots.why_no_proc);
	if (l->at[LIMIT_OUTPUT] && !s->options->capture)
		return error_say(err, -EINVAL,
			"limit output counts what is captured: add --capture-outputs");
	for (size_t i = 0; i < info->n_collectors; i++)
		if (l->at[LIMIT_MEMORY] && strcmp(info->collectors[i].name, "proc_smaps") == 0 &&
			!info->collectors[i].available)
			return error_say(err, -ENODEV, "limit memory needs PSS: %s",
				info->collectors[i].why);
	return 0;
}

void limiting_init(struct limiting *l)
{
	*l = (struct limiting){ 0 };
}

int limiting_prepare(struct session *s, struct error *err)
{
	struct limits limits;

	if (!s->options->limits)
		return 0;
	int r = limits_parse(s->options->limits, &limits, err);
	if (r == 0)
		r = check_sources(s, &limits, err);
	if (r < 0)
		return r;
	s->limiting.limits = limits;
	s->limiting.phase = LIMITING_WATCH;
	if (s->info->limit_grace_ns == 0)
		s->info->limit_grace_ns = GRACE_DEFAULT_NS;
	return 0;
}

/* Where no timer can be had, one that is stopped is only late. */
static void wake_at(struct limiting *l, uint64_t monotonic_ns)
{
	if (wake_timer_set(&l->wake_timer, monotonic_ns) < 0)
		wake_timer_delete(&l->wake_timer);
}

/* What was to be kept cannot be, and why has been said. */
static void drop_output_limit(struct session *s)
{
	static const char line[] =
		"limit output: nothing is kept that it could count; continuing without it";

	s->limiting.limits.at[LIMIT_OUTPUT] = 0;
	run_info_note(s->info, "%s", line);
	if (s->options->warn)
		s->options->warn(line, s->options->context);
}

void limiting_begin(struct session *s)
{
	struct limiting *l = &s->limiting;

	if (l->phase == LIMITING_NOTHING)
		return;
	if (l->limits.at[LIMIT_OUTPUT] && s->info->n_outputs == 0)
		drop_output_limit(s);
	judge_begin(&l->judge, &l->limits, &s->monitor, s->start_ns);
	/* Ctrl-Z and whatever else stops the whole group stops us, too; the wall time goes on. */
	if (l->limits.at[LIMIT_WALL])
		wake_at(l, judge_wall_end_ns(&l->judge));
}

uint64_t limiting_due_ns(const struct session *s, uint64_t now_ns, uint64_t until_ns)
{
	const struct limiting *l = &s->limiting;
	uint64_t due_ns = until_ns;

	switch (l->phase) {
	case LIMITING_NOTHING:
	case LIMITING_OVER:
		break;
	case LIMITING_WATCH:
		due_ns = judge_due_ns(&l->judge, now_ns);
		break;
	case LIMITING_GRACE:
		due_ns = l->grace_end_ns;
		break;
	case LIMITING_KILL:
		due_ns = l->next_round_ns;
		break;
	}
	return due_ns < until_ns ? due_ns : until_ns;
}

/* One look at everything that is there now. */
static void look(struct session *s)
{
	s->monitor.ledger.look_everywhere = true;
	monitor_tick(&s->monitor, s->keeper.page);
}

static bool usual_end(const struct session *s)
{
	return s->options->wait_all ? keeper_all_ended(&s->keeper) : keeper_job_ended(&s->keeper);
}

struct sent {
	uint64_t reached,
		denied; /* processes that took the signal and had not begun to end, and those that are not ours to signal */
};

/* Parents before children. */
static struct sent signal_all(struct session *s, int number)
{
	const struct ledger *l = &s->monitor.ledger;
	struct sent sent = { 0 };

	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		if (!p->alive || p->zombie)
			continue;
		/* On a crowded machine one that was killed is long on its way. It is sent the signal all the same, which cuts a core dump short. */
		bool ending = number == SIGKILL && process_is_ending(l, p);
		int r = process_signal(l, p, number);
		sent.reached += r == 0 && !ending;
		sent.denied += r == -EPERM;
		/* A stopped process would only look at it when it goes on. */
		if (r == 0 && number == SOFT_SIGNAL)
			process_signal(l, p, SIGCONT);
	}
	return sent;
}

/* The command may have ended by itself, and the keeper not have told it yet. */
static bool ended_by_itself(struct session *s)
{
	const struct process *job = ledger_find(&s->monitor.ledger, s->keeper.job_pid);

	if (usual_end(s))
		return true;
	return !s->options->wait_all &&
	       (!job || process_signal(&s->monitor.ledger, job, 0) == -ESRCH);
}

/* Whether the soft signal can do nothing to the command but end it. */
static bool takes_default(struct session *s)
{
	struct process *job = ledger_find(&s->monitor.ledger, s->keeper.job_pid);
	uint64_t bit = UINT64_C(1) << (SOFT_SIGNAL - 1);

	if (!job)
		return false;
	job->status_tick = 0; /* not the one read in this tick: it may have set a handler since */
	process_read_status(&s->monitor.ledger, job, true);
	const struct proc_status *status = &job->status;
	/* It ended in this moment: there is nothing that the signal can do to it. */
	if (job->status_error == ESRCH || job->status_error == ENOENT)
		return true;
	return job->status_error == 0 && status->has_signals_blocked &&
	       ((status->signals_blocked | status->signals_ignored | status->signals_caught) &
		       bit) == 0;
}

/* It may have been stopped with the rest of its process group; it has not been reaped, so the pid is its own. */
static void continue_keeper(const struct session *s)
{
	if (!s->keeper.lost && s->keeper.pid > 0)
		kill(s->keeper.pid, SIGCONT);
}

static void hit(struct session *s, const struct verdict *v)
{
	const struct limit_row *row = &limit_rows[v->limit];
	struct limiting *l = &s->limiting;

	look(s);
	if (ended_by_itself(s)) {
		l->phase = LIMITING_NOTHING; /* then no limit ended it */
		return;
	}
	l->by_default = takes_default(s);
	uint64_t now_ns = clock_monotonic_ns();
	l->soft_reached = signal_all(s, SOFT_SIGNAL).reached;
	continue_keeper(s);
	s->info->limit_hit = (struct limit_hit){ .name = row->name,
		.unit = row->unit,
		.limit = l->limits.at[v->limit],
		.value = v->value,
		.key = row->key,
		.after_ns = now_ns - s->start_ns,
		.soft_signal = SOFT_SIGNAL };
	l->grace_end_ns = now_ns + s->info->limit_grace_ns < now_ns
				  ? UINT64_MAX
				  : now_ns + s->info->limit_grace_ns;
	l->phase = LIMITING_GRACE;
	wake_at(l, l->grace_end_ns);
	s->checkpoint_due = true;
}

/* Stopped processes neither fork nor start again what was killed: what is found after a pass was forked before it. */
static void stop_all(struct session *s)
{
	uint64_t seen;

	for (int pass = 0; pass < STOP_PASSES_MAX; pass++) {
		seen = s->monitor.ledger.seen;
		signal_all(s, SIGSTOP);
		look(s);
		if (s->monitor.ledger.seen == seen)
			return;
	}
}

static void kill_one_by_one(struct session *s)
{
	struct limit_hit *h = &s->info->limit_hit;
	struct limiting *l = &s->limiting;

	look(s);
	/* The first round has none of the target stopped, for who watches the command would see that. It is enough, but for processes that
	 * start each other again. */
	if (l->rounds > 0)
		stop_all(s);
	struct sent sent = signal_all(s, SIGKILL);
	l->denied = sent.denied;
	if (sent.reached == 0)
		return;
	h->killed = true;
	snprintf(h->way, sizeof(h->way), "%s",
		l->killed_as_a_whole ? "cgroup.kill, then one by one" : "one by one");
}

static void kill_round(struct session *s)
{
	const struct own_cgroup *c = job_cgroups_unified(s);
	struct limit_hit *h = &s->info->limit_hit;
	struct limiting *l = &s->limiting;

	if (c->fd >= 0 && own_cgroup_populated(c) == 1 && own_cgroup_kill(c) == 0 &&
		!l->killed_as_a_whole) {
		l->killed_as_a_whole = h->killed = true;
		snprintf(h->way, sizeof(h->way), "cgroup.kill");
	}
	/* Also what left the cgroup, or was never in it. */
	if (!l->killed_as_a_whole || l->rounds > 0)
		kill_one_by_one(s);
	continue_keeper(s);
	l->rounds++;
	l->round_pause_ns = l->rounds == 1 ? ROUND_PAUSE_FIRST_NS : 2 * l->round_pause_ns;
	if (l->round_pause_ns > ROUND_PAUSE_MAX_NS)
		l->round_pause_ns = ROUND_PAUSE_MAX_NS;
	l->next_round_ns = clock_monotonic_ns() + l->round_pause_ns;
	wake_at(l, l->next_round_ns);
}

/* Those that are left are somebody else's, and what we wait for is the command, which has ended. */
static bool nothing_more_to_do(const struct session *s, uint64_t now_ns)
{
	const struct ledger *ledger = &s->monitor.ledger;
	const struct limiting *l = &s->limiting;

	return keeper_job_ended(&s->keeper) && l->denied > 0 &&
	       l->denied == ledger->living - ledger->zombies &&
	       now_ns - l->kill_began_ns >= GIVE_UP_NS;
}

void limiting_act(struct session *s, uint64_t now_ns)
{
	struct limiting *l = &s->limiting;
	struct verdict v;

	if (l->phase == LIMITING_WATCH) {
		uint64_t output_bytes = 0;

		outputs_report(s);
		for (size_t i = 0; i < s->info->n_outputs; i++)
			output_bytes += s->info->outputs[i].bytes;
		if (judge_now(&l->judge, now_ns, output_bytes, &v))
			hit(s, &v);
	}
	if (l->phase == LIMITING_GRACE && now_ns >= l->grace_end_ns) {
		l->phase = LIMITING_KILL;
		l->kill_began_ns = now_ns;
		l->next_round_ns = now_ns;
	}
	if (l->phase == LIMITING_KILL && now_ns >= l->next_round_ns) {
		kill_round(s);
		if (nothing_more_to_do(s, now_ns))
			l->phase = LIMITING_OVER;
	}
}

bool limiting_look_due(const struct session *s, uint64_t now_ns)
{
	return s->limiting.phase == LIMITING_WATCH && now_ns >= s->limiting.judge.look_ns;
}

void limiting_tick(struct session *s)
{
	struct limiting *l = &s->limiting;
	uint64_t before_ns = clock_thread_cpu_ns();
	struct verdict v;

	if (l->phase == LIMITING_WATCH)
		judge_before_tick(&l->judge, &s->monitor, clock_monotonic_ns());
	monitor_tick(&s->monitor, s->keeper.page);
	if (l->phase == LIMITING_WATCH &&
		judge_after_tick(&l->judge, &s->monitor, clock_thread_cpu_ns() - before_ns, &v))
		hit(s, &v);
}

bool limiting_is_ending(const struct session *s)
{
	return s->limiting.phase == LIMITING_GRACE || s->limiting.phase == LIMITING_KILL;
}

bool limiting_holds(struct session *s, bool *ret_over)
{
	enum limiting_phase phase = s->limiting.phase;

	if (phase == LIMITING_NOTHING || phase == LIMITING_WATCH)
		return false;
	*ret_over = phase == LIMITING_OVER || keeper_all_ended(&s->keeper);
	return true;
}

void limiting_reconsider(struct session *s)
{
	struct limit_hit *h = &s->info->limit_hit;
	const struct limiting *l = &s->limiting;

	if (h->name && l->by_default && l->soft_reached <= 1 && !h->killed &&
		!s->options->wait_all && WIFEXITED(s->keeper.page->job_status))
		*h = (struct limit_hit){ 0 };
}

static void note_who_is_left(struct session *s)
{
	struct assay_run_info *info = s->info;
	struct buf text = { 0 };

	for (size_t i = 0; i < info->n_survivors; i++) {
		const struct survivor *p = &info->survivors[i];

		buf_add_text(&text, i ? ", " : "");
		text_add_printable(&text, p->name, strnlen(p->name, sizeof(p->name)));
		buf_addf(&text, " (%d)", (int) p->pid);
	}
	run_info_note(info, "limit: %zu of the job's processes could not be killed (%s): %s",
		info->n_survivors_total, s->limiting.denied ? "EPERM" : "they do not end",
		text.data && !text.failed ? text.data : "?");
	buf_done(&text);
}

void limiting_conclude(struct session *s)
{
	struct limit_hit *h = &s->info->limit_hit;
	const struct own_cgroup *c = job_cgroups_unified(s);
	bool cgroup_empty = c->fd >= 0 && own_cgroup_populated(c) == 0;

	if (!h->name)
		return;
	/* Without a subreaper orphans are somebody else's and in no list of ours. */
	h->emptied = keeper_all_ended(&s->keeper) && (c->fd < 0 || cgroup_empty) &&
		     (cgroup_empty || !s->monitor.ledger.no_subreaper);
	if (s->info->n_survivors_total > 0)
		note_who_is_left(s);
}

void limiting_close(struct session *s)
{
	wake_timer_delete(&s->limiting.wake_timer);
}
