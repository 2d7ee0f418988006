/* SPDX-License-Identifier: MIT */
/* Escapes text for HTML and for JSON within it. */
#include "text/html_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

static void add_escaped(struct buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		switch (text[i]) {
		case '&':
			buf_add_text(out, "&amp;");
			break;
		case '<':
			buf_add_text(out, "&lt;");
			break;
		case '>':
			buf_add_text(out, "&gt;");
			break;
		case '"':
			buf_add_text(out, "&quot;");
			break;
		case '\'':
			buf_add_text(out, "&#39;");
			break;
		default:
			buf_add_char(out, text[i]);
		}
	}
}

/* The length of a text that is cut between characters; not longer than `most`. */
static size_t cut_length(const char *text, size_t most)
{
	size_t n = strnlen(text, most + 1);

	if (n <= most)
		return n;
	n = most;
	/* The bytes that go on with a character are 10xxxxxx. */
	while (n > 0 && most - n < 4 && ((unsigned char) text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

typedef void add_printable(struct buf *out, const char *text, size_t n);

static void add_cut(struct buf *out, const char *text, size_t most, add_printable *add)
{
	size_t n = cut_length(text, most);
	struct buf printable = { 0 };

	add(&printable, text, n);
	if (printable.failed)
		out->failed = true;
	else if (printable.len > 0)
		add_escaped(out, printable.data, printable.len);
	if (text[n])
		buf_add_text(out, ELLIPSIS);
	buf_done(&printable);
}

void html_add_text(struct buf *out, const char *text, size_t most)
{
	add_cut(out, text, most, text_add_printable);
}

void html_add_quoted(struct buf *out, const char *text, size_t most)
{
	add_cut(out, text, most, text_add_quoted_printable);
}

void html_add_words(struct buf *out, const char *text)
{
	add_escaped(out, text, strlen(text));
}

void html_add_lines(struct buf *out, const char *bytes, size_t n)
{
	while (n > 0) {
		const char *feed = memchr(bytes, '\n', n);
		size_t line = feed ? (size_t) (feed - bytes) : n;
		/* The end of a line may be two characters. */
		size_t shown = line > 0 && bytes[line - 1] == '\r' ? line - 1 : line;
		struct buf printable = { 0 };

		for (size_t i = 0; i < shown;) {
			const char *tab = memchr(bytes + i, '\t', shown - i);
			size_t plain = tab ? (size_t) (tab - bytes) - i : shown - i;

			text_add_printable(&printable, bytes + i, plain);
			if (tab)
				buf_add_char(&printable, '\t');
			i += plain + (tab ? 1 : 0);
		}
		if (printable.failed)
			out->failed = true;
		else if (printable.len > 0)
			add_escaped(out, printable.data, printable.len);
		buf_add_char(out, '\n');
		buf_done(&printable);
		bytes += line + (feed ? 1 : 0);
		n -= line + (feed ? 1 : 0);
	}
}

void html_add_json_text(struct buf *out, const char *text, size_t most)
{
	size_t n = cut_length(text, most);
	struct buf printable = { 0 };

	text_add_printable(&printable, text, n);
	if (text[n])
		buf_add_text(&printable, ELLIPSIS);
	buf_add_char(out, '"');
	for (size_t i = 0; !printable.failed && i < printable.len; i++) {
		char c = printable.data[i];

		/* U+2028 and U+2029, which end a line of a script, are not printable: they do not come this far. */
		if (strchr("\"\\<>&'", c))
			buf_addf(out, "\\u%04x", (unsigned) c);
		else
			buf_add_char(out, c);
	}
	out->failed = out->failed || printable.failed;
	buf_add_char(out, '"');
	buf_done(&printable);
}

void html_add_json_number(struct buf *out, double number)
{
	if (!isfinite(number))
		buf_add_text(out, "null");
	else
		buf_addf(out, "%.5g", number);
}
