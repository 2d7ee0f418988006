/* SPDX-License-Identifier: MIT */
/* Tells names from values by their letters: of a run, nothing else is known of what its words mean. */
#include "size/size_word.h"

#include <string.h>

#include "base/macros.h"

#define EXTENSION_MAX 8
#define UNIT_MAX 3 /* "GiB", "min" */

/* isalpha(3) and others ask the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_byte(char c)
{
	return is_letter(c) || c == '-' || c == '_';
}

static bool is_option_byte(char c)
{
	return is_name_byte(c) || is_digit(c) || c == '.' || c == '+' || c == ':';
}

static bool is_sign(const char *s, size_t n)
{
	bool dots_only = true;

	for (size_t i = 0; i < n; i++) {
		if (s[i] <= ' ' || s[i] > '~' || s[i] == '/' || is_letter(s[i]) || is_digit(s[i]))
			return false;
		dots_only = dots_only && s[i] == '.';
	}
	return n > 0 && n <= 8 && !dots_only; /* "." and ".." are directories */
}

static bool is_name(const char *s, size_t n)
{
	if (n == 0 || n > SIZE_WORD_NAME_MAX || s[0] == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_name_byte(s[i]))
			return false;
	return true;
}

/* 5, -0.1, 1e-3, 10G, 5%, 1-22, 1,2,3, 01:30:00, 2026-01-31, 10x20: what is no file although it may have a dot. */
static bool is_number(const char *s, size_t n)
{
	size_t at = n > 0 && (s[0] == '-' || s[0] == '+');
	size_t letters = 0;

	if (at < n && s[at] == '.')
		at++;
	if (at >= n || !is_digit(s[at]))
		return false;
	for (; at < n; at++) {
		letters = is_letter(s[at]) ? letters + 1 : 0;
		if (letters > UNIT_MAX)
			return false;
		if (s[at] == '.' && (at + 1 >= n || !is_digit(s[at + 1])))
			return false;
		if (!letters && !is_digit(s[at]) && (!s[at] || !strchr(".,:%+-_", s[at])))
			return false;
	}
	return true;
}

/* Where the extension of a file begins (its dot) that ends at `end`; `end`: it has none. More than one digit is a counter, as is a digit alone. */
static size_t extension_before(const char *s, size_t end)
{
	size_t dot = end;
	size_t letters = 0;
	size_t digits = 0;

	while (dot > 0 && end - dot <= EXTENSION_MAX &&
		(is_letter(s[dot - 1]) || is_digit(s[dot - 1]))) {
		letters += is_letter(s[dot - 1]);
		digits += is_digit(s[dot - 1]);
		dot--;
	}
	/* ".bashrc" is a name */
	if (dot < 2 || s[dot - 1] != '.' || letters == 0 || digits > 1 || end - dot > EXTENSION_MAX)
		return end;
	return dot - 1;
}

static bool is_packed(const char *extension)
{
	static const char *const packed[] = { ".gz", ".bgz", ".bz2", ".xz", ".zst", ".lz4", ".lzma",
		".z", ".zip" };

	for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
		if (strcmp(extension, packed[i]) == 0)
			return true;
	return false;
}

static void set_lower(char *ret, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = (char) (s[i] >= 'A' && s[i] <= 'Z' ? s[i] - 'A' + 'a' : s[i]);
	ret[n] = '\0';
}

static void set_file(const char *s, size_t n, char ret[SIZE_WORD_SIZE])
{
	const char *slash = memrchr(s, '/', n);
	size_t begin = slash ? (size_t) (slash - s) + 1 : 0;
	size_t length = n - begin;
	size_t dot = extension_before(s + begin, length);

	ret[0] = '*';
	set_lower(ret + 1, s + begin + dot, length - dot);
	if (is_packed(ret + 1)) {
		dot = extension_before(s + begin, dot);
		set_lower(ret + 1, s + begin + dot, length - dot);
	}
}

/* "KEY=" of KEY=VALUE, "--name=" of --name=value; 0: it is none. */
static size_t key_length(const char *s, size_t n)
{
	size_t at = 0;

	if (n == 0 || is_digit(s[0]) || s[0] == '.' || s[0] == ':')
		return 0;
	while (at < n && at < SIZE_WORD_NAME_MAX &&
		(is_option_byte(s[at]) || (at == 0 && s[at] == '~')))
		at++;
	return at > 0 && at < n && s[at] == '=' ? at + 1 : 0;
}

/* "KEY=*": n is SIZE_WORD_NAME_MAX + 1 at most. */
static void set_begin(const char *s, size_t n, char ret[SIZE_WORD_SIZE])
{
	memcpy(ret, s, n);
	memcpy(ret + n, "*", 2);
}

static enum size_word_kind look_at_option(const char *s, size_t n, char ret[SIZE_WORD_SIZE])
{
	bool is_long = s[1] == '-';
	size_t name = 1;

	while (name < n && name < SIZE_WORD_NAME_MAX &&
		(is_long ? is_option_byte(s[name]) : is_name_byte(s[name])))
		name++;
	if (name == n || (n == 2 && is_digit(s[1])))
		return SIZE_WORD_OPTION;
	if (!is_long && name > 1 && name < SIZE_WORD_NAME_MAX) /* "-j8" */
		set_begin(s, name, ret);
	return SIZE_WORD_VALUE;
}

enum size_word_kind size_word_look(const char *s, size_t n, char ret[SIZE_WORD_SIZE])
{
	size_t key = key_length(s, n);

	ret[0] = '*';
	ret[1] = '\0';
	if (key > 0) {
		set_begin(s, key, ret);
		return SIZE_WORD_VALUE;
	}
	if (is_sign(s, n))
		return SIZE_WORD_SIGN;
	if (n > 1 && s[0] == '-')
		return look_at_option(s, n, ret);
	if (is_name(s, n))
		return SIZE_WORD_NAME;
	if (!is_number(s, n))
		set_file(s, n, ret);
	return SIZE_WORD_VALUE;
}

const char *size_word_base(const char *word)
{
	const char *slash = strrchr(word, '/');

	return slash ? slash + 1 : word;
}
