/* SPDX-License-Identifier: MIT */
/* Ties targets that are watched to the run beside which they are recorded. */
#include "api/levels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
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

int levels_open(struct session *s, struct error *err)
{
	const struct assay_run_options *o = s->options;

	if (!o->targets || !o->targets[0])
		return 0;
	const struct watching_options options = { .targets = o->targets,
		.measurements = o->measurements,
		.sample_interval_ns = o->sample_interval_ns,
		.report_interval_ns = o->report_interval_ns,
		.record_types = o->record_types,
		.clobber = o->clobber,
		.message = o->message,
		.name = o->name,
		.tags = o->tags,
		.read_cgroups = o->cgroup != ASSAY_CGROUP_NONE,
		.budget = o->budget,
		.no_files = !s->info->prefix,
		.of_run = s->info,
		.warn = o->warn,
		.context = o->context };

	s->has_levels = true;
	int r = watching_open(&s->levels, &options, &s->roots, NULL, err);
	s->levels.self_before_ns = s->self_before_ns;
	s->levels.helpers_cpu_ns = helpers_cpu_ns;
	s->levels.helpers_context = s;
	if (r < 0)
		return error_wrap(err, "--target");
	name_beside(s);
	return 0;
}

void levels_begin(struct session *s)
{
	if (!s->has_levels)
		return;
	ledger_take_file_limit(&s->levels.monitor.ledger); /* raised once the job had its own */
	watch_leave_out(s->levels.monitor.watch, s->keeper.pid);
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		watch_leave_out(s->levels.monitor.watch, s->outputs.pumps[i].pid);
	watching_begin(&s->levels);
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
