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

/* What a run is asked to do. Set `size` to sizeof of the struct (ASSAY_RUN_OPTIONS_INIT does). */
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
};
#define ASSAY_RUN_OPTIONS_INIT                                                                     \
	{                                                                                          \
		sizeof(struct assay_run_options), 0, 0, 0, 0, 0, 0, 0, 0, 0                        \
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
 * ret_wait_status  the command's wait status as waitpid(2) gives it; written only when ASSAY_RUN_ENDED is returned
 * ret_info         the finished run; written only when ASSAY_RUN_ENDED is returned; free with assay_run_info_free()
 * err              filled when anything else is returned; may be NULL
 * A record that cannot be written does not fail the run: the info says so.
 * Since 0.1.0.
 */
enum assay_run_status assay_run(const struct assay_run_options *options, int *ret_wait_status,
	struct assay_run_info **ret_info, struct assay_error *err);

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

#ifdef __cplusplus
}
#endif

#endif
