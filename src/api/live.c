/* SPDX-License-Identifier: MIT */
/* Ties the ring of the last samples to the run. */
#include "api/live.h"

#include "api/session.h"
#include "base/macros.h"

#define KEEP_DEFAULT_NS (300 * NSEC_PER_SEC)

void live_prepare(struct session *s)
{
	const struct assay_run_options *o = s->options;
	uint64_t keep_ns = o->keep_last_ns ? o->keep_last_ns : KEEP_DEFAULT_NS;

	/* It is a part of the series. */
	if (!s->files || o->keep_nothing || s->info->no_usage)
		return;
	if (live_ring_init(&s->live, s->files, keep_ns, s->monitor.schedule.sample_interval_ns) <
		0) {
		run_info_note(s->info, "flight recorder: no memory for it");
		return;
	}
	s->info->live_keep_ns = keep_ns;
	s->monitor.samples = &s->live.sink;
}

bool live_has_begun(struct session *s)
{
	if (s->info->has_live || !s->monitor.samples || !live_ring_begun(&s->live))
		return false;
	s->info->has_live = true;
	return true;
}

void live_finish(struct session *s)
{
	if (s->monitor.samples)
		live_ring_finish(&s->live);
}

void live_tell(struct assay_run_info *info, const struct live_ring *ring)
{
	info->has_live = live_ring_begun(ring);
	info->live_ordered = ring->ordered;
	info->live_from_ns = ring->from_ns;
	info->live_samples = ring->samples;
	info->live_lost = ring->lost;
	if (ring->trouble[0])
		run_info_note(info, "flight recorder: %s", ring->trouble);
}

void live_describe(struct session *s)
{
	if (s->monitor.samples)
		live_tell(s->info, &s->live);
}

void live_close(struct session *s)
{
	if (s->monitor.samples)
		live_ring_done(&s->live);
	s->monitor.samples = NULL;
}
