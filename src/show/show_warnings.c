/* SPDX-License-Identifier: MIT */
/* What a reader of a run's numbers must know beside them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "record/number.h"
#include "run/info_value.h"
#include "show/show.h"

/* Of the machine's time: from there on it is told. */
#define OTHERS_SHARE 0.05

struct sink {
	void (*each)(const char *sentence, void *context);
	void *context;
};

static void say(const struct sink *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct sink *to, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	to->each(text, to->context);
	free(text);
}

static void say_amount(const struct sink *to, const char *unit, double number, const char *format)
{
	struct buf amount = { 0 };
	struct buf text = { 0 };

	show_add_number(unit, number, &amount);
	buf_add_text(&text, amount.failed ? "?" : amount.data);
	buf_addf(&text, " %s", format);
	if (!text.failed)
		to->each(text.data, to->context);
	buf_done(&amount);
	buf_done(&text);
}

static double summary(const struct story *s, const char *name)
{
	return info_number(json_object_get(s->run->info, "summary"), name, "value");
}

static void swap(const struct story *s, const struct sink *to)
{
	double peak = summary(s, "proc_peak_swap_pss_total_bytes");

	if (isnan(peak))
		peak = summary(s, "proc_peak_swap_total_bytes");
	if (peak > 0)
		say_amount(to, "bytes", peak, "of the job's memory were in swap at most");
}

/* With its mark: it is no more than what the machine's clock ticks tell. */
static void others(const json_t *host, double cores, const struct sink *to)
{
	const char *quality = info_text(host, "quality", NULL);
	/* The mean in the record is rounded already. */
	double mean = info_number(host, "others_seconds", NULL) /
		      info_number(host, "elapsed_seconds", NULL);

	say(to, "%s%sothers used %.2f of %.0f %s of the machine meanwhile",
		quality ? mark_of_quality(quality) : "", quality ? " " : "", mean, cores,
		cores > 1 ? "cores" : "core");
}

static void machine(const struct story *s, const struct sink *to)
{
	const json_t *host = json_object_get(s->run->info, "host_cpu");
	double cores = info_number(host, "cores", NULL);
	double whole = info_number(host, "elapsed_seconds", NULL) * cores;
	double surely = info_number(host, "others_seconds", NULL) -
			info_number(host, "error_seconds", NULL);
	double steal = info_number(host, "steal_seconds", NULL);

	if (!(whole > 0))
		return;
	if (surely > OTHERS_SHARE * whole)
		others(host, cores, to);
	if (steal > OTHERS_SHARE * whole)
		say(to, "the hypervisor took %.0f %% of the machine's CPU time (steal)",
			100 * steal / whole);
}

static void time_that_passed(const struct story *s, const struct sink *to)
{
	double stopped = info_number(s->run->info, "time", "stopped_seconds");
	double suspended = info_number(s->run->info, "time", "suspended_seconds");

	if (!(suspended > 0))
		suspended = s->slept;
	if (suspended > 0)
		say_amount(to, "seconds", suspended,
			"long the machine slept meanwhile, which no time here counts");
	if (stopped > 0)
		say_amount(to, "seconds", stopped,
			"long it was stopped, which the wall time includes");
	if (s->gaps > 0) {
		char text[80];

		snprintf(text, sizeof(text), "of the time are in no window (%llu gap%s)",
			(unsigned long long) s->gaps, s->gaps > 1 ? "s" : "");
		say_amount(to, "seconds", s->gap_seconds, text);
	}
	if (s->missed_ticks > 0)
		say(to, "%llu of %llu samples were missed", (unsigned long long) s->missed_ticks,
			(unsigned long long) s->missed_ticks + (unsigned long long) s->samples);
}

static void series(const struct story *s, const struct sink *to)
{
	double lost = info_number(s->run->info, "self", "records_lost");

	if (s->trouble.code < 0)
		say(to, "the series could not be read: %s", s->trouble.text);
	if (s->survey.damaged > 0)
		say(to, "%llu line%s of the series could not be read, the first is line %llu",
			(unsigned long long) s->survey.damaged, s->survey.damaged > 1 ? "s" : "",
			(unsigned long long) s->survey.first_damaged);
	if (s->survey.missing > 0)
		say(to, "%llu window%s missing in the series",
			(unsigned long long) s->survey.missing,
			s->survey.missing > 1 ? "s are" : " is");
	if (s->survey.torn)
		say(to, "the last line of the series is not whole");
	if (lost > 0)
		say(to, "%.0f window%s could not be written", lost, lost > 1 ? "s" : "");
}

static void partly_seen(const struct story *s, const struct sink *to)
{
	const json_t *target = json_object_get(s->run->info, "target");
	double io = info_number(target, "io_unreadable", NULL);
	double pss = info_number(target, "pss_unreadable", NULL);
	double hidden = info_number(target, "hidden", NULL);

	if (s->unread_processes > 0)
		say(to, "%llu process%s could not be read%s%s%s: %s is short of them",
			(unsigned long long) s->unread_processes,
			s->unread_processes > 1 ? "es" : "", *s->unread_why ? " (" : "",
			s->unread_why, *s->unread_why ? ")" : "", s->unread_key);
	if (io > 0)
		say(to, "the I/O of %.0f living process%s may not be read", io, io > 1 ? "es" : "");
	if (pss > 0)
		say(to, "the PSS of %.0f living process%s may not be read", pss,
			pss > 1 ? "es" : "");
	if (hidden > 0)
		say(to, "/proc hides %.0f processes of the machine from who recorded this", hidden);
	if (s->processes.failed)
		say(to, "memory ran out: not all processes are counted");
}

static void survivors(const struct story *s, const struct sink *to)
{
	double n = info_number(s->run->info, "processes", "survivors_count");

	if (n > 0)
		say(to, "%.0f process%s still running when the recording ended", n,
			n > 1 ? "es were" : " was");
}

void show_warnings(
	const struct story *s, void (*each)(const char *sentence, void *context), void *context)
{
	const json_t *notes = json_object_get(s->run->info, "notes");
	struct sink to = { each, context };

	swap(s, &to);
	machine(s, &to);
	time_that_passed(s, &to);
	series(s, &to);
	partly_seen(s, &to);
	survivors(s, &to);
	for (size_t i = 0; i < json_array_size(notes); i++)
		if (json_is_string(json_array_get(notes, i)))
			each(json_string_value(json_array_get(notes, i)), context);
}
