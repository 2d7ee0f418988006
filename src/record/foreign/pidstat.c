/* SPDX-License-Identifier: MIT */
/*
 * Reads the tables of pidstat(1), with -u, -r, -d in any order, one below the other or (-h) as one. A header names the columns and stands at the time of the
 * reading before; what follows are processes at one time, of which it lists those that were active, or those of -p. Rates are of the time since the reading before.
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

#define LINE_MAX_BYTES ((size_t) 64 * 1024)
#define COLUMNS_MAX 40
#define DAY 86400.0
#define KIB 1024.0

#define WALL "pidstat_wall_seconds"
#define CPU_SECONDS "pidstat_cpu_seconds"
#define PROCESSES "pidstat_processes_count"

enum figure { CPU, RSS, VSZ, MEMORY, READ, WRITE, N_FIGURES };

static const struct {
	const char *column; /* of the table */
	const char *process,
		*total; /* rows; total of READ and WRITE: what was read and written since the reading before */
	double scale;
	bool rate; /* of bytes */
} figures[N_FIGURES] = {
	[CPU] = { "%CPU", "pidstat_cpu_percent", "pidstat_cpu_total_percent", 1, false },
	[RSS] = { "RSS", "pidstat_rss_bytes", "pidstat_rss_total_bytes", KIB, false },
	[VSZ] = { "VSZ", "pidstat_vsz_bytes", "pidstat_vsz_total_bytes", KIB, false },
	[MEMORY] = { "%MEM", "pidstat_memory_percent", "pidstat_memory_total_percent", 1, false },
	[READ] = { "kB_rd/s", "pidstat_process_io_read_bytes", "pidstat_io_read_bytes", KIB, true },
	[WRITE] = { "kB_wr/s", "pidstat_process_io_write_bytes", "pidstat_io_write_bytes", KIB,
		true },
};

#define ROW(key_, kind_, unit_, scope_, reduce_, quality_, help_)                                  \
	{                                                                                          \
		.key = (key_), .kind = (kind_), .unit = (unit_), .scope = (scope_),                \
		.reduce = (reduce_), .quality = (quality_), .origin = "pidstat(1)",                \
		.help = (help_)                                                                    \
	}
#define GAUGE_ROW(key, unit, scope, quality, help)                                                 \
	ROW(key, GAUGE, unit, scope, MAX | MEAN | LAST, quality, help)
#define COUNTER_ROW(key, unit, scope, help) ROW(key, COUNTER, unit, scope, DELTA, ESTIMATE, help)

static const struct measure rows[] = {
	ROW(WALL, GAUGE, SECONDS, SINGLE, LAST, LOWER_BOUND, "from the first reading to the last"),
	GAUGE_ROW("pidstat_cpu_percent", PERCENT, PROCESS, SAMPLED,
		"CPU use since the reading before"),
	GAUGE_ROW("pidstat_cpu_total_percent", PERCENT, SINGLE, ESTIMATE,
		"CPU use of the listed processes added up"),
	COUNTER_ROW(CPU_SECONDS, SECONDS, SINGLE, "that use by the time since the reading before"),
	GAUGE_ROW("pidstat_rss_bytes", BYTES, PROCESS, SAMPLED, "resident set"),
	GAUGE_ROW("pidstat_rss_total_bytes", BYTES, SINGLE, ESTIMATE,
		"resident sets of the listed processes added up, shared pages once for each"),
	GAUGE_ROW("pidstat_vsz_bytes", BYTES, PROCESS, SAMPLED, "address space"),
	GAUGE_ROW("pidstat_vsz_total_bytes", BYTES, SINGLE, ESTIMATE,
		"address spaces of the listed processes added up"),
	GAUGE_ROW("pidstat_memory_percent", PERCENT, PROCESS, SAMPLED,
		"resident set as a part of the machine's memory"),
	GAUGE_ROW("pidstat_memory_total_percent", PERCENT, SINGLE, ESTIMATE,
		"the sum of resident sets as a part of the machine's memory"),
	COUNTER_ROW("pidstat_process_io_read_bytes", BYTES, PROCESS, "bytes read from storage"),
	COUNTER_ROW("pidstat_io_read_bytes", BYTES, SINGLE,
		"bytes that the listed processes read from storage"),
	COUNTER_ROW("pidstat_process_io_write_bytes", BYTES, PROCESS, "bytes written to storage"),
	COUNTER_ROW("pidstat_io_write_bytes", BYTES, SINGLE,
		"bytes that the listed processes wrote to storage"),
	GAUGE_ROW(PROCESSES, COUNT, SINGLE, LOWER_BOUND, "processes that were listed"),
};

struct process {
	int64_t pid;
	char name[64];
	double of[N_FIGURES]; /* negative: not told */
};

struct reading {
	struct draft *d;
	struct error *err;
	struct cells cells;
	/* the header in force */
	size_t n; /* columns behind the time; 0: there was none */
	int pid, command;
	int known[COLUMNS_MAX]; /* which figure; -1 */
	/* the reading at hand */
	struct process *list; /* owned */
	size_t n_list, room;
	size_t sections; /* tables of it, one below the other */
	size_t latest; /* in the list: in each table they stand in one order */
	double at, before, first; /* seconds of days; negative: none yet */
	uint64_t windows;
	double end; /* of the last window, since the first reading */
	double peak_rss, peak_process_rss, cpu_seconds, io[2];
	bool any[N_FIGURES];
	bool threads;
};

/* "10:11:12" */
static bool clock_is(const char *text, double *ret)
{
	static const double most[] = { 23, 59, 60 };
	double part;

	*ret = 0;
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		text = *text >= '0' && *text <= '9' ? number_begin(text, &part) : NULL;
		if (!text || part > most[i] || *text != (i < 2 ? ':' : '\0'))
			return false;
		*ret = *ret * 60 + part;
		text++;
	}
	return true;
}

/* Such a time, and "AM" or "PM" in the next cell; or seconds since 1970. How many cells; 0: it is none. */
static size_t time_is(const struct cells *cells, double *ret)
{
	bool noon;

	if (cells->n == 0)
		return 0;
	if (!clock_is(cells->at[0], ret))
		return number_is(cells->at[0], ret) && *ret > 1e8 && *ret < 1e11 ? 1 : 0;
	if (cells->n < 2 || (strcmp(cells->at[1], "AM") != 0 && strcmp(cells->at[1], "PM") != 0))
		return 1;
	noon = *ret >= 12 * 3600.0;
	*ret += (cells->at[1][0] == 'P' ? 12 : 0) * 3600.0 - (noon ? 12 : 0) * 3600.0;
	return 2;
}

/* The clock goes on beyond midnight. */
static double beyond(const struct reading *r, double time)
{
	while (r->before >= 0 && time < DAY && time < r->before - DAY / 2)
		time += DAY;
	return time;
}

static bool takes_part(const struct process *p, enum figure figure)
{
	return p->of[figure] >= 0;
}

static void tell_total(struct reading *r, enum figure figure, double seconds)
{
	double sum = 0;
	bool any = false;

	for (size_t i = 0; i < r->n_list; i++) {
		any = any || takes_part(&r->list[i], figure);
		sum += takes_part(&r->list[i], figure) ? r->list[i].of[figure] : 0;
	}
	if (!any)
		return;
	r->any[figure] = true;
	if (figures[figure].rate) {
		if (seconds > 0) {
			draft_value(r->d, figures[figure].total, "delta", sum * seconds, ESTIMATE);
			r->io[figure - READ] += sum * seconds;
		}
		return;
	}
	draft_value(r->d, figures[figure].total, "max", sum, ESTIMATE);
	draft_value(r->d, figures[figure].total, "mean", sum, ESTIMATE);
	draft_value(r->d, figures[figure].total, "last", sum, ESTIMATE);
	if (figure == RSS && sum > r->peak_rss)
		r->peak_rss = sum;
	if (figure == CPU && seconds > 0) {
		draft_value(r->d, CPU_SECONDS, "delta", sum / 100 * seconds, ESTIMATE);
		r->cpu_seconds += sum / 100 * seconds;
	}
}

static void tell_process(struct reading *r, const struct process *p, double seconds)
{
	json_t *process = draft_process(r->d, p->pid, 0, 0, p->name);

	for (size_t i = 0; i < N_FIGURES; i++) {
		if (!takes_part(p, (enum figure) i) || (figures[i].rate && !(seconds > 0)))
			continue;
		if (figures[i].rate) {
			draft_of(r->d, process, figures[i].process, "delta", p->of[i] * seconds);
		} else {
			draft_of(r->d, process, figures[i].process, "max", p->of[i]);
			draft_of(r->d, process, figures[i].process, "last", p->of[i]);
		}
	}
	if (p->of[RSS] > r->peak_process_rss)
		r->peak_process_rss = p->of[RSS];
}

/* Hands over the reading at hand. False: nobody wants any more. */
static bool close_reading(struct reading *r)
{
	double start = r->end;
	double seconds;

	if (r->at < 0 || r->n_list == 0)
		return true;
	if (r->first < 0)
		r->first = r->before >= 0 ? r->before : r->at;
	r->end = r->at - r->first;
	seconds = r->end - start;
	draft_window(r->d, start, r->end, 0, 1);
	for (size_t i = 0; i < N_FIGURES; i++)
		tell_total(r, (enum figure) i, seconds);
	draft_value(r->d, PROCESSES, "max", (double) r->n_list, LOWER_BOUND);
	for (size_t i = 0; i < r->n_list; i++)
		tell_process(r, &r->list[i], seconds);
	r->before = r->at;
	r->at = -1;
	r->n_list = r->latest = 0;
	r->sections = 1;
	r->windows++;
	return draft_window_end(r->d);
}

static int column_of(const struct cells *cells, size_t from, const char *name)
{
	for (size_t i = from; i < cells->n; i++)
		if (strcmp(cells->at[i], name) == 0)
			return (int) (i - from);
	return -1;
}

/* Names of columns, behind a time or "# Time". */
static bool take_header(struct reading *r)
{
	double time = -1;
	bool hash = r->cells.n > 2 && strcmp(r->cells.at[0], "#") == 0;
	size_t from = hash ? 2 : time_is(&r->cells, &time);
	int pid = column_of(&r->cells, from, "PID");
	int command = column_of(&r->cells, from, "Command");

	if (from == 0 || command < 0 || r->cells.n - from > COLUMNS_MAX)
		return false;
	r->threads = r->threads || column_of(&r->cells, from, "TGID") >= 0;
	if (pid < 0)
		return r->threads;
	r->n = r->cells.n - from;
	r->sections++;
	r->pid = pid;
	r->command = command;
	for (size_t i = 0; i < r->n; i++) {
		r->known[i] = -1;
		for (size_t k = 0; k < N_FIGURES; k++)
			if (strcmp(r->cells.at[from + i], figures[k].column) == 0)
				r->known[i] = (int) k;
	}
	/* The time of the reading before the first. */
	if (time >= 0 && r->windows == 0 && r->at < 0 && r->before < 0)
		r->before = time;
	return true;
}

static struct process *process_of(struct reading *r, int64_t pid)
{
	/* In the first table each stands once. */
	for (size_t i = 1; r->sections > 1 && i <= r->n_list; i++) {
		size_t k = (r->latest + i) % r->n_list;

		if (r->list[k].pid == pid) {
			r->latest = k;
			return &r->list[k];
		}
	}
	if (r->n_list == r->room) {
		size_t room = r->room > 0 ? 2 * r->room : 32;
		struct process *list = reallocarray(r->list, room, sizeof(*list));

		if (!list)
			return NULL;
		r->list = list;
		r->room = room;
	}
	r->list[r->n_list] = (struct process){ .pid = pid };
	for (size_t i = 0; i < N_FIGURES; i++)
		r->list[r->n_list].of[i] = -1;
	return &r->list[r->n_list++];
}

/* 1: taken. 0: it is no line of a process. -1: nobody wants any more, or memory ran out. */
static int take_process(struct reading *r)
{
	double time = 0;
	double pid;
	size_t from = time_is(&r->cells, &time);
	struct process *p;

	if (from == 0 || r->n == 0 || r->cells.n < from + r->n ||
		!number_is(r->cells.at[from + (size_t) r->pid], &pid) || pid < 0 || pid > 4194304)
		return 0;
	time = beyond(r, time);
	if (r->at >= 0 && time != r->at && !close_reading(r))
		return -1;
	if (r->before >= 0 && time < r->before)
		return 0;
	r->at = time;
	p = process_of(r, (int64_t) pid);
	if (!p)
		return draft_fail(r->d, r->err, -ENOMEM, "cannot read it");
	snprintf(p->name, sizeof(p->name), "%s", r->cells.at[from + (size_t) r->command]);
	for (size_t i = 0; i < r->n; i++) {
		double value;

		/* -1.00 stands for what may not be read. */
		if (r->known[i] >= 0 && number_is(r->cells.at[from + i], &value) && value >= 0 &&
			value * figures[r->known[i]].scale < 0x1p60)
			p->of[r->known[i]] = value * figures[r->known[i]].scale;
	}
	return 1;
}

/* "Linux 6.1.0 (node7) \t11/28/2026 \t_x86_64_\t(8 CPU)" */
static bool take_banner(struct reading *r, const char *line)
{
	const char *host = strncmp(line, "Linux ", 6) == 0 ? strchr(line, '(') : NULL;
	const char *last = host ? strrchr(line, '(') : NULL;
	char *name = host ? strndup(host + 1, strcspn(host + 1, ")")) : NULL;
	double cpus;

	if (!host)
		return false;
	draft_text(r->d, "host", "hostname", name);
	free(name);
	last = last > host ? number_begin(last + 1, &cpus) : NULL;
	if (last && strncmp(last, " CPU)", 5) == 0 && cpus >= 1 && cpus < 1e6)
		draft_integer(r->d, "host", "cpus_online", (int64_t) cpus);
	return true;
}

/* False: it may stop. */
static bool take_line(struct reading *r, char *line, uint64_t number, bool torn)
{
	int code;

	if (!line[strspn(line, " \t\r")] || strncmp(line, "Average:", 8) == 0 ||
		take_banner(r, line))
		return true;
	code = cells_split(&r->cells, line, ' ');
	if (code < 0)
		return draft_fail(r->d, r->err, code, "cannot read it") == 0;
	if (take_header(r))
		return !r->threads;
	code = torn ? 0 : take_process(r);
	if (code == 0 && r->n > 0)
		draft_damaged(r->d, number, torn);
	return code >= 0;
}

static void conclude(const struct reading *r)
{
	static const char listed[] = "of the processes that pidstat listed: those that were active "
				     "at a reading, or those of -p";

	if (r->end > 0) {
		draft_number(r->d, "time", "wall_seconds", r->end);
		draft_total(r->d, WALL, "last", r->end, LOWER_BOUND);
		draft_headline(r->d, "wall_seconds", r->end, LOWER_BOUND, WALL,
			"from the first reading to the last");
	}
	if (r->any[CPU] && r->end > 0)
		draft_headline(r->d, "cpu_seconds", r->cpu_seconds, ESTIMATE, CPU_SECONDS, listed);
	if (r->any[RSS]) {
		draft_headline(r->d, "memory_peak_bytes", r->peak_rss, ESTIMATE, figures[RSS].total,
			"a sum of resident sets counts shared pages once for each process; of the "
			"processes that pidstat listed, at its readings");
		draft_headline(r->d, "memory_peak_process_bytes", r->peak_process_rss, LOWER_BOUND,
			figures[RSS].process, "peaks between readings were not seen");
	}
	if (r->any[READ] && r->end > 0)
		draft_headline(
			r->d, "io_read_bytes", r->io[0], ESTIMATE, figures[READ].total, listed);
	if (r->any[WRITE] && r->end > 0)
		draft_headline(
			r->d, "io_write_bytes", r->io[1], ESTIMATE, figures[WRITE].total, listed);
	draft_note(
		r->d, "pidstat's table has no zone, and often no date: when it was is not known");
}

static int read_lines(struct reading *r, int fd)
{
	struct line_source source = LINE_SOURCE_INIT(fd, LINE_MAX_BYTES);
	char *line;
	size_t n;
	int code = lseek(fd, 0, SEEK_SET) < 0 ? -errno : 1;
	bool go_on = true;

	while (go_on && code > 0 && (code = line_source_next(&source, &line, &n)) > 0) {
		if (memchr(line, '\0', n))
			draft_damaged(r->d, source.line, false);
		else
			go_on = take_line(r, line, source.line, source.torn);
	}
	if (go_on && code == 0)
		close_reading(r);
	line_source_done(&source);
	return code < 0 ? draft_fail(r->d, r->err, code, "cannot read it") : r->d->code;
}

static int read_pidstat(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct reading r = { .d = d, .err = err, .at = -1, .before = -1, .first = -1 };
	int code;

	if (which > 0)
		return 0;
	draft_begin(d, "pidstat", NULL, rows, ARRAY_SIZE(rows));
	code = read_lines(&r, file->fd);
	if (code == 0 && r.threads)
		code = draft_fail(d, err, -EINVAL,
			"it is of threads (pidstat -t): without -t it can be read");
	if (code == 0 && r.windows == 0)
		code = draft_fail(d, err, -EINVAL, "it has no line of a process that can be read");
	if (code == 0)
		conclude(&r);
	free(r.list);
	cells_done(&r.cells);
	return code < 0 ? code : 1;
}

static int probe(const struct import_file *file)
{
	const char *command = file->is_directory ? NULL : strstr(file->head, " Command\n");
	const char *pid = command ? strstr(file->head, " PID ") : NULL;

	if (!pid || pid > command)
		return 0;
	return head_begins(file, "Linux ") ? 2 : 1;
}

const struct importer pidstat_importer = {
	.name = "pidstat",
	.help = "tables of pidstat with -u, -r, -d, -h",
	.files = "Text with lines of processes below a header that has PID and Command",
	.probe = probe,
	.read = read_pidstat,
};
