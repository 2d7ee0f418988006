/* SPDX-License-Identifier: MIT */
/* The flight recorder of a run: when there is one, and what the record says of it. */
#ifndef ASSAY_API_LIVE_H
#define ASSAY_API_LIVE_H

#include <stdbool.h>

struct assay_run_info;
struct live_ring;
struct session;

/* Makes the last moments be kept, if that was asked for; their file is made when the series alone becomes too coarse for them. */
void live_prepare(struct session *s);
/* Once, when that file has come to be: the record on disk should name it. */
bool live_has_begun(struct session *s);
/* After the last sample. */
void live_finish(struct session *s);
/* Puts what the ring holds into an info. */
void live_tell(struct assay_run_info *info, const struct live_ring *ring);
/* Tells the run's info; after conclude(), which takes its notes back. */
void live_describe(struct session *s);
void live_close(struct session *s);

#endif
