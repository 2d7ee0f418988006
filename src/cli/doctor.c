/* SPDX-License-Identifier: MIT */
/* assay doctor: says what can be measured here, by which source, and why not by a better one. */
#include <stdbool.h>
#include <string.h>

#include "assay.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/macros.h"
#include "cli/verb.h"
#include "report/wrap.h"

#define WHY_INDENT 7

static const struct option_row rows[] = {
	{ .name = "json", .help = "writes the same as JSON" },
};

static const char legend[] =
	"The sources of each quantity, the best first (*: in use, -: not available here).\n";

/* Where the listing stands: rungs come by quantity and rank. */
struct listing {
	struct buf *out;
	struct json json;
	const char *quantity; /* of the rung before, or NULL */
};

static bool begins_quantity(struct listing *l, const struct assay_rung *rung)
{
	bool begins = !l->quantity || strcmp(l->quantity, rung->quantity) != 0;

	l->quantity = rung->quantity;
	return begins;
}

static void add_rung(const struct assay_rung *rung, void *context)
{
	struct listing *l = context;
	const char *mark = rung->in_use ? "*" : rung->available ? " " : "-";

	if (begins_quantity(l, rung))
		buf_addf(l->out, "\n%s\n", rung->quantity);
	buf_addf(l->out, "  %s %2d  %-40s  %s\n", mark, rung->rank, rung->key,
		rung->available ? rung->quality : "not available");
	if (rung->why[0]) {
		buf_addf(l->out, "%*s", WHY_INDENT, "");
		text_add_wrapped(l->out, rung->why, WHY_INDENT, WHY_INDENT);
		buf_add_char(l->out, '\n');
	}
}

static void json_rung(const struct assay_rung *rung, void *context)
{
	struct listing *l = context;
	struct json *j = &l->json;
	bool first = !l->quantity;

	if (begins_quantity(l, rung)) {
		if (!first)
			json_array_end(j);
		json_key(j, rung->quantity);
		json_array(j);
	}
	json_object(j);
	json_key_text(j, "key", rung->key);
	json_key_text(j, "collector", rung->collector);
	json_key_i64(j, "rank", rung->rank);
	json_key_bool(j, "available", rung->available != 0);
	json_key_bool(j, "in_use", rung->in_use != 0);
	json_key_text(j, "quality", rung->quality);
	if (rung->why[0])
		json_key_text(j, "why", rung->why);
	json_object_end(j);
}

static const char limits_legend[] =
	"\nThe limits of a job that is started here (*: the tightest of its kind).\n";

static void add_bound(const struct assay_bound *bound, void *context)
{
	struct listing *l = context;

	buf_addf(l->out, "\n  %s %-16s %-12s %s\n", bound->tightest ? "*" : " ", bound->name,
		bound->text, bound->source);
	buf_addf(l->out, "%*s", WHY_INDENT, "");
	text_add_wrapped(l->out, bound->where, WHY_INDENT, WHY_INDENT);
	if (bound->note[0]) {
		buf_addf(l->out, "\n%*s", WHY_INDENT, "");
		text_add_wrapped(l->out, bound->note, WHY_INDENT, WHY_INDENT);
	}
	buf_add_char(l->out, '\n');
}

static int table(struct listing *l, struct assay_error *failure)
{
	buf_add_text(l->out, legend);
	int r = assay_doctor(add_rung, l, failure);
	if (r < 0)
		return r;
	buf_add_text(l->out, limits_legend);
	return assay_bounds(NULL, 0, add_bound, l, failure);
}

static void json_bound(const struct assay_bound *bound, void *context)
{
	struct json *j = &((struct listing *) context)->json;

	json_object(j);
	json_key_text(j, "name", bound->name);
	json_key_text(j, "unit", bound->unit);
	json_key(j, "limit");
	if (bound->unlimited)
		json_text(j, "unlimited");
	else if (strcmp(bound->unit, "cores") == 0)
		json_scaled(j, bound->limit, 3);
	else if (strcmp(bound->unit, "seconds") == 0)
		json_seconds(j, bound->limit);
	else
		json_u64(j, bound->limit);
	json_key_text(j, "source", bound->source);
	json_key_text(j, "where", bound->where);
	json_key_bool(j, "tightest", bound->tightest != 0);
	if (bound->note[0])
		json_key_text(j, "note", bound->note);
	json_object_end(j);
}

static int json_table(struct listing *l, struct assay_error *failure)
{
	struct json *j = &l->json;
	int r;

	json_init(j, l->out, 2);
	json_object(j);
	json_key_text(j, "schema", "assay-doctor");
	json_key_text(j, "version", "1.0");
	json_key(j, "rungs");
	json_object(j);
	r = assay_doctor(json_rung, l, failure);
	if (l->quantity)
		json_array_end(j);
	json_object_end(j);
	if (r == 0) {
		json_key(j, "limits");
		json_array(j);
		r = assay_bounds(NULL, 0, json_bound, l, failure);
		json_array_end(j);
	}
	json_object_end(j);
	buf_add_char(l->out, '\n');
	return r;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct buf out = { 0 };
	struct listing listing = { .out = &out };
	struct assay_error failure = { 0 };
	int r;

	if (words[0])
		return complain_usage(verb, "doctor takes no arguments");
	r = verb_option(verb, values, "json") ? json_table(&listing, &failure)
					      : table(&listing, &failure);
	if (r < 0) {
		complain("%s", failure.text);
		r = EXIT_TROUBLE;
	} else {
		r = print_data(&out);
	}
	buf_done(&out);
	return r;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.help = "says which sources can be used here, and why not a better one",
	.usage = "[options]",
	.text = "Tries every source of every quantity, on this machine and as this user, and says "
		"which one a run would use, and what stands in the way of the better ones.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
