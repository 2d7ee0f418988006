/* SPDX-License-Identifier: MIT */
/* Numbers and texts as the formats spell them. */
#ifndef ASSAY_EXPORT_EXPORT_TEXT_H
#define ASSAY_EXPORT_EXPORT_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* The shortest decimal that reads back as the same number; integers have all their digits. Nothing for what is no number. */
void export_add_number(struct buf *out, const json_t *number);
void export_add_double(struct buf *out, double number);
/* Nanoseconds as microseconds with three decimals at most: 1234567 is 1234.567. */
void export_add_microseconds(struct buf *out, uint64_t ns);

/* A JSON string with its quotes; NULL adds null. */
void export_add_string(struct buf *out, const char *text);
void export_add_string_n(struct buf *out, const char *text, size_t n);
/* Any JSON value, on one line. */
void export_add_json(struct buf *out, const json_t *value);
/* ,"NAME":  with a comma unless it is the first of its object. */
void export_add_key(struct buf *out, const char *name);

/* ,"NAME": and a point in time, RFC 3339, as seconds since 1970 in microseconds; null where there is none. */
void export_add_epoch(struct buf *out, const char *name, const char *time);

/* A string as a field of CSV; nothing for what is no string. */
void export_add_csv_json(struct buf *out, const json_t *string);

#endif
