/* SPDX-License-Identifier: MIT */
/* Ties targets that are watched to the run beside which they are recorded. */
#include "api/levels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "api/start.h"
#include "base/error.h"

static uint64_t helpers_cpu_ns(void *context)
{
	struct session *s = context;

	return outputs_cpu_ns(s) + keeper_cpu_ns(&s->keeper);
}

/* The run's record names theirs, as theirs do. */
static void name_beside(struct session *s)
{
	struct watched *mine = &s->info->watched;
	char name[512];

	mine->beside = calloc(s->levels.n, sizeof(*mine->beside));
	for (size_t i = 0; mine->beside && i < s->levels.n; i++) {
		const char *prefix = s->levels.each[i].info->prefix;
		const char *slash = prefix ? strrchr(prefix, '/') : NULL;

		if (!prefix)
			continue;
		snprintf(name, sizeof(name), "%sinfo.json", slash ? slash + 1 : prefix);
		mine->beside[mine->n_beside] = strdup(name);
		mine->n_beside += mine->beside[mine->n_beside] != NULL;
	}
}

int levels_check(const struct session *s, struct error *err)
{
	const char *const *word = s->options->targets;

	for (; word && *word; word++) {
		struct target t = { .n_terms = 0 };
		int r = target_parse(*word, &t, err);

		target_done(&t);
		if (r < 0)
			return error_wrap(err, "--target");
	}
	return 0;
}

/* What keeps the command from nothing, as it keeps it from nothing that the run itself cannot be recorded for want of it. */
static bool is_want(int r)
{
	return r == -ENOMEM || r == -EMFILE || r == -ENFILE || r == -EAGAIN;
}

int levels_open(struct session *s, struct error *err)
{
	const struct assay_run_options *o = s->options;

	if (!o->targets || !o->targets[0])
		return 0;
	const struct watching_options options = { .targets = o->targets,
		.asked = start_asked(o),
		.redaction = &s->redaction,
		.read_cgroups = o->cgroup != ASSAY_CGROUP_NONE,
		.no_files = !s->info->prefix,
		.of_run = s->info,
		.warn = o->warn,
		.context = o->context };

	s->has_levels = true;
	pid_t ours[PUMP_STREAMS_MAX + 2] = { s->keeper.pid };
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		ours[i + 1] = s->outputs.pumps[i].pid;
	int r = watching_open(&s->levels, &options, &s->roots, ours, err);
	s->levels.self_before_ns = s->self_before_ns;
	s->levels.page = s->keeper.page;
	s->levels.helpers_cpu_ns = helpers_cpu_ns;
	s->levels.helpers_context = s;
	if (r < 0) {
		s->levels_refused = !is_want(r);
		return error_wrap(err, "--target");
	}
	name_beside(s);
	return 0;
}

void levels_begin(struct session *s)
{
	if (!s->has_levels)
		return;
	/* Raised once the job had its own; the two ledgers share it. */
	size_t views = s->levels.n * WATCHING_FILES_EACH;
	ledger_take_file_limit(&s->levels.monitor.ledger, views);
	size_t half = s->levels.monitor.ledger.fds_limit / 2;
	s->levels.monitor.ledger.fds_limit = half;
	if (s->monitor.ledger.fds_limit > half)
		s->monitor.ledger.fds_limit = half;
	watching_begin(&s->levels);
}

void levels_began(struct session *s)
{
	if (!s->has_levels)
		return;
	watching_begin_records(&s->levels);
	watching_tick(&s->levels);
}

uint64_t levels_due_ns(const struct session *s)
{
	return s->has_levels ? s->levels.monitor.schedule.next_tick_ns : UINT64_MAX;
}

void levels_tick(struct session *s, uint64_t now_ns)
{
	if (now_ns >= levels_due_ns(s))
		watching_tick(&s->levels);
}

void levels_checkpoint(struct session *s)
{
	if (s->has_levels)
		watching_checkpoint(&s->levels, true);
}

void levels_finish(struct session *s)
{
	if (!s->has_levels)
		return;
	watching_finish(&s->levels, "the command beside it ended", "the run's own record");
	s->info->beside = watching_take_infos(&s->levels);
}

void levels_discard(struct session *s)
{
	if (s->has_levels)
		watching_discard(&s->levels);
}

void levels_close(struct session *s)
{
	if (s->has_levels)
		watching_close(&s->levels);
	s->has_levels = false;
}
