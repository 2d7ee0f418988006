/* SPDX-License-Identifier: MIT */
/*
 * libassay: measures what a job truly uses and says how it knows.
 *
 * Thread rule: one thread at a time. assay_run() forks, changes the signal mask and reaps children of the calling process while it
 * runs, and restores the mask before it returns; a process that has children of its own must not call it.
 */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_VERSION "0.1.0"

/* The version of the library at run time, "0.1.0". A literal. Since 0.1.0. */
const char *assay_version(void);

/* An error in words: what failed, on which object, what would help. */
struct assay_error {
	int code; /* negative errno */
	char text[512];
};

/* The job's outputs, as bits. */
#define ASSAY_STDOUT 1
#define ASSAY_STDERR 2

/* How outputs are kept. */
enum assay_capture_way {
	ASSAY_CAPTURE_PIPES = 0, /* a pipe each: two files, PREFIXstdout and PREFIXstderr */
	ASSAY_CAPTURE_COMBINED, /* one pipe for both: one file, PREFIXstdout, in the order in which it was written */
	ASSAY_CAPTURE_PTY /* a terminal of the job's own for both: one file, PREFIXstdout */
};

/* What is done with cgroups. */
enum assay_cgroup_way {
	ASSAY_CGROUP_AUTO = 0, /* those the job is in are read */
	ASSAY_CGROUP_OWN, /* the job gets cgroups of its own, which are removed after it; refused where that may not be done */
	ASSAY_CGROUP_NONE /* none is read */
};

/* The files of a run, as bits. */
#define ASSAY_RECORD_INFO 1
#define ASSAY_RECORD_USAGE 2

/* What a run is asked to do. Set `size` to sizeof of the struct (ASSAY_RUN_OPTIONS_INIT does); 0 and NULL stand for the default
 * everywhere. A program built against an older header has a smaller struct: what it lacks is taken as 0. */
struct assay_run_options {
	size_t size;
	char *const *argv; /* the command, NULL-terminated; borrowed during the call */
	const char *
		output_prefix; /* with {datetime} and {pid}; NULL: ".assay/runs/{datetime}-{pid}/" */
	const char *measurements; /* keys, globs, presets; NULL: "default" */
	uint64_t sample_interval_ns; /* 0: 1 s, shorter in the first second */
	uint64_t report_interval_ns; /* 0: widens with the age of the run */
	int wait_all; /* record until the last descendant has ended */
	int release_stdio; /* give up the caller's own stdin, stdout and inherited descriptors once the job
			      has them, so that who reads the job's output sees its end */
	/* Called with one line (no newline) that a person should see while the job runs; may be NULL. */
	void (*warn)(const char *line, void *context);
	void *context;

	/* what the job prints */
	int capture; /* bits: outputs kept in files beside the record */
	int capture_way; /* enum assay_capture_way */
	int withheld; /* bits: outputs that do not reach the caller's own */
	int timestamps; /* beside each kept file one with the time of each line */

	/* the record */
	int record_types; /* bits: which files are written; 0: all */
	int clobber; /* a record that is there already is replaced */
	uint64_t fail_time_ns; /* a command that fails sooner than this leaves no files */
	int fail_always; /* ... however late it fails */
	const char *message, *name; /* stored as they are */
	const char *const *tags; /* "key=value" each, NULL-terminated */
	uint64_t
		keep_last_ns; /* how much of the last moments is kept at full resolution; 0: 5 min */
	int keep_nothing; /* no such ring at all */

	/* the job */
	int new_session; /* setsid(2) for the job; what is sent to our process group is passed on to its */
	const char *limits; /* "wall=2h, cpu=10h, memory=8G, processes=500, output=1G" */
	uint64_t limit_grace_ns; /* between the soft signal and SIGKILL; 0: 10 s */

	int cgroup; /* enum assay_cgroup_way */

	/* what else is recorded beside the job: "user", "slurm", "system" ... as for assay_attach(); NULL-terminated, or NULL */
	const char *const *targets;
	/* how much of one CPU the recorder may use, in thousandths of a percent; 0: no more than its default share goes into PSS */
	uint64_t budget;
	/* Called with context once the command has started; prefix: of the files, NULL where none can be written. May be NULL. */
	void (*begun)(const char *prefix, void *context);
	/* output_prefix is nobody's choice: as with NULL, files that are there never refuse a run, a number behind the prefix tells it apart; and a place that
	 * somebody else could have made is not used */
	int usual_prefix;
	/* What is replaced by "[redacted]" in the command's arguments and in the command lines of processes before they are recorded: extended regular
	 * expressions, NULL-terminated, or NULL. Besides them the usual secrets are ("--password=...", "API_TOKEN=...", "://user:password@"), unless
	 * the word "no" is among them. The command itself has its true arguments. */
	const char *const *redact;
};
#define ASSAY_RUN_OPTIONS_INIT                                                                     \
	{                                                                                          \
		sizeof(struct assay_run_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                \
	}

/* A finished run in memory: opaque; what info.json holds. */
struct assay_run_info;

enum assay_run_status {
	ASSAY_RUN_ENDED = 0, /* the job ran; its end is in *ret_wait_status */
	ASSAY_RUN_NOT_STARTED, /* the command could not be executed; the errno is in err->code */
	ASSAY_RUN_BAD_OPTION, /* an option is wrong: nothing was started, nothing written */
	ASSAY_RUN_FAILED /* our own failure before the job started */
};

/*
 * Runs a command and records what its whole process tree uses.
 * A limit that was hit is in *ret_info: assay_run_limit_hit().
 * ret_wait_status  the command's wait status as waitpid(2) gives it; written only when ASSAY_RUN_ENDED is returned
 * ret_info         the finished run; written only when ASSAY_RUN_ENDED is returned; free with assay_run_info_free()
 * err              filled when anything else is returned; may be NULL
 * A record that cannot be written does not fail the run: the info says so.
 * Since 0.1.0.
 */
enum assay_run_status assay_run(const struct assay_run_options *options, int *ret_wait_status,
	struct assay_run_info **ret_info, struct assay_error *err);

/* What a recording of something that runs already is asked to do. `size` as in assay_run_options; 0 and NULL stand for the default. */
struct assay_attach_options {
	size_t size;
	/*
	 * What is measured, NULL-terminated: "1234" or "tree:1234" (a process and its descendants), "session[:SID]", "group[:PGID]",
	 * "user[:NAME|UID]", "slurm[:JOB[.STEP]]", "cgroup[:PATH]", "container:NAME", "pids:1,2", "name:COMM", "match:REGEX", "system". What is left out is
	 * the caller's own; conditions joined by '+' have all to hold.
	 */
	const char *const *targets;
	const char *output_prefix, *measurements;
	uint64_t sample_interval_ns, report_interval_ns;
	uint64_t for_ns; /* 0: until the first target ends, or a signal */
	int wait_all; /* of a tree: until the last descendant has ended */
	int append; /* continues the record that is there */
	int record_types, clobber; /* as for a run */
	const char *message, *name;
	const char *const *tags;
	int cgroup; /* ASSAY_CGROUP_AUTO or ASSAY_CGROUP_NONE */
	uint64_t budget; /* as for a run */
	void (*warn)(const char *line, void *context);
	void *context;
	const char *const *redact; /* as for a run */
};
#define ASSAY_ATTACH_OPTIONS_INIT                                                                  \
	{                                                                                          \
		sizeof(struct assay_attach_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
			0, 0, 0                                                                    \
	}

/*
 * Records what runs already, until the first target ends, the time is over, or SIGINT, SIGTERM or SIGHUP: in each case the record is complete and
 * ASSAY_RUN_ENDED is returned. The first target's info is in *ret_info; those of further ones follow it: assay_run_beside(). ASSAY_RUN_BAD_OPTION: nothing
 * was written; err says what is wrong, a target that is not there too. Since 0.1.0.
 */
enum assay_run_status assay_attach(const struct assay_attach_options *options,
	struct assay_run_info **ret_info, struct assay_error *err);

/* The info of target number `index` (from 1; 0 is the run itself), or NULL past the last. It lives as long as `info`. Since 0.1.0. */
const struct assay_run_info *assay_run_beside(const struct assay_run_info *info, size_t index);

/* One value of a reading. */
struct assay_value {
	uint64_t n; /* in base units: bytes, counts, thousandths of a percent */
	const char *quality; /* "exact", "sampled", ...; NULL: it was not measured */
	uint64_t unreadable; /* processes that are not in it */
	const char *why; /* the errno name most of them gave, "EACCES"; "" when there are none */
};

/* One reading of a target. Strings live during the call. */
struct assay_reading {
	uint64_t realtime_ns; /* UTC */
	uint64_t interval_ns; /* since the reading before, as measured; 0: it is the first */
	const char *kind, *text, *people; /* of the target: "group", "group:1234", for people */
	long pgid; /* of a process group; else 0 */
	struct assay_value processes;
	struct assay_value
		cpu_percent; /* thousandths of a percent; 100 % = one core. Not on the first */
	struct assay_value rss, pss, private_memory; /* bytes */
	struct assay_value disk_read,
		disk_write; /* bytes since the members were born, the ended included */
	struct assay_value disk_read_since, disk_write_since; /* bytes since the reading before */
	struct assay_value net_receive,
		net_transmit; /* bytes of the network namespace without loopback */
	struct assay_value net_receive_since, net_transmit_since;
	int last; /* the target has ended */
};

/* What readings are asked for. `size` as in assay_run_options. */
struct assay_snapshot_options {
	size_t size;
	const char *target; /* as one of assay_attach_options.targets */
	uint64_t interval_ns; /* between two readings; 0: 1 s */
	uint64_t count; /* readings, the first one too; 0: until the target ends */
	/* Called with each reading; returns 0, or anything else to end it. */
	int (*each)(const struct assay_reading *reading, void *context);
	void (*warn)(const char *line, void *context);
	void *context;
};
#define ASSAY_SNAPSHOT_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct assay_snapshot_options), 0, 0, 0, 0, 0, 0                            \
	}

/* Reads a target once or again and again; writes nothing. Ends with the target, after `count` readings, when `each` says so, or by SIGINT, SIGTERM or
 * SIGHUP. 0, or a negative errno with err: -EINVAL, -ESRCH ... as assay_attach()'s bad options. Since 0.1.0. */
int assay_snapshot(const struct assay_snapshot_options *options, struct assay_error *err);

/* Whether one of the limits ended the run. Since 0.1.0. */
int assay_run_limit_hit(const struct assay_run_info *info);

/*
 * What ended the command: "exited", "signal", "oom_kill" (the kernel's OOM killer), "limit" (one of the options'), or "unknown", also of a target that
 * was not started by us. A literal, as outcome.cause of the record: man 5 assay-run. Since 0.1.0.
 */
const char *assay_run_cause(const struct assay_run_info *info);
/* Which limit ended the command: "wall", "cpu", "memory", "processes", "output"; of an OOM kill "memory" where a cgroup has that limit. A literal, or
 * NULL: none, or it is not known which. Since 0.1.0. */
const char *assay_run_limit_name(const struct assay_run_info *info);

/* Whether the files of the run were taken back because the command failed within its fail time. Since 0.1.0. */
int assay_run_discarded(const struct assay_run_info *info);

/* Frees what assay_run() gave; NULL is fine. Since 0.1.0. */
void assay_run_info_free(struct assay_run_info *info);

/* One declared measurement. All strings are literals; `otel` and `quantity` may be NULL. */
struct assay_measurement {
	const char *key, *help, *origin, *otel, *quantity, *collector;
	const char *kind, *unit, *scope, *cost, *quality;
	char reduces[64]; /* "max,mean,last" */
	int rank, on, minimal;
};

/* Fills *ret with measurement number `index` (from 0). 1 when there is one, 0 past the end, negative errno. Since 0.1.0. */
int assay_measurement_at(size_t index, struct assay_measurement *ret);

/* One rung of a ladder on this machine, for this user. */
struct assay_rung {
	const char *quantity, *key, *collector, *quality;
	int rank, available, in_use;
	char why[512]; /* when not available: why, and what would help; else what may be claimed */
};

/* Probes every source now and calls `each` for each rung, by quantity and rank. 0, or negative errno. Since 0.1.0. */
int assay_doctor(void (*each)(const struct assay_rung *rung, void *context), void *context,
	struct assay_error *err);

/* Something that bounds what a process may use. Texts are valid during the call; `note` may be "". */
struct assay_bound {
	const char *name, *unit; /* "memory" "bytes", "cpu" "cores", "processes" "count" ... */
	uint64_t limit; /* in that unit; cores in thousandths, seconds in nanoseconds */
	int unlimited; /* there is no such limit as far as can be seen: `note` says why that is uncertain */
	int tightest; /* of this name: the one that binds */
	const char *source,
		*where; /* "cgroup" and the file, "RLIMIT_AS", "slurm" and the variable ... */
	const char *note;
	const char *text; /* the limit for people: "4 GiB" */
};

/* Calls `each` for each bound of the process `pid` (0: the calling one) in the tree under `root` (NULL: the live machine). 0, or negative errno.
 * Since 0.1.0. */
int assay_bounds(const char *root, long pid,
	void (*each)(const struct assay_bound *bound, void *context), void *context,
	struct assay_error *err);

/* One field of a finding. `unit`: "bytes", "seconds", "count" ...: `text` is a number in decimal; "": one without a unit; "bool": true or
 * false; NULL: text. */
struct assay_finding_field {
	const char *name, *text, *unit;
};
#define ASSAY_FINDING_FIELDS_MAX 10

/* What was found about one thing: the process looked at, one controller's cgroup, a limit, a reading. Strings live during the call. */
struct assay_finding {
	const char
		*section; /* "process", "cgroups", "limits", "readings"; each comes in one piece */
	const char *name; /* the controller, the limit, the measurement's key */
	struct assay_finding_field fields[ASSAY_FINDING_FIELDS_MAX];
	int n_fields;
};

/* What to look at. Set `size` as in assay_run_options. */
struct assay_look_options {
	size_t size;
	const char *root; /* a recorded tree, with "proc" and "sys" in it; NULL: this machine */
	int pid; /* whose cgroups and limits; 0: the caller, or the process the tree was recorded of */
	/* either may be NULL */
	void (*rung)(const struct assay_rung *rung, void *context);
	void (*finding)(const struct assay_finding *finding, void *context);
	void *context;
};
#define ASSAY_LOOK_OPTIONS_INIT                                                                    \
	{                                                                                          \
		sizeof(struct assay_look_options), 0, 0, 0, 0, 0                                   \
	}

/*
 * Looks once at this machine or a recorded one: where the process's cgroups are, what bounds it, what each source that counts without a job
 * reads now, and, as assay_doctor(), the rungs of each quantity. Findings come first. In a recorded tree, what only a system call tells is not
 * available. -ESRCH: there is no such process. 0, or negative errno. Since 0.1.0.
 */
int assay_look(const struct assay_look_options *options, struct assay_error *err);

#ifdef __cplusplus
}
#endif

#endif
