/* SPDX-License-Identifier: MIT */
/* A run whose recorder did not come to its end, or has not yet: what its series tells so far. */
#ifndef ASSAY_RECORD_STORED_UNFINISHED_H
#define ASSAY_RECORD_STORED_UNFINISHED_H

struct stored_run;

/*
 * Fills the headline of such a run from its windows: counters as they stood in the last one, the highest of what peaks, each a lower bound. Of a long series
 * the last window alone is read. What cannot be read is left out.
 */
void stored_unfinished_headline(struct stored_run *run);

#endif
