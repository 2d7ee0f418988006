/* SPDX-License-Identifier: MIT */
/* The steps before the job, in the order in which assay_run() takes them. For src/api only. */
#ifndef ASSAY_API_START_H
#define ASSAY_API_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct assay_run_info;
struct assay_run_options;
struct error;
struct session;

/* Copies a caller's options: an older one's struct is shorter, a newer one's longer one must not ask for what is not known here. `least`: as many bytes
 * as the first version had. */
int start_copy_options(
	void *to, size_t known, const void *from, size_t size, size_t least, struct error *err);
/* What every recording is asked, of a command or of what runs already; texts are borrowed, 0 and NULL stand for the default. */
struct recording_asked {
	const char *measurements, *message, *name;
	const char *const *tags;
	uint64_t sample_interval_ns, report_interval_ns;
	uint64_t budget; /* thousandths of a percent of one CPU */
	int record_types, clobber, wait_all;
};
/* What a run is asked of it. */
struct recording_asked start_asked(const struct assay_run_options *o);
/* Keeps it in the info. */
void start_note_asked(struct assay_run_info *info, const struct recording_asked *asked);
/* 0, or within what a recorder can do; else false and why. */
bool start_intervals_are_sane(uint64_t sample_ns, uint64_t report_ns, struct error *err);
/* Which rows are taken, by what this machine offers. An error is the caller's mistake, but for -ENOMEM. */
int start_resolve_measurements(struct session *s, struct error *err);
/* What the record must not have is taken out of the command's words. -EINVAL: a pattern is wrong; -ENOMEM. */
int start_redaction(struct session *s, struct error *err);
/* What is known of the run before it begins. */
void start_info(struct session *s);
/* Opens the record. A record that exists is an error; any other failure only costs the record and is told to the caller. */
int start_files(struct session *s, struct error *err);
/* Forks keeper and job, opens the sources that must be there first, lets the command go. */
int start_job(struct session *s, struct error *err);

#endif
