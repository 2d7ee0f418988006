/* SPDX-License-Identifier: MIT */
/* Every member of a run, one a line: what con-duct's pp prints, and all that it does not have. */
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "record/fields.h"
#include "show/show.h"

struct flat {
	struct buf *out;
	bool human;
};

static int add_line(const char *name, const struct field *field, void *context)
{
	struct flat *f = context;
	struct buf text = { 0 };

	text_add_printable(f->out, name, strlen(name));
	buf_add_text(f->out, ": ");
	if (f->human)
		field_text(name, field, &text);
	else if (field->type == FIELD_INTEGER)
		buf_addf(&text, "%lld", (long long) field->integer);
	else if (field->type == FIELD_REAL)
		buf_addf(&text, "%.15g", field->number);
	else if (field->type == FIELD_BOOL)
		buf_add_text(&text, field->integer ? "true" : "false");
	else
		buf_add(&text, field->text, field->n);
	if (text.len > 0 && !text.failed && field_is_quoted(name))
		text_add_quoted_printable(f->out, text.data, text.len);
	else if (text.len > 0 && !text.failed)
		text_add_printable(f->out, text.data, text.len);
	f->out->failed = f->out->failed || text.failed;
	buf_add_char(f->out, '\n');
	buf_done(&text);
	return 0;
}

void show_flat(const struct stored_run *run, bool human, struct buf *out)
{
	struct flat f = { out, human };

	if (run_fields(run, add_line, &f) < 0)
		out->failed = true;
}
