/* SPDX-License-Identifier: MIT */
/* What a --where expression is made into; for its parser and its judge alone. */
#ifndef ASSAY_RUN_WHERE_TREE_H
#define ASSAY_RUN_WHERE_TREE_H

#include <regex.h>
#include <stdbool.h>

#include "run/where.h"
#include "run/where_value.h"

enum where_kind { WHERE_OR, WHERE_AND, WHERE_NOT, WHERE_THERE, WHERE_COMPARE };

enum where_operator {
	WHERE_EQUAL,
	WHERE_UNEQUAL,
	WHERE_LESS,
	WHERE_AT_MOST,
	WHERE_MORE,
	WHERE_AT_LEAST,
	WHERE_HOLDS,
	WHERE_HOLDS_NOT,
	WHERE_LIKE,
	N_WHERE_OPERATOR
};

struct where_node {
	enum where_kind kind;
	const struct where_node *left, *right; /* NOT has a left one alone */
	size_t field; /* of THERE and COMPARE */
	enum where_operator relation;
	enum field_unit unit;
	struct where_value value;
	regex_t regex;
	bool has_regex;
};

struct where {
	struct where_node nodes[WHERE_NODES_MAX];
	size_t n_nodes;
	char *fields[WHERE_NODES_MAX];
	size_t n_fields;
	const struct where_node *top;
};

#endif
