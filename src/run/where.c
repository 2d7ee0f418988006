/* SPDX-License-Identifier: MIT */
/* Judges a run by an expression of --where. */
#include "run/where.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macros.h"
#include "run/where_tree.h"

/* Of a long text so much is held against an expression. */
#define HELD_BYTES_MAX ((size_t) 64 * 1024)

static enum where_truth truth(bool is)
{
	return is ? WHERE_TRUE : WHERE_FALSE;
}

/* `order` is below, at or above 0, as the field is to the value. */
static enum where_truth by_order(enum where_operator relation, int order)
{
	switch (relation) {
	case WHERE_EQUAL:
		return truth(order == 0);
	case WHERE_UNEQUAL:
		return truth(order != 0);
	case WHERE_LESS:
		return truth(order < 0);
	case WHERE_AT_MOST:
		return truth(order <= 0);
	case WHERE_MORE:
		return truth(order > 0);
	case WHERE_AT_LEAST:
		return truth(order >= 0);
	default:
		return WHERE_UNKNOWN;
	}
}

/* Of two things that have no order. */
static enum where_truth unlike(enum where_operator relation)
{
	if (relation == WHERE_EQUAL)
		return WHERE_FALSE;
	return relation == WHERE_UNEQUAL ? WHERE_TRUE : WHERE_UNKNOWN;
}

static enum where_truth by_number(const struct where_node *node, const struct where_value *is,
	const struct where_value *value)
{
	if (is->is_integer && value->is_integer)
		return by_order(node->relation,
			(is->integer > value->integer) - (is->integer < value->integer));
	return by_order(
		node->relation, (is->number > value->number) - (is->number < value->number));
}

/* A time is a text in the record; a number is one of seconds. */
static bool time_of(const struct field *field, int64_t *ret_ns)
{
	uint64_t ns;

	if (field->type == FIELD_TEXT) {
		if (parse_rfc3339(field->text, &ns) < 0)
			return where_local_time(field->text, ret_ns);
		if (ns > INT64_MAX)
			return false;
		*ret_ns = (int64_t) ns;
		return true;
	}
	if (field->type == FIELD_BOOL || !(field->number >= 0 && field->number < 9e9))
		return false;
	*ret_ns = (int64_t) (field->number * 1e9);
	return true;
}

static enum where_truth by_time(const struct where_node *node, const struct field *field)
{
	int64_t ns;

	if (!time_of(field, &ns))
		return WHERE_UNKNOWN;
	return by_order(node->relation, (ns >= node->value.until_ns) - (ns < node->value.from_ns));
}

static enum where_truth by_bytes(const struct where_node *node, const struct field *field)
{
	size_t n = field->n < node->value.n ? field->n : node->value.n;
	int order = memcmp(field->text, node->value.text, n);

	if (order == 0)
		order = (field->n > node->value.n) - (field->n < node->value.n);
	return by_order(node->relation, order);
}

static enum where_truth by_text(const struct where_node *node, const struct field *field)
{
	struct where_value is = { 0 };
	bool ordered = node->relation != WHERE_EQUAL && node->relation != WHERE_UNEQUAL;

	if (node->unit != FIELD_PLAIN)
		return unlike(node->relation);
	/* 9 is below 10, whether a record has them as numbers or as texts. */
	if (ordered && node->value.is_number && where_number(field->text, field->n, &is))
		return by_number(node, &is, &node->value);
	return by_bytes(node, field);
}

static enum where_truth by_kind(const struct where_node *node, const struct field *field)
{
	struct where_value is = { .is_number = true,
		.is_integer = field->type == FIELD_INTEGER || field->type == FIELD_BOOL,
		.integer = field->integer,
		.number = field->number };

	if (node->value.is_time)
		return by_time(node, field);
	if (field->type == FIELD_TEXT)
		return by_text(node, field);
	if (field->type == FIELD_BOOL && node->value.is_truth)
		return by_order(node->relation, (int) field->integer - (int) node->value.truth);
	if (node->value.is_number)
		return by_number(node, &is, &node->value);
	return unlike(node->relation);
}

static bool holds(const struct where_node *node, const char *text, size_t n)
{
	char *begin = n > HELD_BYTES_MAX ? strndup(text, HELD_BYTES_MAX) : NULL;
	bool found = regexec(&node->regex, begin ? begin : text, 0, NULL, 0) == 0;

	free(begin);
	return found;
}

/* As the record has it, numbers too. */
static enum where_truth by_pattern(const struct where_node *node, const struct field *field)
{
	char number[64];
	const char *text = number;

	if (field->type == FIELD_TEXT)
		text = field->text;
	else if (field->type == FIELD_REAL)
		snprintf(number, sizeof(number), "%.17g", field->number);
	else if (field->type == FIELD_BOOL)
		text = field->integer ? "true" : "false";
	else
		snprintf(number, sizeof(number), "%lld", (long long) field->integer);
	return truth(holds(node, text, strlen(text)) != (node->relation == WHERE_HOLDS_NOT));
}

static enum where_truth compare(const struct where_node *node, const struct field *field)
{
	if (field->type == FIELD_ABSENT)
		return WHERE_UNKNOWN;
	switch (node->relation) {
	case WHERE_HOLDS:
	case WHERE_HOLDS_NOT:
	case WHERE_LIKE:
		return by_pattern(node, field);
	default:
		return by_kind(node, field);
	}
}

struct judging {
	const struct where *where;
	where_lookup *lookup;
	void *context;
};

static enum where_truth judge(const struct judging *j, const struct where_node *node);

static enum where_truth judge_both(const struct judging *j, const struct where_node *node)
{
	/* What one side alone decides: false an `and`, true an `or`. */
	enum where_truth decides = node->kind == WHERE_AND ? WHERE_FALSE : WHERE_TRUE;
	enum where_truth left = judge(j, node->left);

	if (left == decides)
		return left;
	enum where_truth right = judge(j, node->right);
	return right == decides || left != WHERE_UNKNOWN ? right : left;
}

static enum where_truth judge_field(const struct judging *j, const struct where_node *node)
{
	struct field field = j->lookup(j->where->fields[node->field], node->field, j->context);
	enum where_truth result = node->kind == WHERE_THERE ? truth(field.type != FIELD_ABSENT)
							    : compare(node, &field);

	field_done(&field);
	return result;
}

static enum where_truth judge(const struct judging *j, const struct where_node *node)
{
	enum where_truth inner;

	switch (node->kind) {
	case WHERE_OR:
	case WHERE_AND:
		return judge_both(j, node);
	case WHERE_NOT:
		inner = judge(j, node->left);
		return inner == WHERE_UNKNOWN ? inner : truth(inner == WHERE_FALSE);
	default:
		return judge_field(j, node);
	}
}

enum where_truth where_judge(const struct where *where, where_lookup *lookup, void *context)
{
	const struct judging j = { where, lookup, context };

	return where ? judge(&j, where->top) : WHERE_TRUE;
}

size_t where_n_fields(const struct where *where)
{
	return where ? where->n_fields : 0;
}

const char *where_field(const struct where *where, size_t which)
{
	return where->fields[which];
}
