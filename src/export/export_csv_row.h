/* SPDX-License-Identifier: MIT */
/* What both tables begin their lines with. */
#ifndef ASSAY_EXPORT_EXPORT_CSV_ROW_H
#define ASSAY_EXPORT_EXPORT_CSV_ROW_H

#include <jansson.h>

struct buf;
struct export_run;

#define CSV_WINDOW_COLUMNS "run,time,start_seconds,end_seconds"
#define CSV_SUBJECT_COLUMNS "subject_kind,subject,name,name_hex"
#define CSV_END                                                                                    \
	"\n" /* RFC 4180 has CR LF, of which the CR stays in the last cell for cut(1), awk(1) and whatever else reads lines */

/* Those columns, with a comma behind each; subject NULL: the run. */
void csv_add_window(struct buf *out, const struct export_run *run, const json_t *window);
void csv_add_subject(struct buf *out, const json_t *subject);

#endif
