/* SPDX-License-Identifier: MIT */
/* Feeds bytes, as an info file and a series with "\n\n" between, to what makes requests: no amount out of nothing, no line wider than asked for, no byte that commands a terminal. */
#include "page_check.h"
#include "scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "size/size_plan.h"

#define COPIES 3

static void check_parts(const struct size_plan *plan)
{
	for (int i = 0; i < N_SIZE_RESOURCE; i++) {
		const struct size_part *part = &plan->parts[i];

		must(part->request == 0 || part->measured > 0);
		must(part->measured <= plan->n);
		must(!(part->bound.promise < 0) && !(part->bound.promise > 1));
		for (size_t k = 1; k < part->n_requests; k++)
			must(part->requests[k] > part->requests[k - 1]);
	}
}

static void size_runs(struct size_run *runs, size_t n, bool retry)
{
	struct size_options options = {
		.wish = { .target = 0.95, .at = (double) NAN }, .slowdown = 0.05, .retry = retry
	};
	struct size_plan plan;
	struct buf out = { 0 };

	must(size_plan_make(runs, n, &options, &plan) == 0);
	check_parts(&plan);
	for (size_t columns = 40; columns <= 120; columns += 80) {
		buf_clear(&out);
		size_plan_text(&plan, &options, columns, false, &out);
		page_check(&out, columns);
	}
	buf_clear(&out);
	size_plan_json(&plan, &options, &out);
	must(!out.failed && out.len > 2);
	buf_done(&out);
}

static void size_run(void)
{
	struct size_run runs[COPIES] = { 0 };
	struct stored_run run;
	struct error err = { 0 };

	if (stored_run_open(".", &run, &err) < 0)
		return;
	for (size_t i = 0; i < COPIES; i++)
		must(size_run_take(&run, &runs[i], NULL) == 0);
	size_runs(runs, 1, false);
	size_runs(runs, COPIES, true);
	for (size_t i = 0; i < COPIES; i++)
		size_run_done(&runs[i]);
	stored_run_done(&run);
}

static void feed_both(const char *bytes, size_t n)
{
	scratch_feed_both(bytes, n, size_run);
}

FEED_TO_ONE_OF(feed_both)
