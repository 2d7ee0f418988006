/* SPDX-License-Identifier: MIT */
/* Members of a run's info or of a window, taken with care: what is not there or of another type is NAN or NULL. And a text set with care. */
#ifndef ASSAY_RUN_INFO_VALUE_H
#define ASSAY_RUN_INFO_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* NAME, or NAME.INNER with `inner`; NULL: it is not there. */
const json_t *info_member(const json_t *of, const char *name, const char *inner);
double info_number(const json_t *of, const char *name, const char *inner);
const char *info_text(const json_t *of, const char *name, const char *inner);
/* Whether it is just that text. */
bool info_is(const json_t *of, const char *name, const char *text);
/* Sets a number, whole ones as such; nothing where it is none. */
void info_set_number(json_t *of, const char *name, double number);
void info_set_count(json_t *of, const char *name, uint64_t n);
/* Sets a member of what is written: as it is, or in printable form where it is no UTF-8, as a file may have any name. */
void info_set_text(json_t *of, const char *name, const char *text);

#endif
