/* SPDX-License-Identifier: MIT */
/* Feeds expressions to --where, and judges fields of every type by what was taken. */
#include "feed.h"

#include <errno.h>

#include "base/error.h"
#include "run/where.h"

#define NOW_NS (UINT64_C(1795867200) * 1000000000)

/* The same name always has the same value; which type depends on its length. */
static struct field look(const char *name, size_t which, void *context)
{
	const struct where *where = *(struct where **) context;

	must(which < where_n_fields(where) && strcmp(where_field(where, which), name) == 0);
	switch (strlen(name) % 6) {
	case 0:
		return (struct field){ 0 };
	case 1:
		return (struct field){ .type = FIELD_INTEGER, .integer = 12, .number = 12 };
	case 2:
		return (struct field){ .type = FIELD_REAL, .number = 0.5 };
	case 3:
		return (struct field){ .type = FIELD_BOOL, .integer = 1, .number = 1 };
	case 4:
		return (struct field){
			.type = FIELD_TEXT, .text = "2026-11-25T06:00:00Z", .n = 20
		};
	default:
		return (struct field){ .type = FIELD_TEXT, .text = name, .n = strlen(name) };
	}
}

static void feed_where(const char *bytes, size_t n)
{
	char *text = strndup(bytes, n);
	struct where *where;
	struct error err = { 0 };
	int r;

	must(text != NULL);
	r = where_parse(text, NOW_NS, &where, &err);
	if (r == 0) {
		enum where_truth truth = where_judge(where, look, &where);

		must(where_n_fields(where) > 0 && truth <= WHERE_UNKNOWN);
	} else {
		must(r == -EINVAL && !where && err.text[0] && !strchr(err.text, '\n'));
	}
	where_free(where);
	free(text);
}

FEED_TO(feed_where)
