/* SPDX-License-Identifier: MIT */
/* Collects values and circumstances of runs, group by group. */
#include "compare/compare.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "model/value.h"
#include "run/info_facts.h"

/* Bytes of a circumstance that are kept: what distinguishes commands stands early, and a file may hold megabytes. */
#define FACT_BYTES_MAX 300
/* A bound that is not known. */
#define UNKNOWN ((double) INFINITY)

/* The array with room for one more element behind n, zeroed; NULL when memory ran out: the old one stays. */
static void *grown(struct compare *c, void *array, size_t n, size_t size)
{
	char *larger;

	/* Powers of two: the array is full when n is one. */
	if (n & (n - 1))
		return array;
	larger = realloc(array, (n ? 2 * n : 1) * size);
	if (larger)
		memset(larger + n * size, 0, (n ? n : 1) * size);
	else
		c->failed = true;
	return larger;
}

size_t compare_group(struct compare *c, const char *label)
{
	for (size_t i = 0; i < c->n_groups; i++)
		if (strcmp(c->groups[i].label, label) == 0)
			return i;
	char *copy = strdup(label);
	struct compare_group *groups = grown(c, c->groups, c->n_groups, sizeof(*groups));
	if (groups)
		c->groups = groups;
	if (!copy || !groups) {
		free(copy);
		c->failed = true;
		return 0;
	}
	c->groups[c->n_groups].label = copy;
	return c->n_groups++;
}

size_t compare_given(const struct compare_group *group)
{
	size_t n = 0;

	for (int o = 0; o < N_OUTCOME; o++)
		n += group->outcomes[o];
	return n;
}

static uint32_t source_number(struct compare *c, const struct stored_run *run, const char *name)
{
	const json_t *of = json_object_get(json_object_get(run->info, "headline"), name);
	const char *key = json_string_value(json_object_get(of, "key"));

	for (size_t i = 0; key && i < c->n_sources; i++)
		if (strcmp(c->sources[i], key) == 0)
			return (uint32_t) i + 1;
	if (!key)
		return 0;
	char *copy = strdup(key);
	char **sources = grown(c, c->sources, c->n_sources, sizeof(*sources));
	if (sources)
		c->sources = sources;
	if (!copy || !sources) {
		free(copy);
		c->failed = true;
		return 0;
	}
	c->sources[c->n_sources] = copy;
	return (uint32_t) ++c->n_sources;
}

static struct compare_row *row_of(struct compare *c, const char *name)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		size_t at = (c->next_row + i) % c->n_rows;

		if (strcmp(c->rows[at].name, name) == 0) {
			c->next_row = at + 1;
			return &c->rows[at];
		}
	}
	char *copy = strdup(name);
	struct compare_row *rows = grown(c, c->rows, c->n_rows, sizeof(*rows));
	if (rows)
		c->rows = rows;
	if (!copy || !rows) {
		free(copy);
		c->failed = true;
		return NULL;
	}
	c->rows[c->n_rows] = (struct compare_row){
		.name = copy, .section = compare_section_of(name), .unit = field_unit(name)
	};
	return &c->rows[c->n_rows++];
}

/* The array of groups with elements from n_of up to this one; NULL when memory ran out: the old one stays. */
static void *reaching(struct compare *c, void *array, size_t n_of, size_t group, size_t size)
{
	char *larger;

	if (group < n_of)
		return array;
	larger = realloc(array, (group + 1) * size);
	if (larger)
		memset(larger + n_of * size, 0, (group + 1 - n_of) * size);
	else
		c->failed = true;
	return larger;
}

static double bound_of(
	const struct stored_run *run, const char *name, const char *side, double none)
{
	char path[200];
	struct field field;
	double bound = none;

	if ((size_t) snprintf(path, sizeof(path), "%s.%s", name, side) >= sizeof(path))
		return none;
	field = run_field(run, path);
	if (field.type == FIELD_INTEGER || field.type == FIELD_REAL)
		bound = field.number;
	field_done(&field);
	return bound;
}

/* Beginnings of the paths that tell under which circumstances a run ran, in the order in which they are listed. */
static const char *const circumstances[] = { "state", "outcome.words", "limit.name", "command.text",
	"target.text", "name", "tags.", "working_directory", "host.", "user.name", "affinity.",
	"limits.", "cgroups.", "slurm.", "options.", "program.", "imported.tool",
	"imported.version", "format" };

/* These differ from run to run and explain nothing. */
static bool is_number_of_run(const char *name)
{
	size_t n = strlen(name);

	return (n > 3 && strcmp(name + n - 3, "_ID") == 0) || strstr(name, "_hex");
}

static bool is_circumstance(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(circumstances); i++) {
		size_t n = strlen(circumstances[i]);

		if (circumstances[i][n - 1] == '.' ? strncmp(circumstances[i], name, n) == 0
						   : strcmp(circumstances[i], name) == 0)
			return !is_number_of_run(name);
	}
	return false;
}

/* What a run had reached when it was last heard of: what only grows is at least that, of all else nothing is known. */
static void set_unfinished(struct compare_value *v, const char *name)
{
	/* Of statistics that may fall as well as rise. */
	static const char *const unsteady[] = { "mean", "average", "_min", "last", "percent",
		"cores", "watts", "hertz", "celsius", "ratio", "free", "available" };
	bool grows = strstr(name, "peak") || strstr(name, "_max");
	size_t steady = 0;

	/* These were settled when it began. */
	if (is_circumstance(name) || strncmp(name, "outcome.", strlen("outcome.")) == 0 ||
		strcmp(name, "exit_code") == 0)
		return;
	while (steady < ARRAY_SIZE(unsteady) && !strstr(name, unsteady[steady]))
		steady++;
	grows = grows || steady == ARRAY_SIZE(unsteady);
	v->unfinished = v->open = true;
	v->lower = grows ? v->lower : -UNKNOWN;
	v->upper = UNKNOWN;
	v->quality = isinf(v->lower) ? ESTIMATE : LOWER_BOUND;
}

static struct compare_value value_of(struct compare *c, const struct stored_run *run,
	const char *name, const struct field *field)
{
	struct compare_value v = { .value = field->number, .quality = field->quality };
	bool at_least = v.quality == LOWER_BOUND;
	bool at_most = v.quality == UPPER_BOUND;

	v.lower = v.upper = v.value;
	if (v.quality == ABSENT) {
		if (run->state != STORED_DONE)
			set_unfinished(&v, name);
		return v;
	}
	v.source = source_number(c, run, name);
	v.lower = bound_of(run, name, "lower", at_most ? -UNKNOWN : v.value);
	v.upper = bound_of(run, name, "upper", at_least ? UNKNOWN : v.value);
	/* A file may say anything. */
	if (!(v.lower <= v.value) || !(v.value <= v.upper))
		v.lower = v.upper = v.value;
	v.open = isinf(v.lower) || isinf(v.upper);
	if (run->state != STORED_DONE)
		set_unfinished(&v, name);
	return v;
}

static void add_value(
	struct compare *c, struct compare_row *row, size_t group, const struct compare_value *value)
{
	struct compare_series *of = reaching(c, row->of, row->n_of, group, sizeof(*of));

	if (!of)
		return;
	row->of = of;
	row->n_of = group >= row->n_of ? group + 1 : row->n_of;
	struct compare_series *s = &of[group];
	struct compare_value *values = grown(c, s->values, s->n, sizeof(*values));
	if (!values)
		return;
	s->values = values;
	values[s->n++] = *value;
}

/* A run that is being taken. */
struct taking {
	struct compare *c;
	const struct stored_run *run;
	const struct compare_wish *wish;
	size_t group;
	size_t further;
	uint32_t number; /* of the run */
};

static void take_number(struct taking *t, const char *name, const struct field *field, bool shown)
{
	struct compare_row *row;

	if (field->type == FIELD_ABSENT || field->type == FIELD_TEXT || !isfinite(field->number))
		return;
	row = row_of(t->c, name);
	if (!row)
		return;
	/* It may be asked for several times: by name, by pattern, by a condition. */
	row->shown = row->shown || shown;
	if (row->latest == t->c->n_taken)
		return;
	row->latest = t->c->n_taken;
	struct compare_value value = value_of(t->c, t->run, name, field);
	value.run = t->number;
	add_value(t->c, row, t->group, &value);
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[") != NULL;
}

static int take_matching(const char *name, const struct field *field, void *context)
{
	struct taking *t = context;
	const char *const *fields = t->wish->fields;
	bool wanted = false;

	for (size_t i = 0; fields && fields[i] && !wanted; i++)
		wanted = is_pattern(fields[i]) && fnmatch(fields[i], name, 0) == 0;
	if (!fields)
		wanted = json_object_get(json_object_get(t->run->info, "headline"), name) != NULL;
	if (wanted)
		take_number(t, name, field, true);
	else if (field->quality != ABSENT)
		t->further++;
	return t->c->failed ? -ENOMEM : 0;
}

static struct compare_fact *fact_of(struct compare *c, const char *name)
{
	for (size_t i = 0; i < c->n_facts; i++)
		if (strcmp(c->facts[i].name, name) == 0)
			return &c->facts[i];
	char *copy = strdup(name);
	struct compare_fact *facts = grown(c, c->facts, c->n_facts, sizeof(*facts));
	if (facts)
		c->facts = facts;
	if (!copy || !facts) {
		free(copy);
		c->failed = true;
		return NULL;
	}
	c->facts[c->n_facts] = (struct compare_fact){ .name = copy };
	return &c->facts[c->n_facts++];
}

/* FNV-1a: texts that are cut to the same beginning may still differ. */
uint64_t compare_hash(const char *text, size_t n)
{
	uint64_t hash = 14695981039346656037U;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char) text[i]) * 1099511628211U;
	return hash;
}

/* NULL when memory ran out. */
static char *cut_text(const char *text, size_t n)
{
	struct buf cut = { 0 };
	size_t whole = n;

	if (n > FACT_BYTES_MAX)
		/* Not within a character. */
		for (n = FACT_BYTES_MAX; n > 0 && ((unsigned char) text[n] & 0xc0) == 0x80;)
			n--;
	buf_add(&cut, text, n);
	buf_add_text(&cut, n < whole ? " ..." : "");
	if (!cut.failed)
		return cut.data;
	buf_done(&cut);
	return NULL;
}

static void add_fact(struct compare *c, size_t group, const char *name, const char *text, size_t n)
{
	struct compare_fact *fact = fact_of(c, name);
	uint64_t hash = compare_hash(text, n);
	struct compare_texts *t;

	t = fact ? reaching(c, fact->of, fact->n_of, group, sizeof(*t)) : NULL;
	if (!t)
		return;
	fact->of = t;
	fact->n_of = group >= fact->n_of ? group + 1 : fact->n_of;
	t += group;
	for (size_t i = 0; i < t->n; i++)
		if (t->whole[i] == hash)
			return;
	t->more = t->more || t->n == COMPARE_TEXTS_MAX;
	if (t->n == COMPARE_TEXTS_MAX)
		return;
	t->texts[t->n] = cut_text(text, n);
	t->whole[t->n] = hash;
	if (t->texts[t->n])
		t->n++;
	else
		c->failed = true;
}

/* A text that was asked for stands among the circumstances, whatever it is. */
static void take_text(struct taking *t, const char *name, const struct field *field)
{
	struct buf text = { 0 };

	field_text(name, field, &text);
	buf_add_text(&text, "");
	if (text.failed)
		t->c->failed = true;
	else
		add_fact(t->c, t->group, name, text.data ? text.data : "", text.len);
	struct compare_fact *fact = t->c->failed ? NULL : fact_of(t->c, name);
	if (fact)
		fact->asked = true;
	buf_done(&text);
}

static void take_named(struct taking *t, const char *const *names, bool shown)
{
	for (size_t i = 0; names && names[i]; i++) {
		struct field field;

		if (shown && is_pattern(names[i]))
			continue;
		field = run_field(t->run, names[i]);
		if (shown && (field.type == FIELD_TEXT || field.type == FIELD_BOOL))
			take_text(t, names[i], &field);
		else
			take_number(t, names[i], &field, shown);
		field_done(&field);
	}
}

/* Whether that name leads to this very text of the run. */
static bool is_at(const struct stored_run *run, const char *name, const char *text)
{
	struct field field = run_field(run, name);
	bool same = field.type == FIELD_TEXT && field.text == text;

	field_done(&field);
	return same;
}

/* It stands there already, by the name that it was asked for: "command" is short for "command.text". */
static bool is_asked(const struct taking *t, const struct field *field)
{
	for (size_t i = 0; t->wish->fields && t->wish->fields[i]; i++)
		if (!is_pattern(t->wish->fields[i]) &&
			is_at(t->run, t->wish->fields[i], field->text))
			return true;
	return false;
}

static int take_circumstance(const char *name, const struct field *field, void *context)
{
	struct taking *t = context;
	struct buf text = { 0 };

	if (field->quality == ABSENT && is_circumstance(name) && !is_asked(t, field)) {
		field_text(name, field, &text);
		if (text.failed)
			t->c->failed = true;
		else if (text.len > 0)
			add_fact(t->c, t->group, name, text.data, text.len);
		buf_done(&text);
	}
	return t->c->failed ? -ENOMEM : 0;
}

/* The tightest limit of each kind, which stand in a list. */
static void take_limits(struct taking *t)
{
	json_t *limits = json_object_get(t->run->info, "target_limits");
	json_t *limit;
	size_t i;

	json_array_foreach(limits, i, limit)
	{
		const char *name = json_string_value(json_object_get(limit, "name"));
		const char *unit = json_string_value(json_object_get(limit, "unit"));
		const char *source = json_string_value(json_object_get(limit, "source"));
		const json_t *value = json_object_get(limit, "limit");
		struct field field = { .type = FIELD_REAL, .number = json_number_value(value) };
		struct buf text = { 0 };
		char fact[100];

		if (!name || !unit || !source || !json_is_number(value) ||
			!json_is_true(json_object_get(limit, "tightest")))
			continue;
		snprintf(fact, sizeof(fact), "target_limits.%.50s_%.20s", name, unit);
		field.integer = (int64_t) (field.number < 9e18 ? field.number : 9e18);
		if (strcmp(unit, "count") == 0)
			field.type = FIELD_INTEGER;
		field_text(fact, &field, &text);
		buf_addf(&text, " (%.60s)", source);
		if (text.failed)
			t->c->failed = true;
		else
			add_fact(t->c, t->group, fact, text.data, text.len);
		buf_done(&text);
	}
}

int compare_take(struct compare *c, size_t group, const struct stored_run *run,
	const struct compare_wish *wish, bool left_out)
{
	struct taking t = { .c = c, .run = run, .wish = wish, .group = group };
	struct compare_group *g = &c->groups[group];

	bool again = false;

	if (!c->failed)
		t.number = compare_identify(c, group, run, &again);
	if (c->failed)
		return -ENOMEM;
	if (again)
		return 0;
	g->outcomes[compare_outcome(run)]++;
	if (!g->first && !(g->first = strdup(run->file)))
		c->failed = true;
	if (left_out)
		return c->failed ? -ENOMEM : 0;
	g->runs++;
	c->n_taken++;
	take_named(&t, wish->fields, true);
	run_fields(run, take_matching, &t);
	take_named(&t, wish->conditions, false);
	run_fields(run, take_circumstance, &t);
	take_limits(&t);
	c->further = t.further;
	return c->failed ? -ENOMEM : 0;
}

/* Slurm has out of memory beside its limits of time: man 1 sacct, JOB STATE CODES. */
static bool was_cut_off(const json_t *info)
{
	return json_object_get(info, "limit") || info_ended_by(info, CAUSE_LIMIT) ||
	       (json_object_get(info, "imported") && info_ended_by(info, CAUSE_OOM_KILL));
}

enum compare_outcome compare_outcome(const struct stored_run *run)
{
	if (run->state == STORED_RUNNING)
		return OUTCOME_RUNNING;
	if (run->state == STORED_LOST)
		return OUTCOME_LOST;
	if (was_cut_off(run->info))
		return OUTCOME_CUT_OFF;
	return run_failed(run) ? OUTCOME_FAILED : OUTCOME_FINE;
}

const char *compare_outcome_name(enum compare_outcome outcome)
{
	static const char *const names[N_OUTCOME] = { "ended well", "still running", "lost",
		"cut off by a limit", "failed", "not known how" };

	return names[outcome];
}

static void texts_done(struct compare_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->texts[i]);
}

void compare_done(struct compare *c)
{
	for (size_t i = 0; i < c->n_groups; i++) {
		free(c->groups[i].label);
		free(c->groups[i].first);
	}
	for (size_t i = 0; i < c->n_rows; i++) {
		for (size_t g = 0; g < c->rows[i].n_of; g++)
			free(c->rows[i].of[g].values);
		free(c->rows[i].of);
		free(c->rows[i].name);
	}
	for (size_t i = 0; i < c->n_facts; i++) {
		for (size_t g = 0; g < c->facts[i].n_of; g++)
			texts_done(&c->facts[i].of[g]);
		free(c->facts[i].of);
		free(c->facts[i].name);
	}
	for (size_t i = 0; i < c->n_sources; i++)
		free(c->sources[i]);
	compare_identities_done(c);
	free(c->groups);
	free(c->rows);
	free(c->facts);
	free(c->sources);
	*c = (struct compare){ 0 };
}
