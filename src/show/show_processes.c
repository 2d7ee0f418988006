/* SPDX-License-Identifier: MIT */
/* Tables of processes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "model/value.h"
#include "record/number.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/page.h"
#include "text/wrap.h"

#define NAME_COLUMNS 15 /* TASK_COMM_LEN less its NUL */
#define COMMAND_COLUMNS_MIN 12
#define INDENT 2
#define ROOM_FOR_BOTH 68 /* columns: below that reading and writing are one number */

/* Printable, cut to so many columns, which "..." at the end says; `pad`: filled up to them. */
static void add_cut(struct buf *out, const char *text, size_t columns, bool printable, bool pad)
{
	struct buf whole = { 0 };

	if (printable)
		buf_add_text(&whole, text);
	else
		text_add_printable(&whole, text, strlen(text));
	if (whole.failed) {
		out->failed = true;
		buf_done(&whole);
		return;
	}
	size_t before = out->len;
	if (whole.len > 0)
		text_add_shortened(out, whole.data, whole.len, columns);
	size_t wide = out->failed || out->len == before
			      ? 0
			      : text_columns(out->data + before, out->len - before);
	for (; pad && wide < columns; wide++)
		buf_add_char(out, ' ');
	buf_done(&whole);
}

static void add_number(struct buf *out, const char *unit, double number, size_t columns)
{
	struct buf text = { 0 };

	if (isnan(number))
		buf_add_char(&text, '-');
	else
		show_add_number(unit, number, &text);
	if (text.failed)
		out->failed = true;
	else
		buf_addf(out, " %*s", (int) columns, text.data);
	buf_done(&text);
}

/* "8h 04m": of hours nobody asks for the seconds, and the column is narrow. */
static void add_hours(struct buf *out, double seconds, int columns)
{
	char text[40];
	uint64_t hours = (uint64_t) (seconds / 3600);

	if (hours < 24)
		snprintf(text, sizeof(text), "%lluh %02um", (unsigned long long) hours,
			(unsigned) (seconds - (double) hours * 3600) / 60);
	else
		snprintf(text, sizeof(text), "%llud %02uh", (unsigned long long) hours / 24,
			(unsigned) (hours % 24));
	buf_addf(out, " %*s", columns, text);
}

static bool is_share(const struct process_sum *p)
{
	return isnan(p->cpu_seconds) && !isnan(p->cpu_percent);
}

/* Seconds where they are known, else the highest share of a core. */
static void add_cpu(struct buf *out, const struct process_sum *p)
{
	bool share = is_share(p);

	if (p->cpu_seconds >= 3600 && p->cpu_seconds < 1e15)
		add_hours(out, p->cpu_seconds, 9);
	else
		add_number(out, share ? "percent" : "seconds",
			share ? p->cpu_percent : p->cpu_seconds, 9);
}

static void trim(struct buf *line)
{
	while (line->len > 0 && line->data[line->len - 1] == ' ')
		line->data[--line->len] = '\0';
}

static double sum(double a, double b)
{
	if (isnan(a))
		return b;
	return isnan(b) ? a : a + b;
}

/* Where the program lies says less than what it was given, and there is little room. */
static const char *without_directory(const char *command)
{
	const char *end = command + strcspn(command, " '\"$");
	const char *slash =
		*end == ' ' || !*end ? memrchr(command, '/', (size_t) (end - command)) : NULL;

	return slash && slash[1] && slash[1] != ' ' ? slash + 1 : command;
}

/* The command of a process; of one that told none, its name. */
static void add_command(struct buf *out, const struct process_sum *p, size_t columns)
{
	if (p->command)
		add_cut(out, without_directory(p->command), columns, true, false);
	else if (p->name)
		add_cut(out, p->name, columns, false, false);
}

/* On a narrow page the name, with which most commands begin, gives its room to the command. */
static bool has_name(size_t columns)
{
	return columns >= 100;
}

static void add_line(struct buf *out, const struct process_sum *p, bool of_rss, size_t columns)
{
	struct buf line = { 0 };

	buf_addf(&line, "%*s%7lld", INDENT, "", (long long) p->pid);
	if (has_name(columns)) {
		buf_add_char(&line, ' ');
		add_cut(&line, p->name ? p->name : "", NAME_COLUMNS, false, true);
	}
	add_cpu(&line, p);
	add_number(&line, "bytes", of_rss ? p->rss_bytes : p->pss_bytes, 9);
	if (columns < ROOM_FOR_BOTH) {
		add_number(&line, "bytes", sum(p->read_bytes, p->write_bytes), 9);
	} else {
		add_number(&line, "bytes", p->read_bytes, 9);
		add_number(&line, "bytes", p->write_bytes, 9);
	}
	if (line.failed) {
		out->failed = true;
	} else {
		size_t used = text_columns(line.data, line.len) + 2;

		if (used < columns) {
			buf_add_text(&line, "  ");
			add_command(&line, p, columns - used);
		}
		trim(&line);
		buf_add(out, line.data, text_fitting(line.data, line.len, columns));
		buf_add_char(out, '\n');
	}
	buf_done(&line);
}

/* What holds for a column: of the numbers that stand in it. */
struct columns {
	unsigned char cpu, rss, pss, read, write; /* enum quality */
	bool has_rss;
};

static void look_at(struct columns *c, const struct process_sum *p)
{
	const unsigned char *q = p->qualities;

	c->cpu = process_quality_of_both(c->cpu, q[is_share(p) ? NUMBER_CPU_PERCENT : NUMBER_CPU]);
	c->rss = process_quality_of_both(c->rss, q[NUMBER_RSS]);
	c->pss = process_quality_of_both(c->pss, q[NUMBER_PSS]);
	c->read = process_quality_of_both(c->read, q[NUMBER_READ]);
	c->write = process_quality_of_both(c->write, q[NUMBER_WRITE]);
	c->has_rss = c->has_rss || !isnan(p->rss_bytes);
}

/* ">= read", right-aligned as the numbers are. */
static void add_title(struct buf *out, unsigned char quality, const char *title)
{
	char text[20];
	const char *mark = quality_mark((enum quality) quality);

	snprintf(text, sizeof(text), "%s%s%s", quality == ABSENT ? "" : mark,
		quality == ABSENT ? "" : " ", title);
	buf_addf(out, " %9s", text);
}

static void add_io_titles(struct buf *out, const struct columns *c, bool both)
{
	if (both) {
		add_title(out, c->read, "read");
		add_title(out, c->write, "write");
	} else {
		add_title(out, process_quality_of_both(c->read, c->write), "io");
	}
}

static void add_head_line(struct page *p, struct buf *head)
{
	size_t n = head->data ? text_fitting(head->data, head->len, page_columns(p)) : 0;

	while (head->data && n > 0 && head->data[n - 1] == ' ')
		n--;
	if (head->data)
		head->data[n] = '\0';
	if (head->failed)
		p->out->failed = true;
	else
		page_styled(p, STYLE_DIM, head->data);
	page_end_row(p);
	buf_done(head);
}

static void add_head(struct page *p, const struct columns *c)
{
	size_t columns = page_columns(p);
	struct buf head = { 0 };

	buf_addf(&head, "%*s%7s%s", INDENT, "", "pid", has_name(columns) ? " name           " : "");
	add_title(&head, c->cpu, "cpu");
	add_title(&head, c->has_rss ? c->rss : c->pss, c->has_rss ? "rss" : "pss");
	add_io_titles(&head, c, columns >= ROOM_FOR_BOTH);
	buf_add_text(&head, "  command");
	add_head_line(p, &head);
}

static bool is_picked(const struct process_sum **picked, size_t n, const struct process_sum *p)
{
	for (size_t i = 0; i < n; i++)
		if (picked[i] == p)
			return true;
	return false;
}

/* The weight of the one that is just among the first of an order; what has less is not. */
static double least_weight(const struct process_table *t, enum process_order order)
{
	double top[SHOW_TOP];

	for (size_t i = 0; i < SHOW_TOP; i++)
		top[i] = 0;
	for (size_t i = 0; i < t->n; i++) {
		double weight = process_weight(&t->list[i], order);

		for (size_t k = 0; k < SHOW_TOP; k++) {
			if (weight <= top[k])
				continue;
			memmove(&top[k + 1], &top[k], (SHOW_TOP - 1 - k) * sizeof(top[0]));
			top[k] = weight;
			break;
		}
	}
	return top[SHOW_TOP - 1];
}

size_t show_pick_processes(struct process_table *t, const struct process_sum **ret, size_t room)
{
	static const enum process_order orders[] = { BY_CPU, BY_MEMORY, BY_IO };
	size_t n = 0;

	process_table_sort(t, BY_CPU);
	for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
		double least = least_weight(t, orders[o]);
		size_t of_this = 0;

		for (size_t i = 0; i < t->n && n < room && of_this < SHOW_TOP; i++) {
			double weight = process_weight(&t->list[i], orders[o]);

			if (weight <= 0 || weight < least)
				continue;
			of_this++;
			if (!is_picked(ret, n, &t->list[i]))
				ret[n++] = &t->list[i];
		}
	}
	return n;
}

/* Names that many processes had: of a build they say more than its processes. */
static void add_names(struct page *p, const struct story *s)
{
	const json_t *names = info_member(s->run->info, "processes", "by_name");
	struct buf text = { 0 };
	size_t n = json_array_size(names);
	size_t shown = n < 6 ? n : 6;

	if (s->processes.n <= (size_t) 2 * SHOW_TOP || n == 0)
		return;
	for (size_t i = 0; i < shown; i++) {
		const json_t *of = json_array_get(names, i);
		const char *name = info_text(of, "name", NULL);
		double cpu = info_number(of, "cpu_seconds", NULL);

		if (!name)
			continue;
		buf_add_text(&text, text.len > 0 ? ", " : "");
		text_add_printable(&text, name, strlen(name));
		buf_addf(&text, " x%.0f", info_number(of, "processes", NULL));
		if (!isnan(cpu)) {
			/* As of the table: at their last samples. */
			buf_addf(&text, " %s ", quality_mark(LOWER_BOUND));
			show_add_number("seconds", cpu, &text);
		}
	}
	if (n > shown)
		buf_addf(&text, ", and %zu more names", n - shown);
	if (text.failed)
		p->out->failed = true;
	else if (text.len > 0)
		page_words(p, "by name", text.data);
	buf_done(&text);
}

void show_top_processes(struct page *p, struct story *s)
{
	const struct process_sum *picked[3 * SHOW_TOP];
	size_t n = show_pick_processes(&s->processes, picked, ARRAY_SIZE(picked));

	struct columns columns = { 0 };

	for (size_t i = 0; i < n; i++)
		look_at(&columns, picked[i]);
	if (n > 0)
		add_head(p, &columns);
	for (size_t i = 0; i < n; i++)
		add_line(p->out, picked[i], columns.has_rss, page_columns(p));
	if (s->processes.n > n && n > 0) {
		char text[80];

		snprintf(text, sizeof(text), "%*s    ... %zu more: --processes", INDENT, "",
			s->processes.n - n);
		page_styled(p, STYLE_DIM, text);
		page_end_row(p);
	}
	add_names(p, s);
}

/* Which columns there is room for. */
static bool has_pss(size_t columns)
{
	return columns >= 92;
}

static bool has_both_directions(size_t columns)
{
	return columns >= 80;
}

static bool has_times(size_t columns)
{
	return columns >= 70;
}

static void add_full_line(struct buf *out, const struct process_sum *p, size_t columns)
{
	struct buf line = { 0 };
	struct buf times = { 0 };

	buf_addf(&times, "%s%.1f", p->born ? "" : "<", p->first_seconds);
	buf_addf(&times, "-%s%.1f", p->ended || p->left ? "" : ">", p->last_seconds);
	buf_addf(&line, "%7lld ", (long long) p->pid);
	add_cut(&line, p->name ? p->name : "", NAME_COLUMNS, false, true);
	add_cpu(&line, p);
	add_number(&line, "bytes", p->rss_bytes, 9);
	if (has_pss(columns))
		add_number(&line, "bytes", p->pss_bytes, 9);
	if (has_both_directions(columns)) {
		add_number(&line, "bytes", p->read_bytes, 9);
		add_number(&line, "bytes", p->write_bytes, 9);
	} else {
		add_number(&line, "bytes", sum(p->read_bytes, p->write_bytes), 9);
	}
	if (has_times(columns))
		buf_addf(&line, " %15s", times.failed ? "" : times.data);
	if (p->command && !line.failed &&
		text_columns(line.data, line.len) + 2 + COMMAND_COLUMNS_MIN <= columns) {
		buf_add_text(&line, "  ");
		add_cut(&line, p->command, columns - text_columns(line.data, line.len), true,
			false);
	}
	if (line.failed || times.failed) {
		out->failed = true;
	} else {
		trim(&line);
		buf_add(out, line.data, text_fitting(line.data, line.len, columns));
		buf_add_char(out, '\n');
	}
	buf_done(&times);
	buf_done(&line);
}

static void add_full_head(struct page *p, const struct columns *c)
{
	size_t columns = page_columns(p);
	struct buf head = { 0 };

	buf_addf(&head, "%7s %-*s", "pid", NAME_COLUMNS, "name");
	add_title(&head, c->cpu, "cpu");
	add_title(&head, c->rss, "rss");
	if (has_pss(columns))
		add_title(&head, c->pss, "pss");
	add_io_titles(&head, c, has_both_directions(columns));
	if (has_times(columns))
		buf_addf(&head, " %15s", "from-to, s");
	buf_add_text(&head, columns > 101 ? "  command" : "");
	add_head_line(p, &head);
}

/* One that was left out of a line may stand in another, so that only the count of all tells whether some never came. */
static void add_omitted(const struct story *s, size_t columns, struct buf *out)
{
	const json_t *headline = json_object_get(s->run->info, "headline");
	const char *quality = info_text(json_object_get(headline, "processes"), "quality", NULL);
	double all = info_number(headline, "processes", "value");
	double named = (double) s->processes.n + (double) s->processes.let_go;
	struct buf text = { 0 };

	if (s->omitted_processes == 0 || all <= named)
		return;
	if (all > named)
		buf_addf(&text, "%.0f of %s %.0f processes are named", named,
			quality ? mark_of_quality(quality) : "~", all);
	else
		buf_addf(&text, "not all processes are named");
	buf_addf(&text,
		": a line of the series holds 256 at most, and one had to leave out %llu that did "
		"less",
		(unsigned long long) s->omitted_processes);
	if (text.failed)
		out->failed = true;
	else
		text_add_fitting(out, text.data, 0, 0, columns);
	buf_add_char(out, '\n');
	buf_done(&text);
}

void show_processes(
	struct story *s, enum process_order order, const struct show_look *look, struct buf *out)
{
	struct page page = { .out = out, .color = look->color, .columns = look->columns };
	struct columns c = { 0 };

	process_table_sort(&s->processes, order);
	for (size_t i = 0; i < s->processes.n; i++)
		look_at(&c, &s->processes.list[i]);
	add_full_head(&page, &c);
	for (size_t i = 0; i < s->processes.n; i++)
		add_full_line(out, &s->processes.list[i], look->columns);
	if (s->processes.let_go > 0)
		buf_addf(out, "and %llu that ended and did less than those\n",
			(unsigned long long) s->processes.let_go);
	add_omitted(s, look->columns, out);
	double too_short = info_number(s->run->info, "processes", "too_short");
	double unnamed = info_number(s->run->info, "processes", "unnamed_cpu_seconds");
	if (too_short > 0) {
		buf_addf(out, "too short to name: %.0f", too_short);
		if (unnamed >= 0) {
			buf_add_text(out, ", ");
			show_add_number("seconds", unnamed, out);
			buf_add_text(out, " CPU in no named process");
		}
		buf_add_char(out, '\n');
	}
}
