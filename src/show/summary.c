/* SPDX-License-Identifier: MIT */
/* Says in a few lines what a run used and how well that is known. */
#include "show/summary.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/units.h"
#include "base/utf8.h"
#include "compare/comparison.h"
#include "model/run_info.h"
#include "record/number.h"
#include "run/allowed.h"
#include "show/host_row.h"
#include "text/page.h"
#include "text/wrap.h"

#define COMMAND_COLUMNS_MIN 20
#define COMMAND_BYTES_MAX 4096 /* no more of a command is looked at than could be shown */

#define ITEM_SIZE 160

static bool failed(const struct assay_run_info *info)
{
	const struct outcome *o = &info->outcome;

	if (info->watched.kind)
		return false;
	return info->limit_hit.name || !o->known || o->signal != 0 || o->exit_code != 0;
}

/* The command as a shell would take it, cut to the columns that are left. */
static void command(struct page *p, const struct assay_run_info *info)
{
	struct buf text = { 0 };
	size_t room = PAGE_COLUMNS - COMMAND_COLUMNS_MIN > p->column ? PAGE_COLUMNS - p->column
								     : COMMAND_COLUMNS_MIN;

	for (int i = 0; i < info->argc && text.len < COMMAND_BYTES_MAX; i++) {
		if (i > 0)
			buf_add_char(&text, ' ');
		text_add_shell_word(&text, info->argv[i], strlen(info->argv[i]));
	}
	if (text.failed)
		p->out->failed = true;

	const char *words = text.data ? text.data : "";
	size_t fitting = text_fitting(words, text.len, room);
	if (fitting < text.len) {
		fitting = text_fitting(words, text.len, room - strlen("..."));
		while (fitting > 0 && words[fitting - 1] == ' ')
			fitting--;
	}
	buf_add(p->out, words, fitting);
	if (fitting < text.len)
		buf_add_text(p->out, "...");
	buf_done(&text);
}

static void head(struct page *p, const struct assay_run_info *info)
{
	const struct outcome *o = &info->outcome;
	char duration[UNITS_TEXT_SIZE];
	char text[ITEM_SIZE + sizeof(o->words)];

	format_duration(info->wall_ns, duration);
	if (info->watched.kind && info->joined.n > 1)
		snprintf(text, sizeof(text),
			"assay: watched for %s in %zu joinings, of which the last ended: %s",
			duration, info->joined.n, o->words);
	else if (info->watched.kind)
		snprintf(text, sizeof(text), "assay: watched for %s: %s", duration, o->words);
	else
		snprintf(text, sizeof(text), "assay: %s%s after %s%s",
			o->known ? o->words : "outcome unknown",
			o->core_dumped && o->cause == CAUSE_LIMIT ? " (core dumped)" : "",
			info->wall_late ? "at most " : "", duration);
	page_styled(p, failed(info) ? STYLE_FAILURE : STYLE_BOLD, text);
	if (!info->watched.kind) {
		buf_add_text(p->out, ": ");
		p->column += strlen(": ");
		command(p, info);
	}
	page_end_row(p);
	if (!o->known && o->evidence[0])
		page_words(p, "outcome", o->evidence);
}

static void printable_words(struct page *p, const char *label, const char *text)
{
	struct buf printable = { 0 };

	text_add_printable(&printable, text, strlen(text));
	if (printable.failed)
		p->out->failed = true;
	else
		page_words(p, label, printable.data ? printable.data : "");
	buf_done(&printable);
}

/* Who was watched, and what they had done before: no part of the numbers. */
static void watched_rows(struct page *p, const struct assay_run_info *info)
{
	const struct watched *w = &info->watched;
	char duration[UNITS_TEXT_SIZE];
	char text[ITEM_SIZE];

	if (!w->kind)
		return;
	printable_words(p, "target", w->people);
	snprintf(text, sizeof(text),
		"%llu at the start, %llu seen, %llu ended, %llu left, %llu living",
		(unsigned long long) w->at_start, (unsigned long long) w->seen,
		(unsigned long long) w->ended, (unsigned long long) w->left,
		(unsigned long long) w->living);
	page_words(p, "members", text);
	if (w->before_cpu_ns < 1000000)
		return;
	format_duration(w->before_cpu_ns, duration);
	snprintf(text, sizeof(text), "%s CPU had been used when the watch began: in no number here",
		duration);
	page_words(p, "before", text);
}

/* The headline of that name if it has a value. */
static const struct headline *known(const struct assay_run_info *info, const char *name)
{
	const struct headline *h = run_info_headline(info, name);

	return h && h->value.quality != ABSENT ? h : NULL;
}

static const char *mark(const struct headline *h)
{
	return quality_mark(h->value.quality);
}

/* Adds the bounds that say more than the value does: " (>= 412 MiB, <= 1.20 GiB)". */
static void add_bounds(const struct headline *h, struct buf *out)
{
	bool lower = h->has_lower && h->lower != h->value.n;
	bool upper = h->has_upper && h->upper != h->value.n;
	char number[UNITS_TEXT_SIZE];

	if (!lower && !upper)
		return;
	buf_add_text(out, " (");
	if (lower) {
		format_number(h->unit, h->lower, number);
		buf_addf(out, "%s %s", quality_mark(LOWER_BOUND), number);
	}
	if (upper) {
		format_number(h->unit, h->upper, number);
		buf_addf(out, "%s%s %s", lower ? ", " : "", quality_mark(UPPER_BOUND), number);
	}
	buf_add_char(out, ')');
}

/* Adds the number, the words behind it and its bounds as an item; nothing when it was not measured. */
static void item(struct page *p, const struct headline *h, const char *words)
{
	struct buf text = { 0 };
	char number[UNITS_TEXT_SIZE];

	if (!h)
		return;
	format_number(h->unit, h->value.n, number);
	buf_addf(&text, "%s%s%s", number, words[0] ? " " : "", words);
	add_bounds(h, &text);
	if (text.failed)
		p->out->failed = true;
	else
		page_item(p, mark(h), text.data);
	buf_done(&text);
}

/* Says why a quantity that was asked for has no number. */
static bool absent_row(
	struct page *p, const struct assay_run_info *info, const char *label, const char *name)
{
	const struct headline *h = run_info_headline(info, name);
	char text[sizeof(h->why) + 32];

	if (!h || h->value.quality != ABSENT)
		return false;
	if (h->why[0])
		snprintf(text, sizeof(text), "not measured: %s", h->why);
	else if (h->value.why)
		snprintf(text, sizeof(text), "not measured (%s)", errno_name(h->value.why));
	else
		return false;
	page_words(p, label, text);
	return true;
}

static void add_part(
	struct buf *out, const struct headline *h, const char *words, const char *before)
{
	char number[UNITS_TEXT_SIZE];

	if (!h)
		return;
	format_number(h->unit, h->value.n, number);
	buf_addf(out, "%s%s %s %s", before, mark(h), number, words);
}

static bool cpu_row(struct page *p, const struct assay_run_info *info)
{
	const struct headline *cpu = known(info, "cpu_seconds");
	const struct headline *user = known(info, "cpu_user_seconds");
	const struct headline *system = known(info, "cpu_system_seconds");
	struct buf words = { 0 };

	if (!cpu && !user && !system)
		return absent_row(p, info, "cpu", "cpu_seconds");
	page_row(p, "cpu");
	if (cpu && (user || system)) {
		add_part(&words, user, "user", "(");
		add_part(&words, system, "system", user ? ", " : "(");
		buf_add_char(&words, ')');
		item(p, cpu, words.data ? words.data : "");
	} else {
		item(p, cpu, "");
		item(p, user, "user");
		item(p, system, "system");
	}
	page_end_row(p);
	buf_done(&words);
	return true;
}

static bool cores_row(struct page *p, const struct assay_run_info *info)
{
	const struct headline *mean = known(info, "cpu_mean_cores");
	const struct headline *peak = known(info, "cpu_peak_cores");

	if (!mean && !peak)
		return false;
	page_row(p, "cores");
	item(p, mean, "mean");
	item(p, peak, "peak");
	page_end_row(p);
	return true;
}

static bool memory_row(struct page *p, const struct assay_run_info *info)
{
	const struct headline *job = known(info, "memory_peak_bytes");
	const struct headline *process = known(info, "memory_peak_process_bytes");
	const struct headline *charged = known(info, "memory_peak_charged_bytes");

	if (!job && !process)
		return absent_row(p, info, "memory", "memory_peak_bytes");
	page_row(p, "memory");
	item(p, job, info->watched.kind ? "peak of the target" : "peak of the job");
	item(p, known(info, "memory_peak_swapped_bytes"), "of it swapped out");
	item(p, known(info, "memory_peak_huge_bytes"), "of it huge pages");
	item(p, process, "largest process");
	/* What is charged to a cgroup that others are in says little of the job. */
	if (charged && charged->value.quality == EXACT)
		item(p, charged, "charged to its cgroup");
	page_end_row(p);
	return true;
}

static bool io_row(struct page *p, const struct assay_run_info *info)
{
	const struct headline *read = known(info, "io_read_bytes");
	const struct headline *written = known(info, "io_write_bytes");
	const struct headline *call_read = known(info, "io_read_syscall_bytes");
	const struct headline *call_written = known(info, "io_write_syscall_bytes");
	bool storage = read || written;
	bool calls = call_read || call_written;

	if (!storage && !calls)
		return absent_row(p, info, "io", "io_read_bytes");
	page_row(p, "io");
	item(p, read, written ? "read" : "read (storage)");
	item(p, written, "written (storage)");
	if (storage && calls)
		page_next_line(p);
	item(p, call_read, call_written ? "read" : "read (system calls)");
	item(p, call_written, "written (system calls)");
	page_end_row(p);
	return true;
}

static bool processes_row(struct page *p, const struct assay_run_info *info)
{
	const struct headline *h = known(info, "processes");
	uint64_t seen =
		info->processes_seen + info->processes_named_by_events + info->processes_too_short;
	const char *counted = quality_mark(info->processes_counted ? EXACT : LOWER_BOUND);
	char text[ITEM_SIZE];
	char duration[UNITS_TEXT_SIZE];

	if (!h && seen == 0)
		return false;
	/* Of a target the members are told above. */
	if (info->watched.kind)
		return true;
	page_row(p, "processes");
	if (h) {
		item(p, h, "");
	} else {
		snprintf(text, sizeof(text), "%llu", (unsigned long long) seen);
		page_item(p, counted, text);
	}
	if (info->processes_too_short > 0) {
		snprintf(text, sizeof(text), "%llu of them too short to name",
			(unsigned long long) info->processes_too_short);
		page_item(p, counted, text);
	}
	page_end_row(p);
	/* The part of the total that is in nobody's last reading; a millisecond is not worth a line. */
	if (info->too_short_cpu_ns >= 1000000) {
		format_duration(info->too_short_cpu_ns, duration);
		snprintf(text, sizeof(text),
			"%s CPU in no named process (too short or after a sample)", duration);
		page_row(p, "");
		page_item(p, quality_mark(ESTIMATE), text);
		page_end_row(p);
	}
	return true;
}

static void measured_rows(struct page *p, const struct assay_run_info *info)
{
	bool any = cpu_row(p, info);

	any = cores_row(p, info) || any;
	any = memory_row(p, info) || any;
	any = io_row(p, info) || any;
	any = processes_row(p, info) || any;
	if (!any)
		page_words(p, "measured", "nothing");
}

static void limit_row(struct page *p, const struct assay_run_info *info)
{
	const struct limit_hit *h = &info->limit_hit;
	char value[UNITS_TEXT_SIZE];
	char limit[UNITS_TEXT_SIZE];
	char after[UNITS_TEXT_SIZE];
	char text[ITEM_SIZE * 2];

	if (!h->name)
		return;
	format_number(h->unit, h->value, value);
	format_number(h->unit, h->limit, limit);
	format_duration(h->after_ns, after);
	snprintf(text, sizeof(text), "%s: %s, %s allowed, after %s; %s; %s", h->name, value, limit,
		after, h->killed ? "killed after the grace" : "ended within the grace",
		h->emptied ? "nothing is left" : "NOT all of it has ended");
	page_words(p, "limit", text);
}

static void survivors_row(struct page *p, const struct assay_run_info *info)
{
	size_t total = info->n_survivors_total > info->n_survivors ? info->n_survivors_total
								   : info->n_survivors;
	struct buf text = { 0 };

	if (total == 0)
		return;
	buf_addf(&text,
		total == 1 ? "%zu process is still running" : "%zu processes are still running",
		total);
	for (size_t i = 0; i < info->n_survivors; i++) {
		const struct survivor *s = &info->survivors[i];

		buf_add_text(&text, i == 0 ? ": " : ", ");
		text_add_printable(&text, s->name, strnlen(s->name, sizeof(s->name)));
		buf_addf(&text, " (%ld)", (long) s->pid);
	}
	if (total > info->n_survivors && info->n_survivors > 0)
		buf_addf(&text, ", and %zu more", total - info->n_survivors);
	if (text.failed)
		p->out->failed = true;
	else
		page_words(p, "survivors", text.data);
	buf_done(&text);
}

static void self_row(struct page *p, const struct assay_run_info *info)
{
	char cpu[UNITS_TEXT_SIZE];
	char memory[UNITS_TEXT_SIZE];
	struct buf text = { 0 };

	format_duration(info->self_cpu_ns, cpu);
	format_bytes(info->self_memory_peak_bytes, memory);
	buf_addf(&text, "%s CPU, ", cpu);
	if (info->self_memory_peak_bytes > 0)
		buf_addf(&text, "%s, ", memory);
	buf_addf(&text, "%llu %s", (unsigned long long) info->ticks,
		info->ticks == 1 ? "sample" : "samples");
	if (info->missed_ticks > 0)
		buf_addf(&text, " and %llu missed", (unsigned long long) info->missed_ticks);
	if (info->ticks_left_out > 0)
		buf_addf(&text, ", %llu left out for the budget",
			(unsigned long long) info->ticks_left_out);
	if (text.failed)
		p->out->failed = true;
	else
		page_words(p, "self", text.data);
	buf_done(&text);
}

static void lost_row(struct page *p, const struct assay_run_info *info)
{
	unsigned long long lost = info->records_lost;
	unsigned long long all = info->records_written + lost;
	char text[sizeof(info->write_error) + ITEM_SIZE];

	if (lost > 0)
		snprintf(text, sizeof(text), "%llu of %llu %s could not be written%s%s", lost, all,
			all == 1 ? "window" : "windows", info->write_error[0] ? ": " : "",
			info->write_error);
	else if (info->write_error[0] && !info->info_lost)
		snprintf(text, sizeof(text), "writing failed for a while, nothing was lost: %s",
			info->write_error);
	else
		return;
	printable_words(p, lost > 0 ? "lost" : "trouble", text);
}

static void outputs_rows(struct page *p, const struct assay_run_info *info)
{
	for (size_t i = 0; i < info->n_outputs; i++) {
		const struct output *o = &info->outputs[i];
		unsigned long long lost = o->lost_bytes;
		unsigned long long all = o->bytes + lost;
		char text[sizeof(o->error) + ITEM_SIZE];

		if (!o->error[0])
			continue;
		if (o->lost_bytes > 0)
			snprintf(text, sizeof(text),
				"%llu of %llu bytes of %s are not in its file: %s", lost, all,
				o->name, o->error);
		else
			snprintf(text, sizeof(text), "%s: %s", o->name, o->error);
		printable_words(p, o->lost_bytes > 0 ? "lost" : "trouble", text);
	}
}

static void add_prefix(struct buf *text, const struct assay_run_info *info)
{
	text_add_printable(text, info->prefix, strlen(info->prefix));
}

/* What became of the record that this one was to replace. */
static void old_record_row(struct page *p, const struct assay_run_info *info)
{
	struct buf text = { 0 };

	if (info->old_record == OLD_RECORD_NONE)
		return;
	if (info->old_record == OLD_RECORD_PUT_BACK) {
		buf_add_text(&text, "the one that was to be replaced was put back");
	} else {
		buf_add_text(&text, "the one that was to be replaced is kept in hidden files, "
				    ".assay-old.*, beside ");
		add_prefix(&text, info);
	}
	if (text.failed)
		p->out->failed = true;
	else
		page_words(p, "old record", text.data);
	buf_done(&text);
}

/* Where the final info.json is missing: what there is all the same. */
static void add_what_is_left(struct buf *text, const struct assay_run_info *info)
{
	if (info->old_record == OLD_RECORD_PUT_BACK) {
		buf_add_text(text, "none of this run");
	} else if (info->records_written > 0 && !info->series_gone) {
		add_prefix(text, info);
		buf_add_text(text, "usage.jsonl");
	} else if (info->info_stands && !info->info_gone) {
		add_prefix(text, info);
		buf_add_text(text, "info.json, of an earlier moment");
	} else if (info->records_written > 0 || info->info_stands) {
		buf_add_text(text, "none: what was at ");
		add_prefix(text, info);
		buf_add_text(text, " was moved or removed meanwhile");
	} else if (info->no_usage) {
		buf_add_text(text, "none: nothing of it could be written");
	} else {
		buf_add_text(text, "none: ");
		add_prefix(text, info);
		buf_add_text(text, "usage.jsonl is empty");
	}
}

static void record_rows(struct page *p, const struct assay_run_info *info)
{
	struct buf text = { 0 };

	if (!info->prefix) {
		buf_addf(&text, "none%s%s", info->write_error[0] ? ": " : " was written",
			info->write_error);
		if (text.failed)
			p->out->failed = true;
		else
			printable_words(p, "record", text.data);
		buf_done(&text);
		return;
	}
	if (info->info_lost) {
		buf_addf(&text,
			"the final info.json could not be written: %s; what these lines say is "
			"nowhere else",
			info->info_error);
		if (text.failed)
			p->out->failed = true;
		else
			printable_words(p, "lost", text.data);
		buf_clear(&text);
	}
	page_row(p, "record");
	if (info->info_lost || (info->no_info && (info->records_lost > 0 || info->series_gone))) {
		add_what_is_left(&text, info);
	} else if (!info->no_info && info->info_gone) {
		buf_add_text(&text, "no longer at ");
		add_prefix(&text, info);
		buf_add_text(&text, "info.json: moved or removed meanwhile");
	} else {
		add_prefix(&text, info);
		buf_add_text(&text, info->no_info ? "usage.jsonl" : "info.json");
	}
	/* One unbreakable word, so that it can be copied: the row does not go through the wrapping. */
	if (text.failed)
		p->out->failed = true;
	else
		page_item(p, "", text.data);
	page_end_row(p);
	buf_done(&text);
	old_record_row(p, info);
	lost_row(p, info);
}

void report_summary(const struct assay_run_info *info, int color, struct buf *out)
{
	struct page page = { .out = out, .color = color != 0 };
	char duration[UNITS_TEXT_SIZE];
	char text[ITEM_SIZE];

	head(&page, info);
	watched_rows(&page, info);
	limit_row(&page, info);
	measured_rows(&page, info);
	allowed_rows(&page, info);
	host_row(&page, info);
	survivors_row(&page, info);
	if (info->suspended_ns > 0) {
		format_duration(info->suspended_ns, duration);
		snprintf(text, sizeof(text),
			"the machine slept %s meanwhile, which no time here counts", duration);
		page_words(&page, "suspended", text);
	}
	if (info->stops > 0) {
		format_duration(info->stopped_ns, duration);
		snprintf(
			text, sizeof(text), "%s meanwhile, which the wall time includes", duration);
		page_words(&page, "stopped", text);
	}
	self_row(&page, info);
	record_rows(&page, info);
	outputs_rows(&page, info);
	for (size_t i = 0; i < info->n_notes; i++)
		/* The row of the record gives that reason already. */
		if (i + 1 != info->note_of_no_record)
			printable_words(&page, "note", info->notes[i]);
	report_comparison(info, color, out);
}
