/* SPDX-License-Identifier: MIT */
/* What somebody may have meant who wrote a name that is none. */
#ifndef ASSAY_TEXT_NEAREST_H
#define ASSAY_TEXT_NEAREST_H

#include <stddef.h>

/* How many letters are to be changed, added, left out or exchanged with the next to make one of the other; names longer than 100 bytes are far from all. */
size_t name_distance(const char *a, const char *b);
/* Whether a name so far from what was written may have been meant. */
int name_is_near(const char *written, size_t distance);

#endif
