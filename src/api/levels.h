/* SPDX-License-Identifier: MIT */
/* Targets recorded beside a run's job: its user, its Slurm job, the whole system ... each with a record of its own. For src/api only. */
#ifndef ASSAY_API_LEVELS_H
#define ASSAY_API_LEVELS_H

#include <stdint.h>

struct error;
struct session;

/* Whether their words can be understood; nothing has been started yet. */
int levels_check(const struct session *s, struct error *err);
/* Finds them and opens their records, when there are any asked for. The keeper has been forked: what is read here would make it larger, and with it all
 * that it starts. */
int levels_open(struct session *s, struct error *err);
/* The job waits to be let go: counting begins. */
void levels_begin(struct session *s);
/* It runs: their records are begun and the first sample is taken. */
void levels_began(struct session *s);
/* When the next sample of them is due; UINT64_MAX: never. */
uint64_t levels_due_ns(const struct session *s);
/* Takes it when its time has come. */
void levels_tick(struct session *s, uint64_t now_ns);
/* Renews their info files. */
void levels_checkpoint(struct session *s);
/* The last sample; their infos follow the run's. */
void levels_finish(struct session *s);
/* Takes back their records. */
void levels_discard(struct session *s);
void levels_close(struct session *s);

#endif
