/* SPDX-License-Identifier: MIT */
/* What is usually secret in the words of a command. Rather too much is taken for a secret than too little: only a blank ends a value. */
#include "base/secrets.h"

#include <string.h>

#include "base/macros.h"

struct scan {
	const char *word;
	size_t n;
	char *marks;
	size_t last_quote[2]; /* behind the last ' and " */
	size_t no_at_before; /* there is no @ between where it was looked for and here */
	bool next;
};

/* Whatever the locale. */
static char lower(char c)
{
	return (char) (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_letter(char c)
{
	return lower(c) >= 'a' && lower(c) <= 'z';
}

static bool is_of_name(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* `small` is in small letters. */
static bool begins(const char *text, size_t n, const char *small)
{
	size_t i = 0;

	for (; small[i]; i++)
		if (i == n || lower(text[i]) != small[i])
			return false;
	return true;
}

static bool ends(const char *text, size_t n, const char *small)
{
	size_t length = strlen(small);

	return n >= length && begins(text + n - length, length, small);
}

static bool is_one_of(const char *text, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && begins(text, n, *list))
			return true;
	return false;
}

static bool is_joint(char c)
{
	return c == '_' || c == '-' || c == '.';
}

/* "token" at `at` of a name: not that of "tokenizer" or "max_tokens", nor one of those of a model's text, as "pad_token" and "token_dim". */
static bool is_secret_token(const char *name, size_t n, size_t at)
{
	static const char *const before[] = { "bos", "cls", "eos", "mask", "max", "min", "num",
		"pad", "per", "sep", "unk", NULL };
	static const char *const behind[] = { "count", "dim", "id", "ids", "len", "length", "limit",
		"size", "type", NULL };
	size_t end = at + strlen("token");
	size_t first = at;
	size_t last = end + 1;

	if (end < n && is_letter(name[end]))
		return false;
	if (at > 0 && is_joint(name[at - 1])) {
		for (first = at - 1; first > 0 && is_letter(name[first - 1]); first--)
			;
		if (is_one_of(name + first, at - 1 - first, before))
			return false;
	}
	if (end == n || !is_joint(name[end]))
		return true;
	while (last < n && is_letter(name[last]))
		last++;
	return !is_one_of(name + end + 1, last - end - 1, behind);
}

static bool is_secret_name(const char *name, size_t n)
{
	static const char *const parts[] = { "password", "passwd", "secret", "apikey", "api_key",
		"api-key" };

	for (size_t at = 0; at < n; at++) {
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			if (begins(name + at, n - at, parts[i]))
				return true;
		if (begins(name + at, n - at, "token") && is_secret_token(name, n, at))
			return true;
	}
	return false;
}

/* "--password VALUE": an option, and none that is known to have another value, or none. */
static bool takes_word(const char *name, size_t n)
{
	static const char *const other[] = { "stdin", "file", "path", "fd", "prompt" };

	if (name[0] != '-' || begins(name, n, "--no-"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		if (ends(name, n, other[i]))
			return false;
	return true;
}

static void mark(struct scan *s, size_t from, size_t to)
{
	if (to > from)
		memset(s->marks + from, 1, to - from);
}

/* Behind the next quote of that kind from `at` on; 0: there is none. */
static size_t behind_quote(const struct scan *s, char quote, size_t at)
{
	if (at >= s->last_quote[quote == '"'])
		return 0;
	const char *found = memchr(s->word + at, quote, s->n - at);
	return found ? (size_t) (found - s->word) + 1 : 0;
}

/* Up to the next blank that is neither escaped nor between quotes. */
static size_t end_of_value(const struct scan *s, size_t at)
{
	size_t begin = at;

	while (at < s->n && !is_blank(s->word[at])) {
		char c = s->word[at++];
		size_t behind = c == '\'' || c == '"' ? behind_quote(s, c, at) : 0;

		if (behind)
			at = behind;
		else if ((c == '\'' || c == '"') && at == begin + 1)
			return s->n;
		else if (c == '\\' && at < s->n)
			at++;
	}
	return at;
}

/* The value of what is called name=: all that follows where the word begins so, or up to the quote that stands before the name as well. */
static size_t end_of_assigned(const struct scan *s, size_t name, size_t value)
{
	char before = '\0';

	if (name == 0)
		return s->n;
	before = s->word[name - 1];
	if (before == '\'' || before == '"') {
		size_t behind = behind_quote(s, before, value);

		return behind ? behind - 1 : s->n;
	}
	return end_of_value(s, value);
}

/* Behind the secret name between `name` and `end`; returns from where to go on. */
static size_t take_value(struct scan *s, size_t name, size_t end)
{
	size_t value = end;

	if (end < s->n && s->word[end] == '=') {
		value = end_of_assigned(s, name, end + 1);
		mark(s, end + 1, value);
		return value;
	}
	if (!takes_word(s->word + name, end - name))
		return end;
	while (value < s->n && is_blank(s->word[value]))
		value++;
	if (value == s->n) {
		s->next = true;
		return value;
	}
	if (value == end || begins(s->word + value, s->n - value, "--"))
		return value;
	size_t behind = end_of_value(s, value);
	mark(s, value, behind);
	return behind;
}

/* The @ behind `at` and before the next blank; the length of the word: none. */
static size_t find_at(struct scan *s, size_t at)
{
	if (at < s->no_at_before)
		return s->n;
	while (at < s->n && s->word[at] != '@' && !is_blank(s->word[at]))
		at++;
	if (at < s->n && s->word[at] == '@')
		return at;
	s->no_at_before = at;
	return s->n;
}

static bool is_number(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return true;
}

/* "://user:password@" at `at`; returns from where to go on. A password may have a / that ought to be escaped; a port is none. */
static size_t take_url(struct scan *s, size_t at)
{
	size_t begin = at + 3;
	size_t colon = s->n;
	size_t sign = s->n;
	size_t end = begin;

	for (; end < s->n && !is_blank(s->word[end]) && !strchr("/?#", s->word[end]); end++) {
		if (s->word[end] == ':' && colon == s->n)
			colon = end;
		if (s->word[end] == '@')
			sign = end;
	}
	if (colon == s->n || sign < colon || (sign == s->n && s->word[begin] == '['))
		return begin;
	if (sign == s->n && !is_number(s->word + colon + 1, end - colon - 1))
		sign = find_at(s, end);
	if (sign == s->n)
		return begin;
	mark(s, colon + 1, sign);
	return sign + 1;
}

static void scan_word(struct scan *s)
{
	size_t at = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->word[i] == '\'' || s->word[i] == '"')
			s->last_quote[s->word[i] == '"'] = i + 1;
	while (at < s->n) {
		size_t end = at;

		if (begins(s->word + at, s->n - at, "://")) {
			at = take_url(s, at);
			continue;
		}
		while (end < s->n && is_of_name(s->word[end]))
			end++;
		if (end == at)
			at++;
		else if (is_secret_name(s->word + at, end - at))
			at = take_value(s, at, end);
		else
			at = end;
	}
}

void secrets_mark(const char *word, size_t n, bool *next, char *marks)
{
	struct scan s = { .word = word, .n = n };

	s.marks = marks;
	/* Another option follows one that has no value after all. */
	if (*next && !begins(word, n, "--"))
		mark(&s, 0, n);
	else
		scan_word(&s);
	*next = s.next;
}
