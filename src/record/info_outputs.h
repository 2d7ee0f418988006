/* SPDX-License-Identifier: MIT */
/* What became of the job's outputs, in info.json. For src/record only. */
#ifndef ASSAY_RECORD_INFO_OUTPUTS_H
#define ASSAY_RECORD_INFO_OUTPUTS_H

struct assay_run_info;
struct json;

/* The options that ask for it, into the object of the options. */
void info_output_options(struct json *j, const struct assay_run_info *info);
/* "outputs": one object for each file. Nothing when none is kept. */
void info_outputs(struct json *j, const struct assay_run_info *info);

#endif
