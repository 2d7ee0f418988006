/* SPDX-License-Identifier: MIT */
/* Everything one run holds. For src/api only. */
#ifndef ASSAY_API_SESSION_H
#define ASSAY_API_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "api/bounds.h"
#include "api/job_cgroups.h"
#include "api/limiting.h"
#include "api/oom.h"
#include "api/outputs.h"
#include "api/watching.h"
#include "assay.h"
#include "base/redaction.h"
#include "launch/forward.h"
#include "launch/keeper.h"
#include "launch/signals.h"
#include "linux/cgroup_view.h"
#include "linux/host.h"
#include "linux/roots.h"
#include "model/run_info.h"
#include "monitor/conclude.h"
#include "monitor/loop.h"
#include "record/live_ring.h"
#include "record/run_files.h"

struct session {
	struct assay_run_options asked; /* what the caller's struct lacks is 0 */
	const struct assay_run_options *options; /* &asked */
	struct assay_run_info *info;
	struct redaction redaction;
	struct measures measures;
	bool *selected;
	struct roots roots;
	struct signals signals;
	bool signals_open;
	struct outputs outputs;
	struct keeper keeper;
	struct forward forward;
	uint32_t attended_stop; /* of the job: we stopped with it, or could not */
	uint32_t seen_stops; /* with the next: keeper_stops() when signals were last attended to */
	uint64_t seen_stopped_ns;
	uint64_t late_stopped_ns; /* stopped before the keeper could see it */
	uint64_t due_ns; /* when the last wait was to end */
	bool waits_no_longer; /* for descendants: a signal ended that */
	int connector_fd; /* the census takes it over; -1 */
	struct monitor monitor;
	struct job_cgroups cgroups;
	struct limiting limiting;
	struct oom_watch oom;
	struct bounds bounds;
	struct watching levels; /* targets beside the job; when has_levels */
	bool has_levels, levels_refused;
	struct run_files *files; /* NULL when nothing is recorded */
	struct live_ring live; /* in use when monitor.samples is not NULL */
	struct rlimit file_limit;
	bool file_limit_raised;
	uint64_t job_alive_ns; /* when a sample last found the command not to have ended */
	uint64_t start_ns;
	uint64_t
		self_before_ns; /* CPU time of this process before the run: it may have been somebody else before exec */
	uint64_t census_pause_ns, census_pause_length_ns, checkpoint_ns;
	uint64_t counted_failures;
	bool checkpoint_due;
};

/* Hands the info out: it keeps the session's table of measurements, on which its keys point. */
void session_keep_info(struct session *s, struct assay_run_info **ret_info);
/* Frees the session and its info. */
void session_discard(struct session *s);

#endif
