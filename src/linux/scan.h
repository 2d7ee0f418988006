/* SPDX-License-Identifier: MIT */
/* Numbers out of kernel text, for the parsers of this folder only: no allocation, no locale, and a number that does not
 * fit is refused instead of cut. Each moves *at past what it took, and leaves it where it was when it returns false. */
#ifndef ASSAY_LINUX_SCAN_H
#define ASSAY_LINUX_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One or more decimal digits. */
bool scan_u64(const char **at, const char *end, uint64_t *ret);
/* Decimal digits with an optional '-'. */
bool scan_int(const char **at, const char *end, int *ret);
/* One or more hexadecimal digits without 0x. */
bool scan_hex(const char **at, const char *end, uint64_t *ret);
/* The number of bits set in a mask as the kernel prints it: "ff,ffffffff". */
bool scan_mask_bits(const char **at, const char *end, uint64_t *ret);
/* "12.34" as the kernel prints averages, one digit or more after the point; into thousandths. */
bool scan_thousandths(const char **at, const char *end, uint64_t *ret);
/* Exactly this character. */
bool scan_char(const char **at, const char *end, char c);

#endif
