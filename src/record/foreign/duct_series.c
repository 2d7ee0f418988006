/* SPDX-License-Identifier: MIT */
/*
 * One line of con-duct's series is a report: for each pid the largest values of its samples and the latest etime, the largest of the sums over pids
 * ("totals"), and their means ("averages"). Its timestamp is that of the last sample.
 */
#include "record/foreign/duct_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/line_source.h"
#include "base/macros.h"
#include "record/foreign/iso_time.h"
#include "record/stored_run.h"

#define PID_MAX (4L * 1024 * 1024) /* PID_MAX_LIMIT of the kernel */

#define PS_ROW(key_, unit_, scope_, quality_, help_)                                               \
	{                                                                                          \
		.key = (key_), .unit = (unit_), .scope = (scope_), .quality = (quality_),          \
		.kind = GAUGE, .reduce = LAST | MAX | MEAN, .help = (help_), .origin = "ps(1)"     \
	}

const struct measure duct_rows[] = {
	{ .key = DUCT_WALL,
		.kind = GAUGE,
		.unit = SECONDS,
		.scope = SINGLE,
		.reduce = LAST,
		.quality = ESTIMATE,
		.help = "con-duct's own measure of how long the command ran",
		.origin = "time(2)" },
	PS_ROW(PS_RSS_TOTAL, BYTES, SINGLE, UPPER_BOUND,
		"resident sets of the session's processes added up, shared pages once for each"),
	PS_ROW(PS_VSZ_TOTAL, BYTES, SINGLE, SAMPLED,
		"address spaces of the session's processes added up"),
	PS_ROW(PS_MEMORY_TOTAL, PERCENT, SINGLE, UPPER_BOUND,
		"the sum of resident sets as a part of the machine's memory"),
	PS_ROW(PS_CPU_TOTAL, PERCENT, SINGLE, ESTIMATE,
		"the sum over processes of their CPU time by their age: no rate"),
	{ .key = PS_PROCESSES,
		.kind = COUNTER,
		.unit = COUNT,
		.scope = SINGLE,
		.reduce = DELTA,
		.quality = LOWER_BOUND,
		.help = "process ids that were seen for the first time",
		.origin = "ps(1)" },
	PS_ROW(PS_RSS, BYTES, PROCESS, SAMPLED, "resident set"),
	PS_ROW(PS_VSZ, BYTES, PROCESS, SAMPLED, "address space"),
	PS_ROW(PS_MEMORY, PERCENT, PROCESS, SAMPLED,
		"resident set as a part of the machine's memory"),
	PS_ROW(PS_CPU, PERCENT, PROCESS, ESTIMATE,
		"CPU time since the process began by its age: no rate"),
	PS_ROW(PS_ELAPSED, SECONDS, PROCESS, SAMPLED, "the process's age, in whole seconds"),
};

const size_t n_duct_rows = ARRAY_SIZE(duct_rows);

enum { RSS }; /* among the figures */

/* What con-duct calls the figures of a process and of all of them. 0.1.0 and 0.1.1 have sizes in KiB, and say so in the names of the totals alone. */
static const struct {
	const char *name, *name_in_kib, *total, *process;
	enum quality quality;
} figures[] = {
	{ "rss", "rss_kb", PS_RSS_TOTAL, PS_RSS, UPPER_BOUND },
	{ "vsz", "vsz_kb", PS_VSZ_TOTAL, PS_VSZ, SAMPLED },
	{ "pmem", NULL, PS_MEMORY_TOTAL, PS_MEMORY, UPPER_BOUND },
	{ "pcpu", NULL, PS_CPU_TOTAL, PS_CPU, ESTIMATE },
};

static bool amount_of(const json_t *of, const char *key, double *ret)
{
	const json_t *value = json_object_get(of, key);

	*ret = json_number_value(value);
	return json_is_number(value) && *ret >= 0;
}

static bool is_in_kib(const json_t *line)
{
	return json_object_get(json_object_get(line, "totals"), "rss_kb") != NULL;
}

/* In the unit of its row. */
static bool figure_of(const json_t *of, size_t figure, bool kib, double *ret)
{
	const char *in_kib = kib ? figures[figure].name_in_kib : NULL;

	if (!amount_of(of, figures[figure].name, ret) && !(in_kib && amount_of(of, in_kib, ret)))
		return false;
	*ret *= in_kib ? 1024 : 1;
	return true;
}

/* "[[DD-]HH:]MM:SS" of ps(1) to seconds; negative: it is none. */
static double elapsed_of(const char *etime)
{
	double days = 0;
	double seconds = 0;
	int parts = 0;
	char *end;

	for (const char *at = etime; at && parts < 4; at = end + 1, parts++) {
		if (*at < '0' || *at > '9')
			return -1;
		double n = (double) strtoul(at, &end, 10);
		if (*end == '-' && parts == 0)
			days = n;
		else
			seconds = seconds * 60 + n;
		if (!*end)
			return parts > 0 ? days * 86400 + seconds : -1;
		if (*end != '-' && *end != ':')
			return -1;
	}
	return -1;
}

static void note_pid(struct duct_series *s, uint64_t pid, uint64_t *new_ones)
{
	uint8_t bit = (uint8_t) (1u << (pid % 8));

	if (!s->seen)
		s->seen = calloc(PID_MAX / 8 + 1, 1);
	if (!s->seen || (s->seen[pid / 8] & bit))
		return;
	s->seen[pid / 8] |= bit;
	(*new_ones)++;
}

/* The program's name as far as the command line tells it: what the kernel calls it is not recorded. */
static void name_of(const char *command, char *name, size_t size)
{
	size_t n = strcspn(command, " ");
	const char *slash = command[0] == '[' ? NULL : memrchr(command, '/', n);
	const char *from = slash ? slash + 1 : command;
	size_t length = (size_t) (command + n - from);

	if (length >= size)
		length = size - 1;
	/* Not within a character. */
	while (length > 0 && ((unsigned char) from[length] & 0xc0) == 0x80)
		length--;
	memcpy(name, from, length);
	name[length] = '\0';
}

static void add_states(json_t *process, json_t *stat)
{
	json_t *states = json_object();
	const char *code;
	json_t *n;

	json_object_foreach(stat, code, n)
	{
		char state[2] = { code[0], '\0' };

		if (!*code || !strchr("RSDZTtXxKWPI", *code) || json_integer_value(n) < 1)
			continue;
		json_int_t before = json_integer_value(json_object_get(states, state));
		if (json_integer_value(n) <= INT64_MAX - before)
			json_object_set_new(
				states, state, json_integer(before + json_integer_value(n)));
	}
	if (process && json_object_size(states) > 0)
		json_object_set(process, "states", states);
	json_decref(states);
}

static void take_process(
	struct duct_series *s, struct draft *d, int64_t pid, const json_t *from, bool kib)
{
	const json_t *command = json_object_get(from, "cmd");
	const char *text = json_is_string(command) ? json_string_value(command) : "";
	double elapsed = elapsed_of(json_string_value(json_object_get(from, "etime")));
	char name[64];
	double value;

	name_of(text, name, sizeof(name));
	json_t *process = draft_process(d, pid, 0, 0, name);
	if (process && *text)
		json_object_set_new(process, "command", json_pack("[s]", text));
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (figure_of(from, i, kib, &value))
			draft_of(d, process, figures[i].process, "max", value);
	if (elapsed >= 0)
		draft_of(d, process, PS_ELAPSED, "last", elapsed);
	if (figure_of(from, RSS, kib, &value) && value > s->peak_process_rss)
		s->peak_process_rss = value;
	add_states(process, json_object_get(from, "stat"));
}

static int64_t pid_of(const char *name)
{
	char *end;
	long pid = *name >= '0' && *name <= '9' ? strtol(name, &end, 10) : 0;

	return pid > 0 && pid <= PID_MAX && !*end ? pid : -1;
}

/* When it was taken; before there were timestamps of lines, that of its latest process. 0: it does not say. */
static uint64_t time_of(const json_t *line)
{
	json_t *processes = json_object_get(line, "processes");
	const char *text = json_string_value(json_object_get(line, "timestamp"));
	uint64_t latest = 0;
	const char *pid;
	json_t *process;
	uint64_t ns;

	if (text)
		return parse_iso_time(text, &ns) < 0 ? 0 : ns;
	json_object_foreach(processes, pid, process)
	{
		text = json_string_value(json_object_get(process, "timestamp"));
		if (text && parse_iso_time(text, &ns) == 0 && ns > latest)
			latest = ns;
	}
	return latest;
}

static uint64_t samples_of(const json_t *line)
{
	const json_t *n = json_object_get(line, "num_samples");

	if (!json_is_integer(n))
		n = json_object_get(json_object_get(line, "averages"), "num_samples");
	return json_is_integer(n) && json_integer_value(n) > 0 ? (uint64_t) json_integer_value(n)
							       : 1;
}

static void take_totals(struct duct_series *s, struct draft *d, const json_t *line)
{
	const json_t *totals = json_object_get(line, "totals");
	const json_t *averages = json_object_get(line, "averages");
	bool kib = is_in_kib(line);
	double value;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		if (figure_of(totals, i, kib, &value))
			draft_value(d, figures[i].total, "max", value, figures[i].quality);
		if (figure_of(averages, i, kib, &value))
			draft_value(d, figures[i].total, "mean", value, figures[i].quality);
	}
	if (figure_of(totals, RSS, kib, &value) && value > s->peak_rss)
		s->peak_rss = value;
}

static bool is_report(const json_t *line)
{
	json_t *processes = json_object_get(line, "processes");
	const char *pid;
	json_t *process;

	if (!json_is_object(processes))
		return false;
	json_object_foreach(processes, pid, process)
	{
		if (pid_of(pid) < 0 || !json_is_object(process))
			return false;
	}
	return json_object_size(processes) > 0 || json_is_object(json_object_get(line, "totals"));
}

/* Where the window lies; false: it is there already, or comes too late. */
static bool take_time(struct duct_series *s, struct draft *d, uint64_t ns, double *ret_end)
{
	if (s->windows > 0 && ns <= s->last_ns)
		return false;
	if (s->started_ns == 0) {
		s->started_ns = ns;
		draft_started(d, ns);
	}
	/* The clock was set back: the first sample seems to be older than the run. */
	if (ns < s->started_ns)
		return false;
	*ret_end = (double) (ns - s->started_ns) / (double) NSEC_PER_SEC;
	s->last_ns = ns;
	return true;
}

/* 0.0.1 has the processes among the members of the line, and no time of it. */
static bool is_too_old(const json_t *line)
{
	return is_in_kib(line) && !json_object_get(line, "processes") &&
	       !json_object_get(line, "timestamp");
}

static bool take_line(struct duct_series *s, struct draft *d, json_t *line)
{
	uint64_t ns = is_report(line) ? time_of(line) : 0;
	uint64_t new_ones = 0;
	const char *pid;
	json_t *process;
	double end;

	if (ns == 0 || !take_time(s, d, ns, &end))
		return false;
	draft_window(d, s->end_seconds, end, ns, samples_of(line));
	take_totals(s, d, line);
	json_object_foreach(json_object_get(line, "processes"), pid, process)
	{
		take_process(s, d, pid_of(pid), process, is_in_kib(line));
		note_pid(s, (uint64_t) pid_of(pid), &new_ones);
	}
	draft_value(d, PS_PROCESSES, "delta", (double) new_ones, LOWER_BOUND);
	s->processes += new_ones;
	s->end_seconds = end;
	s->windows++;
	return true;
}

int duct_series_read(struct duct_series *s, int fd, struct draft *d)
{
	struct line_source source = LINE_SOURCE_INIT(fd, STORED_LINE_MAX);
	uint64_t before = 0;
	uint64_t long_ones = 0;
	char *text;
	size_t n;
	int r;

	while ((r = line_source_next(&source, &text, &n)) > 0) {
		json_t *line = n > 0 ? stored_json(text, n, NULL) : NULL;
		bool taken = line && take_line(s, d, line);

		s->is_too_old = s->is_too_old || (line && is_too_old(line));

		draft_too_long(d, source.too_long, &long_ones, before + 1);
		before = source.line;
		json_decref(line);
		if (taken && !draft_window_end(d))
			break;
		if (!taken && n > 0)
			draft_damaged(d, source.line, source.torn && !line);
	}
	draft_too_long(d, source.too_long, &long_ones, before + 1);
	line_source_done(&source);
	return r < 0 ? r : 0;
}

void duct_series_done(struct duct_series *s)
{
	free(s->seen);
	s->seen = NULL;
}
