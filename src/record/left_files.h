/* SPDX-License-Identifier: MIT */
/* Whether the files of a run are still where it put them. */
#ifndef ASSAY_RECORD_LEFT_FILES_H
#define ASSAY_RECORD_LEFT_FILES_H

struct assay_run_info;

/* To be asked after the last write: sets info_gone and series_gone. Of a run without a prefix nothing is there. */
void left_files_look(struct assay_run_info *info);

#endif
