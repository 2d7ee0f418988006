/* SPDX-License-Identifier: MIT */
/* Bytes that should be text, in a record: the text, and beside it the exact bytes when they are not UTF-8. */
#ifndef ASSAY_RECORD_RAW_TEXT_H
#define ASSAY_RECORD_RAW_TEXT_H

#include <stddef.h>

struct json;

/* "key": text; and "key_hex" when the bytes are not valid UTF-8. */
void json_key_raw(struct json *j, const char *key, const char *bytes, size_t n);
/* "key": [texts]; and "key_hex", for all of them, when one is not valid UTF-8. */
void json_key_raw_list(struct json *j, const char *key, int n, char *const *texts);
/* The same for strings that stand behind each other, each ended by a NUL; the last one's may be missing. */
void json_key_raw_strings(struct json *j, const char *key, const char *bytes, size_t n);

#endif
