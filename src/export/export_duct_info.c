/* SPDX-License-Identifier: MIT */
/* con-duct's info.json. */
#include "export/export_duct.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "export/export_text.h"
#include "export/export_totals.h"
#include "record/json_walk.h"

void duct_add_number(struct buf *out, const char *name, const json_t *number)
{
	export_add_key(out, name);
	if (json_is_number(number))
		export_add_number(out, number);
	else
		buf_add_text(out, "null");
}

static void add_text(struct buf *out, const char *name, const json_t *text)
{
	export_add_key(out, name);
	if (json_is_string(text))
		export_add_json(out, text);
	else
		buf_add_text(out, "null");
}

void duct_add_words(struct buf *out, const json_t *words)
{
	struct buf text = { 0 };
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word)
	{
		if (i > 0)
			buf_add_char(&text, ' ');
		buf_add(&text, json_string_value(word), json_string_length(word));
	}
	export_add_string_n(out, text.len > 0 ? text.data : "", text.len);
	out->failed |= text.failed;
	buf_done(&text);
}

static void add_command(struct buf *out, const struct export_run *run)
{
	const json_t *argv = export_member(run, "command", "argv");

	export_add_key(out, "command");
	if (json_array_size(argv) > 0)
		duct_add_words(out, argv);
	else if (export_member(run, "command", "text"))
		export_add_json(out, export_member(run, "command", "text"));
	else if (export_member(run, "target", "text"))
		export_add_json(out, export_member(run, "target", "text"));
	else
		buf_add_text(out, "\"\"");
}

static void add_system(struct buf *out, const struct export_run *run)
{
	export_add_key(out, "system");
	buf_add_char(out, '{');
	duct_add_number(out, "cpu_total", export_member(run, "host", "cpus_configured"));
	duct_add_number(out, "memory_total", export_member(run, "host", "memory_total_bytes"));
	add_text(out, "hostname", export_member(run, "host", "hostname"));
	duct_add_number(out, "uid", export_member(run, "user", "uid"));
	add_text(out, "user", export_member(run, "user", "name"));
	buf_add_char(out, '}');
}

static void add_environment(struct buf *out, const struct export_run *run)
{
	const char *name;
	json_t *value;

	export_add_key(out, "env");
	buf_add_char(out, '{');
	json_object_foreach(json_walk(export_member(run, NULL, "scheduler")), name, value)
	{
		if (strncmp(name, "PBS_", 4) == 0 || strncmp(name, "SLURM_", 6) == 0 ||
			strncmp(name, "OSG", 3) == 0)
			add_text(out, name, value);
	}
	buf_add_char(out, '}');
}

/* 128 and the signal's number, as con-duct writes it. */
static void add_exit_code(struct buf *out, const struct export_run *run)
{
	const json_t *signal = export_member(run, "outcome", "signal");

	if (json_is_integer(signal)) {
		export_add_key(out, "exit_code");
		buf_addf(out, "%d", 128 + (int) json_integer_value(signal));
	} else {
		duct_add_number(out, "exit_code", export_member(run, "outcome", "exit_code"));
	}
}

static void add_peaks(struct buf *out, const struct duct *d, const struct export_run *run)
{
	for (size_t i = 0; i < N_DUCT_FIGURES; i++) {
		const struct duct_figure_row *row = &d->rows[i];
		/* Of the windows, where the run's own is another figure. */
		const char *own =
			row->total && !(i == DUCT_PCPU && d->by_age) ? row->total->key : NULL;
		const json_t *peak = own ? export_summary_value(run, own, "peak") : NULL;
		const json_t *mean = own ? export_summary_value(run, own, "mean") : NULL;
		char name[32];

		snprintf(name, sizeof(name), "peak_%s", duct_figures[i].name);
		duct_add_number(out, name, peak ? peak : row->peak);
		snprintf(name, sizeof(name), "average_%s", duct_figures[i].name);
		if (mean || row->samples == 0) {
			duct_add_number(out, name, mean);
		} else {
			export_add_key(out, name);
			export_add_double(out, row->sum / (double) row->samples);
		}
	}
}

static void add_summary(
	struct buf *out, const struct duct *d, const struct export_run *run, const char *prefix)
{
	export_add_key(out, "execution_summary");
	buf_add_char(out, '{');
	add_exit_code(out, run);
	add_command(out, run);
	export_add_key(out, "logs_prefix");
	export_add_string(out, prefix);
	duct_add_number(out, "wall_clock_time", export_member(run, "time", "wall_seconds"));
	add_peaks(out, d, run);
	export_add_key(out, "num_samples");
	buf_addf(out, "%" JSON_INTEGER_FORMAT, d->samples);
	export_add_key(out, "num_reports");
	buf_addf(out, "%" PRIu64, d->windows);
	export_add_epoch(out, "start_time", export_text_of(run, "time", "started"));
	export_add_epoch(out, "end_time", export_text_of(run, "time", "ended"));
	add_text(out, "working_directory", export_member(run, NULL, "working_directory"));
	buf_add_char(out, '}');
}

/* Where the job's output was kept, which no export copies; NULL. */
static const char *kept_output(const struct export_run *run, const char *name)
{
	const json_t *outputs = export_member(run, NULL, "outputs");
	const json_t *output;
	size_t i;

	json_array_foreach(outputs, i, output)
	{
		const char *of = json_string_value(json_object_get(output, "name"));

		if (of && strcmp(of, name) == 0)
			return json_string_value(json_object_get(output, "file"));
	}
	return export_text_of(run, "imported", name);
}

static void add_paths(struct buf *out, const struct export_run *run, const char *prefix)
{
	static const char *const names[] = { "stdout", "stderr", "usage", "info", "prefix" };
	static const char *const ends[] = { "stdout", "stderr", "usage.jsonl", "info.json", "" };

	export_add_key(out, "output_paths");
	buf_add_char(out, '{');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *kept = kept_output(run, names[i]);
		struct buf path = { 0 };

		buf_addf(&path, "%s%s", kept ? "" : prefix, kept ? kept : ends[i]);
		export_add_key(out, names[i]);
		export_add_string(out, path.data);
		out->failed |= path.failed;
		buf_done(&path);
	}
	buf_add_char(out, '}');
}

void duct_add_info(
	struct buf *out, const struct duct *d, const struct export_run *run, const char *prefix)
{
	const char *version = export_text_of(run, "program", "version");
	struct buf tool = { 0 };

	buf_add_char(out, '{');
	add_command(out, run);
	add_system(out, run);
	add_environment(out, run);
	export_add_key(out, "gpu");
	buf_add_text(out, "null");
	/* Who reads it is told that another program measured. */
	buf_addf(&tool, "assay%s%s", version ? " " : "", version ? version : "");
	export_add_key(out, "duct_version");
	export_add_string(out, tool.data);
	out->failed |= tool.failed;
	buf_done(&tool);
	buf_add_text(out, ",\"schema_version\":\"0.2.2\"");
	add_summary(out, d, run, prefix);
	add_paths(out, run, prefix);
	add_text(out, "working_directory", export_member(run, NULL, "working_directory"));
	export_add_key(out, "message");
	if (export_text_of(run, NULL, "message"))
		export_add_json(out, export_member(run, NULL, "message"));
	else
		buf_add_text(out, "\"\"");
	buf_add_text(out, "}\n");
}
