/* SPDX-License-Identifier: MIT */
/* A wait status in words. For src/api only. */
#ifndef ASSAY_API_OUTCOME_H
#define ASSAY_API_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

struct assay_run_info;
struct limit_hit;
struct oom_found;
struct outcome;
struct sender;

/* `keeper_lost`: the status came to us, not to the keeper. */
void outcome_from_status(struct outcome *ret, int status, bool keeper_lost);
/* What is known of who killed it: our own limit, the kernel's OOM killer. Notes what is only a hint. */
void outcome_explain(struct assay_run_info *info, struct oom_found *oom);
/* Adds who sent the signal that ended the command. `latest`: the latest of that number that came to us, at most a minute before the end;
 * else nothing is known but that it did not come by us. */
void outcome_add_sender(struct outcome *o, const struct sender *latest, uint64_t end_ns);
/* Of a command that ended by itself: adds which signal had told it to end, at most an hour before. `latest`: by number, as above. */
void outcome_add_request(struct outcome *o, const struct sender *latest, uint64_t end_ns);

#endif
