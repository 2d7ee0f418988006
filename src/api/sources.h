/* SPDX-License-Identifier: MIT */
/* Which measurements a run takes: selection, and what this machine provides. For src/api only. */
#ifndef ASSAY_API_SOURCES_H
#define ASSAY_API_SOURCES_H

#include <stdbool.h>

#include "collect/collect.h"
#include "model/run_info.h"

struct error;
struct roots;

/* Which collectors have a row that is selected, or tell what limits judge by. Trying the others would only cost time: some answer slowly. */
void sources_needed(
	const struct measures *m, const bool *selected, bool limits, bool needed[N_COLLECTORS_MAX]);
/* Fills one state a collector: its name and, if it is needed (NULL: all are), whether it is available, else why not. `connector_fd`: a subscription that is there
 * already, or -1. `cgroup`: where we are, NULL when that is not to be read. */
void sources_probe(const struct roots *roots, struct cgroup_view *cgroup, int connector_fd,
	const bool *needed, struct collector_state *states, size_t *ret_n);
/* The table of all rows. The total rows and their keys are made at run time; the first caller makes the table and it stays. NULL: `err` says why. */
const struct measures *all_measures(struct error *err);
/* Whether the selection takes a row of this collector. */
bool sources_wanted(const struct measures *m, const bool *selected, const char *collector);
/*
 * Resolves `text` (NULL: "default") to selected rows; marks the states selected. Fails for an unknown key, and for one that was asked for by
 * name while its source is not available. Rows that came with a preset and have no source here are taken out again.
 */
int sources_select(const struct measures *m, const char *text, struct collector_state *states,
	bool *selected, struct error *err);

#endif
