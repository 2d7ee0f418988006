/* SPDX-License-Identifier: MIT */
/* assay doctor: says what can be measured here, by which source, and why not by a better one; where the cgroups are, and what bounds. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "assay.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/macros.h"
#include "cli/doctor_page.h"
#include "cli/verb.h"

static const struct option_row rows[] = {
	{ .name = "json", .help = "writes the same, and what each source reads, as JSON" },
	{ .name = "readings", .help = "shows what each source reads now, too" },
	{ .name = "pid",
		.argument = "PID",
		.default_text = "assay itself",
		.offers = OFFERS_NOTHING,
		.help = "looks at the cgroups and the limits of this process" },
	{ .name = "root",
		.argument = "DIRECTORY",
		.default_text = "this machine",
		.help = "looks at a recorded tree, which holds proc and sys" },
};

/* Rungs come by quantity and rank, findings by section. */
struct json_listing {
	struct json json;
	const char *section;
	const char *quantity; /* of the rung before, or NULL */
	bool rungs;
};

static void json_finding(const struct assay_finding *f, void *context)
{
	struct json_listing *l = context;
	struct json *j = &l->json;

	if (!l->section || strcmp(l->section, f->section) != 0) {
		if (l->section)
			json_array_end(j);
		json_key(j, f->section);
		json_array(j);
		l->section = f->section;
	}
	json_object(j);
	int indent = json_on_one_line(j);
	json_key_text(j, "name", f->name);
	for (int i = 0; i < f->n_fields; i++) {
		const struct assay_finding_field *field = &f->fields[i];

		json_key(j, field->name);
		if (field->unit)
			json_number_text(j, field->text);
		else
			json_text(j, field->text);
	}
	json_object_end(j);
	json_lines(j, indent);
}

static void json_rung(const struct assay_rung *rung, void *context)
{
	struct json_listing *l = context;
	struct json *j = &l->json;

	if (!l->rungs) {
		if (l->section)
			json_array_end(j);
		l->section = NULL;
		json_key(j, "rungs");
		json_object(j);
		l->rungs = true;
	}
	if (!l->quantity || strcmp(l->quantity, rung->quantity) != 0) {
		if (l->quantity)
			json_array_end(j);
		json_key(j, rung->quantity);
		json_array(j);
		l->quantity = rung->quantity;
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

static int json_page(
	const struct assay_look_options *options, struct buf *out, struct assay_error *failure)
{
	struct json_listing l = { .section = NULL };
	struct json *j = &l.json;
	struct assay_look_options o = *options;

	o.finding = json_finding;
	o.rung = json_rung;
	o.context = &l;
	json_init(j, out, 2);
	json_object(j);
	json_key_text(j, "schema", "assay-doctor");
	json_key_text(j, "version", "1.0");
	int r = assay_look(&o, failure);
	if (l.quantity)
		json_array_end(j);
	if (l.rungs)
		json_object_end(j);
	json_object_end(j);
	buf_add_char(out, '\n');
	return r;
}

/* A pid as typed: 0 or -EINVAL. */
static int parse_pid(const char *text, int *ret)
{
	char *end;

	errno = 0;
	long n = strtol(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno || n <= 0 || n > INT_MAX)
		return -EINVAL;
	*ret = (int) n;
	return 0;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct buf out = { 0 };
	struct assay_look_options o = ASSAY_LOOK_OPTIONS_INIT;
	struct assay_error failure = { 0 };
	const char *pid = verb_option(verb, values, "pid");

	if (words[0])
		return complain_usage(verb, "doctor takes no arguments");
	if (pid && parse_pid(pid, &o.pid) < 0)
		return complain_usage(verb, "--pid takes the number of a process");
	o.root = verb_option(verb, values, "root");
	if (o.root && o.root[0] == '\0')
		return complain_usage(verb, "--root takes a directory");
	int r = verb_option(verb, values, "json")
			? json_page(&o, &out, &failure)
			: doctor_page(&o, verb_option(verb, values, "readings") != NULL, &out,
				  &failure);
	if (r < 0) {
		complain("%s", failure.text);
		r = pid || o.root ? EXIT_USAGE : EXIT_TROUBLE;
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
		"which one a run would use, and what stands in the way of the better ones; before "
		"that, where the cgroups of a process are and what bounds it.",
	.offers = OFFERS_NOTHING,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
