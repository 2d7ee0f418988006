/* SPDX-License-Identifier: MIT */
/* Says in CSV which window of which run it is, and of which process or device. */
#include "export/export_csv_row.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/csv_quote.h"
#include "export/export_rows.h"
#include "export/export_text.h"

void csv_add_window(struct buf *out, const struct export_run *run, const json_t *window)
{
	const json_t *time = json_object_get(window, "time");
	uint64_t start;
	uint64_t end;
	char text[RFC3339_SIZE];

	csv_add_field(out, run->id, strlen(run->id));
	buf_add_char(out, ',');
	if (json_is_string(time)) {
		export_add_csv_json(out, time);
	} else if (export_window_times(run, window, &start, &end)) {
		format_rfc3339(end, text);
		buf_add_text(out, text);
	}
	buf_add_char(out, ',');
	export_add_number(out, json_object_get(window, "start_seconds"));
	buf_add_char(out, ',');
	export_add_number(out, json_object_get(window, "end_seconds"));
	buf_add_char(out, ',');
}

/* A process is its pid and, where it is known, the time it began: pids come again. */
void csv_add_subject(struct buf *out, const json_t *subject)
{
	const json_t *kind = json_object_get(subject, "kind");
	const json_t *ticks = json_object_get(subject, "start_time_ticks");

	if (!subject) {
		buf_add_text(out, "run,,,,");
		return;
	}
	buf_add_text(out, kind ? "device," : "process,");
	if (kind) {
		export_add_csv_json(out, kind);
	} else {
		export_add_number(out, json_object_get(subject, "pid"));
		if (json_is_integer(ticks))
			buf_add_char(out, '.');
		export_add_number(out, ticks);
	}
	buf_add_char(out, ',');
	export_add_csv_json(out, json_object_get(subject, "name"));
	buf_add_char(out, ',');
	export_add_csv_json(out, json_object_get(subject, "name_hex"));
	buf_add_char(out, ',');
}
