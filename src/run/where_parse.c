/* SPDX-License-Identifier: MIT */
/* Parses an expression of --where, by recursive descent with bounds. */
#include "run/where_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bounded_regex.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/utf8.h"

#define OPERATORS_TEXT "= != < <= > >= ~ !~ like"

struct parser {
	const char *text, *at;
	uint64_t now_ns;
	struct where *where;
	int depth;
	struct error *err;
	int code; /* of the first error */
};

static struct where_node *either(struct parser *p);

/* What people count: characters from 1 on. */
static size_t column(const struct parser *p, const char *at)
{
	size_t n = 1;

	for (const char *c = p->text; c < at; c++)
		n += (*c & 0xc0) != 0x80;
	return n;
}

/* Says where it is wrong, what was expected, and what stands there. */
static void *wrong(struct parser *p, const char *at, const char *expected)
{
	struct buf found = { 0 };
	size_t n = strcspn(at, " \t\n");

	if (p->code < 0)
		return NULL;
	if (*at) {
		buf_add_text(&found, ", not '");
		text_add_printable(&found, at, n > 40 ? 40 : n ? n : 1);
		buf_add_char(&found, '\'');
	} else {
		buf_add_text(&found, ", not the end");
	}
	p->code = error_say(p->err, -EINVAL, "column %zu: %s%s", column(p, at), expected,
		found.data ? found.data : "");
	buf_done(&found);
	return NULL;
}

static void *no_memory(struct parser *p)
{
	if (p->code == 0)
		p->code = error_set(p->err, -ENOMEM, "cannot keep the expression");
	return NULL;
}

static void pass_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t\n\r");
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("_.:@-", c)) || (c & 0x80);
}

static size_t name_length(const char *at)
{
	size_t n = 0;

	while (is_name_char(at[n]))
		n++;
	return n;
}

/* The word, or the sign that means the same, if it stands here. */
static bool take_word(struct parser *p, const char *word, const char *sign)
{
	size_t n = strlen(word);

	pass_blanks(p);
	if (name_length(p->at) == n && strncasecmp(p->at, word, n) == 0) {
		p->at += n;
		return true;
	}
	if (!sign || strncmp(p->at, sign, strlen(sign)) != 0)
		return false;
	p->at += strlen(sign);
	return true;
}

static struct where_node *new_node(
	struct parser *p, enum where_kind kind, struct where_node *left, struct where_node *right)
{
	struct where *w = p->where;

	if (w->n_nodes == WHERE_NODES_MAX)
		return wrong(p, p->at, "the expression has more than 256 parts; less is expected");
	w->nodes[w->n_nodes] = (struct where_node){ .kind = kind, .left = left, .right = right };
	return &w->nodes[w->n_nodes++];
}

/* What stands between two quotes of the kind that it begins with; heap. */
static char *quoted(struct parser *p, size_t *ret_n)
{
	const char *begin = p->at;
	char quote = *p->at++;
	char *text = malloc(strlen(p->at) + 1);
	size_t n = 0;

	if (!text)
		return no_memory(p);
	while (*p->at && *p->at != quote) {
		if (*p->at == '\\' && p->at[1])
			p->at++;
		text[n++] = *p->at++;
	}
	text[n] = '\0';
	*ret_n = n;
	if (*p->at) {
		p->at++;
		return text;
	}
	free(text);
	return wrong(p, begin, "the quote is never closed");
}

/* Up to a blank, a parenthesis, a quote or a sign that joins. */
static size_t bare_length(const char *at)
{
	size_t n = 0;

	while (at[n] && !strchr(" \t\n\r()'\"`", at[n]) && strncmp(at + n, "&&", 2) != 0 &&
		strncmp(at + n, "||", 2) != 0)
		n++;
	return n;
}

static char *value_text(struct parser *p, size_t *ret_n)
{
	pass_blanks(p);
	if (*p->at == '\'' || *p->at == '"')
		return quoted(p, ret_n);
	*ret_n = bare_length(p->at);
	if (*ret_n == 0)
		return wrong(p, p->at, "a value is expected behind the operator");
	p->at += *ret_n;
	char *text = strndup(p->at - *ret_n, *ret_n);
	return text ? text : no_memory(p);
}

/* The number of the field, kept once; takes the name over. */
static bool keep_field(struct parser *p, char *name, size_t *ret)
{
	struct where *w = p->where;

	for (*ret = 0; *ret < w->n_fields; ++*ret) {
		if (strcmp(w->fields[*ret], name) == 0) {
			free(name);
			return true;
		}
	}
	if (w->n_fields == WHERE_NODES_MAX) {
		free(name);
		no_memory(p);
		return false;
	}
	w->fields[w->n_fields++] = name;
	return true;
}

static bool is_reserved(const char *at, size_t n)
{
	static const char *const words[] = { "and", "or", "not", "like" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && strncasecmp(words[i], at, n) == 0)
			return true;
	return false;
}

static bool take_field(struct parser *p, size_t *ret)
{
	size_t n;
	char *name;

	pass_blanks(p);
	if (*p->at == '`') {
		name = quoted(p, &n);
		return name && keep_field(p, name, ret);
	}
	n = name_length(p->at);
	if (n == 0 || is_reserved(p->at, n)) {
		wrong(p, p->at, "the name of a field, 'not' or '(' is expected");
		return false;
	}
	char *word = strndup(p->at, n);
	/* What the column of that title shows, which may be a signal or a limit, and not the exit code alone. */
	name = word && strcmp(word, "exit") == 0 ? strdup(word) : word ? field_meant(word) : NULL;
	free(word);
	if (!name) {
		no_memory(p);
		return false;
	}
	p->at += n;
	return keep_field(p, name, ret);
}

static bool take_operator(struct parser *p, enum where_operator *ret)
{
	static const struct {
		const char *text;
		enum where_operator relation;
	} relations[] = { { "==", WHERE_EQUAL }, { "!=", WHERE_UNEQUAL }, { "!~", WHERE_HOLDS_NOT },
		{ "<=", WHERE_AT_MOST }, { ">=", WHERE_AT_LEAST }, { "=", WHERE_EQUAL },
		{ "<", WHERE_LESS }, { ">", WHERE_MORE }, { "~", WHERE_HOLDS } };

	if (take_word(p, "like", NULL)) {
		*ret = WHERE_LIKE;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(relations); i++) {
		if (strncmp(p->at, relations[i].text, strlen(relations[i].text)) == 0) {
			p->at += strlen(relations[i].text);
			*ret = relations[i].relation;
			return true;
		}
	}
	return false;
}

static bool is_of_text(enum where_operator relation)
{
	return relation == WHERE_HOLDS || relation == WHERE_HOLDS_NOT || relation == WHERE_LIKE;
}

/* What is wrong with a value is told with the field's name: its unit follows from it. */
static void *wrong_value(struct parser *p, const char *at, size_t field, const char *why)
{
	struct buf text = { 0 };

	buf_addf(&text, "%.60s: %s", p->where->fields[field], why);
	wrong(p, at, text.data ? text.data : why);
	buf_done(&text);
	return NULL;
}

/* One of [...]; what follows the bracket is returned. Without an end it is a character like another. */
static const char *add_bracket(const char *at, struct buf *out)
{
	const char *end = at + 1;

	end += *end == '!' || *end == '^';
	end += *end == ']';
	end += strcspn(end, "]");
	if (!*end) {
		buf_add_text(out, "\\[");
		return at + 1;
	}
	buf_add_char(out, '[');
	at++;
	if (*at == '!') {
		buf_add_char(out, '^');
		at++;
	}
	buf_add(out, at, (size_t) (end + 1 - at));
	return end + 1;
}

/* A glob as the expression that says the same: fnmatch(3) takes exponential time for some. */
static void add_glob(const char *at, struct buf *out)
{
	buf_add_char(out, '^');
	while (*at) {
		if (*at == '[') {
			at = add_bracket(at, out);
			continue;
		}
		bool plain = *at == '\\' && at[1];
		at += plain;
		if (*at == '*' && !plain)
			buf_add_text(out, ".*");
		else if (*at == '?' && !plain)
			buf_add_char(out, '.');
		else
			buf_addf(out, "%s%c", strchr(".[]()*+?{}|^$\\", *at) ? "\\" : "", *at);
		at++;
	}
	buf_add_char(out, '$');
}

static bool compile(struct parser *p, struct where_node *node, const char *at)
{
	char why[BOUNDED_REGEX_WHY_SIZE];
	struct buf glob = { 0 };
	int r;

	if (node->relation == WHERE_LIKE)
		add_glob(node->value.text, &glob);
	r = glob.failed ? -ENOMEM
			: bounded_regex_compile(
				  &node->regex, glob.data ? glob.data : node->value.text, why);
	buf_done(&glob);
	node->has_regex = r == 0;
	if (r == -ENOMEM)
		no_memory(p);
	else if (r < 0 && p->code == 0)
		p->code = error_say(p->err, r, "column %zu: the expression %s", column(p, at), why);
	return r == 0;
}

/* "state = failed": the column says "done" of what ended well or not; it is another field that tells. */
static struct where_node *told_by_end(struct parser *p, struct where_node *node)
{
	char *name = strdup("failed");

	if (!name)
		return no_memory(p);
	node->kind = WHERE_THERE;
	if (!keep_field(p, name, &node->field))
		return NULL;
	return node->relation == WHERE_EQUAL ? node : new_node(p, WHERE_NOT, node, NULL);
}

static bool asks_for_failure(const struct parser *p, const struct where_node *node)
{
	return strcmp(p->where->fields[node->field], "state") == 0 &&
	       (node->relation == WHERE_EQUAL || node->relation == WHERE_UNEQUAL) &&
	       strcasecmp(node->value.text, "failed") == 0;
}

/* The column has KILL, the field "signal" SIGKILL: either is understood. */
static void without_sig(
	const struct parser *p, const struct where_node *node, char *text, size_t *n)
{
	if (is_of_text(node->relation) || strcmp(p->where->fields[node->field], "exit") != 0 ||
		strncmp(text, "SIG", 3) != 0)
		return;
	*n -= 3;
	memmove(text, text + 3, *n + 1);
}

static struct where_node *comparison(struct parser *p)
{
	struct error why = { 0 };
	enum where_operator relation;
	size_t field;
	size_t n;

	if (!take_field(p, &field))
		return NULL;
	struct where_node *node = new_node(p, WHERE_THERE, NULL, NULL);
	if (!node)
		return NULL;
	node->field = field;
	if (!take_operator(p, &relation))
		return node;
	pass_blanks(p);
	const char *at = p->at;
	char *text = value_text(p, &n);
	if (!text)
		return NULL;
	node->kind = WHERE_COMPARE;
	node->relation = relation;
	node->unit = is_of_text(relation) ? FIELD_PLAIN : field_unit(p->where->fields[field]);
	without_sig(p, node, text, &n);
	if (where_value_read(text, n, node->unit, p->now_ns, &node->value, &why) < 0)
		return wrong_value(p, at, field, why.text);
	if (is_of_text(relation) && !compile(p, node, at))
		return NULL;
	return asks_for_failure(p, node) ? told_by_end(p, node) : node;
}

static struct where_node *term(struct parser *p)
{
	struct where_node *inner;
	bool negated;

	if (p->depth == WHERE_DEPTH_MAX)
		return wrong(p, p->at, "it is nested more than 50 deep; less is expected");
	p->depth++;
	negated = take_word(p, "not", "!");
	pass_blanks(p);
	if (negated) {
		inner = term(p);
		if (inner)
			inner = new_node(p, WHERE_NOT, inner, NULL);
	} else if (*p->at == '(') {
		p->at++;
		inner = either(p);
		pass_blanks(p);
		if (inner && *p->at != ')')
			inner = wrong(p, p->at,
				"an operator (" OPERATORS_TEXT "), 'and', 'or' or ')' is expected");
		p->at += inner != NULL;
	} else {
		inner = comparison(p);
	}
	p->depth--;
	return inner;
}

static struct where_node *all(struct parser *p)
{
	struct where_node *left = term(p);

	while (left && take_word(p, "and", "&&")) {
		struct where_node *right = term(p);

		left = right ? new_node(p, WHERE_AND, left, right) : NULL;
	}
	return left;
}

static struct where_node *either(struct parser *p)
{
	struct where_node *left = all(p);

	while (left && take_word(p, "or", "||")) {
		struct where_node *right = all(p);

		left = right ? new_node(p, WHERE_OR, left, right) : NULL;
	}
	return left;
}

int where_parse(const char *text, uint64_t now_realtime_ns, struct where **ret, struct error *err)
{
	struct parser p = { .text = text, .at = text, .now_ns = now_realtime_ns, .err = err };

	*ret = NULL;
	if (strlen(text) > WHERE_TEXT_MAX)
		return error_say(
			err, -EINVAL, "the expression is longer than %d bytes", WHERE_TEXT_MAX);
	p.where = calloc(1, sizeof(*p.where));
	if (!p.where)
		return error_set(err, -ENOMEM, "cannot keep the expression");
	p.where->top = either(&p);
	pass_blanks(&p);
	if (p.where->top && *p.at)
		wrong(&p, p.at,
			"an operator (" OPERATORS_TEXT "), 'and', 'or' or the end is expected");
	if (p.code < 0) {
		where_free(p.where);
		return p.code;
	}
	*ret = p.where;
	return 0;
}

struct where *where_free(struct where *where)
{
	if (!where)
		return NULL;
	for (size_t i = 0; i < where->n_nodes; i++) {
		where_value_done(&where->nodes[i].value);
		if (where->nodes[i].has_regex)
			regfree(&where->nodes[i].regex);
	}
	for (size_t i = 0; i < where->n_fields; i++)
		free(where->fields[i]);
	free(where);
	return NULL;
}
