/* SPDX-License-Identifier: MIT */
/* What the parts of the conclusion share; for src/monitor/conclude*.c only. */
#ifndef ASSAY_MONITOR_CONCLUDE_PARTS_H
#define ASSAY_MONITOR_CONCLUDE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/conclude.h"

#define MIB (UINT64_C(1) << 20)

/* Whether CPU time was lost to auto-reaping, by what evidence. */
struct verdict {
	enum reap_alarm alarm;
	struct cpu_sources cpu;
	bool unexplained; /* perf counted more than was waited for, though not more than may have been stolen */
	char why[240]; /* of the alarm */
	bool lost; /* of memory and I/O: somebody may have ended whom nobody waited for, as lost_why says */
	char lost_why[240];
	struct shortfall shortfall; /* of the rows */
};

/* Children may have been lost: seen, or nothing here could show that none were. */
static inline bool may_miss(const struct verdict *v)
{
	return v->alarm != REAP_NONE_DETECTED;
}

/* Beside an exact number of a job with children: how much could have been lost and not been noticed. Leaves a reason that is there. */
void conclude_say_unseen(const struct verdict *v, struct headline *h);

#define ONLY_US_WORDS                                                                              \
	"no other process was in the job's cgroup when the run began nor when it ended; assay's "  \
	"own share is taken off"

#define PERF_CPU_KEY "perf_cpu_seconds"
/* The cgroup's rows. */
#define CGROUP_CPU_KEY "cgroup_cpu_seconds"
#define CGROUP_USER_KEY "cgroup_cpu_user_seconds"
#define CGROUP_SYSTEM_KEY "cgroup_cpu_system_seconds"
#define CGROUP_MEMORY_KEY "cgroup_memory_current_bytes"
#define CGROUP_PEAK_KEY "cgroup_memory_peak_bytes"
#define CGROUP_TASKS_KEY "cgroup_pids_peak_count"

/* Adds a line to the headline. */
struct headline *headline_add(struct assay_run_info *info, const char *name, enum unit unit,
	uint64_t n, enum quality quality, const char *key);
/* Of bytes written to storage. The kernel counts them when pages become dirty, and beside that what it need not write after all: what is exact becomes an
 * upper bound with a lower one, a lower bound loses what was cancelled. */
void conclude_take_off_cancelled(struct headline *h, uint64_t cancelled);
/* The index of a selected row, or -1. */
int selected_row(const struct monitor *m, const char *key);
/* The run's summary of a selected row; ABSENT when it was not selected or never read. */
struct summary selected_summary(const struct monitor *m, const char *key);

struct verdict conclude_verdict(struct monitor *m, struct assay_run_info *info, bool running);
/* What each source of CPU time says; `over`: the job has ended. */
void conclude_gather(struct monitor *m, uint64_t self_cpu_ns, bool over, struct cpu_sources *s);
/* Why nothing can tell that no child was lost. */
void conclude_say_suspected(
	const struct ledger *l, const struct cpu_sources *s, char *why, size_t size);
/* Of how many that ended nothing shows that anybody waited for them. */
uint64_t conclude_unproven(const struct monitor *m, bool running);
/* Fills what is known of who was waited for; the alarm is filled already. */
void conclude_waits(const struct monitor *m, struct verdict *v, bool running);
/* After all other headlines: bounds what those that have not ended may add to. */
void conclude_ends(const struct monitor *m, struct assay_run_info *info, bool running);
void conclude_cpu(struct monitor *m, struct assay_run_info *info, const struct verdict *v);
/* network_receive_bytes and network_transmit_bytes, by the best source there is. */
void conclude_network(struct monitor *m, struct assay_run_info *info);
/* What collectors say of their readings. */
void conclude_sources(struct monitor *m, struct assay_run_info *info);
void conclude_notes_on_cpu(struct monitor *m, struct assay_run_info *info);
/* Fills what the cgroup says of CPU time; the other sources are filled already. */
void conclude_cgroup_sources(const struct monitor *m, uint64_t self_cpu_ns, struct cpu_sources *s);
void conclude_cgroup(struct monitor *m, struct assay_run_info *info, const struct cpu_sources *s);
void conclude_cgroup_notes(struct assay_run_info *info, const struct cpu_sources *s);
/* Says of perf's rung why it has less or more than the others. */
void conclude_perf_rung(const struct verdict *v, struct rung *rung);
/* What may be claimed for a rung that is the cgroup's. */
void conclude_cgroup_rung(const struct cpu_sources *s, struct rung *rung);
/* By CPU time, the largest first. */
void conclude_sort_names(struct assay_run_info *info);
/* Takes back what was concluded before. */
void conclude_begin(struct monitor *m, struct assay_run_info *info);
/* Time that no sample covers: the machine slept, or a budget left samples out. */
void conclude_note_time(const struct monitor *m, struct assay_run_info *info);
/* What of the peak was swapped out or huge pages, if any was: said beside it and on lines of their own. */
void conclude_memory_parts(
	struct assay_run_info *info, struct headline *h, const struct memory_parts *most);
void conclude_host(struct monitor *m, struct assay_run_info *info);
/* Every selected source of each quantity, the one in use among them. `v` NULL: of a target that was not started by us. */
void conclude_rungs(struct monitor *m, struct assay_run_info *info, const struct verdict *v);
/* After conclude_rungs(): the same judgement for the same number. `v` as there. */
void conclude_totals(struct monitor *m, struct assay_run_info *info, const struct verdict *v);
void conclude_devices(struct monitor *m, struct assay_run_info *info);
void conclude_memory(
	struct monitor *m, struct assay_run_info *info, const struct verdict *v, bool running);

#endif
