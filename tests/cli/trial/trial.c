/* SPDX-License-Identifier: MIT */
/* A verb that is a program of its own, as a NAME.c of src/cli would hold it: for tests of how such a verb is started. */
#include "trial.h"

#include "base/macros.h"

static const struct option_row rows[] = {
	{ .name = "count", .letter = 'n', .argument = "N", .help = "a number" },
	{ .name = "loud", .help = "a switch" },
};

const struct verb verb_trial = {
	.name = "trial",
	.mixed = true,
	.help = "shows how it was called",
	.usage = "[options] [WORD...]",
	.text = "Is there for tests.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
};
