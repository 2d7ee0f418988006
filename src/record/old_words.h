/* SPDX-License-Identifier: MIT */
/*
 * What records of version 1.0 have in sentences alone and later ones have as fields: how a run ended, the request to end, the shared memory that nobody
 * mapped, requests of each node. The one place where a program reads words that are meant for people; tools/check_tree.py sees to that.
 */
#ifndef ASSAY_RECORD_OLD_WORDS_H
#define ASSAY_RECORD_OLD_WORDS_H

#include <jansson.h>

/* Adds these fields to the info of a record of version 1.0, as far as its words tell them; leaves any other as it is. 0 or -ENOMEM. */
int old_words_add_fields(json_t *info);
/* Which part of a number that was taken from words may be lost, as they round it: 0 where the record has it as a field. */
double old_words_rounding(const json_t *info);

#endif
