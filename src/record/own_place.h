/* SPDX-License-Identifier: MIT */
/* Where a run is recorded when nobody chose the place: never refused, never in what somebody else could have laid there. */
#ifndef ASSAY_RECORD_OWN_PLACE_H
#define ASSAY_RECORD_OWN_PLACE_H

#include <stdint.h>

#include "base/error.h"
#include "record/run_files.h"

struct own_place {
	const char *format; /* of the prefix */
	uint64_t realtime_ns;
	long pid;
	/* What was found goes there. The texts are on the heap or NULL, and are replaced. */
	struct run_files **files;
	char **prefix;
	char **id; /* the time and the process id, and what was put behind the prefix as well */
	struct error
		moved; /* why it is another place than that of the format, in one line; "" where it is not */
};

/*
 * Opens the files of a run under the prefix that the format makes, or, where a run of that time and process id is there already (of another
 * container or node), with -2, -3 ... behind it. Where somebody else could have made what leads there, the files are made below
 * ${XDG_STATE_HOME:-~/.local/state}/assay/runs/. Never -EEXIST.
 */
int own_place_open(
	struct own_place *place, const struct run_files_options *options, struct error *err);

#endif
