/* SPDX-License-Identifier: MIT */
/* Kernel files made of "Key: value" lines (status, io, smaps_rollup, meminfo): a table of the wanted lines fills a struct. */
#ifndef ASSAY_LINUX_KEY_LINES_H
#define ASSAY_LINUX_KEY_LINES_H

#include <stddef.h>
#include <stdint.h>

enum line_value {
	LINE_NUMBER, /* decimal, into a uint64_t */
	LINE_KIB, /* decimal and " kB", which is 1024 bytes; into a uint64_t of bytes */
	LINE_HEX, /* into a uint64_t */
	LINE_MASK_BITS, /* bits set in "ff,ffffffff", into a uint64_t */
	LINE_TWO_IDS, /* the first two of four user ids, into two uint32_t side by side */
};

struct key_line {
	const char *key; /* without the colon; three letters at least */
	uint8_t key_size;
	uint8_t value; /* enum line_value */
	uint16_t offset; /* of the member in the struct filled */
};
/* One row: KEY_LINE("VmHWM", LINE_KIB, struct proc_status, hwm_bytes) */
#define KEY_LINE(text, kind, type, member)                                                         \
	{                                                                                          \
		.key = (text), .key_size = sizeof(text) - 1, .value = (kind),                      \
		.offset = offsetof(type, member)                                                   \
	}

#define KEY_LINES_MAX 32

/* Fills the members whose lines are there, and *ret_seen with bit i for rows[i] (at most KEY_LINES_MAX rows). Lines no row asks
 * for are skipped. -EINVAL for a wanted line that is malformed, out of range or there twice, and for a last line without
 * its newline: that text was cut. Put the rows in the kernel's order: each line is first compared with the row
 * after the last match. */
int key_lines_parse(const char *text, size_t n, const struct key_line *rows, size_t n_rows,
	void *ret, uint32_t *ret_seen);

#endif
