/* SPDX-License-Identifier: MIT */
/* assay_snapshot(): reads a target and hands the readings on; writes nothing. */
#include "assay.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/start.h"
#include "api/watching.h"
#include "base/clock.h"
#include "base/error.h"
#include "collect/net_dev.h"
#include "launch/signals.h"
#include "linux/roots.h"

#define INTERVAL_DEFAULT_NS NSEC_PER_SEC
#define MEASURED                                                                                   \
	"proc_cpu_seconds,proc_rss_bytes,proc_pss_bytes,proc_private_bytes,proc_io_*,target_*,"    \
	"netns_receive_bytes,netns_transmit_bytes"

/* A sum that is not made at each reading. */
struct round {
	uint64_t absent; /* processes that are not in it */
	int why;
};

struct snapshot {
	struct assay_snapshot_options asked;
	struct round pss, private_memory; /* the latest */
	struct roots roots;
	struct signals signals;
	struct watching watching;
	uint64_t taken; /* readings */
	uint64_t before_ns; /* of the reading before */
	uint64_t cpu_before_ns, disk_before[2], net_before[2];
	bool net_known_before;
	bool stopped;
};

static struct assay_value value_of(uint64_t n, enum quality quality)
{
	return (struct assay_value){ .n = n, .quality = quality_name(quality), .why = "" };
}

/* What stands in the total of a row, as it was read last; `round`: of one that is not read each time, what was absent then. */
static struct assay_value total_of(const struct snapshot *s, const char *key, struct round *round)
{
	const struct monitor *m = &s->watching.monitor;
	int row = measures_find(m->measures, key);
	struct assay_value v = { .why = "" };

	if (row < 0)
		return v;
	const struct accumulator *a = &m->batch.targets[0].run_singles[row];
	const struct total *t = &m->batch.targets[0].totals[m->measures->base[row]];
	bool is_new = t->present || t->absent;
	struct round now = { t->absent, t->why };

	/* PSS is read in rounds: between two of them the last one is what is known. */
	if (a->samples > 0)
		v = value_of(a->last, is_new ? (enum quality) a->quality : ESTIMATE);
	if (round && is_new)
		*round = now;
	else if (round)
		now = *round;
	v.unreadable = now.absent;
	v.why = now.absent ? errno_name(now.why) : "";
	return v;
}

static void take_disk(struct snapshot *s, const struct account *a, struct assay_reading *r)
{
	static const enum counted counted[] = { COUNTED_READ_BYTES, COUNTED_WRITE_BYTES };
	struct assay_value *sums[] = { &r->disk_read, &r->disk_write };
	struct assay_value *since[] = { &r->disk_read_since, &r->disk_write_since };

	for (int k = 0; k < 2; k++) {
		uint64_t n = a->before[counted[k]] + a->used[counted[k]];
		enum quality quality = a->with_children && !a->unsure ? LOWER_BOUND : ESTIMATE;

		*sums[k] = *since[k] = (struct assay_value){ .why = "" };
		if (a->io_readable) {
			*sums[k] = value_of(n, quality);
			if (s->taken > 0)
				*since[k] = value_of(n - s->disk_before[k], quality);
			s->disk_before[k] = n;
		}
		sums[k]->unreadable = a->io_unreadable;
		sums[k]->why = a->io_unreadable ? errno_name(a->io_error) : "";
		since[k]->unreadable = s->taken > 0 ? sums[k]->unreadable : 0;
		since[k]->why = since[k]->unreadable ? sums[k]->why : "";
	}
}

/* Since boot, or since the namespace was made: what its interfaces show now. */
static void take_network(struct snapshot *s, struct assay_reading *r)
{
	static const enum interface_counter counters[] = { RECEIVE_BYTES, TRANSMIT_BYTES };
	const struct interfaces *in;
	struct assay_value *sums[] = { &r->net_receive, &r->net_transmit };
	struct assay_value *since[] = { &r->net_receive_since, &r->net_transmit_since };
	struct monitor *m = &s->watching.monitor;

	monitor_turn_to(m, &m->views[0]);
	in = net_dev_interfaces(&m->collect);
	monitor_turn_to(m, NULL);
	bool known = in->looked;

	for (int k = 0; k < 2; k++) {
		uint64_t n = 0;

		for (size_t i = 0; i < in->n; i++)
			if (in->list[i].there && !interface_is_loopback(&in->list[i]))
				n += in->list[i].last[counters[k]];
		*sums[k] = *since[k] = (struct assay_value){ .why = "" };
		if (!known)
			continue;
		/* Of the namespace it is exact; of the target no bound, as a process of it may be in another one. */
		*sums[k] = value_of(n, ESTIMATE);
		if (s->net_known_before)
			*since[k] =
				value_of(n > s->net_before[k] ? n - s->net_before[k] : 0, ESTIMATE);
		s->net_before[k] = n;
	}
	s->net_known_before = known;
}

static void take_cpu(struct snapshot *s, const struct account *a, struct assay_reading *r)
{
	r->cpu_percent = (struct assay_value){ .why = "" };
	if (s->taken > 0 && r->interval_ns > 0) {
		uint64_t used_ns = a->used[COUNTED_CPU] - s->cpu_before_ns;
		double percent = 100.0 * (double) used_ns / (double) r->interval_ns;

		r->cpu_percent = value_of(
			(uint64_t) (1000.0 * percent + 0.5), a->unsure ? ESTIMATE : SAMPLED);
	}
	s->cpu_before_ns = a->used[COUNTED_CPU];
}

/* Hands one on; false when it is to be the last. */
static bool hand_on(struct snapshot *s)
{
	const struct watching *w = &s->watching;
	const struct monitor *m = &w->monitor;
	const struct target *t = &w->targets[0];
	const struct account *a = &m->watch->accounts[0];
	uint64_t now_ns = m->last_tick_ns;
	struct assay_reading r = { .realtime_ns =
					   clock_realtime_ns() - (clock_monotonic_ns() - now_ns),
		.interval_ns = s->taken > 0 ? now_ns - s->before_ns : 0,
		.kind = target_kind_name(t->terms[0].kind),
		.text = t->text,
		.people = t->people,
		.pgid = t->terms[0].kind == TARGET_GROUP ? t->terms[0].id : 0,
		.processes = value_of(a->living, SAMPLED),
		.last = watching_is_over(w) };

	take_cpu(s, a, &r);
	/* Who cannot be seen is in no sum. */
	enum quality seen = m->watch->hidden ? LOWER_BOUND : SAMPLED;
	r.processes.quality = quality_name(seen);
	r.rss = total_of(s, "proc_rss_total_bytes", NULL);
	r.pss = total_of(s, "proc_pss_total_bytes", &s->pss);
	r.private_memory = total_of(s, "proc_private_total_bytes", &s->private_memory);
	if (m->watch->hidden && r.rss.quality)
		r.rss.quality = quality_name(ESTIMATE);
	take_disk(s, a, &r);
	take_network(s, &r);
	s->taken++;
	s->before_ns = now_ns;
	bool more = s->asked.each(&r, s->asked.context) == 0;
	return more && !r.last && (s->asked.count == 0 || s->taken < s->asked.count);
}

static void attend_signals(struct snapshot *s)
{
	struct got_signal got;

	while (signals_next(&s->signals, &got)) {
		if (got.number == SIGTSTP)
			raise(SIGSTOP);
		else if (got.number == SIGINT || got.number == SIGTERM || got.number == SIGHUP ||
			 got.number == SIGQUIT || got.number == SIGPIPE)
			s->stopped = true;
	}
}

static void wait_until(struct snapshot *s, uint64_t until_ns)
{
	for (;;) {
		uint64_t now_ns = clock_monotonic_ns();

		attend_signals(s);
		if (s->stopped || now_ns >= until_ns)
			return;
		struct timespec timeout = { .tv_sec = (time_t) ((until_ns - now_ns) / NSEC_PER_SEC),
			.tv_nsec = (long) ((until_ns - now_ns) % NSEC_PER_SEC) };
		struct pollfd fd = { .fd = s->signals.fd, .events = POLLIN };
		ppoll(&fd, 1, &timeout, NULL);
	}
}

static int read_again_and_again(struct snapshot *s, struct error *err)
{
	const char *targets[] = { s->asked.target, NULL };
	uint64_t interval_ns = s->asked.interval_ns ? s->asked.interval_ns : INTERVAL_DEFAULT_NS;
	const struct watching_options options = { .targets = targets,
		.asked = { .measurements = MEASURED, .sample_interval_ns = interval_ns },
		.no_files = true,
		.warn = s->asked.warn,
		.context = s->asked.context };
	struct watching *w = &s->watching;
	int r = watching_open(w, &options, &s->roots, NULL, err);

	if (r < 0)
		return r;
	watching_begin(w);
	for (;;) {
		/* What is shown is of now; where that would stop a process for long it is the latest there is. */
		w->monitor.collect.pace.now = s->taken == 0 || s->taken + 1 == s->asked.count;
		watching_tick(w);
		w->monitor.collect.pace.now = false;
		if (!hand_on(s))
			return 0;
		/* The first one may take long to begin: what is asked for is the time between two. */
		wait_until(s, s->taken == 1 ? s->before_ns + interval_ns
					    : w->start_ns + s->taken * interval_ns);
		if (s->stopped)
			return 0;
	}
}

static int take_options(
	struct snapshot *s, const struct assay_snapshot_options *options, struct error *err)
{
	struct assay_snapshot_options *o = &s->asked;

	int r = start_copy_options(o, sizeof(*o), options, options->size,
		offsetof(struct assay_snapshot_options, warn), err);

	if (r < 0)
		return r;
	if (!o->target || !o->each)
		return error_say(err, -EINVAL, "no target to read");
	if (o->interval_ns && o->interval_ns < NSEC_PER_SEC / 1000)
		return error_say(err, -ERANGE, "the interval must be at least 1 ms");
	return 0;
}

static int look(struct snapshot *s, const struct assay_snapshot_options *options, struct error *err)
{
	int r = take_options(s, options, err);

	if (r == 0)
		r = roots_open(&s->roots, "", err);
	if (r < 0)
		return r;
	r = signals_open(&s->signals, err);
	if (r == 0) {
		r = read_again_and_again(s, err);
		watching_close(&s->watching);
		signals_close(&s->signals);
	}
	roots_close(&s->roots);
	return r;
}

int assay_snapshot(const struct assay_snapshot_options *options, struct assay_error *err)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	struct error why = { 0 };
	int r = s ? look(s, options, &why) : error_set(&why, -ENOMEM, "cannot look");

	free(s);
	if (r < 0 && err) {
		err->code = r;
		snprintf(err->text, sizeof(err->text), "%s", why.text);
	}
	return r;
}
