/* SPDX-License-Identifier: MIT */
/* The request in words that a person trusts: the amount first, then how sure it is, what it stands on, and what it does not know. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/macros.h"
#include "base/units.h"
#include "base/utf8.h"
#include "model/value.h"
#include "size/size_forms.h"
#include "size/size_plan.h"
#include "size/size_tried.h"
#include "text/page.h"
#include "text/wrap.h"

#define GIB (1024.0 * 1024 * 1024)

/* Both for `amount`, which is bytes, seconds or cores. */
static void amount_text(enum size_resource resource, double amount, char text[UNITS_TEXT_SIZE])
{
	if (!(amount >= 0) || amount > 1e18)
		snprintf(text, UNITS_TEXT_SIZE, "%.3g", amount);
	else if (resource == SIZE_MEMORY)
		format_bytes((uint64_t) amount, text);
	else if (resource == SIZE_TIME && amount < 1e9)
		format_duration((uint64_t) (amount * (double) NSEC_PER_SEC), text);
	else
		snprintf(text, UNITS_TEXT_SIZE, "%.4g", amount);
}

/* 0.952 is "95.2 %"; one that is not whole never becomes 100. */
static void add_percent(struct buf *out, double part)
{
	double percent = floor(part * 1000) / 10;

	buf_addf(out, "%.*f %%", percent == floor(percent) ? 0 : 1, percent);
}

/* Whole minutes: "12 min", "1 h 20 min", "2 d 3 h 0 min". */
static void add_minutes(uint64_t seconds, struct buf *line)
{
	const uint64_t of_a_day = 1440;
	uint64_t minutes = seconds / 60;

	if (minutes >= of_a_day)
		buf_addf(line, "%" PRIu64 " d ", minutes / of_a_day);
	if (minutes >= 60)
		buf_addf(line, "%" PRIu64 " h ", minutes / 60 % 24);
	buf_addf(line, "%" PRIu64 " min", minutes % 60);
}

static void add_lead(
	struct page *p, enum size_resource resource, const struct size_part *part, struct buf *line)
{
	char amount[UNITS_TEXT_SIZE];
	char asked[SIZE_SLURM_TEXT];

	amount_text(resource, (double) part->request, amount);
	if (resource == SIZE_MEMORY) {
		size_slurm_memory(part->request, asked);
		buf_addf(line, "%s (--mem=%s)", amount, asked);
	} else if (resource == SIZE_TIME) {
		size_slurm_time(part->request, asked);
		add_minutes(part->request, line);
		buf_addf(line, " (--time=%s)", asked);
	} else {
		buf_addf(line, "%s (--cpus-per-task=%s)", amount, amount);
	}
	page_styled_words(
		p, size_resource_name(resource), STYLE_BOLD, line->data ? line->data : "");
	buf_clear(line);
}

static void say(struct page *p, struct buf *line)
{
	if (line->len > 0 && !line->failed)
		page_words(p, "", line->data);
	buf_clear(line);
}

/* What was measured in a run is another number. */
static const char *moved_words(const struct size_bound *b)
{
	return b->by       ? ", brought along the line to the next one's place"
	       : b->drifts ? ", moved on to the next one's place"
			   : "";
}

/* "the largest of 20", "number 19 of 20" */
static void add_rank(const struct size_bound *b, struct buf *line)
{
	if (b->rank == 0)
		buf_add_text(line,
			"what these runs needed, which is more than the next step from the last");
	else if (b->rank == b->n)
		buf_addf(line, "the largest of %zu", b->n);
	else
		buf_addf(line, "number %zu of %zu", b->rank, b->n);
	if (b->by_steps)
		buf_add_text(line, " steps from one run to the next, made from the last one");
	buf_add_text(line, moved_words(b));
}

static void add_of_rank(const struct size_bound *b, const struct size_options *o, struct buf *line)
{
	buf_add_text(line, "enough for the next run with a chance of ");
	add_percent(line, b->promise);
	buf_add_text(line, b->by       ? ", if needs go on along this line: "
			   : b->serial ? ", if it differs from the last as each did from the one "
					 "before: "
			   : b->drifts ? ", if the drift goes on: "
				       : ", whatever the distribution, if it is one of the same "
					 "kind: ");
	add_rank(b, line);
	if (o->wish.confidence > 0 && b->serial) {
		buf_add_text(line, "; of all future runs nothing is known");
	} else if (o->wish.confidence > 0) {
		buf_add_text(line, "; with a confidence of ");
		add_percent(line, b->confidence);
		buf_add_text(line, " for ");
		add_percent(line, o->wish.target);
		buf_add_text(line, " of all future runs");
	}
	buf_add_char(line, '.');
}

/* Runs that differ more than that are hardly of one kind. */
#define SPREAD_ODD 10.0

/* Runs, or runs that came to their end. */
static void add_what_is_lacking(
	const struct size_bound *b, const struct size_options *o, struct buf *line)
{
	if (b->n < b->needed)
		buf_addf(line, " With %zu runs no extra is needed", b->needed);
	else
		buf_add_text(line, " Were none of them cut off, no extra was needed");
	if (o->wish.confidence > 0) {
		buf_add_text(line, "; until then a confidence of ");
		add_percent(line, o->wish.confidence);
		buf_add_text(line, " is not reached");
	}
	buf_add_char(line, '.');
}

static void add_of_margin(
	const struct size_part *part, const struct size_options *o, struct buf *line)
{
	const struct size_bound *b = &part->bound;

	bool has_extra = b->margin > 1 + 1e-9;
	const char *of = b->by_steps ? " steps from one run to the next, made from the last one"
			 : b->n == 1 ? " run"
				     : " runs";

	if (has_extra)
		buf_addf(line, "%.3g times the largest of %zu%s%s. %s cover the next with ",
			b->margin, b->n, of, moved_words(b),
			b->n == 1 ? "One run alone would" : "They alone would");
	else
		buf_addf(line, "the largest of %zu%s%s. They cover the next with ", b->n, of,
			moved_words(b));
	add_percent(line, b->promise);
	if (b->promise < o->wish.target) {
		buf_add_text(line, has_extra ? "; the extra is for " : ", and not ");
		add_percent(line, o->wish.target);
		buf_add_text(line, has_extra ? ", if needs vary as those of most jobs do." : ".");
	} else {
		buf_add_char(line, '.');
	}
	add_what_is_lacking(b, o, line);
	if (part->least_whole > 0 && part->most_whole > SPREAD_ODD * part->least_whole)
		buf_addf(line,
			" Those that ended by themselves differ %.0f-fold, which is hardly one "
			"kind of run: --where or --by may tell them apart.",
			part->most_whole / part->least_whole);
}

static void add_of_cut_off(
	enum size_resource resource, const struct size_part *part, struct buf *line)
{
	const struct size_bound *b = &part->bound;
	char most[UNITS_TEXT_SIZE];

	amount_text(resource, part->cut_off_most, most);
	buf_addf(line,
		"the next to try, and no promise: of %zu of %zu runs only a least is known, one at "
		"%s, and none shows how much it needed. The others promise ",
		b->n_cut_off, b->n, most);
	add_percent(line, b->promise);
	buf_add_char(line, '.');
}

static void add_sureness(enum size_resource resource, const struct size_part *part,
	const struct size_options *o, struct buf *line)
{
	const struct size_bound *b = &part->bound;

	if (b->beyond)
		buf_addf(line,
			"beyond all that was seen of runs that ended by themselves: no promise. A "
			"line through %zu of them goes on to it.",
			b->n - b->n_cut_off);
	else if (b->method == SIZE_RANK)
		add_of_rank(b, o, line);
	else if (b->method == SIZE_MARGIN)
		add_of_margin(part, o, line);
	else
		add_of_cut_off(resource, part, line);
}

/* What they come to; or why that is not known. */
static void add_tried(const struct size_part *part, struct buf *line)
{
	const struct size_tried *tried = &part->tried;
	char once[UNITS_TEXT_SIZE];

	if (tried->n == 0) {
		buf_add_text(line, " How often the first is enough is not known: ");
		if (part->bound.drifts || part->bound.serial)
			buf_add_text(line, part->bound.drifts
						   ? "the runs drift."
						   : "each run is like the one before it.");
		else
			buf_addf(line, "it takes %d runs to say.",
				part->bound.by ? SIZE_TRIED_LEAST_BY : SIZE_TRIED_LEAST);
		return;
	}
	buf_addf(line, " Tried on each of %zu runs by what the others alone lead to%s, ", tried->n,
		part->bound.by ? " along this line" : "");
	if (isnan(tried->first)) {
		buf_add_text(line, "how often the first is enough is not known: runs were cut off "
				   "below it.");
		return;
	}
	buf_addf(line, "the first was enough for %zu: ", tried->enough);
	add_percent(line, tried->first);
	buf_add_text(line, ", give or take chance ");
	add_percent(line, tried->first_low);
	buf_add_text(line, " to ");
	add_percent(line, tried->first_high);
	buf_add_char(line, '.');
	amount_text(SIZE_MEMORY, (double) part->once, once);
	if (isnan(tried->held))
		buf_add_text(line, " What was held is not known: runs were cut off.");
	else
		buf_addf(line,
			" They held %.0f %% of what asking first for %s would, failed attempts "
			"counted whole.",
			100 * tried->held / tried->held_once, once);
}

/* What comes first, what after a failure, and what a job holds on average by each way. */
void size_plan_say_steps(const struct size_plan *plan, struct buf *line)
{
	const struct size_part *part = &plan->parts[SIZE_MEMORY];

	buf_add_text(line, "first this");
	for (size_t i = 1; i < part->n_requests; i++) {
		char step[UNITS_TEXT_SIZE];

		amount_text(SIZE_MEMORY, (double) part->requests[i], step);
		buf_addf(line, "%s %s", i == 1 ? "; after a failure" : ", then", step);
	}
	buf_add_char(line, '.');
	add_tried(part, line);
}

static bool is_in_bytes(const char *field)
{
	size_t n = strlen(field);

	return n >= 5 && strcmp(field + n - 5, "bytes") == 0;
}

static void add_place(const struct size_bound *b, enum size_resource resource,
	const struct size_options *o, struct buf *line)
{
	char fixed[UNITS_TEXT_SIZE];

	if (b->by && !(b->slope > 0)) {
		buf_addf(line, "It does not grow with %s: --by is no help for it.", o->by);
	} else if (b->by && is_in_bytes(o->by)) {
		char slope[UNITS_TEXT_SIZE];
		char at[UNITS_TEXT_SIZE];

		amount_text(resource, b->fixed, fixed);
		amount_text(resource, b->slope * GIB, slope);
		amount_text(SIZE_MEMORY, b->at, at);
		buf_addf(line, "It follows %s: %s, and %s for each GiB; asked for %s.", o->by,
			fixed, slope, at);
	} else if (b->by) {
		char slope[UNITS_TEXT_SIZE];

		amount_text(resource, b->fixed, fixed);
		amount_text(resource, b->slope, slope);
		buf_addf(line, "It follows %s: %s, and %s for each; asked for %.6g.", o->by, fixed,
			slope, b->at);
	} else if (b->serial) {
		buf_add_text(line, "Each run is like the one before it: the request is for the "
				   "next step from the last, and for what all of them needed.");
	} else if (b->drifts && fabs(b->drift) < 0.0005) {
		buf_add_text(line, "The runs drift, by how much is not clear; the request is for a "
				   "drift as high as these runs allow.");
	} else if (b->drifts) {
		buf_addf(line,
			"The runs drift: each whole one needs %.2g %% %s than the one before; the "
			"request is for the next, and for a drift as high as these runs allow.",
			fabs(100 * b->drift), b->drift > 0 ? "more" : "less");
	} else if (b->order == SIZE_ORDER_UNDATED) {
		buf_add_text(line, "Whether they drift is not known: some have no start.");
	} else if (b->order == SIZE_ORDER_TOGETHER) {
		buf_add_text(line, "Whether they drift is not known: many began together.");
	}
}

static void add_seen(enum size_resource resource, const struct size_part *part, struct buf *line)
{
	char low[UNITS_TEXT_SIZE];
	char median[UNITS_TEXT_SIZE];
	char high[UNITS_TEXT_SIZE];

	amount_text(resource, part->seen.min, low);
	amount_text(resource, part->seen.median, median);
	amount_text(resource, part->seen.max, high);
	if (part->measured == 1)
		buf_addf(line, "Measured: %s (%s ", high,
			quality_mark((enum quality) part->quality));
	else
		buf_addf(line, "Measured: %s to %s, median %s (%s ", low, high, median,
			quality_mark((enum quality) part->quality));
	buf_add_text(line, part->key);
	buf_addf(line, "%s).", part->other_keys ? " and others" : "");
	if (part->cut_off > 0 && part->bound.method == SIZE_RANK)
		buf_addf(line, " %zu that %s cut off count%s as that or more.", part->cut_off,
			part->cut_off == 1 ? "was" : "were", part->cut_off == 1 ? "s" : "");
}

static void add_unknown(
	const struct size_plan *plan, const struct size_part *part, struct buf *line)
{
	if (part->unknown == 0)
		return;
	buf_addf(line, " Of %zu of %zu runs it is not known", part->unknown, plan->n);
	if (part->why_unknown[0])
		buf_addf(line, " (%s)", part->why_unknown);
	buf_add_char(line, '.');
}

void size_plan_say_none(const struct size_plan *plan, enum size_resource resource, struct buf *out)
{
	const struct size_part *part = &plan->parts[resource];
	char next[UNITS_TEXT_SIZE];

	buf_add_text(out, part->measured + part->unfinished == part->of_one_task
				  ? "no request: no run tells of it"
			  : part->bound.request > 0
				  ? "no request: what follows is beyond any machine"
				  : "no request: no run is known to have finished");
	if (part->why_not[0]) {
		buf_add_text(out, " (");
		buf_add_text(out, part->why_not); /* it is printable, as keys are */
		buf_add_text(out, part->other_reasons ? "; others for other reasons)" : ")");
	}
	if (part->measured > 0 && !(part->bound.request > 0) && part->next_try > 0) {
		buf_add_text(out, ". The next to try is ");
		if (resource == SIZE_TIME) {
			add_minutes(part->next_try, out);
		} else {
			amount_text(resource, (double) part->next_try, next);
			buf_add_text(out, next);
		}
		buf_add_text(out, ", to be measured again");
	}
	buf_add_char(out, '.');
}

static void part_text(struct page *p, const struct size_plan *plan, const struct size_options *o,
	enum size_resource resource)
{
	const struct size_part *part = &plan->parts[resource];
	struct buf line = { 0 };

	if (part->request == 0) {
		size_plan_say_none(plan, resource, &line);
		if (!line.failed)
			page_words(p, size_resource_name(resource), line.data);
		buf_done(&line);
		return;
	}
	add_lead(p, resource, part, &line);
	if (part->n_requests > 1)
		size_plan_say_steps(plan, &line);
	else
		add_sureness(resource, part, o, &line);
	say(p, &line);
	add_place(&part->bound, resource, o, &line);
	say(p, &line);
	add_seen(resource, part, &line);
	add_unknown(plan, part, &line);
	if (resource == SIZE_MEMORY) {
		buf_add_char(&line, ' ');
		size_plan_say_added(part, &line);
	} else {
		if (part->stretch > 1.005)
			buf_addf(&line,
				" On %" PRIu64
				" core%s it may take up to %.3g times as long, which is in it.",
				plan->parts[SIZE_CPUS].request,
				plan->parts[SIZE_CPUS].request == 1 ? "" : "s", part->stretch);
		if (part->around > 0)
			buf_addf(&line,
				" On top of it: %.0f s for what is before and behind the command "
				"in a job.",
				part->around);
	}
	say(p, &line);
	buf_done(&line);
}

static void caches_text(struct page *p, const struct size_plan *plan)
{
	char amount[UNITS_TEXT_SIZE];
	struct buf line = { 0 };

	if (!(plan->charged > plan->parts[SIZE_MEMORY].seen.max) ||
		plan->parts[SIZE_MEMORY].request == 0)
		return;
	amount_text(SIZE_MEMORY, plan->charged, amount);
	buf_addf(&line,
		"With caches of files it came to %s: it runs without them, and may run faster with "
		"them.",
		amount);
	say(p, &line);
	buf_done(&line);
}

static void cores_text(struct page *p, const struct size_plan *plan, const struct size_options *o)
{
	const struct size_cores *c = &plan->cores;
	const struct size_part *part = &plan->parts[SIZE_CPUS];
	struct buf line = { 0 };

	if (part->request == 0) {
		part_text(p, plan, o, SIZE_CPUS);
		return;
	}
	add_lead(p, SIZE_CPUS, part, &line);
	if (c->n_demands == 0)
		buf_add_text(&line, "the cores in use on average, rounded up: the runs have no "
				    "course of CPU over time.");
	for (size_t i = 0; i + 1 < c->n_choices; i++)
		buf_addf(&line, "%s%zu core%s it takes %.0f %% longer", i ? ", on " : "On ",
			c->choices[i].cores, c->choices[i].cores == 1 ? "" : "s",
			100 * (c->choices[i].median - 1));
	if (c->n_choices > 1)
		buf_addf(&line, " (median of %zu run%s, if what has to wait loses nothing else).",
			c->n_demands, c->n_demands == 1 ? "" : "s");
	say(p, &line);
	if (part->key[0]) {
		buf_addf(&line, "In use on average: %.3g (%s ", c->median_mean,
			quality_mark((enum quality) part->quality));
		buf_add_text(&line, part->key);
		buf_add_text(&line, ").");
	}
	if (c->held_back > 0)
		buf_addf(&line,
			" In %zu run%s all cores it had were busy for long: more may be faster; no "
			"run shows it.",
			c->held_back, c->held_back == 1 ? "" : "s");
	say(p, &line);
	buf_done(&line);
}

static void add_day(struct buf *out, double seconds)
{
	time_t when = (time_t) seconds;
	struct tm tm;
	char day[32];

	if (gmtime_r(&when, &tm) && strftime(day, sizeof(day), "%Y-%m-%d", &tm) > 0)
		buf_add_text(out, day);
}

static void add_runs(const struct size_plan *plan, struct buf *line)
{
	static const char *const words[N_OUTCOME] = { "done", "running", "lost",
		"cut off by a limit", "failed", "of unknown end" };
	bool first = true;

	buf_addf(line, "%zu run%s", plan->n, plan->n == 1 ? "" : "s");
	if (plan->hosts > 1)
		buf_addf(line, " on %zu hosts", plan->hosts);
	if (plan->first_started >= 0 && plan->last_started < 1e11) {
		buf_add_text(line, ", ");
		add_day(line, plan->first_started);
		if (floor(plan->last_started / 86400) > floor(plan->first_started / 86400)) {
			buf_add_text(line, " to ");
			add_day(line, plan->last_started);
		}
	}
	for (size_t i = 0; i < N_OUTCOME; i++) {
		if (plan->outcomes[i] == 0)
			continue;
		buf_addf(line, "%s%zu %s", first ? ": " : ", ", plan->outcomes[i], words[i]);
		first = false;
	}
}

void size_plan_text(const struct size_plan *plan, const struct size_options *options, size_t width,
	bool color, struct buf *out)
{
	struct page p = { .out = out, .color = color, .columns = width };
	const char *command = plan->job     ? plan->job
			      : plan->mixed ? "(several commands, taken for one)"
					    : "(the command is not known)";
	struct buf line = { 0 };

	text_add_quoted_printable(&line, command, strlen(command));
	if (!line.failed && line.data)
		page_styled_words(&p, "job", STYLE_BOLD, line.data);
	buf_clear(&line);
	add_runs(plan, &line);
	if (!line.failed && line.data)
		page_words(&p, "from", line.data);
	buf_clear(&line);
	if (plan->without_covariate > 0) {
		buf_addf(&line, "%zu without %s left out", plan->without_covariate, options->by);
		say(&p, &line);
	}
	part_text(&p, plan, options, SIZE_MEMORY);
	caches_text(&p, plan);
	part_text(&p, plan, options, SIZE_TIME);
	cores_text(&p, plan, options);
	buf_done(&line);
}
