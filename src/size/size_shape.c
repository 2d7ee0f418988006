/* SPDX-License-Identifier: MIT */
/* Walks the words of a command: launchers, the program, its script or code, and its arguments. Each word is looked at once. */
#include "size/size_shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "size/size_launcher.h"
#include "size/size_shape_text.h"

#define CODE_MAX 60

enum place { AT_PROGRAM, IN_LAUNCHER, IN_INTERPRETER, IN_ARGUMENTS };
enum next { NOTHING, VALUE, CODE, SCRIPT };

struct walk {
	struct size_shape_text text;
	struct buf word; /* used again for each */
	enum place place;
	enum next next; /* what the option before takes */
	size_t values; /* VALUE: so many words */
	size_t before; /* IN_LAUNCHER: words before the program */
	bool verb_is_due; /* IN_LAUNCHER */
	bool by_letter, had_code; /* IN_INTERPRETER */
	const struct size_launcher *launcher;
	const struct size_interpreter *interpreter;
};

/* In quotes where a shell would need them: a blank within a word is none between two. */
static void add_quoted(struct walk *w, const char *s, size_t n)
{
	buf_clear(&w->word);
	text_add_shell_word(&w->word, s, n);
	if (w->word.failed)
		w->text.out.failed = true;
	else
		size_shape_add_word(&w->text, w->word.data, w->word.len);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The end of the number that begins at `at`: 12, 0.5, 1e-3. */
static size_t number_end(const char *s, size_t n, size_t at)
{
	while (at < n && (is_digit(s[at]) || (s[at] == '.' && at + 1 < n && is_digit(s[at + 1]))))
		at++;
	if (at + 1 < n && (s[at] == 'e' || s[at] == 'E')) {
		size_t digit = at + 1 + (s[at + 1] == '-' || s[at + 1] == '+');

		if (digit < n && is_digit(s[digit]))
			while (digit < n && is_digit(s[digit]))
				at = ++digit;
	}
	return at;
}

static void add_code(struct walk *w, const char *s, size_t n)
{
	char begin[CODE_MAX];
	size_t length = 0;
	uint64_t hash = SIZE_HASH_START;

	for (size_t at = 0; at < n; length++) {
		char c = s[at];

		if (is_digit(c)) {
			c = '*';
			at = number_end(s, n, at);
		} else {
			at++;
		}
		if (length < CODE_MAX)
			begin[length] = c;
		hash = size_hash_add(hash, &c, 1);
	}
	if (length > CODE_MAX) {
		snprintf(begin, sizeof(begin), "#%08" PRIx32, (uint32_t) (hash ^ hash >> 32));
		size_shape_add_word(&w->text, begin, strlen(begin));
	} else {
		add_quoted(w, begin, length);
	}
}

static void add_ordinary(struct walk *w, const char *s, size_t n)
{
	char value[SIZE_WORD_SIZE];

	switch (size_word_look(s, n, value)) {
	case SIZE_WORD_NAME:
		size_shape_add_word(&w->text, s, n);
		break;
	case SIZE_WORD_SIGN:
		add_quoted(w, s, n);
		break;
	case SIZE_WORD_OPTION:
		size_shape_add_option(&w->text, s, n);
		break;
	case SIZE_WORD_VALUE:
		size_shape_add_value(&w->text, value);
		break;
	}
}

/* It is a value, whatever it looks like: the name of a queue, of an environment. */
static void add_value(struct walk *w, const char *s, size_t n)
{
	char value[SIZE_WORD_SIZE];

	size_word_look(s, n, value);
	size_shape_add_value(&w->text, value);
}

static void add_program(struct walk *w, const char *s)
{
	const char *base = size_word_base(s);

	add_quoted(w, base, strlen(base));
	w->launcher = size_launcher_of(base);
	w->interpreter = size_interpreter_of(base);
	w->place = IN_ARGUMENTS;
	if (w->launcher) {
		w->place = IN_LAUNCHER;
		w->before = w->launcher->before;
		w->verb_is_due = w->launcher->verbs != NULL;
	} else if (w->interpreter) {
		w->place = IN_INTERPRETER;
		w->by_letter = false;
		w->had_code = false;
	}
}

static bool is_option(const char *s, size_t n)
{
	return n > 1 && s[0] == '-' && strcmp(s, "--") != 0;
}

static bool has_letter(const char *letters, char c)
{
	return letters && c && strchr(letters, c);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Adds "-o*" of -oFILE: the option up to the letter at `last`, and a value that is written right behind it. */
static void add_attached(struct walk *w, const char *s, size_t last)
{
	char value[SIZE_WORD_SIZE];
	size_t n = last < SIZE_WORD_NAME_MAX ? last + 1 : SIZE_WORD_NAME_MAX;

	snprintf(value, sizeof(value), "%.*s*", (int) n, s);
	size_shape_add_value(&w->text, value);
}

/* -p WORD, -vp WORD, -pWORD; -np WORD and --partition WORD. */
static void add_launcher_option(struct walk *w, const char *s, size_t n)
{
	const struct size_launcher *l = w->launcher;
	size_t dashes = 1 + (s[1] == '-');

	w->values = size_launcher_lists(l->words, s + dashes, n - dashes);
	if (size_launcher_lists(l->pairs, s + dashes, n - dashes))
		w->values = 2;
	for (size_t at = 1; dashes == 1 && w->values == 0 && is_letter(s[at]); at++) {
		if (!has_letter(l->letters, s[at]))
			continue;
		if (at + 1 < n) {
			add_attached(w, s, at);
			return;
		}
		w->values = 1;
	}
	w->next = w->values ? VALUE : NOTHING;
	add_ordinary(w, s, n);
}

static void add_launcher_word(struct walk *w, const char *s, size_t n)
{
	char value[SIZE_WORD_SIZE];

	if (is_option(s, n)) {
		add_launcher_option(w, s, n);
	} else if (strcmp(s, "--") == 0) {
		add_ordinary(w, s, n);
	} else if (w->verb_is_due) {
		w->verb_is_due = false;
		if (!size_launcher_lists(w->launcher->verbs, s, n))
			w->place = IN_ARGUMENTS;
		if (size_launcher_lists(w->launcher->at_once, s, n))
			w->before = 0;
		add_ordinary(w, s, n);
	} else if (size_word_look(s, n, value) == SIZE_WORD_VALUE && strchr(value, '=')) {
		size_shape_add_value(&w->text, value); /* env NAME=VALUE */
	} else if (w->before > 0) {
		w->before--;
		add_value(w, s, n);
	} else {
		add_program(w, s);
	}
}

static void add_script(struct walk *w, const char *s)
{
	const char *base = size_word_base(s);

	add_quoted(w, base, strlen(base));
	w->place = IN_ARGUMENTS;
}

static void take_code(struct walk *w, const char *s, size_t n)
{
	add_code(w, s, n);
	w->had_code = true;
	if (!w->interpreter->code_may_follow)
		w->place = IN_ARGUMENTS;
}

/* -c CODE, -lane CODE, -cCODE, -W WORD, -WWORD. Returns whether the word is added already. */
static bool take_letters(struct walk *w, const char *s, size_t n)
{
	const struct size_interpreter *i = w->interpreter;

	for (size_t at = 1; is_letter(s[at]); at++) {
		bool is_last = at + 1 == n;

		if (has_letter(i->code, s[at]) && i->first == CODE_BY_LETTER) {
			w->by_letter = true;
		} else if (has_letter(i->code, s[at])) {
			w->next = is_last ? CODE : NOTHING;
			if (is_last)
				return false;
			size_shape_add_word(&w->text, s, at + 1);
			take_code(w, s + at + 1, n - at - 1);
			return true;
		} else if (has_letter(i->letters, s[at])) {
			w->next = is_last ? VALUE : NOTHING;
			w->values = is_last;
			if (is_last)
				return false;
			add_attached(w, s, at);
			return true;
		}
	}
	return false;
}

static void add_interpreter_option(struct walk *w, const char *s, size_t n)
{
	const struct size_interpreter *i = w->interpreter;
	size_t name = strcspn(s, "=");

	if (size_launcher_lists(i->script_words, s, n)) {
		w->next = SCRIPT;
	} else if (size_launcher_lists(i->code_words, s, n)) {
		w->next = CODE;
	} else if (size_launcher_lists(i->code_words, s, name)) {
		size_shape_add_word(&w->text, s, name + 1);
		take_code(w, s + name + 1, n - name - 1);
		return;
	} else if (size_launcher_lists(i->value_words, s, n)) {
		w->next = VALUE;
		w->values = 1;
	} else if (s[1] != '-' && take_letters(w, s, n)) {
		return;
	}
	add_ordinary(w, s, n);
}

static void add_interpreter_word(struct walk *w, const char *s, size_t n)
{
	const struct size_interpreter *i = w->interpreter;

	if (is_option(s, n)) {
		add_interpreter_option(w, s, n);
	} else if (strcmp(s, "--") == 0) {
		add_ordinary(w, s, n);
	} else if (w->had_code) {
		w->place = IN_ARGUMENTS;
		add_ordinary(w, s, n);
	} else if (i->first == FIRST_IS_CODE || (i->first == CODE_BY_LETTER && w->by_letter)) {
		take_code(w, s, n);
	} else {
		add_script(w, s);
	}
}

static void add_taken(struct walk *w, const char *s, size_t n)
{
	enum next next = w->next;

	if (next == VALUE)
		add_value(w, s, n);
	if (next == VALUE && --w->values > 0)
		return;
	w->next = NOTHING;
	if (next == CODE)
		take_code(w, s, n);
	else if (next == SCRIPT)
		add_script(w, s);
}

char *size_shape_of(char *const *argv, size_t argc)
{
	struct walk w = { .place = AT_PROGRAM };

	for (size_t i = 0; i < argc; i++) {
		size_t n = strlen(argv[i]);

		if (w.next != NOTHING)
			add_taken(&w, argv[i], n);
		else if (w.place == AT_PROGRAM)
			add_program(&w, argv[i]);
		else if (w.place == IN_LAUNCHER)
			add_launcher_word(&w, argv[i], n);
		else if (w.place == IN_INTERPRETER)
			add_interpreter_word(&w, argv[i], n);
		else
			add_ordinary(&w, argv[i], n);
	}
	buf_done(&w.word);
	return size_shape_take(&w.text);
}

#define NAME_MAX_SHOWN 500

char *size_shape_with_job(char *shape, const char *name)
{
	struct buf out = { 0 };
	size_t n = strnlen(name, NAME_MAX_SHOWN);

	buf_addf(&out, "%s%s(job ", shape ? shape : "", shape ? " " : "");
	for (size_t at = 0; at < n;) {
		size_t digits = strspn(name + at, "0123456789");

		if (digits > 0)
			buf_add_char(&out, '*');
		else
			buf_add_char(&out, name[at]);
		at += digits > 0 ? digits : 1;
	}
	buf_add_text(&out, ")");
	free(shape);
	return buf_take(&out);
}
