/* SPDX-License-Identifier: MIT */
/* A table of what was asked for, used and lost, by command; beneath it what the words mean and what is not in it. */
#include "size/size_waste.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "text/wrap.h"

#define CELL_SIZE 32
#define NUMBER_COLUMNS 12 /* more would be no number that a person reads */
#define COMMAND_COLUMNS 20 /* with less room it has a line of its own */

enum column {
	RUNS,
	FAILED,
	CORE_ASKED,
	CORE_USED,
	CORE_LOST,
	GIB_ASKED,
	GIB_USED,
	GIB_LOST,
	N_COLUMN
};

struct table {
	const struct size_waste *waste;
	struct buf *out;
	size_t width, shown;
	double per_hour; /* of the unit that is shown */
	const char *unit; /* "hours" */
	int core_decimals, gib_decimals;
	size_t widths[N_COLUMN], total; /* columns of all numbers */
};

static int decimals_for(double largest)
{
	return largest >= 100 ? 0 : largest >= 10 ? 1 : 2;
}

/* A little is not nothing. */
static void set_number(char cell[CELL_SIZE], const char *mark, double n, int decimals)
{
	double least = pow(10, -decimals);
	bool is_less = n > 0 && n < least / 2;
	char digits[400]; /* of any double */

	if (snprintf(digits, sizeof(digits), "%.*f", decimals & 3, is_less ? least : n) >
		NUMBER_COLUMNS)
		snprintf(digits, sizeof(digits), "%.3g", n);
	snprintf(cell, CELL_SIZE, "%s%.*s", is_less ? "<" : mark, NUMBER_COLUMNS, digits);
}

static void set_sums(char (*cells)[CELL_SIZE], const double sums[3], bool at_least, int decimals)
{
	set_number(cells[0], "", sums[0], decimals);
	set_number(cells[1], at_least ? ">=" : "", sums[1], decimals);
	set_number(cells[2], at_least && sums[2] > 0 ? "<=" : "", sums[2], decimals);
}

static void set_cells(
	const struct table *t, const struct size_waste_row *row, char cells[N_COLUMN][CELL_SIZE])
{
	double k = t->per_hour;

	for (size_t c = CORE_ASKED; c < N_COLUMN; c++)
		snprintf(cells[c], CELL_SIZE, "-");
	snprintf(cells[RUNS], CELL_SIZE, "%zu", row->runs);
	snprintf(cells[FAILED], CELL_SIZE, "%zu", row->failed);
	if (row->core_runs > 0)
		set_sums(&cells[CORE_ASKED],
			(double[]){ row->core_hours_asked * k, row->core_hours_used * k,
				row->core_hours_lost * k },
			row->cores_at_least, t->core_decimals);
	if (row->gib_runs > 0)
		set_sums(&cells[GIB_ASKED],
			(double[]){ row->gib_hours_asked * k, row->gib_hours_used * k,
				row->gib_hours_lost * k },
			row->gib_at_least, t->gib_decimals);
}

static void widen(struct table *t, const struct size_waste_row *row)
{
	char cells[N_COLUMN][CELL_SIZE];

	set_cells(t, row, cells);
	for (size_t c = 0; c < N_COLUMN; c++)
		if (strlen(cells[c]) > t->widths[c])
			t->widths[c] = strlen(cells[c]);
}

static const char *const titles[] = { "runs", "failed", "asked", "used", "lost", "asked", "used",
	"lost" };

static struct table lay_out(
	const struct size_waste *waste, size_t width, size_t limit, struct buf *out)
{
	const struct size_waste_row *all = &waste->all;
	double most = fmax(all->core_hours_asked, all->gib_hours_asked);
	struct table t = {
		.waste = waste, .out = out, .width = width, .per_hour = 1, .unit = "hours"
	};

	if (most < 0.1) {
		t.per_hour = 3600;
		t.unit = "seconds";
	}
	t.shown = limit > 0 && limit < waste->n ? limit : waste->n;
	t.core_decimals =
		decimals_for(t.per_hour * fmax(all->core_hours_asked, all->core_hours_used));
	t.gib_decimals = decimals_for(t.per_hour * fmax(all->gib_hours_asked, all->gib_hours_used));
	for (size_t c = 0; c < N_COLUMN; c++)
		t.widths[c] = strlen(titles[c]);
	for (size_t i = 0; i < t.shown; i++)
		widen(&t, &waste->rows[i]);
	widen(&t, all);
	for (size_t c = 0; c < N_COLUMN; c++)
		t.total += t.widths[c] + (c > 0 ? 2 : 0);
	return t;
}

static bool is_beside(const struct table *t)
{
	return t->width >= t->total + 2 + COMMAND_COLUMNS;
}

static void add_command(const struct table *t, const char *command)
{
	struct buf printable = { 0 };
	size_t indent = is_beside(t) ? t->total + 2 : 4;

	text_add_quoted_printable(&printable, command, strlen(command));
	if (is_beside(t))
		buf_add_text(t->out, "  ");
	else
		buf_add_text(t->out, "\n    ");
	if (printable.failed)
		t->out->failed = true;
	else
		text_add_shortened(t->out, printable.data, printable.len,
			t->width > indent ? t->width - indent : 1);
	buf_add_char(t->out, '\n');
	buf_done(&printable);
}

static void add_row(const struct table *t, const struct size_waste_row *row, const char *command)
{
	char cells[N_COLUMN][CELL_SIZE];

	set_cells(t, row, cells);
	for (size_t c = 0; c < N_COLUMN; c++)
		buf_addf(t->out, "%s%*s", c > 0 ? "  " : "", (int) t->widths[c], cells[c]);
	add_command(t, command);
}

static void add_head(const struct table *t)
{
	int before = (int) (t->widths[RUNS] + 2 + t->widths[FAILED]);
	int cores = (int) (t->widths[CORE_ASKED] + t->widths[CORE_USED] + t->widths[CORE_LOST]) + 4;
	int memory = (int) (t->widths[GIB_ASKED] + t->widths[GIB_USED] + t->widths[GIB_LOST]) + 4;
	char names[2][CELL_SIZE];

	snprintf(names[0], CELL_SIZE, "core-%s", t->unit);
	snprintf(names[1], CELL_SIZE, "GiB-%s", t->unit);
	buf_addf(t->out, "%*s  %*s  %*s\n", before, "", cores, names[0], memory, names[1]);
	for (size_t c = 0; c < N_COLUMN; c++)
		buf_addf(t->out, "%s%*s", c > 0 ? "  " : "", (int) t->widths[c], titles[c]);
	buf_addf(t->out, "%s\n", is_beside(t) ? "  command" : "");
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void add_words(const struct table *t, struct buf *words)
{
	if (words->failed) {
		t->out->failed = true;
	} else if (words->len > 0) {
		text_add_fitting(t->out, words->data, 0, 2, t->width);
		buf_add_char(t->out, '\n');
	}
	buf_clear(words);
}

static void add_part(
	const struct table *t, struct buf *words, double failed, double lost, const char *what)
{
	int decimals = *what == 'c' ? t->core_decimals : t->gib_decimals;
	char number[CELL_SIZE];

	set_number(number, "", failed * t->per_hour, decimals);
	buf_addf(words, "%s %s-%s", number, what, t->unit);
	if (lost > 0)
		buf_addf(words, " (%.0f %%)", 100 * failed / lost);
}

static void add_failed(const struct table *t, struct buf *words)
{
	const struct size_waste_row *all = &t->waste->all;

	if (all->failed == 0 || all->core_runs + all->gib_runs == 0)
		return;
	buf_add_text(words, "Of what was lost, ");
	if (all->core_runs > 0)
		add_part(t, words, all->core_hours_failed, all->core_hours_lost, "core");
	if (all->core_runs > 0 && all->gib_runs > 0)
		buf_add_text(words, " and ");
	if (all->gib_runs > 0)
		add_part(t, words, all->gib_hours_failed, all->gib_hours_lost, "GiB");
	buf_addf(words, " were held by %zu run%s that failed, %s cut off or %s lost.", all->failed,
		plural(all->failed), all->failed == 1 ? "was" : "were",
		all->failed == 1 ? "was" : "were");
	add_words(t, words);
}

static void add_count(struct buf *words, size_t n, const char *what)
{
	if (n > 0 && words->len == 0)
		buf_addf(words, "Not in the sums: %zu run%s %s", n, plural(n), what);
	else if (n > 0)
		buf_addf(words, ", %zu %s", n, what);
}

static void add_left_out(const struct table *t, struct buf *words)
{
	const struct size_waste_row *all = &t->waste->all;

	add_count(words, all->without_cpu_request, "with no known request for CPUs");
	add_count(words, all->without_memory_request,
		words->len > 0 ? "with none for memory" : "with no known request for memory");
	add_count(words, all->unmeasured, "with a measurement missing");
	add_count(words, all->running, "still running");
	if (words->len > 0)
		buf_add_char(words, '.');
	add_words(t, words);
}

static void add_nodes(const struct table *t, struct buf *words)
{
	size_t n = t->waste->all.memory_of_one_node;

	if (n > 0)
		buf_addf(words,
			"Memory of %zu run%s was asked for by the node, and how many nodes there "
			"were is not told: it counts once.",
			n, plural(n));
	add_words(t, words);
}

/* What would count twice. */
static void add_twice(const struct table *t, struct buf *words)
{
	size_t nested = t->waste->nested;
	size_t shared = t->waste->all.shared;

	if (nested > 0)
		buf_addf(words, "Left out: %zu run%s inside others of these, which have all of %s.",
			nested, plural(nested), nested == 1 ? "it" : "them");
	add_words(t, words);
	if (shared > 0)
		buf_addf(words,
			"%zu run%s had other runs of %s Slurm job beside %s: what a job asked for "
			"on a host counts once, and is divided among them.",
			shared, plural(shared), shared == 1 ? "its" : "their",
			shared == 1 ? "it" : "them");
	add_words(t, words);
}

static bool is_overdrawn(double asked, double used, double lost)
{
	return used + lost > asked * (1 + 1e-9);
}

static void add_meaning(const struct table *t, struct buf *words)
{
	const struct size_waste_row *all = &t->waste->all;

	buf_add_text(words, "Used: CPU time, and the peak of memory without caches of files for "
			    "all of a run's time. "
			    "Lost: what was asked for and not used, and all that was held by runs "
			    "that failed.");
	if (is_overdrawn(all->core_hours_asked, all->core_hours_used, all->core_hours_lost) ||
		is_overdrawn(all->gib_hours_asked, all->gib_hours_used, all->gib_hours_lost))
		buf_add_text(words,
			all->runs == 1
				? " The run used more than it asked for."
				: " Some runs used more than they asked for: that makes up for "
				  "no loss of others.");
	if (all->used_is_at_least)
		buf_add_text(
			words, " >=: some use may have been missed; then no more (<=) was lost.");
	add_words(t, words);
}

static void add_time(const struct table *t, struct buf *words)
{
	const struct size_waste_row *all = &t->waste->all;
	int decimals = decimals_for(all->hours_asked * t->per_hour);
	char asked[CELL_SIZE];
	char used[CELL_SIZE];

	if (all->hours_runs == 0)
		return;
	set_number(asked, "", all->hours_asked * t->per_hour, decimals);
	set_number(used, "", all->hours_used * t->per_hour, decimals);
	buf_addf(words,
		"Time limits of %zu run%s: %s %s, used %s; no one loses the rest, but a long limit "
		"waits longer.",
		all->hours_runs, plural(all->hours_runs), asked, t->unit, used);
	add_words(t, words);
}

void size_waste_text(const struct size_waste *waste, size_t width, size_t limit, struct buf *out)
{
	struct table t = lay_out(waste, width, limit, out);
	struct buf words = { 0 };

	if (waste->n == 0) {
		buf_add_text(out, "No run, so nothing is known of what was asked for.\n");
		return;
	}
	buf_addf(&words,
		"Asked for, used and lost by %zu run%s of %zu command%s, the most lost "
		"first",
		waste->all.runs, plural(waste->all.runs), waste->n, plural(waste->n));
	add_words(&t, &words);
	buf_add_char(out, '\n');
	add_head(&t);
	for (size_t i = 0; i < t.shown; i++)
		add_row(&t, &waste->rows[i], waste->rows[i].shape);
	if (waste->n > 1) {
		char command[CELL_SIZE + 32];

		if (t.shown < waste->n)
			snprintf(command, sizeof(command), "all, with %zu not shown",
				waste->n - t.shown);
		else
			snprintf(command, sizeof(command), "all");
		add_row(&t, &waste->all, command);
	}
	buf_add_char(out, '\n');
	add_meaning(&t, &words);
	add_failed(&t, &words);
	add_left_out(&t, &words);
	add_twice(&t, &words);
	add_nodes(&t, &words);
	add_time(&t, &words);
	buf_done(&words);
}
