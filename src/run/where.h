/* SPDX-License-Identifier: MIT */
/*
 * The language of --where: which runs are meant, in comparisons of their fields. It is parsed to a tree and looked up; nothing of it is ever run.
 *
 *   expression   either { or either }            also ||
 *   either       term { and term }               also &&
 *   term         not term | ( expression ) | FIELD | FIELD operator VALUE        also !
 *   operator     = (==)  !=  <  <=  >  >=  ~ (holds the regular expression)  !~  like (is as the glob says)
 *
 * FIELD is a name of record/fields.h; one with other characters than letters, digits and _ . : @ - stands between backquotes. VALUE is a bare word or stands
 * between single or double quotes, where a backslash takes the next character as it is. What a value may be depends on the unit of the field: see where_value.h.
 *
 * A field that a run has not makes its comparison neither true nor false, and so what is made of it by `not`, `and`, `or` where the other side does not decide; only
 * what is true is meant. FIELD alone is always true or false: whether it is there.
 */
#ifndef ASSAY_RUN_WHERE_H
#define ASSAY_RUN_WHERE_H

#include <stddef.h>
#include <stdint.h>

#include "record/fields.h"

struct error;
struct where;

#define WHERE_TEXT_MAX 4096 /* bytes */
#define WHERE_NODES_MAX 256 /* comparisons, and what joins them */
#define WHERE_DEPTH_MAX 50 /* of parentheses and `not` */

enum where_truth { WHERE_FALSE, WHERE_TRUE, WHERE_UNKNOWN };

/* The value of the field numbered `which` (the caller may keep the numbers), to be done with by field_done(). */
typedef struct field where_lookup(const char *name, size_t which, void *context);

/* `now` is for times such as -7d. -EINVAL with one line that has the column and what was expected; *ret is for where_free(). */
int where_parse(const char *text, uint64_t now_realtime_ns, struct where **ret, struct error *err);
/* NULL: nothing was asked for, true. */
enum where_truth where_judge(const struct where *where, where_lookup *lookup, void *context);
/* The fields it asks for, each once. */
size_t where_n_fields(const struct where *where);
const char *where_field(const struct where *where, size_t which);
struct where *where_free(struct where *where);

#endif
