/* SPDX-License-Identifier: MIT */
/* The processes of a run in a table that scripts sort and filter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "model/value.h"
#include "page/html_parts.h"
#include "show/show.h"
#include "text/html_text.h"

#define PROCESSES_MAX 200
#define COMMAND_MAX 160

enum column { PID, NAME, CPU, CORES, RSS, PSS, READ, WRITTEN, SEEN, N_COLUMN };

static const struct {
	const char *title;
	const char *unit; /* NULL: it is a text */
	int number; /* enum process_number; -1: none */
} columns[N_COLUMN] = {
	[PID] = { "PID", "count", -1 },
	[NAME] = { "Name and command", NULL, -1 },
	[CPU] = { "CPU time", "seconds", NUMBER_CPU },
	[CORES] = { "CPU at most", "percent", NUMBER_CPU_PERCENT },
	[RSS] = { "RSS at most", "bytes", NUMBER_RSS },
	[PSS] = { "PSS at most", "bytes", NUMBER_PSS },
	[READ] = { "Read", "bytes", NUMBER_READ },
	[WRITTEN] = { "Written", "bytes", NUMBER_WRITE },
	[SEEN] = { "From", "seconds", -1 },
};

static double number_of(const struct process_sum *p, enum column column)
{
	const double numbers[N_COLUMN] = { [PID] = (double) p->pid,
		[CPU] = p->cpu_seconds,
		[CORES] = p->cpu_percent,
		[RSS] = p->rss_bytes,
		[PSS] = p->pss_bytes,
		[READ] = p->read_bytes,
		[WRITTEN] = p->write_bytes,
		[SEEN] = p->first_seconds };

	return numbers[column];
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x < y) - (x > y);
}

/* The weight that so many processes have at least. */
static double least_weight(
	const struct process_table *t, enum process_order order, size_t most, double *weights)
{
	for (size_t i = 0; i < t->n; i++)
		weights[i] = process_weight(&t->list[i], order);
	qsort(weights, t->n, sizeof(*weights), compare_numbers);
	return weights[most < t->n ? most : t->n - 1];
}

struct least {
	double cpu, memory, io;
};

static bool is_shown(const struct process_sum *p, const struct least *least)
{
	return process_weight(p, BY_CPU) > least->cpu ||
	       process_weight(p, BY_MEMORY) > least->memory || process_weight(p, BY_IO) > least->io;
}

/* Of very many those that did most. */
static bool find_least(const struct process_table *t, struct least *ret)
{
	double *weights;

	*ret = (struct least){ -2, -2, -2 };
	if (t->n <= PROCESSES_MAX)
		return true;
	weights = calloc(t->n, sizeof(*weights));
	if (!weights)
		return false;
	ret->cpu = least_weight(t, BY_CPU, PROCESSES_MAX / 2, weights);
	ret->memory = least_weight(t, BY_MEMORY, PROCESSES_MAX / 4, weights);
	ret->io = least_weight(t, BY_IO, PROCESSES_MAX / 4, weights);
	free(weights);
	return true;
}

static void add_number(struct buf *out, enum column column, double number)
{
	struct buf text = { 0 };

	if (isnan(number)) {
		buf_add_text(out, "<td class=\"n\" data-v=\"\">\xe2\x80\x93</td>");
		return;
	}
	buf_addf(out, "<td class=\"n\" data-v=\"%.9g\">", number);
	if (column == PID)
		buf_addf(&text, "%.0f", number);
	else
		show_add_number(columns[column].unit, number, &text);
	if (text.failed)
		out->failed = true;
	else
		html_add_words(out, text.data);
	buf_add_text(out, "</td>");
	buf_done(&text);
}

static void add_name(struct buf *out, const struct process_sum *p)
{
	buf_add_text(out, "<td class=\"name\"><b>");
	if (p->name)
		html_add_text(out, p->name, 60);
	buf_add_text(out, "</b>");
	if (p->command && (!p->name || strcmp(p->command, p->name) != 0)) {
		buf_add_text(out, " <code>");
		html_add_quoted(out, p->command, COMMAND_MAX);
		buf_add_text(out, "</code>");
	}
	buf_add_text(out, "</td>");
}

static void add_row(struct buf *out, const struct process_sum *p, const bool *used)
{
	buf_add_text(out, "<tr>");
	for (enum column column = 0; column < N_COLUMN; column++) {
		if (column == NAME)
			add_name(out, p);
		else if (used[column])
			add_number(out, column, number_of(p, column));
	}
	buf_add_text(out, "</tr>\n");
}

/* Which columns have anything, and how well it is known. */
static void look(const struct process_sum *p, bool *used, unsigned char *qualities)
{
	for (enum column column = 0; column < N_COLUMN; column++) {
		int number = columns[column].number;

		if (column == NAME || !isnan(number_of(p, column)))
			used[column] = true;
		if (number >= 0)
			qualities[column] =
				process_quality_of_both(qualities[column], p->qualities[number]);
	}
}

static void add_head(struct buf *out, const bool *used, const unsigned char *qualities)
{
	buf_add_text(out, "<thead><tr>");
	for (enum column column = 0; column < N_COLUMN; column++) {
		enum quality quality = (enum quality) qualities[column];

		if (!used[column])
			continue;
		buf_addf(out, "<th scope=\"col\" data-sort=\"%s\"%s%s>%s",
			columns[column].unit ? "n" : "t",
			columns[column].unit ? " class=\"n\"" : "",
			column == CPU ? " aria-sort=\"descending\"" : "", columns[column].title);
		if (quality != ABSENT) {
			buf_add_text(out, ", ");
			html_add_words(out, quality_mark(quality));
		}
		buf_add_text(out, "</th>");
	}
	buf_add_text(out, "</tr></thead>\n");
}

static void add_table(struct buf *out, const struct process_table *t, const struct least *least)
{
	bool used[N_COLUMN] = { false };
	unsigned char qualities[N_COLUMN] = { ABSENT };

	for (size_t i = 0; i < t->n; i++)
		if (is_shown(&t->list[i], least))
			look(&t->list[i], used, qualities);
	buf_add_text(out,
		"<p class=\"filter script-only\"><label for=\"processes-filter\">Only those "
		"with</label> <input id=\"processes-filter\" type=\"search\" "
		"data-filters=\"processes-table\" placeholder=\"a word of name, command or PID\"> "
		"<output id=\"processes-table-count\"></output></p>\n"
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Processes\">"
		"<table class=\"sorts\" id=\"processes-table\">\n");
	add_head(out, used, qualities);
	buf_add_text(out, "<tbody>\n");
	for (size_t i = 0; i < t->n; i++)
		if (is_shown(&t->list[i], least))
			add_row(out, &t->list[i], used);
	buf_add_text(out, "</tbody></table></div>\n");
}

void html_processes(struct buf *out, struct story *s)
{
	struct process_table *t = &s->processes;
	struct least least;
	size_t shown = 0;

	if (t->n == 0)
		return;
	if (t->failed || !find_least(t, &least)) {
		out->failed = true;
		return;
	}
	process_table_sort(t, BY_CPU);
	for (size_t i = 0; i < t->n; i++)
		shown += is_shown(&t->list[i], &least);
	buf_addf(out, "<p class=\"soft\">%zu process%s that the samples named", shown,
		shown == 1 ? "" : "es");
	if (shown < t->n || t->let_go > 0)
		buf_addf(out, ", those that used most of %llu",
			(unsigned long long) t->n + (unsigned long long) t->let_go);
	buf_add_text(
		out, "; the numbers of each are those of its last sample, or its highest.</p>\n");
	add_table(out, t, &least);
}
