/* SPDX-License-Identifier: MIT */
/* What info.json says of a run, in memory: filled by api, written by record, printed by report.
 * Strings are owned by the struct (heap) unless said otherwise; text fields that hold names or arguments hold raw bytes. */
#ifndef ASSAY_MODEL_RUN_INFO_H
#define ASSAY_MODEL_RUN_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/measure.h"
#include "model/outcome.h"
#include "model/segment.h"
#include "model/window.h"

#define RUN_SCHEMA "assay-run"
#define USAGE_SCHEMA "assay-usage"
#define LIVE_SCHEMA "assay-live"
#define RUN_VERSION                                                                                \
	"1.1" /* of info.json; 1.0 had some facts in words alone, see record/old_words.h */
#define SCHEMA_VERSION "1.0" /* of the other two */

enum run_state { RUN_RUNNING, RUN_DONE };

/* A static fact of the run: {"section": {"key": value}} or {"section": {"group": {"key": value}}}. */
struct fact {
	const char *
		section; /* "host", "user", "limits", "cgroups", "scheduler", "slurm", "affinity": a literal */
	char *group; /* owned, or NULL */
	char *key; /* owned */
	char *text; /* owned; NULL when it is a number */
	uint64_t number;
};

/* One quantity of the headline. Values are in base units as in struct value. */
struct headline {
	const char *name; /* "cpu_seconds"; a literal, its last word names the unit as in keys */
	uint8_t unit; /* enum unit; for cpu_mean_cores and cpu_peak_cores: thousandths of a core with unit UNITLESS */
	struct value value;
	const char *key; /* the measurement it came from; borrowed from the rows */
	bool has_lower, has_upper;
	uint64_t lower, upper;
	uint64_t
		unmapped_shared_bytes; /* of memory_peak_bytes; 0: too little to be told from noise */
	char why[320]; /* "" or what limits the claim, in words */
};
#define N_HEADLINE_MAX 24

/* One source of a quantity beside the others. */
struct rung {
	const char *quantity, *key;
	struct value value; /* the total of the run, or absent with why */
	uint8_t unit;
	bool in_use;
	char why[320]; /* why it is not in use, or what its bound is */
};
#define N_RUNGS_MAX 96

struct collector_state {
	const char *name;
	bool probed; /* else nobody asked for it, and nothing is known of it */
	bool available;
	bool selected;
	char why[240]; /* when not available: why, and what would help */
	uint64_t cost_ns; /* time spent in its reads */
	uint64_t reads, failures;
};
#define N_COLLECTORS_MAX 32

/* What the target may use of something, from everything that bounds it; shown beside what it used. */
struct target_limit {
	const char *name; /* "memory", "cpu", "processes", "swap"; a literal */
	uint8_t unit; /* BYTES, COUNT; UNITLESS: cores in thousandths */
	uint64_t limit; /* UINT64_MAX: not limited by this */
	char source
		[48]; /* "cgroup", "RLIMIT_AS", "host", "slurm", "affinity", "cpuset": what kind of bound */
	char where[200]; /* the file or variable: ".../memory.max", "SLURM_MEM_PER_NODE" */
	bool tightest; /* of this name: the one that binds */
	bool has_hits;
	uint64_t
		hits; /* how often it was hit during the run; of a CPU quota: periods that were throttled */
	uint64_t periods,
		throttled_ns; /* of a CPU quota: of so many, for so long; 0: none passed */
	char note[160]; /* what limits the claim, or "" */
};
#define N_TARGET_LIMITS_MAX 32

/* How the CPUs of the machine were shared meanwhile. Times are sums over its processors. */
struct host_share {
	bool known;
	const char *
		view; /* whose /proc/stat it was: "machine", "container" (lxcfs), "recorded"; a literal */
	unsigned cores; /* online */
	uint64_t elapsed_ns;
	uint64_t busy_ns; /* whoever used it */
	uint64_t job_ns, self_ns;
	uint64_t others_ns; /* the rest */
	uint64_t error_ns; /* how far off it may be, by the size of a tick */
	uint8_t job_quality, quality; /* of job_ns, of others_ns */
	bool has_steal, has_iowait, has_idle;
	uint64_t steal_ns, iowait_ns, idle_ns;
	char why[240];
};

/* What processes of one name used. */
struct name_usage {
	char name[64]; /* raw bytes */
	uint64_t processes; /* seen with this name at their last sample, or at their end */
	uint64_t
		cpu_ns; /* sum of their last seen CPU clocks (exact finals where the keeper reaped them) */
	uint64_t peak_rss_bytes; /* of the largest */
};

/* One row of one device over the whole run. */
struct device_total {
	const char *kind; /* a literal */
	char name[64]; /* raw bytes */
	size_t row;
	struct summary total;
};

struct survivor {
	pid_t pid;
	char name[64];
};
#define N_SURVIVORS_MAX 32

/* One of the job's outputs that was kept in a file. */
struct output {
	const char *name; /* "stdout", "stderr": how the file's name ends; a literal */
	bool times; /* with a file of the times of its lines beside it */
	uint64_t bytes; /* in the file */
	uint64_t lost_bytes; /* that the file could not take */
	bool open; /* a process that lives on still holds it: the file may grow */
	bool reader_gone; /* who read our own output closed it, so the job's was closed as well */
	char error[120]; /* the latest trouble in writing the file, "" when none */
};
#define N_OUTPUTS_MAX 2

/* The limit that ended the run. */
struct limit_hit {
	const char *
		name; /* "wall", "cpu", "memory", "processes", "output"; a literal; NULL: none was hit */
	uint8_t unit; /* enum unit, of both numbers */
	uint64_t limit, value; /* what was allowed, and what was there when it was judged */
	const char *key; /* the measurement it was judged by; a literal */
	uint64_t after_ns; /* since the start of the run */
	int soft_signal; /* sent to the whole target first */
	bool killed; /* the grace passed and SIGKILL was needed */
	bool emptied; /* nothing of the target was left, verified */
	char way[80]; /* how the target was killed: "cgroup.kill", "one by one" */
};

/* The run in which this one ran, told by the environment. */
struct parent_run {
	char *id; /* owned; NULL: none */
	char *prefix; /* owned, absolute, raw bytes; NULL when that run records nothing */
};

/* What became of the record that was to be replaced, where the new one could not be written whole. */
enum old_record { OLD_RECORD_NONE, OLD_RECORD_PUT_BACK, OLD_RECORD_KEPT };

/* A target that was not started by us: who was in it, and what they had used before. */
struct watched {
	const char *kind; /* "tree", "user" ...; a literal; NULL: the run is of a command */
	char *text, *people; /* owned */
	pid_t first_pid; /* 0: it has none */
	uint64_t first_start_ticks; /* with the pid, that process */
	uint64_t at_start, seen, ended, left, living;
	uint64_t io_unreadable, smaps_unreadable; /* living ones whose files are closed to us */
	bool io_readable;
	uint64_t own_left_out; /* processes of assay itself */
	uint64_t hidden; /* of the machine: they live, and /proc does not show them */
	uint64_t before_cpu_ns, before_read_bytes, before_write_bytes;
	char **beside; /* owned: the files of the other targets of this run, by their last name */
	size_t n_beside;
	uint64_t for_ns; /* how long it was to be watched; 0: until its end */
};

/* What was kept out of the record. */
struct redacted {
	bool usual; /* was looked for */
	uint64_t patterns; /* of the user */
	uint64_t arguments, command_lines; /* in which something was replaced */
};

struct assay_run_info {
	struct watched watched;
	struct joined joined; /* when it continues a record */
	struct assay_run_info *
		beside; /* of the next target of the same run, or NULL; owned by whoever gave this one out */
	char *id; /* "2026.11.27T20.52.26-1234" */
	enum run_state state;
	char *prefix; /* expanded; NULL when nothing is recorded */
	bool prefix_is_usual; /* and nobody's choice */
	char *program_version;

	int argc;
	char *const *argv; /* raw bytes, as they are kept: argv_redacted */
	char **argv_redacted; /* owned, in one piece */
	struct redacted redacted;
	char *working_directory; /* NULL when it cannot be told */
	int working_directory_errno;

	uint64_t started_realtime_ns, ended_realtime_ns; /* 0 while running */
	uint64_t started_boottime_ns; /* CLOCK_BOOTTIME; 0: not known */
	char utc_offset[8];
	uint64_t wall_ns; /* monotonic, job start to job end */
	uint64_t suspended_ns; /* the machine slept this long meanwhile */

	pid_t monitor_pid, keeper_pid, job_pid;
	uint64_t
		monitor_start_ticks; /* with the pid and boot id: how a reader tells whether it still runs */
	char boot_id[40];

	struct fact *facts;
	size_t n_facts;

	/* selection */
	char *measurements_option; /* as asked, or "default" */
	const struct measures *measures;
	const bool *selected;
	struct collector_state collectors[N_COLLECTORS_MAX];
	size_t n_collectors;
	uint64_t sample_interval_ns, report_interval_ns; /* 0: adaptive */
	bool wait_all;
	bool new_session, clobber, no_info, no_usage;
	uint64_t fail_time_ns;
	bool fail_always;
	char *limits_option; /* as asked, or NULL */
	uint64_t limit_grace_ns;
	char *limit_cgroup; /* the directory made for the job, so that it can be killed as a whole; NULL: none; raw bytes */
	char *message, *name; /* raw bytes; NULL: none */
	char **tags; /* "key=value" each */
	size_t n_tags;
	struct parent_run parent;

	struct output outputs[N_OUTPUTS_MAX];
	size_t n_outputs;
	const char *capture_way; /* "pipes", "combined", "pty"; NULL: nothing is kept */
	const char *capture_option,
		*outputs_option; /* the words that ask for it: "all", "none", ...; literals */
	bool timestamps;
	bool has_live; /* PREFIXlive is there */
	bool live_ordered; /* it was written anew at the end: plain lines in order of time */
	uint64_t live_keep_ns; /* how much of the last moments was to be kept */
	uint64_t live_from_ns; /* since the start of the run: what it holds begins here */
	uint64_t live_samples; /* in it, once the run is done */
	uint64_t live_lost; /* that could not be written */
	struct limit_hit limit_hit;
	const char *cgroup_option; /* "auto", "own", "none"; a literal */
	char **own_cgroups; /* the directories made for the job; raw bytes */
	size_t n_own_cgroups;
	struct target_limit target_limits[N_TARGET_LIMITS_MAX];
	size_t n_target_limits;
	bool wall_late; /* the end was seen late: wall_ns is the most it can have been, this the least */
	uint64_t wall_least_ns;
	uint64_t stopped_ns; /* the job was stopped this long (SIGSTOP, Ctrl-Z) */
	uint32_t stops;
	bool discarded; /* the files were taken back: the command failed within its fail time */

	struct outcome outcome;
	struct headline headline[N_HEADLINE_MAX];
	size_t n_headline;
	struct rung rungs[N_RUNGS_MAX];
	size_t n_rungs;
	struct summary *
		run_totals; /* per row: SINGLE and total rows over the whole run; NULL before the end */

	struct device_total *devices; /* those of one device stand together */
	size_t n_devices;
	struct host_share host_share;
	/* processes */
	uint64_t processes_seen; /* named by a sample */
	uint64_t
		processes_named_by_events; /* never sampled, named by the kernel's record of their end */
	uint64_t processes_too_short; /* counted, never named */
	/* the final info.json could not be written: what stands there is of an earlier moment, or nothing */
	bool info_lost;
	bool info_stands; /* some version of it was written */
	bool info_gone, series_gone; /* in the end it was not at the prefix */
	enum old_record old_record;
	bool processes_counted; /* the census was complete */
	uint64_t too_short_cpu_ns; /* CPU of the total that no named process holds */
	struct name_usage *names; /* by CPU, descending */
	size_t n_names;
	struct survivor survivors[N_SURVIVORS_MAX];
	size_t n_survivors, n_survivors_total;

	/* own cost */
	uint64_t self_cpu_ns, self_memory_peak_bytes, ticks, missed_ticks, windows;
	uint64_t budget; /* thousandths of a percent of one CPU; 0: none was set */
	uint64_t ticks_left_out, readings_skipped; /* to keep within it */
	uint64_t records_written, records_lost; /* windows that could not be written */
	uint64_t write_failures;
	char info_error
		[240]; /* why info.json could not be written when that was tried last, "" when it could */
	char write_error[240]; /* the latest, "" when none */

	/* what a reader must know: alarms, gaps, denied processes; one sentence each */
	char **notes;
	size_t n_notes;
	size_t note_of_no_record; /* the number of the one that says why there is no record, from 1; 0: none does */
};

/* Adds a sentence once (the same text twice is kept once). Out of memory it is dropped. */
void run_info_note(struct assay_run_info *info, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a fact; `text` NULL makes it a number. Copies. */
void run_info_fact(struct assay_run_info *info, const char *section, const char *group,
	const char *key, const char *text, uint64_t number);
/* A process lives on: counted, and named as long as there is room. */
void run_info_survivor(struct assay_run_info *info, pid_t pid, const char *name);
/* Nothing can be recorded: why, and there are no files. */
void run_info_no_record(struct assay_run_info *info, const char *why);
/* The headline of that name, or NULL. */
const struct headline *run_info_headline(const struct assay_run_info *info, const char *name);
/* Enough of the record is on disk for the one it replaces to go: the summary, or without one every window. */
bool run_info_is_whole(const struct assay_run_info *info);
void run_info_done(struct assay_run_info *info);

#endif
