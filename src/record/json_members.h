/* SPDX-License-Identifier: MIT */
/* Members of JSON that was read, taken by the type they must have. The first that is otherwise is kept as the error. For src/record alone. */
#ifndef ASSAY_RECORD_JSON_MEMBERS_H
#define ASSAY_RECORD_JSON_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct members {
	int code; /* 0, or of the first error */
	struct error *err;
};

/* Why the bytes could not be loaded; the library's own words may quote the file, whatever it holds. */
const char *json_what_is_wrong(const json_error_t *e);
/* NULL with a text when the bytes are not one whole JSON object in UTF-8. */
json_t *members_load(struct members *m, const char *bytes, size_t n);
/* Keeps "NAME is WHAT" unless something is wrong already. */
void members_fail(struct members *m, const char *name, const char *what);

/* NULL where it is not there; what has another type is an error. */
json_t *member_object(struct members *m, const json_t *of, const char *name);
json_t *member_array(struct members *m, const json_t *of, const char *name);
const char *member_text(struct members *m, const json_t *of, const char *name);
/* 0 where it is not there. */
uint64_t member_count(struct members *m, const json_t *of, const char *name);
uint64_t member_seconds(struct members *m, const json_t *of, const char *name);
uint64_t member_time(struct members *m, const json_t *of, const char *name);
/* A number times 10^digits, which are 3 or 9. */
uint64_t member_scaled(struct members *m, const json_t *of, const char *name, int digits);
/* A text or, where it stands beside it, what NAME_hex holds; heap; NULL where it is not there. No byte of it is NUL. */
char *member_raw(struct members *m, const json_t *of, const char *name);
/* Copies a text that must fit. */
void member_copy(struct members *m, const json_t *of, const char *name, char *ret, size_t size);

#endif
