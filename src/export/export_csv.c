/* SPDX-License-Identifier: MIT */
/* The tidy table: a line for each number. */
#include <string.h>

#include "base/buf.h"
#include "base/csv_quote.h"
#include "export/export.h"
#include "export/export_csv_row.h"
#include "export/export_series.h"
#include "export/export_text.h"

struct line {
	struct export *x;
	const struct export_run *run;
	const json_t *window;
};

static int add_line(const struct export_value *value, void *context)
{
	const struct line *line = context;
	struct buf *out = &line->x->files[0].text;

	csv_add_window(out, line->run, line->window);
	csv_add_subject(out, value->subject);
	csv_add_field(out, value->row->key, strlen(value->row->key));
	buf_addf(out, ",%s,", export_statistics[value->statistic]);
	export_add_number(out, value->number);
	buf_addf(out, ",%s,", unit_name(value->row->unit));
	if (value->quality)
		csv_add_field(out, value->quality, strlen(value->quality));
	buf_add_text(out, CSV_END);
	return 0;
}

static int add_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct line line = { x, run, window };

	return export_values(run, window, x->options->subjects, add_line, &line);
}

static int begin(struct export *x, struct error *err)
{
	(void) err;
	buf_add_text(&x->files[0].text, CSV_WINDOW_COLUMNS
		"," CSV_SUBJECT_COLUMNS ",key,statistic,value,unit,quality" CSV_END);
	return 0;
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	return export_series(x, run, add_window, err);
}

const struct exporter csv_exporter = {
	.name = "csv",
	.help = "a table with a line for each number of each window (RFC 4180, lines end in LF)",
	.suffix = ".csv",
	.several = true,
	.choices = EXPORT_MEASUREMENTS | EXPORT_PROCESSES | EXPORT_DEVICES,
	.begin = begin,
	.run = write_run,
};
