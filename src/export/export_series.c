/* SPDX-License-Identifier: MIT */
/* Reads the windows of a run for a format. */
#include "export/export_series.h"

#include <inttypes.h>

#include "base/error.h"
#include "export/export.h"

struct series {
	struct export *x;
	struct export_run *run;
	int (*each)(struct export *x, struct export_run *run, const json_t *window);
};

static int take_window(const json_t *window, void *context)
{
	struct series *s = context;
	int r = s->each(s->x, s->run, window);

	return r < 0 ? r : export_push(s->x);
}

static void tell(struct export *x, struct export_run *run, const struct series_survey *s)
{
	uint64_t missing = series_missing_unsaid(run->stored, s);

	if (s->damaged > 0)
		export_unread(x, run,
			"%" PRIu64 " damaged line%s of the series %s left out, the first is line "
			"%" PRIu64,
			s->damaged, s->damaged == 1 ? "" : "s", s->damaged == 1 ? "is" : "are",
			s->first_damaged);
	if (missing > 0)
		export_unread(x, run, "%" PRIu64 " window%s missing in the series%s", missing,
			missing == 1 ? " is" : "s are",
			run->stored->series ? "" : ", which is not there");
	/* A recorder that goes on may be just writing it. */
	if (s->torn && run->stored->state != STORED_RUNNING)
		export_warn(x, run, "the last line of the series is not whole and is left out");
}

int export_series(struct export *x, struct export_run *run,
	int (*each)(struct export *x, struct export_run *run, const json_t *window),
	struct error *err)
{
	struct series series = { x, run, each };
	struct series_survey survey;
	int r = stored_run_windows(run->stored, take_window, &series, &survey, err);

	if (r == 0)
		tell(x, run, &survey);
	return r;
}
