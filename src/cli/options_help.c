/* SPDX-License-Identifier: MIT */
/* Makes the help text from the rows of options. */
#include <string.h>

#include "base/buf.h"
#include "cli/options.h"
#include "text/wrap.h"

#define HELP_INDENT 10

const struct option_row option_help = {
	.name = "help", .letter = 'h', .help = "shows a short help"
};

static const char *default_of(const struct option_row *row, const struct option_default *defaults)
{
	for (const struct option_default *d = defaults; d && d->name; d++)
		if (strcmp(d->name, row->name) == 0)
			return d->words ? d->words : d->text;
	return row->default_text;
}

/* "what it does (default: 1 s; a bare number is seconds; ASSAY_X)" */
static void add_description(
	const struct option_row *row, const struct option_names *names, struct buf *out)
{
	const char *default_text = default_of(row, names ? names->defaults : NULL);
	const char *variable = names ? names->variable(row->name) : NULL;
	const char *separator = " (";

	buf_add_text(out, row->help);
	if (default_text) {
		buf_addf(out, "%sdefault: %s", separator, default_text);
		separator = "; ";
	}
	if (row->unit) {
		buf_addf(out, "%sa bare number is %s", separator, row->unit);
		separator = "; ";
	}
	if (variable) {
		buf_addf(out, "%s%s", separator, variable);
		separator = "; ";
	}
	if (row->environment) {
		buf_addf(out, "%s%s", separator, row->environment);
		separator = "; ";
	}
	if (separator[0] == ';')
		buf_add_char(out, ')');
}

static void add_row(const struct option_row *row, const struct option_names *names, struct buf *out)
{
	struct buf description = { 0 };

	if (row->letter)
		buf_addf(out, "  -%c, ", row->letter);
	else
		buf_add_text(out, "      ");
	buf_addf(out, "--%s", row->name);
	if (row->alias)
		buf_addf(out, ", --%s", row->alias);
	buf_addf(out, "%s%s\n%*s", row->argument ? " " : "", row->argument ? row->argument : "",
		HELP_INDENT, "");
	add_description(row, names, &description);
	text_add_wrapped(out, description.data ? description.data : "", HELP_INDENT, HELP_INDENT);
	buf_add_char(out, '\n');
	buf_done(&description);
}

void options_help(
	const struct option_row *rows, size_t n, const struct option_names *names, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].group)
			buf_addf(out, "%s%s:\n", i > 0 ? "\n" : "", rows[i].group);
		add_row(&rows[i], names, out);
	}
	add_row(&option_help, NULL, out);
}
