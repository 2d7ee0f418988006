/* SPDX-License-Identifier: MIT */
/* Numbers for people, and people's durations and sizes as numbers. */
#ifndef ASSAY_BASE_UNITS_H
#define ASSAY_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

struct error;

#define UNITS_TEXT_SIZE 32

/* "0 B", "999 B", "1.5 KiB", "412 MiB", "1.02 GiB": three significant digits, IEC names. */
void format_bytes(uint64_t bytes, char text[UNITS_TEXT_SIZE]);
/* "0.004 s", "3.40 s", "2m 5.0s", "1h 02m 05s", "3d 04h 10m". */
void format_duration(uint64_t nanoseconds, char text[UNITS_TEXT_SIZE]);

/* "500ms", "30", "1.5s", "5m", "1h", "2d", "1h30m", "D-HH:MM:SS", "HH:MM:SS", "MM:SS": nanoseconds.
 * A bare number is seconds. Fails with -EINVAL and a text that names what was read and what is accepted; also for
 * negative, infinite, overflowing or empty input. */
int parse_duration(const char *text, uint64_t *ret_ns, struct error *err);

/* "512B", "512M", "1.5G", "8GiB": bytes. K, M, G, T, P are powers of 1024, as Slurm takes them; at most three decimals. A number without
 * a unit and MB, GB, which some take for powers of 1000, are refused: -EINVAL with a text that says what to write. */
int parse_size(const char *text, uint64_t *ret_bytes, struct error *err);

/* "0.5%", "0.5": thousandths of a percent. From 0.01% to 100%, with at most three decimals; else -EINVAL with a text that says so. */
int parse_percent(const char *text, uint64_t *ret_thousandths, struct error *err);

#endif
