/* SPDX-License-Identifier: MIT */
/* W3C PROV as PROV-JSON: the run is an activity, its command, record and outputs are entities, who ran it and what recorded it are agents. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/export.h"
#include "export/export_text.h"
#include "record/json_walk.h"

#define N_SECTIONS 6

/* The sections of the document: each is an object that all runs add to. */
enum section { ENTITY, ACTIVITY, AGENT, GENERATED, USED, ASSOCIATED };
static const char *const sections[N_SECTIONS] = { "entity", "activity", "agent", "wasGeneratedBy",
	"used", "wasAssociatedWith" };

struct prov {
	json_t *of[N_SECTIONS];
	bool failed;
};

static void put(struct prov *p, enum section section, const char *id, json_t *value)
{
	p->failed |= !value || json_object_set_new(p->of[section], id, value) < 0;
}

/* "assay:RUN/what": an id of the document; the characters that a qualified name may not have are escaped as in a URL. */
static const char *identify(struct buf *id, const struct export_run *run, const char *what)
{
	buf_clear(id);
	buf_add_text(id, "assay:");
	for (const char *s = run->id; *s; s++) {
		bool plain = strchr("-._~", *s) || (*s >= '0' && *s <= '9') ||
			     (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');

		if (plain)
			buf_add_char(id, *s);
		else
			buf_addf(id, "%%%02X", (unsigned) (unsigned char) *s);
	}
	if (*what)
		buf_addf(id, "/%s", what);
	return id->failed ? "" : id->data;
}

static void set(struct prov *p, json_t *of, const char *name, const json_t *value)
{
	if (value && !json_is_null(value))
		p->failed |= json_object_set(of, name, json_walk(value)) < 0;
}

static json_t *typed(const char *value, const char *type)
{
	return json_pack("{s:s, s:s}", "$", value, "type", type);
}

/* An exact number of the record, as text with its XML Schema type. */
static json_t *typed_number(const json_t *number)
{
	struct buf text = { 0 };
	json_t *value;

	export_add_number(&text, number);
	value = text.len > 0 && !text.failed
			? typed(text.data, json_is_integer(number) ? "xsd:integer" : "xsd:double")
			: NULL;
	buf_done(&text);
	return value;
}

static void add_activity(struct prov *p, const struct export_run *run, const char *id)
{
	json_t *activity = json_object();
	static const struct {
		const char *name, *section, *key;
	} members[] = { { "prov:startTime", "time", "started" },
		{ "prov:endTime", "time", "ended" }, { "assay:name", NULL, "name" },
		{ "assay:message", NULL, "message" },
		{ "assay:workingDirectory", NULL, "working_directory" },
		{ "assay:hostname", "host", "hostname" }, { "assay:outcome", "outcome", "words" },
		{ "assay:cause", "outcome", "cause" }, { "assay:target", "target", "text" } };
	const char *name;
	json_t *quantity;

	set(p, activity, "prov:label", export_member(run, "command", "text"));
	json_object_set_new(activity, "prov:type", typed("assay:Run", "prov:QUALIFIED_NAME"));
	json_object_set_new(
		activity, "assay:state", json_string(stored_state_name(run->stored->state)));
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		set(p, activity, members[i].name,
			export_member(run, members[i].section, members[i].key));
	if (export_member(run, "outcome", "exit_code"))
		json_object_set_new(activity, "assay:exitCode",
			typed_number(export_member(run, "outcome", "exit_code")));
	json_object_foreach(json_walk(export_member(run, NULL, "headline")), name, quantity)
	{
		struct buf full = { 0 };

		buf_addf(&full, "assay:%s", name);
		if (!full.failed && json_object_get(quantity, "value"))
			json_object_set_new(activity, full.data,
				typed_number(json_object_get(quantity, "value")));
		p->failed |= full.failed;
		buf_done(&full);
	}
	put(p, ACTIVITY, id, activity);
}

static void relate(
	struct prov *p, enum section section, const char *id, const char *of, const char *to)
{
	const char *first = section == GENERATED ? "prov:entity" : "prov:activity";
	const char *second = section == GENERATED ? "prov:activity"
			     : section == USED    ? "prov:entity"
						  : "prov:agent";

	put(p, section, id, json_pack("{s:s, s:s}", first, of, second, to));
}

/* An entity that the run made: its record, what it wrote. */
static void add_made(struct prov *p, const struct export_run *run, const char *what,
	const char *type, const json_t *path)
{
	struct buf activity = { 0 };
	struct buf id = { 0 };
	struct buf relation = { 0 };
	json_t *entity;

	if (!json_is_string(path))
		return;
	entity = json_object();
	identify(&activity, run, "");
	identify(&id, run, what);
	buf_addf(&relation, "_:%s/generated", id.failed ? "" : id.data);
	json_object_set_new(entity, "prov:type", typed(type, "prov:QUALIFIED_NAME"));
	set(p, entity, "prov:location", path);
	p->failed |= activity.failed || id.failed || relation.failed;
	if (!p->failed) {
		put(p, ENTITY, id.data, entity);
		relate(p, GENERATED, relation.data, id.data, activity.data);
	}
	buf_done(&activity);
	buf_done(&id);
	buf_done(&relation);
}

/* As one text: a list would be several values of the attribute, which have no order, and equal ones are one (PROV-JSON, 2.1; PROV-DM, 2.1.1). */
static void set_list(struct prov *p, json_t *of, const char *name, const json_t *list)
{
	char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;

	if (list)
		p->failed |= !text || json_object_set_new(of, name, typed(text, "xsd:string")) < 0;
	free(text);
}

static void add_command(struct prov *p, const struct export_run *run, const char *activity)
{
	const json_t *text = export_member(run, "command", "text");
	struct buf id = { 0 };
	struct buf relation = { 0 };
	json_t *entity;

	if (!text)
		return;
	entity = json_object();
	identify(&id, run, "command");
	buf_addf(&relation, "_:%s/used", id.failed ? "" : id.data);
	json_object_set_new(entity, "prov:type", typed("assay:Command", "prov:QUALIFIED_NAME"));
	set(p, entity, "prov:value", text);
	set_list(p, entity, "assay:argv", export_member(run, "command", "argv"));
	set_list(p, entity, "assay:argv_hex", export_member(run, "command", "argv_hex"));
	p->failed |= id.failed || relation.failed;
	if (!p->failed) {
		put(p, ENTITY, id.data, entity);
		relate(p, USED, relation.data, activity, id.data);
	}
	buf_done(&id);
	buf_done(&relation);
}

static void add_agent(struct prov *p, const struct export_run *run, const char *activity,
	const char *what, json_t *agent)
{
	struct buf id = { 0 };
	struct buf relation = { 0 };

	identify(&id, run, what);
	buf_addf(&relation, "_:%s/associated", id.failed ? "" : id.data);
	p->failed |= id.failed || relation.failed;
	if (!p->failed) {
		put(p, AGENT, id.data, agent);
		relate(p, ASSOCIATED, relation.data, activity, id.data);
	}
	buf_done(&id);
	buf_done(&relation);
}

static void add_agents(struct prov *p, const struct export_run *run, const char *activity)
{
	json_t *recorder = json_object();
	json_t *user = json_object();
	const json_t *tool = export_member(run, "imported", "tool");

	json_object_set_new(
		recorder, "prov:type", typed("prov:SoftwareAgent", "prov:QUALIFIED_NAME"));
	set(p, recorder, "prov:label", tool ? tool : export_member(run, "program", "name"));
	set(p, recorder, "assay:version",
		export_member(run, tool ? "imported" : "program", "version"));
	add_agent(p, run, activity, "recorder", recorder);
	if (!export_member(run, NULL, "user")) {
		json_decref(user);
		return;
	}
	json_object_set_new(user, "prov:type", typed("prov:Person", "prov:QUALIFIED_NAME"));
	set(p, user, "prov:label", export_member(run, "user", "name"));
	set(p, user, "assay:uid", export_member(run, "user", "uid"));
	add_agent(p, run, activity, "user", user);
}

static int begin(struct export *x, struct error *err)
{
	struct prov *p = calloc(1, sizeof(*p));

	x->state = p;
	for (size_t i = 0; p && i < N_SECTIONS; i++) {
		p->of[i] = json_object();
		p->failed |= !p->of[i];
	}
	return !p || p->failed ? error_set(err, -ENOMEM, "cannot export") : 0;
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	struct prov *p = x->state;
	struct buf id = { 0 };
	const json_t *output;
	size_t i;

	identify(&id, run, "");
	p->failed |= id.failed;
	if (!p->failed) {
		add_activity(p, run, id.data);
		add_command(p, run, id.data);
		add_made(p, run, "info", "assay:Record", export_member(run, "files", "info"));
		add_made(p, run, "usage", "assay:Series", export_member(run, "files", "usage"));
		add_agents(p, run, id.data);
	}
	json_array_foreach(export_member(run, NULL, "outputs"), i, output)
	{
		const char *name = json_string_value(json_object_get(output, "name"));

		if (name)
			add_made(p, run, name, "assay:Output", json_object_get(output, "file"));
	}
	buf_done(&id);
	return p->failed ? error_set(err, -ENOMEM, "cannot export it") : 0;
}

static int end(struct export *x, struct error *err)
{
	struct prov *p = x->state;
	struct buf *out = &x->files[0].text;

	(void) err;
	buf_add_text(out, "{\"prefix\":{\"assay\":\"urn:assay:run:\"}");
	for (size_t i = 0; i < N_SECTIONS; i++) {
		if (json_object_size(p->of[i]) == 0)
			continue;
		buf_add_text(out, ",\n");
		export_add_string(out, sections[i]);
		buf_add_char(out, ':');
		export_add_json(out, p->of[i]);
	}
	buf_add_text(out, "}\n");
	return 0;
}

static void done(struct export *x)
{
	struct prov *p = x->state;

	for (size_t i = 0; p && i < N_SECTIONS; i++)
		json_decref(p->of[i]);
	free(p);
}

const struct exporter prov_exporter = {
	.name = "prov",
	.help = "where it came from, as W3C PROV-JSON",
	.suffix = ".prov.json",
	.several = true,
	.begin = begin,
	.run = write_run,
	.end = end,
	.done = done,
};
