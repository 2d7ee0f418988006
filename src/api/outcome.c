/* SPDX-License-Identifier: MIT */
/* Says how the command ended and by what evidence. */
#include "api/outcome.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "api/bounds.h"
#include "api/oom.h"
#include "base/buf.h"
#include "base/macros.h"
#include "base/signal_name.h"
#include "base/units.h"
#include "base/utf8.h"
#include "launch/forward.h"
#include "model/run_info.h"

void outcome_from_status(struct outcome *ret, int status, bool keeper_lost)
{
	char name[SIGNAL_NAME_SIZE];

	*ret = (struct outcome){ .known = true };
	snprintf(ret->evidence, sizeof(ret->evidence), "wait status %d, reaped by %s", status,
		keeper_lost ? "the recorder after the keeper was killed" : "the keeper");
	if (!WIFSIGNALED(status)) {
		ret->cause = CAUSE_EXITED;
		ret->exit_code = WEXITSTATUS(status);
		snprintf(ret->words, sizeof(ret->words), "exited %d", ret->exit_code);
		return;
	}
	ret->cause = CAUSE_SIGNAL;
	ret->signal = WTERMSIG(status);
	ret->core_dumped = WCOREDUMP(status);
	format_signal(ret->signal, name);
	snprintf(ret->words, sizeof(ret->words), "killed by %s%s", name,
		ret->core_dumped ? ", core dumped" : "");
}

#define OLDEST_CAUSE_NS (60 * NSEC_PER_SEC)
/* A batch job is told minutes before its limit, to write down where it stands. */
#define OLDEST_REQUEST_NS (3600 * NSEC_PER_SEC)

static void add_text(char *text, size_t size, const char *more)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s", more);
}

/* Signals that nobody gets but from somebody else: not a fault's, a timer's or a limit's. */
static bool needs_a_sender(int number)
{
	static const int sent[] = { SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2 };

	for (size_t i = 0; i < ARRAY_SIZE(sent); i++)
		if (sent[i] == number)
			return true;
	return number >= SIGRTMIN;
}

static enum asker asker_of(const struct sender *by, int number)
{
	if (!by->by_kernel)
		return by->pid > 0 ? ASKER_PROCESS : ASKER_OTHER_NAMESPACE;
	if (number == SIGINT || number == SIGQUIT || number == SIGHUP)
		return ASKER_TERMINAL;
	return number == SIGALRM && !by->to_group ? ASKER_ALARM : ASKER_KERNEL;
}

static void take_request(struct outcome *o, const struct sender *by, int number, uint64_t age_ns)
{
	o->request = (struct end_request){ .signal = number,
		.from = asker_of(by, number),
		.pid = by->pid,
		.uid = by->uid,
		.to_group = by->to_group,
		.before_end_ns = age_ns };
}

static void name_sender(const struct end_request *r, char *text, size_t size)
{
	const char *to = r->to_group ? "the process group" : "assay";
	const char *then = r->to_group ? "" : " and passed on";

	if (r->from == ASKER_TERMINAL)
		snprintf(text, size, "%s",
			r->signal == SIGHUP ? "the terminal hung up" : "a key on the terminal");
	else if (r->from == ASKER_ALARM)
		snprintf(text, size, "an alarm that was set before the start");
	else if (r->from == ASKER_KERNEL)
		snprintf(text, size, "sent by the kernel");
	else if (r->from == ASKER_PROCESS)
		snprintf(text, size, "sent to %s by pid %ld of uid %lu%s", to, (long) r->pid,
			(unsigned long) r->uid, then);
	else
		snprintf(text, size, "sent to %s from another pid namespace%s", to, then);
}

void outcome_add_sender(struct outcome *o, const struct sender *latest, uint64_t end_ns)
{
	char who[120];
	char more[160];

	if (!o->known || !o->signal)
		return;
	/* What came after the end, within the moment in which we notice it, may still be the cause: it went to the group. */
	uint64_t age_ns = end_ns > latest->monotonic_ns ? end_ns - latest->monotonic_ns : 0;
	if (latest->monotonic_ns == 0 || age_ns > OLDEST_CAUSE_NS) {
		if (needs_a_sender(o->signal))
			add_text(o->evidence, sizeof(o->evidence),
				"; not sent by way of assay, who sent it is not known");
		return;
	}
	take_request(o, latest, o->signal, age_ns);
	name_sender(&o->request, who, sizeof(who));
	snprintf(more, sizeof(more), " (%s)", who);
	add_text(o->words, sizeof(o->words), more);
	snprintf(more, sizeof(more), "; assay saw the signal %llu ms before the end",
		(unsigned long long) (age_ns / 1000000));
	add_text(o->evidence, sizeof(o->evidence), more);
}

void outcome_add_request(struct outcome *o, const struct sender *latest, uint64_t end_ns)
{
	static const int requests[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
	char who[120];
	char name[SIGNAL_NAME_SIZE];
	char more[200];

	if (!o->known || o->signal)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		const struct sender *by = &latest[requests[i]];

		/* What came after the end told nobody. */
		if (by->monotonic_ns == 0 || by->monotonic_ns > end_ns ||
			end_ns - by->monotonic_ns > OLDEST_REQUEST_NS)
			continue;
		take_request(o, by, requests[i], end_ns - by->monotonic_ns);
		name_sender(&o->request, who, sizeof(who));
		format_signal(requests[i], name);
		snprintf(more, sizeof(more), "; %s (%s) came %llu ms before the end", name, who,
			(unsigned long long) ((end_ns - by->monotonic_ns) / 1000000));
		add_text(o->evidence, sizeof(o->evidence), more);
		return;
	}
}

static void format_limit(uint8_t unit, uint64_t n, char text[UNITS_TEXT_SIZE])
{
	if (unit == BYTES)
		format_bytes(n, text);
	else if (unit == SECONDS)
		format_duration(n, text);
	else
		snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64, n);
}

static void stopped_by_limit(struct outcome *o, const struct limit_hit *h)
{
	static const struct {
		const char *name, *words;
	} kinds[] = { { "wall", "time limit (wall " }, { "cpu", "CPU limit (" },
		{ "memory", "memory limit (" }, { "processes", "limit of processes (" },
		{ "output", "output limit (" } };
	char limit[UNITS_TEXT_SIZE];
	char value[UNITS_TEXT_SIZE];
	char more[160];

	o->cause = CAUSE_LIMIT;
	o->limit = h->name;
	o->limit_source = "assay";
	format_limit(h->unit, h->limit, limit);
	format_limit(h->unit, h->value, value);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(h->name, kinds[i].name) == 0)
			snprintf(o->words, sizeof(o->words), "stopped by our %s%s)", kinds[i].words,
				limit);
	snprintf(more, sizeof(more), "; %s was %s when the limit was hit", h->key, value);
	add_text(o->evidence, sizeof(o->evidence), more);
}

static void name_oom_killer(const struct oom_found *oom, char *text, size_t size)
{
	char limit[UNITS_TEXT_SIZE];
	int n = snprintf(text, size, " (the kernel's OOM killer: %s rose by %" PRIu64, oom->counter,
		oom->in_cgroup);

	if (n < 0 || (size_t) n + UNITS_TEXT_SIZE + sizeof("; memory limit )") > size)
		return;
	if (oom->limited) {
		format_bytes(oom->limited->limit_bytes, limit);
		n += snprintf(text + n, size - (size_t) n, "; memory limit %s", limit);
	}
	snprintf(text + n, size - (size_t) n, ")");
}

/* With a limit of memory and swap together that is no higher, version 1 counts no hit of either (seen on 6.18). */
static void hit_times(const struct oom_found *oom, char *text, size_t size)
{
	if (!oom->has_hits || oom->hits == 0)
		snprintf(text, size, "the kernel did not count how often it was hit");
	else
		snprintf(text, size, "it was hit %" PRIu64 " time%s during the run", oom->hits,
			oom->hits == 1 ? "" : "s");
}

/* The end of a path says more than its beginning. */
#define PATH_SHOWN 70

static void add_limit(struct outcome *o, const struct oom_found *oom)
{
	char limit[UNITS_TEXT_SIZE];
	char times[64];
	struct buf text = { 0 };

	if (!oom->limited)
		return;
	const char *path = oom->limited->limit_directory;
	size_t n = strlen(path);
	format_bytes(oom->limited->limit_bytes, limit);
	hit_times(oom, times, sizeof(times));
	buf_addf(&text, "; %s of ", oom->limited->limit_file);
	buf_add_text(&text, n > PATH_SHOWN ? "..." : "");
	text_add_printable(&text, n > PATH_SHOWN ? path + n - PATH_SHOWN : path,
		n > PATH_SHOWN ? PATH_SHOWN : n);
	buf_addf(&text, " is %s, %s", limit, times);
	if (!text.failed)
		add_text(o->evidence, sizeof(o->evidence), text.data);
	buf_done(&text);
}

static void note_limit(struct assay_run_info *info, const struct oom_found *oom)
{
	char limit[UNITS_TEXT_SIZE];
	char times[64];
	struct buf path = { 0 };

	if (oom->in_cgroup == 0 || !oom->limited)
		return;
	format_bytes(oom->limited->limit_bytes, limit);
	hit_times(oom, times, sizeof(times));
	text_add_printable(
		&path, oom->limited->limit_directory, strlen(oom->limited->limit_directory));
	if (!path.failed)
		run_info_note(info, "the memory limit of %s (%s of %s): %s", limit,
			oom->limited->limit_file, path.data, times);
	buf_done(&path);
}

/* The kernel counts towards the limit in ticks, each for whoever has the processor at that moment: on a busy machine it killed at 0.88 s of the
 * clock for a limit of 1 s (6.18). */
#define TICKS_ARE_OFF_NS (NSEC_PER_SEC / 2)

static bool had_its_cpu(const struct outcome *o)
{
	return o->cpu_limit_ns > 0 &&
	       o->own_cpu_ns + TICKS_ARE_OFF_NS + o->cpu_limit_ns / 20 >= o->cpu_limit_ns;
}

static void name_cpu_limit(const struct outcome *o, char *text, size_t size)
{
	char used[UNITS_TEXT_SIZE];
	char limit[UNITS_TEXT_SIZE];

	format_duration(o->own_cpu_ns, used);
	format_duration(o->cpu_limit_ns, limit);
	snprintf(text, size,
		" (most likely by the kernel: it had used %s of CPU time, its limit, RLIMIT_CPU, "
		"was %s)",
		used, limit);
}

/* SIGKILL names nobody: the counters are what there is. */
static void killed_by_whom(struct outcome *o, const struct oom_found *oom)
{
	char more[200];

	if (oom->lately > 0) {
		o->cause = CAUSE_OOM_KILL;
		o->limit = oom->limited ? "memory" : NULL;
		o->limit_source = oom->limited ? "cgroup" : NULL;
		name_oom_killer(oom, more, sizeof(more));
	} else if (had_its_cpu(o)) {
		name_cpu_limit(o, more, sizeof(more));
	} else if (oom->on_machine > oom->in_cgroup) {
		snprintf(more, sizeof(more),
			" (perhaps by the kernel's OOM killer, which struck on this machine "
			"meanwhile)");
	} else {
		snprintf(more, sizeof(more), " (by whom is not known)");
	}
	add_text(o->words, sizeof(o->words), more);
	if (oom->lately > 0) {
		add_limit(o, oom);
		return;
	}
	if (oom->in_cgroup > 0)
		snprintf(more, sizeof(more), "; %s rose by %" PRIu64 ", but not in the last minute",
			oom->counter, oom->in_cgroup);
	else if (oom->on_machine > 0)
		snprintf(more, sizeof(more), "; oom_kill of the machine (vmstat) rose by %" PRIu64,
			oom->on_machine);
	else
		snprintf(more, sizeof(more), "%s",
			oom->machine_known
				? "; not the kernel's OOM killer: it killed nothing on this machine"
				: "; the kernel's counters of OOM kills could not be read");
	add_text(o->evidence, sizeof(o->evidence), more);
}

/* A limit that is in the list of what bounds the job has its hits told from there: a job that moved began to be watched later, and a record tells
 * one count of one limit. */
static void take_hits_from_bounds(const struct assay_run_info *info, struct oom_found *oom)
{
	const struct target_limit *l =
		oom->limited ? bounds_of_cgroup(info, oom->limited->limit_directory,
				       oom->limited->limit_file)
			     : NULL;

	if (!l)
		return;
	oom->has_hits = l->has_hits;
	oom->hits = l->hits;
}

void outcome_explain(struct assay_run_info *info, struct oom_found *oom)
{
	struct outcome *o = &info->outcome;

	take_hits_from_bounds(info, oom);

	if (info->limit_hit.name)
		stopped_by_limit(o, &info->limit_hit);
	else if (o->known && o->signal == SIGKILL)
		killed_by_whom(o, oom);
	note_limit(info, oom);
	if (o->signal == SIGKILL && !info->limit_hit.name)
		return;
	if (oom->in_cgroup > 0)
		run_info_note(info,
			"the kernel's OOM killer killed %" PRIu64
			" process%s in this cgroup during the run (%s)",
			oom->in_cgroup, oom->in_cgroup == 1 ? "" : "es", oom->counter);
	else if (o->known && o->exit_code == 128 + SIGKILL)
		run_info_note(info,
			"exit status 137 is what a shell gives when a command of its was killed by "
			"SIGKILL%s",
			oom->on_machine > 0
				? "; the kernel's OOM killer struck on this machine meanwhile"
				: "");
}
