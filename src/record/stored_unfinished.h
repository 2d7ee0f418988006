/* SPDX-License-Identifier: MIT */
/* A run whose recorder did not come to its end, or has not yet: what its series tells so far. */
#ifndef ASSAY_RECORD_STORED_UNFINISHED_H
#define ASSAY_RECORD_STORED_UNFINISHED_H

struct stored_run;

/*
 * Makes the headline of such a run anew, as lower bounds: of its windows (counters as they stood in the last one, the highest of what peaks; of a long series the
 * last window alone is read) and of what the info file said when it was renewed last. Means, and what was not a bound, are left out, and so are the rungs.
 */
void stored_unfinished_headline(struct stored_run *run);

#endif
