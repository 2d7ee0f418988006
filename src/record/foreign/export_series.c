/* SPDX-License-Identifier: MIT */
/* Reads the windows of a run for a format. */
#include "record/foreign/export_series.h"

#include <inttypes.h>

#include "base/error.h"
#include "record/foreign/export.h"

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

int export_series(struct export *x, struct export_run *run,
	int (*each)(struct export *x, struct export_run *run, const json_t *window),
	struct error *err)
{
	struct series series = { x, run, each };
	struct series_survey survey;
	int r = stored_run_windows(run->stored, take_window, &series, &survey, err);

	if (r == 0 && survey.damaged > 0)
		export_warn(x, run,
			"%" PRIu64 " damaged lines of the series are left out, the first is line "
			"%" PRIu64,
			survey.damaged, survey.first_damaged);
	return r;
}
