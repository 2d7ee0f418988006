/* SPDX-License-Identifier: MIT */
/* Fields of CSV. RFC 4180 knows quotes and nothing that could stand for a control character: those are written as tables show them. */
#include "base/csv_quote.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

static bool needs_quotes(const char *text, size_t n)
{
	if (n > 0 && (text[0] == ' ' || text[n - 1] == ' '))
		return true;
	for (size_t i = 0; i < n; i++)
		if (text[i] == ',' || text[i] == '"' || text[i] == '\n')
			return true;
	return false;
}

void csv_add_field(struct buf *out, const char *text, size_t n)
{
	bool quoted = needs_quotes(text, n);

	if (quoted)
		buf_add_char(out, '"');
	while (n > 0) {
		const char *mark = memchr(text, '"', n);
		size_t plain = mark ? (size_t) (mark - text) : n;

		text_add_lines_printable(out, text, plain);
		if (!mark)
			break;
		buf_add_text(out, "\"\"");
		text += plain + 1;
		n -= plain + 1;
	}
	if (quoted)
		buf_add_char(out, '"');
}
