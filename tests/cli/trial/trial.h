/* SPDX-License-Identifier: MIT */
/* The verb of the trial. */
#ifndef ASSAY_TESTS_TRIAL_H
#define ASSAY_TESTS_TRIAL_H

#include "cli/verb.h"

extern const struct verb verb_trial;

#endif
