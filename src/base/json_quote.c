/* SPDX-License-Identifier: MIT */
/* Escapes what JSON asks for, and what a terminal would obey. */
#include "base/json_quote.h"

#include <stdbool.h>

#include "base/buf.h"
#include "base/utf8.h"

/* What misleads is of three bytes at most: a \u of four digits holds it. */
static unsigned code_point(const unsigned char *s, size_t sequence)
{
	if (sequence == 1)
		return s[0];
	if (sequence == 2)
		return (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
	return (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
}

/* DEL, the C1 controls and marks of direction need no escape in JSON; they get one so that following a record on a terminal is safe. */
static void add_escaped(struct buf *out, const unsigned char *s, size_t sequence)
{
	unsigned code = code_point(s, sequence);

	switch (code) {
	case '\b':
		buf_add_text(out, "\\b");
		break;
	case '\f':
		buf_add_text(out, "\\f");
		break;
	case '\n':
		buf_add_text(out, "\\n");
		break;
	case '\r':
		buf_add_text(out, "\\r");
		break;
	case '\t':
		buf_add_text(out, "\\t");
		break;
	default:
		buf_addf(out, "\\u%04x", code);
	}
}

/* How many bytes stand as they are: nearly all, so they are copied in runs. */
static size_t plain_run(const unsigned char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

void json_add_quoted(struct buf *out, const char *bytes, size_t n)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < n;) {
		const unsigned char *s = (const unsigned char *) bytes + i;
		size_t plain = plain_run(s, n - i);

		if (plain > 0) {
			buf_add(out, s, plain);
			i += plain;
			continue;
		}
		size_t sequence = utf8_sequence(bytes + i, n - i);

		if (sequence == 0) {
			buf_add_text(out, "\xef\xbf\xbd"); /* U+FFFD */
			i++;
			continue;
		}
		if (utf8_misleads(bytes + i, sequence)) {
			add_escaped(out, s, sequence);
		} else {
			if (*s == '"' || *s == '\\')
				buf_add_char(out, '\\');
			buf_add(out, s, sequence);
		}
		i += sequence;
	}
	buf_add_char(out, '"');
}

void json_add_made(struct buf *out, const char *json, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < n;) {
		const unsigned char *s = (const unsigned char *) json + i;
		size_t sequence = *s < 0x7f ? 1 : utf8_sequence(json + i, n - i);

		/* Blanks and line feeds between the values stay; in texts they are escaped already. */
		if (*s >= 0x7f && utf8_misleads(json + i, sequence)) {
			buf_add(out, json + done, i - done);
			add_escaped(out, s, sequence);
			done = i + sequence;
		}
		i += sequence > 0 ? sequence : 1;
	}
	buf_add(out, json + done, n - done);
}
