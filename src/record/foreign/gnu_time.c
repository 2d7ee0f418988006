/* SPDX-License-Identifier: MIT */
/*
 * Reads what GNU `time -v` prints, wherever it stands: in a file of its own (-o, with -a one behind the other) or at the end of what a job wrote to its standard
 * error. All is of wait4(2): of the command and of those of its descendants that were waited for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/line_source.h"
#include "base/macros.h"
#include "record/foreign/beside.h"
#include "record/foreign/cells.h"
#include "record/foreign/import.h"

#define LINE_MAX_BYTES ((size_t) 1024 * 1024)
#define BEGINNING "Command being timed: "
#define SECTOR 512 /* bytes of an input or output, as getrusage(2) counts them */
#define KIB 1024

#define WALL "gnu_time_wall_seconds"
#define CPU "gnu_time_cpu_seconds"
#define USER "gnu_time_cpu_user_seconds"
#define SYSTEM "gnu_time_cpu_system_seconds"
#define RSS "gnu_time_max_rss_bytes"
#define READ "gnu_time_io_read_bytes"
#define WRITE "gnu_time_io_write_bytes"

#define COUNTER_ROW(key_, unit_, quality_, help_)                                                  \
	{                                                                                          \
		.key = (key_), .kind = COUNTER, .unit = (unit_), .scope = SINGLE, .reduce = DELTA, \
		.quality = (quality_), .origin = "wait4(2)", .help = (help_)                       \
	}

static const struct measure rows[] = {
	COUNTER_ROW(WALL, SECONDS, ESTIMATE, "time the command ran, by the time of day"),
	COUNTER_ROW(CPU, SECONDS, LOWER_BOUND, "user and system CPU time added up"),
	COUNTER_ROW(USER, SECONDS, LOWER_BOUND,
		"user CPU time of the command and of those that were waited for"),
	COUNTER_ROW(SYSTEM, SECONDS, LOWER_BOUND,
		"system CPU time of the command and of those that were waited for"),
	{ .key = RSS,
		.kind = GAUGE,
		.unit = BYTES,
		.scope = SINGLE,
		.reduce = MAX,
		.quality = LOWER_BOUND,
		.origin = "wait4(2)",
		.help = "resident memory of the largest process that was waited for, at its peak" },
	COUNTER_ROW(READ, BYTES, LOWER_BOUND, "bytes read from storage"),
	COUNTER_ROW(WRITE, BYTES, LOWER_BOUND, "bytes written to storage"),
	COUNTER_ROW("gnu_time_major_faults_count", COUNT, LOWER_BOUND,
		"page faults that waited for storage"),
	COUNTER_ROW("gnu_time_minor_faults_count", COUNT, LOWER_BOUND, "other page faults"),
	COUNTER_ROW("gnu_time_voluntary_switches_count", COUNT, LOWER_BOUND,
		"times it waited and gave up the CPU"),
	COUNTER_ROW("gnu_time_involuntary_switches_count", COUNT, LOWER_BOUND,
		"times the CPU was taken from it"),
};

/* What its lines say, and of which row that is. */
enum { LINE_USER, LINE_SYSTEM, LINE_WALL, LINE_RSS, LINE_READ, LINE_WRITE, LINE_EXIT };
static const struct {
	const char *label, *key;
	double scale;
} lines[] = {
	[LINE_USER] = { "User time (seconds): ", USER, 1 },
	[LINE_SYSTEM] = { "System time (seconds): ", SYSTEM, 1 },
	[LINE_WALL] = { "Elapsed (wall clock) time (h:mm:ss or m:ss): ", WALL, 1 },
	[LINE_RSS] = { "Maximum resident set size (kbytes): ", RSS, KIB },
	[LINE_READ] = { "File system inputs: ", READ, SECTOR },
	[LINE_WRITE] = { "File system outputs: ", WRITE, SECTOR },
	[LINE_EXIT] = { "Exit status: ", NULL, 1 },
	{ "Major (requiring I/O) page faults: ", "gnu_time_major_faults_count", 1 },
	{ "Minor (reclaiming a frame) page faults: ", "gnu_time_minor_faults_count", 1 },
	{ "Voluntary context switches: ", "gnu_time_voluntary_switches_count", 1 },
	{ "Involuntary context switches: ", "gnu_time_involuntary_switches_count", 1 },
};

struct reading {
	struct draft *d;
	size_t which, blocks; /* begun so far */
	double values[ARRAY_SIZE(lines)]; /* negative: not told */
	double signal; /* of the line before the block, or of the block */
	double next_signal;
	uint64_t odd; /* values that cannot be */
};

/* "0:01.25", "1:02:03": minutes and seconds, or hours before them. */
static bool duration_is(const char *text, double *ret)
{
	double seconds = 0;
	double part;
	int parts = 0;

	for (const char *at = text; at; parts++) {
		at = *at >= '0' && *at <= '9' ? number_begin(at, &part) : NULL;
		if (!at || parts > 2)
			return false;
		seconds = seconds * 60 + part;
		if (*at == '\0')
			break;
		if (*at++ != ':')
			return false;
	}
	*ret = seconds;
	return parts > 0;
}

/* The command stands in quotation marks, as it is. */
static void take_command(struct reading *r, char *text)
{
	size_t n = strlen(text);

	if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
		text[n - 1] = '\0';
		text++;
	}
	draft_command(r->d, text);
}

static void take_value(struct reading *r, const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		size_t n = strlen(lines[i].label);
		double value;

		if (strncmp(line, lines[i].label, n) != 0)
			continue;
		if ((i == LINE_WALL ? duration_is(line + n, &value)
				    : number_is(line + n, &value)) &&
			value >= 0 && value * lines[i].scale < 0x1p60)
			r->values[i] = value * lines[i].scale;
		else
			r->odd++;
	}
}

/* Before the block it stands where it went wrong. */
static void take_end(struct reading *r, const char *line)
{
	static const char terminated[] = "Command terminated by signal ";
	double number;

	if (strncmp(line, terminated, strlen(terminated)) == 0 &&
		number_is(line + strlen(terminated), &number) && number >= 1 && number <= 64)
		r->next_signal = number;
}

/* False: the run has been read. */
static bool take_line(struct reading *r, char *line)
{
	char *text = line + strspn(line, " \t");

	text[strcspn(text, "\r\n")] = '\0';
	if (strncmp(text, BEGINNING, strlen(BEGINNING)) != 0) {
		if (r->blocks == r->which + 1 && text > line)
			take_value(r, text);
		take_end(r, text);
		return true;
	}
	if (r->blocks++ == r->which) {
		r->signal = r->next_signal;
		take_command(r, text + strlen(BEGINNING));
	}
	r->next_signal = 0;
	return r->blocks <= r->which + 1;
}

static int read_lines(struct reading *r, int fd, struct error *err)
{
	struct line_source source = LINE_SOURCE_INIT(fd, LINE_MAX_BYTES);
	char *line;
	size_t n;
	int code = lseek(fd, 0, SEEK_SET) < 0 ? -errno : 1;

	while (code > 0 && (code = line_source_next(&source, &line, &n)) > 0) {
		/* Any text may stand around it. */
		if (n > 0 && !memchr(line, '\0', n) && !take_line(r, line))
			break;
	}
	line_source_done(&source);
	return code < 0 ? draft_fail(r->d, err, code, "cannot read it") : 0;
}

static void tell_end(const struct reading *r)
{
	double code = r->values[LINE_EXIT];

	if (r->signal > 0)
		draft_signal(r->d, (int) r->signal, "time's \"Command terminated by signal\"");
	else if (code >= 0 && code <= 255)
		draft_exit_code(r->d, (int) code, "time's \"Exit status\"");
	else
		draft_state(r->d, STORED_LOST, "its last line, \"Exit status\", is not there");
}

static void tell_headline(const struct reading *r)
{
	static const char waited[] =
		"of the command and of those that were waited for, cut to hundredths of a second";
	static const char largest[] =
		"the largest process that was waited for; what others had beside it is not in it";
	static const char stored[] = "of the command and of those that were waited for";
	struct draft *d = r->d;
	double user = r->values[LINE_USER];
	double system = r->values[LINE_SYSTEM];
	double wall = r->values[LINE_WALL];

	draft_headline(d, "wall_seconds", wall, ESTIMATE, WALL, "by the time of day");
	if (wall >= 0)
		draft_number(d, "time", "wall_seconds", wall);
	if (user >= 0 && system >= 0) {
		draft_headline(d, "cpu_seconds", user + system, LOWER_BOUND, CPU, waited);
		draft_total(d, CPU, "", user + system, LOWER_BOUND);
		if (wall > 0)
			draft_headline(d, "cpu_mean_cores", (user + system) / wall, ESTIMATE, CPU,
				"CPU time, which is a lower bound, over the time of day");
	}
	draft_headline(d, "cpu_user_seconds", user, LOWER_BOUND, USER, waited);
	draft_headline(d, "cpu_system_seconds", system, LOWER_BOUND, SYSTEM, waited);
	/* No process has no memory: 0 is what a kernel says that does not count it. */
	if (r->values[LINE_RSS] > 0) {
		draft_headline(
			d, "memory_peak_bytes", r->values[LINE_RSS], LOWER_BOUND, RSS, largest);
		draft_headline(d, "memory_peak_process_bytes", r->values[LINE_RSS], LOWER_BOUND,
			RSS, "the largest process that was waited for");
	}
	draft_headline(d, "io_read_bytes", r->values[LINE_READ], LOWER_BOUND, READ, stored);
	draft_headline(d, "io_write_bytes", r->values[LINE_WRITE], LOWER_BOUND, WRITE, stored);
}

static int read_time(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct reading r = { .d = d, .which = which };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		r.values[i] = -1;
	draft_begin(d, "GNU time", NULL, rows, ARRAY_SIZE(rows));
	if (read_lines(&r, file->fd, err) < 0)
		return d->code;
	if (r.blocks == 0)
		return draft_fail(d, err, -EINVAL, "it has no '%s'", BEGINNING);
	if (r.blocks <= which)
		return 0;
	tell_end(&r);
	tell_headline(&r);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (lines[i].key && (i != LINE_RSS || r.values[i] > 0))
			draft_total(d, lines[i].key, i == LINE_RSS ? "peak" : "", r.values[i],
				i == LINE_WALL ? ESTIMATE : LOWER_BOUND);
	if (r.odd > 0)
		draft_note(d, "values of it that cannot be, and were left out: %llu",
			(unsigned long long) r.odd);
	return 1;
}

static int probe(const struct import_file *file)
{
	if (file->is_directory || !head_holds(file, "\t" BEGINNING))
		return 0;
	return head_holds(file, lines[LINE_RSS].label) ? 2 : 1;
}

const struct importer gnu_time_importer = {
	.name = "gnu-time",
	.help = "what GNU 'time -v' printed",
	.files = "Text with the lines of time -v, once or one behind the other",
	.probe = probe,
	.read = read_time,
	.several = true,
};
