/* SPDX-License-Identifier: MIT */
/* Reads the #SBATCH lines of a batch script as sbatch(1) does. */
#include "size/size_directives.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where a walk through one word stands. */
struct walk {
	const char *script;
	size_t at, end; /* the end of the line */
	char quote; /* that is open, or 0 */
	bool blank; /* a backslash took a blank outside of quotes */
};

static bool is_space(char c)
{
	return isspace((unsigned char) c);
}

/*
 * The next byte of the word's text, which then stands at `at`; false where the word ends. A backslash takes the next byte as it is, in quotes too, but of white
 * space outside of them only a blank; an unquoted "#" ends a word wherever it stands.
 */
static bool walk_to_byte(struct walk *w)
{
	for (; w->at < w->end; w->at++) {
		char c = w->script[w->at];

		if (!w->quote && is_space(c))
			return false;
		if (c == '\\') {
			w->at++;
			w->blank = w->blank ||
				   (!w->quote && w->at < w->end && w->script[w->at] == ' ');
			return w->at < w->end &&
			       (w->quote || w->script[w->at] == ' ' || !is_space(w->script[w->at]));
		}
		if (w->quote && c == w->quote)
			w->quote = '\0';
		else if (!w->quote && (c == '"' || c == '\''))
			w->quote = c;
		else
			return w->quote || c != '#';
	}
	return false;
}

static bool add_word(struct size_directives *d, const struct size_script_word *word)
{
	if (d->n == d->room) {
		size_t room = d->room ? 2 * d->room : 32;
		struct size_script_word *words = reallocarray(d->words, room, sizeof(*words));

		if (!words)
			return false;
		d->words = words;
		d->room = room;
	}
	d->words[d->n++] = *word;
	return true;
}

/* Words up to the first without any text: there sbatch takes the line for ended. */
static int read_words(
	struct size_directives *d, const char *script, size_t at, size_t end, size_t line)
{
	struct walk w = { .script = script, .at = at, .end = end };

	for (;;) {
		struct size_script_word word = { .text = d->text.len, .line = line };

		while (w.at < end && is_space(script[w.at]))
			w.at++;
		word.from = w.at;
		for (; walk_to_byte(&w); w.at++)
			buf_add_char(&d->text, script[w.at]);
		word.to = w.at;
		if (w.blank && !d->escaped_blank)
			d->escaped_blank = line;
		if (w.quote) {
			d->unmatched = d->unmatched ? d->unmatched : line;
			return 0;
		}
		if (d->text.len == word.text)
			return 0;
		buf_add_char(&d->text, '\0');
		if (d->text.failed || !add_word(d, &word))
			return -ENOMEM;
	}
}

static bool begins(const char *line, size_t n, const char *word)
{
	return n >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

/* sbatch reads both, and says of the second that it is out of date. */
static size_t magic_length(const char *line, size_t n)
{
	return begins(line, n, "#SBATCH")  ? strlen("#SBATCH")
	       : begins(line, n, "#SLURM") ? strlen("#SLURM")
					   : 0;
}

/* Only blank lines and comments: sbatch reads no directive behind the first command. */
static bool is_comment(const char *line, size_t n)
{
	size_t i = 0;

	while (i < n && is_space(line[i]))
		i++;
	return i == n || line[i] == '#';
}

int size_directives_read(const char *script, size_t n, struct size_directives *ret)
{
	bool in_commands = false;
	size_t number = 1;
	size_t next;
	size_t magic;

	*ret = (struct size_directives){ 0 };
	for (size_t at = 0; at < n; at = next, number++) {
		const char *newline = memchr(script + at, '\n', n - at);
		size_t end = newline ? (size_t) (newline - script) : n;

		next = newline ? end + 1 : n;
		if (at == 0)
			ret->behind = next;
		in_commands = in_commands || !is_comment(script + at, end - at);
		ret->other = ret->other || begins(script + at, end - at, "#PBS ") ||
			     begins(script + at, end - at, "#BSUB ");
		magic = magic_length(script + at, end - at);
		if (!magic)
			continue;
		ret->late += in_commands;
		if (in_commands)
			continue;
		if (read_words(ret, script, at + magic, end, number) < 0)
			return -ENOMEM;
		ret->any = true;
		ret->behind = next;
	}
	return 0;
}

void size_directives_done(struct size_directives *d)
{
	free(d->words);
	buf_done(&d->text);
}

const char *size_directives_text(const struct size_directives *d, size_t word)
{
	return d->text.data + d->words[word].text;
}

size_t size_directives_place(
	const char *script, const struct size_script_word *word, size_t at, char *ret_quote)
{
	struct walk w = { .script = script, .at = word->from, .end = word->to };

	/* Behind the byte before it: a quote that begins there belongs to what follows. */
	for (size_t i = 0; i < at && walk_to_byte(&w); i++)
		w.at++;
	*ret_quote = w.quote;
	return w.at;
}
