/* SPDX-License-Identifier: MIT */
/* The summary in the user's own words: text with fields in braces, {name}, {name:spec}, {name!conversion}, {name:spec!conversion}. */
#ifndef ASSAY_SHOW_TEMPLATE_H
#define ASSAY_SHOW_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

struct assay_run_info;
struct buf;
struct error;

/* What con-duct's users are used to see, line by line. */
#define TEMPLATE_DUCT                                                                              \
	"Summary:\n"                                                                               \
	"Exit Code: {exit_code!E}\n"                                                               \
	"Command: {command}\n"                                                                     \
	"Log files location: {logs_prefix}\n"                                                      \
	"Wall Clock Time: {wall_clock_time:.3f} sec\n"                                             \
	"Memory Peak Usage (RSS): {peak_rss!S}\n"                                                  \
	"Memory Average Usage (RSS): {average_rss!S}\n"                                            \
	"Virtual Memory Peak Usage (VSZ): {peak_vsz!S}\n"                                          \
	"Virtual Memory Average Usage (VSZ): {average_vsz!S}\n"                                    \
	"Memory Peak Percentage: {peak_pmem:.2f!N}%\n"                                             \
	"Memory Average Percentage: {average_pmem:.2f!N}%\n"                                       \
	"CPU Peak Usage: {peak_pcpu:.2f!N}%\n"                                                     \
	"Average CPU Usage: {average_pcpu:.2f!N}%\n"

/* Gives the key and the reduces ("max,mean,last") of measurement `index`; false past the end. What it gives holds until the next call. */
typedef bool template_measurement(size_t index, const char **ret_key, const char **ret_reduces);

/* -EINVAL and a line for a brace that is not closed, an unknown name or an unknown conversion. `measurement` lists the rows whose
 * statistics may be named ("proc_peak_rss_total_bytes"). */
int template_check(const char *text, template_measurement *measurement, struct error *err);

/*
 * Adds the filled-in text. A value that nobody measured is "-". A spec that does not suit its value is left out and told to `warn` (may
 * be NULL), once a field.
 */
void template_fill(const char *text, const struct assay_run_info *info, bool color,
	void (*warn)(const char *line), struct buf *out);

#endif
