/* SPDX-License-Identifier: MIT */
/* What standard output can show: how wide it is, and whether it takes more than ASCII. */
#ifndef ASSAY_CLI_TERMINAL_H
#define ASSAY_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct option_values;
struct verb;

/* clang-format off */
#define OPTION_WIDTH                                                                               \
	.name = "width", .argument = "N", .offers = OFFERS_NOTHING,                                \
	.default_text = "that of the terminal, else 80",                                           \
	.help = "how many columns a line has at most"
/* clang-format on */

/* No braille: the locale is not UTF-8, or the terminal is dumb. */
bool terminal_is_ascii(void);
/* As --width (OPTION_WIDTH) says, or the terminal. 0, or -EINVAL with a line. */
int terminal_width(const struct verb *verb, const struct option_values *values, size_t *ret,
	struct error *err);

#endif
