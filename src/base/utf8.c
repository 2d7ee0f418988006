/* SPDX-License-Identifier: MIT */
/* Tells text from bytes, and shows bytes so that neither a terminal nor a shell can misread them. */
#include "base/utf8.h"

#include <string.h>

#include "base/buf.h"

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t utf8_sequence(const char *bytes, size_t n)
{
	const unsigned char *s = (const unsigned char *) bytes;
	unsigned char low = 0x80; /* what the second byte may be: Unicode, table 3-7 */
	unsigned char high = 0xbf;
	size_t length;

	if (n == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0; /* else over-long */
	else if (s[0] == 0xed)
		high = 0x9f; /* else a surrogate */
	else if (s[0] == 0xf0)
		low = 0x90; /* else over-long */
	else if (s[0] == 0xf4)
		high = 0x8f; /* else past U+10FFFF */

	if (n < length || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (!is_continuation(s[i]))
			return 0;
	return length;
}

bool utf8_is_valid(const char *s, size_t n)
{
	while (n > 0) {
		size_t sequence = utf8_sequence(s, n);
		if (sequence == 0)
			return false;
		s += sequence;
		n -= sequence;
	}
	return true;
}

/* Zero-width characters and those that turn the direction of what follows: a text with them is not what it shows. Noncharacters are none. */
static bool is_invisible(const unsigned char *s)
{
	bool marks = s[0] == 0xe2 && s[1] == 0x80 &&
		     ((s[2] >= 0x8b && s[2] <= 0x8f) || (s[2] >= 0xa8 && s[2] <= 0xae));
	bool joiners = s[0] == 0xe2 && s[1] == 0x81 && s[2] >= 0xa0 && s[2] <= 0xaf;
	bool byte_order = s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf;
	bool noncharacters = s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe;

	return marks || joiners || byte_order || noncharacters;
}

bool utf8_misleads(const char *bytes, size_t sequence)
{
	const unsigned char *s = (const unsigned char *) bytes;

	switch (sequence) {
	case 1:
		return s[0] < 0x20 || s[0] == 0x7f;
	case 2:
		/* C1: U+009B starts a terminal's control sequence as ESC [ does. U+061C is the Arabic mark of direction. */
		return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c);
	case 3:
		return is_invisible(s);
	default:
		return false;
	}
}

/* The length of the printable character at `s`, or 0 when its first byte has to be escaped. */
static size_t printable(const char *bytes, size_t n)
{
	size_t sequence = utf8_sequence(bytes, n);

	return utf8_misleads(bytes, sequence) ? 0 : sequence;
}

static void add_escaped(struct buf *out, char c)
{
	if (c == '\n')
		buf_add_text(out, "\\n");
	else if (c == '\t')
		buf_add_text(out, "\\t");
	else if (c == 0x1b)
		buf_add_text(out, "\\e");
	else
		buf_addf(out, "\\x%02x", (unsigned char) c);
}

/* Like text_add_printable, and a backslash also before each character of `special`. */
static void add_printable(struct buf *out, const char *s, size_t n, const char *special)
{
	for (size_t i = 0; i < n;) {
		size_t sequence = printable(s + i, n - i);

		if (sequence == 0) {
			add_escaped(out, s[i]);
			i++;
			continue;
		}
		if (strchr(special, s[i]))
			buf_add_char(out, '\\');
		buf_add(out, s + i, sequence);
		i += sequence;
	}
}

void text_add_printable(struct buf *out, const char *s, size_t n)
{
	add_printable(out, s, n, "\\");
}

void text_add_quoted_printable(struct buf *out, const char *s, size_t n)
{
	add_printable(out, s, n, "");
}

void text_add_lines_printable(struct buf *out, const char *s, size_t n)
{
	while (n > 0) {
		size_t line = 0;

		while (line < n && s[line] != '\n' && s[line] != '\t')
			line++;
		add_printable(out, s, line, "");
		if (line == n)
			break;
		buf_add_char(out, s[line]);
		s += line + 1;
		n -= line + 1;
	}
}

static bool all_printable(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t sequence = printable(s + i, n - i);
		if (sequence == 0)
			return false;
		i += sequence;
	}
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* NAME=value would be taken as an assignment where a command is expected. */
static bool looks_like_assignment(const char *s, size_t n)
{
	if (n == 0 || !is_letter(s[0]))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (s[i] == '=')
			return true;
		if (!is_letter(s[i]) && !is_digit(s[i]))
			return false;
	}
	return false;
}

static bool is_plain(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_letter(s[i]) && !is_digit(s[i]) && (!s[i] || !strchr("@%+=:,./-", s[i])))
			return false;
	return n > 0 && !looks_like_assignment(s, n);
}

void text_add_shell_word(struct buf *out, const char *s, size_t n)
{
	if (is_plain(s, n)) {
		buf_add(out, s, n);
		return;
	}
	if (!all_printable(s, n)) {
		buf_add_text(out, "$'");
		add_printable(out, s, n, "\\'");
		buf_add_char(out, '\'');
		return;
	}
	buf_add_char(out, '\'');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\'')
			buf_add_text(out, "'\\''");
		else
			buf_add_char(out, s[i]);
	}
	buf_add_char(out, '\'');
}
