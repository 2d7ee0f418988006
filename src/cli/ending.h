/* SPDX-License-Identifier: MIT */
/* What is said when a recording is over, or was refused. */
#ifndef ASSAY_CLI_ENDING_H
#define ASSAY_CLI_ENDING_H

#include <stdbool.h>

struct assay_run_info;
struct option_values;
struct verb;

/* The option "colors" is asked first; then https://no-color.org and CLICOLOR_FORCE; then the terminal. */
bool ending_wants_color(const struct verb *verb, const struct option_values *values);
/* The same for a page that goes to that descriptor; the other is for the summary, on standard error. */
bool ending_wants_color_on(const struct verb *verb, const struct option_values *values, int fd);
/* Prints the summary to stderr, by the template `format` unless it is NULL. */
void ending_summary(const struct assay_run_info *info, const char *format, bool color);
/* Prints those of the targets that were recorded beside it. */
void ending_summaries_beside(const struct assay_run_info *info, bool color);
/* Prints why the library refused an option, and where options came from that are not on the command line: the library does not know, and one from
 * elsewhere is hard to find. Returns EXIT_USAGE. */
int ending_bad_option(
	const struct verb *verb, const struct option_values *values, const char *failure);
/* stty(1) tostop: what we say at the end must not stop us when the job's part is over; with the signal blocked the write goes through. */
void ending_from_background(void);

#endif
