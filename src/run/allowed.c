/* SPDX-License-Identifier: MIT */
/* Sets use beside limits: "3.1 of 4 GiB charged (cgroup memory.max), limit hit 3 times". */
#include "run/allowed.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "model/run_info.h"
#include "text/page.h"

#define ITEM_SIZE 200
/* Nobody needs to be told that 3 processes are fewer than 4 million, and some limit is set everywhere: shown from a tenth of it. */
#define FEW_PROCESSES 10

static const struct allowed_use nothing = { .quality = ABSENT };

static bool has_source(const struct target_limit *l, const char *source)
{
	return strcmp(l->source, source) == 0;
}

static bool has_name(const struct target_limit *l, const char *name)
{
	return strcmp(l->name, name) == 0;
}

bool allowed_is_per_process(const struct target_limit *l)
{
	return has_source(l, "RLIMIT_AS") || has_source(l, "RLIMIT_DATA");
}

const struct target_limit *allowed_tightest(const struct assay_run_info *info, const char *name)
{
	const struct target_limit *found = NULL;

	for (size_t i = 0; i < info->n_target_limits; i++) {
		const struct target_limit *l = &info->target_limits[i];

		if (!has_name(l, name) || allowed_is_per_process(l) || l->limit == UINT64_MAX)
			continue;
		/* The tightest of all has the right of way among equal ones. */
		if (!found || l->limit < found->limit || (l->limit == found->limit && l->tightest))
			found = l;
	}
	return found;
}

static struct allowed_use from_headline(
	const struct assay_run_info *info, const char *name, const char *words)
{
	const struct headline *h = run_info_headline(info, name);

	if (!h || h->value.quality == ABSENT)
		return nothing;
	return (struct allowed_use){ .n = h->value.n, .quality = h->value.quality, .words = words };
}

static struct allowed_use from_row(
	const struct assay_run_info *info, const char *key, const char *words)
{
	int row = info->measures && info->run_totals ? measures_find(info->measures, key) : -1;

	if (row < 0 || info->run_totals[row].quality == ABSENT)
		return nothing;
	return (struct allowed_use){ .n = info->run_totals[row].max,
		.quality = info->run_totals[row].quality,
		.words = words };
}

static struct allowed_use memory_use(
	const struct assay_run_info *info, const struct target_limit *l)
{
	struct allowed_use use = nothing;

	if (allowed_is_per_process(l))
		return from_headline(
			info, "memory_peak_process_bytes", "resident in the largest process");
	if (has_source(l, "cgroup")) {
		use = from_headline(info, "memory_peak_charged_bytes", "charged");
		use.charged = use.quality != ABSENT;
	}
	if (use.quality == ABSENT)
		use = from_headline(info, "memory_peak_bytes", "in processes");
	return use;
}

struct allowed_use allowed_lasting(const struct assay_run_info *info, const struct target_limit *l)
{
	struct allowed_use use = nothing;

	if (has_source(l, "cgroup"))
		use = from_row(info, "cgroup_memory_nonreclaimable_peak_bytes",
			"what the kernel cannot take back came to");
	if (use.quality == ABSENT)
		use = from_headline(info, "memory_peak_bytes", "the processes themselves had");
	return use;
}

struct allowed_use allowed_use(const struct assay_run_info *info, const struct target_limit *l)
{
	struct allowed_use use = nothing;

	if (has_name(l, "memory"))
		return memory_use(info, l);
	if (has_name(l, "cpu"))
		return from_headline(info, "cpu_peak_cores", "at peak");
	if (has_name(l, "time"))
		return (struct allowed_use){
			.n = info->wall_ns, .quality = EXACT, .words = "wall time"
		};
	if (has_name(l, "processes")) {
		use = from_row(info, "proc_threads_total_count", "threads at once");
		if (use.quality == ABSENT)
			use = from_row(info, "tree_processes_count", "processes at once");
	}
	return use;
}

void allowed_name(const struct target_limit *l, char text[ALLOWED_NAME_SIZE])
{
	const char *slash = strrchr(l->where, '/');
	const char *file = slash ? slash + 1 : l->where;
	size_t n =
		strcspn(file, " "); /* "memory.stat hierarchical_memory_limit": the file will do */

	if (has_source(l, "cgroup"))
		snprintf(text, ALLOWED_NAME_SIZE, "cgroup %.*s", (int) (n < 60 ? n : 60), file);
	else if (has_source(l, "slurm"))
		snprintf(text, ALLOWED_NAME_SIZE, "%.60s", l->where);
	else
		snprintf(text, ALLOWED_NAME_SIZE, "%.47s", l->source);
}

void allowed_amount(uint8_t unit, uint64_t n, char text[ALLOWED_AMOUNT_SIZE])
{
	char number[UNITS_TEXT_SIZE];
	uint64_t hundredths = n / 10 + (n % 10 >= 5);

	if (unit == BYTES)
		format_bytes(n, number);
	else if (unit == SECONDS)
		format_duration(n, number);
	else if (unit == COUNT)
		snprintf(number, sizeof(number), "%llu", (unsigned long long) n);
	else if (hundredths % 100 == 0)
		snprintf(number, sizeof(number), "%llu", (unsigned long long) hundredths / 100);
	else
		snprintf(number, sizeof(number), "%llu.%02llu",
			(unsigned long long) hundredths / 100,
			(unsigned long long) hundredths % 100);
	snprintf(text, ALLOWED_AMOUNT_SIZE, "%s%s", number,
		unit != UNITLESS    ? ""
		: hundredths == 100 ? " core"
				    : " cores");
}

/* "3.10 of 4 GiB": the unit once where it is the same. */
static void add_pair(struct buf *out, uint8_t unit, uint64_t used, uint64_t limit)
{
	char a[ALLOWED_AMOUNT_SIZE];
	char b[ALLOWED_AMOUNT_SIZE];

	allowed_amount(unit, used, a);
	allowed_amount(unit, limit, b);
	char *blank_a = strrchr(a, ' ');
	const char *blank_b = strrchr(b, ' ');
	if (unit == UNITLESS ||
		(unit == BYTES && blank_a && blank_b && strcmp(blank_a, blank_b) == 0))
		*blank_a = '\0';
	buf_addf(out, "%s of %s", a, b);
}

static void add_hits(struct page *p, const struct target_limit *l)
{
	char duration[UNITS_TEXT_SIZE];
	char text[ITEM_SIZE];

	if (!l->has_hits || l->hits == 0)
		return;
	format_duration(l->throttled_ns, duration);
	if (l->periods > 0)
		snprintf(text, sizeof(text), "throttled in %llu of %llu periods, %s",
			(unsigned long long) l->hits, (unsigned long long) l->periods, duration);
	else
		snprintf(text, sizeof(text), "limit hit %llu time%s", (unsigned long long) l->hits,
			l->hits == 1 ? "" : "s");
	page_item(p, "", text);
}

static void line(struct page *p, const struct assay_run_info *info, const struct target_limit *l)
{
	struct allowed_use use = allowed_use(info, l);
	char amount[ALLOWED_AMOUNT_SIZE];
	char name[ALLOWED_NAME_SIZE];
	struct buf text = { 0 };

	allowed_name(l, name);
	if (use.quality != ABSENT) {
		add_pair(&text, l->unit, use.n, l->limit);
		buf_addf(&text, "%s%s (%s)", use.words[0] ? " " : "", use.words, name);
	} else {
		allowed_amount(l->unit, l->limit, amount);
		buf_addf(&text, "%s %s (%s)", amount,
			has_name(l, "memory_and_swap") ? "memory and swap" : l->name, name);
	}
	if (text.failed)
		p->out->failed = true;
	else
		page_item(p, use.quality != ABSENT ? quality_mark(use.quality) : "", text.data);
	add_hits(p, l);
	buf_done(&text);
}

/* No tighter one of its kind: of each process, or of the whole job. */
static bool is_shown(const struct assay_run_info *info, const struct target_limit *l)
{
	const struct target_limit *job = allowed_tightest(info, l->name);
	struct allowed_use use;

	if (l->limit == UINT64_MAX || has_source(l, "host"))
		return false;
	if (l->has_hits && l->hits > 0)
		return true;
	if (has_name(l, "processes")) {
		use = allowed_use(info, l);
		return l == job && use.quality != ABSENT && use.n >= l->limit / FEW_PROCESSES;
	}
	if (has_name(l, "memory") && allowed_is_per_process(l))
		return l->tightest;
	return l == job && !has_name(l, "swap") && !has_name(l, "memory_and_swap");
}

void allowed_rows(struct page *p, const struct assay_run_info *info)
{
	bool open = false;

	for (size_t i = 0; i < info->n_target_limits; i++) {
		const struct target_limit *l = &info->target_limits[i];

		if (!is_shown(info, l))
			continue;
		if (open)
			page_next_line(p);
		else
			page_row(p, "allowed");
		open = true;
		line(p, info, l);
	}
	if (open)
		page_end_row(p);
}
