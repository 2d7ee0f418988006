/* SPDX-License-Identifier: MIT */
/* A joining whose recorder was killed; for src/api/appending.c only. */
#ifndef ASSAY_API_JOINING_LOST_H
#define ASSAY_API_JOINING_LOST_H

struct earlier;
struct joined;

/* Makes the last joining of *j tell what is known of it, all as of one moment: that of its last line, or of the info file where that is later. */
void joining_lost(struct joined *j, const struct earlier *e);

#endif
