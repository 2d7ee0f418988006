/* SPDX-License-Identifier: MIT */
/* Memory that is in no resident set: what the machine wrote to swap, and huge pages of hugetlbfs. */
#ifndef ASSAY_LINUX_SWAPPING_H
#define ASSAY_LINUX_SWAPPING_H

#include <stdint.h>

struct roots;

#define SWAPPED_NOT_KNOWN UINT64_MAX

/* What was ever swapped out since the machine started, or SWAPPED_NOT_KNOWN: also where there is no swap space, so that nothing was asked. */
uint64_t host_swapped_out_bytes(const struct roots *r);
/* How much of what lives now can have been swapped out since that number was `before`, at most. */
uint64_t host_swapped_since(const struct roots *r, uint64_t before);
/* All huge pages there are, in use or not, and those that could be made on demand. */
uint64_t host_huge_pages_bytes(const struct roots *r);

#endif
