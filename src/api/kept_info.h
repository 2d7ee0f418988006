/* SPDX-License-Identifier: MIT */
/* What a caller keeps of a run: the info, and the table its keys point into. For src/api only. */
#ifndef ASSAY_API_KEPT_INFO_H
#define ASSAY_API_KEPT_INFO_H

#include <stdbool.h>

#include "model/measure.h"
#include "model/run_info.h"

/* The info is the first member, so that its address is the owner's. */
struct kept_info {
	struct assay_run_info info;
	struct measures measures; /* all zero: another one's, which is freed later */
	bool *selected; /* NULL likewise */
};

#endif
