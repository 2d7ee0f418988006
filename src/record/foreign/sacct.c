/* SPDX-License-Identifier: MIT */
/*
 * Reads `sacct -P`, the table that sacct prints for people, and `sacct --json`: a run of each job, with what its steps used, by the names in the header whatever
 * --format was.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/line_source.h"
#include "base/macros.h"
#include "record/foreign/cells.h"
#include "record/foreign/import.h"
#include "record/foreign/sacct_job.h"
#include "record/foreign/sacct_json.h"
#include "record/foreign/sacct_ruler.h"

#define LINE_MAX_BYTES ((size_t) 1024 * 1024)

/*
 * Where the run that was read last begins, and the one behind it. Runs are asked for one after the other, each more than once, and a
 * cluster's year has a hundred thousand jobs: without it each would be looked for from the beginning of the file.
 */
static struct {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
	bool is;
	size_t which;
	off_t header, begin, next;
	size_t header_lines;
	uint64_t begin_line, next_line; /* their numbers */
} known;

struct reading {
	struct error *err;
	struct draft *d;
	struct cells cells;
	struct sacct_table table;
	struct sacct_job job;
	size_t which;
	size_t jobs; /* begun so far */
	bool has_job_line; /* of the job that is being read */
	char id[SACCT_ID_SIZE];
	off_t header, line, begin; /* where the latest header, the latest line, and the run begin */
	uint64_t number, begin_number; /* of the latest line, and of the run's first, from 1 */
	uint64_t damaged; /* lines before the first job */
	uint64_t first_damaged;

	/* of a table for people */
	struct sacct_ruler ruler; /* that of the header */
	char *above; /* owned: the line before, which may be the names of columns; NULL */
	off_t above_at;
	size_t header_lines;
	size_t cut; /* cells of the run that were cut */
	char whole_id[SACCT_ID_SIZE], whole_state[SACCT_ID_SIZE];
};

static bool is_header(const struct cells *cells)
{
	return cells_find(cells, "JobID") >= 0 || cells_find(cells, "JobIDRaw") >= 0;
}

/* A line between those of a job belongs to that job, one before all of them to the first. */
static void left_out(struct reading *r)
{
	if (r->jobs == 0 && r->damaged++ == 0)
		r->first_damaged = r->number;
	if (r->jobs == r->which + 1 || (r->jobs == 0 && r->which == 0))
		draft_damaged(r->d, r->number, false);
}

/* Whether the line begins another job than the one before; keeps its id. A job that was put back in the queue has its id again. */
static bool begins_job(struct reading *r, const char *id)
{
	size_t n = strcspn(id, ".");
	bool job_line = id[n] == '\0';
	bool same = r->jobs > 0 && strlen(r->id) == n && strncmp(r->id, id, n) == 0;
	bool begins = !same || (job_line && r->has_job_line);

	if (begins) {
		/* take_line() saw that it fits. */
		memcpy(r->id, id, n);
		r->id[n] = '\0';
		r->has_job_line = false;
	}
	r->has_job_line = r->has_job_line || job_line;
	return begins;
}

/* 1: go on. 0: the job has been read. `cut`: so many of its cells are not whole. */
static int take_line(struct reading *r, size_t cut)
{
	const char *id = r->cells.at[r->table.id];

	if (r->cells.n != r->table.n || id[0] < '0' || id[0] > '9' || strlen(id) >= SACCT_ID_SIZE) {
		left_out(r);
		return 1;
	}
	if (begins_job(r, id) && r->jobs++ == r->which) {
		r->begin = r->line;
		r->begin_number = r->number;
	}
	if (r->jobs <= r->which)
		return 1;
	if (r->jobs > r->which + 1)
		return 0;
	r->cut += cut;
	if (sacct_job_add(&r->job, &r->table, &r->cells) < 0)
		return draft_fail(r->d, r->err, -ENOMEM, "cannot read it");
	return 1;
}

/* What follows is of other columns, and no more of the job at hand. */
static int take_header(struct reading *r, off_t at, size_t n_lines, struct sacct_ruler ruler)
{
	int code;

	if (r->jobs > r->which) {
		/* The next run begins with all of it. */
		r->line = at;
		r->number -= n_lines - 1;
		return 0;
	}
	r->header = at;
	r->header_lines = n_lines;
	r->ruler = ruler;
	r->id[0] = '\0';
	code = sacct_table_take(&r->table, &r->cells);
	return code < 0 ? draft_fail(r->d, r->err, code, "cannot read it") : 1;
}

/* A job may be called JobID: its line has an id where the ruler has that column. */
static bool is_row(const struct reading *r, const char *line)
{
	size_t at = r->ruler.n > 0 ? r->ruler.columns[r->table.id].at : 0;

	if (r->ruler.n == 0 || strlen(line) <= at)
		return false;
	at += strspn(line + at, " ");
	return line[at] >= '0' && line[at] <= '9';
}

/* Names stand above their ruler. 1: it was a line of these. 0: it was none. */
static int take_table_head(struct reading *r, char *line, bool *ret_is)
{
	struct sacct_ruler ruler;
	size_t cut;

	*ret_is = true;
	if (r->above && sacct_ruler_read(line, &ruler) &&
		sacct_ruler_split(&ruler, r->above, &r->cells, &cut) > 0 && is_header(&r->cells)) {
		int code = take_header(r, r->above_at, 2, ruler);

		free(r->above);
		r->above = NULL;
		return code;
	}
	/* sacct -P with one column has no | either. */
	if (r->above && !r->table.names && cells_split(&r->cells, r->above, '|') == 0 &&
		is_header(&r->cells) &&
		take_header(r, r->above_at, 1, (struct sacct_ruler){ 0 }) < 0)
		return -ENOMEM;
	free(r->above);
	r->above = NULL;
	if (strstr(line, "JobID") && !strchr(line, '|') && !is_row(r, line)) {
		r->above = strdup(line);
		r->above_at = r->line;
		if (!r->above)
			return draft_fail(r->d, r->err, -ENOMEM, "cannot read it");
		return 1;
	}
	*ret_is = false;
	return 1;
}

/* A step whose name was cut is one of the job all the same. False: whose line it is cannot be told. */
static bool make_whole(struct reading *r)
{
	char **id = &r->cells.at[r->table.id];

	for (size_t i = 0; i < r->table.n; i++) {
		if (strcasecmp(r->table.names[i], "State") != 0 ||
			!sacct_is_cut(&r->ruler, &r->cells, i))
			continue;
		snprintf(r->whole_state, sizeof(r->whole_state), "%s",
			sacct_whole_state(r->cells.at[i]));
		r->cells.at[i] = r->whole_state;
	}
	if (sacct_is_cut(&r->ruler, &r->cells, (size_t) r->table.id)) {
		const char *dot = strchr(*id, '.');
		size_t n = dot ? (size_t) (dot + 1 - *id) : 0;

		if (!dot || n + sizeof("interactive") > sizeof(r->whole_id))
			return false;
		snprintf(r->whole_id, sizeof(r->whole_id), "%.*s%s", (int) n, *id,
			sacct_whole_step(dot + 1));
		*id = r->whole_id;
	}
	return true;
}

static int take_table_line(struct reading *r, char *line)
{
	size_t cut;
	int code = sacct_ruler_split(&r->ruler, line, &r->cells, &cut);

	if (code < 0)
		return draft_fail(r->d, r->err, code, "cannot read it");
	if (code > 0 && r->cells.n == r->table.n && make_whole(r))
		return take_line(r, cut);
	left_out(r);
	return 1;
}

static int take_parsable(struct reading *r, char *line)
{
	int code = cells_split(&r->cells, line, '|');

	if (code < 0)
		return draft_fail(r->d, r->err, code, "a line of it has too many cells");
	/* sacct -p ends each line with a separator, sacct -P does not. */
	if (r->cells.n > 1 && !r->cells.at[r->cells.n - 1][0] &&
		(!r->table.names || r->cells.n == r->table.n + 1))
		r->cells.n--;
	if (is_header(&r->cells))
		return take_header(r, r->line, 1, (struct sacct_ruler){ 0 });
	if (!r->table.names)
		return draft_fail(r->d, r->err, -EINVAL,
			"it has no header with JobID: 'sacct -P' without -n writes one");
	if (r->cells.n <= (size_t) r->table.id) {
		left_out(r);
		return 1;
	}
	return take_line(r, 0);
}

static int take(struct reading *r, char *line, size_t n)
{
	bool is_head;
	int code;

	if (n == 0)
		return 1;
	size_t mark = r->line == 0 ? byte_order_mark(line, n) : 0;

	line += mark;
	n -= mark;
	if (memchr(line, '\0', n)) {
		left_out(r);
		return 1;
	}
	code = take_table_head(r, line, &is_head);
	if (code <= 0 || is_head)
		return code;
	if (r->ruler.n > 0 && !strchr(line, '|'))
		return take_table_line(r, line);
	return take_parsable(r, line);
}

static bool is_known(const struct stat *st, size_t which)
{
	return known.is && (known.which == which || known.which + 1 == which) &&
	       known.device == st->st_dev && known.inode == st->st_ino &&
	       known.size == st->st_size && known.changed.tv_sec == st->st_mtim.tv_sec &&
	       known.changed.tv_nsec == st->st_mtim.tv_nsec;
}

/* The next run begins in the line that ended this one. */
static void remember(const struct reading *r, const struct stat *st)
{
	known.is = true;
	known.device = st->st_dev;
	known.inode = st->st_ino;
	known.size = st->st_size;
	known.changed = st->st_mtim;
	known.which = r->which;
	known.header = r->header;
	known.header_lines = r->header_lines;
	known.begin = r->begin;
	known.next = r->line;
	known.begin_line = r->begin_number;
	known.next_line = r->number;
}

/* Lines that were too long to be taken, before the one at hand. */
static void pass_long_ones(struct reading *r, const struct line_source *source, uint64_t *told)
{
	uint64_t number = r->number;

	for (; *told < source->too_long; ++*told) {
		r->number++;
		left_out(r);
	}
	r->number = number;
}

/* Lines from there on, the first with that number; so many of them, or (0) all. */
static int read_from(struct reading *r, int fd, off_t from, uint64_t number, size_t most)
{
	struct line_source source = LINE_SOURCE_INIT(fd, LINE_MAX_BYTES);
	uint64_t long_ones = 0;
	char *line;
	size_t n;
	bool ended = false;
	int code = lseek(fd, from, SEEK_SET) < 0 ? -errno : 1;

	r->number = number - 1;
	while (code > 0 && !ended) {
		code = line_source_next(&source, &line, &n);
		ended = code == 0 || (most > 0 && source.line >= most);
		pass_long_ones(r, &source, &long_ones);
		r->number = number - 1 + source.line;
		r->line = code > 0 ? from + (off_t) source.begin : lseek(fd, 0, SEEK_CUR);
		if (code > 0)
			code = take(r, line, n);
	}
	if (code < 0 && r->d->code == 0)
		draft_fail(r->d, r->err, code, "cannot read it");
	line_source_done(&source);
	return r->d->code;
}

static int read_lines(struct reading *r, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return draft_fail(r->d, r->err, -errno, "cannot read it");
	/* Lines that are damaged before the first job are told with it. */
	if (r->which > 0 && is_known(&st, r->which)) {
		r->jobs = r->which;
		if (read_from(r, fd, known.header, 1, known.header_lines) == 0) {
			bool again = known.which == r->which;

			read_from(r, fd, again ? known.begin : known.next,
				again ? known.begin_line : known.next_line, 0);
		}
	} else {
		read_from(r, fd, 0, 1, 0);
	}
	if (r->d->code < 0)
		return r->d->code;
	if (!r->table.names)
		return draft_fail(r->d, r->err, -EINVAL,
			"it has no header with JobID: 'sacct -P' without -n writes one");
	if (r->jobs == 0 && r->damaged > 0)
		return draft_fail(r->d, r->err, -EINVAL,
			"no job is in it, and %llu line%s could not be read (the first is line "
			"%llu)",
			(unsigned long long) r->damaged, r->damaged == 1 ? "" : "s",
			(unsigned long long) r->first_damaged);
	if (r->jobs == 0)
		return draft_fail(r->d, r->err, -EINVAL, "no job is in it");
	if (r->jobs > r->which)
		remember(r, &st);
	return r->jobs > r->which;
}

static int read_text(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct reading r = { .d = d, .err = err, .which = which };
	int code = read_lines(&r, file->fd);

	if (code > 0) {
		sacct_job_tell(&r.job, &r.table, d);
		if (r.cut > 0)
			draft_note(d,
				"cells that sacct cut to the width of their columns, and that tell "
				"no number (sacct -P writes them whole): %zu",
				r.cut);
	}
	sacct_job_done(&r.job);
	sacct_table_done(&r.table);
	cells_done(&r.cells);
	free(r.above);
	return code;
}

static bool is_json(const struct import_file *file)
{
	return file->head[strspn(file->head, " \t\r\n")] == '{';
}

static int read_sacct(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	return is_json(file) ? sacct_json_read(file, which, d, err)
			     : read_text(file, which, d, err);
}

/* Names above a line of dashes. */
static bool is_table(const char *head)
{
	const char *names = head + strspn(head, "\r\n");
	const char *below = names + strcspn(names, "\n");
	struct sacct_ruler ruler;
	char *line = first_line(below);
	bool is = line && sacct_ruler_read(line, &ruler);

	free(line);
	return is && memmem(names, (size_t) (below - names), "JobID", strlen("JobID"));
}

static int probe_sacct(const struct import_file *file)
{
	struct cells cells = { 0 };
	char *line = first_line(file->head);
	int sure = 0;

	if (line && strchr(line, '|') && cells_split(&cells, line, '|') == 0 && is_header(&cells))
		sure = 2;
	if (line && is_table(file->head))
		sure = 2;
	if (is_json(file) && sacct_json_is(file->head))
		sure = 2;
	cells_done(&cells);
	free(line);
	return sure;
}

const struct importer sacct_importer = {
	.name = "sacct",
	.help = "jobs of Slurm: sacct with any --format that has JobID, for people, -P or --json",
	.files = "A header with JobID, and lines with | between cells or columns below dashes; or "
		 "JSON",
	.probe = probe_sacct,
	.read = read_sacct,
	.several = true,
};
