/* SPDX-License-Identifier: MIT */
/* Takes the text of a configuration file apart. */
#include "cli/config_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

static bool at_end(const struct config_text *t)
{
	return t->at == t->end;
}

static char peek(const struct config_text *t)
{
	if (at_end(t))
		return '\0';
	return *t->at;
}

static char take(struct config_text *t)
{
	char c = *t->at++;

	if (c == '\n')
		t->line++;
	return c;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct config_text *t)
{
	while (is_blank(peek(t)))
		take(t);
}

static void skip_line(struct config_text *t)
{
	while (!at_end(t) && take(t) != '\n')
		;
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char) c) || c == '_' || c == '-';
}

static void take_name(struct config_text *t, struct config_line *ret)
{
	ret->name = t->at;
	while (is_name_byte(peek(t)))
		take(t);
	ret->n = (size_t) (t->at - ret->name);
}

/* Up to the end of the line, or to a blank with a # behind it. */
static void take_plain(struct config_text *t, struct buf *value)
{
	const char *begin = t->at;

	while (!at_end(t) && peek(t) != '\n' &&
		!(peek(t) == '#' && (t->at == begin || is_blank(t->at[-1]))))
		take(t);

	const char *end = t->at;
	while (end > begin && is_blank(end[-1]))
		end--;
	buf_add(value, begin, (size_t) (end - begin));
}

static void take_escaped(struct config_text *t, struct buf *value)
{
	char c = peek(t);

	if (c == 'n') {
		buf_add_char(value, '\n');
		take(t);
	} else if (c == '"' || c == '\\') {
		buf_add_char(value, take(t));
	} else {
		buf_add_char(value, '\\');
	}
}

static int take_quoted(struct config_text *t, struct buf *value, struct error *err)
{
	char quote = take(t);

	while (!at_end(t)) {
		char c = take(t);

		if (c == quote)
			return 0;
		if (c == '\\' && quote == '"')
			take_escaped(t, value);
		else if (c != '\r' || peek(t) != '\n')
			buf_add_char(value, c);
	}
	return error_say(err, -EINVAL, "a quoted value has no end");
}

static int take_value(struct config_text *t, struct config_line *ret, struct error *err)
{
	int r = 0;

	skip_blanks(t);
	ret->quote = '\0';
	if (peek(t) == '"' || peek(t) == '\'') {
		ret->quote = peek(t);
		r = take_quoted(t, &ret->value, err);
		skip_blanks(t);
		if (r == 0 && !at_end(t) && peek(t) != '\n' && peek(t) != '#')
			r = error_say(err, -EINVAL, "something stands behind the closing quote");
	} else {
		take_plain(t, &ret->value);
	}
	if (r == 0 && ret->value.failed)
		r = error_set(err, -ENOMEM, "cannot read the value");
	if (r == 0 && ret->value.len != strlen(ret->value.data))
		r = error_say(err, -EINVAL, "a value holds a NUL byte");
	return r;
}

int config_text_next(struct config_text *t, struct config_line *ret, struct error *err)
{
	skip_blanks(t);
	while (!at_end(t) && (peek(t) == '#' || peek(t) == '\n')) {
		skip_line(t);
		skip_blanks(t);
	}
	if (at_end(t))
		return 0;

	ret->line = t->line;
	buf_clear(&ret->value);
	buf_add_text(&ret->value, "");
	take_name(t, ret);
	if (ret->n == strlen("export") && strncmp(ret->name, "export", ret->n) == 0 &&
		is_blank(peek(t))) {
		skip_blanks(t);
		if (peek(t) != '=')
			take_name(t, ret);
	}
	skip_blanks(t);
	if (ret->n == 0 || peek(t) != '=')
		return error_say(err, -EINVAL, "this is not 'name = value'");
	take(t);
	int r = take_value(t, ret, err);
	if (r < 0)
		return r;
	skip_line(t);
	return 1;
}
