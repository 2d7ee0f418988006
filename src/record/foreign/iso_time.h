/* SPDX-License-Identifier: MIT */
/* Points in time as other programs write them. For importers alone. */
#ifndef ASSAY_RECORD_FOREIGN_ISO_TIME_H
#define ASSAY_RECORD_FOREIGN_ISO_TIME_H

#include <stdint.h>

/* "2025-09-25T16:07:26.216037-05:00": ISO 8601 with a T or a blank, 0 to 9 digits of a second, and Z, an offset, or nothing, which is taken for UTC. To
 * nanoseconds since 1970; -EINVAL for anything else. */
int parse_iso_time(const char *text, uint64_t *ret_realtime_ns);

#endif
