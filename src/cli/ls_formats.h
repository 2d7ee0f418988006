/* SPDX-License-Identifier: MIT */
/* The forms that a list of runs is written in. */
#ifndef ASSAY_CLI_LS_FORMATS_H
#define ASSAY_CLI_LS_FORMATS_H

enum ls_format { LS_TABLE, LS_JSON, LS_JSONL, LS_CSV, LS_YAML };

#endif
